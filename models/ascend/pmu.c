/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of the hardware's counters: the expressions of isa/ascend/pmu.def, which say what of the model stands for
 * each.
 */
#include "models/ascend/chip.h"

uint64_t asc_pmu_value(const asc_counters *c, enum asc_pmu row)
{
	switch (row) {
#define ASC_PMU(row_, id, value, name, unit, bytes, cores, class, doc)                                                 \
	case ASC_PMU_##row_:                                                                                           \
		return value;
#define ASC_PMU_ABSENT(id, name, why)
#include "isa/ascend/pmu.def"
	default:
		return 0;
	}
}
