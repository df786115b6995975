/* SPDX-License-Identifier: Apache-2.0
 *
 * The evaluation of bank maps against the oracle of tests/bank/oracle.h, on random small cases: every family, groups of
 * 1 to 80 lanes of uneven length, 1 to 4 ports, 1 to 8 busy cycles, merging, reads and writes with separate ports and
 * bank groups, all three models.  All integers are compared exactly.
 * ORACLE_CASES=N in the environment runs N cases of each kind, ORACLE_FIRST=N begins at case N.
 */
#include "bank/metrics.h"
#include "bank/model.h"
#include "tests/bank/random_case.h"
#include "tests/lib/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_CASES = 230, MAX_REPORTS = 8 };

static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static unsigned given_bank(const void *what, uint64_t block)
{
	return bankmap_bank(what, block);
}

static bankmap *new_map(rng *r, enum oracle_family family, oracle_map *o, char *text, GError **error)
{
	bankmap *map;

	random_map(r, family, o, text);
	map = bankmap_new_analysis(text, o->banks, o->rows, error);
	o->given = given_bank;
	o->what = map;
	return map;
}

/* A case with its reports. */
typedef struct judged {
	uint64_t number;
	char text[CASE_TEXT];
	oracle_map map;
	oracle_options options;
	unsigned reports;
} judged;

static void differ(judged *j, const char *what, uint64_t program, uint64_t oracle)
{
	const oracle_options *o = &j->options;

	if (program == oracle)
		return;
	if (j->reports++ < MAX_REPORTS)
		tap_note("case %" PRIu64 ": %s, %u banks of %" PRIu64 ", model %d, ports %u, busy %u, merge %d, "
		         "separate %d, groups %u, round robin %d, measure %" PRIu64 "+%" PRIu64 ": %s is %" PRIu64
		         ", oracle %" PRIu64,
		         j->number, j->text, j->map.banks, j->map.rows, (int)o->model, o->ports, o->busy, o->merge,
		         o->separate, o->groups, o->round_robin, o->warmup, o->measure, what, program, oracle);
}

static void banks_are_those_of_the_definition(void)
{
	uint64_t first = number_from("ORACLE_FIRST", 0), cases = number_from("ORACLE_CASES", DEFAULT_CASES);
	judged j = {0};

	for (j.number = first; j.number < first + cases; j.number++) {
		enum oracle_family family = (enum oracle_family)(j.number % ORACLE_FAMILY_COUNT);
		GError *error = NULL;
		bankmap *map;
		rng r;

		if (family == ORACLE_GIVEN || family == ORACLE_IDEAL)
			continue;
		rng_seed(&r, j.number, 1);
		map = new_map(&r, family, &j.map, j.text, &error);
		if (!map) {
			j.reports++;
			tap_note("case %" PRIu64 ": %s, %u banks of %" PRIu64 ": %s", j.number, j.text, j.map.banks,
			         j.map.rows, error->message);
			g_clear_error(&error);
			continue;
		}
		for (unsigned i = 0; i < 60; i++) {
			uint64_t b = i < 4 ? rng_next(&r) : rng_next(&r) >> rng_below(&r, 63);
			uint16_t bank[3];
			uint64_t three[3] = {b, b + 1, i};

			differ(&j, "bank", bankmap_bank(map, b), oracle_bank(&j.map, b));
			bankmap_map(map, three, 3, bank);
			for (unsigned n = 0; n < 3; n++)
				differ(&j, "bank of a batch", bank[n], oracle_bank(&j.map, three[n]));
			bankmap_banks(map, b >> 1, 3, bank);
			for (unsigned n = 0; n < 3; n++)
				differ(&j, "bank of a run", bank[n], oracle_bank(&j.map, (b >> 1) + n));
		}
		bankmap_free(map);
	}
	CU_ASSERT_EQUAL(j.reports, 0);
}

/* Every block below the capacity has a place of its own that exists, and the row of the definition; a refused map has
 * two blocks in one place. */
