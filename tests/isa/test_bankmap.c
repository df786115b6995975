/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps: known answers for 144 banks of 5000 rows, and for every family of the table that it is what a map must be.
 */
#include "isa/bankmap.h"
#include "tests/isa/support.h"

static const struct {
	const char *name, *syntax, *example, *source;
} families[] = {
#define BANKMAP(id, syntax, example, doc, source) {#id, syntax, example, source},
#include "isa/bankmaps.def"
};

static bankmap *map_of(const char *text, unsigned banks, uint64_t rows)
{
	GError *error = NULL;
	bankmap *map = bankmap_new(text, banks, rows, &error);

	if (!map)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

/* Computed by an independent program from the definitions in isa/bankmaps.def. */
static void known_banks_and_rows(void)
{
	static const uint64_t blocks[] = {1, 127, 128, 138, 139, 143, 144, 1000, 65535, 123456, 634999};
	static const struct {
		const char *map;
		unsigned bank[11];
		uint64_t row[11];
	} known[] = {
		{"mod:144",
	         {1, 127, 128, 138, 139, 143, 0, 136, 15, 48, 103},
	         {0, 0, 0, 0, 0, 0, 1, 6, 455, 857, 4409}},
		{"mod:139", {1, 127, 128, 138, 0, 4, 5, 27, 66, 24, 47}, {0, 0, 0, 0, 1, 1, 1, 7, 471, 888, 4568}},
		{"mod:143", {1, 127, 128, 138, 139, 0, 1, 142, 41, 47, 79}, {0, 0, 0, 0, 0, 1, 1, 6, 458, 863, 4440}},
		{"mod:128", {1, 127, 0, 10, 11, 15, 16, 104, 127, 64, 119}, {0, 0, 1, 1, 1, 1, 1, 7, 511, 964, 4960}},
		{"mod:127", {1, 0, 1, 11, 12, 16, 17, 111, 3, 12, 126}, {0, 1, 1, 1, 1, 1, 1, 7, 516, 972, 4999}},
		{"xorfold:7", {1, 127, 1, 11, 10, 14, 17, 111, 0, 4, 23}, {0, 0, 1, 1, 1, 1, 1, 7, 511, 964, 4960}},
		{"swizzle:7,0,7", {1, 127, 1, 11, 10, 14, 17, 111, 0, 4, 23}, {0, 0, 1, 1, 1, 1, 1, 7, 511, 964, 4960}},
		{"poly:0x83", {1, 127, 3, 9, 8, 12, 19, 97, 114, 20, 105}, {0, 0, 1, 1, 1, 1, 1, 7, 511, 964, 4960}},
		{"skew:144,1",
	         {1, 127, 128, 138, 139, 143, 1, 142, 38, 41, 48},
	         {0, 0, 0, 0, 0, 0, 1, 6, 455, 857, 4409}},
		{"skew:144,5",
	         {1, 127, 128, 138, 139, 143, 5, 22, 130, 13, 116},
	         {0, 0, 0, 0, 0, 0, 1, 6, 455, 857, 4409}},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap *map = map_of(known[i].map, 144, 5000);

		for (size_t j = 0; j < G_N_ELEMENTS(blocks); j++) {
			CU_ASSERT_EQUAL(bankmap_bank(map, blocks[j]), known[i].bank[j]);
			CU_ASSERT_EQUAL(bankmap_row(map, blocks[j]), known[i].row[j]);
		}
		CU_ASSERT_STRING_EQUAL(bankmap_text(map), known[i].map);
		bankmap_free(map);
	}
}

/* x^7 + x + 1 over 20 bits, written out as parities of address bits: bank bit 0 = b0 ^ b7 ^ b13 ^ b14 ^ b19 and so on.
 */
static void polynomial_is_the_published_parity_network(void)
{
	static const uint32_t parity[7] = {
		1 << 0 | 1 << 7 | 1 << 13 | 1 << 14 | 1 << 19,  1 << 1 | 1 << 7 | 1 << 8 | 1 << 13 | 1 << 15 | 1 << 19,
		1 << 2 | 1 << 8 | 1 << 9 | 1 << 14 | 1 << 16,   1 << 3 | 1 << 9 | 1 << 10 | 1 << 15 | 1 << 17,
		1 << 4 | 1 << 10 | 1 << 11 | 1 << 16 | 1 << 18, 1 << 5 | 1 << 11 | 1 << 12 | 1 << 17 | 1 << 19,
		1 << 6 | 1 << 12 | 1 << 13 | 1 << 18,
	};
	bankmap *map = map_of("poly:0x83", 144, 8192);

	for (uint32_t block = 0; block < 1 << 20; block += 7) {
		unsigned bank = 0;

		for (unsigned bit = 0; bit < 7; bit++)
			bank |= (unsigned)__builtin_parity(block & parity[bit]) << bit;
		CU_ASSERT_EQUAL_FATAL(bankmap_bank(map, block), bank);
	}
	bankmap_free(map);
}

/* Every (bank, row) below the capacity exists and is hit once; so the capacity is banks used x rows. */
static void every_family_is_a_bijection_on_its_capacity(void)
{
	enum { BANKS = 144, ROWS = 512 };

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		bankmap *map = map_of(families[i].example, BANKS, ROWS);
		uint64_t capacity = bankmap_capacity_blocks(map);
		g_autofree uint8_t *seen = g_new0(uint8_t, BANKS * ROWS);
		uint64_t fresh = 0;

		CU_ASSERT_EQUAL(capacity, (uint64_t)bankmap_banks_used(map) * ROWS);
		for (uint64_t block = 0; block < capacity; block++) {
			unsigned bank = bankmap_bank(map, block);
			uint64_t row = bankmap_row(map, block);

			CU_ASSERT_TRUE_FATAL(bank < bankmap_banks_used(map) && row < ROWS);
			fresh += !seen[bank * ROWS + row];
			seen[bank * ROWS + row] = 1;
		}
		CU_ASSERT_EQUAL(fresh, capacity);
		bankmap_free(map);
	}
}

