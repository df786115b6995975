/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps over GF(2): bit i of the bank is the parity of the block number under a mask; the row is the bits above the
 * lowest N.  Such a map is injective exactly when the N x N matrix of the lowest bits is invertible.  Hashes are looked
 * up byte by byte.  Other choices of the row (any complement of the hash) are not offered.
 */
#include "isa/bankmap/bankmap_int.h"

#include "isa/rng.h"

unsigned bankmap_degree(uint64_t polynomial)
{
	return polynomial ? 63 - (unsigned)__builtin_clzll(polynomial) : 0;
}

/* Column j of the matrix is x^j mod P. */
void bankmap_poly_masks(uint64_t polynomial, unsigned degree, uint64_t *masks)
{
	uint64_t residue = 1;

	for (unsigned i = 0; i < degree; i++)
		masks[i] = 0;
	for (unsigned column = 0; column < 64; column++) {
		for (unsigned i = 0; i < degree; i++)
			masks[i] |= (residue >> i & 1) << column;
		residue <<= 1;
		if (residue >> degree & 1)
			residue ^= polynomial;
	}
}

void bankmap_linear_tables(bankmap *map)
{
	map->parities = g_malloc0(BANKMAP_BYTES * sizeof *map->parities);
	for (unsigned i = 0; i < BANKMAP_BYTES; i++)
		for (unsigned byte = 0; byte < 256; byte++)
			for (unsigned bit = 0; bit < map->bits; bit++)
				map->parities[i][byte] |=
					(uint16_t)(__builtin_parityll((uint64_t)byte << 8 * i & map->masks[bit])
				                   << bit);
}

unsigned bankmap_linear_rank(const uint64_t *rows, unsigned count)
{
	g_autofree uint64_t *m = g_memdup2(rows, count * sizeof *rows);
	unsigned rank = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t pivot = m[i] & -m[i];

		rank += pivot != 0;
		for (unsigned j = i + 1; pivot && j < count; j++)
			if (m[j] & pivot)
				m[j] ^= m[i];
	}
	return rank;
}

/* Gauss-Jordan on [low bits of the masks | identity]: solve[i] = low block bits whose hash is bank bit i alone.  When
 * the matrix is singular, the low bits of two blocks that hash alike; else 0. */
static unsigned invert_low_bits(bankmap *map)
{
	unsigned n = map->bits, low = (1U << n) - 1;
	uint32_t left[BANKMAP_BITS_MAX], right[BANKMAP_BITS_MAX];

	for (unsigned i = 0; i < n; i++) {
		left[i] = (uint32_t)map->masks[i] & low;
		right[i] = 1U << i;
	}
	for (unsigned column = 0; column < n; column++) {
		unsigned pivot = column;

		while (pivot < n && !(left[pivot] >> column & 1))
			pivot++;
		if (pivot == n) {
			/* Earlier columns are unit vectors, so this one is the sum of those that its rows name. */
			unsigned null = 1U << column;

			for (unsigned i = 0; i < column; i++)
				null |= (left[i] >> column & 1) << i;
			return null;
		}
		for (unsigned swap = 0; swap < 2 && pivot != column; swap++) {
			uint32_t *m = swap ? right : left, t = m[pivot];

			m[pivot] = m[column];
			m[column] = t;
		}
		for (unsigned i = 0; i < n; i++)
			if (i != column && left[i] >> column & 1) {
				left[i] ^= left[column];
				right[i] ^= right[column];
			}
	}
	for (unsigned i = 0; i < n; i++) {
		map->solve[i] = 0;
		for (unsigned row = 0; row < n; row++)
			map->solve[i] |= (uint16_t)((right[row] >> i & 1) << row);
	}
	return 0;
}

bool bankmap_linear_use(bankmap *map, GError **error)
{
	uint64_t low[BANKMAP_BITS_MAX], all = 0;
	unsigned null, rank;
	g_autofree char *why = NULL;

	if (!bankmap_use_bits(map, map->bits, error))
		return false;
	map->linear = true;
	bankmap_linear_tables(map);
	for (unsigned i = 0; i < map->bits; i++) {
		low[i] = map->masks[i] & (map->used - 1);
		all |= map->masks[i];
	}
	map->covered_bits = bankmap_bit_length(all);
	null = invert_low_bits(map);
	if (!null)
		return true;
	rank = bankmap_linear_rank(low, map->bits);
	why = g_strdup_printf("the lowest %u bits have rank %u, %u consecutive blocks reach %u of %u banks", map->bits,
	                      rank, map->used, 1U << rank, map->used);
	return bankmap_alias(map, 0, null, why, error);
}

static unsigned linear_bank(const bankmap *map, uint64_t block)
{
	return bankmap_linear_hash(map, block);
}

