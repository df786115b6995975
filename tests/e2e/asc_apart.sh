#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Where predicted and simulated times part: nowhere on the machine that the program was made for; on another one on the
# pipes that its key slows down, and on those that wait for them.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# pipe FILE KIND PIPE PATH: a number of one pipe of a JSON report.
pipe()
{
	sqlite3 :memory: "SELECT json_extract(p.value, '\$.$4') FROM json_each(CAST(readfile('$1') AS TEXT), '\$.pipes') AS p
		WHERE json_extract(p.value, '\$.kind') = '$2' AND json_extract(p.value, '\$.pipe') = '$3'"
}

run="$TSPSIM run -m ascend-910b -w vmap:relu,20000"

# 20,000 elements of two bytes are 79 lines: forty sub-cores have two each, a copy in, an instruction and a copy out.
$run >text 2>err </dev/null
like "a run as predicted says so" text '^apart +no pipe is busy, or waits for anything, half a percent'
$run --json >same </dev/null
is "waits are the same" "$(pipe same vector V compared_waits.flags)" "$(pipe same vector V predicted_waits.flags)"
is "nothing takes longer" "$(pipe same vector MTE2 longer_than_predicted)" "{}"

# Misses take 1000 cycles more.  The forty reads are longer by that, and the vector unit and MTE3 wait so much longer;
# their own work is as long as before.
$run --set hw.hbm.miss_cycles=1179 --trace run.db >text 2>err </dev/null
$run --set hw.hbm.miss_cycles=1179 --json >other </dev/null
like "memory is named where it is slower" text 'vector  MTE2  busy \+40,000 \(unit \+40,000\) cycles of'
like "who waits for it is named" text 'vector  V     flags \+40,000 cycles of'
like "and who waits for that" text 'vector  MTE3  flags \+40,000 cycles of'
is "JSON has the same" \
	"$(($(pipe other vector V compared_waits.flags) - $(pipe other vector V predicted_waits.flags)))" 40000
is "the vector unit is as busy as predicted" "$(pipe other vector V compared_busy_cycles)" \
	"$(pipe other vector V predicted_busy_cycles)"
"$TSPSIM" stat run.db apart >rows 2>err
is "and so has the trace" "$(awk '$2 == "V" && $3 == "flags" { print $6 }' rows)" 40000
done_testing
