/* SPDX-License-Identifier: Apache-2.0
 *
 * Links: a vector occupies its link for an exact rational number of cycles, rounded up once, and can be received a
 * latency later.  With one chip in the model every link is looped back to itself.  Links see wall time: while a frozen
 * machine stands still, they do not.  A SEND on an occupied link is reported and waits its turn; a RECV that comes too
 * early is reported and gets nothing.  Deskewing, flow control and errors are not modelled.
 */
#include "models/tsp/internal.h"

void tsp_links_init(tsp_chip *chip)
{
	int64_t count = chip->machine->link_count;

	chip->links = g_new0(tsp_link, (gsize)MAX(count, 1));
	for (int64_t i = 0; i < count; i++)
		chip->links[i].parcels = g_array_new(FALSE, FALSE, sizeof(tsp_parcel));
}

void tsp_links_fini(tsp_chip *chip)
{
	for (int64_t i = 0; i < chip->machine->link_count; i++) {
		tsp_link *link = &chip->links[i];

		for (guint k = link->first; k < link->parcels->len; k++)
			model_value_unref(&chip->pool, g_array_index(link->parcels, tsp_parcel, k).value);
		g_array_unref(link->parcels);
	}
	g_free(chip->links);
}

/* A vector is what the place holds: one byte a lane on a stream, a whole register. */
static uint32_t vector_bytes(const tsp_chip *chip, unsigned place)
{
	return isa_place_kind(place) == ISA_PLACE_KIND_STREAM ? chip->lanes : chip->vregs.bytes;
}

int tsp_prepare_C2C(tsp_chip *chip, tsp_queue *q)
{
	const isa_machine *m = chip->machine;
	uint32_t bytes;

	if (q->insn.op == ISA_OP_RECV)
		return tsp_place_resolve(q, q->insn.dst, vector_bytes(chip, q->insn.dst), 1, true, &q->dst);
	bytes = vector_bytes(chip, q->insn.src0) + (uint32_t)m->link_overhead_bytes;
	q->extra = (int64_t)(((uint64_t)bytes * (uint64_t)m->clock_hz + (uint64_t)m->link_bytes_per_s - 1) /
	                     (uint64_t)m->link_bytes_per_s);
	return tsp_place_resolve(q, q->insn.src0, vector_bytes(chip, q->insn.src0), 1, false, &q->src[0]);
}

/* The operand as a packed value of its own. */
static model_value *copy_operand(tsp_chip *chip, const tsp_operand *x, uint32_t bytes)
{
	model_value *value;

	if (!x->value)
		return NULL;
	value = model_value_new(&chip->pool);
	memcpy(value->data, tsp_operand_bytes(x), bytes);
	model_value_seal(value, bytes);
	return value;
}

void tsp_exec_SEND(tsp_chip *chip, tsp_queue *q)
{
	tsp_link *link = &chip->links[q->info->index];
	uint32_t bytes = vector_bytes(chip, q->insn.src0);
	int64_t wall = q->now + chip->slip;
	int64_t latency = chip->delay[ISA_TIMING_C2C_SEND];
	tsp_parcel parcel = {.tag = q->tag};
	int64_t start = wall;
	tsp_operand x;

	tsp_sample(q, 0, 0, q->now, &x);
	if (link->busy_until > wall) {
		tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, q->now, TSP_NO_INSN, q->info->index);
		start = link->busy_until;
	}
	link->busy_until = start + q->extra;
	parcel.receivable = link->busy_until + latency;
	parcel.value = copy_operand(chip, &x, bytes);
	g_array_append_val(link->parcels, parcel);
	chip->counters.link_vectors++;
	tsp_note_due(chip, parcel.receivable - chip->slip);
	tsp_report(q, parcel.receivable - chip->slip, NULL, (uint32_t)q->extra, start - wall, bytes);
}

static void take_parcel(tsp_link *link)
{
	if (++link->first == link->parcels->len || link->first >= 1024) {
		g_array_remove_range(link->parcels, 0, link->first);
		link->first = 0;
	}
}

void tsp_exec_RECV(tsp_chip *chip, tsp_queue *q)
{
	tsp_link *link = &chip->links[q->info->index];
	int64_t due = q->now + chip->delay[ISA_TIMING_C2C_RECV];
	tsp_parcel *parcel = NULL;
	model_expect e;
	bool named;
	uint32_t tag;

	if (link->first < link->parcels->len)
		parcel = &g_array_index(link->parcels, tsp_parcel, link->first);
	if (!parcel || parcel->receivable > q->now + chip->slip) {
		tsp_violate(q, parcel ? ISA_VIOLATION_LATE_OPERAND : ISA_VIOLATION_UNWRITTEN, q->now,
		            parcel ? tsp_insn_of(chip, parcel->tag) : TSP_NO_INSN, q->info->index);
		tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
		return;
	}
	tsp_expect(q, 0, &e);
	model_expect_run(&e, 1, &named, &tag);
	if (named && parcel->tag != tag)
		tsp_violate(q, ISA_VIOLATION_WRONG_OPERAND, q->now, tsp_insn_of(chip, parcel->tag), q->info->index);
	q->arrival[0] = parcel->receivable - chip->slip;
	tsp_write(q, due, parcel->value);
	take_parcel(link);
	tsp_report(q, due, NULL, 0, 0, vector_bytes(chip, q->insn.dst));
}
