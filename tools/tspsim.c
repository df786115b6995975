/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim(1): finds the subcommand, hands it its words, prints its error, and turns the outcome into an exit status. The
 * first word names the command; anything else begins the options and words of the default one, run.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tools/interrupt.h"
#include "tools/setup.h"
#include "tools/tool.h"

/* A program that runs from its build tree reads machine files, queries and plots from its source tree, whatever else
 * may be installed on the host; one that runs from a bin folder takes those of the share folder beside it, wherever the
 * two were put. */
static void find_data(void)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *folder = program ? g_path_get_dirname(program) : NULL;
	g_autofree char *beside = folder ? g_build_filename(folder, "..", "share", PACKAGE, NULL) : NULL;
	char *build = realpath(TSPSIM_BUILDDIR, NULL);

	if (build && g_strcmp0(folder, build) == 0)
		g_setenv("TSPSIM_DATADIR", TSPSIM_SRCDIR, FALSE);
	else if (beside && g_file_test(beside, G_FILE_TEST_IS_DIR))
		g_setenv("TSPSIM_DATADIR", beside, FALSE);
	free(build);
}

/* Is WORD, which is no command, meant as one?  Programs and paths are not. */
static bool looks_like_command(const char *word)
{
	return word[0] != '-' && !setup_is_program(word) && !strpbrk(word, "/.:") &&
	       !g_file_test(word, G_FILE_TEST_EXISTS);
}

static void unknown_command(const char *word, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (const tool_command *const *command = tool_commands; *command; command++)
		g_ptr_array_add(names, (gpointer)(*command)->name);
	g_ptr_array_add(names, NULL);
	tool_unknown(error, "command", word, (const char *const *)names->pdata);
}

/* The command that ARGV asks for; takes its name out of the words unless it is the default. */
static const tool_command *find_command(int *argc, char ***argv, GError **error)
{
	const tool_command *command;
	const char *word = *argc > 1 ? (*argv)[1] : "run";

	/* Whoever asks the program itself for help gets the overview. */
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		word = "version";
	command = tool_command_find(word);
	if (command && *argc > 1) {
		(*argv)++;
		(*argc)--;
	} else if (!command && looks_like_command(word)) {
		unknown_command(word, error);
	} else if (!command) {
		command = tool_command_find("run");
	}
	return command;
}

static int run_command(int argc, char **argv, GError **error)
{
	const tool_command *command = find_command(&argc, &argv, error);
	gboolean help = FALSE;

	if (!command || !tool_parse(command, &argc, &argv, &help, error))
		return TOOL_USER_ERROR;
	if (help) {
		g_autofree char *text = tool_help_text(command);

		return tool_print(text, error) ? TOOL_OK : TOOL_USER_ERROR;
	}
	return command->run(argc - 1, argv + 1, error);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *line = tool_join_words(argv);
	g_auto(GStrv) words = g_strdupv(argv);
	g_autofree char **moving = g_memdup2(words, (gsize)(argc + 1) * sizeof *words);
	int status;

	/* File names and messages are the user's; numbers stay in the C locale. */
	setlocale(LC_CTYPE, "");
	tool_command_line = line;
	find_data();
	interrupt_install();
	status = run_command(argc, moving, &error);
	if (error) {
		fflush(stdout);
		fprintf(stderr, "tspsim: %s\n", error->message);
		status = tool_status_of(error);
	}
	return status;
}
