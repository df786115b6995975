/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers: what is read is allocated, and the allocation passes the check.  A '!' divides buffers from accesses.
 */
#include <string.h>

#include "sched/alg/alloc_bank.h"
#include "tests/fuzz/fuzz.h"

/* Four banks, each row one bank on. */
static unsigned skewed(const void *state, uint64_t block)
{
	(void)state;
	return (unsigned)((block + block / 4) % 4);
}

static void in_banks(const alloc_problem *p, const char *text, int64_t *address, int64_t height)
{
	GError *error = NULL;
	alloc_accesses *a = alloc_read_accesses(text, "y.csv", p, &error);
	alloc_bank_map map = {.banks = 4, .block_bytes = 2, .bank = skewed};
	alloc_refinement how = {.capacity_bytes = height,
	                        .step_bytes = 2,
	                        .steps = 4,
	                        .moves = 50,
	                        .cost = alloc_banks_cost,
	                        .moved = alloc_banks_moved};
	uint64_t moves, before;
	int64_t gain;

	if (fuzz_judge(a != NULL, &error)) {
		how.state = alloc_banks_new(p, a, &map, address, NULL);
		before = alloc_banks_occupancy(how.state, address).conflicts;
		gain = alloc_refine(p, &how, address, &moves);
		FUZZ_EXPECT(alloc_banks_occupancy(how.state, address).conflicts == before - (uint64_t)-gain);
		alloc_banks_free(how.state);
	}
	alloc_accesses_free(a);
}

void fuzz_alloc(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size), *wrong = NULL;
	alloc_options how = {.moves = 20, .nodes = 1000, .seed = 1};
	char *more = strchr(text, '!');
	GError *error = NULL;
	alloc_problem *p;
	alloc_result r;

	if (more)
		*more++ = '\0';
	p = alloc_read(text, "x.csv", true, &error);
	if (!fuzz_judge(p != NULL, &error))
		return;
	if (p->count < 100) {
		alloc_solve(p, &how, &r);
		FUZZ_EXPECT(r.height_bytes >= r.lower_bound_bytes || !r.address);
		if (r.address && more)
			in_banks(p, more, r.address, r.height_bytes);
		wrong = r.address ? alloc_check(p, r.address, r.height_bytes) : NULL;
		FUZZ_EXPECT(!wrong);
		alloc_result_fini(&r);
	}
	alloc_problem_free(p);
}
