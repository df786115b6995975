#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# stat and plot on traces of every level.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

for level in summary units full; do
	for machine in tsp tsp-isca20; do
		"$TSPSIM" -m $machine -w gemm:40x330x340 --trace $level.db --trace-level $level -q ||
			not_ok "$machine runs with level $level"
		exits "$machine $level: stat" 0 "$TSPSIM" stat $level.db
		is "$machine $level: stat prints" "$([ "$(wc -l <out)" -gt 5 ] && echo yes)" yes
		exits "$machine $level: stat --json" 0 "$TSPSIM" stat $level.db --json
		is "$machine $level: JSON is valid" "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('out') AS TEXT))")" 1
	done
done
"$TSPSIM" list queries | awk '/\(tsp, / {print $1}' >queries
while read -r query; do
	exits "query $query" 0 "$TSPSIM" stat full.db "$query"
	like "query $query: its question stands in the list" out "^$("$TSPSIM" list queries | sed -n "/(tsp, /s/^$query  *//p" | sed 's/?.*/./')"
done <queries

"$TSPSIM" stat full.db units --json >units.json
is "the MXM's work is its multiply-accumulates" "$(json units.json '$.answers.units[2].work')" \
	"$(sql full.db "SELECT value FROM counter WHERE name = 'macs'")"
for name in abc relu skew skew:144,5 direct late-operand; do
	exits "explain $name" 0 "$TSPSIM" explain $name
done

exits "a question with nothing to answer" 0 "$TSPSIM" stat full.db violations
like "is answered, too" out '^  none$'

if command -v gnuplot >/dev/null; then
	# Those of bank work have their own test, tests/e2e/bank_plots.sh; this run has no conflicts.
	for kind in $("$TSPSIM" list plots | awk '/bank --plot|^front|^conflicts|\(ascend\)/ {next} {print $1}'); do
		for format in png svg pdf; do
			exits "plot $kind as $format" 0 "$TSPSIM" plot "$kind" full.db -o "o.$format"
			is "plot $kind as $format: a picture" "$([ "$(wc -c <"o.$format")" -gt 1000 ] && echo yes)" yes
		done
	done
	# texts FILE.svg: horizontal place and text of each label.
	texts()
	{
		awk '/<g transform="translate/ {match($0, /translate\([0-9.]+/); x = substr($0, RSTART + 10, RLENGTH - 10)}
			/<text>/ {gsub(/<[^>]*>/, ""); gsub(/[ \t]/, ""); print x, $0}' "$1"
	}

	# The right-hand axis reaches beyond the bank that waited longest, which is not the one with the most requests.
	"$TSPSIM" --set hw.sram.map=skew:144,5 --no-functional --trace waits.db -q
	longest=$(sql waits.db 'SELECT max(wait) FROM bank')
	is "one bank waits far longer than the busiest" \
		"$(sql waits.db "SELECT $longest > 10 * wait FROM bank ORDER BY requests DESC, id LIMIT 1")" 1
	"$TSPSIM" plot banks waits.db -o waits.svg
	is "the axis of waiting shows it" \
		"$(texts waits.svg | awk -v w="$longest" '$1 > 1400 && $1 < 1430 && $2 > m {m = $2} END {print (m > 0.8 * w)}')" 1
	"$TSPSIM" -w vmap:relu,640 --trace few.db -q
	"$TSPSIM" plot banks few.db -o few.svg
	# One or two requests a bank: the axis has 0, 1 and 2, each once; 0 is the bottom of both pictures.
	is "few requests are counted in whole numbers" "$(texts few.svg | awk '$1 < 100 && $2 < 10 {printf "%s ", $2}')" "0 1 2 0 "

	# Layers without room for their names have none, and nothing in their place.
	printf 'wide,2000,900,2000\nslim,30,40,50\nslimmer,20,30,40\nbroad,2000,900,1000\n' >layers.csv
	"$TSPSIM" -w layers.csv --set csv.form=gemm --trace layers.db --trace-level units -q
	"$TSPSIM" plot occupancy layers.db -o layers.svg
	is "wide layers are named" "$(texts layers.svg | grep -Ec ' (wide|broad|slim|slimmer)$')" 2
	empty "and there are no numbers but tics" "$(texts layers.svg | grep -E ' [0-9]+$' | grep -v ' 0$' >numbers; echo numbers)"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do echo "l$i,30,40,50"; done >many.csv
	"$TSPSIM" -w many.csv --set csv.form=gemm --trace many.db -q
	exits "many layers, none with room for a name" 0 "$TSPSIM" plot occupancy many.db -o many.svg
else
	skip "plots" "no gnuplot here"
fi

# A window keeps its cycles and no others.
"$TSPSIM" -w gemm:40x330x340 --trace window.db --trace-window 20:40 -q
is "a window keeps issues of its cycles only" "$(sql window.db 'SELECT count(*) FROM issue WHERE cycle < 20 OR cycle >= 40')" 0
is "and all of them" "$(sql window.db 'SELECT count(*) FROM issue')" \
	"$("$TSPSIM" -w gemm:40x330x340 --trace all.db -q; sql all.db 'SELECT count(*) FROM issue WHERE cycle BETWEEN 20 AND 39')"
# Names of either kind of machine.
"$TSPSIM" explain ub.banks -m ascend-910b >out
like "a key of Ascend-style machines has its value, class and source" out '^  ascend-910b  *48  .published; Ascend C.$'
"$TSPSIM" explain clock_hz >out
is "a key that both kinds have is explained for all machines" "$(grep -cE '^  (tsp|tsp-isca20|ascend-910b) ' out)" 3
exits "an instruction of Ascend-style cores is explained" 0 "$TSPSIM" explain vadd
exits "a key of the other kind is refused" 1 "$TSPSIM" explain ub.banks -m tsp
is "machines of both kinds are listed" "$("$TSPSIM" list machines | grep -cE '^(tsp|ascend-910a) ')" 2

done_testing
