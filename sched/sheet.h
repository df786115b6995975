/* SPDX-License-Identifier: Apache-2.0
 *
 * Sheets: what a back end leaves open for one graph, and what was decided.
 *
 * While a back end emits a graph it asks for each decision by kind and item; without a sheet, and for what the sheet
 * does not say, it gets 0, its own way.  The sheet keeps what was asked, so that a search knows what there is to
 * decide. A back end also describes the graph as a *model*: a neutral problem that every program for the graph solves,
 * an operation a task, so that bounds of the problem are bounds of the program.
 */
#ifndef TSPSIM_SCHED_SHEET_H
#define TSPSIM_SCHED_SHEET_H

#include "sched/alg/problem.h"

/* What an operation asks of one resource at least. */
typedef struct sched_load {
	double cycles;       /* that it takes of the resource alone */
	int64_t lead, trail; /* cycles from the operation's start to its first use, from its last use to its end */
	bool early;          /* may lie before the operation's start, for what does not wait for others */
} sched_load;

enum { SCHED_RESOURCES = 8 };

/* TO uses results of FROM.  WHOLE: all it does waits for some result of FROM; otherwise some of it may come before. */
typedef struct sched_arc {
	uint32_t from, to;
	bool whole;
} sched_arc;

/* No program is shorter, by one argument. */
typedef struct sched_bound {
	const char *by;
	int64_t cycles;
} sched_bound;

typedef struct sched_model {
	alg_problem *problem; /* a task an operation; resources are shared, SCHED_WHOLE of each */
	GPtrArray *tasks;     /* their names */
	GArray *first;        /* int64_t a task: cycles from its first operand to its first result */
	GArray *loads;        /* sched_load, `resources` a task */
	GArray *arcs;         /* sched_arc */
	const char *const *names;
	unsigned resources;
	int64_t before; /* cycles of every program before the first operation can begin */
} sched_model;
/* Units of a resource: a task demands as many as its use is a share of its length. */
enum { SCHED_WHOLE = 1000 };

/* NAMES lives on; RESOURCES of them, at most SCHED_RESOURCES. */
sched_model *sched_model_new(const char *const *names, unsigned resources);
void sched_model_free(sched_model *model);
/* An operation that takes FIRST cycles from its first operand to its first result, and LOAD [resources]. */
uint32_t sched_model_task(sched_model *model, const char *name, int64_t first, const sched_load *load);
/* Arcs in order of TO, FROM before TO; see sched_arc. */
void sched_model_after(sched_model *model, uint32_t from, uint32_t to, bool whole);
/* Fills BOUNDS (sched_bound): the critical path, then each resource that is used; returns the highest. */
int64_t sched_model_bounds(const sched_model *model, GArray *bounds);

/* What is open: a number below COUNT. */
typedef struct sched_decision {
	char *kind, *item;
	uint32_t count, value;
} sched_decision;

typedef struct sched_sheet {
	GArray *decisions; /* sched_decision, in the order in which they were asked for first */
	GHashTable *index; /* "kind\nitem" -> place in decisions + 1 */
	uint32_t *order;   /* of operations, or NULL: the back end's own */
	uint32_t order_count;
	GPtrArray *pairs; /* per operation: GArray of those that stand before it; NULL: nothing asked for an order */
	uint32_t *asked;  /* the order used last */
	uint32_t asked_count;
	uint32_t *task_of;  /* per operation: the model's task that it belongs to, or NULL: the one of its number */
	sched_model *model; /* or NULL */
	bool (*stop)(void *state); /* may be NULL: true ends the emission with an error */
	void *stop_state;
} sched_sheet;

sched_sheet *sched_sheet_new(void);
void sched_sheet_free(sched_sheet *sheet);
/* The same decisions and order; what was asked, too, but for the model. */
sched_sheet *sched_sheet_copy(const sched_sheet *sheet);
/* What is decided otherwise than by the back end, "tile[0]=3, placement=17, order=1 0 2"; [I]: the I-th of its kind, by
 * item.  Equal texts decide alike.  g_free. */
char *sched_sheet_text(const sched_sheet *sheet, bool with_order);

/* For back ends.  SHEET may be NULL. */
uint32_t sched_decide(sched_sheet *sheet, const char *kind, const char *item, uint32_t count);
/* ORDER of COUNT operations, as the back end would have it, becomes what the sheet says, if it has an order of as many
 * that keeps BEFORE (COUNT arrays of uint32_t).  BEFORE and TASK_OF (may be NULL) are taken over. */
void sched_decide_order(sched_sheet *sheet, uint32_t *order, uint32_t count, GPtrArray *before, uint32_t *task_of);
/* Takes MODEL over. */
void sched_describe(sched_sheet *sheet, sched_model *model);
/* Does the search want the emission to end?  Sets ERROR. */
bool sched_stopped(const sched_sheet *sheet, GError **error);

/* Does ORDER keep BEFORE? */
bool sched_keeps_order(const GPtrArray *before, const uint32_t *order, uint32_t count);

#endif
