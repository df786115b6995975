#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Sweeps on this host: the same results however often they are killed, whoever runs which point; failed points; refusals.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# 2 x 10 x 5 x 2 = 200 points of a few milliseconds.
cat >sweep.yaml <<END
axes:
  sram.map: [mod:139, 'skew:144,5']
  sram.latency_cycles: {from: 1, to: 10}
  workload: ['gemm:8x8x8', 'vmap:relu,640', 'transpose:16x16', 'softmax:2x8', 'vmap:relu,1']
  seed: [1, 2]
outputs: [cycles, predicted_cycles, utilisation.sram, layers.0.cycles, 'violations_by_kind.late-operand?']
END

# count FILE: points that have ended.
count()
{
	sqlite3 "$1" 'SELECT count(*) FROM outcome' 2>/dev/null || echo 0
}

# now_ms
now_ms()
{
	date +%s%3N
}

# in_background ARGUMENT...: a sweep in a process group of its own, whose number is then in ./group.
in_background()
{
	rm -f group
	setsid sh -c 'echo $$ >group-new; mv group-new group; exec "$@"' sh "$TSPSIM" sweep "$@" >out 2>err &
	while [ ! -f group ]; do
		sleep 0.01
	done
}

start=$(now_ms)
exits "an undisturbed sweep" 0 "$TSPSIM" sweep sweep.yaml -o whole.db -j2
length=$(($(now_ms) - start))
is "200 points, 1000 results" "$(sql whole.db 'SELECT (SELECT count(*) FROM outcome), (SELECT count(*) FROM result)')" "200|1000"

# Ten moments, each up to a tenth of the undisturbed sweep's length after the one before: about half of it in all.
awk -v length_ms="$length" 'BEGIN {srand(7); for (i = 0; i < 10; i++) printf "%.3f\n", rand() * length_ms / 10 / 1000}' >moments
struck=0
while read -r moment; do
	in_background sweep.yaml -o killed.db -j2
	sleep "$moment"
	kill -KILL "-$(cat group)"
	wait
	[ "$(count killed.db)" -eq 200 ] || struck=$((struck + 1))
	echo "# killed after $moment s: $(count killed.db) points"
done <moments
is "ten kills struck a sweep at work" $struck 10
exits "the same call ends it" 0 "$TSPSIM" sweep sweep.yaml -o killed.db -j2
is "the database is sound" "$(sql killed.db 'PRAGMA integrity_check')" ok
exits "its results are those of the undisturbed sweep" 0 "$TSPSIM" diff whole.db killed.db
like "and that is said" out "^identical: [0-9]+ rows of [0-9]+ tables$"
is "nothing is left beside it" "$(ls killed.db*)" killed.db

# Without its parent no point goes on.
cat >long.yaml <<END
axes: {workload: ['gemm:15000x1600x1600', 'gemm:15000x1600x1601']}
outputs: [cycles]
END
in_background long.yaml -o long.db -j2
parent=$(cat group)
while children=$(cat "/proc/$parent/task/$parent/children"); [ -z "$children" ]; do
	sleep 0.05
done
exits "a second sweep is kept out" 1 "$TSPSIM" sweep long.yaml -o long.db
is "and says why" "$(cat err)" "tspsim: long.db: another tspsim sweep is at work on it"
kill -KILL "$parent"
wait
sleep 0.5
for child in $children; do
	grep -s '^State:' "/proc/$child/status" | grep -v Z
done >alive
empty "points end with their sweep" alive

env --default-signal=INT "$TSPSIM" sweep sweep.yaml -o int.db -j2 >out 2>err &
pid=$!
while [ "$(count int.db)" -lt 20 ]; do
	sleep 0.02
done
kill -INT $pid
wait $pid
is "Ctrl-C ends with status 130" $? 130
like "and says how to go on" out '^points       [0-9]+ of 200 have ended, .*; interrupted, the same command goes on$'
exits "the same call goes on" 0 "$TSPSIM" sweep sweep.yaml -o int.db --json
is "and runs what is left" "$(json out '$.ended_before') $(json out '$.ended')" "$(json out '$.ended_before') 200"
exits "Ctrl-C: the results are those of the undisturbed sweep" 0 "$TSPSIM" diff whole.db int.db

