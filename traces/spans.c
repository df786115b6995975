/* SPDX-License-Identifier: Apache-2.0
 *
 * Span forming.  The number of an issue in its queue is the sum of the issues of all instructions before its own, in
 * planned order, plus its index.  A queue with nothing out of order costs one comparison and a few additions a record;
 * records that come too early wait in a ring that grows with the distance, up to REORDER_MAX.  A number further ahead
 * means that an issue was never reported (an illegal word): what is missing is skipped.
 */
#include "traces/spans.h"

#include <stdlib.h>

enum { REORDER_MIN = 64, REORDER_MAX = 65536 };

typedef struct insn_place {
	uint64_t base; /* number of its first issue in its queue */
	uint32_t node;
	uint32_t hold;
} insn_place;

typedef struct waiting {
	int64_t cycle, result;
	uint32_t insn, work, delay;
	bool present;
} waiting;

typedef struct queue_state {
	uint64_t expected; /* number of the next issue in order */
	int64_t last;      /* cycle of the open span's last issue */
	uint32_t hold;     /* how much later the next issue may come */
	bool open;
	trace_span span;
	waiting *ring;  /* [size], by number modulo size */
	uint32_t size;  /* a power of two, or 0 */
	uint32_t waits; /* entries present */
} queue_state;

struct trace_spans {
	int64_t start, stop;
	trace_span_emit emit;
	void *state;
	const trace_names *names;
	insn_place *place;  /* [insn_count] */
	queue_state *queue; /* [queue_count] */
};

static int place_compare(gconstpointer a, gconstpointer b, gpointer insns)
{
	const trace_insn *p = (const trace_insn *)insns + *(const uint32_t *)a;
	const trace_insn *q = (const trace_insn *)insns + *(const uint32_t *)b;

	if (p->queue != q->queue)
		return p->queue < q->queue ? -1 : 1;
	if (p->cycle != q->cycle)
		return p->cycle < q->cycle ? -1 : 1;
	return p < q ? -1 : 1;
}

/* Numbers the issues of each queue. */
static insn_place *places_new(const trace_names *names)
{
	insn_place *place = g_new(insn_place, names->insn_count);
	g_autofree uint32_t *order = g_new(uint32_t, names->insn_count);
	uint64_t number = 0;

	for (uint32_t i = 0; i < names->insn_count; i++)
		order[i] = i;
	g_qsort_with_data(order, (gint)names->insn_count, sizeof *order, place_compare, (gpointer)names->insn);
	for (uint32_t i = 0; i < names->insn_count; i++) {
		const trace_insn *insn = &names->insn[order[i]];

		if (i && insn->queue != names->insn[order[i - 1]].queue)
			number = 0;
		place[order[i]] = (insn_place){
			.base = number,
			.node = insn->node,
			.hold = MAX(1, insn->count[0] > 1   ? insn->interval[0]
		                       : insn->count[1] > 1 ? insn->interval[1]
		                                            : 1),
		};
		number += (uint64_t)insn->count[0] * insn->count[1];
	}
	return place;
}

trace_spans *trace_spans_new(const trace_names *names, int64_t start, int64_t stop, trace_span_emit emit, void *state)
{
	trace_spans *spans = g_new0(trace_spans, 1);

	spans->start = start;
	spans->stop = stop;
	spans->emit = emit;
	spans->state = state;
	spans->names = names;
	spans->place = places_new(names);
	spans->queue = g_new0(queue_state, names->queue_count);
	return spans;
}

void trace_spans_free(trace_spans *spans)
{
	if (!spans)
		return;
	for (uint32_t i = 0; i < spans->names->queue_count; i++)
		g_free(spans->queue[i].ring);
	g_free(spans->queue);
	g_free(spans->place);
	g_free(spans);
}

static inline void close_span(trace_spans *spans, queue_state *queue)
{
	if (!queue->open)
		return;
	queue->span.stop = queue->last + 1;
	queue->open = false;
	spans->emit(spans->state, &queue->span);
}

/* The next issue of QUEUE in order. */
static inline void take(trace_spans *spans, queue_state *queue, const waiting *issue)
{
	const insn_place *place = &spans->place[issue->insn];
	trace_span *span = &queue->span;

	if (issue->cycle < spans->start || issue->cycle >= spans->stop)
		return;
	if (!queue->open || span->node != place->node || issue->cycle - queue->last > queue->hold ||
	    issue->cycle <= queue->last) {
		close_span(spans, queue);
		queue->open = true;
		*span = (trace_span){
			.start = issue->cycle,
			.due = PROBE_NO_TIME,
			.node = place->node,
			.queue = (uint32_t)(queue - spans->queue),
		};
	}
	span->issues++;
	span->work += issue->work;
	span->delay += issue->delay;
	span->due = MAX(span->due, issue->result);
	queue->last = issue->cycle;
	queue->hold = place->hold;
}

/* Takes what waits and is next. */
static void take_waiting(trace_spans *spans, queue_state *queue)
{
	while (queue->waits) {
		waiting *entry = &queue->ring[queue->expected & (queue->size - 1)];

		if (!entry->present)
			return;
		entry->present = false;
		queue->waits--;
		queue->expected++;
		take(spans, queue, entry);
	}
}

/* Skips issues that never came, up to the first one that waits. */
static void skip(trace_spans *spans, queue_state *queue)
{
	while (!queue->ring[queue->expected & (queue->size - 1)].present)
		queue->expected++;
	take_waiting(spans, queue);
}

/* Keeps ISSUE, number NUMBER, until its turn. */
static void wait_for_turn(trace_spans *spans, queue_state *queue, uint64_t number, const waiting *issue)
{
	while (number - queue->expected >= REORDER_MAX) {
		if (queue->waits)
			skip(spans, queue);
		else
			queue->expected = number;
	}
	if (number - queue->expected >= queue->size) {
		uint32_t size = MAX(queue->size, REORDER_MIN);
		waiting *ring;

		while (number - queue->expected >= size)
			size *= 2;
		ring = g_new0(waiting, size);
		for (uint64_t n = queue->expected; n < queue->expected + queue->size; n++)
			ring[n & (size - 1)] = queue->ring[n & (queue->size - 1)];
		g_free(queue->ring);
		queue->ring = ring;
		queue->size = size;
	}
	queue->waits += !queue->ring[number & (queue->size - 1)].present;
	queue->ring[number & (queue->size - 1)] = *issue;
	take_waiting(spans, queue);
}

void trace_spans_add(trace_spans *spans, const probe_issue *records, size_t count)
{
	for (const probe_issue *r = records; r < records + count; r++) {
		queue_state *queue = &spans->queue[spans->names->insn[r->insn].queue];
		uint64_t number = spans->place[r->insn].base + r->index;
		waiting issue = {r->cycle, r->result, r->insn, r->work, r->delay, true};

		if (number == queue->expected) {
			queue->expected++;
			take(spans, queue, &issue);
			take_waiting(spans, queue);
		} else if (number > queue->expected) {
			wait_for_turn(spans, queue, number, &issue);
		} else {
			take(spans, queue, &issue);
		}
	}
}

void trace_spans_finish(trace_spans *spans)
{
	for (uint32_t i = 0; i < spans->names->queue_count; i++) {
		queue_state *queue = &spans->queue[i];

		while (queue->waits)
			skip(spans, queue);
		close_span(spans, queue);
	}
}
