/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags between pipes: when they take effect, what a wait costs, double sets, leftovers, deadlocks.  A set takes effect
 * 8 cycles (flag.latency_cycles) after all before it on its pipe is complete; sets, waits and barriers take one cycle
 * of their pipe.  Pushes go out one a cycle and can start one cycle later.
 */
#include "tests/unit/asc_core_rig.h"

#define COUPLED .machine = "ascend-910a"
#define SINGLE  .sets = {"scalar.dual_issue=0", "flag.latency_cycles=8"}

static const char copy_then_vector[] = ".stream coupled\n"
				       "gm_to_ub dst=0 src=0 bursts=10\n"
				       "set_flag from=MTE2 to=V id=0\n"
				       "wait_flag from=MTE2 to=V id=0\n"
				       "vabs dst=0x8000 src=0 repeat=1\n"
				       "end\n";

static void a_flag_is_seen_its_latency_after_the_work_before_it(void)
{
	/* Copy 1 to 11.  Set: slot 11, effect 11 + 8.  Wait: ready in 3, goes in 19; the vector instruction in 20. */
	asc_rig *r = asc_rig_run(copy_then_vector, &(asc_rig_setup){COUPLED, SINGLE});

	ASC_START(r, 1, 11);
	ASC_START(r, 2, 19);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 0)->stall[ASC_STALL_FLAG], 16);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 0)->waited_for, 1);
	CU_ASSERT_EQUAL(r->counters->stall[ASC_PIPE_V][ASC_STALL_FLAG], 16);
	ASC_START(r, 3, 20);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_wait_reports_who_set_its_flag_where_and_when(void)
{
	/* The times of the case above. */
	asc_rig *r = asc_rig_run(copy_then_vector, &(asc_rig_setup){COUPLED, SINGLE});
	const asc_setter *by = &asc_rig_report(r, 0, 0, 2, 0)->setter;

	CU_ASSERT_EQUAL(by->stream, 0);
	CU_ASSERT_EQUAL(by->insn, 1);
	CU_ASSERT_EQUAL(by->core, 0);
	CU_ASSERT_EQUAL(by->sub, 0);
	CU_ASSERT_EQUAL(by->pipe, ASC_PIPE_MTE2);
	CU_ASSERT_EQUAL(by->start, 11);
	CU_ASSERT_EQUAL(by->effect, 19);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->setter.insn, UINT32_MAX);
	asc_rig_free(r);
}

static void a_set_waits_for_completion_not_for_the_pipe(void)
{
	/* The copy is complete 5 cycles after its pipe is free: 16.  The set has its slot in 11, and takes effect
	 * in 24. */
	asc_rig *r = asc_rig_run(copy_then_vector, &(asc_rig_setup){COUPLED, SINGLE, .tail = 5});

	ASC_START(r, 1, 11);
	ASC_START(r, 2, 24);
	asc_rig_free(r);
}

static void a_set_does_not_hold_up_its_pipe(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "gm_to_ub dst=0 src=0 bursts=10\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "gm_to_ub dst=0x1000 src=0 bursts=10\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE, .tail = 50});

	ASC_START(r, 2, 12);
	ASC_START(r, 3, 69);
	asc_rig_free(r);
}

