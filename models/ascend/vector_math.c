/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of vector instructions, repeat by repeat: every source of a repeat is read before its result is written, so
 * that an instruction whose destination and second source have stride 0 accumulates, as documented.
 *
 * Floating results are computed exactly or in double and rounded once to their type, to nearest even (mla and axpy too:
 * one rounding for product and sum); exp and rsqrt are correctly rounded to fp32 first.  Denormals are kept, overflow
 * gives infinity, NaN results are canonical; max and min of a NaN are NaN, +0 is above -0.  Integers wrap; conversions
 * saturate, NaN gives 0.  docs/ascend.md lists what is published and what is our choice.  Not modelled: the
 * approximations of the hardware's reciprocal, square roots, exp and ln; floating operations on integers leave the
 * destination alone.
 */
#include "isa/num.h"
#include "models/ascend/vector_int.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

bool asc_is_float(enum asc_type type)
{
	return type == ASC_F16 || type == ASC_BF16 || type == ASC_F32;
}

static bool is_signed(enum asc_type type)
{
	return type == ASC_I8 || type == ASC_I16 || type == ASC_I32;
}

/* ---- formats ---- */

enum rounding { ROUND_NONE, ROUND_RINT, ROUND_FLOOR, ROUND_CEIL, ROUND_AWAY, ROUND_TRUNC, ROUND_ODD };

static double round_integral(double x, int64_t mode)
{
	switch (mode) {
	case ROUND_FLOOR:
		return floor(x);
	case ROUND_CEIL:
		return ceil(x);
	case ROUND_AWAY:
		return round(x);
	case ROUND_TRUNC:
		return trunc(x);
	case ROUND_ODD: {
		double t = trunc(x);

		return t == x || fmod(t, 2) != 0 ? t : t + copysign(1, x);
	}
	default:
		return nearbyint(x); /* to even: the mode no one changes */
	}
}

typedef struct float_format {
	int precision, least_exponent, greatest_exponent;
} float_format;

static float_format format_of(enum asc_type type)
{
	switch (type) {
	case ASC_F16:
		return (float_format){11, -14, 15};
	case ASC_BF16:
		return (float_format){8, -126, 127};
	default:
		return (float_format){24, -126, 127};
	}
}

/* X rounded to the values of a floating type. */
static double round_to(double x, enum asc_type type, int64_t mode)
{
	float_format to = format_of(type);
	double greatest = ldexp(2 - ldexp(1, 1 - to.precision), to.greatest_exponent), y;
	int quantum;

	if (x == 0 || isnan(x) || isinf(x))
		return x;
	quantum = MAX(ilogb(x), to.least_exponent) - (to.precision - 1);
	y = copysign(ldexp(round_integral(ldexp(x, -quantum), mode), quantum), x);
	if (fabs(y) <= greatest)
		return y;
	switch (mode) {
	case ROUND_FLOOR:
		return x > 0 ? greatest : -INFINITY;
	case ROUND_CEIL:
		return x > 0 ? INFINITY : -greatest;
	case ROUND_TRUNC:
	case ROUND_ODD:
		return copysign(greatest, x);
	default:
		return copysign(INFINITY, x);
	}
}

/* Y is a value of the type, or NaN. */
static uint64_t float_bits(double y, enum asc_type type)
{
	if (type == ASC_F16)
		return isnan(y) ? 0x7e00 : num_f64_to_f16(y);
	if (type == ASC_BF16)
		return isnan(y) ? 0x7fc0 : num_f32_bits((float)y) >> 16;
	return isnan(y) ? 0x7fc00000 : num_f32_bits((float)y);
}

static int64_t wrap(int64_t x, enum asc_type type)
{
	switch (type) {
	case ASC_I8:
		return (int8_t)x;
	case ASC_U8:
		return (uint8_t)x;
	case ASC_I16:
		return (int16_t)x;
	case ASC_U16:
		return (uint16_t)x;
	case ASC_I32:
		return (int32_t)x;
	default:
		return (uint32_t)x;
	}
}

asc_lane asc_lane_of_bits(uint64_t bits, enum asc_type type)
{
	asc_lane v = {.bits = bits};

	if (type == ASC_F16)
		v.f = num_f16_to_f32((num_f16)bits);
	else if (type == ASC_BF16)
		v.f = num_bits_f32((uint32_t)(bits & 0xffff) << 16);
	else if (type == ASC_F32)
		v.f = num_bits_f32((uint32_t)bits);
	else
		v.i = wrap((int64_t)bits, type);
	return v;
}

asc_lane asc_lane_of_float(double f, enum asc_type type)
{
	double y;

	if (type == ASC_F32)
		return (asc_lane){.f = (float)f, .bits = float_bits(f, type)};
	y = round_to(f, type, ROUND_RINT);
	return (asc_lane){.f = y, .bits = float_bits(y, type)};
}

asc_lane asc_lane_of_integer(int64_t i, enum asc_type type)
{
	int64_t y = wrap(i, type);

	return (asc_lane){.i = y, .bits = (uint64_t)y};
}

