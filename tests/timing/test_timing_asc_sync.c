/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues, flags, barriers and cross-core counters of Ascend-style cores (docs/ascend.md, "Time").
 */
#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

#include <string.h>

#define CUBE    ".stream cube block=0\n"
#define VECTOR  ".stream vector sub=0 block=0\n"
#define MACHINE "ascend-910b"

/* A program whose pipe is held by one long instruction (instruction 0) while COUNT short ones are pushed behind it. */
static asc_micro *crowd(const char *machine, const char *stream, const char *long_one, const char *short_one,
                        unsigned count)
{
	g_autoptr(GString) text = g_string_new(stream);

	g_string_append_printf(text, "%s\n", long_one);
	for (unsigned i = 0; i < count; i++)
		g_string_append_printf(text, "%s\n", short_one);
	return asc_micro_run(machine, text->str);
}

/* Depth D: instruction 0 starts at once and leaves its entry; 1..D fill the queue, one a cycle.  D + 1 is pushed no
 * earlier than 1 starts and gives its entry back, which the long one delays: the scalar unit stands until then. */
static void check_depth(const char *machine, const char *stream, const char *long_one, const char *short_one,
                        unsigned depth)
{
	g_autoptr(asc_micro) m = crowd(machine, stream, long_one, short_one, 40);
	int64_t first = asc_micro_first(m, 0, 0).queued;

	CU_ASSERT_TRUE(asc_micro_first(m, 0, 1).start > first + 64);
	CU_ASSERT_EQUAL(asc_micro_first(m, 0, 1).queued - first, 1);
	CU_ASSERT_EQUAL(asc_micro_first(m, 0, depth).queued - first, depth);
	CU_ASSERT_TRUE(asc_micro_first(m, 0, depth + 1).queued >= asc_micro_first(m, 0, 1).start);
	CU_ASSERT_TRUE(asc_micro_first(m, 0, depth + 1).queued <= asc_micro_first(m, 0, 1).start + 1);
	CU_ASSERT_TRUE(asc_micro_first(m, 0, depth + 2).queued >= asc_micro_first(m, 0, 2).start);
}

static void queue_of_mte1_holds_32(void)
{
	check_depth(MACHINE, CUBE, "load2d_a dst=0x0 src=0x0 repeat=128", "load2d_b dst=0x0 src=0x0", 32);
}

static void queue_of_cube_holds_32(void)
{
	check_depth(MACHINE, CUBE, "mmad type=fp16 c=0x0 a=0x0 b=0x0 m=128 n=256 k=64",
	            "mmad type=fp16 c=0x0 a=0x0 b=0x0", 32);
}

static void queue_depth_is_a_key(void)
{
	check_depth("ascend-910b queue.mte1_depth=8", CUBE, "load2d_a dst=0x0 src=0x0 repeat=128",
	            "load2d_b dst=0x0 src=0x0", 8);
	check_depth("ascend-910b queue.v_depth=4", VECTOR,
	            "vadd type=fp32 dst=0x20000 src0=0x0 src1=0x10100 repeat=200", "vdup type=fp32 dst=0x1000", 4);
}

/* The 34th load blocks the scalar unit, so a copy of another, idle pipe behind it is late too; behind the 33rd it is
 * not. */
static void a_full_queue_starves_other_pipes(void)
{
	for (unsigned shorts = 32; shorts <= 33; shorts++) {
		g_autoptr(GString) text =
			g_string_new(".image 0x0 4096\n" CUBE "load2d_a dst=0x0 src=0x0 repeat=128\n");
		g_autoptr(asc_micro) m = NULL;
		int64_t copied;

		for (unsigned i = 0; i < shorts; i++)
			g_string_append(text, "load2d_b dst=0x0 src=0x0\n");
		g_string_append(text, "gm_to_l1 dst=0x10000 src=0x0 burst_bytes=512\n");
		m = asc_micro_run(MACHINE, text->str);
		copied = asc_micro_first(m, 0, shorts + 1).queued;
		if (shorts == 32) {
			CU_ASSERT_EQUAL(copied, asc_micro_first(m, 0, 0).queued + 33);
			CU_ASSERT_EQUAL(m->counters.queue_full[ASC_PIPE_MTE1], 0);
		} else {
			CU_ASSERT_TRUE(copied > asc_micro_first(m, 0, 1).start);
			CU_ASSERT_TRUE(m->counters.queue_full[ASC_PIPE_MTE1] > 0);
		}
	}
}

static const char flagged[] = ".image 0x0 65536\n" VECTOR "gm_to_ub dst=0x0 src=0x0 burst_bytes=8192\n"
			      "set_flag from=MTE2 to=V id=3\nwait_flag from=MTE2 to=V id=3\n"
			      "vadds type=fp32 dst=0x8000 src=0x0 repeat=32\n";

/* The flag is up latency cycles after the copy is done; the wait takes its slot; then the vector unit starts.  One or
 * two cycles of slots; the latency itself cycle by cycle. */
