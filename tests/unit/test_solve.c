/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling engines, readers, bounds and the judge on problems small enough to schedule by hand.
 */
#include <string.h>

#include "sched/alg/bounds.h"
#include "sched/alg/calendar.h"
#include "sched/alg/check.h"
#include "sched/alg/flat.h"
#include "sched/alg/read/read.h"
#include "sched/alg/sgs.h"
#include "sched/alg/solve.h"
#include "tests/lib/tap.h"
#include "tests/unit/small_problems.h"

static const char *const methods[] = {"list", "anneal"};

/* Solves P by METHOD; the result is the caller's. */
static alg_solve_result solved(const alg_problem *p, const char *method, uint64_t schedules, unsigned threads)
{
	alg_solve_options o;
	alg_solve_result r;

	alg_solve_options_init(&o);
	o.method = method;
	o.schedules = schedules;
	o.threads = threads;
	CU_ASSERT_TRUE_FATAL(alg_solve(p, &o, &r, NULL));
	return r;
}

/* Frees P. */
static void expect(alg_problem *p, enum alg_status status, int64_t makespan)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(methods); i++) {
		alg_solve_result r = solved(p, methods[i], 200, 1);

		CU_ASSERT_EQUAL(r.status, status);
		if (makespan) {
			CU_ASSERT_EQUAL(r.schedule.makespan_cycles, makespan);
			CU_ASSERT_TRUE(r.valid);
			CU_ASSERT_TRUE(alg_check(p, &r.schedule, NULL, 0));
		}
		alg_solve_result_fini(&r);
	}
	alg_problem_free(p);
}

static void energy_fills_a_resource(void)
{
	/* Capacity 2; 3x1, 3x1, 2x2, 1x1, 1x1: energy 3 + 3 + 4 + 1 + 1 = 12, so 6 cycles, and they pack: the threes
	 * side by side, then the two, then the ones side by side. */
	alg_problem *p = problem_of(2);

	add(p, 3, 1);
	add(p, 3, 1);
	add(p, 2, 2);
	add(p, 1, 1);
	add(p, 1, 1);
	expect(p, ALG_OPTIMAL, 6);
}

static void a_capacity_that_drops_makes_tasks_wait(void)
{
	/* Capacity 1 in [0, 3), 0 in [3, 10), 1 from 10 on.  A of 3 cycles and B of 2: A in [0, 3), B in [10, 12); the
	 * other way round A cannot follow before 10 and ends at 13. */
	alg_problem *p = problem_of(1);

	alg_problem_add_step(p, 0, 3, 0);
	alg_problem_add_step(p, 0, 10, 1);
	add(p, 3, 1);
	add(p, 2, 1);
	expect(p, ALG_OPTIMAL, 12);
}

static void a_capacity_that_ends_leaves_no_place(void)
{
	alg_problem *p = problem_of(1);

	alg_problem_add_step(p, 0, 3, 0);
	add(p, 4, 1);
	expect(p, ALG_UNKNOWN, 0);
}

static void windows_hold(void)
{
	/* One resource.  A (4 cycles) released at 2; B (3 cycles) due by 5: B first in [0, 3), A in [3, 7).  A first in
	 * [2, 6) would make B late. */
	alg_problem *p = problem_of(1);

	add(p, 4, 1);
	alg_problem_set_window(p, 2, ALG_NO_DEADLINE);
	add(p, 3, 1);
	alg_problem_set_window(p, 0, 5);
	expect(p, ALG_OPTIMAL, 7);
}

static void a_deadline_before_the_shortest_end_is_infeasible(void)
{
	alg_problem *p = alg_problem_new();

	add(p, 4, 0);
	add(p, 3, 0);
	alg_problem_set_window(p, 0, 6);
	alg_problem_add_edge(p, 0, 1, 0, 0);
	expect(p, ALG_INFEASIBLE, 0);
}

static void modes_trade_time_for_units(void)
{
	/* Two tasks, each 6 cycles with 1 unit or 2 cycles with 2 units, 2 units there: both fast, one after the other,
	 * take 4; side by side and slow 6. */
	alg_problem *p = problem_of(2);

	for (int i = 0; i < 2; i++) {
		add(p, 6, 1);
		alg_problem_add_mode(p, 2, 0);
		alg_problem_add_demand(p, 0, 2);
	}
	expect(p, ALG_OPTIMAL, 4);
}

