/* SPDX-License-Identifier: Apache-2.0
 *
 * Colouring values of several registers: optimistic, as Briggs has it, with weights for degrees.
 *
 * Of the K - w + 1 places of a value of width w, a neighbour of width v takes at most w + v - 1: a value whose
 * neighbours together leave one always finds it.  Those leave the graph first, then what costs least for the places it
 * blocks; all come back in reverse order, each to a register of a copy's other end where that is free, else into the
 * narrowest gap that holds it, so that wide gaps stay.  A second order, the widest values first, is tried where that
 * leaves some without.
 */
#include "sched/alg/regalloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct palette {
	const color_graph *g;
	const uint32_t *width;
	uint32_t k;
	uint8_t *left;
	uint64_t *blocked; /* places that neighbours left in the graph may take */
	uint8_t *taken;    /* [k] scratch */
} palette;

static uint64_t weight(const palette *p, uint32_t of, uint32_t by)
{
	return (uint64_t)p->width[of] + p->width[by] - 1;
}

static bool always_fits(const palette *p, uint32_t i)
{
	return p->width[i] <= p->k && p->blocked[i] <= p->k - p->width[i];
}

static void leave(palette *p, uint32_t i)
{
	p->left[i] = 0;
	for (uint32_t n = 0; n < p->g->nodes; n++)
		if (p->left[n] && color_interfere(p->g, i, n))
			p->blocked[n] -= weight(p, n, i);
}

/* Who leaves next. */
static uint32_t choose(const palette *p)
{
	uint32_t best = COLOR_NONE;

	for (uint32_t i = 0; i < p->g->nodes; i++) {
		if (!p->left[i])
			continue;
		if (always_fits(p, i))
			return i;
		if (best == COLOR_NONE ||
		    p->g->cost[i] * (double)p->blocked[best] < p->g->cost[best] * (double)p->blocked[i])
			best = i;
	}
	return best;
}

static void mark_taken(palette *p, uint32_t i, const uint32_t *reg)
{
	memset(p->taken, 0, p->k);
	for (uint32_t n = 0; n < p->g->nodes; n++)
		for (uint32_t r = 0; n != i && reg[n] != COLOR_NONE && color_interfere(p->g, i, n) && r < p->width[n];
		     r++)
			if (reg[n] + r < p->k)
				p->taken[reg[n] + r] = 1;
}

static bool is_free(const palette *p, uint32_t first, uint32_t width)
{
	if (first > p->k || width > p->k - first)
		return false;
	for (uint32_t r = 0; r < width; r++)
		if (p->taken[first + r])
			return false;
	return true;
}

static uint32_t of_copy(const palette *p, uint32_t i, const uint32_t *reg)
{
	double heaviest = 0;
	uint32_t best = COLOR_NONE;

	for (guint a = 0; a < p->g->affinities->len; a++) {
		const color_affinity *f = &g_array_index(p->g->affinities, color_affinity, a);
		uint32_t other = f->a == i ? f->b : f->b == i ? f->a : COLOR_NONE;

		if (other == COLOR_NONE || reg[other] == COLOR_NONE || f->weight <= heaviest)
			continue;
		if (is_free(p, reg[other], p->width[i])) {
			best = reg[other];
			heaviest = f->weight;
		}
	}
	return best;
}

static uint32_t narrowest_gap(const palette *p, uint32_t width)
{
	uint32_t best = COLOR_NONE, least = UINT32_MAX;

	for (uint32_t r = 0; r < p->k;) {
		uint32_t from = r;

		while (r < p->k && !p->taken[r])
			r++;
		if (r - from >= width && r - from < least) {
			least = r - from;
			best = from;
		}
		r += r < p->k;
	}
	return best;
}

static void place(palette *p, uint32_t i, uint32_t *reg)
{
	mark_taken(p, i, reg);
	reg[i] = of_copy(p, i, reg);
	if (reg[i] == COLOR_NONE)
		reg[i] = narrowest_gap(p, p->width[i]);
}

static void begin(palette *p, uint32_t *reg)
{
	for (uint32_t i = 0; i < p->g->nodes; i++) {
		reg[i] = p->g->fixed[i];
		p->left[i] = p->g->fixed[i] == COLOR_NONE;
		p->blocked[i] = 0;
		for (uint32_t n = 0; n < p->g->nodes; n++)
			if (n != i && color_interfere(p->g, i, n))
				p->blocked[i] += weight(p, i, n);
	}
}

static double missing(const palette *p, const uint32_t *reg)
{
	double cost = 0;

	for (uint32_t i = 0; i < p->g->nodes; i++)
		cost += reg[i] == COLOR_NONE ? p->g->cost[i] : 0;
	return cost;
}

static void simplify_and_select(palette *p, uint32_t *reg)
{
	g_autofree uint32_t *stack = g_new(uint32_t, p->g->nodes + 1);
	uint32_t height = 0, i;

	begin(p, reg);
	while ((i = choose(p)) != COLOR_NONE) {
		leave(p, i);
		stack[height++] = i;
	}
	while (height-- > 0)
		place(p, stack[height], reg);
}

/* Wide values first, among equals the dearer one, then the one with more neighbours. */
static void widest_first(palette *p, uint32_t *reg)
{
	begin(p, reg);
	for (;;) {
		uint32_t best = COLOR_NONE;

		for (uint32_t i = 0; i < p->g->nodes; i++) {
			if (!p->left[i])
				continue;
			if (best == COLOR_NONE || p->width[i] > p->width[best] ||
			    (p->width[i] == p->width[best] &&
			     (p->g->cost[i] > p->g->cost[best] ||
			      (p->g->cost[i] >= p->g->cost[best] && p->blocked[i] > p->blocked[best]))))
				best = i;
		}
		if (best == COLOR_NONE)
			return;
		p->left[best] = 0;
		place(p, best, reg);
	}
}

void regalloc_i_color(const color_graph *g, const uint32_t *width, uint32_t registers, uint32_t *reg)
{
	palette p = {.g = g, .width = width, .k = registers};
	g_autofree uint32_t *other = g_new(uint32_t, g->nodes + 1);

	p.left = g_new(uint8_t, g->nodes + 1);
	p.blocked = g_new(uint64_t, g->nodes + 1);
	p.taken = g_new(uint8_t, registers + 1);
	simplify_and_select(&p, reg);
	if (missing(&p, reg) > 0) {
		widest_first(&p, other);
		if (missing(&p, other) < missing(&p, reg))
			memcpy(reg, other, g->nodes * sizeof *reg);
	}
	g_free(p.left);
	g_free(p.blocked);
	g_free(p.taken);
}
