/* SPDX-License-Identifier: Apache-2.0
 *
 * Element-wise programs of the vector sub-cores.
 *
 * Add of 8192 x 8192 fp16, after asc-devkit, examples/01_simd_cpp_api/04_best_practices/00_vector_compute/
 * add_high_performance/add.asc, cases 1 to 6: rows split over the sub-cores, whole copies of so many elements, one or
 * two sets of buffers, inputs past L2, buffers moved apart.  Case 0 computes in the scalar unit and has no program
 * here: scalar access to the unified buffer is not part of the instruction tables.
 *
 * Rows to fractals of 8192 x 8192 fp16, after asc-devkit, .../04_memory_access/bank_conflict_nd2nz: tiles of 144 x 128,
 * 6 x 8 sub-cores, two sets of buffers, one copy inside the unified buffer a tile.
 *
 * Sums of 256 fp32 a hundred times, after the Ascend C guide on reductions: two sums of repeats, three of blocks, one
 * of blocks and one of repeats, each in counter mode and with a barrier behind it.
 */
#include "tests/validation/valid.h"

enum { ELEMENT_BYTES = 2, LANES = 128, MATRIX = 8192, MOST_REPEATS = 255 };

/* Where operands of set i lie in the unified buffer. */
typedef struct places {
	int64_t x[2], y[2], z[2];
} places;

static places places_of(const valid_add *a)
{
	enum { MOST = 16384 * ELEMENT_BYTES, LESS = 16256 * ELEMENT_BYTES };

	if (a->apart)
		return (places){{0, 2 * MOST}, {LESS, 2 * MOST + LESS}, {4 * MOST, 4 * MOST + LESS}};
	return (places){{0, 3 * MOST}, {MOST, 4 * MOST}, {2 * MOST, 5 * MOST}};
}

static void add(asc_stream *s, const places *p, unsigned set, unsigned elements)
{
	for (unsigned done = 0; done < elements; done += MOST_REPEATS * LANES)
		PUT(s, VADD, VN("type", ASC_F16), VN("dst", p->z[set] + done * ELEMENT_BYTES),
		    VN("src0", p->x[set] + done * ELEMENT_BYTES), VN("src1", p->y[set] + done * ELEMENT_BYTES),
		    VN("repeat", MIN((elements - done + LANES - 1) / LANES, MOST_REPEATS)));
}

