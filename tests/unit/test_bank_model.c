/* SPDX-License-Identifier: Apache-2.0
 *
 * The three timing models: closed forms, formulas of queueing, an oracle that steps cycles, and rules on ports, busy
 * banks, merging, closed streams.
 */
#include "isa/rng.h"
#include "tests/lib/tap.h"
#include "tests/unit/bank_rig.h"

#include <math.h>

static uint64_t gcd(uint64_t a, uint64_t b)
{
	return b ? gcd(b, a % b) : a;
}

#define NEAR(value, wanted, tolerance) CU_ASSERT_DOUBLE_EQUAL(value, wanted, tolerance)

/* A stride visits D = M / gcd(s, M) banks in turn: with k = a D + r, r banks get a + 1 requests of a group, D - r get
 * a. Delays are 0 .. load - 1 in each bank; the group takes ceil(k / (D p)) cycles. */
static void lockstep_strides_follow_the_closed_form(void)
{
	static const unsigned moduli[] = {144, 139, 143, 128, 127, 88};
	static const unsigned sizes[] = {16, 64};

	for (size_t m = 0; m < G_N_ELEMENTS(moduli); m++)
		for (size_t n = 0; n < G_N_ELEMENTS(sizes); n++)
			for (uint64_t s = 1; s <= 300; s++)
				for (unsigned ports = 1; ports <= 2; ports++) {
					uint64_t k = sizes[n];
					uint64_t d = moduli[m] / gcd(s, moduli[m]);
					uint64_t a = k / d;
					uint64_t r = k % d;
					g_autofree char *map = g_strdup_printf("mod:%u", moduli[m]);
					bank_result got =
						rig_stride(&(rig){.map = map, .ports = ports}, 7, s, 5, (unsigned)k);

					CU_ASSERT_EQUAL(got.requests, 5 * k);
					CU_ASSERT_EQUAL(got.cycles, 5 * ((k + d * ports - 1) / (d * ports)));
					if (ports == 1) {
						CU_ASSERT_EQUAL(got.delayed, 5 * (k - MIN(k, d)));
						CU_ASSERT_EQUAL(got.delay_sum_cycles,
						                5 * (r * a * (a + 1) + (d - r) * a * (a - 1)) / 2);
					}
					bank_result_clear(&got);
				}
}

/* mod 144, s = 16, k = 16: D = 9, so 7 of 16 are delayed, all groups take 2 beats, half of the cycles are excess. */
static void three_conflict_rates_of_one_trace_differ(void)
{
	bank_result r = rig_stride(&(rig){.map = "mod:144"}, 0, 16, 2048, 16);

	CU_ASSERT_EQUAL(bank_request_conflict(&r), 0.4375);
	CU_ASSERT_EQUAL(bank_group_conflict(&r), 1);
	CU_ASSERT_EQUAL(bank_excess(&r), 0.5);
	CU_ASSERT_EQUAL(r.slowdown, 2);
	CU_ASSERT_EQUAL(r.max_delay_cycles, 1);
	bank_result_clear(&r);
}

/* The same in fifo: 9 banks serve 9 a cycle of 16 that arrive.  513 groups bring 16 x 57 to each bank, which never
 * idles: 912 cycles, slowdown 16/9 exactly. */
static void fifo_slowdown_of_nine_banks_is_sixteen_ninths(void)
{
	bank_result r = rig_stride(&(rig){.map = "mod:144", .model = BANK_FIFO}, 0, 16, 513, 16);

	CU_ASSERT_EQUAL(r.cycles, 912);
	CU_ASSERT_EQUAL(r.ideal_cycles, 513);
	CU_ASSERT_DOUBLE_EQUAL(r.slowdown, 16.0 / 9, 1e-12);
	CU_ASSERT_TRUE(r.saturated);
	for (unsigned b = 0; b < 144; b++)
		CU_ASSERT_EQUAL(bank_is_saturated(&r, b), b % 16 == 0);
	bank_result_clear(&r);
}

