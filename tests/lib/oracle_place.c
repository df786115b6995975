/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's operand places: vector registers, port and ALU latches, stream cells.  Sampling copies what is there and
 * compares its producer with the one the program names; writing files a value for the cycle it is due in.  Streams are
 * a row of cells for each stream, moved by one cell every cycle; with hops of several cycles, positions lie so many
 * cells apart.
 */
#include "tests/lib/oracle_int.h"

#include <string.h>

static unsigned link_bytes(const isa_machine *hw)
{
	return (unsigned)(hw->vreg_count ? hw->vreg_bytes : hw->lanes);
}

or_shape or_operand_shape(const or_run *run, const or_issue *issue, enum or_operand_field field)
{
	const isa_insn *insn = issue->insn;
	unsigned lanes = (unsigned)run->hw->lanes;
	unsigned type = isa_type_bytes(insn->type);

	switch (isa_ops[insn->op].unit) {
	case ISA_UNIT_VXM:
		type = field == OR_FIELD_DST ? isa_type_bytes(insn->dtype) : type;
		return (or_shape){type, insn->lanes * type, 1};
	case ISA_UNIT_SXM:
		if (insn->op == ISA_OP_TRANSPOSE)
			return (or_shape){1, lanes, 16};
		return (or_shape){type, lanes * type, 1};
	case ISA_UNIT_MXM:
		if (insn->op == ISA_OP_LW && isa_place_kind(insn->src0) == ISA_PLACE_KIND_STREAM)
			return (or_shape){type, insn->lanes * type, insn->count};
		if (insn->op == ISA_OP_LW)
			return (or_shape){type, insn->count * insn->lanes * type, 1};
		if (insn->op == ISA_OP_ACC)
			return (or_shape){4, insn->lanes * 4U, 1};
		return (or_shape){type, insn->lanes * type, 1};
	case ISA_UNIT_C2C:
		return (or_shape){1, link_bytes(run->hw), 1};
	default:
		break;
	}
	switch (insn->op) {
	case ISA_OP_LOAD:
	case ISA_OP_STORE:
		return (or_shape){1, insn->len, 1};
	case ISA_OP_LOADX:
	case ISA_OP_STOREX:
		if (field == OR_FIELD_SRC1)
			return (or_shape){4, insn->count * 4U, 1};
		return (or_shape){1, insn->seg * insn->count, 1};
	case ISA_OP_LOADS:
	case ISA_OP_STORES:
		return (or_shape){1, insn->seg * insn->count, 1};
	default:
		return (or_shape){1, lanes, 1};
	}
}

static unsigned place_of(const or_issue *issue, enum or_operand_field field)
{
	return field == OR_FIELD_DST ? issue->dst : field == OR_FIELD_SRC0 ? issue->src0 : issue->src1;
}

void or_log(or_run *run, uint32_t tag, const or_place *place, int64_t due)
{
	gpointer key = GUINT_TO_POINTER(tag);
	GArray *entries = g_hash_table_lookup(run->log, key);
	or_log_entry entry = {*place, due};

	if (!entries) {
		entries = g_array_new(FALSE, FALSE, sizeof(or_log_entry));
		g_hash_table_insert(run->log, key, entries);
	}
	g_array_append_val(entries, entry);
}

/* The instance the program names for a segment of an operand; false when it names none. */
static bool named_producer(const or_run *run, const or_issue *issue, unsigned operand, unsigned segment, uint32_t *tag)
{
	const isa_program *p = run->program;
	guint at = issue->record.insn * ISA_OPERANDS + operand;
	uint32_t first;
	uint8_t count;

	if (at >= p->source_count->len)
		return false;
	first = g_array_index(p->first_source, uint32_t, at);
	count = g_array_index(p->source_count, uint8_t, at);
	for (unsigned k = 0; k < count; k++) {
		const isa_source *s = &g_array_index(p->sources, isa_source, first + k);

		if (s->segments && segment >= s->segments) {
			segment -= s->segments;
			continue;
		}
		*tag = s->resident ? 0
		                   : (uint32_t)((int64_t)s->base + (int64_t)issue->i0 * s->step0 +
		                                (int64_t)issue->i1 * s->step1 +
		                                (int64_t)(segment / s->seg_div) * s->seg_step);
		return true;
	}
	return false;
}

