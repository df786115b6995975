/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host puts into memory before an epoch, and how the program names it.  Bytes of wide elements lie in words of
 * their own; in timing mode an image only stands for the words.
 */
#include "sched/emit/isca20_memory.h"

#include <string.h>

/* Words of SLICE that a tile takes, as one image; returns its data or NULL. */
static uint8_t *add_image(isca *c, const isca_tile *tile, unsigned slice, bool data)
{
	GArray *images = g_array_index(c->program->epochs, isa_epoch, c->epoch).images;
	isa_image image = {
		.location = isa_word_location(c->m, slice / c->slices_per_side, slice % c->slices_per_side, tile->word),
		.bytes = (uint64_t)tile->height * c->lanes,
	};

	if (data)
		image.data = g_malloc0(image.bytes);
	g_array_append_val(images, image);
	for (uint32_t w = 0; w < tile->height; w++) {
		isca_word *word = isca_word_at(c, slice << 16 | (tile->word + w));

		*word = (isca_word){.ready = c->start, .read = INT64_MIN, .filled = true};
	}
	return image.data;
}

void isca_fill_tile(isca *c, const isca_tile *tile, isca_word_fn data, const void *state)
{
	uint8_t *image[ISCA_SLICES_MAX] = {NULL};

	for (unsigned s = 0; s < 2 * c->slices_per_side; s++)
		if (isca_set_has(&tile->slices, s))
			image[s] = add_image(c, tile, s, data != NULL);
	if (!data)
		return;
	for (uint64_t b = 0; b < tile->batches; b++)
		for (uint64_t r = 0; r < tile->rows; r++)
			for (uint64_t n = 0; n < tile->blocks; n++)
				for (unsigned byte = 0; byte < tile->bytes; byte++) {
					uint64_t row = tile->first_row + b * tile->period + r;
					uint32_t place;

					if (!isca_tile_covers(tile, row, tile->first_block + n))
						continue;
					place = isca_tile_place(tile, row, tile->first_block + n, byte);
					data(state, row, tile->first_block + n, byte,
					     image[place >> 16] + (size_t)((place & 0xffff) - tile->word) * c->lanes);
				}
}

typedef struct source {
	const isca_tensor *t;
	const uint8_t *data;
} source;

static void copy_word(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out)
{
	const source *s = state;
	unsigned bytes = isa_type_bytes(s->t->type);
	uint64_t first = block * s->t->vector_lanes;
	uint64_t lanes = MIN(s->t->vector_lanes, s->t->lanes - first);

	for (uint64_t i = 0; s->data && row < s->t->rows && i < lanes; i++)
		out[i] = s->data[(row * s->t->lanes + first + i) * bytes + byte];
}

void isca_add_images(isca *c, const isca_tensor *t, const isca_tile *tile)
{
	source s = {t, graph_at(c->low->g, t->node)->data};

	isca_fill_tile(c, tile, c->options->functional ? copy_word : NULL, &s);
}

static void add_term(isa_tensor *out, uint32_t dim, uint64_t div, uint64_t mod, int64_t stride)
{
	g_assert(out->terms < ISA_LAYOUT_TERMS);
	out->term[out->terms++] = (isa_layout_term){dim, div, mod, stride};
}

void isca_describe(isca *c, const isca_tensor *t)
{
	const isca_tile *tile = &g_array_index(t->tiles, isca_tile, 0);
	int64_t word = c->lanes, slice = word * c->words_per_slice;
	isa_tensor out = {
		.name = g_strdup(t->name),
		.type = t->type,
		.rank = 2,
		.shape = {t->rows, t->lanes},
		.base = (uint64_t)(tile->slice * slice + tile->word * word),
		.epoch = c->epoch,
		.output = t->output,
	};

	for (unsigned i = 0; i < tile->terms; i++) {
		const isca_term *term = &tile->term[i];
		int64_t stride = term->slices * slice + term->words * word;
		uint64_t mod = term->mod ? term->mod : (tile->period - 1) / term->div + 1;

		/* Rows begin anew in each batch. */
		if (term->dim == ISCA_DIM_ROW)
			add_term(&out, 0, term->div, tile->batches > 1 ? mod : term->mod, stride);
		else if (term->dim == ISCA_DIM_BATCH)
			add_term(&out, 0, term->div * tile->period, term->mod, stride);
		else if (term->dim == ISCA_DIM_BLOCK)
			add_term(&out, 1, term->div * t->vector_lanes, term->mod, stride);
		else if (term->dim == ISCA_DIM_BYTE)
			add_term(&out, 2, term->div, term->mod, stride);
	}
	add_term(&out, 1, 1, t->vector_lanes, 1);
	if (t->strips)
		add_term(&out, 0, tile->period, t->strips, (int64_t)t->lanes);
	for (unsigned s = 0; s < 2 * c->slices_per_side; s++)
		out.bytes += isca_set_has(&tile->slices, s) ? (uint64_t)tile->height * c->lanes : 0;
	g_array_append_val(c->program->tensors, out);
}
