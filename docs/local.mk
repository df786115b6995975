# SPDX-License-Identifier: Apache-2.0
dist_man_MANS += docs/man/tspsim.1
EXTRA_DIST += \
	docs/ascend-assembly.md \
	docs/ascend-conv.md \
	docs/ascend-counters.md \
	docs/ascend-isa.md \
	docs/ascend-machines.md \
	docs/ascend-sched.md \
	docs/ascend-attention.md \
	docs/ascend-vector-kernels.md \
	docs/ascend.md \
	docs/bank-effect.md \
	docs/bank-eval.md \
	docs/bank-hashing.md \
	docs/bank-maps.md \
	docs/bank-search.md \
	docs/design.md \
	docs/engines-solve.md \
	docs/deviations.md \
	docs/engines-alloc.md \
	docs/engines-color.md \
	docs/engines-cyclic.md \
	docs/engines-exact.md \
	docs/engines-machines.md \
	docs/engines-partition.md \
	docs/engines-registers.md \
	docs/engines-sdf.md \
	docs/export.md \
	docs/isa.md \
	docs/judges.md \
	docs/machines.md \
	docs/style.md \
	docs/sweep.md \
	docs/trace.md \
	docs/validation-ascend.md \
	docs/workloads.md
