/* SPDX-License-Identifier: Apache-2.0
 *
 * The test library itself: its output is read back from a child process, because a failing case is its normal business
 * here.
 */
#include "tests/lib/tap.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void passes(void)
{
	CU_ASSERT_EQUAL(1, 1);
}

static void fails_twice(void)
{
	CU_ASSERT_EQUAL(1, 2);
	CU_ASSERT_EQUAL(3, 4);
}

static void fails_fatally(void)
{
	CU_ASSERT_EQUAL_FATAL(5, 6);
	abort();
}

static void skips(void)
{
	tap_skip("no such hardware");
}

/* The programs under test: one table each. */
static const tap_case inner_passing[] = {{"one", passes}, {"two", passes}};
static const tap_case inner_failing[] = {{"bad", fails_twice}, {"good", passes}};
static const tap_case inner_fatal[] = {{"fatal", fails_fatally}, {"good", passes}};
static const tap_case inner_skipping[] = {{"s", skips}, {"good", passes}};
static const tap_case inner_same[] = {{"same", passes}, {"same", passes}};
static const tap_case *const inner[] = {inner_passing, inner_failing, inner_fatal, inner_skipping, inner_same};
enum { PASSING, FAILING, FATAL, SKIPPING, SAME, INNER_CASES = 2 };

/* What inner program WHICH prints (g_free); its exit status through *status.  CUnit has one registry a process, so this
 * program starts itself anew. */
static char *output_of(int which, int *status)
{
	g_autofree char *number = g_strdup_printf("%d", which);
	char *argv[] = {(char *)"/proc/self/exe", number, NULL};
	char *text = NULL;

	*status = -1;
	g_unsetenv("TAP_ONLY");
	if (g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL, status, NULL))
		*status = WEXITSTATUS(*status);
	return text ? text : g_strdup("");
}

static void passing_cases_give_plan_ok_lines_and_status_0(void)
{
	int status;
	g_autofree char *text = output_of(PASSING, &status);

	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_STRING_EQUAL(text, "1..2\nok 1 - one\nok 2 - two\n");
}

static void a_failing_case_names_file_and_line_of_each_failed_assertion_and_the_rest_still_runs(void)
{
	int status;
	g_autofree char *text = output_of(FAILING, &status);

	CU_ASSERT_EQUAL(status, 1);
	CU_ASSERT_TRUE(g_str_has_prefix(text, "1..2\nnot ok 1 - bad\n#   inner: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "test_tap.c:20: CU_ASSERT_EQUAL(1,2)\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "test_tap.c:21: CU_ASSERT_EQUAL(3,4)\n"));
	CU_ASSERT_TRUE(g_str_has_suffix(text, "ok 2 - good\n"));
}

static void a_fatal_assertion_ends_its_case_only(void)
{
	int status;
	g_autofree char *text = output_of(FATAL, &status);

	CU_ASSERT_EQUAL(status, 1);
	CU_ASSERT_TRUE(g_str_has_prefix(text, "1..2\nnot ok 1 - fatal\n"));
	CU_ASSERT_TRUE(g_str_has_suffix(text, "ok 2 - good\n"));
}

static void a_skipped_case_says_why_and_the_next_is_not_skipped(void)
{
	int status;
	g_autofree char *text = output_of(SKIPPING, &status);

	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_STRING_EQUAL(text, "1..2\nok 1 - s # SKIP no such hardware\nok 2 - good\n");
}

static void a_name_used_twice_fails(void)
{
	int status;
	g_autofree char *text = output_of(SAME, &status);

	CU_ASSERT_EQUAL(status, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "not ok 2 - same\n"));
}

int main(int argc, char **argv)
{
	static const tap_case cases[] = {
		{"passing_cases_give_plan_ok_lines_and_status_0", passing_cases_give_plan_ok_lines_and_status_0},
		{"a_failing_case_names_file_and_line_of_each_failed_assertion_and_the_rest_still_runs",
	         a_failing_case_names_file_and_line_of_each_failed_assertion_and_the_rest_still_runs},
		{"a_fatal_assertion_ends_its_case_only", a_fatal_assertion_ends_its_case_only},
		{"a_skipped_case_says_why_and_the_next_is_not_skipped",
	         a_skipped_case_says_why_and_the_next_is_not_skipped},
		{"a_name_used_twice_fails", a_name_used_twice_fails},
	};

	if (argc == 2)
		return tap_run("inner", inner[atoi(argv[1])], INNER_CASES);
	return tap_run("tap", cases, G_N_ELEMENTS(cases));
}
