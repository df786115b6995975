/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim list WHAT: the names that other commands take, one a line with a word on each; instructions, keys and
 * violations are those of the kind of machine that -m names, assumed the keys of that machine which nothing is
 * published about.  --markdown gives the reference pages docs/isa.md and docs/ascend-isa.md (ops), docs/machines.md and
 * docs/ascend-machines.md (keys), docs/bank-maps.md (maps) and docs/ascend-counters.md (counters), which are committed
 * and held against the tables by a test.
 */
#include <string.h>

#include "bank/pattern.h"
#include "sched/frontend/frontend.h"
#include "sched/pattern/pattern.h"
#include "sim/kernel.h"
#include "tools/bank_plot.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/reference.h"
#include "tools/styles.h"
#include "tools/tool.h"
#include "traces/read.h"

static gboolean markdown;
static char *machine_name;
static const tool_style *style; /* of the machine named */

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name,
         "ops, keys, violations, counters: of machines like MACHINE (tsp); assumed, library: of MACHINE", "MACHINE"},
	{"markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "print the reference page (ops, keys, maps, counters)", NULL},
	{0},
};

/* Calls ADD once for each row. */
typedef void (*row_fn)(void *state, const char *name, const char *doc);

static void list_machines(row_fn add, void *state)
{
	for (const tool_style *const *kind = tool_styles; *kind; kind++) {
		g_auto(GStrv) names = (*kind)->machines();

		for (char **name = names; *name; name++) {
			g_autoptr(GError) error = NULL;
			g_autofree char *alias = isa_machine_alias(*name);
			void *machine = (*kind)->load(*name, &error);
			g_autofree char *doc =
				g_strconcat(machine ? (*kind)->machine_title(machine) : error->message,
			                    alias ? "; -m " : NULL, alias, alias ? " is this one" : NULL, NULL);

			add(state, *name, doc);
			if (machine)
				(*kind)->free(machine);
		}
	}
}

static void list_workloads(row_fn add, void *state)
{
	for (size_t i = 0; i < frontend_generator_count; i++)
		add(state, frontend_generators[i].syntax, frontend_generators[i].doc);
	add(state, "FILE.csv", "SCALE-Sim topology, convolution or GEMM form; a layer a line");
	add(state, "FILE", "graph text");
}

static void list_maps(row_fn add, void *state)
{
#define BANKMAP(id, syntax, example, doc, source) add(state, syntax, doc);
#define BANKMAP_ANALYSIS                          BANKMAP
#include "isa/bankmaps.def"
	add(state, "file:PATH", "the text of a map, bank=E and row=E, or a table, in a file");
	add(state, "direct", "slice, bank and word stand in the instruction (machines with MEM slices)");
}

static void list_patterns(row_fn add, void *state)
{
	size_t count;
	const bank_pattern_row *rows = bank_pattern_rows(&count);

	for (size_t i = 0; i < count; i++)
		add(state, rows[i].syntax, rows[i].doc);
}

/* Patterns that are recognised, and what is stored for them, with -m for that machine. */
static void list_library(row_fn add, void *state)
{
	void *own = machine_name ? style->load(machine_name, NULL) : NULL;

	for (const sched_pattern *p = sched_patterns; p->name; p++)
		add(state, p->name, p->doc);
	for (const sched_stored *s = sched_library; s->machine; s++) {
		g_autofree char *name = g_strdup_printf("%s %s %s", s->machine, s->pattern, s->shape);

		if (!own || strcmp(style->machine_name(own), s->machine) == 0)
			add(state, name, s->decisions);
	}
	if (own)
		style->free(own);
}

static void list_ops(row_fn add, void *state)
{
	for (unsigned op = 0; op < style->ops; op++)
		add(state, style->op_name(op), style->op_doc(op));
}

static void list_keys(row_fn add, void *state)
{
	for (size_t k = 0; k < *style->key_count; k++)
		add(state, style->keys[k].path, style->keys[k].doc);
}

/* Of the machine that -m names, else of the default one of its kind. */
static void list_assumed(row_fn add, void *state)
{
	g_auto(GStrv) names = style->machines();
	void *machine = style->load(machine_name ? machine_name : names[0], NULL);

	for (size_t k = 0; machine && k < *style->key_count; k++) {
		const isa_key_origin *origin = style->origin(machine, (int)k);
		g_autofree char *value = NULL;
		g_autofree char *name = NULL;
		g_autofree char *doc = NULL;

		if (origin->class_ != ISA_CLASS_ASSUMED)
			continue;
		value = style->text(machine, (int)k);
		name = g_strdup_printf("%s = %s", style->keys[k].path, value);
		doc = g_strdup_printf("%s%s%s%s", style->keys[k].doc, origin->note ? " (" : "",
		                      origin->note ? origin->note : "", origin->note ? ")" : "");
		add(state, name, doc);
	}
	if (machine)
		style->free(machine);
}

static void list_violations(row_fn add, void *state)
{
	for (unsigned v = 0; v < style->violations; v++)
		add(state, style->violation_name(v), style->violation_doc(v));
}

static void list_counters(row_fn add, void *state)
{
	for (unsigned c = 0; c < style->counters; c++)
		add(state, style->counter_name(c), style->counter_doc(c));
}

