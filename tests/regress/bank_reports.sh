#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Public reports and questions about bank maps and conflicts, from other simulators and from users of hardware, by the
# command line; each case begins with the report.  Reports about whole runs (llama.cpp PR #28536: which tensor lost the
# cycles; ROCm rocm-systems #4408: lost cycles that nothing waited for) belong to traces of runs and are not here.
. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# groups TEXT OPTION...: evaluates groups of block numbers, result in ./out.
groups()
{
	printf '%b' "$1" >groups.txt
	shift
	"$TSPSIM" bank --addresses groups.txt --blocks --json "$@" >out 2>err </dev/null
}

pattern()
{
	"$TSPSIM" bank --json "$@" >out 2>err </dev/null
}

# value KEY...: values of ./out.
value()
{
	for key in "$@"; do
		printf '%s ' "$(json out "\$.$key")"
	done | sed 's/ $//'
}

# places MAP BANKS ROWS BLOCKS: "bank row" of blocks 0 .. BLOCKS - 1.
places()
{
	seq 0 $(($4 - 1)) | tr '\n' ' ' >blocks
	"$TSPSIM" bank explain $(cat blocks) --blocks --map "$1" --banks "$2" --rows "$3" |
		sed 's/.*: bank \([0-9]*\) row \([0-9]*\).*/\1 \2/'
}

r="accel-sim-framework #184"
for map in mod:144 prime:139,139 bsp:139 crt:139 mersenne:7 bsg:124 identity skew:144,5 pdisp:7,9 hybrid:9,0x13 amd:4,9 \
	xorfold:7 swizzle:7,0,7 poly:0x83 pae:7,1 mult:444983 bitrev:7 xormod:139,7; do
	exits "$r: 144 banks, $map runs" 0 "$TSPSIM" bank --pattern s1 --groups 4 --map "$map" --banks 144
done
exits "$r: a map of 256 banks is refused" 1 "$TSPSIM" bank --pattern s1 --map poly:0x11b --banks 144
like "$r: naming the hash and its counts" err "'poly:0x11b' needs 256 banks, the memory has 144; poly takes .*2, 4, 8, 16, 32, 64, 128"

r="gpgpu-sim_distribution #214"
# x^7 mod (x^7 + x + 1) = x + 1 = 3.
is "$r: a polynomial for 128 banks puts block 128 into bank 3" "$("$TSPSIM" bank explain 128 --blocks --map poly:0x83)" \
	"address 40960 (0xa000): block 128 byte 0, poly:0x83: bank 3 row 1"

r="gpgpu-sim hashing.cc, IPOLY"
# A matrix over 14 bits does not see bit 14: 16 lanes in one bank, 15 of them wait.
pattern --pattern s16384 -k 16 --groups 2 --banks 16 --rows 40000 --map poly:0x13,14
is "$r: a stride above the matrix conflicts fully" "$(value request_conflict slowdown)" "0.9375 16"
# Lanes 0 and 1 differ in bit 13 at most, even and odd lanes share banks.
pattern --pattern s8192 -k 16 --groups 2 --banks 16 --rows 40000 --map poly:0x13,14
is "$r: the top bit inside still tells two lanes apart" "$(value request_conflict slowdown)" "0.875 8"
pattern --pattern s16384 -k 16 --groups 2 --banks 16 --rows 40000 --map poly:0x13
is "$r: a matrix over all bits has none" "$(value request_conflict slowdown)" "0 1"

r="gpgpu-sim PAE_hash_function"
exits "$r: a matrix of rank 4 of 5 is refused" 1 "$TSPSIM" bank --pattern s1 --banks 32 --map gf2:0x1,0x2,0x4,0x8,0xf
like "$r: with its rank and reach" err "rank 4, 32 consecutive blocks reach 16 of 32 banks"
pattern --pattern s1 -k 32 --banks 32 --map pae:5,1
is "$r: 32 consecutive lines reach 32 banks" "$(value delayed occupancy.empty_banks)" "0 0"

r="Accel-Sim PR #80, accel-sim-framework #318"
# 64 codes on 48 banks: 16 banks take two, mean 4/3, so 1.5; 256 on 144: mean 16/9, 2 / (16/9) = 1.125.
pattern --pattern s1 -k 64 --groups 64 --banks 48 --rows 20000 --map ipolymod:0x43,48 --allow-aliasing
is "$r: 64 codes on 48 banks are uneven by 1.5" "$(value occupancy.max_over_mean)" 1.5
pattern --pattern s1 -k 64 --groups 64 --map ipolymod:0x11d,144 --allow-aliasing
is "$r: 256 codes on 144 banks by 1.125" "$(value occupancy.max_over_mean)" 1.125
exits "$r: and are not taken for storage" 1 "$TSPSIM" bank --pattern s1 --map ipolymod:0x11d,144

