/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form: what generators print, line for line; reading back what was printed; refusals of the reader with file,
 * line and column.
 */
#include "isa/num.h"
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"

#include <string.h>

static isa_machine *load(const char *name)
{
	isa_machine *m = isa_machine_load(name, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

/* The text of the only graph of WORKLOAD. */
static char *text_of(const char *workload, const char *machine)
{
	isa_machine *m = load(machine);
	g_autoptr(GError) error = NULL;
	GPtrArray *graphs = frontend_read(workload, m, NULL, &error);
	char *text;

	if (!graphs)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	CU_ASSERT_EQUAL(graphs->len, 1);
	text = graph_print(g_ptr_array_index(graphs, 0));
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
	return text;
}

static void assert_text(const char *workload, const char *machine, const char *expected)
{
	g_autofree char *text = text_of(workload, machine);

	CU_ASSERT_STRING_EQUAL(text, expected);
	if (strcmp(text, expected))
		tap_note("%s", text);
}

static void gemm_is_one_product(void)
{
	assert_text("gemm:4x5x6", "tsp",
	            "graph \"gemm:4x5x6\"\n"
	            "a: fp16[4][6] = input\n"
	            "b: fp16[6][5] = input\n"
	            "c: fp16[4][5] = matmul a, b, batches 1, block_run 320, sum 160\n"
	            "output c\n");
	assert_text("bmm:3x4x5x6:int8", "tsp",
	            "graph \"bmm:3x4x5x6:int8\"\n"
	            "a: int8[12][6] = input\n"
	            "b: int8[18][5] = input\n"
	            "c: int32[12][5] = matmul a, b, batches 3, block_run 320, sum 160\n"
	            "output c\n");
}

/* Flat memory: whole filter rows, floor(320 / (3 * 2)) = 53 of them but only 3 exist; slices: taps, 320 / 2 = 160 of
 * them but only 3 exist. */
static void conv_blocks_follow_the_memory(void)
{
	assert_text("conv:2x4x8x8,6x3x3,stride=2,pad=1,groups=2:int8", "tsp",
	            "graph \"conv:2x4x8x8,6x3x3,stride=2,pad=1,groups=2:int8\"\n"
	            "x: int8[256][2] = input\n"
	            "w: int8[36][3] = input\n"
	            "y: int32[64][3] = conv x, w, images 2, groups 2, h 8, w 8, c 2, n 3, r 3, s 3, stride_h 2, "
	            "stride_w 2, pad 1, oh 4, ow 4, block_rows 3, block_run 320, sum 160\n"
	            "output y\n");
	assert_text("conv:1x2x8x8,6x3x3,stride=2x1", "tsp-isca20",
	            "graph \"conv:1x2x8x8,6x3x3,stride=2x1\"\n"
	            "x: fp16[64][2] = input\n"
	            "w: fp16[18][6] = input\n"
	            "y: fp16[18][6] = conv x, w, images 1, groups 1, h 8, w 8, c 2, n 6, r 3, s 3, stride_h 2, "
	            "stride_w 1, pad 0, oh 3, ow 6, block_taps 3, block_chan 2, sum 160\n"
	            "output y\n");
}

static void softmax_states_every_intermediate_type(void)
{
	assert_text("softmax:64x9", "tsp",
	            "graph \"softmax:64x9\"\n"
	            "x: fp16[9][64] = input\n"
	            "max: fp16[1][64] = reduce max x, groups 1\n"
	            "d: fp32[9][64] = sub x, max\n"
	            "e: fp32[9][64] = exp d\n"
	            "sum: fp32[1][64] = reduce add e, groups 1\n"
	            "q: fp32[1][64] = rsqrt sum\n"
	            "r: fp32[1][64] = mul q, q\n"
	            "y: fp16[9][64] = mul e, r\n"
	            "output y\n");
}

static void layernorm_has_mean_variance_and_epsilon(void)
{
	assert_text("layernorm:100x8", "tsp",
	            "graph \"layernorm:100x8\"\n"
	            "x: fp16[8][100] = input\n"
	            "xf: fp32[8][100] = cvt x\n"
	            "sum: fp32[1][100] = reduce add xf, groups 1\n"
	            "mean: fp32[1][100] = mul sum, #0.125\n"
	            "d: fp32[8][100] = sub xf, mean\n"
	            "dd: fp32[8][100] = mul d, d\n"
	            "squares: fp32[1][100] = reduce add dd, groups 1\n"
	            "v: fp32[1][100] = mul squares, #0.125\n"
	            "ve: fp32[1][100] = add v, #9.99999975e-06\n"
	            "r: fp32[1][100] = rsqrt ve\n"
	            "y: fp16[8][100] = mul d, r\n"
	            "output y\n");
}

/* int8: scores are scaled by 2^-10 / sqrt(4) = 2^-11, probabilities by 127. */
static void attention_keeps_heads_in_groups(void)
{
	assert_text("attention:1x2x8x4", "tsp",
	            "graph \"attention:1x2x8x4\"\n"
	            "qt: fp16[8][8] = input\n"
	            "k: fp16[16][4] = input\n"
	            "vt: fp16[8][8] = input\n"
	            "st: fp16[16][8] = matmul k, qt, batches 2, block_run 320, sum 160\n"
	            "t: fp32[16][8] = mul st, #0.5\n"
	            "max: fp32[2][8] = reduce max t, groups 2\n"
	            "max.all: fp32[16][8] = rows max, first 0, groups 2, pitch 1, step 0\n"
	            "d: fp32[16][8] = sub t, max.all\n"
	            "e: fp32[16][8] = exp d\n"
	            "sum: fp32[2][8] = reduce add e, groups 2\n"
	            "q: fp32[2][8] = rsqrt sum\n"
	            "r: fp32[2][8] = mul q, q\n"
	            "r.all: fp32[16][8] = rows r, first 0, groups 2, pitch 1, step 0\n"
	            "p: fp16[16][8] = mul e, r.all\n"
	            "ot: fp16[8][8] = matmul vt, p, batches 2, block_run 320, sum 160\n"
	            "output ot\n");
	assert_text("attention:1x1x8x4:int8", "tsp",
	            "graph \"attention:1x1x8x4:int8\"\n"
	            "qt: int8[4][8] = input\n"
	            "k: int8[8][4] = input\n"
	            "vt: int8[4][8] = input\n"
	            "st: int32[8][8] = matmul k, qt, batches 1, block_run 320, sum 160\n"
	            "sf: fp32[8][8] = cvt st\n"
	            "t: fp32[8][8] = mul sf, #0.00048828125\n"
	            "max: fp32[1][8] = reduce max t, groups 1\n"
	            "d: fp32[8][8] = sub t, max\n"
	            "e: fp32[8][8] = exp d\n"
	            "sum: fp32[1][8] = reduce add e, groups 1\n"
	            "q: fp32[1][8] = rsqrt sum\n"
	            "r: fp32[1][8] = mul q, q\n"
	            "pf: fp32[8][8] = mul e, r\n"
	            "ps: fp32[8][8] = mul pf, #127\n"
	            "p: int8[8][8] = cvt ps\n"
	            "ot: int32[4][8] = matmul vt, p, batches 1, block_run 320, sum 160\n"
	            "output ot\n");
}

/* Four points: distances 2 and 1 within one vector.  Stage 2 multiplies lanes 2 and 3 by w^0 = 1 and w^1 = -i. */
static void fft_of_four_points_has_two_lane_stages(void)
{
	assert_text("fft:4:fp32", "tsp",
	            "graph \"fft:4:fp32\"\n"
	            "xr: fp32[1][4] = input\n"
	            "xi: fp32[1][4] = input\n"
	            "sign.2: fp32[1][4] = const 3f800000*2 bf800000*2\n"
	            "pr.2: fp32[1][4] = lanes xr, xor 2\n"
	            "or.2: fp32[1][4] = mul xr, sign.2\n"
	            "yr.2: fp32[1][4] = add or.2, pr.2\n"
	            "pi.2: fp32[1][4] = lanes xi, xor 2\n"
	            "oi.2: fp32[1][4] = mul xi, sign.2\n"
	            "yi.2: fp32[1][4] = add oi.2, pi.2\n"
	            "wr.2: fp32[1][4] = const 3f800000*3 00000000\n"
	            "wi.2: fp32[1][4] = const 00000000*3 bf800000\n"
	            "rr.2: fp32[1][4] = mul yr.2, wr.2\n"
	            "ii.2: fp32[1][4] = mul yi.2, wi.2\n"
	            "xr.2: fp32[1][4] = sub rr.2, ii.2\n"
	            "ri.2: fp32[1][4] = mul yr.2, wi.2\n"
	            "ir.2: fp32[1][4] = mul yi.2, wr.2\n"
	            "xi.2: fp32[1][4] = add ri.2, ir.2\n"
	            "sign.1: fp32[1][4] = const 3f800000 bf800000 3f800000 bf800000\n"
	            "pr.1: fp32[1][4] = lanes xr.2, xor 1\n"
	            "or.1: fp32[1][4] = mul xr.2, sign.1\n"
	            "xr.1: fp32[1][4] = add or.1, pr.1\n"
	            "pi.1: fp32[1][4] = lanes xi.2, xor 1\n"
	            "oi.1: fp32[1][4] = mul xi.2, sign.1\n"
	            "xi.1: fp32[1][4] = add oi.1, pi.1\n"
	            "output xr.1\n"
	            "output xi.1\n");
}

static void vmap_and_transpose_take_every_type(void)
{
	assert_text("vmap:shr,100:int16", "tsp",
	            "graph \"vmap:shr,100:int16\"\n"
	            "x: int16[1][100] = input\n"
	            "y: int16[1][100] = input\n"
	            "z: int16[1][100] = shr x, y\n"
	            "output z\n");
	assert_text("transpose:30x20:int32", "tsp",
	            "graph \"transpose:30x20:int32\"\n"
	            "x: int32[30][20] = input\n"
	            "y: int32[20][30] = transpose x\n"
	            "output y\n");
}

static void reading_what_was_printed_prints_the_same(void)
{
	static const char *const workloads[] = {
		"gemm:1x1x1",
		"gemm:7x9x700:int8",
		"bmm:2x3x4x5",
		"conv:1x3x9x9,8x3x3,pad=1,stride=2",
		"attention:2x3x16x8",
		"flash:2x3x16x8,tile=5",
		"softmax:5x6:fp32",
		"layernorm:3x7:fp32",
		"conv:1x700x4x4,8x2x2:int8",
		"attention:1x1x5x3:int8",
		"layernorm:20x321",
		"transpose:3x5:fp32",
		"fft:2",
		"fft:1024:fp32",
		"fft:4096",
		"vmap:tanh,5",
		"vmap:add_sat,400:int8",
	};
	static const char *const machines[] = {"tsp", "tsp-isca20"};

	for (size_t i = 0; i < G_N_ELEMENTS(workloads) * G_N_ELEMENTS(machines); i++) {
		g_autofree char *text = text_of(workloads[i / 2], machines[i % 2]);
		g_autofree char *again = NULL;
		g_autoptr(GError) error = NULL;
		graph *g = graph_parse(text, "text", &error);

		CU_ASSERT_PTR_NOT_NULL_FATAL(g);
		CU_ASSERT_TRUE(graph_verify(g, &error));
		again = graph_print(g);
		CU_ASSERT_STRING_EQUAL(again, text);
		graph_free(g);
	}
}

/* Immediates keep their bits: -0, the least denormal, infinity, a NaN, 0.1 in fp32; integers their sign. */
static void immediates_survive_the_text(void)
{
	static const uint32_t bits[] = {0x80000000, 0x00000001, 0x7F800000, 0xFF800000,
	                                0x7FC00000, 0x3DCCCCCD, 0x00800000, 0x7F7FFFFF};
	graph *g = graph_new("a \"quoted\"\tname");
	graph *h;
	uint32_t x = graph_input(g, "x", ISA_TYPE_F16, 1, 2), y = graph_input(g, "y", ISA_TYPE_I8, 1, 2);
	g_autofree char *text = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(bits); i++)
		graph_mark_output(g, graph_binary_imm(g, NULL, ISA_OP_ADD, ISA_TYPE_F16, x, bits[i]));
	graph_mark_output(g, graph_binary_imm(g, "i", ISA_OP_ADD, ISA_TYPE_I8, y, (uint32_t)-128));
	text = graph_print(g);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "n2: fp16[1][2] = add x, #-0\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "i: int8[1][2] = add y, #-128\n"));
	h = graph_parse(text, "text", NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_STRING_EQUAL(h->name, g->name);
	for (size_t i = 0; i < G_N_ELEMENTS(bits); i++)
		CU_ASSERT_EQUAL(graph_at(h, (uint32_t)i + 2)->imm, bits[i]);
	CU_ASSERT_EQUAL(graph_at(h, graph_size(h) - 1)->imm, (uint32_t)-128);
	graph_free(g);
	graph_free(h);
}

static void comments_blank_lines_and_input_data_are_read(void)
{
	graph *g = graph_parse("// a comment\n\n graph \"g\" // title\r\n"
	                       "x: int16[2][2] = input 0001 ffff*2 7FFF // data\n\t\n"
	                       "y : int16 [ 2 ] [ 2 ] = add x , #-3\noutput y",
	                       "text", NULL);
	static const uint8_t data[] = {0x01, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F};

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_EQUAL(memcmp(graph_at(g, 0)->data, data, sizeof(data)), 0);
	CU_ASSERT_TRUE(graph_at(g, 1)->output);
	CU_ASSERT_TRUE(graph_verify(g, NULL));
	graph_free(g);
}

static void refusals_name_file_line_and_column(void)
{
	static const struct {
		const char *body; /* after graph "g" and x: fp16[1][4] = input */
		const char *message;
	} rows[] = {
		{"y: fp16[1][4] = subb x, x", "f:3:17: expected an operation, found 'subb'; nearest is 'sub'"},
		{"y: fp61[1][4] = neg x", "f:3:4: expected a type, found 'fp61'; nearest is 'fp16'"},
		{"yy: fp16[1][4] = neg y", "f:3:22: expected an earlier node, found 'y'; nearest is 'x'"},
		{"y: fp16[1][4 = neg x", "f:3:14: expected ']'"},
		{"y: fp16[-1][4] = neg x", "f:3:9: expected a number"},
		{"y: fp16[99999999999999999999][4] = neg x", "f:3:9: expected a number below 2^64"},
		{"y: fp16[1][4] = add x", "f:3:22: expected ','"},
		{"y: fp16[1][4] = neg x, x", "f:3:22: expected the end of the line"},
		{"y: fp16[1][4] = add x, #one", "f:3:25: expected a number"},
		{"x: fp16[1][4] = neg x", "f:3:1: the name 'x' is taken by an earlier node"},
		{"y: fp16[1][4] = rows x, first 0, group 1, pitch 0, step 1",
	         "f:3:34: expected an attribute, found 'group'; nearest is 'groups'"},
		{"y: fp16[1][4] = rows x, first 0, first 1", "f:3:34: 'first' is given twice"},
		{"y: fp16[1][4] = rows x, first 0, groups 1, pitch 0", "f:3:51: expected ', step' and a number"},
		{"c: fp16[1][4] = const 3c00*3", "f:3:29: expected 4 elements, found 3"},
		{"c: fp16[1][4] = const 3c00*5", "f:3:23: expected at most 4 further elements"},
		{"c: fp16[1][4] = const 13c00 0*3", "f:3:23: expected the 4 hexadecimal digits of an element of fp16"},
		{"c: fp16[1][4] = const", "f:3:22: expected the constant's elements"},
		{"c: fp16[99999999][99999999] = const 0*2", "f:3:37: expected a shape of at most 2^26 elements"},
		{"output z", "f:3:8: expected an earlier node, found 'z'; nearest is 'x'"},
		{"= neg x", "f:3:1: expected a node or 'output'"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strconcat("graph \"g\"\nx: fp16[1][4] = input\n", rows[i].body, "\n", NULL);
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NULL(graph_parse(text, "f", &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i].message);
		if (strcmp(error->message, rows[i].message))
			tap_note("%s", error->message);
	}
}

static void an_empty_text_is_refused(void)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(graph_parse("\n  \n", "f", &error));
	CU_ASSERT_STRING_EQUAL(error->message, "f:1:1: expected graph \"NAME\"");
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(graph_parse("x: fp16[1][1] = input", "f", &error));
	CU_ASSERT_STRING_EQUAL(error->message, "f:1:1: expected graph \"NAME\"");
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(graph_parse("graph \"never closed", "f", &error));
	CU_ASSERT_STRING_EQUAL(error->message, "f:1:8: expected '\"' at the end of the name");
}

int main(void)
{
	static const tap_case cases[] = {
		{"gemm_is_one_product", gemm_is_one_product},
		{"conv_blocks_follow_the_memory", conv_blocks_follow_the_memory},
		{"softmax_states_every_intermediate_type", softmax_states_every_intermediate_type},
		{"layernorm_has_mean_variance_and_epsilon", layernorm_has_mean_variance_and_epsilon},
		{"attention_keeps_heads_in_groups", attention_keeps_heads_in_groups},
		{"fft_of_four_points_has_two_lane_stages", fft_of_four_points_has_two_lane_stages},
		{"vmap_and_transpose_take_every_type", vmap_and_transpose_take_every_type},
		{"reading_what_was_printed_prints_the_same", reading_what_was_printed_prints_the_same},
		{"immediates_survive_the_text", immediates_survive_the_text},
		{"comments_blank_lines_and_input_data_are_read", comments_blank_lines_and_input_data_are_read},
		{"refusals_name_file_line_and_column", refusals_name_file_line_and_column},
		{"an_empty_text_is_refused", an_empty_text_is_refused},
	};

	return tap_run("graph_text", cases, G_N_ELEMENTS(cases));
}
