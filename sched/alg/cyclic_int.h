/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the modulo scheduler share.
 */
#ifndef TSPSIM_SCHED_ALG_CYCLIC_INT_H
#define TSPSIM_SCHED_ALG_CYCLIC_INT_H

#include "sched/alg/cyclic.h"

#define CYCLIC_NEVER (INT64_MIN / 4)

/* Units taken in the cycles of the kernel. */
typedef struct cyclic_table {
	const cyclic_problem *p;
	int64_t ii;
	uint64_t *taken; /* [resource * ii + cycle] */
} cyclic_table;

/* False when it would be too large. */
bool cyclic_i_table_init(cyclic_table *t, const cyclic_problem *p, int64_t ii);
void cyclic_i_table_fini(cyclic_table *t);
void cyclic_i_table_clear(cyclic_table *t);
/* Operation OP in MODE at START; false, and nothing is taken, when some cycle has not enough left. */
bool cyclic_i_take(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start);
/* The same, whatever is left. */
void cyclic_i_force(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start);
void cyclic_i_release(cyclic_table *t, uint32_t op, uint32_t mode, int64_t start);
bool cyclic_i_over(const cyclic_table *t, uint32_t op, uint32_t mode, int64_t start);
/* Does every operation, alone, fit the capacities at interval II?  Else *WHICH is one that does not. */
bool cyclic_i_fits_alone(const cyclic_problem *p, int64_t ii, uint32_t *which);

static inline int64_t cyclic_i_row(int64_t time, int64_t ii)
{
	int64_t row = time % ii;

	return row < 0 ? row + ii : row;
}
static inline int64_t cyclic_i_lag(const cyclic_edge *e, int64_t ii)
{
	return e->latency - ii * (int64_t)e->distance;
}

/* Edges by their beginning and by their end. */
typedef struct cyclic_graph {
	const cyclic_problem *p;
	uint32_t *first_out, *out; /* [ops + 1], numbers of edges */
	uint32_t *first_in, *in;
} cyclic_graph;
void cyclic_i_graph_init(cyclic_graph *g, const cyclic_problem *p);
void cyclic_i_graph_fini(cyclic_graph *g);
/* Longest ways at interval II (no positive cycles): HEAD[op] from the beginning, 0 at least; TAIL[op] to the last
 * start. Either may be NULL. */
void cyclic_i_lengths(const cyclic_problem *p, int64_t ii, int64_t *head, int64_t *tail);
/* Groups of operations that cycles hold together; returns their number. */
uint32_t cyclic_i_components(const cyclic_graph *g, uint32_t *group);

/* cyclic_list.c: one search with ejection at interval II, START and MODE on success. */
typedef struct cyclic_search {
	const cyclic_graph *g;
	const cyclic_options *options;
	cyclic_result *result;
	uint64_t budget; /* placements of this search */
	uint64_t order;  /* 0: by height; else heights are disturbed, another way for each number */
} cyclic_search;
bool cyclic_i_list(const cyclic_search *s, int64_t ii, int64_t *start, uint32_t *mode);

/* cyclic_exact.c, or cyclic_exact_none.c without its solver. */
enum cyclic_answer { CYCLIC_OPEN, CYCLIC_YES, CYCLIC_NO };
/* Is there a schedule at interval II?  STAGES 0: of any length; else of so many stages.  At most CONFLICTS conflicts;
 * those made are added to the result. */
enum cyclic_answer cyclic_i_exact(const cyclic_graph *g, int64_t ii, uint32_t stages, uint64_t conflicts,
                                  const cyclic_options *options, cyclic_result *result, int64_t *start, uint32_t *mode);

/* cyclic_shape.c: moves operations at the same II so that stages, then values kept at a time, become fewer; sets
 * stages, max_live and live_bound of RESULT. */
void cyclic_i_shape(const cyclic_graph *g, const cyclic_options *options, cyclic_result *result);
bool cyclic_i_stopped(const cyclic_options *options, cyclic_result *result);

#endif
