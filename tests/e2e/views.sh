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
"$TSPSIM" list queries | awk '{print $1}' >queries
while read -r query; do
	exits "query $query" 0 "$TSPSIM" stat full.db "$query"
done <queries

if command -v gnuplot >/dev/null; then
	for kind in $("$TSPSIM" list plots | awk '{print $1}'); do
		for format in png svg pdf; do
			exits "plot $kind as $format" 0 "$TSPSIM" plot "$kind" full.db -o "o.$format"
			is "plot $kind as $format: a picture" "$([ "$(wc -c <"o.$format")" -gt 1000 ] && echo yes)" yes
		done
	done
else
	skip "plots" "no gnuplot here"
fi

# A window keeps its cycles and no others.
"$TSPSIM" -w gemm:40x330x340 --trace window.db --trace-window 20:40 -q
is "a window keeps issues of its cycles only" "$(sql window.db 'SELECT count(*) FROM issue WHERE cycle < 20 OR cycle >= 40')" 0
is "and all of them" "$(sql window.db 'SELECT count(*) FROM issue')" \
	"$("$TSPSIM" -w gemm:40x330x340 --trace all.db -q; sql all.db 'SELECT count(*) FROM issue WHERE cycle BETWEEN 20 AND 39')"
done_testing
