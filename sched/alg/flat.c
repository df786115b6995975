/* SPDX-License-Identifier: Apache-2.0
 *
 * From a problem with choices to arrays without.
 */
#include "sched/alg/flat.h"

#include <stdlib.h>
#include <string.h>

static int64_t arc_lag(const alg_flat *f, const alg_edge *edge)
{
	return (edge->kind == ALG_FROM_END ? f->duration[edge->from] : 0) + edge->lag_cycles +
	       alg_transfer_cycles(f->problem, f->processor[edge->from], f->processor[edge->to], edge->bytes);
}

static void bucket_arcs(alg_flat *f)
{
	const alg_problem *problem = f->problem;
	uint32_t edges = problem->edges->len, n = f->tasks;
	g_autofree uint32_t *out_next = NULL;
	g_autofree uint32_t *in_next = NULL;

	for (uint32_t e = 0; e < edges; e++) {
		f->out_first[g_array_index(problem->edges, alg_edge, e).from + 1]++;
		f->in_first[g_array_index(problem->edges, alg_edge, e).to + 1]++;
	}
	for (uint32_t v = 0; v < n; v++) {
		f->out_first[v + 1] += f->out_first[v];
		f->in_first[v + 1] += f->in_first[v];
	}
	out_next = g_memdup2(f->out_first, (n + 1) * sizeof(uint32_t));
	in_next = g_memdup2(f->in_first, (n + 1) * sizeof(uint32_t));
	for (uint32_t e = 0; e < edges; e++) {
		const alg_edge *edge = &g_array_index(problem->edges, alg_edge, e);
		int64_t lag = arc_lag(f, edge);

		f->out[out_next[edge->from]++] = (alg_arc){edge->to, lag};
		f->in[in_next[edge->to]++] = (alg_arc){edge->from, lag};
	}
}

static uint32_t *topological_order(const alg_flat *f)
{
	g_autofree uint32_t *open = g_new(uint32_t, f->tasks + 1);
	g_autofree uint32_t *order = g_new(uint32_t, f->tasks + 1);
	uint32_t filled = 0;

	for (uint32_t v = 0; v < f->tasks; v++) {
		open[v] = f->in_first[v + 1] - f->in_first[v];
		if (open[v] == 0)
			order[filled++] = v;
	}
	for (uint32_t head = 0; head < filled; head++)
		for (uint32_t i = f->out_first[order[head]]; i < f->out_first[order[head] + 1]; i++)
			if (--open[f->out[i].task] == 0)
				order[filled++] = f->out[i].task;
	return filled == f->tasks ? g_steal_pointer(&order) : NULL;
}

static uint32_t greatest_capacity(const alg_resource *resource)
{
	uint32_t most = resource->capacity;

	for (guint s = 0; resource->steps && s < resource->steps->len; s++)
		most = MAX(most, g_array_index(resource->steps, alg_step, s).capacity);
	return most;
}

static void number_resources(alg_flat *f)
{
	uint32_t resources = f->problem->resources->len;

	f->resources = resources * alg_problem_processors(f->problem);
	f->resource = g_new(const alg_resource *, f->resources + 1);
	f->capacity = g_new(uint32_t, f->resources + 1);
	for (uint32_t r = 0; r < f->resources; r++) {
		f->resource[r] = &g_array_index(f->problem->resources, alg_resource, r % resources);
		f->capacity[r] = greatest_capacity(f->resource[r]);
		f->windows = f->windows || f->resource[r]->steps;
	}
}

