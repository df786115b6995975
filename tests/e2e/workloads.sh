#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every generator on both machines at sizes around block edges: predicted = simulated, no violation, results equal to the
# reference in every bit.  check-long runs the whole list of sizes.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# run MACHINE WORKLOAD: functional.
run()
{
	"$TSPSIM" run -m "$1" -w "$2" --functional --json >out 2>err
	status=$?
	verdict="$status $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
	if [ "$verdict" = "0 0 0 1" ] && [ "$(json out '$.cycles')" = "$(json out '$.predicted_cycles')" ]; then
		ok "$1 $2"
	else
		not_ok "$1 $2" "status, violations, mismatches, checked: $verdict" "$(head -3 err)"
	fi
}

for machine in tsp tsp-isca20; do
	while read -r workload; do
		run "$machine" "$workload"
	done <<END
gemm:1x1x1
gemm:2x31x33
gemm:33x160x161:int8
gemm:32x320x319
gemm:31x321x640:int8
gemm:161x2x1
gemm:1024x1x320
bmm:2x33x31x160
bmm:3x1x2x33:int8
conv:1x3x8x8,4x3x3
conv:2x16x7x9,33x3x3,stride=2,pad=1
conv:1x33x5x5,31x1x1:int8
conv:1x32x6x6,32x3x3,pad=1,groups=32
attention:1x2x33x32
attention:1x1x640x1:int8
softmax:1x1
softmax:33x160
softmax:320x2:fp32
layernorm:31x33
layernorm:2x321:fp32
transpose:1x1
transpose:33x161
transpose:32x320:int8
transpose:31x33:fp32
fft:1
fft:2
fft:64
fft:256:fp32
vmap:relu,1
vmap:add,321
vmap:exp,640:fp32
vmap:max,1024:int8
END
done
done_testing
