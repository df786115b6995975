/* SPDX-License-Identifier: Apache-2.0
 *
 * Places: which of them an instruction may name, sampling them with all checks, and filing results there.
 *
 * An operand wider than a place continues in the next register or on the next streams, low byte first.  Everything that
 * is sampled is compared with the producer the program names for it; one violation an operand and issue, of the first
 * part that offends.  Sampling goes on with what is there, or with zeros.
 */
#include "models/tsp/internal.h"

void tsp_drop_value(void *pool, void *value)
{
	model_value_unref(pool, value);
}

static int resolve_stream(const tsp_chip *chip, unsigned index, uint32_t streams, tsp_place *p)
{
	if (!chip->machine->streams)
		return ISA_VIOLATION_ILLEGAL;
	if (index % TSP_STREAM_WEST + streams > (uint64_t)chip->machine->streams)
		return ISA_VIOLATION_ADDRESS_RANGE;
	p->count = (uint8_t)streams;
	return TSP_NO_VIOLATION;
}

/* Where rotation leads is checked at each issue. */
static int resolve_vreg(const tsp_chip *chip, uint32_t bytes, tsp_place *p)
{
	uint32_t registers;

	if (!chip->vregs.count)
		return ISA_VIOLATION_ILLEGAL;
	registers = (bytes + chip->vregs.bytes - 1) / chip->vregs.bytes;
	if (registers > 2 || p->index + registers > chip->vregs.count)
		return ISA_VIOLATION_ADDRESS_RANGE;
	p->count = (uint8_t)registers;
	return TSP_NO_VIOLATION;
}

/* Port latches, of machines with registers: any result may go there; only the MXM reads them, each instruction those of
 * its planes. */
static int resolve_port(const tsp_queue *q, unsigned kind, unsigned index, bool is_result)
{
	const isa_machine *m = q->chip->machine;
	unsigned planes = kind == ISA_PLACE_KIND_ACT ? index : 1u << index;
	unsigned own;

	if (!planes || !q->chip->vregs.count)
		return ISA_VIOLATION_ILLEGAL;
	if (planes >> m->mxm_planes)
		return ISA_VIOLATION_ADDRESS_RANGE;
	if (is_result)
		return TSP_NO_VIOLATION;
	if (q->info->unit != ISA_UNIT_MXM || (planes & (planes - 1)))
		return ISA_VIOLATION_ILLEGAL;
	own = q->insn.type == ISA_TYPE_F16 ? 3u << (q->info->index & ~1u) : 1u << q->info->index;
	if (kind != (q->insn.op == ISA_OP_LW ? ISA_PLACE_KIND_WT : ISA_PLACE_KIND_ACT) || !(planes & own))
		return ISA_VIOLATION_ILLEGAL;
	return TSP_NO_VIOLATION;
}

/* Output latches of ALUs: each is written by its own ALU and read by the VXM. */
static int resolve_alu(const tsp_queue *q, unsigned index, bool is_result)
{
	if (q->info->unit != ISA_UNIT_VXM)
		return ISA_VIOLATION_ILLEGAL;
	if (index >= (uint64_t)q->chip->machine->vxm_ops)
		return ISA_VIOLATION_ADDRESS_RANGE;
	if (is_result && q->info->index != index)
		return ISA_VIOLATION_ILLEGAL;
	return TSP_NO_VIOLATION;
}

int tsp_place_resolve(tsp_queue *q, unsigned place, uint32_t bytes, uint32_t streams, bool is_result,
                      tsp_place *resolved)
{
	tsp_place p = {(uint8_t)isa_place_kind(place), 1, (uint16_t)isa_place_index(place)};
	int fault;

	q->fault_detail = p.index;
	switch (p.kind) {
	case ISA_PLACE_KIND_VREG:
		fault = resolve_vreg(q->chip, bytes, &p);
		break;
	case ISA_PLACE_KIND_STREAM:
		fault = resolve_stream(q->chip, p.index, streams, &p);
		break;
	case ISA_PLACE_KIND_ACT:
	case ISA_PLACE_KIND_WT:
		fault = resolve_port(q, p.kind, p.index, is_result);
		break;
	case ISA_PLACE_KIND_ALU:
		fault = resolve_alu(q, p.index, is_result);
		break;
	default:
		fault = ISA_VIOLATION_ILLEGAL;
		break;
	}
	if (fault == TSP_NO_VIOLATION && bytes > 4 * q->chip->lanes) {
		q->fault_detail = bytes;
		fault = ISA_VIOLATION_ADDRESS_RANGE;
	}
	*resolved = p;
	return fault;
}

