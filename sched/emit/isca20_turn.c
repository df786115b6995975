/* SPDX-License-Identifier: Apache-2.0
 *
 * The two passes of a transposition.  Blocks are dealt to the hemispheres alternately.  Row blocks that do not exist
 * are read from one that does: what comes of them lands in lanes beyond the last row, or in a spare word.
 */
#include "sched/emit/isca20_turn.h"

typedef struct turner {
	isca *c;
	const isca_turn *turn;
	const isca_tensor *x, *y;
	unsigned side;
	unsigned parity; /* which buffer */
	unsigned byte;
	uint32_t first, count; /* blocks of the chunk */
	isca_template *t;
} turner;

static const isca_turn_block *block_at(const isca_turn *turn, unsigned side, uint64_t i)
{
	return &g_array_index(turn->blocks[side], isca_turn_block, i);
}

static uint64_t blocks_of(uint64_t size, uint64_t block)
{
	return (size - 1) / block + 1;
}

isca_turn *isca_turn_new(const isca *c, const low_transpose *work, const GArray *tensors)
{
	const isca_tensor *x = &g_array_index(tensors, isca_tensor, work->x);
	isca_turn *turn = g_new0(isca_turn, 1);
	uint64_t rows = blocks_of(x->rows, c->lanes), columns = blocks_of(x->lanes, c->lanes);
	/* row and column blocks of sixteen that occur in one block */
	unsigned high = (unsigned)MIN(c->superlanes, blocks_of(x->rows, ISCA_TURN_ROWS));
	unsigned wide = (unsigned)MIN(c->superlanes, blocks_of(x->lanes, ISCA_TURN_ROWS));

	*turn = (isca_turn){.x = work->x, .y = work->y};
	for (unsigned side = 0; side < 2; side++)
		turn->blocks[side] = g_array_new(FALSE, FALSE, sizeof(isca_turn_block));
	for (uint64_t column = 0; column < columns; column++)
		for (uint64_t row = 0; row < rows; row++) {
			isca_turn_block b = {row, column};

			g_array_append_val(turn->blocks[(row + column) % 2], b);
		}
	for (unsigned d = 0; d < c->superlanes; d++) {
		bool occurs = false;

		for (unsigned l = 0; l < wide; l++)
			occurs = occurs || (l + d) % c->superlanes < high;
		if (occurs)
			turn->distance[turn->distances++] = (uint8_t)d;
	}
	turn->chunk = (uint32_t)CLAMP(c->words_per_slice / (8 * c->superlanes), 1, turn->blocks[0]->len);
	return turn;
}

void isca_turn_free(isca_turn *turn)
{
	g_array_unref(turn->blocks[0]);
	g_array_unref(turn->blocks[1]);
	g_free(turn);
}

uint32_t isca_turn_place(const isca_tensor *t, uint64_t row, uint64_t block, unsigned byte)
{
	return isca_tile_place(&g_array_index(t->tiles, isca_tile, 0), row, block, byte);
}

static int sxm_position(const turner *w)
{
	return (int)w->c->m->pos_sxm.at[w->side];
}

static isca_track *add_sxm(turner *w, enum isa_op op, unsigned role, int64_t sampled, uint32_t count)
{
	const isa_machine *m = w->c->m;
	int queue = isa_machine_queue_find(m, ISA_UNIT_SXM, w->side, role, 0);

	return isca_add_unit(w->t, op, (unsigned)queue, (unsigned)m->sxm_queues.at[role], sampled - m->sxm_skew_cycles,
	                     count);
}

/* Places the template, or says why not. */
static enum isca_fit finish(turner *w)
{
	enum isca_fit fit = isca_prepare(w->t);

	if (fit == ISCA_FITS)
		isca_place(w->t);
	else if (fit == ISCA_CLASH)
		isca_refuse_clash(w->c, "a transposition");
	isca_template_free(w->t);
	return fit;
}

/* First pass: COUNT times sixteen rows, from number FIRST on, through a transposer into the buffer. */
static enum isca_fit turn_rows(turner *w, uint32_t first, uint32_t count)
{
	const isca *c = w->c;
	const isa_machine *m = c->m;
	bool west = w->side == 0;
	int in, out;
	isca_track *k;

