/* SPDX-License-Identifier: Apache-2.0
 *
 * SCALE-Sim CSV: one case for each liberty that files in the wild take, one for each refusal, both dialects.  With
 * TSPSIM_DATA set, every topology file found below its scale-sim folder as well.
 */
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define HEADER "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"

static isa_machine *machine(void)
{
	isa_machine *m = isa_machine_load("tsp", NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

/* Reads TEXT as a file; in messages the file's name becomes FILE. */
static GPtrArray *read_options(const char *text, const frontend_options *options, char **message)
{
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	isa_machine *m = machine();
	int fd = g_file_open_tmp("tspsim-XXXXXX.csv", &path, NULL);
	GPtrArray *graphs;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	close(fd);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, text, -1, NULL));
	graphs = frontend_read(path, m, options, &error);
	g_unlink(path);
	isa_machine_free(m);
	*message = NULL;
	if (error)
		*message = g_str_has_prefix(error->message, path)
		                   ? g_strconcat("FILE", error->message + strlen(path), NULL)
		                   : g_strdup(error->message);
	return graphs;
}

/* The layers as "name HxWxC*NxRxS/s->OHxOW" or "name MxNxK", separated by "; "; or the refusal.  g_free. */
static char *layers(const char *text, const frontend_options *options)
{
	char *message;
	GPtrArray *graphs = read_options(text, options, &message);
	GString *out = g_string_new(NULL);

	if (!graphs) {
		g_string_free(out, TRUE);
		return message;
	}
	for (guint i = 0; i < graphs->len; i++) {
		const graph *g = g_ptr_array_index(graphs, i);
		const graph_node *n = graph_at(g, graph_size(g) - 1);
		const graph_conv *c = &n->conv;

		g_string_append_printf(out, "%s%s ", i ? "; " : "", g->name);
		if (n->op == GRAPH_MATMUL) {
			g_string_append_printf(out, "%dx%dx%d", (int)n->m, (int)n->n, (int)n->k);
			continue;
		}
		g_string_append_printf(out, "%dx%dx%d*%dx%dx%d/%d->%dx%d", (int)c->h, (int)c->w, (int)c->c, (int)c->n,
		                       (int)c->r, (int)c->s, (int)c->stride_h, (int)c->oh, (int)c->ow);
		if (c->groups > 1 || c->images > 1)
			g_string_append_printf(out, " groups %d images %d", (int)c->groups, (int)c->images);
	}
	g_ptr_array_unref(graphs);
	return g_string_free(out, FALSE);
}

static void assert_layers(const char *text, const frontend_options *options, const char *expected)
{
	g_autofree char *found = layers(text, options);

	CU_ASSERT_STRING_EQUAL(found, expected);
	if (strcmp(found, expected))
		tap_note("%s", found);
}

/* (224 - 7) / 2 = 108.5: 109 outputs. */
static const char *const conv1 = "Conv1 224x224x3*64x7x7/2->109x109";

static void a_plain_file_is_read(void)
{
	assert_layers(HEADER "Conv1, 224, 224, 7, 7, 3, 64, 2,\nFC, 1, 1, 1, 1, 512, 10, 1,\n", NULL,
	              "Conv1 224x224x3*64x7x7/2->109x109; FC 1x1x512*10x1x1/1->1x1");
}

static void height_and_width_are_kept_apart(void)
{
	assert_layers(HEADER "a, 10, 20, 3, 5, 1, 1, 1,\n", NULL, "a 10x20x1*1x3x5/1->8x16");
}

static void closing_comma_is_optional(void)
{
	assert_layers(HEADER "Conv1, 224, 224, 7, 7, 3, 64, 2", NULL, conv1);
	assert_layers(HEADER "Conv1, 224, 224, 7, 7, 3, 64, 2,,,", NULL, conv1);
}

static void blank_rows_and_rows_of_commas_are_skipped(void)
{
	assert_layers("\n" HEADER ",,,,,,,,,,,,\n\n  \t\nConv1,224,224,7,7,3,64,2,\n , , ,\n\n", NULL, conv1);
}

static void rows_with_a_name_only_are_titles(void)
{
	assert_layers("Net\n" HEADER "AlphaGoZero,\nConv1,224,224,7,7,3,64,2,\nEnd,,,,\n", NULL, conv1);
}

static void comments_and_further_columns_are_dropped(void)
{
	assert_layers(HEADER "Conv1,224,224,7,7,3,64,2,#dw\n# a, 1, 2, 3\n", NULL, conv1);
	assert_layers("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
	              "Strides,,,Eh,Ew,e2\nConv1,224,224,7,7,3,64,2,,,110,110,12100\n",
	              NULL, conv1);
	assert_layers("Layer Name, M, N, K, Sparsity,\nl, 4, 5, 6, 2:4,\n", NULL, "l 4x5x6");
}

