/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of fp16 matrices with the tilings and orders of their sources.
 *
 * "ahead" is asc-devkit,
 * examples/01_simd_cpp_api/04_best_practices/01_matrix_compute/matmul_basic_api_high_performance/ mmad.asc: the first
 * copies of a block, then after each product whose buffer has become free the next copy, B first; unit flags on the way
 * out.  Without it: pto-isa, kernels/manual/a2a3/gemm_performance/gemm_performance_kernel.cpp: a copy where the first
 * product needs it, A first; the way out waits for the block, the next block for the way out.  The Matmul library's
 * kernels (Norm: one basic block a copy; MDL: step_a, step_b of them) are written in the second form; their published
 * code is not in this order in every detail.
 *
 * One copy into L1 is nd2nz.  A goes into L0A by one load3d, B into L0B by load2d of 16 rows of depth each.  Two
 * buffers of L0A and L0B, one of L0C.  Scalar work of a source's loops is not published; here it is addresses only.
 */
#include "tests/validation/valid.h"

enum { ELEMENT_BYTES = 2, SUM_BYTES = 4, FRACTAL = 16, FRACTAL_BYTES = 512, C0_BYTES = 32, L0_HALF = 32768 };
/* Registers: bases of the block's rows of A, columns of B, result; a copy's address; counters. */
enum { BASE_A = 1, BASE_B, BASE_C, ADDRESS, ROW_BLOCK, COLUMN_BLOCK };
/* Flags of L1's buffers: A from 0, B from FLAG_B on. */
enum { FLAG_B = 4 };

typedef struct block {
	const valid_gemm *g;
	const valid_gemm *places; /* whose blocks the buffers of L1 are for */
	asc_stream *s;
	unsigned next_a, next_b; /* chunks copied so far in this block */
	unsigned *l0;            /* products so far */
} block;

static int64_t chunk_bytes(const valid_gemm *g, bool b)
{
	return (int64_t)(b ? g->base_n * g->step_b : g->base_m * g->step_a) * g->base_k * ELEMENT_BYTES;
}

static int64_t l1_place(const valid_gemm *g, bool b, unsigned buffer)
{
	return (b ? chunk_bytes(g, false) * g->buffers : 0) + chunk_bytes(g, b) * buffer;
}

static int64_t rows_of(const valid_gemm *g)
{
	return g->rows ? g->rows : g->base_m;
}

static void copy_in(block *k, bool b)
{
	const valid_gemm *g = k->g;
	unsigned *next = b ? &k->next_b : &k->next_a, buffer = *next % g->buffers, flag = buffer + (b ? FLAG_B : 0);
	int64_t depth = (int64_t)g->base_k * (b ? g->step_b : g->step_a), start = depth * *next;
	bool along = !b || g->b_is_n_by_k; /* depth runs along a row of memory */

	valid_wait(k->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, flag);
	if (b && g->b_is_nz) {
		valid_addi(k->s, ADDRESS, BASE_B, start * C0_BYTES);
		PUT(k->s, GM_TO_L1, VN("dst", l1_place(k->places, b, buffer)), VR("src", ADDRESS),
		    VN("bursts", g->base_n / FRACTAL), VN("burst_bytes", depth * C0_BYTES),
		    VN("src_gap", (g->k - depth) * C0_BYTES));
	} else {
		valid_addi(k->s, ADDRESS, b ? BASE_B : BASE_A, (along ? start : start * g->n) * ELEMENT_BYTES);
		PUT(k->s, ND2NZ, VN("type", ASC_F16), VN("dst", l1_place(k->places, b, buffer)), VR("src", ADDRESS),
		    VN("nd", 1), VN("n", along ? (b ? g->base_n : rows_of(g)) : depth),
		    VN("d", along ? depth : g->base_n), VN("src_pitch", along ? g->k : g->n),
		    VN("dst_c0_stride", along ? (b ? g->base_n : g->base_m) : depth));
	}
	valid_set(k->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, flag);
	(*next)++;
}

static void load_a(const block *k, unsigned step)
{
	const valid_gemm *g = k->g;
	int64_t from = l1_place(k->places, false, step / g->step_a % g->buffers) +
	               (int64_t)(step % g->step_a) * g->base_k * g->base_m * ELEMENT_BYTES;

	PUT(k->s, LOAD3D_A, VN("type", ASC_F16), VN("dst", *k->l0 % 2 * L0_HALF), VN("src", from), VN("h", 1),
	    VN("w", g->base_m), VN("c", g->base_k), VN("k_extent", g->base_k), VN("m_extent", g->base_m));
}

