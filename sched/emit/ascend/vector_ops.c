/* SPDX-License-Identifier: Apache-2.0
 *
 * Element-wise operations of the graph in vector instructions, with the graph's values to the last bit: conversions,
 * and floating numbers.
 *
 * Operands widen to fp32 unless the fp16 instruction gives the same.  It does where operands, immediate and result are
 * fp16: fp32 has 24 bits, at least 2 x 11 + 2, so that rounding to fp32 first changes nothing, and fp16's exponential
 * and reciprocal root are rounded to fp32 first by the instruction as well.
 */
#include "sched/emit/ascend/vector_write.h"

#include "isa/num.h"

/* ------------------------------------------------------------------------------------------------- conversions */

/* A row that is repeated is converted once. */
static avk_view convert_row(avk_program *p, enum isa_type from, enum isa_type to, avk_view a)
{
	uint64_t rows = p->rows;
	bool shared = p->shared;

	p->shared = shared || (a.unit == 0 && p->units > 1);
	p->rows = a.rows = 1;
	a.shared = p->shared;
	a = avw_convert(p, from, to, a);
	p->rows = rows;
	p->shared = shared;
	a.row = 0;
	a.rows = rows;
	return a;
}

avk_view avw_convert(avk_program *p, enum isa_type from, enum isa_type to, avk_view a)
{
	enum asc_type f = avk_type(from), t = avk_type(to);

	if (from == to)
		return a;
	if (a.row == 0 && !a.splat && p->rows > 1)
		return convert_row(p, from, to, a);
	switch (from) {
	case ISA_TYPE_I8:
		a = avw_conv(p, ASC_I8, ASC_F16, a, ROUND_EVEN);
		return to == ISA_TYPE_F16 ? a : avw_conv(p, ASC_F16, t, a, ROUND_EVEN);
	case ISA_TYPE_I16:
		/* Beyond 2048 fp16 is not exact, but those are beyond int8 as well. */
		if (to == ISA_TYPE_I8)
			return avw_conv(p, ASC_F16, t, avw_conv(p, f, ASC_F16, a, ROUND_EVEN), ROUND_EVEN);
		if (to == ISA_TYPE_I32)
			return avw_conv(p, ASC_F32, t, avw_conv(p, f, ASC_F32, a, ROUND_EVEN), ROUND_EVEN);
		return avw_conv(p, f, t, a, ROUND_EVEN);
	case ISA_TYPE_I32:
		/* Exact in fp32 up to 2^24, where the narrower type is at its limit already. */
		if (to == ISA_TYPE_F32)
			return avw_conv(p, f, t, a, ROUND_EVEN);
		if (to == ISA_TYPE_I8)
			return avw_convert(p, ISA_TYPE_F32, to, avw_conv(p, f, ASC_F32, a, ROUND_EVEN));
		return avw_conv(p, ASC_F32, t, avw_conv(p, f, ASC_F32, a, ROUND_EVEN), ROUND_EVEN);
	case ISA_TYPE_F32:
		if (to == ISA_TYPE_I8) /* to int16 first, which rounds and saturates */
			return avw_convert(p, ISA_TYPE_I16, to, avw_conv(p, f, ASC_I16, a, ROUND_EVEN));
		return avw_conv(p, f, t, a, ROUND_EVEN);
	default:
		return avw_conv(p, f, t, a, ROUND_EVEN);
	}
}

/* ---------------------------------------------------------------------------------------------------- floating */

avk_view avw_float_op(avk_program *p, enum isa_op op, avw_operands *o)
{
	enum asc_type type = o->type;
	avk_view zero;

	switch (op) {
	case ISA_OP_COPY: /* no graph has a NaN that is not canonical */
		return avw_unary(p, ASC_OP_VCOPY, type, o->a);
	case ISA_OP_NEG:
		return avw_scalar(p, ASC_OP_VMULS, type, o->a, avw_float_bits(type, -1.0F));
	case ISA_OP_ABS:
		return avw_unary(p, ASC_OP_VABS, type, o->a);
	case ISA_OP_RELU:
		return avw_unary(p, ASC_OP_VRELU, type, o->a);
	case ISA_OP_EXP:
		return avw_unary(p, ASC_OP_VEXP, type, o->a);
	case ISA_OP_RSQRT:
		return avw_unary(p, ASC_OP_VRSQRT, type, o->a);
	case ISA_OP_ADD:
		return avw_with_scalar(p, o, ASC_OP_VADD, ASC_OP_VADDS);
	case ISA_OP_SUB:
		if (o->has_imm)
			o->imm ^= (int64_t)1 << (avw_bits_of(type) - 1);
		return avw_with_scalar(p, o, ASC_OP_VSUB, ASC_OP_VADDS);
	case ISA_OP_MUL:
		return avw_with_scalar(p, o, ASC_OP_VMUL, ASC_OP_VMULS);
	case ISA_OP_MAX:
		return avw_with_scalar(p, o, ASC_OP_VMAX, ASC_OP_VMAXS);
	case ISA_OP_MIN:
		return avw_with_scalar(p, o, ASC_OP_VMIN, ASC_OP_VMINS);
	case ISA_OP_EQ:
	case ISA_OP_LT:
		return avw_choose(p, type, avw_compare(p, type, op == ISA_OP_EQ ? EQUAL : LESS, o->a, avw_second(p, o)),
		                  avw_splat(p, type, avw_float_bits(type, 1.0F)), avw_splat(p, type, 0));
	case ISA_OP_MASK:
	case ISA_OP_MASK_BAR:
		zero = avw_splat(p, type, 0);
		return avw_choose(p, type,
		                  avw_compare(p, type, op == ISA_OP_MASK ? NOT_EQUAL : EQUAL, avw_second(p, o), zero),
		                  o->a, zero);
	default: /* legal.c leaves no other */
		g_error("the vector unit has no floating '%s'", isa_ops[op].mnemonic);
	}
}

static bool is_f16(uint32_t imm)
{
	return num_f32_bits(num_f16_to_f32(num_f32_to_f16(num_bits_f32(imm)))) == imm;
}

static avk_view expand_float(avk_program *p, enum isa_op op, enum isa_type from, enum isa_type to, const avk_view *a,
                             const avk_view *b, bool has_imm, uint32_t imm)
{
	bool half = from == ISA_TYPE_F16 && to == ISA_TYPE_F16 && (!has_imm || is_f16(imm));
	enum isa_type in = half ? ISA_TYPE_F16 : ISA_TYPE_F32;
	avw_operands o = {
		.type = avk_type(in), .has_imm = has_imm, .imm = avw_float_bits(avk_type(in), num_bits_f32(imm))};

	o.a = avw_convert(p, from, in, *a);
	if (b)
		o.b = a->reg == b->reg && !memcmp(a, b, sizeof *a) ? o.a : avw_convert(p, from, in, *b);
	return avw_convert(p, in, to, avw_float_op(p, op, &o));
}

avk_view avk_expand(avk_program *p, enum isa_op op, enum isa_type from, enum isa_type to, const avk_view *a,
                    const avk_view *b, bool has_imm, uint32_t imm)
{
	bool floating = from == ISA_TYPE_F16 || from == ISA_TYPE_F32;

	if (op == ISA_OP_CVT && from != to)
		return avw_convert(p, from, to, *a);
	if (op == ISA_OP_CVT)
		op = ISA_OP_COPY;
	return floating ? expand_float(p, op, from, to, a, b, has_imm, imm)
	                : avw_expand_int(p, op, from, a, b, has_imm, imm);
}
