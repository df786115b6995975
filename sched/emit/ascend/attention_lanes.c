/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions on rows in the unified buffer: runs of elements, rows with a number each, rows that become one
 * number.
 *
 * Sums are the graph's tree: vcgadd adds eight neighbours, pairwise, which are three of its levels.
 */
#include "sched/emit/ascend/attention.h"
#include "sched/emit/ascend/vector_int.h"

enum { LANES = ATN_LANES, HALF_LANES = ATN_HALF_LANES, BLOCKS = ATN_BLOCKS, WORD = ATN_SUM };
enum { MOST_REPEATS = 255, ROUND_EVEN = 1 };

/* ---- instructions ---- */

static void put_run_piece(atn *a, asb_core core, const atn_run *r, uint64_t at, uint64_t repeats)
{
	asc_insn insn = asc_insn_make(r->op);
	uint64_t size = asc_type_bytes(r->type), to = asc_type_bytes(r->dtype), wide = MAX(size, to);

	avk_set(&insn, "type", r->type);
	avk_set(&insn, "dst", (int64_t)(r->dst + at * to));
	avk_set(&insn, r->has_block ? "src0" : "src", (int64_t)(r->src + at * size));
	avk_set(&insn, "repeat", (int64_t)repeats);
	avk_set(&insn, "dst_rep", (int64_t)(BLOCKS * to / wide));
	avk_set(&insn, r->has_block ? "src0_rep" : "src_rep", (int64_t)(BLOCKS * size / wide));
	if (r->has_block) {
		avk_set(&insn, "src1", (int64_t)(r->block + (r->each ? at * size : 0)));
		avk_set(&insn, "src1_blk", r->each);
		avk_set(&insn, "src1_rep", r->each ? (int64_t)(BLOCKS * size / wide) : 0);
	}
	if (r->has_scalar)
		avk_set(&insn, "scalar", r->scalar);
	if (r->op == ASC_OP_VCONV) {
		avk_set(&insn, "dtype", r->dtype);
		avk_set(&insn, "round", ROUND_EVEN);
	}
	asb_step(a->b, core, &insn);
}

void atn_put_run(atn *a, asb_core core, const atn_run *r, uint64_t count)
{
	uint64_t at = 0;

	if (count >= LANES)
		avk_mask_lanes(a->b, core, HALF_LANES);
	while (count - at >= LANES) {
		uint64_t repeats = MIN((count - at) / LANES, MOST_REPEATS);

		put_run_piece(a, core, r, at, repeats);
		at += repeats * LANES;
	}
	if (at == count)
		return;
	avk_mask_lanes(a->b, core, count - at);
	put_run_piece(a, core, r, at, 1);
}

/* Rows of COUNT elements, PITCH elements apart, of fp32 in place: (op) the row's block. */
void atn_put_rows(atn *a, asb_core core, enum asc_op op, uint64_t at, uint64_t pitch, uint64_t rows, uint64_t count,
                  uint64_t block)
{
	uint64_t pieces = atn_div_up(count, LANES);

	/* What follows waits for all between an instruction's first and last byte: rows by themselves overlap. */
	if (pieces > 1) {
		for (uint64_t r = 0; r < rows; r++) {
			uint64_t row = at + r * pitch * WORD;

			atn_put_run(a, core,
			            &(atn_run){.op = op,
			                       .type = ASC_F32,
			                       .dtype = ASC_F32,
			                       .dst = row,
			                       .src = row,
			                       .has_block = true,
			                       .block = block + r * ATN_BLOCK},
			            count);
		}
		return;
	}
	/* A repeat a row. */
	for (uint64_t i = 0; i < pieces; i++) {
		asc_insn insn = asc_insn_make(op);
		int64_t stride = (int64_t)(pitch * WORD / ATN_BLOCK), piece = (int64_t)(at + i * LANES * WORD);

		avk_mask_lanes(a->b, core, MIN(count - i * LANES, LANES) < LANES ? count - i * LANES : HALF_LANES);
		avk_set(&insn, "type", ASC_F32);
		avk_set(&insn, "dst", piece);
		avk_set(&insn, "src0", piece);
		avk_set(&insn, "src1", (int64_t)block);
		avk_set(&insn, "repeat", (int64_t)rows);
		avk_set(&insn, "dst_rep", stride);
		avk_set(&insn, "src0_rep", stride);
		avk_set(&insn, "src1_blk", 0);
		avk_set(&insn, "src1_rep", 1);
		asb_step(a->b, core, &insn);
	}
}

