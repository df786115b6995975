/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of vector instructions: numbers by hand, then every lane-by-lane instruction with random masks, strides,
 * repeats and counts against a second implementation that addresses bytes directly and computes in integers and long
 * double.
 */
#include "isa/num.h"
#include "isa/rng.h"
#include "models/ascend/ub.h"
#include "models/ascend/vector.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { BYTES = 196608 - 256, F16 = ASC_F16, F32 = ASC_F32, BF16 = ASC_BF16 };

struct asc_data {
	uint8_t at[BYTES];
};
static struct asc_data ub;

uint8_t *asc_data_at(asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes)
{
	if (space != ASC_UB || bytes > BYTES || address > BYTES - bytes)
		return NULL;
	return data->at + address;
}

static asc_machine *machine(void)
{
	static asc_machine *m;

	if (!m) {
		GError *error = NULL;

		m = asc_machine_load("ascend-910b", &error);
		if (!m || !asc_machine_finish(m, &error))
			g_error("%s", error->message);
	}
	return m;
}

static void execute(asc_exec *x)
{
	asc_ub *banks = asc_ub_new(machine());
	asc_vector *v = asc_vector_new(machine(), banks, &ub);

	asc_vector_execute(v, x);
	asc_vector_free(v);
	asc_ub_free(banks);
}

static asc_exec make(asc_insn *insn, enum asc_op op, const char *name, ...) G_GNUC_NULL_TERMINATED;
static asc_exec make(asc_insn *insn, enum asc_op op, const char *name, ...)
{
	asc_exec x = {.insn = insn, .info = asc_op(op), .mask = {UINT64_MAX, UINT64_MAX}};
	va_list list;

	*insn = asc_insn_make(op);
	va_start(list, name);
	for (; name; name = va_arg(list, const char *)) {
		int field = asc_field_by_name(op, name);

		if (field < 0)
			g_error("%s", name);
		insn->f[field] = va_arg(list, int);
	}
	va_end(list);
	memcpy(x.f, insn->f, sizeof x.f);
	return x;
}

static uint64_t get(uint64_t at, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, ub.at + at, bytes);
	return v;
}
static void put(uint64_t at, uint64_t v, unsigned bytes)
{
	memcpy(ub.at + at, &v, bytes);
}
static void put_f32(uint64_t at, float f)
{
	put(at, num_f32_bits(f), 4);
}
static float get_f32(uint64_t at)
{
	return num_bits_f32((uint32_t)get(at, 4));
}

/* Where results go in the tests by hand. */
enum { TO = 0x10000, A = 0, B = 0x8000, IDX = 0xc000 };

static uint64_t unary(enum asc_op op, int type, uint64_t bits)
{
	asc_insn insn;
	asc_exec x = make(&insn, op, "type", type, "src", A, "dst", TO, NULL);
	unsigned bytes = asc_type_bytes((enum asc_type)type);

	put(A, bits, bytes);
	x.mask[0] = 1;
	x.mask[1] = 0;
	execute(&x);
	return get(TO, bytes);
}

static uint64_t binary(enum asc_op op, int type, uint64_t a, uint64_t b)
{
	asc_insn insn;
	asc_exec x = make(&insn, op, "type", type, "src0", A, "src1", B, "dst", TO, NULL);
	unsigned bytes = asc_type_bytes((enum asc_type)type);

	put(A, a, bytes);
	put(B, b, bytes);
	x.mask[0] = 1;
	x.mask[1] = 0;
	execute(&x);
	return get(TO, bytes);
}

static uint64_t convert(int type, int dtype, int mode, uint64_t bits)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VCONV, "type", type, "dtype", dtype, "src", A, "dst", TO, "round", mode, NULL);

	put(A, bits, asc_type_bytes((enum asc_type)type));
	x.mask[0] = 1;
	x.mask[1] = 0;
	execute(&x);
	return get(TO, asc_type_bytes((enum asc_type)dtype));
}

