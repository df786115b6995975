/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter of lowered programs, for tests: executes the macro-operations on vectors stored as lower.h says and
 * compares every output with the reference, bit by bit.
 *
 * On the way it checks what back ends rely on: every vector is written once and before it is read, references stay
 * inside their sections, no iteration reads what its own loop writes, `after` names every macro read from, life times
 * cover every use, loops keep their limits.
 */
#ifndef TSPSIM_TESTS_UNIT_LOW_RUN_H
#define TSPSIM_TESTS_UNIT_LOW_RUN_H

#include "sched/lower/lower.h"

/* Evaluates G (inputs filled) both ways; true when nothing is wrong, else a line for the first offence in REPORT. */
bool low_run_agrees(const graph *g, const isa_machine *machine, unsigned radix, GString *report);

#endif
