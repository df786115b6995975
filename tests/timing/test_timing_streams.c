/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact times of streams and MEM slices on the machine `tsp-isca20`.
 *
 * Positions used below (isa/machines/tsp-isca20.yaml): MXM 1 and 43, SXM and links 7 and 37, VXM 22; MEM group g
 * (slices 4g to 4g + 3) at 21 - g in the west and 23 + g in the east, so slices w0..w3 at 21, w40..w43 at 11, e0..e3 at
 * 23, e40..e43 at
 * 33.  One hop a cycle; read 1, gather 2, write 1 cycles; nothing issues before cycle 35, the release of the barrier.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

/* One word read eastward from w43 at 40: due at position 11 in 41.  INSN follows. */
static micro *after_read_of_w43(const char *machine, const char *insn)
{
	g_autofree char *text = g_strdup_printf(".epoch \"e\" start=0\n.image $w43:0 320\n"
	                                        "x: @40 mem.w43: read e0 addr=0\n.source 0 resident\n%s",
	                                        insn);

	return micro_run(machine, text);
}

static void word_is_on_the_stream_after_the_read_cycles(void)
{
	/* Slice w42 stands at the same position: no hop. */
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20", "@41 mem.w42: write e0 addr=4096\n.source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 41);
	CU_ASSERT_EQUAL(micro_arrival(m, 0, 0), PROBE_NO_TIME); /* host data */
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 41);
	CU_ASSERT_EQUAL(micro_result(m, 1), 42);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void eastward_value_moves_one_position_a_cycle(void)
{
	/* From 11 to 33: 22 hops, there in 41 + 22 = 63 and in no other cycle. */
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20", "@63 mem.e43: write e0 addr=0\n.source 0 from=x\n");
	g_autoptr(micro) early = after_read_of_w43("tsp-isca20", "@62 mem.e43: write e0 addr=0\n.source 0 from=x\n");
	g_autoptr(micro) late = after_read_of_w43("tsp-isca20", "@64 mem.e43: write e0 addr=0\n.source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 63);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_cycles(m), 64); /* from NOTIFY at 0 to the word, readable at 64 */
	/* A cycle before, the named value is on its way; a cycle after, it has gone and nothing is there. */
	CU_ASSERT_EQUAL(micro_count(early, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(early, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_count(late, ISA_VIOLATION_UNDRIVEN_CELL), 1);
	CU_ASSERT_EQUAL(micro_count(late, ISA_VIOLATION_COUNT), 1);
}

static void westward_value_mirrors_it(void)
{
	/* e40 at 33 drives w7 due 41; position 11 is 22 hops west: 63.  Nothing goes east. */
	const char *text = ".epoch \"e\" start=0\n.image $e40:5 320\n"
			   "x: @40 mem.e40: read w7 addr=5\n.source 0 resident\n"
			   "@63 mem.w41: write %s addr=0\n";
	g_autofree char *west = g_strdup_printf(text, "w7");
	g_autofree char *east = g_strdup_printf(text, "e7");
	g_autoptr(micro) m = micro_run("tsp-isca20", west);
	g_autoptr(micro) other = micro_run("tsp-isca20", east);

	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 63);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(other, ISA_VIOLATION_UNDRIVEN_CELL), 1);
}

static void value_crosses_the_whole_chip(void)
{
	/* w43 drives w0 at 11 in 39, the MXM's west end (1) is 10 hops away: ABC at 49.  Without weights it is wrong,
	 * but it fills the row at 49 + 13 = 62.  ACC at 62 drives e4..e7 at 1 in 62 + 31 = 93; 42 hops later, at 43 in
	 * 135, LW of plane 2 samples them. */
	g_autoptr(micro) m = micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 320\n"
	                                             "@38 mem.w43: read w0 addr=0\n"
	                                             "@49 mxm0.a: abc w0 addr=0 type=int8 lanes=320\n"
	                                             "@62 mxm0.c: acc e4 addr=0 type=int8 lanes=320\n"
	                                             "@135 mxm2.w: lw e4 addr=0 count=4 type=int8 lanes=320\n");

	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 49);
	CU_ASSERT_EQUAL(micro_result(m, 1), 62);
	CU_ASSERT_EQUAL(micro_result(m, 2), 93);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 135);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_UNDRIVEN_CELL), 0);
}

static void hop_of_two_cycles_doubles_the_way(void)
{
	/* 22 hops of two cycles: 41 + 44 = 85; half way between two positions there is nothing to sample. */
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20 streams.hop_cycles=2",
	                                       "@85 mem.e43: write e0 addr=0\n.source 0 from=x\n");
	g_autoptr(micro) near = after_read_of_w43("tsp-isca20 streams.hop_cycles=2",
	                                          "@84 mem.e43: write e0 addr=0\n.source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 85);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(near, ISA_VIOLATION_LATE_OPERAND), 1);
}

