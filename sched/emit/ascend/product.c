/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles on the cube: a tile of the result at a time on each core, its sums in L0C from the first product to the last,
 * in the order of the depth.
 *
 * Operands come to stages of L1, from there as images into L0A and L0B (load3d, which transposes the right one on its
 * way), everything in turns of two or more buffers.  A stage of L1 is loaded as soon as the one whose place it takes
 * has been used; one that is the whole depth and wanted by the next tile too stays.  On split cores fixpipe writes rows
 * of the result while mmad goes on, unit by unit; on coupled ones the sums go through the unified buffer.
 *
 * Depth is split over cores where the graph says that it is added in parts (matmul_split.c), since the order of sums is
 * the graph's.
 */
#include "sched/emit/ascend/product.h"
#include "sched/emit/ascend/build_int.h"
#include "sched/sheet.h"

#include <math.h>

enum { UB_TURNS = 2 };
enum { UNIT_OBEY = 2, UNIT_HAND_OVER = 3 };

void ask_product_types(ask_product *p, bool whole)
{
	p->type = whole ? ASC_I8 : ASC_F16;
	p->sum = whole ? ASC_I32 : ASC_F32;
	p->result = whole ? ASC_I32 : ASC_F16;
}

/* ---- depths ---- */

ask_depths *ask_depths_new(void)
{
	ask_depths *d = g_new(ask_depths, 1);

	d->stage[0] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	d->stage[1] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	d->step = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return d;
}

void ask_depths_free(ask_depths *d)
{
	g_array_unref(d->stage[0]);
	g_array_unref(d->stage[1]);
	g_array_unref(d->step);
	g_free(d);
}

uint64_t ask_depths_at(const GArray *borders, guint i)
{
	return g_array_index(borders, uint64_t, i);
}

void ask_depths_cut(GArray *borders, uint64_t from, uint64_t to, uint64_t step)
{
	for (; from < to; from += step)
		g_array_append_val(borders, from);
}

static gint by_value(gconstpointer a, gconstpointer b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void end_at(GArray *borders, uint64_t depth)
{
	while (borders->len && ask_depths_at(borders, borders->len - 1) >= depth)
		g_array_set_size(borders, borders->len - 1);
	g_array_append_val(borders, depth);
}

void ask_depths_close(ask_depths *d, uint64_t depth)
{
	guint kept = 0;

	end_at(d->stage[0], depth);
	end_at(d->stage[1], depth);
	g_array_append_vals(d->step, d->stage[0]->data, d->stage[0]->len);
	g_array_append_vals(d->step, d->stage[1]->data, d->stage[1]->len);
	g_array_sort(d->step, by_value);
	for (guint i = 0; i < d->step->len; i++)
		if (!kept || ask_depths_at(d->step, kept - 1) != ask_depths_at(d->step, i))
			g_array_index(d->step, uint64_t, kept++) = ask_depths_at(d->step, i);
	g_array_set_size(d->step, kept);
	end_at(d->step, depth);
}

static guint stages_of(const ask_work *w, unsigned side)
{
	return w->depths->stage[side]->len - 1;
}

/* ---- tiles ---- */

uint64_t ask_tiles_down(const ask_product *p, const ask_tile *t)
{
	return p->m / t->run * ask_div_up(t->run, t->m);
}

uint64_t ask_tiles_of(const ask_product *p, const ask_tile *t)
{
	return p->batches * ask_tiles_down(p, t) * ask_div_up(p->n, t->n);
}

/* Tile NUMBER of the core.  Cores take neighbours of a band of T->rows rows of tiles, band after band. */
static void look_up(ask_work *w, uint64_t number)
{
	const ask_tile *t = w->t;
	uint64_t down = ask_tiles_down(w->p, t), across = ask_div_up(w->p->n, t->n), of_run = ask_div_up(t->run, t->m);
	uint64_t index = number * asb_blocks(w->b) + asb_block_of(w->b, w->core);
	uint64_t in_batch = index % (down * across), band = in_batch / (t->rows * across);
	uint64_t high = MIN(t->rows, down - band * t->rows), in_band = in_batch - band * t->rows * across;
	uint64_t row = band * t->rows + in_band % high, in_run = row % of_run * t->m;

	w->batch = index / (down * across);
	w->at_m = row / of_run * t->run + in_run;
	w->at_n = in_band / high * t->n;
	w->rows = MIN(t->m, t->run - in_run);
	w->columns = MIN(t->n, w->p->n - w->at_n);
}

uint64_t ask_packed_row(const ask_product *p, const ask_tile *t)
{
	return MIN(t->n, p->n) * asc_type_bytes(p->type);
}

uint64_t ask_packed_rows(const ask_product *p, const ask_tile *t)
{
	return p->right_batches * ask_div_up(p->n, t->n) * p->k;
}

static uint64_t take_turn(ask_ring *r)
{
	return r->address[r->next++ % r->turns];
}

/* ---- into L1 ---- */

void ask_fractals(ask_work *w, uint64_t to, uint64_t from, uint64_t rows, uint64_t columns, uint64_t pitch_bytes,
                  uint64_t stride)
{
	asc_insn insn = asc_insn_make(ASC_OP_ND2NZ);

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)to;
	insn.f[2] = (int64_t)from;
	insn.f[3] = 1;
	insn.f[4] = (int64_t)rows;
	insn.f[5] = (int64_t)columns;
	insn.f[6] = (int64_t)(pitch_bytes / ask_work_size(w));
	insn.f[7] = (int64_t)stride;
	asb_step(w->b, w->core, &insn);
}

