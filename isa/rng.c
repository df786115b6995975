/* SPDX-License-Identifier: Apache-2.0
 *
 * xoshiro256** seeded by splitmix64.
 */
#include "isa/rng.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

void rng_seed(rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = stream;

	state = seed ^ splitmix(&state);
	for (unsigned i = 0; i < 4; i++)
		r->state[i] = splitmix(&state);
}

uint64_t rng_next(rng *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t rng_below(rng *r, uint64_t limit)
{
	/* Values below 2^64 mod limit would make small results likelier. */
	uint64_t least = (0 - limit) % limit;
	uint64_t x;

	do
		x = rng_next(r);
	while (x < least);
	return x % limit;
}

double rng_unit(rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}
