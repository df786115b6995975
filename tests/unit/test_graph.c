/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs as data: shapes that constructors derive, what the verifier refuses and in which words, the geometry of K
 * blocks, sizes and MACs.
 */
#include "isa/num.h"
#include "sched/ir/graph.h"
#include "tests/lib/tap.h"

#include <string.h>

/* Asserts that G, which it frees, is refused with exactly TEXT. */
static void assert_refused(graph *g, const char *text)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_FALSE(graph_verify(g, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	CU_ASSERT_STRING_EQUAL(error->message, text);
	graph_free(g);
}

static void assert_accepted(graph *g)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_TRUE(graph_verify(g, &error));
	CU_ASSERT_PTR_NULL(error);
	graph_free(g);
}

static void constructors_derive_shapes(void)
{
	graph *g = graph_new("shapes");
	uint32_t a = graph_input(g, "a", ISA_TYPE_F16, 12, 5);
	uint32_t b = graph_input(g, "b", ISA_TYPE_F16, 10, 7);
	uint32_t c = graph_matmul(g, "c", a, b, 2, ISA_TYPE_F16, 320, 160);
	uint32_t t = graph_transpose(g, "t", c);
	uint32_t r = graph_reduce(g, "r", ISA_OP_MAX, c, 3);
	uint32_t v = graph_view(g, "v", r, 6, 0, 3, 1, 0);
	uint32_t j = graph_join(g, "j", v, v, 2);
	uint32_t s = graph_binary(g, NULL, ISA_OP_ADD, ISA_TYPE_F32, graph_rows(g, "one", r, 1, 1), v);

	CU_ASSERT_EQUAL(graph_at(g, c)->rows, 12);
	CU_ASSERT_EQUAL(graph_at(g, c)->lanes, 7);
	CU_ASSERT_EQUAL(graph_at(g, c)->m, 6);
	CU_ASSERT_EQUAL(graph_at(g, c)->k, 5);
	CU_ASSERT_EQUAL(graph_at(g, t)->rows, 7);
	CU_ASSERT_EQUAL(graph_at(g, t)->lanes, 12);
	CU_ASSERT_EQUAL(graph_at(g, r)->rows, 3);
	CU_ASSERT_EQUAL(graph_at(g, v)->rows, 6);
	CU_ASSERT_EQUAL(graph_at(g, j)->rows, 12);
	CU_ASSERT_EQUAL(graph_at(g, s)->rows, 6);
	CU_ASSERT_STRING_EQUAL(graph_at(g, s)->name, "n8"); /* the ninth node: an unnamed one is called by its index */
	CU_ASSERT_EQUAL(graph_node_bytes(graph_at(g, s)), 6 * 7 * 4);
	/* Two batches of 6 x 5 x 7 products. */
	CU_ASSERT_EQUAL(graph_macs(g), 2 * 6 * 5 * 7);
	graph_mark_output(g, s);
	assert_accepted(g);
}

static graph *two_inputs(enum isa_type type, uint64_t rows_a, uint64_t rows_b)
{
	graph *g = graph_new("g");

	graph_input(g, "a", type, rows_a, 4);
	graph_input(g, "b", type, rows_b, 4);
	return g;
}

static void operands_of_different_shape_are_refused(void)
{
	graph *g = two_inputs(ISA_TYPE_F16, 6, 3);

	graph_mark_output(g, graph_binary(g, "z", ISA_OP_ADD, ISA_TYPE_F16, 0, 1));
	assert_refused(g, "graph 'g': node 'z': expected operands of one shape (or one row), found 'a' and 'b'");
	g = two_inputs(ISA_TYPE_F16, 6, 1);
	graph_mark_output(g, graph_binary(g, "z", ISA_OP_ADD, ISA_TYPE_F16, 0, 1));
	assert_accepted(g);
}

