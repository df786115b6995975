/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of both types in the planes of one pair, and rows of different widths: docs/design.md, "Rules in detail",
 * MXM.  On the default machine, where LW takes 1 cycle, IW 3, ABC 13 and ACC 34 and all skews are 0.  micro_run()
 * compares records, violations and memory of oracle and models; the values here are derived by hand.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

/* Memory: 0: fp16 weights 0x3c05 (1 + 5/1024) and 0x4001; 16: int8 weights 0x3c, 0x40; 32: activations 0x4201
 * (3 + 2/1024) and infinity, or as int8 1, 66, 0, 124; 48: int8 weights 1, -1; 64: fp16 weights 1.0, 2.0. */
#define DATA                                                                                                           \
	".epoch \"e\" start=0\n.image 0 4\n.hex 053c0140\n.image 16 2\n.hex 3c40\n.image 32 4\n.hex 0142007c\n"        \
	".image 48 2\n.hex 01ff\n.image 64 4\n.hex 003c0040\n"

static void expect_memory(const micro *m, uint64_t location, unsigned bytes, const char *hex)
{
	g_autofree char *found = micro_memory(m, location, bytes);

	CU_ASSERT_STRING_EQUAL(found, hex);
}

/* What the models counted as useful over the whole run. */
static uint64_t model_macs(const micro *m)
{
	return m->model ? judge_counters(m->model)->macs : UINT64_MAX;
}

/* The NTH violation of both is of INSN, about PLANE. */
static void expect_wrong(const micro *m, unsigned nth, uint32_t insn, int64_t plane)
{
	const GArray *both[] = {m->oracle->violations, judge_violations(m->model)};

	for (unsigned i = 0; i < G_N_ELEMENTS(both); i++) {
		const probe_violation *v;

		CU_ASSERT_TRUE_FATAL(nth < both[i]->len);
		v = &g_array_index(both[i], probe_violation, nth);
		CU_ASSERT_EQUAL(v->kind, ISA_VIOLATION_WRONG_OPERAND);
		CU_ASSERT_EQUAL(v->insn, insn);
		CU_ASSERT_EQUAL(v->detail, plane);
	}
}

/* The int8 IW of plane 1 is active at 6 + 3 = 9: the ABC at 8 still multiplies 0x4201 * 0x3c05, the one at 10 does not.
 * 0x4201 = 1537 / 512, 0x3c05 = 1029 / 1024: the product 1581573 / 2^19 = 0x1.821f... is exact in fp32: 1581573 =
 * 0x182205, so 1.1000001000100000010 1 * 2^1: mantissa (0x182205 << 3) & 0x7fffff = 0x411028, bits 0x40411028.
 * int8 in plane 1: 1 * 0x3c = 60. */
static void a_pair_loses_its_weights_when_the_odd_plane_takes_int8_ones(void)
{
	g_autoptr(micro) m =
		micro_run("tsp", DATA "@0 mem0: load wt.0 addr=0 len=2\n@4 mem0: load act.3 addr=32 len=2\n"
	                              "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=1\n"
	                              "@5 mxm0.w: iw count=1 type=fp16\n"
	                              "@6 mxm1.w: iw count=1 type=int8\n"
	                              "@8 mxm0.a: abc act.1 addr=0 type=fp16 lanes=1\n"
	                              "@10 mxm0.a: abc act.1 addr=0 mode=add type=fp16 lanes=1\n"
	                              "@12 mxm1.a: abc act.2 addr=0 type=int8 lanes=1\n"
	                              "@23 mxm0.c: acc r0 addr=0 type=fp16 lanes=1\n"
	                              "@25 mxm1.c: acc r1 addr=0 type=int8 lanes=1\n"
	                              "@59 mem0: store r0 addr=128 len=4\n"
	                              "@59 mem1: store r1 addr=144 len=4\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 1);
	expect_wrong(m, 0, 6, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 5, 0).work, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 6, 0).work, 0);
	CU_ASSERT_EQUAL(micro_issue(m, 7, 0).work, 1);
	CU_ASSERT_EQUAL(model_macs(m), 2);
	expect_memory(m, 128, 4, "28104140");
	expect_memory(m, 144, 4, "3c000000");
}

/* The even plane gives the int8 weight 5, its low byte; the odd one still holds half of the fp16 weights.  The ABC of
 * the pair names the very IW that plane 0 holds: its type is what is wrong there, before plane 1 is looked at. */
