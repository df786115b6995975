/* SPDX-License-Identifier: Apache-2.0
 *
 * Every pattern's sequence of blocks, derived by hand from its definition; the random ones are drawn again here from
 * the generator of numbers, in the order that the definition states.
 */
#include "bank/pattern.h"
#include "isa/rng.h"
#include "tests/lib/tap.h"
#include "tests/unit/bank_text.h"

#include <math.h>
#include <string.h>

/* k 4, and whatever else a test sets. */
static bank_pattern_options four(void)
{
	bank_pattern_options options;

	bank_pattern_options_init(&options);
	options.k = 4;
	return options;
}

static void reads_with(const char *pattern, const bank_pattern_options *options, size_t groups, const char *expected)
{
	GError *error = NULL;
	bank_source *source = bank_pattern_source(pattern, options, &error);
	g_autofree char *text = NULL;
	g_autofree char *again = NULL;

	if (!source) {
		tap_note("%s", error->message);
		g_clear_error(&error);
		CU_FAIL("the pattern is refused");
		return;
	}
	text = bank_text(source, groups);
	CU_ASSERT_STRING_EQUAL(text, expected);
	if (strcmp(text, expected) != 0)
		tap_note("%s: %s", pattern, text);
	CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
	again = bank_text(source, groups);
	CU_ASSERT_STRING_EQUAL(again, text);
	bank_source_free(source);
}

static void reads(const char *pattern, const char *expected)
{
	bank_pattern_options options = four();

	reads_with(pattern, &options, SIZE_MAX, expected);
}

static void a_column_walk_ends_before_it_would_straddle(void)
{
	bank_pattern_options options = four();

	/* 55 div 5 = 11 terms, rounded down to 8: two groups a column, columns 0 .. 4. */
	options.footprint_blocks = 55;
	reads_with("s5", &options, SIZE_MAX,
	           "0 5 10 15 | 20 25 30 35 | 1 6 11 16 | 21 26 31 36 | 2 7 12 17 | 22 27 32 37 | 3 8 13 18 | 23 28 33 "
	           "38 | "
	           "4 9 14 19 | 24 29 34 39");
	reads_with("stride:5", &options, 3, "0 5 10 15 | 20 25 30 35 | 1 6 11 16");
	reads_with("s1", &options, 2, "0 1 2 3 | 4 5 6 7");
}

static void an_unaligned_walk_draws_a_base_a_wave(void)
{
	bank_pattern_options options = four();
	g_autoptr(GString) expected = g_string_new(NULL);
	rng r;

	/* Bases in 0 .. 99 - 3 * 7 = 0 .. 78, that is below 79. */
	options.footprint_blocks = 100;
	options.seed = 9;
	rng_seed(&r, 9, 0);
	for (int g = 0; g < 3; g++) {
		unsigned base = (unsigned)rng_below(&r, 79);

		g_string_append_printf(expected, "%s%u %u %u %u", g ? " | " : "", base, base + 7, base + 14, base + 21);
	}
	reads_with("s7u", &options, 3, expected->str);
	reads_with("strideu:7", &options, 3, expected->str);
	/* The widest stride that fits: 3 * 33 = 99, base 0 only. */
	reads_with("s33u", &options, 2, "0 33 66 99 | 0 33 66 99");
}

static void a_wave_of_six_lanes_is_two_groups_with_one_base(void)
{
	bank_pattern_options options = four();
	g_autofree char *expected = NULL;
	unsigned base;
	rng r;

	options.wave_lanes = 6;
	options.footprint_blocks = 1000;
	rng_seed(&r, options.seed, 0);
	base = (unsigned)rng_below(&r, 1000 - 5 * 10);
	expected = g_strdup_printf("%u %u %u %u | %u %u", base, base + 10, base + 20, base + 30, base + 40, base + 50);
	reads_with("s10u", &options, 2, expected);
	/* 20 div 2 = 10 terms, rounded down to one wave of 6. */
	options.footprint_blocks = 20;
	reads_with("s2", &options, SIZE_MAX, "0 2 4 6 | 8 10 | 1 3 5 7 | 9 11");
}

