/* SPDX-License-Identifier: Apache-2.0
 *
 * The learning search of the exact engine against the formula that CaDiCaL solves: random problems with precedence,
 * maximum lags, releases, deadlines and capacities that change, asked for every end.  Both see windows by lags alone,
 * so that rules and explanations have everything to do.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/check.h"
#include "sched/alg/exact_int.h"
#include "sched/alg/exact_learn.h"
#include "tests/lib/tap.h"

enum { PROBLEMS = 300 };

static void add_random_resource(alg_problem *p, rng *r)
{
	uint32_t resource = alg_problem_add_resource(p, 2 + (uint32_t)rng_below(r, 3));

	if (rng_below(r, 3) == 0) {
		alg_problem_add_step(p, resource, 3 + (int64_t)rng_below(r, 3), 1 + (uint32_t)rng_below(r, 3));
		alg_problem_add_step(p, resource, 8 + (int64_t)rng_below(r, 3), 2 + (uint32_t)rng_below(r, 2));
	}
}

static alg_problem *random_problem(rng *r)
{
	alg_problem *p = alg_problem_new();
	uint32_t n = 5 + (uint32_t)rng_below(r, 6), edges = (uint32_t)rng_below(r, 2 * n);

	for (uint64_t k = 1 + rng_below(r, 3); k > 0; k--)
		add_random_resource(p, r);
	for (uint32_t v = 0; v < n; v++) {
		alg_problem_add_task(p, (int64_t)rng_below(r, 6), 0);
		for (uint32_t k = 0; k < p->resources->len; k++)
			if (rng_below(r, 3))
				alg_problem_add_demand(p, k, 1 + (uint32_t)rng_below(r, 2));
		if (rng_below(r, 6) == 0)
			alg_problem_set_window(p, (int64_t)rng_below(r, 5),
			                       rng_below(r, 2) ? ALG_NO_DEADLINE : 14 + (int64_t)rng_below(r, 12));
	}
	for (; edges > 0; edges--) {
		uint32_t from = (uint32_t)rng_below(r, n), to = (uint32_t)rng_below(r, n);

		if (from == to)
			continue;
		if (rng_below(r, 3) == 0)
			alg_problem_add_lag(p, MAX(from, to), MIN(from, to), -(int64_t)(6 + rng_below(r, 8)));
		else
			alg_problem_add_edge(p, MIN(from, to), MAX(from, to), (int64_t)rng_below(r, 3) - 1, 0);
	}
	return p;
}

/* Starts, the end after them, as the judge of all engines sees them. */
static void expect_schedule(const alg_problem *p, const int64_t *start, int64_t end)
{
	alg_schedule s;
	g_autoptr(GString) offences = g_string_new(NULL);

	alg_schedule_init(&s, p->tasks->len);
	for (uint32_t v = 0; v < p->tasks->len; v++) {
		s.start_cycles[v] = start[v];
		s.makespan_cycles = MAX(s.makespan_cycles, start[v] + alg_problem_mode(p, v, 0)->duration_cycles);
	}
	/* The order in which they are placed means nothing here: by start. */
	for (uint32_t i = 0; i < p->tasks->len; i++) {
		uint32_t at = i;

		for (; at > 0 && start[s.order[at - 1]] > start[i]; at--)
			s.order[at] = s.order[at - 1];
		s.order[at] = i;
	}
	CU_ASSERT_TRUE(alg_check(p, &s, offences, 5));
	CU_ASSERT_TRUE(s.makespan_cycles <= end);
	alg_schedule_fini(&s);
}

/* Counts of answers that were the same. */
typedef struct tally {
	unsigned found, none;
} tally;

/* BY: one learner is asked for falling ends and told each, or for growing ones. */
static void compare(const alg_problem *p, bool falling, tally *t)
{
	alg_solve_options o;
	alg_solve_result result = {.status = ALG_UNKNOWN};
	exact_model *m = exact_i_model_new(p, NULL, 0, false);
	int64_t horizon, start[16];
	exact_windows w;

	alg_solve_options_init(&o);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	/* A divisor would make units of cycles. */
	horizon = MIN(exact_i_horizon(m), 40);
	exact_i_windows_init(&w, m);
	if (m->scale == 1 && exact_i_lag_windows(m, horizon, &w)) {
		exact_learner *l = exact_i_learner_new(m, &w, NULL, &o, &result);
		exact_formula *f = exact_i_encode(m, &w, NULL, false, &o, &result);
		int64_t first = w.early[m->tasks], answers = horizon - first + 1;

		CU_ASSERT_PTR_NOT_NULL_FATAL(l);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		for (int64_t i = 0; i < answers; i++) {
			int64_t end = falling ? horizon - i : first + i;
			enum exact_answer learned = exact_i_learner_search(l, end, UINT64_MAX, start), known;

			exact_i_assume(f, exact_i_starts_by(f, m->tasks, end));
			known = exact_i_search(f, UINT64_MAX);
			CU_ASSERT_EQUAL(learned, known);
			t->found += learned == EXACT_SAT;
			t->none += learned == EXACT_UNSAT;
			if (learned == EXACT_SAT)
				expect_schedule(p, start, end);
			if (falling)
				exact_i_learner_end_by(l, end - 1);
			else if (known == EXACT_UNSAT)
				exact_i_learner_end_from(l, end + 1);
		}
		exact_i_learner_free(l);
		exact_i_formula_free(f);
	}
	exact_i_windows_fini(&w);
	exact_i_model_free(m);
}

