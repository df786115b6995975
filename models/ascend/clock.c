/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks of happens-before.  Flags inside a sub-core are frequent and cost a handful of comparisons; what came
 * from other sub-cores changes at cross-core flags only, and is shared between clocks until it does.
 */
#include "models/ascend/front_int.h"

asc_foreign *asc_foreign_ref(asc_foreign *foreign)
{
	if (foreign)
		foreign->references++;
	return foreign;
}

void asc_foreign_unref(asc_foreign *foreign)
{
	if (foreign && !--foreign->references)
		g_free(foreign);
}

static asc_foreign *foreign_new(uint32_t count)
{
	asc_foreign *foreign = g_malloc0(sizeof(*foreign) + count * sizeof(foreign->at[0]));

	foreign->references = 1;
	foreign->count = count;
	return foreign;
}

static bool foreign_covers(const asc_foreign *a, const asc_foreign *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->at[i] < b->at[i])
			return false;
	return true;
}

void asc_foreign_join(asc_foreign **into, asc_foreign *from)
{
	asc_foreign *joined;

	if (!from || *into == from)
		return;
	if (!*into || foreign_covers(from, *into)) {
		asc_foreign_ref(from);
		asc_foreign_unref(*into);
		*into = from;
		return;
	}
	if (foreign_covers(*into, from))
		return;
	joined = foreign_new(from->count);
	for (uint32_t i = 0; i < from->count; i++)
		joined->at[i] = MAX((*into)->at[i], from->at[i]);
	asc_foreign_unref(*into);
	*into = joined;
}

void asc_clock_set(asc_clock *to, const asc_clock *from)
{
	asc_foreign *old = to->foreign;

	asc_foreign_ref(from->foreign);
	*to = *from;
	asc_foreign_unref(old);
}

void asc_clock_join(asc_clock *into, const asc_clock *from)
{
	for (unsigned i = 0; i < ASC_PIPES; i++)
		into->local[i] = MAX(into->local[i], from->local[i]);
	asc_foreign_join(&into->foreign, from->foreign);
}

void asc_clock_clear(asc_clock *clock)
{
	asc_foreign_unref(clock->foreign);
	*clock = (asc_clock){0};
}

asc_foreign *asc_clock_export(const asc_clock *clock, uint32_t sub, uint32_t count)
{
	asc_foreign *foreign = foreign_new(count);

	if (clock->foreign)
		memcpy(foreign->at, clock->foreign->at, count * sizeof(foreign->at[0]));
	for (unsigned i = 0; i < ASC_PIPES; i++)
		foreign->at[sub * ASC_PIPES + i] = MAX(foreign->at[sub * ASC_PIPES + i], clock->local[i]);
	return foreign;
}

void asc_clock_import(asc_clock *clock, asc_foreign *foreign, uint32_t sub)
{
	if (!foreign)
		return;
	for (unsigned i = 0; i < ASC_PIPES; i++)
		clock->local[i] = MAX(clock->local[i], foreign->at[sub * ASC_PIPES + i]);
	asc_foreign_join(&clock->foreign, foreign);
}
