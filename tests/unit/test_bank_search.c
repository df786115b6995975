/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for bank maps: difference spectra, XOR2 counts, annealing, certificates, the front.  What it claims is
 * checked again here by other means: small cases by hand, the rest by looking at every pair of accesses.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bank/pattern.h"
#include "bank/search.h"
#include "isa/rng.h"
#include "tests/lib/tap.h"

#define ARRAY_SOURCE(k, ...)                                                                                           \
	bank_source_of_blocks("array", (const uint64_t[]){__VA_ARGS__},                                                \
	                      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), k)

static bank_spectrum counted(bank_source *source, bank_difference kind, uint64_t base, bool merge)
{
	bank_spectrum s;

	CU_ASSERT_TRUE(bank_spectrum_count(source, kind, base, merge, 1, SIZE_MAX, &s, NULL));
	bank_source_free(source);
	return s;
}

static void check_entries(const bank_spectrum *s, const bank_spectrum_entry *expected, size_t count)
{
	CU_ASSERT_EQUAL(s->count, count);
	for (size_t i = 0; i < count && i < s->count; i++) {
		CU_ASSERT_EQUAL(s->entries[i].key, expected[i].key);
		CU_ASSERT_EQUAL(s->entries[i].pairs, expected[i].pairs);
	}
}

static void xor_spectrum_of_four_even_blocks_has_each_difference_twice(void)
{
	/* 0^2 = 4^6 = 2, 0^4 = 2^6 = 4, 0^6 = 2^4 = 6. */
	static const bank_spectrum_entry expected[] = {{2, 2}, {4, 2}, {6, 2}};
	bank_spectrum s = counted(ARRAY_SOURCE(4, 0, 2, 4, 6), BANK_XOR, 0, false);

	check_entries(&s, expected, 3);
	CU_ASSERT_EQUAL(s.requests, 4);
	CU_ASSERT_EQUAL(s.groups, 1);
	CU_ASSERT_EQUAL(s.all_groups, 1);
	bank_spectrum_clear(&s);
}

static void minus_spectrum_of_a_progression_counts_down(void)
{
	/* Three pairs one step apart, two pairs two steps, one pair three steps; twice, for two groups. */
	static const bank_spectrum_entry expected[] = {{2, 6}, {4, 4}, {6, 2}};
	bank_spectrum s = counted(ARRAY_SOURCE(4, 0, 2, 4, 6, 16, 14, 12, 10), BANK_MINUS, 0, false);

	check_entries(&s, expected, 3);
	CU_ASSERT_EQUAL(s.groups, 2);
	bank_spectrum_clear(&s);
}

static void row_spectrum_keeps_quotient_and_signed_remainder(void)
{
	/* Base 4: 0, 2, 4, 6 are (0,0), (0,2), (1,0), (1,2).  (0,2): 0-2 and 4-6; (1,-2): 2-4; (1,0): 0-4 and 2-6;
	 * (1,2): 0-6. A key is dq 2^20 + dr + 2^19. */
	static const bank_spectrum_entry expected[] = {
		{524288 + 2, 2}, {1048576 + 524288 - 2, 1}, {1048576 + 524288, 2}, {1048576 + 524288 + 2, 1}};
	bank_spectrum s = counted(ARRAY_SOURCE(4, 6, 4, 0, 2), BANK_ROWS, 4, false);

	check_entries(&s, expected, 4);
	bank_spectrum_clear(&s);
}