static void put_fold(atn *a, asb_core core, const atn_fold *f, uint64_t dst, uint64_t src, uint64_t repeats,
                     uint64_t dst_rep, uint64_t src_rep)
{
	uint64_t size = asc_type_bytes(f->type);
	asc_insn insn = asc_insn_make(f->op);

	avk_set(&insn, "type", f->type);
	avk_set(&insn, "dst", (int64_t)(f->dst + dst * size));
	avk_set(&insn, "src", (int64_t)(f->src + src * size));
	avk_set(&insn, "repeat", (int64_t)repeats);
	avk_set(&insn, "dst_rep", (int64_t)(dst_rep / BLOCKS));
	avk_set(&insn, "src_rep", (int64_t)(src_rep * size / ATN_BLOCK));
	asb_step(a->b, core, &insn);
}

/* Each block of elements of ROWS rows of COUNT becomes one element. */
void atn_put_folds(atn *a, asb_core core, const atn_fold *f, uint64_t rows, uint64_t count)
{
	uint64_t size = asc_type_bytes(f->type), lanes = BLOCKS * ATN_BLOCK / size, pieces = count / lanes;

	if (pieces)
		avk_mask_lanes(a->b, core, HALF_LANES);
	if (f->src_pitch == pieces * lanes && f->dst_pitch == pieces * BLOCKS && count == f->src_pitch) {
		pieces *= rows;
		for (uint64_t i = 0; i < pieces; i += MOST_REPEATS)
			put_fold(a, core, f, i * BLOCKS, i * lanes, MIN(pieces - i, MOST_REPEATS), BLOCKS, lanes);
		return;
	}
	for (uint64_t r = 0; pieces > rows && r < rows; r++)
		for (uint64_t i = 0; i < pieces; i += MOST_REPEATS)
			put_fold(a, core, f, r * f->dst_pitch + i * BLOCKS, r * f->src_pitch + i * lanes,
			         MIN(pieces - i, MOST_REPEATS), BLOCKS, lanes);
	for (uint64_t i = 0; pieces <= rows && i < pieces; i++)
		for (uint64_t r = 0; r < rows; r += MOST_REPEATS)
			put_fold(a, core, f, i * BLOCKS + r * f->dst_pitch, i * lanes + r * f->src_pitch,
			         MIN(rows - r, MOST_REPEATS), f->dst_pitch, f->src_pitch);
	if (count % lanes == 0)
		return;
	avk_mask_lanes(a->b, core, count % lanes);
	for (uint64_t r = 0; r < rows; r += MOST_REPEATS)
		put_fold(a, core, f, pieces * BLOCKS + r * f->dst_pitch, pieces * lanes + r * f->src_pitch,
		         MIN(rows - r, MOST_REPEATS), f->dst_pitch, f->src_pitch);
}

/* Rows of one block of which COUNT elements count: one element a row, one behind the other. */
static void put_last_fold(atn *a, asb_core core, const atn_fold *f, uint64_t rows, uint64_t count)
{
	uint64_t size = asc_type_bytes(f->type), in_block = ATN_BLOCK / size, at = 0;

	while (at < rows) {
		uint64_t now = MIN(rows - at, BLOCKS), repeats = now == BLOCKS ? (rows - at) / BLOCKS : 1;
		uint64_t mask[2] = {0};

		for (uint64_t i = 0; i < now * in_block; i++)
			if (i % in_block < count)
				mask[i / LANES] |= (uint64_t)1 << i % LANES;
		asb_mask(a->b, core, mask[0], mask[1]);
		repeats = MIN(repeats, MOST_REPEATS);
		put_fold(a, core, f, at, at * in_block, repeats, BLOCKS, BLOCKS * in_block);
		at += now * repeats;
	}
}

