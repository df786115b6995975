/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of machine, a row each: names, keys with values and sources, instructions, violations, and what run, sched,
 * asm and dis do.
 */
#ifndef TSPSIM_TOOLS_STYLES_H
#define TSPSIM_TOOLS_STYLES_H

#include "isa/machine.h"
#include "tools/requests.h"

typedef struct tool_style {
	const char *name;     /* "tsp" "ascend" */
	const char *pages[3]; /* names of the reference pages of ops and keys; the folder and file of the keys */
	const isa_key_info *keys;
	const size_t *key_count;
	char **(*machines)(void); /* presets, g_strfreev */
	void *(*load)(const char *name, GError **error);
	void (*free)(void *machine);
	char *(*dump)(const void *machine); /* g_free */
	const char *(*machine_name)(const void *machine);
	const char *(*machine_title)(const void *machine);
	char *(*text)(const void *machine, int key); /* g_free */
	const isa_key_origin *(*origin)(const void *machine, int key);
	unsigned ops, violations;
	const char *(*op_name)(unsigned op);
	const char *(*op_doc)(unsigned op);
	char *(*op_more)(unsigned op); /* indented lines for explain, g_free */
	const char *(*violation_name)(unsigned violation);
	const char *(*violation_doc)(unsigned violation);
	char *(*ops_page)(GError **error); /* g_free */
	const char *magic;                 /* first bytes of its program files */
	const char *directive; /* begins a line in every assembly text of this kind and of no other; or NULL */
	/* Each returns the exit status. */
	int (*run)(const run_request *q, GError **error);
	int (*sched)(const sched_request *q, GError **error);
	int (*assemble)(const program_request *q, GError **error);
	int (*disassemble)(const program_request *q, GError **error);
	/* Hardware counters that the models produce; none: 0 and NULL. */
	unsigned counters;
	const char *(*counter_name)(unsigned counter);
	const char *(*counter_doc)(unsigned counter);
	char *(*counters_page)(GError **error); /* g_free */
} tool_style;

extern const tool_style tool_style_tsp, tool_style_ascend;
/* NULL-terminated; the first is that of the default machine. */
extern const tool_style *const tool_styles[];
/* The kind of machine NAME, as isa_machine_load() takes it; the first when NAME is NULL or unknown. */
const tool_style *tool_style_of(const char *name);

/* The kind of machine that the program at PATH is for, by its content: the magic bytes of a file, the machine that
 * assembly text names, its directives.  NULL when nothing says it. */
const tool_style *tool_style_of_program(const char *path);
/* The kind of machine MACHINE (or NULL) for PROGRAM (or NULL); an error when the two are of different kinds. */
const tool_style *tool_style_choose(const char *machine, const char *program, GError **error);

/* Index in the style's table, -1. */
int tool_style_key(const tool_style *style, const char *path);
int tool_style_op(const tool_style *style, const char *mnemonic);
int tool_style_violation(const tool_style *style, const char *name);

#endif
