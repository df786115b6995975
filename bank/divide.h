/* SPDX-License-Identifier: Apache-2.0
 *
 * Division of any 64-bit number by one number fixed in advance, as byte addresses are by the block size: a shift for
 * powers of two, otherwise a multiplication by m = floor(2^64 / d).  floor(n m / 2^64) is n div d or one less, because
 * n/d - n m / 2^64 < n / 2^64 < 1, so one comparison of the remainder settles it.
 */
#ifndef TSPSIM_BANK_DIVIDE_H
#define TSPSIM_BANK_DIVIDE_H

#include <stdint.h>

typedef struct bank_divider {
	uint64_t divisor, inverse; /* inverse 0: a power of two */
	unsigned shift;
} bank_divider;

static inline bank_divider bank_divider_of(uint64_t divisor)
{
	bank_divider d = {.divisor = divisor};

	if (divisor & (divisor - 1))
		d.inverse = UINT64_MAX / divisor; /* floor(2^64 / d) as d does not divide 2^64 */
	else
		d.shift = (unsigned)__builtin_ctzll(divisor);
	return d;
}

static inline uint64_t bank_divide(const bank_divider *d, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t quotient;

	if (!d->inverse)
		return n >> d->shift;
	quotient = (uint64_t)((wide)n * d->inverse >> 64);
	return quotient + (n - quotient * d->divisor >= d->divisor);
}

#endif
