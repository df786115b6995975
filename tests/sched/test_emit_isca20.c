/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream-style back end, end to end: what it schedules runs on the model without a violation, at the predicted
 * cycles everywhere, with the values of the graph bit for bit; and a few schedules are short enough to be derived by
 * hand.
 *
 * The machine (isa/machines/tsp-isca20.yaml): barrier 35; MEM group 0 at positions 21 and 23, group 10 at 11 and 33;
 * VXM 22, SXM 7 and 37, MXM 1 and 43; read 1, write 1, VXM entry 5 and operation 3 (12), LW 1, IW 3, ABC 13, ACC 31.
 */
#include "tests/sched/isca_chip.h"

#include <string.h>

#include "tests/lib/tap.h"

static const char *const no_settings[] = {NULL};

/* Runs WORKLOAD; true when everything agrees. */
static bool agrees(const char *workload, const char *const *settings, isca_trial *run)
{
	isa_machine *m = isca_machine(settings);
	g_autoptr(GError) error = NULL;
	bool ok = isca_try_workload(workload, m, run, &error);

	ok = ok && run->cycles == run->predicted && !run->violations && run->compared && !run->mispredicted &&
	     run->values && !run->wrong && run->checked;
	if (!ok)
		tap_note("%s: %s; cycles %" G_GINT64_FORMAT ", predicted %" G_GINT64_FORMAT "; %" G_GUINT64_FORMAT
		         " violations, %" G_GUINT64_FORMAT " mispredictions, %" G_GUINT64_FORMAT
		         " wrong bytes of %" G_GUINT64_FORMAT "\n%s",
		         workload, error ? error->message : "ran", run->cycles, run->predicted, run->violations,
		         run->mispredicted, run->wrong, run->values, run->text->str);
	isa_machine_free(m);
	return ok;
}

static void assert_agrees(const char *workload)
{
	isca_trial run;

	CU_ASSERT_TRUE(agrees(workload, no_settings, &run));
	isca_trial_fini(&run);
}

static void assert_cycles(const char *workload, int64_t cycles)
{
	isca_trial run;

	CU_ASSERT_TRUE(agrees(workload, no_settings, &run));
	CU_ASSERT_EQUAL(run.cycles, cycles);
	if (run.cycles != cycles)
		tap_note("%s: %" G_GINT64_FORMAT " cycles", workload, run.cycles);
	isca_trial_fini(&run);
}

static void assert_text_agrees(const char *text)
{
	const char *const texts[] = {text, NULL};
	isa_machine *m = isca_machine(NULL);
	g_autoptr(GError) error = NULL;
	isca_trial run;
	bool ok = isca_try_texts(texts, m, &run, &error);

	ok = ok && run.cycles == run.predicted && !run.violations && !run.mispredicted && run.values && !run.wrong &&
	     run.checked;
	CU_ASSERT_TRUE(ok);
	if (!ok)
		tap_note("%s\n%s", error ? error->message : "ran", run.text->str);
	isca_trial_fini(&run);
	isa_machine_free(m);
}

static const unsigned sizes[] = {1, 2, 31, 32, 33, 159, 160, 161, 319, 320, 321, 640, 1024};

/* PATTERN with its %u replaced by each size. */
static void assert_sizes_agree(const char *pattern, unsigned most)
{
	static unsigned turn;

	for (unsigned i = 0; i < G_N_ELEMENTS(sizes) && sizes[i] <= most; i++) {
		if (!tap_part(turn++, 3))
			continue;
		g_autofree char *size = g_strdup_printf("%u", sizes[i]);
		g_auto(GStrv) parts = g_strsplit(pattern, "%u", -1);
		g_autofree char *workload = g_strjoinv(size, parts);

		assert_agrees(workload);
	}
}

/* ------------------------------------------------------------------------------------------------- by hand */