/* ---- memory ---- */

static uint8_t *ub_at(asc_data *data, uint64_t address, uint64_t bytes)
{
	return asc_data_at(data, ASC_UB, address, bytes);
}

static uint64_t get_bits(const uint8_t *p, unsigned bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, p, MIN(bytes, sizeof bits));
	return bits;
}

static void put_bits(uint8_t *p, uint64_t bits, unsigned bytes)
{
	memcpy(p, &bits, MIN(bytes, sizeof bits));
}

uint8_t *asc_lane_at(const asc_vop_operand *p, asc_data *data, unsigned repeat, unsigned i)
{
	unsigned offset = i * p->lane_bytes;
	int64_t block = p->block_bytes * (int64_t)(offset / BLOCK) + p->repeat_bytes * (int64_t)repeat;

	return ub_at(data, p->address + (uint64_t)block + offset % BLOCK, p->lane_bytes);
}

static bool lane_on(const asc_vop *o, const asc_vop_operand *p, unsigned repeat, unsigned i)
{
	return !p->masked || asc_vop_active(o, repeat, i);
}

/* Reads what lies inside the buffer; the rest is zero. */
void asc_lanes_load(const asc_vop *o, const asc_vop_operand *p, enum asc_type type, asc_data *data, unsigned repeat,
                    asc_lane *out)
{
	for (unsigned i = 0; i < p->lanes; i++) {
		const uint8_t *at = lane_on(o, p, repeat, i) ? asc_lane_at(p, data, repeat, i) : NULL;

		out[i] = asc_lane_of_bits(at ? get_bits(at, p->lane_bytes) : 0, type);
	}
}

void asc_lane_store(const asc_vop_operand *p, asc_data *data, unsigned repeat, unsigned i, uint64_t bits)
{
	uint8_t *at = asc_lane_at(p, data, repeat, i);

	if (at)
		put_bits(at, bits, p->lane_bytes);
}

/* ---- asc_lane by lane ---- */

/* a + b with the last bit odd when inexact, so that one more rounding is the only one. */
static double add_odd(double a, double b)
{
	double s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
	uint64_t bits;

	if (error == 0 || isnan(error) || isinf(s))
		return s;
	memcpy(&bits, &s, sizeof bits);
	if (!(bits & 1))
		bits += (error > 0) == (s > 0) ? 1 : (uint64_t)-1;
	memcpy(&s, &bits, sizeof bits);
	return s;
}

static double greater(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	if (a == 0 && b == 0)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return -greater(-a, -b);
}

/* False where the operation is not one of floating types. */
static bool float_op(enum asc_op op, double a, double b, double d, double s, double *z)
{
	switch (op) {
	case ASC_OP_VABS:
		*z = fabs(a);
		break;
	case ASC_OP_VRELU:
		*z = greater(a, 0);
		break;
	case ASC_OP_VEXP:
		*z = num_exp_f32((float)a);
		break;
	case ASC_OP_VLN:
		*z = log(a);
		break;
	case ASC_OP_VSQRT:
		*z = sqrt(a);
		break;
	case ASC_OP_VRSQRT:
		*z = num_rsqrt_f32((float)a);
		break;
	case ASC_OP_VREC:
		*z = 1 / a;
		break;
	case ASC_OP_VADD:
		*z = a + b;
		break;
	case ASC_OP_VSUB:
		*z = a - b;
		break;
	case ASC_OP_VMUL:
		*z = a * b;
		break;
	case ASC_OP_VDIV:
		*z = a / b;
		break;
	case ASC_OP_VMAX:
		*z = greater(a, b);
		break;
	case ASC_OP_VMIN:
		*z = smaller(a, b);
		break;
	case ASC_OP_VMLA:
		*z = add_odd(a * b, d);
		break;
	case ASC_OP_VADDS:
		*z = a + s;
		break;
	case ASC_OP_VMULS:
		*z = a * s;
		break;
	case ASC_OP_VMAXS:
		*z = greater(a, s);
		break;
	case ASC_OP_VMINS:
		*z = smaller(a, s);
		break;
	case ASC_OP_VLRELU:
		*z = a >= 0 ? a : a * s;
		break;
	case ASC_OP_VAXPY:
		*z = add_odd(a * s, d);
		break;
	default:
		return false;
	}
	return true;
}

static int64_t shifted(int64_t a, int64_t by, unsigned width, bool left)
{
	if (by < 0 || by >= (int64_t)width)
		return left || a >= 0 ? 0 : -1;
	return left ? (int64_t)((uint64_t)a << by) : a >> by;
}

