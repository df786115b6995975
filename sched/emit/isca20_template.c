/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates: building them, and the earliest place for one.
 *
 * The search steps from conflict to conflict: at a proposed origin the first thing that is taken says how long it stays
 * taken, and the origin moves there.  Stream ids, ALUs and weight-port shares are chosen anew at each origin, first
 * fit. Groups of streams are aligned to their width; wide groups fill the ids from below and narrow ones from above, so
 * that single bytes do not break up the sixteen that weights need.
 */
#include "sched/emit/isca20.h"

#include <stdlib.h>

/* Behind everything that is ever scheduled. */
static const int64_t far_future = INT64_C(1) << 60;

/* Shorter gaps of a template's own are not left to others. */
enum { GAP_MIN = 8 };

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
static void extend_wires(isca_template *t, const isca_track *k, int position)
{
	if (k->drives >= 0)
		extend_from(isca_wire_at(t, k->drives), k->stream, position);
	if (k->samples >= 0)
		extend_to(isca_wire_at(t, k->samples), position);
	if (k->in[1].feed == ISCA_FEED_WIRE)
		extend_to(isca_wire_at(t, k->in[1].wire), position);
}

/* -------------------------------------------------------------------------------------------- memory tracks */

/* The wire that a memory track keeps time with: what it samples, for READ what it drives. */
static isca_wire *timing_wire(const isca_template *t, const isca_track *k)
{
	return isca_wire_at(t, k->samples >= 0 ? k->samples : k->drives);
}

/* Issue of element I relative to the origin, on SLICE. */
static int64_t memory_issue(const isca_template *t, const isca_track *k, uint32_t slice, uint32_t i)
{
	const isca *c = t->c;
	const isca_wire *w = timing_wire(t, k);
	int64_t diagonal = w->diagonal + (int64_t)(i + k->offset) * t->interval;
	int64_t at = isca_passes(c, w->west, c->slices[slice].position, diagonal);

	return at - c->m->mem_skew_cycles - (k->samples >= 0 ? 0 : c->m->mem_read_cycles);
}

static void add_burst(isca_template *t, isca_track *k, uint32_t first, uint32_t stride, uint32_t count)
{
	isca_burst b = {.slice = k->place[first] >> 16, .first = first, .stride = stride, .count = count};
	uint32_t end = first + (count - 1) * stride + 1;
	unsigned words = k->spread ? t->c->superlanes : 1, sequences = 1;
	const uint32_t *all[ISCA_SUPERLANES_MAX + 1] = {k->place};

	for (unsigned j = 0; k->writers && j < words; j++)
		all[sequences++] = k->writers + (size_t)j * k->count;
	b.issue = memory_issue(t, k, b.slice, first);
	for (uint32_t i = first; i < end;) {
		isca_run run = isca_find_run(all, sequences, i, stride, end);

		b.words += 1u + (run.inner > 1) + (run.outer > 1);
		i += run.inner * run.outer * stride;
	}
	g_array_append_val(k->bursts, b);
}

/* After how many elements does the slice of element FIRST come again, with different ones between?  0 = never. */
static uint32_t find_period(const isca_track *k, uint32_t first)
{
	for (uint32_t p = 1; first + p < k->count; p++) {
		for (uint32_t j = 0; j < p; j++)
			if (k->place[first + j] >> 16 == k->place[first + p] >> 16)
				return j ? 0 : p;
	}
	return 0;
}

isca_word *isca_word_at(const isca *c, uint32_t place)
{
	isca_slice *s = &c->slices[place >> 16];

	if (!s->words)
		s->words = g_new0(isca_word, c->words_per_slice);
	return &s->words[place & 0xffff];
}

/* Number of words that element I of a track touches; PLACES[] gets them. */
unsigned isca_words_of(const isca *c, const isca_track *k, uint32_t i, uint32_t *places)
{
	places[0] = k->place[i];
	for (unsigned s = 0; k->spread && s < c->superlanes; s++)
		places[s] = (k->place[i] & 0xffff0000) | k->spread[(size_t)i * c->superlanes + s];
	return k->spread ? c->superlanes : 1;
}

