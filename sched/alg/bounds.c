/* SPDX-License-Identifier: Apache-2.0
 *
 * Lower bounds.  Of every task the shortest mode, of every resource the least energy (duration * amount) over modes;
 * then
 *
 *   critical path     longest path by lags, release times first;
 *   resource energy   when has a resource given all that is asked of it, its capacity as it changes;
 *   interval energy   for tasks that start at h or later and have q or more cycles to go after they end:
 *                     h + energy / capacity + q, over all pairs (h, q) of up to PAIR_TASKS tasks, over all h and over
 * all q above that; pairs             two tasks that never fit together run one after the other, in one order or the
 * other.
 *
 * Lags are propagated until nothing changes, or until the tasks that pushed each other last form a cycle: it has
 * positive length, and no schedule satisfies it.
 */
#include "sched/alg/bounds.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_TASKS = 4000 };

/* Energies. */
typedef __int128 wide;

typedef struct relaxed {
	const alg_problem *problem;
	uint32_t tasks;
	int64_t *duration; /* shortest */
	int64_t *lag;      /* per edge, from start to start, at least */
	int64_t *head, *tail;
	alg_bound *bound;
} relaxed;

static uint64_t capacity_of(const alg_problem *p, uint32_t r)
{
	const alg_resource *resource = &g_array_index(p->resources, alg_resource, r);
	uint64_t most = resource->capacity;

	for (guint s = 0; resource->steps && s < resource->steps->len; s++)
		most = MAX(most, g_array_index(resource->steps, alg_step, s).capacity);
	return most;
}

static bool mode_fits(const alg_problem *p, const alg_mode *mode)
{
	for (uint32_t d = 0; mode->duration_cycles > 0 && d < mode->demand_count; d++) {
		const alg_demand *demand = &g_array_index(p->demands, alg_demand, mode->first_demand + d);

		if (demand->amount > capacity_of(p, demand->resource))
			return false;
	}
	return true;
}

static bool relax_modes(relaxed *r)
{
	for (uint32_t v = 0; v < r->tasks; v++) {
		const alg_task *task = &g_array_index(r->problem->tasks, alg_task, v);

		r->duration[v] = INT64_MAX;
		for (uint32_t m = 0; m < task->mode_count; m++) {
			const alg_mode *mode = alg_problem_mode(r->problem, v, m);

			if (mode_fits(r->problem, mode))
				r->duration[v] = MIN(r->duration[v], mode->duration_cycles);
		}
		if (r->duration[v] == INT64_MAX) {
			r->bound->infeasible =
				g_strdup_printf("task %u asks for more of a resource than there ever is", v);
			return false;
		}
	}
	return true;
}

/* Where both tasks have one processor only, data take their time. */
static int64_t sure_transfer(const relaxed *r, const alg_edge *edge)
{
	const alg_mode *from = alg_problem_mode(r->problem, edge->from, 0);
	const alg_mode *to = alg_problem_mode(r->problem, edge->to, 0);

	if (g_array_index(r->problem->tasks, alg_task, edge->from).mode_count > 1 ||
	    g_array_index(r->problem->tasks, alg_task, edge->to).mode_count > 1 ||
	    from->processor == ALG_ANY_PROCESSOR || to->processor == ALG_ANY_PROCESSOR)
		return 0;
	return alg_transfer_cycles(r->problem, from->processor, to->processor, edge->bytes);
}

static void relax_edges(relaxed *r)
{
	for (uint32_t e = 0; e < r->problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(r->problem->edges, alg_edge, e);

		r->lag[e] = edge->lag_cycles + (edge->kind == ALG_FROM_END ? r->duration[edge->from] : 0) +
		            sure_transfer(r, edge);
	}
}

/* Edges in an order in which most point forward, so that few rounds settle everything: by the longest chain of edges
 * before their source where there is no cycle. */