static void copy_of_one_vector_takes_the_barrier_and_twelve_cycles(void)
{
	/* READ at 35 beside the VXM, on the stream at 36, at the VXM 37, at the ALU 42, due 45, one hop to the slice on
	 * the other side 46, readable 47. */
	assert_cycles("vmap:copy,320:int8", 47);
}

static void transcendental_operation_takes_nine_cycles_more(void)
{
	/* 12 - 3 */
	assert_cycles("vmap:exp,320:fp16", 47 + 9);
}

static void smallest_product_passes_all_latencies_once(void)
{
	/* Weights: READ at 35 in group 10, on the stream 36, ten hops to the MXM 46, in the shadow buffer 47.  IW at
	 * 47, active 50: ABC at 50, in the row 63, ACC at 63, due 94.  One K block of int8 needs no ALU: twenty hops to
	 * group 0 make 114, readable 115. */
	assert_cycles("gemm:1x1x1:int8", 115);
}

static void fp16_product_is_converted_on_its_way(void)
{
	/* As above to 94; 21 hops to the VXM 115, ALU 120, due 123, one hop 124, readable 125. */
	assert_cycles("gemm:1x1x1:fp16", 125);
}

static void rows_of_a_product_follow_each_other_every_interval(void)
{
	/* 320 rows, one K block, one column block: each plane takes 80 rows.  In each hemisphere activations have the
	 * two outermost slices and weights the sixteen beside them, the nearest of which is in group 6, position 15:
	 * READ at 35, on the stream 36, fourteen hops to the MXM 50.  The two planes load one after the other, 50 to 69
	 * and 70 to 89; the last row of weights is there at 90: IW 90, ABC 93 to 172, the last sum emerges at 172 + 13
	 * + 31 = 216.  Results of the second plane go to the second four slices, group 1 at position 20: nineteen hops,
	 * 235, readable 236. */
	assert_cycles("gemm:320x320x320:int8", 236);
}

/* --------------------------------------------------------------------------------------------------- targets */

/* [2304 x 4096] x [4096 x n]: at least 80 % of the peak, at most 3 % above 2304 * ceil(4096/320) * ceil(n/320) / 4
 * cycles, times four for fp16. */
