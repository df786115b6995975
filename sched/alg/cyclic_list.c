/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterative modulo scheduling (Rau 1996).  Operations in order of their height; each at the first cycle of one interval
 * after its placed predecessors in which some mode fits.  Where none does it takes its place by force, later than last
 * time, and whatever is in its way or now too early is to be placed again, until the budget of placements is gone.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/cyclic_int.h"

enum { ASK_EVERY = 256 };

typedef struct run {
	const cyclic_search *s;
	const cyclic_problem *p;
	int64_t ii;
	cyclic_table table;
	int64_t *start;  /* CYCLIC_NEVER: not placed */
	int64_t *before; /* where it was placed last */
	uint32_t *mode;
	uint32_t *order, *rank; /* by falling priority, and back */
	uint32_t next;          /* operations of smaller rank are placed */
	uint32_t placed;
} run;

typedef struct ranked {
	int64_t priority;
	uint32_t op;
} ranked;

static int by_priority(gconstpointer a, gconstpointer b)
{
	const ranked *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? 1 : -1;
	return (x->op > y->op) - (x->op < y->op);
}

static void rank_all(run *r)
{
	uint32_t n = r->p->ops->len;
	g_autofree int64_t *height = g_new(int64_t, n);
	GArray *all = g_array_sized_new(FALSE, FALSE, sizeof(ranked), n);
	rng noise;

	cyclic_i_lengths(r->p, r->ii, NULL, height);
	rng_seed(&noise, r->s->options->seed, r->s->order);
	for (uint32_t v = 0; v < n; v++) {
		ranked one = {height[v], v};

		if (r->s->order)
			one.priority += (int64_t)rng_below(&noise, (uint64_t)r->ii * r->s->order + 1);
		g_array_append_val(all, one);
	}
	g_array_sort(all, by_priority);
	for (uint32_t i = 0; i < n; i++) {
		r->order[i] = g_array_index(all, ranked, i).op;
		r->rank[r->order[i]] = i;
	}
	g_array_free(all, TRUE);
}

static void eject(run *r, uint32_t v)
{
	cyclic_i_release(&r->table, v, r->mode[v], r->start[v]);
	r->start[v] = CYCLIC_NEVER;
	r->placed--;
	r->next = MIN(r->next, r->rank[v]);
}

static void put(run *r, uint32_t v, uint32_t mode, int64_t at)
{
	r->start[v] = r->before[v] = at;
	r->mode[v] = mode;
	r->placed++;
}

/* Not before what placed predecessors ask for. */
static int64_t earliest(const run *r, uint32_t v)
{
	const cyclic_graph *g = r->s->g;
	int64_t from = 0;

	for (uint32_t i = g->first_in[v]; i < g->first_in[v + 1]; i++) {
		const cyclic_edge *e = cyclic_edge_at(r->p, g->in[i]);

		if (e->from != v && r->start[e->from] != CYCLIC_NEVER)
			from = MAX(from, r->start[e->from] + cyclic_i_lag(e, r->ii));
	}
	return from;
}

static bool place_freely(run *r, uint32_t v, int64_t from)
{
	for (int64_t at = from; at < from + r->ii; at++)
		for (uint32_t m = 0; m < cyclic_op_at(r->p, v)->modes; m++)
			if (cyclic_i_take(&r->table, v, m, at)) {
				put(r, v, m, at);
				return true;
			}
	return false;
}

/* Does operation W ask for something that operation V is given too much of? */
static bool stands_in_way(const run *r, uint32_t w, uint32_t v, uint32_t mode, int64_t at)
{
	const cyclic_mode *mine = cyclic_mode_at(r->p, v, mode), *theirs = cyclic_mode_at(r->p, w, r->mode[w]);

	for (uint32_t a = mine->first_use; a < mine->first_use + mine->uses; a++) {
		const cyclic_use *x = cyclic_use_at(r->p, a);

		for (uint32_t b = theirs->first_use; b < theirs->first_use + theirs->uses; b++) {
			const cyclic_use *y = cyclic_use_at(r->p, b);
			int64_t apart = cyclic_i_row(at + x->offset - r->start[w] - y->offset, r->ii);

			/* They share a cycle of the kernel. */
			if (x->resource == y->resource &&
			    (apart < y->length || r->ii - apart < x->length || apart == 0))
				return true;
		}
	}
	return false;
}

