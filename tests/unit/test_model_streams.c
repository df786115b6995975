/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of tsp-isca20: 45 positions, hop 1.  West MXM 1, SXM 7; slices w0-3 at 21, w4-7 at 20, ...; VXM 22; slices
 * e0-3 at 23, e4-7 at 24, ...; east SXM 37, MXM 43.  read 1, VXM entry 5 and op 3, barrier 35.  Derived by hand from
 * "Streams" of docs/design.md.
 */
#include "tests/unit/model_rig.h"

#define WORDS     ".epoch \"e\" start=0\n.image 0 64000\n.image 115343360 64000\n" /* words 0..199 of slices w0 and e0 */
#define RUN(text) rig_run(WORDS text, &(rig_setup){.machine = "tsp-isca20"})

static const probe_violation *first(const rig *r)
{
	CU_ASSERT_FATAL(r->violations->len > 0);
	return &g_array_index(r->violations, probe_violation, 0);
}

static void a_value_moves_one_position_a_hop(void)
{
	/* On e3 at position 21 in 101, at e0's position 23 in 103, at e4's (24) in 104. */
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0\n"
	             "@103 mem.e0: write e3 addr=5\n\t.source 0 from=a\n"
	             "@104 mem.e4: write e3 addr=5\n\t.source 0 from=a\n");

	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], 103);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 104);
	rig_free(r);
}

static void westward_is_the_mirror_image(void)
{
	rig *r = RUN("a: @100 mem.e0: read w3 addr=0\n"
	             "@103 mem.w0: write w3 addr=5\n\t.source 0 from=a\n"
	             "@104 mem.w4: write w3 addr=5\n\t.source 0 from=a\n");

	RIG_CLEAN(r);
	rig_free(r);
}

static void nothing_moves_against_the_stream(void)
{
	/* A read of e0 on an eastward stream never comes to w0. */
	rig *r = RUN("a: @100 mem.e0: read e3 addr=0\n@103 mem.w0: write e3 addr=5\n");

	RIG_ONE(r, ISA_VIOLATION_UNDRIVEN_CELL, 1, 103);
	CU_ASSERT_EQUAL(first(r)->detail, 3);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], PROBE_NO_TIME);
	rig_free(r);
}

static void a_cycle_early_is_late_operand_a_cycle_late_undriven(void)
{
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0\n@102 mem.e0: write e3 addr=5\n\t.source 0 from=a\n");

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 1, 102);
	CU_ASSERT_EQUAL(first(r)->other, 0);
	rig_free(r);
	r = RUN("a: @100 mem.w0: read e3 addr=0\n@104 mem.e0: write e3 addr=5\n\t.source 0 from=a\n");
	RIG_ONE(r, ISA_VIOLATION_UNDRIVEN_CELL, 1, 104);
	rig_free(r);
}

static void the_neighbours_value_is_wrong_operand(void)
{
	/* a and b one cycle apart; the reader of a comes when b passes: a is gone, not late. */
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0 x2 every 1\n@104 mem.e0: write e3 addr=5\n\t.source 0 from=a\n");

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 1, 104);
	rig_free(r);
	r = RUN("a: @100 mem.w0: read e3 addr=0 x2 every 1\n@103 mem.e0: write e3 addr=5\n\t.source 0 from=a+1\n");
	/* the named value comes a cycle later */
	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 1, 103);
	rig_free(r);
}

static void a_value_driven_in_the_very_cycle_is_not_late_but_missing(void)
{
	/* Both slices stand at 21.  The read of 101 is due in 102; the write samples in 101, before or after it in the
	 * order of the phase. */
	for (uint64_t seed = 0; seed < 6; seed++) {
		rig *r = rig_run(WORDS
		                 "a: @101 mem.w0: read e3 addr=0\n@101 mem.w1: write e3 addr=5\n\t.source 0 from=a\n",
		                 &(rig_setup){.machine = "tsp-isca20", .shuffle = seed});

		RIG_ONE(r, ISA_VIOLATION_UNDRIVEN_CELL, 1, 101);
		rig_free(r);
	}
}

