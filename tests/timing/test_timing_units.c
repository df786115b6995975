/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact times of VXM, MXM, SXM and links, every timing class, on both presets.
 *
 * `tsp`: loads of one beat are due 4 cycles after their issue; VXM entry 0, operation 3, transcendental 12; LW 1, IW 3,
 * ABC 13, ACC 34; all skews 0.  `tsp-isca20`: VXM entry 5, ACC 31, positions as in test_timing_streams.c.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#include <string.h>

#define RESIDENT        ".epoch \"e\" start=0\n.image 0 65536\n"
#define NO_VIOLATION(m) CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0)
/* Exactly COUNT violations, all of KIND. */
#define ONLY(m, kind, count)                                                                                           \
	do {                                                                                                           \
		CU_ASSERT_EQUAL(micro_count(m, kind), count);                                                          \
		CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), count);                                           \
	} while (0)

/* Runs the text that FORMAT prints. */
static micro *run(const char *machine, const char *format, ...) G_GNUC_PRINTF(2, 3);

static micro *run(const char *machine, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return micro_run(machine, text);
}

/* --- VXM --- */

static void every_vector_operation_has_the_cycles_of_its_class(void)
{
	unsigned seen = 0;

	for (int op = 0; op < ISA_OP_COUNT; op++) {
		const isa_op_info *info = &isa_ops[op];
		bool slow = op == ISA_OP_EXP || op == ISA_OP_TANH || op == ISA_OP_RSQRT;
		const char *type = info->types == ISA_TYPES_FLOAT ? "fp16" : "int8";

		if (info->unit != ISA_UNIT_VXM)
			continue;
		g_autoptr(micro) m = run("tsp",
		                         RESIDENT "@0 mem0: load r0 addr=0 len=640\n@0 mem1: load r1 addr=640 len=640\n"
		                                  "@4 vxm3: %s r2, r0%s type=%s lanes=320\n",
		                         info->mnemonic, info->arity == 2 ? ", r1" : "", type);
		/* q = s = 4 */
		CU_ASSERT_EQUAL(micro_result(m, 2), slow ? 4 + 12 : 4 + 3);
		CU_ASSERT_EQUAL(micro_arrival(m, 2, 0), 4);
		CU_ASSERT_EQUAL(micro_arrival(m, 2, 1), info->arity == 2 ? 4 : PROBE_NO_TIME);
		CU_ASSERT_EQUAL(micro_issue(m, 2, 0).work, 320);
		NO_VIOLATION(m);
		seen++;
	}
	CU_ASSERT_EQUAL(seen, 26);
}

static void alu_latch_holds_every_result(void)
{
	/* vxm0 at 4: its latch is due at 7, though the destination is a register. */
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=320\n"
				    "a: @4 vxm0: copy r2, r0 type=int8 lanes=320\n"
				    "@%d vxm1: copy r3, alu.0 type=int8 lanes=320\n.source 0 from=a\n";
	g_autoptr(micro) m = run("tsp", text, 7);
	g_autoptr(micro) early = run("tsp", text, 6);

	CU_ASSERT_EQUAL(micro_arrival(m, 2, 0), 7);
	CU_ASSERT_EQUAL(micro_result(m, 2), 10);
	NO_VIOLATION(m);
	ONLY(early, ISA_VIOLATION_LATE_OPERAND, 1);
}

static void entry_comes_before_the_alu_but_not_before_its_latch(void)
{
	/* entry 2: operands sampled at 4, s = 6, due 9.  A consumer of the latch issued at 7 has its s at 9: in time;
	 * one issued at 6 samples the latch at 8: late.  A consumer of the register samples at its issue: 9 is the
	 * first. */
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=320\n"
				    "a: @4 vxm0: copy r2, r0 type=int8 lanes=320\n"
				    "@%d vxm1: copy r3, %s type=int8 lanes=320\n.source 0 from=a\n";
	g_autoptr(micro) latch = run("tsp vxm.entry_cycles=2", text, 7, "alu.0");
	g_autoptr(micro) early_latch = run("tsp vxm.entry_cycles=2", text, 6, "alu.0");
	g_autoptr(micro) reg = run("tsp vxm.entry_cycles=2", text, 9, "r2");
	g_autoptr(micro) early_reg = run("tsp vxm.entry_cycles=2", text, 8, "r2");

	CU_ASSERT_EQUAL(micro_result(latch, 1), 9);
	CU_ASSERT_EQUAL(micro_result(latch, 2), 7 + 2 + 3);
	NO_VIOLATION(latch);
	ONLY(early_latch, ISA_VIOLATION_LATE_OPERAND, 1);
	NO_VIOLATION(reg);
	ONLY(early_reg, ISA_VIOLATION_LATE_OPERAND, 1);
}

