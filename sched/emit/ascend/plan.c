/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs into kernels.  A table of patterns, the first that matches takes a node and what goes with it; so a kernel
 * that joins several operations (attention) stands before those that would take them one by one.  Only values that
 * leave their kernel get global memory.
 */
#include "sched/emit/ascend/plan.h"

static const ask_pattern patterns[] = {
	{"attention", ask_match_attention, ask_attention}, {"flash", ask_match_flash, ask_flash},
	{"product", ask_match_product, ask_matmul},        {"convolution", ask_match_conv, ask_conv},
	{"transpose", ask_match_transpose, ask_transpose}, {"gather", ask_match_gather, ask_gather},
	{"vector", ask_match_vector, ask_vector},
};

static void clear_part(gpointer p)
{
	g_array_unref(((ask_part *)p)->nodes);
}

static bool is_data(const graph_node *n)
{
	return n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
}

static bool take(const graph *g, uint32_t first, uint32_t *kernel_of, GArray *parts, GError **error)
{
	ask_part part = {NULL, g_array_new(FALSE, FALSE, sizeof(uint32_t))};

	for (unsigned i = 0; i < G_N_ELEMENTS(patterns) && !part.nodes->len; i++) {
		part.pattern = &patterns[i];
		patterns[i].match(g, first, kernel_of, part.nodes);
	}
	for (guint i = 0; i < part.nodes->len; i++)
		kernel_of[g_array_index(part.nodes, uint32_t, i)] = parts->len;
	if (part.nodes->len) {
		g_array_append_val(parts, part);
		return true;
	}
	g_array_unref(part.nodes);
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "%s: no kernel for %s on this kind of machine",
	            graph_at(g, first)->name, graph_op_name(graph_at(g, first)->op));
	return false;
}

GArray *ask_cut(const graph *g, GError **error)
{
	GArray *parts = g_array_new(FALSE, FALSE, sizeof(ask_part));
	uint32_t *kernel_of = g_new(uint32_t, graph_size(g) + 1);
	bool good = true;

	g_array_set_clear_func(parts, clear_part);
	for (uint32_t i = 0; i < graph_size(g); i++)
		kernel_of[i] = UINT32_MAX;
	for (uint32_t i = 0; good && i < graph_size(g); i++)
		if (!is_data(graph_at(g, i)) && kernel_of[i] == UINT32_MAX)
			good = take(g, i, kernel_of, parts, error);
	g_free(kernel_of);
	if (good)
		return parts;
	g_array_unref(parts);
	return NULL;
}

static bool holds(const GArray *nodes, uint32_t i)
{
	for (guint n = 0; n < nodes->len; n++)
		if (g_array_index(nodes, uint32_t, n) == i)
			return true;
	return false;
}

bool ask_is_read(const graph *g, const GArray *parts, guint part, uint32_t i)
{
	const GArray *own = g_array_index(parts, ask_part, part).nodes;

	for (uint32_t user = i + 1; user < graph_size(g); user++) {
		const graph_node *n = graph_at(g, user);

		if ((n->in[0] == i || (graph_arity(n) > 1 && n->in[1] == i)) && !holds(own, user))
			return true;
	}
	return false;
}

bool ask_crosses(const graph *g, const GArray *parts, guint part, uint32_t i)
{
	return graph_at(g, i)->output || ask_is_read(g, parts, part, i);
}