static void a_nearer_driver_replaces_what_passes(void)
{
	/* a at 21 in 101 passes 23 in 103; e0 drives the cell itself, issue 102 + 1.  The reader at 24 in 104 sees b.
	 */
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0\nb: @102 mem.e0: read e3 addr=0\n"
	             "@104 mem.e4: write e3 addr=5\n\t.source 0 from=b\n");

	RIG_CLEAN(r);
	rig_free(r);
	/* whoever wanted a: a collision, not merely a wrong operand */
	r = RUN("a: @100 mem.w0: read e3 addr=0\nb: @102 mem.e0: read e3 addr=0\n"
	        "@104 mem.e4: write e3 addr=5\n\t.source 0 from=a\n");
	RIG_ONE(r, ISA_VIOLATION_STREAM_COLLISION, 2, 104);
	CU_ASSERT_EQUAL(first(r)->other, 1);
	rig_free(r);
}

static void upstream_of_the_nearer_driver_the_first_is_still_there(void)
{
	/* The VXM (22) in 102 is between a (21) and b (23). */
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0\nb: @102 mem.e0: read e3 addr=0\n"
	             "@102 vxm0: copy w9, e3 type=int8 lanes=320\n\t.source 0 from=a\n");

	RIG_CLEAN(r);
	rig_free(r);
}

static void two_drives_of_one_cell_collide(void)
{
	/* Slices w0 and w2 share position 21.  The higher queue is blamed and its value stays. */
	for (uint64_t seed = 0; seed < 5; seed++) {
		rig *r = rig_run(WORDS ".image 5242880 320\n"
		                       "b: @100 mem.w2: read e3 addr=0\na: @100 mem.w0: read e3 addr=0\n"
		                       "@103 mem.e0: write e3 addr=5\n\t.source 0 from=b\n",
		                 &(rig_setup){.machine = "tsp-isca20", .shuffle = seed});

		RIG_ONE(r, ISA_VIOLATION_STREAM_COLLISION, 0, 101);
		CU_ASSERT_EQUAL(first(r)->other, 1);
		CU_ASSERT_EQUAL(first(r)->detail, 3);
		rig_free(r);
	}
}

static void a_drive_filed_later_is_the_one_that_collides(void)
{
	/* gather (2 cycles) at 101 and read (1) at 102 both drive the cell of 103; w0 comes before w1 among the queues,
	 * but its read was sampled later.  (That nobody knows the gather's map is another violation.) */
	rig *r = RUN("@100 mem.w3: read e0 addr=0\n@101 mem.w1: gather e3, e0\n@102 mem.w0: read e3 addr=0\n");

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_STREAM_COLLISION), 1);
	for (guint i = 0; i < r->violations->len; i++) {
		const probe_violation *v = &g_array_index(r->violations, probe_violation, i);

		if (v->kind == ISA_VIOLATION_STREAM_COLLISION) {
			CU_ASSERT_EQUAL(v->insn, 2);
			CU_ASSERT_EQUAL(v->cycle, 103);
			CU_ASSERT_EQUAL(v->other, 1);
		}
	}
	rig_free(r);
}

static void wide_operands_take_consecutive_streams(void)
{
	/* int32 from two reads and two more: e4..e7; each segment has its producer.  e7 comes from another slice. */
	const char *good = ".image 2621440 320\n"
			   "a: @100 mem.w0: read e4 addr=0\nb: @99 mem.w1: read e5 addr=0\n"
			   "@102 vxm0: copy w8, e4 type=fp16 lanes=320\n"
			   "\t.source 0 from=a segments=1\n\t.source 0 from=b segments=1\n";
	g_autofree char *text = g_strdup_printf(WORDS "%s", good);
	rig *r = rig_run(text, &(rig_setup){.machine = "tsp-isca20"});

	/* b passed the VXM a cycle before. */
	RIG_ONE(r, ISA_VIOLATION_UNDRIVEN_CELL, 2, 102);
	CU_ASSERT_EQUAL(first(r)->detail, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 102);
	rig_free(r);
}

