/* SPDX-License-Identifier: Apache-2.0
 *
 * One chain of the annealer.  Its state is a schedule in one direction of time.  A step takes the tasks in the order of
 * their ends seen from the other direction (which alone is justification and never makes a schedule longer), changes
 * that list by an operator, and builds one schedule from it in the other direction: by serial generation, or now and
 * then by parallel generation, which leads to schedules that justification does not come to.  Lists that were built
 * before in the same way are changed again instead.
 *
 * Energy = makespan + lambda * (1 - utilisation), where utilisation is how early in the schedule the work lies: 1 when
 * all of it is at the start.  Operators are chosen by UCB1: mean gain (a step that shortens the schedule gains 1) plus
 * exploration.
 */
#include <math.h>
#include <string.h>

#include "sched/alg/anneal_int.h"

enum { SEEN_LISTS = 4096, STOP_EVERY = 64, MOST_REPEATS = 5, START_WAYS = 4 };
static const double exploration = 1.5;
static const double start_spread = 0.1;   /* of the critical path: noise on latest starts */
static const double parallel_share = 0.1; /* of the steps */

void anneal_i_state_init(const anneal *a, anneal_state *s)
{
	*s = (anneal_state){.start = g_new0(int64_t, a->tasks + 1), .end = g_new0(int64_t, a->tasks + 1)};
	if (a->choices) {
		s->mode = g_new0(uint32_t, a->tasks + 1);
		s->processor = g_new0(uint32_t, a->tasks + 1);
	}
	s->makespan_cycles = INT64_MAX;
	s->energy = INFINITY;
}

void anneal_i_state_copy(const anneal *a, anneal_state *to, const anneal_state *from)
{
	memcpy(to->start, from->start, a->tasks * sizeof(*to->start));
	memcpy(to->end, from->end, a->tasks * sizeof(*to->end));
	if (a->choices) {
		memcpy(to->mode, from->mode, a->tasks * sizeof(*to->mode));
		memcpy(to->processor, from->processor, a->tasks * sizeof(*to->processor));
	}
	to->reversed = from->reversed;
	to->makespan_cycles = from->makespan_cycles;
	to->energy = from->energy;
}

void anneal_i_state_fini(anneal_state *s)
{
	g_free(s->start);
	g_free(s->end);
	g_free(s->mode);
	g_free(s->processor);
}

static void sides_fini(const anneal *a, anneal_sides *s)
{
	for (unsigned d = 0; d < 2; d++) {
		alg_sgs_free(s->sgs[d]);
		if (a->choices)
			alg_flat_free(s->flat[d]);
	}
}

/* Both ways round with MODE and PROCESSOR; demands that no capacity meets have been refused before. */
static bool sides_init(const anneal *a, anneal_sides *s, const uint32_t *mode, const uint32_t *processor)
{
	*s = a->sides;
	if (a->choices) {
		s->flat[0] = alg_flat_new(a->problem, mode, processor, NULL);
		s->flat[1] = s->flat[0] ? alg_flat_mirror(s->flat[0]) : NULL;
	}
	for (unsigned d = 0; d < 2; d++)
		s->sgs[d] = s->flat[d] ? alg_sgs_new(s->flat[d]) : NULL;
	return s->flat[0] != NULL;
}

void anneal_i_chain_init(anneal_chain *c, anneal *a, uint64_t stream)
{
	uint32_t n = a->tasks;

	*c = (anneal_chain){.a = a, .found_cycles = INT64_MAX};
	rng_seed(&c->noise, a->options->seed, stream);
	anneal_i_state_init(a, &c->now);
	anneal_i_state_init(a, &c->trial);
	anneal_i_state_init(a, &c->best);
	sides_init(a, &c->sides, a->choices ? a->elite[0].mode : NULL, a->choices ? a->elite[0].processor : NULL);
	if (a->choices) {
		memcpy(c->trial.mode, a->elite[0].mode, n * sizeof(uint32_t));
		memcpy(c->trial.processor, a->elite[0].processor, n * sizeof(uint32_t));
		c->found_mode = g_new0(uint32_t, n + 1);
		c->found_processor = g_new0(uint32_t, n + 1);
	}
	c->found = g_new0(int64_t, n + 1);
	c->list = g_new0(uint32_t, n + 1);
	c->place = g_new0(uint32_t, n + 1);
	c->key = g_new0(int64_t, n + 1);
	c->count = g_new0(uint32_t, 4 * (size_t)n + 1024);
	c->seen = g_new0(uint64_t, SEEN_LISTS);
}

void anneal_i_chain_fini(anneal_chain *c)
{
	anneal_i_state_fini(&c->now);
	anneal_i_state_fini(&c->trial);
	anneal_i_state_fini(&c->best);
	sides_fini(c->a, &c->sides);
	g_free(c->found);
	g_free(c->found_mode);
	g_free(c->found_processor);
	g_free(c->list);
	g_free(c->place);
	g_free(c->key);
	g_free(c->count);
	g_free(c->seen);
}

