/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps: known answers for 144 banks of 5000 rows, and for every family of the table that it is what a map must be.
 */
#include "isa/bankmap.h"

#include <glib/gstdio.h>

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

/* Computed by an independent program from the definitions in isa/bankmaps.def; the eleven blocks sit around 127, 139,
 * 143, 144, at 1000, 2^16 - 1 and the end. */
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
		{"identity",
	         {1, 127, 128, 138, 139, 143, 0, 136, 15, 48, 103},
	         {0, 0, 0, 0, 0, 0, 1, 6, 455, 857, 4409}},
		{"mersenne:7", {1, 0, 1, 11, 12, 16, 17, 111, 3, 12, 126}, {0, 1, 1, 1, 1, 1, 1, 7, 516, 972, 4999}},
		{"pdisp:7,9", {1, 127, 9, 19, 20, 24, 25, 39, 118, 36, 87}, {0, 0, 1, 1, 1, 1, 1, 7, 511, 964, 4960}},
		{"mult:444983",
	         {88, 70, 15, 41, 130, 54, 143, 4, 104, 108, 96},
	         {4983, 2841, 2824, 2654, 2637, 2569, 2552, 3000, 905, 1248, 17}},
		{"hybrid:9,0x13",
	         {16, 30, 46, 63, 79, 143, 3, 21, 110, 61, 65},
	         {0, 0, 0, 0, 0, 0, 1, 6, 455, 857, 4409}},
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

/* Every (bank, row) below the capacity exists and is hit once, and gives back its block. */
static void every_family_is_a_bijection_on_its_capacity(void)
{
	enum { BANKS = 144, ROWS = 512 };

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		bankmap *map = map_of(families[i].example, BANKS, ROWS);
		uint64_t capacity = bankmap_capacity_blocks(map);
		g_autofree uint8_t *seen = g_new0(uint8_t, BANKS * ROWS);
		uint64_t fresh = 0;

		for (uint64_t block = 0; block < capacity; block++) {
			unsigned bank = bankmap_bank(map, block);
			uint64_t row = bankmap_row(map, block), back;

			CU_ASSERT_TRUE_FATAL(bank < bankmap_banks_used(map) && row < ROWS);
			/* expr searches: a sample is enough. */
			if (strcmp(families[i].name, "expr") != 0 || block % 997 == 0)
				CU_ASSERT_TRUE_FATAL(bankmap_inverse(map, bank, row, &back) && back == block);
			fresh += !seen[bank * ROWS + row];
			seen[bank * ROWS + row] = 1;
		}
		CU_ASSERT_EQUAL(fresh, capacity);
		CU_ASSERT_TRUE(bankmap_is_injective(map));
		bankmap_free(map);
	}
}

/* Near blocks, blocks of 40 bits and of 64: the batch loops change their tables with the size of the largest. */
static void batches_equal_single_banks(void)
{
	static const unsigned shifts[] = {46, 44, 32, 24, 0};
	enum { COUNT = 1000 };
	uint64_t blocks[COUNT], state = 1;
	uint16_t banks[COUNT];

	for (size_t i = 0; i < bankmap_family_count(); i++) {
		bankmap *map = bankmap_new_analysis(bankmap_family_example(i), 144, 5000, NULL);

		for (size_t s = 0; s < G_N_ELEMENTS(shifts); s++) {
			for (size_t j = 0; j < COUNT; j++) {
				state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
				blocks[j] = (state ^ state >> 29) >> shifts[s];
			}
			bankmap_map(map, blocks, COUNT, banks);
			for (size_t j = 0; j < COUNT; j++) {
				CU_ASSERT_EQUAL_FATAL(banks[j], bankmap_bank(map, blocks[j]));
				CU_ASSERT_TRUE_FATAL(banks[j] < bankmap_banks_used(map));
			}
		}
		bankmap_free(map);
	}
}

