/* SPDX-License-Identifier: Apache-2.0
 *
 * From placed templates to instructions: loops, producers, predictions.
 *
 * An instruction loops twice at most, and everything about it (address, producers of each stream) must step evenly in
 * these loops.  So a track is cut into the longest stretches that do.  Stretches are added in order of elements;
 * instance numbers of a track that is not cut by slices therefore run on from element to element, however often it is
 * cut.
 */
#include "sched/emit/isca20.h"

#include <string.h>

/* Does the row of INNER elements at AT step like the one at FIRST? */
static bool same_row(const uint32_t *s, uint32_t first, uint32_t at, uint32_t inner, uint32_t stride)
{
	for (uint32_t j = 1; j < inner; j++)
		if (s[at + j * stride] - s[at] != s[first + j * stride] - s[first])
			return false;
	return true;
}

static bool steps_on(const uint32_t *const *sequences, unsigned count, uint32_t at, uint32_t stride)
{
	for (unsigned k = 0; k < count; k++) {
		const uint32_t *s = sequences[k];

		if (s[at] - s[at - stride] != s[at - stride] - s[at - 2 * stride])
			return false;
	}
	return true;
}

/* Is the row at AT like the first one, and as far from the row before it as the second from the first? */
static bool row_follows(const uint32_t *const *sequences, unsigned count, uint32_t first, uint32_t at, uint32_t inner,
                        uint32_t stride)
{
	uint32_t pitch = inner * stride;

	for (unsigned k = 0; k < count; k++) {
		const uint32_t *s = sequences[k];

		if (s[at] - s[at - pitch] != s[first + pitch] - s[first] || !same_row(s, first, at, inner, stride))
			return false;
	}
	return true;
}

isca_run isca_find_run(const uint32_t *const *sequences, unsigned count, uint32_t first, uint32_t stride, uint32_t end)
{
	uint32_t left = (end - first + stride - 1) / stride;
	isca_run run = {MIN(left, 2), 1};

	while (run.inner < left && steps_on(sequences, count, first + run.inner * stride, stride))
		run.inner++;
	while ((run.outer + 1) * run.inner <= left &&
	       row_follows(sequences, count, first, first + run.outer * run.inner * stride, run.inner, stride))
		run.outer++;
	return run;
}

/* ---------------------------------------------------------------------------------------------- sequences */

enum { SEQUENCES_MAX = 2 * ISCA_STREAMS + ISCA_SUPERLANES_MAX };

/* What must step evenly for a stretch of a track, and which operand each of it belongs to. */
typedef struct sequences {
	unsigned count;
	const uint32_t *at[SEQUENCES_MAX];
	uint8_t operand[SEQUENCES_MAX];
	uint16_t segments[SEQUENCES_MAX]; /* of the operand, that share the sequence */
} sequences;

static void add_sequence(sequences *q, unsigned operand, const uint32_t *at)
{
	if (q->count && q->operand[q->count - 1] == operand && q->at[q->count - 1] == at) {
		q->segments[q->count - 1]++;
		return;
	}
	q->at[q->count] = at;
	q->operand[q->count] = (uint8_t)operand;
	q->segments[q->count++] = 1;
}

static void add_operands(const isca_template *t, const isca_track *k, sequences *q)
{
	for (unsigned o = 0; o < ISA_OPERANDS; o++) {
		const isca_operand *in = &k->in[o];

		if (in->feed == ISCA_FEED_TRACK)
			add_sequence(q, o, in->track->instance + in->offset);
		for (unsigned s = in->first; in->feed == ISCA_FEED_WIRE && s < (unsigned)in->first + in->count; s++) {
			const isca_track *driver = isca_wire_at(t, in->wire)->driver[s];

			/* Element e of the wire is element e - offset of a memory track. */
			add_sequence(q, o, driver->instance + k->offset + in->offset - driver->offset);
		}
	}
}

static uint32_t step_of(const uint32_t *s, uint32_t first, uint32_t distance, uint32_t count)
{
	return count > 1 ? s[first + distance] - s[first] : 0;
}

static isa_source source_of(const sequences *q, unsigned i, uint32_t first, uint32_t stride, isca_run run)
{
	const uint32_t *s = q->at[i];

	return (isa_source){
		.base = s[first],
		.step0 = (int32_t)step_of(s, first, stride, run.inner),
		.step1 = (int32_t)step_of(s, first, run.inner * stride, run.outer),
		.seg_div = 1,
		.segments = q->segments[i],
	};
}

