/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps in whole runs: a frozen machine against a lockstep memory replayed from the definitions, with maps written
 * down once more; periods of maps; and `bank effect`, with beats counted by hand.
 */
#include <string.h>

#include "sched/emit/banks.h"
#include "tests/lib/tap.h"
#include "tools/bank_effect.h"
#include "tools/setup.h"
#include "tools/simulate.h"

enum { BLOCK = 16, BANKS = 144 };

/* ------------------------------------------------------------------------------------------ lockstep, once more */

typedef struct lockstep_map {
	const char *text;
	unsigned kind, m, d; /* 0: b mod m; 1: skew of m by d; 2: low m bits of b ^ b >> m */
} lockstep_map;

static unsigned bank_of(const lockstep_map *map, uint64_t b)
{
	switch (map->kind) {
	case 0:
		return (unsigned)(b % map->m);
	case 1:
		return (unsigned)((b % map->m + map->d * (b / map->m % map->m)) % map->m);
	default:
		return (unsigned)((b ^ b >> map->m) & ((1u << map->m) - 1));
	}
}

/* Adds the requests of issue I of a memory instruction to LOAD. */
static void add_requests(const isa_insn *insn, uint64_t i, const lockstep_map *map, unsigned *load)
{
	bool one = insn->op == ISA_OP_LOAD || insn->op == ISA_OP_STORE;
	int64_t at = (int64_t)insn->addr + (int64_t)(i % insn->loop[0].count) * insn->loop[0].step +
	             (int64_t)(i / insn->loop[0].count) * insn->loop[1].step;

	for (unsigned s = 0; s < (one ? 1 : insn->count); s++, at += insn->pitch)
		for (int64_t b = at / BLOCK; b <= (at + (one ? insn->len : insn->seg) - 1) / BLOCK; b++)
			load[bank_of(map, (uint64_t)b)]++;
}

/* What a program's accesses cost in a lockstep memory: the accesses presented in one cycle occupy it for the fullest
 * bank's requests, and a group presented earlier than that waits, and with it everything after. */
static int64_t lockstep_slip(const isa_program *program, const lockstep_map *map)
{
	int64_t last = program->predicted_cycles + 16;
	g_autofree unsigned *load = g_new0(unsigned, (size_t)last *BANKS);
	int64_t slip = 0, free_at = 0;

	for (guint n = 0; n < program->insns->len; n++) {
		const isa_insn *insn = isa_program_insn(program, n);

		CU_ASSERT_NOT_EQUAL(insn->op, ISA_OP_LOADX);
		for (uint64_t i = 0; isa_ops[insn->op].unit == ISA_UNIT_MEM && i < isa_insn_issues(insn); i++)
			add_requests(insn, i, map, load + (insn->cycle + isa_insn_offset(insn, i)) * BANKS);
	}
	for (int64_t cycle = 0; cycle < last; cycle++) {
		unsigned fullest = 0;

		for (unsigned b = 0; b < BANKS; b++)
			fullest = MAX(fullest, load[cycle * BANKS + b]);
		if (!fullest)
			continue;
		slip += MAX(free_at - (cycle + slip), 0);
		free_at = cycle + slip + fullest;
	}
	return slip;
}

