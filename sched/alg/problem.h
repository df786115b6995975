/* SPDX-License-Identifier: Apache-2.0
 *
 * The neutral scheduling problem: tasks that run in one of several modes (duration, processor, demands), cumulative
 * resources whose capacity may change over time (a unary one has capacity 1), precedence with minimum and maximum lags,
 * release times and deadlines, processors on a mesh and data on the edges.  Nothing here knows a machine; back ends and
 * readers build it, engines answer with an alg_schedule.
 *
 * Times are integer cycles, no task starts before 0, and a task holds its demands in [start, start + duration).  What
 * is minimised is the makespan, the latest end.  Not modelled: preemption, resources that are used up, set-up times.
 */
#ifndef TSPSIM_SCHED_ALG_PROBLEM_H
#define TSPSIM_SCHED_ALG_PROBLEM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* AMOUNT units of RESOURCE (of the processor the task runs on, unless shared) for the whole duration. */
typedef struct alg_demand {
	uint32_t resource;
	uint32_t amount;
} alg_demand;

enum { ALG_ANY_PROCESSOR = UINT32_MAX };

/* One way to run a task. */
typedef struct alg_mode {
	int64_t duration_cycles; /* >= 0 */
	uint32_t processor;      /* fixed, or ALG_ANY_PROCESSOR */
	uint32_t first_demand;   /* into demands */
	uint32_t demand_count;
} alg_mode;

#define ALG_NO_DEADLINE INT64_MAX

typedef struct alg_task {
	uint32_t first_mode;     /* into modes */
	uint32_t mode_count;     /* >= 1 */
	int64_t release_cycles;  /* starts no earlier; >= 0 */
	int64_t deadline_cycles; /* ends no later, or ALG_NO_DEADLINE */
} alg_task;

/* From which event of FROM an edge counts. */
enum alg_lag_from { ALG_FROM_END, ALG_FROM_START };

/* TO starts at least LAG cycles after FROM ends (or starts), plus the time BYTES take from processor to processor.  A
 * negative lag from start to start is a maximum lag read backwards: FROM starts at most -LAG cycles after TO does. */
typedef struct alg_edge {
	uint32_t from, to;
	int64_t lag_cycles;
	uint64_t bytes;
	enum alg_lag_from kind;
} alg_edge;

/* From FROM_CYCLES on, until the next step of the same resource, CAPACITY units are there. */
typedef struct alg_step {
	int64_t from_cycles;
	uint32_t capacity;
} alg_step;

typedef struct alg_resource {
	uint32_t capacity; /* from cycle 0 on, before the first step */
	bool shared;       /* one for all processors; otherwise each processor has its own */
	GArray *steps;     /* alg_step in order of time, or NULL: the capacity never changes */
} alg_resource;

typedef struct alg_problem {
	GArray *tasks;               /* alg_task */
	GArray *modes;               /* alg_mode, those of a task side by side */
	GArray *demands;             /* alg_demand, those of a mode side by side */
	GArray *edges;               /* alg_edge */
	GArray *resources;           /* alg_resource */
	uint32_t rows, cols;         /* mesh of processors, numbered row by row */
	double link_bytes_per_cycle; /* > 0 */
	int64_t hop_cycles;
} alg_problem;

/* One processor, no tasks, no resources. */
alg_problem *alg_problem_new(void);
void alg_problem_free(alg_problem *problem);
/* Each processor's own; its number. */
uint32_t alg_problem_add_resource(alg_problem *problem, uint32_t capacity);
/* One for all processors. */
uint32_t alg_problem_add_shared_resource(alg_problem *problem, uint32_t capacity);
/* From FROM_CYCLES (after all steps so far, > 0) on RESOURCE has CAPACITY units. */
void alg_problem_add_step(alg_problem *problem, uint32_t resource, int64_t from_cycles, uint32_t capacity);
/* A task with one mode; its number. */
uint32_t alg_problem_add_task(alg_problem *problem, int64_t duration_cycles, uint32_t processor);
/* One more mode of the task added last. */
void alg_problem_add_mode(alg_problem *problem, int64_t duration_cycles, uint32_t processor);
/* To the mode added last; one demand a resource and mode. */
void alg_problem_add_demand(alg_problem *problem, uint32_t resource, uint32_t amount);
/* Of the task added last. */
void alg_problem_set_window(alg_problem *problem, int64_t release_cycles, int64_t deadline_cycles);
void alg_problem_add_edge(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles, uint64_t bytes);
/* Start to start, any sign. */
void alg_problem_add_lag(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles);

static inline uint32_t alg_problem_processors(const alg_problem *problem)
{
	return problem->rows * problem->cols;
}

/* Mode M of task V. */
static inline const alg_mode *alg_problem_mode(const alg_problem *problem, uint32_t v, uint32_t m)
{
	return &g_array_index(problem->modes, alg_mode, g_array_index(problem->tasks, alg_task, v).first_mode + m);
}

/* Cycles that BYTES take between two processors: ceil(bytes / bandwidth) * hops + hop latency * hops, XY routing,
 * store and forward; 0 on the same one. */
int64_t alg_transfer_cycles(const alg_problem *problem, uint32_t from, uint32_t to, uint64_t bytes);

/* An answer. */
typedef struct alg_schedule {
	int64_t *start_cycles; /* per task */
	uint32_t *processor;   /* per task */
	uint32_t *order;       /* tasks in the order in which they were placed */
	uint32_t *mode;        /* per task, from 0 */
	int64_t makespan_cycles;
} alg_schedule;

/* All tasks at 0, in mode 0, on processor 0, in order of number. */
void alg_schedule_init(alg_schedule *schedule, uint32_t tasks);
void alg_schedule_copy(alg_schedule *to, const alg_schedule *from, uint32_t tasks); /* both initialised */
void alg_schedule_fini(alg_schedule *schedule);

#endif
