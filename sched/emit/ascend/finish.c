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

/* Words of meetings count from 0. */
static void add_words(asb *b)
{
	asc_image image = {b->words, asb_words_bytes(b), NULL};

	if (!b->words)
		return;
	image.data = g_malloc0(image.bytes);
	g_array_append_val(b->program->images, image);
}

static void describe(const asb *b, sched_report *report)
{
	const asb_counts *c = &b->counts;

	if (!report->notes)
		report->notes = g_string_new(NULL);
	g_string_append(report->notes, b->remarks->str);
	g_string_append_printf(
		report->notes,
		"synchronisation: %" G_GUINT64_FORMAT " flag%s, %" G_GUINT64_FORMAT " barrier%s, %" G_GUINT64_FORMAT
		" set%s between sub-cores, %" G_GUINT64_FORMAT " meeting%s of all cores, %" G_GUINT64_FORMAT
		" round trip%s for want of an id, for %" G_GUINT64_FORMAT " dependence%s of bytes\n",
		c->flags, tsp_s(c->flags), c->barriers, tsp_s(c->barriers), c->crossings, tsp_s(c->crossings), c->syncs,
		tsp_s(c->syncs), c->round_trips, tsp_s(c->round_trips), c->dependences, tsp_s(c->dependences));
	if (c->windows)
		g_string_append_printf(report->notes, "order: %" G_GUINT64_FORMAT " window%s of steps changed\n",
		                       c->windows, tsp_s(c->windows));
	if (c->conflicts_saved)
		g_string_append_printf(report->notes,
		                       "unified buffer: places of operands save %" G_GUINT64_FORMAT
		                       " cycle%s of bank conflicts\n",
		                       c->conflicts_saved, tsp_s(c->conflicts_saved));
}

/* Flags, streams and times for the steps as they stand. */
static bool complete_steps(asb *b, sched_report *report, GError **error)
{
	if (!asb_synchronise(b, error))
		return false;
	asb_emit(b);
	ask_predict(b, report);
	return true;
}

/* A builder with the same steps and nothing else. */
static asb *copy_of(const asb *b, asc_program *program)
{
	asb *copy = asb_new(program, b->machine, &b->options);

	asb_limit_blocks(copy, b->blocks);
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		g_array_append_vals(copy->sub[i].items, b->sub[i].items->data, b->sub[i].items->len);
	g_array_append_vals(copy->sequence, b->sequence->data, b->sequence->len);
	g_array_set_size(copy->modes, 0);
	g_array_append_vals(copy->modes, b->modes->data, b->modes->len);
	copy->global = b->global;
	return copy;
}

/* Takes over the streams of ANOTHER builder's program. */
static void take_streams(asb *b, asb *another)
{
	asc_program *to = b->program, *from = another->program;
	GPtrArray *streams = to->streams;

	to->streams = from->streams;
	from->streams = streams;
	to->predicted_cycles = from->predicted_cycles;
	another->counts.conflicts_saved = b->counts.conflicts_saved;
	b->counts = another->counts;
	for (uint32_t i = 0; i < b->blocks * b->subs; i++) {
		GArray *tags = b->sub[i].tags;

		b->sub[i].tags = another->sub[i].tags;
		another->sub[i].tags = tags;
	}
	b->words = another->words;
	b->words_cores = another->words_cores;
}

/* Ordered steps, unless the kernels' own order is predicted to take no longer. */
static bool complete_ordered(asb *b, sched_report *found, GError **error)
{
	enum { BOTH_STEPS = 200000 };
	bool both = b->sequence->len <= BOTH_STEPS, good;
	asc_program *program = asc_program_new();
	asb *kernels = both ? copy_of(b, program) : NULL;
	sched_report other = {.notes = NULL};

	both = asb_order(b) && both;
	if (both) {
		b->progress_share = kernels->progress_share = b->progress_share / 2;
		kernels->progress_from = b->progress_from + b->progress_share;
	}
	good = complete_steps(b, found, error) && (!both || complete_steps(kernels, &other, error));
	if (good && both && program->predicted_cycles <= b->program->predicted_cycles) {
		take_streams(b, kernels);
		sched_report_fini(found);
		*found = other;
		other = (sched_report){.notes = NULL};
	}
	sched_report_fini(&other);
	asb_free(kernels);
	asc_program_free(program);
	return good;
}

/* Every program of steps can be synchronised: what counters and flags cannot do meetings do.  It only fails when it is
 * told to stop. */
bool asb_finish(asb *b, sched_report *report, GError **error)
{
	sched_report found = {.notes = NULL};

	asb_read_past(b);
	if (!complete_ordered(b, &found, error)) {
		sched_report_fini(&found);
		return false;
	}
	add_host_images(b);
	add_words(b);
	if (report) {
		describe(b, report);
		g_string_append(report->notes, found.notes ? found.notes->str : "");
		if (!b->options.brief)
			ask_intervals(b, report);
		report->cycles = found.cycles;
		g_free(report->binds);
		report->binds = g_steal_pointer(&found.binds);
	}
	sched_report_fini(&found);
	return true;
}
