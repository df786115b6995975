/* SPDX-License-Identifier: Apache-2.0
 *
 * The Ascend-style builder by hand: where each flag, barrier, set and wait of small step lists stands, which id it has,
 * what errors say, when instructions are predicted to run.
 */
#include "tests/sched/asc_sched.h"

typedef struct bench {
	asc_machine *machine;
	asc_program *program;
	asb *b;
	uint64_t memory; /* 64 KB of global memory */
	sched_report report;
} bench;

static bench begin(const char *machine, const char *const *sets)
{
	bench t = {.machine = asc_sched_machine(machine, sets), .program = asc_program_new()};
	sched_options options;

	sched_options_init(&options);
	t.b = asb_new(t.program, t.machine, &options);
	t.memory = asb_scratch(t.b, 65536);
	return t;
}

static void end(bench *t)
{
	asb_free(t->b);
	asc_program_free(t->program);
	sched_report_fini(&t->report);
	asc_machine_free(t->machine);
}

static void load(const bench *t, asb_core core, int64_t ub, int64_t from)
{
	asc_insn i = asc_insn_make(ASC_OP_GM_TO_UB);

	i.f[0] = ub;
	i.f[1] = (int64_t)t->memory + from;
	i.f[3] = 256;
	asb_step(t->b, core, &i);
}

static void store(const bench *t, asb_core core, int64_t ub, int64_t bytes, int64_t to)
{
	asc_insn i = asc_insn_make(ASC_OP_UB_TO_GM);

	i.f[0] = (int64_t)t->memory + to;
	i.f[1] = ub;
	i.f[3] = bytes;
	asb_step(t->b, core, &i);
}

static void absolute(const bench *t, asb_core core, int64_t to, int64_t from)
{
	asc_insn i = asc_insn_make(ASC_OP_VABS);

	i.f[1] = to;
	i.f[2] = from;
	asb_step(t->b, core, &i);
}

/* Finishes, and compares the mnemonics of a stream, with what follows flags, with EXPECTED: a line an instruction. */
static void streams(bench *t, const char *expected)
{
	g_autoptr(GError) error = NULL;
	GString *got = g_string_new(NULL);

	CU_ASSERT_TRUE_FATAL(asb_finish(t->b, &t->report, &error));
	CU_ASSERT_TRUE(asc_check(t->program, t->machine, &error));
	for (guint s = 0; s < t->program->streams->len; s++) {
		const asc_stream *stream = g_ptr_array_index(t->program->streams, s);

		g_string_append_printf(got, "%s %d %d\n", asc_kind_name(stream->kind), stream->block, stream->sub);
		for (guint i = 0; i < stream->insns->len; i++) {
			const asc_insn *x = &g_array_index(stream->insns, asc_insn, i);

			g_string_append_printf(got, " %s", asc_op(x->op)->mnemonic);
			if (x->op == ASC_OP_SETFLAG || x->op == ASC_OP_WAITFLAG)
				g_string_append_printf(got, " %s %s %d", asc_pipe_name((enum asc_pipe)x->f[0]),
				                       asc_pipe_name((enum asc_pipe)x->f[1]), (int)x->f[2]);
			else if (x->op == ASC_OP_BARRIER)
				g_string_append_printf(got, " %s",
				                       x->f[0] == ASC_PIPE_ALL ? "all"
				                                               : asc_pipe_name((enum asc_pipe)x->f[0]));
			else if (x->op == ASC_OP_SETCROSS)
				g_string_append_printf(got, " %s %d %d", asc_pipe_name((enum asc_pipe)x->f[0]),
				                       (int)x->f[1], (int)x->f[2]);
			else if (x->op == ASC_OP_WAITCROSS)
				g_string_append_printf(got, " %d", (int)x->f[1]);
			g_string_append_c(got, '\n');
		}
	}
	if (strcmp(got->str, expected) != 0)
		tap_note("got:\n%s", got->str);
	CU_ASSERT_STRING_EQUAL(got->str, expected);
	g_string_free(got, TRUE);
}

static void clean(const bench *t, const char *what)
{
	asc_run *r = asc_sched_run(t->program, t->machine, false, false);

	asc_run_clean(r, what);
	asc_run_free(r);
}

