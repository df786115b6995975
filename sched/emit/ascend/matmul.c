/* SPDX-License-Identifier: Apache-2.0
 *
 * Products: a tile of the result at a time on each core, its sums in L0C from the first product to the last, in the
 * order of the depth.
 *
 * Operands come from rows of global memory into fractals of L1 (nd2nz), from there as an image of one column into L0A
 * and L0B (load3d, which transposes B on its way), everything in turns of two or more buffers.  A stage of L1 is loaded
 * as soon as the one whose place it takes has been used.  On split cores fixpipe writes rows of the result while mmad
 * goes on, unit by unit; on coupled ones the sums go through the unified buffer.
 *
 * Not done: depth split over cores, since the order of sums is the graph's.
 */
#include "sched/emit/ascend/ascend.h"
#include "sched/emit/ascend/matmul.h"
#include "sched/emit/ascend/predict.h"

#include <math.h>

enum { SIDE = 16, BLOCK = 32, SUM = 4, MOST_ROWS = 4095, UB_TURNS = 2, PITCH_MOST = 65535 };
enum { UNIT_OBEY = 2, UNIT_HAND_OVER = 3 };

/* Buffers in turn. */
typedef struct ring {
	uint64_t address[4];
	unsigned turns, next;
} ring;

/* A stage of one operand: depth FIRST to FIRST + DEPTH of a tile. */
typedef struct stage {
	uint64_t address, first, depth, tile;
	bool loaded;
} stage;

typedef struct feed {
	bool b;
	uint64_t depth; /* of a stage */
	unsigned turns;
	stage stage[4];
	uint64_t next, used; /* stages loaded and begun, over all tiles of the core */
} feed;

typedef struct work {
	asb *b;
	asb_core core;
	const ask_product *p;
	const ask_tile *t;
	ask_place a, w, c;
	uint64_t stages_of[2]; /* of a tile */
	uint64_t tiles;        /* of this core */
	feed feed[2];
	ring l0a, l0b, l0c, ub;
	uint64_t ub_bytes;
	uint64_t at_m, at_n, rows, columns, batch; /* of the tile looked up last */
} work;

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t up(uint64_t a, uint64_t b)
{
	return div_up(a, b) * b;
}

static uint64_t size_of(const work *w)
{
	return asc_type_bytes(w->p->type);
}

/* Tile NUMBER of the core.  Cores take neighbours of a band of T->rows rows of tiles, band after band. */
static void look_up(work *w, uint64_t number)
{
	const ask_tile *t = w->t;
	uint64_t down = div_up(w->p->m, t->m), across = div_up(w->p->n, t->n);
	uint64_t index = number * asb_blocks(w->b) + w->core / MAX(asb_cube(w->b, 1), 1);
	uint64_t in_batch = index % (down * across), band = in_batch / (t->rows * across);
	uint64_t high = MIN(t->rows, down - band * t->rows), in_band = in_batch - band * t->rows * across;

	w->batch = index / (down * across);
	w->at_m = (band * t->rows + in_band % high) * t->m;
	w->at_n = in_band / high * t->n;
	w->rows = MIN(t->m, w->p->m - w->at_m);
	w->columns = MIN(t->n, w->p->n - w->at_n);
}

static void load_stage(work *w, feed *f)
{
	uint64_t of_tile = w->stages_of[f->b], tile = f->next / of_tile;
	stage *s = &f->stage[f->next % f->turns];
	asc_insn insn = asc_insn_make(ASC_OP_ND2NZ);
	uint64_t rows, columns, source;

	if (tile >= w->tiles)
		return;
	look_up(w, tile);
	s->first = f->next % of_tile * f->depth;
	s->depth = MIN(f->depth, w->p->k - s->first);
	s->tile = tile;
	if (f->b) {
		rows = s->depth;
		columns = w->columns;
		source = w->w.address + (w->batch * w->p->k + s->first) * w->w.pitch_bytes + w->at_n * size_of(w);
	} else {
		rows = w->rows;
		columns = s->depth;
		source = w->a.address + (w->batch * w->p->m + w->at_m) * w->a.pitch_bytes + s->first * size_of(w);
	}
	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)s->address;
	insn.f[2] = (int64_t)source;
	insn.f[3] = 1;
	insn.f[4] = (int64_t)rows;
	insn.f[5] = (int64_t)columns;
	insn.f[6] = (int64_t)((f->b ? w->w : w->a).pitch_bytes / size_of(w));
	insn.f[7] = (int64_t)rows;
	asb_step(w->b, w->core, &insn);
	f->next++;
}

