/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators of the annealer.  Lists stay in an order in which arcs point forward.
 */
#include <string.h>

#include "sched/alg/anneal_int.h"

/* How often at most swap and shift change a list at once, how often they look for something to change, and the longest
 * way of a swap as a share of the list. */
enum { MOST_CHANGES = 6, ATTEMPTS = 20, SWAP_SHARE = 6 };

/* Where the task at PLACE may go: not before what it follows, not after what follows it. */
static void room_of(const anneal_chain *c, const alg_flat *f, uint32_t place, uint32_t *least, uint32_t *most)
{
	uint32_t v = c->list[place];

	*least = 0;
	*most = f->tasks - 1;
	for (uint32_t i = f->in_first[v]; i < f->in_first[v + 1]; i++)
		*least = MAX(*least, c->place[f->in[i].task] + 1);
	for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
		*most = MIN(*most, c->place[f->out[i].task] - 1);
}

static void put(anneal_chain *c, uint32_t place, uint32_t v)
{
	c->list[place] = v;
	c->place[v] = place;
}

static void swap_once(anneal_chain *c, const alg_flat *f)
{
	uint32_t reach = MAX(f->tasks / SWAP_SHARE, 2);

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		uint32_t i = (uint32_t)rng_below(&c->noise, f->tasks), k, least, most, v = c->list[i];

		room_of(c, f, i, &least, &most);
		most = MIN(most, i + reach);
		if (most <= i)
			continue;
		k = i + 1 + (uint32_t)rng_below(&c->noise, most - i);
		room_of(c, f, k, &least, &most);
		if (least > i)
			continue;
		put(c, i, c->list[k]);
		put(c, k, v);
		return;
	}
}

static void shift_once(anneal_chain *c, const alg_flat *f)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		uint32_t from = (uint32_t)rng_below(&c->noise, f->tasks), to, least, most, v = c->list[from];

		room_of(c, f, from, &least, &most);
		if (most <= least)
			continue;
		to = least + (uint32_t)rng_below(&c->noise, most - least);
		to += to >= from;
		for (; from < to; from++)
			put(c, from, c->list[from + 1]);
		for (; from > to; from--)
			put(c, from, c->list[from - 1]);
		put(c, to, v);
		return;
	}
}

static void move_swap(anneal_chain *c, unsigned reversed)
{
	for (uint64_t n = 1 + rng_below(&c->noise, MOST_CHANGES); n > 0; n--)
		swap_once(c, c->sides.flat[reversed]);
}

static void move_shift(anneal_chain *c, unsigned reversed)
{
	for (uint64_t n = 1 + rng_below(&c->noise, MOST_CHANGES); n > 0; n--)
		shift_once(c, c->sides.flat[reversed]);
}

static void move_unit(anneal_chain *c, unsigned reversed)
{
	const alg_problem *problem = c->a->problem;
	uint32_t processors = alg_problem_processors(problem);

	(void)reversed;
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		uint32_t v = (uint32_t)rng_below(&c->noise, c->a->tasks);
		uint32_t modes = g_array_index(problem->tasks, alg_task, v).mode_count;
		uint32_t mode = (uint32_t)rng_below(&c->noise, modes);
		uint32_t processor = alg_problem_mode(problem, v, mode)->processor;

		if (processor == ALG_ANY_PROCESSOR)
			processor = (uint32_t)rng_below(&c->noise, processors);
		if (mode == c->trial.mode[v] && processor == c->trial.processor[v])
			continue;
		c->trial.mode[v] = mode;
		c->trial.processor[v] = processor;
		return;
	}
}

/* An insertion sort: stretches are nearly in order already. */
static void move_stretch(anneal_chain *c, unsigned reversed)
{
	uint32_t n = c->a->tasks;
	uint32_t length = MIN(2 + (uint32_t)rng_below(&c->noise, MAX(n / 2, 2)), n);
	uint32_t from = (uint32_t)rng_below(&c->noise, n - length + 1);
	const anneal_state *elite = &c->a->elite[rng_below(&c->noise, c->a->chains)];

	for (uint32_t i = from; i < from + length; i++) {
		uint32_t v = c->list[i], to = i;
		int64_t key = elite->reversed == reversed ? elite->start[v] : -elite->end[v];

		for (; to > from && c->key[to - 1] > key; to--) {
			put(c, to, c->list[to - 1]);
			c->key[to] = c->key[to - 1];
		}
		c->key[to] = key;
		put(c, to, v);
	}
}

void anneal_i_move(anneal_chain *c, enum anneal_move move, unsigned reversed)
{
	static void (*const moves[])(anneal_chain *, unsigned) = {
#define MOVE(name, doc) move_##name,
#include "sched/alg/moves.def"
	};

	moves[move](c, reversed);
}
