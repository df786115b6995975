#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# SCALE-Sim tables: layers run one after another in one simulation.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

data=$TSPSIM_SRCDIR/tests/data
for machine in tsp tsp-isca20; do
	for dtype in fp16 int8; do
		exits "$machine $dtype: convolution table" 0 "$TSPSIM" -m $machine -w "$data/small_conv.csv" \
			--set csv.dtype=$dtype --functional --json
		is "$machine $dtype: three layers" "$(json out '$.layers[2].name') $(json out '$.layers[3].name')" "Point3 "
		# out = floor((in - k) / stride) + 1: 12, 5, 5
		is "$machine $dtype: MACs" "$(json out '$.macs')" \
			$((12 * 12 * 16 * 27 + 5 * 5 * 33 * 9 * 16 + 5 * 5 * 40 * 33))
		is "$machine $dtype: predicted = simulated, checked" \
			"$(json out '$.cycles') $(json out '$.violations') $(json out '$.checked')" "$(json out '$.predicted_cycles') 0 1"
	done
	exits "$machine: GEMM table, by its header" 0 "$TSPSIM" -m $machine -w "$data/small_gemm.csv" --functional --json
	is "$machine: MACs of M x N x K" "$(json out '$.macs')" $((33 * 40 * 64 + 33 * 33 * 40))
	is "$machine: checked" "$(json out '$.checked')" 1
done

# SCALE-Sim's own output size is ceil((in - k + stride) / stride): the same here but for layer 2, ceil(11 / 2) = 6.
exits "the dialect of SCALE-Sim" 0 "$TSPSIM" -w "$data/small_conv.csv" --set csv.dialect=scale-sim --functional --json
is "has its output size" "$(json out '$.macs')" $((12 * 12 * 16 * 27 + 6 * 6 * 33 * 9 * 16 + 5 * 5 * 40 * 33))

# 100,000 x 100,000 fp16 results and 4 MB of operands, K = 10.
printf 'Layer, M, N, K,\nsmall, 1, 1, 1,\nlarge, 100000, 100000, 10,\n' >large.csv
exits "a layer too large is refused" 1 "$TSPSIM" -w large.csv
is "with file, layer and bytes" "$(cat err)" "tspsim: large.csv: layer 'large' does not fit into SRAM: its operands and \
results have 20004000000 bytes, capacity 222400000 bytes with map 'mod:139'"
exits "an unknown form is refused" 1 "$TSPSIM" -w "$data/small_conv.csv" --set csv.form=table
exits "an unknown type is refused" 1 "$TSPSIM" -w "$data/small_conv.csv" --set csv.dtype=fp12
done_testing
