/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact times of the hashed SRAM on the machine `tsp`: beats, first-come-first-served banks, ports, maps, lockstep.
 *
 * Defaults used below: block 16 B, port 16 B, one port a bank, mod:139 over 144 banks, latency 4, MEM skew 0, four MEM
 * queues.  An access at t is presented at q = t, ends in e = q + b - 1 with b beats when alone, and is due at e + 4.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#define RESIDENT ".epoch \"e\" start=0\n.image 0 262144\n"

static void load_of_forty_blocks_has_one_beat(void)
{
	/* Bytes 0..639 are blocks 0..39, in banks 0..39: b = 1, e = 0, due 0 + 4. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=640\n");
	probe_issue load = micro_issue(m, 0, 0);

	CU_ASSERT_EQUAL(load.cycle, 0);
	CU_ASSERT_EQUAL(load.result, 4);
	CU_ASSERT_EQUAL(load.beats, 1);
	CU_ASSERT_EQUAL(load.requests, 40);
	CU_ASSERT_EQUAL(load.delayed, 0);
	CU_ASSERT_EQUAL(load.delay, 0);
	CU_ASSERT_EQUAL(load.work, 640);
	CU_ASSERT_EQUAL(micro_cycles(m), 4);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void load_with_two_beats_arrives_one_cycle_later(void)
{
	/* Segments at 0 and 2224 = 139 * 16: blocks 0 and 139, both in bank 0.  b = 2, e = 1, due 5; the second waits.
	 */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=2\n");
	probe_issue load = micro_issue(m, 0, 0);

	CU_ASSERT_EQUAL(load.result, 5);
	CU_ASSERT_EQUAL(load.beats, 2);
	CU_ASSERT_EQUAL(load.requests, 2);
	CU_ASSERT_EQUAL(load.delayed, 1);
	CU_ASSERT_EQUAL(load.delay, 0);
	CU_ASSERT_EQUAL(load.work, 32);
}

static void beats_are_those_of_the_fullest_bank(void)
{
	/* Blocks 0, 139, 278 in bank 0 and, between them, 1 and 140 in bank 1 (segments of 32 bytes at blocks 0, 139;
	 * the third covers 278, 279): banks 0 0 0 and 1 1 1.  b = 3: due 0 + 3 - 1 + 4. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: loads r0 addr=0 seg=32 pitch=2224 count=3\n");

	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 3);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).requests, 6);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).delayed, 4);
	CU_ASSERT_EQUAL(micro_result(m, 0), 6);
}

static void unaligned_load_asks_for_one_block_more(void)
{
	/* Bytes 8..647: blocks 0..40. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=8 len=640\n");

	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).requests, 41);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 1);
	CU_ASSERT_EQUAL(micro_result(m, 0), 4);
}

static void block_touched_by_two_segments_is_asked_for_twice(void)
{
	/* Four segments of 8 bytes, 8 apart: blocks 0, 0, 1, 1; two requests of banks 0 and 1 each: b = 2. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: loads r0 addr=0 seg=8 pitch=8 count=4\n");

	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).requests, 4);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 2);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).work, 32);
	CU_ASSERT_EQUAL(micro_result(m, 0), 5);
}

static void indexed_load_has_the_beats_of_its_blocks(void)
{
	/* Indices 0, 2224, 4448 (0x8b0, 0x1160) of segments of 16 bytes: blocks 0, 139, 278, all in bank 0: b = 3.  The
	 * map is loaded at 0 and sampled at q = 4: due 4 + 3 - 1 + 4. */
	g_autoptr(micro) m = micro_run("tsp", ".epoch \"e\" start=0\n.image 0x8000 12\n.hex 00000000b008000060110000\n"
	                                      ".image 0 8192\n"
	                                      "map: @0 mem0: load r9 addr=0x8000 len=12\n"
	                                      "@4 mem1: loadx r0, r9 addr=0 seg=16 count=3\n.source 1 from=map\n");

	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 3);
	CU_ASSERT_EQUAL(micro_result(m, 1), 10);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 1), 4);
	CU_ASSERT_EQUAL(micro_arrival(m, 1, 0), PROBE_NO_TIME); /* host data */
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void lower_queue_is_served_first(void)
{
	/* Both ask for bank 0 in cycle 0; mem0 before mem1 although it stands below.  mem1 ends in 1, alone it had been
	 * 0. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem1: load r1 addr=2224 len=16\n"
	                                               "@0 mem0: load r0 addr=0 len=16\n");

	CU_ASSERT_EQUAL(micro_result(m, 1), 4);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delay, 0);
	CU_ASSERT_EQUAL(micro_result(m, 0), 5);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).delay, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).delayed, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 1);
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void request_of_the_next_cycle_queues_behind(void)
{
	/* mem0 at 0 asks bank 0 for blocks 0, 139, 278: served in 0, 1, 2.  mem1 at 1 asks it for 417: served in 3, so
	 * e = 3 and due 7, two cycles later than alone (e = 1). */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=3\n"
	                                               "@1 mem1: load r1 addr=6672 len=16\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 6);
	CU_ASSERT_EQUAL(micro_result(m, 1), 7);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delay, 2);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).delay, 0);
}

