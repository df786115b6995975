#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two judges: what the scheduler believes and what the machine does are told apart.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# split NAME ARGUMENT...: the run must end with status 2 and say what differs.
split()
{
	name=$1
	shift
	exits "$name" 2 "$TSPSIM" "$@" --json
	is "$name: something was found" \
		"$([ "$(json out '$.violations')" -gt 0 ] || [ "$(json out '$.mismatched_events')" -gt 0 ] && echo yes)" yes
}

split "a slower SRAM than scheduled for" -w gemm:40x330x340 --set hw.sram.latency_cycles=5
split "a faster SRAM than scheduled for" -w gemm:40x330x340 --set hw.sram.latency_cycles=3
split "a scheduler that believes in a faster SRAM" -w gemm:40x330x340 --set sched.sram.latency_cycles=3
split "another bank map" -w gemm:64x640x640 --set hw.sram.map=mod:97
split "a slower vector unit" -w softmax:33x40 --set hw.vxm.op_cycles=4
split "slower reads of the published chip" -m tsp-isca20 -w gemm:33x40x50 --set hw.mem.read_cycles=6
split "slower hops" -m tsp-isca20 -w gemm:33x40x50 --set hw.streams.hop_cycles=2

exits "the same change on both sides is none" 0 "$TSPSIM" -w gemm:40x330x340 --set sram.latency_cycles=5
exits "with its own schedule another map is fine" 0 "$TSPSIM" -w gemm:64x640x640 --set sram.map=mod:97
exits "a frozen machine loses cycles, which is no violation" 0 "$TSPSIM" -w gemm:64x640x640 --set hw.sram.map=mod:97 \
	--policy freeze --json
is "and slip is counted" "$([ "$(json out '$.slip_cycles')" -gt 0 ] && echo yes)" yes
is "in program time predictions hold" "$(json out '$.mismatched_events')" 0
exits "a run that stops at the first violation has one kind at least" 2 "$TSPSIM" -w gemm:40x330x340 \
	--set hw.sram.latency_cycles=5 --policy fault-stop --json
"$TSPSIM" -w gemm:40x330x340 --set hw.sram.latency_cycles=5 >out
like "the report names the split" out 'split +sram.latency_cycles: scheduled for 4, simulated with 5'
like "and the first difference" out 'predicted [0-9]+, simulated [0-9]+: @'
done_testing