static void list_queries(row_fn add, void *state)
{
	for (const trace_query *query = trace_queries; query->name; query++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *question = trace_query_question(query, &error);
		g_autofree char *doc = g_strdup_printf("%s  (%s, level %s)", question ? question : error->message,
		                                       query->kind, query->level);

		add(state, query->name, doc);
	}
}

static void list_plots(row_fn add, void *state)
{
	size_t count;
	const bank_plot_kind *bank = bank_plot_kinds(&count);

	for (const trace_plot_kind *kind = trace_plot_kinds; kind->name; kind++) {
		g_autofree char *doc = g_strdup_printf("%s (%s)", kind->doc, kind->kind);

		add(state, kind->name, doc);
	}
	add(state, "front", "maps that `bank search` found: conflicts, gates, lost capacity (of its FILE.csv)");
	for (size_t i = 0; i < count; i++) {
		g_autofree char *doc = g_strconcat("bank --plot: ", bank[i].doc, NULL);

		add(state, bank[i].name, doc);
	}
}

static void list_kernels(row_fn add, void *state)
{
	for (const char *const *name = sim_kernel_names(); *name; name++)
		add(state, *name, strcmp(*name, "ref") == 0 ? "plain C, the oracle" : "SystemC");
}

static void list_commands(row_fn add, void *state)
{
	for (const tool_command *const *command = tool_commands; *command; command++)
		add(state, (*command)->name, (*command)->doc);
}

static char *ops_page(GError **error)
{
	return style->ops_page(error);
}

static char *counters_page(GError **error)
{
	return style->counters_page(error);
}

static char *keys_page(GError **error)
{
	return reference_keys(style, error);
}

static const struct subject {
	const char *name;
	void (*list)(row_fn add, void *state);
	char *(*page)(GError **error); /* --markdown, or NULL */
	bool by_machine;               /* those of the machine that -m names, or of its kind */
} subjects[] = {
	{"machines", list_machines, NULL, false},   {"workloads", list_workloads, NULL, false},
	{"maps", list_maps, reference_maps, false}, {"ops", list_ops, ops_page, true},
	{"keys", list_keys, keys_page, true},       {"violations", list_violations, NULL, true},
	{"queries", list_queries, NULL, false},     {"plots", list_plots, NULL, false},
	{"kernels", list_kernels, NULL, false},     {"commands", list_commands, NULL, false},
	{"patterns", list_patterns, NULL, false},   {"counters", list_counters, counters_page, true},
	{"library", list_library, NULL, true},      {"assumed", list_assumed, NULL, true},
};

static void add_text(void *state, const char *name, const char *doc)
{
	g_string_append_printf(state, "%-28s  %s\n", name, doc);
}

static void add_json(void *state, const char *name, const char *doc)
{
	json *j = state;

	json_object(j, NULL);
	json_string(j, "name", name);
	json_string(j, "doc", doc);
	json_end(j);
}

static char *list_text(const struct subject *subject)
{
	GString *out;
	json *j;

	if (!tool_json) {
		out = g_string_new(NULL);
		subject->list(add_text, out);
		return g_string_free(out, FALSE);
	}
	j = json_new();
	json_array(j, NULL);
	subject->list(add_json, j);
	json_end(j);
	return json_finish(j);
}

/* A file that is no machine is an error of whatever is listed. */
static bool can_load(const char *name, GError **error)
{
	void *machine = name ? style->load(name, error) : NULL;

	if (machine)
		style->free(machine);
	return !name || machine;
}

static int run_list(int argc, char **argv, GError **error)
{
	const char *names[G_N_ELEMENTS(subjects) + 1] = {0};
	const struct subject *subject = NULL;
	g_autofree char *text = NULL;

	style = tool_style_choose(machine_name, NULL, error);
	if (!style || !can_load(machine_name, error))
		return TOOL_USER_ERROR;
	for (size_t i = 0; i < G_N_ELEMENTS(subjects); i++) {
		names[i] = subjects[i].name;
		if (argc && strcmp(argv[0], subjects[i].name) == 0)
			subject = &subjects[i];
	}
	if (argc == 0) {
		g_autofree char *choices = g_strjoinv(", ", (char **)names);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "list what?  One of: %s", choices);
		return TOOL_USER_ERROR;
	}
	if (!subject) {
		tool_unknown(error, "list", argv[0], names);
		return TOOL_USER_ERROR;
	}
	if (!options_check((subject->by_machine ? NEED_OF_MACHINES : 0) | (markdown ? 0 : NEED_PRINTED), error))
		return TOOL_USER_ERROR;
	if (markdown && !subject->page) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "list %s has no reference page; ops, keys, maps and counters have", subject->name);
		return TOOL_USER_ERROR;
	}
	if (subject->list == list_counters && !style->counters) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "list counters: no hardware counters are known of machines like %s; -m ascend has some",
		            machine_name ? machine_name : "tsp");
		return TOOL_USER_ERROR;
	}
	text = markdown ? subject->page(error) : list_text(subject);
	return text && tool_print(text, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_list = {
	.name = "list",
	.synopsis =
		"machines|workloads|maps|patterns|library|ops|keys|assumed|violations|queries|plots|kernels|commands|"
		"counters [-m MACHINE] [--markdown]",
	.doc = "List what can be named on the command line.",
	.options = options,
	.min_args = 0,
	.max_args = 1,
	.run = run_list,
};
