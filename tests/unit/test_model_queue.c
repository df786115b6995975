/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction queues of the model: NOP, REPEAT, nesting, rotations, the barrier, finite queues, damaged words.  Times
 * are derived by hand from the paragraphs "Queues" and "Queue words" of docs/design.md.  Vector operations on unwritten
 * latches serve as instructions without side effects: COPY of a register that a load wrote.
 */
#include "tests/unit/model_rig.h"

#define SETUP  ".epoch \"e\" start=0\n.image 0 100000\n"
#define LOADED SETUP "@0 mem0: load r0 addr=0 len=640\n" /* r0 is written in cycle 4 */

static int64_t cycle_of(const rig *r, uint32_t insn, uint32_t index)
{
	return rig_issue(r, insn, index)->cycle;
}

static void nop_fills_the_time_between(void)
{
	/* In the queue: copy at 4, NOP 5, copy at 10. */
	rig *r = rig_run(LOADED "@4 vxm0: copy r1, r0 type=fp16 lanes=320\n@10 vxm0: copy r1, r0 type=fp16 lanes=320\n",
	                 NULL);

	CU_ASSERT_EQUAL(cycle_of(r, 1, 0), 4);
	CU_ASSERT_EQUAL(cycle_of(r, 2, 0), 10);
	CU_ASSERT_EQUAL(r->counters->issues, 3);
	/* The last result is the second copy's, 10 + 3; the first issue is the load's. */
	CU_ASSERT_EQUAL(r->counters->cycles, 13);
	RIG_CLEAN(r);
	rig_free(r);
}

static void repeat_steps_address_and_interval(void)
{
	/* Loads at 0, 3, 6: addresses 0, 640, 1280, the third last; next instruction one cycle after the last issue. */
	rig *r = rig_run(SETUP "@0 mem0: load r0 addr=0 len=640 x3 every 3 step 640\n"
	                       "\t.source 0 resident\n"
	                       "@7 mem0: load r1 addr=0 len=640\n",
	                 NULL);

	for (uint32_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(cycle_of(r, 0, i), 3 * i);
		CU_ASSERT_EQUAL(rig_issue(r, 0, i)->result, 3 * i + 4);
	}
	CU_ASSERT_EQUAL(cycle_of(r, 1, 0), 7);
	RIG_CLEAN(r);
	rig_free(r);
}

static void nested_repeat_restarts_the_inner_run(void)
{
	/* Inner: 2 issues 2 apart, step 16; outer: 3 runs 10 apart, step 1000.  Issue 3 is run 1, second: 10 + 2.
	 * Addresses: 0, 16, 1000, 1016, 2000, 2016 of an image of 2020 bytes: the last one's 8 bytes leave it (2024).
	 */
	rig *r = rig_run(".epoch \"e\" start=0\n.image 0 2016\n"
	                 "@0 mem0: load r0 addr=0 len=8 x2 every 2 step 16 x3 every 10 step 1000\n",
	                 NULL);

	CU_ASSERT_EQUAL(cycle_of(r, 0, 2), 10);
	CU_ASSERT_EQUAL(cycle_of(r, 0, 3), 12);
	CU_ASSERT_EQUAL(cycle_of(r, 0, 5), 22);
	CU_ASSERT_EQUAL(r->counters->issues, 6);
	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 0, 22);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).index, 5);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 2016);
	rig_free(r);
}

static void registers_rotate_over_both_loops_and_wrap(void)
{
	/* Destination r10 + (2 i mod 6): 10, 12, 14, 10.  Four loads of different data; the copies name their
	 * producers. */
	rig *r = rig_run(SETUP
	                 "l: @0 mem0: load r10 addr=0 len=640 x2 every 1 step 640 x2 every 5 step 1280 rot.dst=2/6\n"
	                 "@12 vxm0: copy r1, r10 type=fp16 lanes=320\n\t.source 0 from=l+3\n"
	                 "@12 vxm1: copy r2, r12 type=fp16 lanes=320\n\t.source 0 from=l+1\n"
	                 "@12 vxm2: copy r3, r14 type=fp16 lanes=320\n\t.source 0 from=l+2\n",
	                 NULL);

	RIG_CLEAN(r);
	rig_free(r);
}

