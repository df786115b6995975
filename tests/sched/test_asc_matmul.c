/* SPDX-License-Identifier: Apache-2.0
 *
 * Products on Ascend-style cores: equal to the reference to the last bit, for shapes with and without tails, on every
 * kind of machine, without a race, a flag too many or one too few.
 */
#include "sched/emit/ascend/plan.h"
#include "tests/sched/asc_sched.h"

static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};

static void on_all(const char *workload)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++)
		asc_sched_equal(machines[i], NULL, workload);
}

static void one_fractal(void)
{
	on_all("gemm:16x16x16:fp16");
	on_all("gemm:16x16x32:int8");
}

static void one_element(void)
{
	on_all("gemm:1x1x1:fp16");
	on_all("gemm:1x1x1:int8");
}

static void whole_tiles(void)
{
	on_all("gemm:128x256x128:fp16");
	on_all("gemm:256x256x256:int8");
}

static void tails_everywhere(void)
{
	on_all("gemm:17x33x45:fp16");
	on_all("gemm:130x70x95:fp16");
	on_all("gemm:63x129x257:int8");
}

static void rows_that_end_inside_a_unit(void)
{
	/* 24 rows fill three units of eight rows, 20 end inside the third. */
	asc_sched_equal("ascend-910b", NULL, "gemm:24x64x64:fp16");
	asc_sched_equal("ascend-910b", NULL, "gemm:20x64x64:fp16");
}

static void several_stages_and_tiles_of_a_core(void)
{
	static const char *const two_cores[] = {"cores=2", NULL};

	asc_sched_equal("ascend-910b", two_cores, "gemm:400x520x700:fp16");
	asc_sched_equal("ascend-910a", two_cores, "gemm:400x520x700:fp16");
	asc_sched_equal("ascend-310p", two_cores, "gemm:300x520x1100:int8");
}

/* Parts of the depth summed by themselves and added in order; rows, columns and pieces that end anywhere. */
static void depth_in_parts(void)
{
	on_all("gemm:40x70x128,split=4:fp16");
	on_all("gemm:33x17x96,split=3:int8");
	on_all("bmm:3x20x25x64,split=2:fp16");
	asc_sched_equal("ascend-910b", NULL, "gemm:100x300x640,split=5:fp16");
}

/* The order of sums is the graph's: parts are summed by themselves, so split=2 is another result than none. */
static void parts_are_part_of_the_meaning(void)
{
	static const char *const workloads[] = {"gemm:16x16x256:fp16", "gemm:16x16x256,split=2:fp16"};
	frontend_target target = frontend_target_ascend();
	g_autoptr(GError) error = NULL;
	uint8_t *result[2];

	for (unsigned i = 0; i < 2; i++) {
		GPtrArray *graphs = frontend_read_for(workloads[i], &target, NULL, &error);
		graph *g = g_ptr_array_index(graphs, 0);
		uint8_t *values[3];

		CU_ASSERT_EQUAL_FATAL(graph_size(g), 3);
		CU_ASSERT_EQUAL(graph_at(g, 2)->block_run, i ? 128 : 256);
		graph_fill_inputs(g, 7, false);
		CU_ASSERT_TRUE(graph_evaluate(g, values, &error));
		result[i] = g_memdup2(values[2], 512);
		for (unsigned n = 0; n < 3; n++)
			g_free(values[n]);
		g_ptr_array_unref(graphs);
	}
	CU_ASSERT_NOT_EQUAL(memcmp(result[0], result[1], 512), 0);
	g_free(result[0]);
	g_free(result[1]);
}