static void byte_order_mark_no_break_spaces_and_crlf_are_read(void)
{
	assert_layers("\xEF\xBB\xBFLayer name,\xC2\xA0 IFMAP Height,\xC2\xA0 IFMAP Width,\xC2\xA0 Filter "
	              "Height,\xC2\xA0 Filter "
	              "Width,\xC2\xA0 Channels,\xC2\xA0 Num Filter,\xC2\xA0 Strides,\r\n"
	              "Conv1,\xC2\xA0"
	              "224, 224,7,7,3,64,2\xC2\xA0,\r\n",
	              NULL, conv1);
}

static void tabs_stand_for_commas_where_there_are_none(void)
{
	assert_layers("Layer\tIFMAP Height\tIFMAP Width\tFilter Height\tFilter Width\tChannels\tNum Filter\tStrides\n"
	              "Conv1\t224\t224\t7\t7\t3\t64\t2\n",
	              NULL, conv1);
	assert_layers(HEADER "Conv1,\t224,\t224,\t7,7,3,64,2,\t\n", NULL, conv1);
}

static void headers_are_recognised_in_any_spelling_or_missing(void)
{
	assert_layers("Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides\n"
	              "Conv1,224,224,7,7,3,64,2\n",
	              NULL, conv1);
	assert_layers("Couche, hauteur, largeur\nConv1,224,224,7,7,3,64,2\n", NULL, conv1);
	assert_layers("Conv1,224,224,7,7,3,64,2\n", NULL, conv1);
	assert_layers(HEADER "Conv1,224,224,7,7,3,64,2\n" HEADER "b,4,4,2,2,1,1,1\n", NULL,
	              "Conv1 224x224x3*64x7x7/2->109x109; b 4x4x1*1x2x2/1->3x3");
}

/* By header, else by the width of the first row; csv.form overrides. */
static void the_form_is_found_or_given(void)
{
	frontend_options conv = {.csv_form = "conv"}, gemm = {.csv_form = "gemm"};

	assert_layers("L,m,n,k\na,4,5,6\n", NULL, "a 4x5x6");
	assert_layers("a,4,5,6,\nb,7,8,9,\n", NULL, "a 4x5x6; b 7x8x9");
	assert_layers("a,4,5,6,1:2\n", NULL, "a 4x5x6");
	assert_layers("x,y,z,u\na,4,5,6\n", &gemm, "a 4x5x6");
	assert_layers("a,4,5,6\n", &conv, "FILE:1:8: expected filter width, the row ends");
	assert_layers("a,4,5,6,7\n", NULL,
	              "FILE:1:10: expected a name and 7 numbers (convolution) or 3 (M, N, K), found 4");
}

static void repeated_names_get_the_line_number(void)
{
	assert_layers("fc,1,2,3\nfc,1,2,3\nother,1,2,3\nfc,1,2,3\n,1,2,3\n", NULL,
	              "fc 1x2x3; fc@2 1x2x3; other 1x2x3; fc@4 1x2x3; layer@5 1x2x3");
}

static void a_batch_column_gives_images(void)
{
	assert_layers(
		"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, "
		"Batch Size,\na, 4, 4, 2, 2, 1, 1, 1, 3,\nb, 4, 4, 2, 2, 1, 1, 1,\n",
		NULL, "a 4x4x1*1x2x2/1->3x3 groups 1 images 3; b 4x4x1*1x2x2/1->3x3");
}

/* 8 x 8, filter 3, stride 4: (8 - 3) / 4 = 1.25; floor gives 2 positions, ceil 3.  2 to 1 tap of stride 4: floor 1,
 * ceil((2 - 1 + 4) / 4) = 2. */
static void dialects_differ_where_the_stride_does_not_divide(void)
{
	frontend_options scale_sim = {.csv_dialect = "scale-sim"}, floor_form = {.csv_dialect = "floor"};
	const char *text = "a,8,8,3,3,1,1,4\nb,2,2,1,1,1,1,4\nc,7,7,3,3,1,1,4\n";

	assert_layers(text, &floor_form, "a 8x8x1*1x3x3/4->2x2; b 2x2x1*1x1x1/4->1x1; c 7x7x1*1x3x3/4->2x2");
	assert_layers(text, &scale_sim, "a 8x8x1*1x3x3/4->3x3; b 2x2x1*1x1x1/4->2x2; c 7x7x1*1x3x3/4->2x2");
}

