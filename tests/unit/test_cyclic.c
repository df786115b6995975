/* SPDX-License-Identifier: Apache-2.0
 *
 * Modulo schedules: loops whose least interval is worked out by hand, and random ones against every schedule there is.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/cyclic_memo.h"
#include "tests/lib/tap.h"

static cyclic_problem *read_loop(const char *text)
{
	GError *error = NULL;
	cyclic_problem *p = cyclic_read(text, "x", &error);

	if (error) {
		tap_note("%s", error->message);
		g_clear_error(&error);
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

typedef struct expected {
	int64_t ii, resource, recurrence;
	cyclic_rate ratio;
	uint32_t stages;
} expected;

static void expect(const char *text, expected want)
{
	cyclic_problem *p = read_loop(text);
	cyclic_options how;
	cyclic_result r;

	cyclic_options_init(&how);
	cyclic_solve(p, &how, &r);
	CU_ASSERT_EQUAL(r.status, CYCLIC_OPTIMAL);
	CU_ASSERT_EQUAL(r.ii, want.ii);
	CU_ASSERT_EQUAL(r.bounds.resource, want.resource);
	CU_ASSERT_EQUAL(r.bounds.recurrence, want.recurrence);
	CU_ASSERT_EQUAL(r.bounds.ratio.time, want.ratio.time);
	CU_ASSERT_EQUAL(r.bounds.ratio.distance, want.ratio.distance);
	CU_ASSERT_EQUAL(r.stages, want.stages);
	CU_ASSERT_TRUE(r.valid);
	cyclic_result_fini(&r);
	cyclic_problem_free(p);
}

/* Two loads on one port: 2.  The sum feeds itself after 3 cycles: 3.  Loads at 0 and 1 (4 cycles), product at 5 (5),
 * sum at 10, so the last start is 10: four stages of 3. */
static void a_dot_product_is_bound_by_its_accumulator(void)
{
	expect("resource port 1\nresource mul 1\nresource add 1\n"
	       "op a port\nop b port\nop product mul\nop sum add\n"
	       "value a product 4\nvalue b product 4\nvalue product sum 5\nvalue sum sum 3 1\n",
	       (expected){3, 2, 3, {3, 1}, 4});
}

/* The same with two accumulators in turn: 3 over a distance of 2 is 3/2, rounded up 2, as much as the port asks.  Last
 * start 10: six stages of 2. */
static void two_accumulators_halve_the_recurrence(void)
{
	expect("resource port 1\nresource mul 1\nresource add 1\n"
	       "op a port\nop b port\nop product mul\nop sum add\n"
	       "value a product 4\nvalue b product 4\nvalue product sum 5\nvalue sum sum 3 2\n",
	       (expected){2, 2, 2, {3, 2}, 6});
}

/* Tridiagonal elimination, Livermore kernel 5: x[i] = z[i] * (y[i] - x[i-1]): subtract 3 and multiply 4 in a ring of
 * distance 1: 7, whatever the port's 3.  Loads at 0 and 1 of 4 cycles: y is loaded at 0, subtract at 4, multiply at 7,
 * store at 11: two stages of 7. */
static void tridiagonal_elimination_waits_for_its_recurrence(void)
{
	expect("resource port 1\nresource fpu 2\n"
	       "op y port\nop z port\nop sub fpu\nop mul fpu\nop store port\n"
	       "value y sub 4\nvalue z mul 4\nvalue sub mul 3\nvalue mul sub 4 1\nvalue mul store 4\n",
	       (expected){7, 3, 7, {7, 1}, 2});
}

/* Five adds on either of two units, and three that only the first can do: 8 uses of 2 units is 4; the first alone
 * has 3. Independent, so one stage. */
static void alternative_units_share_the_work(void)
{
	expect("resource p 1\nresource q 1\n"
	       "op a p|q\n"
	       "op b p | q\nop c p | q\nop d p | q\nop e p | q\nop f p\nop g p\nop h p\n",
	       (expected){4, 4, 0, {0, 1}, 1});
}

