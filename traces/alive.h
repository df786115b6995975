/* SPDX-License-Identifier: Apache-2.0
 *
 * How many bytes of a local buffer are alive over time: from the start of what writes them to the end of the last that
 * reads them before they are written again, in blocks of ALIVE_BLOCK bytes.  What nobody reads is alive while it is
 * written.  Told in the order in which instructions begin; a byte written again while it is still read counts once.
 */
#ifndef TSPSIM_TRACES_ALIVE_H
#define TSPSIM_TRACES_ALIVE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { ALIVE_BLOCK = 32 };

typedef struct alive alive;

alive *alive_new(uint64_t bytes);
void alive_free(alive *a); /* NULL is fine */
/* COUNT runs of BYTES, PITCH apart, from START to before DONE.  Of one instruction all reads come first. */
void alive_read(alive *a, uint64_t address, uint64_t bytes, uint32_t count, int64_t pitch, int64_t done);
void alive_write(alive *a, uint64_t address, uint64_t bytes, uint32_t count, int64_t pitch, int64_t start,
                 int64_t done);

/* From CYCLE on BYTES are alive. */
typedef struct alive_level {
	int64_t cycle, bytes;
} alive_level;
/* Everything is over: the levels in order of time, alive_level, first one above 0, last one 0; empty when there was
 * nothing.  The array is the caller's. */
GArray *alive_levels(alive *a);
/* Of LEVELS: the most, and the first cycle with so much. */
alive_level alive_peak(const GArray *levels);
/* At most about MOST rows of LEVELS: those themselves, or the most alive in windows of *WIDTH cycles, neighbours of one
 * value once. */
GArray *alive_thin(const GArray *levels, guint most, int64_t *width);

#endif
