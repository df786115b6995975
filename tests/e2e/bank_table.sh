#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tspsim bank reproduces the table of an independent program, cell by cell.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

table=$TSPSIM_SRCDIR/tests/data/bank_table_k16.tsv
grep -v '^#' "$table" >cells
is "the table has 392 cells" "$(wc -l <cells | tr -d ' ')" 392

set --
for pattern in $(cut -f1 cells | awk '!seen[$0]++'); do
	set -- "$@" --pattern "$pattern"
done
for map in $(cut -f2 cells | awk '!seen[$0]++'); do
	set -- "$@" --map "$map"
done
exits "the table is computed" 0 "$TSPSIM" bank "$@" -k 16 --allow-aliasing --json

# One line a result, in the order of the cells.
awk '
	{
		key = $1
		gsub(/[":]/, "", key)
		value = $2
		gsub(/[",]/, "", value)
	}
	key == "pattern" {pattern = value}
	key == "request_conflict" {conflict = value}
	key == "mean_delay" {mean = value}
	key == "p99_delay" {p99 = value}
	key == "slowdown" && value ~ /^[0-9]/ {
		printf "%s\t%.1f\t%.2f\t%d\t%.2f\n", pattern, 100 * conflict, mean, p99, value
	}' out >got
paste cells got >both
is "every cell has a result" "$(awk -F '\t' '$1 == $8' both | wc -l | tr -d ' ')" 392
awk -F '\t' '$3 == 0 && ($4 != $9 || $5 != $10 || $6 != $11 || $7 != $12)' both >offending
empty "deterministic cells agree to the last digit" offending
awk -F '\t' '$3 != 0 && ($4 - $9 > $3 || $9 - $4 > $3)' both >offending
empty "random cells agree within half a point (random placement: one)" offending

done_testing
