#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim sdf: what it prints for graphs worked out by hand (tests/unit/test_sdf.c says how), its exit statuses, and the
# public graphs with the answers that come with them.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/interrupt.sh"

ring=$TSPSIM_SRCDIR/tests/data/ring.xml
"$TSPSIM" sdf "$ring" --minimal --full-rate >out
is "a live graph: exit status 0" $? 0
cat >expected <<'END'
graph        ring: 2 actors, 2 channels
status       live
repetition   load 3 work 2 (5 firings an iteration)
period       24 an iteration, bound by work -> load -> work -> load
buffers      8 tokens, the sum of what each channel needs by itself
to be live   8 tokens, the least, 1 distribution looked at: data 4 room 4
full rate    8 tokens, the least, 1 distribution looked at: data 4 room 4
END
diff expected out >differences
empty "the answer is as worked out" differences

sed 's/initialTokens="4"/initialTokens="1"/' "$ring" >stuck.xml
"$TSPSIM" sdf stuck.xml >out
is "a deadlock: exit status 2" $? 2
is "it says who waits" "$(sed -n 's/^waits  *//p' out | tr '\n' ';')" \
	"load for tokens of room from work;work for tokens of data from load;"

sed 's/type="in" rate="3"/type="in" rate="4"/' "$ring" >unbalanced.xml
"$TSPSIM" sdf unbalanced.xml >out
is "an inconsistent graph: exit status 2" $? 2
is "it names a channel" "$(sed -n 's/^unbalanced  *channel \([a-z]*\):.*/\1/p' out)" room

"$TSPSIM" sdf "$ring" --json >out
is "JSON has the keys" "$(tr -d '\n ' <out)" \
	'{"graph":"ring","status":"live","interrupted":false,"actors":2,"channels":2,"repetition":{"load":3,"work":2},"period":24,"period_exact":"24","binds":[{"channel":"room","lacks":"tokens"},{"channel":"data","lacks":"tokens"},{"channel":"room","lacks":"tokens"},{"channel":"data","lacks":"tokens"}],"buffers":8,"buffer_bounds":{"data":4,"room":4}}'

# 14 actors in a row, 3 tokens made where 2 are taken and the other way round: more distributions than anyone looks at.
awk 'BEGIN {n = 14
	print "<sdf3><applicationGraph name=\"g\"><sdf name=\"row\" type=\"t\">"
	for (i = 0; i < n; i++)
		printf "<actor name=\"a%d\" type=\"t\"><port name=\"i\" type=\"in\" rate=\"%d\"/><port name=\"o\" type=\"out\" rate=\"%d\"/>" \
			"<port name=\"s\" type=\"in\" rate=\"1\"/><port name=\"t\" type=\"out\" rate=\"1\"/></actor>\n", i, i % 2 ? 2 : 3, i % 2 ? 2 : 3
	for (i = 0; i < n; i++) {
		printf "<channel name=\"s%d\" srcActor=\"a%d\" srcPort=\"t\" dstActor=\"a%d\" dstPort=\"s\" initialTokens=\"1\"/>\n", i, i, i
		if (i + 1 < n)
			printf "<channel name=\"c%d\" srcActor=\"a%d\" srcPort=\"o\" dstActor=\"a%d\" dstPort=\"i\"/>\n", i, i, i + 1
	}
	print "</sdf><sdfProperties>"
	for (i = 0; i < n; i++)
		printf "<actorProperties actor=\"a%d\"><processor type=\"p\" default=\"true\"><executionTime time=\"%d\"/></processor></actorProperties>\n", i, i % 2 ? 2 : 3
	print "</sdfProperties></applicationGraph></sdf3>"}' >row.xml
interrupted "$TSPSIM" sdf row.xml --full-rate --limit 1000000000 --json
is "an interrupt ends the search for room, and the rest is told" \
	"$status $(json out '$.status') $(json out '$.period') $(json out '$.binds[0].times') $(json out '$.full_rate') $(
	json out '$.interrupted')" "130 live 6 2  1"

"$TSPSIM" sdf "$ring" --limit 0 >out 2>err
is "no distributions to look at is refused" "$? $(cat err)" "1 tspsim: sdf: --limit takes a whole number from 1, not '0'"
"$TSPSIM" sdf nowhere.xml >out 2>err
is "no file: exit status 1" $? 1

data=${TSPSIM_DATA-}/sdf3
if [ -r "$data/answers_derived.csv" ]; then
	tail -n +2 "$data/answers_derived.csv" | tr -d '\r' | cut -d, -f1,4,5,6,10 | while IFS=, read -r file firings vector period bound; do
		[ -r "$data/sdf/testbench/$file" ] || continue
		"$TSPSIM" sdf "$data/sdf/testbench/$file" >out
		echo "$file $vector ($firings firings an iteration) $period $bound"
		echo "$file $(sed -n 's/^repetition  *//p' out | sed -E 's/([A-Za-z0-9_]+) ([0-9]+)/\1=\2/g; s/[(]([0-9]+) firings/(\1 firings/') $(
			sed -n 's/^period  *\([0-9/]*\) .*/\1/p' out) $(sed -n 's/^buffers  *\([0-9]*\) .*/\1/p' out)" >>ours
	done | sort >theirs
	sort ours >ours.sorted
	sed -E 's/[(]([0-9]+)=firings/(\1 firings/' ours.sorted >ours
	diff theirs ours >differences
	empty "$(wc -l <theirs) public graphs: repetition, period and buffers as published" differences
else
	skip "public graphs" "no benchmark inputs; see --with-data"
fi
done_testing
