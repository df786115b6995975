/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers and their ports, VXM, SXM and links on the preset tsp: exact times and every violation with a good
 * neighbour.  tsp: op 3, transcendental 12, entry 0, sxm 4 (distribute 2), all skews 0.
 * Derived by hand from docs/design.md.
 */
#include "tests/unit/model_rig.h"

#define HOST ".epoch \"e\" start=0\n.image 0 1000000\n"
#define R0   "l: @0 mem0: load r0 addr=0 len=640\n" /* due 4 */

static const probe_violation *first(const rig *r)
{
	CU_ASSERT_FATAL(r->violations->len > 0);
	return &g_array_index(r->violations, probe_violation, 0);
}

/* --- registers --- */

static void a_register_is_seen_from_its_due_cycle_on(void)
{
	const char *early = HOST R0 "@3 vxm0: copy r1, r0 type=fp16 lanes=320\n\t.source 0 from=l\n";
	const char *right = HOST R0 "@4 vxm0: copy r1, r0 type=fp16 lanes=320\n\t.source 0 from=l\n";
	rig *r = rig_run(early, NULL);

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 1, 3);
	CU_ASSERT_EQUAL(first(r)->other, 0);
	CU_ASSERT_EQUAL(first(r)->detail, 0);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], PROBE_NO_TIME);
	rig_free(r);
	r = rig_run(right, NULL);
	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], 4);
	RIG_RESULT(r, 1, 7);
	rig_free(r);
}

static void an_unnamed_unwritten_register_is_unwritten(void)
{
	rig *r = rig_run("@4 vxm0: copy r1, r0 type=fp16 lanes=320\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 0, 4);
	rig_free(r);
}

static void an_older_write_is_seen_until_the_newer_is_due(void)
{
	/* a due 4, b due 9.  At 8 the reader of b finds a: late.  At 9 the reader of a finds b: wrong, not late. */
	rig *r = rig_run(HOST "a: @0 mem0: load r0 addr=0 len=640\nb: @5 mem0: load r0 addr=640 len=640\n"
	                      "@8 vxm0: copy r1, r0 type=fp16 lanes=320\n\t.source 0 from=b\n"
	                      "@8 vxm1: copy r2, r0 type=fp16 lanes=320\n\t.source 0 from=a\n"
	                      "@9 vxm2: copy r3, r0 type=fp16 lanes=320\n\t.source 0 from=a\n",
	                 NULL);

	CU_ASSERT_EQUAL(r->counters->violations, 2);
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_LATE_OPERAND), 1);
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_WRONG_OPERAND), 1);
	CU_ASSERT_EQUAL(first(r)->insn, 2);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 1).insn, 4);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 1).other, 1);
	rig_free(r);
}

static void wide_vectors_take_two_registers(void)
{
	/* fp32 x 320 = 1280 B: r2 and r3.  fp32 x 160 fits one. */
	rig *r = rig_run(HOST "w: @0 mem0: load r2 addr=0 len=1280\n"
	                      "@4 vxm0: copy r4, r2 type=fp32 lanes=320\n\t.source 0 from=w\n"
	                      "n: @5 mem0: load r3 addr=0 len=640\n"
	                      "@9 vxm0: copy r6, r2 type=fp32 lanes=320\n\t.source 0 from=w\n"
	                      "@9 vxm1: copy r8, r2 type=fp32 lanes=160\n\t.source 0 from=w\n",
	                 NULL);

	/* At 9 the upper half is n's. */
	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 3, 9);
	CU_ASSERT_EQUAL(first(r)->detail, 3);
	CU_ASSERT_EQUAL(rig_issue(r, 3, 0)->arrival[0], 9);
	rig_free(r);
}

