/* SPDX-License-Identifier: Apache-2.0
 *
 * SCALE-Sim tables: every layer that is read is a sound graph.  The first byte chooses form, dialect and type.
 */
#include "sched/frontend/internal.h"

#include "tests/fuzz/fuzz.h"

static void free_graph(gpointer g)
{
	graph_free(g);
}

void fuzz_csv(const uint8_t *data, size_t size)
{
	static const char *const forms[] = {"auto", "conv", "gemm", NULL};
	unsigned choice = size ? data[0] : 0;
	frontend_options options = {.csv_form = forms[choice % 4],
	                            .csv_dialect = choice & 4 ? "scale-sim" : "floor",
	                            .csv_dtype = choice & 8 ? "int8" : NULL};
	g_autofree char *text = size ? g_strndup((const char *)data + 1, size - 1) : g_strdup("");
	g_autoptr(GPtrArray) graphs = g_ptr_array_new_with_free_func(free_graph);
	frontend_target target = frontend_target_tsp(fuzz_machine(choice & 16 ? "tsp-isca20" : "tsp"));
	GError *error = NULL;

	if (!fuzz_judge(frontend_i_read_csv(text, "x.csv", &target, &options, graphs, &error), &error))
		return;
	FUZZ_EXPECT(graphs->len);
	for (guint i = 0; i < graphs->len; i++)
		FUZZ_EXPECT(graph_verify(g_ptr_array_index(graphs, i), NULL));
	fuzz_schedule(graphs);
}
