/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps by definition: one formula a family, b = block number, M = banks of the memory, R = rows of a bank.
 * Nothing is precomputed, remembered or shared between families.
 */
#include "tests/bank/oracle.h"

#include <glib.h>

static unsigned bit(uint64_t x, unsigned i)
{
	return i < 64 ? (unsigned)(x >> i & 1) : 0;
}

static unsigned degree(uint64_t polynomial)
{
	unsigned top = 0;

	for (unsigned i = 0; i < 64; i++)
		if (bit(polynomial, i))
			top = i;
	return top;
}

/* Long division over GF(2), from the highest bit down. */
static uint64_t remainder_of(uint64_t x, uint64_t polynomial)
{
	unsigned n = degree(polynomial);

	for (unsigned i = 63; i >= n; i--)
		if (bit(x, i))
			x ^= polynomial << (i - n);
	return x;
}

static unsigned parity(uint64_t x)
{
	unsigned ones = 0;

	for (unsigned i = 0; i < 64; i++)
		ones += bit(x, i);
	return ones % 2;
}

static uint64_t power2(uint64_t n)
{
	return (uint64_t)1 << n;
}

/* a b mod m by doubling: no product exceeds 64 bits for m below 2^63. */
static uint64_t product_mod(uint64_t a, uint64_t b, uint64_t m)
{
	uint64_t sum = 0;

	for (unsigned i = 64; i-- > 0;) {
		sum = sum * 2 % m;
		if (bit(b, i))
			sum = (sum + a % m) % m;
	}
	return sum;
}

static uint64_t hybrid_bank(const oracle_map *map, uint64_t b)
{
	/* a = odd part, b = polynomial. */
	return b % map->a * power2(degree(map->b)) + remainder_of(b / map->a, map->b);
}

static uint64_t amd_bank(const oracle_map *map, uint64_t b)
{
	/* a = N low bits, b = odd part. */
	static const unsigned above[] = {6, 8, 13, 22, 32};
	uint64_t low = 0;

	for (unsigned i = 0; i < map->a; i++) {
		unsigned x = bit(b, i);

		for (size_t j = 0; j < G_N_ELEMENTS(above); j++)
			x ^= bit(b, i + above[j]);
		low += x * power2(i);
	}
	return b / power2(map->a) % map->b * power2(map->a) + low;
}

static uint64_t bitrev_bank(const oracle_map *map, uint64_t b)
{
	uint64_t q = b / map->rows, bank = 0;

	for (unsigned i = 0; i < map->a; i++)
		bank = bank * 2 + bit(q, i);
	return bank;
}

static uint64_t table_bank(const oracle_map *map, uint64_t b)
{
	/* a = entries, b = 0: as they are, 1: xor, 2: rotated by c for each pass. */
	uint64_t i = b % map->a, q = b / map->a;

	if (map->b == 1)
		i ^= q % map->a;
	else if (map->b == 2)
		i = (i + product_mod(map->c, q, map->a)) % map->a;
	return map->table[i];
}

static uint64_t gf2_bank(const oracle_map *map, uint64_t b)
{
	uint64_t bank = 0;

	for (unsigned i = 0; i < map->a; i++)
		bank += parity(b & map->masks[i]) * power2(i);
	return bank;
}

/* c = 0: bank (b + a (b / M)) % M, row b / M.  c = 1: bank (b ^ (b / a)) % M.  c = 2: bank b / a % M, in other words
 * runs of a blocks.  Wraps at 64 bits as C does. */
static uint64_t expr_bank(const oracle_map *map, uint64_t b)
{
	if (map->c == 0)
		return (b + map->a * (b / map->banks)) % map->banks;
	return map->c == 1 ? (b ^ b / map->a) % map->banks : b / map->a % map->banks;
}