static graph *parsed(const char *text)
{
	g_autoptr(GError) error = NULL;
	graph *g = graph_parse(text, "text", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_TRUE_FATAL(graph_verify(g, &error));
	return g;
}

static guint kernels_of(const graph *g)
{
	GArray *parts = ask_cut(g, NULL);
	guint count = parts->len;

	g_array_unref(parts);
	return count;
}

/* TEXT is one kernel, and right on every machine, infinities and NaN among its inputs. */
static void one_kernel(const char *text)
{
	static const char *const two_cores[] = {"cores=2", NULL};

	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++) {
		GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
		asc_machine *machine = asc_sched_machine(machines[i], two_cores);
		graph *g = parsed(text);
		sched_report report;
		asc_program *program;
		asc_run *r;

		g_ptr_array_add(graphs, g);
		CU_ASSERT_EQUAL(kernels_of(g), 1);
		graph_fill_inputs(g, 7, true);
		program = asc_sched_compile(graphs, machine, true, &report);
		r = asc_sched_run(program, machine, true, false);
		asc_run_clean(r, machines[i]);
		asc_sched_compare(r, program, g, machines[i]);
		asc_run_free(r);
		asc_program_free(program);
		sched_report_fini(&report);
		g_ptr_array_unref(graphs);
		asc_machine_free(machine);
	}
}

#define OPERANDS                                                                                                       \
	"a: fp16[70][96] = input\nb: fp16[96][77] = input\nw: fp16[1][77] = input\nr: fp16[70][77] = input\n"          \
	"c: fp16[70][77] = matmul a, b, batches 1, block_run 96, sum 1\n"

static void operations_behind_a_product_are_part_of_its_kernel(void)
{
	one_kernel("graph \"t\"\n" OPERANDS "y: fp16[70][77] = relu c\noutput y\n");
	one_kernel("graph \"t\"\n" OPERANDS "s: fp16[70][77] = mul c, #0.125\nt: fp16[70][77] = add s, w\n"
	           "u: fp16[70][77] = relu t\ny: fp16[70][77] = add r, u\noutput y\n");
	one_kernel("graph \"t\"\n" OPERANDS "s: fp16[70][77] = relu c\nt: fp16[70][77] = sub s, w\n"
	           "u: fp16[70][77] = max t, r\ny: fp16[70][77] = sub u, #0.5\noutput y\n");
	one_kernel("graph \"t\"\na: fp16[40][32] = input\nb: fp16[64][20] = input\nr: fp16[40][20] = input\n"
	           "c: fp16[40][20] = matmul a, b, batches 2, block_run 32, sum 1\ny: fp16[40][20] = mul c, r\noutput "
	           "y\n");
}

/* Factors that fp16 does not have, products needed elsewhere, a difference to the product, another type. */
static void other_operations_are_kernels_of_their_own(void)
{
	static const char *const texts[] = {
		"graph \"t\"\n" OPERANDS "y: fp16[70][77] = mul c, #0.1\noutput y\n",
		"graph \"t\"\n" OPERANDS "y: fp16[70][77] = relu c\noutput y\noutput c\n",
		"graph \"t\"\n" OPERANDS "y: fp16[70][77] = sub r, c\noutput y\n",
		"graph \"t\"\n" OPERANDS "y: fp32[70][77] = relu c\noutput y\n",
		"graph \"t\"\n" OPERANDS "y: fp16[70][77] = mul c, c\noutput y\n",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		graph *g = parsed(texts[i]);

		CU_ASSERT_EQUAL(kernels_of(g), 2);
		graph_free(g);
	}
}

static void batches(void)
{
	on_all("bmm:3x40x50x60:fp16");
}

int main(void)
{
	static const tap_case cases[] = {
		{"one_fractal", one_fractal},
		{"one_element", one_element},
		{"whole_tiles", whole_tiles},
		{"tails_everywhere", tails_everywhere},
		{"rows_that_end_inside_a_unit", rows_that_end_inside_a_unit},
		{"several_stages_and_tiles_of_a_core", several_stages_and_tiles_of_a_core},
		{"depth_in_parts", depth_in_parts},
		{"parts_are_part_of_the_meaning", parts_are_part_of_the_meaning},
		{"operations_behind_a_product_are_part_of_its_kernel",
	         operations_behind_a_product_are_part_of_its_kernel},
		{"other_operations_are_kernels_of_their_own", other_operations_are_kernels_of_their_own},
		{"batches", batches},
	};

	return tap_run("ascend products", cases, G_N_ELEMENTS(cases));
}
