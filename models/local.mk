# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libmodels.a
libmodels_a_SOURCES = \
	models/common/value.c models/common/value.h models/common/cell.c models/common/cell.h \
	models/common/source.h models/common/store.c models/common/store.h \
	models/common/banks.c models/common/banks.h \
	models/tsp/chip.c models/tsp/chip.h models/tsp/internal.h models/tsp/dispatch.c \
	models/tsp/icu.c models/tsp/operand.c models/tsp/vreg.c models/tsp/stream.c \
	models/tsp/sram.c models/tsp/sram_buffers.c models/tsp/mem.c models/tsp/vxm.c models/tsp/vxm_math.c models/tsp/vxm_math.h \
	models/tsp/mxm.c models/tsp/mxm_math.c models/tsp/mxm_math.h models/tsp/sxm.c models/tsp/c2c.c \
	models/tsp/audit.c models/tsp/violation.c
libmodels_a_SOURCES += \
	models/ascend/boxes.c \
	models/ascend/calendar.c \
	models/ascend/calendar.h \
	models/ascend/checks.c \
	models/ascend/chip.c \
	models/ascend/chip.h \
	models/ascend/clock.c \
	models/ascend/core.c \
	models/ascend/cross.c models/ascend/words.c \
	models/ascend/cube.c \
	models/ascend/cube_int.h \
	models/ascend/data.c \
	models/ascend/deadlock.c \
	models/ascend/extents.c \
	models/ascend/extents.h \
	models/ascend/fixpipe.c \
	models/ascend/flags.c \
	models/ascend/front_int.h \
	models/ascend/gathered.c \
	models/ascend/internal.h \
	models/ascend/memory.c \
	models/ascend/memory.h \
	models/ascend/mte.c \
	models/ascend/mte_copy.c \
	models/ascend/mte_int.h \
	models/ascend/mte_values.c \
	models/ascend/pmu.c \
	models/ascend/races.c \
	models/ascend/ranges.c \
	models/ascend/scalar.c \
	models/ascend/ub.c \
	models/ascend/ub.h \
	models/ascend/ub_int.h \
	models/ascend/ub_vector.c \
	models/ascend/vector.c \
	models/ascend/vector.h \
	models/ascend/vector_int.h \
	models/ascend/vector_math.c \
	models/ascend/vector_move.c
