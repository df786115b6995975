# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libisa.a
libisa_a_SOURCES = \
	isa/error.c isa/error.h isa/file.c isa/file.h \
	isa/isa.c isa/isa.h isa/format.h isa/encode.c \
	isa/machine.c isa/machine_table.c isa/machine_yaml.c isa/machine_finish.c isa/machine.h isa/machine_int.h \
	isa/program.c isa/program.h isa/program_int.h isa/lower.c isa/container.c isa/container_read.c \
	isa/tokens.c isa/tokens.h isa/asm.c isa/asm_directives.c isa/asm_int.h isa/disasm.c \
	isa/bankmap.h isa/bankmap/bankmap_int.h isa/bankmap/map.c isa/bankmap/text.c isa/bankmap/facts.c isa/bankmap/gates.c \
	isa/bankmap/modular.c isa/bankmap/displace.c isa/bankmap/linear.c isa/bankmap/product.c isa/bankmap/table.c \
	isa/bankmap/expr.c isa/num.c isa/num.h isa/rng.c isa/rng.h \
	isa/ascend/ascend.h isa/ascend/machine.h isa/ascend/tables.c isa/ascend/machine.c isa/ascend/program.c \
	isa/ascend/asc_int.h isa/ascend/asm_int.h isa/ascend/check.c isa/ascend/asm.c isa/ascend/asm_directives.c isa/ascend/disasm.c isa/ascend/container.c \
	isa/ascend/ops.def isa/ascend/formats.def isa/ascend/timing.def isa/ascend/order.def isa/ascend/flags.def \
	isa/ascend/violations.def isa/ascend/pmu.def isa/ascend/keys.def isa/ascend/rules.def \
	isa/ops.def isa/formats.def isa/timing.def isa/violations.def isa/machine_keys.def isa/bankmaps.def isa/bankgates.def
EXTRA_DIST += docs/assembly.md docs/sources.md
nobase_dist_pkgdata_DATA += \
	isa/machines/tsp.yaml isa/machines/tsp-isca20.yaml \
	isa/machines/ascend-910a.yaml isa/machines/ascend-910b.yaml isa/machines/ascend-910b2.yaml \
	isa/machines/ascend-910b3.yaml isa/machines/ascend-910b4.yaml isa/machines/ascend-310p.yaml