/* The list for generation in direction REVERSED: a counting sort where times are small enough. */
static void list_from_state(anneal_chain *c, const anneal_state *s, unsigned reversed)
{
	uint32_t n = c->a->tasks;
	const alg_flat *f = c->sides.flat[s->reversed];
	bool by_end = reversed != s->reversed;
	int64_t span = s->makespan_cycles;

	if (span > 4 * (int64_t)n + 1000) {
		alg_flat_list(f, s->start, by_end, c->list);
	} else {
		memset(c->count, 0, (size_t)(span + 2) * sizeof(*c->count));
		for (uint32_t v = 0; v < n; v++)
			c->count[(by_end ? span - s->end[v] : s->start[v]) + 1]++;
		for (int64_t t = 0; t < span; t++)
			c->count[t + 1] += c->count[t];
		for (uint32_t i = 0; i < n; i++) {
			uint32_t v = f->order[by_end ? n - 1 - i : i];

			c->list[c->count[by_end ? span - s->end[v] : s->start[v]]++] = v;
		}
	}
	if (f->loose)
		alg_sgs_repair(c->sides.flat[reversed], c->list);
}

/* Everything about the trial that follows from its starts. */
static void weigh(anneal_chain *c, anneal_state *s, int64_t makespan)
{
	const anneal *a = c->a;
	const alg_flat *f = c->sides.flat[s->reversed];
	double late = 0, work = 0, moment = 0;

	for (uint32_t v = 0; v < a->tasks; v++) {
		s->end[v] = s->start[v] + f->duration[v];
		work += f->area[v];
		moment += f->area[v] * (double)(s->start[v] + s->end[v]);
		if (f->windows && s->end[v] > f->deadline[v])
			late += (double)(s->end[v] - f->deadline[v]);
	}
	s->makespan_cycles = makespan;
	s->energy = (double)makespan + (double)makespan * late;
	if (work > 0 && makespan > 0)
		s->energy += a->lambda_cycles * moment / (2 * work * (double)makespan);
}

/* Keeps the trial if it is the shortest schedule so far. */
static void keep(anneal_chain *c)
{
	const anneal_state *t = &c->trial;
	const alg_flat *f = c->sides.flat[t->reversed];

	if (t->makespan_cycles >= c->found_cycles)
		return;
	for (uint32_t v = 0; f->windows && v < f->tasks; v++)
		if (t->end[v] > f->deadline[v])
			return;
	for (uint32_t v = 0; v < f->tasks; v++)
		c->found[v] = t->reversed ? t->makespan_cycles - t->end[v] : t->start[v];
	if (c->a->choices) {
		memcpy(c->found_mode, t->mode, f->tasks * sizeof(uint32_t));
		memcpy(c->found_processor, t->processor, f->tasks * sizeof(uint32_t));
	}
	c->found_cycles = t->makespan_cycles;
}

static void accept(anneal_chain *c)
{
	anneal_state old = c->now;

	c->now = c->trial;
	c->trial = old;
	if (c->now.energy < c->best.energy)
		anneal_i_state_copy(c->a, &c->best, &c->now);
}

void anneal_i_chain_begin(anneal_chain *c, unsigned number)
{
	unsigned reversed = c->a->forward_only ? 0 : number % 2;
	const alg_flat *f = c->sides.flat[reversed];
	g_autofree double *value = g_new(double, f->tasks + 1);
	g_autofree uint32_t *rank = g_new(uint32_t, f->tasks + 1);
	alg_rule_view view;
	int64_t longest = 0, makespan;

	alg_rule_view_init(&view, f, &c->a->options->weights);
	for (uint32_t v = 0; v < f->tasks; v++)
		longest = MAX(longest, view.tail[v]);
	for (uint32_t v = 0; v < f->tasks; v++)
		value[v] = (number < START_WAYS ? 0 : start_spread * (double)longest * rng_unit(&c->noise)) -
		           (double)view.tail[v];
	alg_rule_ranks(&view, value, rank);
	alg_rule_view_fini(&view);
	if (number / 2 % 2) {
		alg_sgs_list_of_ranks(f, rank, c->list);
		makespan = alg_sgs_serial(c->sides.sgs[reversed], c->list, c->trial.start);
	} else {
		makespan = alg_sgs_parallel(c->sides.sgs[reversed], rank, c->trial.start);
	}
	c->built++;
	c->trial.reversed = reversed;
	if (makespan == INT64_MAX)
		return;
	weigh(c, &c->trial, makespan);
	keep(c);
	accept(c);
}

void anneal_i_chain_restart(anneal_chain *c, const anneal_state *from)
{
	anneal_i_state_copy(c->a, &c->now, from);
	c->best.energy = INFINITY;
	if (c->a->choices) {
		sides_fini(c->a, &c->sides);
		sides_init(c->a, &c->sides, from->mode, from->processor);
	}
}

