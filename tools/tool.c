/* SPDX-License-Identifier: Apache-2.0
 *
 * Option parsing, help, errors and numbers for all subcommands.  GOption does the parsing; the help text is our own,
 * since GOption's prints characters outside ASCII and one column order only.
 */
#include "tools/tool.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "isa/file.h"
#include "sim/kernel.h"
#include "tools/options.h"

gboolean tool_json;
gboolean tool_quiet;
static gboolean tool_help;
const char *tool_command_line = "";

const GOptionEntry tool_common_options[] = {
	{"json", 0, 0, G_OPTION_ARG_NONE, &tool_json, "print results as JSON", NULL},
	{"quiet", 'q', 0, G_OPTION_ARG_NONE, &tool_quiet,
         "print no progress, and results only where they are asked for", NULL},
	{"help", 'h', 0, G_OPTION_ARG_NONE, &tool_help, "print this text", NULL},
	{0},
};

/* Long names of COMMAND's options, with dashes; g_strfreev. */
static char **option_names(const tool_command *command)
{
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();
	const GOptionEntry *tables[] = {command->options, tool_common_options};

	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
		for (const GOptionEntry *option = tables[i]; option && option->long_name; option++) {
			g_autofree char *name = g_strdup_printf("--%s", option->long_name);

			/* Another name of an option that has one. */
			if (option->flags & G_OPTION_FLAG_HIDDEN)
				continue;
			g_strv_builder_add(names, name);
		}
	return g_strv_builder_end(names);
}

/* Of NAMES ("--sched-time") the first that ends in WORD ("--time") after a dash, or of which one begins the other
 * ("--outp", "--output"); NULL when there is none. */
static const char *akin(const char *word, char **names)
{
	enum { FEWEST = 3 };
	g_autofree char *end = NULL;

	if (strlen(word) < 2 + FEWEST)
		return NULL;
	end = g_strdup_printf("-%s", word + 2);
	for (; *names; names++)
		if (g_str_has_suffix(*names + 2, end) || g_str_has_prefix(*names, word) ||
		    g_str_has_prefix(word, *names))
			return *names;
	return NULL;
}

/* Rewrites GOption's message about an option it does not know, which is the last word of it. */
static void improve_option_error(const tool_command *command, GError **error)
{
	if (g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
		const char *word = strrchr((*error)->message, ' ');
		g_autofree char *option = g_strdup(word ? word + 1 : (*error)->message);
		g_auto(GStrv) names = option_names(command);
		const char *near;

		option[strcspn(option, "=")] = '\0';
		/* A letter is as near to any other one. */
		near = option[1] == '-' ? tsp_nearest(option, (const char *const *)names) : NULL;
		if (!near && option[1] == '-')
			near = akin(option, names);
		g_clear_error(error);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: unknown option '%s'; %s%s%s", command->name, option,
		            near ? "did you mean '" : "see `tspsim ", near ? near : command->name,
		            near ? "'?" : " --help`");
	} else if ((*error)->domain == G_OPTION_ERROR) {
		g_autofree char *message = g_strdup((*error)->message);

		g_clear_error(error);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s; see `tspsim %s --help`", command->name, message,
		            command->name);
	}
}

/* The option of COMMAND that WORD begins with ("-j" of "-j2", "--jobs"), or NULL. */
static const GOptionEntry *find_option(const tool_command *command, const char *word)
{
	const GOptionEntry *tables[] = {command->options, tool_common_options};

	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
		for (const GOptionEntry *option = tables[i]; option && option->long_name; option++)
			if (word[0] == '-' && (word[1] == '-' ? strcmp(word + 2, option->long_name) == 0
			                                      : word[1] && word[1] == option->short_name))
				return option;
	return NULL;
}

