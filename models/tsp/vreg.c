/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector registers: one cell each, and the ports.  Reads are counted in the cycle they are sampled, writes in the cycle
 * they are due; the audit blames over-use on the uses that were filed last, the highest queues first.  Banking and
 * bypassing of the register file are not modelled.
 */
#include "models/tsp/internal.h"

enum { DUE_SLOTS = 512 }; /* to begin with; a backlog of loads may reach further */

static void clear_slots(tsp_port_slot *slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		slots[i] = (tsp_port_slot){INT64_MIN, 0};
}

void tsp_vregs_init(tsp_chip *chip)
{
	const isa_machine *m = chip->machine;

	chip->vregs = (tsp_vregs){
		.cells = g_new0(model_cell, (gsize)MAX(m->vreg_count, 1)),
		.count = (uint32_t)m->vreg_count,
		.bytes = (uint32_t)m->vreg_bytes,
		.read_ports = (uint32_t)m->vreg_read_ports,
		.write_ports = (uint32_t)m->vreg_write_ports,
		.read_cycle = INT64_MIN,
		.due = g_new(tsp_port_slot, DUE_SLOTS),
		.mask = DUE_SLOTS - 1,
	};
	clear_slots(chip->vregs.due, DUE_SLOTS);
}

void tsp_vregs_fini(tsp_chip *chip)
{
	for (uint32_t i = 0; i < chip->vregs.count; i++)
		model_cell_clear(&chip->vregs.cells[i], tsp_drop_value, &chip->pool);
	g_free(chip->vregs.cells);
	g_free(chip->vregs.due);
}

void tsp_vregs_count_reads(tsp_queue *q, uint32_t n)
{
	tsp_vregs *v = &q->chip->vregs;

	if (v->read_cycle != q->now) {
		v->read_cycle = q->now;
		v->reads = 0;
	}
	q->reads += n;
	v->reads += n;
	if (G_UNLIKELY(v->reads > v->read_ports) && !q->chip->read_overuse) {
		q->chip->read_overuse = true;
		tsp_audit_now(q);
	}
}

/* Makes the ring reach as far as DUE. */
static void grow(tsp_vregs *v, int64_t now, int64_t due)
{
	uint32_t size = v->mask + 1;
	uint32_t new_size = size;
	tsp_port_slot *slots;

	while (due - now >= new_size)
		new_size *= 2;
	slots = g_new(tsp_port_slot, new_size);
	clear_slots(slots, new_size);
	for (uint32_t i = 0; i < size; i++)
		if (v->due[i].cycle >= now)
			slots[v->due[i].cycle & (new_size - 1)] = v->due[i];
	g_free(v->due);
	v->due = slots;
	v->mask = new_size - 1;
}

void tsp_vregs_count_writes(tsp_queue *q, int64_t due, uint32_t n)
{
	tsp_vregs *v = &q->chip->vregs;
	tsp_port_slot *slot;

	if (G_UNLIKELY(due - q->now > v->mask))
		grow(v, q->now, due);
	slot = &v->due[due & v->mask];
	if (slot->cycle != due)
		*slot = (tsp_port_slot){due, 0};
	slot->used += n;
	q->writes += n;
	q->writes_due = due;
	if (G_UNLIKELY(slot->used > v->write_ports)) {
		g_array_append_val(q->chip->write_overuse, due);
		tsp_audit_now(q);
	}
}

static void audit_reads(tsp_chip *chip, int64_t now)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];

		if (q->now != now || !q->reads)
			continue;
		used += q->reads;
		if (used > chip->vregs.read_ports)
			tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, now, TSP_NO_INSN, chip->vregs.reads);
	}
}

static void audit_writes(tsp_chip *chip, int64_t now, int64_t due)
{
	uint32_t total = chip->vregs.due[due & chip->vregs.mask].used;
	uint32_t used = total;

	for (uint32_t i = 0; i < chip->queue_count; i++)
		if (chip->queues[i].now == now && chip->queues[i].writes && chip->queues[i].writes_due == due)
			used -= chip->queues[i].writes;
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];

		if (q->now != now || !q->writes || q->writes_due != due)
			continue;
		used += q->writes;
		if (used > chip->vregs.write_ports)
			tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, due, TSP_NO_INSN, total);
	}
}

static gint compare_cycles(gconstpointer a, gconstpointer b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void tsp_vregs_audit(tsp_chip *chip, int64_t now)
{
	GArray *list = chip->write_overuse;

	if (chip->read_overuse)
		audit_reads(chip, now);
	chip->read_overuse = false;
	g_array_sort(list, compare_cycles);
	for (guint i = 0; i < list->len; i++) {
		int64_t due = g_array_index(list, int64_t, i);

		if (!i || due != g_array_index(list, int64_t, i - 1))
			audit_writes(chip, now, due);
	}
	g_array_set_size(list, 0);
}
