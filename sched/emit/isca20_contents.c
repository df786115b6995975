/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host puts into the operands that are laid out for one work alone.
 */
#include "sched/emit/isca20_plan.h"

static const isca_tensor *tensor_at(const GArray *tensors, uint32_t i)
{
	return &g_array_index(tensors, isca_tensor, i);
}

typedef struct contents {
	const isca_work *w;
	const isca_tensor *t;
	const uint8_t *data;
	unsigned engine;
	uint64_t lanes; /* of a word */
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

/* COUNT pixels from (H, COLUMN) of the padded input on, channel block BLOCK. */
static void copy_pixels(const contents *s, uint64_t image, uint64_t h, uint64_t column, uint64_t block, uint64_t count,
                        unsigned byte, uint8_t *out)
{
	const graph_conv *c = &s->w->conv;
	uint64_t first = block * c->block_chan;
	uint64_t channels = MIN(c->block_chan, c->c - first);

	for (uint64_t i = 0; i < count * channels; i++)
		copy_pixel(s, image, (int64_t)h - (int64_t)c->pad, (int64_t)(column + i / channels) - (int64_t)c->pad,
		           first + i % channels, byte, &out[i]);
}

static void taps_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	const graph_conv *c = &s->w->conv;
	const isca_taps *t = &s->w->taps;
	uint64_t image = isca_batch_at(s->w, row / (t->line_words * t->lines))->a;
	uint64_t line = isca_taps_height(t, c, row / t->line_words % t->lines);

	copy_pixels(s, image, line, isca_taps_pixel(t, c, row % t->line_words), block, c->block_taps, byte, out);
}

static void packed_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	const isca_tile *tile = &s->w->a_tile[s->engine][ISCA_ALL];
	uint64_t image = isca_batch_at(s->w, row / tile->period)->a, word = row % tile->period;
	uint64_t pixels = s->w->packing.word_pixels ? s->lanes / s->w->conv.c : s->w->conv.block_taps;

	copy_pixels(s, image, isca_packed_height(s->w, s->engine, word), isca_packed_pixel(s->w, word), block, pixels,
	            byte, out);
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

/* One lane block of one row of B; with strips, all of the row at the lanes of strip BLOCK. */
static void row_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const contents *s = state;
	bool strips = isca_has_strips(s->w);
	uint64_t first = strips ? 0 : block * s->t->vector_lanes;
	uint64_t lanes = MIN(s->t->vector_lanes, s->t->lanes - first);

	if (strips)
		out += block * s->t->lanes;
	for (uint64_t i = 0; i < lanes; i++)
		out[i] = s->data[(row * s->t->lanes + first + i) * s->w->bytes + byte];
}

void isca_fill_work(isca_plan *plan, const isca_work *w)
{
	isca *c = plan->c;
	contents a = {.w = w, .t = tensor_at(plan->tensors, w->a), .lanes = c->lanes};
	contents b = {.w = w, .t = tensor_at(plan->tensors, w->b), .lanes = c->lanes};
	isca_word_fn fill = w->patches ? packed_word : w->has_taps ? taps_word : w->is_conv ? runs_word : block_word;

	a.data = graph_at(c->low->g, a.t->node)->data;
	b.data = graph_at(c->low->g, b.t->node)->data;
	for (unsigned e = 0; w->a_private && e < w->engines; e++)
		for (unsigned share = 0; share < ISCA_SHARES; share++)
			if (w->a_tile[e][share].height) {
				a.engine = e;
				isca_fill_tile(c, &w->a_tile[e][share], c->options->functional && a.data ? fill : NULL,
				               &a);
			}
	for (unsigned i = 0; w->b_private && i < w->b_tiles->len; i++) {
		const isca_tile *tile = &g_array_index(w->b_tiles, isca_tile, i);
		unsigned e = i % w->engines;

		if (tile->height && isca_same_weights(w, e, i / w->engines) == e)
			isca_fill_tile(c, tile, c->options->functional && b.data ? row_word : NULL, &b);
	}
}
