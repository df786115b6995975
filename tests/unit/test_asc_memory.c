/* SPDX-License-Identifier: Apache-2.0
 *
 * L2 and the memory behind it, and the calendars they keep.  ascend-910b: 512-byte lines, 16384 sets of 24 ways, hit
 * 152 cycles, miss 150 more; a line is held 8 cycles; 1.8 TB/s x 88 % / 1.85 GHz = 856.2 B a cycle from the memory.
 */
#include "tests/lib/tap.h"
#include "tests/unit/asc_rig.h"

static int64_t cycles(int64_t ticks)
{
	return asc_cycles_up(ticks);
}

/* Against one bit a tick: the same answers, whatever the order of requests. */
static void calendar_grants_every_free_tick_and_no_other(void)
{
	enum { N = 4096 };
	static bool busy[N];
	asc_calendar c;
	uint32_t seed = 1;

	asc_calendar_init(&c);
	for (unsigned i = 0; i < 300; i++) {
		int64_t at, ticks, t, left, begin, first = -1;

		seed = seed * 1664525 + 1013904223;
		at = seed >> 8 & 1023;
		ticks = 1 + (seed >> 20 & 7);
		for (t = at, left = ticks; left; t++)
			if (!busy[t]) {
				busy[t] = true;
				left--;
				if (first < 0)
					first = t;
			}
		CU_ASSERT_EQUAL(asc_calendar_peek(&c, at, ticks), t);
		CU_ASSERT_EQUAL(asc_calendar_book(&c, at, ticks, &begin), t);
		CU_ASSERT_EQUAL(begin, first);
	}
	/* Spans never touch. */
	for (guint i = 1; i < c.spans->len; i++)
		CU_ASSERT(g_array_index(c.spans, asc_span, i - 1).to < g_array_index(c.spans, asc_span, i).from);
	asc_calendar_clear(&c);
}

static void calendar_forgets_what_is_over(void)
{
	asc_calendar c;

	asc_calendar_init(&c);
	for (int64_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(asc_calendar_book(&c, 10 * i, 5, NULL), 10 * i + 5);
	asc_calendar_advance(&c, 9000);
	CU_ASSERT(c.spans->len < 1000);
	CU_ASSERT_EQUAL(asc_calendar_book(&c, 9990, 1, NULL), 9996);
	asc_calendar_clear(&c);
}

/* 4 cycles of the channel before the bytes, 179 from them on. */
static void hit_takes_152_cycles_and_a_miss_183_more(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a = asc_memory_request(r->memory, false, 0, 512, 0);

	CU_ASSERT_FALSE(a.hit);
	CU_ASSERT_EQUAL(cycles(a.at), 335);
	a = asc_memory_request(r->memory, false, 128, 128, asc_ticks(1000));
	CU_ASSERT_TRUE(a.hit);
	CU_ASSERT_EQUAL(cycles(a.at), 1152);
	rig_free(r);
}

/* The line's data come 183 cycles after the miss; who asks meanwhile gets them then. */
static void a_line_on_its_way_is_a_hit_that_waits(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a;

	asc_memory_request(r->memory, false, 0, 512, 0);
	a = asc_memory_request(r->memory, false, 0, 512, asc_ticks(100));
	CU_ASSERT_TRUE(a.hit);
	CU_ASSERT_EQUAL(cycles(a.at), 335);
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 512);
	rig_free(r);
}

/* 24 cores ask for one line in one cycle: served 8 cycles apart, the last waits 23 x 8. */
static void requests_of_one_line_are_served_one_after_another(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a = {0};

	asc_memory_request(r->memory, false, 0, 512, 0);
	for (unsigned core = 0; core < 24; core++)
		a = asc_memory_request(r->memory, false, 0, 512, asc_ticks(1000));
	CU_ASSERT_EQUAL(a.line_wait, asc_ticks(23 * 8));
	CU_ASSERT_EQUAL(cycles(a.at), 1000 + 23 * 8 + 152);
	/* Another line meanwhile: nothing to wait for. */
	asc_memory_request(r->memory, false, 512, 512, 0);
	a = asc_memory_request(r->memory, false, 512, 512, asc_ticks(1000));
	CU_ASSERT_EQUAL(a.line_wait, 0);
	rig_free(r);
}

