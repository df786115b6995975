/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes.  16 bits: a tile's rows are brought in with an odd number of blocks between them, copied so that each
 * 16 x 16 piece is 512 bytes in a row, transposed there, and copied to rows of the result, again an odd number of
 * blocks apart: eight blocks an even stride apart share bank groups, and a stride of a multiple of 16 blocks puts all
 * eight into one.  8 bits: as 16 bits through fp16, which holds every int8.  32 bits: a gather a column, with one table
 * of offsets.
 *
 * Tiles are a line of the result wide, so that lines are written whole; a core goes through them along the rows of the
 * operand, whose lines are then still in L2.
 */
#include "sched/emit/ascend/vector_int.h"

enum { SIDE = 16, HALF = 8, BLOCK = 32, PIECE = 512, SETS = 2, EVEN = 1 };

typedef struct turning {
	asb *b;
	const asc_machine *m;
	const graph_node *n;
	uint64_t from, from_pitch, to, to_pitch;
	uint64_t rows, columns; /* of the operand that are wanted */
	uint64_t element;       /* bytes */
	uint64_t tile_rows, tile_columns;
	uint64_t in_blocks, out_blocks; /* between rows of the tile, between rows of its result */
	uint64_t in, pieces, narrow;    /* places of a set; out lies where in was */
	uint64_t bytes;                 /* of a set */
	uint64_t table, offsets, once;  /* offsets of rows for gathers: where, how many, bytes */
	unsigned pad;
} turning;

static void step(const turning *t, asb_core core, enum asc_op op, enum asc_type type, uint64_t dst, uint64_t src,
                 uint64_t repeat, uint64_t dst_blk, uint64_t src_blk, uint64_t dst_rep, uint64_t src_rep)
{
	asc_insn insn = asc_insn_make(op);

	avk_set(&insn, "type", type);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "repeat", (int64_t)repeat);
	avk_set(&insn, "dst_blk", (int64_t)dst_blk);
	avk_set(&insn, "src_blk", (int64_t)src_blk);
	avk_set(&insn, "dst_rep", (int64_t)dst_rep);
	avk_set(&insn, "src_rep", (int64_t)src_rep);
	if (op == ASC_OP_VCONV) {
		avk_set(&insn, "dtype", type == ASC_I8 ? ASC_F16 : ASC_I8);
		avk_set(&insn, "round", EVEN);
	}
	asb_step(t->b, core, &insn);
}

/* ROWS rows of LANES between int8, BYTE_BLOCKS apart, and fp16, HALF_BLOCKS apart. */
static void convert(const turning *t, asb_core core, bool widen, uint64_t halves, uint64_t half_blocks, uint64_t bytes,
                    uint64_t byte_blocks, uint64_t rows, uint64_t lanes)
{
	unsigned repeat = avk_lanes_of(t->m, ASC_I8, ASC_F16);
	uint64_t limit = 255;

	limit = (uint64_t)asc_op(ASC_OP_VCONV)->field[avk_field(ASC_OP_VCONV, "repeat")].max;
	for (uint64_t lane = 0; lane < lanes; lane += repeat) {
		avk_mask_lanes(t->b, core, MIN(lanes - lane, repeat));
		for (uint64_t r = 0; r < rows; r += limit) {
			uint64_t h = halves + r * half_blocks * BLOCK + 2 * lane,
				 b = bytes + r * byte_blocks * BLOCK + lane;

			step(t, core, ASC_OP_VCONV, widen ? ASC_I8 : ASC_F16, widen ? h : b, widen ? b : h,
			     MIN(rows - r, limit), 1, 1, widen ? half_blocks : byte_blocks,
			     widen ? byte_blocks : half_blocks);
		}
	}
	avk_mask_lanes(t->b, core, repeat);
}

/* Rows that are missing to a multiple of 16 are zero. */
static void clear_rows(const turning *t, asb_core core, uint64_t at, uint64_t blocks)
{
	uint64_t per = (uint64_t)t->m->vector_bytes / BLOCK, limit;

	limit = (uint64_t)asc_op(ASC_OP_VDUP)->field[avk_field(ASC_OP_VDUP, "repeat")].max;
	for (uint64_t done = 0; done < blocks;) {
		uint64_t repeats = MIN((blocks - done) / per, limit);
		asc_insn insn = asc_insn_make(ASC_OP_VDUP);

		avk_mask_lanes(t->b, core, repeats ? per * SIDE : (blocks - done) * SIDE);
		avk_set(&insn, "type", ASC_I16);
		avk_set(&insn, "dst", (int64_t)(at + done * BLOCK));
		avk_set(&insn, "repeat", (int64_t)MAX(repeats, 1));
		asb_step(t->b, core, &insn);
		done += repeats ? repeats * per : blocks - done;
	}
	avk_mask_lanes(t->b, core, per * SIDE);
}

