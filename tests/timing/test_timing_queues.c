/* SPDX-License-Identifier: Apache-2.0
 *
 * When instructions issue: loops, rotation, the barrier at the start, queues that are fetched.
 *
 * `tsp` has ideal fetch and no barrier; `tsp-isca20` releases its queues at 35, holds 80 words a queue, and an IFETCH
 * brings 40 words, the first 16 cycles after its issue.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#define RESIDENT        ".epoch \"e\" start=0\n.image 0 131072\n"
#define NO_VIOLATION(m) CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0)

static void loop_issues_at_its_interval(void)
{
	/* Four loads, three cycles apart, 640 bytes apart: issues 7, 10, 13, 16. */
	g_autoptr(micro) m =
		micro_run("tsp", RESIDENT "@7 mem0: load r0 addr=0 len=640 x4 every 3 step 640 rot.dst=1\n");

	for (uint32_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(micro_issue(m, 0, i).cycle, 7 + 3 * i);
		CU_ASSERT_EQUAL(micro_issue(m, 0, i).result, 7 + 3 * i + 4);
	}
	CU_ASSERT_EQUAL(micro_issue(m, 0, 4).cycle, PROBE_NO_TIME);
	CU_ASSERT_EQUAL(micro_cycles(m), 16 + 4 - 7);
}

static void nested_loops_count_from_first_issue_to_first_issue(void)
{
	/* Inner: 2 issues 1 apart.  Outer: 3 runs 5 apart: 0 1, 5 6, 10 11.  The instruction behind comes at 12 at the
	 * earliest. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=16 x2 every 1 x3 every 5\n"
	                                               "@12 mem0: load r1 addr=0 len=16\n");
	g_autoptr(micro) crowded = micro_try("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=16 x2 every 1 x3 every 5\n"
	                                                     "@11 mem0: load r1 addr=0 len=16\n");
	static const int64_t cycles[] = {0, 1, 5, 6, 10, 11};

	for (uint32_t i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(micro_issue(m, 0, i).cycle, cycles[i]);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).cycle, 12);
	CU_ASSERT_TRUE(crowded->refused);
}

static void nested_loops_step_the_address_of_their_own_level(void)
{
	/* Addresses 0 + 16 i0 + 2224 i1: with i1 = 1 both are in the banks of i1 = 0.  Seen through the data: byte k of
	 * the image names the block. */
	g_autoptr(micro) m =
		micro_run("tsp", ".epoch \"e\" start=0\n"
	                         ".image 0 16\n.hex a0000000000000000000000000000000\n"
	                         ".image 16 16\n.hex a1000000000000000000000000000000\n"
	                         ".image 2224 16\n.hex b0000000000000000000000000000000\n"
	                         ".image 2240 16\n.hex b1000000000000000000000000000000\n"
	                         "@0 mem0: load r0 addr=0 len=16 x2 every 1 step 16 x2 every 4 step 2224 rot.dst=1\n"
	                         "@20 mem0: store r0 addr=0x8000 len=16 x4 every 1 step 1 rot.src0=1\n");
	g_autofree char *bytes = micro_memory(m, 0x8000, 4);

	/* Each store puts the first byte of the next register one byte further. */
	CU_ASSERT_STRING_EQUAL(bytes, "a0a1b0b1");
	NO_VIOLATION(m);
}

/* One byte into each of r10..r13, then a loop of copies with ROTATION, then the four registers from r20 stored. */
static char *rotated(const char *rotation)
{
	g_autofree char *text =
		g_strdup_printf(".epoch \"e\" start=0\n.image 0 16\n.hex 0a0b0c0d000000000000000000000000\n"
	                        "@0 mem0: load r10 addr=0 len=1 x4 every 1 step 1 rot.dst=1\n"
	                        "@20 vxm0: copy r20, r10 type=int8 lanes=1 %s\n"
	                        "@40 mem0: store r20 addr=0x100 len=1 x4 every 1 step 1 rot.src0=1\n",
	                        rotation);
	g_autoptr(micro) m = micro_run("tsp", text);

	return micro_memory(m, 0x100, 4);
}

