#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim bank search with small budgets: what it prints and writes, every option, and that its numbers are those of
# `tspsim bank eval`.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

small="--banks 20 --rows 1024 --footprint 16384 --groups 24 -k 16"
chains="--steps 300 --restarts 1"
train="--pattern s1u --pattern s16u --pattern s64u --pattern tile4x4/64"
held="--hold-out s3u --hold-out s48u"

# small_search OPTION...
# shellcheck disable=SC2086
small_search()
{
	"$TSPSIM" bank search $small $chains "$@"
}

# shellcheck disable=SC2086
exits "a search with held-out patterns" 0 small_search $train $held -o front.csv
cp out table
printf '.mode csv\n.import front.csv f\n' | sqlite3 front.db
like "prints how the held-out sources came about" table '4 training and 2 held-out sources \(given\), seed 1'
like "the front has the modulus, which takes no gates" table '^\* classic +- +0 +wires.* mod:16$'
like "what dominates a classic map is said" table '^  mod:20 .* on [0-9]+ of 2 sources by some member'
is "the CSV has its columns" "$(head -1 front.csv)" "map,origin,on_front,xor2,xor2_unshared,gates_nand2,gates_class,banks_used,\
lost_words,lost_percent,train_bound_percent,train_conflict_percent,train_worst_percent,train_worst_source,train_slowdown,\
held_conflict_percent,held_worst_percent,held_worst_source,held_slowdown,held_fifo_conflict_percent,held_fifo_slowdown,\
held_closed_conflict_percent,held_closed_grants_per_cycle,certified_train_sources,certified_held_sources"
is "16 of 20 banks lose a fifth" "$(sql front.db "SELECT lost_words, lost_percent, banks_used FROM f WHERE map = 'mod:16'")" "4096|20.0000|16"

# Found maps, as text and as files, give the numbers of the search in `bank eval`.
found=$(sql front.db "SELECT map FROM f WHERE origin = 'annealed' AND on_front = '1' ORDER BY xor2 + 0 DESC LIMIT 1")
xor2=$(sql front.db "SELECT xor2 FROM f WHERE map = '$found'")
is "a map over GF(2) was found" "$(echo "$found" | cut -c1-6)" gf2:0x
is "its file has its number of XOR2" "$([ -s "front.${xor2}xor.gf2" ] && echo yes)" yes
for map in "$found" "gf2:front.${xor2}xor.gf2"; do
	# shellcheck disable=SC2086
	exits "--map takes $map" 0 "$TSPSIM" bank $small $train --map "$map" --seed 1 --json
	is "$map: training conflicts are those of eval" \
		"$(sqlite3 :memory: "SELECT printf('%.4f', 100 * avg(json_extract(value, '\$.request_conflict')))
			FROM json_each(CAST(readfile('out') AS TEXT), '\$.results')")" \
		"$(sql front.db "SELECT train_conflict_percent FROM f WHERE map = '$found'")"
done
# shellcheck disable=SC2086
"$TSPSIM" bank $small --pattern s3u --pattern s48u --map "$found" --seed 2 --model fifo --json >out
is "held-out conflicts in fifo are those of eval with the next seed" \
	"$(sqlite3 :memory: "SELECT printf('%.4f', 100 * avg(json_extract(value, '\$.request_conflict')))
		FROM json_each(CAST(readfile('out') AS TEXT), '\$.results')")" \
	"$(sql front.db "SELECT held_fifo_conflict_percent FROM f WHERE map = '$found'")"

# Certificates: each names a source without conflicts.
like "a certificate with a modulus" front.certificates 'mod:19 has no conflict on s1u \(training\): 384 requests in 24 groups, 2880 pairs, 15 distinct differences .*none a multiple of 19'
like "a certificate with a null space" front.certificates 'none in the null space on 14 address bits, spanned by( 0x[0-9a-f]+){10}$'
sed -n 's/^\([^ ]*\) has no conflict on \([^ ]*\) (training).*/\1 \2/p' front.certificates | head -12 >claims
while read -r map source; do
	# shellcheck disable=SC2086
	"$TSPSIM" bank $small --pattern "$source" --map "$map" --json >out
	is "$map on $source: no conflict" "$(json out '$.delayed')" 0
done <claims

