/* SPDX-License-Identifier: Apache-2.0
 *
 * From steps to a program: order, dependences, streams, predictions, what to say about them.
 */
#include "sched/emit/ascend/predict.h"

/* Tensors nobody fills are the host's. */
static void add_host_images(asb *b)
{
	for (guint i = 0; i < b->tensors->len; i++) {
		const asb_block_tensor *t = &g_array_index(b->tensors, asb_block_tensor, i);
		asc_image image = {t->address, t->bytes, NULL};

		if (!t->data && !t->written)
			g_array_append_val(b->program->images, image);
	}
}

static void describe(const asb *b, sched_report *report)
{
	const asb_counts *c = &b->counts;

	if (!report)
		return;
	if (!report->notes)
		report->notes = g_string_new(NULL);
	g_string_append(report->notes, b->remarks->str);
	g_string_append_printf(report->notes,
	                       "synchronisation: %" G_GUINT64_FORMAT " flags, %" G_GUINT64_FORMAT
	                       " barriers, %" G_GUINT64_FORMAT " sets between sub-cores, %" G_GUINT64_FORMAT " meetings of all cores, %" G_GUINT64_FORMAT
	                       " round trips for want of an id, for %" G_GUINT64_FORMAT " dependences of bytes\n",
	                       c->flags, c->barriers, c->crossings, c->syncs, c->round_trips, c->dependences);
	if (c->conflicts_saved)
		g_string_append_printf(report->notes,
		                       "unified buffer: places of operands save %" G_GUINT64_FORMAT
		                       " cycles of bank conflicts\n",
		                       c->conflicts_saved);
}

bool asb_finish(asb *b, sched_report *report, GError **error)
{
	if (!asb_synchronise(b, error))
		return false;
	asb_emit(b);
	add_host_images(b);
	describe(b, report);
	ask_predict(b, report);
	return true;
}