static void columns_of_a_matrix_are_read_at_its_pitch(void)
{
	/* 8 rows of 8 elements of 2 bytes: 16 bytes a row, 2 rows a block of 32; row 0 .. 7 are blocks 0 0 1 1 2 2 3 3.
	 */
	bank_pattern_options options = four();

	options.groups = 3;
	reads_with("tr8/32B", &options, SIZE_MAX, "0 0 1 1 | 2 2 3 3 | 0 0 1 1");
	/* A block of 4 bytes holds 2 columns: row r is blocks 4 r .. 4 r + 3, column 2 is in the second. */
	options.groups = 0;
	reads_with("tr:4x4/4B", &options, SIZE_MAX, "0 2 4 6 | 0 2 4 6 | 1 3 5 7 | 1 3 5 7");
	/* Six rows: four, then two. */
	reads("tr:6x2/pt", "0 2 4 6 | 8 10 | 1 3 5 7 | 9 11");
	/* 3 columns of 4-byte elements: 12 bytes a row; column 1 at bytes 4, 16, 28, 40. */
	options.element_bytes = 4;
	reads_with("tr:4x3/8B", &options, SIZE_MAX, "0 1 3 4 | 0 2 3 5 | 1 2 4 5");
}

static void a_byte_pitch_need_not_be_whole_blocks(void)
{
	bank_pattern_options options = four();

	/* bytes 0 2048 4096 6144 | 8192 10240 12288 14336 in blocks of 320: 6.4 a row, 32 blocks every 5 rows */
	options.groups = 2;
	reads_with("pitch2048/320B", &options, SIZE_MAX, "0 6 12 19 | 25 32 38 44");
	reads_with("pitch:2048/320B", &options, SIZE_MAX, "0 6 12 19 | 25 32 38 44");
	/* Offset 300, elements of 16 bytes, 4 rows: bytes 300 .. 6444, then 316 .., then 332 ..: the third in block 1.
	 */
	options.groups = 3;
	reads_with("pitch:2048,16,300,4", &options, SIZE_MAX, "0 7 13 20 | 0 7 13 20 | 1 7 13 20");
	/* 2 rows of 6 bytes in 3 elements */
	reads("pitch:6,2,0,2/2B", "0 3 | 1 4 | 2 5");
}

static void an_fft_reads_both_operands_of_its_butterflies(void)
{
	bank_pattern_options options = four();
	bank_source *source;

	/* Distance 1: (0 1) (2 3) | (4 5) (6 7); 2: (0 2) (1 3) | (4 6) (5 7); 4: (0 4) (1 5) | (2 6) (3 7). */
	reads("fft8/pt", "0 2 1 3 | 4 6 5 7 | 0 1 2 3 | 4 5 6 7 | 0 1 4 5 | 2 3 6 7");
	/* Points of 8 bytes in blocks of 16 */
	reads("fft:8/16B", "0 1 0 1 | 2 3 2 3 | 0 0 1 1 | 2 2 3 3 | 0 0 2 2 | 1 1 3 3");
	/* 1 butterfly of 2 points */
	reads("fft2/pt", "0 1");
	/* All stages, however many groups: 12 * 2048 / 2 */
	source = bank_pattern_source("fft4096/320B", &options, NULL);
	CU_ASSERT_TRUE(bank_pattern_merges(source));
	CU_ASSERT_EQUAL(bank_pattern_block_bytes(source), 320);
	{
		bank_batch batch = {0};
		size_t groups = 0;

		while (bank_source_next(source, &batch, NULL)) {
			CU_ASSERT_TRUE(batch.accesses <= BANK_BATCH_ACCESSES);
			groups += batch.groups;
		}
		CU_ASSERT_EQUAL(groups, 12288);
		bank_batch_clear(&batch);
	}
	bank_source_free(source);
	source = bank_pattern_source("fft8/pt", &options, NULL);
	CU_ASSERT_FALSE(bank_pattern_merges(source));
	CU_ASSERT_EQUAL(bank_pattern_block_bytes(source), 0);
	bank_source_free(source);
}

static void a_tile_stands_anywhere_in_its_array(void)
{
	bank_pattern_options options = four();
	g_autofree char *expected = NULL;
	unsigned row, column, b;
	rng r;

	/* 105 blocks at a pitch of 10: 10 whole rows; 2 x 3 blocks fit at rows 0 .. 8, columns 0 .. 7. */
	options.footprint_blocks = 105;
	rng_seed(&r, options.seed, 0);
	row = (unsigned)rng_below(&r, 9);
	column = (unsigned)rng_below(&r, 8);
	b = row * 10 + column;
	expected = g_strdup_printf("%u %u %u %u | %u %u", b, b + 1, b + 2, b + 10, b + 11, b + 12);
	reads_with("tile:2x3,10", &options, 2, expected);
	reads_with("tile2x3/10", &options, 2, expected);
	/* One place only: the array is the tile. */
	options.footprint_blocks = 4;
	reads_with("tile2x2/2", &options, 2, "0 1 2 3 | 0 1 2 3");
}

