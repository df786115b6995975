/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector kernels of Ascend-style cores: equal to the reference to the last bit, for every operation and type, for
 * shapes with and without tails, on every kind of machine, without a race, a flag left or a byte read that nothing
 * wrote.
 */
#include "tests/sched/asc_sched.h"

static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};
static const char *const one_core[] = {"cores=1", NULL};
static const char *const two_cores[] = {"cores=2", NULL};

static void must(bool good, const GError *error)
{
	if (!good)
		tap_note("%s", error ? error->message : "failed");
	CU_ASSERT_TRUE_FATAL(good);
}

/* Compiles and runs GRAPHS, of which there is one. */
static void equal(GPtrArray *graphs, const char *machine_name, const char *const *sets, bool specials, const char *what)
{
	asc_machine *machine = asc_sched_machine(machine_name, sets);
	graph *g = g_ptr_array_index(graphs, 0);
	sched_report report;
	asc_program *program;
	asc_run *r;

	graph_fill_inputs(g, 11, specials);
	program = asc_sched_compile(graphs, machine, true, &report);
	r = asc_sched_run(program, machine, true, false);
	asc_run_clean(r, what);
	asc_sched_compare(r, program, g, what);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	asc_machine_free(machine);
}

static void workload_on(const char *machine, const char *const *sets, bool specials, const char *workload)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);

	must(graphs != NULL, error);
	equal(graphs, machine, sets, specials, workload);
	g_ptr_array_unref(graphs);
}

/* Every machine, on one core and two; of these six every OFth. */
static void text_on_all(unsigned of, const char *text)
{
	unsigned turn = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++)
		for (unsigned cores = 1; cores <= 2; cores++) {
			g_autoptr(GError) error = NULL;
			GPtrArray *graphs = NULL;
			graph *g = NULL;

			if (!tap_part(turn++, of))
				continue;
			graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
			g = graph_parse(text, "text", &error);

			must(g != NULL, error);
			must(graph_verify(g, &error), error);
			g_ptr_array_add(graphs, g);
			equal(graphs, machines[i], cores == 1 ? one_core : two_cores, false, g->name);
			g_ptr_array_unref(graphs);
		}
}

static bool legal_for(enum isa_op op, enum isa_type type)
{
	bool is_float = type == ISA_TYPE_F16 || type == ISA_TYPE_F32;

	return isa_ops[op].unit == ISA_UNIT_VXM && isa_ops[op].types != ISA_TYPES_CVT &&
	       (isa_ops[op].types == ISA_TYPES_ALL ||
	        isa_ops[op].types == (is_float ? ISA_TYPES_FLOAT : ISA_TYPES_INT));
}

/* Every operation and type with lengths; the machines take turns. */
static void every_operation_of_every_type_with_and_without_tails(void)
{
	static const unsigned lengths[] = {1, 7, 16, 127, 128, 129, 1000, 4096};
	unsigned turn = 0;

	for (unsigned op = 0; op < ISA_OP_COUNT; op++)
		for (unsigned type = 0; type < ISA_TYPE_COUNT; type++) {
			if (!legal_for((enum isa_op)op, (enum isa_type)type))
				continue;
			for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++, turn++) {
				g_autofree char *text = NULL;

				if (!tap_part(turn, 4))
					continue;
				text = g_strdup_printf("vmap:%s,%u:%s", isa_ops[op].mnemonic, lengths[i],
				                       isa_type_name((enum isa_type)type));
				workload_on(machines[(turn + turn / 4) % G_N_ELEMENTS(machines)], two_cores, true,
				            text);
			}
			turn++;
		}
}

static graph_node *last(graph *g)
{
	return graph_at(g, graph_size(g) - 1);
}

/* Immediates that fp16 holds and that it does not, extremes, negative ones, shifts beyond the width. */
static void immediates_of_every_operation(void)
{
	static const uint32_t bits[][3] = {[ISA_TYPE_I8] = {3, 0x80, 9},
	                                   [ISA_TYPE_I16] = {5, 0x8000, 19},
	                                   [ISA_TYPE_I32] = {7, 0x80000000, 37},
	                                   [ISA_TYPE_F16] = {0x3f800000, 0x3dcccccd, 0xff800000},
	                                   [ISA_TYPE_F32] = {0x40490fdb, 0x80000000, 0x7fc00000}};

	for (unsigned op = 0; op < ISA_OP_COUNT; op++)
		for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
			for (unsigned i = 0; i < 3; i++) {
				GPtrArray *graphs;
				graph *g;
				uint32_t x;

				if (!legal_for((enum isa_op)op, (enum isa_type)type) || isa_ops[op].arity != 2)
					continue;
				g = graph_new("immediate");
				x = graph_input(g, "x", (enum isa_type)type, 3, 150);
				x = graph_binary_imm(g, "z", (enum isa_op)op, (enum isa_type)type, x, bits[type][i]);
				graph_mark_output(g, x);
				CU_ASSERT_TRUE(last(g)->output);
				graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
				g_ptr_array_add(graphs, g);
				equal(graphs, machines[(op + i) % G_N_ELEMENTS(machines)], one_core, true,
				      isa_ops[op].mnemonic);
				g_ptr_array_unref(graphs);
			}
}

