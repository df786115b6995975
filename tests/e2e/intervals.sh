#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Initiation intervals in reports and in JSON.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# The loops of WORKLOAD on MACHINE: cycles for so many iterations, whether proved, what binds.
intervals()
{
	"$TSPSIM" sched "$1" -m "$2" --json >out
	for i in 0 1 2; do
		[ -z "$(json out "\$.intervals[$i].loop")" ] ||
			echo "$(json out "\$.intervals[$i].loop"): $(json out "\$.intervals[$i].cycles")/$(json out "\$.intervals[$i].iterations") $(
				json out "\$.intervals[$i].proved") $(json out "\$.intervals[$i].binds")"
	done
}

# 3125 iterations, 16 a cycle, one ALU each: 195 cycles and one for the last five.
is "halves begin sixteen a cycle" "$(intervals vmap:relu,1000000 tsp-isca20)" "z: 196/3125 1 VXM"
is "the interval is a number, too" "$(json out '$.intervals[0].interval') $(json out '$.intervals[0].bound') $(json out '$.intervals[0].unit')" \
	"0.06272 0.06272 iterations"
# 64 bytes past the VXM a cycle, 2 + 2 + 2 an iteration: ten a cycle.
is "three vectors an iteration: ten a cycle" "$(intervals vmap:add,1000000 tsp-isca20)" "z: 313/3125 1 streams"
# Words of four bytes: 64 / (4 + 4).
is "whole words: eight a cycle" "$(intervals vmap:exp,64000:fp32 tsp-isca20)" "z: 1/8 1 streams"
is "rows of halves enter the matrix unit every other cycle" "$(intervals gemm:256x256x256 tsp-isca20)" "c, rows: 2/1 1 MXM"
# An image of 14 x 128 bytes into L0A: 16 x 128 / 256; 128 x 256 bytes into L0B: / 128; a set and a wait for the cube, and one
# wait more than any order needs.
is "a convolution of one step a tile" "$(intervals conv:8x128x28x28,256x1x1,stride=2:int8 ascend-910b)" "y: 267/1 0 MTE1"
is "the bound is 8 + 256 + 2" "$(json out '$.intervals[0].bound')" 266
"$TSPSIM" sched conv:8x128x28x28,256x1x1,stride=2:int8 -m ascend-910b >report
like "the report says so" report "y: initiation interval 267, at least 266 .MTE1.$"
"$TSPSIM" run vmap:relu,100000:int8 -m tsp-isca20 --json >out
is "run has them, too" "$(json out '$.intervals[0].proved')" 1
done_testing
