/* SPDX-License-Identifier: Apache-2.0
 *
 * Where operands of the matrix unit lie.
 *
 * What the host provides is laid out for the work alone, as often as it is read at once: each engine has the
 * activations of the K blocks (and rows) that it takes in slices of its hemisphere, and the weights it loads in sixteen
 * slices, so that sixteen bytes of a column arrive together.  The input of a convolution is stored as words that hold
 * all taps of a block for one output position; positions that start at the same pixel share a word, padding is stored
 * as zeros. Values that other operations compute lie where those put them; they may have to cross the chip.
 */
#include "sched/emit/isca20_plan.h"

static const isca_tensor *tensor_at(const GArray *tensors, uint32_t i)
{
	return &g_array_index(tensors, isca_tensor, i);
}

uint32_t isca_a_place(const isca_work *w, const GArray *tensors, uint64_t batch, unsigned kblock, uint64_t m,
                      unsigned engine, enum isca_share share, unsigned byte)
{
	const isca_kblock *k = isca_kblock_at(w, kblock);
	const isca_tensor *a = tensor_at(tensors, w->a);

	if (w->patches) {
		const isca_tile *tile = &w->a_tile[engine][ISCA_ALL];

		return isca_tile_place(tile, batch * tile->period + isca_packed_at(w, engine, m, k),
		                       k->c / w->conv.block_chan, byte);
	}
	if (w->has_taps) {
		const isca_tile *tile = &w->a_tile[engine][ISCA_ALL];
		const graph_conv *c = &w->conv;
		uint64_t word = isca_taps_at(&w->taps, c, m / c->ow, m % c->ow, k->r, k->s);

		return isca_tile_place(tile, batch * tile->period + word, k->c / c->block_chan, byte);
	}
	if (w->a_private) {
		const isca_tile *tile = &w->a_tile[engine][share];

		return isca_tile_place(tile, tile->first_row + batch * tile->period + m, kblock, byte);
	}
	if (kblock < a->full_blocks)
		return isca_tensor_place(a, 0, kblock * a->rows + isca_batch_at(w, batch)->a + m, byte);
	return isca_tensor_place(a, 1, isca_batch_at(w, batch)->a + m, byte);
}

uint32_t isca_b_place(const isca_work *w, const GArray *tensors, uint64_t batch, unsigned kblock, uint64_t block,
                      uint32_t row, unsigned engine, unsigned byte)
{
	const isca_batch *at = isca_batch_at(w, batch);
	const isca_tensor *b = tensor_at(tensors, w->b);
	uint64_t in_tensor = at->b + isca_kblock_at(w, kblock)->row + row;

	if (w->b_private) {
		const isca_tile *tile = &g_array_index(w->b_tiles, isca_tile, kblock * w->engines + engine);

		return isca_tile_place(tile, tile->first_row + at->group * tile->period + row, block, byte);
	}
	if (block < b->full_blocks)
		return isca_tensor_place(b, 0, block * b->rows + in_tensor, byte);
	return isca_tensor_place(b, 1, in_tensor, byte);
}

uint32_t isca_c_place(const isca_work *w, const GArray *tensors, uint64_t batch, uint64_t m, uint64_t block,
                      unsigned byte)
{
	const isca_tensor *c = tensor_at(tensors, w->c);
	uint64_t row = isca_batch_at(w, batch)->c + m;

	if (block < c->full_blocks)
		return isca_tensor_place(c, 0, block * c->rows + row, byte);
	return isca_tensor_place(c, 1, row, byte);
}

/* ---------------------------------------------------------------------------------------------------- tiles */

typedef struct operands {
	isca_plan *plan;
	isca_operation *op;
	isca_work *w;
	uint32_t number;               /* of the operation */
	isca_set engine[ISCA_ENGINES]; /* slices of each engine's activations */
	isca_set
		often; /* slices of what is used all the time: not of the result, which is used in the last step only */
} operands;

static isca_wish wish_for(const operands *o)
{
	return (isca_wish){.side = -1, .first = o->number, .last = o->number, .avoid = o->op->used};
}

/* Apart from all that is used at the same time; where there is no room, and thrift allows it, from APART (NULL:
 * nothing), and from the rest as far as possible. */
static bool place(operands *o, isca_tile *tile, const isca_wish *wish, const isca_set *apart)
{
	isca_wish near = *wish;

	if (isca_allocate(o->plan->c, tile, wish))
		return true;
	near.shun = near.avoid;
	near.avoid = apart ? *apart : (isca_set){{0}};
	return o->w->thrift.share && isca_allocate(o->plan->c, tile, &near);
}

