/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of Ascend-style machines: how long bytes are alive, and what the writer makes of reports, by made-up reports
 * whose rows are derived by hand.
 */
#include "tests/lib/tap.h"
#include "tests/unit/trace_fixture.h"
#include "traces/alive.h"
#include "traces/ascend.h"
#include "traces/query.h"

#include <string.h>

static char *folder;

static char *in_folder(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

/* "cycle:bytes ..." of LEVELS; g_free. */
static char *text_of(const GArray *levels)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < levels->len; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i ? " " : "",
		                       g_array_index(levels, alive_level, i).cycle,
		                       g_array_index(levels, alive_level, i).bytes);
	return g_string_free(text, FALSE);
}

static void expect_levels(alive *a, const char *expected)
{
	g_autoptr(GArray) levels = alive_levels(a);
	g_autofree char *text = text_of(levels);

	CU_ASSERT_STRING_EQUAL(text, expected);
	alive_free(a);
}

static void bytes_live_from_the_write_to_the_last_read(void)
{
	alive *a = alive_new(1024);

	/* Blocks 0 and 1, from 10; the last read of both ends in 50, one of block 1 in 80. */
	alive_write(a, 0, 64, 1, 0, 10, 20);
	alive_read(a, 0, 64, 1, 0, 50);
	alive_read(a, 32, 32, 1, 0, 80);
	expect_levels(a, "10:64 50:32 80:0");
}

static void a_later_write_ends_what_was_there(void)
{
	alive *a = alive_new(1024);

	/* Read until 30; written again in 100, and never read: alive while it is written. */
	alive_write(a, 0, 32, 1, 0, 0, 5);
	alive_read(a, 0, 32, 1, 0, 30);
	alive_write(a, 0, 32, 1, 0, 100, 110);
	expect_levels(a, "0:32 30:0 100:32 110:0");
}

static void what_is_written_while_it_is_read_counts_once(void)
{
	alive *a = alive_new(1024);

	/* Accumulation: reads until 60 what it writes from 40 on. */
	alive_write(a, 0, 32, 1, 0, 0, 10);
	alive_read(a, 0, 32, 1, 0, 60);
	alive_write(a, 0, 32, 1, 0, 40, 60);
	expect_levels(a, "0:32 60:0");
}

static void runs_and_parts_of_blocks_count_as_blocks(void)
{
	alive *a = alive_new(1024);

	/* Three runs of 40 bytes, 128 apart: two blocks each.  Beyond the end: nothing. */
	alive_write(a, 0, 40, 3, 128, 5, 9);
	alive_write(a, 1024, 64, 1, 0, 5, 9);
	expect_levels(a, "5:192 9:0");
}

static void thin_levels_keep_the_most_of_each_window(void)
{
	alive_level rows[] = {{0, 32}, {10, 64}, {15, 32}, {20, 96}, {22, 0}, {39, 32}, {40, 0}};
	g_autoptr(GArray) levels = g_array_new(FALSE, FALSE, sizeof(alive_level));
	g_autoptr(GArray) thin = NULL;
	g_autofree char *text = NULL;
	int64_t width;

	g_array_append_vals(levels, rows, G_N_ELEMENTS(rows));
	CU_ASSERT_EQUAL(alive_peak(levels).bytes, 96);
	CU_ASSERT_EQUAL(alive_peak(levels).cycle, 20);
	/* Four windows of 11 cycles: [0, 11) 64, [11, 22) 96, [22, 33) 0, [33, 44) 32. */
	thin = alive_thin(levels, 4, &width);
	text = text_of(thin);
	CU_ASSERT_EQUAL(width, 11);
	CU_ASSERT_STRING_EQUAL(text, "0:64 11:96 22:0 33:32 44:0");
}

