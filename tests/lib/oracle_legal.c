/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's view of single words: can this machine execute them at all?  Two answers are violations: the operation,
 * one of its places, its type or a count does not exist (illegal-instruction), or exists beyond what the machine has
 * (address-range).
 */
#include "tests/lib/oracle_int.h"

enum { OR_REGISTERS_MAX = 2 }; /* of one vector */

unsigned or_registers(const or_run *run, const or_shape *shape)
{
	unsigned each = (unsigned)run->hw->vreg_bytes;

	return MAX(1, (shape->bytes + each - 1) / each);
}

static enum isa_violation illegal_unless(bool legal)
{
	return legal ? ISA_VIOLATION_COUNT : ISA_VIOLATION_ILLEGAL;
}

static enum isa_violation beyond_unless(bool inside)
{
	return inside ? ISA_VIOLATION_COUNT : ISA_VIOLATION_ADDRESS_RANGE;
}

/* The graver of two: illegal before beyond before nothing. */
static enum isa_violation graver(enum isa_violation a, enum isa_violation b)
{
	if (a == ISA_VIOLATION_ILLEGAL || b == ISA_VIOLATION_ILLEGAL)
		return ISA_VIOLATION_ILLEGAL;
	return a == ISA_VIOLATION_COUNT ? b : a;
}

static bool op_exists(const or_run *run, const or_issue *issue)
{
	const isa_op_info *op = &isa_ops[issue->insn->op];
	const isa_machine *hw = run->hw;

	if (op->unit != ISA_UNIT_ICU && op->unit != issue->queue->unit)
		return false;
	switch (op->need) {
	case ISA_NEED_HASHED:
		return hw->hashed;
	case ISA_NEED_DIRECT:
		return !hw->hashed;
	case ISA_NEED_STREAM:
		return hw->streams > 0;
	case ISA_NEED_SYNC:
		return hw->icu_barrier_cycles > 0 || hw->icu_queue_words > 0;
	default:
		return true;
	}
}

/* Is there a field of this role, and which? */
static unsigned place_in(const isa_insn *insn, enum or_operand_field field)
{
	return field == OR_FIELD_DST ? insn->dst : field == OR_FIELD_SRC0 ? insn->src0 : insn->src1;
}

/* Does the operation have this operand? */
static bool has_operand(const isa_insn *insn, enum or_operand_field field)
{
	enum isa_unit unit = isa_ops[insn->op].unit;

	switch (insn->op) {
	case ISA_OP_READ:
	case ISA_OP_LOAD:
	case ISA_OP_LOADS:
	case ISA_OP_ACC:
	case ISA_OP_RECV:
		return field == OR_FIELD_DST;
	case ISA_OP_WRITE:
	case ISA_OP_STORE:
	case ISA_OP_STORES:
	case ISA_OP_LW:
	case ISA_OP_ABC:
	case ISA_OP_SEND:
		return field == OR_FIELD_SRC0;
	case ISA_OP_READWRITE:
		return field != OR_FIELD_SRC1;
	case ISA_OP_GATHER:
	case ISA_OP_LOADX:
		return field != OR_FIELD_SRC0;
	case ISA_OP_SCATTER:
	case ISA_OP_STOREX:
		return field != OR_FIELD_DST;
	case ISA_OP_SELECT:
		return true;
	default:
		if (unit == ISA_UNIT_VXM)
			return field != OR_FIELD_SRC1 || isa_ops[insn->op].arity == 2;
		return unit == ISA_UNIT_SXM && field != OR_FIELD_SRC1;
	}
}

/* A port is read by LW (weights) and ABC (activations) of its plane, for fp16 of its pair; written by anything on
 * machines with registers. */
