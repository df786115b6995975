/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim asm FILE.tsp -o FILE.tspo: assemble, write the container.
 */
#include "tools/requests.h"
#include "tools/styles.h"
#include "tools/tool.h"

static char *machine_name;
static char *output;
static char **sets;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name,
         "assemble for MACHINE (default: the one that .machine names, or tsp)", "MACHINE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write the program to FILE", "FILE"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets, "set a machine key; may be repeated", "KEY=VALUE"},
	{0},
};

static int run_asm(int argc, char **argv, GError **error)
{
	program_request q = {.machine = machine_name, .path = argv[0], .output = output, .sets = sets};
	const tool_style *style;

	(void)argc;
	if (!output) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "asm: give the output file with -o FILE.tspo");
		return TOOL_USER_ERROR;
	}
	if (g_str_has_suffix(argv[0], ".tspo")) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: a program already; asm takes assembly text",
		            argv[0]);
		return TOOL_USER_ERROR;
	}
	style = tool_style_choose(machine_name, argv[0], error);
	return style ? style->assemble(&q, error) : TOOL_USER_ERROR;
}

const tool_command cmd_asm = {
	.name = "asm",
	.synopsis = "FILE.tsp -o FILE.tspo [-m MACHINE] [--set KEY=VALUE]...",
	.doc = "Assemble a text program into a binary one.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_asm,
};
