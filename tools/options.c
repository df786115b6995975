/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of options at work.  Words are looked at before GOption takes them: it would read 010 as eight, and does
 * not tell what was given from what has its default.
 */
#include "tools/options.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bank/model.h"
#include "bank/pattern.h"
#include "bank/reader.h"
#include "sched/alg/color.h"
#include "tools/bank_effect.h"

#define WORD               OPTION_WORD, 0, 0, 0, 0
#define PLACE              OPTION_PLACE, 0, 0, 0, 0
#define WHOLE(least, most) OPTION_WHOLE, least, most, 0, 0
#define REAL(least, most)  OPTION_REAL, 0, 0, least, most
#define ABOVE(least, most) OPTION_ABOVE, 0, 0, least, most

const option_row option_rows[] = {
#define OPTION(command, name, values, needs) {command, name, values, needs},
#include "tools/options.def"
};
const size_t option_row_count = G_N_ELEMENTS(option_rows);

static const struct condition {
	const char *option, *text;
} conditions[OPTION_CONDITIONS] = {
#define CONDITION(id, option, text) {option, text},
#include "tools/options.def"
};

static const struct holding {
	const char *command;
	unsigned condition;
	const char *option, *values;
} holdings[] = {
#define HOLDS(command, condition, option, values) {command, OPTION_INDEX_##condition, option, values},
#include "tools/options.def"
};

static const tool_command *noted;
static GHashTable *given; /* long names of noted's options */

bool options_given(const char *name)
{
	return given && g_hash_table_contains(given, name);
}

/* Is ROW one of COMMAND's, or of all commands where that has none of the name? */
static bool is_of(const option_row *row, const char *command)
{
	if (strcmp(row->command, command) == 0)
		return true;
	if (strcmp(row->command, "*") != 0)
		return false;
	for (size_t i = 0; i < option_row_count; i++)
		if (strcmp(option_rows[i].command, command) == 0 && strcmp(option_rows[i].name, row->name) == 0)
			return false;
	return true;
}

static bool applies(const option_row *row)
{
	return is_of(row, noted->name);
}

/* ------------------------------------------------------------------------------------------------- the words */

static const GOptionEntry *by_long_name(const char *name, size_t length)
{
	const GOptionEntry *tables[] = {noted->options, tool_common_options};

	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
		for (const GOptionEntry *option = tables[i]; option && option->long_name; option++)
			if (strlen(option->long_name) == length && strncmp(option->long_name, name, length) == 0)
				return option;
	return NULL;
}

static const GOptionEntry *by_short_name(char name)
{
	const GOptionEntry *tables[] = {noted->options, tool_common_options};

	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
		for (const GOptionEntry *option = tables[i]; option && option->long_name; option++)
			if (option->short_name == name)
				return option;
	return NULL;
}

/* Long work is not begun for a file that cannot be written; the first is said. */
static void check_place(const option_row *row, const char *path, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int wrong = 0;

	if (!*path)
		wrong = ENOENT;
	else if (g_file_test(path, G_FILE_TEST_IS_DIR))
		wrong = EISDIR;
	else if (g_access(g_file_test(path, G_FILE_TEST_EXISTS) ? path : folder, W_OK) != 0)
		wrong = errno;
	else if (!g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(folder, G_FILE_TEST_IS_DIR))
		wrong = ENOTDIR;
	if (wrong && !*error)
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: --%s %s: %s", noted->name, row->name, path,
		            g_strerror(wrong));
}

/* The first one is said. */
static void bad_number(const option_row *row, const char *text, GError **error)
{
	g_autofree char *most = NULL;

	if (*error)
		return;
	if (row->values == OPTION_WHOLE) {
		most = row->most == G_MAXINT64 ? g_strdup("") : g_strdup_printf(" to %" G_GINT64_FORMAT, row->most);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: --%s takes a whole number from %" G_GINT64_FORMAT "%s, not '%s'", noted->name,
		            row->name, row->least, most, text);
	} else {
		bool above = row->values == OPTION_ABOVE;

		most = isinf(row->most_real) ? g_strdup("")
		                             : g_strdup_printf("%s to %g", above ? " up" : "", row->most_real);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: --%s takes a number %s %g%s, not '%s'", noted->name,
		            row->name, above ? "above" : "from", row->least_real, most, text);
	}
}

/* Is TEXT a number that ROW takes?  Whole ones are decimal, without zeros before them. */
static bool takes(const option_row *row, const char *text)
{
	const char *digits = text + (*text == '-');
	gint64 whole;
	double real;
	char *end;

	switch (row->values) {
	case OPTION_WHOLE:
		return g_ascii_string_to_signed(text, 10, row->least, row->most, &whole, NULL) &&
		       (digits[0] != '0' || !digits[1]);
	case OPTION_REAL:
	case OPTION_ABOVE:
		real = g_ascii_strtod(text, &end);
		if (strcmp(text, "inf") == 0)
			return isinf(row->most_real);
		return (g_ascii_isdigit(*text) || *text == '.') && !*end && strcspn(text, "xX") == strlen(text) &&
		       real >= row->least_real && real <= row->most_real &&
		       (row->values == OPTION_REAL || real > row->least_real);
	default:
		return true;
	}
}

