/* SPDX-License-Identifier: Apache-2.0
 *
 * Static allocation: layouts known by hand, small random problems against trying everything, readers, banks.
 */
#include <stdlib.h>
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/alloc.h"
#include "sched/alg/alloc_bank.h"
#include "tests/lib/tap.h"

static alloc_problem *problem(const char *text)
{
	alloc_problem *p = alloc_read(text, "x.csv", true, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static alloc_result solve(const alloc_problem *p, int64_t capacity, uint64_t moves, uint64_t nodes)
{
	alloc_options how = {.capacity_bytes = capacity, .moves = moves, .nodes = nodes, .seed = 1};
	alloc_result r;

	alloc_solve(p, &how, &r);
	if (r.address) {
		g_autofree char *wrong = alloc_check(p, r.address, r.height_bytes);

		CU_ASSERT_PTR_NULL(wrong);
		if (wrong)
			tap_note("%s", wrong);
	}
	return r;
}

/* Lives are half-open: a ends where b begins, so both may lie at 0; c lives with both and lies beside. 4 + 4. */
static void lives_that_touch_share_bytes(void)
{
	alloc_problem *p = problem("id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\n");
	alloc_result r = solve(p, 8, 0, 1000);

	CU_ASSERT_EQUAL(alloc_max_live(p), 8);
	CU_ASSERT_EQUAL(r.status, ALLOC_OPTIMAL);
	CU_ASSERT_EQUAL(r.height_bytes, 8);
	CU_ASSERT_EQUAL(r.address[0], r.address[1]);
	alloc_result_fini(&r);
	alloc_problem_free(p);
}

/* With an "end" the life includes its last cycle: a and b meet in cycle 3, and 12 bytes live at once. */
static void an_end_is_the_last_cycle_of_a_life(void)
{
	alloc_problem *p = problem("buffer,start,end,size\na,0,3,4\nb,3,9,4\nc,0,9,4\n");

	CU_ASSERT_EQUAL(p->buffers[0].upper, 4);
	CU_ASSERT_EQUAL(alloc_max_live(p), 12);
	alloc_problem_free(p);
}

static void less_than_what_lives_at_once_is_proved_infeasible(void)
{
	alloc_problem *p = problem("id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\n");
	alloc_result r = solve(p, 7, 10, 1000);

	CU_ASSERT_EQUAL(r.status, ALLOC_INFEASIBLE);
	CU_ASSERT_EQUAL(r.height_bytes, 8);
	alloc_result_fini(&r);
	alloc_problem_free(p);
}

/* b of 3 bytes, aligned to 4, over or under a of 5 bytes: [0,5) and [8,11), or [0,3) and [3,8): 8 bytes. */
static void an_alignment_is_kept(void)
{
	alloc_problem *p = problem("id,lower,upper,size,alignment\na,0,3,5,1\nb,0,3,3,4\n");
	alloc_result r = solve(p, 0, 10, 1000);

	CU_ASSERT_EQUAL(r.status, ALLOC_OPTIMAL);
	CU_ASSERT_EQUAL(r.height_bytes, 8);
	CU_ASSERT_EQUAL(r.address[1], 0);
	alloc_result_fini(&r);
	alloc_problem_free(p);
}

/* f must be at 3; below it only b of 3 bytes fits, a of 4 must be above: 3 + 2 + 4 = 9, as many as live at once. */
static void a_fixed_address_is_kept(void)
{
	alloc_problem *p = problem("id,lower,upper,size,offset\na,0,3,4,\nf,0,3,2,3\nb,0,3,3,\n");
	alloc_result r = solve(p, 9, 10, 1000);

	CU_ASSERT_EQUAL(r.status, ALLOC_OPTIMAL);
	CU_ASSERT_EQUAL(r.address[1], 3);
	CU_ASSERT_EQUAL(r.address[2], 0);
	CU_ASSERT_EQUAL(r.address[0], 5);
	alloc_result_fini(&r);
	alloc_problem_free(p);
	p = problem("id,lower,upper,size,offset\na,0,3,4,0\nf,0,3,2,3\n");
	r = solve(p, 9, 10, 1000);
	CU_ASSERT_EQUAL(r.status, ALLOC_INFEASIBLE);
	CU_ASSERT_PTR_NULL(r.address);
	alloc_result_fini(&r);
	alloc_problem_free(p);
}

static void no_buffers_take_no_bytes(void)
{
	alloc_problem *p = problem("id,lower,upper,size\n");
	alloc_result r = solve(p, 0, 10, 10);

	CU_ASSERT_EQUAL(r.status, ALLOC_OPTIMAL);
	CU_ASSERT_EQUAL(r.height_bytes, 0);
	alloc_result_fini(&r);
	alloc_problem_free(p);
}

enum { HIGH = 60 }; /* no problem below needs as much, but for fixed addresses that collide */

/* Is there a layout within CAPACITY? Every buffer at every address. */
static bool fits(const alloc_problem *p, int64_t capacity, int64_t *address, uint32_t at)
{
	const alloc_buffer *b = &p->buffers[at];

	if (at == p->count)
		return true;
	for (int64_t a = 0; a + b->size_bytes <= capacity; a += b->alignment_bytes) {
		bool free_here = b->fixed == ALLOC_FREE || b->fixed == a;

		for (uint32_t i = 0; i < at && free_here; i++) {
			const alloc_buffer *o = &p->buffers[i];

			free_here = o->upper <= b->lower || b->upper <= o->lower || address[i] + o->size_bytes <= a ||
			            a + b->size_bytes <= address[i];
		}
		address[at] = a;
		if (free_here && fits(p, capacity, address, at + 1))
			return true;
	}
	return false;
}

static bool fixed_collide(const alloc_problem *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const alloc_buffer *a = &p->buffers[i], *b = &p->buffers[k];

			if (a->fixed != ALLOC_FREE && b->fixed != ALLOC_FREE && a->lower < b->upper &&
			    b->lower < a->upper && a->fixed < b->fixed + b->size_bytes &&
			    b->fixed < a->fixed + a->size_bytes)
				return true;
		}
	return false;
}

static alloc_problem *random_problem(rng *r, uint32_t count, bool rules)
{
	g_autoptr(GString) text = g_string_new("id,lower,upper,size,alignment,offset\n");

	for (uint32_t i = 0; i < count; i++) {
		unsigned lower = (unsigned)rng_below(r, 8), length = 1 + (unsigned)rng_below(r, 5);
		unsigned alignment = rules ? 1 + (unsigned)rng_below(r, 3) : 1;

		g_string_append_printf(text, "%u,%u,%u,%u,%u,", i, lower, lower + length, 1 + (unsigned)rng_below(r, 6),
		                       alignment);
		if (rules && rng_below(r, 8) == 0)
			g_string_append_printf(text, "%u", alignment * (unsigned)rng_below(r, 4));
		g_string_append_c(text, '\n');
	}
	return problem(text->str);
}

/* The exact search alone (no moves): the least height is that found by trying everything, and the height below it is
 * proved to be too little. */
static void agree_with_trying_everything(uint64_t seed, unsigned rounds, bool rules)
{
	unsigned above_live = 0;
	rng r;

	rng_seed(&r, seed, 0);
	for (unsigned round = 0; round < rounds; round++) {
		uint32_t count = 4 + (uint32_t)rng_below(&r, rules ? 3 : 4);
		alloc_problem *p = random_problem(&r, count, rules);
		int64_t address[8], height;
		alloc_result result;

		height = !fixed_collide(p) ? alloc_max_live(p) : HIGH;
		while (height < HIGH && !fits(p, height, address, 0))
			height++;
		result = solve(p, 0, 0, 1000000);
		if (height == HIGH) {
			CU_ASSERT_EQUAL(result.status, ALLOC_INFEASIBLE);
		} else {
			CU_ASSERT_EQUAL(result.status, ALLOC_OPTIMAL);
			CU_ASSERT_EQUAL(result.height_bytes, height);
			if (result.height_bytes != height)
				tap_note("round %u: %d, not %d", round, (int)result.height_bytes, (int)height);
			above_live += height > alloc_max_live(p);
			alloc_result_fini(&result);
			result = solve(p, height - 1, 0, 1000000);
			CU_ASSERT_EQUAL(result.status, ALLOC_INFEASIBLE);
		}
		alloc_result_fini(&result);
		alloc_problem_free(p);
	}
	/* Rules are what lifts so few buffers above what lives at once. */
	CU_ASSERT_EQUAL(above_live > 0, rules);
}

static void small_problems_get_their_least_height(void)
{
	agree_with_trying_everything(4, 200, false);
}

static void small_problems_with_alignments_and_fixed_addresses_do_too(void)
{
	agree_with_trying_everything(5, 200, true);
}

/* A memory of 64 is cut into pieces in time and address: it can be filled again without a byte lost. */
static void cut(GString *text, rng *r, unsigned *id, int64_t lower, int64_t upper, int64_t size, unsigned depth)
{
	if (depth == 0 || (upper - lower < 2 && size < 2)) {
		g_string_append_printf(text, "%u,%d,%d,%d\n", (*id)++, (int)lower, (int)upper, (int)size);
	} else if (size < 2 || (upper - lower > 1 && rng_below(r, 2))) {
		int64_t middle = lower + 1 + (int64_t)rng_below(r, (uint64_t)(upper - lower - 1));

		cut(text, r, id, lower, middle, size, depth - 1);
		cut(text, r, id, middle, upper, size, depth - 1);
	} else {
		int64_t part = 1 + (int64_t)rng_below(r, (uint64_t)(size - 1));

		cut(text, r, id, lower, upper, part, depth - 1);
		cut(text, r, id, lower, upper, size - part, depth - 1);
	}
}

static void memories_cut_into_pieces_are_filled_again(void)
{
	rng r;

	rng_seed(&r, 6, 0);
	for (unsigned round = 0; round < 40; round++) {
		g_autoptr(GString) text = g_string_new("id,lower,upper,size\n");
		unsigned id = 0;
		alloc_problem *p;
		alloc_result result;

		cut(text, &r, &id, 0, 64, 64, 5);
		p = problem(text->str);
		result = solve(p, 64, 0, 1000000);
		CU_ASSERT_EQUAL(result.status, ALLOC_OPTIMAL);
		CU_ASSERT_EQUAL(result.height_bytes, 64);
		alloc_result_fini(&result);
		alloc_problem_free(p);
	}
}

static void equal_seeds_give_equal_layouts_and_budgets_are_kept(void)
{
	rng r;
	alloc_problem *p;
	alloc_result one, two;

	rng_seed(&r, 7, 0);
	p = random_problem(&r, 200, false);
	one = solve(p, 0, 50, 5000);
	two = solve(p, 0, 50, 5000);
	CU_ASSERT_EQUAL(memcmp(one.address, two.address, p->count * sizeof(*one.address)), 0);
	CU_ASSERT_TRUE(one.moves <= 50 && one.nodes <= 5000 + 1);
	CU_ASSERT_TRUE(one.height_bytes <= one.greedy_height_bytes);
	alloc_result_fini(&one);
	alloc_result_fini(&two);
	alloc_problem_free(p);
}

/* 9000 buffers, more than the exact search takes: greedy and a few moves, and an end. */
static void very_many_buffers_are_left_to_greedy(void)
{
	rng r;
	alloc_problem *p;
	alloc_result result;

	rng_seed(&r, 9, 0);
	p = random_problem(&r, 9000, false);
	result = solve(p, 0, 0, 1000000);
	CU_ASSERT_EQUAL(result.nodes, 0);
	CU_ASSERT_TRUE(result.height_bytes >= result.lower_bound_bytes);
	alloc_result_fini(&result);
	alloc_problem_free(p);
}

static void the_check_sees_what_is_wrong(void)
{
	alloc_problem *p = problem("id,lower,upper,size,alignment,offset\na,0,3,4,1,\nb,2,9,4,4,\nc,3,9,2,1,0\n");
	static const struct {
		int64_t address[3], limit;
		const char *says;
	} rows[] = {
		{{2, 8, 0}, 12, NULL},
		{{2, 8, 0}, 11, "buffer b is outside"},
		{{-1, 8, 0}, 12, "buffer a is outside"},
		{{2, 6, 0}, 12, "buffer b is not aligned"},
		{{2, 8, 1}, 12, "buffer c is not where it must be"},
		{{5, 8, 0}, 12, "buffers a and b share bytes"},
		{{4, 0, 0}, 12, "buffers b and c share bytes"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *says = alloc_check(p, rows[i].address, rows[i].limit);

		CU_ASSERT_TRUE(g_strcmp0(says, rows[i].says) == 0);
		if (g_strcmp0(says, rows[i].says) != 0)
			tap_note("row %u: %s", i, says ? says : "nothing");
	}
	alloc_problem_free(p);
}

static void files_are_read_or_refused_with_the_place(void)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "x.csv:1:1: expected a header: id,lower,upper,size"},
		{"id,lower,uper,size\n", "x.csv:1:10: expected the name of a column: did you mean 'upper'?"},
		{"id,lower,upper,end,size\n", "x.csv:1:16: expected each column once"},
		{"id,lower,size\n", "x.csv:1:14: expected columns id, lower, upper and size"},
		{"id,lower,upper,size\na,0,3\n", "x.csv:2:6: expected as many fields as in the header"},
		{"id,lower,upper,size\na,0,3,4,5\n", "x.csv:2:9: expected the end of the line"},
		{"id,lower,upper,size\na,0,3,0\n", "x.csv:2:7: expected a number of bytes from 1 to 2^44"},
		{"id,lower,upper,size\na,0,x,1\n", "x.csv:2:5: expected a cycle"},
		{"id,lower,upper,size\na,3,3,1\n", "x.csv:2:1: expected a life that ends after it begins"},
		{"id,lower,upper,size\na,0,3,1\na,0,3,1\n", "x.csv:3:1: expected an id that no other buffer has"},
		{"id,lower,upper,size,gaps\na,0,9,1,2-3\n",
	         "x.csv:2:9: expected nothing: lives with gaps are not modelled"},
		{"id,lower,upper,size,alignment,offset\na,0,9,1,4,2\n",
	         "x.csv:2:1: expected an offset that is aligned"},
	};
	alloc_problem *p = problem("size,upper,lower,id,hint,alignment\r\n\r\n4, 9 ,-2,x y,7,\r\n");
	GError *error = NULL;

	CU_ASSERT_EQUAL(p->count, 1);
	CU_ASSERT_STRING_EQUAL(p->buffers[0].id, "x y");
	CU_ASSERT_EQUAL(p->buffers[0].lower, -2);
	CU_ASSERT_EQUAL(p->buffers[0].upper, 9);
	CU_ASSERT_EQUAL(p->buffers[0].alignment_bytes, 1);
	alloc_problem_free(p);
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		CU_ASSERT_PTR_NULL(alloc_read(rows[i].text, "x.csv", true, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i].message);
		if (strcmp(error->message, rows[i].message) != 0)
			tap_note("%s", error->message);
		g_clear_error(&error);
	}
}