static uint32_t *edge_order(const relaxed *r)
{
	uint32_t edges = r->problem->edges->len, filled = 0, placed = 0;
	g_autofree uint32_t *first = g_new0(uint32_t, r->tasks + 2);
	g_autofree uint32_t *by_source = g_new(uint32_t, edges + 1);
	g_autofree uint32_t *open = g_new0(uint32_t, r->tasks + 1);
	g_autofree uint32_t *queue = g_new(uint32_t, r->tasks + 1);
	uint32_t *order = g_new(uint32_t, edges + 1);

	for (uint32_t e = 0; e < edges; e++) {
		first[g_array_index(r->problem->edges, alg_edge, e).from + 2]++;
		open[g_array_index(r->problem->edges, alg_edge, e).to]++;
	}
	for (uint32_t v = 0; v < r->tasks; v++)
		first[v + 2] += first[v + 1];
	for (uint32_t e = 0; e < edges; e++)
		by_source[first[g_array_index(r->problem->edges, alg_edge, e).from + 1]++] = e;
	for (uint32_t v = 0; v < r->tasks; v++)
		if (open[v] == 0)
			queue[filled++] = v;
	for (uint32_t at = 0, unseen = 0; at < r->tasks; at++) {
		if (at == filled) {
			/* A cycle: go on anywhere. */
			while (open[unseen] == 0)
				unseen++;
			open[unseen] = 0;
			queue[filled++] = unseen;
		}
		for (uint32_t i = first[queue[at]]; i < first[queue[at] + 1]; i++) {
			uint32_t to = g_array_index(r->problem->edges, alg_edge, by_source[i]).to;

			order[placed++] = by_source[i];
			if (open[to] && --open[to] == 0)
				queue[filled++] = to;
		}
	}
	return order;
}

/* A task on a cycle of parents, or none (UINT32_MAX). */
static uint32_t parent_cycle(const relaxed *r, const uint32_t *parent_edge)
{
	g_autofree uint32_t *seen = g_new0(uint32_t, r->tasks + 1);

	for (uint32_t root = 0; root < r->tasks; root++) {
		uint32_t v = root;

		while (seen[v] == 0 && parent_edge[v] != UINT32_MAX) {
			seen[v] = root + 1;
			v = g_array_index(r->problem->edges, alg_edge, parent_edge[v]).from;
		}
		if (seen[v] == root + 1)
			return v;
		seen[v] = root + 1;
	}
	return UINT32_MAX;
}

/* Names the cycle of parents that V is on. */
static char *describe_cycle(const relaxed *r, const uint32_t *parent_edge, uint32_t v)
{
	GString *text = g_string_new(NULL);
	int64_t length = 0;
	uint32_t start = v, shown = 0;

	do {
		const alg_edge *edge = &g_array_index(r->problem->edges, alg_edge, parent_edge[v]);

		if (shown++ < 20)
			g_string_append_printf(text, "%stask %u starts %" G_GINT64_FORMAT " or more after task %u",
			                       shown > 1 ? "; " : "", v, r->lag[parent_edge[v]], edge->from);
		length += r->lag[parent_edge[v]];
		v = edge->from;
	} while (v != start);
	if (shown > 20)
		g_string_append_printf(text, "; and %u more", shown - 20);
	g_string_append_printf(text, ": a cycle that is %" G_GINT64_FORMAT " too long", length);
	return g_string_free(text, FALSE);
}

static bool find_heads(relaxed *r, const uint32_t *order)
{
	g_autofree uint32_t *parent_edge = g_new0(uint32_t, r->tasks + 1);
	uint32_t edges = r->problem->edges->len;
	bool changed = true;

	for (uint32_t v = 0; v < r->tasks; v++) {
		r->head[v] = g_array_index(r->problem->tasks, alg_task, v).release_cycles;
		parent_edge[v] = UINT32_MAX;
	}
	for (uint32_t round = 1; changed; round++) {
		uint32_t on_cycle = UINT32_MAX;

		changed = false;
		for (uint32_t i = 0; i < edges; i++) {
			const alg_edge *edge = &g_array_index(r->problem->edges, alg_edge, order[i]);
			int64_t start = r->head[edge->from] + r->lag[order[i]];

			if (start <= r->head[edge->to])
				continue;
			r->head[edge->to] = start;
			parent_edge[edge->to] = order[i];
			changed = true;
		}
		/* Parents that form a cycle are a cycle of positive length, and one stays before long. */
		if (changed && (round & (round - 1)) == 0)
			on_cycle = parent_cycle(r, parent_edge);
		if (on_cycle != UINT32_MAX) {
			r->bound->infeasible = describe_cycle(r, parent_edge, on_cycle);
			return false;
		}
	}
	return true;
}

