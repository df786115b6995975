/* SPDX-License-Identifier: Apache-2.0
 *
 * SQL functions for pictures.
 *
 * tic_step(range, most): the least step of 1, 2 or 5 times a power of ten that cuts RANGE into at most MOST parts.
 *
 * Aggregate occupied(start, stop, origin, width): the intervals [start, stop) cut into columns of WIDTH from ORIGIN on,
 * as a JSON array of the cycles occupied in each column.  In SQL alone this takes a sort of all intervals.
 *
 * Each interval adds, to the column it starts in, what remains of that column, takes away what remains of the column it
 * stops in, and leaves every column between whole: a running sum of the intervals open at a column's beginning.
 */
#include "traces/query.h"

typedef struct column {
	int64_t opened; /* starts in it less stops in it */
	int64_t part;   /* cycles of it after those starts less after those stops */
} column;

typedef struct columns {
	GArray *array; /* column */
	int64_t width;
} columns;

static column *column_at(columns *c, int64_t index)
{
	if (index >= c->array->len)
		g_array_set_size(c->array, (guint)index + 1);
	return &g_array_index(c->array, column, index);
}

static void add_edge(columns *c, int64_t time, int64_t sign)
{
	column *edge = column_at(c, time / c->width);

	edge->opened += sign;
	edge->part += sign * (c->width - time % c->width);
}

static void occupied_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	columns *c = sqlite3_aggregate_context(context, sizeof *c);
	int64_t origin = sqlite3_value_int64(argv[2]);
	int64_t start = sqlite3_value_int64(argv[0]) - origin;
	int64_t stop = sqlite3_value_int64(argv[1]) - origin;

	(void)argc;
	if (!c)
		return;
	if (!c->array) {
		c->array = g_array_new(FALSE, TRUE, sizeof(column));
		c->width = sqlite3_value_int64(argv[3]);
	}
	/* A million columns are a mistake in the query, not a picture. */
	if (c->width < 1 || start < 0 || stop < start || stop / c->width > 1000000) {
		sqlite3_result_error(context, "occupied(start, stop, origin, width): out of range", -1);
		return;
	}
	add_edge(c, start, 1);
	add_edge(c, stop, -1);
}

static void occupied_final(sqlite3_context *context)
{
	columns *c = sqlite3_aggregate_context(context, 0);
	GString *out = g_string_new("[");
	int64_t open = 0;

	for (guint i = 0; c && c->array && i < c->array->len; i++) {
		const column *at = &g_array_index(c->array, column, i);

		g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? "," : "", (gint64)(at->part + open * c->width));
		open += at->opened;
	}
	g_string_append_c(out, ']');
	if (c && c->array)
		g_array_free(c->array, TRUE);
	sqlite3_result_text(context, out->str, (int)out->len, SQLITE_TRANSIENT);
	g_string_free(out, TRUE);
}

static void tic_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	static const int64_t factors[] = {1, 2, 5};
	int64_t range = sqlite3_value_int64(argv[0]);
	int64_t most = sqlite3_value_int64(argv[1]);

	(void)argc;
	for (int64_t power = 1; most > 0 && power <= INT64_MAX / 50; power *= 10)
		for (size_t i = 0; i < G_N_ELEMENTS(factors); i++)
			if (range / (power * factors[i]) <= most) {
				sqlite3_result_int64(context, power * factors[i]);
				return;
			}
	sqlite3_result_error(context, "tic_step(range, most): out of range", -1);
}

bool trace_i_add_functions(sqlite3 *db, const char *path, GError **error)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

	if (sqlite3_create_function_v2(db, "occupied", 4, flags, NULL, NULL, occupied_step, occupied_final, NULL) ==
	            SQLITE_OK &&
	    sqlite3_create_function_v2(db, "tic_step", 2, flags, NULL, tic_step, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	trace_i_sqlite_error(db, path, error);
	return false;
}
