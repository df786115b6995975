/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of traces.  traces/plots/<name>.sql gives the numbers: the columns of its first SELECT's one row become
 * variables of their names, the rows of SELECT k+1 are table k (traces/draw.h); temporary tables may prepare them.  So
 * a picture is one .sql, one .gp and one row below.
 */
#include "traces/draw.h"
#include "traces/query.h"

#include <math.h>
#include <string.h>

const trace_plot_kind trace_plot_kinds[] = {
	{"occupancy", "units", "tsp", "occupancy", "which queue was occupied when, by unit"},
	{"banks", "summary", "tsp", "banks", "requests and waiting of each bank, and over time"},
	{"conflicts", "full", "tsp", "conflicts", "cycles that tensors cost each other, and themselves, in banks"},
	{"occupancy", "units", "ascend", "occupancy", "which pipe of which core was busy when"},
	{"buffers", "units", "ascend", "buffers", "how full each buffer was over time"},
	{NULL, NULL, NULL, NULL, NULL},
};

static void add_variable(trace_drawing *drawing, const char *name, sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		trace_drawing_number(drawing, name, sqlite3_column_double(row, column));
		break;
	case SQLITE_NULL:
		trace_drawing_number(drawing, name, NAN);
		break;
	default:
		trace_drawing_text(drawing, name, (const char *)sqlite3_column_text(row, column));
		break;
	}
}

/* The rows of STATEMENT as the next table; MUST there be any? */
static bool add_table(trace_drawing *drawing, trace_reader *reader, sqlite3_stmt *statement, bool must, GError **error)
{
	GString *rows = g_string_new(NULL);
	int columns = sqlite3_column_count(statement);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; i < columns; i++) {
			const char *text = (const char *)sqlite3_column_text(statement, i);

			trace_drawing_cell(rows, text ? text : "NaN", i + 1 < columns ? '\t' : '\n');
		}
	if (result == SQLITE_DONE && (rows->len || !must)) {
		trace_drawing_table(drawing, rows);
		return true;
	}
	if (result != SQLITE_DONE)
		trace_i_sqlite_error(reader->db, reader->path, error);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: nothing to draw: the trace has no records for this plot", reader->path);
	g_string_free(rows, TRUE);
	return false;
}

/* The numbers of plot K. */
static bool add_numbers(trace_drawing *drawing, trace_reader *reader, const trace_plot_kind *k, GError **error)
{
	g_autofree char *relative = trace_i_file_of("plots", k->kind, k->name);
	trace_query_text *query = trace_i_query_load(relative, error);
	const char *sql;
	sqlite3_stmt *statement;
	unsigned selects = 0;
	GError *cause = NULL;
	bool fine = true;

	if (!query)
		return false;
	sql = query->text;
	while (fine && (statement = trace_i_query_next(reader, query, &sql, &cause)) != NULL) {
		if (sqlite3_column_count(statement) == 0) {
			fine = sqlite3_step(statement) == SQLITE_DONE;
			if (!fine)
				trace_i_sqlite_error(reader->db, reader->path, &cause);
		} else if (selects++ == 0) {
			fine = sqlite3_step(statement) == SQLITE_ROW;
			for (int c = 0; fine && c < sqlite3_column_count(statement); c++)
				add_variable(drawing, sqlite3_column_name(statement, c), statement, c);
			if (!fine)
				trace_i_sqlite_error(reader->db, reader->path, &cause);
		} else {
			fine = add_table(drawing, reader, statement, selects == 2, &cause);
		}
		sqlite3_finalize(statement);
	}
	trace_i_query_free(query);
	if (cause)
		g_propagate_error(error, cause);
	return fine && !cause;
}

static const trace_plot_kind *kind_find(const char *kind, const char *name, GError **error)
{
	g_autoptr(GPtrArray) known = g_ptr_array_new();
	const char *other = NULL;
	const char *nearest;
	g_autofree char *list = NULL;

	for (const trace_plot_kind *k = trace_plot_kinds; k->name; k++) {
		bool same = strcmp(k->name, name) == 0;

		if (same && strcmp(k->kind, kind) == 0)
			return k;
		if (same)
			other = k->kind;
		if (strcmp(k->kind, kind) == 0)
			g_ptr_array_add(known, (gpointer)k->name);
	}
	g_ptr_array_add(known, NULL);
	list = g_strjoinv(", ", (char **)known->pdata);
	nearest = other ? NULL : tsp_nearest(name, (const char *const *)known->pdata);
	if (other)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "plot '%s' is of traces of %s machines; expected, of %s machines, one of: %s", name, other,
		            kind, list);
	else if (nearest)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown plot '%s'; did you mean '%s'?", name, nearest);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown plot '%s'; expected one of: %s", name, list);
	return NULL;
}

bool trace_plot(trace_reader *reader, const char *kind, const char *output, GError **error)
{
	const trace_plot_kind *k = kind_find(trace_reader_kind(reader), kind, error);
	trace_drawing *drawing;
	bool fine;

	if (!k || !trace_draw_check(output, error))
		return false;
	if (trace_level_from_name(k->level) > trace_i_reader_level(reader)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: plot '%s' needs a trace of level %s; this one has %s", reader->path, k->name, k->level,
		            trace_reader_manifest(reader, "trace.level"));
		return false;
	}
	drawing = trace_drawing_new();
	fine = add_numbers(drawing, reader, k, error) && trace_draw(drawing, k->drawing, output, error);
	trace_drawing_free(drawing);
	return fine;
}