static void a_negative_rotation_wraps_to_the_top(void)
{
	/* 10 + (-1 i mod 4): 10, 13, 12. */
	rig *r = rig_run(SETUP "l: @0 mem0: load r10 addr=0 len=640 x3 every 1 step 640 rot.dst=-1/4\n"
	                       "@12 vxm0: copy r1, r13 type=fp16 lanes=320\n\t.source 0 from=l+1\n"
	                       "@12 vxm1: copy r2, r12 type=fp16 lanes=320\n\t.source 0 from=l+2\n",
	                 NULL);

	RIG_CLEAN(r);
	rig_free(r);
}

static void rotation_beyond_the_registers_is_an_address_range(void)
{
	/* r318, r319, r320: the third does not exist. */
	rig *r = rig_run(SETUP "@0 mem0: load r318 addr=0 len=640 x3 every 1 rot.dst=1\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 0, 2);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 320);
	rig_free(r);
}

static void rotation_of_a_source_is_checked_too(void)
{
	/* r319 is written in cycle 4; the second copy would read r320, the third r321 and on. */
	rig *r = rig_run(SETUP "@0 mem0: load r319 addr=0 len=640\n"
	                       "@4 vxm0: copy r1, r319 type=fp16 lanes=320 x2 every 1 rot.src0=1\n",
	                 NULL);

	RIG_ONE(r, ISA_VIOLATION_ADDRESS_RANGE, 1, 5);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 320);
	rig_free(r);
}

static void skew_delays_sampling_not_issue(void)
{
	/* vxm.skew 2: issue 2, sampled at 4 (r0 is due then), result 4 + 3.  At skew 1 it samples at 3: nothing yet. */
	const char *text = LOADED "@2 vxm0: copy r1, r0 type=fp16 lanes=320\n";
	rig *r = rig_run(text, &(rig_setup){.sets = {"vxm.skew_cycles=2"}});

	CU_ASSERT_EQUAL(cycle_of(r, 1, 0), 2);
	RIG_RESULT(r, 1, 7);
	RIG_CLEAN(r);
	rig_free(r);
	r = rig_run(text, &(rig_setup){.sets = {"vxm.skew_cycles=1"}});
	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 1, 3);
	rig_free(r);
}

static void the_barrier_releases_every_queue_at_once(void)
{
	/* NOTIFY in the lowest used queue, SYNC in the other, both inserted at 0; first words at 35.  mem0's next word
	 * is a NOP of 1 counted from there. */
	rig *r = rig_run(SETUP "@36 mem0: load r0 addr=0 len=640\n@40 vxm0: copy r1, r0 type=fp16 lanes=320\n",
	                 &(rig_setup){.sets = {"icu.barrier_cycles=35"}});

	CU_ASSERT_EQUAL(cycle_of(r, 0, 0), 36);
	CU_ASSERT_EQUAL(cycle_of(r, 1, 0), 40);
	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(r->counters->issues, 4); /* SYNC and NOTIFY are instructions */
	CU_ASSERT_EQUAL(r->counters->first_issue, 0);
	CU_ASSERT_EQUAL(r->counters->cycles, 43);
	rig_free(r);
}

static void a_released_queue_goes_on_whether_it_parked_first_or_not(void)
{
	/* NOTIFY stands in mem0, SYNC in mem1; some seed runs mem1 first, which parks it. */
	for (uint64_t seed = 0; seed < 6; seed++) {
		rig *r = rig_run(SETUP
		                 "@36 mem0: load r0 addr=0 len=640\n@36 mem1: load r1 addr=640 len=640 x3 every 2\n"
		                 "@50 mem1: load r1 addr=640 len=640\n",
		                 &(rig_setup){.sets = {"icu.barrier_cycles=35"}, .shuffle = seed});

		CU_ASSERT_EQUAL(cycle_of(r, 1, 2), 40);
		CU_ASSERT_EQUAL(cycle_of(r, 2, 0), 50);
		CU_ASSERT_EQUAL(r->counters->issues, 7);
		rig_free(r);
	}
}

