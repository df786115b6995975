/* SPDX-License-Identifier: Apache-2.0
 *
 * The target-neutral engines: calendars against a cycle-by-cycle array, list scheduling on problems small enough to
 * schedule by hand.
 */
#include "sched/alg/calendar.h"
#include "sched/alg/list.h"
#include "tests/lib/tap.h"

enum { HORIZON = 200, CAPACITY = 3 };

/* Deterministic pseudo-random numbers for the property test only. */
static uint32_t step(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 16;
}

static void calendar_agrees_with_a_cycle_array(void)
{
	alg_calendar *calendar = alg_calendar_new(CAPACITY);
	uint32_t used[HORIZON] = {0};
	uint32_t state = 7;

	for (int round = 0; round < 400; round++) {
		int64_t from = step(&state) % 120;
		int64_t length = 1 + step(&state) % 9;
		uint32_t amount = 1 + step(&state) % CAPACITY;
		int64_t expected = from;

		for (int64_t t = from; t < expected + length; t++)
			if (t < HORIZON && used[t] + amount > CAPACITY)
				expected = t + 1;
		CU_ASSERT_EQUAL(alg_calendar_earliest(calendar, from, length, amount), expected);
		if (expected + length < HORIZON && round % 3 != 2) {
			alg_calendar_reserve(calendar, expected, length, amount);
			for (int64_t t = expected; t < expected + length; t++)
				used[t] += amount;
			if (round % 5 == 0) {
				alg_calendar_release(calendar, expected, length, amount);
				for (int64_t t = expected; t < expected + length; t++)
					used[t] -= amount;
			}
		}
	}
	for (int64_t t = 0; t < HORIZON; t++)
		CU_ASSERT_EQUAL(alg_calendar_used(calendar, t), used[t]);
	alg_calendar_free(calendar);
}

static void forgetting_keeps_what_is_taken_later(void)
{
	alg_calendar *calendar = alg_calendar_new(1);

	alg_calendar_reserve(calendar, 0, 10, 1);
	alg_calendar_reserve(calendar, 20, 10, 1);
	alg_calendar_forget(calendar, 5);
	CU_ASSERT_EQUAL(alg_calendar_used(calendar, 5), 1);
	CU_ASSERT_EQUAL(alg_calendar_earliest(calendar, 5, 5, 1), 10);
	CU_ASSERT_EQUAL(alg_calendar_earliest(calendar, 5, 11, 1), 30);
	alg_calendar_free(calendar);
}

static void more_than_the_capacity_never_fits(void)
{
	alg_calendar *calendar = alg_calendar_new(2);

	CU_ASSERT_EQUAL(alg_calendar_earliest(calendar, 0, 1, 3), INT64_MAX);
	alg_calendar_free(calendar);
}

static alg_problem *chain_with_residual(void)
{
	/* A -> B(100) -> C(10) -> D with a residual edge B -> D; A and D take 1 cycle; B -> C and B -> D carry data. */
	alg_problem *p = alg_problem_new();
	uint32_t a = alg_problem_add_task(p, 1, ALG_ANY_PROCESSOR);
	uint32_t b = alg_problem_add_task(p, 100, ALG_ANY_PROCESSOR);
	uint32_t c = alg_problem_add_task(p, 10, ALG_ANY_PROCESSOR);
	uint32_t d = alg_problem_add_task(p, 1, ALG_ANY_PROCESSOR);

	alg_problem_add_edge(p, a, b, 0, 0);
	alg_problem_add_edge(p, b, c, 0, 0);
	alg_problem_add_edge(p, c, d, 0, 0);
	alg_problem_add_edge(p, b, d, 20, 0);
	return p;
}

static void critical_path_takes_the_residual_with_its_lag(void)
{
	/* From the end: D 1; C 10 + 1 = 11; B 100 + max(11, 20 + 1) = 121; A 1 + 121 = 122. */
	alg_problem *p = chain_with_residual();
	int64_t *path = alg_critical_paths(p, NULL);

	CU_ASSERT_EQUAL(path[3], 1);
	CU_ASSERT_EQUAL(path[2], 11);
	CU_ASSERT_EQUAL(path[1], 121);
	CU_ASSERT_EQUAL(path[0], 122);
	g_free(path);
	alg_problem_free(p);
}