/* Sixteen of the depth at a time.  Where depth runs along rows they are a column of fractals in L1, else a row. */
static void load_b(const block *k, unsigned step)
{
	const valid_gemm *g = k->g;
	int64_t chunk = l1_place(k->places, true, step / g->step_b % g->buffers), inside = step % g->step_b;

	for (unsigned i = 0; i < g->base_k / FRACTAL; i++) {
		int64_t at = inside * (g->base_k / FRACTAL) + i, fractals = g->base_n / FRACTAL;

		if (g->b_is_n_by_k)
			PUT(k->s, LOAD2D_B, VN("dst", *k->l0 % 2 * L0_HALF + i * fractals * FRACTAL_BYTES),
			    VN("src", chunk + at * fractals * FRACTAL_BYTES), VN("repeat", fractals));
		else
			PUT(k->s, LOAD2D_B, VN("dst", *k->l0 % 2 * L0_HALF + i * fractals * FRACTAL_BYTES),
			    VN("src", chunk + at * FRACTAL_BYTES), VN("repeat", fractals),
			    VN("src_stride", g->base_k * g->step_b / FRACTAL), VN("transpose", 1));
	}
}

static void product(const block *k, unsigned step, unsigned steps)
{
	const valid_gemm *g = k->g;
	unsigned half = *k->l0 % 2;

	valid_set(k->s, ASC_PIPE_MTE1, ASC_PIPE_M, half);
	valid_wait(k->s, ASC_PIPE_MTE1, ASC_PIPE_M, half);
	PUT(k->s, MMAD, VN("type", ASC_F16), VN("c", 0), VN("a", half * L0_HALF), VN("b", half * L0_HALF),
	    VN("m", g->base_m), VN("k", g->base_k), VN("n", g->base_n), VN("init", step == 0),
	    VN("unit_flag", !g->unit_flag       ? 0
	                    : step + 1 == steps ? 3
	                                        : 2));
	valid_set(k->s, ASC_PIPE_M, ASC_PIPE_MTE1, half);
	(*k->l0)++;
}

static void way_out(const block *k)
{
	const valid_gemm *g = k->g;

	if (!g->unit_flag) {
		valid_set(k->s, ASC_PIPE_M, ASC_PIPE_FIX, 0);
		valid_wait(k->s, ASC_PIPE_M, ASC_PIPE_FIX, 0);
	}
	PUT(k->s, FIX_GM, VN("type", ASC_F32), VN("dtype", g->fp32 ? ASC_F32 : ASC_F16), VR("dst", BASE_C),
	    VN("src", 0), VN("m", rows_of(g)), VN("n", g->base_n), VN("src_stride", g->base_m), VN("dst_pitch", g->n),
	    VN("quant", !g->fp32), VN("nz2nd", 1), VN("unit_flag", g->unit_flag ? 3 : 0));
	if (!g->unit_flag) {
		valid_set(k->s, ASC_PIPE_FIX, ASC_PIPE_M, 0);
		valid_wait(k->s, ASC_PIPE_FIX, ASC_PIPE_M, 0);
	}
}

/* One step of the depth: operands into L0, buffers of L1 given back, the product. */
static void step_of(block *k, unsigned step, unsigned steps)
{
	const valid_gemm *g = k->g;
	unsigned a = step / g->step_a % g->buffers, b = step / g->step_b % g->buffers + FLAG_B;
	bool a_first = step % g->step_a == 0, b_first = step % g->step_b == 0;
	bool a_last = step % g->step_a == g->step_a - 1 || step + 1 == steps;
	bool b_last = step % g->step_b == g->step_b - 1 || step + 1 == steps;

	if (!g->ahead && a_first)
		copy_in(k, false);
	if (!g->ahead && b_first)
		copy_in(k, true);
	valid_wait(k->s, ASC_PIPE_M, ASC_PIPE_MTE1, *k->l0 % 2);
	if (a_first)
		valid_wait(k->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, a);
	if (g->ahead && b_first)
		valid_wait(k->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, b);
	load_a(k, step);
	if (!g->ahead && b_first)
		valid_wait(k->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, b);
	load_b(k, step);
	if (a_last)
		valid_set(k->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, a);
	if (b_last)
		valid_set(k->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, b);
	product(k, step, steps);
	if (g->ahead && (step == 0 || b_last) && k->next_b * g->step_b < steps)
		copy_in(k, true);
	if (g->ahead && (step == 0 || a_last) && k->next_a * g->step_a < steps)
		copy_in(k, false);
}

static void whole_block(const valid_gemm *g, const valid_gemm *places, asc_stream *s, unsigned *l0)
{
	block k = {.g = g, .places = places, .s = s, .l0 = l0};
	unsigned steps = g->k / g->base_k;

	if (g->ahead) {
		copy_in(&k, false);
		copy_in(&k, true);
	}
	for (unsigned step = 0; step < steps; step++)
		step_of(&k, step, steps);
	way_out(&k);
}

static void buffers(const valid_gemm *g, asc_stream *s, bool wait)
{
	void (*flag)(asc_stream *, enum asc_pipe, enum asc_pipe, int64_t) = wait ? valid_wait : valid_set;

	for (unsigned i = 0; i < 2; i++)
		flag(s, ASC_PIPE_M, ASC_PIPE_MTE1, i);
	for (unsigned i = 0; i < g->buffers; i++) {
		flag(s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, i);
		flag(s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, FLAG_B + i);
	}
}

