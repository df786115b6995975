/* SPDX-License-Identifier: Apache-2.0
 *
 * Cross-core counters, mode by mode.  A set arrives 20 cycles (cross.latency_cycles) after everything before it on its
 * pipe is complete.  Sub-core 0 of a core is the cube core, 1 and 2 its vector cores.
 */
#include "tests/unit/asc_core_rig.h"

#define SETS .sets = {"scalar.dual_issue=0", "cross.latency_cycles=20"}

static void a_cube_core_releases_both_vector_cores(void)
{
	/* Copy 1 to 11, complete 16; set: slot 11, arrives 36.  Both wait from 0, go in 36, push in 37. */
	asc_rig *r = asc_rig_run(".stream cube\ngm_to_l1 dst=0 src=0 bursts=10\nset_cross pipe=MTE2 mode=2 id=1\nend\n"
	                         ".stream vector\nwait_cross id=1\nvabs dst=0 src=0x8000\nend\n",
	                         &(asc_rig_setup){SETS, .tail = 5});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 0)->start, 11);
	for (uint32_t sub = 1; sub < 3; sub++) {
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, sub, 0, 0)->start, 36);
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, sub, 0, 0)->stall[ASC_STALL_CROSS], 36);
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, sub, 0, 0)->waited_for, 1);
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, sub, 1, 0)->queued, 37);
	}
	CU_ASSERT_EQUAL(r->counters->cross_wait[1], 72);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_cube_core_needs_the_sets_of_both_vector_cores(void)
{
	/* Vector 0 sets in 1, arrives 21; vector 1 after a copy of 30 (1 to 31), set in 31, arrives 51. */
	asc_rig *r = asc_rig_run(
		".stream cube\nwait_cross id=4\nend\n"
		".stream vector sub=0\nset_cross pipe=MTE2 mode=2 id=4\nend\n"
		".stream vector sub=1\ngm_to_ub dst=0 src=0 bursts=30\nset_cross pipe=MTE2 mode=2 id=4\nend\n",
		&(asc_rig_setup){SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->start, 51);
	/* The set that came last is the one it waited for. */
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->setter.sub, 2);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->setter.stream, 2);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->setter.pipe, ASC_PIPE_MTE2);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->setter.start, 31);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->setter.effect, 51);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void two_vector_cores_meet_in_mode_1(void)
{
	asc_rig *r = asc_rig_run(".stream vector sub=0\nset_cross pipe=V mode=1 id=0\nwait_cross id=0\nend\n"
	                         ".stream vector sub=1\nvabs dst=0 src=0x8000 repeat=30\n"
	                         "set_cross pipe=V mode=1 id=0\nwait_cross id=0\nend\n",
	                         &(asc_rig_setup){SETS});

	/* The second: vector 1 to 31, set 31, arrives 51; releases both. */
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 1, 0)->start, 51);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 2, 2, 0)->start, 51);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void all_cube_cores_meet_in_mode_0(void)
{
	/* Three cores; the copy takes 10, 20, 30 cycles: the last set goes out in 2 + 1 + 30, arrives 53. */
	asc_rig *r = asc_rig_run(".blocks 3\n.stream cube\n"
	                         "add rd=r1 rn=r31 rm=1\n"
	                         "mul rd=r1 rn=r1 rm=10\n"
	                         "gm_to_l1 dst=0 src=0 bursts=r1\n"
	                         "set_cross pipe=MTE2 mode=0 id=9\n"
	                         "wait_cross id=9\n"
	                         "end\n",
	                         &(asc_rig_setup){SETS});

	for (uint32_t core = 0; core < 3; core++)
		CU_ASSERT_EQUAL(asc_rig_report(r, core, 0, 4, 0)->start, 53);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void work_already_pushed_goes_on_during_a_wait(void)
{
	asc_rig *r = asc_rig_run(".stream cube\nset_cross pipe=MTE2 mode=2 id=0\nend\n"
	                         ".stream vector\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=5\n"
	                         "vabs dst=0x1000 src=0x9000 repeat=5\n"
	                         "wait_cross id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 1, 0)->start, 6);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 2, 0)->start, 21);
	asc_rig_free(r);
}

static void sets_of_one_core_arrive_in_the_order_of_their_work(void)
{
	/* The first set, behind a copy of 50 (1 to 51), arrives 71; the second, on another pipe, in 3 + 20. */
	asc_rig *r = asc_rig_run(".stream cube\n"
	                         "gm_to_l1 dst=0 src=0 bursts=50\n"
	                         "set_cross pipe=MTE2 mode=2 id=0\n"
	                         "set_cross pipe=MTE1 mode=2 id=0\n"
	                         "end\n"
	                         ".stream vector\nwait_cross id=0\nwait_cross id=0\nend\n",
	                         &(asc_rig_setup){SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 0, 0)->start, 23);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 0, 0)->waited_for, 2);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 1, 1, 0)->start, 71);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static char *sets_of(unsigned n, const char *kind)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, ".stream %s\n", kind);
	while (n--)
		g_string_append(text, "set_cross pipe=MTE2 mode=2 id=7\n");
	g_string_append(text, "end\n");
	return g_string_free(text, FALSE);
}

