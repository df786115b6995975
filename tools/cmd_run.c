/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim [run]: schedule a workload (or take a program), simulate it, hold the simulation against the prediction and
 * the results against the reference, report.
 */
#include <string.h>

#include "tools/record.h"
#include "tools/setup.h"
#include "tools/simulate.h"
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
static gboolean functional;
static gboolean no_functional;
static gboolean specials;
static gboolean no_predictions;

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
         "summary (counters), units (spans of each queue) or full (every access; default)", "LEVEL"},
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
	{"no-predictions", 0, 0, G_OPTION_ARG_NONE, &no_predictions, "drop the predictions a program carries", NULL},
	{0},
};

static const char *const policy_names[] = {
	[TSP_POLICY_FAULT_CONTINUE] = "fault-continue",
	[TSP_POLICY_FAULT_STOP] = "fault-stop",
	[TSP_POLICY_FREEZE] = "freeze",
	NULL,
};

static bool read_options(simulate_options *o, GError **error)
{
	const char *const *kernels = sim_kernel_names();

	*o = (simulate_options){
		.kernel = kernel ? kernel : kernels[0],
		.shuffle = (uint64_t)shuffle,
		.trace = trace,
		.trace_level = trace_level ? trace_level : "full",
		.trace_window = trace_window,
		.seed = (uint64_t)seed,
	};
	if (!g_strv_contains(kernels, o->kernel)) {
		tool_unknown(error, "kernel", o->kernel, kernels);
		return false;
	}
	if (policy) {
		while (policy_names[o->policy] && strcmp(policy_names[o->policy], policy) != 0)
			o->policy++;
		if (!policy_names[o->policy]) {
			tool_unknown(error, "policy", policy, policy_names);
			return false;
		}
	}
	if (seed < 0 || shuffle < 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--seed and --shuffle take numbers from 0");
		return false;
	}
	if (functional && no_functional) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--functional and --no-functional contradict each other");
		return false;
	}
	if ((trace_level || trace_window) && !trace) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--trace-level and --trace-window need --trace FILE");
		return false;
	}
	return !trace || record_check(o, error);
}

/* What to run: the program, with its graphs and schedule report when it was scheduled here. */
typedef struct job {
	setup s;
	isa_program *program;
	GPtrArray *graphs;
	sched_report schedule;
	bool scheduled;
} job;

static void job_fini(job *j)
{
	if (j->program)
		isa_program_free(j->program);
	if (j->graphs)
		g_ptr_array_unref(j->graphs);
	sched_report_fini(&j->schedule);
	setup_fini(&j->s);
}

/* WORD is what stands on the command line besides the options, or NULL. */
static bool job_init(job *j, const char *word, simulate_options *o, GError **error)
{
	setup_schedule how = {.workload = workload ? workload : word,
	                      .priority = priority,
	                      .seed = (uint64_t)seed,
	                      .specials = specials};

	*j = (job){0};
	if (workload && word) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unexpected argument '%s' beside -w %s", word, workload);
		return false;
	}
	if (word && setup_is_program(word)) {
		if (specials) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--specials: a program has its data already");
			return false;
		}
		o->functional = functional;
		j->program = setup_open(&j->s, word, machine_name, sets, error);
	} else {
		o->functional = functional || (!how.workload && !no_functional);
		how.functional = o->functional;
		if (!how.workload)
			how.workload = SETUP_DEFAULT_WORKLOAD;
		if (!setup_init(&j->s, machine_name, sets, error))
			return false;
		j->program = setup_compile(&j->s, &how, &j->graphs, &j->schedule, error);
		j->scheduled = true;
	}
	if (j->program && j->program->insns->len == 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to run: no instructions",
		            word ? word : how.workload);
		g_clear_pointer(&j->program, isa_program_free);
	}
	if (j->program && no_predictions) {
		j->program->has_predictions = false;
		j->program->predicted_cycles = -1;
	}
	return j->program != NULL;
}

/* The outcome on stdout; the exit status. */
static int print_report(const report *r, GError **error)
{
	g_autofree char *text = tool_json ? report_json(r) : report_text(r, tool_colour(stdout));

	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	if (r->interrupted)
		return TOOL_INTERRUPTED;
	return report_found_fault(r) ? TOOL_FOUND : TOOL_OK;
}

static int run_run(int argc, char **argv, GError **error)
{
	gint64 start = g_get_monotonic_time();
	simulate_options o;
	job j;
	simulation *done = NULL;
	int status = TOOL_USER_ERROR;

	if (!read_options(&o, error))
		return status;
	if (job_init(&j, argc ? argv[0] : NULL, &o, error))
		done = simulate(j.s.sched, j.s.hw, j.program, j.graphs, &o, error);
	if (done) {
		report r = {.sched = j.s.sched,
		            .hw = j.s.hw,
		            .program = j.program,
		            .schedule = j.scheduled ? &j.schedule : NULL};

		simulation_report(done, &r);
		r.wall_s = (double)(g_get_monotonic_time() - start) / 1e6;
		status = print_report(&r, error);
	}
	simulation_free(done);
	job_fini(&j);
	return status;
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
