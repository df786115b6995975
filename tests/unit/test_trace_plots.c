/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures: the SQL functions behind them exactly; the pictures themselves as far as a program can see them: every kind
 * in every format, of the format its name says, from small, large and empty traces.
 */
#include "tests/lib/tap.h"
#include "tests/unit/trace_fixture.h"
#include "traces/draw.h"
#include "traces/query.h"

#include <math.h>
#include <string.h>

static char *folder;

static char *in_folder(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

static trace_reader *gemm(const char *name, enum trace_level level, unsigned layers, unsigned blocks, bool streams,
                          int64_t window)
{
	g_autofree char *path = in_folder(name);
	fixture *f = fixture_gemm(layers, blocks, streams);
	g_autoptr(GError) error = NULL;
	trace_reader *reader;

	CU_ASSERT_TRUE_FATAL(
		fixture_write(f, trace_writer_open(path, &(trace_options){.level = level}, fixture_names(f), &error),
	                      window, &error));
	fixture_free(f);
	reader = trace_reader_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	return reader;
}

static bool has_gnuplot(void)
{
	g_autofree char *program = g_find_program_in_path("gnuplot");

	if (!program)
		tap_skip("gnuplot is not installed");
	return program != NULL;
}

/* Draws KIND and looks at the first bytes and the size of the picture. */
static void expect_picture(trace_reader *reader, const char *kind, const char *suffix, const char *magic,
                           gsize at_least)
{
	g_autofree char *name = g_strconcat("picture.", suffix, NULL);
	g_autofree char *path = in_folder(name);
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	gsize size = 0;

	if (!trace_plot(reader, kind, path, &error))
		tap_note("%s %s: %s", kind, suffix, error->message);
	CU_ASSERT_PTR_NULL(error);
	CU_ASSERT_TRUE(g_file_get_contents(path, &bytes, &size, NULL));
	CU_ASSERT_TRUE(size >= at_least);
	CU_ASSERT_TRUE(bytes && g_strstr_len(bytes, 64, magic));
}

static void every_plot_comes_in_every_format(void)
{
	trace_reader *reader = gemm("run.db", TRACE_UNITS, 2, 8, false, 50);

	/* Conflicts: this run has none; tests/e2e/bank_plots.sh draws them. */
	for (const trace_plot_kind *kind = trace_plot_kinds; kind->name && has_gnuplot(); kind++) {
		if (strcmp(kind->name, "conflicts") == 0 || strcmp(kind->kind, "tsp") != 0)
			continue;
		expect_picture(reader, kind->name, "png", "PNG", 8000);
		expect_picture(reader, kind->name, "svg", "<?xml", 8000);
		expect_picture(reader, kind->name, "pdf", "%PDF", 4000);
	}
	trace_reader_free(reader);
}

/* The published chip's queues, layers, and columns of several cycles. */
static void expect_refusal(trace_reader *reader, const char *kind, const char *output, const char *text)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_FALSE(trace_plot(reader, kind, output, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	if (!strstr(error->message, text))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, text));
}

static void a_run_without_conflicts_has_no_picture_of_them(void)
{
	trace_reader *reader = gemm("clean.db", TRACE_FULL, 1, 4, false, 50);
	g_autofree char *path = in_folder("never.png");

	expect_refusal(reader, "conflicts", path, "nothing to draw");
	CU_ASSERT_FALSE(g_file_test(path, G_FILE_TEST_EXISTS));
	trace_reader_free(reader);
}

/* A picture's numbers as text: variables, then tables. */
static void numbers_behind_a_picture_are_written_as_text(void)
{
	g_autofree char *path = in_folder("numbers.tsv");
	g_autofree char *text = NULL;
	trace_drawing *d = trace_drawing_new();
	GString *rows = g_string_new(NULL);

	trace_drawing_number(d, "whole", 4294967296.0);
	trace_drawing_number(d, "part", 0.1);
	trace_drawing_number(d, "none", NAN);
	trace_drawing_text(d, "text", "it's\ntwo");
	trace_drawing_cell(rows, "a\tb\"c", '\t');
	trace_drawing_value(rows, 2.5, '\n');
	trace_drawing_table(d, rows);
	trace_drawing_table(d, g_string_new("1\n"));
	CU_ASSERT_TRUE(trace_draw(d, "banks", path, NULL));
	CU_ASSERT_TRUE(g_file_get_contents(path, &text, NULL, NULL));
	CU_ASSERT_STRING_EQUAL(text, "# whole = 4294967296\n# part = 0.1\n# none = NaN\n# text = 'it''s two'\n"
	                             "# data1\na b c\t2.5\n\n\n# data2\n1\n");
	trace_drawing_free(d);
}

static void a_larger_run_is_drawn(void)
{
	trace_reader *reader = gemm("large.db", TRACE_UNITS, 6, 40, true, 500);

	if (has_gnuplot()) {
		expect_picture(reader, "occupancy", "png", "PNG", 20000);
		expect_picture(reader, "banks", "png", "PNG", 20000);
	}
	trace_reader_free(reader);
}

/* Banks only at the end: no picture over time, but totals. */
static void banks_are_drawn_without_times(void)
{
	trace_reader *reader = gemm("untimed.db", TRACE_SUMMARY, 1, 4, false, 0);

	if (has_gnuplot())
		expect_picture(reader, "banks", "png", "PNG", 5000);
	trace_reader_free(reader);
}

