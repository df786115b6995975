/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions on Ascend-style cores: equal to the reference to the last bit, whatever strides, padding, groups and
 * sizes are, on every kind of machine, without a race; predicted lengths; what is refused is refused by name.
 */
#include "tests/sched/asc_sched.h"

static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};

static void on_all(const char *workload)
{
	static unsigned turn;

	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++, turn++)
		if (tap_part(turn + turn / 3, 3))
			asc_sched_equal(machines[i], NULL, workload);
}

typedef struct layer {
	uint64_t images, groups, h, w, c, n, r, s, stride_h, stride_w, pad;
	bool ceil_form;
} layer;

static uint64_t out_size(uint64_t in, uint64_t pad, uint64_t filter, uint64_t stride, bool ceil_form)
{
	return (in + 2 * pad - filter + (ceil_form ? stride - 1 : 0)) / stride + 1;
}

static graph *graph_of(const layer *l, enum isa_type type)
{
	graph *g = graph_new("layer");
	graph_conv c = {.images = l->images,
	                .groups = l->groups,
	                .h = l->h,
	                .w = l->w,
	                .c = l->c,
	                .n = l->n,
	                .r = l->r,
	                .s = l->s,
	                .stride_h = l->stride_h,
	                .stride_w = l->stride_w,
	                .pad = l->pad,
	                .oh = out_size(l->h, l->pad, l->r, l->stride_h, l->ceil_form),
	                .ow = out_size(l->w, l->pad, l->s, l->stride_w, l->ceil_form),
	                .kind = GRAPH_KBLOCK_CHANNELS,
	                .block_chan = 32 / isa_type_bytes(type)};
	uint32_t x = graph_input(g, "x", type, c.images * c.groups * c.h * c.w, c.c);
	uint32_t w = graph_input(g, "w", type, c.groups * graph_conv_k(&c), c.n);

	graph_mark_output(g, graph_conv2d(g, "y", x, w, &c, type == ISA_TYPE_I8 ? ISA_TYPE_I32 : ISA_TYPE_F16, 1));
	return g;
}

