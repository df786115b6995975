#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generators on both machines over sizes at block edges in each dimension; a fixed sample of the combinations.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

sizes="1 2 31 32 33 159 160 161 319 320 321 640 1024"

# run MACHINE WORKLOAD
run()
{
	"$TSPSIM" run -m "$1" -w "$2" --functional --json >out 2>err </dev/null
	verdict="$? $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
	is "$1 $2" "$verdict $(json out '$.cycles')" "0 0 0 1 $(json out '$.predicted_cycles')"
}

# pick N WORD...: word number N, counted round.
pick()
{
	n=$1
	shift
	shift $((n % $#))
	echo "$1"
}

# Every size once in every dimension, with co-prime steps through the others.
i=0
for size in $sizes; do
	# shellcheck disable=SC2086
	{
		a=$(pick $((i * 5 + 3)) $sizes)
		b=$(pick $((i * 7 + 1)) $sizes)
	}
	type=$(pick $i int8 fp16)
	float=$(pick $i fp16 fp32)
	any=$(pick $i int8 fp16 fp32)
	for machine in tsp tsp-isca20; do
		run $machine "gemm:${size}x${a}x$b:$type"
		run $machine "gemm:${a}x${size}x$b:$type"
		run $machine "gemm:${b}x${a}x$size:$type"
		run $machine "bmm:3x${size}x${b}x$a:$type"
		run $machine "softmax:${size}x$a:$float"
		run $machine "softmax:${a}x$size:$float"
		run $machine "layernorm:${size}x$a:$float"
		run $machine "layernorm:${a}x$size:$float"
		run $machine "transpose:${size}x$a:$any"
		run $machine "transpose:${a}x$size:$any"
		run $machine "vmap:add,$((size * a)):$any"
		run $machine "conv:1x${size}x7x9,${a}x3x3,pad=1:$type"
		run $machine "conv:2x3x${size}x5,8x3x3,pad=1,stride=2:$type"
		run $machine "attention:1x2x${size}x64:$type"
	done
	i=$((i + 1))
done
for n in 1 2 4 8 16 32 64 128 256 512 1024 4096; do
	for machine in tsp tsp-isca20; do
		run $machine fft:$n
		run $machine fft:$n:fp32
	done
done
done_testing