	w->t = isca_template_new(w->c, 1);
	in = isca_add_wire(w->t, west, ISCA_TURN_ROWS, count, sxm_position(w), 0);
	for (unsigned j = 0; j < ISCA_TURN_ROWS; j++) {
		k = isca_add_memory(w->t, ISA_OP_READ, in, j, count);
		for (uint32_t i = 0; i < count; i++) {
			const isca_turn_block *b = block_at(w->turn, w->side, w->first + (first + i) / c->superlanes);
			uint64_t row = b->row * c->lanes + (first + i) % c->superlanes * ISCA_TURN_ROWS;

			row = row < w->x->rows ? row : b->row * c->lanes;
			k->place[i] = isca_turn_place(w->x, row + j, b->column, w->byte);
		}
	}
	k = add_sxm(w, ISA_OP_TRANSPOSE, ISA_SXM_TRANSPOSE, 0, count);
	k->result = (int32_t)(m->sxm_skew_cycles + m->sxm_transpose_cycles);
	isca_sample(w->t, k, 0, in, 0, ISCA_TURN_ROWS, sxm_position(w));
	out = isca_add_wire(w->t, !west, ISCA_TURN_ROWS, count, sxm_position(w), k->issue + k->result);
	isca_drive(w->t, k, out, sxm_position(w));
	for (unsigned j = 0; j < ISCA_TURN_ROWS; j++) {
		k = isca_add_memory(w->t, ISA_OP_WRITE, out, j, count);
		k->traffic = ISCA_TRAFFIC_BUFFERS;
		for (uint32_t i = 0; i < count; i++)
			k->place[i] = isca_tile_place(&w->turn->buffer[w->side][w->parity],
			                              (first + i) / c->superlanes * ISCA_TURN_ROWS + j,
			                              (first + i) % c->superlanes, 0);
	}
	return finish(w);
}

/* lane -> the same lane D superlanes before it. */
static uint16_t rotation_map(const isca *c, unsigned d)
{
	uint16_t lanes[G_N_ELEMENTS(((isa_lane_map *)NULL)->lane)];
	unsigned shift = d * (unsigned)c->m->lanes_per_superlane;

	for (unsigned i = 0; i < G_N_ELEMENTS(lanes); i++)
		lanes[i] = (uint16_t)(i < c->lanes ? (i + c->lanes - shift) % c->lanes : i);
	return (uint16_t)isa_program_add_map(c->program, lanes);
}

/* COUNT map vectors of a tile, from row FIRST of a batch on. */
static void add_map(turner *w, const isca_tile *tile, unsigned batch, uint32_t first, uint32_t count, int wire)
{
	isca_track *k = isca_add_memory(w->t, ISA_OP_READ, wire, 0, count);

	k->traffic = ISCA_TRAFFIC_BUFFERS;
	for (uint32_t i = 0; i < count; i++)
		k->place[i] = isca_tile_place(tile, batch * tile->period + first + i, 0, 0);
}

uint32_t isca_turn_target(const isca *c, const isca_turn *turn, const isca_tensor *y, unsigned side, uint64_t i,
                          unsigned d, unsigned s, unsigned column, unsigned byte)
{
	const isca_turn_block *b = block_at(turn, side, i);
	uint64_t first = b->column * c->lanes + (s + c->superlanes - d) % c->superlanes * ISCA_TURN_ROWS;

	if (first < y->rows)
		return isca_turn_place(y, first + column, b->row, byte);
	return (isca_turn_place(y, b->column * c->lanes + column, b->row, byte) & 0xffff0000) | turn->spare[side];
}

/* Second pass, distance number NUMBER, vectors GROUP .. GROUP + 3 of COUNT blocks of the chunk: gather, rotate,
 * scatter. */
static enum isca_fit turn_blocks(turner *w, unsigned number, unsigned group, uint32_t first, uint32_t count)
{
	const isca *c = w->c;
	const isa_machine *m = c->m;
	const isca_turn *turn = w->turn;
	unsigned d = turn->distance[number];
	bool west = w->side == 0;
	int position = sxm_position(w), addresses, in, out, targets;
	isca_track *k;