static uint32_t producer_insn(const or_run *run, const or_value *value)
{
	uint32_t insn, index;

	return value && value->tag && or_find_instance(run->program, value->tag, &insn, &index) ? insn : UINT32_MAX;
}

void or_check(or_run *run, or_issue *issue, unsigned operand, unsigned segment, const or_place *place,
              const or_value *found, enum isa_violation absent)
{
	or_doubt doubt = {.issue = issue, .place = *place, .q = run->now, .found = found, .otherwise = absent};
	int64_t *arrival = &issue->record.arrival[operand];

	if (run->options.sampled)
		run->options.sampled(run->options.sampled_state, issue->record.insn, issue->record.index, operand,
		                     segment, found != NULL, found ? found->tag : 0);
	doubt.expects = named_producer(run, issue, operand, segment, &doubt.expected);
	if (found) {
		if (found->tag)
			*arrival = MAX(*arrival, place->where == OR_STREAM ? run->now : found->due);
		if (!doubt.expects || doubt.expected == found->tag)
			return;
		doubt.otherwise = ISA_VIOLATION_WRONG_OPERAND;
	}
	if (issue->doubted & 1U << operand)
		return;
	issue->doubted |= 1U << operand;
	g_array_append_val(run->doubts, doubt);
}

/* When is a value logged at FROM there where AT is sampled?  false: never. */
static bool arrives(const or_run *run, const or_log_entry *entry, const or_place *at, int64_t *cycle)
{
	int64_t hops = at->position - entry->place.position;

	if (entry->place.where != at->where || entry->place.index != at->index)
		return false;
	if (at->where == OR_STREAM && at->index >= 32)
		hops = -hops;
	if (hops < 0)
		return false;
	*cycle = entry->due + hops * run->hw->stream_hop_cycles;
	return true;
}

/* Had the named producer sampled its own operands in a cycle before the one in which its value was missed? */
static bool was_filed(const or_run *run, const or_doubt *doubt)
{
	const or_issue *producer = g_hash_table_lookup(run->by_tag, GUINT_TO_POINTER(doubt->expected));

	return producer && producer->q < doubt->q;
}

static enum isa_violation judge(const or_run *run, const or_doubt *doubt)
{
	GArray *entries = doubt->expects ? g_hash_table_lookup(run->log, GUINT_TO_POINTER(doubt->expected)) : NULL;
	enum isa_violation kind = doubt->otherwise;
	int64_t cycle;

	for (unsigned i = 0; entries && i < entries->len; i++) {
		if (!arrives(run, &g_array_index(entries, or_log_entry, i), &doubt->place, &cycle))
			continue;
		if (doubt->place.where == OR_STREAM && cycle == doubt->q)
			return ISA_VIOLATION_STREAM_COLLISION;
		if (cycle > doubt->q && was_filed(run, doubt))
			kind = doubt->place.where == OR_SHADOW ? ISA_VIOLATION_IW_BEFORE_WEIGHTS
			                                       : ISA_VIOLATION_LATE_OPERAND;
	}
	return kind;
}

void or_judge_doubts(or_run *run)
{
	for (unsigned i = 0; i < run->doubts->len; i++) {
		const or_doubt *doubt = &g_array_index(run->doubts, or_doubt, i);

		or_violate_at(run, doubt->issue, doubt->q, judge(run, doubt), producer_insn(run, doubt->found),
		              (int64_t)doubt->place.index);
	}
}

static void count_use(or_run *run, const or_issue *issue, int64_t *used, int64_t ports)
{
	if (++*used > ports)
		or_violate(run, issue, ISA_VIOLATION_PORT_OVERUSE, UINT32_MAX, *used);
}

static or_value **latch(or_run *run, const or_place *place)
{
	switch (place->where) {
	case OR_VREG:
		return &run->vreg[place->index];
	case OR_ACT:
		return &run->act[place->index];
	case OR_WT:
		return &run->wt[place->index];
	case OR_ALU:
		return &run->alu[place->index];
	case OR_SHADOW:
		return &run->plane[place->index / (uint64_t)run->hw->mxm_rows]
		                .shadow[place->index % (uint64_t)run->hw->mxm_rows];
	default:
		g_assert(place->where == OR_STREAM);
		return &run->cell[place->index][place->position * run->hw->stream_hop_cycles];
	}
}