static void vector_skew_moves_sampling_and_result(void)
{
	/* q = 3 + 1 = 4: the load due at 4 is in time; result 4 + 3. */
	g_autoptr(micro) m =
		run("tsp vxm.skew_cycles=1", RESIDENT "x: @0 mem0: load r0 addr=0 len=320\n"
	                                              "@3 vxm0: copy r2, r0 type=int8 lanes=320\n.source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_result(m, 1), 7);
	NO_VIOLATION(m);
}

static void wide_vector_takes_two_registers(void)
{
	/* 320 x 4 bytes: r0 and r1.  Writing r1 alone by another instruction makes the second half a wrong operand. */
	const char *text = RESIDENT "x: @0 mem0: load r0 addr=0 len=1280\n"
				    "y: @%d mem1: load r1 addr=0 len=640\n"
				    "@4 vxm0: neg r4, r0 type=fp32 lanes=320\n.source 0 from=x\n"
				    "@7 vxm1: copy r8, r5 type=int8 lanes=320\n";
	g_autoptr(micro) m = run("tsp", text, 1);
	g_autoptr(micro) n = run("tsp", text, 0);

	/* Blocks 0..79: one beat.  y at 1 is due at 5, after the sampling at 4; y at 0 in the same cycle as x, and
	 * later in queue order, but it waits a cycle for its banks: also due at 5. */
	CU_ASSERT_EQUAL(micro_result(m, 0), 4);
	NO_VIOLATION(m);
	CU_ASSERT_EQUAL(micro_result(n, 1), 5);
	NO_VIOLATION(n);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 7); /* r5 was written by the neg */
}

static void half_of_a_wide_operand_from_another_is_wrong(void)
{
	g_autoptr(micro) m = run("tsp", RESIDENT "x: @0 mem0: load r0 addr=0 len=1280\n"
	                                         "y: @1 mem1: load r1 addr=0 len=640\n"
	                                         "@5 vxm0: neg r4, r0 type=fp32 lanes=320\n.source 0 from=x\n");

	ONLY(m, ISA_VIOLATION_WRONG_OPERAND, 1);
}

static void chain_of_latches_on_the_published_chip(void)
{
	/* w0 reads at 40: 41 at 21, 42 at the VXM.  s = 42 + 5 = 47, due 50.  The second ALU is issued at 45 (s = 50,
	 * due 53), the third at 48 (s = 53, due 56) and drives w9: at 21 in 57. */
	g_autoptr(micro) m = run("tsp-isca20", ".epoch \"e\" start=0\n.image $w0:0 320\n"
	                                       "x: @40 mem.w0: read e0 addr=0\n"
	                                       "a: @42 vxm0: copy -, e0 type=int8 lanes=320\n.source 0 from=x\n"
	                                       "b: @45 vxm5: copy -, alu.0 type=int8 lanes=320\n.source 0 from=a\n"
	                                       "c: @48 vxm10: copy w9, alu.5 type=int8 lanes=320\n.source 0 from=b\n"
	                                       "@57 mem.w2: write w9 addr=0\n.source 0 from=c\n");

	CU_ASSERT_EQUAL(micro_result(m, 1), 50);
	CU_ASSERT_EQUAL(micro_arrival(m, 2, 0), 50);
	CU_ASSERT_EQUAL(micro_result(m, 2), 53);
	CU_ASSERT_EQUAL(micro_result(m, 3), 56);
	CU_ASSERT_EQUAL(micro_arrival(m, 4, 0), 57);
	NO_VIOLATION(m);
}

