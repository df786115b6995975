/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's bank maps against those of the models: the same texts are accepted, with the same capacity, and every
 * block falls into the same bank.  Texts come from the table of families and from a generator.
 */
#include "sched/emit/bank_map.h"

#include <string.h>

#include "isa/bankmap.h"
#include "isa/rng.h"
#include "tests/lib/tap.h"

/* Both or neither; the same capacity, banks, modulus and, on SAMPLES blocks and the last ones, the same banks. */
static bool compare(const char *text, unsigned banks, uint64_t rows, rng *r, unsigned samples)
{
	GError *error = NULL;
	bankmap *mine = bankmap_new(text, banks, rows, &error);
	bank_map *theirs = bank_map_new(text, banks, rows, NULL);
	bool same = (mine != NULL) == (theirs != NULL), both = mine && theirs;
	uint64_t capacity = both ? bankmap_capacity_blocks(mine) : 0;

	same &= !both || (capacity == bank_map_capacity_blocks(theirs) &&
	                  bankmap_banks_used(mine) == bank_map_banks_used(theirs) &&
	                  bankmap_modulus(mine) == bank_map_modulus(theirs) &&
	                  bankmap_is_ideal(mine) == bank_map_is_ideal(theirs));
	for (unsigned i = 0; both && same && i < samples; i++) {
		uint64_t block = i < 300 && i < capacity ? capacity - 1 - i : rng_below(r, capacity);

		same = bankmap_bank(mine, block) == bank_map_bank(theirs, block);
	}
	if (!same)
		tap_note("%s in %u banks of %" G_GUINT64_FORMAT " rows: %s", text, banks, rows,
		         error ? error->message : "they differ");
	CU_ASSERT_TRUE(same);
	g_clear_error(&error);
	bankmap_free(mine);
	bank_map_free(theirs);
	return both;
}

static void every_family_agrees_on_random_blocks(void)
{
	rng r;

	rng_seed(&r, 1, 0);
	for (size_t i = 0; i < bankmap_family_count(); i++) {
		bool stored = compare(bankmap_family_example(i), 144, 5000, &r, 20000);

		CU_ASSERT_EQUAL(stored, !bankmap_family_analysis_only(i));
	}
}

/* Limits of every parameter, capacities that end early, words used twice, and texts that are no maps. */
static void odd_texts_agree(void)
{
	static const char *const texts[] = {
		"mod:0",
		"mod:145",
		"mod:144",
		"skew:144,144",
		"skew:144,143",
		"prime:139,139",
		"prime:139,140",
		"prime:7,0",
		"bsp:139,8",
		"bsp:139,3",
		"bsp:1",
		"bsp:0",
		"crt:144",
		"crt:143",
		"crt:1",
		"mersenne:0",
		"mersenne:1",
		"mersenne:8",
		"bsg:1",
		"bsg:2",
		"bsg:124",
		"bsg:125",
		"bsg:0",
		"pdisp:7,0",
		"pdisp:7,127",
		"pdisp:7,129",
		"hybrid:9,0x13",
		"hybrid:9,0x1",
		"hybrid:2,0x13",
		"hybrid:1,0x83",
		"hybrid:0,0x7",
		"amd:4,9",
		"amd:5,1",
		"amd:0,9",
		"amd:1,71",
		"amd:1,73",
		"xorfold:0",
		"xorfold:7",
		"xorfold:8",
		"swizzle:0,7,1",
		"swizzle:7,0,0",
		"swizzle:3,4,41",
		"poly:0x83,7",
		"poly:0x83,6",
		"poly:0x83,65",
		"poly:0",
		"poly:1",
		"poly:0x82",
		"gf2:1",
		"gf2:1,1",
		"gf2:0x3,0x1",
		"gf2:0xff01,0x102",
		"pae:7,1",
		"pae:7,1,7",
		"pae:7,1,6",
		"pae:0,1",
		"pae:1,9",
		"mult:0",
		"mult:1",
		"mult:2",
		"mult:720007",
		"mult:7,143",
		"mult:7,145",
		"bitrev:7",
		"bitrev:8",
		"xormod:139,7",
		"xormod:139,7,139",
		"xormod:139,0",
		"xormod:139,63",
		"xormod:144,64",
		"xormod:2,1,2",
		"xormod:7,1,3",
		"table:5",
		"table:5,5,6",
		"table:0,1,2,3,xor",
		"table:0,1,2,xor",
		"table:3,1,2,rotate=2",
		"table:1:0,1:0",
		"table:1:7,1:0",
		"table:144",
		"table:011:3",
		"table:0X1,010",
		"mod:010",
		"expr:bank=b%010+0X1",
		"expr:bank=b%139",
		"expr:bank=(b^b>>7)&127;row=b>>7",
		"expr:row=b/144;bank=(b+b/144*5)%144",
		"expr:bank=b%139;row=b/144",
		"expr:bank=b",
		"expr:bank=b/5000;row=b%5000",
		"expr:bank=1-1|b&1;row=b>>1+0",
		"expr:bank=b%2*3;row=b/2",
		"expr:bank=b<<64",
		"expr:bank=5%(b+1)",
		"expr:bank=((b)",
		"expr:bank=b%144;row=b/0",
		"expr:bank=143-b%144;row=10-b/144",
		"identity",
		"identity:1",
		"ideal",
		"random:1",
		"ipolymod:0x43,48",
		"direct",
		"modx:3",
		"",
		":",
		"mod",
		"mod:",
		"mod:1,2",
		"mod:-1",
	};
	rng r;

	rng_seed(&r, 2, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		compare(texts[i], 144, 5000, &r, 2000);
		compare(texts[i], 144, 512, &r, 500);
		compare(texts[i], 7, 31, &r, 500);
	}
}