/* ROWS x COLUMNS at IN become COLUMNS x ROWS at the same place; both in whole pieces. */
static void turn(const turning *t, asb_core core, uint64_t base, uint64_t rows, uint64_t columns)
{
	uint64_t down = rows / SIDE, across = columns / SIDE, row = t->in_blocks * BLOCK,
		 result = t->out_blocks * BLOCK;
	uint64_t in = base + t->in, pieces = base + t->pieces;

	for (uint64_t c = 0; c < across; c++)
		for (uint64_t h = 0; h < 2; h++)
			step(t, core, ASC_OP_VCOPY, ASC_I16, pieces + c * down * PIECE + h * PIECE / 2,
			     in + h * HALF * row + c * BLOCK, down, 1, t->in_blocks, SIDE, SIDE * t->in_blocks);
	for (uint64_t i = 0; i < down * across; i++) {
		asc_insn insn = asc_insn_make(ASC_OP_VTRANS);

		avk_set(&insn, "type", ASC_I16);
		avk_set(&insn, "dst", (int64_t)(pieces + i * PIECE));
		avk_set(&insn, "src", (int64_t)(pieces + i * PIECE));
		asb_step(t->b, core, &insn);
	}
	for (uint64_t c = 0; c < across; c++)
		for (uint64_t h = 0; h < 2; h++)
			step(t, core, ASC_OP_VCOPY, ASC_I16, in + (c * SIDE + h * HALF) * result,
			     pieces + c * down * PIECE + h * PIECE / 2, down, t->out_blocks, 1, 1, SIDE);
}

static void tile16(const turning *t, asb_core core, uint64_t base, uint64_t row, uint64_t column, uint64_t rows,
                   uint64_t columns)
{
	uint64_t whole_rows = avk_up(rows, SIDE), whole_columns = avk_up(columns, SIDE);
	uint64_t narrow_in = avk_up(t->tile_columns, BLOCK) / BLOCK, narrow_out = avk_up(t->tile_rows, BLOCK) / BLOCK;
	uint64_t from = t->from + row * t->from_pitch + column * t->element;
	uint64_t to = t->to + column * t->to_pitch + row * t->element, in = base + t->in, narrow = base + t->narrow;
	bool byte = t->element == 1;
	uint64_t from_pitch = rows > 1 ? t->from_pitch : columns * t->element;
	uint64_t to_pitch = columns > 1 ? t->to_pitch : rows * t->element;

	if (whole_rows > rows)
		clear_rows(t, core, in + rows * t->in_blocks * BLOCK, (whole_rows - rows) * t->in_blocks);
	if (byte) {
		avk_copy_in(t->b, core, narrow, narrow_in * BLOCK, from, from_pitch, rows, columns, 0);
		convert(t, core, true, in, t->in_blocks, narrow, narrow_in, rows, whole_columns);
	} else {
		avk_copy_in(t->b, core, in, t->in_blocks * BLOCK, from, from_pitch, rows, columns * t->element, 0);
	}
	turn(t, core, base, whole_rows, whole_columns);
	if (byte) {
		convert(t, core, false, in, t->out_blocks, narrow, narrow_out, columns, whole_rows);
		avk_copy_out(t->b, core, to, to_pitch, narrow, narrow_out * BLOCK, columns, rows);
	} else {
		avk_copy_out(t->b, core, to, to_pitch, in, t->out_blocks * BLOCK, columns, rows * t->element);
	}
}

static void tile32(const turning *t, asb_core core, uint64_t base, uint64_t row, uint64_t column, uint64_t rows,
                   uint64_t columns)
{
	uint64_t lanes = avk_lanes_of(t->m, ASC_I32, ASC_I32), in = base + t->in, out = base + t->pieces;

	avk_copy_in(t->b, core, in, t->in_blocks * BLOCK, t->from + row * t->from_pitch + column * t->element,
	            rows > 1 ? t->from_pitch : columns * t->element, rows, columns * t->element, 0);
	if (rows % lanes == 0)
		avk_mask_lanes(t->b, core, 2 * lanes);
	else if (rows < lanes)
		avk_mask_lanes(t->b, core, rows);
	else
		asb_count(t->b, core, (uint32_t)rows);
	for (uint64_t c = 0; c < columns; c++) {
		asc_insn insn = asc_insn_make(ASC_OP_VGATHER);

		avk_set(&insn, "type", ASC_I32);
		avk_set(&insn, "dst", (int64_t)(out + c * t->out_blocks * BLOCK));
		avk_set(&insn, "offsets", (int64_t)t->table);
		avk_set(&insn, "base", (int64_t)(in + c * t->element));
		avk_set(&insn, "repeat", (int64_t)((rows + lanes - 1) / lanes));
		asb_step(t->b, core, &insn);
	}
	avk_copy_out(t->b, core, t->to + column * t->to_pitch + row * t->element,
	             columns > 1 ? t->to_pitch : rows * t->element, out, t->out_blocks * BLOCK, columns,
	             rows * t->element);
}

static uint64_t odd(uint64_t blocks, unsigned pad)
{
	return pad ? blocks | 1 : blocks;
}

