/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing by first fit in several orders: as given, the largest first, the longest-lived first, by beginning.
 */
#include "sched/alg/pack.h"

#include <stdlib.h>
#include <string.h>

enum order { AS_GIVEN, LARGEST, LONGEST, EARLIEST, ORDERS };

typedef struct sorted {
	const pack_item *item;
	uint32_t index;
	enum order by;
} sorted;

static int64_t key_of(const sorted *s)
{
	switch (s->by) {
	case LARGEST:
		return -(int64_t)s->item->size;
	case LONGEST:
		return s->item->from - s->item->to;
	case EARLIEST:
		return s->item->from;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const sorted *x = a, *y = b;
	int64_t k = key_of(x), l = key_of(y);

	return k != l ? (k > l) - (k < l) : (x->index > y->index) - (x->index < y->index);
}

static bool meet(const pack_item *a, const pack_item *b)
{
	return a->from <= b->to && b->from <= a->to;
}

/* The lowest place at or after PLACE that alignment and borders admit. */
static uint64_t admitted(const pack_item *item, const pack_room *room, uint64_t place)
{
	uint64_t align = MAX(item->align, 1);

	for (;;) {
		place = (place + align - 1) / align * align;
		if (!room->unit || item->size > room->unit || place % room->unit + item->size <= room->unit)
			return place;
		place = (place / room->unit + 1) * room->unit;
	}
}

/* The lowest free place of ITEM beside those DONE, or SIZE. */
static uint32_t find_place(const pack_item *item, const pack_room *room, const sorted *done, uint32_t count)
{
	uint64_t place = 0;
	bool moved = true;

	while (moved && place < room->size) {
		moved = false;
		place = admitted(item, room, place);
		for (uint32_t i = 0; i < count; i++) {
			const pack_item *o = done[i].item;

			if (meet(item, o) && place < (uint64_t)o->place + o->size && o->place < place + item->size) {
				place = (uint64_t)o->place + o->size;
				moved = true;
			}
		}
		if (!moved && room->free_from && place + item->size <= room->size) {
			uint32_t next = room->free_from(room->state, item, (uint32_t)place);

			moved = next != place;
			place = next;
		}
	}
	return place + item->size <= room->size ? (uint32_t)place : room->size;
}

/* Room in use, 0 when it does not fit. */
static uint32_t try_order(pack_item *items, uint32_t count, const pack_room *room, enum order by, sorted *list)
{
	uint32_t top = 0;

	for (uint32_t i = 0; i < count; i++)
		list[i] = (sorted){&items[i], i, by};
	qsort(list, count, sizeof *list, compare);
	for (uint32_t i = 0; i < count; i++) {
		pack_item *item = &items[list[i].index];

		item->place = find_place(item, room, list, i);
		if (item->place >= room->size)
			return 0;
		top = MAX(top, item->place + item->size);
	}
	return MAX(top, 1);
}

uint32_t pack_items(pack_item *items, uint32_t count, const pack_room *room)
{
	g_autofree sorted *list = g_new(sorted, count + 1);
	g_autofree pack_item *tried = g_new(pack_item, count + 1);
	uint32_t best = 0;

	for (int by = 0; by < ORDERS && !(best && room->first_fit); by++) {
		uint32_t top;

		memcpy(tried, items, count * sizeof *tried);
		top = count ? try_order(tried, count, room, (enum order)by, list) : 1;
		if (!top || (best && top >= best))
			continue;
		best = top;
		memcpy(items, tried, count * sizeof *items);
	}
	return best;
}

uint32_t pack_bound(const pack_item *items, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = 0;

		for (uint32_t k = 0; k < count; k++)
			if (items[k].from <= items[i].from && items[i].from <= items[k].to)
				at += items[k].size;
		most = MAX(most, at);
	}
	return most;
}