static bool port_is_legal(const or_run *run, const or_issue *issue, enum or_operand_field field, bool weights)
{
	const isa_insn *insn = issue->insn;
	unsigned place = place_in(insn, field);
	unsigned plane = issue->queue->index;
	unsigned wanted = weights ? isa_place_index(place) : 0;

	if (field == OR_FIELD_DST)
		return run->hw->vreg_count > 0;
	if (insn->op != (weights ? ISA_OP_LW : ISA_OP_ABC))
		return false;
	for (unsigned mask = isa_place_index(place); !weights && mask > 1; mask >>= 1) {
		if (mask & 1)
			return false;
		wanted++;
	}
	return insn->type == ISA_TYPE_F16 ? wanted / 2 == plane / 2 : wanted == plane;
}

static enum isa_violation place_fault(const or_run *run, const or_issue *issue, enum or_operand_field field)
{
	const isa_machine *hw = run->hw;
	const isa_insn *insn = issue->insn;
	bool vxm = isa_ops[insn->op].unit == ISA_UNIT_VXM;
	bool direct = isa_ops[insn->op].need == ISA_NEED_DIRECT;
	unsigned place = place_in(insn, field);
	unsigned at = isa_place_index(place);
	or_shape shape = or_operand_shape(run, issue, field);
	unsigned streams = shape.vectors * shape.element;

	if (!has_operand(insn, field))
		return illegal_unless(place == ISA_PLACE_NONE);
	if (insn->op == ISA_OP_TRANSPOSE && isa_place_kind(place) != ISA_PLACE_KIND_VREG &&
	    isa_place_kind(place) != ISA_PLACE_KIND_STREAM)
		return ISA_VIOLATION_ILLEGAL;
	switch (isa_place_kind(place)) {
	case ISA_PLACE_KIND_VREG:
		return direct || !hw->vreg_count
		               ? ISA_VIOLATION_ILLEGAL
		               : beyond_unless(or_registers(run, &shape) <= OR_REGISTERS_MAX &&
		                               at + shape.vectors * or_registers(run, &shape) <= hw->vreg_count);
	case ISA_PLACE_KIND_STREAM:
		return !hw->streams ? ISA_VIOLATION_ILLEGAL : beyond_unless(at % 32 + streams <= hw->streams);
	case ISA_PLACE_KIND_ACT:
		return graver(
			illegal_unless(at && port_is_legal(run, issue, field, false)),
			beyond_unless(at >> hw->mxm_planes == 0 && or_registers(run, &shape) <= OR_REGISTERS_MAX));
	case ISA_PLACE_KIND_WT:
		return graver(illegal_unless(port_is_legal(run, issue, field, true)),
		              beyond_unless(at < hw->mxm_planes && or_registers(run, &shape) <= OR_REGISTERS_MAX));
	case ISA_PLACE_KIND_ALU:
		return graver(illegal_unless(vxm && (field != OR_FIELD_DST || at == issue->queue->index)),
		              beyond_unless(at < hw->vxm_ops));
	case ISA_PLACE_KIND_IMM:
		return illegal_unless(vxm && field == OR_FIELD_SRC1);
	case ISA_PLACE_KIND_NONE:
		return illegal_unless(vxm && field == OR_FIELD_DST);
	default:
		return ISA_VIOLATION_ILLEGAL;
	}
}