bool options_number(const char *name, int64_t value, GError **error)
{
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, value);
	GError *failure = NULL;

	for (size_t i = 0; i < option_row_count && !failure; i++)
		if (strcmp(option_rows[i].name, name) == 0 && applies(&option_rows[i]) && !takes(&option_rows[i], text))
			bad_number(&option_rows[i], text, &failure);
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}

/* OPTION is given, with VALUE where it takes one and has one. */
static void note(const GOptionEntry *option, const char *value, GError **error)
{
	g_hash_table_add(given, (gpointer)option->long_name);
	for (size_t i = 0; value && i < option_row_count; i++) {
		const option_row *row = &option_rows[i];

		if (strcmp(row->name, option->long_name) != 0 || !applies(row))
			continue;
		if (row->values == OPTION_PLACE)
			check_place(row, value, error);
		else if (!takes(row, value))
			bad_number(row, value, error);
	}
}

/* Letters of one word, "-qj2"; is NEXT the last one's value? */
static bool note_letters(const char *word, const char *next, GError **error)
{
	for (const char *c = word + 1; *c; c++) {
		const GOptionEntry *option = by_short_name(*c);

		if (!option)
			return false;
		note(option, option->arg == G_OPTION_ARG_NONE ? NULL : c[1] ? c + 1 : next, error);
		if (option->arg != G_OPTION_ARG_NONE)
			return !c[1];
	}
	return false;
}

/* A word that begins with two dashes; is NEXT its value? */
static bool note_long(const char *word, const char *next, GError **error)
{
	size_t length = strcspn(word, "=");
	const GOptionEntry *option = by_long_name(word + 2, length - 2);
	bool apart = option && option->arg != G_OPTION_ARG_NONE && !word[length];

	if (option)
		note(option, word[length] ? word + length + 1 : apart ? next : NULL, error);
	return apart;
}

/* -------------------------------------------------------------------------------------------- what they need */

/* "--method anneal or --method exact" */
static char *needs_text(uint64_t needs)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < OPTION_CONDITIONS; i++)
		if (needs >> i & 1)
			g_string_append_printf(text, "%s%s", text->len ? " or " : "", conditions[i].text);
	return g_string_free(text, FALSE);
}

/* Refuses the first option given of which nothing that it needs is in HOLDS. */
static bool refuse_unmet(uint64_t holds, GError **error)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const option_row *row = &option_rows[i];
		g_autofree char *needs = NULL;

		if (!row->needs || row->needs & holds || !options_given(row->name) || !applies(row))
			continue;
		needs = needs_text(row->needs);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: --%s has no effect here; it needs %s", noted->name,
		            row->name, needs);
		return false;
	}
	return true;
}

bool options_check(uint64_t holds, GError **error)
{
	for (unsigned i = 0; i < OPTION_CONDITIONS; i++)
		if (options_given(conditions[i].option))
			holds |= UINT64_C(1) << i;
	return refuse_unmet(holds, error);
}

/* Is WORD in the blank-separated VALUES? */
static bool is_among(const char *values, const char *word)
{
	g_auto(GStrv) all = g_strsplit(values, " ", -1);

	return g_strv_contains((const char *const *)all, word);
}

/* What the command line alone does not decide may hold. */
static bool may_hold(const char *command, unsigned condition, option_value value, void *state)
{
	if (*conditions[condition].option)
		return value(state, conditions[condition].option) != NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(holdings); i++) {
		const struct holding *h = &holdings[i];
		const char *word;
		bool none = *h->values == '!';

		if (h->condition != condition || strcmp(h->command, command) != 0)
			continue;
		word = value(state, h->option);
		if (is_among(h->values + none, word ? word : "-") == none)
			return false;
	}
	return true;
}

bool options_conditional(const char *command, const char *name)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].needs && strcmp(option_rows[i].name, name) == 0 && is_of(&option_rows[i], command))
			return true;
	return false;
}

bool options_effective(const char *command, const char *name, option_value value, void *state, char **needs)
{
	*needs = NULL;
	for (size_t i = 0; i < option_row_count; i++) {
		const option_row *row = &option_rows[i];
		bool met = !row->needs;

		if (strcmp(row->name, name) != 0 || !is_of(row, command))
			continue;
		for (unsigned c = 0; c < OPTION_CONDITIONS && !met; c++)
			met = (row->needs >> c & 1) && may_hold(command, c, value, state);
		if (met)
			continue;
		*needs = needs_text(row->needs);
		return false;
	}
	return true;
}

bool options_note(const tool_command *command, int argc, char **argv, GError **error)
{
	GError *failure = NULL;

	noted = command;
	g_clear_pointer(&given, g_hash_table_unref);
	given = g_hash_table_new(g_str_hash, g_str_equal);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (argv[i][0] == '-')
			i += argv[i][1] == '-' ? note_long(argv[i], next, &failure)
			                       : note_letters(argv[i], next, &failure);
	}
	if (options_given("help"))
		g_clear_error(&failure);
	else if (!failure)
		refuse_unmet(~(uint64_t)NEED_NEVER, &failure);
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}