static void fifteen_sets_fit(void)
{
	g_autofree char *sets = sets_of(15, "cube");
	g_autofree char *text = g_strconcat(sets,
	                                    ".stream vector sub=0\nend\n.stream vector sub=1\nmovi rd=r1 imm=15\n"
	                                    "again: wait_cross id=7\nsub rd=r1 rn=r1 rm=1\n"
	                                    "bne rn=r1 rm=0 label=again\nend\n",
	                                    NULL);
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){SETS});

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_CROSS_OVERFLOW), 0);
	/* Vector core 0 has not waited for any. */
	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_CROSS_LEFT), 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_CROSS_LEFT)->sub, 1);
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	asc_rig_free(r);
}

static void the_sixteenth_set_overflows(void)
{
	/* Nobody waits before cycle 100.  Set n has its slot in 1 + n, arrives 21 + n: the sixteenth in 36, at both. */
	g_autofree char *sets = sets_of(16, "cube");
	g_autofree char *text = g_strconcat(sets,
	                                    ".stream vector\nvabs dst=0 src=0x8000 repeat=100\n"
	                                    "pipe_barrier pipe=all\nend\n",
	                                    NULL);
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){SETS});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_CROSS_OVERFLOW);

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_CROSS_OVERFLOW), 2);
	CU_ASSERT_EQUAL(v->cycle, 36);
	CU_ASSERT_EQUAL(v->insn, 15);
	CU_ASSERT_EQUAL(v->other_insn, 0);
	asc_rig_free(r);
}

static void sets_waiting_for_the_rest_of_their_group_overflow_too(void)
{
	g_autofree char *sets = sets_of(16, "vector sub=0");
	g_autofree char *text = g_strconcat(sets, ".stream vector sub=1\nend\n.stream cube\nend\n", NULL);
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){.sets = {"scalar.dual_issue=0", "cross.latency_cycles=1"}});

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_CROSS_OVERFLOW), 1);
	asc_rig_free(r);
}

static void a_counter_nobody_raises_is_a_deadlock(void)
{
	asc_rig *r = asc_rig_run(".stream cube\nwait_cross id=4\nset_cross pipe=M mode=2 id=5\nend\n"
	                         ".stream vector\nwait_cross id=5\nset_cross pipe=V mode=2 id=4\nend\n",
	                         &(asc_rig_setup){SETS});

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_DEADLOCK), 3);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->deadlock);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(r->deadlock,
	               "core 0 sub 0 scalar unit at insn 0 (wait_cross) waits for cross-core counter 4; set_cross "
	               "at insn 1 of core 0 sub 1 could raise it, the scalar unit stands at insn 0; set_cross "
	               "at insn 1 of core 0 sub 2 could raise it, the scalar unit stands at insn 0\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(r->deadlock,
	               "core 0 sub 1 scalar unit at insn 0 (wait_cross) waits for cross-core counter 5; set_cross "
	               "at insn 1 of core 0 sub 0 could raise it, the scalar unit stands at insn 0\n"));
	asc_rig_free(r);
}

