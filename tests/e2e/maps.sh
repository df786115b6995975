#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A bank map set for scheduler and machine alike: whatever the map, the schedule knows every bank beat (they are among the
# compared events), nothing is late, and the results are right.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

maps="mod:139 mod:143 mod:144 mod:97 skew:144,1 skew:144,5 xorfold:7 poly:0x83 swizzle:7,0,7 swizzle:3,4,3 ideal"
workloads="gemm:65x330x340 transpose:64x320 fft:512 attention:1x2x33x32 conv:1x16x15x15,32x3x3,stride=2
	embedding:300,72,50,zipf=1.0 kvcache:48x4x32,page=8 columns:130x700,20 softmax:33x160"

for map in $maps; do
	for workload in $workloads; do
		"$TSPSIM" run -w "$workload" --functional --set sram.map="$map" --json >out 2>err
		verdict="$? $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
		is "$map $workload" "$verdict $(json out '$.cycles')" "0 0 0 1 $(json out '$.predicted_cycles')"
	done
done

# Every family that can store data has an example in isa/bankmaps.def; all are scheduled and simulated by implementations
# of their own.
sed -n 's/^BANKMAP([a-z0-9]*, *"[^"]*", *"\([^"]*\)".*/\1/p' "$TSPSIM_SRCDIR/isa/bankmaps.def" >examples
is "families have examples" "$([ "$(wc -l <examples)" -ge 20 ] && echo yes)" yes
while read -r map; do
	for workload in columns:70x400,9 embedding:300,72,20; do
		"$TSPSIM" run -w "$workload" --functional --set sram.rows=5000 --set sram.map="$map" --json >out 2>err
		verdict="$? $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
		is "$map $workload" "$verdict $(json out '$.cycles')" "0 0 0 1 $(json out '$.predicted_cycles')"
	done
done <examples

# The verb.  Rows of 64 elements are 8 blocks: 8 divides 144, so 320 of them share 18 banks, and 139 under mod:139.
exits "bank effect runs" 0 "$TSPSIM" bank effect -w transpose:320x64 --map mod:139 --map mod:144 --map mod:139 --tie-breaks 2
like "it names the slower map" out 'mod:144 .*slower, [0-9.]+ %'
like "and does not tell a map from itself" out 'mod:139 .*no difference'
exits "a word too many is refused" 1 "$TSPSIM" bank effect all -w transpose:320x64
like "by name" err "unexpected argument 'all'"

# Another map than scheduled for: found out under fault, counted under freeze.  The distances of a transpose's accesses
# (640 bytes, 40 blocks) are 0 modulo 40 and 20.
"$TSPSIM" run -w transpose:64x320 --set hw.sram.map=mod:40 --json >out
is "a map that serialises a stride is found" "$? $([ "$(json out '$.violations')" -gt 0 ] && echo late)" "2 late"
"$TSPSIM" run -w transpose:64x320 --set hw.sram.map=mod:40 --policy freeze --json >out
is "and costs slip when the machine freezes" "$([ "$(json out '$.slip_cycles')" -gt 0 ] && echo slip)" slip
exits "a map that cannot hold the data is refused" 1 "$TSPSIM" run -w gemm:2048x2048x2048 --set sram.map=mod:1
like "with bytes and capacity" err 'have 25165824 bytes, capacity 1600000 bytes with map .mod:1.$'
done_testing
