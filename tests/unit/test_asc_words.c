/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of global memory by which cores without counters meet: when a set is seen, when a wait looks, what goes with
 * the value.  set_word takes 100 cycles (scalar.publish_cycles), a look 40 (scalar.load_cycles), the way back 5
 * (scalar.branch_cycles): looks begin 45 apart, and the one that ends the wait is done after 40 and a branch not
 * taken, 1.
 */
#include "tests/unit/asc_core_rig.h"

#define COUPLED .machine = "ascend-910a"
#define SETS    .sets = {"scalar.publish_cycles=100", "scalar.load_cycles=40", "scalar.branch_cycles=5"}

static void a_wait_looks_until_the_word_is_set(void)
{
	/* Set in 0, seen from 100 on.  Looks in 0, 45, 90 find 0; that in 135 finds 1 and is done in 176. */
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled block=0\nset_word dst=64 value=1\nend\n"
	                         ".stream coupled block=1\nwait_word src=64 value=1\nend\n",
	                         &(asc_rig_setup){COUPLED, SETS});
	const asc_report *set = asc_rig_report(r, 0, 0, 0, 0), *wait = asc_rig_report(r, 1, 0, 0, 0);

	CU_ASSERT_EQUAL(set->start, 0);
	CU_ASSERT_EQUAL(set->done, 100);
	CU_ASSERT_EQUAL(wait->start, 135);
	CU_ASSERT_EQUAL(wait->done, 176);
	CU_ASSERT_EQUAL(wait->stall[ASC_STALL_CROSS], 135);
	CU_ASSERT_EQUAL(wait->setter.core, 0);
	CU_ASSERT_EQUAL(wait->setter.insn, 0);
	CU_ASSERT_EQUAL(wait->setter.effect, 100);
	CU_ASSERT_EQUAL(r->counters->cycles, 177);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_look_finds_what_is_seen_when_it_begins(void)
{
	/* The loads in 0 and 40 make the set one of 80, seen from 180 on, which is when the fifth look begins. */
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled block=0\nldg rd=r1 src=0\nldg rd=r1 src=0\n"
	                         "set_word dst=64 value=1\nend\n"
	                         ".stream coupled block=1\nwait_word src=64 value=1\nend\n",
	                         &(asc_rig_setup){COUPLED, SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 0)->done, 180);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 0, 0)->start, 180);
	asc_rig_free(r);
}

static void a_word_of_the_host_ends_a_wait_at_once(void)
{
	asc_rig *r = asc_rig_run(".image 64 8\n.hex 0500000000000000\n.stream coupled\nwait_word src=64 value=5\nend\n",
	                         &(asc_rig_setup){COUPLED, SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->start, 0);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->done, 41);
	CU_ASSERT_EQUAL(r->counters->violations, 0);
	asc_rig_free(r);
}

static void a_wait_waits_for_its_value(void)
{
	/* 1 is seen from 100 on, 2 from 200 on: the look in 225. */
	asc_rig *r =
		asc_rig_run(".blocks 2\n.stream coupled block=0\nset_word dst=64 value=1\nset_word dst=64 value=2\n"
	                    "end\n.stream coupled block=1\nwait_word src=64 value=2\nend\n",
	                    &(asc_rig_setup){COUPLED, SETS});

	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 0, 0)->start, 225);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 0, 0)->setter.insn, 1);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

/* Block 0 writes memory and sets a word, which is in front of what block 1 does. */
static asc_rig *handed_over(const char *between, const char *wait)
{
	g_autofree char *text = g_strdup_printf(".blocks 2\n.stream coupled block=0\nub_to_gm dst=0x1000 src=0\n%s"
	                                        "set_word dst=64 value=1\nend\n"
	                                        ".stream coupled block=1\n%sgm_to_ub dst=0 src=0x1000\nend\n",
	                                        between, wait);

	return asc_rig_run(text, &(asc_rig_setup){COUPLED, SETS});
}

