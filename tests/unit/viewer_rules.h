/* SPDX-License-Identifier: Apache-2.0
 *
 * Do exported files keep the rules of the viewers they are for?  Each check says in its notes what breaks which rule.
 */
#ifndef TSPSIM_TESTS_UNIT_VIEWER_RULES_H
#define TSPSIM_TESTS_UNIT_VIEWER_RULES_H

#include "tests/lib/jsonread.h"

/* Trace-event JSON for Perfetto: numbers for processes and threads, each named, no number of a process one of a thread;
 * slices with name and a duration that is not negative, those of a thread nested; order of time along each thread;
 * counters with numbers, one order of time; flows in pairs of one id, each end inside a slice of its thread, not
 * backwards.  The number of broken rules. */
unsigned viewer_perfetto(const jvalue *file);
/* The simulator's timeline of all sub-cores: texts for processes and threads, lanes the viewer knows, each with one
 * place in its order; instructions with name, colour, address; begin and end of flags in pairs of an id of their own,
 * each a slice; flows in pairs of one id, named after their lanes, each end at an end of a flag's slice of its lane,
 * not backwards. */
unsigned viewer_msprof(const jvalue *file);

#endif
