/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers in vector instructions, with the graph's values to the last bit.
 *
 * 16 and 32 bits are native and wrap.  8 bits are converted: int8 <-> fp16 is exact, and int16 where results wrap.
 * Saturation, comparison and shifts by a vector are expanded into exact sequences; the comment at each says why it is
 * exact.  There are no instructions on 8-bit numbers.
 */
#include "sched/emit/ascend/vector_write.h"

#include "isa/num.h"

/* 1 where D is not zero, else 0, or the other way round; D's type is wide enough for its sign not to matter. */
static avk_view test(avk_program *p, enum asc_type type, enum asc_type floating, avk_view d, bool zero)
{
	int64_t one = avw_float_bits(floating, 1.0F);

	if (type != floating)
		d = avw_conv(p, type, floating, d, ROUND_EVEN);
	d = avw_scalar(p, ASC_OP_VMINS, floating, avw_unary(p, ASC_OP_VABS, floating, d), one);
	if (zero) {
		d = avw_scalar(p, ASC_OP_VMULS, floating, d, avw_float_bits(floating, -1.0F));
		d = avw_scalar(p, ASC_OP_VADDS, floating, d, one);
	}
	return type == floating ? d : avw_conv(p, floating, type, d, ROUND_EVEN);
}

/* x = y where x - y is zero, x < y where y - min(x, y) is not; both hold with wrapping differences. */
static avk_view relation(avk_program *p, enum isa_op op, const avw_operands *o, enum asc_type floating)
{
	avk_view b = avw_second(p, o), d;

	if (op == ISA_OP_EQ)
		return test(p, o->type, floating, avw_binary(p, ASC_OP_VSUB, o->type, o->a, b), true);
	d = avw_binary(p, ASC_OP_VSUB, o->type, b, avw_binary(p, ASC_OP_VMIN, o->type, o->a, b));
	return test(p, o->type, floating, d, false);
}

static avk_view masked(avk_program *p, enum isa_op op, const avw_operands *o, enum asc_type floating)
{
	avk_view y = avw_second(p, o), zero = avw_splat(p, floating, 0), bits_zero = avw_splat(p, o->type, 0);
	uint32_t mask;

	if (y.splat)
		y = avw_unary(p, ASC_OP_VCOPY, o->type, y);
	if (o->type != floating)
		y = avw_conv(p, o->type, floating, y, ROUND_EVEN);
	mask = avw_compare(p, floating, op == ISA_OP_MASK ? NOT_EQUAL : EQUAL, y, zero);
	return avw_choose(p, o->type, mask, o->a, bits_zero);
}

/* Y modulo the width. */
static avk_view shift_count(avk_program *p, enum asc_type type, avk_view y, unsigned width)
{
	enum asc_type logical = type == ASC_I32 ? ASC_U32 : ASC_U16;
	unsigned above = avw_bits_of(type) - (unsigned)__builtin_ctz(width);

	return avw_scalar(p, ASC_OP_VSHR, logical, avw_scalar(p, ASC_OP_VSHL, type, y, above), above);
}

/* 2^(sign k), SIGN 1 or -1, as a floating number of the integer's width: the exponent field is bias + sign k. */
static avk_view power(avk_program *p, enum asc_type type, avk_view k, int64_t sign, int64_t bias)
{
	unsigned fraction = type == ASC_I32 ? 23 : 10;

	if (sign < 0)
		k = avw_scalar(p, ASC_OP_VMULS, type, k, -1);
	k = avw_scalar(p, ASC_OP_VADDS, type, k, bias);
	return avw_scalar(p, ASC_OP_VSHL, type, k, fraction);
}

/* x 2^k.  -2^k is a number of the type even where 2^k is not. */
static avk_view shift_left(avk_program *p, enum asc_type type, avk_view x, avk_view y, unsigned width)
{
	enum asc_type floating = type == ASC_I32 ? ASC_F32 : ASC_F16;
	avk_view k = shift_count(p, type, y, width);
	avk_view f = power(p, type, k, 1, type == ASC_I32 ? 127 : 15);

	f = avw_scalar(p, ASC_OP_VMULS, floating, f, avw_float_bits(floating, -1.0F));
	f = avw_conv(p, floating, type, f, ROUND_EVEN);
	return avw_scalar(p, ASC_OP_VMULS, type, avw_binary(p, ASC_OP_VMUL, type, x, f), -1);
}

