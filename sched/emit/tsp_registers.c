/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers for the values of a placed chunk.
 *
 * Times are known, so a value's life is exact: from the cycle in which it is due to its last sampling.  Of a looped
 * step as many values are alive as intervals fit into one life; they rotate through so many registers, a *window*,
 * which renames each iteration's value.  Windows are packed (sched/alg/pack.h) beside what the calendar says is taken.
 * A chunk whose registers are given (tsp_tight.c) takes those.  Ports are latches of one value.
 */
#include "sched/alg/pack.h"
#include "sched/emit/tsp.h"

enum { WINDOW_MAX = 1024 };

/* First due time and last sampling of the values of a group of members, over the chunk; the number of iterations after
 * which their registers may come round. */
typedef struct lifetime {
	int64_t from, to;
	uint32_t wrap;
} lifetime;

/* Last sampling of value number VALUE of P's first iteration by steps before END; its due time when none samples it. */
static int64_t sampled_before(const tspe_kernel *k, const tspe_step *p, unsigned value, const tspe_step *end)
{
	int64_t last = p->start + tspe_earliest_due(p, value);

	for (const tspe_step *s = p; s < end; s++)
		for (unsigned o = 0; o < 2; o++)
			for (unsigned j = 0; s->in[o] >= 0 && j < s->fan; j++) {
				unsigned v;

				if (tspe_producer(k, s, o, j, &v) == p && v == value)
					last = MAX(last, tspe_sample_at(k, s, 0, j));
			}
	return last;
}

static int64_t last_sampling(const tspe_kernel *k, const tspe_step *p, unsigned value)
{
	return sampled_before(k, p, value, k->step + k->step_count);
}

static void extend(const tspe_kernel *k, lifetime *life, const tspe_step *p, unsigned value)
{
	int64_t due = p->start + tspe_earliest_due(p, value);
	int64_t last = last_sampling(k, p, value);

	life->from = MIN(life->from, due);
	life->to = MAX(life->to, MAX(last, p->start + tspe_latest_due(p, value)) + (int64_t)(k->n - 1) * k->interval);
	if (!p->once)
		life->wrap = MAX(life->wrap, (uint32_t)MIN((last - due) / k->interval + 1, (int64_t)k->n));
}

static lifetime lifetime_of(const tspe_kernel *k, const tspe_step *leader)
{
	lifetime life = {INT64_MAX, INT64_MIN, 1};

	for (unsigned m = 0; m < leader->members; m++) {
		if (leader->fan == leader->members)
			extend(k, &life, leader, m);
		else
			extend(k, &life, leader + m, 0);
	}
	return life;
}

int64_t tspe_last_sample(const tspe_kernel *k, const tspe_step *leader, const tspe_step *end)
{
	int64_t last = INT64_MIN;

	for (unsigned m = 0; m < leader->members; m++) {
		const tspe_step *p = leader->fan == leader->members ? leader : leader + m;
		unsigned value = leader->fan == leader->members ? m : 0;

		last = MAX(last, MAX(sampled_before(k, p, value, end), p->start + tspe_latest_due(p, value)));
	}
	return last;
}

static uint64_t registers_of(const tspe_step *leader, uint32_t wrap)
{
	return (uint64_t)wrap * leader->members * leader->span;
}

static void release_window(tspe_kernel *k, const tspe_step *s)
{
	lifetime life = lifetime_of(k, s);

	if (s->result == TSPE_PORT)
		tspe_release_latches(&k->e->cal, s->insn.dst, life.from, life.to);
	else
		tspe_release_registers(&k->e->cal, s->reg, (unsigned)registers_of(s, s->wrap), life.from, life.to);
}

static void release_ports(tspe_kernel *k, unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		if (tspe_leads(&k->step[i]) && k->step[i].result == TSPE_PORT)
			release_window(k, &k->step[i]);
}

static bool take_ports(tspe_kernel *k)
{
	for (unsigned i = 0; i < k->step_count; i++) {
		tspe_step *s = &k->step[i];
		lifetime life;

		if (!tspe_leads(s) || s->result != TSPE_PORT)
			continue;
		life = lifetime_of(k, s);
		if (tspe_take_latches(&k->e->cal, s->insn.dst, life.from, life.to))
			continue;
		release_ports(k, i);
		return false;
	}
	return true;
}

static int64_t first_start(const tspe_kernel *k)
{
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < k->step_count; i++)
		first = MIN(first, k->step[i].start);
	return first;
}

