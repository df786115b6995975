/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy, entropies, access times and reasons, by hand; and the textbook's formula beside what it should say.
 */
#include "isa/rng.h"
#include "tests/lib/tap.h"
#include "tests/unit/bank_rig.h"

#include <math.h>

#define NEAR(value, wanted, tolerance) CU_ASSERT_DOUBLE_EQUAL(value, wanted, tolerance)

/* Banks with 4, 2, 2 and 0 requests: mean 2.  Entropy of 1/2, 1/4, 1/4: 1.5 bits.  Chi-square (4 + 0 + 0 + 4)/2.  Gini:
 * sorted 0 2 2 4 with weights -3 -1 1 3 is 12, over 4 x 8. */
static void occupancy_of_four_banks_by_hand(void)
{
	static const uint64_t blocks[] = {0, 0, 0, 0, 1, 1, 2, 2};
	bank_result r = rig_blocks(&(rig){.map = "mod:4", .banks = 6}, blocks, 8, 4);
	bank_occupancy o;

	bank_occupancy_of(&r, &o);
	CU_ASSERT_EQUAL(o.max_over_mean, 2);
	CU_ASSERT_EQUAL(o.min_over_mean, 0);
	CU_ASSERT_EQUAL(o.empty, 1);
	CU_ASSERT_EQUAL(o.unused, 2);
	NEAR(o.entropy_bits, 1.5, 1e-12);
	NEAR(o.entropy_limit, 2, 1e-12);
	NEAR(o.chi_square, 4, 1e-12);
	CU_ASSERT_EQUAL(o.chi_square_freedom, 3);
	NEAR(o.gini, 0.375, 1e-12);
	bank_result_clear(&r);
}

static void occupancy_of_no_requests_is_all_zero(void)
{
	bank_result r = rig_blocks(&(rig){.map = "mod:4", .banks = 4, .window = 4}, NULL, 0, 4);
	bank_occupancy o;

	bank_occupancy_of(&r, &o);
	CU_ASSERT_EQUAL(o.max_over_mean, 0);
	CU_ASSERT_EQUAL(bank_request_conflict(&r), 0);
	CU_ASSERT_EQUAL(bank_group_conflict(&r), 0);
	CU_ASSERT_EQUAL(bank_excess(&r), 0);
	CU_ASSERT_EQUAL(r.slowdown, 1);
	CU_ASSERT_EQUAL(r.windows, 0);
	bank_result_clear(&r);
}

/* Modulo 128 at stride 128 over 128 columns: evenly spread in all, each group in one bank.  Conflict 15/16, 16 beats.
 */
static void windowed_entropy_sees_what_plain_entropy_does_not(void)
{
	g_autofree uint64_t *blocks = g_new(uint64_t, 128 * 128);
	bank_occupancy o;
	bank_result r;

	for (unsigned column = 0; column < 128; column++)
		for (unsigned i = 0; i < 128; i++)
			blocks[column * 128 + i] = column + 128 * i;
	r = rig_blocks(&(rig){.map = "mod:128", .window = 16}, blocks, 128 * 128, 16);
	bank_occupancy_of(&r, &o);
	CU_ASSERT_EQUAL(o.max_over_mean, 1);
	NEAR(o.entropy_bits, 7, 1e-12);
	NEAR(o.gini, 0, 1e-12);
	CU_ASSERT_EQUAL(r.windows, 1024);
	CU_ASSERT_EQUAL(r.window_entropy_mean, 0);
	NEAR(r.window_entropy_limit, 4, 1e-12);
	CU_ASSERT_EQUAL(bank_request_conflict(&r), 0.9375);
	CU_ASSERT_EQUAL(r.slowdown, 16);
	bank_result_clear(&r);
}

/* Windows of 4 of the banks 0 1 2 3, 0 0 0 0, 0 0 1 1 and a rest of 2: 2, 0 and 1 bits. */
static void windows_by_hand(void)
{
	static const uint64_t blocks[] = {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3};
	bank_result r = rig_blocks(&(rig){.map = "mod:8", .window = 4}, blocks, G_N_ELEMENTS(blocks), 7);

	CU_ASSERT_EQUAL(r.windows, 3);
	NEAR(r.window_entropy_mean, 1, 1e-12);
	CU_ASSERT_EQUAL(r.window_entropy_min, 0);
	NEAR(r.window_entropy_limit, 2, 1e-12);
	bank_result_clear(&r);
}

/* 0 .. 15 in windows of 4: bits 0 and 1 change inside a window, bits 2 and 3 between windows; 16, a rest, sets bit 4 in
 * one access of 17. */
