/* SPDX-License-Identifier: Apache-2.0
 *
 * Values: every vector operation on every type it takes, on special and random operands, every lane movement, and
 * matrix products on special numbers, run by the oracle and by the models: micro_run() compares what they leave in
 * memory, byte by byte.  A few results are asserted besides, derived by hand.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#include "isa/rng.h"

#include <string.h>

static const char *const type_names[ISA_TYPE_COUNT] = {"int8", "int16", "int32", "fp16", "fp32"};

/* Bit patterns worth trying first, per type: zeros of both signs, ones, least and greatest, infinities, NaN, denormals,
 * and numbers half way between two integers or two fp16 numbers. */
static const uint32_t specials[ISA_TYPE_COUNT][16] = {
	{0, 1, 0xff, 0x7f, 0x80, 0x81, 2, 0xfe, 7, 8, 9, 0x40, 0xc0, 3, 5, 100},
	{0, 1, 0xffff, 0x7fff, 0x8000, 0x8001, 127, 128, 0xff80, 0xff7f, 15, 16, 17, 255, 256, 2049},
	{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 127, 128, 65504, 65520, 31, 32, 33, 16777217, 2147483520,
         2049},
	{0, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 1, 0x8001, 0x03ff, 0x3800, 0x3e00,
         0x57f4},
	{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
         1, 0x80000001, 0x3f000000, 0x40200000, 0x477ff000, 0x33000000},
};

/* 320 elements of TYPE in hexadecimal: all pairs of specials (X: the slow index, else the fast one), the rest random.
 */
static char *vector(rng *r, int type, bool x)
{
	GString *text = g_string_new(NULL);
	unsigned bytes = isa_type_bytes((enum isa_type)type);

	for (unsigned i = 0; i < 320; i++) {
		uint32_t bits = i < 256 ? specials[type][x ? i / 16 : i % 16] : (uint32_t)rng_next(r);

		for (unsigned b = 0; b < bytes; b++)
			g_string_append_printf(text, "%02x", bits >> (8 * b) & 0xff);
	}
	return g_string_free(text, FALSE);
}

/* z = OP x, y on 320 lanes of TYPE, converted to DTYPE; x at 0, y at 2048, z at 4096. */
static micro *run_op(const isa_op_info *op, int type, int dtype, const char *x, const char *y)
{
	unsigned in = 320 * isa_type_bytes((enum isa_type)type), out = 320 * isa_type_bytes((enum isa_type)dtype);
	g_autofree char *text = g_strdup_printf(".epoch \"e\" start=0\n.image 0 %u\n.hex %s\n.image 2048 %u\n.hex %s\n"
	                                        "@0 mem0: load r0 addr=0 len=%u\n@2 mem1: load r2 addr=2048 len=%u\n"
	                                        "@8 vxm0: %s r4, r0%s type=%s dtype=%s lanes=320\n"
	                                        "@30 mem0: store r4 addr=4096 len=%u\n",
	                                        in, x, in, y, in, in, op->mnemonic, op->arity == 2 ? ", r2" : "",
	                                        type_names[type], type_names[dtype], out);

	return micro_run("tsp", text);
}

static bool takes(const isa_op_info *op, int type)
{
	bool is_float = type >= ISA_TYPE_F16;

	return op->types == ISA_TYPES_INT ? !is_float : op->types != ISA_TYPES_FLOAT || is_float;
}

static bool gives(const isa_op_info *op, int type, int dtype)
{
	return type == dtype || op->types == ISA_TYPES_CVT || (type >= ISA_TYPE_F16 && dtype >= ISA_TYPE_F16);
}