static void products_reach_the_quantisation_bound(void)
{
	static const unsigned columns[] = {1376, 1600, 1601, 1920, 2240, 3200, 3500};
	isa_machine *m = isca_machine(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
		for (unsigned half = 0; half < 2; half++) {
			g_autofree char *workload =
				g_strdup_printf("gemm:2304x%ux4096:%s", columns[i], half ? "fp16" : "int8");
			double bound = 2304.0 * 13 * ((columns[i] + 319) / 320) / 4 * (half ? 4 : 1);
			double peak = half ? 102400.0 : 409600.0;
			sched_report report = {0};
			isa_program *p = isca_compile(workload, m, &report, NULL);
			double cycles;

			CU_ASSERT_PTR_NOT_NULL_FATAL(p);
			cycles = (double)p->predicted_cycles;
			CU_ASSERT_TRUE(cycles <= 1.03 * bound);
			CU_ASSERT_TRUE(2304.0 * 4096 * columns[i] >= 0.80 * peak * cycles);
			isa_program_free(p);
			sched_report_fini(&report);
		}
	isa_machine_free(m);
}

static void large_product_runs_without_a_violation(void)
{
	isca_trial run;

	CU_ASSERT_TRUE(agrees("gemm:576x640x1000:int8", no_settings, &run));
	/* The model counts whole K blocks and lanes that were named: all of them useful here. */
	CU_ASSERT_EQUAL(run.macs, UINT64_C(576) * 640 * 1000);
	/* 576 * 640 * 1000 MACs in 576 * 4 * 2 blocks of 320 * 320. */
	CU_ASSERT_DOUBLE_EQUAL(run.ceiling, 1000.0 / 1280, 1e-12);
	isca_trial_fini(&run);
}

/* ----------------------------------------------------------------------------------------------------- sizes */

static void vector_maps_of_all_sizes_agree(void)
{
	assert_sizes_agree("vmap:relu,%u:int8", 1024);
	assert_sizes_agree("vmap:sub,%u:fp32", 1024);
	assert_agrees("vmap:add,100000:int8");
	assert_agrees("vmap:cvt,33333:int16");
	assert_agrees("vmap:mul,50000:fp16");
	assert_agrees("vmap:shl,9999:int32");
}

static void softmax_of_all_sizes_agrees(void)
{
	assert_sizes_agree("softmax:%ux7", 1024);
	assert_sizes_agree("softmax:5x%u:fp32", 1024);
	assert_agrees("softmax:400x300");
}

static void layernorm_of_all_sizes_agrees(void)
{
	assert_sizes_agree("layernorm:%ux3", 1024);
	assert_sizes_agree("layernorm:3x%u:fp32", 640);
}

static void products_of_all_sizes_agree(void)
{
	assert_sizes_agree("gemm:%ux5x33:int8", 640);
	assert_sizes_agree("gemm:33x%ux7", 640);
	assert_sizes_agree("gemm:3x5x%u", 1024);
	assert_sizes_agree("gemm:%ux%ux%u:int8", 321);
	assert_sizes_agree("gemm:%ux%ux%u", 321);
}

static void k_blocks_left_over_are_added_in_order(void)
{
	/* 1, 2, 3, 4, 5, 7 K blocks: chains over planes, halves and quarters of the rows, and with few rows short
	 * chains. */
	static const unsigned k[] = {320, 640, 960, 1280, 1600, 2240};

	for (unsigned i = 0; i < G_N_ELEMENTS(k); i++) {
		g_autofree char *wide = g_strdup_printf("gemm:230x40x%u", k[i]);
		g_autofree char *narrow = g_strdup_printf("gemm:230x40x%u:int8", k[i]);
		g_autofree char *few = g_strdup_printf("gemm:9x330x%u", k[i]);

		assert_agrees(wide);
		assert_agrees(narrow);
		assert_agrees(few);
	}
}

static void batches_agree(void)
{
	assert_agrees("bmm:2x10x10x10:int8");
	assert_agrees("bmm:5x33x40x50");
	assert_agrees("bmm:3x300x40x700");
	assert_agrees("bmm:17x30x400x70:int8");
	assert_agrees("bmm:40x64x64x64:int8");
}

static void rows_beyond_a_tile_agree(void)
{
	assert_agrees("gemm:2600x20x400:int8");
}

static void convolutions_agree(void)
{
	assert_agrees("conv:1x64x14x14,32x3x3,pad=1");
	assert_agrees("conv:1x3x16x16,16x7x7,stride=2,pad=3:int8");
	assert_agrees("conv:2x16x9x11,24x3x3,pad=1,groups=2");
	assert_agrees("conv:1x700x5x5,40x3x3:int8");
	assert_agrees("conv:3x5x6x7,4x5x3,stride=3x2,pad=2");
	assert_agrees("conv:1x8x12x12,8x3x3,pad=1,groups=8");
	/* Taps so far apart that blocks of them share no words. */
	assert_agrees("conv:1x2x3x1000,7x2x400,stride=2x30:int8");
}

static void transpositions_of_all_sizes_agree(void)
{
	assert_sizes_agree("transpose:%ux17:int8", 640);
	assert_sizes_agree("transpose:33x%u", 640);
	assert_sizes_agree("transpose:%ux%u:fp32", 321);
}

static void fft_of_all_sizes_agrees(void)
{
	for (unsigned n = 2; n <= 8192; n *= 2) {
		g_autofree char *half = g_strdup_printf("fft:%u", n);
		g_autofree char *full = g_strdup_printf("fft:%u:fp32", n);

		assert_agrees(half);
		assert_agrees(full);
	}
}

static void attention_agrees(void)
{
	assert_agrees("attention:1x2x128x64");
	assert_agrees("attention:1x3x33x20:int8");
	assert_agrees("attention:2x5x40x400");
	assert_agrees("attention:1x1x1x1:int8");
}

/* -------------------------------------------------------------------------------------------------- graphs */

static void overlapping_rows_of_one_tensor_agree(void)
{
	/* No digit of the row number keeps rows i, i + 1 and i + 33 apart: the loop is cut until each part uses one of
	 * them. */
	assert_text_agrees("graph \"stencil\"\n"
	                   "x: fp32[100][50] = input\n"
	                   "a: fp32[60][50] = rows x, first 0, groups 1, pitch 0, step 1\n"
	                   "b: fp32[60][50] = rows x, first 1, groups 1, pitch 0, step 1\n"
	                   "c: fp32[60][50] = rows x, first 33, groups 1, pitch 0, step 1\n"
	                   "s: fp32[60][50] = add a, b\n"
	                   "t: fp32[60][50] = add s, c\n"
	                   "output t\n");
	assert_text_agrees("graph \"double\"\n"
	                   "x: fp16[100][700] = input\n"
	                   "a: fp16[50][700] = rows x, first 0, groups 1, pitch 0, step 1\n"
	                   "b: fp16[50][700] = rows x, first 0, groups 1, pitch 0, step 2\n"
	                   "s: fp16[50][700] = mul a, b\n"
	                   "output s\n");
}

static void values_that_wait_for_others_agree(void)
{
	assert_text_agrees("graph \"gelu\"\n"
	                   "x: fp32[40][330] = input\n"
	                   "x2: fp32[40][330] = mul x, x\n"
	                   "x3: fp32[40][330] = mul x2, x\n"
	                   "u: fp32[40][330] = mul x3, #0.044715\n"
	                   "v: fp32[40][330] = add u, x\n"
	                   "w: fp32[40][330] = mul v, #0.79788456\n"
	                   "t: fp32[40][330] = tanh w\n"
	                   "o: fp32[40][330] = add t, #1\n"
	                   "h: fp32[40][330] = mul x, #0.5\n"
	                   "y: fp32[40][330] = mul h, o\n"
	                   "output y\n");
}

static void products_of_computed_operands_agree(void)
{
	assert_text_agrees("graph \"chain\"\n"
	                   "a: int8[50][700] = input\n"
	                   "b: int8[700][400] = input\n"
	                   "c: int32[50][400] = matmul a, b, batches 1, block_run 320, sum 160\n"
	                   "d: int32[50][400] = shr c, #6\n"
	                   "e: int8[50][400] = cvt d\n"
	                   "w: int8[400][33] = input\n"
	                   "f: int32[50][33] = matmul e, w, batches 1, block_run 320, sum 160\n"
	                   "g: int32[33][50] = transpose f\n"
	                   "output g\n"
	                   "output e\n");
	assert_text_agrees("graph \"mix\"\n"
	                   "a: fp16[50][70] = input\n"
	                   "b: fp16[70][40] = input\n"
	                   "c: fp16[50][40] = matmul a, b, batches 1, block_run 320, sum 160\n"
	                   "d: fp16[40][50] = transpose c\n"
	                   "e: fp32[40][50] = exp d\n"
	                   "m: fp32[1][50] = reduce add e, groups 1\n"
	                   "q: fp32[40][50] = mul e, m\n"
	                   "h: fp16[40][50] = cvt q\n"
	                   "f: fp16[40][40] = matmul h, c, batches 1, block_run 320, sum 160\n"
	                   "g: fp16[40][40] = matmul f, f, batches 1, block_run 320, sum 160\n"
	                   "i: fp16[40][40] = transpose g\n"
	                   "j: fp16[40][40] = add i, f\n"
	                   "output j\n"
	                   "output m\n");
}

static void joined_rows_agree(void)
{
	assert_text_agrees("graph \"join\"\n"
	                   "x: fp32[64][50] = input\n"
	                   "a: fp32[16][50] = rows x, first 0, groups 4, pitch 16, step 1\n"
	                   "b: fp32[16][50] = rows x, first 4, groups 4, pitch 16, step 1\n"
	                   "c: fp32[16][50] = rows x, first 8, groups 4, pitch 16, step 1\n"
	                   "d: fp32[16][50] = rows x, first 12, groups 4, pitch 16, step 1\n"
	                   "p: fp32[16][50] = add a, c\n"
	                   "q: fp32[16][50] = sub b, d\n"
	                   "r: fp32[32][50] = join p, q, groups 4\n"
	                   "s: fp32[32][50] = join q, p, groups 2\n"
	                   "t: fp32[32][50] = mul r, s\n"
	                   "output t\n"
	                   "output r\n");
}

static void layers_follow_each_other(void)
{
	static const char *const texts[] = {"graph \"first\"\n"
	                                    "x: fp16[10][20] = input\n"
	                                    "y: fp16[10][20] = relu x\n"
	                                    "output y\n",
	                                    "graph \"second\"\n"
	                                    "x: fp16[10][20] = input\n"
	                                    "w: fp16[20][30] = input\n"
	                                    "y: fp16[10][30] = matmul x, w, batches 1, block_run 320, sum 160\n"
	                                    "output y\n",
	                                    NULL};
	isa_machine *m = isca_machine(NULL);
	isca_trial run;

	CU_ASSERT_TRUE(isca_try_texts(texts, m, &run, NULL));
	CU_ASSERT_EQUAL(run.cycles, run.predicted);
	CU_ASSERT_EQUAL(run.violations, 0);
	CU_ASSERT_EQUAL(run.mispredicted, 0);
	CU_ASSERT_EQUAL(run.wrong, 0);
	/* 10*20 and 10*30 elements of two bytes */
	CU_ASSERT_EQUAL(run.values, 2 * (10 * 20 + 10 * 30));
	isca_trial_fini(&run);
	isa_machine_free(m);
}

/* ------------------------------------------------------------------------------------------------- machines */

static void other_machines_agree(void)
{
	static const char *const machines[][3] = {
		{"vxm.entry_cycles=0"},
		{"vxm.op_cycles=4"},
		{"vxm.transcendental_cycles=13"},
		{"vxm.skew_cycles=3", "mem.skew_cycles=2"},
		{"mxm.skew_cycles=3", "sxm.skew_cycles=2"},
		{"mem.read_cycles=3", "mem.write_cycles=4"},
		{"mem.gather_cycles=5", "sxm.permute_cycles=9"},
		{"mxm.lw_cycles=5", "mxm.iw_cycles=1"},
		{"mxm.int8_interval_cycles=3", "mxm.fp16_interval_cycles=1"},
		{"mxm.weight_bytes_per_cycle=2304"},
		{"mxm.rows=160"},
		{"streams.hop_cycles=2"},
		{"streams.per_direction=16"},
		{"vxm.ops_per_cycle=2"},
		{"icu.queue_words=0"},
		{"icu.queue_words=40", "icu.ifetch_words=20"},
		{"icu.barrier_cycles=0"},
		{"mem.words_per_bank=512"},
		{"lanes=160", "mxm.rows=160"},
		{"sxm.queues=1,1,2,1,1,1"},
	};
	static const char *const workloads[] = {"softmax:40x20", "gemm:50x330x700", "gemm:50x330x700:int8",
	                                        "transpose:50x333"};

	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++)
		for (unsigned w = 0; w < G_N_ELEMENTS(workloads); w++) {
			if (!tap_part(i + w, 2))
				continue;
			const char *const settings[] = {machines[i][0], machines[i][1], NULL};
			isca_trial run;

			CU_ASSERT_TRUE(agrees(workloads[w], settings, &run));
			isca_trial_fini(&run);
		}
}

