/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention of one head of 128, fp16: scores, softmax over tiles of columns, product with the values, running sums; the
 * cube sub-core and its two vector sub-cores exchange all of it through global memory and cross-core counters.
 *
 * After pto-isa, kernels/manual/common/flash_atten: blocks of 128 rows, 128 columns a product, scores four tiles ahead,
 * five slots for every exchange, each vector sub-core half of the rows.  The published times do not name their tiles,
 * and the source's element-wise code is a library's: this program is one that fits the description, to be reported, not
 * judged.
 */
#include "tests/validation/valid.h"

enum { HEAD = 128, ROWS = 128, AHEAD = 4, SLOTS = AHEAD + 1, F16 = 2, F32 = 4, HALF = 32768, FRACTAL_BYTES = 512 };
enum { SCORES = 0, WEIGHTS, PARTS, EXCHANGES }; /* counters, and what lies in the slots */
/* Registers: queries, result and slots of the block; an address. */
enum { QUERIES = 1, OUTPUT, SLOT, ADDRESS, NUMBER = 31, SUB = 30 };

typedef struct attention {
	asc_stream *s;
	int64_t tile, rows;
	unsigned l0, l0c; /* cube: products and results so far */
} attention;

static int64_t slot_bytes(const attention *a, unsigned exchange)
{
	static const int64_t bytes[EXCHANGES] = {F32, F16, F32};

	return ROWS * (exchange == PARTS ? HEAD : a->tile) * bytes[exchange];
}

/* Of all slots of the exchanges before EXCHANGE. */
static int64_t slots_bytes(const attention *a, unsigned exchange)
{
	int64_t bytes = 0;

	for (unsigned e = 0; e < exchange; e++)
		bytes += slot_bytes(a, e) * SLOTS;
	return bytes;
}

static int64_t slot_offset(const attention *a, unsigned exchange, int64_t tile)
{
	return slots_bytes(a, exchange) + tile % SLOTS * slot_bytes(a, exchange);
}

static void bases(const attention *a)
{
	PUT(a->s, MUL, VN("rd", QUERIES), VN("rn", NUMBER), VN("rm", ROWS * HEAD * F16));
	valid_addi(a->s, OUTPUT, QUERIES, VALID_X + 3 * a->rows * HEAD * F16);
	PUT(a->s, MUL, VN("rd", SLOT), VN("rn", NUMBER), VN("rm", slots_bytes(a, EXCHANGES)));
	valid_addi(a->s, SLOT, SLOT, VALID_Z);
}

/* Row-major matrix at REGISTER + OFFSET, or at OFFSET where there is none, into L1. */
static void into_l1(const attention *a, int64_t reg, int64_t offset, int64_t dst, int64_t rows, int64_t columns)
{
	if (reg)
		valid_addi(a->s, ADDRESS, reg, offset);
	else
		valid_movi(a->s, ADDRESS, offset);
	PUT(a->s, ND2NZ, VN("type", ASC_F16), VN("dst", dst), VR("src", ADDRESS), VN("nd", 1), VN("n", rows),
	    VN("d", columns), VN("src_pitch", columns), VN("dst_c0_stride", rows));
}

/* One product of 128 x 128 x 128 into the present half of L0C: A at A_AT; B at B_AT, DEPTH_STEP bytes from sixteen of
 * the depth to the next, COLUMN_STEP fractals between columns. */
static void multiply(attention *a, int64_t a_at, int64_t b_at, int64_t depth_step, int64_t column_step, bool transpose,
                     bool first)
{
	int64_t half = a->l0++ % 2, out = a->l0c % 2;

	valid_wait(a->s, ASC_PIPE_M, ASC_PIPE_MTE1, half);
	PUT(a->s, LOAD3D_A, VN("type", ASC_F16), VN("dst", half * HALF), VN("src", a_at), VN("h", 1), VN("w", ROWS),
	    VN("c", 128), VN("k_extent", 128), VN("m_extent", ROWS));
	for (int64_t i = 0; i < 8; i++)
		PUT(a->s, LOAD2D_B, VN("dst", half * HALF + i * 8 * FRACTAL_BYTES), VN("src", b_at + i * depth_step),
		    VN("repeat", 8), VN("src_stride", column_step), VN("transpose", transpose));
	valid_set(a->s, ASC_PIPE_MTE1, ASC_PIPE_M, half);
	valid_wait(a->s, ASC_PIPE_MTE1, ASC_PIPE_M, half);
	if (first)
		valid_wait(a->s, ASC_PIPE_FIX, ASC_PIPE_M, out);
	PUT(a->s, MMAD, VN("type", ASC_F16), VN("c", out * 2 * HALF), VN("a", half * HALF), VN("b", half * HALF),
	    VN("m", ROWS), VN("k", 128), VN("n", 128), VN("init", first));
	valid_set(a->s, ASC_PIPE_M, ASC_PIPE_MTE1, half);
}

