/* SPDX-License-Identifier: Apache-2.0
 *
 * DSATUR, and tabu search over partial colourings.
 *
 * DSATUR: the node with the most registers among its neighbours comes next, of equal ones the one with the most
 * neighbours; it gets the lowest register that is free, or none.
 * Tabu: a node without a register takes one, its neighbours there lose theirs, and may not have it back for a while. Of
 * all such moves the one that leaves the least cost without a register is made, chance deciding among equals; the while
 * is the cost left, in nodes, and a little chance (Bloechliger and Zufferey's dynamic tenure).
 */
#include "sched/alg/color.h"

#include <string.h>

#include "isa/rng.h"
#include "sched/alg/color_heap.h"

/* Neighbours as lists: both engines run along them all the time. */
typedef struct lists {
	uint32_t *first, *to;
} lists;

static lists lists_of(const color_graph *g)
{
	lists l = {g_new(uint32_t, g->nodes + 2), g_new(uint32_t, 2 * g->edges + 1)};
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->nodes; i++) {
		l.first[i] = at;
		for (uint32_t w = 0; w < g->words; w++)
			for (uint64_t bits = g->matrix[(size_t)i * g->words + w]; bits; bits &= bits - 1)
				l.to[at++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	l.first[g->nodes] = at;
	return l;
}

static void lists_fini(lists *l)
{
	g_free(l->first);
	g_free(l->to);
}

static uint32_t degree(const lists *l, uint32_t i)
{
	return l->first[i + 1] - l->first[i];
}

/* Keys of what comes next: without a choice, then by saturation, then by neighbours. */
#define SATURATION (UINT64_C(1) << 24)
#define NO_CHOICE  (SATURATION << 24)
#define CHOICE     (NO_CHOICE << 1) /* stays above NO_CHOICE: fewer than 2^24 nodes */

void color_i_dsatur(const color_graph *g, uint32_t registers, uint32_t *color)
{
	lists l = lists_of(g);
	uint16_t *used = g_new0(uint16_t, (size_t)g->nodes * registers + 1); /* neighbours in each register */
	color_heap h;

	memset(color, 0xff, g->nodes * sizeof(*color));
	color_heap_init(&h, g->nodes);
	for (uint32_t i = 0; i < g->nodes; i++)
		color_heap_push(&h, i, (g->fixed[i] != COLOR_NONE ? NO_CHOICE : CHOICE) - degree(&l, i));
	while (h.size) {
		uint32_t best = color_heap_pop(&h), c = 0;

		if (g->fixed[best] != COLOR_NONE)
			c = g->fixed[best];
		else
			while (c < registers && used[(size_t)best * registers + c])
				c++;
		if (c >= registers)
			continue;
		color[best] = c;
		for (uint32_t k = l.first[best]; k < l.first[best + 1]; k++)
			if (used[(size_t)l.to[k] * registers + c]++ == 0 && color_heap_holds(&h, l.to[k]))
				color_heap_raise(&h, l.to[k], h.key[l.to[k]] - SATURATION);
	}
	g_free(used);
	color_heap_fini(&h);
	lists_fini(&l);
}

typedef struct tabu {
	const color_graph *g;
	lists l;
	uint32_t registers;
	uint32_t *color, *out, *place, count; /* nodes without a register, and where each stands */
	double *blocked;                      /* [nodes][registers] cost of the neighbours there */
	uint64_t *until;                      /* [nodes][registers] move before which it may not go there */
	double cost;                          /* without a register */
} tabu;

static void put(tabu *t, uint32_t i, uint32_t c)
{
	t->color[i] = c;
	t->cost -= t->g->cost[i];
	t->out[t->place[i]] = t->out[--t->count];
	t->place[t->out[t->place[i]]] = t->place[i];
	for (uint32_t k = t->l.first[i]; k < t->l.first[i + 1]; k++)
		t->blocked[(size_t)t->l.to[k] * t->registers + c] += t->g->cost[i];
}

static void drop(tabu *t, uint32_t i)
{
	uint32_t c = t->color[i];

	t->color[i] = COLOR_NONE;
	t->cost += t->g->cost[i];
	t->place[i] = t->count;
	t->out[t->count++] = i;
	for (uint32_t k = t->l.first[i]; k < t->l.first[i + 1]; k++)
		t->blocked[(size_t)t->l.to[k] * t->registers + c] -= t->g->cost[i];
}

static void tabu_init(tabu *t, const color_graph *g, uint32_t registers, uint32_t *color)
{
	*t = (tabu){.g = g, .l = lists_of(g), .registers = registers, .color = color};
	t->out = g_new(uint32_t, g->nodes + 1);
	t->place = g_new0(uint32_t, g->nodes + 1);
	t->blocked = g_new0(double, (size_t)g->nodes *registers + 1);
	t->until = g_new0(uint64_t, (size_t)g->nodes * registers + 1);
	for (uint32_t i = 0; i < g->nodes; i++) {
		uint32_t c = color[i];

		/* Everything begins without, then what has a register is put there. */
		color[i] = COLOR_NONE;
		t->place[i] = t->count;
		t->out[t->count++] = i;
		t->cost += g->cost[i];
		if (c != COLOR_NONE)
			put(t, i, c);
	}
}

static void tabu_fini(tabu *t)
{
	lists_fini(&t->l);
	g_free(t->out);
	g_free(t->place);
	g_free(t->blocked);
	g_free(t->until);
}

/* The best move allowed at move NUMBER, or one that beats BEST; false when there is none. */
static bool choose(const tabu *t, uint64_t number, double best, rng *r, uint32_t *node, uint32_t *to)
{
	double least = G_MAXDOUBLE;
	uint64_t equals = 0;

	for (uint32_t k = 0; k < t->count; k++) {
		uint32_t i = t->out[k];
		const double *blocked = t->blocked + (size_t)i * t->registers;
		const uint64_t *until = t->until + (size_t)i * t->registers;

		for (uint32_t c = 0; c < t->registers; c++) {
			double after = blocked[c] - t->g->cost[i];

			if (after > least || (until[c] > number && t->cost + after >= best) ||
			    (t->g->fixed[i] != COLOR_NONE && t->g->fixed[i] != c))
				continue;
			equals = after < least ? 1 : equals + 1;
			least = after;
			if (equals == 1 || rng_below(r, equals) == 0) {
				*node = i;
				*to = c;
			}
		}
	}
	return equals > 0;
}

uint64_t color_i_tabu(const color_graph *g, const color_options *options, uint32_t *color)
{
	enum { CHANCE = 10, TENURE_PERCENT = 60, ASK = 1 << 20 };
	uint32_t *best = g_memdup2(color, (g->nodes + 1) * sizeof(*color));
	double best_cost;
	uint64_t number = 0, looked_at = ASK;
	tabu t;
	rng r;

	rng_seed(&r, options->seed, 0);
	tabu_init(&t, g, options->registers, color);
	best_cost = t.cost;
	for (; number < options->moves && t.count; number++) {
		uint32_t i = 0, c = 0;

		looked_at += (uint64_t)t.count * t.registers + 1024;
		if (looked_at >= ASK && options->stop && options->stop(options->stop_state))
			break;
		looked_at %= ASK;
		if (!choose(&t, number, best_cost, &r, &i, &c))
			continue;
		put(&t, i, c);
		for (uint32_t k = t.l.first[i]; k < t.l.first[i + 1]; k++) {
			uint32_t n = t.l.to[k];

			if (t.color[n] != c)
				continue;
			drop(&t, n);
			t.until[(size_t)n * t.registers + c] =
				number + 1 + (uint64_t)t.count * TENURE_PERCENT / 100 + rng_below(&r, CHANCE);
		}
		if (t.cost < best_cost) {
			best_cost = t.cost;
			memcpy(best, color, g->nodes * sizeof(*color));
		}
	}
	tabu_fini(&t);
	memcpy(color, best, g->nodes * sizeof(*color));
	g_free(best);
	return number;
}
