/* SPDX-License-Identifier: Apache-2.0
 *
 * The cube unit of ascend-910b: steps of 16 x 16 x (16 fp16, 32 int8, 4 fp32) a cycle; 2 cycles more until the next
 * mmad, 24 more until the result is complete.
 */
#include <math.h>
#include <string.h>

#include "isa/num.h"
#include "tests/lib/tap.h"
#include "tests/unit/asc_rig.h"

static asc_exec run(rig *r, enum asc_type type, int64_t m, int64_t n, int64_t k, int64_t start)
{
	asc_insn insn = rig_insn(ASC_OP_MMAD, NULL);

	rig_set(&insn, "type", type);
	rig_set(&insn, "m", m);
	rig_set(&insn, "n", n);
	rig_set(&insn, "k", k);
	return rig_run(r, 0, &insn, start);
}

/* Measured: 16 x 16 x 16 alone 24.98, 16 x 16 x 2048 alone 150.98 (128 steps + 24 = 152, 0.7 % more). */
static void mmad_alone_is_complete_24_cycles_after_its_steps(void)
{
	rig *r = rig_new("ascend-910b", 1, false);

	CU_ASSERT_EQUAL(run(r, ASC_F16, 16, 16, 16, 100).done, 125);
	CU_ASSERT_EQUAL(run(r, ASC_F16, 16, 16, 2048, 1000).done, 1152);
	rig_free(r);
}

/* Measured: 32 x 16 x 256, one after another, 34.07 each: 2 x 1 x 16 steps + 2. */
static void mmads_follow_one_another_2_cycles_after_the_steps(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	int64_t at = 0;

	for (unsigned i = 0; i < 100; i++)
		at = run(r, ASC_F16, 32, 16, 256, at).free;
	CU_ASSERT_EQUAL(at, 3400);
	/* The guide's example: 128 x 256 x 64 are 512 steps. */
	CU_ASSERT_EQUAL(run(r, ASC_F16, 128, 256, 64, 10000).free, 10000 + 512 + 2);
	rig_free(r);
}

static void types_change_the_depth_of_a_step(void)
{
	rig *r = rig_new("ascend-910b", 1, false);

	/* 8 x 8 blocks, k = 128: 8 steps of fp16, 4 of int8, 32 of fp32. */
	CU_ASSERT_EQUAL(run(r, ASC_F16, 128, 128, 128, 0).free, 512 + 2);
	CU_ASSERT_EQUAL(run(r, ASC_BF16, 128, 128, 128, 1000).free, 1000 + 512 + 2);
	CU_ASSERT_EQUAL(run(r, ASC_I8, 128, 128, 128, 2000).free, 2000 + 256 + 2);
	CU_ASSERT_EQUAL(run(r, ASC_F32, 128, 128, 128, 3000).free, 3000 + 2048 + 2);
	rig_free(r);
}

/* ceil(17 / 16) ceil(1 / 16) ceil(33 / 16) = 2 x 1 x 3; no rows, no work. */
static void edges_count_as_whole_steps_and_nothing_as_none(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_exec x = run(r, ASC_F16, 17, 1, 33, 0);

	CU_ASSERT_EQUAL(x.free, 6 + 2);
	CU_ASSERT_EQUAL(x.work, 17 * 33);
	x = run(r, ASC_F16, 0, 16, 16, 100);
	CU_ASSERT_EQUAL(x.done, 101);
	rig_free(r);
}

/* Operands element by element at the addresses of the fractal layouts, written out here a second time. */
static uint64_t zz(uint64_t row, uint64_t k, uint64_t depth, uint64_t c0)
{
	return ((row / 16) * ((depth + c0 - 1) / c0) + k / c0) * 512 + (row % 16 * c0 + k % c0) * (32 / c0);
}

static uint64_t zn(uint64_t k, uint64_t column, uint64_t columns, uint64_t c0)
{
	return ((k / c0) * ((columns + 15) / 16) + column / 16) * 512 + (column % 16 * c0 + k % c0) * (32 / c0);
}

static uint64_t nz(uint64_t row, uint64_t column, uint64_t rows)
{
	return ((column / 16) * ((rows + 15) / 16) + row / 16) * 1024 + (row % 16 * 16 + column % 16) * 4;
}

static float get_f32(rig *r, enum asc_space space, uint64_t at)
{
	float f;

	memcpy(&f, rig_bytes(r, space, at), sizeof(f));
	return f;
}

static void put_f16(rig *r, enum asc_space space, uint64_t at, float f)
{
	num_f16 h = num_f32_to_f16(f);

	memcpy(rig_bytes(r, space, at), &h, sizeof(h));
}

static float small(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return num_f16_to_f32(num_f32_to_f16((float)(int32_t)(*seed >> 12) / 524288.0F - 1.0F));
}

enum { M = 37, K = 70, N = 21 };
static float a_of[M][K], b_of[K][N];