static void one_tile(asc_stream *s, const valid_add *a, int64_t offset, unsigned elements, unsigned set, bool first,
                     bool last)
{
	places p = places_of(a);
	bool always = a->two_buffers;
	int64_t bytes = (int64_t)elements * ELEMENT_BYTES;

	if (always || !first)
		valid_wait(s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
	PUT(s, GM_TO_UB, VN("dst", p.x[set]), VN("src", VALID_X + offset), VN("burst_bytes", bytes),
	    VN("l2", !a->bypass));
	PUT(s, GM_TO_UB, VN("dst", p.y[set]), VN("src", VALID_Y + offset), VN("burst_bytes", bytes),
	    VN("l2", !a->bypass));
	valid_set(s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
	valid_wait(s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
	if (always || !first)
		valid_wait(s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
	add(s, &p, set, elements);
	if (always || !last)
		valid_set(s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
	valid_set(s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
	valid_wait(s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
	PUT(s, UB_TO_GM, VN("dst", VALID_Z + offset), VN("src", p.z[set]), VN("burst_bytes", bytes));
	if (always || !last)
		valid_set(s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
}

static void both_sets(asc_stream *s, bool wait)
{
	void (*flag)(asc_stream *, enum asc_pipe, enum asc_pipe, int64_t) = wait ? valid_wait : valid_set;

	for (unsigned set = 0; set < 2; set++) {
		flag(s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
		flag(s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
	}
}

asc_program *valid_add_program(const valid_add *a)
{
	asc_program *program = asc_program_new();
	unsigned base = MATRIX / a->cores, more = MATRIX % a->cores, row = 0;

	program->blocks = (a->cores + 1) / 2;
	for (unsigned core = 0; core < a->cores; core++) {
		asc_stream *s = valid_vector(program, core);
		unsigned rows = base + (core < more), all = rows * MATRIX;

		if (a->two_buffers)
			both_sets(s, false);
		for (unsigned i = 0, at = 0; at < all; i++, at += a->elements)
			one_tile(s, a, ((int64_t)row * MATRIX + at) * ELEMENT_BYTES, MIN(a->elements, all - at),
			         a->two_buffers ? i % 2 : 0, i == 0, at + a->elements >= all);
		if (a->two_buffers)
			both_sets(s, true);
		row += rows;
	}
	return program;
}

enum { TILE_H = 144, TILE_W = 128, C0 = 16, BLOCK_BYTES = 32, ROW_TILES = 57, COLUMN_SPLITS = 8, ROW_SPLITS = 6 };

static void convert_tile(asc_stream *s, const valid_nd2nz *p, unsigned row, unsigned column, unsigned set)
{
	int64_t nd = (int64_t)set * TILE_H * TILE_W * ELEMENT_BYTES;
	int64_t nz_blocks = (TILE_H - 1) + (TILE_W / C0 - 1) * p->stride + 1 + (p->stride > TILE_H);
	int64_t nz = 2 * TILE_H * TILE_W * ELEMENT_BYTES + (int64_t)set * nz_blocks * BLOCK_BYTES;
	unsigned high = MIN(TILE_H, MATRIX - row * TILE_H);

	valid_wait(s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
	PUT(s, GM_TO_UB, VN("dst", nd),
	    VN("src", VALID_X + ((int64_t)row * TILE_H * MATRIX + column * TILE_W) * ELEMENT_BYTES), VN("bursts", high),
	    VN("burst_bytes", TILE_W * ELEMENT_BYTES), VN("src_gap", (MATRIX - TILE_W) * ELEMENT_BYTES));
	valid_set(s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
	valid_wait(s, ASC_PIPE_MTE2, ASC_PIPE_V, set);
	valid_wait(s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
	PUT(s, VCOPY, VN("type", ASC_F16), VN("dst", nz), VN("src", nd), VN("repeat", high), VN("dst_blk", p->stride),
	    VN("src_blk", 1), VN("dst_rep", 1), VN("src_rep", TILE_W / C0));
	valid_set(s, ASC_PIPE_V, ASC_PIPE_MTE2, set);
	valid_set(s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
	valid_wait(s, ASC_PIPE_V, ASC_PIPE_MTE3, set);
	PUT(s, UB_TO_GM,
	    VN("dst", VALID_Z + ((int64_t)row * TILE_H + (int64_t)column * (TILE_W / C0) * MATRIX) * BLOCK_BYTES),
	    VN("src", nz), VN("bursts", TILE_W / C0), VN("burst_bytes", high * BLOCK_BYTES),
	    VN("src_gap", (int64_t)(p->stride - high) * BLOCK_BYTES),
	    VN("dst_gap", (int64_t)(MATRIX - high) * BLOCK_BYTES));
	valid_set(s, ASC_PIPE_MTE3, ASC_PIPE_V, set);
}

asc_program *valid_nd2nz_program(const valid_nd2nz *p)
{
	asc_program *program = asc_program_new();
	unsigned columns = MATRIX / TILE_W / COLUMN_SPLITS, row = 0;

	program->blocks = 24;
	for (unsigned split = 0; split < ROW_SPLITS; split++) {
		unsigned rows = ROW_TILES / ROW_SPLITS + (split < ROW_TILES % ROW_SPLITS);

		for (unsigned side = 0; side < COLUMN_SPLITS; side++) {
			asc_stream *s = valid_vector(program, split * COLUMN_SPLITS + side);

			both_sets(s, false);
			for (unsigned i = 0; i < rows * columns; i++)
				convert_tile(s, p, row + i / columns, side * columns + i % columns, i % 2);
			both_sets(s, true);
		}
		row += rows;
	}
	return program;
}

static void reduce(asc_stream *s, bool blocks, int64_t elements, int64_t from, int64_t to)
{
	PUT(s, SETMASK, VN("lo", elements), VN("hi", 0));
	if (blocks)
		PUT(s, VCGADD, VN("type", ASC_F32), VN("dst", to), VN("src", from));
	else
		PUT(s, VCADD, VN("type", ASC_F32), VN("dst", to), VN("src", from));
	PUT(s, BARRIER, VN("pipe", ASC_PIPE_V));
}

asc_program *valid_reduction_program(enum valid_reduction how)
{
	enum { TIMES = 100, INPUT = 0, FIRST = 0x1000, SECOND = 0x2000, RESULT = 0x3000 };
	asc_program *program = asc_program_new();
	asc_stream *s = valid_vector(program, 0);
	guint label;

	program->blocks = 1;
	valid_movi(s, 1, 0);
	label = s->insns->len;
	PUT(s, SETCTRL, VN("counter", 1));
	reduce(s, how != VALID_REPEATS_TWICE, 256, INPUT, FIRST);
	switch (how) {
	case VALID_REPEATS_TWICE:
		reduce(s, false, 4, FIRST, RESULT);
		break;
	case VALID_BLOCKS_THRICE:
		reduce(s, true, 32, FIRST, SECOND);
		reduce(s, true, 4, SECOND, RESULT);
		break;
	default:
		reduce(s, false, 32, FIRST, RESULT);
	}
	PUT(s, SETCTRL, VN("counter", 0));
	valid_loop(s, 1, TIMES, label);
	return program;
}