/* Load, compute, store: one flag for each of the two dependences, none else. */
static void chain_has_a_flag_a_link(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	load(&t, v, 0, 0);
	absolute(&t, v, 1024, 0);
	store(&t, v, 1024, 256, 4096);
	streams(&t, "vector 0 0\n gm_to_ub\n set_flag MTE2 V 0\n wait_flag MTE2 V 0\n vabs\n set_flag V MTE3 0\n"
	            " wait_flag V MTE3 0\n ub_to_gm\n end\n");
	clean(&t, "chain");
	end(&t);
}

static void strangers_have_no_flag(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	load(&t, v, 0, 0);
	absolute(&t, v, 1024, 2048);
	store(&t, v, 4096, 256, 4096);
	streams(&t, "vector 0 0\n gm_to_ub\n vabs\n ub_to_gm\n end\n");
	end(&t);
}

/* The second buffer needs no wait, the first one's second use waits for its reader only. */
static void ping_and_pong_do_not_meet(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	load(&t, v, 0, 0);
	load(&t, v, 256, 256);
	absolute(&t, v, 1024, 0);
	load(&t, v, 0, 512);
	streams(&t,
	        "vector 0 0\n gm_to_ub\n set_flag MTE2 V 0\n gm_to_ub\n wait_flag MTE2 V 0\n vabs\n set_flag V MTE2 0\n"
	        " wait_flag V MTE2 0\n gm_to_ub\n end\n");
	clean(&t, "ping and pong");
	end(&t);
}

/* What the store needs of MTE2 the vector unit's flag brings along. */
static void a_flag_brings_along_what_its_setter_knew(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	load(&t, v, 0, 0);
	absolute(&t, v, 256, 0);
	store(&t, v, 0, 512, 4096);
	streams(&t, "vector 0 0\n gm_to_ub\n set_flag MTE2 V 0\n wait_flag MTE2 V 0\n vabs\n set_flag V MTE3 0\n"
	            " wait_flag V MTE3 0\n ub_to_gm\n end\n");
	end(&t);
}

/* One barrier covers two results; the third operation reads neither. */
static void barrier_only_where_a_result_is_read(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	absolute(&t, v, 1024, 0);
	absolute(&t, v, 1280, 256);
	absolute(&t, v, 2048, 1024);
	absolute(&t, v, 2304, 1280);
	streams(&t, "vector 0 0\n vabs\n vabs\n pipe_barrier V\n vabs\n vabs\n end\n");
	clean(&t, "barrier");
	end(&t);
}

/* Two ids, three loads before the first use: the third flag comes after a round trip, so that id 0 is free again. */
static void round_trip_frees_an_id(void)
{
	static const char *const two[] = {"flag.ids=2", NULL};
	bench t = begin("ascend-910b", two);
	asb_core v = asb_vector(t.b, 0, 0);

	for (int64_t i = 0; i < 3; i++)
		load(&t, v, i * 256, i * 256);
	for (int64_t i = 0; i < 3; i++)
		absolute(&t, v, 1024 + i * 256, i * 256);
	streams(&t, "vector 0 0\n gm_to_ub\n set_flag MTE2 V 0\n gm_to_ub\n set_flag MTE2 V 1\n gm_to_ub\n"
	            " wait_flag MTE2 V 0\n vabs\n wait_flag MTE2 V 1\n vabs\n set_flag V MTE2 0\n wait_flag V MTE2 0\n"
	            " set_flag MTE2 V 0\n wait_flag MTE2 V 0\n vabs\n end\n");
	clean(&t, "round trip");
	end(&t);
}