/* Version V of CELL (NULL: nothing there), sampled at TIME, for a segment of operand NUMBER that names TAG.  True when
 * it is right. */
static bool check_tag(tsp_queue *q, unsigned number, model_cell *cell, const model_version *v, int64_t time, bool named,
                      uint32_t tag, int64_t detail)
{
	tsp_miss miss = {.place = TSP_MISS_CELL, .cell = cell, .time = time};

	if (v)
		q->arrival[number] = MAX(q->arrival[number], v->due);
	if (G_LIKELY(v && (!named || v->tag == tag)))
		return true;
	tsp_miss_operand(q, &miss, v ? ISA_VIOLATION_WRONG_OPERAND : ISA_VIOLATION_UNWRITTEN, named, tag,
	                 v ? v->tag : 0, detail);
	return false;
}

bool tsp_check_version(tsp_queue *q, unsigned number, model_cell *cell, const model_version *v, int64_t time,
                       int64_t detail)
{
	model_expect e;
	bool named;
	uint32_t tag;

	tsp_expect(q, number, &e);
	model_expect_run(&e, 1, &named, &tag);
	return check_tag(q, number, cell, v, time, named, tag, detail);
}

/* Gives OPERAND a value of its own to be filled; it lives until the operand is sampled again. */
static uint8_t *own_value(tsp_queue *q, unsigned slot, uint32_t bytes, tsp_operand *operand)
{
	model_value_unref(&q->chip->pool, q->temp[slot]);
	q->temp[slot] = model_value_new(&q->chip->pool);
	model_value_seal(q->temp[slot], bytes);
	*operand = (tsp_operand){q->temp[slot], 0};
	return q->temp[slot]->data;
}

static void sample_none(const tsp_chip *chip, tsp_operand *operand)
{
	*operand = (tsp_operand){chip->functional ? chip->zero : NULL, 0};
}

static void sample_cell(tsp_queue *q, unsigned number, model_cell *cell, int64_t time, int64_t detail,
                        tsp_operand *operand)
{
	const model_version *v = model_cell_at(cell, time);

	tsp_check_version(q, number, cell, v, time, detail);
	sample_none(q->chip, operand);
	if (v && v->payload)
		operand->value = v->payload;
}

/* Two registers: their versions are checked as one operand. */
static void sample_pair(tsp_queue *q, unsigned number, unsigned slot, uint32_t first, int64_t time,
                        tsp_operand *operand)
{
	tsp_vregs *vregs = &q->chip->vregs;
	const model_version *v[2];
	bool fine = true;

	for (unsigned k = 0; k < 2; k++) {
		v[k] = model_cell_at(&vregs->cells[first + k], time);
		if (fine)
			fine = tsp_check_version(q, number, &vregs->cells[first + k], v[k], time, first + k);
		else if (v[k])
			q->arrival[number] = MAX(q->arrival[number], v[k]->due);
	}
	sample_none(q->chip, operand);
	if (v[0] && v[1] && v[0]->payload && v[0]->payload == v[1]->payload && v[0]->part == 0 && v[1]->part == 1) {
		operand->value = v[0]->payload;
		return;
	}
	if (q->chip->functional || (v[0] && v[1] && v[0]->payload && v[1]->payload)) {
		uint8_t *to = own_value(q, slot, 2 * vregs->bytes, operand);

		for (unsigned k = 0; k < 2; k++) {
			const model_value *from = v[k] && v[k]->payload ? v[k]->payload : q->chip->zero;
			uint32_t offset = v[k] ? v[k]->part * vregs->bytes : 0;

			memcpy(to + k * vregs->bytes, from->data + offset, vregs->bytes);
		}
	}
}