static void every_conversion(void)
{
	for (unsigned from = 0; from < ISA_TYPE_COUNT; from++)
		for (unsigned to = 0; to < ISA_TYPE_COUNT; to++) {
			g_autofree char *name = g_strdup_printf("%s to %s", isa_type_name((enum isa_type)from),
			                                        isa_type_name((enum isa_type)to));
			GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
			graph *g = graph_new("conversion");
			uint32_t x = graph_input(g, "x", (enum isa_type)from, 5, 333);

			graph_mark_output(g, graph_unary(g, "z", ISA_OP_CVT, (enum isa_type)to, x));
			g_ptr_array_add(graphs, g);
			equal(graphs, machines[(from + to) % G_N_ELEMENTS(machines)], one_core, true, name);
			g_ptr_array_unref(graphs);
		}
}

/* Every int16 and int8 bit pattern: what saturates, wraps and shifts does so everywhere. */
static void all_numbers_of_small_types(void)
{
	static const enum isa_op ops[] = {ISA_OP_ABS,     ISA_OP_NEG, ISA_OP_ADD_SAT, ISA_OP_SUB_SAT,
	                                  ISA_OP_MUL_SAT, ISA_OP_MUL, ISA_OP_SHL,     ISA_OP_SHR,
	                                  ISA_OP_LT,      ISA_OP_EQ,  ISA_OP_MASK};

	for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++)
		for (unsigned type = ISA_TYPE_I8; type <= ISA_TYPE_I16; type++) {
			enum { COUNT = 65536 };
			GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
			graph *g = graph_new("all");
			unsigned bytes = isa_type_bytes((enum isa_type)type);
			uint32_t x = graph_input(g, "x", (enum isa_type)type, 1, COUNT), y;

			y = isa_ops[ops[i]].arity == 2 ? graph_input(g, "y", (enum isa_type)type, 1, COUNT) : x;
			if (isa_ops[ops[i]].arity == 2)
				graph_mark_output(g, graph_binary(g, "z", ops[i], (enum isa_type)type, x, y));
			else
				graph_mark_output(g, graph_unary(g, "z", ops[i], (enum isa_type)type, x));
			for (unsigned v = 0; v < 2 && (v == 0 || y != x); v++) {
				graph_node *n = graph_at(g, v ? y : x);

				n->data = g_malloc(COUNT * bytes);
				for (uint32_t k = 0; k < COUNT; k++) {
					/* int8: all pairs; int16: all numbers with others all over the range. */
					uint16_t value = (uint16_t)(bytes == 1 ? (v ? k >> 8 : k) : v ? k * 40503U : k);

					memcpy(n->data + k * bytes, &value, bytes);
				}
			}
			g_ptr_array_add(graphs, g);
			equal(graphs, "ascend-910b", two_cores, false, isa_ops[ops[i]].mnemonic);
			g_ptr_array_unref(graphs);
		}
}

static void softmax_and_layernorm_of_many_shapes(void)
{
	static const unsigned rows[] = {1, 2, 3, 17, 64, 200}, lanes[] = {1, 7, 16, 127, 128, 129, 1000};

	for (unsigned r = 0; r < G_N_ELEMENTS(rows); r++)
		for (unsigned l = 0; l < G_N_ELEMENTS(lanes); l++) {
			static const char *const types[] = {"fp16", "fp32"};
			g_autofree char *a = NULL, *b = NULL;

			if (!tap_part(r * (unsigned)G_N_ELEMENTS(lanes) + l, 3))
				continue;
			a = g_strdup_printf("softmax:%ux%u:%s", lanes[l], rows[r], types[(r + l) % 2]);
			b = g_strdup_printf("layernorm:%ux%u:%s", lanes[l], rows[r], types[(r + l + 1) % 2]);

			workload_on(machines[(r + l) % G_N_ELEMENTS(machines)], two_cores, true, a);
			workload_on(machines[(r + l + 1) % G_N_ELEMENTS(machines)], two_cores, true, b);
		}
}