# Results do not depend on threads, and do depend on the seed.
# shellcheck disable=SC2086
{
	small_search $train $held --json -j 1 >one
	small_search $train $held --json -j 2 >two
	small_search $train $held --json --seed 7 >seven
}
is "threads change nothing" "$(cmp one two && echo same)" same
is "JSON is valid" "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('one') AS TEXT))")" 1
is "JSON has conflicts of each held-out source" "$(json one '$.maps[0].held.closed.request_conflicts' | tr -cd , | wc -c)" 1
is "another seed, another stream" "$(cmp -s one seven && echo same)" ""

# The split, the budget.
# shellcheck disable=SC2086
{
	small_search $train --json >out
	is "without --hold-out, every other group is held out" "$(json out '$.held_out') $(json out '$.train_groups')" "alternate groups 48"
	chains="--steps 0"
	small_search $train $held --json >out
	chains="--steps 300 --restarts 1"
	is "no steps, no annealing" "$(json out '$.annealing_steps') $(grep -c '"annealed"' out)" "0 0"
	small_search $train $held --restarts 2 --json >out
	is "restarts double the chains" "$(json out '$.annealing_steps') $(json one '$.annealing_steps')" "4800 2400"
	small_search $train $held --max-gates 10 --json >out
	is "--max-gates bounds the front" "$(sqlite3 :memory: "SELECT max(json_extract(value, '\$.gates_nand2')) <= 10
		FROM json_each(CAST(readfile('out') AS TEXT), '\$.maps') WHERE json_extract(value, '\$.on_front')")" 1
	small_search $train $held --map skew:20,3 --json >out
	is "maps that are given are reported beside the front" "$(grep -c '"map": "skew:20,3",' out | sed 's/[1-9].*/yes/')" yes
}

# Files: block numbers, a group a line.
i=0
while [ $i -lt 64 ]; do
	echo "$i $((i + 16)) $((i + 32)) $((i + 48))"
	i=$((i + 1))
done >addresses.txt
exits "addresses of a file" 0 small_search --addresses addresses.txt --blocks --json
is "even groups train, odd ones are held out" "$(json out '$.train_groups') $(json out '$.held_sources[0]')" "32 addresses.txt"
exits "a file is held out" 0 small_search --pattern s16u --hold-out addresses.txt --blocks --json
is "its name is the source's" "$(json out '$.held_sources[0]') $(json out '$.held_out')" "addresses.txt given"
exits "standard input cannot be read again" 1 small_search --addresses -
like "and the error says so" err 'cannot be read again'

# yosys, of which only the report matters here.
mkdir fake
cat >fake/yosys <<'END'
#!/bin/sh
# The script is the word after -p; the report is to go where tee -o says.
report=$(echo "$3" | sed 's/.*tee -o \([^ ]*\) stat.*/\1/')
printf '=== map ===\n     $_NOT_  2\n     $_AND_  4\n     $_XOR_  10\n' >"$report"
END
chmod +x fake/yosys
# shellcheck disable=SC2086
PATH=$PWD/fake:$PATH small_search $train $held --yosys --json >out
is "2 NOT, 4 AND, 10 XOR are 32 NAND2, measured" "$(sqlite3 :memory: "SELECT json_extract(value, '\$.gates_nand2'),
	json_extract(value, '\$.gates_class') FROM json_each(CAST(readfile('out') AS TEXT), '\$.maps')
	WHERE json_extract(value, '\$.map') = 'mod:20'")" "32|measured"
printf '#!/bin/sh\nexit 1\n' >fake/yosys
# shellcheck disable=SC2086
PATH=$PWD/fake:$PATH small_search $train $held --yosys >out 2>err
is "a yosys that fails is an error" "$? $(grep -c 'bank search: --yosys: ' err)" "1 1"

# Mistakes.
exits "k must be one number" 1 "$TSPSIM" bank search -k 16,64
like "k: the error" err "bank search: --k takes one number from 1 to 65536, not '16,64'"
exits "steps below 0" 1 small_search --steps -1
like "steps: the error" err 'bank: --steps takes a whole number from 0 to'
exits "no restart" 1 small_search --restarts 0
exits "too many threads" 1 small_search --jobs 5000
exits "gates below 0" 1 small_search --max-gates -3
exits "a held-out pattern that is none" 1 small_search --pattern s1u --hold-out strid:4
like "held out: the error names the nearest" err "did you mean 'stride'"
exits "a word too many" 1 small_search more
like "word: the error" err "bank search: unexpected argument 'more'"
# shellcheck disable=SC2086
exits "a folder that is not there" 1 small_search --pattern s1u -o nowhere/front.csv
done_testing
