/* SPDX-License-Identifier: Apache-2.0
 *
 * A problem with the mode and the processor of every task fixed: plain arrays, every edge an arc with a lag from start
 * to start, resources of processors numbered through.  What engines and bounds work on.
 */
#ifndef TSPSIM_SCHED_ALG_FLAT_H
#define TSPSIM_SCHED_ALG_FLAT_H

#include "isa/error.h"
#include "sched/alg/problem.h"

/* To or from TASK; lag from start to start, whichever way the arc is read. */
typedef struct alg_arc {
	uint32_t task;
	int64_t lag;
} alg_arc;

typedef struct alg_flat {
	const alg_problem *problem;
	uint32_t tasks, resources;
	int64_t *duration, *release, *deadline; /* per task, cycles */
	uint32_t *mode, *processor;             /* per task */
	uint32_t *out_first, *in_first;         /* arcs of task v: [first[v], first[v + 1]) */
	alg_arc *out, *in;
	uint32_t *demand_first; /* demands of task v: [first[v], first[v + 1]); tasks that take no time have none */
	alg_demand *demand;
	const alg_resource **resource; /* per resource */
	uint32_t *capacity;            /* per resource, the greatest it ever has */
	uint32_t *order;               /* tasks so that arcs point forward; NULL when they do not (maximum lags) */
	double *area;                  /* per task: duration * demand as a share of capacity, summed over resources */
	bool loose;   /* some arc lets its target start or end first: an order by time need not follow the arcs */
	bool windows; /* a release time above 0, a deadline or a capacity that changes */
} alg_flat;

/* MODE and PROCESSOR of each task, or NULL for the first mode on its processor (0 when it has any).  Fails (USER) when
 * a demand is above all that its resource ever has, naming the task. */
alg_flat *alg_flat_new(const alg_problem *problem, const uint32_t *mode, const uint32_t *processor, GError **error);
/* Time reversed: arcs turned round, windows and changes of capacity left out. */
alg_flat *alg_flat_mirror(const alg_flat *flat);
void alg_flat_free(alg_flat *flat);

/* Longest path from the start of each task to the end of the project, its duration included (order not NULL). */
int64_t *alg_flat_tails(const alg_flat *flat);
/* Earliest start of each task by releases and arcs (order not NULL). */
int64_t *alg_flat_heads(const alg_flat *flat);

/* LIST becomes the tasks by rising START, or by falling end: the order for generation in the same or in the other
 * direction of time; ties as the arcs of that direction point.  Where the problem is loose, alg_sgs_repair() follows.
 */
void alg_flat_list(const alg_flat *flat, const int64_t *start, bool by_end, uint32_t *list);

/* Writes starts as a schedule of the problem. */
void alg_flat_store(const alg_flat *flat, const int64_t *start, alg_schedule *schedule);

#endif
