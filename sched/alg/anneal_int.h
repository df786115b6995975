/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the annealer share: chains, their states, the operators.
 */
#ifndef TSPSIM_SCHED_ALG_ANNEAL_INT_H
#define TSPSIM_SCHED_ALG_ANNEAL_INT_H

#include "isa/rng.h"
#include "sched/alg/engines.h"
#include "sched/alg/rules.h"

enum anneal_move {
#define MOVE(name, doc) ANNEAL_##name,
#include "sched/alg/moves.def"
	ANNEAL_MOVES
};

/* A schedule in one direction of time. */
typedef struct anneal_state {
	int64_t *start, *end;       /* per task, in that direction */
	uint32_t *mode, *processor; /* per task; NULL where there are no choices */
	unsigned reversed;
	int64_t makespan_cycles;
	double energy;
} anneal_state;

/* The problem with modes and processors as they are in some state, both ways round. */
typedef struct anneal_sides {
	alg_flat *flat[2];
	alg_sgs *sgs[2];
} anneal_sides;

typedef struct anneal {
	const alg_problem *problem;
	const alg_solve_options *options;
	uint32_t tasks;
	bool choices;         /* some task has several modes or processors */
	bool forward_only;    /* windows: reversed schedules would be none */
	anneal_sides sides;   /* without choices, for all chains */
	double lambda_cycles; /* what the whole of the utilisation term weighs */
	int64_t stop_cycles;  /* a lower bound */
	uint64_t spent, left; /* schedules of the rounds before this one; the others of the budget */
	unsigned chains;
	anneal_state *elite; /* per chain: its best at the last exchange; nobody writes between exchanges */
	alg_move_count total[ANNEAL_MOVES]; /* of all chains at the last exchange */
	gint stopped;                       /* atomic: the stop function struck */
} anneal;

typedef struct anneal_chain {
	anneal *a;
	rng noise;
	anneal_sides sides; /* sgs of its own; flats of its own where there are choices */
	anneal_state now, trial, best;
	int64_t *found; /* forward starts of the shortest schedule, if found_cycles is not INT64_MAX */
	uint32_t *found_mode, *found_processor;
	int64_t found_cycles;
	uint32_t *list, *place; /* place[list[i]] = i */
	uint32_t *count;        /* room for sorting by time */
	int64_t *key;           /* room for sorting a stretch */
	uint64_t *seen;         /* hashes of lists already built */
	double temperature;
	uint64_t built;
	uint64_t quota;                     /* schedules until the next exchange */
	alg_move_count moves[ANNEAL_MOVES]; /* since the last exchange */
} anneal_chain;

void anneal_i_state_init(const anneal *a, anneal_state *s);
void anneal_i_state_copy(const anneal *a, anneal_state *to, const anneal_state *from);
void anneal_i_state_fini(anneal_state *s);

void anneal_i_chain_init(anneal_chain *c, anneal *a, uint64_t stream);
void anneal_i_chain_fini(anneal_chain *c);
/* The first schedule of chain NUMBER: rules in turn, then rules with noise. */
void anneal_i_chain_begin(anneal_chain *c, unsigned number);
/* Goes on from a copy of FROM, its best forgotten. */
void anneal_i_chain_restart(anneal_chain *c, const anneal_state *from);
/* Builds c->quota schedules. */
void anneal_i_chain_run(anneal_chain *c);

/* Changes c->list, an order for generation in direction REVERSED; for ANNEAL_unit also c->trial.mode and .processor. */
void anneal_i_move(anneal_chain *c, enum anneal_move move, unsigned reversed);

#endif