/* Steps from one block to the next, along rows and along columns, of each base. */
static int64_t stride(const valid_gemm *g, int64_t base, bool down)
{
	switch (base) {
	case BASE_A:
		return down ? (int64_t)g->base_m * g->k * ELEMENT_BYTES : 0;
	case BASE_B:
		return down ? 0 : (int64_t)g->base_n * (g->b_is_n_by_k || g->b_is_nz ? g->k : 1) * ELEMENT_BYTES;
	default:
		return (down ? (int64_t)g->base_m * g->n : (int64_t)g->base_n) * (g->fp32 ? SUM_BYTES : ELEMENT_BYTES);
	}
}

static void move(const valid_gemm *g, asc_stream *s, bool down, int64_t blocks)
{
	for (int64_t base = BASE_A; base <= BASE_C; base++)
		if (stride(g, base, down))
			valid_addi(s, base, base, blocks * stride(g, base, down));
}

/* The blocks of one core, from row FIRST_ROW and column FIRST_COLUMN on. */
static void core_part(const valid_gemm *g, const valid_gemm *places, asc_stream *s, unsigned first_row,
                      unsigned first_column)
{
	bool down_inside = g->columns_outside;
	int64_t down = MAX(MIN(g->single_m, g->m - first_row) / g->base_m, 1);
	int64_t across = MIN(g->single_n, g->n - first_column) / g->base_n;
	int64_t inner = down_inside ? down : across, outer = down_inside ? across : down;
	unsigned l0 = 0;
	guint outer_label, inner_label;

	valid_movi(s, BASE_A, VALID_X + (int64_t)first_row * g->k * ELEMENT_BYTES);
	valid_movi(s, BASE_B,
	           VALID_Y + (int64_t)first_column * (g->b_is_n_by_k || g->b_is_nz ? g->k : 1) * ELEMENT_BYTES);
	valid_movi(s, BASE_C,
	           VALID_Z + ((int64_t)first_row * g->n + first_column) * (g->fp32 ? SUM_BYTES : ELEMENT_BYTES));
	valid_movi(s, COLUMN_BLOCK, 0);
	outer_label = s->insns->len;
	valid_movi(s, ROW_BLOCK, 0);
	inner_label = s->insns->len;
	whole_block(g, places, s, &l0);
	if (l0 % 2 && inner % 2 == 0) {
		/* The halves of L0 take turns: two blocks make a round. */
		move(g, s, down_inside, 1);
		whole_block(g, places, s, &l0);
		inner /= 2;
	}
	move(g, s, down_inside, 1);
	valid_loop(s, ROW_BLOCK, inner, inner_label);
	move(g, s, down_inside, down_inside ? -down : -across);
	move(g, s, !down_inside, 1);
	valid_loop(s, COLUMN_BLOCK, outer, outer_label);
}

/* Blocks dealt out one by one, in catlass' order <swizzle, across>: so many rows (across: columns) of blocks at a time,
 * columns (rows) one after the other, there and back.  Edges are narrower blocks.  A block has an even number of copies
 * and of products, so that the next one finds buffers and flags as the first did, and need not wait for its end. */
static void dealt(const valid_gemm *g, asc_stream *s, unsigned core)
{
	unsigned rows = (g->m + g->base_m - 1) / g->base_m, columns = (g->n + g->base_n - 1) / g->base_n;
	unsigned offset = g->swizzle ? g->swizzle : 3, along = g->across ? rows : columns,
		 over = g->across ? columns : rows;

	buffers(g, s, false);
	for (unsigned i = core; i < rows * columns; i += g->cores) {
		unsigned group = i / (offset * along), inside = i % (offset * along);
		unsigned wide = MIN(offset, over - offset * group), first = offset * group + inside % wide;
		unsigned second = group % 2 ? along - 1 - inside / wide : inside / wide;
		unsigned row = g->across ? second : first, column = g->across ? first : second;
		valid_gemm one = *g;

		one.rows = MIN(g->base_m, g->m - row * g->base_m);
		one.base_m = one.single_m = (one.rows + FRACTAL - 1) / FRACTAL * FRACTAL;
		one.base_n = one.single_n = MIN(g->base_n, g->n - column * g->base_n);
		core_part(&one, g, s, row * g->base_m, column * g->base_n);
	}
	buffers(g, s, true);
}

asc_program *valid_gemm_program(const valid_gemm *g)
{
	asc_program *program = asc_program_new();
	unsigned rounds = MAX(g->rounds, 1), down = g->single_m ? (g->m + g->single_m - 1) / g->single_m / rounds : 0;

	program->blocks = g->cores;
	program->macs = (uint64_t)g->m * g->k * g->n;
	for (unsigned core = 0; core < g->cores; core++) {
		asc_stream *s = valid_cube(program, core);

		if (!g->single_m)
			dealt(g, s, core);
		for (unsigned round = 0; down && round < rounds; round++) {
			unsigned row = (core % down + round * down) * g->single_m, column = core / down * g->single_n;

			/* The source has no barrier here: its flags of two parts are not ordered, and the model loses a
			 * set. */
			if (round)
				PUT(s, BARRIER, VN("pipe", ASC_PIPE_ALL));
			if (row < g->m && column < g->n) {
				buffers(g, s, false);
				core_part(g, g, s, row, column);
				buffers(g, s, true);
			}
		}
	}
	return program;
}
