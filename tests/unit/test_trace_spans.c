/* SPDX-License-Identifier: Apache-2.0
 *
 * What a span is: exact spans of small sets of issues.  Logs are "queue node start-stop issues due work delay;" in the
 * order spans end, sorted.
 */
#include "tests/lib/tap.h"
#include "tests/unit/trace_fixture.h"
#include "traces/spans.h"

#include <stdlib.h>
#include <string.h>

static void note(void *state, const trace_span *span)
{
	GPtrArray *lines = state;
	g_autofree char *due =
		span->due == PROBE_NO_TIME ? g_strdup("-") : g_strdup_printf("%" G_GINT64_FORMAT, (gint64)span->due);

	g_ptr_array_add(lines, g_strdup_printf("q%u n%d %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " %" G_GUINT64_FORMAT
	                                       " due %s work %" G_GUINT64_FORMAT " delay %" G_GUINT64_FORMAT,
	                                       span->queue, (int)span->node, (gint64)span->start, (gint64)span->stop,
	                                       span->issues, due, span->work, span->delay));
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The spans of F's issues in their present order, within [START, STOP), as sorted text. */
static char *spans_of(fixture *f, int64_t start, int64_t stop)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	trace_spans *spans = trace_spans_new(fixture_names(f), start, stop, note, lines);

	for (guint i = 0; i < f->issues->len; i++)
		trace_spans_add(spans, &g_array_index(f->issues, probe_issue, i), 1);
	trace_spans_finish(spans);
	trace_spans_free(spans);
	g_ptr_array_sort(lines, by_text);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("; ", (char **)lines->pdata);
}

static char *all_spans_of(fixture *f)
{
	return spans_of(f, INT64_MIN, INT64_MAX);
}

/* One queue, two nodes of one layer. */
static fixture *one_queue(void)
{
	fixture *f = fixture_new();

	fixture_queue(f, "mem", 0, "mem0");
	fixture_epoch(f, "layer", 0, 100);
	fixture_node(f, 0, "first");
	fixture_node(f, 0, "second");
	return f;
}

/* COUNT issues from CYCLE, INTERVAL apart; each has a result 10 cycles later and 3 units of work. */
static void run_of(fixture *f, unsigned queue, uint32_t node, int64_t cycle, uint32_t count, uint32_t interval)
{
	trace_insn insn = {
		.cycle = cycle, .count = {count, 1}, .interval = {interval, 0}, .node = node, .queue = (uint16_t)queue};

	fixture_issue_all(f, fixture_insn(f, &insn), 10, 3, 0);
}

static void expect(fixture *f, const char *expected)
{
	g_autofree char *text = all_spans_of(f);

	if (strcmp(text, expected) != 0)
		tap_note("%s", text);
	CU_ASSERT_STRING_EQUAL(text, expected);
	fixture_free(f);
}

static void a_single_issue_is_a_span_of_one_cycle(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 7, 1, 0);
	expect(f, "q0 n0 7-8 1 due 17 work 3 delay 0");
}

/* Issues 5, 6, 7 (two instructions) are back to back; 9 is not. */
static void issues_in_successive_cycles_join_and_a_gap_of_one_cycle_parts(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 5, 2, 1);
	run_of(f, 0, 0, 7, 1, 0);
	run_of(f, 0, 0, 9, 1, 0);
	expect(f, "q0 n0 5-8 3 due 17 work 9 delay 0; q0 n0 9-10 1 due 19 work 3 delay 0");
}

/* 0, 4, 8: occupied from 0 to 8, both included. */
static void a_repeated_instruction_occupies_its_queue_between_its_issues(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 0, 3, 4);
	expect(f, "q0 n0 0-9 3 due 18 work 9 delay 0");
}

/* The last issue is at 8: the next one still belongs at 12 (interval 4), no more at 13. */
static void what_follows_within_the_repeat_interval_belongs_to_the_span(void)
{
	fixture *near = one_queue();
	fixture *far = one_queue();

	run_of(near, 0, 0, 0, 3, 4);
	run_of(near, 0, 0, 12, 1, 0);
	expect(near, "q0 n0 0-13 4 due 22 work 12 delay 0");
	run_of(far, 0, 0, 0, 3, 4);
	run_of(far, 0, 0, 13, 1, 0);
	expect(far, "q0 n0 0-9 3 due 18 work 9 delay 0; q0 n0 13-14 1 due 23 work 3 delay 0");
}

/* Inner: 3 issues 2 apart (0, 2, 4), outer: 2 rounds.  The second round at 6 continues the first (2 after 4), at 20
 * not. */
static void the_gap_between_outer_rounds_parts_unless_it_is_the_inner_interval(void)
{
	fixture *f = one_queue();
	fixture *g = one_queue();
	trace_insn insn = {.cycle = 0, .count = {3, 2}, .interval = {2, 6}};

	fixture_issue_all(f, fixture_insn(f, &insn), 10, 3, 0);
	expect(f, "q0 n0 0-11 6 due 20 work 18 delay 0");
	insn.interval[1] = 20;
	fixture_issue_all(g, fixture_insn(g, &insn), 10, 3, 0);
	expect(g, "q0 n0 0-5 3 due 14 work 9 delay 0; q0 n0 20-25 3 due 34 work 9 delay 0");
}

