/* SPDX-License-Identifier: Apache-2.0
 *
 * Calendars of granted time: a sorted array of busy spans.  Spans that touch are one, so a saturated resource has one
 * span and costs nothing to ask; a binary search finds the place, the gaps behind it are filled in order.
 */
#include "models/ascend/calendar.h"

#define SPAN(c, i) g_array_index((c)->spans, asc_span, i)

void asc_calendar_init(asc_calendar *calendar)
{
	calendar->spans = g_array_new(FALSE, FALSE, sizeof(asc_span));
	calendar->head = calendar->hint = 0;
}

void asc_calendar_clear(asc_calendar *calendar)
{
	g_array_unref(calendar->spans);
}

void asc_calendar_advance(asc_calendar *calendar, int64_t now)
{
	enum { LAZY = 64 }; /* removing a few at a time would move the rest each time */

	while (calendar->head < calendar->spans->len && SPAN(calendar, calendar->head).to <= now)
		calendar->head++;
	if (calendar->head > LAZY && calendar->head > calendar->spans->len / 2) {
		g_array_remove_range(calendar->spans, 0, calendar->head);
		calendar->head = 0;
	}
}

/* First span that ends after AT: from where the last search ended in steps that double, then by halves. */
static guint find(asc_calendar *calendar, int64_t at)
{
	guint low = calendar->head, high = calendar->spans->len, hint = calendar->hint;

	if (hint > low && hint < high && SPAN(calendar, hint - 1).to > at) {
		high = hint - 1;
	} else if (hint > low && hint < high) {
		guint step = 1;

		for (low = hint; low + step < high && SPAN(calendar, low + step - 1).to <= at; step *= 2)
			low += step;
		high = MIN(high, low + step);
	}
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (SPAN(calendar, middle).to > at)
			high = middle;
		else
			low = middle + 1;
	}
	return calendar->hint = low;
}

/* Fills gaps from span I on, beginning at AT.  Sets the place just after the last span it passed. */
static int64_t fill(const asc_calendar *calendar, guint i, int64_t at, int64_t ticks, guint *after)
{
	while (i < calendar->spans->len) {
		int64_t gap = SPAN(calendar, i).from - at;

		if (ticks <= gap)
			break;
		ticks -= MAX(gap, 0);
		at = SPAN(calendar, i++).to;
	}
	*after = i;
	return at + ticks;
}

int64_t asc_calendar_peek(asc_calendar *calendar, int64_t at, int64_t ticks)
{
	guint after;

	return fill(calendar, find(calendar, at), at, ticks, &after);
}

int64_t asc_calendar_book(asc_calendar *calendar, int64_t at, int64_t ticks, int64_t *begin)
{
	guint first = find(calendar, at), after;
	int64_t end = fill(calendar, first, at, ticks, &after);
	asc_span span = {at, end};

	if (begin) {
		*begin = at;
		for (guint i = first; i < after && SPAN(calendar, i).from <= *begin; i++)
			*begin = SPAN(calendar, i).to;
	}
	if (first < after)
		span.from = MIN(span.from, SPAN(calendar, first).from);
	if (first > calendar->head && SPAN(calendar, first - 1).to == span.from)
		span.from = SPAN(calendar, --first).from;
	if (after < calendar->spans->len && SPAN(calendar, after).from == span.to)
		span.to = SPAN(calendar, after++).to;
	if (first == after) {
		g_array_insert_val(calendar->spans, first, span);
	} else {
		SPAN(calendar, first) = span;
		if (after - first > 1)
			g_array_remove_range(calendar->spans, first + 1, after - first - 1);
	}
	return end;
}
