#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Methods on all kernels of tests/lib/method_set.sh: anneal is never longer than list, exact never longer than anneal, and
# no program is shorter than its bound.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

METHOD_SCHEDULES=${METHOD_SCHEDULES:-1000} sh "$TSPSIM_SRCDIR/tests/lib/method_set.sh" "$scratch/set" >table
for machine in tsp tsp-isca20 ascend-910b; do
	line=$(grep "^$machine: " table)
	is "$machine: at least twelve kernels" "$(echo "$line" | awk '{print ($2 >= 12)}')" 1
	echo "$line" >line
	like "$machine: never longer than list, never below the bound" line "longer than list 0, below the bound 0"
done
done_testing
