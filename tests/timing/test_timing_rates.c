/* SPDX-License-Identifier: Apache-2.0
 *
 * The published peak rates, each reached by a program without a violation: multiply-accumulates, stream, SRAM and
 * instruction bytes a cycle.  Besides, the two chains of user timings that the machine file was calibrated on: they
 * show that the calibration was done right and validate nothing.
 *
 * Positions and delays as in test_timing_streams.c and test_timing_units.c.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#define NO_VIOLATION(m) CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0)

/* Work of all issues of operation OP in cycles FIRST..LAST. */
static uint64_t work(const micro *m, enum isa_op op, int64_t first, int64_t last)
{
	uint64_t sum = 0;

	for (unsigned i = 0; m->oracle && i < m->oracle->issues->len; i++) {
		const probe_issue *issue = &g_array_index(m->oracle->issues, probe_issue, i);

		if (issue->cycle >= first && issue->cycle <= last &&
		    isa_program_insn(m->program, issue->insn)->op == op)
			sum += issue->work;
	}
	return sum;
}

/* In how many cycles of the program is the work of operation OP exactly WANTED? */
static unsigned cycles_with(const micro *m, enum isa_op op, uint64_t wanted)
{
	unsigned count = 0;

	for (int64_t c = 0; c < 600; c++)
		count += work(m, op, c, c) == wanted;
	return count;
}

static unsigned issues_in(const micro *m, int64_t cycle)
{
	unsigned count = 0;

	for (unsigned i = 0; m->oracle && i < m->oracle->issues->len; i++)
		count += g_array_index(m->oracle->issues, probe_issue, i).cycle == cycle;
	return count;
}

static micro *run_and_free(const char *machine, GString *text)
{
	micro *m = micro_run(machine, text->str);

	g_string_free(text, TRUE);
	return m;
}

static void int8_peak_of_the_default_machine(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n.image 0 262144\n");
	g_autoptr(micro) m = NULL;

	/* 320 rows a plane, one a cycle; the four loads of a cycle lie 32 blocks apart and take 20 each: no bank twice.
	 */
	for (int p = 0; p < 4; p++)
		g_string_append_printf(text,
		                       "@0 mem%d: load wt.%d addr=%d len=320 x320 every 1 step 320\n"
		                       "@4 mxm%d.w: lw wt.%d addr=0 count=1 type=int8 lanes=320 x320 every 1 step 1\n"
		                       "@324 mxm%d.w: iw count=320 type=int8\n"
		                       "@327 mxm%d.a: abc act.%d addr=0 type=int8 lanes=320 x100 every 1 step 1\n",
		                       p, p, p * 512, p, p, p, p, 1 << p);
	g_string_append(text, "@323 mem0: load act.15 addr=0 len=320 x100 every 1 step 320\n");
	m = run_and_free("tsp", text);
	/* 4 planes x 320 x 320 = 409,600 in every one of 100 cycles. */
	CU_ASSERT_EQUAL(cycles_with(m, ISA_OP_ABC, 409600), 100);
	NO_VIOLATION(m);
}

static void fp16_peak_of_the_default_machine(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n.image 0 262144\n");
	g_autoptr(micro) m = NULL;

	/* Pairs of planes 0 and 2; two loads of 40 blocks a cycle, 48 blocks apart. */
	for (int p = 0; p < 4; p += 2)
		g_string_append_printf(text,
		                       "@0 mem%d: load wt.%d addr=%d len=640 x320 every 1 step 640\n"
		                       "@4 mxm%d.w: lw wt.%d addr=0 count=1 type=fp16 lanes=320 x320 every 1 step 1\n"
		                       "@324 mxm%d.w: iw count=320 type=fp16\n"
		                       "@327 mxm%d.a: abc act.%d addr=0 type=fp16 lanes=320 x50 every 2 step 1\n",
		                       p, p, p / 2 * 768, p, p, p, p, 1 << p);
	g_string_append(text, "@323 mem0: load act.5 addr=0 len=640 x50 every 2 step 640\n");
	m = run_and_free("tsp", text);
	/* 2 pairs x 320 x 320 every second cycle. */
	CU_ASSERT_EQUAL(work(m, ISA_OP_ABC, 327, 426), 100 * 102400);
	NO_VIOLATION(m);
}

/* Slices 28..43 of one side put a word a cycle on streams 0..15 of direction WAY for COUNT cycles, in step at the
 * side's MXM from cycle AT on: position 14 - g' is 13 - g' hops away, g' = 0..3. */
