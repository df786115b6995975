/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim export run.db --format FORMAT -o FILE|DIR: a trace for another program's viewer.
 */
#include <string.h>

#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/tool.h"
#include "traces/export.h"

static char *format_name;
static char *output;
static char *window;

static const GOptionEntry options[] = {
	{"format", 'f', 0, G_OPTION_ARG_STRING, &format_name, "perfetto: a JSON file; msprof: a folder", "FORMAT"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write to this file, or folder", "FILE|DIR"},
	{"window", 0, 0, G_OPTION_ARG_STRING, &window, "what begins in cycles from START to before STOP only",
         "START:STOP"},
	{0},
};

static const trace_export_format *find_format(GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (const trace_export_format *f = trace_export_formats; f->name; f++) {
		if (format_name && strcmp(f->name, format_name) == 0)
			return f;
		g_ptr_array_add(names, (gpointer)f->name);
	}
	g_ptr_array_add(names, NULL);
	if (format_name) {
		tool_unknown(error, "format", format_name, (const char *const *)names->pdata);
	} else {
		g_autofree char *all = g_strjoinv(" or ", (char **)names->pdata);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "export: give --format %s", all);
	}
	return NULL;
}

static bool parse_window(trace_export_options *o, GError **error)
{
	g_auto(GStrv) parts = window ? g_strsplit(window, ":", 2) : NULL;

	if (!window || (parts[0] && parts[1] && g_ascii_string_to_signed(parts[0], 10, 0, INT64_MAX, &o->start, NULL) &&
	                g_ascii_string_to_signed(parts[1], 10, 1, INT64_MAX, &o->stop, NULL) && o->start < o->stop))
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "--window %s: expected START:STOP, two cycles, the first one lower", window);
	return false;
}

static char *result_text(const trace_export_counts *n)
{
	json *j;

	if (!tool_json) {
		g_autofree char *slices = tool_count(n->slices), *flows = tool_count(n->flows);
		g_autofree char *counters = tool_count(n->counters);

		return g_strdup_printf("%s: files %" G_GUINT64_FORMAT ", slices %s, flows %s, counter values %s\n",
		                       output, n->files, slices, flows, counters);
	}
	j = json_new();
	json_object(j, NULL);
	json_string(j, "output", output);
	json_uint(j, "files", n->files);
	json_uint(j, "slices", n->slices);
	json_uint(j, "flows", n->flows);
	json_uint(j, "counters", n->counters);
	json_end(j);
	return json_finish(j);
}

static int run_export(int argc, char **argv, GError **error)
{
	const trace_export_format *format = find_format(error);
	trace_export_options chosen = {.end_now = interrupt_happened};
	trace_export_counts counts = {0};
	g_autofree char *text = NULL;
	g_autofree char *beside = NULL;
	trace_reader *reader;
	bool written = false;

	(void)argc;
	if (!format || !parse_window(&chosen, error))
		return TOOL_USER_ERROR;
	if (!output) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "export: give the %s with -o",
		            format->folder ? "folder" : "file");
		return TOOL_USER_ERROR;
	}
	reader = trace_reader_open(argv[0], error);
	beside = trace_export_beside(output);
	if (format->folder)
		interrupt_defer(true);
	else
		interrupt_removes(beside);
	if (reader)
		written = format->write(reader, output, &chosen, &counts, error);
	interrupt_removes(NULL);
	/* The folder that was being filled is away when the process ends here. */
	interrupt_resume();
	trace_reader_free(reader);
	if (!written)
		return TOOL_USER_ERROR;
	text = result_text(&counts);
	return (tool_quiet && !tool_json) || tool_print(text, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_export = {
	.name = "export",
	.synopsis = "FILE.db -f perfetto -o FILE.json [--window START:STOP]\nFILE.db -f msprof -o DIR [--window "
		    "START:STOP]",
	.doc = "Write a trace in the format of another program's viewer.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_export,
};