/* One stream over banks that are busy 8 cycles runs at full rate iff it comes back to a bank after 8 or more. */
static void one_stream_runs_at_full_rate_iff_it_visits_busy_banks(void)
{
	for (uint64_t s = 1; s <= 200; s++) {
		bank_result even = rig_stride(&(rig){.map = "mod:32", .model = BANK_FIFO, .busy = 8}, 3, s, 640, 1);
		bank_result prime = rig_stride(&(rig){.map = "mod:31", .model = BANK_FIFO, .busy = 8}, 3, s, 640, 1);
		uint64_t d = 32 / gcd(s, 32);

		CU_ASSERT_EQUAL(even.max_delay_cycles == 0, s % 8 != 0);
		CU_ASSERT_EQUAL(prime.max_delay_cycles == 0, s % 31 != 0);
		/* Otherwise D banks start one every 8 cycles each: the last of 640 starts at 8 (640/D - 1) + D - 1. */
		if (s % 8 == 0)
			CU_ASSERT_EQUAL(even.cycles, 8 * (640 / d - 1) + d - 1 + 8);
		bank_result_clear(&even);
		bank_result_clear(&prime);
	}
}

static void random_blocks(uint64_t *blocks, size_t count, uint64_t below, uint64_t seed)
{
	rng r;

	rng_seed(&r, seed, 0);
	for (size_t i = 0; i < count; i++)
		blocks[i] = rng_below(&r, below);
}

/* Balls in bins: E[distinct] = M (1 - (1 - 1/M)^k), conflict 1 - E[distinct]/k, mean delay (k - 1)/(2M); E[max] of the
 * exact generating function as printed. */
static void random_lockstep_follows_balls_in_bins(void)
{
	static const struct {
		unsigned k;
		double conflict, longest;
	} rows[] = {{2, 0.0035, 1.007},  {8, 0.0240, 1.182},  {15, 0.0472, 1.551}, {16, 0.0504, 1.605},
	            {32, 0.1005, 2.177}, {64, 0.1904, 2.958}, {144, 0.3666, 4.446}};
	size_t groups = 20000;
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * 144);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		unsigned k = rows[i].k;
		double distinct = 144 * (1 - pow(1 - 1.0 / 144, k));
		bank_result r;

		random_blocks(blocks, groups * k, 720000, 5);
		r = rig_blocks(&(rig){.map = "mod:144"}, blocks, groups * k, k);
		NEAR(bank_request_conflict(&r), 1 - distinct / k, 0.002);
		NEAR(bank_request_conflict(&r), rows[i].conflict, 0.002);
		NEAR(bank_mean_delay(&r), (k - 1) / 288.0, 0.004);
		NEAR(r.slowdown, rows[i].longest, 0.02);
		bank_result_clear(&r);
	}
}

/* Binomial batches, one served a cycle: E[W] = (k - 1)/(2 (M - k)). */
static void random_fifo_follows_the_batch_queue(void)
{
	static const struct {
		unsigned k;
		double conflict, wait;
	} rows[] = {{8, 0.0253, 0.0257},
	            {15, 0.0524, 0.0543},
	            {16, 0.0564, 0.0586},
	            {32, 0.1256, 0.1384},
	            {64, 0.2974, 0.3937}};
	size_t groups = 40000;
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * 64);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		unsigned k = rows[i].k;
		bank_result r;

		random_blocks(blocks, groups * k, 720000, 9);
		r = rig_blocks(&(rig){.map = "mod:144", .model = BANK_FIFO}, blocks, groups * k, k);
		NEAR(bank_request_conflict(&r), rows[i].conflict, 0.003);
		NEAR(bank_mean_delay(&r), rows[i].wait, 0.03 * rows[i].wait + 0.0005);
		NEAR(bank_mean_delay(&r), (k - 1) / (2.0 * (144 - k)), 0.03 * rows[i].wait + 0.0005);
		CU_ASSERT_FALSE(r.saturated);
		bank_result_clear(&r);
	}
}

static void second_port_helps_random_traffic_more_than_any_hash(void)
{
	size_t groups = 20000;
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * 64);
	bank_result r;

	random_blocks(blocks, groups * 64, 720000, 11);
	r = rig_blocks(&(rig){.map = "mod:144", .ports = 2}, blocks, groups * 16, 16);
	NEAR(bank_request_conflict(&r), 0.0016, 0.0004);
	NEAR(r.slowdown, 1.02, 0.01);
	bank_result_clear(&r);
	r = rig_blocks(&(rig){.map = "mod:144", .ports = 2}, blocks, groups * 64, 64);
	NEAR(bank_request_conflict(&r), 0.025, 0.002);
	NEAR(r.slowdown, 1.81, 0.02);
	bank_result_clear(&r);
}

