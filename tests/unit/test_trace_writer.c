/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writer leaves in the file: exact rows at each level, and what happens when the file cannot be written,
 * belongs to somebody else, or the program is killed.
 */
#include "tests/lib/tap.h"
#include "tests/unit/trace_fixture.h"
#include "traces/read.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static char *in_folder(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

/* Two queues, one layer of two nodes, three instructions. */
static fixture *small(void)
{
	fixture *f = fixture_new();
	uint32_t epoch;
	trace_insn load = {.cycle = 10,
	                   .count = {2, 1},
	                   .interval = {1, 0},
	                   .node = 0,
	                   .op = FIXTURE_LOAD,
	                   .result = 4,
	                   .beats = 1};
	trace_insn abc = {.cycle = 20, .node = 1, .queue = 1, .op = FIXTURE_ABC};
	trace_insn idle = {.cycle = 30, .node = 1, .queue = 1, .op = FIXTURE_ACC};

	fixture_queue(f, "mem", 0, "mem0");
	fixture_queue(f, "mxm", 1, "mxm0.a");
	epoch = fixture_epoch(f, "conv", 0, 40);
	g_array_index(f->epochs, trace_epoch, epoch).macs = 7;
	fixture_node(f, epoch, "first");
	fixture_node(f, epoch, "second");
	fixture_insn(f, &load);
	fixture_insn(f, &abc);
	fixture_insn(f, &idle);
	return f;
}

static void push_small(probe *p)
{
	const probe_issue issues[] = {
		{.cycle = 20, .arrival = {14, 19, PROBE_NO_TIME}, .result = 33, .insn = 1, .queue = 1, .work = 102400},
		{.cycle = 10,
	         .arrival = {PROBE_NO_TIME, PROBE_NO_TIME, PROBE_NO_TIME},
	         .result = 14,
	         .insn = 0,
	         .beats = 1,
	         .requests = 40,
	         .work = 640},
		{.cycle = 11,
	         .arrival = {12, 9, PROBE_NO_TIME},
	         .result = PROBE_NO_TIME,
	         .insn = 0,
	         .index = 1,
	         .beats = 2,
	         .requests = 40,
	         .delayed = 3,
	         .delay = 1,
	         .work = 640},
	};
	const probe_violation violation = {.cycle = 20, .insn = 1, .other = 0, .queue = 1, .kind = 1, .detail = -5};
	const probe_violation nameless = {
		.cycle = 21, .insn = UINT32_MAX, .other = UINT32_MAX, .queue = 0, .kind = 2, .detail = 9};
	const probe_slip slip = {
		.cycle = 11, .cycles = 3, .insn = 0, .index = 1, .other = UINT32_MAX, .bank = 2, .met = 1};
	const probe_conflict conflict = {
		.cycle = 11, .insn = 0, .index = 1, .other = 1, .bank = 5, .beats = 2, .delay = 1, .due = 17};

	for (size_t i = 0; i < G_N_ELEMENTS(issues); i++) {
		if (!p->issues_wanted)
			continue;
		*probe_slot(p) = issues[i];
		probe_commit(p);
	}
	probe_flush(p);
	probe_report_violation(p, &violation);
	probe_report_violation(p, &nameless);
	probe_report_slip(p, &slip);
	probe_report_conflict(p, &conflict);
}

/* Writes the small run to PATH. */
static void write_small(const char *path, const trace_options *options)
{
	static const uint64_t early[] = {1, 0, 0}, none[] = {0, 0, 0}, late[] = {1, 30, 9}, waits[] = {0, 2, 0};
	g_autoptr(GError) error = NULL;
	fixture *f = small();
	trace_writer *writer = trace_writer_open(path, options, fixture_names(f), &error);
	probe_listener listener;
	probe p;

	CU_ASSERT_PTR_NOT_NULL_FATAL(writer);
	listener = trace_writer_listener(writer);
	probe_init(&p);
	probe_add_listener(&p, &listener);
	push_small(&p);
	probe_fini(&p);
	trace_writer_manifest(writer, "machine", "tiny");
	trace_writer_counter(writer, "cycles", 23, "cycles");
	trace_writer_queue_issues(writer, 0, 2);
	trace_writer_banks(writer, 16, early, none, 3);
	trace_writer_banks(writer, 32, early, none, 3);
	trace_writer_banks(writer, 33, late, waits, 3);
	CU_ASSERT_TRUE(trace_writer_close(writer, TRACE_COMPLETE, &error));
	fixture_free(f);
}