static void modes_that_ask_for_too_much_are_left_aside(void)
{
	/* Capacity 2: 1 cycle of 3 units never fits, so 4 cycles of 1.  Nothing is held for no time: 0 cycles of 3 do.
	 */
	alg_problem *p = problem_of(2);

	add(p, 1, 3);
	alg_problem_add_mode(p, 4, 0);
	alg_problem_add_demand(p, 0, 1);
	add(p, 5, 1);
	alg_problem_add_mode(p, 0, 0);
	alg_problem_add_demand(p, 0, 3);
	expect(p, ALG_OPTIMAL, 4);
}

static void processors_are_chosen_with_their_transfers(void)
{
	/* Two processors with one unit each, A then B and C, 10 bytes at 5 a cycle and a hop of 1: 3 cycles to the
	 * other.  A of 2, B and C of 4: B stays (ends at 6), C goes over (2 + 3 + 4 = 9); staying both would end at 10.
	 */
	alg_problem *p = alg_problem_new();

	p->cols = 2;
	p->link_bytes_per_cycle = 5;
	p->hop_cycles = 1;
	alg_problem_add_resource(p, 1);
	for (int i = 0; i < 3; i++) {
		alg_problem_add_task(p, i ? 4 : 2, ALG_ANY_PROCESSOR);
		alg_problem_add_demand(p, 0, 1);
	}
	alg_problem_add_edge(p, 0, 1, 0, 10);
	alg_problem_add_edge(p, 0, 2, 0, 10);
	expect(p, ALG_FEASIBLE, 9);
}

static void a_shared_resource_is_one_for_all_processors(void)
{
	/* Two tasks of 5 on two processors, both need the one bus: 10, not 5. */
	alg_problem *p = alg_problem_new();

	p->cols = 2;
	alg_problem_add_shared_resource(p, 1);
	for (uint32_t q = 0; q < 2; q++) {
		alg_problem_add_task(p, 5, q);
		alg_problem_add_demand(p, 0, 1);
	}
	expect(p, ALG_OPTIMAL, 10);
}

static void a_maximum_lag_pulls_the_first_task_along(void)
{
	/* A (2) and B (2) want the unit that C (5) holds from its release on, at 0 by its deadline 5.  B starts at
	 * least 3 and at most 3 after A starts.  So A in [5, 7), B in [8, 10). */
	alg_problem *p = problem_of(1);

	add(p, 2, 1);
	add(p, 2, 1);
	add(p, 5, 1);
	alg_problem_set_window(p, 0, 5);
	alg_problem_add_lag(p, 0, 1, 3);
	alg_problem_add_lag(p, 1, 0, -3);
	expect(p, ALG_FEASIBLE, 10);
}

static void a_cycle_that_is_too_long_is_infeasible_and_named(void)
{
	/* B starts 5 or more after A and 4 or less: one too many. */
	alg_problem *p = alg_problem_new();
	alg_bound bound;

	add(p, 1, 0);
	add(p, 1, 0);
	alg_problem_add_lag(p, 0, 1, 5);
	alg_problem_add_lag(p, 1, 0, -4);
	alg_lower_bound(p, &bound);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bound.infeasible);
	CU_ASSERT_PTR_NOT_NULL(strstr(bound.infeasible, "a cycle that is 1 too long"));
	g_free(bound.infeasible);
	expect(p, ALG_INFEASIBLE, 0);
}

static void bounds_are_the_ones_derived_by_hand(void)
{
	/* Unit resource; A (3) before B (1); C (4) and D (4) free.  Critical path 4; energy 3 + 1 + 4 + 4 = 12. */
	alg_problem *p = alg_problem_new();
	alg_bound bound;

	alg_problem_add_resource(p, 1);
	add(p, 3, 1);
	add(p, 1, 1);
	add(p, 4, 1);
	add(p, 4, 1);
	alg_problem_add_edge(p, 0, 1, 0, 0);
	alg_lower_bound(p, &bound);
	CU_ASSERT_EQUAL(bound.critical_cycles, 4);
	CU_ASSERT_EQUAL(bound.energy_cycles, 12);
	CU_ASSERT_EQUAL(bound.cycles, 12);
	/* E (0 units, 20) before A: A and B come at 20 or later, 24; C and D fit before. */
	add(p, 20, 0);
	alg_problem_add_edge(p, 4, 0, 0, 0);
	alg_lower_bound(p, &bound);
	CU_ASSERT_EQUAL(bound.cycles, 24);
	/* C and D after E, too: 20 + 12. */
	alg_problem_add_edge(p, 4, 2, 0, 0);
	alg_problem_add_edge(p, 4, 3, 0, 0);
	alg_lower_bound(p, &bound);
	CU_ASSERT_EQUAL(bound.cycles, 32);
	alg_problem_free(p);
}

