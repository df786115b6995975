/* SPDX-License-Identifier: Apache-2.0
 *
 * The hashed SRAM on the preset tsp (mod:139, blocks and ports of 16 B, latency 4) unless a case sets keys: exact times
 * of loads and stores, banks that delay, what loads see, host data, producers, address ranges; and the MEM slices of
 * tsp-isca20.  Derived by hand from "Hashed SRAM" and "Direct SRAM" of docs/design.md.
 */
#include "tests/unit/model_rig.h"

#define HOST ".epoch \"e\" start=0\n.image 0 1000000\n"

static void a_contiguous_load_takes_one_beat(void)
{
	/* 640 B at 0: blocks 0..39, 40 different banks.  e = 0, due 0 + 4. */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=640\n\t.source 0 resident\n", NULL);
	const probe_issue *p = rig_issue(r, 0, 0);

	CU_ASSERT_EQUAL(p->result, 4);
	CU_ASSERT_EQUAL(p->beats, 1);
	CU_ASSERT_EQUAL(p->requests, 40);
	CU_ASSERT_EQUAL(p->delayed, 0);
	CU_ASSERT_EQUAL(p->delay, 0);
	CU_ASSERT_EQUAL(p->work, 640);
	CU_ASSERT_EQUAL(p->arrival[0], PROBE_NO_TIME);
	CU_ASSERT_EQUAL(r->counters->bank_requests, 40);
	CU_ASSERT_EQUAL(r->counters->sram_bytes, 640);
	CU_ASSERT_EQUAL(r->counters->bank_count[0], 1);
	CU_ASSERT_EQUAL(r->counters->bank_count[39], 1);
	CU_ASSERT_EQUAL(r->counters->bank_count[40], 0);
	RIG_CLEAN(r);
	rig_free(r);
}

static void a_load_that_straddles_blocks_asks_for_one_more(void)
{
	/* 640 B from byte 8: blocks 0..40. */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=8 len=640\n", NULL);

	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->requests, 41);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 1);
	rig_free(r);
}

static void segments_that_meet_in_a_bank_take_as_many_beats(void)
{
	/* Four 16-byte segments 139 blocks (2224 B) apart: all in bank 0, 4 beats: e = 3, due 7.  Three of them waited
	 * 1, 2, 3 cycles. */
	rig *r = rig_run(HOST "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=4\n", NULL);

	RIG_RESULT(r, 0, 7);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 4);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delayed, 3);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delay, 0); /* no later than alone */
	CU_ASSERT_EQUAL(r->counters->bank_wait[0], 6);
	CU_ASSERT_EQUAL(r->counters->bank_beats, 4);
	CU_ASSERT_EQUAL(r->counters->bank_delayed, 3);
	rig_free(r);
}

static void a_block_two_segments_touch_is_asked_for_twice(void)
{
	/* Segments of 8 B, 8 apart: both in block 0. */
	rig *r = rig_run(HOST "@0 mem0: loads r0 addr=0 seg=8 pitch=8 count=2\n", NULL);

	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->requests, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 2);
	RIG_RESULT(r, 0, 5);
	rig_free(r);
}

static void a_busy_bank_delays_the_higher_queue(void)
{
	/* Both want bank 0 in cycle 0: mem0 first, mem1 ends in cycle 1, due 5.  In cycle 1 mem0 wants banks 0..39
	 * again: bank 0 is taken until 1, so its request there starts at 2. */
	rig *r = rig_run(HOST "@0 mem1: load r0 addr=0 len=16\n"
	                      "@0 mem0: load r1 addr=2224 len=16\n"
	                      "@1 mem0: load r2 addr=0 len=640\n",
	                 NULL);

	RIG_RESULT(r, 1, 4);
	RIG_RESULT(r, 0, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delay, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delayed, 1);
	RIG_RESULT(r, 2, 6);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->delay, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->delayed, 1);
	RIG_CLEAN(r);
	rig_free(r);
}

static void two_ports_serve_two_requests_at_once(void)
{
	/* Four requests in bank 0 over two ports: 2 beats. */
	rig *r = rig_run(HOST "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=4\n",
	                 &(rig_setup){.sets = {"sram.ports=2"}});

	RIG_RESULT(r, 0, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delayed, 2);
	rig_free(r);
}