/* Sizes of a set for tiles of ROWS x COLUMNS, both multiples of 16. */
static void lay_out(turning *t, uint64_t rows, uint64_t columns)
{
	uint64_t wide = MAX(t->element, 2), in, out;

	t->tile_rows = rows;
	t->tile_columns = columns;
	t->in_blocks = odd(columns * wide / BLOCK, t->element < 4 ? t->pad : 0);
	t->out_blocks = odd(rows * wide / BLOCK, t->element < 4 ? t->pad : 0);
	in = rows * t->in_blocks * BLOCK;
	out = columns * t->out_blocks * BLOCK;
	t->in = 0;
	t->pieces = t->element < 4 ? MAX(in, out) : in;
	t->narrow = t->pieces + (t->element < 4 ? rows * columns * wide : out);
	t->bytes = t->narrow;
	if (t->element == 1)
		t->bytes += MAX(rows * avk_up(columns, BLOCK), columns * avk_up(rows, BLOCK));
	t->bytes = avk_up(t->bytes, PIECE);
	/* Whole repeats of offsets, whatever the mask. */
	t->offsets = avk_up(rows, avk_lanes_of(t->m, ASC_I32, ASC_I32));
	t->once = t->element < 4 ? 0 : avk_up(t->offsets * sizeof(uint32_t), PIECE);
}

static uint64_t tiles_of(const turning *t)
{
	return (t->rows + t->tile_rows - 1) / t->tile_rows * ((t->columns + t->tile_columns - 1) / t->tile_columns);
}

/* Rows: a line of the result; columns: as many as fit; less of the larger where cores would have nothing to do. */
static void choose_tile(turning *t, uint64_t cores)
{
	uint64_t rows = MIN((uint64_t)t->m->l2_line_bytes / t->element, avk_up(t->rows, SIDE)), columns;
	uint64_t room = (uint64_t)asc_space_bytes(t->m, ASC_UB);

	columns = MIN(rows, avk_up(t->columns, SIDE));
	lay_out(t, rows, columns);
	while (t->once + SETS * t->bytes > room) {
		if (columns > 4 * SIDE || columns >= rows)
			columns = avk_up(columns / 2, SIDE);
		else
			rows = avk_up(rows / 2, SIDE);
		lay_out(t, rows, columns);
	}
	while (tiles_of(t) < cores && (rows > SIDE || columns > SIDE)) {
		if (columns >= rows)
			columns = avk_up(columns / 2, SIDE);
		else
			rows = avk_up(rows / 2, SIDE);
		lay_out(t, rows, columns);
	}
}

static void load_table(turning *t, asb_core core)
{
	avk_copy_in(t->b, core, 0, t->once, t->table, t->once, 1, t->offsets * sizeof(uint32_t), 0);
}

static uint64_t make_table(const turning *t)
{
	g_autofree int32_t *table = g_new(int32_t, t->offsets);
	g_autofree char *name = g_strdup_printf("%s.offsets", t->n->name);

	for (uint64_t i = 0; i < t->offsets; i++)
		table[i] = (int32_t)(i * t->in_blocks * BLOCK);
	return asb_tensor(t->b, name, ASC_I32, 1, t->offsets, t->offsets * sizeof(int32_t), false, table);
}

bool avk_transpose(asb *b, const ask_kernel *k, unsigned pad, GError **error)
{
	uint32_t node = g_array_index(k->nodes, uint32_t, 0);
	const graph_node *n = graph_at(k->g, node);
	turning t = {.b = b,
	             .m = asb_machine(b),
	             .n = n,
	             .from = k->place[n->in[0]].address,
	             .from_pitch = k->place[n->in[0]].pitch_bytes,
	             .to = k->place[node].address,
	             .to_pitch = k->place[node].pitch_bytes,
	             .rows = n->lanes,
	             .columns = n->rows,
	             .element = isa_type_bytes(n->type),
	             .pad = pad};
	uint64_t cores = avk_cores(b), tiles, across, table = 0;

	(void)error;
	choose_tile(&t, cores);
	across = (t.columns + t.tile_columns - 1) / t.tile_columns;
	tiles = tiles_of(&t);
	cores = MIN(cores, tiles);
	asb_node(b, n->name);
	if (t.element == 4)
		table = make_table(&t);
	asb_loop(b, avk_core(b, 0), "tiles");
	for (uint64_t c = 0; c < cores; c++) {
		uint64_t from = tiles * c / cores;

		t.table = table;
		if (table)
			load_table(&t, avk_core(b, (uint32_t)c));
		t.table = 0;
		for (uint64_t i = from; i < tiles * (c + 1) / cores; i++) {
			uint64_t row = i / across * t.tile_rows, column = i % across * t.tile_columns;

			asb_iteration(b, avk_core(b, (uint32_t)c), i - from);
			(t.element == 4 ? tile32 : tile16)(
				&t, avk_core(b, (uint32_t)c), t.once + (i - from) % SETS * t.bytes, row, column,
				MIN(t.tile_rows, t.rows - row), MIN(t.tile_columns, t.columns - column));
		}
	}
	return true;
}

bool ask_transpose(asb *b, const ask_kernel *k, GError **error)
{
	return avk_transpose(b, k, 1, error);
}