static bool copy_demands(alg_flat *f, GError **error)
{
	uint32_t resources = f->problem->resources->len;
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(alg_demand));

	for (uint32_t v = 0; v < f->tasks; v++) {
		const alg_mode *mode = alg_problem_mode(f->problem, v, f->mode[v]);

		f->demand_first[v] = all->len;
		for (uint32_t d = 0; f->duration[v] > 0 && d < mode->demand_count; d++) {
			alg_demand demand = g_array_index(f->problem->demands, alg_demand, mode->first_demand + d);
			bool shared = g_array_index(f->problem->resources, alg_resource, demand.resource).shared;

			demand.resource += (shared ? 0 : f->processor[v]) * resources;
			if (demand.amount > f->capacity[demand.resource]) {
				g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
				            "task %u asks for %u units of resource %u, which has %u", v, demand.amount,
				            demand.resource, f->capacity[demand.resource]);
				return false;
			}
			if (demand.amount)
				g_array_append_val(all, demand);
		}
	}
	f->demand_first[f->tasks] = all->len;
	f->demand = g_new(alg_demand, all->len + 1);
	if (all->len)
		memcpy(f->demand, all->data, all->len * sizeof(alg_demand));
	return true;
}

static void measure(alg_flat *f)
{
	for (uint32_t v = 0; v < f->tasks; v++) {
		f->area[v] = 0;
		for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
			f->area[v] += (double)f->duration[v] * f->demand[d].amount / f->capacity[f->demand[d].resource];
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			if (f->out[i].lag < 0 || f->out[i].lag + f->duration[f->out[i].task] < f->duration[v])
				f->loose = true;
	}
}

static alg_flat *flat_alloc(const alg_problem *problem)
{
	uint32_t n = problem->tasks->len;
	alg_flat *f = g_new0(alg_flat, 1);

	f->problem = problem;
	f->tasks = n;
	f->duration = g_new0(int64_t, n + 1);
	f->area = g_new0(double, n + 1);
	f->release = g_new0(int64_t, n + 1);
	f->deadline = g_new0(int64_t, n + 1);
	f->mode = g_new0(uint32_t, n + 1);
	f->processor = g_new0(uint32_t, n + 1);
	f->out_first = g_new0(uint32_t, n + 2);
	f->in_first = g_new0(uint32_t, n + 2);
	f->out = g_new0(alg_arc, problem->edges->len + 1);
	f->in = g_new0(alg_arc, problem->edges->len + 1);
	f->demand_first = g_new0(uint32_t, n + 1);
	return f;
}

alg_flat *alg_flat_new(const alg_problem *problem, const uint32_t *mode, const uint32_t *processor, GError **error)
{
	alg_flat *f = flat_alloc(problem);

	for (uint32_t v = 0; v < f->tasks; v++) {
		const alg_task *task = &g_array_index(problem->tasks, alg_task, v);
		const alg_mode *chosen = alg_problem_mode(problem, v, mode ? mode[v] : 0);
		bool any = chosen->processor == ALG_ANY_PROCESSOR;

		f->mode[v] = mode ? mode[v] : 0;
		f->processor[v] = processor ? processor[v] : any ? 0 : chosen->processor;
		f->duration[v] = chosen->duration_cycles;
		f->release[v] = task->release_cycles;
		f->deadline[v] = task->deadline_cycles;
		f->windows = f->windows || f->release[v] > 0 || f->deadline[v] != ALG_NO_DEADLINE;
	}
	number_resources(f);
	if (!copy_demands(f, error)) {
		alg_flat_free(f);
		return NULL;
	}
	bucket_arcs(f);
	f->order = topological_order(f);
	measure(f);
	return f;
}

