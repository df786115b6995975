/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule generation on a flat problem without maximum lags.
 *
 * Serial: tasks in a given order, each as early as arcs and resources let it.  Free resources are kept cycle by cycle,
 * four resources to a word with a guard bit each, so one subtraction asks for all of them (times and capacities small
 * enough: alg_sgs_new() decides); or in calendars.
 *
 * Parallel: time goes from event to event, and at each the ready tasks that fit start in order of rank.  Ready tasks
 * wait in a tournament tree over ranks whose nodes know the least demand of each resource below, so the next one that
 * fits is found without looking at those that do not; or, where there are few different demands, in a heap for each.
 */
#ifndef TSPSIM_SCHED_ALG_SGS_H
#define TSPSIM_SCHED_ALG_SGS_H

#include "sched/alg/flat.h"

typedef struct alg_sgs alg_sgs;

alg_sgs *alg_sgs_new(const alg_flat *flat); /* FLAT is kept */
void alg_sgs_free(alg_sgs *sgs);

/* Places tasks in the order of LIST (arcs point forward in it); fills START and returns the makespan.  INT64_MAX when a
 * task finds no place.  Deadlines are not looked at. */
int64_t alg_sgs_serial(alg_sgs *sgs, const uint32_t *list, int64_t *start);
/* Starts, at every event, the ready tasks that fit, those of low RANK first (each rank from 0 once). */
int64_t alg_sgs_parallel(alg_sgs *sgs, const uint32_t *rank, int64_t *start);

/* Makes LIST an order in which arcs point forward, as near to what it is as a heap of places brings it. */
void alg_sgs_repair(const alg_flat *flat, uint32_t *list);

/* Tasks by the heap of ranks: LIST becomes the order in which ready tasks of least rank come. */
void alg_sgs_list_of_ranks(const alg_flat *flat, const uint32_t *rank, uint32_t *list);

#endif