static void out_of_l0c(attention *a, int64_t offset, int64_t pitch)
{
	int64_t out = a->l0c++ % 2;

	valid_set(a->s, ASC_PIPE_M, ASC_PIPE_FIX, out);
	valid_wait(a->s, ASC_PIPE_M, ASC_PIPE_FIX, out);
	valid_addi(a->s, ADDRESS, SLOT, offset);
	PUT(a->s, FIX_GM, VN("type", ASC_F32), VN("dtype", ASC_F32), VR("dst", ADDRESS), VN("src", out * 2 * HALF),
	    VN("m", ROWS), VN("n", 128), VN("src_stride", ROWS), VN("dst_pitch", pitch), VN("nz2nd", 1));
	valid_set(a->s, ASC_PIPE_FIX, ASC_PIPE_M, out);
}

/* L1: queries, then two buffers each of keys, weights, values; flags 0, 1 keys, 2, 3 weights and values, 4 queries. */
static int64_t l1_of(const attention *a, unsigned what, int64_t tile)
{
	return HALF + (what * 2 + tile % 2) * a->tile * HEAD * F16;
}

static void cube_scores(attention *a, int64_t tile)
{
	int64_t flag = tile % 2, keys = l1_of(a, 0, tile);

	valid_wait(a->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, flag);
	into_l1(a, 0, VALID_X + (a->rows + tile * a->tile) * HEAD * F16, keys, a->tile, HEAD);
	valid_set(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, flag);
	valid_wait(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, flag);
	if (!tile)
		valid_wait(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, 4);
	for (int64_t part = 0; part < a->tile / 128; part++) {
		multiply(a, 0, keys + part * 8 * FRACTAL_BYTES, a->tile / 16 * FRACTAL_BYTES, 1, false, true);
		out_of_l0c(a, slot_offset(a, SCORES, tile) + part * 128 * F32, a->tile);
	}
	valid_set(a->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, flag);
	PUT(a->s, SETCROSS, VN("pipe", ASC_PIPE_FIX), VN("mode", 2), VN("id", SCORES));
}

static void cube_parts(attention *a, int64_t tile)
{
	int64_t flag = 2 + tile % 2, weights = l1_of(a, 1, tile), values = l1_of(a, 2, tile);

	valid_wait(a->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, flag);
	into_l1(a, 0, VALID_X + (2 * a->rows + tile * a->tile) * HEAD * F16, values, a->tile, HEAD);
	PUT(a->s, WAITCROSS, VN("pipe", ASC_PIPE_MTE2), VN("id", WEIGHTS));
	into_l1(a, SLOT, slot_offset(a, WEIGHTS, tile), weights, ROWS, a->tile);
	valid_set(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, flag);
	valid_wait(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, flag);
	for (int64_t part = 0; part < a->tile / 128; part++)
		multiply(a, weights + part * ROWS * 128 * F16, values + part * 8 * FRACTAL_BYTES, FRACTAL_BYTES,
		         a->tile / 16, true, part == 0);
	valid_set(a->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, flag);
	out_of_l0c(a, slot_offset(a, PARTS, tile), HEAD);
	PUT(a->s, SETCROSS, VN("pipe", ASC_PIPE_FIX), VN("mode", 2), VN("id", PARTS));
}

static void cube_flags(const attention *a, bool wait)
{
	void (*flag)(asc_stream *, enum asc_pipe, enum asc_pipe, int64_t) = wait ? valid_wait : valid_set;

	for (int64_t i = 0; i < 4; i++)
		flag(a->s, ASC_PIPE_MTE1, ASC_PIPE_MTE2, i);
	for (int64_t i = 0; i < 2; i++) {
		flag(a->s, ASC_PIPE_M, ASC_PIPE_MTE1, i);
		flag(a->s, ASC_PIPE_FIX, ASC_PIPE_M, i);
	}
}

