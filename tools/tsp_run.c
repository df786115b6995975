/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim run for a TSP: schedule a workload (or take a program), simulate it, hold the simulation against the
 * prediction and the results against the reference, report.
 */
#include "tools/tsp.h"

#include <string.h>

#include "tools/method.h"
#include "tools/record.h"
#include "tools/setup.h"
#include "tools/simulate.h"
#include "tools/tool.h"

static const char *const policy_names[] = {
	[TSP_POLICY_FAULT_CONTINUE] = "fault-continue",
	[TSP_POLICY_FAULT_STOP] = "fault-stop",
	[TSP_POLICY_FREEZE] = "freeze",
	NULL,
};

static bool read_options(simulate_options *o, const run_request *q, GError **error)
{
	const char *const *kernels = sim_kernel_names();

	*o = (simulate_options){
		.kernel = q->kernel ? q->kernel : kernels[0],
		.shuffle = q->shuffle,
		.trace = q->trace,
		.trace_level = q->trace_level ? q->trace_level : "full",
		.trace_window = q->trace_window,
		.seed = q->seed,
	};
	if (!g_strv_contains(kernels, o->kernel)) {
		tool_unknown(error, "kernel", o->kernel, kernels);
		return false;
	}
	if (q->policy) {
		while (policy_names[o->policy] && strcmp(policy_names[o->policy], q->policy) != 0)
			o->policy++;
		if (!policy_names[o->policy]) {
			tool_unknown(error, "policy", q->policy, policy_names);
			return false;
		}
	}
	return !q->trace || record_check(o->trace_level, o->trace_window, error);
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

static bool job_init(job *j, const run_request *q, simulate_options *o, GError **error)
{
	const char *word = q->word;
	setup_schedule how = {.workload = q->workload ? q->workload : word,
	                      .priority = q->priority,
	                      .seed = q->seed,
	                      .specials = q->specials,
	                      .search = &q->search};

	*j = (job){0};
	if (word && setup_is_program(word)) {
		o->functional = q->functional;
		j->program = setup_open(&j->s, word, q->machine, q->sets, error);
	} else {
		o->functional = q->functional || (!how.workload && !q->no_functional);
		how.functional = o->functional;
		if (!how.workload)
			how.workload = SETUP_DEFAULT_WORKLOAD;
		if (!setup_init(&j->s, q->machine, q->sets, error))
			return false;
		j->program = setup_compile(&j->s, &how, &j->graphs, &j->schedule, error);
		j->scheduled = true;
	}
	if (j->program && j->program->insns->len == 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to run: no instructions",
		            word ? word : how.workload);
		g_clear_pointer(&j->program, isa_program_free);
	}
	if (j->program && q->no_predictions) {
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

/* A signal came while the scheduler searched: what it found so far, and no simulation. */
static int print_interrupted(job *j)
{
	g_autoptr(GString) out = g_string_new(NULL);

	method_text(out, j->schedule.search, true);
	if (!tool_quiet)
		tool_print(out->str, NULL);
	job_fini(j);
	return TOOL_INTERRUPTED;
}

int tsp_run(const run_request *q, GError **error)
{
	gint64 start = g_get_monotonic_time();
	simulate_options o;
	job j;
	simulation *done = NULL;
	int status = TOOL_USER_ERROR;

	if (!read_options(&o, q, error))
		return status;
	if (job_init(&j, q, &o, error) && method_interrupted())
		return print_interrupted(&j);
	if (j.program) {
		o.method = j.scheduled ? "list" : NULL;
		o.search = j.schedule.search;
		done = simulate(j.s.sched, j.s.hw, j.program, j.graphs, &o, error);
	}
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
