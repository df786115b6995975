/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by gnuplot.  traces/plots/<name>.sql gives the numbers: the columns of its first SELECT's one row become
 * gnuplot variables of their names, the rows of SELECT k+1 the tab-separated file whose name is in variable data<k>;
 * temporary tables may prepare them.  traces/plots/<name>.gp draws them; it finds TERMINAL, SCALE (terminal units a
 * pixel), OUTPUT and the data files, sets the size, and knows nothing of databases.  So a picture is one .sql, one .gp
 * and one row below.
 */
#include "traces/query.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

const trace_plot_kind trace_plot_kinds[] = {
	{"occupancy", "units", "which queue was occupied when, by unit"},
	{"banks", "summary", "requests and waiting of each bank, and over time"},
	{NULL, NULL, NULL},
};

typedef struct format {
	const char *suffix;
	const char *terminal;
	double scale;
} format;

static const format formats[] = {
	{".png", "pngcairo enhanced font \"Sans,10\"", 1},
	{".svg", "svg enhanced font \"Sans,13\" background \"white\"", 1},
	{".pdf", "pdfcairo enhanced font \"Sans,8\"", 1.0 / 96},
};

/* Appends NAME = value of the row's COLUMN. */
static void append_assignment(GString *script, const char *name, sqlite3_stmt *row, int column)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
		/* Beyond 32 bits some versions take integers for something else; a double is exact up to 2^53. */
		g_string_append_printf(
			script, "%s = %s\n", name,
			g_ascii_formatd(number, sizeof number, "%.17g", sqlite3_column_double(row, column)));
		break;
	case SQLITE_FLOAT:
		g_string_append_printf(
			script, "%s = %s\n", name,
			g_ascii_formatd(number, sizeof number, "%.9g", sqlite3_column_double(row, column)));
		break;
	case SQLITE_NULL:
		g_string_append_printf(script, "%s = NaN\n", name);
		break;
	default: {
		g_auto(GStrv) pieces = g_strsplit((const char *)sqlite3_column_text(row, column), "'", -1);
		g_autofree char *quoted = g_strjoinv("''", pieces);

		g_strdelimit(quoted, "\n\r", ' ');
		g_string_append_printf(script, "%s = '%s'\n", name, quoted);
		break;
	}
	}
}

/* Quotes a file name for gnuplot. */
static char *quote(const char *text)
{
	g_auto(GStrv) pieces = g_strsplit(text, "'", -1);
	g_autofree char *doubled = g_strjoinv("''", pieces);

	return g_strdup_printf("'%s'", doubled);
}

/* Puts SIZE bytes into FILE. */
static bool write_file(const char *file, const char *bytes, gsize size, GError **error)
{
	GError *cause = NULL;

	if (g_file_set_contents(file, bytes, (gssize)size, &cause))
		return true;
	g_set_error_literal(error, TSP_ERROR, TSP_ERROR_IO, cause->message);
	g_error_free(cause);
	return false;
}

/* Writes the rows of STATEMENT to FILE, tabs between columns; MUST there be any? */
static bool write_data(trace_reader *reader, sqlite3_stmt *statement, const char *file, bool must, GError **error)
{
	GString *out = g_string_new(NULL);
	int columns = sqlite3_column_count(statement);
	GError *cause = NULL;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; i < columns; i++) {
			const char *text = (const char *)sqlite3_column_text(statement, i);
			g_autofree char *cell = g_strdelimit(g_strdup(text ? text : "NaN"), "\t\n\r\"", ' ');

			g_string_append_printf(out, "%s%c", cell, i + 1 < columns ? '\t' : '\n');
		}
	if (result != SQLITE_DONE)
		trace_i_sqlite_error(reader->db, reader->path, &cause);
	else if (must && !out->len)
		g_set_error(&cause, TSP_ERROR, TSP_ERROR_USER,
		            "%s: nothing to draw: the trace has no records for this plot", reader->path);
	else
		write_file(file, out->str, out->len, &cause);
	g_string_free(out, TRUE);
	if (cause)
		g_propagate_error(error, cause);
	return !cause;
}

/* The variables into SCRIPT, the data into files in FOLDER. */
static bool write_numbers(trace_reader *reader, const char *kind, const char *folder, GString *script, GError **error)
{
	g_autofree char *relative = g_strdup_printf("plots/%s.sql", kind);
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
				append_assignment(script, sqlite3_column_name(statement, c), statement, c);
			if (!fine)
				trace_i_sqlite_error(reader->db, reader->path, &cause);
		} else {
			g_autofree char *name = g_strdup_printf("data%u", selects - 1);
			g_autofree char *file = g_build_filename(folder, name, NULL);
			g_autofree char *quoted = quote(file);

			fine = write_data(reader, statement, file, selects == 2, &cause);
			g_string_append_printf(script, "%s = %s\n", name, quoted);
		}
		sqlite3_finalize(statement);
	}
	trace_i_query_free(query);
	if (cause)
		g_propagate_error(error, cause);
	return fine && !cause;
}