/* --- MXM --- */

/* One int8 weight row 1 2 3 4 for plane 0, one activation 5, both at once.  LW at 4, shadow row at 5, IW at 5 active
 * for 8, activation port due at 8 (load at 4), ABC at 8, row at 21, ACC at 21, registers at 55, stored. */
#define INT8_CHAIN                                                                                                     \
	".epoch \"e\" start=0\n.image 0 16\n.hex 01020304000000000000000000000000\n"                                   \
	".image 16 16\n.hex 05000000000000000000000000000000\n"                                                        \
	"w: @0 mem0: load wt.0 addr=0 len=16\n"                                                                        \
	"a: @4 mem0: load act.1 addr=16 len=16\n"                                                                      \
	"lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=4\n.source 0 from=w\n"                                  \
	"iw: @5 mxm0.w: iw count=1 type=int8\n.source 0 from=lw\n"                                                     \
	"abc: @8 mxm0.a: abc act.1 addr=0 type=int8 lanes=4\n.source 0 from=a\n.source 1 from=iw\n"                    \
	"acc: @21 mxm0.c: acc r0 addr=0 type=int8 lanes=4\n.source 0 from=abc\n"                                       \
	"@55 mem0: store r0 addr=32 len=16\n.source 0 from=acc\n"

static void int8_chain_through_the_mxm(void)
{
	g_autoptr(micro) m = run("tsp", INT8_CHAIN);
	g_autofree char *result = micro_memory(m, 32, 16);

	CU_ASSERT_EQUAL(micro_result(m, 2), 5);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 5);
	CU_ASSERT_EQUAL(micro_result(m, 3), 8);
	CU_ASSERT_EQUAL(micro_arrival(m, 4, 0), 8);
	CU_ASSERT_EQUAL(micro_arrival(m, 4, 1), 8);
	CU_ASSERT_EQUAL(micro_arrival(m, 4, 2), PROBE_NO_TIME);
	CU_ASSERT_EQUAL(micro_result(m, 4), 21);
	CU_ASSERT_EQUAL(micro_issue(m, 4, 0).work, 4);
	CU_ASSERT_EQUAL(micro_arrival(m, 5, 0), 21);
	CU_ASSERT_EQUAL(micro_result(m, 5), 55);
	CU_ASSERT_EQUAL(micro_result(m, 6), 59);
	CU_ASSERT_EQUAL(micro_cycles(m), 59);
	NO_VIOLATION(m);
	/* 5 x (1 2 3 4) as int32, low byte first. */
	CU_ASSERT_STRING_EQUAL(result, "050000000a0000000f00000014000000");
}

static void each_mxm_step_too_early_is_found(void)
{
	const char *text = RESIDENT "w: @0 mem0: load wt.0 addr=0 len=16\n"
				    "a: @4 mem0: load act.1 addr=16 len=16\n"
				    "lw: @%d mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=4\n.source 0 from=w\n"
				    "iw: @%d mxm0.w: iw count=1 type=int8\n.source 0 from=lw\n"
				    "abc: @%d mxm0.a: abc act.1 addr=0 type=int8 lanes=4\n.source 0 from=a\n"
				    ".source 1 from=iw\n"
				    "acc: @%d mxm0.c: acc r0 addr=0 type=int8 lanes=4\n.source 0 from=abc\n";
	g_autoptr(micro) lw = run("tsp", text, 3, 5, 9, 22);
	g_autoptr(micro) iw = run("tsp", text, 5, 6, 9, 22);
	g_autoptr(micro) iw_early = run("tsp mxm.lw_cycles=2", text, 4, 5, 9, 22);
	g_autoptr(micro) abc = run("tsp", text, 4, 6, 8, 22);
	g_autoptr(micro) acc = run("tsp", text, 4, 5, 8, 20);

	ONLY(lw, ISA_VIOLATION_LATE_OPERAND, 1);
	NO_VIOLATION(iw);
	ONLY(iw_early, ISA_VIOLATION_IW_BEFORE_WEIGHTS, 1);
	/* Weights active at 9, ABC at 8. */
	ONLY(abc, ISA_VIOLATION_LATE_OPERAND, 1);
	/* Row there at 21, ACC at 20. */
	ONLY(acc, ISA_VIOLATION_LATE_OPERAND, 1);
}

