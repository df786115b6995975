/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the exact engine share: the problem in units of time without a common divisor, every task with its
 * choices of mode and processor and an artificial last task, the end; windows of starts under a horizon; the formula.
 */
#ifndef TSPSIM_SCHED_ALG_EXACT_INT_H
#define TSPSIM_SCHED_ALG_EXACT_INT_H

#include "sched/alg/solve.h"

/* One way to run a task: a mode on a processor. */
typedef struct exact_choice {
	int64_t duration;
	uint32_t mode, processor;
	uint32_t first_demand, demand_count; /* into demands */
} exact_choice;

/* TO starts LAG or more after FROM does, for some choices longer than that. */
typedef struct exact_arc {
	uint32_t from, to;
	int64_t lag;   /* the least over choices */
	uint32_t edge; /* of the problem, or EXACT_NO_EDGE for arcs to the end */
	bool varies;
} exact_arc;

enum { EXACT_NO_EDGE = UINT32_MAX };
enum { EXACT_BY_LAGS = 1, EXACT_BY_DEMAND = 2 };
#define EXACT_NO_PATH (INT64_MIN / 4)

/* All times are in units of SCALE cycles.  Tasks are 0 .. tasks - 1, the end is number TASKS. */
typedef struct exact_model {
	const alg_problem *problem;
	int64_t scale;
	uint32_t tasks;
	uint32_t *name;         /* per task, its number in the problem */
	uint32_t *first_choice; /* choices of task v: [first[v], first[v + 1]) */
	GArray *choices;        /* exact_choice */
	GArray *demands;        /* alg_demand, resources numbered through processors, amounts above 0 */
	GArray *arcs;           /* exact_arc */
	int64_t *least, *most;  /* per task: duration over choices */
	int64_t *release;       /* per task */
	int64_t *deadline;      /* per task: latest end, or INT64_MAX */
	uint32_t resources;
	const alg_resource **resource;
	uint32_t *capacity; /* per resource, the greatest it ever has */
	bool steady;        /* capacities are taken as the greatest, whenever */
	int64_t *distance;  /* [from * (tasks + 1) + to]: longest path from start to start, or NULL in large problems */
	uint8_t *apart;     /* [a * tasks + b]: why never at the same time, EXACT_BY_...; NULL with distance */
	GArray *pairs;      /* exact_pair */
} exact_model;

/* Two tasks that never fit together and that lags leave in either order, whatever their choices. */
typedef struct exact_pair {
	uint32_t a, b;
} exact_pair;

/* Windows of starts; both by task, the end last. */
typedef struct exact_windows {
	int64_t *early, *late;
} exact_windows;

/* Of all tasks (MEMBERS NULL) or of some, with the arcs among them.  STEADY leaves out releases, deadlines and changes
 * of capacity.  NULL when numbers are too great. */
exact_model *exact_i_model_new(const alg_problem *problem, const uint32_t *members, uint32_t count, bool steady);
void exact_i_model_free(exact_model *model);
int64_t exact_i_capacity(const exact_model *model, uint32_t resource, int64_t time);
/* Lag of an arc for given choices (numbers into choices). */
int64_t exact_i_lag(const exact_model *model, const exact_arc *arc, uint32_t from_choice, uint32_t to_choice);
/* If there is a schedule at all, there is one that ends by then. */
int64_t exact_i_horizon(const exact_model *model);
/* Amount of RESOURCE that CHOICE takes. */
uint32_t exact_i_amount(const exact_model *model, const exact_choice *choice, uint32_t resource);
/* Are all tasks that use RESOURCE by twos too much for it? */
bool exact_i_unary(const exact_model *model, uint32_t resource);

void exact_i_windows_init(exact_windows *windows, const exact_model *model);
void exact_i_windows_fini(exact_windows *windows);
/* The windows of a project that ends by HORIZON, by lags alone; false: there is none. */
bool exact_i_lag_windows(const exact_model *model, int64_t horizon, exact_windows *windows);
/* The same, narrowed by lags, pairs, what surely runs when, and energy; false: there
 * is no such schedule.  Energy is looked at while STOP is not wanted. */
bool exact_i_tighten(const exact_model *model, int64_t horizon, exact_windows *windows,
                     const alg_solve_options *options, alg_solve_result *result);

/* Literals; constants are no numbers of variables. */
#define EXACT_TRUE  INT32_MAX
#define EXACT_FALSE (-INT32_MAX)

typedef struct exact_formula exact_formula;

/* Encodes MODEL within WINDOWS.  HINT: starts in units, the end included, whose values the solver tries first, or NULL.
 * GUARDED: the demands of every task, and every resource, hold only while their guards are assumed.  NULL: too large,
 * or the stop function struck. */
exact_formula *exact_i_encode(const exact_model *model, const exact_windows *windows, const int64_t *hint, bool guarded,
                              const alg_solve_options *options, alg_solve_result *result);
void exact_i_formula_free(exact_formula *formula);
/* Task V starts at T or before. */
int exact_i_starts_by(const exact_formula *formula, uint32_t v, int64_t t);
void exact_i_add_unit(exact_formula *formula, int literal);
/* Holds V's demands (or, from TASKS on, a resource) in a guarded formula. */
int exact_i_guard(const exact_formula *formula, uint32_t v);
void exact_i_assume(exact_formula *formula, int literal);
bool exact_i_failed(exact_formula *formula, int literal);

enum exact_answer { EXACT_OPEN, EXACT_SAT, EXACT_UNSAT };
/* Under what has been assumed since the last call, with at most CONFLICTS conflicts; those used are added to the
 * result. */
enum exact_answer exact_i_search(exact_formula *formula, uint64_t conflicts);
/* After SAT: starts in units, the end included, and numbers of choices. */
void exact_i_values(exact_formula *formula, int64_t *start, uint32_t *choice);
uint64_t exact_i_size(const exact_formula *formula); /* literals in clauses */

/* Groups of tasks that lags hold together both ways: is one of them without a schedule on its own?  Then RESULT is
 * infeasible, with an explanation. */
void exact_i_try_groups(const alg_problem *problem, const exact_model *model, const alg_solve_options *options,
                        alg_solve_result *result, uint64_t conflicts);
/* Why MODEL has no schedule that ends by HORIZON, in words, by the tasks and resources of a core; g_free. */
char *exact_i_explain(const exact_model *model, int64_t horizon, const alg_solve_options *options,
                      alg_solve_result *result);

#endif
