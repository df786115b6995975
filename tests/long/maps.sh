#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The five kinds of work at larger sizes under every map: predicted = simulated, beat by beat, and right results.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

for map in mod:139 mod:143 mod:144 mod:128 mod:127 skew:144,1 skew:144,5 skew:144,7 xorfold:7 poly:0x83 swizzle:7,0,7 ideal; do
	for workload in gemm:1024x1024x512 gemm:512x512x512:int8 transpose:1024x1024 fft:16384 attention:1x4x256x64 \
		embedding:65536,128,2048,zipf=1.0 kvcache:1024x32x128 columns:1024x1024,256 conv:1x64x56x56,64x3x3,stride=2; do
		"$TSPSIM" run -w "$workload" --functional --set sram.map="$map" --json >out 2>err
		verdict="$? $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
		is "$map $workload" "$verdict $(json out '$.cycles')" "0 0 0 1 $(json out '$.predicted_cycles')"
	done
done
done_testing
