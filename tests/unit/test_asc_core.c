/* SPDX-License-Identifier: Apache-2.0
 *
 * Scalar unit, queues and pipes of an Ascend-style core, against docs/ascend.md; units take fixed times.  Unless said
 * otherwise: a push a cycle, earliest start one cycle after it, vector instructions take `repeat` cycles, copies
 * `bursts`.
 */
#include "tests/unit/asc_core_rig.h"

#define COUPLED .machine = "ascend-910a"
#define SINGLE  "scalar.dual_issue=0"
#define DUAL    "scalar.dual_issue=1"

static void a_push_starts_one_cycle_later(void)
{
	/* Pushed in 0, starts in 1, keeps the pipe 20 cycles. */
	asc_rig *r = asc_rig_run(".stream coupled\nvabs dst=0 src=0x1000 repeat=20\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->queued, 0);
	ASC_START(r, 0, 1);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->free, 21);
	CU_ASSERT_EQUAL(r->counters->cycles, 21);
	CU_ASSERT_EQUAL(r->counters->busy[ASC_PIPE_V], 20);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void the_queues_latency_moves_the_start(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nvabs dst=0 src=0x1000 repeat=20\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.latency_cycles=7"}});

	ASC_START(r, 0, 7);
	asc_rig_free(r);
}

static const char five[] = ".stream coupled\n"
			   "vabs dst=0x0000 src=0x8000 repeat=10\n"
			   "vabs dst=0x1000 src=0x9000 repeat=10\n"
			   "vabs dst=0x2000 src=0xa000 repeat=10\n"
			   "vabs dst=0x3000 src=0xb000 repeat=10\n"
			   "vabs dst=0x4000 src=0xc000 repeat=10\n"
			   "end\n";

static void a_full_queue_stops_the_scalar_unit(void)
{
	/* Two entries.  Pushes in 0, 1, 2 (the first has started in 1); the fourth wants 3, and gets in after the
	 * second starts in 11; the fifth wants 13 and gets in after the third starts in 21. */
	asc_rig *r = asc_rig_run(five, &(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.v_depth=2"}});
	static const int64_t queued[] = {0, 1, 2, 12, 22};

	for (uint32_t i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, i, 0)->queued, queued[i]);
		ASC_START(r, i, 1 + 10 * i);
	}
	CU_ASSERT_EQUAL(r->counters->queue_full[ASC_PIPE_V], 9 + 9);
	CU_ASSERT_EQUAL(r->counters->stall[ASC_PIPE_S][ASC_STALL_QUEUE_FULL], 9 + 9);
	CU_ASSERT_EQUAL(r->counters->cycles, 51);
	asc_rig_free(r);
}

static void a_deep_queue_does_not(void)
{
	asc_rig *r = asc_rig_run(five, &(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.v_depth=4"}});

	/* The fifth push, in 4, finds three entries: the first has left in 1. */
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 4, 0)->queued, 4);
	CU_ASSERT_EQUAL(r->counters->queue_full[ASC_PIPE_V], 0);
	asc_rig_free(r);
}

static void a_place_is_free_when_the_unit_has_begun(void)
{
	/* One entry; units begin 3 cycles after they are asked.  Asked in 1, begins in 4: the second push, which wants
	 * 1, gets in in 5. */
	asc_rig *r = asc_rig_run(five, &(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.v_depth=1"}, .delay = 3});

	ASC_START(r, 0, 4);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 0)->queued, 5);
	asc_rig_free(r);
	/* Pushed in 1, asked in 2, begins in 5; that something else happens in 3, a flag, changes nothing. */
	r = asc_rig_run(
		".stream coupled\n"
		"set_flag from=S to=V id=0\n"
		"vabs dst=0x0000 src=0x8000 repeat=10\n"
		"vabs dst=0x1000 src=0x9000 repeat=10\n"
		"wait_flag from=S to=V id=0\n"
		"end\n",
		&(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.v_depth=1", "flag.latency_cycles=3"}, .delay = 3});
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 0)->queued, 6);
	asc_rig_free(r);
}

static void a_full_queue_keeps_other_pipes_waiting(void)
{
	/* One entry.  Vector pushes in 0 and, the first having started in 1, in 2; the third gets in after the second
	 * starts in 11; the copy behind it is pushed in 13. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "vabs dst=0x1000 src=0x9000 repeat=10\n"
	                         "vabs dst=0x2000 src=0xa000 repeat=10\n"
	                         "gm_to_ub dst=0x6000 src=0 bursts=3\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE, "queue.v_depth=1"}});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->queued, 13);
	ASC_START(r, 3, 14);
	asc_rig_free(r);
}

static void starting_in_order_is_not_completing_in_order(void)
{
	/* Complete 30 cycles after the pipe is free: the second starts in 11, while the first is on its way until 41.
	 */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "vabs dst=0x1000 src=0x9000 repeat=10\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .tail = 30});

	ASC_START(r, 1, 11);
	ASC_DONE(r, 0, 41);
	ASC_DONE(r, 1, 51);
	CU_ASSERT_EQUAL(r->counters->busy[ASC_PIPE_V], 50);
	asc_rig_free(r);
}

static void a_barrier_waits_for_completion(void)
{
	/* First: free 11, done 41.  The barrier, ready in 11, goes in 41 and takes a slot: the next starts in 42. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "pipe_barrier pipe=V\n"
	                         "vabs dst=0x1000 src=0 repeat=10\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .tail = 30});

	ASC_START(r, 1, 41);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 0)->stall[ASC_STALL_BARRIER], 30);
	ASC_START(r, 2, 42);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_barrier_waits_whatever_else_happens(void)
{
	/* As above, with copies that begin in 4 and 14. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "pipe_barrier pipe=V\n"
	                         "vabs dst=0x1000 src=0 repeat=10\n"
	                         "gm_to_ub dst=0x6000 src=0 bursts=10\n"
	                         "gm_to_ub dst=0x7000 src=0 bursts=10\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .tail = 30});

	ASC_START(r, 4, 14);
	ASC_START(r, 1, 41);
	asc_rig_free(r);
}

static void a_barrier_holds_no_other_pipe(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "pipe_barrier pipe=V\n"
	                         "gm_to_ub dst=0x6000 src=0 bursts=3\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .tail = 30});

	ASC_START(r, 2, 3);
	asc_rig_free(r);
}

static void a_barrier_of_all_stops_the_scalar_unit(void)
{
	/* Vector: 1 to 11, done 41; copy: 2 to 5, done 35.  Barrier wants 2, goes in 41; the next push is in 42. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "gm_to_ub dst=0x6000 src=0 bursts=3\n"
	                         "pipe_barrier pipe=all\n"
	                         "vabs dst=0x6000 src=0x0000 repeat=10\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .tail = 30});

	ASC_START(r, 2, 41);
	CU_ASSERT_EQUAL(r->counters->stall[ASC_PIPE_S][ASC_STALL_BARRIER], 39);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->queued, 42);
	ASC_START(r, 3, 43);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void independent_neighbours_share_a_cycle(void)
{
	static const char text[] = ".stream coupled\nmovi rd=r1 imm=3\nmovi rd=r2 imm=4\nadd rd=r3 rn=r1 rm=r2\nend\n";
	/* (movi movi) (add) (end); alone: one a cycle. */
	asc_rig *dual = asc_rig_run(text, &(asc_rig_setup){COUPLED, .sets = {DUAL}});
	asc_rig *single = asc_rig_run(text, &(asc_rig_setup){COUPLED, .sets = {SINGLE}});

	CU_ASSERT_EQUAL(dual->counters->cycles, 3);
	CU_ASSERT_EQUAL(dual->counters->dual_issue, 1);
	CU_ASSERT_EQUAL(dual->counters->single_issue, 2);
	CU_ASSERT_EQUAL(single->counters->cycles, 4);
	CU_ASSERT_EQUAL(single->counters->single_issue, 4);
	CU_ASSERT_EQUAL(dual->counters->busy[ASC_PIPE_S], 3);
	asc_rig_free(dual);
	asc_rig_free(single);
}

static void a_dependent_neighbour_does_not(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nmovi rd=r1 imm=3\nadd rd=r2 rn=r1 rm=1\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {DUAL}});

	CU_ASSERT_EQUAL(r->counters->cycles, 3);
	CU_ASSERT_EQUAL(r->counters->dual_issue, 0);
	asc_rig_free(r);
}

