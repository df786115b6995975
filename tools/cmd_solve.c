/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim solve FILE: a scheduling problem in a public format, by the engines that schedule programs.
 */
#include <string.h>

#include "isa/file.h"
#include "sched/alg/read/read.h"
#include "sched/alg/rules.h"
#include "sched/alg/solve.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/tool.h"

static char *method, *format, *rule, *out;
static gdouble seconds, alpha = 1.0, beta, gamma_weight, lambda = 1.0;
static gint64 schedules, conflicts, seed = 1; /* 0: the default */
static gint processors = 1, jobs;
static gboolean uniform;

static const GOptionEntry options[] = {
	{"method", 0, 0, G_OPTION_ARG_STRING, &method, "list, anneal or exact (default: anneal)", "METHOD"},
	{"time", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "end after so many seconds at the latest (default: no limit)",
         "S"},
	{"schedules", 0, 0, G_OPTION_ARG_INT64, &schedules,
         "build at most N schedules (default: 5000; list: 100, 1 above 50,000 tasks)", "N"},
	{"conflicts", 0, 0, G_OPTION_ARG_INT64, &conflicts,
         "exact: search for at most N conflicts (default: 1,000,000; no limit with --time)", "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of all randomness (default: 1)", "K"},
	{"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs,
         "threads (default: as many as processors); results do not depend on it", "N"},
	{"format", 0, 0, G_OPTION_ARG_STRING, &format,
         "psplib, progenmax, stg, jobshop or patterson (default: recognised)", "FORMAT"},
	{"processors", 0, 0, G_OPTION_ARG_INT, &processors, "identical processors for a task graph (default: 1)", "M"},
	{"rule", 0, 0, G_OPTION_ARG_STRING, &rule,
         "list: this priority rule only: lftd, lst, lft, slack, s2, mts, grpw, work, lpt, spt or fifo", "RULE"},
	{"alpha", 0, 0, G_OPTION_ARG_DOUBLE, &alpha, "rule s2: weight of the critical path (default: 1)", "X"},
	{"beta", 0, 0, G_OPTION_ARG_DOUBLE, &beta, "rule s2: weight of the demand (default: 0)", "X"},
	{"gamma", 0, 0, G_OPTION_ARG_DOUBLE, &gamma_weight, "rule s2: weight of the fan-out (default: 0)", "X"},
	{"lambda", 0, 0, G_OPTION_ARG_DOUBLE, &lambda, "anneal: weight of utilisation (default: 1)", "X"},
	{"uniform", 0, 0, G_OPTION_ARG_NONE, &uniform, "anneal: draw operators evenly, not by their past gain", NULL},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
         "write the schedule: a line a task with number, start, end, mode and processor", "FILE"},
	{"out", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &out, "--output", "FILE"},
	{0},
};

static gint64 began_us;

static bool stop(void *state)
{
	(void)state;
	return interrupt_happened() || (seconds > 0 && (double)(g_get_monotonic_time() - began_us) >= 1e6 * seconds);
}

/* Can every option have an effect?  Of the file, what READ_AS says, NULL before it is read. */
static bool check_options(const char *read_as, GError **error)
{
	const char *how = method ? method : "anneal";
	uint64_t holds = 0;

	if (strcmp(how, "list") == 0)
		holds |= NEED_LIST | (!rule || strcmp(rule, "s2") == 0 ? NEED_RULE_S2 : 0);
	else
		holds |= strcmp(how, "exact") == 0 ? NEED_EXACT : NEED_ANNEALED;
	if (!read_as || strcmp(read_as, "stg") == 0)
		holds |= NEED_TASK_GRAPH;
	return options_check(holds, error);
}

static bool has_schedule(const alg_solve_result *r)
{
	return r->status == ALG_OPTIMAL || r->status == ALG_FEASIBLE;
}

static int64_t end_of(const alg_problem *problem, const alg_solve_result *r, uint32_t v)
{
	return r->schedule.start_cycles[v] + alg_problem_mode(problem, v, r->schedule.mode[v])->duration_cycles;
}

static char *as_json(const char *path, const char *read_as, const alg_problem *problem, const alg_solve_options *o,
                     const alg_solve_result *r, double taken)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "file", path);
	json_string(j, "format", read_as);
	json_uint(j, "tasks", problem->tasks->len);
	json_string(j, "method", o->method);
	json_uint(j, "seed", o->seed);
	json_string(j, "status", alg_status_names[r->status]);
	if (has_schedule(r))
		json_int(j, "makespan", r->schedule.makespan_cycles);
	else
		json_null(j, "makespan");
	json_int(j, "lower_bound", r->lower_bound_cycles);
	json_string(j, "bound_by", r->bound_by);
	json_bool(j, "proved", r->status == ALG_OPTIMAL || r->status == ALG_INFEASIBLE);
	json_uint(j, "schedules", r->schedules);
	json_uint(j, "conflicts", r->conflicts);
	json_real(j, "seconds", taken);
	json_bool(j, "capped", r->capped);
	json_bool(j, "interrupted", interrupt_happened());
	json_bool(j, "valid", r->valid);
	json_string(j, "found_by", r->found_by);
	json_string(j, "explanation", r->explanation);
	json_array(j, "moves");
	for (unsigned i = 0; i < ALG_MOST_MOVES && r->moves[i].name; i++) {
		json_object(j, NULL);
		json_string(j, "move", r->moves[i].name);
		json_uint(j, "tried", r->moves[i].tried);
		json_uint(j, "accepted", r->moves[i].accepted);
		json_uint(j, "improved", r->moves[i].improved);
		json_end(j);
	}
	json_end(j);
	json_array(j, "starts");
	for (uint32_t v = 0; has_schedule(r) && v < problem->tasks->len; v++)
		json_int(j, NULL, r->schedule.start_cycles[v]);
	json_end(j);
	json_end(j);
	return json_finish(j);
}

