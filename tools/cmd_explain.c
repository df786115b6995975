/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim explain NAME: what a machine key means, its value in each machine, and where that value comes from; or what a
 * violation, an instruction or a bank map is, for each kind of machine that has one of the name; of the text of a bank
 * map, what it does to the memory of a machine.
 */
#include <string.h>

#include "isa/bankmap.h"
#include "isa/machine.h"
#include "tools/bank.h"
#include "tools/explain_words.h"
#include "tools/json.h"
#include "tools/styles.h"
#include "tools/tool.h"

static char *machine_name;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name, "show the value in MACHINE only (default: in all)",
         "MACHINE"},
	{0},
};

/* Where an answer goes: each meaning of a name is an element of J or, where that is NULL, lines of OUT. */
typedef struct answer {
	GString *out;
	json *j;
} answer;

/* The machines to show, g_strfreev. */
static char **machines_to_show(const tool_style *style)
{
	const char *only[] = {machine_name, NULL};

	return machine_name ? g_strdupv((char **)only) : style->machines();
}

static char *range_text(const isa_key_info *key)
{
	if (key->type == ISA_KEY_STRING)
		return g_strdup("a word");
	return g_strdup_printf("%s%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
	                       key->type == ISA_KEY_TABLE ? "a list of numbers, each " : "", key->min, key->max);
}

/* What a machine has for a key. */
typedef void (*put_value)(void *state, const char *machine, const char *value, const isa_key_origin *origin);

/* Calls PUT for each machine to show; false when one cannot be loaded. */
static bool each_value(const tool_style *style, int k, put_value put, void *state, GError **error)
{
	g_auto(GStrv) names = machines_to_show(style);

	for (char **name = names; *name; name++) {
		void *machine = style->load(*name, error);
		g_autofree char *value = NULL;

		if (!machine)
			return false;
		value = style->text(machine, k);
		put(state, style->machine_name(machine), value, style->origin(machine, k));
		style->free(machine);
	}
	return true;
}

static void put_text(void *state, const char *machine, const char *value, const isa_key_origin *origin)
{
	g_string_append_printf(state, "  %-12s %s  [%s; %s]\n", machine, *value ? value : "(empty)",
	                       isa_class_name(origin->class_), origin->source ? origin->source : "no source");
	if (origin->note)
		g_string_append_printf(state, "  %-12s %s\n", "", origin->note);
}

static bool explain_key_text(const tool_style *style, int k, const answer *a, GError **error)
{
	const isa_key_info *key = &style->keys[k];
	g_autofree char *range = range_text(key);
	GString *out = a->out;

	g_string_append_printf(out, "%s: %s\n  unit %s, legal: %s\n", key->path, key->doc,
	                       *key->unit ? key->unit : "none", range);
	if (!each_value(style, k, put_text, out, error))
		return false;
	g_string_append_printf(out, "  change it: tspsim run %s--set %s=VALUE (sched.%s or hw.%s for one side only)\n",
	                       style == tool_styles[0] ? "" : "-m MACHINE ", key->path, key->path, key->path);
	return true;
}

static void put_json(void *state, const char *machine, const char *value, const isa_key_origin *origin)
{
	json_object(state, machine);
	json_string(state, "value", value);
	json_string(state, "class", isa_class_name(origin->class_));
	json_string(state, "source", origin->source);
	json_string(state, "note", origin->note);
	json_end(state);
}

static bool explain_key_json(const tool_style *style, int k, const answer *a, GError **error)
{
	const isa_key_info *key = &style->keys[k];
	json *j = a->j;
	bool ok;

	json_object(j, NULL);
	json_string(j, "key", key->path);
	json_string(j, "doc", key->doc);
	json_string(j, "unit", key->unit);
	if (key->type != ISA_KEY_STRING) {
		json_int(j, "min", key->min);
		json_int(j, "max", key->max);
	}
	json_object(j, "machines");
	ok = each_value(style, k, put_json, j, error);
	json_end(j);
	json_end(j);
	return ok;
}

/* What a bank map is beyond its name and doc; in the order of bankmap_family_name(). */
static const struct map_row {
	const char *syntax, *example, *source;
} map_rows[] = {
#define BANKMAP(id, syntax, example, doc, source) {syntax, example, source},
#include "isa/bankmaps.def"
};

