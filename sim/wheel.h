/* SPDX-License-Identifier: Apache-2.0
 *
 * The timing wheel of one clock domain, shared by both kernels.
 *
 * SIM_WHEEL_SLOTS slots, one cycle each, hold what is due within so many cycles of the last cycle served; whatever is
 * due later waits in a binary heap and moves into the wheel as time advances.  A two-level bitmap of occupied slots
 * finds the next due cycle.  An item is filed once at most; nothing is allocated after sim_wheel_init().
 *
 * The ready set holds what runs in the cycle being served: a bitmap over ranks, where rank is the place in the order
 * (phase, unit, sequence).  Taking the lowest bit yields that order without sorting, and a member may be added while
 * the cycle is served as long as its rank lies behind the one running.
 */
#ifndef TSPSIM_SIM_WHEEL_H
#define TSPSIM_SIM_WHEEL_H

#include "sim/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SIM_WHEEL_SLOTS = 1024,
	SIM_WHEEL_WORDS = SIM_WHEEL_SLOTS / 64,
};

/* First member of whatever is filed. */
typedef struct sim_wheel_item {
	struct sim_wheel_item *next; /* in its slot */
	struct sim_wheel_item *previous;
	sim_time due;  /* cycle it is filed under; SIM_NEVER when it is not filed, SIM_WHEEL_TAKEN after being taken */
	uint32_t heap; /* 1 + index in the heap, 0 when not there */
	uint32_t rank; /* for the ready set; the wheel does not look at it */
} sim_wheel_item;

#define SIM_WHEEL_TAKEN INT64_MIN /* earlier than any request, so that none refiles it */

typedef struct sim_wheel {
	sim_time now;     /* last cycle served, -1 before the first */
	uint32_t summary; /* bit w: occupied[w] is not 0 */
	uint64_t occupied[SIM_WHEEL_WORDS];
	sim_wheel_item *slot[SIM_WHEEL_SLOTS];
	sim_wheel_item **heap; /* [capacity], least due first */
	uint32_t heap_used;
	uint32_t capacity;
} sim_wheel;

/* For CAPACITY items at most.  sim_wheel_fini() frees what the wheel holds, not the items. */
void sim_wheel_init(sim_wheel *wheel, uint32_t capacity);
void sim_wheel_fini(sim_wheel *wheel);

void sim_wheel_heap_put(sim_wheel *wheel, sim_wheel_item *item);
void sim_wheel_heap_remove(sim_wheel *wheel, sim_wheel_item *item);
/* Moves into the wheel what is due within its reach. */
void sim_wheel_refill(sim_wheel *wheel);

static inline void sim_wheel_slot_put(sim_wheel *wheel, sim_wheel_item *item)
{
	uint32_t index = (uint32_t)item->due & (SIM_WHEEL_SLOTS - 1);
	sim_wheel_item *head = wheel->slot[index];

	item->next = head;
	item->previous = NULL;
	if (head)
		head->previous = item;
	wheel->slot[index] = item;
	wheel->occupied[index / 64] |= UINT64_C(1) << (index % 64);
	wheel->summary |= UINT32_C(1) << (index / 64);
}

/* Files ITEM, which is not filed, under DUE, which lies after the last cycle served and is not SIM_NEVER. */
static inline void sim_wheel_put(sim_wheel *wheel, sim_wheel_item *item, sim_time due)
{
	item->due = due;
	if (due - wheel->now < SIM_WHEEL_SLOTS)
		sim_wheel_slot_put(wheel, item);
	else
		sim_wheel_heap_put(wheel, item);
}

static inline void sim_wheel_slot_clear(sim_wheel *wheel, uint32_t index)
{
	wheel->slot[index] = NULL;
	wheel->occupied[index / 64] &= ~(UINT64_C(1) << (index % 64));
	if (!wheel->occupied[index / 64])
		wheel->summary &= ~(UINT32_C(1) << (index / 64));
}

