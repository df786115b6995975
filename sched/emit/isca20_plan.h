/* SPDX-License-Identifier: Apache-2.0
 *
 * What there is to do in an epoch, and where everything lies: made before anything is scheduled.
 *
 * Vectors used in one cycle must lie in different slices, so layouts follow from the operations: tensors of one loop
 * get disjoint slices, and where a loop uses several vectors of one tensor at once, these are spread over slices by
 * digits of their row or block number.  Spreading further lets loops run several iterations side by side; it is reduced
 * step by step when memory or slices get scarce.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_PLAN_H
#define TSPSIM_SCHED_EMIT_ISCA20_PLAN_H

#include "sched/emit/isca20_loop.h"
#include "sched/emit/isca20_mxm.h"
#include "sched/emit/isca20_turn.h"

/* Group of slices = ((row / row_div) % row_mod) * block_mod + block % block_mod.  SPLIT: the upper half of the groups
 * lies in the other hemisphere.  STACKED: bytes of an element lie in one slice. */
typedef struct isca_shape {
	uint64_t row_div, row_mod, block_mod;
	bool split, stacked;
} isca_shape;
/* The digit that is halved between the hemispheres: that of rows, or of blocks where rows have none. */
static inline bool isca_can_split(const isca_shape *s)
{
	return (s->row_mod == 1 ? s->block_mod : s->row_mod) % 2 == 0;
}

typedef struct isca_operation {
	enum low_kind kind;
	uint32_t macro;  /* the first, for names */
	isca_loop *loop; /* LOW_VLOOP */
	isca_work *work; /* LOW_MATMUL, LOW_CONV */
	isca_turn *turn; /* LOW_TRANSPOSE */
	/* layout */
	isca_set used;    /* slices of all tensors of the operation so far */
	isca_set busy;    /* slices that it uses at other times */
	unsigned flow[2]; /* bytes a cycle past the VXM, eastward and westward */
} isca_operation;

typedef struct isca_plan {
	isca *c;
	GArray *tensors;    /* isca_tensor; those of the lowered program first */
	GArray *operations; /* isca_operation */
	GArray *shapes;     /* isca_shape per tensor */
	isca_limits limits;
	isca_thrift thrift;
	unsigned cap; /* slices that spreading alone may take */
	/* Tensors of long loops are spread as far as so many iterations side by side can use: all that the machine
	 * allows, or the next lower power of two, or half of that.  WIDE_NOT: as far as all others. */
	enum { WIDE_NOT, WIDE_HALF, WIDE_POWER, WIDE_ALL } wide;
	uint32_t part_words; /* words of a slice that one part of a tensor may take */
} isca_plan;

/* Lists operations and tensors and places all of them; fills the host's data.  NULL and an error when they do not fit.
 */
isca_plan *isca_plan_new(isca *c);
void isca_plan_free(isca_plan *plan);

static inline isca_tensor *isca_plan_tensor(const isca_plan *plan, uint32_t i)
{
	return &g_array_index(plan->tensors, isca_tensor, i);
}

/* isca20_order.c: sorts the operations by list priority. */
bool isca_order_operations(isca_plan *plan);

/* isca20_operand.c: places the private tiles of operation NUMBER's work; false when they do not fit. */
bool isca_place_work(isca_plan *plan, isca_operation *op, uint32_t number);
/* isca20_contents.c: fills its private tiles with the host's data. */
void isca_fill_work(isca_plan *plan, const isca_work *work);

/* isca20_capacity.c: words that the tensors take at least, as they are laid out now; whether the operands of each
 * operation alone fit; and the error that says so. */
uint64_t isca_count_words(const isca_plan *plan);
bool isca_may_fit(const isca_plan *plan);
bool isca_refuse(const isca_plan *plan, uint64_t words);

/* isca20_turn_plan.c: the same for a transposition. */
bool isca_place_turn(isca_plan *plan, isca_operation *op, uint32_t number);
void isca_fill_turn(isca_plan *plan, const isca_turn *turn);

/* Does the operation use tensor I where all others find it (not a copy of the host's data of its own)? */
bool isca_uses(const isca_operation *op, uint32_t i);

/* Iterations of OP side by side for which its tensors are spread; 0: no loop that is long enough for that. */
unsigned isca_side_by_side(const isca_plan *plan, const isca_operation *op);

/* isca20_shape.c: the spreading that keeps all simultaneous vectors of tensor I apart; false when there is none. */
bool isca_choose_shape(const isca_plan *plan, uint32_t i, isca_shape *shape);
/* A tile for all of tensor T. */
isca_tile isca_shape_tile(const isca_plan *plan, const isca_tensor *t, const isca_shape *shape, isca_wish *wish);

#endif
