/* SPDX-License-Identifier: Apache-2.0
 *
 * A search over windows of starts that learns clauses from explanations made on demand (lazy clause generation;
 * Ohrimenko, Stuckey and Codish 2009, for capacities Schutt, Feydy, Stuckey and Wallace 2011).  It takes problems
 * without choices.
 *
 * Both ends of a window are values that only grow: number 2 v is the earliest start of task v, number 2 v + 1 the
 * latest one, negated.  A literal says that a value is at least something; the opposite of (k, b) is (k ^ 1, 1 - b).
 */
#ifndef TSPSIM_SCHED_ALG_EXACT_LEARN_H
#define TSPSIM_SCHED_ALG_EXACT_LEARN_H

#include "sched/alg/exact_int.h"

typedef struct exact_learner exact_learner;

/* Searches for schedules of MODEL within WINDOWS, near HINT at first (starts in units, the end included; may be NULL).
 * NULL when the problem has choices or is too large. */
exact_learner *exact_i_learner_new(const exact_model *model, const exact_windows *windows, const int64_t *hint,
                                   const alg_solve_options *options, alg_solve_result *result);
void exact_i_learner_free(exact_learner *learner);
/* From now on the end is at least (at most) TIME. */
void exact_i_learner_end_from(exact_learner *learner, int64_t time);
void exact_i_learner_end_by(exact_learner *learner, int64_t time);
/* Is there a schedule that ends by END?  At most CONFLICTS conflicts, which are added to the result.  After SAT starts
 * are in START, the end included. */
enum exact_answer exact_i_learner_search(exact_learner *learner, int64_t end, uint64_t conflicts, int64_t *start);

#endif
