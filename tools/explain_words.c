/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that `tspsim explain` knows beside keys, instructions, violations and bank maps: machines, pipes and units,
 * causes of stalls, hardware counters, questions, pictures, workloads, methods, commands.
 */
#include "tools/explain_words.h"

#include <string.h>

#include "sched/alg/solve.h"
#include "sched/frontend/frontend.h"
#include "sched/search.h"
#include "tools/tool.h"
#include "traces/read.h"

static const struct word {
	const char *name, *kind, *style, *doc;
} words[] = {
#define WORD(name, kind, style, doc) {name, kind, style, doc},
#include "tools/words.def"
};

/* What every row is handed to. */
typedef struct sink {
	const tool_style *only; /* NULL: of all */
	explain_word_fn each;
	void *state;
} sink;

static void give(const sink *s, const char *name, const char *kind, const char *style, char *doc)
{
	g_autofree char *label = style ? g_strdup_printf("%s, machines like %s", kind, style) : g_strdup(kind);

	if (!s->only || !style || strcmp(s->only->name, style) == 0)
		s->each(s->state, name, label, doc);
	g_free(doc);
}

/* "-m ascend", and what it is the short name of. */
static void give_machine(const sink *s, const tool_style *style, const char *name)
{
	g_autofree char *alias = isa_machine_alias(name);
	void *machine = style->load(name, NULL);
	unsigned classes[ISA_CLASS_SET + 1] = {0};
	GString *doc = g_string_new(NULL);

	if (machine) {
		for (size_t k = 0; k < *style->key_count; k++)
			classes[style->origin(machine, (int)k)->class_]++;
		g_string_append_printf(doc, "%s; %zu keys:", style->machine_title(machine), *style->key_count);
		for (unsigned c = 0; c < ISA_CLASS_SET; c++)
			g_string_append_printf(doc, "%s %u %s", c ? "," : "", classes[c],
			                       isa_class_name((enum isa_key_class)c));
		g_string_append_printf(doc, "\n  use it: tspsim -m %s; its assumed keys: tspsim list assumed -m %s",
		                       name, name);
		style->free(machine);
	}
	if (alias) {
		g_autofree char *other = g_strdup_printf("short for %s: %s", name, doc->str);

		give(s, alias, "machine", style->name, g_steal_pointer(&other));
	}
	give(s, name, "machine", style->name, g_string_free(doc, FALSE));
}

static void give_queries(const sink *s)
{
	for (const trace_query *query = trace_queries; query->name; query++) {
		g_autofree char *question = trace_query_question(query, NULL);

		give(s, query->name, "query", query->kind,
		     g_strdup_printf("%s\n  ask it: tspsim stat run.db %s (a trace of level %s at least)",
		                     question ? question : "", query->name, query->level));
	}
}

static void give_all(const sink *s)
{
	for (const tool_style *const *style = tool_styles; *style; style++) {
		g_auto(GStrv) names = (*style)->machines();

		for (char **name = names; *name; name++)
			give_machine(s, *style, *name);
		for (unsigned c = 0; c < (*style)->counters; c++)
			give(s, (*style)->counter_name(c), "hardware counter", (*style)->name,
			     g_strdup((*style)->counter_doc(c)));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		give(s, words[i].name, words[i].kind, words[i].style, g_strdup(words[i].doc));
	give_queries(s);
	for (const trace_plot_kind *kind = trace_plot_kinds; kind->name; kind++)
		give(s, kind->name, "picture", kind->kind,
		     g_strdup_printf("%s\n  draw it: tspsim plot %s run.db -o %s.png (a trace of level %s at least)",
		                     kind->doc, kind->name, kind->name, kind->level));
	for (size_t i = 0; i < frontend_generator_count; i++)
		give(s, frontend_generators[i].name, "workload", NULL,
		     g_strdup_printf("%s\n  form %s", frontend_generators[i].doc, frontend_generators[i].syntax));
	for (const sched_method *method = sched_methods; method->name; method++)
		give(s, method->name, "method of run and sched", NULL,
		     g_strdup_printf("%s\n  choose it: tspsim sched WORKLOAD --method %s", method->doc, method->name));
	for (const alg_method *method = alg_methods; method->name; method++)
		give(s, method->name, "method of solve", NULL,
		     g_strdup_printf("%s\n  choose it: tspsim solve FILE --method %s", method->doc, method->name));
	for (const tool_command *const *command = tool_commands; *command; command++)
		give(s, (*command)->name, "command", NULL,
		     g_strdup_printf("%s\n  options: tspsim %s --help", (*command)->doc, (*command)->name));
}

void explain_words(const tool_style *only, explain_word_fn each, void *state)
{
	sink s = {only, each, state};

	give_all(&s);
}
