/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the stream-style back end by themselves: calendars, stretches of loops, timing of chains, cutting of loops,
 * tiles.
 */
#include "sched/emit/isca20_plan.h"

#include "tests/lib/tap.h"
#include "tests/sched/isca_chip.h"

/* ------------------------------------------------------------------------------------------------ calendars */

static void queue_is_free_before_between_and_after_spans(void)
{
	isca_line line;

	isca_line_init(&line, 0);
	isca_line_take(&line, 10, 19, 1);
	isca_line_take(&line, 25, 29, 1);
	CU_ASSERT_EQUAL(isca_line_next(&line, 0, 10, 1), 0);  /* 0..9 */
	CU_ASSERT_EQUAL(isca_line_next(&line, 1, 10, 1), 30); /* 11 cycles do not fit before 25 */
	CU_ASSERT_EQUAL(isca_line_next(&line, 12, 5, 1), 20);
	CU_ASSERT_EQUAL(isca_line_next(&line, 12, 6, 1), 30);
	isca_line_fini(&line);
}

static void queue_keeps_a_cycle_free_for_fetching_words(void)
{
	isca_line line;

	isca_line_init(&line, 6);
	isca_line_take(&line, 10, 19, 3);
	isca_line_take(&line, 20, 29, 3); /* six words without a free cycle: that is the limit */
	CU_ASSERT_EQUAL(isca_line_next(&line, 30, 5, 1), 31);
	CU_ASSERT_EQUAL(isca_line_next(&line, 5, 5, 1), 31); /* 5..9 would touch them from before */
	CU_ASSERT_EQUAL(isca_line_next(&line, 4, 5, 1), 4);
	isca_line_fini(&line);
}

static void streams_are_reused_on_distant_parts_of_a_diagonal(void)
{
	isca_use near_mxm = {100, 20, 1, 1, 11};
	isca_use near_vxm = {100, 20, 1, 15, 22};
	isca_use across = {119, 1, 1, 10, 16};
	isca_stream s;

	isca_stream_init(&s);
	isca_stream_take(&s, &near_mxm);
	CU_ASSERT_EQUAL(isca_stream_delay(&s, &near_vxm), 0);
	isca_stream_take(&s, &near_vxm);
	/* Diagonal 119 is taken at positions 10 and 11, and 15 and 16; 120 is the first free one. */
	CU_ASSERT_EQUAL(isca_stream_delay(&s, &across), 1);
	isca_stream_fini(&s);
}

static void bursts_of_one_interval_share_a_stream_by_residue(void)
{
	isca_use even = {100, 10, 2, 1, 5}, odd = {101, 10, 2, 1, 5}, other = {102, 10, 3, 1, 5};
	isca_stream s;

	isca_stream_init(&s);
	isca_stream_take(&s, &even);
	CU_ASSERT_EQUAL(isca_stream_delay(&s, &odd), 0);
	CU_ASSERT_EQUAL(isca_stream_delay(&s, &even), 1);
	/* Another interval waits for the end, diagonal 118. */
	CU_ASSERT_EQUAL(isca_stream_delay(&s, &other), 119 - 102);
	isca_stream_fini(&s);
}

/* ------------------------------------------------------------------------------------------------ stretches */

static void assert_run(const uint32_t *sequence, uint32_t first, uint32_t end, uint32_t inner, uint32_t outer)
{
	isca_run run = isca_find_run(&sequence, 1, first, 1, end);

	CU_ASSERT_EQUAL(run.inner, inner);
	CU_ASSERT_EQUAL(run.outer, outer);
}

static void stretches_are_as_long_as_two_loops_reach(void)
{
	static const uint32_t even[] = {5, 7, 9, 11};
	static const uint32_t rows[] = {0, 1, 2, 10, 11, 12, 20, 21, 22, 5};
	static const uint32_t broken[] = {0, 1, 2, 10, 11, 13};

	assert_run(even, 0, 4, 4, 1);
	assert_run(even, 3, 4, 1, 1);
	assert_run(rows, 0, 10, 3, 3);
	assert_run(rows, 0, 8, 3, 2); /* the third row is not whole */
	assert_run(broken, 0, 6, 3, 1);
}