static void unlimited_resources_give_the_critical_path(void)
{
	alg_problem *p = chain_with_residual();
	alg_weights w = {1.0, 0.0, 0.0, 0};
	alg_schedule s;

	CU_ASSERT_TRUE_FATAL(alg_list_schedule(p, &w, &s, NULL));
	CU_ASSERT_EQUAL(s.makespan_cycles, 122);
	CU_ASSERT_EQUAL(s.start_cycles[3], 121);
	alg_schedule_fini(&s);
	alg_problem_free(p);
}

/* Three tasks of 4 cycles that each need 2 of 4 units: two at once, the third after them. */
static void cumulative_capacity_serialises_what_does_not_fit(void)
{
	alg_problem *p = alg_problem_new();
	uint32_t alu = alg_problem_add_resource(p, 4);
	alg_weights w = {1.0, 0.0, 0.0, 0};
	alg_schedule s;

	for (int i = 0; i < 3; i++) {
		alg_problem_add_task(p, 4, ALG_ANY_PROCESSOR);
		alg_problem_add_demand(p, alu, 2);
	}
	CU_ASSERT_TRUE_FATAL(alg_list_schedule(p, &w, &s, NULL));
	CU_ASSERT_EQUAL(s.start_cycles[0], 0);
	CU_ASSERT_EQUAL(s.start_cycles[1], 0);
	CU_ASSERT_EQUAL(s.start_cycles[2], 4);
	CU_ASSERT_EQUAL(s.makespan_cycles, 8);
	alg_schedule_fini(&s);
	alg_problem_free(p);
}

/* Task 0 has the longer way to the end, task 1 the higher fan-out, task 2 the higher demand: one unit, so order shows
 * which weight rules. */
static uint32_t first_placed(double alpha, double beta, double gamma)
{
	alg_problem *p = alg_problem_new();
	uint32_t unit = alg_problem_add_resource(p, 10);
	alg_weights w = {alpha, beta, gamma, 0};
	alg_schedule s;
	uint32_t first;

	alg_problem_add_task(p, 9, ALG_ANY_PROCESSOR);
	alg_problem_add_demand(p, unit, 6);
	alg_problem_add_task(p, 2, ALG_ANY_PROCESSOR);
	alg_problem_add_demand(p, unit, 6);
	alg_problem_add_task(p, 2, ALG_ANY_PROCESSOR);
	alg_problem_add_demand(p, unit, 10);
	for (int i = 0; i < 2; i++) {
		uint32_t leaf = alg_problem_add_task(p, 1, ALG_ANY_PROCESSOR);

		alg_problem_add_edge(p, 1, leaf, 0, 0);
	}
	CU_ASSERT_TRUE_FATAL(alg_list_schedule(p, &w, &s, NULL));
	first = s.order[0];
	alg_schedule_fini(&s);
	alg_problem_free(p);
	return first;
}

static void each_weight_moves_the_order(void)
{
	CU_ASSERT_EQUAL(first_placed(1.0, 0.0, 0.0), 0);
	CU_ASSERT_EQUAL(first_placed(0.0, 1.0, 0.0), 2);
	CU_ASSERT_EQUAL(first_placed(0.0, 0.0, 1.0), 1);
}

/* Producer of 5 cycles on processor 0 of a 1 x 2 mesh; two consumers of 10 cycles, 100 bytes each at 10 bytes/cycle,
 * hop latency 2: away costs 10 + 2 = 12 cycles.  Local one runs 5..15; the other starts at min(15 local, 5 + 12 = 17
 * away) = 15. With hop latency 0 and 40 bytes, away is ready at 5 + 4 = 9 and ends first. */
static void communication_decides_the_processor(void)
{
	for (int cheap = 0; cheap < 2; cheap++) {
		alg_problem *p = alg_problem_new();
		uint32_t unit = alg_problem_add_resource(p, 1);
		alg_weights w = {1.0, 0.0, 0.0, 0};
		alg_schedule s;

		p->cols = 2;
		p->link_bytes_per_cycle = 10.0;
		p->hop_cycles = cheap ? 0 : 2;
		for (int i = 0; i < 3; i++) {
			alg_problem_add_task(p, i ? 10 : 5, i ? ALG_ANY_PROCESSOR : 0);
			alg_problem_add_demand(p, unit, 1);
		}
		alg_problem_add_edge(p, 0, 1, 0, cheap ? 40 : 100);
		alg_problem_add_edge(p, 0, 2, 0, cheap ? 40 : 100);
		CU_ASSERT_TRUE_FATAL(alg_list_schedule(p, &w, &s, NULL));
		CU_ASSERT_EQUAL(s.start_cycles[1], 5);
		CU_ASSERT_EQUAL(s.processor[2], cheap ? 1 : 0);
		CU_ASSERT_EQUAL(s.start_cycles[2], cheap ? 9 : 15);
		alg_schedule_fini(&s);
		alg_problem_free(p);
	}
}

