/* SPDX-License-Identifier: Apache-2.0
 *
 * One simulation of an Ascend-style chip: kernel, chip and listener put together, run to the end, taken apart.  What is
 * left are figures.
 */
#ifndef TSPSIM_TOOLS_ASC_SIMULATE_H
#define TSPSIM_TOOLS_ASC_SIMULATE_H

#include "models/ascend/chip.h"
#include "tools/asc_tally.h"
#include "tools/asc_verify.h"

typedef struct ascend_options {
	const char *kernel;
	uint64_t shuffle, seed;
	bool functional, by_timestamp, stop_at_first, launch;
	const char *trace; /* path or NULL */
	const char *trace_level;
	const char *trace_window;          /* "START:STOP" or NULL */
	const char *method;                /* of the scheduler, for the manifest; NULL: a program as it was given */
	const struct sched_search *search; /* how it went, or NULL */
} ascend_options;

/* One pipe of all sub-cores of a kind that have something to do.  Sums, except MOST: of the busiest. */
typedef struct ascend_use {
	unsigned subcores;
	uint64_t instructions, compared, differ;
	int64_t busy, most, stall[ASC_STALLS];
	int64_t predicted_busy, compared_busy;
	int64_t predicted_wait[ASC_TALLY_WAITS], compared_wait[ASC_TALLY_WAITS], longer[ASC_STALLS];
	int64_t predicted_stop, stop; /* the last of any, of those compared */
} ascend_use;

enum { ASCEND_KEPT = 3 }; /* violations of each kind */

typedef struct ascend_result {
	asc_counters counters;
	ascend_use use[ASC_KINDS][ASC_PIPES];
	uint64_t executed, compared, differ;
	bool missed;
	asc_tally_miss miss; /* the first */
	unsigned kept[ASC_FINDINGS];
	asc_violation first[ASC_FINDINGS][ASCEND_KEPT];
	char *deadlock; /* diagnosis, NULL: none */
	bool checked;   /* values were held against a reference */
	asc_verify verify;
	bool interrupted, stopped;
	uint64_t trace_bytes;
} ascend_result;

/* Runs PROGRAM on HW; SCHED goes into the trace's manifest only.  GRAPHS (NULL: none) are the references.  An error
 * when it could not run; violations and differences are results.  ascend_result_fini() in any case. */
bool ascend_simulate(ascend_result *result, const asc_machine *sched, const asc_machine *hw, const asc_program *program,
                     GPtrArray *graphs, const ascend_options *options, GError **error);
void ascend_result_fini(ascend_result *result);

#endif
