/* SPDX-License-Identifier: Apache-2.0
 *
 * Powers of scores and the running maximum, sum and output of tiled attention, in the unified buffer: a row a query.
 *
 * The maximum is taken of the fp16 scores before they are scaled, which is the same since scaling by a positive number
 * keeps the order.  What rescales the output so far is kept until the product of the same tile is there; sums are kept
 * by unit, as the next one's begin before the last product of this one is added.
 */
#include "sched/emit/ascend/flash.h"
#include "sched/emit/ascend/vector_int.h"

enum { LANES = ATN_LANES, BLOCKS = ATN_BLOCKS, WORD = ATN_SUM, SQUARE_BYTES = ATN_SIDE * ATN_SIDE * ATN_HALF };

/* The rows of ITEM's unit that vector sub-core VECTOR has. */
static uint64_t share(const fla *f, uint64_t item, unsigned vector, uint64_t *first)
{
	uint64_t queries = fla_unit_of(f, item)->queries, vectors = asb_vectors(f->a.b);

	*first = queries * vector / vectors;
	return queries * (vector + 1) / vectors - *first;
}

static void each(fla *f, const fla_soft *s, enum asc_op op, uint64_t dst, uint64_t x, uint64_t y, uint64_t count)
{
	atn_run r = {.op = op,
	             .type = ASC_F32,
	             .dtype = ASC_F32,
	             .dst = dst,
	             .src = x,
	             .has_block = true,
	             .each = true,
	             .block = y};

	atn_put_run(&f->a, s->core, &r, count);
}

static void alone(fla *f, const fla_soft *s, enum asc_op op, uint64_t dst, uint64_t x, uint64_t count)
{
	atn_run r = {.op = op, .type = ASC_F32, .dtype = ASC_F32, .dst = dst, .src = x};

	atn_put_run(&f->a, s->core, &r, count);
}

static void scale(fla *f, const fla_soft *s, uint64_t at, uint64_t count)
{
	atn_run r = {.op = ASC_OP_VMULS,
	             .type = ASC_F32,
	             .dtype = ASC_F32,
	             .dst = at,
	             .src = at,
	             .has_scalar = true,
	             .scalar = f->a.scale};

	atn_put_run(&f->a, s->core, &r, count);
}

static void convert(fla *f, const fla_soft *s, enum asc_type from, uint64_t dst, uint64_t src, uint64_t count)
{
	atn_run r = {
		.op = ASC_OP_VCONV, .type = from, .dtype = from == ASC_F16 ? ASC_F32 : ASC_F16, .dst = dst, .src = src};

	atn_put_run(&f->a, s->core, &r, count);
}

/* ---- powers ---- */

/* The largest of each row of fp16 scores at IN, scaled, in DST. */
static void largest(fla *f, const fla_soft *s, const fla_tile *t, uint64_t in, uint64_t rows, uint64_t dst)
{
	uint64_t halves = atn_div_up(t->keys, ATN_SIDE), pitch = atn_up(halves, ATN_SIDE);
	atn_fold fold = {.op = ASC_OP_VCGMAX,
	                 .type = ASC_F16,
	                 .src = in,
	                 .src_pitch = t->pitch,
	                 .dst = s->partial[0],
	                 .dst_pitch = pitch};

	atn_put_folds(&f->a, s->core, &fold, rows, t->keys);
	atn_reduce(&f->a, s->core, s->partial, ASC_OP_VCGMAX, ASC_F16, s->value[0], s->partial[0], pitch, rows, halves,
	           1);
	convert(f, s, ASC_F16, dst, s->value[0], rows);
	scale(f, s, dst, rows);
}

/* The maximum so far, and how often what was there before counts. */
static void advance(fla *f, const fla_soft *s, uint64_t item, uint64_t in, uint64_t rows)
{
	uint64_t now = s->maximum[item % 2], old = s->maximum[(item + 1) % 2];

	if (item % f->tiles->len == 0) {
		largest(f, s, fla_tile_of(f, item), in, rows, now);
		return;
	}
	largest(f, s, fla_tile_of(f, item), in, rows, s->value[1]);
	each(f, s, ASC_OP_VMAX, now, old, s->value[1], rows);
	each(f, s, ASC_OP_VSUB, s->factor, old, now, rows);
	alone(f, s, ASC_OP_VEXP, s->factor, s->factor, rows);
	atn_spread(&f->a, s->core, s->block[fla_factor_of(item)], s->factor, rows);
}