static void assert_refused(const char *workload, const char *const *settings, const char *words)
{
	isa_machine *m = isca_machine(settings);
	g_autoptr(GError) error = NULL;
	sched_report report = {0};
	isa_program *p = isca_compile(workload, m, &report, &error);

	CU_ASSERT_PTR_NULL(p);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, words));
	if (!strstr(error->message, words))
		tap_note("%s", error->message);
	sched_report_fini(&report);
	isa_machine_free(m);
}

static void layer_beyond_the_capacity_is_refused_with_figures(void)
{
	/* 120e6 bytes each of x and of z; 88 * 8192 words of 320 bytes. */
	assert_refused(
		"vmap:neg,120000000:int8", NULL,
		"'vmap:neg,120000000:int8' does not fit into SRAM: its operands and results have 240000000 bytes, "
		"capacity 230686720 bytes");
	/* x and y have 400,000 rows of one fp16 element, which is two words each; w is one row. */
	assert_refused(
		"gemm:400000x1x1", NULL,
		"'gemm:400000x1x1' does not fit into SRAM: 1600002 bytes take 512000640 in whole vectors (1600002 "
		"words of 320 bytes), capacity 230686720 bytes");
}

static void every_layer_is_looked_at_before_the_first_is_scheduled(void)
{
	isa_machine *m = isca_machine(NULL);
	GPtrArray *graphs = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	sched_options options;
	sched_report report;

	sched_options_init(&options);
	for (unsigned i = 0; i < 2; i++) {
		graph *g = graph_new(i ? "large" : "small");

		/* 2^30 bytes in, as many out. */
		graph_mark_output(g, graph_unary(g, "y", ISA_OP_NEG, ISA_TYPE_I8,
		                                 graph_input(g, "x", ISA_TYPE_I8, 1, i ? 1 << 30 : 1)));
		g_ptr_array_add(graphs, g);
	}
	CU_ASSERT_PTR_NULL(sched_compile(graphs, m, &options, &report, &error));
	CU_ASSERT_STRING_EQUAL(error->message,
	                       "layer 'large' does not fit into SRAM: its operands and results have 2147483648 "
	                       "bytes, capacity 230686720 bytes");
	CU_ASSERT_EQUAL(report.macro_ops, 0);
	sched_report_fini(&report);
	g_ptr_array_foreach(graphs, (GFunc)(void (*)(void))graph_free, NULL);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
}

