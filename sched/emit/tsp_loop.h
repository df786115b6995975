/* SPDX-License-Identifier: Apache-2.0
 *
 * What vector loops as kernels (tsp_loop.c) and their plans (tsp_plan.c) share: which iterations a kernel has, and how
 * many of them run side by side.
 */
#ifndef TSPSIM_SCHED_EMIT_TSP_LOOP_H
#define TSPSIM_SCHED_EMIT_TSP_LOOP_H

#include "sched/emit/tsp.h"

enum {
	TSPE_COPIES_MAX = 6, /* iterations side by side */
	TSPE_PARTS_MAX = 2,  /* of each */
	TSPE_STRANDS_MAX = TSPE_COPIES_MAX * TSPE_PARTS_MAX,
};
/* Cycles that any plan takes fewer than. */
#define TSPE_FOREVER 1e18

typedef struct loop_shape {
	const low_vloop *loop;
	uint64_t from;  /* first iteration of the kernel, over both levels */
	uint32_t count; /* iterations of the kernel: COPIES of the loop's each */
	unsigned copies;
	uint32_t segment;    /* consecutive iterations of a copy */
	unsigned parts;      /* in which each iteration is made, one beside the other */
	uint64_t part_lanes; /* of the first one */
	bool once_inner;     /* are loads with step0 = 0 constant over the kernel? */
} loop_shape;

/* How a loop runs in rows: COPIES iterations side by side, in PARTS, each in bursts of SEGMENT, ROWS bursts one after
 * the other. */
typedef struct row_plan {
	unsigned copies, parts;
	bool alone; /* chunks may wait for each other */
	uint32_t segment, rows;
	double bound; /* cycles an iteration, at least, with so many side by side, */
	double best;  /* and whatever is side by side; */
	double rest;  /* what iterations take that are left over; */
	double least; /* cycles of the loop, at most */
} row_plan;

static inline const low_step *step_at(const low_vloop *loop, guint i)
{
	return &g_array_index(loop->steps, low_step, i);
}

/* The kernel of SHAPE's iterations. */
tspe_kernel *tspe_loop_build(tspe *e, const loop_shape *shape);
/* Can iterations be made in parts?  Each lane for itself, and what is stored is kept by parts.  Sets part_lanes. */
bool tspe_loop_has_parts(const tspe *e, loop_shape *shape);
/* Has every step a queue of its own? */
bool tspe_fits_queues(const tspe_kernel *k);

/* tsp_plan.c.  Places a chunk in rows; false when it does not keep to them. */
bool tspe_place_rows(tspe_kernel *k, uint32_t first, uint32_t n);
/* A kernel of one burst a step by PLAN, with its rows, from the first of SHAPE's iterations; NULL when it has none so
 * short, or too few registers for them. */
tspe_kernel *tspe_build_sample(tspe *e, const loop_shape *shape, const row_plan *plan, uint64_t *registers);
/* A plan for SHAPE, which may start at READY; copies 0: there is none. */
row_plan tspe_plan_rows(tspe *e, const loop_shape *shape, int64_t ready);

#endif