/* Three that take p or q, and one that takes r, each one cycle: the set {p, q} has 3 uses of 2 units, so 2, though no
 * single unit and not all three together ask for more than one and 4/3. */
static void a_set_of_units_binds_where_none_does_alone(void)
{
	cyclic_problem *p = read_loop("resource p 1\nresource q 1\nresource r 2\n"
	                              "op a p | q\nop b p | q\nop c p | q\nop d r\n");
	cyclic_bounds b;

	cyclic_bound(p, &b);
	CU_ASSERT_EQUAL(b.resource, 2);
	CU_ASSERT_STRING_EQUAL(b.resource_why, "p + q");
	cyclic_bounds_fini(&b);
	cyclic_problem_free(p);
}

/* Uses at 0 and 2 meet themselves at 1 and at 2; at 3 they do not. */
static void a_reservation_table_must_not_meet_itself(void)
{
	expect("resource p 1\nop a p@0 p@2\n", (expected){3, 3, 0, {0, 1}, 1});
}

/* Two operations with uses at 0 and 1 of p and q in either order: {p0 q1} and {q0 p1}.  Two uses of each: 2.  In an
 * interval of 2, a at 0 takes p0 q1; b at 0 takes q0 p1.  Fits.  With {p0 q1} and {p0 q2}: b at row s takes p_s, so s =
 * 1, q at 3 mod 2 = 1, taken by a; so 2 is impossible.  3: a at 0 p0 q1, b at 1 p1 q0.  Fits. */
static void an_interval_at_the_resource_bound_can_be_impossible(void)
{
	expect("resource p 1\nresource q 1\nop a p@0 q@1\nop b q@0 p@1\n", (expected){2, 2, 0, {0, 1}, 1});
	if (!cyclic_has_exact) {
		tap_skip("built without CaDiCaL");
		return;
	}
	expect("resource p 1\nresource q 1\nop a p@0 q@1\nop b p@0 q@2\n", (expected){3, 2, 0, {0, 1}, 1});
}

/* 40 of 139 banks for a load and for a store: 3 in a cycle, not 6 of 139 * 2 / 40: 80 / 139 says 1.  Four queues: one
 * interval of 1 holds both. */
static void a_cumulative_resource_takes_several(void)
{
	expect("resource banks 139\nresource queue 4\nop load banks*40 queue\nop store banks*40 queue\nvalue load "
	       "store 4\n",
	       (expected){1, 1, 0, {0, 1}, 5});
	/* 80 each: 160 of 139 is 2. */
	expect("resource banks 139\nresource queue 4\nop load banks*80 queue\nop store banks*80 queue\nvalue load "
	       "store 4\n",
	       (expected){2, 2, 0, {0, 1}, 3});
	/* Three of 80: of 139 no more than 80 can be filled, so 3.  Starts 0, 1 and, 4 after the second, 5: two
	 * stages. */
	expect("resource banks 139\nop a banks*80\nop b banks*80\nop c banks*80\nvalue a c 4\nvalue b c 4\n",
	       (expected){3, 3, 0, {0, 1}, 2});
}

/* 7 cycles from x to y and at most 8: the store comes within a cycle of the earliest.  Both take p for one cycle, and
 * so does w for 5: 7 in all.  x and y are 7 or 8 apart, at 7 one of them would be in the other's row or the next. */
static void maximum_lags_bind(void)
{
	expect("resource p 1\nop x p\nop y p\nop w p:5\norder x y 7\norder y x -8\n", (expected){7, 7, 0, {0, 1}, 2});
}