/* Can NEXT, one segment, be said by PIECE too? */
static bool extend_piece(isa_source *piece, const isa_source *next)
{
	int32_t step = (int32_t)(next->base - piece->base);

	if (next->segments != 1 || next->step0 != piece->step0 || next->step1 != piece->step1)
		return false;
	if (piece->segments == 1)
		piece->seg_step = step;
	else if (step != piece->seg_step * (int32_t)piece->segments)
		return false;
	piece->segments++;
	return true;
}

static void add_sources(isa_program *p, uint32_t id, const isca_track *k, const sequences *q, uint32_t first,
                        uint32_t stride, isca_run run)
{
	for (unsigned i = 0; i < q->count;) {
		unsigned operand = q->operand[i];
		isa_source piece = source_of(q, i++, first, stride, run);

		while (i < q->count && q->operand[i] == operand) {
			isa_source next = source_of(q, i, first, stride, run);

			if (!extend_piece(&piece, &next))
				break;
			i++;
		}
		if (i == q->count || q->operand[i] != operand)
			piece.segments = 0;
		piece.resident = !piece.base && !piece.step0 && !piece.step1 && !piece.seg_step;
		isa_program_add_source(p, id, operand, &piece);
	}
	for (unsigned o = 0; o < ISA_OPERANDS; o++) {
		const isca_operand *in = &k->in[o];
		isa_source source = {.seg_div = 1};

		if (in->feed == ISCA_FEED_ONE)
			source.base = in->track->instance[0];
		else if (in->feed == ISCA_FEED_ROWS)
			source = (isa_source){.base = in->instance, .seg_div = in->rows, .seg_step = 1};
		else
			continue;
		isa_program_add_source(p, id, o, &source);
	}
}

/* -------------------------------------------------------------------------------------------- instructions */

static uint16_t stream_place(const isca_template *t, int wire, unsigned stream)
{
	const isca_wire *w = isca_wire_at(t, wire);

	return (uint16_t)ISA_PLACE_STREAM(w->west, w->id + (int)stream);
}

static void set_prediction(const isca_template *t, uint32_t id, const isca_track *k, int64_t last)
{
	isa_prediction prediction = {.result = k->result, .beats = k->beats};

	for (unsigned o = 0; o < ISA_OPERANDS; o++) {
		prediction.arrival[o] = k->in[o].arrival;
		if (k->count == 1 && k->in[o].due != INT64_MIN)
			prediction.arrival[o] = (int32_t)(k->in[o].due - last);
	}
	isa_program_set_prediction(t->c->program, id, &prediction);
	if (k->result != ISA_NO_TIME)
		t->c->last = MAX(t->c->last, last + k->result);
}

static uint32_t add_insn(isca_template *t, isca_track *k, isa_insn *insn, isca_run run, uint32_t interval,
                         int32_t step0, int32_t step1)
{
	uint32_t id;

	if (run.inner > 1)
		insn->loop[0] = (isa_loop){run.inner, interval, step0};
	if (run.outer > 1)
		insn->loop[1] = (isa_loop){run.outer, run.inner * interval, step1};
	id = isa_program_add(t->c->program, insn, t->c->node);
	t->c->first = MIN(t->c->first, insn->cycle);
	set_prediction(t, id, k, isa_insn_last(insn));
	return id;
}

static void emit_unit(isca_template *t, isca_track *k)
{
	sequences q = {0};
	isa_insn insn = k->insn;

	add_operands(t, k, &q);
	insn.queue = (uint16_t)k->line;
	if (k->drives >= 0)
		insn.dst = stream_place(t, k->drives, 0);
	for (unsigned o = 0; o < 2; o++) {
		uint16_t place = insn.src0;

		if (k->in[o].feed == ISCA_FEED_WIRE)
			place = stream_place(t, k->in[o].wire, k->in[o].first);
		else if (k->in[o].feed == ISCA_FEED_TRACK && isa_ops[insn.op].unit == ISA_UNIT_VXM)
			place = (uint16_t)ISA_PLACE_ALU((int)(k->in[o].track->line - t->c->first_alu));
		else
			continue;
		*(o ? &insn.src1 : &insn.src0) = place;
	}
	k->instance = g_new(uint32_t, k->count);
	for (uint32_t i = 0; i < k->count;) {
		isca_run run = isca_find_run(q.at, q.count, i, 1, k->count);
		isa_insn one = insn;
		uint32_t id;

		one.cycle = t->origin + k->issue + (int64_t)i * t->interval;
		one.addr = insn.addr + i * (uint32_t)k->addr_step;
		id = add_insn(t, k, &one, run, t->interval, k->addr_step, k->addr_step * (int32_t)run.inner);
		add_sources(t->c->program, id, k, &q, i, 1, run);
		for (uint32_t j = 0; j < run.inner * run.outer; j++)
			k->instance[i + j] = isa_program_instance(t->c->program, id) + j;
		i += run.inner * run.outer;
	}
}

