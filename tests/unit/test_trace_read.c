/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading traces: what is one, comparison, and the ready questions with answers derived by hand.
 */
#include "tests/lib/tap.h"
#include "tests/unit/trace_fixture.h"
#include "traces/query.h"

#include <sqlite3.h>
#include <string.h>

static char *folder;

static char *in_folder(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

static void write_gemm(const char *path, enum trace_level level, unsigned blocks)
{
	fixture *f = fixture_gemm(2, blocks, false);
	g_autoptr(GError) error = NULL;

	CU_ASSERT_TRUE(fixture_write(
		f, trace_writer_open(path, &(trace_options){.level = level}, fixture_names(f), &error), 100, &error));
	fixture_free(f);
}

static trace_reader *open_trace(const char *path)
{
	g_autoptr(GError) error = NULL;
	trace_reader *reader = trace_reader_open(path, &error);

	if (!reader)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	return reader;
}

/* What trace_diff() says; g_free. */
static char *diff(const char *a, const char *b, bool *equal)
{
	g_autoptr(GError) error = NULL;
	trace_reader *first = open_trace(a);
	trace_reader *second = open_trace(b);
	char *text = trace_diff(first, second, 2, equal, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	trace_reader_free(first);
	trace_reader_free(second);
	return text;
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	sqlite3_open(path, &db);
	sqlite3_exec(db, sql, NULL, NULL, &message);
	if (message)
		tap_note("%s: %s", sql, message);
	CU_ASSERT_PTR_NULL(message);
	sqlite3_free(message);
	sqlite3_close(db);
}

static void two_traces_of_one_run_are_equal_though_their_manifests_differ(void)
{
	g_autofree char *a = in_folder("a.db");
	g_autofree char *b = in_folder("b.db");
	g_autofree char *text = NULL;
	bool equal = false;

	write_gemm(a, TRACE_FULL, 8);
	write_gemm(b, TRACE_FULL, 8);
	execute(b, "UPDATE run SET value = 'another' WHERE key = 'machine'");
	text = diff(a, b, &equal);
	CU_ASSERT_TRUE(equal);
	CU_ASSERT_TRUE(g_str_has_prefix(text, "identical: "));
}

/* Within a probe batch and across them: pairs of records exchange places, as a shuffled run would have them. */
static void the_order_in_which_records_come_makes_no_difference(void)
{
	g_autofree char *a = in_folder("ordered.db");
	g_autofree char *b = in_folder("shuffled.db");
	fixture *f = fixture_gemm(2, 8, false);
	g_autofree char *text = NULL;
	GRand *random = g_rand_new_with_seed(3);
	bool equal = false;

	CU_ASSERT_TRUE(fixture_write(
		f, trace_writer_open(a, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL), 0, NULL));
	memset(f->bank_requests, 0, f->banks * sizeof *f->bank_requests);
	memset(f->bank_wait, 0, f->banks * sizeof *f->bank_wait);
	for (guint i = 0; i + 1 < f->issues->len; i++) {
		guint other = (guint)g_rand_int_range(random, (gint)i, (gint)MIN(f->issues->len, i + 500));
		probe_issue swap = g_array_index(f->issues, probe_issue, i);

		g_array_index(f->issues, probe_issue, i) = g_array_index(f->issues, probe_issue, other);
		g_array_index(f->issues, probe_issue, other) = swap;
	}
	CU_ASSERT_TRUE(fixture_write(
		f, trace_writer_open(b, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL), 0, NULL));
	text = diff(a, b, &equal);
	if (!equal)
		tap_note("%s", text);
	CU_ASSERT_TRUE(equal);
	g_rand_free(random);
	fixture_free(f);
}

/* Rows are shown with names: op 4 is "abc" (name 7, after three kinds of violation). */
static void differences_are_counted_and_the_first_shown(void)
{
	g_autofree char *a = in_folder("left.db");
	g_autofree char *b = in_folder("right.db");
	g_autofree char *text = NULL;
	bool equal = true;

	write_gemm(a, TRACE_FULL, 8);
	write_gemm(b, TRACE_FULL, 8);
	execute(b, "UPDATE issue SET delay = delay + 1 WHERE insn = 0 AND idx < 3");
	execute(b, "INSERT INTO issue SELECT * FROM issue WHERE insn = 1 AND idx = 0");
	execute(a, "DELETE FROM insn WHERE id = 4");
	text = diff(a, b, &equal);
	CU_ASSERT_FALSE(equal);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "insn: 0 rows only in the first trace, 1 only in the second\n"
	                                    "  + id=4 queue=21 op=7 (abc) node=0 cycle=101 count0=160 interval0=1 "));
	/* Three changed rows on each side, and one row that is there twice. */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "issue: 3 rows only in the first trace, 4 only in the second\n"
	                                    "  - cycle=10 insn=0 idx=0 "));
	CU_ASSERT_PTR_NULL(strstr(text, "idx=2"));
	CU_ASSERT_PTR_NULL(strstr(text, "span"));
}

