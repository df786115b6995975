/* SPDX-License-Identifier: Apache-2.0
 *
 * Cross-core counters.  A set travels to the scheduling block and is matched there, by mode and id, with the sets of
 * the other members of its group; when all members have one, the group's targets count one up: mode 0  all cube (all
 * vector) sub-cores of the kernel; targets the same mode 1  the vector sub-cores of a core; targets the same mode 2 set
 * by a cube sub-core: it alone, targets the vector sub-cores of its core; set by a vector sub-core: the vector
 * sub-cores of the core, target the cube sub-core mode 4  one cube and one vector sub-core; ids from 16 of the cube
 * sub-core belong to the second vector sub-core A counter holds cross.max sets; the next one is lost.  So is one that
 * waits for its group behind as many.
 *
 * Sets are filed while sub-cores run and matched in order of (arrival, setter), by the chip's process of a later phase.
 */
#include "models/ascend/front_int.h"

enum { MODES = 5, MODE_PAIR = 4, MODE_IDS = 16 };

struct asc_cross {
	asc_chip *chip;
	GArray *travelling; /* asc_cross_set by (time, order of collection) */
	GArray **waiting; /* [subs][MODES][ASC_CROSS_IDS] arrivals of members whose group is not complete, NULL: none */
};

static GArray **waiting_at(asc_cross *c, uint32_t sub, unsigned mode, unsigned id)
{
	return &c->waiting[(sub * MODES + mode) * ASC_CROSS_IDS + id];
}

asc_cross *asc_cross_new(asc_chip *chip)
{
	asc_cross *c = g_new0(asc_cross, 1);

	c->chip = chip;
	c->travelling = g_array_new(FALSE, FALSE, sizeof(asc_cross_set));
	c->waiting = g_new0(GArray *, (size_t)chip->subs * MODES * ASC_CROSS_IDS);
	return c;
}

static void free_sets(GArray *sets)
{
	for (guint i = 0; i < sets->len; i++)
		asc_foreign_unref(g_array_index(sets, asc_cross_set, i).clock);
	g_array_free(sets, TRUE);
}

void asc_cross_free(asc_cross *c)
{
	if (!c)
		return;
	free_sets(c->travelling);
	for (size_t i = 0; i < (size_t)c->chip->subs * MODES * ASC_CROSS_IDS; i++)
		if (c->waiting[i])
			free_sets(c->waiting[i]);
	g_free(c->waiting);
	g_free(c);
}

bool asc_cross_valid(const asc_subcore *s, int64_t mode, int64_t id)
{
	int64_t ids = s->chip->machine->cross_ids;

	if (mode == MODE_PAIR && s->kind == ASC_CUBE && id >= MODE_IDS)
		return id < MODE_IDS + ids && id < ASC_CROSS_IDS;
	return mode >= 0 && mode < MODES && mode != 3 && (mode != 1 || s->kind == ASC_VECTOR) && id >= 0 && id < ids;
}

/* CLOCK: of the set's pipe, everything before it complete. */
void asc_cross_file(asc_subcore *s, asc_who who, unsigned mode, unsigned id, int64_t time, const asc_clock *clock)
{
	asc_cross_set set = {time,        s->index, (uint8_t)mode,
	                     (uint8_t)id, who,      asc_clock_export(clock, s->index, s->chip->subs * ASC_PIPES)};

	set.who.effect = time;
	g_array_append_val(s->cross_sets, set);
}

void asc_cross_collect(asc_cross *c, asc_subcore *s)
{
	for (guint i = 0; i < s->cross_sets->len; i++) {
		asc_cross_set *set = &g_array_index(s->cross_sets, asc_cross_set, i);
		guint at = c->travelling->len;

		while (at && g_array_index(c->travelling, asc_cross_set, at - 1).time > set->time)
			at--;
		g_array_insert_val(c->travelling, at, *set);
	}
	g_array_set_size(s->cross_sets, 0);
}

int64_t asc_cross_next(const asc_cross *c)
{
	return c->travelling->len ? g_array_index(c->travelling, asc_cross_set, 0).time - 1 : SIM_NEVER;
}

/* Is S a member of the groups of a set of MODE by BY, and one of its targets? */
static bool takes_part(const asc_subcore *s, const asc_subcore *by, unsigned mode, unsigned id, bool *target)
{
	bool same_core = s->core == by->core, same_kind = s->kind == by->kind;

	*target = false;
	if (!s->stream)
		return false;
	switch (mode) {
	case 0:
		return *target = same_kind;
	case 1:
		return *target = same_kind && same_core;
	case 2:
		*target = same_core && !same_kind;
		return same_core && same_kind;
	default:
		*target = same_core && !same_kind && (by->kind == ASC_VECTOR || s->vector == (int32_t)(id / MODE_IDS));
		return s == by;
	}
}

static unsigned id_at(const asc_subcore *target, const asc_subcore *by, unsigned mode, unsigned id)
{
	if (mode != MODE_PAIR)
		return id;
	return target->kind == ASC_CUBE ? id + MODE_IDS * (unsigned)by->vector : id % MODE_IDS;
}

static void overflow(asc_subcore *s, int64_t time, asc_who setter, asc_who oldest)
{
	asc_violation v = {ASC_FINDING_CROSS_OVERFLOW,
	                   time,
	                   s->core,
	                   s->sub,
	                   setter.stream,
	                   setter.insn,
	                   oldest.stream,
	                   oldest.insn,
	                   ASC_SPACES,
	                   0,
	                   0,
	                   true};

	asc_violate_at(s, v);
	asc_chip_dirty(s);
}

