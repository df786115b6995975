/* SPDX-License-Identifier: Apache-2.0
 *
 * CUnit's registry and assertions under our own loop: CUnit's runners print no TAP.  One suite a program; every case is
 * run by CU_run_test(), which resets the failure list, so that the list afterwards is the case's own.
 */
#include "tests/lib/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char skip_reason[256];

void tap_skip(const char *reason)
{
	snprintf(skip_reason, sizeof skip_reason, "%s", reason);
}

int tap_skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	return 0;
}

bool tap_part(unsigned n, unsigned of)
{
	const char *whole = getenv("TSPSIM_WHOLE");

	return (whole && strcmp(whole, "1") == 0) || n % of == 0;
}

void tap_note(const char *format, ...)
{
	va_list arguments;

	fputs("# ", stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

/* Comments for every failed assertion of the last case, multi-line conditions kept inside the comment. */
static void print_failures(const char *suite)
{
	for (CU_pFailureRecord record = CU_get_failure_list(); record; record = record->pNext) {
		printf("#   %s: %s:%u: ", suite, record->strFileName ? record->strFileName : "?", record->uiLineNumber);
		for (const char *p = record->strCondition ? record->strCondition : "?"; *p; p++) {
			putchar(*p);
			if (*p == '\n')
				fputs("#     ", stdout);
		}
		putchar('\n');
	}
}

/* Runs CU's TEST as number NUMBER; did it pass? */
static int run_case(const char *suite, CU_pSuite cu_suite, CU_pTest test, size_t number)
{
	CU_ErrorCode error;
	unsigned failures;

	skip_reason[0] = '\0';
	error = CU_run_test(cu_suite, test);
	failures = CU_get_number_of_failures();
	if (error != CUE_SUCCESS || failures) {
		printf("not ok %zu - %s\n", number, test->pName);
		if (error != CUE_SUCCESS)
			printf("#   %s: CUnit: %s\n", suite, CU_get_error_msg());
		print_failures(suite);
	} else if (skip_reason[0]) {
		printf("ok %zu - %s # SKIP %s\n", number, test->pName, skip_reason);
	} else {
		printf("ok %zu - %s\n", number, test->pName);
	}
	fflush(stdout);
	return error == CUE_SUCCESS && !failures;
}

int tap_run(const char *suite, const tap_case *cases, size_t n)
{
	const char *only = getenv("TAP_ONLY");
	CU_pSuite cu_suite;
	int all_passed = 1;

	/* The plan comes first: a program that dies half way then has too few lines, which the driver reports. */
	printf("1..%zu\n", n);
	fflush(stdout);
	if (CU_initialize_registry() != CUE_SUCCESS || !(cu_suite = CU_add_suite(suite, NULL, NULL))) {
		printf("Bail out! CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_set_error_action(CUEA_IGNORE);
	for (size_t i = 0; i < n; i++) {
		CU_pTest test;

		if (only && !strstr(cases[i].name, only)) {
			printf("ok %zu - %s # SKIP not in TAP_ONLY\n", i + 1, cases[i].name);
			continue;
		}
		test = CU_add_test(cu_suite, cases[i].name, cases[i].run);
		/* CUnit adds a test whose name is taken, but says so: a slip in the table. */
		if (!test || CU_get_error() != CUE_SUCCESS) {
			printf("not ok %zu - %s\n#   %s: CUnit: %s\n", i + 1, cases[i].name, suite, CU_get_error_msg());
			all_passed = 0;
			continue;
		}
		if (!run_case(suite, cu_suite, test, i + 1))
			all_passed = 0;
	}
	CU_cleanup_registry();
	return all_passed ? 0 : 1;
}
