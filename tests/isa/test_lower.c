/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering: exact word sequences derived by hand, refusals, and a replay of random programs by a second, simple reading
 * of the queue rules in docs/design.md.
 */
#include "tests/isa/support.h"

/* The words of a queue as text: "nop 5; send; repeat 3 every 2 step 16". */
static char *words_text(const isa_program *p, unsigned q)
{
	GString *text = g_string_new(NULL);
	const GArray *words = g_ptr_array_index(p->queues, q);

	for (guint i = 0; i < words->len; i++) {
		isa_insn insn = isa_insn_make(ISA_OP_SYNC, q, 0);

		CU_ASSERT_TRUE_FATAL(isa_decode(g_array_index(words, isa_word, i), &insn));
		g_string_append_printf(text, "%s%s", i ? "; " : "", isa_ops[insn.op].mnemonic);
		if (insn.op == ISA_OP_NOP)
			g_string_append_printf(text, " %u", insn.count);
		if (insn.op == ISA_OP_REPEAT)
			g_string_append_printf(text, " %u every %u step %d", insn.loop[0].count - 1,
			                       insn.loop[0].interval, insn.loop[0].step);
	}
	return g_string_free(text, FALSE);
}

static void expect_words(const isa_program *p, unsigned q, const char *expected)
{
	g_autofree char *text = words_text(p, q);

	if (strcmp(text, expected) != 0)
		tap_note("got:      %s\nexpected: %s", text, expected);
	CU_ASSERT_STRING_EQUAL(text, expected);
}

static isa_insn send_at(const isa_machine *m, unsigned q, int64_t cycle)
{
	isa_insn insn = isa_insn_make(ISA_OP_SEND, q, cycle);

	insn.src0 = (uint16_t)(m->streams ? ISA_PLACE_STREAM(0, 3) : ISA_PLACE_VREG(3));
	return insn;
}

static uint32_t add_send(isa_program *p, const isa_machine *m, unsigned q, int64_t cycle)
{
	isa_insn insn = send_at(m, q, cycle);

	return isa_program_add(p, &insn, 0);
}

/* Lowers sends at CYCLES (ended by -1) on the first link queue of machine M; the words, or the error in *ERROR. */
static isa_program *lower_sends(const isa_machine *m, unsigned q, const int64_t *cycles, GError **error)
{
	isa_program *p = isa_program_new(m);

	for (; *cycles >= 0; cycles++)
		add_send(p, m, q, *cycles);
	isa_lower(p, m, error);
	return p;
}

static void check_sends(const isa_machine *m, const int64_t *cycles, const char *expected)
{
	unsigned q = queue(m, m->streams ? "c2c.w0" : "c2c.0");
	GError *error = NULL;
	isa_program *p = lower_sends(m, q, cycles, &error);

	if (error)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	expect_words(p, q, expected);
	isa_program_free(p);
}

static void nops_fill_exactly_the_free_cycles(void)
{
	isa_machine *m = machine("tsp");

	/* 0..4 free, 5 and 6 issue back to back, 7..9 free, 10 issues */
	check_sends(m, (const int64_t[]){5, 6, 10, -1}, "nop 5; send; send; nop 3; send");
	check_sends(m, (const int64_t[]){0, -1}, "send");
	isa_machine_free(m);
}

/* Cycle 2^24 + 5 needs as many idle cycles before it; one NOP holds 2^24 - 1, 6 remain. */
static void long_gaps_take_several_nops(void)
{
	isa_machine *m = machine("tsp");

	check_sends(m, (const int64_t[]){(1 << 24) + 5, -1}, "nop 16777215; nop 6; send");
	check_sends(m, (const int64_t[]){(1 << 24) - 1, -1}, "nop 16777215; send");
	isa_machine_free(m);
}

static void instructions_are_sorted_by_cycle(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = isa_program_new(m);
	unsigned q = queue(m, "c2c.0");
	GArray *ids;

	add_send(p, m, q, 8);
	add_send(p, m, q, 2);
	add_send(p, m, q, 4);
	CU_ASSERT_TRUE_FATAL(isa_lower(p, m, NULL));
	expect_words(p, q, "nop 2; send; nop 1; send; nop 3; send");
	ids = g_ptr_array_index(p->queue_insns, q);
	CU_ASSERT_EQUAL_FATAL(ids->len, 3);
	CU_ASSERT_EQUAL(g_array_index(ids, uint32_t, 0), 1);
	CU_ASSERT_EQUAL(g_array_index(ids, uint32_t, 1), 2);
	CU_ASSERT_EQUAL(g_array_index(ids, uint32_t, 2), 0);
	CU_ASSERT_EQUAL(p->queues->len, isa_machine_queue_count(m));
	isa_program_free(p);
	isa_machine_free(m);
}

