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
	double heat;
	GHashTable *known; /* texts of sheets emitted */
	GArray *gain;      /* double, of each operator */
	uint64_t tried;
	unsigned repeated; /* proposals that were nothing new */
	rng random;
} hunt;

#endif