static void conflict_rates_of_random_traffic_have_three_denominators(void)
{
	size_t groups = 20000;
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * 64);
	bank_result r;

	random_blocks(blocks, groups * 64, 720000, 12);
	r = rig_blocks(&(rig){.map = "mod:144"}, blocks, groups * 16, 16);
	NEAR(bank_request_conflict(&r), 0.0503, 0.002);
	NEAR(bank_group_conflict(&r), 0.575, 0.01);
	NEAR(bank_excess(&r), 0.375, 0.005);
	bank_result_clear(&r);
	r = rig_blocks(&(rig){.map = "mod:144"}, blocks, groups * 64, 64);
	NEAR(bank_request_conflict(&r), 0.190, 0.002);
	NEAR(bank_group_conflict(&r), 1.000, 0.001);
	NEAR(bank_excess(&r), 0.663, 0.005);
	bank_result_clear(&r);
}

static void agree(const bank_result *got, const oracle *want)
{
	CU_ASSERT_EQUAL(got->requests, want->requests);
	CU_ASSERT_EQUAL(got->delayed, want->delayed);
	CU_ASSERT_EQUAL(got->delay_sum_cycles, want->delay_sum);
	CU_ASSERT_EQUAL(got->max_delay_cycles, want->max_delay);
	CU_ASSERT_EQUAL(got->cycles, want->cycles);
	CU_ASSERT_EQUAL(got->conflict_groups, want->conflict_groups);
}

static void every_model_agrees_with_an_oracle_that_steps_cycles(void)
{
	static const char *const maps[] = {"mod:13", "mod:12", "skew:12,5", "poly:0xb"};
	uint64_t blocks[600];

	for (unsigned seed = 0; seed < 24; seed++) {
		rig r = {.map = maps[seed % 4], .banks = 13, .ports = 1 + seed / 4 % 3, .busy = 1 + seed / 2 % 4};
		unsigned k = 1 + seed % 8;
		bank_result got;
		oracle want;

		/* A small range makes long queues, a large one short ones. */
		random_blocks(blocks, G_N_ELEMENTS(blocks), seed % 3 ? 1000 : 20, seed);
		for (unsigned plain = 0; plain < 2; plain++) {
			if (plain)
				r.ports = r.busy = 1;
			for (unsigned model = 0; model <= BANK_MODEL_COUNT; model++) {
				r.model = (enum bank_model)MIN(model, BANK_CLOSED);
				r.priority = model == BANK_MODEL_COUNT ? BANK_ROUND_ROBIN : BANK_ROTATING;
				want = (r.model == BANK_CLOSED ? oracle_closed : oracle_open)(&r, blocks, 600, k);
				got = rig_blocks(&r, blocks, 600, k);
				agree(&got, &want);
				bank_result_clear(&got);
			}
		}
	}
}

static void ports_and_busy_path_agrees_with_the_fast_path(void)
{
	uint64_t blocks[4096];

	random_blocks(blocks, G_N_ELEMENTS(blocks), 5000, 3);
	for (unsigned model = 0; model < BANK_CLOSED; model++) {
		rig fast = {.map = "mod:139", .model = (enum bank_model)model};
		/* As many bank groups as banks never bind (reads only), but take the general path. */
		rig slow = {.map = "mod:139", .model = (enum bank_model)model, .groups = 144};
		bank_result a = rig_blocks(&fast, blocks, G_N_ELEMENTS(blocks), 32);
		bank_result b = rig_blocks(&slow, blocks, G_N_ELEMENTS(blocks), 32);

		CU_ASSERT_EQUAL(a.delayed, b.delayed);
		CU_ASSERT_EQUAL(a.delay_sum_cycles, b.delay_sum_cycles);
		CU_ASSERT_EQUAL(a.cycles, b.cycles);
		CU_ASSERT_EQUAL(a.conflict_groups, b.conflict_groups);
		CU_ASSERT_EQUAL(a.first_group, b.first_group);
		CU_ASSERT_EQUAL(a.first_lane[0], b.first_lane[0]);
		CU_ASSERT_EQUAL(a.first_lane[1], b.first_lane[1]);
		bank_result_clear(&a);
		bank_result_clear(&b);
	}
}