static void expect_rows(const char *path, const char *sql, const char *expected)
{
	g_autofree char *rows = fixture_rows(path, sql);

	if (strcmp(rows, expected) != 0)
		tap_note("%s\n%s", sql, rows);
	CU_ASSERT_STRING_EQUAL(rows, expected);
}

static void level_full_holds_every_record(void)
{
	g_autofree char *path = in_folder("full.db");

	write_small(path, &(trace_options){.level = TRACE_FULL});
	/* arrival: the latest operand less the cycle; latency: result less the cycle. */
	expect_rows(path, "SELECT * FROM issue ORDER BY cycle",
	            "10|0|0|NULL|4|1|40|0|0|640\n"
	            "11|0|1|1|NULL|2|40|3|1|640\n"
	            "20|1|0|-1|13|0|0|0|0|102400\n");
	/* queue, node, start, stop, issues, due, work, delay */
	expect_rows(path, "SELECT * FROM span ORDER BY start", "0|0|10|12|2|14|1280|1\n1|1|20|21|1|33|102400|0\n");
	expect_rows(path,
	            "SELECT id, queue, node, cycle, count0, interval0, count1, interval1, latency, beats FROM insn",
	            "0|0|0|10|2|1|1|0|4|1\n1|1|1|20|1|0|1|0|NULL|NULL\n2|1|1|30|1|0|1|0|NULL|NULL\n");
	expect_rows(path, "SELECT * FROM violations ORDER BY cycle",
	            "20|late-operand|mxm0.a|abc|second|conv|1|0|0|load|-5\n"
	            "21|queue-underrun|mem0|NULL|NULL|NULL|NULL|0|NULL|NULL|9\n");
	expect_rows(path, "SELECT * FROM slip", "11|3|2|0|1|NULL|1\n");
	expect_rows(path, "SELECT * FROM conflict", "11|0|1|1|5|2|1|17\n");
	expect_rows(path, "SELECT * FROM queues", "0|mem0|mem|0|2\n1|mxm0.a|mxm|1|0\n");
	expect_rows(path, "SELECT * FROM epochs", "0|conv|0|40|7|0|NULL\n");
	expect_rows(path, "SELECT * FROM nodes", "0|first|0|conv\n1|second|0|conv\n");
	expect_rows(path, "SELECT * FROM counter", "cycles|23|cycles\n");
	/* Bank 2 froze the machine for 3 cycles. */
	expect_rows(path, "SELECT * FROM bank", "0|1|0|0\n1|30|2|0\n2|9|0|3\n");
	/* Differences between calls; nothing happened between 16 and 32. */
	expect_rows(path, "SELECT * FROM bank_window ORDER BY start, bank", "0|0|16|1|0\n1|32|33|30|2\n2|32|33|9|0\n");
	expect_rows(path, "SELECT value FROM run WHERE key IN ('status', 'trace.level', 'machine') ORDER BY key",
	            "tiny\ncomplete\nfull\n");
	expect_rows(path, "PRAGMA application_id", "1414746196\n");
	expect_rows(path, "PRAGMA user_version", "1\n");
}

/* The same run: no issues, and of the instructions only those that violations and slips name. */
static void level_units_holds_spans_and_named_instructions(void)
{
	g_autofree char *path = in_folder("units.db");

	write_small(path, &(trace_options){.level = TRACE_UNITS});
	expect_rows(path, "SELECT count(*) FROM issue", "0\n");
	expect_rows(path, "SELECT * FROM span ORDER BY start", "0|0|10|12|2|14|1280|1\n1|1|20|21|1|33|102400|0\n");
	expect_rows(path, "SELECT id FROM insn", "0\n1\n");
	expect_rows(path, "SELECT count(*) FROM slip", "1\n");
	expect_rows(path, "SELECT count(*) FROM bank_window", "3\n");
}

