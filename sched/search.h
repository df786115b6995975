/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for better programs: decisions of a sheet (sched/sheet.h) are changed, programs emitted, the shortest
 * kept.
 *
 * What decides is the length that the back end predicts for a program it has emitted; the neutral engines (sched/alg)
 * work on the graph's model and propose orders.  The back end's own program is always a candidate, so no method returns
 * a longer one than `list`.
 */
#ifndef TSPSIM_SCHED_SEARCH_H
#define TSPSIM_SCHED_SEARCH_H

#include "isa/error.h"
#include "sched/alg/solve.h"
#include "sched/ir/graph.h"
#include "sched/sched.h"
#include "sched/sheet.h"

/* A back end: predicted cycles of graph number GRAPH alone as SHEET says, -1 and an error where that cannot be.  Called
 * from several threads at a time. */
typedef struct sched_emitter {
	int64_t (*emit)(const void *state, guint graph, sched_sheet *sheet, GError **error);
	const void *state;
	const char *machine; /* for the library of patterns */
} sched_emitter;

/* What a program counts of a budget of schedules. */
enum { SCHED_PROGRAM_SCHEDULES = 50 };

/* How the search went for one graph. */
typedef struct sched_found {
	char *graph;
	sched_sheet *sheet; /* of the shortest program */
	int64_t list_cycles, cycles;
	int64_t annealed_cycles; /* before the exact engine's turn; the same as `cycles` with anneal */
	int64_t pattern_cycles;  /* by stored schedules alone; -1: none matched */
	char *patterns;          /* which, or NULL */
	char *recognised;        /* patterns and classes of the graph, stored or not; NULL: none */
	int64_t bound_cycles;    /* no program is shorter */
	GArray *bounds;          /* sched_bound */
	uint64_t schedules, programs, conflicts;
	enum alg_status status; /* of the model: ALG_UNKNOWN where no engine looked at it */
	int64_t model_cycles, model_bound;
	const char *model_bound_by;
	bool capped;
	GArray *moves; /* alg_move_count; names are interned */
} sched_found;

struct sched_search {
	const char *method;
	uint64_t schedules, seed; /* as asked, or the default */
	GPtrArray *found;         /* sched_found, a graph each */
	bool uniform;             /* operators were drawn evenly */
	bool capped;
};

/* Does OPTIONS ask for more than the back end's own programs for GRAPHS? */
bool sched_wants_search(const sched_options *options, GPtrArray *graphs, const char *machine);
/* Searches for each of GRAPHS; NULL and ERROR when a graph cannot be scheduled at all. */
sched_search *sched_search_run(GPtrArray *graphs, const sched_emitter *emitter, const sched_options *options,
                               GError **error);
void sched_search_free(sched_search *search);
/* The sheets found, a graph each; g_free (the array alone). */
sched_sheet **sched_search_sheets(const sched_search *search);
/* Methods and what they do; ends with a row without a name. */
typedef struct sched_method {
	const char *name, *doc;
} sched_method;
extern const sched_method sched_methods[];

#endif