static void the_last_register_cannot_begin_a_wide_vector(void)
{
	rig *r = rig_run(HOST "@0 mem0: load r318 addr=0 len=1280\n@1 mem0: load r319 addr=0 len=1280\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 1);
	CU_ASSERT_EQUAL(first(r)->detail, 319);
	rig_free(r);
}

static void one_read_too_many_blames_the_highest_queue(void)
{
	/* Three ports; vxm0 reads 2, vxm1 1, vxm2 1. */
	const char *text = HOST R0 "@4 vxm0: add r1, r0, r0 type=fp16 lanes=320\n"
				   "@4 vxm2: copy r2, r0 type=fp16 lanes=320\n"
				   "@4 vxm1: copy r3, r0 type=fp16 lanes=320\n";
	rig *r = rig_run(text, &(rig_setup){.sets = {"vreg.read_ports=3"}});

	RIG_ONE(r, ISA_VIOLATION_PORT_OVERUSE, 2, 4);
	CU_ASSERT_EQUAL(first(r)->detail, 4);
	rig_free(r);
	r = rig_run(text, &(rig_setup){.sets = {"vreg.read_ports=4"}});
	RIG_CLEAN(r);
	rig_free(r);
}

static void one_write_too_many_blames_what_was_sampled_last(void)
{
	/* tanh at 4 is due 16, and so are the copies at 13.  Two ports: tanh's and vxm0's. */
	const char *text = HOST R0 "@4 vxm3: tanh r1, r0 type=fp16 lanes=320\n"
				   "@13 vxm0: copy r2, r0 type=fp16 lanes=320\n"
				   "@13 vxm1: copy r3, r0 type=fp16 lanes=320\n";
	rig *r = rig_run(text, &(rig_setup){.sets = {"vreg.write_ports=2"}});

	RIG_RESULT(r, 1, 16);
	RIG_ONE(r, ISA_VIOLATION_PORT_OVERUSE, 3, 16);
	rig_free(r);
	r = rig_run(text, &(rig_setup){.sets = {"vreg.write_ports=3"}});
	RIG_CLEAN(r);
	rig_free(r);
}

static void the_later_sampled_of_two_writes_due_together_stays(void)
{
	rig *r = rig_run(HOST R0 "t: @4 vxm3: tanh r1, r0 type=fp16 lanes=320\n"
	                         "b: @13 vxm1: copy r1, r0 type=fp16 lanes=320\n"
	                         "a: @13 vxm0: copy r1, r0 type=fp16 lanes=320\n"
	                         "@16 vxm0: copy r2, r1 type=fp16 lanes=320\n\t.source 0 from=b\n",
	                 NULL);

	RIG_CLEAN(r);
	rig_free(r);
}

/* --- VXM --- */

static void operations_take_three_cycles_transcendentals_twelve(void)
{
	rig *r = rig_run(HOST R0 "@4 vxm0: add r1, r0, r0 type=fp16 lanes=320\n"
	                         "@4 vxm1: exp r2, r0 type=fp16 lanes=320\n"
	                         "@4 vxm2: add r3, r0, imm type=fp16 lanes=100 imm=0.5\n",
	                 NULL);

	RIG_RESULT(r, 1, 7);
	RIG_RESULT(r, 2, 16);
	RIG_RESULT(r, 3, 7);
	CU_ASSERT_EQUAL(rig_issue(r, 3, 0)->work, 100);
	CU_ASSERT_EQUAL(r->counters->vxm_ops, 3);
	CU_ASSERT_EQUAL(r->counters->vxm_lane_ops, 740);
	CU_ASSERT_EQUAL(r->counters->cycles, 16);
	RIG_CLEAN(r);
	rig_free(r);
}

static void latches_are_sampled_when_the_alu_starts(void)
{
	/* entry 2: the copy at 4 starts at 6 and is in alu.0 at 9.  A reader issued at 7 starts at 9 and has it; one at
	 * 6 is late. */
	const char *text = HOST R0 "c: @4 vxm0: copy r1, r0 type=fp16 lanes=320\n"
				   "@7 vxm1: neg r2, alu.0 type=fp16 lanes=320\n\t.source 0 from=c\n"
				   "@6 vxm2: neg r3, alu.0 type=fp16 lanes=320\n\t.source 0 from=c\n";
	rig *r = rig_run(text, &(rig_setup){.sets = {"vxm.entry_cycles=2"}});

	RIG_RESULT(r, 1, 9);
	RIG_RESULT(r, 2, 12);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 9);
	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 3, 8); /* sampled at 6 + 2 */
	rig_free(r);
}

