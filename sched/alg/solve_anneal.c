/* SPDX-License-Identifier: Apache-2.0
 *
 * The annealer: chains (sched/alg/anneal_chain.c) that anneal beside each other.  The budget is cut into EPOCHS; in
 * each the chains run on their own, on as many threads as there are, and none looks at another.  Between epochs, in
 * order of number, chains publish their best schedules, which the others' stretch operator reads; counts of operators
 * are added up; the temperature falls by 0.95; and now and then the worst chain starts again from the best one.  So the
 * answer does not depend on threads.
 *
 * The greater the budget, the more chains: each gets some schedules for every task.  Without a budget rounds of
 * growing ones follow each other until the stop function strikes, each from new starts and one from the best so far.
 * So they do with a budget that is great for the problem, until it is spent: one round of it would cool so slowly that
 * whoever ends it early has little.
 */
#include <math.h>
#include <string.h>

#include "sched/alg/anneal_int.h"

enum {
	EPOCHS = 45,
	RESTART_EPOCHS = 4,
	SCHEDULES_PER_TASK = 5, /* of a chain */
	LEAST_CHAINS = 4,
	MOST_CHAINS = 256,
	DEFAULT_SCHEDULES = 5000,
	ROUND_GROWTH = 2,
	MOST_ROUND = 1 << 30,
	/* A budget of at most so many schedules, in all or for a task, is one round. */
	ONE_ROUND = 50000,
	ONE_ROUND_PER_TASK = 100
};
static const double cooling = 0.95, hot_share = 0.03; /* of the best makespan: the first temperature */

static void release_sides(anneal *a)
{
	for (unsigned d = 0; d < 2; d++) {
		alg_sgs_free(a->sides.sgs[d]);
		alg_flat_free(a->sides.flat[d]);
	}
}

typedef struct share {
	anneal_chain *chain;
	unsigned chains, first, step;
} share;

static gpointer run_share(gpointer data)
{
	const share *s = data;

	for (unsigned k = s->first; k < s->chains; k += s->step)
		anneal_i_chain_run(&s->chain[k]);
	return NULL;
}

/* All chains for one epoch. */
static void run_chains(anneal *a, anneal_chain *chain)
{
	unsigned threads = MIN(a->options->threads, a->chains);
	g_autofree share *shares = g_new(share, threads + 1);
	g_autofree GThread **thread = g_new0(GThread *, threads + 1);

	for (unsigned t = 0; t < threads; t++)
		shares[t] = (share){chain, a->chains, t, threads};
	for (unsigned t = 1; t < threads; t++)
		thread[t] = g_thread_new("anneal", run_share, &shares[t]);
	run_share(&shares[0]);
	for (unsigned t = 1; t < threads; t++)
		g_thread_join(thread[t]);
}

static void exchange(anneal *a, anneal_chain *chain, unsigned epoch)
{
	unsigned worst = 0, best = 0;

	for (unsigned k = 0; k < a->chains; k++) {
		anneal_i_state_copy(a, &a->elite[k], &chain[k].best);
		for (unsigned m = 0; m < ANNEAL_MOVES; m++) {
			a->total[m].tried += chain[k].moves[m].tried;
			a->total[m].accepted += chain[k].moves[m].accepted;
			a->total[m].improved += chain[k].moves[m].improved;
			chain[k].moves[m] = (alg_move_count){0};
		}
		worst = chain[k].best.energy > chain[worst].best.energy ? k : worst;
		best = chain[k].best.energy < chain[best].best.energy ? k : best;
	}
	if (epoch % RESTART_EPOCHS == 0 && worst != best)
		anneal_i_chain_restart(&chain[worst], &a->elite[best]);
}

/* Modes and processors of chain C's shortest schedule, and its starts, into RESULT when it is shorter. */
static bool store(const anneal *a, const anneal_chain *c, alg_solve_result *result, GError **error)
{
	bool has = result->status == ALG_FEASIBLE;
	alg_flat *flat;

	if (c->found_cycles == INT64_MAX || (has && c->found_cycles >= result->schedule.makespan_cycles))
		return true;
	flat = alg_flat_new(a->problem, c->found_mode, c->found_processor, error);
	if (!flat)
		return false;
	alg_flat_store(flat, c->found, &result->schedule);
	alg_flat_free(flat);
	result->status = ALG_FEASIBLE;
	result->found_by = "annealing";
	return true;
}

static void anneal_epochs(anneal *a, anneal_chain *chain, uint64_t budget, double best)
{
	double temperature = MAX(hot_share * best, 1e-9);
	uint64_t used = a->chains;

	for (unsigned epoch = 0; epoch < EPOCHS && !g_atomic_int_get(&a->stopped); epoch++) {
		uint64_t until = budget / EPOCHS * (epoch + 1) + budget % EPOCHS * (epoch + 1) / EPOCHS;
		uint64_t left = until > used ? until - used : 0;
		bool ended = false;

		for (unsigned k = 0; k < a->chains; k++) {
			chain[k].temperature = temperature;
			chain[k].quota = left / a->chains + (k < left % a->chains);
		}
		used += left;
		run_chains(a, chain);
		exchange(a, chain, epoch);
		temperature *= cooling;
		for (unsigned k = 0; k < a->chains; k++)
			ended = ended || chain[k].found_cycles <= a->stop_cycles;
		if (ended)
			return;
		if (a->options->progress && !a->options->unlimited)
			a->options->progress(a->options->progress_state,
			                     ((double)a->spent + (double)budget * (epoch + 1) / EPOCHS) /
			                             (double)(a->spent + a->left));
	}
}

