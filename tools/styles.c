/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of machine behind one table of functions, and which kind a program is for.
 */
#include "tools/styles.h"

#include <stdio.h>
#include <string.h>

#include "isa/ascend/machine.h"
#include "isa/program.h"
#include "tools/asc.h"
#include "tools/reference.h"
#include "tools/setup.h"
#include "tools/tool.h"
#include "tools/tsp.h"

static void *tsp_load(const char *name, GError **error)
{
	return isa_machine_load(name, error);
}

static void tsp_free(void *machine)
{
	isa_machine_free(machine);
}

static char *tsp_dump(const void *machine)
{
	return isa_machine_dump(machine);
}

static const char *tsp_name(const void *machine)
{
	return ((const isa_machine *)machine)->name;
}

static const char *tsp_title(const void *machine)
{
	return ((const isa_machine *)machine)->title;
}

static char *tsp_text(const void *machine, int key)
{
	return isa_machine_get_text(machine, key);
}

static const isa_key_origin *tsp_origin(const void *machine, int key)
{
	return &((const isa_machine *)machine)->origin[key];
}

static const char *tsp_op_name(unsigned op)
{
	return isa_ops[op].mnemonic;
}

static const char *tsp_op_doc(unsigned op)
{
	return isa_ops[op].doc;
}

static const char *tsp_violation_name(unsigned violation)
{
	return isa_violation_name((enum isa_violation)violation);
}

static const char *tsp_violation_doc(unsigned violation)
{
	return isa_violation_doc((enum isa_violation)violation);
}

static void *ascend_load(const char *name, GError **error)
{
	return asc_machine_load(name, error);
}

static void ascend_free(void *machine)
{
	asc_machine_free(machine);
}

static char *ascend_dump(const void *machine)
{
	return asc_machine_dump(machine);
}

static const char *ascend_name(const void *machine)
{
	return ((const asc_machine *)machine)->name;
}

static const char *ascend_title(const void *machine)
{
	return ((const asc_machine *)machine)->title;
}

static char *ascend_text(const void *machine, int key)
{
	return asc_machine_get_text(machine, key);
}

static const isa_key_origin *ascend_origin(const void *machine, int key)
{
	return &((const asc_machine *)machine)->origin[key];
}

static const char *ascend_op_name(unsigned op)
{
	return asc_op((enum asc_op)op)->mnemonic;
}

static const char *ascend_op_doc(unsigned op)
{
	return asc_op((enum asc_op)op)->doc;
}

static const char *ascend_counter_name(unsigned counter)
{
	return asc_pmu((enum asc_pmu)counter)->name;
}

static const char *ascend_counter_doc(unsigned counter)
{
	return asc_pmu((enum asc_pmu)counter)->doc;
}

const tool_style tool_style_tsp = {
	.name = "tsp",
	.pages = {"isa.md", "machines.md", "isa/machine_keys.def"},
	.keys = isa_keys,
	.key_count = &isa_key_count,
	.machines = isa_machine_names,
	.load = tsp_load,
	.free = tsp_free,
	.dump = tsp_dump,
	.machine_name = tsp_name,
	.machine_title = tsp_title,
	.text = tsp_text,
	.origin = tsp_origin,
	.ops = ISA_OP_COUNT,
	.violations = ISA_VIOLATION_COUNT,
	.op_name = tsp_op_name,
	.op_doc = tsp_op_doc,
	.op_more = reference_op,
	.violation_name = tsp_violation_name,
	.violation_doc = tsp_violation_doc,
	.ops_page = reference_ops,
	.magic = ISA_MAGIC,
	.run = tsp_run,
	.sched = tsp_sched,
	.assemble = tsp_assemble,
	.disassemble = tsp_disassemble,
};

#define ASC_VIOLATION(id, name, doc) +1
enum {
	ASCEND_VIOLATIONS = 0
#include "isa/ascend/violations.def"
};