static void pairs_that_exclude_each_other_bound(void)
{
	/* Capacity 3, A and B (5 cycles, 2 units) never fit together: 10.  Energy says 20 / 3 = 7. */
	alg_problem *p = alg_problem_new();
	alg_bound bound;

	alg_problem_add_resource(p, 3);
	add(p, 5, 2);
	add(p, 5, 2);
	alg_lower_bound(p, &bound);
	CU_ASSERT_EQUAL(bound.energy_cycles, 7);
	CU_ASSERT_EQUAL(bound.cycles, 10);
	CU_ASSERT_STRING_EQUAL(bound.by, "pairs");
	alg_problem_free(p);
}

/* Two tasks of 2 on a unit resource, the second at least 3 after the first ends, due by 9. */
static alg_problem *small(void)
{
	alg_problem *p = problem_of(1);

	add(p, 2, 1);
	add(p, 2, 1);
	alg_problem_set_window(p, 1, 9);
	alg_problem_add_edge(p, 0, 1, 3, 0);
	return p;
}

static void the_judge_finds_each_breach(void)
{
	static const struct {
		int64_t start[2], makespan;
		uint32_t mode, processor;
		const char *says; /* NULL: sound */
	} rows[] = {
		{{0, 5}, 7, 0, 0, NULL},
		{{-1, 5}, 7, 0, 0, "starts at -1"},
		{{0, 4}, 6, 0, 0, "task 0 lets it from 5 on"},
		{{0, 8}, 10, 0, 0, "ends at 10, after 9"},
		{{0, 5}, 8, 0, 0, "the makespan is 7, not 8"},
		{{0, 5}, 7, 1, 0, "mode 1 of 1"},
		{{0, 5}, 7, 0, 1, "runs on processor 1"},
		{{0, 1}, 3, 0, 0, "has 1 units at 1 and 2 are taken"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		alg_problem *p = small();
		alg_schedule s;
		g_autoptr(GString) text = g_string_new(NULL);

		alg_schedule_init(&s, 2);
		memcpy(s.start_cycles, rows[i].start, sizeof(rows[i].start));
		s.makespan_cycles = rows[i].makespan;
		s.mode[1] = rows[i].mode;
		s.processor[1] = rows[i].processor;
		CU_ASSERT_EQUAL(alg_check(p, &s, text, 9), !rows[i].says);
		if (rows[i].says && !strstr(text->str, rows[i].says)) {
			CU_FAIL("the judge says what is wrong");
			tap_note("row %u: %s", i, text->str);
		}
		alg_schedule_fini(&s);
		alg_problem_free(p);
	}
}

static void the_judge_sees_capacities_change(void)
{
	alg_problem *p = alg_problem_new();
	alg_schedule s;

	alg_problem_add_resource(p, 1);
	alg_problem_add_step(p, 0, 4, 0);
	add(p, 4, 1);
	alg_schedule_init(&s, 1);
	s.makespan_cycles = 4;
	CU_ASSERT_TRUE(alg_check(p, &s, NULL, 0));
	s.start_cycles[0] = 1;
	s.makespan_cycles = 5;
	CU_ASSERT_FALSE(alg_check(p, &s, NULL, 0));
	alg_schedule_fini(&s);
	alg_problem_free(p);
}

/* N random tasks with four resources and arcs to later ones; long tasks, so calendars, when LONG_TASKS. */
static alg_problem *random_problem(uint32_t n, bool long_tasks, uint32_t seed)
{
	alg_problem *p = alg_problem_new();
	uint32_t state = seed;
#define STEP(limit) ((state = state * 1664525U + 1013904223U) >> 16) % (limit)

	for (int r = 0; r < 4; r++)
		alg_problem_add_resource(p, 12);
	for (uint32_t v = 0; v < n; v++) {
		alg_problem_add_task(p, (1 + STEP(9)) * (long_tasks ? 100 : 1), 0);
		for (uint32_t r = 0; r < 4; r++)
			alg_problem_add_demand(p, r, STEP(10));
	}
	for (uint32_t v = 0; v + 1 < n; v++)
		alg_problem_add_edge(p, v, v + 1 + STEP(MIN(n - v - 1, 20)), 0, 0);
#undef STEP
	return p;
}

static void slots_and_calendars_place_alike(void)
{
	/* The same problem with all durations a hundred times longer has all starts a hundred times later. */
	for (uint32_t seed = 1; seed <= 5; seed++) {
		alg_problem *p[2] = {random_problem(60, false, seed), random_problem(60, true, seed)};
		int64_t start[2][60], other[2][60], serial[2], parallel[2];

		for (int i = 0; i < 2; i++) {
			alg_flat *f = alg_flat_new(p[i], NULL, NULL, NULL);
			alg_sgs *s = alg_sgs_new(f);
			uint32_t rank[60];

			serial[i] = alg_sgs_serial(s, f->order, start[i]);
			for (uint32_t v = 0; v < 60; v++)
				rank[f->order[v]] = v;
			CU_ASSERT_EQUAL(alg_sgs_serial(s, f->order, start[i]),
			                serial[i]); /* nothing is left of the first run */
			for (uint32_t v = 0; i == 1 && v < 60; v++)
				CU_ASSERT_EQUAL(start[1][v], 100 * start[0][v]);
			parallel[i] = alg_sgs_parallel(s, rank, other[i]);
			CU_ASSERT_EQUAL(alg_sgs_parallel(s, rank, other[i]), parallel[i]);
			for (uint32_t v = 0; i == 1 && v < 60; v++)
				CU_ASSERT_EQUAL(other[1][v], 100 * other[0][v]);
			alg_sgs_free(s);
			alg_flat_free(f);
		}
		CU_ASSERT_EQUAL(serial[1], 100 * serial[0]);
		CU_ASSERT_EQUAL(parallel[1], 100 * parallel[0]);
		for (int i = 0; i < 2; i++)
			alg_problem_free(p[i]);
	}
}

static void many_kinds_and_few_start_alike(void)
{
	/* Sixty tasks wait as bits (times ten in heaps by kind, above), a hundred with long lags in the tree.  Tasks
	 * past 60 that take no time and nothing change no other start, however the ready ones wait: 60 random ones
	 * alone, then with 60 more of kinds of their own, after everything else. */
	alg_problem *few = random_problem(60, false, 9), *many = random_problem(60, false, 9);
	alg_flat *f[2];
	int64_t start[2][120];
	uint32_t rank[120];

	for (uint32_t v = 60; v < 120; v++) {
		alg_problem_add_task(many, 1, 0);
		alg_problem_add_demand(many, 0, v % 10 + 1);
		alg_problem_add_demand(many, 1, v / 10);
		alg_problem_add_edge(many, 59, v, 100000, 0);
	}
	f[0] = alg_flat_new(few, NULL, NULL, NULL);
	f[1] = alg_flat_new(many, NULL, NULL, NULL);
	for (uint32_t v = 0; v < 120; v++)
		rank[v] = v;
	for (int i = 0; i < 2; i++) {
		alg_sgs *s = alg_sgs_new(f[i]);

		CU_ASSERT_NOT_EQUAL(alg_sgs_parallel(s, rank, start[i]), INT64_MAX);
		alg_sgs_free(s);
		alg_flat_free(f[i]);
	}
	for (uint32_t v = 0; v < 60; v++)
		CU_ASSERT_EQUAL(start[0][v], start[1][v]);
	alg_problem_free(few);
	alg_problem_free(many);
}

static void tasks_of_no_time_start_at_once(void)
{
	/* One unit.  0 takes it for 5, and 1 and 2 wait: 1 of rank 3 takes 2, 2 of rank 2 takes nothing.  When 0 ends
	 * at 5, 2 starts first, which makes 3 ready at once, of rank 0: it goes before 1, from 5 to 8; 1 starts at 8
	 * and ends at
	 * 10.  Times a hundred, and so in heaps, the same. */
	for (int64_t times = 1; times <= 100; times += 99) {
		static const uint32_t rank[] = {1, 3, 2, 0};
		static const int64_t expected[] = {0, 8, 5, 5}, duration[] = {5, 2, 0, 3};
		alg_problem *p = alg_problem_new();
		alg_flat *f;
		alg_sgs *s;
		int64_t start[4];

		alg_problem_add_resource(p, 1);
		for (uint32_t v = 0; v < 4; v++) {
			alg_problem_add_task(p, duration[v] * times, 0);
			if (v != 2)
				alg_problem_add_demand(p, 0, 1);
		}
		alg_problem_add_edge(p, 0, 1, 0, 0);
		alg_problem_add_edge(p, 0, 2, 0, 0);
		alg_problem_add_edge(p, 2, 3, 0, 0);
		f = alg_flat_new(p, NULL, NULL, NULL);
		s = alg_sgs_new(f);
		CU_ASSERT_EQUAL(alg_sgs_parallel(s, rank, start), 10 * times);
		for (uint32_t v = 0; v < 4; v++)
			CU_ASSERT_EQUAL(start[v], expected[v] * times);
		alg_sgs_free(s);
		alg_flat_free(f);
		alg_problem_free(p);
	}
}

static void threads_change_nothing_and_seeds_do(void)
{
	alg_problem *p = random_problem(80, false, 3);
	alg_solve_result one = solved(p, "anneal", 3000, 1), two = solved(p, "anneal", 3000, 2);
	alg_solve_result three = solved(p, "anneal", 3000, 3);

	CU_ASSERT_EQUAL(one.schedule.makespan_cycles, two.schedule.makespan_cycles);
	CU_ASSERT_EQUAL(memcmp(one.schedule.start_cycles, two.schedule.start_cycles, 80 * sizeof(int64_t)), 0);
	CU_ASSERT_EQUAL(memcmp(one.schedule.start_cycles, three.schedule.start_cycles, 80 * sizeof(int64_t)), 0);
	CU_ASSERT_EQUAL(one.schedules, two.schedules);
	for (unsigned m = 0; m < ALG_MOST_MOVES; m++)
		CU_ASSERT_EQUAL(one.moves[m].tried, two.moves[m].tried);
	CU_ASSERT_TRUE(one.schedules <= 3000);
	alg_solve_result_fini(&one);
	alg_solve_result_fini(&two);
	alg_solve_result_fini(&three);
	alg_problem_free(p);
}

static void budgets_are_kept_exactly(void)
{
	alg_problem *p = random_problem(50, false, 4);

	for (uint64_t n = 1; n <= 40; n += 13)
		for (unsigned i = 0; i < G_N_ELEMENTS(methods); i++) {
			alg_solve_result r = solved(p, methods[i], n, 2);

			CU_ASSERT_EQUAL(r.schedules, n);
			CU_ASSERT_TRUE(r.valid);
			alg_solve_result_fini(&r);
		}
	alg_problem_free(p);
}

static bool stop_at_once(void *state)
{
	(void)state;
	return true;
}

static void the_cap_is_reported(void)
{
	alg_problem *p = random_problem(50, false, 4);
	alg_solve_options o;
	alg_solve_result r;

	alg_solve_options_init(&o);
	o.method = "anneal";
	o.unlimited = true;
	o.stop = stop_at_once;
	CU_ASSERT_TRUE_FATAL(alg_solve(p, &o, &r, NULL));
	CU_ASSERT_TRUE(r.capped);
	CU_ASSERT_TRUE(r.valid);
	alg_solve_result_fini(&r);
	alg_problem_free(p);
}

static void lags_that_overlap_keep_lists_in_order(void)
{
	/* B may start 2 before A (10) ends and ends (1) before it: arcs do not follow ends.  C (4) after B on the same
	 * unit as A: A in [0, 10), B in [8, 9), C in [10, 14). */
	alg_problem *p = problem_of(1);

	add(p, 10, 1);
	add(p, 1, 0);
	add(p, 4, 1);
	alg_problem_add_edge(p, 0, 1, -2, 0);
	alg_problem_add_edge(p, 1, 2, 0, 0);
	expect(p, ALG_OPTIMAL, 14);
}

static void calendars_of_steps_give_back_what_they_hold(void)
{
	/* 2 units, 1 from 5 on, 3 from 8 on. */
	alg_resource r = {2, false, g_array_new(FALSE, FALSE, sizeof(alg_step))};
	alg_step steps[] = {{5, 1}, {8, 3}};
	alg_calendar *c;

	g_array_append_vals(r.steps, steps, 2);
	c = alg_calendar_of_resource(&r);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 0, 5, 2), 0);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 1, 5, 2), 8);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 0, 1, 3), 8);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 3, 4, 1), 3);
	alg_calendar_reserve(c, 3, 4, 1);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 3, 3, 1), 7);
	alg_calendar_release(c, 3, 4, 1);
	CU_ASSERT_EQUAL(alg_calendar_earliest(c, 3, 3, 1), 3);
	alg_calendar_free(c);
	g_array_free(r.steps, TRUE);
}

