/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference evaluation of single vector operations: every operation of the vector unit on the values where they differ
 * from what a careless implementation gives.  Values are bit patterns, results derived by hand beside them.
 */
#include "isa/num.h"
#include "sched/ir/graph.h"
#include "tests/lib/tap.h"

#include <string.h>

/* One row: z = op(x, y) from bits; types of operands and result. */
typedef struct op_case {
	enum isa_op op;
	enum isa_type from, to;
	uint32_t x, y, z;
} op_case;

static void bits_to_bytes(enum isa_type type, uint32_t bits, uint8_t *bytes)
{
	for (unsigned b = 0; b < isa_type_bytes(type); b++)
		bytes[b] = (uint8_t)(bits >> (8 * b));
}

static uint32_t evaluate(graph *g)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	g_autoptr(GError) error = NULL;
	uint32_t last = graph_size(g) - 1, bits = 0;

	graph_mark_output(g, last);
	if (!graph_verify(g, &error) || !graph_evaluate(g, values, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	for (unsigned b = 0; b < isa_type_bytes(graph_at(g, last)->type); b++)
		bits |= (uint32_t)values[last][b] << (8 * b);
	g_free(values[last]);
	graph_free(g);
	return bits;
}

static uint32_t apply(const op_case *c)
{
	graph *g = graph_new("g");
	uint8_t x[4], y[4];

	bits_to_bytes(c->from, c->x, x);
	bits_to_bytes(c->from, c->y, y);
	graph_const(g, "x", c->from, 1, 1, x);
	if (isa_ops[c->op].arity == 2) {
		graph_const(g, "y", c->from, 1, 1, y);
		graph_binary(g, "z", c->op, c->to, 0, 1);
	} else {
		graph_unary(g, "z", c->op, c->to, 0);
	}
	return evaluate(g);
}

/* Operations that some row below covers. */
static bool covered[ISA_OP_COUNT];

static void check(const op_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t z = apply(&cases[i]);

		covered[cases[i].op] = true;

		CU_ASSERT_EQUAL(z, cases[i].z);
		if (z != cases[i].z)
			tap_note("row %zu: %s(%08x, %08x) = %08x, expected %08x", i, isa_ops[cases[i].op].mnemonic,
			         cases[i].x, cases[i].y, z, cases[i].z);
	}
}

#define F16 ISA_TYPE_F16
#define F32 ISA_TYPE_F32
#define I8  ISA_TYPE_I8
#define I16 ISA_TYPE_I16
#define I32 ISA_TYPE_I32

