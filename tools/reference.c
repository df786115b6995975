/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown from isa/ops.def, isa/formats.def, isa/timing.def, isa/violations.def and the machine files.
 */
#include "tools/reference.h"

#include <string.h>

#include "isa/machine.h"
#include "tools/styles.h"

/* The tables' columns, as written. */
static const struct format_row {
	const char *name;
	const char *fields;
} format_rows[] = {
#define FIELD(name, bits, kind) " " #name ":" #bits
#define FORMAT(id, ...)         {#id, "" __VA_ARGS__},
#include "isa/formats.def"
};

static const char *const op_formats[] = {
#define OP(id, mnemonic, unit, format, timing, needs, doc) #format,
#include "isa/ops.def"
};

static const struct timing_row {
	const char *name, *key, *doc;
} timing_rows[] = {
#define TIMING(id, key, doc) {#id, key, doc},
#include "isa/timing.def"
};

static const char *need_text(enum isa_need need)
{
	static const char *const names[] = {
		[ISA_NEED_ANY] = "any",
		[ISA_NEED_HASHED] = "hashed SRAM",
		[ISA_NEED_DIRECT] = "MEM slices",
		[ISA_NEED_STREAM] = "streams",
		[ISA_NEED_SYNC] = "barrier or finite queues",
	};

	return names[need];
}

static const char *types_text(unsigned types)
{
	static const char *const names[] = {
		[ISA_TYPES_NONE] = "",   [ISA_TYPES_INT] = "integers",   [ISA_TYPES_FLOAT] = "fp16, fp32",
		[ISA_TYPES_ALL] = "all", [ISA_TYPES_CVT] = "any to any",
	};

	return names[types];
}

/* Table cells must not hold the column mark. */
static char *cell(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, "|", -1);

	return g_strjoinv("\\|", parts);
}

static void add_unit(GString *out, enum isa_unit unit)
{
	bool vector = unit == ISA_UNIT_VXM;

	g_string_append_printf(out, "\n### %s\n\n", isa_unit_name(unit));
	g_string_append_printf(out, "| instruction | format | delay | needs | %s |\n| --- | --- | --- | --- | %s |\n",
	                       vector ? "operands | types | meaning" : "meaning", vector ? "--- | --- | ---" : "---");
	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		const isa_op_info *info = &isa_ops[op];
		const char *key = timing_rows[info->timing].key;
		g_autofree char *doc = cell(info->doc);

		if (info->unit != unit)
			continue;
		g_string_append_printf(out, "| `%s` | %s | %s%s%s | %s | ", info->mnemonic, op_formats[op],
		                       key ? "`" : "", key ? key : "none", key ? "`" : "", need_text(info->need));
		if (vector)
			g_string_append_printf(out, "%u | %s | ", info->arity, types_text(info->types));
		g_string_append_printf(out, "%s |\n", doc);
	}
}

char *reference_op(unsigned op)
{
	const isa_op_info *info = &isa_ops[op];
	const char *key = timing_rows[info->timing].key;
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "  unit %s, fields (bits):", isa_unit_name(info->unit));
	for (size_t i = 0; i < G_N_ELEMENTS(format_rows); i++)
		if (strcmp(format_rows[i].name, op_formats[op]) == 0) {
			g_autofree char *fields = g_ascii_strdown(format_rows[i].fields, -1);

			g_string_append(out, *fields ? fields : " none");
		}
	if (info->unit == ISA_UNIT_VXM)
		g_string_append_printf(out, "; types: %s", types_text(info->types));
	g_string_append_printf(out, "\n  result %s%s; needs a machine with: %s\n", key ? "after " : "none",
	                       key ? key : "", need_text(info->need));
	return g_string_free(out, FALSE);
}

