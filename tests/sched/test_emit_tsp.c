/* SPDX-License-Identifier: Apache-2.0
 *
 * The register-style back end, end to end: what it compiles runs without a violation, exactly as predicted, and gives
 * the reference's values bit for bit; for all generators at the sizes around the machine's, for all bank maps, and for
 * machines with other latencies, widths and counts.  A few lengths are derived by hand.
 */
#include "tests/sched/replay.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/tap.h"

static void run_clean(const char *workload, const isa_machine *m, enum replay_judge judge)
{
	replay r;
	GError *error = NULL;
	bool ran = replay_workload(workload, m, true, judge, &r, &error);

	if (!ran || !replay_is_clean(&r) || !r.values)
		tap_note("%s: %s%s", workload, ran ? "" : error->message, r.text->str);
	CU_ASSERT_TRUE(ran);
	CU_ASSERT_TRUE(ran && replay_is_clean(&r) && r.values > 0);
	g_clear_error(&error);
	replay_fini(&r);
}

static int64_t cycles_of(const char *workload, const char *const *settings)
{
	isa_machine *m = replay_machine("tsp", settings);
	replay r;
	int64_t cycles = -1;

	if (replay_workload(workload, m, true, REPLAY_CHIP, &r, NULL) && replay_is_clean(&r))
		cycles = r.cycles;
	replay_fini(&r);
	isa_machine_free(m);
	return cycles;
}

/* ------------------------------------------------------------------------------------------- derived by hand */

/* Load at 0, due at 4 (sram.latency_cycles); negated by 7 (vxm.op_cycles 3); stored, readable at 11. */
static void one_vector_takes_load_operation_and_store(void)
{
	CU_ASSERT_EQUAL(cycles_of("vmap:neg,320", NULL), 4 + 3 + 4);
}

/* As above, with mem.skew_cycles 2 before each sampling: 2 + 4, + 3; the store issues two cycles earlier; + 4. */
static void skew_delays_the_first_load_only(void)
{
	static const char *const settings[] = {"mem.skew_cycles=2", NULL};

	CU_ASSERT_EQUAL(cycles_of("vmap:neg,320", settings), 2 + 4 + 3 + 4);
}

/* Two accesses a vector, and four queues: where no banks meet, four loads or four stores a cycle.  100 vectors are
 * loaded in cycles 0 to 24 and stored in 25 to 49; + 4. */
static void a_loop_keeps_all_queues_busy(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};

	CU_ASSERT_EQUAL(cycles_of("vmap:neg,32000", settings), 2 * 25 - 1 + 4);
}

/* Three accesses of 40 blocks meet in no bank of 139; so 99 vectors take 66 cycles at least, and the last
 * a few more. */
static void a_loop_fills_the_banks(void)
{
	int64_t cycles = cycles_of("vmap:neg,32000", NULL);

	CU_ASSERT_TRUE(cycles >= 2 * 33 + 4 && cycles <= 80);
}

/* Weights: load 0..4, LW 5 (lw 1), IW 8 (iw 3); row: ABC sampled at 8, accumulated at 21 (abc 13), read out at 55 (acc
 * 34), converted at 58, stored at 62. */
static void the_smallest_product_goes_through_all_stages(void)
{
	CU_ASSERT_EQUAL(cycles_of("gemm:1x1x1", NULL), 4 + 1 + 3 + 13 + 34 + 3 + 4);
	CU_ASSERT_EQUAL(cycles_of("gemm:1x1x1:int8", NULL), 4 + 1 + 3 + 13 + 34 + 4);
}

/* Two columns of 320 int32 results, 80 banks each, of which 139 hold no two: one store a cycle.  Rows of both halves of
 * M are loaded from 19 on: weights 0..15 are there at 4..19, installed at 20 and active at 23, and a row's load
 * takes 4. Row 0 is accumulated at 36 and read out at 70.  Rows move through the banks by 20 a cycle and so do results
 * (40 a row, 20 from column to column), so one place that fits does to the end.  600 rows: at t the halves' loads are
 * in banks 20(t - 19) and 20(t - 19) + 300 * 20, that is at 70 in 47 and 70, at 71 in 67 and 90, at 72 in 87 and 110.
 * Results begin in block 600 * 20 + 2 * 16 * 20 = 12640 (bank 130) and cover banks 130..70: 72 is the first free cycle.
 * 640 rows: banks 47 and 53 at 70, results from 640 * 20 + 640 = 13440 (96) cover 96..36: 70.  A store takes 4. */