static bool integer_op(const asc_vop *o, int64_t a, int64_t b, int64_t d, int64_t s, int64_t *z)
{
	unsigned width = 8 * asc_type_bytes(o->type);

	switch (o->op) {
	case ASC_OP_VABS:
		*z = a < 0 ? -a : a;
		break;
	case ASC_OP_VRELU:
		*z = MAX(a, 0);
		break;
	case ASC_OP_VADD:
		*z = a + b;
		break;
	case ASC_OP_VSUB:
		*z = a - b;
		break;
	case ASC_OP_VMUL:
		*z = (int64_t)((uint64_t)a * (uint64_t)b);
		break;
	case ASC_OP_VDIV:
		*z = b ? a / b : 0;
		break;
	case ASC_OP_VMAX:
		*z = MAX(a, b);
		break;
	case ASC_OP_VMIN:
		*z = MIN(a, b);
		break;
	case ASC_OP_VMLA:
		*z = (int64_t)((uint64_t)a * (uint64_t)b + (uint64_t)d);
		break;
	case ASC_OP_VADDS:
		*z = a + s;
		break;
	case ASC_OP_VMULS:
		*z = (int64_t)((uint64_t)a * (uint64_t)s);
		break;
	case ASC_OP_VMAXS:
		*z = MAX(a, s);
		break;
	case ASC_OP_VMINS:
		*z = MIN(a, s);
		break;
	case ASC_OP_VLRELU:
		*z = a >= 0 ? a : a * s;
		break;
	case ASC_OP_VAXPY:
		*z = (int64_t)((uint64_t)a * (uint64_t)s + (uint64_t)d);
		break;
	case ASC_OP_VSHL:
		*z = shifted(a, o->scalar & (int64_t)((1ull << width) - 1), width, true);
		break;
	case ASC_OP_VSHR:
		*z = shifted(a, o->scalar & (int64_t)((1ull << width) - 1), width, false);
		break;
	default:
		return false;
	}
	return true;
}

/* Of the bits, whatever the type. */
static bool bit_op(enum asc_op op, uint64_t a, uint64_t b, uint64_t *z)
{
	switch (op) {
	case ASC_OP_VNOT:
		*z = ~a;
		break;
	case ASC_OP_VAND:
		*z = a & b;
		break;
	case ASC_OP_VOR:
		*z = a | b;
		break;
	case ASC_OP_VCOPY:
		*z = a;
		break;
	default:
		return false;
	}
	return true;
}

static uint64_t converted(const asc_vop *o, asc_lane a)
{
	double x = asc_is_float(o->type) ? a.f : (double)a.i, low, high;
	unsigned width;

	if (asc_is_float(o->dtype)) {
		x = round_to(x, o->dtype, o->choice);
		return float_bits(x, o->dtype);
	}
	if (isnan(x))
		return 0;
	width = 8 * asc_type_bytes(o->dtype);
	low = is_signed(o->dtype) ? -ldexp(1, (int)width - 1) : 0;
	high = ldexp(1, (int)width - is_signed(o->dtype)) - 1;
	x = round_integral(x, o->choice);
	return (uint64_t)(int64_t)(x < low ? low : x > high ? high : x);
}

/* Result of one lane; false where it has none. */
static bool lane_op(const asc_vop *o, asc_lane a, asc_lane b, asc_lane d, uint64_t *bits)
{
	asc_lane s = asc_lane_of_bits((uint64_t)o->scalar, o->type);

	if (o->op == ASC_OP_VDUP) {
		*bits = (uint64_t)o->scalar;
		return true;
	}
	if (o->op == ASC_OP_VCONV) {
		*bits = converted(o, a);
		return true;
	}
	if (bit_op(o->op, a.bits, b.bits, bits))
		return true;
	if (asc_is_float(o->type)) {
		double z;

		if (!float_op(o->op, a.f, b.f, d.f, s.f, &z))
			return false;
		*bits = asc_lane_of_float(z, o->type).bits;
	} else {
		int64_t z;

		if (!integer_op(o, a.i, b.i, d.i, s.i, &z))
			return false;
		*bits = asc_lane_of_integer(z, o->type).bits;
	}
	return true;
}

static void each_lane(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane a[ASC_VOP_LANES], b[ASC_VOP_LANES], d[ASC_VOP_LANES];

	memset(a, 0, o->lanes * sizeof *a);
	memset(b, 0, o->lanes * sizeof *b);
	memset(d, 0, o->lanes * sizeof *d);
	if (o->srcs > 0)
		asc_lanes_load(o, &o->src[0], o->type, data, repeat, a);
	if (o->srcs > 1)
		asc_lanes_load(o, &o->src[1], o->type, data, repeat, b);
	if (o->reads_dst)
		asc_lanes_load(o, &o->dst, o->type, data, repeat, d);
	for (unsigned i = 0; i < o->lanes; i++) {
		uint64_t bits;

		if (asc_vop_active(o, repeat, i) && lane_op(o, a[i], b[i], d[i], &bits))
			asc_lane_store(&o->dst, data, repeat, i, bits);
	}
}

void asc_vop_compute(asc_vop *o, asc_data *data)
{
	o->picked = 0;
	for (unsigned n = 0; n < o->repeats; n++)
		if (!asc_vop_move(o, data, n))
			each_lane(o, data, n);
}
