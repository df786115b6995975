/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps as pairs (bank, row) of a block number: the table of families, texts, and the walk over a domain that tells
 * whether a map is one.  A family is a row in isa/bankmaps.def and its functions in the files beside this one.  Most
 * families are injective by construction once their parameters are accepted; of the others (expr, table rows, a row
 * divisor beside a hash) every block is looked at when the map is made.  Sources of the families: docs/sources.md.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

#define U64 "%" G_GUINT64_FORMAT

static const struct family {
	const char *name, *syntax, *example, *doc;
	const bankmap_ops *ops;
} families[] = {
#define BANKMAP(id, syntax, example, doc, source) {#id, syntax, example, doc, &bankmap_family_##id},
#define BANKMAP_ANALYSIS                          BANKMAP
#include "isa/bankmaps.def"
};

bool bankmap_refuse(const bankmap *map, GError **error, const char *format, ...)
{
	va_list arguments;
	g_autofree char *why = NULL;

	va_start(arguments, format);
	why = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s': %s", map->text, why);
	return false;
}

/* "; xorfold takes powers of two: 2, 4, ... 128" */
static char *counts_hint(const bankmap *map)
{
	GString *hint = g_string_new(NULL);
	const char *separator = ": ";

	g_string_append_printf(hint, "; %s takes %s", families[map->family].name, map->ops->counts);
	for (unsigned n = 1; map->ops->legal && n <= map->banks; n++)
		if (map->ops->legal(n)) {
			g_string_append_printf(hint, "%s%u", separator, n);
			separator = ", ";
		}
	return g_string_free(hint, FALSE);
}

bool bankmap_use(bankmap *map, uint64_t banks, uint64_t per_row, GError **error)
{
	if (banks < 1 || banks > map->banks) {
		g_autofree char *hint = counts_hint(map);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s' needs " U64 " banks, the memory has %u%s",
		            map->text, banks, map->banks, hint);
		return false;
	}
	per_row = per_row ? per_row : banks;
	if (per_row > BANKMAP_PLACES_MAX / map->rows)
		return bankmap_refuse(map, error, "it would store more than 2^32 words");
	map->used = (unsigned)banks;
	map->domain = map->capacity = per_row * map->rows;
	map->by_banks = bankmap_divisor_of(banks);
	map->by_row = bankmap_divisor_of(per_row);
	return true;
}

bool bankmap_use_bits(bankmap *map, uint64_t bits, GError **error)
{
	if (bits < 1 || bits > BANKMAP_BITS_MAX)
		return bankmap_refuse(map, error, "the number of bank bits must be 1 to %d", BANKMAP_BITS_MAX);
	map->bits = (unsigned)bits;
	return bankmap_use(map, UINT64_C(1) << bits, 0, error);
}

bool bankmap_alias(bankmap *map, uint64_t first, uint64_t second, const char *why, GError **error)
{
	map->injective = false;
	if (map->analysis)
		return true;
	return bankmap_refuse(map, error,
	                      "blocks " U64 " and " U64 " share bank %u, row " U64
	                      "%s%s; a map that is not injective cannot store data, it is for analysis only",
	                      first, second, bankmap_bank(map, first), bankmap_row(map, first), why ? ": " : "",
	                      why ? why : "");
}

uint64_t bankmap_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

bool bankmap_power_of_two(unsigned banks)
{
	return banks > 1 && !(banks & (banks - 1));
}

/* Extended Euclid; coefficients stay below m in size, and m below 2^48. */
uint64_t bankmap_modular_inverse(uint64_t a, uint64_t m)
{
	int64_t r[2] = {(int64_t)m, (int64_t)(a % m)}, x[2] = {0, 1};

	while (r[1]) {
		int64_t q = r[0] / r[1], t = r[0] - q * r[1];

		r[0] = r[1];
		r[1] = t;
		t = x[0] - q * x[1];
		x[0] = x[1];
		x[1] = t;
	}
	return (uint64_t)(x[0] < 0 ? x[0] + (int64_t)m : x[0]) % m;
}

static void mark(bankmap_walk *walk, const bankmap *map, uint64_t *taken, uint64_t block, unsigned bank, uint64_t row)
{
	uint64_t place = bank * map->rows + row;

	walk->rows_needed = MAX(walk->rows_needed, row + 1);
	if (row >= map->rows) {
		walk->outside++;
		walk->first_outside = MIN(walk->first_outside, block);
		return;
	}
	walk->fill[bank]++;
	if (taken[place / 64] >> place % 64 & 1) {
		if (!walk->aliased++)
			walk->first_aliased = block;
	}
	taken[place / 64] |= UINT64_C(1) << place % 64;
}

