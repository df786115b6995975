/* SPDX-License-Identifier: Apache-2.0
 *
 * Element-wise operations of the graph in vector instructions, with the graph's values to the last bit.
 *
 * Floating: operands widen to fp32 unless the fp16 instruction gives the same.  It does where operands, immediate and
 * result are fp16: fp32 has 24 bits, at least 2 x 11 + 2, so that rounding to fp32 first changes nothing, and fp16's
 * exponential and reciprocal root are rounded to fp32 first by the instruction as well.
 *
 * Integers: 16 and 32 bits are native and wrap.  8 bits are converted: int8 <-> fp16 is exact, and int16 where results
 * wrap.  Saturation, comparison and shifts by a vector are expanded into exact sequences; the comment at each says why
 * it is exact.  There are no instructions on 8-bit numbers.
 */
#include "sched/emit/ascend/vector_int.h"

#include "isa/num.h"

enum { ROUND_EVEN = 1, ROUND_DOWN = 2 };
enum { LESS = 0, GREATER = 1, EQUAL = 2, GREATER_EQUAL = 4, NOT_EQUAL = 5 };
enum { SPLAT_BYTES_BLOCKS = 8, BLOCK_BYTES = 32 };

enum asc_type avk_type(enum isa_type type)
{
	static const enum asc_type types[ISA_TYPE_COUNT] = {[ISA_TYPE_I8] = ASC_I8,
	                                                    [ISA_TYPE_I16] = ASC_I16,
	                                                    [ISA_TYPE_I32] = ASC_I32,
	                                                    [ISA_TYPE_F16] = ASC_F16,
	                                                    [ISA_TYPE_F32] = ASC_F32};

	return types[type];
}

bool avk_dense(const avk_view *v)
{
	return !v->splat && v->first == 0 && (v->row == 1 || v->rows == 1) && (v->shared || v->unit == v->rows);
}

static uint32_t new_reg(avk_program *p, avk_reg reg)
{
	g_array_append_val(p->regs, reg);
	return p->regs->len - 1;
}

avk_view avk_new_value(avk_program *p, uint32_t bits)
{
	uint32_t reg = new_reg(p, (avk_reg){.rows = p->rows, .bits = bits, .shared = p->shared});

	return (avk_view){.reg = reg, .unit = p->shared ? 0 : p->rows, .row = 1, .shared = p->shared, .rows = p->rows};
}

avk_op *avk_add(avk_program *p, enum asc_op op, enum asc_type type)
{
	avk_op o = {.kind = AVK_VECTOR,
	            .op = op,
	            .type = type,
	            .dtype = type,
	            .rows = p->rows,
	            .shared = p->shared,
	            .mask = AVK_NONE,
	            .node = p->node};

	g_array_append_val(p->ops, o);
	return &g_array_index(p->ops, avk_op, p->ops->len - 1);
}

static uint32_t bits_of(enum asc_type type)
{
	return 8 * asc_type_bytes(type);
}

static avk_view unary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a)
{
	avk_view z = avk_new_value(p, bits_of(type));
	avk_op *o = avk_add(p, op, type);

	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	return z;
}

static avk_view binary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, avk_view b)
{
	avk_view z = unary(p, op, type, a);
	avk_op *o = &g_array_index(p->ops, avk_op, p->ops->len - 1);

	o->src[1] = b;
	o->srcs = 2;
	return z;
}

static avk_view scalar(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, int64_t bits)
{
	avk_view z = unary(p, op, type, a);

	g_array_index(p->ops, avk_op, p->ops->len - 1).extra = bits;
	return z;
}

static avk_view conv(avk_program *p, enum asc_type from, enum asc_type to, avk_view a, int64_t round)
{
	avk_view z = avk_new_value(p, bits_of(to));
	avk_op *o = avk_add(p, ASC_OP_VCONV, from);

	o->dtype = to;
	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	o->extra = round;
	return z;
}

