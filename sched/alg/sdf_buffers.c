/* SPDX-License-Identifier: Apache-2.0
 *
 * Room for the tokens of channels: what one channel needs by itself, and the least total that keeps a graph live or
 * fast.
 *
 * The search looks at distributions in the order of their totals, from the bounds of single channels on.  One that will
 * not do names the channels of which at least one must grow: those whose missing room keeps actors from firing in the
 * deadlock, or whose room binds in a cycle of the largest ratio.  So the first one that does is a least one.
 */
#include "sched/alg/sdf.h"

#include <string.h>

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* What tokens of the channel come and go in multiples of. */
static uint64_t step_of(const sdf_graph *g, const sdf_channel *c)
{
	uint64_t step = 0;

	for (uint32_t i = 0; i < sdf_actor_at(g, c->from)->phases; i++)
		step = gcd(step, c->produce[i]);
	for (uint32_t i = 0; i < sdf_actor_at(g, c->to)->phases; i++)
		step = gcd(step, c->consume[i]);
	return MAX(step, 1);
}

static uint64_t largest(const uint64_t *rates, uint32_t count)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = MAX(most, rates[i]);
	return most;
}

/* Cyclo-static: try room after room on the two actors alone. */
static uint64_t bound_by_trial(const sdf_graph *g, const sdf_channel *c)
{
	sdf_graph pair = {.name = g->name};
	g_autoptr(GArray) actors = g_array_new(FALSE, FALSE, sizeof(sdf_actor));
	g_autoptr(GArray) channels = g_array_new(FALSE, FALSE, sizeof(sdf_channel));
	const sdf_actor *from = sdf_actor_at(g, c->from), *to = sdf_actor_at(g, c->to);
	uint64_t step = step_of(g, c), room, turn_from = 0, turn_to = 0;
	sdf_channel only = *c;
	g_autofree uint64_t *repetition = NULL;
	uint32_t bad;

	only.from = 0;
	only.to = 1;
	g_array_append_vals(actors, from, 1);
	g_array_append_vals(actors, to, 1);
	g_array_append_val(channels, only);
	pair.actors = actors;
	pair.channels = channels;
	repetition = sdf_repetition(&pair, &bad, NULL);
	for (uint32_t i = 0; i < from->phases; i++)
		turn_from += c->produce[i];
	for (uint32_t i = 0; i < to->phases; i++)
		turn_to += c->consume[i];
	room = MAX(c->initial, MAX(largest(c->produce, from->phases), largest(c->consume, to->phases)));
	room += (c->initial % step + step - room % step) % step;
	/* Whole turns of both always do. */
	while (repetition && room < turn_from + turn_to + c->initial && !sdf_is_live(&pair, repetition, &room, NULL))
		room += step;
	return room;
}

uint64_t sdf_buffer_bound(const sdf_graph *g, uint32_t i)
{
	const sdf_channel *c = sdf_channel_at(g, i);
	uint64_t p = c->produce[0], q = c->consume[0], step, need;

	if (c->from == c->to)
		return c->initial;
	if (sdf_actor_at(g, c->from)->phases > 1 || sdf_actor_at(g, c->to)->phases > 1)
		return bound_by_trial(g, c);
	step = step_of(g, c);
	need = p + q - (p && q ? step : 0);
	return c->initial <= need ? need + c->initial % step : c->initial;
}

/* A distribution of the search. */
typedef struct choice {
	uint64_t total, number; /* in the order in which they were met */
	uint64_t *capacity;
} choice;

typedef struct search {
	const sdf_graph *g;
	const uint64_t *repetition;
	const sdf_ratio *period;
	const sdf_effort *effort;
	bool stopped;
	GPtrArray *heap;  /* choice */
	GHashTable *seen; /* capacities, as bytes */
	uint64_t met;
} search;

static bool before(const choice *a, const choice *b)
{
	return a->total != b->total ? a->total < b->total : a->number < b->number;
}

