/* SPDX-License-Identifier: Apache-2.0
 *
 * What the race detector knows of gathers, of load3d and of the vector pipe; and that neither kernel nor the order in
 * which processes run decides anything where cores contend.
 */
#include <string.h>

#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

/* Races of instruction LATER of the stream with EARLIER. */
static unsigned races(const asc_micro *m, uint32_t earlier, uint32_t later)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->violations->len; i++) {
		const asc_violation *v = &g_array_index(m->violations, asc_violation, i);

		n += v->kind == ASC_FINDING_RACE && v->insn == later && v->other_insn == earlier;
	}
	return n;
}

/* Offsets 0 for all 64 lanes: of the data, bytes 0x1000 to 0x1003 are read, and by nobody waited for. */
static void a_gather_races_with_a_copy_into_what_it_picks(void)
{
	static const char text[] = ".stream vector sub=0\n"
				   "vdup type=int32 dst=0x2000 scalar=0\n"
				   "pipe_barrier pipe=V\n"
				   "gm_to_ub dst=%u burst_bytes=256\n"
				   "vgather type=fp32 dst=0x3000 offsets=0x2000 base=0x1000\n";
	g_autofree char *under = g_strdup_printf(text, 0x1000), *beside = g_strdup_printf(text, 0x1100);
	g_autoptr(asc_micro) a = asc_micro_run("ascend-910b functional", under);
	g_autoptr(asc_micro) b = asc_micro_run("ascend-910b functional", beside);
	const asc_violation *v = NULL;

	CU_ASSERT_TRUE(races(a, 2, 3) + races(a, 3, 2) > 0);
	CU_ASSERT_EQUAL(asc_micro_count(b, ASC_FINDING_RACE), 0);
	for (unsigned i = 0; !v && i < a->violations->len; i++)
		if (g_array_index(a->violations, asc_violation, i).kind == ASC_FINDING_RACE)
			v = &g_array_index(a->violations, asc_violation, i);
	CU_ASSERT_PTR_NOT_NULL_FATAL(v);
	CU_ASSERT_EQUAL(v->address, 0x1000);
	CU_ASSERT_EQUAL(v->bytes, 4);
}

/* The first eight lanes pick 0x1000, the next eight what lies AHEAD of it, the others nothing; of what lies between
 * 0x1060 and 0x107f is written, too. */
static asc_micro *gather(unsigned ahead)
{
	g_autofree char *text = g_strdup_printf(".image 0 64\n.stream vector sub=0\n"
	                                        "gm_to_ub dst=0x1000 src=0\n"
	                                        "gm_to_ub dst=0x1060 src=0\n"
	                                        "vdup type=int32 dst=0x2000 scalar=0\n"
	                                        "pipe_barrier pipe=V\n"
	                                        "set_mask lo=0xff00 hi=0\n"
	                                        "vdup type=int32 dst=0x2000 scalar=%u\n"
	                                        "pipe_barrier pipe=all\n"
	                                        "set_mask lo=0xffff hi=0\n"
	                                        "vgather type=fp32 dst=0x3000 offsets=0x2000 base=0x1000\n",
	                                        ahead);

	return asc_micro_run("ascend-910b functional", text);
}

static void a_gather_need_not_know_what_lies_between_its_elements(void)
{
	g_autoptr(asc_micro) written = gather(0x60);
	g_autoptr(asc_micro) odd = gather(0x40);

	CU_ASSERT_EQUAL(written->violations->len, 0);
	CU_ASSERT_EQUAL_FATAL(odd->violations->len, 1);
	CU_ASSERT_EQUAL(g_array_index(odd->violations, asc_violation, 0).kind, ASC_FINDING_UNINITIALISED);
	CU_ASSERT_EQUAL(g_array_index(odd->violations, asc_violation, 0).insn, 8);
	CU_ASSERT_EQUAL(g_array_index(odd->violations, asc_violation, 0).address, 0x1040);
}