/* A chunk is looked up in as many tables as its largest block has bytes. */
static void hash_chunk(const uint16_t (*parities)[256], const uint64_t *blocks, size_t count, uint16_t *banks)
{
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= blocks[i];
	if (any >> 24 == 0) {
		for (size_t i = 0; i < count; i++)
			banks[i] = parities[0][blocks[i] & 255] ^ parities[1][blocks[i] >> 8 & 255] ^
			           parities[2][blocks[i] >> 16];
		return;
	}
	for (size_t i = 0; i < count; i++)
		banks[i] = parities[0][blocks[i] & 255] ^ parities[1][blocks[i] >> 8 & 255] ^
		           parities[2][blocks[i] >> 16 & 255] ^ parities[3][blocks[i] >> 24 & 255];
	if (any >> 32 == 0)
		return;
	for (size_t i = 0; i < count; i++)
		banks[i] ^= parities[4][blocks[i] >> 32 & 255] ^ parities[5][blocks[i] >> 40 & 255] ^
		            parities[6][blocks[i] >> 48 & 255] ^ parities[7][blocks[i] >> 56];
}

static void linear_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks)
{
	for (size_t first = 0; first < count; first += BANKMAP_CHUNK)
		hash_chunk((const uint16_t(*)[256])map->parities, blocks + first, MIN(BANKMAP_CHUNK, count - first),
		           banks + first);
}

static uint64_t high_bits_row(const bankmap *map, uint64_t block)
{
	return block >> map->bits;
}

static uint64_t linear_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	uint64_t block = row << map->bits;

	for (unsigned rest = bank ^ bankmap_linear_hash(map, block); rest; rest &= rest - 1)
		block ^= map->solve[__builtin_ctz(rest)];
	return block;
}

static void linear_gates(const bankmap *map, bankmap_facts *facts)
{
	(void)map;
	if (facts->xor2_shared)
		bankmap_gates(facts, bankmap_gates_xor(facts->xor2_shared), "%u XOR2 after sharing pairs",
		              facts->xor2_shared);
	else
		bankmap_gates(facts, 0, "wires");
}

/* The hashes of the terms span a space; it has 2^dimension members. */
static char *linear_reason(const bankmap *map, uint64_t stride)
{
	uint64_t hashes[64];
	unsigned rank;

	if (!map->covered_bits)
		return g_strdup("no block bit is hashed");
	if ((unsigned)__builtin_ctzll(stride) >= map->covered_bits)
		return g_strdup_printf("no hashed bit changes: they end at bit %u", map->covered_bits - 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(hashes); i++)
		hashes[i] = bankmap_linear_hash(map, i * stride);
	rank = bankmap_linear_rank(hashes, G_N_ELEMENTS(hashes));
	if (rank < map->bits && 1U << rank < G_N_ELEMENTS(hashes))
		return g_strdup_printf("the terms' hashes span %u of %u dimensions, 2^%u banks", rank, map->bits, rank);
	return NULL;
}

#define LINEAR_FAMILY                                                                                                  \
	.counts = "powers of two", .legal = bankmap_power_of_two, .proven = true, .row = high_bits_row,                \
	.inverse = linear_inverse, .gates = linear_gates, .reason = linear_reason

static bool xorfold_parse(bankmap *map, GError **error)
{
	if (!bankmap_use_bits(map, map->p[0], error))
		return false;
	for (unsigned i = 0; i < map->bits; i++)
		map->masks[i] = (UINT64_C(1) | UINT64_C(1) << map->bits) << i;
	return bankmap_linear_use(map, error);
}

static inline unsigned xorfold_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(block ^ block >> map->bits) & (map->used - 1);
}

BANKMAP_LOOP(xorfold)

const bankmap_ops bankmap_family_xorfold = {
	LINEAR_FAMILY,
	.parse = xorfold_parse,
	.bank = xorfold_bank,
	.map = xorfold_map,
};

static bool swizzle_parse(bankmap *map, GError **error)
{
	uint64_t b = map->p[0], m = map->p[1], s = map->p[2];

	if (b > BANKMAP_BITS_MAX || m > BANKMAP_BITS_MAX)
		return bankmap_refuse(map, error, "the number of bank bits must be 1 to %d", BANKMAP_BITS_MAX);
	if (s < 1 || s > 40)
		return bankmap_refuse(map, error, "the shift S must be 1 to 40, else the map is not injective");
	if (!bankmap_use_bits(map, b + m, error))
		return false;
	for (unsigned i = 0; i < map->bits; i++)
		map->masks[i] = UINT64_C(1) << i | (i >= m ? UINT64_C(1) << (i + s) : 0);
	map->multiplier = ((UINT64_C(1) << b) - 1) << m;
	return bankmap_linear_use(map, error);
}

static inline unsigned swizzle_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(block ^ (block >> map->p[2] & map->multiplier)) & (map->used - 1);
}

BANKMAP_LOOP(swizzle)

const bankmap_ops bankmap_family_swizzle = {
	LINEAR_FAMILY,
	.parse = swizzle_parse,
	.bank = swizzle_bank,
	.map = swizzle_map,
};