r="gpgpu-sim_distribution #268"
is "$r: lines of 32 bytes lie in banks 0, 1, 2, 3" \
	"$("$TSPSIM" bank explain 0 32 64 96 --block-bytes 32 --banks 4 --map mod:4 | sed 's/.*bank //' | tr '\n' ,)" \
	"0 row 0,1 row 0,2 row 0,3 row 0,"
printf '0 32 64 96\n' >lines
pattern --addresses lines --block-bytes 32 --banks 4 --map mod:4
is "$r: without a conflict" "$(value delayed cycles)" "0 1"

r="accel-sim gpgpu-sim_distribution #117"
groups '0 4 1 5\n' --banks 4 --map mod:4
is "$r: lanes in banks 0, 0, 1, 1 take two cycles" "$(value cycles delayed)" "2 2"

r="accel-sim-framework PR #231"
for model in lockstep fifo closed; do
	pattern --pattern s1 -k 64 --map mod:139 --model $model
	is "$r: input without conflicts gives exactly 0, $model" \
		"$(value delayed conflict_groups excess_cycles request_conflict mean_delay max_delay slowdown)" "0 0 0 0 0 0 1"
done

r="ramulator2 PR #161"
is "$r: three banks are three" "$(places mod:3 3 100 6 | tr '\n' ,)" "0 0,1 0,2 0,0 1,1 1,2 1,"
exits "$r: a mask for three banks is refused" 1 "$TSPSIM" bank --pattern s1 --banks 3 --map xorfold:2

r="gem5 PR #1581, #2855"
for banks in 3 5 139 143 144; do
	is "$r: every (bank, row) of $banks banks holds the block that it should" \
		"$(places mod:$banks $banks 3 $((3 * banks)) | awk -v m=$banks '$1 + m * $2 != NR - 1' | wc -l)" 0
done

r="akita #402"
# Sets are bits 13:6, slices bits 10:7: inside one slice 4 of the 8 set bits stand still.
awk 'BEGIN {for (line = 0; line < 1024; line++) if (int(line / 2) % 16 == 0) print 64 * line}' >slice
pattern --addresses slice --block-bytes 64 --banks 256 --map mod:256 -k 16
is "$r: one slice reaches 16 of 256 sets" "$(value occupancy.empty_banks)" 240

r="ChampSim PR #545"
for map in amd:4,9 mod:144 skew:144,5 hybrid:9,0x13 mult:7; do
	is "$r: $map puts no two of 2880 blocks into one place" "$(places "$map" 144 20 2880 | sort -u | wc -l)" 2880
done

r="OpenXiangShan GEM5 #195, #238"
groups '7 7\n' --map mod:139 --merge on
is "$r: two lanes of one word are no conflict" "$(value requests delayed cycles)" "1 0 1"
groups '0 144\n1 2\n' --map mod:144
is "$r: a conflict of one cycle is not one of the next" "$(value groups conflict_groups delayed)" "2 1 1"

r="XiangShan #4036"
# Two streams of 100 requests of one bank: 200 cycles, each served every other cycle.
awk 'BEGIN {for (i = 0; i < 100; i++) print 0, 144}' >hot
for priority in rotating round-robin; do
	pattern --addresses hot --blocks --map mod:144 --model closed --priority $priority
	is "$r: each of two hot streams gets half, $priority" "$(value cycles max_delay)" "200 1"
done

r="NVIDIA forum 359822"
# 32 lanes of four words: at 16 bytes 128 words on 32 banks; at 128 bytes all on the same four banks.
awk 'BEGIN {for (l = 0; l < 32; l++) for (w = 0; w < 4; w++) printf "%d ", 4 * l + w; print ""}' >wide
awk 'BEGIN {for (l = 0; l < 32; l++) for (w = 0; w < 4; w++) printf "%d ", 32 * l + w; print ""}' >narrow
pattern --addresses wide --blocks --banks 32 --map mod:32
is "$r: wide loads take four beats, none in excess" "$(value cycles excess_cycles)" "4 0"
pattern --addresses narrow --blocks --banks 32 --map mod:32
is "$r: on the same four banks 32 beats, 28 in excess" "$(value cycles excess_cycles)" "32 28"

r="NVIDIA code-samples #48"
pattern --pattern s4 -k 32 --groups 2 --banks 32 --map mod:32
is "$r: shm[4 tid] in two warps has six in excess" "$(value excess_cycles cycles)" "6 8"

