#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# store_patterns.sh: rows for sched/pattern/stored.def, found by anneal, where they make a program shorter.
set -u
LC_ALL=C
export LC_ALL
. "$TSPSIM_SRCDIR/tests/lib/method_graphs.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/tspsim-store.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT

value()
{
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" "$dir/out.json" | head -n 1
}

for machine in ${METHOD_MACHINES:-tsp tsp-isca20 ascend-910b}; do
	for kernel in attention:1x2x128x64 attention:1x4x64x64 attention:1x8x128x64 layernorm:64x64 layernorm:256x320 \
		layernorm:64x1024 mlp residual conv-block; do
		workload=$kernel
		case $kernel in
		*:*) ;;
		*)
			workload=$dir/$kernel.graph
			method_graph "$kernel" "$machine" >"$workload"
			;;
		esac
		"$TSPSIM" sched "$workload" -m "$machine" --method anneal --schedules "${METHOD_SCHEDULES:-20000}" --no-patterns \
			--report --json >"$dir/out.json" </dev/null || continue
		list=$(value list_cycles) cycles=$(value annealed_cycles)
		[ "$cycles" -lt "$list" ] || continue
		name=$(value recognised)
		echo "/* $kernel: $cycles cycles, $list without. */"
		printf 'STORED("%s", "%s", "%s",\n       "%s")\n' "$machine" "${name%% *}" "$(echo "${name#* }" | sed 's/,.*//')" \
			"$(value decisions)"
	done
done
