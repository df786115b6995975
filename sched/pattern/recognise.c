/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognisers of patterns.  They follow uses from a first node through element-wise operations, conversions, reductions
 * and views, and look at what is there; names and the order of operands do not matter.
 */
#include <string.h>

#include "sched/pattern/pattern.h"

enum { NOBODY = UINT32_MAX };

static bool is_host(const graph_node *n)
{
	return n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
}

static bool reads(const graph_node *n, uint32_t x)
{
	return (graph_arity(n) > 0 && n->in[0] == x) || (graph_arity(n) > 1 && n->in[1] == x);
}

/* The only user of X, NOBODY where there is none, several, or X leaves the graph. */
static uint32_t only_user(const graph *g, uint32_t x)
{
	uint32_t found = NOBODY;

	for (uint32_t i = x + 1; i < graph_size(g); i++) {
		if (!reads(graph_at(g, i), x))
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = i;
	}
	return graph_at(g, x)->output ? NOBODY : found;
}

/* The same, through conversions, which are added to NODES. */
static uint32_t next_of(const graph *g, uint32_t x, GArray *nodes)
{
	uint32_t user = only_user(g, x);

	while (user != NOBODY && graph_at(g, user)->op == GRAPH_UNARY && graph_at(g, user)->vxm_op == ISA_OP_CVT) {
		g_array_append_val(nodes, user);
		user = only_user(g, user);
	}
	return user;
}

/* Is N an operation OP with a number, or with one row for all rows? */
static bool is_row_op(const graph *g, const graph_node *n, enum isa_op op)
{
	if (n->op != GRAPH_BINARY || n->vxm_op != op)
		return false;
	return n->has_imm || graph_at(g, n->in[0])->rows == 1 || graph_at(g, n->in[1])->rows == 1 ||
	       graph_at(g, n->in[0])->op == GRAPH_ROWS || graph_at(g, n->in[1])->op == GRAPH_ROWS ||
	       is_host(graph_at(g, n->in[0])) || is_host(graph_at(g, n->in[1]));
}

static bool is_relu(const graph_node *n)
{
	return (n->op == GRAPH_UNARY && n->vxm_op == ISA_OP_RELU) ||
	       (n->op == GRAPH_BINARY && n->vxm_op == ISA_OP_MAX && n->has_imm && n->imm == 0);
}

static bool match_gemm(const graph *g, uint32_t first, GArray *nodes)
{
	uint32_t bias, act;

	if (graph_at(g, first)->op != GRAPH_MATMUL)
		return false;
	g_array_append_val(nodes, first);
	bias = next_of(g, first, nodes);
	if (bias == NOBODY || !is_row_op(g, graph_at(g, bias), ISA_OP_ADD))
		return false;
	g_array_append_val(nodes, bias);
	act = next_of(g, bias, nodes);
	if (act == NOBODY || (graph_at(g, act)->op != GRAPH_UNARY && !is_relu(graph_at(g, act))))
		return false;
	g_array_append_val(nodes, act);
	return true;
}

static bool match_conv(const graph *g, uint32_t first, GArray *nodes)
{
	static const enum isa_op scales[] = {ISA_OP_MUL, ISA_OP_ADD};
	uint32_t at = first;

	if (graph_at(g, first)->op != GRAPH_CONV)
		return false;
	g_array_append_val(nodes, first);
	for (unsigned i = 0; i < G_N_ELEMENTS(scales); i++) {
		at = next_of(g, at, nodes);
		if (at == NOBODY || !is_row_op(g, graph_at(g, at), scales[i]))
			return false;
		g_array_append_val(nodes, at);
	}
	at = next_of(g, at, nodes);
	if (at == NOBODY || !is_relu(graph_at(g, at)))
		return false;
	g_array_append_val(nodes, at);
	return true;
}

/* What follows from FIRST through anything but products, transposes and gathers; the products that end it go into
 * ENDS. */
