/* SPDX-License-Identifier: Apache-2.0
 *
 * Live ranges, register allocation and packing: programs small enough to be followed by hand, and properties of random
 * ones, judged by the replay that shares no code with the allocator.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/pack.h"
#include "sched/alg/regalloc.h"
#include "tests/lib/tap.h"

/* A value of one register whose store and load cost 1 each. */
/* A program of one block, run once. */
static live_program *one_block(void)
{
	live_program *p = live_new();

	live_add_block(p, 1);
	return p;
}

static uint32_t value(live_program *p)
{
	return live_add_value(p, 1, 1, 1);
}

static live_insn *op(live_program *p, uint32_t block, uint32_t def, uint32_t a, uint32_t b)
{
	uint32_t use[] = {a, b, LIVE_NONE};
	uint32_t tag = live_block_at(p, block)->insns->len + 100 * block;

	return live_add_insn(p, block, tag, def, use);
}

static void make(live_program *p, uint32_t block, uint32_t def)
{
	op(p, block, def, LIVE_NONE, LIVE_NONE);
}

static void use1(live_program *p, uint32_t block, uint32_t a)
{
	op(p, block, LIVE_NONE, a, LIVE_NONE);
}

static regalloc_result run(const live_program *p, uint32_t registers)
{
	regalloc_options o = {.registers = registers, .seed = 1};
	regalloc_result r;
	g_autoptr(GError) error = NULL;

	CU_ASSERT_TRUE(regalloc_run(p, &o, &r, &error));
	if (error) {
		tap_note("%s", error->message);
		memset(&r, 0, sizeof r);
		return r;
	}
	CU_ASSERT_TRUE(regalloc_check(&r, registers));
	CU_ASSERT_TRUE(r.registers <= registers);
	return r;
}

/* -------------------------------------------------------------------------------------------------- live ranges */

/* 0: i = .., s = ..; 1: s = s + i, i = i - 1; to 1 or 2; 2: use s.
 *
 * Backward sweeps: block 2 in = {s}; block 1 out = {s}, in = {s, i}; block 0 out = {s, i}, in = {}.  The second sweep
 * brings {s, i} round to block 1's out; its in is the same.  The third finds nothing new in out, either; as only in is
 * compared, sweep 2 is the last one. */
static void sets_of_a_loop_reach_their_fixpoint(void)
{
	g_autoptr(live_program) p = live_new();
	uint32_t i = value(p), s = value(p);
	live_sets sets;

	live_add_block(p, 1);
	live_add_block(p, 10);
	live_add_block(p, 1);
	live_add_next(p, 0, 1);
	live_add_next(p, 1, 1);
	live_add_next(p, 1, 2);
	make(p, 0, i);
	make(p, 0, s);
	op(p, 1, s, s, i);
	op(p, 1, i, i, LIVE_NONE);
	use1(p, 2, s);
	live_analyse(p, &sets);
	CU_ASSERT_EQUAL(sets.rounds, 2);
	CU_ASSERT_EQUAL(sets.in[0], 0);
	CU_ASSERT_EQUAL(sets.out[0], 3);
	CU_ASSERT_EQUAL(sets.in[1], 3);
	CU_ASSERT_EQUAL(sets.out[1], 3);
	CU_ASSERT_EQUAL(sets.in[2], 1u << s);
	CU_ASSERT_EQUAL(sets.out[2], 0);
	CU_ASSERT_EQUAL(live_most(p, &sets), 2);
	live_sets_fini(&sets);
	/* One web each: the loop carries both. */
	CU_ASSERT_EQUAL(live_rename(p), 0);
}

/* t = load; use t; t = load; use t (a loop body unrolled twice): the second t is another value; with two registers both
 * copies may be under way at once. */
static void renaming_gives_each_unrolled_copy_its_value(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t t = value(p);

	make(p, 0, t);
	use1(p, 0, t);
	make(p, 0, t);
	use1(p, 0, t);
	CU_ASSERT_EQUAL(live_rename(p), 1);
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(p, 0), 0)->def, t);
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(p, 0), 2)->def, t + 1);
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(p, 0), 3)->use[0], t + 1);
}

