/* SPDX-License-Identifier: Apache-2.0
 *
 * Serial schedule generation; the parallel one is in sgs_parallel.c.
 */
#include "sched/alg/sgs_int.h"

#include <string.h>

/* Slots are worth it while windows are this short; beyond, calendars. */
enum { MOST_SLOTS = 1 << 20, MOST_MEAN_DURATION = 64, LANE_BITS = 16, LANES = 4, LANE_MOST = 0x7fff };

/* No schedule that places tasks as early as it can is longer. */
static int64_t horizon_of(const alg_flat *f)
{
	int64_t horizon = 1;

	for (uint32_t v = 0; v < f->tasks; v++) {
		int64_t longest = f->duration[v];

		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			longest = MAX(longest, f->out[i].lag);
		horizon += longest + f->release[v];
	}
	for (uint32_t r = 0; f->windows && r < f->resources; r++)
		if (f->resource[r]->steps)
			horizon += g_array_index(f->resource[r]->steps, alg_step, f->resource[r]->steps->len - 1)
			                   .from_cycles;
	return horizon;
}

/* Resources that some task asks for. */
static uint32_t number_used(const alg_flat *f, uint32_t *lane)
{
	uint32_t used = 0;

	for (uint32_t r = 0; r < f->resources; r++)
		lane[r] = UINT32_MAX;
	for (uint32_t d = 0; d < f->demand_first[f->tasks]; d++)
		if (lane[f->demand[d].resource] == UINT32_MAX)
			lane[f->demand[d].resource] = used++;
	return used;
}

static bool slots_will_do(const alg_flat *f, int64_t horizon, uint32_t used)
{
	int64_t work = 0;

	for (uint32_t r = 0; r < f->resources; r++) {
		const alg_resource *resource = f->resource[r];

		if (f->capacity[r] > LANE_MOST)
			return false;
		/* A task must find its place in the end. */
		if (f->windows && resource->steps)
			for (uint32_t d = 0; d < f->demand_first[f->tasks]; d++)
				if (f->demand[d].resource == r &&
				    f->demand[d].amount >
				            g_array_index(resource->steps, alg_step, resource->steps->len - 1).capacity)
					return false;
	}
	for (uint32_t v = 0; v < f->tasks; v++)
		work += f->duration[v];
	return horizon <= MOST_SLOTS && used <= 8 * LANES && work <= (int64_t)MOST_MEAN_DURATION * f->tasks;
}

static uint64_t in_lane(uint32_t lane, uint64_t amount)
{
	return amount << (lane % LANES * LANE_BITS);
}

static void make_slots(alg_sgs *s, const uint32_t *lane)
{
	const alg_flat *f = s->f;

	s->need = g_new0(uint64_t, (size_t)f->tasks * s->words + 1);
	s->fresh = g_new0(uint64_t, (size_t)s->horizon * s->words + 1);
	s->slots = g_new0(uint64_t, (size_t)s->horizon * s->words + 1);
	for (uint32_t v = 0; v < f->tasks; v++)
		for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++) {
			uint32_t at = lane[f->demand[d].resource];

			s->need[(size_t)v * s->words + at / LANES] += in_lane(at, f->demand[d].amount);
		}
	for (int64_t i = 0; i < s->horizon * s->words; i++)
		s->fresh[i] = ALG_SLOT_GUARDS;
	for (uint32_t r = 0; r < f->resources; r++) {
		const GArray *steps = f->windows ? f->resource[r]->steps : NULL;
		uint32_t level = steps ? f->resource[r]->capacity : f->capacity[r];
		guint next = 0;

		for (int64_t t = 0; lane[r] != UINT32_MAX && t < s->horizon; t++) {
			for (; steps && next < steps->len && g_array_index(steps, alg_step, next).from_cycles <= t;
			     next++)
				level = g_array_index(steps, alg_step, next).capacity;
			s->fresh[t * s->words + lane[r] / LANES] += in_lane(lane[r], level);
		}
	}
	memcpy(s->slots, s->fresh, (size_t)s->horizon * s->words * sizeof(uint64_t));
}

alg_sgs *alg_sgs_new(const alg_flat *flat)
{
	alg_sgs *s = g_new0(alg_sgs, 1);
	g_autofree uint32_t *lane = g_new(uint32_t, flat->resources + 1);
	uint32_t used = number_used(flat, lane);

	s->f = flat;
	s->horizon = horizon_of(flat);
	if (slots_will_do(flat, s->horizon, used)) {
		s->words = MAX((used + LANES - 1) / LANES, 1);
		make_slots(s, lane);
	}
	return s;
}

void alg_sgs_free(alg_sgs *s)
{
	if (!s)
		return;
	alg_sgs_i_free_parallel(s);
	g_free(s->need);
	g_free(s->fresh);
	g_free(s->slots);
	g_free(s);
}