static void follow(const graph *g, uint32_t first, GArray *nodes, GArray *ends)
{
	g_autofree bool *reached = g_new0(bool, graph_size(g));

	reached[first] = true;
	for (uint32_t i = first; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		bool product = n->op == GRAPH_MATMUL || n->op == GRAPH_CONV;

		for (unsigned o = 0; i > first && o < graph_arity(n); o++)
			reached[i] |= reached[n->in[o]];
		if (!reached[i])
			continue;
		if (i > first && (product || n->op == GRAPH_TRANSPOSE || n->op == GRAPH_GATHER)) {
			reached[i] = false;
			if (product)
				g_array_append_val(ends, i);
			continue;
		}
		g_array_append_val(nodes, i);
	}
}

static bool has(const graph *g, const GArray *nodes, enum graph_op op, enum isa_op vxm_op, unsigned times)
{
	for (guint i = 0; i < nodes->len; i++) {
		const graph_node *n = graph_at(g, g_array_index(nodes, uint32_t, i));

		if (n->op == op && n->vxm_op == vxm_op && !--times)
			return true;
	}
	return false;
}

static bool match_attention(const graph *g, uint32_t first, GArray *nodes)
{
	g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	if (graph_at(g, first)->op != GRAPH_MATMUL)
		return false;
	follow(g, first, nodes, ends);
	if (ends->len != 1 || !has(g, nodes, GRAPH_REDUCE, ISA_OP_MAX, 1) ||
	    !has(g, nodes, GRAPH_UNARY, ISA_OP_EXP, 1) || !has(g, nodes, GRAPH_REDUCE, ISA_OP_ADD, 1))
		return false;
	g_array_append_vals(nodes, ends->data, 1);
	return true;
}

/* Is there a product of a value with itself? */
static bool has_square(const graph *g, const GArray *nodes)
{
	for (guint i = 0; i < nodes->len; i++) {
		const graph_node *n = graph_at(g, g_array_index(nodes, uint32_t, i));

		if (n->op == GRAPH_BINARY && n->vxm_op == ISA_OP_MUL && !n->has_imm && n->in[0] == n->in[1])
			return true;
	}
	return false;
}

static bool match_layernorm(const graph *g, uint32_t first, GArray *nodes)
{
	g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const graph_node *n = graph_at(g, first);

	if (n->op != GRAPH_REDUCE || n->vxm_op != ISA_OP_ADD)
		return false;
	/* What the operand is converted by belongs to it. */
	if (graph_at(g, n->in[0])->op == GRAPH_UNARY)
		g_array_append_val(nodes, n->in[0]);
	follow(g, first, nodes, ends);
	return has(g, nodes, GRAPH_REDUCE, ISA_OP_ADD, 2) && has(g, nodes, GRAPH_BINARY, ISA_OP_SUB, 1) &&
	       has_square(g, nodes) && has(g, nodes, GRAPH_UNARY, ISA_OP_RSQRT, 1);
}

/* An addition of X to what is computed from X. */
static bool closes(const graph *g, uint32_t x, uint32_t sum, GArray *nodes)
{
	g_autofree bool *reached = g_new0(bool, graph_size(g));
	const graph_node *n = graph_at(g, sum);
	uint32_t other = n->in[0] == x ? n->in[1] : n->in[0];

	if (n->op != GRAPH_BINARY || n->vxm_op != ISA_OP_ADD || n->has_imm || !reads(n, x) || other == x)
		return false;
	reached[x] = true;
	for (uint32_t i = x + 1; i < sum; i++)
		for (unsigned o = 0; o < graph_arity(graph_at(g, i)); o++)
			reached[i] |= reached[graph_at(g, i)->in[o]];
	if (!reached[other])
		return false;
	for (uint32_t i = x + 1; i < sum; i++)
		if (reached[i])
			g_array_append_val(nodes, i);
	g_array_append_val(nodes, sum);
	return true;
}

static bool match_residual(const graph *g, uint32_t first, GArray *nodes)
{
	const graph_node *n = graph_at(g, first);

	/* The first node is the one that begins to work on what comes round. */
	for (unsigned o = 0; o < graph_arity(n); o++)
		for (uint32_t sum = first + 1; sum < graph_size(g); sum++)
			if (closes(g, n->in[o], sum, nodes))
				return true;
	return false;
}

