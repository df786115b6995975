/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane movement.  An operation's delay comes from its row; PERMUTE and SHIFT pay on top the largest distance, in tiles
 * (superlanes), over which a lane travels from a higher to a lower tile.  Moving up costs nothing more: a vector enters
 * tile by tile from the low end.  ROTATE and SHIFT by n move lane i to lane i + n; TRANSPOSE swaps operand number and
 * lane number inside each superlane, byte by byte.  Wiring limits inside a unit are not modelled.
 */
#include "models/tsp/internal.h"

enum { LANE_ZERO = 0xffff };

/* What a map can be used for, and how far it moves lanes down. */
static void study_map(const tsp_chip *chip, const isa_lane_map *map, uint8_t *flags, uint64_t *span)
{
	uint32_t superlane = (uint32_t)chip->machine->lanes_per_superlane;
	bool seen[TSP_LANES_MAX] = {false};

	*flags = TSP_MAP_BIJECTION | TSP_MAP_LOCAL;
	*span = 0;
	for (uint32_t i = 0; i < chip->lanes; i++) {
		uint32_t from = map->lane[i];

		if (from >= chip->lanes || seen[from])
			*flags &= (uint8_t)~TSP_MAP_BIJECTION;
		if (from != LANE_ZERO && (from >= chip->lanes || from / superlane != i / superlane))
			*flags &= (uint8_t)~TSP_MAP_LOCAL;
		if (from >= chip->lanes)
			continue;
		seen[from] = true;
		if (from / superlane > i / superlane)
			*span = MAX(*span, from / superlane - i / superlane);
	}
}

void tsp_sxm_init(tsp_chip *chip)
{
	const GArray *maps = chip->program->maps;

	chip->map_span = g_new0(uint64_t, maps->len + 1);
	chip->map_flags = g_new0(uint8_t, maps->len + 1);
	for (guint i = 0; i < maps->len; i++)
		study_map(chip, &g_array_index(maps, isa_lane_map, i), &chip->map_flags[i], &chip->map_span[i]);
}

void tsp_sxm_fini(tsp_chip *chip)
{
	g_free(chip->map_span);
	g_free(chip->map_flags);
}

/* Tiles between source and destination of the lane that a shift moves down the farthest. */
static int64_t shift_span(const tsp_chip *chip, int64_t distance)
{
	int64_t superlane = chip->machine->lanes_per_superlane;
	int64_t span = 0;

	for (int64_t to = 0; to < chip->lanes; to++) {
		int64_t from = to - distance;

		if (from >= 0 && from < chip->lanes)
			span = MAX(span, from / superlane - to / superlane);
	}
	return span;
}

static bool registers_exist(const tsp_chip *chip, const tsp_place *place)
{
	return place->kind != ISA_PLACE_KIND_VREG || place->index + TSP_TRANSPOSE <= (int64_t)chip->vregs.count;
}

static int prepare_transpose(tsp_chip *chip, tsp_queue *q)
{
	int fault = tsp_place_resolve(q, q->insn.src0, chip->lanes, TSP_TRANSPOSE, false, &q->src[0]);

	if (fault == TSP_NO_VIOLATION)
		fault = tsp_place_resolve(q, q->insn.dst, chip->lanes, TSP_TRANSPOSE, true, &q->dst);
	if (fault == TSP_NO_VIOLATION && (!registers_exist(chip, &q->src[0]) || !registers_exist(chip, &q->dst)))
		fault = ISA_VIOLATION_ADDRESS_RANGE;
	/* It takes 16 streams or 16 registers; a port latch is one vector. */
	if (fault == TSP_NO_VIOLATION && (q->dst.kind == ISA_PLACE_KIND_ACT || q->dst.kind == ISA_PLACE_KIND_WT))
		fault = ISA_VIOLATION_ILLEGAL;
	return fault;
}