static void level_summary_holds_totals_and_violations(void)
{
	g_autofree char *path = in_folder("summary.db");

	write_small(path, &(trace_options){.level = TRACE_SUMMARY});
	expect_rows(path,
	            "SELECT (SELECT count(*) FROM issue), (SELECT count(*) FROM span), (SELECT count(*) FROM slip), "
	            "(SELECT count(*) FROM bank_window), (SELECT count(*) FROM violation)",
	            "0|0|0|0|2\n");
	expect_rows(path, "SELECT id FROM insn", "0\n1\n");
	expect_rows(path, "SELECT * FROM bank", "0|1|0|0\n1|30|2|0\n2|9|0|3\n");
}

static void level_summary_does_not_ask_for_issues(void)
{
	g_autofree char *path = in_folder("quiet.db");
	fixture *f = small();
	trace_writer *writer =
		trace_writer_open(path, &(trace_options){.level = TRACE_SUMMARY}, fixture_names(f), NULL);

	CU_ASSERT_PTR_NULL(trace_writer_listener(writer).issues);
	CU_ASSERT_PTR_NOT_NULL(trace_writer_listener(writer).violation);
	CU_ASSERT_TRUE(trace_writer_close(writer, TRACE_INTERRUPTED, NULL));
	expect_rows(path, "SELECT value FROM run WHERE key = 'status'", "interrupted\n");
	fixture_free(f);
}

/* [11, 21): one issue of the load, the product, the violation at 20 and the slip at 11; totals are not cut. */
static void a_window_cuts_everything_that_has_a_cycle(void)
{
	g_autofree char *path = in_folder("window.db");

	write_small(path, &(trace_options){.level = TRACE_FULL, .window_start = 11, .window_stop = 21});
	expect_rows(path, "SELECT cycle FROM issue ORDER BY cycle", "11\n20\n");
	expect_rows(path, "SELECT start, stop, issues FROM span ORDER BY start", "11|12|1\n20|21|1\n");
	expect_rows(path, "SELECT cycle FROM violation", "20\n");
	expect_rows(path, "SELECT cycle FROM slip", "11\n");
	expect_rows(path, "SELECT sum(requests) FROM bank", "40\n");
	expect_rows(path, "SELECT value FROM run WHERE key = 'trace.window'", "11:21\n");
}

/* Hand in 70,000 issues: more than a buffer, in probe batches that do not divide it. */
static void nothing_is_lost_between_buffers(void)
{
	g_autofree char *path = in_folder("many.db");
	g_autoptr(GError) error = NULL;
	fixture *f = fixture_gemm(1, 130, false);
	g_autofree char *expected = g_strdup_printf("%u|%u\n", f->issues->len, f->issues->len);

	CU_ASSERT_TRUE(f->issues->len > 65536 && f->issues->len % 4096 != 0);
	CU_ASSERT_TRUE(fixture_write(
		f, trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), &error), 0,
		&error));
	expect_rows(path, "SELECT count(*), (SELECT sum(issues) FROM span) FROM issue", expected);
	expect_rows(path, "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite%'", "3\n");
	fixture_free(f);
}

/* 28-byte rows: 10 small integers, header and row number; 40 is the limit. */
static void a_row_of_issue_takes_at_most_40_bytes(void)
{
	g_autofree char *path = in_folder("rows.db");
	fixture *f = fixture_gemm(2, 80, false);
	g_autofree char *bytes = NULL;

	fixture_write(f, trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL), 0,
	              NULL);
	bytes = fixture_rows(
		path, "SELECT sum(pgsize) * 1.0 / (SELECT count(*) FROM issue) FROM dbstat WHERE name = 'issue'");
	if (g_str_has_prefix(bytes, "error")) {
		tap_skip("this SQLite has no dbstat");
	} else {
		tap_note("bytes a row: %s", g_strstrip(bytes));
		CU_ASSERT_TRUE(strtod(bytes, NULL) > 10 && strtod(bytes, NULL) <= 40);
	}
	fixture_free(f);
}

