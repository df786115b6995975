#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every public SCALE-Sim table under $TSPSIM_DATA/scale-sim on both machines: either it runs as predicted, or it is refused with a
# message that names file, line or layer, and reason.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

[ -n "${TSPSIM_DATA-}" ] && [ -d "$TSPSIM_DATA/scale-sim" ] || skip_all "no benchmark inputs; see --with-data"
find "$TSPSIM_DATA/scale-sim" -name '*.csv' | sort >files
ran=0
while read -r file; do
	for machine in tsp tsp-isca20; do
		"$TSPSIM" -m $machine -w "$file" --json >out 2>err </dev/null
		status=$?
		if [ $status -eq 0 ]; then
			ran=$((ran + 1))
			is "$machine $file" \
				"$(json out '$.cycles') $(json out '$.violations') $(json out '$.mismatched_events')" \
				"$(json out '$.predicted_cycles') 0 0"
		elif [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$(basename "$file")" err; then
			ok "$machine $file is refused: $(sed "s,^tspsim: ,,; s,$TSPSIM_DATA/,," err)"
		else
			not_ok "$machine $file" "status $status" "$(head -5 err)"
		fi
	done
done <files
is "most of them run" "$([ $ran -gt "$(wc -l <files)" ] && echo yes)" yes
done_testing
