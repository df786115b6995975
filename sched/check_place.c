/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker's places: registers, port and ALU latches, streams.
 *
 * A cell keeps its newest value that is due and all that are still to come.  A stream keeps, for each diagonal, who
 * drove a value onto it and where; the ring of diagonals is long enough for everything under way.
 */
#include "sched/check.h"

#define I64 "%" G_GINT64_FORMAT

enum { WRITES_RING = 1 << 14 };

static uint64_t ring_size(const isa_machine *m)
{
	int64_t longest = m->vxm_entry_cycles + m->lanes / m->lanes_per_superlane;
	uint64_t size = 256;

	for (int i = 0; i < ISA_TIMING_COUNT; i++)
		if (i != ISA_TIMING_C2C_SEND && i != ISA_TIMING_BARRIER && i != ISA_TIMING_IFETCH)
			longest += isa_machine_timing(m, (enum isa_timing)i);
	while (size < (uint64_t)(4 * (m->positions * m->stream_hop_cycles + longest)))
		size *= 2;
	return size;
}

void check_places_init(check *c)
{
	const isa_machine *m = c->m;
	uint64_t size = ring_size(m);

	c->vreg = g_new0(check_cell, (size_t)m->vreg_count + 1);
	c->slot_mask = size - 1;
	for (unsigned s = 0; s < CHECK_STREAMS; s++) {
		if (s % 32 >= (uint64_t)m->streams)
			continue;
		c->slots[s] = g_new0(check_slot, size);
		for (uint64_t i = 0; i < size; i++)
			c->slots[s][i].diagonal = INT64_MIN;
	}
	for (unsigned plane = 0; plane < (uint64_t)m->mxm_planes; plane++) {
		c->shadow[plane] = g_new0(check_cell, (size_t)m->mxm_rows);
		c->plane_free[plane] = INT64_MIN;
		if (plane % 2 == 0)
			c->rows[plane / 2] = g_new0(check_cell, (size_t)m->mxm_acc_rows + 2);
	}
	for (unsigned i = 0; i < CHECK_LINKS; i++) {
		g_queue_init(&c->link[i].vectors);
		c->link[i].free = INT64_MIN;
	}
	c->reads.cycle = c->weights.cycle = INT64_MIN;
	c->writes = g_new0(check_count, WRITES_RING);
	for (unsigned i = 0; i < WRITES_RING; i++)
		c->writes[i].cycle = INT64_MIN;
}

static void free_cells(check_cell *cells, int64_t count)
{
	for (int64_t i = 0; cells && i < count; i++)
		check_cell_clear(&cells[i]);
}

void check_places_fini(check *c)
{
	free_cells(c->vreg, c->m->vreg_count + 1);
	free_cells(c->act, CHECK_PLANES);
	free_cells(c->wt, CHECK_PLANES);
	free_cells(c->alu, CHECK_ALUS);
	free_cells(c->active, CHECK_PLANES);
	g_free(c->vreg);
	for (unsigned s = 0; s < CHECK_STREAMS; s++) {
		for (uint64_t i = 0; c->slots[s] && i <= c->slot_mask; i++)
			if (c->slots[s][i].drives)
				g_array_unref(c->slots[s][i].drives);
		g_free(c->slots[s]);
	}
	for (unsigned plane = 0; plane < CHECK_PLANES; plane++) {
		free_cells(c->shadow[plane], c->m->mxm_rows);
		free_cells(c->rows[plane / 2], c->m->mxm_acc_rows + 2);
		g_free(c->shadow[plane]);
		g_free(c->rows[plane / 2]);
		c->rows[plane / 2] = NULL;
	}
	for (unsigned i = 0; i < CHECK_LINKS; i++)
		g_queue_clear_full(&c->link[i].vectors, g_free);
	g_free(c->writes);
}

/* ------------------------------------------------------------------------------------------------------ cells */

static check_version *versions_of(check_cell *cell)
{
	return cell->capacity ? cell->more : cell->first;
}

void check_cell_clear(check_cell *cell)
{
	if (cell->capacity)
		g_free(cell->more);
	*cell = (check_cell){0};
}