static void judge_placement(judged *j, const bankmap *map, const bankmap *refused)
{
	const bankmap *seen = map ? map : refused;
	uint64_t words = (uint64_t)j->map.banks * j->map.rows, aliases = 0;
	uint64_t limit = map ? bankmap_capacity_blocks(map) : words;
	bool has_row = j->map.family != ORACLE_TABLE && j->map.family != ORACLE_EXPR;
	bool *taken = g_new0(bool, words);

	for (uint64_t b = 0; b < limit; b++) {
		unsigned bank = oracle_bank(&j->map, b);
		uint64_t row = has_row ? oracle_row(&j->map, b) : bankmap_row(seen, b), back = 0;

		if (row >= j->map.rows) {
			if (map)
				differ(j, "row that does not exist, of block", row, b);
			continue;
		}
		if (has_row)
			differ(j, "row", bankmap_row(seen, b), row);
		aliases += taken[(uint64_t)bank * j->map.rows + row];
		taken[(uint64_t)bank * j->map.rows + row] = true;
		if (map) {
			differ(j, "inverse known", bankmap_inverse(map, bank, row, &back), 1);
			differ(j, "inverse", back, b);
		}
	}
	differ(j, "aliases there", aliases > 0, map == NULL);
	/* Nothing more fits in order: the next block has no row, or a place that is taken. */
	if (map && has_row && limit < words) {
		uint64_t row = oracle_row(&j->map, limit);

		if (row < j->map.rows)
			differ(j, "next block's place taken", 1,
			       taken[(uint64_t)oracle_bank(&j->map, limit) * j->map.rows + row]);
	}
	g_free(taken);
}

static void blocks_below_the_capacity_have_places_of_their_own(void)
{
	uint64_t first = number_from("ORACLE_FIRST", 0), cases = number_from("ORACLE_CASES", DEFAULT_CASES) / 4;
	judged j = {0};

	for (j.number = first; j.number < first + cases; j.number++) {
		enum oracle_family family = (enum oracle_family)(j.number % ORACLE_FAMILY_COUNT);
		bankmap *map, *analysed;
		rng r;

		if (family == ORACLE_GIVEN || family == ORACLE_IDEAL || family == ORACLE_IPOLYMOD)
			continue;
		rng_seed(&r, j.number, 2);
		analysed = new_map(&r, family, &j.map, j.text, NULL);
		if (!analysed)
			continue; /* the case above reports it */
		map = bankmap_new(j.text, j.map.banks, j.map.rows, NULL);
		differ(&j, "injective", bankmap_is_injective(analysed), map != NULL);
		judge_placement(&j, map, analysed);
		bankmap_free(map);
		bankmap_free(analysed);
	}
	CU_ASSERT_EQUAL(j.reports, 0);
}

/* Groups FIRST .. of S as a batch of up to LIMIT groups; the next group. */
static size_t fill_batch(const random_stream *s, size_t *at, size_t limit, bool kinds, bank_batch *batch)
{
	size_t groups = 0;

	batch->groups = batch->accesses = 0;
	batch->has_kinds = kinds;
	bank_batch_reserve(batch, limit + 1, s->count);
	batch->start[0] = 0;
	while (*at < s->count && groups < limit) {
		size_t group = s->a[*at].group;

		for (; *at < s->count && s->a[*at].group == group; ++*at) {
			batch->blocks[batch->accesses] = s->a[*at].block;
			batch->kinds[batch->accesses++] = s->a[*at].write ? BANK_WRITE : 0;
		}
		batch->start[++groups] = (uint32_t)batch->accesses;
	}
	batch->groups = groups;
	return groups;
}

static bool evaluate(rng *r, const random_stream *s, const bank_options *options, bank_result *result)
{
	bank_run *run = bank_run_new(options, NULL);
	bank_batch batch = {0};
	size_t at = 0;
	bool kinds = options->separate || options->groups, ok;

	if (!run)
		return false;
	if (s->even && rng_below(r, 2)) {
		uint64_t *blocks = g_new(uint64_t, s->count);
		bank_source *source;

		bank_run_free(run);
		for (size_t i = 0; i < s->count; i++)
			blocks[i] = s->a[i].block;
		source = bank_source_of_blocks("case", blocks, s->count, s->lanes);
		ok = bank_evaluate(source, options, result, NULL);
		bank_source_free(source);
		g_free(blocks);
		return ok;
	}
	for (size_t i = 0; i < s->count; i++)
		kinds |= s->a[i].write;
	while (at < s->count) {
		fill_batch(s, &at, 1 + rng_below(r, 20), kinds, &batch);
		bank_run_push(run, &batch);
	}
	ok = bank_run_end(run, result, NULL);
	bank_run_free(run);
	bank_batch_clear(&batch);
	return ok;
}

