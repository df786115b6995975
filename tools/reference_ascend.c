/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown from the tables of Ascend-style cores, isa/ascend/ (instructions, formats, timing classes, flag pairs,
 * order, rules, violations).
 */
#include <string.h>

#include "isa/ascend/machine.h"
#include "tools/reference.h"

static const struct op_row {
	const char *format, *timing;
} op_rows[ASC_OP_COUNT] = {
#define ASC_OP(id, mnemonic, pipe, format, timing, cores, doc) [ASC_OP_##id] = {#format, #timing},
#include "isa/ascend/ops.def"
};

static const struct timing_row {
	const char *name, *head, *b16, *b32, *doc;
} timing_rows[ASC_TIMING_COUNT] = {
#define ASC_TIMING(id, head, b16, b32, doc) [ASC_TIMING_##id] = {#id, head, b16, b32, doc},
#include "isa/ascend/timing.def"
};

static const struct order_row {
	const char *pipe, *space, *earlier, *later, *class_, *source, *doc;
} order_rows[] = {
#define ASC_ORDER(pipe, space, earlier, later, class_, source, doc)                                                    \
	{#pipe, #space, #earlier, #later, #class_, source, doc},
#include "isa/ascend/order.def"
};

static const struct rule_row {
	const char *name, *source, *doc;
} rule_rows[] = {
#define ASC_RULE(id, name, source, doc) {name, source, doc},
#include "isa/ascend/rules.def"
};

static const struct violation_row {
	const char *name, *doc;
} violation_rows[] = {
#define ASC_VIOLATION(id, name, doc) {name, doc},
#include "isa/ascend/violations.def"
};

static char *cores_text(unsigned cores)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (int kind = 0; kind < ASC_KINDS; kind++)
		if (cores >> kind & 1)
			g_ptr_array_add(names, (gpointer)asc_kind_name((enum asc_kind)kind));
	g_ptr_array_add(names, NULL);
	return g_strjoinv(", ", (char **)names->pdata);
}

/* Table cells must not hold the column mark. */
static char *cell(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, "|", -1);

	return g_strjoinv("\\|", parts);
}

static void put_number(GString *out, int64_t value)
{
	if (value == INT64_MIN || value == INT64_MAX)
		g_string_append(out, value < 0 ? "-2^63" : "2^63-1");
	else
		g_string_append_printf(out, "%" G_GINT64_FORMAT, value);
}

static void put_field(GString *out, const asc_field_info *f)
{
	g_string_append_printf(out, "`%s` ", f->name);
	switch (f->value) {
	case ASC_VALUE_ADDRESS:
		g_string_append_printf(out, "in %s", asc_space_name(f->space));
		if (f->align_bytes > 1)
			g_string_append_printf(out, ", multiple of %u B", f->align_bytes);
		break;
	case ASC_VALUE_TYPE:
		g_string_append_printf(out, "type (%s)", asc_type_name((enum asc_type)f->standard));
		break;
	case ASC_VALUE_PIPE:
		g_string_append(out, f->max == ASC_PIPE_ALL ? "pipe or all (all)" : "pipe");
		break;
	case ASC_VALUE_REGISTER:
		g_string_append(out, "register");
		break;
	case ASC_VALUE_BITS:
		g_string_append(out, "number of the type (0)");
		break;
	case ASC_VALUE_BITS32:
		g_string_append(out, "number of fp32 (0)");
		break;
	case ASC_VALUE_LABEL:
		g_string_append(out, "label");
		break;
	default:
		put_number(out, f->min);
		g_string_append(out, " to ");
		put_number(out, f->max);
		if (f->align_bytes > 1)
			g_string_append_printf(out, " by %u", f->align_bytes);
		g_string_append(out, " (");
		put_number(out, f->standard);
		g_string_append_c(out, ')');
		break;
	}
}

static void put_fields(GString *out, const asc_op_info *info, const char *between)
{
	for (unsigned f = 0; f < info->fields; f++) {
		g_string_append(out, f ? between : "");
		put_field(out, &info->field[f]);
	}
	if (info->fields == 0)
		g_string_append(out, "none");
}