static void operations_are_checked_against_their_types(void)
{
	graph *g = two_inputs(ISA_TYPE_F16, 2, 2);

	graph_mark_output(g, graph_binary(g, "z", ISA_OP_AND, ISA_TYPE_F16, 0, 1));
	assert_refused(g, "graph 'g': node 'z': 'and' is not defined for fp16");
	g = two_inputs(ISA_TYPE_I8, 2, 2);
	graph_mark_output(g, graph_unary(g, "z", ISA_OP_EXP, ISA_TYPE_I8, 0));
	assert_refused(g, "graph 'g': node 'z': 'exp' is not defined for int8");
	g = two_inputs(ISA_TYPE_I8, 2, 2);
	graph_mark_output(g, graph_binary(g, "z", ISA_OP_ADD, ISA_TYPE_I32, 0, 1));
	assert_refused(g, "graph 'g': node 'z': 'add' on int8 gives int8, not int32");
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_binary(g, "z", ISA_OP_ADD, ISA_TYPE_F32, 0, 1));
	assert_accepted(g);
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_unary(g, "z", ISA_OP_CVT, ISA_TYPE_I32, 0));
	assert_accepted(g);
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_unary(g, "z", ISA_OP_ADD, ISA_TYPE_F16, 0));
	assert_refused(g, "graph 'g': node 'z': expected an operation with 1 operand, 'add' has 2");
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_unary(g, "z", ISA_OP_TRANSPOSE, ISA_TYPE_F16, 0));
	assert_refused(g, "graph 'g': node 'z': expected an operation of the vector unit");
}

static void operands_of_two_types_are_refused(void)
{
	graph *g = two_inputs(ISA_TYPE_F16, 2, 2);
	uint32_t wide = graph_unary(g, "w", ISA_OP_CVT, ISA_TYPE_F32, 1);

	graph_mark_output(g, graph_binary(g, "z", ISA_OP_ADD, ISA_TYPE_F32, 0, wide));
	assert_refused(g, "graph 'g': node 'z': expected operands of one type, found fp16 and fp32");
}

static void order_names_and_outputs_are_checked(void)
{
	graph *g = two_inputs(ISA_TYPE_F16, 2, 2);

	assert_refused(g, "graph 'g': expected at least one output");
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_unary(g, "a", ISA_OP_NEG, ISA_TYPE_F16, 0));
	assert_refused(g, "graph 'g': node 'a': the name is taken by an earlier node");
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_mark_output(g, graph_unary(g, "9", ISA_OP_NEG, ISA_TYPE_F16, 0));
	assert_refused(g,
	               "graph 'g': node '9': a name has letters, digits, '_' and '.', and begins with a letter or '_'");
	g = two_inputs(ISA_TYPE_F16, 2, 2);
	graph_unary(g, "z", ISA_OP_NEG, ISA_TYPE_F16, 0);
	graph_at(g, 2)->in[0] = 2;
	assert_refused(g, "graph 'g': node 'z': expected 1 operand computed before it");
	g = two_inputs(ISA_TYPE_F16, 0, 2);
	assert_refused(g, "graph 'g': node 'a': expected a shape of at least one element and at most 2^60");
	g = graph_new("g");
	graph_input(g, "a", ISA_TYPE_F16, (uint64_t)1 << 40, (uint64_t)1 << 24);
	assert_refused(g, "graph 'g': node 'a': expected a shape of at least one element and at most 2^60");
}

static void views_stay_inside_their_operand(void)
{
	/* Rows 1, 3, 5 and 4, 6, 8 of 9: the last is 1 + 3 + 2 * 2 = 8. */
	graph *g = two_inputs(ISA_TYPE_F16, 9, 1);

	graph_mark_output(g, graph_view(g, "v", 0, 6, 1, 2, 3, 2));
	assert_accepted(g);
	g = two_inputs(ISA_TYPE_F16, 8, 1);
	graph_mark_output(g, graph_view(g, "v", 0, 6, 1, 2, 3, 2));
	assert_refused(g, "graph 'g': node 'v': the view leaves the 8 rows of 'a'");
	g = two_inputs(ISA_TYPE_F16, 8, 1);
	graph_mark_output(g, graph_view(g, "v", 0, 5, 1, 2, 1, 1));
	assert_refused(g, "graph 'g': node 'v': expected groups that divide the rows of the view");
	g = two_inputs(ISA_TYPE_F16, 8, 1);
	graph_mark_output(g, graph_view(g, "v", 0, 4, UINT64_MAX, 2, UINT64_MAX, UINT64_MAX));
	assert_refused(g, "graph 'g': node 'v': the view leaves the 8 rows of 'a'");
}