static void fill_f16(rig *r)
{
	uint32_t seed = 7;

	for (uint64_t i = 0; i < M; i++)
		for (uint64_t k = 0; k < K; k++)
			put_f16(r, ASC_L0A, zz(i, k, K, 16), a_of[i][k] = small(&seed));
	for (uint64_t k = 0; k < K; k++)
		for (uint64_t j = 0; j < N; j++)
			put_f16(r, ASC_L0B, zn(k, j, N, 16), b_of[k][j] = small(&seed));
}

/* fp32 in k order, each product exact, from the value INIT gives. */
static float expected(uint64_t i, uint64_t j, float from)
{
	for (uint64_t k = 0; k < K; k++)
		from += a_of[i][k] * b_of[k][j];
	return from;
}

static void fp16_products_are_summed_in_fp32_in_k_order(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_MMAD, "m=37", "k=70", "n=21", "init=1", NULL);
	unsigned wrong = 0;

	fill_f16(r);
	rig_run(r, 0, &insn, 0);
	for (uint64_t i = 0; i < M; i++)
		for (uint64_t j = 0; j < N; j++)
			wrong += get_f32(r, ASC_L0C, nz(i, j, M)) != expected(i, j, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	/* Accumulate: the same sum goes on from what is there. */
	rig_set(&insn, "init", 0);
	rig_run(r, 0, &insn, 1000);
	for (uint64_t i = 0; i < M; i++)
		for (uint64_t j = 0; j < N; j++)
			wrong += get_f32(r, ASC_L0C, nz(i, j, M)) != expected(i, j, expected(i, j, 0));
	CU_ASSERT_EQUAL(wrong, 0);
	/* Nothing beyond m and n: row 37 and column 21 of their blocks. */
	CU_ASSERT_EQUAL(get_f32(r, ASC_L0C, nz(37, 0, M)), 0);
	CU_ASSERT_EQUAL(get_f32(r, ASC_L0C, nz(0, 21, M)), 0);
	rig_free(r);
}

static void bias_is_where_the_sum_of_its_column_begins(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_MMAD, "m=37", "k=70", "n=21", "init=2", "bias=128", NULL);
	unsigned wrong = 0;

	fill_f16(r);
	for (uint64_t j = 0; j < N; j++) {
		float f = (float)j * 0.25F - 2;

		memcpy(rig_bytes(r, ASC_BT, 128 + 4 * j), &f, sizeof(f));
	}
	rig_run(r, 0, &insn, 0);
	for (uint64_t i = 0; i < M; i++)
		for (uint64_t j = 0; j < N; j++)
			wrong += get_f32(r, ASC_L0C, nz(i, j, M)) != expected(i, j, (float)j * 0.25F - 2);
	CU_ASSERT_EQUAL(wrong, 0);
	rig_free(r);
}

static void int8_sums_are_exact_and_wrap(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_MMAD, "m=17", "k=40", "n=18", NULL);
	int32_t got, top = INT32_MAX;

	rig_set(&insn, "type", ASC_I8);
	for (uint64_t i = 0; i < 17; i++)
		for (uint64_t k = 0; k < 40; k++)
			*(int8_t *)rig_bytes(r, ASC_L0A, zz(i, k, 40, 32)) = (int8_t)(i * 7 + k * 3 - 60);
	for (uint64_t k = 0; k < 40; k++)
		for (uint64_t j = 0; j < 18; j++)
			*(int8_t *)rig_bytes(r, ASC_L0B, zn(k, j, 18, 32)) = (int8_t)(90 - k * 5 + j);
	rig_run(r, 0, &insn, 0);
	for (uint64_t i = 0; i < 17; i++)
		for (uint64_t j = 0; j < 18; j++) {
			int32_t want = 0;

			for (uint64_t k = 0; k < 40; k++)
				want += (int8_t)(i * 7 + k * 3 - 60) * (int8_t)(90 - k * 5 + j);
			memcpy(&got, rig_bytes(r, ASC_L0C, nz(i, j, 17)), sizeof(got));
			CU_ASSERT_EQUAL(got, want);
		}
	/* INT32_MAX + 1 x 1. */
	memset(rig_bytes(r, ASC_L0A, 0), 0, 512);
	*rig_bytes(r, ASC_L0A, 0) = 1;
	*rig_bytes(r, ASC_L0B, 0) = 1;
	memcpy(rig_bytes(r, ASC_L0C, 0), &top, sizeof(top));
	insn = rig_insn(ASC_OP_MMAD, "m=1", "k=1", "n=1", "init=0", NULL);
	rig_set(&insn, "type", ASC_I8);
	rig_run(r, 0, &insn, 1000);
	memcpy(&got, rig_bytes(r, ASC_L0C, 0), sizeof(got));
	CU_ASSERT_EQUAL(got, INT32_MIN);
	rig_free(r);
}

/* (1 + 2^-23)^2 - (1 + 2^-22): a product rounded first would give 0, fused it leaves 2^-46. */
static void fp32_products_are_fused(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_MMAD, "m=1", "k=1", "n=1", "init=0", NULL);
	float x = 1 + 0x1p-23F, c = -(1 + 0x1p-22F);

	rig_set(&insn, "type", ASC_F32);
	memcpy(rig_bytes(r, ASC_L0A, 0), &x, sizeof(x));
	memcpy(rig_bytes(r, ASC_L0B, 0), &x, sizeof(x));
	memcpy(rig_bytes(r, ASC_L0C, 0), &c, sizeof(c));
	rig_run(r, 0, &insn, 0);
	CU_ASSERT_EQUAL(get_f32(r, ASC_L0C, 0), 0x1p-46F);
	rig_free(r);
}

