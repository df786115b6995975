/* SPDX-License-Identifier: Apache-2.0
 *
 * Workload texts: what is accepted is a sound graph, whose text reads back, and what is small can be scheduled.
 */
#include "sched/frontend/frontend.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

/* Long FFTs carry megabytes of factors: legal, and slow. */
static bool is_long_fft(const char *text)
{
	return g_str_has_prefix(text, "fft:") && strspn(text + 4, "0123456789") > 4;
}

void fuzz_workload(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	GError *error = NULL;
	GPtrArray *graphs;

	if (is_long_fft(text) || strchr(text, '/'))
		return;
	graphs = frontend_read(text, fuzz_machine("tsp"), NULL, &error);
	if (!fuzz_judge(graphs != NULL, &error))
		return;
	for (guint i = 0; i < graphs->len; i++)
		FUZZ_EXPECT(graph_verify(g_ptr_array_index(graphs, i), NULL));
	fuzz_schedule(graphs);
	g_ptr_array_unref(graphs);
}
