/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposition of tensors on the stream-style machine.
 *
 * A transposer turns sixteen vectors inside each superlane only, so blocks of lanes x lanes bytes go through the SXM
 * twice, each byte of the elements by itself.  First sixteen rows at a time are turned: of vector i, superlane l has
 * the sixteen rows of column 16 l + i.  Then, for each distance d, superlanes with row blocks d apart are gathered into
 * one vector, rotated by d superlanes to where their rows belong, and scattered to the words of their columns.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_TURN_H
#define TSPSIM_SCHED_EMIT_ISCA20_TURN_H

#include "sched/emit/isca20_memory.h"

enum { ISCA_TURN_ROWS = 16, ISCA_TURN_GROUP = 4 };

typedef struct isca_turn_block {
	uint64_t row, column; /* numbers of blocks in X */
} isca_turn_block;

typedef struct isca_turn {
	uint32_t x, y;
	GArray *blocks[2]; /* isca_turn_block, what each hemisphere's SXM does */
	uint32_t chunk;    /* blocks that are between the two passes at a time */
	unsigned distances;
	uint8_t distance[ISCA_SUPERLANES_MAX]; /* those that occur */
	uint32_t spare[2];      /* addresses in Y's slices that nobody reads, one for each hemisphere's SXM */
	isca_tile buffer[2][2]; /* [hemisphere][turn]: batch = block of the chunk, row = vector, block = row block */
	isca_tile gather[2];    /* batch = turn and distance, row = block of the chunk */
	isca_tile scatter[2];   /* batch = byte and distance, row = block */
} isca_turn;

isca_turn *isca_turn_new(const isca *c, const low_transpose *work, const GArray *tensors);
void isca_turn_free(isca_turn *turn);
/* Schedules it. */
bool isca_emit_turn(isca *c, const isca_turn *turn, const GArray *tensors);
/* Place of byte BYTE of vector ROW of lane block BLOCK, for rows up to the next multiple of sixteen. */
uint32_t isca_turn_place(const isca_tensor *t, uint64_t row, uint64_t block, unsigned byte);
/* Where superlane S of vector COLUMN of block number I of hemisphere SIDE goes at distance D. */
uint32_t isca_turn_target(const isca *c, const isca_turn *turn, const isca_tensor *y, unsigned side, uint64_t i,
                          unsigned d, unsigned s, unsigned column, unsigned byte);

#endif
