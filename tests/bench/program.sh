#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Cpu time and memory of whole runs; `make bench`.  One line each: user + system seconds, peak memory, simulated cycles and
# instructions, instructions a second.  Medians of three.

: "${TSPSIM_BUILDDIR:?run by make bench}"
tspsim=$TSPSIM_BUILDDIR/tspsim
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tspsim-bench.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# number FILE KEY
number()
{
	sed -n "s/^  \"$2\": \([0-9]*\),*\$/\1/p" "$1"
}

# measure NAME ARGUMENT...
measure()
{
	name=$1
	shift
	rm -f times
	for _ in 1 2 3; do
		rm -f bench.db
		/usr/bin/env TIMEFORMAT='%U %S' bash -c 'time "$@" >run.json' measure "$tspsim" "$@" --json 2>time ||
			{ echo "$name: failed"; cat time; return 1; }
		awk 'NF == 2 {print $1 + $2}' time >>times
	done
	seconds=$(sort -n times | sed -n 2p)
	awk -v name="$name" -v s="$seconds" -v c="$(number run.json cycles)" -v i="$(number run.json instructions)" \
		-v size="$(stat -c %s bench.db 2>/dev/null || echo 0)" 'BEGIN {
			printf "%-44s %8.2f s cpu %12d cycles %12d instructions %8.2f M instructions/s", name, s, c, i, i / s / 1e6
			if (size) printf " %8.1f MB of trace", size / 1e6
			printf "\n"
		}'
}

measure "default, functional check, full trace" --trace bench.db
measure "default, timing only" --no-functional
measure "default, timing only, reference kernel" --no-functional --kernel ref
measure "default, timing only, units" --no-functional --trace bench.db --trace-level units
measure "default, timing only, full" --no-functional --trace bench.db
measure "tsp-isca20 gemm:2304x3500x4096:int8" -m tsp-isca20 -w gemm:2304x3500x4096:int8
measure "tsp-isca20 gemm:2304x3500x4096:int8, units" -m tsp-isca20 -w gemm:2304x3500x4096:int8 --trace bench.db --trace-level units
measure "tsp softmax:4096x4096" -w softmax:4096x4096
resnet=${TSPSIM_DATA:+$(find "$TSPSIM_DATA/scale-sim" -name 'Resnet50.csv' 2>/dev/null | head -1)}
if [ -n "$resnet" ]; then
	measure "tsp-isca20 Resnet50.csv" -m tsp-isca20 -w "$resnet"
	measure "tsp Resnet50.csv" -w "$resnet"
fi
