/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix unit on the preset tsp: exact times and every violation with a good neighbour.  lw 1, iw 3, abc 13, acc
 * 34, intervals 1 (int8) and 2 (fp16), all skews 0.  Derived by hand from the paragraphs "MXM" of docs/design.md.
 */
#include "tests/unit/model_rig.h"

#define HOST ".epoch \"e\" start=0\n.image 0 1000000\n"

static const probe_violation *first(const rig *r)
{
	CU_ASSERT_FATAL(r->violations->len > 0);
	return &g_array_index(r->violations, probe_violation, 0);
}

/* --- MXM: one weight row of plane 0 (int8), or of pair 0 (fp16) --- */

#define I8_WEIGHTS                                                                                                     \
	HOST "w: @0 mem0: load wt.0 addr=0 len=320\n"                                                                  \
	     "lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320\n\t.source 0 from=w\n"                         \
	     "iw: @5 mxm0.w: iw count=1 type=int8\n\t.source 0 from=lw\n"                                              \
	     "a: @4 mem0: load act.1 addr=320 len=320\n" /* weights active at 8, activation due 8 */

static void weights_travel_lw_iw_abc_acc(void)
{
	rig *r = rig_run(I8_WEIGHTS "b: @8 mxm0.a: abc act.1 addr=3 type=int8 lanes=320\n"
	                            "\t.source 0 from=a\n\t.source 1 from=iw\n"
	                            "c: @9 mxm0.a: abc act.1 addr=3 mode=add type=int8 lanes=320\n"
	                            "\t.source 0 from=a\n\t.source 1 from=iw\n\t.source 2 from=b\n"
	                            "@22 mxm0.c: acc r0 addr=3 type=int8 lanes=320\n\t.source 0 from=c\n",
	                 NULL);

	RIG_RESULT(r, 1, 5); /* lw 4 + 1 */
	RIG_RESULT(r, 2, 8); /* iw 5 + 3 */
	CU_ASSERT_EQUAL(rig_issue(r, 2, 0)->arrival[0], 5);
	RIG_RESULT(r, 4, 21); /* abc 8 + 13 */
	CU_ASSERT_EQUAL(rig_issue(r, 4, 0)->arrival[0], 8);
	CU_ASSERT_EQUAL(rig_issue(r, 4, 0)->arrival[1], 8);
	CU_ASSERT_EQUAL(rig_issue(r, 4, 0)->arrival[2], PROBE_NO_TIME);
	CU_ASSERT_EQUAL(rig_issue(r, 4, 0)->work, 320); /* one row in use x 320 lanes */
	RIG_RESULT(r, 5, 22);
	CU_ASSERT_EQUAL(rig_issue(r, 5, 0)->arrival[2], 21);
	RIG_RESULT(r, 6, 56); /* acc 22 + 34 */
	CU_ASSERT_EQUAL(rig_issue(r, 6, 0)->arrival[0], 22);
	CU_ASSERT_EQUAL(r->counters->macs, 640);
	CU_ASSERT_EQUAL(r->counters->mxm_busy_cycles, 2);
	RIG_CLEAN(r);
	rig_free(r);
}