/* Unfiles ITEM, which is filed. */
static inline void sim_wheel_remove(sim_wheel *wheel, sim_wheel_item *item)
{
	if (item->heap) {
		sim_wheel_heap_remove(wheel, item);
	} else {
		if (item->next)
			item->next->previous = item->previous;
		if (item->previous)
			item->previous->next = item->next;
		else if (item->next)
			wheel->slot[(uint32_t)item->due & (SIM_WHEEL_SLOTS - 1)] = item->next;
		else
			sim_wheel_slot_clear(wheel, (uint32_t)item->due & (SIM_WHEEL_SLOTS - 1));
	}
	item->due = SIM_NEVER;
}

/* The earliest cycle something is filed under, SIM_NEVER when nothing is. */
static inline sim_time sim_wheel_next(const sim_wheel *wheel)
{
	/* Slots hold cycles now + 1 ... now + SLOTS - 1: search from the slot after now's own, once around. */
	uint32_t start = (uint32_t)(wheel->now + 1) & (SIM_WHEEL_SLOTS - 1);
	uint32_t word = start / 64;
	uint64_t bits = wheel->occupied[word] >> (start % 64);
	uint32_t turned;
	uint32_t index;

	if (bits)
		return wheel->now + 1 + __builtin_ctzll(bits);
	if (!wheel->summary)
		return wheel->heap_used ? wheel->heap[0]->due : SIM_NEVER;
	/* Words after this one first, then from word 0 up to this one's lower bits. */
	turned = (wheel->summary >> (word + 1)) << (word + 1);
	word = (uint32_t)__builtin_ctz(turned ? turned : wheel->summary);
	index = word * 64 + (uint32_t)__builtin_ctzll(wheel->occupied[word]);
	return wheel->now + 1 + ((index - start) & (SIM_WHEEL_SLOTS - 1));
}

/* Serves CYCLE, which sim_wheel_next() returned: time advances to it, and what is due is unfiled and returned as a list
 * linked by next, in no particular order. */
static inline sim_wheel_item *sim_wheel_take(sim_wheel *wheel, sim_time cycle)
{
	uint32_t index = (uint32_t)cycle & (SIM_WHEEL_SLOTS - 1);
	sim_wheel_item *list;

	wheel->now = cycle;
	if (wheel->heap_used && wheel->heap[0]->due - cycle < SIM_WHEEL_SLOTS)
		sim_wheel_refill(wheel);
	list = wheel->slot[index];
	sim_wheel_slot_clear(wheel, index);
	return list;
}

typedef struct sim_ready {
	uint64_t *word;    /* [words], bit r%64 of word r/64: rank r is ready */
	uint64_t *summary; /* [summaries], one bit a word */
	uint32_t summaries;
	uint32_t first; /* no bit stands in a summary before this one */
} sim_ready;

void sim_ready_init(sim_ready *ready, uint32_t capacity);
void sim_ready_fini(sim_ready *ready);

static inline void sim_ready_add(sim_ready *ready, uint32_t rank)
{
	ready->word[rank / 64] |= UINT64_C(1) << (rank % 64);
	ready->summary[rank / 4096] |= UINT64_C(1) << (rank / 64 % 64);
	if (rank / 4096 < ready->first)
		ready->first = rank / 4096;
}

/* Removes the lowest rank and returns it; -1 when the set is empty. */
static inline int64_t sim_ready_pop(sim_ready *ready)
{
	for (; ready->first < ready->summaries; ready->first++) {
		uint64_t summary = ready->summary[ready->first];
		uint32_t index;
		uint64_t bits;

		if (!summary)
			continue;
		index = ready->first * 64 + (uint32_t)__builtin_ctzll(summary);
		bits = ready->word[index];
		ready->word[index] = bits & (bits - 1);
		if (!ready->word[index])
			ready->summary[ready->first] = summary & (summary - 1);
		return (int64_t)index * 64 + __builtin_ctzll(bits);
	}
	return -1;
}

#ifdef __cplusplus
}
#endif

#endif
