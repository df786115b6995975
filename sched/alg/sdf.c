/* SPDX-License-Identifier: Apache-2.0
 *
 * Dataflow graphs: building them, the balance equations, and whether an iteration can be made at all.
 *
 * Balance: with P tokens produced a turn of FROM and C consumed a turn of TO, turns(FROM) P = turns(TO) C for every
 * channel; solved by a walk over each connected part in fractions, then scaled to the least whole numbers.
 */
#include "sched/alg/sdf.h"

#include <string.h>

sdf_graph *sdf_graph_new(const char *name)
{
	sdf_graph *g = g_new0(sdf_graph, 1);

	g->name = g_strdup(name);
	g->actors = g_array_new(FALSE, TRUE, sizeof(sdf_actor));
	g->channels = g_array_new(FALSE, TRUE, sizeof(sdf_channel));
	return g;
}

void sdf_graph_free(sdf_graph *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->actors->len; i++) {
		g_free(sdf_actor_at(g, i)->name);
		g_free(sdf_actor_at(g, i)->time);
	}
	for (uint32_t i = 0; i < g->channels->len; i++) {
		g_free(sdf_channel_at(g, i)->name);
		g_free(sdf_channel_at(g, i)->produce);
		g_free(sdf_channel_at(g, i)->consume);
	}
	g_array_free(g->actors, TRUE);
	g_array_free(g->channels, TRUE);
	g_free(g->name);
	g_free(g);
}

uint32_t sdf_add_actor(sdf_graph *g, const char *name, int64_t time)
{
	sdf_actor a = {.name = g_strdup(name), .phases = 1, .time = g_new(int64_t, 1)};

	a.time[0] = time;
	g_array_append_val(g->actors, a);
	return g->actors->len - 1;
}

uint32_t sdf_add_channel(sdf_graph *g, const char *name, uint32_t from, uint64_t produce, uint32_t to, uint64_t consume,
                         uint64_t initial)
{
	sdf_channel c = {.name = g_strdup(name), .from = from, .to = to, .initial = initial};

	c.produce = g_new(uint64_t, 1);
	c.consume = g_new(uint64_t, 1);
	c.produce[0] = produce;
	c.consume[0] = consume;
	g_array_append_val(g->channels, c);
	return g->channels->len - 1;
}