static void a_narrow_port_holds_each_request_longer(void)
{
	/* 16-byte blocks through an 8-byte port: 2 cycles each; e = 1. */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=640\n", &(rig_setup){.sets = {"sram.port_bytes=8"}});

	RIG_RESULT(r, 0, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delayed, 0);
	rig_free(r);
}

static void a_whole_vector_larger_than_the_banks_wraps(void)
{
	/* 1280 B on 60 banks: blocks 0..79, banks 0..19 twice. */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=1280\n",
	                 &(rig_setup){.sets = {"sram.map=mod:60", "sram.rows=10000"}});

	RIG_RESULT(r, 0, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->delayed, 20);
	CU_ASSERT_EQUAL(r->counters->bank_count[0], 2);
	CU_ASSERT_EQUAL(r->counters->bank_count[20], 1);
	rig_free(r);
}

static void stored_bytes_are_readable_after_the_latency(void)
{
	/* r0 due 4; store at 4: readable at 4 + 4.  A load at 7 still sees the host's, at 8 the store's. */
	const char *text = HOST "l: @0 mem0: load r0 addr=0 len=640\n"
				"s: @4 mem0: store r0 addr=6400 len=640\n\t.source 0 from=l\n"
				"@7 mem0: load r1 addr=6400 len=640\n\t.source 0 resident\n"
				"@8 mem0: load r2 addr=6400 len=640\n\t.source 0 from=s\n";
	rig *r = rig_run(text, NULL);

	RIG_RESULT(r, 1, 8);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], 4);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], PROBE_NO_TIME);
	CU_ASSERT_EQUAL(rig_issue(r, 3, 0)->arrival[0], 8);
	RIG_CLEAN(r);
	rig_free(r);
}

static void a_load_too_early_for_its_store_is_late_operand(void)
{
	rig *r = rig_run(HOST "l: @0 mem0: load r0 addr=0 len=640\n"
	                      "s: @4 mem0: store r0 addr=6400 len=640\n"
	                      "@7 mem0: load r1 addr=6400 len=640\n\t.source 0 from=s\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 2, 7);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).other, 1);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 6400);
	rig_free(r);
}

static void a_slow_store_is_readable_later_by_its_extra_beats(void)
{
	/* The store meets itself in bank 0 (two segments 2224 apart): 2 beats, readable at 4 + 1 + 4. */
	rig *r = rig_run(HOST "l: @0 mem0: load r0 addr=0 len=640\n"
	                      "s: @4 mem0: stores r0 addr=22240 seg=16 pitch=2224 count=2\n"
	                      "@9 mem0: load r1 addr=22240 len=16\n\t.source 0 from=s\n",
	                 NULL);

	RIG_RESULT(r, 1, 9);
	RIG_CLEAN(r);
	rig_free(r);
}

static void a_store_of_another_producer_is_wrong_operand(void)
{
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=640\n"
	                      "a: @4 mem0: store r0 addr=6400 len=640\n"
	                      "b: @5 mem0: store r0 addr=6720 len=16\n"
	                      "@12 mem0: load r1 addr=6400 len=640\n\t.source 0 from=a\n"
	                      "@13 mem0: load r1 addr=6400 len=640\n"
	                      "\t.source 0 from=a segments=20\n\t.source 0 from=b segments=1\n\t.source 0 from=a\n",
	                 NULL);

	/* Byte 6720 is granule 20 of the load: the first load is wrong there, the second names it. */
	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 3, 12);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).other, 2);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 6720);
	rig_free(r);
}

static void host_data_where_a_store_is_expected_is_wrong(void)
{
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=640\n"
	                      "a: @4 mem0: store r0 addr=6400 len=624\n"
	                      "@12 mem0: load r1 addr=6400 len=640\n\t.source 0 from=a\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 2, 12);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 6400 + 624);
	rig_free(r);
}

static void memory_nobody_wrote_is_unwritten(void)
{
	/* The image ends at 1,000,000, in the middle of granule 62500 (which counts as a whole: 1,000,000 = 62500 *
	 * 16). */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=999984 len=16\n@1 mem0: load r0 addr=999985 len=16\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 1, 1);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 1000000);
	rig_free(r);
}

static void a_granule_touched_in_part_counts_as_a_whole(void)
{
	rig *r = rig_run(".epoch \"e\" start=0\n.image 8 1\n@0 mem0: load r0 addr=0 len=16\n", NULL);

	RIG_CLEAN(r);
	rig_free(r);
}

