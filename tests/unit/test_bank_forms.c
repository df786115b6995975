/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns against arithmetic that needs no simulation: how many banks a group meets under a few maps written out here,
 * and figures known for these patterns from an independent program.  The models of bank/ are not used.
 */
#include "bank/pattern.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { MAX_BANKS = 144 };

typedef unsigned (*map_fn)(uint64_t b);

static unsigned mod144(uint64_t b)
{
	return (unsigned)(b % 144);
}
static unsigned mod143(uint64_t b)
{
	return (unsigned)(b % 143);
}
static unsigned mod139(uint64_t b)
{
	return (unsigned)(b % 139);
}
static unsigned mod128(uint64_t b)
{
	return (unsigned)(b % 128);
}
static unsigned mod127(uint64_t b)
{
	return (unsigned)(b % 127);
}
static unsigned swizzle(uint64_t b)
{
	return (unsigned)((b ^ b >> 7) & 127);
}
static unsigned xorseed(uint64_t b)
{
	return (unsigned)((b ^ b >> 7) % 139);
}
static unsigned skew5(uint64_t b)
{
	return (unsigned)((b + 5 * (b / 144)) % 144);
}

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

/* A group in lockstep: what it counts. */
typedef struct tally {
	uint64_t groups, requests, delayed, cycles, least_banks, most_banks;
} tally;

static void count_group(tally *t, const uint64_t *blocks, uint32_t count, map_fn map, bool merge)
{
	unsigned load[MAX_BANKS] = {0};
	unsigned fullest = 0, banks = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool seen = false;
		unsigned bank = map(blocks[i]);

		for (uint32_t j = 0; merge && j < i; j++)
			seen = seen || blocks[j] == blocks[i];
		if (seen)
			continue;
		t->requests++;
		t->delayed += load[bank] > 0;
		banks += load[bank] == 0;
		load[bank]++;
		fullest = MAX(fullest, load[bank]);
	}
	t->cycles += fullest;
	t->least_banks = t->groups ? MIN(t->least_banks, banks) : banks;
	t->most_banks = MAX(t->most_banks, banks);
	t->groups++;
}

static tally count_with(const char *pattern, const bank_pattern_options *options, map_fn map)
{
	bank_source *source = bank_pattern_source(pattern, options, NULL);
	bank_batch batch = {0};
	tally t = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(source);
	while (bank_source_next(source, &batch, NULL))
		for (size_t g = 0; g < batch.groups; g++)
			count_group(&t, batch.blocks + batch.start[g], batch.start[g + 1] - batch.start[g], map,
			            bank_pattern_merges(source));
	bank_batch_clear(&batch);
	bank_source_free(source);
	return t;
}

static tally count(const char *pattern, unsigned k, map_fn map)
{
	bank_pattern_options options;

	bank_pattern_options_init(&options);
	options.k = k;
	return count_with(pattern, &options, map);
}

static double conflict_percent(const tally *t)
{
	return 100.0 * (double)t->delayed / (double)t->requests;
}

static void a_stride_meets_m_over_gcd_banks(void)
{
	static const struct {
		map_fn map;
		unsigned banks;
	} maps[] = {{mod144, 144}, {mod143, 143}, {mod139, 139}, {mod128, 128}};

	for (size_t m = 0; m < G_N_ELEMENTS(maps); m++)
		for (unsigned stride = 1; stride <= 300; stride++)
			for (unsigned k = 16; k <= 64; k *= 4) {
				g_autofree char *aligned = g_strdup_printf("s%u", stride);
				g_autofree char *unaligned = g_strdup_printf("s%uu", stride);
				unsigned d = maps[m].banks / gcd(stride, maps[m].banks);
				bank_pattern_options options;

				bank_pattern_options_init(&options);
				options.k = k;
				options.groups = 20;
				for (int u = 0; u < 2; u++) {
					tally t = count_with(u ? unaligned : aligned, &options, maps[m].map);

					/* min(k, D) banks; ceil(k / D) cycles a group */
					CU_ASSERT_EQUAL(t.least_banks, MIN(k, d));
					CU_ASSERT_EQUAL(t.most_banks, MIN(k, d));
					CU_ASSERT_EQUAL(t.cycles, t.groups * ((k + d - 1) / d));
				}
			}
}