const tool_style tool_style_ascend = {
	.name = "ascend",
	.pages = {"ascend-isa.md", "ascend-machines.md", "isa/ascend/keys.def"},
	.keys = asc_keys,
	.key_count = &asc_key_count,
	.machines = asc_machine_names,
	.load = ascend_load,
	.free = ascend_free,
	.dump = ascend_dump,
	.machine_name = ascend_name,
	.machine_title = ascend_title,
	.text = ascend_text,
	.origin = ascend_origin,
	.ops = ASC_OP_COUNT,
	.violations = ASCEND_VIOLATIONS,
	.op_name = ascend_op_name,
	.op_doc = ascend_op_doc,
	.op_more = reference_ascend_op,
	.violation_name = asc_violation_name,
	.violation_doc = asc_violation_doc,
	.ops_page = reference_ascend_ops,
	.magic = ASC_MAGIC,
	.directive = ".stream",
	.run = ascend_run,
	.sched = ascend_sched,
	.assemble = ascend_assemble,
	.disassemble = ascend_disassemble,
	.counters = ASC_PMU_COUNT,
	.counter_name = ascend_counter_name,
	.counter_doc = ascend_counter_doc,
	.counters_page = reference_ascend_counters,
};

const tool_style *const tool_styles[] = {&tool_style_tsp, &tool_style_ascend, NULL};

const tool_style *tool_style_of(const char *name)
{
	return name && asc_machine_is(name) ? &tool_style_ascend : &tool_style_tsp;
}

/* Does TEXT have a line whose first word is WORD? */
static bool has_directive(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\r\n");
		if (strncmp(line, word, length) == 0 && strchr(" \t\r\n", line[length]))
			return true;
	}
	return false;
}

const tool_style *tool_style_of_program(const char *path)
{
	g_autofree char *text = NULL;
	g_autofree char *machine = NULL;
	char head[8] = {0};
	FILE *file = fopen(path, "rb");

	/* Whoever opens it says why it cannot be read. */
	if (!file)
		return NULL;
	if (!fread(head, 1, sizeof head - 1, file))
		head[0] = '\0';
	fclose(file);
	for (const tool_style *const *style = tool_styles; *style; style++)
		if (g_str_has_prefix(head, (*style)->magic))
			return *style;
	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	machine = setup_named_machine(text);
	if (machine)
		return tool_style_of(machine);
	for (const tool_style *const *style = tool_styles; *style; style++)
		if ((*style)->directive && has_directive(text, (*style)->directive))
			return *style;
	return NULL;
}

/* Is NAME a file, or does some kind of machine have it?  An error names those of all kinds. */
static bool is_known(const char *name, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
	void *machine;

	if (g_str_has_suffix(name, ".yaml") || strchr(name, '/') || !g_utf8_validate(name, -1, NULL))
		return true;
	machine = tool_style_of(name)->load(name, NULL);
	if (machine) {
		tool_style_of(name)->free(machine);
		return true;
	}
	for (const tool_style *const *style = tool_styles; *style; style++) {
		g_auto(GStrv) names = (*style)->machines();

		for (char **n = names; *n; n++)
			g_ptr_array_add(all, g_strdup(*n));
	}
	g_ptr_array_add(all, NULL);
	tool_unknown(error, "machine", name, (const char *const *)all->pdata);
	return false;
}

const tool_style *tool_style_choose(const char *machine, const char *program, GError **error)
{
	const tool_style *own = program ? tool_style_of_program(program) : NULL;
	g_auto(GStrv) names = NULL;
	g_autofree char *list = NULL;

	if (machine && !is_known(machine, error))
		return NULL;
	if (!own || !machine || own == tool_style_of(machine))
		return own ? own : tool_style_of(machine);
	names = own->machines();
	list = g_strjoinv(", ", names);
	g_set_error(
		error, TSP_ERROR, TSP_ERROR_USER,
		"%s is a program for machines of kind %s, and -m %s is of kind %s; leave -m out, or name one of: %s",
		program, own->name, machine, tool_style_of(machine)->name, list);
	return NULL;
}

int tool_style_key(const tool_style *style, const char *path)
{
	for (size_t i = 0; i < *style->key_count; i++)
		if (strcmp(style->keys[i].path, path) == 0)
			return (int)i;
	return -1;
}

int tool_style_op(const tool_style *style, const char *mnemonic)
{
	for (unsigned i = 0; i < style->ops; i++)
		if (strcmp(style->op_name(i), mnemonic) == 0)
			return (int)i;
	return -1;
}

int tool_style_violation(const tool_style *style, const char *name)
{
	for (unsigned i = 0; i < style->violations; i++)
		if (strcmp(style->violation_name(i), name) == 0)
			return (int)i;
	return -1;
}