static inline int64_t earliest_by_arcs(const alg_flat *f, uint32_t v, const int64_t *start)
{
	int64_t from = f->release[v];

	for (uint32_t i = f->in_first[v]; i < f->in_first[v + 1]; i++)
		from = MAX(from, start[f->in[i].task] + f->in[i].lag);
	return from;
}

/* The first start from FROM on with NEED free in all LENGTH slots.  Slots are looked at from the end, so that a full
 * one moves the start past it at once, and none twice. */
static inline int64_t place_word(uint64_t *slots, int64_t from, int64_t length, uint64_t need)
{
	int64_t known = from; /* slots from the start to here are free */

	for (int64_t t = from + length - 1; t >= known;) {
		if (ALG_SLOT_TAKES(slots[t], need)) {
			t--;
			continue;
		}
		known = from + length;
		from = t + 1;
		t = from + length - 1;
		known = MAX(known, from);
	}
	for (int64_t t = from; t < from + length; t++)
		slots[t] -= need;
	return from;
}

static inline bool slot_takes(const uint64_t *slot, const uint64_t *need, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (!ALG_SLOT_TAKES(slot[w], need[w]))
			return false;
	return true;
}

static int64_t place_words(uint64_t *slots, uint32_t words, int64_t from, int64_t length, const uint64_t *need)
{
	int64_t known = from;

	for (int64_t t = from + length - 1; t >= known;) {
		if (slot_takes(slots + t * words, need, words)) {
			t--;
			continue;
		}
		known = from + length;
		from = t + 1;
		t = from + length - 1;
		known = MAX(known, from);
	}
	for (int64_t t = from; t < from + length; t++)
		for (uint32_t w = 0; w < words; w++)
			slots[t * words + w] -= need[w];
	return from;
}

static int64_t serial_slots(alg_sgs *s, const uint32_t *list, int64_t *start)
{
	const alg_flat *f = s->f;
	int64_t makespan = 0;

	memcpy(s->slots, s->fresh, (size_t)(s->dirty * s->words) * sizeof(uint64_t));
	for (uint32_t i = 0; i < f->tasks; i++) {
		uint32_t v = list[i];
		int64_t from = earliest_by_arcs(f, v, start);

		if (f->duration[v] > 0)
			from = s->words == 1 ? place_word(s->slots, from, f->duration[v], s->need[v])
			                     : place_words(s->slots, s->words, from, f->duration[v],
			                                   s->need + (size_t)v * s->words);
		start[v] = from;
		makespan = MAX(makespan, from + f->duration[v]);
	}
	s->dirty = makespan;
	return makespan;
}

alg_calendar **alg_sgs_i_calendars(const alg_flat *f)
{
	alg_calendar **calendars = g_new(alg_calendar *, f->resources + 1);

	for (uint32_t r = 0; r < f->resources; r++)
		calendars[r] = f->windows ? alg_calendar_of_resource(f->resource[r]) : alg_calendar_new(f->capacity[r]);
	return calendars;
}

void alg_sgs_i_free_calendars(const alg_flat *f, alg_calendar **calendars)
{
	for (uint32_t r = 0; r < f->resources; r++)
		alg_calendar_free(calendars[r]);
	g_free(calendars);
}

int64_t alg_sgs_i_earliest(const alg_flat *f, alg_calendar **calendars, uint32_t v, int64_t from)
{
	int64_t start = from;
	uint32_t agreed = 0, demands = f->demand_first[v + 1] - f->demand_first[v];

	for (uint32_t d = 0; agreed < demands; d = (d + 1) % demands) {
		const alg_demand *demand = &f->demand[f->demand_first[v] + d];
		int64_t next =
			alg_calendar_earliest(calendars[demand->resource], start, f->duration[v], demand->amount);

		agreed = next > start ? 1 : agreed + 1;
		start = next;
		if (start == INT64_MAX)
			break;
	}
	return start;
}

static int64_t serial_calendars(const alg_flat *f, const uint32_t *list, int64_t *start)
{
	alg_calendar **calendars = alg_sgs_i_calendars(f);
	int64_t makespan = 0;

	for (uint32_t i = 0; i < f->tasks; i++) {
		uint32_t v = list[i];

		start[v] = alg_sgs_i_earliest(f, calendars, v, earliest_by_arcs(f, v, start));
		if (start[v] == INT64_MAX) {
			makespan = INT64_MAX;
			break;
		}
		for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
			alg_calendar_reserve(calendars[f->demand[d].resource], start[v], f->duration[v],
			                     f->demand[d].amount);
		makespan = MAX(makespan, start[v] + f->duration[v]);
	}
	alg_sgs_i_free_calendars(f, calendars);
	return makespan;
}

int64_t alg_sgs_serial(alg_sgs *s, const uint32_t *list, int64_t *start)
{
	return s->words ? serial_slots(s, list, start) : serial_calendars(s->f, list, start);
}