/* The same three tasks in five formats: 0 and 4 dummies (where the format has them), A (2, 1 unit) before B (3, 2
 * units), C (4, 1 unit), 2 units: A and C start, B waits for C: 4 + 3 = 7. */
static const struct {
	const char *name, *format, *text;
	int64_t makespan;
	uint32_t processors, tasks;
} texts[] = {
	{"a.rcp", "patterson", "5 1\n2\n0 0 2 2 4\n2 1 1 3\n3 2 1 5\n4 1 1 5\n0 0 0\n", 7, 1, 5},
	{"a.sch", "progenmax",
         "3 1 0 0\n0 1 2 1 3 [0] [0]\n1 1 1 2 [2]\n2 1 1 4 [3]\n3 1 1 4 [4]\n4 1 0\n"
         "0 1 0 0\n1 1 2 1\n2 1 3 2\n3 1 4 1\n4 1 0 0\n2\n",
         7, 1, 5},
	/* On two processors no task takes both: A then B in [0, 5), C beside them. */
	{"a.stg", "stg", "3\n0 0 0\n1 2 1 0\n2 3 1 1\n3 4 1 0\n4 0 2 2 3\n# end\n", 5, 2, 5},
	{"a.stg", "stg", "3\n0 0 0\n1 2 1 0\n2 3 1 1\n3 4 1 0\n4 0 2 2 3\n", 9, 1, 5},
	/* Two jobs on two machines: 0:2 then 1:3; 1:4 then 0:1.  Machine 1 works for 7: with job 1 first, job 0's
         * second operation in [4, 7); 7. */
	{"a", "jobshop", "# two jobs\n2 2\n0 2 1 3\n1 4 0 1\n", 7, 1, 4},
	{"a", "jobshop", " instance two\n +++++\n Two jobs, 2x2\n 2 2\n0 2 1 3\n1 4 0 1\n\x1a", 7, 1, 4},
	{"a.sm", "psplib",
         "jobs (incl. supersource/sink ):  5\n - renewable :  1 R\n - nonrenewable : 0 N\n - doubly constrained : 0 D\n"
         "PRECEDENCE RELATIONS:\njobnr. #modes #successors successors\n1 1 2 2 4\n2 1 1 3\n3 1 1 5\n4 1 1 5\n5 1 0\n"
         "REQUESTS/DURATIONS:\njobnr. mode duration R 1\n----\n1 1 0 0\n2 1 2 1\n3 1 3 2\n4 1 4 1\n5 1 0 0\n"
         "RESOURCEAVAILABILITIES:\n R 1\n 2\n",
         7, 1, 5},
	/* Task 4 also in 1 cycle with both units: A in [0, 2), B in [2, 5), C in [5, 6). */
	{"a.sm", "psplib",
         "jobs (incl. supersource/sink ):  5\n - renewable :  1 R\n - nonrenewable : 0 N\n - doubly constrained : 0 D\n"
         "PRECEDENCE RELATIONS:\njobnr. #modes #successors successors\n1 1 2 2 4\n2 1 1 3\n3 1 1 5\n4 2 1 5\n5 1 0\n"
         "REQUESTS/DURATIONS:\njobnr. mode duration R 1\n----\n1 1 0 0\n2 1 2 1\n3 1 3 2\n4 1 4 1\n 2 1 2\n5 1 0 0\n"
         "RESOURCEAVAILABILITIES:\n R 1\n 2\n",
         6, 1, 5},
};

