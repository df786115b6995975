#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim solve: keys, budgets, caps, interrupts, errors.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/exact_there.sh"

cat >small.rcp <<'END'
5 1
2
0 0 2 2 4
2 1 1 3
3 2 1 5
4 1 1 5
0 0 0
END
exits "a problem in Patterson's format" 0 "$TSPSIM" solve small.rcp --method list --schedules 1 --json
is "JSON is valid" "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('out') AS TEXT))")" 1
# A (2, 1 of 2 units) and C (4, 1 unit) side by side, B (3, 2 units) after both: 4 + 3.  Energy is 2 + 6 + 4 = 12 in 2 units, 6.
is "status, makespan, bound" "$(json out '$.status') $(json out '$.makespan') $(json out '$.lower_bound')" "optimal 7 7"
is "proved, valid, not capped" "$(json out '$.proved') $(json out '$.valid') $(json out '$.capped')" "1 1 0"
is "method, seed, schedules" "$(json out '$.method') $(json out '$.seed') $(json out '$.schedules')" "list 1 1"
is "starts" "$(json out '$.starts' | tr -d ' ')" "[0,0,4,0,7]"

cat >lags.sch <<'END'
1 1 0 0
0 1 1 1 [3]
1 1 2 0 2 [-2] [0]
2 1 0
0 1 0 0
1 1 2 1
2 1 0 0
2
END
sed "s/\[-2\]/[-9]/" lags.sch >lags1.sch
exits "lags that contradict each other" 0 "$TSPSIM" solve lags.sch --json
is "are proved infeasible" "$(json out '$.status') $(json out '$.proved') $(json out '$.makespan')" "infeasible 1 "
is "with the cycle" "$(json out '$.explanation' | grep -c 'a cycle that is 1 too long')" 1

# A job shop of 12 jobs and 12 machines that no short run proves.
awk 'BEGIN {s = 7; print 12, 12
	for (j = 0; j < 12; j++) {line = ""
		for (m = 0; m < 12; m++) {s = (s * 1103515245 + 12345) % 2147483648
			line = line (j % 2 ? (m * 7 + j) % 12 : (m * 5 + j) % 12) " " int(s / 65536) % 90 + 10 " "}
		print line}}' >shop.jss
"$TSPSIM" solve shop.jss --json -j 1 --schedules 2000 | grep -v seconds >one
"$TSPSIM" solve shop.jss --json -j 2 --schedules 2000 | grep -v seconds >two
"$TSPSIM" solve shop.jss --json -j 2 --schedules 2000 --seed 2 | grep -v seconds >other
is "threads change nothing" "$(cmp one two && echo same)" same
is "another seed does" "$(cmp -s one other && echo same)" ""
is "the budget is kept" "$(json one '$.schedules')" 2000
is "moves tried add up to the schedules that were not starts" \
	"$(sqlite3 :memory: "SELECT sum(json_extract(value, '\$.tried')) BETWEEN 1900 AND 2000 FROM json_each(CAST(readfile('one') AS TEXT), '\$.moves')")" 1
"$TSPSIM" solve shop.jss --json --uniform --schedules 2000 >out
is "--uniform tries none of the three operators much less than a third" \
	"$(sqlite3 :memory: "SELECT min(json_extract(value, '\$.tried')) > 400 FROM json_each(CAST(readfile('out') AS TEXT), '\$.moves')
		WHERE json_extract(value, '\$.move') <> 'unit'")" 1
# Rounds of 5,000, 10,000 and the other 45,000, the first of which is all of a budget of 5,000.
for jobs in 1 2; do
	"$TSPSIM" solve shop.jss --schedules 60000 -j $jobs --json | grep -v '"seconds"' >great$jobs
done
"$TSPSIM" solve shop.jss --json >out
is "a great budget is spent in rounds that begin as a small one" "$(json great1 '$.schedules') $(json out '$.schedules') $(
	[ "$(json great1 '$.makespan')" -le "$(json out '$.makespan')" ] && echo yes)" "60000 5000 yes"
is "on one thread and two" "$(cmp great1 great2 && echo same)" same
exits "a time limit alone" 0 "$TSPSIM" solve shop.jss --json --time 0.3
is "is used, kept and reported" "$(json out '$.capped') $(awk '/"seconds"/ {print ($2 + 0 >= 0.3 && $2 + 0 < 0.6) ? "yes" : $2}' out)" "1 yes"
is "what was found is valid" "$(json out '$.valid')" 1
"$TSPSIM" solve shop.jss --time 20 --json >out 2>err &
job=$!
sleep 0.5
kill -TERM $job
wait $job
is "an interrupt ends with status 130" $? 130
is "and prints the best so far" "$(json out '$.valid') $(json out '$.capped') $(json out '$.interrupted')" "1 1 1"
"$TSPSIM" solve shop.jss --time 0.05 --json >out
is "a time limit is no interrupt" "$(json out '$.capped') $(json out '$.interrupted')" "1 0"
"$TSPSIM" solve shop.jss --time 0.05 >out
like "it is said" out "^schedules .* s; ended by the time limit$"
"$TSPSIM" solve - --method list --schedules 10 --json <shop.jss | grep -v '"seconds"\|"file"' >piped
"$TSPSIM" solve shop.jss --method list --schedules 10 --json | grep -v '"seconds"\|"file"' >read
is "- is standard input" "$(cmp piped read && echo same)" same

