/* SPDX-License-Identifier: Apache-2.0
 *
 * Problems with maximum lags, for both engines.  Distances between starts (longest paths over all lags, Floyd and
 * Warshall) give what must come before what and how late a task may still start once others have.  Serial generation by
 * priorities places each task as early as it can; a task whose latest start has passed is repaired as Franck, Neumann
 * and Schwindt (2001) do: the placed tasks that hold it back are taken out again and may start only later by what is
 * missing. So many times for a schedule, then the attempt is given up.
 *
 * list tries rules and noise; anneal changes priorities of the best schedule so far and accepts like the annealer.
 * There are instances that this never solves although a schedule exists, and it proves nothing but cycles of positive
 * length.
 */
#include <math.h>
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/calendar.h"
#include "sched/alg/engines.h"
#include "sched/alg/sgs_int.h"

enum {
	MOST_TASKS = 4000,
	REPAIRS_PER_TASK = 3,
	DEFAULT_LIST = 100,
	DEFAULT_ANNEAL = 5000,
	STEPS = 90,
	MOST_FIRST = 1000,
	RULES = 4
};
#define NO_PATH (INT64_MIN / 4)

typedef struct lags {
	const alg_solve_options *options;
	alg_solve_result *result;
	const alg_flat *f;
	uint32_t n;
	int64_t *distance; /* [from * n + to]: start to start, at least; NO_PATH */
	uint32_t *before;  /* per task: how many others must come before it */
	int64_t *head, *tail;
	alg_keeper keeper;
	int64_t *start, *least;   /* of the attempt; INT64_MAX: not placed */
	double *priority, *trial; /* least first */
	uint64_t budget;
} lags;

static int64_t path(const lags *g, uint32_t from, uint32_t to)
{
	return g->distance[(size_t)from * g->n + to];
}

/* Must I be placed before K? */
static bool precedes(const lags *g, uint32_t i, uint32_t k)
{
	return path(g, i, k) > 0 || (path(g, i, k) == 0 && path(g, k, i) < 0);
}

static void close_distances(lags *g)
{
	const alg_flat *f = g->f;
	uint32_t n = g->n;

	for (size_t i = 0; i < (size_t)n * n; i++)
		g->distance[i] = NO_PATH;
	for (uint32_t v = 0; v < n; v++) {
		g->distance[(size_t)v * n + v] = 0;
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++) {
			int64_t *d = &g->distance[(size_t)v * n + f->out[i].task];

			*d = MAX(*d, f->out[i].lag);
		}
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++) {
			int64_t ik = path(g, i, k);
			int64_t *row = g->distance + (size_t)i * n;
			const int64_t *other = g->distance + (size_t)k * n;

			if (ik <= NO_PATH)
				continue;
			for (uint32_t j = 0; j < n; j++)
				if (other[j] > NO_PATH && ik + other[j] > row[j])
					row[j] = ik + other[j];
		}
	for (uint32_t v = 0; v < n; v++) {
		g->tail[v] = f->duration[v];
		g->head[v] = f->release[v];
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++) {
			if (path(g, i, k) <= NO_PATH)
				continue;
			g->tail[i] = MAX(g->tail[i], path(g, i, k) + f->duration[k]);
			g->head[k] = MAX(g->head[k], f->release[i] + path(g, i, k));
			g->before[k] += i != k && precedes(g, i, k);
		}
}

/* One attempt. */
typedef struct attempt {
	lags *g;
	alg_calendar **calendars;
	uint32_t *open; /* per task, before it and not placed */
	uint32_t repairs, placed;
} attempt;

static void take(attempt *t, uint32_t v, int64_t at)
{
	const alg_flat *f = t->g->f;

	t->g->start[v] = at;
	t->placed++;
	for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
		alg_calendar_reserve(t->calendars[f->demand[d].resource], at, f->duration[v], f->demand[d].amount);
	for (uint32_t k = 0; k < t->g->n; k++)
		t->open[k] -= k != v && precedes(t->g, v, k);
}

static void untake(attempt *t, uint32_t v)
{
	const alg_flat *f = t->g->f;

	for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
		alg_calendar_release(t->calendars[f->demand[d].resource], t->g->start[v], f->duration[v],
		                     f->demand[d].amount);
	t->g->start[v] = INT64_MAX;
	t->placed--;
	for (uint32_t k = 0; k < t->g->n; k++)
		t->open[k] += k != v && precedes(t->g, v, k);
}