static void equal_blocks_collide_unless_they_are_merged(void)
{
	/* 5, 5, 7: one equal pair and twice 5^7 = 2; merged: requests 5 and 7. */
	static const bank_spectrum_entry plain[] = {{2, 2}}, merged[] = {{2, 1}};
	bank_rule rule = {.kind = BANK_XOR};
	bank_spectrum s = counted(ARRAY_SOURCE(3, 5, 5, 7), BANK_XOR, 0, false);

	for (unsigned j = 0; j < BANK_COLUMNS; j++)
		rule.columns[j] = (uint16_t)(j < 3 ? 1U << j : 0);
	check_entries(&s, plain, 1);
	CU_ASSERT_EQUAL(s.equal_pairs, 1);
	CU_ASSERT_EQUAL(s.requests, 3);
	CU_ASSERT_EQUAL(bank_spectrum_colliding(&s, &rule), 1);
	bank_spectrum_clear(&s);
	s = counted(ARRAY_SOURCE(3, 5, 5, 7), BANK_XOR, 0, true);
	check_entries(&s, merged, 1);
	CU_ASSERT_EQUAL(s.equal_pairs, 0);
	CU_ASSERT_EQUAL(s.requests, 2);
	CU_ASSERT_EQUAL(bank_spectrum_colliding(&s, &rule), 0);
	bank_spectrum_clear(&s);
}

