/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of nodes that must share a device: those of a class, and groups on a cycle of precedences (Tarjan).
 */
#include "sched/alg/partition_int.h"

static uint32_t root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

/* Does the backward part use what the forward part produces? */
static bool turns_back(const part_problem *p)
{
	for (guint i = 0; i < p->edges->len; i++) {
		const part_edge *e = &g_array_index(p->edges, part_edge, i);

		if (!node_at(p, e->from)->backward && node_at(p, e->to)->backward)
			return true;
	}
	return false;
}

/* Edges of precedence between groups. */
static void order_edges(const part_problem *p, uint32_t *parent, GArray *out)
{
	bool mirrored = turns_back(p);

	g_array_set_size(out, 0);
	for (guint i = 0; i < p->edges->len; i++) {
		const part_edge *e = &g_array_index(p->edges, part_edge, i);
		bool backward = node_at(p, e->from)->backward;
		part_edge b = {root(parent, e->from), root(parent, e->to)};

		if (backward != node_at(p, e->to)->backward || b.from == b.to)
			continue;
		if (backward && mirrored)
			b = (part_edge){b.to, b.from};
		g_array_append_val(out, b);
	}
}

/* Depth-first numbering for cycles (Tarjan), without recursion. */
typedef struct depth {
	uint32_t *index, *low, *stack, *at, *path;
	bool *on_stack;
	uint32_t count, height;
} depth;

static void close_cycle(depth *d, uint32_t v, uint32_t *parent)
{
	uint32_t w;

	if (d->low[v] != d->index[v])
		return;
	do {
		w = d->stack[--d->height];
		d->on_stack[w] = false;
		parent[root(parent, w)] = root(parent, v);
	} while (w != v);
}

static void search_from(depth *d, uint32_t start, const uint32_t *first, const uint32_t *to, uint32_t *parent)
{
	uint32_t length = 0;

	d->path[length++] = start;
	while (length) {
		uint32_t v = d->path[length - 1];

		if (!d->index[v]) {
			d->index[v] = d->low[v] = ++d->count;
			d->stack[d->height++] = v;
			d->on_stack[v] = true;
			d->at[v] = first[v];
		}
		if (d->at[v] < first[v + 1]) {
			uint32_t w = to[d->at[v]++];

			if (!d->index[w])
				d->path[length++] = w;
			else if (d->on_stack[w])
				d->low[v] = MIN(d->low[v], d->index[w]);
			continue;
		}
		close_cycle(d, v, parent);
		if (--length)
			d->low[d->path[length - 1]] = MIN(d->low[d->path[length - 1]], d->low[v]);
	}
}

/* COUNT things; pairs of EDGES by their beginnings: *FIRST [count + 1], *TO. */
static void by_beginning(const GArray *edges, uint32_t count, bool reversed, uint32_t **first, uint32_t **to)
{
	*first = g_new0(uint32_t, count + 2);
	*to = g_new(uint32_t, edges->len + 1);
	for (guint i = 0; i < edges->len; i++) {
		const part_edge *e = &g_array_index(edges, part_edge, i);

		(*first)[(reversed ? e->to : e->from) + 2]++;
	}
	for (uint32_t i = 0; i < count; i++)
		(*first)[i + 2] += (*first)[i + 1];
	for (guint i = 0; i < edges->len; i++) {
		const part_edge *e = &g_array_index(edges, part_edge, i);

		(*to)[(*first)[(reversed ? e->to : e->from) + 1]++] = reversed ? e->from : e->to;
	}
}

/* Groups on a cycle of precedences become one. */
static void merge_cycles(const part_problem *p, uint32_t *parent)
{
	uint32_t n = p->nodes->len;
	g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(part_edge));
	g_autofree uint32_t *first = NULL, *to = NULL;
	g_autofree uint32_t *index = g_new0(uint32_t, n + 1), *low = g_new0(uint32_t, n + 1);
	g_autofree uint32_t *stack = g_new(uint32_t, n + 1), *at = g_new(uint32_t, n + 1),
			    *path = g_new(uint32_t, n + 1);
	g_autofree bool *on_stack = g_new0(bool, n + 1);
	depth d = {index, low, stack, at, path, on_stack, 0, 0};

	order_edges(p, parent, edges);
	by_beginning(edges, n, false, &first, &to);
	for (uint32_t i = 0; i < n; i++)
		if (parent[i] == i && !index[i])
			search_from(&d, i, first, to, parent);
}

static int by_ends(gconstpointer a, gconstpointer b)
{
	const part_edge *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void number_groups(part_solver *s, uint32_t *parent)
{
	const part_problem *p = s->p;
	uint32_t n = p->nodes->len;
	g_autofree uint32_t *number = g_new(uint32_t, n + 1);
	guint kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (root(parent, i) == i)
			number[i] = s->groups++;
	s->group = g_new(uint32_t, n + 1);
	s->first = g_new0(uint32_t, s->groups + 2);
	s->member = g_new(uint32_t, n + 1);
	s->work = g_new0(double, s->groups + 1);
	s->host_work = g_new0(double, s->groups + 1);
	s->bytes = g_new0(double, s->groups + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t g = s->group[i] = number[root(parent, i)];

		s->first[g + 2]++;
		s->work[g] += node_at(p, i)->work;
		s->host_work[g] += node_at(p, i)->host_work;
		s->bytes[g] += node_at(p, i)->bytes;
	}
	for (uint32_t g = 0; g < s->groups; g++)
		s->first[g + 2] += s->first[g + 1];
	for (uint32_t i = 0; i < n; i++)
		s->member[s->first[s->group[i] + 1]++] = i;
	s->before = g_array_new(FALSE, FALSE, sizeof(part_edge));
	order_edges(p, parent, s->before);
	for (guint i = 0; i < s->before->len; i++) {
		part_edge *e = &g_array_index(s->before, part_edge, i);

		*e = (part_edge){number[e->from], number[e->to]};
	}
	g_array_sort(s->before, by_ends);
	for (guint i = 0; i < s->before->len; i++)
		if (!i ||
		    by_ends(&g_array_index(s->before, part_edge, i), &g_array_index(s->before, part_edge, kept - 1)))
			g_array_index(s->before, part_edge, kept++) = g_array_index(s->before, part_edge, i);
	g_array_set_size(s->before, kept);
	by_beginning(s->before, s->groups, true, &s->need_at, &s->need);
}

void part_make_groups(part_solver *s)
{
	const part_problem *p = s->p;
	g_autofree uint32_t *parent = g_new(uint32_t, p->nodes->len + 1);
	g_autoptr(GHashTable) classes = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < p->nodes->len; i++) {
		gpointer class = GUINT_TO_POINTER(node_at(p, i)->class), other;

		parent[i] = i;
		if (node_at(p, i)->class == UINT32_MAX)
			continue;
		if (g_hash_table_lookup_extended(classes, class, NULL, &other))
			parent[i] = root(parent, GPOINTER_TO_UINT(other));
		else
			g_hash_table_insert(classes, class, GUINT_TO_POINTER(i));
	}
	merge_cycles(p, parent);
	number_groups(s, parent);
	by_beginning(p->edges, p->nodes->len, false, &s->succ_at, &s->succ);
	by_beginning(p->edges, p->nodes->len, true, &s->pred_at, &s->pred);
}
