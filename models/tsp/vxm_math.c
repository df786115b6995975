/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector arithmetic: widen, compute, round once.  Integers are computed in int32 (as uint32 where they may wrap) and
 * wrap to their type; floating numbers in fp32, then one rounding to the destination.  For add, sub and mul of fp16 the
 * fp32 result is wide enough that this is one rounding in all.  NaN results are canonical; NaN compares unequal, and is
 * not zero as a mask; converted to an integer it gives 0.
 */
#include "models/tsp/vxm_math.h"
#include "isa/num.h"

#include <math.h>
#include <string.h>

static bool is_float(enum isa_type type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

static int32_t int_max(enum isa_type type)
{
	return type == ISA_TYPE_I8 ? INT8_MAX : type == ISA_TYPE_I16 ? INT16_MAX : INT32_MAX;
}

static int32_t int_min(enum isa_type type)
{
	return -int_max(type) - 1;
}

static int32_t saturate(int64_t value, enum isa_type type)
{
	return (int32_t)(value > int_max(type) ? int_max(type) : value < int_min(type) ? int_min(type) : value);
}

static int32_t wrap_add(int32_t x, int32_t y)
{
	return (int32_t)((uint32_t)x + (uint32_t)y);
}

static int32_t wrap_sub(int32_t x, int32_t y)
{
	return (int32_t)((uint32_t)x - (uint32_t)y);
}

static int32_t wrap_mul(int32_t x, int32_t y)
{
	return (int32_t)((uint32_t)x * (uint32_t)y);
}

/* y modulo the width, for shifts. */
static unsigned shift_of(int32_t y, enum isa_type type)
{
	return (uint32_t)y & (8 * isa_type_bytes(type) - 1);
}

static float float_max(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == 0 && y == 0)
		return signbit(x) ? y : x;
	return x > y ? x : y;
}

static float float_min(float x, float y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == 0 && y == 0)
		return signbit(x) ? x : y;
	return x < y ? x : y;
}

/* The body of an operation that exists for both classes: INTEGER and FLOATING are expressions of a and b. */
#define BOTH(id, INTEGER, FLOATING)                                                                                    \
	void tsp_vxm_##id(tsp_lanes *z, const tsp_lanes *x, const tsp_lanes *y, unsigned n, enum isa_type type)        \
	{                                                                                                              \
		if (is_float(type)) {                                                                                  \
			for (unsigned i = 0; i < n; i++) {                                                             \
				const float a = x->f[i], b = y->f[i];                                                  \
				(void)b;                                                                               \
				z->f[i] = (FLOATING);                                                                  \
			}                                                                                              \
		} else {                                                                                               \
			for (unsigned i = 0; i < n; i++) {                                                             \
				const int32_t a = x->i[i], b = y->i[i];                                                \
				(void)b;                                                                               \
				z->i[i] = (INTEGER);                                                                   \
			}                                                                                              \
		}                                                                                                      \
	}
#define INTEGER_ONLY(id, INTEGER)   BOTH(id, INTEGER, a)
#define FLOATING_ONLY(id, FLOATING) BOTH(id, a, FLOATING)

BOTH(COPY, a, a)
BOTH(CVT, a, a)
BOTH(NEG, wrap_sub(0, a), -a)
BOTH(ABS, a < 0 ? wrap_sub(0, a) : a, fabsf(a))
BOTH(RELU, a > 0 ? a : 0, float_max(0, a))
BOTH(ADD, wrap_add(a, b), a + b)
BOTH(SUB, wrap_sub(a, b), a - b)
BOTH(MUL, wrap_mul(a, b), a *b)
BOTH(MAX, a > b ? a : b, float_max(a, b))
BOTH(MIN, a < b ? a : b, float_min(a, b))
BOTH(EQ, a == b, a == b ? 1.0f : 0.0f)
BOTH(LT, a < b, a < b ? 1.0f : 0.0f)
BOTH(MASK, b ? a : 0, b != 0 ? a : 0.0f)
BOTH(MASK_BAR, b ? 0 : a, b != 0 ? 0.0f : a)
INTEGER_ONLY(NOT, ~a)
INTEGER_ONLY(AND, a &b)
INTEGER_ONLY(OR, a | b)
INTEGER_ONLY(XOR, a ^ b)
INTEGER_ONLY(SHL, (int32_t)((uint32_t)a << shift_of(b, type)))
INTEGER_ONLY(SHR, a >> shift_of(b, type))
INTEGER_ONLY(ADD_SAT, saturate((int64_t)a + b, type))
INTEGER_ONLY(SUB_SAT, saturate((int64_t)a - b, type))
INTEGER_ONLY(MUL_SAT, saturate((int64_t)a *b, type))
FLOATING_ONLY(EXP, num_exp_f32(a))
FLOATING_ONLY(TANH, num_tanh_f32(a))
FLOATING_ONLY(RSQRT, num_rsqrt_f32(a))

