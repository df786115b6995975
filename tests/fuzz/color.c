/* SPDX-License-Identifier: Apache-2.0
 *
 * Interference graphs: what is read is coloured, and the colouring passes the check.
 */
#include "sched/alg/color.h"

#include "tests/fuzz/fuzz.h"

void fuzz_color(const uint8_t *data, size_t size)
{
	g_autofree char *text = size ? g_strndup((const char *)data + 1, size - 1) : g_strdup("");
	color_options how = {.registers = size ? data[0] % 16 : 0, .seed = 1, .moves = 100};
	GError *error = NULL;
	color_graph *g = color_read(text, "x.col", &error);
	color_result r;

	if (!fuzz_judge(g != NULL, &error))
		return;
	if (g->nodes < 200) {
		color_solve(g, &how, &r);
		FUZZ_EXPECT(color_check(g, &r, how.registers));
		color_result_fini(&r);
	}
	color_graph_free(g);
}