exits "-o writes the schedule" 0 "$TSPSIM" solve small.rcp --method list --schedules 1 -o plan.tsv
is "a line a task" "$(sed -n 4p plan.tsv | tr '\t' ' ')" "2 4 7 0 0"
exits "-q says nothing" 0 "$TSPSIM" solve small.rcp -q -o plan.tsv
empty "but writes the schedule" out
exits "a rule alone" 0 "$TSPSIM" solve shop.jss --method list --rule spt --schedules 1
like "names itself" out 'found by spt'
printf '2\n0 0 0\n1 4 1 0\n2 6 1 0\n3 0 2 1 2\n' >graph.txt
"$TSPSIM" solve graph.txt --processors 2 --method list --json >out
is "a task graph on two processors" "$(json out '$.format') $(json out '$.makespan')" "stg 6"
"$TSPSIM" solve graph.txt --method list --json >out
is "and on one" "$(json out '$.makespan')" 10

exits "a rule for a problem with maximum lags" 1 "$TSPSIM" solve lags1.sch --method list --rule lst
like "has no effect" err 'rule lst has no effect here: problems with maximum lags'

# The exact engine: the same optimum, and the lags' one, found and proved; a budget of no conflicts is kept.
if exact_there; then
	exits "the exact engine" 0 "$TSPSIM" solve small.rcp --method exact --json
	is "proves the optimum" "$(json out '$.status') $(json out '$.makespan') $(json out '$.lower_bound') $(json out '$.valid')" "optimal 7 7 1"
	"$TSPSIM" solve small.rcp --method exact --json >again
	is "and does so again" "$(sed '/seconds/d' out)" "$(sed '/seconds/d' again)"
else
	exits "the exact engine is not there" 1 "$TSPSIM" solve small.rcp --method exact
	like "which is said" err "method exact is not built into this program; there are list and anneal"
	skip "the exact engine" "built without CaDiCaL"
fi
exits "conflicts below 0" 1 "$TSPSIM" solve small.rcp --method exact --conflicts -1

# Mistakes.
exits "a method that is none" 1 "$TSPSIM" solve small.rcp --method lisst
like "method: the error" err "unknown method 'lisst'; did you mean 'list'"
exits "a rule that is none" 1 "$TSPSIM" solve small.rcp --method list --rule first
exits "a format that is none" 1 "$TSPSIM" solve small.rcp --format psblib
like "format: the nearest" err "did you mean 'psplib'"
exits "a time below 0" 1 "$TSPSIM" solve small.rcp --time -1
for weight in "lambda nan" "lambda -1" "alpha inf" "beta nan" "gamma -1"; do
	# shellcheck disable=SC2086
	exits "a weight that is none: $weight" 1 "$TSPSIM" solve small.rcp --$weight
done
exits "no processor" 1 "$TSPSIM" solve graph.txt --processors 0
exits "a file that is not there" 1 "$TSPSIM" solve nothing.sm
sed 's/^3 2 1 5/3 2 x 5/' small.rcp >bad.rcp
exits "a word for a number" 1 "$TSPSIM" solve bad.rcp
like "word: its place" err "bad.rcp:5:5: expected a number of successors, an integer from 0 to 5, found 'x'"
# Each weight of rule s2 by itself: 1 has the longest path, 2 the greatest demand, 3 the most successors.  No two of them run
# together, so the first to be placed starts at 0.
cat >weights.rcp <<'END'
6 1
3
0 0 3 2 3 4
5 2 1 6
1 3 1 6
1 2 2 5 6
1 1 1 6
0 0 0
END
first()
{
	"$TSPSIM" solve weights.rcp --method list --schedules 1 --rule s2 "$@" -o w.tsv >report
	awk '$2 == 0 && $1 >= 1 && $1 <= 3 {print $1}' w.tsv
}
is "--alpha weighs the critical path" "$(first --alpha 1)" 1
is "--beta weighs demands" "$(first --alpha 0 --beta 1)" 2
is "--gamma weighs successors" "$(first --alpha 0 --gamma 1)" 3
awk 'BEGIN {s = 7; print 12, 12; for (j = 0; j < 12; j++) {l = ""; for (k = 0; k < 12; k++) {s = (s * 1103515245 + 12345) % 2147483648
	l = l (k + j) % 12 " " 1 + int(s / 65536) % 99 " "} print l}}' >weighed.jss
for weight in 0 1; do
	"$TSPSIM" solve weighed.jss --method anneal --schedules 300 --lambda $weight --json | sed -n '/"starts"/,/]/p' | cksum
done >sums
is "--lambda moves the search" "$(sort -u sums | wc -l)" 2
done_testing