static void count_up(asc_subcore *target, unsigned id, const asc_cross_set *last, asc_foreign *clock)
{
	asc_counter *counter = &target->cross[id];
	asc_subcore *setter = &target->chip->sub[last->sub];

	if (counter->owed) {
		counter->owed--;
		return;
	}
	if (counter->count >= (unsigned)target->chip->machine->cross_max) {
		overflow(setter, last->time, last->who, g_array_index(counter->arrivals, asc_arrival, 0).who);
		return;
	}
	asc_arrival arrival = {last->who, last->sub, asc_foreign_ref(clock)};

	if (!counter->arrivals)
		counter->arrivals = g_array_new(FALSE, FALSE, sizeof(asc_arrival));
	g_array_append_val(counter->arrivals, arrival);
	counter->count++;
	asc_chip_dirty(target);
}

static bool complete(asc_cross *c, const asc_subcore *by, unsigned mode, unsigned id)
{
	for (uint32_t i = 0; i < c->chip->subs; i++) {
		bool target;
		GArray *sets = *waiting_at(c, i, mode, id);

		if (takes_part(&c->chip->sub[i], by, mode, id, &target) && (!sets || !sets->len))
			return false;
	}
	return true;
}

/* Every member of the group has a set: take one of each, raise the targets. */
static void release(asc_cross *c, const asc_cross_set *last)
{
	asc_subcore *by = &c->chip->sub[last->sub];
	asc_foreign *clock = NULL;
	bool target;

	for (uint32_t i = 0; i < c->chip->subs; i++) {
		GArray *sets = *waiting_at(c, i, last->mode, last->id);

		if (!takes_part(&c->chip->sub[i], by, last->mode, last->id, &target))
			continue;
		asc_foreign_join(&clock, g_array_index(sets, asc_cross_set, 0).clock);
		asc_foreign_unref(g_array_index(sets, asc_cross_set, 0).clock);
		g_array_remove_index(sets, 0);
	}
	for (uint32_t i = 0; i < c->chip->subs; i++) {
		asc_subcore *s = &c->chip->sub[i];

		takes_part(s, by, last->mode, last->id, &target);
		if (target)
			count_up(s, id_at(s, by, last->mode, last->id), last, clock);
	}
	asc_foreign_unref(clock);
}

static void arrive(asc_cross *c, const asc_cross_set *set)
{
	asc_subcore *by = &c->chip->sub[set->sub];
	GArray **sets = waiting_at(c, set->sub, set->mode, set->id);

	if (!*sets)
		*sets = g_array_new(FALSE, FALSE, sizeof(asc_cross_set));
	if ((*sets)->len >= (guint)c->chip->machine->cross_max) {
		overflow(by, set->time, set->who, g_array_index(*sets, asc_cross_set, 0).who);
		asc_foreign_unref(set->clock);
		return;
	}
	g_array_append_val(*sets, *set);
	if (complete(c, by, set->mode, set->id))
		release(c, set);
}

/* What arrives in the next cycle: counters are raised now, after every sub-core has run. */
void asc_cross_deliver(asc_cross *c, int64_t now)
{
	guint n = 0;

	while (n < c->travelling->len && g_array_index(c->travelling, asc_cross_set, n).time <= now + 1)
		arrive(c, &g_array_index(c->travelling, asc_cross_set, n++));
	if (n)
		g_array_remove_range(c->travelling, 0, n);
}

bool asc_cross_take(asc_subcore *s, unsigned id, asc_clock *clock, asc_who *setter)
{
	asc_counter *counter = &s->cross[id];
	asc_arrival *oldest;

	if (!counter->count) {
		counter->owed += s->chip->options.by_timestamp;
		return false;
	}
	oldest = &g_array_index(counter->arrivals, asc_arrival, 0);
	*setter = oldest->who;
	asc_clock_import(clock, oldest->clock, s->index);
	asc_foreign_unref(oldest->clock);
	g_array_remove_index(counter->arrivals, 0);
	counter->count--;
	return true;
}

/* Counters that are not zero, and sets that wait for the rest of their group. */
void asc_cross_leftover(asc_cross *c, asc_subcore *s, int64_t now)
{
	if (s->chip->options.by_timestamp)
		return;
	for (unsigned id = 0; id < ASC_CROSS_IDS; id++)
		if (s->cross[id].count)
			asc_violate(s, ASC_FINDING_CROSS_LEFT, now, UINT32_MAX,
			            g_array_index(s->cross[id].arrivals, asc_arrival, 0).who);
	for (unsigned i = 0; i < MODES * ASC_CROSS_IDS; i++) {
		const GArray *sets = c->waiting[s->index * MODES * ASC_CROSS_IDS + i];

		if (sets && sets->len)
			asc_violate(s, ASC_FINDING_CROSS_LEFT, now, g_array_index(sets, asc_cross_set, 0).who.insn,
			            ASC_NOBODY);
	}
}

bool asc_cross_reaches(const asc_subcore *s, unsigned id_here, const asc_subcore *by, int64_t mode, int64_t id)
{
	bool target;

	if (!asc_cross_valid(by, mode, id))
		return false;
	takes_part(s, by, (unsigned)mode, (unsigned)id, &target);
	return target && id_at(s, by, (unsigned)mode, (unsigned)id) == id_here;
}