/* Does engine E take some K block with share SHARE? */
static bool takes(const isca_work *w, unsigned e, enum isca_share share)
{
	for (guint i = 0; i < w->steps->len; i++) {
		const isca_stage *step = &g_array_index(w->steps, isca_stage, i);

		for (unsigned s = 0; s < step->count; s++)
			for (unsigned l = 0; l < step->strand[s].count; l++) {
				const isca_strand *strand = &step->strand[s];

				if ((strand->engine[l] == e || strand->engine[l] == ISCA_OWN_ENGINE) &&
				    strand->parts == ISCA_PARTS >> share)
					return true;
			}
	}
	return false;
}

/* The K blocks that engine E takes with SHARE: FIRST, then every so many.  Blocks that engines share with each other.
 */
static unsigned blocks_of(const isca_work *w, unsigned e, enum isca_share share, unsigned *first, unsigned *last)
{
	unsigned count = 0;

	for (guint i = 0; i < w->steps->len; i++) {
		const isca_stage *step = &g_array_index(w->steps, isca_stage, i);

		for (unsigned s = 0; s < step->count; s++)
			for (unsigned l = 0; l < step->strand[s].count; l++) {
				const isca_strand *strand = &step->strand[s];

				if ((strand->engine[l] != e && strand->engine[l] != ISCA_OWN_ENGINE) ||
				    strand->parts != ISCA_PARTS >> share)
					continue;
				if (!count++)
					*first = strand->kblock[l];
				*last = strand->kblock[l];
			}
	}
	return count;
}

/* Batches of a work whose units have engines of their own: every so many belong to engine E. */
static isca_fold batch_fold(const isca_work *w, isca_tile *tile, unsigned e)
{
	uint64_t step = w->by_batch ? w->engines : 1;

	if (step > 1)
		isca_tile_filter(tile, ISCA_DIM_BATCH, 1, step, e);
	return (isca_fold){ISCA_DIM_BATCH, step, (tile->batches - 1) / step + 1};
}

/* Rows ROW * PARTS.. of each tile of rows. */
static isca_tile matmul_tile(const operands *o, unsigned e, enum isca_share share)
{
	const isca_work *w = o->w;
	uint64_t part = w->part_rows * (ISCA_PARTS >> share);
	unsigned first = 0, last = 0, count = blocks_of(w, e, share, &first, &last);
	isca_tile tile = {
		.first_row = isca_batch_at(w, 0)->a,
		.period = w->m,
		.rows = w->m,
		.batches = w->batches->len,
		.first_block = first,
		.blocks = last - first + 1,
		.bytes = w->bytes,
	};
	isca_fold folds[] = {
		{ISCA_DIM_ROW, w->tile_rows, w->tiles},
		{ISCA_DIM_BLOCK, count > 1 ? (last - first) / (count - 1) : 1, count},
		{0},
	};
	uint64_t unit = part;

	isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	if (count > 1 && folds[1].div > 1)
		isca_tile_filter(&tile, ISCA_DIM_BLOCK, 1, folds[1].div, 0);
	folds[2] = batch_fold(w, &tile, e);
	if (share == ISCA_ALL) {
		/* Tiles of rows follow each other without holes. */
		folds[0] = (isca_fold){ISCA_DIM_ROW, 1, w->m};
		unit = 1;
	} else {
		isca_tile_filter(&tile, ISCA_DIM_ROW, part, 1u << share, e / (w->engines >> share));
		isca_tile_add(&tile, ISCA_DIM_ROW, 1, part, 0, 1);
	}
	isca_tile_lay(&tile, unit, folds, 3, o->plan->part_words, w->bytes);
	return tile;
}

static isca_tile taps_tile(const operands *o, unsigned e)
{
	const isca_work *w = o->w;
	const isca_packing *k = &w->packing;
	uint64_t words = w->patches ? k->strips * k->band_lines * k->line_words : w->taps.lines * w->taps.line_words;
	isca_tile tile = {
		.period = words,
		.rows = words,
		.batches = w->batches->len,
		.blocks = w->chunks,
		.bytes = w->bytes,
	};
	isca_fold folds[] = {
		{ISCA_DIM_ROW, 1, tile.rows},
		{ISCA_DIM_BLOCK, 1, tile.blocks},
		{0},
	};

	isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	folds[2] = batch_fold(w, &tile, e);
	isca_tile_lay(&tile, 1, folds, 3, o->plan->part_words, w->bytes);
	return tile;
}

/* Is there anything for engine E? */
static bool has_patches(const isca_work *w, unsigned e)
{
	for (guint i = 0; w->patches && i < w->patches->len; i++)
		if (g_array_index(w->patches, isca_patch, i).engine == e && isca_tile_rows(w, i, 0))
			return true;
	return !w->patches;
}

