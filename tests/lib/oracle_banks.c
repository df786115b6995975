/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps by the definitions in isa/bankmaps.def, computed digit by digit: the third implementation beside the
 * models' and the scheduler's.
 */
#include "tests/lib/oracle.h"

#include <stdio.h>
#include <string.h>

/* Remainder of the polynomial B over GF(2) modulo P, of degree N: long division, one bit at a time. */
static uint64_t polynomial_remainder(uint64_t b, uint64_t p, unsigned degree)
{
	for (unsigned bit = 63; bit >= degree; bit--)
		if (b >> bit & 1)
			b ^= p << (bit - degree);
	return b;
}

static unsigned degree_of(uint64_t p)
{
	unsigned degree = 0;

	while (p >> degree > 1)
		degree++;
	return degree;
}

static int64_t in_bank(uint64_t bank, uint64_t row, unsigned banks, uint64_t rows)
{
	return bank < banks && row < rows ? (int64_t)bank : -2;
}

int64_t oracle_bank(const char *map, unsigned banks, uint64_t rows, uint64_t block)
{
	unsigned long long a, b, c, low;

	if (strcmp(map, "ideal") == 0)
		return in_bank(block % banks, block / banks, banks, rows);
	if (sscanf(map, "mod:%llu", &a) == 1)
		return in_bank(block % a, block / a, banks, rows);
	if (sscanf(map, "skew:%llu,%llu", &a, &b) == 2)
		return in_bank((block + b * (block / a)) % a, block / a, banks, rows);
	if (sscanf(map, "xorfold:%llu", &a) == 1) {
		low = (block ^ block >> a) & ((1ULL << a) - 1);
		return in_bank(low, block >> a, banks, rows);
	}
	if (sscanf(map, "swizzle:%llu,%llu,%llu", &a, &b, &c) == 3) {
		low = (block ^ (block >> c & ((1ULL << a) - 1) << b)) & ((1ULL << (a + b)) - 1);
		return in_bank(low, block >> (a + b), banks, rows);
	}
	if (sscanf(map, "poly:%lli", (long long *)&a) == 1) {
		low = polynomial_remainder(block, a, degree_of(a));
		return in_bank(low, block >> degree_of(a), banks, rows);
	}
	return -1;
}
