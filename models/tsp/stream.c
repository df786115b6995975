/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams: values that move one position every hop.  A value put on an eastward stream at position p with due cycle r
 * is at p + k in cycle r + k*hop, so r - p*hop never changes along its way (westward: r + p*hop).  It is stored once,
 * under that diagonal; a sampler at position x and cycle q looks at diagonal q - x*hop and takes the nearest driver
 * upstream.  No event a hop.  Skew between superlanes and error correction are not modelled.
 */
#include "models/tsp/internal.h"

#include <stdlib.h>

static inline bool is_west(uint32_t stream)
{
	return stream >= TSP_STREAM_WEST;
}

static inline int64_t diagonal_of(const tsp_fabric *f, uint32_t stream, int64_t time, int64_t position)
{
	return is_west(stream) ? time + position * f->hop : time - position * f->hop;
}

/* When is what moves along DIAGONAL at POSITION? */
static inline int64_t time_at(const tsp_fabric *f, uint32_t stream, int64_t diagonal, int64_t position)
{
	return is_west(stream) ? diagonal - position * f->hop : diagonal + position * f->hop;
}

static inline bool is_upstream(uint32_t stream, int64_t position, int64_t sampler)
{
	return is_west(stream) ? position >= sampler : position <= sampler;
}

static inline tsp_drive *drives_of(tsp_slot *slot)
{
	return slot->capacity ? slot->spill : slot->in;
}

static tsp_slot *new_slots(uint64_t count)
{
	tsp_slot *slots = g_new0(tsp_slot, count);

	for (uint64_t i = 0; i < count; i++)
		slots[i].diagonal = INT64_MIN;
	return slots;
}

/* Enough slots for all that can be under way: what was driven at the far end, and what is due the longest ahead. */
static uint64_t ring_size(const tsp_chip *chip)
{
	const isa_machine *m = chip->machine;
	int64_t longest = 0;
	uint64_t size = 64;

	for (int i = 0; i < ISA_TIMING_COUNT; i++)
		if (i != ISA_TIMING_C2C_SEND && i != ISA_TIMING_BARRIER && i != ISA_TIMING_IFETCH)
			longest = MAX(longest, chip->delay[i]);
	longest += m->vxm_entry_cycles + chip->superlanes;
	while (size < (uint64_t)(2 * m->positions * m->stream_hop_cycles + longest + 2))
		size *= 2;
	return size;
}

void tsp_fabric_init(tsp_chip *chip)
{
	tsp_fabric *f = &chip->fabric;
	uint64_t size = ring_size(chip);

	f->positions = chip->machine->positions;
	f->hop = chip->machine->stream_hop_cycles;
	for (uint32_t s = 0; s < TSP_STREAMS; s++)
		if (s % TSP_STREAM_WEST < chip->machine->streams)
			f->stream[s] = (tsp_stream){new_slots(size), size - 1};
}

static void drop_drives(tsp_chip *chip, tsp_slot *slot)
{
	const tsp_drive *d = drives_of(slot);

	for (unsigned i = 0; i < slot->count; i++)
		if (d[i].value)
			model_value_unref(&chip->pool, d[i].value);
	slot->count = 0;
}

void tsp_fabric_fini(tsp_chip *chip)
{
	for (uint32_t s = 0; s < TSP_STREAMS; s++) {
		tsp_stream *stream = &chip->fabric.stream[s];

		for (uint64_t i = 0; stream->slots && i <= stream->mask; i++) {
			drop_drives(chip, &stream->slots[i]);
			if (stream->slots[i].capacity)
				g_free(stream->slots[i].spill);
		}
		g_free(stream->slots);
	}
}

static inline tsp_slot *slot_at(tsp_stream *stream, int64_t diagonal)
{
	return &stream->slots[(uint64_t)diagonal & stream->mask];
}

static tsp_drive *add_drive(tsp_slot *slot)
{
	if (slot->count == (slot->capacity ? slot->capacity : TSP_SLOT_INLINE)) {
		uint16_t capacity = (uint16_t)(slot->capacity ? 2 * slot->capacity : 4 * TSP_SLOT_INLINE);
		tsp_drive *spill = g_new(tsp_drive, capacity);

		memcpy(spill, drives_of(slot), slot->count * sizeof *spill);
		if (slot->capacity)
			g_free(slot->spill);
		slot->spill = spill;
		slot->capacity = capacity;
	}
	return &drives_of(slot)[slot->count++];
}

