#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bank eval --from: the accesses of a traced run as groups, under the run's map and under others.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# Blocks of 16 bytes.  Cycle 0: block 5 (byte 80), block 144 (byte 2304); cycle 1: block 5; cycle 9: blocks 0, 139, 278
# (pitch 2224 = 139 x 16); cycle 12: block 80 written, which ends the stream.
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
i4: @12 mem0: store r0 addr=1280 len=16
	.source 0 from=i0
END
exits "a small program runs" 0 "$TSPSIM" run pair.tsp --trace pair.db -q
# pick KEY...: values of ./out's object in one line.
pick()
{
	for key in "$@"; do
		printf '%s ' "$(json out "\$.$key")"
	done
}

# mod:139, lockstep.  Banks 5,5 | 5 | 0,0,0 | 80: delayed 1 + 0 + 2 + 0; beats 2 + 1 + 3 + 1 = 7, ideal 4; delays 1 + (1 + 2).
exits "it is evaluated under its own map" 0 "$TSPSIM" bank eval --from pair.db --json
is "memory and map are the machine's" "$(pick map banks rows block_bytes ports busy_cycles)" "mod:139 144 100000 16 1 1 "
is "a group is what is presented in one cycle" "$(pick groups requests delayed conflict_groups)" "4 7 3 2 "
is "beats are those of the fullest banks" "$(pick cycles ideal_cycles mean_delay)" "7 4 $(sqlite3 :memory: "SELECT printf('%.10g', 4 / 7.0)") "
is "writes are marked" "$(pick reads writes reads_delayed writes_delayed)" "6 1 3 0 "
is "the first conflict has its blocks" "$(pick first_conflict.group first_conflict.other_block first_conflict.block first_conflict.bank)" "0 5 144 5 "
is "and its instructions and tensors" "$(json out '$.first_conflict.whose'), $(json out '$.first_conflict.other_whose')" \
	"load (i1, tensor b of e), load (i0, tensor a of e)"

# fifo: time passes as in the run.  Block 144 waits 1, block 5 of cycle 1 waits 1 behind it; 0, 1, 2 in cycle 9.  Cycles 0
# to 12 arrive, the last service is in 12.
"$TSPSIM" bank eval --from pair.db --model fifo --json >out
is "fifo keeps the cycles in which nothing is presented" "$(pick groups delayed cycles ideal_cycles slowdown)" "4 4 13 13 1 "
is "what waited is what waited in the run" "$(pick delayed) $(json out '$.mean_delay')" \
	"$(sql pair.db "SELECT value FROM counter WHERE name = 'bank_delayed'")  $(sql pair.db 'SELECT printf("%.10g", sum(wait) / 7.0) FROM bank')"

# mod:144: banks 5,0 | 5 | 0,139,134 | 80.
"$TSPSIM" bank eval --from pair.db --map mod:144 --json >out
is "another map: no conflict" "$(pick map requests delayed cycles)" "mod:144 7 0 4 "
# Blocks of 32 bytes: 2,72 | 2 | 0,69,139 | 40: under mod:139 0 and 139 meet.  A port moves 16 bytes: 2 cycles a block.
"$TSPSIM" bank eval --from pair.db --block-bytes 32 --busy 1 --json >out
is "another block size" "$(pick block_bytes rows delayed first_conflict.other_block first_conflict.block)" "32 50000 1 0 139 "
"$TSPSIM" bank eval --from pair.db --block-bytes 32 --json >out
is "a wider block holds its port longer" "$(pick busy_cycles)" "2 "
# A load of 16 bytes from byte 8 touches two blocks.
sed 's/addr=80 len=16/addr=8 len=16/' pair.tsp >across.tsp
"$TSPSIM" run across.tsp --trace across.db -q
"$TSPSIM" bank eval --from across.db --json >out
is "a segment is in all blocks that it touches" "$(pick requests highest_block)" "9 278 "
"$TSPSIM" bank eval --from pair.db --only writes --json >out
is "writes alone" "$(pick requests writes)" "1 1 "
"$TSPSIM" bank eval --from pair.db --model closed --json >out
is "the closed loop takes the same accesses" "$(pick requests groups)" "7 4 "
"$TSPSIM" bank eval --from pair.db --pattern s16 -k 16,64 --json >out
is "a trace stands beside patterns, once" "$(pick 'results[0].pattern' 'results[1].pattern' 'results[2].pattern' 'results[2].k')" "s16 s16 pair.db  "