static void compare(judged *j, const bank_result *p, const oracle_result *o)
{
	differ(j, "requests", p->requests, o->requests);
	differ(j, "delayed", p->delayed, o->delayed);
	for (unsigned kind = 0; kind < 2; kind++) {
		differ(j, kind ? "writes" : "reads", p->kind_requests[kind], o->kind_requests[kind]);
		differ(j, kind ? "writes delayed" : "reads delayed", p->kind_delayed[kind], o->kind_delayed[kind]);
	}
	differ(j, "sum of delays", p->delay_sum_cycles, o->delay_sum);
	differ(j, "p99", p->p99_delay_cycles, o->p99);
	differ(j, "max", p->max_delay_cycles, o->max);
	if (j->map.family != ORACLE_IDEAL)
		for (unsigned i = 0; i < p->banks_used; i++)
			differ(j, "requests of a bank", p->bank_requests[i], o->bank_requests[i]);
	if (j->options.measure) {
		differ(j, "cycles", p->cycles <= j->options.measure, 1);
		return;
	}
	differ(j, "groups", p->groups, o->groups);
	differ(j, "groups in conflict", p->conflict_groups, o->conflict_groups);
	differ(j, "cycles", p->cycles, o->cycles);
	differ(j, "ideal cycles", p->ideal_cycles, o->ideal_cycles);
}

static void random_options(rng *r, enum oracle_model model, bool rules, unsigned banks, oracle_options *o)
{
	*o = (oracle_options){.model = model, .ports = 1, .busy = 1, .merge = rng_below(r, 2), .banks = banks};
	if (rng_below(r, 2))
		o->ports = 1 + (unsigned)rng_below(r, 4);
	if (rng_below(r, 2))
		o->busy = 1 + (unsigned)rng_below(r, 8);
	if (rules) {
		o->separate = rng_below(r, 2);
		o->groups = rng_below(r, 3) ? 1 + (unsigned)rng_below(r, 20) : 0;
	}
	o->round_robin = model == ORACLE_CLOSED && !o->separate && !o->groups && rng_below(r, 2);
	if (model == ORACLE_CLOSED && rng_below(r, 3) == 0) {
		o->warmup = rng_below(r, 20);
		o->measure = 1 + rng_below(r, 60);
	}
}

static void judge_models(enum oracle_model model, bool rules, uint64_t seed)
{
	static const enum bank_model names[] = {BANK_LOCKSTEP, BANK_FIFO, BANK_CLOSED};
	uint64_t first = number_from("ORACLE_FIRST", 0), cases = number_from("ORACLE_CASES", DEFAULT_CASES);
	random_stream *s = g_new(random_stream, 1);
	judged j = {0};

	for (j.number = first; j.number < first + cases; j.number++) {
		bank_options options;
		bank_result program;
		oracle_result oracle;
		bankmap *map;
		rng r;

		rng_seed(&r, j.number, seed);
		map = new_map(&r, (enum oracle_family)(j.number % ORACLE_FAMILY_COUNT), &j.map, j.text, NULL);
		if (!map)
			continue; /* a case above reports it */
		random_options(&r, model, rules, rng_below(&r, 2) ? j.map.banks : bankmap_banks_used(map), &j.options);
		random_groups(&r, 1 + rng_below(&r, rng_below(&r, 2) ? 100 : 100000), rules || rng_below(&r, 4) == 0,
		              s);
		bank_options_init(&options);
		options.map = map;
		options.model = names[model];
		options.ports = j.options.ports;
		options.busy_cycles = j.options.busy;
		options.merge = j.options.merge;
		options.separate = j.options.separate;
		options.groups = j.options.groups;
		options.priority = j.options.round_robin ? BANK_ROUND_ROBIN : BANK_ROTATING;
		options.banks = j.options.banks;
		options.warmup_cycles = j.options.warmup;
		options.measure_cycles = j.options.measure;
		oracle_evaluate(&j.map, &j.options, s->a, s->count, j.map.banks, &oracle);
		if (evaluate(&r, s, &options, &program)) {
			compare(&j, &program, &oracle);
			bank_result_clear(&program);
		} else { /* only a stream that ends within its warm-up is refused */
			differ(&j, "evaluated", 0, j.options.warmup == 0 || oracle.requests > 0);
		}
		oracle_result_clear(&oracle);
		bankmap_free(map);
	}
	g_free(s);
	CU_ASSERT_EQUAL(j.reports, 0);
}

static void lockstep_is_the_oracles(void)
{
	judge_models(ORACLE_LOCKSTEP, false, 3);
}

static void fifo_is_the_oracles(void)
{
	judge_models(ORACLE_FIFO, false, 4);
}

static void closed_loop_is_the_oracles(void)
{
	judge_models(ORACLE_CLOSED, false, 5);
}

static void lockstep_with_kinds_and_bank_groups_is_the_oracles(void)
{
	judge_models(ORACLE_LOCKSTEP, true, 6);
}

static void fifo_with_kinds_and_bank_groups_is_the_oracles(void)
{
	judge_models(ORACLE_FIFO, true, 7);
}

