/* SPDX-License-Identifier: Apache-2.0
 *
 * The two products of attention.
 *
 * Scores: queries x keys, a row a query.  Queries come as columns of a [depth][queries] tensor and are transposed
 * fractal by fractal on their way into L0A, where they stay for the whole unit; keys are rows of K and already have the
 * order of L0B.  Each product is the sum over the depth in its order, as the graph has it for the transposed scores.
 *
 * Output: [depth][queries] = V x P; rows of P are the columns of L0B.  Sums stay in L0C from the first key to the last.
 *
 * Stages of K and V are asked for as soon as the stage whose place they take has been used; what a head's next unit
 * finds in its place is not loaded again.
 */
#include "sched/emit/ascend/attention.h"
#include "sched/emit/ascend/vector_int.h"

enum { UNIT_OBEY = 2, UNIT_HAND_OVER = 3, FP16_OUT = 1, FRACTAL = 512 };

static bool last_rows_fill_units(const atn *a)
{
	return !a->coupled && (uint64_t)a->machine->fix_unit_bytes <= ATN_SIDE * ATN_SIDE * ATN_SUM;
}

void atn_to_fractals(atn *a, uint64_t dst, uint64_t src, uint64_t rows, uint64_t columns, uint64_t pitch_bytes,
                     uint64_t column_rows)
{
	asc_insn insn = asc_insn_make(ASC_OP_ND2NZ);

	avk_set(&insn, "type", ASC_F16);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "n", (int64_t)rows);
	avk_set(&insn, "d", (int64_t)columns);
	avk_set(&insn, "src_pitch", (int64_t)(pitch_bytes / ATN_HALF));
	avk_set(&insn, "dst_c0_stride", (int64_t)column_rows);
	asb_step(a->b, a->core, &insn);
}

void atn_load2d(atn *a, enum asc_op op, uint64_t dst, uint64_t src, uint64_t fractals, bool transpose)
{
	asc_insn insn = asc_insn_make(op);

	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "repeat", (int64_t)fractals);
	avk_set(&insn, "transpose", transpose);
	asb_step(a->b, a->core, &insn);
}

void atn_multiply(atn *a, uint64_t c, uint64_t at_a, uint64_t at_b, const uint64_t size[3], bool first, bool last)
{
	asc_insn insn = asc_insn_make(ASC_OP_MMAD);

	avk_set(&insn, "type", ASC_F16);
	avk_set(&insn, "c", (int64_t)c);
	avk_set(&insn, "a", (int64_t)at_a);
	avk_set(&insn, "b", (int64_t)at_b);
	avk_set(&insn, "m", (int64_t)size[0]);
	avk_set(&insn, "k", (int64_t)size[1]);
	avk_set(&insn, "n", (int64_t)size[2]);
	avk_set(&insn, "init", first);
	if (last_rows_fill_units(a))
		avk_set(&insn, "unit_flag", last ? UNIT_HAND_OVER : UNIT_OBEY);
	asb_step(a->b, a->core, &insn);
}

/* ROWS x COLUMNS of L0C to rows of fp16 PITCH elements apart, of global memory or the unified buffer. */
static void leave(atn *a, uint64_t c, uint64_t rows, uint64_t columns, uint64_t dst, uint64_t pitch)
{
	asc_insn insn = asc_insn_make(a->coupled ? ASC_OP_L0C_TO_UB : ASC_OP_FIX_GM);

	avk_set(&insn, "type", ASC_F32);
	avk_set(&insn, "dtype", ASC_F16);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)c);
	avk_set(&insn, "m", (int64_t)rows);
	avk_set(&insn, "n", (int64_t)columns);
	avk_set(&insn, "src_stride", (int64_t)atn_up(rows, ATN_SIDE));
	avk_set(&insn, "dst_pitch", (int64_t)pitch);
	avk_set(&insn, "quant", FP16_OUT);
	avk_set(&insn, "nz2nd", 1);
	if (last_rows_fill_units(a))
		avk_set(&insn, "unit_flag", UNIT_HAND_OVER);
	asb_step(a->b, a->core, &insn);
}

