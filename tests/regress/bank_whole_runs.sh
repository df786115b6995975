#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Public reports about bank conflicts that concern whole runs: which tensor lost the cycles, and whether they mattered.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# llama.cpp PR #28536: conflicts blamed on the K and Q tiles came from the load of the mask.
# Under mod:139 K's block 0 is in bank 0, Q's block 1 in bank 1.  The mask's four blocks are 139 blocks apart from block
# 1390 on, all in bank 0: alone they take 4 beats, 3 more than one.  In cycle 0 they also stand behind K: one cycle.
cat >mask.tsp <<'END'
.machine tsp
.epoch "e" start=0
.image 0x0 100000
.tensor "k" type=int8 shape=1x16 base=0x0 bytes=16 epoch=0 layout=1*1
.tensor "q" type=int8 shape=1x16 base=0x10 bytes=16 epoch=0 layout=1*1
.tensor "mask" type=int8 shape=1x6688 base=22240 bytes=6688 epoch=0 layout=1*1
.node "n" epoch=0
i0: @0 mem0: load r0 addr=0 len=16
i1: @0 mem1: load r1 addr=16 len=16
i2: @0 mem2: loads r2 addr=22240 seg=16 pitch=2224 count=4
END
"$TSPSIM" run mask.tsp --trace mask.db -q
"$TSPSIM" stat mask.db --conflicts --json >out
is "two pairs, both of the mask" "$(json out '$.answers.conflict_pairs')" \
	"$(printf '[%s,%s]' \
		'{"layer":"e","tensor":"mask","other":"mask","own":3,"accesses":0,"delay":0,"late":0,"slip":0}' \
		'{"layer":"e","tensor":"mask","other":"k","own":0,"accesses":1,"delay":1,"late":0,"slip":0}')"

# ROCm rocm-systems #4408: are the conflicts hidden by a longer transfer that runs beside?  The consumer needs the mask
# (4 + 3 cycles, and 1 behind K: 8) and a load that comes at 20 + 4: nothing waits for the mask, so nothing is late.
cat >tail.tsp <<'END'
i3: @20 mem0: load r3 addr=32 len=16
i4: @24 vxm0: max r4, r2, r3 type=int8 dtype=int8 lanes=16
	.source 0 from=i2
	.source 1 from=i3
END
cat mask.tsp tail.tsp >hidden.tsp
"$TSPSIM" run hidden.tsp --trace hidden.db --json >run
is "conflicts behind a longer load are no fault" "$? $(json run '$.violations') $(json run '$.slip_cycles')" "0 0 0"
"$TSPSIM" stat hidden.db --conflicts --json >out
is "they are counted, and none is on the critical path" \
	"$(json out '$.answers.conflict_layers[0].delay') $(json out '$.answers.conflict_layers[0].late')" "1 0"

# The same consumer without the longer load, in the cycle in which the mask would be there were it not for K.
sed 's/@20 mem0/@3 mem0/; s/@24 vxm0/@7 vxm0/' tail.tsp >early
cat mask.tsp early >early.tsp
"$TSPSIM" run early.tsp --trace early.db -q
"$TSPSIM" stat early.db --conflicts --json >out
is "now the cycle is lost" \
	"$(json out '$.answers.conflict_layers[0].delay') $(json out '$.answers.conflict_layers[0].late')" "1 1"
done_testing
