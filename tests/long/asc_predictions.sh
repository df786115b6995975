#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Predicted against simulated cycles of the Ascend-style machines: kernels of every kind, sizes at block edges.  A line a
# run with the total and the busy cycles of every pipe; totals and pipes have to agree to a cycle in a thousand.
# TSPSIM_MACHINES and TSPSIM_WORKLOADS choose others; with TSPSIM_TABLE=FILE the lines of the table of
# docs/ascend-sched.md go there.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

: "${TSPSIM_MACHINES=ascend-910a ascend-910b ascend-310p}"
: "${TSPSIM_WORKLOADS=
	gemm:256x256x256:fp16 gemm:512x512x512:fp16 gemm:1024x1024x1024:fp16 gemm:1536x768x2048:int8
	gemm:2048x64x2048:fp16 gemm:100x77x333:fp16 gemm:17x4099x129:int8
	bmm:16x128x128x64:fp16 bmm:12x197x64x197:fp16
	conv:1x64x56x56,64x3x3,pad=1:fp16 conv:1x128x28x28,256x1x1,stride=2:int8
	vmap:add,1048576:fp32 vmap:exp,262144:fp16 vmap:relu,65537:fp16
	softmax:1024x1024 softmax:4096x1024 softmax:333x77:fp32
	layernorm:2048x2048 layernorm:512x768 layernorm:77x333
	rmsnorm.graph maximum.graph
	transpose:1024x1024 transpose:333x1000:fp32
	embedding:1000,128,512 kvcache:512x8x64 columns:512x512,64
	fft:1024 fft:4096:fp32
	attention:1x4x512x64 attention:1x1x1500x16}"

cat >rmsnorm.graph <<'EOF'
graph "every column over its root mean square"
x: fp16[1024][512] = input
w: fp32[1024][512] = cvt x
s: fp32[1024][512] = mul w, w
r: fp32[1][512] = reduce add s, groups 1
q: fp32[1][512] = mul r, #0.0009765625
p: fp32[1][512] = add q, #0.00001
i: fp32[1][512] = rsqrt p
y: fp16[1024][512] = mul w, i
output y
EOF
cat >maximum.graph <<'EOF'
graph "maximum of every column"
x: fp16[1024][2048] = input
m: fp16[1][2048] = reduce max x, groups 1
output m
EOF

# figures FILE: predicted and simulated cycles, the percentages of total and worst pipe, pipes with their cycles.
figures()
{
	sqlite3 -separator ' ' :memory: "
		WITH run(j) AS (SELECT CAST(readfile('$1') AS TEXT)),
		pipe(name, predicted, simulated) AS (
			SELECT CASE json_extract(p.value, '\$.kind') WHEN 'coupled' THEN '' ELSE
			       json_extract(p.value, '\$.kind') || '.' END || json_extract(p.value, '\$.pipe'),
			       json_extract(p.value, '\$.predicted_busy_cycles'),
			       json_extract(p.value, '\$.compared_busy_cycles')
			FROM run, json_each(run.j, '\$.pipes') AS p
			WHERE json_extract(p.value, '\$.instructions') > 0 AND json_extract(p.value, '\$.pipe') <> 'S')
		SELECT json_extract(j, '\$.predicted_cycles'), json_extract(j, '\$.cycles'),
		       printf('%+.1f', 100.0 * (json_extract(j, '\$.predicted_cycles') - json_extract(j, '\$.cycles')) /
		       json_extract(j, '\$.cycles')),
		       (SELECT printf('%.1f', max(abs(100.0 * (predicted - simulated) / max(simulated, 1)))) FROM pipe),
		       (SELECT group_concat(name || ' ' || predicted || '/' || simulated ||
		        printf(' (%+.1f)', 100.0 * (predicted - simulated) / max(simulated, 1)), ', ') FROM pipe)
		FROM run"
}

# within LIMIT NUMBER
within()
{
	awk -v limit="$1" -v number="$2" 'BEGIN { exit !(number != "" && number > -limit && number < limit) }'
}

for workload in $TSPSIM_WORKLOADS; do
	for machine in $TSPSIM_MACHINES; do
		"$TSPSIM" run -m "$machine" -w "$workload" --json >out 2>err </dev/null
		status=$?
		figures out >row
		read -r predicted simulated total worst pipes <row
		echo "# $machine $workload: predicted $predicted, simulated $simulated ($total %); $pipes"
		if [ $status -eq 0 ] && within 0.1 "$total" && within 0.1 "$worst"; then
			ok "$machine $workload"
		else
			not_ok "$machine $workload" "status $status, total $total %, worst pipe $worst %" "$(cat err)"
		fi
		[ -z "${TSPSIM_TABLE-}" ] ||
			echo "| $workload | $machine | $predicted | $simulated | $total % | $worst % |" >>"$TSPSIM_TABLE"
	done
done
done_testing
