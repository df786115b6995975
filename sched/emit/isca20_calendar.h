/* SPDX-License-Identifier: Apache-2.0
 *
 * When are the queues and streams of a stream-style chip taken?
 *
 * A queue is taken in disjoint spans of cycles.  A stream is taken along diagonals: a value driven at position p and
 * due in cycle r stays on one diagonal (eastward r - p hops, westward r + p hops) on its whole way, and the part of the
 * way that matters reaches from its driver to its last reader.  Two uses of one diagonal meet only where these parts
 * overlap, so distant parts of the chip reuse a stream without knowing of each other.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_CALENDAR_H
#define TSPSIM_SCHED_EMIT_ISCA20_CALENDAR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Cycles FIRST..LAST, for instructions that take WORDS queue words. */
typedef struct isca_span {
	int64_t first, last;
	uint32_t words;
} isca_span;

typedef struct isca_line {
	GArray *spans;      /* isca_span, disjoint, ascending */
	uint32_t run_words; /* most words in spans that follow each other without a free cycle; 0 = no limit */
} isca_line;

void isca_line_init(isca_line *line, uint32_t run_words);
void isca_line_fini(isca_line *line);
/* The earliest cycle from FIRST on at which LENGTH cycles are free. */
int64_t isca_line_next(const isca_line *line, int64_t first, int64_t length, uint32_t words);
/* Takes cycles that are free. */
void isca_line_take(isca_line *line, int64_t first, int64_t last, uint32_t words);

/* Diagonals FIRST, FIRST + INTERVAL, ... (COUNT of them), positions LOW..HIGH. */
typedef struct isca_use {
	int64_t first;
	uint32_t count, interval;
	int16_t low, high;
} isca_use;

static inline int64_t isca_use_last(const isca_use *use)
{
	return use->first + (int64_t)(use->count - 1) * use->interval;
}

typedef struct isca_stream {
	GArray *uses;  /* isca_use, ascending by first diagonal */
	int64_t reach; /* the longest use, last - first */
} isca_stream;

void isca_stream_init(isca_stream *stream);
void isca_stream_fini(isca_stream *stream);
/* By how many cycles must USE come later to meet no other? */
int64_t isca_stream_delay(const isca_stream *stream, const isca_use *use);
bool isca_use_meets(const isca_use *a, const isca_use *b);
void isca_stream_take(isca_stream *stream, const isca_use *use);

#endif
