#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every workload of tests/e2e/workloads.sh on the register-style machine with 320, 32, 16 and 8 registers; and, apart from that, with 4.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/registers_set.sh"

sed -n '/<<END$/,/^END$/p' "$TSPSIM_SRCDIR/tests/e2e/workloads.sh" | grep : >workloads
while read -r workload; do
	few_registers "$workload" 320 32 16 8
	few_registers "$workload" 4
done <workloads
done_testing