static void cube(attention *a)
{
	int64_t tiles = a->rows / a->tile;

	bases(a);
	cube_flags(a, false);
	into_l1(a, QUERIES, VALID_X, 0, ROWS, HEAD);
	valid_set(a->s, ASC_PIPE_MTE2, ASC_PIPE_MTE1, 4);
	for (int64_t t = 0; t < MIN(AHEAD, tiles); t++)
		cube_scores(a, t);
	for (int64_t t = 0; t < tiles; t++) {
		if (t + AHEAD < tiles)
			cube_scores(a, t + AHEAD);
		cube_parts(a, t);
	}
	cube_flags(a, true);
}

/* The unified buffer: 32 rows of scores twice, their weights twice, a part and the running result of 64 rows, scraps.
 */
enum { PASS = 32, MINE = ROWS / 2 };
typedef struct places {
	int64_t scores[2], weights[2], part, result, scrap, spread, maxima, sums, fresh, factors;
} places;

static places places_of(const attention *a)
{
	places p = {.scores = {0, PASS * a->tile * F32}};

	p.weights[0] = 2 * p.scores[1];
	p.weights[1] = p.weights[0] + PASS * a->tile * F16;
	p.part = p.weights[1] + PASS * a->tile * F16;
	p.result = p.part + MINE * HEAD * F32;
	p.scrap = p.result + MINE * HEAD * F32;
	p.spread = p.scrap + PASS * 64 * F32;
	p.maxima = p.spread + MINE * 32;
	p.sums = p.maxima + MINE * F32;
	p.fresh = p.sums + MINE * F32;
	p.factors = p.fresh + MINE * F32;
	return p;
}

static void then(const attention *a)
{
	PUT(a->s, BARRIER, VN("pipe", ASC_PIPE_V));
}

static void two(const attention *a, enum asc_op op, int64_t dst, int64_t x, int64_t y, int64_t repeat, int64_t reps[3],
                int64_t y_blk)
{
	const valid_field f[] = {VN("type", ASC_F32),     VN("dst", dst),          VN("src0", x),
	                         VN("src1", y),           VN("repeat", repeat),    VN("dst_rep", reps[0]),
	                         VN("src0_rep", reps[1]), VN("src1_rep", reps[2]), VN("src1_blk", y_blk)};

	valid_put(a->s, op, f, G_N_ELEMENTS(f));
}

/* Largest, or sum, of each of the 32 rows of scores at X: columns by 64 into a scrap, then across. */
static void across(const attention *a, const places *p, bool sum, int64_t x, int64_t dst)
{
	int64_t pitch = a->tile * F32 / 32, reps[3] = {8, pitch, pitch}, again[3] = {8, 8, pitch};
	enum asc_op op = sum ? ASC_OP_VADD : ASC_OP_VMAX;

	two(a, op, p->scrap, x, x + 64 * F32, PASS, reps, 1);
	for (int64_t c = 128; c < a->tile; c += 64) {
		then(a);
		two(a, op, p->scrap, p->scrap, x + c * F32, PASS, again, 1);
	}
	then(a);
	if (sum)
		PUT(a->s, VCADD, VN("type", ASC_F32), VN("dst", dst), VN("src", p->scrap), VN("repeat", PASS));
	else
		PUT(a->s, VCGMAX, VN("type", ASC_F32), VN("dst", p->scrap), VN("src", p->scrap), VN("repeat", PASS));
	then(a);
	if (!sum) {
		PUT(a->s, VCGMAX, VN("type", ASC_F32), VN("dst", dst), VN("src", p->scrap), VN("repeat", PASS / 8));
		then(a);
	}
}

/* ROWS values at SRC, each into a block of its own. */
static void spread(const attention *a, const places *p, int64_t src, int64_t rows)
{
	PUT(a->s, VBRCB, VN("type", ASC_F32), VN("dst", p->spread), VN("src", src), VN("repeat", rows / 8));
	then(a);
}

