/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans: maximal runs of issues of one queue for one graph node, back to back.
 *
 * The next issue of the queue belongs to the open span when its node is the same and it comes at most HOLD cycles after
 * the one before, HOLD being the inner repeat interval of that one's instruction (the outer one when only that loops),
 * or
 * 1.  So a repeated instruction occupies its queue for its whole inner run, whatever its interval, and the gap between
 * two outer rounds ends the span unless it is no longer than the inner interval.  A span lasts from its first issue's
 * cycle to its last issue's, both included.
 *
 * Records come when all of an issue is known, so not in the order of issue: each queue puts its own back into order by
 * their number in the queue.  The result depends on the set of records only.
 */
#ifndef TSPSIM_TRACES_SPANS_H
#define TSPSIM_TRACES_SPANS_H

#include "traces/trace.h"

typedef struct trace_span {
	int64_t start, stop; /* stop = cycle of the last issue + 1 */
	int64_t due;         /* last result, PROBE_NO_TIME when none has one */
	uint64_t work, delay;
	uint64_t issues;
	uint32_t node;
	uint32_t queue;
} trace_span;

typedef void (*trace_span_emit)(void *state, const trace_span *span);

typedef struct trace_spans trace_spans;

/* Issues outside [START, STOP) are left out.  Spans go to EMIT as they end. */
trace_spans *trace_spans_new(const trace_names *names, int64_t start, int64_t stop, trace_span_emit emit, void *state);
void trace_spans_free(trace_spans *spans);
/* Every record's insn must be below names->insn_count. */
void trace_spans_add(trace_spans *spans, const probe_issue *records, size_t count);
/* Emits what is open.  Issues that never came are taken for not having happened. */
void trace_spans_finish(trace_spans *spans);

#endif