static void closed_loop_with_kinds_and_bank_groups_is_the_oracles(void)
{
	judge_models(ORACLE_CLOSED, true, 8);
}

/* Pushes the groups of S in batches of PER_BATCH; closed loop on 4 banks, modulo 4. */
static void closed_in_batches(const random_stream *s, size_t per_batch, bank_result *result)
{
	bankmap *map = bankmap_new("mod:4", 4, 100, NULL);
	bank_batch batch = {0};
	bank_options options;
	bank_run *run;
	size_t at = 0;

	bank_options_init(&options);
	options.map = map;
	options.model = BANK_CLOSED;
	run = bank_run_new(&options, NULL);
	while (at < s->count) {
		fill_batch(s, &at, per_batch, false, &batch);
		bank_run_push(run, &batch);
	}
	CU_ASSERT_TRUE(bank_run_end(run, result, NULL));
	bank_run_free(run);
	bank_batch_clear(&batch);
	bankmap_free(map);
}

static void streams_begin_when_their_group_is_reached(void)
{
	/* Groups {0} {1, 5} {2}.  Cycle 0: stream 0 gets block 0, and in cycle 1 reaches the group in which stream 1
	 * begins; both want bank 1, and in cycle 1 of 2 streams stream 1 is first.  Cycle 2: stream 0 gets block 1, one
	 * cycle late; cycle 3: block 2.  A stream 1 that had begun in cycle 0 would have been out of the way. */
	random_stream *s = g_new0(random_stream, 1);
	static const oracle_access accesses[] = {
		{0, 0, 0, false}, {1, 0, 1, false}, {1, 1, 5, false}, {2, 0, 2, false}};

	memcpy(s->a, accesses, sizeof(accesses));
	s->count = G_N_ELEMENTS(accesses);
	for (size_t per_batch = 1; per_batch <= 3; per_batch++) {
		bank_result r;

		closed_in_batches(s, per_batch, &r);
		CU_ASSERT_EQUAL(r.cycles, 4);
		CU_ASSERT_EQUAL(r.delayed, 1);
		CU_ASSERT_EQUAL(r.delay_sum_cycles, 1);
		CU_ASSERT_EQUAL(r.conflict_groups, 1);
		CU_ASSERT_EQUAL(r.streams, 2);
		bank_result_clear(&r);
	}
	g_free(s);
}

static void memory_of_one_bank_has_one_bank_group(void)
{
	/* Three reads of one bank with three ports: 8 bank groups are asked for, but only b mod 8 = 0 exists, and it
	 * begins one read a cycle.  So three beats, and no map could do better. */
	static const uint64_t blocks[] = {0, 1, 2};
	bankmap *map = bankmap_new("mod:1", 1, 100, NULL);
	bank_source *source = bank_source_of_blocks("three", blocks, 3, 3);
	bank_options options;
	bank_result r;

	bank_options_init(&options);
	options.map = map;
	options.banks = 1;
	options.ports = 3;
	options.groups = 8;
	CU_ASSERT_TRUE_FATAL(bank_evaluate(source, &options, &r, NULL));
	CU_ASSERT_EQUAL(r.cycles, 3);
	CU_ASSERT_EQUAL(r.ideal_cycles, 3);
	CU_ASSERT_EQUAL(r.conflict_groups, 0);
	bank_result_clear(&r);
	bank_source_free(source);
	bankmap_free(map);
}

int main(void)
{
	static const tap_case cases[] = {
		{"banks_are_those_of_the_definition", banks_are_those_of_the_definition},
		{"blocks_below_the_capacity_have_places_of_their_own",
	         blocks_below_the_capacity_have_places_of_their_own},
		{"lockstep_is_the_oracles", lockstep_is_the_oracles},
		{"fifo_is_the_oracles", fifo_is_the_oracles},
		{"closed_loop_is_the_oracles", closed_loop_is_the_oracles},
		{"lockstep_with_kinds_and_bank_groups_is_the_oracles",
	         lockstep_with_kinds_and_bank_groups_is_the_oracles},
		{"fifo_with_kinds_and_bank_groups_is_the_oracles", fifo_with_kinds_and_bank_groups_is_the_oracles},
		{"closed_loop_with_kinds_and_bank_groups_is_the_oracles",
	         closed_loop_with_kinds_and_bank_groups_is_the_oracles},
		{"streams_begin_when_their_group_is_reached", streams_begin_when_their_group_is_reached},
		{"memory_of_one_bank_has_one_bank_group", memory_of_one_bank_has_one_bank_group},
	};

	return tap_run("bank_oracle", cases, G_N_ELEMENTS(cases));
}
