/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact engine: problems solved by hand, explanations, budgets, and random small problems against a search through
 * all choices and starts.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/check.h"
#include "sched/alg/solve.h"
#include "tests/lib/tap.h"
#include "tests/unit/small_problems.h"

static alg_solve_result solved(const alg_problem *p, uint64_t schedules, uint64_t conflicts, unsigned threads)
{
	alg_solve_options o;
	alg_solve_result r;

	alg_solve_options_init(&o);
	o.method = "exact";
	o.schedules = schedules;
	o.conflicts = conflicts;
	o.threads = threads;
	CU_ASSERT_TRUE_FATAL(alg_solve(p, &o, &r, NULL));
	return r;
}

/* Frees P.  EXPLAINED: words of the explanation, between bars, all of which must be there. */
static void expect(alg_problem *p, enum alg_status status, int64_t makespan, const char *explained)
{
	/* One schedule to begin with leaves the search the most to do. */
	alg_solve_result r = solved(p, 1, 0, 1);
	g_auto(GStrv) words = g_strsplit(explained ? explained : "", "|", 0);

	CU_ASSERT_EQUAL(r.status, status);
	CU_ASSERT_EQUAL(r.valid, status == ALG_OPTIMAL);
	CU_ASSERT_EQUAL(r.explanation != NULL, status == ALG_INFEASIBLE);
	if (status == ALG_OPTIMAL) {
		CU_ASSERT_EQUAL(r.schedule.makespan_cycles, makespan);
		CU_ASSERT_EQUAL(r.lower_bound_cycles, makespan);
	}
	for (unsigned i = 0; words[i]; i++)
		CU_ASSERT_PTR_NOT_NULL(strstr(r.explanation ? r.explanation : "", words[i]));
	alg_solve_result_fini(&r);
	alg_problem_free(p);
}

static void what_energy_leaves_open_is_searched(void)
{
	/* Capacity 3, four tasks of 2 units and 5 cycles: no two together, so 20; energy says ceil(40 / 3) = 14. */
	alg_problem *p = problem_of(3);

	for (unsigned i = 0; i < 4; i++)
		add(p, 5, 2);
	expect(p, ALG_OPTIMAL, 20, NULL);
}

static void triples_that_do_not_fit_take_turns(void)
{
	/* Capacity 2, five tasks of 1 unit and 3 cycles: two, two, one: 9 cycles; energy says ceil(15 / 2) = 8. */
	alg_problem *p = problem_of(2);

	for (unsigned i = 0; i < 5; i++)
		add(p, 3, 1);
	expect(p, ALG_OPTIMAL, 9, NULL);
}

static void times_in_thousands_are_as_easy_as_in_ones(void)
{
	/* The problem above with cycles of a million: the common divisor is taken out. */
	alg_problem *p = problem_of(2);

	for (unsigned i = 0; i < 5; i++)
		add(p, 3000000, 1);
	expect(p, ALG_OPTIMAL, 9000000, NULL);
}

static void a_job_shop_of_two_machines_is_solved(void)
{
	/* Jobs A: 3 on machine 0, then 2 on 1; B: 2 on 1, then 4 on 0; C: 4 on 0, then 1 on 1.  Machine 0 has 11 cycles
	 * of work.  In the order A, B, C it is never idle: A [0, 3), B on machine 1 in [0, 2), on 0 in [3, 7), C [7,
	 * 11); the last job adds its cycle on machine 1: 12.  C, A, B ends machine 0 with B at 11, and everything else
	 * is done by then: A on 1 in [7, 9), C on 1 in [4, 5). */
	static const uint32_t machine[3][2] = {{0, 1}, {1, 0}, {0, 1}};
	static const int64_t duration[3][2] = {{3, 2}, {2, 4}, {4, 1}};
	alg_problem *p = alg_problem_new();

	alg_problem_add_resource(p, 1);
	alg_problem_add_resource(p, 1);
	for (unsigned j = 0; j < 3; j++) {
		uint32_t v = 0;

		for (unsigned k = 0; k < 2; k++) {
			v = alg_problem_add_task(p, duration[j][k], 0);
			alg_problem_add_demand(p, machine[j][k], 1);
		}
		alg_problem_add_edge(p, v - 1, v, 0, 0);
	}
	expect(p, ALG_OPTIMAL, 11, NULL);
}