static enum anneal_move choose(anneal_chain *c)
{
	const anneal *a = c->a;
	enum anneal_move best = ANNEAL_MOVES;
	double best_value = -1, plays = 1;

	for (unsigned m = 0; m < ANNEAL_MOVES; m++)
		plays += (double)(a->total[m].tried + c->moves[m].tried);
	if (a->options->uniform) {
		do
			best = (enum anneal_move)rng_below(&c->noise, ANNEAL_MOVES);
		while (best == ANNEAL_unit && !a->choices);
		return best;
	}
	for (unsigned m = 0; m < ANNEAL_MOVES; m++) {
		double tried = (double)(a->total[m].tried + c->moves[m].tried);
		double gained = (double)(a->total[m].improved + c->moves[m].improved);
		double value = tried > 0 ? gained / tried + exploration * sqrt(2 * log(plays) / tried) : INFINITY;

		if (value > best_value && (m != ANNEAL_unit || a->choices)) {
			best_value = value;
			best = (enum anneal_move)m;
		}
	}
	return best;
}

/* Was this list built before, in this direction and by this kind of generation?  Notes it. */
static bool repeats(anneal_chain *c, unsigned reversed, bool parallel)
{
	uint64_t hash = 1 + reversed + 2 * (uint64_t)parallel;
	uint64_t *slot;

	for (uint32_t i = 0; i < c->a->tasks; i++) {
		hash = (hash ^ c->list[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	slot = &c->seen[hash % SEEN_LISTS];
	if (*slot == hash)
		return true;
	*slot = hash;
	return false;
}

/* A list that was not built before, as far as a few attempts find one. */
static enum anneal_move make_list(anneal_chain *c, unsigned reversed, bool parallel)
{
	enum anneal_move move = choose(c);

	for (int repeat = 0;; repeat++) {
		list_from_state(c, &c->now, reversed);
		for (uint32_t i = 0; i < c->a->tasks; i++)
			c->place[c->list[i]] = i;
		if (c->a->choices) {
			memcpy(c->trial.mode, c->now.mode, c->a->tasks * sizeof(uint32_t));
			memcpy(c->trial.processor, c->now.processor, c->a->tasks * sizeof(uint32_t));
		}
		anneal_i_move(c, move, reversed);
		if (c->sides.flat[reversed]->loose)
			alg_sgs_repair(c->sides.flat[reversed], c->list);
		if (move == ANNEAL_unit || repeat == MOST_REPEATS || !repeats(c, reversed, parallel))
			return move;
		if (repeat >= 2)
			move = move == ANNEAL_swap ? ANNEAL_shift : move == ANNEAL_shift ? ANNEAL_stretch : ANNEAL_swap;
	}
}

/* The schedule of c->list. */
static int64_t build(anneal_chain *c, unsigned reversed, bool parallel)
{
	if (!parallel)
		return alg_sgs_serial(c->sides.sgs[reversed], c->list, c->trial.start);
	for (uint32_t i = 0; i < c->a->tasks; i++)
		c->place[c->list[i]] = i;
	return alg_sgs_parallel(c->sides.sgs[reversed], c->place, c->trial.start);
}

static void step(anneal_chain *c)
{
	unsigned reversed = c->a->forward_only ? 0 : !c->now.reversed;
	bool parallel = rng_unit(&c->noise) < parallel_share;
	enum anneal_move move = make_list(c, reversed, parallel);
	anneal_sides old = c->sides;
	bool taken, renewed = move == ANNEAL_unit;
	int64_t makespan = INT64_MAX;

	c->trial.reversed = reversed;
	if (!renewed || sides_init(c->a, &c->sides, c->trial.mode, c->trial.processor))
		makespan = build(c, reversed, parallel);
	c->built++;
	c->moves[move].tried++;
	taken = makespan != INT64_MAX;
	if (taken) {
		double delta;

		weigh(c, &c->trial, makespan);
		keep(c);
		delta = c->trial.energy - c->now.energy;
		c->moves[move].improved += c->trial.makespan_cycles < c->now.makespan_cycles;
		taken = delta <= 0 || rng_unit(&c->noise) < exp(-delta / c->temperature);
	}
	if (taken) {
		c->moves[move].accepted++;
		accept(c);
	}
	if (renewed) {
		anneal_sides gone = taken ? old : c->sides;

		c->sides = taken ? c->sides : old;
		sides_fini(c->a, &gone);
	}
}

void anneal_i_chain_run(anneal_chain *c)
{
	const alg_solve_options *o = c->a->options;

	for (uint64_t n = 0; n < c->quota && c->found_cycles > c->a->stop_cycles; n++) {
		if (n % STOP_EVERY == 0) {
			if (g_atomic_int_get(&c->a->stopped))
				return;
			if (o->stop && o->stop(o->stop_state)) {
				g_atomic_int_set(&c->a->stopped, 1);
				return;
			}
		}
		step(c);
	}
}
