#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The exact engine on every eighth instance of the public sets: nothing wrong, and as much proved as is asked of it.  Processor
# time counts, not the clock's; a minute of it an instance.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

[ -n "${TSPSIM_DATA-}" ] && [ -d "$TSPSIM_DATA/rcpsp/j30.sm" ] || skip_all "no public sets (TSPSIM_DATA)"
EXACT_EVERY=8 EXACT_CPU=60
export EXACT_EVERY EXACT_CPU TSPSIM TSPSIM_DATA

# measure SET LEAST: of the answers at least LEAST per cent are proved.
measure()
{
	sh "$TSPSIM_SRCDIR/tests/lib/exact_set.sh" "$1" sets --time 3000 >line
	cat line
	[ -s line ] || return 0
	is "$1: nothing wrong" "$(sed -n 's/.* wrong \([0-9]*\) .*/\1/p' line)" 0
	is "$1: $2 % proved" "$(sed 's/.*proved *[0-9]* (\([0-9.]*\) %).*/\1/' line | awk -v least="$2" '{print ($1 >= least ? "yes" : $1)}')" yes
}

measure j30 100
measure j60 75
measure patterson 100
measure sm_j10 100
measure sm_j30 90
measure ubo10 100
measure ubo50 80
measure ft 60
done_testing