static void modes_are_chosen(void)
{
	/* Capacity 2; each of two tasks runs 2 cycles with 2 units or 5 with 1: one after the other, both fast, 4; side
	 * by side 5. */
	alg_problem *p = problem_of(2);

	for (unsigned i = 0; i < 2; i++) {
		add(p, 2, 2);
		alg_problem_add_mode(p, 5, 0);
		alg_problem_add_demand(p, 0, 1);
	}
	expect(p, ALG_OPTIMAL, 4, NULL);
}

static void data_that_cross_processors_cost_their_time(void)
{
	/* Two processors, one task a time on each.  A (2) feeds B (3) and C (3); a crossing takes 2 cycles for 4 bytes
	 * at 2 a cycle.  All on one: 2 + 3 + 3 = 8.  C on the other: 2 + 2 + 3 = 7. */
	alg_problem *p = alg_problem_new();

	p->cols = 2;
	p->link_bytes_per_cycle = 2;
	p->hop_cycles = 0;
	alg_problem_add_resource(p, 1);
	for (unsigned i = 0; i < 3; i++) {
		alg_problem_add_task(p, i ? 3 : 2, ALG_ANY_PROCESSOR);
		alg_problem_add_demand(p, 0, 1);
	}
	alg_problem_add_edge(p, 0, 1, 0, 4);
	alg_problem_add_edge(p, 0, 2, 0, 4);
	expect(p, ALG_OPTIMAL, 7, NULL);
}

static void a_capacity_that_ends_leaves_no_place(void)
{
	alg_problem *p = problem_of(1);

	alg_problem_add_step(p, 0, 3, 0);
	add(p, 4, 1);
	expect(p, ALG_INFEASIBLE, 0, "resource 0 (capacity 1)|task 0");
}

static void a_deadline_that_capacity_cannot_meet_is_explained(void)
{
	/* Three tasks of 2 cycles, one at a time, all due by 5; a fourth one has time and is not to blame. */
	alg_problem *p = problem_of(2);

	for (unsigned i = 0; i < 3; i++) {
		add(p, 2, 2);
		alg_problem_set_window(p, 0, 5);
	}
	add(p, 1, 1);
	expect(p, ALG_INFEASIBLE, 0, "task 0 starts from 0 to 3|task 1|task 2 starts from 0 to 3, takes 2 cycles");
}

static void maximum_lags_that_capacity_cannot_meet_are_explained(void)
{
	/* 1 and 3 start within 3 cycles of each other, both ways, and take 2 of 3 units for 4 cycles. */
	alg_problem *p = alg_problem_new();
	alg_solve_result r;

	alg_problem_add_resource(p, 3);
	for (unsigned i = 0; i < 4; i++)
		add(p, 4, i % 2 ? 2 : 1);
	alg_problem_add_lag(p, 1, 3, -3);
	alg_problem_add_lag(p, 3, 1, -3);
	alg_problem_add_lag(p, 0, 1, 1);
	alg_problem_add_lag(p, 3, 0, -9);
	r = solved(p, 1, 0, 1);
	CU_ASSERT_EQUAL_FATAL(r.status, ALG_INFEASIBLE);
	CU_ASSERT_PTR_NULL(strstr(r.explanation, "task 0"));
	CU_ASSERT_PTR_NULL(strstr(r.explanation, "task 2"));
	alg_solve_result_fini(&r);
	expect(p, ALG_INFEASIBLE, 0, "resource 0 (capacity 3)|task 3 starts -3 to 3 cycles after task 1");
}

static void three_tasks_of_a_group_of_which_any_two_fit_are_explained(void)
{
	/* Capacity 2, three tasks of 1 unit and 4 cycles, 1 and 2 at most 2 cycles before or after 0. */
	alg_problem *p = problem_of(2);

	for (unsigned i = 0; i < 3; i++)
		add(p, 4, 1);
	for (uint32_t i = 1; i < 3; i++) {
		alg_problem_add_lag(p, 0, i, -1);
		alg_problem_add_lag(p, i, 0, -1);
	}
	expect(p, ALG_INFEASIBLE, 0, "task 0|task 1 starts -1 to 1 cycles after task 0|task 2");
}

static void maximum_lags_that_leave_room_are_kept(void)
{
	/* One unit.  A (2), B (3), C (2); C starts at most 3 after A does, B at most 9 after C: A [0, 2), C [2, 4), B.
	 */
	alg_problem *p = problem_of(1);

	add(p, 2, 1);
	add(p, 3, 1);
	add(p, 2, 1);
	alg_problem_add_lag(p, 2, 0, -3);
	alg_problem_add_lag(p, 0, 2, 1);
	alg_problem_add_lag(p, 1, 2, -9);
	expect(p, ALG_OPTIMAL, 7, NULL);
}

