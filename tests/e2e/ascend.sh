#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style machines from the command line: assembled programs with times derived by hand, scheduled workloads, the
# trace, its questions and pictures, and what is refused.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# A vector instruction, a flag, a copy.  One push a cycle, from 0; a queue's head may start a cycle later.  vabs starts in 1
# and reads a repeat a cycle: its pipe is free in 21; done in 1 + 23 + 20 = 44.  set_flag starts in 21 and takes effect 8
# after 44, in 52.  wait_flag, pushed in 2, waits from 3 to 52 and takes a cycle; the copy starts in 53.
cat >wait.tsp <<'END'
.machine ascend-910b
.workload "made by hand"
.stream vector sub=0 block=all
.node "work"
@1..44 vabs type=fp16 dst=0 src=0x4000 repeat=20
set_flag from=V to=MTE3 id=0
.node "store"
wait_flag from=V to=MTE3 id=0
@44 ub_to_gm dst=0 src=0 burst_bytes=512
end
END
exits "a program runs on the machine it names" 0 "$TSPSIM" run wait.tsp --set scalar.dual_issue=0 --trace w.db --json
cp out wait.json
is "its kind" "$(json wait.json '$.kind') $(json wait.json '$.machine')" "ascend ascend-910b"
is "executions" "$(sql w.db "SELECT pipe, op, queued, start, free, done FROM executions WHERE number < 4 AND op <> 'ub_to_gm'")" \
	"0.v0.V|vabs|0|1|21|44
0.v0.V|set_flag|1|21|22|22
0.v0.MTE3|wait_flag|2|52|53|53"
is "the wait and its setter" "$(sql w.db 'SELECT pipe, cause, start, stop, setter_pipe, setter_op, setter_number, setter_node, issued, effect FROM waits')" \
	"0.v0.MTE3|flag|3|52|0.v0.V|set_flag|1|work|21|52"
is "stalls" "$(json wait.json '$.stalls[0].pipe') $(json wait.json '$.stalls[0].cause') $(json wait.json '$.stalls[0].cycles')" "MTE3 flag 49"
is "the span of the vector pipe" "$(sql w.db "SELECT node, start, stop, executions, work FROM spans WHERE pipe = '0.v0.V'")" "work|1|44|1|2560"
is "spans make up what is counted as busy" \
	"$(sql w.db "SELECT count(*) FROM pipes p WHERE pipe <> 'S' AND busy <> coalesce((SELECT sum(stop - start) FROM span s WHERE s.pipe = p.id), 0)")" 0
# 20 repeats of 256 bytes while they are written; 512 of them until the copy has read them.
end=$(sql w.db "SELECT done FROM executions WHERE op = 'ub_to_gm'")
is "bytes alive in the buffer" "$(sql w.db 'SELECT cycle, bytes FROM buffer_level')" "1|5120
44|512
$end|0"
is "its peak" "$(sql w.db "SELECT name, peak, peak_cycle FROM buffers WHERE peak > 0")" "0.v0.ub|5120|1"
is "predicted and simulated of the vector pipe" \
	"$(sql w.db "SELECT predicted_start, predicted_stop, predicted_busy, compared_busy, differ FROM pipes WHERE name = '0.v0.V'")" "1|44|43|43|0"
is "one of two predictions is missed" "$(json wait.json '$.compared_events') $(json wait.json '$.mismatched_events')" "2 1"
is "no violations" "$(json wait.json '$.violations')" 0
exits "the text says the first miss" 0 "$TSPSIM" run wait.tsp --set scalar.dual_issue=0
like "with both cycles" out 'starts at 53, predicted 44: stream 0 insn 3: ub_to_gm .*\(store\)'
like "and what it waited for" out 'MTE3 +flag +49 cycles'

