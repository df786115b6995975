/* SPDX-License-Identifier: Apache-2.0
 *
 * The one source of randomness: seeded, the same sequence on every host.  xoshiro256** of Blackman and Vigna, its state
 * filled from the seed by splitmix64.  Not for cryptography.
 */
#ifndef TSPSIM_ISA_RNG_H
#define TSPSIM_ISA_RNG_H

#include <stdint.h>

typedef struct rng {
	uint64_t state[4];
} rng;

/* Streams of one seed are independent of one another. */
void rng_seed(rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_next(rng *r);                  /* 64 random bits */
uint64_t rng_below(rng *r, uint64_t limit); /* uniform in 0 .. limit - 1, without bias; limit > 0 */
double rng_unit(rng *r);                    /* uniform in [0, 1), a multiple of 2^-53 */

#endif
