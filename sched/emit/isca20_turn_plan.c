/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of a transposition: the buffer between its passes, and address vectors.
 *
 * Address vectors run beside the data, so their slices lie upstream: those of the gathers inside of the buffer (or in
 * the other hemisphere), those of the scatters outside of the result.
 */
#include "sched/emit/isca20_plan.h"

typedef struct turn_plan {
	isca_plan *plan;
	isca_turn *turn;
	isca_wish wish;
} turn_plan;

static isca_tile buffer_tile(const isca *c, const isca_turn *turn)
{
	isca_tile tile = {.period = ISCA_TURN_ROWS,
	                  .rows = ISCA_TURN_ROWS,
	                  .batches = turn->chunk,
	                  .blocks = c->superlanes,
	                  .bytes = 1};

	isca_tile_add(&tile, ISCA_DIM_ROW, 1, 0, 1, 0);
	isca_tile_add(&tile, ISCA_DIM_BLOCK, 1, 0, 0, 1);
	isca_tile_add(&tile, ISCA_DIM_BATCH, 1, 0, 0, c->superlanes);
	return tile;
}

/* Address vectors: ROWS of each of BATCHES. */
static isca_tile map_tile(const turn_plan *p, uint64_t rows, uint64_t batches)
{
	isca_tile tile = {.period = rows, .rows = rows, .batches = batches, .blocks = 1, .bytes = 1};
	isca_fold folds[] = {{ISCA_DIM_ROW, 1, rows}, {ISCA_DIM_BATCH, 1, batches}};

	isca_tile_lay(&tile, 1, folds, 2, p->plan->part_words, 1);
	return tile;
}

/* Slices that values flowing outward through hemisphere SIDE (inward: OUT false) pass before, or with, those of SET. */
static isca_set upstream_of(const isca *c, const isca_set *set, unsigned side, bool out)
{
	bool west = out == (side == 0);
	isca_set before = {{0}};

	for (unsigned s = 0; s < 2 * c->slices_per_side; s++) {
		bool first = out || s / c->slices_per_side == side;

		for (unsigned o = 0; o < 2 * c->slices_per_side && first; o++) {
			int difference = c->slices[s].position - c->slices[o].position;

			if (isca_set_has(set, o) && (west ? difference < 0 : difference > 0))
				first = false;
		}
		if (first)
			isca_set_add(&before, s);
	}
	return before;
}

static bool place_map(turn_plan *p, isca_tile *tile, const isca_set *within)
{
	isca_wish wish = p->wish;

	wish.first = 0;
	wish.bound = true;
	wish.within = *within;
	if (!isca_allocate(p->plan->c, tile, &wish))
		return false;
	isca_set_join(&p->wish.avoid, &tile->slices);
	return true;
}

static bool place_side(turn_plan *p, unsigned side)
{
	const isca *c = p->plan->c;
	isca_turn *turn = p->turn;
	const isca_tensor *y = isca_plan_tensor(p->plan, turn->y);
	isca_set buffers = {{0}}, before;

	for (unsigned i = 0; i < 2; i++) {
		isca_wish wish = p->wish;

		wish.side = (int)side;
		wish.outward = true;
		turn->buffer[side][i] = buffer_tile(c, turn);
		if (!isca_allocate(p->plan->c, &turn->buffer[side][i], &wish))
			return false;
		isca_set_join(&buffers, &turn->buffer[side][i].slices);
	}
	isca_set_join(&p->wish.avoid, &buffers);
	turn->gather[side] = map_tile(p, turn->chunk, 2 * turn->distances);
	turn->scatter[side] = map_tile(p, turn->blocks[side]->len, isa_type_bytes(y->type) * (uint64_t)turn->distances);
	before = upstream_of(c, &buffers, side, true);
	if (!place_map(p, &turn->gather[side], &before))
		return false;
	before = upstream_of(c, &g_array_index(y->tiles, isca_tile, 0).slices, side, false);
	return place_map(p, &turn->scatter[side], &before);
}

