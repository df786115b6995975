/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps whose bank is b mod M.  They differ in the row: the quotient by M, the quotient by another number (prime, bsp:
 * D consecutive blocks lie in one row, so D residues must differ), or a second residue (crt).  Mersenne and BaseJump
 * moduli are arithmetic like any other; that digit sums compute them shows in the gates only.  BaseJump's own circuit
 * skips digits of ones instead of adding them, which permutes rows; its bank counts and bank sizes are these.
 */
#include "isa/bankmap/bankmap_int.h"

static unsigned residue_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)bankmap_remainder(map->by_banks, block);
}

BANKMAP_LOOP(residue)

static uint64_t quotient_row(const bankmap *map, uint64_t block)
{
	return bankmap_quotient(map->by_row, block);
}

/* The row's first block lies in some bank; the one asked for comes so many blocks later. */
static uint64_t quotient_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t first = row * map->by_row.d;
	uint64_t offset = (bank + map->used - bankmap_remainder(map->by_banks, first)) % map->used;

	return offset < map->by_row.d ? first + offset : UINT64_MAX;
}

/* Rows of a kind: of the quotient, of the second residue. */
#define PLACES(rows) .bank = residue_bank, .row = rows##_row, .map = residue_map, .inverse = rows##_inverse

static char *residue_reason(const bankmap *map, uint64_t stride)
{
	uint64_t g = bankmap_gcd(stride, map->used);

	if (g == 1)
		return NULL;
	return g_strdup_printf("gcd(%u,%u) = %u, so %u bank%s", (unsigned)stride, map->used, (unsigned)g,
	                       map->used / (unsigned)g, map->used == g ? "" : "s");
}

static bool use_modulus(bankmap *map, uint64_t modulus, uint64_t per_row, GError **error)
{
	if (!bankmap_use(map, modulus, per_row, error))
		return false;
	map->modulus = map->used;
	if (!(map->used & (map->used - 1)))
		map->covered_bits = bankmap_bit_length(map->used) - 1;
	return true;
}

static bool mod_parse(bankmap *map, GError **error)
{
	return use_modulus(map, map->p[0], 0, error);
}

static void mod_gates(const bankmap *map, bankmap_facts *facts)
{
	bankmap_gates(facts, bankmap_gates_divide(facts->address_bits, map->used),
	              "restoring division of %u bits by %u with its quotient", facts->address_bits, map->used);
}

const bankmap_ops bankmap_family_mod = {
	.counts = "any number of banks",
	.proven = true,
	.parse = mod_parse,
	PLACES(quotient),
	.gates = mod_gates,
	.reason = residue_reason,
};

static bool prime_parse(bankmap *map, GError **error)
{
	if (map->p[1] < 1)
		return bankmap_refuse(map, error, "the row divisor D must be at least 1");
	if (!use_modulus(map, map->p[0], map->p[1], error))
		return false;
	if (map->p[1] > map->p[0])
		return bankmap_alias(map, 0, map->p[0], "D blocks a row are more than the P banks", error);
	return true;
}

static void prime_gates(const bankmap *map, bankmap_facts *facts)
{
	bankmap_gates(facts,
	              bankmap_gates_fold(facts->address_bits, map->used) +
	                      bankmap_gates_divide(facts->address_bits, map->by_row.d),
	              "folding modulo %u and restoring division by %u", map->used, (unsigned)map->by_row.d);
}

const bankmap_ops bankmap_family_prime = {
	.counts = "any number of banks P, and D up to P for storage",
	.proven = true,
	.parse = prime_parse,
	PLACES(quotient),
	.gates = prime_gates,
	.reason = residue_reason,
};

static bool bsp_parse(bankmap *map, GError **error)
{
	uint64_t shift = map->given > 1 ? map->p[1] : bankmap_bit_length(map->p[0]) - (map->p[0] > 0);

	if (shift > 16)
		return bankmap_refuse(map, error, "the row shift S must be at most 16");
	if (!use_modulus(map, map->p[0], UINT64_C(1) << shift, error))
		return false;
	if (UINT64_C(1) << shift > map->p[0])
		return bankmap_alias(map, 0, map->p[0], "2^S blocks a row are more than the M banks", error);
	return true;
}

static void bsp_gates(const bankmap *map, bankmap_facts *facts)
{
	bankmap_gates(facts, bankmap_gates_fold(facts->address_bits, map->used),
	              "folding %u bits modulo %u; the row is wires", facts->address_bits, map->used);
}

const bankmap_ops bankmap_family_bsp = {
	.counts = "any number of banks M",
	.proven = true,
	.parse = bsp_parse,
	PLACES(quotient),
	.gates = bsp_gates,
	.reason = residue_reason,
};

