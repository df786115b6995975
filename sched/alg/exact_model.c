/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact engine's model: choices of mode and processor written out, times divided by their greatest common divisor,
 * longest paths, and which tasks can never overlap.
 */
#include "sched/alg/exact_int.h"

#include <stdlib.h>

enum { PATH_TASKS = 600, PAIR_TASKS = 2000, MOST_CHOICES = 1 << 20 };
/* Sums of so many times stay far from overflow. */
#define MOST_TIME (INT64_C(1) << 40)

static const alg_task *task_of(const exact_model *m, uint32_t v)
{
	return &g_array_index(m->problem->tasks, alg_task, m->name[v]);
}

static const exact_choice *choice_of(const exact_model *m, uint32_t c)
{
	return &g_array_index(m->choices, exact_choice, c);
}

int64_t exact_i_lag(const exact_model *m, const exact_arc *arc, uint32_t from_choice, uint32_t to_choice)
{
	const exact_choice *from = choice_of(m, from_choice), *to = choice_of(m, to_choice);
	const alg_edge *edge;

	if (arc->edge == EXACT_NO_EDGE)
		return from->duration;
	edge = &g_array_index(m->problem->edges, alg_edge, arc->edge);
	/* Durations are divided already, the rest divides evenly. */
	return (edge->kind == ALG_FROM_END ? from->duration : 0) +
	       (edge->lag_cycles + alg_transfer_cycles(m->problem, from->processor, to->processor, edge->bytes)) /
	               m->scale;
}

/* ---- Times in common units. ---- */