/* Scheduled for the default map, run with another one under freeze. */
static void compare_slip(const char *workload, const lockstep_map *map)
{
	g_autofree char *set = g_strconcat("hw.sram.map=", map->text, NULL);
	char *sets[] = {set, NULL};
	setup_schedule how = {.workload = workload, .seed = 1};
	simulate_options options = {.kernel = "ref", .policy = TSP_POLICY_FREEZE};
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report scheduled = {0};
	simulation *done;
	report r = {0};
	setup s;
	isa_program *program;

	CU_ASSERT_TRUE_FATAL(setup_init(&s, NULL, sets, NULL));
	program = setup_compile(&s, &how, &graphs, &scheduled, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	done = simulate(s.sched, s.hw, program, NULL, &options, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(done);
	r.hw = s.hw;
	r.program = program;
	simulation_report(done, &r);
	CU_ASSERT_EQUAL(r.counters->slip_cycles, lockstep_slip(program, map));
	if (r.counters->slip_cycles != lockstep_slip(program, map))
		tap_note("%s on %s: slip %" G_GINT64_FORMAT, workload, map->text, r.counters->slip_cycles);
	simulation_free(done);
	isa_program_free(program);
	sched_report_fini(&scheduled);
	setup_fini(&s);
}

static const lockstep_map maps[] = {
	{"mod:139", 0, 139, 0},    {"mod:143", 0, 143, 0},    {"mod:144", 0, 144, 0}, {"mod:97", 0, 97, 0},
	{"mod:128", 0, 128, 0},    {"mod:40", 0, 40, 0},      {"mod:8", 0, 8, 0},     {"skew:144,1", 1, 144, 1},
	{"skew:144,5", 1, 144, 5}, {"skew:128,9", 1, 128, 9}, {"xorfold:7", 2, 7, 0}, {"xorfold:5", 2, 5, 0},
};

static void a_frozen_run_slips_as_the_lockstep_of_its_accesses(void)
{
	static const char *const workloads[] = {"gemm:65x330x340", "transpose:64x320",   "softmax:33x160",
	                                        "kvcache:64x4x32", "columns:130x700,20", "fft:512"};

	for (size_t w = 0; w < G_N_ELEMENTS(workloads); w++)
		for (size_t m = 0; m < G_N_ELEMENTS(maps); m++)
			compare_slip(workloads[w], &maps[m]);
}

/* N groups, one a cycle, of K single blocks with stride S: in M banks they visit D = M / gcd(S, M), so each group takes
 * ceil(K / D) cycles, and each but the first waits for the rest of the one before. */
static void a_stride_freezes_as_its_closed_form_says(void)
{
	static const struct {
		const char *map;
		unsigned stride, cycles; /* of a group of 16 */
	} rows[] = {
		{"mod:144", 1, 1},  {"mod:144", 16, 2},    {"mod:144", 144, 16}, {"mod:144", 24, 3},
		{"mod:139", 16, 1}, {"mod:139", 139, 16},  {"mod:143", 16, 1},   {"mod:143", 11, 2},
		{"mod:128", 64, 8}, {"xorfold:7", 128, 1},
	};
	enum { GROUPS = 50 };

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *set = g_strconcat("sram.map=", rows[i].map, NULL);
		g_autofree char *text = g_strdup_printf(".epoch \"e\" start=0\n.image 0 1000000\n@0 mem0: loads r0 "
		                                        "addr=0 seg=16 pitch=%u count=16 x%d every 1\n",
		                                        rows[i].stride * BLOCK, GROUPS);
		char *sets[] = {set, NULL};
		simulate_options options = {.kernel = "ref", .policy = TSP_POLICY_FREEZE};
		report r = {0};
		setup s;
		isa_program *program;
		simulation *done;

		CU_ASSERT_TRUE_FATAL(setup_init(&s, NULL, sets, NULL));
		program = isa_assemble(text, "text", s.sched, NULL);
		CU_ASSERT_PTR_NOT_NULL_FATAL(program);
		CU_ASSERT_TRUE_FATAL(isa_lower(program, s.sched, NULL));
		done = simulate(s.sched, s.hw, program, NULL, &options, NULL);
		CU_ASSERT_PTR_NOT_NULL_FATAL(done);
		r.hw = s.hw;
		r.program = program;
		simulation_report(done, &r);
		CU_ASSERT_EQUAL(r.counters->slip_cycles, (GROUPS - 1) * (rows[i].cycles - 1));
		simulation_free(done);
		isa_program_free(program);
		setup_fini(&s);
	}
}

/* ------------------------------------------------------------------------------------------------------ periods */

static void a_map_begins_again_after_its_period(void)
{
	/* A skew of M by D: block b + M - D lies in the bank of b unless b mod M < D (5 of 144 here). */
	static const struct {
		const char *map;
		unsigned period;
	} rows[] = {
		{"mod:139", 139},    {"mod:144", 144}, {"mod:2", 2},     {"mod:1", 1},         {"skew:144,1", 143},
		{"skew:144,5", 139}, {"xorfold:7", 0}, {"poly:0x83", 0}, {"swizzle:7,0,7", 0}, {"ideal", 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		bank_map *map = bank_map_new(rows[i].map, BANKS, 100000, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(map);
		CU_ASSERT_EQUAL(bank_map_period(map), rows[i].period);
		bank_map_free(map);
	}
}

/* ------------------------------------------------------------------------------------------------------- effect */

static GArray *effect(const char *workload, char **of, unsigned seeds)
{
	bank_effect_options options = {.workload = workload, .maps = of, .seeds = seeds};
	GArray *rows = bank_effect_run(&options, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(rows);
	return rows;
}

static const bank_effect *row_at(const GArray *rows, guint i)
{
	return &g_array_index(rows, bank_effect, i);
}

/* 40 columns of 128 rows at 2048 bytes, 128 blocks, from row to row.  mod:144: gcd(128, 144) = 16, 9 banks,
 * ceil(128 / 9) = 15 beats a column, 14 of them lost: 560.  mod:139: 128 different banks.  The stores of 256 bytes are
 * runs of 16 blocks and lose nothing anywhere. */
static void columns_of_a_matrix_lose_beats_to_their_stride(void)
{
	char *of[] = {(char *)"mod:139", (char *)"mod:144", (char *)"ideal", NULL};
	GArray *rows = effect("columns:128x1024,40", of, 3);

	CU_ASSERT_EQUAL(row_at(rows, 0)->accesses, 80);
	CU_ASSERT_EQUAL(row_at(rows, 0)->self_beats, 0);
	CU_ASSERT_EQUAL(row_at(rows, 0)->beats, 80);
	CU_ASSERT_EQUAL(row_at(rows, 1)->self_beats, 560);
	CU_ASSERT_EQUAL(row_at(rows, 1)->beats, 640);
	CU_ASSERT_EQUAL(row_at(rows, 1)->verdict, BANK_EFFECT_SLOWER);
	/* 40 x 15 beats in the same nine banks of sixteen: no order beats 600 cycles of loads. */
	CU_ASSERT(row_at(rows, 1)->least >= 600);
	CU_ASSERT_EQUAL(row_at(rows, 2)->self_beats, 0);
	CU_ASSERT_EQUAL(row_at(rows, 2)->moved_ops, 0);
	CU_ASSERT_EQUAL(row_at(rows, 2)->over_ideal, 0);
	CU_ASSERT_EQUAL(row_at(rows, 2)->load_bound, 0);
	CU_ASSERT_EQUAL(row_at(rows, 2)->verdict, BANK_EFFECT_FASTER);
	for (guint i = 0; i < rows->len; i++) {
		const bank_effect *row = row_at(rows, i);

		CU_ASSERT_TRUE(row->as_predicted);
		CU_ASSERT_EQUAL(row->beats, row->accesses + row->self_beats);
		CU_ASSERT(row->least <= row->median && row->median <= row->most);
		CU_ASSERT((int64_t)row->load_bound <= row->least);
		/* Ideal banks under any map's layout take what map ideal takes here: one access a step, nothing else.
		 */
		CU_ASSERT_EQUAL(row->ideal_cycles, row_at(rows, 2)->cycles);
	}
	g_array_unref(rows);
}

static void a_map_does_not_differ_from_itself(void)
{
	char *of[] = {(char *)"mod:139", (char *)"mod:139", NULL};
	GArray *rows = effect("softmax:33x160", of, 4);

	CU_ASSERT_EQUAL(row_at(rows, 0)->verdict, BANK_EFFECT_FIRST);
	CU_ASSERT_EQUAL(row_at(rows, 1)->verdict, BANK_EFFECT_NONE);
	CU_ASSERT_EQUAL(row_at(rows, 0)->cycles, row_at(rows, 1)->cycles);
	CU_ASSERT_EQUAL(row_at(rows, 0)->most, row_at(rows, 1)->most);
	CU_ASSERT_EQUAL(row_at(rows, 0)->over_ideal, row_at(rows, 1)->over_ideal);
	g_array_unref(rows);
}

static void a_map_that_is_refused_says_so_and_the_others_are_compared(void)
{
	char *of[] = {(char *)"mod:145", (char *)"mod:139", (char *)"mod:144", NULL};
	bank_effect_options options = {.workload = "columns:128x1024,8", .maps = of, .seeds = 2};
	GArray *rows = effect(options.workload, of, 2);
	g_autofree char *text = bank_effect_text(rows, &options);
	g_autofree char *as_json = bank_effect_json(rows, &options);

	CU_ASSERT_PTR_NOT_NULL(row_at(rows, 0)->refusal);
	CU_ASSERT_EQUAL(row_at(rows, 1)->verdict, BANK_EFFECT_FIRST);
	CU_ASSERT_EQUAL(row_at(rows, 2)->verdict, BANK_EFFECT_SLOWER);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "mod:145"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "refused"));
	CU_ASSERT_PTR_NOT_NULL(strstr(as_json, "\"against_first\": \"slower\""));
	g_array_unref(rows);
}

static void without_a_map_or_with_a_bad_workload_there_is_an_error(void)
{
	char *none[] = {NULL}, *of[] = {(char *)"mod:139", NULL};
	GError *error = NULL;

	CU_ASSERT_PTR_NULL(bank_effect_run(&(bank_effect_options){.maps = none}, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(bank_effect_run(&(bank_effect_options){.maps = of, .workload = "gem:1x1x1"}, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "gemm"));
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(bank_effect_run(&(bank_effect_options){.maps = of, .machine = "tsp-isca20"}, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	g_clear_error(&error);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_frozen_run_slips_as_the_lockstep_of_its_accesses",
	         a_frozen_run_slips_as_the_lockstep_of_its_accesses},
		{"a_stride_freezes_as_its_closed_form_says", a_stride_freezes_as_its_closed_form_says},
		{"a_map_begins_again_after_its_period", a_map_begins_again_after_its_period},
		{"columns_of_a_matrix_lose_beats_to_their_stride", columns_of_a_matrix_lose_beats_to_their_stride},
		{"a_map_does_not_differ_from_itself", a_map_does_not_differ_from_itself},
		{"a_map_that_is_refused_says_so_and_the_others_are_compared",
	         a_map_that_is_refused_says_so_and_the_others_are_compared},
		{"without_a_map_or_with_a_bad_workload_there_is_an_error",
	         without_a_map_or_with_a_bad_workload_there_is_an_error},
	};

	return tap_run("bank run", cases, G_N_ELEMENTS(cases));
}
