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

enum { MXM_CUTS = 4 };

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
	unsigned cut;      /* way to cut, below MXM_CUTS; 0: the one estimated to take least */
	bool drain_late;   /* the next weights before results where that is not forced, and the other way round */
	GArray *blocks;    /* mxm_block */
	GArray *rounds;    /* mxm_round */
	uint32_t node;     /* program node */
	int64_t bank_delay;
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

/* A unit in a pass. */
typedef struct mxm_unit {
	unsigned plane; /* the even one of a pair */
	tspe_plane *state;
	unsigned column;
	uint32_t lanes;       /* of the column block */
	int64_t port_free[2]; /* last due time of each weight port */
	int64_t loaded[320];  /* due time of each row of weights in the shadow buffer */
	uint32_t loader[320]; /* its LW */
} mxm_unit;

/* Rows are loaded from cycle FIRST to LAST; the next ones go on in the same rhythm. */
typedef struct mxm_rhythm {
	int64_t first, last; /* TSPE_NEVER: no rows yet */
} mxm_rhythm;

typedef struct mxm_pass {
	const mxm_work *work;
	const mxm_job *job;
	mxm_unit *units;
	unsigned index; /* of the K block */
	const mxm_block *block;
	bool beside_rows; /* do rows of the pass before it run while its weights are loaded? */
	mxm_rhythm beat;  /* of the pass before; then of this one */
} mxm_pass;

/* Loads and installs the weights of passes beside each other; jobs with the same columns share the loads. */
bool mxm_prepare(const mxm_pass *passes, unsigned count, GError **error);

/* The product or convolution MACRO as work; mxm_clear() in any case. */
bool mxm_make(tspe *e, const low_macro *macro, mxm_work *work, GError **error);
void mxm_clear(mxm_work *work);

/* Loads the rows of a pass and multiplies them; sets its beat. */
bool mxm_multiply(mxm_pass *p, GError **error);
/* Stores the results of a job, after its last pass. */
bool mxm_drain(const mxm_pass *p, GError **error);

/* Lanes of a column block. */
uint32_t mxm_column_lanes(const mxm_work *work, unsigned column);
/* Array of mxm_round: rows and columns cut so that the estimated time is least. */
GArray *mxm_cut(const mxm_work *work);
/* Do the passes of ROUND over K block BLOCK take longer for their rows than for their weights? */
bool mxm_rows_bind(const mxm_work *work, const mxm_round *round, unsigned block);

#endif
