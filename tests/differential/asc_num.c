/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact numbers and their one rounding, bit by bit.
 */
#include "tests/differential/asc_num.h"

#include <math.h>

typedef unsigned __int128 u128;

typedef struct layout {
	int precision, exponent_bits;
} layout;

static layout layout_of(enum asc_type type)
{
	switch (type) {
	case ASC_F16:
		return (layout){11, 5};
	case ASC_BF16:
		return (layout){8, 8};
	default:
		return (layout){24, 8};
	}
}

bool type_floats(enum asc_type type)
{
	return type == ASC_F16 || type == ASC_BF16 || type == ASC_F32;
}

bool type_signed(enum asc_type type)
{
	return type == ASC_I8 || type == ASC_I16 || type == ASC_I32 || type_floats(type);
}

int64_t type_integer(enum asc_type type, uint64_t bits)
{
	unsigned width = 8 * asc_type_bytes(type);
	uint64_t low = bits & ((1ull << width) - 1);

	return type_signed(type) && low >> (width - 1) ? (int64_t)low - (int64_t)(1ull << width) : (int64_t)low;
}

big big_from_integer(int64_t value)
{
	return (big){BIG_FINITE, value < 0, false, value < 0 ? (u128)(-(__int128)value) : (u128)value, 0};
}

big big_from_bits(enum asc_type type, uint64_t bits)
{
	layout l = layout_of(type);
	int fraction_bits = l.precision - 1, bias = (1 << (l.exponent_bits - 1)) - 1;
	uint64_t fraction, exponent;
	big x = {BIG_FINITE, false, false, 0, 0};

	if (!type_floats(type))
		return big_from_integer(type_integer(type, bits));
	fraction = bits & ((1ull << fraction_bits) - 1);
	exponent = bits >> fraction_bits & ((1ull << l.exponent_bits) - 1);
	x.negative = bits >> (fraction_bits + l.exponent_bits) & 1;
	if (exponent == (1ull << l.exponent_bits) - 1) {
		x.class = fraction ? BIG_NAN : BIG_INFINITE;
		return x;
	}
	x.mantissa = exponent ? fraction | 1ull << fraction_bits : fraction;
	x.exponent = (exponent ? (int)exponent : 1) - bias - fraction_bits;
	return x;
}

big big_from_long_double(long double value, bool inexact)
{
	big x = {BIG_FINITE, signbit(value) != 0, inexact, 0, 0};

	if (isnan(value))
		x.class = BIG_NAN;
	else if (isinf(value))
		x.class = BIG_INFINITE;
	else if (value != 0) {
		x.mantissa = (u128)ldexpl(frexpl(fabsl(value), &x.exponent), 64);
		x.exponent -= 64;
	}
	return x;
}

static int bit_length(u128 m)
{
	int n = 0;

	for (; m; m >>= 1)
		n++;
	return n;
}

/* MANTISSA x 2^EXPONENT as a whole number of 2^QUANTUM, rounded as MODE says. */
static u128 round_to_quantum(const big *x, int quantum, enum rounding mode)
{
	int shift = quantum - x->exponent;
	u128 whole, rest, half;
	bool more, tie;

	if (x->mantissa == 0 && !x->inexact)
		return 0;
	if (shift <= 0) {
		whole = x->mantissa << -shift;
		more = false;
		tie = false;
		rest = 0;
	} else if (shift > 127) {
		whole = 0;
		more = false;
		tie = false;
		rest = x->mantissa;
	} else {
		whole = x->mantissa >> shift;
		rest = x->mantissa & (((u128)1 << shift) - 1);
		half = (u128)1 << (shift - 1);
		more = rest > half || (rest == half && x->inexact);
		tie = rest == half && !x->inexact;
	}
	if (rest == 0 && !x->inexact)
		return whole;
	switch (mode) {
	case ROUND_DOWN:
		return whole + x->negative;
	case ROUND_UP:
		return whole + !x->negative;
	case ROUND_ZERO:
		return whole;
	case ROUND_ODD:
		return whole | 1;
	case ROUND_AWAY:
		return whole + (more || tie);
	default:
		return whole + (more || (tie && (whole & 1)));
	}
}