static int prepare_map(tsp_chip *chip, tsp_queue *q)
{
	uint32_t need = q->insn.op == ISA_OP_PERMUTE      ? TSP_MAP_BIJECTION
	                : q->insn.op == ISA_OP_DISTRIBUTE ? TSP_MAP_LOCAL
	                                                  : 0;

	q->fault_detail = q->insn.map;
	if (q->insn.map >= chip->program->maps->len || (chip->map_flags[q->insn.map] & need) != need)
		return ISA_VIOLATION_ILLEGAL;
	if (q->insn.op == ISA_OP_PERMUTE)
		q->extra = (int64_t)chip->map_span[q->insn.map];
	return TSP_NO_VIOLATION;
}

static unsigned role_of(unsigned op)
{
	switch (op) {
	case ISA_OP_SHIFT:
		return ISA_SXM_SHIFT;
	case ISA_OP_SELECT:
		return ISA_SXM_SELECT;
	case ISA_OP_PERMUTE:
		return ISA_SXM_PERMUTE;
	case ISA_OP_DISTRIBUTE:
		return ISA_SXM_DISTRIBUTE;
	case ISA_OP_ROTATE:
		return ISA_SXM_ROTATE;
	default:
		return ISA_SXM_TRANSPOSE;
	}
}

int tsp_prepare_SXM(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	uint32_t width = isa_type_bytes(insn->type);
	int fault = TSP_NO_VIOLATION;

	if (q->info->role != role_of(insn->op))
		return ISA_VIOLATION_ILLEGAL;
	if (insn->op == ISA_OP_TRANSPOSE)
		return prepare_transpose(chip, q);
	if (insn->op == ISA_OP_SHIFT)
		q->extra = shift_span(chip, insn->distance);
	else if (insn->op != ISA_OP_ROTATE)
		fault = prepare_map(chip, q);
	if (fault == TSP_NO_VIOLATION)
		fault = tsp_place_resolve(q, insn->src0, chip->lanes * width, width, false, &q->src[0]);
	if (fault == TSP_NO_VIOLATION && insn->op == ISA_OP_SELECT)
		fault = tsp_place_resolve(q, insn->src1, chip->lanes * width, width, false, &q->src[1]);
	if (fault == TSP_NO_VIOLATION)
		fault = tsp_place_resolve(q, insn->dst, chip->lanes * width, width, true, &q->dst);
	return fault;
}

static void finish(tsp_chip *chip, tsp_queue *q, model_value *value)
{
	int64_t due = q->now + chip->delay[isa_ops[q->insn.op].timing] + q->extra;

	chip->counters.sxm_ops++;
	tsp_write(q, due, value);
	tsp_report(q, due, NULL, 0, 0, chip->lanes);
}

/* Lane i of the result is lane FROM[i] of X, zero where that is no lane. */
static model_value *move_lanes(tsp_chip *chip, const tsp_queue *q, const tsp_operand *x, const uint16_t *from)
{
	uint32_t width = isa_type_bytes(q->insn.type);
	const uint8_t *bytes;
	model_value *z;

	if (!tsp_carries(chip, x))
		return NULL;
	bytes = tsp_operand_bytes(x);
	z = model_value_new(&chip->pool);
	model_value_seal(z, 0);
	for (uint32_t i = 0; i < chip->lanes; i++)
		if (from[i] < chip->lanes)
			memcpy(z->data + i * width, bytes + from[i] * width, width);
	return z;
}

void tsp_exec_SHIFT(tsp_chip *chip, tsp_queue *q)
{
	uint16_t from[TSP_LANES_MAX];
	tsp_operand x;

	tsp_sample(q, 0, 0, q->now, &x);
	for (int32_t i = 0; i < (int32_t)chip->lanes; i++)
		from[i] = (uint16_t)(i - q->insn.distance >= 0 ? i - q->insn.distance : LANE_ZERO);
	finish(chip, q, move_lanes(chip, q, &x, from));
}

