/* SPDX-License-Identifier: Apache-2.0
 *
 * Building neutral scheduling problems.
 */
#include "sched/alg/problem.h"

#include <math.h>
#include <stdlib.h>

alg_problem *alg_problem_new(void)
{
	alg_problem *problem = g_new0(alg_problem, 1);

	problem->tasks = g_array_new(FALSE, FALSE, sizeof(alg_task));
	problem->demands = g_array_new(FALSE, FALSE, sizeof(alg_demand));
	problem->edges = g_array_new(FALSE, FALSE, sizeof(alg_edge));
	problem->capacity = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	problem->rows = 1;
	problem->cols = 1;
	problem->link_bytes_per_cycle = 1.0;
	return problem;
}

void alg_problem_free(alg_problem *problem)
{
	if (!problem)
		return;
	g_array_free(problem->tasks, TRUE);
	g_array_free(problem->demands, TRUE);
	g_array_free(problem->edges, TRUE);
	g_array_free(problem->capacity, TRUE);
	g_free(problem);
}

uint32_t alg_problem_add_resource(alg_problem *problem, uint32_t capacity)
{
	g_array_append_val(problem->capacity, capacity);
	return problem->capacity->len - 1;
}

uint32_t alg_problem_add_task(alg_problem *problem, int64_t duration_cycles, uint32_t processor)
{
	alg_task task = {duration_cycles, processor, problem->demands->len, 0};

	g_array_append_val(problem->tasks, task);
	return problem->tasks->len - 1;
}

void alg_problem_add_demand(alg_problem *problem, uint32_t resource, uint32_t amount)
{
	alg_task *last = &g_array_index(problem->tasks, alg_task, problem->tasks->len - 1);
	alg_demand demand = {resource, amount};

	g_array_append_val(problem->demands, demand);
	last->demand_count++;
}

void alg_problem_add_edge(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles, uint64_t bytes)
{
	alg_edge edge = {from, to, lag_cycles, bytes};

	g_array_append_val(problem->edges, edge);
}

int64_t alg_transfer_cycles(const alg_problem *problem, uint32_t from, uint32_t to, uint64_t bytes)
{
	int64_t rows = llabs((int64_t)(from / problem->cols) - (int64_t)(to / problem->cols));
	int64_t cols = llabs((int64_t)(from % problem->cols) - (int64_t)(to % problem->cols));
	int64_t hops = rows + cols;

	if (hops == 0)
		return 0;
	return hops * ((int64_t)ceil((double)bytes / problem->link_bytes_per_cycle) + problem->hop_cycles);
}
