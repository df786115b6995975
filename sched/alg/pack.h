/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing: things of some size that live for some time beside each other, in as little room as possible.
 *
 * Two uses.  Short vectors share a register: sizes are lanes, and none may lie across a border between registers
 * (UNIT).  Groups of consecutive registers share the register file, beside what is taken in it already (a callback).
 * Both are rectangles of time and size that must not overlap.  Several orders are tried, each thing at the lowest place
 * that is free for its life; not done: a search beyond that (sched/alg/alloc.h has one, without borders).
 */
#ifndef TSPSIM_SCHED_ALG_PACK_H
#define TSPSIM_SCHED_ALG_PACK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pack_item {
	int64_t from, to; /* alive in these cycles, both included */
	uint32_t size;
	uint32_t align; /* places are multiples of it; 0 and 1: any */
	uint32_t place; /* answer */
} pack_item;

typedef struct pack_room {
	uint32_t size;  /* places 0 .. SIZE - 1 */
	bool first_fit; /* any answer will do */
	uint32_t unit;  /* no item lies across a multiple of it; 0: no borders */
	/* The lowest place at or after PLACE at which ITEM meets nothing that was there before, or one at or above
	 * SIZE. NULL: there was nothing. */
	uint32_t (*free_from)(void *state, const pack_item *item, uint32_t place);
	void *state;
} pack_room;

/* Sets all places; the least room in use found (FIRST_FIT: the first), 0 when they do not fit. */
uint32_t pack_items(pack_item *items, uint32_t count, const pack_room *room);
/* At least so much room: what lives at one moment. */
uint32_t pack_bound(const pack_item *items, uint32_t count);

#endif
