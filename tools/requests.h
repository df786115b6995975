/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command line asks of run, sched, asm and dis, as each kind of machine gets it (tools/styles.h).  Everything
 * is as typed; NULL, false and 0 where nothing was.
 */
#ifndef TSPSIM_TOOLS_REQUESTS_H
#define TSPSIM_TOOLS_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* How the scheduler searches (tools/method.h). */
typedef struct method_request {
	const char *method; /* or NULL: list */
	uint64_t schedules; /* 0: the default */
	double time_s;      /* 0: no limit */
	unsigned threads;
	bool uniform, patterns, report;
} method_request;

typedef struct run_request {
	const char *machine;
	const char *workload; /* by -w */
	const char *word;     /* a program, or a workload; besides the options */
	char **sets;
	const char *trace, *trace_level, *trace_window;
	const char *policy, *kernel, *priority;
	uint64_t seed, shuffle;
	bool functional, no_functional, specials, no_predictions, by_timestamp, launch;
	method_request search;
} run_request;

typedef struct sched_request {
	const char *machine, *workload, *output, *priority;
	char **sets;
	uint64_t seed;
	bool functional, specials;
	method_request search;
	const char *gantt;
} sched_request;

/* asm: OUTPUT is there.  dis: NULL is standard output. */
typedef struct program_request {
	const char *machine, *path, *output;
	char **sets;
} program_request;

#endif