/* The map that NAME names, alone or with its numbers: mod, mod:139; G_N_ELEMENTS(map_rows) when none. */
static size_t map_find(const char *name)
{
	size_t length = strcspn(name, ":");
	size_t i = 0;

	while (i < G_N_ELEMENTS(map_rows) &&
	       (strlen(bankmap_family_name(i)) != length || strncmp(bankmap_family_name(i), name, length) != 0))
		i++;
	return i;
}

static void explain_named(const char *name, const char *kind, const char *doc, const answer *a)
{
	if (a->j) {
		json_object(a->j, NULL);
		json_string(a->j, "name", name);
		json_string(a->j, "kind", kind);
		json_string(a->j, "doc", doc);
		json_end(a->j);
	} else {
		g_string_append_printf(a->out, "%s (%s): %s\n", name, kind, doc);
	}
}

/* A violation or instruction of that NAME; false when machines of this STYLE have none. */
static bool explain_of_style(const tool_style *style, const char *name, const answer *a)
{
	int op = tool_style_op(style, name);
	int violation = tool_style_violation(style, name);
	g_autofree char *kind =
		g_strdup_printf("%s, machines like %s", op < 0 ? "violation" : "instruction", style->name);

	if (op < 0 && violation < 0)
		return false;
	if (op < 0) {
		explain_named(name, kind, style->violation_doc((unsigned)violation), a);
		return true;
	}
	explain_named(name, kind, style->op_doc((unsigned)op), a);
	if (!a->j) {
		g_autofree char *more = style->op_more((unsigned)op);

		g_string_append(a->out, more);
	}
	return true;
}

/* The kind of the machine that -m names, or NULL. */
static const tool_style *own_style(void)
{
	return machine_name ? tool_style_of(machine_name) : NULL;
}

/* Words that are the NAME asked for, case aside only where nothing else is. */
typedef struct sought {
	const char *name;
	const answer *answer;
	bool found;
	int (*compare)(const char *a, const char *b);
} sought;

static void take_word(void *state, const char *name, const char *kind, const char *doc)
{
	sought *s = state;

	if (s->compare(name, s->name) != 0)
		return;
	s->found = true;
	explain_named(name, kind, doc, s->answer);
}

/* A word of machines like ONLY (NULL: of all); the same but for capitals where no other is. */
static bool explain_word(const tool_style *only, const char *name, const answer *a)
{
	sought s = {name, a, false, strcmp};

	explain_words(only, take_word, &s);
	if (s.found)
		return true;
	s.compare = g_ascii_strcasecmp;
	explain_words(only, take_word, &s);
	return s.found;
}

/* A family of bank maps of that NAME; false when there is none. */
static bool explain_family(const char *name, const answer *a)
{
	size_t map = map_find(name);

	if (strcmp(name, "direct") == 0) {
		explain_named(name, "bank map",
		              "slice, bank and word stand in the instruction (machines with MEM slices)", a);
		return true;
	}
	if (map == G_N_ELEMENTS(map_rows))
		return false;
	explain_named(name, "bank map", bankmap_family_doc(map), a);
	if (!a->j)
		g_string_append_printf(a->out, "  form %s  [%s]\n  try it: tspsim run --set sram.map=%s\n",
		                       map_rows[map].syntax, map_rows[map].source, map_rows[map].example);
	return true;
}

/* What the map of this TEXT does to the machine's memory. */
static bool explain_map(const char *text, const answer *a, GError **error)
{
	isa_machine *m = isa_machine_load(machine_name ? machine_name : "tsp", error);
	bankmap *map = NULL;
	bankmap_facts facts;
	bool known = false;

	if (m && isa_machine_finish(m, error))
		map = bankmap_new_analysis(text, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error);
	known = map != NULL;
	if (map) {
		bankmap_describe(map, (uint64_t)m->sram_block_bytes, &facts);
		if (a->j) {
			bank_facts_json(a->j, map, &facts);
		} else {
			g_autofree char *text_of = bankmap_facts_text(map, &facts);

			g_string_append(a->out, text_of);
		}
		bankmap_facts_clear(&facts);
	}
	isa_machine_free(m);
	bankmap_free(map);
	return known;
}

