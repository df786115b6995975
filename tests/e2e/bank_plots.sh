#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Pictures of bank work: the numbers behind each exactly, the picture as far as a program can see it.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# variable FILE NAME, table FILE N: of a file of numbers.
variable()
{
	sed -n "s/^# $2 = //p" "$1"
}
table()
{
	awk -v name="# data$2" '/^#/ {on = $0 == name; next} on && NF' "$1"
}
# picture NAME WIDTH HEIGHT COMMAND...: draws as PNG, SVG and PDF; the PNG has this size.
picture()
{
	name=$1
	size="$2 $3"
	shift 3
	if ! command -v gnuplot >/dev/null; then
		skip "$name: drawn" "no gnuplot here"
		return
	fi
	for suffix in png svg pdf; do
		exits "$name: drawn as $suffix" 0 "$@" -o picture.$suffix
		empty "$name: nothing printed ($suffix)" out
	done
	is "$name: a PNG of its size" "$(od -An -tu1 -j16 -N8 picture.png | awk '{print $3 * 256 + $4, $7 * 256 + $8}')" "$size"
	is "$name: an SVG" "$(grep -c '<svg' picture.svg)" 1
	is "$name: a PDF" "$(head -c 5 picture.pdf)" "%PDF-"
}

# Stride s on mod 8 of 8 banks, k = 8: D = 8 / gcd(s, 8) banks, conflict 1 - D / 8, slowdown 8 / D.
# mod 7, k = 8: 7 banks for strides that 7 does not divide: lanes 0 and 7 meet: 1/8, two beats.
"$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern stride:1..8 -k 8 --footprint 512 --plot stride -o s.tsv >out
empty "a plot takes the place of the table" out
is "stride: a point for each stride and map" "$(table s.tsv 1)" "$(printf '%s\t%s\t%s\t%s\n' \
	0 1 0 1 0 2 50 2 0 3 0 1 0 4 75 4 0 5 0 1 0 6 50 2 0 7 0 1 0 8 87.5 8 \
	1 1 12.5 2 1 2 12.5 2 1 3 12.5 2 1 4 12.5 2 1 5 12.5 2 1 6 12.5 2 1 7 87.5 8 1 8 12.5 2)"
# Means: (50 + 75 + 50 + 87.5) / 8 = 32.8125; (7 x 12.5 + 87.5) / 8 = 21.875.
is "stride: mean and worst of each map" "$(table s.tsv 2)" "$(printf '%s\t%s\t%s\t%s\t%s\n' \
	0 mod:8 32.8125 87.5 8 1 mod:7 21.875 87.5 7)"
is "stride: a linear axis" "$(variable s.tsv geometric)" 0
picture stride 1500 342 "$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern stride:1..8 -k 8 --footprint 512 --plot stride

# Blocks of 32 bytes, elements of 2: pitch 32 is stride 1, 64 is 2, 128 is 4, 256 and 512 are 8 and 16 on 8 banks.
"$TSPSIM" bank eval --banks 8 --map mod:8 --block-bytes 32 --pattern 'pitch:32..512*2' -k 8 --plot pitch -o p.tsv
is "pitch: conflicts by bytes" "$(table p.tsv 1 | cut -f 2,3)" "$(printf '%s\t%s\n' 32 0 64 50 128 75 256 87.5 512 87.5)"
is "pitch: doubling values have a logarithmic axis with their tics" "$(variable p.tsv geometric) $(table p.tsv 3 | cut -f 2 | tr '\n' ' ')" "1 32 64 128 256 512 "
picture pitch 1500 228 "$TSPSIM" bank eval --banks 8 --map mod:8 --block-bytes 32 --pattern 'pitch:32..512*2' -k 8 --plot pitch