static void results_of_the_vxm_leave_on_as_many_streams(void)
{
	/* fp16 in (e4, e5 by one read each), fp32 out on w8..w11: drive 102 + 5 + 3 at 22, position 21 in 111. */
	rig *r = RUN("a: @100 mem.w0: read e4 addr=0\n.image 2621440 320\nb: @100 mem.w1: read e5 addr=0\n"
	             "v: @102 vxm0: cvt w8, e4 type=fp16 dtype=fp32 lanes=320\n"
	             "@111 mem.w0: write w8 addr=1\n\t.source 0 from=v\n"
	             "@111 mem.w1: write w11 addr=1\n\t.source 0 from=v\n"
	             "@111 mem.w2: write w12 addr=1\n");

	RIG_RESULT(r, 2, 110);
	RIG_ONE(r, ISA_VIOLATION_UNDRIVEN_CELL, 5, 111);
	rig_free(r);
}

static void streams_beyond_the_direction_are_an_address_range(void)
{
	rig *r = RUN("@102 vxm0: copy w8, e31 type=fp16 lanes=320\n@103 vxm0: copy w29, e0 type=int32 lanes=320\n");

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ADDRESS_RANGE), 2);
	CU_ASSERT_EQUAL(r->counters->violations, 2);
	rig_free(r);
}

static void registers_and_ports_are_illegal_on_a_stream_machine(void)
{
	rig *r = RUN("@102 vxm0: copy r1, e3 type=fp16 lanes=320\n@103 vxm0: copy act.1, e0 type=int32 lanes=320\n"
	             "@104 mem.w0: read r1 addr=0\n@105 mem.w0: write alu.0 addr=0\n");

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 4);
	CU_ASSERT_EQUAL(r->counters->violations, 4);
	rig_free(r);
}

static void a_longer_hop_delays_by_the_positions(void)
{
	/* hop 3: from 21 to 23 in 6 cycles. */
	rig *r = rig_run(WORDS "a: @100 mem.w0: read e3 addr=0\n@107 mem.e0: write e3 addr=5\n\t.source 0 from=a\n",
	                 &(rig_setup){.machine = "tsp-isca20", .sets = {"streams.hop_cycles=3"}});

	RIG_CLEAN(r);
	rig_free(r);
}

static void lw_takes_a_row_a_stream(void)
{
	/* Slice w0 to the west MXM: 101 at 21, position 1 in 121. */
	rig *r = RUN(".image 2621440 320\n"
	             "a: @100 mem.w0: read w0 addr=0\nb: @100 mem.w1: read w1 addr=0\n"
	             "lw: @121 mxm0.w: lw w0 addr=0 count=2 type=int8 lanes=320\n"
	             "\t.source 0 from=a segments=1\n\t.source 0 from=b segments=1\n"
	             "@122 mxm0.w: iw count=2 type=int8\n\t.source 0 from=lw\n");

	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 121);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->work, 640);
	RIG_RESULT(r, 2, 122);
	RIG_RESULT(r, 3, 125);
	rig_free(r);
}

static void a_chain_through_the_matrix_unit_takes_76_cycles(void)
{
	/* Calibration chain: read to VXM through MXM.  w0 at 100: w-stream to position 1 in 121; ABC result 134; ACC at
	 * 134 drives position 1 in 165; VXM (22) in 186: 86 cycles; of a slice in the middle (w23, position 16): 81; of
	 * the outermost group (w40, position 11): 76. */
	rig *r = RUN(".image 104857600 320\n.image 60293120 320\n"
	             "w: @60 mem.w40: read w2 addr=0\n"
	             "lw: @71 mxm0.w: lw w2 addr=0 count=1 type=int8 lanes=320\n\t.source 0 from=w\n"
	             "iw: @72 mxm0.w: iw count=1 type=int8\n"
	             "a: @100 mem.w40: read w1 addr=0\n"
	             "b: @111 mxm0.a: abc w1 addr=0 type=int8 lanes=320\n\t.source 0 from=a\n\t.source 1 from=iw\n"
	             "c: @124 mxm0.c: acc e0 addr=0 type=int8 lanes=320\n\t.source 0 from=b\n"
	             "@176 vxm0: copy -, e0 type=int32 lanes=320\n\t.source 0 from=c\n");

	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(rig_issue(r, 6, 0)->arrival[0], 176);
	rig_free(r);
}

static void the_cell_of_a_driver_can_be_read_where_it_stands(void)
{
	rig *r = RUN("a: @100 mem.w0: read e3 addr=0\n@101 mem.w2: write e3 addr=9\n\t.source 0 from=a\n");

	RIG_CLEAN(r);
	rig_free(r);
}

