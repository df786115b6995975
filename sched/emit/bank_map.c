/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's bank maps; see bank_map.h.  Constructions are other ones than those of isa/bankmap/: hashes over
 * GF(2) by columns instead of rows, products by doubling, expressions by a tree; maps whose placement is not clear from
 * their parameters are walked block by block into a table of banks, which also finds words that are used twice.
 */
#include "sched/emit/bank_map.h"

#include <string.h>

#include "isa/rng.h"

enum { PARAMETERS = 3, BITS_MAX = 12 };

struct bank_map {
	const struct kind *kind;
	unsigned banks;
	uint64_t rows;
	uint64_t p[PARAMETERS];
	unsigned given;    /* numbers in the text */
	const char *words; /* what follows the colon; valid while the map is made */
	uint64_t used;     /* banks the map reaches */
	uint64_t capacity; /* blocks */
	uint64_t modulus;  /* bank = block mod modulus; 0: not so */
	unsigned bits;
	uint64_t columns[64]; /* bits of the hash that block bit i turns over */
	GArray *entries;      /* table: struct entry */
	uint64_t span, rotate;
	bool turn_xor;
	bank_expr *bank_of, *row_of;
	uint16_t *banks_walked; /* of every block below the capacity; NULL: computed */
};

typedef struct entry {
	uint64_t bank, row;
} entry;

typedef struct kind {
	const char *name;
	unsigned least, most; /* numbers after the colon; most 0 and least 1: words */
	bool (*prepare)(bank_map *map);
	uint64_t (*bank)(const bank_map *map, uint64_t block); /* NULL: block mod used */
	/* Of kinds that are walked: false when there is no such place in any memory. */
	bool (*place)(const bank_map *map, uint64_t block, uint64_t *bank, uint64_t *row);
} kind;

static bool reach(bank_map *map, uint64_t banks, uint64_t blocks_a_row)
{
	map->used = banks;
	map->capacity = blocks_a_row * map->rows;
	return banks >= 1 && banks <= map->banks;
}

static bool reach_modulus(bank_map *map, uint64_t modulus, uint64_t blocks_a_row)
{
	map->modulus = modulus;
	return blocks_a_row >= 1 && blocks_a_row <= modulus && reach(map, modulus, blocks_a_row);
}

static bool reach_bits(bank_map *map, uint64_t bits)
{
	map->bits = (unsigned)MIN(bits, 63);
	return bits >= 1 && bits <= BITS_MAX && reach(map, UINT64_C(1) << bits, UINT64_C(1) << bits);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
	return b ? common_factor(b, a % b) : a;
}

static bool prepare_mod(bank_map *map)
{
	return reach_modulus(map, map->p[0], map->p[0]);
}

static bool prepare_prime(bank_map *map)
{
	return reach_modulus(map, map->p[0], map->p[1]);
}

static bool prepare_bsp(bank_map *map)
{
	uint64_t in_row = 1;

	if (map->given > 1)
		in_row = map->p[1] < 32 ? UINT64_C(1) << map->p[1] : 0;
	else
		while (in_row * 2 <= MIN(map->p[0], map->banks))
			in_row *= 2;
	return reach_modulus(map, map->p[0], in_row);
}

static bool prepare_crt(bank_map *map)
{
	return common_factor(map->p[0], map->rows) == 1 && prepare_mod(map);
}

static bool prepare_mersenne(bank_map *map)
{
	map->p[0] = map->p[0] < 32 ? (UINT64_C(1) << map->p[0]) - 1 : 0;
	return prepare_mod(map);
}

/* Without its factors of two, one less than a power of two. */
static bool prepare_bsg(bank_map *map)
{
	uint64_t odd = map->p[0];

	while (odd && odd % 2 == 0)
		odd /= 2;
	return (odd & (odd + 1)) == 0 && prepare_mod(map);
}

static bool prepare_all(bank_map *map)
{
	return reach_modulus(map, map->banks, map->banks);
}