static void load_right(ask_work *w, unsigned stage, uint64_t address)
{
	uint64_t first = ask_depths_at(w->depths->stage[1], stage);
	uint64_t depth = ask_depths_at(w->depths->stage[1], stage + 1) - first;
	uint64_t row = w->batch % w->p->right_batches * w->p->k + first, pitch = w->w.pitch_bytes;
	uint64_t from = w->w.address + row * pitch + w->at_n * ask_work_size(w);

	if (w->p->packed) {
		pitch = ask_packed_row(w->p, w->t);
		row = (w->batch % w->p->right_batches * ask_div_up(w->p->n, w->t->n) + w->at_n / w->t->n) * w->p->k +
		      first;
		from = w->w.address + row * pitch;
	}
	ask_fractals(w, address, from, depth, w->columns, pitch, depth);
}

/* The next stage of a side, where the tile is one of the core's. */
static void load_stage(ask_work *w, unsigned side)
{
	ask_feed *f = &w->feed[side];
	guint of_tile = stages_of(w, side);
	uint64_t tile = f->next / of_tile, batch, at;
	unsigned slot = f->next ? (f->last + 1) % f->ring.turns : 0;

	if (tile >= w->tiles)
		return;
	look_up(w, tile);
	batch = side ? w->batch % w->p->right_batches : w->batch;
	at = side ? w->at_n : w->at_m;
	if (of_tile == 1 && f->next && f->batch == batch && f->at == at)
		slot = f->last;
	else if (side)
		load_right(w, (unsigned)(f->next % of_tile), f->ring.address[slot]);
	else
		w->source->load(w, (unsigned)(f->next % of_tile), f->ring.address[slot]);
	f->batch = batch;
	f->at = at;
	f->slot[f->next++ % ASK_SLOTS] = f->last = slot;
}

static uint64_t stage_address(const ask_work *w, unsigned side, uint64_t tile, guint stage)
{
	const ask_feed *f = &w->feed[side];

	return f->ring.address[f->slot[(tile * stages_of(w, side) + stage) % ASK_SLOTS]];
}

/* ---- into L0, through the cube ---- */

static void extract_rows(ask_work *w, unsigned stage, uint64_t address, uint64_t to, uint64_t k, uint64_t depth)
{
	uint64_t first = ask_depths_at(w->depths->stage[0], stage);
	asc_insn insn = asc_insn_make(ASC_OP_LOAD3D_A);

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)to;
	insn.f[2] = (int64_t)address;
	insn.f[3] = 1;
	insn.f[4] = (int64_t)w->rows;
	insn.f[5] = (int64_t)(ask_depths_at(w->depths->stage[0], stage + 1) - first);
	insn.f[10] = (int64_t)(k - first);
	insn.f[12] = (int64_t)ask_up(depth, ASK_BLOCK / ask_work_size(w));
	insn.f[13] = (int64_t)ask_up(w->rows, ASK_SIDE);
	asb_step(w->b, w->core, &insn);
}