static void work_behind_a_flag_starts_a_latency_after_the_work_before_it(void)
{
	g_autoptr(asc_micro) eight = asc_micro_run(MACHINE, flagged);
	g_autoptr(asc_micro) twenty = asc_micro_run("ascend-910b flag.latency_cycles=20", flagged);
	int64_t gap = asc_micro_first(eight, 0, 3).start - asc_micro_first(eight, 0, 0).done;

	CU_ASSERT_TRUE(gap >= 8 && gap <= 10);
	CU_ASSERT_EQUAL(asc_micro_first(twenty, 0, 3).start - asc_micro_first(twenty, 0, 0).done, gap + 12);
	CU_ASSERT_EQUAL(asc_micro_count(eight, ASC_FINDINGS), 0);
}

static void a_missing_wait_is_a_race_and_does_not_hold(void)
{
	g_autoptr(asc_micro) m =
		asc_micro_run(MACHINE, ".image 0x0 65536\n" VECTOR "gm_to_ub dst=0x0 src=0x0 burst_bytes=8192\n"
	                               "vadds type=fp32 dst=0x8000 src=0x0 repeat=32\n");

	CU_ASSERT_TRUE(asc_micro_first(m, 0, 1).start < asc_micro_first(m, 0, 0).done);
	CU_ASSERT_TRUE(asc_micro_count(m, ASC_FINDING_RACE) > 0);
}

/* A different pair with the same id is a different flag. */
static void flags_are_of_a_pair_and_an_id(void)
{
	g_autoptr(asc_micro) m = asc_micro_run(
		MACHINE,
		VECTOR "set_flag from=MTE2 to=V id=0\nset_flag from=MTE3 to=V id=0\nset_flag from=MTE2 to=MTE3 id=0\n"
		       "set_flag from=MTE2 to=V id=1\nwait_flag from=MTE2 to=V id=1\nwait_flag from=MTE2 to=MTE3 id=0\n"
		       "wait_flag from=MTE3 to=V id=0\nwait_flag from=MTE2 to=V id=0\n");

	CU_ASSERT_EQUAL(asc_micro_count(m, ASC_FINDINGS), 0);
	CU_ASSERT_PTR_NULL(m->diagnosis);
}

/* The second starts when the pipe is free, before the first is done; behind a barrier, not before. */
static void a_barrier_holds_a_pipe_until_all_is_done(void)
{
	g_autoptr(asc_micro) free_run =
		asc_micro_run(MACHINE, VECTOR "vdup type=fp32 dst=0x0 repeat=1\nvdup type=fp32 dst=0x1000 repeat=1\n");
	g_autoptr(asc_micro) held =
		asc_micro_run(MACHINE, VECTOR "vdup type=fp32 dst=0x0 repeat=1\npipe_barrier pipe=V\n"
	                                      "vdup type=fp32 dst=0x1000 repeat=1\n");

	CU_ASSERT_TRUE(asc_micro_first(free_run, 0, 1).start < asc_micro_first(free_run, 0, 0).done);
	CU_ASSERT_TRUE(asc_micro_first(held, 0, 2).start >= asc_micro_first(held, 0, 0).done);
	CU_ASSERT_TRUE(asc_micro_first(held, 0, 2).start <= asc_micro_first(held, 0, 0).done + 2);
}

/* A barrier of one pipe lets another go on; a barrier of all does not. */
static void barriers_are_of_their_pipe(void)
{
	static const char text[] =
		".image 0x0 4096\n" VECTOR "vadd type=fp32 dst=0x20000 src0=0x0 src1=0x10100 repeat=200\n"
		"pipe_barrier pipe=%s\ngm_to_ub dst=0x8000 src=0x0 burst_bytes=512\n";
	g_autofree char *own = g_strdup_printf(text, "V"), *all = g_strdup_printf(text, "all");
	g_autoptr(asc_micro) one = asc_micro_run(MACHINE, own), both = NULL;

	both = asc_micro_run(MACHINE, all);
	CU_ASSERT_TRUE(asc_micro_first(one, 0, 2).start < asc_micro_first(one, 0, 0).done);
	CU_ASSERT_TRUE(asc_micro_first(both, 0, 2).start >= asc_micro_first(both, 0, 0).done);
}

/* SETS sets by vector core 0 to the cube core, both vector cores in step; the cube core waits for as many. */
static asc_micro *counters(unsigned sets, unsigned waits, bool late)
{
	g_autoptr(GString) text = g_string_new("");

	for (int sub = 0; sub < 2; sub++) {
		g_string_append_printf(text, ".stream vector sub=%d block=0\n", sub);
		for (unsigned i = 0; i < sets; i++)
			g_string_append(text, "set_cross pipe=MTE3 mode=2 id=3\n");
	}
	g_string_append(text, CUBE);
	if (late) /* reads global memory in its scalar unit until all sets have arrived */
		for (unsigned i = 0; i < 20; i++)
			g_string_append(text, "ldg rd=r1 src=0x0\nadd rd=r1 rn=r1 rm=1\n");
	for (unsigned i = 0; i < waits; i++)
		g_string_append(text, "wait_cross pipe=S id=3\n");
	return asc_micro_run(MACHINE, text->str);
}