static void wide_results_leave_one_a_cycle_beside_the_rows(void)
{
	CU_ASSERT_EQUAL(cycles_of("gemm:600x640x16:int8", NULL), 72 + 600 * 2 - 1 + 4);
	CU_ASSERT_EQUAL(cycles_of("gemm:640x640x16:int8", NULL), 70 + 640 * 2 - 1 + 4);
}

/* Rows of weights reach the planes one a cycle from 4 on, the last at 323, is in the buffer at 324 and active at 327;
 * the first row is accumulated at 340 and read out at 374.  Two planes' results, every other cycle each, go out
 * together on ideal banks; both halves of the 640 rows at once. */
static void weights_of_single_planes_come_one_a_cycle(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};

	CU_ASSERT_EQUAL(cycles_of("gemm:640x640x320:int8", settings), 374 + 2 * 320 - 1 + 4);
}

/* A further row every two cycles (mxm.fp16_interval_cycles), two pairs at work on half the rows each, where no
 * banks meet. */
static void rows_follow_at_the_interval(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};
	int64_t few = cycles_of("gemm:400x320x320", settings), many = cycles_of("gemm:600x320x320", settings);

	CU_ASSERT_EQUAL(many - few, 2 * 200 / 2);
}

/* 1024 x 1024 x 512: 4 column blocks x 2 K blocks x 1024 rows x 2 cycles / 2 pairs = 8,192; 3 % more is the limit.
 * 512 x 1024 of (2 x 320) x (4 x 320) are useful: 64 %. */
