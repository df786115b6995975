/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference: every node computed by its definition in graph.h, in node order, with plain loops.
 *
 * It is what simulated results are compared with bit by bit, so it shares nothing with the models, the lowering or the
 * back ends but the graph itself and the number formats of isa/num.h.  Values no longer needed are freed as it goes.
 *
 * Choices the definitions leave open: a NaN converted to an integer gives 0; relu and abs follow max and the sign bit,
 * so relu(-0) is +0; negation and absolute value of the least integer wrap to itself.
 */
#include "sched/ir/reference_int.h"
#include "isa/num.h"

#include <math.h>
#include <string.h>

static bool is_float(enum isa_type type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

/* ----------------------------------------------------------------------------------------------------- elements */

static float get_float(enum isa_type type, const uint8_t *data, uint64_t i)
{
	uint16_t half;
	float f;

	if (type == ISA_TYPE_F16) {
		memcpy(&half, data + 2 * i, 2);
		return num_f16_to_f32(half);
	}
	memcpy(&f, data + 4 * i, 4);
	return f;
}

static void put_float(enum isa_type type, uint8_t *data, uint64_t i, float f)
{
	uint16_t half;

	if (type == ISA_TYPE_F16) {
		half = num_f32_to_f16(f);
		memcpy(data + 2 * i, &half, 2);
		return;
	}
	f = num_canonical(f);
	memcpy(data + 4 * i, &f, 4);
}

static int64_t get_int(enum isa_type type, const uint8_t *data, uint64_t i)
{
	int8_t b;
	int16_t h;
	int32_t w;

	switch (type) {
	case ISA_TYPE_I8:
		memcpy(&b, data + i, 1);
		return b;
	case ISA_TYPE_I16:
		memcpy(&h, data + 2 * i, 2);
		return h;
	default:
		memcpy(&w, data + 4 * i, 4);
		return w;
	}
}

/* Stores the low bits: wraps. */
static void put_int(enum isa_type type, uint8_t *data, uint64_t i, int64_t value)
{
	uint8_t b = (uint8_t)value;
	uint16_t h = (uint16_t)value;
	uint32_t w = (uint32_t)value;

	switch (type) {
	case ISA_TYPE_I8:
		memcpy(data + i, &b, 1);
		break;
	case ISA_TYPE_I16:
		memcpy(data + 2 * i, &h, 2);
		break;
	default:
		memcpy(data + 4 * i, &w, 4);
		break;
	}
}

/* --------------------------------------------------------------------------------------------------- arithmetic */

static float max_float(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return signbit(x) ? y : x;
	return x > y ? x : y;
}

static float min_float(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return signbit(x) ? x : y;
	return x < y ? x : y;
}

static float float_op(enum isa_op op, float x, float y)
{
	switch (op) {
	case ISA_OP_NEG:
		return -x;
	case ISA_OP_ABS:
		return fabsf(x);
	case ISA_OP_RELU:
		return max_float(0.0F, x);
	case ISA_OP_EXP:
		return num_exp_f32(x);
	case ISA_OP_TANH:
		return num_tanh_f32(x);
	case ISA_OP_RSQRT:
		return num_rsqrt_f32(x);
	case ISA_OP_ADD:
		return x + y;
	case ISA_OP_SUB:
		return x - y;
	case ISA_OP_MUL:
		return x * y;
	case ISA_OP_MAX:
		return max_float(x, y);
	case ISA_OP_MIN:
		return min_float(x, y);
	case ISA_OP_EQ:
		return x == y ? 1.0F : 0.0F;
	case ISA_OP_LT:
		return x < y ? 1.0F : 0.0F;
	case ISA_OP_MASK:
		return y != 0 ? x : 0.0F;
	case ISA_OP_MASK_BAR:
		return y == 0 ? x : 0.0F;
	case ISA_OP_COPY:
	case ISA_OP_CVT:
		return x;
	default: /* the verifier lets no integer operation through */
		g_error("the reference does not know '%s' of floating numbers", isa_ops[op].mnemonic);
	}
}

static int64_t saturate(enum isa_type type, int64_t value)
{
	int64_t limit = (int64_t)1 << (8 * isa_type_bytes(type) - 1);

	return CLAMP(value, -limit, limit - 1);
}

/* On sign-extended operands; the caller wraps the result. */
static int64_t int_op(enum isa_op op, enum isa_type type, int64_t x, int64_t y)
{
	unsigned shift = (unsigned)y & (8 * isa_type_bytes(type) - 1);

	switch (op) {
	case ISA_OP_NEG:
		return -x;
	case ISA_OP_ABS:
		return x < 0 ? -x : x;
	case ISA_OP_NOT:
		return ~x;
	case ISA_OP_RELU:
		return MAX(x, 0);
	case ISA_OP_ADD:
		return x + y;
	case ISA_OP_SUB:
		return x - y;
	case ISA_OP_MUL:
		return x * y;
	case ISA_OP_ADD_SAT:
		return saturate(type, x + y);
	case ISA_OP_SUB_SAT:
		return saturate(type, x - y);
	case ISA_OP_MUL_SAT:
		return saturate(type, x * y);
	case ISA_OP_MAX:
		return MAX(x, y);
	case ISA_OP_MIN:
		return MIN(x, y);
	case ISA_OP_EQ:
		return x == y;
	case ISA_OP_LT:
		return x < y;
	case ISA_OP_AND:
		return x & y;
	case ISA_OP_OR:
		return x | y;
	case ISA_OP_XOR:
		return x ^ y;
	case ISA_OP_SHL:
		return (int64_t)((uint64_t)x << shift);
	case ISA_OP_SHR:
		return x >> shift;
	case ISA_OP_MASK:
		return y != 0 ? x : 0;
	case ISA_OP_MASK_BAR:
		return y == 0 ? x : 0;
	case ISA_OP_COPY:
	case ISA_OP_CVT:
		return x;
	default:
		g_error("the reference does not know '%s' of integers", isa_ops[op].mnemonic);
	}
}

static int64_t float_to_int(enum isa_type type, float x)
{
	double limit = ldexp(1, (int)(8 * isa_type_bytes(type)) - 1);

	if (isnan(x))
		return 0;
	return (int64_t)CLAMP(rint((double)x), -limit, limit - 1);
}

static void convert(enum isa_type from, const uint8_t *x, uint64_t ix, enum isa_type to, uint8_t *z, uint64_t iz)
{
	int64_t value;
	uint16_t half;

	if (is_float(from)) {
		float f = get_float(from, x, ix);

		if (is_float(to))
			put_float(to, z, iz, f);
		else
			put_int(to, z, iz, float_to_int(to, f));
		return;
	}
	value = get_int(from, x, ix);
	if (to == ISA_TYPE_F16) {
		half = num_f64_to_f16((double)value);
		memcpy(z + 2 * iz, &half, 2);
	} else if (to == ISA_TYPE_F32) {
		put_float(to, z, iz, (float)value);
	} else {
		put_int(to, z, iz, saturate(to, value));
	}
}

/* Element IZ of Z from elements IX of X and IY of Y, operands of type FROM. */
static void apply(enum isa_op op, enum isa_type from, enum isa_type to, const uint8_t *x, uint64_t ix, const uint8_t *y,
                  uint64_t iy, uint8_t *z, uint64_t iz)
{
	if (op == ISA_OP_CVT)
		convert(from, x, ix, to, z, iz);
	else if (is_float(from))
		put_float(to, z, iz, float_op(op, get_float(from, x, ix), get_float(from, y, iy)));
	else
		put_int(to, z, iz, int_op(op, from, get_int(from, x, ix), get_int(from, y, iy)));
}

/* -------------------------------------------------------------------------------------------------------- nodes */

static void evaluate_elementwise(const graph *g, const graph_node *n, const uint8_t *x, const uint8_t *y, uint8_t *z)
{
	const graph_node *nx = graph_at(g, n->in[0]);
	uint64_t x_rows = nx->rows;
	uint64_t y_rows = n->in[1] == UINT32_MAX ? x_rows : graph_at(g, n->in[1])->rows;
	uint8_t imm[4];

	if (n->has_imm) {
		/* A floating immediate is fp32 whatever the operand's type: it must survive as such. */
		float f = num_bits_f32(n->imm);

		put_int(ISA_TYPE_I32, imm, 0, (int64_t)n->imm);
		for (uint64_t i = 0; i < n->rows * n->lanes; i++) {
			if (is_float(nx->type))
				put_float(n->type, z, i, float_op(n->vxm_op, get_float(nx->type, x, i), f));
			else
				apply(n->vxm_op, nx->type, n->type, x, i, imm, 0, z, i);
		}
		return;
	}
	for (uint64_t row = 0; row < n->rows; row++) {
		uint64_t ix = x_rows == 1 ? 0 : row * n->lanes;
		uint64_t iy = y_rows == 1 ? 0 : row * n->lanes;

		for (uint64_t lane = 0; lane < n->lanes; lane++)
			apply(n->vxm_op, nx->type, n->type, x, ix + lane, y ? y : x, iy + lane, z,
			      row * n->lanes + lane);
	}
}

static void evaluate_reduce(const graph *g, const graph_node *n, const uint8_t *x, uint8_t *z)
{
	uint64_t per_group = graph_at(g, n->in[0])->rows / n->groups;
	uint64_t row_bytes = n->lanes * isa_type_bytes(n->type);
	g_autofree uint8_t *level = g_malloc(per_group * row_bytes);

	for (uint64_t group = 0; group < n->groups; group++) {
		memcpy(level, x + group * per_group * row_bytes, per_group * row_bytes);
		for (uint64_t left = per_group; left > 1; left = (left + 1) / 2) {
			for (uint64_t i = 0; i < left / 2; i++)
				for (uint64_t lane = 0; lane < n->lanes; lane++)
					apply(n->vxm_op, n->type, n->type, level, 2 * i * n->lanes + lane, level,
					      (2 * i + 1) * n->lanes + lane, level, i * n->lanes + lane);
			if (left % 2)
				memmove(level + left / 2 * row_bytes, level + (left - 1) * row_bytes, row_bytes);
		}
		memcpy(z + group * row_bytes, level, row_bytes);
	}
}

static void evaluate_transpose(const graph_node *n, uint64_t columns, const uint8_t *x, uint8_t *z)
{
	unsigned bytes = isa_type_bytes(n->type);

	for (uint64_t row = 0; row < n->rows; row++)
		for (uint64_t lane = 0; lane < n->lanes; lane++)
			memcpy(z + (row * n->lanes + lane) * bytes, x + (lane * columns + row) * bytes, bytes);
}

static void evaluate_gather(const graph_node *n, uint64_t columns, const uint8_t *x, const uint8_t *index, uint8_t *z)
{
	unsigned bytes = isa_type_bytes(n->type);

	for (uint64_t row = 0; row < n->rows; row++)
		memcpy(z + row * n->lanes * bytes,
		       x + ((uint64_t)get_int(ISA_TYPE_I32, index, row) * columns + n->first_lane) * bytes,
		       n->lanes * bytes);
}

static void evaluate_lanes(const graph_node *n, const uint8_t *x, uint8_t *z)
{
	unsigned bytes = isa_type_bytes(n->type);

	for (uint64_t row = 0; row < n->rows; row++)
		for (uint64_t lane = 0; lane < n->lanes; lane++)
			memcpy(z + (row * n->lanes + lane) * bytes, x + (row * n->lanes + (lane ^ n->lane_xor)) * bytes,
			       bytes);
}

static void evaluate_rows(const graph_node *n, const uint8_t *x, uint8_t *z)
{
	uint64_t row_bytes = n->lanes * isa_type_bytes(n->type);
	uint64_t per_group = n->rows / n->groups;

	for (uint64_t row = 0; row < n->rows; row++) {
		uint64_t from = n->first_row + row / per_group * n->pitch + row % per_group * n->step;

		memcpy(z + row * row_bytes, x + from * row_bytes, row_bytes);
	}
}

static void evaluate_join(const graph_node *n, const uint8_t *x, const uint8_t *y, uint8_t *z)
{
	uint64_t bytes = n->rows / 2 / n->groups * n->lanes * isa_type_bytes(n->type);

	for (uint64_t group = 0; group < n->groups; group++) {
		memcpy(z + 2 * group * bytes, x + group * bytes, bytes);
		memcpy(z + (2 * group + 1) * bytes, y + group * bytes, bytes);
	}
}

static void evaluate_node(const graph *g, const graph_node *n, const uint8_t *x, const uint8_t *y, uint8_t *z)
{
	switch (n->op) {
	case GRAPH_UNARY:
	case GRAPH_BINARY:
		evaluate_elementwise(g, n, x, y, z);
		break;
	case GRAPH_REDUCE:
		evaluate_reduce(g, n, x, z);
		break;
	case GRAPH_MATMUL:
		graph_i_matmul(n, graph_at(g, n->in[0])->type, x, y, z);
		break;
	case GRAPH_CONV:
		graph_i_conv(n, graph_at(g, n->in[0])->type, x, y, z);
		break;
	case GRAPH_TRANSPOSE:
		evaluate_transpose(n, graph_at(g, n->in[0])->lanes, x, z);
		break;
	case GRAPH_GATHER:
		evaluate_gather(n, graph_at(g, n->in[0])->lanes, x, y, z);
		break;
	case GRAPH_LANES:
		evaluate_lanes(n, x, z);
		break;
	case GRAPH_ROWS:
		evaluate_rows(n, x, z);
		break;
	case GRAPH_JOIN:
		evaluate_join(n, x, y, z);
		break;
	default:
		break;
	}
}

/* How many reads of each value are still to come?  0 for nodes no output needs. */
static uint32_t *count_reads(const graph *g)
{
	uint32_t *reads = g_new0(uint32_t, graph_size(g));

	for (uint32_t i = graph_size(g); i-- > 0;) {
		const graph_node *n = graph_at(g, i);

		/* The caller reads outputs. */
		reads[i] += n->output;
		for (unsigned o = 0; reads[i] && o < graph_arity(n); o++)
			reads[n->in[o]]++;
	}
	return reads;
}

bool graph_evaluate(const graph *g, uint8_t **values, GError **error)
{
	g_autofree uint32_t *reads = count_reads(g);
	g_autofree const uint8_t **data = g_new0(const uint8_t *, graph_size(g));

	memset(values, 0, graph_size(g) * sizeof(*values));
	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		bool host = n->op == GRAPH_INPUT || n->op == GRAPH_CONST;

		if (!reads[i])
			continue;
		if (host && !n->data) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "graph '%s': input '%s' has no data", g->name,
			            n->name);
			for (uint32_t v = 0; v < i; v++)
				g_clear_pointer(&values[v], g_free);
			return false;
		}
		data[i] = n->data;
		if (!host || n->output)
			data[i] = values[i] =
				host ? g_memdup2(n->data, graph_node_bytes(n)) : g_malloc(graph_node_bytes(n));
		if (!host)
			evaluate_node(g, n, data[n->in[0]], n->in[1] == UINT32_MAX ? NULL : data[n->in[1]], values[i]);
		for (unsigned o = 0; o < graph_arity(n); o++)
			if (--reads[n->in[o]] == 0)
				g_clear_pointer(&values[n->in[o]], g_free);
	}
	return true;
}