/* GOption does not know values that stand directly behind a short option: "-j2" becomes "--jobs=2". */
static void spell_out_short_options(const tool_command *command, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const GOptionEntry *option = find_option(command, argv[i]);

		if (!option || option->arg == G_OPTION_ARG_NONE)
			continue;
		if (argv[i][1] == '-' || !argv[i][2]) {
			i++;
		} else {
			g_autofree char *word = g_strdup_printf("--%s=%s", option->long_name, argv[i] + 2);

			argv[i] = (char *)g_intern_string(word);
		}
	}
}

bool tool_parse(const tool_command *command, int *argc, char ***argv, gboolean *help, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	GError *failure = NULL;
	int words;

	if (!options_note(command, *argc, *argv, error))
		return false;
	g_option_context_set_help_enabled(context, FALSE);
	if (command->options)
		g_option_context_add_main_entries(context, command->options, NULL);
	g_option_context_add_main_entries(context, tool_common_options, NULL);
	spell_out_short_options(command, *argc, *argv);
	if (!g_option_context_parse(context, argc, argv, &failure)) {
		improve_option_error(command, &failure);
		g_propagate_error(error, failure);
		return false;
	}
	*help = tool_help;
	if (tool_help)
		return true;
	/* GOption leaves a "--" in place when it ended the options. */
	if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
		memmove(*argv + 1, *argv + 2, (size_t)(*argc - 1) * sizeof **argv);
		(*argc)--;
	}
	words = *argc - 1;
	if (words < command->min_args || (command->max_args >= 0 && words > command->max_args)) {
		g_auto(GStrv) forms = g_strsplit(command->synopsis, "\n", -1);
		g_autofree char *between = g_strdup_printf("\n           or: tspsim %s ", command->name);
		g_autofree char *usage = g_strjoinv(between, forms);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s%s%s; usage: tspsim %s %s", command->name,
		            words < command->min_args ? "too few arguments" : "unexpected argument '",
		            words < command->min_args ? "" : (*argv)[1 + command->max_args],
		            words < command->min_args ? "" : "'", command->name, usage);
		return false;
	}
	return true;
}

enum { HELP_COLUMN = 30, HELP_WIDTH = 100 };

/* Appends TEXT wrapped to HELP_WIDTH, its first line beginning at column AT, the others at HELP_COLUMN. */
static void append_wrapped(GString *out, size_t at, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	if (at + 2 > HELP_COLUMN) {
		g_string_append_c(out, '\n');
		at = 0;
	}
	g_string_append_printf(out, "%*s", (int)(HELP_COLUMN - at), "");
	at = HELP_COLUMN;
	for (char **word = words; *word; word++) {
		size_t length = strlen(*word);

		if (at > HELP_COLUMN && at + 1 + length > HELP_WIDTH) {
			g_string_append_printf(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		}
		if (at > HELP_COLUMN) {
			g_string_append_c(out, ' ');
			at++;
		}
		g_string_append(out, *word);
		at += length;
	}
	g_string_append_c(out, '\n');
}

static void append_options(GString *out, const GOptionEntry *option)
{
	for (; option && option->long_name; option++) {
		g_autoptr(GString) left = g_string_new("  ");

		if (option->flags & G_OPTION_FLAG_HIDDEN)
			continue;
		if (option->short_name)
			g_string_append_printf(left, "-%c, ", option->short_name);
		else
			g_string_append(left, "    ");
		g_string_append_printf(left, "--%s", option->long_name);
		if (option->arg_description)
			g_string_append_printf(left, "=%s", option->arg_description);
		g_string_append(out, left->str);
		append_wrapped(out, left->len, option->description);
	}
}

char *tool_help_text(const tool_command *command)
{
	GString *out = g_string_new(NULL);
	g_auto(GStrv) forms = g_strsplit(command->synopsis, "\n", -1);

	for (char **form = forms; *form; form++)
		g_string_append_printf(out, "%s tspsim %s%s%s\n", form == forms ? "usage:" : "      ", command->name,
		                       **form ? " " : "", *form);
	g_string_append_printf(out, "\n%s\n\n", command->doc);
	append_options(out, command->options);
	append_options(out, tool_common_options);
	if (command->details)
		g_string_append_printf(out, "\n%s", command->details);
	return g_string_free(out, FALSE);
}

const char *tool_input(const char *path)
{
	return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

int tool_status_of(const GError *error)
{
	if (g_error_matches(error, TSP_ERROR, TSP_ERROR_INTERNAL))
		return TOOL_INTERNAL;
	if (error->domain == SIM_ERROR && error->code != SIM_ERROR_KERNEL)
		return TOOL_INTERNAL;
	return TOOL_USER_ERROR;
}

void tool_unknown(GError **error, const char *what, const char *word, const char *const *candidates)
{
	const char *near = tsp_nearest(word, candidates);
	g_autofree char *all = g_strjoinv(", ", (char **)candidates);

	if (near)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown %s '%s'; did you mean '%s'?", what, word, near);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown %s '%s'; expected one of: %s", what, word, all);
}

bool tool_colour(FILE *stream)
{
	const char *no_colour = g_getenv("NO_COLOR");
	const char *terminal = g_getenv("TERM");

	return !(no_colour && *no_colour) && isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

bool tool_print(const char *text, GError **error)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "standard output: %s", g_strerror(errno));
		return false;
	}
	return true;
}

