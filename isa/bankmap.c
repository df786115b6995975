/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps as pairs (bank, row) of a block number.  A family is a row in isa/bankmaps.def and three functions here:
 * parse checks the parameters and says how many banks and rows the map uses, bank and row compute.  A family must be
 * injective on its capacity by construction (parse refuses what is not); tests walk the whole capacity of each.
 * Sources of the families: docs/sources.md.
 */
#include "isa/bankmap.h"

#include <string.h>

enum { PARAMETERS = 3, BYTES = 8 };

typedef struct family {
	const char *name;
	const char *syntax;
	const char *doc;
	/* Checks p[] and sets what the map uses (use_banks or use_bits). */
	bool (*parse)(bankmap *map, GError **error);
	unsigned (*bank)(const bankmap *map, uint64_t block);
	uint64_t (*row)(const bankmap *map, uint64_t block);
} family;

struct bankmap {
	const family *family;
	char *text;
	unsigned banks; /* of the memory */
	uint64_t rows;
	unsigned used;     /* banks the map reaches */
	uint64_t capacity; /* blocks */
	uint64_t p[PARAMETERS];
	unsigned bits;          /* binary families: log2 of used */
	uint16_t (*table)[256]; /* poly: residue of each byte of the block number; else NULL */
};

static bool refuse(GError **error, const bankmap *map, const char *why)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s': %s", map->text, why);
	return false;
}

static bool use_banks(bankmap *map, uint64_t used, GError **error)
{
	if (used < 1 || used > map->banks) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank map '%s' needs %" G_GUINT64_FORMAT " banks, the memory has %u", map->text, used,
		            map->banks);
		return false;
	}
	map->used = (unsigned)used;
	map->capacity = used * map->rows;
	return true;
}

/* Families over 2^bits banks, whose row is the remaining high bits. */
static bool use_bits(bankmap *map, uint64_t bits, GError **error)
{
	if (bits < 1 || bits > 12)
		return refuse(error, map, "the number of bank bits must be 1 to 12");
	map->bits = (unsigned)bits;
	return use_banks(map, UINT64_C(1) << bits, error);
}

static uint64_t high_bits_row(const bankmap *map, uint64_t block)
{
	return block >> map->bits;
}

static bool mod_parse(bankmap *map, GError **error)
{
	return use_banks(map, map->p[0], error);
}

static unsigned mod_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(block % map->used);
}

static uint64_t mod_row(const bankmap *map, uint64_t block)
{
	return block / map->used;
}

static bool skew_parse(bankmap *map, GError **error)
{
	if (map->p[1] >= map->p[0])
		return refuse(error, map, "the displacement D must be below M");
	return use_banks(map, map->p[0], error);
}

static unsigned skew_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)((block + map->p[1] * (block / map->used)) % map->used);
}

static uint64_t skew_row(const bankmap *map, uint64_t block)
{
	return block / map->used;
}

static bool xorfold_parse(bankmap *map, GError **error)
{
	return use_bits(map, map->p[0], error);
}

static unsigned xorfold_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)((block ^ block >> map->bits) & (map->used - 1));
}

static uint64_t xorfold_row(const bankmap *map, uint64_t block)
{
	return high_bits_row(map, block);
}

static bool swizzle_parse(bankmap *map, GError **error)
{
	if (map->p[0] > 12 || map->p[1] > 12)
		return refuse(error, map, "the number of bank bits must be 1 to 12");
	if (map->p[2] < 1 || map->p[2] > 40)
		return refuse(error, map, "the shift S must be 1 to 40, else the map is not injective");
	return use_bits(map, map->p[0] + map->p[1], error);
}

static unsigned swizzle_bank(const bankmap *map, uint64_t block)
{
	uint64_t mask = ((UINT64_C(1) << map->p[0]) - 1) << map->p[1];

	return (unsigned)((block ^ (block >> map->p[2] & mask)) & (map->used - 1));
}

static uint64_t swizzle_row(const bankmap *map, uint64_t block)
{
	return high_bits_row(map, block);
}

static bool poly_parse(bankmap *map, GError **error)
{
	unsigned degree = 0;
	uint64_t residue = 1; /* of x^i */

	while (degree < 63 && map->p[0] >> (degree + 1))
		degree++;
	if (!use_bits(map, degree, error))
		return false;
	map->table = g_malloc0(BYTES * sizeof *map->table);
	for (unsigned bit = 0; bit < 8 * BYTES; bit++) {
		for (unsigned byte = 0; byte < 256; byte++)
			if (byte >> bit % 8 & 1)
				map->table[bit / 8][byte] ^= (uint16_t)residue;
		residue <<= 1;
		if (residue >> degree & 1)
			residue ^= map->p[0];
	}
	return true;
}

static unsigned poly_bank(const bankmap *map, uint64_t block)
{
	unsigned bank = 0;

	for (unsigned i = 0; block; i++, block >>= 8)
		bank ^= map->table[i][block & 255];
	return bank;
}