static const char program_text[] = ".machine ascend-910b\n"
				   ".workload \"made up\"\n"
				   ".blocks 1\n"
				   ".predicted_cycles 200\n"
				   ".tensor \"x\" type=fp32 shape=64 stride=4 address=0x100 bytes=256 output\n"
				   ".node \"first\"\n.node \"second\"\n"
				   ".stream vector sub=0 block=all\n"
				   ".node 0\n"
				   "@1..50 gm_to_ub dst=0 src=0x0 burst_bytes=512\n" /* 0 */
				   "set_flag from=MTE2 to=V id=0\n"                  /* 1 */
				   "wait_flag from=MTE2 to=V id=0\n"                 /* 2 */
				   "@60..90 vabs dst=0 src=0x1000 repeat=2\n"        /* 3 */
				   ".node 1\n"
				   "vabs dst=0 src=0x1000 repeat=2\n" /* 4 */
				   "end\n";

static const char *const stalls[] = {"none", "flag", "bank"};
static const char *const findings[] = {"race", "other"};

typedef struct subject {
	asc_machine *machine;
	asc_program *program;
	trace_asc *writer;
} subject;

static subject open_subject(const char *path, enum trace_level level, int64_t start, int64_t stop)
{
	g_autoptr(GError) error = NULL;
	subject s = {.machine = asc_machine_load("ascend-910b", &error)};
	trace_asc_subject about;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s.machine);
	CU_ASSERT_TRUE_FATAL(asc_machine_finish(s.machine, NULL));
	s.program = asc_assemble(program_text, "made-up", s.machine, &error);
	if (!s.program)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.program);
	about = (trace_asc_subject){s.machine, s.program, stalls, 3, findings, 2};
	s.writer = trace_asc_open(path, &(trace_options){level, start, stop}, &about, &error);
	if (!s.writer)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.writer);
	return s;
}

static void executed(subject *s, uint32_t insn, enum asc_pipe pipe, int64_t start, int64_t done, unsigned cause,
                     int64_t cycles)
{
	int64_t stall[3] = {0};
	trace_asc_execution e = {.sub = 1,
	                         .insn = insn,
	                         .pipe = pipe,
	                         .queued = start - 1,
	                         .start = start,
	                         .free = start + 1,
	                         .done = done,
	                         .stall = stall,
	                         .held = cause == 1 ? cycles : 0,
	                         .wait = cause == 1,
	                         .sync = insn == 1 || insn == 2,
	                         .bytes = pipe == ASC_PIPE_MTE2 ? 512 : 0,
	                         .work = pipe == ASC_PIPE_V ? 128 : 0};

	stall[cause] = cycles;
	if (insn == 2)
		e.setter = (trace_asc_setter){
			.known = true, .sub = 1, .insn = 1, .pipe = ASC_PIPE_MTE2, .start = 42, .effect = 58};
	trace_asc_executed(s->writer, &e);
}

/* A copy from 1 to 50; its flag, set in 42, takes effect in 58; the wait began in 3.  Then three vector instructions:
 * two of the first node that overlap, one of the second that begins before they are done. */
static void write_made_up(const char *path, enum trace_level level, int64_t start, int64_t stop)
{
	subject s = open_subject(path, level, start, stop);
	int64_t stall[3] = {0, 55, 7};
	trace_asc_pipe totals = {.instructions = 4,
	                         .busy = 60,
	                         .start = 58,
	                         .stop = 120,
	                         .compared = 1,
	                         .differ = 1,
	                         .predicted_busy = 30,
	                         .compared_busy = 40,
	                         .predicted_start = 60,
	                         .predicted_stop = 90,
	                         .stall = stall};
	trace_asc_violation race = {.cycle = 70,
	                            .kind = 0,
	                            .sub = 1,
	                            .insn = 3,
	                            .other_insn = 0,
	                            .space = ASC_UB,
	                            .address = 64,
	                            .bytes = 32,
	                            .met = true};
	trace_asc_touch touch = {
		.sub = 1, .space = ASC_UB, .write = true, .bytes = 512, .count = 1, .start = 1, .done = 50};

	executed(&s, 0, ASC_PIPE_MTE2, 1, 50, 0, 0);
	executed(&s, 1, ASC_PIPE_MTE2, 42, 43, 0, 0);
	executed(&s, 2, ASC_PIPE_V, 58, 59, 1, 55);
	executed(&s, 3, ASC_PIPE_V, 60, 100, 0, 0);
	executed(&s, 3, ASC_PIPE_V, 80, 110, 2, 7);
	executed(&s, 4, ASC_PIPE_V, 90, 120, 0, 0);
	trace_asc_touched(s.writer, &touch);
	touch.write = false;
	touch.done = 100;
	trace_asc_touched(s.writer, &touch);
	trace_asc_violated(s.writer, &race);
	trace_asc_deadlock(s.writer, "one\ntwo\n");
	trace_asc_counter(s.writer, "cycles", 200, "cycles");
	trace_asc_counter(s.writer, "predicted_cycles", 160, "cycles");
	trace_asc_subcore_counter(s.writer, 0, 1, "instructions", 6);
	trace_asc_subcore_counter(s.writer, 0, 1, "nothing", 0);
	trace_asc_pipe_totals(s.writer, 0, 1, ASC_PIPE_V, &totals);
	CU_ASSERT_TRUE(trace_asc_close(s.writer, TRACE_COMPLETE, NULL));
	asc_program_free(s.program);
	asc_machine_free(s.machine);
}

