/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of rows of scores in the unified buffer: a row a query, keys along the lanes.
 *
 * A batch of rows stays in the buffer as fp32 from the first conversion to the last, whatever its length; only pieces
 * of fp16 rows come and go.  The maximum is taken of the scores before they are scaled, which is the same since scaling
 * by a positive number keeps the order, and takes half the cycles.
 */
#include "sched/emit/ascend/attention.h"
#include "sched/emit/ascend/vector_int.h"

enum { LANES = ATN_LANES, HALF_LANES = ATN_HALF_LANES, BLOCKS = ATN_BLOCKS, WORD = ATN_SUM, IO_BYTES = 8192 };

/* ---- a batch of rows ---- */

/* A piece that copies move: some rows, or a part of one. */
typedef struct piece {
	uint64_t row, rows, key, keys, pitch;
} piece;

static uint64_t pieces_of(const atn *a, uint64_t rows)
{
	return atn_div_up(rows, a->io_rows) * atn_div_up(a->keys, a->io_keys);
}

static piece piece_at(const atn *a, uint64_t rows, uint64_t i)
{
	uint64_t across = atn_div_up(a->keys, a->io_keys);
	piece p = {.row = i / across * a->io_rows, .key = i % across * a->io_keys};

	p.rows = MIN(a->io_rows, rows - p.row);
	p.keys = MIN(a->io_keys, a->keys - p.key);
	p.pitch = atn_up(p.keys, ATN_SIDE);
	return p;
}

static uint64_t scores_of(atn *a, const atn_batch *batch, const piece *p)
{
	return atn_scores_at(a, batch->unit) + ((batch->first + p->row) * a->pitch + p->key) * ATN_HALF;
}

static const atn_batch *batch_at(const atn_soft *s, uint64_t i)
{
	return &g_array_index(s->batches, atn_batch, i);
}

/* The next piece of batch NUMBER into the next turn. */
static void load_piece(atn *a, atn_soft *s, uint64_t number)
{
	const atn_batch *batch;
	piece p;

	if (number >= s->batches->len || a->chip)
		return;
	batch = batch_at(s, number);
	if (s->next != number) {
		s->next = number;
		s->pieces = 0;
	}
	if (s->pieces == pieces_of(a, batch->rows))
		return;
	p = piece_at(a, batch->rows, s->pieces);
	avk_copy_in(a->b, s->core, s->in.address[s->pieces % s->in.turns], p.pitch * ATN_HALF, scores_of(a, batch, &p),
	            a->pitch * ATN_HALF, p.rows, p.keys * ATN_HALF, 0);
	s->pieces++;
}

/* Scores become fp32 in the column, their maxima go to the first area of partial results. */
static void take_in(atn *a, atn_soft *s, uint64_t number)
{
	const atn_batch *batch = batch_at(s, number);
	uint64_t first = atn_up(atn_div_up(a->keys, ATN_SIDE), ATN_SIDE), pieces = pieces_of(a, batch->rows);

	while (!a->chip && (s->next != number || s->pieces < MIN(pieces, s->in.turns)))
		load_piece(a, s, number);
	for (uint64_t i = 0; i < pieces; i++) {
		piece p = piece_at(a, batch->rows, i);
		uint64_t in = a->chip ? atn_chip_scores(a, batch->unit) : s->in.address[i % s->in.turns];
		atn_fold f = {.op = ASC_OP_VCGMAX,
		              .type = ASC_F16,
		              .src = in,
		              .src_pitch = p.pitch,
		              .dst = s->partial[0] + (p.row * first + p.key / ATN_SIDE) * ATN_HALF,
		              .dst_pitch = first};
		atn_run up = {.op = ASC_OP_VCONV,
		              .type = ASC_F16,
		              .dtype = ASC_F32,
		              .src = in,
		              .dst = s->column + (p.row * a->pitch + p.key) * WORD};

		atn_put_folds(a, s->core, &f, p.rows, p.keys);
		atn_put_run(a, s->core, &up, p.rows * p.pitch);
		load_piece(a, s, number);
	}
}

static void find_maxima(atn *a, atn_soft *s, uint64_t rows)
{
	uint64_t first = atn_up(atn_div_up(a->keys, ATN_SIDE), ATN_SIDE);
	atn_run up = {.op = ASC_OP_VCONV, .type = ASC_F16, .dtype = ASC_F32, .dst = s->value[1], .src = s->value[0]};
	atn_run scale = {.op = ASC_OP_VMULS,
	                 .type = ASC_F32,
	                 .dtype = ASC_F32,
	                 .dst = s->value[1],
	                 .src = s->value[1],
	                 .has_scalar = true,
	                 .scalar = a->scale};

	atn_reduce(a, s->core, s->partial, ASC_OP_VCGMAX, ASC_F16, s->value[0], s->partial[0], first, rows,
	           atn_div_up(a->keys, ATN_SIDE), 1);
	atn_put_run(a, s->core, &up, rows);
	atn_put_run(a, s->core, &scale, rows);
	atn_spread(a, s->core, s->block[0], s->value[1], rows);
}

