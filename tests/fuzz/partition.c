/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs to be cut: JSON or a profile; whatever is read can be cut or not, and a cut passes the check.
 */
#include <string.h>

#include "sched/alg/partition.h"

#include "tests/fuzz/fuzz.h"

void fuzz_partition(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	part_options how = {.ideals_max = 100};
	GError *error = NULL;
	part_problem *p = *text == '{' ? part_read_json(text, strlen(text), "x.json", &error)
	                               : part_read_profile(text, "x.txt", 1, &error);
	part_result r;
	bool valid;

	if (!fuzz_judge(p != NULL, &error))
		return;
	if (p->nodes->len < 30 && p->accelerators + p->hosts < 8 && part_solve(p, &how, &r, NULL)) {
		g_free(part_check(p, r.device, &valid));
		FUZZ_EXPECT(valid);
		part_result_fini(&r);
	}
	part_problem_free(p);
}