static bool prepare_ideal(bank_map *map)
{
	return reach(map, map->banks, map->banks);
}

static bool prepare_skew(bank_map *map)
{
	return map->p[1] < map->p[0] && reach(map, map->p[0], map->p[0]);
}

static uint64_t skew_bank(const bank_map *map, uint64_t block)
{
	return (block + map->p[1] * (block / map->used)) % map->used;
}

static bool prepare_pdisp(bank_map *map)
{
	return map->p[1] % 2 == 1 && reach_bits(map, map->p[0]) && map->p[1] < map->used;
}

static uint64_t pdisp_bank(const bank_map *map, uint64_t block)
{
	uint64_t row = block / map->used;

	return (block % map->used + map->p[1] * (row % map->used)) % map->used;
}

static uint64_t hash_of(const bank_map *map, uint64_t block)
{
	uint64_t hash = 0;

	for (; block; block &= block - 1)
		hash ^= map->columns[__builtin_ctzll(block)];
	return hash;
}

/* x^i mod P by shift and subtract, bit by bit. */
static unsigned polynomial_columns(bank_map *map, uint64_t polynomial, unsigned covered)
{
	unsigned degree = polynomial ? 63 - (unsigned)__builtin_clzll(polynomial) : 0;
	uint64_t power = 1;

	for (unsigned i = 0; i < covered && degree; i++) {
		map->columns[i] = power;
		power <<= 1;
		if (power >> degree & 1)
			power ^= polynomial;
	}
	return degree;
}

static bool prepare_hybrid(bank_map *map)
{
	unsigned degree = polynomial_columns(map, map->p[1], 64);

	return reach_bits(map, degree) && map->p[0] % 2 == 1 && map->p[0] <= map->banks &&
	       reach(map, map->p[0] << degree, map->p[0] << degree);
}

static uint64_t hybrid_bank(const bank_map *map, uint64_t block)
{
	return block % map->p[0] * (UINT64_C(1) << map->bits) + hash_of(map, block / map->p[0]);
}

static bool prepare_amd(bank_map *map)
{
	map->bits = (unsigned)MIN(map->p[0], 63);
	return map->p[0] >= 1 && map->p[0] <= 4 && map->p[1] % 2 == 1 && map->p[1] <= map->banks &&
	       reach(map, map->p[1] << map->bits, map->p[1] << map->bits);
}

static uint64_t amd_bank(const bank_map *map, uint64_t block)
{
	static const unsigned above[] = {6, 8, 13, 22, 32};
	uint64_t low = block, whole = UINT64_C(1) << map->bits;

	for (size_t i = 0; i < G_N_ELEMENTS(above); i++)
		low ^= block >> above[i];
	return block / whole % map->p[1] * whole + low % whole;
}

static bool prepare_xorfold(bank_map *map)
{
	return reach_bits(map, map->p[0]);
}

static uint64_t xorfold_bank(const bank_map *map, uint64_t block)
{
	return (block ^ block >> map->bits) & (map->used - 1);
}

static bool prepare_swizzle(bank_map *map)
{
	return map->p[0] <= BITS_MAX && map->p[1] <= BITS_MAX && map->p[2] >= 1 && map->p[2] <= 40 &&
	       reach_bits(map, map->p[0] + map->p[1]);
}

static uint64_t swizzle_bank(const bank_map *map, uint64_t block)
{
	uint64_t moved = (block >> map->p[2]) & ((UINT64_C(1) << map->p[0]) - 1) << map->p[1];

	return (block ^ moved) & (map->used - 1);
}

/* Does each value of the low bits have its own hash? */
static bool low_bits_are_told_apart(const bank_map *map)
{
	g_autofree bool *met = g_new0(bool, map->used);

	for (uint64_t low = 0; low < map->used; low++) {
		uint64_t hash = hash_of(map, low);

		if (met[hash])
			return false;
		met[hash] = true;
	}
	return true;
}

