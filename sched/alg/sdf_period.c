/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact period of a dataflow graph: the largest ratio of time to iterations over the cycles of its firings.
 *
 * An iteration is expanded into its firings; an edge says that a firing needs the end of another one, of so many
 * iterations ago.  From a ratio of some cycle on, look for a cycle of a larger one (a positive cycle under weights time
 * - ratio * iterations, by relaxation in an order in which edges within an iteration lead forward) and take its ratio,
 * until there is none (Dinkelbach): whole numbers only, so the result is exact.
 */
#include "sched/alg/sdf.h"

#include <string.h>

typedef struct edge {
	uint32_t from, to; /* firings */
	uint32_t channel;  /* with SDF_NO_ROOM for room given back */
	int64_t iterations;
} edge;

typedef struct expansion {
	const sdf_graph *g;
	const uint64_t *repetition;
	uint32_t *first; /* [actors + 1] number of an actor's first firing */
	uint32_t firings;
	int64_t *time;    /* [firings] */
	GArray *edges;    /* edge, grouped by `from` after sorting */
	uint32_t *start;  /* [firings + 1] into edges */
	uint32_t *order;  /* [firings] edges within an iteration lead forward */
	uint32_t *parent; /* [firings] edge of the longest way; UINT32_MAX */
	__int128 *value;  /* [firings] */
} expansion;

/* Firing TO_FIRING of actor TO needs tokens that actor FROM produces by RATES a firing, INITIAL of them given. */
typedef struct need {
	uint32_t channel, from, to;
	const uint64_t *produce, *consume;
	int64_t initial;
} need;

static uint64_t of_turns(const uint64_t *rates, uint32_t phases, uint64_t firings)
{
	uint64_t all = 0, part = 0;

	for (uint32_t i = 0; i < phases; i++) {
		all += rates[i];
		part += i < firings % phases ? rates[i] : 0;
	}
	return firings / phases * all + part;
}

/* The firing of N->from that produces token NUMBER (from 1) of an iteration. */
static uint64_t producer(const expansion *x, const need *n, uint64_t number)
{
	uint32_t phases = sdf_actor_at(x->g, n->from)->phases;
	uint64_t turn = of_turns(n->produce, phases, phases), firing = (number - 1) / turn * phases;

	for (number -= firing / phases * turn; number > n->produce[firing % phases]; firing++)
		number -= n->produce[firing % phases];
	return firing;
}

static void add_edge(expansion *x, const need *n, uint64_t consumer, int64_t token)
{
	int64_t all = (int64_t)of_turns(n->produce, sdf_actor_at(x->g, n->from)->phases, x->repetition[n->from]);
	int64_t before = token >= 0 ? -(token / all) : (all - 1 - token) / all;
	edge e = {.to = x->first[n->to] + (uint32_t)consumer, .channel = n->channel, .iterations = before};

	e.from = x->first[n->from] + (uint32_t)producer(x, n, (uint64_t)(token + before * all) + 1);
	g_array_append_val(x->edges, e);
}

/* Edges of one channel.  Where all firings of the producer take the same time the last token arrives last; elsewhere
 * every token counts. */
static void expand(expansion *x, const need *n)
{
	uint32_t phases = sdf_actor_at(x->g, n->to)->phases;
	bool all = sdf_actor_at(x->g, n->from)->phases > 1;
	int64_t token = -n->initial; /* next token consumed, counted from the first one produced in this iteration */

	for (uint64_t i = 0; i < x->repetition[n->to]; i++) {
		int64_t take = (int64_t)n->consume[i % phases];

		for (int64_t t = all ? 0 : MAX(take - 1, 0); t < take; t++)
			add_edge(x, n, i, token + t);
		token += take;
	}
}

static void expand_all(expansion *x, const uint64_t *capacity)
{
	for (uint32_t i = 0; i < x->g->channels->len; i++) {
		const sdf_channel *c = sdf_channel_at(x->g, i);
		need n = {i, c->from, c->to, c->produce, c->consume, (int64_t)c->initial};
		uint32_t phases = sdf_actor_at(x->g, c->from)->phases;

		if (!of_turns(c->produce, phases, phases))
			continue;
		expand(x, &n);
		if (!capacity || capacity[i] == UINT64_MAX || c->from == c->to)
			continue;
		n = (need){i | SDF_NO_ROOM, c->to,      c->from,
		           c->consume,      c->produce, (int64_t)(capacity[i] - c->initial)};
		expand(x, &n);
	}
}