static bank_source *pattern(const char *text, unsigned k, uint64_t groups, uint64_t seed)
{
	bank_pattern_options o;
	bank_source *source;

	bank_pattern_options_init(&o);
	o.k = k;
	o.groups = groups;
	o.seed = seed;
	source = bank_pattern_source(text, &o, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(source);
	return source;
}

static void stride_16_on_144_banks_has_seven_colliding_pairs_and_a_tight_bound(void)
{
	/* gcd(16, 144) = 16: 9 banks for 16 accesses, so 7 banks have two; 7 of 16 requests are delayed, 43.75 %. */
	bankmap *map = bankmap_new("mod:144", 144, 5000, NULL);
	bank_spectrum s = counted(pattern("s16", 16, 1, 1), BANK_MINUS, 0, false);
	bank_rule rule;

	CU_ASSERT_TRUE(bank_rule_of(map, &rule));
	CU_ASSERT_EQUAL(rule.kind, BANK_MINUS);
	CU_ASSERT_EQUAL(bank_spectrum_colliding(&s, &rule), 7);
	CU_ASSERT_DOUBLE_EQUAL(bank_conflict_bound(7, 16), 0.4375, 1e-12);
	bank_spectrum_clear(&s);
	bankmap_free(map);
}

static void the_bound_is_exact_for_banks_that_are_loaded_alike(void)
{
	/* 64 in one bank: 64 x 63 / 2 = 2016 pairs, 63 of 64 delayed.  64 in 16 banks: 16 x 6 = 96 pairs, 48 delayed.
	 */
	CU_ASSERT_DOUBLE_EQUAL(bank_conflict_bound(2016, 64), 63.0 / 64, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(bank_conflict_bound(96, 64), 48.0 / 64, 1e-12);
	/* One pair delays one request. */
	CU_ASSERT_DOUBLE_EQUAL(bank_conflict_bound(1, 64), 1.0 / 64, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(bank_conflict_bound(0, 0), 0, 0);
}

static const char *const ruled[] = {
	"mod:144",    "mod:139",       "bsp:139",     "crt:139",
	"mersenne:7", "skew:144,1",    "skew:144,77", "pdisp:7,9",
	"poly:0x83",  "swizzle:7,0,7", "xorfold:7",   "pae:7,3",
	"identity",   "pdisp:7,127",   "mod:128",     "gf2:0x81,0x102,0x4,0x408,0x10,0x20,0x40"};

static void a_rule_says_collision_exactly_when_the_banks_are_equal(void)
{
	for (size_t m = 0; m < G_N_ELEMENTS(ruled); m++) {
		bankmap *map = bankmap_new(ruled[m], 144, 5000, NULL);
		unsigned wrong = 0, collisions = 0;
		bank_rule rule;
		rng r;

		CU_ASSERT_PTR_NOT_NULL_FATAL(map);
		CU_ASSERT_TRUE_FATAL(bank_rule_of(map, &rule));
		rng_seed(&r, 7, m);
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t a = rng_below(&r, 720000), b = i % 2 ? rng_below(&r, 720000) : a / 144 * 144 + i % 500;
			bool same = bankmap_bank(map, a) == bankmap_bank(map, b);

			if (a == b)
				continue;
			collisions += same;
			wrong += bank_rule_collides(&rule, bank_difference_key(rule.kind, rule.base, a, b)) != same;
		}
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT(collisions > 50);
		bankmap_free(map);
	}
}

static void families_without_a_difference_have_no_rule(void)
{
	static const char *const texts[] = {"hybrid:9,0x13", "mult:444983", "amd:4,9"};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		bankmap *map = bankmap_new(texts[i], 144, 5000, NULL);
		bank_rule rule;

		CU_ASSERT_PTR_NOT_NULL_FATAL(map);
		CU_ASSERT_FALSE(bank_rule_of(map, &rule));
		bankmap_free(map);
	}
}

static void xor2_of_known_maps_are_counted(void)
{
	static const struct {
		const char *text;
		unsigned plain, shared;
	} cases[] = {
		/* Seven bits of two address bits each. */
		{"swizzle:7,0,7", 7, 7},
		/* Parities of 5, 6, 5, 5, 5, 5 and 4 address bits: 28.  Bank bits 0 and 1 share one pair of b7, b13,
	           b19. */
		{"poly:0x83", 28, 27},
		/* Ones in the columns 1, 2, 36, 72, 34, 16, 64, 1, 32, 4, 8: 1+1+2+2+2+1+1+1+1+1+1; no pair meets
	           twice. */
		{"gf2:0x4081,0x902,0x10204,0x20408,0x1010,0x8a20,0x2440", 14, 14},
		/* b7^b8 in three bank bits: 3 x 2 without sharing, 1 + 3 with it. */
		{"gf2:0x181,0x182,0x184,0x8,0x10,0x20,0x40", 6, 4},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bankmap *map = bankmap_new(cases[i].text, 144, 5000, NULL);
		uint64_t masks[BANK_LINEAR_BITS];
		bank_linear linear;
		unsigned plain;

		CU_ASSERT_PTR_NOT_NULL_FATAL(map);
		CU_ASSERT_TRUE_FATAL(bank_linear_of(map, 20, &linear));
		bank_linear_masks(&linear, masks);
		CU_ASSERT_EQUAL(bank_xor2_shared(masks, linear.bits, &plain), cases[i].shared);
		CU_ASSERT_EQUAL(plain, cases[i].plain);
		CU_ASSERT_EQUAL(bank_linear_ones(&linear), cases[i].plain);
		bankmap_free(map);
	}
}

static void a_linear_map_is_printed_as_the_text_that_makes_it(void)
{
	bankmap *map = bankmap_new("poly:0x83", 144, 5000, NULL);
	bank_linear linear;
	g_autofree char *text = NULL;
	bankmap *again;

	CU_ASSERT_TRUE_FATAL(bank_linear_of(map, 20, &linear));
	text = bank_linear_text(&linear);
	again = bankmap_new(text, 144, 5000, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	for (uint64_t b = 0; b < 640000; b += 77)
		CU_ASSERT_EQUAL(bankmap_bank(map, b), bankmap_bank(again, b));
	bankmap_free(map);
	bankmap_free(again);
}

static void the_null_space_is_what_goes_to_bank_0(void)
{
	bankmap *map = bankmap_new("poly:0x83", 144, 5000, NULL);
	uint64_t basis[BANK_LINEAR_ADDRESS_BITS];
	bank_linear linear;
	unsigned zeros = 0;

	CU_ASSERT_TRUE_FATAL(bank_linear_of(map, 20, &linear));
	bank_linear_null_space(&linear, basis);
	/* x^7 = x + 1: b7 with b1 and b0; column 19 is x^19 = x^12 x^7 = x^13 + x^12 = (x^7 + x^6) + (x^6 + x^5) = x +
	 * 1 + x^5. */
	CU_ASSERT_EQUAL(basis[0], 0x83);
	CU_ASSERT_EQUAL(basis[12], 0x80023);
	/* All 2^13 combinations are different and in bank 0, and 2^20 / 2^7 blocks are. */
	for (unsigned n = 0; n < 1U << 13; n++) {
		uint64_t b = 0;

		for (unsigned i = 0; i < 13; i++)
			b ^= n >> i & 1 ? basis[i] : 0;
		CU_ASSERT_EQUAL(b >> 7, n);
		zeros += bankmap_bank(map, b) == 0;
	}
	CU_ASSERT_EQUAL(zeros, 1U << 13);
	bankmap_free(map);
}

static void every_other_group_is_all_groups_in_two_halves(void)
{
	static const uint64_t expected[2][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}};

	for (unsigned half = 0; half < 2; half++) {
		bank_source *source = bank_source_every(ARRAY_SOURCE(2, 0, 1, 2, 3, 4, 5, 6, 7), 2, half);

		for (unsigned pass = 0; pass < 2; pass++) {
			bank_batch batch = {0};
			size_t seen = 0;

			CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
			while (bank_source_next(source, &batch, NULL))
				for (size_t i = 0; i < batch.accesses; i++)
					CU_ASSERT_EQUAL(batch.blocks[i], expected[half][seen++ & 3]);
			CU_ASSERT_EQUAL(seen, 4);
			bank_batch_clear(&batch);
		}
		CU_ASSERT_STRING_EQUAL(source->name, "array");
		bank_source_free(source);
	}
}

static void a_stream_with_too_many_differences_is_sampled(void)
{
	bank_source *source = pattern("random", 16, 512, 1);
	bank_spectrum s;

	/* 120 pairs a group, nearly all different: 512 groups have about 61,000, every 16th 3,840. */
	CU_ASSERT_TRUE(bank_spectrum_sample(source, BANK_XOR, 0, false, 5000, &s, NULL));
	CU_ASSERT_FALSE(s.full);
	CU_ASSERT_EQUAL(s.groups, 32);
	CU_ASSERT_EQUAL(s.all_groups, 512);
	CU_ASSERT_EQUAL(s.requests, 512);
	bank_spectrum_clear(&s);
	bank_source_free(source);
}

static const char *const small_mix[] = {"s1u", "s16u", "s48u", "s128u", "s1024u", "tile4x4/1024", "fft4096/pt"};

static bank_linear_problem *small_problem(bank_spectrum spectra[G_N_ELEMENTS(small_mix)])
{
	for (size_t i = 0; i < G_N_ELEMENTS(small_mix); i++)
		spectra[i] = counted(pattern(small_mix[i], 16, 32, 3), BANK_XOR, 0, false);
	return bank_linear_problem_new(7, 20, spectra, G_N_ELEMENTS(small_mix));
}

static void clear_spectra(bank_spectrum spectra[G_N_ELEMENTS(small_mix)])
{
	for (size_t i = 0; i < G_N_ELEMENTS(small_mix); i++)
		bank_spectrum_clear(&spectra[i]);
}

/* The mean bound from the spectra one by one, by the rule of the map's text. */
static double bound_by_rule(const bank_spectrum *spectra, const bank_linear *linear)
{
	g_autofree char *text = bank_linear_text(linear);
	bankmap *map = bankmap_new(text, 144, 5000, NULL);
	double sum = 0;
	bank_rule rule;

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	CU_ASSERT_TRUE_FATAL(bank_rule_of(map, &rule));
	for (size_t i = 0; i < G_N_ELEMENTS(small_mix); i++)
		sum += bank_conflict_bound(bank_spectrum_colliding(&spectra[i], &rule), spectra[i].requests);
	bankmap_free(map);
	return sum / G_N_ELEMENTS(small_mix);
}

static void annealing_keeps_its_bounds_exact_and_its_xor2_counts(void)
{
	bank_anneal how = {.lambda = 0.0005, .steps = 3000, .most_xor2 = 20, .seed = 5, .stream = 1};
	bank_archive *archive = g_new(bank_archive, 2);
	bank_spectrum spectra[G_N_ELEMENTS(small_mix)];
	bank_linear_problem *p = small_problem(spectra);
	unsigned found = 0;

	bank_archive_init(&archive[0]);
	bank_archive_init(&archive[1]);
	bank_linear_anneal(p, &how, &archive[0], NULL, NULL);
	bank_archive_polish(p, how.most_xor2, &archive[0], NULL, NULL);
	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++) {
		const bank_linear *map = &archive[0].map[n];

		if (archive[0].bound[n] > 1)
			continue;
		found++;
		CU_ASSERT(n <= 20);
		CU_ASSERT_EQUAL(bank_linear_ones(map), n);
		CU_ASSERT_DOUBLE_EQUAL(archive[0].bound[n], bank_linear_bound(p, map), 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(archive[0].bound[n], bound_by_rule(spectra, map), 1e-12);
	}
	CU_ASSERT(found > 10);
	/* The same arguments give the same maps. */
	bank_linear_anneal(p, &how, &archive[1], NULL, NULL);
	bank_archive_polish(p, how.most_xor2, &archive[1], NULL, NULL);
	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++)
		CU_ASSERT_EQUAL(archive[0].bound[n], archive[1].bound[n]);
	bank_linear_problem_free(p);
	clear_spectra(spectra);
	g_free(archive);
}

