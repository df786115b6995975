#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The whole of each matrix of which make check tries a part.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

TSPSIM_WHOLE=1 TSPSIM_KEYS=all TSPSIM_SEEDS='1 2 3'
export TSPSIM_WHOLE TSPSIM_KEYS TSPSIM_SEEDS
for test in unit/test_model_fuzz sched/test_asc_vector sched/test_asc_attention sched/test_asc_conv sched/test_emit_isca20 sched/test_emit_tsp sched/test_isca20_capacity \
	judges/test_asc_split mutation/test_asc_faults \
	timing/test_timing_asc_vector timing/test_timing_asc_memory timing/test_timing_asc_rules timing/test_timing_asc_faults; do
	exits "$test" 0 "$TSPSIM_BUILDDIR/tests/$test"
done
for test in keys specials bank_hashing; do
	exits "$test.sh" 0 sh "$TSPSIM_SRCDIR/tests/e2e/$test.sh"
done
done_testing
