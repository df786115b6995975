#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# One list schedule of 10^3 to 10^6 tasks with four resources: seconds and peak memory, of random demands (nearly every task
# its own) and of thirty kinds of them.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=${TSPSIM-$TSPSIM_BUILDDIR/tspsim}

# generate TASKS KINDS: a Patterson file; 0 kinds: every task draws its own demands.
generate()
{
	awk -v n="$1" -v kinds="$2" '
		function draw(limit) {state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) % limit}
		BEGIN {
			state = 1
			for (k = 0; k < kinds; k++)
				kind[k] = draw(11) " " draw(11) " " draw(11) " " draw(11)
			reach = int(sqrt(n)) < 20 ? 20 : int(sqrt(n))
			print n, 4
			print 40, 40, 40, 40
			for (v = 1; v <= n; v++) {
				demands = kinds ? kind[draw(kinds)] : draw(11) " " draw(11) " " draw(11) " " draw(11)
				line = ""
				count = v < n ? 1 + draw(3) : 0
				for (i = 0; i < count; i++) {
					to = v + 1 + draw(reach)
					line = line " " (to > n ? n : to)
				}
				print 1 + draw(10), demands, count line
			}
		}'
}

printf '%-10s %8s %10s %10s %10s %12s %12s\n' demands tasks seconds cpu_s peak_MB makespan bound
for kinds in 0 30; do
	for n in 1000 10000 100000 1000000; do
		generate $n $kinds >"$scratch/p.rcp"
		command time -f '%M %U' -o "$scratch/memory" "$program" solve "$scratch/p.rcp" --method list --schedules 1 --json >"$scratch/out"
		awk -v kinds=$kinds -v n=$n -v usage="$(cat "$scratch/memory")" '
			/^  "seconds"/ {gsub(",", "", $2); seconds = $2}
			/^  "makespan"/ {gsub(",", "", $2); makespan = $2}
			/^  "lower_bound"/ {gsub(",", "", $2); bound = $2}
			END {split(usage, use, " "); printf "%-10s %8d %10.2f %10.2f %10.1f %12d %12d\n", kinds ? "30 kinds" : "random", n, seconds, use[2], use[1] / 1024, makespan, bound}' \
			"$scratch/out"
	done
done
