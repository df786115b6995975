/* SPDX-License-Identifier: Apache-2.0
 *
 * What is taken in the cycles of a kernel, and the graph of dependences: edges by their ends, longest ways, components.
 */
#include <string.h>

#include "sched/alg/cyclic_int.h"

/* Cells of a table. */
#define CELLS_MAX (INT64_C(1) << 25)

bool cyclic_i_table_init(cyclic_table *t, const cyclic_problem *p, int64_t ii)
{
	*t = (cyclic_table){p, ii, NULL};
	if (ii > CELLS_MAX / MAX(p->resources->len, 1))
		return false;
	t->taken = g_new0(uint64_t, (gsize)(ii * MAX(p->resources->len, 1)));
	return true;
}

void cyclic_i_table_fini(cyclic_table *t)
{
	g_free(t->taken);
}

void cyclic_i_table_clear(cyclic_table *t)
{
	memset(t->taken, 0, (gsize)(t->ii * MAX(t->p->resources->len, 1)) * sizeof(*t->taken));
}

/* Adds AMOUNT, modulo 2^64, to the cells of a use; the fullest of them. */
static uint64_t add_use(cyclic_table *t, const cyclic_use *use, int64_t start, uint64_t amount)
{
	uint64_t *row = t->taken + use->resource * t->ii;
	int64_t at = cyclic_i_row(start + use->offset, t->ii);
	uint64_t most = 0;

	for (uint32_t i = 0; i < use->length; i++) {
		row[at] += amount;
		most = MAX(most, row[at]);
		at = at + 1 == t->ii ? 0 : at + 1;
	}
	return most;
}

static bool add(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start, bool remove)
{
	const cyclic_mode *m = cyclic_mode_at(t->p, op, mode);
	bool over = false;

	for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
		const cyclic_use *use = cyclic_use_at(t->p, u);
		uint64_t amount = remove ? -(uint64_t)use->amount : use->amount;

		if (add_use(t, use, start, amount) > cyclic_resource_at(t->p, use->resource)->capacity)
			over = true;
	}
	return !over;
}

void cyclic_i_force(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start)
{
	add(t, op, mode, start, false);
}

void cyclic_i_release(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start)
{
	add(t, op, mode, start, true);
}

bool cyclic_i_take(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start)
{
	if (add(t, op, mode, start, false))
		return true;
	cyclic_i_release(t, op, mode, start);
	return false;
}

bool cyclic_i_over(const cyclic_table *t, uint32_t op, uint32_t mode, int64_t start)
{
	const cyclic_mode *m = cyclic_mode_at(t->p, op, mode);

	for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
		const cyclic_use *use = cyclic_use_at(t->p, u);

		for (uint32_t i = 0; i < use->length; i++)
			if (t->taken[use->resource * t->ii + cyclic_i_row(start + use->offset + i, t->ii)] >
			    cyclic_resource_at(t->p, use->resource)->capacity)
				return true;
	}
	return false;
}

/* Does a mode, alone, stay within the capacities?  Where uses of one resource overlap themselves or each other. */
static bool mode_fits(const cyclic_problem *p, const cyclic_mode *m, int64_t ii)
{
	for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
		const cyclic_use *use = cyclic_use_at(p, u);
		uint64_t whole = 0;

		for (uint32_t w = m->first_use; w < m->first_use + m->uses; w++) {
			const cyclic_use *other = cyclic_use_at(p, w);
			int64_t after;

			if (other->resource != use->resource)
				continue;
			/* Units in the first cycle of USE: somewhere a maximum begins with a use's first cycle. */
			after = cyclic_i_row((int64_t)use->offset - other->offset, ii);
			if (after < other->length)
				whole += ((other->length - (uint64_t)after - 1) / (uint64_t)ii + 1) * other->amount;
		}
		if (whole > cyclic_resource_at(p, use->resource)->capacity)
			return false;
	}
	return true;
}

bool cyclic_i_fits_alone(const cyclic_problem *p, int64_t ii, uint32_t *which)
{
	for (uint32_t v = 0; v < p->ops->len; v++) {
		bool fits = false;

		for (uint32_t m = 0; m < cyclic_op_at(p, v)->modes && !fits; m++)
			fits = mode_fits(p, cyclic_mode_at(p, v, m), ii);
		if (!fits) {
			*which = v;
			return false;
		}
	}
	return true;
}