/* Who wrote the words that a track reads. */
static void find_writers(const isca *c, isca_track *k)
{
	unsigned words = k->spread ? c->superlanes : 1;
	uint32_t places[ISCA_SUPERLANES_MAX];

	k->writers = g_new(uint32_t, (size_t)words * k->count);
	for (uint32_t i = 0; i < k->count; i++) {
		isca_words_of(c, k, i, places);
		for (unsigned j = 0; j < words; j++)
			k->writers[(size_t)j * k->count + i] = isca_word_at(c, places[j])->instance;
	}
}

/* Cuts a memory track by slices: stretches on one slice, or slices taking turns. */
static void cut_bursts(isca_template *t, isca_track *k)
{
	uint32_t i = 0;

	k->bursts = g_array_new(FALSE, FALSE, sizeof(isca_burst));
	if (k->drives >= 0)
		find_writers(t->c, k);
	while (i < k->count) {
		uint32_t period = find_period(k, i);
		uint32_t length = MAX(period, 1);

		while (period && i + length < k->count &&
		       k->place[i + length] >> 16 == k->place[i + length - period] >> 16)
			length++;
		for (uint32_t turn = 0; turn < MAX(period, 1); turn++)
			add_burst(t, k, i + turn, MAX(period, 1), period ? length / period : 1);
		i += period ? length / period * period : 1;
	}
}

/* The earliest origin at which every word a track reads is there and no word it writes is still wanted. */
static int64_t memory_origin(const isca_template *t, const isca_track *k)
{
	int64_t origin = INT64_MIN;
	uint32_t places[ISCA_SUPERLANES_MAX];

	for (uint32_t i = 0; i < k->count; i++) {
		int64_t access = memory_issue(t, k, k->place[i] >> 16, i) + t->c->m->mem_skew_cycles;
		unsigned words = isca_words_of(t->c, k, i, places);

		for (unsigned j = 0; j < words; j++) {
			const isca_word *w = isca_word_at(t->c, places[j]);

			if (!w->filled)
				continue;
			origin = MAX(origin, w->ready - access);
			if (k->drives < 0)
				origin = MAX(origin, w->read + 1 - access);
		}
	}
	return origin;
}

/* ------------------------------------------------------------------------------------------------- placement */

static void need(isca_template *t, unsigned line, int64_t first, int64_t length, uint32_t words)
{
	isca_need n = {line, first, first + length - 1, words};

	g_array_append_val(t->fixed, n);
}

static int64_t length_of(const isca_template *t, uint32_t count, uint32_t stride)
{
	return (int64_t)(count - 1) * stride * t->interval + 1;
}

/* How long does a unit's track take its line? */
static int64_t unit_length(const isca_template *t, const isca_track *k)
{
	return length_of(t, k->count, 1) + k->hold;
}

/* Has a unit's track a choice, or more than its line to look after? */
static bool chooses(const isca_track *k)
{
	return k->pool_count > 1 || k->uses_latch;
}