static void every_vector_operation_on_every_type(void)
{
	unsigned programs = 0;
	rng r;

	rng_seed(&r, 1, 0);
	for (int op = 0; op < ISA_OP_COUNT; op++)
		for (int type = 0; type < ISA_TYPE_COUNT && isa_ops[op].unit == ISA_UNIT_VXM; type++)
			for (int dtype = 0; dtype < ISA_TYPE_COUNT && takes(&isa_ops[op], type); dtype++) {
				g_autofree char *x = vector(&r, type, true);
				g_autofree char *y = vector(&r, type, false);
				g_autoptr(micro) m = NULL;

				if (!gives(&isa_ops[op], type, dtype))
					continue;
				m = run_op(&isa_ops[op], type, dtype, x, y);
				CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
				if (m->differences)
					tap_note("%s %s to %s", isa_ops[op].mnemonic, type_names[type],
					         type_names[dtype]);
				programs++;
			}
	CU_ASSERT_TRUE(programs > 100);
}

/* One lane: the result's bits in hexadecimal, low byte first. */
static char *one(const char *op, const char *x, const char *y, const char *type, const char *dtype)
{
	g_autofree char *text =
		g_strdup_printf(".epoch \"e\" start=0\n.image 0 4\n.hex %s\n.image 16 4\n.hex %s\n"
	                        "@0 mem0: load r0 addr=0 len=4\n@0 mem1: load r1 addr=16 len=4\n"
	                        "@4 vxm0: %s r2, r0%s type=%s dtype=%s lanes=1\n@20 mem0: store r2 addr=64 len=4\n",
	                        x, *y ? y : "00000000", op, *y ? ", r1" : "", type, dtype);
	g_autoptr(micro) m = micro_run("tsp", text);

	return micro_memory(m, 64, 4);
}

static void results_known_by_hand(void)
{
	static const struct {
		const char *op, *x, *y, *type, *dtype, *z;
	} rows[] = {
		{"add", "7f000000", "01000000", "int8", "int8", "80000000"},     /* 127 + 1 wraps to -128 */
		{"add_sat", "7f000000", "01000000", "int8", "int8", "7f000000"}, /* and saturates at 127 */
		{"mul", "00010000", "00010000", "int16", "int16", "00000000"},   /* 256 * 256 = 2^16 */
		{"mul_sat", "00010000", "00010000", "int16", "int16", "ff7f0000"},
		{"neg", "00000080", "", "int32", "int32", "00000080"},        /* -(-2^31) wraps */
		{"shl", "01000000", "09000000", "int8", "int8", "02000000"},  /* 9 modulo 8 */
		{"shr", "80000000", "01000000", "int8", "int8", "c0000000"},  /* arithmetic */
		{"cvt", "00002040", "", "fp32", "int8", "02000000"},          /* 2.5 to even */
		{"cvt", "00006040", "", "fp32", "int8", "04000000"},          /* 3.5 to even */
		{"cvt", "00004844", "", "fp32", "int8", "7f000000"},          /* 801 saturates */
		{"cvt", "0000c07f", "", "fp32", "int32", "00000000"},         /* NaN to 0 */
		{"cvt", "00f07f47", "", "fp32", "fp16", "007c0000"},          /* 65520 is half way to 2^16: infinity */
		{"cvt", "ffef7f47", "", "fp32", "fp16", "ff7b0000"},          /* just below it: 65504 */
		{"cvt", "00000033", "", "fp32", "fp16", "00000000"},          /* 2^-25, half the least fp16: to even */
		{"cvt", "01000033", "", "fp32", "fp16", "01000000"},          /* a bit above */
		{"max", "00000080", "00000000", "fp32", "fp32", "00000000"},  /* +0 over -0 */
		{"min", "00000000", "00000080", "fp32", "fp32", "00000080"},  /* -0 over +0 */
		{"max", "0000803f", "0100807f", "fp32", "fp32", "0000c07f"},  /* NaN wins, canonical */
		{"relu", "00000080", "", "fp32", "fp32", "00000000"},         /* max(0, -0) */
		{"eq", "00000080", "00000000", "fp32", "fp32", "0000803f"},   /* -0 equals 0 */
		{"lt", "0000c07f", "0000803f", "fp32", "fp32", "00000000"},   /* NaN is less than nothing */
		{"mask", "00004040", "00000080", "fp32", "fp32", "00000000"}, /* -0 is zero */
		{"mask_bar", "00004040", "00000080", "fp32", "fp32", "00004040"},
		{"exp", "00000000", "", "fp32", "fp32", "0000803f"},   /* e^0 = 1 */
		{"exp", "0000803f", "", "fp32", "fp32", "54f82d40"},   /* e = 2.7182818 = 0x402df854 */
		{"rsqrt", "00008040", "", "fp32", "fp32", "0000003f"}, /* 1/2 */
		{"rsqrt", "00000080", "", "fp32", "fp32", "000080ff"}, /* -inf at -0 */
		{"rsqrt", "000080bf", "", "fp32", "fp32", "0000c07f"},
		{"tanh", "0000807f", "", "fp32", "fp32", "0000803f"},
		{"add", "ff7b0000", "00500000", "fp16", "fp16", "007c0000"}, /* 65504 + 32 is above the last half way */
		{"add", "ff7b0000", "004b0000", "fp16", "fp16", "ff7b0000"}, /* 65504 + 14 is below it */
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *z = one(rows[i].op, rows[i].x, rows[i].y, rows[i].type, rows[i].dtype);

		if (strcmp(z, rows[i].z))
			tap_note("%s %s %s: %s", rows[i].op, rows[i].x, rows[i].y, z);
		CU_ASSERT_STRING_EQUAL(z, rows[i].z);
	}
}

