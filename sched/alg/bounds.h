/* SPDX-License-Identifier: Apache-2.0
 *
 * Lower bounds on the makespan that cost little, and infeasibility that shows without a search.
 */
#ifndef TSPSIM_SCHED_ALG_BOUNDS_H
#define TSPSIM_SCHED_ALG_BOUNDS_H

#include "sched/alg/problem.h"

typedef struct alg_bound {
	int64_t cycles;
	const char *by;          /* "critical path", "resource energy", ... */
	int64_t critical_cycles; /* by precedence and windows alone */
	int64_t energy_cycles;   /* by the busiest resource alone */
	char *infeasible;        /* why there is no schedule at all, g_free; NULL: nothing shows that */
} alg_bound;

/* Of PROBLEM, over all choices of modes and processors. */
void alg_lower_bound(const alg_problem *problem, alg_bound *bound);

#endif