static void a_convolution_reads_taps_or_outputs_in_its_lanes(void)
{
	/* 3 x 4 pixels, kernel 2 x 2: 2 x 3 outputs, the first at corner 0, the last at corner 4 + 2 = 6. */
	reads("im2col:3x4,2x2", "0 1 4 5 | 1 2 5 6 | 2 3 6 7 | 4 5 8 9 | 5 6 9 10 | 6 7 10 11");
	/* Stride 2, kernel 1 x 3 over 3 x 5: corners (0, 0) (0, 2) (2, 0) (2, 2) */
	reads("im2col:3x5,1x3,2", "0 1 2 | 2 3 4 | 10 11 12 | 12 13 14");
	/* Dilation 2: taps 2 pixels apart, kernel 3 covers 5 x 5, one output; nine lanes in groups of 4. */
	reads("im2col:5x5,3,1,2", "0 2 4 10 | 12 14 20 22 | 24");
	/* Outputs (0, 0) (0, 2) (2, 0) (2, 2) of a 4 x 4 image in lanes, taps in turn */
	reads("conv:4x4,2,2", "0 2 8 10 | 1 3 9 11 | 4 6 12 14 | 5 7 13 15");
	/* 1 x 6 outputs: four, tap after tap, then two */
	reads("conv:1x7,1x2", "0 1 2 3 | 1 2 3 4 | 4 5 | 5 6");
}

static void a_kv_cache_is_gathered_head_by_head(void)
{
	bank_pattern_options options = four();
	g_autoptr(GString) expected = g_string_new(NULL);
	unsigned pages[3] = {0, 1, 2};
	rng r;

	/* 6 tokens of 128 bytes, 2 heads of 64, blocks of 32: 4 blocks a token, 2 of a head. */
	reads("kv:6,128,64/32B", "0 4 8 12 | 16 20 | 1 5 9 13 | 17 21 | 2 6 10 14 | 18 22 | 3 7 11 15 | 19 23");
	/* The textbook case: 8,192 bytes a token, words of 320 bytes, 25.6 blocks apart */
	options.groups = 1;
	reads_with("kv:64,8192", &options, SIZE_MAX, "0 25 51 76");
	/* Pages of 2 tokens are shuffled from the last to the first. */
	rng_seed(&r, options.seed, 0);
	for (unsigned i = 3; i > 1; i--) {
		unsigned j = (unsigned)rng_below(&r, i), kept = pages[i - 1];

		pages[i - 1] = pages[j];
		pages[j] = kept;
	}
	for (unsigned t = 0; t < 6; t++)
		g_string_append_printf(expected, "%s%u", t == 4 ? " | " : t ? " " : "", (pages[t / 2] * 2 + t % 2) * 4);
	options.groups = 2;
	reads_with("kv:6,128,64,2/32B", &options, SIZE_MAX, expected->str);
}

static void bits_are_reversed(void)
{
	reads("bitrev:8", "0 4 2 6 | 1 5 3 7");
	reads("bitrev:1", "0");
	/* Points of 8 bytes, 2 a block: halves of the above */
	reads("bitrev:8/16B", "0 2 1 3 | 0 2 1 3");
}

static void diagonals_wrap_at_the_edge(void)
{
	reads("diag:3", "0 4 8 | 1 5 6 | 2 3 7");
	reads("antidiag:3", "0 5 7 | 1 3 8 | 2 4 6");
	/* Padded rows of 4 elements */
	reads("diag:3,4", "0 5 10 | 1 6 8 | 2 4 9");
	/* 2 elements of 2 bytes a block: rows of 3 elements are 6 bytes; bytes 0 8 16 | 2 10 12 | 4 6 14. */
	reads("diag:3/4B", "0 2 4 | 0 2 3 | 1 1 3");
}