# By timestamp the copy starts in 44, when the vector instruction is done: 9 cycles earlier, and safe.
exits "by timestamp" 0 "$TSPSIM" run wait.tsp --set scalar.dual_issue=0 --by-timestamp --trace t.db --json
is "synchronisation costs 9 cycles" "$(json out '$.by_timestamp.synchronisation_cycles')" 9
is "and would not be missed" "$(json out '$.by_timestamp.verdict')" safe
is "the trace says how instructions were issued" "$(sql t.db "SELECT value FROM run WHERE key = 'issue'")" "by timestamp"
is "the copy starts as predicted" "$(sql t.db "SELECT start FROM executions WHERE op = 'ub_to_gm'")" 44
sed 's/^@44 /@20 /' wait.tsp >early.tsp
exits "a copy predicted too early is unsafe by timestamp" 2 "$TSPSIM" run early.tsp --by-timestamp --json
is "its race meets in time" "$(json out '$.by_timestamp.verdict') $(json out '$.by_timestamp.races_met')" "unsafe 1"
exits "by flags the same is right" 0 "$TSPSIM" run early.tsp
grep -v _flag wait.tsp | sed 's/^@44 /@60 /' >bare.tsp
exits "without flags there is a race" 2 "$TSPSIM" run bare.tsp --json
is "that meets" "$(json out '$.violations_by_kind.race') $(json out '$.races_met')" "1 1"
is "at the first byte of both" "$(json out '$.first_violations[0].space') $(json out '$.first_violations[0].address')" "ub 0"
exits "far enough apart it is right by luck" 2 "$TSPSIM" run bare.tsp --by-timestamp --json
is "which the verdict says" "$(json out '$.by_timestamp.verdict') $(json out '$.by_timestamp.races') $(json out '$.by_timestamp.races_met')" "by luck 1 0"
exits "and the text, too" 2 "$TSPSIM" run bare.tsp --by-timestamp
like "right by luck" out 'right by luck: 1 pair'
sed 's/^@[0-9.]* //' wait.tsp >untimed.tsp
exits "without predicted cycles there is no run by timestamp" 1 "$TSPSIM" run untimed.tsp --by-timestamp
like "and how to get them is said" err 'no instruction has one; the scheduler writes them'
exits "nor when they are dropped" 1 "$TSPSIM" run wait.tsp --by-timestamp --no-predictions
exits "without predictions" 0 "$TSPSIM" run wait.tsp --no-predictions --json
is "nothing is compared" "$(json out '$.compared_events')" 0

# A wait that nobody ends, and a flag that nobody takes.
grep -v set_flag wait.tsp >stuck.tsp
exits "a deadlock is a result" 2 "$TSPSIM" run stuck.tsp --trace stuck.db --json
is "with its diagnosis" "$(json out '$.deadlock[1]')" \
	"core 0 sub 1 pipe MTE3 at insn 1 (wait_flag) waits for flag V->MTE3 0; nothing that is still to be executed sets it"
is "which the trace has, too" "$(sql stuck.db 'SELECT count(*) FROM deadlock')" 2
exits "stat shows it" 0 "$TSPSIM" stat stuck.db deadlocks
like "in words" out 'waits for flag V->MTE3 0'
sed 's/^\.node "work"/.predicted_cycles 100\n&/' stuck.tsp >late.tsp
exits "a deadlock of a program with a predicted length" 2 "$TSPSIM" run late.tsp
like "is not compared with it" out '^predicted +100 cycles$'
grep -v wait_flag wait.tsp >left.tsp
exits "a flag left set is a violation" 2 "$TSPSIM" run left.tsp --json
is "of its kind" "$(json out '$.violations_by_kind."flag-left-set"')" 1
exits "fault-stop stops at the first" 2 "$TSPSIM" run bare.tsp --policy fault-stop --trace stop.db -q
is "and marks the trace" "$(sql stop.db "SELECT value FROM run WHERE key = 'status'")" incomplete

