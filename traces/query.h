/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of one SQL statement or several, with a header comment: the question, then a line `-- name [unit]: meaning`
 * for each column of the (first) answer, in order.
 */
#ifndef TSPSIM_TRACES_QUERY_H
#define TSPSIM_TRACES_QUERY_H

#include "traces/trace_impl.h"

typedef struct trace_column {
	char *name;
	char *unit; /* "" when there is none */
} trace_column;

typedef struct trace_query_text {
	char *path;
	char *text;
	char *question;
	GArray *columns; /* trace_column */
} trace_query_text;

/* Reads traces/<RELATIVE>. */
trace_query_text *trace_i_query_load(const char *relative, GError **error);
void trace_i_query_free(trace_query_text *query);

/* Prepares the statement that begins at *SQL and moves *SQL behind it; NULL without ERROR set at the end of the text.
 */
sqlite3_stmt *trace_i_query_next(trace_reader *reader, const trace_query_text *query, const char **sql, GError **error);

/* The file of a question or plot below traces/, g_free. */
char *trace_i_file_of(const char *folder, const char *kind, const char *name);

/* SQL functions of our own (traces/functions.c). */
bool trace_i_add_functions(sqlite3 *db, const char *path, GError **error);

/* The reader's level as enum trace_level. */
int trace_i_reader_level(const trace_reader *reader);

#endif