static void random_blocks_are_of_the_footprint(void)
{
	bank_pattern_options options = four();
	g_autoptr(GString) expected = g_string_new(NULL);
	rng r;

	options.footprint_blocks = 77;
	options.seed = 3;
	rng_seed(&r, 3, 0);
	for (int i = 0; i < 8; i++)
		g_string_append_printf(expected, "%s%u", i == 4 ? " | " : i ? " " : "", (unsigned)rng_below(&r, 77));
	reads_with("random", &options, 2, expected->str);
}

static void streams_advance_together_and_wrap(void)
{
	bank_pattern_options options = four();
	g_autoptr(GString) expected = g_string_new(NULL);
	unsigned base[3];
	rng r;

	options.footprint_blocks = 50;
	options.k = 16;
	rng_seed(&r, options.seed, 0);
	for (int i = 0; i < 3; i++)
		base[i] = (unsigned)rng_below(&r, 50);
	for (unsigned t = 0; t < 60; t++)
		for (int i = 0; i < 3; i++)
			g_string_append_printf(expected, "%s%u", i ? " " : t ? " | " : "", (base[i] + 7 * t) % 50);
	reads_with("streams:3,7", &options, 60, expected->str);
	/* K is k when it is left out. */
	options.footprint_blocks = 1;
	options.k = 2;
	reads_with("streams", &options, 2, "0 0 | 0 0");
}

static void an_embedding_follows_its_zipf_law(void)
{
	bank_pattern_options options = four();
	g_autoptr(GString) expected = g_string_new(NULL);
	unsigned hot = 0, all = 0;
	bank_batch batch = {0};
	bank_source *source;
	rng r;

	/* Ranks 1, 2, 3 weigh 6, 3, 2 elevenths: rank 1 below 6/11, rank 2 below 9/11. */
	rng_seed(&r, options.seed, 0);
	for (int i = 0; i < 32; i++) {
		double u = 11 * rng_unit(&r);

		g_string_append_printf(expected, "%s%d", i % 4 ? " " : i ? " | " : "", u < 6 ? 0 : u < 9 ? 1 : 2);
	}
	reads_with("embedding:3,1", &options, 8, expected->str);
	/* Exponent 0 weighs all alike, exponent 100 only the first. */
	reads_with("embedding:5,100", &options, 2, "0 0 0 0 | 0 0 0 0");
	/* Of 65,536 rows at exponent 1 the first is read 1 / H = 1 / 11.6676 of the time: 702.1 of 8,192, sigma 25.3.
	 */
	source = bank_pattern_source("zipf1", &options, NULL);
	CU_ASSERT_FALSE(bank_pattern_merges(source));
	while (bank_source_next(source, &batch, NULL))
		for (size_t i = 0; i < batch.accesses; i++, all++)
			hot += batch.blocks[i] == 0;
	CU_ASSERT_EQUAL(all, 8192);
	CU_ASSERT_TRUE(fabs(hot - 702.1) < 4 * 25.3);
	bank_batch_clear(&batch);
	bank_source_free(source);
	source = bank_pattern_source("zipf1/merge", &options, NULL);
	CU_ASSERT_TRUE(bank_pattern_merges(source));
	bank_source_free(source);
}

static void limits_count_groups_across_batches(void)
{
	bank_pattern_options options = four();
	bank_batch batch = {0};
	bank_source *source;
	uint64_t next = 0;
	size_t groups = 0, batches = 0, wrong = 0;

	options.k = 48;
	options.groups = 10000;
	source = bank_pattern_source("s1", &options, NULL);
	for (; bank_source_next(source, &batch, NULL); batches++) {
		groups += batch.groups;
		CU_ASSERT_TRUE(batch.accesses <= BANK_BATCH_ACCESSES);
		CU_ASSERT_FALSE(batch.has_kinds);
		for (size_t i = 0; i < batch.accesses; i++)
			wrong += batch.blocks[i] != next++;
	}
	/* 1365 groups of 48 fit in 65,536. */
	CU_ASSERT_EQUAL(batches, 8);
	CU_ASSERT_EQUAL(groups, 10000);
	CU_ASSERT_EQUAL(wrong, 0);
	bank_batch_clear(&batch);
	bank_source_free(source);
}