static void sample_vreg(tsp_queue *q, unsigned number, unsigned slot, int64_t time, tsp_operand *operand)
{
	const tsp_place *p = &q->src[slot];
	int64_t first = p->index + q->rot[slot ? ISA_ROT_SRC1 : ISA_ROT_SRC0];
	model_cell *cell;
	const model_version *v;

	sample_none(q->chip, operand);
	if (G_UNLIKELY(first < 0 || first + p->count > q->chip->vregs.count)) {
		tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, first);
		return;
	}
	tsp_vregs_count_reads(q, p->count);
	if (p->count == 2) {
		sample_pair(q, number, slot, (uint32_t)first, time, operand);
		return;
	}
	cell = &q->chip->vregs.cells[first];
	v = model_cell_at(cell, time);
	tsp_check_version(q, number, cell, v, time, first);
	if (v && v->payload)
		*operand = (tsp_operand){v->payload, v->part * q->chip->vregs.bytes};
}

/* Puts the bytes of N stream cells together; cells without value read as zeros. */
static void join_streams(tsp_queue *q, unsigned slot, const tsp_drive *const *found, unsigned n, tsp_operand *operand)
{
	uint32_t lanes = q->chip->lanes;
	uint8_t *to;

	if (found[0] && found[0]->value && found[0]->width == n) {
		unsigned same = 0;

		while (same < n && found[same] && found[same]->value == found[0]->value && found[same]->width == n &&
		       found[same]->byte == same)
			same++;
		if (same == n) {
			*operand = (tsp_operand){found[0]->value, 0};
			return;
		}
	}
	to = own_value(q, slot, n * lanes, operand);
	for (unsigned k = 0; k < n; k++) {
		const tsp_drive *d = found[k];

		for (uint32_t i = 0; i < lanes; i++)
			to[i * n + k] = d && d->value ? d->value->data[i * d->width + d->byte] : 0;
	}
}

tsp_row tsp_sample_vreg(tsp_queue *q, unsigned number, int64_t index, model_expect *e, bool *reported)
{
	tsp_vregs *vregs = &q->chip->vregs;
	const model_version *v;
	bool named;
	uint32_t tag;

	model_expect_run(e, 1, &named, &tag);
	if (index < 0 || index >= vregs->count) {
		if (!*reported)
			tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, index);
		*reported = true;
		return (tsp_row){NULL, 0, 1};
	}
	tsp_vregs_count_reads(q, 1);
	v = model_cell_at(&vregs->cells[index], q->now);
	if (!*reported)
		*reported = !check_tag(q, number, &vregs->cells[index], v, q->now, named, tag, index);
	if (!v || !v->payload)
		return (tsp_row){NULL, 0, 1};
	return (tsp_row){v->payload, (uint16_t)(v->part * vregs->bytes), 1};
}

const tsp_drive *tsp_sample_stream(tsp_queue *q, unsigned number, uint32_t stream, int64_t time, model_expect *e,
                                   bool *reported)
{
	const tsp_drive *d = tsp_stream_at(q, stream, time);
	bool named;
	uint32_t tag;

	model_expect_run(e, 1, &named, &tag);
	if (d)
		q->arrival[number] = time;
	if (G_UNLIKELY(!d || (named && d->tag != tag)) && !*reported) {
		tsp_miss miss = {.place = TSP_MISS_STREAM, .stream = stream, .time = time};
		enum isa_violation kind = !d                                       ? ISA_VIOLATION_UNDRIVEN_CELL
		                          : tsp_stream_hides(q, stream, time, tag) ? ISA_VIOLATION_STREAM_COLLISION
		                                                                   : ISA_VIOLATION_WRONG_OPERAND;

		tsp_miss_operand(q, &miss, kind, named, tag, d ? d->tag : 0, stream);
		*reported = true;
	}
	return d;
}

