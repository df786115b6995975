/* SPDX-License-Identifier: Apache-2.0
 *
 * Number formats written from their definitions, independent of isa/num.c, and seeded data.  See model_values.h.
 */
#include "tests/unit/model_values.h"

#include <math.h>
#include <string.h>

double values_half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double fraction = h & 1023;
	double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
	                   : exponent == 0 ? ldexp(fraction, -24)
	                                   : ldexp(1024 + fraction, exponent - 25);

	return h & 0x8000 ? -magnitude : magnitude;
}

uint16_t values_half_of(double x)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0;
	double a = fabs(x);
	int exponent;
	double unit, n;

	if (isnan(x))
		return 0x7e00;
	if (isinf(x))
		return sign | 0x7c00;
	frexp(a, &exponent);                                        /* a = f * 2^exponent, f in [0.5, 1) */
	unit = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11); /* 11 significant bits */
	n = nearbyint(a / unit) * unit;
	if (n >= 65520)
		return sign | 0x7c00;
	if (n < ldexp(1, -14))
		return sign | (uint16_t)ldexp(n, 24);
	frexp(n, &exponent);
	return (uint16_t)(sign | (exponent + 14) << 10 | ((int)ldexp(n, 11 - exponent) & 1023));
}

float values_float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

uint32_t values_bits_of(float f)
{
	uint32_t bits;

	if (isnan(f))
		return 0x7fc00000;
	memcpy(&bits, &f, 4);
	return bits;
}

bool values_is_float(int type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

unsigned values_width(int type)
{
	static const unsigned width[] = {1, 2, 4, 2, 4};

	return width[type];
}

/* An element as a double (exact for all types). */
double values_element(const uint8_t *data, unsigned i, int type)
{
	int16_t i16;
	int32_t i32;
	uint16_t u16;
	uint32_t u32;

	switch (type) {
	case ISA_TYPE_I8:
		return (int8_t)data[i];
	case ISA_TYPE_I16:
		memcpy(&i16, data + 2 * i, 2);
		return i16;
	case ISA_TYPE_I32:
		memcpy(&i32, data + 4 * i, 4);
		return i32;
	case ISA_TYPE_F16:
		memcpy(&u16, data + 2 * i, 2);
		return values_half_value(u16);
	default:
		memcpy(&u32, data + 4 * i, 4);
		return (double)values_float_of(u32);
	}
}

/* Stores an integer, wrapped to the type. */
void values_put_integer(uint8_t *data, unsigned i, int type, int64_t value)
{
	memcpy(data + i * values_width(type), &value, values_width(type));
}

void values_put_float(uint8_t *data, unsigned i, int type, float value)
{
	uint16_t half = values_half_of((double)value);
	uint32_t bits = values_bits_of(value);

	if (type == ISA_TYPE_F16)
		memcpy(data + 2 * i, &half, 2);
	else
		memcpy(data + 4 * i, &bits, 4);
}

void values_fill(rng *random, uint8_t *data, unsigned lanes, int type)
{
	static const uint16_t halves[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
	                                  0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x4200, 0x1400};
	static const uint32_t floats[] = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
	                                  0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001,
	                                  0x33000000, 0x38800000, 0x477fefff, 0x477ff000};

	for (unsigned i = 0; i < lanes * values_width(type); i++)
		data[i] = (uint8_t)rng_below(random, 256);
	for (unsigned i = 0; i < lanes; i++) {
		float small = (float)((double)rng_below(random, 2001) / 250 - 4);

		if (!values_is_float(type)) {
			if (rng_below(random, 4) == 0)
				values_put_integer(data, i, type, (int64_t)rng_below(random, 9) - 4);
			continue;
		}
		values_put_float(data, i, type, small);
		if (rng_below(random, 3))
			continue;
		if (type == ISA_TYPE_F16)
			memcpy(data + 2 * i, &halves[rng_below(random, 16)], 2);
		else
			memcpy(data + 4 * i, &floats[rng_below(random, 16)], 4);
	}
}

void values_image(GString *text, uint64_t location, const uint8_t *data, unsigned bytes)
{
	g_string_append_printf(text, ".image %u %u\n.hex ", (unsigned)location, bytes);
	for (unsigned i = 0; i < bytes; i++)
		g_string_append_printf(text, "%02x", data[i]);
	g_string_append(text, "\n");
}

void values_read(rig *r, uint64_t location, uint8_t *out, unsigned bytes)
{
	CU_ASSERT_TRUE_FATAL(tsp_chip_read(r->chip, location, out, bytes));
}

/* Compares, with a note on the first difference. */
void values_compare(const char *what, const uint8_t *got, const uint8_t *want, unsigned n, unsigned width)
{
	for (unsigned i = 0; i < n; i++)
		if (memcmp(got + i * width, want + i * width, width) != 0) {
			uint32_t g = 0, w = 0;

			memcpy(&g, got + i * width, width);
			memcpy(&w, want + i * width, width);
			tap_note("%s: lane %u is 0x%x, expected 0x%x", what, i, g, w);
			CU_FAIL("a lane differs");
			return;
		}
}
