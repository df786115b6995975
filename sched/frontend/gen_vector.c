/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators of vector work: softmax, layernorm, attention (with its two matrix products), transpose, vmap.
 *
 * A problem row lies in one lane: softmax:RxC is a tensor [C][R], so that its reductions walk over vectors and never
 * cross lanes.  Sums and what follows from them are fp32; division is a multiplication by the square of rsqrt.
 */
#include "sched/frontend/internal.h"
#include "isa/num.h"

#include <math.h>
#include <string.h>

#define FLOAT_TYPES (1u << ISA_TYPE_F16 | 1u << ISA_TYPE_F32)
#define MXM_TYPES   (1u << ISA_TYPE_I8 | 1u << ISA_TYPE_F16)
#define ALL_TYPES   ((1u << ISA_TYPE_COUNT) - 1)

/* What layernorm adds to the variance. */
static const float layernorm_epsilon = 1e-5F;
/* attention:int8 reads its operands as fixed-point numbers with so many fraction bits ... */
enum { ATTENTION_FRACTION_BITS = 5 };
/* ... and its probabilities as multiples of one over this. */
static const float attention_p_scale = 127.0F;

static uint32_t mul_imm(graph *g, const char *name, enum isa_type type, uint32_t x, float factor)
{
	return graph_binary_imm(g, name, ISA_OP_MUL, type, x, num_f32_bits(factor));
}

/* One row a group of X becomes as many equal rows as the groups of the softmax have. */
static uint32_t spread(graph *g, const char *name, uint32_t x, uint64_t groups, uint64_t rows)
{
	return groups == 1 ? x : graph_view(g, name, x, rows, 0, groups, 1, 0);
}

/* Softmax of X over the rows of each group; the last product has TYPE, everything between is fp32. */
static uint32_t add_softmax(graph *g, uint32_t x, uint64_t groups, enum isa_type type, const char *result)
{
	uint64_t rows = graph_at(g, x)->rows;
	uint32_t max = graph_reduce(g, "max", ISA_OP_MAX, x, groups);
	uint32_t d = graph_binary(g, "d", ISA_OP_SUB, ISA_TYPE_F32, x, spread(g, "max.all", max, groups, rows));
	uint32_t e = graph_unary(g, "e", ISA_OP_EXP, ISA_TYPE_F32, d);
	uint32_t sum = graph_reduce(g, "sum", ISA_OP_ADD, e, groups);
	uint32_t q = graph_unary(g, "q", ISA_OP_RSQRT, ISA_TYPE_F32, sum);
	uint32_t r = graph_binary(g, "r", ISA_OP_MUL, ISA_TYPE_F32, q, q);

	return graph_binary(g, result, ISA_OP_MUL, type, e, spread(g, "r.all", r, groups, rows));
}

graph *frontend_i_generate_softmax(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[2];
	enum isa_type type;
	graph *g;

	(void)target;
	if (!frontend_i_sizes(s, "RC", 2, d) || !frontend_i_type(s, FLOAT_TYPES, &type) || !frontend_i_fits(s, d, 2))
		return NULL;
	g = graph_new(s->text);
	graph_mark_output(g, add_softmax(g, graph_input(g, "x", type, d[1], d[0]), 1, type, "y"));
	return g;
}

graph *frontend_i_generate_layernorm(frontend_spec *s, const frontend_target *target)
{
	uint64_t size[2];
	enum isa_type type;
	graph *g;
	float share;
	uint32_t x, sum, mean, d, dd, squares, v, ve, r;

	(void)target;
	if (!frontend_i_sizes(s, "RC", 2, size) || !frontend_i_type(s, FLOAT_TYPES, &type) ||
	    !frontend_i_fits(s, size, 2))
		return NULL;
	share = (float)(1.0 / (double)size[1]);
	g = graph_new(s->text);
	x = graph_input(g, "x", type, size[1], size[0]);
	if (type != ISA_TYPE_F32)
		x = graph_unary(g, "xf", ISA_OP_CVT, ISA_TYPE_F32, x);
	sum = graph_reduce(g, "sum", ISA_OP_ADD, x, 1);
	mean = mul_imm(g, "mean", ISA_TYPE_F32, sum, share);
	d = graph_binary(g, "d", ISA_OP_SUB, ISA_TYPE_F32, x, mean);
	dd = graph_binary(g, "dd", ISA_OP_MUL, ISA_TYPE_F32, d, d);
	squares = graph_reduce(g, "squares", ISA_OP_ADD, dd, 1);
	v = mul_imm(g, "v", ISA_TYPE_F32, squares, share);
	ve = graph_binary_imm(g, "ve", ISA_OP_ADD, ISA_TYPE_F32, v, num_f32_bits(layernorm_epsilon));
	r = graph_unary(g, "r", ISA_OP_RSQRT, ISA_TYPE_F32, ve);
	graph_mark_output(g, graph_binary(g, "y", ISA_OP_MUL, type, d, r));
	return g;
}

/* Lanes of a K block of K lanes. */
static uint64_t run_of(const frontend_target *target, uint64_t k)
{
	return target->block_lanes ? target->block_lanes : k;
}

/* Heads are batches.  Scores are computed transposed, [keys][queries], so that softmax reduces over rows and its result
 * is at once the right-hand operand of the second product. */
