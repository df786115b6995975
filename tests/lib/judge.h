/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program on the models, collects everything they report, and compares it with the oracle: issue records field
 * by field, violations by (kind, instruction, issue), slips, cycles, memory.
 */
#ifndef TSPSIM_TESTS_LIB_JUDGE_H
#define TSPSIM_TESTS_LIB_JUDGE_H

#include "models/tsp/chip.h"
#include "tests/lib/oracle.h"

typedef struct judge_run judge_run; /* a chip that has run */

typedef struct judge_options {
	bool functional, freeze;
	const char *kernel; /* NULL = "ref" */
	uint64_t shuffle_seed;
} judge_options;

/* Runs PROGRAM (lowered) on HW.  The caller frees it; PROGRAM and HW must live as long. */
judge_run *judge_model(const isa_program *program, const isa_machine *hw, const judge_options *options, GError **error);
void judge_free(judge_run *run);

const GArray *judge_issues(const judge_run *run);     /* probe_issue, by (cycle, queue) */
const GArray *judge_violations(const judge_run *run); /* probe_violation, by (cycle, queue, insn, index, kind) */
const GArray *judge_slips(const judge_run *run);      /* probe_slip */
const tsp_counters *judge_counters(const judge_run *run);
bool judge_read(const judge_run *run, uint64_t location, void *out, uint64_t bytes);

/* Appends up to LIMIT lines to REPORT, one a difference, and returns how many differences there are.  MEMORY: compare
 * every byte that either has. */
unsigned judge_compare(const oracle_result *oracle, const judge_run *run, const isa_program *program, bool memory,
                       GString *report, unsigned limit);

#endif