static bool prepare_poly(bank_map *map)
{
	uint64_t covered = map->given > 1 ? map->p[1] : 64;

	return covered <= 64 && reach_bits(map, polynomial_columns(map, map->p[0], (unsigned)covered)) &&
	       low_bits_are_told_apart(map);
}

static bool prepare_gf2(bank_map *map)
{
	g_auto(GStrv) rows = g_strsplit(map->words, ",", -1);
	unsigned count = g_strv_length(rows);

	if (!reach_bits(map, count))
		return false;
	for (unsigned r = 0; r < count; r++) {
		char *end;
		uint64_t mask = bank_map_number(rows[r], &end);

		if (!g_ascii_isdigit(*rows[r]) || *end)
			return false;
		for (unsigned i = 0; i < 64; i++)
			map->columns[i] |= (mask >> i & 1) << r;
	}
	return low_bits_are_told_apart(map);
}

/* A draw is a row of the matrix: first the low bits of all rows, again until they are told apart, then the others. */
static bool prepare_pae(bank_map *map)
{
	uint64_t covered = map->given > 2 ? map->p[2] : 64;
	rng r;

	if (!reach_bits(map, map->p[0]) || covered < map->bits || covered > 64)
		return false;
	rng_seed(&r, map->p[1], map->bits);
	do {
		memset(map->columns, 0, sizeof map->columns);
		for (unsigned row = 0; row < map->bits; row++) {
			uint64_t draw = rng_next(&r);

			for (unsigned i = 0; i < map->bits; i++)
				map->columns[i] |= (draw >> i & 1) << row;
		}
	} while (!low_bits_are_told_apart(map));
	for (unsigned row = 0; row < map->bits; row++) {
		uint64_t draw = rng_next(&r);

		for (unsigned i = map->bits; i < covered; i++)
			map->columns[i] |= (draw >> (i - map->bits) & 1) << row;
	}
	return true;
}

static bool prepare_mult(bank_map *map)
{
	uint64_t banks = map->given > 1 ? map->p[1] : map->banks;

	if (!reach(map, banks, banks))
		return false;
	map->p[0] %= map->capacity;
	return common_factor(map->p[0], map->capacity) == 1;
}

/* The product by doubling, so that nothing needs more than 64 bits. */
static uint64_t mult_bank(const bank_map *map, uint64_t block)
{
	uint64_t place = 0, term = block % map->capacity;

	for (uint64_t factor = map->p[0]; factor; factor >>= 1) {
		if (factor & 1)
			place = (place + term) % map->capacity;
		term = 2 * term % map->capacity;
	}
	return place / map->rows;
}

static uint64_t bitrev_bank(const bank_map *map, uint64_t block)
{
	uint64_t bank = 0, from = block / map->rows % map->used;

	for (uint64_t weight = map->used / 2; weight; weight /= 2, from /= 2)
		bank += from % 2 * weight;
	return bank;
}

static bool prepare_xormod(bank_map *map)
{
	uint64_t in_row = map->given > 2 ? map->p[2] : map->banks;

	return map->p[1] >= 1 && map->p[1] <= 63 && in_row >= 1 && in_row <= (UINT64_C(1) << 32) / map->rows &&
	       reach(map, map->p[0], in_row);
}

static uint64_t xormod_bank(const bank_map *map, uint64_t block)
{
	return (block ^ block >> map->p[1]) % map->used;
}

static bool xormod_place(const bank_map *map, uint64_t block, uint64_t *bank, uint64_t *row)
{
	*bank = xormod_bank(map, block);
	*row = map->given > 2 ? block / map->p[2] : (block ^ block >> map->p[1]) / map->used;
	return true;
}