static isa_insn loop_load(unsigned q, int64_t cycle, isa_loop inner, isa_loop outer)
{
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, q, cycle);

	insn.dst = 1;
	insn.len = 16;
	insn.loop[0] = inner;
	insn.loop[1] = outer;
	return insn;
}

static void loops_become_repeat_words(void)
{
	static const struct {
		isa_loop inner, outer;
		int64_t next; /* cycle of the instruction behind */
		const char *words;
	} cases[] = {
		/* issues at 10, 12, 14, 16; the queue goes on at 17 */
		{{4, 2, 16}, {1, 0, 0}, 17, "nop 10; load; repeat 3 every 2 step 16; load"},
		{{4, 2, 16}, {1, 0, 0}, 19, "nop 10; load; repeat 3 every 2 step 16; nop 2; load"},
		/* outer runs begin at 10, 30, 50; the last issue is 56 */
		{{4, 2, 16},
	         {3, 20, 640},
	         57,
	         "nop 10; load; repeat 3 every 2 step 16; repeat 2 every 20 step 640; load"},
		/* an outer loop alone keeps its level behind an empty inner one; issues at 10, 15, 20 */
		{{1, 0, 0},
	         {3, 5, -16},
	         22,
	         "nop 10; load; repeat 0 every 0 step 0; repeat 2 every 5 step -16; nop 1; load"},
		{{1, 0, 0}, {1, 0, 0}, 11, "nop 10; load; load"},
		/* the greatest loop: issues at 10..65545 */
		{{65536, 1, 1}, {1, 0, 0}, 65546, "nop 10; load; repeat 65535 every 1 step 1; load"},
	};
	isa_machine *m = machine("tsp");
	unsigned q = queue(m, "mem0");

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		isa_program *p = isa_program_new(m);
		isa_insn insn = loop_load(q, 10, cases[i].inner, cases[i].outer);

		isa_program_add(p, &insn, 0);
		insn = loop_load(q, cases[i].next, (isa_loop){1, 0, 0}, (isa_loop){1, 0, 0});
		isa_program_add(p, &insn, 0);
		CU_ASSERT_TRUE_FATAL(isa_lower(p, m, NULL));
		expect_words(p, q, cases[i].words);
		isa_program_free(p);
	}
	isa_machine_free(m);
}

static void expect_refusal(const isa_machine *m, const isa_insn *insns, size_t count, const char *reason)
{
	isa_program *p = isa_program_new(m);
	uint32_t node = isa_program_add_node(p, "layer1", 0);
	GError *error = NULL;

	for (size_t i = 0; i < count; i++)
		isa_program_add(p, &insns[i], node);
	CU_ASSERT_FALSE(isa_lower(p, m, &error));
	expect_error(&error, reason);
	CU_ASSERT_EQUAL(p->queues->len, 0);
	isa_program_free(p);
}

