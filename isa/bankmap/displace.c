/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that displace the bank by something of the row.  skew and pdisp rotate each row, so any displacement is
 * injective; hybrid and amd treat an odd part by division and a power of two by XOR.  The AMD map after Linux' address
 * translation library: its bits 8, 9, 12, 13 of a byte address with 256-byte blocks stand for the low bits here, each
 * hashed with bits as far above it as bit 8 is with 14, 16, 21, 30, 40; which of these a part uses depends on its
 * set-up.
 */
#include "isa/bankmap/bankmap_int.h"

/* r + D q stays below the block number, so nothing overflows. */
static inline unsigned skew_bank(const bankmap *map, uint64_t block)
{
	uint64_t r, q = bankmap_divide(map->by_banks, block, &r);

	return (unsigned)bankmap_remainder(map->by_banks, r + map->multiplier * q);
}

BANKMAP_LOOP(skew)

static uint64_t skew_row(const bankmap *map, uint64_t block)
{
	return bankmap_quotient(map->by_banks, block);
}

static uint64_t skew_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t turn = bankmap_remainder(map->by_banks, map->multiplier * row);

	return row * map->used + (bank + map->used - turn) % map->used;
}

static bool skew_parse(bankmap *map, GError **error)
{
	if (map->p[1] >= map->p[0])
		return bankmap_refuse(map, error, "the displacement D must be below M");
	map->multiplier = map->p[1];
	return bankmap_use(map, map->p[0], 0, error);
}

static void skew_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned terms = (unsigned)__builtin_popcountll(map->multiplier);
	unsigned bits = bankmap_bit_length(map->used);

	bankmap_gates(facts,
	              bankmap_gates_divide(facts->address_bits, map->used) +
	                      (terms ? 2.7 * terms * bankmap_gates_add(bits) : 0),
	              "restoring division by %u and %u addition%s modulo %u", map->used, terms, tsp_s(terms),
	              map->used);
}

/* b mod (M - D) = (r + D q) mod (M - D): strides behave as under that modulus, and within a row as under M. */
static char *skew_reason(const bankmap *map, uint64_t stride)
{
	uint64_t near = map->used - map->multiplier, g = bankmap_gcd(stride, near);

	if (g > 1)
		return g_strdup_printf("close to modulo %u - %u = %u, and gcd(%u,%u) = %u", map->used,
		                       (unsigned)map->multiplier, (unsigned)near, (unsigned)stride, (unsigned)near,
		                       (unsigned)g);
	return NULL;
}

const bankmap_ops bankmap_family_skew = {
	.counts = "any number of banks M",
	.proven = true,
	.parse = skew_parse,
	.bank = skew_bank,
	.row = skew_row,
	.map = skew_map,
	.inverse = skew_inverse,
	.gates = skew_gates,
	.reason = skew_reason,
};

static inline unsigned pdisp_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(block + map->multiplier * (block >> map->bits)) & (map->used - 1);
}

BANKMAP_LOOP(pdisp)

static uint64_t high_bits_row(const bankmap *map, uint64_t block)
{
	return block >> map->bits;
}

static uint64_t pdisp_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	return row << map->bits | ((bank - map->multiplier * row) & (map->used - 1));
}

static bool pdisp_parse(bankmap *map, GError **error)
{
	if (!bankmap_use_bits(map, map->p[0], error))
		return false;
	if (map->p[1] % 2 == 0 || map->p[1] >= map->used)
		return bankmap_refuse(map, error, "the multiplier P must be odd and below 2^N");
	map->multiplier = map->p[1];
	map->covered_bits = 2 * map->bits;
	return true;
}

static void pdisp_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned adders = (unsigned)__builtin_popcountll(map->multiplier);

	bankmap_gates(facts, adders * bankmap_gates_add(map->bits), "%u adder%s of %u bits", adders, tsp_s(adders),
	              map->bits);
}

const bankmap_ops bankmap_family_pdisp = {
	.counts = "powers of two",
	.legal = bankmap_power_of_two,
	.proven = true,
	.parse = pdisp_parse,
	.bank = pdisp_bank,
	.row = high_bits_row,
	.map = pdisp_map,
	.inverse = pdisp_inverse,
	.gates = pdisp_gates,
};

/* by_row divides by the odd part O. */
static inline unsigned hybrid_bank(const bankmap *map, uint64_t block)
{
	uint64_t r, u = bankmap_divide(map->by_row, block, &r);

	return (unsigned)(r << map->bits) | bankmap_linear_hash(map, u);
}

BANKMAP_LOOP(hybrid)

