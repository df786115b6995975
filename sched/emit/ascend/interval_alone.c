/* SPDX-License-Identifier: Apache-2.0
 *
 * What a step takes by itself: the predictor's formulas with nothing else under way.  Lines of global memory that no
 * earlier iteration and no other step of this one touches cannot be in L2; all others are taken to be there.
 */
#include "sched/emit/ascend/interval.h"

/* Between two steps, so that nothing of one is in the way of the next. */
enum { FAR_CYCLES = 1 << 20 };

struct asi_alone {
	const asb *b;
	const asi_lines *lines;
	ask_memory *memory;
	ask_core *core;
	ask_link link; /* of reads that only fill L2 */
	double now;
};

/* Whole lines, so that reads of parts find them. */
static void fill_lines(asi_alone *a, const asb_box *box)
{
	uint64_t line = (uint64_t)a->b->machine->l2_line_bytes;

	for (uint32_t i = 0; i < box->count; i++) {
		uint64_t low = box->low + i * box->pitch, first = low / line, last = (low + box->bytes - 1) / line;
		ask_copy copy;

		a->now += FAR_CYCLES;
		copy = ask_copy_begin(a->memory, &a->link, false, a->now, (double)line, 0);
		ask_copy_bursts(&copy, first * line, last + 1 - first, line, line);
	}
}

asi_alone *asi_alone_new(const asb *b, const asi_lines *lines)
{
	asi_alone *a = g_new0(asi_alone, 1);

	a->b = b;
	a->lines = lines;
	a->memory = ask_memory_new(b->machine);
	a->core = ask_core_new(b->machine, a->memory);
	return a;
}

void asi_alone_free(asi_alone *a)
{
	ask_core_free(a->core);
	ask_memory_free(a->memory);
	g_free(a->link.returns);
	g_free(a);
}

void asi_alone_measure(asi_alone *a, asi_step *s)
{
	asb_box box[ASB_BOXES];
	unsigned boxes = asi_knows_memory(s->insn) ? asb_touch(s->insn, &s->mode, a->b->machine, box) : 0;
	bool once = boxes > 0;
	ask_times x = {.start = 0};

	for (unsigned i = 0; i < boxes; i++)
		once &= box[i].space != ASC_GM || asi_lines_new_to(a->lines, s->tag, &box[i]);
	for (unsigned i = 0; i < boxes && !once; i++)
		if (box[i].space == ASC_GM)
			fill_lines(a, &box[i]);
	a->now += FAR_CYCLES;
	for (unsigned way = 0; way < 2; way++)
		s->link[way] = -ask_core_link_busy(a->core, way);
	x = ask_core_times(a->core, s->insn, s->pipe, &s->mode, a->now);
	for (unsigned way = 0; way < 2; way++)
		s->link[way] += ask_core_link_busy(a->core, way);
	s->taken = MAX(x.free - a->now, 1);
	s->latency = x.done - a->now;
}