static void acc_sees_the_row_as_it_is_then(void)
{
	/* b due 21, c due 22: an ACC at 21 sees b. */
	rig *r = rig_run(I8_WEIGHTS "b: @8 mxm0.a: abc act.1 addr=3 type=int8 lanes=320\n"
	                            "c: @9 mxm0.a: abc act.1 addr=3 mode=add type=int8 lanes=320\n"
	                            "@20 mxm0.c: acc r0 addr=3 type=int8 lanes=320\n\t.source 0 from=b\n"
	                            "@21 mxm0.c: acc r2 addr=3 type=int8 lanes=320\n\t.source 0 from=b\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 6, 20);
	rig_free(r);
}

static void abc_before_the_weights_are_active_is_late(void)
{
	rig *r = rig_run(I8_WEIGHTS
	                 "z: @0 mem1: load act.1 addr=6400 len=320\n"
	                 "@7 mxm0.a: abc act.1 addr=3 type=int8 lanes=320\n\t.source 0 from=z\n\t.source 1 from=iw\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 5, 7);
	CU_ASSERT_EQUAL(first(r)->other, 2);
	rig_free(r);
}

static void iw_before_a_row_arrived_is_iw_before_weights(void)
{
	/* lw due 5: IW at 4 has nothing; and IW of two rows when one is loaded. */
	rig *r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=320\n"
	                      "lw: @5 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320\n"
	                      "@6 mxm0.w: iw count=2 type=int8\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_IW_BEFORE_WEIGHTS, 2, 6);
	CU_ASSERT_EQUAL(first(r)->detail, 1);
	rig_free(r);
	r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=320 x2 every 1\n"
	                 "lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320 x2 every 1 step 1\n"
	                 "@6 mxm0.w: iw count=2 type=int8\n\t.source 0 from=lw seg=1\n",
	            NULL);
	RIG_CLEAN(r);
	rig_free(r);
	/* lw_cycles 2: the second row arrives at 7. */
	r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=320 x2 every 1\n"
	                 "lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320 x2 every 1 step 1\n"
	                 "@6 mxm0.w: iw count=2 type=int8\n\t.source 0 from=lw seg=1\n",
	            &(rig_setup){.sets = {"mxm.lw_cycles=2"}});
	RIG_ONE(r, ISA_VIOLATION_IW_BEFORE_WEIGHTS, 2, 6);
	rig_free(r);
}

static void iw_of_another_load_is_wrong_operand(void)
{
	rig *r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=320 x3 every 1\n"
	                      "lw: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320 x3 every 1\n"
	                      "@7 mxm0.w: iw count=1 type=int8\n\t.source 0 from=lw+1\n"
	                      "@8 mxm0.w: iw count=1 type=int8\n\t.source 0 from=lw+2\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 2, 7);
	rig_free(r);
}

static void a_port_takes_several_packed_rows(void)
{
	/* 1280 B = 4 int8 rows or 2 fp16 rows. */
	rig *r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=1280\n"
	                      "lw: @4 mxm0.w: lw wt.0 addr=10 count=4 type=int8 lanes=320\n\t.source 0 from=w\n"
	                      "x: @5 mxm0.w: lw wt.0 addr=10 count=5 type=int8 lanes=320\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 2, 5);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->work, 1280);
	rig_free(r);
}

static void fp16_uses_both_planes_and_either_weight_queue(void)
{
	rig *r = rig_run(
		HOST "w: @0 mem0: load wt.1 addr=0 len=640\n"
		     "lw: @4 mxm1.w: lw wt.1 addr=0 count=1 type=fp16 lanes=320\n\t.source 0 from=w\n"
		     "iw: @5 mxm0.w: iw count=1 type=fp16\n\t.source 0 from=lw\n"
		     "a: @4 mem0: load act.1 addr=640 len=640\n"
		     "b: @8 mxm0.a: abc act.1 addr=1023 type=fp16 lanes=320\n\t.source 0 from=a\n\t.source 1 from=iw\n"
		     "@21 mxm0.c: acc r0 addr=1023 type=fp16 lanes=320\n\t.source 0 from=b\n",
		NULL);

	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(r->counters->mxm_busy_cycles, 4); /* two planes for two cycles */
	rig_free(r);
}

