/* SPDX-License-Identifier: Apache-2.0
 *
 * Banks for allocations: which buffers are used in one cycle, and how many of these accesses meet in a bank under a
 * bank map.  A bank serves one access a cycle; each further one is a conflict.  Whose map it is, is the caller's
 * choice; the allocation engines see a cost only.
 */
#ifndef TSPSIM_SCHED_ALG_ALLOC_BANK_H
#define TSPSIM_SCHED_ALG_ALLOC_BANK_H

#include "sched/alg/alloc.h"

typedef struct alloc_banks alloc_banks;

typedef struct alloc_occupancy {
	uint64_t accesses, cycles; /* cycles in which something is accessed; a step of a pair is one */
	uint64_t conflicts;        /* accesses that find their bank taken */
	uint64_t cycles_in_conflict;
	unsigned fullest;    /* most accesses of one bank in one cycle */
	double mean_fullest; /* over the cycles */
} alloc_occupancy;

/* Any block has a bank below BANKS. */
typedef struct alloc_bank_map {
	unsigned banks;
	int64_t block_bytes;
	unsigned (*bank)(const void *state, uint64_t block);
	const void *state;
} alloc_bank_map;

/* P, A and the state of MAP must outlive it.  A pair is compared over all blocks of the shorter buffer, 4096 at most.
 * An error when there are too many cycles for a table of cycles by banks. */
alloc_banks *alloc_banks_new(const alloc_problem *p, const alloc_accesses *a, const alloc_bank_map *map,
                             const int64_t *address, GError **error);
void alloc_banks_free(alloc_banks *b);

/* For alloc_refine(). */
int64_t alloc_banks_cost(void *banks, uint32_t buffer, int64_t address);
void alloc_banks_moved(void *banks, uint32_t buffer, int64_t from, int64_t to);

/* Counted anew from the accesses. */
alloc_occupancy alloc_banks_occupancy(const alloc_banks *b, const int64_t *address);

#endif