/* Does opening PATH fail with TEXT in the message? */
static void expect_refusal(const char *path, const char *text)
{
	g_autoptr(GError) error = NULL;
	fixture *f = small();
	trace_writer *writer =
		trace_writer_open(path, &(trace_options){.level = TRACE_UNITS}, fixture_names(f), &error);

	CU_ASSERT_PTR_NULL(writer);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	if (!strstr(error->message, text) || !strstr(error->message, path))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, text));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, path));
	fixture_free(f);
}

static void somebody_elses_file_is_refused_and_left_alone(void)
{
	g_autofree char *text_file = in_folder("notes.txt");
	g_autofree char *database = in_folder("other.db");
	g_autofree char *content = NULL;

	g_file_set_contents(text_file, "notes", -1, NULL);
	expect_refusal(text_file, "is not a trace of tspsim");
	g_file_get_contents(text_file, &content, NULL, NULL);
	CU_ASSERT_STRING_EQUAL(content, "notes");
	{
		sqlite3 *db;

		sqlite3_open(database, &db);
		sqlite3_exec(db, "CREATE TABLE precious (x)", NULL, NULL, NULL);
		sqlite3_close(db);
	}
	expect_refusal(database, "is not a trace of tspsim");
	expect_rows(database, "SELECT count(*) FROM precious", "0\n");
}

static void a_trace_and_an_empty_file_are_replaced(void)
{
	g_autofree char *path = in_folder("again.db");

	g_file_set_contents(path, "", 0, NULL);
	write_small(path, &(trace_options){.level = TRACE_FULL});
	write_small(path, &(trace_options){.level = TRACE_SUMMARY});
	expect_rows(path, "SELECT count(*) FROM span", "0\n");
}

static void places_that_cannot_be_written_are_refused_saying_why(void)
{
	g_autofree char *missing = in_folder("no/such/run.db");

	expect_refusal(folder, "this is a directory");
	expect_refusal(missing, "there is no directory");
	expect_refusal("/dev/full", "not a regular file");
	/* Nobody, root included, creates files there. */
	expect_refusal("/proc/run.db", "cannot be created");
}

static void a_symbolic_link_is_followed(void)
{
	g_autofree char *target = in_folder("target.db");
	g_autofree char *link_path = in_folder("link.db");

	write_small(target, &(trace_options){.level = TRACE_SUMMARY});
	CU_ASSERT_EQUAL(symlink(target, link_path), 0);
	write_small(link_path, &(trace_options){.level = TRACE_UNITS});
	expect_rows(target, "SELECT count(*) FROM span", "2\n");
	CU_ASSERT_TRUE(g_file_test(link_path, G_FILE_TEST_IS_SYMLINK));
}

static void a_window_that_ends_before_it_starts_is_refused(void)
{
	g_autofree char *path = in_folder("backwards.db");
	g_autoptr(GError) error = NULL;
	fixture *f = small();

	CU_ASSERT_PTR_NULL(trace_writer_open(path, &(trace_options){.window_start = 9, .window_stop = 8},
	                                     fixture_names(f), &error));
	CU_ASSERT_STRING_EQUAL(error->message, "trace window: its end 8 lies before its start 9");
	fixture_free(f);
}

/* Opens a trace, lets PUSH put a bad record in, and returns close's complaint. */
static char *complaint_about(void (*push)(probe *p))
{
	g_autofree char *path = in_folder("broken.db");
	GError *error = NULL;
	fixture *f = small();
	trace_writer *writer = trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL);
	probe_listener listener = trace_writer_listener(writer);
	char *text;
	probe p;

	probe_init(&p);
	probe_add_listener(&p, &listener);
	push(&p);
	probe_flush(&p);
	probe_fini(&p);
	CU_ASSERT_FALSE(trace_writer_close(writer, TRACE_COMPLETE, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_INTERNAL));
	expect_rows(path, "SELECT value FROM run WHERE key = 'status'", "incomplete\n");
	expect_rows(path, "SELECT count(*) FROM issue", "0\n");
	text = g_strdup(error->message);
	g_error_free(error);
	fixture_free(f);
	return text;
}