/* Softmax of 32 rows: their place among the sub-core's is ROW. */
static void soften(const attention *a, const places *p, int64_t set, int64_t row, int64_t factors)
{
	int64_t x = p->scores[set], pitch = a->tile * F32 / 32, one[3] = {8, 8, 8}, by_row[3] = {pitch, pitch, 1};
	int64_t fresh = p->fresh + row * F32, old = p->maxima + row * F32, repeats = PASS * a->tile / 64;

	across(a, p, false, x, fresh);
	two(a, ASC_OP_VMAX, fresh, fresh, old, 1, one, 1);
	then(a);
	two(a, ASC_OP_VSUB, factors + row * F32, old, fresh, 1, one, 1);
	spread(a, p, fresh, PASS);
	PUT(a->s, VCOPY, VN("type", ASC_F32), VN("dst", old), VN("src", fresh), VN("repeat", 1));
	for (int64_t c = 0; c < a->tile; c += 64)
		two(a, ASC_OP_VSUB, x + c * F32, x + c * F32, p->spread, PASS, by_row, 0);
	then(a);
	for (int64_t r = 0; r < repeats; r += 128)
		PUT(a->s, VMULS, VN("type", ASC_F32), VN("dst", x + r * 256), VN("src", x + r * 256),
		    VN("repeat", MIN(128, repeats - r)));
	PUT(a->s, VEXP, VN("type", ASC_F32), VN("dst", factors + row * F32), VN("src", factors + row * F32),
	    VN("repeat", 1));
	then(a);
	for (int64_t r = 0; r < repeats; r += 128)
		PUT(a->s, VEXP, VN("type", ASC_F32), VN("dst", x + r * 256), VN("src", x + r * 256),
		    VN("repeat", MIN(128, repeats - r)));
	then(a);
	for (int64_t r = 0; r < repeats; r += 128)
		PUT(a->s, VCONV, VN("type", ASC_F32), VN("dtype", ASC_F16), VN("dst", p->weights[set] + r * 128),
		    VN("src", x + r * 256), VN("repeat", MIN(128, repeats - r)), VN("dst_rep", 4));
	across(a, p, true, x, fresh);
	two(a, ASC_OP_VMUL, p->sums + row * F32, p->sums + row * F32, factors + row * F32, 1, one, 1);
	then(a);
	two(a, ASC_OP_VADD, p->sums + row * F32, p->sums + row * F32, fresh, 1, one, 1);
	then(a);
}

/* ADDRESS = the sub-core's half of a slot, and OFFSET more. */
static void my_half(const attention *a, unsigned exchange, int64_t tile, int64_t offset)
{
	PUT(a->s, MUL, VN("rd", ADDRESS), VN("rn", SUB), VN("rm", slot_bytes(a, exchange) / 2));
	PUT(a->s, ADD, VN("rd", ADDRESS), VN("rn", ADDRESS), VR("rm", SLOT));
	valid_addi(a->s, ADDRESS, ADDRESS, slot_offset(a, exchange, tile) + offset);
}