static void a_longer_barrier_delays_all_alike(void)
{
	rig *r = rig_run(SETUP "@36 mem0: load r0 addr=0 len=640\n@40 vxm0: copy r1, r0 type=fp16 lanes=320\n",
	                 &(rig_setup){.sets = {"icu.barrier_cycles=36"}, .sched_sets = {"icu.barrier_cycles=35"}});

	CU_ASSERT_EQUAL(cycle_of(r, 0, 0), 37);
	CU_ASSERT_EQUAL(cycle_of(r, 1, 0), 41);
	RIG_CLEAN(r);
	rig_free(r);
}

/* Turns every NOTIFY into SYNC. */
static void lose_notify(isa_program *p)
{
	for (guint q = 0; q < p->queues->len; q++) {
		GArray *words = g_ptr_array_index(p->queues, q);

		for (guint i = 0; i < words->len; i++)
			if ((g_array_index(words, isa_word, i).lo & 0xff) == ISA_OP_NOTIFY + 1)
				g_array_index(words, isa_word, i).lo = ISA_OP_SYNC + 1;
	}
}

static void queues_that_nobody_releases_are_reported(void)
{
	rig *r = rig_run(SETUP "@36 mem0: load r0 addr=0 len=640\n@40 vxm0: copy r1, r0 type=fp16 lanes=320\n",
	                 &(rig_setup){.sets = {"icu.barrier_cycles=35"}, .mutate = lose_notify});

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 2);
	CU_ASSERT_EQUAL(r->counters->issues, 2);
	CU_ASSERT_EQUAL(r->counters->cycles, 0); /* no result at all */
	rig_free(r);
}

static void sync_again(isa_program *p)
{
	isa_word word = {ISA_OP_SYNC + 1, 0};

	g_array_append_val(g_ptr_array_index(p->queues, 4), word);
}

static void a_sync_after_the_release_waits_for_the_next_one(void)
{
	/* vxm0 parks a second time at 41, after the release at 35; no other NOTIFY comes. */
	rig *r = rig_run(SETUP "@36 mem0: load r0 addr=0 len=640\n@40 vxm0: copy r1, r0 type=fp16 lanes=320\n",
	                 &(rig_setup){.sets = {"icu.barrier_cycles=35"}, .mutate = sync_again});

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 1);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).cycle, 41);
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	rig_free(r);
}

static void fetch_first(isa_program *p)
{
	isa_word word = {ISA_OP_IFETCH + 1, 0};

	g_array_prepend_val(g_ptr_array_index(p->queues, 0), word);
}

static void an_ifetch_without_room_is_an_overuse(void)
{
	/* Issued in cycle 0 it leaves 11 words in a queue of 12, and brings 4. */
	rig *r = rig_run(SETUP "@0 mem0: load r0 addr=0 len=640\n",
	                 &(rig_setup){.sets = {"icu.queue_words=12", "icu.ifetch_words=4", "icu.ifetch_cycles=5"},
	                              .mutate = fetch_first});

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_PORT_OVERUSE), 1);
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 15);
	rig_free(r);
}

static void a_finite_queue_is_fetched_in_time(void)
{
	/* 20 loads every other cycle: 20 instructions and 19 NOP words in a queue of 12 that fetches 4 at a time. */
	g_autoptr(GString) text = g_string_new(SETUP);
	rig *r;

	for (unsigned i = 0; i < 20; i++)
		g_string_append_printf(text, "@%u mem0: load r%u addr=0 len=640\n", 3 * i, i);
	r = rig_run(text->str,
	            &(rig_setup){.sets = {"icu.queue_words=12", "icu.ifetch_words=4", "icu.ifetch_cycles=5"}});
	for (unsigned i = 0; i < 20; i++)
		CU_ASSERT_EQUAL(cycle_of(r, i, 0), 3 * i);
	RIG_CLEAN(r);
	CU_ASSERT_TRUE(r->counters->issues > 20); /* IFETCH counts */
	rig_free(r);
}