/* OP of a vector whose byte i is i (modulo 256), by lane: the first bytes of the result. */
static char *moved(const char *queue, const char *op, unsigned bytes)
{
	GString *data = g_string_new(NULL);
	g_autofree char *text = NULL, *hex = NULL;
	g_autoptr(micro) m = NULL;

	for (unsigned i = 0; i < 640; i++)
		g_string_append_printf(data, "%02x", i & 0xff);
	hex = g_string_free(data, FALSE);
	text = g_strdup_printf(".map 0: 319-0\n.map 1: 0*4 none*12 16-319\n.map 2: 0 1*319\n.epoch \"e\" start=0\n"
	                       ".image 0 640\n.hex %s\n"
	                       "@0 mem0: load r0 addr=0 len=640 x16 every 1 rot.dst=1\n"
	                       "@16 mem1: load r1 addr=16 len=320\n"
	                       "@25 sxm.%s0: %s\n@60 mem0: store r20 addr=1024 len=%u\n",
	                       hex, queue, op, bytes);
	m = micro_run("tsp", text);
	return micro_memory(m, 1024, 20);
}

static void lanes_move_where_the_operation_says(void)
{
	static const struct {
		const char *queue, *op, *result;
	} rows[] = {
		/* Lane i goes to i + 2; zeros enter. */
		{"shift", "shift r20, r0 distance=2 type=int8", "0000000102030405060708090a0b0c0d0e0f1011"},
		{"shift", "shift r20, r0 distance=-2 type=int8", "02030405060708090a0b0c0d0e0f101112131415"},
		{"shift", "shift r20, r0 distance=1 type=fp16", "0000000102030405060708090a0b0c0d0e0f1011"},
		/* Inside 16 lanes. */
		{"rotate", "rotate r20, r0 distance=1 type=int8", "0f000102030405060708090a0b0c0d0e1f101112"},
		{"rotate", "rotate r20, r0 distance=-1 type=int8", "0102030405060708090a0b0c0d0e0f0011121314"},
		/* Lane 0 shows lane 319 = 0x13f. */
		{"permute", "permute r20, r0 map=0 type=int8", "3f3e3d3c3b3a393837363534333231302f2e2d2c"},
		{"distribute", "distribute r20, r0 map=1 type=int8", "0000000000000000000000000000000010111213"},
		/* Lane 0 from r0, the others from r1, which holds bytes from 16 on. */
		{"select", "select r20, r0, r1 map=2 type=int8", "001112131415161718191a1b1c1d1e1f20212223"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *result = moved(rows[i].queue, rows[i].op, 320);

		CU_ASSERT_STRING_EQUAL(result, rows[i].result);
	}
}

static void transposition_turns_rows_into_lanes(void)
{
	/* Row k of 16 is the vector from byte 16 k on; result row 0 shows, in each superlane, lane 0 of every row. */
	GString *data = g_string_new(NULL);
	g_autofree char *text = NULL, *hex = NULL, *result = NULL;
	g_autoptr(micro) m = NULL;

	for (unsigned i = 0; i < 640; i++)
		g_string_append_printf(data, "%02x", i & 0xff);
	hex = g_string_free(data, FALSE);
	text = g_strdup_printf(".epoch \"e\" start=0\n.image 0 640\n.hex %s\n"
	                       "@0 mem0: load r0 addr=0 len=320 x16 every 1 step 16 rot.dst=1\n"
	                       "@25 sxm.transpose0: transpose r20, r0\n@40 mem0: store r21 addr=1024 len=320\n",
	                       hex);
	m = micro_run("tsp", text);
	/* r21 is row 1: lane j of the first superlane is byte 1 of row j = 16 j + 1. */
	result = micro_memory(m, 1024, 18);
	CU_ASSERT_STRING_EQUAL(result, "01112131415161718191a1b1c1d1e1f11121");
}

/* A product of ROWS weight rows and one activation, random fp16 bits, a quarter of them special. */
static void random_fp16_products_agree(void)
{
	rng r;

	rng_seed(&r, 2, 0);
	for (unsigned round = 0; round < 6; round++) {
		unsigned rows = round < 3 ? 320 : 161 + round;
		GString *text = g_string_new(".epoch \"e\" start=0\n");
		g_autofree char *owned = NULL;
		g_autoptr(micro) m = NULL;

		for (unsigned row = 0; row <= rows; row++) {
			g_string_append_printf(text, ".image %u 640\n.hex ", row * 640);
			for (unsigned lane = 0; lane < 320; lane++) {
				uint32_t bits = (uint32_t)rng_next(&r) & (round ? 0xffff : 0xbfff);

				/* In round 0 all are finite and below 2; later ones have infinities and NaN. */
				if (rng_below(&r, 4) == 0)
					bits = specials[ISA_TYPE_F16][rng_below(&r, round ? 16 : 4)];
				g_string_append_printf(text, "%02x%02x", bits & 0xff, bits >> 8);
			}
			g_string_append_c(text, '\n');
		}
		g_string_append_printf(text,
		                       "@0 mem0: load wt.0 addr=0 len=640 x%u every 1 step 640\n"
		                       "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320 x%u every 1 step 1\n"
		                       "@400 mxm0.w: iw count=%u type=fp16\n@400 mem0: load act.1 addr=%u len=640\n"
		                       "@404 mxm0.a: abc act.1 addr=0 type=fp16 lanes=%u\n"
		                       "@406 mxm0.a: abc act.1 addr=0 mode=add type=fp16 lanes=%u\n"
		                       "@419 mxm0.c: acc r0 addr=0 type=fp16 lanes=320\n"
		                       "@460 mem0: store r0 addr=300000 len=1280\n",
		                       rows, rows, rows, rows * 640, rows, rows);
		owned = g_string_free(text, FALSE);
		m = micro_run("tsp", owned);
		CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(every_vector_operation_on_every_type), CASE(results_known_by_hand),
		CASE(lanes_move_where_the_operation_says),  CASE(transposition_turns_rows_into_lanes),
		CASE(random_fp16_products_agree),
	};

	return tap_run("values", cases, G_N_ELEMENTS(cases));
}