static void add_sum(fla *f, const fla_soft *s, uint64_t item, uint64_t rows)
{
	const fla_tile *t = fla_tile_of(f, item);
	uint64_t sum = s->sum[fla_sum_of(f, item)], first = item % f->tiles->len == 0;

	atn_reduce(&f->a, s->core, s->partial, ASC_OP_VCGADD, ASC_F32, first ? sum : s->value[1], s->column, t->pitch,
	           rows, t->keys, 0);
	if (first)
		return;
	each(f, s, ASC_OP_VMUL, sum, sum, s->factor, rows);
	each(f, s, ASC_OP_VADD, sum, sum, s->value[1], rows);
}

/* On coupled cores rows of powers lie a block further apart: what takes a column of them meets all bank groups. */
static uint64_t powers_pitch(const fla *f, uint64_t pitch)
{
	return f->a.coupled ? pitch + ATN_SIDE : pitch;
}

static void send_powers(fla *f, fla_soft *s, uint64_t item, uint64_t memory, uint64_t rows)
{
	atn *a = &f->a;
	const fla_tile *t = fla_tile_of(f, item);
	uint64_t out = fla_in(&s->powers, item);

	if (a->coupled) {
		atn_round(a, s->core, out, powers_pitch(f, t->pitch), s->column, rows, t->pitch);
		atn_to_l1(a, s->core, fla_in(&a->l1_p, item), out, powers_pitch(f, t->pitch), atn_up(rows, ATN_SIDE),
		          t->pitch);
		return;
	}
	convert(f, s, ASC_F32, out, s->column, rows * t->pitch);
	avk_copy_out(a->b, s->core, memory, f->tile * ATN_HALF, out, t->pitch * ATN_HALF, rows, t->keys * ATN_HALF);
}

static void powers_of(fla *f, fla_soft *s, uint64_t item, uint64_t first, uint64_t rows)
{
	atn *a = &f->a;
	const fla_tile *t = fla_tile_of(f, item);
	uint64_t in = fla_in(&s->scores, item), all = rows * t->pitch;
	uint64_t memory = a->coupled ? 0 : fla_scores_at(f, item) + first * f->tile * ATN_HALF;

	if (!a->coupled)
		avk_copy_in(a->b, s->core, in, t->pitch * ATN_HALF, memory, f->tile * ATN_HALF, rows,
		            t->keys * ATN_HALF, 0);
	convert(f, s, ASC_F16, s->column, in, all);
	scale(f, s, s->column, all);
	advance(f, s, item, in, rows);
	atn_spread(a, s->core, s->block[0], s->maximum[item % 2], rows);
	atn_put_rows(a, s->core, ASC_OP_VSUB, s->column, t->pitch, rows, t->pitch, s->block[0]);
	alone(f, s, ASC_OP_VEXP, s->column, s->column, all);
	send_powers(f, s, item, memory, rows);
	add_sum(f, s, item, rows);
}

void fla_powers(fla *f, uint64_t item)
{
	asb_node(f->a.b, f->a.name_soft);
	for (unsigned v = 0; v < asb_vectors(f->a.b); v++) {
		uint64_t first, rows = share(f, item, v, &first);

		if (rows)
			powers_of(f, &f->soft[v], item, first, rows);
	}
}

/* ---- output ---- */

static void copy_blocks(fla *f, const fla_soft *s, uint64_t dst, uint64_t src, uint64_t repeats,
                        const uint64_t dst_step[2], const uint64_t src_step[2])
{
	asc_insn insn = asc_insn_make(ASC_OP_VCOPY);

	avk_set(&insn, "type", ASC_F16);
	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "repeat", (int64_t)repeats);
	avk_set(&insn, "dst_blk", (int64_t)dst_step[0]);
	avk_set(&insn, "dst_rep", (int64_t)dst_step[1]);
	avk_set(&insn, "src_blk", (int64_t)src_step[0]);
	avk_set(&insn, "src_rep", (int64_t)src_step[1]);
	asb_step(f->a.b, s->core, &insn);
}