static void a_missing_table_is_a_difference(void)
{
	g_autofree char *a = in_folder("whole.db");
	g_autofree char *b = in_folder("part.db");
	g_autofree char *text = NULL;
	bool equal = true;

	write_gemm(a, TRACE_SUMMARY, 4);
	write_gemm(b, TRACE_SUMMARY, 4);
	execute(b, "DROP TABLE bank_window");
	execute(a, "ALTER TABLE bank ADD COLUMN colour TEXT");
	text = diff(a, b, &equal);
	CU_ASSERT_FALSE(equal);
	CU_ASSERT_STRING_EQUAL(text, "bank: has other columns\nbank_window: only in the first trace\n");
}

/* Names in file PATH, or content CONTENT in it, are refused with TEXT. */
static void expect_refusal(const char *path, const char *text)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(trace_reader_open(path, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_str_has_prefix(error->message, path));
	if (!strstr(error->message, text))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, text));
}

static void what_is_no_trace_is_refused_saying_what_it_is(void)
{
	g_autofree char *missing = in_folder("missing.db");
	g_autofree char *text_file = in_folder("text.db");
	g_autofree char *other = in_folder("other.db");
	g_autofree char *later = in_folder("later.db");

	expect_refusal(missing, "No such file or directory");
	expect_refusal(folder, "not a trace: expected an SQLite database");
	g_file_set_contents(text_file, "hello", -1, NULL);
	expect_refusal(text_file, "not a trace: expected an SQLite database");
	execute(other, "PRAGMA application_id = 7; CREATE TABLE t (x)");
	expect_refusal(other, "an SQLite database, but no trace of tspsim");
	write_gemm(later, TRACE_SUMMARY, 4);
	execute(later, "PRAGMA user_version = 2");
	expect_refusal(later, "trace format 2; this program reads format 1");
}

static void a_reader_gives_manifest_status_and_counters(void)
{
	g_autofree char *path = in_folder("facts.db");
	trace_reader *reader;

	write_gemm(path, TRACE_SUMMARY, 4);
	reader = open_trace(path);
	CU_ASSERT_STRING_EQUAL(trace_reader_status(reader), "complete");
	CU_ASSERT_STRING_EQUAL(trace_reader_manifest(reader, "machine"), "tsp");
	CU_ASSERT_PTR_NULL(trace_reader_manifest(reader, "colour"));
	CU_ASSERT_EQUAL(trace_reader_counter(reader, "mxm_peak", -1), 409600);
	CU_ASSERT_EQUAL(trace_reader_counter(reader, "none", -1), -1);
	trace_reader_free(reader);
	execute(path, "UPDATE run SET value = 'running' WHERE key = 'status'");
	reader = open_trace(path);
	CU_ASSERT_STRING_EQUAL(trace_reader_status(reader), "incomplete");
	trace_reader_free(reader);
}

/* Schema only, as a new writer makes it. */
static trace_reader *empty_trace(void)
{
	g_autofree char *path = in_folder("empty.db");
	fixture *f = fixture_new();
	trace_writer *writer = trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL);

	CU_ASSERT_TRUE(trace_writer_close(writer, TRACE_COMPLETE, NULL));
	fixture_free(f);
	return open_trace(path);
}