void atn_way_out(atn *a, uint64_t c, uint64_t rows, uint64_t columns, uint64_t dst, uint64_t pitch_bytes)
{
	uint64_t pitch = atn_up(columns, ATN_SIDE), ub;

	if (!a->coupled) {
		leave(a, c, rows, columns, dst, pitch_bytes / ATN_HALF);
		return;
	}
	ub = atn_turn(&a->ub);
	leave(a, c, rows, columns, ub, pitch);
	avk_copy_out(a->b, a->core, dst, pitch_bytes, ub, pitch * ATN_HALF, rows, columns * ATN_HALF);
}

void atn_to_ub(atn *a, uint64_t c, uint64_t rows, uint64_t columns, uint64_t ub, uint64_t pitch)
{
	leave(a, c, rows, columns, ub, pitch);
}

/* ---- stages ---- */

/* Keys of head HEAD from FIRST on.  What fills the last fractals are keys again: nothing comes of their products. */
static void load_keys(atn *a, uint64_t dst, uint64_t head, uint64_t first, uint64_t keys)
{
	uint64_t base = a->k.address + head * a->keys * a->k.pitch_bytes, rows = atn_up(keys, ATN_SIDE), now;

	atn_to_fractals(a, dst, base + first * a->k.pitch_bytes, keys, a->depth, a->k.pitch_bytes, rows);
	for (uint64_t at = keys; at < rows; at += now) {
		now = MIN(rows - at, a->keys);
		atn_to_fractals(a, dst + at * ATN_BLOCK, base, now, a->depth, a->k.pitch_bytes, rows);
	}
}

static void load_next(atn *a, atn_feed *f, bool values)
{
	uint64_t unit = f->next / f->stages, stage = f->next % f->stages, first = stage * f->keys, head;
	unsigned turn = (unsigned)(f->next % f->ring.turns);

	if (unit >= a->units->len)
		return;
	head = atn_unit_at(a, unit)->head;
	f->next++;
	if (f->ring.turns == f->stages && f->held[turn] == head + 1)
		return;
	f->held[turn] = head + 1;
	if (values)
		atn_to_fractals(a, f->ring.address[turn],
		                a->v.address + head * a->depth * a->v.pitch_bytes + first * ATN_HALF, a->depth,
		                MIN(f->keys, a->keys - first), a->v.pitch_bytes, a->depth);
	else
		load_keys(a, f->ring.address[turn], head, first, MIN(f->keys, a->keys - first));
}

static uint64_t stage_at(const atn_feed *f, uint64_t unit, uint64_t stage)
{
	return f->ring.address[(unit * f->stages + stage) % f->ring.turns];
}

/* ---- products ---- */

static uint64_t queries_at(const atn *a, uint64_t number)
{
	return a->l1_q.address[number % a->l1_q.turns];
}

static void load_queries(atn *a, uint64_t number)
{
	const atn_unit *u;

	if (number >= a->units->len)
		return;
	u = atn_unit_at(a, number);
	atn_to_fractals(a, queries_at(a, number),
	                a->q.address + u->head * a->depth * a->q.pitch_bytes + u->first * ATN_HALF, a->depth,
	                u->queries, a->q.pitch_bytes, a->depth);
}

void atn_scores(atn *a, uint64_t number)
{
	uint64_t wide = atn_up(atn_unit_at(a, number)->queries, ATN_SIDE), at_a = atn_turn(&a->l0a);

	asb_node(a->b, a->name_scores);
	if (!number)
		load_queries(a, number);
	for (unsigned i = 0; !number && i < a->feed_k.ring.turns; i++)
		load_next(a, &a->feed_k, false);
	atn_load2d(a, ASC_OP_LOAD2D_A, at_a, queries_at(a, number), wide * a->depth / (ATN_SIDE * ATN_SIDE), true);
	for (uint64_t i = 0; i < a->feed_k.stages; i++) {
		uint64_t first = i * a->chunk, keys = MIN(a->chunk, a->keys - first), at_b = atn_turn(&a->l0b);
		uint64_t c = atn_turn(&a->l0c_s);

		atn_load2d(a, ASC_OP_LOAD2D_B, at_b, stage_at(&a->feed_k, number, i),
		           atn_up(keys, ATN_SIDE) * a->depth / (ATN_SIDE * ATN_SIDE), false);
		atn_multiply(a, c, at_a, at_b, (uint64_t[]){wide, a->depth, keys}, true, true);
		load_next(a, &a->feed_k, false);
		if (a->chip)
			atn_to_ub(a, c, wide, keys, atn_chip_scores(a, number) + first * ATN_HALF, a->pitch);
		else
			atn_way_out(a, c, wide, keys, atn_scores_at(a, number) + first * ATN_HALF, a->pitch * ATN_HALF);
	}
	for (unsigned i = 0; !number && i < a->feed_v.ring.turns; i++)
		load_next(a, &a->feed_v, true);
	load_queries(a, number + 1);
}