static void a_push_shares_a_cycle_with_arithmetic_unless_it_needs_the_result(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "movi rd=r1 imm=6\n"
	                         "vabs dst=0 src=0x8000 repeat=2\n"
	                         "movi rd=r1 imm=5\n"
	                         "vabs dst=0x1000 src=0x9000 repeat=r1\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {DUAL}});

	/* (movi vabs) in 0, (movi) in 1, (vabs) in 2: it reads r1.  It starts in 3 and takes 5. */
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 0)->queued, 0);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->queued, 2);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 3, 0)->free, 8);
	asc_rig_free(r);
}

static void several_pushes_a_cycle_where_the_machine_dispatches_them(void)
{
	asc_rig *r = asc_rig_run(five, &(asc_rig_setup){COUPLED, .sets = {SINGLE, "scalar.dispatch_per_cycle=2"}});
	static const int64_t queued[] = {0, 0, 1, 1, 2};

	for (uint32_t i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, i, 0)->queued, queued[i]);
	asc_rig_free(r);
}

static void a_taken_branch_costs_its_cycles(void)
{
	/* movi 0; sub 1, bne 2 taken, costs 5; sub 7, bne 8 taken; sub 13, bne 14 not taken, costs 1; end 15. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "movi rd=r1 imm=3\n"
	                         "again: sub rd=r1 rn=r1 rm=1\n"
	                         "bne rn=r1 rm=0 label=again\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {DUAL, "scalar.branch_cycles=5"}});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 1)->start, 7);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 2)->start, 13);
	CU_ASSERT_EQUAL(r->counters->cycles, 16);
	asc_rig_free(r);
}

static void arithmetic_follows_the_table(void)
{
	/* Each branch leads to an endless wait unless the result is the expected one. */
	static const struct {
		const char *op;
		int64_t n, m, result;
	} cases[] = {
		{"add", 7, -9, -2},  {"sub", 7, 9, -2},  {"mul", -7, 9, -63},
		{"div", -7, 2, -3},  {"div", 7, 0, 0},   {"rem", -7, 2, -1},
		{"rem", 7, 0, 7},    {"min", -7, 2, -7}, {"max", -7, 2, 2},
		{"and", 12, 10, 8},  {"or", 12, 10, 14}, {"shl", 3, 4, 48},
		{"shr", -1, 60, 15}, {"shr", 5, 64, 0},  {"div", INT64_MIN, -1, INT64_MIN},
	};
	GString *text = g_string_new(".stream coupled\n");
	asc_rig *r;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		g_string_append_printf(text,
		                       "movi rd=r1 imm=%" G_GINT64_FORMAT "\n%s rd=r2 rn=r1 rm=%" G_GINT64_FORMAT
		                       "\nbeq rn=r2 rm=%" G_GINT64_FORMAT " label=ok%zu\nend\nok%zu: ",
		                       cases[i].n, cases[i].op, cases[i].m, cases[i].result, i, i);
	g_string_append(text, "vabs dst=0 src=0x1000\nend\n");
	r = asc_rig_run(text->str, &(asc_rig_setup){COUPLED});
	CU_ASSERT_EQUAL(r->counters->busy[ASC_PIPE_V], 1);
	g_string_free(text, TRUE);
	asc_rig_free(r);
}

