/* SPDX-License-Identifier: Apache-2.0
 *
 * The ready questions and their answers, for people and as JSON.
 *
 * Fractions are per cent for people and fractions in JSON.  An answer without rows is an empty array in JSON; people
 * are told "none" when they asked that question, and nothing when they asked all.
 */
#include "traces/query.h"

#include <string.h>

const trace_query trace_queries[] = {
#define TRACE_QUERY(name, level, kind) {name, level, kind},
#include "traces/queries.def"
	{NULL, NULL, NULL},
};

static bool has_rows(const trace_reader *reader, const char *sql)
{
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path, sql, NULL);
	bool any = query && sqlite3_step(query) == SQLITE_ROW;

	sqlite3_finalize(query);
	return any;
}

/* The question NAME about a trace of KIND. */
static const trace_query *query_find(const char *kind, const char *name, GError **error)
{
	g_autoptr(GPtrArray) known = g_ptr_array_new();
	const char *other = NULL;
	const char *nearest;
	g_autofree char *list = NULL;

	for (const trace_query *q = trace_queries; q->name; q++) {
		bool same = strcmp(q->name, name) == 0;

		if (same && strcmp(q->kind, kind) == 0)
			return q;
		if (same)
			other = q->kind;
		if (strcmp(q->kind, kind) == 0)
			g_ptr_array_add(known, (gpointer)q->name);
	}
	g_ptr_array_add(known, NULL);
	list = g_strjoinv(", ", (char **)known->pdata);
	nearest = other ? NULL : tsp_nearest(name, (const char *const *)known->pdata);
	if (other)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "query '%s' is about traces of %s machines; expected, of %s machines, one of: %s", name,
		            other, kind, list);
	else if (nearest)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown query '%s'; did you mean '%s'?", name, nearest);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown query '%s'; expected one of: %s", name, list);
	return NULL;
}

/* The file of a question or plot below traces/, g_free. */
char *trace_i_file_of(const char *folder, const char *kind, const char *name)
{
	bool first = strcmp(kind, "tsp") == 0;

	return g_strdup_printf("%s/%s%s%s.sql", folder, first ? "" : kind, first ? "" : "/", name);
}

static void append_json_string(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_printf(out, "\\%c", *p);
		else if (*p < 0x20)
			g_string_append_printf(out, "\\u%04x", *p);
		else
			g_string_append_c(out, (char)*p);
	}
	g_string_append_c(out, '"');
}

/* NUMBER in the C locale. */
static void append_double(GString *out, const char *format, double number)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(out, g_ascii_formatd(buffer, sizeof buffer, format, number));
}

static void append_json_value(GString *out, sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_NULL:
		g_string_append(out, "null");
		break;
	case SQLITE_FLOAT:
		append_double(out, "%.9g", sqlite3_column_double(row, column));
		break;
	case SQLITE_INTEGER:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, (gint64)sqlite3_column_int64(row, column));
		break;
	default:
		append_json_string(out, (const char *)sqlite3_column_text(row, column));
		break;
	}
}

/* A cell for people, g_free. */
static char *cell(sqlite3_stmt *row, int column, const char *unit)
{
	GString *out = g_string_new(NULL);

	switch (sqlite3_column_type(row, column)) {
	case SQLITE_NULL:
		g_string_append_c(out, '-');
		break;
	case SQLITE_FLOAT:
		if (strcmp(unit, "fraction") == 0)
			append_double(out, "%.2f", 100 * sqlite3_column_double(row, column));
		else
			append_double(out, "%.2f", sqlite3_column_double(row, column));
		break;
	default:
		g_string_append(out, (const char *)sqlite3_column_text(row, column));
		break;
	}
	return g_string_free(out, FALSE);
}

static const char *unit_of(const trace_query_text *query, int column)
{
	return (guint)column < query->columns->len ? g_array_index(query->columns, trace_column, column).unit : "";
}

/* Appends CELLS, rows of COLUMNS strings of which the first row is the heading, as a table; numbers to the right. */
static void append_table(GString *out, const GPtrArray *cells, guint columns)
{
	g_autofree glong *width = g_new0(glong, columns);
	g_autofree bool *number = g_new(bool, columns);

	for (guint i = 0; i < columns; i++)
		number[i] = true;
	for (guint i = 0; i < cells->len; i++) {
		const char *text = g_ptr_array_index(cells, i);

		width[i % columns] = MAX(width[i % columns], g_utf8_strlen(text, -1));
		if (i >= columns && text[strspn(text, "-0123456789.")])
			number[i % columns] = false;
	}
	for (guint i = 0; i < cells->len; i++) {
		const char *text = g_ptr_array_index(cells, i);
		guint column = i % columns;
		int pad = (int)(width[column] - g_utf8_strlen(text, -1));
		bool last = column + 1 == columns;

		g_string_append_printf(out, "  %*s%s%*s", number[column] ? pad : 0, "", text,
		                       number[column] || last ? 0 : pad, "");
		if (last)
			g_string_append_c(out, '\n');
	}
}

static bool answer_text(sqlite3_stmt *statement, const trace_query_text *query, bool asked, GString *out)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
	int columns = sqlite3_column_count(statement);
	int result;

	for (int i = 0; i < columns; i++) {
		const char *unit = unit_of(query, i);
		const char *shown = strcmp(unit, "fraction") == 0 ? "%" : unit;

		/* The unit stands in the heading unless the name says it. */
		g_ptr_array_add(cells, !*shown || strcmp(shown, sqlite3_column_name(statement, i)) == 0
		                               ? g_strdup(sqlite3_column_name(statement, i))
		                               : g_strdup_printf("%s [%s]", sqlite3_column_name(statement, i), shown));
	}
	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; i < columns; i++)
			g_ptr_array_add(cells, cell(statement, i, unit_of(query, i)));
	if (asked || cells->len > (guint)columns)
		g_string_append_printf(out, "%s%s\n", out->len ? "\n" : "", query->question);
	if (cells->len > (guint)columns)
		append_table(out, cells, (guint)columns);
	else if (asked)
		g_string_append(out, "  none\n");
	return result == SQLITE_DONE;
}