/* One number in every lane of a repeat, written before the first tile. */
static avk_view splat(avk_program *p, enum asc_type type, int64_t bits)
{
	avk_view z = {.row = 0, .splat = true, .shared = true, .rows = 1};
	avk_op *o;

	for (uint32_t i = 0; i < p->ops->len; i++) {
		o = &g_array_index(p->ops, avk_op, i);
		if (o->once && o->op == ASC_OP_VDUP && o->type == type && o->extra == bits)
			return o->dst;
	}
	z.reg = new_reg(p, (avk_reg){.once = true, .bytes = SPLAT_BYTES_BLOCKS * BLOCK_BYTES, .shared = true});
	o = avk_add(p, ASC_OP_VDUP, type);
	o->once = true;
	o->extra = bits;
	o->dst = z;
	return z;
}

avk_view avk_copy(avk_program *p, enum isa_type type, const avk_view *a)
{
	enum asc_type copied = isa_type_bytes(type) == 4 ? ASC_I32 : ASC_I16;
	avk_view z = avk_new_value(p, 8 * isa_type_bytes(type));
	avk_op *o = avk_add(p, ASC_OP_VCOPY, copied);

	o->dst = z;
	o->src[0] = *a;
	o->srcs = 1;
	o->halves = isa_type_bytes(type) == 1;
	return z;
}

/* Bitwise, on 16-bit pieces of whatever type. */
static avk_view bitwise(avk_program *p, enum asc_op op, enum isa_type type, avk_view a, const avk_view *b)
{
	avk_view z = avk_new_value(p, 8 * isa_type_bytes(type));
	avk_op *o = avk_add(p, op, ASC_I16);

	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	if (b) {
		o->src[1] = *b;
		o->srcs = 2;
	}
	o->halves = true;
	return z;
}

static avk_view whole(avk_program *p, enum asc_type type, avk_view a)
{
	if (a.splat || (avk_dense(&a) && a.rows == p->rows && a.shared == p->shared))
		return a;
	return unary(p, ASC_OP_VCOPY, type, a);
}

/* One where CONDITION holds between A and B, else zero, as bits.  Compare and select count lanes through: their
 * operands are runs. */
static uint32_t compare(avk_program *p, enum asc_type type, int64_t condition, avk_view a, avk_view b)
{
	avk_op *o;
	avk_view z;

	a = whole(p, type, a);
	b = whole(p, type, b);
	z = avk_new_value(p, 1);
	o = avk_add(p, ASC_OP_VCMP, type);
	o->extra = condition;
	o->dst = z;
	o->src[0] = a;
	o->src[1] = b;
	o->srcs = 2;
	return z.reg;
}

static avk_view choose(avk_program *p, enum asc_type type, uint32_t mask, avk_view a, avk_view b)
{
	avk_view z;

	a = whole(p, type, a);
	b = whole(p, type, b);
	z = binary(p, ASC_OP_VSEL, type, a, b);
	g_array_index(p->ops, avk_op, p->ops->len - 1).mask = mask;
	return z;
}

/* ------------------------------------------------------------------------------------------------- conversions */

static avk_view convert(avk_program *p, enum isa_type from, enum isa_type to, avk_view a);

/* A row that is repeated is converted once. */
static avk_view convert_row(avk_program *p, enum isa_type from, enum isa_type to, avk_view a)
{
	uint64_t rows = p->rows;
	bool shared = p->shared;

	p->shared = shared || (a.unit == 0 && p->units > 1);
	p->rows = a.rows = 1;
	a.shared = p->shared;
	a = convert(p, from, to, a);
	p->rows = rows;
	p->shared = shared;
	a.row = 0;
	a.rows = rows;
	return a;
}