static void runs_of_banks_equal_single_banks(void)
{
	uint16_t banks[300];

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		bankmap *map = map_of(families[i].example, 144, 100000);

		for (uint64_t first = 0; first < 1000; first += 37) {
			bankmap_banks(map, first, G_N_ELEMENTS(banks), banks);
			for (unsigned j = 0; j < G_N_ELEMENTS(banks); j++)
				CU_ASSERT_EQUAL_FATAL(banks[j], bankmap_bank(map, first + j));
		}
		bankmap_free(map);
	}
}

static void only_a_modulus_says_that_it_is_one(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		bankmap *map = map_of(families[i].example, 144, 100);
		bool is_mod = strcmp(families[i].name, "mod") == 0;
		bool is_ideal = strcmp(families[i].name, "ideal") == 0;

		CU_ASSERT_EQUAL(bankmap_modulus(map), is_mod ? 139u : 0u);
		CU_ASSERT_EQUAL(bankmap_is_ideal(map), is_ideal);
		bankmap_free(map);
	}
}

/* 139 x 100,000 rows of 144 x 100,000: five banks are idle. */
static void mod_139_keeps_139_banks_of_144(void)
{
	bankmap *map = map_of("mod:139", 144, 100000);

	CU_ASSERT_EQUAL(bankmap_banks_used(map), 139);
	CU_ASSERT_EQUAL(bankmap_capacity_blocks(map), 13900000);
	bankmap_free(map);
}

static void texts_that_are_no_map_are_refused_with_a_reason(void)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{"mod:145", "needs 145 banks, the memory has 144"},
		{"mod:0", "needs 0 banks"},
		{"mod", "expected mod:M"},
		{"mod:139,2", "expected mod:M"},
		{"mod:x", "expected mod:M"},
		{"mod:-1", "expected mod:M"},
		{"skew:144", "expected skew:M,D"},
		{"skew:144,144", "the displacement D must be below M"},
		{"xorfold:8", "needs 256 banks, the memory has 144"},
		{"xorfold:0", "1 to 12"},
		{"xorfold:13", "1 to 12"},
		{"poly:0x1", "1 to 12"},
		{"poly:0x103", "needs 256 banks"},
		{"swizzle:4,3,0", "the shift S must be 1 to 40"},
		{"ideal:3", "expected ideal"},
		{"modd:139", "unknown bank map 'modd:139'; did you mean 'mod'?"},
		{"direct", "belongs to machines with MEM slices"},
		{"", "unknown bank map ''"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		GError *error = NULL;
		bankmap *map = bankmap_new(bad[i].text, 144, 5000, &error);

		CU_ASSERT_PTR_NULL(map);
		expect_error(&error, bad[i].reason);
		bankmap_free(map);
	}
}

static void family_table_is_reachable_by_name(void)
{
	CU_ASSERT_EQUAL(bankmap_family_count(), G_N_ELEMENTS(families));
	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		CU_ASSERT_STRING_EQUAL(bankmap_family_name(i), families[i].name);
		CU_ASSERT_TRUE(strlen(bankmap_family_doc(i)) > 0);
	}
}

/* Hexadecimal and decimal say the same; the canonical text of a polynomial is hexadecimal. */
static void texts_are_made_canonical(void)
{
	bankmap *map = map_of("poly:131", 144, 100);

	CU_ASSERT_STRING_EQUAL(bankmap_text(map), "poly:0x83");
	bankmap_free(map);
}

int main(void)
{
	static const tap_case cases[] = {
		{"known_banks_and_rows", known_banks_and_rows},
		{"polynomial_is_the_published_parity_network", polynomial_is_the_published_parity_network},
		{"every_family_is_a_bijection_on_its_capacity", every_family_is_a_bijection_on_its_capacity},
		{"runs_of_banks_equal_single_banks", runs_of_banks_equal_single_banks},
		{"only_a_modulus_says_that_it_is_one", only_a_modulus_says_that_it_is_one},
		{"mod_139_keeps_139_banks_of_144", mod_139_keeps_139_banks_of_144},
		{"texts_that_are_no_map_are_refused_with_a_reason", texts_that_are_no_map_are_refused_with_a_reason},
		{"family_table_is_reachable_by_name", family_table_is_reachable_by_name},
		{"texts_are_made_canonical", texts_are_made_canonical},
	};

	return tap_run("bankmap", cases, G_N_ELEMENTS(cases));
}