static void add_mode_reads_the_row_before(void)
{
	/* 5 x 1 = 5 at 21, then 5 + 5 at 22: the ABC at 9 adds to what is there when it accumulates. */
	g_autoptr(micro) m = run("tsp", ".epoch \"e\" start=0\n.image 0 16\n.hex 01000000000000000000000000000000\n"
	                                ".image 16 16\n.hex 05000000000000000000000000000000\n"
	                                "@0 mem0: load wt.0 addr=0 len=16\n"
	                                "@4 mem0: load act.1 addr=16 len=16\n"
	                                "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=1\n"
	                                "@5 mxm0.w: iw count=1 type=int8\n"
	                                "x: @8 mxm0.a: abc act.1 addr=0 type=int8 lanes=1\n"
	                                "y: @9 mxm0.a: abc act.1 addr=0 mode=add type=int8 lanes=1\n.source 2 from=x\n"
	                                "@22 mxm0.c: acc r0 addr=0 type=int8 lanes=1\n.source 0 from=y\n"
	                                "@56 mem0: store r0 addr=32 len=4\n");
	g_autofree char *result = micro_memory(m, 32, 4);

	CU_ASSERT_EQUAL(micro_arrival(m, 5, 2), 21);
	CU_ASSERT_EQUAL(micro_result(m, 5), 22);
	NO_VIOLATION(m);
	CU_ASSERT_STRING_EQUAL(result, "0a000000");
}

static void adding_to_an_empty_row_is_found(void)
{
	g_autoptr(micro) m = run("tsp", RESIDENT "@0 mem0: load wt.0 addr=0 len=16\n"
	                                         "@4 mem0: load act.1 addr=16 len=16\n"
	                                         "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=1\n"
	                                         "@5 mxm0.w: iw count=1 type=int8\n"
	                                         "@8 mxm0.a: abc act.1 addr=0 mode=add type=int8 lanes=1\n");

	ONLY(m, ISA_VIOLATION_UNWRITTEN, 1);
}

/* fp16: a pair of planes; K = 2: rows 1.0 2.0 (0x3c00 0x4000) and 0.5 -1.0 (0x3800 0xbc00); activation 3.0 4.0 (0x4200
 * 0x4400).  Sums 3*1 + 4*0.5 = 5 and 3*2 - 4 = 2 in fp32: 0x40a00000, 0x40000000.  The second row is loaded by the odd
 * plane's queue. */
static void fp16_chain_uses_a_pair_of_planes(void)
{
	g_autoptr(micro) m =
		run("tsp", ".epoch \"e\" start=0\n.image 0 4\n.hex 003c0040\n.image 16 4\n.hex 003800bc\n"
	                   ".image 32 4\n.hex 00420044\n"
	                   "@0 mem0: load wt.0 addr=0 len=4\n@0 mem1: load wt.1 addr=16 len=4\n"
	                   "@4 mem0: load act.1 addr=32 len=4\n"
	                   "lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=2\n"
	                   "lx: @4 mxm1.w: lw wt.1 addr=1 count=1 type=fp16 lanes=2\n"
	                   "iw: @5 mxm0.w: iw count=2 type=fp16\n.source 0 from=lw segments=1\n.source 0 from=lx\n"
	                   "abc: @8 mxm0.a: abc act.1 addr=1023 type=fp16 lanes=2\n.source 1 from=iw\n"
	                   "@21 mxm0.c: acc r0 addr=1023 type=fp16 lanes=2\n.source 0 from=abc\n"
	                   "@55 mem0: store r0 addr=48 len=8\n");
	g_autofree char *result = micro_memory(m, 48, 8);

	CU_ASSERT_EQUAL(micro_result(m, 7), 55);
	CU_ASSERT_EQUAL(micro_issue(m, 6, 0).work, 2 * 2);
	NO_VIOLATION(m);
	CU_ASSERT_STRING_EQUAL(result, "0000a04000000040");
}