static void four_slices_share_a_position(void)
{
	/* w3 and w0 at 21 reach the VXM (22) in two cycles, w4 at 20 in three. */
	g_autoptr(micro) m = micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w0:0 320\n.image $w3:0 320\n"
	                                             ".image $w4:0 320\n"
	                                             "a: @40 mem.w0: read e0 addr=0\n"
	                                             "b: @40 mem.w3: read e1 addr=0\n"
	                                             "c: @39 mem.w4: read e2 addr=0\n"
	                                             "@42 vxm0: add -, e0, e1 type=int8 lanes=320\n"
	                                             ".source 0 from=a\n.source 1 from=b\n"
	                                             "@42 vxm1: copy -, e2 type=int8 lanes=320\n.source 0 from=c\n");

	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 42);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 1), 42);
	CU_ASSERT_EQUAL(micro_arrival(m, 4, 0), 42);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void wide_operand_needs_all_its_streams_in_step(void)
{
	/* int16 on e0 (low) and e1 (high).  The high byte of the second case is driven one cycle late: at 42 it is on
	 * its way. */
	const char *text = ".epoch \"e\" start=0\n.image $w0:0 320\n.image $w1:0 320\n"
			   "a: @40 mem.w0: read e0 addr=0\n"
			   "b: @%d mem.w1: read e1 addr=0\n"
			   "@42 vxm0: copy -, e0 type=int16 lanes=320\n.source 0 from=a seg=1\n";
	g_autofree char *both = g_strdup_printf(text, 40);
	g_autofree char *late = g_strdup_printf(text, 41);
	g_autoptr(micro) m = micro_run("tsp-isca20", both);
	g_autoptr(micro) n = micro_run("tsp-isca20", late);

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(n, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(n, ISA_VIOLATION_COUNT), 1);
}

static void reading_does_not_remove_a_value(void)
{
	/* Sampled at 11 in 41, at 12 in 42, at 22 in 52. */
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20", "@41 mem.w42: write e0 addr=0\n.source 0 from=x\n"
	                                                     "@42 mem.w39: write e0 addr=0\n.source 0 from=x\n"
	                                                     "@52 vxm0: copy -, e0 type=int8 lanes=320\n"
	                                                     ".source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 52);
}

/* w43's value passes position 12 in cycle 42, in which w39 drives the same stream there.  The reader at 13 in 43 wants
 * NAME. */
static micro *replaced_at_twelve(const char *name)
{
	g_autofree char *text = g_strdup_printf(".epoch \"e\" start=0\n.image $w43:0 320\n.image $w39:0 320\n"
	                                        "far: @40 mem.w43: read e0 addr=0\n"
	                                        "near: @41 mem.w39: read e0 addr=0\n"
	                                        "@43 mem.w35: write e0 addr=0\n%s%s",
	                                        *name ? ".source 0 from=" : "", name);

	return micro_run("tsp-isca20", text);
}

