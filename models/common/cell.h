/* SPDX-License-Identifier: Apache-2.0
 *
 * A place that holds one value at a time and whose writes have due times: a register, a port latch, an accumulator row,
 * the active weights of a plane.  A write is filed when it is decided and seen by samplers at or after its due time; a
 * place therefore keeps the newest version that is due and all that are not yet.  Of two writes due in one cycle the
 * later filed wins, and of two filed in one cycle the one of the higher queue, whatever order they were filed in.
 * Few versions are alive at a time; they lie in the cell itself, more spill to the heap.
 */
#ifndef TSPSIM_MODELS_COMMON_CELL_H
#define TSPSIM_MODELS_COMMON_CELL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct model_version {
	int64_t due;
	int64_t filed;  /* cycle in which the write was decided */
	void *payload;  /* owned by the cell; NULL without values */
	uint32_t tag;   /* producer instance */
	uint16_t queue; /* that filed it */
	uint8_t part;   /* which part of the payload this place holds */
} model_version;

enum { MODEL_CELL_INLINE = 2 };

typedef struct model_cell {
	uint32_t count;
	uint32_t capacity; /* of spill; 0 = the versions lie in here */
	uint32_t first;    /* of spill: versions before it are forgotten */
	model_version *spill;
	model_version in[MODEL_CELL_INLINE];
} model_cell;

typedef void (*model_drop_fn)(void *context, void *payload);

static inline model_version *model_cell_versions(model_cell *cell)
{
	return G_UNLIKELY(cell->capacity) ? cell->spill + cell->first : cell->in;
}

/* The version a sampler at TIME sees, or NULL when nothing is due by then.  TIME is not before the present cycle. */
static inline const model_version *model_cell_at(model_cell *cell, int64_t time)
{
	const model_version *v = model_cell_versions(cell);

	for (uint32_t i = cell->count; i-- > 0;)
		if (v[i].due <= time)
			return &v[i];
	return NULL;
}

/* The version that producer TAG wrote, if the cell still has it. */
const model_version *model_cell_named(model_cell *cell, uint32_t tag);

/* Files VERSION at NOW (= version->filed) and forgets what no sampler from NOW on can see; DROP gets their payloads. */
void model_cell_put(model_cell *cell, const model_version *version, model_drop_fn drop, void *context);
/* Drops all versions. */
void model_cell_clear(model_cell *cell, model_drop_fn drop, void *context);

#endif