static void expect_rows(const char *path, const char *sql, const char *expected)
{
	g_autofree char *rows = fixture_rows(path, sql);

	if (strcmp(rows, expected) != 0)
		tap_note("%s: %s", sql, rows);
	CU_ASSERT_STRING_EQUAL(rows, expected);
}

static void spans_merge_what_overlaps_and_share_out_the_busy_time(void)
{
	g_autofree char *path = in_folder("spans.db");

	write_made_up(path, TRACE_UNITS, 0, 0);
	/* 60 to 110 for the first node; the second one's 90 to 120 begins when that is done.  60 cycles in all. */
	expect_rows(path, "SELECT pipe, node, start, stop, executions, bytes, work, stall FROM spans ORDER BY start",
	            "0.v0.MTE2|first|1|50|1|512|0|0\n0.v0.V|first|60|110|2|0|256|7\n0.v0.V|second|110|120|1|0|128|0\n");
	expect_rows(path, "SELECT count(*) FROM execution", "0\n");
}

static void a_wait_names_its_setter(void)
{
	g_autofree char *path = in_folder("waits.db");

	write_made_up(path, TRACE_UNITS, 0, 0);
	expect_rows(path,
	            "SELECT pipe, cause, stream, number, start, stop, cycles, setter_pipe, setter_op, setter_number, "
	            "setter_node, issued, effect FROM waits",
	            "0.v0.V|flag|0|2|3|58|55|0.v0.MTE2|set_flag|1|first|42|58\n");
	/* Below level full only what waits and violations name: 0 and 3 of the race, 1 and 2 of the flag. */
	expect_rows(path, "SELECT number FROM insn ORDER BY id", "0\n1\n2\n3\n");
}

static void executions_have_times_stalls_and_predictions(void)
{
	g_autofree char *path = in_folder("full.db");

	write_made_up(path, TRACE_FULL, 0, 0);
	expect_rows(path,
	            "SELECT pipe, op, number, queued, start, free, done, bytes, work FROM executions WHERE number >= 3",
	            "0.v0.V|vabs|3|59|60|61|100|0|128\n0.v0.V|vabs|3|79|80|81|110|0|128\n"
	            "0.v0.V|vabs|4|89|90|91|120|0|128\n");
	expect_rows(path, "SELECT number, cause, cycles FROM stalls ORDER BY id", "2|flag|55\n3|bank|7\n");
	expect_rows(path, "SELECT number, node, start, stop FROM insns WHERE start IS NOT NULL",
	            "0|first|1|50\n3|first|60|90\n");
	expect_rows(path, "SELECT count(*) FROM insn", "6\n");
}

static void a_window_keeps_what_begins_in_it(void)
{
	g_autofree char *path = in_folder("window.db");

	write_made_up(path, TRACE_FULL, 60, 90);
	expect_rows(path, "SELECT number, start FROM executions", "3|60\n3|80\n");
	expect_rows(path, "SELECT count(*) FROM wait", "0\n");
	expect_rows(path, "SELECT value FROM run WHERE key = 'trace.window'", "60:90\n");
}

