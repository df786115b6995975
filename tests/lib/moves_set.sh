#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# moves_set.sh SET DIR [OPTION...]: operators of the annealer chosen by UCB against evenly drawn ones (--uniform), at 5,000
# schedules, by seeds 1 to 10.  A seed's value is the mean over the instances of makespan over best known; printed are
# both means with 95 % confidence intervals over seeds, and the same of the differences by seed (Student's t, 9 degrees of
# freedom).  Sets, TSPSIM_DATA, SOLVE_EVERY and what happens to results as in solve_set.sh.
set -u
LC_ALL=C
export LC_ALL
name=$1 dir=$2
shift 2
here=$(dirname "$0")
: >"$dir.moves"
for seed in 1 2 3 4 5 6 7 8 9 10; do
	for way in "" --uniform; do
		# $way is one word or none.
		sh "$here/solve_set.sh" "$name" "$dir" --method anneal --schedules 5000 --seed $seed $way "$@" >"$dir.line" || exit
		sed "s/.* n *\([0-9]*\) .*over best *\([-0-9.]*\).*wrong *\([0-9]*\).*/$seed ${way:-ucb} \1 \2 \3/" "$dir.line" >>"$dir.moves"
	done
done
awk -v name="$name" '
	# Prints mean and half width of the interval of x[1..10].
	function show(what, x,    i, mean, square) {
		for (i = 1; i <= 10; i++) mean += x[i] / 10
		for (i = 1; i <= 10; i++) square += (x[i] - mean) ^ 2
		printf "  %s %.3f +- %.3f", what, mean, 2.262 * sqrt(square / 9 / 10)
	}
	{n = $3; wrong += $5; if ($2 == "ucb") ucb[$1] = $4; else even[$1] = $4}
	END {
		for (i = 1; i <= 10; i++) less[i] = ucb[i] - even[i]
		printf "%s, %d instances, over best in %%:", name, n
		show("UCB", ucb); show("evenly drawn", even); show("difference", less)
		printf "  wrong %d\n", wrong
		exit wrong > 0
	}' "$dir.moves"