static void extract_right(ask_work *w, unsigned stage, uint64_t address, uint64_t to, uint64_t k, uint64_t depth)
{
	uint64_t first = ask_depths_at(w->depths->stage[1], stage);
	asc_insn insn = asc_insn_make(ASC_OP_LOAD3D_B);

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)to;
	insn.f[2] = (int64_t)address;
	insn.f[3] = 1;
	insn.f[4] = (int64_t)(ask_depths_at(w->depths->stage[1], stage + 1) - first);
	insn.f[5] = (int64_t)w->columns;
	insn.f[11] = (int64_t)(k - first);
	insn.f[12] = (int64_t)ask_up(w->columns, ASK_SIDE);
	insn.f[13] = (int64_t)depth;
	asb_step(w->b, w->core, &insn);
}

/* Fixpipe takes whole units away, so the last rows must reach into the last unit. */
static bool hands_over(const ask_work *w)
{
	uint64_t unit_rows = (uint64_t)asb_machine(w->b)->fix_unit_bytes / (ASK_SIDE * ASK_SUM);

	return !asb_machine(w->b)->coupled && ask_up(w->rows, unit_rows) == ask_up(w->rows, ASK_SIDE);
}

static void multiply(ask_work *w, uint64_t c, uint64_t a, uint64_t b, uint64_t depth, bool first, bool last)
{
	asc_insn insn = asc_insn_make(ASC_OP_MMAD);

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)c;
	insn.f[2] = (int64_t)a;
	insn.f[3] = (int64_t)b;
	insn.f[4] = (int64_t)w->rows;
	insn.f[5] = (int64_t)depth;
	insn.f[6] = (int64_t)w->columns;
	insn.f[7] = first;
	if (hands_over(w))
		insn.f[9] = last ? UNIT_HAND_OVER : UNIT_OBEY;
	asb_step(w->b, w->core, &insn);
}

/* ---- out ---- */

static asc_insn way_out(const ask_work *w, enum asc_op op, uint64_t from, uint64_t columns)
{
	asc_insn insn = asc_insn_make(op);

	insn.f[0] = w->p->sum;
	insn.f[1] = w->p->result;
	insn.f[3] = (int64_t)from;
	insn.f[4] = (int64_t)w->rows;
	insn.f[5] = (int64_t)columns;
	insn.f[6] = (int64_t)ask_up(w->rows, ASK_SIDE);
	insn.f[8] = w->p->sum == ASC_F32 && w->p->result == ASC_F16 ? 1 : 0;
	insn.f[10] = w->relu;
	insn.f[11] = 1;
	return insn;
}

static uint64_t result_at(const ask_work *w, uint64_t column)
{
	return w->c.address + (w->batch * w->p->m + w->at_m) * w->c.pitch_bytes +
	       (w->at_n + column) * asc_type_bytes(w->p->result);
}

/* Through the unified buffer, as many columns at a time as a turn of it holds. */
static void store_through_ub(ask_work *w, uint64_t c)
{
	uint64_t size = asc_type_bytes(w->p->result), rows = w->rows;
	uint64_t width = MIN(w->ub_bytes / (rows * size) / ASK_SIDE * ASK_SIDE, ask_up(w->columns, ASK_SIDE));

	for (uint64_t at = 0; at < w->columns; at += width) {
		uint64_t columns = MIN(width, w->columns - at), pitch = ask_up(columns * size, ASK_BLOCK);
		asc_insn out = way_out(w, ASC_OP_L0C_TO_UB, c + at * ask_up(rows, ASK_SIDE) * ASK_SUM, columns);
		asc_insn copy = asc_insn_make(ASC_OP_UB_TO_GM);
		uint64_t ub = take_turn(&w->ub);

		out.f[2] = (int64_t)ub;
		out.f[7] = (int64_t)(pitch / size);
		asb_step(w->b, w->core, &out);
		if (w->tail) {
			ask_tail_apply(w, w->core, &w->tail_y[0],
			               &(ask_tail_piece){ub, w->batch * w->p->m + w->at_m, rows, w->at_n + at, columns,
			                                 pitch / size});
			continue;
		}
		copy.f[0] = (int64_t)result_at(w, at);
		copy.f[1] = (int64_t)ub;
		copy.f[2] = (int64_t)rows;
		copy.f[3] = (int64_t)(columns * size);
		copy.f[4] = 0;
		copy.f[5] = (int64_t)(w->c.pitch_bytes - columns * size);
		asb_step(w->b, w->core, &copy);
	}
}