/* floor(x 2^-k).  16 bits: exact in fp32; the power comes from fp16 as 2^(15-k), which is normal.  32 bits: the upper
 * half h is floor(h 2^(16-k)) of the result and the lower one floor(l 2^-k): with k <= 16 the first is whole, with k >
 * 16 the second is nothing and l / 2^16 < 1 cannot carry into the first. */
static avk_view shift_right(avk_program *p, enum asc_type type, avk_view x, avk_view y, unsigned width)
{
	avk_view k = shift_count(p, type, y, width), f, low, high;

	if (type == ASC_I16) {
		f = avw_conv(p, ASC_F16, ASC_F32, power(p, type, k, -1, 30), ROUND_EVEN);
		x = avw_binary(p, ASC_OP_VMUL, ASC_F32, avw_conv(p, type, ASC_F32, x, ROUND_EVEN), f);
		x = avw_scalar(p, ASC_OP_VMULS, ASC_F32, x, avw_float_bits(ASC_F32, 1.0F / 32768));
		return avw_conv(p, ASC_F32, type, x, ROUND_DOWN);
	}
	f = power(p, type, k, -1, 127);
	high = avw_conv(p, type, ASC_F32, avw_scalar(p, ASC_OP_VSHR, type, x, 16), ROUND_EVEN);
	high = avw_scalar(p, ASC_OP_VMULS, ASC_F32, avw_binary(p, ASC_OP_VMUL, ASC_F32, high, f),
	                  avw_float_bits(ASC_F32, 65536.0F));
	high = avw_conv(p, ASC_F32, type, high, ROUND_DOWN);
	low = avw_scalar(p, ASC_OP_VSHR, ASC_U32, avw_scalar(p, ASC_OP_VSHL, type, x, 16), 16);
	low = avw_binary(p, ASC_OP_VMUL, ASC_F32, avw_conv(p, type, ASC_F32, low, ROUND_EVEN), f);
	return avw_binary(p, ASC_OP_VADD, type, high, avw_conv(p, ASC_F32, type, low, ROUND_DOWN));
}

/* x + y with x first moved to where the sum stays inside: x <= MAX - max(y, 0) and x >= MIN - min(y, 0). */
static avk_view add_saturating(avk_program *p, avk_view x, avk_view y, bool subtract)
{
	avk_view above, below;

	if (subtract) {
		above = avw_scalar(p, ASC_OP_VADDS, ASC_I32, avw_scalar(p, ASC_OP_VMINS, ASC_I32, y, 0), INT32_MAX);
		below = avw_scalar(p, ASC_OP_VADDS, ASC_I32, avw_scalar(p, ASC_OP_VMAXS, ASC_I32, y, 0), INT32_MIN);
	} else {
		above = avw_scalar(p, ASC_OP_VMULS, ASC_I32, avw_scalar(p, ASC_OP_VMAXS, ASC_I32, y, 0), -1);
		above = avw_scalar(p, ASC_OP_VADDS, ASC_I32, above, INT32_MAX);
		below = avw_scalar(p, ASC_OP_VMULS, ASC_I32, avw_scalar(p, ASC_OP_VMINS, ASC_I32, y, 0), -1);
		below = avw_scalar(p, ASC_OP_VADDS, ASC_I32, below, INT32_MIN);
	}
	x = avw_binary(p, ASC_OP_VMIN, ASC_I32, x, above);
	x = avw_binary(p, ASC_OP_VMAX, ASC_I32, x, below);
	return avw_binary(p, subtract ? ASC_OP_VSUB : ASC_OP_VADD, ASC_I32, x, y);
}

/* The wrapped product, unless the fp32 product says that it wrapped: beyond 1.25 2^31 by its size; below that by its
 * sign, which differs from the wrapped one's exactly where the true product left the range. */