/* The stage that holds depth K of the tile at hand. */
static stage *stage_of(work *w, feed *f, uint64_t tile, uint64_t k)
{
	(void)w;
	return &f->stage[(tile * w->stages_of[f->b] + k / f->depth) % f->turns];
}

static uint64_t take_turn(ring *r)
{
	return r->address[r->next++ % r->turns];
}

/* DEPTH of a stage from K on into L0A or L0B. */
static uint64_t load_l0(work *w, const stage *s, bool b, uint64_t k, uint64_t depth)
{
	asc_insn insn = asc_insn_make(b ? ASC_OP_LOAD3D_B : ASC_OP_LOAD3D_A);
	uint64_t to = take_turn(b ? &w->l0b : &w->l0a), c0 = BLOCK / size_of(w);
	uint64_t rows = b ? s->depth : w->rows, channels = b ? w->columns : s->depth;

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)to;
	insn.f[2] = (int64_t)s->address;
	insn.f[3] = 1;
	insn.f[4] = (int64_t)rows;
	insn.f[5] = (int64_t)channels;
	insn.f[10] = b ? 0 : (int64_t)(k - s->first);
	insn.f[11] = b ? (int64_t)(k - s->first) : 0;
	insn.f[12] = (int64_t)(b ? up(w->columns, SIDE) : up(depth, c0));
	insn.f[13] = (int64_t)(b ? depth : up(w->rows, SIDE));
	asb_step(w->b, w->core, &insn);
	return to;
}

/* Fixpipe takes whole units away, so the last rows must reach into the last unit. */
static bool hands_over(const work *w)
{
	uint64_t unit_rows = (uint64_t)asb_machine(w->b)->fix_unit_bytes / (SIDE * SUM);

	return !asb_machine(w->b)->coupled && up(w->rows, unit_rows) == up(w->rows, SIDE);
}

static void multiply(work *w, uint64_t c, uint64_t a, uint64_t b, uint64_t k, uint64_t depth)
{
	asc_insn insn = asc_insn_make(ASC_OP_MMAD);

	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)c;
	insn.f[2] = (int64_t)a;
	insn.f[3] = (int64_t)b;
	insn.f[4] = (int64_t)w->rows;
	insn.f[5] = (int64_t)depth;
	insn.f[6] = (int64_t)w->columns;
	insn.f[7] = k == 0;
	if (hands_over(w))
		insn.f[9] = k + depth == w->p->k ? UNIT_HAND_OVER : UNIT_OBEY;
	asb_step(w->b, w->core, &insn);
}

static asc_insn way_out(const work *w, enum asc_op op, uint64_t from, uint64_t columns)
{
	asc_insn insn = asc_insn_make(op);

	insn.f[0] = w->p->sum;
	insn.f[1] = w->p->result;
	insn.f[3] = (int64_t)from;
	insn.f[4] = (int64_t)w->rows;
	insn.f[5] = (int64_t)columns;
	insn.f[6] = (int64_t)up(w->rows, SIDE);
	insn.f[8] = w->p->sum == ASC_F32 ? 1 : 0;
	insn.f[11] = 1;
	return insn;
}