void bankmap_walk_domain(const bankmap *map, bool stop, bankmap_walk *walk)
{
	g_autofree uint64_t *taken = g_new0(uint64_t, (uint64_t)map->used * map->rows / 64 + 1);
	uint64_t blocks[BANKMAP_CHUNK], rows[BANKMAP_CHUNK];
	uint16_t banks[BANKMAP_CHUNK];

	*walk = (bankmap_walk){.first_outside = map->domain, .fill = g_new0(uint64_t, map->used)};
	for (uint64_t first = 0; first < map->domain && !(stop && walk->aliased); first += BANKMAP_CHUNK) {
		unsigned count = (unsigned)MIN(BANKMAP_CHUNK, map->domain - first);

		for (unsigned i = 0; i < count; i++)
			blocks[i] = first + i;
		bankmap_map(map, blocks, count, banks);
		if (map->ops->rows)
			map->ops->rows(map, blocks, count, rows);
		for (unsigned i = 0; i < count; i++)
			mark(walk, map, taken, blocks[i], banks[i],
			     map->ops->rows ? rows[i] : map->ops->row(map, blocks[i]));
	}
}

uint64_t bankmap_first_in_place(const bankmap *map, uint64_t block)
{
	unsigned bank = bankmap_bank(map, block);
	uint64_t row = bankmap_row(map, block), other = 0;

	while (other < block && (bankmap_bank(map, other) != bank || bankmap_row(map, other) != row))
		other++;
	return other;
}

/* For families without a proof: the walk is the proof, and gives the capacity.  What is shared above it does not
 * matter. */
static bool prove(bankmap *map, GError **error)
{
	bankmap_walk walk;

	bankmap_walk_domain(map, !map->analysis, &walk);
	g_free(walk.fill);
	map->capacity = walk.first_outside;
	if (walk.aliased && walk.first_aliased < map->capacity)
		return bankmap_alias(map, bankmap_first_in_place(map, walk.first_aliased), walk.first_aliased, NULL,
		                     error);
	return map->capacity > 0 || bankmap_refuse(map, error, "block 0 has no row that exists");
}

/* Commas in a syntax text separate parameters; there is none without a colon.  Those after '[' may be left out. */
static unsigned family_parameters(const char *syntax, unsigned *required)
{
	const char *colon = strchr(syntax, ':');
	unsigned count = colon != NULL;
	bool optional = false;

	*required = count;
	for (const char *at = colon; at && *at; at++) {
		optional |= *at == '[';
		count += *at == ',';
		*required += *at == ',' && !optional;
	}
	return count;
}

static bool find_family(const char *text, size_t *family, GError **error)
{
	g_autofree char *name = g_strndup(text, strcspn(text, ":"));
	const char *names[G_N_ELEMENTS(families) + 1] = {NULL};
	const char *nearest;

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		names[i] = families[i].name;
		if (strcmp(name, names[i]) == 0) {
			*family = i;
			return true;
		}
	}
	if (strcmp(name, "direct") == 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank map 'direct' belongs to machines with MEM slices; a hashed SRAM needs a map such as "
		            "mod:139");
		return false;
	}
	nearest = tsp_nearest(name, names);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown bank map '%s'%s%s%s", text,
	            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

/* Reads the numbers after the colon; the canonical text into CANONICAL. */
static bool read_numbers(bankmap *map, const char *at, GString *canonical)
{
	unsigned required, count = family_parameters(families[map->family].syntax, &required);

	for (unsigned i = 0; i < count; i++) {
		uint64_t value = 0;
		char *end;

		if (!*at && i >= required)
			break;
		if (*at != (i ? ',' : ':') || !g_ascii_isdigit(at[1]))
			return false;
		value = g_ascii_strtoull(at + 1, &end, at[1] == '0' && (at[2] | 32) == 'x' ? 16 : 10);
		at = end;
		map->p[map->given++] = value;
		g_string_append_printf(canonical,
		                       map->ops->hex >> i & 1 ? "%c0x%" G_GINT64_MODIFIER "x" : "%c%" G_GUINT64_FORMAT,
		                       i ? ',' : ':', value);
	}
	return *at == '\0';
}

static bool read_text(bankmap *map, const char *text, GError **error)
{
	const struct family *f = &families[map->family];
	const char *at = text + strlen(f->name);
	g_autoptr(GString) canonical = g_string_new(f->name);

	if (map->ops->read) {
		map->text = g_strdup(text);
		if (*at == ':' && at[1]) {
			g_string_append_c(canonical, ':');
			if (!map->ops->read(map, at + 1, canonical, error))
				return false;
			g_free(map->text);
			map->text = g_strdup(canonical->str);
			return true;
		}
	} else if (read_numbers(map, at, canonical)) {
		map->text = g_strdup(canonical->str);
		return true;
	}
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map '%s': expected %s", text, f->syntax);
	return false;
}

