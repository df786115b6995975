/* SPDX-License-Identifier: Apache-2.0
 *
 * The formula of the exact engine while it is written: clauses go straight to the solver.
 */
#ifndef TSPSIM_SCHED_ALG_EXACT_FORMULA_H
#define TSPSIM_SCHED_ALG_EXACT_FORMULA_H

#include <ccadical.h>

#include "sched/alg/exact_int.h"

struct exact_formula {
	const exact_model *m;
	const alg_solve_options *options;
	alg_solve_result *result;
	CCaDiCaL *solver;
	int variables;
	uint64_t size, most_size; /* literals in clauses */
	uint64_t asked;           /* size when the stop function was asked last */
	bool given_up;            /* too large, or stopped */
	uint64_t learned;
	const int64_t *hint;
	bool guarded;
	int64_t *early, *late;  /* per task and the end */
	int *first;             /* per task: "starts by early" is variable first, later times follow */
	int *choice;            /* per choice: literal, or EXACT_TRUE where there is no other */
	int *guard;             /* per task, then per resource */
	int64_t *running_until; /* per choice: running literals of [early, running_until) */
	int **running;          /* per choice: literals by time from early on, or NULL without demands */
};

int exact_i_new_variable(exact_formula *f);
/* Ends with 0; literals may be constants. */
void exact_i_clause(exact_formula *f, const int *literals, unsigned count);

/* One term of a sum: a task that runs, in one of its choices. */
typedef struct exact_term {
	uint32_t task;
	int literal; /* true when it runs */
	int64_t amount;
} exact_term;

/* The sum of TERMS is at most ROOM; terms of one task, and of tasks that are apart, are never true together.  UNLESS is
 * one more literal of the clauses of the root, or EXACT_FALSE. */
void exact_i_sum(exact_formula *f, exact_term *terms, unsigned count, int64_t room, int unless);

#endif