static void sort_edges(const cyclic_problem *p, bool by_end, uint32_t **first, uint32_t **edges)
{
	uint32_t n = p->ops->len;
	g_autofree uint32_t *at = NULL;

	*first = g_new0(uint32_t, n + 2);
	*edges = g_new(uint32_t, p->edges->len + 1);
	for (uint32_t i = 0; i < p->edges->len; i++)
		(*first)[(by_end ? cyclic_edge_at(p, i)->to : cyclic_edge_at(p, i)->from) + 1]++;
	for (uint32_t v = 0; v < n; v++)
		(*first)[v + 1] += (*first)[v];
	at = g_memdup2(*first, (n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < p->edges->len; i++)
		(*edges)[at[by_end ? cyclic_edge_at(p, i)->to : cyclic_edge_at(p, i)->from]++] = i;
}

void cyclic_i_graph_init(cyclic_graph *g, const cyclic_problem *p)
{
	g->p = p;
	sort_edges(p, false, &g->first_out, &g->out);
	sort_edges(p, true, &g->first_in, &g->in);
}

void cyclic_i_graph_fini(cyclic_graph *g)
{
	g_free(g->first_out);
	g_free(g->out);
	g_free(g->first_in);
	g_free(g->in);
}

void cyclic_i_lengths(const cyclic_problem *p, int64_t ii, int64_t *head, int64_t *tail)
{
	bool moved = true;

	for (uint32_t v = 0; v < p->ops->len; v++) {
		if (head)
			head[v] = 0;
		if (tail)
			tail[v] = 0;
	}
	while (moved) {
		moved = false;
		for (uint32_t i = 0; head && i < p->edges->len; i++) {
			const cyclic_edge *e = cyclic_edge_at(p, i);
			int64_t to = head[e->from] + cyclic_i_lag(e, ii);

			moved = moved || to > head[e->to];
			head[e->to] = MAX(head[e->to], to);
		}
		for (uint32_t i = p->edges->len; tail && i-- > 0;) {
			const cyclic_edge *e = cyclic_edge_at(p, i);
			int64_t from = tail[e->to] + cyclic_i_lag(e, ii);

			moved = moved || from > tail[e->from];
			tail[e->from] = MAX(tail[e->from], from);
		}
	}
}

/* Tarjan's algorithm without recursion. */
typedef struct tarjan {
	const cyclic_graph *g;
	uint32_t *index, *low, *next, *stack, *path, *group;
	uint32_t count, depth, stacked, groups;
} tarjan;

static void enter(tarjan *t, uint32_t v)
{
	t->index[v] = t->low[v] = ++t->count;
	t->next[v] = t->g->first_out[v];
	t->path[t->depth++] = v;
	t->stack[t->stacked++] = v;
}

static void leave(tarjan *t, uint32_t v)
{
	t->depth--;
	if (t->depth)
		t->low[t->path[t->depth - 1]] = MIN(t->low[t->path[t->depth - 1]], t->low[v]);
	if (t->low[v] != t->index[v])
		return;
	while (t->group[v] == UINT32_MAX)
		t->group[t->stack[--t->stacked]] = t->groups;
	t->groups++;
}

uint32_t cyclic_i_components(const cyclic_graph *g, uint32_t *group)
{
	uint32_t n = g->p->ops->len;
	g_autofree uint32_t *words = g_new0(uint32_t, 5 * (gsize)n + 1);
	tarjan t = {g, words, words + n, words + 2 * n, words + 3 * n, words + 4 * n, group, 0, 0, 0, 0};

	memset(group, 0xff, n * sizeof(*group));
	for (uint32_t root = 0; root < n; root++) {
		if (!t.index[root])
			enter(&t, root);
		while (t.depth) {
			uint32_t v = t.path[t.depth - 1];

			if (t.next[v] == g->first_out[v + 1]) {
				leave(&t, v);
				continue;
			}
			uint32_t to = cyclic_edge_at(g->p, g->out[t.next[v]++])->to;

			if (!t.index[to])
				enter(&t, to);
			else if (group[to] == UINT32_MAX)
				t.low[v] = MIN(t.low[v], t.index[to]);
		}
	}
	return t.groups;
}
