/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling engines behind one door (sched/alg/methods.def, one row each).  Budgets are counts, so an answer follows
 * from problem, options and seed alone, on any number of threads; the stop function is a cap, and the result says when
 * it struck.  What an engine returns has been judged by alg_check().
 */
#ifndef TSPSIM_SCHED_ALG_SOLVE_H
#define TSPSIM_SCHED_ALG_SOLVE_H

#include "isa/error.h"
#include "sched/alg/list.h"
#include "sched/alg/problem.h"

typedef struct alg_solve_options {
	const char *method; /* a name of alg_methods */
	uint64_t schedules; /* how many schedules an engine may build; 0: as many as the engine's default says */
	uint64_t conflicts; /* of exact: of the search, 0: its default */
	bool unlimited;     /* go on until the stop function strikes; schedules is not looked at */
	bool one_round;     /* of anneal: spend schedules in one round, however many they are */
	uint64_t seed;
	unsigned threads;          /* >= 1; changes nothing but the time */
	const char *rule;          /* of list: a name of alg_rules, or NULL for all */
	alg_weights weights;       /* of rule s2 */
	bool uniform;              /* anneal: operators are drawn evenly, not by their past gain */
	double lambda;             /* anneal: weight of the utilisation term */
	bool (*stop)(void *state); /* asked now and then, from any thread; true ends the work.  May be NULL */
	void *stop_state;
	void (*progress)(void *state, double fraction); /* may be NULL; called from one thread */
	void *progress_state;
} alg_solve_options;

/* list, 1 schedule at least, seed 1, 1 thread, all rules, alpha 1. */
void alg_solve_options_init(alg_solve_options *options);

/* What is known in the end. */
enum alg_status {
	ALG_OPTIMAL,    /* a schedule, and no shorter one exists */
	ALG_FEASIBLE,   /* a schedule */
	ALG_INFEASIBLE, /* proved: there is none */
	ALG_UNKNOWN,    /* none was found */
	ALG_STATUS_COUNT
};
extern const char *const alg_status_names[ALG_STATUS_COUNT];

enum { ALG_MOST_MOVES = 8 };

/* One operator of a search. */
typedef struct alg_move_count {
	const char *name;
	uint64_t tried, accepted, improved;
} alg_move_count;

typedef struct alg_solve_result {
	enum alg_status status;
	alg_schedule schedule; /* with OPTIMAL and FEASIBLE */
	int64_t lower_bound_cycles;
	const char *bound_by;                 /* which argument gave it */
	const char *found_by;                 /* rule, direction or engine part that gave the schedule */
	bool capped;                          /* the stop function ended the work */
	uint64_t schedules;                   /* built in all, forward or backward, complete or given up */
	uint64_t conflicts;                   /* of exact: in all */
	bool valid;                           /* judged by alg_check(); false when there is none */
	char *explanation;                    /* why there is no schedule, or NULL */
	alg_move_count moves[ALG_MOST_MOVES]; /* rows without a name are unused */
} alg_solve_result;

/* Fills RESULT (to be given to alg_solve_result_fini() in any case).  Errors: USER (a demand that no capacity meets, an
 * unknown method), UNSUPPORTED, INTERNAL (a schedule that the judge refuses). */
bool alg_solve(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result, GError **error);
void alg_solve_result_fini(alg_solve_result *result);

/* An engine: gets a result with a lower bound and an initialised schedule, and leaves status UNKNOWN, FEASIBLE with the
 * schedule, OPTIMAL or INFEASIBLE; it may raise the bound. */
typedef struct alg_method {
	const char *name;
	bool (*solve)(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
	              GError **error);
	const char *doc;
} alg_method;

/* Ends with a row without a name. */
extern const alg_method alg_methods[];

#endif