/* Through the unified buffer, as many columns at a time as a turn of it holds. */
static void store_through_ub(work *w, uint64_t c)
{
	uint64_t size = asc_type_bytes(w->p->result), rows = w->rows;
	uint64_t width = MIN(w->ub_bytes / (rows * size) / SIDE * SIDE, up(w->columns, SIDE));

	for (uint64_t at = 0; at < w->columns; at += width) {
		uint64_t columns = MIN(width, w->columns - at), pitch = up(columns * size, BLOCK),
			 ub = take_turn(&w->ub);
		asc_insn out = way_out(w, ASC_OP_L0C_TO_UB, c + at * up(rows, SIDE) * SUM, columns);
		asc_insn copy = asc_insn_make(ASC_OP_UB_TO_GM);

		out.f[2] = (int64_t)ub;
		out.f[7] = (int64_t)(pitch / size);
		asb_step(w->b, w->core, &out);
		copy.f[0] = (int64_t)(w->c.address + (w->batch * w->p->m + w->at_m) * w->c.pitch_bytes +
		                      (w->at_n + at) * size);
		copy.f[1] = (int64_t)ub;
		copy.f[2] = (int64_t)rows;
		copy.f[3] = (int64_t)(columns * size);
		copy.f[4] = 0;
		copy.f[5] = (int64_t)(w->c.pitch_bytes - columns * size);
		asb_step(w->b, w->core, &copy);
	}
}

static void store(work *w, uint64_t c)
{
	uint64_t size = asc_type_bytes(w->p->result);
	asc_insn out;

	if (asb_machine(w->b)->coupled) {
		store_through_ub(w, c);
		return;
	}
	out = way_out(w, ASC_OP_FIX_GM, c, w->columns);
	out.f[2] = (int64_t)(w->c.address + (w->batch * w->p->m + w->at_m) * w->c.pitch_bytes + w->at_n * size);
	out.f[7] = (int64_t)(w->c.pitch_bytes / size);
	out.f[12] = hands_over(w) ? UNIT_HAND_OVER : 0;
	asb_step(w->b, w->core, &out);
}

static void tile(work *w, uint64_t number)
{
	uint64_t c = take_turn(&w->l0c), k_all = w->p->k;

	for (uint64_t k = 0; k < k_all; k += w->t->k) {
		uint64_t depth = MIN(w->t->k, k_all - k), a, b;

		look_up(w, number);
		a = load_l0(w, stage_of(w, &w->feed[0], number, k), false, k, depth);
		b = load_l0(w, stage_of(w, &w->feed[1], number, k), true, k, depth);
		multiply(w, c, a, b, k, depth);
		/* A stage that has been used makes room for another. */
		for (unsigned i = 0; i < 2; i++)
			if ((k + depth) % w->feed[i].depth == 0 || k + depth == k_all)
				load_stage(w, &w->feed[i]);
	}
	look_up(w, number);
	store(w, c);
}

static bool take_ring(work *w, ring *r, enum asc_space space, uint64_t bytes, uint64_t align, unsigned turns,
                      GError **error)
{
	r->turns = turns;
	for (unsigned i = 0; i < turns; i++)
		if (!asb_take(w->b, w->core, space, bytes, align, &r->address[i], error))
			return false;
	return true;
}

/* One operand in each half of L1, so that copies in and loads out use different banks most of the time. */
static bool take_feed(work *w, feed *f, bool b, GError **error)
{
	const ask_tile *t = w->t;
	uint64_t half = (uint64_t)asb_machine(w->b)->l1_bytes / 2, bytes;
	ring r = {.turns = 0};

	*f = (feed){.b = b, .depth = b ? t->b_depth : t->a_depth, .turns = b ? t->b_stages : t->a_stages};
	/* Fractals of L1 are whole along the rows of global memory. */
	bytes = (b ? f->depth * up(t->n, BLOCK / size_of(w)) : up(f->depth, BLOCK / size_of(w)) * t->m) * size_of(w);
	if (b && !asb_take(w->b, w->core, ASC_L1, 0, half, &r.address[0], error))
		return false;
	if (!take_ring(w, &r, ASC_L1, bytes, BLOCK, f->turns, error))
		return false;
	for (unsigned i = 0; i < f->turns; i++)
		f->stage[i].address = r.address[i];
	return true;
}