/* Every row's COUNT elements at SRC become one at DST, by way of the two areas for partial results. */
void atn_reduce(atn *a, asb_core core, const uint64_t partial[2], enum asc_op op, enum asc_type type, uint64_t dst,
                uint64_t src, uint64_t pitch, uint64_t rows, uint64_t count, unsigned area)
{
	uint64_t in_block = ATN_BLOCK / asc_type_bytes(type);
	atn_fold f = {.op = op, .type = type, .src = src, .src_pitch = pitch};

	/* At last a row is a block: they follow one another. */
	for (; count > in_block || f.src_pitch != in_block; area ^= 1) {
		f.dst = partial[area];
		f.dst_pitch = atn_up(atn_div_up(count, in_block), in_block);
		atn_put_folds(a, core, &f, rows, count);
		count = atn_div_up(count, in_block);
		f.src = f.dst;
		f.src_pitch = f.dst_pitch;
	}
	f.dst = dst;
	put_last_fold(a, core, &f, rows, count);
}

void atn_spread(atn *a, asb_core core, uint64_t dst, uint64_t src, uint64_t rows)
{
	asc_insn insn = asc_insn_make(ASC_OP_VBRCB);

	avk_set(&insn, "type", ASC_F32);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "repeat", (int64_t)atn_div_up(rows, BLOCKS));
	asb_step(a->b, core, &insn);
}

uint64_t atn_partial_bytes(uint64_t keys, uint64_t rows, unsigned area)
{
	uint64_t first = atn_up(atn_div_up(keys, BLOCKS), BLOCKS), second = atn_up(atn_div_up(first, BLOCKS), BLOCKS);
	uint64_t halves = atn_up(atn_div_up(keys, ATN_SIDE), ATN_SIDE);
	uint64_t more = atn_up(atn_div_up(halves, ATN_SIDE), ATN_SIDE);

	return atn_up(rows, BLOCKS) *
	       (area ? MAX(second * WORD, more * ATN_HALF) : MAX(first * WORD, halves * ATN_HALF));
}

void atn_round(atn *a, asb_core core, uint64_t dst, uint64_t dst_pitch, uint64_t src, uint64_t rows, uint64_t count)
{
	asc_insn insn = asc_insn_make(ASC_OP_VCONV);

	avk_set(&insn, "type", ASC_F32);
	avk_set(&insn, "dtype", ASC_F16);
	avk_set(&insn, "round", ROUND_EVEN);
	avk_set(&insn, "repeat", (int64_t)rows);
	avk_set(&insn, "src_rep", (int64_t)(count * WORD / ATN_BLOCK));
	avk_set(&insn, "dst_rep", (int64_t)(dst_pitch * ATN_HALF / ATN_BLOCK));
	for (uint64_t at = 0; at < count; at += LANES) {
		avk_mask_lanes(a->b, core, count - at < LANES ? count - at : HALF_LANES);
		avk_set(&insn, "src", (int64_t)(src + at * WORD));
		avk_set(&insn, "dst", (int64_t)(dst + at * ATN_HALF));
		asb_step(a->b, core, &insn);
	}
}

void atn_to_l1(atn *a, asb_core core, uint64_t dst, uint64_t src, uint64_t src_pitch, uint64_t rows, uint64_t columns)
{
	asc_insn insn = asc_insn_make(ASC_OP_UB_TO_L1);

	avk_set(&insn, "bursts", (int64_t)rows);
	avk_set(&insn, "src_gap", (int64_t)(src_pitch * ATN_HALF - ATN_BLOCK));
	for (uint64_t at = 0; at < columns; at += ATN_SIDE) {
		avk_set(&insn, "dst", (int64_t)(dst + at * rows * ATN_HALF));
		avk_set(&insn, "src", (int64_t)(src + at * ATN_HALF));
		asb_step(a->b, core, &insn);
	}
}

void atn_zero(atn *a, asb_core core, uint64_t at, uint64_t bytes)
{
	uint64_t words = bytes / WORD;
	asc_insn insn = asc_insn_make(ASC_OP_VDUP);

	avk_mask_lanes(a->b, core, HALF_LANES);
	avk_set(&insn, "type", ASC_F32);
	for (uint64_t done = 0; done < words; done += MOST_REPEATS * LANES) {
		avk_set(&insn, "dst", (int64_t)(at + done * WORD));
		avk_set(&insn, "repeat", (int64_t)(MIN(words - done, MOST_REPEATS * LANES) / LANES));
		asb_step(a->b, core, &insn);
	}
}