static void address_bits_plain_and_windowed(void)
{
	bank_bits bits;
	uint64_t blocks[17];

	for (unsigned i = 0; i < 17; i++)
		blocks[i] = i;
	bank_bits_init(&bits, 4);
	bank_bits_add(&bits, blocks, 5);
	bank_bits_add(&bits, blocks + 5, 12);
	CU_ASSERT_EQUAL(bits.windows, 4);
	CU_ASSERT_EQUAL(bank_bits_used(&bits), 5);
	CU_ASSERT_EQUAL(bank_bits_window_entropy(&bits, 0), 1);
	CU_ASSERT_EQUAL(bank_bits_window_entropy(&bits, 1), 1);
	CU_ASSERT_EQUAL(bank_bits_window_entropy(&bits, 2), 0);
	/* 8 ones in 17. */
	NEAR(bank_bits_entropy(&bits, 2), -(8.0 / 17 * log2(8.0 / 17) + 9.0 / 17 * log2(9.0 / 17)), 1e-12);
	NEAR(bank_bits_entropy(&bits, 4), -(1.0 / 17 * log2(1.0 / 17) + 16.0 / 17 * log2(16.0 / 17)), 1e-12);
}

static void highest_address_bit_is_counted(void)
{
	static const uint64_t blocks[] = {UINT64_MAX, 0};
	bank_bits bits;

	bank_bits_init(&bits, 2);
	bank_bits_add(&bits, blocks, 2);
	CU_ASSERT_EQUAL(bank_bits_used(&bits), 64);
	CU_ASSERT_EQUAL(bank_bits_entropy(&bits, 63), 1);
}

/* T_base (1 + c (q - 1)) says something else for each queue depth q; rows of the check that was derived for it. */
static void textbook_formula_on_random_traffic(void)
{
	static const struct {
		unsigned k;
		double truth, mean, q_mean;
	} rows[] = {{16, 1.06, 0.95, 0.12}, {64, 1.39, 0.89, 0.62}};
	size_t groups = 20000;
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * 64);
	rng random;

	rng_seed(&random, 1, 0);
	for (size_t i = 0; i < groups * 64; i++)
		blocks[i] = rng_below(&random, 720000);
	for (unsigned i = 0; i < 2; i++) {
		bank_result r =
			rig_blocks(&(rig){.map = "mod:144", .model = BANK_FIFO}, blocks, groups * rows[i].k, rows[i].k);
		bank_access_time t;

		bank_access_time_of(&r, 1, 1, &t);
		NEAR(t.measured, rows[i].truth, 0.006);
		NEAR(t.q_mean, rows[i].q_mean, 0.006);
		NEAR(t.textbook_mean, rows[i].mean, 0.006);
		/* E[W] = c E[W given W > 0]: with that q the formula is an identity, for any traffic. */
		NEAR(t.textbook_waiting, t.measured, 1e-9);
		NEAR(t.replacement, t.measured, 1e-12);
		CU_ASSERT_TRUE(t.textbook_max > t.measured);
		bank_result_clear(&r);
	}
}

/* mod 144, s = 16, k = 16, 512 groups: 8192 requests on 9 banks, so some bank gets 911, of which the last starts in
 * cycle 910 and arrived in cycle 511: it waits 399, and the mean is about half of that. */
static void textbook_formula_on_a_saturated_stride(void)
{
	bank_result r = rig_stride(&(rig){.map = "mod:144", .model = BANK_FIFO}, 0, 16, 512, 16);
	bank_access_time one, five;

	bank_access_time_of(&r, 1, 1, &one);
	bank_access_time_of(&r, 5, 5, &five);
	NEAR(one.measured, 200.1, 0.05);
	NEAR(one.textbook_mean, 12.5, 0.05);
	NEAR(one.textbook_max, 399, 0.5);
	NEAR(one.textbook_waiting, 200.1, 0.05);
	NEAR(five.measured, 204.1, 0.05);
	NEAR(five.textbook_waiting, 1000.6, 0.3);
	CU_ASSERT_TRUE(r.saturated);
	bank_result_clear(&r);
}

/* All 16 of a group in one bank: delays 0 .. 15, mean access 8.5, 15 of 16 delayed; max load 16 as q: 1 + 15/16 x 15.
 */
static void textbook_formula_on_a_pile_up(void)
{
	bank_result r = rig_stride(&(rig){.map = "mod:144"}, 0, 144, 10, 16);
	bank_access_time t;

	bank_access_time_of(&r, 1, 1, &t);
	CU_ASSERT_EQUAL(t.measured, 8.5);
	CU_ASSERT_EQUAL(t.q_max, 16);
	NEAR(t.textbook_max, 15.0625, 1e-12);
	CU_ASSERT_EQUAL(r.cycles, 160);
	bank_result_clear(&r);
}

