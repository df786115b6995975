#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style machines from the command line: the launch, which machine a program runs on, what reports leave out and
# explain, what explain knows, and words that are something else than what was asked for.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# As in ascend.sh: vabs 1 to 44, the flag is up at 52, the copy starts in 53.
cat >wait.tsp <<'END'
.machine ascend-910b
.stream vector sub=0 block=all
@1..44 vabs type=fp16 dst=0 src=0x4000 repeat=20
@20 set_flag from=V to=MTE3 id=0
@2 wait_flag from=V to=MTE3 id=0
@44 ub_to_gm dst=0 src=0 burst_bytes=512
end
.predicted_cycles 500
END
sed '/predicted_cycles/d; s/^.stream/.predicted_cycles 500\n&/' wait.tsp >w.tsp

# 8 us of 1850 MHz are 14,800 cycles.
exits "without the launch" 0 "$TSPSIM" run w.tsp --set scalar.dual_issue=0 --json
plain=$(json out '$.cycles')
is "it takes no cycles" "$(json out '$.launch_cycles')" 0
exits "with the launch" 0 "$TSPSIM" run w.tsp --set scalar.dual_issue=0 --launch --trace l.db --json
is "cycles are so many more" "$(json out '$.cycles') $(json out '$.launch_cycles')" "$((plain + 14800)) 14800"
is "so is the prediction" "$(json out '$.predicted_cycles')" 15300
is "blocks begin later" "$(sql l.db "SELECT start FROM executions WHERE op IN ('vabs', 'ub_to_gm')")" "14801
14853"
is "and their predictions are" "$(sql l.db "SELECT count(*) FROM executions e JOIN insns i ON i.id = e.insn WHERE e.op = 'vabs' AND e.start = i.start")" 1
is "the trace says so" "$(sql l.db "SELECT value FROM run WHERE key = 'launch_cycles'")" 14800
exits "the same without" 0 "$TSPSIM" run w.tsp --set scalar.dual_issue=0 --trace p.db -q
counters="SELECT * FROM subcore_counters ORDER BY 1, 2, 3, 4"
is "a sub-core counts its own cycles only" "$(sql l.db "$counters")" "$(sql p.db "$counters")"
exits "in us of the machine's own" 0 "$TSPSIM" run w.tsp --set scalar.dual_issue=0 --set launch_us=2 --launch
like "which the report says" out '^ +the first 3,700 of them are the launch \(launch_us = 2\)$'
like "of the prediction, too" out '^predicted +4,200 cycles with the launch'
like "and without it" out '^ +of the time behind the launch [+-][0-9.]+ %$'
exits "a TSP is not launched" 1 "$TSPSIM" run --launch
like "which the error says" err 'it needs a machine like ascend-910b'

# By timestamp flags hold nothing up: two of the four predictions are theirs.
exits "by timestamp" 0 "$TSPSIM" run w.tsp --set scalar.dual_issue=0 --by-timestamp
like "flags are not compared" out '^ +0 of 2 instructions with predicted times at other cycles; flags and barriers'

# Which machine?
"$TSPSIM" list machines >machines
like "aliases are listed" machines '^ascend-910a .*; -m ascend is this one$'
sed 1d w.tsp >vector.tsp
sed 1d w.tsp | sed 's/vector sub=0/coupled/' >coupled.tsp
exits "streams of vector sub-cores without a machine" 0 "$TSPSIM" run vector.tsp --json
is "run on the first that has such" "$(json out '$.machine')" ascend-910b
exits "streams of coupled cores" 0 "$TSPSIM" run coupled.tsp --json
is "run on the default" "$(json out '$.machine')" ascend-910a
exits "which is that of -m ascend" 0 "$TSPSIM" run coupled.tsp -m ascend --json
is "of the same name" "$(json out '$.machine')" ascend-910a
exits "a program file by its content" 0 "$TSPSIM" asm vector.tsp -o file
exits "whatever its name" 0 "$TSPSIM" run file --json
is "runs" "$(json out '$.machine')" ascend-910b

