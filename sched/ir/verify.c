/* SPDX-License-Identifier: Apache-2.0
 *
 * What a graph must satisfy before anything computes, lowers or prints costs from it: SSA order, unique names, shapes
 * that follow from the operands, legal types, parameters in range, sizes that fit 62 bits.
 *
 * The first offence is reported as "graph 'NAME': node 'NAME': what was expected".  Whether a machine can hold or do
 * the work is not asked here.
 */
#include "sched/ir/graph.h"

#include <stdarg.h>
#include <string.h>

/* Products of sizes stay below this, so that byte counts and MACs can be added without overflow. */
#define SIZE_LIMIT  ((uint64_t)1 << 62)
#define BLOCK_LIMIT ((uint64_t)1 << 32)

static bool G_GNUC_PRINTF(4, 5) fail(const graph *g, const graph_node *n, GError **error, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "graph '%s': node '%s': %s", g->name, n->name, text);
	return false;
}

/* Does the product of the COUNT numbers stay below the limit? */
static bool product_fits(const uint64_t *numbers, size_t count)
{
	unsigned __int128 product = 1;

	for (size_t i = 0; i < count; i++) {
		product *= numbers[i];
		if (product >= SIZE_LIMIT)
			return false;
	}
	return true;
}

static bool is_float(enum isa_type type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

static bool valid_name(const char *name)
{
	if (!name || !(g_ascii_isalpha(*name) || *name == '_'))
		return false;
	for (; *name; name++)
		if (!g_ascii_isalnum(*name) && *name != '_' && *name != '.')
			return false;
	return true;
}

/* A VXM op on operands of TYPE giving the node's type. */
static bool check_vxm(const graph *g, const graph_node *n, enum isa_type type, unsigned arity, GError **error)
{
	const isa_op_info *info;
	bool legal;

	if (n->vxm_op >= ISA_OP_COUNT || isa_ops[n->vxm_op].unit != ISA_UNIT_VXM)
		return fail(g, n, error, "expected an operation of the vector unit");
	info = &isa_ops[n->vxm_op];
	if (info->arity != arity)
		return fail(g, n, error, "expected an operation with %u operand%s, '%s' has %u", arity,
		            arity == 1 ? "" : "s", info->mnemonic, info->arity);
	if (info->types == ISA_TYPES_CVT)
		return true;
	legal = is_float(type) ? info->types != ISA_TYPES_INT : info->types != ISA_TYPES_FLOAT;
	if (!legal)
		return fail(g, n, error, "'%s' is not defined for %s", info->mnemonic, isa_type_name(type));
	if (is_float(type) ? !is_float(n->type) : n->type != type)
		return fail(g, n, error, "'%s' on %s gives %s, not %s", info->mnemonic, isa_type_name(type),
		            is_float(type) ? "fp16 or fp32" : isa_type_name(type), isa_type_name(n->type));
	return true;
}

static bool check_shape(const graph *g, const graph_node *n, uint64_t rows, uint64_t lanes, GError **error)
{
	if (n->rows == rows && n->lanes == lanes)
		return true;
	return fail(g, n, error,
	            "expected shape [%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "], found [%" G_GUINT64_FORMAT
	            "][%" G_GUINT64_FORMAT "]",
	            rows, lanes, n->rows, n->lanes);
}

static bool check_data(const graph *g, const graph_node *n, GError **error)
{
	uint64_t count = n->rows * n->lanes;

	if (!n->data)
		return n->op == GRAPH_INPUT || fail(g, n, error, "expected data of a constant");
	/* Copying operations move bits and arithmetic makes NaNs canonical; data that is not would tell them apart. */
	for (uint64_t i = 0; i < count && is_float(n->type); i++) {
		uint16_t half = 0;
		uint32_t word = 0;

		if (n->type == ISA_TYPE_F16)
			memcpy(&half, n->data + 2 * i, 2);
		else
			memcpy(&word, n->data + 4 * i, 4);
		if (((half & 0x7FFF) > 0x7C00 && half != 0x7E00) ||
		    ((word & 0x7FFFFFFF) > 0x7F800000 && word != 0x7FC00000))
			return fail(g, n, error, "element %" G_GUINT64_FORMAT " is a NaN other than the canonical one",
			            i);
	}
	return true;
}

static bool check_elementwise(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	const graph_node *y = n->in[1] == UINT32_MAX ? x : graph_at(g, n->in[1]);

	if (n->op == GRAPH_BINARY && n->has_imm == (n->in[1] != UINT32_MAX))
		return fail(g, n, error, "expected two operands, the second a node or an immediate");
	if (x->type != y->type)
		return fail(g, n, error, "expected operands of one type, found %s and %s", isa_type_name(x->type),
		            isa_type_name(y->type));
	if (x->lanes != y->lanes || (x->rows != y->rows && x->rows != 1 && y->rows != 1))
		return fail(g, n, error, "expected operands of one shape (or one row), found '%s' and '%s'", x->name,
		            y->name);
	return check_vxm(g, n, x->type, n->op == GRAPH_BINARY ? 2 : 1, error) &&
	       check_shape(g, n, MAX(x->rows, y->rows), x->lanes, error);
}

static bool check_reduce(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);

	if (!n->groups || x->rows % n->groups)
		return fail(g, n, error, "expected groups that divide the rows of '%s'", x->name);
	if (n->type != x->type)
		return fail(g, n, error, "expected the operand's type %s", isa_type_name(x->type));
	return check_vxm(g, n, x->type, 2, error) && check_shape(g, n, n->groups, x->lanes, error);
}