static void polishing_ends_where_no_flip_and_no_move_helps(void)
{
	bank_archive *archive = g_new(bank_archive, 1);
	bank_spectrum spectra[G_N_ELEMENTS(small_mix)];
	bank_linear_problem *p = small_problem(spectra);
	bank_linear map = {.bits = 7, .address_bits = 20};
	unsigned better = 0;

	bank_archive_init(archive);
	archive->map[0] = map;
	archive->bound[0] = bank_linear_bound(p, &map);
	bank_archive_polish(p, 9, archive, NULL, NULL);
	/* All maps with one XOR2 are neighbours of the modulus. */
	for (unsigned at = 0; at < 91; at++) {
		map.columns[at / 7] = (uint16_t)(1U << at % 7);
		better += bank_linear_bound(p, &map) < archive->bound[1] - 1e-12;
		map.columns[at / 7] = 0;
	}
	CU_ASSERT_EQUAL(better, 0);
	CU_ASSERT(archive->bound[9] <= 1);
	CU_ASSERT(archive->bound[10] > 1);
	/* The best with nine: no move of a one makes it better. */
	map = archive->map[9];
	for (unsigned from = 0; from < 91; from++)
		for (unsigned to = 0; to < 91 && map.columns[from / 7] >> from % 7 & 1; to++) {
			bank_linear moved = map;

			if (map.columns[to / 7] >> to % 7 & 1)
				continue;
			moved.columns[from / 7] ^= (uint16_t)(1U << from % 7);
			moved.columns[to / 7] ^= (uint16_t)(1U << to % 7);
			better += archive->bound[9] < archive->bound[8] &&
			          bank_linear_bound(p, &moved) < archive->bound[9] - 1e-12;
		}
	CU_ASSERT_EQUAL(better, 0);
	bank_linear_problem_free(p);
	clear_spectra(spectra);
	g_free(archive);
}

