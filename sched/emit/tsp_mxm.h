/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix work of the register-style machine: what a macro-operation asks for, and how it is cut.
 *
 * A *unit* is what holds one block of weights: a pair of planes (fp16) or a plane (int8).  A *job* gives a few units a
 * column block each and the same rows; it makes one *pass* per K block: weights into the shadow buffers, install, rows.
 * Jobs of one *round* run beside each other on different units.
 */
#ifndef TSPSIM_SCHED_EMIT_TSP_MXM_H
#define TSPSIM_SCHED_EMIT_TSP_MXM_H

#include "sched/emit/tsp.h"

/* A K block: LANES activations, read as COUNT segments of SEG bytes, PITCH apart, OFFSET bytes from a row's first. */
typedef struct mxm_block {
	uint32_t lanes;
	uint64_t weight_row; /* of its first lane */
	int64_t offset;
	uint32_t seg, count;
	int32_t pitch;
} mxm_block;

typedef struct mxm_work {
	tspe *e;
	tspe_tensor *a, *w, *c;
	uint64_t rows;                  /* of the result */
	uint64_t c_row;                 /* first row in C */
	uint64_t line_rows;             /* rows of one line of the result; rows when there are no lines */
	int64_t a_first, a_row, a_line; /* bytes: of row 0; from row to row; from line to line */
	enum isa_type type;
	unsigned units;    /* that exist */
	unsigned stride;   /* planes of one */
	uint32_t acc_rows; /* of one */
	uint32_t interval; /* cycles between rows */
	unsigned columns;  /* column blocks of the result */
	GArray *blocks;    /* mxm_block */
} mxm_work;

typedef struct mxm_job {
	uint64_t row;
	uint32_t rows;
	unsigned units;
	unsigned unit[TSPE_PLANES_MAX];   /* which */
	unsigned column[TSPE_PLANES_MAX]; /* and its column block */
} mxm_job;

typedef struct mxm_round {
	unsigned jobs;
	mxm_job job[TSPE_PLANES_MAX];
} mxm_round;

/* Lanes of a column block. */
uint32_t mxm_column_lanes(const mxm_work *work, unsigned column);
/* Array of mxm_round: rows and columns cut so that the estimated time is least. */
GArray *mxm_cut(const mxm_work *work);
/* Does the pass of JOB over K block BLOCK take longer for its rows than for its weights? */
bool mxm_rows_bind(const mxm_work *work, const mxm_job *job, unsigned block);
/* Cycles the passes of JOB take if nothing but rows and weights bound them. */
int64_t mxm_estimate(const mxm_work *work, const mxm_job *job);

#endif
