/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim plot KIND run.db -o FILE: a picture of a trace, by gnuplot.
 */
#include <string.h>

#include "tools/bank_plot.h"
#include "tools/interrupt.h"
#include "tools/tool.h"
#include "traces/read.h"

/* The kind that is drawn from a file of `bank search`, and not from a trace. */
static const char front[] = "front";

static char *output;

static const GOptionEntry options[] = {
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "write the picture to FILE; .png, .svg or .pdf says the format, .tsv has its numbers", "FILE"},
	{0},
};

static bool known_kind(const char *kind, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	/* A name may stand for a picture of each kind of machine. */
	for (const trace_plot_kind *k = trace_plot_kinds; k->name; k++)
		if (!g_ptr_array_find_with_equal_func(all, k->name, g_str_equal, NULL))
			g_ptr_array_add(all, (gpointer)k->name);
	g_ptr_array_add(all, (gpointer)front);
	g_ptr_array_add(all, NULL);
	if (g_strv_contains((const char *const *)all->pdata, kind))
		return true;
	tool_unknown(error, "plot", kind, (const char *const *)all->pdata);
	return false;
}

static int run_plot(int argc, char **argv, GError **error)
{
	trace_reader *reader;
	bool drawn = false;

	(void)argc;
	if (!known_kind(argv[0], error))
		return TOOL_USER_ERROR;
	if (!output) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "plot: give the output file with -o FILE.png, .svg, .pdf or .tsv");
		return TOOL_USER_ERROR;
	}
	if (strcmp(argv[0], front) == 0)
		return bank_front_plot(argv[1], output, error) ? TOOL_OK : TOOL_USER_ERROR;
	reader = trace_reader_open(argv[1], error);
	/* The folder that it is drawn in is taken away in any case. */
	interrupt_defer(true);
	if (reader)
		drawn = trace_plot(reader, argv[0], output, error);
	interrupt_resume();
	trace_reader_free(reader);
	return drawn ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_plot = {
	.name = "plot",
	.synopsis = "KIND FILE.db -o FILE.png|svg|pdf|tsv\nfront FILE.csv -o FILE.png|svg|pdf|tsv",
	.doc = "Draw a picture of a trace, or of a front of bank maps.",
	.details = "`tspsim list plots` shows the kinds; those of `bank --plot` are drawn there, from an evaluation.\n",
	.options = options,
	.min_args = 2,
	.max_args = 2,
	.run = run_plot,
};