# The fifo model is the memory of a machine that reports faults: whatever the map, what it delays is what the run recorded.
# In a run scheduled for the map, accesses meet nobody but themselves, and lockstep delays no more than fifo.
for w in embedding:4096,64,512,zipf=1 kvcache:256x8x64 columns:256x256,32 transpose:128x256; do
	"$TSPSIM" run -w $w --no-functional --trace run.db -q
	recorded=$(sql run.db "SELECT group_concat(value, ' ') FROM (SELECT value FROM counter WHERE name IN
		('bank_requests', 'bank_delayed') ORDER BY name)")
	"$TSPSIM" bank eval --from run.db --json >out
	is "$w, its own map: lockstep has the conflicts of the run and no others" "$(pick delayed)$(pick requests)" "$recorded "
	for map in mod:128 skew:144,5 poly:0x83; do
		"$TSPSIM" run -w $w --no-functional --set hw.sram.map=$map --trace run.db -q >/dev/null 2>&1
		"$TSPSIM" bank eval --from run.db --model fifo --json >out
		is "$w, $map: fifo delays what the run delayed, as long" \
			"$(pick map requests delayed) $(sqlite3 :memory: "SELECT CAST(round($(json out '$.mean_delay') * $(json out '$.requests')) AS INTEGER)")" \
			"$map $(sql run.db "SELECT value FROM counter WHERE name = 'bank_requests'") $(sql run.db "SELECT value FROM counter WHERE name = 'bank_delayed'")  $(sql run.db 'SELECT sum(wait) FROM bank')"
	done
done
"$TSPSIM" run -w embedding:4096,64,512 --no-functional --trace a.db -q
"$TSPSIM" run -w embedding:4096,64,512 --no-functional --kernel ref --trace b.db -q
exits "offsets of gathers are the same in every run" 0 "$TSPSIM" diff a.db b.db
sqlite3 b.db "UPDATE access_offsets SET offsets = zeroblob(length(offsets))"
exits "and others are found" 2 "$TSPSIM" diff a.db b.db
like "by name" out '^access_offsets: '
sqlite3 b.db "UPDATE access_offsets SET offsets = x'00'"
exits "a damaged trace is refused" 1 "$TSPSIM" bank eval --from b.db
like "and says where" err 'has offsets of 0 segments'

# A window: its cycles only.
"$TSPSIM" run pair.tsp --trace window.db --trace-window 1:10 -q
"$TSPSIM" bank eval --from window.db --json >out
is "a windowed trace has the accesses of its cycles" "$(pick requests groups)" "4 2 "

"$TSPSIM" run pair.tsp --trace units.db --trace-level units -q
exits "a trace below level full is refused" 1 "$TSPSIM" bank eval --from units.db
like "saying what is needed" err 'accesses are in traces of level full; this one has units'
"$TSPSIM" run -m tsp-isca20 -w gemm:40x330x340 --trace direct.db -q
exits "a machine without bank maps is refused" 1 "$TSPSIM" bank eval --from direct.db
like "saying why" err 'machine tsp-isca20 has no bank map'
sqlite3 pair.db "DROP TABLE access_offsets; DROP TABLE access"
exits "a trace without addresses is refused" 1 "$TSPSIM" bank eval --from pair.db
like "saying what to do" err 'run it again'
"$TSPSIM" run -w vmap:relu,640 --trace vmap.db --trace-window 0:1 -q
sqlite3 vmap.db "DELETE FROM issue"
exits "a trace with no access is refused" 1 "$TSPSIM" bank eval --from vmap.db
like "since nothing would come of it" err 'nothing to evaluate: it has no accesses'
exits "what is no trace is refused" 1 "$TSPSIM" bank eval --from pair.tsp
exits "other verbs take no trace" 1 "$TSPSIM" bank explain 0 --from vmap.db
exits "so is what is not there" 1 "$TSPSIM" bank eval --from nowhere.db
done_testing