/* Two definitions on two branches reach one use: they are one web and keep one name. */
static void definitions_that_meet_keep_one_name(void)
{
	g_autoptr(live_program) p = live_new();
	uint32_t v = value(p);

	for (int i = 0; i < 4; i++)
		live_add_block(p, 1);
	live_add_next(p, 0, 1);
	live_add_next(p, 0, 2);
	live_add_next(p, 1, 3);
	live_add_next(p, 2, 3);
	make(p, 1, v);
	make(p, 2, v);
	use1(p, 3, v);
	CU_ASSERT_EQUAL(live_rename(p), 0);
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(p, 3), 0)->use[0], v);
}

/* ------------------------------------------------------------------------------------------------------ spilling */

/* a..e are made, then used: a three times, then b, c, d, e once each.
 *
 * After the fifth all five are alive: 4 registers are one too few.  All interfere with all: degree 4 each.  Cost: b to
 * e one store and one load, 2; a one store and three loads, 4.  2 / 4 is least, the lowest name of those is b.  b is
 * stored after it is made and loaded before its use, when a is dead: 1 store, 1 load, and the second colouring is the
 * last. */
static void of_five_values_the_cheapest_for_its_degree_goes_to_memory(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t v[5];
	regalloc_result r;

	for (int i = 0; i < 5; i++)
		make(p, 0, v[i] = value(p));
	use1(p, 0, v[0]);
	use1(p, 0, v[0]);
	for (int i = 0; i < 5; i++)
		use1(p, 0, v[i]);
	r = run(p, 4);
	CU_ASSERT_EQUAL(r.most, 5);
	CU_ASSERT_EQUAL(r.rounds, 2);
	CU_ASSERT_EQUAL(r.spilled, 1);
	CU_ASSERT_EQUAL(r.stores, 1);
	CU_ASSERT_EQUAL(r.loads, 1);
	CU_ASSERT_EQUAL(r.remade, 0);
	CU_ASSERT_EQUAL(r.registers, 4);
	CU_ASSERT_EQUAL(r.cost, 2.0);
	CU_ASSERT_NOT_EQUAL(live_value_at(r.program, v[1])->slot, LIVE_NONE);
	CU_ASSERT_EQUAL(live_value_at(r.program, v[0])->slot, LIVE_NONE);
	/* make a, make b, store b, make c */
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(r.program, 0), 2)->kind, LIVE_STORE);
	regalloc_result_fini(&r);
	r = run(p, 5);
	CU_ASSERT_EQUAL(r.spilled, 0);
	CU_ASSERT_EQUAL(r.registers, 5);
	regalloc_result_fini(&r);
}

/* The same, but b is used in a loop that runs 10 times: 1 + 10 is dearer than c's 2, so c goes. */
static void what_a_loop_uses_stays(void)
{
	g_autoptr(live_program) p = live_new();
	uint32_t v[5];
	regalloc_result r;

	live_add_block(p, 1);
	live_add_block(p, 10);
	live_add_block(p, 1);
	live_add_next(p, 0, 1);
	live_add_next(p, 1, 1);
	live_add_next(p, 1, 2);
	for (int i = 0; i < 5; i++)
		make(p, 0, v[i] = value(p));
	use1(p, 1, v[1]);
	for (int i = 0; i < 5; i++)
		use1(p, 2, v[i]);
	use1(p, 2, v[0]);
	r = run(p, 4);
	CU_ASSERT_EQUAL(r.spilled, 1);
	CU_ASSERT_NOT_EQUAL(live_value_at(r.program, v[2])->slot, LIVE_NONE);
	CU_ASSERT_EQUAL(r.stores, 1);
	CU_ASSERT_EQUAL(r.loads, 1);
	CU_ASSERT_EQUAL(r.cost, 2.0);
	regalloc_result_fini(&r);
}

/* Briggs' diamond: a-b, b-c, c-d, d-a interfere, two registers.  No value has fewer than two neighbours, so Chaitin's
 * allocator would keep one in memory; put back optimistically, a and c share a register, b and d the other. */
