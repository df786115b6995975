/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention as one kernel: equal to the reference to the last bit on every kind of machine, without a race, a flag left
 * or a byte read that nothing wrote; nothing of it in more than one kernel; predicted against simulated times.
 */
#include "sched/emit/ascend/plan.h"
#include "tests/sched/asc_sched.h"

static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};
static const char *const one_core[] = {"cores=1", NULL};
static const char *const two_cores[] = {"cores=2", NULL};
static const char *const three_cores[] = {"cores=3", NULL};

static void must(bool good, const GError *error)
{
	if (!good)
		tap_note("%s", error ? error->message : "failed");
	CU_ASSERT_TRUE_FATAL(good);
}

/* Keys and queries that do and do not fill fractals, repeats, blocks of partial sums; several heads. */
static void lengths_depths_and_heads_on_every_machine(void)
{
	static const char *const workloads[] = {
		"attention:1x1x16x16:fp16",   "attention:1x1x1x16:fp16",   "attention:1x2x17x32:fp16",
		"attention:2x1x33x64:fp16",   "attention:1x1x63x16:fp16",  "attention:1x3x64x48:fp16",
		"attention:1x1x65x128:fp16",  "attention:1x1x127x32:fp16", "attention:1x1x129x64:fp16",
		"attention:1x2x100x256:fp16", "attention:2x2x48x80:fp16",  "attention:1x1x5x16:fp16",
	};

	for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++)
		for (unsigned w = 0; w < G_N_ELEMENTS(workloads); w++)
			if (tap_part(m + w, 3))
				asc_sched_equal(machines[m], (m + w) % 2 ? two_cores : one_core, workloads[w]);
}

/* Tiles of few keys, one and many of them, the last one shorter; units of two sizes and of several heads; depths that
 * do and do not fill repeats, and that cut a tile's products in two. */
static void tiles_on_every_machine(void)
{
	static const char *const workloads[] = {
		"flash:1x1x17x16,tile=5",    "flash:2x1x33x64,tile=16", "flash:1x3x40x48,tile=50",
		"flash:1x1x130x128,tile=64", "flash:1x2x70x32",         "flash:1x1x150x256",
	};

	for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++)
		for (unsigned w = 0; w < G_N_ELEMENTS(workloads); w++)
			if (tap_part(m + w, 3))
				asc_sched_equal(machines[m], (m + w) % 2 ? two_cores : one_core, workloads[w]);
}

/* Several stages of L1, several units a head, units of two sizes. */
static void long_rows_and_several_units(void)
{
	asc_sched_equal("ascend-910b", three_cores, "attention:1x1x515x64:fp16");
	asc_sched_equal("ascend-910a", three_cores, "attention:1x1x515x64:fp16");
	asc_sched_equal("ascend-310p", two_cores, "attention:1x1x384x128:fp16");
	asc_sched_equal("ascend-910b", two_cores, "attention:1x1x1024x16:fp16");
}

/* A unified buffer that holds few rows: several batches a unit. */
static void small_unified_buffers(void)
{
	static const char *const small[] = {"cores=1", "ub.bytes=67584", NULL};

	asc_sched_equal("ascend-910b", small, "attention:1x1x520x32:fp16");
}

static GPtrArray *read(const char *workload)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);

	must(graphs != NULL, error);
	return graphs;
}

static guint kernels_of(const char *workload)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *graphs = read(workload);
	GArray *parts = ask_cut(g_ptr_array_index(graphs, 0), &error);
	guint count;

	must(parts != NULL, error);
	count = parts->len;
	g_array_unref(parts);
	g_ptr_array_unref(graphs);
	return count;
}

/* int8 and depths that leave fractals of keys open go kernel by kernel: product, softmax, product. */
static void fp16_is_one_kernel_and_what_does_not_fit_is_three(void)
{
	CU_ASSERT_EQUAL(kernels_of("attention:1x1x64x64:fp16"), 1);
	CU_ASSERT_EQUAL(kernels_of("attention:2x3x100x128:fp16"), 1);
	CU_ASSERT_EQUAL(kernels_of("flash:1x1x64x64,tile=20"), 1);
	CU_ASSERT_EQUAL(kernels_of("flash:2x3x100x128"), 1);
	CU_ASSERT_EQUAL(kernels_of("attention:1x1x64x64:int8"), 3);
	CU_ASSERT_EQUAL(kernels_of("attention:1x1x64x40:fp16"), 3);
	asc_sched_equal("ascend-910b", one_core, "attention:1x1x40x24:fp16");
	asc_sched_equal("ascend-910b", one_core, "attention:1x1x40x32:int8");
}

/* An output among the inner nodes keeps them out of the kernel. */
static void inner_outputs_are_kept(void)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *graphs = read("attention:1x1x64x64:fp16");
	graph *g = g_ptr_array_index(graphs, 0);
	GArray *parts;

	for (uint32_t i = 0; i < graph_size(g); i++)
		if (!strcmp(graph_at(g, i)->name, "p"))
			graph_mark_output(g, i);
	parts = ask_cut(g, &error);
	must(parts != NULL, error);
	CU_ASSERT_EQUAL(parts->len, 3);
	g_array_unref(parts);
	g_ptr_array_unref(graphs);
}