/* Room for one version more. */
static void grow(check_cell *cell)
{
	check_version *versions = versions_of(cell), *more;
	uint16_t capacity = cell->capacity ? cell->capacity : CHECK_INLINE;

	if (cell->count < capacity)
		return;
	more = g_new(check_version, 2 * (size_t)capacity);
	memcpy(more, versions, cell->count * sizeof *more);
	if (cell->capacity)
		g_free(cell->more);
	cell->more = more;
	cell->capacity = (uint16_t)(2 * capacity);
}

void check_put(const check_issue *issue, check_cell *cell, int64_t due)
{
	check_version *v = versions_of(cell);
	unsigned settled = 0, at;

	while (settled + 1u < cell->count && v[settled + 1].due <= issue->q)
		settled++;
	if (settled) {
		cell->count = (uint16_t)(cell->count - settled);
		memmove(v, v + settled, cell->count * sizeof *v);
	}
	grow(cell);
	v = versions_of(cell);
	for (at = cell->count; at && v[at - 1].due > due; at--)
		v[at] = v[at - 1];
	v[at] = (check_version){due, issue->instance};
	cell->count++;
}

bool check_has(check_cell *cell, uint32_t instance)
{
	return cell->count && versions_of(cell)[cell->count - 1].instance == instance;
}

const check_version *check_at(check_cell *cell, int64_t time)
{
	const check_version *v = versions_of(cell);

	for (unsigned i = cell->count; i-- > 0;)
		if (v[i].due <= time)
			return &v[i];
	return NULL;
}

void check_found(check *c, check_issue *issue, unsigned operand, unsigned segment, const check_version *found,
                 const char *place)
{
	uint32_t named;

	if (!found) {
		check_offend(c, issue, "operand %u, segment %u: there is nothing in %s", operand, segment, place);
		return;
	}
	if (found->instance)
		issue->arrival[operand] = MAX(issue->arrival[operand], found->due - issue->t);
	if (check_named(c, issue, operand, segment, &named) && named != found->instance)
		check_offend(c, issue, "operand %u, segment %u: %s holds the result of instance %u, not of %u", operand,
		             segment, place, found->instance, named);
}

/* --------------------------------------------------------------------------------------------------- streams */

static int64_t diagonal_of(const check *c, unsigned stream, int position, int64_t time)
{
	int64_t hops = position * c->m->stream_hop_cycles;

	return stream >= 32 ? time + hops : time - hops;
}

bool check_stream_at(const check *c, const check_issue *issue, unsigned stream, int64_t time, uint32_t *instance)
{
	int position = issue->queue->position;
	int64_t diagonal = diagonal_of(c, stream, position, time);
	const check_slot *slot = &c->slots[stream][(uint64_t)diagonal & c->slot_mask];
	const check_drive *best = NULL;

	if (slot->diagonal != diagonal)
		return false;
	for (guint i = 0; i < slot->drives->len; i++) {
		const check_drive *d = &g_array_index(slot->drives, check_drive, i);
		bool upstream = stream >= 32 ? d->position >= position : d->position <= position;

		if (upstream &&
		    (!best || (stream >= 32 ? d->position <= best->position : d->position >= best->position)))
			best = d;
	}
	if (best)
		*instance = best->instance;
	return best != NULL;
}

static void drive(check *c, const check_issue *issue, unsigned stream, int64_t due)
{
	check_drive d = {issue->queue->position, issue->instance};
	int64_t diagonal = diagonal_of(c, stream, d.position, due);
	check_slot *slot = &c->slots[stream][(uint64_t)diagonal & c->slot_mask];

	if (!slot->drives)
		slot->drives = g_array_new(FALSE, FALSE, sizeof(check_drive));
	if (slot->diagonal != diagonal)
		g_array_set_size(slot->drives, 0);
	slot->diagonal = diagonal;
	g_array_append_val(slot->drives, d);
}

static bool has_streams(check *c, const check_issue *issue, unsigned first, unsigned count)
{
	if (first % 32 + count <= (uint64_t)c->m->streams)
		return true;
	check_offend(c, issue, "needs %u streams from %u on", count, first % 32);
	return false;
}

