/* SPDX-License-Identifier: Apache-2.0
 *
 * Do two traces, or two sweeps, say the same?  Every table but run (and wall, the times of a sweep) is read from both
 * sides sorted by all columns, and the two streams are merged: a row that only one side has, or has more often, is a
 * difference.  Rows are shown with names for the ids that refer to table name.  Nothing is held in memory but the two
 * present rows.  What is equal is described by how much was compared.
 */
#include "traces/trace_impl.h"

#include <string.h>

/* One side of one table. */
typedef struct side {
	trace_reader *reader;
	sqlite3_stmt *query; /* SELECT all ORDER BY all; NULL when the table is missing */
	bool row;            /* is there a present row? */
	uint64_t only;       /* rows that the other side lacks */
	GString *examples;
} side;

/* Column names of TABLE in order (g_strfreev); empty when there is no such table. */
static char **columns_of(trace_reader *reader, const char *table)
{
	sqlite3_stmt *query =
		trace_i_prepare(reader->db, reader->path, "SELECT name FROM pragma_table_info(?1) ORDER BY cid", NULL);
	GPtrArray *names = g_ptr_array_new();

	if (query) {
		sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
		while (sqlite3_step(query) == SQLITE_ROW)
			g_ptr_array_add(names, g_strdup((const char *)sqlite3_column_text(query, 0)));
		sqlite3_finalize(query);
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

/* Adds the names of the tables to compare to TABLES, which stays sorted and without repetition. */
static bool add_tables(trace_reader *reader, GPtrArray *tables, GError **error)
{
	sqlite3_stmt *query =
		trace_i_prepare(reader->db, reader->path,
	                        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('run', 'wall') "
	                        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
	                        error);

	if (!query)
		return false;
	while (sqlite3_step(query) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(query, 0);

		if (!g_ptr_array_find_with_equal_func(tables, name, g_str_equal, NULL))
			g_ptr_array_add(tables, g_strdup(name));
	}
	sqlite3_finalize(query);
	return true;
}

/* SQLite's own order of values: NULL, numbers, text by bytes, bytes. */
static int rank_of(int type)
{
	return type == SQLITE_NULL ? 0 : type == SQLITE_TEXT ? 2 : type == SQLITE_BLOB ? 3 : 1;
}

static int compare_bytes(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
	const void *p = sqlite3_column_blob(a, column);
	const void *q = sqlite3_column_blob(b, column);
	int size_a = sqlite3_column_bytes(a, column);
	int size_b = sqlite3_column_bytes(b, column);
	int both = MIN(size_a, size_b);
	int order = both ? memcmp(p, q, (size_t)both) : 0;

	return order ? order : size_a - size_b;
}

static int compare_values(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
	int type_a = sqlite3_column_type(a, column);
	int type_b = sqlite3_column_type(b, column);
	int rank_a = rank_of(type_a);
	int rank_b = rank_of(type_b);

	if (rank_a != rank_b || rank_a == 0)
		return rank_a - rank_b;
	if (rank_a == 3)
		return compare_bytes(a, b, column);
	if (rank_a == 2)
		return strcmp((const char *)sqlite3_column_text(a, column),
		              (const char *)sqlite3_column_text(b, column));
	if (type_a == SQLITE_INTEGER && type_b == SQLITE_INTEGER) {
		sqlite3_int64 p = sqlite3_column_int64(a, column);
		sqlite3_int64 q = sqlite3_column_int64(b, column);

		return p < q ? -1 : p > q;
	}
	if (sqlite3_column_double(a, column) != sqlite3_column_double(b, column))
		return sqlite3_column_double(a, column) < sqlite3_column_double(b, column) ? -1 : 1;
	return 0;
}

static int compare_rows(sqlite3_stmt *a, sqlite3_stmt *b)
{
	int columns = sqlite3_column_count(a);
	int order = 0;

	for (int i = 0; i < columns && order == 0; i++)
		order = compare_values(a, b, i);
	return order;
}

/* Moves to the next row.  Returns false on an error. */
static bool advance(side *s, GError **error)
{
	int result = sqlite3_step(s->query);

	s->row = result == SQLITE_ROW;
	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return true;
	trace_i_sqlite_error(s->reader->db, s->reader->path, error);
	return false;
}

/* The text of name.id ID on S's side; appended to OUT. */
static void append_name(const side *s, sqlite3_int64 id, GString *out)
{
	sqlite3_stmt *query =
		trace_i_prepare(s->reader->db, s->reader->path, "SELECT text FROM name WHERE id = ?1", NULL);

	if (!query)
		return;
	sqlite3_bind_int64(query, 1, id);
	if (sqlite3_step(query) == SQLITE_ROW)
		g_string_append_printf(out, " (%s)", (const char *)sqlite3_column_text(query, 0));
	sqlite3_finalize(query);
}

/* Does COLUMN of TABLE refer to table name? */
static bool is_name(const side *s, const char *table, const char *column)
{
	sqlite3_stmt *query = trace_i_prepare(
		s->reader->db, s->reader->path,
		"SELECT 1 FROM pragma_foreign_key_list(?1) WHERE \"from\" = ?2 AND \"table\" = 'name'", NULL);
	bool found = false;

	if (query) {
		sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
		sqlite3_bind_text(query, 2, column, -1, SQLITE_STATIC);
		found = sqlite3_step(query) == SQLITE_ROW;
		sqlite3_finalize(query);
	}
	return found;
}

/* Counts the present row as a difference; shows it when it is among the first EXAMPLES. */
static void note(side *s, const char *table, char mark, unsigned examples)
{
	if (s->only++ >= examples)
		return;
	g_string_append_printf(s->examples, "  %c", mark);
	for (int i = 0; i < sqlite3_column_count(s->query); i++) {
		const char *value;

		if (sqlite3_column_type(s->query, i) == SQLITE_BLOB) {
			g_string_append_printf(s->examples, " %s=(%d bytes)", sqlite3_column_name(s->query, i),
			                       sqlite3_column_bytes(s->query, i));
			continue;
		}
		value = (const char *)sqlite3_column_text(s->query, i);
		g_string_append_printf(s->examples, " %s=%s", sqlite3_column_name(s->query, i), value ? value : "NULL");
		if (value && is_name(s, table, sqlite3_column_name(s->query, i)))
			append_name(s, sqlite3_column_int64(s->query, i), s->examples);
	}
	g_string_append_c(s->examples, '\n');
}

static sqlite3_stmt *sorted(trace_reader *reader, const char *table, char **columns, GError **error)
{
	g_autofree char *list = g_strjoinv(", ", columns);
	g_autofree char *sql = g_strdup_printf("SELECT %s FROM %s ORDER BY %s", list, table, list);

	return trace_i_prepare(reader->db, reader->path, sql, error);
}

/* Merges the two sorted streams; adds the rows that both have to *COMMON. */
static bool merge(side *a, side *b, const char *table, unsigned examples, uint64_t *common, GError **error)
{
	if (!advance(a, error) || !advance(b, error))
		return false;
	while (a->row || b->row) {
		int order = !b->row ? -1 : !a->row ? 1 : compare_rows(a->query, b->query);

		if (order < 0)
			note(a, table, '-', examples);
		else if (order > 0)
			note(b, table, '+', examples);
		else
			(*common)++;
		if ((order <= 0 && !advance(a, error)) || (order >= 0 && !advance(b, error)))
			return false;
	}
	return true;
}

/* Compares TABLE; appends what differs to OUT, adds the rows that do not to *COMMON. */
static bool diff_table(trace_reader *readers[2], const char *table, unsigned examples, GString *out, uint64_t *common,
                       bool *equal, GError **error)
{
	g_auto(GStrv) columns_a = columns_of(readers[0], table);
	g_auto(GStrv) columns_b = columns_of(readers[1], table);
	side sides[2] = {{.reader = readers[0]}, {.reader = readers[1]}};
	bool fine;

	if (!g_strv_equal((const char *const *)columns_a, (const char *const *)columns_b)) {
		g_string_append_printf(out, "%s: %s\n", table,
		                       !columns_a[0]   ? "only in the second trace"
		                       : !columns_b[0] ? "only in the first trace"
		                                       : "has other columns");
		*equal = false;
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		sides[i].query = sorted(readers[i], table, columns_a, error);
		sides[i].examples = g_string_new(NULL);
	}
	fine = sides[0].query && sides[1].query && merge(&sides[0], &sides[1], table, examples, common, error);
	if (fine && (sides[0].only || sides[1].only)) {
		g_string_append_printf(out,
		                       "%s: %" G_GUINT64_FORMAT " row%s only in the first trace, %" G_GUINT64_FORMAT
		                       " only in the second\n%s%s",
		                       table, sides[0].only, tsp_s(sides[0].only), sides[1].only,
		                       sides[0].examples->str, sides[1].examples->str);
		*equal = false;
	}
	for (unsigned i = 0; i < 2; i++) {
		sqlite3_finalize(sides[i].query);
		g_string_free(sides[i].examples, TRUE);
	}
	return fine;
}

char *trace_diff(trace_reader *a, trace_reader *b, unsigned examples, bool *equal, GError **error)
{
	g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func(g_free);
	trace_reader *readers[2] = {a, b};
	GString *out = g_string_new(NULL);
	uint64_t common = 0;

	*equal = true;
	if (!add_tables(a, tables, error) || !add_tables(b, tables, error)) {
		g_string_free(out, TRUE);
		return NULL;
	}
	for (guint i = 0; i < tables->len; i++)
		if (!diff_table(readers, g_ptr_array_index(tables, i), examples, out, &common, equal, error)) {
			g_string_free(out, TRUE);
			return NULL;
		}
	if (*equal)
		g_string_append_printf(out, "identical: %" G_GUINT64_FORMAT " row%s of %u table%s\n", common,
		                       tsp_s(common), tables->len, tsp_s(tables->len));
	return g_string_free(out, FALSE);
}