static uint64_t round_to_integer(big x, enum asc_type type, enum rounding mode)
{
	unsigned width = 8 * asc_type_bytes(type);
	int64_t max = (int64_t)((1ull << (type_signed(type) ? width - 1 : width)) - 1);
	int64_t min = type_signed(type) ? -max - 1 : 0, value;
	u128 whole;

	if (x.class == BIG_NAN)
		return 0;
	if (x.class == BIG_INFINITE || bit_length(x.mantissa) + x.exponent > 40) {
		value = x.negative ? min : max;
	} else {
		whole = round_to_quantum(&x, 0, mode);
		value = x.negative ? -(int64_t)whole : (int64_t)whole;
		value = MIN(MAX(value, min), max);
	}
	return (uint64_t)value & ((1ull << width) - 1);
}

uint64_t big_round(big x, enum asc_type type, enum rounding mode)
{
	layout l = layout_of(type);
	int fraction_bits = l.precision - 1, bias = (1 << (l.exponent_bits - 1)) - 1, quantum;
	uint64_t infinity, sign;
	u128 whole;

	if (!type_floats(type))
		return round_to_integer(x, type, mode);
	infinity = ((1ull << l.exponent_bits) - 1) << fraction_bits;
	sign = (uint64_t)x.negative << (fraction_bits + l.exponent_bits);
	if (x.class == BIG_NAN)
		return infinity | 1ull << (fraction_bits - 1);
	if (x.class == BIG_INFINITE)
		return sign | infinity;
	if (x.mantissa == 0 && !x.inexact)
		return sign;
	quantum = MAX(bit_length(x.mantissa) + x.exponent - 1, 1 - bias) - fraction_bits;
	whole = round_to_quantum(&x, quantum, mode);
	if (whole >> l.precision) { /* carried into the next binade: the low bit is 0 */
		whole >>= 1;
		quantum++;
	}
	if (!(whole >> fraction_bits)) /* subnormal */
		return sign | (uint64_t)whole;
	if (quantum + fraction_bits > bias)
		return sign | (infinity - (mode == ROUND_ZERO || mode == ROUND_ODD ||
		                           (mode == ROUND_DOWN && !x.negative) || (mode == ROUND_UP && x.negative)));
	return sign | (uint64_t)(quantum + fraction_bits + bias) << fraction_bits |
	       ((uint64_t)whole & ((1ull << fraction_bits) - 1));
}

static big not_a_number(void)
{
	return (big){BIG_NAN, false, false, 0, 0};
}

big big_negate(big a)
{
	a.negative = !a.negative;
	return a;
}

/* Makes the mantissa as long as 120 bits, so that what is shifted out of the other stays below its last bit. */
static big stretched(big a)
{
	int room = 120 - bit_length(a.mantissa);

	a.mantissa <<= room;
	a.exponent -= room;
	return a;
}

/* Both nonzero, |a| has the higher first bit. */
static big add_finite(big a, big b)
{
	int shift;

	a = stretched(a);
	b = stretched(b);
	shift = a.exponent - b.exponent;
	/* What is shifted out of b: the sum is inexact, and for a difference one is borrowed to keep it "a little
	 * more". */
	b.inexact = shift > 127 ? true : (b.mantissa & (((u128)1 << shift) - 1)) != 0;
	b.mantissa = shift > 127 ? 0 : b.mantissa >> shift;
	if (a.negative == b.negative) {
		a.mantissa += b.mantissa;
		a.inexact = b.inexact;
		return a;
	}
	if (b.inexact)
		b.mantissa++;
	if (b.mantissa > a.mantissa) {
		a.mantissa = b.mantissa - a.mantissa;
		a.negative = b.negative;
	} else {
		a.mantissa -= b.mantissa;
	}
	a.inexact = b.inexact;
	if (a.mantissa == 0)
		a.negative = false;
	return a;
}

