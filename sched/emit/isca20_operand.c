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
} operands;

static isca_wish wish_for(const operands *o)
{
	return (isca_wish){.side = -1, .first = o->number, .last = o->number, .avoid = o->op->used};
}

/* Apart from all that is used at the same time; where there is no room, and thrift allows it, from as much as possible.
 */
static bool place(operands *o, isca_tile *tile, const isca_wish *wish)
{
	isca_wish near = *wish;

	if (isca_allocate(o->plan->c, tile, wish))
		return true;
	near.shun = near.avoid;
	near.avoid = (isca_set){{0}};
	return o->w->thrift.share && isca_allocate(o->plan->c, tile, &near);
}

/* Host data is there from the beginning. */
static bool place_host(operands *o, isca_tile *tile, isca_wish *wish)
{
	wish->first = 0;
	return place(o, tile, wish);
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
	isca_tile tile = {
		.period = w->taps.line_words * w->taps.lines,
		.rows = w->taps.line_words * w->taps.lines,
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

/* Activations of each engine; those of different engines are read at once. */
static bool place_a(operands *o)
{
	isca_work *w = o->w;

	for (unsigned e = 0; e < w->engines; e++)
		for (enum isca_share share = ISCA_ALL; share < ISCA_SHARES; share++) {
			isca_wish wish = wish_for(o);

			if (w->has_taps ? share != ISCA_ALL : !takes(w, e, share))
				continue;
			w->a_tile[e][share] = w->has_taps ? taps_tile(o, e) : matmul_tile(o, e, share);
			wish.side = (int)isca_engine_side(w, e);
			wish.outward = true;
			for (unsigned other = 0; other < w->engines; other++)
				if (other != e)
					isca_set_join(&wish.avoid, &o->engine[other]);
			if (!place_host(o, &w->a_tile[e][share], &wish))
				return false;
			isca_set_join(&o->engine[e], &w->a_tile[e][share].slices);
		}
	for (unsigned e = 0; e < w->engines; e++)
		isca_set_join(&o->op->used, &o->engine[e]);
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
		.blocks = w->blocks,
		.bytes = w->bytes,
	};
	uint64_t step = w->own && !w->by_batch ? w->engines : 1;
	isca_fold folds[] = {
		{ISCA_DIM_ROW, w->load_rows, (k->rows - 1) / w->load_rows + 1},
		{ISCA_DIM_BLOCK, step, (w->blocks - 1) / step + 1},
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

/* Is the tile of engine E the same as that of an earlier engine in its hemisphere?  Returns that engine, or E. */
static unsigned same_weights(const isca_work *w, unsigned e, unsigned kblock)
{
	bool cut = w->own && !(w->by_batch && w->groups != w->batches->len);

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
			unsigned same = same_weights(w, e, k);
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
			if (!place_host(o, tile, &wish)) {
				wish.avoid = (isca_set){{0}};
				wish.shun = o->op->used;
				if (!place_host(o, tile, &wish))
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
				if (!place(o, tile, &wish))
					return false;
			}
		} else if (!place(o, tile, &wish)) {
			return false;
		}
		isca_set_join(&o->op->used, &tile->slices);
	}
	return true;
}

bool isca_place_work(isca_plan *plan, isca_operation *op, uint32_t number)
{
	operands o = {.plan = plan, .op = op, .w = op->work, .number = number};

	return (!op->work->a_private || place_a(&o)) && place_sums(&o) && (!op->work->b_private || place_b(&o));
}

/* --------------------------------------------------------------------------------------------------- contents */

typedef struct contents {
	const isca_work *w;
	const isca_tensor *t;
	const uint8_t *data;
} contents;

/* Lane I of a word of W's input: pixel (H, COLUMN) and channel of image and group IMAGE, zero outside. */
static void copy_pixel(const contents *s, uint64_t image, int64_t h, int64_t column, uint64_t channel, unsigned byte,
                       uint8_t *out)
{
	const graph_conv *c = &s->w->conv;

	if (h >= 0 && h < (int64_t)c->h && column >= 0 && column < (int64_t)c->w)
		*out = s->data[(((image * c->h + (uint64_t)h) * c->w + (uint64_t)column) * c->c + channel) *
		                       s->w->bytes +
		               byte];
}

static void taps_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	const graph_conv *c = &s->w->conv;
	const isca_taps *t = &s->w->taps;
	uint64_t image = isca_batch_at(s->w, row / (t->line_words * t->lines))->a;
	int64_t h = (int64_t)isca_taps_height(t, c, row / t->line_words % t->lines) - (int64_t)c->pad;
	int64_t column = (int64_t)isca_taps_pixel(t, c, row % t->line_words) - (int64_t)c->pad;
	uint64_t first = block * c->block_chan;
	uint64_t channels = MIN(c->block_chan, c->c - first);

	for (uint64_t tap = 0; tap < c->block_taps; tap++)
		for (uint64_t i = 0; i < channels; i++)
			copy_pixel(s, image, h, column + (int64_t)tap, first + i, byte, &out[tap * channels + i]);
}

/* One word for each output row and K block. */
static void runs_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	const graph_conv *c = &s->w->conv;
	uint64_t at = row - isca_batch_at(s->w, 0)->a;
	uint64_t image = isca_batch_at(s->w, at / s->w->m)->a, m = at % s->w->m;

	for (uint64_t i = 0; i < isca_kblock_at(s->w, (unsigned)block)->rows; i++) {
		uint64_t r, tap, channel;

		graph_conv_lane(c, block, i, &r, &tap, &channel);
		copy_pixel(s, image, (int64_t)(m / c->ow * c->stride_h + r) - (int64_t)c->pad,
		           (int64_t)(m % c->ow * c->stride_w + tap) - (int64_t)c->pad, channel, byte, &out[i]);
	}
}

/* The elements of one K block in one row of A. */
static void block_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	const isca_kblock *k = isca_kblock_at(s->w, (unsigned)block);

	for (uint64_t i = 0; i < k->rows; i++)
		out[i] = s->data[(row * s->t->lanes + k->row + i) * s->w->bytes + byte];
}

/* One lane block of one row of B. */
static void row_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	uint64_t first = block * s->t->vector_lanes;
	uint64_t lanes = MIN(s->t->vector_lanes, s->t->lanes - first);

	for (uint64_t i = 0; i < lanes; i++)
		out[i] = s->data[(row * s->t->lanes + first + i) * s->w->bytes + byte];
}

void isca_fill_work(isca_plan *plan, const isca_work *w)
{
	isca *c = plan->c;
	contents a = {w, tensor_at(plan->tensors, w->a), NULL};
	contents b = {w, tensor_at(plan->tensors, w->b), NULL};
	isca_word_fn fill = w->has_taps ? taps_word : w->is_conv ? runs_word : block_word;

	a.data = graph_at(c->low->g, a.t->node)->data;
	b.data = graph_at(c->low->g, b.t->node)->data;
	for (unsigned e = 0; w->a_private && e < w->engines; e++)
		for (unsigned share = 0; share < ISCA_SHARES; share++)
			if (w->a_tile[e][share].height)
				isca_fill_tile(c, &w->a_tile[e][share], c->options->functional && a.data ? fill : NULL,
				               &a);
	for (unsigned i = 0; w->b_private && i < w->b_tiles->len; i++) {
		const isca_tile *tile = &g_array_index(w->b_tiles, isca_tile, i);
		unsigned e = i % w->engines;

		if (tile->height && same_weights(w, e, i / w->engines) == e)
			isca_fill_tile(c, tile, c->options->functional && b.data ? row_word : NULL, &b);
	}
}