static void nothing_at_all_is_done_at_once(void)
{
	expect(alg_problem_new(), ALG_OPTIMAL, 0, NULL);
}

/* ---- Against all starts. ---- */

enum { MOST_TASKS = 4, MOST_TIME = 64, MOST_PLACES = 4 };

typedef struct brute {
	const alg_problem *p;
	uint32_t n;
	int64_t limit, best; /* ends are below LIMIT; best INT64_MAX: none */
	int64_t start[MOST_TASKS], end[MOST_TASKS];
	uint32_t processor[MOST_TASKS];
	uint32_t used[MOST_PLACES][MOST_TIME];
} brute;

static uint32_t capacity_at(const alg_problem *p, uint32_t r, int64_t time)
{
	const alg_resource *resource = &g_array_index(p->resources, alg_resource, r);
	uint32_t level = resource->capacity;

	for (guint s = 0; resource->steps && s < resource->steps->len; s++)
		if (g_array_index(resource->steps, alg_step, s).from_cycles <= time)
			level = g_array_index(resource->steps, alg_step, s).capacity;
	return level;
}

/* Takes (or, SIGN -1, gives back) the demands of V; false when some capacity does not hold. */
static bool take(brute *b, uint32_t v, const alg_mode *mode, int sign)
{
	bool holds = true;

	for (uint32_t d = 0; d < mode->demand_count; d++) {
		alg_demand demand = g_array_index(b->p->demands, alg_demand, mode->first_demand + d);
		uint32_t place = demand.resource * 2 + b->processor[v];

		for (int64_t t = b->start[v]; t < b->end[v]; t++) {
			b->used[place][t] += (uint32_t)sign * demand.amount;
			holds = holds && b->used[place][t] <= capacity_at(b->p, demand.resource, t);
		}
	}
	return holds;
}

static bool lags_hold(const brute *b, uint32_t upto)
{
	for (uint32_t e = 0; e < b->p->edges->len; e++) {
		const alg_edge *edge = &g_array_index(b->p->edges, alg_edge, e);
		int64_t least;

		if (edge->from > upto || edge->to > upto)
			continue;
		least = (edge->kind == ALG_FROM_END ? b->end[edge->from] : b->start[edge->from]) + edge->lag_cycles;
		/* Two processors at most, one hop apart, 1 byte a cycle. */
		if (b->processor[edge->from] != b->processor[edge->to])
			least += (int64_t)edge->bytes + b->p->hop_cycles;
		if (b->start[edge->to] < least)
			return false;
	}
	return true;
}

static void try_all(brute *b, uint32_t v)
{
	const alg_task *task = &g_array_index(b->p->tasks, alg_task, v);

	if (v == b->n) {
		b->best = 0;
		for (uint32_t k = 0; k < b->n; k++)
			b->best = MAX(b->best, b->end[k]);
		return;
	}
	for (uint32_t m = 0; m < task->mode_count; m++) {
		const alg_mode *mode = alg_problem_mode(b->p, v, m);

		for (uint32_t q = 0; q < b->p->cols; q++) {
			if (mode->processor != ALG_ANY_PROCESSOR && mode->processor != q)
				continue;
			for (int64_t t = task->release_cycles; t + mode->duration_cycles < MIN(b->limit, b->best) &&
			                                       t + mode->duration_cycles <= task->deadline_cycles;
			     t++) {
				b->start[v] = t;
				b->end[v] = t + mode->duration_cycles;
				b->processor[v] = q;
				if (take(b, v, mode, 1) && lags_hold(b, v))
					try_all(b, v + 1);
				b->start[v] = t;
				b->end[v] = t + mode->duration_cycles;
				b->processor[v] = q;
				take(b, v, mode, -1);
			}
		}
	}
}

static void add_random_task(alg_problem *p, rng *r)
{
	uint32_t modes = rng_below(r, 4) ? 1 : 2;
	uint32_t processor = p->cols > 1 && rng_below(r, 2) ? ALG_ANY_PROCESSOR : (uint32_t)rng_below(r, p->cols);

	for (uint32_t m = 0; m < modes; m++) {
		int64_t duration = (int64_t)rng_below(r, 4);

		if (m == 0)
			alg_problem_add_task(p, duration, processor);
		else
			alg_problem_add_mode(p, duration, processor);
		for (uint32_t k = 0; k < p->resources->len; k++)
			if (rng_below(r, 3))
				alg_problem_add_demand(p, k, 1 + (uint32_t)rng_below(r, 2));
	}
	if (rng_below(r, 4) == 0)
		alg_problem_set_window(p, (int64_t)rng_below(r, 4),
		                       rng_below(r, 2) ? ALG_NO_DEADLINE : 4 + (int64_t)rng_below(r, 8));
}

