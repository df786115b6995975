/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim explain NAME: what a machine key means, its value in each machine, and where that value comes from; or what a
 * violation, an instruction or a bank map is; of the text of a bank map, what it does to the memory of a machine.
 */
#include <string.h>

#include "isa/bankmap.h"
#include "isa/machine.h"
#include "tools/json.h"
#include "tools/tool.h"

static char *machine_name;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name, "show the value in MACHINE only (default: in all)",
         "MACHINE"},
	{0},
};

/* The machines to show, g_strfreev. */
static char **machines_to_show(void)
{
	const char *only[] = {machine_name, NULL};

	return machine_name ? g_strdupv((char **)only) : isa_machine_names();
}

static char *range_text(const isa_key_info *key)
{
	if (key->type == ISA_KEY_STRING)
		return g_strdup("a word");
	return g_strdup_printf("%s%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
	                       key->type == ISA_KEY_TABLE ? "a list of numbers, each " : "", key->min, key->max);
}

static bool explain_key_text(int k, GString *out, GError **error)
{
	const isa_key_info *key = &isa_keys[k];
	g_auto(GStrv) names = machines_to_show();
	g_autofree char *range = range_text(key);

	g_string_append_printf(out, "%s: %s\n  unit %s, legal: %s\n", key->path, key->doc,
	                       *key->unit ? key->unit : "none", range);
	for (char **name = names; *name; name++) {
		isa_machine *machine = isa_machine_load(*name, error);
		g_autofree char *value = NULL;
		const isa_key_origin *origin;

		if (!machine)
			return false;
		value = isa_machine_get_text(machine, k);
		origin = &machine->origin[k];
		g_string_append_printf(out, "  %-12s %s  [%s; %s]\n", machine->name, *value ? value : "(empty)",
		                       isa_class_name(origin->class_), origin->source ? origin->source : "no source");
		if (origin->note)
			g_string_append_printf(out, "  %-12s %s\n", "", origin->note);
		isa_machine_free(machine);
	}
	g_string_append_printf(out, "  change it: tspsim run --set %s=VALUE (sched.%s or hw.%s for one side only)\n",
	                       key->path, key->path, key->path);
	return true;
}

static bool explain_key_json(int k, GString *out, GError **error)
{
	const isa_key_info *key = &isa_keys[k];
	g_auto(GStrv) names = machines_to_show();
	g_autofree char *text = NULL;
	json *j = json_new();
	bool ok = true;

	json_object(j, NULL);
	json_string(j, "key", key->path);
	json_string(j, "doc", key->doc);
	json_string(j, "unit", key->unit);
	if (key->type != ISA_KEY_STRING) {
		json_int(j, "min", key->min);
		json_int(j, "max", key->max);
	}
	json_object(j, "machines");
	for (char **name = names; ok && *name; name++) {
		isa_machine *machine = isa_machine_load(*name, error);
		g_autofree char *value = NULL;

		ok = machine != NULL;
		if (!ok)
			break;
		value = isa_machine_get_text(machine, k);
		json_object(j, machine->name);
		json_string(j, "value", value);
		json_string(j, "class", isa_class_name(machine->origin[k].class_));
		json_string(j, "source", machine->origin[k].source);
		json_string(j, "note", machine->origin[k].note);
		json_end(j);
		isa_machine_free(machine);
	}
	json_end(j);
	json_end(j);
	text = json_finish(j);
	g_string_append(out, text);
	return ok;
}

/* One line on a violation, instruction or bank map of that NAME; false when there is none. */
static bool explain_other(const char *name, GString *out)
{
	const char *kind = NULL;
	const char *doc = NULL;
	int op = isa_op_from_mnemonic(name);

	for (unsigned v = 0; v < ISA_VIOLATION_COUNT; v++)
		if (strcmp(isa_violation_name((enum isa_violation)v), name) == 0) {
			kind = "violation";
			doc = isa_violation_doc((enum isa_violation)v);
		}
	for (size_t i = 0; i < bankmap_family_count(); i++)
		if (strcmp(bankmap_family_name(i), name) == 0) {
			kind = "bank map";
			doc = bankmap_family_doc(i);
		}
	if (op >= 0) {
		kind = "instruction";
		doc = isa_ops[op].doc;
	}
	if (!kind)
		return false;
	if (tool_json) {
		json *j = json_new();
		g_autofree char *text = NULL;

		json_object(j, NULL);
		json_string(j, "name", name);
		json_string(j, "kind", kind);
		json_string(j, "doc", doc);
		json_end(j);
		text = json_finish(j);
		g_string_append(out, text);
	} else {
		g_string_append_printf(out, "%s (%s): %s\n", name, kind, doc);
	}
	return true;
}

