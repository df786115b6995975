/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim diff A.db B.db: is the sorted content of every table of two traces, or two sweeps, but the manifest the same?
 */
#include "tools/json.h"
#include "tools/tool.h"
#include "traces/read.h"

static gint examples = 5;

static const GOptionEntry options[] = {
	{"examples", 'n', 0, G_OPTION_ARG_INT, &examples, "show at most N differing rows of each table (default: 5)",
         "N"},
	{0},
};

static char *result_text(const char *description, bool equal)
{
	json *j;

	if (!tool_json)
		return g_strdup(description);
	j = json_new();
	json_object(j, NULL);
	json_bool(j, "equal", equal);
	json_string(j, "description", description);
	json_end(j);
	return json_finish(j);
}

static const char *kind(const trace_reader *reader)
{
	return trace_reader_is_sweep(reader) ? "the results of a sweep" : "the trace of a run";
}

static int run_diff(int argc, char **argv, GError **error)
{
	trace_reader *a = NULL;
	trace_reader *b = NULL;
	g_autofree char *description = NULL;
	bool equal = false;
	int status = TOOL_USER_ERROR;

	(void)argc;
	a = trace_reader_open_results(argv[0], error);
	if (a)
		b = trace_reader_open_results(argv[1], error);
	if (b && trace_reader_is_sweep(a) != trace_reader_is_sweep(b))
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s is %s, %s is %s", argv[0], kind(a), argv[1], kind(b));
	else if (b)
		description = trace_diff(a, b, (unsigned)examples, &equal, error);
	if (description) {
		g_autofree char *text = result_text(description, equal);

		if ((tool_quiet && !tool_json) || tool_print(text, error))
			status = equal ? TOOL_OK : TOOL_FOUND;
	}
	trace_reader_free(a);
	trace_reader_free(b);
	return status;
}

const tool_command cmd_diff = {
	.name = "diff",
	.synopsis = "A.db B.db [-n N]",
	.doc = "Compare two traces or two sweeps, the manifests apart; exit status 0 when they are the same, 2 when "
	       "not.",
	.options = options,
	.min_args = 2,
	.max_args = 2,
	.run = run_diff,
};
