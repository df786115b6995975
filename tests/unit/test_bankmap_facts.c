/* SPDX-License-Identifier: Apache-2.0
 *
 * What bank maps say of themselves, held against figures that an independent program found by looking at every word of
 * 144 banks of 5000 rows of 320 bytes, and against questions that users of other simulators asked in public.
 */
#include "isa/bankmap.h"

#include <string.h>

#include "tests/lib/tap.h"

enum { BANKS = 144, ROWS = 5000, WORDS = BANKS * ROWS, BLOCK_BYTES = 320 };

static bankmap *analysed(const char *text, unsigned banks, uint64_t rows, bankmap_facts *facts)
{
	GError *error = NULL;
	bankmap *map = bankmap_new_analysis(text, banks, rows, &error);

	if (!map)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	bankmap_describe(map, BLOCK_BYTES, facts);
	return map;
}

/* Placement: which words exist, which are shared, what is lost.  Five idle banks are 25,000 words of 320 bytes = 8.0
 * MB; b mod 144 and b mod 5000 have the factor 8 in common, so 720,000 / 8 words are reached; 2^7 words a row of 139
 * leave 144 x 5000 - 128 x 5000 = 80,000 words.  The folded number of 720,000 blocks reaches row 5186 and leaves 25,000
 * blocks without a row; with other rows it shares words. */
static void placement_is_what_a_walk_over_all_words_finds(void)
{
	static const struct {
		const char *map;
		uint64_t domain, outside, aliased, lost, rows_needed;
		uint64_t first, second; /* aliased pair */
	} known[] = {
		{"mod:139", 695000, 0, 0, 25000, 5000, 0, 0},
		{"mod:143", 715000, 0, 0, 5000, 5000, 0, 0},
		{"mod:144", 720000, 0, 0, 0, 5000, 0, 0},
		{"skew:144,5", 720000, 0, 0, 0, 5000, 0, 0},
		{"prime:139,139", 695000, 0, 0, 25000, 5000, 0, 0},
		{"prime:139,144", 720000, 0, 25000, 25000, 5000, 0, 139},
		{"bsp:139", 640000, 0, 0, 80000, 5000, 0, 0},
		{"crt:139", 695000, 0, 0, 25000, 5000, 0, 0},
		{"crt:144", 720000, 0, 630000, 630000, 5000, 0, 90000},
		{"mersenne:7", 635000, 0, 0, 85000, 5000, 0, 0},
		{"bsg:126", 630000, 0, 0, 90000, 5000, 0, 0},
		{"poly:0x83", 640000, 0, 0, 80000, 5000, 0, 0},
		{"mult:444983", 720000, 0, 0, 0, 5000, 0, 0},
		{"hybrid:9,0x13", 720000, 0, 0, 0, 5000, 0, 0},
		{"amd:4,9", 720000, 0, 0, 0, 5000, 0, 0},
		{"xormod:139,7,139", 695000, 0, 95935, 120935, 5000, 0, 138},
		{"xormod:139,7,144", 720000, 0, 109568, 109568, 5000, 0, 138},
		{"expr:bank=(b^(b>>7))%139;row=b/139", 720000, 25000, 95935, 120935, 5180, 0, 138},
		{"expr:bank=(b^b>>7)%139;row=b/144", 720000, 0, 109568, 109568, 5000, 0, 138},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap_facts f;
		bankmap *map = analysed(known[i].map, BANKS, ROWS, &f);

		CU_ASSERT_EQUAL(f.domain_blocks, known[i].domain);
		CU_ASSERT_EQUAL(f.outside_blocks, known[i].outside);
		CU_ASSERT_EQUAL(f.aliased_blocks, known[i].aliased);
		CU_ASSERT_EQUAL(f.lost_words, known[i].lost);
		CU_ASSERT_EQUAL(f.lost_bytes, known[i].lost * BLOCK_BYTES);
		CU_ASSERT_EQUAL(f.rows_needed, known[i].rows_needed);
		CU_ASSERT_EQUAL(f.injective, known[i].aliased == 0);
		CU_ASSERT_EQUAL(bankmap_is_injective(map), known[i].aliased == 0);
		if (known[i].aliased) {
			CU_ASSERT_EQUAL(f.alias.block[0], known[i].first);
			CU_ASSERT_EQUAL(f.alias.block[1], known[i].second);
			CU_ASSERT_EQUAL(f.alias.bank, bankmap_bank(map, f.alias.block[0]));
			CU_ASSERT_EQUAL(f.alias.row, bankmap_row(map, f.alias.block[0]));
		} else {
			CU_ASSERT_EQUAL(f.capacity_blocks, known[i].domain);
		}
		bankmap_facts_clear(&f);
		bankmap_free(map);
	}
}

