/* SPDX-License-Identifier: Apache-2.0
 *
 * Number formats: IEEE binary16 <-> binary32, one rounding each, denormals kept, NaN canonical; exp, tanh and 1/sqrt
 * correctly rounded to binary32.  The functions are evaluated in double; where the double result, give or take the
 * library's error bound, does not decide the rounding, in long double.  Results do not depend on the rounding mode
 * being changed by anyone: nothing here changes it, round to nearest is assumed.
 */
#include "isa/num.h"

#include <math.h>
#include <string.h>

enum { F16_NAN = 0x7e00, F16_INF = 0x7c00 };
#define F32_NAN UINT32_C(0x7fc00000)

uint32_t num_f32_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

float num_bits_f32(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

float num_canonical(float f)
{
	return isnan(f) ? num_bits_f32(F32_NAN) : f;
}

float num_f16_to_f32(num_f16 h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t exponent = h >> 10 & 31;
	uint32_t fraction = h & 0x3ff;

	if (exponent == 31)
		return num_bits_f32(fraction ? F32_NAN : sign | 0x7f800000);
	if (exponent == 0) {
		float magnitude = (float)fraction * 0x1p-24f;

		return sign ? -magnitude : magnitude;
	}
	return num_bits_f32(sign | (exponent + 112) << 23 | fraction << 13);
}

/* VALUE shifted right by SHIFT (1..63), rounded to nearest, ties to even. */
static uint64_t shift_round(uint64_t value, unsigned shift)
{
	uint64_t half = UINT64_C(1) << (shift - 1);
	uint64_t rest = value & ((half << 1) - 1);
	uint64_t result = value >> shift;

	if (rest > half || (rest == half && (result & 1)))
		result++;
	return result;
}

num_f16 num_f64_to_f16(double d)
{
	uint64_t bits;
	uint16_t sign;
	int exponent;
	uint64_t fraction;

	memcpy(&bits, &d, sizeof bits);
	sign = (uint16_t)(bits >> 48 & 0x8000);
	exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	fraction = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent == 1024)
		return fraction ? F16_NAN : (num_f16)(sign | F16_INF);
	if (exponent >= 16)
		return (num_f16)(sign | F16_INF);
	if (exponent < -25) /* below half the least denormal; -25 itself is a tie only with an empty fraction */
		return sign;
	fraction |= UINT64_C(1) << 52;
	if (exponent < -14) /* denormal: unit 2^-24.  A carry into the exponent is the right answer */
		return (num_f16)(sign | shift_round(fraction, (unsigned)(28 - exponent)));
	/* 11 significant bits; the hidden one adds 1 to the exponent field, and so does a carry out of the fraction */
	return (num_f16)(sign | (((uint64_t)(exponent + 14) << 10) + shift_round(fraction, 42)));
}

num_f16 num_f32_to_f16(float f)
{
	return num_f64_to_f16((double)f);
}

/* Rounds APPROXIMATE, known within a relative 2^-48, if that decides the float; else the caller needs more digits. */
static int decides(double approximate, float *result)
{
	float low = (float)(approximate * (1 - 0x1p-48));
	float high = (float)(approximate * (1 + 0x1p-48));

	*result = low;
	return low == high;
}

float num_exp_f32(float x)
{
	float result;

	if (isnan(x))
		return num_bits_f32(F32_NAN);
	if (decides(exp((double)x), &result))
		return result;
	return (float)expl((long double)x);
}

float num_tanh_f32(float x)
{
	float result;

	if (isnan(x))
		return num_bits_f32(F32_NAN);
	if (x == 0)
		return x;
	if (decides(tanh((double)x), &result))
		return result;
	return (float)tanhl((long double)x);
}

float num_rsqrt_f32(float x)
{
	float result;

	if (isnan(x) || x < 0)
		return num_bits_f32(F32_NAN);
	if (x == 0)
		return num_bits_f32(signbit(x) ? 0xff800000 : 0x7f800000);
	if (decides(1 / sqrt((double)x), &result))
		return result;
	return (float)(1 / sqrtl((long double)x));
}