static void weight_streams(GString *text, char side, char way, int at, int count)
{
	for (int slice = 28; slice < 44; slice++)
		g_string_append_printf(text, ".image $%c%d:0 %d\n@%d mem.%c%d: read %c%d addr=0 x%d every 1 step 1\n",
		                       side, slice, count * 320, at - 1 - (13 - (slice - 28) / 4), side, slice, way,
		                       slice - 28, count);
}

static void int8_peak_of_the_published_chip(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	/* West: planes 0 and 1 listen to westward streams; 16 rows of weights a cycle, plane 0 in 100..119, plane 1 in
	 * 120..139; active from 123 and 143.  East mirrors it.  Both planes of a side take the same activations, which
	 * slice 0 sends 20 hops to be there from 143 on. */
	for (int side = 0; side < 2; side++) {
		char name = "we"[side], way = "we"[side];

		weight_streams(text, name, way, 100, 40);
		for (int k = 0; k < 2; k++)
			g_string_append_printf(
				text,
				"@%d mxm%d.w: lw %c0 addr=0 count=16 type=int8 lanes=320 x20 every 1 step 16\n"
				"@%d mxm%d.w: iw count=320 type=int8\n"
				"@143 mxm%d.a: abc %c16 addr=0 type=int8 lanes=320 x100 every 1\n",
				100 + 20 * k, 2 * side + k, way, 120 + 20 * k, 2 * side + k, 2 * side + k, way);
		g_string_append_printf(text, ".image $%c0:0 32000\n@%d mem.%c0: read %c16 addr=0 x100 every 1 step 1\n",
		                       name, 143 - 21, name, way);
	}
	m = run_and_free("tsp-isca20", text);
	CU_ASSERT_EQUAL(cycles_with(m, ISA_OP_ABC, 409600), 100);
	/* One plane in 20 cycles, both planes of both sides in 40. */
	CU_ASSERT_EQUAL(micro_issue(m, 16, 19).result, 120);
	NO_VIOLATION(m);
}

static void fp16_peak_of_the_published_chip(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	/* 8 rows of low and high bytes a cycle, 40 cycles; active from 143. */
	for (int side = 0; side < 2; side++) {
		char name = "we"[side], way = "we"[side];

		weight_streams(text, name, way, 100, 40);
		g_string_append_printf(text,
		                       "@100 mxm%d.w: lw %c0 addr=0 count=8 type=fp16 lanes=320 x40 every 1 step 8\n"
		                       "@140 mxm%d.w: iw count=320 type=fp16\n"
		                       "@143 mxm%d.a: abc %c16 addr=0 type=fp16 lanes=320 x50 every 2\n"
		                       ".image $%c0:0 16000\n@%d mem.%c0: read %c16 addr=0 x50 every 2 step 1\n"
		                       ".image $%c1:0 16000\n@%d mem.%c1: read %c17 addr=0 x50 every 2 step 1\n",
		                       2 * side, way, 2 * side, 2 * side, way, name, 143 - 21, name, way, name,
		                       143 - 21, name, way);
	}
	m = run_and_free("tsp-isca20", text);
	CU_ASSERT_EQUAL(work(m, ISA_OP_ABC, 143, 242), 100 * 102400);
	NO_VIOLATION(m);
}

static void all_streams_carry_a_vector_every_cycle(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	/* Slices w0..w31 drive e0..e31, slices e0..e31 drive w0..w31, in step at the VXM from cycle 60 on (group g is 1
	 * + g hops away); eight ALUs add e4k..e4k+3 to w4k..w4k+3. */
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < 32; k++)
			g_string_append_printf(text,
			                       ".image $%c%d:0 320\n@%d mem.%c%d: read %c%d addr=0 x100 every 1\n",
			                       "we"[side], k, 60 - 1 - (1 + k / 4), "we"[side], k, "ew"[side], k);
	for (int k = 0; k < 8; k++)
		g_string_append_printf(text, "@60 vxm%d: add -, e%d, w%d type=int32 lanes=320 x100 every 1\n", k, 4 * k,
		                       4 * k);
	m = run_and_free("tsp-isca20", text);
	/* Every operation takes 320 lanes of two 4-byte operands. */
	CU_ASSERT_EQUAL(cycles_with(m, ISA_OP_ADD, 20480 / (2 * 4)), 100);
	NO_VIOLATION(m);
}