static void append_numbers(GString *text, rng *r, unsigned count, uint64_t limit)
{
	for (unsigned i = 0; i < count; i++)
		g_string_append_printf(text, "%c%" G_GUINT64_FORMAT, i ? ',' : ':', rng_below(r, limit));
}

/* An expression with up to DEPTH operators inside each other. */
static void append_expression(GString *text, rng *r, unsigned depth)
{
	static const char *const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
	bool parentheses = rng_below(r, 3) == 0;

	if (depth == 0 || rng_below(r, 4) == 0) {
		if (rng_below(r, 2))
			g_string_append_c(text, 'b');
		else
			g_string_append_printf(text, "%" G_GUINT64_FORMAT, rng_below(r, 20));
		return;
	}
	g_string_append(text, parentheses ? "(" : "");
	append_expression(text, r, depth - 1);
	g_string_append(text, operators[rng_below(r, G_N_ELEMENTS(operators))]);
	append_expression(text, r, depth - 1);
	g_string_append(text, parentheses ? ")" : "");
}

static void random_texts_agree(void)
{
	static const struct {
		const char *name;
		unsigned most;
		uint64_t limit;
	} forms[] = {{"mod", 1, 20},    {"prime", 2, 20},  {"bsp", 2, 18},    {"crt", 1, 20},    {"mersenne", 1, 6},
	             {"bsg", 1, 20},    {"skew", 2, 18},   {"pdisp", 2, 8},   {"hybrid", 2, 20}, {"amd", 2, 8},
	             {"xorfold", 1, 6}, {"swizzle", 3, 4}, {"poly", 2, 40},   {"gf2", 4, 64},    {"pae", 3, 10},
	             {"mult", 2, 400},  {"bitrev", 1, 6},  {"xormod", 3, 18}, {"table", 12, 17}};
	rng r;
	unsigned stored = 0;

	rng_seed(&r, 3, 0);
	for (unsigned n = 0; n < 6000; n++) {
		size_t form = rng_below(&r, G_N_ELEMENTS(forms));
		g_autoptr(GString) text = g_string_new(forms[form].name);

		append_numbers(text, &r, 1 + (unsigned)rng_below(&r, forms[form].most), forms[form].limit);
		stored += compare(text->str, 16, 1 + rng_below(&r, 40), &r, 100);
	}
	for (unsigned n = 0; n < 6000; n++) {
		g_autoptr(GString) text = g_string_new("expr:bank=(");

		append_expression(text, &r, 3);
		g_string_append(text, ")%16;row=");
		append_expression(text, &r, 2);
		stored += compare(text->str, 16, 1 + rng_below(&r, 40), &r, 100);
	}
	/* Enough of them are maps for the comparison to mean something. */
	CU_ASSERT_TRUE(stored > 3000);
	tap_note("%u of 12000 can store", stored);
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_family_agrees_on_random_blocks", every_family_agrees_on_random_blocks},
		{"odd_texts_agree", odd_texts_agree},
		{"random_texts_agree", random_texts_agree},
	};

	return tap_run("bank_maps", cases, G_N_ELEMENTS(cases));
}
