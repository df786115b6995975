#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim solve --method exact: an interrupt prints the best so far, a cap is said and kept, what makes maximum lags impossible is
# named, and answers do not depend on threads.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/exact_there.sh"

exact_there || skip_all "built without CaDiCaL"

# A job shop of 20 jobs and 16 machines that no short run proves.
awk 'BEGIN {s = 7; print 20, 16
	for (j = 0; j < 20; j++) {line = ""
		for (m = 0; m < 16; m++) {s = (s * 1103515245 + 12345) % 2147483648
			line = line (j % 2 ? (m * 7 + j) % 16 : (m * 5 + j) % 16) " " int(s / 65536) % 90 + 10 " "}
		print line}}' >shop.jss
"$TSPSIM" solve shop.jss --method exact --schedules 100 --time 60 --json >out 2>err &
job=$!
sleep 0.6
kill -TERM $job
wait $job
is "an interrupt ends with status 130" $? 130
is "and prints the best so far, not proved, as ended early" \
	"$(json out '$.status') $(json out '$.valid') $(json out '$.proved') $(json out '$.capped')" "feasible 1 0 1"
is "with a bound that is none too great" "$(awk -F'[:,]' '/"makespan"/ {m = $2 + 0} /"lower_bound"/ {b = $2 + 0} END {print (b > 0 && b <= m)}' out)" 1
for jobs in 1 2; do
	"$TSPSIM" solve shop.jss --method exact --schedules 200 --conflicts 500 -j $jobs --json | grep -v seconds >by$jobs
done
is "threads change nothing" "$(cmp by1 by2 && echo same)" same

# Tasks 1 and 2 take 2 of 3 units for 4 cycles each, and start at most 2 cycles apart.
cat >lags.sch <<'END'
2 1 0 0
0 1 2 1 2 [0] [0]
1 1 2 2 3 [-2] [4]
2 1 2 1 3 [-2] [4]
3 1 0
0 1 0 0
1 1 4 2
2 1 4 2
3 1 0 0
3
END
exits "maximum lags that capacity cannot meet" 0 "$TSPSIM" solve lags.sch --method exact --json
is "are proved infeasible" "$(json out '$.status') $(json out '$.proved')" "infeasible 1"
is "with the tasks, the lags and the resource" "$(json out '$.explanation')" \
	"lags leave no room for these tasks on resource 0 (capacity 3); task 1, takes 4 cycles with 2 of resource 0; task 2 starts -2 to 2 cycles after task 1, takes 4 cycles with 2 of resource 0"
done_testing