static int compare_needs(const void *a, const void *b)
{
	const isca_need *x = a;
	const isca_need *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int64_t delay_fixed(const isca_template *t)
{
	for (guint i = 0; i < t->fixed->len; i++) {
		const isca_need *n = &g_array_index(t->fixed, isca_need, i);
		int64_t first = t->origin + n->first;
		int64_t next = isca_line_next(&t->c->lines[n->line], first, n->last - n->first + 1, n->words);

		if (next > first)
			return next - first;
	}
	return 0;
}

/* Is LINE (or share LINE) chosen already by one of the first COUNT tracks? */
static bool chosen(const isca_template *t, guint count, unsigned line, bool share)
{
	for (guint i = 0; i < count; i++) {
		const isca_track *k = g_ptr_array_index(t->tracks, i);

		if (k->place)
			continue;
		if (share ? k->uses_share && k->share == line : k->line == line)
			return true;
	}
	return false;
}

/* By how much would track K have to wait for LINE and what belongs to it? */
static int64_t line_delay(const isca_template *t, const isca_track *k, unsigned line)
{
	const isca *c = t->c;
	int64_t first = t->origin + k->issue;
	int64_t length = unit_length(t, k);
	int64_t delay = isca_line_next(&c->lines[line], first, length, 3) - first;

	if (k->uses_latch) {
		const isca_line *latch = &c->lines[c->first_latch + line - c->first_alu];
		int64_t due = first + k->result;

		delay = MAX(delay, isca_line_next(latch, due, length + t->interval - 1, 0) - due);
	}
	return delay;
}

static int64_t choose_share(isca_template *t, guint index)
{
	isca *c = t->c;
	isca_track *k = g_ptr_array_index(t->tracks, index);
	int64_t best = INT64_MAX;

	for (unsigned s = c->first_share; s < c->first_share + c->shares; s++) {
		int64_t first = t->origin + k->issue;
		int64_t delay;

		if (chosen(t, index, s, true))
			continue;
		delay = isca_line_next(&c->lines[s], first, unit_length(t, k), 0) - first;
		if (delay < best)
			k->share = s;
		best = MIN(best, delay);
		if (!best)
			break;
	}
	return best;
}

static int64_t choose_lines(isca_template *t)
{
	for (guint i = 0; i < t->tracks->len; i++) {
		isca_track *k = g_ptr_array_index(t->tracks, i);
		int64_t best = INT64_MAX;

		if (k->place)
			continue;
		k->line = k->pool_first;
		for (unsigned l = k->pool_first; chooses(k) && l < k->pool_first + k->pool_count && best; l++) {
			int64_t delay;

			if (chosen(t, i, l, false))
				continue;
			delay = line_delay(t, k, l);
			if (delay < best)
				k->line = l;
			best = MIN(best, delay);
		}
		if (chooses(k) && best)
			return best;
		if (k->uses_share && (best = choose_share(t, i)))
			return best;
	}
	return 0;
}

static isca_use use_of(const isca_template *t, const isca_wire *w, unsigned stream)
{
	return (isca_use){
		.first = t->origin + w->diagonal,
		.count = w->count,
		.interval = t->interval,
		.low = MIN(w->from[stream], w->to),
		.high = MAX(w->from[stream], w->to),
	};
}

/* Does stream ID, taken for stream STREAM of wire WIRE, meet an earlier wire of this template? */
static bool meets_own(const isca_template *t, guint wire, unsigned stream, unsigned id)
{
	const isca_wire *w = isca_wire_at(t, (int)wire);
	isca_use use = use_of(t, w, stream);

	for (guint i = 0; i < wire; i++) {
		const isca_wire *other = isca_wire_at(t, (int)i);
		isca_use theirs;

		if (other->west != w->west || id < other->id || id >= other->id + other->width)
			continue;
		theirs = use_of(t, other, id - other->id);
		if (isca_use_meets(&use, &theirs))
			return true;
	}
	return false;
}

static int64_t group_delay(const isca_template *t, guint wire, unsigned id)
{
	const isca_wire *w = isca_wire_at(t, (int)wire);
	int64_t delay = 0;

	for (unsigned s = 0; s < w->width; s++) {
		isca_use use = use_of(t, w, s);

		if (meets_own(t, wire, s, id + s))
			return INT64_MAX;
		delay = MAX(delay, isca_stream_delay(&t->c->streams[w->west][id + s], &use));
	}
	return delay;
}

static int64_t choose_streams(isca_template *t)
{
	unsigned streams = t->c->stream_count;

	for (guint i = 0; i < t->wires->len; i++) {
		isca_wire *w = isca_wire_at(t, (int)i);
		unsigned align = 1, groups;
		int64_t best = INT64_MAX;

		while (align < w->width)
			align *= 2;
		groups = (streams - w->width) / align + 1;
		for (unsigned g = 0; g < groups && best; g++) {
			unsigned id = (align >= 8 ? g : groups - 1 - g) * align;
			int64_t delay = group_delay(t, i, id);

			if (delay < best)
				w->id = (uint8_t)id;
			best = MIN(best, delay);
		}
		if (best)
			return best;
	}
	return 0;
}

/* Are there enough lines and streams when nothing else runs? */
static bool fits_empty_chip(isca_template *t)
{
	int64_t origin = t->origin;
	bool fits;

	t->origin = far_future;
	fits = !choose_lines(t) && !choose_streams(t);
	t->origin = origin;
	return fits;
}

/* Prepares one memory track; returns the most words that one of its bursts reads. */
static uint32_t prepare_memory(isca_template *t, isca_track *k, int64_t *first)
{
	const isca *c = t->c;
	uint32_t most = 0;
	int64_t origin;

	cut_bursts(t, k);
	origin = memory_origin(t, k);
	t->origin = MAX(t->origin, origin);
	for (guint j = 0; j < k->bursts->len; j++) {
		const isca_burst *b = &g_array_index(k->bursts, isca_burst, j);

		need(t, c->slices[b->slice].queue, b->issue, length_of(t, b->count, b->stride), b->words);
		*first = MIN(*first, b->issue);
		most = MAX(most, b->count > 1 ? b->words : 0);
		extend_wires(t, k, c->slices[b->slice].position);
	}
	return most;
}

/* Sorts what has no choice; bursts of one queue with a few cycles between become one, since filling such gaps with
 * other bursts would leave no cycle for fetching words.  False when two need one cycle. */
static bool merge_needs(isca_template *t)
{
	isca_need *n = (isca_need *)(void *)t->fixed->data;
	guint kept = 0;

	qsort(n, t->fixed->len, sizeof *n, compare_needs);
	for (guint i = 1; i < t->fixed->len; i++) {
		bool same = n[i].line == n[kept].line;

		if (same && n[kept].last >= n[i].first)
			return false;
		if (same && t->c->run_words && n[i].first - n[kept].last <= GAP_MIN) {
			n[kept].last = n[i].last;
			n[kept].words += n[i].words;
		} else {
			n[++kept] = n[i];
		}
	}
	g_array_set_size(t->fixed, t->fixed->len ? kept + 1 : 0);
	return true;
}

enum isca_fit isca_prepare(isca_template *t)
{
	const isca *c = t->c;
	int64_t first = INT64_MAX;
	uint32_t most = 0;

	for (guint i = 0; i < t->tracks->len; i++) {
		isca_track *k = g_ptr_array_index(t->tracks, i);

		if (k->place) {
			uint32_t words = prepare_memory(t, k, &first);

			most = MAX(most, words);
			continue;
		}
		first = MIN(first, k->issue);
		if (!chooses(k))
			need(t, k->pool_first, k->issue, unit_length(t, k), 3);
	}
	t->origin = MAX(t->origin, t->earliest - first);
	if (!merge_needs(t) || !fits_empty_chip(t))
		return ISCA_CLASH;
	return c->run_words && most > c->run_words ? ISCA_LONG : ISCA_FITS;
}

static void take_all(isca_template *t)
{
	isca *c = t->c;

	for (guint i = 0; i < t->fixed->len; i++) {
		const isca_need *n = &g_array_index(t->fixed, isca_need, i);

		isca_line_take(&c->lines[n->line], t->origin + n->first, t->origin + n->last, n->words);
	}
	for (guint i = 0; i < t->tracks->len; i++) {
		const isca_track *k = g_ptr_array_index(t->tracks, i);
		int64_t first = t->origin + k->issue;
		int64_t last = first + unit_length(t, k) - 1;

		if (k->place)
			continue;
		if (chooses(k))
			isca_line_take(&c->lines[k->line], first, last, 3);
		if (k->uses_latch)
			isca_line_take(&c->lines[c->first_latch + k->line - c->first_alu], first + k->result,
			               last + k->result + t->interval - 1, 0);
		if (k->uses_share)
			isca_line_take(&c->lines[k->share], first, last, 0);
	}
	for (guint i = 0; i < t->wires->len; i++) {
		const isca_wire *w = isca_wire_at(t, (int)i);

		for (unsigned s = 0; s < w->width; s++) {
			isca_use use = use_of(t, w, s);

			isca_stream_take(&c->streams[w->west][w->id + s], &use);
		}
	}
}

void isca_place(isca_template *t)
{
	int64_t delay;

	do {
		if (!(delay = delay_fixed(t)) && !(delay = choose_lines(t)))
			delay = choose_streams(t);
		g_assert(delay < INT64_MAX);
		t->origin += delay;
	} while (delay);
	take_all(t);
	isca_emit_template(t);
}