static void sample_streams(check *c, check_issue *issue, unsigned operand, unsigned first, unsigned count, int64_t time)
{
	for (unsigned k = 0; k < count && (k || has_streams(c, issue, first, count)); k++) {
		check_version found = {.due = time};
		char name[8];

		g_snprintf(name, sizeof name, "%c%u", first >= 32 ? 'w' : 'e', (first + k) % 32);
		if (check_stream_at(c, issue, first + k, time, &found.instance))
			check_found(c, issue, operand, k, &found, name);
		else
			check_found(c, issue, operand, k, NULL, name);
	}
}

/* ------------------------------------------------------------------------------------------ places in general */

/* Registers of one vector. */
static unsigned registers_of(const check *c, uint64_t bytes)
{
	return (unsigned)((bytes + (uint64_t)c->m->vreg_bytes - 1) / (uint64_t)c->m->vreg_bytes);
}

static void count_use(check *c, const check_issue *issue, check_count *count, int64_t cycle, uint64_t used,
                      int64_t limit, const char *what)
{
	if (count->cycle != cycle)
		*count = (check_count){cycle, 0};
	count->used += used;
	if (count->used > (uint64_t)limit && count->used - used <= (uint64_t)limit)
		check_offend(c, issue, "%" G_GUINT64_FORMAT " %s in cycle " I64 ", there are " I64, count->used, what,
		             cycle, limit);
}

static bool has_registers(check *c, const check_issue *issue, unsigned first, unsigned count)
{
	if (first + count <= (uint64_t)c->m->vreg_count)
		return true;
	check_offend(c, issue, "registers %u to %u do not all exist", first, first + count - 1);
	return false;
}

void check_sample(check *c, check_issue *issue, unsigned operand, unsigned place, unsigned width, uint64_t bytes,
                  unsigned vectors, int64_t time)
{
	unsigned at = isa_place_index(place);
	unsigned registers = registers_of(c, bytes);

	switch (isa_place_kind(place)) {
	case ISA_PLACE_KIND_STREAM:
		sample_streams(c, issue, operand, at, width * vectors, time);
		return;
	case ISA_PLACE_KIND_VREG:
		if (!has_registers(c, issue, at, registers * vectors))
			return;
		count_use(c, issue, &c->reads, time, registers * vectors, c->m->vreg_read_ports, "registers are read");
		for (unsigned k = 0; k < registers * vectors; k++)
			check_found(c, issue, operand, k / registers, check_at(&c->vreg[at + k], time), "a register");
		return;
	case ISA_PLACE_KIND_ACT:
		check_found(c, issue, operand, 0, at ? check_at(&c->act[__builtin_ctz(at) % CHECK_PLANES], time) : NULL,
		            "the activation port");
		return;
	case ISA_PLACE_KIND_WT:
		check_found(c, issue, operand, 0, check_at(&c->wt[at % CHECK_PLANES], time), "the weight port");
		return;
	case ISA_PLACE_KIND_ALU:
		check_found(c, issue, operand, 0, check_at(&c->alu[at], time), "the ALU's latch");
		return;
	case ISA_PLACE_KIND_IMM:
		return;
	default:
		check_offend(c, issue, "operand %u is nowhere", operand);
	}
}

void check_write(check *c, check_issue *issue, unsigned width, uint64_t bytes, unsigned vectors, int64_t due)
{
	unsigned at = isa_place_index(issue->dst);
	unsigned registers = registers_of(c, bytes);

	issue->result = due - issue->t;
	switch (isa_place_kind(issue->dst)) {
	case ISA_PLACE_KIND_STREAM:
		for (unsigned k = 0; k < width * vectors && (k || has_streams(c, issue, at, width * vectors)); k++)
			drive(c, issue, at + k, due);
		return;
	case ISA_PLACE_KIND_VREG:
		if (!has_registers(c, issue, at, registers * vectors))
			return;
		count_use(c, issue, &c->writes[(uint64_t)due % WRITES_RING], due, registers * vectors,
		          c->m->vreg_write_ports, "registers are written");
		for (unsigned k = 0; k < registers * vectors; k++)
			check_put(issue, &c->vreg[at + k], due);
		return;
	case ISA_PLACE_KIND_ACT:
		for (unsigned plane = 0; plane < CHECK_PLANES; plane++)
			if (at >> plane & 1)
				check_put(issue, &c->act[plane], due);
		return;
	case ISA_PLACE_KIND_WT:
		check_put(issue, &c->wt[at % CHECK_PLANES], due);
		return;
	default:
		return;
	}
}
