/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of the graph that the chip has no instruction for and that no sequence of its instructions gives to the
 * last bit: they are rewritten in the graph, and the reference evaluates what is left.  All others are expanded exactly
 * where kernels are written (vector_ops.c).
 *
 * tanh x = x p(x^2) / q(x^2) in fp32, p of degree 6, q of degree 3, x first moved into [-c, c]: the minimax quotient
 * that Eigen uses.  1 / q is the square of q's reciprocal root.  Infinities, zeros and NaN come out as they should.
 */
#include "sched/emit/ascend/ascend.h"

#include "isa/num.h"

static const float tanh_limit = 7.90531110763549805F;
/* By falling degree. */
static const float tanh_p[] = {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F,
                               5.12229709037114e-08F,  1.48572235717979e-05F, 6.37261928875436e-04F,
                               4.89352455891786e-03F};
static const float tanh_q[] = {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F,
                               4.89352518554385e-03F};

typedef struct rewriting {
	graph *to;
	const char *name; /* of the node that is rewritten */
	unsigned steps;
} rewriting;

static char *step_name(rewriting *r)
{
	return g_strdup_printf("%s.%u", r->name, ++r->steps);
}

static uint32_t with(rewriting *r, enum isa_op op, uint32_t x, float imm)
{
	g_autofree char *name = step_name(r);

	return graph_binary_imm(r->to, name, op, ISA_TYPE_F32, x, num_f32_bits(imm));
}

static uint32_t times(rewriting *r, uint32_t x, uint32_t y)
{
	g_autofree char *name = step_name(r);

	return graph_binary(r->to, name, ISA_OP_MUL, ISA_TYPE_F32, x, y);
}

static uint32_t polynomial(rewriting *r, uint32_t x, const float *factor, unsigned count)
{
	uint32_t sum = with(r, ISA_OP_ADD, with(r, ISA_OP_MUL, x, factor[0]), factor[1]);

	for (unsigned i = 2; i < count; i++)
		sum = with(r, ISA_OP_ADD, times(r, sum, x), factor[i]);
	return sum;
}

static uint32_t expand_tanh(rewriting *r, uint32_t x, enum isa_type type)
{
	uint32_t a = with(r, ISA_OP_MIN, with(r, ISA_OP_MAX, x, -tanh_limit), tanh_limit), square = times(r, a, a);
	uint32_t p = polynomial(r, square, tanh_p, G_N_ELEMENTS(tanh_p));
	uint32_t q = polynomial(r, square, tanh_q, G_N_ELEMENTS(tanh_q));
	g_autofree char *name = step_name(r);

	q = graph_unary(r->to, name, ISA_OP_RSQRT, ISA_TYPE_F32, q);
	/* The quotient first: it is near one where x is so small that x p would be denormal. */
	p = times(r, p, times(r, q, q));
	p = with(r, ISA_OP_MAX, times(r, a, p), -1.0F);
	return graph_binary_imm(r->to, r->name, ISA_OP_MIN, type, p, num_f32_bits(1.0F));
}

static bool is_tanh(const graph_node *n)
{
	return n->op == GRAPH_UNARY && n->vxm_op == ISA_OP_TANH;
}

static uint32_t copy_node(graph *to, const graph_node *n, const uint32_t *now)
{
	graph_node copy = *n;

	copy.name = g_strdup(n->name);
	copy.data = n->data ? g_memdup2(n->data, graph_node_bytes(n)) : NULL;
	for (unsigned i = 0; i < graph_arity(n); i++)
		copy.in[i] = now[n->in[i]];
	g_array_append_val(to->nodes, copy);
	return graph_size(to) - 1;
}

bool ask_legalise(graph *g, GString *notes, GError **error)
{
	g_autofree uint32_t *now = g_new(uint32_t, graph_size(g) + 1);
	unsigned rewritten = 0;
	GArray *nodes;
	graph *to;

	for (uint32_t i = 0; i < graph_size(g); i++)
		rewritten += is_tanh(graph_at(g, i));
	if (!rewritten)
		return true;
	to = graph_new(g->name);
	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		rewriting r = {to, n->name, 0};

		now[i] = is_tanh(n) ? expand_tanh(&r, now[n->in[0]], n->type) : copy_node(to, n, now);
		if (n->output)
			graph_mark_output(to, now[i]);
	}
	nodes = g->nodes;
	g->nodes = to->nodes;
	to->nodes = nodes;
	graph_free(to);
	g_string_append_printf(notes,
	                       "%u tanh in other operations: fp16 results differ from the rounded value by one unit "
	                       "of the last place at most, fp32 results by seven in a sample of 2^20\n",
	                       rewritten);
	return graph_verify(g, error);
}
