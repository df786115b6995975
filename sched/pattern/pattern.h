/* SPDX-License-Identifier: Apache-2.0
 *
 * Known patterns of graphs, and schedules stored for them.
 *
 * A recogniser finds a pattern in a graph, whatever the names; its shape is put into a class, each size rounded up to a
 * power of two.  For a machine, a pattern and a class the library (stored.def) may hold decisions that a search found
 * once.  They are candidates like any other: emitted, checked, and used only where the program gets shorter.
 */
#ifndef TSPSIM_SCHED_PATTERN_PATTERN_H
#define TSPSIM_SCHED_PATTERN_PATTERN_H

#include "sched/ir/graph.h"
#include "sched/sheet.h"

typedef struct sched_pattern {
	const char *name, *doc;
	/* Does the pattern begin with node FIRST?  Fills NODES (uint32_t) with what belongs to it. */
	bool (*match)(const graph *g, uint32_t first, GArray *nodes);
} sched_pattern;
/* Ends with a row without a name. */
extern const sched_pattern sched_patterns[];

typedef struct sched_stored {
	const char *machine, *pattern, *shape, *decisions;
} sched_stored;
/* The library; ends with a row without a machine. */
extern const sched_stored sched_library[];

/* One place where a pattern was found. */
typedef struct sched_match {
	const sched_pattern *pattern;
	GArray *nodes; /* uint32_t */
	char *shape;   /* class */
} sched_match;

/* All matches in G, no node in two of them (sched_match, with a clear function). */
GArray *sched_patterns_find(const graph *g);
/* Puts the decisions stored for MACHINE and the patterns of G into SHEET, which a back end has filled for G.  What was
 * found ("attention m128n128k64:fp16, ..."), or NULL where the library has nothing; g_free. */
char *sched_patterns_apply(const graph *g, const char *machine, sched_sheet *sheet);
/* The same for all patterns of G, whatever is stored; NULL where there are none; g_free. */
char *sched_patterns_text(const graph *g);
/* Does the library have anything for a pattern of G? */
bool sched_patterns_known(const graph *g, const char *machine);
/* Decisions DECISIONS, as sched_sheet_text() writes them, of operations that begin with one of NODES into SHEET. */
void sched_patterns_decide(const graph *g, const GArray *nodes, const char *decisions, sched_sheet *sheet);

#endif