/* Each query file: one statement, and a line in its header for each column, in order. */
static void every_query_prepares_and_documents_its_columns(void)
{
	trace_reader *reader = empty_trace();

	for (const trace_query *q = trace_queries; q->name; q++) {
		g_autofree char *file = trace_i_file_of("queries", q->kind, q->name);
		g_autoptr(GError) error = NULL;
		trace_query_text *text = trace_i_query_load(file, &error);
		const char *sql;
		sqlite3_stmt *statement;

		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		/* Those of other machines: tests/unit/test_asc_trace.c. */
		if (strcmp(q->kind, "tsp") != 0) {
			trace_i_query_free(text);
			continue;
		}
		sql = text->text;
		statement = trace_i_query_next(reader, text, &sql, &error);
		if (!statement)
			tap_note("%s", error ? error->message : file);
		CU_ASSERT_PTR_NOT_NULL_FATAL(statement);
		CU_ASSERT_TRUE(strlen(text->question) > 10);
		CU_ASSERT_NOT_EQUAL(trace_level_from_name(q->level), -1);
		if (sqlite3_column_count(statement) != (int)text->columns->len)
			tap_note("%s: %d columns, %u documented", file, sqlite3_column_count(statement),
			         text->columns->len);
		CU_ASSERT_EQUAL_FATAL(sqlite3_column_count(statement), (int)text->columns->len);
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			CU_ASSERT_STRING_EQUAL(sqlite3_column_name(statement, i),
			                       g_array_index(text->columns, trace_column, i).name);
		sqlite3_finalize(statement);
		CU_ASSERT_PTR_NULL(trace_i_query_next(reader, text, &sql, &error));
		CU_ASSERT_PTR_NULL(error);
		trace_i_query_free(text);
	}
	trace_reader_free(reader);
}

static void every_query_answers_on_an_empty_trace(void)
{
	trace_reader *reader = empty_trace();
	g_autoptr(GError) error = NULL;
	g_autofree char *text = trace_stat(reader, NULL, TRACE_TEXT, &error);
	g_autofree char *json = trace_stat(reader, NULL, TRACE_JSON, &error);

	if (error)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL(text);
	CU_ASSERT_PTR_NOT_NULL(json);
	trace_reader_free(reader);
}

