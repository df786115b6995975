/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles of a product on Ascend-style cores.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_MATMUL_H
#define TSPSIM_SCHED_EMIT_ASCEND_MATMUL_H

#include "sched/emit/ascend/build.h"

typedef struct ask_product {
	uint64_t batches, m, n, k;
	uint64_t right_batches; /* right operands, which batches take in turn */
	uint64_t parts;         /* batches that are parts of the depth of one product; 0 is 1 */
	bool packed;            /* the columns of a tile lie together: [right batch][tile][k][columns of a tile] */
	enum asc_type type, result, sum; /* of operands, of what is stored, of L0C */
} ask_product;

/* A tile of the result and how operands come to it: M x N sums in L0C, mmads of depth K, stages of depth A_DEPTH and
 * B_DEPTH in L1. */
typedef struct ask_tile {
	uint64_t m, n, k;
	uint64_t a_depth, b_depth;
	unsigned a_stages, b_stages, sums; /* sums: tiles of L0C in turn */
	uint64_t run;                      /* rows of the result that a tile may not reach beyond; all of a batch: m */
	uint64_t channels, filter_rows;    /* convolutions: blocks of channels of a stage of A, filter rows */
	uint64_t rows;                     /* tile rows that cores at work in one moment share */
	uint64_t tiles, rounds;
	double cycles, cube, loads, copies, out; /* predicted: of the whole; of a tile by the engine that does it */
} ask_tile;

/* Puts T among the MOST cheapest. */
void ask_tile_keep(GArray *best, unsigned most, const ask_tile *t);
/* Rows of tiles that CORES at work share, of DOWN, so that they read least: LEFT for a row, RIGHT for a column. */
uint64_t ask_tile_rows(uint64_t cores, uint64_t down, uint64_t left, uint64_t right);
/* The legal tiles that cost least, cheapest first, at most COUNT (ask_tile). */
GArray *ask_tiles(const asc_machine *machine, const ask_product *p, unsigned count);

#endif
