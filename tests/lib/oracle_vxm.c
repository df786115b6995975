/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's vector unit: one instruction a lane at a time, each operation spelled out from its row in isa/ops.def.
 * Integers are computed in 64 bits and then wrapped or saturated; floats in double or long double, rounded to fp32.
 */
#include "tests/lib/oracle_int.h"

#include "isa/num.h"

#include <math.h>
#include <string.h>

typedef struct or_number {
	int64_t i; /* integer types */
	float f;   /* fp16, fp32 */
} or_number;

static bool is_float(enum isa_type type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

static uint32_t get_bits(const uint8_t *at, unsigned bytes)
{
	uint32_t bits = 0;

	for (unsigned b = 0; b < bytes; b++)
		bits |= (uint32_t)at[b] << (8 * b);
	return bits;
}

static void put_bits(uint8_t *at, unsigned bytes, uint32_t bits)
{
	for (unsigned b = 0; b < bytes; b++)
		at[b] = (uint8_t)(bits >> (8 * b));
}

/* The integer in BITS of a type of BYTES bytes. */
static int64_t wrap(int64_t value, unsigned bytes)
{
	return bytes == 1 ? (int8_t)value : bytes == 2 ? (int16_t)value : (int32_t)value;
}

static int64_t saturate(int64_t value, unsigned bytes)
{
	int64_t limit = (int64_t)1 << (8 * bytes - 1);

	return value >= limit ? limit - 1 : value < -limit ? -limit : value;
}

static or_number get_number(const uint8_t *at, enum isa_type type)
{
	unsigned bytes = isa_type_bytes(type);
	uint32_t bits = get_bits(at, bytes);

	if (type == ISA_TYPE_F16)
		return (or_number){.f = num_f16_to_f32((num_f16)bits)};
	if (type == ISA_TYPE_F32)
		return (or_number){.f = num_canonical(num_bits_f32(bits))};
	return (or_number){.i = wrap((int64_t)bits, bytes)};
}

static or_number immediate(uint32_t imm, enum isa_type type)
{
	if (is_float(type))
		return (or_number){.f = num_canonical(num_bits_f32(imm))};
	return (or_number){.i = wrap((int64_t)imm, isa_type_bytes(type))};
}

static int64_t integer_op(enum isa_op op, int64_t x, int64_t y, unsigned bytes)
{
	unsigned bits = 8 * bytes;
	unsigned shift = (unsigned)((uint64_t)y % bits);

	switch (op) {
	case ISA_OP_NEG:
		return -x;
	case ISA_OP_ABS:
		return x < 0 ? -x : x;
	case ISA_OP_NOT:
		return ~x;
	case ISA_OP_RELU:
		return x > 0 ? x : 0;
	case ISA_OP_ADD:
		return x + y;
	case ISA_OP_SUB:
		return x - y;
	case ISA_OP_MUL:
		return x * y;
	case ISA_OP_ADD_SAT:
		return saturate(x + y, bytes);
	case ISA_OP_SUB_SAT:
		return saturate(x - y, bytes);
	case ISA_OP_MUL_SAT:
		return saturate(x * y, bytes);
	case ISA_OP_MAX:
		return x > y ? x : y;
	case ISA_OP_MIN:
		return x < y ? x : y;
	case ISA_OP_EQ:
		return x == y;
	case ISA_OP_LT:
		return x < y;
	case ISA_OP_AND:
		return x & y;
	case ISA_OP_OR:
		return x | y;
	case ISA_OP_XOR:
		return x ^ y;
	case ISA_OP_SHL:
		return (int64_t)((uint64_t)x << shift);
	case ISA_OP_SHR:
		return x >> shift;
	case ISA_OP_MASK:
		return y != 0 ? x : 0;
	case ISA_OP_MASK_BAR:
		return y == 0 ? x : 0;
	default: /* COPY, CVT */
		return x;
	}
}

static float greater(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return signbit(x) ? y : x;
	return x > y ? x : y;
}

static float lesser(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return signbit(x) ? x : y;
	return x < y ? x : y;
}

static float float_op(enum isa_op op, float x, float y)
{
	switch (op) {
	case ISA_OP_NEG:
		return -x;
	case ISA_OP_ABS:
		return fabsf(x);
	case ISA_OP_RELU:
		return greater(0.0f, x);
	case ISA_OP_EXP:
		return (float)expl((long double)x);
	case ISA_OP_TANH:
		return (float)tanhl((long double)x);
	case ISA_OP_RSQRT:
		return (float)(1.0L / sqrtl((long double)x));
	case ISA_OP_ADD:
		return (float)((double)x + (double)y);
	case ISA_OP_SUB:
		return (float)((double)x - (double)y);
	case ISA_OP_MUL:
		return (float)((double)x * (double)y);
	case ISA_OP_MAX:
		return greater(x, y);
	case ISA_OP_MIN:
		return lesser(x, y);
	case ISA_OP_EQ:
		return x == y ? 1.0f : 0.0f;
	case ISA_OP_LT:
		return x < y ? 1.0f : 0.0f;
	case ISA_OP_MASK:
		return y == 0.0f ? 0.0f : x;
	case ISA_OP_MASK_BAR:
		return y == 0.0f ? x : 0.0f;
	default:
		return x;
	}
}

/* NUMBER of type FROM as bits of type TO: one rounding to nearest even, or saturation. */
static uint32_t convert(or_number number, enum isa_type from, enum isa_type to)
{
	unsigned bytes = isa_type_bytes(to);

	if (to == ISA_TYPE_F16)
		return is_float(from) ? num_f32_to_f16(number.f) : num_f64_to_f16((double)number.i);
	if (to == ISA_TYPE_F32)
		return num_f32_bits(is_float(from) ? num_canonical(number.f) : (float)number.i);
	if (!is_float(from))
		return (uint32_t)saturate(number.i, bytes);
	if (isnan(number.f))
		return 0;
	if (fabsf(number.f) >= 0x1p32f)
		return (uint32_t)saturate(number.f < 0 ? INT64_MIN : INT64_MAX, bytes);
	return (uint32_t)saturate((int64_t)rint((double)number.f), bytes);
}

static void compute(const or_issue *issue, uint8_t *result)
{
	const isa_insn *insn = issue->insn;
	unsigned in = isa_type_bytes(insn->type), out = isa_type_bytes(insn->dtype);

	for (unsigned lane = 0; lane < insn->lanes; lane++) {
		or_number x = get_number(issue->operand[0] + lane * in, insn->type);
		or_number y = get_number(issue->operand[1] + lane * in, insn->type);
		or_number z = {0};

		if (issue->src1 == ISA_PLACE_IMM)
			y = immediate(insn->imm, insn->type);
		if (is_float(insn->type))
			z.f = num_canonical(float_op(insn->op, x.f, y.f));
		else
			z.i = wrap(integer_op(insn->op, x.i, y.i, in), in);
		put_bits(result + lane * out, out, convert(z, insn->type, insn->dtype));
	}
}

/* Samples those operands that are (LATCHES) or are not ALU latches. */
static void sample_operands(or_run *run, or_issue *issue, bool latches)
{
	if (issue->src0 != ISA_PLACE_NONE && (isa_place_kind(issue->src0) == ISA_PLACE_KIND_ALU) == latches)
		or_sample(run, issue, 0, OR_FIELD_SRC0, issue->operand[0]);
	if (issue->src1 != ISA_PLACE_NONE && (isa_place_kind(issue->src1) == ISA_PLACE_KIND_ALU) == latches)
		or_sample(run, issue, 1, OR_FIELD_SRC1, issue->operand[1]);
}

/* In cycle s. */
static void start(or_run *run, or_item *item)
{
	or_issue *issue = item->issue;
	const isa_insn *insn = issue->insn;
	uint8_t result[OR_BYTES_MAX] = {0};
	unsigned bytes = insn->lanes * isa_type_bytes(insn->dtype);
	int64_t due = run->now + isa_machine_timing(run->hw, isa_ops[insn->op].timing);

	sample_operands(run, issue, true);
	compute(issue, result);
	if (issue->dst != (unsigned)ISA_PLACE_ALU(issue->queue->index))
		or_write(run, issue, result, due);
	or_put(run, issue, &(or_place){OR_ALU, issue->queue->index, 0},
	       or_value_new(run, issue->tag, due, result, bytes));
	issue->record.work = insn->lanes;
	or_result(run, issue, due);
}

void or_vxm(or_run *run, or_issue *issue)
{
	for (unsigned k = 0; k < 2; k++)
		issue->operand[k] = g_malloc0(OR_BYTES_MAX);
	sample_operands(run, issue, false);
	or_file(run, run->now + run->hw->vxm_entry_cycles, OR_PHASE_START, &(or_item){.run = start, .issue = issue});
}