static void fifteen_sets_may_be_outstanding(void)
{
	g_autoptr(asc_micro) fifteen = counters(15, 15, true), sixteen = NULL;

	CU_ASSERT_EQUAL(asc_micro_count(fifteen, ASC_FINDINGS), 0);
	sixteen = counters(16, 16, true);
	CU_ASSERT_TRUE(asc_micro_count(sixteen, ASC_FINDING_CROSS_OVERFLOW) > 0);
}

/* Mode 2 towards the cube core needs both vector cores: by one alone it is not released. */
static void both_vector_cores_release_the_cube_core(void)
{
	g_autoptr(asc_micro) both = counters(1, 1, false);
	g_autoptr(asc_micro) one = asc_micro_run(
		MACHINE,
		VECTOR "set_cross pipe=MTE3 mode=2 id=3\n.stream vector sub=1 block=0\nvdup type=fp32 dst=0x0\n" CUBE
		       "wait_cross pipe=S id=3\n");

	CU_ASSERT_EQUAL(asc_micro_count(both, ASC_FINDINGS), 0);
	CU_ASSERT_TRUE(asc_micro_count(one, ASC_FINDING_DEADLOCK) > 0);
	CU_ASSERT_PTR_NOT_NULL(one->diagnosis);
}

/* A set by the cube core releases both vector cores; 300 ns are 555 cycles; key by key exactly. */
static void a_set_of_the_cube_core_releases_both_vector_cores(void)
{
	static const char text[] =
		CUBE "set_cross pipe=FIX mode=2 id=0\n.stream vector sub=all block=0\nwait_cross pipe=S id=0\n"
		     "vdup type=fp32 dst=0x0\n";
	g_autoptr(asc_micro) m = asc_micro_run(MACHINE, text);
	g_autoptr(asc_micro) later = asc_micro_run("ascend-910b cross.latency_cycles=655", text);
	unsigned seen = 0;

	for (unsigned i = 0; i < m->reports->len; i++) {
		const asc_report *r = &g_array_index(m->reports, asc_report, i);

		if (r->pipe == ASC_PIPE_V) {
			CU_ASSERT_TRUE(r->start >= 555 && r->start <= 565);
			seen |= 1u << r->sub;
		}
	}
	CU_ASSERT_TRUE(seen == 3 || seen == 6); /* two different sub-cores */
	CU_ASSERT_EQUAL(later->counters.cycles - m->counters.cycles, 100);
}

/* All vector cores of a kernel of two blocks wait for all of them. */
static void mode_0_waits_for_every_core_of_its_kind(void)
{
	g_autoptr(asc_micro) m = asc_micro_run(
		MACHINE, ".blocks 2\n.stream vector sub=all block=all\n"
			 "set_cross pipe=V mode=0 id=5\nwait_cross pipe=S id=5\nvdup type=fp32 dst=0x0\n");

	CU_ASSERT_EQUAL(asc_micro_count(m, ASC_FINDINGS), 0);
	CU_ASSERT_PTR_NULL(m->diagnosis);
	CU_ASSERT_TRUE(m->counters.cycles >= 555);
}

static void the_diagnosis_of_a_deadlock_names_the_flag(void)
{
	g_autoptr(asc_micro) m =
		asc_micro_run(MACHINE, VECTOR "wait_flag from=MTE2 to=V id=6\nvdup type=fp32 dst=0x0\n");

	CU_ASSERT_TRUE(asc_micro_count(m, ASC_FINDING_DEADLOCK) > 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m->diagnosis);
	CU_ASSERT_PTR_NOT_NULL(strstr(m->diagnosis, "MTE2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(m->diagnosis, "6"));
}

/* One instruction a cycle into the queues: ten empty pipes' worth of work enters in ten cycles. */
static void one_instruction_a_cycle_enters_the_queues(void)
{
	g_autoptr(asc_micro) m = crowd(MACHINE, VECTOR, "vdup type=fp32 dst=0x0", "vdup type=fp32 dst=0x1000", 10);

	CU_ASSERT_EQUAL(asc_micro_first(m, 0, 10).queued - asc_micro_first(m, 0, 0).queued, 10);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(queue_of_mte1_holds_32),
		CASE(queue_of_cube_holds_32),
		CASE(queue_depth_is_a_key),
		CASE(a_full_queue_starves_other_pipes),
		CASE(work_behind_a_flag_starts_a_latency_after_the_work_before_it),
		CASE(a_missing_wait_is_a_race_and_does_not_hold),
		CASE(flags_are_of_a_pair_and_an_id),
		CASE(a_barrier_holds_a_pipe_until_all_is_done),
		CASE(barriers_are_of_their_pipe),
		CASE(fifteen_sets_may_be_outstanding),
		CASE(both_vector_cores_release_the_cube_core),
		CASE(a_set_of_the_cube_core_releases_both_vector_cores),
		CASE(mode_0_waits_for_every_core_of_its_kind),
		CASE(the_diagnosis_of_a_deadlock_names_the_flag),
		CASE(one_instruction_a_cycle_enters_the_queues),
	};

	return tap_run("synchronisation of Ascend-style cores", cases, G_N_ELEMENTS(cases));
}