static void fp16_in_an_odd_plane_is_illegal_but_for_lw(void)
{
	rig *r = rig_run("@5 mxm1.w: iw count=1 type=fp16\n@8 mxm1.a: abc act.1 addr=0 type=fp16 lanes=320\n"
	                 "@21 mxm1.c: acc r0 addr=0 type=fp16 lanes=320\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 3);
	CU_ASSERT_EQUAL(r->counters->violations, 3);
	rig_free(r);
}

static void roles_and_types_are_checked(void)
{
	rig *r = rig_run("@5 mxm0.a: iw count=1 type=int8\n@5 mxm0.c: abc act.1 addr=0 type=int8 lanes=320\n"
	                 "@5 mxm0.w: acc r0 addr=0 type=int8 lanes=320\n@6 mxm0.w: iw count=1 type=int16\n"
	                 "@6 mxm0.a: abc act.2 addr=0 type=int8 lanes=320\n" /* another plane's port */
	                 "@7 mxm0.a: abc act.3 addr=0 type=fp16 lanes=320\n" /* a read names one plane */
	                 "@7 mxm0.w: lw act.1 addr=0 count=1 type=int8 lanes=320\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 7);
	CU_ASSERT_EQUAL(r->counters->violations, 7);
	rig_free(r);
}

static void rows_beyond_the_accumulators_overflow(void)
{
	/* 1024 rows of a pair, 512 of a plane. */
	rig *r = rig_run(I8_WEIGHTS "b: @8 mxm0.a: abc act.1 addr=511 type=int8 lanes=320\n"
	                            "@9 mxm0.a: abc act.1 addr=512 type=int8 lanes=320\n"
	                            "@30 mxm0.c: acc r0 addr=512 type=int8 lanes=320\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ACC_OVERFLOW), 2);
	CU_ASSERT_EQUAL(r->counters->violations, 2);
	CU_ASSERT_EQUAL(first(r)->insn, 5);
	CU_ASSERT_EQUAL(first(r)->detail, 512);
	rig_free(r);
}

static void a_plane_with_a_single_row_has_row_0(void)
{
	/* acc_rows 1: half of it is 0, a plane has one row all the same; fp16 has one. */
	rig *r = rig_run(I8_WEIGHTS "b: @8 mxm0.a: abc act.1 addr=0 type=int8 lanes=320\n"
	                            "@9 mxm0.a: abc act.1 addr=1 type=int8 lanes=320\n",
	                 &(rig_setup){.sets = {"mxm.acc_rows=1"}});

	RIG_ONE(r, ISA_VIOLATION_ACC_OVERFLOW, 5, 9);
	rig_free(r);
}

static void abcs_closer_than_the_interval_overuse_the_plane(void)
{
	const char *text = I8_WEIGHTS "b: @8 mxm0.a: abc act.1 addr=0 type=int8 lanes=320 x3 every 1\n";
	rig *r = rig_run(text, NULL);

	RIG_CLEAN(r);
	rig_free(r);
	r = rig_run(text, &(rig_setup){.sets = {"mxm.int8_interval_cycles=2"}});
	/* The one at 9 is too early; it keeps the plane until 11, so the one at 10 is, too. */
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_PORT_OVERUSE), 2);
	CU_ASSERT_EQUAL(r->counters->violations, 2);
	CU_ASSERT_EQUAL(first(r)->cycle, 9);
	rig_free(r);
}

/* fp16 weights for pair 0 and int8 ones for plane 1 cannot both be there; the ABCs' operands do not matter here. */
static unsigned overuses(const char *text, uint64_t shuffle)
{
	rig *r = rig_run(text, &(rig_setup){.sets = {"mxm.int8_interval_cycles=3"}, .shuffle = shuffle});
	unsigned n = rig_count(r, ISA_VIOLATION_PORT_OVERUSE);

	for (guint i = 0; i < r->violations->len; i++) {
		const probe_violation *v = &g_array_index(r->violations, probe_violation, i);

		if (v->kind == ISA_VIOLATION_PORT_OVERUSE)
			n += 10 * v->insn;
	}
	rig_free(r);
	return n;
}

static void a_pair_and_its_odd_plane_exclude_each_other(void)
{
	/* fp16 at 8 keeps both planes until 10.  Instruction 1 (int8 in plane 1) is blamed at 8 and 9, free at 10; int8
	 * at 7 is over at 8. */
	for (uint64_t seed = 0; seed < 6; seed++) {
		CU_ASSERT_EQUAL(overuses("@8 mxm0.a: abc r0 addr=0 type=fp16 lanes=320\n"
		                         "@8 mxm1.a: abc r0 addr=0 type=int8 lanes=320\n",
		                         seed),
		                11);
		CU_ASSERT_EQUAL(overuses("@8 mxm0.a: abc r0 addr=0 type=fp16 lanes=320\n"
		                         "@9 mxm1.a: abc r0 addr=0 type=int8 lanes=320\n",
		                         seed),
		                11);
		CU_ASSERT_EQUAL(overuses("@8 mxm0.a: abc r0 addr=0 type=fp16 lanes=320\n"
		                         "@10 mxm1.a: abc r0 addr=0 type=int8 lanes=320\n",
		                         seed),
		                0);
		CU_ASSERT_EQUAL(overuses("@8 mxm0.a: abc r0 addr=0 type=fp16 lanes=320\n"
		                         "@5 mxm1.a: abc r0 addr=0 type=int8 lanes=320\n",
		                         seed),
		                0);
		CU_ASSERT_EQUAL(overuses("@8 mxm0.a: abc r0 addr=0 type=fp16 lanes=320\n"
		                         "@6 mxm1.a: abc r0 addr=0 type=int8 lanes=320\n",
		                         seed),
		                1);
	}
}

static void weights_of_another_type_are_wrong_operand(void)
{
	rig *r = rig_run(I8_WEIGHTS "x: @8 mem0: load act.1 addr=640 len=640\n"
	                            "@12 mxm0.a: abc act.1 addr=0 type=fp16 lanes=320\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_WRONG_OPERAND, 5, 12);
	rig_free(r);
}

static void weights_beyond_the_bytes_of_a_cycle_overuse_the_port(void)
{
	/* 4 planes x 640 B = 2560 > 2304: the fourth is blamed; three fit. */
	g_autoptr(GString) text = g_string_new(HOST);
	rig *r;

	for (int i = 0; i < 4; i++)
		g_string_append_printf(text, "@0 mem%d: load wt.%d addr=%d len=640\n", i, i, 640 * i);
	for (int i = 0; i < 4; i++)
		g_string_append_printf(text, "@10 mxm%d.w: lw wt.%d addr=%d count=1 type=fp16 lanes=320\n", i, i, i);
	for (int i = 0; i < 3; i++)
		g_string_append_printf(text, "@11 mxm%d.w: lw wt.%d addr=%d count=1 type=fp16 lanes=320\n", i, i, i);
	r = rig_run(text->str, NULL);
	RIG_ONE(r, ISA_VIOLATION_PORT_OVERUSE, 7, 10);
	CU_ASSERT_EQUAL(first(r)->detail, 2560);
	rig_free(r);
}

static void weight_rows_beyond_the_plane_are_an_address_range(void)
{
	rig *r = rig_run(HOST "w: @0 mem0: load wt.0 addr=0 len=640\n"
	                      "@4 mxm0.w: lw wt.0 addr=318 count=2 type=int8 lanes=320\n"
	                      "@5 mxm0.w: lw wt.0 addr=319 count=2 type=int8 lanes=320\n"
	                      "@6 mxm0.w: iw count=321 type=int8\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ADDRESS_RANGE), 2);
	CU_ASSERT_EQUAL(r->counters->violations, 2);
	rig_free(r);
}

static void acc_of_a_row_nobody_filled_is_unwritten(void)
{
	rig *r = rig_run("@8 mxm0.c: acc r0 addr=7 type=fp16 lanes=320\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 0, 8);
	CU_ASSERT_EQUAL(first(r)->detail, 7);
	RIG_RESULT(r, 0, 42);
	rig_free(r);
}

static void int8_rows_of_the_odd_plane_are_the_pairs_upper_rows(void)
{
	/* Plane 1's row 0 is the pair's row 512: an fp16 ABC replaces it. */
	rig *r = rig_run(HOST "w: @0 mem0: load wt.1 addr=0 len=320\n"
	                      "lw: @4 mxm1.w: lw wt.1 addr=0 count=1 type=int8 lanes=320\n"
	                      "iw: @5 mxm1.w: iw count=1 type=int8\n"
	                      "a: @4 mem0: load act.3 addr=320 len=320\n"
	                      "b: @8 mxm1.a: abc act.2 addr=0 type=int8 lanes=320\n"
	                      "p: @20 mxm0.a: abc act.1 addr=512 type=fp16 lanes=160\n"
	                      "@33 mxm1.c: acc r0 addr=0 type=int8 lanes=320\n\t.source 0 from=b\n",
	                 NULL);

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_WRONG_OPERAND), 1); /* the ACC */
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_UNWRITTEN), 1);     /* p has no weights in plane 0 */
	CU_ASSERT_EQUAL(r->counters->violations, 2);
	rig_free(r);
}