/* [rows][depth] at FROM, rows in whole squares, become [depth][rows] at FROM; TO is used in between. */
static void turn(fla *f, const fla_soft *s, uint64_t from, uint64_t to, uint64_t rows)
{
	uint64_t columns = f->a.depth / ATN_SIDE, squares = rows / ATN_SIDE;
	asc_insn insn = asc_insn_make(ASC_OP_VTRANS);

	avk_mask_lanes(f->a.b, s->core, ATN_HALF_LANES);
	for (uint64_t c = 0; c < columns; c++)
		copy_blocks(f, s, to + c * rows * ATN_BLOCK, from + c * ATN_BLOCK, rows / BLOCKS,
		            (uint64_t[]){1, BLOCKS}, (uint64_t[]){columns, BLOCKS * columns});
	avk_set(&insn, "type", ASC_F16);
	for (uint64_t i = 0; i < columns * squares; i++) {
		avk_set(&insn, "dst", (int64_t)(from + i * SQUARE_BYTES));
		avk_set(&insn, "src", (int64_t)(to + i * SQUARE_BYTES));
		asb_step(f->a.b, s->core, &insn);
	}
	for (uint64_t i = 0; i < columns * squares; i++)
		copy_blocks(f, s, to + (i / squares * ATN_SIDE * squares + i % squares) * ATN_BLOCK,
		            from + i * SQUARE_BYTES, ATN_SIDE / BLOCKS, (uint64_t[]){squares, BLOCKS * squares},
		            (uint64_t[]){1, BLOCKS});
}

/* The output over the sum, whose reciprocal is the square of its reciprocal root, turned. */
static void give_out(fla *f, const fla_soft *s, uint64_t item, uint64_t first, uint64_t rows)
{
	atn *a = &f->a;
	const atn_unit *u = fla_unit_of(f, item);
	uint64_t sum = s->sum[fla_sum_of(f, item)], whole = atn_up(rows, ATN_SIDE);
	uint64_t half = s->column + f->rows * a->depth * ATN_HALF;

	alone(f, s, ASC_OP_VRSQRT, sum, sum, rows);
	each(f, s, ASC_OP_VMUL, sum, sum, sum, rows);
	atn_spread(a, s->core, s->block[fla_factor_of(item)], sum, rows);
	atn_put_rows(a, s->core, ASC_OP_VMUL, s->out, a->depth, rows, a->depth, s->block[fla_factor_of(item)]);
	/* Rows that fill up the last squares go nowhere; what lies there is of no matter, but it is there. */
	convert(f, s, ASC_F32, s->column, s->out, whole * a->depth);
	turn(f, s, s->column, half, whole);
	avk_copy_out(a->b, s->core,
	             a->o.address + u->head * a->depth * a->o.pitch_bytes + (u->first + first) * ATN_HALF,
	             a->o.pitch_bytes, half, whole * ATN_HALF, a->depth, rows * ATN_HALF);
}

static void add_product(fla *f, fla_soft *s, uint64_t item, uint64_t first, uint64_t rows)
{
	atn *a = &f->a;
	uint64_t in = fla_in(&s->products, item), all = rows * a->depth, row = a->depth * ATN_HALF;
	uint64_t tiles = f->tiles->len;

	if (!a->coupled)
		avk_copy_in(a->b, s->core, in, row, fla_products_at(f, item) + first * row, row, rows, row, 0);
	convert(f, s, ASC_F16, item % tiles ? s->column : s->out, in, all);
	if (item % tiles) {
		atn_put_rows(a, s->core, ASC_OP_VMUL, s->out, a->depth, rows, a->depth, s->block[fla_factor_of(item)]);
		each(f, s, ASC_OP_VADD, s->out, s->out, s->column, all);
	}
	if (item % tiles == tiles - 1)
		give_out(f, s, item, first, rows);
}

void fla_add_up(fla *f, uint64_t item)
{
	asb_node(f->a.b, f->a.name_out);
	for (unsigned v = 0; v < asb_vectors(f->a.b); v++) {
		uint64_t first, rows = share(f, item, v, &first);

		if (rows)
			add_product(f, &f->soft[v], item, first, rows);
	}
}

/* ---- buffers ---- */

static uint64_t listed_bytes(const fla *f)
{
	return atn_up(f->rows, LANES) * WORD;
}