static bool take_all(work *w, GError **error)
{
	const ask_tile *t = w->t;
	uint64_t size = size_of(w);

	if (!take_feed(w, &w->feed[0], false, error) || !take_feed(w, &w->feed[1], true, error) ||
	    !take_ring(w, &w->l0a, ASC_L0A, t->m * t->k * size, 512, 2, error) ||
	    !take_ring(w, &w->l0b, ASC_L0B, t->n * t->k * size, 512, 2, error) ||
	    !take_ring(w, &w->l0c, ASC_L0C, t->m * t->n * SUM, 1024, t->sums, error))
		return false;
	if (!asb_machine(w->b)->coupled)
		return true;
	w->ub_bytes = (uint64_t)asc_space_bytes(asb_machine(w->b), ASC_UB) / UB_TURNS / BLOCK * BLOCK;
	return take_ring(w, &w->ub, ASC_UB, w->ub_bytes, BLOCK, UB_TURNS, error);
}

static bool core_tiles(work *w, uint32_t block, uint64_t most_tiles, GError **error)
{
	static const enum asc_space spaces[] = {ASC_L1, ASC_L0A, ASC_L0B, ASC_L0C, ASC_UB};
	uint64_t mark[G_N_ELEMENTS(spaces)];
	bool good;

	w->core = asb_cube(w->b, block);
	w->tiles = w->t->tiles / asb_blocks(w->b) + (block < w->t->tiles % asb_blocks(w->b));
	w->tiles = MIN(w->tiles, most_tiles);
	if (!w->tiles)
		return true;
	for (unsigned i = 0; i < G_N_ELEMENTS(spaces); i++)
		mark[i] = asb_mark(w->b, w->core, spaces[i]);
	w->l0a = w->l0b = w->l0c = w->ub = (ring){.turns = 0};
	good = take_all(w, error);
	for (unsigned i = 0; good && i < 2; i++) {
		w->stages_of[i] = div_up(w->p->k, w->feed[i].depth);
		for (unsigned n = 0; n < w->feed[i].turns; n++)
			load_stage(w, &w->feed[i]);
	}
	for (uint64_t i = 0; good && i < w->tiles; i++)
		tile(w, i);
	for (unsigned i = 0; i < G_N_ELEMENTS(spaces); i++)
		asb_release(w->b, w->core, spaces[i], mark[i]);
	return good;
}

static bool describe(const ask_kernel *k, const graph_node *n, ask_product *p, GError **error)
{
	const graph_node *a = graph_at(k->g, n->in[0]);
	bool whole = a->type == ISA_TYPE_I8;

	*p = (ask_product){.batches = n->batches, .m = n->m, .n = n->n, .k = n->k};
	p->type = whole ? ASC_I8 : ASC_F16;
	p->sum = whole ? ASC_I32 : ASC_F32;
	p->result = whole ? ASC_I32 : ASC_F16;
	if (whole || (n->sum_rows == 1 && n->block_run >= n->k))
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "%s: sums of %" G_GUINT64_FORMAT " products in blocks of %" G_GUINT64_FORMAT
	            "; a cube adds one product after the other",
	            n->name, n->sum_rows, n->block_run);
	return false;
}

/* Rows of an operand that lie too far apart for nd2nz. */
static bool reaches(const graph_node *n, const ask_place *at, uint64_t size, GError **error)
{
	if (at->pitch_bytes / size <= PITCH_MOST && at->pitch_bytes % size == 0)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "%s: rows of %" G_GUINT64_FORMAT " elements; nd2nz takes rows up to %d elements apart", n->name,
	            at->pitch_bytes / size, PITCH_MOST);
	return false;
}

static bool all_cores(work *w, uint64_t most_tiles, GError **error)
{
	for (uint32_t block = 0; block < asb_blocks(w->b); block++)
		if (!core_tiles(w, block, most_tiles, error))
			return false;
	return true;
}