static void a_word_that_comes_late_is_an_underrun_and_delays_the_queue(void)
{
	/* Lowered for a fetch of 5 cycles, run with 50: the words after the first 12 are late. */
	g_autoptr(GString) text = g_string_new(SETUP);
	rig *r;

	for (unsigned i = 0; i < 20; i++)
		g_string_append_printf(text, "@%u mem0: load r%u addr=0 len=640\n", 3 * i, i);
	r = rig_run(text->str,
	            &(rig_setup){.sets = {"icu.queue_words=12", "icu.ifetch_words=4", "icu.ifetch_cycles=50"},
	                         .sched_sets = {"icu.queue_words=12", "icu.ifetch_words=4", "icu.ifetch_cycles=5"}});
	CU_ASSERT_TRUE(rig_count(r, ISA_VIOLATION_QUEUE_UNDERRUN) > 0);
	/* The first missing word is number 12. */
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).detail, 12);
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_QUEUE_UNDERRUN), r->counters->violations);
	CU_ASSERT_EQUAL(cycle_of(r, 0, 0), 0);
	CU_ASSERT_TRUE(cycle_of(r, 19, 0) > 57 + 40);
	rig_free(r);
}

/* Takes every IFETCH out by making it an illegal word. */
static void lose_ifetch(isa_program *p)
{
	GArray *words = g_ptr_array_index(p->queues, 0);

	for (guint i = 0; i < words->len; i++)
		if ((g_array_index(words, isa_word, i).lo & 0xff) == ISA_OP_IFETCH + 1)
			g_array_index(words, isa_word, i).lo = 0;
}

static void a_queue_whose_words_never_come_ends(void)
{
	g_autoptr(GString) text = g_string_new(SETUP);
	rig *r;

	for (unsigned i = 0; i < 20; i++)
		g_string_append_printf(text, "@%u mem0: load r%u addr=0 len=640\n", 3 * i, i);
	r = rig_run(text->str, &(rig_setup){.sets = {"icu.queue_words=12", "icu.ifetch_words=4", "icu.ifetch_cycles=5"},
	                                    .mutate = lose_ifetch});
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_QUEUE_UNDERRUN), 1);
	CU_ASSERT_TRUE(rig_count(r, ISA_VIOLATION_ILLEGAL) >= 1);
	CU_ASSERT_TRUE(r->counters->issues < 20);
	rig_free(r);
}

/* The first word of queue 4 (vxm0 at cycle 4 is its second: NOP, copy) becomes all zeros. */
static void damage_copy(isa_program *p)
{
	GArray *words = g_ptr_array_index(p->queues, 4);

	g_array_index(words, isa_word, 1) = (isa_word){0, 0};
}

static void an_illegal_word_is_skipped_and_takes_its_cycle(void)
{
	rig *r = rig_run(LOADED "@4 vxm0: copy r1, r0 type=fp16 lanes=320\n@5 vxm0: copy r2, r0 type=fp16 lanes=320\n",
	                 &(rig_setup){.mutate = damage_copy});

	RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 1, 4);
	CU_ASSERT_EQUAL(cycle_of(r, 2, 0), 5);
	CU_ASSERT_EQUAL(r->counters->issues, 2);
	rig_free(r);
}

/* vxm0: copy, REPEAT; the copy becomes a NOP of one cycle, so that REPEAT has nothing to repeat. */
static void orphan_repeat(isa_program *p)
{
	GArray *words = g_ptr_array_index(p->queues, 4);

	g_array_index(words, isa_word, 1) = isa_encode_nop(1);
}

static void repeat_after_nop_is_illegal(void)
{
	rig *r = rig_run(LOADED "@4 vxm0: copy r1, r0 type=fp16 lanes=320 x3 every 2\n",
	                 &(rig_setup){.mutate = orphan_repeat});

	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_ILLEGAL), 1);
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(r->counters->issues, 1);
	rig_free(r);
}

static void an_instruction_of_another_unit_is_illegal_once_a_word(void)
{
	/* isa_lower() refuses this; so swap the words of mem1 and vxm0 afterwards (mutate below). */
	rig *r = rig_run(LOADED "@4 vxm0: copy r1, r0 type=fp16 lanes=0 x5 every 1\n", NULL);

	/* lanes = 0 can be encoded and is refused at execution: one violation for five issues. */
	RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 1, 4);
	CU_ASSERT_EQUAL(r->counters->issues, 1);
	rig_free(r);
}

