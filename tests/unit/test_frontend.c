/* SPDX-License-Identifier: Apache-2.0
 *
 * Workload texts: the refusals, word for word, and graph files.  What the generators build is in test_graph_text.c.
 */
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static isa_machine *machine(void)
{
	isa_machine *m = isa_machine_load("tsp", NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

static void assert_refused(const char *workload, int code, const char *expected)
{
	isa_machine *m = machine();
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(frontend_read(workload, m, NULL, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, code));
	CU_ASSERT_STRING_EQUAL(error->message, expected);
	if (strcmp(error->message, expected))
		tap_note("%s", error->message);
	isa_machine_free(m);
}

static void refusals_name_the_column(void)
{
	static const char *const rows[][2] = {
		{"gemm:1x2", "workload 'gemm:1x2', column 9: expected 'x' and a further size"},
		{"gemm:1x0x3", "workload 'gemm:1x0x3', column 8: expected N, a positive number, found 0"},
		{"gemm:1x-2x3", "workload 'gemm:1x-2x3', column 8: expected N, a positive number"},
		{"gemm:1x2x", "workload 'gemm:1x2x', column 10: expected K, a positive number"},
		{"gemm:1x2x3x4",
	         "workload 'gemm:1x2x3x4', column 11: expected the end, or ':' and a type (int8 or fp16)"},
		{"gemm:1x2x64,splt=2",
	         "workload 'gemm:1x2x64,splt=2', column 13: expected split=, found 'splt'; nearest is 'split'"},
		{"gemm:1x2x64,split=2",
	         "workload 'gemm:1x2x64,split=2', column 13: this machine adds K in blocks of its "
	         "own, 320 lanes each"},
		{"flash:1x1x8x4,tle=2",
	         "workload 'flash:1x1x8x4,tle=2', column 15: expected tile=, found 'tle'; nearest is 'tile'"},
		{"gemm", "workload 'gemm', column 5: expected ':' and the sizes"},
		{"gemm:1x2x3:fp32", "workload 'gemm:1x2x3:fp32', column 12: expected type int8 or fp16, found 'fp32'"},
		{"gemm:1x2x3:fp16x",
	         "workload 'gemm:1x2x3:fp16x', column 12: expected type int8 or fp16, found 'fp16x'"},
		{"gemm:1x2x3:fp16,", "workload 'gemm:1x2x3:fp16,', column 16: expected the end of the workload"},
		{"gemm:1x2x99999999999999999999999",
	         "workload 'gemm:1x2x99999999999999999999999', column 10: K exceeds 2^40"},
		{"gemm:1000000000x1000000000x1000000000",
	         "workload 'gemm:1000000000x1000000000x1000000000', column 1: the sizes multiply to more than 2^60"},
		{"softmax:3x4:int8",
	         "workload 'softmax:3x4:int8', column 13: expected type fp16 or fp32, found 'int8'"},
		{"vmap:add,4:int4",
	         "workload 'vmap:add,4:int4', column 12: expected type int8, int16, int32, fp16 or fp32, found 'int4'"},
		{"vmap:ad,4",
	         "workload 'vmap:ad,4', column 6: expected an operation of the vector unit, found 'ad'; nearest "
	         "is 'add'"},
		{"vmap:read,4",
	         "workload 'vmap:read,4', column 6: expected an operation of the vector unit, found 'read'; "
	         "nearest is 'relu'"},
		{"vmap:add", "workload 'vmap:add', column 9: expected ',' and the number of elements"},
		{"vmap:and,4",
	         "workload 'vmap:and,4', column 6: 'and' is defined for int8, int16 and int32, not for fp16"},
		{"vmap:exp,4:int8",
	         "workload 'vmap:exp,4:int8', column 6: 'exp' is defined for fp16 and fp32, not for int8"},
		{"fft:12", "workload 'fft:12', column 5: expected a power of two from 1 to 2^24, found 12"},
		{"fft:0", "workload 'fft:0', column 5: expected the number of points, a positive number, found 0"},
		{"fft:33554432",
	         "workload 'fft:33554432', column 5: expected a power of two from 1 to 2^24, found 33554432"},
		{"conv:1x3x8x8", "workload 'conv:1x3x8x8', column 13: expected ',' and the filters KxRxS"},
		{"conv:1x3x8x8,4x9x3",
	         "workload 'conv:1x3x8x8,4x9x3', column 1: the filter (9 x 3) is larger than the padded input (8 x 8)"},
		{"conv:1x4x8x8,6x3x3,groups=3",
	         "workload 'conv:1x4x8x8,6x3x3,groups=3', column 1: expected groups that divide "
	         "the 4 channels and the 6 filters, found 3"},
		{"conv:1x3x8x8,4x3x3,strid=2",
	         "workload 'conv:1x3x8x8,4x3x3,strid=2', column 20: expected stride=, pad= or "
	         "groups=, found 'strid'; nearest is 'stride'"},
		{"conv:1x3x8x8,4x3x3,pad=1,pad=1",
	         "workload 'conv:1x3x8x8,4x3x3,pad=1,pad=1', column 26: 'pad' is given twice"},
		{"conv:1x3x8x8,4x3x3,stride=0",
	         "workload 'conv:1x3x8x8,4x3x3,stride=0', column 27: expected the stride, a positive number, found 0"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_refused(rows[i][0], TSP_ERROR_USER, rows[i][1]);
}

static void unknown_words_are_answered_with_the_nearest_generator(void)
{
	assert_refused(
		"gem:1x2x3", TSP_ERROR_USER,
		"workload 'gem:1x2x3', column 1: expected gemm:..., bmm:..., conv:..., attention:..., flash:..., "
		"softmax:..., "
		"layernorm:..., transpose:..., fft:..., vmap:..., embedding:..., kvcache:..., columns:..., or a file "
		"ending in .csv or .graph; nearest is "
		"'gemm'");
	assert_refused(
		"model.onnx", TSP_ERROR_USER,
		"workload 'model.onnx', column 1: expected gemm:..., bmm:..., conv:..., attention:..., flash:..., "
		"softmax:..., "
		"layernorm:..., transpose:..., fft:..., vmap:..., embedding:..., kvcache:..., columns:..., or a file "
		"ending in .csv or .graph");
}

/* What the table promises: each syntax's generator exists under its name and its own text is refused, not crashed on.
 */
static void every_generator_has_a_name_syntax_and_line(void)
{
	g_autofree char *manual = NULL;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(TSPSIM_SRCDIR "/docs/workloads.md", &manual, NULL, NULL));
	CU_ASSERT_EQUAL(frontend_generator_count, 13);
	for (size_t i = 0; i < frontend_generator_count; i++) {
		const frontend_generator *f = &frontend_generators[i];
		isa_machine *m = machine();
		g_autoptr(GError) error = NULL;

		g_autofree char *row = g_strdup_printf("\n| `%s:", f->name);

		CU_ASSERT_PTR_NOT_NULL(strstr(manual, row));
		CU_ASSERT_TRUE(g_str_has_prefix(f->syntax, f->name));
		CU_ASSERT_EQUAL(f->syntax[strlen(f->name)], ':');
		CU_ASSERT_EQUAL(f->doc[strlen(f->doc) - 1], '.');
		CU_ASSERT_PTR_NULL(frontend_read(f->syntax, m, NULL, &error));
		CU_ASSERT_PTR_NOT_NULL(error);
		isa_machine_free(m);
	}
}

static void padding_may_be_zero_and_options_come_in_any_order(void)
{
	isa_machine *m = machine();
	GPtrArray *graphs = frontend_read("conv:1x4x9x7,4x2x3,groups=2,pad=0,stride=2x3:int8", m, NULL, NULL);
	const graph_conv *c;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	c = &graph_at(g_ptr_array_index(graphs, 0), 2)->conv;
	CU_ASSERT_EQUAL(c->pad, 0);
	CU_ASSERT_EQUAL(c->groups, 2);
	/* (9 - 2) / 2 + 1 = 4; (7 - 3) / 3 + 1 = 2 */
	CU_ASSERT_EQUAL(c->oh, 4);
	CU_ASSERT_EQUAL(c->ow, 2);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
}

/* A file of TEXT with the suffix; g_unlink and g_free. */
static char *temporary(const char *suffix, const char *text)
{
	g_autofree char *pattern = g_strconcat("tspsim-XXXXXX", suffix, NULL);
	char *path = NULL;
	int fd = g_file_open_tmp(pattern, &path, NULL);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	close(fd);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, text, -1, NULL));
	return path;
}

static void graph_files_are_read_and_verified(void)
{
	g_autofree char *good =
		temporary(".graph", "graph \"g\"\nx: fp16[2][3] = input\ny: fp16[2][3] = exp x\noutput y\n");
	g_autofree char *bad =
		temporary(".graph", "graph \"g\"\nx: fp16[2][3] = input\ny: fp16[3][3] = exp x\noutput y\n");
	g_autofree char *worse = temporary(".graph", "graph \"g\"\nx: fp16[2][3] = inputt\n");
	g_autofree char *bad_message =
		g_strdup_printf("%s: graph 'g': node 'y': expected shape [2][3], found [3][3]", bad);
	g_autofree char *worse_message =
		g_strdup_printf("%s:2:17: expected an operation, found 'inputt'; nearest is 'input'", worse);
	isa_machine *m = machine();
	GPtrArray *graphs = frontend_read(good, m, NULL, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	CU_ASSERT_EQUAL(graphs->len, 1);
	CU_ASSERT_EQUAL(graph_size(g_ptr_array_index(graphs, 0)), 2);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
	assert_refused(bad, TSP_ERROR_USER, bad_message);
	assert_refused(worse, TSP_ERROR_USER, worse_message);
	g_unlink(good);
	g_unlink(bad);
	g_unlink(worse);
}

static void missing_files_are_named(void)
{
	isa_machine *m = machine();
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(frontend_read("/nonexistent/layers.csv", m, NULL, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_IO));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "/nonexistent/layers.csv"));
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"refusals_name_the_column", refusals_name_the_column},
		{"unknown_words_are_answered_with_the_nearest_generator",
	         unknown_words_are_answered_with_the_nearest_generator},
		{"every_generator_has_a_name_syntax_and_line", every_generator_has_a_name_syntax_and_line},
		{"padding_may_be_zero_and_options_come_in_any_order",
	         padding_may_be_zero_and_options_come_in_any_order},
		{"graph_files_are_read_and_verified", graph_files_are_read_and_verified},
		{"missing_files_are_named", missing_files_are_named},
	};

	return tap_run("frontend", cases, G_N_ELEMENTS(cases));
}