/* Rows that no unified buffer holds, few lanes for many cores, rows that no power of two divides: two levels. */
static void reductions_in_two_levels(void)
{
	workload_on("ascend-910b", NULL, false, "softmax:3x4099");
	workload_on("ascend-910b", NULL, false, "layernorm:5x2049:fp32");
	workload_on("ascend-910b", two_cores, false, "softmax:40x8192");
	workload_on("ascend-910b", two_cores, false, "layernorm:33x6001:fp32");
	workload_on("ascend-910a", two_cores, false, "softmax:100x7000");
	workload_on("ascend-310p", two_cores, false, "layernorm:16x10000");
}

/* 12000 rows of 16 lanes are 384,000 bytes. */
static void groups_that_fit_in_one_piece_no_more_than_their_rows_do(void)
{
	text_on_all(5, "graph \"long heads\"\n"
	               "x: fp16[24000][20] = input\n"
	               "m: fp16[2][20] = reduce max x, groups 2\n"
	               "ma: fp16[24000][20] = rows m, first 0, groups 2, pitch 1, step 0\n"
	               "d: fp32[24000][20] = sub x, ma\n"
	               "s: fp32[2][20] = reduce add d, groups 2\n"
	               "sa: fp32[24000][20] = rows s, first 0, groups 2, pitch 1, step 0\n"
	               "y: fp16[24000][20] = mul d, sa\n"
	               "output y\noutput s\n");
}

static void transforms(void)
{
	static const char *const sizes[] = {"fft:1",        "fft:2:fp32", "fft:16",
	                                    "fft:256:fp32", "fft:1024",   "fft:4096:fp32"};

	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
		for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++)
			workload_on(machines[m], two_cores, false, sizes[i]);
}

static void groups_of_rows(void)
{
	text_on_all(1, "graph \"heads\"\n"
	               "x: fp16[96][70] = input\n"
	               "m: fp16[3][70] = reduce max x, groups 3\n"
	               "ma: fp16[96][70] = rows m, first 0, groups 3, pitch 1, step 0\n"
	               "d: fp32[96][70] = sub x, ma\n"
	               "e: fp32[96][70] = exp d\n"
	               "s: fp32[3][70] = reduce add e, groups 3\n"
	               "sa: fp32[96][70] = rows s, first 0, groups 3, pitch 1, step 0\n"
	               "y: fp16[96][70] = mul e, sa\n"
	               "output y\noutput s\n");
}

static void reductions_of_odd_rows_and_small_types(void)
{
	text_on_all(1, "graph \"odd\"\n"
	               "x: int8[37][65] = input\n"
	               "w: int8[1][65] = input\n"
	               "a: int8[37][65] = add_sat x, w\n"
	               "b: int32[37][65] = cvt a\n"
	               "c: fp16[37][65] = cvt b\n"
	               "r: int8[1][65] = reduce add a, groups 1\n"
	               "t: int8[1][65] = reduce mul_sat x, groups 1\n"
	               "m: int32[1][65] = reduce max b, groups 1\n"
	               "q: int32[1][65] = reduce mul_sat b, groups 1\n"
	               "f: int8[37][65] = cvt c\n"
	               "k: int8[37][65] = eq f, r\n"
	               "z: fp16[1][65] = reduce lt c, groups 1\n"
	               "output c\noutput r\noutput t\noutput m\noutput q\noutput k\noutput z\n");
}

static void views_and_joins(void)
{
	text_on_all(1, "graph \"views\"\n"
	               "x: fp16[24][100] = input\n"
	               "y: fp16[12][100] = input\n"
	               "a: fp16[12][100] = rows x, first 1, groups 12, pitch 2, step 1\n"
	               "b: fp16[12][100] = rows x, first 0, groups 3, pitch 8, step 2\n"
	               "c: fp16[12][100] = add a, b\n"
	               "d: fp16[24][100] = join c, y, groups 4\n"
	               "e: fp16[24][100] = join a, b, groups 1\n"
	               "f: fp32[24][100] = add d, e\n"
	               "g: fp32[48][100] = rows f, first 2, groups 16, pitch 1, step 0\n"
	               "h: fp32[20][100] = rows f, first 3, groups 5, pitch 0, step 2\n"
	               "output f\noutput g\noutput h\n");
}