/* How long before their reading were the words of a run written?  ISA_NO_TIME when it varies, or when the host wrote
 * them. */
static int32_t word_age(const isca_template *t, const isca_track *k, const isca_burst *b, uint32_t first, isca_run run)
{
	int64_t age = ISA_NO_TIME;

	if (k->drives < 0 || k->spread)
		return k->in[0].arrival;
	for (uint32_t j = 0; j < run.inner * run.outer; j++) {
		uint32_t i = first + j * b->stride;
		const isca_word *word = isca_word_at(t->c, k->place[i]);
		int64_t issue = t->origin + b->issue + (int64_t)(i - b->first) * t->interval;

		if (!word->instance || (j && word->ready - issue != age))
			return ISA_NO_TIME;
		age = word->ready - issue;
	}
	return (int32_t)age;
}

/* Adds one burst of a memory track; Q holds the producers' sequences. */
static void emit_burst(isca_template *t, isca_track *k, const isca_burst *b, const sequences *q)
{
	uint32_t end = b->first + (b->count - 1) * b->stride + 1;
	isa_program *p = t->c->program;
	const uint32_t *all[SEQUENCES_MAX + 1], *places = k->place;

	memcpy(all, q->at, q->count * sizeof *all);
	all[q->count] = places;
	for (uint32_t i = b->first; i < end;) {
		isca_run run = isca_find_run(all, q->count + 1, i, b->stride, end);
		isa_insn insn = k->insn;
		uint32_t id;

		k->in[0].arrival = word_age(t, k, b, i, run);
		insn.queue = t->c->slices[b->slice].queue;
		insn.cycle = t->origin + b->issue + (int64_t)(i - b->first) * t->interval;
		insn.addr = places[i] & 0xffff;
		if (k->drives >= 0)
			insn.dst = stream_place(t, k->drives, k->stream);
		if (k->in[0].feed == ISCA_FEED_WIRE)
			insn.src0 = stream_place(t, k->in[0].wire, k->in[0].first);
		if (k->in[1].feed == ISCA_FEED_WIRE)
			insn.src1 = stream_place(t, k->in[1].wire, 0);
		id = add_insn(t, k, &insn, run, b->stride * t->interval,
		              (int32_t)step_of(places, i, b->stride, run.inner),
		              (int32_t)step_of(places, i, run.inner * b->stride, run.outer));
		add_sources(p, id, k, q, i, b->stride, run);
		for (uint32_t j = 0; j < run.inner * run.outer; j++)
			k->instance[i + j * b->stride] = isa_program_instance(p, id) + j;
		i += run.inner * run.outer * b->stride;
	}
}

/* Notes in the memory's books what a track reads or writes. */
static void note_words(const isca_template *t, const isca_track *k)
{
	isca *c = t->c;
	const isca_wire *w = isca_wire_at(t, k->samples >= 0 ? k->samples : k->drives);
	uint32_t places[ISCA_SUPERLANES_MAX];

	for (uint32_t i = 0; i < k->count; i++) {
		int64_t diagonal = t->origin + w->diagonal + (int64_t)(i + k->offset) * t->interval;
		int64_t at = isca_passes(c, w->west, c->slices[k->place[i] >> 16].position, diagonal);
		unsigned words = isca_words_of(c, k, i, places);

		for (unsigned j = 0; j < words; j++) {
			isca_word *word = isca_word_at(c, places[j]);

			if (k->drives >= 0) {
				c->unfilled = c->unfilled || !word->filled;
				word->read = MAX(word->read, at - (k->samples >= 0 ? 0 : c->m->mem_read_cycles));
				continue;
			}
			word->ready = at + c->m->mem_write_cycles;
			word->instance = k->instance[i];
			word->filled = true;
		}
	}
}

static void emit_memory(isca_template *t, isca_track *k)
{
	unsigned words = k->spread ? t->c->superlanes : 1;
	sequences q = {0};

	k->instance = g_new(uint32_t, k->count);
	t->c->traffic[k->traffic] += (uint64_t)k->count * t->c->lanes;
	for (unsigned j = 0; k->writers && j < words; j++)
		add_sequence(&q, 0, k->writers + (size_t)j * k->count);
	add_operands(t, k, &q);
	for (guint i = 0; i < k->bursts->len; i++)
		emit_burst(t, k, &g_array_index(k->bursts, isca_burst, i), &q);
	note_words(t, k);
}

void isca_emit_template(isca_template *t)
{
	for (guint i = 0; i < t->tracks->len; i++) {
		isca_track *k = g_ptr_array_index(t->tracks, i);

		if (k->place)
			emit_memory(t, k);
		else
			emit_unit(t, k);
	}
}