static void stretches_step_evenly_in_every_sequence(void)
{
	static const uint32_t a[] = {0, 1, 2, 3, 4, 5}, b[] = {0, 4, 8, 1, 5, 9};
	const uint32_t *both[] = {a, b};
	isca_run run = isca_find_run(both, 2, 0, 1, 6);

	CU_ASSERT_EQUAL(run.inner, 3);
	CU_ASSERT_EQUAL(run.outer, 2);
	run = isca_find_run(both, 2, 0, 2, 6); /* elements 0, 2, 4: 0 2 4 and 0 8 5 */
	CU_ASSERT_EQUAL(run.inner, 2);
	CU_ASSERT_EQUAL(run.outer, 1);
}

/* --------------------------------------------------------------------------------------------------- chains */

static low_step load(uint32_t tensor, int64_t first)
{
	return (low_step){.kind = LOW_LOAD,
	                  .ref = {tensor, 1, first, 1, 0},
	                  .type = ISA_TYPE_F32,
	                  .dtype = ISA_TYPE_F32,
	                  .in = {-1, -1}};
}

static low_step op(enum isa_op code, int16_t x, int16_t y)
{
	return (low_step){.kind = LOW_OP, .op = code, .type = ISA_TYPE_F32, .dtype = ISA_TYPE_F32, .in = {x, y}};
}

static low_step store(uint32_t tensor, int16_t x)
{
	low_step s = load(tensor, 0);

	s.kind = LOW_STORE;
	s.in[0] = x;
	return s;
}

static isca_loop *loop_of(const low_step *steps, unsigned count)
{
	isca_loop *loop = isca_loop_new(10, 1, 320);

	g_array_append_vals(loop->steps, steps, count);
	return loop;
}

/* Enough of a context for timing. */
static isca context(const isa_machine *m)
{
	return (isca){.m = m, .alus = (unsigned)m->vxm_ops, .stream_count = (unsigned)m->streams, .lanes = 320};
}

static void operand_from_memory_comes_when_it_is_wanted(void)
{
	/* (a * b) + c: the sum starts 3 cycles after the product, and so is c sampled; no copies. */
	const low_step steps[] = {load(0, 0), load(1, 0), op(ISA_OP_MUL, 0, 1), load(2, 0), op(ISA_OP_ADD, 2, 3)};
	isa_machine *m = isca_machine(NULL);
	isca c = context(m);
	isca_loop *loop = loop_of(steps, G_N_ELEMENTS(steps));
	isca_chain chain;

	CU_ASSERT_TRUE(isca_time_chain(&c, loop, &chain));
	CU_ASSERT_EQUAL(chain.start[2], 0);
	CU_ASSERT_EQUAL(chain.start[4], 3);
	CU_ASSERT_EQUAL(chain.start[3], 3);
	CU_ASSERT_EQUAL(chain.alus, 2);
	isca_loop_free(loop);
	isa_machine_free(m);
}

static void value_that_waits_is_handed_on_by_copies(void)
{
	/* exp(x) * x: x is wanted at 0 and at 12, four copies of 3 cycles. */
	const low_step steps[] = {load(0, 0), op(ISA_OP_EXP, 0, -1), op(ISA_OP_MUL, 1, 0)};
	isa_machine *m = isca_machine(NULL);
	isca c = context(m);
	isca_loop *loop = loop_of(steps, G_N_ELEMENTS(steps));
	isca_chain chain;

	CU_ASSERT_TRUE(isca_time_chain(&c, loop, &chain));
	CU_ASSERT_EQUAL(chain.start[2], 12);
	CU_ASSERT_EQUAL(chain.copies[0], 4);
	CU_ASSERT_EQUAL(chain.alus, 2 + 4);
	isca_loop_free(loop);
	isa_machine_free(m);
}