/* Products wait for two items where they are made, on split cores in global memory. */
static unsigned product_turns(const fla *f)
{
	return f->a.coupled ? FLA_LAG + 1 : ATN_OUT_TURNS;
}

bool fla_soft_fits(const fla *f)
{
	enum { LISTS = 8, SPREADS = G_N_ELEMENTS(((fla_soft *)NULL)->block), PLACES = 24 };
	uint64_t row = MAX(f->tile, f->a.depth) * WORD + f->a.depth * WORD +
	               ATN_OUT_TURNS * (f->tile + powers_pitch(f, f->tile)) * ATN_HALF +
	               product_turns(f) * f->a.depth * ATN_HALF;
	uint64_t all = f->rows * row + atn_partial_bytes(f->tile, f->rows, 0) + atn_partial_bytes(f->tile, f->rows, 1) +
	               LISTS * listed_bytes(f) + SPREADS * f->rows * ATN_BLOCK + PLACES * BLOCKS * ATN_BLOCK;

	return all <= (uint64_t)asc_space_bytes(f->a.machine, ASC_UB);
}

bool fla_soft_take(fla *f, unsigned vector, GError **error)
{
	atn *a = &f->a;
	fla_soft *s = &f->soft[vector];
	uint64_t turn_bytes = BLOCKS * ATN_BLOCK, listed = listed_bytes(f), widest = MAX(f->tile, a->depth);

	*s = (fla_soft){.core = asb_vector(a->b, a->core / MAX(asb_cube(a->b, 1), 1), vector)};
	if (!asb_take(a->b, s->core, ASC_UB, f->rows * widest * WORD, turn_bytes, &s->column, error) ||
	    !asb_take(a->b, s->core, ASC_UB, f->rows * a->depth * WORD, turn_bytes, &s->out, error) ||
	    !atn_take_ring(a, s->core, &s->scores, ASC_UB, f->rows * f->tile * ATN_HALF, turn_bytes, ATN_OUT_TURNS,
	                   error) ||
	    !atn_take_ring(a, s->core, &s->powers, ASC_UB, f->rows * powers_pitch(f, f->tile) * ATN_HALF, turn_bytes,
	                   ATN_OUT_TURNS, error) ||
	    !atn_take_ring(a, s->core, &s->products, ASC_UB, f->rows * a->depth * ATN_HALF, turn_bytes,
	                   product_turns(f), error))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!asb_take(a->b, s->core, ASC_UB, atn_partial_bytes(f->tile, f->rows, i), ATN_BLOCK, &s->partial[i],
		              error) ||
		    !asb_take(a->b, s->core, ASC_UB, listed, ATN_BLOCK, &s->value[i], error) ||
		    !asb_take(a->b, s->core, ASC_UB, listed, ATN_BLOCK, &s->maximum[i], error))
			return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(s->sum); i++)
		if (!asb_take(a->b, s->core, ASC_UB, listed, ATN_BLOCK, &s->sum[i], error))
			return false;
	if (!asb_take(a->b, s->core, ASC_UB, listed, ATN_BLOCK, &s->factor, error))
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(s->block); i++)
		if (!asb_take(a->b, s->core, ASC_UB, f->rows * ATN_BLOCK, ATN_BLOCK, &s->block[i], error))
			return false;
	/* Blocks of equal numbers are made eight at a time, squares of 16 rows are turned as a whole. */
	asb_node(a->b, a->name_soft);
	for (unsigned i = 0; i < G_N_ELEMENTS(s->maximum); i++)
		atn_zero(a, s->core, s->maximum[i], listed);
	for (unsigned i = 0; i < G_N_ELEMENTS(s->sum); i++)
		atn_zero(a, s->core, s->sum[i], listed);
	atn_zero(a, s->core, s->factor, listed);
	/* Lanes behind the last key, rows behind the last query: nothing comes of them. */
	for (unsigned i = 0; a->coupled && i < ATN_OUT_TURNS; i++) {
		atn_zero(a, s->core, s->scores.address[i], f->rows * f->tile * ATN_HALF);
		atn_zero(a, s->core, s->powers.address[i], f->rows * powers_pitch(f, f->tile) * ATN_HALF);
	}
	atn_zero(a, s->core, s->out, atn_up(f->rows * a->depth, LANES) * WORD);
	return true;
}
