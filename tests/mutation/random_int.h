/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that make random programs share.
 */
#ifndef TSPSIM_TESTS_MUTATION_RANDOM_INT_H
#define TSPSIM_TESTS_MUTATION_RANDOM_INT_H

#include "tests/mutation/random_program.h"

typedef struct maker {
	random_program *p;
	rng r;
	int64_t now;
	GArray *free_at;  /* int64_t per queue */
	unsigned crowded; /* with finite queues most instructions stand in this one and the next */
} maker;

static inline uint64_t random_below(maker *m, uint64_t limit)
{
	return rng_below(&m->r, limit);
}

static inline bool random_chance(maker *m, unsigned percent)
{
	return random_below(m, 100) < percent;
}

static inline int64_t random_between(maker *m, int64_t low, int64_t high)
{
	return low + (int64_t)random_below(m, (uint64_t)(high - low + 1));
}

/* Makes the two machines of m->p. */
void random_machine(maker *m, bool streams);

#endif