/* Where registers are given: when the chunk would have to start so that S finds its own free. */
static int64_t free_start(const tspe_kernel *k, const tspe_step *s, const lifetime *life)
{
	int64_t at = life->from;

	for (unsigned r = 0; r < registers_of(s, 1); r++)
		at = MAX(at,
		         tspe_busy_earliest(&k->e->cal.reg[s->reg + r], life->from, life->to - life->from + 1, NULL));
	return at == life->from ? TSPE_NEVER : first_start(k) + at - life->from;
}

static bool take_given(tspe_kernel *k)
{
	lifetime life;

	for (unsigned i = 0; i < k->step_count; i++)
		if (tspe_leads(&k->step[i]) && k->step[i].result == TSPE_REGISTERS) {
			life = lifetime_of(k, &k->step[i]);
			k->retry_at = MAX(k->retry_at, free_start(k, &k->step[i], &life));
		}
	if (k->retry_at != TSPE_NEVER)
		return false;
	for (unsigned i = 0; i < k->step_count; i++)
		if (tspe_leads(&k->step[i]) && k->step[i].result == TSPE_REGISTERS) {
			life = lifetime_of(k, &k->step[i]);
			k->step[i].wrap = 1;
			tspe_take_registers(&k->e->cal, k->step[i].reg, (unsigned)registers_of(&k->step[i], 1),
			                    life.from, life.to);
		}
	return true;
}

/* A callback of packing: passes over what is taken. */
static uint32_t free_from(void *state, const pack_item *item, uint32_t place)
{
	const tspe_calendars *c = state;

	while (place + item->size <= c->registers) {
		unsigned taken = tspe_first_taken(c, place, item->size, item->from, item->to);

		if (taken == item->size)
			return place;
		place += taken + 1;
	}
	return c->registers;
}

static bool take_packed(tspe_kernel *k)
{
	pack_room room = {.size = k->e->registers, .first_fit = true, .free_from = free_from, .state = &k->e->cal};
	pack_item items[TSPE_SPILLED_MAX];
	uint32_t count = 0;

	for (unsigned i = 0; i < k->step_count; i++) {
		tspe_step *s = &k->step[i];
		lifetime life;

		if (!tspe_leads(s) || s->result != TSPE_REGISTERS)
			continue;
		life = lifetime_of(k, s);
		if (registers_of(s, life.wrap) > MIN(room.size, WINDOW_MAX))
			return false;
		s->wrap = life.wrap;
		items[count++] = (pack_item){life.from, life.to, (uint32_t)registers_of(s, life.wrap), 1, 0};
	}
	if (!pack_items(items, count, &room))
		return false;
	count = 0;
	for (unsigned i = 0; i < k->step_count; i++)
		if (tspe_leads(&k->step[i]) && k->step[i].result == TSPE_REGISTERS) {
			const pack_item *item = &items[count++];

			k->step[i].reg = item->place;
			tspe_take_registers(&k->e->cal, item->place, item->size, item->from, item->to);
		}
	return true;
}

enum tspe_outcome tspe_take_windows(tspe_kernel *k)
{
	if (!take_ports(k))
		return TSPE_FAILED;
	if (k->tight ? take_given(k) : take_packed(k))
		return TSPE_PLACED;
	release_ports(k, k->step_count);
	return TSPE_ABORTED;
}

void tspe_release_windows(tspe_kernel *k)
{
	for (unsigned i = 0; i < k->step_count; i++)
		if (tspe_leads(&k->step[i]))
			release_window(k, &k->step[i]);
}

/* ---------------------------------------------------------------------------------------------------- for the report
 */

static void count_value(tspe_kernel *k, const tspe_step *p, unsigned value)
{
	int64_t length = last_sampling(k, p, value) - p->start - tspe_earliest_due(p, value);

	for (uint32_t i = 0; i < (p->once ? 1 : k->n); i++) {
		int64_t due = tspe_due_at(k, p, i, value);
		int64_t last = p->start + tspe_earliest_due(p, value) + length + (int64_t)i * k->interval;

		if (p->once)
			last += (int64_t)(k->n - 1) * k->interval;
		tspe_count_live(&k->e->cal, p->span, due, MAX(due, last));
	}
}

void tspe_count_registers(tspe_kernel *k)
{
	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++) {
		if (s->result != TSPE_REGISTERS)
			continue;
		for (unsigned r = 0; tspe_leads(s) && r < registers_of(s, s->wrap); r++)
			k->e->cal.touched[s->reg + r] = 1;
		for (unsigned value = 0; value < s->fan; value++)
			count_value(k, s, value);
	}
}