static bool is_float(unsigned type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

static bool vxm_is_legal(const isa_insn *insn)
{
	if (isa_ops[insn->op].types == ISA_TYPES_INT && is_float(insn->type))
		return false;
	if (isa_ops[insn->op].types == ISA_TYPES_FLOAT && !is_float(insn->type))
		return false;
	return insn->op == ISA_OP_CVT || insn->type == insn->dtype || (is_float(insn->type) && is_float(insn->dtype));
}

static bool mxm_is_legal(const or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	unsigned role = insn->op == ISA_OP_ABC ? 1 : insn->op == ISA_OP_ACC ? 2 : 0;

	if (issue->queue->role != role || (insn->type != ISA_TYPE_I8 && insn->type != ISA_TYPE_F16))
		return false;
	if ((insn->op == ISA_OP_LW || insn->op == ISA_OP_IW) && !insn->count)
		return false;
	return insn->type == ISA_TYPE_I8 || insn->op == ISA_OP_LW || issue->queue->index % 2 == 0;
}

static bool map_fits(const or_run *run, const isa_insn *insn)
{
	unsigned lanes = (unsigned)run->hw->lanes;
	bool used[320] = {false};

	if (insn->map >= run->program->maps->len)
		return false;
	for (unsigned lane = 0; lane < lanes && insn->op != ISA_OP_SELECT; lane++) {
		unsigned from = g_array_index(run->program->maps, isa_lane_map, insn->map).lane[lane];

		if (insn->op == ISA_OP_PERMUTE && (from >= lanes || used[from]))
			return false;
		if (insn->op == ISA_OP_DISTRIBUTE && from != 0xffff && from / 16 != lane / 16)
			return false;
		if (from < lanes)
			used[from] = true;
	}
	return true;
}

static bool sxm_is_legal(const or_run *run, const or_issue *issue)
{
	static const enum isa_sxm_role roles[ISA_OP_COUNT] = {
		[ISA_OP_SHIFT] = ISA_SXM_SHIFT,     [ISA_OP_SELECT] = ISA_SXM_SELECT,
		[ISA_OP_PERMUTE] = ISA_SXM_PERMUTE, [ISA_OP_DISTRIBUTE] = ISA_SXM_DISTRIBUTE,
		[ISA_OP_ROTATE] = ISA_SXM_ROTATE,   [ISA_OP_TRANSPOSE] = ISA_SXM_TRANSPOSE,
	};
	const isa_insn *insn = issue->insn;
	bool has_map = insn->op == ISA_OP_SELECT || insn->op == ISA_OP_PERMUTE || insn->op == ISA_OP_DISTRIBUTE;

	return issue->queue->role == roles[insn->op] && (!has_map || map_fits(run, insn));
}

static enum isa_violation unit_fault(const or_run *run, const or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	bool has_lanes = isa_ops[insn->op].unit == ISA_UNIT_VXM || insn->op == ISA_OP_LW || insn->op == ISA_OP_ABC ||
	                 insn->op == ISA_OP_ACC;
	bool whole = insn->op == ISA_OP_LOAD || insn->op == ISA_OP_STORE;

	if (has_lanes && (!insn->lanes || insn->lanes > run->hw->lanes))
		return insn->lanes ? ISA_VIOLATION_ADDRESS_RANGE : ISA_VIOLATION_ILLEGAL;
	if ((insn->op == ISA_OP_ABC && insn->lanes > run->hw->mxm_rows) ||
	    (insn->op == ISA_OP_IW && insn->count > run->hw->mxm_rows))
		return ISA_VIOLATION_ADDRESS_RANGE;
	switch (isa_ops[insn->op].unit) {
	case ISA_UNIT_MEM:
		return illegal_unless(!run->hw->hashed || (insn->buffer <= run->program->buffers->len &&
		                                           (whole ? insn->len : insn->seg && insn->count)));
	case ISA_UNIT_VXM:
		return illegal_unless(vxm_is_legal(insn));
	case ISA_UNIT_MXM:
		return illegal_unless(mxm_is_legal(issue));
	case ISA_UNIT_SXM:
		return illegal_unless(sxm_is_legal(run, issue));
	default:
		return ISA_VIOLATION_COUNT;
	}
}

enum isa_violation or_word_fault(const or_run *run, const or_issue *issue)
{
	enum isa_violation fault = illegal_unless(op_exists(run, issue));

	if (fault != ISA_VIOLATION_COUNT)
		return fault;
	fault = unit_fault(run, issue);
	for (int field = OR_FIELD_DST; field <= OR_FIELD_SRC1; field++)
		fault = graver(fault, place_fault(run, issue, (enum or_operand_field)field));
	return fault;
}