static void a_wait_within_one_iteration_has_no_interval(void)
{
	cyclic_problem *p = read_loop("op a\nop b\norder a b 1\norder b a 0\n");
	cyclic_options how;
	cyclic_result r;

	cyclic_options_init(&how);
	cyclic_solve(p, &how, &r);
	CU_ASSERT_EQUAL(r.status, CYCLIC_INFEASIBLE);
	CU_ASSERT_EQUAL(r.bounds.ratio.distance, 0);
	cyclic_result_fini(&r);
	cyclic_problem_free(p);
	p = read_loop("resource p 1\nop a p*2\n");
	cyclic_solve(p, &how, &r);
	CU_ASSERT_EQUAL(r.status, CYCLIC_INFEASIBLE);
	CU_ASSERT_EQUAL(r.bounds.impossible, 0);
	cyclic_result_fini(&r);
	cyclic_problem_free(p);
}

/* A value that is due 2 after its start and read 2 after it is kept one cycle, one read also 4 later five; of an
 * interval of 2 that is 6 cycles in all: 3 at a time at least. */
static void values_are_counted_in_the_fullest_cycle(void)
{
	cyclic_problem *p = read_loop("resource p 1\nresource q 1\nop a p\nop b p\nop c q\nop d q\n"
	                              "value a c 2\nvalue b c 2\nvalue b d 6\n");
	cyclic_options how;
	cyclic_result r;

	cyclic_options_init(&how);
	cyclic_solve(p, &how, &r);
	CU_ASSERT_EQUAL(r.ii, 2);
	CU_ASSERT_EQUAL(r.live_bound, 3);
	CU_ASSERT_TRUE(r.max_live >= 3 && r.max_live <= 4);
	cyclic_result_fini(&r);
	cyclic_problem_free(p);
}

static void the_checker_refuses_what_is_wrong(void)
{
	cyclic_problem *p = read_loop("resource p 1\nop a p:2\nop b p\nvalue a b 2\nvalue b a 1 1\n");
	char *offence;

	CU_ASSERT_PTR_NULL(cyclic_check(p, 3, (int64_t[]){0, 2}, (uint32_t[]){0, 0}));
	/* b would be in a's second cycle, a turn later. */
	offence = cyclic_check(p, 3, (int64_t[]){0, 4}, (uint32_t[]){0, 0});
	CU_ASSERT_PTR_NOT_NULL(offence);
	g_free(offence);
	offence = cyclic_check(p, 3, (int64_t[]){0, 1}, (uint32_t[]){0, 0});
	CU_ASSERT_STRING_EQUAL(offence, "'b' starts too early after 'a'");
	g_free(offence);
	offence = cyclic_check(p, 2, (int64_t[]){0, 2}, (uint32_t[]){0, 0});
	CU_ASSERT_STRING_EQUAL(offence, "'a' starts too early after 'b'");
	g_free(offence);
	offence = cyclic_check(p, 3, (int64_t[]){0, 2}, (uint32_t[]){0, 1});
	CU_ASSERT_STRING_EQUAL(offence, "'b' has no mode 1");
	g_free(offence);
	cyclic_problem_free(p);
	p = read_loop("resource p 1\nop a p:2\nop b p\n");
	offence = cyclic_check(p, 3, (int64_t[]){2, 3}, (uint32_t[]){0, 0});
	/* a takes cycles 2 and 0, b cycle 0. */
	CU_ASSERT_STRING_EQUAL(offence, "2 of 1 units of 'p' in cycle 0");
	g_free(offence);
	cyclic_problem_free(p);
}

/* ---- Against every schedule. ---- */

/* Rows and modes of all operations, one after the other; then whether some stages keep the dependences (longest ways
 * from rows).  Shares nothing with the engine. */
typedef struct brute {
	const cyclic_problem *p;
	int64_t ii;
	int64_t row[8];
	uint32_t mode[8];
} brute;