static void product_of_longer_blocks_is_refused(void)
{
	static const struct {
		const char *block, *words; /* NULL: fine */
	} cases[] = {
		{"block_run 400, sum 160", "more rows than a vector has lanes"},
		/* One sum a block, here and there. */
		{"block_run 100, sum 320", NULL},
	};
	isa_machine *m = isca_machine(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf("graph \"product\"\n"
		                                        "a: fp16[10][700] = input\n"
		                                        "b: fp16[700][20] = input\n"
		                                        "c: fp16[10][20] = matmul a, b, batches 1, %s\n"
		                                        "output c\n",
		                                        cases[i].block);
		const char *const texts[] = {text, NULL};
		g_autoptr(GError) error = NULL;
		isca_trial run;

		CU_ASSERT_EQUAL(isca_try_texts(texts, m, &run, &error), cases[i].words == NULL);
		if (cases[i].words)
			CU_ASSERT_TRUE(error && strstr(error->message, cases[i].words));
		CU_ASSERT_EQUAL(run.wrong + run.violations + run.mispredicted, 0);
		isca_trial_fini(&run);
	}
	isa_machine_free(m);
}

static void machine_that_cannot_do_it_is_refused(void)
{
	assert_refused("gemm:10x10x10", (const char *const[]){"vxm.ops_per_cycle=1", NULL}, "takes two ALUs");
	assert_refused("gemm:10x10x10", (const char *const[]){"mxm.weight_bytes_per_cycle=320", NULL},
	               "mxm.weight_bytes_per_cycle");
	assert_refused("vmap:neg,10", (const char *const[]){"floorplan.mxm=16,43", NULL}, "floorplan");
	assert_refused("fft:64", (const char *const[]){"sxm.queues=2,2,0,2,2,2", NULL},
	               "sxm.queues has no permute queue");
	assert_refused("transpose:9x7", (const char *const[]){"sxm.queues=2,2,2,2,2,0", NULL},
	               "sxm.queues has no transpose queue");
	assert_refused("transpose:9x7", (const char *const[]){"streams.per_direction=8", NULL},
	               "streams.per_direction 8");
}

