#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim alloc: a layout by hand, exit statuses, banks, and the public sets: every given instance fits the capacity, and greedy
# allocation is near the bound.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/alloc_set.sh"

cat >five.csv <<'END'
id,lower,upper,size
b1,0,3,4
b2,3,9,4
b3,0,9,4
b4,9,21,4
b5,0,21,4
END
"$TSPSIM" alloc five.csv --capacity 12 >out
is "three buffers of four bytes live at once and fit twelve" $? 0
cat >expected <<'END'
buffers      5
status       optimal
height       12 bytes, found by greedy
capacity     12 bytes
bound        at least 12 bytes
END
diff expected out >differences
empty "and the answer is as worked out" differences
"$TSPSIM" alloc five.csv --capacity 11 >out
is "with eleven, that there is none is proved: exit status 2" "$? $(sed -n 2p out)" "2 status       infeasible"
"$TSPSIM" alloc five.csv --output placed.csv -q
is "what is written can be read, its addresses fixed" "$("$TSPSIM" alloc placed.csv --json | value height)" 12
"$TSPSIM" alloc five.csv --time -1 >out 2>err
is "a time below nothing is refused" $? 1
"$TSPSIM" alloc five.csv --capacity 0 >out 2>err
is "a capacity of nothing is refused" $? 1
"$TSPSIM" alloc five.csv --map mod:4 >out 2>err
is "a map without accesses is refused" $? 1

# conflicts: those left.
conflicts()
{
	sed -n '/"after"/,$ s/^ *"conflicts": \(.*\),/\1/p' "$1"
}

# Five buffers, all used in one cycle; four banks serve four: one conflict is left.
printf 'id,lower,upper,size\na,0,2,16\nb,0,2,32\nc,0,2,48\nd,0,2,16\ne,0,2,16\n' >use.csv
printf 'cycle,id,byte\n1,a,0\n1,b,0\n1,c,0\n1,d,0\n1,e,0\n' >cycles.csv
"$TSPSIM" alloc use.csv -c 256 --accesses cycles.csv --map mod:4 --banks 4 --block 16 --json >out
is "accesses of one cycle go to different banks where they can" "$(value valid <out) $(conflicts out)" "true 1"
printf 'first,second\nb,c\n' >pairs.csv
"$TSPSIM" alloc use.csv -c 256 --accesses pairs.csv --map mod:4 --banks 4 --block 16 --json >out
is "pairs do, too" "$(conflicts out)" 0

# Greedy puts the longer buffer first and the other behind it, four blocks on: the same bank.  One block more is none.
printf 'id,lower,upper,size\na,0,2,64\nb,0,2,16\n' >behind.csv
printf 'cycle,id,byte\n1,a,0\n1,b,0\n' >both.csv
for tries in 0 100; do
	"$TSPSIM" alloc behind.csv -c 96 --accesses both.csv --map mod:4 --banks 4 --block 16 --refine $tries --json >out
	conflicts out
done >left
is "--refine takes a conflict away" "$(tr '\n' ' ' <left)" "1 0 "

# One after the other they take the same four bytes, unless a is fixed at 8.
printf 'id,lower,upper,size,offset\na,0,3,4,8\nb,4,6,4,0\n' >fixed.csv
is "a fixed address counts" "$("$TSPSIM" alloc fixed.csv --json | value height)" 12
printf 'id,lower,upper,size,offset\nfree,0,9,4,\na,0,3,4,8\nlater,3,5,4,8\nb,2,6,4,10\n' >collide.csv
exits "fixed addresses that collide: exit status 2" 2 "$TSPSIM" alloc collide.csv
like "both buffers are named" out "^collide +'a' fixed at 8, 4 bytes, and 'b' fixed at 10, 4 bytes, live at once"
"$TSPSIM" alloc collide.csv --json >out
is "in JSON, too" "$(json out '$.colliding')" '["a","b"]'
is "unless addresses are free" "$("$TSPSIM" alloc fixed.csv --free-offsets --json | value height)" 4

instances minimalloc/benchmarks/challenging >files
if [ -s files ]; then
	while read -r file; do
		name=$(basename "$file" .csv)
		"$TSPSIM" alloc "$file" --moves 0 --nodes 0 --json >out
		is "$name: greedy is at most 1.25 times what lives at once, and valid" \
			"$(awk "BEGIN {print $(value greedy_height <out) <= 1.25 * $(value lower_bound <out)}") $(value valid <out)" "1 true"
		"$TSPSIM" alloc "$file" --capacity 1048576 --moves 0 --nodes 5000000 --json >out
		is "$name fits 2^20 bytes" "$? $(value valid <out)" "0 true"
	done <files
	name=$(tail -1 files)
	"$TSPSIM" alloc "$name" -c 1048576 --json | sed '/seconds/d' >one
	"$TSPSIM" alloc "$name" -c 1048576 --json | sed '/seconds/d' >two
	is "equal seeds, equal answers" "$(cksum <one)" "$(cksum <two)"
else
	skip "public instances" "no benchmark inputs; see --with-data"
fi
done_testing
