/* SPDX-License-Identifier: Apache-2.0
 *
 * The wheel's far end: a binary heap of items due beyond the slots, each knowing its place so that it can be removed.
 * Equal times come out in any order; the ready set orders them.
 */
#include "sim/wheel.h"

void sim_wheel_init(sim_wheel *wheel, uint32_t capacity)
{
	*wheel = (sim_wheel){.now = -1, .capacity = capacity};
	wheel->heap = g_new(sim_wheel_item *, capacity);
}

void sim_wheel_fini(sim_wheel *wheel)
{
	g_clear_pointer(&wheel->heap, g_free);
}

static void heap_set(sim_wheel *wheel, uint32_t index, sim_wheel_item *item)
{
	wheel->heap[index] = item;
	item->heap = index + 1;
}

/* Moves ITEM from INDEX towards the root until its parent is not later. */
static void sift_up(sim_wheel *wheel, uint32_t index, sim_wheel_item *item)
{
	while (index) {
		uint32_t parent = (index - 1) / 2;

		if (wheel->heap[parent]->due <= item->due)
			break;
		heap_set(wheel, index, wheel->heap[parent]);
		index = parent;
	}
	heap_set(wheel, index, item);
}

/* Moves ITEM from INDEX away from the root until no child is earlier. */
static void sift_down(sim_wheel *wheel, uint32_t index, sim_wheel_item *item)
{
	for (;;) {
		uint32_t child = 2 * index + 1;

		if (child >= wheel->heap_used)
			break;
		if (child + 1 < wheel->heap_used && wheel->heap[child + 1]->due < wheel->heap[child]->due)
			child++;
		if (wheel->heap[child]->due >= item->due)
			break;
		heap_set(wheel, index, wheel->heap[child]);
		index = child;
	}
	heap_set(wheel, index, item);
}

void sim_wheel_heap_put(sim_wheel *wheel, sim_wheel_item *item)
{
	g_assert(wheel->heap_used < wheel->capacity);
	sift_up(wheel, wheel->heap_used++, item);
}

void sim_wheel_heap_remove(sim_wheel *wheel, sim_wheel_item *item)
{
	uint32_t index = item->heap - 1;
	sim_wheel_item *last = wheel->heap[--wheel->heap_used];

	item->heap = 0;
	if (last == item)
		return;
	if (last->due < item->due)
		sift_up(wheel, index, last);
	else
		sift_down(wheel, index, last);
}

void sim_wheel_refill(sim_wheel *wheel)
{
	while (wheel->heap_used && wheel->heap[0]->due - wheel->now < SIM_WHEEL_SLOTS) {
		sim_wheel_item *item = wheel->heap[0];

		sim_wheel_heap_remove(wheel, item);
		sim_wheel_slot_put(wheel, item);
	}
}

void sim_ready_init(sim_ready *ready, uint32_t capacity)
{
	uint32_t words = capacity / 64 + 1;

	*ready = (sim_ready){.summaries = capacity / 4096 + 1};
	ready->word = g_new0(uint64_t, words);
	ready->summary = g_new0(uint64_t, ready->summaries);
}

void sim_ready_fini(sim_ready *ready)
{
	g_clear_pointer(&ready->word, g_free);
	g_clear_pointer(&ready->summary, g_free);
}