static void a_scalar_load_waits_for_memory(void)
{
	/* ldg in 0 takes 50; the push in 50 uses what it loaded: 6 cycles from 51. */
	asc_rig *r = asc_rig_run(".image 64 8\n.hex 0600000000000000\n"
	                         ".stream coupled\nldg rd=r1 src=64\nvabs dst=0 src=0x1000 repeat=r1\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE, "scalar.load_cycles=50"}});

	ASC_START(r, 1, 51);
	ASC_DONE(r, 1, 57);
	asc_rig_free(r);
}

static void special_registers_cost_their_cycles(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nset_mask lo=1 hi=0\nvabs dst=0 src=0x1000\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {DUAL, "scalar.spr_cycles=9"}});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 1, 0)->queued, 9);
	asc_rig_free(r);
}

static void blocks_run_on_cores_in_turn(void)
{
	/* Two cores, three blocks: block 2 follows block 0 on core 0.  The program takes 10 cycles a block number. */
	asc_rig *r = asc_rig_run(".blocks 3\n.stream coupled\n"
	                         "add rd=r1 rn=r31 rm=1\n"
	                         "mul rd=r1 rn=r1 rm=10\n"
	                         "vabs dst=0 src=0x8000 repeat=r1\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE, "cores=2"}});

	/* Block 0: pushed 2, 3 to 13.  Block 1: 3 to 23.  Block 2 begins in 13: pushed 15, 16 to 46. */
	ASC_DONE(r, 2, 13);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 2, 0)->done, 23);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 1)->start, 16);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 0)->block, 0);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 2, 0)->block, 1);
	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 2, 1)->block, 2);
	CU_ASSERT_EQUAL(r->counters->cycles, 46);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_stream_of_its_own_block_comes_first(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled\nvabs dst=0 src=0x8000 repeat=10\nend\n"
	                         ".stream coupled block=1\nvabs dst=0 src=0x8000 repeat=20\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}});

	CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, 0, 0)->done, 11);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 0, 0)->done, 21);
	CU_ASSERT_EQUAL(asc_rig_report(r, 1, 0, 0, 0)->stream, 1);
	asc_rig_free(r);
}

