/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs run by the oracle and by the models: every record, violation, slip and byte of memory must be equal.
 * 300 programs; TSPSIM_FUZZ_PROGRAMS and TSPSIM_FUZZ_SEED in the environment ask for more and for others.  A program
 * that differs is cut down to the instructions that matter and printed as assembly.
 */
#include "tests/lib/judge.h"
#include "tests/lib/tap.h"
#include "tests/mutation/random_program.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 300, REPORTED = 3 };

typedef struct tally {
	unsigned programs, refused, with_violations;
	uint64_t issues, violations[ISA_VIOLATION_COUNT];
} tally;

/* Differences between oracle and models for P; REPORT may be NULL, TALLY too. */
static unsigned differences(const random_program *p, GString *report, tally *t)
{
	isa_program *program = random_program_build(p);
	oracle_options reference = {.functional = p->functional, .freeze = p->freeze, .sched = p->sched};
	judge_options options = {.functional = p->functional, .freeze = p->freeze, .shuffle_seed = p->shuffle_seed};
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	oracle_result *oracle;
	judge_run *run;
	unsigned count = 0;

	if (!program) {
		if (t)
			t->refused++;
		return 0;
	}
	oracle = oracle_execute(program, p->hw, &reference, &error);
	run = oracle ? judge_model(program, p->hw, &options, &error) : NULL;
	if (run)
		count = judge_compare(oracle, run, program, p->functional, text, 6);
	else
		g_string_append_printf(text, "%s\n", error->message);
	if (t && run) {
		t->issues += oracle->issues->len;
		t->with_violations += oracle->violations->len > 0;
		for (int kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
			t->violations[kind] += oracle->by_kind[kind];
	}
	if (report)
		g_string_append(report, text->str);
	count += !run;
	judge_free(run);
	oracle_result_free(oracle);
	isa_program_free(program);
	return count;
}

/* Leaves out every instruction, and then every source, without which the difference remains. */
static void cut_down(random_program *p)
{
	for (unsigned i = 0; i < p->insns->len; i++) {
		random_insn *item = &g_array_index(p->insns, random_insn, i);

		item->left_out = true;
		item->left_out = differences(p, NULL, NULL) > 0;
	}
	for (unsigned i = 0; i < p->insns->len; i++) {
		random_insn *item = &g_array_index(p->insns, random_insn, i);
		GArray *sources = item->sources;

		item->sources = g_array_new(FALSE, TRUE, sizeof(random_source));
		if (differences(p, NULL, NULL)) {
			g_array_unref(sources);
		} else {
			g_array_unref(item->sources);
			item->sources = sources;
		}
	}
}

/* The program's assembly without its data. */
static void print_program(const random_program *p)
{
	isa_program *program = random_program_build(p);
	g_autofree char *text = isa_disassemble(program, p->sched);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++)
		if (**line && !strstr(*line, ".hex") && !g_str_has_prefix(*line, ".map"))
			tap_note("  %s", *line);
	isa_program_free(program);
}

static void explain(random_program *p)
{
	g_autoptr(GString) report = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;

	cut_down(p);
	differences(p, report, NULL);
	tap_note("seed %" G_GUINT64_FORMAT "%s%s: %s", p->seed, p->freeze ? " freeze" : "",
	         p->functional ? "" : " timing", p->settings);
	lines = g_strsplit(report->str, "\n", -1);
	for (char **line = lines; *line; line++)
		if (**line)
			tap_note("%s", *line);
	print_program(p);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = g_getenv(variable);

	return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static void oracle_and_models_agree_on_random_programs(void)
{
	uint64_t programs = number_from("TSPSIM_FUZZ_PROGRAMS", PROGRAMS);
	uint64_t seed = number_from("TSPSIM_FUZZ_SEED", 1);
	unsigned differing = 0;
	tally t = {0};

	for (uint64_t i = 0; i < programs; i++) {
		random_program *p = random_program_new(seed + i);

		/* Every other program is made a correct one first. */
		if (i % 2)
			random_program_clean(p);
		random_program_name_sources(p);
		if (i % 2)
			random_program_drop_wrong_sources(p);
		t.programs++;
		if (differences(p, NULL, &t)) {
			if (differing++ < REPORTED)
				explain(p);
		}
		random_program_free(p);
	}
	CU_ASSERT_EQUAL(differing, 0);
	tap_note("%u programs, %u refused, %u without and %u with violations, %u differ, %" G_GUINT64_FORMAT " issues",
	         t.programs, t.refused, t.programs - t.refused - t.with_violations, t.with_violations, differing,
	         t.issues);
	for (int kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
		tap_note("%-20s %" G_GUINT64_FORMAT, isa_violation_name((enum isa_violation)kind), t.violations[kind]);
	/* The programs must be worth comparing: most run, most kinds of violation occur. */
	CU_ASSERT_TRUE(2 * t.refused < t.programs);
	for (int kind = 0; programs >= PROGRAMS && kind < ISA_VIOLATION_COUNT; kind++)
		if (kind != ISA_VIOLATION_ILLEGAL && kind != ISA_VIOLATION_INT_OVERFLOW &&
		    kind != ISA_VIOLATION_QUEUE_UNDERRUN && kind != ISA_VIOLATION_WRONG_MAP)
			CU_ASSERT_TRUE(t.violations[kind] > 0);
}

int main(void)
{
	static const tap_case cases[] = {
		{"oracle_and_models_agree_on_random_programs", oracle_and_models_agree_on_random_programs},
	};

	return tap_run("differential", cases, G_N_ELEMENTS(cases));
}