static void every_slice_reads_and_writes_in_one_cycle(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	/* 22 groups of four slices from west to east; even groups send eastward to the next group, odd ones westward
	 * back.  Groups 10 and 11 have the VXM between them: two hops.  READWRITE 101 times reads bank 0 and writes
	 * what the partner sent to bank 1; the first write of a group that is one cycle from its partner finds the
	 * partner's read of two cycles before, so each queue begins with plain reads. */
	for (int group = 0; group < 22; group++)
		for (int k = 0; k < 4; k++) {
			bool west = group < 11;
			int slice = (west ? 10 - group : group - 11) * 4 + k;
			char side = west ? 'w' : 'e';
			char drives = group % 2 ? 'w' : 'e', takes = group % 2 ? 'e' : 'w';

			g_string_append_printf(text,
			                       ".image $%c%d:0 320\n"
			                       "@40 mem.%c%d: read %c%d addr=0 x3 every 1\n"
			                       "@43 mem.%c%d: readwrite %c%d, %c%d addr=0 waddr=4096 x100 every 1\n",
			                       side, slice, side, slice, drives, k, side, slice, drives, k, takes, k);
		}
	m = run_and_free("tsp-isca20", text);
	CU_ASSERT_EQUAL(cycles_with(m, ISA_OP_READWRITE, 56320), 100);
	NO_VIOLATION(m);
}

/* Streams e0..e31 from slices w12..w43 and w0..w31 from e12..e43, filled in every cycle from 100 to 460; in cycle 450
 * their queues read a word of their own again. */
static void flood(GString *text)
{
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < 32; k++) {
			char name = "we"[side], way = "ew"[side];

			g_string_append_printf(text,
			                       ".image $%c%d:0 320\n@100 mem.%c%d: read %c%d addr=0 x350 every 1\n"
			                       "@450 mem.%c%d: read %c%d addr=0\n"
			                       "@451 mem.%c%d: read %c%d addr=0 x10 every 1\n",
			                       name, 12 + k, name, 12 + k, way, k, name, 12 + k, way, k, name, 12 + k,
			                       way, k);
		}
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < 12; k++)
			g_string_append_printf(text, ".image $%c%d:0 320\n@450 mem.%c%d: read %c%d addr=0\n",
			                       "we"[side], k, "we"[side], k, "ew"[side], k);
}

