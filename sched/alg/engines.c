/* SPDX-License-Identifier: Apache-2.0
 *
 * What engines share.
 */
#include "sched/alg/engines.h"

#include <stdlib.h>
#include <string.h>

bool alg_stopped(const alg_solve_options *options, alg_solve_result *result)
{
	if (!result->capped && options->stop && options->stop(options->stop_state))
		result->capped = true;
	return result->capped;
}

bool alg_has_choices(const alg_problem *problem)
{
	for (uint32_t v = 0; v < problem->tasks->len; v++)
		if (g_array_index(problem->tasks, alg_task, v).mode_count > 1 ||
		    (alg_problem_mode(problem, v, 0)->processor == ALG_ANY_PROCESSOR &&
		     alg_problem_processors(problem) > 1))
			return true;
	return false;
}

alg_flat *alg_flat_chosen(const alg_problem *problem, const alg_weights *weights, alg_solve_result *result,
                          GError **error)
{
	alg_schedule chosen;
	alg_flat *flat;

	if (!alg_has_choices(problem))
		return alg_flat_new(problem, NULL, NULL, error);
	if (!alg_list_schedule(problem, weights, &chosen, error))
		return NULL;
	result->schedules++;
	flat = alg_flat_new(problem, chosen.mode, chosen.processor, error);
	alg_schedule_fini(&chosen);
	return flat;
}

void alg_keeper_init(alg_keeper *keeper, const alg_flat *flat)
{
	*keeper = (alg_keeper){flat, g_new0(int64_t, flat->tasks + 1), INT64_MAX, NULL};
}

void alg_keeper_fini(alg_keeper *keeper)
{
	g_clear_pointer(&keeper->start, g_free);
}

bool alg_keeper_offer(alg_keeper *keeper, const int64_t *start, int64_t makespan_cycles, const char *by)
{
	const alg_flat *f = keeper->flat;

	if (makespan_cycles >= keeper->makespan_cycles)
		return false;
	for (uint32_t v = 0; f->windows && v < f->tasks; v++)
		if (start[v] + f->duration[v] > f->deadline[v])
			return false;
	memcpy(keeper->start, start, f->tasks * sizeof(*start));
	keeper->makespan_cycles = makespan_cycles;
	keeper->by = by;
	return true;
}

bool alg_keeper_offer_mirrored(alg_keeper *keeper, const int64_t *start, int64_t makespan_cycles, const char *by)
{
	const alg_flat *f = keeper->flat;

	if (f->windows || makespan_cycles >= keeper->makespan_cycles)
		return false;
	for (uint32_t v = 0; v < f->tasks; v++)
		keeper->start[v] = makespan_cycles - start[v] - f->duration[v];
	keeper->makespan_cycles = makespan_cycles;
	keeper->by = by;
	return true;
}

void alg_keeper_store(const alg_keeper *keeper, alg_solve_result *result)
{
	bool has = result->status == ALG_FEASIBLE || result->status == ALG_OPTIMAL;

	if (keeper->makespan_cycles == INT64_MAX ||
	    (has && result->schedule.makespan_cycles <= keeper->makespan_cycles))
		return;
	alg_flat_store(keeper->flat, keeper->start, &result->schedule);
	result->status = ALG_FEASIBLE;
	result->found_by = keeper->by;
}
