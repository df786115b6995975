/* SPDX-License-Identifier: Apache-2.0
 *
 * Who runs the points of a sweep: processes on this host, or tasks of a cluster.  An engine is given the points that
 * have no outcome yet, and sees to it that their outcomes are recorded; which process ran what leaves no trace in the
 * results.
 */
#ifndef TSPSIM_TOOLS_SWEEP_ENGINE_H
#define TSPSIM_TOOLS_SWEEP_ENGINE_H

#include "tools/sweep.h"
#include "traces/sweep.h"

typedef struct sweep_job {
	const sweep *s;
	trace_sweep *db;
	const char *path;        /* of the database */
	const uint32_t *pending; /* ascending */
	size_t pending_count;
	bool fresh;        /* nothing has been recorded yet: the first answer is looked at before the rest is run */
	unsigned jobs;     /* local: processes at a time */
	unsigned per_task; /* slurm: points of a task, 0: by their number */
	char **sbatch;     /* slurm: options of sbatch, or NULL */
	bool interrupted;  /* out: by a signal; what had ended is recorded */
} sweep_job;

bool sweep_run_local(sweep_job *job, GError **error);
bool sweep_run_slurm(sweep_job *job, GError **error);

/* "0:20,25,30:33" for ascending points; g_free. */
char *sweep_format_points(const uint32_t *points, size_t count);
/* Sets a flag for each point of TEXT; refuses what is no list of points below COUNT. */
bool sweep_parse_points(const char *text, uint32_t count, uint8_t *chosen, GError **error);

/* Refuses the sweep when ANSWER lacks an output: then the file names what this command does not answer. */
bool sweep_look_at_first(const sweep_job *job, const char *answer, GError **error);

#endif
