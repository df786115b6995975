/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a sweep against the machines they are for, before a point is run; and digests that say whether a database
 * was made by the same sweep from the same files.
 *
 * A value is tried on the first machine that the sweep names.  Values that are wrong only together show when their
 * point is run.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "isa/file.h"
#include "tools/keys.h"
#include "tools/setup.h"
#include "tools/styles.h"
#include "tools/sweep.h"

/* The entry of KEY in base or axes, or NULL. */
static const sweep_entry *find_entry(const sweep *s, const char *key)
{
	GArray *lists[] = {s->base, s->axes};

	for (size_t list = 0; list < G_N_ELEMENTS(lists); list++)
		for (guint i = 0; i < lists[list]->len; i++)
			if (strcmp(g_array_index(lists[list], sweep_entry, i).key.text, key) == 0)
				return &g_array_index(lists[list], sweep_entry, i);
	return NULL;
}

/* A machine to try values on. */
typedef struct scratch {
	const tool_style *style;
	void *machine; /* NULL: none */
} scratch;

static void add_machine(sweep *s, const char *name, const scratch *of)
{
	g_ptr_array_add(s->machines, g_strdup(name));
	g_ptr_array_add(s->machines, of->style->dump(of->machine));
}

/* The machine of a sweep that names none: the default one, or any of the kind that its program is for. */
static scratch load_default(sweep *s, GError **error)
{
	const sweep_entry *argument = find_entry(s, "argument");
	const char *program =
		argument && argument->values->len ? g_array_index(argument->values, sweep_text, 0).text : NULL;
	const tool_style *style = program && setup_is_program(program) ? tool_style_of_program(program) : NULL;
	scratch of = {style ? style : tool_styles[0], NULL};
	g_auto(GStrv) names = of.style->machines();

	of.machine = of.style->load(of.style == tool_styles[0] ? SETUP_DEFAULT_MACHINE : names[0], error);
	if (of.machine && !argument)
		add_machine(s, SETUP_DEFAULT_MACHINE, &of);
	return of;
}

/* Loads the machines; the first one is returned. */
static scratch load_machines(sweep *s, GError **error)
{
	const sweep_entry *entry = find_entry(s, "machine");
	scratch first = {0};

	if (!entry)
		return load_default(s, error);
	for (guint i = 0; i < entry->values->len; i++) {
		const sweep_text *name = &g_array_index(entry->values, sweep_text, i);
		g_autoptr(GError) cause = NULL;
		const tool_style *style = tool_style_choose(name->text, NULL, &cause);
		scratch of = {style, style ? style->load(name->text, &cause) : NULL};

		if (!of.machine) {
			sweep_fail(s, name, error, "%s", cause->message);
			if (first.machine)
				first.style->free(first.machine);
			return (scratch){0};
		}
		add_machine(s, name->text, &of);
		if (first.machine)
			of.style->free(of.machine);
		else
			first = of;
	}
	return first;
}

static bool try_entry(const sweep *s, const scratch *on, const sweep_entry *entry, GError **error)
{
	const char *key = entry->key.text;

	if (entry->role != SWEEP_SET || g_str_has_prefix(key, "csv."))
		return true;
	if (g_str_has_prefix(key, "sched."))
		key += strlen("sched.");
	else if (g_str_has_prefix(key, "hw."))
		key += strlen("hw.");
	for (guint v = 0; v < entry->values->len; v++) {
		const sweep_text *value = &g_array_index(entry->values, sweep_text, v);
		g_autoptr(GError) cause = NULL;

		if (!keys_set(on->style->name, on->machine, key, value->text, &cause))
			return sweep_fail(s, value, error, "%s", cause->message);
	}
	return true;
}

/* The content of every value that is a file's name. */
static bool digest_files(const sweep *s, GChecksum *sum, GError **error)
{
	GArray *lists[] = {s->base, s->axes};

	for (size_t list = 0; list < G_N_ELEMENTS(lists); list++)
		for (guint i = 0; i < lists[list]->len; i++) {
			const sweep_entry *entry = &g_array_index(lists[list], sweep_entry, i);

			if (entry->role != SWEEP_OPTION && entry->role != SWEEP_ARGUMENT)
				continue;
			for (guint v = 0; v < entry->values->len; v++) {
				const char *name = g_array_index(entry->values, sweep_text, v).text;
				g_autoptr(GMappedFile) file = NULL;

				if (!g_file_test(name, G_FILE_TEST_IS_REGULAR))
					continue;
				file = g_mapped_file_new(name, FALSE, error);
				if (!file)
					return false;
				g_checksum_update(sum, (const guchar *)name, (gssize)strlen(name) + 1);
				g_checksum_update(sum, (const guchar *)g_mapped_file_get_contents(file),
				                  (gssize)g_mapped_file_get_length(file));
			}
		}
	return true;
}

static bool digest_inputs(sweep *s, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (guint i = 0; i + 1 < s->machines->len; i++) {
		const char *text = g_ptr_array_index(s->machines, i);

		g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
	}
	if (!digest_files(s, sum, error))
		return false;
	s->inputs_digest = g_strdup(g_checksum_get_string(sum));
	return true;
}

static void digest_points(sweep *s)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (guint a = 0; a < s->axes->len; a++) {
		const char *name = g_array_index(s->axes, sweep_entry, a).key.text;

		g_checksum_update(sum, (const guchar *)name, (gssize)strlen(name) + 1);
	}
	for (guint i = 0; i < s->outputs->len; i++) {
		const char *name = g_array_index(s->outputs, sweep_text, i).text;

		g_checksum_update(sum, (const guchar *)name, (gssize)strlen(name) + 1);
		g_checksum_update(sum, (const guchar *)(s->optional[i] ? "?" : "!"), 1);
	}
	for (uint32_t p = 0; p < sweep_point_count(s); p++) {
		g_autofree char *command = sweep_command_text(s, p);

		g_checksum_update(sum, (const guchar *)command, (gssize)strlen(command) + 1);
	}
	s->points_digest = g_strdup(g_checksum_get_string(sum));
}

bool sweep_check(sweep *s, GError **error)
{
	bool fine = true;

	s->machines = g_ptr_array_new_with_free_func(g_free);
	for (const GOptionEntry *option = s->tool->options; option && option->long_name; option++)
		if (strcmp(option->long_name, "machine") == 0) {
			scratch on = load_machines(s, error);

			fine = on.machine != NULL;
			for (guint i = 0; fine && i < s->base->len; i++)
				fine = try_entry(s, &on, &g_array_index(s->base, sweep_entry, i), error);
			for (guint i = 0; fine && i < s->axes->len; i++)
				fine = try_entry(s, &on, &g_array_index(s->axes, sweep_entry, i), error);
			if (on.machine)
				on.style->free(on.machine);
		}
	g_ptr_array_add(s->machines, NULL);
	if (!fine || !digest_inputs(s, error))
		return false;
	digest_points(s);
	return true;
}

sweep *sweep_load(const char *file, GError **error)
{
	gsize length;
	g_autofree char *text = tsp_file_read(file, &length, error);
	sweep *s;

	if (!text)
		return NULL;
	s = sweep_parse(text, length, file, error);
	if (s && !(sweep_resolve(s, error) && sweep_check(s, error)))
		g_clear_pointer(&s, sweep_free);
	return s;
}