static void ranges_become_one_source_a_value(void)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		{"stride:1..4", "stride:1 stride:2 stride:3 stride:4"},
		{"s10..30:10u", "s10u s20u s30u"},
		{"pitch:128..1024*2,4", "pitch:128,4 pitch:256,4 pitch:512,4 pitch:1024,4"},
		{"pitch512..2048*4/320B", "pitch512/320B pitch2048/320B"},
		{"tile:1..2x3..4", "tile:1x3 tile:1x4 tile:2x3 tile:2x4"},
		{"s7..7", "s7"},
		{"s5..9:3", "s5 s8"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bank_pattern_options options = four();
		g_autoptr(GPtrArray) sources = g_ptr_array_new();
		g_autoptr(GString) names = g_string_new(NULL);

		CU_ASSERT_TRUE(bank_pattern_sources(cases[i].text, &options, sources, NULL));
		for (guint j = 0; j < sources->len; j++) {
			bank_source *source = g_ptr_array_index(sources, j);

			g_string_append_printf(names, "%s%s", j ? " " : "", source->name);
			bank_source_free(source);
		}
		CU_ASSERT_STRING_EQUAL(names->str, cases[i].names);
	}
}

static void what_is_wrong_with_a_text_is_said(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "pattern '': expected the name of a pattern, found ''"},
		{"strde:4", "pattern 'strde:4': expected the name of a pattern, found 'strde'; did you mean 'stride'?"},
		{"s0", "pattern 's0': expected a stride of at least 1 block"},
		{"s", "pattern 's': expected sN or sNu, found 0 numbers"},
		{"s16/320B", "pattern 's16/320B': expected sN or sNu; it is laid out in blocks, not in bytes"},
		{"s16u4", "pattern 's16u4': column 5: expected sN or sNu, found '4'"},
		{"tr:3y4", "pattern 'tr:3y4': column 5: expected trN[/BYTESB] or tr:ROWSxCOLS, found 'y'"},
		{"tr:3,4", "pattern 'tr:3,4': expected tr:ROWSxCOLS"},
		{"tr8u", "pattern 'tr8u': expected trN[/BYTESB] or tr:ROWSxCOLS; suffix u belongs to sN"},
		{"tr8/pt/4B", "pattern 'tr8/pt/4B': expected one of /pt and /BYTESB, not both"},
		{"tr8/0B", "pattern 'tr8/0B': expected blocks of 1 to 2^40 bytes"},
		{"s1.5", "pattern 's1.5': expected sN or sNu with whole numbers"},
		{"fft100", "pattern 'fft100': expected a power of two from 2 to 2^30 points"},
		{"bitrev:0", "pattern 'bitrev:0': expected a power of two from 1 to 2^30 points"},
		{"kv:8,64,128",
	         "pattern 'kv:8,64,128': expected a pitch of at least one head, and a head of at least a byte"},
		{"kv:8,512,128,3",
	         "pattern 'kv:8,512,128,3': expected pages that divide the tokens into at most 16777216"},
		{"im2col:2x2,3x3",
	         "pattern 'im2col:2x2,3x3': expected an image of up to 2^30 rows and columns that holds the kernel"},
		{"im2col:9,3,3", "pattern 'im2col:9,3,3': expected HxW,KHxKW[,STRIDE[,DILATION]]"},
		{"im2col:9x9,3x3,1,1,1,1",
	         "pattern 'im2col:9x9,3x3,1,1,1,1': column 19: expected the end: im2col:HxW,KHxKW[,STRIDE[,DILATION]]"},
		{"conv:9x9,0", "pattern 'conv:9x9,0': expected kernel, stride and dilation from 1 to 1024"},
		{"tile:9x9,4", "pattern 'tile:9x9,4': expected an array (footprint by pitch) that holds the tile"},
		{"tile:0x9", "pattern 'tile:0x9': expected a tile of 1 to 65536 blocks"},
		{"diag:4,3", "pattern 'diag:4,3': expected a pitch of at least N elements"},
		{"embedding:0", "pattern 'embedding:0': expected a table of 1 to 67108864 rows"},
		{"zipf101", "pattern 'zipf101': expected an exponent of at most 100"},
		{"streams:0", "pattern 'streams:0': expected 1 to 65536 streams"},
		{"s300000",
	         "pattern 's300000': expected a footprint that holds 4 terms of the stride, found 635000 blocks"},
		{"s300000u",
	         "pattern 's300000u': expected a footprint that holds 4 terms of the stride, found 635000 blocks"},
		{"s99999999999999999999",
	         "pattern 's99999999999999999999': column 2: expected a number of at most 2^40"},
		{"s,", "pattern 's,': column 2: expected a number, found ','"},
		{"s4..1", "pattern 's4..1': expected a range A..B, A..B:STEP or A..B*FACTOR that rises"},
		{"s1..4:0", "pattern 's1..4:0': expected a range A..B, A..B:STEP or A..B*FACTOR that rises"},
		{"s0..4*2", "pattern 's0..4*2': expected a range A..B, A..B:STEP or A..B*FACTOR that rises"},
		{"diag:4,4..262148", "expected ranges of at most 262144 patterns together"},
	};
	bank_pattern_options options = four();

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) sources = g_ptr_array_new();
		GError *error = NULL;

		CU_ASSERT_FALSE(bank_pattern_sources(cases[i].text, &options, sources, &error));
		CU_ASSERT_EQUAL(sources->len, 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_EQUAL(error->code, TSP_ERROR_USER);
		CU_ASSERT_STRING_EQUAL(error->message, cases[i].message);
		if (strcmp(error->message, cases[i].message) != 0)
			tap_note("%s", error->message);
		g_clear_error(&error);
	}
	options.k = 3;
	CU_ASSERT_PTR_NULL(bank_pattern_source("fft8", &options, NULL));
	options.k = 0;
	CU_ASSERT_PTR_NULL(bank_pattern_source("s1", &options, NULL));
	options.k = 4;
	CU_ASSERT_PTR_NULL(bank_pattern_source("s1..2", &options, NULL));
}