static void floating_results_are_rounded_once(void)
{
	/* fp16: 0x3c00 = 1, 0x1000 = 2^-11: a tie, to even; with 0x1001 above the tie */
	CU_ASSERT_EQUAL(binary(ASC_OP_VADD, F16, 0x3c00, 0x1000), 0x3c00);
	CU_ASSERT_EQUAL(binary(ASC_OP_VADD, F16, 0x3c00, 0x1001), 0x3c01);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMUL, F16, 0x7bff, 0x7bff), 0x7c00); /* overflow */
	CU_ASSERT_EQUAL(binary(ASC_OP_VMUL, F16, 0x0001, 0x3800), 0x0000); /* half the least denormal: tie to 0 */
	CU_ASSERT_EQUAL(binary(ASC_OP_VDIV, F16, 0x3c00, 0x0000), 0x7c00);
	CU_ASSERT_EQUAL(binary(ASC_OP_VDIV, F16, 0x0000, 0x0000), 0x7e00);
	CU_ASSERT_EQUAL(binary(ASC_OP_VSUB, F32, 0x7f800000, 0x7f800000), 0x7fc00000);
	CU_ASSERT_EQUAL(binary(ASC_OP_VADD, BF16, 0x3f80, 0x3b80), 0x3f80); /* 1 + 2^-8: a tie */
	CU_ASSERT_EQUAL(unary(ASC_OP_VREC, F32, num_f32_bits(3)), num_f32_bits(1.0f / 3));
	CU_ASSERT_EQUAL(unary(ASC_OP_VRSQRT, F32, num_f32_bits(4)), num_f32_bits(0.5f));
	CU_ASSERT_EQUAL(unary(ASC_OP_VSQRT, F16, 0x4400), 0x4000); /* sqrt 4 */
	CU_ASSERT_EQUAL(unary(ASC_OP_VEXP, F32, 0), num_f32_bits(1));
	CU_ASSERT_EQUAL(unary(ASC_OP_VLN, F32, num_f32_bits(1)), 0);
	CU_ASSERT_EQUAL(unary(ASC_OP_VRELU, F16, 0xbc00), 0);
	CU_ASSERT_EQUAL(unary(ASC_OP_VABS, F16, 0xbc00), 0x3c00);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMAX, F16, 0x7e01, 0x3c00), 0x7e00);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMAX, F16, 0x8000, 0x0000), 0x0000);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMIN, F16, 0x8000, 0x0000), 0x8000);
}

static void integers_wrap(void)
{
	CU_ASSERT_EQUAL(binary(ASC_OP_VADD, ASC_I16, 0x7fff, 1), 0x8000);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMUL, ASC_I32, 0x10001, 0x10001), 0x00020001);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMAX, ASC_I16, 0xffff, 0), 0);
	CU_ASSERT_EQUAL(binary(ASC_OP_VMAX, ASC_U16, 0xffff, 0), 0xffff);
	CU_ASSERT_EQUAL(binary(ASC_OP_VAND, ASC_I16, 0xff0f, 0x0fff), 0x0f0f);
	CU_ASSERT_EQUAL(unary(ASC_OP_VNOT, ASC_I16, 0x00ff), 0xff00);
	CU_ASSERT_EQUAL(unary(ASC_OP_VABS, ASC_I16, 0x8000), 0x8000);
}