	w->t = isca_template_new(w->c, 1);
	addresses = isca_add_wire(w->t, west, 1, count, position, -m->mem_gather_cycles);
	in = isca_add_wire(w->t, west, ISCA_TURN_GROUP, count, position, 0);
	add_map(w, &turn->gather[w->side], w->parity * turn->distances + number, first, count, addresses);
	for (unsigned j = 0; j < ISCA_TURN_GROUP; j++) {
		k = isca_add_gather(w->t, addresses, in, j, count);
		k->traffic = ISCA_TRAFFIC_BUFFERS;
		for (uint32_t i = 0; i < count; i++)
			for (unsigned s = 0; s < c->superlanes; s++) {
				uint32_t place = isca_tile_place(&turn->buffer[w->side][w->parity],
				                                 (first + i) * ISCA_TURN_ROWS + group + j,
				                                 (s + d) % c->superlanes, 0);

				k->place[i] = place & 0xffff0000;
				k->spread[i * c->superlanes + s] = (uint16_t)place;
			}
	}
	k = add_sxm(w, ISA_OP_PERMUTE, ISA_SXM_PERMUTE, 0, count);
	k->insn.type = ISA_TYPE_I32;
	k->insn.map = rotation_map(c, d);
	k->result = (int32_t)(m->sxm_skew_cycles + m->sxm_permute_cycles + (d ? (int64_t)(c->superlanes - d) : 0));
	isca_sample(w->t, k, 0, in, 0, ISCA_TURN_GROUP, position);
	out = isca_add_wire(w->t, !west, ISCA_TURN_GROUP, count, position, k->issue + k->result);
	isca_drive(w->t, k, out, position);
	targets = isca_add_wire(w->t, !west, 1, count, position, k->issue + k->result);
	add_map(w, &turn->scatter[w->side], w->byte * turn->distances + number, w->first + first, count, targets);
	for (unsigned j = 0; j < ISCA_TURN_GROUP; j++) {
		k = isca_add_scatter(w->t, targets, out, j, count);
		for (uint32_t i = 0; i < count; i++)
			for (unsigned s = 0; s < c->superlanes; s++) {
				uint32_t place = isca_turn_target(c, turn, w->y, w->side, w->first + first + i, d, s,
				                                  group + j, w->byte);

				k->place[i] = place & 0xffff0000;
				k->spread[i * c->superlanes + s] = (uint16_t)place;
			}
	}
	return finish(w);
}

static bool turn_chunk(turner *w)
{
	uint32_t rows = w->count * w->c->superlanes;
	enum isca_fit fit;

	for (uint32_t first = 0, n = rows; first < rows; first += fit == ISCA_FITS ? n : 0) {
		n = MIN(n, rows - first);
		fit = turn_rows(w, first, n);
		if (fit == ISCA_CLASH)
			return false;
		if (fit == ISCA_LONG)
			n /= 2;
	}
	for (unsigned number = 0; number < w->turn->distances; number++)
		for (unsigned group = 0; group < ISCA_TURN_ROWS; group += ISCA_TURN_GROUP)
			for (uint32_t first = 0, n = w->count; first < w->count; first += fit == ISCA_FITS ? n : 0) {
				n = MIN(n, w->count - first);
				fit = turn_blocks(w, number, group, first, n);
				if (fit == ISCA_CLASH)
					return false;
				if (fit == ISCA_LONG)
					n /= 2;
			}
	return true;
}

bool isca_emit_turn(isca *c, const isca_turn *turn, const GArray *tensors)
{
	turner w = {.c = c,
	            .turn = turn,
	            .x = &g_array_index(tensors, isca_tensor, turn->x),
	            .y = &g_array_index(tensors, isca_tensor, turn->y)};
	unsigned bytes = isa_type_bytes(w.x->type), turns = 0;

	for (uint32_t first = 0; first < turn->blocks[0]->len; first += turn->chunk)
		for (w.byte = 0; w.byte < bytes; w.byte++, turns++)
			for (w.side = 0; w.side < 2; w.side++) {
				if (first >= turn->blocks[w.side]->len)
					continue;
				w.parity = turns % 2;
				w.first = first;
				w.count = MIN(turn->chunk, turn->blocks[w.side]->len - first);
				if (!turn_chunk(&w))
					return false;
			}
	return true;
}