static void push(search *s, choice *c)
{
	guint at = s->heap->len;

	g_ptr_array_add(s->heap, c);
	for (; at && before(c, s->heap->pdata[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap->pdata[at] = s->heap->pdata[(at - 1) / 2];
	s->heap->pdata[at] = c;
}

static choice *pop(search *s)
{
	choice *top = s->heap->pdata[0], *last = s->heap->pdata[s->heap->len - 1];
	guint at = 0, child;

	g_ptr_array_set_size(s->heap, (gint)s->heap->len - 1);
	while ((child = 2 * at + 1) < s->heap->len) {
		if (child + 1 < s->heap->len && before(s->heap->pdata[child + 1], s->heap->pdata[child]))
			child++;
		if (!before(s->heap->pdata[child], last))
			break;
		s->heap->pdata[at] = s->heap->pdata[child];
		at = child;
	}
	if (s->heap->len)
		s->heap->pdata[at] = last;
	return top;
}

static void free_choice(gpointer data, gpointer unused)
{
	choice *c = data;

	(void)unused;
	g_free(c->capacity);
	g_free(c);
}

/* CAPACITY with channel GROWN larger by STEP, unless it was met before. */
static void meet(search *s, const uint64_t *capacity, uint32_t grown, uint64_t step)
{
	size_t bytes = s->g->channels->len * sizeof(*capacity);
	uint64_t *copy = g_memdup2(capacity, bytes);
	GBytes *key;
	choice *c;

	if (grown != UINT32_MAX)
		copy[grown] += step;
	key = g_bytes_new(copy, bytes);
	if (!g_hash_table_add(s->seen, key)) {
		g_free(copy);
		return;
	}
	c = g_new0(choice, 1);
	c->capacity = copy;
	c->number = s->met++;
	for (uint32_t i = 0; i < s->g->channels->len; i++)
		c->total += sdf_channel_at(s->g, i)->from != sdf_channel_at(s->g, i)->to ? copy[i] : 0;
	push(s, c);
}

static bool fast_enough(sdf_ratio have, const sdf_ratio *want)
{
	return (__int128)have.time * want->iterations <= (__int128)want->time * have.iterations;
}

/* Does CAPACITY do?  If not, *NEED holds what must grow. */
static bool does(const search *s, const uint64_t *capacity, GArray **need)
{
	bool fine = sdf_is_live(s->g, s->repetition, capacity, need);

	if (!fine || !s->period)
		return fine;
	g_array_free(*need, TRUE);
	return fast_enough(sdf_period(s->g, s->repetition, capacity, need), s->period);
}

static bool stopped(search *s)
{
	s->stopped = s->stopped || (s->effort->stop && s->effort->stop(s->effort->stop_state));
	return s->stopped;
}

static void look(search *s, sdf_buffers *out)
{
	bool done = false;

	while (s->heap->len && out->tried < s->effort->distributions && !done && !stopped(s)) {
		choice *c = pop(s);
		GArray *need;

		out->tried++;
		done = does(s, c->capacity, &need);
		for (guint i = 0; !done && i < need->len; i++) {
			uint32_t which = g_array_index(need, uint32_t, i);

			if (which & SDF_NO_ROOM)
				meet(s, c->capacity, which & ~SDF_NO_ROOM,
				     step_of(s->g, sdf_channel_at(s->g, which & ~SDF_NO_ROOM)));
		}
		g_array_free(need, TRUE);
		if (done) {
			out->capacity = g_steal_pointer(&c->capacity);
			out->total = c->total;
			out->proved = true;
		}
		free_choice(c, NULL);
	}
}

/* Where the search ends without an answer: all that is missing grows at once, until it does. */
static void grow(search *s, sdf_buffers *out)
{
	uint64_t *capacity = g_new(uint64_t, s->g->channels->len + 1);
	GArray *need;

	for (uint32_t i = 0; i < s->g->channels->len; i++)
		capacity[i] = sdf_buffer_bound(s->g, i);
	while (!does(s, capacity, &need)) {
		for (guint i = 0; i < need->len; i++) {
			uint32_t which = g_array_index(need, uint32_t, i);

			if (which & SDF_NO_ROOM)
				capacity[which & ~SDF_NO_ROOM] +=
					step_of(s->g, sdf_channel_at(s->g, which & ~SDF_NO_ROOM));
		}
		g_array_free(need, TRUE);
		if (stopped(s)) {
			g_free(capacity);
			return;
		}
	}
	g_array_free(need, TRUE);
	out->capacity = capacity;
	for (uint32_t i = 0; i < s->g->channels->len; i++)
		out->total += sdf_channel_at(s->g, i)->from != sdf_channel_at(s->g, i)->to ? capacity[i] : 0;
}

/* Room makes cycles.  Does none of them take time?  Room for all tokens of an iteration is live. */
static bool room_is_free(const sdf_graph *g, const uint64_t *repetition)
{
	g_autofree uint64_t *room = g_new(uint64_t, g->channels->len + 1);

	for (uint32_t i = 0; i < g->channels->len; i++) {
		const sdf_channel *c = sdf_channel_at(g, i);
		uint32_t phases = sdf_actor_at(g, c->from)->phases;

		room[i] = c->initial;
		for (uint32_t k = 0; k < phases; k++)
			room[i] += repetition[c->from] / phases * c->produce[k];
	}
	return sdf_period(g, repetition, room, NULL).time == 0;
}

bool sdf_size_buffers(const sdf_graph *g, const uint64_t *repetition, const sdf_ratio *period, const sdf_effort *effort,
                      sdf_buffers *out)
{
	search s = {.g = g, .repetition = repetition, .period = period, .effort = effort};
	g_autofree uint64_t *bound = g_new(uint64_t, g->channels->len + 1);

	*out = (sdf_buffers){0};
	if (!sdf_is_live(g, repetition, NULL, NULL) ||
	    (period && !fast_enough(sdf_period(g, repetition, NULL, NULL), period)))
		return false;
	for (uint32_t i = 0; i < g->channels->len; i++)
		bound[i] = sdf_buffer_bound(g, i);
	if (period && period->time == 0 && !room_is_free(g, repetition))
		return false;
	s.heap = g_ptr_array_new();
	s.seen = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
	meet(&s, bound, UINT32_MAX, 0);
	look(&s, out);
	if (!out->capacity && !s.stopped)
		grow(&s, out);
	g_ptr_array_foreach(s.heap, free_choice, NULL);
	g_ptr_array_free(s.heap, TRUE);
	g_hash_table_destroy(s.seen);
	return true;
}
