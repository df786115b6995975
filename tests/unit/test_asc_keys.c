/* SPDX-License-Identifier: Apache-2.0
 *
 * Every key of Ascend-style machines moves a result: tests/unit/asc/keys.def, small programs with exact results at two
 * values of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/ascend/chip.h"
#include "tests/lib/tap.h"

typedef struct outcome {
	int64_t cycles, took; /* of the run; of the first instruction, start to done */
	uint64_t findings;
	bool refused, deadlock;
} outcome;

static void on_report(void *state, const asc_report *r)
{
	outcome *o = state;

	if (r->insn == 0)
		o->took = r->done - r->start;
}

static void on_deadlock(void *state, const char *diagnosis)
{
	(void)diagnosis;
	((outcome *)state)->deadlock = true;
}

/* WORDS: preset, KEY=VALUE, "launch"; then KEY = VALUE, unless KEY is NULL. */
static outcome run(const char *words, const char *text, const char *key, const char *value)
{
	g_auto(GStrv) word = g_strsplit(words, " ", -1);
	g_autoptr(GError) error = NULL;
	asc_options options = {.functional = false};
	outcome o = {.refused = true};
	asc_listener listener = {.state = &o, .report = on_report, .deadlock = on_deadlock};
	asc_machine *m = asc_machine_load(word[0], &error);
	asc_program *program = NULL;
	sim_kernel *kernel = NULL;
	asc_chip *chip = NULL;
	bool fine = m != NULL;

	for (unsigned i = 1; fine && word[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(word[i], "=", 2);

		if (strcmp(word[i], "launch") == 0)
			options.launch = true;
		else
			fine = asc_machine_set(m, pair[0], pair[1], &error);
	}
	fine = fine && (!key || asc_machine_set(m, key, value, &error)) && asc_machine_finish(m, &error);
	program = fine ? asc_assemble(text, "keys", m, &error) : NULL;
	if (program && asc_check(program, m, &error))
		kernel = sim_kernel_new("ref", NULL, &error);
	if (kernel)
		chip = asc_chip_new(m, program, kernel, &listener, &options, &error);
	if (chip && sim_kernel_run(kernel, SIM_NEVER - 1, &error)) {
		o.refused = false;
		o.cycles = asc_chip_counters(chip)->cycles;
		o.findings = asc_chip_counters(chip)->violations;
	}
	if (error && g_getenv("TSPSIM_SHOW"))
		tap_note("%s", error->message);
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	asc_program_free(program);
	asc_machine_free(m);
	return o;
}

static char *text_of(const outcome *o)
{
	if (o->refused)
		return g_strdup("refused");
	if (o->deadlock)
		return g_strdup("deadlock");
	if (o->findings)
		return g_strdup_printf("%" G_GINT64_FORMAT ", %" G_GUINT64_FORMAT " findings", o->cycles, o->findings);
	return g_strdup_printf("%" G_GINT64_FORMAT, o->cycles);
}

static const struct moves {
	const char *key, *machine, *program, *value, *result, *other, *moved;
} moves[] = {
#define MOVES(key, machine, program, value, result, other, moved) {key, machine, program, value, result, other, moved},
#define VECTOR(class, b16, b32, repeats)
#include "tests/unit/asc/keys.def"
};

static const struct vector {
	const char *class, *text[2];
	int64_t repeats;
} vectors[] = {
#define MOVES(key, machine, program, value, result, other, moved)
#define VECTOR(class, b16, b32, repeats) {class, {b16, b32}, repeats},
#include "tests/unit/asc/keys.def"
};

static void is(const struct moves *m, const char *value, const char *expected)
{
	outcome o = run(m->machine, m->program, m->key, value);
	g_autofree char *found = text_of(&o);

	if (strcmp(found, expected) != 0)
		tap_note("%s=%s: %s, expected %s", m->key, value, found, expected);
	CU_ASSERT_STRING_EQUAL(found, expected);
}

static void each_key_moves_the_result_of_its_program(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(moves); i++) {
		CU_ASSERT_STRING_NOT_EQUAL(moves[i].result, moves[i].moved);
		is(&moves[i], moves[i].value, moves[i].result);
		is(&moves[i], moves[i].other, moves[i].moved);
	}
}

static int64_t key_of(const asc_machine *m, const char *class, const char *what, char **name)
{
	g_autofree char *value = NULL;

	*name = g_strdup_printf("vector.%s.%s_cycles", class, what);
	CU_ASSERT_TRUE_FATAL(asc_key_find(*name) >= 0);
	value = asc_machine_get_text(m, asc_key_find(*name));
	return g_ascii_strtoll(value, NULL, 10);
}

static void took(const struct vector *v, unsigned wide, const char *key, int64_t value, int64_t expected)
{
	g_autofree char *text = g_strdup_printf(".stream vector sub=0\n%s\n", v->text[wide]);
	g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, value);
	outcome o = run("ascend-910b", text, key, number);

	if (o.refused || o.took != expected)
		tap_note("%s, %s=%s: %" G_GINT64_FORMAT " cycles, expected %" G_GINT64_FORMAT, v->text[wide], key,
		         number, o.took, expected);
	CU_ASSERT_FALSE(o.refused);
	CU_ASSERT_EQUAL(o.took, expected);
}

static void a_vector_instruction_takes_its_head_and_its_cycles_a_repeat(void)
{
	static const char *const rates[] = {"b16", "b32"};
	asc_machine *m = asc_machine_load("ascend-910b", NULL);

	CU_ASSERT_TRUE_FATAL(m && asc_machine_finish(m, NULL));
	for (unsigned i = 0; i < G_N_ELEMENTS(vectors); i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			const struct vector *v = &vectors[i];
			g_autofree char *head_key = NULL, *rate_key = NULL;
			int64_t head = key_of(m, v->class, "head", &head_key);
			int64_t rate = key_of(m, v->class, rates[wide], &rate_key), n = v->repeats;

			took(v, wide, head_key, head, head + n * rate);
			took(v, wide, head_key, head + 1, head + 1 + n * rate);
			took(v, wide, rate_key, rate + 3, head + n * (rate + 3));
		}
	asc_machine_free(m);
}

static void every_key_is_in_the_table(void)
{
	for (size_t k = 0; k < asc_key_count; k++) {
		unsigned rows = 0;

		for (unsigned i = 0; i < G_N_ELEMENTS(moves); i++)
			rows += strcmp(moves[i].key, asc_keys[k].path) == 0;
		for (unsigned i = 0; i < G_N_ELEMENTS(vectors); i++)
			for (unsigned w = 0; w < 3; w++) {
				static const char *const what[] = {"head", "b16", "b32"};
				g_autofree char *name =
					g_strdup_printf("vector.%s.%s_cycles", vectors[i].class, what[w]);

				rows += strcmp(name, asc_keys[k].path) == 0;
			}
		if (!rows)
			tap_note("%s is in no row", asc_keys[k].path);
		CU_ASSERT_TRUE(rows > 0);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_key_is_in_the_table", every_key_is_in_the_table},
		{"each_key_moves_the_result_of_its_program", each_key_moves_the_result_of_its_program},
		{"a_vector_instruction_takes_its_head_and_its_cycles_a_repeat",
	         a_vector_instruction_takes_its_head_and_its_cycles_a_repeat},
	};

	return tap_run("asc_keys", cases, G_N_ELEMENTS(cases));
}