/* Ranks by hand: 200 groups of 2 in one bank are 200 delays of 0 and 200 of 1; rank ceil(0.99 x 400) = 396 is a 1. With
 * 1 conflict in 100 groups of 2, 199 zeros and a one: rank 198 is a 0; with 3 in 100, 197 zeros: rank 198 is a 1. */
static void p99_is_the_nearest_rank(void)
{
	uint64_t blocks[400];
	bank_result r;

	for (unsigned i = 0; i < 400; i++)
		blocks[i] = 144 * i;
	r = rig_blocks(&(rig){.map = "mod:144"}, blocks, 400, 2);
	CU_ASSERT_EQUAL(r.p99_delay_cycles, 1);
	bank_result_clear(&r);
	for (unsigned conflicts = 1; conflicts <= 3; conflicts += 2) {
		for (unsigned i = 0; i < 200; i++)
			blocks[i] = i / 2 < conflicts ? 0 : i % 2;
		r = rig_blocks(&(rig){.map = "mod:144"}, blocks, 200, 2);
		CU_ASSERT_EQUAL(r.delayed, conflicts);
		CU_ASSERT_EQUAL(r.p99_delay_cycles, conflicts == 3);
		CU_ASSERT_TRUE(r.p99_exact);
		bank_result_clear(&r);
	}
}

/* One bank, two requests a cycle: request n starts in cycle n, arrived in n / 2.  6,000,000 groups of 2 exceed the
 * exact histogram; the delay of rank 11,880,000 is that of request n = 11,879,999 (delays n - n / 2 do not fall):
 * 5,940,000, rounded up to 12 bits after the leading one, a step of 1024. */
static void delays_of_endless_queues_keep_memory_bounded(void)
{
	bankmap *map = bankmap_new("mod:1", 1, 1, NULL);
	bank_options o;
	bank_run *run;
	bank_batch batch = {0};
	bank_result r;
	uint64_t block[2] = {0, 0};

	bank_options_init(&o);
	o.map = map;
	o.model = BANK_FIFO;
	run = bank_run_new(&o, NULL);
	bank_batch_reserve(&batch, 1, 1);
	batch.start[0] = 0;
	for (unsigned g = 0; g < 1000; g++)
		bank_batch_add(&batch, block, 2);
	for (unsigned n = 0; n < 6000; n++)
		bank_run_push(run, &batch);
	CU_ASSERT_TRUE(bank_run_end(run, &r, NULL));
	CU_ASSERT_EQUAL(r.max_delay_cycles, 6000000);
	CU_ASSERT_FALSE(r.p99_exact);
	CU_ASSERT_TRUE(r.p99_delay_cycles >= 5940000 && r.p99_delay_cycles < 5940000 + 1024);
	CU_ASSERT_EQUAL(r.delay_sum_cycles, UINT64_C(6000000) * 6000000);
	CU_ASSERT_TRUE(r.delays_count <= BANK_DELAYS_EXACT + 1);
	bank_result_clear(&r);
	bank_batch_clear(&batch);
	bank_run_free(run);
	bankmap_free(map);
}

static void merging_leaves_the_first_access_of_each_block_and_kind(void)
{
	static const uint64_t blocks[] = {5, 5, 149, 5, 6, 6};
	static const uint8_t kinds[] = {0, 0, 0, 1, 1, 1};
	/* Bank 5 holds 5 (read, twice), 149 (read) and 5 (write); bank 6 holds 6 (write, twice). */
	bank_result on = rig_kinds(&(rig){.map = "mod:144", .merge = true}, blocks, kinds, 6, 6);
	bank_result off = rig_kinds(&(rig){.map = "mod:144"}, blocks, kinds, 6, 6);

	CU_ASSERT_EQUAL(on.accesses, 6);
	CU_ASSERT_EQUAL(on.requests, 4);
	CU_ASSERT_EQUAL(on.cycles, 3);
	CU_ASSERT_EQUAL(on.delayed, 2);
	CU_ASSERT_EQUAL(on.kind_requests[0], 2);
	CU_ASSERT_EQUAL(on.kind_requests[1], 2);
	CU_ASSERT_EQUAL(on.kind_delayed[0], 1);
	CU_ASSERT_EQUAL(on.kind_delayed[1], 1);
	/* The first conflict is between lanes 0 and 2 of the group as it was presented. */
	CU_ASSERT_EQUAL(on.first_lane[0], 0);
	CU_ASSERT_EQUAL(on.first_lane[1], 2);
	CU_ASSERT_EQUAL(off.requests, 6);
	CU_ASSERT_EQUAL(off.cycles, 4);
	CU_ASSERT_EQUAL(off.delayed, 4);
	bank_result_clear(&on);
	bank_result_clear(&off);
}

