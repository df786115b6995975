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

static uint64_t high_bit_floor(uint64_t n)
{
	uint64_t power = 1;

	while (2 * power <= n)
		power *= 2;
	return power;
}

/* Families that are a residue or a sum; -1: not known. */
static int64_t derived_bank(const char *map, unsigned banks, uint64_t rows, uint64_t block)
{
	unsigned long long a, b, size;

	if (strcmp(map, "identity") == 0)
		return in_bank(block % banks, block / banks, banks, rows);
	if (sscanf(map, "bsp:%llu", &a) == 1)
		return in_bank(block % a, block / high_bit_floor(a), banks, rows);
	if (sscanf(map, "crt:%llu", &a) == 1)
		return in_bank(block % a, block < a * rows ? block % rows : rows, banks, rows);
	if (sscanf(map, "prime:%llu,%llu", &a, &b) == 2)
		return in_bank(block % a, block / b, banks, rows);
	if (sscanf(map, "mersenne:%llu", &a) == 1 || sscanf(map, "bsg:%llu", &size) == 1) {
		size = map[0] == 'm' ? (1ULL << a) - 1 : size;
		return in_bank(block % size, block / size, banks, rows);
	}
	if (sscanf(map, "pdisp:%llu,%llu", &a, &b) == 2) {
		size = 1ULL << a;
		return in_bank((block % size + b * (block / size)) % size, block / size, banks, rows);
	}
	if (sscanf(map, "hybrid:%llu,%lli", &a, (long long *)&b) == 2) {
		size = 1ULL << degree_of(b);
		return in_bank(block % a * size + polynomial_remainder(block / a, b, degree_of(b)), block / a / size,
		               banks, rows);
	}
	/* A multiplier below 2^32 and a capacity below 2^32: the product fits. */
	if (sscanf(map, "mult:%llu", &a) == 1) {
		size = a % (banks * rows) * (block % (banks * rows)) % (banks * rows);
		return in_bank(size / rows, block < banks * rows ? size % rows : rows, banks, rows);
	}
	return -1;
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
	return derived_bank(map, banks, rows, block);
}
