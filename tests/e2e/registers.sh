#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The register-style machine with few registers: values that find none go through the SRAM and come back as they were; fewer
# registers are never faster; too few for one operation are refused by their number.  tests/long/registers.sh has all workloads
# and more numbers.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/registers_set.sh"

few_registers gemm:33x33x320 320 8 1
few_registers conv:1x33x5x5,31x1x1:int8 320 8
few_registers softmax:3x160 320 16 8 2
few_registers layernorm:2x33:fp32 32 4
few_registers transpose:31x33:fp32 320 2
few_registers fft:64 320 8 3
few_registers fft:256:fp32 320 16 8 4

# Both halves of each pair: 4 values of 256 fp32 lanes are 8 registers, the butterfly needs two more; what does not fit is
# stored or, where it came from memory that does not change, loaded again.
exits "fft:256:fp32 with 8 registers" 0 "$TSPSIM" run -m tsp -w fft:256:fp32 --json --set vreg.count=8
is "it stores" "$([ "$(json out '$.registers.spill_stores')" -gt 0 ] && echo yes)" yes
is "as often as it loads, at most" "$([ "$(json out '$.registers.spill_stores')" -le "$(json out '$.registers.spill_loads')" ] &&
	echo yes)" yes
is "it loads again" "$([ "$(json out '$.registers.rematerialised')" -gt 0 ] && echo yes)" yes
exits "with 320" 0 "$TSPSIM" run -m tsp -w fft:256:fp32 --json
is "nothing is stored" "$(json out '$.registers.spill_stores') $(json out '$.registers.tight_loops')" "0 0"
exits "in words" 0 "$TSPSIM" sched fft:256:fp32 -m tsp --set vreg.count=8
is "the schedule says so" "$(grep -c '^registers    8 of 8 used, .*spilled: ' out)" 1

# An fp32 product of two operands of two registers each.
exits "three registers for four" 1 "$TSPSIM" run -m tsp -w fft:256:fp32 --set vreg.count=3
is "the number needed" "$(grep -c "vreg.count is 3: .* needs 4 (one mul has operands or a result of so many)" err)" 1
exits "one register for two" 1 "$TSPSIM" run -m tsp -w vmap:add,321 --set vreg.count=1
is "the number needed" "$(grep -c "vreg.count is 1: .* needs 2 (one add has operands or a result of so many)" err)" 1
exits "one read port for two" 1 "$TSPSIM" run -m tsp -w vmap:add,321 --set vreg.read_ports=1
is "the ports needed" "$(grep -c "vreg.read_ports is 1: .* needs 2 (one add reads so many registers)" err)" 1
done_testing