static uint64_t poly_row(const bankmap *map, uint64_t block)
{
	return high_bits_row(map, block);
}

static bool ideal_parse(bankmap *map, GError **error)
{
	return use_banks(map, map->banks, error);
}

static unsigned ideal_bank(const bankmap *map, uint64_t block)
{
	return (unsigned)(block % map->used);
}

static uint64_t ideal_row(const bankmap *map, uint64_t block)
{
	return block / map->used;
}

static const family families[] = {
#define BANKMAP(id, syntax, example, doc, source) {#id, syntax, doc, id##_parse, id##_bank, id##_row},
#include "isa/bankmaps.def"
};

/* Commas in a syntax text separate parameters; there is none without a colon. */
static unsigned family_parameters(const family *f)
{
	const char *colon = strchr(f->syntax, ':');
	unsigned count = colon != NULL;

	for (const char *at = colon; at && *at; at++)
		count += *at == ',';
	return count;
}

static const family *find_family(const char *text, GError **error)
{
	size_t length = strcspn(text, ":");
	g_autofree char *name = g_strndup(text, length);
	const char *names[G_N_ELEMENTS(families) + 1] = {NULL};
	const char *nearest;

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		names[i] = families[i].name;
		if (strcmp(name, names[i]) == 0)
			return &families[i];
	}
	if (strcmp(name, "direct") == 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank map 'direct' belongs to machines with MEM slices; a hashed SRAM needs a map such as "
		            "mod:139");
		return NULL;
	}
	nearest = tsp_nearest(name, names);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown bank map '%s'%s%s%s", text,
	            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

/* Reads the numbers after the colon and writes the canonical text. */
static bool read_parameters(bankmap *map, const char *text, GError **error)
{
	unsigned count = family_parameters(map->family);
	const char *at = text + strlen(map->family->name);
	g_autoptr(GString) canonical = g_string_new(map->family->name);

	for (unsigned i = 0; i < count; i++) {
		bool hex = strcmp(map->family->name, "poly") == 0;
		char *end;

		if (*at != (i ? ',' : ':') || !g_ascii_isdigit(at[1])) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s': expected %s", text,
			            map->family->syntax);
			return false;
		}
		map->p[i] = g_ascii_strtoull(at + 1, &end, at[1] == '0' && (at[2] | 32) == 'x' ? 16 : 10);
		at = end;
		g_string_append_printf(canonical, hex ? "%c0x%" G_GINT64_MODIFIER "x" : "%c%" G_GUINT64_FORMAT,
		                       i ? ',' : ':', map->p[i]);
	}
	if (*at) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s': expected %s", text, map->family->syntax);
		return false;
	}
	map->text = g_strdup(canonical->str);
	return true;
}

bankmap *bankmap_new(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	const family *f = find_family(text, error);
	bankmap *map;

	if (!f)
		return NULL;
	map = g_new0(bankmap, 1);
	map->family = f;
	map->banks = banks;
	map->rows = rows;
	if (!read_parameters(map, text, error) || !f->parse(map, error)) {
		bankmap_free(map);
		return NULL;
	}
	return map;
}

bankmap *bankmap_new_analysis(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	return bankmap_new(text, banks, rows, error);
}

void bankmap_free(bankmap *map)
{
	if (!map)
		return;
	g_free(map->table);
	g_free(map->text);
	g_free(map);
}

unsigned bankmap_bank(const bankmap *map, uint64_t block)
{
	return map->family->bank(map, block);
}

uint64_t bankmap_row(const bankmap *map, uint64_t block)
{
	return map->family->row(map, block);
}

void bankmap_banks(const bankmap *map, uint64_t first, unsigned count, uint16_t *banks)
{
	unsigned modulus = bankmap_modulus(map);

	if (modulus) {
		unsigned bank = (unsigned)(first % modulus);

		for (unsigned i = 0; i < count; i++) {
			banks[i] = (uint16_t)bank;
			bank = bank + 1 == modulus ? 0 : bank + 1;
		}
		return;
	}
	for (unsigned i = 0; i < count; i++)
		banks[i] = (uint16_t)map->family->bank(map, first + i);
}

void bankmap_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks)
{
	for (size_t i = 0; i < count; i++)
		banks[i] = (uint16_t)map->family->bank(map, blocks[i]);
}

unsigned bankmap_modulus(const bankmap *map)
{
	return map->family->bank == mod_bank ? map->used : 0;
}

bool bankmap_is_ideal(const bankmap *map)
{
	return map->family->bank == ideal_bank;
}

uint64_t bankmap_capacity_blocks(const bankmap *map)
{
	return map->capacity;
}

unsigned bankmap_banks_used(const bankmap *map)
{
	return map->used;
}

const char *bankmap_text(const bankmap *map)
{
	return map->text;
}

size_t bankmap_family_count(void)
{
	return G_N_ELEMENTS(families);
}

const char *bankmap_family_name(size_t i)
{
	return families[i].name;
}

const char *bankmap_family_doc(size_t i)
{
	return families[i].doc;
}