static void push_negative_latency(probe *p)
{
	*probe_slot(p) = (probe_issue){.cycle = 10, .result = 9};
	probe_commit(p);
}

static void push_more_delayed_than_requests(probe *p)
{
	*probe_slot(p) = (probe_issue){.cycle = 10, .result = 14, .requests = 2, .delayed = 3};
	probe_commit(p);
}

static void push_slip_of_nothing(probe *p)
{
	probe_report_slip(p, &(probe_slip){.cycle = 1, .cycles = 0});
}

static void push_unknown_insn(probe *p)
{
	*probe_slot(p) = (probe_issue){.cycle = 10, .insn = 3};
	probe_commit(p);
}

static void push_unknown_kind(probe *p)
{
	probe_report_violation(p, &(probe_violation){.kind = 3});
}

static void records_that_make_no_sense_do_not_get_in(void)
{
	static const struct {
		void (*push)(probe *p);
		const char *text;
	} rows[] = {
		{push_negative_latency, "CHECK constraint failed: latency >= 0"},
		{push_more_delayed_than_requests, "CHECK constraint failed: delayed BETWEEN 0 AND requests"},
		{push_slip_of_nothing, "CHECK constraint failed: cycles > 0"},
		{push_unknown_insn, "an issue of instruction 3 was reported, but there are 3"},
		{push_unknown_kind, "a violation of unknown kind 3 was reported"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = complaint_about(rows[i].push);

		if (!strstr(text, rows[i].text))
			tap_note("%s", text);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, rows[i].text));
	}
}

/* In a child: the file may grow to 3 MB, about one transaction of 65,536 issues; ten times that are pushed.  Exit
 * status 0 when the writer noticed, the run went on, and close said what was kept. */
static int fill_up(const char *path)
{
	g_autoptr(GError) error = NULL;
	fixture *f = fixture_gemm(1, 800, false);
	trace_writer *writer = trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), &error);
	struct rlimit limit = {3000000, 3000000};
	probe_listener listener;
	probe p;

	signal(SIGXFSZ, SIG_IGN);
	if (!writer || setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 3;
	listener = trace_writer_listener(writer);
	probe_init(&p);
	probe_add_listener(&p, &listener);
	for (guint i = 0; i < f->issues->len; i++) {
		*probe_slot(&p) = g_array_index(f->issues, probe_issue, i);
		probe_commit(&p);
	}
	probe_flush(&p);
	probe_fini(&p);
	if (trace_writer_is_fine(writer))
		return 4;
	if (trace_writer_close(writer, TRACE_COMPLETE, &error) || !g_error_matches(error, TSP_ERROR, TSP_ERROR_IO))
		return 5;
	printf("# %s\n", error->message);
	return strstr(error->message, "; the trace is incomplete, 65536 issues, ") ? 0 : 6;
}

static void a_full_disk_is_reported_at_close_and_leaves_what_was_committed(void)
{
	g_autofree char *path = in_folder("big.db");
	pid_t child;
	int status = -1;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		status = fill_up(path);
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	CU_ASSERT_TRUE(WIFEXITED(status));
	expect_rows(path, "PRAGMA integrity_check", "ok\n");
	expect_rows(path, "SELECT count(*) FROM issue", "65536\n");
	{
		g_autoptr(GError) error = NULL;
		trace_reader *reader = trace_reader_open(path, &error);

		CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
		CU_ASSERT_STRING_EQUAL(trace_reader_status(reader), "incomplete");
		trace_reader_free(reader);
	}
}