static alg_problem *random_problem(rng *r)
{
	alg_problem *p = alg_problem_new();
	uint32_t n = 2 + (uint32_t)rng_below(r, MOST_TASKS - 1);
	uint32_t edges = (uint32_t)rng_below(r, 5);
	int64_t scale = rng_below(r, 4) ? 1 : 2;

	p->cols = rng_below(r, 4) ? 1 : 2;
	p->link_bytes_per_cycle = 1;
	p->hop_cycles = scale;
	for (uint64_t k = 1 + rng_below(r, 2); k > 0; k--) {
		uint32_t resource = alg_problem_add_resource(p, 2 + (uint32_t)rng_below(r, 2));

		if (rng_below(r, 3) == 0) {
			alg_problem_add_step(p, resource, 2, (uint32_t)rng_below(r, 3));
			alg_problem_add_step(p, resource, 4 + (int64_t)rng_below(r, 2), (uint32_t)rng_below(r, 4));
		}
	}
	for (uint32_t v = 0; v < n; v++)
		add_random_task(p, r);
	for (; edges > 0; edges--) {
		uint32_t from = (uint32_t)rng_below(r, n), to = (uint32_t)rng_below(r, n);

		if (from == to)
			continue;
		if (rng_below(r, 2))
			alg_problem_add_lag(p, from, to, (int64_t)rng_below(r, 7) - 4);
		else
			alg_problem_add_edge(p, MIN(from, to), MAX(from, to), (int64_t)rng_below(r, 3) - 1,
			                     rng_below(r, 3));
	}
	return p;
}

/* Ends by then if at all: releases and steps are past by 6; every task lasts 3 or less, and no lag from a start, or
 * from an end with its transfer, is longer than 3 + 1 + 2 + 2. */
enum { LIMIT = 6 + MOST_TASKS * 8 + 1 };

static void random_small_problems_have_the_optimum_of_all_starts(void)
{
	unsigned count[ALG_STATUS_COUNT] = {0};
	rng r;

	rng_seed(&r, 11, 0);
	for (unsigned i = 0; i < 1500; i++) {
		alg_problem *p = random_problem(&r);
		brute b = {.p = p, .n = p->tasks->len, .limit = LIMIT, .best = INT64_MAX};
		alg_solve_result found = solved(p, i % 2 ? 1 : 50, 0, 1);

		/* Deep searches of problems without a schedule take long: the others end early. */
		try_all(&b, 0);
		count[found.status]++;
		CU_ASSERT_EQUAL(found.status, b.best == INT64_MAX ? ALG_INFEASIBLE : ALG_OPTIMAL);
		if (found.status == ALG_OPTIMAL)
			CU_ASSERT_EQUAL(found.schedule.makespan_cycles, b.best);
		CU_ASSERT_EQUAL(found.explanation != NULL, found.status == ALG_INFEASIBLE);
		alg_solve_result_fini(&found);
		alg_problem_free(p);
	}
	/* Enough of both. */
	CU_ASSERT_TRUE(count[ALG_OPTIMAL] > 500);
	CU_ASSERT_TRUE(count[ALG_INFEASIBLE] > 150);
}

/* ---- Budgets. ---- */

/* Too hard for a hundred conflicts: 10 jobs on 10 machines. */
static alg_problem *hard_shop(void)
{
	alg_problem *p = alg_problem_new();
	rng r;

	rng_seed(&r, 5, 0);
	for (unsigned k = 0; k < 10; k++)
		alg_problem_add_resource(p, 1);
	for (unsigned j = 0; j < 10; j++) {
		uint32_t order[10];

		for (uint32_t k = 0; k < 10; k++) {
			uint32_t at = (uint32_t)rng_below(&r, k + 1);

			order[k] = order[at];
			order[at] = k;
		}
		for (uint32_t k = 0; k < 10; k++) {
			uint32_t v = alg_problem_add_task(p, 1 + (int64_t)rng_below(&r, 20), 0);

			alg_problem_add_demand(p, order[k], 1);
			if (k)
				alg_problem_add_edge(p, v - 1, v, 0, 0);
		}
	}
	return p;
}