static void summary_has_totals_only(void)
{
	g_autofree char *path = in_folder("summary.db");

	write_made_up(path, TRACE_SUMMARY, 0, 0);
	expect_rows(
		path,
		"SELECT (SELECT count(*) FROM span) + (SELECT count(*) FROM wait) + (SELECT count(*) FROM execution)",
		"0\n");
	expect_rows(path,
	            "SELECT name, instructions, busy, start, stop, predicted_start, predicted_stop, differ FROM pipes "
	            "WHERE instructions > 0",
	            "0.v0.V|4|60|58|120|60|90|1\n");
	expect_rows(path, "SELECT pipe, cause, cycles FROM pipe_stalls ORDER BY cause",
	            "0.v0.V|bank|7\n0.v0.V|flag|55\n");
	expect_rows(path, "SELECT subcore, name, value FROM subcore_counters", "0.v0|instructions|6\n");
	expect_rows(path, "SELECT value FROM run WHERE key = 'kind'", "ascend\n");
	expect_rows(path, "SELECT text FROM deadlock ORDER BY line", "one\ntwo\n");
}

static void a_race_names_both_instructions_and_the_place(void)
{
	g_autofree char *path = in_folder("race.db");

	write_made_up(path, TRACE_SUMMARY, 0, 0);
	expect_rows(path,
	            "SELECT cycle, kind, subcore, number, op, other_number, other_op, space, address, bytes, met FROM "
	            "violations",
	            "70|race|0.v0|3|vabs|0|gm_to_ub|ub|64|32|1\n");
}

static void buffers_are_as_full_as_what_is_alive_in_them(void)
{
	g_autofree char *path = in_folder("buffers.db");

	/* 512 bytes from 1 to the end of the read in 100. */
	write_made_up(path, TRACE_UNITS, 0, 0);
	expect_rows(path, "SELECT name, peak, peak_cycle, width FROM buffers WHERE peak > 0", "0.v0.ub|512|1|1\n");
	expect_rows(path, "SELECT cycle, bytes FROM buffer_level", "1|512\n100|0\n");
}