static bool crt_parse(bankmap *map, GError **error)
{
	uint64_t g;

	if (!use_modulus(map, map->p[0], 0, error))
		return false;
	map->by_row = bankmap_divisor_of(map->rows);
	g = bankmap_gcd(map->used, map->rows);
	if (g > 1) {
		g_autofree char *why = g_strdup_printf("%u banks and %" G_GUINT64_FORMAT
		                                       " rows have the common factor %" G_GUINT64_FORMAT,
		                                       map->used, map->rows, g);

		return bankmap_alias(map, 0, map->used / g * map->rows, why, error);
	}
	if (map->rows > 1)
		map->multiplier_inverse = bankmap_modular_inverse(map->used, map->rows);
	return true;
}

static uint64_t crt_row(const bankmap *map, uint64_t block)
{
	return bankmap_remainder(map->by_row, block) +
	       (block >= map->domain ? map->rows : 0); /* a second time around: no row that exists */
}

/* bank + M t = row modulo R. */
static uint64_t crt_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t difference = (row + map->rows - bank % map->rows) % map->rows;

	return bank + map->used * (uint64_t)((bankmap_wide)difference * map->multiplier_inverse % map->rows);
}

static void crt_gates(const bankmap *map, bankmap_facts *facts)
{
	bool wires = !(map->rows & (map->rows - 1));

	bankmap_gates(facts,
	              bankmap_gates_fold(facts->address_bits, map->used) +
	                      (wires ? 0 : bankmap_gates_fold(facts->address_bits, map->rows)),
	              wires ? "folding modulo %u; the row is wires"
	                    : "folding modulo %u and modulo the rows, which are no power of two",
	              map->used);
}

const bankmap_ops bankmap_family_crt = {
	.counts = "numbers of banks without a common factor with the rows",
	.proven = true,
	.parse = crt_parse,
	PLACES(crt),
	.gates = crt_gates,
	.reason = residue_reason,
};

static bool mersenne_legal(unsigned banks)
{
	return !(banks & (banks + 1));
}

static bool mersenne_parse(bankmap *map, GError **error)
{
	if (map->p[0] < 1 || map->p[0] > 16)
		return bankmap_refuse(map, error, "the number of digit bits N must be 1 to 16");
	return use_modulus(map, (UINT64_C(1) << map->p[0]) - 1, 0, error);
}

/* Digits of N bits, summed with end-around carry; the quotient falls out of the same sums. */
static void digit_sum_gates(bankmap_facts *facts, unsigned bits, unsigned digit)
{
	unsigned adders = bits > digit ? (bits + digit - 1) / digit - 1 : 0;

	bankmap_gates(facts, 2 * adders * bankmap_gates_add(digit) + bankmap_gates_add(bits > digit ? bits - digit : 0),
	              "%u end-around adder%s of %u bits and the sum of the quotient", adders, tsp_s(adders), digit);
}

static void mersenne_gates(const bankmap *map, bankmap_facts *facts)
{
	digit_sum_gates(facts, facts->address_bits, (unsigned)map->p[0]);
}

const bankmap_ops bankmap_family_mersenne = {
	.counts = "2^N - 1 banks",
	.legal = mersenne_legal,
	.proven = true,
	.parse = mersenne_parse,
	PLACES(quotient),
	.gates = mersenne_gates,
	.reason = residue_reason,
};

static bool bsg_legal(unsigned banks)
{
	while (banks && banks % 2 == 0)
		banks /= 2;
	return banks && !(banks & (banks + 1));
}

static bool bsg_parse(bankmap *map, GError **error)
{
	if (map->p[0] <= map->banks && !bsg_legal((unsigned)map->p[0])) {
		g_autoptr(GString) legal = g_string_new(NULL);

		for (unsigned n = 1; n <= map->banks; n++)
			if (bsg_legal(n))
				g_string_append_printf(legal, "%s%u", n > 1 ? ", " : "", n);
		return bankmap_refuse(map, error, "the number of banks must be 2^n (2^m - 1): %s", legal->str);
	}
	return use_modulus(map, map->p[0], 0, error);
}

static void bsg_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned low = (unsigned)__builtin_ctz(map->used), odd = map->used >> low;

	if (odd > 1)
		digit_sum_gates(facts, facts->address_bits - low, bankmap_bit_length(odd));
	else
		bankmap_gates(facts, 0, "wires");
}

const bankmap_ops bankmap_family_bsg = {
	.counts = "2^n (2^m - 1) banks",
	.legal = bsg_legal,
	.proven = true,
	.parse = bsg_parse,
	PLACES(quotient),
	.gates = bsg_gates,
	.reason = residue_reason,
};

static bool identity_parse(bankmap *map, GError **error)
{
	return use_modulus(map, map->banks, 0, error);
}

const bankmap_ops bankmap_family_identity = {
	.counts = "any number of banks",
	.proven = true,
	.parse = identity_parse,
	PLACES(quotient),
	.gates = mod_gates,
	.reason = residue_reason,
};

static bool ideal_parse(bankmap *map, GError **error)
{
	return bankmap_use(map, map->banks, 0, error);
}

const bankmap_ops bankmap_family_ideal = {
	.counts = "any number of banks",
	.proven = true,
	.parse = ideal_parse,
	PLACES(quotient),
};
