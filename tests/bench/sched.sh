#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How fast schedules are made; `make bench`, or by itself `make bench-sched`.  One line a kernel and machine: cpu seconds of
# `tspsim sched` by list, and the programs that a search on one thread emits in a second of its cpu time.  SCHED_SCHEDULES
# is the budget of a search (a program counts 50), SCHED_MACHINES says which machines.
set -eu
LC_ALL=C
export LC_ALL
tspsim=${TSPSIM-$TSPSIM_BUILDDIR/tspsim}
schedules=${SCHED_SCHEDULES:-2000}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tspsim-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
. "$TSPSIM_SRCDIR/tests/lib/method_graphs.sh"

# measure WORKLOAD OPTION...: user seconds into $scratch/time, the JSON into $scratch/out
measure()
{
	command time -f '%U' -o "$scratch/time" "$tspsim" sched "$@" --no-patterns --json >"$scratch/out" 2>/dev/null
}

printf '%-12s %-24s %12s %10s %10s %14s\n' machine kernel list_s search_s programs programs/s
for machine in ${SCHED_MACHINES:-tsp tsp-isca20 ascend-910b}; do
	for kernel in gemm:256x256x256 attention:1x2x128x64 softmax:256x320 layernorm:64x1024 fft:1024 transpose:320x640 branches; do
		workload=$kernel
		case $kernel in
		*:*) ;;
		*)
			workload=$scratch/$kernel.graph
			method_graph "$kernel" "$machine" >"$workload"
			;;
		esac
		measure "$workload" -m "$machine"
		list=$(tail -n 1 "$scratch/time")
		measure "$workload" -m "$machine" --method anneal --schedules "$schedules" --jobs 1
		awk -v machine="$machine" -v kernel="$kernel" -v list="$list" -v search="$(tail -n 1 "$scratch/time")" '
			/^ *"programs":/ {gsub(",", "", $2); programs += $2}
			END {printf "%-12s %-24s %12.2f %10.2f %10d %14.1f\n", machine, kernel, list, search, programs,
				programs / (search > 0 ? search : 0.005)}' "$scratch/out"
	done
done
