#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# One list schedule of 10^3 to 10^6 tasks with four resources: processor seconds and peak memory, reading and bounds included, of
# random demands (nearly every task its own) and of thirty kinds of them.  The columns "per n log n" are constant where
# time is linear-logarithmic; memory is per task.  With gnuplot a picture of both, solve_scale.png (or $SOLVE_SCALE_PLOT).
set -eu
LC_ALL=C
export LC_ALL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=${TSPSIM-$TSPSIM_BUILDDIR/tspsim}
plot=${SOLVE_SCALE_PLOT-solve_scale.png}

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

printf '%-10s %8s %10s %10s %14s %10s %10s %12s %12s\n' demands tasks seconds cpu_s "ns/(n log2 n)" peak_MB B/task makespan bound
for kinds in 0 30; do
	for n in ${SOLVE_SCALE_SIZES-1000 3000 10000 30000 100000 300000 1000000}; do
		generate "$n" $kinds >"$scratch/p.rcp"
		command time -f '%M %U %S' -o "$scratch/usage" "$program" solve "$scratch/p.rcp" --method list --schedules 1 --json >"$scratch/out"
		awk -v kinds=$kinds -v n="$n" -v usage="$(cat "$scratch/usage")" -v table="$scratch/$kinds.dat" '
			/^  "seconds"/ {gsub(",", "", $2); seconds = $2}
			/^  "makespan"/ {gsub(",", "", $2); makespan = $2}
			/^  "lower_bound"/ {gsub(",", "", $2); bound = $2}
			/^  "valid"/ {valid = $2 ~ /true/}
			END {
				split(usage, use, " ")
				cpu = use[2] + use[3]
				printf "%-10s %8d %10.2f %10.2f %14.1f %10.1f %10.0f %12d %12d%s\n", kinds ? "30 kinds" : "random", n, seconds, cpu,
					cpu * 1e9 / (n * log(n) / log(2)), use[1] / 1024, use[1] * 1024 / n, makespan, bound, valid ? "" : "  NOT VALID"
				print n, (cpu > 0 ? cpu : 0.005), use[1] / 1024 >>table
				exit !valid
			}' "$scratch/out"
	done
done
command -v gnuplot >/dev/null || exit 0
# The dashed lines go through the last points: what n log n, and n, would be.
gnuplot <<END
set terminal pngcairo size 1100, 480 enhanced
set output '$plot'
set logscale xy
set key top left
set xlabel 'tasks'
set grid
set multiplot layout 1, 2
last(f, c) = real(system(sprintf("tail -1 %s | awk '{print \$%d}'", f, c)))
n = last('$scratch/0.dat', 1)
time_last = last('$scratch/0.dat', 2)
memory_last = last('$scratch/0.dat', 3)
set ylabel 'processor seconds'
plot '$scratch/0.dat' using 1:2 with linespoints title 'random demands', '$scratch/30.dat' using 1:2 with linespoints title '30 kinds', \
	time_last * x * log(x) / (n * log(n)) with lines dashtype 2 title 'n log n'
set ylabel 'peak memory in MB'
plot '$scratch/0.dat' using 1:3 with linespoints title 'random demands', '$scratch/30.dat' using 1:3 with linespoints title '30 kinds', \
	memory_last * x / n with lines dashtype 2 title 'n'
END
echo "picture: $plot"