/* Activations of each engine; those of different engines are read at once. */
static bool place_a(operands *o)
{
	isca_work *w = o->w;

	for (unsigned e = 0; e < w->engines; e++)
		for (enum isca_share share = ISCA_ALL; share < ISCA_SHARES; share++) {
			bool taps = w->has_taps || w->patches;
			isca_wish wish = wish_for(o);

			if (taps ? share != ISCA_ALL || !has_patches(w, e) : !takes(w, e, share))
				continue;
			w->a_tile[e][share] = taps ? taps_tile(o, e) : matmul_tile(o, e, share);
			wish.side = (int)isca_engine_side(w, e);
			wish.outward = true;
			for (unsigned other = 0; other < w->engines; other++)
				if (other != e)
					isca_set_join(&wish.avoid, &o->engine[other]);
			/* Host data is there from the beginning. */
			wish.first = 0;
			if (!place(o, &w->a_tile[e][share], &wish, NULL))
				return false;
			isca_set_join(&o->engine[e], &w->a_tile[e][share].slices);
		}
	for (unsigned e = 0; e < w->engines; e++) {
		isca_set_join(&o->op->used, &o->engine[e]);
		isca_set_join(&o->often, &o->engine[e]);
	}
	return true;
}

/* Weights of one K block for engine E. */
static isca_tile weights_tile(const operands *o, unsigned kblock, unsigned e)
{
	const isca_work *w = o->w;
	const isca_kblock *k = isca_kblock_at(w, kblock);
	const isca_kblock *last = isca_kblock_at(w, w->kblocks->len - 1);
	isca_tile tile = {
		.first_row = isca_batch_at(w, 0)->b + k->row,
		.period = last->row + last->rows,
		.rows = k->rows,
		.batches = w->groups,
		.blocks = isca_has_strips(w) ? w->packing.strips : w->blocks,
		.bytes = w->bytes,
	};
	uint64_t step = w->own && !w->by_batch && !w->patches ? w->engines : 1;
	isca_fold folds[] = {
		{ISCA_DIM_ROW, w->load_rows, (k->rows - 1) / w->load_rows + 1},
		{ISCA_DIM_BLOCK, step, (tile.blocks - 1) / step + 1},
		{ISCA_DIM_BATCH, 1, w->groups},
	};

	isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	if (w->load_rows > 1)
		isca_tile_add(&tile, ISCA_DIM_ROW, 1, w->load_rows, w->bytes, 0);
	if (step > 1)
		isca_tile_filter(&tile, ISCA_DIM_BLOCK, 1, step, e);
	if (w->by_batch && w->groups == w->batches->len)
		folds[2] = batch_fold(w, &tile, e);
	isca_tile_lay(&tile, 1, folds, 3, o->plan->part_words, w->load_rows * w->bytes);
	return tile;
}

static bool engine_takes_block(const isca_work *w, unsigned e, unsigned kblock)
{
	for (guint i = 0; i < w->steps->len; i++) {
		const isca_stage *step = &g_array_index(w->steps, isca_stage, i);

		for (unsigned s = 0; s < step->count; s++)
			for (unsigned l = 0; l < step->strand[s].count; l++)
				if (step->strand[s].kblock[l] == kblock &&
				    (step->strand[s].engine[l] == e || step->strand[s].engine[l] == ISCA_OWN_ENGINE))
					return true;
	}
	return false;
}

unsigned isca_same_weights(const isca_work *w, unsigned e, unsigned kblock)
{
	bool cut = w->own && !w->patches && !(w->by_batch && w->groups != w->batches->len);

	for (unsigned other = 0; other < e && !cut; other++)
		if (isca_engine_side(w, other) == isca_engine_side(w, e) && engine_takes_block(w, other, kblock))
			return other;
	return e;
}

static bool place_b(operands *o)
{
	isca_work *w = o->w;

	g_array_set_size(w->b_tiles, w->kblocks->len * w->engines);
	for (unsigned k = 0; k < w->kblocks->len; k++)
		for (unsigned e = 0; e < w->engines; e++) {
			isca_tile *tile = &g_array_index(w->b_tiles, isca_tile, k * w->engines + e);
			unsigned same = isca_same_weights(w, e, k);
			isca_wish wish = wish_for(o);

			if (!engine_takes_block(w, e, k))
				continue;
			if (same != e) {
				*tile = g_array_index(w->b_tiles, isca_tile, k * w->engines + same);
				continue;
			}
			*tile = weights_tile(o, k, e);
			wish.side = (int)isca_engine_side(w, e);
			wish.outward = true;
			wish.first = 0;
			if (!isca_allocate(o->plan->c, tile, &wish)) {
				wish.avoid = (isca_set){{0}};
				wish.shun = w->thrift.share ? o->often : o->op->used;
				if (!isca_allocate(o->plan->c, tile, &wish))
					return false;
			}
			isca_set_join(&o->op->busy, &tile->slices);
		}
	return true;
}