static void an_operation_without_destination_fills_its_latch(void)
{
	rig *r = rig_run(HOST R0 "c: @4 vxm0: copy -, r0 type=fp16 lanes=320\n"
	                         "@7 vxm1: neg r2, alu.0 type=fp16 lanes=320\n\t.source 0 from=c\n",
	                 NULL);

	RIG_CLEAN(r);
	RIG_RESULT(r, 1, 7);
	rig_free(r);
}

static void what_the_vxm_cannot_do_is_illegal(void)
{
	static const char *const bad[] = {
		"not r1, r0 type=fp16 lanes=320",                 /* integers only */
		"exp r1, r0 type=int8 lanes=320",                 /* floating only */
		"add r1, r0, r0 type=int8 dtype=int16 lanes=320", /* result is the type */
		"copy r1, r0, r0 type=fp16 lanes=320",            /* one operand */
		"add r1, imm, r0 type=fp16 lanes=320 imm=1",      /* the immediate is the second */
		"add r1, r0, - type=fp16 lanes=320",              /* two operands */
		"copy alu.1, r0 type=fp16 lanes=320",             /* another ALU's latch */
		"copy act.0, r0 type=fp16 lanes=320",             /* no plane */
		"copy r1, act.1 type=fp16 lanes=320",             /* ports are read by the MXM */
		"copy e1, r0 type=fp16 lanes=320",                /* no streams here */
	};
	static const char *const good[] = {
		"not r1, r0 type=int8 lanes=320",
		"exp r1, r0 type=fp16 dtype=fp32 lanes=320",
		"cvt r1, r0 type=int8 dtype=fp16 lanes=320",
		"copy alu.0, r0 type=fp16 lanes=320",
		"copy act.15, r0 type=fp16 lanes=320",
		"copy wt.3, r0 type=fp16 lanes=320",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *text = g_strdup_printf(HOST R0 "@4 vxm0: %s\n", bad[i]);
		rig *r = rig_run(text, NULL);

		RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 1, 4);
		rig_free(r);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *text = g_strdup_printf(HOST R0 "@4 vxm0: %s\n", good[i]);
		rig *r = rig_run(text, NULL);

		RIG_CLEAN(r);
		rig_free(r);
	}
}

static void what_the_machine_has_not_enough_of_is_an_address_range(void)
{
	static const char *const bad[] = {
		"copy r1, r0 type=fp16 lanes=321",
		"copy r320, r0 type=fp16 lanes=320",
		"copy r1, r320 type=fp16 lanes=320",
		"copy r1, alu.16 type=fp16 lanes=320",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *text = g_strdup_printf(HOST R0 "@4 vxm0: %s x3 every 1\n", bad[i]);
		rig *r = rig_run(text, NULL);

		/* once a word, and it does not issue */
		RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 4);
		CU_ASSERT_EQUAL(r->counters->issues, 1);
		rig_free(r);
	}
	for (int planes = 2; planes <= 4; planes += 2) {
		g_autofree char *set = g_strdup_printf("mxm.planes=%d", planes);
		rig *r = rig_run(HOST R0 "@4 vxm0: copy act.4, r0 type=fp16 lanes=320\n", &(rig_setup){.sets = {set}});

		CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ADDRESS_RANGE), planes == 2);
		rig_free(r);
	}
}

/* --- SXM --- */

#define MAPS                                                                                                           \
	".map 0: 0-319\n.map 1: 319-0\n.map 2: 16-31 0-15 32-319\n.map 3: 15-0 16-319\n.map 4: 0*2 2-319\n.map 5: "    \
	"none*320\n.map 6: 1-319 0\n"

static void permute_adds_the_largest_way_down(void)
{
	/* 4 stages.  Map 0 moves nothing; map 1 brings tile 19 to tile 0: 19; map 2 tile 1 to 0: 1; map 3 stays inside.
	 */
	static const int64_t due[] = {4, 23, 5, 4};

	for (int map = 0; map < 4; map++) {
		g_autofree char *text =
			g_strdup_printf(MAPS HOST R0 "@4 sxm.permute0: permute r1, r0 map=%d type=fp16\n", map);
		rig *r = rig_run(text, NULL);

		RIG_CLEAN(r);
		RIG_RESULT(r, 1, 4 + due[map]);
		CU_ASSERT_EQUAL(r->counters->sxm_ops, 1);
		rig_free(r);
	}
}