static char *reason_of(const rig *with, uint64_t base, uint64_t stride, unsigned k)
{
	bankmap *map = rig_map(with);
	bank_result r = rig_stride(with, base, stride, 2, k);
	char *reason = bank_first_reason(&r, map);

	bank_result_clear(&r);
	bankmap_free(map);
	return reason;
}

static void reason_of_a_stride_under_modulo_is_arithmetic(void)
{
	g_autofree char *reason = reason_of(&(rig){.map = "mod:144"}, 0, 16, 16);
	g_autofree char *none = reason_of(&(rig){.map = "mod:139"}, 0, 16, 16);
	g_autofree char *one = reason_of(&(rig){.map = "mod:139"}, 5, 278, 2);

	CU_ASSERT_STRING_EQUAL(reason, "lanes 0 and 9 of group 0: blocks 0 and 144 in bank 0, different rows 0 and 1; "
	                               "stride 16: gcd(16,144) = 16, so 9 banks");
	CU_ASSERT_PTR_NULL(none);
	CU_ASSERT_STRING_EQUAL(one, "lanes 0 and 1 of group 0: blocks 5 and 283 in bank 5, different rows 0 and 2; "
	                            "stride 278: gcd(278,139) = 139, so 1 bank");
}

static void reason_of_one_block_twice_is_mergeable(void)
{
	g_autofree char *reason = reason_of(&(rig){.map = "mod:144"}, 3, 0, 2);

	CU_ASSERT_STRING_EQUAL(reason, "lanes 0 and 1 of group 0: block 3 twice, bank 3, same row (mergeable)");
}

/* 131 = 0x83 = x^7 + x + 1 is the polynomial itself: 0 and 131 share bank 0. */
static void reason_under_a_linear_map_is_the_null_space(void)
{
	g_autofree char *reason = reason_of(&(rig){.map = "poly:0x83"}, 0, 131, 2);

	CU_ASSERT_STRING_EQUAL(reason, "lanes 0 and 1 of group 0: blocks 0 and 131 in bank 0, different rows 0 and 1; "
	                               "difference 0x83 (xor) lies in the null space of the map");
}

/* Row b div 144 under b mod 139: blocks 0 and 139 alias, the trap of the textbook. */
static void reason_names_an_alias(void)
{
	g_autofree char *reason = reason_of(&(rig){.map = "prime:139,144"}, 0, 139, 2);

	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "same row 0 (aliased: the map is not injective)"));
}

/* Groups fold onto the first banks when 64 codes are taken mod 48 (16 banks get two) and 256 mod 144. */
static void folding_a_power_of_two_onto_fewer_banks_is_uneven(void)
{
	bank_result small = rig_stride(&(rig){.map = "ipolymod:0x43,48", .banks = 48}, 0, 1, 64, 64);
	bank_result large = rig_stride(&(rig){.map = "ipolymod:0x11d,144"}, 0, 1, 256, 16);
	bank_occupancy o;

	bank_occupancy_of(&small, &o);
	NEAR(o.max_over_mean, 1.5, 1e-12);
	bank_occupancy_of(&large, &o);
	NEAR(o.max_over_mean, 1.125, 1e-12);
	bank_result_clear(&small);
	bank_result_clear(&large);
}

int main(void)
{
	static const tap_case cases[] = {
		{"occupancy_of_four_banks_by_hand", occupancy_of_four_banks_by_hand},
		{"occupancy_of_no_requests_is_all_zero", occupancy_of_no_requests_is_all_zero},
		{"windowed_entropy_sees_what_plain_entropy_does_not",
	         windowed_entropy_sees_what_plain_entropy_does_not},
		{"windows_by_hand", windows_by_hand},
		{"address_bits_plain_and_windowed", address_bits_plain_and_windowed},
		{"highest_address_bit_is_counted", highest_address_bit_is_counted},
		{"textbook_formula_on_random_traffic", textbook_formula_on_random_traffic},
		{"textbook_formula_on_a_saturated_stride", textbook_formula_on_a_saturated_stride},
		{"textbook_formula_on_a_pile_up", textbook_formula_on_a_pile_up},
		{"reason_of_a_stride_under_modulo_is_arithmetic", reason_of_a_stride_under_modulo_is_arithmetic},
		{"reason_of_one_block_twice_is_mergeable", reason_of_one_block_twice_is_mergeable},
		{"reason_under_a_linear_map_is_the_null_space", reason_under_a_linear_map_is_the_null_space},
		{"reason_names_an_alias", reason_names_an_alias},
		{"folding_a_power_of_two_onto_fewer_banks_is_uneven",
	         folding_a_power_of_two_onto_fewer_banks_is_uneven},
	};

	return tap_run("bank metrics", cases, G_N_ELEMENTS(cases));
}