/* Modes: 0 none, 1 to even, 2 floor, 3 ceil, 4 half away, 5 to zero, 6 to odd. */
static void conversions_round_as_asked_and_saturate(void)
{
	static const int64_t of_two_and_half[7] = {2, 2, 2, 3, 3, 2, 3}, of_minus[7] = {-2, -2, -3, -2, -3, -2, -3};
	/* 1 + 2^-11 (0x3f801000 in fp32) lies half way between 0x3c00 and 0x3c01 */
	static const uint64_t of_tie[7] = {0x3c00, 0x3c00, 0x3c00, 0x3c01, 0x3c01, 0x3c00, 0x3c01};

	for (int mode = 0; mode < 7; mode++) {
		CU_ASSERT_EQUAL((int32_t)convert(F32, ASC_I32, mode, num_f32_bits(2.5f)), of_two_and_half[mode]);
		CU_ASSERT_EQUAL((int32_t)convert(F32, ASC_I32, mode, num_f32_bits(-2.5f)), of_minus[mode]);
		CU_ASSERT_EQUAL(convert(F32, F16, mode, 0x3f801000), of_tie[mode]);
	}
	CU_ASSERT_EQUAL(convert(F32, F16, 1, num_f32_bits(65520)), 0x7c00); /* half way to 65536 */
	CU_ASSERT_EQUAL(convert(F32, F16, 5, num_f32_bits(1e9f)), 0x7bff);
	CU_ASSERT_EQUAL(convert(F32, F16, 3, num_f32_bits(-1e9f)), 0xfbff);
	CU_ASSERT_EQUAL(convert(F32, F16, 2, num_f32_bits(-1e9f)), 0xfc00);
	CU_ASSERT_EQUAL(convert(F32, F16, 1, num_f32_bits(0x1p-25f)), 0); /* tie with half the least denormal */
	CU_ASSERT_EQUAL(convert(F32, F16, 3, num_f32_bits(0x1p-30f)), 1);
	CU_ASSERT_EQUAL(convert(F32, ASC_I32, 1, num_f32_bits(3e9f)), 0x7fffffff);
	CU_ASSERT_EQUAL(convert(F32, ASC_I16, 1, num_f32_bits(-1e6f)), 0x8000);
	CU_ASSERT_EQUAL(convert(F32, ASC_U8, 1, num_f32_bits(-1)), 0);
	CU_ASSERT_EQUAL(convert(F16, ASC_U8, 1, 0x7c00), 255);
	CU_ASSERT_EQUAL(convert(F32, ASC_I32, 1, 0x7fc00000), 0);
	CU_ASSERT_EQUAL(convert(ASC_I32, F32, 1, 0x01000001), num_f32_bits(16777216)); /* 2^24 + 1 */
	CU_ASSERT_EQUAL(convert(ASC_I32, F32, 6, 0x01000001), 0x4b800001);
	CU_ASSERT_EQUAL(convert(ASC_I32, ASC_I16, 1, 70000), 0x7fff);
	CU_ASSERT_EQUAL(convert(F32, BF16, 1, 0x3f808000), 0x3f80);
	CU_ASSERT_EQUAL(convert(BF16, F32, 1, 0xc000), 0xc0000000);
}

static void product_and_sum_of_mla_are_rounded_once(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VMLA, "type", F32, "src0", A, "src1", B, "dst", TO, NULL);

	/* (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, lost when the product is rounded first */
	put(A, 0x3f800001, 4);
	put(B, 0x3f800001, 4);
	put(TO, 0xbf800002, 4);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 4), num_f32_bits(0x1p-46f));
}

static void lanes_that_are_off_keep_their_values(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VADDS, "type", F32, "src", A, "dst", TO, "scalar", (int)num_f32_bits(1),
	                  "repeat", 2, NULL);

	memset(&ub, 0, sizeof ub);
	x.mask[0] = 0x8000000000000005;
	execute(&x);
	for (unsigned i = 0; i < 128; i++)
		CU_ASSERT_EQUAL(get_f32(TO + 4 * i), (i % 64 == 0 || i % 64 == 2 || i % 64 == 63) ? 1.0f : 0.0f);
	memset(&ub, 0, sizeof ub);
	x.counter_mode = true;
	x.mask[0] = 70; /* one repeat and six lanes; repeat= is not looked at */
	execute(&x);
	for (unsigned i = 0; i < 128; i++)
		CU_ASSERT_EQUAL(get_f32(TO + 4 * i), i < 70 ? 1.0f : 0.0f);
}

static void strides_lead_where_they_say(void)
{
	asc_insn insn;
	/* copy: block b of repeat r from b x 2 + r x 20 to b x 3 + r x 40 blocks */
	asc_exec x = make(&insn, ASC_OP_VCOPY, "type", ASC_I32, "src", A, "dst", TO, "repeat", 3, "src_blk", 2,
	                  "src_rep", 20, "dst_blk", 3, "dst_rep", 40, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 2048; i++)
		put(A + 4 * i, i + 1, 4);
	execute(&x);
	for (unsigned r = 0; r < 3; r++)
		for (unsigned b = 0; b < 8; b++)
			for (unsigned e = 0; e < 8; e++)
				CU_ASSERT_EQUAL(get(TO + 32 * (b * 3 + r * 40) + 4 * e, 4),
				                8 * (b * 2 + r * 20) + e + 1);
	CU_ASSERT_EQUAL(get(TO + 32, 4), 0);
}