static void store(ask_work *w, uint64_t c)
{
	asc_insn out;

	if (asb_machine(w->b)->coupled) {
		store_through_ub(w, c);
		return;
	}
	out = way_out(w, ASC_OP_FIX_GM, c, w->columns);
	out.f[2] = (int64_t)result_at(w, 0);
	out.f[7] = (int64_t)(w->c.pitch_bytes / asc_type_bytes(w->p->result));
	out.f[12] = hands_over(w) ? UNIT_HAND_OVER : 0;
	asb_step(w->b, w->core, &out);
	if (w->tail)
		ask_tail_of_tile(w);
}

/* ---- a core ---- */

static void one_tile(ask_work *w, uint64_t number)
{
	uint64_t c = take_turn(&w->l0c);
	guint stage[2] = {0, 0}, steps = w->depths->step->len - 1;

	for (guint i = 0; i < steps; i++) {
		uint64_t k = ask_depths_at(w->depths->step, i), end = ask_depths_at(w->depths->step, i + 1);
		uint64_t a = take_turn(&w->l0a), b = take_turn(&w->l0b);

		asb_iteration(w->b, w->core, number * steps + i);
		look_up(w, number);
		w->source->extract(w, stage[0], stage_address(w, 0, number, stage[0]), a, k, end - k);
		extract_right(w, stage[1], stage_address(w, 1, number, stage[1]), b, k, end - k);
		multiply(w, c, a, b, end - k, i == 0, i == steps - 1);
		/* A stage that has been used makes room for another. */
		for (unsigned side = 0; side < 2; side++)
			if (end == ask_depths_at(w->depths->stage[side], stage[side] + 1)) {
				load_stage(w, side);
				stage[side]++;
			}
	}
	look_up(w, number);
	store(w, c);
}

static bool take_ring(ask_work *w, ask_ring *r, enum asc_space space, uint64_t bytes, uint64_t align, unsigned turns,
                      GError **error)
{
	*r = (ask_ring){.turns = turns};
	for (unsigned i = 0; i < turns; i++)
		if (!asb_take(w->b, w->core, space, bytes, align, &r->address[i], error))
			return false;
	return true;
}

static uint64_t deepest(const GArray *borders)
{
	uint64_t most = 0;

	for (guint i = 0; i + 1 < borders->len; i++)
		most = MAX(most, ask_depths_at(borders, i + 1) - ask_depths_at(borders, i));
	return most;
}

/* One operand in each half of L1, where both fit, so that copies in and loads out use different banks most of the
 * time.  Fractals of L1 are whole along the rows of global memory. */
static bool take_all(ask_work *w, GError **error)
{
	const ask_tile *t = w->t;
	uint64_t size = ask_work_size(w), half = (uint64_t)asb_machine(w->b)->l1_bytes / 2, unused;
	uint64_t left = w->source->stage_bytes(w, t), right = deepest(w->depths->stage[1]);

	right *= ask_up(t->n, ASK_BLOCK / size) * size;
	memset(w->feed, 0, sizeof(w->feed));
	if (!take_ring(w, &w->feed[0].ring, ASC_L1, left, ASK_BLOCK, t->a_stages, error) ||
	    (left * t->a_stages < half && !asb_take(w->b, w->core, ASC_L1, 0, half, &unused, error)) ||
	    !take_ring(w, &w->feed[1].ring, ASC_L1, right, ASK_BLOCK, t->b_stages, error) ||
	    !take_ring(w, &w->l0a, ASC_L0A, t->m * t->k * size, 512, 2, error) ||
	    !take_ring(w, &w->l0b, ASC_L0B, t->n * t->k * size, 512, 2, error) ||
	    !take_ring(w, &w->l0c, ASC_L0C, t->m * t->n * ASK_SUM, 1024, t->sums, error))
		return false;
	if (w->tail && asb_machine(w->b)->coupled) {
		if (!ask_tail_take(w, w->core, 0, error))
			return false;
		w->ub = w->tail_ub[0];
		w->ub_bytes = w->tail_bytes;
		return w->ub_bytes / (t->m * asc_type_bytes(w->p->result)) >= ASK_SIDE;
	}
	if (!asb_machine(w->b)->coupled)
		return true;
	w->ub_bytes = (uint64_t)asc_space_bytes(asb_machine(w->b), ASC_UB) / UB_TURNS / ASK_BLOCK * ASK_BLOCK;
	return take_ring(w, &w->ub, ASC_UB, w->ub_bytes, ASK_BLOCK, UB_TURNS, error);
}