static void operation_is_moved_later_when_that_saves_copies(void)
{
	/* exp(a) + (b * c): the product starts at 9, not at 0. */
	const low_step steps[] = {load(0, 0), op(ISA_OP_EXP, 0, -1), load(1, 0),
	                          load(2, 0), op(ISA_OP_MUL, 2, 3),  op(ISA_OP_ADD, 1, 4)};
	isa_machine *m = isca_machine(NULL);
	isca c = context(m);
	isca_loop *loop = loop_of(steps, G_N_ELEMENTS(steps));
	isca_chain chain;

	CU_ASSERT_TRUE(isca_time_chain(&c, loop, &chain));
	CU_ASSERT_EQUAL(chain.start[4], 9);
	CU_ASSERT_EQUAL(chain.alus, 3);
	isca_loop_free(loop);
	isa_machine_free(m);
}

static void delay_that_no_copies_make_up_is_refused(void)
{
	/* exp takes 13 cycles: x cannot be held back 13 cycles by copies of 3. */
	const low_step steps[] = {load(0, 0), op(ISA_OP_EXP, 0, -1), op(ISA_OP_MUL, 1, 0)};
	isa_machine *m = isca_machine((const char *const[]){"vxm.transcendental_cycles=13", NULL});
	isca c = context(m);
	isca_loop *loop = loop_of(steps, G_N_ELEMENTS(steps));
	isca_chain chain;

	CU_ASSERT_FALSE(isca_time_chain(&c, loop, &chain));
	isca_loop_free(loop);
	isa_machine_free(m);
}

/* -------------------------------------------------------------------------------------------------- cutting */

static GPtrArray *cut(const isa_machine *m, const low_step *steps, unsigned count, const isca_limits *limits,
                      GArray *tensors)
{
	isca c = context(m);
	low_vloop loop = {.n0 = 10, .n1 = 1, .lanes = 320, .steps = g_array_new(FALSE, FALSE, sizeof(low_step))};
	GPtrArray *parts;

	for (unsigned i = 0; i < 4; i++) {
		isca_tensor t = {.rows = 10, .lanes = 320, .vector_lanes = 320, .blocks = 1, .node = i};

		g_array_append_val(tensors, t);
	}
	g_array_append_vals(loop.steps, steps, count);
	parts = isca_split_loop(&c, &loop, "test", limits, tensors);
	g_array_unref(loop.steps);
	return parts;
}

static void small_loop_stays_whole(void)
{
	const low_step steps[] = {load(0, 0), load(1, 0), op(ISA_OP_MUL, 0, 1), store(2, 2)};
	const isca_limits limits = {32, false, false};
	isa_machine *m = isca_machine(NULL);
	g_autoptr(GArray) tensors = g_array_new(FALSE, TRUE, sizeof(isca_tensor));
	GPtrArray *parts = cut(m, steps, G_N_ELEMENTS(steps), &limits, tensors);

	CU_ASSERT_EQUAL(parts->len, 1);
	CU_ASSERT_EQUAL(tensors->len, 4);
	g_ptr_array_unref(parts);
	isa_machine_free(m);
}

static void results_of_lane_exchanges_pass_through_memory(void)
{
	/* x * y plus x with lanes exchanged: the exchange and the product in one loop, the sum in the next. */
	low_step steps[] = {load(0, 0),           op(ISA_OP_COPY, 0, -1), load(1, 0),
	                    op(ISA_OP_MUL, 0, 2), op(ISA_OP_ADD, 3, 1),   store(2, 4)};
	const isca_limits limits = {32, false, false};
	isa_machine *m = isca_machine(NULL);
	g_autoptr(GArray) tensors = g_array_new(FALSE, TRUE, sizeof(isca_tensor));
	GPtrArray *parts;

	steps[1].kind = LOW_LANES;
	steps[1].lane_xor = 16;
	parts = cut(m, steps, G_N_ELEMENTS(steps), &limits, tensors);
	CU_ASSERT_EQUAL_FATAL(parts->len, 2);
	/* load x, exchange, load y, product, and two stores for the second loop */
	CU_ASSERT_EQUAL(((isca_loop *)parts->pdata[0])->steps->len, 6);
	/* two loads, sum, store */
	CU_ASSERT_EQUAL(((isca_loop *)parts->pdata[1])->steps->len, 4);
	CU_ASSERT_EQUAL(tensors->len, 4 + 2);
	g_ptr_array_unref(parts);
	isa_machine_free(m);
}