/* A copy that nobody waits for into 0x1020 to 0x103f, between the elements at 0x1000 and 0x1060; then into 0x1060. */
static void a_gather_does_not_race_between_its_elements(void)
{
	static const char text[] = ".stream vector sub=0\n"
				   "vdup type=int32 dst=0x2000 scalar=0\n"
				   "pipe_barrier pipe=V\n"
				   "set_mask lo=0xff00 hi=0\n"
				   "vdup type=int32 dst=0x2000 scalar=0x60\n"
				   "set_mask lo=0xffff hi=0\n"
				   "pipe_barrier pipe=all\n"
				   "gm_to_ub dst=%u burst_bytes=32\n"
				   "vgather type=fp32 dst=0x3000 offsets=0x2000 base=0x1000\n";
	g_autofree char *between = g_strdup_printf(text, 0x1020), *under = g_strdup_printf(text, 0x1060);
	g_autoptr(asc_micro) a = asc_micro_run("ascend-910b functional", between);
	g_autoptr(asc_micro) b = asc_micro_run("ascend-910b functional", under);

	CU_ASSERT_EQUAL(asc_micro_count(a, ASC_FINDING_RACE), 0);
	CU_ASSERT_EQUAL(races(b, 6, 7), 1);
	CU_ASSERT_EQUAL(b->counters.gathers_unseen, 0);
}

static void in_timing_mode_a_gather_goes_unseen_and_is_counted(void)
{
	g_autoptr(asc_micro) m =
		asc_micro_run("ascend-910b", ".stream vector sub=0\n"
	                                     "gm_to_ub dst=0x1000 burst_bytes=256\n"
	                                     "vgather type=fp32 dst=0x3000 offsets=0x2000 base=0x1000\n"
	                                     "vgatherb type=fp32 dst=0x4000 offsets=0x2000 base=0x1000\n");

	CU_ASSERT_EQUAL(asc_micro_count(m, ASC_FINDING_RACE), 0);
	CU_ASSERT_EQUAL(m->counters.gathers_unseen, 2);
}

/* 1 MB ahead of 0x1000 there is no buffer. */
static void a_gather_beyond_the_buffer_is_not_executed(void)
{
	g_autoptr(asc_micro) m = gather(0x100000);
	const asc_violation *v;
	asc_report r = asc_micro_first(m, 0, 8);

	CU_ASSERT_EQUAL_FATAL(m->violations->len, 1);
	v = &g_array_index(m->violations, asc_violation, 0);
	CU_ASSERT_EQUAL(v->kind, ASC_FINDING_ADDRESS_RANGE);
	CU_ASSERT_EQUAL(v->insn, 8);
	CU_ASSERT_EQUAL(v->address, 0x101000);
	CU_ASSERT_EQUAL(v->bytes, 4);
	CU_ASSERT_EQUAL(r.done, r.start);
}

/* 64 positions of a map 16 wide are its rows 0 to 3, 512 bytes each: a copy into row 4 is none of its business. */
static void load3d_races_with_copies_into_the_rows_it_touches(void)
{
	static const char text[] = ".stream cube\n"
				   "gm_to_l1 dst=%u burst_bytes=512\n"
				   "load3d_a type=fp16 h=16 w=16 c=16 m_extent=64\n";
	g_autofree char *under = g_strdup_printf(text, 3 * 512), *below = g_strdup_printf(text, 4 * 512);
	g_autoptr(asc_micro) a = asc_micro_run("ascend-910b", under);
	g_autoptr(asc_micro) b = asc_micro_run("ascend-910b", below);

	CU_ASSERT_TRUE(races(a, 0, 1) > 0);
	CU_ASSERT_EQUAL(asc_micro_count(b, ASC_FINDING_RACE), 0);
}

/* The measured part waits for the result (24 + 4 cycles of vadd, then vabs starts), the documentation demands a
 * barrier: without one it is a race that did not meet. */
