/* SPDX-License-Identifier: Apache-2.0
 *
 * Query files: the header is read by the program, too, so that units stand in one place.
 */
#include "traces/query.h"

#include <string.h>

#include "isa/file.h"

static void column_clear(gpointer data)
{
	trace_column *column = data;

	g_free(column->name);
	g_free(column->unit);
}

/* Takes `name [unit]: meaning` apart; false when LINE is something else. */
static bool parse_column(const char *line, GArray *columns)
{
	const char *open = strstr(line, " [");
	const char *close = open ? strstr(open, "]: ") : NULL;
	trace_column column;

	if (!close || strcspn(line, " ") != (size_t)(open - line))
		return false;
	column.name = g_strndup(line, (gsize)(open - line));
	column.unit = g_strndup(open + 2, (gsize)(close - open - 2));
	g_array_append_val(columns, column);
	return true;
}

/* The second comment line is the question, the rest of the header has the columns. */
static void parse_header(trace_query_text *query)
{
	g_auto(GStrv) lines = g_strsplit(query->text, "\n", -1);

	for (unsigned i = 0; lines[i] && g_str_has_prefix(lines[i], "--"); i++) {
		const char *line = lines[i] + strspn(lines[i], "- ");

		if (i == 1)
			query->question = g_strdup(line);
		else if (i > 1)
			parse_column(line, query->columns);
	}
	if (!query->question)
		query->question = g_strdup("");
}

trace_query_text *trace_i_query_load(const char *relative, GError **error)
{
	g_autofree char *inside = g_build_filename("traces", relative, NULL);
	char *path = trace_data_file(inside, error);
	char *text = path ? tsp_file_read(path, NULL, error) : NULL;
	trace_query_text *query;

	if (!text) {
		g_free(path);
		return NULL;
	}
	query = g_new0(trace_query_text, 1);
	query->path = path;
	query->text = text;
	query->columns = g_array_new(FALSE, FALSE, sizeof(trace_column));
	g_array_set_clear_func(query->columns, column_clear);
	parse_header(query);
	return query;
}

void trace_i_query_free(trace_query_text *query)
{
	if (!query)
		return;
	g_array_free(query->columns, TRUE);
	g_free(query->question);
	g_free(query->text);
	g_free(query->path);
	g_free(query);
}

sqlite3_stmt *trace_i_query_next(trace_reader *reader, const trace_query_text *query, const char **sql, GError **error)
{
	sqlite3_stmt *statement = NULL;

	/* A comment or blank prepares to nothing. */
	while (**sql && !statement) {
		if (sqlite3_prepare_v2(reader->db, *sql, -1, &statement, sql) != SQLITE_OK) {
			trace_i_sqlite_error(reader->db, query->path, error);
			return NULL;
		}
	}
	return statement;
}