static void equal(const char *machine_name, const char *const *sets, const layer *l, enum isa_type type)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *what = g_strdup_printf("%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT
	                                        ", filter %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT " on %s",
	                                        l->h, l->w, l->c, l->r, l->s, machine_name);
	asc_machine *machine = asc_sched_machine(machine_name, sets);
	GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
	graph *g = graph_of(l, type);
	sched_report report;
	asc_program *program;
	asc_run *r;

	g_ptr_array_add(graphs, g);
	if (!graph_verify(g, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	graph_fill_inputs(g, 11, false);
	program = asc_sched_compile(graphs, machine, true, &report);
	r = asc_sched_run(program, machine, true, false);
	asc_run_clean(r, what);
	asc_sched_compare(r, program, g, what);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

static void both_types_on_all(const layer *layers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned m = 0; m < G_N_ELEMENTS(machines); m++) {
			if (tap_part((unsigned)i + m, 3))
				equal(machines[m], NULL, &layers[i], ISA_TYPE_F16);
			if (tap_part((unsigned)i + m + 1, 3))
				equal(machines[m], NULL, &layers[i], ISA_TYPE_I8);
		}
}

static void filters_of_three_by_three(void)
{
	on_all("conv:1x64x14x14,64x3x3,pad=1:fp16");
	on_all("conv:1x64x14x14,32x3x3,pad=1:int8");
	on_all("conv:2x32x9x7,48x3x3,stride=2,pad=1:fp16");
}

static void filters_of_one(void)
{
	on_all("conv:2x48x10x10,40x1x1:fp16");
	on_all("conv:1x40x10x10,40x1x1:int8");
	/* Rows and columns that no position reads. */
	on_all("conv:1x48x10x10,40x1x1,stride=2:fp16");
	on_all("conv:1x48x9x9,40x1x1,stride=2:fp16");
	on_all("conv:1x33x8x10,17x1x1,stride=1x2:int8");
	on_all("conv:1x16x4x4,16x1x1,pad=2:fp16");
}

static void first_layers(void)
{
	on_all("conv:1x3x32x32,64x7x7,stride=2,pad=3:fp16");
	on_all("conv:1x3x31x27,16x11x11,stride=4:fp16");
	on_all("conv:1x3x23x23,16x7x7,stride=2:int8");
}

static void strides_that_are_no_power_of_two(void)
{
	on_all("conv:1x16x20x21,16x3x3,stride=3x5:fp16");
	on_all("conv:1x16x20x21,16x3x3,stride=7x3,pad=2:int8");
}

static void groups_and_depthwise(void)
{
	on_all("conv:2x24x8x8,24x3x3,pad=1,groups=24:fp16");
	on_all("conv:1x24x9x9,48x3x3,stride=2,pad=1,groups=24:int8");
	on_all("conv:1x40x8x8,40x3x3,pad=1,groups=2:fp16");
}

static void channels_that_fill_no_block(void)
{
	on_all("conv:1x17x9x9,20x3x3,pad=1:fp16");
	on_all("conv:1x100x6x6,33x3x3,pad=1:int8");
	on_all("conv:1x1x9x9,1x3x3:fp16");
}

/* Positions of the ceil form lie partly or wholly beyond the image. */
static void positions_beyond_the_image(void)
{
	static const layer layers[] = {
		{1, 1, 10, 10, 16, 16, 3, 3, 2, 2, 0, true},
		/* The last row and column begin at 8 of 7: all padding. */
		{1, 1, 7, 7, 8, 5, 2, 2, 4, 4, 0, true},
		{2, 1, 6, 9, 40, 16, 1, 1, 4, 4, 0, true},
		{1, 2, 8, 8, 16, 16, 1, 1, 3, 2, 0, true},
		{1, 1, 3, 3, 16, 16, 3, 3, 5, 5, 1, true},
		/* Padding wider than the filter. */
		{1, 1, 2, 3, 16, 16, 2, 2, 1, 1, 5, false},
	};

	both_types_on_all(layers, G_N_ELEMENTS(layers));
}

static void filters_as_wide_as_the_image(void)
{
	static const layer layers[] = {
		{1, 1, 20, 300, 1, 24, 1, 300, 1, 1, 0, false}, {3, 1, 6, 5, 3, 24, 3, 5, 1, 1, 0, false},
		{2, 1, 7, 7, 48, 20, 7, 7, 1, 1, 0, false},     {1, 1, 9, 40, 2, 16, 2, 40, 3, 1, 0, false},
		{2, 2, 5, 4, 7, 9, 5, 4, 1, 1, 0, false},
	};

	both_types_on_all(layers, G_N_ELEMENTS(layers));
}

/* Buffers so small that bands are cut: by blocks of channels, by columns, by rows of the filter. */
static void bands_that_fit_only_in_parts(void)
{
	static const char *const little[] = {"l1.bytes=32768", "cores=2", NULL};
	static const char *const least[] = {"l1.bytes=8192", "cores=2", NULL};
	static const layer layers[] = {
		{1, 1, 20, 20, 80, 40, 3, 3, 1, 1, 1, false},
		{1, 1, 12, 100, 32, 16, 3, 3, 1, 1, 1, false},
		{1, 1, 24, 12, 4, 16, 21, 5, 1, 2, 2, false},
		{1, 1, 9, 200, 3, 16, 5, 7, 2, 2, 0, true},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(layers); i++) {
		equal("ascend-910b", little, &layers[i], ISA_TYPE_F16);
		equal("ascend-910b", least, &layers[i], ISA_TYPE_F16);
		equal("ascend-910a", little, &layers[i], ISA_TYPE_I8);
	}
}

static void several_tiles_of_a_core(void)
{
	static const char *const two_cores[] = {"cores=2", NULL};

	asc_sched_equal("ascend-910b", two_cores, "conv:1x64x28x28,96x3x3,pad=1:fp16");
	asc_sched_equal("ascend-310p", two_cores, "conv:2x96x20x20,160x3x3,stride=2,pad=1:fp16");
	asc_sched_equal("ascend-910a", two_cores, "conv:1x128x28x28,80x1x1:int8");
}

/* A program of GRAPHS, which it frees, by value; blocks it runs on. */
static uint32_t blocks_of(const char *machine_name, GPtrArray *graphs)
{
	asc_machine *machine = asc_sched_machine(machine_name, NULL);
	sched_report report;
	asc_program *program;
	uint32_t blocks;
	asc_run *r;

	for (guint i = 0; i < graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), 5 + i, false);
	program = asc_sched_compile(graphs, machine, true, &report);
	r = asc_sched_run(program, machine, true, false);
	asc_run_clean(r, machine_name);
	if (graphs->len == 1)
		asc_sched_compare(r, program, g_ptr_array_index(graphs, 0), machine_name);
	blocks = program->blocks;
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
	return blocks;
}

/* 20 channels of the first are one block and a quarter for the second. */
static graph *two_convolutions(void)
{
	graph *g = graph_of(&(layer){1, 1, 8, 8, 16, 20, 3, 3, 1, 1, 1, false}, ISA_TYPE_F16);
	graph_conv c = graph_at(g, 2)->conv;
	uint32_t w;

	c.c = 20;
	c.n = 24;
	w = graph_input(g, "w2", ISA_TYPE_F16, graph_conv_k(&c), c.n);
	graph_mark_output(g, graph_conv2d(g, "z", 2, w, &c, ISA_TYPE_F16, 1));
	return g;
}

