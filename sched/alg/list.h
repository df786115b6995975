/* SPDX-License-Identifier: Apache-2.0
 *
 * List scheduling on the neutral problem.
 *
 * Serial generation: of the tasks whose predecessors are placed, the one with the highest priority goes to the mode,
 * processor and time where it ends first.  Priority = alpha * critical path to the end (cycles, the task included)
 * + beta * (its demand in its first mode, as a share of capacity, summed over resources) / (the mean of that over
 * tasks) + gamma * fan-out. Ready tasks wait in a heap, free time is found in calendars: O(V log V * P) while each task
 * meets O(log V) change points.
 */
#ifndef TSPSIM_SCHED_ALG_LIST_H
#define TSPSIM_SCHED_ALG_LIST_H

#include <stdbool.h>

#include "isa/error.h"
#include "sched/alg/problem.h"

typedef struct alg_weights {
	double alpha, beta, gamma;
	uint64_t seed; /* breaks ties between equal priorities; 0 = by task number */
} alg_weights;

/* Schedules PROBLEM.  Fails (USER) on a precedence cycle or a demand above capacity, naming the task, and (UNSUPPORTED)
 * on a maximum lag.  Deadlines are not looked at. */
bool alg_list_schedule(const alg_problem *problem, const alg_weights *weights, alg_schedule *schedule, GError **error);

/* Longest path from each task's start to the end, its shortest duration included, lags counted, transfers not.  Array
 * of tasks; g_free.  NULL and ERROR on a cycle. */
int64_t *alg_critical_paths(const alg_problem *problem, GError **error);

#endif