static void floating_specials(void)
{
	static const op_case cases[] = {
		/* +0 is greater than -0, NaN wins */
		{ISA_OP_MAX, F32, F32, 0x80000000, 0x00000000, 0x00000000},
		{ISA_OP_MAX, F32, F32, 0x00000000, 0x80000000, 0x00000000},
		{ISA_OP_MIN, F32, F32, 0x80000000, 0x00000000, 0x80000000},
		{ISA_OP_MIN, F32, F32, 0x00000000, 0x80000000, 0x80000000},
		{ISA_OP_MAX, F16, F16, 0x7E00, 0x3C00, 0x7E00},
		{ISA_OP_MIN, F16, F16, 0x3C00, 0x7E00, 0x7E00},
		{ISA_OP_RELU, F16, F16, 0x8000, 0, 0x0000},
		{ISA_OP_RELU, F16, F16, 0xBC00, 0, 0x0000},
		{ISA_OP_RELU, F16, F16, 0x7E00, 0, 0x7E00},
		{ISA_OP_ABS, F16, F16, 0x8001, 0, 0x0001},
		{ISA_OP_NEG, F16, F16, 0x0000, 0, 0x8000},
		{ISA_OP_NEG, F32, F32, 0x7FC00000, 0, 0x7FC00000}, /* NaN has no sign */
		{ISA_OP_COPY, F16, F32, 0x0001, 0, 0x33800000},    /* the least denormal is 2^-24 */
		{ISA_OP_ADD, F16, F16, 0x7C00, 0xFC00, 0x7E00},
		{ISA_OP_ADD, F16, F16, 0x7BFF, 0x7BFF, 0x7C00}, /* 65504 twice: infinity */
		{ISA_OP_ADD, F16, F32, 0x7BFF, 0x7BFF, 0x47FFE000},
		{ISA_OP_SUB, F16, F16, 0x3C00, 0x3C00, 0x0000},
		{ISA_OP_MUL, F16, F16, 0x0001, 0x3800, 0x0000}, /* half the least denormal: tie to even, 0 */
		{ISA_OP_MUL, F16, F16, 0x0003, 0x3800, 0x0002}, /* 1.5 units: tie to even, 2 */
		{ISA_OP_MUL, F32, F32, 0x7F800000, 0x80000000, 0x7FC00000},
		{ISA_OP_EQ, F16, F16, 0x0000, 0x8000, 0x3C00}, /* +0 equals -0: 1.0 */
		{ISA_OP_EQ, F16, F16, 0x7E00, 0x7E00, 0x0000},
		{ISA_OP_LT, F16, F16, 0x8000, 0x0000, 0x0000},
		{ISA_OP_LT, F32, F32, 0xBF800000, 0x00000000, 0x3F800000},
		{ISA_OP_LT, F32, F32, 0x7FC00000, 0x00000000, 0x00000000},
		{ISA_OP_MASK, F16, F16, 0x4000, 0x8000, 0x0000}, /* -0 is zero */
		{ISA_OP_MASK, F16, F16, 0x4000, 0x7E00, 0x4000}, /* NaN is not */
		{ISA_OP_MASK_BAR, F16, F16, 0x4000, 0x8000, 0x4000},
		{ISA_OP_MASK_BAR, F16, F16, 0x4000, 0x0001, 0x0000},
	};

	check(cases, G_N_ELEMENTS(cases));
}

/* e^0 = 1; e^-inf = 0; e^1 = 2.718281828 = 0x402DF854 in fp32, 0x4170 in fp16; 1/sqrt(4) = 0.5; the poles. */
static void transcendentals(void)
{
	static const op_case cases[] = {
		{ISA_OP_EXP, F32, F32, 0x00000000, 0, 0x3F800000},
		{ISA_OP_EXP, F32, F32, 0xFF800000, 0, 0x00000000},
		{ISA_OP_EXP, F32, F32, 0x3F800000, 0, 0x402DF854},
		{ISA_OP_EXP, F16, F16, 0x3C00, 0, 0x4170},
		{ISA_OP_EXP, F16, F16, 0x7C00, 0, 0x7C00},
		{ISA_OP_TANH, F32, F32, 0x80000000, 0, 0x80000000},
		{ISA_OP_TANH, F32, F32, 0x7F800000, 0, 0x3F800000},
		{ISA_OP_RSQRT, F32, F32, 0x40800000, 0, 0x3F000000},
		{ISA_OP_RSQRT, F32, F32, 0x80000000, 0, 0xFF800000},
		{ISA_OP_RSQRT, F32, F32, 0xBF800000, 0, 0x7FC00000},
	};

	check(cases, G_N_ELEMENTS(cases));
}

