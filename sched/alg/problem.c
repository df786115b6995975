/* SPDX-License-Identifier: Apache-2.0
 *
 * Building neutral scheduling problems.
 */
#include "sched/alg/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void resource_clear(gpointer resource)
{
	alg_resource *r = resource;

	if (r->steps)
		g_array_free(r->steps, TRUE);
}

alg_problem *alg_problem_new(void)
{
	alg_problem *problem = g_new0(alg_problem, 1);

	problem->tasks = g_array_new(FALSE, FALSE, sizeof(alg_task));
	problem->modes = g_array_new(FALSE, FALSE, sizeof(alg_mode));
	problem->demands = g_array_new(FALSE, FALSE, sizeof(alg_demand));
	problem->edges = g_array_new(FALSE, FALSE, sizeof(alg_edge));
	problem->resources = g_array_new(FALSE, FALSE, sizeof(alg_resource));
	g_array_set_clear_func(problem->resources, resource_clear);
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
	g_array_free(problem->modes, TRUE);
	g_array_free(problem->demands, TRUE);
	g_array_free(problem->edges, TRUE);
	g_array_free(problem->resources, TRUE);
	g_free(problem);
}

static uint32_t add_resource(alg_problem *problem, uint32_t capacity, bool shared)
{
	alg_resource resource = {capacity, shared, NULL};

	g_array_append_val(problem->resources, resource);
	return problem->resources->len - 1;
}

uint32_t alg_problem_add_resource(alg_problem *problem, uint32_t capacity)
{
	return add_resource(problem, capacity, false);
}

uint32_t alg_problem_add_shared_resource(alg_problem *problem, uint32_t capacity)
{
	return add_resource(problem, capacity, true);
}

void alg_problem_add_step(alg_problem *problem, uint32_t resource, int64_t from_cycles, uint32_t capacity)
{
	alg_resource *r = &g_array_index(problem->resources, alg_resource, resource);
	alg_step step = {from_cycles, capacity};

	if (!r->steps)
		r->steps = g_array_new(FALSE, FALSE, sizeof(alg_step));
	g_array_append_val(r->steps, step);
}

uint32_t alg_problem_add_task(alg_problem *problem, int64_t duration_cycles, uint32_t processor)
{
	alg_task task = {problem->modes->len, 0, 0, ALG_NO_DEADLINE};

	g_array_append_val(problem->tasks, task);
	alg_problem_add_mode(problem, duration_cycles, processor);
	return problem->tasks->len - 1;
}

void alg_problem_add_mode(alg_problem *problem, int64_t duration_cycles, uint32_t processor)
{
	alg_mode mode = {duration_cycles, processor, problem->demands->len, 0};

	g_array_append_val(problem->modes, mode);
	g_array_index(problem->tasks, alg_task, problem->tasks->len - 1).mode_count++;
}

void alg_problem_add_demand(alg_problem *problem, uint32_t resource, uint32_t amount)
{
	alg_mode *last = &g_array_index(problem->modes, alg_mode, problem->modes->len - 1);
	alg_demand demand = {resource, amount};

	g_array_append_val(problem->demands, demand);
	last->demand_count++;
}

void alg_problem_set_window(alg_problem *problem, int64_t release_cycles, int64_t deadline_cycles)
{
	alg_task *last = &g_array_index(problem->tasks, alg_task, problem->tasks->len - 1);

	last->release_cycles = release_cycles;
	last->deadline_cycles = deadline_cycles;
}

void alg_problem_add_edge(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles, uint64_t bytes)
{
	alg_edge edge = {from, to, lag_cycles, bytes, ALG_FROM_END};

	g_array_append_val(problem->edges, edge);
}

void alg_problem_add_lag(alg_problem *problem, uint32_t from, uint32_t to, int64_t lag_cycles)
{
	alg_edge edge = {from, to, lag_cycles, 0, ALG_FROM_START};

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

void alg_schedule_init(alg_schedule *schedule, uint32_t tasks)
{
	*schedule = (alg_schedule){g_new0(int64_t, tasks + 1), g_new0(uint32_t, tasks + 1), g_new(uint32_t, tasks + 1),
	                           g_new0(uint32_t, tasks + 1), 0};
	for (uint32_t v = 0; v < tasks; v++)
		schedule->order[v] = v;
}

void alg_schedule_copy(alg_schedule *to, const alg_schedule *from, uint32_t tasks)
{
	memcpy(to->start_cycles, from->start_cycles, tasks * sizeof(*to->start_cycles));
	memcpy(to->processor, from->processor, tasks * sizeof(*to->processor));
	memcpy(to->order, from->order, tasks * sizeof(*to->order));
	memcpy(to->mode, from->mode, tasks * sizeof(*to->mode));
	to->makespan_cycles = from->makespan_cycles;
}

void alg_schedule_fini(alg_schedule *schedule)
{
	g_clear_pointer(&schedule->start_cycles, g_free);
	g_clear_pointer(&schedule->processor, g_free);
	g_clear_pointer(&schedule->order, g_free);
	g_clear_pointer(&schedule->mode, g_free);
}