static void what_cannot_be_a_queue_is_refused(void)
{
	isa_machine *m = machine("tsp");
	unsigned mem = queue(m, "mem1"), link = queue(m, "c2c.2");
	isa_loop none = {1, 0, 0};
	isa_insn two[2];
	isa_insn one;

	two[0] = two[1] = loop_load(mem, 4, none, none);
	expect_refusal(m, two, 2,
	               "@4 mem1: load (layer1) occupies the queue to cycle 4, @4 mem1: load (layer1) needs it too");
	/* issues at 0, 10: cycle 5 is free in the unit, but the queue is inside a loop */
	two[0] = loop_load(mem, 0, (isa_loop){2, 10, 0}, none);
	two[1] = loop_load(mem, 5, none, none);
	expect_refusal(m, two, 2, "occupies the queue to cycle 10, @5 mem1: load (layer1) needs it too");
	one = loop_load(mem, 0, (isa_loop){2, 0, 0}, none);
	expect_refusal(m, &one, 1, "@0 mem1: load (layer1): two issues in one cycle");
	/* the inner loop lasts from 0 to 6 */
	one = loop_load(mem, 0, (isa_loop){4, 2, 0}, (isa_loop){2, 6, 0});
	expect_refusal(m, &one, 1, "the outer loop begins again before the inner one has ended");
	one = loop_load(mem, 0, (isa_loop){65537, 1, 0}, none);
	expect_refusal(m, &one, 1, "@0 mem1: load: repeat: count = 65536 does not fit its 16 bits");
	one = loop_load(mem, 0, (isa_loop){0, 1, 0}, none);
	expect_refusal(m, &one, 1, "a loop of 0 issues");
	one = loop_load(mem, -1, none, none);
	expect_refusal(m, &one, 1, "issues before cycle 0");
	one = loop_load(mem, INT64_C(1) << 40, none, none);
	expect_refusal(m, &one, 1, "issues later than a container can say");
	one = send_at(m, mem, 0);
	expect_refusal(m, &one, 1, "@0 mem1: send (layer1): this queue belongs to another unit");
	one = loop_load(link, 0, none, none);
	expect_refusal(m, &one, 1, "this queue belongs to another unit");
	one = isa_insn_make(ISA_OP_READ, mem, 0);
	expect_refusal(m, &one, 1, "needs MEM slices, this machine has a flat hashed SRAM");
	one = isa_insn_make(ISA_OP_SYNC, mem, 0);
	expect_refusal(m, &one, 1, "this machine has no barrier");
	one = isa_insn_make(ISA_OP_IFETCH, mem, 0);
	expect_refusal(m, &one, 1, "this machine's fetch is ideal");
	one = isa_insn_make(ISA_OP_NOP, mem, 0);
	expect_refusal(m, &one, 1, "nop and repeat do not stand in a container");
	one = loop_load(mem, 0, none, none);
	one.queue = 42;
	expect_refusal(m, &one, 1, "instruction 0: queue 42 does not exist on machine tsp");
	one = loop_load(mem, 0, none, none);
	one.len = 5000;
	expect_refusal(m, &one, 1, "@0 mem1: load: len = 5000 does not fit its 12 bits");
	isa_machine_free(m);
}

static isa_machine *small_queues(const char *words, const char *fetch_words, const char *fetch_cycles)
{
	const char *sets[] = {"icu.queue_words",
	                      words,
	                      "icu.ifetch_words",
	                      fetch_words,
	                      "icu.ifetch_cycles",
	                      fetch_cycles,
	                      "icu.barrier_cycles",
	                      "0",
	                      NULL};

	return machine_with("tsp-isca20", sets);
}

/* With the barrier at 35 the release is cycle 35; ideal fetch. */
static void barrier_machines_begin_with_notify_and_syncs(void)
{
	const char *sets[] = {"icu.queue_words", "0", NULL};
	isa_machine *m = machine_with("tsp-isca20", sets);
	isa_program *p = isa_program_new(m);
	unsigned west = queue(m, "c2c.w0"), east = queue(m, "c2c.e2");
	isa_prediction prediction = {{0, 0, 0}, 5, 1};
	uint32_t first, node;

	first = add_send(p, m, east, 35);
	add_send(p, m, west, 40);
	isa_program_set_prediction(p, first, &prediction);
	CU_ASSERT_TRUE_FATAL(isa_lower(p, m, NULL));
	expect_words(p, west, "notify; nop 5; send");
	expect_words(p, east, "sync; send");
	/* both joined the container, behind what was there, under a node "icu", without results */
	CU_ASSERT_EQUAL_FATAL(p->insns->len, 4);
	CU_ASSERT_EQUAL(isa_program_insn(p, 2)->op, ISA_OP_NOTIFY);
	CU_ASSERT_EQUAL(isa_program_insn(p, 3)->op, ISA_OP_SYNC);
	CU_ASSERT_EQUAL(isa_program_instance(p, 3), 4);
	node = g_array_index(p->node_of, uint32_t, 3);
	CU_ASSERT_STRING_EQUAL(g_array_index(p->nodes, isa_node, node).name, "icu");
	CU_ASSERT_EQUAL_FATAL(p->predictions->len, 4);
	CU_ASSERT_EQUAL(g_array_index(p->predictions, isa_prediction, 3).result, ISA_NO_TIME);
	CU_ASSERT_EQUAL(g_array_index(p->predictions, isa_prediction, 0).result, 5);
	/* again: nothing to add */
	CU_ASSERT_TRUE_FATAL(isa_lower(p, m, NULL));
	CU_ASSERT_EQUAL(p->insns->len, 4);
	expect_words(p, west, "notify; nop 5; send");
	isa_program_free(p);
	isa_machine_free(m);
}

