/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves buffers of an allocation to other holes, where a cost that is not known here is less.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/alloc_int.h"

typedef struct span {
	int64_t address, end;
} span;

static int by_address(const void *a, const void *b)
{
	const span *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

typedef struct target {
	int64_t address, cost;
	uint64_t ties;
} target;

static void consider(const alloc_refinement *how, rng *r, uint32_t buffer, int64_t address, target *best)
{
	int64_t cost = how->cost(how->state, buffer, address);

	if (cost > best->cost)
		return;
	if (cost < best->cost)
		best->ties = 0;
	best->cost = cost;
	if (rng_below(r, ++best->ties) == 0)
		best->address = address;
}

/* Addresses in the hole from LOW to HIGH, at most so many steps from either end. */
static void consider_hole(const alloc_problem *p, const alloc_refinement *how, rng *r, uint32_t buffer, int64_t low,
                          int64_t high, target *best)
{
	const alloc_buffer *b = &p->buffers[buffer];
	int64_t step = alloc_i_up(how->step_bytes, b->alignment_bytes), from = alloc_i_up(low, b->alignment_bytes);
	int64_t to = (high - b->size_bytes) / b->alignment_bytes * b->alignment_bytes, at = from;

	if (high - b->size_bytes < from)
		return;
	for (unsigned i = 0; i < how->steps && at <= to; i++, at += step)
		consider(how, r, buffer, at, best);
	for (unsigned i = 0; i < how->steps && to >= at; i++, to -= step)
		consider(how, r, buffer, to, best);
}

static target find_target(const alloc_problem *p, const alloc_refinement *how, rng *r, uint32_t buffer,
                          const int64_t *address, span *spans)
{
	const alloc_buffer *b = &p->buffers[buffer];
	target best = {.address = address[buffer], .cost = INT64_MAX};
	int64_t top = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->count; i++)
		if (i != buffer && p->buffers[i].lower < b->upper && b->lower < p->buffers[i].upper)
			spans[n++] = (span){address[i], address[i] + p->buffers[i].size_bytes};
	qsort(spans, n, sizeof(*spans), by_address);
	for (uint32_t i = 0; i < n; i++) {
		consider_hole(p, how, r, buffer, top, spans[i].address, &best);
		top = MAX(top, spans[i].end);
	}
	consider_hole(p, how, r, buffer, top, how->capacity_bytes, &best);
	return best;
}

int64_t alloc_refine(const alloc_problem *p, const alloc_refinement *how, int64_t *address, uint64_t *moves)
{
	g_autofree int64_t *now = g_memdup2(address, p->count * sizeof(*now));
	g_autofree span *spans = g_new(span, p->count + 1);
	int64_t gain = 0, best = 0;
	rng r;

	rng_seed(&r, how->seed, 3);
	*moves = 0;
	for (uint64_t i = 0; p->count && i < how->moves && !(how->stop && how->stop(how->stop_state)); i++) {
		uint32_t buffer = (uint32_t)rng_below(&r, p->count);
		int64_t cost;
		target to;

		if (p->buffers[buffer].fixed != ALLOC_FREE)
			continue;
		cost = how->cost(how->state, buffer, now[buffer]);
		/* Where nothing is to be gained buffers make room now and then. */
		if (cost == 0 && rng_below(&r, 4))
			continue;
		to = find_target(p, how, &r, buffer, now, spans);
		if (to.cost > cost || to.address == now[buffer])
			continue;
		how->moved(how->state, buffer, now[buffer], to.address);
		now[buffer] = to.address;
		gain += to.cost - cost;
		++*moves;
		if (gain < best) {
			best = gain;
			memcpy(address, now, p->count * sizeof(*now));
		}
	}
	return best;
}
