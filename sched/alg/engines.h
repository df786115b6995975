/* SPDX-License-Identifier: Apache-2.0
 *
 * What engines share inside this folder: their functions by the table, the choice of modes, and the keeping of the best
 * schedule.
 */
#ifndef TSPSIM_SCHED_ALG_ENGINES_H
#define TSPSIM_SCHED_ALG_ENGINES_H

#include "sched/alg/flat.h"
#include "sched/alg/sgs.h"
#include "sched/alg/solve.h"

#define METHOD(name, doc)                                                                                              \
	bool alg_solve_##name(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,  \
	                      GError **error);
#include "sched/alg/methods.def"

/* Does the stop function want an end?  Notes it. */
bool alg_stopped(const alg_solve_options *options, alg_solve_result *result);

/* Is there more than one mode or processor for some task? */
bool alg_has_choices(const alg_problem *problem);
/* PROBLEM with modes and processors as plain list scheduling chooses them, which counts as one schedule; without
 * choices as they are. */
alg_flat *alg_flat_chosen(const alg_problem *problem, const alg_weights *weights, alg_solve_result *result,
                          GError **error);

/* The best starts so far of one flat problem. */
typedef struct alg_keeper {
	const alg_flat *flat;
	int64_t *start;
	int64_t makespan_cycles; /* INT64_MAX: none yet */
	const char *by;
} alg_keeper;

void alg_keeper_init(alg_keeper *keeper, const alg_flat *flat);
void alg_keeper_fini(alg_keeper *keeper);
/* Keeps START when it is shorter and meets the deadlines; did it? */
bool alg_keeper_offer(alg_keeper *keeper, const int64_t *start, int64_t makespan_cycles, const char *by);
/* The same for starts in mirrored time, which are no schedules where there are windows. */
bool alg_keeper_offer_mirrored(alg_keeper *keeper, const int64_t *start, int64_t makespan_cycles, const char *by);
/* The best into RESULT, if there is one and RESULT has none as short. */
void alg_keeper_store(const alg_keeper *keeper, alg_solve_result *result);

/* Problems with maximum lags: a search of its own for both engines. */
bool alg_solve_lags(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                    GError **error);

#endif