char *reference_ascend_op(unsigned op)
{
	const asc_op_info *info = asc_op((enum asc_op)op);
	const struct timing_row *timing = &timing_rows[info->timing];
	g_autofree char *cores = cores_text(info->cores);
	GString *fields = g_string_new(NULL);
	GString *out = g_string_new(NULL);
	g_auto(GStrv) plain = NULL;
	g_autofree char *text = NULL;

	put_fields(fields, info, "\n    ");
	plain = g_strsplit(fields->str, "`", -1);
	text = g_strjoinv("", plain);
	g_string_free(fields, TRUE);
	g_string_append_printf(
		out, "  pipe %s of sub-cores: %s\n  fields, in brackets what one left out is:\n    %s\n  time: %s",
		asc_pipe_name(info->pipe), cores, text, timing->head ? timing->head : "no head");
	if (timing->b16)
		g_string_append_printf(out, ", %s%s%s", timing->b16, strcmp(timing->b16, timing->b32) ? ", " : "",
		                       strcmp(timing->b16, timing->b32) ? timing->b32 : "");
	g_string_append_printf(out, " (%s)\n", timing->doc);
	return g_string_free(out, FALSE);
}

static void put_pipe(GString *out, enum asc_pipe pipe)
{
	g_string_append_printf(out,
	                       "\n### %s\n\n| instruction | format | time | sub-cores | meaning |\n"
	                       "| --- | --- | --- | --- | --- |\n",
	                       asc_pipe_name(pipe));
	for (unsigned op = 0; op < ASC_OP_COUNT; op++) {
		const asc_op_info *info = asc_op((enum asc_op)op);
		g_autofree char *cores = cores_text(info->cores);
		g_autofree char *doc = cell(info->doc);

		if (info->pipe == pipe)
			g_string_append_printf(out, "| `%s` | %s | %s | %s | %s |\n", info->mnemonic,
			                       op_rows[op].format, op_rows[op].timing, cores, doc);
	}
}

/* Formats in the order in which instructions have them, each once. */
static void put_formats(GString *out)
{
	g_string_append(out, "\n## Formats\n\n"
	                     "Fields in their order, with limits and, in parentheses, what stands when one is left "
	                     "out. Strides\nof vector instructions are in 32-byte blocks, of fractal loads in 512-byte "
	                     "fractals.\n\n| format | fields |\n| --- | --- |\n");
	for (unsigned op = 0; op < ASC_OP_COUNT; op++) {
		bool seen = false;

		for (unsigned before = 0; before < op; before++)
			seen |= strcmp(op_rows[before].format, op_rows[op].format) == 0;
		if (seen)
			continue;
		g_string_append_printf(out, "| %s | ", op_rows[op].format);
		put_fields(out, asc_op((enum asc_op)op), "; ");
		g_string_append(out, " |\n");
	}
}

static void put_key(GString *out, const char *key)
{
	g_string_append_printf(out, key ? " `%s` |" : " %s |", key ? key : "");
}

static void put_timing(GString *out)
{
	g_string_append(out, "\n## Timing classes\n\n"
	                     "Vector classes: head = issue to result beside the repeats, then cycles of a repeat of "
	                     "elements of up\nto 16 bits, of 32 bits. Copies: start, then bytes a cycle.\n\n"
	                     "| class | head | 16 bits | 32 bits | what |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(timing_rows); i++) {
		g_string_append_printf(out, "| %s |", timing_rows[i].name);
		put_key(out, timing_rows[i].head);
		put_key(out, timing_rows[i].b16);
		put_key(out, timing_rows[i].b32);
		g_string_append_printf(out, " %s |\n", timing_rows[i].doc);
	}
}

static void put_flag_pairs(GString *out)
{
	g_string_append(out, "\n## Pairs of pipes with flags\n\n| sub-core | from | to |\n| --- | --- | --- |\n");
	for (int kind = 0; kind < ASC_KINDS; kind++)
		for (int from = 0; from < ASC_PIPES; from++) {
			g_autoptr(GString) to = g_string_new(NULL);

			for (int pipe = 0; pipe < ASC_PIPES; pipe++)
				if (asc_flag_pair((enum asc_kind)kind, (enum asc_pipe)from, (enum asc_pipe)pipe))
					g_string_append_printf(to, "%s%s", to->len ? ", " : "",
					                       asc_pipe_name((enum asc_pipe)pipe));
			if (to->len)
				g_string_append_printf(out, "| %s | %s | %s |\n", asc_kind_name((enum asc_kind)kind),
				                       asc_pipe_name((enum asc_pipe)from), to->str);
		}
}