static void transpose_takes_sixteen_streams(void)
{
	/* w0 to the west SXM (7): 101 + 14 = 115.  16 copies of the VXM would do too; here one stream is missing. */
	g_autoptr(GString) text = g_string_new(WORDS);
	rig *r;

	for (unsigned i = 0; i < 16; i++)
		g_string_append_printf(text, ".image %u 320\n", (i + 1) * 2621440);
	for (unsigned i = 0; i < 16; i++)
		g_string_append_printf(text, "r%u: @%u mem.w%u: read w%u addr=0\n", i, 100 + (i + 1) / 4, i + 1, i);
	/* slice i + 1 stands at 21 - (i + 1)/4: all pass position 7 in 115 */
	g_string_append(text, "t: @115 sxm.w.transpose0: transpose e16, w0\n");
	for (unsigned i = 0; i < 16; i++)
		g_string_append_printf(text, "\t.source 0 from=r%u segments=1\n", i);
	/* result at position 7 in 119; position 21 in 133 */
	g_string_append(text, "@133 mem.w0: write e31 addr=7\n\t.source 0 from=t\n");
	r = rig_run(text->str, &(rig_setup){.machine = "tsp-isca20"});
	RIG_CLEAN(r);
	RIG_RESULT(r, 16, 119);
	rig_free(r);
}

static void a_vector_crosses_a_link_of_the_published_chip(void)
{
	/* (320 + 8) B at 15e9 B/s, 0.9 GHz: 19.68 -> 20 cycles; latency 216.  c2c.w0 stands at the SXM, 7: w0's read at
	 * 100 passes in 115; receivable 115 + 20 + 216 = 351; RECV drives in 352. */
	rig *r = RUN("a: @100 mem.w0: read w5 addr=0\ns: @115 c2c.w0: send w5\n\t.source 0 from=a\n"
	             "v: @351 c2c.w0: recv e5\n\t.source 0 from=s\n"
	             "@366 mem.w0: write e5 addr=9\n\t.source 0 from=v\n");

	RIG_CLEAN(r);
	RIG_RESULT(r, 1, 351);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->beats, 20);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->work, 320);
	RIG_RESULT(r, 2, 352);
	rig_free(r);
}

static void a_third_drive_of_a_cell_is_reported_once_more(void)
{
	/* East SXM: shift and select (4 cycles) at 100 and distribute (2) at 102 all drive the cell of 104: select
	 * collides with shift, distribute with both; select, which issues again at 102, is not reported again. */
	rig *r = RUN(".map 0: 0-319\n@100 sxm.e.shift0: shift w0, e0 distance=0 type=int8\n"
	             "@100 sxm.e.select0: select w0, e0, e0 map=0 type=int8 x2 every 2\n"
	             "@102 sxm.e.distribute0: distribute w0, e0 map=0 type=int8\n");

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_STREAM_COLLISION), 2);
	rig_free(r);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_value_moves_one_position_a_hop),
		CASE(westward_is_the_mirror_image),
		CASE(nothing_moves_against_the_stream),
		CASE(a_cycle_early_is_late_operand_a_cycle_late_undriven),
		CASE(a_value_driven_in_the_very_cycle_is_not_late_but_missing),
		CASE(the_neighbours_value_is_wrong_operand),
		CASE(a_nearer_driver_replaces_what_passes),
		CASE(upstream_of_the_nearer_driver_the_first_is_still_there),
		CASE(two_drives_of_one_cell_collide),
		CASE(a_drive_filed_later_is_the_one_that_collides),
		CASE(wide_operands_take_consecutive_streams),
		CASE(results_of_the_vxm_leave_on_as_many_streams),
		CASE(streams_beyond_the_direction_are_an_address_range),
		CASE(registers_and_ports_are_illegal_on_a_stream_machine),
		CASE(a_longer_hop_delays_by_the_positions),
		CASE(lw_takes_a_row_a_stream),
		CASE(a_chain_through_the_matrix_unit_takes_76_cycles),
		CASE(the_cell_of_a_driver_can_be_read_where_it_stands),
		CASE(transpose_takes_sixteen_streams),
		CASE(a_third_drive_of_a_cell_is_reported_once_more),
		CASE(a_vector_crosses_a_link_of_the_published_chip),
	};

	return tap_run("model streams", cases, G_N_ELEMENTS(cases));
}
