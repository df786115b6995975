/* SPDX-License-Identifier: Apache-2.0
 *
 * What a key of a sweep is to its command: a long option of the command's own table, a machine key where the command
 * takes --set, or its argument.  So every option that a command has, or will have, can be swept.
 */
#include <string.h>

#include "isa/error.h"
#include "tools/styles.h"
#include "tools/sweep.h"

/* Options that name a file which every point would write, and why others cannot be swept. */
static const struct refused {
	const char *name, *why;
} refused[] = {
	{"trace", "every point would write the same file"}, {"trace-level", "points write no traces"},
	{"trace-window", "points write no traces"},         {"output", "every point would write the same file"},
	{"out", "every point would write the same file"},   {"set", "write the machine key itself"},
};

static const char *const prefixes[] = {"sched.", "hw."};
static const char *const csv_keys[] = {"csv.form", "csv.dialect", "csv.dtype"};

static const char *why_refused(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
		if (strcmp(name, refused[i].name) == 0)
			return refused[i].why;
	return NULL;
}

static bool has_set(const tool_command *command)
{
	for (const GOptionEntry *option = command->options; option && option->long_name; option++)
		if (strcmp(option->long_name, "set") == 0)
			return true;
	return false;
}

static bool is_set_key(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(csv_keys); i++)
		if (strcmp(name, csv_keys[i]) == 0)
			return true;
	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(name, prefixes[i])) {
			name += strlen(prefixes[i]);
			break;
		}
	/* Of any kind of machine; sweep_check() tries them on the sweep's own. */
	for (const tool_style *const *style = tool_styles; *style; style++)
		if (tool_style_key(*style, name) >= 0)
			return true;
	return false;
}

/* All that KEY could have been; strings are owned. */
static GPtrArray *candidates(const tool_command *command, const char *key)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	const char *prefix = "";

	for (const GOptionEntry *option = command->options; option && option->long_name; option++)
		if (!why_refused(option->long_name) && !(option->flags & G_OPTION_FLAG_HIDDEN))
			g_ptr_array_add(names, g_strdup(option->long_name));
	if (command->max_args)
		g_ptr_array_add(names, g_strdup("argument"));
	if (has_set(command)) {
		for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
			if (g_str_has_prefix(key, prefixes[i]))
				prefix = prefixes[i];
		for (const tool_style *const *style = tool_styles; *style; style++)
			for (size_t i = 0; i < *(*style)->key_count; i++)
				g_ptr_array_add(names, g_strconcat(prefix, (*style)->keys[i].path, NULL));
		for (size_t i = 0; i < G_N_ELEMENTS(csv_keys); i++)
			g_ptr_array_add(names, g_strdup(csv_keys[i]));
	}
	g_ptr_array_add(names, NULL);
	return names;
}

static void take_option(sweep_entry *entry, const GOptionEntry *option)
{
	entry->role = SWEEP_OPTION;
	if (option->arg == G_OPTION_ARG_NONE)
		entry->role = SWEEP_FLAG;
	else if (option->arg == G_OPTION_ARG_INT || option->arg == G_OPTION_ARG_INT64)
		entry->role = SWEEP_NUMBER;
	entry->repeats = option->arg == G_OPTION_ARG_STRING_ARRAY || option->arg == G_OPTION_ARG_FILENAME_ARRAY;
}

bool sweep_find_role(const sweep *s, sweep_entry *entry, GError **error)
{
	const char *name = entry->key.text;
	g_autoptr(GPtrArray) names = NULL;
	const char *near;

	if (why_refused(name))
		return sweep_fail(s, &entry->key, error, "'%s' cannot be swept: %s", name, why_refused(name));
	for (const GOptionEntry *option = s->tool->options; option && option->long_name; option++)
		if (strcmp(name, option->long_name) == 0) {
			take_option(entry, option);
			return true;
		}
	if (strcmp(name, "argument") == 0 && s->tool->max_args) {
		entry->role = SWEEP_ARGUMENT;
		entry->repeats = s->tool->max_args != 1;
		return true;
	}
	if (has_set(s->tool) && is_set_key(name)) {
		entry->role = SWEEP_SET;
		return true;
	}
	names = candidates(s->tool, name);
	near = tsp_nearest(name, (const char *const *)names->pdata);
	return sweep_fail(s, &entry->key, error, "'%s' is no option%s of tspsim %s%s%s%s", name,
	                  has_set(s->tool) ? " or machine key" : "", s->tool->name, near ? "; did you mean '" : "",
	                  near ? near : "", near ? "'?" : "");
}