static GPtrArray *sources_of(const char *const *texts, size_t count, uint64_t seed)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(bank_search_source_free);

	for (size_t i = 0; i < count; i++)
		g_ptr_array_add(list, bank_search_source_new(pattern(texts[i], 16, 48, seed), false));
	return list;
}

static const char *const held_mix[] = {"s3u", "s10u", "s40u", "s512u", "tile8x2/512", "random"};

typedef struct small_search {
	bank_search_options o;
	bank_search_result *r;
} small_search;

static small_search search_small(unsigned threads, double most_gates)
{
	small_search s = {.o = {.banks = 20, .rows = 4096, .steps = 300, .restarts = 1, .seed = 9}};

	bank_options_init(&s.o.model);
	s.o.threads = threads;
	s.o.most_gates = most_gates;
	s.o.train = sources_of(small_mix, G_N_ELEMENTS(small_mix), 3);
	s.o.held = sources_of(held_mix, G_N_ELEMENTS(held_mix), 4);
	s.r = bank_search(&s.o, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.r);
	return s;
}

static void search_end(small_search *s)
{
	bank_search_result_free(s->r);
	g_ptr_array_free(s->o.train, TRUE);
	g_ptr_array_free(s->o.held, TRUE);
}

/* The bank by the map's text alone, written anew: only families that have certificates. */
static unsigned bank_of_text(const char *text, uint64_t b)
{
	unsigned x, y, bank = 0;

	if (sscanf(text, "mod:%u", &x) == 1 || sscanf(text, "bsp:%u", &x) == 1 || sscanf(text, "crt:%u", &x) == 1)
		return (unsigned)(b % x);
	if (sscanf(text, "mersenne:%u", &x) == 1)
		return (unsigned)(b % ((1U << x) - 1));
	if (sscanf(text, "skew:%u,%u", &x, &y) == 2)
		return (unsigned)((b + y * (b / x)) % x);
	if (sscanf(text, "pdisp:%u,%u", &x, &y) == 2)
		return (unsigned)((b + y * (b >> x)) & ((1U << x) - 1));
	if (sscanf(text, "swizzle:%u,0,%u", &x, &y) == 2)
		return (unsigned)((b ^ b >> y) & ((1U << x) - 1));
	if (sscanf(text, "poly:0x%x", &x) == 1) {
		unsigned degree = 31 - (unsigned)__builtin_clz(x);

		for (int i = 63; i >= (int)degree; i--)
			if (b >> i & 1)
				b ^= (uint64_t)x << ((unsigned)i - degree);
		return (unsigned)b;
	}
	CU_ASSERT_FATAL(!strncmp(text, "gf2:", 4));
	text += 4;
	for (unsigned i = 0; *text; i++) {
		char *end;
		uint64_t mask = g_ascii_strtoull(text, &end, 16);

		for (uint64_t bits = b & mask; bits; bits &= bits - 1)
			bank ^= 1U << i;
		text = *end ? end + 1 : end;
	}
	return bank;
}