static void barrier_refuses_what_issues_before_the_release(void)
{
	isa_machine *m = machine("tsp-isca20");
	isa_insn insn = send_at(m, queue(m, "c2c.w0"), 34);

	expect_refusal(m, &insn, 1, "issues before cycle 35, the first after the barrier");
	insn = isa_insn_make(ISA_OP_SYNC, queue(m, "c2c.w0"), 3);
	expect_refusal(m, &insn, 1, "sync and notify stand at cycle 0, once");
	insn = isa_insn_make(ISA_OP_LOAD, queue(m, "mem.w0"), 50);
	expect_refusal(m, &insn, 1, "needs a flat hashed SRAM, this machine has MEM slices");
	isa_machine_free(m);
}

/* Capacity 6, fetches of 2 words that arrive 2 cycles later.  Sends at 0, 2 .. 10 make 11 words s n s n s n s n s n s.
 * At 1 the queue holds words 2..5: 4 + 2 fit, so the NOP becomes a fetch (words 6, 7); the same at 3 (8, 9) and 5 (10,
 * 11); at 7 all 11 words are fetched. */
static void fetches_take_the_place_of_single_nops(void)
{
	isa_machine *m = small_queues("6", "2", "2");

	check_sends(m, (const int64_t[]){0, 2, 4, 6, 8, 10, -1},
	            "send; ifetch; send; ifetch; send; ifetch; send; nop 1; send; nop 1; send");
	isa_machine_free(m);
}

/* Capacity 6, fetches of 3.  Words s n9 s n9 s n9 s n9 s.  At 1 the queue would hold 4 + 3 words: no room.  At 11 it
 * holds words 4 and 5: fetch, and the NOP is split; then 9 words are fetched and 10 needed.  At 12 4 + 3 again do not
 * fit; at 21 they do.  That makes 12 of 11. */
static void fetches_split_longer_nops_as_soon_as_there_is_room(void)
{
	isa_machine *m = small_queues("6", "3", "2");

	check_sends(m, (const int64_t[]){0, 10, 20, 30, 40, -1},
	            "send; nop 9; send; ifetch; nop 8; send; ifetch; nop 8; send; nop 9; send");
	isa_machine_free(m);
}

static void queues_that_fit_need_no_fetch(void)
{
	isa_machine *m = small_queues("5", "3", "2");

	check_sends(m, (const int64_t[]){0, 10, 20, -1}, "send; nop 9; send; nop 9; send");
	isa_machine_free(m);
}

static void queues_that_run_dry_are_refused(void)
{
	isa_machine *m = small_queues("4", "2", "8");
	unsigned q = queue(m, "c2c.w0");
	GError *error = NULL;

	/* ten sends back to back: words 0..3 are there, no cycle is free */
	isa_program_free(lower_sends(m, q, (const int64_t[]){0, 1, 2, 3, 4, 5, -1}, &error));
	expect_error(&error, "queue c2c.w0 runs dry at cycle 4: there was no free cycle");
	/* words: s@0, fetch@1, s@2, s@3, s@4 is word 4, the first of the fetch: there at 1 + 8 */
	isa_program_free(lower_sends(m, q, (const int64_t[]){0, 2, 3, 4, 5, -1}, &error));
	expect_error(&error, "queue c2c.w0 runs dry at cycle 4: its next word arrives at 9, from the ifetch at 1");
	isa_machine_free(m);
}

/* Words: s@0, fetch@1, s@2, load@3, then REPEAT as word 4, read one cycle after the issue before it: the inner one at
 * 4, the outer one (word 5) after the last inner issue, at 3 + 4 + 1 = 8.  Word 4 arrives at 1 + L, word 5 at 2 + L. */