big big_add(big a, big b)
{
	if (a.class == BIG_NAN || b.class == BIG_NAN)
		return not_a_number();
	if (a.class == BIG_INFINITE && b.class == BIG_INFINITE && a.negative != b.negative)
		return not_a_number();
	if (a.class == BIG_INFINITE)
		return a;
	if (b.class == BIG_INFINITE)
		return b;
	if (a.mantissa == 0 && b.mantissa == 0)
		return (big){BIG_FINITE, a.negative && b.negative, false, 0, 0};
	if (a.mantissa == 0)
		return b;
	if (b.mantissa == 0)
		return a;
	return bit_length(a.mantissa) + a.exponent >= bit_length(b.mantissa) + b.exponent ? add_finite(a, b)
	                                                                                  : add_finite(b, a);
}

big big_mul(big a, big b)
{
	big x = {BIG_FINITE, a.negative != b.negative, false, 0, a.exponent + b.exponent};

	if (a.class == BIG_NAN || b.class == BIG_NAN)
		return not_a_number();
	if (a.class == BIG_INFINITE || b.class == BIG_INFINITE) {
		if ((a.class == BIG_FINITE && a.mantissa == 0) || (b.class == BIG_FINITE && b.mantissa == 0))
			return not_a_number();
		x.class = BIG_INFINITE;
		return x;
	}
	x.mantissa = a.mantissa * b.mantissa;
	return x;
}

big big_div(big a, big b)
{
	big x = {BIG_FINITE, a.negative != b.negative, false, 0, 0};

	if (a.class == BIG_NAN || b.class == BIG_NAN || (a.class == BIG_INFINITE && b.class == BIG_INFINITE))
		return not_a_number();
	if (b.class == BIG_FINITE && b.mantissa == 0) {
		if (a.class == BIG_FINITE && a.mantissa == 0)
			return not_a_number();
		x.class = BIG_INFINITE;
		return x;
	}
	if (a.class == BIG_INFINITE) {
		x.class = BIG_INFINITE;
		return x;
	}
	if (b.class == BIG_INFINITE || a.mantissa == 0)
		return x;
	a = stretched(a);
	x.mantissa = a.mantissa / b.mantissa;
	x.inexact = a.mantissa % b.mantissa != 0;
	x.exponent = a.exponent - b.exponent;
	return x;
}

/* The largest number whose square is at most N. */
static u128 integer_root(u128 n)
{
	u128 root = 0;

	for (int bit = 63; bit >= 0; bit--) {
		u128 next = root | (u128)1 << bit;

		if (next * next <= n)
			root = next;
	}
	return root;
}

big big_sqrt(big a)
{
	u128 root;

	if (a.class == BIG_NAN || (a.class == BIG_FINITE && a.mantissa == 0))
		return a;
	if (a.negative)
		return not_a_number();
	if (a.class == BIG_INFINITE)
		return a;
	a = stretched(a);
	if (a.exponent & 1) {
		a.mantissa <<= 1;
		a.exponent--;
	}
	root = integer_root(a.mantissa);
	a.inexact = root * root != a.mantissa;
	a.mantissa = root;
	a.exponent /= 2;
	return a;
}

big big_rsqrt(big a)
{
	u128 one = (u128)1 << 124, root;

	if (a.class == BIG_NAN)
		return a;
	if (a.class == BIG_FINITE && a.mantissa == 0) {
		a.class = BIG_INFINITE;
		return a;
	}
	if (a.negative)
		return not_a_number();
	if (a.class == BIG_INFINITE)
		return (big){BIG_FINITE, false, false, 0, 0};
	if (a.exponent & 1) {
		a.mantissa <<= 1;
		a.exponent--;
	}
	root = integer_root(one / a.mantissa);
	a.inexact = one % a.mantissa != 0 || root * root != one / a.mantissa;
	a.mantissa = root;
	a.exponent = -62 - a.exponent / 2;
	return a;
}

int big_compare(big a, big b)
{
	big d;

	if (a.class == BIG_INFINITE && b.class == BIG_INFINITE)
		return (int)b.negative - (int)a.negative;
	d = big_add(a, big_negate(b));
	return d.class == BIG_FINITE && d.mantissa == 0 && !d.inexact ? 0 : d.negative ? -1 : 1;
}
