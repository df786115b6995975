/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling problems small enough to be solved by hand.
 */
#ifndef TSPSIM_TESTS_UNIT_SMALL_PROBLEMS_H
#define TSPSIM_TESTS_UNIT_SMALL_PROBLEMS_H

#include "sched/alg/problem.h"

/* One resource. */
static inline alg_problem *problem_of(uint32_t capacity)
{
	alg_problem *p = alg_problem_new();

	alg_problem_add_resource(p, capacity);
	return p;
}

/* A task that takes AMOUNT of resource 0. */
static inline void add(alg_problem *p, int64_t duration, uint32_t amount)
{
	alg_problem_add_task(p, duration, 0);
	if (amount)
		alg_problem_add_demand(p, 0, amount);
}

#endif