static int by_from(gconstpointer a, gconstpointer b)
{
	const edge *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static const edge *edge_at(const expansion *x, uint32_t i)
{
	return &g_array_index(x->edges, edge, i);
}

/* Edges by their beginning, and firings in an order that edges within an iteration follow (there is one: it is live).
 */
static void arrange(expansion *x)
{
	g_autofree uint32_t *waits = g_new0(uint32_t, x->firings + 1);
	uint32_t head = 0, tail = 0;

	g_array_sort(x->edges, by_from);
	for (uint32_t i = 0; i < x->edges->len; i++) {
		x->start[edge_at(x, i)->from + 1]++;
		waits[edge_at(x, i)->to] += edge_at(x, i)->iterations == 0;
	}
	for (uint32_t f = 0; f < x->firings; f++) {
		x->start[f + 1] += x->start[f];
		if (!waits[f])
			x->order[tail++] = f;
	}
	for (; head < tail; head++)
		for (uint32_t i = x->start[x->order[head]]; i < x->start[x->order[head] + 1]; i++)
			if (edge_at(x, i)->iterations == 0 && --waits[edge_at(x, i)->to] == 0)
				x->order[tail++] = edge_at(x, i)->to;
	g_assert(tail == x->firings);
}

/* A firing on a cycle of parents, UINT32_MAX when there is none. */
static uint32_t parent_cycle(const expansion *x)
{
	g_autofree uint32_t *seen = g_new0(uint32_t, x->firings + 1);

	for (uint32_t f = 0; f < x->firings; f++) {
		uint32_t at = f;

		while (!seen[at]) {
			seen[at] = f + 1;
			if (x->parent[at] == UINT32_MAX)
				break;
			at = edge_at(x, x->parent[at])->from;
		}
		if (seen[at] == f + 1 && x->parent[at] != UINT32_MAX)
			return at;
	}
	return UINT32_MAX;
}

/* A cycle whose ratio is above RATIO; a firing of it, or UINT32_MAX.  `parent` leads along it, backwards. */
static uint32_t better_cycle(expansion *x, sdf_ratio ratio)
{
	bool moved = true;
	uint32_t found = UINT32_MAX;

	memset(x->value, 0, x->firings * sizeof(*x->value));
	memset(x->parent, 0xff, x->firings * sizeof(*x->parent));
	while (moved && found == UINT32_MAX) {
		moved = false;
		for (uint32_t k = 0; k < x->firings; k++) {
			uint32_t f = x->order[k];

			for (uint32_t i = x->start[f]; i < x->start[f + 1]; i++) {
				const edge *e = edge_at(x, i);
				__int128 value = x->value[f] + (__int128)x->time[f] * ratio.iterations -
				                 (__int128)ratio.time * e->iterations;

				if (value <= x->value[e->to])
					continue;
				x->value[e->to] = value;
				x->parent[e->to] = i;
				moved = true;
			}
		}
		found = moved ? parent_cycle(x) : UINT32_MAX;
	}
	return found;
}

static sdf_ratio lowest(int64_t time, int64_t iterations)
{
	int64_t a = time, b = iterations;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (sdf_ratio){time / a, iterations / a};
}

/* Time and iterations of the cycle of parents through FIRING; its channels, in order, into CYCLE. */
static sdf_ratio measure(const expansion *x, uint32_t firing, GArray *cycle)
{
	int64_t time = 0, iterations = 0;
	uint32_t at = firing;

	g_array_set_size(cycle, 0);
	do {
		const edge *e = edge_at(x, x->parent[at]);

		time += x->time[e->from];
		iterations += e->iterations;
		g_array_prepend_val(cycle, e->channel);
		at = e->from;
	} while (at != firing);
	return lowest(time, iterations);
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
	x->edges = g_array_new(FALSE, FALSE, sizeof(edge));
	x->start = g_new0(uint32_t, x->firings + 2);
	x->order = g_new(uint32_t, x->firings + 1);
	x->parent = g_new(uint32_t, x->firings + 1);
	x->value = g_new(__int128, x->firings + 1);
	expand_all(x, capacity);
	arrange(x);
}

static void expansion_fini(expansion *x)
{
	g_free(x->first);
	g_free(x->time);
	g_free(x->start);
	g_free(x->order);
	g_free(x->parent);
	g_free(x->value);
	g_array_free(x->edges, TRUE);
}

sdf_ratio sdf_period(const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity, GArray **cycle)
{
	/* Below the ratio of any cycle: so the first search finds one if there is any. */
	sdf_ratio ratio = {-1, 1}, none = {0, 1};
	GArray *best = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	bool found = false;
	expansion x;
	uint32_t at;

	expansion_init(&x, g, repetition, capacity);
	while ((at = better_cycle(&x, ratio)) != UINT32_MAX) {
		ratio = measure(&x, at, best);
		found = true;
	}
	expansion_fini(&x);
	if (cycle)
		*cycle = best;
	else
		g_array_free(best, TRUE);
	return found ? ratio : none;
}