char *reference_ops(GError **error)
{
	GString *out = g_string_new("# Instructions\n\n"
	                            "Written by `tspsim list ops --markdown` from the tables in isa/; a test holds "
	                            "this page against them.\n"
	                            "The text form is described in assembly.md, exact timing in design.md.\n\n"
	                            "## By unit\n");

	(void)error;
	for (unsigned unit = 0; unit < ISA_UNIT_COUNT; unit++)
		add_unit(out, (enum isa_unit)unit);
	g_string_append(out,
	                "\n## Formats\n\n"
	                "One 128-bit word: 8 bits of opcode, then these fields from low to high bits (name:bits).\n\n"
	                "| format | fields |\n| --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(format_rows); i++)
		g_string_append_printf(out, "| %s |%s |\n", format_rows[i].name,
		                       *format_rows[i].fields ? format_rows[i].fields : " none");
	g_string_append(out, "\n## Timing classes\n\n| class | machine key | delay from operand sampling to result "
	                     "|\n| --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(timing_rows); i++)
		g_string_append_printf(out, "| %s | %s | %s |\n", timing_rows[i].name,
		                       timing_rows[i].key ? timing_rows[i].key : "none", timing_rows[i].doc);
	g_string_append(out, "\n## Violations\n\n| name | what the models found |\n| --- | --- |\n");
	for (unsigned v = 0; v < ISA_VIOLATION_COUNT; v++)
		g_string_append_printf(out, "| `%s` | %s |\n", isa_violation_name((enum isa_violation)v),
		                       isa_violation_doc((enum isa_violation)v));
	return g_string_free(out, FALSE);
}

static void add_key(GString *out, const tool_style *style, size_t k, const GPtrArray *machines)
{
	const isa_key_info *key = &style->keys[k];
	g_autofree char *doc = cell(key->doc);

	if (key->type == ISA_KEY_STRING)
		g_string_append_printf(out, "\n### `%s`\n\n%s.\n\n", key->path, doc);
	else
		g_string_append_printf(
			out, "\n### `%s`\n\n%s. Unit: %s. Legal: %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s.\n\n",
			key->path, doc, *key->unit ? key->unit : "none", key->min, key->max,
			key->type == ISA_KEY_TABLE ? " each" : "");
	g_string_append(out, "| machine | value | class | source | note |\n| --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < machines->len; i++) {
		const void *machine = machines->pdata[i];
		const isa_key_origin *origin = style->origin(machine, (int)k);
		g_autofree char *value = style->text(machine, (int)k);
		g_autofree char *source = cell(origin->source ? origin->source : "");
		g_autofree char *note = cell(origin->note ? origin->note : "");

		g_string_append_printf(out, "| %s | %s | %s | %s | %s |\n", style->machine_name(machine), value,
		                       isa_class_name(origin->class_), source, note);
	}
}

char *reference_keys(const tool_style *style, GError **error)
{
	bool is_default = style == tool_styles[0];
	g_auto(GStrv) names = style->machines();
	g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func(style->free);
	GString *out = g_string_new(NULL);

	g_string_append_printf(
		out,
		"# Machine keys%s\n\n"
		"Written by `tspsim list keys%s --markdown` from %s and isa/machines/; a test holds this "
		"page\nagainst them. `tspsim explain KEY` prints one entry. Classes: published, measured, "
		"derived, assumed. Sources: sources.md.\n\n## Machines\n\n| name | title |\n| --- | --- |\n",
		is_default ? "" : " of Ascend-style machines", is_default ? "" : " -m ascend", style->pages[2]);
	for (char **name = names; *name; name++) {
		void *machine = style->load(*name, error);

		if (!machine) {
			g_string_free(out, TRUE);
			return NULL;
		}
		g_ptr_array_add(machines, machine);
		g_string_append_printf(out, "| `%s` | %s |\n", style->machine_name(machine),
		                       style->machine_title(machine));
	}
	g_string_append(out, "\n## Keys\n");
	for (size_t k = 0; k < *style->key_count; k++)
		add_key(out, style, k, machines);
	return g_string_free(out, FALSE);
}