static bool block_size_ok(uint64_t size)
{
	return size > 0 && size <= BLOCK_LIMIT;
}

/* Operands and result of MATMUL and CONV. */
static bool check_mxm_types(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	const graph_node *w = graph_at(g, n->in[1]);
	bool int8 = x->type == ISA_TYPE_I8 && w->type == ISA_TYPE_I8 && n->type == ISA_TYPE_I32;
	bool fp16 = x->type == ISA_TYPE_F16 && w->type == ISA_TYPE_F16 && n->type == ISA_TYPE_F16;

	if (!int8 && !fp16)
		return fail(g, n, error, "expected int8 operands with an int32 result, or fp16 throughout");
	if (!block_size_ok(n->sum_rows))
		return fail(g, n, error, "expected sub-sums of 1 to 2^32 lanes");
	return true;
}

static bool check_matmul(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *a = graph_at(g, n->in[0]);
	const graph_node *b = graph_at(g, n->in[1]);
	uint64_t sizes[] = {n->batches, n->m, n->k, n->n};

	if (!check_mxm_types(g, n, error))
		return false;
	if (!product_fits(sizes, G_N_ELEMENTS(sizes)))
		return fail(g, n, error, "the number of products exceeds 2^62");
	if (!n->batches || a->rows != n->batches * n->m || b->rows != n->batches * n->k || a->lanes != n->k ||
	    b->lanes != n->n)
		return fail(g, n, error, "expected '%s' [batches m][k] and '%s' [batches k][n]", a->name, b->name);
	if (!block_size_ok(n->block_run))
		return fail(g, n, error, "expected K blocks of 1 to 2^32 lanes");
	return check_shape(g, n, n->batches * n->m, n->n, error);
}

/* OUT positions of a filter SIZE over IN elements: the floor form, or the ceil form with positions beyond the edge. */
static bool out_size_ok(uint64_t in, uint64_t pad, uint64_t size, uint64_t stride, uint64_t out)
{
	uint64_t room;

	if (in + 2 * pad < size)
		return false;
	room = in + 2 * pad - size;
	return out == room / stride + 1 || out == (room + stride - 1) / stride + 1;
}

