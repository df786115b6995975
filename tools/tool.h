/* SPDX-License-Identifier: Apache-2.0
 *
 * What all subcommands share: their table, option parsing, exit statuses, errors, numbers for people.
 *
 * A subcommand is one file with one constant `tool_command`.  Its function gets the words that are left when the
 * options are gone, does its work, prints results on stdout, and returns an exit status; on failure it sets the error
 * and leaves the printing to main().
 */
#ifndef TSPSIM_TOOLS_TOOL_H
#define TSPSIM_TOOLS_TOOL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/error.h"

enum tool_status {
	TOOL_OK = 0,
	TOOL_USER_ERROR = 1,   /* bad input; error set */
	TOOL_FOUND = 2,        /* violations, a prediction that differs, a failed comparison: a result, not an error */
	TOOL_INTERNAL = 3,     /* a defect of tspsim; error set */
	TOOL_INTERRUPTED = 130 /* SIGINT or SIGTERM; the trace is closed and marked */
};

typedef struct tool_command {
	const char *name;
	const char *synopsis;        /* what follows the name in usage lines; may hold newlines for alternatives */
	const char *doc;             /* one line */
	const char *details;         /* paragraphs below the options in --help, or NULL */
	const GOptionEntry *options; /* ends with a zero row; --help, --json and --quiet are added to every command */
	int min_args, max_args;      /* words besides the options; max_args < 0: any number */
	int (*run)(int argc, char **argv, GError **error);
} tool_command;

/* NULL-terminated, in the order of tools/cmd.def. */
extern const tool_command *const tool_commands[];
const tool_command *tool_command_find(const char *name); /* NULL when there is none */

/* Options that every command takes. */
extern gboolean tool_json;
extern gboolean tool_quiet;
extern const GOptionEntry tool_common_options[];

/* The command line as typed, for the manifest of a trace; set by main(). */
extern const char *tool_command_line;

/* Takes the options out of ARGV (argv[0] is the command's name), checks their numbers (tools/options.def) and the
 * number of words left.  Errors name the nearest option.  *HELP is true when --help was given: then nothing else is
 * checked. */
bool tool_parse(const tool_command *command, int *argc, char ***argv, gboolean *help, GError **error);
char *tool_help_text(const tool_command *command); /* g_free */

/* The exit status that ERROR calls for. */
int tool_status_of(const GError *error);

/* Error "unknown WHAT 'WORD'" with the nearest of CANDIDATES, or all of them when they are few. */
void tool_unknown(GError **error, const char *what, const char *word, const char *const *candidates);

/* May STREAM be coloured (a terminal, and NO_COLOR unset)? */
bool tool_colour(FILE *stream);

/* Prints TEXT on stdout; false and an IO error when that fails (a full disk, a closed pipe). */
bool tool_print(const char *text, GError **error);

/* The file to read for the argument PATH: "-" is standard input. */
const char *tool_input(const char *path);

/* TEXT into the file PATH, or (NULL) on stdout. */
bool tool_put(const char *text, const char *path, GError **error);

/* WORDS (NULL-terminated) as a line that a shell reads back as the same words; g_free. */
char *tool_join_words(char *const *words);

/* A line of a report: LABEL in its column, then what FORMAT says. */
enum { TOOL_LABEL_WIDTH = 13 };
void tool_line(GString *out, const char *label, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Numbers for people; each returns a new string, g_free. */
char *tool_count(uint64_t value);     /* "1,234,567" */
char *tool_grouped(const char *text); /* TEXT, with commas in the whole numbers that stand alone in it */
char *tool_bytes(uint64_t bytes);     /* "8.0 MB", powers of 1000 */
char *tool_seconds(double seconds);   /* "9.36 us" */
char *tool_percent(double fraction);  /* "62.3 %" */

#endif
