#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The same run gives the same trace: again, on the other kernel, and with the order inside phases shuffled.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

"$TSPSIM" list kernels >kernels
has_systemc=$(grep -c '^systemc' kernels)

# same NAME A B
same()
{
	exits "$1" 0 "$TSPSIM" diff "$2" "$3"
}

for machine in tsp tsp-isca20; do
	for workload in gemm:40x330x340 softmax:33x40 conv:1x20x9x9,30x3x3,pad=1; do
		set -- -m "$machine" -w "$workload" --functional
		"$TSPSIM" "$@" --kernel ref --trace ref.db -q || not_ok "$machine $workload runs"
		"$TSPSIM" "$@" --kernel ref --trace again.db -q
		same "$machine $workload: again" ref.db again.db
		"$TSPSIM" "$@" --kernel ref --shuffle 7 --trace shuffled.db -q
		same "$machine $workload: shuffled" ref.db shuffled.db
		if [ "$has_systemc" -eq 1 ]; then
			"$TSPSIM" "$@" --kernel systemc --trace systemc.db -q
			same "$machine $workload: SystemC" ref.db systemc.db
			"$TSPSIM" "$@" --kernel systemc --shuffle 12345 --trace systemc.db -q
			same "$machine $workload: SystemC, shuffled" ref.db systemc.db
		fi
		"$TSPSIM" "$@" --kernel ref --no-functional --functional -q 2>/dev/null && not_ok "contradicting options are refused"
	done
done

# Timing mode gives the same cycles and verdicts: everything in the trace, in fact, since values are not in it.
"$TSPSIM" -w gemm:40x330x340 --functional --trace values.db -q
"$TSPSIM" -w gemm:40x330x340 --trace timing.db -q
same "timing mode gives the trace of functional mode" values.db timing.db

# Under freeze and with violations, too.
for policy in freeze fault-continue; do
	set -- -w gemm:64x640x640 --set hw.sram.map=mod:97 --policy "$policy"
	"$TSPSIM" "$@" --kernel ref --trace a.db -q
	"$TSPSIM" "$@" --kernel ref --shuffle 3 --trace b.db -q
	same "$policy with conflicts: shuffled" a.db b.db
	if [ "$has_systemc" -eq 1 ]; then
		"$TSPSIM" "$@" --kernel systemc --trace b.db -q
		same "$policy with conflicts: SystemC" a.db b.db
	fi
done

"$TSPSIM" -w gemm:8x8x8 --trace one.db -q
"$TSPSIM" -w gemm:8x8x9 --trace two.db -q
exits "different runs differ" 2 "$TSPSIM" diff one.db two.db
like "and the difference is shown" out 'issue|insn|counter'
tables=$(sql one.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'run' AND name NOT LIKE 'sqlite%'")
rows=$(for table in $tables; do sql one.db "SELECT count(*) FROM $table"; done | awk '{n += $1} END {print n}')
exits "equal runs do not" 0 "$TSPSIM" diff one.db one.db
is "and it is said how much was compared" "$(cat out)" "identical: $rows rows of $(echo "$tables" | wc -l | tr -d ' ') tables"
exits "--quiet leaves the answer to the exit status" 0 "$TSPSIM" diff -q one.db one.db
empty "and prints nothing" out
done_testing