static void report_says_what_binds_and_where_bytes_go(void)
{
	isa_machine *m = isca_machine(NULL);
	sched_report report = {0};
	isa_program *p = isca_compile("gemm:2304x1376x4096:int8", m, &report, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	/* 5 column blocks of 3 * 2304 + 576 rows on each plane, at one row a cycle */
	CU_ASSERT_PTR_NOT_NULL(strstr(report.binds, "MXM, activations: taken for 37,440 of "));
	CU_ASSERT_PTR_NOT_NULL(strstr(report.notes->str, "weights "));
	CU_ASSERT_PTR_NOT_NULL(strstr(report.notes->str, "partial sums "));
	CU_ASSERT_EQUAL(report.macro_ops, 1);
	isa_program_free(p);
	sched_report_fini(&report);
	isa_machine_free(m);
}

static void same_input_gives_the_same_program(void)
{
	isa_machine *m = isca_machine(NULL);
	g_autofree char *hash[2] = {NULL, NULL};

	for (unsigned i = 0; i < 2; i++) {
		sched_report report = {0};
		isa_program *p = isca_compile("attention:1x2x40x50", m, &report, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		hash[i] = isa_program_hash(p);
		isa_program_free(p);
		sched_report_fini(&report);
	}
	CU_ASSERT_STRING_EQUAL(hash[0], hash[1]);
	g_free(hash[1]);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(name) {#name, name}
		CASE(copy_of_one_vector_takes_the_barrier_and_twelve_cycles),
		CASE(transcendental_operation_takes_nine_cycles_more),
		CASE(smallest_product_passes_all_latencies_once),
		CASE(fp16_product_is_converted_on_its_way),
		CASE(rows_of_a_product_follow_each_other_every_interval),
		CASE(products_reach_the_quantisation_bound),
		CASE(large_product_runs_without_a_violation),
		CASE(vector_maps_of_all_sizes_agree),
		CASE(softmax_of_all_sizes_agrees),
		CASE(layernorm_of_all_sizes_agrees),
		CASE(products_of_all_sizes_agree),
		CASE(k_blocks_left_over_are_added_in_order),
		CASE(batches_agree),
		CASE(rows_beyond_a_tile_agree),
		CASE(convolutions_agree),
		CASE(transpositions_of_all_sizes_agree),
		CASE(fft_of_all_sizes_agrees),
		CASE(attention_agrees),
		CASE(overlapping_rows_of_one_tensor_agree),
		CASE(values_that_wait_for_others_agree),
		CASE(products_of_computed_operands_agree),
		CASE(joined_rows_agree),
		CASE(layers_follow_each_other),
		CASE(other_machines_agree),
		CASE(layer_beyond_the_capacity_is_refused_with_figures),
		CASE(every_layer_is_looked_at_before_the_first_is_scheduled),
		CASE(product_of_longer_blocks_is_refused),
		CASE(machine_that_cannot_do_it_is_refused),
		CASE(report_says_what_binds_and_where_bytes_go),
		CASE(same_input_gives_the_same_program),
	};

	return tap_run("emit_isca20", cases, G_N_ELEMENTS(cases));
}
