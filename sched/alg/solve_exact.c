/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact engine: destructive bounds from below (sched/alg/exact_energy.c), a schedule by the annealer from above,
 * then a formula (sched/alg/exact_encode.c) for "ends before the best schedule", in one incremental solver, CaDiCaL.
 * Each schedule found forbids all that are not shorter; no answer to "shorter" is the proof.  When that question takes
 * long, turns go to "ends at the lower bound", whose refusals raise the bound.
 *
 * The budget counts conflicts, so that an answer follows from problem and options; turns are counted in them, too.
 */
#include <string.h>

#include "sched/alg/engines.h"
#include "sched/alg/exact_int.h"
#include "sched/alg/exact_learn.h"
#include "sched/alg/sgs.h"

enum {
	DEFAULT_CONFLICTS = 1000000,
	DEFAULT_SCHEDULES = 20000,
	DEFAULT_PLACED = 4000000,    /* tasks in all schedules, so fewer of large problems */
	DEFAULT_LAG_SCHEDULES = 100, /* with maximum lags, where they cost more and give less */
	FIRST_TURN = 4000,
	LEARNER_SHARE = 24,          /* of conflicts, which cost it far less */
	SCHEDULES_PER_CONFLICT = 25, /* of the annealer's turn, some tenths of the search's in time */
	CONFLICTS_PER_LAG_SCHEDULE = 100,
	GROUP_CONFLICTS = 200000,
	FIRST_SLACK = 20 /* cycles above the lower bound in the first horizon without a schedule */
};

typedef struct exact_run {
	const alg_problem *problem;
	const alg_solve_options *options;
	alg_solve_result *result;
	exact_model *m;
	exact_windows w;
	exact_formula *f;
	exact_learner *l; /* where no task has choices; else NULL */
	alg_flat *flat;   /* without choices and maximum lags, to move schedules left; else NULL */
	alg_sgs *sgs;
	int64_t lower, upper, horizon; /* units; upper INT64_MAX: no schedule yet */
	int64_t reach;                 /* the formula's horizon */
	int64_t *start;                /* of the best schedule, in units, the end included */
	uint32_t *choice;
	uint64_t budget;
	bool annealable;   /* the annealer takes such problems */
	uint64_t annealed; /* how often it ran */
} exact_run;

static bool has_schedule(const exact_run *r)
{
	return r->upper != INT64_MAX;
}

static bool spent(const exact_run *r)
{
	return r->result->conflicts >= r->budget || alg_stopped(r->options, r->result);
}

static void set_lower(exact_run *r, int64_t lower, const char *by)
{
	if (lower <= r->lower)
		return;
	r->lower = lower;
	r->result->lower_bound_cycles = lower * r->m->scale;
	r->result->bound_by = by;
}

/* The result's schedule is the best so far. */
static void take_result(exact_run *r)
{
	r->upper = r->result->schedule.makespan_cycles / r->m->scale;
	for (uint32_t v = 0; v < r->m->tasks; v++)
		r->start[v] = r->result->schedule.start_cycles[v] / r->m->scale;
	r->start[r->m->tasks] = r->upper;
}

/* ---- From below. ---- */

static bool refuted(exact_run *r, int64_t horizon)
{
	return !exact_i_tighten(r->m, horizon, &r->w, r->options, r->result) && !r->result->capped;
}

/* Raises the bound until its windows stand up to the rules: by growing steps, then between the last two. */
static void bound_by_rules(exact_run *r)
{
	int64_t step = 1, stands = r->horizon;

	while (r->lower < stands && !alg_stopped(r->options, r->result)) {
		int64_t at = MIN(r->lower + step - 1, stands - 1);

		if (at >= r->lower && refuted(r, at)) {
			set_lower(r, at + 1, "energetic reasoning");
			step *= 2;
		} else if (at > r->lower) {
			stands = at;
			step = 1;
		} else {
			return;
		}
	}
}

/* ---- From above. ---- */

static bool has_maximum_lags(const exact_model *m)
{
	for (guint i = 0; i < m->arcs->len; i++)
		if (g_array_index(m->arcs, exact_arc, i).lag < 0)
			return true;
	return false;
}

