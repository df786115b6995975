/* SPDX-License-Identifier: Apache-2.0
 *
 * Time of something that several use, predicted: what is taken lies in spans in order, and who asks gets the first that
 * is free, in pieces where that is so.
 */
#include "sched/emit/ascend/predict_int.h"

#include <math.h>

#define TINY 1e-6 /* what rounding adds */

typedef struct span {
	double from, to;
} span;

double ask_parts_up(double cycles)
{
	return ceil(cycles * ASK_CYCLE_PARTS - TINY) / ASK_CYCLE_PARTS;
}

double ask_parts_down(double cycles)
{
	return floor(cycles * ASK_CYCLE_PARTS + TINY) / ASK_CYCLE_PARTS;
}

void ask_calendar_init(ask_calendar *c)
{
	c->taken = g_array_new(FALSE, FALSE, sizeof(span));
	c->head = 0;
}

void ask_calendar_clear(ask_calendar *c)
{
	g_array_free(c->taken, TRUE);
}

void ask_calendar_forget(ask_calendar *c, double now)
{
	enum { LAZY = 64 };

	while (c->head < c->taken->len && g_array_index(c->taken, span, c->head).to <= now)
		c->head++;
	if (c->head > LAZY && c->head > c->taken->len / 2) {
		g_array_remove_range(c->taken, 0, c->head);
		c->head = 0;
	}
}

/* First span that ends after TIME. */
static guint find_span(const ask_calendar *c, double time)
{
	guint low = c->head, high = c->taken->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(c->taken, span, middle).to > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double ask_calendar_take(ask_calendar *c, double at, double cycles, double *begin)
{
	guint first = find_span(c, at), after = first;
	span own = {at, at}, *spans = &g_array_index(c->taken, span, 0);
	double end = at, room;
	bool begun = false;

	for (;; after++) {
		room = after < c->taken->len ? spans[after].from - end : INFINITY;
		if (room > 0 && !begun && begin)
			*begin = end;
		begun |= room > 0;
		if (cycles <= room)
			break;
		cycles -= MAX(room, 0);
		end = spans[after].to;
	}
	end += cycles;
	/* What it touches becomes one span with it. */
	own.to = end;
	if (first < after)
		own.from = MIN(own.from, spans[first].from);
	if (first > c->head && spans[first - 1].to >= own.from)
		own.from = spans[--first].from;
	if (after < c->taken->len && spans[after].from <= own.to)
		own.to = spans[after++].to;
	if (first == after) {
		g_array_insert_val(c->taken, first, own);
	} else {
		spans[first] = own;
		if (after - first > 1)
			g_array_remove_range(c->taken, first + 1, after - first - 1);
	}
	return end;
}