# Four of eight requests find 0, 1, 2, 3 before them in bank 0, the others in banks 1 to 4 nothing: 5/8, 1/8, 1/8, 1/8.
echo "0 8 16 24 1 2 3 4" >group
"$TSPSIM" bank eval --banks 8 --map mod:8 --addresses group --blocks --plot queue -o q.tsv
is "queue: shares of requests in percent" "$(table q.tsv 1)" "$(printf '%s\t%s\t%s\n' 0 0 62.5 1 1 12.5 2 2 12.5 3 3 12.5)"
is "queue: the least share, and the mean" "$(variable q.tsv least) $(table q.tsv 2)" "$(printf '12.5 mod:8\t0.75')"
like "queue: with one port a depth is a delay" q.tsv "^# axis = 'requests ahead in the queue of the bank = cycles waited'"
# 64 in one bank: 0 to 63 before them; half octaves: 4-5 has 2 of 64, 32-47 has 16.
awk 'BEGIN {for (i = 0; i < 64; i++) printf "%d ", 8 * i}' >pile
"$TSPSIM" bank eval --banks 8 --map mod:8 --addresses pile --blocks --plot queue -o q.tsv
is "queue: long ones are binned by half octaves" "$(table q.tsv 1 | sed -n '5p;11p' | cut -f 2,3 | tr '\t\n' '  ')" "$(printf '4\342\200\2235 3.125 32\342\200\22347 25 ')"
is "queue: bins hold all requests" "$(table q.tsv 1 | awk '{s += $3} END {print s}')" 100
picture queue 1500 566 "$TSPSIM" bank eval --banks 8 --map mod:8 --addresses pile --blocks --plot queue

# Blocks 0 and 1 in turn, 16 times, then 2 and 3: bit 0 is even in every window of 16, bit 1 over the whole only.
awk 'BEGIN {for (g = 0; g < 2; g++) {for (i = 0; i < 16; i++) printf "%d ", 2 * g + i % 2; print ""}}' >bits
"$TSPSIM" bank eval --banks 8 --map mod:8 --addresses bits --blocks --plot entropy -o e.tsv
is "entropy: source, bit, whole, windows" "$(table e.tsv 1)" "$(printf '%s\t%s\t%s\t%s\n' 0 0 1 1 0 1 1 0)"
is "entropy: the sources" "$(table e.tsv 2)" "$(printf 'bits\t16')"
"$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern s1 --pattern s2 --model lockstep,fifo --plot entropy -o e.tsv
is "entropy: a strip a source, whatever the maps" "$(table e.tsv 2 | cut -f 1 | tr '\n' ' ')" "s1 s2 "
picture entropy 1500 338 "$TSPSIM" bank eval --banks 8 --map mod:8 --addresses bits --blocks --plot entropy

"$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern s2 --pattern s7 -k 8 --footprint 512 --plot bars -o b.tsv
is "bars: place, series, conflict, slowdown" "$(table b.tsv 1)" "$(printf '%s\t%s\t%s\t%s\n' 0 0 50 2 0 1 12.5 2 1 0 0 1 1 1 87.5 8)"
is "bars: places and series" "$(table b.tsv 2 | tr '\t\n' '  ')$(table b.tsv 3 | tr '\t\n' '  ')" "0 s2 1 s7 mod:8 25 mod:7 50 "
"$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern stride:1..8 -k 8 --footprint 512 --summary --plot bars -o b.tsv
is "bars: of summaries" "$(table b.tsv 1 | cut -f 3 | tr '\n' ' ')" "32.8125 21.875 "
picture bars 1500 692 "$TSPSIM" bank eval --banks 8 --map mod:8 --map mod:7 --pattern s2 --pattern s7 -k 8 --footprint 512 --plot bars

# The program of tests/e2e/conflicts.sh: b behind a and a behind b, a cycle each; a met itself, two beats.
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
"$TSPSIM" plot conflicts pair.db -o c.tsv
is "conflicts: column, row, cycles" "$(table c.tsv 1)" "$(printf '%s\t%s\t%s\n' 0 0 2 1 0 1 0 1 1)"
is "conflicts: names" "$(table c.tsv 2)" "$(printf '%s\t%s\n' 0 a 1 b)"
like "conflicts: sums" c.tsv "'4 cycles in banks: 2 of accesses to themselves, 2 behind others; map mod:139'"
picture conflicts 900 396 "$TSPSIM" plot conflicts pair.db
# Frozen: the group of cycle 1 waits a cycle for the one where a met b; cycle 9's is alone.
"$TSPSIM" run pair.tsp --policy freeze --trace freeze.db -q
"$TSPSIM" plot conflicts freeze.db -o c.tsv
is "conflicts: of a frozen machine, what it stood still for" "$(table c.tsv 1 | cut -f 3) $(variable c.tsv unit)" "1 'cycles frozen'"

