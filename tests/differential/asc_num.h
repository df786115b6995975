/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of the reference of Ascend-style instructions: exact integers times powers of two, rounded once.  Shares
 * nothing with isa/num.h or the models.
 */
#ifndef TSPSIM_TESTS_DIFFERENTIAL_ASC_NUM_H
#define TSPSIM_TESTS_DIFFERENTIAL_ASC_NUM_H

#include "isa/ascend/ascend.h"

enum big_class { BIG_FINITE, BIG_INFINITE, BIG_NAN };

/* (-1)^negative x mantissa x 2^exponent, a little more in magnitude where inexact. */
typedef struct big {
	enum big_class class;
	bool negative, inexact;
	unsigned __int128 mantissa;
	int exponent;
} big;

/* Modes of vconv. */
enum rounding { ROUND_NONE, ROUND_EVEN, ROUND_DOWN, ROUND_UP, ROUND_AWAY, ROUND_ZERO, ROUND_ODD };

bool type_floats(enum asc_type type);
bool type_signed(enum asc_type type);
/* The low bits of VALUE as a number of TYPE; integers sign- or zero-extended. */
int64_t type_integer(enum asc_type type, uint64_t bits);
big big_from_bits(enum asc_type type, uint64_t bits);
big big_from_integer(int64_t value);
big big_from_long_double(long double value, bool inexact);
/* Bits of TYPE: floating-point overflow is infinity (the greatest number where MODE rounds
 * to it), integers saturate, NaN is canonical or 0. */
uint64_t big_round(big x, enum asc_type type, enum rounding mode);

big big_add(big a, big b); /* an exact zero is positive unless both are negative */
big big_mul(big a, big b);
big big_div(big a, big b);
big big_sqrt(big a);
big big_rsqrt(big a);
big big_negate(big a);
/* -1, 0, 1; neither is NaN; zeros are equal. */
int big_compare(big a, big b);

#endif