static avk_view multiply_saturating(avk_program *p, avk_view x, avk_view y)
{
	static const float bound = 1.25F * 2147483648.0F;
	avk_view z = avw_binary(p, ASC_OP_VMUL, ASC_I32, x, y), zero = avw_splat(p, ASC_F32, 0);
	avk_view q = avw_binary(p, ASC_OP_VMUL, ASC_F32, avw_conv(p, ASC_I32, ASC_F32, x, ROUND_EVEN),
	                        avw_conv(p, ASC_I32, ASC_F32, y, ROUND_EVEN));
	avk_view back = avw_scalar(p, ASC_OP_VMULS, ASC_F32, avw_conv(p, ASC_I32, ASC_F32, z, ROUND_EVEN),
	                           avw_float_bits(ASC_F32, -1.0F));
	avk_view most = avw_splat(p, ASC_I32, INT32_MAX), least = avw_splat(p, ASC_I32, INT32_MIN);
	uint32_t m;

	m = avw_compare(p, ASC_F32, GREATER, avw_binary(p, ASC_OP_VMIN, ASC_F32, q, back), zero);
	z = avw_choose(p, ASC_I32, m, most, z);
	m = avw_compare(p, ASC_F32, GREATER, q, avw_splat(p, ASC_F32, avw_float_bits(ASC_F32, bound)));
	z = avw_choose(p, ASC_I32, m, most, z);
	m = avw_compare(p, ASC_F32, LESS, avw_binary(p, ASC_OP_VMAX, ASC_F32, q, back), zero);
	z = avw_choose(p, ASC_I32, m, least, z);
	m = avw_compare(p, ASC_F32, LESS, q, avw_splat(p, ASC_F32, avw_float_bits(ASC_F32, -bound)));
	return avw_choose(p, ASC_I32, m, least, z);
}

/* int16 in fp32: sums are exact, products are wrong only far beyond int16. */
static avk_view saturating16(avk_program *p, enum isa_op op, const avw_operands *o)
{
	enum asc_op vector = op == ISA_OP_ADD_SAT ? ASC_OP_VADD : op == ISA_OP_SUB_SAT ? ASC_OP_VSUB : ASC_OP_VMUL;
	avk_view x = avw_conv(p, ASC_I16, ASC_F32, o->a, ROUND_EVEN);
	avk_view y = o->has_imm ? avw_splat(p, ASC_F32, avw_float_bits(ASC_F32, (float)o->imm))
	                        : avw_conv(p, ASC_I16, ASC_F32, o->b, ROUND_EVEN);

	return avw_conv(p, ASC_F32, ASC_I16, avw_binary(p, vector, ASC_F32, x, y), ROUND_EVEN);
}

/* 16 and 32 bits.  WIDTH: of the type that shift counts are modulo of. */
static avk_view int_op(avk_program *p, enum isa_op op, avw_operands *o, unsigned width)
{
	enum asc_type type = o->type, floating = type == ASC_I32 ? ASC_F32 : ASC_F16;

	switch (op) {
	case ISA_OP_NEG:
		return avw_scalar(p, ASC_OP_VMULS, type, o->a, -1);
	case ISA_OP_ABS:
		return avw_binary(p, ASC_OP_VMAX, type, o->a, avw_scalar(p, ASC_OP_VMULS, type, o->a, -1));
	case ISA_OP_RELU:
		return avw_scalar(p, ASC_OP_VMAXS, type, o->a, 0);
	case ISA_OP_ADD:
		return avw_with_scalar(p, o, ASC_OP_VADD, ASC_OP_VADDS);
	case ISA_OP_SUB:
		o->imm = -o->imm;
		return avw_with_scalar(p, o, ASC_OP_VSUB, ASC_OP_VADDS);
	case ISA_OP_MUL:
		return avw_with_scalar(p, o, ASC_OP_VMUL, ASC_OP_VMULS);
	case ISA_OP_MAX:
		return avw_with_scalar(p, o, ASC_OP_VMAX, ASC_OP_VMAXS);
	case ISA_OP_MIN:
		return avw_with_scalar(p, o, ASC_OP_VMIN, ASC_OP_VMINS);
	case ISA_OP_ADD_SAT:
	case ISA_OP_SUB_SAT:
		return type == ASC_I16 ? saturating16(p, op, o)
		                       : add_saturating(p, o->a, avw_second(p, o), op == ISA_OP_SUB_SAT);
	case ISA_OP_MUL_SAT:
		return type == ASC_I16 ? saturating16(p, op, o) : multiply_saturating(p, o->a, avw_second(p, o));
	case ISA_OP_EQ:
	case ISA_OP_LT:
		return relation(p, op, o, floating);
	case ISA_OP_MASK:
	case ISA_OP_MASK_BAR:
		return masked(p, op, o, floating);
	case ISA_OP_SHL:
		return o->has_imm ? avw_scalar(p, ASC_OP_VSHL, type, o->a, o->imm & (width - 1))
		                  : shift_left(p, type, o->a, o->b, width);
	case ISA_OP_SHR:
		return o->has_imm ? avw_scalar(p, ASC_OP_VSHR, type, o->a, o->imm & (width - 1))
		                  : shift_right(p, type, o->a, o->b, width);
	default:
		g_error("the vector unit has no integer '%s'", isa_ops[op].mnemonic);
	}
}