static void a_trace_with_nothing_in_it_is_refused(void)
{
	g_autofree char *path = in_folder("nothing.db");
	fixture *f = fixture_new();
	trace_writer *writer = trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL);
	trace_reader *reader;

	CU_ASSERT_TRUE(trace_writer_close(writer, TRACE_COMPLETE, NULL));
	fixture_free(f);
	reader = trace_reader_open(path, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	for (const trace_plot_kind *kind = trace_plot_kinds; kind->name; kind++)
		if (strcmp(kind->kind, "tsp") == 0)
			expect_refusal(reader, kind->name, "a.png", "nothing to draw");
	trace_reader_free(reader);
}

static void what_cannot_be_drawn_is_refused_saying_why(void)
{
	trace_reader *reader = gemm("summary.db", TRACE_SUMMARY, 1, 4, false, 0);
	g_autofree char *old_path = g_strdup(g_getenv("PATH"));

	expect_refusal(reader, "ocupancy", "a.png", "unknown plot 'ocupancy'; did you mean 'occupancy'?");
	expect_refusal(reader, "xyzzy", "a.png", "expected one of: occupancy, banks");
	expect_refusal(reader, "banks", "a.gif", "a.gif: expected a file name that ends in .png, .svg, .pdf or .tsv");
	expect_refusal(reader, "occupancy", "a.png",
	               "plot 'occupancy' needs a trace of level units; this one has summary");
	if (has_gnuplot())
		expect_refusal(reader, "banks", "/nowhere/a.png", "/nowhere/a.png");
	g_setenv("PATH", "/nowhere", TRUE);
	expect_refusal(reader, "banks", "a.png", "gnuplot is not installed");
	g_setenv("PATH", old_path, TRUE);
	trace_reader_free(reader);
}

/* The one value of SQL, g_free. */
static char *value_of(trace_reader *reader, const char *sql)
{
	GError *error = NULL;
	sqlite3_stmt *query = trace_i_prepare(reader->db, "test", sql, &error);
	char *text;

	if (!query) {
		text = g_strdup(error->message);
		g_error_free(error);
		return text;
	}
	if (sqlite3_step(query) == SQLITE_ROW)
		text = g_strdup((const char *)sqlite3_column_text(query, 0));
	else
		text = g_strdup(sqlite3_errmsg(reader->db));
	sqlite3_finalize(query);
	return text;
}

static void expect_value(trace_reader *reader, const char *sql, const char *expected)
{
	g_autofree char *text = value_of(reader, sql);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	if (strcmp(text, expected) != 0)
		tap_note("%s: %s", sql, text);
	CU_ASSERT_STRING_EQUAL(text, expected);
}

static void occupied_counts_the_cycles_of_each_column(void)
{
	trace_reader *reader = gemm("sql.db", TRACE_SUMMARY, 1, 4, false, 0);

	/* [3, 5) in columns of 10 from 0. */
	expect_value(reader, "SELECT occupied(3, 5, 0, 10)", "[2]");
	/* [8, 31): 2 of the first, two whole ones, 1 of the fourth. */
	expect_value(reader, "SELECT occupied(8, 31, 0, 10)", "[2,10,10,1]");
	/* The same, and [0, 10) and [15, 16); an end on a border opens no column of its own. */
	expect_value(reader, "SELECT occupied(column1, column2, 0, 10) FROM (VALUES (8, 31), (0, 10), (15, 16))",
	             "[12,11,10,1]");
	expect_value(reader, "SELECT occupied(108, 120, 100, 10)", "[2,10,0]");
	expect_value(reader, "SELECT occupied(5, 4, 0, 10)", "occupied(start, stop, origin, width): out of range");
	expect_value(reader, "SELECT occupied(5, 6, 0, 0)", "occupied(start, stop, origin, width): out of range");
	expect_value(reader, "SELECT occupied(1, 2, 0, 1) FROM (SELECT 1 WHERE 0)", "[]");
	trace_reader_free(reader);
}

static void tic_step_is_1_2_or_5_times_a_power_of_ten(void)
{
	trace_reader *reader = gemm("tic.db", TRACE_SUMMARY, 1, 4, false, 0);

	expect_value(reader, "SELECT tic_step(9, 9)", "1");
	/* 10 / 1 = 10 parts are too many for 9. */
	expect_value(reader, "SELECT tic_step(10, 9)", "2");
	expect_value(reader, "SELECT tic_step(20, 9)", "5");
	expect_value(reader, "SELECT tic_step(50, 9)", "10");
	expect_value(reader, "SELECT tic_step(17830644, 9)", "2000000");
	expect_value(reader, "SELECT tic_step(0, 9)", "1");
	trace_reader_free(reader);
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(f) {#f, f}
		CASE(every_plot_comes_in_every_format),
		CASE(a_run_without_conflicts_has_no_picture_of_them),
		CASE(numbers_behind_a_picture_are_written_as_text),
		CASE(a_larger_run_is_drawn),
		CASE(banks_are_drawn_without_times),
		CASE(a_trace_with_nothing_in_it_is_refused),
		CASE(what_cannot_be_drawn_is_refused_saying_why),
		CASE(occupied_counts_the_cycles_of_each_column),
		CASE(tic_step_is_1_2_or_5_times_a_power_of_ten),
#undef CASE
	};
	int status;

	folder = fixture_folder();
	status = tap_run("trace_plots", cases, G_N_ELEMENTS(cases));
	fixture_remove(folder);
	return status;
}
