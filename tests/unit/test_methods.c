/* SPDX-License-Identifier: Apache-2.0
 *
 * Sheets of decisions, models with their bounds, and the library of patterns, by hand-made cases.
 */
#include <CUnit/CUnit.h>
#include <string.h>

#include "sched/pattern/pattern.h"
#include "sched/sheet.h"
#include "tests/lib/tap.h"

static const char *const one_resource[] = {"unit"};

static void a_back_end_without_a_sheet_decides_by_itself(void)
{
	CU_ASSERT_EQUAL(sched_decide(NULL, "tile", "a", 5), 0);
}

static void what_is_asked_is_kept_and_what_is_set_is_answered(void)
{
	sched_sheet *s = sched_sheet_new();
	g_autofree char *text = NULL;

	CU_ASSERT_EQUAL(sched_decide(s, "tile", "a", 5), 0);
	CU_ASSERT_EQUAL(sched_decide(s, "tile", "b", 5), 0);
	CU_ASSERT_EQUAL(sched_decide(s, "seat", "", 9), 0);
	/* Nothing to choose from is no decision. */
	CU_ASSERT_EQUAL(sched_decide(s, "rows", "a", 1), 0);
	CU_ASSERT_EQUAL_FATAL(s->decisions->len, 3);
	g_array_index(s->decisions, sched_decision, 1).value = 3;
	g_array_index(s->decisions, sched_decision, 2).value = 8;
	CU_ASSERT_EQUAL(sched_decide(s, "tile", "b", 5), 3);
	/* There are fewer than that now: the back end's own way. */
	CU_ASSERT_EQUAL(sched_decide(s, "tile", "b", 2), 0);
	text = sched_sheet_text(s, true);
	CU_ASSERT_STRING_EQUAL(text, "tile[1]=3, seat=8");
	sched_sheet_free(s);
}

static GPtrArray *chain_of_three(void)
{
	GPtrArray *before = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (uint32_t i = 0; i < 3; i++) {
		GArray *list = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		uint32_t first = 0;

		/* 2 needs 0; 1 is free. */
		if (i == 2)
			g_array_append_val(list, first);
		g_ptr_array_add(before, list);
	}
	return before;
}

static void an_order_that_breaks_precedence_is_not_taken(void)
{
	static const uint32_t good[] = {1, 0, 2}, bad[] = {2, 1, 0}, twice[] = {0, 0, 2};
	uint32_t order[] = {0, 1, 2};
	sched_sheet *s = sched_sheet_new();

	s->order = g_memdup2(bad, sizeof bad);
	s->order_count = 3;
	sched_decide_order(s, order, 3, chain_of_three(), NULL);
	CU_ASSERT_EQUAL(order[0], 0);
	memcpy(s->order, good, sizeof good);
	sched_decide_order(s, order, 3, chain_of_three(), NULL);
	CU_ASSERT_EQUAL(order[0], 1);
	CU_ASSERT_EQUAL(order[1], 0);
	CU_ASSERT_FALSE(sched_keeps_order(s->pairs, twice, 3));
	sched_sheet_free(s);
}

/* Two operations of 100 cycles of the unit, 5 before its first use and 3 behind its last; 10 cycles to the first
 * result. An operation lasts 5 + 100 + 3 = 108.  The second waits for all of the first's results: it starts at 10 or
 * later and the path is 118; if some of it may come before, the path is the longer of 108 and 10 + 10.  The unit: 5 +
 * 200 + 3. */
static void bounds_of_two_operations(void)
{
	for (unsigned whole = 0; whole < 2; whole++) {
		sched_model *m = sched_model_new(one_resource, 1);
		g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(sched_bound));
		sched_load load = {100, 5, 3, false};

		sched_model_task(m, "a", 10, &load);
		sched_model_task(m, "b", 10, &load);
		sched_model_after(m, 0, 1, whole);
		CU_ASSERT_EQUAL(alg_problem_mode(m->problem, 0, 0)->duration_cycles, 108);
		CU_ASSERT_EQUAL(sched_model_bounds(m, bounds), 208);
		CU_ASSERT_EQUAL_FATAL(bounds->len, 2);
		CU_ASSERT_EQUAL(g_array_index(bounds, sched_bound, 0).cycles, whole ? 118 : 108);
		CU_ASSERT_EQUAL(g_array_index(bounds, sched_bound, 1).cycles, 208);
		sched_model_free(m);
	}
}

/* What may lie before an operation's start makes it no longer, but the unit is busy all the same: 5 + 100 + 3 = 108. */
static void early_work_lengthens_no_operation(void)
{
	sched_model *m = sched_model_new(one_resource, 1);
	g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(sched_bound));
	sched_load load = {100, 5, 3, true};

	sched_model_task(m, "a", 10, &load);
	CU_ASSERT_EQUAL(alg_problem_mode(m->problem, 0, 0)->duration_cycles, 10);
	CU_ASSERT_EQUAL(sched_model_bounds(m, bounds), 108);
	sched_model_free(m);
}