static void swap_queues(isa_program *p)
{
	gpointer words = p->queues->pdata[1];
	gpointer ids = p->queue_insns->pdata[1];

	p->queues->pdata[1] = p->queues->pdata[4];
	p->queue_insns->pdata[1] = p->queue_insns->pdata[4];
	p->queues->pdata[4] = words;
	p->queue_insns->pdata[4] = ids;
}

static void a_queue_of_the_wrong_unit_executes_nothing(void)
{
	rig *r = rig_run(LOADED "@4 vxm0: copy r1, r0 type=fp16 lanes=320\n", &(rig_setup){.mutate = swap_queues});

	RIG_ONE(r, ISA_VIOLATION_ILLEGAL, 1, 4);
	CU_ASSERT_EQUAL(r->counters->queue_issues[1], 0);
	CU_ASSERT_EQUAL(r->counters->queue_issues[0], 1);
	rig_free(r);
}

static void a_program_for_more_queues_is_refused(void)
{
	isa_machine *big = rig_machine("tsp-isca20", NULL);
	isa_machine *small = rig_machine("tsp", NULL);
	isa_program *p = isa_assemble("@100 c2c.e3: recv e0\n", "test", big, NULL);
	sim_kernel *kernel = sim_kernel_new("ref", NULL, NULL);
	tsp_options options = {0};
	GError *error = NULL;
	probe none;

	CU_ASSERT_TRUE_FATAL(isa_lower(p, big, NULL));
	probe_init(&none);
	CU_ASSERT_PTR_NULL(tsp_chip_new(small, p, kernel, &none, &options, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	g_clear_error(&error);
	probe_fini(&none);
	sim_kernel_free(kernel);
	isa_program_free(p);
	isa_machine_free(big);
	isa_machine_free(small);
}

static void a_barrier_shorter_than_a_skew_is_refused(void)
{
	static const char *const sets[] = {"icu.barrier_cycles=3", "mem.skew_cycles=3", NULL};
	isa_machine *machine = rig_machine("tsp", sets);
	isa_program *p = isa_program_new(machine);
	sim_kernel *kernel = sim_kernel_new("ref", NULL, NULL);
	tsp_options options = {0};
	GError *error = NULL;
	probe none;

	probe_init(&none);
	CU_ASSERT_PTR_NULL(tsp_chip_new(machine, p, kernel, &none, &options, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED));
	g_clear_error(&error);
	probe_fini(&none);
	sim_kernel_free(kernel);
	isa_program_free(p);
	isa_machine_free(machine);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(nop_fills_the_time_between),
		CASE(repeat_steps_address_and_interval),
		CASE(nested_repeat_restarts_the_inner_run),
		CASE(registers_rotate_over_both_loops_and_wrap),
		CASE(a_negative_rotation_wraps_to_the_top),
		CASE(rotation_beyond_the_registers_is_an_address_range),
		CASE(rotation_of_a_source_is_checked_too),
		CASE(skew_delays_sampling_not_issue),
		CASE(the_barrier_releases_every_queue_at_once),
		CASE(a_released_queue_goes_on_whether_it_parked_first_or_not),
		CASE(a_longer_barrier_delays_all_alike),
		CASE(queues_that_nobody_releases_are_reported),
		CASE(a_sync_after_the_release_waits_for_the_next_one),
		CASE(an_ifetch_without_room_is_an_overuse),
		CASE(a_finite_queue_is_fetched_in_time),
		CASE(a_word_that_comes_late_is_an_underrun_and_delays_the_queue),
		CASE(a_queue_whose_words_never_come_ends),
		CASE(an_illegal_word_is_skipped_and_takes_its_cycle),
		CASE(repeat_after_nop_is_illegal),
		CASE(an_instruction_of_another_unit_is_illegal_once_a_word),
		CASE(a_queue_of_the_wrong_unit_executes_nothing),
		CASE(a_program_for_more_queues_is_refused),
		CASE(a_barrier_shorter_than_a_skew_is_refused),
	};

	return tap_run("model queues", cases, G_N_ELEMENTS(cases));
}
