#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Random loop bodies of 8 to 40 operations, by a generator of linear congruences: every schedule is valid and not below its
# bounds, ejection alone meets the bound on most, and the exact part decides nearly all of the rest.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# body SEED OPERATIONS
body()
{
	awk -v seed="$1" -v n="$2" '
	function draw(k) {seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % k}
	BEGIN {
		print "resource mem 2\nresource alu 2\nresource mul 1\nresource div 1"
		for (i = 0; i < n; i++) {
			kind = draw(10)
			use = kind < 3 ? "mem" : kind < 7 ? "alu | mul" : kind < 9 ? "mul@0 alu@2" : "div:3"
			latency[i] = kind < 3 ? 4 : kind < 7 ? 1 : kind < 9 ? 3 : 8
			print "op o" i, use
		}
		for (i = 1; i < n; i++)
			for (k = draw(3); k > 0; k--) {
				from = draw(i)
				print "value o" from, "o" i, latency[from]
			}
		for (k = draw(4); k > 0; k--) {
			to = draw(n); from = draw(n)
			print "value o" from, "o" to, latency[from], 1 + draw(3)
		}
	}'
}

count=0 met=0 optimal=0 alone=0
while [ $count -lt 200 ]; do
	body $((count * 7919 + 1)) $((8 + count % 33)) >loop
	"$TSPSIM" cyclic loop --json >answer
	"$TSPSIM" cyclic loop --conflicts 0 --json >list
	ii=$(json answer '$.ii') resource=$(json answer '$.bound_resource') recurrence=$(json answer '$.bound_recurrence')
	bound=$((resource > recurrence ? resource : recurrence))
	if [ "$(json answer '$.valid')" != 1 ] || [ "$ii" -lt "$bound" ] || [ "$(json list '$.ii')" -lt "$ii" ]; then
		echo "loop $count: $ii, bounds $resource and $recurrence" >>offending
	fi
	[ "$ii" = "$bound" ] && met=$((met + 1))
	[ "$(json answer '$.status')" = optimal ] && optimal=$((optimal + 1))
	[ "$(json list '$.ii')" = "$ii" ] && alone=$((alone + 1))
	count=$((count + 1))
done
touch offending
empty "200 schedules are valid and not below their bounds" offending
echo "# $met of 200 meet the bound, $optimal are proved optimal, ejection alone finds $alone of the intervals"
is "195 of them are proved optimal at least" "$((optimal >= 195))" 1
is "ejection alone finds 180 at least" "$((alone >= 180))" 1
done_testing