static void sample_streams(tsp_queue *q, unsigned number, unsigned slot, int64_t time, tsp_operand *operand)
{
	const tsp_place *p = &q->src[slot];
	const tsp_drive *found[4] = {NULL};
	bool reported = false, all = true;
	model_expect e;

	tsp_expect(q, number, &e);
	for (unsigned k = 0; k < p->count; k++) {
		found[k] = tsp_sample_stream(q, number, p->index + k, time, &e, &reported);
		all = all && found[k] && found[k]->value;
	}
	sample_none(q->chip, operand);
	if (q->chip->functional || all)
		join_streams(q, slot, found, p->count, operand);
}

void tsp_sample(tsp_queue *q, unsigned number, unsigned slot, int64_t time, tsp_operand *operand)
{
	const tsp_place *p = &q->src[slot];
	tsp_chip *chip = q->chip;

	switch (p->kind) {
	case ISA_PLACE_KIND_VREG:
		sample_vreg(q, number, slot, time, operand);
		break;
	case ISA_PLACE_KIND_STREAM:
		sample_streams(q, number, slot, time, operand);
		break;
	case ISA_PLACE_KIND_ACT:
		sample_cell(q, number, &chip->act[__builtin_ctz(p->index)], time, p->index, operand);
		break;
	case ISA_PLACE_KIND_WT:
		sample_cell(q, number, &chip->wt[p->index], time, p->index, operand);
		break;
	case ISA_PLACE_KIND_ALU:
		sample_cell(q, number, &chip->alu[p->index], time, p->index, operand);
		break;
	default:
		sample_none(chip, operand);
		break;
	}
}

static void put(tsp_queue *q, model_cell *cell, int64_t due, model_value *value, unsigned part)
{
	model_version version = {
		.due = due,
		.filed = q->now,
		.payload = model_value_ref(value),
		.tag = q->tag,
		.queue = q->number,
		.part = (uint8_t)part,
	};

	model_cell_put(cell, &version, tsp_drop_value, &q->chip->pool);
}

static void write_vreg(tsp_queue *q, int64_t due, model_value *value)
{
	int64_t first = q->dst.index + q->rot[ISA_ROT_DST];

	if (G_UNLIKELY(first < 0 || first + q->dst.count > q->chip->vregs.count)) {
		tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, first);
		return;
	}
	tsp_vregs_count_writes(q, due, q->dst.count);
	for (unsigned k = 0; k < q->dst.count; k++)
		put(q, &q->chip->vregs.cells[first + k], due, value, k);
}

void tsp_write_part(tsp_queue *q, unsigned k, int64_t due, model_value *value)
{
	int64_t index = (int64_t)q->dst.index + q->rot[ISA_ROT_DST] + (int64_t)k;

	tsp_note_due(q->chip, due);
	if (q->dst.kind == ISA_PLACE_KIND_STREAM) {
		tsp_stream_drive(q, q->dst.index + k, due, value, 1, 0);
	} else if (index >= 0 && index < q->chip->vregs.count) {
		tsp_vregs_count_writes(q, due, 1);
		put(q, &q->chip->vregs.cells[index], due, value, 0);
	} else if (!q->collided) {
		q->collided = true; /* one report for all parts */
		tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, index);
	}
	model_value_unref(&q->chip->pool, value);
}

void tsp_write(tsp_queue *q, int64_t due, model_value *value)
{
	tsp_chip *chip = q->chip;

	tsp_note_due(chip, due);
	switch (q->dst.kind) {
	case ISA_PLACE_KIND_VREG:
		write_vreg(q, due, value);
		break;
	case ISA_PLACE_KIND_STREAM:
		for (unsigned k = 0; k < q->dst.count; k++)
			tsp_stream_drive(q, q->dst.index + k, due, value, q->dst.count, k);
		break;
	case ISA_PLACE_KIND_ACT:
		for (unsigned plane = 0; plane < TSP_PLANES_MAX; plane++)
			if (q->dst.index >> plane & 1)
				put(q, &chip->act[plane], due, value, 0);
		break;
	case ISA_PLACE_KIND_WT:
		put(q, &chip->wt[q->dst.index], due, value, 0);
		break;
	case ISA_PLACE_KIND_ALU:
		put(q, &chip->alu[q->dst.index], due, value, 0);
		break;
	default:
		break;
	}
	model_value_unref(&chip->pool, value);
}