/* Row = folded number div 139: no word is shared, but 720,000 numbers reach row 5186, and of the first 695,000 blocks
 * 1,320 have no row; storage ends before the first of them. */
static void folding_before_a_prime_needs_187_rows_more(void)
{
	bankmap_facts f;
	bankmap *map = analysed("xormod:139,7", BANKS, ROWS, &f);
	bankmap *storage = bankmap_new("xormod:139,7", BANKS, ROWS, NULL);
	uint64_t outside = 0, first = UINT64_MAX;

	CU_ASSERT_TRUE(f.injective);
	CU_ASSERT_EQUAL(f.domain_blocks, WORDS);
	CU_ASSERT_EQUAL(f.rows_needed, 5187);
	CU_ASSERT_EQUAL(f.outside_blocks, 25000);
	for (uint64_t block = 0; block < 695000; block++)
		if (bankmap_row(map, block) >= ROWS) {
			outside++;
			first = MIN(first, block);
		}
	CU_ASSERT_EQUAL(outside, 1320);
	CU_ASSERT_EQUAL(f.capacity_blocks, first);
	CU_ASSERT_PTR_NOT_NULL_FATAL(storage);
	CU_ASSERT_EQUAL(bankmap_capacity_blocks(storage), first);
	bankmap_facts_clear(&f);
	bankmap_free(map);
	bankmap_free(storage);
}

/* Uneven codes: 64 codes on 48 banks put two on 16 of them, mean 4/3: 2 / (4/3) = 1.5; 256 on 144: 2 / (16/9) = 1.125.
 * Even ones: every bank holds a block a row. */
static void fill_is_uneven_when_codes_fold_onto_fewer_banks(void)
{
	static const struct {
		const char *map;
		unsigned banks;
		double ratio;
	} known[] = {{"ipolymod:0x43,48", 48, 1.5},
	             {"ipolymod:0x11d,144", 144, 1.125},
	             {"poly:0x83", 144, 1.0},
	             {"mod:139", 144, 1.0},
	             {"hybrid:9,0x13", 144, 1.0}};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap_facts f;
		bankmap *map = analysed(known[i].map, known[i].banks, ROWS, &f);

		CU_ASSERT_DOUBLE_EQUAL((double)f.largest_fill / f.mean_fill, known[i].ratio, 1e-12);
		CU_ASSERT_EQUAL(f.largest_fill == f.least_fill, known[i].ratio < 1.0001);
		bankmap_facts_clear(&f);
		bankmap_free(map);
	}
}

/* The hash equations of a GPU simulator for 16, 32 and 64 banks, as masks of block bits (index bits lowest): they are
 * x^4+x+1, x^5+x^2+1 and x^6+x+1, and end at block bits 16, 19 and 24.  A stride of the next power of two is not hashed
 * at all: all terms meet in one bank; so does none of those below. */
