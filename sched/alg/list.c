/* SPDX-License-Identifier: Apache-2.0
 *
 * List scheduling; see list.h.  Edges are bucketed by source and by target once, so that placing a task touches its own
 * edges only.
 */
#include "sched/alg/list.h"

#include "sched/alg/calendar.h"

/* Edges grouped by one end: those of task v are edge[first[v]] .. edge[first[v+1]-1]. */
typedef struct adjacency {
	uint32_t *first;
	uint32_t *edge;
} adjacency;

static adjacency adjacency_new(const alg_problem *problem, bool by_source)
{
	uint32_t tasks = problem->tasks->len;
	adjacency a = {g_new0(uint32_t, tasks + 2), g_new(uint32_t, problem->edges->len + 1)};

	for (uint32_t e = 0; e < problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(problem->edges, alg_edge, e);

		a.first[(by_source ? edge->from : edge->to) + 2]++;
	}
	for (uint32_t v = 0; v < tasks; v++)
		a.first[v + 2] += a.first[v + 1];
	for (uint32_t e = 0; e < problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(problem->edges, alg_edge, e);

		a.edge[a.first[(by_source ? edge->from : edge->to) + 1]++] = e;
	}
	return a;
}

static void adjacency_fini(adjacency *a)
{
	g_free(a->first);
	g_free(a->edge);
}

/* Tasks so that every edge points forward; NULL on a cycle. */
static uint32_t *topological_order(const alg_problem *problem, const adjacency *out, GError **error)
{
	uint32_t tasks = problem->tasks->len;
	g_autofree uint32_t *open = g_new0(uint32_t, tasks + 1);
	g_autofree uint32_t *order = g_new(uint32_t, tasks + 1);
	uint32_t filled = 0;

	for (uint32_t e = 0; e < problem->edges->len; e++)
		open[g_array_index(problem->edges, alg_edge, e).to]++;
	for (uint32_t v = 0; v < tasks; v++)
		if (open[v] == 0)
			order[filled++] = v;
	for (uint32_t head = 0; head < filled; head++)
		for (uint32_t i = out->first[order[head]]; i < out->first[order[head] + 1]; i++) {
			uint32_t to = g_array_index(problem->edges, alg_edge, out->edge[i]).to;

			if (--open[to] == 0)
				order[filled++] = to;
		}
	if (filled < tasks) {
		uint32_t stuck = 0;

		while (open[stuck] == 0)
			stuck++;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "task %u depends on itself through a cycle of edges",
		            stuck);
		return NULL;
	}
	return g_steal_pointer(&order);
}

static int64_t shortest_duration(const alg_problem *problem, uint32_t v)
{
	int64_t shortest = INT64_MAX;

	for (uint32_t m = 0; m < g_array_index(problem->tasks, alg_task, v).mode_count; m++)
		shortest = MIN(shortest, alg_problem_mode(problem, v, m)->duration_cycles);
	return shortest;
}

static int64_t *critical_paths(const alg_problem *problem, const adjacency *out, const uint32_t *order)
{
	uint32_t tasks = problem->tasks->len;
	int64_t *path = g_new(int64_t, tasks + 1);

	for (uint32_t n = tasks; n-- > 0;) {
		uint32_t v = order[n];
		int64_t duration = shortest_duration(problem, v);

		path[v] = duration;
		for (uint32_t i = out->first[v]; i < out->first[v + 1]; i++) {
			const alg_edge *edge = &g_array_index(problem->edges, alg_edge, out->edge[i]);
			int64_t from = edge->kind == ALG_FROM_END ? duration : 0;

			path[v] = MAX(path[v], from + edge->lag_cycles + path[edge->to]);
		}
	}
	return path;
}

int64_t *alg_critical_paths(const alg_problem *problem, GError **error)
{
	adjacency out = adjacency_new(problem, true);
	g_autofree uint32_t *order = topological_order(problem, &out, error);
	int64_t *path = order ? critical_paths(problem, &out, order) : NULL;

	adjacency_fini(&out);
	return path;
}

/* Demand as a share of capacity, summed over resources. */
static double demand_share(const alg_problem *problem, const alg_mode *mode)
{
	double share = 0.0;

	for (uint32_t d = 0; d < mode->demand_count; d++) {
		const alg_demand *demand = &g_array_index(problem->demands, alg_demand, mode->first_demand + d);
		uint32_t capacity = g_array_index(problem->resources, alg_resource, demand->resource).capacity;

		share += capacity ? (double)demand->amount / capacity : 0.0;
	}
	return share;
}

