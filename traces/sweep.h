/* SPDX-License-Identifier: Apache-2.0
 *
 * The results database of a sweep (docs/sweep.md, traces/sweep.sql).
 *
 * One process at a time holds it; everybody may read it meanwhile.  Every outcome is a transaction of its own, so that
 * whatever ends the process, what has been recorded stays.  An answer is JSON text; of it the values of the plan's
 * outputs are kept: dotted paths, digits for places in arrays ("utilisation.mxm", "layers.0.cycles").
 */
#ifndef TSPSIM_TRACES_SWEEP_H
#define TSPSIM_TRACES_SWEEP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRACE_SWEEP_APPLICATION_ID = 0x54535057, /* "TSPW" */ TRACE_SWEEP_FORMAT = 1 };

/* What the sweep is.  Kept, not owned, until the sweep is closed. */
typedef struct trace_sweep_plan {
	uint32_t points;
	const char *const *axes; /* NULL-terminated, as are the others */
	const char *const *outputs;
	const bool *optional;                                /* [outputs]: null where an answer has none */
	const char *const *machines;                         /* name, text, name, text, ... */
	const char *const *manifest;                         /* key, value, ... */
	const char *points_digest;                           /* of all points' commands and the outputs */
	const char *inputs_digest;                           /* of what the commands read */
	const char *version;                                 /* of the program */
	char *(*command)(const void *state, uint32_t point); /* g_free */
	const char *(*setting)(const void *state, uint32_t point, unsigned axis);
	const void *state;
} trace_sweep_plan;

typedef struct trace_sweep trace_sweep;

/* Opens the database of this plan, or makes a new one; *FRESH says which.  Refuses, with the reason, files that hold
 * another sweep or something else, and one that another process holds. */
trace_sweep *trace_sweep_open(const char *path, const trace_sweep_plan *plan, bool *fresh, GError **error);
void trace_sweep_close(trace_sweep *sweep);

/* Which points have ended: [points] flags, g_free; NULL on error. */
uint8_t *trace_sweep_ended(trace_sweep *sweep, GError **error);

/* Makes points pending again that have no answer. */
bool trace_sweep_forget_failures(trace_sweep *sweep, GError **error);

/* The first output that ANSWER lacks, *OUTPUT its number, as a sentence with the nearest name that it has (g_free);
 * NULL when it has all.  What is not JSON has none. */
char *trace_sweep_lacks(trace_sweep *sweep, const char *answer, unsigned *output);

typedef struct trace_sweep_outcome {
	uint32_t point;
	int status;          /* exit status; 128 + n after signal n */
	const char *message; /* why there is no answer, or NULL */
	const char *answer;  /* JSON text, or NULL */
	double wall_s;
	const char *host;
} trace_sweep_outcome;
/* Records one outcome.  An answer that lacks an output is recorded as none, with that message. */
bool trace_sweep_record(trace_sweep *sweep, const trace_sweep_outcome *outcome, GError **error);

/* Takes over outcomes of points that have none here from the database at PATH, of the same sweep.  A database that was
 * left before it was complete in itself (an unborn one) has none to give. */
bool trace_sweep_collect(trace_sweep *sweep, const char *path, GError **error);

typedef struct trace_sweep_count {
	uint32_t ended;
	uint32_t failed;      /* without an answer */
	uint32_t found;       /* with an answer, and a status above 0 */
	int64_t first_failed; /* the lowest such point, -1 when there is none */
	char *first_message;  /* g_free */
} trace_sweep_count;
bool trace_sweep_tally(trace_sweep *sweep, trace_sweep_count *count, GError **error);

#endif