static void higher_queue_of_one_cycle_waits_for_all_blocks_of_the_lower(void)
{
	/* Bank 0 in cycle 0: mem0's blocks 0, 139, then mem1's 278.  mem1's other block 280 (bank 2) is served at once;
	 * the access ends with its last: e = 2, due 6. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=2\n"
	                                               "@0 mem1: loads r1 addr=4448 seg=16 pitch=32 count=2\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 5);
	CU_ASSERT_EQUAL(micro_result(m, 1), 6);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delay, 2);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delayed, 1);
}

static void older_access_can_be_delayed_by_none_that_came_later(void)
{
	/* mem3 at 0 has bank 0 twice (cycles 0 and 1); mem0 at 1, the lower queue, comes later and waits: served in 2.
	 */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem3: loads r0 addr=0 seg=16 pitch=2224 count=2\n"
	                                               "@1 mem0: load r1 addr=4448 len=16\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 5);
	CU_ASSERT_EQUAL(micro_result(m, 1), 6);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delay, 1);
}

static void two_ports_serve_two_requests_in_one_beat(void)
{
	/* Three requests of bank 0 through two ports: two in cycle 0, one in 1: b = 2.  With three ports b = 1. */
	const char *text = RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=3\n";
	g_autoptr(micro) two = micro_run("tsp sram.ports=2", text);
	g_autoptr(micro) three = micro_run("tsp sram.ports=3", text);

	CU_ASSERT_EQUAL(micro_issue(two, 0, 0).beats, 2);
	CU_ASSERT_EQUAL(micro_issue(two, 0, 0).delayed, 1);
	CU_ASSERT_EQUAL(micro_result(two, 0), 5);
	CU_ASSERT_EQUAL(micro_issue(three, 0, 0).beats, 1);
	CU_ASSERT_EQUAL(micro_result(three, 0), 4);
}

static void block_wider_than_the_port_holds_it_for_two_cycles(void)
{
	/* 32-byte blocks through 16-byte ports: one block takes ceil(32/16) = 2 cycles, b = 2, due 0 + 2 - 1 + 4 = 5.
	 * The same bank asked again at 1 (block 139 lies at 139 * 32 = 4448) is free at 2: e = 3, due 7, one later than
	 * alone. */
	g_autoptr(micro) m = micro_run("tsp sram.block_bytes=32", RESIDENT "@0 mem0: load r0 addr=0 len=32\n"
	                                                                   "@1 mem1: load r1 addr=4448 len=32\n");

	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 2);
	CU_ASSERT_EQUAL(micro_result(m, 0), 5);
	CU_ASSERT_EQUAL(micro_result(m, 1), 7);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).delay, 1);
	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 2);
}

static void two_blocks_of_one_bank_wider_than_the_port_take_four_cycles(void)
{
	g_autoptr(micro) m =
		micro_run("tsp sram.block_bytes=32", RESIDENT "@0 mem0: loads r0 addr=0 seg=32 pitch=4448 count=2\n");

	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).beats, 4);
	CU_ASSERT_EQUAL(micro_result(m, 0), 7);
}

