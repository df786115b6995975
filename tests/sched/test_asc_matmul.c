/* SPDX-License-Identifier: Apache-2.0
 *
 * Products on Ascend-style cores: equal to the reference to the last bit, for shapes with and without tails, on every
 * kind of machine, without a race, a flag too many or one too few.
 */
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
		{"batches", batches},
	};

	return tap_run("ascend products", cases, G_N_ELEMENTS(cases));
}
