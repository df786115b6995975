/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions in two levels: blocks of 2^j rows first, then what they gave.  The graph pairs neighbours, so a block of a
 * power of two of rows is a subtree of its, and the last, shorter block as well: values do not change.
 */
#include "sched/emit/ascend/vector_int.h"

static uint64_t blocks_of(const avk_splitting *s)
{
	return s->whole + (s->rows % s->block != 0);
}

/* NODES with every reduction of s->rows rows in two levels. */
GArray *avk_split(GArray *nodes, const avk_splitting *s)
{
	GArray *both = g_array_new(FALSE, TRUE, sizeof(avk_node));
	g_autofree uint32_t *now = g_new(uint32_t, nodes->len);

	for (uint32_t i = 0; i < nodes->len; i++) {
		avk_node node = *avk_node_at(nodes, i);

		for (unsigned o = 0; o < 2; o++)
			if (!node.external && node.n.in[o] != AVK_NONE)
				node.n.in[o] = now[node.n.in[o]];
		if (!node.external && node.n.op == GRAPH_REDUCE) {
			avk_node part = node;

			part.n.rows = part.n.groups = blocks_of(s);
			part.n.output = part.stored = false;
			part.address = part.pitch_bytes = 0;
			part.part = true;
			g_array_append_val(both, part);
			node.n.in[0] = both->len - 1;
		}
		g_array_append_val(both, node);
		now[i] = both->len - 1;
	}
	return both;
}

/* The whole blocks' part of a stage, or the last block's. */
void avk_narrow(GArray *nodes, const avk_splitting *s, bool tail)
{
	uint64_t skipped = tail ? s->whole : 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		avk_node *node = avk_node_at(nodes, i);

		if (node->part && node->external) {
			node->partial = node->n.rows <= s->again;
		} else if (node->part) {
			node->n.rows = node->n.groups = tail ? 1 : s->whole;
			node->address += skipped * node->pitch_bytes;
		} else if (node->n.rows == s->rows) {
			node->n.rows = tail ? s->rows % s->block : s->whole * s->block;
			node->address += skipped * s->block * node->pitch_bytes;
		}
	}
}

/* Rows of the kernel's reductions where they can be split: of one group all, of the same rows, nothing but element-wise
 * operations beside them; else 0. */
uint64_t avk_rows_to_split(GArray *nodes)
{
	uint64_t rows = 0, others = 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;
		uint64_t own;

		if (!avk_node_at(nodes, i)->external && n->rows > 1) {
			if (others && n->rows != others)
				return 0;
			others = n->rows;
		}

		if (avk_node_at(nodes, i)->external || n->op == GRAPH_UNARY || n->op == GRAPH_BINARY ||
		    (n->op == GRAPH_ROWS && n->groups == 1 && n->step == 0))
			continue;
		if (n->op != GRAPH_REDUCE || n->groups != 1)
			return 0;
		own = avk_node_at(nodes, n->in[0])->n.rows;
		if (own < 4 || (rows && rows != own))
			return 0;
		rows = own;
	}
	return others && others != rows ? 0 : rows;
}

/* Groups that all reductions of the kernel have and nothing joins; 1 where there are none. */
uint64_t avk_groups(GArray *nodes)
{
	uint64_t groups = 1;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;

		if (!avk_node_at(nodes, i)->external && n->op == GRAPH_REDUCE)
			groups = MAX(groups, n->groups);
	}
	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;

		if (avk_node_at(nodes, i)->external ? n->rows > 1 && n->rows % groups : n->rows % groups)
			return 1;
		if (avk_node_at(nodes, i)->external || n->op == GRAPH_UNARY || n->op == GRAPH_BINARY)
			continue;
		if (n->groups != groups ||
		    (n->op != GRAPH_REDUCE && (n->op != GRAPH_ROWS || n->step || n->pitch != 1 || n->first_row)))
			return 1;
	}
	return groups;
}

/* The kernel's nodes for group WHICH alone. */
GArray *avk_one_group(GArray *nodes, uint64_t groups, uint64_t which)
{
	GArray *own = g_array_new(FALSE, TRUE, sizeof(avk_node));

	g_array_append_vals(own, nodes->data, nodes->len);
	for (uint32_t i = 0; i < own->len; i++) {
		avk_node *node = avk_node_at(own, i);

		if (node->external && node->n.rows == 1)
			continue;
		node->n.rows /= groups;
		node->address += which * node->n.rows * node->pitch_bytes;
		if (node->n.op == GRAPH_REDUCE || node->n.op == GRAPH_ROWS)
			node->n.groups = 1;
	}
	return own;
}
