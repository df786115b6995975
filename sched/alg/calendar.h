/* SPDX-License-Identifier: Apache-2.0
 *
 * The calendar of one resource: how much of it is taken when.  Change points are the nodes of a treap (a binary search
 * tree by time that is a heap by a hash of the node's number, so balanced whatever comes); each subtree knows its least
 * and greatest amount, and amounts are added to whole subtrees at once.  Reserving costs O(log n); asking for the
 * earliest time costs O(log n) for each free stretch that is too short, however many change points lie between.
 */
#ifndef TSPSIM_SCHED_ALG_CALENDAR_H
#define TSPSIM_SCHED_ALG_CALENDAR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/alg/problem.h"

typedef struct alg_calendar alg_calendar;

alg_calendar *alg_calendar_new(uint32_t capacity);
/* With the steps of RESOURCE: its capacity is the greatest that it ever has, and what lacks is taken from the start. */
alg_calendar *alg_calendar_of_resource(const alg_resource *resource);
void alg_calendar_free(alg_calendar *calendar);

/* Is AMOUNT free in every cycle of [start, start + length)? */
bool alg_calendar_fits(const alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
/* The earliest time not before FROM at which it is; INT64_MAX when that never happens. */
int64_t alg_calendar_earliest(const alg_calendar *calendar, int64_t from, int64_t length, uint32_t amount);
/* Takes it; the caller has made sure that it fits. */
void alg_calendar_reserve(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
void alg_calendar_release(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
/* Amount taken in one cycle. */
uint32_t alg_calendar_used(const alg_calendar *calendar, int64_t time);
/* Forgets everything before TIME: nothing will be asked or reserved there again. */
void alg_calendar_forget(alg_calendar *calendar, int64_t time);

#endif