/* A digit of sums, half of its values in each hemisphere: so do they flow past the VXM from both sides. */
static void add_halves(const operands *o, isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod)
{
	if (mod > 2)
		isca_tile_add(tile, dim, div, mod / 2, 4, 0);
	isca_tile_add(tile, dim, div * (mod / 2), 2, o->plan->c->slices_per_side, 0);
}

/* Partial sums: read and written in one step, so two buffers; the last step reads one and writes C, which may therefore
 * share slices with the other. */
static bool place_sums(operands *o)
{
	isca_work *w = o->w;
	uint64_t step = w->own ? w->engines : 1;
	const isca_tensor *c = tensor_at(o->plan->tensors, w->c);
	unsigned last = w->steps->len & 1;
	/* A group of slices for what one engine may write alone; thrift: no group for rows that only one engine may
	 * write. */
	uint64_t groups = w->thrift.share ? w->engines : ISCA_PARTS, rows = w->part_rows * (ISCA_PARTS / groups);

	for (unsigned i = 0; i < 2; i++) {
		unsigned which = i ? !last : last;
		isca_tile *tile = &w->sum[which];
		isca_wish wish = wish_for(o);
		isca_fold folds[] = {{ISCA_DIM_BATCH, step, (w->window - 1) / step + 1}};

		/* The buffer read last is needed from two steps on, the other one from three. */
		if (w->steps->len < 2 + i)
			continue;
		wish.split = true;
		*tile = (isca_tile){
			.period = w->tile_rows, .rows = w->tile_rows, .batches = w->window, .blocks = 1, .bytes = 4};
		isca_tile_add(tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
		if (w->own) {
			add_halves(o, tile, ISCA_DIM_BATCH, 1, step);
			isca_tile_add(tile, ISCA_DIM_ROW, 1, 0, 0, 1);
			isca_tile_lay(tile, w->tile_rows, folds, 1, UINT32_MAX, 0);
		} else {
			add_halves(o, tile, ISCA_DIM_ROW, rows, groups);
			isca_tile_add(tile, ISCA_DIM_ROW, 1, rows, 0, 1);
			isca_tile_lay(tile, rows, folds, 1, UINT32_MAX, 0);
		}
		if (i) {
			wish.avoid = w->sum[last].slices;
			for (unsigned e = 0; e < w->engines; e++)
				isca_set_join(&wish.avoid, &o->engine[e]);
			wish.bound = true;
			wish.within = g_array_index(c->tiles, isca_tile, 0).slices;
			if (!isca_allocate(o->plan->c, tile, &wish)) {
				wish.bound = false;
				wish.avoid = o->op->used;
				if (!place(o, tile, &wish, &w->sum[last].slices))
					return false;
			}
		} else if (!place(o, tile, &wish, NULL)) {
			return false;
		}
		isca_set_join(&o->op->used, &tile->slices);
		isca_set_join(&o->often, &tile->slices);
	}
	return true;
}

/* Words of the result that wait for further strips: read and written in one step, so two buffers. */
static bool place_strips(operands *o)
{
	isca_work *w = o->w;
	isca_set apart = {{0}};

	for (unsigned i = 0; i < 2; i++)
		if (w->steps->len > 1)
			isca_set_join(&apart, &w->sum[i].slices);
	for (unsigned i = 0; i < 2 && isca_has_strips(w); i++) {
		isca_wish wish = wish_for(o);
		isca_fold folds[] = {{ISCA_DIM_BATCH, w->engines, (w->window - 1) / w->engines + 1}};

		/* The second one is needed from three strips on. */
		if (w->packing.strips < 2 + i)
			continue;
		wish.split = true;
		w->strip[i] = (isca_tile){.period = w->tile_rows,
		                          .rows = w->tile_rows,
		                          .batches = w->window,
		                          .blocks = 1,
		                          .bytes = isa_type_bytes(tensor_at(o->plan->tensors, w->c)->type)};
		isca_tile_add(&w->strip[i], ISCA_DIM_BYTE, 1, 0, 1, 0);
		add_halves(o, &w->strip[i], ISCA_DIM_BATCH, 1, w->engines);
		isca_tile_add(&w->strip[i], ISCA_DIM_ROW, 1, 0, 0, 1);
		isca_tile_lay(&w->strip[i], w->tile_rows, folds, 1, UINT32_MAX, 0);
		if (!place(o, &w->strip[i], &wish, &apart))
			return false;
		isca_set_join(&apart, &w->strip[i].slices);
		isca_set_join(&o->op->used, &w->strip[i].slices);
		isca_set_join(&o->often, &w->strip[i].slices);
	}
	return true;
}

bool isca_place_work(isca_plan *plan, isca_operation *op, uint32_t number)
{
	operands o = {.plan = plan, .op = op, .w = op->work, .number = number};

	return (!op->work->a_private || place_a(&o)) && place_sums(&o) && place_strips(&o) &&
	       (!op->work->b_private || place_b(&o));
}