static void a_budget_of_conflicts_is_kept_and_gives_the_same_on_any_threads(void)
{
	alg_problem *p = hard_shop();
	alg_solve_result a = solved(p, 10, 100, 1), b = solved(p, 10, 100, 2);

	CU_ASSERT_EQUAL(a.status, ALG_FEASIBLE);
	CU_ASSERT_EQUAL(a.conflicts, 100);
	CU_ASSERT_TRUE(a.valid);
	CU_ASSERT_TRUE(a.lower_bound_cycles < a.schedule.makespan_cycles);
	CU_ASSERT_FALSE(a.capped);
	CU_ASSERT_EQUAL(a.conflicts, b.conflicts);
	CU_ASSERT_EQUAL(a.schedules, b.schedules);
	CU_ASSERT_EQUAL(a.lower_bound_cycles, b.lower_bound_cycles);
	CU_ASSERT_EQUAL(memcmp(a.schedule.start_cycles, b.schedule.start_cycles,
	                       p->tasks->len * sizeof(*a.schedule.start_cycles)),
	                0);
	alg_solve_result_fini(&a);
	alg_solve_result_fini(&b);
	alg_problem_free(p);
}

/* How often the stop function may still say no. */
static bool count_down(void *state)
{
	unsigned *left = state;

	return *left == 0 || --*left == 0;
}

static void whenever_it_is_stopped_it_says_so_and_claims_nothing_false(void)
{
	alg_problem *p = hard_shop();
	int64_t shortest = INT64_MAX, bound = 0;

	for (unsigned calls = 1; calls < 3000; calls *= 3) {
		unsigned left = calls;
		alg_solve_options o;
		alg_solve_result r;

		alg_solve_options_init(&o);
		o.method = "exact";
		o.schedules = 50;
		o.stop = count_down;
		o.stop_state = &left;
		CU_ASSERT_TRUE_FATAL(alg_solve(p, &o, &r, NULL));
		CU_ASSERT_TRUE(r.capped);
		CU_ASSERT_NOT_EQUAL(r.status, ALG_INFEASIBLE);
		if (r.valid)
			shortest = MIN(shortest, r.schedule.makespan_cycles);
		bound = MAX(bound, r.lower_bound_cycles);
		alg_solve_result_fini(&r);
	}
	CU_ASSERT_TRUE(bound <= shortest);
	CU_ASSERT_NOT_EQUAL(shortest, INT64_MAX);
	alg_problem_free(p);
}

static const tap_case cases[] = {
	{"what_energy_leaves_open_is_searched", what_energy_leaves_open_is_searched},
	{"triples_that_do_not_fit_take_turns", triples_that_do_not_fit_take_turns},
	{"times_in_thousands_are_as_easy_as_in_ones", times_in_thousands_are_as_easy_as_in_ones},
	{"a_job_shop_of_two_machines_is_solved", a_job_shop_of_two_machines_is_solved},
	{"modes_are_chosen", modes_are_chosen},
	{"data_that_cross_processors_cost_their_time", data_that_cross_processors_cost_their_time},
	{"a_capacity_that_ends_leaves_no_place", a_capacity_that_ends_leaves_no_place},
	{"a_deadline_that_capacity_cannot_meet_is_explained", a_deadline_that_capacity_cannot_meet_is_explained},
	{"maximum_lags_that_capacity_cannot_meet_are_explained", maximum_lags_that_capacity_cannot_meet_are_explained},
	{"three_tasks_of_a_group_of_which_any_two_fit_are_explained",
         three_tasks_of_a_group_of_which_any_two_fit_are_explained},
	{"maximum_lags_that_leave_room_are_kept", maximum_lags_that_leave_room_are_kept},
	{"nothing_at_all_is_done_at_once", nothing_at_all_is_done_at_once},
	{"random_small_problems_have_the_optimum_of_all_starts", random_small_problems_have_the_optimum_of_all_starts},
	{"a_budget_of_conflicts_is_kept_and_gives_the_same_on_any_threads",
         a_budget_of_conflicts_is_kept_and_gives_the_same_on_any_threads},
	{"whenever_it_is_stopped_it_says_so_and_claims_nothing_false",
         whenever_it_is_stopped_it_says_so_and_claims_nothing_false},
};

int main(void)
{
	return tap_run("exact", cases, G_N_ELEMENTS(cases));
}