static bool check_conv(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	const graph_node *w = graph_at(g, n->in[1]);
	const graph_conv *c = &n->conv;
	uint64_t in[] = {c->images, c->groups, c->h + 2 * c->pad, c->w + 2 * c->pad, c->c};
	uint64_t macs[] = {c->images, c->groups, c->oh, c->ow, c->n, c->c, c->r, c->s};
	bool runs = c->kind == GRAPH_KBLOCK_RUNS, taps = c->kind == GRAPH_KBLOCK_TAPS;

	if (!check_mxm_types(g, n, error))
		return false;
	if (!c->images || !c->groups || !c->h || !c->w || !c->c || !c->n || !c->r || !c->s || !c->stride_h ||
	    !c->stride_w)
		return fail(g, n, error, "expected positive sizes and strides");
	if (c->h >= SIZE_LIMIT || c->w >= SIZE_LIMIT || c->pad >= SIZE_LIMIT / 4 ||
	    !product_fits(in, G_N_ELEMENTS(in)) || !product_fits(macs, G_N_ELEMENTS(macs)))
		return fail(g, n, error, "the number of products exceeds 2^62");
	if (!out_size_ok(c->h, c->pad, c->r, c->stride_h, c->oh) ||
	    !out_size_ok(c->w, c->pad, c->s, c->stride_w, c->ow))
		return fail(g, n, error, "the output size does not follow from input, filter, stride and padding");
	if (!block_size_ok(runs   ? c->block_rows
	                   : taps ? c->block_taps
	                          : 1) ||
	    !block_size_ok(runs ? c->block_run : c->block_chan))
		return fail(g, n, error, "expected K blocks of 1 to 2^32 in each direction");
	if (runs && c->block_rows > 1 && c->block_run < c->s * c->c)
		return fail(g, n, error, "blocks of several filter rows need block_run of at least s c");
	if (x->rows != c->images * c->groups * c->h * c->w || x->lanes != c->c)
		return fail(g, n, error, "expected '%s' [images groups h w][c]", x->name);
	if (w->rows != c->groups * graph_conv_k(c) || w->lanes != c->n)
		return fail(g, n, error, "expected '%s' [groups r s c][n]", w->name);
	return check_shape(g, n, c->images * c->groups * c->oh * c->ow, c->n, error);
}

static bool check_lanes(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	uint64_t block = 1;

	while (block <= n->lane_xor)
		block *= 2;
	if (x->lanes % block)
		return fail(g, n, error, "xor %u needs lanes in multiples of %" G_GUINT64_FORMAT, n->lane_xor, block);
	if (n->type != x->type)
		return fail(g, n, error, "expected the operand's type %s", isa_type_name(x->type));
	return check_shape(g, n, x->rows, x->lanes, error);
}

static bool check_rows(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	unsigned __int128 last;

	if (!n->groups || !n->rows || n->rows % n->groups)
		return fail(g, n, error, "expected groups that divide the rows of the view");
	last = n->first_row + (unsigned __int128)(n->groups - 1) * n->pitch +
	       (unsigned __int128)(n->rows / n->groups - 1) * n->step;
	if (last >= x->rows)
		return fail(g, n, error, "the view leaves the %" G_GUINT64_FORMAT " rows of '%s'", x->rows, x->name);
	if (n->type != x->type)
		return fail(g, n, error, "expected the operand's type %s", isa_type_name(x->type));
	return check_shape(g, n, n->rows, x->lanes, error);
}

static bool check_join(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	const graph_node *y = graph_at(g, n->in[1]);

	if (x->rows != y->rows || x->lanes != y->lanes || x->type != y->type || n->type != x->type)
		return fail(g, n, error, "expected operands of one shape and type, found '%s' and '%s'", x->name,
		            y->name);
	if (!n->groups || x->rows % n->groups)
		return fail(g, n, error, "expected groups that divide the rows of '%s'", x->name);
	return check_shape(g, n, 2 * x->rows, x->lanes, error);
}

static bool check_transpose(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);

	if (n->type != x->type)
		return fail(g, n, error, "expected the operand's type");
	return check_shape(g, n, MIN(n->rows, x->lanes), x->rows, error);
}