/* Where the tail is done: split cores' vector sub-cores. */
static bool take_tails(ask_work *w, uint32_t block, GError **error)
{
	bool good = true;

	for (unsigned v = 0; good && w->tail && !asb_machine(w->b)->coupled && v < asb_vectors(w->b); v++)
		good = v < ASK_VECTORS && ask_tail_take(w, asb_vector(w->b, block, v), v, error);
	return good;
}

static bool core_tiles(ask_work *w, uint32_t block, uint64_t most_tiles, GError **error)
{
	static const enum asc_space spaces[] = {ASC_L1, ASC_L0A, ASC_L0B, ASC_L0C, ASC_UB};
	unsigned subs = asb_machine(w->b)->coupled ? 1 : asb_vectors(w->b) + 1;
	uint64_t tiles = ask_tiles_of(w->p, w->t);
	g_autofree uint64_t *mark = g_new(uint64_t, subs * G_N_ELEMENTS(spaces));
	bool good;

	w->core = asb_cube(w->b, block);
	w->tiles = MIN(tiles / asb_blocks(w->b) + (block < tiles % asb_blocks(w->b)), most_tiles);
	if (!w->tiles)
		return true;
	for (unsigned i = 0; i < subs * G_N_ELEMENTS(spaces); i++)
		mark[i] = asb_mark(w->b, w->core + i / G_N_ELEMENTS(spaces), spaces[i % G_N_ELEMENTS(spaces)]);
	good = take_tails(w, block, error) && take_all(w, error);
	/* Both operands of the first step first. */
	for (unsigned n = 0; good && n < ASK_TURNS; n++)
		for (unsigned side = 0; side < 2; side++)
			if (n < w->feed[side].ring.turns)
				load_stage(w, side);
	for (uint64_t i = 0; good && i < w->tiles; i++)
		one_tile(w, i);
	for (unsigned i = 0; i < subs * G_N_ELEMENTS(spaces); i++)
		asb_release(w->b, w->core + i / G_N_ELEMENTS(spaces), spaces[i % G_N_ELEMENTS(spaces)], mark[i]);
	return good;
}

/* The depth as T cuts it, as far as MOST. */
static bool all_cores(ask_work *w, const ask_tile *t, uint64_t most_tiles, uint64_t most_depth, GError **error)
{
	ask_depths *d = w->source->depths(w, t);
	bool good = true;

	end_at(d->stage[0], most_depth);
	end_at(d->stage[1], most_depth);
	end_at(d->step, most_depth);
	w->t = t;
	w->depths = d;
	asb_loop(w->b, asb_cube(w->b, 0), "steps of depth");
	for (uint32_t block = 0; good && block < asb_blocks(w->b); block++)
		good = core_tiles(w, block, most_tiles, error);
	ask_depths_free(d);
	w->depths = NULL;
	return good;
}

bool ask_product_write(ask_work *w, const ask_tile *t, GError **error)
{
	return all_cores(w, t, UINT64_MAX, w->p->k, error);
}

/* ---- choice ---- */

