#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# method_set.sh DIR: cycles of the kernels of method_kernels.txt on three machines by list, anneal and exact, with the
# lower bound and the gap to it.  METHOD_MACHINES and METHOD_SCHEDULES say which machines and how many schedules.  Results
# are lines of a table in DIR; what is there already is not run again.
set -u
LC_ALL=C
export LC_ALL
dir=$1
schedules=${METHOD_SCHEDULES:-3000}
mkdir -p "$dir" || exit 1
. "$TSPSIM_SRCDIR/tests/lib/method_graphs.sh"

# Of the search: loops have cycles and what binds them, too.
value()
{
	sed -n '/"searches"/,$p' "$dir/out.json" | sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | head -n 1
}

for machine in ${METHOD_MACHINES:-tsp tsp-isca20 ascend-910b}; do
	table=$dir/$machine-$schedules.tsv
	touch "$table"
	grep -v '^#' "$TSPSIM_SRCDIR/tests/lib/method_kernels.txt" | while read -r kernel; do
		cut -f 1 "$table" | grep -qx -e "$kernel" && continue
		workload=$kernel
		case $kernel in
		*:*) ;;
		*)
			workload=$dir/$kernel.graph
			method_graph "$kernel" "$machine" >"$workload"
			;;
		esac
		"$TSPSIM" sched "$workload" -m "$machine" --method exact --schedules "$schedules" --no-patterns --json \
			>"$dir/out.json" </dev/null || continue
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$(value list_cycles)" "$(value annealed_cycles)" \
			"$(value cycles)" "$(value lower_bound)" "$(value binds)" >>"$table"
	done
	awk -F'\t' -v machine="$machine" '
		BEGIN {printf "%-12s %-30s %8s %8s %8s %8s %8s  %s\n", "machine", "kernel", "list", "anneal", "exact", "bound", "gap", "binds"}
		{n++; gap += $4 / $5 - 1; before += $2 / $5 - 1; saved += 1 - $4 / $2; worse += $3 > $2 || $4 > $3; wrong += $5 > $4
		 printf "%-12s %-30s %8d %8d %8d %8d %6.1f %%  %s\n", machine, $1, $2, $3, $4, $5, 100 * ($4 / $5 - 1), $6}
		END {if (n) printf "%s: %d kernels, mean gap to the bound %.1f %% (list %.1f %%), cycles saved %.1f %%, " \
			"longer than list %d, below the bound %d\n\n", machine, n, 100 * gap / n, 100 * before / n, 100 * saved / n, worse, wrong}' "$table"
done