void tsp_exec_ROTATE(tsp_chip *chip, tsp_queue *q)
{
	int32_t superlane = (int32_t)chip->machine->lanes_per_superlane;
	int32_t distance = (q->insn.distance % superlane + superlane) % superlane;
	uint16_t from[TSP_LANES_MAX];
	tsp_operand x;

	tsp_sample(q, 0, 0, q->now, &x);
	for (int32_t i = 0; i < (int32_t)chip->lanes; i++)
		from[i] = (uint16_t)(i / superlane * superlane + (i % superlane + superlane - distance) % superlane);
	finish(chip, q, move_lanes(chip, q, &x, from));
}

static const isa_lane_map *map_of(const tsp_chip *chip, const tsp_queue *q)
{
	return &g_array_index(chip->program->maps, isa_lane_map, q->insn.map);
}

void tsp_exec_PERMUTE(tsp_chip *chip, tsp_queue *q)
{
	tsp_operand x;

	tsp_sample(q, 0, 0, q->now, &x);
	finish(chip, q, move_lanes(chip, q, &x, map_of(chip, q)->lane));
}

void tsp_exec_DISTRIBUTE(tsp_chip *chip, tsp_queue *q)
{
	tsp_exec_PERMUTE(chip, q);
}

void tsp_exec_SELECT(tsp_chip *chip, tsp_queue *q)
{
	uint32_t width = isa_type_bytes(q->insn.type);
	const isa_lane_map *map = map_of(chip, q);
	model_value *z = NULL;
	tsp_operand x, y;

	tsp_sample(q, 0, 0, q->now, &x);
	tsp_sample(q, 1, 1, q->now, &y);
	if (tsp_carries(chip, &x) && tsp_carries(chip, &y)) {
		z = model_value_new(&chip->pool);
		model_value_seal(z, 0);
		for (uint32_t i = 0; i < chip->lanes; i++)
			memcpy(z->data + i * width, tsp_operand_bytes(map->lane[i] ? &y : &x) + i * width, width);
	}
	finish(chip, q, z);
}

/* Samples the 16 operands; FROM[k] gets the k-th. */
static void sample_sixteen(tsp_chip *chip, tsp_queue *q, tsp_row *from)
{
	bool reported = false;
	model_expect e;

	tsp_expect(q, 0, &e);
	for (uint32_t k = 0; k < TSP_TRANSPOSE; k++) {
		const tsp_drive *d;

		if (q->src[0].kind == ISA_PLACE_KIND_STREAM) {
			d = tsp_sample_stream(q, 0, q->src[0].index + k, q->now, &e, &reported);
			from[k] = (tsp_row){d ? d->value : NULL, d ? d->byte : 0, d ? d->width : 1};
		} else {
			from[k] = tsp_sample_vreg(q, 0, (int64_t)q->src[0].index + q->rot[ISA_ROT_SRC0] + k, &e,
			                          &reported);
		}
		if (!from[k].value && chip->functional)
			from[k] = (tsp_row){chip->zero, 0, 1};
	}
}

static model_value *transposed(tsp_chip *chip, const tsp_row *from, uint32_t k)
{
	model_value *z = model_value_new(&chip->pool);

	model_value_seal(z, 0);
	for (uint32_t i = 0; i < chip->lanes; i++) {
		const tsp_row *row = &from[i % TSP_TRANSPOSE];

		z->data[i] = row->value->data[row->offset + (i - i % TSP_TRANSPOSE + k) * row->width];
	}
	return z;
}

void tsp_exec_TRANSPOSE(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_SXM_TRANSPOSE];
	tsp_row from[TSP_TRANSPOSE];
	bool all = true;

	sample_sixteen(chip, q, from);
	for (uint32_t k = 0; k < TSP_TRANSPOSE; k++)
		all = all && from[k].value;
	for (uint32_t k = 0; k < TSP_TRANSPOSE; k++)
		tsp_write_part(q, k, due, all ? transposed(chip, from, k) : NULL);
	chip->counters.sxm_ops++;
	tsp_report(q, due, NULL, 0, 0, chip->lanes);
}