static bool stages_exist(const brute *b)
{
	int64_t at[8];
	uint32_t n = b->p->ops->len;

	memcpy(at, b->row, sizeof(at));
	for (uint32_t round = 0; round <= n; round++) {
		bool moved = false;

		for (uint32_t i = 0; i < b->p->edges->len; i++) {
			const cyclic_edge *e = cyclic_edge_at(b->p, i);

			if (e->from == e->to && b->ii * (int64_t)e->distance < e->latency)
				return false;
			while (at[e->to] + b->ii * (int64_t)e->distance < at[e->from] + e->latency) {
				at[e->to] += b->ii;
				moved = true;
			}
		}
		if (!moved)
			return true;
	}
	return false;
}

static bool resources_fit(const brute *b)
{
	for (uint32_t r = 0; r < b->p->resources->len; r++) {
		int64_t taken[64] = {0};

		for (uint32_t v = 0; v < b->p->ops->len; v++) {
			const cyclic_mode *m = cyclic_mode_at(b->p, v, b->mode[v]);

			for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
				const cyclic_use *use = cyclic_use_at(b->p, u);

				for (uint32_t i = 0; use->resource == r && i < use->length; i++)
					taken[(b->row[v] + use->offset + i) % b->ii] += use->amount;
			}
		}
		for (int64_t c = 0; c < b->ii; c++)
			if (taken[c] > cyclic_resource_at(b->p, r)->capacity)
				return false;
	}
	return true;
}

static bool any_schedule(brute *b, uint32_t v)
{
	if (v == b->p->ops->len)
		return resources_fit(b) && stages_exist(b);
	for (b->row[v] = 0; b->row[v] < (v ? b->ii : 1); b->row[v]++)
		for (b->mode[v] = 0; b->mode[v] < cyclic_op_at(b->p, v)->modes; b->mode[v]++)
			if (any_schedule(b, v + 1))
				return true;
	return false;
}

static cyclic_problem *random_loop(rng *r)
{
	cyclic_problem *p = cyclic_problem_new();
	uint32_t n = 2 + (uint32_t)rng_below(r, 4), resources = 1 + (uint32_t)rng_below(r, 3);

	for (uint32_t i = 0; i < resources; i++)
		cyclic_add_resource(p, "r", 1 + (uint32_t)rng_below(r, 2));
	for (uint32_t v = 0; v < n; v++) {
		uint32_t modes = 1 + (rng_below(r, 3) == 0);

		cyclic_add_op(p, "o");
		for (uint32_t m = 0; m < modes; m++) {
			uint32_t uses = 1 + (uint32_t)rng_below(r, 2);

			cyclic_add_mode(p);
			for (uint32_t u = 0; u < uses; u++)
				cyclic_add_use(p, (uint32_t)rng_below(r, resources), 1, (uint32_t)rng_below(r, 3),
				               1 + (uint32_t)rng_below(r, 2));
		}
	}
	for (uint32_t i = 0; i < n + 1; i++) {
		uint32_t from = (uint32_t)rng_below(r, n), to = (uint32_t)rng_below(r, n);

		if (from < to)
			cyclic_add_edge(p, from, to, (int64_t)rng_below(r, 5), 0, true);
		else if (rng_below(r, 4))
			cyclic_add_edge(p, from, to, 1 + (int64_t)rng_below(r, 4), 1 + (uint32_t)rng_below(r, 2), true);
		else if (from != to)
			cyclic_add_edge(p, from, to, -(int64_t)rng_below(r, 6), 0, false);
	}
	return p;
}

static int64_t least_interval(const cyclic_problem *p, int64_t most)
{
	brute b = {.p = p};

	for (b.ii = 1; b.ii <= most; b.ii++)
		if (any_schedule(&b, 0))
			return b.ii;
	return 0;
}