/* Ejects, from the least urgent on, until V fits in MODE at AT; false when it does not even then. */
static void make_room(run *r, uint32_t v, uint32_t mode, int64_t at)
{
	cyclic_i_force(&r->table, v, mode, at);
	for (uint32_t i = r->p->ops->len; i-- > 0 && cyclic_i_over(&r->table, v, mode, at);) {
		uint32_t w = r->order[i];

		if (w != v && r->start[w] != CYCLIC_NEVER && stands_in_way(r, w, v, mode, at))
			eject(r, w);
	}
}

/* The mode in which V is in the way of the fewest. */
static uint32_t least_crowded(const run *r, uint32_t v, int64_t at)
{
	uint32_t best = 0, fewest = UINT32_MAX;

	for (uint32_t m = 0; m < cyclic_op_at(r->p, v)->modes && fewest; m++) {
		uint32_t count = 0;

		for (uint32_t w = 0; w < r->p->ops->len && count < fewest; w++)
			count += w != v && r->start[w] != CYCLIC_NEVER && stands_in_way(r, w, v, m, at);
		if (count < fewest) {
			best = m;
			fewest = count;
		}
	}
	return best;
}

static bool place_by_force(run *r, uint32_t v, int64_t from)
{
	int64_t at = r->before[v] == CYCLIC_NEVER ? from : MAX(from, r->before[v] + 1);
	uint32_t mode = least_crowded(r, v, at);

	make_room(r, v, mode, at);
	put(r, v, mode, at);
	return !cyclic_i_over(&r->table, v, mode, at);
}

/* Whatever starts too early after V is placed again. */
static void eject_successors(run *r, uint32_t v)
{
	const cyclic_graph *g = r->s->g;

	for (uint32_t i = g->first_out[v]; i < g->first_out[v + 1]; i++) {
		const cyclic_edge *e = cyclic_edge_at(r->p, g->out[i]);

		if (e->to != v && r->start[e->to] != CYCLIC_NEVER &&
		    r->start[e->to] < r->start[v] + cyclic_i_lag(e, r->ii))
			eject(r, e->to);
	}
}

static bool place_all(run *r)
{
	for (uint64_t made = 0; r->placed < r->p->ops->len; made++) {
		uint32_t v;
		int64_t from;

		if (made >= r->s->budget ||
		    (made % ASK_EVERY == ASK_EVERY - 1 && cyclic_i_stopped(r->s->options, r->s->result)))
			return false;
		while (r->start[r->order[r->next]] != CYCLIC_NEVER)
			r->next++;
		v = r->order[r->next];
		from = earliest(r, v);
		r->s->result->placements++;
		/* A mode that never fits alone can be chosen by force; other orders or the exact part go on. */
		if (!place_freely(r, v, from) && !place_by_force(r, v, from))
			return false;
		eject_successors(r, v);
	}
	return true;
}

bool cyclic_i_list(const cyclic_search *s, int64_t ii, int64_t *start, uint32_t *mode)
{
	uint32_t n = s->g->p->ops->len;
	g_autofree uint32_t *words = g_new0(uint32_t, 2 * (gsize)n + 1);
	g_autofree int64_t *before = g_new(int64_t, n + 1);
	run r = {s, s->g->p, ii, {0}, start, before, mode, words, words + n, 0, 0};
	int64_t first = INT64_MAX;
	bool done;

	if (!cyclic_i_table_init(&r.table, r.p, ii))
		return false;
	for (uint32_t v = 0; v < n; v++)
		start[v] = before[v] = CYCLIC_NEVER;
	rank_all(&r);
	done = place_all(&r);
	for (uint32_t v = 0; done && v < n; v++)
		first = MIN(first, start[v]);
	for (uint32_t v = 0; done && v < n; v++)
		start[v] -= first;
	cyclic_i_table_fini(&r.table);
	return done;
}