/* In a loop the way back makes ids free by itself: 20 turns through 2 ids and no round trip. */
static void ids_come_back_with_the_buffers(void)
{
	static const char *const two[] = {"flag.ids=2", NULL};
	bench t = begin("ascend-910b", two);
	asb_core v = asb_vector(t.b, 0, 0);
	unsigned sets = 0;

	for (int64_t i = 0; i < 20; i++) {
		load(&t, v, i % 2 * 256, i * 256);
		absolute(&t, v, 1024 + i % 2 * 256, i % 2 * 256);
	}
	CU_ASSERT_TRUE_FATAL(asb_finish(t.b, &t.report, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(t.report.notes->str, " 0 round trips"));
	for (guint i = 0; i < ((asc_stream *)t.program->streams->pdata[0])->insns->len; i++)
		sets += g_array_index(((asc_stream *)t.program->streams->pdata[0])->insns, asc_insn, i).op ==
		        ASC_OP_SETFLAG;
	/* 20 loads are waited for, 18 of them wait for the reader of two turns before. */
	CU_ASSERT_EQUAL(sets, 38);
	clean(&t, "ids");
	end(&t);
}

/* MTE1 and MTE3 of a cube sub-core have flags one way only; a dependence without a flag goes over a third pipe. */
static void no_flag_goes_over_a_third_pipe(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core c = asb_cube(t.b, 0);
	asc_insn out = asc_insn_make(ASC_OP_FIX_GM), in = asc_insn_make(ASC_OP_ND2NZ);

	out.f[1] = ASC_F32;
	out.f[0] = ASC_F32;
	out.f[2] = (int64_t)t.memory;
	in.f[2] = (int64_t)t.memory;
	asb_step(t.b, c, &out);
	asb_step(t.b, c, &in);
	streams(&t,
	        "cube 0 0\n fix_gm\n set_flag FIX M 0\n wait_flag FIX M 0\n set_flag M MTE2 0\n wait_flag M MTE2 0\n"
	        " nd2nz\n end\n");
	clean(&t, "over a third pipe");
	end(&t);
}

static void masks_are_written_where_they_change(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	absolute(&t, v, 1024, 0);
	asb_mask(t.b, v, 0xff, 0);
	absolute(&t, v, 2048, 256);
	absolute(&t, v, 3072, 512);
	asb_count(t.b, v, 100);
	absolute(&t, v, 4096, 768);
	streams(&t, "vector 0 0\n vabs\n set_mask\n vabs\n vabs\n set_ctrl\n set_mask\n vabs\n end\n");
	end(&t);
}

/* The cube's result goes to one vector sub-core; the other takes its set at the end. */
static void cube_tells_its_vectors(void)
{
	bench t = begin("ascend-910b", NULL);
	asc_insn out = asc_insn_make(ASC_OP_FIX_GM);

	out.f[0] = out.f[1] = ASC_F32;
	out.f[2] = (int64_t)t.memory;
	asb_step(t.b, asb_cube(t.b, 0), &out);
	load(&t, asb_vector(t.b, 0, 0), 0, 0);
	absolute(&t, asb_vector(t.b, 0, 1), 1024, 0);
	streams(&t, "cube 0 0\n fix_gm\n set_cross FIX 2 6\n end\nvector 0 0\n wait_cross 6\n gm_to_ub\n end\n"
	            "vector 0 1\n vabs\n wait_cross 6\n end\n");
	clean(&t, "cube to vectors");
	end(&t);
}

static void vectors_tell_their_cube(void)
{
	bench t = begin("ascend-910b", NULL);
	asc_insn in = asc_insn_make(ASC_OP_ND2NZ);

	store(&t, asb_vector(t.b, 0, 0), 0, 256, 0);
	store(&t, asb_vector(t.b, 0, 1), 0, 256, 256);
	in.f[2] = (int64_t)t.memory;
	asb_step(t.b, asb_cube(t.b, 0), &in);
	streams(&t, "cube 0 0\n wait_cross 5\n nd2nz\n end\nvector 0 0\n ub_to_gm\n set_cross MTE3 2 5\n end\n"
	            "vector 0 1\n ub_to_gm\n set_cross MTE3 2 5\n end\n");
	clean(&t, "vectors to cube");
	end(&t);
}

/* One round of a core's vectors needs no more than 15 sets outstanding; a hundred take their waits as they go. */
static void a_counter_never_overflows(void)
{
	bench t = begin("ascend-910b", NULL);
	asc_insn out = asc_insn_make(ASC_OP_FIX_GM);

	out.f[0] = out.f[1] = ASC_F32;
	for (int64_t i = 0; i < 40; i++) {
		out.f[2] = (int64_t)t.memory + i * 1024;
		asb_step(t.b, asb_cube(t.b, 0), &out);
		load(&t, asb_vector(t.b, 0, 0), 0, i * 1024);
		absolute(&t, asb_vector(t.b, 0, 0), 1024, 0);
	}
	CU_ASSERT_TRUE_FATAL(asb_finish(t.b, &t.report, NULL));
	clean(&t, "counter");
	end(&t);
}

static void meeting_of_all_cores(void)
{
	static const char *const two[] = {"cores=2", NULL};
	bench t = begin("ascend-910b", two);

	store(&t, asb_vector(t.b, 0, 0), 0, 256, 0);
	absolute(&t, asb_vector(t.b, 1, 0), 1024, 0);
	asb_sync(t.b);
	load(&t, asb_vector(t.b, 1, 0), 0, 0);
	/* The set waits for the copy out before it; what vabs reads the other core has nothing to do with. */
	streams(&t, "vector 0 0\n ub_to_gm\n set_cross MTE3 0 11\n wait_cross 11\n end\n"
	            "vector 1 0\n vabs\n set_flag V MTE2 0\n set_cross MTE3 0 11\n wait_cross 11\n"
	            " wait_flag V MTE2 0\n gm_to_ub\n end\n");
	clean(&t, "meeting");
	end(&t);
}

static void errors_name_space_and_bytes(void)
{
	bench t = begin("ascend-910b", NULL);
	g_autoptr(GError) error = NULL;
	uint64_t at;

	CU_ASSERT_TRUE(asb_take(t.b, asb_cube(t.b, 0), ASC_L0A, 65000, 512, &at, &error));
	CU_ASSERT_FALSE(asb_take(t.b, asb_cube(t.b, 0), ASC_L0A, 1024, 512, &at, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "l0a of a cube sub-core: 1024 bytes asked, 512 left of 65536");
	g_clear_error(&error);
	CU_ASSERT_FALSE(asb_take(t.b, asb_cube(t.b, 0), ASC_UB, 32, 32, &at, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "ub of a cube sub-core: 32 bytes asked, 0 left of 0");
	end(&t);
}

/* A load of 256 bytes that L2 does not have, by the keys of ascend-910b: start at 1 (queue.latency 1), first request at
 * 21 (mte2.start 20), its line open at 25 (hbm.access 4), here from memory at 204 (hbm.miss 179), at the core at 356
 * (l2.hit 152), over the link at 364 (mte2.packet 8), in the buffer at 426 (mte2.ub 62).  The flag takes effect at 434
 * (flag.latency 8), its wait takes a slot (flag.issue 1), so vabs starts at 435; one repeat is read, the result is
 * there at 435 + 23 + 1. */
static void times_by_hand(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);
	const asc_insn *x;
	asc_run *r;

	load(&t, v, 0, 0);
	absolute(&t, v, 1024, 0);
	CU_ASSERT_TRUE_FATAL(asb_finish(t.b, &t.report, NULL));
	x = &g_array_index(((asc_stream *)t.program->streams->pdata[0])->insns, asc_insn, 0);
	CU_ASSERT_EQUAL(x[0].start, 1);
	CU_ASSERT_EQUAL(x[0].end, 426);
	CU_ASSERT_EQUAL(x[2].start, 434);
	CU_ASSERT_EQUAL(x[3].start, 435);
	CU_ASSERT_EQUAL(x[3].end, 459);
	CU_ASSERT_EQUAL(t.program->predicted_cycles, 459);
	r = asc_sched_run(t.program, t.machine, false, false);
	CU_ASSERT_EQUAL(r->counters->cycles, 459);
	asc_run_free(r);
	end(&t);
}

/* 16 x 16 x 16: a step of the cube, 24 until the sum is there; mmads follow 2 later. */
static void products_by_hand(void)
{
	bench t = begin("ascend-910b", NULL);
	asc_insn i = asc_insn_make(ASC_OP_MMAD);
	const asc_insn *x;

	asb_step(t.b, asb_cube(t.b, 0), &i);
	i.f[1] = 1024;
	i.f[4] = 32;
	i.f[5] = 48;
	asb_step(t.b, asb_cube(t.b, 0), &i);
	CU_ASSERT_TRUE_FATAL(asb_finish(t.b, &t.report, NULL));
	x = &g_array_index(((asc_stream *)t.program->streams->pdata[0])->insns, asc_insn, 0);
	CU_ASSERT_EQUAL(x[0].start, 1);
	CU_ASSERT_EQUAL(x[0].end, 1 + 1 + 24);
	CU_ASSERT_EQUAL(x[1].start, 1 + 1 + 2);
	CU_ASSERT_EQUAL(x[1].end, 4 + 6 + 24); /* 2 x 1 blocks of 3 steps */
	end(&t);
}

/* Two chains of three, one after the other: in turn they need two barriers instead of five, each of which waits for a
 * whole operation. */
static void chains_ripen_side_by_side(void)
{
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);

	for (int64_t chain = 0; chain < 2; chain++)
		for (int64_t i = 0; i < 3; i++)
			absolute(&t, v, chain * 8192 + (i + 1) * 1024, chain * 8192 + i * 1024);
	streams(&t, "vector 0 0\n vabs\n vabs\n pipe_barrier V\n vabs\n vabs\n pipe_barrier V\n vabs\n vabs\n end\n");
	/* Start 1; two operations 3 apart (vector.gap), the second is done 24 later; its barrier takes a slot: 1 + 3 +
	 * 24 = 28, 29; so 57, and the last is done at 57 + 3 + 24. */
	CU_ASSERT_EQUAL(t.program->predicted_cycles, 84);
	clean(&t, "side by side");
	end(&t);
}

/* Starts of 910B's measured rows: sources half the groups apart; the result meets none of them.  Packed one after the
 * other the sources' eight blocks share groups, two cycles a repeat; a repeat of 40 in all. */
static void operands_meet_in_no_bank(void)
{
	static const uint64_t bytes[] = {10240, 10240, 10240};
	bench t = begin("ascend-910b", NULL);
	asb_core v = asb_vector(t.b, 0, 0);
	asc_insn i = asc_insn_make(ASC_OP_VADD);
	uint64_t at[3];
	asc_run *r;

	CU_ASSERT_TRUE_FATAL(asb_take_operands(t.b, v, 3, bytes, at, NULL));
	CU_ASSERT_EQUAL(at[0], 0);
	CU_ASSERT_EQUAL(at[1], 10240 + 256);
	CU_ASSERT_EQUAL(at[2], 65536);
	i.f[1] = (int64_t)at[2];
	i.f[2] = (int64_t)at[0];
	i.f[3] = (int64_t)at[1];
	i.f[4] = 40;
	asb_step(t.b, v, &i);
	CU_ASSERT_TRUE_FATAL(asb_finish(t.b, &t.report, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(t.report.notes->str, "save 40 cycles"));
	r = asc_sched_run(t.program, t.machine, false, false);
	CU_ASSERT_EQUAL(r->counters->cycles, 1 + 24 + 40);
	asc_run_free(r);
	end(&t);
}

int main(void)
{
	static const tap_case cases[] = {
		{"chain_has_a_flag_a_link", chain_has_a_flag_a_link},
		{"strangers_have_no_flag", strangers_have_no_flag},
		{"ping_and_pong_do_not_meet", ping_and_pong_do_not_meet},
		{"a_flag_brings_along_what_its_setter_knew", a_flag_brings_along_what_its_setter_knew},
		{"barrier_only_where_a_result_is_read", barrier_only_where_a_result_is_read},
		{"round_trip_frees_an_id", round_trip_frees_an_id},
		{"ids_come_back_with_the_buffers", ids_come_back_with_the_buffers},
		{"no_flag_goes_over_a_third_pipe", no_flag_goes_over_a_third_pipe},
		{"masks_are_written_where_they_change", masks_are_written_where_they_change},
		{"cube_tells_its_vectors", cube_tells_its_vectors},
		{"vectors_tell_their_cube", vectors_tell_their_cube},
		{"a_counter_never_overflows", a_counter_never_overflows},
		{"meeting_of_all_cores", meeting_of_all_cores},
		{"errors_name_space_and_bytes", errors_name_space_and_bytes},
		{"times_by_hand", times_by_hand},
		{"products_by_hand", products_by_hand},
		{"chains_ripen_side_by_side", chains_ripen_side_by_side},
		{"operands_meet_in_no_bank", operands_meet_in_no_bank},
	};

	return tap_run("ascend builder", cases, G_N_ELEMENTS(cases));
}