static double *priorities(const alg_problem *problem, const alg_weights *weights, const adjacency *out,
                          const int64_t *path)
{
	uint32_t tasks = problem->tasks->len;
	g_autofree double *share = g_new(double, tasks + 1);
	double *priority = g_new(double, tasks + 1);
	double mean = 0.0;

	for (uint32_t v = 0; v < tasks; v++) {
		share[v] = demand_share(problem, alg_problem_mode(problem, v, 0));
		mean += share[v] / tasks;
	}
	for (uint32_t v = 0; v < tasks; v++)
		priority[v] = weights->alpha * (double)path[v] + (mean > 0.0 ? weights->beta * share[v] / mean : 0.0) +
		              weights->gamma * (double)(out->first[v + 1] - out->first[v]);
	return priority;
}

/* A tie-break that depends on nothing but seed and task number (splitmix64's finaliser). */
static uint64_t tie(uint64_t seed, uint32_t task)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15ULL * ((uint64_t)task + 1);

	if (seed == 0)
		return task;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Ready tasks: a binary heap, highest priority first, then lowest tie-break. */
typedef struct ready_heap {
	uint32_t *task;
	uint32_t size;
	const double *priority;
	uint64_t seed;
} ready_heap;

static bool goes_before(const ready_heap *heap, uint32_t a, uint32_t b)
{
	if (heap->priority[a] != heap->priority[b])
		return heap->priority[a] > heap->priority[b];
	if (tie(heap->seed, a) != tie(heap->seed, b))
		return tie(heap->seed, a) < tie(heap->seed, b);
	return a < b;
}

static void heap_push(ready_heap *heap, uint32_t task)
{
	uint32_t at = heap->size++;

	for (; at > 0 && goes_before(heap, task, heap->task[(at - 1) / 2]); at = (at - 1) / 2)
		heap->task[at] = heap->task[(at - 1) / 2];
	heap->task[at] = task;
}

static uint32_t heap_pop(ready_heap *heap)
{
	uint32_t top = heap->task[0];
	uint32_t moved = heap->task[--heap->size];
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < heap->size; at = child) {
		if (child + 1 < heap->size && goes_before(heap, heap->task[child + 1], heap->task[child]))
			child++;
		if (!goes_before(heap, heap->task[child], moved))
			break;
		heap->task[at] = heap->task[child];
	}
	heap->task[at] = moved;
	return top;
}

/* Working state of one run. */
typedef struct placement {
	const alg_problem *problem;
	const adjacency *in;
	alg_calendar **calendars; /* [processor * resources + resource] */
	alg_schedule *schedule;
} placement;

static alg_calendar *calendar_of(const placement *p, uint32_t processor, uint32_t resource)
{
	bool shared = g_array_index(p->problem->resources, alg_resource, resource).shared;

	return p->calendars[(shared ? 0 : processor) * p->problem->resources->len + resource];
}

/* When could V start on PROCESSOR, its predecessors' data being there? */
static int64_t data_ready(const placement *p, uint32_t v, uint32_t processor)
{
	int64_t ready = g_array_index(p->problem->tasks, alg_task, v).release_cycles;

	for (uint32_t i = p->in->first[v]; i < p->in->first[v + 1]; i++) {
		const alg_edge *edge = &g_array_index(p->problem->edges, alg_edge, p->in->edge[i]);
		const alg_mode *from = alg_problem_mode(p->problem, edge->from, p->schedule->mode[edge->from]);
		int64_t arrival =
			p->schedule->start_cycles[edge->from] +
			(edge->kind == ALG_FROM_END ? from->duration_cycles : 0) + edge->lag_cycles +
			alg_transfer_cycles(p->problem, p->schedule->processor[edge->from], processor, edge->bytes);

		ready = MAX(ready, arrival);
	}
	return ready;
}

/* Earliest start in MODE on PROCESSOR at which every demand fits: advance until all calendars agree. */
static int64_t earliest_start(const placement *p, uint32_t v, const alg_mode *mode, uint32_t processor)
{
	int64_t start = data_ready(p, v, processor);

	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t d = 0; d < mode->demand_count; d++) {
			const alg_demand *demand =
				&g_array_index(p->problem->demands, alg_demand, mode->first_demand + d);
			alg_calendar *calendar = calendar_of(p, processor, demand->resource);
			int64_t free_at = alg_calendar_earliest(calendar, start, mode->duration_cycles, demand->amount);

			moved = moved || free_at > start;
			start = free_at;
			if (start == INT64_MAX)
				return start;
		}
	}
	return start;
}

static int64_t end_of(int64_t start, const alg_mode *mode)
{
	return start == INT64_MAX ? INT64_MAX : start + mode->duration_cycles;
}

