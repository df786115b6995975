/* SPDX-License-Identifier: Apache-2.0
 *
 * The two products of tiled attention, rows being queries: scores = Q K^T of a tile, and powers x V of it.  Queries
 * stay in L0A for a unit; K as it lies and V as the graph has it, transposed, have the order of L0B already.
 *
 * Tiles are asked for as soon as the tile whose place they take has been used; one that is still in its place from the
 * unit before is not loaded again.
 */
#include "sched/emit/ascend/flash.h"
#include "sched/emit/ascend/vector_int.h"

enum { FRACTAL = 512, SQUARE = ATN_SIDE * ATN_SIDE };

/* ---- tiles ---- */

/* What fills the last fractals are keys again: nothing comes of their products. */
static void load_keys(fla *f, uint64_t dst, const fla_tile *t, uint64_t head)
{
	uint64_t base = t->k.address + head * t->keys * t->k.pitch_bytes, now;

	atn_to_fractals(&f->a, dst, base, t->keys, f->a.depth, t->k.pitch_bytes, t->pitch);
	for (uint64_t at = t->keys; at < t->pitch; at += now) {
		now = MIN(t->pitch - at, t->keys);
		atn_to_fractals(&f->a, dst + at * ATN_BLOCK, base, now, f->a.depth, t->k.pitch_bytes, t->pitch);
	}
}

static void load_next(fla *f, bool values)
{
	uint64_t *next = values ? &f->next_v : &f->next_k, *held = values ? f->held_v : f->held_k, item = *next;
	const atn_ring *r = values ? &f->v : &f->k;
	const fla_tile *t;
	uint64_t head, mark;

	if (item >= fla_items(f))
		return;
	(*next)++;
	t = fla_tile_of(f, item);
	head = fla_unit_of(f, item)->head;
	mark = head * f->tiles->len + item % f->tiles->len + 1;
	if (held[item % r->turns] == mark)
		return;
	held[item % r->turns] = mark;
	if (values)
		atn_to_fractals(&f->a, r->address[item % r->turns], t->v.address + head * f->a.depth * t->v.pitch_bytes,
		                f->a.depth, t->keys, t->v.pitch_bytes, f->a.depth);
	else
		load_keys(f, r->address[item % r->turns], t, head);
}

static uint64_t queries_at(const fla *f, uint64_t unit)
{
	return f->a.l1_q.address[unit % f->a.l1_q.turns];
}

static void load_queries(fla *f, uint64_t unit)
{
	const atn_unit *u;

	if (unit >= f->a.units->len)
		return;
	u = atn_unit_at(&f->a, unit);
	atn_to_fractals(&f->a, queries_at(f, unit),
	                f->a.q.address + u->head * f->a.depth * f->a.q.pitch_bytes + u->first * ATN_HALF, f->a.depth,
	                u->queries, f->a.q.pitch_bytes, f->a.depth);
}

/* ---- products ---- */

void fla_make_scores(fla *f, uint64_t item)
{
	atn *a = &f->a;
	uint64_t unit = item / f->tiles->len, wide = atn_up(fla_unit_of(f, item)->queries, ATN_SIDE);
	const fla_tile *t = fla_tile_of(f, item);

	asb_node(a->b, a->name_scores);
	if (!item) {
		load_queries(f, 0);
		for (unsigned i = 0; i < f->k.turns; i++)
			load_next(f, false);
	}
	if (item % f->tiles->len == 0) {
		f->at_q = atn_turn(&f->l0a_q);
		atn_load2d(a, ASC_OP_LOAD2D_A, f->at_q, queries_at(f, unit), wide * a->depth / SQUARE, true);
		load_queries(f, unit + 1);
	}
	for (uint64_t at = 0; at < t->keys; at += a->chunk) {
		uint64_t keys = MIN(a->chunk, t->keys - at), at_b = atn_turn(&a->l0b), c = atn_turn(&a->l0c_s);
		uint64_t of_column = atn_up(keys, ATN_SIDE) / ATN_SIDE;

		/* A column of fractals holds the keys of the whole tile. */
		for (uint64_t d = 0; d < a->depth / ATN_SIDE && a->chunk < t->pitch; d++)
			atn_load2d(a, ASC_OP_LOAD2D_B, at_b + d * of_column * FRACTAL,
			           f->k.address[item % f->k.turns] + (d * t->pitch + at) * ATN_BLOCK, of_column, false);
		if (a->chunk >= t->pitch)
			atn_load2d(a, ASC_OP_LOAD2D_B, at_b, f->k.address[item % f->k.turns],
			           of_column * a->depth / ATN_SIDE, false);
		atn_multiply(a, c, f->at_q, at_b, (uint64_t[]){wide, a->depth, keys}, true, true);
		if (a->coupled)
			atn_to_ub(a, c, wide, keys, fla_in(&f->soft[0].scores, item) + at * ATN_HALF, t->pitch);
		else
			atn_way_out(a, c, wide, keys, fla_scores_at(f, item) + at * ATN_HALF, f->tile * ATN_HALF);
	}
	load_next(f, false);
	for (unsigned i = 0; !item && i < f->v.turns; i++)
		load_next(f, true);
}