/* Infinities and NaN go where the graph sends them. */
static void special_values_of(const char *workload)
{
	for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++) {
		asc_machine *machine = asc_sched_machine(machines[m], two_cores);
		GPtrArray *graphs = read(workload);
		graph *g = g_ptr_array_index(graphs, 0);
		sched_report report;
		asc_program *program;
		asc_run *r;

		graph_fill_inputs(g, 5, true);
		program = asc_sched_compile(graphs, machine, true, &report);
		r = asc_sched_run(program, machine, true, false);
		asc_run_clean(r, machines[m]);
		asc_sched_compare(r, program, g, machines[m]);
		asc_run_free(r);
		asc_program_free(program);
		sched_report_fini(&report);
		g_ptr_array_unref(graphs);
		asc_machine_free(machine);
	}
}

static void special_values(void)
{
	special_values_of("attention:1x2x80x32:fp16");
	special_values_of("flash:1x2x80x32,tile=30");
}

/* Predicted lengths are within 8 % of simulated ones, and no core waits for another. */
static void predicted_lengths_and_no_meetings(void)
{
	static const struct {
		const char *machine, *workload;
	} cases[] = {{"ascend-910b", "attention:1x1x1024x128:fp16"},
	             {"ascend-910b", "attention:1x4x256x64:fp16"},
	             {"ascend-910a", "attention:1x2x512x64:fp16"},
	             {"ascend-310p", "attention:1x2x512x64:fp16"}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		asc_machine *machine = asc_sched_machine(cases[i].machine, three_cores);
		GPtrArray *graphs = read(cases[i].workload);
		sched_report report;
		asc_program *program = asc_sched_compile(graphs, machine, false, &report);
		asc_run *r = asc_sched_run(program, machine, false, false);
		int64_t cycles = r->counters->cycles, off = program->predicted_cycles - cycles;

		CU_ASSERT_TRUE(asc_run_clean(r, cases[i].workload));
		tap_note("%s on %s: %" G_GINT64_FORMAT " cycles, predicted %" G_GINT64_FORMAT, cases[i].workload,
		         cases[i].machine, cycles, program->predicted_cycles);
		CU_ASSERT_TRUE(ABS(off) * 100 <= cycles * 8);
		CU_ASSERT_PTR_NOT_NULL(strstr(report.notes->str, " 0 meetings of all cores"));
		asc_run_free(r);
		asc_program_free(program);
		sched_report_fini(&report);
		g_ptr_array_unref(graphs);
		asc_machine_free(machine);
	}
}

/* Without one flag, or one set between sub-cores, of a small program: something is found, or it stands still, or values
 * are wrong; or else what it ordered is ordered otherwise, which is then the same without it. */
static void flags_are_needed(void)
{
	asc_machine *machine = asc_sched_machine("ascend-910b", one_core);
	GPtrArray *graphs = read("attention:1x1x96x16:fp16");
	unsigned removed = 0, found = 0;
	sched_report report;
	asc_program *program;

	graph_fill_inputs(g_ptr_array_index(graphs, 0), 3, false);
	program = asc_sched_compile(graphs, machine, true, &report);
	for (guint s = 0; s < program->streams->len; s++) {
		asc_stream *stream = g_ptr_array_index(program->streams, s);

		for (guint i = 0; i < stream->insns->len; i++) {
			asc_insn *insn = &g_array_index(stream->insns, asc_insn, i), kept = *insn;
			asc_run *r;

			if (insn->op != ASC_OP_WAITFLAG && insn->op != ASC_OP_WAITCROSS && insn->op != ASC_OP_BARRIER)
				continue;
			*insn = asc_insn_make(ASC_OP_MOVI);
			r = asc_sched_run(program, machine, true, false);
			removed++;
			found += r->violations->len || r->deadlock;
			asc_run_free(r);
			*insn = kept;
		}
	}
	tap_note("%u of %u waits and barriers are missed", found, removed);
	CU_ASSERT_TRUE(removed > 0);
	CU_ASSERT_EQUAL(found, removed);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

int main(void)
{
	static const tap_case cases[] = {
		{"tiles_on_every_machine", tiles_on_every_machine},
		{"lengths_depths_and_heads_on_every_machine", lengths_depths_and_heads_on_every_machine},
		{"long_rows_and_several_units", long_rows_and_several_units},
		{"small_unified_buffers", small_unified_buffers},
		{"fp16_is_one_kernel_and_what_does_not_fit_is_three",
	         fp16_is_one_kernel_and_what_does_not_fit_is_three},
		{"inner_outputs_are_kept", inner_outputs_are_kept},
		{"special_values", special_values},
		{"predicted_lengths_and_no_meetings", predicted_lengths_and_no_meetings},
		{"flags_are_needed", flags_are_needed},
	};

	return tap_run("asc_attention", cases, G_N_ELEMENTS(cases));
}