static void ping_pong_overlaps_as_computed(void)
{
	/* Copies take 20, vector instructions 30; two buffers, a flag each way for each.  By hand:
	 *   copy 0: 1-21, set 21, seen 29.  copy 1: 22-42, set 42, seen 50.
	 *   wait 29, vector 0: 30-60, set 60, seen 68.  wait (50) 61, vector 1: 62-92, set 92, seen 100.
	 *   wait 68, copy 2: 69-89, set 89, seen 97.  wait 100, copy 3: 101-121, set 121, seen 129.
	 *   wait 97, vector 2: 98-128.  wait 129, vector 3: 130-160. */
	static const int64_t copies[] = {1, 22, 69, 101}, vectors[] = {30, 62, 98, 130};
	GString *text = g_string_new(".stream coupled\n");
	uint32_t insn = 0;
	asc_rig *r;

	for (unsigned i = 0; i < 4; i++) {
		if (i >= 2)
			g_string_append_printf(text, "wait_flag from=V to=MTE2 id=%u\n", i % 2);
		g_string_append_printf(text,
		                       "gm_to_ub dst=%u src=0 bursts=20\n"
		                       "set_flag from=MTE2 to=V id=%u\n"
		                       "wait_flag from=MTE2 to=V id=%u\n"
		                       "vabs dst=%u src=%u repeat=30 src_rep=0\n",
		                       i % 2 * 4096, i % 2, i % 2, 0x8000 + i * 0x2000, i % 2 * 4096);
		if (i < 2)
			g_string_append_printf(text, "set_flag from=V to=MTE2 id=%u\n", i % 2);
	}
	g_string_append(text, "end\n");
	r = asc_rig_run(text->str, &(asc_rig_setup){COUPLED, SINGLE});
	for (unsigned i = 0; i < 4; i++) {
		insn += i >= 2;
		ASC_START(r, insn, copies[i]);
		ASC_START(r, insn + 3, vectors[i]);
		insn += i < 2 ? 5 : 4;
	}
	CU_ASSERT_EQUAL(r->counters->cycles, 160);
	ASC_CLEAN(r);
	g_string_free(text, TRUE);
	asc_rig_free(r);
}

static void a_flag_is_its_pair_and_its_id(void)
{
	/* Set for MTE3 and with another id: the vector pipe waits for the one that is meant, set last. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "set_flag from=MTE2 to=MTE3 id=0\n"
	                         "set_flag from=MTE2 to=V id=1\n"
	                         "gm_to_ub dst=0 src=0 bursts=10\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=1\n"
	                         "wait_flag from=MTE2 to=MTE3 id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	/* Sets in 1 and 2, seen 9 and 10.  Copy 3 to 13, set 13, seen 21. */
	ASC_START(r, 4, 21);
	ASC_START(r, 5, 22);
	ASC_START(r, 6, 9);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_flag_set_twice_is_found(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_FLAG_DOUBLE_SET);

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_FLAG_DOUBLE_SET), 1);
	CU_ASSERT_EQUAL(v->cycle, 10);
	CU_ASSERT_EQUAL(v->insn, 1);
	CU_ASSERT_EQUAL(v->other_insn, 0);
	CU_ASSERT_TRUE(v->met);
	asc_rig_free(r);
}

static void a_set_that_only_luck_keeps_from_being_double_is_found(void)
{
	/* The wait takes the first set in 9, the second one comes in 10: nothing but time keeps them apart. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_FALSE(asc_rig_find(r, ASC_FINDING_FLAG_DOUBLE_SET)->met);
	ASC_START(r, 3, 10);
	asc_rig_free(r);
}

static void a_second_set_must_know_of_the_wait_not_only_come_later(void)
{
	/* The wait goes in 9; the second set, behind a copy of 50, has its slot in 52: late, but by luck. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "gm_to_ub dst=0 src=0 bursts=50\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	ASC_START(r, 3, 9);
	ASC_START(r, 2, 52);
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_FALSE(asc_rig_find(r, ASC_FINDING_FLAG_DOUBLE_SET)->met);
	asc_rig_free(r);
}

static void a_flag_left_set_is_found(void)
{
	asc_rig *r =
		asc_rig_run(".stream coupled\nset_flag from=MTE2 to=V id=0\nend\n", &(asc_rig_setup){COUPLED, SINGLE});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_FLAG_LEFT_SET)->insn, 0);
	/* Its effect comes after the end, which is that of its slot. */
	CU_ASSERT_EQUAL(r->counters->cycles, 2);
	asc_rig_free(r);
}

static void a_flag_left_set_lets_the_next_block_through(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n"
	                         ".stream coupled block=0\nset_flag from=MTE2 to=V id=0\nend\n"
	                         ".stream coupled block=1\nwait_flag from=MTE2 to=V id=0\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {"cores=1", "scalar.dual_issue=0"}});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_FLAG_LEFT_SET), 1);
	CU_ASSERT_PTR_NULL(r->deadlock);
	asc_rig_free(r);
}

