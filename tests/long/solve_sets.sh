#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every eighth instance of the public sets: all answers valid and not below the best known bounds, mean deviations not above what
# is asked of the engines.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

[ -n "${TSPSIM_DATA-}" ] && [ -d "$TSPSIM_DATA/rcpsp/j30.sm" ] || skip_all "no public sets (TSPSIM_DATA)"
SOLVE_EVERY=8
export SOLVE_EVERY TSPSIM TSPSIM_DATA

# measure SET COLUMN MOST OPTION...: column "best" or "path" (over what the best known schedules are above it).
measure()
{
	set_name=$1 column=$2 most=$3
	shift 3
	sh "$TSPSIM_SRCDIR/tests/lib/solve_set.sh" "$set_name" sets "$@" >line
	cat line
	is "$set_name $*: nothing wrong" "$(sed -n 's/.* wrong \([0-9]*\) .*/\1/p' line)" 0
	if [ "$column" = best ]; then
		sed 's/.*over best *\([-0-9.]*\).*/\1/' line >value
	else
		sed 's/.*over path *\([-0-9.]*\).*best known \([0-9.]*\).*/\1 \2/' line | awk '{print $1 - $2}' >value
	fi
	is "$set_name $*: at most $most %" "$(awk -v most="$most" '{print $1 <= most ? "yes" : $1}' value)" yes
}

# The samples differ from the whole sets by some tenths; over the path what is asked is the distance to the best known.
measure j30 best 5.0 --method list --schedules 1
measure j60 best 6.5 --method list --schedules 1
measure j90 best 6.5 --method list --schedules 1
measure j120 best 11.0 --method list --schedules 1
measure j30 best 0.25 --method anneal --schedules 5000
measure j60 path 1.2 --method anneal --schedules 5000
measure j120 path 4.9 --method anneal --schedules 5000
measure stg best 0.6 --method list --schedules 1
measure stg best 0.1 --method anneal
done_testing
