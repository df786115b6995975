#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim color: a ring by hand, exit statuses, and the register graphs of the public set: no spill with as many registers as
# always suffice, nor with as few as are possible at all; one fewer spills.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/interrupt.sh"

cat >ring.col <<'END'
c five live ranges in a ring
p edge 5 5
e 1 2
e 2 3
e 3 4
e 4 5
e 5 1
n 3 0.5
a 1 3 2
END
"$TSPSIM" color ring.col -k 3 >out
is "a ring of five fits three registers" $? 0
cat >expected <<'END'
graph        5 live ranges, 5 interferences, 1 copy
registers    3 of 3 in use, found by briggs
bounds       at least 2 (a clique), 3 always suffice (degeneracy)
spilled      none
copies       1 of 1 coalesced, cost 0 left
END
diff expected out >differences
empty "and the answer is as worked out" differences
"$TSPSIM" color ring.col -k 2 >out
is "with two, one spills: exit status 2" "$? $(grep '^spilled' out)" "2 spilled      1 range, cost 0.5"
is "without a number, the least is found" "$("$TSPSIM" color ring.col --json | sed -n 's/^  "colors": \(.*\),/\1/p')" 3
"$TSPSIM" color ring.col -k 2 --json >one
"$TSPSIM" color ring.col -k 2 --json --seed 1 >two
is "equal seeds, equal answers" "$(sed '/seconds/d' one)" "$(sed '/seconds/d' two)"
"$TSPSIM" color ring.col --time -1 >out 2>err
is "a time below nothing is refused" $? 1
"$TSPSIM" color ring.col -k -1 >out 2>err
is "registers below nothing are refused" $? 1

# 60 ranges, all joined: 59 registers never do.
awk 'BEGIN {print "p edge 60 1770"; for (i = 1; i <= 60; i++) for (j = 1; j < i; j++) print "e", i, j}' >all.col
interrupted "$TSPSIM" color all.col -k 59 --moves 1000000000000 --json
is "an interrupt prints the best so far" "$status $(json out '$.status') $(json out '$.spills') $(json out '$.valid') $(
	json out '$.capped') $(json out '$.interrupted')" "130 infeasible 1 1 0 1"

table=${TSPSIM_DATA-}/coloring/anchors_derived.csv
if [ -r "$table" ]; then
	tr -d '\r' <"$table" | grep -E '^(fpsol2|inithx|mulsol|zeroin)' >rows
	while IFS=, read -r name _ _ best _ _ _ _ suffices; do
		file=$TSPSIM_DATA/coloring/$name.col
		[ -r "$file" ] || continue
		"$TSPSIM" color "$file" -k "$suffices" --moves 0 -q
		is "$name fits $suffices registers" $? 0
		"$TSPSIM" color "$file" -k "$best" -q
		is "$name fits $best" $? 0
		"$TSPSIM" color "$file" -k $((best - 1)) --moves 2000 -q
		is "$name does not fit one fewer" $? 2
	done <rows
else
	skip "public graphs" "no benchmark inputs; see --with-data"
fi
done_testing