void fla_make_products(fla *f, uint64_t item)
{
	atn *a = &f->a;
	uint64_t wide = atn_up(fla_unit_of(f, item)->queries, ATN_SIDE), p = fla_in(&a->l1_p, item);
	uint64_t c = atn_turn(&a->l0c_o);
	const fla_tile *t = fla_tile_of(f, item);

	asb_node(a->b, a->name_out);
	if (!a->coupled)
		atn_to_fractals(a, p, fla_scores_at(f, item), wide, t->keys, f->tile * ATN_HALF, wide);
	for (uint64_t at = 0; at < t->keys; at += a->chunk) {
		uint64_t keys = MIN(a->chunk, t->keys - at), at_a = atn_turn(&f->l0a_p), at_b = atn_turn(&a->l0b);

		atn_load_rows(a, at_a, p, wide, t->pitch, at, keys);
		atn_load2d(a, ASC_OP_LOAD2D_B, at_b, f->v.address[item % f->v.turns] + at * a->depth * ATN_HALF,
		           atn_up(keys, ATN_SIDE) * a->depth / SQUARE, false);
		atn_multiply(a, c, at_a, at_b, (uint64_t[]){wide, keys, a->depth}, !at, at + keys == t->keys);
	}
	load_next(f, true);
	if (a->coupled)
		atn_to_ub(a, c, wide, a->depth, fla_in(&f->soft[0].products, item), a->depth);
	else
		atn_way_out(a, c, wide, a->depth, fla_products_at(f, item), a->depth * ATN_HALF);
}

/* ---- buffers ---- */

static uint64_t tile_bytes(const fla *f)
{
	return f->tile * f->a.depth * ATN_HALF;
}

static uint64_t rest_of_l1(const fla *f)
{
	const atn *a = &f->a;
	uint64_t l1 = (uint64_t)asc_space_bytes(a->machine, ASC_L1);
	uint64_t taken = ATN_TURNS * a->width * (a->depth + f->tile) * ATN_HALF;

	return l1 > taken ? l1 - taken : 0;
}

bool fla_cube_fits(const fla *f)
{
	const atn *a = &f->a;
	uint64_t sums = (ATN_TURNS * a->width * a->chunk + a->width * a->depth) * ATN_SUM;

	return ATN_TURNS * a->width * (a->depth + a->chunk) * ATN_HALF <= (uint64_t)a->machine->l0a_bytes &&
	       ATN_TURNS * a->chunk * a->depth * ATN_HALF <= (uint64_t)a->machine->l0b_bytes &&
	       sums <= (uint64_t)a->machine->l0c_bytes && 2 * ATN_TURNS * tile_bytes(f) <= rest_of_l1(f);
}

bool fla_cube_take(fla *f, GError **error)
{
	atn *a = &f->a;
	uint64_t tiles = f->tiles->len, all = rest_of_l1(f) / tile_bytes(f), sums = (uint64_t)a->machine->l0c_bytes;
	uint64_t keys = MIN(MAX(MIN(tiles, all - ATN_TURNS), ATN_TURNS), ATN_MOST_TURNS);
	uint64_t values = MIN(MAX(MIN(tiles, all - keys), ATN_TURNS), ATN_MOST_TURNS);
	uint64_t left = sums - ATN_TURNS * a->width * a->chunk * ATN_SUM, of_out = a->width * a->depth * ATN_SUM;

	f->next_k = f->next_v = 0;
	memset(f->held_k, 0, sizeof(f->held_k));
	memset(f->held_v, 0, sizeof(f->held_v));
	return atn_take_ring(a, a->core, &f->l0a_q, ASC_L0A, a->width * a->depth * ATN_HALF, FRACTAL, ATN_TURNS,
	                     error) &&
	       atn_take_ring(a, a->core, &f->l0a_p, ASC_L0A, a->width * a->chunk * ATN_HALF, FRACTAL, ATN_TURNS,
	                     error) &&
	       atn_take_ring(a, a->core, &a->l0b, ASC_L0B, a->chunk * a->depth * ATN_HALF, FRACTAL, ATN_TURNS, error) &&
	       atn_take_ring(a, a->core, &a->l0c_s, ASC_L0C, a->width * a->chunk * ATN_SUM, 2 * FRACTAL, ATN_TURNS,
	                     error) &&
	       atn_take_ring(a, a->core, &a->l0c_o, ASC_L0C, of_out, 2 * FRACTAL,
	                     (unsigned)MIN(left / of_out, ATN_TURNS), error) &&
	       atn_take_ring(a, a->core, &a->l1_q, ASC_L1, a->width * a->depth * ATN_HALF, FRACTAL, ATN_TURNS, error) &&
	       atn_take_ring(a, a->core, &a->l1_p, ASC_L1, a->width * f->tile * ATN_HALF, FRACTAL, ATN_TURNS, error) &&
	       atn_take_ring(a, a->core, &f->k, ASC_L1, tile_bytes(f), FRACTAL, (unsigned)keys, error) &&
	       atn_take_ring(a, a->core, &f->v, ASC_L1, tile_bytes(f), FRACTAL, (unsigned)values, error);
}