/* Merged lanes of the closed model skip the access: lane 1 has its own in group 1 only. */
static void merging_in_the_closed_model_skips_the_lane(void)
{
	static const uint64_t blocks[] = {7, 7, 8, 9};
	bank_result r = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED, .merge = true}, blocks, 4, 2);

	CU_ASSERT_EQUAL(r.requests, 3);
	CU_ASSERT_EQUAL(r.delayed, 0);
	CU_ASSERT_EQUAL(r.cycles, 2);
	bank_result_clear(&r);
}

/* Groups are presented to 144 banks: 145 requests cannot take one beat, whatever the map. */
static void ideal_beats_count_the_banks_of_the_memory(void)
{
	uint64_t blocks[145];
	bank_result r;

	for (unsigned i = 0; i < 145; i++)
		blocks[i] = i;
	r = rig_blocks(&(rig){.map = "mod:144", .banks = 144}, blocks, 145, 145);
	CU_ASSERT_EQUAL(r.ideal_cycles, 2);
	CU_ASSERT_EQUAL(r.conflict_groups, 0);
	bank_result_clear(&r);
	/* 144 requests could take one beat on 144 banks; five banks that a map leaves out are its loss. */
	r = rig_blocks(&(rig){.map = "mod:139", .banks = 144}, blocks, 144, 144);
	CU_ASSERT_EQUAL(r.ideal_cycles, 1);
	CU_ASSERT_EQUAL(r.conflict_groups, 1);
	bank_result_clear(&r);
}

static void ideal_map_never_delays(void)
{
	for (unsigned model = 0; model < BANK_MODEL_COUNT; model++) {
		bank_result r = rig_stride(&(rig){.map = "ideal", .model = (enum bank_model)model}, 0, 144, 50, 16);

		CU_ASSERT_EQUAL(r.delayed, 0);
		CU_ASSERT_EQUAL(r.cycles, 50);
		CU_ASSERT_EQUAL(r.slowdown, 1);
		CU_ASSERT_FALSE(r.saturated);
		bank_result_clear(&r);
	}
}

/* k unit strides settle into k grants a cycle under modulo; random placement keeps colliding, near Strecker's
 * M (1 - (1 - 1/M)^k), 15.19 and 51.81, and below it since a refused request is not drawn anew. */
static void closed_streams_settle_under_modulo_only(void)
{
	static const unsigned sizes[] = {16, 64};
	static const char *const settle[] = {"mod:144", "mod:139", "mod:143", "mod:128", "skew:144,1"};
	static const double strecker[] = {15.19, 51.81};

	for (unsigned n = 0; n < 2; n++) {
		rig r = {.model = BANK_CLOSED, .warmup = 1024, .measure = 4096};
		g_autofree char *pattern = g_strdup_printf("streams:%u", sizes[n]);
		bank_result got;

		for (unsigned m = 0; m < G_N_ELEMENTS(settle); m++) {
			r.map = settle[m];
			got = rig_pattern(&r, pattern, sizes[n], 0);
			CU_ASSERT_EQUAL(got.cycles, 4096);
			NEAR(got.grants_per_cycle, sizes[n], 0.01);
			bank_result_clear(&got);
		}
		r.map = "random:3";
		got = rig_pattern(&r, pattern, sizes[n], 0);
		NEAR(got.grants_per_cycle, strecker[n], 0.025 * strecker[n]);
		CU_ASSERT_TRUE(got.grants_per_cycle < strecker[n]);
		bank_result_clear(&got);
		r.map = "poly:0x83";
		got = rig_pattern(&r, pattern, sizes[n], 0);
		CU_ASSERT_TRUE(got.grants_per_cycle < 0.99 * sizes[n]);
		bank_result_clear(&got);
	}
}

