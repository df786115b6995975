/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks a second through bankmap_map(), every family of the table, on one core.  The blocks are a random walk over the
 * capacity of 144 banks of 5000 rows, and once more spread over 40 bits, in chunks that stay in the first cache; CPU
 * time, best of many short runs.
 */
#include <stdio.h>
#include <time.h>

#include "isa/bankmap.h"
#include "isa/rng.h"

enum { BLOCKS = 2048, PASSES = 400, REPEATS = 40 };

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of some runs, in 10^6 blocks a second; SUM keeps the work alive. */
static double rate(const bankmap *map, const uint64_t *blocks, unsigned passes, uint64_t *sum)
{
	static uint16_t banks[BLOCKS];
	double best = 1e9;

	for (int n = 0; n < REPEATS; n++) {
		double start = seconds(), taken;

		for (unsigned pass = 0; pass < passes; pass++) {
			bankmap_map(map, blocks, BLOCKS, banks);
			*sum += banks[pass % BLOCKS];
		}
		taken = seconds() - start;
		best = taken < best ? taken : best;
	}
	return 1e-6 * BLOCKS * passes / best;
}

int main(void)
{
	static uint64_t near[BLOCKS], far[BLOCKS];
	uint64_t sum = 0;
	rng r;

	rng_seed(&r, 1, 0);
	for (size_t i = 0; i < BLOCKS; i++) {
		near[i] = rng_below(&r, 635000);
		far[i] = rng_next(&r) >> 24;
	}
	printf("%-44s %10s %10s  10^6 blocks/s\n", "map", "20 bits", "40 bits");
	for (size_t i = 0; i < bankmap_family_count(); i++) {
		g_autoptr(GError) error = NULL;
		bankmap *map = bankmap_new_analysis(bankmap_family_example(i), 144, 5000, &error);

		if (!map) {
			fprintf(stderr, "%s\n", error->message);
			return 1;
		}
		printf("%-44.44s %10.0f %10.0f\n", bankmap_text(map), rate(map, near, PASSES, &sum),
		       rate(map, far, PASSES, &sum));
		bankmap_free(map);
	}
	return sum == 1;
}