/* Cycles from each start to the end of all, and whether windows leave room. */
static bool find_tails(relaxed *r, const uint32_t *order)
{
	g_autofree int64_t *late = g_new(int64_t, r->tasks + 1);
	uint32_t edges = r->problem->edges->len;

	for (uint32_t v = 0; v < r->tasks; v++) {
		int64_t deadline = g_array_index(r->problem->tasks, alg_task, v).deadline_cycles;

		r->tail[v] = r->duration[v];
		late[v] = deadline == ALG_NO_DEADLINE ? INT64_MAX / 2 : deadline - r->duration[v];
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = edges; i-- > 0;) {
			const alg_edge *edge = &g_array_index(r->problem->edges, alg_edge, order[i]);
			int64_t tail = r->lag[order[i]] + r->tail[edge->to];
			int64_t latest = late[edge->to] - r->lag[order[i]];

			if (tail > r->tail[edge->from]) {
				r->tail[edge->from] = tail;
				changed = true;
			}
			if (latest < late[edge->from]) {
				late[edge->from] = latest;
				changed = true;
			}
		}
	}
	for (uint32_t v = 0; v < r->tasks; v++)
		if (r->head[v] > late[v]) {
			r->bound->infeasible =
				g_strdup_printf("task %u cannot start before %" G_GINT64_FORMAT
			                        " and must, for deadlines and lags, start by %" G_GINT64_FORMAT,
			                        v, r->head[v], late[v]);
			return false;
		}
	return true;
}

static void raise_to(relaxed *r, int64_t cycles, const char *by)
{
	if (cycles > r->bound->cycles) {
		r->bound->cycles = cycles;
		r->bound->by = by;
	}
}

/* Of resource R, the least that task V takes: duration * amount. */
static wide least_energy(const relaxed *r, uint32_t v, uint32_t resource)
{
	wide least = (wide)INT64_MAX * INT64_MAX;

	for (uint32_t m = 0; m < g_array_index(r->problem->tasks, alg_task, v).mode_count; m++) {
		const alg_mode *mode = alg_problem_mode(r->problem, v, m);
		wide energy = 0;

		for (uint32_t d = 0; d < mode->demand_count; d++) {
			const alg_demand *demand =
				&g_array_index(r->problem->demands, alg_demand, mode->first_demand + d);

			if (demand->resource == resource)
				energy += (wide)mode->duration_cycles * demand->amount;
		}
		least = MIN(least, energy);
	}
	return least;
}

/* When all COPIES of RESOURCE have given ENERGY since FROM. */
static int64_t given_by(const alg_resource *resource, int64_t copies, int64_t from, wide energy)
{
	int64_t level = resource->capacity, time = 0;

	for (guint s = 0; resource->steps && s < resource->steps->len; s++) {
		const alg_step *step = &g_array_index(resource->steps, alg_step, s);
		int64_t length = step->from_cycles - MAX(time, from);

		if (length > 0 && (wide)length * level * copies >= energy)
			break;
		energy -= (wide)MAX(length, 0) * level * copies;
		time = step->from_cycles;
		level = step->capacity;
	}
	if (energy <= 0)
		return from;
	/* Nothing is ever given again: no bound, the engines will find no place. */
	return level == 0 ? 0 : MAX(time, from) + (int64_t)((energy + level * copies - 1) / (level * copies));
}

/* A task as intervals see it. */
typedef struct part {
	int64_t head, rest; /* cycles before it, cycles after it ends */
	wide energy;
} part;

static int by_head(const void *a, const void *b)
{
	const part *x = a, *y = b;

	return (x->head < y->head) - (x->head > y->head);
}

static int by_rest(const void *a, const void *b)
{
	const part *x = a, *y = b;

	return (x->rest < y->rest) - (x->rest > y->rest);
}

/* All pairs: tasks enter by falling head; for each head, energies run over falling rests. */
static void interval_pairs(relaxed *r, part *parts, uint32_t n, int64_t capacity)
{
	g_autofree part *inside = g_new(part, n + 1);

	qsort(parts, n, sizeof(*parts), by_head);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;
		wide energy = 0;

		for (; at > 0 && inside[at - 1].rest < parts[i].rest; at--)
			inside[at] = inside[at - 1];
		inside[at] = parts[i];
		if (i + 1 < n && parts[i + 1].head == parts[i].head)
			continue;
		for (uint32_t k = 0; k <= i; k++) {
			energy += inside[k].energy;
			raise_to(r, parts[i].head + (int64_t)((energy + capacity - 1) / capacity) + inside[k].rest,
			         "interval energy");
		}
	}
}

static void interval_sides(relaxed *r, part *parts, uint32_t n, int64_t capacity)
{
	wide energy = 0;
	int64_t least_rest = INT64_MAX, least_head = INT64_MAX;

	qsort(parts, n, sizeof(*parts), by_head);
	for (uint32_t i = 0; i < n; i++) {
		energy += parts[i].energy;
		least_rest = MIN(least_rest, parts[i].rest);
		raise_to(r, parts[i].head + (int64_t)((energy + capacity - 1) / capacity) + least_rest,
		         "interval energy");
	}
	energy = 0;
	qsort(parts, n, sizeof(*parts), by_rest);
	for (uint32_t i = 0; i < n; i++) {
		energy += parts[i].energy;
		least_head = MIN(least_head, parts[i].head);
		raise_to(r, least_head + (int64_t)((energy + capacity - 1) / capacity) + parts[i].rest,
		         "interval energy");
	}
}