static void an_illegal_value_of_a_register_is_found(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nmovi rd=r1 imm=300\nvabs dst=0 src=0x8000 repeat=r1\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_ILLEGAL)->insn, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_ILLEGAL)->cycle, 1);
	asc_rig_free(r);
}

static void a_quantisation_from_a_register_that_does_not_fit_the_types_is_found(void)
{
	asc_rig *r = asc_rig_run(".stream cube\nmovi rd=r1 imm=9\nfix_gm type=fp32 dtype=int8 quant=r1\nend\n",
	                         &(asc_rig_setup){.sets = {SINGLE}});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_ILLEGAL)->insn, 1);
	asc_rig_free(r);
	r = asc_rig_run(".stream cube\nmovi rd=r1 imm=24\nfix_gm type=fp32 dtype=int8 quant=r1\nend\n",
	                &(asc_rig_setup){.sets = {SINGLE}});
	CU_ASSERT_EQUAL(r->counters->violations, 0);
	asc_rig_free(r);
}

static void by_timestamp_a_start_is_the_predicted_one_or_when_the_pipe_is_free(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "@50 vabs dst=0x0000 src=0x8000 repeat=10\n"
	                         "@55 vabs dst=0x1000 src=0x9000 repeat=10\n"
	                         "@0 gm_to_ub dst=0x6000 src=0 bursts=3\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .options.by_timestamp = true});

	ASC_START(r, 0, 50);
	ASC_START(r, 1, 60);
	ASC_START(r, 2, 3);
	ASC_CLEAN(r);
	asc_rig_free(r);
}

static const char timed[] = ".stream coupled\n"
			    "@1 gm_to_ub dst=0 src=0 bursts=10\n"
			    "set_flag from=MTE2 to=V id=0\n"
			    "wait_flag from=MTE2 to=V id=0\n"
			    "%s vabs dst=0x8000 src=0 repeat=1\n"
			    "end\n";

static void by_timestamp_flags_cost_nothing(void)
{
	g_autofree char *text = g_strdup_printf(timed, "@11");
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .options.by_timestamp = true});

	/* The copy is complete in 11. */
	ASC_START(r, 3, 11);
	ASC_CLEAN(r);
	CU_ASSERT_EQUAL(r->counters->cycles, 12);
	asc_rig_free(r);
}

