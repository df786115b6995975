/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags between the pipes of a sub-core: one bit for each (from, to, id).  A set takes effect some cycles after all
 * work before it on its pipe is done; a wait takes the flag, and with it what the setter knew to be complete.
 *
 * A set that finds the flag still set is a double set.  So is one that nothing orders after the wait for the one
 * before, even where it came late enough this time; the finding's `met` tells them apart.
 *
 * By timestamp flags hold nothing up: the n-th wait takes the n-th set if that has taken effect, and knows nothing more
 * otherwise.
 */
#include "models/ascend/front_int.h"

bool asc_flag_valid(const asc_subcore *s, const int64_t *f)
{
	return f[0] >= 0 && f[0] < ASC_PIPES && f[1] >= 0 && f[1] < ASC_PIPES && f[2] >= 0 &&
	       f[2] < s->chip->machine->flag_ids && asc_flag_pair(s->kind, (enum asc_pipe)f[0], (enum asc_pipe)f[1]);
}

asc_flag *asc_flag_at(asc_subcore *s, const int64_t *f)
{
	asc_flag **row = &s->flag[f[0]][f[1]];

	if (!*row)
		*row = g_new0(asc_flag, (gsize)s->chip->machine->flag_ids);
	return *row + f[2];
}

/* Reports an unordered set once an instruction. */
static bool first_time(asc_flag *flag, uint32_t insn)
{
	if (!flag->unordered)
		flag->unordered = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (guint i = 0; i < flag->unordered->len; i++)
		if (g_array_index(flag->unordered, uint32_t, i) == insn)
			return false;
	g_array_append_val(flag->unordered, insn);
	return true;
}

/* CLOCK: of pipe from, everything before the set complete; taken over. */
void asc_flag_set(asc_subcore *s, asc_who who, const int64_t *f, int64_t time, asc_clock *clock)
{
	asc_flag *flag = asc_flag_at(s, f);
	asc_effect effect = {.time = time,
	                     .from = (uint8_t)f[0],
	                     .to = (uint8_t)f[1],
	                     .id = (uint8_t)f[2],
	                     .who = who,
	                     .clock = *clock};
	guint at = s->effects->len;

	effect.who.effect = time;
	effect.unordered = flag->sets && (flag->waits < flag->sets || clock->local[f[1]] < flag->wait_epoch);
	flag->sets++;
	if (s->chip->options.by_timestamp) {
		/* A wait that came before its set has gone on without. */
		if (flag->waits >= flag->sets)
			asc_clock_clear(&effect.clock);
		else
			g_queue_push_tail(&flag->pending, g_memdup2(&effect, sizeof(effect)));
		return;
	}
	while (at && g_array_index(s->effects, asc_effect, at - 1).time > time)
		at--;
	g_array_insert_val(s->effects, at, effect);
}

static void take_effect(asc_subcore *s, asc_effect *e)
{
	const int64_t f[] = {e->from, e->to, e->id};
	asc_flag *flag = asc_flag_at(s, f);
	asc_violation v = {ASC_FINDING_FLAG_DOUBLE_SET,
	                   e->time,
	                   s->core,
	                   s->sub,
	                   e->who.stream,
	                   e->who.insn,
	                   flag->setter.stream,
	                   flag->setter.insn,
	                   ASC_SPACES,
	                   0,
	                   0,
	                   flag->set};

	if (flag->set || (e->unordered && first_time(flag, e->who.insn)))
		asc_violate_at(s, v);
	flag->set = true;
	flag->since = e->time;
	flag->setter = e->who;
	asc_clock_clear(&flag->clock);
	flag->clock = e->clock;
}

bool asc_flags_due(asc_subcore *s, int64_t now)
{
	guint n = 0;

	while (n < s->effects->len && g_array_index(s->effects, asc_effect, n).time <= now)
		take_effect(s, &g_array_index(s->effects, asc_effect, n++));
	if (n)
		g_array_remove_range(s->effects, 0, n);
	return n > 0;
}

int64_t asc_flags_next(const asc_subcore *s)
{
	return s->effects->len ? g_array_index(s->effects, asc_effect, 0).time : SIM_NEVER;
}

static bool take_by_time(asc_flag *flag, int64_t now, asc_clock *clock, asc_who *setter)
{
	asc_effect *e = g_queue_pop_head(&flag->pending);

	if (!e)
		return true;
	*setter = e->who;
	if (e->time <= now)
		asc_clock_join(clock, &e->clock);
	asc_clock_clear(&e->clock);
	g_free(e);
	return true;
}

/* A wait on pipe to, whose clock is CLOCK and which is its EPOCH-th instruction: false while the flag is clear. */
bool asc_flag_take(asc_subcore *s, const int64_t *f, int64_t now, asc_clock *clock, uint64_t epoch, asc_who *setter)
{
	asc_flag *flag = asc_flag_at(s, f);

	if (s->chip->options.by_timestamp) {
		flag->waits++;
		return take_by_time(flag, now, clock, setter);
	}
	if (!flag->set)
		return false;
	flag->set = false;
	flag->waits++;
	flag->wait_epoch = epoch;
	*setter = flag->setter;
	asc_clock_join(clock, &flag->clock);
	asc_clock_clear(&flag->clock);
	return true;
}

void asc_flags_leftover(asc_subcore *s, int64_t now)
{
	asc_flags_due(s, SIM_NEVER);
	for (unsigned pair = 0; pair < ASC_PIPES * ASC_PIPES; pair++) {
		asc_flag *flags = s->flag[pair / ASC_PIPES][pair % ASC_PIPES];

		for (int64_t id = 0; flags && id < s->chip->machine->flag_ids; id++)
			if (flags[id].set)
				asc_violate(s, ASC_FINDING_FLAG_LEFT_SET, now, flags[id].setter.insn, ASC_NOBODY);
	}
}

static void free_effect(void *p)
{
	asc_effect *e = p;

	asc_clock_clear(&e->clock);
	g_free(e);
}

void asc_flags_fini(asc_subcore *s)
{
	for (unsigned pair = 0; pair < ASC_PIPES * ASC_PIPES; pair++) {
		asc_flag *flags = s->flag[pair / ASC_PIPES][pair % ASC_PIPES];

		for (int64_t id = 0; flags && id < s->chip->machine->flag_ids; id++) {
			asc_clock_clear(&flags[id].clock);
			g_queue_clear_full(&flags[id].pending, free_effect);
			if (flags[id].unordered)
				g_array_free(flags[id].unordered, TRUE);
		}
		g_free(flags);
	}
	for (guint i = 0; i < s->effects->len; i++)
		asc_clock_clear(&g_array_index(s->effects, asc_effect, i).clock);
	g_array_free(s->effects, TRUE);
}
