/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs gnuplot on a drawing in a temporary folder.  The picture is drawn aside and then copied, so that a failure
 * leaves no half picture.
 */
#include "traces/draw.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "isa/file.h"
#include "traces/read.h"

struct trace_drawing {
	GString *variables; /* lines "name = value" */
	GPtrArray *tables;  /* GString */
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
	{".tsv", NULL, 0},
};

static void free_table(gpointer data)
{
	g_string_free(data, TRUE);
}

trace_drawing *trace_drawing_new(void)
{
	trace_drawing *d = g_new(trace_drawing, 1);

	d->variables = g_string_new(NULL);
	d->tables = g_ptr_array_new_with_free_func(free_table);
	return d;
}

void trace_drawing_free(trace_drawing *d)
{
	if (!d)
		return;
	g_string_free(d->variables, TRUE);
	g_ptr_array_free(d->tables, TRUE);
	g_free(d);
}

void trace_drawing_number(trace_drawing *d, const char *name, double value)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	bool whole = value == floor(value) && fabs(value) < 9007199254740992.0;

	/* 17 digits keep integers exact; beyond 32 bits some versions take those for something else, so never "%d". */
	g_string_append_printf(
		d->variables, "%s = %s\n", name,
		value != value ? "NaN" : g_ascii_formatd(number, sizeof number, whole ? "%.17g" : "%.9g", value));
}

/* Quotes a text or file name for gnuplot. */
static char *quote(const char *text)
{
	g_auto(GStrv) pieces = g_strsplit(text, "'", -1);
	g_autofree char *doubled = g_strjoinv("''", pieces);

	return g_strdup_printf("'%s'", doubled);
}

void trace_drawing_text(trace_drawing *d, const char *name, const char *text)
{
	g_autofree char *quoted = quote(text);

	g_strdelimit(quoted, "\n\r", ' ');
	g_string_append_printf(d->variables, "%s = %s\n", name, quoted);
}

void trace_drawing_table(trace_drawing *d, GString *rows)
{
	g_ptr_array_add(d->tables, rows);
}

void trace_drawing_cell(GString *rows, const char *text, char end)
{
	gsize start = rows->len;

	g_string_append(rows, text);
	g_strdelimit(rows->str + start, "\t\n\r\"", ' ');
	g_string_append_c(rows, end);
}

void trace_drawing_value(GString *rows, double value, char end)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(rows, g_ascii_formatd(number, sizeof number, "%.9g", value));
	g_string_append_c(rows, end);
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

static const format *format_find(const char *output, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
		if (g_str_has_suffix(output, formats[i].suffix))
			return &formats[i];
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected a file name that ends in .png, .svg, .pdf or .tsv",
	            output);
	return NULL;
}

bool trace_draw_check(const char *output, GError **error)
{
	return format_find(output, error) != NULL;
}

/* Draws into PICTURE, a file in FOLDER. */
static bool draw(const trace_drawing *d, const char *name, const format *f, const char *folder, const char *picture,
                 GError **error)
{
	g_autofree char *relative = g_strdup_printf("traces/plots/%s.gp", name);
	g_autofree char *drawing = trace_data_file(relative, error);
	g_autofree char *file = g_build_filename(folder, "script", NULL);
	g_autofree char *quoted_picture = quote(picture);
	GString *script = g_string_new("set datafile separator \"\\t\"\nset encoding utf8\n");
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	bool fine = drawing != NULL;

	g_string_append(script, d->variables->str);
	for (guint i = 0; i < d->tables->len && fine; i++) {
		const GString *rows = g_ptr_array_index(d->tables, i);
		g_autofree char *table = g_strdup_printf("%s/data%u", folder, i + 1);
		g_autofree char *quoted = quote(table);

		fine = tsp_file_write(table, rows->str, rows->len, error);
		g_string_append_printf(script, "data%u = %s\n", i + 1, quoted);
	}
	if (fine) {
		g_autofree char *quoted_drawing = quote(drawing);

		g_string_append_printf(script, "TERMINAL = '%s'\nSCALE = %s\nOUTPUT = %s\nload %s\n", f->terminal,
		                       g_ascii_formatd(number, sizeof number, "%.9g", f->scale), quoted_picture,
		                       quoted_drawing);
		fine = tsp_file_write(file, script->str, script->len, error) && run_gnuplot(file, error);
	}
	g_string_free(script, TRUE);
	return fine;
}

static bool draw_picture(const trace_drawing *d, const char *name, const format *f, const char *output, GError **error)
{
	g_autofree char *folder = NULL;
	g_autofree char *picture = NULL;
	g_autofree char *bytes = NULL;
	GError *cause = NULL;
	gsize size;
	bool fine;

	folder = g_dir_make_tmp("tspsim-plot-XXXXXX", &cause);
	if (!folder) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "no temporary folder: %s", cause->message);
		g_error_free(cause);
		return false;
	}
	picture = g_strdup_printf("%s/picture%s", folder, f->suffix);
	fine = draw(d, name, f, folder, picture, error);
	if (fine && !g_file_get_contents(picture, &bytes, &size, &cause)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "gnuplot drew nothing: %s", cause->message);
		g_error_free(cause);
		fine = false;
	}
	fine = fine && tsp_file_write(output, bytes, size, error);
	remove_folder(folder);
	return fine;
}

static bool write_numbers(const trace_drawing *d, const char *output, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(d->variables->str, "\n", -1);
	GString *out = g_string_new(NULL);
	bool fine;

	for (char **line = lines; *line && **line; line++)
		g_string_append_printf(out, "# %s\n", *line);
	for (guint i = 0; i < d->tables->len; i++)
		g_string_append_printf(out, "%s# data%u\n%s", i ? "\n\n" : "", i + 1,
		                       ((const GString *)g_ptr_array_index(d->tables, i))->str);
	fine = tsp_file_write(output, out->str, out->len, error);
	g_string_free(out, TRUE);
	return fine;
}

bool trace_draw(const trace_drawing *d, const char *name, const char *output, GError **error)
{
	const format *f = format_find(output, error);

	if (!f)
		return false;
	return f->terminal ? draw_picture(d, name, f, output, error) : write_numbers(d, output, error);
}