static void block_stride_zero_broadcasts_and_repeat_stride_zero_accumulates(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VADD, "type", ASC_I32, "src0", A, "src1", TO, "dst", TO, "repeat", 4,
	                  "src0_blk", 0, "src0_rep", 1, "dst_rep", 0, "src1_rep", 0, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 32; i++)
		put(A + 4 * i, i, 4);
	execute(&x);
	/* lane e of every block: e + (8 + e) + (16 + e) + (24 + e) = 48 + 4 e */
	for (unsigned i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(get(TO + 4 * i, 4), 48 + 4 * (i % 8));
}

static void sums_add_neighbours_pairwise(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VCADD, "type", F16, "src", A, "dst", TO, "repeat", 2, NULL);

	memset(&ub, 0, sizeof ub);
	/* 2048 + 1 is a tie and stays 2048 in fp16; 1 + 1 first, then 2048 + 2 is exact: (2048 + 1) + (1 + 1) = 2050 */
	put(A, 0x6800, 2);
	for (unsigned i = 1; i < 4; i++)
		put(A + 2 * i, 0x3c00, 2);
	put(A + 256, 0x3c00, 2);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 2), 0x6801); /* 2050 */
	CU_ASSERT_EQUAL(get(TO + 2, 2), 0x3c00);
	/* absent lanes: 2048 meets 1 + 1 at the second level */
	x.mask[0] = 0xd;
	x.mask[1] = 0;
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 2), 0x6801);
	/* blocks */
	for (unsigned i = 0; i < 128; i++)
		put(A + 2 * i, 0x3c00, 2);
	x = make(&insn, ASC_OP_VCGADD, "type", F16, "src", A, "dst", TO, NULL);
	execute(&x);
	for (unsigned i = 0; i < 8; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), 0x4c00); /* 16 */
	/* pairs: 64 results, in 128 bytes */
	x = make(&insn, ASC_OP_VCPADD, "type", F16, "src", A, "dst", TO, NULL);
	execute(&x);
	for (unsigned i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), 0x4000);
}

static void extremes_give_the_first_of_equals_and_its_lane(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VCMAX, "type", F32, "src", A, "dst", TO, "repeat", 2, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 128; i++)
		put_f32(A + 4 * i, (float)(i % 7));
	execute(&x);
	CU_ASSERT_EQUAL(get_f32(TO), 6);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 6);
	CU_ASSERT_EQUAL(get(TO + 12, 4), 5); /* lane 64 is 64 mod 7 = 1: 6 is five lanes on */
	x.mask[0] = ~(uint64_t)0x40;
	execute(&x);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 13);
	x = make(&insn, ASC_OP_VCGMIN, "type", F32, "src", A, "dst", TO, NULL);
	execute(&x);
	for (unsigned b = 0; b < 8; b++)
		CU_ASSERT_EQUAL(get_f32(TO + 4 * b), 0); /* eight in a row hold a multiple of seven */
}

/* As in max and min: also a later NaN is the extreme of either kind, +0 is above -0, and what comes out is canonical.
 */
static void a_nan_is_the_extreme_wherever_it_stands(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VCMAX, "type", F32, "src", A, "dst", TO, NULL);

	memset(&ub, 0, sizeof ub);
	put(A + 4 * 9, 0xffa00001, 4);
	put(A + 4 * 20, 0x7fc00000, 4);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 4), 0x7fc00000);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 9);
	x = make(&insn, ASC_OP_VCMIN, "type", F32, "src", A, "dst", TO, NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 4), 0x7fc00000);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 9);
	put(A + 4 * 9, 0x80000000, 4); /* -0, the smallest */
	put(A + 4 * 20, 0, 4);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 4), 0x80000000);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 9);
	/* A lane alone in its sum. */
	put(A, 0xffa00001, 4);
	x = make(&insn, ASC_OP_VCPADD, "type", F32, "src", A, "dst", TO, NULL);
	x.mask[0] = 1;
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 4), 0x7fc00000);
}

