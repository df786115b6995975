/* SPDX-License-Identifier: Apache-2.0
 *
 * The calendar of one resource: how much of it is taken when, as a balanced tree of change points (GTree), so that
 * reserving and asking cost O(log n) plus the change points inside the window asked about.
 */
#ifndef TSPSIM_SCHED_ALG_CALENDAR_H
#define TSPSIM_SCHED_ALG_CALENDAR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct alg_calendar alg_calendar;

alg_calendar *alg_calendar_new(uint32_t capacity);
void alg_calendar_free(alg_calendar *calendar);

/* Is AMOUNT free in every cycle of [start, start + length)? */
bool alg_calendar_fits(const alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
/* The earliest time not before FROM at which it is; AMOUNT at most the capacity, else INT64_MAX. */
int64_t alg_calendar_earliest(const alg_calendar *calendar, int64_t from, int64_t length, uint32_t amount);
/* Takes it; the caller has made sure that it fits. */
void alg_calendar_reserve(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
void alg_calendar_release(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount);
/* Amount taken in one cycle. */
uint32_t alg_calendar_used(const alg_calendar *calendar, int64_t time);
/* Forgets everything before TIME: nothing will be asked or reserved there again. */
void alg_calendar_forget(alg_calendar *calendar, int64_t time);

#endif