static bool read_entry(bank_map *map, const char *word)
{
	entry e = {0, 0};
	char *end;

	if (strcmp(word, "xor") == 0) {
		map->turn_xor = true;
		return true;
	}
	if (g_str_has_prefix(word, "rotate=")) {
		map->rotate = bank_map_number(word + strlen("rotate="), NULL);
		return true;
	}
	if (!g_ascii_isdigit(*word))
		return false;
	e.bank = bank_map_number(word, &end);
	if (*end == ':')
		e.row = bank_map_number(end + 1, &end);
	else
		for (guint i = 0; i < map->entries->len; i++)
			e.row += g_array_index(map->entries, entry, i).bank == e.bank;
	map->used = MAX(map->used, e.bank + 1);
	map->span = MAX(map->span, e.row + 1);
	g_array_append_val(map->entries, e);
	return *end == '\0' && e.bank < map->banks;
}

static bool prepare_table(bank_map *map)
{
	g_auto(GStrv) words = g_strsplit(map->words, ",", -1);

	map->entries = g_array_new(FALSE, FALSE, sizeof(entry));
	for (char **word = words; *word; word++)
		if (!read_entry(map, *word))
			return false;
	for (guint i = 0; i < map->entries->len; i++)
		for (guint j = 0; j < i; j++)
			if (memcmp(&g_array_index(map->entries, entry, i), &g_array_index(map->entries, entry, j),
			           sizeof(entry)) == 0)
				return false;
	if (!map->entries->len || map->rotate >= map->entries->len ||
	    (map->turn_xor && (map->entries->len & (map->entries->len - 1))))
		return false;
	map->capacity = map->rows / map->span * map->entries->len;
	return map->capacity > 0;
}

static uint64_t table_bank(const bank_map *map, uint64_t block)
{
	uint64_t length = map->entries->len, turn = block / length % length, i = block % length;

	i = map->turn_xor ? i ^ turn : (i + turn * map->rotate) % length;
	return g_array_index(map->entries, entry, i).bank;
}

static bool prepare_expr(bank_map *map)
{
	g_auto(GStrv) parts = g_strsplit(map->words, ";", -1);
	uint64_t most = 0, bank;

	for (char **part = parts; *part; part++) {
		bool row = g_str_has_prefix(*part, "row=");
		const char *equals = strchr(*part, '=');
		bank_expr **expr = row ? &map->row_of : &map->bank_of;

		if (!equals || *expr || !(row || g_str_has_prefix(*part, "bank=")))
			return false;
		*expr = bank_expr_new(equals + 1, strlen(equals + 1));
		if (!*expr)
			return false;
	}
	map->used = map->banks;
	map->capacity = map->banks * map->rows;
	if (!map->bank_of || map->row_of)
		return map->bank_of != NULL;
	/* Rows follow from the banks reached. */
	for (uint64_t block = 0; block < map->capacity; block++) {
		if (!bank_expr_value(map->bank_of, block, &bank))
			return false;
		most = MAX(most, bank);
	}
	map->used = most + 1;
	return most < map->banks;
}

static uint64_t expr_bank(const bank_map *map, uint64_t block)
{
	uint64_t bank;

	return bank_expr_value(map->bank_of, block, &bank) ? bank % map->used : 0;
}

static bool expr_place(const bank_map *map, uint64_t block, uint64_t *bank, uint64_t *row)
{
	*row = block / map->used;
	return bank_expr_value(map->bank_of, block, bank) && *bank < map->banks &&
	       (!map->row_of || bank_expr_value(map->row_of, block, row));
}