/* Lines of one set are 16384 x 512 B = 8 MiB apart; the 25th evicts the one not used for longest, here number 1. */
static void the_line_not_used_for_longest_is_evicted(void)
{
	const uint64_t apart = 16384 * 512;
	rig *r = rig_new("ascend-910b", 1, false);
	uint64_t hits, misses;

	for (uint64_t i = 0; i < 24; i++)
		asc_memory_request(r->memory, false, i * apart, 512, asc_ticks((int64_t)i * 1000));
	CU_ASSERT_TRUE(asc_memory_request(r->memory, false, 0, 512, asc_ticks(50000)).hit);
	CU_ASSERT_FALSE(asc_memory_request(r->memory, false, 24 * apart, 512, asc_ticks(51000)).hit);
	CU_ASSERT_TRUE(asc_memory_request(r->memory, false, 0, 512, asc_ticks(52000)).hit);
	CU_ASSERT_TRUE(asc_memory_request(r->memory, false, 2 * apart, 512, asc_ticks(53000)).hit);
	CU_ASSERT_FALSE(asc_memory_request(r->memory, false, apart, 512, asc_ticks(54000)).hit);
	asc_memory_count(r->memory, &hits, &misses);
	CU_ASSERT_EQUAL(hits, 3);
	CU_ASSERT_EQUAL(misses, 26);
	rig_free(r);
}

/* Whole sectors: written to the memory when evicted, never read.  Parts of them: the line is read first. */
static void writes_stay_in_l2_until_they_are_evicted(void)
{
	const uint64_t apart = 16384 * 512;
	rig *r = rig_new("ascend-910b", 1, false);

	for (uint64_t i = 0; i < 24; i++)
		asc_memory_request(r->memory, true, i * apart, 512, asc_ticks((int64_t)i * 1000));
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 0);
	asc_memory_request(r->memory, true, 24 * apart, 512, asc_ticks(30000));
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 512);
	asc_memory_request(r->memory, true, 25 * apart, 128, asc_ticks(31000));
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 2 * 512);
	asc_memory_request(r->memory, true, 26 * apart, 96, asc_ticks(31000));
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 4 * 512);
	CU_ASSERT_TRUE(asc_memory_request(r->memory, false, 24 * apart, 512, asc_ticks(32000)).hit);
	rig_free(r);
}

/* Every request at once: 128 lines a channel, 512 B at 30.41 B a cycle and 4 cycles each: 2667.5 cycles, and 331 for
 * the last behind its 4. */
static void misses_share_the_bandwidth_of_the_memory(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	int64_t last = 0;

	for (uint64_t i = 0; i < 4096; i++) {
		asc_answer a = asc_memory_request(r->memory, false, i * 512, 512, 0);

		last = MAX(last, a.at);
	}
	/* The last of a channel begins 127 / 128 through. */
	CU_ASSERT_DOUBLE_EQUAL((double)last / ASC_TICKS, 2667.5 * 127 / 128 + 335, 2);
	rig_free(r);
}

/* Hits at once: 4096 lines at 2810 B a cycle, 746.3 cycles. */
static void hits_share_the_bandwidth_of_l2(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	int64_t last = 0;

	for (uint64_t i = 0; i < 4096; i++)
		asc_memory_request(r->memory, false, i * 512, 512, 0);
	for (uint64_t i = 0; i < 4096; i++) {
		asc_answer a = asc_memory_request(r->memory, false, i * 512, 512, asc_ticks(100000));

		last = MAX(last, a.at);
	}
	CU_ASSERT_DOUBLE_EQUAL((double)last / ASC_TICKS - 100000, 746.3 * 127 / 128 + 152, 2);
	rig_free(r);
}

/* Work that finds the calendar full later than its own time takes the free time in between. */
static void a_later_question_for_an_earlier_time_finds_it_free(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a;

	for (uint64_t i = 0; i < 64; i++)
		asc_memory_request(r->memory, false, i * 512, 512, asc_ticks(10000));
	a = asc_memory_request(r->memory, false, 4096 * 512, 512, asc_ticks(5000));
	CU_ASSERT_EQUAL(cycles(a.at), 5335);
	rig_free(r);
}

/* Writes of whole lines that evict whole dirty lines run at the memory's rate in the end: L2 is full of dirty lines
 * (24 x 16384), then 4096 more; a channel turns to writes once, 18 cycles. */
static void writes_that_evict_wait_for_the_memory(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	uint64_t lines = 24 * 16384;
	int64_t last = 0;

	for (uint64_t i = 0; i < lines; i++)
		asc_memory_request(r->memory, true, i * 512, 512, 0);
	for (uint64_t i = 0; i < 4096; i++) {
		asc_answer a = asc_memory_request(r->memory, true, (lines + i) * 512, 512, asc_ticks(100000000));

		last = MAX(last, a.at);
	}
	CU_ASSERT_DOUBLE_EQUAL((double)last / ASC_TICKS - 100000000, 2667.5 + 18, 4);
	rig_free(r);
}

