#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Pages written from the tables are in step with them; every row of a table is documented and tested.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

# in_step PAGE LIST...: rewrite with `tspsim list LIST --markdown > docs/PAGE`.
in_step()
{
	page=$1
	shift
	"$TSPSIM" list "$@" --markdown >page
	diff "$TSPSIM_SRCDIR/docs/$page" page >differences
	empty "docs/$page is what \`tspsim list $* --markdown\` prints" differences
}

in_step isa.md ops
in_step machines.md keys
in_step bank-maps.md maps
in_step ascend-isa.md ops -m ascend
in_step ascend-machines.md keys -m ascend
in_step ascend-counters.md counters -m ascend

(cd "$TSPSIM_SRCDIR" && find tests/unit tests/timing tests/isa -type f -print0 2>/dev/null | xargs -0 cat) >tests
sed -n -E 's/^(VXM_)?OP\(([A-Z0-9_]+), *"([^"]*)".*/\2 \3/p' "$TSPSIM_SRCDIR/isa/ops.def" >ops
is "ops.def has as many rows as the program knows" "$(wc -l <ops)" "$("$TSPSIM" list ops | wc -l)"
while read -r id mnemonic; do
	# In a C test by its id, or in assembly after the queue's name.
	grep -qwE "ISA_OP_$id|[a-z0-9.]+: +$mnemonic" tests || echo "$mnemonic"
done <ops >offending
empty "every instruction has a test" offending

awk -F ' [|] ' '/^### /{key = $0; gsub(/[#` ]/, "", key); keys++}
	/^\| tsp/ && NF >= 4 {rows++; if ($4 == "" || $3 !~ /^(published|measured|derived|assumed)$/) print key, $0}
	END {if (keys < 50 || rows != 2 * keys) print keys " keys have " rows " rows"}' "$TSPSIM_SRCDIR/docs/machines.md" >offending
empty "every key of every machine has a class and a source" offending

# Assumed values that are in use ("unused" begins the note of the others) are argued for.
grep -o '`[a-z0-9_.]*`' "$TSPSIM_SRCDIR/docs/deviations.md" | tr -d '`' | sort -u >argued
awk -F ' [|] ' '/^### /{key = $0; gsub(/[#` ]/, "", key)}
	/^\| tsp/ && $3 == "assumed" && $5 !~ /^unused/ {print key}' "$TSPSIM_SRCDIR/docs/machines.md" | sort -u >assumed
comm -23 assumed argued >offending
empty "docs/deviations.md argues for every assumed value" offending

# The same of Ascend-style machines, from the page that the tables wrote.
sed -n -E 's/^ASC_OP\(([A-Z0-9_]+), *"([^"]*)".*/\1 \2/p; s/^V[UBS]\(([A-Z0-9_]+), *"([^"]*)".*/\1 \2/p' \
	"$TSPSIM_SRCDIR/isa/ascend/ops.def" >ops
is "ascend/ops.def has as many rows as the program knows" "$(wc -l <ops)" "$("$TSPSIM" list ops -m ascend | wc -l)"
"$TSPSIM" list ops -m ascend --markdown >page
while read -r id mnemonic; do
	grep -q "^| .$mnemonic. |" page || echo "$id"
done <ops >offending
empty "every instruction of Ascend-style cores is documented" offending
awk -F ' [|] ' '/^### /{key = $0; gsub(/[#` ]/, "", key)}
	/^\| ascend/ && ($4 == "" || $3 !~ /^(published|measured|derived|assumed)$/ || ($3 == "assumed" && $5 ~ /^ *\|?$/)) {print key, $0}' \
	"$TSPSIM_SRCDIR/docs/ascend-machines.md" >offending
empty "every key of Ascend-style machines has a class and a source, an assumed one a note" offending
awk -F ' [|] ' '/^### /{key = $0; gsub(/[#` ]/, "", key)}
	/^\| ascend-910b / && $3 == "assumed" && $5 !~ /^unused/ {print key}' \
	"$TSPSIM_SRCDIR/docs/ascend-machines.md" | sort >assumed
comm -23 assumed argued >offending
empty "docs/deviations.md argues for every assumed value of ascend-910b" offending
done_testing