void atn_load_rows(atn *a, uint64_t dst, uint64_t src, uint64_t rows, uint64_t columns, uint64_t from, uint64_t count)
{
	asc_insn insn = asc_insn_make(ASC_OP_LOAD3D_A);

	avk_set(&insn, "type", ASC_F16);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "h", 1);
	avk_set(&insn, "w", (int64_t)rows);
	avk_set(&insn, "c", (int64_t)columns);
	avk_set(&insn, "k_start", (int64_t)from);
	avk_set(&insn, "k_extent", (int64_t)atn_up(count, ATN_SIDE));
	avk_set(&insn, "m_extent", (int64_t)rows);
	asb_step(a->b, a->core, &insn);
}

/* Keys of an mmad of the second product. */
static uint64_t keys_at_once(const atn *a)
{
	uint64_t l0a = (uint64_t)a->machine->l0a_bytes / 2, l0b = (uint64_t)a->machine->l0b_bytes / 2;
	uint64_t keys = MIN(l0a / (a->depth * ATN_HALF), l0b / (a->width * ATN_HALF)) / ATN_SIDE * ATN_SIDE;

	return MIN(keys, a->stage);
}

/* Stage STAGE of the unit's shares into the next turn of L1. */
static void load_shares(atn *a, uint64_t number, uint64_t stage)
{
	uint64_t first = stage * a->stage, wide = atn_up(atn_unit_at(a, number)->queries, ATN_SIDE), p;

	if (stage >= a->feed_v.stages)
		return;
	if (a->chip) {
		a->p_at[stage % ATN_TURNS] = atn_chip_shares(a, number) + first * wide * ATN_HALF;
		return;
	}
	p = a->p_at[stage % ATN_TURNS] = atn_turn(&a->l1_p);
	atn_to_fractals(a, p, atn_scores_at(a, number) + first * ATN_HALF, wide, MIN(a->stage, a->keys - first),
	                a->pitch * ATN_HALF, wide);
}

static void output_stage(atn *a, uint64_t number, uint64_t stage, uint64_t c)
{
	const atn_unit *u = atn_unit_at(a, number);
	uint64_t first = stage * a->stage, keys = MIN(a->stage, a->keys - first), wide = atn_up(u->queries, ATN_SIDE);
	uint64_t p = a->p_at[stage % ATN_TURNS], once = keys_at_once(a);

	for (uint64_t at = 0; at < keys; at += once) {
		uint64_t now = MIN(once, keys - at), at_a = atn_turn(&a->l0a), at_b = atn_turn(&a->l0b);

		atn_load_rows(a, at_a, stage_at(&a->feed_v, number, stage), a->depth, keys, at, now);
		atn_load2d(a, ASC_OP_LOAD2D_B, at_b, p + at * wide * ATN_HALF,
		           atn_up(now, ATN_SIDE) * wide / (ATN_SIDE * ATN_SIDE), false);
		atn_multiply(a, c, at_a, at_b, (uint64_t[]){a->depth, now, u->queries}, first + at == 0,
		             first + at + now == a->keys);
	}
	/* Shares first: they are needed sooner. */
	load_shares(a, number, stage + ATN_TURNS);
	load_next(a, &a->feed_v, true);
}

void atn_output(atn *a, uint64_t number)
{
	const atn_unit *u = atn_unit_at(a, number);
	uint64_t c = atn_turn(&a->l0c_o);

	asb_node(a->b, a->name_out);
	for (uint64_t i = 0; i < ATN_TURNS; i++)
		load_shares(a, number, i);
	for (uint64_t i = 0; i < a->feed_v.stages; i++)
		output_stage(a, number, i, c);
	atn_way_out(a, c, a->depth, u->queries,
	            a->o.address + u->head * a->depth * a->o.pitch_bytes + u->first * ATN_HALF, a->o.pitch_bytes);
}