static char *facts_json(const bankmap *map, const bankmap_facts *f)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "map", bankmap_text(map));
	json_uint(j, "banks_used", f->banks_used);
	json_uint(j, "banks", f->banks);
	json_uint(j, "rows_needed", f->rows_needed);
	json_uint(j, "rows", f->rows);
	json_uint(j, "blocks", f->domain_blocks);
	json_uint(j, "capacity_blocks", f->capacity_blocks);
	json_bool(j, "injective", f->injective);
	json_uint(j, "shared_blocks", f->aliased_blocks);
	if (!f->injective) {
		json_array(j, "first_pair");
		json_uint(j, NULL, f->alias.block[0]);
		json_uint(j, NULL, f->alias.block[1]);
		json_end(j);
	}
	json_uint(j, "outside_blocks", f->outside_blocks);
	json_uint(j, "lost_words", f->lost_words);
	json_uint(j, "lost_bytes", f->lost_bytes);
	json_uint(j, "largest_fill", f->largest_fill);
	json_uint(j, "least_fill", f->least_fill);
	json_real(j, "mean_fill", f->mean_fill);
	json_uint(j, "address_bits", f->address_bits);
	json_uint(j, "covered_bits", f->covered_bits);
	if (f->linear) {
		json_uint(j, "xor2", f->xor2);
		json_uint(j, "xor2_shared", f->xor2_shared);
	}
	json_string(j, "gates_class", bankmap_gate_class_name(f->gates_class));
	if (f->gates_class != BANKMAP_GATES_NONE) {
		json_real(j, "gates_nand2", f->gates_nand2);
		json_string(j, "gates_note", f->gates_note);
	}
	json_array(j, "weak_strides");
	for (size_t i = 0; i < f->weak_count; i++) {
		json_object(j, NULL);
		json_uint(j, "stride", f->weak[i].stride_blocks);
		json_uint(j, "banks", f->weak[i].distinct_banks);
		json_string(j, "reason", f->weak[i].reason);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return json_finish(j);
}

/* What the map of this TEXT does to the machine's memory. */
static bool explain_map(const char *text, GString *out, GError **error)
{
	isa_machine *m = isa_machine_load(machine_name ? machine_name : "tsp", error);
	bankmap *map = NULL;
	bankmap_facts facts;
	g_autofree char *answer = NULL;

	if (m && isa_machine_finish(m, error))
		map = bankmap_new_analysis(text, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error);
	if (map) {
		bankmap_describe(map, (uint64_t)m->sram_block_bytes, &facts);
		answer = tool_json ? facts_json(map, &facts) : bankmap_facts_text(map, &facts);
		g_string_append(out, answer);
		bankmap_facts_clear(&facts);
	}
	isa_machine_free(m);
	bankmap_free(map);
	return answer != NULL;
}

static void unknown_name(const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *near;

	for (size_t k = 0; k < isa_key_count; k++)
		g_ptr_array_add(names, (gpointer)isa_keys[k].path);
	for (unsigned v = 0; v < ISA_VIOLATION_COUNT; v++)
		g_ptr_array_add(names, (gpointer)isa_violation_name((enum isa_violation)v));
	for (unsigned op = 0; op < ISA_OP_COUNT; op++)
		g_ptr_array_add(names, (gpointer)isa_ops[op].mnemonic);
	for (size_t i = 0; i < bankmap_family_count(); i++)
		g_ptr_array_add(names, (gpointer)bankmap_family_name(i));
	g_ptr_array_add(names, NULL);
	near = tsp_nearest(name, (const char *const *)names->pdata);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "nothing is called '%s'%s%s%s; see tspsim list keys, ops, violations, maps", name,
	            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int run_explain(int argc, char **argv, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	int key = isa_key_find(argv[0]);
	bool ok;

	(void)argc;
	if (key >= 0) {
		ok = (tool_json ? explain_key_json : explain_key_text)(key, out, error);
	} else if (strchr(argv[0], ':')) {
		ok = explain_map(argv[0], out, error);
	} else {
		ok = explain_other(argv[0], out);
		if (!ok)
			unknown_name(argv[0], error);
	}
	return ok && tool_print(out->str, error) ? TOOL_OK : TOOL_USER_ERROR;
}

const tool_command cmd_explain = {
	.name = "explain",
	.synopsis = "NAME [-m MACHINE]",
	.doc = "Explain a machine key with its values and sources, or a violation, instruction or bank map.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_explain,
};
