/* SPDX-License-Identifier: Apache-2.0
 *
 * Chaitin-Briggs colouring with iterated coalescing.
 *
 * Nodes leave the graph one at a time: those of fewer than K neighbours without copies first (simplify); then two ends
 * of a copy become one node where that cannot make a colourable graph uncolourable (Briggs: fewer than K neighbours of
 * K or more neighbours; with a fixed register George: every neighbour of the other one already interferes or has few
 * neighbours); then a node of few neighbours gives up its copies (freeze); then the node that costs least for what it
 * blocks leaves in the hope that a register is left for it (optimistic spill).  They come back in reverse order, each
 * to the register of an end of its copies where that is free, else to the lowest one.
 *
 * Not done: K registers of several sizes in one class.
 */
#include "sched/alg/color.h"

#include <string.h>

typedef struct state {
	const color_graph *g;
	uint32_t k;
	uint64_t *matrix; /* of the graph as merged so far */
	uint32_t *degree; /* among nodes that are left */
	uint32_t *alias;  /* itself, or the node it became one with */
	uint8_t *left;    /* still in the graph, for itself */
	uint32_t *copies; /* affinities that may still be coalesced */
	double *cost;     /* of all that were merged */
	uint32_t *stack, height;
	uint8_t *open; /* [affinities] may still be coalesced */
} state;

static uint32_t root(const state *s, uint32_t i)
{
	while (s->alias[i] != i)
		i = s->alias[i];
	return i;
}

static bool joined(const state *s, uint32_t a, uint32_t b)
{
	return s->matrix[(size_t)a * s->g->words + b / 64] >> b % 64 & 1;
}

static bool is_fixed(const state *s, uint32_t i)
{
	return s->g->fixed[i] != COLOR_NONE;
}

/* Calls for every neighbour N of I that is left. */
#define EACH_NEIGHBOUR(s, i, n)                                                                                        \
	for (uint32_t w_ = 0; w_ < (s)->g->words; w_++)                                                                \
		for (uint64_t bits_ = (s)->matrix[(size_t)(i) * (s)->g->words + w_]; bits_; bits_ &= bits_ - 1)        \
			for (uint32_t n = w_ * 64 + (uint32_t)__builtin_ctzll(bits_), once_ = 1; once_; once_ = 0)     \
				if ((s)->left[n])

static void leave(state *s, uint32_t i)
{
	s->left[i] = 0;
	s->stack[s->height++] = i;
	EACH_NEIGHBOUR(s, i, n) s->degree[n]--;
}

static const color_affinity *affinity(const state *s, guint i)
{
	return &g_array_index(s->g->affinities, color_affinity, i);
}

/* An affinity is settled: its ends no longer wait for it. */
static void settle(state *s, guint i)
{
	s->open[i] = 0;
	s->copies[root(s, affinity(s, i)->a)]--;
	s->copies[root(s, affinity(s, i)->b)]--;
}

static bool simplify(state *s)
{
	bool moved = false;

	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (s->left[i] && !s->copies[i] && !is_fixed(s, i) && s->degree[i] < s->k) {
			leave(s, i);
			moved = true;
		}
	return moved;
}

static bool briggs(const state *s, uint32_t a, uint32_t b)
{
	uint32_t significant = 0;

	EACH_NEIGHBOUR(s, a, n)
	{
		uint32_t degree = s->degree[n] - joined(s, b, n);

		significant += degree >= s->k || is_fixed(s, n);
	}
	EACH_NEIGHBOUR(s, b, n)
	{
		if (!joined(s, a, n))
			significant += s->degree[n] >= s->k || is_fixed(s, n);
	}
	return significant < s->k;
}

/* A is fixed. */
static bool george(const state *s, uint32_t a, uint32_t b)
{
	EACH_NEIGHBOUR(s, b, n)
	{
		if (!joined(s, a, n) && (s->degree[n] >= s->k || is_fixed(s, n)))
			return false;
	}
	return true;
}

/* B becomes A. */
static void merge(state *s, uint32_t a, uint32_t b)
{
	EACH_NEIGHBOUR(s, b, n)
	{
		if (joined(s, a, n)) {
			s->degree[n]--;
			continue;
		}
		s->matrix[(size_t)a * s->g->words + n / 64] |= UINT64_C(1) << n % 64;
		s->matrix[(size_t)n * s->g->words + a / 64] |= UINT64_C(1) << a % 64;
		s->degree[a]++;
	}
	/* What has left already is coloured later, and must see the whole. */
	for (uint32_t w = 0; w < s->g->words; w++)
		for (uint64_t bits = s->matrix[(size_t)b * s->g->words + w] & ~s->matrix[(size_t)a * s->g->words + w];
		     bits; bits &= bits - 1) {
			uint32_t n = w * 64 + (uint32_t)__builtin_ctzll(bits);

			s->matrix[(size_t)a * s->g->words + w] |= UINT64_C(1) << n % 64;
			s->matrix[(size_t)n * s->g->words + a / 64] |= UINT64_C(1) << a % 64;
		}
	s->left[b] = 0;
	s->alias[b] = a;
	s->copies[a] += s->copies[b];
	s->cost[a] += s->cost[b];
}

static bool coalesce_one(state *s, guint i)
{
	uint32_t a = root(s, affinity(s, i)->a), b = root(s, affinity(s, i)->b);

	if (is_fixed(s, b)) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	if (a == b || joined(s, a, b) || is_fixed(s, b) || !s->left[a] || !s->left[b]) {
		settle(s, i);
		return true;
	}
	if (is_fixed(s, a) ? !george(s, a, b) : !briggs(s, a, b))
		return false;
	settle(s, i);
	merge(s, a, b);
	return true;
}

