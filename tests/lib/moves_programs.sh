#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# moves_programs.sh DIR: operators of the search for programs (`sched --method anneal`) chosen by UCB against evenly drawn
# ones (--uniform), on six kernels a machine most with something to find, by seeds 1 to 10, with equal budgets.  A
# value is the length of the program as a share of the list's, in %.  For each kernel, and for the mean over the kernels of
# a machine, both means with 95 % confidence intervals over seeds, and the same of the differences by seed (Student's t, 9
# degrees of freedom).  MOVES_MACHINES, MOVES_KERNELS and MOVES_SCHEDULES are others; results are lines of a table in DIR,
# and what is there already is not run again.  The exit status is 1 when a program is longer than the list's, or a run
# fails.
set -u
LC_ALL=C
export LC_ALL
dir=$1
schedules=${MOVES_SCHEDULES:-1500}
mkdir -p "$dir" || exit 1
. "$TSPSIM_SRCDIR/tests/lib/method_graphs.sh"

value()
{
	sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}$/\1/p" "$dir/out.json" | head -n 1
}

status=0
for machine in ${MOVES_MACHINES:-tsp tsp-isca20 ascend-910b}; do
	table=$dir/programs-$machine-$schedules.tsv
	touch "$table"
	case $machine in
	tsp) kernels="gemm:64x1024x320 attention:1x2x128x64 layernorm:64x1024 fft:1024 mlp branches" ;;
	tsp-isca20) kernels="attention:1x2x128x64 softmax:256x320 layernorm:64x1024 fft:1024 residual branches" ;;
	*) kernels="gemm:64x1024x320 conv:1x128x14x14,256x1x1 fft:1024 mlp conv-block branches" ;;
	esac
	for kernel in ${MOVES_KERNELS:-$kernels}; do
		workload=$kernel
		case $kernel in
		*:*) ;;
		*)
			workload=$dir/$kernel.graph
			method_graph "$kernel" "$machine" >"$workload"
			;;
		esac
		for seed in 1 2 3 4 5 6 7 8 9 10; do
			for way in "" --uniform; do
				row="$kernel	$seed	${way:-ucb}"
				grep -q "^$row	" "$table" && continue
				# $way is one word or none.
				"$TSPSIM" sched "$workload" -m "$machine" --method anneal --schedules "$schedules" --seed $seed $way \
					--no-patterns --json >"$dir/out.json" </dev/null || exit 1
				printf '%s\t%s\t%s\n' "$row" "$(value list_cycles)" "$(value annealed_cycles)" >>"$table"
			done
		done
	done
	awk -F'\t' -v machine="$machine" -v schedules="$schedules" '
		# Mean and half width of the interval of x[1..10].
		function show(x,    i, mean, square) {
			for (i = 1; i <= 10; i++) mean += x[i] / 10
			for (i = 1; i <= 10; i++) square += (x[i] - mean) ^ 2
			return sprintf("%6.2f +- %4.2f", mean, 2.262 * sqrt(square / 9 / 10))
		}
		function line(name, ucb, even,    i, less) {
			for (i = 1; i <= 10; i++) less[i] = ucb[i] - even[i]
			printf "%-12s %-24s UCB %s  evenly drawn %s  difference %s\n", machine, name, show(ucb), show(even), show(less)
		}
		{
			if (!($1 in known)) {
				known[$1] = 1
				name[++kernels] = $1
			}
			share[$1, $2, $3] = 100 * $5 / $4
			longer += $5 > $4
		}
		END {
			for (k = 1; k <= kernels; k++) {
				for (i = 1; i <= 10; i++) {
					sum_u[i] += (u[i] = share[name[k], i, "ucb"])
					sum_e[i] += (e[i] = share[name[k], i, "--uniform"])
				}
				line(name[k], u, e)
			}
			for (i = 1; i <= 10; i++) {
				u[i] = sum_u[i] / kernels
				e[i] = sum_e[i] / kernels
			}
			line("mean of " kernels, u, e)
			printf "%s: %d schedules, longer than the list %d\n", machine, schedules, longer
			exit longer > 0
		}' "$table" || status=1
done
exit $status