# A jump to itself takes scalar.branch_cycles, 5, each time; the interrupt says how far it came, up to the 4,096 instructions
# that the scalar unit may run ahead of the clock.
printf '.stream vector sub=0\nhere: jump label=here\nend\n' >loop.tsp
# A busy host may take long to begin.
for seconds in 1 5 20 60; do
	exits "an endless loop can be interrupted" 130 env --default-signal=INT timeout --preserve-status -s INT $seconds \
		"$TSPSIM" run loop.tsp --json
	ahead=$(sqlite3 :memory: "SELECT abs(json_extract(j, '\$.cycles') - 5 * json_extract(j, '\$.instructions')) <= 5 * 4096
		FROM (SELECT CAST(readfile('out') AS TEXT) j) WHERE json_extract(j, '\$.cycles') > 0")
	[ -z "$ahead" ] || break
done
is "its cycles are those of its instructions" "$ahead" 1

# Kernels and orders.
for kernel in $("$TSPSIM" list kernels | awk '{print $1}'); do
	for shuffle in 0 7; do
		"$TSPSIM" run wait.tsp --set scalar.dual_issue=0 --kernel "$kernel" --shuffle $shuffle --trace k.db -q
		exits "kernel $kernel, shuffle $shuffle: the same trace" 0 "$TSPSIM" diff w.db k.db
	done
done

# Levels and windows.
for level in summary units; do
	exits "level $level" 0 "$TSPSIM" run wait.tsp --trace $level.db --trace-level $level -q
	exits "level $level: stat" 0 "$TSPSIM" stat $level.db --json
	is "level $level: executions" "$(sql $level.db 'SELECT count(*) FROM execution')" 0
done
exits "a window" 0 "$TSPSIM" run wait.tsp --set scalar.dual_issue=0 --trace win.db --trace-window 20:52 -q
is "keeps what begins in it" "$(sql win.db 'SELECT op FROM executions')" set_flag
exits "an empty window is an error" 1 "$TSPSIM" run wait.tsp --trace win.db --trace-window 100000:100001 -q

# Programs as files.
exits "asm" 0 "$TSPSIM" asm wait.tsp -o wait.tspo
exits "dis" 0 "$TSPSIM" dis wait.tspo -o back.tsp
exits "asm again" 0 "$TSPSIM" asm back.tsp -o again.tspo
is "the same bytes" "$(cksum <wait.tspo)" "$(cksum <again.tspo)"
exits "a container runs on the machine it names" 0 "$TSPSIM" run wait.tspo --set scalar.dual_issue=0 --trace c.db -q
exits "with the same trace" 0 "$TSPSIM" diff w.db c.db
sed '/^\.machine/d' wait.tsp >nameless.tsp
exits "text without a machine is known by its streams" 0 "$TSPSIM" run nameless.tsp --json
is "and runs on the default one of its kind" "$(json out '$.machine')" ascend-910b
exits "a bin of the same chip runs it" 0 "$TSPSIM" run nameless.tsp -m ascend-910b2 --json
is "as asked" "$(json out '$.machine')" ascend-910b2
size=$(wc -c <wait.tspo)
for keep in 4 40 $((size - 1)); do
	head -c "$keep" wait.tspo >cut.tspo
	exits "a container cut to $keep bytes is refused" 1 "$TSPSIM" run cut.tspo
done

# The examples of the manual.
awk '/^```/ {inside = /^```asm/; n += inside; next} inside {print >("example" n ".tsp")}' "$TSPSIM_SRCDIR/docs/ascend-assembly.md"
for example in example*.tsp; do
	exits "$example of docs/ascend-assembly.md runs clean" 0 "$TSPSIM" run "$example"
done

# Its table of places in the unified buffer: the second example with the operands of each row.
sed -n -E 's/^\| `(0x[0-9a-f]+)` \| `(0x[0-9a-f]+)` \| ([0-9]+) \|.*/\1 \2 \3/p' "$TSPSIM_SRCDIR/docs/ascend-assembly.md" >places
is "there are places" "$(wc -l <places | tr -d ' ')" 6
while read -r src1 dst cycles; do
	sed "s/src1=0x10100/src1=$src1/; s/dst=0x20000/dst=$dst/" example2.tsp >place.tsp
	exits "src1=$src1 dst=$dst: runs clean" 0 "$TSPSIM" run place.tsp --trace place.db
	is "src1=$src1 dst=$dst: cycles" "$(sql place.db "SELECT done - start FROM executions WHERE op = 'vadd'")" "$cycles"
done <places

# The wrong kind of machine.
exits "a program for another kind of machine" 1 "$TSPSIM" run -m tsp wait.tsp
like "says which would do" err 'wait.tsp is a program for machines of kind ascend, and -m tsp is of kind tsp; leave -m out, or name one of: .*ascend-910b'
exits "the other way round" 0 "$TSPSIM" sched gemm:8x8x8 -o t.tspo -q
exits "the program of a TSP" 1 "$TSPSIM" run -m ascend-910b t.tspo
like "is known by its content" err 't.tspo is a program for machines of kind tsp'
exits "dis, too" 1 "$TSPSIM" dis -m ascend-910b t.tspo
exits "freeze" 1 "$TSPSIM" run wait.tsp --policy freeze
like "says what there is" err 'expected fault-continue or fault-stop'
exits "by timestamp on a TSP" 1 "$TSPSIM" run -w gemm:8x8x8 --by-timestamp
like "says which machines" err 'a machine like ascend-910b'
exits "a query of another kind" 1 "$TSPSIM" stat w.db hot_banks
like "says which there are" err 'expected, of ascend machines, one of: prediction'
exits "a query that there is not" 1 "$TSPSIM" stat w.db xyzzy
like "those of this kind are named, once" err "^tspsim: unknown query 'xyzzy'; expected one of: $("$TSPSIM" list queries |
	awk '/\(ascend, / {all = all sep $1; sep = ", "} END {print all}')\$"