static void by_timestamp_a_start_too_early_is_a_race(void)
{
	g_autofree char *text = g_strdup_printf(timed, "@10");
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .options.by_timestamp = true});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->insn, 3);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->other_insn, 0);
	CU_ASSERT_TRUE(asc_rig_find(r, ASC_FINDING_RACE)->met);
	asc_rig_free(r);
}

static void by_timestamp_what_comes_before_its_producer_is_a_race(void)
{
	/* The reader has ended in 6 when the copy begins in 20; the flag says the copy comes first. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "@20 gm_to_ub dst=0 src=0 bursts=10\n"
	                         "set_flag from=MTE2 to=V id=0\n"
	                         "wait_flag from=MTE2 to=V id=0\n"
	                         "@5 vabs dst=0x8000 src=0 repeat=1\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, .sets = {SINGLE}, .options.by_timestamp = true});

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_RACE), 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->insn, 0);
	CU_ASSERT_FALSE(asc_rig_find(r, ASC_FINDING_RACE)->met);
	asc_rig_free(r);
}

/* Cube and vector cores of three cores; copies of lengths that interleave, flags, cross-core flags, races. */
static const char many[] = ".blocks 5\n"
			   ".stream cube\n"
			   "movi rd=r1 imm=4\n"
			   "again: gm_to_l1 dst=0 src=0 bursts=7\n"
			   "set_flag from=MTE2 to=MTE1 id=0\n"
			   "wait_flag from=MTE2 to=MTE1 id=0\n"
			   "load2d_a dst=0 src=0 repeat=5\n"
			   "set_cross pipe=MTE1 mode=2 id=3\n"
			   "sub rd=r1 rn=r1 rm=1\n"
			   "bne rn=r1 rm=0 label=again\n"
			   "end\n"
			   ".stream vector\n"
			   "movi rd=r1 imm=4\n"
			   "add rd=r2 rn=r31 rm=3\n"
			   "again: wait_cross id=3\n"
			   "gm_to_ub dst=0 src=0 bursts=r2\n"
			   "set_flag from=MTE2 to=V id=1\n"
			   "wait_flag from=MTE2 to=V id=1\n"
			   "vabs dst=0x8000 src=0 repeat=3\n"
			   "ub_to_gm dst=0x100000 src=0x8000 bursts=2\n"
			   "sub rd=r1 rn=r1 rm=1\n"
			   "bne rn=r1 rm=0 label=again\n"
			   "end\n";

static void kernels_and_orders_of_processes_agree(void)
{
	asc_rig_setup setup = {.sets = {"cores=3", "cross.latency_cycles=20"}};
	asc_rig *r = asc_rig_run(many, &setup);
	g_autofree char *wanted = asc_rig_dump(r);

	CU_ASSERT_TRUE(asc_rig_count(r, ASC_FINDING_RACE) > 0);
	CU_ASSERT_PTR_NULL(r->deadlock);
	asc_rig_free(r);
	/* One SystemC kernel lives in a process. */
	for (uint64_t seed = 0; seed < 8; seed++) {
		g_autofree char *found = NULL;

		setup.kernel = seed == 7 ? sim_kernel_names()[0] : "ref";
		setup.shuffle = seed;
		r = asc_rig_run(many, &setup);
		found = asc_rig_dump(r);
		CU_ASSERT_STRING_EQUAL(found, wanted);
		asc_rig_free(r);
	}
}

static void shared_memory_is_asked_in_order_of_time(void)
{
	asc_rig *r = asc_rig_run(many, &(asc_rig_setup){.sets = {"cores=3", "cross.latency_cycles=20"}, .asked = true});
	int64_t last = 0;

	CU_ASSERT_TRUE(r->asked->len > 100);
	for (guint i = 0; i < r->asked->len; i++) {
		const asc_stub_question *q = &g_array_index(r->asked, asc_stub_question, i);

		CU_ASSERT_TRUE(q->start >= last);
		last = q->start;
	}
	asc_rig_free(r);
}

static void two_cores_do_not_disturb_one_another_in_local_buffers(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled\nvabs dst=0 src=0x8000 repeat=10\nend\n",
	                         &(asc_rig_setup){COUPLED});

	ASC_CLEAN(r);
	CU_ASSERT_EQUAL(r->counters->instructions, 4);
	CU_ASSERT_EQUAL(asc_chip_core_counters(r->chip, 1, 0)->instructions, 2);
	CU_ASSERT_PTR_NULL(asc_chip_core_counters(r->chip, 2, 0));
	asc_rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_push_starts_one_cycle_later", a_push_starts_one_cycle_later},
		{"the_queues_latency_moves_the_start", the_queues_latency_moves_the_start},
		{"a_full_queue_stops_the_scalar_unit", a_full_queue_stops_the_scalar_unit},
		{"a_deep_queue_does_not", a_deep_queue_does_not},
		{"a_place_is_free_when_the_unit_has_begun", a_place_is_free_when_the_unit_has_begun},
		{"a_full_queue_keeps_other_pipes_waiting", a_full_queue_keeps_other_pipes_waiting},
		{"starting_in_order_is_not_completing_in_order", starting_in_order_is_not_completing_in_order},
		{"a_barrier_waits_for_completion", a_barrier_waits_for_completion},
		{"a_barrier_waits_whatever_else_happens", a_barrier_waits_whatever_else_happens},
		{"a_barrier_holds_no_other_pipe", a_barrier_holds_no_other_pipe},
		{"a_barrier_of_all_stops_the_scalar_unit", a_barrier_of_all_stops_the_scalar_unit},
		{"independent_neighbours_share_a_cycle", independent_neighbours_share_a_cycle},
		{"a_dependent_neighbour_does_not", a_dependent_neighbour_does_not},
		{"a_push_shares_a_cycle_with_arithmetic_unless_it_needs_the_result",
	         a_push_shares_a_cycle_with_arithmetic_unless_it_needs_the_result},
		{"several_pushes_a_cycle_where_the_machine_dispatches_them",
	         several_pushes_a_cycle_where_the_machine_dispatches_them},
		{"a_taken_branch_costs_its_cycles", a_taken_branch_costs_its_cycles},
		{"arithmetic_follows_the_table", arithmetic_follows_the_table},
		{"a_scalar_load_waits_for_memory", a_scalar_load_waits_for_memory},
		{"special_registers_cost_their_cycles", special_registers_cost_their_cycles},
		{"blocks_run_on_cores_in_turn", blocks_run_on_cores_in_turn},
		{"a_stream_of_its_own_block_comes_first", a_stream_of_its_own_block_comes_first},
		{"an_illegal_value_of_a_register_is_found", an_illegal_value_of_a_register_is_found},
		{"a_quantisation_from_a_register_that_does_not_fit_the_types_is_found",
	         a_quantisation_from_a_register_that_does_not_fit_the_types_is_found},
		{"by_timestamp_a_start_is_the_predicted_one_or_when_the_pipe_is_free",
	         by_timestamp_a_start_is_the_predicted_one_or_when_the_pipe_is_free},
		{"by_timestamp_flags_cost_nothing", by_timestamp_flags_cost_nothing},
		{"by_timestamp_a_start_too_early_is_a_race", by_timestamp_a_start_too_early_is_a_race},
		{"by_timestamp_what_comes_before_its_producer_is_a_race",
	         by_timestamp_what_comes_before_its_producer_is_a_race},
		{"kernels_and_orders_of_processes_agree", kernels_and_orders_of_processes_agree},
		{"shared_memory_is_asked_in_order_of_time", shared_memory_is_asked_in_order_of_time},
		{"two_cores_do_not_disturb_one_another_in_local_buffers",
	         two_cores_do_not_disturb_one_another_in_local_buffers},
	};

	return tap_run("asc_core", cases, G_N_ELEMENTS(cases));
}