/* Two mem queues and an mxm one over 100 cycles, two layers of one node each. */
static trace_reader *hand_made(enum trace_level level)
{
	static const uint64_t requests[] = {10, 30, 0, 0}, wait[] = {0, 6, 0, 0};
	static const probe_violation late = {.cycle = 50, .insn = 3, .other = UINT32_MAX, .queue = 2, .kind = 1};
	static const probe_violation later = {.cycle = 51, .insn = 2, .other = UINT32_MAX, .queue = 0, .kind = 1};
	static const probe_slip slips[] = {{.cycle = 5, .cycles = 4, .insn = 0, .other = 1, .bank = 1},
	                                   {.cycle = 9, .cycles = 2, .insn = 0, .other = 1, .bank = 1}};
	g_autofree char *path = in_folder("hand.db");
	fixture *f = fixture_new();
	trace_insn load = {
		.cycle = 0, .count = {10, 1}, .interval = {2, 0}, .op = FIXTURE_LOAD, .result = 4, .beats = 1};
	trace_insn other = {.cycle = 0,
	                    .count = {5, 1},
	                    .interval = {1, 0},
	                    .queue = 1,
	                    .op = FIXTURE_LOAD,
	                    .result = 4,
	                    .beats = 1};
	trace_insn store = {.cycle = 60, .count = {5, 1}, .interval = {1, 0}, .node = 1, .op = FIXTURE_STORE};
	trace_insn abc = {.cycle = 30,
	                  .count = {20, 1},
	                  .interval = {1, 0},
	                  .node = 1,
	                  .queue = 2,
	                  .op = FIXTURE_ABC,
	                  .result = 50};
	trace_writer *writer;
	probe_listener listener;
	probe p;

	fixture_queue(f, "mem", 0, "mem0");
	fixture_queue(f, "mem", 0, "mem1");
	fixture_queue(f, "mxm", 0, "mxm0.a");
	fixture_epoch(f, "conv1", 0, 23);
	fixture_epoch(f, "conv2", 30, 100);
	fixture_node(f, 0, "input");
	fixture_node(f, 1, "product");
	g_array_index(f->epochs, trace_epoch, 1).macs = 2000;
	g_array_index(f->epochs, trace_epoch, 1).mxm_ceiling = 0.75;
	fixture_issue_all(f, fixture_insn(f, &load), 4, 640, 2);
	fixture_issue_all(f, fixture_insn(f, &other), 4, 640, 2);
	fixture_issue_all(f, fixture_insn(f, &store), 4, 640, 0);
	fixture_issue_all(f, fixture_insn(f, &abc), 50, 100, 0);
	for (guint i = 0; i < f->issues->len; i++) {
		probe_issue *issue = &g_array_index(f->issues, probe_issue, i);

		issue->beats = issue->requests ? 1 : 0;
		issue->delayed = 0;
		issue->delay = 0;
		issue->result = issue->cycle + (issue->insn == 3 ? 50 : 4);
	}
	/* One access of the second load takes two beats and ends a cycle late. */
	g_array_index(f->issues, probe_issue, 12).beats = 2;
	g_array_index(f->issues, probe_issue, 12).delayed = 1;
	g_array_index(f->issues, probe_issue, 12).delay = 1;
	g_array_index(f->issues, probe_issue, 12).result++;
	writer = trace_writer_open(path, &(trace_options){.level = level}, fixture_names(f), NULL);
	listener = trace_writer_listener(writer);
	probe_init(&p);
	probe_add_listener(&p, &listener);
	for (guint i = 0; i < f->issues->len && p.issues_wanted; i++) {
		*probe_slot(&p) = g_array_index(f->issues, probe_issue, i);
		probe_commit(&p);
	}
	probe_flush(&p);
	probe_report_violation(&p, &later);
	probe_report_violation(&p, &late);
	for (size_t i = 0; i < G_N_ELEMENTS(slips); i++)
		probe_report_slip(&p, &slips[i]);
	probe_fini(&p);
	trace_writer_manifest(writer, "machine", "tiny");
	trace_writer_manifest(writer, "workload", "by \"hand\"");
	trace_writer_counter(writer, "cycles", 100, "cycles");
	trace_writer_counter(writer, "predicted_cycles", 99, "cycles");
	trace_writer_counter(writer, "mxm_peak", 50, "MACs a cycle");
	trace_writer_banks(writer, 100, requests, wait, 4);
	CU_ASSERT_TRUE(trace_writer_close(writer, TRACE_COMPLETE, NULL));
	fixture_free(f);
	return open_trace(path);
}

/* What the JSON answer to query NAME holds between its brackets; g_free. */
static char *json_answer(trace_reader *reader, const char *name)
{
	const char *const names[] = {name, NULL};
	g_autoptr(GError) error = NULL;
	g_autofree char *json = trace_stat(reader, names, TRACE_JSON, &error);
	const char *from = json ? strstr(json, "\": [") : NULL;
	const char *to = from ? strrchr(from, ']') : NULL;
	g_autofree char *inside = NULL;
	GString *out = g_string_new(NULL);

	if (!to) {
		tap_note("%s: %s", name, error ? error->message : "no answer");
		return g_string_free(out, FALSE);
	}
	inside = g_strndup(from + 4, (gsize)(to - from - 4));
	for (const char *p = inside; *p; p++)
		if (*p != '\n' && !(*p == ' ' && (p == inside || p[-1] == '\n' || p[-1] == ' ')))
			g_string_append_c(out, *p);
	return g_string_free(out, FALSE);
}

static void expect_answer(trace_reader *reader, const char *name, const char *expected)
{
	g_autofree char *text = json_answer(reader, name);

	if (strcmp(text, expected) != 0)
		tap_note("%s: %s", name, text);
	CU_ASSERT_STRING_EQUAL(text, expected);
}