static void two_queues_in_one_row_in_one_cycle_add_to_what_was_before(void)
{
	/* fp16 row 512 is int8 row 0 of plane 1: p and c reach it in the same cycle.  c's sum is still b's row plus its
	 * own, whichever of the two queues runs first; c, the higher queue, is one plane too many. */
	for (uint64_t seed = 0; seed < 6; seed++) {
		rig *r = rig_run(HOST
		                 "w: @0 mem0: load wt.1 addr=0 len=320\n"
		                 "lw: @4 mxm1.w: lw wt.1 addr=0 count=1 type=int8 lanes=320\n"
		                 "iw: @5 mxm1.w: iw count=1 type=int8\n"
		                 "a: @4 mem0: load act.3 addr=320 len=320\n"
		                 "b: @8 mxm1.a: abc act.2 addr=0 type=int8 lanes=320\n"
		                 "p: @20 mxm0.a: abc act.1 addr=512 type=fp16 lanes=160\n"
		                 "c: @20 mxm1.a: abc act.2 addr=0 mode=add type=int8 lanes=320\n\t.source 2 from=b\n",
		                 &(rig_setup){.shuffle = seed});

		CU_ASSERT_EQUAL(rig_issue(r, 6, 0)->arrival[2], 21);
		CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_WRONG_OPERAND), 0);
		CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_PORT_OVERUSE), 1);
		rig_free(r);
	}
}

