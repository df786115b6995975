/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions in little memory: no engine stores what another one needs, and vectors share words.
 *
 * Output rows are cut into *strips*, and each strip into bands of rows, one for each engine.  A *patch* is a rectangle
 * of a band: a unit of work, the same in every strip.
 *
 * Where vectors of the result are narrow, the same pixel of all strips goes into one word: strip s has its columns at
 * lane s times their number.  Its weights are stored at these lanes, with nothing before them, so its sums come out
 * there; what comes out before them is replaced by what earlier strips had (isca20_pass.c).  The weights of all strips
 * are stored, so more strips are not always better.
 *
 * Where an activation takes few lanes, a word of the input holds as many pixels of a line as fit, and the SXM shifts
 * the first tap to lane 0 on the way to the matrix unit.  The distance is part of the instruction; columns of one patch
 * are so far apart that they share it.
 */
#include "sched/emit/isca20_mxm.h"

/* Does anything read what the work computes?  It would find vectors where they are not. */
static bool is_read(const isca *c, uint32_t node)
{
	for (uint32_t i = 0; i < graph_size(c->low->g); i++) {
		const graph_node *n = graph_at(c->low->g, i);

		if (n->in[0] == node || n->in[1] == node)
			return true;
	}
	return false;
}

/* Words of as many pixels as fit, when that takes fewer than words of taps. */
static void choose_words(const isca *c, isca_work *w)
{
	const graph_conv *v = &w->conv;
	uint64_t pixels = c->lanes / v->c, taps = v->block_taps, words;
	isca_packing *k = &w->packing;

	k->columns = 1;
	k->line_words = w->taps.line_words;
	if (w->chunks > 1 || (unsigned)c->m->sxm_queues.at[ISA_SXM_SHIFT] < (w->engines + 1) / 2 || pixels < taps)
		return;
	/* First taps lie anywhere from word to word, but for a single tap block at columns of the output only. */
	k->columns = w->taps.starts == 1 ? (pixels - taps) / v->stride_w + 1 : (pixels - taps + 1) / v->stride_w;
	if (k->columns > 1) {
		words = ((v->ow - 1) * v->stride_w + (w->taps.starts - 1) * taps) / (k->columns * v->stride_w) + 1;
		if (words < k->line_words) {
			k->word_pixels = k->columns * v->stride_w;
			k->line_words = words;
			return;
		}
	}
	k->columns = 1;
}

/* Packing of the result into STRIPS strips; false when there are no such. */
static bool cut_strips(const isca *c, const isca_work *w, uint64_t strips, isca_packing *k)
{
	const graph_conv *v = &w->conv;
	uint64_t rows = (v->oh - 1) / strips + 1;

	if (strips > 1) {
		/* All slices have equally many whole rows; half of the slices are in the east. */
		uint64_t most = MIN(c->words_per_slice / v->ow, rows), slices;

		if (!most)
			return false;
		slices = (rows - 1) / most + 1;
		slices += slices > 1 && slices % 2;
		rows = ((rows - 1) / slices + 1) * slices;
	}
	k->strips = (v->oh - 1) / rows + 1;
	k->strip_rows = rows;
	k->band_rows = (rows - 1) / w->engines + 1;
	k->band_lines = (k->band_rows - 1) * w->taps.line_step + v->r;
	return k->strips == strips && (w->batches->len == 1 || strips * rows == v->oh);
}

static uint64_t count_words(const isca_work *w, const isca_packing *k, unsigned result_bytes)
{
	uint64_t input =
		w->engines * k->strips * k->band_lines * k->line_words * w->chunks * w->batches->len * w->bytes;
	uint64_t result = k->strip_rows * w->conv.ow * w->blocks * w->batches->len * result_bytes;
	uint64_t weights = 2 * graph_conv_k(&w->conv) * w->groups * k->strips * w->blocks * w->bytes;

	return input + result + weights;
}

static void choose_strips(const isca *c, isca_work *w, const isca_tensor *result)
{
	uint64_t most = w->blocks == 1 && !is_read(c, result->node) ? MIN(c->lanes / w->n, w->conv.oh) : 1;
	unsigned bytes = isa_type_bytes(result->type);
	uint64_t best = UINT64_MAX;

	for (uint64_t strips = 1; strips <= most; strips++) {
		isca_packing k = w->packing;
		uint64_t words;

		if (!cut_strips(c, w, strips, &k))
			continue;
		words = count_words(w, &k, bytes);
		if (words >= best)
			continue;
		best = words;
		w->packing = k;
	}
}