static void accesses_are_read_or_refused_with_the_place(void)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "y.csv:1:1: expected a header: cycle,id or first,second"},
		{"cycle,id,first\n", "y.csv:1:15: expected columns cycle and id, or first and second"},
		{"cycle,id\n0,c\n", "y.csv:2:3: expected the id of a buffer"},
		{"cycle,id,byte\n0,a,4\n", "y.csv:2:1: expected a byte within the buffer"},
		{"first,second\na,a\n", "y.csv:2:1: expected two different buffers"},
	};
	alloc_problem *p = problem("id,lower,upper,size\na,0,3,4\nb,0,3,4\n");
	GError *error = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		CU_ASSERT_PTR_NULL(alloc_read_accesses(rows[i].text, "y.csv", p, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i].message);
		if (strcmp(error->message, rows[i].message) != 0)
			tap_note("%s", error->message);
		g_clear_error(&error);
	}
	alloc_problem_free(p);
}

/* Buffers of 4 bytes, blocks of 2, bank = block mod 4.  a at 0: blocks 0, 1; b at 8: blocks 4, 5, banks 0, 1 as well.
 * In step that is two conflicts in two cycles; and both first bytes in cycle 5, with byte 2 of a: banks 0, 0, 1: one.
 */
static unsigned modulo(const void *banks, uint64_t block)
{
	return (unsigned)(block % *(const unsigned *)banks);
}