/* Three ABCs on a plane, EVERY cycles apart, weights and activation in place. */
static micro *three_abcs(const char *machine, const char *type, unsigned every)
{
	return run(machine,
	           RESIDENT "@0 mem0: load wt.0 addr=0 len=640\n@4 mem0: load act.1 addr=640 len=640\n"
	                    "@4 mxm0.w: lw wt.0 addr=0 count=1 type=%s lanes=320\n"
	                    "@5 mxm0.w: iw count=1 type=%s\n"
	                    "@8 mxm0.a: abc act.1 addr=0 type=%s lanes=320 x3 every %u step 1\n",
	           type, type, type, every);
}

static void activations_keep_their_interval(void)
{
	g_autoptr(micro) int8_each_cycle = three_abcs("tsp", "int8", 1);
	g_autoptr(micro) fp16_each_cycle = three_abcs("tsp", "fp16", 1);
	g_autoptr(micro) fp16_every_other = three_abcs("tsp", "fp16", 2);
	g_autoptr(micro) int8_slow_array = three_abcs("tsp mxm.int8_interval_cycles=2", "int8", 1);

	NO_VIOLATION(int8_each_cycle);
	CU_ASSERT_EQUAL(micro_issue(int8_each_cycle, 4, 2).result, 8 + 2 + 13);
	ONLY(fp16_each_cycle, ISA_VIOLATION_PORT_OVERUSE, 2);
	NO_VIOLATION(fp16_every_other);
	CU_ASSERT_EQUAL(micro_issue(fp16_every_other, 4, 2).result, 8 + 4 + 13);
	ONLY(int8_slow_array, ISA_VIOLATION_PORT_OVERUSE, 2);
}

static void planes_share_the_weight_bandwidth(void)
{
	/* fp16 rows of 640 bytes: three in one cycle are 1,920 of 2,304, four are 2,560. */
	const char *text = RESIDENT "@0 mem0: load wt.0 addr=0 len=640\n@1 mem0: load wt.1 addr=0 len=640\n"
				    "@2 mem0: load wt.2 addr=0 len=640\n@3 mem0: load wt.3 addr=0 len=640\n"
				    "@7 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320\n"
				    "@7 mxm1.w: lw wt.1 addr=1 count=1 type=fp16 lanes=320\n"
				    "@7 mxm2.w: lw wt.2 addr=0 count=1 type=fp16 lanes=320\n"
				    "@%d mxm3.w: lw wt.3 addr=1 count=1 type=fp16 lanes=320\n";
	g_autoptr(micro) four = run("tsp", text, 7);
	g_autoptr(micro) three = run("tsp", text, 8);

	ONLY(four, ISA_VIOLATION_PORT_OVERUSE, 1);
	NO_VIOLATION(three);
}

/* One ABC into ROW. */
static micro *abc_into(const char *machine, const char *type, int row)
{
	if (strcmp(machine, "tsp") == 0)
		return run(machine,
		           RESIDENT "@0 mem0: load wt.0 addr=0 len=640\n@4 mem0: load act.1 addr=640 len=640\n"
		                    "@4 mxm0.w: lw wt.0 addr=0 count=1 type=%s lanes=320\n"
		                    "@5 mxm0.w: iw count=1 type=%s\n@8 mxm0.a: abc act.1 addr=%d type=%s lanes=320\n",
		           type, type, row, type);
	/* Words from w42, w43 (11) at 50 are at the MXM (1) in 61. */
	return run(machine,
	           ".epoch \"e\" start=0\n.image $w43:0 3200\n.image $w42:0 3200\n"
	           "@50 mem.w43: read w0 addr=0 x9 every 1 step 1\n@50 mem.w42: read w1 addr=0 x9 every 1 step 1\n"
	           "@61 mxm0.w: lw w0 addr=0 count=1 type=%s lanes=320\n@62 mxm0.w: iw count=1 type=%s\n"
	           "@65 mxm0.a: abc w0 addr=%d type=%s lanes=320\n",
	           type, type, row, type);
}

