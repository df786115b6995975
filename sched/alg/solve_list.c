/* SPDX-License-Identifier: Apache-2.0
 *
 * The list engine.  A tour of passes, each one schedule: every rule in parallel and in serial generation, forward and
 * in reversed time, the best ones first (so a budget of one schedule is the first row of the tour).  Then justification
 * (forward-backward improvement) of the best, two schedules a round while it helps.  Then sampling: parallel and serial
 * generation in both directions in turn by latest starts with noise, each sample justified once.  Rows and noise depend
 * on options and seed only.
 *
 * In reversed time windows and changing capacities are left out: such schedules only give orders to forward generation.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/engines.h"
#include "sched/alg/rules.h"

enum { LARGE_TASKS = 50000 };

/* One direction of time. */
typedef struct side {
	alg_flat *flat;
	alg_sgs *sgs;
	alg_rule_view view;
} side;

typedef struct list_run {
	const alg_solve_options *options;
	alg_solve_result *result;
	side side[2]; /* forward, reversed */
	alg_keeper keeper;
	double *value;
	uint32_t *rank, *list;
	int64_t *start;
	bool complete; /* the last pass placed every task */
	uint64_t budget;
} list_run;

static bool spent(list_run *r)
{
	return r->result->schedules >= r->budget || alg_stopped(r->options, r->result) ||
	       r->keeper.makespan_cycles <= r->result->lower_bound_cycles;
}

static bool offer(list_run *r, unsigned reversed, int64_t makespan, const char *by)
{
	r->result->schedules++;
	r->complete = makespan != INT64_MAX;
	if (!r->complete)
		return false;
	return reversed ? alg_keeper_offer_mirrored(&r->keeper, r->start, makespan, by)
	                : alg_keeper_offer(&r->keeper, r->start, makespan, by);
}

/* Schedules in direction REVERSED by r->value. */
static bool pass(list_run *r, unsigned reversed, bool serial, const char *by)
{
	side *s = &r->side[reversed];
	int64_t makespan;

	alg_rule_ranks(&s->view, r->value, r->rank);
	if (serial) {
		alg_sgs_list_of_ranks(s->flat, r->rank, r->list);
		makespan = alg_sgs_serial(s->sgs, r->list, r->start);
	} else {
		makespan = alg_sgs_parallel(s->sgs, r->rank, r->start);
	}
	return offer(r, reversed, makespan, by);
}

/* Builds the schedule r->start of direction REVERSED again from its other end. */
static int64_t justify(list_run *r, unsigned reversed)
{
	int64_t makespan;

	alg_flat_list(r->side[reversed].flat, r->start, true, r->list);
	if (r->side[reversed].flat->loose)
		alg_sgs_repair(r->side[!reversed].flat, r->list);
	makespan = alg_sgs_serial(r->side[!reversed].sgs, r->list, r->start);
	offer(r, !reversed, makespan, "justification");
	return makespan;
}

static void tour(list_run *r, const alg_rule *only)
{
	static const struct {
		bool serial;
		unsigned reversed;
	} ways[] = {{false, 0}, {true, 0}, {false, 1}, {true, 1}};

	for (unsigned w = 0; w < G_N_ELEMENTS(ways); w++)
		for (const alg_rule *rule = only ? only : alg_rules; rule->name && !spent(r);
		     rule = only ? only + 1 : rule + 1) {
			side *s = &r->side[ways[w].reversed];

			rule->values(&s->view, r->value);
			pass(r, ways[w].reversed, ways[w].serial, rule->name);
			if (only)
				break;
		}
}

static void improve_best(list_run *r)
{
	int64_t before = INT64_MAX;

	while (r->keeper.makespan_cycles < before && !spent(r)) {
		before = r->keeper.makespan_cycles;
		memcpy(r->start, r->keeper.start, r->side[0].flat->tasks * sizeof(*r->start));
		justify(r, 0);
		if (r->complete && !spent(r))
			justify(r, 1);
	}
}

static void sample(list_run *r, rng *noise, uint64_t number)
{
	static const double spreads[] = {0.05, 0.1, 0.2, 0.4};
	unsigned reversed = number / 2 % 2;
	side *s = &r->side[reversed];
	double spread = spreads[number / 4 % G_N_ELEMENTS(spreads)];
	int64_t longest = 0;

	for (uint32_t v = 0; v < s->flat->tasks; v++)
		longest = MAX(longest, s->view.tail[v]);
	for (uint32_t v = 0; v < s->flat->tasks; v++)
		r->value[v] = -(double)s->view.tail[v] + spread * (double)longest * rng_unit(noise);
	pass(r, reversed, number % 2, "sampling");
	if (r->complete && !spent(r))
		justify(r, reversed);
	if (r->complete && !spent(r))
		justify(r, !reversed);
}

static void search(list_run *r, const alg_rule *only)
{
	rng noise;

	rng_seed(&noise, r->options->seed, 0);
	tour(r, only);
	improve_best(r);
	for (uint64_t number = 0; !spent(r); number++) {
		sample(r, &noise, number);
		if (r->options->progress)
			r->options->progress(r->options->progress_state,
			                     (double)r->result->schedules / (double)r->budget);
	}
}

static void list_run_fini(list_run *r)
{
	for (unsigned d = 0; d < 2; d++) {
		alg_rule_view_fini(&r->side[d].view);
		alg_sgs_free(r->side[d].sgs);
		alg_flat_free(r->side[d].flat);
	}
	alg_keeper_fini(&r->keeper);
	g_free(r->value);
	g_free(r->rank);
	g_free(r->list);
	g_free(r->start);
}

bool alg_solve_list(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                    GError **error)
{
	list_run r = {.options = options, .result = result};
	const alg_rule *only = options->rule ? alg_rule_find(options->rule, error) : NULL;
	uint32_t n = problem->tasks->len;

	if (options->rule && !only)
		return false;
	r.side[0].flat = alg_flat_chosen(problem, &options->weights, result, error);
	if (!r.side[0].flat)
		return false;
	if (!r.side[0].flat->order) {
		alg_flat_free(r.side[0].flat);
		if (only) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "rule %s has no effect here: problems with maximum lags have rules of their own",
			            only->name);
			return false;
		}
		return alg_solve_lags(problem, options, result, error);
	}
	r.side[1].flat = alg_flat_mirror(r.side[0].flat);
	for (unsigned d = 0; d < 2; d++) {
		r.side[d].sgs = alg_sgs_new(r.side[d].flat);
		alg_rule_view_init(&r.side[d].view, r.side[d].flat, &options->weights);
	}
	r.value = g_new(double, n + 1);
	r.rank = g_new(uint32_t, n + 1);
	r.list = g_new(uint32_t, n + 1);
	r.start = g_new(int64_t, n + 1);
	/* The whole tour and some samples where that takes no time. */
	r.budget = options->schedules ? options->schedules : n <= LARGE_TASKS ? 100U : 1U;
	if (options->unlimited)
		r.budget = UINT64_MAX;
	alg_keeper_init(&r.keeper, r.side[0].flat);
	search(&r, only);
	alg_keeper_store(&r.keeper, result);
	list_run_fini(&r);
	return true;
}
