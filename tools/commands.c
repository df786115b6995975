/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of subcommands, from tools/cmd.def.
 */
#include <string.h>

#include "tools/tool.h"

#define CMD(name) extern const tool_command cmd_##name;
#include "tools/cmd.def"

const tool_command *const tool_commands[] = {
#define CMD(name) &cmd_##name,
#include "tools/cmd.def"
	NULL,
};

const tool_command *tool_command_find(const char *name)
{
	for (const tool_command *const *command = tool_commands; *command; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}