static void nearer_driver_replaces_the_passing_value(void)
{
	g_autoptr(micro) near = replaced_at_twelve("near\n");
	g_autoptr(micro) far = replaced_at_twelve("far\n");
	g_autoptr(micro) nobody = replaced_at_twelve("");

	CU_ASSERT_EQUAL(micro_count(near, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(nobody, ISA_VIOLATION_COUNT), 0);
	/* The named producer had put its value there, in time: it was replaced. */
	CU_ASSERT_EQUAL(micro_count(far, ISA_VIOLATION_STREAM_COLLISION), 1);
	CU_ASSERT_EQUAL(micro_count(far, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_violation(far).insn, 2);
}

static void replacing_does_not_hurt_who_read_before(void)
{
	/* Position 11 is upstream of the replacement at 12. */
	g_autoptr(micro) m = micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 320\n.image $w39:0 320\n"
	                                             "far: @40 mem.w43: read e0 addr=0\n"
	                                             "near: @41 mem.w39: read e0 addr=0\n"
	                                             "@41 mem.w42: write e0 addr=0\n.source 0 from=far\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void two_drives_of_one_cell_collide(void)
{
	/* w42 and w43 both at 11, both due 41, on e0; on e0 and e1, or one cycle apart, they do not meet. */
	const char *text = ".epoch \"e\" start=0\n.image $w43:0 320\n.image $w42:0 320\n"
			   "@40 mem.w43: read e0 addr=0\n"
			   "@%d mem.w42: read %s addr=0\n";
	g_autofree char *same = g_strdup_printf(text, 40, "e0");
	g_autofree char *other_stream = g_strdup_printf(text, 40, "e1");
	g_autofree char *other_cycle = g_strdup_printf(text, 41, "e0");
	g_autofree char *other_way = g_strdup_printf(text, 40, "w0");
	g_autoptr(micro) a = micro_run("tsp-isca20", same);
	g_autoptr(micro) b = micro_run("tsp-isca20", other_stream);
	g_autoptr(micro) c = micro_run("tsp-isca20", other_cycle);
	g_autoptr(micro) d = micro_run("tsp-isca20", other_way);

	CU_ASSERT_EQUAL(micro_count(a, ISA_VIOLATION_STREAM_COLLISION), 1);
	CU_ASSERT_EQUAL(micro_count(a, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_count(b, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(c, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(d, ISA_VIOLATION_COUNT), 0);
}

static void neighbour_on_the_stream_is_the_wrong_operand_or_a_late_one(void)
{
	/* Two words follow each other on e0, due at 11 in 41 and 42, at 12 (w39) in 42 and 43.  A reader at 12 in 43
	 * that wants the first comes too late; a reader in 42 that wants the second, read in 41 and on its way, too
	 * early. */
	const char *text = ".epoch \"e\" start=0\n.image $w43:0 640\n"
			   "x: @40 mem.w43: read e0 addr=0 x2 every 1 step 1\n"
			   "@%d mem.w39: write e0 addr=0\n.source 0 from=x+%d\n";
	g_autofree char *passed = g_strdup_printf(text, 43, 0);
	g_autofree char *not_yet = g_strdup_printf(text, 42, 1);
	g_autofree char *fine = g_strdup_printf(text, 43, 1);
	g_autoptr(micro) a = micro_run("tsp-isca20", passed);
	g_autoptr(micro) b = micro_run("tsp-isca20", not_yet);
	g_autoptr(micro) c = micro_run("tsp-isca20", fine);

	CU_ASSERT_EQUAL(micro_count(a, ISA_VIOLATION_WRONG_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(a, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_count(b, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(b, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_count(c, ISA_VIOLATION_COUNT), 0);
}

static void value_falls_off_the_edge(void)
{
	/* e43 at 33 drives eastward: 11 hops to the last position 44, then nothing comes back, on either side. */
	g_autoptr(micro) m = micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $e43:0 320\n"
	                                             "@40 mem.e43: read e0 addr=0\n"
	                                             "@51 mxm2.a: abc e0 addr=0 type=int8 lanes=320\n"
	                                             "@63 mem.w43: write e0 addr=0\n"
	                                             "@64 mem.w43: write w0 addr=0\n");

	/* MXM east at 43: 10 hops, 41 + 10 = 51. */
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 51);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_UNDRIVEN_CELL), 2);
}

static void written_word_is_readable_after_the_write_cycles(void)
{
	/* x due at 11 in 41, written by w42 in 41, readable at 42; read at 41 it is not there yet. */
	const char *text = "@41 mem.w42: write e0 addr=8191\n.source 0 from=x\n"
			   "@%d mem.w42: read e1 addr=8191\n";
	g_autofree char *at_42 = g_strdup_printf(text, 42);
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20", at_42);
	g_autoptr(micro) slow = after_read_of_w43("tsp-isca20 mem.write_cycles=2", at_42);

	CU_ASSERT_EQUAL(micro_arrival(m, 2, 0), 42);
	CU_ASSERT_EQUAL(micro_result(m, 2), 43);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(slow, ISA_VIOLATION_UNWRITTEN), 1);
}

static void readwrite_uses_two_banks_in_one_cycle(void)
{
	/* Banks are the halves of 8192 words.  w42 at 41 reads addr 5 (bank 0) and writes the passing value to 4096
	 * (bank 1). */
	const char *text = ".image $w42:0 3200\n@41 mem.w42: readwrite e1, e0 addr=5 waddr=%d\n.source 0 resident\n"
			   ".source 1 from=x\n";
	g_autofree char *other_bank = g_strdup_printf(text, 4096);
	g_autofree char *same_bank = g_strdup_printf(text, 4095);
	g_autoptr(micro) m = after_read_of_w43("tsp-isca20", other_bank);
	g_autoptr(micro) n = after_read_of_w43("tsp-isca20", same_bank);
	g_autoptr(micro) frozen = after_read_of_w43("tsp-isca20 freeze", same_bank);

	CU_ASSERT_EQUAL(micro_result(m, 1), 42);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 1), 41);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).work, 640);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).requests, 2);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(n, ISA_VIOLATION_BANK_CONFLICT), 1);
	CU_ASSERT_EQUAL(micro_count(n, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_count(frozen, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_slip(frozen), 1);
}

static void readwrite_writes_what_passes(void)
{
	g_autoptr(micro) m =
		micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 320\n.hex " /* 20 x 16 bytes */
	                                "0102030405060708090a0b0c0d0e0f10\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 00000000000000000000000000000000\n"
	                                ".hex 000000000000000000000000000000ff\n"
	                                ".image $w42:5 320\n"
	                                "@40 mem.w43: read e0 addr=0\n"
	                                "@41 mem.w42: readwrite e1, e0 addr=5 waddr=4096\n");
	/* slice w42, word 4096 */
	g_autofree char *first = micro_memory(m, (42 * 8192 + 4096) * 320, 4);
	g_autofree char *last = micro_memory(m, (42 * 8192 + 4096) * 320 + 319, 1);

	CU_ASSERT_STRING_EQUAL(first, "01020304");
	CU_ASSERT_STRING_EQUAL(last, "ff");
}