static void integers_wrap_or_saturate(void)
{
	static const op_case cases[] = {
		{ISA_OP_ADD, I8, I8, 0x7F, 0x01, 0x80},
		{ISA_OP_ADD_SAT, I8, I8, 0x7F, 0x01, 0x7F},
		{ISA_OP_SUB, I16, I16, 0x8000, 0x0001, 0x7FFF},
		{ISA_OP_SUB_SAT, I16, I16, 0x8000, 0x0001, 0x8000},
		{ISA_OP_MUL, I32, I32, 0x00010000, 0x00010000, 0},
		{ISA_OP_MUL_SAT, I32, I32, 0x00010000, 0x00010000, 0x7FFFFFFF},
		{ISA_OP_MUL_SAT, I32, I32, 0x80000000, 0x00000002, 0x80000000},
		{ISA_OP_MUL, I8, I8, 0x80, 0x80, 0x00}, /* 16384 */
		{ISA_OP_NEG, I8, I8, 0x80, 0, 0x80},
		{ISA_OP_ABS, I32, I32, 0x80000000, 0, 0x80000000},
		{ISA_OP_RELU, I16, I16, 0xFFFF, 0, 0x0000},
		{ISA_OP_NOT, I16, I16, 0x00FF, 0, 0xFF00},
		{ISA_OP_MAX, I8, I8, 0xFF, 0x01, 0x01},
		{ISA_OP_MIN, I8, I8, 0xFF, 0x01, 0xFF},
		{ISA_OP_EQ, I32, I32, 7, 7, 1},
		{ISA_OP_LT, I8, I8, 0x80, 0x7F, 1},
		{ISA_OP_AND, I8, I8, 0xCC, 0xAA, 0x88},
		{ISA_OP_OR, I8, I8, 0xCC, 0xAA, 0xEE},
		{ISA_OP_XOR, I8, I8, 0xCC, 0xAA, 0x66},
		{ISA_OP_SHL, I8, I8, 0x81, 0x01, 0x02},
		{ISA_OP_SHL, I8, I8, 0x81, 0x09, 0x02},               /* 9 modulo 8 */
		{ISA_OP_SHL, I16, I16, 0x0001, 0xFFFF, 0x8000},       /* -1 modulo 16 = 15 */
		{ISA_OP_SHR, I16, I16, 0x8000, 0x0004, 0xF800},       /* arithmetic */
		{ISA_OP_SHR, I32, I32, 0x80000000, 0x3F, 0xFFFFFFFF}, /* 63 modulo 32 = 31 */
		{ISA_OP_MASK, I8, I8, 0x55, 0x80, 0x55},
		{ISA_OP_MASK_BAR, I8, I8, 0x55, 0x80, 0x00},
	};

	check(cases, G_N_ELEMENTS(cases));
}

static void conversions_round_to_even_and_saturate(void)
{
	static const op_case cases[] = {
		{ISA_OP_CVT, F32, I32, 0x40200000, 0, 2},          /* 2.5 */
		{ISA_OP_CVT, F32, I32, 0x40600000, 0, 4},          /* 3.5 */
		{ISA_OP_CVT, F32, I8, 0xC3008000, 0, 0x80},        /* -128.5: tie to -128 */
		{ISA_OP_CVT, F32, I8, 0x43000000, 0, 0x7F},        /* 128 */
		{ISA_OP_CVT, F32, I32, 0x4F000000, 0, 0x7FFFFFFF}, /* 2^31 */
		{ISA_OP_CVT, F32, I32, 0xFF800000, 0, 0x80000000}, /* -inf */
		{ISA_OP_CVT, F32, I16, 0x7FC00000, 0, 0},          /* NaN */
		{ISA_OP_CVT, F16, I8, 0x57F0, 0, 0x7F},            /* 127 */
		{ISA_OP_CVT, I32, F32, 0x01000001, 0, 0x4B800000}, /* 2^24 + 1: tie to 2^24 */
		{ISA_OP_CVT, I32, F16, 2049, 0, 0x6800},           /* tie to 2048 */
		{ISA_OP_CVT, I32, F16, 65520, 0, 0x7C00},          /* half beyond the greatest: infinity */
		{ISA_OP_CVT, I32, F16, 65519, 0, 0x7BFF},
		{ISA_OP_CVT, I32, F16, 4097, 0, 0x6C00},       /* 4096 */
		{ISA_OP_CVT, F32, F16, 0x477FF000, 0, 0x7C00}, /* 65520 */
		{ISA_OP_CVT, F32, F16, 0x33000000, 0, 0x0000}, /* 2^-25: tie to 0 */
		{ISA_OP_CVT, F32, F16, 0x33000001, 0, 0x0001},
		{ISA_OP_CVT, I32, I8, 300, 0, 0x7F},
		{ISA_OP_CVT, I32, I16, 0xFFFF0000, 0, 0x8000},
		{ISA_OP_CVT, I8, I32, 0x80, 0, 0xFFFFFF80},
		{ISA_OP_CVT, F16, F32, 0xFC00, 0, 0xFF800000},
	};

	check(cases, G_N_ELEMENTS(cases));
}