const sched_pattern sched_patterns[] = {
	{"attention", "product, softmax, product", match_attention},
	{"conv-bn-relu", "convolution, scale and shift a channel, relu", match_conv},
	{"gemm-bias-act", "product, a row added to all rows, an activation", match_gemm},
	{"layernorm", "mean, difference, mean of squares, quotient", match_layernorm},
	{"residual", "a value added to what is computed from it", match_residual},
	{NULL, NULL, NULL},
};

/* ------------------------------------------------------------------------------------------------------- classes */

static uint64_t class_of(uint64_t size)
{
	uint64_t power = 1;

	while (power < size)
		power *= 2;
	return power;
}

/* The largest product of the pattern, else the largest operand. */
static char *shape_of(const graph *g, const GArray *nodes)
{
	const graph_node *largest = NULL;

	for (guint i = 0; i < nodes->len; i++) {
		const graph_node *n = graph_at(g, g_array_index(nodes, uint32_t, i));
		const graph_conv *c = &n->conv;

		if (n->op == GRAPH_MATMUL)
			return g_strdup_printf("b%" G_GUINT64_FORMAT ".m%" G_GUINT64_FORMAT ".n%" G_GUINT64_FORMAT
			                       ".k%" G_GUINT64_FORMAT ":%s",
			                       class_of(n->batches), class_of(n->m), class_of(n->n), class_of(n->k),
			                       isa_type_name(graph_at(g, n->in[0])->type));
		if (n->op == GRAPH_CONV)
			return g_strdup_printf("b%" G_GUINT64_FORMAT ".m%" G_GUINT64_FORMAT ".n%" G_GUINT64_FORMAT
			                       ".k%" G_GUINT64_FORMAT ":%s",
			                       class_of(c->images * c->groups), class_of(c->oh * c->ow), class_of(c->n),
			                       class_of(graph_conv_k(c)), isa_type_name(graph_at(g, n->in[0])->type));
		for (unsigned o = 0; o < graph_arity(n); o++) {
			const graph_node *x = graph_at(g, n->in[o]);

			if (!largest || x->rows * x->lanes > largest->rows * largest->lanes)
				largest = x;
		}
	}
	return largest ? g_strdup_printf("r%" G_GUINT64_FORMAT ".c%" G_GUINT64_FORMAT ":%s", class_of(largest->rows),
	                                 class_of(largest->lanes), isa_type_name(largest->type))
	               : g_strdup("");
}

static void clear_match(gpointer p)
{
	sched_match *m = p;

	g_array_unref(m->nodes);
	g_free(m->shape);
}

static bool is_free(const bool *taken, const GArray *nodes)
{
	for (guint i = 0; i < nodes->len; i++)
		if (taken[g_array_index(nodes, uint32_t, i)])
			return false;
	return nodes->len > 0;
}

GArray *sched_patterns_find(const graph *g)
{
	enum { MOST_NODES = 4096 }; /* looking for ways round takes its time */
	GArray *found = g_array_new(FALSE, FALSE, sizeof(sched_match));
	g_autofree bool *taken = g_new0(bool, graph_size(g) + 1);

	g_array_set_clear_func(found, clear_match);
	for (const sched_pattern *p = sched_patterns; p->name && graph_size(g) <= MOST_NODES; p++)
		for (uint32_t i = 0; i < graph_size(g); i++) {
			sched_match m = {p, g_array_new(FALSE, FALSE, sizeof(uint32_t)), NULL};

			if (taken[i] || is_host(graph_at(g, i)) || !p->match(g, i, m.nodes) ||
			    !is_free(taken, m.nodes)) {
				g_array_unref(m.nodes);
				continue;
			}
			for (guint n = 0; n < m.nodes->len; n++)
				taken[g_array_index(m.nodes, uint32_t, n)] = true;
			m.shape = shape_of(g, m.nodes);
			g_array_append_val(found, m);
		}
	return found;
}
