/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim run for Ascend-style machines: one simulation, or with --by-timestamp two.
 */
#include <string.h>

#include "tools/asc.h"
#include "tools/asc_report.h"
#include "tools/method.h"
#include "tools/record.h"
#include "tools/setup.h"
#include "tools/tool.h"

static bool refuse(GError **error, const char *text)
{
	g_set_error_literal(error, TSP_ERROR, TSP_ERROR_USER, text);
	return false;
}

static bool read_options(ascend_options *o, const run_request *q, GError **error)
{
	static const char *const policies[] = {"fault-continue", "fault-stop", NULL};
	const char *const *kernels = sim_kernel_names();

	*o = (ascend_options){
		.kernel = q->kernel ? q->kernel : kernels[0],
		.shuffle = q->shuffle,
		.seed = q->seed,
		.trace = q->trace,
		.trace_level = q->trace_level ? q->trace_level : "full",
		.trace_window = q->trace_window,
		.launch = q->launch,
	};
	if (!g_strv_contains(kernels, o->kernel)) {
		tool_unknown(error, "kernel", o->kernel, kernels);
		return false;
	}
	if (g_strcmp0(q->policy, "freeze") == 0)
		return refuse(error, "--policy freeze is for a TSP; pipes of this machine always wait for busy banks: "
		                     "expected fault-continue or fault-stop");
	if (q->policy && !g_strv_contains(policies, q->policy)) {
		tool_unknown(error, "policy", q->policy, policies);
		return false;
	}
	o->stop_at_first = g_strcmp0(q->policy, "fault-stop") == 0;
	if (q->by_timestamp && q->no_predictions)
		return refuse(error, "--by-timestamp needs the predictions that --no-predictions drops");
	return !q->trace || record_check(o->trace_level, o->trace_window, error);
}

/* What to run: the program, with its graphs and schedule report when it was scheduled here. */
typedef struct job {
	ascend_setup s;
	asc_program *program;
	GPtrArray *graphs;
	sched_report schedule;
	bool scheduled;
} job;

static void job_fini(job *j)
{
	asc_program_free(j->program);
	if (j->graphs)
		g_ptr_array_unref(j->graphs);
	sched_report_fini(&j->schedule);
	ascend_setup_fini(&j->s);
}

static void each_insn(asc_program *program, void (*change)(asc_insn *insn, int64_t parameter), int64_t parameter)
{
	for (guint s = 0; s < program->streams->len; s++) {
		GArray *insns = ((asc_stream *)g_ptr_array_index(program->streams, s))->insns;

		for (guint i = 0; i < insns->len; i++)
			change(&g_array_index(insns, asc_insn, i), parameter);
	}
}

static void forget(asc_insn *insn, int64_t parameter)
{
	(void)parameter;
	insn->start = insn->end = ASC_NO_TIME;
}

/* By timestamp a flag of a pipe holds nothing up and passes when it is there: its time says nothing.  The scalar unit
 * keeps its own times. */
static void forget_flag(asc_insn *insn, int64_t parameter)
{
	bool waits = insn->op == ASC_OP_WAITFLAG;

	if (asc_tally_is_sync((enum asc_op)insn->op) && insn->op != ASC_OP_WAITCROSS &&
	    insn->f[waits ? 1 : 0] != ASC_PIPE_S)
		forget(insn, parameter);
}

static void postpone(asc_insn *insn, int64_t cycles)
{
	if (insn->start != ASC_NO_TIME)
		insn->start += cycles;
	if (insn->end != ASC_NO_TIME)
		insn->end += cycles;
}

/* What the program predicts, as this run is to be held against it. */
static void change_predictions(asc_program *program, const asc_machine *sched, const run_request *q)
{
	if (q->no_predictions) {
		each_insn(program, forget, 0);
		program->predicted_cycles = -1;
	}
	if (q->by_timestamp)
		each_insn(program, forget_flag, 0);
	if (q->launch) {
		each_insn(program, postpone, asc_launch_cycles(sched));
		if (program->predicted_cycles >= 0)
			program->predicted_cycles += asc_launch_cycles(sched);
	}
}

