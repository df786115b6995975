#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who collided with whom: the trace names the instruction and the tensor in the way, stat adds it up.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# mod:139: block 5 (byte 80) and block 144 (byte 2304) share bank 5.  In cycle 0 i1 stands behind i0, in cycle 1 i2 behind
# i1: each waits a cycle, i1 is due at 1 + 4, i2 at 2 + 4.  i3 asks bank 0 for three blocks: its own stride, no conflict.
cat >pair.tsp <<'END'
.machine tsp
.epoch "e" start=0
.image 0x0 100000
.tensor "a" type=int8 shape=1x2000 base=0x0 bytes=2000 epoch=0 layout=1*1
.tensor "b" type=int8 shape=1x2000 base=0x800 bytes=2000 epoch=0 layout=1*1
.node "n" epoch=0
i0: @0 mem0: load r0 addr=80 len=16
i1: @0 mem1: load r1 addr=2304 len=16
i2: @1 mem0: load r2 addr=80 len=16
i3: @9 mem2: loads r3 addr=0 seg=16 pitch=2224 count=3
END
"$TSPSIM" run pair.tsp --trace pair.db -q
is "one row an access that waited: cycle, bank, beats, delay, due, who, where, behind whom, where" \
	"$(sql pair.db 'SELECT cycle, bank, beats, delay, due, insn, tensor, other, other_tensor FROM conflicts')" \
	"$(printf '0|5|1|1|5|1|b|0|a\n1|5|1|1|6|2|a|1|b')"
"$TSPSIM" stat pair.db --conflicts --json >out
is "pairs: a against b" "$(json out '$.answers.conflict_pairs[1]')" \
	'{"layer":"e","tensor":"b","other":"a","own":0,"accesses":1,"delay":1,"late":0,"slip":0}'
is "and i3 met itself twice" "$(json out '$.answers.conflict_pairs[0]')" \
	'{"layer":"e","tensor":"a","other":"a","own":2,"accesses":0,"delay":0,"late":0,"slip":0}'
is "the layer's sums" "$(json out '$.answers.conflict_layers[0]')" \
	'{"layer":"e","accesses":4,"own":2,"waited":2,"delay":2,"late":0,"slip":0}'
"$TSPSIM" run pair.tsp --trace units.db --trace-level units -q
is "level units has them, too" "$(sql units.db 'SELECT count(*), sum(delay) FROM conflict')" "2|2"

# Somebody samples r1 in cycle 4, when it would be due alone: that conflict was not hidden.
sed 's/len=16$/&/; $a\
i4: @4 vxm0: copy r9, r1 type=int8 lanes=16\
	.source 0 from=i1' pair.tsp >late.tsp
"$TSPSIM" run late.tsp --trace late.db -q
"$TSPSIM" stat late.db --conflicts --json >out
is "a consumer that came too early makes it late" "$(json out '$.answers.conflict_layers[0].late')" 1

# Frozen: i2's group waits a cycle for bank 5, where i0 met i1.
"$TSPSIM" run pair.tsp --policy freeze --trace freeze.db -q
is "a slip names the two that met" "$(sql freeze.db 'SELECT cycle, cycles, bank, insn, other, met, other_tensor, met_tensor FROM slips')" \
	"1|1|5|2|0|1|a|b"
"$TSPSIM" stat freeze.db --conflicts --json >out
is "pairs carry the slip" "$(sqlite3 :memory: "SELECT sum(json_extract(value, '$.slip')) FROM
	json_each(CAST(readfile('out') AS TEXT), '$.answers.conflict_pairs') WHERE json_extract(value, '$.tensor') = 'b'")" 1

# A schedule for its own map has no conflicts at all.
"$TSPSIM" run -w gemm:65x330x340 --trace clean.db -q
is "no conflicts where the schedule knows the map" "$(sql clean.db 'SELECT count(*) FROM conflict')" 0
"$TSPSIM" run -w gemm:65x330x340 --set hw.sram.map=mod:97 --trace split.db -q
is "another map: every delayed access has its row" \
	"$(sql split.db 'SELECT count(*), sum(delay) FROM conflict')" \
	"$(sql split.db 'SELECT count(*), sum(delay) FROM issue WHERE delay > 0')"
is "everybody in the way has a name" "$(sql split.db 'SELECT count(*) FROM conflicts WHERE other IS NULL OR other_tensor IS NULL')" 0
exits "--conflicts takes no query beside it" 1 "$TSPSIM" stat split.db --conflicts units
done_testing