static void rotation_steps_registers_by_the_issue_number(void)
{
	g_autofree char *plain = rotated("x4 every 1 rot.dst=1 rot.src0=1");
	g_autofree char *wrapped = rotated("x4 every 1 rot.dst=1 rot.src0=1/2");
	g_autofree char *back = rotated("x4 every 1 rot.dst=1 rot.src0=-1/4");
	g_autofree char *nested = rotated("x2 every 1 x2 every 3 rot.dst=1 rot.src0=2/3");

	CU_ASSERT_STRING_EQUAL(plain, "0a0b0c0d");
	/* i mod 2 */
	CU_ASSERT_STRING_EQUAL(wrapped, "0a0b0a0b");
	/* -i mod 4 = 0 3 2 1 */
	CU_ASSERT_STRING_EQUAL(back, "0a0d0c0b");
	/* 2 i mod 3 = 0 2 1 0, i over both loops */
	CU_ASSERT_STRING_EQUAL(nested, "0a0c0b0a");
}

static void only_registers_rotate(void)
{
	/* The ALU latch stays. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=16\n"
	                                               "@4 vxm0: copy r1, r0 type=int8 lanes=16\n"
	                                               "@7 vxm1: copy r2, alu.0 type=int8 lanes=16 x4 every 1 "
	                                               "rot.src0=1 rot.dst=1\n");

	NO_VIOLATION(m);
	CU_ASSERT_EQUAL(micro_issue(m, 2, 3).arrival[0], 7);
}

static void barrier_releases_every_queue_at_once(void)
{
	/* The first used queue has NOTIFY at 0, all others SYNC; the first instruction may issue at 35.
	 * hw.icu.barrier_cycles one longer: everything one cycle later. */
	const char *text = ".epoch \"e\" start=0\n.image $w43:0 320\n"
			   "@35 mem.w43: read e0 addr=0\n@36 mem.w42: write e0 addr=0\n";
	g_autoptr(micro) m = micro_run("tsp-isca20", text);
	g_autoptr(micro) longer = micro_run("tsp-isca20 hw.icu.barrier_cycles=36", text);
	g_autoptr(micro) shorter = micro_run("tsp-isca20 hw.icu.barrier_cycles=30", text);
	g_autoptr(micro) too_early =
		micro_try("tsp-isca20", ".epoch \"e\" start=0\n.image $w43:0 320\n@34 mem.w43: read e0 addr=0\n");

	/* Instructions 2 and 3 are the NOTIFY and the SYNC that lowering adds. */
	CU_ASSERT_EQUAL(micro_issue(m, 2, 0).cycle, 0);
	CU_ASSERT_EQUAL(micro_issue(m, 3, 0).cycle, 0);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).cycle, 35);
	CU_ASSERT_EQUAL(micro_cycles(m), 37);
	CU_ASSERT_EQUAL(micro_issue(longer, 0, 0).cycle, 36);
	CU_ASSERT_EQUAL(micro_issue(longer, 1, 0).cycle, 37);
	CU_ASSERT_EQUAL(micro_cycles(longer), 38);
	CU_ASSERT_EQUAL(micro_cycles(shorter), 32);
	NO_VIOLATION(longer);
	CU_ASSERT_TRUE(too_early->refused);
}

/* COUNT reads that no loop can join (addresses jump about), EVERY cycles apart, in one queue: a word each, and a NOP
 * between when they are more than one apart. */
static char *many_reads(int count, int every)
{
	GString *text = g_string_new(".epoch \"e\" start=0\n.image $w43:0 2621440\n");

	for (int i = 0; i < count; i++)
		g_string_append_printf(text, "@%d mem.w43: read e0 addr=%d\n", 35 + i * every, i * 37 % 1000);
	return g_string_free(text, FALSE);
}

/* With N reads every 3 cycles the words are SYNC or NOTIFY (word 0), then read (35), NOP of 2 (36), read (38), ...:
 * word 1 + 2 i is read number i, at 35 + 3 i; word 2 + 2 i the NOP behind it. */
static void fetched_queue_issues_in_time_when_the_scheduler_knew(void)
{
	g_autofree char *text = many_reads(200, 3);
	g_autoptr(micro) m = micro_run("tsp-isca20", text);
	unsigned fetches = 0;

	for (unsigned i = 0; i < m->oracle->issues->len; i++) {
		const probe_issue *issue = &g_array_index(m->oracle->issues, probe_issue, i);

		fetches += isa_program_insn(m->program, issue->insn)->op == ISA_OP_IFETCH;
	}
	/* 400 words and more; 80 are there, each fetch brings 40: at least 8. */
	CU_ASSERT_TRUE(fetches >= 8);
	CU_ASSERT_EQUAL(micro_issue(m, 199, 0).cycle, 35 + 3 * 199);
	NO_VIOLATION(m);
}