static void the_diamond_is_coloured_optimistically(void)
{
	color_graph *g = color_graph_new(4);
	uint32_t width[4] = {1, 1, 1, 1}, reg[4];

	for (uint32_t i = 0; i < 4; i++) {
		color_add_edge(g, i, (i + 1) % 4);
		CU_ASSERT_EQUAL(g->cost[i], 1.0);
	}
	regalloc_i_color(g, width, 2, reg);
	CU_ASSERT_EQUAL(reg[0], reg[2]);
	CU_ASSERT_EQUAL(reg[1], reg[3]);
	CU_ASSERT_NOT_EQUAL(reg[0], reg[1]);
	color_graph_free(g);
}

/* The same diamond as a program.  One loop; at its border d and a are alive, then a b, b c, c d:
 *   0: make d, make a;  1: use d; make b; use a; make c; use b; make d; use c; make a; to 1 or 2;  2: use d, use a. */
static live_program *ring(void)
{
	live_program *p = live_new();
	uint32_t a = value(p), b = value(p), c = value(p), d = value(p);

	live_add_block(p, 1);
	live_add_block(p, 10);
	live_add_block(p, 1);
	live_add_next(p, 0, 1);
	live_add_next(p, 1, 1);
	live_add_next(p, 1, 2);
	make(p, 0, d);
	make(p, 0, a);
	use1(p, 1, d);
	make(p, 1, b);
	use1(p, 1, a);
	make(p, 1, c);
	use1(p, 1, b);
	make(p, 1, d);
	use1(p, 1, c);
	make(p, 1, a);
	use1(p, 2, d);
	use1(p, 2, a);
	return p;
}

static void a_ring_of_four_ranges_needs_no_memory_with_two_registers(void)
{
	g_autoptr(live_program) p = ring();
	regalloc_result r = run(p, 2);

	CU_ASSERT_EQUAL(r.most, 2);
	CU_ASSERT_EQUAL(r.spilled, 0);
	CU_ASSERT_EQUAL(r.registers, 2);
	CU_ASSERT_EQUAL(r.reg[0], r.reg[2]);
	CU_ASSERT_EQUAL(r.reg[1], r.reg[3]);
	regalloc_result_fini(&r);
}

/* a is loaded from memory that does not change: making it again costs 1 a use, storing and loading it 1 + 1.  Two
 * registers, three alive: a, b, c; a's 1 / 2 is least.  It is made again before its use, and the first time, which now
 * nobody needs, not at all. */
static void a_load_is_repeated_rather_than_stored(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t a = value(p), b = value(p), c = value(p);
	regalloc_result r;

	make(p, 0, a);
	live_insn_at(live_block_at(p, 0), 0)->remake = 1;
	make(p, 0, b);
	make(p, 0, c);
	op(p, 0, LIVE_NONE, b, c);
	use1(p, 0, a);
	r = run(p, 2);
	CU_ASSERT_EQUAL(r.remade, 1);
	CU_ASSERT_EQUAL(r.stores, 0);
	CU_ASSERT_EQUAL(r.loads, 0);
	CU_ASSERT_EQUAL(r.spilled, 0);
	CU_ASSERT_EQUAL(r.cost, 1.0);
	CU_ASSERT_EQUAL(live_block_at(r.program, 0)->insns->len, 5);
	CU_ASSERT_EQUAL(live_insn_at(live_block_at(r.program, 0), 3)->kind, LIVE_REMAKE);
	regalloc_result_fini(&r);
}

/* n = f(m) may be made again where m is alive (first use), but not where it is not (second program). */
static void what_is_made_from_operands_is_made_again_only_where_they_are(void)
{
	for (int alive = 0; alive < 2; alive++) {
		g_autoptr(live_program) p = one_block();
		uint32_t m = value(p), n = value(p), x = value(p), y = value(p);
		regalloc_result r;

		make(p, 0, m);
		op(p, 0, n, m, LIVE_NONE)->remake = 0.5;
		if (!alive)
			use1(p, 0, m);
		make(p, 0, x);
		make(p, 0, y);
		op(p, 0, LIVE_NONE, x, y);
		use1(p, 0, n);
		if (alive) {
			/* m is used in a way that makes it dear. */
			for (int i = 0; i < 5; i++)
				use1(p, 0, m);
		}
		r = run(p, alive ? 3 : 2);
		CU_ASSERT_EQUAL(r.remade, alive ? 1 : 0);
		CU_ASSERT_EQUAL(r.stores, alive ? 0 : 1);
		CU_ASSERT_EQUAL(r.loads, alive ? 0 : 1);
		regalloc_result_fini(&r);
	}
}