static void conflicts_are_counted_by_cycle_and_bank(void)
{
	alloc_problem *p = problem("id,lower,upper,size\na,0,3,4\nb,0,3,4\n");
	alloc_accesses *a = alloc_read_accesses("cycle,id,byte\n5,b,\n5,a,0\n5,a,2\n7,a,1\n", "y.csv", p, NULL);
	alloc_accesses *pairs = alloc_read_accesses("first,second\na,b\n", "y.csv", p, NULL);
	unsigned four = 4;
	alloc_bank_map map = {.banks = four, .block_bytes = 2, .bank = modulo, .state = &four};
	int64_t address[] = {0, 8};
	alloc_banks *banks = alloc_banks_new(p, a, &map, address, NULL);
	alloc_occupancy o = alloc_banks_occupancy(banks, address);

	CU_ASSERT_EQUAL(o.accesses, 4);
	CU_ASSERT_EQUAL(o.cycles, 2);
	CU_ASSERT_EQUAL(o.conflicts, 1);
	CU_ASSERT_EQUAL(o.cycles_in_conflict, 1);
	CU_ASSERT_EQUAL(o.fullest, 2);
	CU_ASSERT_EQUAL(o.mean_fullest, 1.5);
	CU_ASSERT_EQUAL(alloc_banks_cost(banks, 1, 8), 1);
	CU_ASSERT_EQUAL(alloc_banks_cost(banks, 1, 10), 1); /* bank 1, where byte 2 of a is */
	CU_ASSERT_EQUAL(alloc_banks_cost(banks, 1, 12), 0);
	alloc_banks_free(banks);
	banks = alloc_banks_new(p, pairs, &map, address, NULL);
	o = alloc_banks_occupancy(banks, address);
	CU_ASSERT_EQUAL(o.cycles, 2);
	CU_ASSERT_EQUAL(o.conflicts, 2);
	alloc_banks_free(banks);
	alloc_accesses_free(a);
	alloc_accesses_free(pairs);
	alloc_problem_free(p);
}

