/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run says at its end, for people and as JSON.
 */
#ifndef TSPSIM_TOOLS_REPORT_H
#define TSPSIM_TOOLS_REPORT_H

#include "isa/program.h"
#include "models/tsp/chip.h"
#include "sched/sched.h"
#include "tools/compare.h"
#include "tools/findings.h"
#include "tools/report_lines.h"
#include "tools/usage.h"
#include "tools/verify.h"

enum report_checked { REPORT_NOT_CHECKED, REPORT_PASSED, REPORT_FAILED };

/* Everything is kept, not owned. */
typedef struct report {
	const isa_machine *sched, *hw;
	const isa_program *program;
	const tsp_counters *counters;
	const findings *findings;
	const sched_report *schedule; /* NULL: a program file was run */
	const compare *compare;       /* NULL: no predictions, or an interrupted run */
	const verify *verify;         /* NULL: not checked */
	enum report_checked checked;
	bool functional;
	bool interrupted, stopped; /* by a signal; by policy fault-stop at the first violation */
	const char *trace;         /* path or NULL */
	const char *trace_level;
	uint64_t trace_bytes;
	double wall_s;
	usage usage;
} report;

char *report_text(const report *r, bool colour); /* g_free */
char *report_json(const report *r);              /* g_free */

report_machine report_machine_of(const isa_machine *machine);
/* Machine keys of class assumed that this program's timing rests on, as "key = value" (g_strfreev). */
char **report_assumed(const isa_machine *machine, const isa_program *program);

/* What bounds the run's length: the scheduler's words, or the busiest resource; g_free, may be NULL. */
char *report_binds(const report *r);

/* Does the result call for exit status 2? */
bool report_found_fault(const report *r);

#endif