static void vector_weights(const attention *a, const places *p, int64_t tile)
{
	PUT(a->s, WAITCROSS, VN("pipe", ASC_PIPE_MTE2), VN("id", SCORES));
	for (int64_t pass = 0; pass < MINE / PASS; pass++) {
		int64_t set = pass % 2, bytes = PASS * a->tile * F32;

		valid_wait(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
		my_half(a, SCORES, tile, pass * bytes);
		PUT(a->s, GM_TO_UB, VN("dst", p->scores[set]), VR("src", ADDRESS), VN("burst_bytes", bytes));
		valid_set(a->s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
		valid_wait(a->s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
		valid_wait(a->s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
		soften(a, p, set, pass * PASS, p->factors + tile % SLOTS * MINE * F32);
		valid_set(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
		valid_set(a->s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
		valid_wait(a->s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
		my_half(a, WEIGHTS, tile, pass * bytes / 2);
		PUT(a->s, UB_TO_GM, VR("dst", ADDRESS), VN("src", p->weights[set]), VN("burst_bytes", bytes / 2));
		valid_set(a->s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
	}
	PUT(a->s, SETCROSS, VN("pipe", ASC_PIPE_MTE3), VN("mode", 2), VN("id", WEIGHTS));
}

static void by_rows(const attention *a, const places *p, enum asc_op op, int64_t x)
{
	int64_t pitch = HEAD * F32 / 32, reps[3] = {pitch, pitch, 1};

	for (int64_t c = 0; c < HEAD; c += 64)
		two(a, op, x + c * F32, x + c * F32, p->spread, MINE, reps, 0);
	then(a);
}

static void vector_sum(const attention *a, const places *p, int64_t tile)
{
	int64_t one[3] = {8, 8, 8}, bytes = MINE * HEAD * F32;

	PUT(a->s, WAITCROSS, VN("pipe", ASC_PIPE_MTE2), VN("id", PARTS));
	valid_wait(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, 2);
	my_half(a, PARTS, tile, 0);
	PUT(a->s, GM_TO_UB, VN("dst", p->part), VR("src", ADDRESS), VN("burst_bytes", bytes));
	valid_set(a->s, ASC_PIPE_MTE2, ASC_PIPE_V, 2);
	valid_wait(a->s, ASC_PIPE_MTE2, ASC_PIPE_V, 2);
	spread(a, p, p->factors + tile % SLOTS * MINE * F32, MINE);
	by_rows(a, p, ASC_OP_VMUL, p->result);
	two(a, ASC_OP_VADD, p->result, p->result, p->part, bytes / 256, one, 1);
	then(a);
	valid_set(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, 2);
}

static void vector(const attention *a)
{
	places p = places_of(a);
	int64_t tiles = a->rows / a->tile, bytes = MINE * HEAD * F16;

	bases(a);
	for (int64_t i = 0; i < 3; i++)
		valid_set(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, i);
	for (int64_t i = 0; i < 2; i++)
		valid_set(a->s, ASC_PIPE_MTE3, ASC_PIPE_V, i);
	PUT(a->s, VDUP, VN("type", ASC_F32), VN("dst", p.maxima), VN("repeat", 2));
	PUT(a->s, VDUP, VN("type", ASC_F32), VN("dst", p.result), VN("repeat", MINE * HEAD / 64));
	then(a);
	for (int64_t t = 0; t < MIN(AHEAD, tiles); t++)
		vector_weights(a, &p, t);
	for (int64_t t = 0; t < tiles; t++) {
		if (t + AHEAD < tiles)
			vector_weights(a, &p, t + AHEAD);
		vector_sum(a, &p, t);
	}
	spread(a, &p, p.sums, MINE);
	by_rows(a, &p, ASC_OP_VDIV, p.result);
	valid_wait(a->s, ASC_PIPE_MTE3, ASC_PIPE_V, 0);
	PUT(a->s, VCONV, VN("type", ASC_F32), VN("dtype", ASC_F16), VN("dst", p.weights[0]), VN("src", p.result),
	    VN("repeat", MINE * HEAD / 64), VN("dst_rep", 4));
	valid_set(a->s, ASC_PIPE_V, ASC_PIPE_MTE3, 0);
	valid_wait(a->s, ASC_PIPE_V, ASC_PIPE_MTE3, 0);
	PUT(a->s, MUL, VN("rd", ADDRESS), VN("rn", SUB), VN("rm", bytes));
	PUT(a->s, ADD, VN("rd", ADDRESS), VN("rn", ADDRESS), VR("rm", OUTPUT));
	PUT(a->s, UB_TO_GM, VR("dst", ADDRESS), VN("src", p.weights[0]), VN("burst_bytes", bytes));
	for (int64_t i = 0; i < 3; i++)
		valid_wait(a->s, ASC_PIPE_V, ASC_PIPE_MTE2, i);
	valid_wait(a->s, ASC_PIPE_MTE3, ASC_PIPE_V, 1);
}

asc_program *valid_attention_program(const valid_attention *parameters)
{
	asc_program *program = asc_program_new();
	attention a = {.tile = parameters->tile, .rows = parameters->rows};

	program->blocks = parameters->rows / ROWS;
	a.s = asc_program_stream(program, ASC_CUBE, 0, ASC_ALL_BLOCKS);
	cube(&a);
	a.s = asc_program_stream(program, ASC_VECTOR, ASC_ALL_BLOCKS, ASC_ALL_BLOCKS);
	vector(&a);
	return program;
}