static void accumulator_rows_end_where_the_table_says(void)
{
	static const struct {
		const char *machine, *type;
		int last;
	} rows[] = {{"tsp", "fp16", 1023}, {"tsp", "int8", 511}, {"tsp-isca20", "fp16", 1}, {"tsp-isca20", "int8", 0}};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(micro) last = abc_into(rows[i].machine, rows[i].type, rows[i].last);
		g_autoptr(micro) beyond = abc_into(rows[i].machine, rows[i].type, rows[i].last + 1);

		NO_VIOLATION(last);
		ONLY(beyond, ISA_VIOLATION_ACC_OVERFLOW, 1);
	}
}

static void mxm_skew_moves_every_step(void)
{
	/* LW issued at 2 samples at 4, IW at 3 samples at 5 = shadow time, active 8; ABC issued at 6 samples at 8, row
	 * at 21; ACC issued at 19, due 21 + 34. */
	g_autoptr(micro) m = run("tsp mxm.skew_cycles=2",
	                         RESIDENT "@0 mem0: load wt.0 addr=0 len=16\n@4 mem0: load act.1 addr=16 len=16\n"
	                                  "@2 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=4\n"
	                                  "@3 mxm0.w: iw count=1 type=int8\n"
	                                  "@6 mxm0.a: abc act.1 addr=0 type=int8 lanes=4\n"
	                                  "@19 mxm0.c: acc r0 addr=0 type=int8 lanes=4\n");

	CU_ASSERT_EQUAL(micro_result(m, 2), 5);
	CU_ASSERT_EQUAL(micro_result(m, 3), 8);
	CU_ASSERT_EQUAL(micro_result(m, 4), 21);
	CU_ASSERT_EQUAL(micro_result(m, 5), 55);
	NO_VIOLATION(m);
}

static void new_weights_do_not_disturb_the_installed_ones(void)
{
	/* Row 0: first 1, then 2.  The second LW (sampled 9, shadow 10) comes while the first weights are active; the
	 * ABC at 11 still multiplies by 1, the one at 13 (second IW at 10, active 13) by 2.  Activation 3: rows 3
	 * and 6. */
	g_autoptr(micro) m = run("tsp", ".epoch \"e\" start=0\n.image 0 16\n.hex 01000000000000000000000000000000\n"
	                                ".image 16 16\n.hex 02000000000000000000000000000000\n"
	                                ".image 32 16\n.hex 03000000000000000000000000000000\n"
	                                "@0 mem0: load wt.0 addr=0 len=16\n@4 mem0: load act.1 addr=32 len=16\n"
	                                "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=1\n"
	                                "i: @5 mxm0.w: iw count=1 type=int8\n"
	                                "@5 mem0: load wt.0 addr=16 len=16\n"
	                                "@9 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=1\n"
	                                "j: @10 mxm0.w: iw count=1 type=int8\n"
	                                "@11 mxm0.a: abc act.1 addr=0 type=int8 lanes=1\n.source 1 from=i\n"
	                                "@13 mxm0.a: abc act.1 addr=1 type=int8 lanes=1\n.source 1 from=j\n"
	                                "@30 mxm0.c: acc r0 addr=0 type=int8 lanes=1 x2 every 1 step 1 rot.dst=1\n"
	                                "@65 mem0: store r0 addr=48 len=4\n@65 mem1: store r1 addr=64 len=4\n");
	g_autofree char *first = micro_memory(m, 48, 4);
	g_autofree char *second = micro_memory(m, 64, 4);

	NO_VIOLATION(m);
	CU_ASSERT_STRING_EQUAL(first, "03000000");
	CU_ASSERT_STRING_EQUAL(second, "06000000");
}

/* --- SXM --- */

