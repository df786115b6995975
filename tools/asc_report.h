/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run on an Ascend-style machine says at its end, for people and as JSON.
 */
#ifndef TSPSIM_TOOLS_ASC_REPORT_H
#define TSPSIM_TOOLS_ASC_REPORT_H

#include "sched/sched.h"
#include "tools/asc_simulate.h"
#include "tools/report_lines.h"

/* Everything is kept, not owned. */
typedef struct ascend_report {
	const asc_machine *sched, *hw;
	const asc_program *program;
	const sched_report *schedule; /* NULL: a program file was run */
	const ascend_result *result;
	const ascend_result *ordinary; /* of the same program by flags, where RESULT is by timestamp; else NULL */
	bool functional;
	int64_t launch_cycles;           /* before the first blocks began, of the cycles of RESULT */
	const char *trace, *trace_level; /* NULL: none */
	double wall_s;
} ascend_report;

char *ascend_report_text(const ascend_report *r, bool colour); /* g_free */
char *ascend_report_json(const ascend_report *r);              /* g_free */
bool ascend_found_fault(const ascend_report *r);               /* does the result call for exit status 2? */

/* Would a run by timestamp be safe? */
enum ascend_safe {
	ASCEND_SAFE,    /* nothing lacks an order */
	ASCEND_BY_LUCK, /* accesses that nothing orders, none of which met */
	ASCEND_UNSAFE   /* some met, or the run found something else wrong */
};
enum ascend_safe ascend_safe_of(const ascend_result *by_timestamp);
const char *ascend_safe_name(enum ascend_safe safe);

/* Machine keys of class assumed that this program's timing rests on, as "key = value" (g_strfreev), those of the
 * busiest pipes first. */
char **ascend_assumed(const ascend_report *r);
report_machine ascend_report_machine(const asc_machine *machine);
/* What bounds the run's length: the scheduler's words, or the busiest pipe; g_free, may be NULL. */
char *ascend_binds(const ascend_report *r);
/* Share of the cube's peak that the useful MACs take, over cores that run blocks; below 0 without any. */
double ascend_cube_share(const ascend_report *r);
/* "stream 1 (vector) insn 12: vadd ..."; g_free. */
char *ascend_insn_text(const asc_program *program, uint32_t stream, uint32_t insn);

/* A cause that a pipe of a kind of sub-core stood still for. */
typedef struct ascend_stall {
	enum asc_kind kind;
	enum asc_pipe pipe;
	enum asc_stall cause;
	int64_t cycles;
	unsigned subcores;
} ascend_stall;
/* Do the cycles of CAUSE add up over a copy's requests, which wait side by side, so that they may be more than the run?
 */
bool ascend_stall_adds_up(enum asc_stall cause);
GArray *ascend_stalls(const ascend_result *result); /* ascend_stall, the worst first */

#endif
