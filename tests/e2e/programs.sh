#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Programs as files: schedule, disassemble, assemble, run.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

for machine in tsp tsp-isca20; do
	workload=gemm:40x330x340
	exits "$machine: sched writes a program" 0 "$TSPSIM" sched $workload -m $machine -o p.tspo --json
	cp out sched.json
	is "$machine: the checker has no objection" "$(json sched.json '$.checker_clean')" 1
	exits "$machine: the program runs" 0 "$TSPSIM" run p.tspo --json
	cp out program.json
	"$TSPSIM" -m $machine -w $workload --json >workload.json
	is "$machine: in the cycles of the workload" "$(json program.json '$.cycles')" "$(json workload.json '$.cycles')"
	is "$machine: which are those scheduled" "$(json program.json '$.cycles')" "$(json sched.json '$.predicted_cycles')"
	is "$machine: on the machine it names" "$(json program.json '$.machine')" $machine
	is "$machine: with as many comparisons" "$(json program.json '$.compared_events')" "$(json workload.json '$.compared_events')"
	is "$machine: nothing to check results against" "$(json program.json '$.checked')" ""

	exits "$machine: dis" 0 "$TSPSIM" dis p.tspo -o p.tsp
	exits "$machine: asm" 0 "$TSPSIM" asm p.tsp -m $machine -o q.tspo
	"$TSPSIM" dis q.tspo -o q.tsp
	diff p.tsp q.tsp >differences
	empty "$machine: the text comes back" differences
	exits "$machine: assembly text runs directly" 0 "$TSPSIM" run -m $machine p.tsp --json
	is "$machine: in the same cycles" "$(json out '$.cycles')" "$(json program.json '$.cycles')"

	exits "$machine: without predictions" 0 "$TSPSIM" run p.tspo --no-predictions --json
	is "$machine: nothing is compared" "$(json out '$.compared_events') $(json out '$.predicted_cycles')" "0 "
	is "$machine: the models alone find nothing" "$(json out '$.violations')" 0

	# A cut program is refused with the offset.
	size=$(wc -c <p.tspo)
	for keep in 0 1 7 64 $((size / 2)) $((size - 1)); do
		head -c "$keep" p.tspo >cut.tspo
		exits "$machine: a program cut to $keep bytes is refused" 1 "$TSPSIM" run cut.tspo
	done
done

# The other machine lacks the queues.
"$TSPSIM" sched gemm:8x8x8 -m tsp-isca20 -o p.tspo -q >/dev/null
exits "a program for another machine is refused" 1 "$TSPSIM" run -m tsp p.tspo
exits "sched --quiet writes the program" 0 "$TSPSIM" sched gemm:8x8x8 -q -o quiet.tspo
empty "and nothing else" out
is "the program is there" "$([ -s quiet.tspo ] && echo yes)" yes

# A program that is right in every event but says that it takes longer than it does.
"$TSPSIM" sched gemm:8x8x8 -q -o p.tspo
"$TSPSIM" dis p.tspo | sed 's/^\.predicted_cycles .*/.predicted_cycles 9999/' >long.tsp
exits "a run of another length than predicted ends with status 2" 2 "$TSPSIM" run long.tsp
like "and the report says so" out 'length of the run: predicted 9999 cycles, simulated [0-9]+$'

# The examples of the manual run without violations, and in the cycles they state.
awk '/^```/ {inside = /^```asm/; n += inside; next} inside {print >("example" n ".tsp")}' "$TSPSIM_SRCDIR/docs/assembly.md"
is "there are two examples" "$(ls example*.tsp | wc -l | tr -d ' ')" 2
for example in example*.tsp; do
	exits "$example of docs/assembly.md runs clean" 0 "$TSPSIM" run "$example"
done
done_testing