/* Predicted cycles of the first ROUNDS tiles of each core, DEPTH deep; INFINITY where it cannot be built. */
static double trial(const work *like, const ask_tile *t, uint64_t rounds, uint64_t depth)
{
	asc_program *program = asc_program_new();
	asb *b = asb_new(program, like->b->machine, &like->b->options);
	ask_product p = *like->p;
	work w = *like;
	double cycles = INFINITY;

	asb_limit_blocks(b, like->b->blocks);
	b->global = like->b->global;
	p.k = depth;
	w.b = b;
	w.p = &p;
	w.t = t;
	if (all_cores(&w, rounds, NULL) && asb_finish(b, NULL, NULL))
		cycles = (double)program->predicted_cycles;
	asb_free(b);
	asc_program_free(program);
	return cycles;
}

/* The whole by its beginning: the first round, and what one more takes, as deep as some turns of the stages. */
static double tried(const work *like, const ask_tile *t)
{
	enum { TURNS = 3, LONG = 2 };
	uint64_t turn = MAX(t->a_depth * t->a_stages, t->b_depth * t->b_stages), k = like->p->k;
	uint64_t depth = k > LONG * TURNS * turn ? TURNS * turn : k;
	double first = trial(like, t, 1, depth), next = t->rounds > 1 ? trial(like, t, 2, depth) - first : 0;

	return (first + next * (double)(t->rounds - 1)) * (double)k / (double)depth;
}

#define WORTH_IT 0.99

/* The cheapest tiles by formula, timed one by one. */
static bool choose(work *w, ask_tile *t)
{
	enum { CANDIDATES = 12 };
	g_autoptr(GArray) tiles = ask_tiles(asb_machine(w->b), w->p, CANDIDATES);
	double least = INFINITY;

	for (guint i = 0; i < tiles->len; i++) {
		double cycles = tried(w, &g_array_index(tiles, ask_tile, i));

		/* Among nearly equal ones the formula knows better, and deeper mmads are fewer instructions. */
		if (cycles >= least * WORTH_IT)
			continue;
		least = cycles;
		*t = g_array_index(tiles, ask_tile, i);
	}
	return least < INFINITY;
}

bool ask_matmul(asb *b, const ask_kernel *k, GError **error)
{
	uint32_t last = g_array_index(k->nodes, uint32_t, k->nodes->len - 1);
	const graph_node *n = graph_at(k->g, g_array_index(k->nodes, uint32_t, 0));
	ask_product p;
	ask_tile t;
	work w = {.b = b, .p = &p, .t = &t, .a = k->place[n->in[0]], .w = k->place[n->in[1]], .c = k->place[last]};

	if (!describe(k, n, &p, error) || !reaches(graph_at(k->g, n->in[0]), &w.a, asc_type_bytes(p.type), error) ||
	    !reaches(graph_at(k->g, n->in[1]), &w.w, asc_type_bytes(p.type), error))
		return false;
	if (!choose(&w, &t)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "%s: no tile of the product fits the buffers",
		            n->name);
		return false;
	}
	asb_node(b, n->name);
	asb_remark(b,
	           "%s: tiles of %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT ", mmads of depth %" G_GUINT64_FORMAT
	           ", L1 stages of depth %" G_GUINT64_FORMAT " (%u) and %" G_GUINT64_FORMAT " (%u), %" G_GUINT64_FORMAT
	           " tile%s in %" G_GUINT64_FORMAT
	           " round%s; a tile takes %.0f cycles of cube, %.0f of L1 to L0, %.0f of memory to L1, %.0f out",
	           n->name, t.m, t.n, t.k, t.a_depth, t.a_stages, t.b_depth, t.b_stages, t.tiles,
	           t.tiles == 1 ? "" : "s", t.rounds, t.rounds == 1 ? "" : "s", t.cube, t.loads, t.copies, t.out);
	if (!all_cores(&w, UINT64_MAX, error))
		return false;
	asb_work(b, p.batches * p.m * p.n * p.k, 0);
	return true;
}