# What has no effect at a point is left out of its command.
cat >methods.yaml <<END
command: sched
base: {schedules: 150, argument: 'vmap:relu,64', report: false}
axes: {method: [anneal, list], uniform: [true, false]}
outputs: [predicted_cycles]
END
exits "a budget that not every method has" 0 "$TSPSIM" sweep methods.yaml -o methods.db -j1 -q
is "every point has ended well" "$(sql methods.db "SELECT count(*) FROM outcome")" 4
is "with commands of what has an effect" "$(sql methods.db 'SELECT command FROM point ORDER BY id')" \
	"tspsim sched --schedules=150 --method=anneal --uniform --json vmap:relu,64
tspsim sched --schedules=150 --method=anneal --json vmap:relu,64
tspsim sched --method=list --json vmap:relu,64
tspsim sched --method=list --json vmap:relu,64"
is "and all settings" "$(sql methods.db 'SELECT group_concat(method || uniform) FROM points')" "annealtrue,annealfalse,listtrue,listfalse"

# Parts.
exits "some points" 0 "$TSPSIM" sweep sweep.yaml -o a.db --points 0:77,199 -q
exits "other points" 0 "$TSPSIM" sweep sweep.yaml -o b.db --points 70:150
exits "both, and the rest" 0 "$TSPSIM" sweep sweep.yaml -o all.db --collect a.db --collect b.db --json
is "parts are taken over" "$(json out '$.ended_before')" 151
exits "parts: the results are those of the whole" 0 "$TSPSIM" diff whole.db all.db
exits "a part is not the whole" 2 "$TSPSIM" diff whole.db a.db

# Numbers are numbers; the view has a column for each axis and output.
is "view points" "$(sql whole.db "SELECT point, \"sram.map\", cycles = predicted_cycles FROM points
	WHERE \"sram.latency_cycles\" > 9 AND workload = 'gemm:8x8x8' AND seed = 2")" "91|mod:139|1
191|skew:144,5|1"
is "a point's command answers the same again" \
	"$(sh -c "$(sql whole.db 'SELECT command FROM point WHERE id = 123' | sed "s,^tspsim,$TSPSIM,")" >again; json again '$.cycles')" \
	"$(sql whole.db 'SELECT cycles FROM points WHERE point = 123')"
is "the machine is kept" "$(sql whole.db "SELECT text LIKE '%sram.latency_cycles = %' FROM machine WHERE name = 'tsp'")" 1
is "the sweep's text is kept" "$(sql whole.db "SELECT value FROM run WHERE key = 'sweep'")" "$(cat sweep.yaml)"

# Points that fail, and points that find something.
cat >mixed.yaml <<END
command: run
axes:
  workload: ['gemm:40x330x340', 'gemm:1x1']
  hw.sram.latency_cycles: [30, 5]
outputs: [violations, cycles]
END
"$TSPSIM" run --workload=gemm:1x1 2>err
message=$(sed 's/^tspsim: //' err)
exits "a failed point is no end" 2 "$TSPSIM" sweep mixed.yaml
is "it is recorded with its message" "$(sql mixed.db 'SELECT point, status, message FROM failures')" "2|1|$message
3|1|$message"
is "violations are results" "$(sql mixed.db 'SELECT exit_status, violations > 0 FROM points WHERE point < 2')" "2|1
2|1"
like "the report names the first failure" out "^failed       2, first point 2: "
exits "failed points are not run again" 2 "$TSPSIM" sweep mixed.yaml --json
is "unless asked for" "$(json out '$.ended_before')" 4
exits "--retry runs them" 2 "$TSPSIM" sweep mixed.yaml --json --retry
is "and no others" "$(json out '$.ended_before') $(json out '$.failed')" "2 2"

# refused NAME TEXT ARGUMENT...
refused()
{
	refused_name=$1
	refused_text=$2
	shift 2
	"$TSPSIM" sweep "$@" >out 2>err
	is "$refused_name" "$? $(cat err)" "1 tspsim: $refused_text"
}