/* int8 in fp16: results that are in range, or are to saturate. */
static avk_view byte_as_half(avk_program *p, enum isa_op op, const avw_operands *bytes)
{
	avw_operands o = {.type = ASC_F16, .has_imm = bytes->has_imm, .imm = num_f32_to_f16((float)bytes->imm)};
	avk_view z;

	o.a = avw_conv(p, ASC_I8, ASC_F16, bytes->a, ROUND_EVEN);
	if (!o.has_imm)
		o.b = avw_conv(p, ASC_I8, ASC_F16, bytes->b, ROUND_EVEN);
	switch (op) {
	case ISA_OP_EQ:
	case ISA_OP_LT:
		z = relation(p, op, &o, ASC_F16);
		break;
	case ISA_OP_ADD_SAT:
		z = avw_float_op(p, ISA_OP_ADD, &o);
		break;
	case ISA_OP_SUB_SAT:
		z = avw_float_op(p, ISA_OP_SUB, &o);
		break;
	case ISA_OP_MUL_SAT:
		z = avw_float_op(p, ISA_OP_MUL, &o);
		break;
	default:
		z = avw_float_op(p, op, &o);
	}
	return avw_conv(p, ASC_F16, ASC_I8, z, ROUND_EVEN);
}

/* int8 in int16, wrapped at the end. */
static avk_view byte_as_short(avk_program *p, enum isa_op op, const avw_operands *bytes)
{
	avw_operands o = *bytes;
	avk_view z;

	o.type = ASC_I16;
	o.a = avw_convert(p, ISA_TYPE_I8, ISA_TYPE_I16, bytes->a);
	if (!o.has_imm)
		o.b = avw_convert(p, ISA_TYPE_I8, ISA_TYPE_I16, bytes->b);
	z = int_op(p, op, &o, 8);
	z = avw_scalar(p, ASC_OP_VSHR, ASC_I16, avw_scalar(p, ASC_OP_VSHL, ASC_I16, z, 8), 8);
	return avw_convert(p, ISA_TYPE_I16, ISA_TYPE_I8, z);
}

static avk_view byte_op(avk_program *p, enum isa_op op, const avw_operands *o)
{
	switch (op) {
	case ISA_OP_NEG:
	case ISA_OP_ABS:
	case ISA_OP_ADD:
	case ISA_OP_SUB:
	case ISA_OP_MUL:
	case ISA_OP_SHL:
	case ISA_OP_SHR:
		return byte_as_short(p, op, o);
	default:
		return byte_as_half(p, op, o);
	}
}

static int64_t sign_extended(enum isa_type type, uint32_t imm)
{
	return type == ISA_TYPE_I8 ? (int8_t)imm : type == ISA_TYPE_I16 ? (int16_t)imm : (int32_t)imm;
}

avk_view avw_expand_int(avk_program *p, enum isa_op op, enum isa_type type, const avk_view *a, const avk_view *b,
                        bool has_imm, uint32_t imm)
{
	avw_operands o = {.type = avk_type(type), .a = *a, .has_imm = has_imm, .imm = sign_extended(type, imm)};
	avk_view y, both, either;

	if (b)
		o.b = *b;
	switch (op) {
	case ISA_OP_COPY:
		return avk_copy(p, type, a);
	case ISA_OP_NOT:
		return avw_bitwise(p, ASC_OP_VNOT, type, *a, NULL);
	case ISA_OP_AND:
	case ISA_OP_OR:
	case ISA_OP_XOR:
		if (has_imm && type == ISA_TYPE_I8)
			y = avw_splat(p, ASC_I16, (int64_t)((uint8_t)imm * 0x101U));
		else
			y = avw_second(p, &o);
		if (op != ISA_OP_XOR)
			return avw_bitwise(p, op == ISA_OP_AND ? ASC_OP_VAND : ASC_OP_VOR, type, *a, &y);
		both = avw_bitwise(p, ASC_OP_VAND, type, *a, &y);
		both = avw_bitwise(p, ASC_OP_VNOT, type, both, NULL);
		either = avw_bitwise(p, ASC_OP_VOR, type, *a, &y);
		return avw_bitwise(p, ASC_OP_VAND, type, either, &both);
	default:
		return type == ISA_TYPE_I8 ? byte_op(p, op, &o) : int_op(p, op, &o, avw_bits_of(o.type));
	}
}