static char *as_text(const alg_problem *problem, const alg_solve_result *r, double taken)
{
	GString *text = g_string_new(NULL);
	g_autofree char *tasks = tool_count(problem->tasks->len);
	g_autofree char *built = tool_count(r->schedules);

	g_string_append_printf(text, "%s, %s task%s\n", alg_status_names[r->status], tasks, tsp_s(problem->tasks->len));
	if (has_schedule(r)) {
		double gap = r->lower_bound_cycles > 0
		                     ? (double)r->schedule.makespan_cycles / (double)r->lower_bound_cycles - 1
		                     : 0;

		g_string_append_printf(text, "makespan     %" G_GINT64_FORMAT " (found by %s)\n",
		                       r->schedule.makespan_cycles, r->found_by ? r->found_by : "?");
		g_string_append_printf(text, "lower bound  %" G_GINT64_FORMAT " (%s), gap %.2f %%\n",
		                       r->lower_bound_cycles, r->bound_by, 100 * gap);
	} else if (r->explanation) {
		g_string_append_printf(text, "%s\n", r->explanation);
	}
	g_string_append_printf(text, "schedules    %s in %.3f s%s\n", built, taken, interrupt_ending(r->capped));
	if (r->conflicts) {
		g_autofree char *count = tool_count(r->conflicts);

		g_string_append_printf(text, "conflicts    %s\n", count);
	}
	for (unsigned i = 0; i < ALG_MOST_MOVES && r->moves[i].name; i++)
		g_string_append_printf(text,
		                       "move %-8s tried %" G_GUINT64_FORMAT ", accepted %" G_GUINT64_FORMAT
		                       ", improved %" G_GUINT64_FORMAT "\n",
		                       r->moves[i].name, r->moves[i].tried, r->moves[i].accepted, r->moves[i].improved);
	return g_string_free(text, FALSE);
}

static bool write_schedule(const alg_problem *problem, const alg_solve_result *r, GError **error)
{
	g_autoptr(GString) text = g_string_new("task\tstart\tend\tmode\tprocessor\n");

	for (uint32_t v = 0; has_schedule(r) && v < problem->tasks->len; v++)
		g_string_append_printf(text, "%u\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%u\t%u\n", v,
		                       r->schedule.start_cycles[v], end_of(problem, r, v), r->schedule.mode[v],
		                       r->schedule.processor[v]);
	return tsp_file_write(out, text->str, text->len, error);
}

static bool solve(const char *path, const char *read_as, const alg_problem *problem, GError **error)
{
	alg_solve_options o;
	alg_solve_result result;
	progress *line = progress_begin("solve");
	g_autofree char *text = NULL;
	double taken;
	bool ok;

	alg_solve_options_init(&o);
	o.method = method ? method : "anneal";
	o.schedules = (uint64_t)schedules;
	o.unlimited = !schedules && seconds > 0;
	o.conflicts = conflicts ? (uint64_t)conflicts : seconds > 0 ? UINT64_MAX : 0;
	o.seed = (uint64_t)seed;
	o.threads = jobs ? (unsigned)jobs : g_get_num_processors();
	o.rule = rule;
	o.weights = (alg_weights){alpha, beta, gamma_weight, 0};
	o.lambda = lambda;
	o.uniform = uniform;
	o.stop = stop;
	o.progress = progress_update;
	o.progress_state = line;
	interrupt_defer(true);
	ok = alg_solve(problem, &o, &result, error);
	interrupt_defer(false);
	progress_end(line);
	taken = (double)(g_get_monotonic_time() - began_us) * 1e-6;
	if (ok) {
		text = tool_json ? as_json(path, read_as, problem, &o, &result, taken)
		                 : as_text(problem, &result, taken);
		ok = (!out || write_schedule(problem, &result, error)) &&
		     ((tool_quiet && !tool_json) || tool_print(text, error));
	}
	alg_solve_result_fini(&result);
	return ok;
}

static int run_solve(int argc, char **argv, GError **error)
{
	alg_read_options read = {format, (uint32_t)processors};
	const char *read_as = NULL;
	alg_problem *problem;
	bool ok;

	(void)argc;
	began_us = g_get_monotonic_time();
	if (!check_options(NULL, error))
		return TOOL_USER_ERROR;
	problem = alg_read_file(tool_input(argv[0]), &read, &read_as, error);
	if (!problem)
		return TOOL_USER_ERROR;
	ok = check_options(read_as, error) && solve(argv[0], read_as, problem, error);
	alg_problem_free(problem);
	if (!ok)
		return error && *error ? tool_status_of(*error) : TOOL_USER_ERROR;
	return interrupt_happened() ? TOOL_INTERRUPTED : TOOL_OK;
}

const tool_command cmd_solve = {
	.name = "solve",
	.synopsis = "FILE",
	.doc = "Solve a scheduling problem in a public format by list scheduling, annealing or exactly.",
	.details = "FILE: PSPLIB .sm, ProGen/max .SCH, Patterson .rcp, Standard Task Graph .stg, or a job-shop text; "
		   "-: standard\n"
		   "input.\n"
		   "The answer is judged by a checker that shares no code with the engines.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_solve,
};