/* A scalar is the bits of the type: of 0x101 a shift of int8 sees 1, of -1 it sees 255. */
static void shifts_take_the_low_bits_of_the_scalar(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VSHL, "type", (int)ASC_I8, "src", A, "dst", TO, "scalar", 0x101, NULL);

	memset(&ub, 0, sizeof ub);
	put(A, 3, 1);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 1), 6);
	x = make(&insn, ASC_OP_VSHL, "type", (int)ASC_I8, "src", A, "dst", TO, "scalar", -1, NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO, 1), 0);
}

/* With comparisons that NaN is never part of, the order of 3, NaN, 1, 2 would hang on the algorithm. */
static void sorting_puts_nan_before_all_numbers(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VSORT32, "type", F32, "src0", A, "src1", IDX, "dst", TO, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 32; i++) {
		put_f32(A + 4 * i, (float)i);
		put(IDX + 4 * i, i, 4);
	}
	put(A + 4 * 5, 0xffa00001, 4);
	put(A + 4 * 30, 0x7fc00000, 4);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO + 4, 4), 5);
	CU_ASSERT_EQUAL(get(TO + 8 + 4, 4), 30);
	CU_ASSERT_EQUAL(get(TO + 16 + 4, 4), 31);
	CU_ASSERT_EQUAL(get(TO + 8 * 31 + 4, 4), 0);
}

static void compare_and_select_work_by_bits(void)
{
	static const unsigned holds[6] = {1, 4, 2, 3, 6, 5}; /* less, greater, equal, le, ge, ne: bit 0 <, 1 =, 2 > */
	asc_insn insn;

	for (int cond = 0; cond < 6; cond++) {
		asc_exec x = make(&insn, ASC_OP_VCMP, "type", F32, "cond", cond, "src0", A, "src1", B, "dst", TO,
		                  "repeat", 2, NULL);

		memset(&ub, 0, sizeof ub);
		for (unsigned i = 0; i < 128; i++) {
			put_f32(A + 4 * i, (float)(i % 3));
			put_f32(B + 4 * i, 1);
		}
		put(A + 4 * 100, 0x7fc00000, 4); /* NaN: not equal, nothing else */
		execute(&x);
		for (unsigned i = 0; i < 128; i++)
			CU_ASSERT_EQUAL(get(TO + i / 8, 1) >> i % 8 & 1,
			                i == 100 ? cond == 5 : holds[cond] >> i % 3 & 1);
	}
	{
		asc_exec x = make(&insn, ASC_OP_VSEL, "type", F32, "mask", IDX, "src0", A, "src1", B, "dst", TO,
		                  "repeat", 2, NULL);

		put(IDX, 0x5555555555555555, 8);
		put(IDX + 8, 0, 8);
		execute(&x);
		for (unsigned i = 0; i < 128; i++)
			CU_ASSERT_EQUAL(get(TO + 4 * i, 4), get((i < 64 && i % 2 == 0 ? A : B) + 4 * i, 4));
	}
}

static void movers_move(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VTRANS, "type", F16, "src", A, "dst", TO, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 256; i++)
		put(A + 2 * i, i, 2);
	execute(&x);
	for (unsigned i = 0; i < 256; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), i % 16 * 16 + i / 16);
	x = make(&insn, ASC_OP_VBRCB, "type", F16, "src", A, "dst", TO, "repeat", 2, NULL);
	execute(&x);
	for (unsigned i = 0; i < 256; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), i / 16);
	/* gather: element i from i x 6 bytes behind the base, in elements 3 i + 4 */
	for (unsigned i = 0; i < 128; i++)
		put(IDX + 4 * i, i < 80 ? 6 * i : 0, 4);
	x = make(&insn, ASC_OP_VGATHER, "type", F16, "offsets", IDX, "base", A + 8, "dst", TO, NULL);
	execute(&x);
	for (unsigned i = 0; i < 80; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), 3 * i + 4);
	for (unsigned i = 0; i < 8; i++)
		put(IDX + 4 * i, 32 * (7 - i), 4);
	x = make(&insn, ASC_OP_VGATHERB, "type", F16, "offsets", IDX, "base", A, "dst", TO, NULL);
	execute(&x);
	for (unsigned i = 0; i < 128; i++)
		CU_ASSERT_EQUAL(get(TO + 2 * i, 2), (7 - i / 16) * 16 + i % 16);
	x = make(&insn, ASC_OP_VDUP, "type", ASC_I16, "scalar", -2, "dst", TO, "repeat", 1, NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(TO + 254, 2), 0xfffe);
}