static void it_answers_as_the_formula_does_for_every_end(void)
{
	tally t = {0, 0};
	rng r;

	rng_seed(&r, 23, 0);
	for (unsigned i = 0; i < PROBLEMS; i++) {
		alg_problem *p = random_problem(&r);

		compare(p, i % 2, &t);
		alg_problem_free(p);
	}
	/* Enough of both. */
	CU_ASSERT_TRUE(t.found > 8 * PROBLEMS);
	CU_ASSERT_TRUE(t.none > PROBLEMS / 2);
}

static void a_budget_of_conflicts_is_kept_and_the_search_goes_on_after_it(void)
{
	/* 7 tasks of 2 to 8 cycles, any two of which are too much, 35 cycles: none by 34, which takes more than 3
	 * conflicts by pairs alone. */
	alg_problem *p = alg_problem_new();
	alg_solve_options o;
	alg_solve_result result = {.status = ALG_UNKNOWN};
	enum exact_answer answer = EXACT_OPEN;
	unsigned turns = 0;
	int64_t start[8];
	exact_windows w;
	exact_model *m;
	exact_learner *l;

	alg_solve_options_init(&o);
	alg_problem_add_resource(p, 3);
	for (int64_t d = 2; d <= 8; d++) {
		alg_problem_add_task(p, d, 0);
		alg_problem_add_demand(p, 0, 2);
	}
	m = exact_i_model_new(p, NULL, 0, false);
	exact_i_windows_init(&w, m);
	CU_ASSERT_TRUE_FATAL(exact_i_lag_windows(m, 36, &w));
	l = exact_i_learner_new(m, &w, NULL, &o, &result);
	for (; answer == EXACT_OPEN; turns++) {
		uint64_t before = result.conflicts;

		answer = exact_i_learner_search(l, 34, 3, start);
		CU_ASSERT_TRUE(result.conflicts <= before + 3);
	}
	CU_ASSERT_EQUAL(answer, EXACT_UNSAT);
	CU_ASSERT_TRUE(turns > 1);
	CU_ASSERT_EQUAL(exact_i_learner_search(l, 35, UINT64_MAX, start), EXACT_SAT);
	expect_schedule(p, start, 35);
	exact_i_learner_free(l);
	exact_i_windows_fini(&w);
	exact_i_model_free(m);
	alg_problem_free(p);
}

static void problems_with_choices_are_not_taken(void)
{
	alg_problem *p = alg_problem_new();
	alg_solve_options o;
	alg_solve_result result = {.status = ALG_UNKNOWN};
	exact_windows w;
	exact_model *m;

	alg_solve_options_init(&o);
	alg_problem_add_task(p, 2, 0);
	alg_problem_add_mode(p, 3, 0);
	m = exact_i_model_new(p, NULL, 0, false);
	exact_i_windows_init(&w, m);
	CU_ASSERT_TRUE_FATAL(exact_i_lag_windows(m, 5, &w));
	CU_ASSERT_PTR_NULL(exact_i_learner_new(m, &w, NULL, &o, &result));
	exact_i_windows_fini(&w);
	exact_i_model_free(m);
	alg_problem_free(p);
}

int main(void)
{
	static const tap_case cases[] = {
		{"it_answers_as_the_formula_does_for_every_end", it_answers_as_the_formula_does_for_every_end},
		{"a_budget_of_conflicts_is_kept_and_the_search_goes_on_after_it",
	         a_budget_of_conflicts_is_kept_and_the_search_goes_on_after_it},
		{"problems_with_choices_are_not_taken", problems_with_choices_are_not_taken},
	};

	return tap_run("exact_learn", cases, G_N_ELEMENTS(cases));
}