static void repeat_words_must_arrive_in_time_too(void)
{
	static const struct {
		const char *fetch_cycles;
		isa_loop inner, outer;
		const char *error; /* NULL: fits */
	} cases[] = {
		{"3", {3, 2, 0}, {1, 0, 0}, NULL},
		{"4", {3, 2, 0}, {1, 0, 0}, "runs dry at cycle 4: its next word arrives at 5"},
		{"3", {3, 2, 0}, {2, 9, 0}, NULL},
		/* an empty inner loop: both words are read at 4 */
		{"2", {1, 0, 0}, {2, 9, 0}, NULL},
		{"3", {1, 0, 0}, {2, 9, 0}, "runs dry at cycle 4: its next word arrives at 5"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		isa_machine *m = small_queues("4", "2", cases[i].fetch_cycles);
		isa_program *p = isa_program_new(m);
		unsigned q = queue(m, "c2c.w0");
		isa_insn insn;
		GError *error = NULL;

		add_send(p, m, q, 0);
		add_send(p, m, q, 2);
		insn = send_at(m, q, 3);
		insn.loop[0] = cases[i].inner;
		insn.loop[1] = cases[i].outer;
		isa_program_add(p, &insn, 0);
		CU_ASSERT_EQUAL(isa_lower(p, m, &error), cases[i].error == NULL);
		if (cases[i].error)
			expect_error(&error, cases[i].error);
		else if (error)
			tap_note("%s", error->message);
		isa_program_free(p);
		isa_machine_free(m);
	}
	/* word 5 alone late: the inner REPEAT is word 3, the outer one word 4, read at 2 + 4 + 1 = 7, there at 1 + 7 */
	for (int late = 0; late < 2; late++) {
		isa_machine *m = small_queues("4", "2", late ? "7" : "6");
		isa_program *p = isa_program_new(m);
		unsigned q = queue(m, "c2c.w0");
		isa_insn insn = send_at(m, q, 2);
		GError *error = NULL;

		add_send(p, m, q, 0);
		insn.loop[0] = (isa_loop){3, 2, 0};
		insn.loop[1] = (isa_loop){2, 9, 0};
		isa_program_add(p, &insn, 0);
		CU_ASSERT_EQUAL(isa_lower(p, m, &error), !late);
		if (late)
			expect_error(&error, "runs dry at cycle 7: its next word arrives at 8");
		isa_program_free(p);
		isa_machine_free(m);
	}
}

static void a_fetch_of_the_program_without_room_is_refused(void)
{
	isa_machine *m = small_queues("4", "4", "8");
	isa_insn insn = isa_insn_make(ISA_OP_IFETCH, queue(m, "c2c.w0"), 0);

	/* at 0 three words may still be there */
	expect_refusal(m, &insn, 1, "the queue has no room for the words it brings");
	isa_machine_free(m);
}

/* ---- replay: the queue rules once more ---- */

typedef struct replayed {
	GArray *cycles; /* int64_t: every issue of every real word, in order */
	bool dry, overfull;
} replayed;

static void replay_queue(const isa_machine *m, const GArray *words, replayed *r)
{
	GArray *fetches = g_array_new(FALSE, FALSE, sizeof(int64_t));
	uint64_t capacity = (uint64_t)m->icu_queue_words, fetch = (uint64_t)m->icu_ifetch_words;
	GArray *run = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* issues of the instruction and its repeats so far */
	int64_t now = 0;

	for (guint i = 0; i < words->len; i++) {
		isa_insn insn = isa_insn_make(ISA_OP_SYNC, 0, 0);

		if (capacity && i >= capacity) {
			uint64_t k = (i - capacity) / fetch, j = (i - capacity) % fetch;

			r->dry = r->dry || k >= fetches->len ||
			         g_array_index(fetches, int64_t, k) + m->icu_ifetch_cycles + (int64_t)j > now;
		}
		CU_ASSERT_TRUE_FATAL(isa_decode(g_array_index(words, isa_word, i), &insn));
		if (insn.op == ISA_OP_NOP) {
			now += insn.count;
			continue;
		}
		if (insn.op == ISA_OP_REPEAT) {
			guint length = run->len;

			for (uint32_t k = 1; k < insn.loop[0].count; k++)
				for (guint l = 0; l < length; l++) {
					int64_t at =
						g_array_index(run, int64_t, l) + (int64_t)k * insn.loop[0].interval;

					g_array_append_val(run, at);
					g_array_append_val(r->cycles, at);
				}
			now = g_array_index(run, int64_t, run->len - 1) + 1;
			continue;
		}
		g_array_set_size(run, 0);
		g_array_append_val(run, now);
		g_array_append_val(r->cycles, now);
		if (insn.op == ISA_OP_IFETCH) {
			/* words there or on their way, without those read already */
			uint64_t held = capacity + fetches->len * fetch - (i + 1);

			r->overfull = r->overfull || held + fetch > capacity;
			g_array_append_val(fetches, now);
		}
		now += insn.op == ISA_OP_SYNC || insn.op == ISA_OP_NOTIFY ? m->icu_barrier_cycles : 1;
	}
	g_array_unref(run);
	g_array_unref(fetches);
}

/* Do the queues issue exactly when the container says? */
static void check_replay(const isa_machine *m, const isa_program *p)
{
	for (unsigned q = 0; q < p->queues->len; q++) {
		replayed r = {.cycles = g_array_new(FALSE, FALSE, sizeof(int64_t))};
		const GArray *ids = g_ptr_array_index(p->queue_insns, q);
		guint at = 0;

		replay_queue(m, g_ptr_array_index(p->queues, q), &r);
		CU_ASSERT_FALSE(r.dry);
		CU_ASSERT_FALSE(r.overfull);
		for (guint i = 0; i < ids->len; i++) {
			const isa_insn *insn = isa_program_insn(p, g_array_index(ids, uint32_t, i));

			CU_ASSERT_EQUAL_FATAL(insn->queue, q);
			for (uint64_t k = 0; k < isa_insn_issues(insn); k++, at++)
				CU_ASSERT_EQUAL_FATAL(g_array_index(r.cycles, int64_t, at),
				                      insn->cycle + isa_insn_offset(insn, k));
		}
		CU_ASSERT_EQUAL(at, r.cycles->len);
		g_array_unref(r.cycles);
	}
}

/* Random sends with loops and gaps on four queues; at least every third gap is wide. */
static isa_program *random_program(const isa_machine *m, GRand *rand, unsigned count)
{
	isa_program *p = isa_program_new(m);
	int64_t next[4];

	for (unsigned i = 0; i < 4; i++)
		next[i] = m->icu_barrier_cycles;
	for (unsigned i = 0; i < count; i++) {
		unsigned which = (unsigned)g_rand_int_range(rand, 0, 4);
		unsigned q = (unsigned)isa_machine_queue_find(m, ISA_UNIT_C2C, m->streams && which > 1, 0, which);
		isa_insn insn = send_at(m, q, next[which] + g_rand_int_range(rand, 0, i % 3 ? 3 : 40));

		if (g_rand_int_range(rand, 0, 3) == 0)
			insn.loop[0] = (isa_loop){(uint32_t)g_rand_int_range(rand, 1, 5),
			                          (uint32_t)g_rand_int_range(rand, 1, 4), 0};
		if (g_rand_int_range(rand, 0, 6) == 0)
			insn.loop[1] = (isa_loop){(uint32_t)g_rand_int_range(rand, 1, 4), 20, 0};
		isa_program_add(p, &insn, 0);
		next[which] = isa_insn_last(&insn) + 1;
	}
	return p;
}

static void random_programs_issue_when_they_say(void)
{
	GRand *rand = g_rand_new_with_seed(11);
	isa_machine *machines[] = {machine("tsp"), machine("tsp-isca20"), small_queues("12", "4", "3"),
	                           small_queues("80", "40", "16")};

	for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
		unsigned lowered = 0;

		for (int round = 0; round < 40; round++) {
			isa_program *p = random_program(machines[i], rand, 600);
			guint before;

			if (isa_lower(p, machines[i], NULL)) {
				lowered++;
				check_replay(machines[i], p);
				before = p->insns->len;
				CU_ASSERT_TRUE_FATAL(isa_lower(p, machines[i], NULL));
				CU_ASSERT_EQUAL(p->insns->len, before);
				check_replay(machines[i], p);
			}
			isa_program_free(p);
		}
		tap_note("machine %zu: %u of 40 programs could be lowered", i, lowered);
		CU_ASSERT_TRUE(lowered >= (i == 2 ? 1u : 40u)); /* tiny queues may run dry */
		isa_machine_free(machines[i]);
	}
	g_rand_free(rand);
}