/* count 1 inside, 3 rounds 5 apart: the outer loop is the only one. */
static void an_outer_loop_alone_counts_as_the_repeat(void)
{
	fixture *f = one_queue();
	trace_insn insn = {.cycle = 0, .count = {1, 3}, .interval = {0, 5}};

	fixture_issue_all(f, fixture_insn(f, &insn), 10, 3, 0);
	expect(f, "q0 n0 0-11 3 due 20 work 9 delay 0");
}

static void another_node_begins_another_span(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 0, 2, 1);
	run_of(f, 0, 1, 2, 2, 1);
	run_of(f, 0, 0, 4, 1, 0);
	expect(f, "q0 n0 0-2 2 due 11 work 6 delay 0; q0 n0 4-5 1 due 14 work 3 delay 0; q0 n1 2-4 2 due 13 work 6 "
	          "delay 0");
}

static void queues_are_independent(void)
{
	fixture *f = one_queue();

	fixture_queue(f, "mem", 0, "mem1");
	run_of(f, 0, 0, 0, 2, 1);
	run_of(f, 1, 0, 1, 2, 1);
	expect(f, "q0 n0 0-2 2 due 11 work 6 delay 0; q1 n0 1-3 2 due 12 work 6 delay 0");
}

static void an_issue_without_result_leaves_none(void)
{
	fixture *f = one_queue();
	trace_insn insn = {.cycle = 3};

	fixture_issue_all(f, fixture_insn(f, &insn), 10, 0, 0);
	g_array_index(f->issues, probe_issue, 0).result = PROBE_NO_TIME;
	g_array_index(f->issues, probe_issue, 0).delay = 6;
	expect(f, "q0 n0 3-4 1 due - work 0 delay 6");
}

/* Of 0 ... 9 back to back, [3, 6) holds 3, 4, 5. */
static void a_window_keeps_the_issues_inside_it(void)
{
	fixture *f = one_queue();
	g_autofree char *text = NULL;

	run_of(f, 0, 0, 0, 10, 1);
	text = spans_of(f, 3, 6);
	CU_ASSERT_STRING_EQUAL(text, "q0 n0 3-6 3 due 15 work 9 delay 0");
	fixture_free(f);
}

/* Reversing the records of a matrix product altogether is the worst order there is; 3,000 issues a queue. */
static void the_order_of_records_does_not_matter(void)
{
	fixture *f = fixture_gemm(2, 12, false);
	g_autofree char *expected = all_spans_of(f);

	CU_ASSERT_TRUE(strlen(expected) > 5000);
	for (guint i = 0; i < f->issues->len / 2; i++) {
		probe_issue *a = &g_array_index(f->issues, probe_issue, i);
		probe_issue *b = &g_array_index(f->issues, probe_issue, f->issues->len - 1 - i);
		probe_issue swap = *a;

		*a = *b;
		*b = swap;
	}
	{
		g_autofree char *reversed = all_spans_of(f);

		CU_ASSERT_TRUE(strcmp(reversed, expected) == 0);
	}
	fixture_free(f);
}

/* Issue 2 of 0 ... 5 is never reported: the rest is parted there. */
static void an_issue_never_reported_parts_the_span(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 0, 6, 1);
	g_array_remove_index(f->issues, 2);
	expect(f, "q0 n0 0-2 2 due 11 work 6 delay 0; q0 n0 3-6 3 due 15 work 9 delay 0");
}

/* The same, with more than 65,536 issues after it, so that it is skipped before the end; memory stays bounded. */
static void an_issue_never_reported_is_skipped_after_65536_others(void)
{
	fixture *f = one_queue();

	run_of(f, 0, 0, 0, 200000, 1);
	g_array_remove_index(f->issues, 2);
	expect(f, "q0 n0 0-2 2 due 11 work 6 delay 0; q0 n0 3-200000 199997 due 200009 work 599991 delay 0");
}

/* Two issues exchange their places at a distance of one less than that. */
static void a_record_that_comes_65535_later_is_still_in_order(void)
{
	fixture *f = one_queue();
	probe_issue first;

	run_of(f, 0, 0, 0, 70000, 1);
	first = g_array_index(f->issues, probe_issue, 0);
	g_array_remove_index(f->issues, 0);
	g_array_insert_val(f->issues, 65535, first);
	expect(f, "q0 n0 0-70000 70000 due 70009 work 210000 delay 0");
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(f) {#f, f}
		CASE(a_single_issue_is_a_span_of_one_cycle),
		CASE(issues_in_successive_cycles_join_and_a_gap_of_one_cycle_parts),
		CASE(a_repeated_instruction_occupies_its_queue_between_its_issues),
		CASE(what_follows_within_the_repeat_interval_belongs_to_the_span),
		CASE(the_gap_between_outer_rounds_parts_unless_it_is_the_inner_interval),
		CASE(an_outer_loop_alone_counts_as_the_repeat),
		CASE(another_node_begins_another_span),
		CASE(queues_are_independent),
		CASE(an_issue_without_result_leaves_none),
		CASE(a_window_keeps_the_issues_inside_it),
		CASE(the_order_of_records_does_not_matter),
		CASE(an_issue_never_reported_parts_the_span),
		CASE(an_issue_never_reported_is_skipped_after_65536_others),
		CASE(a_record_that_comes_65535_later_is_still_in_order),
#undef CASE
	};

	return tap_run("trace_spans", cases, G_N_ELEMENTS(cases));
}