/* Each time by another seed. */
static bool anneal(exact_run *r, uint64_t schedules, GError **error)
{
	alg_solve_options o = *r->options;
	g_autoptr(GError) refused = NULL;

	o.method = "anneal";
	o.unlimited = false;
	o.schedules = schedules;
	o.one_round = !r->options->schedules;
	o.seed += r->annealed++;
	o.progress = NULL;
	r->annealable = alg_solve_anneal(r->problem, &o, r->result, &refused);
	/* That it sees no schedule, or does not take such problems, is no answer here. */
	if (!r->annealable && !g_error_matches(refused, TSP_ERROR, TSP_ERROR_UNSUPPORTED) &&
	    !g_error_matches(refused, TSP_ERROR, TSP_ERROR_USER)) {
		g_propagate_error(error, g_steal_pointer(&refused));
		return false;
	}
	if (r->result->status == ALG_FEASIBLE && r->result->schedule.makespan_cycles / r->m->scale < r->upper)
		take_result(r);
	return true;
}

static bool anneal_first(exact_run *r, GError **error)
{
	uint64_t schedules = has_maximum_lags(r->m)
	                             ? DEFAULT_LAG_SCHEDULES
	                             : CLAMP(DEFAULT_PLACED / MAX(r->m->tasks, 1), 100, DEFAULT_SCHEDULES);

	return anneal(r, r->options->schedules ? r->options->schedules : schedules, error);
}

/* What the search found, in r->start and r->choice, moved left where that is simple. */
static void take_values(exact_run *r)
{
	alg_schedule *s = &r->result->schedule;
	uint32_t n = r->m->tasks;

	s->makespan_cycles = 0;
	for (uint32_t v = 0; v < n; v++) {
		const exact_choice *c = &g_array_index(r->m->choices, exact_choice, r->choice[v]);

		s->start_cycles[v] = r->start[v] * r->m->scale;
		s->mode[v] = c->mode;
		s->processor[v] = c->processor;
		s->makespan_cycles = MAX(s->makespan_cycles, (r->start[v] + c->duration) * r->m->scale);
	}
	if (r->flat) {
		alg_flat_list(r->flat, s->start_cycles, false, s->order);
		if (r->sgs) {
			g_autofree int64_t *moved = g_new(int64_t, n + 1);
			int64_t makespan = alg_sgs_serial(r->sgs, s->order, moved);

			r->result->schedules++;
			if (makespan <= s->makespan_cycles)
				alg_flat_store(r->flat, moved, s);
		}
	}
	r->result->status = ALG_FEASIBLE;
	r->result->found_by = "search";
	take_result(r);
}