static void instances_run_on_over_all_issues(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = isa_program_new(m);
	unsigned q = queue(m, "mem0");
	isa_insn insn = loop_load(q, 0, (isa_loop){3, 1, 0}, (isa_loop){4, 10, 0});

	isa_program_add(p, &insn, 0);
	insn = loop_load(q, 100, (isa_loop){1, 0, 0}, (isa_loop){1, 0, 0});
	isa_program_add(p, &insn, 0);
	isa_program_add(p, &insn, 0);
	CU_ASSERT_EQUAL(isa_program_instance(p, 0), 1);
	CU_ASSERT_EQUAL(isa_program_instance(p, 1), 13); /* 1 + 3 x 4 */
	CU_ASSERT_EQUAL(isa_program_instance(p, 2), 14);
	isa_program_free(p);
	isa_machine_free(m);
}

static void equal_maps_share_a_number(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = isa_program_new(m);
	uint16_t lanes[320];

	for (uint16_t i = 0; i < 320; i++)
		lanes[i] = i;
	CU_ASSERT_EQUAL(isa_program_add_map(p, lanes), 0);
	lanes[319] = 0xffff;
	CU_ASSERT_EQUAL(isa_program_add_map(p, lanes), 1);
	lanes[319] = 319;
	CU_ASSERT_EQUAL(isa_program_add_map(p, lanes), 0);
	CU_ASSERT_EQUAL(p->maps->len, 2);
	isa_program_free(p);
	isa_machine_free(m);
}