static void the_default_product_is_bound_by_the_matrix_unit(void)
{
	isa_machine *m = replay_machine("tsp", NULL);
	replay r;

	CU_ASSERT_TRUE(replay_workload("gemm:1024x1024x512", m, false, REPLAY_CHIP, &r, NULL));
	CU_ASSERT_TRUE(replay_is_clean(&r));
	CU_ASSERT_TRUE(r.cycles >= 8192 && r.cycles <= 8192 * 103 / 100);
	CU_ASSERT_EQUAL(r.mxm_ceiling, 0.64);
	CU_ASSERT_TRUE(r.instructions < 1000);
	CU_ASSERT_TRUE(g_str_has_prefix(r.report.binds, "MXM: 8,192 of 8,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(r.report.notes->str, "activations"));
	CU_ASSERT_EQUAL(r.report.macro_ops, 1);
	replay_fini(&r);
	isa_machine_free(m);
}

/* 56 x 56 outputs, K in three blocks (rows of 3 x 64), one column block: 3136 x 3 x 2 / 2 = 9,408 cycles. */
static void a_convolution_keeps_both_pairs_busy(void)
{
	int64_t cycles = cycles_of("conv:1x64x56x56,64x3x3,pad=1", NULL);

	CU_ASSERT_TRUE(cycles >= 9408 && cycles <= 9408 * 103 / 100);
}

/* 116 million MACs in a few hundred instructions. */
static void programs_are_loops(void)
{
	isa_machine *m = replay_machine("tsp", NULL);
	sched_report report;
	isa_program *p = replay_compile("conv:1x64x56x56,64x3x3,pad=1", m, false, &report, NULL, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(g_array_index(p->epochs, isa_epoch, 0).macs, UINT64_C(3136) * 576 * 64);
	CU_ASSERT_TRUE(p->insns->len < 1000);
	isa_program_free(p);
	sched_report_fini(&report);
	isa_machine_free(m);
}

/* -------------------------------------------------------------------------------------------------- everything */

static const char *const small[] = {
	"vmap:add,1",
	"vmap:add,31",
	"vmap:mul,333:int8",
	"vmap:exp,6400:fp32",
	"vmap:neg,5000:int32",
	"softmax:1x1",
	"softmax:33x161",
	"softmax:20x321:fp32",
	"layernorm:1x320",
	"layernorm:33x160",
	"layernorm:5x159:fp32",
	"transpose:1x1",
	"transpose:321x33",
	"transpose:33x319:fp32",
	"transpose:64x64:int8",
	"fft:2",
	"fft:32",
	"fft:64:fp32",
	"fft:512",
	"gemm:1x1x1",
	"gemm:2x1x33:int8",
	"gemm:31x33x32",
	"gemm:160x161x159",
	"gemm:33x321x320",
	"gemm:32x319x321:int8",
	"gemm:1x640x640",
	"gemm:161x31x640:int8",
	"bmm:3x32x33x31",
	"bmm:2x33x64x321:int8",
	"conv:1x3x9x9,8x3x3,pad=1",
	"conv:2x16x8x8,33x3x3,pad=1,stride=2",
	"conv:1x32x7x7,16x1x1:int8",
	"conv:1x6x9x9,6x3x3,groups=3,pad=1",
	"conv:1x3x20x20,5x7x7,stride=2,pad=3:int8",
	"conv:1x330x4x4,5x3x3",
	"attention:1x1x1x1",
	"attention:1x2x33x32",
	"attention:1x1x64x33:int8",
	"flash:1x2x33x32,tile=16",
};

/* Every OFth of the workloads, from the FIRST on. */
static void run_some(const char *const *settings, enum replay_judge judge, unsigned first, unsigned of)
{
	isa_machine *m = replay_machine("tsp", settings);

	for (size_t i = 0; i < G_N_ELEMENTS(small); i++)
		if (tap_part((unsigned)i + first, of))
			run_clean(small[i], m, judge);
	isa_machine_free(m);
}

static void run_all(const char *const *settings, enum replay_judge judge)
{
	run_some(settings, judge, 0, 1);
}

static void all_generators_run_as_predicted(void)
{
	run_all(NULL, REPLAY_CHIP);
}

static void the_oracle_agrees(void)
{
	run_all(NULL, REPLAY_ORACLE);
}

/* 1, 2, 31, 32, 33, 159, 160, 161, 319, 320, 321, 640, 1024 as rows, columns and depth. */
static void sizes_around_the_machines_own_work(void)
{
	static const unsigned sizes[] = {1, 2, 31, 32, 33, 159, 160, 161, 319, 320, 321, 640, 1024};
	isa_machine *m = replay_machine("tsp", NULL);
	unsigned turn = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		unsigned n = sizes[i], other = sizes[(i * 5 + 3) % G_N_ELEMENTS(sizes)];
		const char *const forms[] = {"gemm:%ux5x33", "gemm:7x%ux40:int8", "gemm:9x34x%u",
		                             "softmax:%ux9", "layernorm:6x%u",    "transpose:%ux11",
		                             "vmap:add,%u",  "vmap:relu,%u:int8", "attention:1x1x%ux8"};

		for (size_t f = 0; f < G_N_ELEMENTS(forms); f++) {
			if (!tap_part(turn++, 4))
				continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			g_autofree char *workload = g_strdup_printf(forms[f], f == 8 ? MIN(n, 161) : n);
#pragma GCC diagnostic pop

			run_clean(workload, m, REPLAY_CHIP);
		}
		if (n * other < 100000) {
			g_autofree char *workload = g_strdup_printf("transpose:%ux%u:fp32", n, other);

			run_clean(workload, m, REPLAY_CHIP);
		}
	}
	isa_machine_free(m);
}

static void every_bank_map_works(void)
{
	static const char *const maps[] = {"sram.map=mod:144",    "sram.map=mod:41",    "sram.map=mod:1",
	                                   "sram.map=skew:144,5", "sram.map=xorfold:7", "sram.map=swizzle:5,2,7",
	                                   "sram.map=poly:0x83",  "sram.map=ideal"};

	for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
		const char *settings[] = {maps[i], NULL};

		run_some(settings, REPLAY_CHIP, (unsigned)i, 3);
	}
}

static void other_machines_work(void)
{
	static const char *const machines[][4] = {
		{"sram.latency_cycles=5"},
		{"sram.ports=2"},
		{"sram.block_bytes=320", "sram.port_bytes=320", "sram.rows=5000"},
		{"sram.block_bytes=32", "sram.rows=50000"},
		{"sram.issue_per_cycle=1"},
		{"sram.issue_per_cycle=3"},
		{"sram.issue_per_cycle=16"},
		{"vreg.count=48"},
		{"vreg.read_ports=4", "vreg.write_ports=2"},
		{"vxm.ops_per_cycle=1"},
		{"vxm.op_cycles=4", "vxm.transcendental_cycles=13", "vxm.entry_cycles=2"},
		{"mem.skew_cycles=2", "vxm.skew_cycles=1", "mxm.skew_cycles=3"},
		{"sxm.skew_cycles=1", "sxm.permute_cycles=5", "sxm.distribute_cycles=3"},
		{"mxm.planes=2"},
		{"mxm.rows=319"},
		{"mxm.rows=160", "mxm.fp16_sum_rows=159"},
		{"mxm.int8_interval_cycles=2", "mxm.fp16_interval_cycles=3"},
		{"mxm.fp16_interval_cycles=1"},
		{"mxm.weight_bytes_per_cycle=640"},
		{"mxm.acc_rows=1"},
		{"mxm.acc_rows=7", "mxm.iw_cycles=1", "mxm.lw_cycles=3"},
		{"mxm.abc_cycles=1", "mxm.acc_cycles=1"},
		{"icu.barrier_cycles=35"},
		{"icu.queue_words=64", "icu.ifetch_words=16"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(machines); i++)
		run_some(machines[i], REPLAY_CHIP, (unsigned)i, 4);
}

/* ------------------------------------------------------------------------------------------------------ memory */

/* 8192 x 4096 + 4096 x 8192 + 8192 x 8192 fp16 = 256 MiB; the map reaches 139 x 1,600,000 = 222,400,000 bytes. */
static void what_does_not_fit_is_refused_by_name(void)
{
	isa_machine *m = replay_machine("tsp", NULL);
	sched_report report = {0};
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(replay_compile("gemm:8192x8192x4096", m, false, &report, NULL, &error));
	CU_ASSERT_TRUE_FATAL(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "gemm:8192x8192x4096"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "268435456"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "mod:139"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "222400000"));
	sched_report_fini(&report);
	isa_machine_free(m);
}

/* With 139 banks of R rows of 16 bytes: from roomy to what fits only where dead values lay (softmax:64x300 has 64 x 300
 * x 2 bytes in and out and 4 bytes an element between: at least 76,800 + 76,800; 70 rows reach 155,680). */
static void tight_memories_still_give_the_right_values(void)
{
	static const char *const rows[] = {"sram.rows=1000", "sram.rows=120", "sram.rows=90", "sram.rows=75"};
	unsigned ran = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const char *settings[] = {rows[i], NULL};
		isa_machine *m = replay_machine("tsp", settings);
		replay r;

		if (replay_workload("softmax:64x300", m, true, REPLAY_CHIP, &r, NULL)) {
			CU_ASSERT_TRUE(replay_is_clean(&r));
			ran++;
		}
		replay_fini(&r);
		isa_machine_free(m);
	}
	CU_ASSERT_TRUE(ran >= 2);
}

