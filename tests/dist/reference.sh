#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Pages written from the tables are in step with them; every row of a table is documented and tested.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

# in_step PAGE LIST: rewrite with `tspsim list LIST --markdown > docs/PAGE`.
in_step()
{
	"$TSPSIM" list "$2" --markdown >page
	diff "$TSPSIM_SRCDIR/docs/$1" page >differences
	empty "docs/$1 is what \`tspsim list $2 --markdown\` prints" differences
}

in_step isa.md ops
in_step machines.md keys
in_step bank-maps.md maps

(cd "$TSPSIM_SRCDIR" && find tests/unit tests/timing tests/isa -type f -print0 2>/dev/null | xargs -0 cat) >tests
sed -n -E 's/^(VXM_)?OP\(([A-Z0-9_]+), *"([^"]*)".*/\2 \3/p' "$TSPSIM_SRCDIR/isa/ops.def" >ops
is "ops.def has as many rows as the program knows" "$(wc -l <ops)" "$("$TSPSIM" list ops | wc -l)"
while read -r id mnemonic; do
	# In a C test by its id, or in assembly after the queue's name.
	grep -qwE "ISA_OP_$id|[a-z0-9.]+: +$mnemonic" tests || echo "$mnemonic"
done <ops >offending
empty "every instruction has a test" offending

"$TSPSIM" list keys | awk '{print $1}' >keys
while read -r key; do
	for machine in "$TSPSIM_SRCDIR"/isa/machines/*.yaml; do
		name=$(basename "$machine" .yaml)
		"$TSPSIM" explain "$key" -m "$name" | grep -Eq '\[(published|measured|derived|assumed); [^]]+\]' || echo "$key in $name"
	done
done <keys >offending
empty "every key of every machine has a class and a source" offending

# Assumed values that are in use ("unused" begins the note of the others) are argued for.
grep -o '`[a-z0-9_.]*`' "$TSPSIM_SRCDIR/docs/deviations.md" | tr -d '`' | sort -u >argued
while read -r key; do
	"$TSPSIM" explain "$key" >text
	# A line with the class, then perhaps one with the note.
	if awk '/\[assumed; / {if (open) found = 1; open = 1; next} open && /^ +unused/ {open = 0} open {found = 1; open = 0}
		END {exit !found}' text; then
		echo "$key"
	fi
done <keys | sort >assumed
comm -23 assumed argued >offending
empty "docs/deviations.md argues for every assumed value" offending
done_testing