/* With and without the engine's first search: PLACEMENTS 0 leaves all to proofs. */
static void compare(uint64_t placements, uint64_t conflicts, unsigned count, bool exact)
{
	rng r;
	unsigned solved = 0, above = 0;

	rng_seed(&r, 7, 1);
	for (unsigned i = 0; i < count; i++) {
		cyclic_problem *p = random_loop(&r);
		int64_t least = least_interval(p, 9);
		cyclic_options how;
		cyclic_result got;

		cyclic_options_init(&how);
		how.placements = placements;
		how.conflicts = conflicts;
		how.limit = 9;
		cyclic_solve(p, &how, &got);
		CU_ASSERT_TRUE(!got.ii || got.valid);
		CU_ASSERT_TRUE(!least || got.lower_bound <= least);
		CU_ASSERT_TRUE(!got.ii || got.ii >= least);
		CU_ASSERT_TRUE(got.status != CYCLIC_OPTIMAL || got.ii == least);
		CU_ASSERT_TRUE(got.status != CYCLIC_INFEASIBLE || !least);
		if (exact)
			CU_ASSERT_EQUAL(got.ii, least);
		solved += got.ii > 0;
		above += got.ii > MAX(got.bounds.resource, got.bounds.recurrence);
		cyclic_result_fini(&got);
		cyclic_problem_free(p);
	}
	tap_note("%u of %u loops have a schedule, %u above both bounds", solved, count, above);
	CU_ASSERT_TRUE(solved > count / 2);
}

static void random_loops_have_no_smaller_interval(void)
{
	cyclic_options how;

	cyclic_options_init(&how);
	compare(how.placements, how.conflicts, 400, cyclic_has_exact);
}

static void proofs_alone_find_the_same_intervals(void)
{
	if (!cyclic_has_exact) {
		tap_skip("built without CaDiCaL");
		return;
	}
	compare(0, 1000000, 150, true);
}

static void ejection_alone_is_never_wrong(void)
{
	compare(100000, 0, 400, false);
}

static void answers_do_not_depend_on_the_run(void)
{
	rng r;
	cyclic_problem *p;
	cyclic_options how;
	cyclic_result a, b;

	rng_seed(&r, 3, 1);
	p = random_loop(&r);
	cyclic_options_init(&how);
	cyclic_solve(p, &how, &a);
	cyclic_solve(p, &how, &b);
	CU_ASSERT_EQUAL_FATAL(a.ii, b.ii);
	CU_ASSERT_EQUAL(memcmp(a.start, b.start, p->ops->len * sizeof(*a.start)), 0);
	cyclic_result_fini(&a);
	cyclic_result_fini(&b);
	cyclic_problem_free(p);
}

/* ---- Reading. ---- */

static void refuse(const char *text, const char *message)
{
	GError *error = NULL;
	cyclic_problem *p = cyclic_read(text, "f", &error);

	CU_ASSERT_PTR_NULL(p);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	if (strcmp(error->message, message) != 0)
		tap_note("%s", error->message);
	CU_ASSERT_STRING_EQUAL(error->message, message);
	g_clear_error(&error);
}

static void errors_name_line_and_column(void)
{
	refuse("resource p 1\nop a q\n", "f:2:6: expected a resource declared above, found 'q'; did you mean 'p'?");
	refuse("resorce p 1\n",
	       "f:1:1: expected 'resource', 'op', 'value' or 'order', found 'resorce'; did you mean 'resource'?");
	refuse("resource p x\n", "f:1:12: expected a capacity");
	refuse("resource p 1\nresource p 1\n", "f:2:10: expected a new name, and 'p' is declared above");
	refuse("op a\nvalue a a 1 -1\n", "f:2:13: expected a distance");
	refuse("op a\nvalue a a 1 1 1\n", "f:2:15: expected the end of the line");
	refuse("resource p 1\nop a p*0\n", "f:2:8: expected a number, a whole number from 1 to 1000000000");
	refuse("resource p 1\nop a p |\n", "f:2:9: expected a use or '-' after '|'");
	refuse("# nothing\n", "f:2:1: expected a line 'op NAME'");
	refuse("op a\norder a b 1\n", "f:2:9: expected an operation declared above, found 'b'; did you mean 'a'?");
}