static graph *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	graph *g = graph_parse(text, "test", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	return g;
}

#define PRODUCT                                                                                                        \
	"x: fp16[24][40] = input\nw: fp16[40][48] = input\nb: fp16[1][48] = input\n"                                   \
	"p: fp16[24][48] = matmul x, w, batches 1, block_run 40, sum 1\n"

static void patterns_are_found_by_structure(void)
{
	static const struct {
		const char *text, *found;
	} cases[] = {
		/* 24, 48, 40 rounded up to powers of two. */
		{PRODUCT "s: fp16[24][48] = add p, b\ny: fp16[24][48] = relu s\noutput y\n",
	         "gemm-bias-act b1.m32.n64.k64:fp16"},
		/* Operands the other way round, a conversion between, another activation. */
		{PRODUCT "f: fp16[24][48] = add b, p\nc: fp32[24][48] = cvt f\ny: fp32[24][48] = tanh c\noutput y\n",
	         "gemm-bias-act b1.m32.n64.k64:fp16"},
		/* The product leaves the graph: it cannot go away into a pattern. */
		{PRODUCT "s: fp16[24][48] = add p, b\ny: fp16[24][48] = relu s\noutput y\noutput p\n", NULL},
		{PRODUCT "y: fp16[24][48] = relu p\noutput y\n", NULL},
		{"x: fp16[24][40] = input\na: fp16[24][40] = exp x\ny: fp16[24][40] = add a, x\noutput y\n",
	         "residual r32.c64:fp16"},
		{"x: fp16[24][40] = input\nz: fp16[24][40] = input\na: fp16[24][40] = exp z\n"
	         "y: fp16[24][40] = add a, x\noutput y\n",
	         NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat("graph \"t\"\n", cases[i].text, NULL);
		graph *g = parse(text);
		g_autofree char *found = sched_patterns_text(g);

		CU_ASSERT_EQUAL(g_strcmp0(found, cases[i].found), 0);
		if (g_strcmp0(found, cases[i].found) != 0)
			printf("# case %zu: %s\n", i, found ? found : "nothing");
		graph_free(g);
	}
}

static void stored_decisions_go_to_the_patterns_own_operations(void)
{
	graph *g = parse("graph \"t\"\n" PRODUCT "s: fp16[24][48] = add p, b\ny: fp16[24][48] = relu s\noutput y\n");
	g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	sched_sheet *s = sched_sheet_new();
	g_autofree char *text = NULL;

	for (uint32_t i = 3; i < graph_size(g); i++)
		g_array_append_val(nodes, i);
	sched_decide(s, "chunk", "other", 4);
	sched_decide(s, "chunk", "p", 4);
	sched_decide(s, "chunk", "s+y", 4);
	sched_decide(s, "chunk", "pq", 4);
	sched_decide(s, "seat", "", 4);
	/* [1] is the second of the pattern's own; 9 is more than there is to choose from. */
	sched_patterns_decide(g, nodes, "chunk[1]=2, seat=3, chunk[0]=9", s);
	text = sched_sheet_text(s, true);
	CU_ASSERT_STRING_EQUAL(text, "chunk[2]=2, seat=3");
	sched_sheet_free(s);
	graph_free(g);
}

static void every_stored_row_names_a_pattern(void)
{
	for (const sched_stored *row = sched_library; row->machine; row++) {
		bool known = false;

		for (const sched_pattern *p = sched_patterns; p->name; p++)
			known |= strcmp(p->name, row->pattern) == 0;
		CU_ASSERT_TRUE(known);
		CU_ASSERT_PTR_NOT_NULL(strchr(row->decisions, '='));
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_back_end_without_a_sheet_decides_by_itself", a_back_end_without_a_sheet_decides_by_itself},
		{"what_is_asked_is_kept_and_what_is_set_is_answered",
	         what_is_asked_is_kept_and_what_is_set_is_answered},
		{"an_order_that_breaks_precedence_is_not_taken", an_order_that_breaks_precedence_is_not_taken},
		{"bounds_of_two_operations", bounds_of_two_operations},
		{"early_work_lengthens_no_operation", early_work_lengthens_no_operation},
		{"patterns_are_found_by_structure", patterns_are_found_by_structure},
		{"stored_decisions_go_to_the_patterns_own_operations",
	         stored_decisions_go_to_the_patterns_own_operations},
		{"every_stored_row_names_a_pattern", every_stored_row_names_a_pattern},
	};

	return tap_run("methods", cases, G_N_ELEMENTS(cases));
}