static void a_block_that_has_not_begun_is_named(void)
{
	/* Two cores, three blocks that wait for all: the third cannot begin. */
	asc_rig *r = asc_rig_run(".blocks 3\n.stream cube block=0\nwait_cross id=0\nend\n.stream cube block=1\nend\n"
	                         ".stream cube block=2\nset_cross pipe=M mode=0 id=0\nend\n",
	                         &(asc_rig_setup){.sets = {"cores=2", "scalar.dual_issue=0"}});

	CU_ASSERT_PTR_NOT_NULL_FATAL(r->deadlock);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->deadlock, "core 0 runs block 0; block 2 has not begun\n"));
	asc_rig_free(r);
}

static void what_a_counter_orders_is_no_race(void)
{
	asc_rig *r = asc_rig_run(".stream cube\n"
	                         "fix_gm dst=0x1000 src=0 m=16 n=16 dtype=fp32\n"
	                         "set_cross pipe=FIX mode=2 id=0\n"
	                         "end\n"
	                         ".stream vector sub=0\n"
	                         "wait_cross id=0\n"
	                         "gm_to_ub dst=0 src=0x1000 bursts=1 burst_bytes=64\n"
	                         "end\n"
	                         ".stream vector sub=1\nwait_cross id=0\nend\n",
	                         &(asc_rig_setup){SETS});

	ASC_CLEAN(r);
	asc_rig_free(r);
	r = asc_rig_run(".stream cube\nfix_gm dst=0x1000 src=0 m=16 n=16 dtype=fp32\nend\n"
	                ".stream vector sub=0\ngm_to_ub dst=0 src=0x1040 bursts=1 burst_bytes=64\nend\n",
	                &(asc_rig_setup){SETS});
	/* Rows of 64 B in 16 x 64 B from 0x1000: the second is read. */
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->space, ASC_GM);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->address, 0x1040);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->bytes, 64);
	asc_rig_free(r);
}

static void a_round_trip_through_another_core_orders_the_own_pipes(void)
{
	/* Fixpipe reads the accumulators; the vector cores answer; only then mmad writes them again. */
	asc_rig *r = asc_rig_run(".stream cube\n"
	                         "fix_gm dst=0x1000 src=0 m=16 n=16 dtype=fp32\n"
	                         "set_cross pipe=FIX mode=2 id=0\n"
	                         "wait_cross id=1\n"
	                         "mmad c=0 a=0 b=0 m=16 n=16 k=16\n"
	                         "end\n"
	                         ".stream vector\nwait_cross id=0\nset_cross pipe=V mode=2 id=1\nend\n",
	                         &(asc_rig_setup){SETS});

	ASC_CLEAN(r);
	asc_rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_cube_core_releases_both_vector_cores", a_cube_core_releases_both_vector_cores},
		{"a_cube_core_needs_the_sets_of_both_vector_cores", a_cube_core_needs_the_sets_of_both_vector_cores},
		{"two_vector_cores_meet_in_mode_1", two_vector_cores_meet_in_mode_1},
		{"all_cube_cores_meet_in_mode_0", all_cube_cores_meet_in_mode_0},
		{"work_already_pushed_goes_on_during_a_wait", work_already_pushed_goes_on_during_a_wait},
		{"sets_of_one_core_arrive_in_the_order_of_their_work",
	         sets_of_one_core_arrive_in_the_order_of_their_work},
		{"fifteen_sets_fit", fifteen_sets_fit},
		{"the_sixteenth_set_overflows", the_sixteenth_set_overflows},
		{"sets_waiting_for_the_rest_of_their_group_overflow_too",
	         sets_waiting_for_the_rest_of_their_group_overflow_too},
		{"a_counter_nobody_raises_is_a_deadlock", a_counter_nobody_raises_is_a_deadlock},
		{"a_block_that_has_not_begun_is_named", a_block_that_has_not_begun_is_named},
		{"what_a_counter_orders_is_no_race", what_a_counter_orders_is_no_race},
		{"a_round_trip_through_another_core_orders_the_own_pipes",
	         a_round_trip_through_another_core_orders_the_own_pipes},
	};

	return tap_run("asc_cross", cases, G_N_ELEMENTS(cases));
}