static void shift_adds_the_tiles_it_moves_down(void)
{
	/* Down by 1: lane 16 to 15, one tile.  By 16: one; by 17: two (lane 32 to 15); up: none; by 320: nothing is
	 * moved. */
	static const int distance[] = {-1, -16, -17, 17, -320, -319};
	static const int64_t due[] = {5, 5, 6, 4, 4, 23};

	for (size_t i = 0; i < G_N_ELEMENTS(distance); i++) {
		g_autofree char *text =
			g_strdup_printf(HOST R0 "@4 sxm.shift0: shift r1, r0 distance=%d type=fp16\n", distance[i]);
		rig *r = rig_run(text, NULL);

		RIG_CLEAN(r);
		RIG_RESULT(r, 1, 4 + due[i]);
		rig_free(r);
	}
}

static void the_other_lane_moves_take_their_stages(void)
{
	rig *r = rig_run(MAPS HOST R0 "@4 sxm.distribute0: distribute r1, r0 map=4 type=fp16\n"
	                              "@4 sxm.rotate0: rotate r2, r0 distance=3 type=fp16\n"
	                              "@4 sxm.select0: select r3, r0, r0 map=1 type=fp16\n",
	                 NULL);

	RIG_RESULT(r, 1, 6);
	RIG_RESULT(r, 2, 8);
	RIG_RESULT(r, 3, 8);
	RIG_CLEAN(r);
	rig_free(r);
}

static void lose_map_6(isa_program *p)
{
	g_array_set_size(p->maps, 6);
}

static void maps_must_fit_the_operation(void)
{
	rig *r = rig_run(MAPS HOST R0
	                 "@4 sxm.permute0: permute r1, r0 map=4 type=fp16\n"       /* lane 0 twice */
	                 "@5 sxm.permute0: permute r1, r0 map=5 type=fp16\n"       /* none */
	                 "@6 sxm.permute0: permute r1, r0 map=6 type=fp16\n"       /* no such map */
	                 "@4 sxm.distribute0: distribute r1, r0 map=2 type=fp16\n" /* leaves the superlane */
	                 "@5 sxm.distribute0: distribute r1, r0 map=5 type=fp16\n" /* zeros: fine */
	                 "@4 sxm.rotate0: shift r1, r0 distance=3 type=fp16\n",    /* another role */
	                 &(rig_setup){.mutate = lose_map_6});

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 5);
	CU_ASSERT_EQUAL(r->counters->violations, 5);
	rig_free(r);
}

static void transpose_takes_sixteen_registers(void)
{
	g_autoptr(GString) text =
		g_string_new(HOST "l: @0 mem0: load r0 addr=0 len=320 x16 every 1 step 320 rot.dst=1\n"
	                          "t: @19 sxm.transpose0: transpose r16, r0\n\t.source 0 from=l seg=1\n"
	                          "@23 vxm0: copy r40, r31 type=int8 lanes=320\n\t.source 0 from=t\n"
	                          "@24 sxm.transpose0: transpose r305, r0\n");
	rig *r = rig_run(text->str, NULL);

	RIG_RESULT(r, 1, 23);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->arrival[0], 19);
	/* r305..r320 is one too many. */
	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 3, 24);
	rig_free(r);
}

static void transpose_checks_each_register(void)
{
	rig *r = rig_run(HOST "l: @0 mem0: load r0 addr=0 len=320 x16 every 1 step 320 rot.dst=1\n"
	                      "m: @16 mem0: load r5 addr=0 len=320\n"
	                      "t: @20 sxm.transpose0: transpose r16, r0\n\t.source 0 from=l seg=1\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 2, 20);
	CU_ASSERT_EQUAL(first(r)->detail, 5);
	CU_ASSERT_EQUAL(first(r)->other, 1);
	rig_free(r);
}

/* --- links: 640 B at 400e9 B/s and 0.9 GHz: 1.44 -> 2 cycles; latency 2, receive 1 --- */

static void a_vector_crosses_a_link(void)
{
	rig *r = rig_run(HOST R0 "s: @4 c2c.1: send r0\n\t.source 0 from=l\n"
	                         "@8 c2c.1: recv r1\n\t.source 0 from=s\n"
	                         "@9 vxm0: copy r2, r1 type=fp16 lanes=320\n\t.source 0 from=l\n",
	                 NULL);

	RIG_RESULT(r, 1, 8); /* 4 + 2 + 2 */
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->beats, 2);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->work, 640);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 8);
	RIG_RESULT(r, 2, 9);
	CU_ASSERT_EQUAL(r->counters->link_vectors, 1);
	/* What arrives was written by RECV, not by the load. */
	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 3, 9);
	CU_ASSERT_EQUAL(first(r)->other, 2);
	rig_free(r);
}

