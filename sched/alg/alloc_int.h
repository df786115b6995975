/* SPDX-License-Identifier: Apache-2.0
 *
 * What the allocation engines share: lives as ranges of cliques.  A clique is a largest set of buffers that all live at
 * once; two buffers overlap exactly when they share one, and a buffer's cliques, numbered in time, are consecutive.
 */
#ifndef TSPSIM_SCHED_ALG_ALLOC_INT_H
#define TSPSIM_SCHED_ALG_ALLOC_INT_H

#include "sched/alg/alloc.h"

enum { ALLOC_EXACT_MAX = 8192 }; /* buffers, for the exact search: it descends one call a buffer */

typedef struct alloc_map {
	const alloc_problem *p;
	uint32_t count, cliques;
	uint32_t *first, *last; /* [count] cliques of a buffer, both included */
	int64_t *load;          /* [cliques] bytes */
	uint32_t *start;        /* [cliques + 1] into members */
	uint32_t *members;      /* buffers of each clique; only where count <= ALLOC_EXACT_MAX, else NULL */
} alloc_map;

alloc_map *alloc_i_map_new(const alloc_problem *p);
void alloc_i_map_free(alloc_map *m);

static inline int64_t alloc_i_up(int64_t address, int64_t alignment)
{
	return alignment == 1 ? address : (address + alignment - 1) / alignment * alignment;
}

int64_t alloc_i_height(const alloc_problem *p, const int64_t *address);

/* Places buffers in ORDER as low as they fit (BEST: into the smallest hole that takes them).  False when a fixed
 * address is taken twice.  STOPPED, unless NULL: it may end early, which *STOPPED says, and ADDRESS is none then. */
bool alloc_i_fit(const alloc_map *m, const alloc_options *o, const uint32_t *order, bool best, int64_t *address,
                 bool *stopped);
/* The best of all orders, ending early at LOW bytes; false when fixed addresses collide. */
bool alloc_i_greedy(const alloc_map *m, const alloc_options *o, int64_t low, int64_t *address, uint32_t *order);
/* Improves ADDRESS, made by first fit from ORDER, until TARGET bytes; returns the moves made. */
uint64_t alloc_i_local(const alloc_map *m, const alloc_options *o, int64_t target, uint32_t *order, int64_t *address);

enum alloc_i_outcome { ALLOC_I_FOUND, ALLOC_I_NONE, ALLOC_I_CUT };
/* Is there an allocation within CAPACITY? *NODES takes what was used of LIMIT. */
enum alloc_i_outcome alloc_i_exact(const alloc_map *m, const alloc_options *o, int64_t capacity, uint64_t limit,
                                   int64_t *address, uint64_t *nodes);

#endif
