/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim help [COMMAND]: the overview, or one command's help.
 */
#include "tools/tool.h"

#include <string.h>

static char *overview(void)
{
	GString *out =
		g_string_new("usage: tspsim [COMMAND] [OPTION...]\n"
	                     "\n"
	                     "Schedules a tensor program, simulates it cycle by cycle, and says what happened where.\n"
	                     "Without a command: run.\n"
	                     "\n");

	for (const tool_command *const *command = tool_commands; *command; command++)
		g_string_append_printf(out, "  %-10s%s\n", (*command)->name, (*command)->doc);
	g_string_append(out,
	                "\n"
	                "Begin with:\n"
	                "  tspsim --trace run.db                     the default machine and workload, traced\n"
	                "  tspsim stat run.db                        where the cycles went\n"
	                "  tspsim plot occupancy run.db -o o.png     the same as a picture\n"
	                "  tspsim list workloads                     what else can be run\n"
	                "  tspsim -m ascend-910b                     on another machine (tspsim list machines)\n"
	                "\n"
	                "`tspsim COMMAND --help` lists a command's options; the manual page is tspsim(1).\n"
	                "Exit status: 0 fine, 1 bad input, 2 violations or failed comparisons, 3 internal error, 130 interrupted.\n");
	return g_string_free(out, FALSE);
}

static int run_help(int argc, char **argv, GError **error)
{
	const tool_command *command;
	g_autofree char *text = NULL;

	if (argc == 0) {
		text = overview();
	} else if ((command = tool_command_find(argv[0])) != NULL) {
		text = tool_help_text(command);
	} else {
		g_autoptr(GPtrArray) names = g_ptr_array_new();

		for (const tool_command *const *c = tool_commands; *c; c++)
			g_ptr_array_add(names, (gpointer)(*c)->name);
		g_ptr_array_add(names, NULL);
		tool_unknown(error, "command", argv[0], (const char *const *)names->pdata);
		return TOOL_USER_ERROR;
	}
	return tool_print(text, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_help = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.doc = "Explain tspsim, or one of its commands.",
	.max_args = 1,
	.run = run_help,
};