r="LeetCUDA #250"
# Words 65 r + 4 i: 16 banks, two lanes each.
awk 'BEGIN {for (i = 0; i < 16; i++) printf "%d %d ", 4 * i, 65 + 4 * i; print ""}' >padded
pattern --addresses padded --blocks --banks 32 --map mod:32
is "$r: a padded tile is two-way in 16 banks" "$(value cycles delayed occupancy.empty_banks)" "2 16 16"

r="triton PR #9662, cutlass #1882"
awk 'BEGIN {for (i = 0; i < 128; i++) printf "%d ", i; print ""}' >phases
pattern --addresses phases --blocks --banks 32 --map mod:32
is "$r: 64 lanes of 8 bytes are four phases of 32 banks" "$(value cycles excess_cycles)" "4 0"
pattern --addresses phases --blocks --banks 64 --map mod:64
is "$r: and two of 64" "$(value cycles excess_cycles)" "2 0"

r="cuda-oxide PR #544"
while read -r map pitch way; do
	awk -v p="$pitch" 'BEGIN {for (i = 0; i < 32; i++) printf "%d ", p * i; print ""}' >column
	pattern --addresses column --blocks --banks 32 --map "$map"
	is "$r: column reads at pitch $pitch under $map" "$(value cycles)" "$way"
done <<'EOF'
mod:32 32 32
expr:bank=(b^(b>>5&3))%32;row=b/32 32 8
expr:bank=(b^(b>>5&7))%32;row=b/32 32 4
swizzle:5,0,5 32 1
mod:32 33 1
EOF

r="triton #8149, PR #7833, PR #8200"
for length in 1024 65536; do
	pattern --pattern tile4x4/$length -k 16 --groups 64 --footprint $((4 * length)) --map mod:128
	is "$r: a tile at pitch $length conflicts the same" "$(value request_conflict slowdown)" "0.75 4"
done
groups 'R 0 144 W 1 2\n' --map mod:144
is "$r: loads and stores are counted apart" "$(value reads reads_delayed writes writes_delayed)" "2 1 2 0"
groups '5 5 5 6\n' --map mod:144 --merge on
is "$r: a broadcast counts once" "$(value accesses requests delayed)" "4 2 0"

r="Luthier #61"
"$TSPSIM" bank --pattern s16 -k 16 --map mod:144 >out
like "$r: shares are printed with their denominators" out 'req%: requests delayed / requests'
pattern --pattern s16 -k 16 --map mod:144
is "$r: and stand beside counts in JSON" "$(value delayed request_conflict units.request_conflict)" \
	"14336 0.4375 delayed requests / requests"

r="gemmini PR #83"
pattern --pattern s2 -k 2 --banks 2 --rows 400000 --map mod:2
is "$r: dilation 2 on 2 banks conflicts in every group at half the rate" "$(value group_conflict slowdown)" "1 2"

r="hiascend, unified buffer"
while read -r beats text; do
	printf '%s\n' "$text" >ub
	pattern --addresses ub --rules ub
	is "$r: $text" "$(value cycles)" "$beats"
done <<'EOF'
1 R 0x10020 W 0x10000
2 R 0x10020 W 0x10E20
1 R 0x10020 0x10000
2 R 0x10020 0x20020
8 W 0x1FE00 0x20000 0x20200 0x20400 0x20600 0x20800 0x20A00 0x20C00
4 W 0x1FE00 0x1FF00 0x20000 0x20100 0x20200 0x20300 0x20400 0x20500
1 W 0x1FE00 0x1FE20 0x1FE40 0x1FE60 0x1FE80 0x1FEA0 0x1FEC0 0x1FEE0
EOF

r="Ramulator #115, #35"
is "$r: one address is decoded" "$("$TSPSIM" bank explain 0x7d00 --map xorfold:7)" \
	"address 32000 (0x7d00): block 100 byte 0, xorfold:7: bank 100 row 0"

r="OpenTitan PR #30273"
is "$r: 13 rotated banks of 7 rows are 91 places" "$(places skew:13,5 13 7 91 | sort -u | wc -l)" 91

r="FidelityFX-SPD #12, tilelang PR #1736"
pattern --pattern s2 -k 32 --groups 8 --banks 32 --map mod:32
is "$r: 16 of 32 banks used twice is two-way" "$(value slowdown occupancy.max_over_mean)" "2 2"
# Rows of 16 words, padded by 1 or swizzled, read by columns.
pattern --pattern s17 -k 32 --groups 8 --banks 32 --map mod:32
is "$r: padding by one word frees it" "$(value slowdown)" 1
pattern --pattern s2 -k 32 --groups 8 --banks 32 --map swizzle:5,0,5
is "$r: as a swizzle does" "$(value slowdown)" 1
done_testing