bool tool_put(const char *text, const char *path, GError **error)
{
	return path ? tsp_file_write(path, text, strlen(text), error) : tool_print(text, error);
}

char *tool_join_words(char *const *words)
{
	GString *text = g_string_new(NULL);

	for (char *const *word = words; *word; word++) {
		bool plain = **word && strcspn(*word, " \t\n\"'\\$`*?[]{}()<>|&;#~!") == strlen(*word);
		g_autofree char *quoted = plain ? g_strdup(*word) : g_shell_quote(*word);

		g_string_append_printf(text, "%s%s", word == words ? "" : " ", quoted);
	}
	return g_string_free(text, FALSE);
}

void tool_line(GString *out, const char *label, const char *format, ...)
{
	va_list arguments;

	g_string_append_printf(out, "%-*s", TOOL_LABEL_WIDTH, label);
	va_start(arguments, format);
	g_string_append_vprintf(out, format, arguments);
	va_end(arguments);
	g_string_append_c(out, '\n');
}

char *tool_count(uint64_t value)
{
	char digits[32];
	int length = g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, value);
	GString *out = g_string_new(NULL);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			g_string_append_c(out, ',');
		g_string_append_c(out, digits[i]);
	}
	return g_string_free(out, FALSE);
}

char *tool_grouped(const char *text)
{
	GString *out = g_string_new(NULL);

	for (const char *c = text; *c;) {
		size_t digits = strspn(c, "0123456789");
		bool alone = (c == text || strchr(" (", c[-1])) && strchr(" ,;:)", c[digits]);

		if (digits > 3 && digits < 19 && alone) {
			g_autofree char *grouped = tool_count(g_ascii_strtoull(c, NULL, 10));

			g_string_append(out, grouped);
		} else {
			digits = MAX(digits, 1);
			g_string_append_len(out, c, (gssize)digits);
		}
		c += digits;
	}
	return g_string_free(out, FALSE);
}

/* VALUE with three or four significant digits and the largest of UNITS (steps of 1000) that keeps it at 1 or more. */
static char *scaled(double value, const char *const *units, unsigned count)
{
	unsigned unit = 0;

	while (unit + 1 < count && value >= 999.95) {
		value /= 1000;
		unit++;
	}
	return g_strdup_printf("%.*f %s", value < 9.995 ? 2 : 1, value, units[unit]);
}

char *tool_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

	if (bytes < 1000)
		return g_strdup_printf("%u B", (unsigned)bytes);
	return scaled((double)bytes, units, G_N_ELEMENTS(units));
}

char *tool_seconds(double seconds)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return scaled(seconds * 1e9, units, G_N_ELEMENTS(units));
}

char *tool_percent(double fraction)
{
	return g_strdup_printf("%.1f %%", isfinite(fraction) ? fraction * 100 : 0.0);
}
