#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program file on a machine that differs from the one it was made for: the models find the same violations whether or not they are
# given the predictions to compare with.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# blind MACHINE SETTING
blind()
{
	"$TSPSIM" run "$1.tspo" --set "hw.$2" --json >seeing.json
	exits "$1 with $2: without predictions something is found as well" 2 \
		"$TSPSIM" run "$1.tspo" --set "hw.$2" --no-predictions --json
	is "$1 with $2: with them times differ" "$([ "$(json seeing.json '$.mismatched_events')" -gt 0 ] && echo yes)" yes
	is "$1 with $2: without them nothing is compared" "$(json out '$.compared_events')" 0
	for name in violations violations_by_kind cycles; do
		is "$1 with $2: the same $name" "$(json out "$.$name")" "$(json seeing.json "$.$name")"
	done
}

for machine in tsp tsp-isca20; do
	exits "$machine: a program" 0 "$TSPSIM" sched softmax:4x9 -m $machine -o $machine.tspo
done
blind tsp sram.latency_cycles=5
blind tsp vxm.op_cycles=4
blind tsp-isca20 streams.hop_cycles=2
blind tsp-isca20 mem.read_cycles=2
blind tsp-isca20 floorplan.vxm=23
done_testing