static void recv_before_the_vector_is_late_and_takes_nothing(void)
{
	rig *r = rig_run(HOST R0 "s: @4 c2c.1: send r0\n@7 c2c.1: recv r1\n@8 c2c.1: recv r1\n\t.source 0 from=s\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 2, 7);
	RIG_RESULT(r, 3, 9);
	rig_free(r);
}

static void recv_of_nothing_is_unwritten(void)
{
	rig *r = rig_run(HOST R0 "s: @4 c2c.1: send r0\n@10 c2c.2: recv r1\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 2, 10);
	rig_free(r);
}

static void sends_on_an_occupied_link_wait_and_are_reported(void)
{
	/* The link is taken 4, 5; a SEND at 5 starts at 6: receivable at 6 + 2 + 2. */
	rig *r = rig_run(HOST R0 "a: @4 c2c.1: send r0\nb: @5 c2c.1: send r0\nc: @8 c2c.1: send r0\n"
	                         "@9 c2c.1: recv r1\n\t.source 0 from=a\n@10 c2c.1: recv r1\n\t.source 0 from=b\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_PORT_OVERUSE, 2, 5);
	RIG_RESULT(r, 2, 10);
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->delay, 1);
	RIG_RESULT(r, 3, 12);
	rig_free(r);
}

static void vectors_come_out_in_order(void)
{
	rig *r = rig_run(HOST R0 "a: @4 c2c.1: send r0\nb: @6 c2c.1: send r0\n@20 c2c.1: recv r1\n\t.source 0 from=b\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 3, 20);
	rig_free(r);
}

static void link_time_is_rounded_up_once(void)
{
	/* (640 + 104) B x 0.9e9 / 223.2e9 = 3 exactly; one byte a second less makes it 4. */
	const char *text = HOST R0 "@4 c2c.1: send r0\n";
	rig *r = rig_run(text, &(rig_setup){.sets = {"link.overhead_bytes=104", "link.bytes_per_s=223200000000"}});

	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->beats, 3);
	rig_free(r);
	r = rig_run(text, &(rig_setup){.sets = {"link.overhead_bytes=104", "link.bytes_per_s=223199999999"}});
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->beats, 4);
	rig_free(r);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_register_is_seen_from_its_due_cycle_on),
		CASE(an_unnamed_unwritten_register_is_unwritten),
		CASE(an_older_write_is_seen_until_the_newer_is_due),
		CASE(wide_vectors_take_two_registers),
		CASE(the_last_register_cannot_begin_a_wide_vector),
		CASE(one_read_too_many_blames_the_highest_queue),
		CASE(one_write_too_many_blames_what_was_sampled_last),
		CASE(the_later_sampled_of_two_writes_due_together_stays),
		CASE(operations_take_three_cycles_transcendentals_twelve),
		CASE(latches_are_sampled_when_the_alu_starts),
		CASE(an_operation_without_destination_fills_its_latch),
		CASE(what_the_vxm_cannot_do_is_illegal),
		CASE(what_the_machine_has_not_enough_of_is_an_address_range),
		CASE(permute_adds_the_largest_way_down),
		CASE(shift_adds_the_tiles_it_moves_down),
		CASE(the_other_lane_moves_take_their_stages),
		CASE(maps_must_fit_the_operation),
		CASE(transpose_takes_sixteen_registers),
		CASE(transpose_checks_each_register),
		CASE(a_vector_crosses_a_link),
		CASE(recv_before_the_vector_is_late_and_takes_nothing),
		CASE(recv_of_nothing_is_unwritten),
		CASE(sends_on_an_occupied_link_wait_and_are_reported),
		CASE(vectors_come_out_in_order),
		CASE(link_time_is_rounded_up_once),
	};

	return tap_run("model units", cases, G_N_ELEMENTS(cases));
}