static void a_vector_instruction_that_depends_on_another_needs_a_barrier_and_waits_anyway(void)
{
#define FIRST  ".stream vector sub=0\nvadd type=fp32 src0=0x0 src1=0x10100 dst=0x20000 repeat=4\n"
#define SECOND "vabs type=fp32 src=0x20000 dst=0x21000 repeat=4\n"
	g_autoptr(asc_micro) without = asc_micro_run("ascend-910b", FIRST SECOND);
	g_autoptr(asc_micro) with = asc_micro_run("ascend-910b", FIRST "pipe_barrier pipe=V\n" SECOND);
	asc_report first = asc_micro_first(without, 0, 0), second = asc_micro_first(without, 0, 1);

	CU_ASSERT_EQUAL(first.done - first.start, 24 + 4);
	CU_ASSERT_EQUAL(second.start, first.done);
	CU_ASSERT_EQUAL(races(without, 0, 1), 1);
	CU_ASSERT_EQUAL(without->counters.races_met, 0);
	/* The barrier takes a slot of one cycle when all is done. */
	CU_ASSERT_EQUAL(asc_micro_first(with, 0, 2).start, second.start + 1);
	CU_ASSERT_EQUAL(asc_micro_count(with, ASC_FINDINGS), 0);
}

#define NEAR "hbm.miss_cycles=0 hbm.access_cycles=0" /* memory adds nothing */

/* Two cores copy 16 KB each, L2 hands out 64 B a cycle: requests in turn would end both copies after 32 KB / 64 B = 512
 * cycles of service.  Whole copies are served in turn: the second ends when it would, the first half of that earlier.
 */
static void of_copies_that_share_l2_the_last_ends_in_time_and_the_first_early(void)
{
	g_autoptr(asc_micro) alone = asc_micro_run("ascend-910b l2.slices=1 l2.read_bytes_per_cycle=64 " NEAR,
	                                           ".blocks 1\n.stream cube\ngm_to_l1 burst_bytes=16384\n");
	g_autoptr(asc_micro) both = asc_micro_run(
		"ascend-910b l2.slices=1 l2.read_bytes_per_cycle=64 " NEAR,
		".blocks 2\n.stream cube\nmul rd=r1 rn=r31 rm=16384\ngm_to_l1 src=r1 burst_bytes=16384\n");
	int64_t done[2] = {0, 0};

	for (unsigned i = 0; i < both->reports->len; i++) {
		const asc_report *r = &g_array_index(both->reports, asc_report, i);

		if (r->insn == 1)
			done[r->core] = r->done - r->start;
	}
	/* 32 requests of 512 B, 8 cycles of the slice each. */
	CU_ASSERT_EQUAL(done[0], asc_micro_time(alone, 0));
	CU_ASSERT_EQUAL(done[1] - done[0], 32 * 8);
}

#define CONTENTION                                                                                                     \
	".blocks 8\n.stream cube\n"                                                                                    \
	"movi rd=r1 imm=0\n"                                                                                           \
	"more: gm_to_l1 bursts=8 burst_bytes=64 src_gap=64\n"                                                          \
	"gm_to_l1 dst=0x1000 src=0x800 burst_bytes=8192\n"                                                             \
	"set_flag from=MTE2 to=MTE1 id=0\n"                                                                            \
	"wait_flag from=MTE2 to=MTE1 id=0\n"                                                                           \
	"load2d_a repeat=4\n"                                                                                          \
	"set_flag from=MTE1 to=MTE2 id=0\n"                                                                            \
	"wait_flag from=MTE1 to=MTE2 id=0\n"                                                                           \
	"set_cross pipe=MTE2 mode=2 id=1\n"                                                                            \
	"wait_cross pipe=S id=2\n"                                                                                     \
	"pipe_barrier pipe=MTE1\n"                                                                                     \
	"add rd=r1 rn=r1 rm=1\n"                                                                                       \
	"blt rn=r1 rm=6 label=more\n"                                                                                  \
	".stream vector\n"                                                                                             \
	"movi rd=r1 imm=0\n"                                                                                           \
	"more: wait_cross pipe=S id=1\n"                                                                               \
	"vadd type=fp32 src0=0x0 src1=0x10000 dst=0x20000 repeat=16\n"                                                 \
	"gm_to_ub dst=0x8000 src=0x400 burst_bytes=4096\n"                                                             \
	"pipe_barrier pipe=all\n"                                                                                      \
	"set_cross pipe=V mode=0 id=3\n"                                                                               \
	"wait_cross pipe=S id=3\n"                                                                                     \
	"set_cross pipe=V mode=2 id=2\n"                                                                               \
	"add rd=r1 rn=r1 rm=1\n"                                                                                       \
	"blt rn=r1 rm=6 label=more\n"