exits "a plot of another kind" 1 "$TSPSIM" plot banks w.db -o x.png
like "says which there are" err 'one of: occupancy, buffers'
exits "bank eval of such a trace" 1 "$TSPSIM" bank eval --from w.db
like "says why not" err 'ascend-910b, which has no bank map'
exits "a machine that there is not" 1 "$TSPSIM" run -m ascend-910x wait.tsp
like "nearest name" err "did you mean 'ascend-910[ab]'"
sed 's/ascend-910b/ascend-910x/' wait.tsp >unknown.tsp
exits "a program for one that there is not" 1 "$TSPSIM" run unknown.tsp
like "names those there are, and the nearest" err "unknown.tsp is for machine 'ascend-910x'.*ascend-310p.*did you mean 'ascend-910[ab]'"
exits "a key that there is not" 1 "$TSPSIM" run wait.tsp --set ub.bank=1
like "nearest key" err "did you mean 'ub.banks'"

# Settings: of both sides, and of one.
exits "a key of the simulated machine" 0 "$TSPSIM" run wait.tsp --set scalar.dual_issue=0 --set hw.flag.latency_cycles=10 --trace s.db
like "is reported as a split" out '^split +flag.latency_cycles: scheduled for 8, simulated with 10$'
is "and moves the flag" "$(sql s.db 'SELECT effect FROM waits')" 54