static asc_exec fix(rig *r, int64_t start)
{
	/* 64 x 64 fp32 sums to fp16 in L1. */
	asc_insn insn = rig_insn(ASC_OP_FIX_L1, "m=64", "n=64", "src_stride=64", "dst_pitch=64", "quant=1", "nz2nd=0",
	                         "unit_flag=3", NULL);

	rig_set(&insn, "type", ASC_F32);
	rig_set(&insn, "dtype", ASC_F16);
	return rig_run(r, 0, &insn, start);
}

/* mmad 64 x 64 x 256: 16 blocks of 16 steps, from cycle 0; the first block is marked at 16 + 24 = 40, the last at
 * 256 + 24 = 280.  The copy moves 128 B (64 sums) a cycle, 64 cycles in all: it starts at 0 and waits for the marks;
 * the last block's 16 rows of 32 B leave in the 4 cycles after 280. */
static void a_copy_out_follows_the_marks_of_its_units(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn mmad = rig_insn(ASC_OP_MMAD, "m=64", "n=64", "k=256", "unit_flag=3", NULL);
	asc_exec x = {.insn = &mmad}, out;
	asc_insn insn = rig_insn(ASC_OP_FIX_L1, "m=64", "n=64", "src_stride=64", "unit_flag=3", NULL);
	asc_exec f = {.insn = &insn};

	memcpy(x.f, mmad.f, sizeof(x.f));
	memcpy(f.f, insn.f, sizeof(f.f));
	CU_ASSERT_TRUE(asc_cube_unit_ready(r->cube[0], &x));
	CU_ASSERT_FALSE(asc_cube_unit_ready(r->cube[0], &f));
	CU_ASSERT_EQUAL(rig_run(r, 0, &mmad, 0).done, 256 + 24);
	CU_ASSERT_TRUE(asc_cube_unit_ready(r->cube[0], &f));
	CU_ASSERT_FALSE(asc_cube_unit_ready(r->cube[0], &x));
	out = fix(r, 0);
	CU_ASSERT_EQUAL(out.free, 284);
	CU_ASSERT(out.stall[ASC_STALL_FLAG] > 0);
	CU_ASSERT_TRUE(asc_cube_unit_ready(r->cube[0], &x));
	CU_ASSERT_FALSE(asc_cube_unit_ready(r->cube[0], &f));
	rig_free(r);
}

/* The next mmad into the same block may start when the copy has drained the first unit; without unit flags it would
 * wait for all of it. */
static void an_mmad_stands_still_before_a_unit_that_is_not_drained(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn mmad = rig_insn(ASC_OP_MMAD, "m=64", "n=64", "k=16", "unit_flag=3", NULL);
	asc_exec first = rig_run(r, 0, &mmad, 0), out, next;

	/* 16 blocks of one step: marked from 25 to 40; the copy from 100 to 164 drains unit u of 32 at 100 + 2 (u + 1).
	 */
	CU_ASSERT_EQUAL(first.done, 40);
	out = fix(r, 100);
	CU_ASSERT_EQUAL(out.free, 164);
	/* Block b is written from start + b + 24 on and its second unit drained at 100 + 4 (b + 1): the last, b = 15,
	 * needs start + 39 >= 164.  From 100: 25 cycles of standing still. */
	next = rig_run(r, 0, &mmad, 100);
	CU_ASSERT_EQUAL(next.stall[ASC_STALL_FLAG], 25);
	CU_ASSERT_EQUAL(next.done, 100 + 25 + 16 + 24);
	rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"mmad_alone_is_complete_24_cycles_after_its_steps", mmad_alone_is_complete_24_cycles_after_its_steps},
		{"mmads_follow_one_another_2_cycles_after_the_steps",
	         mmads_follow_one_another_2_cycles_after_the_steps},
		{"types_change_the_depth_of_a_step", types_change_the_depth_of_a_step},
		{"edges_count_as_whole_steps_and_nothing_as_none", edges_count_as_whole_steps_and_nothing_as_none},
		{"fp16_products_are_summed_in_fp32_in_k_order", fp16_products_are_summed_in_fp32_in_k_order},
		{"bias_is_where_the_sum_of_its_column_begins", bias_is_where_the_sum_of_its_column_begins},
		{"int8_sums_are_exact_and_wrap", int8_sums_are_exact_and_wrap},
		{"fp32_products_are_fused", fp32_products_are_fused},
		{"a_copy_out_follows_the_marks_of_its_units", a_copy_out_follows_the_marks_of_its_units},
		{"an_mmad_stands_still_before_a_unit_that_is_not_drained",
	         an_mmad_stands_still_before_a_unit_that_is_not_drained},
	};

	return tap_run("asc_cube", cases, G_N_ELEMENTS(cases));
}