static void rows_columns_and_diagonals_meet_the_banks_of_their_strides(void)
{
	/* 1024 x 1024, an element a block: columns stride 1024, diagonals 1025, antidiagonals 1023 = 3 * 11 * 31; with
	 * k 128 and few groups a group is one run of the diagonal, M / gcd banks or all of k. */
	CU_ASSERT_EQUAL(count("tr1024/pt", 128, mod144).most_banks, 9);       /* gcd(1024, 144) = 16 */
	CU_ASSERT_EQUAL(count("antidiag:1024", 128, mod144).least_banks, 48); /* gcd(1023, 144) = 3 */
	CU_ASSERT_EQUAL(count("antidiag:1024", 128, mod143).least_banks, 13);
	CU_ASSERT_EQUAL(count("diag:1024", 128, mod144).most_banks, 128);
	CU_ASSERT_EQUAL(count("diag:1024", 128, mod139).most_banks, 128);
}

static void a_column_of_byte_pitch_meets_five_banks_in_every_32_blocks(void)
{
	/* w 2048, B 320: five rows are 32 blocks, so min(64, 5 M / gcd(32, M)) banks of the first column: 144 -> 45
	 * (29.7 %), 128 -> 20 (68.75 %), 139 and 143 -> 64. */
	bank_pattern_options options;

	bank_pattern_options_init(&options);
	options.k = 64;
	options.groups = 1;
	CU_ASSERT_EQUAL(count_with("pitch2048/320B", &options, mod144).most_banks, 45);
	CU_ASSERT_EQUAL(count_with("pitch2048/320B", &options, mod128).most_banks, 20);
	CU_ASSERT_EQUAL(count_with("pitch2048/320B", &options, mod139).most_banks, 64);
	CU_ASSERT_EQUAL(count_with("pitch2048/320B", &options, mod143).most_banks, 64);
}

static void an_fft_conflicts_where_its_distance_is_near_a_multiple_of_the_banks(void)
{
	static const struct {
		map_fn map;
		unsigned banks;
	} maps[] = {{mod144, 144}, {mod139, 139}, {mod143, 143}, {mod128, 128}, {mod127, 127}};

	for (size_t m = 0; m < G_N_ELEMENTS(maps); m++)
		for (unsigned k = 16; k <= 64; k *= 4) {
			tally t = count("fft4096/pt", k, maps[m].map);
			uint64_t expected = 0;

			/* Runs of k / 2 blocks at distance d, 4096 / k groups a stage: when d >= k / 2 each group has
			 * max(0, k / 2 - min(d mod M, M - d mod M)) conflicts, below that none. */
			for (unsigned d = k / 2; d < 4096; d *= 2) {
				unsigned rest = d % maps[m].banks;
				unsigned apart = MIN(rest, maps[m].banks - rest);

				expected += apart < k / 2 ? (uint64_t)(4096 / k) * (k / 2 - apart) : 0;
			}
			CU_ASSERT_EQUAL(t.requests, 12 * 4096);
			CU_ASSERT_EQUAL(t.delayed, expected);
		}
	/* 4.17 % of 49,152 at M 144, k 64 */
	CU_ASSERT_DOUBLE_EQUAL(100.0 * (double)count("fft4096/pt", 64, mod144).delayed / 49152, 4.17, 0.005);
}