/* In a child: writes without end. */
static void write_for_ever(const char *path)
{
	fixture *f = small();
	trace_insn endless = {.cycle = 100, .count = {UINT32_MAX, 1}, .interval = {1, 0}};
	uint32_t insn = fixture_insn(f, &endless);
	trace_writer *writer = trace_writer_open(path, &(trace_options){.level = TRACE_FULL}, fixture_names(f), NULL);
	probe_listener listener = trace_writer_listener(writer);
	probe p;

	trace_writer_manifest(writer, "machine", "tiny");
	probe_init(&p);
	probe_add_listener(&p, &listener);
	for (uint32_t i = 0;; i++) {
		*probe_slot(&p) = (probe_issue){
			.cycle = 100 + (int64_t)i, .result = 105 + (int64_t)i, .insn = insn, .index = i, .work = 640};
		probe_commit(&p);
	}
}

/* Kills a writing child MILLISECONDS after its file passed 1 MB. */
static void kill_after(const char *path, unsigned milliseconds)
{
	pid_t child;
	struct stat info;

	fflush(stdout);
	child = fork();
	if (child == 0)
		write_for_ever(path);
	for (unsigned wait_ms = 0; wait_ms < 20000 && (stat(path, &info) != 0 || info.st_size < 1000000); wait_ms++)
		g_usleep(1000);
	g_usleep(1000 * milliseconds);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Ten kills at different moments; transactions last about 50 ms, so most fall into one. */
static void a_killed_run_leaves_whole_transactions_and_says_so(void)
{
	g_autofree char *path = in_folder("killed.db");
	g_autofree char *journal = in_folder("killed.db-journal");
	unsigned inside = 0;

	for (unsigned i = 0; i < 10; i++) {
		g_autoptr(GError) error = NULL;
		trace_reader *reader;
		g_autofree char *count = NULL;
		struct stat info = {0};

		unlink(path);
		unlink(journal);
		kill_after(path, 7 * i);
		inside += stat(journal, &info) == 0 && info.st_size > 0;
		reader = trace_reader_open(path, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
		CU_ASSERT_STRING_EQUAL(trace_reader_status(reader), "incomplete");
		CU_ASSERT_STRING_EQUAL(trace_reader_manifest(reader, "machine"), "tiny");
		trace_reader_free(reader);
		expect_rows(path, "PRAGMA integrity_check", "ok\n");
		count = fixture_rows(path, "SELECT count(*) FROM issue");
		CU_ASSERT_EQUAL(strtoul(count, NULL, 10) % 65536, 0);
		expect_rows(path, "SELECT count(*) = max(idx) + 1 OR count(*) = 0 FROM issue", "1\n");
	}
	tap_note("killed inside a transaction: %u of 10", inside);
	CU_ASSERT_TRUE(inside > 0);
}

static void signals_are_left_to_the_other_threads(void)
{
	g_autofree char *path = in_folder("signals.db");
	fixture *f = small();
	sigset_t before, after;
	trace_writer *writer;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	writer = trace_writer_open(path, &(trace_options){.level = TRACE_UNITS}, fixture_names(f), NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CU_ASSERT_EQUAL(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
	trace_writer_close(writer, TRACE_COMPLETE, NULL);
	fixture_free(f);
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(f) {#f, f}
		CASE(level_full_holds_every_record),
		CASE(level_units_holds_spans_and_named_instructions),
		CASE(level_summary_holds_totals_and_violations),
		CASE(level_summary_does_not_ask_for_issues),
		CASE(a_window_cuts_everything_that_has_a_cycle),
		CASE(nothing_is_lost_between_buffers),
		CASE(a_row_of_issue_takes_at_most_40_bytes),
		CASE(somebody_elses_file_is_refused_and_left_alone),
		CASE(a_trace_and_an_empty_file_are_replaced),
		CASE(places_that_cannot_be_written_are_refused_saying_why),
		CASE(a_symbolic_link_is_followed),
		CASE(a_window_that_ends_before_it_starts_is_refused),
		CASE(records_that_make_no_sense_do_not_get_in),
		CASE(a_full_disk_is_reported_at_close_and_leaves_what_was_committed),
		CASE(a_killed_run_leaves_whole_transactions_and_says_so),
		CASE(signals_are_left_to_the_other_threads),
#undef CASE
	};
	int status;

	folder = fixture_folder();
	status = tap_run("trace_writer", cases, G_N_ELEMENTS(cases));
	fixture_remove(folder);
	return status;
}