/* Heaviest copies first. */
static bool coalesce(state *s, const guint *order)
{
	for (guint i = 0; i < s->g->affinities->len; i++)
		if (s->open[order[i]] && coalesce_one(s, order[i]))
			return true;
	return false;
}

static void give_up_copies(state *s, uint32_t i)
{
	for (guint k = 0; k < s->g->affinities->len; k++)
		if (s->open[k] && (root(s, affinity(s, k)->a) == i || root(s, affinity(s, k)->b) == i))
			settle(s, k);
}

static bool freeze(state *s)
{
	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (s->left[i] && !is_fixed(s, i) && s->copies[i] && s->degree[i] < s->k) {
			give_up_copies(s, i);
			return true;
		}
	return false;
}

/* The node whose cost for the neighbours it blocks is least, the lowest number among equals. */
static bool spill_candidate(state *s)
{
	uint32_t best = COLOR_NONE;

	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (s->left[i] && !is_fixed(s, i) &&
		    (best == COLOR_NONE || s->cost[i] * s->degree[best] < s->cost[best] * s->degree[i]))
			best = i;
	if (best == COLOR_NONE)
		return false;
	give_up_copies(s, best);
	leave(s, best);
	return true;
}

/* Registers of I's neighbours, as marks STAMP in TAKEN. */
static void mark_taken(const state *s, uint32_t i, const uint32_t *color, uint32_t *taken, uint32_t stamp)
{
	for (uint32_t w = 0; w < s->g->words; w++)
		for (uint64_t bits = s->matrix[(size_t)i * s->g->words + w]; bits; bits &= bits - 1) {
			uint32_t c = color[root(s, w * 64 + (uint32_t)__builtin_ctzll(bits))];

			if (c != COLOR_NONE)
				taken[c] = stamp;
		}
}

/* A register that another end of one of I's copies has and that is free; COLOR_NONE. */
static uint32_t preferred(const state *s, uint32_t i, const uint32_t *color, const uint32_t *taken, uint32_t stamp)
{
	double best = 0;
	uint32_t chosen = COLOR_NONE;

	for (guint k = 0; k < s->g->affinities->len; k++) {
		const color_affinity *a = affinity(s, k);
		uint32_t x = root(s, a->a), y = root(s, a->b), c;

		if ((x != i && y != i) || x == y)
			continue;
		c = color[x == i ? y : x];
		if (c != COLOR_NONE && taken[c] != stamp && a->weight > best) {
			best = a->weight;
			chosen = c;
		}
	}
	return chosen;
}

static void select_colors(state *s, uint32_t *color)
{
	uint32_t *taken = g_new0(uint32_t, s->k + s->g->nodes + 1), stamp = 0;

	for (uint32_t i = 0; i < s->g->nodes; i++)
		color[i] = s->g->fixed[i];
	while (s->height) {
		uint32_t i = s->stack[--s->height], c;

		mark_taken(s, i, color, taken, ++stamp);
		c = s->g->affinities->len ? preferred(s, i, color, taken, stamp) : COLOR_NONE;
		for (uint32_t lowest = 0; c == COLOR_NONE && lowest < s->k; lowest++)
			if (taken[lowest] != stamp)
				c = lowest;
		color[i] = c;
	}
	for (uint32_t i = 0; i < s->g->nodes; i++)
		color[i] = color[root(s, i)];
	g_free(taken);
}

static int by_weight(gconstpointer a, gconstpointer b, gpointer data)
{
	const state *s = data;
	guint x = *(const guint *)a, y = *(const guint *)b;
	double wx = affinity(s, x)->weight, wy = affinity(s, y)->weight;

	return wx != wy ? (wx < wy) - (wx > wy) : (x > y) - (x < y);
}

void color_i_briggs(const color_graph *g, uint32_t registers, uint32_t *color)
{
	state s = {.g = g, .k = registers};
	guint *order = g_new(guint, g->affinities->len + 1);

	s.matrix = g_memdup2(g->matrix, ((size_t)g->nodes * g->words + 1) * sizeof(*g->matrix));
	s.degree = g_new(uint32_t, g->nodes + 1);
	s.alias = g_new(uint32_t, g->nodes + 1);
	s.left = g_new(uint8_t, g->nodes + 1);
	s.copies = g_new0(uint32_t, g->nodes + 1);
	s.cost = g_memdup2(g->cost, (g->nodes + 1) * sizeof(*g->cost));
	s.stack = g_new(uint32_t, g->nodes + 1);
	s.open = g_new(uint8_t, g->affinities->len + 1);
	for (uint32_t i = 0; i < g->nodes; i++) {
		s.degree[i] = color_degree(g, i);
		s.alias[i] = i;
		s.left[i] = 1;
	}
	for (guint i = 0; i < g->affinities->len; i++) {
		order[i] = i;
		s.open[i] = 1;
		s.copies[affinity(&s, i)->a]++;
		s.copies[affinity(&s, i)->b]++;
	}
	g_qsort_with_data(order, (gint)g->affinities->len, sizeof(*order), by_weight, &s);
	while (simplify(&s) || coalesce(&s, order) || freeze(&s) || spill_candidate(&s))
		;
	select_colors(&s, color);
	g_free(order);
	g_free(s.matrix);
	g_free(s.degree);
	g_free(s.alias);
	g_free(s.left);
	g_free(s.copies);
	g_free(s.cost);
	g_free(s.stack);
	g_free(s.open);
}