static bool has_name(const tool_style *style, const char *name)
{
	g_autoptr(GString) unused = g_string_new(NULL);
	answer nowhere = {unused, NULL};

	return tool_style_key(style, name) >= 0 || tool_style_op(style, name) >= 0 ||
	       tool_style_violation(style, name) >= 0 || explain_word(style, name, &nowhere);
}

static void add_word(void *state, const char *name, const char *kind, const char *doc)
{
	(void)kind;
	(void)doc;
	g_ptr_array_add(state, g_strdup(name));
}

/* Names of the kind of machine that -m names, else of all. */
static void unknown_name(const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *near;

	for (const tool_style *const *style = tool_styles; *style; style++) {
		if (machine_name && *style != tool_style_of(machine_name)) {
			if (!has_name(*style, name))
				continue;
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "'%s' is of machines of kind %s, and -m %s is of kind %s; leave -m out", name,
			            (*style)->name, machine_name, tool_style_of(machine_name)->name);
			return;
		}
		for (size_t k = 0; k < *(*style)->key_count; k++)
			g_ptr_array_add(names, g_strdup((*style)->keys[k].path));
		for (unsigned v = 0; v < (*style)->violations; v++)
			g_ptr_array_add(names, g_strdup((*style)->violation_name(v)));
		for (unsigned op = 0; op < (*style)->ops; op++)
			g_ptr_array_add(names, g_strdup((*style)->op_name(op)));
	}
	for (size_t i = 0; i < bankmap_family_count(); i++)
		g_ptr_array_add(names, g_strdup(bankmap_family_name(i)));
	explain_words(own_style(), add_word, names);
	g_ptr_array_add(names, NULL);
	near = tsp_nearest(name, (const char *const *)names->pdata);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "nothing is called '%s'%s%s%s; `tspsim list` with keys, ops, violations, maps, machines, queries, "
	            "plots, workloads or counters shows what is",
	            name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Keys, instructions and violations: of the kind of the machine that -m names, else of every kind that has one. */
static bool explain_by_style(const char *name, const answer *a, bool *found, GError **error)
{
	for (const tool_style *const *style = tool_styles; *style; style++) {
		int key = tool_style_key(*style, name);

		if (machine_name && *style != tool_style_of(machine_name))
			continue;
		if (key >= 0) {
			*found = true;
			if (!(a->j ? explain_key_json : explain_key_text)(*style, key, a, error))
				return false;
		} else if (explain_of_style(*style, name, a)) {
			*found = true;
		}
	}
	return true;
}

/* What NAME is beside a key, an instruction or a violation; FOUND says whether it was one of those. */
static bool explain_other(const char *name, bool found, const answer *a, GError **error)
{
	g_autofree char *stem = g_strndup(name, strcspn(name, ":"));

	if (explain_word(own_style(), name, a) || found)
		return true;
	/* Of a workload with its sizes, what it is. */
	if (strchr(name, ':') && map_find(name) == G_N_ELEMENTS(map_rows) && explain_word(own_style(), stem, a))
		return true;
	if (strchr(name, ':') ? explain_map(name, a, error) : explain_family(name, a))
		return true;
	if (!*error)
		unknown_name(name, error);
	return false;
}

static int run_explain(int argc, char **argv, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	answer a = {out, tool_json ? json_new() : NULL};
	bool found = false, fine;

	(void)argc;
	if (a.j)
		json_array(a.j, NULL);
	fine = tool_style_choose(machine_name, NULL, error) && explain_by_style(argv[0], &a, &found, error) &&
	       explain_other(argv[0], found, &a, error);
	if (a.j) {
		g_autofree char *text = NULL;

		json_end(a.j);
		text = json_finish(a.j);
		g_string_assign(out, text);
	}
	return fine && tool_print(out->str, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_explain = {
	.name = "explain",
	.synopsis = "NAME [-m MACHINE]",
	.doc = "Explain a machine key with its values and sources, or any other name that commands and reports use.",
	.details = "With --json, an array: what is called NAME may be several things.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_explain,
};