static void an_access_beyond_the_memory_is_an_address_range(void)
{
	/* mod:139 x 100,000 rows x 16 B = 222,400,000 B.  The second of two segments leaves; the first is served. */
	rig *r = rig_run(".epoch \"e\" start=0\n.image 222399000 1000\n"
	                 "@0 mem0: load r0 addr=222399984 len=16\n"
	                 "@1 mem0: loads r1 addr=222399984 seg=16 pitch=16 count=2\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 1);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 222400000);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->requests, 1);
	RIG_RESULT(r, 1, 5);
	rig_free(r);
}

static void an_access_below_zero_is_an_address_range(void)
{
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=640 len=640 x3 every 1 step -640\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 0, 2);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, -640);
	rig_free(r);
}

static void a_vector_larger_than_its_place_is_an_address_range(void)
{
	/* 1280 B is what two registers, or a port of 320 lanes of 4 bytes, hold. */
	rig *r = rig_run(HOST "@0 mem0: load r0 addr=0 len=1280\n@1 mem0: load r0 addr=0 len=1281\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 1);
	rig_free(r);
}

/* Indices 32, -16, 0 behind base 1000: bytes 1032, 984, 1000. */
#define INDEX ".image 2000000 12\n.hex 20000000f0ffffff00000000\n"

static void loadx_gathers_by_signed_byte_indices(void)
{
	/* 1032/16 = 64, 984/16 = 61, 1000/16 = 62; elements of 2 bytes: one block each. */
	rig *r = rig_run(HOST INDEX "@0 mem0: load r10 addr=2000000 len=12\n\t.source 0 resident\n"
	                            "@4 mem0: loadx r1, r10 addr=1000 seg=2 count=3\n\t.source 0 resident\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->requests, 3);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[1], 4);
	RIG_RESULT(r, 1, 8);
	CU_ASSERT_EQUAL(r->counters->bank_count[64], 1);
	CU_ASSERT_EQUAL(r->counters->bank_count[61], 1);
	CU_ASSERT_EQUAL(r->counters->bank_count[62], 1);
	RIG_CLEAN(r);
	rig_free(r);
}

static void storex_scatters_and_the_tags_follow(void)
{
	/* In timing mode, indices are known; the elements land in granules 64, 61, 62. */
	rig *r = rig_run(HOST INDEX "@0 mem0: load r10 addr=2000000 len=12\n@0 mem1: load r2 addr=1600 len=640\n"
	                            "s: @4 mem0: storex r2, r10 addr=1000 seg=2 count=3\n"
	                            "@8 mem0: load r3 addr=976 len=16\n\t.source 0 from=s\n"
	                            "@9 mem0: load r3 addr=992 len=16\n\t.source 0 from=s\n"
	                            "@10 mem0: load r3 addr=1008 len=16\n\t.source 0 resident\n"
	                            "@11 mem0: load r3 addr=1024 len=16\n\t.source 0 from=s\n",
	                 NULL);

	RIG_RESULT(r, 2, 8);
	RIG_CLEAN(r);
	rig_free(r);
}

static void an_index_nobody_knows_is_illegal_in_timing_mode(void)
{
	rig *r =
		rig_run(HOST "@0 mem0: load r10 addr=0 len=12\n@4 mem0: loadx r1, r10 addr=1000 seg=2 count=3\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 1, 4);
	rig_free(r);
}

static void an_index_that_was_moved_keeps_its_value(void)
{
	/* Loaded, stored elsewhere, loaded again, copied by the VXM: still known in timing mode. */
	rig *r = rig_run(HOST INDEX "@0 mem0: load r10 addr=2000000 len=12\n"
	                            "@4 mem0: store r10 addr=640 len=12\n"
	                            "@8 mem0: load r11 addr=640 len=12\n"
	                            "@12 vxm0: copy r12, r11 type=int32 lanes=3\n"
	                            "@15 mem0: loadx r1, r12 addr=1000 seg=2 count=3\n",
	                 NULL);

	CU_ASSERT_EQUAL(r->counters->bank_count[61], 1);
	RIG_CLEAN(r);
	rig_free(r);
}

static void unknown_bytes_stored_over_known_ones_hide_them(void)
{
	rig *r = rig_run(HOST INDEX "@0 mem0: load r2 addr=0 len=640\n"
	                            "@4 mem0: store r2 addr=2000000 len=4\n"
	                            "@8 mem0: load r10 addr=2000000 len=12\n"
	                            "@12 mem0: loadx r1, r10 addr=1000 seg=2 count=3\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 3, 12);
	rig_free(r);
}

/* --- MEM slices.  mem.w0 stands at position 21; words of slice s of the west begin at s * 8192 * 320. --- */

#define SLICES "tsp-isca20"
#define WORDS  ".epoch \"e\" start=0\n.image 0 3200000\n" /* words 0..9999: all of slice w0, 1808 of w1 */

static void a_read_drives_its_stream_after_read_cycles(void)
{
	/* Issue 100 + 1.  The write in the same group of slices samples it there. */
	rig *r = rig_run(WORDS "a: @100 mem.w0: read e3 addr=5\n\t.source 0 resident\n"
	                       "b: @101 mem.w1: write e3 addr=6\n\t.source 0 from=a\n"
	                       "@102 mem.w1: read e4 addr=6\n\t.source 0 from=b\n",
	                 &(rig_setup){.machine = SLICES});

	RIG_RESULT(r, 0, 101);
	RIG_RESULT(r, 1, 102);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->beats, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 0, 0)->requests, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], 101);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 102);
	/* Bank 0 of w0 once; of w1 (bank 2 of the chip) twice. */
	CU_ASSERT_EQUAL(r->counters->bank_count[0], 1);
	CU_ASSERT_EQUAL(r->counters->bank_count[2], 2);
	CU_ASSERT_EQUAL(r->counters->bank_requests, 3);
	CU_ASSERT_EQUAL(r->counters->sram_bytes, 960);
	RIG_CLEAN(r);
	rig_free(r);
}