static void transfers_count_hops_and_round_up(void)
{
	alg_problem *p = alg_problem_new();

	p->rows = 3;
	p->cols = 4;
	p->link_bytes_per_cycle = 444.4;
	p->hop_cycles = 2;
	/* Processor 1 is (0,1), processor 11 is (2,3): 4 hops; 640 / 444.4 = 1.44 -> 2; 4 * (2 + 2) = 16. */
	CU_ASSERT_EQUAL(alg_transfer_cycles(p, 1, 11, 640), 16);
	CU_ASSERT_EQUAL(alg_transfer_cycles(p, 5, 5, 640), 0);
	alg_problem_free(p);
}

static void cycles_and_impossible_demands_are_refused(void)
{
	alg_problem *p = alg_problem_new();
	uint32_t unit = alg_problem_add_resource(p, 1);
	alg_weights w = {1.0, 0.0, 0.0, 0};
	alg_schedule s;
	GError *error = NULL;

	alg_problem_add_task(p, 1, ALG_ANY_PROCESSOR);
	alg_problem_add_task(p, 1, ALG_ANY_PROCESSOR);
	alg_problem_add_edge(p, 0, 1, 0, 0);
	alg_problem_add_edge(p, 1, 0, 0, 0);
	CU_ASSERT_FALSE(alg_list_schedule(p, &w, &s, &error));
	CU_ASSERT_PTR_NOT_NULL(error);
	g_clear_error(&error);
	g_array_set_size(p->edges, 0);
	alg_problem_add_demand(p, unit, 2);
	CU_ASSERT_FALSE(alg_list_schedule(p, &w, &s, &error));
	CU_ASSERT_PTR_NOT_NULL(error);
	g_clear_error(&error);
	alg_problem_free(p);
}

static void the_seed_breaks_ties_and_nothing_else(void)
{
	uint32_t seen = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		alg_problem *p = alg_problem_new();
		uint32_t unit = alg_problem_add_resource(p, 1);
		alg_weights w = {1.0, 0.0, 0.0, seed};
		alg_schedule s;

		for (int i = 0; i < 4; i++) {
			alg_problem_add_task(p, i == 3 ? 6 : 5, ALG_ANY_PROCESSOR);
			alg_problem_add_demand(p, unit, 1);
		}
		CU_ASSERT_TRUE_FATAL(alg_list_schedule(p, &w, &s, NULL));
		CU_ASSERT_EQUAL(s.order[0], 3);
		CU_ASSERT_EQUAL(s.makespan_cycles, 21);
		seen |= 1U << s.order[1];
		alg_schedule_fini(&s);
		alg_problem_free(p);
	}
	CU_ASSERT_EQUAL(seen, 7);
}

int main(void)
{
	static const tap_case cases[] = {
		{"calendar_agrees_with_a_cycle_array", calendar_agrees_with_a_cycle_array},
		{"forgetting_keeps_what_is_taken_later", forgetting_keeps_what_is_taken_later},
		{"more_than_the_capacity_never_fits", more_than_the_capacity_never_fits},
		{"critical_path_takes_the_residual_with_its_lag", critical_path_takes_the_residual_with_its_lag},
		{"unlimited_resources_give_the_critical_path", unlimited_resources_give_the_critical_path},
		{"cumulative_capacity_serialises_what_does_not_fit", cumulative_capacity_serialises_what_does_not_fit},
		{"each_weight_moves_the_order", each_weight_moves_the_order},
		{"communication_decides_the_processor", communication_decides_the_processor},
		{"transfers_count_hops_and_round_up", transfers_count_hops_and_round_up},
		{"cycles_and_impossible_demands_are_refused", cycles_and_impossible_demands_are_refused},
		{"the_seed_breaks_ties_and_nothing_else", the_seed_breaks_ties_and_nothing_else},
	};

	return tap_run("alg", cases, G_N_ELEMENTS(cases));
}
