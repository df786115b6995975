/* SPDX-License-Identifier: Apache-2.0
 *
 * Number formats and functions against exhaustive round trips, hand-derived ties and long double.
 * TSPSIM_LONG in the environment multiplies the random inputs by 100.
 */
#include "isa/num.h"
#include "tests/isa/support.h"

#include <math.h>

static void every_fp16_survives_fp32_and_back(void)
{
	for (uint32_t bits = 0; bits < 65536; bits++) {
		num_f16 h = (num_f16)bits;
		float f = num_f16_to_f32(h);
		bool is_nan = (bits & 0x7fff) > 0x7c00;

		CU_ASSERT_EQUAL(num_f32_to_f16(f), is_nan ? 0x7e00 : h);
		CU_ASSERT_EQUAL(num_f64_to_f16((double)f), is_nan ? 0x7e00 : h);
		if (is_nan)
			CU_ASSERT_EQUAL(num_f32_bits(f), 0x7fc00000);
	}
}

static void fp16_values_are_the_defined_ones(void)
{
	CU_ASSERT_EQUAL(num_f16_to_f32(0x3c00), 1.0f);
	CU_ASSERT_EQUAL(num_f16_to_f32(0xc000), -2.0f);
	CU_ASSERT_EQUAL(num_f16_to_f32(0x7bff), 65504.0f);
	CU_ASSERT_EQUAL(num_f16_to_f32(0x0001), 0x1p-24f);
	CU_ASSERT_EQUAL(num_f16_to_f32(0x03ff), 1023 * 0x1p-24f);
	CU_ASSERT_EQUAL(num_f16_to_f32(0x0400), 0x1p-14f);
	CU_ASSERT_EQUAL(num_f32_bits(num_f16_to_f32(0x8000)), 0x80000000);
	CU_ASSERT_EQUAL(num_f32_bits(num_f16_to_f32(0xfc00)), 0xff800000);
}

/* Between each two neighbouring finite fp16 numbers: the middle goes to the even one, a hair to either side to its own
 * neighbour.  This covers every binade, the denormals and the step to infinity (65520 = middle of 65504 and 65536). */
static void ties_go_to_even_everywhere(void)
{
	for (uint32_t bits = 0; bits < 0x7c00; bits++) {
		double low = (double)num_f16_to_f32((num_f16)bits);
		double high = bits == 0x7bff ? 65536 : (double)num_f16_to_f32((num_f16)(bits + 1));
		double middle = (low + high) / 2;
		uint32_t even = bits & 1 ? bits + 1 : bits;

		CU_ASSERT_EQUAL(num_f64_to_f16(middle), even);
		CU_ASSERT_EQUAL(num_f64_to_f16(-middle), even | 0x8000);
		CU_ASSERT_EQUAL(num_f64_to_f16(nextafter(middle, 0)), bits);
		CU_ASSERT_EQUAL(num_f64_to_f16(nextafter(middle, INFINITY)), bits + 1);
	}
}

/* 1 + 2^-11 + 2^-40 is above the tie 1 + 2^-11; through fp32 the tail is lost and the tie would go down to 1. */
static void fp64_to_fp16_rounds_once(void)
{
	CU_ASSERT_EQUAL(num_f64_to_f16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
	CU_ASSERT_EQUAL(num_f32_to_f16((float)(1 + 0x1p-11 + 0x1p-40)), 0x3c00);
}

static void extremes_of_fp64_become_zero_or_infinity(void)
{
	CU_ASSERT_EQUAL(num_f64_to_f16(1e300), 0x7c00);
	CU_ASSERT_EQUAL(num_f64_to_f16(-1e300), 0xfc00);
	CU_ASSERT_EQUAL(num_f64_to_f16(1e-300), 0x0000);
	CU_ASSERT_EQUAL(num_f64_to_f16(-1e-300), 0x8000);
	CU_ASSERT_EQUAL(num_f64_to_f16(0x1p-1074), 0x0000);
	CU_ASSERT_EQUAL(num_f64_to_f16(INFINITY), 0x7c00);
	CU_ASSERT_EQUAL(num_f64_to_f16((double)NAN), 0x7e00);
	CU_ASSERT_EQUAL(num_f64_to_f16(-(double)NAN), 0x7e00);
}

static void nan_is_canonical(void)
{
	CU_ASSERT_EQUAL(num_f32_bits(num_canonical(num_bits_f32(0xffc12345))), 0x7fc00000);
	CU_ASSERT_EQUAL(num_f32_bits(num_canonical(num_bits_f32(0x80000001))), 0x80000001);
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(num_bits_f32(0xff800001))), 0x7fc00000);
	CU_ASSERT_EQUAL(num_f32_bits(num_tanh_f32(num_bits_f32(0xffc00000))), 0x7fc00000);
	CU_ASSERT_EQUAL(num_f32_bits(num_rsqrt_f32(num_bits_f32(0x7f800001))), 0x7fc00000);
	CU_ASSERT_EQUAL(num_f32_bits(num_rsqrt_f32(-1.0f)), 0x7fc00000);
}

