/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the lowering: where the rows of a node's value lie, and what the steps of the lowering hand to one another.
 */
#ifndef TSPSIM_SCHED_LOWER_INTERNAL_H
#define TSPSIM_SCHED_LOWER_INTERNAL_H

#include "sched/lower/lower.h"

#define LOW_NONE UINT32_MAX

/* Row (g, j) of a value, j < rows / groups, is row first + g*pitch + j*step of the tensor of graph node NODE. */
typedef struct low_place {
	uint32_t node;
	uint64_t first, groups, pitch, step;
} low_place;

/* Units are what is emitted at once: one node, or several element-wise nodes fused. */
typedef struct low_unit {
	GArray *members; /* uint32_t, ascending; empty when merged into another unit */
	uint64_t groups; /* the one number of groups above 1 that its places have, or 1 */
} low_unit;

typedef struct lowering {
	const graph *g;
	const isa_machine *machine;
	unsigned radix;
	low_program *p;
	uint32_t count; /* nodes */
	bool *live;     /* needed for an output */
	GArray **users; /* uint32_t per operand use, of live nodes */
	low_place *places;
	bool *own; /* the value has a tensor of its own (ROWS: it is copied) */
	uint64_t *vector_lanes;
	uint32_t *tensor_of; /* LOW_NONE until asked for */
	uint32_t *unit_of;
	low_unit *units; /* [count]; unit u begins as node u */
	bool failed;     /* *error is set */
	GError **error;
} lowering;

static inline bool low_i_is_elementwise(const graph_node *n)
{
	return n->op == GRAPH_UNARY || n->op == GRAPH_BINARY || n->op == GRAPH_LANES;
}
static inline const graph_node *low_i_node(const lowering *l, uint32_t i)
{
	return graph_at(l->g, i);
}

/* The tensor of a node's own value. */
uint32_t low_i_tensor_of(lowering *l, uint32_t node);
/* Appends a tensor with the lanes and type of NODE's value. */
uint32_t low_i_add_tensor(lowering *l, uint32_t node, uint64_t rows);
/* Is there room for so many more macros?  If not, the lowering has failed. */
bool low_i_room(lowering *l, uint64_t macros);
low_macro *low_i_add_macro(lowering *l, enum low_kind kind, uint32_t node, const char *name);

/* fuse.c: merges element-wise nodes into units. */
void low_i_fuse(lowering *l);

/* One step of a loop not yet cut into sections: the reference's row is first + i0*c0 + i1*c1. */
typedef struct low_draft {
	low_step step;
	uint32_t tensor;
	uint64_t first, c0, c1;
} low_draft;
/* loops.c */
void low_i_emit_unit(lowering *l, const low_unit *unit);
void low_i_emit_reduce(lowering *l, uint32_t node);
/* Copies the value of node FROM, as placed, to where PLACE says; both have ROWS rows. */
void low_i_emit_copy(lowering *l, uint32_t node, uint32_t from, const low_place *to, uint64_t rows);

/* deps.c: fills `after` and the life times. */
void low_i_find_dependences(low_program *p);

#endif