/* 64 elements of fp32 a repeat, element i of the source is i. */
static void picked_elements_lie_one_behind_the_other(void)
{
	asc_insn insn;
	asc_exec x;

	for (unsigned i = 0; i < 128; i++) {
		put(0x1000 + 4 * i, i, 4);
		put(0x3000 + 4 * i, 0xffff, 4);
	}
	/* Pattern 5: the third of every four, 16 a repeat; the second repeat goes on behind the first. */
	x = make(&insn, ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "pattern", 5, "repeat", 2,
	         NULL);
	execute(&x);
	for (unsigned i = 0; i < 32; i++)
		CU_ASSERT_EQUAL(get(0x3000 + 4 * i, 4), 4 * i + 2);
	CU_ASSERT_EQUAL(get(0x3000 + 4 * 32, 4), 0xffff);
	/* Patterns 1 and 2: the first and second of every two. */
	x = make(&insn, ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "pattern", 1, NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(0x3000 + 4 * 31, 4), 62);
	x = make(&insn, ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "pattern", 2, NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(0x3000 + 4 * 31, 4), 63);
	/* Bits of src1, 8 bytes of a block each repeat: elements 1 and 63 of the first, 0 of the second. */
	put(0x2000, 0x8000000000000002, 8);
	put(0x2020, 1, 8);
	x = make(&insn, ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "src1", 0x2000, "repeat", 2,
	         NULL);
	execute(&x);
	CU_ASSERT_EQUAL(get(0x3000, 4), 1);
	CU_ASSERT_EQUAL(get(0x3004, 4), 63);
	CU_ASSERT_EQUAL(get(0x3008, 4), 64);
	CU_ASSERT_EQUAL(get(0x300c, 4), 6 + 1);
}

static void sorting_is_stable_and_merging_keeps_the_order_of_lists(void)
{
	asc_insn insn;
	asc_exec x = make(&insn, ASC_OP_VSORT32, "type", F32, "src0", A, "src1", IDX, "dst", TO, "repeat", 4, NULL);

	memset(&ub, 0, sizeof ub);
	for (unsigned i = 0; i < 128; i++) {
		put_f32(A + 4 * i, (float)(i * 5 % 8));
		put(IDX + 4 * i, i, 4);
	}
	execute(&x);
	/* in each 32 every value 7 .. 0 four times, indices ascending: value v at 8 k + (v x 5 mod 8), as 5 x 5 = 1 mod
	 * 8 */
	for (unsigned i = 0; i < 32; i++) {
		unsigned v = 7 - i / 4;

		CU_ASSERT_EQUAL(get_f32(TO + 8 * i), (float)v);
		CU_ASSERT_EQUAL(get(TO + 8 * i + 4, 4), i % 4 * 8 + v * 5 % 8);
	}
	x = make(&insn, ASC_OP_VMRGSORT, "type", F32, "src", TO, "dst", 0x20000, NULL);
	execute(&x);
	for (unsigned i = 0; i < 128; i++) {
		unsigned v = 7 - i / 16;

		CU_ASSERT_EQUAL(get_f32(0x20000 + 8 * i), (float)v);
		CU_ASSERT_EQUAL(get(0x20000 + 8 * i + 4, 4), i % 16 * 8 + v * 5 % 8);
	}
}

/* ---- random, against bytes and long double ---- */

static long double wide(uint64_t bits, enum asc_type type)
{
	switch (type) {
	case ASC_F16:
		return num_f16_to_f32((num_f16)bits);
	case ASC_F32:
		return num_bits_f32((uint32_t)bits);
	case ASC_I16:
		return (int16_t)bits;
	default:
		return (int32_t)bits;
	}
}

