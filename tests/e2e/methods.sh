#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim run and sched --method: never longer than list, sometimes shorter, exactly as predicted, the same on one thread
# and two; reports, plots, manifests, caps, errors.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/method_graphs.sh"

# search MACHINE WORKLOAD OPTION...: JSON into ./out.
search()
{
	machine=$1 workload=$2
	shift 2
	"$TSPSIM" sched "$workload" -m "$machine" --report --json --no-patterns "$@" >out 2>err
}

# Two tiny kernels a machine.
for machine in tsp tsp-isca20 ascend-910b; do
	for workload in gemm:64x64x64 softmax:64x64; do
		search "$machine" "$workload" --method anneal --schedules 100
		is "$machine $workload: bound <= anneal <= list" "$(sqlite3 :memory: "SELECT
			json_extract(j, '\$.searches[0].lower_bound') <= json_extract(j, '\$.searches[0].cycles')
			AND json_extract(j, '\$.searches[0].cycles') <= json_extract(j, '\$.searches[0].list_cycles')
			AND json_extract(j, '\$.searches[0].cycles') = json_extract(j, '\$.predicted_cycles')
			FROM (SELECT CAST(readfile('out') AS TEXT) AS j)")" 1
	done
done

# Accesses bind where vectors are narrow or queues few: no program is below that either.
for workload in vmap:add,3200 softmax:33x160 layernorm:6x640 fft:512 attention:1x2x33x32 transpose:33x161 transpose:64x64:int8 \
	columns:256x256,32 gemm:33x17x50:int8; do
	for slots in 1 4; do
		"$TSPSIM" sched "$workload" -m tsp --set sram.issue_per_cycle=$slots --no-patterns --report --json >out 2>/dev/null
		is "tsp $workload, $slots accesses a cycle: bound <= list" \
			"$(sqlite3 :memory: "SELECT json_extract(j, '\$.searches[0].lower_bound') > 0 AND
				json_extract(j, '\$.searches[0].lower_bound') <= json_extract(j, '\$.searches[0].list_cycles')
				FROM (SELECT CAST(readfile('out') AS TEXT) AS j)")" 1
	done
done

# Two products, a transpose and a vector operation that do not wait for each other: 710 cycles in the list's order.
method_graph branches tsp >branches.graph
search tsp branches.graph --method anneal --schedules 1000
is "anneal is strictly shorter where there is slack" \
	"$(sqlite3 :memory: "SELECT json_extract(j, '\$.searches[0].cycles') < json_extract(j, '\$.searches[0].list_cycles')
		FROM (SELECT CAST(readfile('out') AS TEXT) AS j)")" 1
decisions=$(json out '$.searches[0].decisions')
search tsp branches.graph --method anneal --schedules 1000 --jobs 1
is "one thread decides the same" "$(json out '$.searches[0].decisions')" "$decisions"

# Operators by gain and drawn evenly: other choices, both from the same list.
method_graph branches tsp-isca20 >isca20.graph
for way in "" --uniform; do
	search tsp-isca20 isca20.graph --method anneal --schedules 1500 $way
	json out '$.uniform' >>ways
	sqlite3 :memory: "SELECT group_concat(json_extract(m.value, '$.tried'))
		FROM json_each(CAST(readfile('out') AS TEXT), '$.searches[0].moves') AS m" >>tried
	is "${way:-by gain} is never longer than list" "$(sqlite3 :memory: "SELECT json_extract(j, '$.searches[0].cycles') <=
		json_extract(j, '$.searches[0].list_cycles') FROM (SELECT CAST(readfile('out') AS TEXT) AS j)")" 1
done
is "the report says which way" "$(echo $(cat ways))" "0 1"
is "operators drawn evenly are others" "$(sort -u tried | wc -l)" 2

# All events at the predicted cycles, all values right.
exits "an annealed program runs as predicted" 0 "$TSPSIM" run -m tsp -w branches.graph --method anneal --schedules 300 \
	--functional --trace run.db --json