static void ideal_fetch_needs_no_ifetch(void)
{
	g_autofree char *text = many_reads(200, 1);
	g_autoptr(micro) m = micro_run("tsp-isca20 icu.queue_words=0", text);

	CU_ASSERT_EQUAL(m->oracle->issues->len, 200 + 1); /* and NOTIFY */
	CU_ASSERT_EQUAL(micro_issue(m, 199, 0).cycle, 35 + 199);
	NO_VIOLATION(m);
}

static void slower_fetch_than_scheduled_runs_dry(void)
{
	/* Reads every 2 cycles (read, NOP 1): a queue of 8 words, 4 a fetch.  Word 0 NOTIFY; 1 read 35; the gap at 36
	 * needs words beyond the eighth, and 4 of 8 must have left: words 0..3 are read in 0, 35, 36, 37, so the IFETCH
	 * can be word 4 at 38. Its first word is number 8.  Slots after it: word 5 at 39, 6 at 40, 7 at 41, 8 at 42
	 * when nothing is late: fetch time 4 is just enough, 5 is not. */
	g_autofree char *text = many_reads(8, 2);
	g_autoptr(micro) in_time =
		micro_run("tsp-isca20 icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=4", text);
	g_autoptr(micro) slow = micro_run(
		"tsp-isca20 icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=4 hw.icu.ifetch_cycles=5", text);
	g_autoptr(micro) refused =
		micro_try("tsp-isca20 icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=5", text);

	NO_VIOLATION(in_time);
	CU_ASSERT_TRUE(micro_count(slow, ISA_VIOLATION_QUEUE_UNDERRUN) > 0);
	CU_ASSERT_EQUAL(micro_count(slow, ISA_VIOLATION_COUNT), micro_count(slow, ISA_VIOLATION_QUEUE_UNDERRUN));
	/* word 8 is wanted at 42 and comes at 38 + 5 = 43 */
	CU_ASSERT_EQUAL(micro_violation(slow).cycle, 42);
	CU_ASSERT_TRUE(refused->refused);
}

static void late_words_delay_all_that_follows_in_their_queue_only(void)
{
	g_autofree char *reads = many_reads(8, 2);
	g_autofree char *text = g_strdup_printf("%s@60 mem.w10: read e5 addr=0\n.image $w10:0 320\n", reads);
	const char *keys = "icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=4";
	g_autofree char *machine = g_strdup_printf("tsp-isca20 %s", keys);
	g_autofree char *slower = g_strdup_printf("tsp-isca20 %s hw.icu.ifetch_cycles=6", keys);
	g_autoptr(micro) a = micro_run(machine, text);
	g_autoptr(micro) b = micro_run(slower, text);

	/* As above words 0 1 2 3 are NOTIFY, read, NOP, read, word 4 the IFETCH at 38; the queue has room for the next
	 * at 42 (word 8), which is the first word fetched.  Two cycles late it comes at 44, and the words behind it at
	 * 45, 46, 47; its own fetch brings word 12 at 50, wanted at 48.  Read number 7 is word 15: 4 cycles late. */
	NO_VIOLATION(a);
	CU_ASSERT_EQUAL(micro_issue(a, 7, 0).cycle, 35 + 14);
	CU_ASSERT_EQUAL(micro_issue(b, 3, 0).cycle, 41);
	CU_ASSERT_EQUAL(micro_issue(b, 4, 0).cycle, 45);
	CU_ASSERT_EQUAL(micro_issue(b, 7, 0).cycle, 35 + 14 + 4);
	CU_ASSERT_EQUAL(micro_issue(b, 8, 0).cycle, 60);
	CU_ASSERT_EQUAL(micro_count(b, ISA_VIOLATION_QUEUE_UNDERRUN), 2);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(loop_issues_at_its_interval),
		CASE(nested_loops_count_from_first_issue_to_first_issue),
		CASE(nested_loops_step_the_address_of_their_own_level),
		CASE(rotation_steps_registers_by_the_issue_number),
		CASE(only_registers_rotate),
		CASE(barrier_releases_every_queue_at_once),
		CASE(fetched_queue_issues_in_time_when_the_scheduler_knew),
		CASE(ideal_fetch_needs_no_ifetch),
		CASE(slower_fetch_than_scheduled_runs_dry),
		CASE(late_words_delay_all_that_follows_in_their_queue_only),
	};

	return tap_run("timing of queues", cases, G_N_ELEMENTS(cases));
}
