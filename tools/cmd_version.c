/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim version: version and the kernels compiled in.
 */
#include "config.h"
#include "sim/kernel.h"
#include "tools/json.h"
#include "tools/tool.h"

static int run_version(int argc, char **argv, GError **error)
{
	g_autofree char *kernels = g_strjoinv(", ", (char **)sim_kernel_names());
	g_autofree char *text = NULL;

	(void)argc;
	(void)argv;
	if (tool_json) {
		json *j = json_new();

		json_object(j, NULL);
		json_string(j, "version", PACKAGE_VERSION);
		json_array(j, "kernels");
		for (const char *const *name = sim_kernel_names(); *name; name++)
			json_string(j, NULL, *name);
		json_end(j);
		json_end(j);
		text = json_finish(j);
	} else {
		text = g_strdup_printf("tspsim %s\nkernels: %s\n", PACKAGE_VERSION, kernels);
	}
	return tool_print(text, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_version = {
	.name = "version",
	.synopsis = "",
	.doc = "Print the version and the simulation kernels compiled in.",
	.max_args = 0,
	.run = run_version,
};