/* Eight buffers of one block, all in one cycle, eight banks and a memory of 16 blocks: at even blocks they take four
 * banks twice each, four conflicts; each can have its own.  The cost that the engine believes is the one counted anew.
 */
static void buffers_move_to_banks_of_their_own(void)
{
	g_autoptr(GString) text = g_string_new("id,lower,upper,size\n"), uses = g_string_new("cycle,id\n");
	int64_t address[8];
	alloc_refinement how = {.capacity_bytes = 32,
	                        .step_bytes = 2,
	                        .steps = 8,
	                        .moves = 2000,
	                        .seed = 1,
	                        .cost = alloc_banks_cost,
	                        .moved = alloc_banks_moved};
	unsigned eight = 8;
	alloc_bank_map map = {.banks = eight, .block_bytes = 2, .bank = modulo, .state = &eight};
	g_autofree char *wrong = NULL;
	alloc_problem *p;
	alloc_accesses *a;
	uint64_t moves;

	for (int i = 0; i < 8; i++) {
		g_string_append_printf(text, "%d,0,3,2\n", i);
		g_string_append_printf(uses, "1,%d\n", i);
		address[i] = 4 * i;
	}
	p = problem(text->str);
	a = alloc_read_accesses(uses->str, "y.csv", p, NULL);
	how.state = alloc_banks_new(p, a, &map, address, NULL);
	CU_ASSERT_EQUAL(alloc_banks_occupancy(how.state, address).conflicts, 4);
	CU_ASSERT_EQUAL(alloc_refine(p, &how, address, &moves), -4);
	CU_ASSERT_EQUAL(alloc_banks_occupancy(how.state, address).conflicts, 0);
	wrong = alloc_check(p, address, 32);
	CU_ASSERT_PTR_NULL(wrong);
	alloc_banks_free(how.state);
	alloc_accesses_free(a);
	alloc_problem_free(p);
}

