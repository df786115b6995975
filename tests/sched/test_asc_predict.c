/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's own times against the models: whole programs, and the instructions of each pipe together, to a cycle
 * in a thousand, which is less than any rule of the models that is not followed; and products no slower than the best
 * published time of their shape.
 */
#include "tests/sched/asc_sched.h"

typedef struct length {
	int64_t predicted, simulated, clock_hz;
} length;

/* Cycles from start to done of the instructions of each pipe, all sub-cores together. */
static void compare_pipes(const asc_run *r, const asc_program *program, const char *what)
{
	int64_t predicted[ASC_PIPES] = {0}, simulated[ASC_PIPES] = {0};

	for (guint i = 0; i < r->reports->len; i++) {
		const asc_report *report = &g_array_index(r->reports, asc_report, i);
		const asc_stream *stream = g_ptr_array_index(program->streams, report->stream);
		const asc_insn *insn = &g_array_index(stream->insns, asc_insn, report->insn);

		CU_ASSERT_TRUE(insn->start != ASC_NO_TIME && insn->end != ASC_NO_TIME);
		predicted[report->pipe] += insn->end - insn->start;
		simulated[report->pipe] += report->done - report->start;
	}
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		bool near = 1000 * ABS(predicted[p] - simulated[p]) <= simulated[p];

		if (!near)
			tap_note("%s: %s: predicted %" G_GINT64_FORMAT ", simulated %" G_GINT64_FORMAT, what,
			         asc_pipe_name((enum asc_pipe)p), predicted[p], simulated[p]);
		CU_ASSERT_TRUE(near);
	}
}

static length length_of(const char *machine_name, const char *workload, const char *const *sets)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	asc_machine *machine = asc_sched_machine(machine_name, sets);
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);
	sched_report report;
	asc_program *program;
	length l;
	asc_run *r;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	program = asc_sched_compile(graphs, machine, false, &report);
	r = asc_sched_run(program, machine, false, true);
	asc_run_clean(r, workload);
	compare_pipes(r, program, workload);
	l = (length){program->predicted_cycles, r->counters->cycles, machine->clock_hz};
	tap_note("%s %s: predicted %" G_GINT64_FORMAT ", simulated %" G_GINT64_FORMAT " (%+.2f %%)", machine_name,
	         workload, l.predicted, l.simulated, 100.0 * (double)(l.predicted - l.simulated) / (double)l.simulated);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
	return l;
}

static bool agrees(const length *l)
{
	return 1000 * ABS(l->predicted - l->simulated) <= l->simulated;
}

static void near(const char *machine, const char *workload)
{
	length l = length_of(machine, workload, NULL);

	CU_ASSERT_TRUE(agrees(&l));
}

static void products(void)
{
	near("ascend-910b", "gemm:256x256x256:fp16");
	near("ascend-910b", "gemm:512x512x512:fp16");
	near("ascend-910b", "gemm:1024x1024x1024:int8");
	near("ascend-910a", "gemm:1024x1024x1024:fp16");
	near("ascend-310p", "gemm:512x768x512:fp16");
	near("ascend-310p", "gemm:1024x1024x1024:int8");
}

static void vector_kernels(void)
{
	near("ascend-910b", "vmap:add,1048576:fp32");
	near("ascend-910b", "vmap:exp,1048576:fp16");
	near("ascend-910b", "softmax:512x512");
	near("ascend-910b", "layernorm:512x512");
	near("ascend-910b", "transpose:1024x1024");
	near("ascend-910a", "softmax:512x512");
	near("ascend-310p", "vmap:add,1048576:fp32");
	near("ascend-910a", "softmax:333x77:fp32");
	near("ascend-910a", "fft:256");
	near("ascend-910b", "columns:256x256,64");
	near("ascend-310p", "layernorm:77x333");
}

/* Two cores that hand scores and sums over by counters, and none where there are no counters. */
static void kernels_of_both_units(void)
{
	near("ascend-910b", "attention:1x1x300x16");
	near("ascend-310p", "attention:1x1x300x16");
	near("ascend-910a", "conv:1x64x28x28,64x3x3,pad=1:fp16");
	near("ascend-910b", "bmm:5x97x64x33:fp16");
}

/* 512 KB in and out of an L2 of 256 KB: what it gives up in which order decides. */
static void data_larger_than_l2(void)
{
	const char *const sets[] = {"l2.bytes=262144", NULL};
	length l = length_of("ascend-310p", "softmax:512x512:fp16", sets);

	CU_ASSERT_TRUE(agrees(&l));
}

/* Published for 24 cores: 1536 cubed in 38.8 us. */
static void product_of_1536_is_no_slower_than_published(void)
{
	length l = length_of("ascend-910b", "gemm:1536x1536x1536:fp16", NULL);

	CU_ASSERT_TRUE((double)l.simulated / (double)l.clock_hz <= 38.8e-6);
	CU_ASSERT_TRUE(agrees(&l));
}

typedef struct seen {
	unsigned calls, below; /* BELOW: of the call before */
	double last;
} seen;

static void look(void *state, double fraction)
{
	seen *s = state;

	s->calls++;
	s->below += fraction < s->last;
	s->last = fraction;
}

/* Thousands of instructions. */
static void progress_within_one_graph_is_told_and_never_goes_back(void)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	asc_machine *machine = asc_sched_machine("ascend-910b", NULL);
	GPtrArray *graphs = frontend_read_for("softmax:1x30000", &target, NULL, &error);
	seen s = {0};
	sched_options options;
	sched_report report;
	asc_program *program;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	sched_options_init(&options);
	options.progress = look;
	options.progress_state = &s;
	program = sched_ascend_compile(graphs, machine, &options, &report, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	tap_note("%u calls", s.calls);
	CU_ASSERT_TRUE(s.calls > 3);
	CU_ASSERT_EQUAL(s.below, 0);
	CU_ASSERT_TRUE(s.last > 0.8 && s.last <= 1);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

int main(void)
{
	static const tap_case cases[] = {
		{"products", products},
		{"vector_kernels", vector_kernels},
		{"kernels_of_both_units", kernels_of_both_units},
		{"data_larger_than_l2", data_larger_than_l2},
		{"progress_within_one_graph_is_told_and_never_goes_back",
	         progress_within_one_graph_is_told_and_never_goes_back},
		{"product_of_1536_is_no_slower_than_published", product_of_1536_is_no_slower_than_published},
	};

	return tap_run("ascend predictions", cases, G_N_ELEMENTS(cases));
}