static void a_pair_loses_its_weights_when_the_even_plane_takes_int8_ones(void)
{
	g_autoptr(micro) m =
		micro_run("tsp", DATA "@0 mem0: load wt.0 addr=0 len=2\n@4 mem0: load act.3 addr=32 len=2\n"
	                              "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=1\n"
	                              "@5 mxm0.w: iw count=1 type=fp16\n"
	                              "iw: @6 mxm0.w: iw count=1 type=int8\n"
	                              "@10 mxm0.a: abc act.1 addr=0 type=fp16 lanes=1\n.source 1 from=iw\n"
	                              "@12 mxm0.a: abc act.1 addr=1 type=int8 lanes=1\n"
	                              "@12 mxm1.a: abc act.2 addr=0 type=int8 lanes=1\n"
	                              "@23 mxm0.c: acc r0 addr=0 type=fp16 lanes=1\n"
	                              "@25 mxm0.c: acc r1 addr=1 type=int8 lanes=1\n"
	                              "@25 mxm1.c: acc r2 addr=0 type=int8 lanes=1\n"
	                              "@59 mem0: store r0 addr=128 len=4\n"
	                              "@59 mem1: store r1 addr=144 len=4\n"
	                              "@59 mem2: store r2 addr=160 len=4\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 2);
	expect_wrong(m, 0, 5, 0);
	expect_wrong(m, 1, 7, 1);
	CU_ASSERT_EQUAL(model_macs(m), 1);
	expect_memory(m, 128, 4, "00000000");
	expect_memory(m, 144, 4, "05000000");
	expect_memory(m, 160, 4, "00000000");
}

/* fp16 weights in row 0 of the pair, then WIDTH int8 ones in row 0 of plane 1; one activation, 0x4201. */
static micro *reloaded_half(unsigned fp16_width, unsigned int8_width)
{
	g_autofree char *text =
		g_strdup_printf(DATA "@0 mem0: load wt.0 addr=0 len=%u\n@0 mem1: load wt.1 addr=16 len=%u\n"
	                             "@4 mem0: load act.1 addr=32 len=2\n"
	                             "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=%u\n"
	                             "@5 mxm1.w: lw wt.1 addr=0 count=1 type=int8 lanes=%u\n"
	                             "@6 mxm0.w: iw count=1 type=fp16\n"
	                             "@9 mxm0.a: abc act.1 addr=0 type=fp16 lanes=1\n"
	                             "@22 mxm0.c: acc r0 addr=0 type=fp16 lanes=3\n"
	                             "@56 mem0: store r0 addr=128 len=12\n",
	                        2 * fp16_width, int8_width, fp16_width, int8_width);

	return micro_run("tsp", text);
}

/* Of two columns loaded as fp16 the second lost its high byte: 0x0001 = 2^-24.  Times 1537 / 2^9: 1537 / 2^33 =
 * 1.5009765625 * 2^-23: exponent 104, mantissa 0x201 << 13: 0x34402000. */
static void a_row_of_a_pair_is_as_wide_as_its_even_half(void)
{
	g_autoptr(micro) m = reloaded_half(2, 1);

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_issue(m, 6, 0).work, 2);
	CU_ASSERT_EQUAL(model_macs(m), 2);
	expect_memory(m, 128, 12, "281041400020403400000000");
}

/* The second column has a high byte only: 0x4000 = 2.0, and twice 0x4201 is 0x40c02000 in fp32. */
static void a_row_of_a_pair_is_as_wide_as_its_odd_half(void)
{
	g_autoptr(micro) m = reloaded_half(1, 2);

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_issue(m, 6, 0).work, 2);
	CU_ASSERT_EQUAL(model_macs(m), 2);
	expect_memory(m, 128, 12, "281041400020c04000000000");
}

/* int8 rows 1, -1 (two columns) and 0x3c (one), left by an fp16 LW in part: plane 1 holds the high bytes 0x3c, 0x40 of
 * 0x3c05, 0x4001 in row 0, then 1, -1 in row 1, then 0x3c alone in row 2.  Activations 1, 66, 0: 60 + 66 + 0 and
 * 64 - 66.  Useful are 2 + 2 + 1 products, and 2 of the ABC that takes one row. */
