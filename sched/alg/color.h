/* SPDX-License-Identifier: Apache-2.0
 *
 * Register allocation by colouring: live ranges are nodes, ranges alive at once are joined by an edge and must not
 * share a register, copies between ranges are affinities that would like to.
 *
 * Two engines.  Chaitin-Briggs with iterated coalescing (George and Appel 1996): simplify, conservative coalescing,
 * freeze, optimistic spill candidates, select.  Where that leaves ranges without a register, a search repairs the
 * colouring: DSATUR (Brelaz 1979), then tabu search over partial colourings (Bloechliger and Zufferey 2008), its moves
 * a fixed number, so that a result is the same everywhere.
 */
#ifndef TSPSIM_SCHED_ALG_COLOR_H
#define TSPSIM_SCHED_ALG_COLOR_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

enum { COLOR_NODES_MAX = 40000, COLOR_NONE = UINT32_MAX };

typedef struct color_affinity {
	uint32_t a, b;
	double weight; /* what a copy between them costs */
} color_affinity;

typedef struct color_graph {
	uint32_t nodes;
	uint64_t edges;
	uint64_t *matrix; /* [nodes][words] bit j of row i: i and j interfere */
	uint32_t words;
	double *cost;       /* [nodes] of keeping it in memory */
	uint32_t *fixed;    /* [nodes] register it must have, or COLOR_NONE */
	GArray *affinities; /* color_affinity */
} color_graph;

color_graph *color_graph_new(uint32_t nodes); /* no edges, costs of 1, nothing fixed */
void color_graph_free(color_graph *g);
void color_add_edge(color_graph *g, uint32_t a, uint32_t b); /* again, or a = b: nothing */
static inline bool color_interfere(const color_graph *g, uint32_t a, uint32_t b)
{
	return g->matrix[(size_t)a * g->words + b / 64] >> b % 64 & 1;
}
uint32_t color_degree(const color_graph *g, uint32_t node);
/* One more than the largest degree met when nodes of least degree leave one after the other: that many registers always
 * suffice. */
uint32_t color_degeneracy_bound(const color_graph *g);
/* Nodes of a set that all interfere, found greedily: so many registers are needed. */
uint32_t color_clique_bound(const color_graph *g);

/* DIMACS .col: "p edge N M", "e A B", numbers from 1; and, beyond it, "n NODE COST" and "a A B WEIGHT".  Errors carry
 * file:line:column. */
color_graph *color_read(const char *text, const char *file, GError **error);

typedef struct color_options {
	uint32_t registers;
	uint64_t seed;
	uint64_t moves;            /* of the search that repairs; 0: none */
	bool (*stop)(void *state); /* NULL, or asked now and then */
	void *stop_state;
} color_options;

typedef struct color_result {
	uint32_t *color; /* [nodes] register; COLOR_NONE: in memory; g_free */
	uint32_t colors; /* registers in use */
	uint32_t spills;
	double spill_cost;
	uint32_t coalesced; /* affinities whose ends share a register */
	double copy_cost;   /* weights of those that do not */
	const char *by;     /* what found it: "briggs" "dsatur" "tabu" */
	uint64_t moves;     /* of the search */
} color_result;
void color_solve(const color_graph *g, const color_options *options, color_result *result);
/* The least number of registers for which color_solve() spills nothing, going down from what it needs with plenty;
 * options->registers is not looked at. */
void color_minimise(const color_graph *g, const color_options *options, color_result *result);
void color_result_fini(color_result *r);

/* Does RESULT use registers below REGISTERS, fixed ones as they are, and no two ranges that interfere share one? Shares
 * no code with the engines. */
bool color_check(const color_graph *g, const color_result *r, uint32_t registers);

/* color_briggs.c, color_search.c: the engines, for color_solve() */
void color_i_briggs(const color_graph *g, uint32_t registers, uint32_t *color);
void color_i_dsatur(const color_graph *g, uint32_t registers, uint32_t *color);
/* Improves COLOR, which is legal but has nodes without a register; returns the moves made. */
uint64_t color_i_tabu(const color_graph *g, const color_options *options, uint32_t *color);

#endif