/* An operation on fp32 is rounded to fp32 before it is narrowed.  (1 + 2^-11) exactly lies halfway between the fp16
 * numbers 1 and 1 + 2^-10; 1 + 2^-11 + 2^-30 lies above, but fp32 drops the 2^-30: tie to even, 1. */
static void narrowing_rounds_the_fp32_result(void)
{
	static const op_case c = {ISA_OP_ADD, F32, F16, 0x3F801000, 0x30800000, 0x3C00};

	check(&c, 1);
}

/* 0.1 is no fp16 number: an immediate keeps its fp32 bits.  1 * 0.1 in fp32 is 0x3DCCCCCD; fp16(0.1) would give
 * 0x3DCCC000. */
static void immediates_are_fp32(void)
{
	graph *g = graph_new("g");
	const uint16_t one = 0x3C00;

	graph_const(g, "x", F16, 1, 1, &one);
	graph_binary_imm(g, "z", ISA_OP_MUL, F32, 0, 0x3DCCCCCD);
	CU_ASSERT_EQUAL(evaluate(g), 0x3DCCCCCD);
	g = graph_new("g");
	graph_const(g, "x", I16, 1, 1, &one);
	graph_binary_imm(g, "z", ISA_OP_SUB, I16, 0, (uint32_t)-2);
	CU_ASSERT_EQUAL(evaluate(g), 0x3C02);
}

/* Rows 1 and 2 of x minus the only row of y, and the other way round. */
static void a_single_row_is_repeated(void)
{
	static const int8_t x[] = {10, 20, 30, 40}, y[] = {1, 2};
	static const int8_t expected[2][4] = {{9, 18, 29, 38}, {-9, -18, -29, -38}};

	for (unsigned i = 0; i < 2; i++) {
		graph *g = graph_new("g");
		g_autofree uint8_t **values = g_new0(uint8_t *, 3);
		uint32_t a = graph_const(g, "x", I8, 2, 2, x), b = graph_const(g, "y", I8, 1, 2, y);

		graph_mark_output(g, graph_binary(g, "z", ISA_OP_SUB, I8, i ? b : a, i ? a : b));
		CU_ASSERT_TRUE_FATAL(graph_verify(g, NULL) && graph_evaluate(g, values, NULL));
		CU_ASSERT_EQUAL(memcmp(values[2], expected[i], 4), 0);
		g_free(values[2]);
		graph_free(g);
	}
}

/* Runs last: a new vector operation must get a row above. */
static void all_vector_operations_are_covered(void)
{
	for (unsigned i = 0; i < ISA_OP_COUNT; i++) {
		bool missing = isa_ops[i].unit == ISA_UNIT_VXM && !covered[i];

		CU_ASSERT_FALSE(missing);
		if (missing)
			tap_note("%s has no row", isa_ops[i].mnemonic);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"floating_specials", floating_specials},
		{"transcendentals", transcendentals},
		{"integers_wrap_or_saturate", integers_wrap_or_saturate},
		{"conversions_round_to_even_and_saturate", conversions_round_to_even_and_saturate},
		{"narrowing_rounds_the_fp32_result", narrowing_rounds_the_fp32_result},
		{"immediates_are_fp32", immediates_are_fp32},
		{"a_single_row_is_repeated", a_single_row_is_repeated},
		{"all_vector_operations_are_covered", all_vector_operations_are_covered},
	};

	return tap_run("reference_ops", cases, G_N_ELEMENTS(cases));
}
