/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim stat run.db [QUERY...]: the answers of the ready questions in traces/queries/.
 */
#include <string.h>

#include "tools/options.h"
#include "tools/tool.h"
#include "traces/read.h"

static gboolean conflicts;

static const GOptionEntry options[] = {
	{"conflicts", 0, 0, G_OPTION_ARG_NONE, &conflicts,
         "who collided with whom in banks: by bank, instruction, pair of tensors and layer, and what of it was hidden",
         NULL},
	{0},
};

/* What --conflicts asks. */
static const char *const conflict_queries[] = {"conflict_banks", "conflict_insns", "conflict_pairs", "conflict_layers",
                                               NULL};

static int run_stat(int argc, char **argv, GError **error)
{
	const char *const *asked = argc > 1 ? (const char *const *)argv + 1 : conflicts ? conflict_queries : NULL;
	trace_reader *reader;
	char *text = NULL;
	bool printed = false;

	if (!options_check(argc > 1 ? 0 : NEED_NO_QUERY, error))
		return TOOL_USER_ERROR;
	reader = trace_reader_open(argv[0], error);
	if (reader && conflicts && strcmp(trace_reader_kind(reader), "tsp") != 0)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: --conflicts is about banks that instructions of a TSP share; of machines like %s, see "
		            "what "
		            "banks cost by the queries stalls and stall_insns",
		            argv[0], trace_reader_manifest(reader, "machine"));
	else if (reader)
		text = trace_stat(reader, asked, tool_json ? TRACE_JSON : TRACE_TEXT, error);
	if (text)
		printed = tool_print(text, error);
	g_free(text);
	trace_reader_free(reader);
	return printed ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_stat = {
	.name = "stat",
	.synopsis = "FILE.db [QUERY...]",
	.doc = "Answer questions about a trace: utilisation, stalls, banks, conflicts, predictions.",
	.details = "`tspsim list queries` shows the questions; without QUERY all that the trace can answer.\n",
	.options = options,
	.min_args = 1,
	.max_args = -1,
	.run = run_stat,
};