void tsp_stream_drive(tsp_queue *q, uint32_t stream, int64_t due, model_value *value, unsigned width, unsigned byte)
{
	tsp_chip *chip = q->chip;
	int16_t position = q->info->position;
	int64_t diagonal = diagonal_of(&chip->fabric, stream, due, position);
	tsp_slot *slot = slot_at(&chip->fabric.stream[stream], diagonal);
	const tsp_drive *d;

	if (slot->diagonal != diagonal) {
		drop_drives(chip, slot);
		slot->diagonal = diagonal;
	}
	d = drives_of(slot);
	for (unsigned i = 0; i < slot->count; i++)
		if (G_UNLIKELY(d[i].position == position)) {
			tsp_collision collision = {diagonal, (uint16_t)stream, position};

			g_array_append_val(chip->collisions, collision);
			tsp_audit_now(q);
			break;
		}
	*add_drive(slot) = (tsp_drive){
		.value = model_value_ref(value),
		.filed = q->now,
		.tag = q->tag,
		.position = position,
		.queue = q->number,
		.width = (uint8_t)width,
		.byte = (uint8_t)byte,
	};
}

/* Does a sampler downstream of both see A rather than B?  The nearer, then the later filed, then the higher queue. */
static inline bool hides(uint32_t stream, const tsp_drive *a, const tsp_drive *b)
{
	if (a->position != b->position)
		return is_west(stream) ? a->position < b->position : a->position > b->position;
	if (a->filed != b->filed)
		return a->filed > b->filed;
	return a->queue > b->queue;
}

const tsp_drive *tsp_stream_at(tsp_queue *q, uint32_t stream, int64_t time)
{
	tsp_fabric *f = &q->chip->fabric;
	int64_t position = q->info->position;
	int64_t diagonal = diagonal_of(f, stream, time, position);
	tsp_slot *slot = slot_at(&f->stream[stream], diagonal);
	const tsp_drive *d = drives_of(slot);
	const tsp_drive *best = NULL;

	if (slot->diagonal != diagonal)
		return NULL;
	for (unsigned i = 0; i < slot->count; i++)
		if (is_upstream(stream, d[i].position, position) && (!best || hides(stream, &d[i], best)))
			best = &d[i];
	return best;
}

bool tsp_stream_hides(const tsp_queue *q, uint32_t stream, int64_t time, uint32_t tag)
{
	tsp_fabric *f = &q->chip->fabric;
	int64_t position = q->info->position;
	int64_t diagonal = diagonal_of(f, stream, time, position);
	tsp_slot *slot = slot_at(&f->stream[stream], diagonal);
	const tsp_drive *d = drives_of(slot);

	for (unsigned i = 0; slot->diagonal == diagonal && i < slot->count; i++)
		if (d[i].tag == tag && is_upstream(stream, d[i].position, position))
			return true;
	return false;
}

bool tsp_stream_comes_later(const tsp_queue *q, uint32_t stream, int64_t time, uint32_t tag)
{
	tsp_fabric *f = &q->chip->fabric;
	int64_t position = q->info->position;

	for (uint64_t i = 0; i <= f->stream[stream].mask; i++) {
		tsp_slot *slot = &f->stream[stream].slots[i];
		const tsp_drive *d = drives_of(slot);

		if (!slot->count || time_at(f, stream, slot->diagonal, position) <= time)
			continue;
		for (unsigned k = 0; k < slot->count; k++)
			if (d[k].tag == tag && d[k].filed < time && is_upstream(stream, d[k].position, position))
				return true;
	}
	return false;
}

static int compare_collisions(const void *a, const void *b)
{
	const tsp_collision *x = a;
	const tsp_collision *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->diagonal != y->diagonal)
		return x->diagonal < y->diagonal ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* Blames every drive of the cell that was filed now, except the cell's first. */
static void audit_cell(tsp_chip *chip, const tsp_collision *c, int64_t now)
{
	tsp_slot *slot = slot_at(&chip->fabric.stream[c->stream], c->diagonal);
	const tsp_drive *d = drives_of(slot);
	const tsp_drive *first = NULL;

	for (unsigned i = 0; i < slot->count; i++)
		if (d[i].position == c->position && (!first || hides(c->stream, first, &d[i])))
			first = &d[i];
	for (unsigned i = 0; i < slot->count; i++) {
		tsp_queue *q = &chip->queues[d[i].queue];

		if (d[i].position != c->position || &d[i] == first || d[i].filed != now || q->collided)
			continue;
		q->collided = true;
		tsp_violate(q, ISA_VIOLATION_STREAM_COLLISION,
		            time_at(&chip->fabric, c->stream, c->diagonal, c->position), tsp_insn_of(chip, first->tag),
		            c->stream);
	}
}

void tsp_stream_audit(tsp_chip *chip, int64_t now)
{
	GArray *list = chip->collisions;

	if (list->len)
		qsort(list->data, list->len, sizeof(tsp_collision), compare_collisions);
	for (guint i = 0; i < list->len; i++) {
		const tsp_collision *c = &g_array_index(list, tsp_collision, i);

		if (!i || compare_collisions(c - 1, c) != 0)
			audit_cell(chip, c, now);
	}
	g_array_set_size(list, 0);
}
