#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The example of docs/sweep.md works as it says.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

mkdir bin
ln -s "$TSPSIM" bin/tspsim
PATH=$scratch/bin:$PATH

# Files are the blocks marked yaml, named by their first line; commands the lines of unmarked blocks, comments cut off.
awk '/^```yaml/ {file = ""; yaml = 1; next} /^```/ {yaml = 0; next}
	yaml {if (file == "") file = $2; print > file}' "$TSPSIM_SRCDIR/docs/sweep.md"
awk '/^```$/ && !other {mine = !mine; next} /^```/ {other = !other; next} mine {print}' "$TSPSIM_SRCDIR/docs/sweep.md" |
	sed -E 's/ {2,}[^ ].*$//' >commands
is "there are commands" "$(wc -l <commands)" 14
while read -r command; do
	exits "$command" 0 sh -c "$command"
done <commands
is "a program run on the map it was scheduled for never waits" \
	"$(sql maps.db "SELECT max(slip_cycles) FROM points WHERE \"hw.sram.map\" = 'mod:139'")" 0
is "on others it may" "$(sql maps.db "SELECT count(*) FROM points WHERE \"hw.sram.map\" <> 'mod:139'
	AND workload = 'gemm:256x256x256' AND slip_cycles > 0")" 2
is "nine rows and a header for a plot" "$(wc -l <maps.csv)" 10
# Stride 144 puts all 16 requests of a group into one of 144 banks, and into 16 of 139.
is "a stride of as many blocks as there are banks" \
	"$(sql strides.db "SELECT map, slowdown FROM points WHERE pattern = 's144' AND k = 16 AND map LIKE 'mod%'")" "mod:144|16
mod:139|1"
done_testing