/* Latest start of V by the tasks that are placed. */
static int64_t latest(const lags *g, uint32_t v)
{
	int64_t late = g->f->deadline[v] == ALG_NO_DEADLINE ? INT64_MAX : g->f->deadline[v] - g->f->duration[v];

	for (uint32_t k = 0; k < g->n; k++)
		if (g->start[k] != INT64_MAX && path(g, v, k) > NO_PATH)
			late = MIN(late, g->start[k] - path(g, v, k));
	return late;
}

static int64_t earliest(const lags *g, uint32_t v)
{
	int64_t early = MAX(g->least[v], g->head[v]);

	for (uint32_t k = 0; k < g->n; k++)
		if (g->start[k] != INT64_MAX && path(g, k, v) > NO_PATH)
			early = MAX(early, g->start[k] + path(g, k, v));
	return early;
}

/* V can start at AT only, which is after LATE: what holds it back goes out and comes again by so much later. */
static bool repair(attempt *t, uint32_t v, int64_t at, int64_t late)
{
	lags *g = t->g;
	int64_t missing = at - late, first = INT64_MAX;
	bool any = false;

	if (++t->repairs > REPAIRS_PER_TASK * g->n)
		return false;
	for (uint32_t k = 0; k < g->n; k++)
		if (g->start[k] != INT64_MAX && path(g, v, k) > NO_PATH && g->start[k] - path(g, v, k) < at) {
			g->least[k] = MAX(g->least[k], g->start[k] + missing);
			first = MIN(first, g->start[k]);
			any = true;
		}
	/* Whatever started later stands on ground that moves. */
	for (uint32_t k = 0; k < g->n; k++)
		if (g->start[k] != INT64_MAX && g->start[k] >= first)
			untake(t, k);
	return any;
}

static bool place_all(attempt *t, const double *priority)
{
	lags *g = t->g;

	while (t->placed < g->n) {
		uint32_t best = UINT32_MAX;
		int64_t at, late;

		for (uint32_t v = 0; v < g->n; v++)
			if (g->start[v] == INT64_MAX && t->open[v] == 0 &&
			    (best == UINT32_MAX || priority[v] < priority[best]))
				best = v;
		if (best == UINT32_MAX)
			return false;
		at = alg_sgs_i_earliest(g->f, t->calendars, best, earliest(g, best));
		late = latest(g, best);
		if (at == INT64_MAX || (at > late && !repair(t, best, at, late)))
			return false;
		if (at <= late)
			take(t, best, at);
	}
	return true;
}

/* A schedule by PRIORITY into g->start; INT64_MAX when the attempt was given up. */
static int64_t generate(lags *g, const double *priority)
{
	attempt t = {g, alg_sgs_i_calendars(g->f), g_memdup2(g->before, (g->n + 1) * sizeof(uint32_t)), 0, 0};
	int64_t makespan = INT64_MAX;

	for (uint32_t v = 0; v < g->n; v++) {
		g->start[v] = INT64_MAX;
		g->least[v] = 0;
	}
	if (place_all(&t, priority)) {
		makespan = 0;
		for (uint32_t v = 0; v < g->n; v++)
			makespan = MAX(makespan, g->start[v] + g->f->duration[v]);
		alg_keeper_offer(&g->keeper, g->start, makespan, "repair of lags");
	}
	g->result->schedules++;
	alg_sgs_i_free_calendars(g->f, t.calendars);
	g_free(t.open);
	return makespan;
}

static bool spent(lags *g)
{
	return g->result->schedules >= g->budget || alg_stopped(g->options, g->result) ||
	       g->keeper.makespan_cycles <= g->result->lower_bound_cycles;
}

/* Latest start, latest end, slack, then latest start with tasks of cycles first. */
static void fill(const lags *g, unsigned rule, double *priority)
{
	for (uint32_t v = 0; v < g->n; v++) {
		bool on_cycle = false;

		for (uint32_t k = 0; k < g->n; k++)
			on_cycle = on_cycle || (k != v && path(g, v, k) > NO_PATH && path(g, k, v) > NO_PATH);
		priority[v] = rule == 1   ? (double)(g->f->duration[v] - g->tail[v])
		              : rule == 2 ? -(double)(g->head[v] + g->tail[v])
		              : rule == 3 ? -(double)g->tail[v] - (on_cycle ? 1e12 : 0)
		                          : -(double)g->tail[v];
	}
}

