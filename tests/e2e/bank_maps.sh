#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bank maps from the command line: every family runs a program to the right result, in the predicted cycles; what cannot
# store data is refused with the pair of blocks that meet; files; what a map says of itself.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# runs TEXT: a small product under the map, checked against the reference.
runs()
{
	exits "runs under $1" 0 "$TSPSIM" -w gemm:64x64x64 --functional --set sram.rows=2000 --set "sram.map=$1"
}

for map in mod:139 prime:143,139 bsp:139 crt:139 mersenne:7 bsg:124 identity skew:144,5 pdisp:7,9 hybrid:9,0x13 amd:4,9 \
	xorfold:7 swizzle:7,0,7 poly:0x83,20 gf2:0x81,0x102,0x204 pae:7,1 mult:444983 bitrev:7 xormod:139,7 \
	table:0,1,2,3,3,2,1,0,xor 'expr:bank=(b+7*(b/144))%144;row=b/144' ideal; do
	runs "$map"
done

cat >map.txt <<'END'
# the textbook's prime
bank = b % 139
row = b / 139
END
runs file:map.txt
printf '0x81 0x102\n0x204 # three bits\n' >matrix.txt
runs gf2:matrix.txt

refused_map()
{
	exits "$1 cannot store" 1 "$TSPSIM" -w gemm:64x64x64 --set "sram.map=$1"
	is "$1: the message names the pair" "$(grep -cE "$2" err)" 1
}
refused_map prime:139,144 'blocks 0 and 139 share bank 0, row 0'
refused_map xormod:139,7,139 'blocks 0 and 138 share bank 0, row 0'
refused_map crt:144 'blocks 0 and 900000 share bank 0, row 0'
refused_map random:1 'share bank [0-9]+, row'
refused_map ipolymod:0x11d,144 'blocks 0 and 144 share bank 0, row 0'

"$TSPSIM" explain prime:139,144 >out
is "explain says which blocks share a word" "$(grep -c 'injective: no, 500000 of 14400000 .* 0 and 139, bank 0, row 0' out)" 1
"$TSPSIM" explain poly:0x83,20 >out
is "explain names the bits that are hashed" "$(grep -c '^covered: block bits 0 to 19 of 24' out)" 1
"$TSPSIM" explain mod:139 --json >out
is "explain --json gives the loss" "$(grep -c '"lost_words": 500000' out)" 1
exits "explain refuses what no memory has" 1 "$TSPSIM" explain bsg:144
is "and names the legal counts" "$(grep -c '2^n (2^m - 1): 1, 2, 3, 4, 6,' err)" 1
done_testing
