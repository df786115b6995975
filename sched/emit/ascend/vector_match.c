/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of a graph go into one vector kernel: the first and all later ones of the kind whose operands are known
 * before the kernel or made by it.  How the kernel is cut is its own business.
 */
#include "sched/emit/ascend/ascend.h"

static bool is_vector(const graph_node *n)
{
	switch (n->op) {
	case GRAPH_UNARY:
	case GRAPH_BINARY:
	case GRAPH_REDUCE:
	case GRAPH_ROWS:
	case GRAPH_JOIN:
	case GRAPH_LANES:
		return true;
	default:
		return false;
	}
}

static bool is_data(const graph_node *n)
{
	return n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
}

void ask_match_vector(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	g_autofree bool *known = NULL;

	if (!is_vector(graph_at(g, first)))
		return;
	known = g_new0(bool, graph_size(g));
	for (uint32_t i = 0; i < graph_size(g); i++)
		known[i] = is_data(graph_at(g, i)) || kernel_of[i] != UINT32_MAX;
	for (uint32_t i = first; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		bool all = true;

		if (known[i] || !is_vector(n))
			continue;
		for (unsigned o = 0; o < graph_arity(n); o++)
			all = all && known[n->in[o]];
		if (!all)
			continue;
		known[i] = true;
		g_array_append_val(nodes, i);
	}
}

void ask_match_transpose(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	(void)kernel_of;
	if (graph_at(g, first)->op == GRAPH_TRANSPOSE)
		g_array_append_val(nodes, first);
}

void ask_match_gather(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	(void)kernel_of;
	if (graph_at(g, first)->op == GRAPH_GATHER)
		g_array_append_val(nodes, first);
}