static void copy_found(const or_value *found, uint8_t *to, unsigned bytes)
{
	memset(to, 0, bytes);
	if (found)
		memcpy(to, found->bytes, MIN(bytes, found->size));
}

/* Do registers AT to AT + COUNT - 1 exist, all of them?  That is found out when they would be used; the rest of the
 * instruction is done. */
static bool vector_exists(const or_run *run, int64_t at, unsigned count)
{
	return at >= 0 && at + count <= run->hw->vreg_count;
}

/* Once for what ACCUSED stands for: an operand, or ISA_OPERANDS for the result. */
static void accuse(or_run *run, or_issue *issue, int64_t at, unsigned accused)
{
	if (!(issue->doubted & 1U << accused))
		or_violate(run, issue, ISA_VIOLATION_ADDRESS_RANGE, UINT32_MAX, at);
	issue->doubted |= 1U << accused;
}

void or_check_result(or_run *run, or_issue *issue)
{
	or_shape shape = or_operand_shape(run, issue, OR_FIELD_DST);
	int64_t at = isa_place_index(issue->dst) + issue->rotation[OR_FIELD_DST];
	unsigned count = or_registers(run, &shape);

	if (isa_place_kind(issue->dst) != ISA_PLACE_KIND_VREG)
		return;
	for (unsigned v = 0; v < shape.vectors; v++)
		if (!vector_exists(run, at + v * count, count))
			accuse(run, issue, at + v * count, ISA_OPERANDS);
}

static void sample_registers(or_run *run, or_issue *issue, unsigned operand, int64_t at, const or_shape *shape,
                             uint8_t *packed)
{
	unsigned each = (unsigned)run->hw->vreg_bytes;
	unsigned count = or_registers(run, shape);

	for (unsigned k = 0; k < shape->vectors * count; k++) {
		or_place place = {OR_VREG, (uint64_t)(at + k), 0};
		unsigned begin = k % count * each;
		const or_value *found;

		if (!vector_exists(run, at + k - k % count, count)) {
			accuse(run, issue, at + k - k % count, operand);
			continue;
		}
		found = *latch(run, &place);
		count_use(run, issue, &run->reads, run->hw->vreg_read_ports);
		or_check(run, issue, operand, k / count, &place, found, ISA_VIOLATION_UNWRITTEN);
		copy_found(found, packed + k / count * shape->bytes + begin, MIN(each, shape->bytes - begin));
	}
}

static void sample_streams(or_run *run, or_issue *issue, unsigned operand, unsigned at, const or_shape *shape,
                           uint8_t *packed)
{
	unsigned lanes = shape->bytes / shape->element;

	for (unsigned k = 0; k < shape->vectors * shape->element; k++) {
		or_place place = {OR_STREAM, at + k, issue->queue->position};
		const or_value *found = *latch(run, &place);
		uint8_t *to = packed + k / shape->element * shape->bytes + k % shape->element;

		or_check(run, issue, operand, k, &place, found, ISA_VIOLATION_UNDRIVEN_CELL);
		for (unsigned lane = 0; lane < lanes; lane++)
			to[lane * shape->element] = found ? found->bytes[lane] : 0;
	}
}

static unsigned lowest_bit(unsigned mask)
{
	unsigned bit = 0;

	while (!(mask >> bit & 1))
		bit++;
	return bit;
}

void or_sample(or_run *run, or_issue *issue, unsigned operand, enum or_operand_field field, uint8_t *packed)
{
	unsigned place = place_of(issue, field);
	unsigned at = isa_place_index(place);
	or_shape shape = or_operand_shape(run, issue, field);
	or_place where = {OR_ALU, at, 0};

	memset(packed, 0, shape.vectors * shape.bytes);
	switch (isa_place_kind(place)) {
	case ISA_PLACE_KIND_VREG:
		sample_registers(run, issue, operand, at + issue->rotation[field], &shape, packed);
		return;
	case ISA_PLACE_KIND_STREAM:
		sample_streams(run, issue, operand, at, &shape, packed);
		return;
	case ISA_PLACE_KIND_ACT:
		where = (or_place){OR_ACT, lowest_bit(at), 0};
		break;
	case ISA_PLACE_KIND_WT:
		where.where = OR_WT;
		break;
	case ISA_PLACE_KIND_ALU:
		break;
	default:
		return;
	}
	or_check(run, issue, operand, 0, &where, *latch(run, &where), ISA_VIOLATION_UNWRITTEN);
	copy_found(*latch(run, &where), packed, shape.vectors * shape.bytes);
}