/* The reciprocal is rounded down; its correction must hold up to the largest number, for every divisor of banks. */
static void reduction_by_reciprocal_is_the_remainder(void)
{
	for (unsigned m = 1; m <= 300; m++) {
		g_autofree char *text = g_strdup_printf("mod:%u", m);
		bankmap *map = map_of(text, 300, 5000);

		for (unsigned i = 0; i < 300; i++) {
			uint64_t edges[] = {i, (uint64_t)i * m - (i > 0), UINT64_MAX - i, UINT64_MAX / m * m - i,
			                    (UINT64_C(1) << 32) - 150 + i};

			for (size_t e = 0; e < G_N_ELEMENTS(edges); e++) {
				CU_ASSERT_EQUAL_FATAL(bankmap_bank(map, edges[e]), edges[e] % m);
				CU_ASSERT_EQUAL_FATAL(bankmap_row(map, edges[e]), edges[e] / m);
			}
		}
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

static void a_modulus_says_that_it_is_one(void)
{
	static const struct {
		const char *map;
		unsigned modulus;
	} moduli[] = {{"mod:139", 139},    {"prime:143,139", 143}, {"bsp:139", 139},  {"crt:139", 139},
	              {"mersenne:7", 127}, {"bsg:124", 124},       {"identity", 144}, {"skew:144,0", 0},
	              {"ideal", 0},        {"poly:0x83", 0},       {"mult:444983", 0}};

	for (size_t i = 0; i < G_N_ELEMENTS(moduli); i++) {
		bankmap *map = map_of(moduli[i].map, 144, 5000);

		CU_ASSERT_EQUAL(bankmap_modulus(map), moduli[i].modulus);
		for (uint64_t block = 0; moduli[i].modulus && block < 1000; block++)
			CU_ASSERT_EQUAL_FATAL(bankmap_bank(map, block), block % moduli[i].modulus);
		CU_ASSERT_EQUAL(bankmap_is_ideal(map), strcmp(moduli[i].map, "ideal") == 0);
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
		{"mod:0", "mod takes any number of banks"},
		{"xorfold:8", "xorfold takes powers of two: 2, 4, 8, 16, 32, 64, 128"},
		{"poly:0x11d", "poly takes powers of two: 2, 4, 8, 16, 32, 64, 128"},
		{"gf2:1,2,4,8,16,32,64,128", "gf2 takes powers of two: 2, 4, 8, 16, 32, 64, 128"},
		{"mersenne:8", "mersenne takes 2^N - 1 banks: 1, 3, 7, 15, 31, 63, 127"},
		{"bsg:144",
	         "must be 2^n (2^m - 1): 1, 2, 3, 4, 6, 7, 8, 12, 14, 15, 16, 24, 28, 30, 31, 32, 48, 56, 60, "
	         "62, 63, 64, 96, 112, 120, 124, 126, 127, 128"},
		{"hybrid:10,0x13", "the part O must be odd"},
		{"hybrid:11,0x13",
	         "needs 176 banks, the memory has 144; hybrid takes an odd number times a power of two"},
		{"amd:5,3", "N must be 1 to 4"},
		{"pdisp:7,8", "the multiplier P must be odd"},
		{"crt:144", "blocks 0 and 90000 share bank 0, row 0: 144 banks and 5000 rows have the common factor 8"},
		{"bsp:139,8", "blocks 0 and 139 share bank 0, row 0"},
		{"mult:444982", "blocks 0 and 360000 share bank 0, row 0: gcd(A, 720000 words) = 2"},
		{"mult:0", "blocks 0 and 1 share bank 0, row 0"},
		{"prime:139,144", "blocks 0 and 139 share bank 0, row 0"},
		{"xormod:139,7,139", "blocks 0 and 138 share bank 0, row 0"},
		{"ipolymod:0x11d,144", "blocks 0 and 144 share bank 0, row 0"},
		{"random:1", "is for analysis only"},
		{"poly:0x83,6", "the covered bits C must be 7 to 64"},
		{"poly:0x83,65", "the covered bits C must be 7 to 64"},
		{"poly:0x83,20,3", "expected poly:P[,C]"},
		{"gf2:", "expected gf2:ROW0,ROW1,..."},
		{"gf2:0x3,0x3", "blocks 0 and 3 share bank 0, row 0: the lowest 2 bits have rank 1"},
		{"gf2:1,two", "expected a mask of block bits such as 0x81, not 'two'"},
		{"gf2:no-such-file", "bank map file no-such-file: No such file or directory"},
		{"file:no-such-file", "bank map file no-such-file: No such file or directory"},
		{"table:0,0:1", "either all entries name their row or none"},
		{"table:0,144", "entry 1 is bank 144, the memory has 144"},
		{"table:3:0,4:0,3:0", "blocks 0 and 2 share bank 3, row 0: two entries name one place"},
		{"table:0,1,2,xor", "a power of two"},
		{"table:0,1,2,rotate=3", "rotate must be below the number of entries"},
		{"table:0:5000", "one turn of the table takes 5001 rows"},
		{"expr:bank=b%145", "block 144 gets bank 144, the memory has 144"},
		{"expr:bank=b%(b-5)%144", "division by zero for block 5"},
		{"expr:bank=b%144;row=b/0", "division by zero for block 0"},
		{"expr:bank=b%139;row=b/144", "blocks 0 and 139 share bank 0, row 0"},
		{"expr:bank=(b%139", "expected ')' or an operator at 'the end'"},
		{"expr:bank=c%139", "expected b, a number or '(' at 'c%139'"},
		{"expr:bank=b%1 39", "expected an operator or the end at ' 39'"},
		{"expr:row=b/139", "expected bank=EXPRESSION"},
		{"expr:bank=b%139;bank=b", "expected bank=EXPRESSION and perhaps row=EXPRESSION, not 'bank=b'"},
		{"expr:b%139", "expected bank=EXPRESSION and perhaps row=EXPRESSION, not 'b%139'"},
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
	size_t storing = 0;

	for (size_t i = 0; i < bankmap_family_count(); i++) {
		CU_ASSERT_TRUE(strlen(bankmap_family_doc(i)) > 0 && strlen(bankmap_family_counts(i)) > 0);
		CU_ASSERT_TRUE(g_str_has_prefix(bankmap_family_syntax(i), bankmap_family_name(i)));
		if (bankmap_family_analysis_only(i))
			continue;
		CU_ASSERT_STRING_EQUAL(bankmap_family_name(i), families[storing].name);
		CU_ASSERT_STRING_EQUAL(bankmap_family_example(i), families[storing].example);
		storing++;
	}
	CU_ASSERT_EQUAL(storing, G_N_ELEMENTS(families));
}

/* Hexadecimal and decimal say the same; the canonical text of a polynomial is hexadecimal. */
static void texts_are_made_canonical(void)
{
	bankmap *map = map_of("poly:131", 144, 100);

	CU_ASSERT_STRING_EQUAL(bankmap_text(map), "poly:0x83");
	bankmap_free(map);
	map = map_of("expr: bank = (b ^ (b >> 7)) & 127 ;\n row = b / 128", 144, 100);
	CU_ASSERT_STRING_EQUAL(bankmap_text(map), "expr:bank=(b^(b>>7))&127;row=b/128");
	bankmap_free(map);
}

/* What a file holds becomes the text, so the map needs no file from then on. */
static void files_give_maps_that_need_no_file(void)
{
	static const struct {
		const char *prefix, *content, *text;
	} files[] = {
		{"gf2:", "# x^2 + x + 1\n0x5 0b\n", NULL},
		{"gf2:", "# four banks\n0x5\n0xe # row 1\n", "gf2:0x5,0xe"},
		{"table:", "0 1 2 3\n3 2 1 0 xor\n", "table:0,1,2,3,3,2,1,0,xor"},
		{"file:", "bank = b % 139 # prime\nrow = b / 139\n", "expr:bank=b%139;row=b/139"},
		{"file:", "0:0,1:0,0:1,1:1\n", "table:0:0,1:0,0:1,1:1"},
		{"file:", "# a comment\nskew:144,5\n", "skew:144,5"},
		{"file:", "file:again", NULL},
		{"file:", "", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(g_get_tmp_dir(), "tspsim-bankmap-XXXXXX", NULL);
		int fd = g_mkstemp(path);
		g_autofree char *text = g_strconcat(files[i].prefix, path, NULL);
		bankmap *map;

		CU_ASSERT_TRUE_FATAL(fd >= 0 && g_close(fd, NULL));
		CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, files[i].content, -1, NULL));
		map = bankmap_new(text, 144, 5000, NULL);
		CU_ASSERT_EQUAL(map != NULL, files[i].text != NULL);
		if (map)
			CU_ASSERT_STRING_EQUAL(bankmap_text(map), files[i].text);
		bankmap_free(map);
		g_unlink(path);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"known_banks_and_rows", known_banks_and_rows},
		{"polynomial_is_the_published_parity_network", polynomial_is_the_published_parity_network},
		{"every_family_is_a_bijection_on_its_capacity", every_family_is_a_bijection_on_its_capacity},
		{"batches_equal_single_banks", batches_equal_single_banks},
		{"reduction_by_reciprocal_is_the_remainder", reduction_by_reciprocal_is_the_remainder},
		{"runs_of_banks_equal_single_banks", runs_of_banks_equal_single_banks},
		{"a_modulus_says_that_it_is_one", a_modulus_says_that_it_is_one},
		{"mod_139_keeps_139_banks_of_144", mod_139_keeps_139_banks_of_144},
		{"texts_that_are_no_map_are_refused_with_a_reason", texts_that_are_no_map_are_refused_with_a_reason},
		{"family_table_is_reachable_by_name", family_table_is_reachable_by_name},
		{"texts_are_made_canonical", texts_are_made_canonical},
		{"files_give_maps_that_need_no_file", files_give_maps_that_need_no_file},
	};

	return tap_run("bankmap", cases, G_N_ELEMENTS(cases));
}
