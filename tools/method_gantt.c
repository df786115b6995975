/* SPDX-License-Identifier: Apache-2.0
 *
 * Gantt plots of schedules: a row an operation, a bar from its first issue to its last on each unit.
 */
#include <string.h>

#include "tools/method.h"
#include "traces/draw.h"

enum { MOST_ROWS = 120 };

void method_widen(GArray *spans, const char *operation, const char *unit, int64_t from, int64_t to)
{
	method_span one = {operation, unit, from, to};

	for (guint i = spans->len; i-- > 0;) {
		method_span *s = &g_array_index(spans, method_span, i);

		if (strcmp(s->operation, operation) != 0 || strcmp(s->unit, unit) != 0)
			continue;
		s->from = MIN(s->from, from);
		s->to = MAX(s->to, to);
		return;
	}
	g_array_append_val(spans, one);
}

/* Number of WORD among those seen, from 0. */
static guint number_of(GPtrArray *seen, const char *word)
{
	for (guint i = 0; i < seen->len; i++)
		if (strcmp(g_ptr_array_index(seen, i), word) == 0)
			return i;
	g_ptr_array_add(seen, (gpointer)word);
	return seen->len - 1;
}

static int compare_spans(gconstpointer a, gconstpointer b)
{
	const method_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

bool method_gantt(const char *heading, GArray *spans, const char *output, GError **error)
{
	g_autoptr(GPtrArray) operations = g_ptr_array_new(), units = g_ptr_array_new();
	GString *bars = g_string_new(NULL), *rows = g_string_new(NULL), *legend = g_string_new(NULL);
	trace_drawing *d = trace_drawing_new();
	int64_t end = 1;
	bool drawn;

	g_array_sort(spans, compare_spans);
	for (guint i = 0; i < spans->len; i++) {
		const method_span *s = &g_array_index(spans, method_span, i);
		guint row = number_of(operations, s->operation), unit = number_of(units, s->unit);

		if (row >= MOST_ROWS)
			continue;
		end = MAX(end, s->to);
		trace_drawing_value(bars, (double)s->from, '\t');
		trace_drawing_value(bars, (double)s->to, '\t');
		trace_drawing_value(bars, row + 1, '\t');
		trace_drawing_value(bars, unit, '\n');
	}
	for (guint i = 0; i < MIN(operations->len, MOST_ROWS); i++) {
		trace_drawing_value(rows, i + 1, '\t');
		trace_drawing_cell(rows, g_ptr_array_index(operations, i), '\n');
	}
	for (guint i = 0; i < units->len; i++) {
		trace_drawing_value(legend, i, '\t');
		trace_drawing_cell(legend, g_ptr_array_index(units, i), '\n');
	}
	trace_drawing_text(d, "heading", heading);
	trace_drawing_number(d, "stop", (double)end);
	trace_drawing_number(d, "rows", MIN(operations->len, MOST_ROWS));
	trace_drawing_number(d, "units", units->len);
	trace_drawing_table(d, bars);
	trace_drawing_table(d, rows);
	trace_drawing_table(d, legend);
	drawn = trace_draw(d, "gantt", output, error);
	trace_drawing_free(d);
	return drawn;
}