/* Evicting line 0 turns its channel to writes: 18 + 4 + 16.84; then line 24 x 16384 is read from another channel: 4 +
 * 179
 * + 152. */
static void a_channel_turns_between_reads_and_writes(void)
{
	const uint64_t apart = 16384 * 512;
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a;

	for (uint64_t i = 0; i < 24; i++)
		asc_memory_request(r->memory, true, i * apart, 512, 0);
	a = asc_memory_request(r->memory, false, 24 * apart, 512, asc_ticks(1000));
	CU_ASSERT_DOUBLE_EQUAL((double)a.at / ASC_TICKS, 1000 + 38.84 + 335, 0.05);
	rig_free(r);
}

/* 300 bytes are no multiple of 128: they read the line, 512 bytes, and leave it nowhere. */
static void reads_of_uneven_ends_leave_no_line(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a = asc_memory_request(r->memory, false, 0, 300, 0);

	CU_ASSERT_EQUAL(cycles(a.at), 335);
	/* While it is on its way its other end is a hit that waits. */
	a = asc_memory_request(r->memory, false, 300, 212, asc_ticks(100));
	CU_ASSERT_TRUE(a.hit);
	CU_ASSERT_EQUAL(cycles(a.at), 335);
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 512);
	CU_ASSERT_FALSE(asc_memory_request(r->memory, false, 300, 212, asc_ticks(1000)).hit);
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 2 * 512);
	CU_ASSERT_FALSE(asc_memory_request(r->memory, false, 128, 384, asc_ticks(2000)).hit);
	CU_ASSERT_TRUE(asc_memory_request(r->memory, false, 0, 300, asc_ticks(3000)).hit);
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 3 * 512);
	rig_free(r);
}

/* Past L2: the bytes asked for, each time; a line that is there is used. */
static void reads_past_l2_leave_nothing_behind(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_answer a = asc_memory_pass(r->memory, 0, 128, 0);

	CU_ASSERT_FALSE(a.hit);
	CU_ASSERT_EQUAL(cycles(a.at), 335);
	CU_ASSERT_FALSE(asc_memory_pass(r->memory, 0, 128, asc_ticks(1000)).hit);
	CU_ASSERT_EQUAL(asc_memory_traffic(r->memory), 2 * 128);
	/* Two in one cycle: the line serves the second 8 cycles later. */
	asc_memory_pass(r->memory, 512, 128, asc_ticks(2000));
	CU_ASSERT_EQUAL(asc_memory_pass(r->memory, 640, 128, asc_ticks(2000)).line_wait, asc_ticks(8));
	asc_memory_request(r->memory, false, 0, 512, asc_ticks(3000));
	CU_ASSERT_TRUE(asc_memory_pass(r->memory, 0, 128, asc_ticks(4000)).hit);
	rig_free(r);
}

int main(void)
{
	static const tap_case cases[] = {
		{"calendar_grants_every_free_tick_and_no_other", calendar_grants_every_free_tick_and_no_other},
		{"calendar_forgets_what_is_over", calendar_forgets_what_is_over},
		{"hit_takes_152_cycles_and_a_miss_183_more", hit_takes_152_cycles_and_a_miss_183_more},
		{"a_line_on_its_way_is_a_hit_that_waits", a_line_on_its_way_is_a_hit_that_waits},
		{"requests_of_one_line_are_served_one_after_another",
	         requests_of_one_line_are_served_one_after_another},
		{"the_line_not_used_for_longest_is_evicted", the_line_not_used_for_longest_is_evicted},
		{"writes_stay_in_l2_until_they_are_evicted", writes_stay_in_l2_until_they_are_evicted},
		{"misses_share_the_bandwidth_of_the_memory", misses_share_the_bandwidth_of_the_memory},
		{"hits_share_the_bandwidth_of_l2", hits_share_the_bandwidth_of_l2},
		{"a_later_question_for_an_earlier_time_finds_it_free",
	         a_later_question_for_an_earlier_time_finds_it_free},
		{"a_channel_turns_between_reads_and_writes", a_channel_turns_between_reads_and_writes},
		{"reads_of_uneven_ends_leave_no_line", reads_of_uneven_ends_leave_no_line},
		{"reads_past_l2_leave_nothing_behind", reads_past_l2_leave_nothing_behind},
		{"writes_that_evict_wait_for_the_memory", writes_that_evict_wait_for_the_memory},
	};

	return tap_run("asc_memory", cases, G_N_ELEMENTS(cases));
}