/* ------------------------------------------------------------------------------------------------- other rules */

static void the_same_input_gives_the_same_program(void)
{
	static const char *const workloads[] = {"attention:1x2x64x32", "conv:1x16x14x14,32x3x3,pad=1", "fft:1024"};
	isa_machine *m = replay_machine("tsp", NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
		g_autofree char *hash[2] = {NULL, NULL};

		for (int n = 0; n < 2; n++) {
			sched_report report;
			isa_program *p = replay_compile(workloads[i], m, true, &report, NULL, NULL);

			hash[n] = isa_program_hash(p);
			isa_program_free(p);
			sched_report_fini(&report);
		}
		CU_ASSERT_STRING_EQUAL(hash[0], hash[1]);
		g_free(g_steal_pointer(&hash[1]));
	}
	isa_machine_free(m);
}

static void nothing_moves_because_of_ideal_banks(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};
	isa_machine *m = replay_machine("tsp", settings);
	sched_report report;
	isa_program *p = replay_compile("attention:1x2x64x64", m, false, &report, NULL, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(report.bank_moves, 0);
	CU_ASSERT_EQUAL(report.bank_move_cycles, 0);
	isa_program_free(p);
	sched_report_fini(&report);
	isa_machine_free(m);
}

/* Wide elements go by columns.  Column reads under 144 banks meet few of them (test_emit_banks): the odd modulus is
 * several times faster. */
