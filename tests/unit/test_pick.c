/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows and columns picked out of tensors: graph text, reference values by hand, what is refused, lowering, and the
 * generators that use them.
 */
#include <string.h>

#include "sched/frontend/frontend.h"
#include "sched/lower/lower.h"
#include "sched/sched.h"
#include "tests/lib/tap.h"
#include "tools/setup.h"
#include "tools/simulate.h"

static isa_machine *machine(const char *name)
{
	isa_machine *m = isa_machine_load(name, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

static graph *parse(const char *text, GError **error)
{
	graph *g = graph_parse(text, "text", error);

	if (g && !graph_verify(g, error))
		g_clear_pointer(&g, graph_free);
	return g;
}

/* x is 3 rows of 4 bytes; rows 2, 0, 2 from lane 1 on, two lanes each. */
static const char gather_text[] = "graph \"g\"\n"
				  "x: int8[3][4] = input 00 01 02 03 10 11 12 13 20 21 22 23\n"
				  "i: int32[1][3] = const 00000002 00000000 00000002\n"
				  "y: int8[3][2] = gather x, i, lane 1\n"
				  "output y\n";

static void gather_takes_lanes_of_the_rows_named(void)
{
	static const uint8_t expected[] = {0x21, 0x22, 0x01, 0x02, 0x21, 0x22};
	graph *g = parse(gather_text, NULL);
	uint8_t *values[3];
	g_autofree char *text = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	text = graph_print(g);
	CU_ASSERT_STRING_EQUAL(text, gather_text);
	CU_ASSERT_TRUE_FATAL(graph_evaluate(g, values, NULL));
	CU_ASSERT_EQUAL(memcmp(values[2], expected, sizeof expected), 0);
	g_free(values[2]);
	graph_free(g);
}

static void a_transpose_of_fewer_rows_takes_the_first_columns(void)
{
	static const uint8_t expected[] = {0x00, 0x10, 0x20, 0x01, 0x11, 0x21};
	graph *g = parse("graph \"g\"\nx: int8[3][4] = input 00 01 02 03 10 11 12 13 20 21 22 23\n"
	                 "y: int8[2][3] = transpose x\noutput y\n",
	                 NULL);
	uint8_t *values[2];

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_TRUE_FATAL(graph_evaluate(g, values, NULL));
	CU_ASSERT_EQUAL(memcmp(values[1], expected, sizeof expected), 0);
	g_free(values[1]);
	graph_free(g);
}

static void a_gather_that_leaves_its_table_is_refused(void)
{
	static const char *const rows[][2] = {
		{"i: int32[1][2] = const 00000000 00000003\ny: int8[2][4] = gather x, i, lane 0",
	         "graph 'g': node 'y': index 1 is 3, expected one of the 3 rows of 'x'"},
		{"i: int32[1][1] = const ffffffff\ny: int8[1][4] = gather x, i, lane 0",
	         "graph 'g': node 'y': index 0 is -1, expected one of the 3 rows of 'x'"},
		{"i: int32[1][1] = const 00000000\ny: int8[1][2] = gather x, i, lane 3",
	         "graph 'g': node 'y': the rows leave the 4 lanes of 'x'"},
		{"i: int32[1][1] = input\ny: int8[1][2] = gather x, i, lane 0",
	         "graph 'g': node 'y': expected 'i' to be a constant int32[1][rows]"},
		{"i: int32[2][1] = const 00000000*2\ny: int8[2][2] = gather x, i, lane 0",
	         "graph 'g': node 'y': expected 'i' to be a constant int32[1][rows]"},
		{"i: int32[1][1] = const 00000000\ny: int16[1][2] = gather x, i, lane 0",
	         "graph 'g': node 'y': expected the operand's type int8"},
		{"i: int32[1][1] = const 00000000\ny: int8[2][2] = gather x, i, lane 0",
	         "graph 'g': node 'y': expected shape [1][2], found [2][2]"},
		{"y: int8[5][3] = transpose x", "graph 'g': node 'y': expected shape [4][3], found [5][3]"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text =
			g_strdup_printf("graph \"g\"\nx: int8[3][4] = input\n%s\noutput y\n", rows[i][0]);
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NULL(parse(text, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i][1]);
		if (strcmp(error->message, rows[i][1]))
			tap_note("%s", error->message);
	}
}

/* The index is a tensor of its own that belongs to the table; nothing holds the constant as such. */
static void a_gather_is_one_macro_with_an_index_tensor(void)
{
	isa_machine *m = machine("tsp");
	graph *g = parse(gather_text, NULL);
	low_program *p;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	p = low_lower(g, m, 8, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p->tensors->len, 3);
	CU_ASSERT_EQUAL(p->macros->len, 1);
	for (guint i = 0; i < p->tensors->len; i++) {
		const low_tensor *t = &g_array_index(p->tensors, low_tensor, i);

		CU_ASSERT_EQUAL(t->row_major, !strcmp(t->name, "x"));
		CU_ASSERT_EQUAL(t->index_of >= 0, !strcmp(t->name, "i"));
		CU_ASSERT_EQUAL(t->host, strcmp(t->name, "y") != 0);
	}
	low_free(p);
	graph_free(g);
	isa_machine_free(m);
}

static void slices_cannot_pick(void)
{
	static const char *const workloads[] = {"embedding:9,8,4", "kvcache:8x2x8", "columns:8x9,3"};
	isa_machine *m = machine("tsp-isca20");

	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
		g_autoptr(GPtrArray) graphs = frontend_read(workloads[i], m, NULL, NULL);
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
		CU_ASSERT_PTR_NULL(low_lower(g_ptr_array_index(graphs, 0), m, 8, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED));
	}
	isa_machine_free(m);
}

/* ---------------------------------------------------------------------------------------------------- generators */

static void generators_refuse_with_the_column(void)
{
	static const char *const rows[][2] = {
		{"embedding:9,8", "workload 'embedding:9,8', column 14: expected ',' and a further size"},
		{"embedding:0,8,4",
	         "workload 'embedding:0,8,4', column 11: expected the rows of the table, a positive number, found 0"},
		{"embedding:9,8,4,zip=1", "workload 'embedding:9,8,4,zip=1', column 17: expected zipf=, found 'zip'"},
		{"embedding:9,8,4,zipf=x",
	         "workload 'embedding:9,8,4,zipf=x', column 22: expected an exponent from 0 to 8"},
		{"embedding:999999999,8,4",
	         "workload 'embedding:999999999,8,4', column 11: expected at most 67108864 rows"},
		{"kvcache:10x2x8,page=4",
	         "workload 'kvcache:10x2x8,page=4', column 21: expected pages that divide the 10 tokens"},
		{"columns:8x9,10", "workload 'columns:8x9,10', column 13: expected at most 9 columns"},
	};
	isa_machine *m = machine("tsp");

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NULL(frontend_read(rows[i][0], m, NULL, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i][1]);
		if (strcmp(error->message, rows[i][1]))
			tap_note("%s", error->message);
	}
	isa_machine_free(m);
}

static const graph_node *node_named(const graph *g, const char *name)
{
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (!strcmp(graph_at(g, i)->name, name))
			return graph_at(g, i);
	CU_FAIL_FATAL("no such node");
	return NULL;
}

/* Zipf over 1000 rows, s = 1: row 0 has 1 / H(1000) = 1 / 7.4855 = 13.4 % of 20,000 look-ups, give or take four
 * standard deviations (sqrt(20000 * 0.134 * 0.866) = 48); uniform 0.1 %. */
static void zipf_makes_the_first_row_hot(void)
{
	isa_machine *m = machine("tsp");

	for (int zipf = 0; zipf < 2; zipf++) {
		const char *workload = zipf ? "embedding:1000,8,20000,zipf=1" : "embedding:1000,8,20000";
		g_autoptr(GPtrArray) graphs = frontend_read(workload, m, NULL, NULL);
		const graph *g;
		unsigned hot = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
		g = g_ptr_array_index(graphs, 0);
		for (uint64_t i = 0; i < 20000; i++)
			hot += graph_gather_row(g, node_named(g, "y"), i) == 0;
		if (zipf)
			CU_ASSERT(hot > 2672 - 192 && hot < 2672 + 192);
		if (!zipf)
			CU_ASSERT(hot < 40);
	}
	isa_machine_free(m);
}

/* Pages move, tokens inside a page follow each other, every token is there once. */
static void pages_of_a_cache_are_permuted(void)
{
	isa_machine *m = machine("tsp");
	g_autoptr(GPtrArray) graphs = frontend_read("kvcache:64x2x8,page=4", m, NULL, NULL);
	const graph *g;
	const graph_node *head;
	uint64_t seen = 0, moved = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	g = g_ptr_array_index(graphs, 0);
	head = node_named(g, "head1");
	CU_ASSERT_EQUAL(head->first_lane, 8);
	CU_ASSERT_EQUAL(head->rows, 64);
	for (uint64_t t = 0; t < 64; t++) {
		int32_t row = graph_gather_row(g, head, t);

		seen |= UINT64_C(1) << row;
		moved += (uint64_t)row != t;
		CU_ASSERT_EQUAL((uint64_t)row % 4, t % 4);
	}
	CU_ASSERT_EQUAL(seen, UINT64_MAX);
	CU_ASSERT(moved > 32);
	isa_machine_free(m);
}

/* ----------------------------------------------------------------------------------------------------- whole runs */

/* Runs WORKLOAD with values; counts its instructions of OP. */
static uint64_t run(const char *workload, const char *map, enum isa_op op)
{
	g_autofree char *set = g_strconcat("sram.map=", map, NULL);
	char *sets[] = {set, NULL};
	setup_schedule how = {.workload = workload, .seed = 3, .functional = true};
	simulate_options options = {.kernel = "ref", .functional = true};
	g_autoptr(GString) offences = g_string_new(NULL);
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report scheduled = {0};
	uint64_t issues = 0;
	simulation *done;
	report r = {0};
	setup s;
	isa_program *program;

	CU_ASSERT_TRUE_FATAL(setup_init(&s, NULL, sets, NULL));
	program = setup_compile(&s, &how, &graphs, &scheduled, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_TRUE(sched_check(program, s.sched, offences, 5));
	done = simulate(s.sched, s.hw, program, graphs, &options, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(done);
	r.hw = s.hw;
	r.program = program;
	simulation_report(done, &r);
	CU_ASSERT_EQUAL(r.checked, REPORT_PASSED);
	CU_ASSERT_EQUAL(r.counters->violations, 0);
	CU_ASSERT_EQUAL(compare_mismatches(r.compare), 0);
	CU_ASSERT_EQUAL(r.counters->cycles, program->predicted_cycles);
	if (r.checked != REPORT_PASSED || offences->len)
		tap_note("%s on %s: %s", workload, map, offences->str);
	for (guint i = 0; i < program->insns->len; i++)
		issues += isa_program_insn(program, i)->op == op ? isa_insn_issues(isa_program_insn(program, i)) : 0;
	simulation_free(done);
	isa_program_free(program);
	sched_report_fini(&scheduled);
	setup_fini(&s);
	return issues;
}

/* Rows of 128 bytes: five in a register of 640, so 50 rows take 10 accesses and 53 one more of three. */
static void rows_that_fit_one_register_move_together(void)
{
	static const char *const maps[] = {"mod:139", "mod:144", "skew:144,5", "xorfold:7", "poly:0x83", "ideal"};

	for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
		CU_ASSERT_EQUAL(run("embedding:97,64,50", maps[i], ISA_OP_LOADX), 10);
		CU_ASSERT_EQUAL(run("embedding:97,64,53,zipf=1.2", maps[i], ISA_OP_LOADX), 11);
	}
}

/* Lane blocks of 320 elements: 1000 fp32 are three of 1280 bytes, a row an access, and one of 160 bytes, four rows an
 * access: 7 rows are 3 * 7 + 2. */
static void wide_rows_move_by_lane_blocks(void)
{
	CU_ASSERT_EQUAL(run("embedding:10,1000,7:fp32", "mod:139", ISA_OP_LOADX), 23);
	CU_ASSERT_EQUAL(run("embedding:10,1000,7:fp32", "mod:143", ISA_OP_LOADX), 23);
	CU_ASSERT_EQUAL(run("embedding:10,7,1:int8", "mod:139", ISA_OP_LOADX), 0);
}

/* Tokens in order need no index: heads of 64 bytes, ten tokens a register, 4 heads of 40 tokens. */
static void tokens_in_order_are_strided(void)
{
	CU_ASSERT_EQUAL(run("kvcache:40x4x32", "mod:144", ISA_OP_LOADX), 0);
	CU_ASSERT_EQUAL(run("kvcache:40x4x32", "mod:144", ISA_OP_LOADS), 16);
	CU_ASSERT_EQUAL(run("kvcache:40x4x32,page=8", "mod:144", ISA_OP_LOADX), 16);
}

static void columns_are_strided_loads_of_the_dense_matrix(void)
{
	CU_ASSERT_EQUAL(run("columns:130x700,20", "mod:139", ISA_OP_LOADS), 20);
	CU_ASSERT_EQUAL(run("columns:400x50,3:int8", "mod:143", ISA_OP_LOADS), 6);
	CU_ASSERT_EQUAL(run("columns:5x9,9:fp32", "skew:144,7", ISA_OP_LOADS), 9);
}

int main(void)
{
	static const tap_case cases[] = {
		{"gather_takes_lanes_of_the_rows_named", gather_takes_lanes_of_the_rows_named},
		{"a_transpose_of_fewer_rows_takes_the_first_columns",
	         a_transpose_of_fewer_rows_takes_the_first_columns},
		{"a_gather_that_leaves_its_table_is_refused", a_gather_that_leaves_its_table_is_refused},
		{"a_gather_is_one_macro_with_an_index_tensor", a_gather_is_one_macro_with_an_index_tensor},
		{"slices_cannot_pick", slices_cannot_pick},
		{"generators_refuse_with_the_column", generators_refuse_with_the_column},
		{"zipf_makes_the_first_row_hot", zipf_makes_the_first_row_hot},
		{"pages_of_a_cache_are_permuted", pages_of_a_cache_are_permuted},
		{"rows_that_fit_one_register_move_together", rows_that_fit_one_register_move_together},
		{"wide_rows_move_by_lane_blocks", wide_rows_move_by_lane_blocks},
		{"tokens_in_order_are_strided", tokens_in_order_are_strided},
		{"columns_are_strided_loads_of_the_dense_matrix", columns_are_strided_loads_of_the_dense_matrix},
	};

	return tap_run("pick", cases, G_N_ELEMENTS(cases));
}
