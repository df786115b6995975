/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses a second of the timing models on one core, pattern generation included, and what bounds the loop: the same
 * source with nothing behind it, and with the map alone.
 *
 *     bench_bank [K [MILLIONS]]
 */
#include "bank/model.h"
#include "bank/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bank_source *source_of(const char *text, unsigned k, uint64_t groups)
{
	bank_pattern_options options;
	GError *error = NULL;
	bank_source *source;

	bank_pattern_options_init(&options);
	options.k = k;
	options.groups = groups;
	source = bank_pattern_source(text, &options, &error);
	if (!source) {
		fprintf(stderr, "bench_bank: %s\n", error->message);
		exit(1);
	}
	return source;
}

/* Millions of accesses a second of the source alone, or with the map behind it. */
static double source_rate(const char *pattern, unsigned k, uint64_t groups, const bankmap *map)
{
	g_autofree uint16_t *banks = g_new(uint16_t, BANK_BATCH_ACCESSES + BANK_PATTERN_MAX_LANES);
	bank_source *source = source_of(pattern, k, groups);
	bank_batch batch = {0};
	uint64_t accesses = 0;
	double start = cpu_s();

	while (bank_source_next(source, &batch, NULL)) {
		if (map)
			bankmap_map(map, batch.blocks, batch.accesses, banks);
		accesses += batch.accesses;
	}
	start = cpu_s() - start;
	bank_batch_clear(&batch);
	bank_source_free(source);
	return (double)accesses / start * 1e-6;
}

static double model_rate(const char *pattern, unsigned k, uint64_t groups, const bank_options *options)
{
	bank_source *source = source_of(pattern, k, groups);
	bank_result result;
	double start = cpu_s();
	double rate;

	if (!bank_evaluate(source, options, &result, NULL))
		exit(1);
	rate = (double)result.accesses / (cpu_s() - start) * 1e-6;
	bank_result_clear(&result);
	bank_source_free(source);
	return rate;
}

int main(int argc, char **argv)
{
	static const char *const maps[] = {"mod:139", "mod:144", "poly:0x83", "skew:144,5", "ideal"};
	static const char *const patterns[] = {"s16u", "random"};
	unsigned k = argc > 1 ? (unsigned)atoi(argv[1]) : 64;
	uint64_t groups = UINT64_C(1000000) * (argc > 2 ? (uint64_t)atoi(argv[2]) : 16) / k;

	printf("k %u, million accesses a second of cpu time: source alone, source and map, models\n", k);
	printf("%-8s %-12s %9s %9s %9s %9s %9s\n", "pattern", "map", "source", "map", "lockstep", "fifo", "closed");
	for (size_t p = 0; p < G_N_ELEMENTS(patterns); p++)
		for (size_t m = 0; m < G_N_ELEMENTS(maps); m++) {
			bankmap *map = bankmap_new(maps[m], 144, 5000, NULL);
			bank_options options;

			bank_options_init(&options);
			options.map = map;
			printf("%-8s %-12s %9.1f %9.1f", patterns[p], maps[m],
			       source_rate(patterns[p], k, groups, NULL), source_rate(patterns[p], k, groups, map));
			for (unsigned model = 0; model < BANK_MODEL_COUNT; model++) {
				options.model = (enum bank_model)model;
				printf(" %9.1f", model_rate(patterns[p], k, groups, &options));
			}
			printf("\n");
			bankmap_free(map);
		}
	return 0;
}
