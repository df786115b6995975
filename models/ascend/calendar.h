/* SPDX-License-Identifier: Apache-2.0
 *
 * What was granted of one shared resource: disjoint spans of time in which it is busy.  Work that comes later takes the
 * free time from its own earliest moment on, in pieces if need be, so that the resource never idles while work waits.
 * Times are ticks, fractions of a cycle: links move bytes at rates that do not divide a packet.
 */
#ifndef TSPSIM_MODELS_ASCEND_CALENDAR_H
#define TSPSIM_MODELS_ASCEND_CALENDAR_H

#include <glib.h>
#include <stdint.h>

enum { ASC_TICKS = 256 }; /* of a cycle */
static inline int64_t asc_ticks(int64_t cycles)
{
	return cycles * ASC_TICKS;
}
static inline int64_t asc_cycles_up(int64_t ticks) /* ticks >= 0 */
{
	return (ticks + ASC_TICKS - 1) / ASC_TICKS;
}
/* Time of BYTES at a rate of BYTES_PER_CYCLE / PARTS, rounded up. */
static inline int64_t asc_ticks_of(uint64_t bytes, int64_t bytes_per_cycle, int64_t parts)
{
	return ((int64_t)bytes * parts * ASC_TICKS + bytes_per_cycle - 1) / bytes_per_cycle;
}

typedef struct asc_span {
	int64_t from, to;
} asc_span;

typedef struct asc_calendar {
	GArray *spans; /* asc_span, sorted, disjoint, not touching */
	guint head;    /* spans before it are over */
	guint hint;    /* where the last search ended: one copy's requests come in order of time */
} asc_calendar;

void asc_calendar_init(asc_calendar *calendar);
void asc_calendar_clear(asc_calendar *calendar);
/* Forgets what ended by NOW: nobody will ask for earlier times. */
void asc_calendar_advance(asc_calendar *calendar, int64_t now);
/* Grants TICKS >= 1 from AT on; returns when they are over.  *BEGIN, unless NULL: the first of them. */
int64_t asc_calendar_book(asc_calendar *calendar, int64_t at, int64_t ticks, int64_t *begin);
/* When TICKS from AT on would be over; grants nothing. */
int64_t asc_calendar_peek(asc_calendar *calendar, int64_t at, int64_t ticks);

#endif