# Shares, numbers, assumed keys.
exits "copies of many cores" 0 "$TSPSIM" run -m ascend-910b -w softmax:64x256 --trace s.db
cp out report
is "no share is above 100 %" "$(grep -Ec '[0-9]{3}[.][0-9] %\)' report)" 0
like "requests that wait side by side are counted" report 'line +[0-9,]+ cycles \(of requests, [0-9.e-]+ waiting at a time\)$'
is "numbers of the scheduler have commas" "$(sed -n '/^binds/,/^pipes/p' report | grep -Ec ' [0-9]{4,}( |,|;|$)')" 0
is "a handful of assumed keys" "$(sed -n '/^assumed/,/more; with/p' report | grep -o ' = ' | wc -l | tr -d ' ')" 5
like "and how to see the others" report '^ +and [0-9]+ more; with reasons: tspsim list assumed -m ascend-910b$'
sed 's/^name: .*/name: mine/; /^alias:/d' "$TSPSIM_SRCDIR/isa/machines/ascend-910a.yaml" >mine.yaml
exits "a machine of one's own" 0 "$TSPSIM" run -m ./mine.yaml -w softmax:64x256
like "is no name for -m" out 'tspsim list assumed -m MACHINE$'
exits "that command" 0 "$TSPSIM" list assumed -m ascend-910b
like "has values and reasons" out '^l2.slices = 32 .*\(.+\)$'
is "its keys are all of class assumed" "$(sed 's/ = .*//' out | sort | head -1)" \
	"$("$TSPSIM" list assumed -m ascend-910b --json | sed -n 's/.*"name": "\([^ ]*\) = .*/\1/p' | sort | head -1)"
exits "stat" 0 "$TSPSIM" stat s.db stalls --json
is "shares in traces are shares" "$(sqlite3 :memory: "SELECT count(*) FROM json_each(CAST(readfile('out') AS TEXT), '\$.answers.stalls')
	WHERE json_extract(value, '\$.share') > 1")" 0
is "requests have none" "$(sqlite3 :memory: "SELECT count(*) FROM json_each(CAST(readfile('out') AS TEXT), '\$.answers.stalls')
	WHERE json_extract(value, '\$.cause') IN ('line', 'outstanding')
	AND (json_extract(value, '\$.share') IS NOT NULL OR json_extract(value, '\$.at_once') <= 0)")" 0

# Nothing asked for, nothing there.
for format in perfetto msprof; do
	exits "$format: an empty window is an error" 1 "$TSPSIM" export s.db -f $format -o empty --window 90000000:90000001
	like "$format: that says why" err 'nothing begins in cycles 90000000:90000001'
	is "$format: nothing is written" "$(ls -d empty* 2>/dev/null)" ""
done
echo kept >kept.json
exits "what was there" 1 "$TSPSIM" export s.db -f perfetto -o kept.json --window 90000000:90000001
is "is left" "$(cat kept.json)" kept
exits "an empty trace is an error" 1 "$TSPSIM" run w.tsp --trace e.db --trace-window 90000:90001 -q
is "which is not kept" "$(ls e.db 2>/dev/null)" ""
# What an interrupted run of that window leaves.
"$TSPSIM" run w.tsp --trace e.db --trace-window 0:90000 -q
sql e.db "UPDATE run SET value = '90000:90001' WHERE key = 'trace.window'; DELETE FROM wait; DELETE FROM span; DELETE FROM execution"
exits "a question to it is an error" 1 "$TSPSIM" stat e.db waits
like "for nothing began there" err "'waits' has no answer: nothing began in cycles 90000:90001"
exits "but not to what is of the whole run" 0 "$TSPSIM" stat e.db kinds
exits "a picture of it is an error" 1 "$TSPSIM" plot occupancy e.db -o e.tsv
exits "numbers of a picture" 0 "$TSPSIM" plot occupancy s.db -o s.tsv
is "a row a pipe that worked" "$(sed -n '/^# data2/,/^# data3/p' s.tsv | grep -c '^[0-9]')" \
	"$(sql s.db 'SELECT count(DISTINCT pipe) FROM span')"
