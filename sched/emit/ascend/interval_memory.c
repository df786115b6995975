/* SPDX-License-Identifier: Apache-2.0
 *
 * What loops need of L2 and of the memory behind it: a line that an iteration is the first to read has to come from its
 * channel, whatever the order inside the iteration; every request passes the slice that has its line.
 */
#include "sched/emit/ascend/interval.h"

static bool is_own(enum asc_op op)
{
	switch (op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_WAITFLAG:
	case ASC_OP_BARRIER:
	case ASC_OP_SETCROSS:
	case ASC_OP_WAITCROSS:
	case ASC_OP_SETWORD:
	case ASC_OP_WAITWORD:
	case ASC_OP_SETMASK:
	case ASC_OP_SETCTRL:
	case ASC_OP_END:
		return true;
	default:
		return false;
	}
}

static const asb_sub *sub_of(const asb *b, const asc_stream *stream)
{
	return &b->sub[(uint32_t)stream->block * b->subs +
	               (stream->kind == ASC_VECTOR ? 1 + (uint32_t)stream->sub : 0)];
}

asi_walk asi_walk_new(const asb *b, const asc_stream *stream)
{
	return (asi_walk){
		.insns = stream->insns, .tags = sub_of(b, stream)->tags, .mode = {UINT64_MAX, UINT64_MAX, false}};
}

bool asi_walk_on(asi_walk *w)
{
	while (w->next < w->insns->len && w->tags && w->step < w->tags->len) {
		uint32_t tag;

		w->insn = &g_array_index(w->insns, asc_insn, w->next++);
		if (w->insn->op == ASC_OP_SETMASK) {
			w->mode.low = (uint64_t)w->insn->f[0];
			w->mode.high = (uint64_t)w->insn->f[1];
		} else if (w->insn->op == ASC_OP_SETCTRL) {
			w->mode.counter = w->insn->f[0] != 0;
		}
		if (is_own((enum asc_op)w->insn->op))
			continue;
		tag = g_array_index(w->tags, uint32_t, w->step++);
		w->loop = tag >> ASB_TAG_BITS;
		w->iteration = tag & ((1u << ASB_TAG_BITS) - 1);
		return true;
	}
	return false;
}

bool asi_knows_memory(const asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	for (unsigned i = 0; i < info->fields; i++)
		if (info->field[i].value == ASC_VALUE_ADDRESS && info->field[i].space == ASC_GM)
			return info->pipe != ASC_PIPE_S;
	return false;
}

/* ---- lines ---- */

typedef struct line_use {
	uint32_t tag;   /* of the first iteration that touches it, 0: what belongs to none */
	uint16_t bytes; /* that come from memory then; 0: it is written */
	uint8_t times;  /* that iteration does, at most 2 */
} line_use;

struct asi_lines {
	const asb *b;
	line_use *line;
	uint64_t count;
};

static bool is_past(const asc_insn *insn)
{
	int hint = asc_field_by_name((enum asc_op)insn->op, "l2");

	return hint >= 0 && !insn->f[hint];
}

/* Goes through the lines of a box. */
typedef struct line_at {
	uint64_t number, bytes; /* of it that the box has */
	uint64_t run, next;     /* byte, 0: of no run yet */
} line_at;

static bool next_line(const asi_lines *l, const asb_box *box, line_at *at)
{
	uint64_t size = (uint64_t)l->b->machine->l2_line_bytes, end = box->low + at->run * box->pitch + box->bytes;

	if (at->next >= end) {
		at->run++;
		at->next = 0;
		end += box->pitch;
	}
	if (at->run >= box->count)
		return false;
	if (!at->next)
		at->next = box->low + at->run * box->pitch;
	at->number = at->next / size;
	at->bytes = MIN(end, (at->number + 1) * size) - at->next;
	at->next += at->bytes;
	return at->number < l->count;
}

static void touch_box(asi_lines *l, const asb_box *box, uint32_t tag, bool past)
{
	for (line_at at = {.run = 0}; next_line(l, box, &at);) {
		line_use *u = &l->line[at.number];
		uint16_t come = (uint16_t)(box->write ? 0 : past ? at.bytes : (uint64_t)l->b->machine->l2_line_bytes);

		if (!u->times || tag < u->tag) {
			*u = (line_use){tag, come, 1};
		} else if (tag == u->tag) {
			u->bytes = MIN(u->bytes, come);
			u->times = 2;
		}
	}
}

asi_lines *asi_lines_new(const asb *b)
{
	asi_lines *l = g_new0(asi_lines, 1);
	asb_box box[ASB_BOXES];

	l->b = b;
	l->count = b->global / (uint64_t)b->machine->l2_line_bytes + 1;
	l->line = g_new0(line_use, l->count);
	for (guint s = 0; s < b->program->streams->len; s++)
		for (asi_walk w = asi_walk_new(b, g_ptr_array_index(b->program->streams, s)); asi_walk_on(&w);) {
			unsigned boxes = asi_knows_memory(w.insn) ? asb_touch(w.insn, &w.mode, b->machine, box) : 0;

			for (unsigned n = 0; n < boxes; n++)
				if (box[n].space == ASC_GM)
					touch_box(l, &box[n], w.loop << ASB_TAG_BITS | w.iteration, is_past(w.insn));
		}
	return l;
}

void asi_lines_free(asi_lines *l)
{
	g_free(l->line);
	g_free(l);
}

bool asi_lines_new_to(const asi_lines *l, uint32_t tag, const asb_box *box)
{
	for (line_at at = {.run = 0}; next_line(l, box, &at);)
		if (l->line[at.number].tag != tag || l->line[at.number].times > 1)
			return false;
	return true;
}

/* Cycles of the channels for the lines first read in iterations with these tags, shared evenly. */
static double channel_cycles(const asi_lines *l, uint32_t first, uint32_t end)
{
	const asc_machine *m = l->b->machine;
	double rate = (double)m->hbm_bytes_per_second * (double)m->hbm_efficiency_percent / 100 / (double)m->clock_hz;
	double taken = 0;

	for (uint64_t i = 0; i < l->count; i++) {
		const line_use *u = &l->line[i];

		if (u->bytes && u->tag >= first && u->tag < end)
			taken += (double)m->hbm_access_cycles / (double)m->hbm_channels + (double)u->bytes / rate;
	}
	return taken;
}

asi_bound asi_lines_bound(const asi_lines *l, uint32_t loop, uint32_t first, uint32_t end)
{
	const asc_machine *m = l->b->machine;
	uint32_t tag = loop << ASB_TAG_BITS;
	asb_box box[ASB_BOXES];
	double memory = channel_cycles(l, tag | first, tag | end), bytes[2] = {0}, slices;

	for (guint s = 0; s < l->b->program->streams->len; s++)
		for (asi_walk w = asi_walk_new(l->b, g_ptr_array_index(l->b->program->streams, s)); asi_walk_on(&w);) {
			unsigned boxes;

			if (w.loop != loop || w.iteration < first || w.iteration >= end || !asi_knows_memory(w.insn))
				continue;
			boxes = asb_touch(w.insn, &w.mode, m, box);
			for (unsigned n = 0; n < boxes; n++)
				if (box[n].space == ASC_GM)
					bytes[box[n].write] += (double)(box[n].bytes * box[n].count);
		}
	slices = MAX(bytes[0] / (double)m->l2_read_bytes_per_cycle,
	             (bytes[0] + bytes[1]) / (double)m->l2_bytes_per_cycle);
	return slices > memory ? (asi_bound){slices, "L2"} : (asi_bound){memory, "memory"};
}
