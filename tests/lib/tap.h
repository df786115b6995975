/* SPDX-License-Identifier: Apache-2.0
 *
 * Test programs: CUnit assertions, TAP output.
 *
 * A program is one table of cases and `return tap_run("suite", cases, G_N_ELEMENTS(cases));`.  Each case is one TAP
 * line; a failed assertion is a comment with file, line and condition below it, and the next case still runs.  A case
 * named by a sentence says which rule broke.  CU_ASSERT_*_FATAL ends its case only.
 */
#ifndef TSPSIM_TESTS_LIB_TAP_H
#define TSPSIM_TESTS_LIB_TAP_H

#include <stdbool.h>
#include <stddef.h>

#include <CUnit/CUnit.h>

typedef struct {
	const char *name; /* "load_with_two_beats_arrives_one_cycle_later" */
	void (*run)(void);
} tap_case;

/* Runs all N cases in order.  Returns the exit status: 0 when all passed, else 1.  With TAP_ONLY=TEXT in the
 * environment only cases whose name holds TEXT run; the others are reported as skipped. */
int tap_run(const char *suite, const tap_case *cases, size_t n);

/* From inside a case: report it as skipped, for REASON (copied), unless it fails. */
void tap_skip(const char *reason);

/* A whole program that cannot run here: prints the plan `1..0 # SKIP reason` and returns the exit status 0. */
int tap_skip_all(const char *reason);

/* The Nth cell of a matrix: does this run try it?  TSPSIM_WHOLE=1 in the environment (`make check-long`) asks for all
 * of them, without it every OFth is tried. */
bool tap_part(unsigned n, unsigned of);

/* A comment line in the output, printf style. */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