cat >front.csv <<'END'
origin,map,xor2,on_front,gates_nand2,lost_percent,held_conflict_percent
family,"skew:144,5",,1,300,0,9.5
family,mod:143,,0,255.5,0.6944,8.2
annealed,"gf2:0x81,0x102,0x204,0x408,0x810,0x1020,0x2040",14,1,35,11.1111,6.25
family,expr:bank=b%100;row=b/100,,0,,30,10
END
"$TSPSIM" plot front front.csv -o f.tsv
is "front: its maps by gates, then the others" "$(table f.tsv 1)" "$(printf '%s\t%s\t%s\t%s\t%s\t%s\n' \
	35 6.25 11.1111 1 1 "gf2 of 14 XOR2" 300 9.5 0 1 2 "skew:144,5" 255.5 8.2 0.6944 0 0 mod:143)"
like "front: maps without gates are counted" f.tsv "3 maps, 2 on the front of conflicts, gates and lost capacity; 1 more"
picture front 1500 746 "$TSPSIM" plot front front.csv

"$TSPSIM" bank search --pattern s16 --pattern s24u --steps 0 -o found.csv >out 2>err
exits "front: what bank search writes is what it draws" 0 "$TSPSIM" plot front found.csv -o found.tsv
is "front: every map with gates has its row" "$(table found.tsv 1 | wc -l | tr -d ' ')" \
	"$(sqlite3 :memory: '.mode csv' '.import found.csv f' "SELECT count(*) FROM f WHERE gates_nand2 <> ''")"

"$TSPSIM" list plots >plots
for kind in occupancy banks conflicts front stride pitch queue entropy bars; do
	like "list plots: $kind" plots "^$kind "
done

# Nothing comes of nothing.
exits "stride without strides is refused" 1 "$TSPSIM" bank eval --pattern random --plot stride -o x.png
like "naming a pattern that has them" err 'nothing to draw: give --pattern stride:1\.\.256'
exits "pitch without pitches is refused" 1 "$TSPSIM" bank eval --pattern s16 --plot pitch -o x.png
"$TSPSIM" run -w gemm:65x330x340 --trace clean.db -q
exits "conflicts of a run without any are refused" 1 "$TSPSIM" plot conflicts clean.db -o x.png
like "saying so" err 'nothing to draw'
head -1 front.csv >none.csv
exits "a front without maps is refused" 1 "$TSPSIM" plot front none.csv -o x.png
like "saying so, too" err 'nothing to draw'
exits "no file was made" 1 test -e x.png
exits "a plot that does not exist is refused" 1 "$TSPSIM" bank eval --pattern s16 --plot strides -o x.png
like "with the nearest" err "did you mean 'stride'"
exits "a plot needs a file" 1 "$TSPSIM" bank eval --pattern s16 --plot bars
like "and says which" err 'give the file of --plot with -o'
exits "a file needs a plot" 1 "$TSPSIM" bank eval --pattern s16 -o x.png
exits "of a known ending" 1 "$TSPSIM" bank eval --pattern s16 --plot bars -o x.gif
exits "too many maps for one picture are refused" 1 "$TSPSIM" bank eval --pattern s16 --plot bars -o x.png \
	$(for m in 90 91 92 93 94 95 96 97 98 99 100; do echo --map mod:$m; done)
like "with the room that there is" err '11 combinations of map and model do not fit one picture, which has room for 10'
exits "a file that is no front is refused" 1 "$TSPSIM" plot front group -o x.png
like "naming the column" err "group:1: no column 'map'"
printf 'map,gates_nand2,held_conflict_percent,lost_percent\nmod:7,many,1,1\n' >bad.csv
exits "a number that is none is refused" 1 "$TSPSIM" plot front bad.csv -o x.png
like "with its line" err "bad.csv:2: expected a number, not 'many'"
exits "a front that is not there is refused" 1 "$TSPSIM" plot front nowhere.csv -o x.png
done_testing