# Every question of this kind.
"$TSPSIM" list queries | awk '/\(ascend, / {print $1}' >queries
is "there are questions" "$(wc -l <queries | tr -d ' ')" 16
while read -r query; do
	exits "query $query" 0 "$TSPSIM" stat w.db "$query"
	like "query $query: its question stands in the list" out "^$("$TSPSIM" list queries | sed -n "/(ascend, /s/^$query  *//p" | sed 's/[?].*/./')"
done <queries

if command -v gnuplot >/dev/null; then
	for kind in occupancy buffers; do
		for format in png svg pdf; do
			exits "plot $kind as $format" 0 "$TSPSIM" plot $kind w.db -o "o.$format"
			is "plot $kind as $format: a picture" "$([ "$(wc -c <"o.$format")" -gt 1000 ] && echo yes)" yes
		done
	done
else
	skip "plots" "no gnuplot here"
fi

# Scheduled workloads.
"$TSPSIM" sched gemm:64x64x64 -m ascend-910b >out
like "what binds, with commas in numbers" out "^binds .* of [0-9],[0-9]* cycles"
exits "sched" 0 "$TSPSIM" sched gemm:64x64x64:fp16 -m ascend-910b --functional -o g.tspo --json
cp out sched.json
exits "the program runs" 0 "$TSPSIM" run g.tspo --json
cp out program.json
exits "as the workload does" 0 "$TSPSIM" run -m ascend-910b -w gemm:64x64x64:fp16 --functional --trace g.db --json
is "in the same cycles" "$(json out '$.cycles')" "$(json program.json '$.cycles')"
is "with results equal to the reference" "$(json out '$.checked')" 1
is "without violations" "$(json out '$.violations')" 0
is "the program has a hash" "$(json sched.json '$.program_hash')" "$(sql g.db "SELECT value FROM run WHERE key = 'program_sha256'")"
is "every product is done" "$(json out '$.useful_macs')" $((64 * 64 * 64))
exits "on the coupled machine, too" 0 "$TSPSIM" run -m ascend -w gemm:32x32x32:fp16 --functional --json
is "with equal results" "$(json out '$.checked') $(json out '$.machine')" "1 ascend-910a"
exits "specials need values" 1 "$TSPSIM" run -m ascend-910b -w gemm:8x8x8 --specials

# A sweep over machines and keys of this kind: the copy starts a cycle behind the wait, which ends when the flag is seen.
cat >sweep.yaml <<'END'
base:
  argument: wait.tsp
  scalar.dual_issue: 0
axes:
  flag.latency_cycles: [8, 10]
outputs: [cycles, violations]
END
exits "a sweep of an assembled program" 0 "$TSPSIM" sweep sweep.yaml -o sweep.db -q
is "two more cycles for the flag are two more of the run" \
	"$(sql sweep.db 'SELECT max(cycles) - min(cycles) FROM points')" 2
sed 's/argument: wait.tsp/machine: ascend-910b\n  workload: gemm:32x32x32:fp16/' sweep.yaml >machine.yaml
exits "a sweep of a workload" 0 "$TSPSIM" sweep machine.yaml -o machine.db -q
is "runs every point" "$(sql machine.db 'SELECT count(*) FROM points WHERE cycles > 0')" 2
sed 's/flag.latency_cycles/sram.banks/' machine.yaml >wrong.yaml
exits "a key of another kind of machine is refused" 1 "$TSPSIM" sweep wrong.yaml -o wrong.db -q
like "by name" err "'sram.banks' is of machines of kind tsp"

# A long run that is interrupted leaves a trace that says so.
cat >long.tsp <<'END'
.machine ascend-910b
.stream vector sub=0 block=all
	movi rd=r1 imm=0
	movi rd=r2 imm=100000000
again:
	vabs dst=0 src=0x4000 repeat=1
	pipe_barrier pipe=V
	add rd=r1 rn=r1 rm=1
	bne rn=r1 rm=r2 label=again
	end
END
for kernel in $("$TSPSIM" list kernels | awk '{print $1}'); do
	rm -f cut.db
	env --default-signal=INT "$TSPSIM" run long.tsp --kernel "$kernel" --trace cut.db --json >run.json 2>err &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$(sql cut.db 'SELECT count(*) FROM (SELECT 1 FROM execution LIMIT 1)' 2>/dev/null)" != 1 ]; do
		sleep 0.1
	done
	kill -INT $pid
	wait $pid
	is "$kernel: SIGINT ends with status 130" $? 130
	is "$kernel: the report says so" "$(json run.json '$.interrupted')" 1
	is "$kernel: the manifest says so" "$(sql cut.db "SELECT value FROM run WHERE key = 'status'")" interrupted
	is "$kernel: the database is sound" "$(sql cut.db 'PRAGMA integrity_check')" ok
	exits "$kernel: stat reads it" 0 "$TSPSIM" stat cut.db kinds
done

# Tiles as large as buffers allow leave this one two sub-cores of 48.  Halved twice, 12,361 cycles become 7,136.
"$TSPSIM" run -m ascend-910b -w fft:1024 --functional >out
is "small programs try smaller tiles" "$(sed -n 's/^ *tiles of vector/tiles/p' out)" "tiles kernels are halved twice"
is "and take the shorter program" "$(sed -n 's/^cycles *\([0-9,]*\) .*/\1/p' out)" 7,136
is "which is right" "$(grep -c -e '2,048 result values equal' -e '^violations   none' out)" 2
done_testing