static void a_word_behind_a_barrier_orders(void)
{
	asc_rig *r = handed_over("pipe_barrier pipe=all\n", "wait_word src=64 value=1\n");

	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_word_without_a_barrier_does_not(void)
{
	asc_rig *r = handed_over("", "wait_word src=64 value=1\n");

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(r->counters->by_kind[ASC_FINDING_RACE], 1);
	asc_rig_free(r);
}

static void a_barrier_without_a_wait_does_not(void)
{
	asc_rig *r = handed_over("pipe_barrier pipe=all\n", "");

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(r->counters->by_kind[ASC_FINDING_RACE], 1);
	asc_rig_free(r);
}

static void knowledge_goes_on_from_word_to_word(void)
{
	/* Core 2 hears of core 0's copy from core 1. */
	asc_rig *r =
		asc_rig_run(".blocks 3\n.stream coupled block=0\nub_to_gm dst=0x1000 src=0\npipe_barrier pipe=all\n"
	                    "set_word dst=64 value=1\nend\n"
	                    ".stream coupled block=1\nwait_word src=64 value=1\nset_word dst=128 value=1\nend\n"
	                    ".stream coupled block=2\nwait_word src=128 value=1\ngm_to_ub dst=0 src=0x1000\nend\n",
	                    &(asc_rig_setup){COUPLED, SETS});

	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_wait_that_asks_for_too_little_does_not_order(void)
{
	/* It looks long after the set, but need not have. */
	asc_rig *r = handed_over("pipe_barrier pipe=all\n", "ldg rd=r1 src=0\nldg rd=r1 src=0\nldg rd=r1 src=0\n"
	                                                    "ldg rd=r1 src=0\nwait_word src=64 value=0\n");

	CU_ASSERT_EQUAL(r->counters->by_kind[ASC_FINDING_RACE], 1);
	asc_rig_free(r);
}

static void a_plain_load_of_a_word_races(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n.image 64 8\n.stream coupled block=0\nset_word dst=64 value=1\nend\n"
	                         ".stream coupled block=1\nldg rd=r1 src=64\nend\n",
	                         &(asc_rig_setup){COUPLED, SETS});

	CU_ASSERT_EQUAL(r->counters->by_kind[ASC_FINDING_RACE], 1);
	asc_rig_free(r);
}

static void a_word_nobody_sets_is_a_deadlock(void)
{
	asc_rig *r =
		asc_rig_run(".blocks 2\n.stream coupled block=0\nwait_word src=128 value=1\nset_word dst=64 value=1\n"
	                    "end\n.stream coupled block=1\nwait_word src=64 value=1\nend\n",
	                    &(asc_rig_setup){COUPLED, SETS});

	CU_ASSERT_EQUAL(r->counters->by_kind[ASC_FINDING_DEADLOCK], 2);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->deadlock);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->deadlock,
	                              "core 0 sub 0 scalar unit at insn 0 (wait_word) waits for the word at "
	                              "0x80 to be at least 1; nothing that is still to be executed sets it"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		r->deadlock, "core 1 sub 0 scalar unit at insn 0 (wait_word) waits for the word at 0x40 to be at "
			     "least 1; set_word at insn 1 of core 0 sub 0 could, the scalar unit stands at insn 0"));
	asc_rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_wait_looks_until_the_word_is_set", a_wait_looks_until_the_word_is_set},
		{"a_look_finds_what_is_seen_when_it_begins", a_look_finds_what_is_seen_when_it_begins},
		{"a_word_of_the_host_ends_a_wait_at_once", a_word_of_the_host_ends_a_wait_at_once},
		{"a_wait_waits_for_its_value", a_wait_waits_for_its_value},
		{"a_word_behind_a_barrier_orders", a_word_behind_a_barrier_orders},
		{"a_word_without_a_barrier_does_not", a_word_without_a_barrier_does_not},
		{"a_barrier_without_a_wait_does_not", a_barrier_without_a_wait_does_not},
		{"knowledge_goes_on_from_word_to_word", knowledge_goes_on_from_word_to_word},
		{"a_wait_that_asks_for_too_little_does_not_order", a_wait_that_asks_for_too_little_does_not_order},
		{"a_plain_load_of_a_word_races", a_plain_load_of_a_word_races},
		{"a_word_nobody_sets_is_a_deadlock", a_word_nobody_sets_is_a_deadlock},
	};

	return tap_run("words", cases, G_N_ELEMENTS(cases));
}