static void a_tile_conflicts_when_a_difference_is_a_multiple_of_the_banks(void)
{
	tally t = count("tile8x8/1024", 64, mod143);

	/* 6 rows of 1024 and 5 columns are 43 * 143: of rows 0, 1 the columns 0 .. 2 meet rows 6, 7, columns 5 .. 7. */
	CU_ASSERT_EQUAL(t.delayed, t.groups * 6);
	CU_ASSERT_EQUAL(t.requests, t.groups * 64);
	CU_ASSERT_EQUAL(count("tile8x8/1024", 64, mod144).delayed, 0);
	CU_ASSERT_EQUAL(count("tile8x8/1024", 64, mod139).delayed, 0);
}

static void a_convolution_over_rows_of_m_pixels_meets_three_banks(void)
{
	/* Offsets i W + j: with W = M only j counts, three banks; with W = 56 all nine differ. */
	CU_ASSERT_EQUAL(count("im2col:32x144,3x3", 16, mod144).most_banks, 3);
	CU_ASSERT_EQUAL(count("im2col:32x139,3x3", 16, mod139).least_banks, 3);
	CU_ASSERT_EQUAL(count("im2col:56x56,3x3", 16, mod144).least_banks, 9);
	/* Stride 2 in lanes: 32 outputs of a row of 64 pixels; two rows of outputs are 128 pixels apart, so of 64 lanes
	 * the second 32 meet the first in 32 of 128 banks, while 16 lanes meet 16 banks. */
	CU_ASSERT_EQUAL(count("conv:64x64,1,2", 64, mod128).most_banks, 32);
	CU_ASSERT_EQUAL(count("conv:64x64,1,2", 64, mod128).least_banks, 32);
	CU_ASSERT_EQUAL(count("conv:64x64,1,2", 16, mod128).delayed, 0);
}

static void a_kv_head_meets_the_banks_of_its_pitch(void)
{
	tally t = count("kv:4096,8192/32B", 16, mod144);

	/* 8192 / 32 = stride 256, gcd(256, 144) = 16, 9 banks: 7 of 16 and 55 of 64 wait. */
	CU_ASSERT_DOUBLE_EQUAL(conflict_percent(&t), 43.75, 1e-9);
	t = count("kv:4096,8192/32B", 64, mod144);
	CU_ASSERT_DOUBLE_EQUAL(conflict_percent(&t), 100.0 * 55 / 64, 1e-9);
	CU_ASSERT_EQUAL(t.cycles, 8 * t.groups);
	CU_ASSERT_EQUAL(count("kv:4096,8192/32B", 64, mod139).delayed, 0);
	/* Words of 320 bytes are 25.6 apart: 38 tokens are 972.8 = 7 * 139 - 0.2. */
	t = count("kv:4096,8192", 64, mod139);
	CU_ASSERT_DOUBLE_EQUAL(conflict_percent(&t), 32.5, 0.5);
	CU_ASSERT_EQUAL(count("kv:4096,8192", 64, mod143).delayed, 0);
}

