#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Initiation intervals of loops on the stream-style and the Ascend-style machines: no bound is above its interval, and so many
# loops are at it, or near.  Prints a table: machine, workload, loop, interval, bound, share, what binds.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

stream="vmap:relu,1000000 vmap:relu,100000:int8 vmap:exp,64000 vmap:exp,64000:fp32 vmap:add,1000000 vmap:add,640000:fp32
	vmap:max,200000:int8 vmap:tanh,1000000 softmax:33x160 softmax:256x512 softmax:1024x1024 layernorm:256x1024 layernorm:200x700
	layernorm:512x512:fp32 gemm:256x256x256 gemm:512x512x512 gemm:1024x1024x1024:int8 gemm:640x640x640:int8 bmm:4x128x128x64
	conv:1x64x28x28,64x3x3,pad=1 conv:1x128x14x14,256x1x1 attention:1x2x128x64 attention:1x8x512x64"
ascend="gemm:1024x1024x1024:fp16 gemm:2048x2048x2048 gemm:4096x1024x1024:int8 gemm:1536x768x2048:int8 gemm:1024x4096x1024
	bmm:64x128x128x64:fp16 conv:8x128x28x28,256x1x1,stride=2:int8 conv:8x64x56x56,64x3x3,pad=1:fp16 vmap:add,16777216:fp32
	vmap:exp,4194304:fp16 vmap:exp,4194304:fp32 vmap:tanh,4194304 vmap:relu,8388608:int8 softmax:4096x1024 softmax:4096x4096
	layernorm:2048x2048 layernorm:4096x1024 transpose:4096x4096 transpose:2048x2048:fp32 kvcache:4096x8x64 attention:1x8x2048x64"

# A line a loop.
rows()
{
	for workload in $2; do
		"$TSPSIM" sched "$workload" -m "$1" --json >out || echo "$1 $workload failed"
		i=0
		while name=$(json out "\$.intervals[$i].loop") && [ -n "$name" ]; do
			echo "$1|$workload|$name|$(json out "\$.intervals[$i].interval")|$(json out "\$.intervals[$i].bound")|$(
				json out "\$.intervals[$i].proved")|$(json out "\$.intervals[$i].binds")"
			i=$((i + 1))
		done
	done
}

# MACHINE WORKLOADS PROVED NEAR: so many in a hundred loops are at their bound (0: not asked), within a tenth of it.
measure()
{
	rows "$1" "$2" >rows
	awk -F'|' '{ printf "# %s | %s | %s | %.3f | %.3f | %.1f %% | %s%s\n", $1, $2, $3, $4, $5, 100 * $5 / $4, $7, $6 ? ", proved" : "" }' rows
	awk -F'|' '{ n++; proved += $6; near += $5 >= 0.9 * $4; sum += log($5 / $4) }
		END { printf "# %s: %d loops, %d at the bound, %d within a tenth, mean share %.1f %%\n", "'"$1"'", n, proved, near, 100 * exp(sum / n) }' rows
	is "$1: no bound is above its interval" "$(awk -F'|' '$5 > $4 * (1 + 1e-9)' rows | wc -l | tr -d ' ')" 0
	[ "$3" -eq 0 ] ||
		is "$1: $3 % of the loops at their bounds" "$(awk -F'|' '{ n++; k += $6 } END { print (100 * k >= '"$3"' * n) }' rows)" 1
	is "$1: $4 % within a tenth" "$(awk -F'|' '{ n++; k += $5 >= 0.9 * $4 } END { print (100 * k >= '"$4"' * n) }' rows)" 1
}

measure tsp-isca20 "$stream" 50 55
measure ascend-910b "$ascend" 0 20
measure ascend-910a "$ascend" 0 20
measure ascend-310p "$ascend" 0 20
done_testing