static void a_matrix_that_ends_early_conflicts_fully_above(void)
{
	static const struct {
		const char *map;
		unsigned bits, covered;
		uint64_t rows[6];
	} known[] = {
		{"poly:0x13,17", 4, 17, {0xf591, 0x11eb2, 0x3d64, 0x7ac8}},
		{"poly:0x25,20", 5, 20, {0x7cd21, 0xf9a42, 0x8f9a4, 0x1f348, 0x3e690}},
		{"poly:0x43,25", 6, 25, {0x1e51841, 0x2f28c2, 0x5e5184, 0xbca308, 0x1794610, 0xf28c20}},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap_facts f;
		bankmap *map = analysed(known[i].map, 64, 64, &f);
		g_autofree char *text = bankmap_facts_text(map, &f);
		g_autofree char *line = g_strdup_printf("\ncovered: block bits 0 to %u of ", known[i].covered - 1);

		for (unsigned bit = 0; bit < 64; bit++) {
			unsigned bank = bankmap_bank(map, UINT64_C(1) << bit);

			for (unsigned row = 0; row < known[i].bits; row++)
				CU_ASSERT_EQUAL(bank >> row & 1, known[i].rows[row] >> bit & 1);
		}
		CU_ASSERT_EQUAL(f.covered_bits, known[i].covered);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, line));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, known[i].map));
		for (unsigned term = 0; term < 64; term++)
			CU_ASSERT_EQUAL(bankmap_bank(map, term * (UINT64_C(1) << known[i].covered)), 0);
		for (unsigned shift = 0; shift + known[i].bits <= known[i].covered; shift++) {
			uint64_t met = 0;

			for (unsigned term = 0; term < 1U << known[i].bits; term++)
				met |= UINT64_C(1) << bankmap_bank(map, (uint64_t)term << shift);
			CU_ASSERT_EQUAL(__builtin_popcountll(met), 1 << known[i].bits);
		}
		bankmap_facts_clear(&f);
		bankmap_free(map);
	}
}

/* A published random matrix for 32 banks, in which b0, b1 and b3 cancel once each: rank 4 on the index bits, so 32
 * consecutive lines meet 16 banks. */
static void a_matrix_of_rank_4_is_refused_for_32_banks(void)
{
	static const char text[] = "gf2:0x4c428,0x3084c,0x87086,0x1a104,0x26613";
	GError *error = NULL;
	bankmap *map = bankmap_new(text, 32, 4096, &error);
	uint32_t met = 0;

	CU_ASSERT_PTR_NULL(map);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "rank 4, 32 consecutive blocks reach 16 of 32 banks"));
	g_clear_error(&error);
	map = bankmap_new_analysis(text, 32, 4096, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	for (unsigned line = 0; line < 32; line++)
		met |= 1U << bankmap_bank(map, line);
	CU_ASSERT_EQUAL(__builtin_popcount(met), 16);
	CU_ASSERT_FALSE(bankmap_is_injective(map));
	bankmap_free(map);
}

static void random_invertible_matrices_reach_every_bank(void)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		g_autofree char *text = g_strdup_printf("pae:5,%u", seed);
		bankmap *map = bankmap_new(text, 32, 4096, NULL);
		uint32_t met = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(map);
		for (unsigned line = 0; line < 32; line++)
			met |= 1U << bankmap_bank(map, line);
		CU_ASSERT_EQUAL(met, UINT32_MAX);
		bankmap_free(map);
	}
}

/* The hash wanted for 128 banks, and interleaves of 4 and of 3 banks: no mask of floor(log2 3) = 1 bit, under which
 * block 2 would meet block 0. */
static void small_counts_and_interleaves_are_exact(void)
{
	bankmap *ipoly = bankmap_new("poly:0x83", 128, ROWS, NULL);
	bankmap *three = bankmap_new("mod:3", 3, ROWS, NULL), *four = bankmap_new("mod:4", 4, ROWS, NULL);

	CU_ASSERT_EQUAL(bankmap_bank(ipoly, 128), 3);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(bankmap_bank(three, i), i);
	CU_ASSERT_EQUAL(bankmap_bank(three, 3), 0);
	for (unsigned byte = 0; byte < 128; byte += 32)
		CU_ASSERT_EQUAL(bankmap_bank(four, byte / 32), byte / 32);
	bankmap_free(ipoly);
	bankmap_free(three);
	bankmap_free(four);
}