static void the_higher_weight_queue_wins_a_row_both_load_in_one_cycle(void)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		rig *r = rig_run(HOST "@0 mem0: load wt.0 addr=0 len=640\n@0 mem1: load wt.1 addr=640 len=640\n"
		                      "high: @5 mxm1.w: lw wt.1 addr=7 count=1 type=fp16 lanes=320\n"
		                      "low: @5 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320\n"
		                      "also: @6 mxm1.w: lw wt.1 addr=0 count=1 type=fp16 lanes=320\n"
		                      "@6 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320\n"
		                      "@7 mxm0.w: iw count=1 type=fp16\n\t.source 0 from=also\n",
		                 &(rig_setup){.shuffle = seed});

		RIG_CLEAN(r);
		rig_free(r);
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(weights_travel_lw_iw_abc_acc),
		CASE(acc_sees_the_row_as_it_is_then),
		CASE(abc_before_the_weights_are_active_is_late),
		CASE(iw_before_a_row_arrived_is_iw_before_weights),
		CASE(iw_of_another_load_is_wrong_operand),
		CASE(a_port_takes_several_packed_rows),
		CASE(fp16_uses_both_planes_and_either_weight_queue),
		CASE(fp16_in_an_odd_plane_is_illegal_but_for_lw),
		CASE(roles_and_types_are_checked),
		CASE(rows_beyond_the_accumulators_overflow),
		CASE(a_plane_with_a_single_row_has_row_0),
		CASE(abcs_closer_than_the_interval_overuse_the_plane),
		CASE(a_pair_and_its_odd_plane_exclude_each_other),
		CASE(weights_of_another_type_are_wrong_operand),
		CASE(weights_beyond_the_bytes_of_a_cycle_overuse_the_port),
		CASE(weight_rows_beyond_the_plane_are_an_address_range),
		CASE(acc_of_a_row_nobody_filled_is_unwritten),
		CASE(two_queues_in_one_row_in_one_cycle_add_to_what_was_before),
		CASE(the_higher_weight_queue_wins_a_row_both_load_in_one_cycle),
		CASE(int8_rows_of_the_odd_plane_are_the_pairs_upper_rows),
	};

	return tap_run("model matrix unit", cases, G_N_ELEMENTS(cases));
}