static const kind kinds[] = {
	{"mod", 1, 1, prepare_mod, NULL, NULL},
	{"prime", 2, 2, prepare_prime, NULL, NULL},
	{"bsp", 1, 2, prepare_bsp, NULL, NULL},
	{"crt", 1, 1, prepare_crt, NULL, NULL},
	{"mersenne", 1, 1, prepare_mersenne, NULL, NULL},
	{"bsg", 1, 1, prepare_bsg, NULL, NULL},
	{"identity", 0, 0, prepare_all, NULL, NULL},
	{"ideal", 0, 0, prepare_ideal, NULL, NULL},
	{"skew", 2, 2, prepare_skew, skew_bank, NULL},
	{"pdisp", 2, 2, prepare_pdisp, pdisp_bank, NULL},
	{"hybrid", 2, 2, prepare_hybrid, hybrid_bank, NULL},
	{"amd", 2, 2, prepare_amd, amd_bank, NULL},
	{"xorfold", 1, 1, prepare_xorfold, xorfold_bank, NULL},
	{"swizzle", 3, 3, prepare_swizzle, swizzle_bank, NULL},
	{"poly", 1, 2, prepare_poly, hash_of, NULL},
	{"gf2", 1, 0, prepare_gf2, hash_of, NULL},
	{"pae", 2, 3, prepare_pae, hash_of, NULL},
	{"mult", 1, 2, prepare_mult, mult_bank, NULL},
	{"bitrev", 1, 1, prepare_xorfold, bitrev_bank, NULL},
	{"xormod", 2, 3, prepare_xormod, xormod_bank, xormod_place},
	{"table", 1, 0, prepare_table, table_bank, NULL},
	{"expr", 1, 0, prepare_expr, expr_bank, expr_place},
};

static bool read_map(bank_map *map, const char *text)
{
	size_t length = strcspn(text, ":");
	const char *at = text + length;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0)
			map->kind = &kinds[i];
	if (!map->kind)
		return false;
	if (map->kind->least > map->kind->most) {
		map->words = at + 1;
		return *at == ':';
	}
	for (unsigned i = 0; i < map->kind->most && *at; i++) {
		char *end;

		if (*at != (i ? ',' : ':') || !g_ascii_isdigit(at[1]))
			return false;
		map->p[i] = bank_map_number(at + 1, &end);
		at = end;
		map->given++;
	}
	return *at == '\0' && map->given >= map->kind->least;
}

/* Every block in turn: the capacity ends where rows end; false where a word below it is used a second time. */
static bool walk(bank_map *map)
{
	g_autofree uint64_t *taken = g_new0(uint64_t, map->banks * map->rows / 64 + 1);
	uint64_t blocks = map->capacity, most = 0, bank, row;

	map->banks_walked = g_new(uint16_t, blocks);
	for (uint64_t block = 0; block < blocks; block++) {
		uint64_t word;

		if (!map->kind->place(map, block, &bank, &row))
			return false;
		most = MAX(most, bank);
		if (row >= map->rows)
			map->capacity = MIN(map->capacity, block);
		if (block >= map->capacity)
			continue;
		word = row * map->banks + bank;
		if (taken[word / 64] >> word % 64 & 1)
			return false;
		taken[word / 64] |= UINT64_C(1) << word % 64;
		map->banks_walked[block] = (uint16_t)bank;
	}
	if (map->bank_of)
		map->used = most + 1;
	return map->capacity > 0;
}

bank_map *bank_map_new(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	bank_map *map = g_new0(bank_map, 1);

	map->banks = banks;
	map->rows = rows;
	if (read_map(map, text) && map->kind->prepare(map) && (!map->kind->place || walk(map)))
		return map;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "the scheduler cannot place data under bank map '%s' in %u banks",
	            text, banks);
	bank_map_free(map);
	return NULL;
}

void bank_map_free(bank_map *map)
{
	if (!map)
		return;
	if (map->entries)
		g_array_unref(map->entries);
	bank_expr_free(map->bank_of);
	bank_expr_free(map->row_of);
	g_free(map->banks_walked);
	g_free(map);
}

unsigned bank_map_bank(const bank_map *map, uint64_t block)
{
	if (!map->kind->bank)
		return (unsigned)(block % map->used);
	if (map->banks_walked && block < map->capacity)
		return map->banks_walked[block];
	return (unsigned)map->kind->bank(map, block);
}

uint64_t bank_map_capacity_blocks(const bank_map *map)
{
	return map->capacity;
}

unsigned bank_map_banks_used(const bank_map *map)
{
	return (unsigned)map->used;
}

unsigned bank_map_modulus(const bank_map *map)
{
	return (unsigned)map->modulus;
}

bool bank_map_is_ideal(const bank_map *map)
{
	return map->kind->prepare == prepare_ideal;
}