static void the_bank_map_decides_on_transposes(void)
{
	static const char *const even[] = {"sram.map=mod:144", NULL};

	CU_ASSERT_TRUE(cycles_of("transpose:320x64:fp32", even) > 3 * cycles_of("transpose:320x64:fp32", NULL));
}

/* On ideal banks.  Sixteen rows of bytes are loaded in cycles 0 to 3, the last due at 7; the transposer takes 4 cycles
 * (sxm.transpose_cycles); sixteen stores go out in 11 to 14; + 4. */
static void bytes_go_through_the_transposer(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};

	CU_ASSERT_EQUAL(cycles_of("transpose:16x320:int8", settings), 7 + 4 + 3 + 4);
}

/* Eight rows of two bytes an element, loaded in cycles 0 and 1, the last due at 5.  A low byte is shifted up, down, and
 * converted, 3 cycles each: 14.  Transposed by 18, stored in 18 to 21; + 4. */
static void wide_elements_are_cut_into_bytes_first(void)
{
	static const char *const settings[] = {"sram.map=ideal", NULL};

	CU_ASSERT_EQUAL(cycles_of("transpose:8x320", settings), 5 + 9 + 4 + 3 + 4);
}

/* Five rows of 33 fill a group of eight no more than half, three superlanes hold the pieces of 33 columns, and of 700
 * columns 20 are wanted.  Without
 * a queue of the transposer, with few registers, few ports or another granule the values are the same. */
static void transposes_are_right_in_all_ways(void)
{
	static const char *const settings[][2] = {{NULL},
	                                          {"sxm.queues=1,1,1,1,1,0", NULL},
	                                          {"vreg.count=100", NULL},
	                                          {"vreg.count=128", NULL},
	                                          {"vreg.write_ports=15", NULL},
	                                          {"sram.issue_per_cycle=1", NULL}};
	static const char *const workloads[] = {"transpose:5x33", "transpose:19x321:int8", "transpose:330x17",
	                                        "columns:33x700,20"};

	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
		for (size_t w = 0; w < G_N_ELEMENTS(workloads); w++)
			CU_ASSERT_TRUE(cycles_of(workloads[w], settings[i][0] ? settings[i] : NULL) > 0);
}

/* Granules of a transposed tensor have makers of their own: what reads it waits for all of them. */
static void what_reads_a_transposed_tensor_waits_for_its_pieces(void)
{
	static const char text[] = "graph \"t\"\n"
				   "x: fp16[40][24] = input\n"
				   "w: fp16[24][40] = input\n"
				   "q: fp16[16][24] = input\n"
				   "t: fp16[24][40] = transpose x\n"
				   "s: fp16[24][40] = add t, w\n"
				   "m: fp16[16][40] = matmul q, t, batches 1, block_run 24, sum 160\n"
				   "u: fp16[40][24] = transpose s\n"
				   "output m\noutput u\n";
	g_autofree char *file = g_build_filename(g_get_tmp_dir(), "tspsim-test-XXXXXX.graph", NULL);
	isa_machine *m = replay_machine("tsp", NULL);
	int fd = g_mkstemp(file);

	CU_ASSERT_TRUE_FATAL(fd >= 0 && g_file_set_contents(file, text, -1, NULL));
	run_clean(file, m, REPLAY_CHIP);
	run_clean(file, m, REPLAY_ORACLE);
	g_unlink(file);
	close(fd);
	isa_machine_free(m);
}