static avk_view convert(avk_program *p, enum isa_type from, enum isa_type to, avk_view a)
{
	enum asc_type f = avk_type(from), t = avk_type(to);

	if (from == to)
		return a;
	if (a.row == 0 && !a.splat && p->rows > 1)
		return convert_row(p, from, to, a);
	switch (from) {
	case ISA_TYPE_I8:
		a = conv(p, ASC_I8, ASC_F16, a, ROUND_EVEN);
		return to == ISA_TYPE_F16 ? a : conv(p, ASC_F16, t, a, ROUND_EVEN);
	case ISA_TYPE_I16:
		/* Beyond 2048 fp16 is not exact, but those are beyond int8 as well. */
		if (to == ISA_TYPE_I8)
			return conv(p, ASC_F16, t, conv(p, f, ASC_F16, a, ROUND_EVEN), ROUND_EVEN);
		if (to == ISA_TYPE_I32)
			return conv(p, ASC_F32, t, conv(p, f, ASC_F32, a, ROUND_EVEN), ROUND_EVEN);
		return conv(p, f, t, a, ROUND_EVEN);
	case ISA_TYPE_I32:
		/* Exact in fp32 up to 2^24, where the narrower type is at its limit already. */
		if (to == ISA_TYPE_F32)
			return conv(p, f, t, a, ROUND_EVEN);
		if (to == ISA_TYPE_I8)
			return convert(p, ISA_TYPE_F32, to, conv(p, f, ASC_F32, a, ROUND_EVEN));
		return conv(p, ASC_F32, t, conv(p, f, ASC_F32, a, ROUND_EVEN), ROUND_EVEN);
	case ISA_TYPE_F32:
		if (to == ISA_TYPE_I8) /* to int16 first, which rounds and saturates */
			return convert(p, ISA_TYPE_I16, to, conv(p, f, ASC_I16, a, ROUND_EVEN));
		return conv(p, f, t, a, ROUND_EVEN);
	default:
		return conv(p, f, t, a, ROUND_EVEN);
	}
}

/* ---------------------------------------------------------------------------------------------------- floating */

static int64_t float_bits(enum asc_type type, float f)
{
	return type == ASC_F16 ? num_f32_to_f16(f) : (int64_t)num_f32_bits(f);
}

typedef struct operands {
	enum asc_type type;
	avk_view a, b; /* b: a splat where it is an immediate */
	bool has_imm;
	int64_t imm; /* bits of the type */
} operands;

static avk_view second(avk_program *p, const operands *o)
{
	return o->has_imm ? splat(p, o->type, o->imm) : o->b;
}

static avk_view with_scalar(avk_program *p, const operands *o, enum asc_op vector, enum asc_op with)
{
	return o->has_imm ? scalar(p, with, o->type, o->a, o->imm) : binary(p, vector, o->type, o->a, o->b);
}