static void the_answers_are_those_derived_by_hand(void)
{
	trace_reader *reader = hand_made(TRACE_FULL);

	/* mem: spans 0-19 (19 cycles) and 60-65 (5) on mem0, 0-5 (5) on mem1: 29 of 2 x 100 cycles; 20 issues.  mxm: 20
	 * of 100. */
	expect_answer(
		reader, "units",
		"{\"unit\": \"mem\", \"queues\": 2, \"used\": 2, \"issues\": 20, \"occupied\": 0.145, \"issuing\": "
		"0.1, "
		"\"work\": 12800, \"delay\": 1},"
		"{\"unit\": \"mxm\", \"queues\": 1, \"used\": 1, \"issues\": 20, \"occupied\": 0.2, \"issuing\": 0.2, "
		"\"work\": 2000, \"delay\": 0}");
	/* conv1: first issue 0, last result 18 + 4 = 22.  conv2: 30 to 49 + 50 = 99, 69 cycles: 2000 / (50 x 69) =
	 * 0.5797. */
	expect_answer(
		reader, "layers",
		"{\"layer\": \"conv1\", \"predicted\": 23, \"simulated\": 22, \"macs\": 0, \"utilisation\": null, "
		"\"ceiling\": null},"
		"{\"layer\": \"conv2\", \"predicted\": 70, \"simulated\": 69, \"macs\": 2000, "
		"\"utilisation\": 0.579710145, \"ceiling\": 0.75}");
	/* conv1: 22 cycles, mem 19 + 5 = 24 of 44; conv2: 69 cycles, mem 5 of 138, mxm 20 of 69. */
	expect_answer(reader, "unit_layers",
	              "{\"layer\": \"conv1\", \"unit\": \"mem\", \"issues\": 15, \"occupied\": 0.545454545, "
	              "\"issuing\": 0.340909091, \"delay\": 1},"
	              "{\"layer\": \"conv2\", \"unit\": \"mem\", \"issues\": 5, \"occupied\": 0.0362318841, "
	              "\"issuing\": 0.0362318841, \"delay\": 0},"
	              "{\"layer\": \"conv2\", \"unit\": \"mxm\", \"issues\": 20, \"occupied\": 0.289855072, "
	              "\"issuing\": 0.289855072, \"delay\": 0}");
	expect_answer(reader, "stalls",
	              "{\"cause\": \"bank delay\", \"count\": 1, \"cycles\": 1},"
	              "{\"cause\": \"freeze\", \"count\": 2, \"cycles\": 6},"
	              "{\"cause\": \"late operand\", \"count\": 2, \"cycles\": null},"
	              "{\"cause\": \"queue underrun\", \"count\": 0, \"cycles\": null}");
	expect_answer(reader, "banks",
	              "{\"banks\": 4, \"used\": 2, \"requests\": 40, \"mean\": 10, \"max\": 30, \"busiest\": 1, "
	              "\"imbalance\": 3, "
	              "\"wait\": 6, \"wait_each\": 0.15, \"slip\": 6}");
	expect_answer(reader, "hot_banks",
	              "{\"bank\": 1, \"requests\": 30, \"share\": 0.75, \"over_mean\": 3, \"wait\": 6, \"slip\": 6},"
	              "{\"bank\": 0, \"requests\": 10, \"share\": 0.25, \"over_mean\": 1, \"wait\": 0, \"slip\": 0}");
	/* 15 loads of 2 requests; one request delayed; 16 beats. */
	expect_answer(
		reader, "conflicts",
		"{\"layer\": \"conv1\", \"node\": \"input\", \"op\": \"load\", \"accesses\": 15, \"requests\": 30, "
		"\"delayed\": 0.0333333333, \"beats\": 1.06666667, \"delay\": 1}");
	expect_answer(reader, "slips",
	              "{\"node\": \"input\", \"op\": \"load\", \"other_node\": \"input\", \"other_op\": \"load\", "
	              "\"freezes\": 2, "
	              "\"cycles\": 6, \"banks\": 1}");
	/* Reported in another order: the first is the one in cycle 50. */
	expect_answer(
		reader, "violations",
		"{\"kind\": \"late-operand\", \"count\": 2, \"first\": 50, \"queue\": \"mxm0.a\", \"op\": \"abc\", "
		"\"node\": \"product\"}");
	expect_answer(reader, "prediction",
	              "{\"quantity\": \"run\", \"predicted\": 99, \"simulated\": 100, \"difference\": 1},"
	              "{\"quantity\": \"conv1\", \"predicted\": 23, \"simulated\": 22, \"difference\": -1},"
	              "{\"quantity\": \"conv2\", \"predicted\": 100, \"simulated\": 99, \"difference\": -1}");
	expect_answer(reader, "deviations",
	              "{\"op\": \"load\", \"issues\": 15, \"late\": 1, \"latest\": 1, \"earliest\": 0, \"beats\": 1},"
	              "{\"op\": \"abc\", \"issues\": 20, \"late\": 0, \"latest\": 0, \"earliest\": 0, \"beats\": 0}");
	expect_answer(reader, "counters",
	              "{\"name\": \"cycles\", \"value\": 100, \"unit\": \"cycles\"},"
	              "{\"name\": \"mxm_peak\", \"value\": 50, \"unit\": \"MACs a cycle\"},"
	              "{\"name\": \"predicted_cycles\", \"value\": 99, \"unit\": \"cycles\"}");
	trace_reader_free(reader);
}