unsigned oracle_bank(const oracle_map *map, uint64_t b)
{
	uint64_t bank = 0;

	switch (map->family) {
	case ORACLE_MOD:   /* a = M */
	case ORACLE_PRIME: /* a = P, b = row divisor */
	case ORACLE_BSP:   /* a = M, b = row shift */
	case ORACLE_CRT:   /* a = M */
	case ORACLE_BSG:   /* a = M */
		bank = b % map->a;
		break;
	case ORACLE_MERSENNE: /* a = N */
		bank = b % (power2(map->a) - 1);
		break;
	case ORACLE_IDENTITY:
		bank = b % map->banks;
		break;
	case ORACLE_SKEW: /* a = M, b = D */
		bank = (b % map->a + product_mod(map->b, b / map->a, map->a)) % map->a;
		break;
	case ORACLE_PDISP: /* a = N, b = P; 2^64 is a multiple of 2^N */
		bank = (b + map->b * (b / power2(map->a))) % power2(map->a);
		break;
	case ORACLE_HYBRID:
		bank = hybrid_bank(map, b);
		break;
	case ORACLE_AMD:
		bank = amd_bank(map, b);
		break;
	case ORACLE_XORFOLD: /* a = N */
		bank = (b ^ b / power2(map->a)) % power2(map->a);
		break;
	case ORACLE_SWIZZLE: /* a = B, b = M, c = S */
		bank = (b ^ (b >> map->c & (power2(map->a) - 1) << map->b)) % power2(map->a + map->b);
		break;
	case ORACLE_POLY: /* a = polynomial, b = bits of the block that count */
		bank = remainder_of(map->b < 64 ? b % power2(map->b) : b, map->a);
		break;
	case ORACLE_GF2: /* a = masks */
		bank = gf2_bank(map, b);
		break;
	case ORACLE_MULT: /* a = multiplier, b = M */
		bank = product_mod(map->a, b, map->b * map->rows) / map->rows;
		break;
	case ORACLE_BITREV: /* a = N */
		bank = bitrev_bank(map, b);
		break;
	case ORACLE_XORMOD: /* a = P, b = S, c = row divisor or 0 */
		bank = (b ^ b >> map->b) % map->a;
		break;
	case ORACLE_TABLE:
		bank = table_bank(map, b);
		break;
	case ORACLE_EXPR:
		bank = expr_bank(map, b);
		break;
	case ORACLE_IPOLYMOD: /* a = polynomial, b = M */
		bank = remainder_of(b, map->a) % map->b;
		break;
	case ORACLE_GIVEN:
		bank = map->given(map->what, b);
		break;
	case ORACLE_IDEAL: /* its banks mean nothing */
	case ORACLE_FAMILY_COUNT:
		break;
	}
	return (unsigned)bank;
}

uint64_t oracle_row(const oracle_map *map, uint64_t b)
{
	switch (map->family) {
	case ORACLE_MOD:
	case ORACLE_BSG:
	case ORACLE_SKEW:
		return b / map->a;
	case ORACLE_PRIME:
		return b / map->b;
	case ORACLE_BSP:
		return b >> map->b;
	case ORACLE_CRT:
	case ORACLE_BITREV:
		return b % map->rows;
	case ORACLE_MERSENNE:
		return b / (power2(map->a) - 1);
	case ORACLE_IDENTITY:
		return b / map->banks;
	case ORACLE_PDISP:
	case ORACLE_XORFOLD:
	case ORACLE_GF2:
		return b >> map->a;
	case ORACLE_HYBRID:
		return b / map->a >> degree(map->b);
	case ORACLE_AMD:
		return (b >> map->a) / map->b;
	case ORACLE_SWIZZLE:
		return b >> (map->a + map->b);
	case ORACLE_POLY:
		return b >> degree(map->a);
	case ORACLE_MULT:
		return product_mod(map->a, b, map->b * map->rows) % map->rows;
	case ORACLE_XORMOD:
		return map->c ? b / map->c : (b ^ b >> map->b) / map->a;
	case ORACLE_EXPR:
		return map->c == 2 ? b / (map->a * map->banks) * map->a + b % map->a : b / map->banks;
	default:
		return 0;
	}
}
