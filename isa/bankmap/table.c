/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of L banks, used again for every L blocks, after the way in which cache slices were found to be laid out: a
 * base sequence permuted by higher address bits.  Entry i is a bank, or bank:row; without rows the entries of a bank
 * count up.  In turn q of the table block q L + i takes entry i ^ (q mod L) (xor, L a power of two) or (i + D q) mod L
 * (rotate=D), so turns differ but each uses every entry once.  Permutations by masks of many bits are not offered.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

enum { ENTRIES_MAX = 65536, ROWS_MAX = 65536 };

typedef struct table {
	GArray *bank, *row;    /* uint16_t, uint32_t: of an entry, row within its turn */
	uint64_t length, span; /* entries and rows of a turn */
	bool xor, rows_given;
	uint64_t rotate;
} table;

/* by_row divides by the length. */
static inline uint64_t entry_of(const bankmap *map, const table *t, uint64_t block, uint64_t *turn)
{
	uint64_t i;

	*turn = bankmap_divide(map->by_row, block, &i);
	if (t->xor)
		return i ^ (*turn & (t->length - 1));
	return t->rotate ? bankmap_remainder(map->by_row, i + t->rotate * bankmap_remainder(map->by_row, *turn)) : i;
}

static inline unsigned table_bank(const bankmap *map, uint64_t block)
{
	const table *t = map->extra;
	uint64_t turn;

	return g_array_index(t->bank, uint16_t, entry_of(map, t, block, &turn));
}

BANKMAP_LOOP(table)

static uint64_t table_row(const bankmap *map, uint64_t block)
{
	const table *t = map->extra;
	uint64_t turn, entry = entry_of(map, t, block, &turn);

	return turn * t->span + g_array_index(t->row, uint32_t, entry);
}

static uint64_t table_inverse(const bankmap *map, unsigned bank, uint64_t row)
{
	const table *t = map->extra;
	uint64_t turn = row / t->span, back = t->rotate * (turn % t->length) % t->length;

	for (uint64_t i = 0; i < t->length; i++)
		if (g_array_index(t->bank, uint16_t, i) == bank && g_array_index(t->row, uint32_t, i) == row % t->span)
			return turn * t->length +
			       (t->xor ? i ^ (turn & (t->length - 1)) : (i + t->length - back) % t->length);
	return UINT64_MAX;
}

static bool read_entry(bankmap *map, table *t, const char *word, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", 2);
	uint64_t bank = 0, row = 0;
	uint16_t bank16;
	uint32_t row32;

	if (!bankmap_number(parts[0], &bank) || (parts[1] && !bankmap_number(parts[1], &row)))
		return bankmap_refuse(map, error, "expected a bank, bank:row, xor or rotate=D, not '%s'", word);
	if (bank >= map->banks)
		return bankmap_refuse(map, error, "entry %u is bank %" G_GUINT64_FORMAT ", the memory has %u",
		                      t->bank->len, bank, map->banks);
	if (row >= ROWS_MAX || t->bank->len == ENTRIES_MAX)
		return bankmap_refuse(map, error, "more than %d entries or rows", ENTRIES_MAX);
	if (t->bank->len && t->rows_given != (parts[1] != NULL))
		return bankmap_refuse(map, error, "either all entries name their row or none");
	t->rows_given = parts[1] != NULL;
	bank16 = (uint16_t)bank;
	row32 = (uint32_t)row;
	g_array_append_val(t->bank, bank16);
	g_array_append_val(t->row, row32);
	return true;
}

static bool table_read(bankmap *map, const char *argument, GString *canonical, GError **error)
{
	g_auto(GStrv) words = bankmap_words(argument, error);
	table *t = g_new0(table, 1);

	map->extra = t;
	t->bank = g_array_new(FALSE, FALSE, sizeof(uint16_t));
	t->row = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (char **word = words; words && *word; word++) {
		if (strcmp(*word, "xor") == 0)
			t->xor = true;
		else if (g_str_has_prefix(*word, "rotate=") && bankmap_number(*word + strlen("rotate="), &t->rotate))
			;
		else if (!read_entry(map, t, *word, error))
			return false;
		g_string_append_printf(canonical, "%s%s", word == words ? "" : ",", *word);
	}
	return words != NULL;
}

/* Rows that were not given: the entries of a bank count up.  Finds the two entries that share a place. */
static bool place_entries(bankmap *map, table *t, uint64_t twin[2])
{
	g_autofree uint32_t *next = g_new0(uint32_t, map->banks);
	g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	bool distinct = true;

	for (uint64_t i = 0; i < t->length; i++) {
		unsigned bank = g_array_index(t->bank, uint16_t, i);
		uint32_t *row = &g_array_index(t->row, uint32_t, i);
		gint64 place;
		gpointer other;

		if (!t->rows_given)
			*row = next[bank]++;
		t->span = MAX(t->span, *row + UINT64_C(1));
		map->used = MAX(map->used, bank + 1);
		place = (gint64)bank * ROWS_MAX + *row;
		if (distinct && g_hash_table_lookup_extended(places, &place, NULL, &other)) {
			distinct = false;
			twin[0] = GPOINTER_TO_SIZE(other);
			twin[1] = i;
		}
		g_hash_table_insert(places, g_memdup2(&place, sizeof place), GSIZE_TO_POINTER(i));
	}
	return distinct;
}

static bool table_parse(bankmap *map, GError **error)
{
	table *t = map->extra;
	uint64_t twin[2] = {0, 0};
	bool distinct;

	t->length = t->bank->len;
	if (!t->length)
		return bankmap_refuse(map, error, "the table is empty");
	if (t->xor &&(t->length & (t->length - 1) || t->rotate))
		return bankmap_refuse(map, error,
		                      "xor wants a number of entries that is a power of two, and no rotate");
	if (t->rotate >= t->length)
		return bankmap_refuse(map, error, "rotate must be below the number of entries");
	distinct = place_entries(map, t, twin);
	if (t->span > map->rows)
		return bankmap_refuse(map, error, "one turn of the table takes %" G_GUINT64_FORMAT " rows", t->span);
	map->by_row = bankmap_divisor_of(t->length);
	if (map->rows / t->span > BANKMAP_PLACES_MAX / t->length)
		return bankmap_refuse(map, error, "it would store more than 2^32 words");
	map->domain = map->capacity = map->rows / t->span * t->length;
	return distinct || bankmap_alias(map, twin[0], twin[1], "two entries name one place", error);
}

static void table_gates(const bankmap *map, bankmap_facts *facts)
{
	const table *t = map->extra;
	unsigned bits = bankmap_bit_length(map->used - 1);
	bool wires = !(t->length & (t->length - 1));

	bankmap_gates(facts,
	              bankmap_gates_select(t->length, bits) +
	                      (wires ? 0 : bankmap_gates_divide(facts->address_bits, t->length)) +
	                      (t->xor ? bankmap_gates_xor(bankmap_bit_length(t->length) - 1) : 0),
	              "at most: a tree of multiplexers over %u constants of %u bits%s", (unsigned)t->length, bits,
	              wires ? "" : ", and restoring division by their number");
}

static void table_clear(bankmap *map)
{
	table *t = map->extra;

	if (!t)
		return;
	g_array_unref(t->bank);
	g_array_unref(t->row);
	g_free(t);
}

const bankmap_ops bankmap_family_table = {
	.counts = "any number of banks",
	.proven = true,
	.read = table_read,
	.parse = table_parse,
	.bank = table_bank,
	.row = table_row,
	.map = table_map,
	.inverse = table_inverse,
	.gates = table_gates,
	.clear = table_clear,
};
