/* SPDX-License-Identifier: Apache-2.0
 *
 * The door of the scheduling engines: bounds first, then the engine, then the judge.
 */
#include "sched/alg/solve.h"

#include <string.h>

#include "sched/alg/bounds.h"
#include "sched/alg/check.h"
#include "sched/alg/engines.h"

const alg_method alg_methods[] = {
#define METHOD(name, doc) {#name, alg_solve_##name, doc},
#include "sched/alg/methods.def"
	{NULL, NULL, NULL},
};

const char *const alg_status_names[ALG_STATUS_COUNT] = {"optimal", "feasible", "infeasible", "unknown"};

void alg_solve_options_init(alg_solve_options *options)
{
	*options = (alg_solve_options){
		.method = "list", .seed = 1, .threads = 1, .weights = {1.0, 0.0, 0.0, 0}, .lambda = 1.0};
}

static const alg_method *find_method(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(alg_methods)] = {NULL};
	g_autofree char *all = NULL;
	const char *near;

	for (unsigned i = 0; alg_methods[i].name; i++) {
		names[i] = alg_methods[i].name;
		if (strcmp(names[i], name) == 0)
			return &alg_methods[i];
	}
	all = g_strjoinv(", ", (char **)names);
	near = tsp_nearest(name, names);
	if (near)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown method '%s'; did you mean '%s'?", name, near);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown method '%s'; expected one of: %s", name, all);
	return NULL;
}

/* Judges what the engine says. */
static bool judge(const alg_problem *problem, const alg_method *method, alg_solve_result *result, GError **error)
{
	g_autoptr(GString) offences = g_string_new(NULL);

	if (result->status != ALG_FEASIBLE && result->status != ALG_OPTIMAL)
		return true;
	result->valid = alg_check(problem, &result->schedule, offences, 5);
	if (!result->valid) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "method %s made a schedule that is none:\n%s",
		            method->name, offences->str);
		return false;
	}
	if (result->schedule.makespan_cycles < result->lower_bound_cycles) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
		            "method %s made a schedule of %" G_GINT64_FORMAT
		            " cycles, below the bound of %" G_GINT64_FORMAT " by %s",
		            method->name, result->schedule.makespan_cycles, result->lower_bound_cycles,
		            result->bound_by);
		return false;
	}
	if (result->schedule.makespan_cycles == result->lower_bound_cycles)
		result->status = ALG_OPTIMAL;
	return true;
}

bool alg_solve(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result, GError **error)
{
	const alg_method *method;
	alg_bound bound;

	*result = (alg_solve_result){.status = ALG_UNKNOWN};
	method = find_method(options->method, error);
	if (!method)
		return false;
	alg_lower_bound(problem, &bound);
	result->lower_bound_cycles = bound.cycles;
	result->bound_by = bound.by;
	if (bound.infeasible) {
		result->status = ALG_INFEASIBLE;
		result->explanation = bound.infeasible;
		return true;
	}
	alg_schedule_init(&result->schedule, problem->tasks->len);
	return method->solve(problem, options, result, error) && judge(problem, method, result, error);
}

void alg_solve_result_fini(alg_solve_result *result)
{
	alg_schedule_fini(&result->schedule);
	g_clear_pointer(&result->explanation, g_free);
}