static void memory_skew_delays_the_request(void)
{
	/* Presented at q = t + 2. */
	g_autoptr(micro) m = micro_run("tsp mem.skew_cycles=2", RESIDENT "@5 mem0: load r0 addr=0 len=640\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 5 + 2 + 4);
	CU_ASSERT_EQUAL(micro_cycles(m), 6);
}

/* Two segments PITCH blocks apart: how many beats under MAP? */
static int64_t beats_of_pair(const char *map, int blocks_apart)
{
	g_autofree char *machine = g_strdup_printf("tsp sram.map=%s", map);
	g_autofree char *text =
		g_strdup_printf(RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=%d count=2\n", 16 * blocks_apart);
	g_autoptr(micro) m = micro_run(machine, text);

	return micro_issue(m, 0, 0).beats;
}

static void maps_decide_which_strides_conflict(void)
{
	/* mod:M conflicts where M divides the distance. */
	CU_ASSERT_EQUAL(beats_of_pair("mod:139", 139), 2);
	CU_ASSERT_EQUAL(beats_of_pair("mod:139", 144), 1);
	CU_ASSERT_EQUAL(beats_of_pair("mod:144", 144), 2);
	CU_ASSERT_EQUAL(beats_of_pair("mod:144", 139), 1);
	/* skew:144,5 gives block 144 bank (144 + 5) mod 144 = 5, block 283 bank (283 + 5) mod 144 = 0. */
	CU_ASSERT_EQUAL(beats_of_pair("skew:144,5", 144), 1);
	CU_ASSERT_EQUAL(beats_of_pair("skew:144,5", 283), 2);
	/* 129 = 1_0000001b: its upper part 1 cancels its lowest bit. */
	CU_ASSERT_EQUAL(beats_of_pair("xorfold:7", 129), 2);
	CU_ASSERT_EQUAL(beats_of_pair("xorfold:7", 128), 1);
	CU_ASSERT_EQUAL(beats_of_pair("swizzle:7,0,7", 129), 2);
	CU_ASSERT_EQUAL(beats_of_pair("swizzle:7,0,7", 128), 1);
	/* 0x83 = 131 is the polynomial itself: remainder 0. */
	CU_ASSERT_EQUAL(beats_of_pair("poly:0x83", 131), 2);
	CU_ASSERT_EQUAL(beats_of_pair("poly:0x83", 128), 1);
	CU_ASSERT_EQUAL(beats_of_pair("ideal", 144), 1);
	CU_ASSERT_EQUAL(beats_of_pair("ideal", 139), 1);
}

static void ideal_map_never_delays(void)
{
	g_autoptr(micro) m = micro_run("tsp sram.map=ideal", RESIDENT "@0 mem0: load r0 addr=0 len=640\n"
	                                                              "@0 mem1: load r1 addr=0 len=640\n"
	                                                              "@0 mem2: load r2 addr=0 len=640\n");

	for (uint32_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(micro_result(m, i), 4);
		CU_ASSERT_EQUAL(micro_issue(m, i, 0).delayed, 0);
	}
}

static void stored_bytes_are_readable_after_the_latency(void)
{
	/* load 0: r0 at 4.  store 4: e = 4, readable at 8.  A load presented at 8 finds its bytes, one at 7 nothing:
	 * the region was never written before. */
	const char *text = ".epoch \"e\" start=0\n.image 0 16\n"
			   "x: @0 mem0: load r0 addr=0 len=16\n"
			   "s: @4 mem0: store r0 addr=4096 len=16\n.source 0 from=x\n"
			   "@%d mem1: load r1 addr=4096 len=16\n.source 0 from=s\n";
	g_autofree char *at_8 = g_strdup_printf(text, 8);
	g_autofree char *at_7 = g_strdup_printf(text, 7);
	g_autoptr(micro) good = micro_run("tsp", at_8);
	g_autoptr(micro) bad = micro_run("tsp", at_7);

	CU_ASSERT_EQUAL(micro_result(good, 1), 8);
	CU_ASSERT_EQUAL(micro_arrival(good, 1, 0), 4);
	CU_ASSERT_EQUAL(micro_arrival(good, 2, 0), 8);
	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

static void store_with_two_beats_is_readable_one_cycle_later(void)
{
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=32\n"
	                                               "@4 mem0: stores r0 addr=0 seg=16 pitch=2224 count=2\n");

	CU_ASSERT_EQUAL(micro_issue(m, 1, 0).beats, 2);
	CU_ASSERT_EQUAL(micro_result(m, 1), 4 + 2 - 1 + 4);
}

static void delayed_store_is_readable_later_by_its_delay(void)
{
	/* The store's bank is busy in cycle 4 with mem0's block 139; it is served in 5. */
	g_autoptr(micro) m = micro_run("tsp", RESIDENT "@0 mem0: load r0 addr=0 len=16\n"
	                                               "@4 mem0: load r1 addr=2224 len=16\n"
	                                               "@4 mem1: store r0 addr=0 len=16\n");

	CU_ASSERT_EQUAL(micro_issue(m, 2, 0).delay, 1);
	CU_ASSERT_EQUAL(micro_result(m, 2), 9);
}

static void load_takes_the_bytes_as_they_are_when_presented(void)
{
	/* Bytes 11 at 0, 22 at 16.  r0 = 22.. at 4, stored to 0 at 4, readable at 8.  The load at 7 has two beats
	 * (blocks 0 and 139) and ends in 8, but reads at 7: it gets the host's 11 and stores it at 0x100 at 12. */
	g_autoptr(micro) m =
		micro_run("tsp", ".epoch \"e\" start=0\n.image 0 32\n.hex 11111111111111111111111111111111\n"
	                         ".hex 22222222222222222222222222222222\n.image 2224 16\n"
	                         "@0 mem0: load r0 addr=16 len=16\n"
	                         "@4 mem0: store r0 addr=0 len=16\n"
	                         "@7 mem1: loads r1 addr=0 seg=16 pitch=2224 count=2\n"
	                         "@12 mem0: store r1 addr=0x100 len=16\n");
	g_autofree char *old = micro_memory(m, 0x100, 2);
	g_autofree char *young = micro_memory(m, 0, 2);

	CU_ASSERT_EQUAL(micro_result(m, 2), 12);
	CU_ASSERT_STRING_EQUAL(old, "1111");
	CU_ASSERT_STRING_EQUAL(young, "2222");
	CU_ASSERT_EQUAL(micro_count(m, ISA_VIOLATION_COUNT), 0);
}

static void late_load_is_late_at_its_consumer_and_nowhere_else(void)
{
	/* mem1's load is delayed by one cycle (bank 0), so its register is written at 5; the consumer at 4 is late, one
	 * at 5 is not. */
	const char *text = RESIDENT "@0 mem0: load r0 addr=0 len=16\n"
				    "y: @0 mem1: load r1 addr=2224 len=16\n"
				    "@%d vxm0: copy r2, r1 type=int8 lanes=16\n.source 0 from=y\n";
	g_autofree char *at_4 = g_strdup_printf(text, 4);
	g_autofree char *at_5 = g_strdup_printf(text, 5);
	g_autoptr(micro) late = micro_run("tsp", at_4);
	g_autoptr(micro) fine = micro_run("tsp", at_5);

	CU_ASSERT_EQUAL(micro_count(late, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(late, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_violation(late).insn, 2);
	CU_ASSERT_EQUAL(micro_count(fine, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_arrival(fine, 2, 0), 5);
}

static void freeze_stops_the_machine_while_the_memory_is_occupied(void)
{
	/* The group of cycle 0 has two beats and occupies cycles 0 and 1; the group of cycle 1 waits one cycle.  In
	 * program time each access takes its own beats: due 0 + 1 + 4 and 1 + 0 + 4. */
	const char *text = RESIDENT "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=2\n"
				    "@%d mem1: load r1 addr=4448 len=16\n";
	g_autofree char *next = g_strdup_printf(text, 1);
	g_autofree char *after = g_strdup_printf(text, 2);
	g_autoptr(micro) frozen = micro_run("tsp freeze", next);
	g_autoptr(micro) free = micro_run("tsp freeze", after);

	CU_ASSERT_EQUAL(micro_result(frozen, 0), 5);
	CU_ASSERT_EQUAL(micro_result(frozen, 1), 5);
	CU_ASSERT_EQUAL(micro_issue(frozen, 1, 0).delay, 0);
	CU_ASSERT_EQUAL(micro_slip(frozen), 1);
	CU_ASSERT_EQUAL(micro_cycles(frozen), 5);
	CU_ASSERT_EQUAL(micro_slip(free), 0);
	CU_ASSERT_EQUAL(micro_result(free, 1), 6);
}

static void freeze_takes_all_requests_of_a_cycle_as_one_group(void)
{
	/* Three loads of bank 0 in one cycle: the group's largest load is 3, so the next group waits 2 cycles; each of
	 * the three has one beat in program time. */
	g_autoptr(micro) m = micro_run("tsp freeze", RESIDENT "@0 mem0: load r0 addr=0 len=16\n"
	                                                      "@0 mem1: load r1 addr=2224 len=16\n"
	                                                      "@0 mem2: load r2 addr=4448 len=16\n"
	                                                      "@1 mem3: load r3 addr=16 len=16\n");

	CU_ASSERT_EQUAL(micro_result(m, 0), 4);
	CU_ASSERT_EQUAL(micro_result(m, 2), 4);
	CU_ASSERT_EQUAL(micro_result(m, 3), 5);
	CU_ASSERT_EQUAL(micro_slip(m), 2);
}

/* 512 groups, one a cycle, of 16 blocks 16 apart under mod:144: banks 16 (j mod 9), so 9 banks of 144 are in use. */
#define STRIDE_16                                                                                                      \
	".epoch \"e\" start=0\n.image 0 2097152\n"                                                                     \
	"@0 mem0: loads r0 addr=0 seg=16 pitch=256 count=16 x512 every 1 step 4096\n"

static void lockstep_of_a_stride_is_max_load_a_group(void)
{
	/* 16 requests on 9 banks: largest load 2, 7 of 16 wait (43.75 %).  Every group after the first slips one cycle.
	 */
	g_autoptr(micro) m = micro_run("tsp sram.map=mod:144 freeze", STRIDE_16);

	CU_ASSERT_EQUAL(micro_slip(m), 511);
	CU_ASSERT_EQUAL(micro_cycles(m), 511 + 2 - 1 + 4);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 0).delayed, 7);
	CU_ASSERT_EQUAL(micro_issue(m, 0, 511).beats, 2);
}

static void fifo_of_a_stride_keeps_every_bank_busy(void)
{
	/* 8192 requests over 9 banks are 911 in the fullest (8192 = 9 * 910 + 2), one a cycle from cycle 0: the last is
	 * served in 910, 1.78 times as long as the 512 cycles of the groups. */
	g_autoptr(micro) m = micro_run("tsp sram.map=mod:144", STRIDE_16);
	int64_t last = 0;

	for (uint32_t i = 0; i < 512; i++)
		last = MAX(last, micro_issue(m, 0, i).result);
	CU_ASSERT_EQUAL(last, 910 + 4);
	CU_ASSERT_EQUAL(micro_cycles(m), 914);
	CU_ASSERT_EQUAL(micro_slip(m), 0);
}

static void epoch_replaces_the_memory(void)
{
	/* Host data of the second epoch is there in its start cycle and the first epoch's is gone. */
	const char *text = ".epoch \"a\" start=0\n.image 0 16\n.epoch \"b\" start=20\n.image 64 16\n"
			   "@%d mem0: load r0 addr=%d len=16\n.source 0 resident\n";
	g_autofree char *old_data = g_strdup_printf(text, 19, 0);
	g_autofree char *gone = g_strdup_printf(text, 20, 0);
	g_autofree char *too_early = g_strdup_printf(text, 19, 64);
	g_autofree char *new_data = g_strdup_printf(text, 20, 64);
	g_autoptr(micro) a = micro_run("tsp", old_data);
	g_autoptr(micro) b = micro_run("tsp", gone);
	g_autoptr(micro) c = micro_run("tsp", too_early);
	g_autoptr(micro) d = micro_run("tsp", new_data);

	CU_ASSERT_EQUAL(micro_count(a, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(b, ISA_VIOLATION_UNWRITTEN), 1);
	CU_ASSERT_EQUAL(micro_count(c, ISA_VIOLATION_UNWRITTEN), 1);
	CU_ASSERT_EQUAL(micro_count(d, ISA_VIOLATION_COUNT), 0);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(load_of_forty_blocks_has_one_beat),
		CASE(load_with_two_beats_arrives_one_cycle_later),
		CASE(beats_are_those_of_the_fullest_bank),
		CASE(unaligned_load_asks_for_one_block_more),
		CASE(block_touched_by_two_segments_is_asked_for_twice),
		CASE(indexed_load_has_the_beats_of_its_blocks),
		CASE(lower_queue_is_served_first),
		CASE(request_of_the_next_cycle_queues_behind),
		CASE(higher_queue_of_one_cycle_waits_for_all_blocks_of_the_lower),
		CASE(older_access_can_be_delayed_by_none_that_came_later),
		CASE(two_ports_serve_two_requests_in_one_beat),
		CASE(block_wider_than_the_port_holds_it_for_two_cycles),
		CASE(two_blocks_of_one_bank_wider_than_the_port_take_four_cycles),
		CASE(memory_skew_delays_the_request),
		CASE(maps_decide_which_strides_conflict),
		CASE(ideal_map_never_delays),
		CASE(stored_bytes_are_readable_after_the_latency),
		CASE(store_with_two_beats_is_readable_one_cycle_later),
		CASE(delayed_store_is_readable_later_by_its_delay),
		CASE(load_takes_the_bytes_as_they_are_when_presented),
		CASE(late_load_is_late_at_its_consumer_and_nowhere_else),
		CASE(freeze_stops_the_machine_while_the_memory_is_occupied),
		CASE(freeze_takes_all_requests_of_a_cycle_as_one_group),
		CASE(lockstep_of_a_stride_is_max_load_a_group),
		CASE(fifo_of_a_stride_keeps_every_bank_busy),
		CASE(epoch_replaces_the_memory),
	};

	return tap_run("timing of the hashed SRAM", cases, G_N_ELEMENTS(cases));
}
