/* SPDX-License-Identifier: Apache-2.0
 *
 * Graph texts: what is read and sound prints to a text that reads back to the same, and what is small can be scheduled.
 */
#include "sched/ir/graph.h"

#include "tests/fuzz/fuzz.h"

void fuzz_graph(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GPtrArray) graphs = g_ptr_array_new();
	GError *error = NULL;
	graph *g = graph_parse(text, "x.graph", &error);

	if (!fuzz_judge(g != NULL, &error))
		return;
	if (fuzz_judge(graph_verify(g, &error), &error)) {
		g_autofree char *first = graph_print(g);
		graph *again = graph_parse(first, "y.graph", &error);
		g_autofree char *second = NULL;

		if (!again)
			fuzz_abort(error->message, "the printed graph to be read; not", 0);
		second = graph_print(again);
		FUZZ_EXPECT(g_str_equal(first, second));
		graph_free(again);
		g_ptr_array_add(graphs, g);
		fuzz_schedule(graphs);
	}
	graph_free(g);
}
