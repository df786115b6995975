/* SPDX-License-Identifier: Apache-2.0
 *
 * Steady states of small loops on an Ascend-style core, by hand: intervals as they are predicted, and their bounds.
 */
#include "tests/sched/asc_sched.h"

enum { ITERATIONS = 16 };

typedef struct bench {
	asc_machine *machine;
	asc_program *program;
	asb *b;
	uint64_t memory; /* 64 KB of global memory */
	sched_report report;
} bench;

static bench begin(enum asc_kind kind, asb_core *core)
{
	bench t = {.machine = asc_sched_machine("ascend-910b", NULL), .program = asc_program_new()};
	sched_options options;

	sched_options_init(&options);
	t.b = asb_new(t.program, t.machine, &options);
	t.memory = asb_scratch(t.b, 65536);
	*core = kind == ASC_CUBE ? asb_cube(t.b, 0) : asb_vector(t.b, 0, 0);
	asb_node(t.b, "loop");
	asb_loop(t.b, *core, "tiles");
	return t;
}

/* Finishes; the one loop takes CYCLES for OF tiles, at least LEAST for as many, and BINDS says why. */
static void check(bench *t, int64_t cycles, int64_t of, int64_t least, const char *binds)
{
	g_autoptr(GError) error = NULL;
	const sched_interval *i;

	CU_ASSERT_TRUE_FATAL(asb_finish(t->b, &t->report, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(t->report.intervals);
	CU_ASSERT_EQUAL_FATAL(t->report.intervals->len, 1);
	i = &g_array_index(t->report.intervals, sched_interval, 0);
	CU_ASSERT_STRING_EQUAL(i->loop, "loop");
	CU_ASSERT_STRING_EQUAL(i->binds, binds);
	CU_ASSERT_EQUAL(i->cycles, cycles);
	CU_ASSERT_EQUAL(i->iterations, of);
	CU_ASSERT_EQUAL(i->bound_cycles * of, least * i->bound_iterations);
	CU_ASSERT_EQUAL(sched_interval_proved(i), cycles == least);
	asb_free(t->b);
	asc_program_free(t->program);
	sched_report_fini(&t->report);
	asc_machine_free(t->machine);
}

/* 256 bytes of global memory, always the same ones. */
static void load(const bench *t, asb_core core, int64_t ub)
{
	asc_insn i = asc_insn_make(ASC_OP_GM_TO_UB);

	i.f[0] = ub;
	i.f[1] = (int64_t)t->memory;
	i.f[3] = 256;
	asb_step(t->b, core, &i);
}

static void absolute(const bench *t, asb_core core, int64_t to, int64_t from, int64_t repeats)
{
	asc_insn i = asc_insn_make(ASC_OP_VABS);

	i.f[1] = to;
	i.f[2] = from;
	i.f[asc_field_by_name(ASC_OP_VABS, "repeat")] = repeats;
	asb_step(t->b, core, &i);
}

/* A repeat a cycle, 16 of them. */
static void independent_operations_begin_one_after_the_other(void)
{
	asb_core core;
	bench t = begin(ASC_VECTOR, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asb_iteration(t.b, core, (uint64_t)n);
		absolute(&t, core, 0x10000 + 0x1000 * n, 0x1000 * n, 16);
	}
	check(&t, 16, 1, 16, "V");
}

/* 16 repeats, 23 cycles until the last is written, one for the barrier.  No order of such operations saves any of the
 * barriers. */
static void what_is_written_again_waits_for_a_barrier(void)
{
	asb_core core;
	bench t = begin(ASC_VECTOR, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asb_iteration(t.b, core, (uint64_t)n);
		absolute(&t, core, 0x10000, 0x1000 * n, 16);
	}
	check(&t, 40, 1, 40, "V");
}

/* A load that finds its line in L2: 20 until it asks, 152 until data come, 256 / 128 over the link, 62 to the buffer;
 * vabs: one repeat, 23 until it is written; after each 8 for the flag and one for the wait.  236 + 9 + 24 + 9. */
static void one_buffer_goes_round_once_a_tile(void)
{
	asb_core core;
	bench t = begin(ASC_VECTOR, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asb_iteration(t.b, core, (uint64_t)n);
		load(&t, core, 0);
		absolute(&t, core, 0x10000 + 0x1000 * n, 0, 1);
	}
	check(&t, 278, 1, 278, "round trip V, MTE2");
}

/* The same way round, twice at once. */
static void two_buffers_go_round_once_in_two_tiles(void)
{
	asb_core core;
	bench t = begin(ASC_VECTOR, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asb_iteration(t.b, core, (uint64_t)n);
		load(&t, core, 0x1000 * (n % 2));
		absolute(&t, core, 0x10000 + 0x1000 * n, 0x1000 * (n % 2), 1);
	}
	check(&t, 139, 1, 139, "round trip V, MTE2");
}

/* Two chains of two operations on buffers of their own: each result waits 16 + 23 + 1 for the barrier, and so does the
 * next tile's first operation.  One chain after the other would take 4 barriers a tile; side by side 2 do, with 2
 * operations between: 2 (16 + 16 + 23 + 1). */
static void chains_side_by_side_share_their_barriers(void)
{
	asb_core core;
	bench t = begin(ASC_VECTOR, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asb_iteration(t.b, core, (uint64_t)n);
		for (int64_t chain = 0; chain < 2; chain++) {
			absolute(&t, core, 0x8000 * chain + 0x1000, 0x8000 * chain, 16);
			absolute(&t, core, 0x8000 * chain, 0x8000 * chain + 0x1000, 16);
		}
	}
	check(&t, 112, 1, 112, "V");
}

/* 2 x 3 blocks of 64 / 16 steps, and the gap of 2. */
static void products_follow_each_other_through_the_cube(void)
{
	asb_core core;
	bench t = begin(ASC_CUBE, &core);

	for (int64_t n = 0; n < ITERATIONS; n++) {
		asc_insn i = asc_insn_make(ASC_OP_MMAD);

		asb_iteration(t.b, core, (uint64_t)n);
		i.f[0] = ASC_F16;
		i.f[4] = 32;
		i.f[5] = 64;
		i.f[6] = 48;
		i.f[7] = n == 0;
		asb_step(t.b, core, &i);
	}
	check(&t, 26, 1, 26, "M");
}

int main(void)
{
	static const tap_case cases[] = {
		{"independent_operations_begin_one_after_the_other", independent_operations_begin_one_after_the_other},
		{"what_is_written_again_waits_for_a_barrier", what_is_written_again_waits_for_a_barrier},
		{"one_buffer_goes_round_once_a_tile", one_buffer_goes_round_once_a_tile},
		{"two_buffers_go_round_once_in_two_tiles", two_buffers_go_round_once_in_two_tiles},
		{"chains_side_by_side_share_their_barriers", chains_side_by_side_share_their_barriers},
		{"products_follow_each_other_through_the_cube", products_follow_each_other_through_the_cube},
	};

	return tap_run("intervals of Ascend-style loops", cases, G_N_ELEMENTS(cases));
}