static void put_order(GString *out)
{
	g_string_append(out, "\n## Order within a pipe\n\n"
	                     "Accesses of one pipe that no row covers need a barrier of the pipe.\n\n"
	                     "| pipe | buffer | earlier | later | class | source | why |\n"
	                     "| --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(order_rows); i++) {
		const struct order_row *r = &order_rows[i];
		g_autofree char *space = g_ascii_strdown(strcmp(r->space, "SPACES") == 0 ? "all" : r->space, -1);
		g_autofree char *earlier = g_ascii_strdown(r->earlier, -1);
		g_autofree char *later = g_ascii_strdown(r->later, -1);
		g_autofree char *class_ = g_ascii_strdown(r->class_, -1);

		g_string_append_printf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", r->pipe, space, earlier, later,
		                       class_, r->source, r->doc);
	}
}

char *reference_ascend_ops(GError **error)
{
	GString *out =
		g_string_new("# Instructions of Ascend-style cores\n\n"
	                     "Written by `tspsim list ops -m ascend --markdown` from the tables in isa/ascend/; a "
	                     "test holds this\npage against them. The text form is described in "
	                     "ascend-assembly.md, time in ascend.md.\n\n## By pipe\n");

	(void)error;
	for (int pipe = 0; pipe < ASC_PIPES; pipe++)
		put_pipe(out, (enum asc_pipe)pipe);
	put_formats(out);
	put_timing(out);
	put_flag_pairs(out);
	put_order(out);
	g_string_append(out, "\n## Rules\n\nChecked before a program runs.\n\n| rule | source | what it demands |\n"
	                     "| --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(rule_rows); i++)
		g_string_append_printf(out, "| `%s` | %s | %s |\n", rule_rows[i].name, rule_rows[i].source,
		                       rule_rows[i].doc);
	g_string_append(out, "\n## Violations\n\n| name | what the models found |\n| --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(violation_rows); i++)
		g_string_append_printf(out, "| `%s` | %s |\n", violation_rows[i].name, violation_rows[i].doc);
	return g_string_free(out, FALSE);
}

char *reference_ascend_counters(GError **error)
{
	GString *out = g_string_new(
		"# Hardware counters of Ascend-style cores\n\n"
		"Written by `tspsim list counters -m ascend --markdown` from isa/ascend/pmu.def; a test holds this "
		"page "
		"against it.\n\nEvents have the numbers that msOpProf (sources.md) uses for 910B. The models produce "
		"those of the first table, for each\nsub-core; a test drives each of them to a value worked out by "
		"hand "
		"(tests/timing/asc/pmu.def). *Bytes* is what one count stands\nfor. The class is that of the meaning: "
		"*published* where a source says what is counted, *derived* where only a formula of the\nprofiler "
		"tells, "
		"*assumed* where nothing does.\n\n"
		"| event | name | unit | bytes | sub-cores | class | what is counted |\n"
		"| --- | --- | --- | --- | --- | --- | --- |\n");
	const asc_pmu_info *absent;

	(void)error;
	for (unsigned row = 0; row < ASC_PMU_COUNT; row++) {
		const asc_pmu_info *info = asc_pmu((enum asc_pmu)row);
		g_autofree char *cores = cores_text(info->cores);

		g_string_append_printf(out, "| %u | `%s` | %s | ", info->id, info->name, info->unit);
		if (info->bytes)
			g_string_append_printf(out, "%u ", info->bytes);
		g_string_append_printf(out, "| %s | %s | %s |\n", cores, info->class_name, info->doc);
	}
	g_string_append(out, "\n## Not modelled\n\nThese have no value anywhere: not 0, which would look measured.\n\n"
	                     "| event | name | why |\n| --- | --- | --- |\n");
	for (unsigned n = 0; (absent = asc_pmu_absent(n)); n++)
		g_string_append_printf(out, "| %u | `%s` | %s |\n", absent->id, absent->name, absent->doc);
	return g_string_free(out, FALSE);
}
