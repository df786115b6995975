/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass of the matrix unit: one strand of one step of a unit, as it is put together (isca20_engine.c: from memory
 * through the planes; isca20_pass.c: sums, and everything in order).
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_PASS_H
#define TSPSIM_SCHED_EMIT_ISCA20_PASS_H

#include "sched/emit/isca20_mxm.h"

typedef struct isca_pass {
	isca *c;
	isca_work *w;
	const GArray *tensors;
	uint64_t batch, tile, block; /* the unit */
	uint64_t strip;
	uint32_t slot; /* in the window */
	unsigned own;  /* its engine, where units have one */
	unsigned step;
	const isca_strand *strand;
	uint64_t first; /* row in the tile */
	uint32_t rows;
	isca_template *t;
} isca_pass;

/* Weights in a shadow buffer. */
typedef struct isca_loaded {
	uint32_t instance;  /* of the first LW */
	uint16_t rows;      /* of each LW */
	int64_t due;        /* when the last row is there */
	uint32_t installed; /* instance of the IW, 0 = not yet */
} isca_loaded;

/* The engine of a strand's link. */
unsigned isca_pass_engine(const isca_pass *p, unsigned link);
/* Lanes of the sums. */
uint32_t isca_pass_lanes(const isca_pass *p);
/* Row I of the pass, in the batch. */
uint64_t isca_pass_row(const isca_pass *p, uint64_t i);
unsigned isca_mxm_queue(const isca_pass *p, unsigned plane, unsigned role);
/* Planes of an engine. */
static inline unsigned isca_plane_count(const isca_work *w)
{
	return ISCA_ENGINES / w->engines;
}

/* Loads K block KBLOCK into ENGINE's shadow buffer, EACH rows at a time; false when that takes too many slices. */
bool isca_load_weights(isca_pass *p, unsigned kblock, unsigned engine, unsigned each, isca_loaded *result);
/* Activations of LINK, sampled from CYCLE on; before the first, the weights are installed.  Returns the ABCs. */
isca_track *isca_add_abc(isca_pass *p, unsigned link, const isca_loaded *weights, int64_t cycle);

#endif
