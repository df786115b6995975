#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Layers that fill the stream-style chip's memory run as predicted, and refused ones say how much is missing.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# runs NAME WORKLOAD [OPTION...]
runs()
{
	name=$1
	workload=$2
	shift 2
	exits "$name" 0 "$TSPSIM" -m tsp-isca20 -w "$workload" --json "$@"
	is "$name: predicted = simulated" "$(json out '$.cycles') $(json out '$.violations') $(json out '$.mismatched_events')" \
		"$(json out '$.predicted_cycles') 0 0"
}

# A product written as a convolution: every row of the input is one output.
echo 'QKV, 1024, 1600, 1, 1600, 1, 4800, 1,' >product.csv
runs "a product written as a convolution" product.csv
echo 'Small, 12, 700, 1, 700, 1, 40, 1,' >small.csv
runs "a product written as a convolution, with data" small.csv --functional
is "checked" "$(json out '$.checked')" 1
done_testing