static void keep(void *state, const asc_report *r)
{
	g_string_append_printf(state,
	                       "%u.%u.%u %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
	                       " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
	                       r->core, r->sub, r->insn, r->execution, r->queued, r->start, r->free, r->done);
}

static void keep_finding(void *state, const asc_violation *v)
{
	g_string_append_printf(state, "finding %d %" G_GINT64_FORMAT " %u.%u.%u\n", v->kind, v->cycle, v->core, v->sub,
	                       v->insn);
}

/* Everything that is said under SEED. */
static char *told(uint64_t seed)
{
	GString *all = g_string_new(NULL);
	asc_listener listener = {.state = all, .report = keep, .violation = keep_finding};
	sim_kernel_options options = {.shuffle_seed = seed};
	asc_micro *m = asc_micro_try("ascend-910b", CONTENTION);
	sim_kernel *kernel = sim_kernel_new("ref", &options, NULL);
	asc_chip *chip = m->refused ? NULL : asc_chip_new(m->machine, m->program, kernel, &listener, NULL, NULL);

	CU_ASSERT_TRUE(chip && sim_kernel_run(kernel, SIM_NEVER - 1, NULL));
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	asc_micro_free(m);
	return g_string_free(all, FALSE);
}

static void contention_ends_the_same_under_every_kernel_and_shuffle(void)
{
	g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", CONTENTION); /* compares the kernels */
	g_autofree char *plain = told(0);

	/* 8 cube cores: 12 instructions a round, one beside; 16 vector cores: 9, one beside. */
	CU_ASSERT_EQUAL(m->reports->len, 8 * (1 + 6 * 12) + 16 * (1 + 6 * 9));
	CU_ASSERT_PTR_NULL(m->diagnosis);
	CU_ASSERT_TRUE(strlen(plain) > 1000);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		g_autofree char *shuffled = told(seed * 0x9e3779b97f4a7c15u);

		CU_ASSERT_STRING_EQUAL(plain, shuffled);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_gather_races_with_a_copy_into_what_it_picks", a_gather_races_with_a_copy_into_what_it_picks},
		{"a_gather_need_not_know_what_lies_between_its_elements",
	         a_gather_need_not_know_what_lies_between_its_elements},
		{"a_gather_does_not_race_between_its_elements", a_gather_does_not_race_between_its_elements},
		{"in_timing_mode_a_gather_goes_unseen_and_is_counted",
	         in_timing_mode_a_gather_goes_unseen_and_is_counted},
		{"a_gather_beyond_the_buffer_is_not_executed", a_gather_beyond_the_buffer_is_not_executed},
		{"load3d_races_with_copies_into_the_rows_it_touches",
	         load3d_races_with_copies_into_the_rows_it_touches},
		{"a_vector_instruction_that_depends_on_another_needs_a_barrier_and_waits_anyway",
	         a_vector_instruction_that_depends_on_another_needs_a_barrier_and_waits_anyway},
		{"of_copies_that_share_l2_the_last_ends_in_time_and_the_first_early",
	         of_copies_that_share_l2_the_last_ends_in_time_and_the_first_early},
		{"contention_ends_the_same_under_every_kernel_and_shuffle",
	         contention_ends_the_same_under_every_kernel_and_shuffle},
	};

	return tap_run("timing_asc_accesses", cases, G_N_ELEMENTS(cases));
}