static void known_figures_are_met_to_the_digit(void)
{
	/* Conflict % and slowdown of 2,048 groups of 16 (fft: all), computed once by a program that shares nothing. */
	static const struct {
		const char *pattern;
		map_fn map;
		double percent, slowdown;
	} cells[] = {
		{"s1", mod144, 0, 1},
		{"s11", xorseed, 1.6, 1.23},
		{"s11", swizzle, 0.8, 1.06},
		{"s11", mod143, 18.8, 2},
		{"s13", xorseed, 2.0, 1.27},
		{"s13", mod143, 31.2, 2},
		{"s16", mod144, 43.8, 2},
		{"s64", mod128, 87.5, 8},
		{"s64", xorseed, 3.3, 1.27},
		{"s128", mod128, 93.8, 16},
		{"s128", xorseed, 0.5, 1.07},
		{"s139", mod139, 93.8, 16},
		{"s139", skew5, 90.3, 13.71},
		{"s139", swizzle, 2.3, 1.28},
		{"s143", xorseed, 3.6, 1.47},
		{"s144", mod144, 93.8, 16},
		{"s144", swizzle, 1.6, 1.25},
		{"s256", xorseed, 0.4, 1.07},
		{"s278", skew5, 87.2, 11.54},
		{"s278", swizzle, 1.8, 1.24},
		{"s1024", xorseed, 0.7, 1.11},
		{"s1024", mod144, 43.8, 2},
		{"tr1024/320B", mod144, 0, 1},
		{"tr1024/32B", mod144, 43.8, 2},
		{"tr1024/32B", mod128, 87.5, 8},
		{"tr1024/32B", xorseed, 6.2, 1.5},
		{"pitch8192/320B", mod128, 68.8, 4},
		{"pitch8192/320B", xorseed, 0.8, 1.13},
		{"pitch16384/320B", mod128, 68.8, 4},
		{"pitch16384/320B", xorseed, 2.2, 1.29},
		{"fft4096/320B", mod144, 0, 1},
		{"fft4096/32B", mod128, 12.5, 1.25},
		{"fft4096/32B", mod127, 2.1, 1.08},
		{"fft4096/32B", swizzle, 4.2, 1.08},
		{"fft4096/pt", mod128, 20.8, 1.42},
		{"fft4096/pt", mod127, 8.9, 1.25},
		{"fft4096/pt", swizzle, 12.5, 1.25},
		{"tile4x4/1024", mod128, 75, 4},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
		tally t = count(cells[i].pattern, 16, cells[i].map);
		double slowdown = (double)t.cycles / (double)t.groups;

		CU_ASSERT_DOUBLE_EQUAL(conflict_percent(&t), cells[i].percent, 0.0501);
		CU_ASSERT_DOUBLE_EQUAL(slowdown, cells[i].slowdown, 0.00501);
		if (fabs(conflict_percent(&t) - cells[i].percent) > 0.0501)
			tap_note("%s: %g %g", cells[i].pattern, conflict_percent(&t), slowdown);
	}
}

static void random_figures_are_met_within_half_a_point(void)
{
	static const struct {
		const char *pattern;
		unsigned k;
		map_fn map;
		double percent;
	} cells[] = {
		{"random", 16, mod144, 5.04},  /* 1 - E[distinct] / k, E[distinct] = M (1 - (1 - 1/M)^k) */
		{"random", 64, mod144, 19.04}, /* the same */
		{"s1u", 16, xorseed, 0.2},          {"s2u", 16, xorseed, 0.5},        {"s2u", 64, xorseed, 8.6},
		{"zipf1", 16, mod144, 10.7},        {"zipf1/merge", 16, mod144, 3.8}, {"zipf1", 16, mod128, 11.3},
		{"tile4x4/1024", 16, xorseed, 2.7}, {"tile4x4/1024", 16, mod139, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
		tally t = count(cells[i].pattern, cells[i].k, cells[i].map);

		CU_ASSERT_DOUBLE_EQUAL(conflict_percent(&t), cells[i].percent, 0.5);
		if (fabs(conflict_percent(&t) - cells[i].percent) > 0.5)
			tap_note("%s: %g", cells[i].pattern, conflict_percent(&t));
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_stride_meets_m_over_gcd_banks),
		CASE(rows_columns_and_diagonals_meet_the_banks_of_their_strides),
		CASE(a_column_of_byte_pitch_meets_five_banks_in_every_32_blocks),
		CASE(an_fft_conflicts_where_its_distance_is_near_a_multiple_of_the_banks),
		CASE(a_tile_conflicts_when_a_difference_is_a_multiple_of_the_banks),
		CASE(a_convolution_over_rows_of_m_pixels_meets_three_banks),
		CASE(a_kv_head_meets_the_banks_of_its_pitch),
		CASE(known_figures_are_met_to_the_digit),
		CASE(random_figures_are_met_within_half_a_point),
	};

	return tap_run("bank forms", cases, G_N_ELEMENTS(cases));
}