static void bound_resource(relaxed *r, uint32_t resource)
{
	const alg_resource *description = &g_array_index(r->problem->resources, alg_resource, resource);
	int64_t copies = description->shared ? 1 : alg_problem_processors(r->problem);
	int64_t capacity = (int64_t)capacity_of(r->problem, resource) * copies;
	g_autofree part *parts = g_new(part, r->tasks + 1);
	uint32_t n = 0;
	wide energy = 0;
	int64_t from = INT64_MAX, rest = INT64_MAX, cycles;

	for (uint32_t v = 0; v < r->tasks; v++) {
		part p = {r->head[v], r->tail[v] - r->duration[v], least_energy(r, v, resource)};

		if (p.energy == 0)
			continue;
		parts[n++] = p;
		energy += p.energy;
		from = MIN(from, p.head);
		rest = MIN(rest, p.rest);
	}
	if (n == 0)
		return;
	cycles = given_by(description, copies, 0, energy);
	r->bound->energy_cycles = MAX(r->bound->energy_cycles, cycles);
	raise_to(r, cycles, "resource energy");
	raise_to(r, given_by(description, copies, from, energy) + rest, "resource energy");
	if (n <= PAIR_TASKS)
		interval_pairs(r, parts, n, capacity);
	else
		interval_sides(r, parts, n, capacity);
}

/* Do tasks A and B, each in its only mode, never fit together? */
static bool exclude(const relaxed *r, uint32_t a, uint32_t b)
{
	const alg_mode *x = alg_problem_mode(r->problem, a, 0), *y = alg_problem_mode(r->problem, b, 0);
	const alg_demand *demands = &g_array_index(r->problem->demands, alg_demand, 0);

	for (uint32_t i = 0; i < x->demand_count; i++)
		for (uint32_t k = 0; k < y->demand_count; k++) {
			const alg_demand *p = &demands[x->first_demand + i], *q = &demands[y->first_demand + k];
			bool shared = g_array_index(r->problem->resources, alg_resource, p->resource).shared;

			if (p->resource == q->resource && (shared || x->processor == y->processor) &&
			    (uint64_t)p->amount + q->amount > capacity_of(r->problem, p->resource))
				return true;
		}
	return false;
}

static void bound_pairs(relaxed *r)
{
	uint32_t n = r->tasks <= PAIR_TASKS ? r->tasks : 0;

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			int64_t together = r->duration[a] + r->duration[b];
			int64_t ab = r->head[a] + together + r->tail[b] - r->duration[b];
			int64_t ba = r->head[b] + together + r->tail[a] - r->duration[a];
			const alg_mode *x = alg_problem_mode(r->problem, a, 0), *y = alg_problem_mode(r->problem, b, 0);

			if (MIN(ab, ba) > r->bound->cycles && r->duration[a] > 0 && r->duration[b] > 0 &&
			    g_array_index(r->problem->tasks, alg_task, a).mode_count == 1 &&
			    g_array_index(r->problem->tasks, alg_task, b).mode_count == 1 &&
			    x->processor != ALG_ANY_PROCESSOR && y->processor != ALG_ANY_PROCESSOR && exclude(r, a, b))
				raise_to(r, MIN(ab, ba), "pairs");
		}
}

void alg_lower_bound(const alg_problem *problem, alg_bound *bound)
{
	uint32_t n = problem->tasks->len;
	relaxed r = {problem,
	             n,
	             g_new(int64_t, n + 1),
	             g_new(int64_t, problem->edges->len + 1),
	             g_new(int64_t, n + 1),
	             g_new(int64_t, n + 1),
	             bound};
	uint32_t *order = NULL;

	*bound = (alg_bound){.by = "critical path"};

	if (relax_modes(&r)) {
		relax_edges(&r);
		order = edge_order(&r);
		if (find_heads(&r, order) && find_tails(&r, order)) {
			for (uint32_t v = 0; v < n; v++)
				bound->critical_cycles = MAX(bound->critical_cycles, r.head[v] + r.tail[v]);
			raise_to(&r, bound->critical_cycles, "critical path");
			for (uint32_t k = 0; k < problem->resources->len; k++)
				bound_resource(&r, k);
			bound_pairs(&r);
		}
	}
	g_free(order);
	g_free(r.duration);
	g_free(r.lag);
	g_free(r.head);
	g_free(r.tail);
}
