/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands do for Ascend-style machines, and what they share: machines, workloads, programs.
 */
#ifndef TSPSIM_TOOLS_ASC_H
#define TSPSIM_TOOLS_ASC_H

#include "isa/ascend/machine.h"
#include "sched/frontend/frontend.h"
#include "sched/sched.h"
#include "tools/requests.h"

/* Rows of tools/styles.c.  Each returns the exit status. */
int ascend_run(const run_request *q, GError **error);
int ascend_sched(const sched_request *q, GError **error);
int ascend_assemble(const program_request *q, GError **error);
int ascend_disassemble(const program_request *q, GError **error);

#define ASCEND_DEFAULT_MACHINE "ascend"

/* The parameter sets, as setup.h has them for a TSP. */
typedef struct ascend_setup {
	asc_machine *sched, *hw;
	frontend_options frontend; /* strings owned here */
} ascend_setup;
bool ascend_setup_init(ascend_setup *s, const char *name, char **sets, GError **error);
void ascend_setup_fini(ascend_setup *s);

/* Opens a program with the machines to run it on: the one it names, which NAME (or NULL) overrides; else
 * ASCEND_DEFAULT_MACHINE or, where that lacks a kind of sub-core which the program has streams for, the first preset
 * with all of them.  It keeps the rules of the machine that is simulated. */
asc_program *ascend_open(ascend_setup *s, const char *path, const char *name, char **sets, GError **error);

/* Front end, data, scheduler.  *GRAPHS and *REPORT are the caller's. */
typedef struct ascend_schedule {
	const char *workload, *priority;
	uint64_t seed;
	bool functional, specials;
	const method_request *search; /* or NULL: list, nothing from the library */
} ascend_schedule;
asc_program *ascend_compile(const ascend_setup *s, const ascend_schedule *how, GPtrArray **graphs, sched_report *report,
                            GError **error);

/* Instructions of all streams; TIMED: of those with a predicted start. */
uint64_t ascend_count(const asc_program *program, bool timed);

#endif
