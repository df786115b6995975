/* SPDX-License-Identifier: Apache-2.0
 *
 * The earliest place for a template.
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

		if (w->width > streams)
			return INT64_MAX;
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

	isca_cut_bursts(t, k);
	origin = isca_memory_origin(t, k);
	t->origin = MAX(t->origin, origin);
	for (guint j = 0; j < k->bursts->len; j++) {
		const isca_burst *b = &g_array_index(k->bursts, isca_burst, j);

		need(t, c->slices[b->slice].queue, b->issue, length_of(t, b->count, b->stride), b->words);
		*first = MIN(*first, b->issue);
		most = MAX(most, b->count > 1 ? b->words : 0);
		isca_extend_wires(t, k, c->slices[b->slice].position);
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