static void fall_due(or_run *run, or_item *item)
{
	or_value **at = latch(run, &item->place);

	if (item->place.where == OR_VREG)
		count_use(run, item->issue, &run->writes, run->hw->vreg_write_ports);
	if (item->place.where == OR_STREAM && *at && (*at)->due == run->now)
		or_violate(run, item->issue, ISA_VIOLATION_STREAM_COLLISION, producer_insn(run, *at),
		           (int64_t)item->place.index);
	*at = item->value;
}

void or_put(or_run *run, or_issue *issue, const or_place *place, or_value *value)
{
	or_item item = {.run = fall_due, .issue = issue, .place = *place, .value = value};

	or_log(run, value->tag, place, value->due);
	or_file(run, value->due, OR_PHASE_DUE, &item);
}

static void write_registers(or_run *run, or_issue *issue, int64_t at, const or_shape *shape, const uint8_t *packed,
                            int64_t due)
{
	unsigned each = (unsigned)run->hw->vreg_bytes;
	unsigned count = or_registers(run, shape);

	for (unsigned k = 0; k < shape->vectors * count; k++) {
		unsigned begin = k % count * each;
		or_value *value = or_value_new(run, issue->tag, due, packed + k / count * shape->bytes + begin,
		                               MIN(each, shape->bytes - begin));

		/* or_check_result() has reported it. */
		if (vector_exists(run, at + k - k % count, count))
			or_put(run, issue, &(or_place){OR_VREG, (uint64_t)(at + k), 0}, value);
	}
}

static void write_streams(or_run *run, or_issue *issue, unsigned at, const or_shape *shape, const uint8_t *packed,
                          int64_t due)
{
	unsigned lanes = shape->bytes / shape->element;

	for (unsigned k = 0; k < shape->vectors * shape->element; k++) {
		or_value *value = or_value_new(run, issue->tag, due, NULL, (unsigned)run->hw->lanes);

		for (unsigned lane = 0; lane < lanes; lane++)
			value->bytes[lane] =
				packed[k / shape->element * shape->bytes + lane * shape->element + k % shape->element];
		or_put(run, issue, &(or_place){OR_STREAM, at + k, issue->queue->position}, value);
	}
}

void or_write(or_run *run, or_issue *issue, const uint8_t *packed, int64_t due)
{
	unsigned at = isa_place_index(issue->dst);
	or_shape shape = or_operand_shape(run, issue, OR_FIELD_DST);
	unsigned bytes = shape.vectors * shape.bytes;

	switch (isa_place_kind(issue->dst)) {
	case ISA_PLACE_KIND_VREG:
		write_registers(run, issue, at + issue->rotation[OR_FIELD_DST], &shape, packed, due);
		break;
	case ISA_PLACE_KIND_STREAM:
		write_streams(run, issue, at, &shape, packed, due);
		break;
	case ISA_PLACE_KIND_ACT:
		for (unsigned p = 0; p < (unsigned)run->hw->mxm_planes; p++)
			if (at >> p & 1)
				or_put(run, issue, &(or_place){OR_ACT, p, 0},
				       or_value_new(run, issue->tag, due, packed, bytes));
		break;
	case ISA_PLACE_KIND_WT:
	case ISA_PLACE_KIND_ALU:
		or_put(run, issue, &(or_place){isa_place_kind(issue->dst) == ISA_PLACE_KIND_WT ? OR_WT : OR_ALU, at, 0},
		       or_value_new(run, issue->tag, due, packed, bytes));
		break;
	default:
		break;
	}
}

void or_shift_streams(or_run *run)
{
	if (!run->hw->streams)
		return;
	for (unsigned s = 0; s < OR_STREAMS; s++) {
		or_value **cell = run->cell[s];
		size_t moved = (size_t)(run->cells - 1) * sizeof *cell;

		if (s < 32) {
			memmove(cell + 1, cell, moved);
			cell[0] = NULL;
		} else {
			memmove(cell, cell + 1, moved);
			cell[run->cells - 1] = NULL;
		}
	}
}