/* Pairs of a source that share a bank. */
static uint64_t colliding_pairs(const bank_search_source *source, const char *text, uint64_t *all)
{
	bank_batch batch = {0};
	uint64_t pairs = 0;

	*all = 0;
	CU_ASSERT_TRUE(bank_source_rewind(source->source, NULL));
	while (bank_source_next(source->source, &batch, NULL))
		for (size_t g = 0; g < batch.groups; g++)
			for (uint32_t i = batch.start[g]; i < batch.start[g + 1]; i++)
				for (uint32_t j = batch.start[g]; j < i; j++, ++*all)
					pairs += bank_of_text(text, batch.blocks[i]) ==
					         bank_of_text(text, batch.blocks[j]);
	bank_batch_clear(&batch);
	return pairs;
}

static const bank_certificate *certificate_of(const bank_search_result *r, const bank_candidate *c, bool held,
                                              unsigned source)
{
	for (unsigned i = 0; i < r->certificates->len; i++) {
		const bank_certificate *certificate = &g_array_index(r->certificates, bank_certificate, i);

		if (certificate->candidate == c && certificate->held == held && certificate->source == source)
			return certificate;
	}
	return NULL;
}

static void certificates_are_true_and_none_is_missing(void)
{
	small_search s = search_small(2, 0);
	unsigned certified = 0, refused = 0;

	for (unsigned i = 0; i < s.r->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(s.r->candidates, i);

		for (unsigned n = 0; c->held_scored && c->has_rule && n < s.o.train->len + s.o.held->len; n++) {
			bool held = n >= s.o.train->len;
			unsigned source = held ? n - s.o.train->len : n;
			GPtrArray *list = held ? s.o.held : s.o.train;
			const bank_certificate *certificate = certificate_of(s.r, c, held, source);
			uint64_t all;
			uint64_t pairs = colliding_pairs(g_ptr_array_index(list, source), bankmap_text(c->map), &all);
			double conflict = held ? c->held[BANK_LOCKSTEP].conflict[source] : c->train.conflict[source];

			CU_ASSERT_EQUAL(certificate != NULL, pairs == 0);
			CU_ASSERT_EQUAL(conflict > 0, pairs > 0);
			if (certificate) {
				CU_ASSERT_EQUAL(certificate->pairs, all);
				certified++;
			} else {
				refused++;
			}
		}
	}
	CU_ASSERT(certified > 20);
	CU_ASSERT(refused > 20);
	search_end(&s);
}