/* Predicted cycles of the first ROUNDS tiles of each core, DEPTH deep; INFINITY where it cannot be built. */
static double trial(const ask_work *like, const ask_tile *t, uint64_t rounds, uint64_t depth)
{
	asc_program *program = asc_program_new();
	asb *b = asb_new(program, like->b->machine, &like->b->options);
	ask_work w = *like;
	double cycles = INFINITY;

	asb_limit_blocks(b, like->b->blocks);
	asb_window(b, like->b->first_block, like->b->used_blocks);
	b->options.sheet = NULL;
	b->options.progress = NULL;
	b->global = like->b->global;
	w.b = b;
	if (w.p->packed)
		w.w.address = asb_scratch(b, ask_packed_rows(w.p, t) * ask_packed_row(w.p, t));
	if (all_cores(&w, t, rounds, depth, NULL) && asb_finish(b, NULL, NULL))
		cycles = (double)program->predicted_cycles;
	asb_free(b);
	asc_program_free(program);
	return cycles;
}

/* A border of the left operand's stages at which some turns of the stages are over; the whole where that is not much
 * more. */
static uint64_t trial_depth(const ask_work *w, const ask_tile *t)
{
	enum { TURNS = 3, LONG = 2 };
	ask_depths *d = w->source->depths(w, t);
	uint64_t turn = MAX(deepest(d->stage[0]) * t->a_stages, deepest(d->stage[1]) * t->b_stages), depth = w->p->k;

	if (depth > LONG * TURNS * turn)
		for (guint i = 0; i < d->stage[0]->len; i++) {
			depth = ask_depths_at(d->stage[0], i);
			if (depth >= TURNS * turn)
				break;
		}
	ask_depths_free(d);
	return depth;
}

/* The whole by its beginning: all rounds where they are few, else the first and what one more takes. */
static double tried(const ask_work *like, const ask_tile *t)
{
	enum { FEW = 4 };
	uint64_t depth = trial_depth(like, t), rounds = ask_div_up(ask_tiles_of(like->p, t), asb_blocks(like->b));
	double share = (double)like->p->k / (double)depth, first, next;

	if (rounds <= FEW)
		return trial(like, t, rounds, depth) * share;
	first = trial(like, t, 1, depth);
	next = trial(like, t, 2, depth) - first;
	return (first + next * (double)(rounds - 1)) * share;
}

#define WORTH_IT 0.99

bool ask_product_choose(const ask_work *w, const GArray *tiles, ask_tile *best)
{
	uint32_t decided = asb_decide(w->b, "tile", tiles->len + 1);
	double least = INFINITY;

	if (decided && tried(w, &g_array_index(tiles, ask_tile, decided - 1)) < INFINITY) {
		*best = g_array_index(tiles, ask_tile, decided - 1);
		return true;
	}

	for (guint i = 0; i < MIN(tiles->len, ASK_TRIED); i++) {
		double cycles = tried(w, &g_array_index(tiles, ask_tile, i));

		/* Whoever wants an end does not want the best tile. */
		if (sched_stopped(w->b->options.sheet, NULL))
			break;

		/* Among nearly equal ones the formula knows better, and deeper mmads are fewer instructions. */
		if (cycles >= least * WORTH_IT)
			continue;
		least = cycles;
		*best = g_array_index(tiles, ask_tile, i);
	}
	return least < INFINITY;
}

/* ---- a matrix in rows ---- */

static ask_depths *rows_depths(const ask_work *w, const ask_tile *t)
{
	ask_depths *d = ask_depths_new();

	ask_depths_cut(d->stage[0], 0, w->p->k, t->a_depth);
	ask_depths_cut(d->stage[1], 0, w->p->k, t->b_depth);
	ask_depths_cut(d->step, 0, w->p->k, t->k);
	ask_depths_close(d, w->p->k);
	return d;
}

static uint64_t rows_bytes(const ask_work *w, const ask_tile *t)
{
	return ask_up(t->a_depth, ASK_BLOCK / ask_work_size(w)) * t->m * ask_work_size(w);
}

static void rows_load(ask_work *w, unsigned stage, uint64_t address)
{
	uint64_t first = ask_depths_at(w->depths->stage[0], stage);
	uint64_t parts = MAX(w->p->parts, 1), part = w->batch % parts;
	uint64_t row = w->batch / parts * w->p->m + w->at_m;

	ask_fractals(w, address, w->a.address + row * w->a.pitch_bytes + (part * w->p->k + first) * ask_work_size(w),
	             w->rows, ask_depths_at(w->depths->stage[0], stage + 1) - first, w->a.pitch_bytes, w->rows);
}

const ask_source ask_rows_source = {rows_depths, rows_bytes, rows_load, extract_rows};