is "in the order of cores" "$(sed -n '/^# data2/,/^# data3/p' s.tsv | sed -n 's/^[0-9]*	\([0-9]*\)[.].*/\1/p' | sort -cn && echo yes)" yes
like "with a legend of the pipes" s.tsv "^# legend = 'S [0-9]+ V [0-9]+ MTE2"
like "from cycle 0" s.tsv '^# start = 0$'

# Keys of the other kind of machine.
exits "sram.map of an Ascend-style machine" 1 "$TSPSIM" run -m ascend -w gemm:8x8x8 --set sram.map=mod:139
like "is of the other kind" err "'sram.map' is of machines of kind tsp, and ascend-910a is of kind ascend.*nearest is 'ub.banks'"
exits "the other way round" 1 "$TSPSIM" run -w gemm:8x8x8 --set hw.ub.banks=3
like "too" err "'ub.banks' is of machines of kind ascend, and tsp is of kind tsp.*nearest is 'sram.banks'"

# explain.
explains()
{
	exits "explain $1" 0 "$TSPSIM" explain "$1"
	like "explain $1: what it is" out "^$2"
}
for cause in flag cross barrier queue-full bank-group bank resource mte outstanding line; do
	explains $cause "$cause \(stall, machines like ascend\): "
done
for pipe in S V M MTE1 MTE2 MTE3 FIX; do
	explains $pipe "$pipe \(pipe, machines like ascend\): "
done
explains mte2 'MTE2 \(pipe'
explains MXM 'MXM \(unit, machines like tsp\): '
explains ascend 'ascend \(machine.*short for ascend-910a: '

"$TSPSIM" explain bank --json >out
is "in JSON, every thing of that name" "$(json out '$[0].kind'), $(json out '$[1].kind')" "stall, machines like ascend, command"
explains stalls 'stalls \(query, machines like ascend\): What did pipes wait for'
explains race 'race \(violation, machines like ascend\): '
explains bank-conflict 'bank-conflict \(violation, machines like tsp\): '
explains gemm 'gemm \(workload\): '
explains buffers 'buffers \(picture, machines like ascend\): '
counter=$("$TSPSIM" list counters -m ascend | sed -n '1s/ .*//p')
explains "$counter" "$counter \(hardware counter, machines like ascend\): "
exits "a unit of the other kind of machine" 1 "$TSPSIM" explain MXM -m ascend
like "is told" err "'MXM' is of machines of kind tsp, and -m ascend is of kind ascend"
exits "what there is not" 1 "$TSPSIM" explain bank-grup
like "has a nearest name" err "did you mean 'bank-group'"
exits "a machine that there is not" 1 "$TSPSIM" list keys -m ascend-910x
like "is told from a default" err "did you mean 'ascend-910[ab]'"

# What is no workload.
is_what()
{
	exits "run $1" 1 "$TSPSIM" run "$1"
	like "run $1: what it is" err "$2"
}
mkdir folder.csv
cp w.tsp text
: >nothing
cp "$TSPSIM_SRCDIR/isa/machines/tsp.yaml" m.yaml
is_what "$scratch" 'is a directory; expected a workload'
is_what folder.csv 'is a directory'
is_what s.db 'is a trace, which `tspsim stat s.db` shows'
is_what nothing 'is an empty file'
is_what text 'looks like assembly text, whose name must end in .tsp'
is_what m.yaml 'a machine goes behind -m'
is_what machines 'is a file, and its name says of no workload'
exits "sched of a program" 1 "$TSPSIM" sched file -m ascend
like "is done already" err 'is a program already, which `tspsim run file` simulates'

# An interrupt while it schedules, which takes a minute.
env --default-signal=INT timeout --preserve-status -s INT 0.5 "$TSPSIM" sched gemm:16384x16384x16384:fp16 -m ascend-910b \
	-o big.tspo >out 2>err
is "an interrupted scheduler ends with status 130" $? 130
like "and says so" err '^tspsim: interrupted$'
is "and leaves nothing" "$(ls -d big* 2>/dev/null)" ""
done_testing