/* b = a is a copy, a dies there: one register holds both, and the copy does nothing. */
static void a_copy_whose_ends_share_a_register_is_coalesced(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t a = value(p), b = value(p), c = value(p);
	regalloc_result r;

	make(p, 0, a);
	make(p, 0, c);
	op(p, 0, b, a, LIVE_NONE)->copy = true;
	op(p, 0, LIVE_NONE, b, c);
	r = run(p, 2);
	CU_ASSERT_EQUAL(r.coalesced, 1);
	CU_ASSERT_EQUAL(r.registers, 2);
	CU_ASSERT_EQUAL(r.spilled, 0);
	regalloc_result_fini(&r);
}

/* A fixed value keeps its register; what interferes with it gets the other one. */
static void a_value_with_a_register_keeps_it(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t a = value(p), b = value(p);
	regalloc_result r;

	live_value_at(p, a)->fixed = 0;
	make(p, 0, a);
	make(p, 0, b);
	op(p, 0, LIVE_NONE, a, b);
	r = run(p, 2);
	CU_ASSERT_EQUAL(r.reg[a], 0);
	CU_ASSERT_EQUAL(r.reg[b], 1);
	regalloc_result_fini(&r);
}

/* -------------------------------------------------------------------------------------------------------- widths */

/* Registers 0..2; x (1) dies before the pair p is made while y (1) lives on: were y in the middle, p would find none of
 * the two free ones beside each other.  Coloured, p (the widest) and y sit beside each other. */
static void pairs_find_neighbouring_registers(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t x = value(p), y = value(p), pair = live_add_value(p, 2, 2, 2);
	regalloc_result r;

	make(p, 0, x);
	make(p, 0, y);
	use1(p, 0, x);
	make(p, 0, pair);
	op(p, 0, LIVE_NONE, pair, y);
	r = run(p, 3);
	CU_ASSERT_EQUAL(r.most, 3);
	CU_ASSERT_EQUAL(r.spilled, 0);
	CU_ASSERT_TRUE(r.reg[pair] + 2 <= r.reg[y] || r.reg[y] + 1 <= r.reg[pair]);
	CU_ASSERT_EQUAL(r.registers, 3);
	regalloc_result_fini(&r);
}

/* Two pairs in, a pair out: the sum may take a register that its operands leave, so 4 suffice, and 3 do not: the
 * message names 4. */