static void a_read_before_the_write_is_due_is_late(void)
{
	/* mem.write_cycles = 2: readable at 103, read at 102. */
	rig *r = rig_run(WORDS "a: @100 mem.w0: read e3 addr=5\n"
	                       "b: @101 mem.w1: write e3 addr=6\n"
	                       "@102 mem.w1: read e4 addr=6\n\t.source 0 from=b\n",
	                 &(rig_setup){.machine = SLICES, .sets = {"mem.write_cycles=2"}});

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 2, 102);
	rig_free(r);
}

static void readwrite_does_both_in_different_banks(void)
{
	/* Reads word 4 (bank 0), writes word 4096 + 7 (bank 1). */
	rig *r = rig_run(
		WORDS "a: @100 mem.w0: read e3 addr=5\n"
		      "b: @101 mem.w1: readwrite e5, e3 addr=4 waddr=4103\n\t.source 0 resident\n\t.source 1 from=a\n"
		      "@102 mem.w1: read e4 addr=4103\n\t.source 0 from=b\n",
		&(rig_setup){.machine = SLICES});

	RIG_CLEAN(r);
	RIG_RESULT(r, 1, 102);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->requests, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[1], 101);
	rig_free(r);
}

static void readwrite_in_one_bank_is_a_conflict(void)
{
	rig *r = rig_run(WORDS "a: @100 mem.w0: read e3 addr=5\n"
	                       "b: @101 mem.w1: readwrite e5, e3 addr=4 waddr=7\n",
	                 &(rig_setup){.machine = SLICES});

	RIG_ONE(r, ISA_VIOLATION_BANK_CONFLICT, 1, 101);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 2);
	CU_ASSERT_EQUAL(r->counters->bank_delayed, 1);
	CU_ASSERT_EQUAL(r->counters->bank_wait[2], 1);
	rig_free(r);
}

static void a_word_beyond_the_slice_is_an_address_range(void)
{
	rig *r = rig_run(WORDS "@100 mem.w0: read e3 addr=8191\n@101 mem.w0: read e3 addr=8192\n",
	                 &(rig_setup){.machine = SLICES});

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 101);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 8192);
	rig_free(r);
}

/* Word 0 of slice w2: superlane 0 names word 3, superlane 1 word 0x1003 (the other bank), the rest word 0. */
#define ZEROS_32 "0000000000000000000000000000000000000000000000000000000000000000"
#define ZEROS_96 ".hex " ZEROS_32 ZEROS_32 ZEROS_32 "\n"
#define MAP                                                                                                            \
	".image 5242880 320\n.hex 03000000000000000000000000000000\n.hex 03100000000000000000000000000000\n" ZEROS_96  \
		ZEROS_96 ZEROS_96