static void the_independent_checker_finds_nothing(void)
{
	static const char *const workloads[] = {
		"gemm:200x700x400",           "softmax:33x321",           "fft:1024",
		"conv:1x3x20x20,8x3x3,pad=1", "attention:1x2x33x32:int8", "transpose:100x65"};
	isa_machine *m = replay_machine("tsp", NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
		sched_report report;
		isa_program *p = replay_compile(workloads[i], m, false, &report, NULL, NULL);
		g_autoptr(GString) offences = g_string_new(NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		if (!sched_check(p, m, offences, 4)) {
			tap_note("%s: %s", workloads[i], offences->str);
			CU_FAIL("offences");
		}
		isa_program_free(p);
		sched_report_fini(&report);
	}
	isa_machine_free(m);
}

static void a_row_of_weights_that_cannot_enter_is_refused(void)
{
	static const char *const settings[] = {"mxm.weight_bytes_per_cycle=639", NULL};
	isa_machine *m = replay_machine("tsp", settings);
	sched_report report = {0};
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(replay_compile("gemm:4x320x4", m, false, &report, NULL, &error));
	CU_ASSERT_TRUE_FATAL(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "mxm.weight_bytes_per_cycle"));
	sched_report_fini(&report);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"one_vector_takes_load_operation_and_store", one_vector_takes_load_operation_and_store},
		{"skew_delays_the_first_load_only", skew_delays_the_first_load_only},
		{"a_loop_keeps_all_queues_busy", a_loop_keeps_all_queues_busy},
		{"a_loop_fills_the_banks", a_loop_fills_the_banks},
		{"the_smallest_product_goes_through_all_stages", the_smallest_product_goes_through_all_stages},
		{"wide_results_leave_one_a_cycle_beside_the_rows", wide_results_leave_one_a_cycle_beside_the_rows},
		{"weights_of_single_planes_come_one_a_cycle", weights_of_single_planes_come_one_a_cycle},
		{"rows_follow_at_the_interval", rows_follow_at_the_interval},
		{"the_default_product_is_bound_by_the_matrix_unit", the_default_product_is_bound_by_the_matrix_unit},
		{"a_convolution_keeps_both_pairs_busy", a_convolution_keeps_both_pairs_busy},
		{"programs_are_loops", programs_are_loops},
		{"all_generators_run_as_predicted", all_generators_run_as_predicted},
		{"the_oracle_agrees", the_oracle_agrees},
		{"sizes_around_the_machines_own_work", sizes_around_the_machines_own_work},
		{"every_bank_map_works", every_bank_map_works},
		{"other_machines_work", other_machines_work},
		{"what_does_not_fit_is_refused_by_name", what_does_not_fit_is_refused_by_name},
		{"tight_memories_still_give_the_right_values", tight_memories_still_give_the_right_values},
		{"the_same_input_gives_the_same_program", the_same_input_gives_the_same_program},
		{"nothing_moves_because_of_ideal_banks", nothing_moves_because_of_ideal_banks},
		{"the_bank_map_decides_on_transposes", the_bank_map_decides_on_transposes},
		{"bytes_go_through_the_transposer", bytes_go_through_the_transposer},
		{"wide_elements_are_cut_into_bytes_first", wide_elements_are_cut_into_bytes_first},
		{"transposes_are_right_in_all_ways", transposes_are_right_in_all_ways},
		{"what_reads_a_transposed_tensor_waits_for_its_pieces",
	         what_reads_a_transposed_tensor_waits_for_its_pieces},
		{"the_independent_checker_finds_nothing", the_independent_checker_finds_nothing},
		{"a_row_of_weights_that_cannot_enter_is_refused", a_row_of_weights_that_cannot_enter_is_refused},
	};

	return tap_run("emit_tsp", cases, G_N_ELEMENTS(cases));
}