static uint64_t narrow(long double z, enum asc_type type)
{
	if (type == ASC_F32)
		return isnan(z) ? 0x7fc00000 : num_f32_bits((float)z);
	if (type == ASC_F16)
		return isnan(z) ? 0x7e00 : num_f64_to_f16((double)z);
	/* sums and products of two integers of 32 bits are exact in 64 bits of mantissa */
	return (uint64_t)(int64_t)z & (type == ASC_I16 ? 0xffff : 0xffffffff);
}

static long double of_op(enum asc_op op, long double a, long double b, long double s)
{
	switch (op) {
	case ASC_OP_VADD:
		return a + b;
	case ASC_OP_VSUB:
		return a - b;
	case ASC_OP_VMUL:
		return a * b;
	case ASC_OP_VMAX:
		return a > b ? a : b;
	case ASC_OP_VMIN:
		return a < b ? a : b;
	case ASC_OP_VADDS:
		return a + s;
	case ASC_OP_VMULS:
		return a * s;
	case ASC_OP_VRELU:
		return a > 0 ? a : 0;
	default:
		return a < 0 ? -a : a; /* VABS */
	}
}

static int64_t field(const asc_exec *x, const char *name)
{
	int i = asc_field_by_name((enum asc_op)x->insn->op, name);

	return i < 0 ? -1 : x->f[i];
}

static void set_field(asc_exec *x, const char *name, int64_t v)
{
	int i = asc_field_by_name((enum asc_op)x->insn->op, name);

	if (i >= 0)
		x->f[i] = v;
}

static void reference(const asc_exec *x, uint8_t *m)
{
	enum asc_op op = (enum asc_op)x->insn->op;
	enum asc_type type = (enum asc_type)field(x, "type");
	unsigned size = asc_type_bytes(type), lanes = 256 / size;
	bool two = field(x, "src0") >= 0;
	uint64_t total = x->counter_mode ? x->mask[0] : (uint64_t)field(x, "repeat") * lanes;
	uint8_t *old = g_malloc(BYTES);

	for (uint64_t e = 0; e < total; e++) {
		uint64_t r = e / lanes, i = e % lanes, block = i * size / 32, in = i * size % 32, a = 0, b = 0, z;
		const char *src = two ? "src0" : "src";
		const char *blk = two ? "src0_blk" : "src_blk", *rep = two ? "src0_rep" : "src_rep";

		if (i == 0)
			memcpy(old, m, BYTES); /* a repeat reads what stood before it */
		if (!x->counter_mode && !(x->mask[i / 64] >> i % 64 & 1))
			continue;
		memcpy(&a,
		       old + field(x, src) +
		               32 * (int64_t)(block * (uint64_t)field(x, blk) + r * (uint64_t)field(x, rep)) + in,
		       size);
		if (two)
			memcpy(&b,
			       old + field(x, "src1") +
			               32 * (int64_t)(block * (uint64_t)field(x, "src1_blk") +
			                              r * (uint64_t)field(x, "src1_rep")) +
			               in,
			       size);
		z = narrow(of_op(op, wide(a, type), wide(b, type), wide((uint64_t)field(x, "scalar"), type)), type);
		memcpy(m + field(x, "dst") +
		               32 * (int64_t)(block * (uint64_t)field(x, "dst_blk") +
		                              r * (uint64_t)field(x, "dst_rep")) +
		               in,
		       &z, size);
	}
	g_free(old);
}

static uint64_t random_bits(rng *r, enum asc_type type)
{
	if (type == ASC_F32)
		return num_f32_bits((float)((rng_unit(r) - 0.5) * 1000));
	if (type == ASC_F16)
		return num_f64_to_f16((rng_unit(r) - 0.5) * 200);
	return rng_next(r) & (type == ASC_I16 ? 0xffff : 0xffffffff);
}