static bool check_gather(const graph *g, const graph_node *n, GError **error)
{
	const graph_node *x = graph_at(g, n->in[0]);
	const graph_node *index = graph_at(g, n->in[1]);

	if (n->type != x->type)
		return fail(g, n, error, "expected the operand's type %s", isa_type_name(x->type));
	if (index->op != GRAPH_CONST || index->type != ISA_TYPE_I32 || index->rows != 1)
		return fail(g, n, error, "expected '%s' to be a constant int32[1][rows]", index->name);
	if (n->first_lane >= x->lanes || n->lanes > x->lanes - n->first_lane)
		return fail(g, n, error, "the rows leave the %" G_GUINT64_FORMAT " lanes of '%s'", x->lanes, x->name);
	for (uint64_t i = 0; i < index->lanes; i++) {
		int32_t row = graph_gather_row(g, n, i);

		if (row < 0 || (uint64_t)row >= x->rows)
			return fail(g, n, error,
			            "index %" G_GUINT64_FORMAT " is %d, expected one of the %" G_GUINT64_FORMAT
			            " rows of '%s'",
			            i, row, x->rows, x->name);
	}
	return check_shape(g, n, index->lanes, n->lanes, error);
}

static bool check_node(const graph *g, const graph_node *n, GError **error)
{
	switch (n->op) {
	case GRAPH_INPUT:
	case GRAPH_CONST:
		return check_data(g, n, error);
	case GRAPH_UNARY:
	case GRAPH_BINARY:
		return check_elementwise(g, n, error);
	case GRAPH_REDUCE:
		return check_reduce(g, n, error);
	case GRAPH_MATMUL:
		return check_matmul(g, n, error);
	case GRAPH_CONV:
		return check_conv(g, n, error);
	case GRAPH_TRANSPOSE:
		return check_transpose(g, n, error);
	case GRAPH_GATHER:
		return check_gather(g, n, error);
	case GRAPH_LANES:
		return check_lanes(g, n, error);
	case GRAPH_ROWS:
		return check_rows(g, n, error);
	case GRAPH_JOIN:
		return check_join(g, n, error);
	case GRAPH_OP_COUNT:
		break;
	}
	return fail(g, n, error, "unknown operation");
}

/* Operands exist, come earlier, and are as many as the operation takes. */
static bool check_order(const graph *g, uint32_t index, GError **error)
{
	static const unsigned arity[GRAPH_OP_COUNT] = {
		[GRAPH_UNARY] = 1,     [GRAPH_BINARY] = 2, [GRAPH_REDUCE] = 1, [GRAPH_MATMUL] = 2, [GRAPH_CONV] = 2,
		[GRAPH_TRANSPOSE] = 1, [GRAPH_LANES] = 1,  [GRAPH_ROWS] = 1,   [GRAPH_JOIN] = 2,   [GRAPH_GATHER] = 2,
	};
	const graph_node *n = graph_at(g, index);
	unsigned wanted = n->op < GRAPH_OP_COUNT ? arity[n->op] : 0;

	if (n->op == GRAPH_BINARY && n->has_imm)
		wanted = 1;
	for (unsigned i = 0; i < 2; i++) {
		if (i < wanted ? n->in[i] >= index : n->in[i] != UINT32_MAX)
			return fail(g, n, error, "expected %u operand%s computed before it", wanted,
			            wanted == 1 ? "" : "s");
	}
	return true;
}

bool graph_verify(const graph *g, GError **error)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	bool any = false;

	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		uint64_t sizes[] = {n->rows, n->lanes, 4};

		if (!valid_name(n->name))
			return fail(g, n, error,
			            "a name has letters, digits, '_' and '.', and begins with a letter or '_'");
		if (!g_hash_table_add(names, n->name))
			return fail(g, n, error, "the name is taken by an earlier node");
		if (n->type >= ISA_TYPE_COUNT)
			return fail(g, n, error, "unknown type");
		if (!n->rows || !n->lanes || !product_fits(sizes, G_N_ELEMENTS(sizes)))
			return fail(g, n, error, "expected a shape of at least one element and at most 2^60");
		if (!check_order(g, i, error) || !check_node(g, n, error))
			return false;
		any |= n->output;
	}
	if (!any) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "graph '%s': expected at least one output", g->name);
		return false;
	}
	return true;
}
