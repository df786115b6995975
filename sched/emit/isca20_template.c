/* SPDX-License-Identifier: Apache-2.0
 *
 * Building templates: tracks, wires, and where on its way a wire is driven and read.
 */
#include "sched/emit/isca20.h"

static void free_track(gpointer p)
{
	isca_track *k = p;

	if (k->bursts)
		g_array_unref(k->bursts);
	g_free(k->place);
	g_free(k->spread);
	g_free(k->writers);
	g_free(k->instance);
	g_free(k);
}

isca_template *isca_template_new(isca *c, uint32_t interval)
{
	isca_template *t = g_new0(isca_template, 1);

	t->c = c;
	t->interval = interval;
	t->wires = g_array_new(FALSE, TRUE, sizeof(isca_wire));
	t->tracks = g_ptr_array_new_with_free_func(free_track);
	t->fixed = g_array_new(FALSE, FALSE, sizeof(isca_need));
	t->earliest = c->start;
	t->origin = INT64_MIN;
	return t;
}

void isca_template_free(isca_template *t)
{
	g_array_unref(t->wires);
	g_array_unref(t->fixed);
	g_ptr_array_unref(t->tracks);
	g_free(t);
}

int isca_add_wire(isca_template *t, bool west, unsigned width, uint32_t count, int position, int64_t time)
{
	isca_wire w = {.west = west, .width = (uint8_t)width, .count = count, .to = (int16_t)position};

	w.diagonal = isca_diagonal(t->c, west, position, time);
	for (unsigned s = 0; s < ISCA_STREAMS; s++)
		w.from[s] = (int16_t)position;
	g_array_append_val(t->wires, w);
	return (int)t->wires->len - 1;
}

static isca_track *add_track(isca_template *t, enum isa_op op, uint32_t count)
{
	isca_track *k = g_new0(isca_track, 1);

	k->insn = isa_insn_make(op, 0, 0);
	k->count = count;
	k->drives = k->samples = -1;
	for (unsigned o = 0; o < ISA_OPERANDS; o++) {
		k->in[o].arrival = ISA_NO_TIME;
		k->in[o].due = INT64_MIN;
	}
	g_ptr_array_add(t->tracks, k);
	return k;
}

isca_track *isca_add_memory(isca_template *t, enum isa_op op, int wire, unsigned stream, uint32_t count)
{
	isca_track *k = add_track(t, op, count);
	const isa_machine *m = t->c->m;

	k->place = g_new(uint32_t, count);
	k->stream = (uint8_t)stream;
	k->traffic = op == ISA_OP_READ ? ISCA_TRAFFIC_OPERANDS : ISCA_TRAFFIC_RESULTS;
	if (op == ISA_OP_READ) {
		k->drives = wire;
		isca_wire_at(t, wire)->driver[stream] = k;
		k->result = (int32_t)(m->mem_skew_cycles + m->mem_read_cycles);
	} else {
		k->samples = wire;
		k->in[0].feed = ISCA_FEED_WIRE;
		k->in[0].wire = wire;
		k->in[0].first = (uint8_t)stream;
		k->in[0].count = 1;
		k->in[0].arrival = (int32_t)m->mem_skew_cycles;
		k->result = (int32_t)(m->mem_skew_cycles + m->mem_write_cycles);
	}
	return k;
}

isca_track *isca_add_gather(isca_template *t, int map, int data, unsigned stream, uint32_t count)
{
	isca_track *k = isca_add_memory(t, ISA_OP_READ, data, stream, count);
	const isa_machine *m = t->c->m;

	k->insn.op = ISA_OP_GATHER;
	k->spread = g_new(uint16_t, (size_t)count * t->c->superlanes);
	k->samples = map;
	k->in[1].feed = ISCA_FEED_WIRE;
	k->in[1].wire = map;
	k->in[1].count = 1;
	k->in[1].arrival = (int32_t)m->mem_skew_cycles;
	k->result = (int32_t)(m->mem_skew_cycles + m->mem_gather_cycles);
	return k;
}

isca_track *isca_add_scatter(isca_template *t, int map, int data, unsigned stream, uint32_t count)
{
	isca_track *k = isca_add_memory(t, ISA_OP_WRITE, data, stream, count);

	k->insn.op = ISA_OP_SCATTER;
	k->spread = g_new(uint16_t, (size_t)count * t->c->superlanes);
	k->in[1] = k->in[0];
	k->in[1].wire = map;
	k->in[1].first = 0;
	return k;
}

isca_track *isca_add_unit(isca_template *t, enum isa_op op, unsigned pool_first, unsigned pool_count, int64_t issue,
                          uint32_t count)
{
	isca_track *k = add_track(t, op, count);

	k->pool_first = pool_first;
	k->pool_count = pool_count;
	k->issue = issue;
	return k;
}

/* Is position A upstream of B? */
static bool upstream(bool west, int a, int b)
{
	return west ? a > b : a < b;
}

static void extend_from(isca_wire *w, unsigned stream, int position)
{
	if (upstream(w->west, position, w->from[stream]))
		w->from[stream] = (int16_t)position;
}

static void extend_to(isca_wire *w, int position)
{
	if (upstream(w->west, w->to, position))
		w->to = (int16_t)position;
}

void isca_drive(isca_template *t, isca_track *track, int wire, int position)
{
	isca_wire *w = isca_wire_at(t, wire);

	track->drives = wire;
	for (unsigned s = 0; s < w->width; s++) {
		w->driver[s] = track;
		extend_from(w, s, position);
	}
}

void isca_sample(isca_template *t, isca_track *track, unsigned operand, int wire, unsigned first, unsigned count,
                 int position)
{
	isca_operand *in = &track->in[operand];

	in->feed = ISCA_FEED_WIRE;
	in->wire = wire;
	in->first = (uint8_t)first;
	in->count = (uint8_t)count;
	in->arrival = (int32_t)isa_machine_skew(t->c->m, isa_ops[track->insn.op].unit);
	extend_to(isca_wire_at(t, wire), position);
}

void isca_not_before(isca_template *t, const isca_track *k, int64_t cycle)
{
	int64_t sampled = k->issue + isa_machine_skew(t->c->m, isa_ops[k->insn.op].unit);

	t->origin = MAX(t->origin, cycle - sampled);
}

/* A memory track has something to do at POSITION. */
void isca_extend_wires(isca_template *t, const isca_track *k, int position)
{
	if (k->drives >= 0)
		extend_from(isca_wire_at(t, k->drives), k->stream, position);
	if (k->samples >= 0)
		extend_to(isca_wire_at(t, k->samples), position);
	if (k->in[1].feed == ISCA_FEED_WIRE)
		extend_to(isca_wire_at(t, k->in[1].wire), position);
}