static void lane_exchange_needs_whole_blocks(void)
{
	/* lane xor 5 exchanges inside blocks of 8. */
	graph *g = two_inputs(ISA_TYPE_F16, 1, 1);

	graph_mark_output(g, graph_lanes(g, "l", 0, 5));
	assert_refused(g, "graph 'g': node 'l': xor 5 needs lanes in multiples of 8");
	g = two_inputs(ISA_TYPE_F16, 1, 1);
	graph_mark_output(g, graph_lanes(g, "l", 0, 3));
	assert_accepted(g);
}

static void noncanonical_nan_in_a_constant_is_refused(void)
{
	uint16_t data[4] = {0x7E00, 0x3C00, 0x7C00, 0xFE00};
	graph *g = graph_new("g");

	graph_mark_output(g, graph_const(g, "c", ISA_TYPE_F16, 2, 2, data));
	assert_refused(g, "graph 'g': node 'c': element 3 is a NaN other than the canonical one");
}

static graph *small_conv(graph_conv c, enum isa_type out)
{
	graph *g = graph_new("g");
	uint32_t x = graph_input(g, "x", ISA_TYPE_F16, c.images * c.groups * c.h * c.w, c.c);
	uint32_t w = graph_input(g, "w", ISA_TYPE_F16, c.groups * graph_conv_k(&c), c.n);

	graph_mark_output(g, graph_conv2d(g, "y", x, w, &c, out, 160));
	return g;
}

static const graph_conv base = {.images = 1,
                                .groups = 1,
                                .h = 8,
                                .w = 8,
                                .c = 4,
                                .n = 3,
                                .r = 3,
                                .s = 3,
                                .stride_h = 2,
                                .stride_w = 2,
                                .oh = 3,
                                .ow = 3,
                                .kind = GRAPH_KBLOCK_RUNS,
                                .block_rows = 3,
                                .block_run = 320};

static void conv_output_size_is_floor_or_ceil(void)
{
	/* (8 - 3) / 2 = 2.5: floor gives 2 + 1 = 3 positions, ceil 3 + 1 = 4. */
	graph_conv c = base;

	assert_accepted(small_conv(c, ISA_TYPE_F16));
	c.oh = 4;
	assert_accepted(small_conv(c, ISA_TYPE_F16));
	c.oh = 5;
	assert_refused(small_conv(c, ISA_TYPE_F16),
	               "graph 'g': node 'y': the output size does not follow from input, filter, stride and padding");
	c = base;
	assert_refused(small_conv(c, ISA_TYPE_F32),
	               "graph 'g': node 'y': expected int8 operands with an int32 result, or fp16 throughout");
	c.block_run = 11;
	assert_refused(small_conv(c, ISA_TYPE_F16),
	               "graph 'g': node 'y': blocks of several filter rows need block_run of at least s c");
}

static void conv_macs_count_padding_taps(void)
{
	graph_conv c = base;
	graph *g;

	/* 4 x 4 outputs of 3 filters with K = 4 * 3 * 3, whatever lies in the padding. */
	c.pad = 1;
	c.oh = c.ow = 4;
	g = small_conv(c, ISA_TYPE_F16);
	CU_ASSERT_EQUAL(graph_macs(g), 16 * 3 * 36);
	assert_accepted(g);
}

static void assert_lane(const graph_conv *c, uint64_t block, uint64_t lane, uint64_t r, uint64_t s, uint64_t ch)
{
	uint64_t found[3];

	graph_conv_lane(c, block, lane, &found[0], &found[1], &found[2]);
	CU_ASSERT_EQUAL(found[0], r);
	CU_ASSERT_EQUAL(found[1], s);
	CU_ASSERT_EQUAL(found[2], ch);
}