/* floor: the token DP, 1 or a multiple of C filters.  scale-sim: DP anywhere, each channel all the row's filters. */
static void depthwise_layers_are_known_by_their_name(void)
{
	frontend_options scale_sim = {.csv_dialect = "scale-sim"};

	assert_layers("Conv_DP_1,4,4,3,3,8,1,1\nDP,4,4,3,3,8,8,1\nx-DP,4,4,3,3,8,16,1\nDP2,4,4,3,3,8,1,1\nADP,4,4,3,3,"
	              "8,1,1\n",
	              NULL,
	              "Conv_DP_1 4x4x1*1x3x3/1->2x2 groups 8 images 1; DP 4x4x1*1x3x3/1->2x2 groups 8 images 1; "
	              "x-DP 4x4x1*2x3x3/1->2x2 groups 8 images 1; DP2 4x4x8*1x3x3/1->2x2; ADP 4x4x8*1x3x3/1->2x2");
	assert_layers("a_DP,4,4,3,3,8,12,1\n", NULL,
	              "FILE:1:16: expected number of filters of a depthwise layer, 1 or a multiple of its 8 channels, "
	              "found 12");
	assert_layers("EADPx,4,4,3,3,8,2,1\n", &scale_sim, "EADPx 4x4x1*2x3x3/1->2x2 groups 8 images 1");
}

static void types_are_fp16_or_as_given(void)
{
	frontend_options int8 = {.csv_dtype = "int8"};
	char *message;
	GPtrArray *graphs = read_options("a,4,5,6\n", NULL, &message);

	CU_ASSERT_EQUAL(graph_at(g_ptr_array_index(graphs, 0), 2)->type, ISA_TYPE_F16);
	g_ptr_array_unref(graphs);
	graphs = read_options("a,4,5,6\n", &int8, &message);
	CU_ASSERT_EQUAL(graph_at(g_ptr_array_index(graphs, 0), 2)->type, ISA_TYPE_I32);
	g_ptr_array_unref(graphs);
}

static void sizes_that_cannot_be_are_refused(void)
{
	static const char *const rows[][2] = {
		{HEADER "LSTM, 1, B, 1, 1, H, H, 1,\n",
	         "FILE:2:10: expected IFMAP width, a positive whole number below 2^40, found 'B'"},
		{HEADER "FC, 1, 1, 1, ,1 2, 2, 1,\n",
	         "FILE:2:14: expected filter width, a positive whole number, found nothing"},
		{HEADER "FC, 1, 1, 1, 1,1 2, 2, 1,\n",
	         "FILE:2:16: expected channels, a positive whole number below 2^40, found '1 2'"},
		{HEADER "a, 0, 4, 1, 1, 1, 1, 1,\n",
	         "FILE:2:4: expected IFMAP height, a positive whole number below 2^40, found '0'"},
		{HEADER "a, 4, 4, 1, 1, 1, -2, 1,\n",
	         "FILE:2:19: expected number of filters, a positive whole number below 2^40, found '-2'"},
		{HEADER "a, 4, 4, 1, 1, 1, 1, 1.5,\n",
	         "FILE:2:22: expected stride, a positive whole number below 2^40, found '1.5'"},
		{HEADER "a, 4, 4, 5, 1, 1, 1, 1,\n", "FILE:2:10: filter height 5 is larger than IFMAP height 4"},
		{HEADER "a, 4, 4, 4, 5, 1, 1, 1,\n", "FILE:2:13: filter width 5 is larger than IFMAP width 4"},
		{HEADER "ok, 4, 4, 4, 4, 1, 1, 1,\na, 4, 4, 4,\n", "FILE:3:12: expected filter width, the row ends"},
		{"a,99999999999999999999,4,4\n",
	         "FILE:1:3: expected M, a positive whole number below 2^40, found '99999999999999999999'"},
		{"a,1000000000,1000000000,1000000000\n", "FILE:1:3: the sizes multiply to more than 2^60"},
		{HEADER, "FILE: expected at least one layer"},
		{"", "FILE: expected at least one layer"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_layers(rows[i][0], NULL, rows[i][1]);
}

static void unknown_option_values_are_refused(void)
{
	frontend_options form = {.csv_form = "gem"}, dialect = {.csv_dialect = "scalesim"},
			 type = {.csv_dtype = "fp32"};

	assert_layers("a,1,2,3", &form, "csv.form: expected auto, conv or gemm, found 'gem'; nearest is 'gemm'");
	assert_layers("a,1,2,3", &dialect,
	              "csv.dialect: expected floor or scale-sim, found 'scalesim'; nearest is 'scale-sim'");
	assert_layers("a,1,2,3", &type, "csv.dtype: expected fp16 or int8, found 'fp32'; nearest is 'fp16'");
}

/* The sample of the repository: a title, a depthwise layer, a comment. */
static void the_sample_file_is_read(void)
{
	isa_machine *m = machine();
	GPtrArray *graphs = frontend_read(TSPSIM_SRCDIR "/tests/data/layers.csv", m, NULL, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	CU_ASSERT_EQUAL(graphs->len, 4);
	/* 32*32 outputs, 3*3*3 taps, 16 filters; 30*30 x 9 x 16; 30*30 x 16 x 32; 1 x 800 x 10 */
	CU_ASSERT_EQUAL(graph_macs(g_ptr_array_index(graphs, 0)), 1024 * 27 * 16);
	CU_ASSERT_EQUAL(graph_macs(g_ptr_array_index(graphs, 1)), 900 * 9 * 16);
	CU_ASSERT_EQUAL(graph_macs(g_ptr_array_index(graphs, 2)), 900 * 16 * 32);
	CU_ASSERT_EQUAL(graph_macs(g_ptr_array_index(graphs, 3)), 800 * 10);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
}

typedef struct tally {
	unsigned files, loaded, layers, refused;
} tally;

/* Files that are broken themselves: symbolic sizes, and a row that lacks a number. */
static bool is_broken(const char *path)
{
	return g_str_has_suffix(path, "LSTM.csv") || g_str_has_suffix(path, "LSTM_template.csv") ||
	       g_str_has_suffix(path, "MLPERF.csv") || g_str_has_suffix(path, "Sentimental_seqLSTM.csv");
}

static void read_tree(const char *folder, const isa_machine *m, tally *t)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autoptr(GError) error = NULL;
		GPtrArray *graphs;

		if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
			read_tree(path, m, t);
			continue;
		}
		if (!g_str_has_suffix(path, ".csv"))
			continue;
		t->files++;
		graphs = frontend_read(path, m, NULL, &error);
		if (graphs) {
			t->loaded++;
			t->layers += graphs->len;
			g_ptr_array_unref(graphs);
			continue;
		}
		t->refused++;
		CU_ASSERT_TRUE(is_broken(path) && !strstr(path, "DeepBenchLSTM"));
		tap_note("%s", error->message);
	}
	if (dir)
		g_dir_close(dir);
}

