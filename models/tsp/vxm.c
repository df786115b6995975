/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector unit: one queue an ALU, every ALU with an output latch that other ALUs can read.  Stream and register
 * operands are sampled when the instruction samples, latches when the ALU starts, `vxm.entry_cycles` later.  The
 * published mesh between ALUs is not modelled: any latch reaches any ALU.
 */
#include "models/tsp/internal.h"
#include "models/tsp/vxm_math.h"

static bool types_are_legal(const isa_op_info *op, unsigned type, unsigned dtype)
{
	bool is_float = type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
	bool result_is_float = dtype == ISA_TYPE_F16 || dtype == ISA_TYPE_F32;

	if (op->types == ISA_TYPES_CVT)
		return true;
	if (op->types == (is_float ? ISA_TYPES_INT : ISA_TYPES_FLOAT))
		return false;
	return is_float ? result_is_float : dtype == type;
}

/* Operand SLOT; the immediate, and the missing second operand of a unary operation, need no place. */
static int prepare_source(tsp_chip *chip, tsp_queue *q, unsigned slot, unsigned place, const isa_op_info *op)
{
	uint32_t width = isa_type_bytes(q->insn.type);
	(void)chip;

	if (slot == 1 && op->arity == 1)
		return place == ISA_PLACE_NONE ? TSP_NO_VIOLATION : ISA_VIOLATION_ILLEGAL;
	if (slot == 1 && place == ISA_PLACE_IMM) {
		q->src[1].kind = ISA_PLACE_KIND_IMM;
		return TSP_NO_VIOLATION;
	}
	return tsp_place_resolve(q, place, q->insn.lanes * width, width, false, &q->src[slot]);
}

int tsp_prepare_VXM(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	const isa_op_info *op = &isa_ops[insn->op];
	uint32_t width = isa_type_bytes(insn->dtype);
	int fault;

	if (!types_are_legal(op, insn->type, insn->dtype) || !insn->lanes)
		return ISA_VIOLATION_ILLEGAL;
	q->fault_detail = insn->lanes;
	if (insn->lanes > chip->lanes)
		return ISA_VIOLATION_ADDRESS_RANGE;
	fault = prepare_source(chip, q, 0, insn->src0, op);
	if (fault == TSP_NO_VIOLATION)
		fault = prepare_source(chip, q, 1, insn->src1, op);
	if (fault == TSP_NO_VIOLATION && insn->dst != ISA_PLACE_NONE)
		fault = tsp_place_resolve(q, insn->dst, insn->lanes * width, width, true, &q->dst);
	return fault;
}

static void sample(tsp_queue *q, unsigned slot, int64_t start, tsp_operand *operand)
{
	tsp_sample(q, slot, slot, q->src[slot].kind == ISA_PLACE_KIND_ALU ? start : q->now, operand);
}

/* Is everything known that the operation reads? */
static bool is_known(const tsp_chip *chip, const tsp_queue *q, const tsp_operand *x, const tsp_operand *y)
{
	return tsp_carries(chip, x) && (q->src[1].kind >= ISA_PLACE_KIND_IMM || tsp_carries(chip, y));
}

/* The result also goes to the ALU's own latch. */
static void write_latch(tsp_chip *chip, tsp_queue *q, int64_t due, model_value *value)
{
	model_version version = {due, q->now, model_value_ref(value), q->tag, q->number, 0};

	model_cell_put(&chip->alu[q->info->index], &version, tsp_drop_value, &chip->pool);
}

void tsp_exec_vxm(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	int64_t start = q->now + chip->machine->vxm_entry_cycles;
	int64_t due = start + chip->delay[isa_ops[insn->op].timing];
	model_value *value = NULL;
	tsp_operand x, y = {NULL, 0};

	sample(q, 0, start, &x);
	if (q->src[1].kind != ISA_PLACE_KIND_NONE && q->src[1].kind != ISA_PLACE_KIND_IMM)
		sample(q, 1, start, &y);
	if (is_known(chip, q, &x, &y)) {
		value = model_value_new(&chip->pool);
		tsp_vxm_compute(insn, tsp_operand_bytes(&x),
		                q->src[1].kind >= ISA_PLACE_KIND_IMM ? NULL : tsp_operand_bytes(&y), value->data);
		model_value_seal(value, insn->lanes * isa_type_bytes(insn->dtype));
	}
	write_latch(chip, q, due, value);
	if (q->dst.kind == ISA_PLACE_KIND_ALU || q->dst.kind == ISA_PLACE_KIND_NONE) {
		tsp_note_due(chip, due);
		model_value_unref(&chip->pool, value);
	} else {
		tsp_write(q, due, value);
	}
	chip->counters.vxm_ops++;
	chip->counters.vxm_lane_ops += insn->lanes;
	tsp_report(q, due, NULL, 0, 0, insn->lanes);
}