static int64_t gcd(int64_t a, int64_t b)
{
	a = llabs(a);
	b = llabs(b);
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static bool fold(int64_t *scale, int64_t time)
{
	*scale = gcd(*scale, time);
	return time > -MOST_TIME && time < MOST_TIME;
}

/* The divisor of all times; 0 when one is too great. */
static int64_t common_scale(const alg_problem *p)
{
	int64_t scale = 0;
	uint32_t processors = alg_problem_processors(p);
	bool fits = true;

	for (guint i = 0; i < p->modes->len; i++)
		fits = fold(&scale, g_array_index(p->modes, alg_mode, i).duration_cycles) && fits;
	for (guint v = 0; v < p->tasks->len; v++) {
		const alg_task *task = &g_array_index(p->tasks, alg_task, v);

		fits = fold(&scale, task->release_cycles) && fits;
		fits = (task->deadline_cycles == ALG_NO_DEADLINE || fold(&scale, task->deadline_cycles)) && fits;
	}
	for (guint e = 0; e < p->edges->len; e++) {
		const alg_edge *edge = &g_array_index(p->edges, alg_edge, e);

		fits = fold(&scale, edge->lag_cycles) && fits;
		/* Transfers are hops times this. */
		if (processors > 1)
			fits = fold(&scale, alg_transfer_cycles(p, 0, p->cols > 1 ? 1 : p->cols, edge->bytes)) && fits;
	}
	for (guint r = 0; r < p->resources->len; r++) {
		const alg_resource *resource = &g_array_index(p->resources, alg_resource, r);

		for (guint s = 0; resource->steps && s < resource->steps->len; s++)
			fits = fold(&scale, g_array_index(resource->steps, alg_step, s).from_cycles) && fits;
	}
	return !fits ? 0 : scale > 0 ? scale : 1;
}

/* ---- Choices and arcs. ---- */

static void number_resources(exact_model *m)
{
	uint32_t resources = m->problem->resources->len;

	m->resources = resources * alg_problem_processors(m->problem);
	m->resource = g_new(const alg_resource *, m->resources + 1);
	m->capacity = g_new0(uint32_t, m->resources + 1);
	for (uint32_t r = 0; r < m->resources; r++) {
		const alg_resource *resource = &g_array_index(m->problem->resources, alg_resource, r % resources);

		m->resource[r] = resource;
		m->capacity[r] = resource->capacity;
		for (guint s = 0; resource->steps && s < resource->steps->len; s++)
			m->capacity[r] = MAX(m->capacity[r], g_array_index(resource->steps, alg_step, s).capacity);
	}
}

/* False when an edge from the task to itself, or a demand, rules the choice out. */
static bool add_choice(exact_model *m, uint32_t v, uint32_t number, uint32_t processor)
{
	const alg_problem *p = m->problem;
	const alg_mode *mode = alg_problem_mode(p, m->name[v], number);
	exact_choice c = {mode->duration_cycles / m->scale, number, processor, m->demands->len, 0};

	for (uint32_t d = 0; c.duration > 0 && d < mode->demand_count; d++) {
		alg_demand demand = g_array_index(p->demands, alg_demand, mode->first_demand + d);
		bool shared = g_array_index(p->resources, alg_resource, demand.resource).shared;

		demand.resource += (shared ? 0 : processor) * p->resources->len;
		if (demand.amount > m->capacity[demand.resource]) {
			g_array_set_size(m->demands, c.first_demand);
			return false;
		}
		if (demand.amount)
			g_array_append_val(m->demands, demand);
	}
	c.demand_count = m->demands->len - c.first_demand;
	g_array_append_val(m->choices, c);
	return true;
}

static bool add_choices(exact_model *m, uint32_t v)
{
	uint32_t processors = alg_problem_processors(m->problem);

	m->first_choice[v] = m->choices->len;
	for (uint32_t k = 0; k < task_of(m, v)->mode_count; k++) {
		uint32_t fixed = alg_problem_mode(m->problem, m->name[v], k)->processor;

		for (uint32_t q = 0; q < processors; q++)
			if (fixed == ALG_ANY_PROCESSOR || fixed == q)
				add_choice(m, v, k, q);
	}
	m->least[v] = INT64_MAX;
	for (uint32_t c = m->first_choice[v]; c < m->choices->len; c++) {
		m->least[v] = MIN(m->least[v], choice_of(m, c)->duration);
		m->most[v] = MAX(m->most[v], choice_of(m, c)->duration);
	}
	return m->choices->len > m->first_choice[v] && m->choices->len < MOST_CHOICES;
}

static void add_arc(exact_model *m, uint32_t from, uint32_t to, uint32_t edge)
{
	exact_arc arc = {from, to, INT64_MAX, edge, false};
	int64_t most = INT64_MIN;

	for (uint32_t a = m->first_choice[from]; a < m->first_choice[from + 1]; a++)
		for (uint32_t b = m->first_choice[to]; b < m->first_choice[to + 1]; b++) {
			int64_t lag = exact_i_lag(m, &arc, a, b);

			arc.lag = MIN(arc.lag, lag);
			most = MAX(most, lag);
		}
	arc.varies = most > arc.lag;
	g_array_append_val(m->arcs, arc);
}

static void add_arcs(exact_model *m, const uint32_t *members, uint32_t count)
{
	g_autofree uint32_t *local = g_new(uint32_t, m->problem->tasks->len + 1);

	for (uint32_t v = 0; v < m->problem->tasks->len; v++)
		local[v] = members ? UINT32_MAX : v;
	for (uint32_t v = 0; members && v < count; v++)
		local[members[v]] = v;
	for (uint32_t e = 0; e < m->problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(m->problem->edges, alg_edge, e);

		if (edge->from != edge->to && local[edge->from] != UINT32_MAX && local[edge->to] != UINT32_MAX)
			add_arc(m, local[edge->from], local[edge->to], e);
	}
	for (uint32_t v = 0; v < m->tasks; v++)
		add_arc(m, v, m->tasks, EXACT_NO_EDGE);
}

/* A choice that an edge from the task to itself makes impossible: the engine does not take such problems. */
static bool odd_loops(const exact_model *m)
{
	for (uint32_t e = 0; e < m->problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(m->problem->edges, alg_edge, e);

		if (edge->from == edge->to && (edge->kind == ALG_FROM_END || edge->lag_cycles > 0))
			return true;
	}
	return false;
}

/* ---- Paths and pairs. ---- */

static void close_paths(exact_model *m)
{
	uint32_t n = m->tasks + 1;
	int64_t *d;

	if (m->tasks > PATH_TASKS)
		return;
	d = m->distance = g_new(int64_t, (size_t)n * n);
	for (size_t i = 0; i < (size_t)n * n; i++)
		d[i] = i % (n + 1) == 0 ? 0 : EXACT_NO_PATH;
	for (guint i = 0; i < m->arcs->len; i++) {
		const exact_arc *arc = &g_array_index(m->arcs, exact_arc, i);
		int64_t *at = &d[(size_t)arc->from * n + arc->to];

		*at = MAX(*at, arc->lag);
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++) {
			int64_t ik = d[(size_t)i * n + k];
			const int64_t *second = d + (size_t)k * n;
			int64_t *row = d + (size_t)i * n;

			for (uint32_t j = 0; ik > EXACT_NO_PATH && j < n; j++)
				if (second[j] > EXACT_NO_PATH && ik + second[j] > row[j])
					row[j] = ik + second[j];
		}
}

static void find_apart(exact_model *m)
{
	uint32_t n = m->tasks;

	if (!m->distance)
		return;
	m->apart = g_new0(uint8_t, (size_t)n * n + 1);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if (a != b && m->distance[(size_t)a * (n + 1) + b] >= m->most[a])
				m->apart[(size_t)a * n + b] = m->apart[(size_t)b * n + a] = EXACT_BY_LAGS;
	/* Lags from an end hold for every duration. */
	for (guint i = 0; i < m->arcs->len; i++) {
		const exact_arc *arc = &g_array_index(m->arcs, exact_arc, i);
		const alg_edge *edge;

		if (arc->edge == EXACT_NO_EDGE)
			continue;
		edge = &g_array_index(m->problem->edges, alg_edge, arc->edge);
		for (uint32_t b = 0; edge->kind == ALG_FROM_END && edge->lag_cycles >= 0 && b < n; b++)
			if (b != arc->from && m->distance[(size_t)arc->to * (n + 1) + b] >= 0)
				m->apart[(size_t)arc->from * n + b] = m->apart[(size_t)b * n + arc->from] = 1;
	}
}

uint32_t exact_i_amount(const exact_model *m, const exact_choice *choice, uint32_t resource)
{
	for (uint32_t d = choice->first_demand; d < choice->first_demand + choice->demand_count; d++)
		if (g_array_index(m->demands, alg_demand, d).resource == resource)
			return g_array_index(m->demands, alg_demand, d).amount;
	return 0;
}

static bool choices_exclude(const exact_model *m, const exact_choice *x, const exact_choice *y)
{
	for (uint32_t i = x->first_demand; i < x->first_demand + x->demand_count; i++) {
		const alg_demand *demand = &g_array_index(m->demands, alg_demand, i);

		if ((uint64_t)demand->amount + exact_i_amount(m, y, demand->resource) > m->capacity[demand->resource] &&
		    exact_i_amount(m, y, demand->resource) > 0)
			return true;
	}
	return false;
}

/* Do A and B, for all choices, ask for more of a resource than there ever is? */
static bool exclude(const exact_model *m, uint32_t a, uint32_t b)
{
	for (uint32_t x = m->first_choice[a]; x < m->first_choice[a + 1]; x++)
		for (uint32_t y = m->first_choice[b]; y < m->first_choice[b + 1]; y++)
			if (!choices_exclude(m, choice_of(m, x), choice_of(m, y)))
				return false;
	return true;
}

bool exact_i_unary(const exact_model *m, uint32_t resource)
{
	uint32_t least[2] = {UINT32_MAX, UINT32_MAX};

	if (m->tasks > PAIR_TASKS || (!m->steady && m->resource[resource]->steps))
		return false;
	for (uint32_t v = 0; v < m->tasks; v++) {
		uint32_t amount = exact_i_amount(m, choice_of(m, m->first_choice[v]), resource);

		/* Pairs are between tasks without choices here. */
		for (uint32_t c = m->first_choice[v]; c < m->first_choice[v + 1]; c++)
			if (m->first_choice[v + 1] - m->first_choice[v] > 1 &&
			    exact_i_amount(m, choice_of(m, c), resource) > 0)
				return false;
		if (amount > 0 && amount < least[0]) {
			least[1] = least[0];
			least[0] = amount;
		} else if (amount > 0 && amount < least[1]) {
			least[1] = amount;
		}
	}
	return (uint64_t)least[0] + least[1] > m->capacity[resource];
}

static void find_pairs(exact_model *m)
{
	uint32_t n = m->tasks;

	for (uint32_t a = 0; n <= PAIR_TASKS && a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			exact_pair pair = {a, b};

			if (m->least[a] == 0 || m->least[b] == 0 || !exclude(m, a, b))
				continue;
			if (!m->apart || !m->apart[(size_t)a * n + b])
				g_array_append_val(m->pairs, pair);
			if (m->apart) {
				m->apart[(size_t)a * n + b] |= EXACT_BY_DEMAND;
				m->apart[(size_t)b * n + a] |= EXACT_BY_DEMAND;
			}
		}
}

int64_t exact_i_capacity(const exact_model *m, uint32_t resource, int64_t time)
{
	const alg_resource *r = m->resource[resource];
	uint32_t level = r->capacity;

	if (m->steady)
		return m->capacity[resource];
	for (guint s = 0; r->steps && s < r->steps->len; s++) {
		const alg_step *step = &g_array_index(r->steps, alg_step, s);

		if (step->from_cycles / m->scale > time)
			break;
		level = step->capacity;
	}
	return level;
}

int64_t exact_i_horizon(const exact_model *m)
{
	g_autofree int64_t *longest = g_memdup2(m->most, (m->tasks + 1) * sizeof(int64_t));
	int64_t sum = 0;

	/* Of a schedule, whatever starts after an instant in which nothing runs and no lag is under way can be moved
	 * forward, once releases and changes of capacity are past. */
	for (guint i = 0; i < m->arcs->len; i++) {
		const exact_arc *arc = &g_array_index(m->arcs, exact_arc, i);

		for (uint32_t a = m->first_choice[arc->from]; a < m->first_choice[arc->from + 1]; a++)
			for (uint32_t b = m->first_choice[arc->to]; b < m->first_choice[arc->to + 1]; b++)
				longest[arc->from] = MAX(longest[arc->from], exact_i_lag(m, arc, a, b));
	}
	for (uint32_t v = 0; v < m->tasks; v++)
		sum += longest[v];
	if (!m->steady) {
		int64_t first = 0;

		for (uint32_t v = 0; v < m->tasks; v++)
			first = MAX(first, m->release[v]);
		for (uint32_t r = 0; r < m->resources; r++) {
			const GArray *steps = m->resource[r]->steps;

			if (steps && steps->len)
				first = MAX(first,
				            g_array_index(steps, alg_step, steps->len - 1).from_cycles / m->scale);
		}
		sum += first;
	}
	return sum;
}

exact_model *exact_i_model_new(const alg_problem *problem, const uint32_t *members, uint32_t count, bool steady)
{
	exact_model *m = g_new0(exact_model, 1);
	uint32_t n = m->tasks = members ? count : problem->tasks->len;
	exact_choice end = {0};
	bool ok = true;

	m->problem = problem;
	m->steady = steady;
	m->name = g_new0(uint32_t, n + 1);
	m->first_choice = g_new0(uint32_t, n + 2);
	m->choices = g_array_new(FALSE, FALSE, sizeof(exact_choice));
	m->demands = g_array_new(FALSE, FALSE, sizeof(alg_demand));
	m->arcs = g_array_new(FALSE, FALSE, sizeof(exact_arc));
	m->pairs = g_array_new(FALSE, FALSE, sizeof(exact_pair));
	m->least = g_new0(int64_t, n + 1);
	m->most = g_new0(int64_t, n + 1);
	m->release = g_new0(int64_t, n + 1);
	m->deadline = g_new0(int64_t, n + 1);
	m->scale = common_scale(problem);
	number_resources(m);
	if (m->scale == 0 || odd_loops(m)) {
		exact_i_model_free(m);
		return NULL;
	}
	for (uint32_t v = 0; v < n; v++) {
		m->name[v] = members ? members[v] : v;
		ok = ok && add_choices(m, v);
		m->release[v] = steady ? 0 : task_of(m, v)->release_cycles / m->scale;
		m->deadline[v] = steady || task_of(m, v)->deadline_cycles == ALG_NO_DEADLINE
		                         ? INT64_MAX
		                         : task_of(m, v)->deadline_cycles / m->scale;
	}
	if (!ok) {
		exact_i_model_free(m);
		return NULL;
	}
	m->first_choice[n] = m->choices->len;
	g_array_append_val(m->choices, end);
	m->first_choice[n + 1] = m->choices->len;
	m->deadline[n] = INT64_MAX;
	add_arcs(m, members, count);
	close_paths(m);
	find_apart(m);
	find_pairs(m);
	return m;
}

void exact_i_model_free(exact_model *m)
{
	if (!m)
		return;
	g_array_free(m->choices, TRUE);
	g_array_free(m->demands, TRUE);
	g_array_free(m->arcs, TRUE);
	g_array_free(m->pairs, TRUE);
	g_free(m->name);
	g_free(m->first_choice);
	g_free(m->least);
	g_free(m->most);
	g_free(m->release);
	g_free(m->deadline);
	g_free(m->resource);
	g_free(m->capacity);
	g_free(m->distance);
	g_free(m->apart);
	g_free(m);
}