/* Three streams on one bank from cycle 0.  Rotating: cycle 0 favours 0, cycle 1 favours 1, cycle 2 favours 2, cycle 3
 * is lane 0's again, so the order is 0 1 2 and every request but the first three's waits 2.  With a fourth stream
 * elsewhere, cycle 3 favours lane 3, which does not wait here, and goes on to lane 0; cycle 4 favours 0: it wins twice
 * in a row. */
static void rotating_priority_goes_by_cycles_and_round_robin_by_grants(void)
{
	static const uint64_t three[] = {0, 144, 288, 0, 144, 288};
	static const uint64_t four[] = {0, 144, 288, 1, 0, 144, 288, 1, 0, 144, 288, 1};
	bank_result r = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED}, three, 6, 3);

	/* Delays 0 1 2 of the first group, 2 2 2 of the second. */
	CU_ASSERT_EQUAL(r.delay_sum_cycles, 9);
	CU_ASSERT_EQUAL(r.max_delay_cycles, 2);
	CU_ASSERT_EQUAL(r.cycles, 6);
	bank_result_clear(&r);
	/* Lanes in the order of grants: 0 1 2 | 0 (cycle 3) 0 (cycle 4) 1 2 | 1 (cycle 7: lane 3 favoured, 0 is done) 2
	 * (8: 0, then 1 done: 2).  Delays: 0, 1, 2; lane 0: 2, 0; lane 1: 5 - 2 = 3, 7 - 6 = 1; lane 2: 6 - 3 = 3, 8 -
	 * 7 = 1. */
	r = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED}, four, 12, 4);
	CU_ASSERT_EQUAL(r.delay_sum_cycles, 3 + 2 + 4 + 4);
	CU_ASSERT_EQUAL(r.max_delay_cycles, 3);
	bank_result_clear(&r);
	/* Round robin alternates 0 1 2 0 1 2 0 1 2: delays 0 1 2, then 2 each. */
	r = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED, .priority = BANK_ROUND_ROBIN}, four, 12, 4);
	CU_ASSERT_EQUAL(r.delay_sum_cycles, 3 + 12);
	CU_ASSERT_EQUAL(r.max_delay_cycles, 2);
	bank_result_clear(&r);
}

/* A bank that is busy for 4 cycles delays the next request of its own stream: blocks 5 and 149 share bank 5, the second
 * is presented in cycle 1 and granted in cycle 4. */
static void closed_stream_can_wait_for_itself(void)
{
	static const uint64_t blocks[] = {5, 149};

	for (unsigned separate = 0; separate < 2; separate++) {
		bank_result r = rig_blocks(
			&(rig){.map = "mod:144", .model = BANK_CLOSED, .busy = 4, .separate = separate}, blocks, 2, 1);

		CU_ASSERT_EQUAL(r.delayed, 1);
		CU_ASSERT_EQUAL(r.max_delay_cycles, 3);
		CU_ASSERT_EQUAL(r.cycles, 8);
		CU_ASSERT_EQUAL(r.first_group, 1);
		CU_ASSERT_EQUAL(r.first_other_group, 0);
		CU_ASSERT_EQUAL(r.first_block[0], 5);
		CU_ASSERT_EQUAL(r.first_block[1], 149);
		bank_result_clear(&r);
	}
}

static void closed_run_that_ends_in_its_warm_up_is_an_error(void)
{
	bankmap *map = bankmap_new("mod:144", 144, 5000, NULL);
	uint64_t block = 1;
	bank_source *source = bank_source_of_blocks("one", &block, 1, 1);
	GError *error = NULL;
	bank_options o;
	bank_result r;

	bank_options_init(&o);
	o.map = map;
	o.model = BANK_CLOSED;
	o.warmup_cycles = 10;
	CU_ASSERT_FALSE(bank_evaluate(source, &o, &r, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "within the warm-up of 10"));
	g_clear_error(&error);
	bank_source_free(source);
	bankmap_free(map);
}

/* Lane 0 sits in bank 0 alone; lanes 1 .. 3 share bank 1: the slow ones take 3 cycles a group.  With a lookahead of 8
 * accesses lane 0 may not run away. */
