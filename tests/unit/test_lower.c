/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering: whole programs as text for small graphs, and what is refused.  test_lower_agree.c executes lowered
 * programs.
 */
#include "sched/lower/lower.h"
#include "tests/lib/tap.h"

#include <string.h>

static isa_machine *machine(const char *name)
{
	isa_machine *m = isa_machine_load(name, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

static graph *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	graph *g = graph_parse(text, "text", &error);

	if (!g || !graph_verify(g, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	return g;
}

static void assert_lowered(const char *text, int64_t lanes, unsigned radix, const char *expected)
{
	isa_machine *m = machine("tsp");
	graph *g = parse(text);
	low_program *p;
	g_autofree char *found = NULL;

	m->lanes = lanes;
	p = low_lower(g, m, radix, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	found = low_print(p);
	CU_ASSERT_STRING_EQUAL(found, expected);
	if (strcmp(found, expected))
		tap_note("%s", found);
	low_free(p);
	graph_free(g);
	isa_machine_free(m);
}

/* One loop over all vectors, loads just before their use, nothing stored between. */
static void a_chain_is_one_loop(void)
{
	assert_lowered("graph \"g\"\nx: fp16[3][640] = input\ny: fp16[3][640] = input\n"
	               "a: fp32[3][640] = add x, y\nb: fp32[3][640] = exp a\nc: fp16[3][640] = mul b, #2\noutput c\n",
	               320, 4,
	               "tensor 0 x: fp16[3][640] vector 320 blocks 2 tail 0 host life 0..0\n"
	               "tensor 1 y: fp16[3][640] vector 320 blocks 2 tail 0 host life 0..0\n"
	               "tensor 2 c: fp16[3][640] vector 320 blocks 2 tail 0 output life 0..0\n"
	               "macro 0 a+b+c: loop 6 lanes 320\n"
	               "  0 load t0.0[0+1*i0] fp16\n"
	               "  1 load t1.0[0+1*i0] fp16\n"
	               "  2 add 0, 1 fp16 -> fp32\n"
	               "  3 exp 2 fp32\n"
	               "  4 mul 3, #0x40000000 fp32 -> fp16\n"
	               "  5 store 4 t2.0[0+1*i0] fp16\n");
}

/* 40 lanes on vectors of 32: full blocks and the tail are loops of their own. */
static void the_narrow_block_has_a_loop_of_its_own(void)
{
	assert_lowered("graph \"g\"\nx: int8[5][40] = input\na: int8[5][40] = neg x\noutput a\n", 32, 4,
	               "tensor 0 x: int8[5][40] vector 32 blocks 1 tail 8 host life 0..1\n"
	               "tensor 1 a: int8[5][40] vector 32 blocks 1 tail 8 output life 0..1\n"
	               "macro 0 a: loop 5 lanes 32\n"
	               "  0 load t0.0[0+1*i0] int8\n"
	               "  1 neg 0 int8\n"
	               "  2 store 1 t1.0[0+1*i0] int8\n"
	               "macro 1 a.tail: loop 5 lanes 8\n"
	               "  0 load t0.1[0+1*i0] int8\n"
	               "  1 neg 0 int8\n"
	               "  2 store 1 t1.1[0+1*i0] int8\n");
}

/* A value that others read is stored inside the loop and used on in it. */
static void a_value_with_further_readers_is_stored_on_the_way(void)
{
	assert_lowered("graph \"g\"\nx: fp32[4][8] = input\na: fp32[4][8] = exp x\nb: fp32[4][8] = neg a\n"
	               "s: fp32[1][8] = reduce add a, groups 1\noutput b\noutput s\n",
	               320, 4,
	               "tensor 0 x: fp32[4][8] vector 320 blocks 0 tail 8 host life 0..0\n"
	               "tensor 1 a: fp32[4][8] vector 320 blocks 0 tail 8 life 0..1\n"
	               "tensor 2 b: fp32[4][8] vector 320 blocks 0 tail 8 output life 0..1\n"
	               "tensor 3 s: fp32[1][8] vector 320 blocks 0 tail 8 output life 1..1\n"
	               "macro 0 a+b: loop 4 lanes 8\n"
	               "  0 load t0.1[0+1*i0] fp32\n"
	               "  1 exp 0 fp32\n"
	               "  2 store 1 t1.1[0+1*i0] fp32\n"
	               "  3 neg 1 fp32\n"
	               "  4 store 3 t2.1[0+1*i0] fp32\n"
	               "macro 1 s.0 after 0: loop 1 lanes 8\n"
	               "  0 load t1.1[0] fp32\n"
	               "  1 load t1.1[1] fp32\n"
	               "  2 add 0, 1 fp32\n"
	               "  3 load t1.1[2] fp32\n"
	               "  4 load t1.1[3] fp32\n"
	               "  5 add 3, 4 fp32\n"
	               "  6 add 2, 5 fp32\n"
	               "  7 store 6 t3.1[0] fp32\n");
}

/* c needs the sum over a, so it cannot share a's loop. */
static void a_reader_behind_a_reduction_is_not_fused(void)
{
	assert_lowered(
		"graph \"g\"\nx: fp32[2][8] = input\na: fp32[2][8] = exp x\ns: fp32[1][8] = reduce add a, groups 1\n"
		"c: fp32[2][8] = mul a, s\noutput c\n",
		320, 2,
		"tensor 0 x: fp32[2][8] vector 320 blocks 0 tail 8 host life 0..0\n"
		"tensor 1 a: fp32[2][8] vector 320 blocks 0 tail 8 life 0..2\n"
		"tensor 2 s: fp32[1][8] vector 320 blocks 0 tail 8 life 1..2\n"
		"tensor 3 c: fp32[2][8] vector 320 blocks 0 tail 8 output life 2..2\n"
		"macro 0 a: loop 2 lanes 8\n"
		"  0 load t0.1[0+1*i0] fp32\n"
		"  1 exp 0 fp32\n"
		"  2 store 1 t1.1[0+1*i0] fp32\n"
		"macro 1 s.0 after 0: loop 1 lanes 8\n"
		"  0 load t1.1[0] fp32\n"
		"  1 load t1.1[1] fp32\n"
		"  2 add 0, 1 fp32\n"
		"  3 store 2 t2.1[0] fp32\n"
		"macro 2 c after 0,1: loop 2 lanes 8\n"
		"  0 load t1.1[0+1*i0] fp32\n"
		"  1 load t2.1[0] fp32\n"
		"  2 mul 0, 1 fp32\n"
		"  3 store 2 t3.1[0+1*i0] fp32\n");
}

/* Seven elements in groups of two, radix 4: 4 + rest 3, then 2.  Two groups are the outer loop. */
static void a_reduction_has_full_groups_and_a_rest(void)
{
	assert_lowered("graph \"g\"\nx: int32[14][8] = input\ns: int32[2][8] = reduce add x, groups 2\noutput s\n", 320,
	               4,
	               "tensor 0 x: int32[14][8] vector 320 blocks 0 tail 8 host life 0..1\n"
	               "tensor 1 s: int32[4][8] vector 320 blocks 0 tail 8 life 0..2\n"
	               "tensor 2 s: int32[2][8] vector 320 blocks 0 tail 8 output life 2..2\n"
	               "macro 0 s.0: loop 2 lanes 8\n"
	               "  0 load t0.1[0+7*i0] int32\n"
	               "  1 load t0.1[1+7*i0] int32\n"
	               "  2 add 0, 1 int32\n"
	               "  3 load t0.1[2+7*i0] int32\n"
	               "  4 load t0.1[3+7*i0] int32\n"
	               "  5 add 3, 4 int32\n"
	               "  6 add 2, 5 int32\n"
	               "  7 store 6 t1.1[0+2*i0] int32\n"
	               "macro 1 s.0.rest: loop 2 lanes 8\n"
	               "  0 load t0.1[4+7*i0] int32\n"
	               "  1 load t0.1[5+7*i0] int32\n"
	               "  2 add 0, 1 int32\n"
	               "  3 load t0.1[6+7*i0] int32\n"
	               "  4 add 2, 3 int32\n"
	               "  5 store 4 t1.1[1+2*i0] int32\n"
	               "macro 2 s.1 after 0,1: loop 2 lanes 8\n"
	               "  0 load t1.1[0+2*i0] int32\n"
	               "  1 load t1.1[1+2*i0] int32\n"
	               "  2 add 0, 1 int32\n"
	               "  3 store 2 t2.1[0+1*i0] int32\n");
}

/* Rows 0, 1 and 4, 5 minus rows 2, 3 and 6, 7: both views and both halves of the join are references; the repeated row
 * of w does not step.  Nothing is copied. */
static void views_and_joins_become_references(void)
{
	assert_lowered("graph \"g\"\nx: fp16[8][8] = input\nw: fp16[2][8] = input\n"
	               "a: fp16[4][8] = rows x, first 0, groups 2, pitch 4, step 1\n"
	               "b: fp16[4][8] = rows x, first 2, groups 2, pitch 4, step 1\n"
	               "r: fp16[4][8] = rows w, first 0, groups 2, pitch 1, step 0\n"
	               "s: fp16[4][8] = add a, b\nd: fp16[4][8] = sub a, b\nm: fp16[4][8] = mul d, r\n"
	               "j: fp16[8][8] = join s, m, groups 2\noutput j\n",
	               320, 2,
	               "tensor 0 x: fp16[8][8] vector 320 blocks 0 tail 8 host life 0..0\n"
	               "tensor 1 w: fp16[2][8] vector 320 blocks 0 tail 8 host life 0..0\n"
	               "tensor 2 j: fp16[8][8] vector 320 blocks 0 tail 8 output life 0..0\n"
	               "macro 0 s+d+m: loop 2 x 2 lanes 8\n"
	               "  0 load t0.1[0+1*i0+4*i1] fp16\n"
	               "  1 load t0.1[2+1*i0+4*i1] fp16\n"
	               "  2 add 0, 1 fp16\n"
	               "  3 store 2 t2.1[0+1*i0+4*i1] fp16\n"
	               "  4 sub 0, 1 fp16\n"
	               "  5 load t1.1[0+1*i1] fp16\n"
	               "  6 mul 4, 5 fp16\n"
	               "  7 store 6 t2.1[2+1*i0+4*i1] fp16\n");
}

/* Grouped rows times lane blocks do not step evenly through x (8 rows a block) and its view (2 of 4): a loop a block.
 */
static void uneven_blocks_have_loops_of_their_own(void)
{
	assert_lowered(
		"graph \"g\"\nx: int8[8][64] = input\nv: int8[4][64] = rows x, first 1, groups 2, pitch 4, step 1\n"
		"a: int8[4][64] = neg v\noutput a\n",
		32, 2,
		"tensor 0 x: int8[8][64] vector 32 blocks 2 tail 0 host life 0..0\n"
		"tensor 1 a: int8[4][64] vector 32 blocks 2 tail 0 output life 0..0\n"
		"macro 0 a: loop 2 x 4 lanes 32\n"
		"  0 load t0.0[1+1*i0+4*i1] int8\n"
		"  1 neg 0 int8\n"
		"  2 store 1 t1.0[0+1*i0+2*i1] int8\n");
	assert_lowered(
		"graph \"g\"\nx: int8[9][64] = input\nv: int8[4][64] = rows x, first 1, groups 2, pitch 4, step 1\n"
		"a: int8[4][64] = neg v\noutput a\n",
		32, 2,
		"tensor 0 x: int8[9][64] vector 32 blocks 2 tail 0 host life 0..1\n"
		"tensor 1 a: int8[4][64] vector 32 blocks 2 tail 0 output life 0..1\n"
		"macro 0 a.block0: loop 2 x 2 lanes 32\n"
		"  0 load t0.0[1+1*i0+4*i1] int8\n"
		"  1 neg 0 int8\n"
		"  2 store 1 t1.0[0+1*i0+2*i1] int8\n"
		"macro 1 a.block1: loop 2 x 2 lanes 32\n"
		"  0 load t0.0[10+1*i0+4*i1] int8\n"
		"  1 neg 0 int8\n"
		"  2 store 1 t1.0[4+1*i0+2*i1] int8\n");
}

/* A LANES node, and whatever shares its loops, has vectors of the tensor's own width. */
static void lane_exchange_sets_the_vector_width(void)
{
	assert_lowered("graph \"g\"\nx: fp16[2][8] = input\nl: fp16[2][8] = lanes x, xor 4\na: fp16[2][8] = add x, "
	               "l\noutput a\n",
	               320, 2,
	               "tensor 0 x: fp16[2][8] vector 8 blocks 1 tail 0 host life 0..0\n"
	               "tensor 1 a: fp16[2][8] vector 8 blocks 1 tail 0 output life 0..0\n"
	               "macro 0 l+a: loop 2 lanes 8\n"
	               "  0 load t0.0[0+1*i0] fp16\n"
	               "  1 lanes 0 xor 4 fp16\n"
	               "  2 add 0, 1 fp16\n"
	               "  3 store 2 t1.0[0+1*i0] fp16\n");
}

static void batches_are_macros_with_row_offsets(void)
{
	assert_lowered("graph \"g\"\na: fp16[4][3] = input\nb: fp16[6][5] = input\n"
	               "c: fp16[4][5] = matmul a, b, batches 2, block_run 320, sum 160\nd: fp16[2][5] = rows c, first "
	               "2, groups 1, "
	               "pitch 0, step 1\ne: fp16[2][5] = neg d\noutput e\n",
	               320, 2,
	               "tensor 0 a: fp16[4][3] vector 320 blocks 0 tail 3 host life 0..1\n"
	               "tensor 1 b: fp16[6][5] vector 320 blocks 0 tail 5 host life 0..1\n"
	               "tensor 2 c: fp16[4][5] vector 320 blocks 0 tail 5 life 0..2\n"
	               "tensor 3 e: fp16[2][5] vector 320 blocks 0 tail 5 output life 2..2\n"
	               "macro 0 c.0: matmul t0[0] x t1[0] -> t2[0] m 2 k 3 n 5 fp16 block_run 320 sum 160\n"
	               "macro 1 c.1: matmul t0[2] x t1[3] -> t2[2] m 2 k 3 n 5 fp16 block_run 320 sum 160\n"
	               /* rows 2 and 3 come from batch 1 alone */
	               "macro 2 e after 1: loop 2 lanes 5\n"
	               "  0 load t2.1[2+1*i0] fp16\n"
	               "  1 neg 0 fp16\n"
	               "  2 store 1 t3.1[0+1*i0] fp16\n");
}

static void images_and_groups_are_macros(void)
{
	assert_lowered("graph \"g\"\nx: int8[64][2] = input\nw: int8[16][3] = input\n"
	               "y: int32[36][3] = conv x, w, images 2, groups 2, h 4, w 4, c 2, n 3, r 2, s 2, stride_h 1, "
	               "stride_w 1, pad 0, "
	               "oh 3, ow 3, block_rows 2, block_run 320, sum 160\noutput y\n",
	               320, 2,
	               "tensor 0 x: int8[64][2] vector 320 blocks 0 tail 2 host conv-input 0 life 0..3\n"
	               "tensor 1 w: int8[16][3] vector 320 blocks 0 tail 3 host conv-weight 0 life 0..3\n"
	               "tensor 2 y: int32[36][3] vector 320 blocks 0 tail 3 output life 0..3\n"
	               "macro 0 y.0: conv t0[0] * t1[0] -> t2[0] 2x4x4 filter 3x2x2 out 3x3 int8\n"
	               "macro 1 y.1: conv t0[16] * t1[8] -> t2[9] 2x4x4 filter 3x2x2 out 3x3 int8\n"
	               "macro 2 y.2: conv t0[32] * t1[0] -> t2[18] 2x4x4 filter 3x2x2 out 3x3 int8\n"
	               "macro 3 y.3: conv t0[48] * t1[8] -> t2[27] 2x4x4 filter 3x2x2 out 3x3 int8\n");
}

/* What no output needs is neither computed nor stored. */
static void dead_nodes_vanish(void)
{
	assert_lowered(
		"graph \"g\"\nx: int8[1][8] = input\ny: int8[1][8] = input\nd: int8[1][8] = neg y\na: int8[1][8] = neg "
		"x\noutput a\n",
		320, 2,
		"tensor 0 x: int8[1][8] vector 320 blocks 0 tail 8 host life 0..0\n"
		"tensor 1 a: int8[1][8] vector 320 blocks 0 tail 8 output life 0..0\n"
		"macro 0 a: loop 1 lanes 8\n"
		"  0 load t0.1[0] int8\n"
		"  1 neg 0 int8\n"
		"  2 store 1 t1.1[0] int8\n");
}

/* 30 operations in a row with one wide waist: cut where fp16 crosses instead of fp32, within the limit of steps. */
static void long_chains_are_cut_where_few_bytes_cross(void)
{
	GString *text = g_string_new("graph \"g\"\nx: fp32[1][8] = input\n");
	isa_machine *m = machine("tsp");
	low_program *p;
	graph *g;

	for (unsigned i = 0; i < 30; i++) {
		/* The twelfth value is fp16. */
		if (i == 0)
			g_string_append(text, "c0: fp32[1][8] = neg x\n");
		else if (i == 12)
			g_string_append(text, "c12: fp16[1][8] = cvt c11\n");
		else
			g_string_append_printf(text, "c%u: fp32[1][8] = %s c%u\n", i, i == 13 ? "cvt" : "neg", i - 1);
	}
	g_string_append(text, "output c29\n");
	g = parse(text->str);
	p = low_lower(g, m, 2, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p->macros->len, 2);
	/* 13 operations with their load and store, then 17. */
	CU_ASSERT_EQUAL(g_array_index(p->macros, low_macro, 0).vloop.steps->len, 15);
	CU_ASSERT_EQUAL(g_array_index(p->macros, low_macro, 1).vloop.steps->len, 19);
	CU_ASSERT_STRING_EQUAL(g_array_index(p->macros, low_macro, 0).name, "c0+c1+c2+c3..c12");
	low_free(p);
	graph_free(g);
	isa_machine_free(m);
	g_string_free(text, TRUE);
}

/* WIDTH products of one value, then their sum: all are alive at once, with 1 + WIDTH + (WIDTH - 1) + 1 steps in all. */
static guint loops_of_fan(unsigned width)
{
	GString *text = g_string_new("graph \"g\"\nx: fp32[1][8] = input\n");
	isa_machine *m = machine("tsp");
	low_program *p;
	graph *g;
	guint loops;

	for (unsigned i = 0; i < width; i++)
		g_string_append_printf(text, "p%u: fp32[1][8] = mul x, #%u\n", i, i);
	for (unsigned i = 1; i < width; i++)
		g_string_append_printf(text, "s%u: fp32[1][8] = add %s%u, p%u\n", i, i == 1 ? "p" : "s", i - 1, i);
	g_string_append_printf(text, "output s%u\n", width - 1);
	g = parse(text->str);
	p = low_lower(g, m, 2, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	loops = p->macros->len;
	low_free(p);
	graph_free(g);
	isa_machine_free(m);
	g_string_free(text, TRUE);
	return loops;
}

/* LOW_LIVE_MAX = 10: eleven values alive at once need a cut although 23 steps would fit. */
static void loops_with_too_many_live_values_are_cut(void)
{
	CU_ASSERT_EQUAL(loops_of_fan(10), 1);
	CU_ASSERT_EQUAL(loops_of_fan(11), 2);
}

static void assert_refused(const char *text, unsigned radix, int code, const char *expected)
{
	isa_machine *m = machine("tsp");
	graph *g = parse(text);
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(low_lower(g, m, radix, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, code));
	CU_ASSERT_STRING_EQUAL(error->message, expected);
	graph_free(g);
	isa_machine_free(m);
}

static void what_cannot_be_lowered_is_refused(void)
{
	assert_refused("graph \"g\"\nx: int8[1][640] = input\nl: int8[1][640] = lanes x, xor 1\noutput l\n", 2,
	               TSP_ERROR_UNSUPPORTED,
	               "graph 'g': node 'l': lanes are exchanged inside one vector, 320 lanes on this machine, and the "
	               "tensor has "
	               "640");
	assert_refused("graph \"g\"\nx: int8[4][1] = input\nn: int8[4][1] = neg x\nw: int8[1][1] = input\n"
	               "y: int32[4][1] = conv n, w, images 1, groups 1, h 2, w 2, c 1, n 1, r 1, s 1, stride_h 1, "
	               "stride_w 1, pad "
	               "0, oh 2, ow 2, block_rows 1, block_run 320, sum 160\noutput y\n",
	               2, TSP_ERROR_UNSUPPORTED,
	               "graph 'g': node 'y': operand 'n' must be host data that only this convolution reads");
	assert_refused("graph \"g\"\na: int8[2097152][1] = input\nb: int8[2097152][1] = input\n"
	               "c: int32[2097152][1] = matmul a, b, batches 2097152, block_run 320, sum 160\noutput c\n",
	               2, TSP_ERROR_UNSUPPORTED, "graph 'g': expected at most 1048576 macro-operations");
	assert_refused("graph \"g\"\nx: int8[1][8] = input\ny: int8[1][8] = neg x\noutput y\n", 6, TSP_ERROR_INTERNAL,
	               "reduction radix 6 is not a power of two from 2 to 64");
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_chain_is_one_loop", a_chain_is_one_loop},
		{"the_narrow_block_has_a_loop_of_its_own", the_narrow_block_has_a_loop_of_its_own},
		{"a_value_with_further_readers_is_stored_on_the_way",
	         a_value_with_further_readers_is_stored_on_the_way},
		{"a_reader_behind_a_reduction_is_not_fused", a_reader_behind_a_reduction_is_not_fused},
		{"a_reduction_has_full_groups_and_a_rest", a_reduction_has_full_groups_and_a_rest},
		{"views_and_joins_become_references", views_and_joins_become_references},
		{"uneven_blocks_have_loops_of_their_own", uneven_blocks_have_loops_of_their_own},
		{"lane_exchange_sets_the_vector_width", lane_exchange_sets_the_vector_width},
		{"batches_are_macros_with_row_offsets", batches_are_macros_with_row_offsets},
		{"images_and_groups_are_macros", images_and_groups_are_macros},
		{"dead_nodes_vanish", dead_nodes_vanish},
		{"long_chains_are_cut_where_few_bytes_cross", long_chains_are_cut_where_few_bytes_cross},
		{"loops_with_too_many_live_values_are_cut", loops_with_too_many_live_values_are_cut},
		{"what_cannot_be_lowered_is_refused", what_cannot_be_lowered_is_refused},
	};

	return tap_run("lower", cases, G_N_ELEMENTS(cases));
}
