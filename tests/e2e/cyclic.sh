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
recurrences  at least 3 (exactly 3), for sum
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
# A round trip of 5 + 2 cycles is over two iterations later: 7 / 2.
printf 'op a\nop b\nvalue a b 5\nvalue b a 2 2\n' >half.loop
"$TSPSIM" cyclic half.loop >out
is "a ratio stands beside its bound" "$(sed -n 's/^recurrences *//p' out)" "at least 4 (exactly 7/2), for a b"
"$TSPSIM" cyclic half.loop --limit 3 >out
is "no interval up to the limit: it says which are needed" "$? $(sed -n 's/^not found *//p' out)" \
	"2 the interval is at least 4, above --limit"
printf 'resource r 1\nop a r*2\n' >much.loop
"$TSPSIM" cyclic much.loop >out
is "what asks for too much has no bound beside it" "$? $(grep -c '^resources' out) $(sed -n 's/^impossible *//p' out)" \
	"2 0 'a' alone asks for more than there is"
"$TSPSIM" cyclic "$dot" --placements 0 >out 2>err
is "no placements are refused" $? 1
"$TSPSIM" cyclic nowhere.loop >out 2>err
is "no file: exit status 1" $? 1

# Vector loops.  A vector of 320 fp16 values lies in 40 of 139 banks, so three accesses fit a cycle: of a load and a store an
# iteration, three iterations take two cycles; of two loads and a store, one takes one.  One of fp32 values lies in 80, no two of which
# fit: by halves six accesses an iteration, three a cycle, two cycles.
loop()
{
	"$TSPSIM" run "$@" --functional --json >out
	echo "$(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked') $(($(json out '$.cycles') - $(json out '$.predicted_cycles')))"
	"$TSPSIM" run "$@" >report
	sed -n 's/^.*: \(initiation interval.*\)$/\1/p' report
}
is "three iterations take two cycles" "$(loop vmap:relu,100000)" "0 0 1 0
initiation interval 2 for 3 iterations, at least 2 (SRAM banks), proved"
is "JSON has them, in lowest terms" "$("$TSPSIM" run vmap:relu,100000 --json >out; json out '$.intervals[0].loop') $(
	json out '$.intervals[0].cycles') $(json out '$.intervals[0].iterations') $(json out '$.intervals[0].proved') $(
	json out '$.intervals[0].binds')" "z 2 3 1 SRAM banks"
is "a loop of 313 iterations takes 2/3 of them and 30 cycles more at most" "$(($(json out '$.cycles') <= 313 * 2 / 3 + 30))" 1
is "three accesses take a cycle" "$(loop vmap:add,100000)" "0 0 1 0
initiation interval 1, at least 1 (SRAM banks), proved"
is "wide ones two, by halves" "$(loop vmap:add,64000:fp32)" "0 0 1 0
initiation interval 6 for 3 iterations, at least 6 (SRAM banks), proved"
is "a unit is called as in other lines of the report" "$("$TSPSIM" sched softmax:33x160 | grep -c 'initiation interval .* at least 2 (SRAM issue slots)')" 2
is "rows of a product follow each other as fast as the planes take them" \
	"$("$TSPSIM" run gemm:512x512x512 | sed -n 's/^.*: \(rows of .*\)$/\1/p')" \
	"rows of 2 of 2 matrix passes at the least initiation interval, proved"
for set in sram.map=mod:144 sram.map=skew:144,5 sram.ports=2 vreg.count=16 vreg.write_ports=4 sram.latency_cycles=30; do
	is "right with $set" "$(loop softmax:64x160 --set $set | head -1) $(loop vmap:relu,40000 --set $set | head -1)" "0 0 1 0 0 0 1 0"
done
: >empty.loop
exits "an empty file" 1 "$TSPSIM" cyclic empty.loop
like "is refused in its first line" err "empty\.loop:1:1: expected a line 'op NAME'"
done_testing