static void every_lane_operation_has_its_cycles(void)
{
	static const struct {
		const char *queue, *text;
		int64_t cycles;
	} ops[] = {
		{"shift", "shift r20, r0 distance=1 type=int8", 4},
		{"shift", "shift r20, r0 distance=100 type=int8", 4},
		/* Lane 16 moves to 15: one tile down.  17 lanes: lane 32 (tile 2) moves to 15 (tile 0). */
		{"shift", "shift r20, r0 distance=-1 type=int8", 4 + 1},
		{"shift", "shift r20, r0 distance=-16 type=int8", 4 + 1},
		{"shift", "shift r20, r0 distance=-17 type=int8", 4 + 2},
		/* Lane 319 (tile 19) moves to 15 (tile 0). */
		{"shift", "shift r20, r0 distance=-304 type=fp16", 4 + 19},
		{"select", "select r20, r0, r1 map=0 type=int8", 4},
		{"permute", "permute r20, r0 map=0 type=int8", 4},
		/* Lane 0 of the result is lane 319: 19 tiles. */
		{"permute", "permute r20, r0 map=1 type=int8", 4 + 19},
		/* Lane 0 from lane 32: two tiles; lane 32 from lane 0: minus two, which costs nothing. */
		{"permute", "permute r20, r0 map=2 type=fp16", 4 + 2},
		{"distribute", "distribute r20, r0 map=3 type=int8", 2},
		{"rotate", "rotate r20, r0 distance=-3 type=int8", 4},
		{"transpose", "transpose r20, r0", 4},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
		g_autoptr(micro) m =
			run("tsp",
		            RESIDENT ".map 0: 0-319\n.map 1: 319-0\n.map 2: 32 1-31 0 33-319\n.map 3: 0*16 16-319\n"
		                     "@0 mem0: load r0 addr=0 len=640 x16 every 1 step 640 rot.dst=1\n"
		                     "@25 sxm.%s0: %s\n",
		            ops[i].queue, ops[i].text);

		CU_ASSERT_EQUAL(micro_result(m, 1), 25 + ops[i].cycles);
		CU_ASSERT_EQUAL(micro_issue(m, 1, 0).work, 320);
		NO_VIOLATION(m);
	}
}

static void lane_skew_moves_sampling(void)
{
	g_autoptr(micro) m =
		run("tsp sxm.skew_cycles=2", RESIDENT "x: @0 mem0: load r0 addr=0 len=320\n"
	                                              "@2 sxm.rotate0: rotate r1, r0 distance=1 type=int8\n"
	                                              ".source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_result(m, 1), 2 + 2 + 4);
	NO_VIOLATION(m);
}

static void transposition_of_sixteen_streams(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");

	/* w28..w43 stand at 14, 13, 12, 11; their words leave so that all are at the SXM (7) in 60: hops 7, 6, 5, 4. */
	for (int slice = 28; slice < 44; slice++)
		g_string_append_printf(text, ".image $w%d:0 320\n@%d mem.w%d: read w%d addr=0\n", slice,
		                       60 - 1 - (14 - (slice - 28) / 4 - 7), slice, slice - 28);
	g_string_append(text, "@60 sxm.w.transpose0: transpose e8, w0\n");
	g_autofree char *owned = g_string_free(text, FALSE);
	g_autoptr(micro) m = run("tsp-isca20", "%s", owned);

	CU_ASSERT_EQUAL(micro_arrival(m, 16, 0), 60);
	CU_ASSERT_EQUAL(micro_result(m, 16), 64);
	NO_VIOLATION(m);
}

/* --- links --- */

static void vector_over_a_link_on_the_default_machine(void)
{
	/* 640 B at 400 GB/s and 0.9 GHz: 1.44 cycles, so 2; receivable at 4 + 2 + 2 = 8; received at 8, in r1 at 9. */
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=640\n"
				    "s: @4 c2c.1: send r0\n"
				    "@%d c2c.1: recv r1\n.source 0 from=s\n";
	g_autoptr(micro) m = run("tsp", text, 8);
	g_autoptr(micro) early = run("tsp", text, 7);

	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 2);
	CU_ASSERT_EQUAL(micro_result(m, 1), 8);
	CU_ASSERT_EQUAL(micro_arrival(m, 2, 0), 8);
	CU_ASSERT_EQUAL(micro_result(m, 2), 9);
	NO_VIOLATION(m);
	ONLY(early, ISA_VIOLATION_LATE_OPERAND, 1);
}