/* One access with a delay is one span with a delay here. */
static void level_units_answers_what_it_can(void)
{
	trace_reader *reader = hand_made(TRACE_UNITS);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = trace_stat(reader, NULL, TRACE_TEXT, &error);

	expect_answer(reader, "stalls",
	              "{\"cause\": \"bank delay\", \"count\": 1, \"cycles\": 1},"
	              "{\"cause\": \"freeze\", \"count\": 2, \"cycles\": 6},"
	              "{\"cause\": \"late operand\", \"count\": 2, \"cycles\": null},"
	              "{\"cause\": \"queue underrun\", \"count\": 0, \"cycles\": null}");
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NULL(strstr(text, "Whose accesses"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "How busy was each unit?\n"
	                     "  unit  queues  used  issues  occupied [%]  issuing [%]   work  delay [cycles]\n"
	                     "  mem        2     2      20         14.50        10.00  12800               1\n"
	                     "  mxm        1     1      20         20.00        20.00   2000               0\n"));
	trace_reader_free(reader);
}

static void queries_unknown_or_beyond_the_level_are_refused(void)
{
	static const char *const beyond[] = {"units", NULL}, *const unknown[] = {"unit", NULL},
				 *const strange[] = {"xyzzy", NULL};
	trace_reader *reader = hand_made(TRACE_SUMMARY);
	GError *error = NULL;

	CU_ASSERT_PTR_NULL(trace_stat(reader, beyond, TRACE_TEXT, &error));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error->message, "query 'units' needs a trace of level units; this one has summary"));
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(trace_stat(reader, unknown, TRACE_TEXT, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "unknown query 'unit'; did you mean 'units'?");
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(trace_stat(reader, strange, TRACE_TEXT, &error));
	CU_ASSERT_TRUE(
		g_str_has_prefix(error->message, "unknown query 'xyzzy'; expected one of: prediction, layers, "));
	g_clear_error(&error);
	trace_reader_free(reader);
}

static void json_quotes_what_must_be_quoted(void)
{
	trace_reader *reader = hand_made(TRACE_SUMMARY);
	static const char *const names[] = {"violations", NULL};
	g_autofree char *json = trace_stat(reader, names, TRACE_JSON, NULL);

	CU_ASSERT_TRUE(g_str_has_prefix(json, "{\n  \"trace\": \""));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"status\": \"complete\",\n  \"level\": \"summary\",\n  \"answers\": {\n"
	                                    "    \"violations\": [\n      {\"kind\": \"late-operand\", "));
	trace_reader_free(reader);
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(f) {#f, f}
		CASE(two_traces_of_one_run_are_equal_though_their_manifests_differ),
		CASE(the_order_in_which_records_come_makes_no_difference),
		CASE(differences_are_counted_and_the_first_shown),
		CASE(a_missing_table_is_a_difference),
		CASE(what_is_no_trace_is_refused_saying_what_it_is),
		CASE(a_reader_gives_manifest_status_and_counters),
		CASE(every_query_prepares_and_documents_its_columns),
		CASE(every_query_answers_on_an_empty_trace),
		CASE(the_answers_are_those_derived_by_hand),
		CASE(level_units_answers_what_it_can),
		CASE(queries_unknown_or_beyond_the_level_are_refused),
		CASE(json_quotes_what_must_be_quoted),
#undef CASE
	};
	int status;

	folder = fixture_folder();
	status = tap_run("trace_read", cases, G_N_ELEMENTS(cases));
	fixture_remove(folder);
	return status;
}