static void the_operands_of_one_instruction_must_fit(void)
{
	g_autoptr(live_program) p = one_block();
	uint32_t a = live_add_value(p, 2, 2, 2), b = live_add_value(p, 2, 2, 2), c = live_add_value(p, 2, 2, 2);
	regalloc_options o = {.registers = 3};
	g_autoptr(GError) error = NULL;
	regalloc_need need;
	regalloc_result r;

	make(p, 0, a);
	make(p, 0, b);
	op(p, 0, c, a, b);
	use1(p, 0, c);
	regalloc_needs(p, &need);
	CU_ASSERT_EQUAL(need.registers, 4);
	CU_ASSERT_EQUAL(need.insn, 2);
	CU_ASSERT_EQUAL(need.read_ports, 4);
	CU_ASSERT_EQUAL(need.write_ports, 2);
	CU_ASSERT_FALSE(regalloc_run(p, &o, &r, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "one instruction needs 4 registers, there are 3");
	g_clear_error(&error);
	o = (regalloc_options){.registers = 4, .read_ports = 3};
	CU_ASSERT_FALSE(regalloc_run(p, &o, &r, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "one instruction needs 4 read ports, there are 3");
	r = run(p, 4);
	CU_ASSERT_EQUAL(r.spilled, 0);
	regalloc_result_fini(&r);
}

/* ---------------------------------------------------------------------------------------------------- properties */

static uint32_t pick(rng *r, uint32_t n)
{
	return (uint32_t)rng_below(r, n);
}

/* Blocks in a row, some with a way back, some with a way over the next; values are used only after they were made on
 * every path: all are made in block 0. */
static live_program *random_program(rng *r, bool wide, bool copies)
{
	live_program *p = live_new();
	uint32_t blocks = 1 + pick(r, 5), values = 2 + pick(r, 14);

	for (uint32_t v = 0; v < values; v++) {
		uint32_t width = wide ? 1 + pick(r, 2) : 1;

		live_add_value(p, width, width, width);
	}
	for (uint32_t b = 0; b < blocks; b++)
		live_add_block(p, 1 + pick(r, 10));
	for (uint32_t b = 0; b + 1 < blocks; b++) {
		live_add_next(p, b, b + 1);
		if (b && pick(r, 2))
			live_add_next(p, b, 1 + pick(r, blocks - 1));
	}
	for (uint32_t v = 0; v < values; v++) {
		make(p, 0, v);
		if (pick(r, 3) == 0)
			live_insn_at(live_block_at(p, 0), v)->remake = 0.25 * (1 + pick(r, 8));
	}
	for (uint32_t b = 0; b < blocks; b++)
		for (uint32_t i = pick(r, 12); i > 0; i--) {
			uint32_t def = pick(r, 3) ? pick(r, values) : LIVE_NONE, a = pick(r, values);
			live_insn *n = op(p, b, def, a, pick(r, 2) ? pick(r, values) : LIVE_NONE);

			n->copy = copies && n->uses == 1 && def != LIVE_NONE && def != a && pick(r, 4) == 0 &&
			          live_value_at(p, def)->width == live_value_at(p, a)->width;
			n->remake = def != LIVE_NONE && pick(r, 4) == 0 ? 0.5 : -1;
		}
	return p;
}

/* Loads from the wrong slot, one after the other: all must be found. */
static void plant_slots(regalloc_result *a, uint32_t registers, unsigned *planted, unsigned *found)
{
	for (uint32_t b = 0; a->slots > 1 && b < a->program->blocks->len; b++)
		for (guint i = 0; i < live_block_at(a->program, b)->insns->len; i++) {
			live_insn *n = live_insn_at(live_block_at(a->program, b), i);

			if (n->kind != LIVE_LOAD)
				continue;
			n->tag = (n->tag + 1) % a->slots;
			++*planted;
			*found += !regalloc_check(a, registers);
			n->tag = (n->tag + a->slots - 1) % a->slots;
		}
}

/* Every answer passes the replay; putting any value of it into a register that another one holds meanwhile, or loading
 * one from another's slot, is found. */
static void random_programs_pass_the_replay(void)
{
	unsigned spilled = 0, remade = 0, planted = 0, found = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		rng r;
		g_autoptr(live_program) p = NULL;
		regalloc_need need;
		regalloc_result a;
		uint32_t registers;

		rng_seed(&r, seed, 5);
		p = random_program(&r, seed % 2, seed % 3 == 0);
		regalloc_needs(p, &need);
		registers = need.registers + pick(&r, 4);
		a = run(p, MAX(registers, 1));
		if (!a.program)
			continue;
		spilled += a.stores + a.loads;
		remade += a.remade;
		for (uint32_t b = 0; b < a.program->blocks->len; b++) {
			live_sets s;
			const live_block *block = live_block_at(a.program, b);

			live_analyse(a.program, &s);
			for (uint32_t v = 0; v < a.program->values->len; v++)
				for (uint32_t o = 0; o < v; o++) {
					uint32_t was = a.reg[v];
					const uint64_t *in = s.in + (size_t)b * s.words;

					/* A copy may share its source's register while both are alive. */
					if (seed % 3 == 0 || !block->insns->len || !live_has(in, v) ||
					    !live_has(in, o) || was == a.reg[o] || b == 0)
						continue;
					a.reg[v] = a.reg[o];
					planted++;
					found += !regalloc_check(&a, MAX(registers, 1));
					a.reg[v] = was;
				}
			live_sets_fini(&s);
		}
		if (seed % 10 == 1)
			plant_slots(&a, MAX(registers, 1), &planted, &found);
		regalloc_result_fini(&a);
	}
	CU_ASSERT_TRUE(spilled > 100);
	CU_ASSERT_TRUE(remade > 20);
	CU_ASSERT_TRUE(planted > 100);
	CU_ASSERT_EQUAL(planted, found);
	tap_note("300 programs: %u stores and loads, %u made again; %u of %u planted faults found", spilled, remade,
	         found, planted);
}

/* ------------------------------------------------------------------------------------------------------- packing */

/* Vectors of 160, 200, 120 and 100 lanes, alive at once, in registers of 320: 160 + 120, 200 + 100; first fit as given
 * would put 160, then 200 into the second, 120 beside 160, 100 beside 200: two registers.  In three cycles, one after
 * the other, they need one. */
static void short_vectors_share_registers(void)
{
	pack_item at_once[4] = {{0, 9, 160, 16, 0}, {0, 9, 200, 16, 0}, {0, 9, 120, 16, 0}, {0, 9, 100, 16, 0}};
	pack_item in_turn[3] = {{0, 1, 320, 16, 0}, {2, 3, 320, 16, 0}, {4, 5, 320, 16, 0}};
	pack_room room = {.size = 8 * 320, .unit = 320};

	CU_ASSERT_TRUE(pack_items(at_once, 4, &room) <= 640);
	CU_ASSERT_EQUAL(pack_bound(at_once, 4), 580);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(at_once[i].place / 320, (at_once[i].place + at_once[i].size - 1) / 320);
	CU_ASSERT_EQUAL(pack_items(in_turn, 3, &room), 320);
	room.size = 320;
	CU_ASSERT_EQUAL(pack_items(at_once, 4, &room), 0);
}

static uint32_t odd_places_taken(void *state, const pack_item *item, uint32_t place)
{
	(void)state;
	(void)item;
	return place + place % 2;
}

static void packing_respects_what_was_there_before(void)
{
	pack_item items[2] = {{0, 5, 1, 0, 0}, {0, 5, 1, 0, 0}};
	pack_room room = {.size = 4, .free_from = odd_places_taken};

	CU_ASSERT_EQUAL(pack_items(items, 2, &room), 3);
	CU_ASSERT_EQUAL(items[0].place, 0);
	CU_ASSERT_EQUAL(items[1].place, 2);
}

int main(void)
{
	static const tap_case cases[] = {
		{"sets_of_a_loop_reach_their_fixpoint", sets_of_a_loop_reach_their_fixpoint},
		{"renaming_gives_each_unrolled_copy_its_value", renaming_gives_each_unrolled_copy_its_value},
		{"definitions_that_meet_keep_one_name", definitions_that_meet_keep_one_name},
		{"of_five_values_the_cheapest_for_its_degree_goes_to_memory",
	         of_five_values_the_cheapest_for_its_degree_goes_to_memory},
		{"what_a_loop_uses_stays", what_a_loop_uses_stays},
		{"the_diamond_is_coloured_optimistically", the_diamond_is_coloured_optimistically},
		{"a_ring_of_four_ranges_needs_no_memory_with_two_registers",
	         a_ring_of_four_ranges_needs_no_memory_with_two_registers},
		{"a_load_is_repeated_rather_than_stored", a_load_is_repeated_rather_than_stored},
		{"what_is_made_from_operands_is_made_again_only_where_they_are",
	         what_is_made_from_operands_is_made_again_only_where_they_are},
		{"a_copy_whose_ends_share_a_register_is_coalesced", a_copy_whose_ends_share_a_register_is_coalesced},
		{"a_value_with_a_register_keeps_it", a_value_with_a_register_keeps_it},
		{"pairs_find_neighbouring_registers", pairs_find_neighbouring_registers},
		{"the_operands_of_one_instruction_must_fit", the_operands_of_one_instruction_must_fit},
		{"random_programs_pass_the_replay", random_programs_pass_the_replay},
		{"short_vectors_share_registers", short_vectors_share_registers},
		{"packing_respects_what_was_there_before", packing_respects_what_was_there_before},
	};

	return tap_run("regalloc", cases, G_N_ELEMENTS(cases));
}