/* The accumulator's loop asked for twice, then with another capacity, another latency, and another name. */
static void a_memo_answers_what_was_asked_before(void)
{
	static const char *const loops[] = {
		"resource port 1\nop a port\nop sum port\nvalue a sum 4\nvalue sum sum 3 1\n",
		"resource port 1\nop a port\nop sum port\nvalue a sum 4\nvalue sum sum 3 1\n",
		"resource port 2\nop a port\nop sum port\nvalue a sum 4\nvalue sum sum 3 1\n",
		"resource port 1\nop a port\nop sum port\nvalue a sum 4\nvalue sum sum 4 1\n",
		"resource queue 1\nop a queue\nop sum queue\nvalue a sum 4\nvalue sum sum 3 1\n"};
	static const uint64_t hits[] = {0, 1, 1, 1, 1};
	static const int64_t ii[] = {3, 3, 3, 4, 3};
	g_autoptr(cyclic_memo) memo = cyclic_memo_new();

	for (unsigned i = 0; i < G_N_ELEMENTS(loops); i++) {
		cyclic_problem *p = read_loop(loops[i]);
		cyclic_options how;
		cyclic_result r, plain;

		cyclic_options_init(&how);
		cyclic_memo_solve(memo, p, &how, &r);
		cyclic_memo_solve(NULL, p, &how, &plain);
		CU_ASSERT_EQUAL(cyclic_memo_hits(memo), hits[i]);
		CU_ASSERT_EQUAL(r.ii, ii[i]);
		CU_ASSERT_EQUAL(r.stages, plain.stages);
		CU_ASSERT_EQUAL(r.start[1] - r.start[0], plain.start[1] - plain.start[0]);
		CU_ASSERT_STRING_EQUAL(r.bounds.resource_why, plain.bounds.resource_why);
		CU_ASSERT_EQUAL(r.bounds.cycle->len, plain.bounds.cycle->len);
		CU_ASSERT_TRUE(r.valid);
		cyclic_result_fini(&r);
		cyclic_result_fini(&plain);
		cyclic_problem_free(p);
	}
}

static const tap_case cases[] = {
	{"a_dot_product_is_bound_by_its_accumulator", a_dot_product_is_bound_by_its_accumulator},
	{"two_accumulators_halve_the_recurrence", two_accumulators_halve_the_recurrence},
	{"tridiagonal_elimination_waits_for_its_recurrence", tridiagonal_elimination_waits_for_its_recurrence},
	{"alternative_units_share_the_work", alternative_units_share_the_work},
	{"a_set_of_units_binds_where_none_does_alone", a_set_of_units_binds_where_none_does_alone},
	{"a_reservation_table_must_not_meet_itself", a_reservation_table_must_not_meet_itself},
	{"an_interval_at_the_resource_bound_can_be_impossible", an_interval_at_the_resource_bound_can_be_impossible},
	{"a_cumulative_resource_takes_several", a_cumulative_resource_takes_several},
	{"maximum_lags_bind", maximum_lags_bind},
	{"a_wait_within_one_iteration_has_no_interval", a_wait_within_one_iteration_has_no_interval},
	{"values_are_counted_in_the_fullest_cycle", values_are_counted_in_the_fullest_cycle},
	{"the_checker_refuses_what_is_wrong", the_checker_refuses_what_is_wrong},
	{"random_loops_have_no_smaller_interval", random_loops_have_no_smaller_interval},
	{"proofs_alone_find_the_same_intervals", proofs_alone_find_the_same_intervals},
	{"ejection_alone_is_never_wrong", ejection_alone_is_never_wrong},
	{"answers_do_not_depend_on_the_run", answers_do_not_depend_on_the_run},
	{"errors_name_line_and_column", errors_name_line_and_column},
	{"a_memo_answers_what_was_asked_before", a_memo_answers_what_was_asked_before},
};

int main(void)
{
	return tap_run("cyclic", cases, G_N_ELEMENTS(cases));
}