graph *frontend_i_generate_attention(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[4];
	enum isa_type type;
	graph *g;
	uint64_t heads, sum_rows = target->sum_lanes;
	uint32_t qt, k, vt, st, t, p, ot;
	double scale;

	if (!frontend_i_sizes(s, "BHSD", 4, d) || !frontend_i_type(s, MXM_TYPES, &type) ||
	    !frontend_i_fits(s, (uint64_t[]){d[0], d[1], d[2], d[2], d[3]}, 5))
		return NULL;
	heads = d[0] * d[1];
	scale = 1 / sqrt((double)d[3]);
	g = graph_new(s->text);
	qt = graph_input(g, "qt", type, heads * d[3], d[2]);
	k = graph_input(g, "k", type, heads * d[2], d[3]);
	vt = graph_input(g, "vt", type, heads * d[3], d[2]);
	if (type == ISA_TYPE_F16) {
		st = graph_matmul(g, "st", k, qt, heads, ISA_TYPE_F16, run_of(target, d[3]), sum_rows);
		t = mul_imm(g, "t", ISA_TYPE_F32, st, (float)scale);
		p = add_softmax(g, t, heads, ISA_TYPE_F16, "p");
		ot = graph_matmul(g, "ot", vt, p, heads, ISA_TYPE_F16, run_of(target, d[2]), sum_rows);
	} else {
		st = graph_matmul(g, "st", k, qt, heads, ISA_TYPE_I32, run_of(target, d[3]), sum_rows);
		t = graph_unary(g, "sf", ISA_OP_CVT, ISA_TYPE_F32, st);
		t = mul_imm(g, "t", ISA_TYPE_F32, t, (float)ldexp(scale, -2 * ATTENTION_FRACTION_BITS));
		p = add_softmax(g, t, heads, ISA_TYPE_F32, "pf");
		p = mul_imm(g, "ps", ISA_TYPE_F32, p, attention_p_scale);
		p = graph_unary(g, "p", ISA_OP_CVT, ISA_TYPE_I8, p);
		ot = graph_matmul(g, "ot", vt, p, heads, ISA_TYPE_I32, run_of(target, d[2]), sum_rows);
	}
	graph_mark_output(g, ot);
	return g;
}

graph *frontend_i_generate_transpose(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[2];
	enum isa_type type;
	graph *g;

	(void)target;
	if (!frontend_i_sizes(s, "RC", 2, d) || !frontend_i_type(s, ALL_TYPES, &type) || !frontend_i_fits(s, d, 2))
		return NULL;
	g = graph_new(s->text);
	graph_mark_output(g, graph_transpose(g, "y", graph_input(g, "x", type, d[0], d[1])));
	return g;
}

static bool legal_for(const isa_op_info *info, enum isa_type type)
{
	bool is_float = type == ISA_TYPE_F16 || type == ISA_TYPE_F32;

	return info->types == ISA_TYPES_ALL || info->types == ISA_TYPES_CVT ||
	       info->types == (is_float ? ISA_TYPES_FLOAT : ISA_TYPES_INT);
}

/* Reads the name of a vector operation. */
static bool read_vector_op(frontend_spec *s, enum isa_op *op)
{
	const char *names[ISA_OP_COUNT + 1] = {NULL};
	const char *begin = s->at;
	g_autofree char *word = frontend_i_word(s);
	const char *nearest;
	unsigned count = 0;
	int found = isa_op_from_mnemonic(word);

	if (found >= 0 && isa_ops[found].unit == ISA_UNIT_VXM) {
		*op = (enum isa_op)found;
		return true;
	}
	for (unsigned i = 0; i < ISA_OP_COUNT; i++)
		if (isa_ops[i].unit == ISA_UNIT_VXM)
			names[count++] = isa_ops[i].mnemonic;
	nearest = tsp_nearest(word, names);
	return frontend_i_fail(s, begin, "expected an operation of the vector unit, found '%s'%s%s%s", word,
	                       nearest ? "; nearest is '" : "", nearest ? nearest : "", nearest ? "'" : "");
}

graph *frontend_i_generate_vmap(frontend_spec *s, const frontend_target *target)
{
	const char *begin = s->at;
	enum isa_type type;
	enum isa_op op;
	uint64_t n;
	graph *g;
	uint32_t x;

	(void)target;
	if (!read_vector_op(s, &op) || !frontend_i_expect(s, ',', "',' and the number of elements") ||
	    !frontend_i_size(s, "the number of elements", &n) || !frontend_i_type(s, ALL_TYPES, &type))
		return NULL;
	if (!legal_for(&isa_ops[op], type)) {
		frontend_i_fail(s, begin, "'%s' is defined for %s, not for %s", isa_ops[op].mnemonic,
		                isa_ops[op].types == ISA_TYPES_INT ? "int8, int16 and int32" : "fp16 and fp32",
		                isa_type_name(type));
		return NULL;
	}
	g = graph_new(s->text);
	x = graph_input(g, "x", type, 1, n);
	if (isa_ops[op].arity == 2)
		x = graph_binary(g, "z", op, type, x, graph_input(g, "y", type, 1, n));
	else
		x = graph_unary(g, "z", op, type, x);
	graph_mark_output(g, x);
	return g;
}