is "cycles are those predicted" "$(json out '$.cycles')" "$(json out '$.predicted_cycles')"
is "the manifest knows the method" "$(sql run.db "SELECT group_concat(key || '=' || value, ' ') FROM
	(SELECT key, value FROM run WHERE key IN ('method', 'schedules', 'sched_capped') ORDER BY key)")" \
	"method=anneal sched_capped=no schedules=300"

exits "a report in words" 0 "$TSPSIM" sched branches.graph -m tsp --method exact --schedules 700 --report --gantt gantt.tsv
like "it has bounds" out "critical path: "
like "it has moves" out "tried "
like "it has a proof" out "model "
is "the plot has a bar for each operation and unit" "$(sed -n '/^# data1/,/^# data2/p' gantt.tsv | grep -c '^[0-9]' | awk '{print ($1 >= 6)}')" 1

exits "a cap of no time leaves the list's program" 0 "$TSPSIM" sched branches.graph -m tsp --method anneal --sched-time 0.001 --json
is "and says that it struck" "$(json out '$.capped')" 1
exits "a cap of all time" 0 "$TSPSIM" sched gemm:8x8x8 -m tsp --method anneal --schedules 1000 --sched-time inf --json
is "never strikes" "$(json out '$.capped')" 0

# Of the list's program and every other one counts 50, the first look at the model 50; the graph has far more than 30 candidates.
for budget in 50 99 100 150 199 250 500 700; do
	search tsp branches.graph --method anneal --schedules $budget
	echo "$budget $(json out '$.searches[0].schedules') $(json out '$.searches[0].programs')"
done >used
is "a budget is never exceeded, and less than a program is left" \
	"$(awk '{print ($2 <= $1 && $1 - $2 < 50) ? "yes" : "no " $0}' used | sort -u)" yes
is "small ones try programs, too" "$(awk '$1 == 150 || $1 == 250 || $1 == 500 {print ($3 > 1) ? "yes" : "no " $0}' used | sort -u)" yes
for jobs in 1 2; do
	search tsp branches.graph --method anneal --schedules 450 --jobs $jobs
	grep -v '"seconds"' out >by$jobs
done
is "a group that shrinks is the same on one thread and two" "$(cmp by1 by2 && echo same)" same
for budget in 50 100 101 160 300; do
	search tsp branches.graph --method exact --schedules $budget
	json out '$.searches[0].schedules' | awk -v n=$budget '{print ($1 <= n) ? "yes" : "no " n " " $1}'
done >used
is "nor does exact exceed it" "$(sort -u used)" yes

"$TSPSIM" sched branches.graph -m tsp --method anneal --sched-time 0.001 >out
like "a time limit is called one" out "^method .*; ended by the time limit$"
"$TSPSIM" sched branches.graph -m tsp --method anneal --schedules 1000000000 --json >out 2>err &
job=$!
sleep 0.5
kill -TERM $job
wait $job
is "an interrupt another" "$? $(json out '$.capped') $(json out '$.interrupted')" "130 1 1"

exits "an unknown method" 1 "$TSPSIM" sched gemm:64x64x64 --method aneal
like "names the nearest" err anneal
exits "the library can be listed" 0 "$TSPSIM" list library
like "with patterns" out "layernorm"
"$TSPSIM" list library -m ascend-910b >own
is "or what is for one machine" "$(grep -c '^tsp' own) $(grep -c '^ascend-910a' own) $(($(grep -c '^ascend-910b ' own) > 0))" "0 0 1"
is "which is all there is for it" "$(grep '^ascend-910b ' own | cksum)" "$(grep '^ascend-910b ' out | cksum)"
exits "a method is explained" 0 "$TSPSIM" explain anneal
like "of sched" out "^anneal \(method of run and sched\): "
like "and of solve" out "^anneal \(method of solve\): "
done_testing