/* One patch for each engine in turn, so that each has its own places in the window; the last engine's may be empty. */
static void list_patches(isca_work *w)
{
	const isca_packing *k = &w->packing;
	uint64_t strip_rows = MIN(k->strip_rows, w->conv.oh);

	for (uint64_t column = 0; column < MIN(k->columns, w->conv.ow); column++) {
		uint64_t columns = (w->conv.ow - 1 - column) / k->columns + 1;
		uint64_t most = MAX(w->thrift.tile_rows / columns, 1);
		uint64_t chunks = (k->band_rows - 1) / most + 1, rows = (k->band_rows - 1) / chunks + 1;

		for (uint64_t i = 0; i < chunks * w->engines; i++) {
			unsigned engine = (unsigned)(i % w->engines);
			uint64_t end = MIN((engine + 1) * k->band_rows, strip_rows);
			uint64_t first = MIN(engine * k->band_rows + i / w->engines * rows, end);
			isca_patch patch = {
				.engine = engine,
				.row = first,
				.rows = MIN(rows, end - first),
				.column = column,
				.columns = columns,
			};

			g_array_append_val(w->patches, patch);
		}
	}
}

bool isca_cut_patches(const isca *c, isca_work *w, const isca_tensor *result)
{
	if (!w->is_conv || w->conv.kind != GRAPH_KBLOCK_TAPS || !w->a_private || !w->b_private)
		return false;
	w->patches = g_array_new(FALSE, FALSE, sizeof(isca_patch));
	choose_words(c, w);
	choose_strips(c, w, result);
	list_patches(w);
	w->tiles = w->patches->len;
	w->tile_rows = 0;
	for (guint i = 0; i < w->patches->len; i++)
		w->tile_rows = MAX(w->tile_rows, isca_tile_rows(w, i, 0));
	w->part_rows = (w->tile_rows - 1) / ISCA_PARTS + 1;
	w->own = true;
	return true;
}

/* Rows of a patch that strip STRIP has: the last one may be shorter. */
static uint64_t rows_in_strip(const isca_work *w, const isca_patch *patch, uint64_t strip)
{
	uint64_t first = strip * w->packing.strip_rows + patch->row;

	return first < w->conv.oh ? MIN(patch->rows, w->conv.oh - first) : 0;
}

uint64_t isca_tile_rows(const isca_work *w, uint64_t tile, uint64_t strip)
{
	const isca_patch *patch;

	if (!w->patches)
		return MIN(w->tile_rows, w->m - tile * w->tile_rows);
	patch = &g_array_index(w->patches, isca_patch, tile);
	return rows_in_strip(w, patch, strip) * patch->columns;
}

bool isca_is_whole(const isca_work *w, uint64_t tile, uint64_t strip, uint64_t i)
{
	return !isca_has_strips(w) || strip + 1 == w->packing.strips || i >= isca_tile_rows(w, tile, strip + 1);
}

uint64_t isca_tile_row(const isca_work *w, uint64_t tile, uint64_t strip, uint64_t i)
{
	const isca_patch *patch;

	if (!w->patches)
		return tile * w->tile_rows + i;
	patch = &g_array_index(w->patches, isca_patch, tile);
	return (strip * w->packing.strip_rows + patch->row + i / patch->columns) * w->conv.ow + patch->column +
	       i % patch->columns * w->packing.columns;
}

uint64_t isca_packed_at(const isca_work *w, unsigned engine, uint64_t m, const isca_kblock *k)
{
	const isca_packing *p = &w->packing;
	uint64_t row = m / w->conv.ow, column = m % w->conv.ow;
	uint64_t line = (row % p->strip_rows - engine * p->band_rows) * w->taps.line_step + k->r, word;

	if (p->word_pixels)
		word = (column * w->conv.stride_w + k->s) / p->word_pixels;
	else
		word = isca_taps_at(&w->taps, &w->conv, 0, column, 0, k->s);
	return (row / p->strip_rows * p->band_lines + line) * p->line_words + word;
}

unsigned isca_packed_lane(const isca_work *w, uint64_t m, const isca_kblock *k)
{
	uint64_t pixel;

	if (!w->patches || !w->packing.word_pixels)
		return 0;
	pixel = m % w->conv.ow * w->conv.stride_w + k->s;
	return (unsigned)(pixel % w->packing.word_pixels * w->conv.c);
}

uint64_t isca_packed_height(const isca_work *w, unsigned engine, uint64_t word)
{
	const isca_packing *p = &w->packing;
	uint64_t strip = word / p->line_words / p->band_lines, line = word / p->line_words % p->band_lines;
	uint64_t row = MIN(line / w->taps.line_step, p->band_rows - 1);

	return (strip * p->strip_rows + engine * p->band_rows + row) * w->conv.stride_h + line -
	       row * w->taps.line_step;
}

uint64_t isca_packed_pixel(const isca_work *w, uint64_t word)
{
	const isca_packing *p = &w->packing;

	word %= p->line_words;
	return p->word_pixels ? word * p->word_pixels : isca_taps_pixel(&w->taps, &w->conv, word);
}
