/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact period of a dataflow graph: the largest ratio of time to iterations over the cycles of its firings.
 *
 * An iteration is expanded into its firings; an arc says that a firing needs the end of another one, of so many
 * iterations ago.  Tokens leave a channel in the order of the firings that made them.  Phases begin in turn: where
 * there are any, another arc says that a firing begins no earlier than the one before.  (Firings that all take the same
 * time do so by themselves.)  The largest ratio is found in sched/alg/cyclic_ratio.c.
 */
#include "sched/alg/sdf.h"

#include "sched/alg/cyclic_ratio.h"

enum { NO_CHANNEL = UINT32_MAX };

typedef struct expansion {
	const sdf_graph *g;
	const uint64_t *repetition;
	uint32_t *first; /* [actors + 1] number of an actor's first firing */
	uint32_t firings;
	int64_t *time; /* [firings] */
	GArray *arcs;  /* cyclic_arc; named by channel, with SDF_NO_ROOM for room given back, or NO_CHANNEL */
} expansion;

/* Firing TO_FIRING of actor TO needs tokens that actor FROM produces by RATES a firing, INITIAL of them given. */
typedef struct need {
	uint32_t channel, from, to;
	const uint64_t *produce, *consume;
	int64_t initial;
	const uint64_t *sum; /* [phases of from + 1] tokens before each phase of a turn, and of all of it */
} need;

/* g_free. */
static uint64_t *sums(const uint64_t *rates, uint32_t phases)
{
	uint64_t *sum = g_new(uint64_t, phases + 1);

	sum[0] = 0;
	for (uint32_t i = 0; i < phases; i++)
		sum[i + 1] = sum[i] + rates[i];
	return sum;
}

/* The firing of N->from that produces token NUMBER (from 0) of an iteration, and *LEFT tokens after it. */
static uint64_t producer(const expansion *x, const need *n, uint64_t number, uint64_t *left)
{
	uint32_t phases = sdf_actor_at(x->g, n->from)->phases, low = 0, high = phases;
	uint64_t turn = n->sum[phases], rest = number % turn;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (n->sum[middle] <= rest)
			low = middle;
		else
			high = middle;
	}
	*left = n->sum[low + 1] - rest - 1;
	return number / turn * phases + low;
}

/* How many tokens after this one are of the same firing. */
static uint64_t add_edge(expansion *x, const need *n, uint64_t consumer, int64_t token)
{
	uint32_t phases = sdf_actor_at(x->g, n->from)->phases;
	int64_t all = (int64_t)(x->repetition[n->from] / phases * n->sum[phases]);
	int64_t before = token >= 0 ? -(token / all) : (all - 1 - token) / all;
	cyclic_arc a = {.to = x->first[n->to] + (uint32_t)consumer, .name = n->channel, .distance = before};
	uint64_t left;

	a.from = x->first[n->from] + (uint32_t)producer(x, n, (uint64_t)(token + before * all), &left);
	a.time = x->time[a.from];
	g_array_append_val(x->arcs, a);
	return left;
}

/* Edges of one channel.  Where all firings of the producer take the same time the last token arrives last; elsewhere
 * every token counts. */
static void expand(expansion *x, need *n)
{
	uint32_t phases = sdf_actor_at(x->g, n->to)->phases;
	g_autofree uint64_t *sum = sums(n->produce, sdf_actor_at(x->g, n->from)->phases);
	bool all = sdf_actor_at(x->g, n->from)->phases > 1;
	int64_t token = -n->initial; /* next token consumed, counted from the first one produced in this iteration */

	n->sum = sum;
	/* Nothing is made, so nothing is taken. */
	if (!sum[sdf_actor_at(x->g, n->from)->phases])
		return;
	for (uint64_t i = 0; i < x->repetition[n->to]; i++) {
		int64_t take = (int64_t)n->consume[i % phases];

		for (int64_t t = all ? 0 : MAX(take - 1, 0); t < take; t++)
			t += (int64_t)add_edge(x, n, i, token + t);
		token += take;
	}
}

static bool has_phases(const sdf_graph *g)
{
	for (uint32_t i = 0; i < g->actors->len; i++)
		if (sdf_actor_at(g, i)->phases > 1)
			return true;
	return false;
}

static void begin_in_turn(expansion *x)
{
	for (uint32_t a = 0; a < x->g->actors->len; a++)
		for (uint32_t i = x->first[a]; i < x->first[a + 1]; i++) {
			bool last = i + 1 == x->first[a + 1];
			cyclic_arc arc = {i, last ? x->first[a] : i + 1, NO_CHANNEL, 0, last};

			g_array_append_val(x->arcs, arc);
		}
}

static void expand_all(expansion *x, const uint64_t *capacity)
{
	if (has_phases(x->g))
		begin_in_turn(x);
	for (uint32_t i = 0; i < x->g->channels->len; i++) {
		const sdf_channel *c = sdf_channel_at(x->g, i);
		need n = {i, c->from, c->to, c->produce, c->consume, (int64_t)c->initial, NULL};

		expand(x, &n);
		if (!capacity || capacity[i] == UINT64_MAX || c->from == c->to)
			continue;
		n = (need){i | SDF_NO_ROOM,
		           c->to,
		           c->from,
		           c->consume,
		           c->produce,
		           (int64_t)(capacity[i] - c->initial),
		           NULL};
		expand(x, &n);
	}
}

static void expansion_init(expansion *x, const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity)
{
	*x = (expansion){.g = g, .repetition = repetition, .first = g_new0(uint32_t, g->actors->len + 1)};
	for (uint32_t a = 0; a < g->actors->len; a++)
		x->first[a + 1] = x->first[a] + (uint32_t)repetition[a];
	x->firings = x->first[g->actors->len];
	x->time = g_new(int64_t, x->firings + 1);
	for (uint32_t a = 0; a < g->actors->len; a++)
		for (uint64_t i = 0; i < repetition[a]; i++)
			x->time[x->first[a] + i] = sdf_actor_at(g, a)->time[i % sdf_actor_at(g, a)->phases];
	x->arcs = g_array_new(FALSE, FALSE, sizeof(cyclic_arc));
	expand_all(x, capacity);
}

static void keep_channels(GArray *names)
{
	guint kept = 0;

	for (guint i = 0; i < names->len; i++)
		if (g_array_index(names, uint32_t, i) != NO_CHANNEL)
			g_array_index(names, uint32_t, kept++) = g_array_index(names, uint32_t, i);
	g_array_set_size(names, kept);
}

sdf_ratio sdf_period(const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity, GArray **cycle)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	cyclic_rate best;
	bool found;
	expansion x;

	expansion_init(&x, g, repetition, capacity);
	/* Below the ratio of any cycle: so the first search finds one if there is any. */
	found = cyclic_best_ratio(x.arcs, x.firings, (cyclic_rate){-1, 1}, &best, names);
	g_free(x.first);
	g_free(x.time);
	g_array_free(x.arcs, TRUE);
	keep_channels(names);
	if (cycle)
		*cycle = names;
	else
		g_array_free(names, TRUE);
	return found ? (sdf_ratio){best.time, best.distance} : (sdf_ratio){0, 1};
}
