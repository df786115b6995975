/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware counters of Ascend-style cores: every one is driven to a value by a program of its own, asc/pmu.def.
 */
#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

#include <string.h>

static const struct {
	enum asc_pmu row;
	const char *machine, *text;
	uint64_t value;
} cases[] = {
#define PMU(row_, machine_, text_, value_) {ASC_PMU_##row_, machine_, text_, value_},
#include "tests/timing/asc/pmu.def"
};

static void every_counter_has_the_value_worked_out_by_hand(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(asc_micro) m = asc_micro_run(cases[i].machine, cases[i].text);
		uint64_t value = asc_pmu_value(&m->counters, cases[i].row);

		if (value != cases[i].value)
			tap_note("%s: %" G_GUINT64_FORMAT ", by hand %" G_GUINT64_FORMAT ": %s",
			         asc_pmu(cases[i].row)->name, value, cases[i].value, cases[i].text);
		CU_ASSERT_EQUAL(value, cases[i].value);
	}
}

/* A printed counter that nothing drives is a defect: each row has a program that makes it other than zero. */
static void every_counter_is_driven(void)
{
	for (unsigned row = 0; row < ASC_PMU_COUNT; row++) {
		bool driven = false;

		for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
			driven |= cases[i].row == row && cases[i].value > 0;
		if (!driven)
			tap_note("%s is not driven", asc_pmu((enum asc_pmu)row)->name);
		CU_ASSERT_TRUE(driven);
	}
}

static void every_counter_is_zero_where_nothing_happens(void)
{
	g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", ".stream vector sub=0 block=0\n");

	for (unsigned row = 0; row < ASC_PMU_COUNT; row++)
		CU_ASSERT_EQUAL(asc_pmu_value(&m->counters, (enum asc_pmu)row), 0);
}

/* Ids and names are of one counter, produced or absent; the bytes of a count are those of the hardware. */
static void ids_and_names_are_unique(void)
{
	for (unsigned a = 0; a < ASC_PMU_COUNT; a++) {
		const asc_pmu_info *info = asc_pmu((enum asc_pmu)a);
		const asc_pmu_info *absent;

		CU_ASSERT_EQUAL(asc_pmu_by_id(info->id), (int)a);
		CU_ASSERT_TRUE(info->cores != 0);
		for (unsigned b = 0; b < a; b++)
			CU_ASSERT_STRING_NOT_EQUAL(info->name, asc_pmu((enum asc_pmu)b)->name);
		for (unsigned n = 0; (absent = asc_pmu_absent(n)); n++) {
			CU_ASSERT_TRUE(absent->id != info->id);
			CU_ASSERT_STRING_NOT_EQUAL(absent->name, info->name);
		}
	}
	CU_ASSERT_EQUAL(asc_pmu_by_id(114), -1);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case tests[] = {
		CASE(every_counter_has_the_value_worked_out_by_hand),
		CASE(every_counter_is_driven),
		CASE(every_counter_is_zero_where_nothing_happens),
		CASE(ids_and_names_are_unique),
	};

	return tap_run("hardware counters of Ascend-style cores", tests, G_N_ELEMENTS(tests));
}