static void the_scalar_unit_waits_for_a_flag(void)
{
	/* Vector 1 to 21, set 21, seen 29.  The wait wants 2 and goes in 29; what follows is pushed in 30. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0 src=0x8000 repeat=20\n"
	                         "set_flag from=V to=S id=0\n"
	                         "wait_flag from=V to=S id=0\n"
	                         "vabs dst=0x4000 src=0x8000 repeat=1\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	ASC_START(r, 2, 29);
	CU_ASSERT_EQUAL(r->counters->stall[ASC_PIPE_S][ASC_STALL_FLAG], 27);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->queued, 30);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void the_scalar_unit_sets_a_flag(void)
{
	/* Set in 0, seen 8; the wait goes in 8. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "set_flag from=S to=V id=0\n"
	                         "wait_flag from=S to=V id=0\n"
	                         "vabs dst=0 src=0x8000 repeat=20\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	ASC_START(r, 1, 8);
	ASC_START(r, 2, 9);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void no_latency_at_all_works(void)
{
	/* Copy 1 to 11, set in 11, seen in 11. */
	asc_rig *r = asc_rig_run(copy_then_vector,
	                         &(asc_rig_setup){COUPLED, .sets = {"scalar.dual_issue=0", "flag.latency_cycles=0"}});

	ASC_START(r, 2, 11);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void unit_flags_hold_cube_and_fixpipe_in_their_queues(void)
{
	/* Cube core.  The copy out is first in its queue and waits until the mmad, pushed in 6 behind five others and
	 * started in 7, has been asked; the second mmad waits for the copy. */
	static const char text[] = ".stream cube\n"
				   "fix_gm dst=0 src=0 m=4 n=16 dtype=fp32 unit_flag=3\n"
				   "movi rd=r1 imm=1\nmovi rd=r1 imm=2\nmovi rd=r1 imm=3\nmovi rd=r1 imm=4\n"
				   "movi rd=r1 imm=5\n"
				   "mmad c=0 a=0 b=0 m=9 unit_flag=3\n"
				   "mmad c=0 a=0 b=0 m=9 unit_flag=3\n"
				   "fix_gm dst=0x8000 src=0 m=4 n=16 dtype=fp32 unit_flag=3\n"
				   "end\n";
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){SINGLE});

	ASC_START(r, 6, 7);
	/* Asked in 7, found out in 8. */
	ASC_START(r, 0, 8);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->stall[ASC_STALL_FLAG], 7);
	ASC_START(r, 7, 16);
	ASC_START(r, 8, 17);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void without_unit_flags_the_same_is_a_race(void)
{
	asc_rig *r = asc_rig_run(".stream cube\nmmad c=0 a=0 b=0\nfix_gm dst=0 src=0 m=4 n=16 dtype=fp32\nend\n",
	                         &(asc_rig_setup){SINGLE});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->space, ASC_L0C);
	asc_rig_free(r);
}

static void has(const asc_rig *r, const char *text)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->deadlock);
	if (!strstr(r->deadlock, text))
		tap_note("missing: %s\nin: %s", text, r->deadlock);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->deadlock, text));
}

static void a_wait_that_nobody_ends_is_a_deadlock(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "gm_to_ub dst=0 src=0 bursts=10\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_DEADLOCK), 1);
	has(r,
	    "core 0 sub 0 pipe V at insn 1 (wait_flag) waits for flag MTE2->V 0; nothing that is still to be executed "
	    "sets it\n");
	asc_rig_free(r);
}

static void two_pipes_that_wait_for_each_other_are_a_deadlock(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "set_flag from=V to=MTE2 id=1\n"
	                         "wait_flag from=V to=MTE2 id=1\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	has(r, "pipe V at insn 0 (wait_flag) waits for flag MTE2->V 0; set_flag at insn 3 could set it, in the queue "
	       "of MTE2 "
	       "behind what waits there\n");
	has(r, "pipe MTE2 at insn 2 (wait_flag) waits for flag V->MTE2 1; set_flag at insn 1 could set it, in the "
	       "queue of V "
	       "behind what waits there\n");
	asc_rig_free(r);
}