static void functions_at_their_special_points(void)
{
	CU_ASSERT_EQUAL(num_exp_f32(0.0f), 1.0f);
	CU_ASSERT_EQUAL(num_exp_f32(-0.0f), 1.0f);
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(-INFINITY)), 0);
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(INFINITY)), 0x7f800000);
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(1.0f)), 0x402df854);  /* e = 2.71828182845904523536 */
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(89.0f)), 0x7f800000); /* ln FLT_MAX = 88.72... */
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(-104.0f)), 0);        /* ln 2^-150 = -103.97... */
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(-103.0f)),
	                1); /* e^-103 = 2^-148.6 = 2.6/2^150: one denormal unit is 2^-149 */
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(0x1p-26f)), 0x3f800000);
	CU_ASSERT_EQUAL(num_tanh_f32(INFINITY), 1.0f);
	CU_ASSERT_EQUAL(num_tanh_f32(-INFINITY), -1.0f);
	CU_ASSERT_EQUAL(num_f32_bits(num_tanh_f32(-0.0f)), 0x80000000);
	CU_ASSERT_EQUAL(num_f32_bits(num_tanh_f32(num_bits_f32(1))), 1); /* x - x^3/3 rounds to x */
	CU_ASSERT_EQUAL(num_rsqrt_f32(4.0f), 0.5f);
	CU_ASSERT_EQUAL(num_rsqrt_f32(0x1p-148f), 0x1p74f);
	CU_ASSERT_EQUAL(num_f32_bits(num_rsqrt_f32(0.0f)), 0x7f800000);
	CU_ASSERT_EQUAL(num_f32_bits(num_rsqrt_f32(-0.0f)), 0xff800000);
	CU_ASSERT_EQUAL(num_rsqrt_f32(INFINITY), 0.0f);
}

/* e^-(2^-25) = 1 - 2^-25 + 2^-51 lies above the middle 1 - 2^-25 of 1 and its lower neighbour by a relative 2^-51:
 * double alone does not decide, 1 is right.  The next float down, -(2^-25 + 2^-48), lies below it. */
static void exp_is_right_next_to_a_rounding_boundary(void)
{
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(-0x1p-25f)), 0x3f800000);
	CU_ASSERT_EQUAL(num_f32_bits(num_exp_f32(nextafterf(-0x1p-25f, -1))), 0x3f7fffff);
}

static float from_long_double(long double value)
{
	return (float)value;
}

static void functions_agree_with_long_double_on_random_inputs(void)
{
	GRand *rand = g_rand_new_with_seed(3);
	int count = g_getenv("TSPSIM_LONG") ? 100000000 : 1000000;

	for (int i = 0; i < count; i++) {
		float x = num_bits_f32(g_rand_int(rand));
		float moderate = (float)g_rand_double_range(rand, -105, 90);

		if (isnan(x))
			continue;
		CU_ASSERT_EQUAL_FATAL(num_f32_bits(num_exp_f32(moderate)),
		                      num_f32_bits(from_long_double(expl(moderate))));
		moderate /= 8;
		CU_ASSERT_EQUAL_FATAL(num_f32_bits(num_tanh_f32(moderate)),
		                      num_f32_bits(from_long_double(tanhl(moderate))));
		if (x > 0)
			CU_ASSERT_EQUAL_FATAL(num_f32_bits(num_rsqrt_f32(x)),
			                      num_f32_bits(from_long_double(1 / sqrtl(x))));
	}
	g_rand_free(rand);
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_fp16_survives_fp32_and_back", every_fp16_survives_fp32_and_back},
		{"fp16_values_are_the_defined_ones", fp16_values_are_the_defined_ones},
		{"ties_go_to_even_everywhere", ties_go_to_even_everywhere},
		{"fp64_to_fp16_rounds_once", fp64_to_fp16_rounds_once},
		{"extremes_of_fp64_become_zero_or_infinity", extremes_of_fp64_become_zero_or_infinity},
		{"nan_is_canonical", nan_is_canonical},
		{"functions_at_their_special_points", functions_at_their_special_points},
		{"exp_is_right_next_to_a_rounding_boundary", exp_is_right_next_to_a_rounding_boundary},
		{"functions_agree_with_long_double_on_random_inputs",
	         functions_agree_with_long_double_on_random_inputs},
	};

	return tap_run("num", cases, G_N_ELEMENTS(cases));
}