bool isca_place_turn(isca_plan *plan, isca_operation *op, uint32_t number)
{
	turn_plan p = {plan, op->turn, {.side = -1, .avoid = op->used, .first = number, .last = number}};
	const isca_tile *y = &g_array_index(isca_plan_tensor(plan, op->turn->y)->tiles, isca_tile, 0);

	for (unsigned side = 0; side < 2; side++)
		op->turn->spare[side] = y->word + y->height - 1 - side;
	for (unsigned side = 0; side < 2; side++)
		if (op->turn->blocks[side]->len && !place_side(&p, side))
			return false;
	return true;
}

/* --------------------------------------------------------------------------------------------------- contents */

typedef struct maps {
	const isca *c;
	const isca_turn *turn;
	const isca_tensor *y;
	unsigned side;
} maps;

static void put_address(const maps *s, unsigned superlane, uint32_t place, uint8_t *out)
{
	uint8_t *at = out + superlane * (size_t)s->c->m->lanes_per_superlane;

	at[0] = (uint8_t)place;
	at[1] = (uint8_t)(place >> 8);
}

static void gather_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const maps *s = state;
	const isca_turn *turn = s->turn;
	uint64_t batch = row / turn->chunk, i = row % turn->chunk;
	unsigned parity = (unsigned)(batch / turn->distances), d = turn->distance[batch % turn->distances];

	(void)block;
	(void)byte;
	for (unsigned l = 0; l < s->c->superlanes; l++)
		put_address(s, l,
		            isca_tile_place(&turn->buffer[s->side][parity], i * ISCA_TURN_ROWS,
		                            (l + d) % s->c->superlanes, 0),
		            out);
}

static void scatter_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const maps *s = state;
	const isca_turn *turn = s->turn;
	uint64_t batch = row / turn->blocks[s->side]->len, i = row % turn->blocks[s->side]->len;

	(void)block;
	(void)byte;
	for (unsigned l = 0; l < s->c->superlanes; l++)
		put_address(s, l,
		            isca_turn_target(s->c, turn, s->y, s->side, i, turn->distance[batch % turn->distances], l,
		                             0, (unsigned)(batch / turn->distances)),
		            out);
}

static void zero_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	(void)state;
	(void)row;
	(void)block;
	(void)byte;
	(void)out;
}

/* Rows beyond the last, up to a multiple of sixteen, of an operand that is computed: read, but never written. */
static void fill_rest(isca *c, const isca_tensor *x)
{
	uint64_t end = (x->rows + ISCA_TURN_ROWS - 1) / ISCA_TURN_ROWS * ISCA_TURN_ROWS;

	for (uint64_t row = x->rows; row < end; row++)
		for (uint64_t block = 0; block < x->blocks; block++)
			for (unsigned byte = 0; byte < isa_type_bytes(x->type); byte++) {
				uint32_t place = isca_turn_place(x, row, block, byte);
				isca_tile word = {.period = 1,
				                  .rows = 1,
				                  .batches = 1,
				                  .blocks = 1,
				                  .bytes = 1,
				                  .slice = place >> 16,
				                  .word = place & 0xffff,
				                  .height = 1};

				isca_set_add(&word.slices, place >> 16);
				isca_fill_tile(c, &word, c->options->functional ? zero_word : NULL, NULL);
			}
}

void isca_fill_turn(isca_plan *plan, const isca_turn *turn)
{
	isca *c = plan->c;
	const isca_tensor *x = isca_plan_tensor(plan, turn->x);
	maps s = {c, turn, isca_plan_tensor(plan, turn->y), 0};

	for (s.side = 0; s.side < 2; s.side++) {
		if (!turn->blocks[s.side]->len)
			continue;
		isca_fill_tile(c, &turn->gather[s.side], gather_word, &s);
		isca_fill_tile(c, &turn->scatter[s.side], scatter_word, &s);
	}
	if (!x->host)
		fill_rest(c, x);
}