static void lanes_change_places(void)
{
	text_on_all(1, "graph \"lanes\"\n"
	               "x: int8[5][96] = input\n"
	               "y: fp32[5][96] = input\n"
	               "z: int16[5][96] = input\n"
	               "a: int8[5][96] = lanes x, xor 31\n"
	               "b: fp32[5][96] = lanes y, xor 5\n"
	               "c: int16[5][96] = lanes z, xor 17\n"
	               "d: fp32[5][96] = lanes y, xor 8\n"
	               "e: fp32[5][96] = lanes y, xor 0\n"
	               "output a\noutput b\noutput c\noutput d\noutput e\n");
}

static void rows_shared_by_all_and_values_kept_for_later(void)
{
	text_on_all(1, "graph \"shared\"\n"
	               "x: fp16[50][129] = input\n"
	               "w: fp32[1][129] = input\n"
	               "v: fp32[1][129] = input\n"
	               "s: fp32[1][129] = mul w, v\n"
	               "f: fp32[50][129] = cvt x\n"
	               "a: fp32[50][129] = mul f, s\n"
	               "b: fp16[50][129] = add a, v\n"
	               "c: fp16[50][129] = sub b, x\n"
	               "d: fp16[50][129] = mul c, b\n"
	               "output d\noutput b\noutput s\n");
}

static void transposes_of_every_type_and_odd_sizes(void)
{
	static const unsigned sizes[][2] = {{1, 1},   {1, 50},  {50, 1},    {16, 16},  {17, 33},
	                                    {64, 64}, {129, 7}, {100, 200}, {300, 65}, {257, 513}};

	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
		for (unsigned type = 0; type < ISA_TYPE_COUNT; type++) {
			g_autofree char *text = g_strdup_printf("transpose:%ux%u:%s", sizes[i][0], sizes[i][1],
			                                        isa_type_name((enum isa_type)type));

			workload_on(machines[(i + type) % G_N_ELEMENTS(machines)], two_cores, true, text);
		}
	for (unsigned type = 0; type < ISA_TYPE_COUNT; type++) {
		g_autofree char *text =
			g_strdup_printf("columns:517x40,%u:%s", 3 + 9 * type, isa_type_name((enum isa_type)type));

		workload_on(machines[type % G_N_ELEMENTS(machines)], two_cores, true, text);
	}
}

static void rows_are_picked(void)
{
	static const char *const picks[] = {"embedding:100,64,37",
	                                    "embedding:1000,33,100:int8",
	                                    "embedding:50,1,7:fp32",
	                                    "embedding:9,70000,20",
	                                    "kvcache:64x4x32",
	                                    "kvcache:64x4x33:int8",
	                                    "kvcache:64x4x32,page=16:fp32"};

	for (unsigned i = 0; i < G_N_ELEMENTS(picks); i++)
		for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++)
			if (tap_part(i + m, 3))
				workload_on(machines[m], two_cores, true, picks[i]);
}

/* Long enough for several tiles of each of all cores, and for a last one that is short. */
static void many_tiles_on_all_cores(void)
{
	workload_on("ascend-910b", NULL, false, "vmap:add,1500001");
	workload_on("ascend-910a", NULL, false, "vmap:tanh,300001");
	workload_on("ascend-910b", NULL, false, "vmap:mul_sat,200003:int32");
	workload_on("ascend-310p", NULL, false, "vmap:sub,400009:int8");
}

int main(void)
{
	static const tap_case cases[] = {
		{"every operation of every type, with and without tails",
	         every_operation_of_every_type_with_and_without_tails},
		{"immediates of every operation", immediates_of_every_operation},
		{"every conversion", every_conversion},
		{"all numbers of small types", all_numbers_of_small_types},
		{"softmax and layernorm of many shapes", softmax_and_layernorm_of_many_shapes},
		{"reductions in two levels", reductions_in_two_levels},
		{"groups that fit in one piece no more than their rows do",
	         groups_that_fit_in_one_piece_no_more_than_their_rows_do},
		{"transforms", transforms},
		{"groups of rows", groups_of_rows},
		{"reductions of odd rows and small types", reductions_of_odd_rows_and_small_types},
		{"views and joins", views_and_joins},
		{"lanes change places", lanes_change_places},
		{"rows shared by all, values kept for later", rows_shared_by_all_and_values_kept_for_later},
		{"transposes of every type and odd sizes", transposes_of_every_type_and_odd_sizes},
		{"rows are picked", rows_are_picked},
		{"many tiles on all cores", many_tiles_on_all_cores},
	};

	return tap_run("asc_vector", cases, G_N_ELEMENTS(cases));
}