/* The sum's reciprocal: the square of its reciprocal root. */
static void find_factors(atn *a, atn_soft *s, uint64_t rows)
{
	atn_run root = {.op = ASC_OP_VRSQRT, .type = ASC_F32, .dtype = ASC_F32, .dst = s->value[0], .src = s->value[0]};
	asc_insn square = asc_insn_make(ASC_OP_VMUL);

	atn_reduce(a, s->core, s->partial, ASC_OP_VCGADD, ASC_F32, s->value[0], s->column, a->pitch, rows, a->keys, 0);
	atn_put_run(a, s->core, &root, rows);
	avk_set(&square, "type", ASC_F32);
	avk_set(&square, "dst", (int64_t)s->value[1]);
	avk_set(&square, "src0", (int64_t)s->value[0]);
	avk_set(&square, "src1", (int64_t)s->value[0]);
	for (uint64_t r = 0; r < rows; r += LANES) {
		avk_mask_lanes(a->b, s->core, MIN(rows - r, LANES));
		asb_step(a->b, s->core, &square);
		for (unsigned i = 1; i <= 3; i++)
			square.f[i] += LANES * WORD;
	}
	atn_spread(a, s->core, s->block[1], s->value[1], rows);
}

/* Rows of shares lie a block further apart: what takes a column of them meets all bank groups. */
static uint64_t chip_pitch(const atn *a)
{
	return a->pitch + ATN_SIDE;
}

static void give_out(atn *a, atn_soft *s, const atn_batch *batch)
{
	if (a->chip) {
		uint64_t out = atn_turn(&s->out);

		atn_round(a, s->core, out, chip_pitch(a), s->column, batch->rows, a->pitch);
		atn_to_l1(a, s->core, atn_chip_shares(a, batch->unit), out, chip_pitch(a),
		          atn_up(batch->rows, ATN_SIDE), a->pitch);
		return;
	}
	for (uint64_t i = 0; i < pieces_of(a, batch->rows); i++) {
		piece p = piece_at(a, batch->rows, i);
		atn_run down = {.op = ASC_OP_VCONV,
		                .type = ASC_F32,
		                .dtype = ASC_F16,
		                .src = s->column + (p.row * a->pitch + p.key) * WORD,
		                .dst = atn_turn(&s->out)};

		atn_put_run(a, s->core, &down, p.rows * p.pitch);
		avk_copy_out(a->b, s->core, scores_of(a, batch, &p), a->pitch * ATN_HALF, down.dst, p.pitch * ATN_HALF,
		             p.rows, p.keys * ATN_HALF);
	}
}

static void one_batch(atn *a, atn_soft *s, uint64_t number)
{
	const atn_batch *batch = batch_at(s, number);
	uint64_t all = batch->rows * a->pitch;
	atn_run whole = {.type = ASC_F32, .dtype = ASC_F32, .dst = s->column, .src = s->column};

	take_in(a, s, number);
	find_maxima(a, s, batch->rows);
	whole.op = ASC_OP_VMULS;
	whole.has_scalar = true;
	whole.scalar = a->scale;
	atn_put_run(a, s->core, &whole, all);
	atn_put_rows(a, s->core, ASC_OP_VSUB, s->column, a->pitch, batch->rows, a->pitch, s->block[0]);
	whole.op = ASC_OP_VEXP;
	whole.has_scalar = false;
	atn_put_run(a, s->core, &whole, all);
	find_factors(a, s, batch->rows);
	/* The next scores come in while these go out, where they are made by now. */
	asb_hold(a->b);
	if (number + 1 < s->batches->len && batch_at(s, number + 1)->unit < batch->unit + ATN_AHEAD)
		for (unsigned i = 0; i < s->in.turns; i++)
			load_piece(a, s, number + 1);
	atn_put_rows(a, s->core, ASC_OP_VMUL, s->column, a->pitch, batch->rows, a->pitch, s->block[1]);
	give_out(a, s, batch);
}

void atn_softmax(atn *a, uint64_t unit)
{
	asb_node(a->b, a->name_soft);
	for (unsigned v = 0; v < asb_vectors(a->b); v++)
		for (uint64_t i = 0; i < a->soft[v].batches->len; i++)
			if (batch_at(&a->soft[v], i)->unit == unit)
				one_batch(a, &a->soft[v], i);
}

/* Every unit's rows are shared out among the vector sub-cores, each share cut into equal batches. */
static void find_batches(atn *a, unsigned vector, GArray *batches)
{
	unsigned vectors = asb_vectors(a->b);

	for (uint64_t u = 0; u < a->units->len; u++) {
		uint64_t rows = atn_unit_at(a, u)->queries;
		uint64_t begin = rows * vector / vectors, end = rows * (vector + 1) / vectors;

		for (uint64_t n = atn_div_up(end - begin, a->rows); n; n--) {
			atn_batch batch = {u, begin, atn_div_up(end - begin, n)};

			g_array_append_val(batches, batch);
			begin += batch.rows;
		}
	}
}

