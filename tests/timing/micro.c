/* SPDX-License-Identifier: Apache-2.0
 *
 * From the text of a micro-program to its measured times.
 */
#include "tests/timing/micro.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <string.h>

static bool set_key(micro *m, const char *word, GError **error)
{
	g_auto(GStrv) pair = g_strsplit(word, "=", 2);
	const char *key = pair[0];
	bool only_hw = g_str_has_prefix(key, "hw.");
	bool only_sched = g_str_has_prefix(key, "sched.");

	key += only_hw ? 3 : only_sched ? 6 : 0;
	return (only_hw || isa_machine_set(m->sched, key, pair[1], error)) &&
	       (only_sched || isa_machine_set(m->hw, key, pair[1], error));
}

static bool make_machines(micro *m, const char *machine, GError **error)
{
	g_auto(GStrv) words = g_strsplit(machine, " ", -1);

	m->sched = isa_machine_load(words[0], error);
	if (!m->sched)
		return false;
	m->hw = isa_machine_copy(m->sched);
	for (unsigned i = 1; words[i]; i++) {
		if (strcmp(words[i], "freeze") == 0)
			m->freeze = true;
		else if (strcmp(words[i], "timing") == 0)
			m->timing = true;
		else if (*words[i] && !set_key(m, words[i], error))
			return false;
	}
	return isa_machine_finish(m->sched, error) && isa_machine_finish(m->hw, error);
}

/* Replaces $w3:16 and the like by locations; g_free. */
static char *expand(const char *text, const isa_machine *m)
{
	GString *out = g_string_new(NULL);
	unsigned slice, addr;
	char side;
	int used;

	while (*text) {
		if (*text == '$' && sscanf(text, "$%c%u:%u%n", &side, &slice, &addr, &used) == 3) {
			g_string_append_printf(out, "%" G_GUINT64_FORMAT,
			                       isa_word_location(m, side == 'e', slice, addr));
			text += used;
		} else {
			g_string_append_c(out, *text++);
		}
	}
	return g_string_free(out, FALSE);
}

/* The same on the models. */
static bool judge(micro *m, GError **error)
{
	judge_options options = {.functional = !m->timing, .freeze = m->freeze};
	g_autoptr(GString) report = g_string_new(NULL);

	m->model = judge_model(m->program, m->hw, &options, error);
	if (!m->model)
		return false;
	m->differences = judge_compare(m->oracle, m->model, m->program, !m->timing, report, 4);
	if (m->differences)
		tap_note("%u differences: %s", m->differences, g_strdelimit(report->str, "\n", ';'));
	CU_ASSERT_EQUAL(m->differences, 0);
	return true;
}

static bool run(micro *m, const char *machine, const char *text, GError **error)
{
	g_autofree char *expanded = NULL;
	oracle_options options = {0};

	if (!make_machines(m, machine, error))
		return false;
	expanded = expand(text, m->sched);
	m->program = isa_assemble(expanded, "micro", m->sched, error);
	if (!m->program || !isa_lower(m->program, m->sched, error))
		return false;
	options.freeze = m->freeze;
	options.functional = !m->timing;
	options.sched = m->sched;
	m->oracle = oracle_execute(m->program, m->hw, &options, error);
	return m->oracle && judge(m, error);
}

micro *micro_try(const char *machine, const char *text)
{
	micro *m = g_new0(micro, 1);
	g_autoptr(GError) error = NULL;

	if (run(m, machine, text, &error))
		return m;
	m->refused = true;
	m->refusal = g_strdup(error->message);
	return m;
}

micro *micro_run(const char *machine, const char *text)
{
	micro *m = micro_try(machine, text);

	if (m->refused)
		printf("# %s: %s\n", machine, m->refusal);
	CU_ASSERT_FALSE(m->refused);
	return m;
}

void micro_free(micro *m)
{
	judge_free(m->model);
	oracle_result_free(m->oracle);
	if (m->program)
		isa_program_free(m->program);
	isa_machine_free(m->sched);
	isa_machine_free(m->hw);
	g_free(m->refusal);
	g_free(m);
}

probe_issue micro_issue(const micro *m, uint32_t insn, uint32_t index)
{
	const probe_issue *record = m->oracle ? oracle_issue(m->oracle, insn, index) : NULL;
	probe_issue none = {.cycle = PROBE_NO_TIME, .result = PROBE_NO_TIME};

	for (unsigned k = 0; k < 3; k++)
		none.arrival[k] = PROBE_NO_TIME;
	return record ? *record : none;
}

int64_t micro_cycles(const micro *m)
{
	return m->oracle ? m->oracle->cycles : PROBE_NO_TIME;
}

int64_t micro_slip(const micro *m)
{
	return m->oracle ? m->oracle->slip_cycles : PROBE_NO_TIME;
}

uint64_t micro_count(const micro *m, enum isa_violation kind)
{
	return m->oracle ? oracle_count(m->oracle, kind) : UINT64_MAX;
}

probe_violation micro_violation(const micro *m)
{
	if (!m->oracle || !m->oracle->violations->len)
		return (probe_violation){.kind = ISA_VIOLATION_COUNT};
	return g_array_index(m->oracle->violations, probe_violation, 0);
}

char *micro_memory(const micro *m, uint64_t location, unsigned bytes)
{
	g_autofree uint8_t *data = g_malloc0(bytes);
	GString *text;

	if (!m->oracle || !oracle_memory_read(m->oracle->memory, location, data, bytes))
		return g_strdup("unwritten");
	text = g_string_new(NULL);
	for (unsigned i = 0; i < bytes; i++)
		g_string_append_printf(text, "%02x", data[i]);
	return g_string_free(text, FALSE);
}