sed 's/cycles, pred/cycels, pred/' sweep.yaml >typo.yaml
refused "an output that no answer has ends the sweep after its first point" \
	"typo.yaml:6:11: the answer has no 'cycels'; did you mean 'cycles'?" typo.yaml
is "and leaves no database behind" "$(ls typo.db 2>/dev/null)" ""
sed 's/to: 10/to: 9/' sweep.yaml >other.yaml
refused "another sweep is not mixed in" "whole.db: holds another sweep: its points or outputs are not these" other.yaml -o whole.db
cp "$TSPSIM_SRCDIR/isa/machines/tsp.yaml" mine.yaml
printf 'axes: {machine: [./mine.yaml, tsp]}\nbase: {workload: "vmap:relu,640"}\noutputs: [cycles]\n' >machine.yaml
exits "a machine of one's own" 0 "$TSPSIM" sweep machine.yaml
sed 's/^title: .*/title: another/; s/latency_cycles: {value: [0-9]*/latency_cycles: {value: 17/' mine.yaml >changed.yaml
mv changed.yaml mine.yaml
refused "a machine that has changed is not mixed in" \
	"machine.db: a machine or a file that the points read has changed since this sweep began" machine.yaml
"$TSPSIM" -w vmap:relu,640 --trace trace.db -q
refused "a trace is left as it is" "trace.db: not the database of a sweep; it is left as it is" sweep.yaml -o trace.db
refused "a text is left as it is" "sweep.yaml: not the database of a sweep; it is left as it is" sweep.yaml -o sweep.yaml
refused "points that are not there" "--points 7:201: expected numbers and ranges START:STOP in 0:200" sweep.yaml --points 7:201
refused "an engine that is not there" "unknown engine 'slrum'; did you mean 'slurm'?" sweep.yaml --engine slrum
refused "no file" "none.yaml: No such file or directory" none.yaml
exits "a sweep and a trace are not compared" 1 "$TSPSIM" diff whole.db trace.db
is "and why" "$(cat err)" "tspsim: whole.db is the results of a sweep, trace.db is the trace of a run"
exits "no Slurm" 1 env PATH="$scratch/none" "$TSPSIM" sweep sweep.yaml -o none.db --engine slurm
is "and why" "$(cat err)" \
	"tspsim: --engine slurm: there is no sbatch here; run this where jobs are submitted, or with --engine local"

# bad TEXT MESSAGE: a file of this text is refused so.
bad()
{
	printf "$1" >bad.yaml
	"$TSPSIM" sweep bad.yaml -o bad.db >out 2>err
	is "refused: $2" "$? $(cat err)" "1 tspsim: bad.yaml:$2"
}
bad 'axes: {seed: [1]}\n' '2:1: outputs is missing or empty'
bad 'outputs: [cycles]\n' '2:1: axes is missing or empty'
bad '' '1:1: expected the description of a sweep'
bad '[1]' '1:1: expected a mapping: name, command, base, axes, zip, exclude, outputs'
bad 'axis: {seed: [1]}' "1:1: unknown word 'axis'; did you mean 'axes'?"
bad 'fnord: {seed: [1]}' "1:1: unknown word 'fnord'; expected one of: name, command, base, axes, zip, exclude, outputs"
bad 'axes: {seed: [1]}\naxes: {seed: [2]}\n' "2:1: 'axes' stands here twice"
bad 'axes: {seed: [1], seed: [2]}' "1:19: 'seed' stands here twice"
bad 'axes: {seed: 1}' '1:14: expected a list of values or a range'
bad 'axes: {seed: []}' '1:15: seed: expected at least one value'
bad 'axes: {seed: [1, 2, 1]}\noutputs: [cycles]' "1:21: seed: '1' stands here twice"
bad 'axes: {seed: [1, x]}\noutputs: [cycles]' "1:18: seed: expected an integer, found 'x'"
bad 'axes: {sed: [1]}\noutputs: [cycles]' "1:8: 'sed' is no option or machine key of tspsim run; did you mean 'seed'?"
bad 'axes: {hw.sram.latency: [1]}\noutputs: [cycles]' \
	"1:8: 'hw.sram.latency' is no option or machine key of tspsim run; did you mean 'hw.sram.latency_cycles'?"