static void examples_of_the_table_are_patterns(void)
{
	static const char *const rows_of_table_2_4[] = {"s1",
	                                                "s278",
	                                                "s1u",
	                                                "s2u",
	                                                "tr1024/320B",
	                                                "tr1024/32B",
	                                                "pitch8192/320B",
	                                                "pitch16384/320B",
	                                                "fft4096/320B",
	                                                "fft4096/32B",
	                                                "fft4096/pt",
	                                                "tile4x4/1024",
	                                                "random",
	                                                "zipf1",
	                                                "zipf1/merge"};
	bank_pattern_options options = four();
	const bank_pattern_row *rows;
	size_t count;

	rows = bank_pattern_rows(&count);
	CU_ASSERT_TRUE(count > 10);
	for (size_t i = 0; i < count + G_N_ELEMENTS(rows_of_table_2_4); i++) {
		const char *text = i < count ? rows[i].example : rows_of_table_2_4[i - count];
		bank_source *source = bank_pattern_source(text, &options, NULL);
		g_autofree char *group = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(source);
		CU_ASSERT_STRING_EQUAL(source->name, text);
		CU_ASSERT_TRUE(i >= count || g_str_has_prefix(text, rows[i].name));
		group = bank_text(source, 1);
		CU_ASSERT_TRUE(strlen(group) > 0);
		bank_source_free(source);
	}
}

static void another_seed_is_another_stream(void)
{
	bank_pattern_options options = four();
	bank_source *one = bank_pattern_source("random", &options, NULL);
	bank_source *two;
	g_autofree char *text = bank_text(one, 4);
	g_autofree char *other = NULL;

	options.seed = 2;
	two = bank_pattern_source("random", &options, NULL);
	other = bank_text(two, 4);
	CU_ASSERT_STRING_NOT_EQUAL(text, other);
	bank_source_free(one);
	bank_source_free(two);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_column_walk_ends_before_it_would_straddle),
		CASE(an_unaligned_walk_draws_a_base_a_wave),
		CASE(a_wave_of_six_lanes_is_two_groups_with_one_base),
		CASE(columns_of_a_matrix_are_read_at_its_pitch),
		CASE(a_byte_pitch_need_not_be_whole_blocks),
		CASE(an_fft_reads_both_operands_of_its_butterflies),
		CASE(a_tile_stands_anywhere_in_its_array),
		CASE(a_convolution_reads_taps_or_outputs_in_its_lanes),
		CASE(a_kv_cache_is_gathered_head_by_head),
		CASE(bits_are_reversed),
		CASE(diagonals_wrap_at_the_edge),
		CASE(random_blocks_are_of_the_footprint),
		CASE(streams_advance_together_and_wrap),
		CASE(an_embedding_follows_its_zipf_law),
		CASE(limits_count_groups_across_batches),
		CASE(ranges_become_one_source_a_value),
		CASE(what_is_wrong_with_a_text_is_said),
		CASE(examples_of_the_table_are_patterns),
		CASE(another_seed_is_another_stream),
	};

	return tap_run("bank patterns", cases, G_N_ELEMENTS(cases));
}