/* One round: chains from new starts, the second one from CARRIED if that holds a schedule; the best state in the end is
 * left there. */
static bool run_round(anneal *a, uint64_t budget, uint64_t round, anneal_state *carried, alg_solve_result *result,
                      GError **error)
{
	uint64_t wanted = budget / (SCHEDULES_PER_TASK * (uint64_t)MAX(a->tasks, 1));
	anneal_chain *chain;
	double best = INFINITY;
	bool ok = true;

	a->chains = (unsigned)MIN(CLAMP(wanted, LEAST_CHAINS, MOST_CHAINS), budget);
	chain = g_new0(anneal_chain, a->chains);
	a->elite = g_new0(anneal_state, a->chains);
	memset(a->total, 0, sizeof(a->total));
	for (unsigned k = 0; k < a->chains; k++) {
		anneal_i_state_init(a, &a->elite[k]);
		if (a->choices) {
			memcpy(a->elite[k].mode, carried->mode, a->tasks * sizeof(uint32_t));
			memcpy(a->elite[k].processor, carried->processor, a->tasks * sizeof(uint32_t));
		}
	}
	for (unsigned k = 0; k < a->chains; k++) {
		anneal_i_chain_init(&chain[k], a, round * MOST_CHAINS + k);
		anneal_i_chain_begin(&chain[k], k);
		if (k == 1 && carried->makespan_cycles != INT64_MAX)
			anneal_i_chain_restart(&chain[k], carried);
		best = MIN(best, (double)chain[k].now.makespan_cycles);
	}
	for (unsigned k = 0; k < a->chains; k++)
		anneal_i_state_copy(a, &a->elite[k], &chain[k].best);
	/* A task that finds no place in one order finds none in any. */
	if (chain[0].now.makespan_cycles != INT64_MAX)
		anneal_epochs(a, chain, budget, best);
	for (unsigned k = 0; k < a->chains; k++) {
		ok = ok && store(a, &chain[k], result, error);
		result->schedules += chain[k].built;
		if (chain[k].best.energy < carried->energy)
			anneal_i_state_copy(a, carried, &chain[k].best);
		anneal_i_chain_fini(&chain[k]);
		anneal_i_state_fini(&a->elite[k]);
	}
	for (unsigned m = 0; m < ANNEAL_MOVES; m++) {
		result->moves[m].tried += a->total[m].tried;
		result->moves[m].accepted += a->total[m].accepted;
		result->moves[m].improved += a->total[m].improved;
	}
	g_free(chain);
	g_free(a->elite);
	return ok;
}

static uint64_t first_round(const anneal *a)
{
	uint64_t one = MAX(ONE_ROUND, ONE_ROUND_PER_TASK * (uint64_t)a->tasks);

	return !a->options->unlimited && (a->options->one_round || a->left <= one) ? a->left : DEFAULT_SCHEDULES;
}

/* The round after one of BUDGET: the last one takes what would not be enough for another that is greater still. */
static uint64_t next_round(const anneal *a, uint64_t budget)
{
	uint64_t next = MIN(budget * ROUND_GROWTH, MOST_ROUND);

	return a->left < next + next * ROUND_GROWTH ? a->left : next;
}

static bool run_rounds(anneal *a, alg_solve_result *result, GError **error)
{
	const alg_solve_options *o = a->options;
	uint64_t budget;
	anneal_state carried;
	bool ok = true;

	anneal_i_state_init(a, &carried);
	if (a->choices) {
		memcpy(carried.mode, a->sides.flat[0]->mode, a->tasks * sizeof(uint32_t));
		memcpy(carried.processor, a->sides.flat[0]->processor, a->tasks * sizeof(uint32_t));
	}
	a->left = o->unlimited ? UINT64_MAX : o->schedules ? o->schedules : DEFAULT_SCHEDULES;
	budget = first_round(a);
	for (uint64_t round = 0; ok; round++) {
		ok = run_round(a, budget, round, &carried, result, error);
		a->spent += budget;
		a->left -= budget;
		if (!a->left || a->stopped || result->status != ALG_FEASIBLE ||
		    result->schedule.makespan_cycles <= a->stop_cycles)
			break;
		budget = next_round(a, budget);
	}
	anneal_i_state_fini(&carried);
	result->capped = result->capped || a->stopped;
	return ok;
}

bool alg_solve_anneal(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                      GError **error)
{
	static const char *const names[] = {
#define MOVE(name, doc) #name,
#include "sched/alg/moves.def"
	};
	anneal a = {.problem = problem, .options = options, .tasks = problem->tasks->len};
	bool ok;

	a.sides.flat[0] = alg_flat_chosen(problem, &options->weights, result, error);
	if (!a.sides.flat[0])
		return false;
	if (!a.sides.flat[0]->order) {
		alg_flat_free(a.sides.flat[0]);
		return alg_solve_lags(problem, options, result, error);
	}
	a.sides.flat[1] = alg_flat_mirror(a.sides.flat[0]);
	a.choices = alg_has_choices(problem);
	a.forward_only = a.sides.flat[0]->windows;
	a.stop_cycles = result->lower_bound_cycles;
	a.lambda_cycles = options->lambda * (double)result->lower_bound_cycles / 100;
	for (unsigned m = 0; m < ANNEAL_MOVES; m++)
		result->moves[m].name = names[m];
	ok = a.tasks == 0 ? (result->status = ALG_FEASIBLE, true) : run_rounds(&a, result, error);
	release_sides(&a);
	return ok;
}