bad 'axes: {functional: [yes]}\noutputs: [cycles]' "1:21: functional: expected true or false, found 'yes'"
bad 'axes: {trace: [a.db]}\noutputs: [cycles]' "1:8: 'trace' cannot be swept: every point would write the same file"
bad 'axes: {sram.map: [mod:139, skew:144,5]}\noutputs: [cycles]' \
	"1:37: a value with a comma stands in quotes: 'skew:144,5' (for two values write a blank after the comma)"
bad 'axes: {sram.latency_cycles: [5, x]}\noutputs: [cycles]' \
	"1:33: $("$TSPSIM" --set sram.latency_cycles=x 2>&1 | sed 's/^tspsim: //')"
bad 'axes: {machine: [tps]}\noutputs: [cycles]' "1:18: $("$TSPSIM" -m tps 2>&1 | sed 's/^tspsim: //')"
bad 'base: {seed: 1}\naxes: {seed: [1]}\noutputs: [cycles]' "2:8: 'seed' stands in base, too"
bad 'base: {seed: [1, 2]}\naxes: {workload: [a]}\noutputs: [cycles]' '1:18: seed: expected one value; several make an axis'
bad 'command: rnu\naxes: {seed: [1]}\noutputs: [cycles]' "1:10: unknown command 'rnu'; did you mean 'run'?"
bad 'command: sweep\naxes: {jobs: [1]}\noutputs: [cycles]' '1:10: a sweep of sweeps is not run'
bad 'axes: {seed: {from: 1}}' '1:14: expected a range: from, to, and step or times'
bad 'axes: {seed: {from: 1, to: 5, stop: 1}}' '1:31: expected a range: from, to, and step or times'
bad 'axes: {seed: {from: 1, to: 5, step: 0}}' '1:37: step: expected an integer other than 0'
bad 'axes: {seed: {from: 5, to: 1}}' '1:14: a range without values: 5 to 1'
bad 'axes: {seed: {from: 0, to: 8, times: 2}}' '1:14: a range with times begins at 1 or above'
bad 'axes: {seed: {from: 1, to: 2000000}}' '1:14: a range of more than 1000000 values'
bad 'axes: {seed: {from: 1, to: 1001}, shuffle: {from: 1, to: 1000}}\noutputs: [cycles]' \
	'1:35: up to this axis 1001000 points; a sweep has 1000000 at most'
bad 'axes: {seed: [1, 2], shuffle: [1]}\nzip: [[seed, shuffle]]\noutputs: [cycles]' \
	"2:14: axes that move together have as many values: 'seed' has 2, 'shuffle' 1"
bad 'axes: {seed: [1, 2], shuffle: [1]}\nzip: [[seed, shufle]]\noutputs: [cycles]' \
	"2:14: unknown axis 'shufle'; did you mean 'shuffle'?"
bad 'axes: {seed: [1, 2]}\nexclude: [{seed: 3}]\noutputs: [cycles]' "2:18: axis 'seed' has no value '3'"
bad 'axes: {seed: [1, 2]}\nexclude: [{seed: [1, 2]}]\noutputs: [cycles]' '2:12: every point is excluded'
bad 'axes: {seed: [1, 2]}\noutputs: [wall_s]' \
	'2:11: wall_s differs from run to run; table wall has the time of every point'
bad 'axes: {seed: [1, 2]}\noutputs: [cycles, seed]' "2:19: 'seed' is an axis, and kept as such"
bad 'axes: {seed: [1, 2]}\noutputs: [cycles, cycles]' "2:19: 'cycles' stands here twice"
bad 'command: sched\nbase: {schedules: 100}\naxes: {method: [list], argument: ["vmap:relu,8"]}\noutputs: [cycles]' \
	"2:8: 'schedules' has no effect at any point; it needs --method anneal or exact"
bad 'axes: {seed: &a [1, 2]}\nbase: {shuffle: *a}' '2:17: YAML aliases are not read here'
bad 'axes: {seed: [1, 2' '2:1: did not find expected '"','"' or '"']'"
done_testing