/* A map word (each superlane: address 7, low byte first) on e0 and a gather or scatter at w42. */
#define MAP_WORD                                                                                                       \
	".epoch \"e\" start=0\n.image $w43:0 320\n"                                                                    \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	".hex 07000000000000000000000000000000 07000000000000000000000000000000\n"                                     \
	"map: @40 mem.w43: read e0 addr=0\n.source 0 resident\n"

static void gather_takes_the_gather_cycles(void)
{
	/* Map at 11 in 41; word on e1 in 41 + 2 = 43. */
	g_autoptr(micro) m = micro_run("tsp-isca20", MAP_WORD ".image $w42:7 320\n"
	                                                      "@41 mem.w42: gather e1, e0\n.source 0 resident\n"
	                                                      ".source 1 from=map\n");
	g_autoptr(micro) missing = micro_run("tsp-isca20", MAP_WORD ".image $w42:6 320\n@41 mem.w42: gather e1, e0\n");

	CU_ASSERT_EQUAL(micro_result(m, 1), 43);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 1), 41);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), PROBE_NO_TIME);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_TRUE(micro_count(missing, ISA_VIOLATION_UNWRITTEN) > 0);
}

static void scatter_writes_at_the_addresses_of_the_map(void)
{
	/* Data from w41 on e1, map on e0, both at 11 in 41: word 7 readable at 42. */
	g_autoptr(micro) m = micro_run("tsp-isca20", MAP_WORD ".image $w41:0 320\n"
	                                                      "x: @40 mem.w41: read e1 addr=0\n"
	                                                      "s: @41 mem.w42: scatter e1, e0\n.source 0 from=x\n"
	                                                      ".source 1 from=map\n"
	                                                      "@42 mem.w42: read e2 addr=7\n.source 0 from=s\n");

	CU_ASSERT_EQUAL(micro_result(m, 2), 42);
	CU_ASSERT_EQUAL(micro_arrival(m, 3, 0), 42);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void memory_skew_moves_access_and_sampling(void)
{
	/* Skew 3: read at 40 uses the bank at 43, on the stream at 44; the write samples 3 cycles after its issue. */
	g_autoptr(micro) m =
		after_read_of_w43("tsp-isca20 mem.skew_cycles=3", "@41 mem.w42: write e0 addr=0\n.source 0 from=x\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 44);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), 44);
	CU_ASSERT_EQUAL(micro_result(m, 1), 45);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void loop_of_reads_and_writes_flows(void)
{
	/* 100 words, one a cycle, 11 hops from w43 (11) to the VXM and none lost. */
	g_autoptr(micro) m = micro_run("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 32000\n"
	                                             "x: @40 mem.w43: read e0 addr=0 x100 every 1 step 1\n"
	                                             ".source 0 resident\n"
	                                             "@53 mem.e0: write e0 addr=0 x100 every 1 step 1\n"
	                                             ".source 0 from=x step=1\n");

	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 99).arrival[0], 53 + 99);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 99).result, 53 + 99 + 1);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(word_is_on_the_stream_after_the_read_cycles),
		CASE(eastward_value_moves_one_position_a_cycle),
		CASE(westward_value_mirrors_it),
		CASE(value_crosses_the_whole_chip),
		CASE(hop_of_two_cycles_doubles_the_way),
		CASE(four_slices_share_a_position),
		CASE(wide_operand_needs_all_its_streams_in_step),
		CASE(reading_does_not_remove_a_value),
		CASE(nearer_driver_replaces_the_passing_value),
		CASE(replacing_does_not_hurt_who_read_before),
		CASE(two_drives_of_one_cell_collide),
		CASE(neighbour_on_the_stream_is_the_wrong_operand_or_a_late_one),
		CASE(value_falls_off_the_edge),
		CASE(written_word_is_readable_after_the_write_cycles),
		CASE(readwrite_uses_two_banks_in_one_cycle),
		CASE(readwrite_writes_what_passes),
		CASE(gather_takes_the_gather_cycles),
		CASE(scatter_writes_at_the_addresses_of_the_map),
		CASE(memory_skew_moves_access_and_sampling),
		CASE(loop_of_reads_and_writes_flows),
	};

	return tap_run("timing of streams and MEM slices", cases, G_N_ELEMENTS(cases));
}
