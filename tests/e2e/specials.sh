#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# -0, denormals, infinities, NaN and the extremes of int8 through the whole pipeline: front end, schedule, encoded queues,
# models, memory; on both machines every bit of every result is what the reference says.  TSPSIM_SEEDS="1 2 3" asks for
# other data too.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# same MACHINE WORKLOAD: with every seed.
same()
{
	for seed in ${TSPSIM_SEEDS-1}; do
		"$TSPSIM" -m "$1" -w "$2" --functional --specials --seed $seed --json >out 2>err
		verdict="$? $(json out '$.checked') $(json out '$.violations') $(json out '$.mismatched_events')"
		[ "$verdict" = "0 1 0 0" ] && continue
		not_ok "$1 $2, seed $seed" "status, checked, violations, mismatches: $verdict" "$(json out '$.first_difference')" \
			"$(head -3 err)"
		return
	done
	ok "$1 $2"
}

# Elements as they lie in memory: +infinity, -infinity, NaN, -0.
"$TSPSIM" sched vmap:relu,640 --functional --specials -q -o p.tspo
"$TSPSIM" dis p.tspo | sed -n 's/^[[:space:]]*\.hex //p' | tr -d '\n' | sed 's/..../&\n/g' >elements
for element in 007c 00fc 007e 0080; do
	is "the data have $element" "$(grep -c "^$element$" elements | awk '{print ($1 > 0)}')" 1
done
"$TSPSIM" sched vmap:relu,640 --functional -q -o p.tspo
"$TSPSIM" dis p.tspo | sed -n 's/^[[:space:]]*\.hex //p' | tr -d '\n' | sed 's/..../&\n/g' >elements
is "and without the option no infinity" "$(grep -Ec '^00[7f]c$' elements)" 0

for machine in tsp tsp-isca20; do
	for type in fp16 int8; do
		# Beyond one block, one sub-sum and one vector in every direction; a NaN takes its whole row or column with it.
		for workload in gemm:40x330x340 gemm:3x5x700 bmm:2x33x31x160 conv:1x3x8x8,4x3x3 conv:2x16x7x9,33x3x3,stride=2,pad=1 \
			attention:1x2x33x32 transpose:33x161 vmap:copy,5000; do
			same $machine $workload:$type
		done
	done
	for workload in softmax:33x160 layernorm:31x33 fft:64 fft:512 softmax:20x30:fp32 layernorm:2x321:fp32 transpose:33x161:fp32; do
		same $machine $workload
	done
done

# Every operation of the vector unit on every type it takes.
"$TSPSIM" list ops --markdown | sed -n '/^### vxm/,/^### /s/^| `\([a-z_]*\)` | VXM |.*/\1/p' >ops
is "the vector unit has operations" "$([ "$(wc -l <ops)" -gt 20 ] && echo yes)" yes
while read -r op; do
	for type in fp16 int8; do
		"$TSPSIM" sched "vmap:$op,1:$type" -q 2>refusal || { like "$op refuses $type" refusal "vmap:$op,1:$type"; continue; }
		for machine in tsp tsp-isca20; do
			same $machine "vmap:$op,5000:$type"
		done
	done
done <ops
done_testing