static bool answer_json(sqlite3_stmt *statement, GString *out)
{
	int columns = sqlite3_column_count(statement);
	bool first = true;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		g_string_append(out, first ? "\n      {" : ",\n      {");
		first = false;
		for (int i = 0; i < columns; i++) {
			g_string_append_printf(out, "%s\"%s\": ", i ? ", " : "", sqlite3_column_name(statement, i));
			append_json_value(out, statement, i);
		}
		g_string_append_c(out, '}');
	}
	g_string_append(out, first ? "]" : "\n    ]");
	return result == SQLITE_DONE;
}

/* ASKED: by name. */
static bool answer(trace_reader *reader, const trace_query *which, enum trace_form form, bool asked, GString *out,
                   GError **error)
{
	g_autofree char *file = trace_i_file_of("queries", which->kind, which->name);
	trace_query_text *query = trace_i_query_load(file, error);
	const char *sql;
	sqlite3_stmt *statement;
	bool fine;

	if (!query)
		return false;
	sql = query->text;
	statement = trace_i_query_next(reader, query, &sql, error);
	fine = statement != NULL;
	if (statement) {
		fine = form == TRACE_TEXT ? answer_text(statement, query, asked, out) : answer_json(statement, out);
		if (!fine)
			trace_i_sqlite_error(reader->db, reader->path, error);
		sqlite3_finalize(statement);
	}
	trace_i_query_free(query);
	return fine;
}

char *trace_query_question(const trace_query *which, GError **error)
{
	g_autofree char *file = trace_i_file_of("queries", which->kind, which->name);
	trace_query_text *query = trace_i_query_load(file, error);
	char *question = query ? g_strdup(query->question) : NULL;

	trace_i_query_free(query);
	return question;
}

/* The head of the JSON object. */
static void append_json_head(trace_reader *reader, GString *out)
{
	const char *level = trace_reader_manifest(reader, "trace.level");

	g_string_append(out, "{\n  \"trace\": ");
	append_json_string(out, reader->path);
	g_string_append(out, ",\n  \"status\": ");
	append_json_string(out, trace_reader_status(reader));
	g_string_append(out, ",\n  \"level\": ");
	append_json_string(out, level ? level : "");
	g_string_append(out, ",\n  \"answers\": {");
}

static void append_text_head(trace_reader *reader, GString *out)
{
	static const char *const keys[] = {"machine", "workload"};
	const char *level = trace_reader_manifest(reader, "trace.level");
	const char *window = trace_reader_manifest(reader, "trace.window");

	g_string_append(out, reader->path);
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (trace_reader_manifest(reader, keys[i]))
			g_string_append_printf(out, "%s%s", i ? ", " : ": ", trace_reader_manifest(reader, keys[i]));
	g_string_append_printf(out, " (level %s%s%s, %s)\n", level ? level : "unknown", window ? ", cycles " : "",
	                       window ? window : "", trace_reader_status(reader));
}

/* An error when what was recorded cannot answer Q, which was asked by name. */
static bool can_answer(trace_reader *reader, const trace_query *q, GError **error)
{
	const char *window = trace_reader_manifest(reader, "trace.window");
	int level = trace_level_from_name(q->level);

	if (level > trace_i_reader_level(reader)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: query '%s' needs a trace of level %s; this one has %s", reader->path, q->name,
		            q->level, trace_reader_manifest(reader, "trace.level"));
		return false;
	}
	if (!window || level < TRACE_UNITS || has_rows(reader, "SELECT 1 FROM span LIMIT 1"))
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: query '%s' has no answer: nothing began in cycles %s",
	            reader->path, q->name, window);
	return false;
}

char *trace_stat(trace_reader *reader, const char *const *names, enum trace_form form, GError **error)
{
	g_autoptr(GPtrArray) chosen = g_ptr_array_new();
	GString *out = g_string_new(NULL);
	bool asked = names != NULL;

	if (!names) {
		for (const trace_query *q = trace_queries; q->name; q++)
			if (strcmp(q->kind, trace_reader_kind(reader)) == 0 &&
			    trace_level_from_name(q->level) <= trace_i_reader_level(reader))
				g_ptr_array_add(chosen, (gpointer)q);
	} else {
		for (; *names; names++) {
			const trace_query *q = query_find(trace_reader_kind(reader), *names, error);

			if (!q || !can_answer(reader, q, error)) {
				g_string_free(out, TRUE);
				return NULL;
			}
			g_ptr_array_add(chosen, (gpointer)q);
		}
	}
	if (form == TRACE_JSON)
		append_json_head(reader, out);
	else
		append_text_head(reader, out);
	for (guint i = 0; i < chosen->len; i++) {
		const trace_query *q = g_ptr_array_index(chosen, i);

		if (form == TRACE_JSON)
			g_string_append_printf(out, "%s\n    \"%s\": [", i ? "," : "", q->name);
		if (!answer(reader, q, form, asked, out, error)) {
			g_string_free(out, TRUE);
			return NULL;
		}
	}
	if (form == TRACE_JSON)
		g_string_append(out, chosen->len ? "\n  }\n}\n" : "}\n}\n");
	return g_string_free(out, FALSE);
}
