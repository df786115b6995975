/* SPDX-License-Identifier: Apache-2.0
 *
 * Which element-wise nodes share loops?  Nodes over the same rows and lanes are merged into one unit when one reads the
 * other's value at its own index, or both read the same value, and no path from one to the other leaves the unit (then
 * the unit could not be computed in one go).  A unit may exceed what one loop holds: loops.c cuts it.
 *
 * Greedy in node order: each node joins the units it touches, the latest first.
 */
#include "sched/lower/internal.h"

/* Is there a path of data from unit FROM to unit TO through other units? */
static bool reaches_around(const lowering *l, uint32_t from, uint32_t to)
{
	g_autofree bool *seen = g_new0(bool, l->count);
	g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	bool found = false;

	g_array_append_val(stack, to);
	while (stack->len && !found) {
		uint32_t unit = g_array_index(stack, uint32_t, stack->len - 1);
		const GArray *members = l->units[unit].members;

		g_array_set_size(stack, stack->len - 1);
		for (guint m = 0; m < members->len && !found; m++) {
			const graph_node *n = low_i_node(l, g_array_index(members, uint32_t, m));

			for (unsigned o = 0; o < graph_arity(n); o++) {
				uint32_t source = l->unit_of[n->in[o]];

				if (source == from && unit != to)
					found = true;
				if (source == from || source == to || seen[source])
					continue;
				seen[source] = true;
				g_array_append_val(stack, source);
			}
		}
	}
	return found;
}

static gint compare_index(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The number of groups in node I's loop: of its operands' places and of its own. */
static uint64_t own_groups(const lowering *l, uint32_t i)
{
	const graph_node *n = low_i_node(l, i);
	uint64_t groups = l->places[i].groups;

	for (unsigned o = 0; o < graph_arity(n); o++)
		groups = MAX(groups, l->places[n->in[o]].groups);
	return groups;
}

static void merge(lowering *l, uint32_t into, uint32_t from)
{
	low_unit *a = &l->units[into];
	low_unit *b = &l->units[from];

	for (guint m = 0; m < b->members->len; m++)
		l->unit_of[g_array_index(b->members, uint32_t, m)] = into;
	g_array_append_vals(a->members, b->members->data, b->members->len);
	g_array_sort(a->members, compare_index);
	g_array_set_size(b->members, 0);
	a->groups = MAX(a->groups, b->groups);
}

static bool same_space(const graph_node *a, const graph_node *b)
{
	return a->rows == b->rows && a->lanes == b->lanes;
}

/* Units that node I could join: of operands read at the same index, and of earlier readers of the same values. */
static void find_candidates(const lowering *l, uint32_t i, GArray *candidates)
{
	const graph_node *n = low_i_node(l, i);

	g_array_set_size(candidates, 0);
	for (unsigned o = 0; o < graph_arity(n); o++) {
		const graph_node *x = low_i_node(l, n->in[o]);
		const GArray *readers = l->users[n->in[o]];

		if (low_i_is_elementwise(x) && same_space(x, n))
			g_array_append_val(candidates, n->in[o]);
		if (x->rows != n->rows)
			continue;
		for (guint r = 0; r < readers->len; r++) {
			uint32_t reader = g_array_index(readers, uint32_t, r);

			if (reader < i && low_i_is_elementwise(low_i_node(l, reader)) &&
			    same_space(low_i_node(l, reader), n))
				g_array_append_val(candidates, reader);
		}
	}
	g_array_sort(candidates, compare_index);
}

void low_i_fuse(lowering *l)
{
	g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < l->count; i++) {
		l->units[i].groups = 1;
		if (!l->live[i] || !low_i_is_elementwise(low_i_node(l, i)))
			continue;
		l->units[i].groups = own_groups(l, i);
		find_candidates(l, i, candidates);
		for (guint c = candidates->len; c-- > 0;) {
			uint32_t other = l->unit_of[g_array_index(candidates, uint32_t, c)];
			uint32_t mine = l->unit_of[i];
			uint64_t a = l->units[other].groups, b = l->units[mine].groups;

			if (other == mine || (a > 1 && b > 1 && a != b))
				continue;
			if (!reaches_around(l, other, mine) && !reaches_around(l, mine, other))
				merge(l, other, mine);
		}
	}
}
