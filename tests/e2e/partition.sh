#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim partition: a chain worked out by hand (tests/unit/test_partition.c says how), and the public graphs with the
# answers that come with them, to 1e-6.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/interrupt.sh"

cat >chain.txt <<'END'
a -- Conv -- forward_compute_time=1, backward_compute_time=2, activation_size=10, parameter_size=100
b -- ReLU -- forward_compute_time=1, backward_compute_time=0, activation_size=10, parameter_size=0
c -- Conv -- forward_compute_time=2, backward_compute_time=2, activation_size=10, parameter_size=100
d -- Conv -- forward_compute_time=1, backward_compute_time=1, activation_size=10, parameter_size=50
	a -- b
	b -- c
	c -- d
END
"$TSPSIM" partition chain.txt -k 2 --bandwidth 10 >out
is "exit status 0" $? 0
cat >expected <<'END'
nodes        4, 3 edges, 5 ways to cut in two
max load     7, proved to be the least of contiguous splits
stage        accelerator: load 5, 2 nodes, 100 bytes: a, b
stage        accelerator: load 7, 2 nodes, 150 bytes: c, d
END
diff expected out >differences
empty "a chain is cut as worked out, its first stage first" differences
is "without transfers" "$("$TSPSIM" partition chain.txt -k 2 --json | sed -n 's/.*"max_load": \([^,]*\),/\1/p')" 6

"$TSPSIM" partition chain.txt -k 0 --hosts 2 >out 2>err
is "where nothing can be put anywhere, that is said" "$? $(cat out err)" \
	"2 infeasible   chain.txt: no contiguous split fits 0 accelerators of inf bytes and 2 host cores"
"$TSPSIM" partition chain.txt -k 0 --hosts 2 --json >out
is "and is an answer in JSON" "$? $(tr -d ' \n' <out | sed 's/"seconds":[^,]*,//')" \
	'2 {"status":"infeasible","max_load":null,"lower_bound":null,"proved":true,"valid":null,"nodes":4,"ideals":5,"pairs":10,"interrupted":false,"stages":[]}'
awk 'BEGIN {for (i = 0; i < 300; i++) printf "n%d -- L -- forward_compute_time=1, backward_compute_time=0, activation_size=1, parameter_size=1\n", i
	for (i = 1; i < 300; i++) printf "\tn%d -- n%d\n", i - 1, i}' >long.txt
"$TSPSIM" partition long.txt -k 1000 --hosts 1000 >out 2>err
is "more devices than there is room to count with are refused" "$? $(grep -c 'too many to try all' err)" "1 1"
# Two chains of 300 that nothing joins: 301 x 301 ways to cut in two, and a minute of work.  Stopped at once, it still has the best
# cut of one after the other: 86 at the most in 7 parts of 600.
awk 'BEGIN {for (i = 0; i < 600; i++) printf "n%d -- L -- forward_compute_time=1, backward_compute_time=0, activation_size=1, parameter_size=1\n", i
	for (i = 1; i < 600; i++) if (i != 300) printf "\tn%d -- n%d\n", i - 1, i}' >chains.txt
interrupted "$TSPSIM" partition chains.txt -k 7 --json
is "an interrupt prints the best so far" "$status $(json out '$.status') $(json out '$.max_load') $(json out '$.valid') $(
	json out '$.lower_bound') $(json out '$.interrupted')" "130 feasible 86 1 85.71428571 1"
interrupted "$TSPSIM" partition chains.txt -k 7
is "and says so" "$status $(sed -n '2s/.*; //p' out)" "130 interrupted"
# Of 300 equal nodes one accelerator has all: three, 295 that are not named, and two.
is "of many nodes the first and the last are named" "$("$TSPSIM" partition long.txt -k 1 | sed -n 's/^stage .* byte[s]*: //p')" \
	"n0, n1, n2, ... (295 more), n298, n299"
is "- is standard input" "$("$TSPSIM" partition - -k 2 --bandwidth 10 <chain.txt | sed 1q)" "nodes        4, 3 edges, 5 ways to cut in two"
"$TSPSIM" partition chain.txt --limit 0 >out 2>err
is "a limit of nothing is refused" $? 1
"$TSPSIM" partition chain.txt -k -1 >out 2>err
is "accelerators below nothing are refused" $? 1
"$TSPSIM" partition chain.txt --hosts -1 >out 2>err
is "host cores below nothing are refused" $? 1
awk 'BEGIN {for (i = 0; i < 100000; i++) printf "{\"nodes\":"}' >deep.json
"$TSPSIM" partition deep.json >out 2>err
is "levels without end are refused where they become too many" "$? $(cat err)" \
	"1 tspsim: deep.json:1:577: expected at most 64 levels"
"$TSPSIM" partition nowhere.txt >out 2>err
is "no file: exit status 1" $? 1

# near A B: within 1e-6 of each other, relative to B.
near()
{
	awk -v a="$1" -v b="$2" 'BEGIN {d = a - b; if (d < 0) d = -d; print d <= 1e-6 * (b > 1 ? b : 1) ? "yes" : a " for " b}'
}

answers=${TSPSIM_DATA-}/dnn-partitioning/answers_derived.csv
if [ -r "$answers" ]; then
	tail -n +2 "$answers" | tr -d '\r' | cut -d, -f1,7 >rows
	while IFS=, read -r name best; do
		file=$TSPSIM_DATA/dnn-partitioning/throughput-inputs/$name.json
		{ [ -n "$best" ] && [ -r "$file" ]; } || continue
		"$TSPSIM" partition "$file" --json >out
		is "$name" "$(near "$(sed -n 's/.*"max_load": \([^,]*\),/\1/p' out)" "$best") $(grep -c '"valid": true' out)" "yes 1"
	done <rows
	tail -n +2 "$TSPSIM_DATA/pipedream/partition_derived.csv" | tr -d '\r' | cut -d, -f1,6,7 >rows
	while IFS=, read -r name devices best; do
		file=$TSPSIM_DATA/pipedream/$name.graph.txt
		[ -r "$file" ] || continue
		"$TSPSIM" partition "$file" -k "$devices" --json >out
		is "$name on $devices" "$(near "$(sed -n 's/.*"max_load": \([^,]*\),/\1/p' out)" "$best")" yes
	done <rows
else
	skip "public graphs" "no benchmark inputs; see --with-data"
fi
done_testing