static avk_view float_op(avk_program *p, enum isa_op op, operands *o)
{
	enum asc_type type = o->type;
	avk_view zero;

	switch (op) {
	case ISA_OP_COPY: /* no graph has a NaN that is not canonical */
		return unary(p, ASC_OP_VCOPY, type, o->a);
	case ISA_OP_NEG:
		return scalar(p, ASC_OP_VMULS, type, o->a, float_bits(type, -1.0F));
	case ISA_OP_ABS:
		return unary(p, ASC_OP_VABS, type, o->a);
	case ISA_OP_RELU:
		return unary(p, ASC_OP_VRELU, type, o->a);
	case ISA_OP_EXP:
		return unary(p, ASC_OP_VEXP, type, o->a);
	case ISA_OP_RSQRT:
		return unary(p, ASC_OP_VRSQRT, type, o->a);
	case ISA_OP_ADD:
		return with_scalar(p, o, ASC_OP_VADD, ASC_OP_VADDS);
	case ISA_OP_SUB:
		if (o->has_imm)
			o->imm ^= (int64_t)1 << (bits_of(type) - 1);
		return with_scalar(p, o, ASC_OP_VSUB, ASC_OP_VADDS);
	case ISA_OP_MUL:
		return with_scalar(p, o, ASC_OP_VMUL, ASC_OP_VMULS);
	case ISA_OP_MAX:
		return with_scalar(p, o, ASC_OP_VMAX, ASC_OP_VMAXS);
	case ISA_OP_MIN:
		return with_scalar(p, o, ASC_OP_VMIN, ASC_OP_VMINS);
	case ISA_OP_EQ:
	case ISA_OP_LT:
		return choose(p, type, compare(p, type, op == ISA_OP_EQ ? EQUAL : LESS, o->a, second(p, o)),
		              splat(p, type, float_bits(type, 1.0F)), splat(p, type, 0));
	case ISA_OP_MASK:
	case ISA_OP_MASK_BAR:
		zero = splat(p, type, 0);
		return choose(p, type, compare(p, type, op == ISA_OP_MASK ? NOT_EQUAL : EQUAL, second(p, o), zero),
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
	operands o = {.type = avk_type(in), .has_imm = has_imm, .imm = float_bits(avk_type(in), num_bits_f32(imm))};

	o.a = convert(p, from, in, *a);
	if (b)
		o.b = a->reg == b->reg && !memcmp(a, b, sizeof *a) ? o.a : convert(p, from, in, *b);
	return convert(p, in, to, float_op(p, op, &o));
}

/* ---------------------------------------------------------------------------------------------------- integers */

/* 1 where D is not zero, else 0, or the other way round; D's type is wide enough for its sign not to matter. */
static avk_view test(avk_program *p, enum asc_type type, enum asc_type floating, avk_view d, bool zero)
{
	int64_t one = float_bits(floating, 1.0F);

	if (type != floating)
		d = conv(p, type, floating, d, ROUND_EVEN);
	d = scalar(p, ASC_OP_VMINS, floating, unary(p, ASC_OP_VABS, floating, d), one);
	if (zero) {
		d = scalar(p, ASC_OP_VMULS, floating, d, float_bits(floating, -1.0F));
		d = scalar(p, ASC_OP_VADDS, floating, d, one);
	}
	return type == floating ? d : conv(p, floating, type, d, ROUND_EVEN);
}

/* x = y where x - y is zero, x < y where y - min(x, y) is not; both hold with wrapping differences. */
static avk_view relation(avk_program *p, enum isa_op op, const operands *o, enum asc_type floating)
{
	avk_view b = second(p, o), d;

	if (op == ISA_OP_EQ)
		return test(p, o->type, floating, binary(p, ASC_OP_VSUB, o->type, o->a, b), true);
	d = binary(p, ASC_OP_VSUB, o->type, b, binary(p, ASC_OP_VMIN, o->type, o->a, b));
	return test(p, o->type, floating, d, false);
}

static avk_view masked(avk_program *p, enum isa_op op, const operands *o, enum asc_type floating)
{
	avk_view y = second(p, o), zero = splat(p, floating, 0), bits_zero = splat(p, o->type, 0);
	uint32_t mask;

	if (y.splat)
		y = unary(p, ASC_OP_VCOPY, o->type, y);
	if (o->type != floating)
		y = conv(p, o->type, floating, y, ROUND_EVEN);
	mask = compare(p, floating, op == ISA_OP_MASK ? NOT_EQUAL : EQUAL, y, zero);
	return choose(p, o->type, mask, o->a, bits_zero);
}

/* Y modulo the width. */
static avk_view shift_count(avk_program *p, enum asc_type type, avk_view y, unsigned width)
{
	enum asc_type logical = type == ASC_I32 ? ASC_U32 : ASC_U16;
	unsigned above = bits_of(type) - (unsigned)__builtin_ctz(width);

	return scalar(p, ASC_OP_VSHR, logical, scalar(p, ASC_OP_VSHL, type, y, above), above);
}

/* 2^(sign k), SIGN 1 or -1, as a floating number of the integer's width: the exponent field is bias + sign k. */
static avk_view power(avk_program *p, enum asc_type type, avk_view k, int64_t sign, int64_t bias)
{
	unsigned fraction = type == ASC_I32 ? 23 : 10;

	if (sign < 0)
		k = scalar(p, ASC_OP_VMULS, type, k, -1);
	k = scalar(p, ASC_OP_VADDS, type, k, bias);
	return scalar(p, ASC_OP_VSHL, type, k, fraction);
}

/* x 2^k.  -2^k is a number of the type even where 2^k is not. */
static avk_view shift_left(avk_program *p, enum asc_type type, avk_view x, avk_view y, unsigned width)
{
	enum asc_type floating = type == ASC_I32 ? ASC_F32 : ASC_F16;
	avk_view k = shift_count(p, type, y, width);
	avk_view f = power(p, type, k, 1, type == ASC_I32 ? 127 : 15);

	f = scalar(p, ASC_OP_VMULS, floating, f, float_bits(floating, -1.0F));
	f = conv(p, floating, type, f, ROUND_EVEN);
	return scalar(p, ASC_OP_VMULS, type, binary(p, ASC_OP_VMUL, type, x, f), -1);
}

/* floor(x 2^-k).  16 bits: exact in fp32; the power comes from fp16 as 2^(15-k), which is normal.  32 bits: the upper
 * half h is floor(h 2^(16-k)) of the result and the lower one floor(l 2^-k): with k <= 16 the first is whole, with k >
 * 16 the second is nothing and l / 2^16 < 1 cannot carry into the first. */
static avk_view shift_right(avk_program *p, enum asc_type type, avk_view x, avk_view y, unsigned width)
{
	avk_view k = shift_count(p, type, y, width), f, low, high;

	if (type == ASC_I16) {
		f = conv(p, ASC_F16, ASC_F32, power(p, type, k, -1, 30), ROUND_EVEN);
		x = binary(p, ASC_OP_VMUL, ASC_F32, conv(p, type, ASC_F32, x, ROUND_EVEN), f);
		x = scalar(p, ASC_OP_VMULS, ASC_F32, x, float_bits(ASC_F32, 1.0F / 32768));
		return conv(p, ASC_F32, type, x, ROUND_DOWN);
	}
	f = power(p, type, k, -1, 127);
	high = conv(p, type, ASC_F32, scalar(p, ASC_OP_VSHR, type, x, 16), ROUND_EVEN);
	high = scalar(p, ASC_OP_VMULS, ASC_F32, binary(p, ASC_OP_VMUL, ASC_F32, high, f),
	              float_bits(ASC_F32, 65536.0F));
	high = conv(p, ASC_F32, type, high, ROUND_DOWN);
	low = scalar(p, ASC_OP_VSHR, ASC_U32, scalar(p, ASC_OP_VSHL, type, x, 16), 16);
	low = binary(p, ASC_OP_VMUL, ASC_F32, conv(p, type, ASC_F32, low, ROUND_EVEN), f);
	return binary(p, ASC_OP_VADD, type, high, conv(p, ASC_F32, type, low, ROUND_DOWN));
}

/* x + y with x first moved to where the sum stays inside: x <= MAX - max(y, 0) and x >= MIN - min(y, 0). */
static avk_view add_saturating(avk_program *p, avk_view x, avk_view y, bool subtract)
{
	avk_view above, below;

	if (subtract) {
		above = scalar(p, ASC_OP_VADDS, ASC_I32, scalar(p, ASC_OP_VMINS, ASC_I32, y, 0), INT32_MAX);
		below = scalar(p, ASC_OP_VADDS, ASC_I32, scalar(p, ASC_OP_VMAXS, ASC_I32, y, 0), INT32_MIN);
	} else {
		above = scalar(p, ASC_OP_VMULS, ASC_I32, scalar(p, ASC_OP_VMAXS, ASC_I32, y, 0), -1);
		above = scalar(p, ASC_OP_VADDS, ASC_I32, above, INT32_MAX);
		below = scalar(p, ASC_OP_VMULS, ASC_I32, scalar(p, ASC_OP_VMINS, ASC_I32, y, 0), -1);
		below = scalar(p, ASC_OP_VADDS, ASC_I32, below, INT32_MIN);
	}
	x = binary(p, ASC_OP_VMIN, ASC_I32, x, above);
	x = binary(p, ASC_OP_VMAX, ASC_I32, x, below);
	return binary(p, subtract ? ASC_OP_VSUB : ASC_OP_VADD, ASC_I32, x, y);
}

/* The wrapped product, unless the fp32 product says that it wrapped: beyond 1.25 2^31 by its size; below that by its
 * sign, which differs from the wrapped one's exactly where the true product left the range. */
static avk_view multiply_saturating(avk_program *p, avk_view x, avk_view y)
{
	static const float bound = 1.25F * 2147483648.0F;
	avk_view z = binary(p, ASC_OP_VMUL, ASC_I32, x, y), zero = splat(p, ASC_F32, 0);
	avk_view q = binary(p, ASC_OP_VMUL, ASC_F32, conv(p, ASC_I32, ASC_F32, x, ROUND_EVEN),
	                    conv(p, ASC_I32, ASC_F32, y, ROUND_EVEN));
	avk_view back =
		scalar(p, ASC_OP_VMULS, ASC_F32, conv(p, ASC_I32, ASC_F32, z, ROUND_EVEN), float_bits(ASC_F32, -1.0F));
	avk_view most = splat(p, ASC_I32, INT32_MAX), least = splat(p, ASC_I32, INT32_MIN);
	uint32_t m;

	m = compare(p, ASC_F32, GREATER, binary(p, ASC_OP_VMIN, ASC_F32, q, back), zero);
	z = choose(p, ASC_I32, m, most, z);
	m = compare(p, ASC_F32, GREATER, q, splat(p, ASC_F32, float_bits(ASC_F32, bound)));
	z = choose(p, ASC_I32, m, most, z);
	m = compare(p, ASC_F32, LESS, binary(p, ASC_OP_VMAX, ASC_F32, q, back), zero);
	z = choose(p, ASC_I32, m, least, z);
	m = compare(p, ASC_F32, LESS, q, splat(p, ASC_F32, float_bits(ASC_F32, -bound)));
	return choose(p, ASC_I32, m, least, z);
}

/* int16 in fp32: sums are exact, products are wrong only far beyond int16. */
static avk_view saturating16(avk_program *p, enum isa_op op, const operands *o)
{
	enum asc_op vector = op == ISA_OP_ADD_SAT ? ASC_OP_VADD : op == ISA_OP_SUB_SAT ? ASC_OP_VSUB : ASC_OP_VMUL;
	avk_view x = conv(p, ASC_I16, ASC_F32, o->a, ROUND_EVEN);
	avk_view y = o->has_imm ? splat(p, ASC_F32, float_bits(ASC_F32, (float)o->imm))
	                        : conv(p, ASC_I16, ASC_F32, o->b, ROUND_EVEN);

	return conv(p, ASC_F32, ASC_I16, binary(p, vector, ASC_F32, x, y), ROUND_EVEN);
}

/* 16 and 32 bits.  WIDTH: of the type that shift counts are modulo of. */
static avk_view int_op(avk_program *p, enum isa_op op, operands *o, unsigned width)
{
	enum asc_type type = o->type, floating = type == ASC_I32 ? ASC_F32 : ASC_F16;

	switch (op) {
	case ISA_OP_NEG:
		return scalar(p, ASC_OP_VMULS, type, o->a, -1);
	case ISA_OP_ABS:
		return binary(p, ASC_OP_VMAX, type, o->a, scalar(p, ASC_OP_VMULS, type, o->a, -1));
	case ISA_OP_RELU:
		return scalar(p, ASC_OP_VMAXS, type, o->a, 0);
	case ISA_OP_ADD:
		return with_scalar(p, o, ASC_OP_VADD, ASC_OP_VADDS);
	case ISA_OP_SUB:
		o->imm = -o->imm;
		return with_scalar(p, o, ASC_OP_VSUB, ASC_OP_VADDS);
	case ISA_OP_MUL:
		return with_scalar(p, o, ASC_OP_VMUL, ASC_OP_VMULS);
	case ISA_OP_MAX:
		return with_scalar(p, o, ASC_OP_VMAX, ASC_OP_VMAXS);
	case ISA_OP_MIN:
		return with_scalar(p, o, ASC_OP_VMIN, ASC_OP_VMINS);
	case ISA_OP_ADD_SAT:
	case ISA_OP_SUB_SAT:
		return type == ASC_I16 ? saturating16(p, op, o)
		                       : add_saturating(p, o->a, second(p, o), op == ISA_OP_SUB_SAT);
	case ISA_OP_MUL_SAT:
		return type == ASC_I16 ? saturating16(p, op, o) : multiply_saturating(p, o->a, second(p, o));
	case ISA_OP_EQ:
	case ISA_OP_LT:
		return relation(p, op, o, floating);
	case ISA_OP_MASK:
	case ISA_OP_MASK_BAR:
		return masked(p, op, o, floating);
	case ISA_OP_SHL:
		return o->has_imm ? scalar(p, ASC_OP_VSHL, type, o->a, o->imm & (width - 1))
		                  : shift_left(p, type, o->a, o->b, width);
	case ISA_OP_SHR:
		return o->has_imm ? scalar(p, ASC_OP_VSHR, type, o->a, o->imm & (width - 1))
		                  : shift_right(p, type, o->a, o->b, width);
	default:
		g_error("the vector unit has no integer '%s'", isa_ops[op].mnemonic);
	}
}

/* int8 in fp16: results that are in range, or are to saturate. */
static avk_view byte_as_half(avk_program *p, enum isa_op op, const operands *bytes)
{
	operands o = {.type = ASC_F16, .has_imm = bytes->has_imm, .imm = num_f32_to_f16((float)bytes->imm)};
	avk_view z;

	o.a = conv(p, ASC_I8, ASC_F16, bytes->a, ROUND_EVEN);
	if (!o.has_imm)
		o.b = conv(p, ASC_I8, ASC_F16, bytes->b, ROUND_EVEN);
	switch (op) {
	case ISA_OP_EQ:
	case ISA_OP_LT:
		z = relation(p, op, &o, ASC_F16);
		break;
	case ISA_OP_ADD_SAT:
		z = float_op(p, ISA_OP_ADD, &o);
		break;
	case ISA_OP_SUB_SAT:
		z = float_op(p, ISA_OP_SUB, &o);
		break;
	case ISA_OP_MUL_SAT:
		z = float_op(p, ISA_OP_MUL, &o);
		break;
	default:
		z = float_op(p, op, &o);
	}
	return conv(p, ASC_F16, ASC_I8, z, ROUND_EVEN);
}

/* int8 in int16, wrapped at the end. */
static avk_view byte_as_short(avk_program *p, enum isa_op op, const operands *bytes)
{
	operands o = *bytes;
	avk_view z;

	o.type = ASC_I16;
	o.a = convert(p, ISA_TYPE_I8, ISA_TYPE_I16, bytes->a);
	if (!o.has_imm)
		o.b = convert(p, ISA_TYPE_I8, ISA_TYPE_I16, bytes->b);
	z = int_op(p, op, &o, 8);
	z = scalar(p, ASC_OP_VSHR, ASC_I16, scalar(p, ASC_OP_VSHL, ASC_I16, z, 8), 8);
	return convert(p, ISA_TYPE_I16, ISA_TYPE_I8, z);
}

static avk_view byte_op(avk_program *p, enum isa_op op, const operands *o)
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

static avk_view expand_int(avk_program *p, enum isa_op op, enum isa_type type, const avk_view *a, const avk_view *b,
                           bool has_imm, uint32_t imm)
{
	operands o = {.type = avk_type(type), .a = *a, .has_imm = has_imm, .imm = sign_extended(type, imm)};
	avk_view y, both, either;

	if (b)
		o.b = *b;
	switch (op) {
	case ISA_OP_COPY:
		return avk_copy(p, type, a);
	case ISA_OP_NOT:
		return bitwise(p, ASC_OP_VNOT, type, *a, NULL);
	case ISA_OP_AND:
	case ISA_OP_OR:
	case ISA_OP_XOR:
		if (has_imm && type == ISA_TYPE_I8)
			y = splat(p, ASC_I16, (int64_t)((uint8_t)imm * 0x101U));
		else
			y = second(p, &o);
		if (op != ISA_OP_XOR)
			return bitwise(p, op == ISA_OP_AND ? ASC_OP_VAND : ASC_OP_VOR, type, *a, &y);
		both = bitwise(p, ASC_OP_VAND, type, *a, &y);
		both = bitwise(p, ASC_OP_VNOT, type, both, NULL);
		either = bitwise(p, ASC_OP_VOR, type, *a, &y);
		return bitwise(p, ASC_OP_VAND, type, either, &both);
	default:
		return type == ISA_TYPE_I8 ? byte_op(p, op, &o) : int_op(p, op, &o, bits_of(o.type));
	}
}

avk_view avk_expand(avk_program *p, enum isa_op op, enum isa_type from, enum isa_type to, const avk_view *a,
                    const avk_view *b, bool has_imm, uint32_t imm)
{
	bool floating = from == ISA_TYPE_F16 || from == ISA_TYPE_F32;

	if (op == ISA_OP_CVT && from != to)
		return convert(p, from, to, *a);
	if (op == ISA_OP_CVT)
		op = ISA_OP_COPY;
	return floating ? expand_float(p, op, from, to, a, b, has_imm, imm)
	                : expand_int(p, op, from, a, b, has_imm, imm);
}