/* ---- buffers ---- */

static uint64_t need(const atn *a, uint64_t rows)
{
	uint64_t listed = atn_up(rows, LANES) * WORD, blocks = atn_up(rows, BLOCKS) * ATN_BLOCK;

	return rows * a->pitch * WORD + atn_partial_bytes(a->keys, rows, 0) + atn_partial_bytes(a->keys, rows, 1) +
	       2 * listed + 2 * blocks + (ATN_IN_TURNS + ATN_OUT_TURNS) * a->io_rows * a->io_keys * ATN_HALF +
	       8 * BLOCKS * ATN_BLOCK;
}

/* Everything of a unit at once: scores of those ahead, a column, shares. */
static bool chip_plan(atn *a)
{
	uint64_t taken = ATN_TURNS * a->width * MAX(a->depth, ATN_SIDE) * ATN_HALF;
	uint64_t lists = 2 * atn_up(a->width, LANES) * WORD, blocks = 2 * atn_up(a->width, BLOCKS) * ATN_BLOCK;
	uint64_t rows = a->width * (a->pitch * (ATN_AHEAD * ATN_HALF + WORD) + chip_pitch(a) * ATN_HALF);

	a->rows = a->io_rows = a->width;
	a->io_keys = a->pitch;
	return rows + taken + lists + blocks + atn_partial_bytes(a->keys, a->width, 0) +
	               atn_partial_bytes(a->keys, a->width, 1) + 8 * BLOCKS * ATN_BLOCK <=
	       (uint64_t)asc_space_bytes(a->machine, ASC_UB);
}

bool atn_soft_plan(atn *a)
{
	uint64_t size = (uint64_t)asc_space_bytes(a->machine, ASC_UB), row = a->pitch * ATN_HALF;
	/* On coupled machines scores pass through here on their way to memory. */
	uint64_t taken = a->coupled ? 2 * a->width * MAX(a->chunk, ATN_SIDE) * ATN_HALF : 0;
	uint64_t share = atn_div_up(a->width, asb_vectors(a->b));

	if (a->chip)
		return chip_plan(a);
	a->io_rows = row > IO_BYTES ? 1 : MIN(IO_BYTES / row, share);
	a->io_keys = row > IO_BYTES ? IO_BYTES / ATN_HALF : a->pitch;
	for (a->rows = share; a->rows && need(a, a->rows) + taken > size; a->rows--)
		;
	return a->rows != 0;
}

bool atn_soft_take(atn *a, unsigned vector, GError **error)
{
	atn_soft *s = &a->soft[vector];
	uint64_t turn = BLOCKS * ATN_BLOCK, listed = atn_up(a->rows, LANES) * WORD;
	uint64_t blocks = atn_up(a->rows, BLOCKS) * ATN_BLOCK;
	uint64_t io = a->io_rows * a->io_keys * ATN_HALF;

	*s = (atn_soft){.core = asb_vector(a->b, asb_block_of(a->b, a->core), vector),
	                .next = UINT64_MAX,
	                .batches = g_array_new(FALSE, FALSE, sizeof(atn_batch))};
	find_batches(a, vector, s->batches);
	if (!asb_take(a->b, s->core, ASC_UB, a->rows * a->pitch * WORD, turn, &s->column, error) ||
	    !atn_take_ring(a, s->core, &s->in, ASC_UB, io, turn, a->chip ? ATN_AHEAD : ATN_IN_TURNS, error) ||
	    !atn_take_ring(a, s->core, &s->out, ASC_UB, a->chip ? a->rows * chip_pitch(a) * ATN_HALF : io, turn,
	                   a->chip ? 1 : ATN_OUT_TURNS, error))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!asb_take(a->b, s->core, ASC_UB, atn_partial_bytes(a->keys, a->rows, i), ATN_BLOCK, &s->partial[i],
		              error) ||
		    !asb_take(a->b, s->core, ASC_UB, listed, ATN_BLOCK, &s->value[i], error) ||
		    !asb_take(a->b, s->core, ASC_UB, blocks, ATN_BLOCK, &s->block[i], error))
			return false;
	/* Blocks of equal numbers are made eight at a time. */
	asb_node(a->b, a->name_soft);
	atn_zero(a, s->core, s->value[1], listed);
	/* Lanes behind the last key, rows behind the last query: nothing comes of them. */
	for (unsigned i = 0; a->chip && i < s->in.turns; i++)
		atn_zero(a, s->core, s->in.address[i], io);
	if (a->chip)
		atn_zero(a, s->core, s->out.address[0], a->rows * chip_pitch(a) * ATN_HALF);
	return true;
}

void atn_soft_give(atn *a, unsigned vector)
{
	if (a->soft[vector].batches)
		g_array_free(a->soft[vector].batches, TRUE);
	a->soft[vector].batches = NULL;
}
