#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim cyclic: a loop by hand (tests/unit/test_cyclic.c says how), exit statuses, errors.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

dot=$TSPSIM_SRCDIR/tests/data/dot.loop
"$TSPSIM" cyclic "$dot" >out
is "a loop with a schedule: exit status 0" $? 0
cat >expected <<'END2'
loop         4 operations, 4 dependences, 3 resources
status       optimal
interval     3 cycles, found by ejection; at least 3
resources    at least 2, for port
recurrences  at least 3, for 3: sum
stages       4, the fewest
values       6 kept at a time, at least 2
kernel       cycle: operations [stage]
END2
grep -v '^ ' out | grep -v '^values' >head
grep -v '^values' expected >want
diff want head >differences
empty "the answer is as worked out" differences
is "each operation stands in the kernel once" "$(grep '^ ' out | tr ' ' '\n' | grep -c '[a-z]')" 4

"$TSPSIM" cyclic "$dot" --json >out
is "JSON has the keys" "$(json out '$.status') $(json out '$.ii') $(json out '$.bound_resource') $(json out '$.bound_recurrence') $(
	json out '$.proved') $(json out '$.stages') $(json out '$.valid')" "optimal 3 2 3 1 4 1"

printf 'op a\nop b\norder a b 1\norder b a 0\n' >never.loop
"$TSPSIM" cyclic never.loop >out
is "no interval will do: exit status 2" "$? $(sed -n 's/^status  *//p' out)" "2 infeasible"
printf 'op a\nvalue a b 1\n' >bad.loop
"$TSPSIM" cyclic bad.loop >out 2>err
is "errors name line and column" "$? $(cat err)" \
	"1 tspsim: bad.loop:2:9: expected an operation declared above, found 'b'; did you mean 'a'?"
"$TSPSIM" cyclic "$dot" --placements 0 >out 2>err
is "no placements are refused" $? 1
"$TSPSIM" cyclic nowhere.loop >out 2>err
is "no file: exit status 1" $? 1
done_testing