static bankmap *make(const char *text, unsigned banks, uint64_t rows, bool analysis, GError **error)
{
	bankmap *map = g_new0(bankmap, 1);

	map->banks = banks;
	map->rows = rows;
	map->analysis = analysis;
	map->injective = true;
	map->covered_bits = 64;
	if (!find_family(text, &map->family, error))
		goto fail;
	map->ops = families[map->family].ops;
	if (banks < 1 || banks > BANKMAP_BANKS_MAX || rows < 1 || rows > BANKMAP_PLACES_MAX / banks) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank map '%s': a memory has 1 to %d banks and at most 2^32 words, not %u banks of " U64
		            " rows",
		            text, BANKMAP_BANKS_MAX, banks, rows);
		goto fail;
	}
	if (read_text(map, text, error) && map->ops->parse(map, error) && (map->ops->proven || prove(map, error)))
		return map;
fail:
	bankmap_free(map);
	return NULL;
}

/* A file holds the text of any map, or what may stand after expr: or table: alone. */
static char *text_of_file(const char *text, GError **error)
{
	g_autofree char *content = NULL;
	const char *path;

	if (!g_str_has_prefix(text, "file:"))
		return g_strdup(text);
	path = text + strlen("file:");
	content = bankmap_file(path, error);
	if (!content)
		return NULL;
	g_strstrip(content);
	if (g_str_has_prefix(content, "bank"))
		return g_strconcat("expr:", content, NULL);
	if (g_ascii_isdigit(*content))
		return g_strconcat("table:", content, NULL);
	if (*content && strchr(content, ':') && !g_str_has_prefix(content, "file:"))
		return g_strdup(content);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s:1:1: expected the text of a bank map, bank=EXPRESSION, or a table of banks", path);
	return NULL;
}

static bankmap *from_text(const char *text, unsigned banks, uint64_t rows, bool analysis, GError **error)
{
	g_autofree char *whole = text_of_file(text, error);

	return whole ? make(whole, banks, rows, analysis, error) : NULL;
}

bankmap *bankmap_new(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	return from_text(text, banks, rows, false, error);
}

bankmap *bankmap_new_analysis(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	return from_text(text, banks, rows, true, error);
}

void bankmap_free(bankmap *map)
{
	if (!map)
		return;
	if (map->ops && map->ops->clear)
		map->ops->clear(map);
	g_free(map->parities);
	g_free(map->text);
	g_free(map);
}

unsigned bankmap_bank(const bankmap *map, uint64_t block)
{
	return map->ops->bank(map, block);
}

uint64_t bankmap_row(const bankmap *map, uint64_t block)
{
	return map->ops->row(map, block);
}

void bankmap_banks(const bankmap *map, uint64_t first, unsigned count, uint16_t *banks)
{
	if (map->modulus) {
		unsigned bank = (unsigned)bankmap_remainder(map->by_banks, first);

		for (unsigned i = 0; i < count; i++) {
			banks[i] = (uint16_t)bank;
			bank = bank + 1 == map->modulus ? 0 : bank + 1;
		}
		return;
	}
	for (unsigned at = 0; at < count; at += BANKMAP_CHUNK) {
		unsigned n = MIN(BANKMAP_CHUNK, count - at);
		uint64_t blocks[BANKMAP_CHUNK];

		for (unsigned i = 0; i < n; i++)
			blocks[i] = first + at + i;
		map->ops->map(map, blocks, n, banks + at);
	}
}

void bankmap_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks)
{
	map->ops->map(map, blocks, count, banks);
}

bool bankmap_inverse(const bankmap *map, unsigned bank, uint64_t row, uint64_t *block)
{
	uint64_t found = 0;

	if (!map->injective || bank >= map->used || row >= map->rows)
		return false;
	if (map->ops->inverse)
		found = map->ops->inverse(map, bank, row);
	else
		while (found < map->capacity && (bankmap_bank(map, found) != bank || bankmap_row(map, found) != row))
			found++;
	if (found >= map->capacity)
		return false;
	*block = found;
	return true;
}

unsigned bankmap_modulus(const bankmap *map)
{
	return map->modulus;
}

bool bankmap_is_linear(const bankmap *map)
{
	return map->linear;
}

bool bankmap_is_ideal(const bankmap *map)
{
	return map->ops == &bankmap_family_ideal;
}

bool bankmap_is_injective(const bankmap *map)
{
	return map->injective;
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

const char *bankmap_family_syntax(size_t i)
{
	return families[i].syntax;
}

const char *bankmap_family_example(size_t i)
{
	return families[i].example;
}

const char *bankmap_family_doc(size_t i)
{
	return families[i].doc;
}

const char *bankmap_family_counts(size_t i)
{
	return families[i].ops->counts;
}

bool bankmap_family_analysis_only(size_t i)
{
	return families[i].ops->analysis_only;
}