/* Each query file of this kind: one statement, a line in its header for each column, an answer. */
static void every_query_documents_its_columns_and_answers(void)
{
	g_autofree char *path = in_folder("queries.db");
	g_autoptr(GError) error = NULL;
	trace_reader *reader;
	unsigned count = 0;

	write_made_up(path, TRACE_FULL, 0, 0);
	reader = trace_reader_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_STRING_EQUAL(trace_reader_kind(reader), "ascend");
	for (const trace_query *q = trace_queries; q->name; q++) {
		g_autofree char *file = trace_i_file_of("queries", q->kind, q->name);
		g_autofree char *answer = NULL;
		const char *asked[] = {q->name, NULL};
		trace_query_text *text;
		sqlite3_stmt *statement;
		const char *sql;

		if (strcmp(q->kind, "ascend") != 0)
			continue;
		count++;
		text = trace_i_query_load(file, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		sql = text->text;
		statement = trace_i_query_next(reader, text, &sql, &error);
		if (!statement)
			tap_note("%s", error ? error->message : file);
		CU_ASSERT_PTR_NOT_NULL_FATAL(statement);
		CU_ASSERT_EQUAL_FATAL(sqlite3_column_count(statement), (int)text->columns->len);
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			CU_ASSERT_STRING_EQUAL(sqlite3_column_name(statement, i),
			                       g_array_index(text->columns, trace_column, i).name);
		sqlite3_finalize(statement);
		CU_ASSERT_PTR_NULL(trace_i_query_next(reader, text, &sql, &error));
		trace_i_query_free(text);
		answer = trace_stat(reader, asked, TRACE_JSON, &error);
		CU_ASSERT_PTR_NOT_NULL(answer);
	}
	CU_ASSERT_EQUAL(count, 16);
	trace_reader_free(reader);
}

/* The answer to query NAME, as JSON without the head. */
static void expect_answer(const char *path, const char *name, const char *expected)
{
	g_autoptr(GError) error = NULL;
	trace_reader *reader = trace_reader_open(path, &error);
	const char *asked[] = {name, NULL};
	g_autofree char *answer = reader ? trace_stat(reader, asked, TRACE_JSON, &error) : NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(answer);
	if (!strstr(answer, expected))
		tap_note("%s", answer);
	CU_ASSERT_PTR_NOT_NULL(strstr(answer, expected));
	trace_reader_free(reader);
}

static void queries_say_what_the_rows_say(void)
{
	g_autofree char *path = in_folder("answers.db");

	write_made_up(path, TRACE_FULL, 0, 0);
	/* 200 of 160 cycles: a quarter more. */
	expect_answer(path, "prediction", "{\"predicted\": 160, \"simulated\": 200, \"off\": 0.25, ");
	expect_answer(path, "kinds",
	              "{\"kind\": \"vector\", \"pipe\": \"V\", \"used\": 1, \"instructions\": 4, \"busy\": 0.3, "
	              "\"busiest\": 0.3, "
	              "\"name\": \"0.v0.V\", \"predicted\": 30, \"simulated\": 40}");
	expect_answer(path, "pipes",
	              "{\"pipe\": \"0.v0.V\", \"instructions\": 4, \"start\": 58, \"stop\": 120, \"busy\": 60, "
	              "\"share\": 0.3, "
	              "\"pred_start\": 60, \"pred_stop\": 90, \"pred_busy\": 30, \"sim_busy\": 40, \"compared\": 1, "
	              "\"differ\": 1}");
	expect_answer(path, "stalls",
	              "{\"kind\": \"vector\", \"pipe\": \"V\", \"cause\": \"flag\", \"cycles\": 55, \"share\": 0.275, "
	              "\"pipes\": 1, \"most\": 55, \"name\": \"0.v0.V\"}");
	/* From its issue in 42 to its effect in 58 the set itself takes 16 of the 55 cycles. */
	expect_answer(path, "waits",
	              "\"times\": 1, \"cycles\": 55, \"longest\": 55, \"setter_pipe\": \"0.v0.MTE2\", \"setter\": 1, "
	              "\"setter_node\": \"first\", \"late\": 16}");
	expect_answer(path, "flags",
	              "{\"kind\": \"vector\", \"pipe\": \"V\", \"cause\": \"flag\", \"node\": \"first\", "
	              "\"setter_kind\": \"vector\", \"setter_pipe\": \"MTE2\", \"setter_node\": \"first\", "
	              "\"times\": 1, \"cycles\": 55, \"share\": 0.275, \"mean\": 55, \"late\": 16}");
	/* Predicted 60 to 90, simulated 60 to 100; the second execution, with its stall, is not compared. */
	expect_answer(path, "durations",
	              "\"pipe\": \"V\", \"op\": \"vabs\", \"node\": \"first\", \"compared\": 1, \"predicted\": 30, "
	              "\"simulated\": 40, \"more\": 10, \"stalled\": 0}");
	expect_answer(path, "stall_insns",
	              "{\"cause\": \"bank\", \"stream\": 0, \"insn\": 3, \"op\": \"vabs\", \"node\": \"first\", "
	              "\"executions\": 1, \"cycles\": 7, \"first\": 80}");
	expect_answer(path, "nodes",
	              "{\"node\": \"first\", \"kind\": \"vector\", \"pipe\": \"V\", \"executions\": 2, \"busy\": 50, "
	              "\"share\": 0.25, \"start\": 60, \"stop\": 110, ");
	/* The vector instruction starts as predicted and is done ten cycles late; the copy as predicted. */
	expect_answer(path, "deviations",
	              "\"insn\": 3, \"op\": \"vabs\", \"node\": \"first\", \"pred_start\": 60, \"start\": 60, "
	              "\"pred_done\": 90, \"done\": 100, \"late\": 0, \"added\": 0}\n    ]");
	/* 512 bytes for 99 of 200 cycles: 253 on average. */
	expect_answer(path, "buffers", "\"peak\": 512, \"share\": 0.00260756193, \"peak_cycle\": 1, \"mean\": 253}");
	expect_answer(
		path, "violations",
		"{\"kind\": \"race\", \"times\": 1, \"met\": 1, \"first\": 70, \"subcore\": \"0.v0\", \"stream\": 0, "
		"\"insn\": 3, \"op\": \"vabs\", \"other_stream\": 0, \"other\": 0, \"other_op\": \"gm_to_ub\", "
		"\"space\": \"ub\", \"address\": 64, \"bytes\": 32}");
	expect_answer(path, "deadlocks", "{\"line\": 2, \"diagnosis\": \"two\"}");
	expect_answer(path, "counters", "{\"name\": \"cycles\", \"value\": 200, \"unit\": \"cycles\"}");
	expect_answer(path, "subcores", "{\"subcore\": \"0.v0\", \"cycles\": 0, \"instructions\": 6, ");
}

static void questions_of_another_kind_are_refused_by_name(void)
{
	g_autofree char *path = in_folder("kind.db");
	g_autoptr(GError) error = NULL;
	const char *asked[] = {"hot_banks", NULL};
	trace_reader *reader;

	write_made_up(path, TRACE_SUMMARY, 0, 0);
	reader = trace_reader_open(path, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_PTR_NULL(trace_stat(reader, asked, TRACE_TEXT, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_str_has_prefix(
		error->message, "query 'hot_banks' is about traces of tsp machines; expected, of ascend machines, "
				"one of: prediction, kinds, "));
	g_clear_error(&error);
	CU_ASSERT_FALSE(trace_plot(reader, "banks", "a.png", &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_STRING_EQUAL(error->message,
	                       "plot 'banks' is of traces of tsp machines; expected, of ascend machines, one "
	                       "of: occupancy, buffers");
	trace_reader_free(reader);
}

static void plots_have_the_numbers_of_the_rows(void)
{
	g_autofree char *path = in_folder("plots.db");
	g_autofree char *occupancy = in_folder("occupancy.tsv");
	g_autofree char *buffers = in_folder("buffers.tsv");
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	trace_reader *reader;

	write_made_up(path, TRACE_UNITS, 0, 0);
	reader = trace_reader_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	CU_ASSERT_TRUE(trace_plot(reader, "occupancy", occupancy, &error));
	CU_ASSERT_TRUE_FATAL(g_file_get_contents(occupancy, &text, NULL, NULL));
	/* Rows: V (pipe 1) before MTE2 (4) of the sub-core; 119 cycles from 1 to 120, in columns of one. */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "# data1\n60\t120\t1\t14713364\n1\t50\t2\t23218\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "# data2\n1\t0.v0.V\t50 %\n2\t0.v0.MTE2\t41 %\n"));
	g_clear_pointer(&text, g_free);
	CU_ASSERT_TRUE(trace_plot(reader, "buffers", buffers, &error));
	CU_ASSERT_TRUE_FATAL(g_file_get_contents(buffers, &text, NULL, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "# data1\n1\t100\t1\t0.0026\t14713364\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "# data2\n1\t0.v0.ub\t0 %\n"));
	trace_reader_free(reader);
}

#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}

int main(void)
{
	static const tap_case cases[] = {
		CASE(bytes_live_from_the_write_to_the_last_read),
		CASE(a_later_write_ends_what_was_there),
		CASE(what_is_written_while_it_is_read_counts_once),
		CASE(runs_and_parts_of_blocks_count_as_blocks),
		CASE(thin_levels_keep_the_most_of_each_window),
		CASE(spans_merge_what_overlaps_and_share_out_the_busy_time),
		CASE(a_wait_names_its_setter),
		CASE(executions_have_times_stalls_and_predictions),
		CASE(a_window_keeps_what_begins_in_it),
		CASE(summary_has_totals_only),
		CASE(a_race_names_both_instructions_and_the_place),
		CASE(buffers_are_as_full_as_what_is_alive_in_them),
		CASE(every_query_documents_its_columns_and_answers),
		CASE(queries_say_what_the_rows_say),
		CASE(questions_of_another_kind_are_refused_by_name),
		CASE(plots_have_the_numbers_of_the_rows),
	};
	int status;

	folder = fixture_folder();
	status = tap_run("asc_trace", cases, G_N_ELEMENTS(cases));
	fixture_remove(folder);
	return status;
}
