/* SPDX-License-Identifier: Apache-2.0
 *
 * The largest ratio of time to distance over the cycles of a graph, exactly: what bounds the rate of anything that
 * repeats (iterations of a dataflow graph, of a loop).
 *
 * From a ratio on, look for a cycle of a larger one (a positive cycle under weights time - ratio * distance, by
 * relaxation) and take its ratio, until there is none (Dinkelbach 1967; Dasdan 2004 compares such methods).  Whole
 * numbers only.
 */
#ifndef TSPSIM_SCHED_ALG_CYCLIC_RATIO_H
#define TSPSIM_SCHED_ALG_CYCLIC_RATIO_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cyclic_arc {
	uint32_t from, to; /* nodes */
	uint32_t name;     /* the caller's */
	int64_t time, distance;
} cyclic_arc;

/* In lowest terms.  Distance 0: a cycle of positive time and no distance, so no rate will do. */
typedef struct cyclic_rate {
	int64_t time, distance;
} cyclic_rate;

/* Is there a cycle whose ratio is above FLOOR (distance above 0)?  Then *BEST is the largest ratio and NAMES
 * (GArray of uint32_t, may be NULL) the arcs of such a cycle in order; else *BEST is FLOOR.  Sorts ARCS (of
 * cyclic_arc) by their beginning. */
bool cyclic_best_ratio(GArray *arcs, uint32_t nodes, cyclic_rate floor, cyclic_rate *best, GArray *names);

#endif