static void a_set_behind_a_full_queue_is_a_deadlock(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "vabs dst=0 src=0x8000\n"
	                         "vabs dst=0x100 src=0x8000\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {"scalar.dual_issue=0", "queue.v_depth=2"}});

	has(r, "core 0 sub 0 scalar unit at insn 2 (vabs) finds the queue of V full\n");
	has(r, "waits for flag MTE2->V 0; set_flag at insn 3 could set it, the scalar unit has not come to it and "
	       "stands at "
	       "insn 2\n");
	asc_rig_free(r);
}

static void a_unit_nobody_hands_over_is_a_deadlock(void)
{
	asc_rig *r =
		asc_rig_run(".stream cube\nfix_gm dst=0 src=0 m=4 n=16 unit_flag=3\nend\n", &(asc_rig_setup){SINGLE});

	has(r,
	    "core 0 sub 0 pipe FIX at insn 0 (fix_gm) waits for units of l0c that an mmad with a unit flag has to hand "
	    "over\n");
	asc_rig_free(r);
}

static void a_waiting_scalar_unit_is_named(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nwait_flag from=V to=S id=2\nset_flag from=V to=S id=2\nend\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	has(r, "scalar unit at insn 0 (wait_flag) waits for flag V->S 2; set_flag at insn 1 could set it");
	asc_rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_flag_is_seen_its_latency_after_the_work_before_it",
	         a_flag_is_seen_its_latency_after_the_work_before_it},
		{"a_wait_reports_who_set_its_flag_where_and_when", a_wait_reports_who_set_its_flag_where_and_when},
		{"a_set_waits_for_completion_not_for_the_pipe", a_set_waits_for_completion_not_for_the_pipe},
		{"a_set_does_not_hold_up_its_pipe", a_set_does_not_hold_up_its_pipe},
		{"ping_pong_overlaps_as_computed", ping_pong_overlaps_as_computed},
		{"a_flag_is_its_pair_and_its_id", a_flag_is_its_pair_and_its_id},
		{"a_flag_set_twice_is_found", a_flag_set_twice_is_found},
		{"a_set_that_only_luck_keeps_from_being_double_is_found",
	         a_set_that_only_luck_keeps_from_being_double_is_found},
		{"a_second_set_must_know_of_the_wait_not_only_come_later",
	         a_second_set_must_know_of_the_wait_not_only_come_later},
		{"a_flag_left_set_is_found", a_flag_left_set_is_found},
		{"a_flag_left_set_lets_the_next_block_through", a_flag_left_set_lets_the_next_block_through},
		{"the_scalar_unit_waits_for_a_flag", the_scalar_unit_waits_for_a_flag},
		{"the_scalar_unit_sets_a_flag", the_scalar_unit_sets_a_flag},
		{"no_latency_at_all_works", no_latency_at_all_works},
		{"a_wait_that_nobody_ends_is_a_deadlock", a_wait_that_nobody_ends_is_a_deadlock},
		{"two_pipes_that_wait_for_each_other_are_a_deadlock",
	         two_pipes_that_wait_for_each_other_are_a_deadlock},
		{"a_set_behind_a_full_queue_is_a_deadlock", a_set_behind_a_full_queue_is_a_deadlock},
		{"unit_flags_hold_cube_and_fixpipe_in_their_queues", unit_flags_hold_cube_and_fixpipe_in_their_queues},
		{"without_unit_flags_the_same_is_a_race", without_unit_flags_the_same_is_a_race},
		{"a_unit_nobody_hands_over_is_a_deadlock", a_unit_nobody_hands_over_is_a_deadlock},
		{"a_waiting_scalar_unit_is_named", a_waiting_scalar_unit_is_named},
	};

	return tap_run("asc_flags", cases, G_N_ELEMENTS(cases));
}