int main(void)
{
	static const tap_case cases[] = {
		{"lives_that_touch_share_bytes", lives_that_touch_share_bytes},
		{"an_end_is_the_last_cycle_of_a_life", an_end_is_the_last_cycle_of_a_life},
		{"less_than_what_lives_at_once_is_proved_infeasible",
	         less_than_what_lives_at_once_is_proved_infeasible},
		{"an_alignment_is_kept", an_alignment_is_kept},
		{"a_fixed_address_is_kept", a_fixed_address_is_kept},
		{"no_buffers_take_no_bytes", no_buffers_take_no_bytes},
		{"small_problems_get_their_least_height", small_problems_get_their_least_height},
		{"small_problems_with_alignments_and_fixed_addresses_do_too",
	         small_problems_with_alignments_and_fixed_addresses_do_too},
		{"memories_cut_into_pieces_are_filled_again", memories_cut_into_pieces_are_filled_again},
		{"equal_seeds_give_equal_layouts_and_budgets_are_kept",
	         equal_seeds_give_equal_layouts_and_budgets_are_kept},
		{"very_many_buffers_are_left_to_greedy", very_many_buffers_are_left_to_greedy},
		{"the_check_sees_what_is_wrong", the_check_sees_what_is_wrong},
		{"files_are_read_or_refused_with_the_place", files_are_read_or_refused_with_the_place},
		{"accesses_are_read_or_refused_with_the_place", accesses_are_read_or_refused_with_the_place},
		{"conflicts_are_counted_by_cycle_and_bank", conflicts_are_counted_by_cycle_and_bank},
		{"buffers_move_to_banks_of_their_own", buffers_move_to_banks_of_their_own},
	};

	return tap_run("alloc", cases, G_N_ELEMENTS(cases));
}
