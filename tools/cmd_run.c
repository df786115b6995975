/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim [run]: schedule a workload (or take a program), simulate it, hold the simulation against the prediction and
 * the results against the reference, report.  The kind of machine (tools/styles.h) does the work.
 */
#include <string.h>

#include "tools/method.h"
#include "tools/options.h"
#include "tools/requests.h"
#include "tools/setup.h"
#include "tools/styles.h"
#include "tools/tool.h"

static char *machine_name;
static char *workload;
static char **sets;
static char *trace;
static char *trace_level;
static char *trace_window;
static char *policy;
static char *kernel;
static char *priority;
static gint64 seed = 1;
static gint64 shuffle;
static method_words words;
static gboolean functional;
static gboolean no_functional;
static gboolean specials;
static gboolean no_predictions;
static gboolean by_timestamp;
static gboolean launch;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name,
         "simulate MACHINE: a preset's name or a YAML file (default: tsp)", "MACHINE"},
	{"workload", 'w', 0, G_OPTION_ARG_FILENAME, &workload,
         "schedule and run WORKLOAD (default: " SETUP_DEFAULT_WORKLOAD ")", "WORKLOAD"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets,
         "set a machine key, for the scheduler and the simulation or (sched., hw.) one of them; or csv.form, "
         "csv.dialect, "
         "csv.dtype; "
         "may be repeated",
         "[sched.|hw.]KEY=VALUE"},
	{"trace", 't', 0, G_OPTION_ARG_FILENAME, &trace, "write a trace database to FILE", "FILE"},
	{"trace-level", 0, 0, G_OPTION_ARG_STRING, &trace_level,
         "summary (counters), units (spans of each queue or pipe) or full (everything; default)", "LEVEL"},
	{"trace-window", 0, 0, G_OPTION_ARG_STRING, &trace_window, "trace cycles from START to before STOP only",
         "START:STOP"},
	{"functional", 0, 0, G_OPTION_ARG_NONE, &functional,
         "carry values and compare results with the reference, bit for bit", NULL},
	{"no-functional", 0, 0, G_OPTION_ARG_NONE, &no_functional, "timing only, also for the default workload", NULL},
	{"specials", 0, 0, G_OPTION_ARG_NONE, &specials,
         "put infinities, NaN and extreme integers among the seeded inputs", NULL},
	{"policy", 0, 0, G_OPTION_ARG_STRING, &policy,
         "what a hazard does: fault-continue (record it; default), fault-stop (and stop) or freeze (wait for a busy "
         "bank)",
         "POLICY"},
	{"kernel", 0, 0, G_OPTION_ARG_STRING, &kernel, "simulation kernel: systemc (default where compiled in) or ref",
         "KERNEL"},
	{"shuffle", 0, 0, G_OPTION_ARG_INT64, &shuffle,
         "permute the order of processes inside a phase by seed N; no result may change", "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of input data and of the scheduler's tie breaks (default: 1)",
         "N"},
	{"priority", 0, 0, G_OPTION_ARG_STRING, &priority,
         "weights of critical path, resource use and fan-out in the list priority", "A,B,G"},
	METHOD_OPTIONS(words),
	{"no-predictions", 0, 0, G_OPTION_ARG_NONE, &no_predictions, "drop the predictions a program carries", NULL},
	{"by-timestamp", 0, 0, G_OPTION_ARG_NONE, &by_timestamp,
         "what if instructions began at their predicted cycles and not by flags: what synchronisation costs, and "
         "whether "
         "it would be safe (machines like ascend-910b)",
         NULL},
	{"launch", 0, 0, G_OPTION_ARG_NONE, &launch,
         "count the launch of the task, too: blocks begin launch_us after cycle 0 (machines like ascend-910b)", NULL},
	{0},
};

/* What is wrong whatever the machine is. */
static bool check_options(const char *word, GError **error)
{
	const char *problem = NULL;

	if (workload && word)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unexpected argument '%s' beside -w %s", word, workload);
	else if (functional && no_functional)
		problem = "--functional and --no-functional contradict each other";
	else
		return true;
	if (problem)
		g_set_error_literal(error, TSP_ERROR, TSP_ERROR_USER, problem);
	return false;
}

static int run_run(int argc, char **argv, GError **error)
{
	const char *word = argc ? argv[0] : NULL;
	run_request q = {
		.machine = machine_name,
		.workload = workload,
		.word = word,
		.sets = sets,
		.trace = trace,
		.trace_level = trace_level,
		.trace_window = trace_window,
		.policy = policy,
		.kernel = kernel,
		.priority = priority,
		.seed = (uint64_t)seed,
		.shuffle = (uint64_t)shuffle,
		.functional = functional,
		.no_functional = no_functional,
		.specials = specials,
		.no_predictions = no_predictions,
		.by_timestamp = by_timestamp,
		.launch = launch,
	};
	bool program = word && setup_is_program(word);
	bool values = functional || (!workload && !word && !no_functional);
	const tool_style *style;

	if (!check_options(word, error) || !method_read(&words, &q.search, error))
		return TOOL_USER_ERROR;
	style = tool_style_choose(machine_name, program ? word : NULL, error);
	return style && options_check(method_holds(&q.search) | (program ? 0 : NEED_WORKLOAD) |
	                                      (values ? NEED_VALUES : 0) |
	                                      (g_strcmp0(trace_level, "summary") != 0 ? NEED_SPANS : 0) |
	                                      (strcmp(style->name, "ascend") == 0 ? NEED_ASCEND : 0),
	                              error)
	               ? style->run(&q, error)
	               : TOOL_USER_ERROR;
}

const tool_command cmd_run = {
	.name = "run",
	.synopsis = "[-m MACHINE] [-w WORKLOAD] [OPTION...]\n[-m MACHINE] PROGRAM [OPTION...]",
	.doc = "Schedule a workload (or take a program), simulate it, compare, and report. The default command.",
	.details =
		"PROGRAM is a .tspo file of `tspsim sched` or `tspsim asm`, or assembly text (.tsp). Without -w and "
		"PROGRAM the\n"
		"default workload runs with the functional check. `tspsim list workloads` and `tspsim list machines` "
		"show what\n"
		"there is; `tspsim list keys` what can be set.\n",
	.options = options,
	.min_args = 0,
	.max_args = 1,
	.run = run_run,
};