static void public_files_load_but_the_broken_ones(void)
{
	const char *data = g_getenv("TSPSIM_DATA");
	g_autofree char *folder = data && *data ? g_build_filename(data, "scale-sim", NULL) : NULL;
	isa_machine *m;
	tally t = {0};

	if (!folder || !g_file_test(folder, G_FILE_TEST_IS_DIR)) {
		tap_skip("TSPSIM_DATA has no folder scale-sim");
		return;
	}
	m = machine();
	read_tree(folder, m, &t);
	tap_note("%u files, %u loaded with %u layers, %u refused", t.files, t.loaded, t.layers, t.refused);
	CU_ASSERT_TRUE(t.loaded > 0);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_plain_file_is_read", a_plain_file_is_read},
		{"height_and_width_are_kept_apart", height_and_width_are_kept_apart},
		{"closing_comma_is_optional", closing_comma_is_optional},
		{"blank_rows_and_rows_of_commas_are_skipped", blank_rows_and_rows_of_commas_are_skipped},
		{"rows_with_a_name_only_are_titles", rows_with_a_name_only_are_titles},
		{"comments_and_further_columns_are_dropped", comments_and_further_columns_are_dropped},
		{"byte_order_mark_no_break_spaces_and_crlf_are_read",
	         byte_order_mark_no_break_spaces_and_crlf_are_read},
		{"tabs_stand_for_commas_where_there_are_none", tabs_stand_for_commas_where_there_are_none},
		{"headers_are_recognised_in_any_spelling_or_missing",
	         headers_are_recognised_in_any_spelling_or_missing},
		{"the_form_is_found_or_given", the_form_is_found_or_given},
		{"repeated_names_get_the_line_number", repeated_names_get_the_line_number},
		{"a_batch_column_gives_images", a_batch_column_gives_images},
		{"dialects_differ_where_the_stride_does_not_divide", dialects_differ_where_the_stride_does_not_divide},
		{"depthwise_layers_are_known_by_their_name", depthwise_layers_are_known_by_their_name},
		{"types_are_fp16_or_as_given", types_are_fp16_or_as_given},
		{"sizes_that_cannot_be_are_refused", sizes_that_cannot_be_are_refused},
		{"unknown_option_values_are_refused", unknown_option_values_are_refused},
		{"the_sample_file_is_read", the_sample_file_is_read},
		{"public_files_load_but_the_broken_ones", public_files_load_but_the_broken_ones},
	};

	return tap_run("frontend_csv", cases, G_N_ELEMENTS(cases));
}
