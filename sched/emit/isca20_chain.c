/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of the operations in a loop.
 *
 * Every operation starts as early as its operands allow; then operations are moved later as long as that saves copies.
 * A value that is wanted in several cycles passes through a chain of copies that all its late readers share.
 */
#include "sched/emit/isca20_loop.h"

int64_t isca_op_cycles(const isca *c, enum isa_op op)
{
	return isa_machine_timing(c->m, isa_ops[op].timing);
}

static bool reads(const low_step *s, unsigned value)
{
	return s->in[0] == (int)value || s->in[1] == (int)value;
}

/* When the value of step I is there, for readers at the ALU. */
static int64_t due(const isca *c, const isca_loop *loop, const isca_chain *chain, unsigned i)
{
	const low_step *s = isca_step(loop, i);

	return chain->start[i] + (s->kind == LOW_OP ? isca_op_cycles(c, s->op) : 0);
}

static bool is_op(const isca_loop *loop, int i)
{
	return i >= 0 && isca_step(loop, (unsigned)i)->kind == LOW_OP;
}

static void start_early(const isca *c, const isca_loop *loop, isca_chain *chain)
{
	for (unsigned i = 0; i < loop->steps->len; i++) {
		const low_step *s = isca_step(loop, i);

		chain->start[i] = 0;
		for (unsigned o = 0; o < 2 && s->kind == LOW_OP; o++)
			if (is_op(loop, s->in[o]))
				chain->start[i] = MAX(chain->start[i], due(c, loop, chain, (unsigned)s->in[o]));
	}
}

/* Loads are sampled for their earliest reader. */
static void start_loads(const isca_loop *loop, isca_chain *chain)
{
	for (unsigned i = 0; i < loop->steps->len; i++) {
		int64_t start = INT64_MAX;

		if (isca_step(loop, i)->kind != LOW_LOAD)
			continue;
		for (unsigned j = i + 1; j < loop->steps->len; j++)
			if (is_op(loop, (int)j) && reads(isca_step(loop, j), i))
				start = MIN(start, chain->start[j]);
		chain->start[i] = start == INT64_MAX ? 0 : start;
	}
}

/* Counts copies and ALUs; false when a delay is no multiple of a copy's. */
static bool count_copies(const isca *c, const isca_loop *loop, isca_chain *chain)
{
	int64_t copy = c->m->vxm_op_cycles;

	start_loads(loop, chain);
	chain->alus = 0;
	for (unsigned i = 0; i < loop->steps->len; i++) {
		const low_step *s = isca_step(loop, i);
		int64_t longest = 0;

		chain->copies[i] = 0;
		if (s->kind != LOW_OP && s->kind != LOW_LOAD)
			continue;
		for (unsigned j = i + 1; j < loop->steps->len; j++) {
			int64_t wait;

			if (!is_op(loop, (int)j) || !reads(isca_step(loop, j), i))
				continue;
			wait = chain->start[j] - due(c, loop, chain, i);
			if (wait < 0 || wait % copy)
				return false;
			longest = MAX(longest, wait);
		}
		chain->copies[i] = (uint32_t)(longest / copy);
		chain->alus += chain->copies[i] + (s->kind == LOW_OP);
	}
	return true;
}

/* How much later may operation I start without moving its readers? */
static int64_t slack(const isca *c, const isca_loop *loop, const isca_chain *chain, unsigned i)
{
	int64_t least = INT64_MAX;

	for (unsigned j = i + 1; j < loop->steps->len; j++)
		if (is_op(loop, (int)j) && reads(isca_step(loop, j), i))
			least = MIN(least, chain->start[j] - due(c, loop, chain, i));
	return least == INT64_MAX ? 0 : least;
}

static unsigned cost(const isca *c, const isca_loop *loop, isca_chain *chain)
{
	return count_copies(c, loop, chain) ? chain->alus : UINT_MAX;
}

bool isca_time_chain(const isca *c, const isca_loop *loop, isca_chain *chain)
{
	bool moved = true;
	unsigned best;

	start_early(c, loop, chain);
	best = cost(c, loop, chain);
	while (moved) {
		moved = false;
		for (unsigned i = loop->steps->len; i-- > 0;) {
			int64_t start = chain->start[i];
			int64_t later = is_op(loop, (int)i) ? slack(c, loop, chain, i) : 0;
			unsigned now;

			if (later <= 0)
				continue;
			chain->start[i] = start + later;
			now = cost(c, loop, chain);
			if (now < best || (now == best && now == UINT_MAX)) {
				best = now;
				moved = true;
				continue;
			}
			chain->start[i] = start;
		}
	}
	return cost(c, loop, chain) <= c->alus;
}