/* Every place below the capacity gives back its block; places that hold none say so. */
static void check_round_trip(const char *text, unsigned banks, uint64_t rows)
{
	GError *error = NULL;
	bankmap *map = bankmap_new(text, banks, rows, &error);
	uint64_t held = 0, back;

	if (!map)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	for (uint64_t block = 0; block < bankmap_capacity_blocks(map); block++)
		CU_ASSERT_TRUE_FATAL(bankmap_inverse(map, bankmap_bank(map, block), bankmap_row(map, block), &back) &&
		                     back == block);
	for (unsigned bank = 0; bank < banks; bank++)
		for (uint64_t row = 0; row < rows; row++)
			held += bankmap_inverse(map, bank, row, &back);
	CU_ASSERT_EQUAL(held, bankmap_capacity_blocks(map));
	CU_ASSERT_FALSE(bankmap_inverse(map, banks, 0, &back));
	CU_ASSERT_FALSE(bankmap_inverse(map, 0, rows, &back));
	bankmap_free(map);
}

static void inverses_round_trip_on_whole_capacities(void)
{
	static const unsigned counts[] = {3, 5, 139, 143, 144};
	static const char *const families[] = {
		"mod:%u",    "prime:%u,2", "bsp:%u", "crt:%u",      "identity",
		"skew:%u,1", "skew:%u,2",  "mult:7", "xormod:%u,7", "table:0,1,2,2,1,0,rotate=1",
		"ideal"};
	static const struct {
		const char *map;
		unsigned banks;
	} others[] = {{"mersenne:2", 3},      {"bsg:3", 3},        {"hybrid:9,0x13", 144}, {"hybrid:35,0x7", 140},
	              {"hybrid:1,0x83", 139}, {"amd:4,9", 144},    {"amd:2,35", 143},      {"pdisp:7,9", 144},
	              {"xorfold:7", 143},     {"xorfold:2", 5},    {"swizzle:4,3,2", 139}, {"poly:0x83", 144},
	              {"poly:0x83,12", 144},  {"poly:0x7", 5},     {"pae:7,3", 144},       {"pae:7,3,9", 139},
	              {"gf2:0x6,0xd", 5},     {"bitrev:7", 144},   {"bitrev:2", 5},        {"mersenne:7", 139},
	              {"bsg:124", 143},       {"mult:5,143", 144}, {"crt:144", 144},       {"bsp:139,3", 144}};

	for (size_t c = 0; c < G_N_ELEMENTS(counts); c++)
		for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
			char text[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			g_snprintf(text, sizeof text, families[i], counts[c]);
#pragma GCC diagnostic pop
			check_round_trip(text, counts[c], 1009);
		}
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		check_round_trip(others[i].map, others[i].banks, 1009);
	check_round_trip("expr:bank=(b+2*(b/5))%5;row=b/5", 5, 64);
	check_round_trip("xormod:5,2,3", 5, 1);
	check_round_trip("mod:139", 144, ROWS);
	check_round_trip("poly:0x83", 144, ROWS);
	check_round_trip("crt:139", 144, ROWS);
	check_round_trip("crt:139", 144, 4096);
	check_round_trip("mult:444983", 144, ROWS);
}

/* Rotating each row of a number of banks that is no power of two keeps every word, whatever the displacement. */
static void every_displacement_of_144_banks_is_injective(void)
{
	for (unsigned d = 0; d < BANKS; d++) {
		g_autofree char *text = g_strdup_printf("skew:144,%u", d);

		check_round_trip(text, BANKS, 150);
	}
}

/* Multiples of M fall on one bank, the next worst stride shares the largest factor: 72 with 144; none with the prime
 * 139, 13 with 143 (11 banks).  All strides 2^j up to 512 under skew 144,5 (close to mod 139) meet 64 banks or, when a
 * term crosses a row, nearly so; 139 does not. */