/* A[4][6] of fp16 in tiles of 2 x 3: element (i, j), byte b at 100 + (i/2)*24 + (i%2)*6 + (j/3)*12 + (j%3)*2 + b. */
static void tensor_locations_follow_their_terms(void)
{
	isa_tensor t = {.type = ISA_TYPE_F16,
	                .rank = 2,
	                .shape = {4, 6},
	                .base = 100,
	                .terms = 5,
	                .term = {{0, 2, 0, 24}, {0, 1, 2, 6}, {1, 3, 0, 12}, {1, 1, 3, 2}, {2, 1, 0, 1}}};

	CU_ASSERT_EQUAL(isa_tensor_location(&t, (const uint64_t[]){0, 0}, 0), 100);
	CU_ASSERT_EQUAL(isa_tensor_location(&t, (const uint64_t[]){3, 4}, 1), 100 + 24 + 6 + 12 + 2 + 1);
}

int main(void)
{
	static const tap_case cases[] = {
		{"nops_fill_exactly_the_free_cycles", nops_fill_exactly_the_free_cycles},
		{"long_gaps_take_several_nops", long_gaps_take_several_nops},
		{"instructions_are_sorted_by_cycle", instructions_are_sorted_by_cycle},
		{"loops_become_repeat_words", loops_become_repeat_words},
		{"what_cannot_be_a_queue_is_refused", what_cannot_be_a_queue_is_refused},
		{"barrier_machines_begin_with_notify_and_syncs", barrier_machines_begin_with_notify_and_syncs},
		{"barrier_refuses_what_issues_before_the_release", barrier_refuses_what_issues_before_the_release},
		{"fetches_take_the_place_of_single_nops", fetches_take_the_place_of_single_nops},
		{"fetches_split_longer_nops_as_soon_as_there_is_room",
	         fetches_split_longer_nops_as_soon_as_there_is_room},
		{"queues_that_fit_need_no_fetch", queues_that_fit_need_no_fetch},
		{"queues_that_run_dry_are_refused", queues_that_run_dry_are_refused},
		{"repeat_words_must_arrive_in_time_too", repeat_words_must_arrive_in_time_too},
		{"a_fetch_of_the_program_without_room_is_refused", a_fetch_of_the_program_without_room_is_refused},
		{"random_programs_issue_when_they_say", random_programs_issue_when_they_say},
		{"instances_run_on_over_all_issues", instances_run_on_over_all_issues},
		{"equal_maps_share_a_number", equal_maps_share_a_number},
		{"tensor_locations_follow_their_terms", tensor_locations_follow_their_terms},
	};

	return tap_run("lower", cases, G_N_ELEMENTS(cases));
}