static void every_format_gives_the_problem_it_describes(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		alg_read_options o = {NULL, texts[i].processors};
		const char *format = NULL;
		GError *error = NULL;
		alg_problem *p = alg_read_text(texts[i].text, texts[i].name, &o, &format, &error);
		alg_solve_result r;

		if (!p)
			tap_note("%s: %s", texts[i].format, error->message);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		CU_ASSERT_STRING_EQUAL(format, texts[i].format);
		CU_ASSERT_EQUAL(p->tasks->len, texts[i].tasks);
		r = solved(p, "list", 100, 1);
		CU_ASSERT_EQUAL(r.schedule.makespan_cycles, texts[i].makespan);
		alg_solve_result_fini(&r);
		alg_problem_free(p);
	}
}

static void formats_are_recognised_by_content(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		alg_read_options o = {NULL, 1};
		const char *format = NULL;
		alg_problem *p = alg_read_text(texts[i].text, "-", &o, &format, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		CU_ASSERT_STRING_EQUAL(format, texts[i].format);
		alg_problem_free(p);
	}
}

static void errors_name_their_place(void)
{
	static const struct {
		const char *name, *text, *says;
	} rows[] = {
		{"a.rcp", "2 1\n4\n1 1 1 2\n1 x 0\n", "a.rcp:4:3: expected a demand"},
		{"a.rcp", "2 1\n4\n1 1 1 3\n", "a.rcp:3:7: expected a successor, an integer from 1 to 2, found '3'"},
		{"a.rcp", "1 1\n4\n1 1 0\n7\n", "a.rcp:4:1: expected the end of the file, found '7'"},
		{"a.sch", "0 0 0 0\n0 1 1 1 0\n", "a.sch:2:9: expected a lag"},
		{"a.stg", "1\n0 0 0\n2 1 0\n", "a.stg:3:1: expected the number of this task, an integer from 1 to 1"},
		{"a.jss", "1 2\n0 3 2 4\n", "a.jss:2:5: expected a machine, an integer from 0 to 1, found '2'"},
		{"a.sm", "nothing", "a.sm:1:1: expected a line with 'jobs (incl' from here on"},
		{"a.txt", "hello", "a.txt:1:1: expected one of the formats"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		alg_read_options o = {NULL, 1};
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NULL(alg_read_text(rows[i].text, rows[i].name, &o, NULL, &error));
		if (!error || !strstr(error->message, rows[i].says)) {
			CU_FAIL("the error names its place");
			tap_note("row %u: %s", i, error ? error->message : "no error");
		}
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(energy_fills_a_resource),
		CASE(a_capacity_that_drops_makes_tasks_wait),
		CASE(a_capacity_that_ends_leaves_no_place),
		CASE(windows_hold),
		CASE(a_deadline_before_the_shortest_end_is_infeasible),
		CASE(modes_trade_time_for_units),
		CASE(modes_that_ask_for_too_much_are_left_aside),
		CASE(processors_are_chosen_with_their_transfers),
		CASE(a_shared_resource_is_one_for_all_processors),
		CASE(a_maximum_lag_pulls_the_first_task_along),
		CASE(a_cycle_that_is_too_long_is_infeasible_and_named),
		CASE(bounds_are_the_ones_derived_by_hand),
		CASE(pairs_that_exclude_each_other_bound),
		CASE(the_judge_finds_each_breach),
		CASE(the_judge_sees_capacities_change),
		CASE(slots_and_calendars_place_alike),
		CASE(many_kinds_and_few_start_alike),
		CASE(tasks_of_no_time_start_at_once),
		CASE(threads_change_nothing_and_seeds_do),
		CASE(budgets_are_kept_exactly),
		CASE(the_cap_is_reported),
		CASE(lags_that_overlap_keep_lists_in_order),
		CASE(calendars_of_steps_give_back_what_they_hold),
		CASE(every_format_gives_the_problem_it_describes),
		CASE(formats_are_recognised_by_content),
		CASE(errors_name_their_place),
	};

	return tap_run("solve", cases, G_N_ELEMENTS(cases));
}