static void weak_strides_are_found_with_their_reason(void)
{
	static const struct {
		const char *map;
		size_t rank;
		uint64_t stride;
		unsigned banks;
		const char *reason;
	} known[] = {
		{"mod:144", 0, 144, 1, "gcd(144,144) = 144, so 1 bank"},
		{"mod:144", 7, 72, 2, "gcd(72,144) = 72, so 2 banks"},
		{"mod:139", 0, 139, 1, "gcd(139,139) = 139, so 1 bank"},
		{"mod:139", 6, 973, 1, "gcd(973,139) = 139, so 1 bank"},
		{"mod:143", 7, 13, 11, "gcd(13,143) = 13, so 11 banks"},
		{"mod:128", 0, 128, 1, "gcd(128,128) = 128, so 1 bank"},
		{"xorfold:3", 0, 64, 1, "no hashed bit changes: they end at bit 5"},
		{"skew:144,5", 0, 139, 4, "close to modulo 144 - 5 = 139, and gcd(139,139) = 139"},
		{"skew:144,5", 1, 1009, 4, "63 of 63 steps advance by 36, gcd(36,144) = 36"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap_facts f;
		bankmap *map = analysed(known[i].map, BANKS, ROWS, &f);

		CU_ASSERT_TRUE_FATAL(known[i].rank < f.weak_count);
		CU_ASSERT_EQUAL(f.weak[known[i].rank].stride_blocks, known[i].stride);
		CU_ASSERT_EQUAL(f.weak[known[i].rank].distinct_banks, known[i].banks);
		CU_ASSERT_STRING_EQUAL(f.weak[known[i].rank].reason, known[i].reason);
		if (strcmp(known[i].map, "mod:139") == 0)
			CU_ASSERT_EQUAL(f.weak_count, 7);
		bankmap_facts_clear(&f);
		bankmap_free(map);
	}
}

/* A stride of 9 blocks leaves b mod 9 as it is: one odd part of 9, so 16 banks at most. */
static void weak_strides_of_the_hybrid_share_its_odd_part(void)
{
	bankmap_facts f;
	bankmap *map = analysed("hybrid:9,0x13", BANKS, ROWS, &f);

	CU_ASSERT_EQUAL(f.weak_count, 8);
	for (size_t i = 0; i < f.weak_count; i++) {
		CU_ASSERT_EQUAL(f.weak[i].stride_blocks % 9, 0);
		CU_ASSERT_TRUE(f.weak[i].distinct_banks <= 16);
		CU_ASSERT_PTR_NOT_NULL(strstr(f.weak[i].reason, ",9) = 9: 1 of 9 odd parts of 16 banks"));
	}
	bankmap_facts_clear(&f);
	bankmap_free(map);
}

/* On record at 20 bits; by formula elsewhere: a step of division by an odd number of m bits is m + 1 bits of 16, and
 * there are 20 - m + 1: 13 x 9 x 16 = 1872 for 141; 144 = 9 x 16 at 19 bits: 15 - 4 + 1 = 12 steps of 5 bits = 960.
 * Powers of two are wires.  x^7 + x + 1 has 35 ones in 7 rows of 20: 28 XOR2. */
static void gates_say_how_they_are_known(void)
{
	static const struct {
		const char *map;
		uint64_t rows;
		enum bankmap_gate_class class_;
		double nand2;
	} known[] = {
		{"mod:139", 5000, BANKMAP_GATES_MEASURED, 1921},
		{"mod:143", 5000, BANKMAP_GATES_MEASURED, 1746},
		{"mod:144", 5000, BANKMAP_GATES_MEASURED, 1163},
		{"bsp:139", 5000, BANKMAP_GATES_MEASURED, 584},
		{"poly:0x83", 5000, BANKMAP_GATES_MEASURED, 68},
		{"swizzle:7,0,7", 5000, BANKMAP_GATES_MEASURED, 18},
		{"pdisp:7,9", 5000, BANKMAP_GATES_MEASURED, 77},
		{"mersenne:7", 5000, BANKMAP_GATES_MEASURED, 255},
		{"skew:144,1", 5000, BANKMAP_GATES_MEASURED, 1283},
		{"skew:144,5", 5000, BANKMAP_GATES_MEASURED, 1549},
		{"hybrid:9,0x13", 5000, BANKMAP_GATES_MEASURED, 1400},
		{"xormod:139,7", 5000, BANKMAP_GATES_MEASURED, 1852},
		{"mod:141", 5000, BANKMAP_GATES_DERIVED, 1872},
		{"mod:144", 2600, BANKMAP_GATES_DERIVED, 960},
		{"pdisp:7,5", 5000, BANKMAP_GATES_DERIVED, 77},
		{"crt:139", 4096, BANKMAP_GATES_DERIVED, 585},
		{"mod:128", 5000, BANKMAP_GATES_WIRES, 0},
		{"bitrev:7", 4096, BANKMAP_GATES_WIRES, 0},
		{"bsg:128", 5000, BANKMAP_GATES_WIRES, 0},
		{"ideal", 5000, BANKMAP_GATES_NONE, 0},
		{"random:1", 5000, BANKMAP_GATES_NONE, 0},
		{"expr:bank=b&127", 5000, BANKMAP_GATES_WIRES, 0},
		{"expr:bank=(b^b>>7)&127", 5000, BANKMAP_GATES_DERIVED, 32.5},
		{"expr:bank=b%141", 5000, BANKMAP_GATES_DERIVED, 1872},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bankmap_facts f;
		bankmap *map = analysed(known[i].map, BANKS, known[i].rows, &f);

		CU_ASSERT_EQUAL(f.gates_class, known[i].class_);
		CU_ASSERT_DOUBLE_EQUAL(f.gates_nand2, known[i].nand2, 1e-9);
		CU_ASSERT_EQUAL(f.gates_note != NULL, f.gates_class != BANKMAP_GATES_NONE);
		if (strcmp(known[i].map, "poly:0x83") == 0) {
			CU_ASSERT_EQUAL(f.address_bits, 20);
			CU_ASSERT_TRUE(f.linear);
			CU_ASSERT_EQUAL(f.xor2, 28);
			/* b7, b13 and b19 stand in rows 0 and 1 together. */
			CU_ASSERT_EQUAL(f.xor2_shared, 26);
		}
		bankmap_facts_clear(&f);
		bankmap_free(map);
	}
}

/* Folding with 13 terms that a search found: one XOR2 for each bit above the seventh that is hashed. */
static void xor_count_of_a_searched_matrix_is_its_ones(void)
{
	static const unsigned columns[13] = {1, 2, 36, 72, 34, 16, 64, 1, 32, 4, 8, 0, 0};
	g_autoptr(GString) text = g_string_new("gf2:");
	bankmap_facts f;
	bankmap *map;

	for (unsigned i = 0; i < 7; i++) {
		uint64_t row = UINT64_C(1) << i;

		for (unsigned c = 0; c < 13; c++)
			row |= (uint64_t)(columns[c] >> i & 1) << (7 + c);
		g_string_append_printf(text, "%s%u", i ? "," : "", (unsigned)row);
	}
	map = analysed(text->str, BANKS, ROWS, &f);
	CU_ASSERT_EQUAL(f.xor2, 14);
	CU_ASSERT_EQUAL(f.covered_bits, 18);
	CU_ASSERT_TRUE(f.injective);
	bankmap_facts_clear(&f);
	bankmap_free(map);
}

int main(void)
{
	static const tap_case cases[] = {
		{"placement_is_what_a_walk_over_all_words_finds", placement_is_what_a_walk_over_all_words_finds},
		{"folding_before_a_prime_needs_187_rows_more", folding_before_a_prime_needs_187_rows_more},
		{"fill_is_uneven_when_codes_fold_onto_fewer_banks", fill_is_uneven_when_codes_fold_onto_fewer_banks},
		{"a_matrix_that_ends_early_conflicts_fully_above", a_matrix_that_ends_early_conflicts_fully_above},
		{"a_matrix_of_rank_4_is_refused_for_32_banks", a_matrix_of_rank_4_is_refused_for_32_banks},
		{"random_invertible_matrices_reach_every_bank", random_invertible_matrices_reach_every_bank},
		{"small_counts_and_interleaves_are_exact", small_counts_and_interleaves_are_exact},
		{"inverses_round_trip_on_whole_capacities", inverses_round_trip_on_whole_capacities},
		{"every_displacement_of_144_banks_is_injective", every_displacement_of_144_banks_is_injective},
		{"weak_strides_are_found_with_their_reason", weak_strides_are_found_with_their_reason},
		{"weak_strides_of_the_hybrid_share_its_odd_part", weak_strides_of_the_hybrid_share_its_odd_part},
		{"gates_say_how_they_are_known", gates_say_how_they_are_known},
		{"xor_count_of_a_searched_matrix_is_its_ones", xor_count_of_a_searched_matrix_is_its_ones},
	};

	return tap_run("bankmap_facts", cases, G_N_ELEMENTS(cases));
}