static void closed_streams_wait_when_they_are_too_far_ahead(void)
{
	uint64_t blocks[4 * 60];
	bank_result near, far;

	for (unsigned i = 0; i < G_N_ELEMENTS(blocks); i++)
		blocks[i] = i % 4 ? 1 : 0;
	far = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED}, blocks, 240, 4);
	near = rig_blocks(&(rig){.map = "mod:144", .model = BANK_CLOSED, .lookahead = 8}, blocks, 240, 4);
	CU_ASSERT_FALSE(far.lookahead_limited);
	CU_ASSERT_TRUE(near.lookahead_limited);
	CU_ASSERT_EQUAL(far.cycles, 180);
	CU_ASSERT_EQUAL(near.cycles, 180);
	CU_ASSERT_EQUAL(near.requests, 240);
	bank_result_clear(&far);
	bank_result_clear(&near);
}

static void options_out_of_range_are_refused(void)
{
	bankmap *map = bankmap_new("mod:144", 144, 5000, NULL);
	GError *error = NULL;
	bank_options o;

	bank_options_init(&o);
	o.map = map;
	o.ports = 0;
	CU_ASSERT_PTR_NULL(bank_run_new(&o, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "ports"));
	g_clear_error(&error);
	o.ports = 1;
	o.warmup_cycles = 5;
	CU_ASSERT_PTR_NULL(bank_run_new(&o, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "closed model"));
	g_clear_error(&error);
	bankmap_free(map);
}

int main(void)
{
	static const tap_case cases[] = {
		{"lockstep_strides_follow_the_closed_form", lockstep_strides_follow_the_closed_form},
		{"three_conflict_rates_of_one_trace_differ", three_conflict_rates_of_one_trace_differ},
		{"fifo_slowdown_of_nine_banks_is_sixteen_ninths", fifo_slowdown_of_nine_banks_is_sixteen_ninths},
		{"one_stream_runs_at_full_rate_iff_it_visits_busy_banks",
	         one_stream_runs_at_full_rate_iff_it_visits_busy_banks},
		{"random_lockstep_follows_balls_in_bins", random_lockstep_follows_balls_in_bins},
		{"random_fifo_follows_the_batch_queue", random_fifo_follows_the_batch_queue},
		{"second_port_helps_random_traffic_more_than_any_hash",
	         second_port_helps_random_traffic_more_than_any_hash},
		{"conflict_rates_of_random_traffic_have_three_denominators",
	         conflict_rates_of_random_traffic_have_three_denominators},
		{"every_model_agrees_with_an_oracle_that_steps_cycles",
	         every_model_agrees_with_an_oracle_that_steps_cycles},
		{"ports_and_busy_path_agrees_with_the_fast_path", ports_and_busy_path_agrees_with_the_fast_path},
		{"p99_is_the_nearest_rank", p99_is_the_nearest_rank},
		{"delays_of_endless_queues_keep_memory_bounded", delays_of_endless_queues_keep_memory_bounded},
		{"merging_leaves_the_first_access_of_each_block_and_kind",
	         merging_leaves_the_first_access_of_each_block_and_kind},
		{"merging_in_the_closed_model_skips_the_lane", merging_in_the_closed_model_skips_the_lane},
		{"ideal_beats_count_the_banks_of_the_memory", ideal_beats_count_the_banks_of_the_memory},
		{"ideal_map_never_delays", ideal_map_never_delays},
		{"closed_streams_settle_under_modulo_only", closed_streams_settle_under_modulo_only},
		{"rotating_priority_goes_by_cycles_and_round_robin_by_grants",
	         rotating_priority_goes_by_cycles_and_round_robin_by_grants},
		{"closed_stream_can_wait_for_itself", closed_stream_can_wait_for_itself},
		{"closed_run_that_ends_in_its_warm_up_is_an_error", closed_run_that_ends_in_its_warm_up_is_an_error},
		{"closed_streams_wait_when_they_are_too_far_ahead", closed_streams_wait_when_they_are_too_far_ahead},
		{"options_out_of_range_are_refused", options_out_of_range_are_refused},
	};

	return tap_run("bank models", cases, G_N_ELEMENTS(cases));
}
