/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a search for one graph.
 */
#ifndef TSPSIM_SCHED_SEARCH_INT_H
#define TSPSIM_SCHED_SEARCH_INT_H

#include "isa/rng.h"
#include "sched/pattern/pattern.h"
#include "sched/search.h"

typedef struct hunt {
	guint graph, graphs;
	const sched_emitter *emitter;
	const sched_options *options;
	sched_found *found;
	sched_sheet *standard, *now; /* the list's; where the search is */
	const sched_model *model;    /* the standard's */
	int64_t now_cycles;
	bool free_order; /* can any two operations change places? */
	bool model_fits; /* is there room for the model beside the next program? */
	double heat;
	GHashTable *known; /* texts of sheets emitted */
	GArray *gain;      /* double, of each operator */
	uint64_t tried;
	unsigned repeated; /* proposals that were nothing new */
	rng random;
} hunt;

/* search_moves.c.  Operators are numbered; the first are those of the order, the others kinds of decisions. */
enum { MOVE_ORDER, MOVE_SWAP, MOVE_MODEL, MOVE_KINDS };
alg_move_count *hunt_move_at(const hunt *h, unsigned i);
unsigned hunt_add_move(hunt *h, const char *name);
/* Can two neighbours in the order change places? */
bool hunt_has_freedom(const sched_sheet *s);
/* The next operator; UINT_MAX: none has anything to change. */
unsigned hunt_choose_move(hunt *h);
/* The order last used becomes the sheet's own, to be changed. */
void hunt_own_order(sched_sheet *s);
/* An operation goes to another place between those it needs and those that need it; neighbours change places. */
void hunt_shift(hunt *h, sched_sheet *s);
void hunt_swap(hunt *h, sched_sheet *s);
/* A decision of KIND gets another value; now and then all of that kind get it. */
void hunt_decide_anew(hunt *h, sched_sheet *s, const char *kind);

#endif