static const tsp_vxm_fn functions[ISA_OP_COUNT] = {
#define OP(id, mnemonic, unit, format, timing, needs, doc)
#define VXM_OP(id, mnemonic, arity, types, timing, doc) [ISA_OP_##id] = tsp_vxm_##id,
#include "isa/ops.def"
};

static void unpack(tsp_lanes *z, const uint8_t *from, unsigned n, enum isa_type type)
{
	for (unsigned i = 0; i < n; i++) {
		uint16_t half;

		switch (type) {
		case ISA_TYPE_I8:
			z->i[i] = (int8_t)from[i];
			break;
		case ISA_TYPE_I16:
			memcpy(&half, from + 2 * i, sizeof half);
			z->i[i] = (int16_t)half;
			break;
		case ISA_TYPE_F16:
			memcpy(&half, from + 2 * i, sizeof half);
			z->f[i] = num_f16_to_f32(half);
			break;
		default:
			memcpy(&z->i[i], from + 4 * i, sizeof z->i[i]);
			break;
		}
	}
}

/* An immediate is an integer of the type in its low bits, or an fp32 number whatever the floating type. */
static void unpack_immediate(tsp_lanes *z, uint32_t bits, unsigned n, enum isa_type type)
{
	int32_t value = type == ISA_TYPE_I8 ? (int8_t)bits : type == ISA_TYPE_I16 ? (int16_t)bits : (int32_t)bits;

	for (unsigned i = 0; i < n; i++)
		if (is_float(type))
			z->f[i] = num_bits_f32(bits);
		else
			z->i[i] = value;
}

static void pack_floats(uint8_t *out, const tsp_lanes *x, unsigned n, enum isa_type type)
{
	for (unsigned i = 0; i < n; i++) {
		if (type == ISA_TYPE_F16) {
			uint16_t half = num_f32_to_f16(x->f[i]);

			memcpy(out + 2 * i, &half, sizeof half);
		} else {
			float f = num_canonical(x->f[i]);

			memcpy(out + 4 * i, &f, sizeof f);
		}
	}
}

/* Wraps to the type. */
static void pack_integers(uint8_t *out, const tsp_lanes *x, unsigned n, enum isa_type type)
{
	unsigned width = isa_type_bytes(type);

	for (unsigned i = 0; i < n; i++)
		memcpy(out + i * width, &x->i[i], width);
}

/* Round to nearest even, saturate, NaN gives 0. */
static int32_t float_to_int(float f, enum isa_type type)
{
	double rounded = nearbyint((double)f);

	if (isnan(f))
		return 0;
	if (rounded >= int_max(type))
		return int_max(type);
	if (rounded <= int_min(type))
		return int_min(type);
	return (int32_t)rounded;
}

static void convert(uint8_t *out, const tsp_lanes *x, unsigned n, enum isa_type from, enum isa_type to)
{
	tsp_lanes z;

	if (is_float(from) && is_float(to)) {
		pack_floats(out, x, n, to);
		return;
	}
	if (!is_float(to)) {
		for (unsigned i = 0; i < n; i++)
			z.i[i] = is_float(from) ? float_to_int(x->f[i], to) : saturate(x->i[i], to);
		pack_integers(out, &z, n, to);
		return;
	}
	/* An integer that fp16 can hold at all is exact in fp32: still one rounding. */
	for (unsigned i = 0; i < n; i++)
		z.f[i] = (float)x->i[i];
	pack_floats(out, &z, n, to);
}

void tsp_vxm_compute(const isa_insn *insn, const uint8_t *x, const uint8_t *y, uint8_t *out)
{
	enum isa_type type = (enum isa_type)insn->type;
	enum isa_type to = (enum isa_type)insn->dtype;
	unsigned n = insn->lanes;
	tsp_lanes a, b, z;

	unpack(&a, x, n, type);
	if (y)
		unpack(&b, y, n, type);
	else
		unpack_immediate(&b, insn->imm, n, type);
	if (insn->op == ISA_OP_CVT) {
		convert(out, &a, n, type, to);
		return;
	}
	functions[insn->op](&z, &a, &b, n, type);
	if (is_float(type))
		pack_floats(out, &z, n, to);
	else
		pack_integers(out, &z, n, to);
}
