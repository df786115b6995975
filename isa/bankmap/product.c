/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of the whole block number: a product modulo the capacity, the textbook's folded number modulo a prime, reversed
 * bits, and a keyed hash.  The usual range reduction (b * C) >> n is not offered: its rows collide.  random stands for
 * a perfect hash; it is no circuit and cannot store data.
 */
#include "isa/bankmap/bankmap_int.h"

/* by_banks divides by the capacity, by_row by the rows. */
static inline uint64_t mult_place(const bankmap *map, uint64_t block)
{
	uint64_t b = bankmap_remainder(map->by_banks, block);

	if (map->by_banks.d <= UINT32_MAX)
		return bankmap_remainder(map->by_banks, map->multiplier * b);
	return (uint64_t)((bankmap_wide)map->multiplier * b % map->by_banks.d);
}

static inline unsigned mult_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)bankmap_quotient(map->by_row, mult_place(map, block));
}

BANKMAP_LOOP(mult)

static uint64_t mult_row(const bankmap *map, uint64_t block)
{
	return bankmap_remainder(map->by_row, mult_place(map, block)) +
	       (block >= map->domain ? map->rows : 0); /* a second time around: no row that exists */
}

static uint64_t mult_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	return (uint64_t)((bankmap_wide)map->multiplier_inverse * (bank * map->rows + row) % map->domain);
}

static bool mult_parse(bankmap *map, GError **error)
{
	uint64_t g;

	if (!bankmap_use(map, map->given > 1 ? map->p[1] : map->banks, 0, error))
		return false;
	map->by_banks = bankmap_divisor_of(map->domain);
	map->by_row = bankmap_divisor_of(map->rows);
	map->multiplier = map->p[0] % map->domain;
	g = bankmap_gcd(map->multiplier, map->domain);
	if (g > 1) {
		g_autofree char *why =
			g_strdup_printf("gcd(A, %" G_GUINT64_FORMAT " words) = %" G_GUINT64_FORMAT, map->domain, g);

		return bankmap_alias(map, 0, map->domain / g, why, error);
	}
	map->multiplier_inverse = bankmap_modular_inverse(map->multiplier, map->domain);
	return true;
}

static void mult_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned terms = (unsigned)__builtin_popcountll(map->multiplier);

	bankmap_gates(facts,
	              (terms ? terms - 1 : 0) * bankmap_gates_add(facts->address_bits) +
	                      bankmap_gates_divide(2 * facts->address_bits, map->domain) +
	                      bankmap_gates_divide(facts->address_bits, map->rows),
	              "%u addition%s, reduction modulo the capacity, restoring division by the rows", terms,
	              tsp_s(terms));
}

const bankmap_ops bankmap_family_mult = {
	.counts = "any number of banks, A without a common factor with the words",
	.proven = true,
	.parse = mult_parse,
	.bank = mult_bank,
	.row = mult_row,
	.map = mult_map,
	.inverse = mult_inverse,
	.gates = mult_gates,
};

static inline unsigned reversed(unsigned n, unsigned bits)
{
	unsigned r = 0;

	for (unsigned i = 0; i < bits; i++)
		r |= (n >> i & 1) << (bits - 1 - i);
	return r;
}

/* by_row divides by the rows. */
static inline unsigned bitrev_bank(const bankmap *map, uint64_t block)
{
	return reversed((unsigned)bankmap_quotient(map->by_row, block) & (map->used - 1), map->bits);
}

BANKMAP_LOOP(bitrev)

static uint64_t bitrev_row(const bankmap *map, uint64_t block)
{
	return bankmap_remainder(map->by_row, block) + (block >= map->domain ? map->rows : 0);
}

static uint64_t bitrev_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	return reversed(bank, map->bits) * map->rows + row;
}

static bool bitrev_parse(bankmap *map, GError **error)
{
	if (!bankmap_use_bits(map, map->p[0], error))
		return false;
	map->by_row = bankmap_divisor_of(map->rows);
	return true;
}

static void bitrev_gates(const bankmap *map, bankmap_facts *facts)
{
	if (map->rows & (map->rows - 1))
		bankmap_gates(facts, bankmap_gates_divide(facts->address_bits, map->rows),
		              "restoring division by the rows, which are no power of two");
	else
		bankmap_gates(facts, 0, "wires");
}