/* Bits from COVERED on are not hashed. */
static bool cover(bankmap *map, uint64_t covered, GError **error)
{
	if (covered < map->bits || covered > 64)
		return bankmap_refuse(map, error, "the covered bits C must be %u to 64", map->bits);
	for (unsigned i = 0; i < map->bits && covered < 64; i++)
		map->masks[i] &= (UINT64_C(1) << covered) - 1;
	return true;
}

static bool poly_parse(bankmap *map, GError **error)
{
	if (!bankmap_use_bits(map, bankmap_degree(map->p[0]), error))
		return false;
	bankmap_poly_masks(map->p[0], map->bits, map->masks);
	return cover(map, map->given > 1 ? map->p[1] : 64, error) && bankmap_linear_use(map, error);
}

const bankmap_ops bankmap_family_poly = {
	LINEAR_FAMILY, .hex = 1, .parse = poly_parse, .bank = linear_bank, .map = linear_map,
};

static bool gf2_read(bankmap *map, const char *argument, GString *canonical, GError **error)
{
	g_auto(GStrv) words = bankmap_words(argument, error);

	for (char **word = words; words && *word; word++) {
		if (map->bits == BANKMAP_BITS_MAX)
			return bankmap_refuse(map, error, "more than %d rows", BANKMAP_BITS_MAX);
		if (!bankmap_number(*word, &map->masks[map->bits]))
			return bankmap_refuse(map, error, "expected a mask of block bits such as 0x81, not '%s'",
			                      *word);
		g_string_append_printf(canonical, "%s0x%" G_GINT64_MODIFIER "x", map->bits ? "," : "",
		                       map->masks[map->bits]);
		map->bits++;
	}
	return words != NULL;
}

const bankmap_ops bankmap_family_gf2 = {
	LINEAR_FAMILY, .read = gf2_read, .parse = bankmap_linear_use, .bank = linear_bank, .map = linear_map,
};

/* Rows for the low bits are drawn again until they are invertible; then the others, each bit with even chances. */
static bool pae_parse(bankmap *map, GError **error)
{
	rng r;

	if (!bankmap_use_bits(map, map->p[0], error))
		return false;
	rng_seed(&r, map->p[1], map->bits);
	do {
		for (unsigned i = 0; i < map->bits; i++)
			map->masks[i] = rng_next(&r) & (map->used - 1);
	} while (bankmap_linear_rank(map->masks, map->bits) < map->bits);
	for (unsigned i = 0; i < map->bits; i++)
		map->masks[i] |= rng_next(&r) << map->bits;
	return cover(map, map->given > 2 ? map->p[2] : 64, error) && bankmap_linear_use(map, error);
}

const bankmap_ops bankmap_family_pae = {
	LINEAR_FAMILY,
	.parse = pae_parse,
	.bank = linear_bank,
	.map = linear_map,
};

/* by_banks divides by M, below 2^N. */
static inline unsigned ipolymod_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)bankmap_remainder(map->by_banks, bankmap_linear_hash(map, block));
}

BANKMAP_LOOP(ipolymod)

static bool ipolymod_parse(bankmap *map, GError **error)
{
	unsigned degree = bankmap_degree(map->p[0]);

	if (degree < 1 || degree > BANKMAP_BITS_MAX)
		return bankmap_refuse(map, error, "the polynomial must have degree 1 to %d", BANKMAP_BITS_MAX);
	if (map->p[1] >= UINT64_C(1) << degree)
		return bankmap_refuse(map, error, "M must be below 2^%u, the number of codes", degree);
	if (!bankmap_use(map, map->p[1], 0, error))
		return false;
	map->bits = degree;
	/* Whole turns of the hash only, so that the fill is that of the codes. */
	map->domain = map->domain > map->domain % (UINT64_C(1) << degree)
	                      ? map->domain - map->domain % (UINT64_C(1) << degree)
	                      : map->domain;
	map->capacity = map->domain;
	bankmap_poly_masks(map->p[0], degree, map->masks);
	bankmap_linear_tables(map);
	return bankmap_alias(map, 0, map->used, "2^N codes fold onto M banks unevenly", error);
}

static void ipolymod_gates(const bankmap *map, bankmap_facts *facts)
{
	unsigned plain, shared;

	bankmap_gates_linear(map->masks, map->bits, facts->address_bits, &plain, &shared);
	bankmap_gates(facts, bankmap_gates_xor(shared) + bankmap_gates_fold(map->bits, map->used),
	              "%u XOR2 and a remainder of %u bits", shared, map->bits);
}

const bankmap_ops bankmap_family_ipolymod = {
	.counts = "any number of banks below a power of two",
	.analysis_only = true,
	.proven = true,
	.hex = 1,
	.parse = ipolymod_parse,
	.bank = ipolymod_bank,
	.row = high_bits_row,
	.map = ipolymod_map,
	.gates = ipolymod_gates,
};