static bool take_program(job *j, const run_request *q, ascend_options *o, GError **error)
{
	o->functional = q->functional;
	j->program = ascend_open(&j->s, q->word, q->machine, q->sets, error);
	return j->program != NULL;
}

static bool schedule(job *j, const run_request *q, ascend_options *o, GError **error)
{
	ascend_schedule how = {.workload = q->workload ? q->workload : q->word,
	                       .priority = q->priority,
	                       .seed = q->seed,
	                       .specials = q->specials,
	                       .search = &q->search};

	o->functional = q->functional || (!how.workload && !q->no_functional);
	how.functional = o->functional;
	if (!how.workload)
		how.workload = SETUP_DEFAULT_WORKLOAD;
	if (!ascend_setup_init(&j->s, q->machine, q->sets, error))
		return false;
	j->program = ascend_compile(&j->s, &how, &j->graphs, &j->schedule, error);
	j->scheduled = true;
	return j->program != NULL;
}

static bool job_init(job *j, const run_request *q, ascend_options *o, GError **error)
{
	const char *name = q->workload ? q->workload : q->word ? q->word : SETUP_DEFAULT_WORKLOAD;

	*j = (job){0};
	if (!(q->word && setup_is_program(q->word) ? take_program(j, q, o, error) : schedule(j, q, o, error)))
		return false;
	if (!ascend_count(j->program, false)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to run: no instructions", name);
		return false;
	}
	change_predictions(j->program, j->s.sched, q);
	if (q->by_timestamp && !ascend_count(j->program, true)) {
		g_set_error(
			error, TSP_ERROR, TSP_ERROR_USER,
			"%s: --by-timestamp needs predicted cycles, and no instruction has one; the scheduler writes "
			"them, in assembly they are @START before the mnemonic",
			name);
		return false;
	}
	return true;
}

/* The outcome on stdout; the exit status. */
static int print_report(const ascend_report *r, GError **error)
{
	g_autofree char *text = tool_json ? ascend_report_json(r) : ascend_report_text(r, tool_colour(stdout));

	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	if (r->result->interrupted)
		return TOOL_INTERRUPTED;
	return ascend_found_fault(r) ? TOOL_FOUND : TOOL_OK;
}

/* By timestamp the ordinary run comes first, without a trace, to be compared with. */
static bool simulate_both(const job *j, const ascend_options *o, ascend_result *ordinary, ascend_result *result,
                          GError **error)
{
	ascend_options plain = *o;

	plain.by_timestamp = false;
	plain.trace = NULL;
	/* One SystemC kernel lives in a process; the others give the same cycles. */
	if (o->by_timestamp)
		plain.kernel = "ref";
	return (!o->by_timestamp || ascend_simulate(ordinary, j->s.sched, j->s.hw, j->program, NULL, &plain, error)) &&
	       ascend_simulate(result, j->s.sched, j->s.hw, j->program, j->graphs, o, error);
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

int ascend_run(const run_request *q, GError **error)
{
	gint64 start = g_get_monotonic_time();
	ascend_options o;
	ascend_result ordinary = {0}, result = {0};
	job j = {0};
	int status = TOOL_USER_ERROR;

	if (!read_options(&o, q, error))
		return status;
	o.by_timestamp = q->by_timestamp;
	if (!job_init(&j, q, &o, error)) {
		job_fini(&j);
		return status;
	}
	if (method_interrupted())
		return print_interrupted(&j);
	o.method = j.scheduled ? "list" : NULL;
	o.search = j.schedule.search;
	if (simulate_both(&j, &o, &ordinary, &result, error)) {
		ascend_report r = {.sched = j.s.sched,
		                   .hw = j.s.hw,
		                   .program = j.program,
		                   .schedule = j.scheduled ? &j.schedule : NULL,
		                   .result = &result,
		                   .ordinary = o.by_timestamp ? &ordinary : NULL,
		                   .functional = o.functional,
		                   .launch_cycles = o.launch ? asc_launch_cycles(j.s.hw) : 0,
		                   .trace = o.trace,
		                   .trace_level = o.trace_level};

		r.wall_s = (double)(g_get_monotonic_time() - start) / 1e6;
		status = print_report(&r, error);
	}
	ascend_result_fini(&ordinary);
	ascend_result_fini(&result);
	job_fini(&j);
	return status;
}