static void link_time_is_an_exact_rational_rounded_up_once(void)
{
	/* 640 * 0.9e9 = 576e9: at 576 GB/s exactly one cycle, a byte a second less needs two. */
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=640\n@4 c2c.0: send r0\n";
	g_autoptr(micro) one = run("tsp link.bytes_per_s=576e9", "%s", text);
	g_autoptr(micro) two = run("tsp link.bytes_per_s=575999999999", "%s", text);

	CU_ASSERT_EQUAL(micro_result(one, 1), 4 + 1 + 2);
	CU_ASSERT_EQUAL(micro_result(two, 1), 4 + 2 + 2);
}

static void link_is_busy_until_the_last_byte_is_sent(void)
{
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=640\n@4 c2c.0: send r0 x2 every %d\n";
	g_autoptr(micro) fits = run("tsp", text, 2);
	g_autoptr(micro) crowded = run("tsp", text, 1);

	NO_VIOLATION(fits);
	CU_ASSERT_EQUAL(micro_issue(fits, 1, 1).result, 6 + 2 + 2);
	ONLY(crowded, ISA_VIOLATION_PORT_OVERUSE, 1);
}

static void vectors_are_received_in_the_order_sent(void)
{
	g_autoptr(micro) m = run("tsp", ".epoch \"e\" start=0\n.image 0 640\n.image 640 640\n"
	                                "@0 mem0: load r0 addr=0 len=640\n@0 mem1: load r1 addr=640 len=640\n"
	                                "s: @4 c2c.0: send r0 x2 every 2 rot.src0=1\n"
	                                "@20 c2c.0: recv r2 x2 every 1 rot.dst=1\n.source 0 from=s step=1\n");

	NO_VIOLATION(m);
	CU_ASSERT_EQUAL(micro_issue(m, 3, 0).arrival[0], 8);
	CU_ASSERT_EQUAL(micro_issue(m, 3, 1).arrival[0], 10);
}

static void vector_over_a_link_of_the_published_chip(void)
{
	/* 320 + 8 bytes at 15 GB/s: 19.68 cycles, so 20.  Word from w43 (11) at the links (7) in 45; receivable at 45 +
	 * 20 + 216. */
	g_autoptr(micro) m = run("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 320\n"
	                                       "x: @40 mem.w43: read w0 addr=0\n"
	                                       "s: @45 c2c.w1: send w0\n.source 0 from=x\n"
	                                       "@281 c2c.w1: recv e0\n.source 0 from=s\n"
	                                       "@286 mem.w41: write e0 addr=1\n");

	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 20);
	CU_ASSERT_EQUAL(micro_result(m, 1), 281);
	CU_ASSERT_EQUAL(micro_result(m, 2), 282);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 286);
	NO_VIOLATION(m);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(every_vector_operation_has_the_cycles_of_its_class),
		CASE(alu_latch_holds_every_result),
		CASE(entry_comes_before_the_alu_but_not_before_its_latch),
		CASE(vector_skew_moves_sampling_and_result),
		CASE(wide_vector_takes_two_registers),
		CASE(half_of_a_wide_operand_from_another_is_wrong),
		CASE(chain_of_latches_on_the_published_chip),
		CASE(int8_chain_through_the_mxm),
		CASE(each_mxm_step_too_early_is_found),
		CASE(add_mode_reads_the_row_before),
		CASE(adding_to_an_empty_row_is_found),
		CASE(fp16_chain_uses_a_pair_of_planes),
		CASE(activations_keep_their_interval),
		CASE(planes_share_the_weight_bandwidth),
		CASE(accumulator_rows_end_where_the_table_says),
		CASE(mxm_skew_moves_every_step),
		CASE(new_weights_do_not_disturb_the_installed_ones),
		CASE(every_lane_operation_has_its_cycles),
		CASE(lane_skew_moves_sampling),
		CASE(transposition_of_sixteen_streams),
		CASE(vector_over_a_link_on_the_default_machine),
		CASE(link_time_is_an_exact_rational_rounded_up_once),
		CASE(link_is_busy_until_the_last_byte_is_sent),
		CASE(vectors_are_received_in_the_order_sent),
		CASE(vector_over_a_link_of_the_published_chip),
	};

	return tap_run("timing of the units", cases, G_N_ELEMENTS(cases));
}