/* ---- buffers ---- */

typedef struct needs {
	uint64_t q, p, k, v; /* bytes of a turn in L1 */
	uint64_t left;       /* of L1 */
} needs;

static bool needs_of(const atn *a, needs *n)
{
	uint64_t l1 = (uint64_t)asc_space_bytes(a->machine, ASC_L1), taken;

	n->q = a->width * a->depth * ATN_HALF;
	n->p = a->width * (a->chip ? a->pitch : atn_up(a->stage, ATN_SIDE)) * ATN_HALF;
	n->k = a->chunk * a->depth * ATN_HALF;
	n->v = a->depth * atn_up(a->stage, ATN_SIDE) * ATN_HALF;
	taken = ATN_TURNS * (n->q + n->p + n->k + n->v);
	n->left = l1 > taken ? l1 - taken : 0;
	return taken <= l1;
}

bool atn_cube_fits(atn *a)
{
	uint64_t sums = (ATN_TURNS * a->width * a->chunk + a->depth * a->width) * ATN_SUM;
	needs n;

	return a->width * a->depth * ATN_HALF * 2 <= (uint64_t)a->machine->l0a_bytes &&
	       a->chunk * a->depth * ATN_HALF * 2 <= (uint64_t)a->machine->l0b_bytes &&
	       a->width * ATN_SIDE * ATN_HALF * 2 <= (uint64_t)a->machine->l0b_bytes &&
	       a->depth * ATN_SIDE * ATN_HALF * 2 <= (uint64_t)a->machine->l0a_bytes &&
	       sums <= (uint64_t)a->machine->l0c_bytes && needs_of(a, &n);
}

/* As many turns as the rest of L1 holds, K before V: a head's stages stay where all of them fit. */
static bool take_feed(atn *a, atn_feed *f, uint64_t keys, uint64_t bytes, uint64_t *left, GError **error)
{
	uint64_t turns;

	f->keys = keys;
	f->next = 0;
	f->stages = atn_div_up(a->keys, keys);
	turns = MIN(ATN_TURNS + *left / bytes, f->stages);
	turns = MIN(turns, ATN_MOST_TURNS);
	if (turns > ATN_TURNS)
		*left -= (turns - ATN_TURNS) * bytes;
	memset(f->held, 0, sizeof(f->held));
	return atn_take_ring(a, a->core, &f->ring, ASC_L1, bytes, FRACTAL, (unsigned)turns, error);
}

static bool take_l0(atn *a, GError **error)
{
	uint64_t l0a = (uint64_t)a->machine->l0a_bytes / 2, l0b = (uint64_t)a->machine->l0b_bytes / 2;

	return atn_take_ring(a, a->core, &a->l0a, ASC_L0A, l0a, FRACTAL, 2, error) &&
	       atn_take_ring(a, a->core, &a->l0b, ASC_L0B, l0b, FRACTAL, 2, error) &&
	       atn_take_ring(a, a->core, &a->l0c_s, ASC_L0C, a->width * a->chunk * ATN_SUM, FRACTAL * 2, ATN_TURNS,
	                     error) &&
	       atn_take_ring(a, a->core, &a->l0c_o, ASC_L0C, a->depth * a->width * ATN_SUM, FRACTAL * 2, 1, error);
}

bool atn_cube_take(atn *a, GError **error)
{
	needs n;

	needs_of(a, &n);
	if (!take_l0(a, error) || !atn_take_ring(a, a->core, &a->l1_q, ASC_L1, n.q, FRACTAL, ATN_TURNS, error) ||
	    !atn_take_ring(a, a->core, &a->l1_p, ASC_L1, n.p, FRACTAL, ATN_TURNS, error) ||
	    !take_feed(a, &a->feed_k, a->chunk, n.k, &n.left, error) ||
	    !take_feed(a, &a->feed_v, a->stage, n.v, &n.left, error))
		return false;
	if (a->coupled &&
	    !atn_take_ring(a, a->core, &a->ub, ASC_UB, a->width * atn_up(MAX(a->chunk, a->depth), ATN_SIDE) * ATN_HALF,
	                   ATN_BLOCK, ATN_TURNS, error))
		return false;
	return true;
}
