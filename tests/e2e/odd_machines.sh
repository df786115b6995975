#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Machines with little or much of something: a workload either runs exactly, or is refused in one line that says why.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# settings KEY=VALUE...: as options.
settings()
{
	for setting in "$@"; do
		printf ' --set %s' "$setting"
	done
}

# exact MACHINE WORKLOAD KEY=VALUE...
exact()
{
	machine=$1
	workload=$2
	shift 2
	name="$machine, $*: $workload"
	# shellcheck disable=SC2046
	exits "$name" 0 timeout 100 "$TSPSIM" -m "$machine" -w "$workload" --functional --json $(settings "$@")
	is "$name: no violation, results equal" \
		"$(json out '$.violations') $(json out '$.checked')" "0 1"
	is "$name: cycles as predicted" "$(json out '$.cycles')" "$(json out '$.predicted_cycles')"
}

# refused MACHINE WORKLOAD REGEX KEY=VALUE...
refused()
{
	machine=$1
	workload=$2
	says=$3
	shift 3
	name="$machine, $*: $workload"
	# shellcheck disable=SC2046
	exits "$name is refused" 1 timeout 100 "$TSPSIM" -m "$machine" -w "$workload" $(settings "$@")
	like "$name: says why" err "$says"
	is "$name: in one line" "$(wc -l <err | tr -d ' ')" 1
}

for workload in gemm:20x40x30 gemm:33x17x50:int8 softmax:5x7 transpose:20x18 attention:1x1x9x8; do
	exact tsp $workload lanes=32 vreg.bytes=64 mxm.rows=32 mxm.fp16_sum_rows=32
	exact tsp $workload sram.banks=1 sram.map=mod:1
	exact tsp $workload sram.banks=145 sram.map=mod:145
	exact tsp $workload sram.block_bytes=2 sram.ports=4 sram.issue_per_cycle=1
	exact tsp $workload vreg.count=32 mxm.planes=2 mxm.acc_rows=1 vxm.ops_per_cycle=1
	exact tsp-isca20 $workload lanes=160 mxm.rows=160
	exact tsp-isca20 $workload mxm.rows=16 mxm.fp16_sum_rows=16 streams.hop_cycles=8
	exact tsp-isca20 $workload streams.per_direction=16 mem.banks_per_slice=1 mem.words_per_bank=64
done

# 640 rows of weights, four to a line of 139 blocks, take 160 rows of all banks; packed they take five.
exact tsp gemm:8x8x640 sram.rows=30

refused tsp gemm:8x8x8 'mxm\.rows' lanes=160 vreg.bytes=320
refused tsp-isca20 gemm:33x17x50:int8 'mxm\.rows' lanes=16
refused tsp-isca20 gemm:33x17x50:int8 'streams\.per_direction 1' streams.per_direction=1
refused tsp-isca20 transpose:33x40 'streams\.per_direction 8' streams.per_direction=8
refused tsp-isca20 layernorm:20x30:fp32 'vxm\.ops_per_cycle 1' vxm.ops_per_cycle=1
refused tsp-isca20 transpose:33x40 'sxm\.queues' sxm.queues=0,0,0,0,0,0
refused tsp-isca20 fft:64 'sxm\.queues' sxm.queues=0,0,0,0,0,0
for machine in tsp tsp-isca20; do
	refused $machine vmap:relu,1099511627776 'SRAM' clock_hz=900000000
	refused $machine gemm:1x1x1099511627776 'SRAM' clock_hz=900000000
done
done_testing