static void the_bound_is_above_the_conflict_of_every_map(void)
{
	small_search s = search_small(1, 0);
	unsigned seen = 0;

	for (unsigned i = 0; i < s.r->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(s.r->candidates, i);

		if (c->bound > 1)
			continue;
		seen++;
		CU_ASSERT(c->train.mean_conflict <= c->bound + 1e-12);
		CU_ASSERT(c->bound > 0 || c->train.mean_conflict <= 0);
	}
	CU_ASSERT(seen > 20);
	search_end(&s);
}

static void threads_change_nothing(void)
{
	small_search a = search_small(1, 0), b = search_small(3, 0);

	CU_ASSERT_EQUAL_FATAL(a.r->candidates->len, b.r->candidates->len);
	CU_ASSERT_EQUAL(a.r->certificates->len, b.r->certificates->len);
	for (unsigned i = 0; i < a.r->candidates->len; i++) {
		const bank_candidate *x = g_ptr_array_index(a.r->candidates, i);
		const bank_candidate *y = g_ptr_array_index(b.r->candidates, i);

		CU_ASSERT_STRING_EQUAL(bankmap_text(x->map), bankmap_text(y->map));
		CU_ASSERT_EQUAL(x->train.mean_conflict, y->train.mean_conflict);
		CU_ASSERT_EQUAL(x->on_front, y->on_front);
		CU_ASSERT_EQUAL(x->held[BANK_CLOSED].mean_grants, y->held[BANK_CLOSED].mean_grants);
	}
	search_end(&a);
	search_end(&b);
}

static void no_map_is_on_the_front_that_another_dominates(void)
{
	small_search s = search_small(1, 30);
	unsigned front = 0, annealed = 0;

	for (unsigned i = 0; i < s.r->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(s.r->candidates, i);
		bool dominated = false;

		for (unsigned j = 0; j < s.r->candidates->len; j++) {
			const bank_candidate *other = g_ptr_array_index(s.r->candidates, j);

			dominated |= bank_dominates(other, other->train.mean_conflict, c, c->train.mean_conflict);
		}
		if (!c->on_front)
			continue;
		front++;
		annealed += c->origin == BANK_ANNEALED;
		CU_ASSERT_FALSE(dominated);
		/* Of 2.5 NAND2 each. */
		CU_ASSERT(c->gates_nand2 <= 30);
		CU_ASSERT(!c->linear || c->xor2 <= 12);
	}
	CU_ASSERT(front >= 3);
	CU_ASSERT(annealed >= 1);
	search_end(&s);
}

