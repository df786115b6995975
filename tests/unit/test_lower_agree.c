/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowered programs, executed by the interpreter of low_run.c, agree with the reference: for every generator on both
 * presets, and for random graphs of views, joins, reductions and element-wise nodes on vectors of 32 lanes.
 */
#include "isa/rng.h"
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"
#include "tests/unit/low_run.h"

static isa_machine *machine(const char *name)
{
	isa_machine *m = isa_machine_load(name, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

static void assert_agrees(const graph *g, const isa_machine *m, unsigned radix)
{
	g_autoptr(GString) report = g_string_new(NULL);
	bool agrees = low_run_agrees(g, m, radix, report);

	CU_ASSERT_TRUE(agrees);
	if (!agrees) {
		g_autofree char *text = graph_print(g);

		tap_note("%s (lanes %d, radix %u)", report->str, (int)m->lanes, radix);
		tap_note("%.4000s", text);
	}
}

static void every_generator_agrees_with_the_reference(void)
{
	static const char *const workloads[] = {
		"gemm:3x400x33",         "gemm:5x7x30:int8",
		"bmm:3x4x5x6",           "conv:2x4x6x5,6x3x2,stride=2,pad=1,groups=2",
		"attention:1x3x20x8",    "attention:2x1x9x4:int8",
		"softmax:700x9",         "softmax:33x64:fp32",
		"layernorm:40x13",       "layernorm:700x3:fp32",
		"transpose:40x30:int8",  "fft:2",
		"fft:64:fp32",           "fft:1024",
		"fft:4096:fp32",         "vmap:add,1000:int16",
		"vmap:tanh,330",         "attention:1x2x400x2",
		"softmax:640x2",         "softmax:1x1",
		"flash:1x3x20x8,tile=9",
	};

	for (size_t i = 0; i < 2 * G_N_ELEMENTS(workloads); i++) {
		isa_machine *m = machine(i % 2 ? "tsp-isca20" : "tsp");
		GPtrArray *graphs = frontend_read(workloads[i / 2], m, NULL, NULL);
		graph *g;

		CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
		g = g_ptr_array_index(graphs, 0);
		graph_fill_inputs(g, 7, true);
		assert_agrees(g, m, i % 2 ? 4 : 8);
		g_ptr_array_unref(graphs);
		isa_machine_free(m);
	}
}

/* Random graphs.  All nodes of one graph have LANES lanes, but for products and transposes, which are outputs. */
typedef struct maker {
	graph *g;
	rng r;
	uint64_t lanes;
} maker;

static uint64_t pick(maker *m, uint64_t limit)
{
	return rng_below(&m->r, limit);
}

static uint32_t pick_node(maker *m)
{
	return (uint32_t)pick(m, graph_size(m->g));
}

static uint64_t divisor(maker *m, uint64_t n)
{
	uint64_t d;

	do
		d = 1 + pick(m, n);
	while (n % d);
	return d;
}

static void add_binary(maker *m, uint32_t x, uint32_t y)
{
	static const enum isa_op ops[] = {ISA_OP_ADD, ISA_OP_SUB, ISA_OP_MUL, ISA_OP_MAX, ISA_OP_LT, ISA_OP_MASK};
	const graph_node *a = graph_at(m->g, x), *b = graph_at(m->g, y);

	if (a->type == b->type && (a->rows == b->rows || a->rows == 1 || b->rows == 1))
		graph_binary(m->g, NULL, ops[pick(m, G_N_ELEMENTS(ops))], a->type, x, y);
}

static void add_view(maker *m, uint32_t x)
{
	uint64_t rows = graph_at(m->g, x)->rows;
	uint64_t groups = 1 + pick(m, 3), inner = 1 + pick(m, 4);
	uint64_t pitch = pick(m, 4), step = pick(m, 3);
	uint64_t last = (groups - 1) * pitch + (inner - 1) * step;

	if (last < rows)
		graph_view(m->g, NULL, x, groups * inner, pick(m, rows - last), groups, pitch, step);
}

static void add_join(maker *m, uint32_t x, uint32_t y)
{
	const graph_node *a = graph_at(m->g, x), *b = graph_at(m->g, y);

	if (a->type == b->type && a->rows == b->rows && a->rows <= 12)
		graph_join(m->g, NULL, x, y, divisor(m, a->rows));
}

/* x times its own transpose: the one product whose shapes always fit. */
static void add_product(maker *m, uint32_t x)
{
	enum isa_type type = graph_at(m->g, x)->type;

	if (type == ISA_TYPE_F16 || type == ISA_TYPE_I8) {
		uint32_t t = graph_transpose(m->g, NULL, x);

		graph_mark_output(m->g,
		                  graph_matmul(m->g, NULL, x, t, 1, type == ISA_TYPE_I8 ? ISA_TYPE_I32 : type, 32, 16));
	}
}

static void add_random_node(maker *m)
{
	uint32_t x = pick_node(m), y = pick_node(m);
	const graph_node *a = graph_at(m->g, x);
	bool whole = a->lanes == m->lanes && graph_at(m->g, y)->lanes == m->lanes;

	if (!whole)
		return;
	switch (pick(m, 11)) {
	case 0:
	case 1:
	case 2:
	case 3:
		add_binary(m, x, y);
		break;
	case 4:
		graph_unary(m->g, NULL, ISA_OP_NEG, a->type, x);
		break;
	case 5:
		if (a->type == ISA_TYPE_F16)
			graph_unary(m->g, NULL, ISA_OP_CVT, ISA_TYPE_F32, x);
		break;
	case 6:
		graph_reduce(m->g, NULL, ISA_OP_ADD, x, divisor(m, a->rows));
		break;
	case 7:
	case 8:
		add_view(m, x);
		break;
	case 9:
		add_join(m, x, y);
		break;
	default:
		if (pick(m, 4) == 0)
			add_product(m, x);
		else if (m->lanes % 8 == 0 && m->lanes <= 32)
			graph_lanes(m->g, NULL, x, (uint32_t)pick(m, 8));
	}
}

static graph *random_graph(uint64_t seed)
{
	static const uint64_t lanes[] = {1, 8, 24, 32, 33, 40, 64, 96, 100};
	static const enum isa_type types[] = {ISA_TYPE_F16, ISA_TYPE_F32, ISA_TYPE_I8, ISA_TYPE_I32};
	maker m = {0};
	g_autofree char *name = g_strdup_printf("random %d", (int)seed);
	enum isa_type type;
	uint64_t nodes;

	rng_seed(&m.r, seed, 0);
	m.g = graph_new(name);
	m.lanes = lanes[pick(&m, G_N_ELEMENTS(lanes))];
	type = types[pick(&m, G_N_ELEMENTS(types))];
	nodes = 4 + pick(&m, 60);
	graph_input(m.g, NULL, type, 1 + pick(&m, 12), m.lanes);
	graph_input(m.g, NULL, type, graph_at(m.g, 0)->rows, m.lanes);
	graph_input(m.g, NULL, type, 1, m.lanes);
	for (uint64_t i = 0; i < nodes; i++)
		add_random_node(&m);
	for (uint64_t i = 0; i < 3; i++)
		graph_mark_output(m.g, pick_node(&m));
	graph_mark_output(m.g, graph_size(m.g) - 1);
	return m.g;
}

static void random_graphs_agree_with_the_reference(void)
{
	isa_machine *m = machine("tsp");

	m->lanes = 32;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		graph *g = random_graph(seed);
		g_autoptr(GError) error = NULL;

		if (!graph_verify(g, &error))
			tap_note("%s", error->message);
		CU_ASSERT_PTR_NULL_FATAL(error);
		graph_fill_inputs(g, seed, seed % 2);
		assert_agrees(g, m, 2u << seed % 3);
		graph_free(g);
	}
	isa_machine_free(m);
}

static void lowering_twice_gives_the_same_program(void)
{
	isa_machine *m = machine("tsp");

	m->lanes = 32;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		graph *g = random_graph(seed), *h = random_graph(seed);
		low_program *p = low_lower(g, m, 4, NULL), *q = low_lower(h, m, 4, NULL);
		g_autofree char *a = low_print(p), *b = low_print(q);

		CU_ASSERT_STRING_EQUAL(a, b);
		low_free(p);
		low_free(q);
		graph_free(g);
		graph_free(h);
	}
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_generator_agrees_with_the_reference", every_generator_agrees_with_the_reference},
		{"random_graphs_agree_with_the_reference", random_graphs_agree_with_the_reference},
		{"lowering_twice_gives_the_same_program", lowering_twice_gives_the_same_program},
	};

	return tap_run("lower_agree", cases, G_N_ELEMENTS(cases));
}