static void gather_reads_a_word_a_superlane(void)
{
	rig *r = rig_run(WORDS MAP "m: @100 mem.w2: read e0 addr=0\n"
	                           "g: @101 mem.w1: gather e1, e0\n\t.source 0 resident\n\t.source 1 from=m\n"
	                           "@103 mem.w0: write e1 addr=0\n\t.source 0 from=g\n",
	                 &(rig_setup){.machine = SLICES});

	/* w1 holds host data in words 0..1807 only: word 0x1003 is unwritten. */
	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 1, 101);
	RIG_RESULT(r, 1, 103); /* mem.gather_cycles = 2 */
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->requests, 20);
	CU_ASSERT_EQUAL(r->counters->bank_count[2], 19);
	CU_ASSERT_EQUAL(r->counters->bank_count[3], 1);
	rig_free(r);
}

static void scatter_writes_part_of_each_word(void)
{
	rig *r = rig_run(WORDS MAP "m: @100 mem.w2: read e0 addr=0\nd: @100 mem.w3: read e1 addr=0\n"
	                           "s: @101 mem.w1: scatter e1, e0\n\t.source 1 from=m\n"
	                           "@102 mem.w1: read e2 addr=3\n\t.source 0 from=s\n"
	                           "@103 mem.w1: read e2 addr=4099\n\t.source 0 from=s\n"
	                           "@104 mem.w1: read e2 addr=1\n\t.source 0 resident\n",
	                 &(rig_setup){.machine = SLICES});

	/* Slice w3 was never written: one violation, at the read of d. */
	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 1, 100);
	RIG_RESULT(r, 2, 102);
	rig_free(r);
}

static void indices_take_as_many_registers_as_they_need(void)
{
	/* 161 indices are 644 B: r10 and r11.  Somebody else writes r11. */
	rig *r = rig_run(HOST "i: @0 mem0: load r10 addr=0 len=644\n@4 mem0: load r11 addr=0 len=640\n"
	                      "@8 mem0: loadx r1, r10 addr=1000 seg=1 count=161\n\t.source 1 from=i\n"
	                      "@9 mem0: loadx r1, r10 addr=1000 seg=1 count=160\n\t.source 1 from=i\n",
	                 &(rig_setup){.functional = true});

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 2, 8);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 11);
	rig_free(r);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_contiguous_load_takes_one_beat),
		CASE(a_load_that_straddles_blocks_asks_for_one_more),
		CASE(segments_that_meet_in_a_bank_take_as_many_beats),
		CASE(a_block_two_segments_touch_is_asked_for_twice),
		CASE(a_busy_bank_delays_the_higher_queue),
		CASE(two_ports_serve_two_requests_at_once),
		CASE(a_narrow_port_holds_each_request_longer),
		CASE(a_whole_vector_larger_than_the_banks_wraps),
		CASE(stored_bytes_are_readable_after_the_latency),
		CASE(a_load_too_early_for_its_store_is_late_operand),
		CASE(a_slow_store_is_readable_later_by_its_extra_beats),
		CASE(a_store_of_another_producer_is_wrong_operand),
		CASE(host_data_where_a_store_is_expected_is_wrong),
		CASE(memory_nobody_wrote_is_unwritten),
		CASE(a_granule_touched_in_part_counts_as_a_whole),
		CASE(an_access_beyond_the_memory_is_an_address_range),
		CASE(an_access_below_zero_is_an_address_range),
		CASE(a_vector_larger_than_its_place_is_an_address_range),
		CASE(loadx_gathers_by_signed_byte_indices),
		CASE(storex_scatters_and_the_tags_follow),
		CASE(indices_take_as_many_registers_as_they_need),
		CASE(an_index_nobody_knows_is_illegal_in_timing_mode),
		CASE(an_index_that_was_moved_keeps_its_value),
		CASE(unknown_bytes_stored_over_known_ones_hide_them),
		CASE(a_read_drives_its_stream_after_read_cycles),
		CASE(a_read_before_the_write_is_due_is_late),
		CASE(readwrite_does_both_in_different_banks),
		CASE(readwrite_in_one_bank_is_a_conflict),
		CASE(a_word_beyond_the_slice_is_an_address_range),
		CASE(gather_reads_a_word_a_superlane),
		CASE(scatter_writes_part_of_each_word),
	};

	return tap_run("model memory", cases, G_N_ELEMENTS(cases));
}