/* False when no mode ever fits. */
static bool place(const placement *p, uint32_t v)
{
	const alg_task *task = &g_array_index(p->problem->tasks, alg_task, v);
	const alg_mode *best = NULL;
	int64_t best_start = INT64_MAX;

	for (uint32_t m = 0; m < task->mode_count; m++) {
		const alg_mode *mode = alg_problem_mode(p->problem, v, m);
		bool any = mode->processor == ALG_ANY_PROCESSOR;
		uint32_t last = any ? alg_problem_processors(p->problem) - 1 : mode->processor;

		for (uint32_t q = any ? 0 : mode->processor; q <= last; q++) {
			int64_t start = earliest_start(p, v, mode, q);

			if (end_of(start, mode) < (best ? end_of(best_start, best) : INT64_MAX)) {
				best = mode;
				best_start = start;
				p->schedule->processor[v] = q;
				p->schedule->mode[v] = m;
			}
		}
	}
	if (!best)
		return false;
	for (uint32_t d = 0; d < best->demand_count; d++) {
		const alg_demand *demand = &g_array_index(p->problem->demands, alg_demand, best->first_demand + d);

		alg_calendar_reserve(calendar_of(p, p->schedule->processor[v], demand->resource), best_start,
		                     best->duration_cycles, demand->amount);
	}
	p->schedule->start_cycles[v] = best_start;
	p->schedule->makespan_cycles = MAX(p->schedule->makespan_cycles, best_start + best->duration_cycles);
	return true;
}

/* Fails when a task never fits. */
static bool generate(const alg_problem *problem, const alg_weights *weights, const double *priority,
                     const adjacency *in, const adjacency *out, alg_schedule *schedule, GError **error)
{
	uint32_t tasks = problem->tasks->len;
	uint32_t resources = problem->resources->len;
	uint32_t calendars = alg_problem_processors(problem) * resources;
	placement p = {problem, in, g_new(alg_calendar *, calendars + 1), schedule};
	ready_heap heap = {g_new(uint32_t, tasks + 1), 0, priority, weights->seed};
	g_autofree uint32_t *open = g_new0(uint32_t, tasks + 1);
	uint32_t placed = 0;
	bool ok = true;

	for (uint32_t c = 0; c < calendars; c++)
		p.calendars[c] =
			alg_calendar_of_resource(&g_array_index(problem->resources, alg_resource, c % resources));
	for (uint32_t v = 0; v < tasks; v++) {
		open[v] = in->first[v + 1] - in->first[v];
		if (open[v] == 0)
			heap_push(&heap, v);
	}
	while (heap.size && ok) {
		uint32_t v = heap_pop(&heap);

		ok = place(&p, v);
		if (!ok) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "task %u fits into no resource at any time", v);
			break;
		}
		schedule->order[placed++] = v;
		for (uint32_t i = out->first[v]; i < out->first[v + 1]; i++) {
			uint32_t to = g_array_index(problem->edges, alg_edge, out->edge[i]).to;

			if (--open[to] == 0)
				heap_push(&heap, to);
		}
	}
	for (uint32_t c = 0; c < calendars; c++)
		alg_calendar_free(p.calendars[c]);
	g_free(p.calendars);
	g_free(heap.task);
	return ok;
}

static bool has_maximum_lags(const alg_problem *problem, GError **error)
{
	for (uint32_t e = 0; e < problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(problem->edges, alg_edge, e);

		if (edge->kind == ALG_FROM_START && edge->lag_cycles < 0) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			            "plain list scheduling knows no maximum lags, and task %u has one to task %u",
			            edge->to, edge->from);
			return true;
		}
	}
	return false;
}

bool alg_list_schedule(const alg_problem *problem, const alg_weights *weights, alg_schedule *schedule, GError **error)
{
	adjacency out, in;
	g_autofree uint32_t *order = NULL;
	g_autofree int64_t *path = NULL;
	g_autofree double *priority = NULL;
	bool ok = false;

	if (has_maximum_lags(problem, error))
		return false;
	out = adjacency_new(problem, true);
	in = adjacency_new(problem, false);
	order = topological_order(problem, &out, error);
	path = order ? critical_paths(problem, &out, order) : NULL;
	priority = path ? priorities(problem, weights, &out, path) : NULL;
	if (priority) {
		alg_schedule_init(schedule, problem->tasks->len);
		ok = generate(problem, weights, priority, &in, &out, schedule, error);
		if (!ok)
			alg_schedule_fini(schedule);
	}
	adjacency_fini(&out);
	adjacency_fini(&in);
	return ok;
}
