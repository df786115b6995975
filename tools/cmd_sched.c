/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sched WORKLOAD -o FILE.tspo: schedule, check the schedule, write the program.
 */
#include "tools/method.h"
#include "tools/options.h"
#include "tools/requests.h"
#include "tools/styles.h"
#include "tools/tool.h"
#include "traces/draw.h"

static char *machine_name;
static char *output;
static char **sets;
static char *priority;
static gint64 seed = 1;
static method_words words;
static char *gantt;
static gboolean report;
static gboolean functional;
static gboolean specials;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name, "schedule for MACHINE (default: tsp)", "MACHINE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write the program to FILE", "FILE"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets,
         "set a machine key, or csv.form, csv.dialect, csv.dtype; may be repeated", "KEY=VALUE"},
	{"priority", 0, 0, G_OPTION_ARG_STRING, &priority,
         "weights of critical path, resource use and fan-out in the list priority", "A,B,G"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of tie breaks and of input data (default: 1)", "N"},
	METHOD_OPTIONS(words),
	{"report", 0, 0, G_OPTION_ARG_NONE, &report, "say bounds, gap, what binds, moves and decisions", NULL},
	{"gantt", 0, 0, G_OPTION_ARG_FILENAME, &gantt,
         "draw operations over time into FILE (.svg, .png, .pdf; .tsv: the numbers)", "FILE"},
	{"functional", 0, 0, G_OPTION_ARG_NONE, &functional, "put input data into the program", NULL},
	{"specials", 0, 0, G_OPTION_ARG_NONE, &specials,
         "put infinities, NaN and extreme integers among the seeded inputs", NULL},
	{0},
};

static int run_sched(int argc, char **argv, GError **error)
{
	sched_request q = {
		.machine = machine_name,
		.workload = argv[0],
		.output = output,
		.priority = priority,
		.sets = sets,
		.seed = (uint64_t)seed,
		.functional = functional,
		.specials = specials,
		.gantt = gantt,
	};
	const tool_style *style;

	(void)argc;
	if (!method_read(&words, &q.search, error) ||
	    !options_check(method_holds(&q.search) | (functional ? NEED_VALUES : 0), error) ||
	    (gantt && !trace_draw_check(gantt, error)))
		return TOOL_USER_ERROR;
	q.search.report = report;
	style = tool_style_choose(machine_name, NULL, error);
	return style ? style->sched(&q, error) : TOOL_USER_ERROR;
}

const tool_command cmd_sched = {
	.name = "sched",
	.synopsis = "WORKLOAD [-m MACHINE] [-o FILE.tspo] [OPTION...]",
	.doc = "Schedule a workload without simulating it.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_sched,
};
