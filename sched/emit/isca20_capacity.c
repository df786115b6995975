/* SPDX-License-Identifier: Apache-2.0
 *
 * What an epoch needs of memory at least: every vector once, in the words that the present layouts give it.
 * Copies for several engines, partial sums, and what cutting into equal parts wastes are not counted.
 */
#include "sched/emit/isca20_plan.h"

/* The work that has tensor I for itself, or packs it; NULL when there is none. */
static const isca_work *work_of(const isca_plan *plan, uint32_t i)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_work *w = g_array_index(plan->operations, isca_operation, o).work;

		if (w && w->is_conv && (w->a == i || w->b == i || w->c == i))
			return w;
	}
	return NULL;
}

/* Words a byte of the input of a convolution, all images and groups. */
static uint64_t input_words(const isca_work *w)
{
	const isca_packing *k = &w->packing;
	uint64_t lines = w->taps.lines * w->taps.line_words;

	/* Every line once, whichever engine has it. */
	if (w->patches && k->word_pixels)
		lines = w->taps.lines * k->line_words;
	return lines * w->chunks * w->batches->len;
}

static uint64_t tensor_words(const isca_plan *plan, uint32_t i)
{
	const isca_tensor *t = isca_plan_tensor(plan, i);
	const isca_work *w = work_of(plan, i);
	uint64_t words = t->rows * t->blocks;

	if (w && w->a == i && w->conv.kind == GRAPH_KBLOCK_TAPS)
		words = input_words(w);
	else if (w && w->b == i && isca_has_strips(w))
		words = t->rows * w->packing.strips;
	else if (t->strips)
		words = t->strip_rows * t->strip_columns *
		        ((t->rows - 1) / (t->strips * t->strip_rows * t->strip_columns) + 1);
	return words * isa_type_bytes(t->type);
}

uint64_t isca_count_words(const isca_plan *plan)
{
	uint64_t words = 0;

	for (guint i = 0; i < plan->tensors->len; i++)
		words += tensor_words(plan, i);
	return words;
}

static bool needs(const isca_operation *op, uint32_t i)
{
	return isca_uses(op, i) || (op->work && (op->work->a == i || op->work->b == i));
}

bool isca_may_fit(const isca_plan *plan)
{
	uint64_t capacity = 2 * (uint64_t)plan->c->slices_per_side * plan->c->words_per_slice;

	for (guint o = 0; o < plan->operations->len; o++) {
		uint64_t words = 0;

		for (guint i = 0; i < plan->tensors->len; i++)
			if (needs(&g_array_index(plan->operations, isca_operation, o), i))
				words += tensor_words(plan, i);
		if (words > capacity)
			return false;
	}
	return true;
}

bool isca_refuse(const isca_plan *plan, uint64_t words)
{
	isca *c = plan->c;
	uint64_t capacity = (uint64_t)isa_machine_sram_bytes(c->m), raw = 0, bytes = words * c->lanes;

	for (guint i = 0; i < c->low->tensors->len; i++) {
		const low_tensor *t = &g_array_index(c->low->tensors, low_tensor, i);

		raw += t->rows * t->lanes * isa_type_bytes(t->type);
	}
	g_set_error(c->error, TSP_ERROR, TSP_ERROR_USER,
	            "layer '%s' does not fit into SRAM: %" G_GUINT64_FORMAT " bytes take %" G_GUINT64_FORMAT
	            " in whole vectors (%" G_GUINT64_FORMAT " words of %u bytes), capacity %" G_GUINT64_FORMAT
	            " bytes%s",
	            c->low->g->name, raw, bytes, words, c->lanes, capacity,
	            bytes <= capacity ? "; operands used at once must lie in different slices" : "");
	return false;
}