/* Tasks by start; the flat problem's order is better where there is one. */
static void order_tasks(const exact_run *r)
{
	alg_schedule *s = &r->result->schedule;

	for (uint32_t i = 0; i < r->m->tasks; i++) {
		uint32_t v = i, at = i;

		for (; at > 0 && s->start_cycles[s->order[at - 1]] > s->start_cycles[v]; at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = v;
	}
}

/* ---- The search. ---- */

static void proved(exact_run *r)
{
	if (has_schedule(r)) {
		set_lower(r, r->upper, "search");
		return;
	}
	r->result->status = ALG_INFEASIBLE;
	r->result->explanation = exact_i_explain(r->m, r->reach, r->options, r->result);
}

/* A formula for schedules that end by HORIZON; false when there is none to search. */
static bool encode(exact_run *r, int64_t horizon)
{
	exact_i_formula_free(r->f);
	r->f = NULL;
	r->reach = horizon;
	if (refuted(r, horizon)) {
		if (has_schedule(r) || horizon >= r->horizon)
			proved(r);
		else
			set_lower(r, horizon + 1, "energetic reasoning");
		return false;
	}
	if (!r->result->capped)
		r->f = exact_i_encode(r->m, &r->w, has_schedule(r) ? r->start : NULL, false, r->options, r->result);
	return r->f != NULL;
}

static int ends_by(const exact_run *r, int64_t time)
{
	return exact_i_starts_by(r->f, r->m->tasks, time);
}

/* What the formula does not know yet. */
static void tell_formula(exact_run *r)
{
	if (has_schedule(r) && r->upper - 1 < r->reach)
		exact_i_add_unit(r->f, ends_by(r, r->upper - 1));
	if (r->lower - 1 < r->reach)
		exact_i_add_unit(r->f, -ends_by(r, r->lower - 1));
}

static enum exact_answer ask_formula(exact_run *r, int64_t end, uint64_t conflicts)
{
	enum exact_answer answer;

	exact_i_assume(r->f, ends_by(r, end));
	answer = exact_i_search(r->f, conflicts);
	if (answer == EXACT_SAT)
		exact_i_values(r->f, r->start, r->choice);
	return answer;
}

static enum exact_answer ask_learner(exact_run *r, int64_t end, uint64_t conflicts)
{
	for (uint32_t v = 0; v < r->m->tasks; v++)
		r->choice[v] = r->m->first_choice[v];
	exact_i_learner_end_from(r->l, r->lower);
	if (has_schedule(r))
		exact_i_learner_end_by(r->l, r->upper - 1);
	return exact_i_learner_search(r->l, end, conflicts, r->start);
}

/* Is there a schedule that ends by END?  The learning search is asked, or the formula. */
static enum exact_answer ask(exact_run *r, bool learner, int64_t end, uint64_t turn)
{
	uint64_t conflicts = MIN(turn, r->budget - r->result->conflicts);
	enum exact_answer answer = learner ? ask_learner(r, end, conflicts) : ask_formula(r, end, conflicts);

	if (r->options->progress && r->budget != UINT64_MAX)
		r->options->progress(r->options->progress_state, (double)r->result->conflicts / (double)r->budget);
	if (answer == EXACT_SAT)
		take_values(r);
	else if (answer == EXACT_UNSAT)
		set_lower(r, end + 1, "search");
	if (answer != EXACT_OPEN && r->f && r->lower < r->upper)
		tell_formula(r);
	return answer;
}

/* Is there a schedule that ends by HORIZON?  OPEN: the budget is spent, or the problem is too large. */
static enum exact_answer try_horizon(exact_run *r, int64_t horizon)
{
	enum exact_answer answer = EXACT_OPEN;

	r->reach = horizon;
	if (refuted(r, horizon)) {
		set_lower(r, horizon + 1, "energetic reasoning");
		return EXACT_UNSAT;
	}
	if (!r->result->capped)
		r->l = exact_i_learner_new(r->m, &r->w, NULL, r->options, r->result);
	if (r->l)
		answer = ask(r, true, horizon, LEARNER_SHARE * FIRST_TURN);
	exact_i_learner_free(r->l);
	r->l = NULL;
	if (answer == EXACT_OPEN && !spent(r) && encode(r, horizon))
		answer = ask(r, false, horizon, UINT64_MAX);
	exact_i_formula_free(r->f);
	r->f = NULL;
	return answer;
}

/* Some schedule: horizons that grow until one is enough for any.  False: none was found, or there is none. */
static bool find_first(exact_run *r)
{
	for (int64_t slack = FIRST_SLACK; !has_schedule(r) && !spent(r); slack *= 4) {
		int64_t horizon = MIN(r->lower + r->lower / 4 + slack, r->horizon);
		enum exact_answer answer = try_horizon(r, horizon);

		if (answer == EXACT_UNSAT && horizon >= r->horizon)
			proved(r);
		if (answer == EXACT_OPEN || r->result->status == ALG_INFEASIBLE)
			return false;
	}
	return has_schedule(r);
}

/* Asks for shorter schedules and for ones as long as the bound in turn, TURN and half as many conflicts without an
 * answer: schedules that are found are left behind by steps that double. */
static void search_turn(exact_run *r, bool learner, uint64_t turn)
{
	enum exact_answer answer = EXACT_SAT;
	uint64_t until;
	int64_t step = 1;

	while (answer != EXACT_OPEN && r->lower < r->upper && !spent(r)) {
		answer = ask(r, learner, MAX(r->lower, r->upper - step), turn);
		step = answer == EXACT_SAT ? 2 * step : 1;
	}
	until = r->result->conflicts + turn / 2;
	while (r->lower < r->upper - 1 && r->result->conflicts < until && !spent(r))
		if (ask(r, learner, r->lower, turn / 4) != EXACT_UNSAT)
			break;
}

/* The annealer's turn, whose schedules count nothing of the budget but are as many every time. */
static bool anneal_turn(exact_run *r, uint64_t turn, GError **error)
{
	if (r->options->schedules || !r->annealable || r->lower >= r->upper || spent(r))
		return true;
	if (!anneal(r, has_maximum_lags(r->m) ? turn / CONFLICTS_PER_LAG_SCHEDULE : turn * SCHEDULES_PER_CONFLICT,
	            error))
		return false;
	if (r->f && r->lower < r->upper)
		tell_formula(r);
	return true;
}

/* From the best schedule down and from the bound up. */
static bool close_gap(exact_run *r, GError **error)
{
	uint64_t turn = FIRST_TURN;

	if (r->lower >= r->upper)
		return true;
	if (refuted(r, r->upper - 1)) {
		proved(r);
		return true;
	}
	if (!r->result->capped)
		r->l = exact_i_learner_new(r->m, &r->w, r->start, r->options, r->result);
	for (; r->lower < r->upper && !spent(r); turn += turn / 2) {
		if (r->l)
			search_turn(r, true, LEARNER_SHARE * turn);
		if (r->lower >= r->upper || spent(r))
			break;
		if (!r->f && !encode(r, r->upper - 1) && !r->l)
			return true;
		if (r->f)
			search_turn(r, false, turn);
		if (!anneal_turn(r, turn, error))
			return false;
	}
	return true;
}

static bool begin(exact_run *r, GError **error)
{
	uint32_t n = r->m->tasks;

	r->start = g_new0(int64_t, n + 1);
	r->choice = g_new0(uint32_t, n + 1);
	r->horizon = exact_i_horizon(r->m);
	/* A shortest schedule starts and ends in whole units. */
	set_lower(r, (r->result->lower_bound_cycles + r->m->scale - 1) / r->m->scale, r->result->bound_by);
	r->budget = r->options->conflicts ? r->options->conflicts : DEFAULT_CONFLICTS;
	exact_i_windows_init(&r->w, r->m);
	if (!alg_has_choices(r->problem)) {
		r->flat = alg_flat_new(r->problem, NULL, NULL, error);
		if (!r->flat)
			return false;
		if (r->flat->order && !r->flat->loose)
			r->sgs = alg_sgs_new(r->flat);
	}
	return true;
}

static void end(exact_run *r)
{
	exact_i_formula_free(r->f);
	exact_i_learner_free(r->l);
	exact_i_windows_fini(&r->w);
	alg_sgs_free(r->sgs);
	alg_flat_free(r->flat);
	g_free(r->start);
	g_free(r->choice);
	exact_i_model_free(r->m);
}

static bool run(exact_run *r, GError **error)
{
	if (has_maximum_lags(r->m))
		exact_i_try_groups(r->problem, r->m, r->options, r->result, MIN(GROUP_CONFLICTS, r->budget));
	if (r->result->status == ALG_INFEASIBLE)
		return true;
	bound_by_rules(r);
	if (!anneal_first(r, error) || (find_first(r) && !close_gap(r, error)))
		return false;
	if (has_schedule(r) && !r->flat)
		order_tasks(r);
	return true;
}

bool alg_solve_exact(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                     GError **error)
{
	exact_run r = {.problem = problem, .options = options, .result = result, .upper = INT64_MAX};
	bool ok;

	r.m = exact_i_model_new(problem, NULL, 0, false);
	if (!r.m) {
		alg_solve_options o = *options;

		/* Too great for a proof. */
		o.method = "anneal";
		return alg_solve_anneal(problem, &o, result, error);
	}
	ok = begin(&r, error) && run(&r, error);
	end(&r);
	return ok;
}