static char *bitrev_reason(const bankmap *map, uint64_t stride)
{
	(void)stride;
	return g_strdup_printf("%" G_GUINT64_FORMAT " consecutive blocks share a bank", map->rows);
}

const bankmap_ops bankmap_family_bitrev = {
	.counts = "powers of two",
	.legal = bankmap_power_of_two,
	.proven = true,
	.parse = bitrev_parse,
	.bank = bitrev_bank,
	.row = bitrev_row,
	.map = bitrev_map,
	.inverse = bitrev_inverse,
	.gates = bitrev_gates,
	.reason = bitrev_reason,
};

static inline uint64_t folded(const bankmap *map, uint64_t block)
{
	return block ^ block >> map->bits;
}

static inline unsigned xormod_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)bankmap_remainder(map->by_banks, folded(map, block));
}

BANKMAP_LOOP(xormod)

static uint64_t xormod_row(const bankmap *map, uint64_t block)
{
	return map->given > 2 ? bankmap_quotient(map->by_row, block)
	                      : bankmap_quotient(map->by_banks, folded(map, block));
}

/* Only of the row of the folded number: folding is undone by folding with doubled shifts. */
static uint64_t xormod_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t block = row * map->used + bank;

	if (map->given > 2) {
		for (block = 0; block < map->capacity; block++)
			if (xormod_bank(map, block) == bank && xormod_row(map, block) == row)
				break;
		return block;
	}
	for (unsigned shift = map->bits; shift < 64; shift *= 2)
		block ^= block >> shift;
	return block;
}

static bool xormod_parse(bankmap *map, GError **error)
{
	if (map->p[1] < 1 || map->p[1] > 63)
		return bankmap_refuse(map, error, "the shift S must be 1 to 63");
	if (map->given > 2 && map->p[2] < 1)
		return bankmap_refuse(map, error, "the row divisor D must be at least 1");
	map->bits = (unsigned)map->p[1];
	return bankmap_use(map, map->p[0], map->given > 2 ? map->p[2] : map->banks, error);
}

static void xormod_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned bits = facts->address_bits, folds = bits > map->bits ? bits - map->bits : 0;
	bool other = map->given > 2 && map->p[2] != map->used;

	bankmap_gates(facts,
	              bankmap_gates_xor(folds) + bankmap_gates_divide(bits, map->used) +
	                      (other ? bankmap_gates_divide(bits, map->by_row.d) : 0),
	              "%u XOR2 and restoring division by %u%s", folds, map->used,
	              other ? ", and a second one for the row" : "");
}

const bankmap_ops bankmap_family_xormod = {
	.counts = "any number of banks P",
	.parse = xormod_parse,
	.bank = xormod_bank,
	.row = xormod_row,
	.map = xormod_map,
	.inverse = xormod_inverse,
	.gates = xormod_gates,
};

/* The finalizer of splitmix64, keyed; a multiplication reduces the hash to the banks. */
static inline unsigned random_bank(const bankmap *map, uint64_t block)
{
	uint64_t z = (block + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ map->multiplier;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (unsigned)((bankmap_wide)z * map->used >> 64);
}

BANKMAP_LOOP(random)

static uint64_t random_row(const bankmap *map, uint64_t block)
{
	return bankmap_quotient(map->by_banks, block);
}

static bool random_parse(bankmap *map, GError **error)
{
	bankmap_walk walk;
	bool aliased;

	if (!bankmap_use(map, map->banks, 0, error))
		return false;
	map->multiplier = map->p[0] * UINT64_C(0xd1342543de82ef95) + 1;
	if (map->analysis) {
		map->injective = false;
		return true;
	}
	bankmap_walk_domain(map, true, &walk);
	g_free(walk.fill);
	aliased = walk.aliased > 0;
	if (!aliased)
		return bankmap_refuse(map, error, "random placement is for analysis only");
	return bankmap_alias(map, bankmap_first_in_place(map, walk.first_aliased), walk.first_aliased,
	                     "blocks fall like dice", error);
}

const bankmap_ops bankmap_family_random = {
	.counts = "any number of banks",
	.analysis_only = true,
	.proven = true,
	.parse = random_parse,
	.bank = random_bank,
	.row = random_row,
	.map = random_map,
};