alg_flat *alg_flat_mirror(const alg_flat *flat)
{
	uint32_t n = flat->tasks, arcs = flat->out_first[n], demands = flat->demand_first[n];
	alg_flat *f = flat_alloc(flat->problem);

	f->resources = flat->resources;
	f->resource = g_memdup2(flat->resource, (f->resources + 1) * sizeof(*f->resource));
	f->capacity = g_memdup2(flat->capacity, (f->resources + 1) * sizeof(*f->capacity));
	f->demand = g_memdup2(flat->demand, (demands + 1) * sizeof(*f->demand));
	memcpy(f->demand_first, flat->demand_first, (n + 1) * sizeof(uint32_t));
	memcpy(f->duration, flat->duration, n * sizeof(int64_t));
	memcpy(f->mode, flat->mode, n * sizeof(uint32_t));
	memcpy(f->processor, flat->processor, n * sizeof(uint32_t));
	memcpy(f->out_first, flat->in_first, (n + 1) * sizeof(uint32_t));
	memcpy(f->in_first, flat->out_first, (n + 1) * sizeof(uint32_t));
	memcpy(f->out, flat->in, arcs * sizeof(alg_arc));
	memcpy(f->in, flat->out, arcs * sizeof(alg_arc));
	for (uint32_t v = 0; v < n; v++) {
		f->deadline[v] = ALG_NO_DEADLINE;
		/* With m(v) = T - end(v), s(b) >= s(a) + lag is m(a) >= m(b) + lag + d(b) - d(a). */
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			f->out[i].lag += f->duration[v] - f->duration[f->out[i].task];
		for (uint32_t i = f->in_first[v]; i < f->in_first[v + 1]; i++)
			f->in[i].lag += f->duration[f->in[i].task] - f->duration[v];
	}
	if (flat->order) {
		f->order = g_new(uint32_t, n + 1);
		for (uint32_t i = 0; i < n; i++)
			f->order[i] = flat->order[n - 1 - i];
	}
	measure(f);
	return f;
}

void alg_flat_free(alg_flat *f)
{
	if (!f)
		return;
	g_free(f->duration);
	g_free(f->area);
	g_free(f->release);
	g_free(f->deadline);
	g_free(f->mode);
	g_free(f->processor);
	g_free(f->out_first);
	g_free(f->in_first);
	g_free(f->out);
	g_free(f->in);
	g_free(f->demand_first);
	g_free(f->demand);
	g_free(f->resource);
	g_free(f->capacity);
	g_free(f->order);
	g_free(f);
}

int64_t *alg_flat_tails(const alg_flat *f)
{
	int64_t *tail = g_new(int64_t, f->tasks + 1);

	for (uint32_t n = f->tasks; n-- > 0;) {
		uint32_t v = f->order[n];

		tail[v] = f->duration[v];
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			tail[v] = MAX(tail[v], f->out[i].lag + tail[f->out[i].task]);
	}
	return tail;
}

int64_t *alg_flat_heads(const alg_flat *f)
{
	int64_t *head = g_new(int64_t, f->tasks + 1);

	for (uint32_t n = 0; n < f->tasks; n++) {
		uint32_t v = f->order[n];

		head[v] = f->release[v];
		for (uint32_t i = f->in_first[v]; i < f->in_first[v + 1]; i++)
			head[v] = MAX(head[v], f->in[i].lag + head[f->in[i].task]);
	}
	return head;
}

/* What a sort of tasks by time needs to know. */
typedef struct timed {
	int64_t time;
	uint32_t position, task;
} timed;

static int compare_timed(const void *a, const void *b)
{
	const timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

void alg_flat_list(const alg_flat *f, const int64_t *start, bool by_end, uint32_t *list)
{
	g_autofree timed *all = g_new(timed, f->tasks + 1);

	for (uint32_t i = 0; i < f->tasks; i++) {
		uint32_t v = f->order ? f->order[by_end ? f->tasks - 1 - i : i] : i;

		all[i] = (timed){by_end ? -(start[v] + f->duration[v]) : start[v], i, v};
	}
	qsort(all, f->tasks, sizeof(*all), compare_timed);
	for (uint32_t i = 0; i < f->tasks; i++)
		list[i] = all[i].task;
}

void alg_flat_store(const alg_flat *f, const int64_t *start, alg_schedule *schedule)
{
	schedule->makespan_cycles = 0;
	for (uint32_t v = 0; v < f->tasks; v++) {
		schedule->start_cycles[v] = start[v];
		schedule->mode[v] = f->mode[v];
		schedule->processor[v] = f->processor[v];
		schedule->makespan_cycles = MAX(schedule->makespan_cycles, start[v] + f->duration[v]);
	}
	alg_flat_list(f, start, false, schedule->order);
}