static void useful_are_the_columns_loaded_in_each_row(void)
{
	g_autoptr(micro) m =
		micro_run("tsp", DATA "@0 mem0: load wt.0 addr=0 len=4\n@0 mem1: load wt.1 addr=48 len=2\n"
	                              "@2 mem1: load wt.1 addr=16 len=1\n@4 mem0: load act.2 addr=32 len=4\n"
	                              "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=2\n"
	                              "@4 mxm1.w: lw wt.1 addr=1 count=1 type=int8 lanes=2\n"
	                              "@6 mxm1.w: lw wt.1 addr=2 count=1 type=int8 lanes=1\n"
	                              "@7 mxm1.w: iw count=3 type=int8\n"
	                              "@10 mxm1.a: abc act.2 addr=0 type=int8 lanes=3\n"
	                              "@11 mxm1.a: abc act.2 addr=1 type=int8 lanes=1\n"
	                              "@23 mxm1.c: acc r0 addr=0 type=int8 lanes=3\n"
	                              "@57 mem0: store r0 addr=128 len=12\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_issue(m, 8, 0).work, 5);
	CU_ASSERT_EQUAL(micro_issue(m, 9, 0).work, 2);
	CU_ASSERT_EQUAL(model_macs(m), 7);
	expect_memory(m, 128, 12, "7e000000feffffff00000000");
}

/* Row 0 is 1.0, 2.0, row 1 is 0x3c05 alone; activations 0x4201 and infinity.  Column 0: infinity; column 1: 2 * 0x4201,
 * to which row 1 contributes nothing; column 2: nothing at all.  Infinity times a zero would be NaN. */
static void infinity_does_not_meet_columns_that_were_not_loaded(void)
{
	g_autoptr(micro) m = micro_run("tsp", DATA "@0 mem0: load wt.0 addr=64 len=4\n@0 mem1: load wt.1 addr=0 len=2\n"
	                                           "@4 mem0: load act.1 addr=32 len=4\n"
	                                           "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=2\n"
	                                           "@4 mxm1.w: lw wt.1 addr=1 count=1 type=fp16 lanes=1\n"
	                                           "@5 mxm0.w: iw count=2 type=fp16\n"
	                                           "@8 mxm0.a: abc act.1 addr=0 type=fp16 lanes=2\n"
	                                           "@21 mxm0.c: acc r0 addr=0 type=fp16 lanes=3\n"
	                                           "@55 mem0: store r0 addr=128 len=12\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_issue(m, 6, 0).work, 3);
	CU_ASSERT_EQUAL(model_macs(m), 3);
	expect_memory(m, 128, 12, "0000807f0020c04000000000");
}

/* int8 leaves 1 and -1 in the row, as fp32 the least denormal and a NaN; fp16 weights of one column follow.  Lane 0:
 * 1.0 * 0x4201 = 0x40402000 swallows the denormal; lane 1: NaN + 0 is the canonical NaN 0x7fc00000. */
static void a_block_is_added_in_fp32_where_nothing_contributes_too(void)
{
	g_autoptr(micro) m =
		micro_run("tsp", DATA "@0 mem0: load wt.0 addr=48 len=2\n@0 mem1: load wt.1 addr=64 len=2\n"
	                              "@4 mem0: load act.1 addr=32 len=2\n"
	                              "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=2\n"
	                              "@5 mxm0.w: iw count=1 type=int8\n"
	                              "@5 mxm1.w: lw wt.1 addr=0 count=1 type=fp16 lanes=1\n"
	                              "@6 mxm0.w: iw count=1 type=fp16\n"
	                              "@8 mxm0.a: abc act.1 addr=0 type=int8 lanes=1\n"
	                              "@9 mxm0.a: abc act.1 addr=0 mode=add type=fp16 lanes=1\n"
	                              "@22 mxm0.c: acc r0 addr=0 type=fp16 lanes=2\n"
	                              "@56 mem0: store r0 addr=128 len=8\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(model_macs(m), 3);
	expect_memory(m, 128, 8, "002040400000c07f");
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_pair_loses_its_weights_when_the_odd_plane_takes_int8_ones),
		CASE(a_pair_loses_its_weights_when_the_even_plane_takes_int8_ones),
		CASE(a_row_of_a_pair_is_as_wide_as_its_even_half),
		CASE(a_row_of_a_pair_is_as_wide_as_its_odd_half),
		CASE(useful_are_the_columns_loaded_in_each_row),
		CASE(infinity_does_not_meet_columns_that_were_not_loaded),
		CASE(a_block_is_added_in_fp32_where_nothing_contributes_too),
	};

	return tap_run("timing weights", cases, G_N_ELEMENTS(cases));
}