static void every_queue_takes_a_word_in_one_cycle(void)
{
	GString *text = g_string_new(".map 0: 0-319\n.epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	flood(text);
	for (int k = 0; k < 16; k++)
		g_string_append_printf(text, "@450 vxm%d: copy -, e%d type=int8 lanes=320\n", k, k);
	for (int p = 0; p < 4; p++) {
		char in = p < 2 ? 'w' : 'e', out = p < 2 ? 'e' : 'w';

		/* Rows and weights in place before; the results of ACC lie on streams of their own. */
		g_string_append_printf(text,
		                       "@%d mxm%d.w: lw %c0 addr=0 count=1 type=int8 lanes=320\n"
		                       "@200 mxm%d.w: iw count=1 type=int8\n"
		                       "@210 mxm%d.a: abc %c1 addr=0 type=int8 lanes=320\n"
		                       "@450 mxm%d.w: lw %c0 addr=0 count=1 type=int8 lanes=320\n"
		                       "@450 mxm%d.a: abc %c1 addr=0 type=int8 lanes=320\n"
		                       "@450 mxm%d.c: acc %c%d addr=0 type=int8 lanes=320\n",
		                       190 + p, p, in, p, p, in, p, in, p, in, p, out, 4 * (p % 2));
	}
	for (int side = 0; side < 2; side++) {
		char in = "we"[side], out = "ew"[side], s = "we"[side];

		g_string_append_printf(text,
		                       "@450 sxm.%c.shift0: shift %c0, %c0 distance=1 type=int8\n"
		                       "@450 sxm.%c.shift1: shift %c1, %c1 distance=2 type=int8\n"
		                       "@450 sxm.%c.select0: select %c2, %c2, %c3 map=0 type=int8\n"
		                       "@450 sxm.%c.permute0: permute %c3, %c4 map=0 type=int8\n",
		                       s, in, in, s, in, in, s, in, in, in, s, in, in);
		for (int k = 0; k < 4; k++)
			g_string_append_printf(text,
			                       "@450 sxm.%c.distribute%d: distribute %c%d, %c%d map=0 type=int8\n", s,
			                       k, in, 4 + k, in, k);
		for (int k = 0; k < 2; k++)
			g_string_append_printf(text,
			                       "@450 sxm.%c.rotate%d: rotate %c%d, %c%d distance=1 type=int8\n"
			                       "@450 sxm.%c.transpose%d: transpose %c%d, %c0\n"
			                       "@160 c2c.%c%d: send %c0\n@450 c2c.%c%d: recv %c%d\n",
			                       s, k, in, 8 + k, in, k, s, k, out, 16 * k, in, s, 2 * side + k, in, s,
			                       2 * side + k, in, 10 + k);
	}
	m = run_and_free("tsp-isca20", text);
	CU_ASSERT_EQUAL(isa_machine_queue_count(m->hw), 144);
	CU_ASSERT_EQUAL(issues_in(m, 450), 144);
	CU_ASSERT_EQUAL(issues_in(m, 450) * sizeof(isa_word), 2304);
	NO_VIOLATION(m);
}

/* Calibration, not validation: transpose 4 + 15 hops + entry 5 + 3 x 3 + 15 hops + distribute 2. */
static void calibration_chain_of_50_cycles(void)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n");
	g_autoptr(micro) m = NULL;

	for (int slice = 28; slice < 44; slice++)
		g_string_append_printf(text, ".image $w%d:0 320\n@%d mem.w%d: read w%d addr=0\n", slice,
		                       60 - 1 - (14 - (slice - 28) / 4 - 7), slice, slice - 28);
	/* Words at the SXM (7) in 60, transposed in 64, at the VXM (22) in 79, s = 84; latches at 87, 90; result 93;
	 * SXM in 108; distributed in 110 = 60 + 50. */
	g_string_append(text, ".map 0: 0*16 16-319\n"
	                      "t: @60 sxm.w.transpose0: transpose e0, w0\n"
	                      "a: @79 vxm0: add -, e0, e1 type=int8 lanes=320\n.source 0 from=t\n.source 1 from=t\n"
	                      "b: @82 vxm1: copy -, alu.0 type=int8 lanes=320\n.source 0 from=a\n"
	                      "c: @85 vxm2: copy w20, alu.1 type=int8 lanes=320\n.source 0 from=b\n"
	                      "@108 sxm.w.distribute0: distribute e0, w20 map=0 type=int8\n.source 0 from=c\n");
	m = run_and_free("tsp-isca20", text);
	CU_ASSERT_EQUAL(micro_result(m, 20) - micro_issue(m, 16, 0).cycle, 50);
	NO_VIOLATION(m);
}

/* Calibration, not validation: read 1 + 10 hops + multiply 13 + accumulate 31 + 21 hops. */
static void calibration_chain_of_76_cycles(void)
{
	/* Weights first, by any road: w42's word at 50 is at the MXM in 61.  The chain: read at 100, MXM in 111, row in
	 * 124, result in 155, VXM in 176. */
	g_autoptr(micro) m =
		micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w42:0 320\n.image $w43:0 320\n"
	                                "w: @50 mem.w42: read w1 addr=0\n"
	                                "l: @61 mxm0.w: lw w1 addr=0 count=1 type=int8 lanes=320\n.source 0 from=w\n"
	                                "i: @62 mxm0.w: iw count=1 type=int8\n.source 0 from=l\n"
	                                "x: @100 mem.w43: read w0 addr=0\n"
	                                "m: @111 mxm0.a: abc w0 addr=0 type=int8 lanes=320\n.source 0 from=x\n"
	                                ".source 1 from=i\n"
	                                "a: @124 mxm0.c: acc e0 addr=0 type=int8 lanes=320\n.source 0 from=m\n"
	                                "@176 vxm0: copy -, e0 type=int32 lanes=320\n.source 0 from=a\n");

	CU_ASSERT_EQUAL(micro_arrival(m, 6, 0) - micro_issue(m, 3, 0).cycle, 76);
	NO_VIOLATION(m);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(int8_peak_of_the_default_machine),       CASE(fp16_peak_of_the_default_machine),
		CASE(int8_peak_of_the_published_chip),        CASE(fp16_peak_of_the_published_chip),
		CASE(all_streams_carry_a_vector_every_cycle), CASE(every_slice_reads_and_writes_in_one_cycle),
		CASE(every_queue_takes_a_word_in_one_cycle),  CASE(calibration_chain_of_50_cycles),
		CASE(calibration_chain_of_76_cycles),
	};

	return tap_run("published rates", cases, G_N_ELEMENTS(cases));
}