static void runs_of_several_filter_rows_share_a_block(void)
{
	/* 5 rows of 3 x 4 = 12 lanes, two a block: 24, 24, 12. */
	graph_conv c = {.r = 5, .s = 3, .c = 4, .kind = GRAPH_KBLOCK_RUNS, .block_rows = 2, .block_run = 30};

	CU_ASSERT_EQUAL(graph_conv_block_count(&c), 3);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 0), 24);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 2), 12);
	assert_lane(&c, 0, 0, 0, 0, 0);
	assert_lane(&c, 0, 11, 0, 2, 3);
	assert_lane(&c, 0, 12, 1, 0, 0);
	assert_lane(&c, 1, 17, 3, 1, 1); /* row 2 + 1, position 5 of its run: tap 1, channel 1 */
	assert_lane(&c, 2, 4, 4, 1, 0);
}

static void runs_longer_than_a_block_are_cut_in_chunks(void)
{
	/* A run of 3 x 200 = 600 lanes in chunks of 320: 320 + 280 a filter row. */
	graph_conv c = {.r = 2, .s = 3, .c = 200, .kind = GRAPH_KBLOCK_RUNS, .block_rows = 1, .block_run = 320};

	CU_ASSERT_EQUAL(graph_conv_block_count(&c), 4);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 0), 320);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 1), 280);
	assert_lane(&c, 0, 319, 0, 1, 119);
	assert_lane(&c, 1, 0, 0, 1, 120);
	assert_lane(&c, 3, 279, 1, 2, 199);
}

static void taps_take_whole_channels_or_chunks_of_one_tap(void)
{
	/* 3 taps of 100 channels fit 320 lanes together; 4 taps would not: blocks of 3 and 1 taps. */
	graph_conv c = {.r = 2, .s = 4, .c = 100, .kind = GRAPH_KBLOCK_TAPS, .block_taps = 3, .block_chan = 100};

	CU_ASSERT_EQUAL(graph_conv_block_count(&c), 4);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 0), 300);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 1), 100);
	assert_lane(&c, 0, 299, 0, 2, 99);
	assert_lane(&c, 3, 5, 1, 3, 5);
	/* 500 channels: chunks of 320 and 180 of each tap. */
	c = (graph_conv){.r = 1, .s = 2, .c = 500, .kind = GRAPH_KBLOCK_TAPS, .block_taps = 1, .block_chan = 320};
	CU_ASSERT_EQUAL(graph_conv_block_count(&c), 4);
	CU_ASSERT_EQUAL(graph_conv_block_lanes(&c, 3), 180);
	assert_lane(&c, 3, 179, 0, 1, 499);
}

/* Every (filter row, tap, channel) is a lane of exactly one block, in both kinds and for awkward sizes. */
static void blocks_cover_the_filter_once(void)
{
	static const struct {
		uint64_t r, s, c, rows, run;
		enum graph_kblock kind;
	} shapes[] = {
		{3, 3, 7, 2, 30, GRAPH_KBLOCK_RUNS},    {1, 1, 700, 1, 320, GRAPH_KBLOCK_RUNS},
		{5, 2, 161, 1, 100, GRAPH_KBLOCK_RUNS}, {7, 7, 3, 7, 21, GRAPH_KBLOCK_RUNS},
		{3, 5, 7, 2, 7, GRAPH_KBLOCK_TAPS},     {2, 3, 321, 1, 320, GRAPH_KBLOCK_TAPS},
		{11, 11, 1, 11, 1, GRAPH_KBLOCK_TAPS},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
		graph_conv c = {.r = shapes[i].r, .s = shapes[i].s, .c = shapes[i].c, .kind = shapes[i].kind};
		g_autofree unsigned *seen = NULL;
		uint64_t lanes = 0;

		c.block_rows = c.block_taps = shapes[i].rows;
		c.block_run = c.block_chan = shapes[i].run;
		seen = g_new0(unsigned, graph_conv_k(&c));
		for (uint64_t block = 0; block < graph_conv_block_count(&c); block++) {
			for (uint64_t lane = 0; lane < graph_conv_block_lanes(&c, block); lane++) {
				uint64_t r, s, ch;

				graph_conv_lane(&c, block, lane, &r, &s, &ch);
				CU_ASSERT_TRUE_FATAL(r < c.r && s < c.s && ch < c.c);
				seen[(r * c.s + s) * c.c + ch]++;
				lanes++;
			}
		}
		CU_ASSERT_EQUAL(lanes, graph_conv_k(&c));
		for (uint64_t k = 0; k < graph_conv_k(&c); k++)
			CU_ASSERT_EQUAL(seen[k], 1);
	}
}

