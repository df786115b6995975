/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicted against simulated: a listener on the models' probe that holds every reported time against the program's
 * predictions.  One compared event is one issue cycle, one predicted operand arrival, one predicted result, or one
 * predicted number of beats.  Costs a few array reads an issue.  The length of the run and how often an instruction
 * issued are held against the program at the end.
 */
#ifndef TSPSIM_TOOLS_COMPARE_H
#define TSPSIM_TOOLS_COMPARE_H

#include "isa/program.h"
#include "traces/probe.h"

typedef struct compare compare;

enum compare_what {
	COMPARE_ISSUE,
	COMPARE_ARRIVAL,
	COMPARE_RESULT = COMPARE_ARRIVAL + ISA_OPERANDS,
	COMPARE_BEATS,
	COMPARE_ISSUES,
	COMPARE_LENGTH
};

/* One difference.  For COMPARE_ISSUES (an instruction issued more or less often than it should) the values are counts;
 * for beats they are beats; else cycles, PROBE_NO_TIME when the simulation saw none.  COMPARE_LENGTH is of the whole
 * run: insn is UINT32_MAX. */
typedef struct compare_difference {
	uint32_t insn;
	uint32_t index;
	enum compare_what what; /* COMPARE_ARRIVAL + operand */
	int64_t predicted;
	int64_t simulated;
} compare_difference;

/* PROGRAM must have predictions; it is kept, not owned. */
compare *compare_new(const isa_program *program);
void compare_free(compare *c);
probe_listener compare_listener(compare *c);

/* After a run of CYCLES that went to its end: counts each instruction that did not issue as often as the program says,
 * and the run itself when the program says how long it takes and it took another time. */
void compare_finish(compare *c, int64_t cycles);

uint64_t compare_events(const compare *c);
uint64_t compare_mismatches(const compare *c);
/* The first differences in the order met, at most COMPARE_KEPT. */
enum { COMPARE_KEPT = 8 };
const compare_difference *compare_kept(const compare *c, unsigned *count);
const char *compare_what_name(enum compare_what what); /* "issue", "arrival of operand 1" */

#endif