static void estimates_beat_measurements_only_beyond_their_error(void)
{
	bank_candidate a = {.gates_class = BANKMAP_GATES_DERIVED, .gates_nand2 = 1000};
	bank_candidate b = {.gates_class = BANKMAP_GATES_MEASURED, .gates_nand2 = 1109};

	CU_ASSERT_FALSE(bank_dominates(&a, 0.1, &b, 0.2)); /* 1000 x 1.11 = 1110 */
	b.gates_nand2 = 1111;
	CU_ASSERT_TRUE(bank_dominates(&a, 0.1, &b, 0.2));
	CU_ASSERT_FALSE(bank_dominates(&a, 0.3, &b, 0.2));
	a.lost_words = 1;
	CU_ASSERT_FALSE(bank_dominates(&a, 0.1, &b, 0.2));
	a.lost_words = 0;
	a.gates_class = BANKMAP_GATES_NONE;
	CU_ASSERT_FALSE(bank_dominates(&a, 0.1, &b, 0.2));
	/* Alike in everything: neither dominates. */
	CU_ASSERT_FALSE(bank_dominates(&b, 0.2, &b, 0.2));
}

static void classic_maps_of_any_number_of_banks_are_maps(void)
{
	for (unsigned banks = 2; banks <= 260; banks++) {
		GPtrArray *all = g_ptr_array_new_with_free_func(bank_candidate_free);

		bank_search_classics(banks, 64, all);
		CU_ASSERT(all->len >= 2);
		for (unsigned i = 0; i < all->len; i++)
			CU_ASSERT(bankmap_banks_used(((bank_candidate *)g_ptr_array_index(all, i))->map) <= banks);
		g_ptr_array_free(all, TRUE);
	}
}

static void classic_maps_of_144_banks_are_those_of_the_literature(void)
{
	static const char *const expected[] = {
		"mod:128",    "mod:144",    "mod:139",       "bsp:139",   "mod:143",   "mersenne:7",    "skew:144,1",
		"skew:144,5", "skew:144,7", "swizzle:7,0,7", "pdisp:7,9", "poly:0x83", "hybrid:9,0x13", "mult:444983"};
	GPtrArray *all = g_ptr_array_new_with_free_func(bank_candidate_free);

	bank_search_classics(144, 5000, all);
	CU_ASSERT_EQUAL_FATAL(all->len, G_N_ELEMENTS(expected));
	for (unsigned i = 0; i < all->len; i++)
		CU_ASSERT_STRING_EQUAL(bankmap_text(((bank_candidate *)g_ptr_array_index(all, i))->map), expected[i]);
	g_ptr_array_free(all, TRUE);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(xor_spectrum_of_four_even_blocks_has_each_difference_twice),
		CASE(minus_spectrum_of_a_progression_counts_down),
		CASE(row_spectrum_keeps_quotient_and_signed_remainder),
		CASE(equal_blocks_collide_unless_they_are_merged),
		CASE(stride_16_on_144_banks_has_seven_colliding_pairs_and_a_tight_bound),
		CASE(the_bound_is_exact_for_banks_that_are_loaded_alike),
		CASE(a_rule_says_collision_exactly_when_the_banks_are_equal),
		CASE(families_without_a_difference_have_no_rule),
		CASE(xor2_of_known_maps_are_counted),
		CASE(a_linear_map_is_printed_as_the_text_that_makes_it),
		CASE(the_null_space_is_what_goes_to_bank_0),
		CASE(every_other_group_is_all_groups_in_two_halves),
		CASE(a_stream_with_too_many_differences_is_sampled),
		CASE(annealing_keeps_its_bounds_exact_and_its_xor2_counts),
		CASE(polishing_ends_where_no_flip_and_no_move_helps),
		CASE(certificates_are_true_and_none_is_missing),
		CASE(the_bound_is_above_the_conflict_of_every_map),
		CASE(threads_change_nothing),
		CASE(no_map_is_on_the_front_that_another_dominates),
		CASE(estimates_beat_measurements_only_beyond_their_error),
		CASE(classic_maps_of_any_number_of_banks_are_maps),
		CASE(classic_maps_of_144_banks_are_those_of_the_literature),
	};

	return tap_run("bank search", cases, G_N_ELEMENTS(cases));
}
