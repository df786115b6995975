#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# For each kind of violation an assembly program that has exactly one of it, and one beside it that has none, on both kernels and
# under every order inside phases.  Their comments name the settings they need.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

folder=$TSPSIM_SRCDIR/tests/isa/hazards

# run FILE ARGUMENT...: functional, with the file's settings.
run()
{
	file=$1
	shift
	# shellcheck disable=SC2046
	"$TSPSIM" run "$file" --functional --json $(sed -n 's/^; \(--set .*\)/\1/p' "$file") "$@" >out 2>err </dev/null
}

"$TSPSIM" list violations | awk '{print $1}' >kinds
while read -r kind; do
	for order in "--kernel ref" "--kernel ref --shuffle 5" "--kernel $("$TSPSIM" list kernels | awk 'NR == 1 {print $1}')"; do
		# shellcheck disable=SC2086
		run "$folder/$kind.tsp" $order
		is "$kind, $order: status, violations, of this kind" \
			"$? $(json out '$.violations') $(json out "\$.violations_by_kind.\"$kind\"")" "2 1 1"
		# shellcheck disable=SC2086
		run "$folder/$kind-none.tsp" $order
		is "no $kind, $order: status, violations" "$? $(json out '$.violations')" "0 0"
	done
	"$TSPSIM" run "$folder/$kind.tsp" $(sed -n 's/^; \(--set .*\)/\1/p' "$folder/$kind.tsp") --functional --policy fault-stop -q
	is "$kind: fault-stop finds it too" $? 2
done <kinds

(cd "$folder" && ls) | sed 's/-none\.tsp$//; s/\.tsp$//' | sort -u >files
sort kinds | comm -13 - files >offending
empty "every file is of a kind there is" offending
done_testing