static void an_image_that_another_kernel_computes(void)
{
	static const uint32_t cores[] = {32, 24, 8};

	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++) {
		GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);

		g_ptr_array_add(graphs, two_convolutions());
		/* All cores, which meet between the two. */
		CU_ASSERT_EQUAL(blocks_of(machines[i], graphs), cores[i]);
	}
}

static void layers_of_a_table_need_no_meeting(void)
{
	GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);

	for (unsigned i = 0; i < 2; i++)
		g_ptr_array_add(graphs, graph_of(&(layer){1, 1, 8, 8, 16, 16, 3, 3, 1, 1, 1, false}, ISA_TYPE_F16));
	CU_ASSERT_EQUAL(blocks_of("ascend-910a", graphs), 32);
}

static void near(const char *machine_name, const char *workload)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	asc_machine *machine = asc_sched_machine(machine_name, NULL);
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);
	sched_report report;
	asc_program *program;
	int64_t predicted, simulated;
	asc_run *r;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	program = asc_sched_compile(graphs, machine, false, &report);
	r = asc_sched_run(program, machine, false, false);
	asc_run_clean(r, workload);
	predicted = program->predicted_cycles;
	simulated = r->counters->cycles;
	tap_note("%s %s: predicted %" G_GINT64_FORMAT ", simulated %" G_GINT64_FORMAT " (%+.2f %%)", machine_name,
	         workload, predicted, simulated, 100.0 * (double)(predicted - simulated) / (double)simulated);
	CU_ASSERT_TRUE(1000 * ABS(predicted - simulated) <= simulated);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

static void predictions(void)
{
	near("ascend-910b", "conv:1x64x56x56,64x3x3,pad=1:fp16");
	near("ascend-910b", "conv:1x256x56x56,64x1x1:fp16");
	near("ascend-910b", "conv:1x3x224x224,64x7x7,stride=2,pad=3:fp16");
	near("ascend-910b", "conv:1x512x7x7,512x3x3,pad=1:fp16");
	near("ascend-910a", "conv:1x128x28x28,128x3x3,pad=1:int8");
	near("ascend-310p", "conv:1x256x14x14,256x3x3,pad=1:fp16");
}

static void refusal(const layer *l, const char *expected)
{
	g_autoptr(GError) error = NULL;
	asc_machine *machine = asc_sched_machine("ascend-910b", NULL);
	GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
	sched_options options;
	sched_report report;
	asc_program *program;

	g_ptr_array_add(graphs, graph_of(l, ISA_TYPE_F16));
	sched_options_init(&options);
	program = sched_ascend_compile(graphs, machine, &options, &report, &error);
	CU_ASSERT_PTR_NULL(program);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_STRING_EQUAL(error->message, expected);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

static void what_load3d_cannot_do_is_refused_by_node_and_limit(void)
{
	refusal(&(layer){1, 1, 4, 400, 16, 16, 2, 256, 1, 1, 0, false},
	        "y: a filter of 256 columns; load3d takes up to 255");
	refusal(&(layer){1, 1, 400, 400, 16, 16, 3, 3, 64, 64, 0, false},
	        "y: strides of 64 x 64; load3d takes up to 63");
	refusal(&(layer){1, 1, 8, 8, 16, 16, 3, 3, 1, 1, 128, false},
	        "y: padding of 128 with strides of 1 x 1; load3d pads all sides by up to 255");
}

int main(void)
{
	static const tap_case cases[] = {
		{"filters_of_three_by_three", filters_of_three_by_three},
		{"filters_of_one", filters_of_one},
		{"first_layers", first_layers},
		{"strides_that_are_no_power_of_two", strides_that_are_no_power_of_two},
		{"groups_and_depthwise", groups_and_depthwise},
		{"channels_that_fill_no_block", channels_that_fill_no_block},
		{"positions_beyond_the_image", positions_beyond_the_image},
		{"filters_as_wide_as_the_image", filters_as_wide_as_the_image},
		{"bands_that_fit_only_in_parts", bands_that_fit_only_in_parts},
		{"several_tiles_of_a_core", several_tiles_of_a_core},
		{"an_image_that_another_kernel_computes", an_image_that_another_kernel_computes},
		{"layers_of_a_table_need_no_meeting", layers_of_a_table_need_no_meeting},
		{"predictions", predictions},
		{"what_load3d_cannot_do_is_refused_by_node_and_limit",
	         what_load3d_cannot_do_is_refused_by_node_and_limit},
	};

	return tap_run("ascend convolutions", cases, G_N_ELEMENTS(cases));
}