/* Runs gnuplot on SCRIPT in FOLDER. */
static bool run_gnuplot(const char *script, GError **error)
{
	g_autofree char *program = g_find_program_in_path("gnuplot");
	g_autofree char *complaint = NULL;
	char *argv[] = {program, (char *)script, NULL};
	GError *cause = NULL;
	int status;

	if (!program) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "gnuplot is not installed (not found in PATH), and plots need it");
		return false;
	}
	if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &complaint, &status, &cause)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", program, cause->message);
		g_error_free(cause);
		return false;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s failed: %s", program, g_strstrip(complaint));
		return false;
	}
	return true;
}

static void remove_folder(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(folder);
}

static const trace_plot_kind *kind_find(const char *name, GError **error)
{
	g_autoptr(GPtrArray) known = g_ptr_array_new();
	const char *nearest;

	for (const trace_plot_kind *k = trace_plot_kinds; k->name; k++) {
		if (strcmp(k->name, name) == 0)
			return k;
		g_ptr_array_add(known, (gpointer)k->name);
	}
	g_ptr_array_add(known, NULL);
	nearest = tsp_nearest(name, (const char *const *)known->pdata);
	if (nearest) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown plot '%s'; did you mean '%s'?", name, nearest);
	} else {
		g_autofree char *list = g_strjoinv(", ", (char **)known->pdata);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown plot '%s'; expected one of: %s", name, list);
	}
	return NULL;
}

static const format *format_find(const char *output, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
		if (g_str_has_suffix(output, formats[i].suffix))
			return &formats[i];
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected a file name that ends in .png, .svg or .pdf",
	            output);
	return NULL;
}

/* Draws into PICTURE, a file in FOLDER. */
static bool draw(trace_reader *reader, const char *kind, const format *f, const char *folder, const char *picture,
                 GError **error)
{
	g_autofree char *relative = g_strdup_printf("traces/plots/%s.gp", kind);
	g_autofree char *drawing = trace_data_file(relative, error);
	g_autofree char *file = g_build_filename(folder, "script", NULL);
	g_autofree char *quoted_picture = quote(picture);
	GString *script = g_string_new("set datafile separator \"\\t\"\nset encoding utf8\n");
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	bool fine = drawing && write_numbers(reader, kind, folder, script, error);

	if (fine) {
		g_autofree char *quoted_drawing = quote(drawing);

		g_string_append_printf(script, "TERMINAL = '%s'\nSCALE = %s\nOUTPUT = %s\nload %s\n", f->terminal,
		                       g_ascii_formatd(number, sizeof number, "%.9g", f->scale), quoted_picture,
		                       quoted_drawing);
		fine = write_file(file, script->str, script->len, error) && run_gnuplot(file, error);
	}
	g_string_free(script, TRUE);
	return fine;
}

bool trace_plot(trace_reader *reader, const char *kind, const char *output, GError **error)
{
	const trace_plot_kind *k = kind_find(kind, error);
	const format *f = k ? format_find(output, error) : NULL;
	g_autofree char *folder = NULL;
	g_autofree char *picture = NULL;
	g_autofree char *bytes = NULL;
	GError *cause = NULL;
	gsize size;
	bool fine;

	if (!f)
		return false;
	if (trace_level_from_name(k->level) > trace_i_reader_level(reader)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: plot '%s' needs a trace of level %s; this one has %s", reader->path, k->name, k->level,
		            trace_reader_manifest(reader, "trace.level"));
		return false;
	}
	folder = g_dir_make_tmp("tspsim-plot-XXXXXX", &cause);
	if (!folder) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "no temporary folder: %s", cause->message);
		g_error_free(cause);
		return false;
	}
	/* Drawn aside and then copied, so that a failure leaves no half picture. */
	picture = g_strdup_printf("%s/picture%s", folder, f->suffix);
	fine = draw(reader, k->name, f, folder, picture, error);
	if (fine && !g_file_get_contents(picture, &bytes, &size, &cause)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "gnuplot drew nothing: %s", cause->message);
		g_error_free(cause);
		fine = false;
	}
	fine = fine && write_file(output, bytes, size, error);
	remove_folder(folder);
	return fine;
}