static uint64_t sum(const uint64_t *rates, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all += rates[i];
	return all;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Turns of an actor as a fraction of those of the first of its part; 0/0 while not known. */
typedef struct fraction {
	uint64_t num, den;
} fraction;

/* TIMES * BY / OVER in lowest terms; false when that does not fit. */
static bool scale(fraction times, uint64_t by, uint64_t over, fraction *out)
{
	uint64_t common = gcd(by, over), a, b;

	by /= common;
	over /= common;
	a = gcd(times.num, over);
	b = gcd(by, times.den);
	return !__builtin_mul_overflow(times.num / a, by / b, &out->num) &&
	       !__builtin_mul_overflow(times.den / b, over / a, &out->den);
}

/* What the walk needs. */
typedef struct walk {
	const sdf_graph *g;
	fraction *turns;
	uint32_t *queue;
	GPtrArray *at; /* of each actor: GArray of its channels */
} walk;

enum outcome { FINE, UNBALANCED, TOO_MANY };

static enum outcome follow(walk *w, uint32_t actor, uint32_t channel, uint32_t *tail)
{
	const sdf_channel *c = sdf_channel_at(w->g, channel);
	uint64_t produced = sum(c->produce, sdf_actor_at(w->g, c->from)->phases);
	uint64_t consumed = sum(c->consume, sdf_actor_at(w->g, c->to)->phases);
	bool forward = c->from == actor;
	uint32_t other = forward ? c->to : c->from;
	fraction turns;

	/* A channel that never carries anything binds nobody to anybody. */
	if (!produced && !consumed)
		return FINE;
	if (!produced || !consumed)
		return UNBALANCED;
	if (!scale(w->turns[actor], forward ? produced : consumed, forward ? consumed : produced, &turns))
		return TOO_MANY;
	if (w->turns[other].den)
		return turns.num == w->turns[other].num && turns.den == w->turns[other].den ? FINE : UNBALANCED;
	w->turns[other] = turns;
	w->queue[(*tail)++] = other;
	return FINE;
}

/* The part of the graph that ACTOR belongs to; its fractions become whole turns. */
static enum outcome solve_part(walk *w, uint32_t actor, uint64_t *repetition, uint32_t *channel)
{
	uint32_t head = 0, tail = 0;
	uint64_t den = 1, num = 0;

	w->turns[actor] = (fraction){1, 1};
	w->queue[tail++] = actor;
	for (; head < tail; head++) {
		const GArray *at = g_ptr_array_index(w->at, w->queue[head]);

		for (guint i = 0; i < at->len; i++) {
			enum outcome outcome = follow(w, w->queue[head], g_array_index(at, uint32_t, i), &tail);

			*channel = g_array_index(at, uint32_t, i);
			if (outcome != FINE)
				return outcome;
		}
	}
	for (uint32_t i = 0; i < tail; i++)
		if (__builtin_mul_overflow(den, w->turns[w->queue[i]].den / gcd(den, w->turns[w->queue[i]].den), &den))
			return TOO_MANY;
	for (uint32_t i = 0; i < tail; i++) {
		fraction turns = w->turns[w->queue[i]];

		if (__builtin_mul_overflow(turns.num, den / turns.den, &repetition[w->queue[i]]))
			return TOO_MANY;
		num = gcd(num, repetition[w->queue[i]]);
	}
	for (uint32_t i = 0; i < tail; i++)
		if (__builtin_mul_overflow(repetition[w->queue[i]] / num,
		                           (uint64_t)sdf_actor_at(w->g, w->queue[i])->phases, &repetition[w->queue[i]]))
			return TOO_MANY;
	return FINE;
}

static enum outcome solve(const sdf_graph *g, uint64_t *repetition, uint32_t *channel)
{
	g_autofree fraction *turns = g_new0(fraction, g->actors->len);
	g_autofree uint32_t *queue = g_new(uint32_t, g->actors->len);
	g_autoptr(GPtrArray) at = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	walk w = {g, turns, queue, at};
	enum outcome outcome = FINE;
	uint64_t total = 0;

	for (uint32_t i = 0; i < g->actors->len; i++)
		g_ptr_array_add(at, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
	for (uint32_t i = 0; i < g->channels->len; i++) {
		g_array_append_val((GArray *)g_ptr_array_index(at, sdf_channel_at(g, i)->from), i);
		if (sdf_channel_at(g, i)->to != sdf_channel_at(g, i)->from)
			g_array_append_val((GArray *)g_ptr_array_index(at, sdf_channel_at(g, i)->to), i);
	}
	for (uint32_t i = 0; i < g->actors->len && outcome == FINE; i++)
		if (!turns[i].den)
			outcome = solve_part(&w, i, repetition, channel);
	for (uint32_t i = 0; i < g->actors->len && outcome == FINE; i++)
		if (__builtin_add_overflow(total, repetition[i], &total) || total > SDF_FIRINGS_MAX)
			outcome = TOO_MANY;
	return outcome;
}

uint64_t *sdf_repetition(const sdf_graph *g, uint32_t *channel, GError **error)
{
	uint64_t *repetition = g_new0(uint64_t, g->actors->len + 1);
	enum outcome outcome = solve(g, repetition, channel);

	if (outcome == FINE)
		return repetition;
	g_free(repetition);
	if (outcome == TOO_MANY) {
		*channel = UINT32_MAX;
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: an iteration takes more than %d firings: too many to expand", g->name,
		            SDF_FIRINGS_MAX);
	}
	return NULL;
}

/* Firing actors one after the other.  Whether an iteration can be made does not depend on the order. */
typedef struct play {
	const sdf_graph *g;
	const uint64_t *capacity;
	uint64_t *tokens, *fired;
} play;

/* May actor A fire?  What keeps it from firing is added to BLOCKED, if that is not NULL. */
static bool may_fire(const play *p, uint32_t a, GArray *blocked)
{
	uint32_t phase = (uint32_t)(p->fired[a] % sdf_actor_at(p->g, a)->phases);
	bool may = true;

	for (uint32_t i = 0; i < p->g->channels->len && (may || blocked); i++) {
		const sdf_channel *c = sdf_channel_at(p->g, i);
		uint64_t left = p->tokens[i];
		uint32_t what = UINT32_MAX;

		if (c->to == a && left < c->consume[phase])
			what = i;
		/* Room is taken when a firing begins, and given back when one ends. */
		else if (c->from == a && c->to != a && p->capacity && p->capacity[i] != UINT64_MAX &&
		         (left > p->capacity[i] || p->capacity[i] - left < c->produce[phase]))
			what = i | SDF_NO_ROOM;
		if (what == UINT32_MAX)
			continue;
		may = false;
		if (blocked)
			g_array_append_val(blocked, what);
	}
	return may;
}

static void fire(play *p, uint32_t a)
{
	uint32_t phase = (uint32_t)(p->fired[a]++ % sdf_actor_at(p->g, a)->phases);

	for (uint32_t i = 0; i < p->g->channels->len; i++) {
		const sdf_channel *c = sdf_channel_at(p->g, i);

		if (c->to == a)
			p->tokens[i] -= c->consume[phase];
		if (c->from == a)
			p->tokens[i] += c->produce[phase];
	}
}

bool sdf_is_live(const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity, GArray **blocked)
{
	g_autofree uint64_t *tokens = g_new(uint64_t, g->channels->len + 1);
	g_autofree uint64_t *fired = g_new0(uint64_t, g->actors->len + 1);
	play p = {g, capacity, tokens, fired};
	bool moved = true, done = true;

	for (uint32_t i = 0; i < g->channels->len; i++)
		tokens[i] = sdf_channel_at(g, i)->initial;
	while (moved) {
		moved = false;
		for (uint32_t a = 0; a < g->actors->len; a++)
			while (fired[a] < repetition[a] && may_fire(&p, a, NULL)) {
				fire(&p, a);
				moved = true;
			}
	}
	if (blocked)
		*blocked = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t a = 0; a < g->actors->len; a++) {
		if (fired[a] == repetition[a])
			continue;
		done = false;
		if (blocked)
			may_fire(&p, a, *blocked);
	}
	return done;
}