static void random_instructions_equal_the_reference(void)
{
	static const enum asc_op ops[] = {ASC_OP_VADD,  ASC_OP_VSUB,  ASC_OP_VMUL,  ASC_OP_VMAX, ASC_OP_VMIN,
	                                  ASC_OP_VADDS, ASC_OP_VMULS, ASC_OP_VRELU, ASC_OP_VABS};
	static const enum asc_type types[] = {ASC_F32, ASC_F16, ASC_I16, ASC_I32};
	uint8_t *expected = g_malloc(BYTES);
	unsigned differences = 0;
	rng r;

	rng_seed(&r, 7, 0);
	for (unsigned n = 0; n < 300; n++) {
		asc_insn insn = asc_insn_make(ops[rng_below(&r, G_N_ELEMENTS(ops))]);
		asc_exec x = {.insn = &insn, .info = asc_op((enum asc_op)insn.op)};
		enum asc_type type = types[rng_below(&r, 4)];

		memcpy(x.f, insn.f, sizeof x.f);
		for (unsigned i = 0; i < BYTES; i += asc_type_bytes(type))
			put(i, random_bits(&r, type), asc_type_bytes(type));
		set_field(&x, "type", type);
		set_field(&x, "scalar", (int64_t)random_bits(&r, type));
		set_field(&x, "repeat", (int64_t)rng_below(&r, 9));
		for (unsigned k = 0; k < 4; k++) {
			static const char *const at[] = {"dst", "src", "src0", "src1"};
			static const char *const blk[] = {"dst_blk", "src_blk", "src0_blk", "src1_blk"};
			static const char *const rep[] = {"dst_rep", "src_rep", "src0_rep", "src1_rep"};

			set_field(&x, at[k], 32 * (int64_t)rng_below(&r, 1024));
			set_field(&x, blk[k], (int64_t)rng_below(&r, 4) + (k == 0));
			set_field(&x, rep[k], (int64_t)rng_below(&r, 40));
		}
		x.counter_mode = rng_below(&r, 3) == 0;
		x.mask[0] = x.counter_mode ? rng_below(&r, 1000) : rng_next(&r);
		x.mask[1] = rng_next(&r);
		memcpy(expected, ub.at, BYTES);
		reference(&x, expected);
		execute(&x);
		if (memcmp(expected, ub.at, BYTES) && !differences++)
			tap_note("instruction %u: %s, type %d", n, x.info->mnemonic, (int)type);
	}
	CU_ASSERT_EQUAL(differences, 0);
	g_free(expected);
}

int main(void)
{
	static const tap_case cases[] = {
		{"floating_results_are_rounded_once", floating_results_are_rounded_once},
		{"integers_wrap", integers_wrap},
		{"conversions_round_as_asked_and_saturate", conversions_round_as_asked_and_saturate},
		{"product_and_sum_of_mla_are_rounded_once", product_and_sum_of_mla_are_rounded_once},
		{"lanes_that_are_off_keep_their_values", lanes_that_are_off_keep_their_values},
		{"strides_lead_where_they_say", strides_lead_where_they_say},
		{"block_stride_zero_broadcasts_and_repeat_stride_zero_accumulates",
	         block_stride_zero_broadcasts_and_repeat_stride_zero_accumulates},
		{"sums_add_neighbours_pairwise", sums_add_neighbours_pairwise},
		{"extremes_give_the_first_of_equals_and_its_lane", extremes_give_the_first_of_equals_and_its_lane},
		{"a_nan_is_the_extreme_wherever_it_stands", a_nan_is_the_extreme_wherever_it_stands},
		{"shifts_take_the_low_bits_of_the_scalar", shifts_take_the_low_bits_of_the_scalar},
		{"sorting_puts_nan_before_all_numbers", sorting_puts_nan_before_all_numbers},
		{"compare_and_select_work_by_bits", compare_and_select_work_by_bits},
		{"movers_move", movers_move},
		{"picked_elements_lie_one_behind_the_other", picked_elements_lie_one_behind_the_other},
		{"sorting_is_stable_and_merging_keeps_the_order_of_lists",
	         sorting_is_stable_and_merging_keeps_the_order_of_lists},
		{"random_instructions_equal_the_reference", random_instructions_equal_the_reference},
	};

	return tap_run("asc_vector_math", cases, G_N_ELEMENTS(cases));
}