static void filling_is_seeded_and_independent_of_other_inputs(void)
{
	graph *g = two_inputs(ISA_TYPE_F16, 8, 8);
	graph *h = two_inputs(ISA_TYPE_F16, 2, 8);
	graph *i = two_inputs(ISA_TYPE_F16, 8, 8);

	graph_fill_inputs(g, 1, false);
	graph_fill_inputs(h, 1, false);
	graph_fill_inputs(i, 2, false);
	CU_ASSERT_EQUAL(memcmp(graph_at(g, 1)->data, graph_at(h, 1)->data, 8 * 4 * 2), 0);
	CU_ASSERT_EQUAL(memcmp(graph_at(g, 0)->data, graph_at(h, 0)->data, 2 * 4 * 2), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(graph_at(g, 0)->data, graph_at(i, 0)->data, 8 * 4 * 2), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(graph_at(g, 0)->data, graph_at(g, 1)->data, 8 * 4 * 2), 0);
	graph_free(g);
	graph_free(h);
	graph_free(i);
}

/* Counts of interest in 64,000 filled fp16 elements. */
static void filled_floats_are_small_with_rare_exceptions(void)
{
	for (unsigned specials = 0; specials < 2; specials++) {
		graph *g = graph_new("g");
		unsigned large = 0, zeros = 0, denormal = 0, nonfinite = 0;

		graph_input(g, "a", ISA_TYPE_F16, 200, 320);
		graph_fill_inputs(g, 3, specials);
		for (unsigned i = 0; i < 64000; i++) {
			uint16_t h;
			unsigned magnitude;

			memcpy(&h, graph_at(g, 0)->data + 2 * i, 2);
			magnitude = h & 0x7FFF;
			nonfinite += magnitude >= 0x7C00;
			large += magnitude > 0x4000 && magnitude < 0x7C00; /* above 2 */
			zeros += h == 0x8000;
			denormal += magnitude > 0 && magnitude < 0x0400;
		}
		CU_ASSERT_EQUAL(large, 0);
		/* One in 64 * 3: 333 expected of each kind, 5 standard deviations are 91. */
		CU_ASSERT_TRUE(zeros > 242 && zeros < 424);
		CU_ASSERT_TRUE(denormal > 242 && denormal < 424);
		/* 3 + 64000 / 4096 = 18 places, drawn with replacement: 18 distinct ones in this seed's stream. */
		CU_ASSERT_EQUAL(nonfinite, specials ? 18 : 0);
		graph_free(g);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"constructors_derive_shapes", constructors_derive_shapes},
		{"operands_of_different_shape_are_refused", operands_of_different_shape_are_refused},
		{"operations_are_checked_against_their_types", operations_are_checked_against_their_types},
		{"operands_of_two_types_are_refused", operands_of_two_types_are_refused},
		{"order_names_and_outputs_are_checked", order_names_and_outputs_are_checked},
		{"views_stay_inside_their_operand", views_stay_inside_their_operand},
		{"lane_exchange_needs_whole_blocks", lane_exchange_needs_whole_blocks},
		{"noncanonical_nan_in_a_constant_is_refused", noncanonical_nan_in_a_constant_is_refused},
		{"conv_output_size_is_floor_or_ceil", conv_output_size_is_floor_or_ceil},
		{"conv_macs_count_padding_taps", conv_macs_count_padding_taps},
		{"runs_of_several_filter_rows_share_a_block", runs_of_several_filter_rows_share_a_block},
		{"runs_longer_than_a_block_are_cut_in_chunks", runs_longer_than_a_block_are_cut_in_chunks},
		{"taps_take_whole_channels_or_chunks_of_one_tap", taps_take_whole_channels_or_chunks_of_one_tap},
		{"blocks_cover_the_filter_once", blocks_cover_the_filter_once},
		{"filling_is_seeded_and_independent_of_other_inputs",
	         filling_is_seeded_and_independent_of_other_inputs},
		{"filled_floats_are_small_with_rare_exceptions", filled_floats_are_small_with_rare_exceptions},
	};

	return tap_run("graph", cases, G_N_ELEMENTS(cases));
}
