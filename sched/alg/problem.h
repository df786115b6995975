/* SPDX-License-Identifier: Apache-2.0
 *
 * The neutral scheduling problem: tasks with durations on processors of a mesh, cumulative resources, precedence with
 * minimum lags, data on the edges.  Nothing here knows a machine; back ends build it and read the answer.
 */
#ifndef TSPSIM_SCHED_ALG_PROBLEM_H
#define TSPSIM_SCHED_ALG_PROBLEM_H

#include <glib.h>
#include <stdint.h>

/* AMOUNT units of RESOURCE (of the processor the task runs on) for the whole duration. */
typedef struct alg_demand {
	uint32_t resource;
	uint32_t amount;
} alg_demand;

enum { ALG_ANY_PROCESSOR = UINT32_MAX };

typedef struct alg_task {
	int64_t duration_cycles;
	uint32_t processor;    /* fixed, or ALG_ANY_PROCESSOR */
	uint32_t first_demand; /* into demands */
	uint32_t demand_count;
} alg_task;

/* TO starts at least LAG cycles after FROM ends, plus the time BYTES take from processor to processor. */
typedef struct alg_edge {
	uint32_t from, to;
	int64_t lag_cycles;
	uint64_t bytes;
} alg_edge;

typedef struct alg_problem {
	GArray *tasks;               /* alg_task */
	GArray *demands;             /* alg_demand */
	GArray *edges;               /* alg_edge */
	GArray *capacity;            /* uint32_t per resource; each processor has all of them */
	uint32_t rows, cols;         /* mesh of processors, numbered row by row */
	double link_bytes_per_cycle; /* > 0 */
	int64_t hop_cycles;
} alg_problem;

/* One processor, no tasks, no resources. */
alg_problem *alg_problem_new(void);
void alg_problem_free(alg_problem *problem);
uint32_t alg_problem_add_resource(alg_problem *problem, uint32_t capacity);
uint32_t alg_problem_add_task(alg_problem *problem, int64_t duration_cycles, uint32_t processor);
/* To the task added last. */
void alg_problem_add_demand(alg_problem *problem, uint32_t resource, uint32_t amount);
void alg_problem_add_edge(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles, uint64_t bytes);

/* Cycles that BYTES take between two processors: ceil(bytes / bandwidth) * hops + hop latency * hops, XY routing,
 * store and forward; 0 on the same one. */
int64_t alg_transfer_cycles(const alg_problem *problem, uint32_t from, uint32_t to, uint64_t bytes);

#endif