static void loads_beyond_the_limit_go_to_loops_of_their_own(void)
{
	/* (a * b) + (c * d), 4 bytes each: eight bytes at once make three loops. */
	const low_step steps[] = {load(0, 0), load(1, 0),           op(ISA_OP_MUL, 0, 1), load(2, 0),
	                          load(3, 0), op(ISA_OP_MUL, 3, 4), op(ISA_OP_ADD, 2, 5), store(0, 6)};
	const isca_limits limits = {8, false, false};
	isa_machine *m = isca_machine(NULL);
	g_autoptr(GArray) tensors = g_array_new(FALSE, TRUE, sizeof(isca_tensor));
	GPtrArray *parts = cut(m, steps, G_N_ELEMENTS(steps), &limits, tensors);

	CU_ASSERT_EQUAL(parts->len, 3);
	CU_ASSERT_EQUAL(tensors->len, 4 + 2);
	g_ptr_array_unref(parts);
	isa_machine_free(m);
}

/* ---------------------------------------------------------------------------------------------------- tiles */

static void tile_spreads_rows_and_folds_blocks_into_parts(void)
{
	/* 10 rows of 5 blocks, two bytes; rows over 4 groups of 2 slices; 3 words a block, two blocks of them fit into
	 * 8 words, so three parts. */
	isca_tile tile = {.period = 12, .rows = 12, .batches = 1, .blocks = 5, .bytes = 2, .slice = 3, .word = 100};
	const isca_fold folds[] = {{ISCA_DIM_ROW, 4, 3}, {ISCA_DIM_BLOCK, 1, 5}};

	isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	isca_tile_add(&tile, ISCA_DIM_ROW, 1, 4, 2, 0);
	CU_ASSERT_EQUAL(isca_tile_lay(&tile, 1, folds, 2, 8, 8), 3);
	/* row 6 = group 2, word 1; block 3 = part 1, second in it; byte 1 */
	CU_ASSERT_EQUAL(isca_tile_place(&tile, 6, 3, 1), (3u + 2 * 2 + 8 + 1) << 16 | (100 + 1 + 3));
	CU_ASSERT_TRUE(isca_tile_covers(&tile, 11, 4));
	CU_ASSERT_FALSE(isca_tile_covers(&tile, 12, 4));
	isca_tile_filter(&tile, ISCA_DIM_BLOCK, 1, 2, 1);
	CU_ASSERT_FALSE(isca_tile_covers(&tile, 6, 2));
	CU_ASSERT_TRUE(isca_tile_covers(&tile, 6, 3));
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(name) {#name, name}
		CASE(queue_is_free_before_between_and_after_spans),
		CASE(queue_keeps_a_cycle_free_for_fetching_words),
		CASE(streams_are_reused_on_distant_parts_of_a_diagonal),
		CASE(bursts_of_one_interval_share_a_stream_by_residue),
		CASE(stretches_are_as_long_as_two_loops_reach),
		CASE(stretches_step_evenly_in_every_sequence),
		CASE(operand_from_memory_comes_when_it_is_wanted),
		CASE(value_that_waits_is_handed_on_by_copies),
		CASE(operation_is_moved_later_when_that_saves_copies),
		CASE(delay_that_no_copies_make_up_is_refused),
		CASE(small_loop_stays_whole),
		CASE(results_of_lane_exchanges_pass_through_memory),
		CASE(loads_beyond_the_limit_go_to_loops_of_their_own),
		CASE(tile_spreads_rows_and_folds_blocks_into_parts),
	};

	return tap_run("isca20_units", cases, G_N_ELEMENTS(cases));
}
