#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `tspsim --trace run.db`, the first thing that anyone types.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

exits "the default run succeeds" 0 "$TSPSIM" --trace run.db --json
mv out run.json

keys=$(sqlite3 :memory: "SELECT group_concat(key, ' ') FROM (SELECT key FROM json_each(CAST(readfile('run.json') AS TEXT)) LIMIT 16)")
is "JSON begins with the documented keys" "$keys" "machine workload cycles predicted_cycles compared_events violations slip_cycles \
macs utilisation mxm_ceiling bank_requests bank_delayed instructions checked wall_s trace"
is "utilisation is an object of four fractions" \
	"$(sqlite3 :memory: "SELECT group_concat(key, ' ') FROM json_each(CAST(readfile('run.json') AS TEXT), '\$.utilisation')")" \
	"mxm vxm sxm sram"
is "machine is tsp" "$(json run.json '$.machine')" tsp
is "workload is the documented one" "$(json run.json '$.workload')" gemm:1024x1024x512
is "MACs are M x N x K" "$(json run.json '$.macs')" $((1024 * 1024 * 512))
is "predicted = simulated cycles" "$(json run.json '$.cycles')" "$(json run.json '$.predicted_cycles')"
is "no violations" "$(json run.json '$.violations')" 0
is "no event differs" "$(json run.json '$.mismatched_events')" 0
is "events were compared, more than instructions issued" \
	"$([ "$(json run.json '$.compared_events')" -gt "$(json run.json '$.instructions')" ] && echo yes)" yes
is "results equal the reference" "$(json run.json '$.checked')" 1
is "no slip" "$(json run.json '$.slip_cycles')" 0
is "the trace is named" "$(json run.json '$.trace')" run.db
# K = 512 takes two K blocks of 320 rows, N = 1024 four of 320 lanes: 512 x 1024 / (640 x 1280) = 64 %.
is "the ceiling is that of whole blocks" "$(json run.json '$.mxm_ceiling')" 0.64
is "utilisation is work / (peak x cycles)" \
	"$(awk -v m="$(json run.json '$.macs')" -v c="$(json run.json '$.cycles')" 'BEGIN {printf "%.4f", m / (102400 * c)}')" \
	"$(awk -v u="$(json run.json '$.utilisation.mxm')" 'BEGIN {printf "%.4f", u}')"

is "the trace is sound" "$(sql run.db 'PRAGMA integrity_check')" ok
is "the trace is ours" "$(sql run.db 'PRAGMA application_id')" 1414746196
is "the trace is complete" "$(sql run.db "SELECT value FROM run WHERE key = 'status'")" complete
is "the trace holds every issue" "$(sql run.db 'SELECT count(*) FROM issue')" "$(json run.json '$.instructions')"
is "the trace's counters are the report's" "$(sql run.db "SELECT value FROM counter WHERE name = 'cycles'")" "$(json run.json '$.cycles')"

exits "an existing trace is overwritten, and the report is text" 0 "$TSPSIM" --trace run.db --no-functional
for line in 'machine +tsp' 'workload +gemm:1024x1024x512' 'cycles +[0-9,]+ \(' 'binds +' 'utilisation +MXM [0-9.]+ %.*ceiling' \
	'banks +[0-9,]+ requests' 'predicted += simulated, in all [0-9,]+ compared events' 'violations +none' 'assumed +' \
	'trace +run\.db' 'next +tspsim stat run\.db' 'map mod:139, which leaves 8\.00 MB'; do
	like "the report says: $line" out "$line"
done

exits "--quiet prints nothing" 0 "$TSPSIM" -q -w gemm:8x8x8
empty "--quiet prints nothing on stdout" out
empty "nothing is printed on stderr" err
done_testing