static uint64_t hybrid_row(const bankmap *map, uint64_t block)
{
	return bankmap_quotient(map->by_row, block) >> map->bits;
}

/* The hash of the low bits is those bits. */
static uint64_t hybrid_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t high = row << map->bits;
	unsigned low = (bank & ((1U << map->bits) - 1)) ^ bankmap_linear_hash(map, high);

	return (high | low) * map->by_row.d + (bank >> map->bits);
}

static bool use_odd_part(bankmap *map, uint64_t odd, uint64_t bits, GError **error)
{
	if (odd % 2 == 0 || odd >= BANKMAP_BANKS_MAX)
		return bankmap_refuse(map, error, "the part O must be odd, the rest of the banks a power of two");
	if (bits < 1 || bits > BANKMAP_BITS_MAX)
		return bankmap_refuse(map, error, "the number of bank bits must be 1 to %d", BANKMAP_BITS_MAX);
	if (!bankmap_use(map, odd << bits, 0, error))
		return false;
	map->bits = (unsigned)bits;
	map->by_row = bankmap_divisor_of(odd);
	return true;
}

static bool hybrid_parse(bankmap *map, GError **error)
{
	if (!use_odd_part(map, map->p[0], bankmap_degree(map->p[1]), error))
		return false;
	bankmap_poly_masks(map->p[1], map->bits, map->masks);
	bankmap_linear_tables(map);
	return true;
}

static void hybrid_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned plain, shared;

	bankmap_gates_linear(map->masks, map->bits, facts->address_bits, &plain, &shared);
	bankmap_gates(facts, bankmap_gates_divide(facts->address_bits, map->by_row.d) + bankmap_gates_xor(shared),
	              "restoring division by %u and %u XOR2", (unsigned)map->by_row.d, shared);
}

static char *odd_part_reason(const bankmap *map, uint64_t stride)
{
	uint64_t odd = map->by_row.d, g = bankmap_gcd(stride, odd);

	if (g == 1)
		return NULL;
	return g_strdup_printf("gcd(%u,%u) = %u: %u of %u odd parts of %u banks", (unsigned)stride, (unsigned)odd,
	                       (unsigned)g, (unsigned)(odd / g), (unsigned)odd, 1U << map->bits);
}

const bankmap_ops bankmap_family_hybrid = {
	.counts = "an odd number times a power of two from 2",
	.proven = true,
	.hex = 2,
	.parse = hybrid_parse,
	.bank = hybrid_bank,
	.row = hybrid_row,
	.map = hybrid_map,
	.inverse = hybrid_inverse,
	.gates = hybrid_gates,
	.reason = odd_part_reason,
};

static inline unsigned amd_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(bankmap_remainder(map->by_row, block >> map->bits) << map->bits) |
	       bankmap_linear_hash(map, block);
}

BANKMAP_LOOP(amd)

static uint64_t amd_row(const bankmap *map, uint64_t block)
{
	return bankmap_quotient(map->by_row, block >> map->bits);
}

static uint64_t amd_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t high = (row * map->by_row.d + (bank >> map->bits)) << map->bits;

	return high | ((bank & ((1U << map->bits) - 1)) ^ bankmap_linear_hash(map, high));
}

static bool amd_parse(bankmap *map, GError **error)
{
	if (map->p[0] < 1 || map->p[0] > 4)
		return bankmap_refuse(map, error, "the number of hashed bits N must be 1 to 4");
	if (!use_odd_part(map, map->p[1], map->p[0], error))
		return false;
	for (unsigned i = 0; i < map->bits; i++)
		map->masks[i] = (UINT64_C(1) | UINT64_C(1) << 6 | UINT64_C(1) << 8 | UINT64_C(1) << 13 |
		                 UINT64_C(1) << 22 | UINT64_C(1) << 32)
		                << i;
	if (map->p[1] == 1)
		map->covered_bits = 32 + map->bits;
	bankmap_linear_tables(map);
	return true;
}

static void amd_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned plain, shared;

	bankmap_gates_linear(map->masks, map->bits, facts->address_bits, &plain, &shared);
	bankmap_gates(facts,
	              bankmap_gates_divide(facts->address_bits - map->bits, map->by_row.d) + bankmap_gates_xor(shared),
	              "restoring division by %u and %u XOR2", (unsigned)map->by_row.d, shared);
}

const bankmap_ops bankmap_family_amd = {
	.counts = "an odd number times 2, 4, 8 or 16",
	.proven = true,
	.parse = amd_parse,
	.bank = amd_bank,
	.row = amd_row,
	.map = amd_map,
	.inverse = amd_inverse,
	.gates = amd_gates,
	.reason = odd_part_reason,
};
