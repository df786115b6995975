/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim dis FILE.tspo: the program as assembly text, which assembles back to the same bits.
 */
#include "tools/requests.h"
#include "tools/styles.h"
#include "tools/tool.h"

static char *machine_name;
static char *output;
static char **sets;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name,
         "name queues as on MACHINE (default: the one the program names)", "MACHINE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write the text to FILE (default: standard output)", "FILE"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets, "set a machine key; may be repeated", "KEY=VALUE"},
	{0},
};

static int run_dis(int argc, char **argv, GError **error)
{
	program_request q = {.machine = machine_name, .path = argv[0], .output = output, .sets = sets};
	const tool_style *style = tool_style_choose(machine_name, argv[0], error);

	(void)argc;
	return style ? style->disassemble(&q, error) : TOOL_USER_ERROR;
}

const tool_command cmd_dis = {
	.name = "dis",
	.synopsis = "FILE.tspo [-o FILE.tsp] [-m MACHINE] [--set KEY=VALUE]...",
	.doc = "Disassemble a program.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_dis,
};
