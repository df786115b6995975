/* SPDX-License-Identifier: Apache-2.0
 *
 * Loop bodies: what is read is scheduled, and the schedule passes the check.
 */
#include "sched/alg/cyclic.h"

#include "tests/fuzz/fuzz.h"

/* Cycles of reservation tables, latencies: what the work grows with. */
static uint64_t size_of(const cyclic_problem *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->uses->len; i++)
		sum += (uint64_t)cyclic_use_at(p, i)->length + cyclic_use_at(p, i)->offset;
	for (uint32_t i = 0; i < p->edges->len; i++)
		sum += (uint64_t)ABS(cyclic_edge_at(p, i)->latency);
	return sum;
}

void fuzz_cyclic(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	GError *error = NULL;
	cyclic_problem *p = cyclic_read(text, "x.loop", &error);
	cyclic_options how;
	cyclic_result r;

	if (!fuzz_judge(p != NULL, &error))
		return;
	if (p->ops->len < 50 && size_of(p) < 2000) {
		cyclic_options_init(&how);
		how.placements = 2000;
		how.conflicts = 200;
		how.limit = 500;
		cyclic_solve(p, &how, &r);
		FUZZ_EXPECT(!r.ii || r.valid);
		FUZZ_EXPECT(!r.ii || r.ii >= r.lower_bound);
		cyclic_result_fini(&r);
	}
	cyclic_problem_free(p);
}