static void sample(lags *g)
{
	int64_t longest = 0;
	rng noise;

	rng_seed(&noise, g->options->seed, 0);
	for (uint32_t v = 0; v < g->n; v++)
		longest = MAX(longest, g->tail[v]);
	for (uint64_t number = 0; !spent(g); number++) {
		fill(g, (unsigned)(number % RULES), g->priority);
		for (uint32_t v = 0; number >= RULES && v < g->n; v++)
			g->priority[v] += (number / RULES % 2 ? 0.15 : 0.4) * (double)longest * rng_unit(&noise);
		generate(g, g->priority);
	}
}

/* Priorities are starts of the last accepted schedule; a few tasks change theirs. */
static void anneal(lags *g)
{
	uint64_t from = g->result->schedules;
	double temperature = 0.02, now = INFINITY;
	rng noise;

	rng_seed(&noise, g->options->seed, 1);
	for (uint32_t v = 0; v < g->n; v++)
		g->priority[v] = (double)g->keeper.start[v];
	now = (double)g->keeper.makespan_cycles;
	while (!spent(g)) {
		double best = (double)g->keeper.makespan_cycles;
		uint64_t done = g->result->schedules - from;
		int64_t makespan;

		if (g->budget < UINT64_MAX)
			temperature = 0.02 * pow(0.95, (double)(done * STEPS / MAX(g->budget - from, 1)));
		memcpy(g->trial, g->priority, g->n * sizeof(double));
		for (uint64_t changes = 1 + rng_below(&noise, 6); changes > 0; changes--) {
			uint32_t a = (uint32_t)rng_below(&noise, g->n), b = (uint32_t)rng_below(&noise, g->n);
			double old = g->trial[a];

			if (rng_below(&noise, 2)) {
				g->trial[a] = g->trial[b];
				g->trial[b] = old;
			} else {
				g->trial[a] += (rng_unit(&noise) - 0.5) * 0.4 * best;
			}
		}
		makespan = generate(g, g->trial);
		if (makespan == INT64_MAX ||
		    rng_unit(&noise) >= exp((now - (double)makespan) / (temperature * best + 1e-9)))
			continue;
		now = (double)makespan;
		for (uint32_t v = 0; v < g->n; v++)
			g->priority[v] = (double)g->start[v];
	}
}

static void search(lags *g, bool annealing)
{
	uint64_t whole;

	g->budget = g->options->schedules ? g->options->schedules : annealing ? DEFAULT_ANNEAL : DEFAULT_LIST;
	if (g->options->unlimited)
		g->budget = UINT64_MAX;
	whole = g->budget;
	/* Something to begin with: a tenth of the budget in samples, and more until one is a schedule. */
	if (annealing)
		g->budget = MIN(MAX(whole / 10, 1), MOST_FIRST);
	do {
		sample(g);
		g->budget = g->keeper.makespan_cycles == INT64_MAX ? MIN(g->budget * 2, whole) : whole;
	} while (g->keeper.makespan_cycles == INT64_MAX && !g->result->capped &&
	         g->result->schedules < (g->options->unlimited ? whole : MIN(whole, MOST_FIRST)));
	if (annealing && g->keeper.makespan_cycles != INT64_MAX)
		anneal(g);
}

bool alg_solve_lags(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                    GError **error)
{
	uint32_t n = problem->tasks->len;
	lags g = {.options = options, .result = result, .n = n};
	alg_flat *flat;

	if (alg_has_choices(problem) || n > MOST_TASKS) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "maximum lags with a choice of modes or processors, or with more than %d tasks",
		            MOST_TASKS);
		return false;
	}
	flat = alg_flat_new(problem, NULL, NULL, error);
	if (!flat)
		return false;
	g.f = flat;
	g.distance = g_new(int64_t, (size_t)n * n + 1);
	g.before = g_new0(uint32_t, n + 1);
	g.head = g_new0(int64_t, n + 1);
	g.tail = g_new0(int64_t, n + 1);
	g.start = g_new0(int64_t, n + 1);
	g.least = g_new0(int64_t, n + 1);
	g.priority = g_new0(double, n + 1);
	g.trial = g_new0(double, n + 1);
	alg_keeper_init(&g.keeper, flat);
	close_distances(&g);
	search(&g, strcmp(options->method, "anneal") == 0);
	alg_keeper_store(&g.keeper, result);
	alg_keeper_fini(&g.keeper);
	g_free(g.distance);
	g_free(g.before);
	g_free(g.head);
	g_free(g.tail);
	g_free(g.start);
	g_free(g.least);
	g_free(g.priority);
	g_free(g.trial);
	alg_flat_free(flat);
	return true;
}
