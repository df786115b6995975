/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of options against the options that there are, and words of command lines against the table.
 */
#include <string.h>

#include "tests/lib/tap.h"
#include "tools/options.h"

static const GOptionEntry *find(const GOptionEntry *options, const char *name)
{
	for (; options && options->long_name; options++)
		if (strcmp(options->long_name, name) == 0)
			return options;
	return NULL;
}

static const option_row *row_of(const char *command, const char *name)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (strcmp(option_rows[i].command, command) == 0 && strcmp(option_rows[i].name, name) == 0)
			return &option_rows[i];
	return NULL;
}

static bool is_number(const GOptionEntry *option)
{
	return option->arg == G_OPTION_ARG_INT || option->arg == G_OPTION_ARG_INT64 ||
	       option->arg == G_OPTION_ARG_DOUBLE;
}

static void check_rows_of(const char *command, const GOptionEntry *options)
{
	for (; options && options->long_name; options++) {
		const option_row *row = row_of(command, options->long_name);

		if (!row)
			printf("# no row: %s --%s\n", command, options->long_name);
		CU_ASSERT_PTR_NOT_NULL_FATAL(row);
		if (is_number(options) != (row->values >= OPTION_WHOLE))
			printf("# numbers: %s --%s\n", command, options->long_name);
		CU_ASSERT_EQUAL(is_number(options), row->values >= OPTION_WHOLE);
		CU_ASSERT_EQUAL(options->arg == G_OPTION_ARG_DOUBLE,
		                row->values == OPTION_REAL || row->values == OPTION_ABOVE);
		if (options->arg == G_OPTION_ARG_INT)
			CU_ASSERT(row->least >= G_MININT && row->most <= G_MAXINT);
	}
}

static void every_option_of_every_command_has_a_row_and_numbers_a_range(void)
{
	for (const tool_command *const *command = tool_commands; *command; command++)
		check_rows_of((*command)->name, (*command)->options);
	check_rows_of("*", tool_common_options);
}

static void every_row_is_an_option_and_rows_of_one_agree_on_its_numbers(void)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const option_row *row = &option_rows[i], *first = row_of(row->command, row->name);
		const tool_command *command = tool_command_find(row->command);
		const GOptionEntry *option = command ? find(command->options, row->name) : NULL;

		if (!option)
			option = find(tool_common_options, row->name);
		if (!option)
			printf("# no option: %s --%s\n", row->command, row->name);
		CU_ASSERT(command || strcmp(row->command, "*") == 0);
		CU_ASSERT_PTR_NOT_NULL(option);
		CU_ASSERT(row->values == first->values && row->least == first->least && row->most == first->most);
		CU_ASSERT(row->least_real == first->least_real && row->most_real == first->most_real);
		CU_ASSERT(row->values != OPTION_WHOLE || row->least < row->most);
	}
}

/* What options_note() says of `COMMAND WORD...`; "" when nothing. */
static char *note(const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	GError *error = NULL;
	char *text;

	options_note(tool_command_find(words[0]), (int)g_strv_length(words), words, &error);
	text = g_strdup(error ? error->message : "");
	g_clear_error(&error);
	return text;
}

#define SAYS(line, text)                                                                                               \
	do {                                                                                                           \
		g_autofree char *said = note(line);                                                                    \
		if (strcmp(said, text) != 0)                                                                           \
			printf("# %s: %s\n", line, said);                                                              \
		CU_ASSERT_STRING_EQUAL(said, text);                                                                    \
	} while (0)

static void numbers_are_whole_decimal_and_in_range_wherever_they_stand(void)
{
	SAYS("solve x --schedules 0", "solve: --schedules takes a whole number from 1, not '0'");
	SAYS("solve x --schedules=1", "");
	SAYS("solve x --schedules 9223372036854775807", "");
	SAYS("solve x --schedules 9223372036854775808",
	     "solve: --schedules takes a whole number from 1, not '9223372036854775808'");
	SAYS("solve x --seed -1", "solve: --seed takes a whole number from 0, not '-1'");
	/* GOption reads this as eight. */
	SAYS("solve x --seed 010", "solve: --seed takes a whole number from 0, not '010'");
	SAYS("solve x --seed 0x10", "solve: --seed takes a whole number from 0, not '0x10'");
	SAYS("solve x --seed=", "solve: --seed takes a whole number from 0, not ''");
	SAYS("solve x -j0", "solve: --jobs takes a whole number from 1 to 1024, not '0'");
	SAYS("solve x -qj1025", "solve: --jobs takes a whole number from 1 to 1024, not '1025'");
	SAYS("solve x -j 4", "");
	SAYS("solve x --time 0", "solve: --time takes a number above 0, not '0'");
	SAYS("solve x --time nan", "solve: --time takes a number above 0, not 'nan'");
	SAYS("solve x --time inf", "");
	SAYS("solve x --time -inf", "solve: --time takes a number above 0, not '-inf'");
	SAYS("bank --latency inf", "bank: --latency takes a number above 0 up to 1e+09, not 'inf'");
	SAYS("solve x --time 1e-3", "");
	SAYS("solve x --alpha -0.5", "solve: --alpha takes a number from 0 to 1e+09, not '-0.5'");
	SAYS("solve x --alpha 0", "");
	/* Words behind "--" and values of other options are none. */
	SAYS("solve --output --seed -- --schedules 0", "");
	/* Who asks for help gets it. */
	SAYS("solve --schedules 0 --help", "");
}

static void a_place_where_no_file_can_be_is_refused_before_any_work(void)
{
	SAYS("solve x --output /", "solve: --output /: Is a directory");
	SAYS("solve x -o /nowhere/x", "solve: --output /nowhere/x: No such file or directory");
	SAYS("solve x --out=", "solve: --out : No such file or directory");
	SAYS("solve x -o/dev/null", "");
}

static void what_is_given_is_known_by_its_long_name(void)
{
	g_free(note("solve -o x --seed=3 -qj2 file"));
	CU_ASSERT(options_given("output") && options_given("seed") && options_given("quiet") && options_given("jobs"));
	CU_ASSERT(!options_given("time") && !options_given("json"));
}

static void an_option_needs_one_condition_of_each_of_its_rows(void)
{
	GError *error = NULL;

	g_free(note("run p.tspo --schedules 5"));
	CU_ASSERT(!options_check(NEED_SEARCHED, &error));
	CU_ASSERT_STRING_EQUAL(
		error->message,
		"run: --schedules has no effect here; it needs a workload, which a program is no longer");
	g_clear_error(&error);
	CU_ASSERT(!options_check(NEED_WORKLOAD, &error));
	CU_ASSERT_STRING_EQUAL(error->message,
	                       "run: --schedules has no effect here; it needs --method anneal or exact");
	g_clear_error(&error);
	CU_ASSERT(options_check(NEED_WORKLOAD | NEED_SEARCHED, &error));
	/* Another option is seen without being told. */
	g_free(note("sdf x --limit 5"));
	CU_ASSERT(!options_check(NEED_TIMED, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "sdf: --limit has no effect here; it needs --minimal or --full-rate");
	g_clear_error(&error);
	g_free(note("sdf x --limit 5 --minimal"));
	CU_ASSERT(options_check(NEED_TIMED, &error));
}

/* What options_effective() asks: STATE is words, name and value in turn. */
static const char *value_of(void *state, const char *name)
{
	const char *const *words = state;

	for (; *words; words += 2)
		if (strcmp(words[0], name) == 0)
			return words[1];
	return NULL;
}

/* What option NAME lacks for an effect where COMMAND is given these values; "" when nothing. */
static void lacks(const char *command, const char *name, const char **words, const char *expected)
{
	g_autofree char *needs = NULL;
	bool effective = options_effective(command, name, value_of, words, &needs);

	CU_ASSERT_EQUAL(effective, !*expected);
	CU_ASSERT_STRING_EQUAL(needs ? needs : "", expected);
}

static void what_has_no_effect_is_known_from_the_options_beside_it(void)
{
	const char *nothing[] = {NULL}, *list[] = {"method", "list", NULL}, *anneal[] = {"method", "anneal", NULL};
	const char *rule[] = {"method", "list", "rule", "lst", NULL};
	const char *s2[] = {"method", "list", "rule", "s2", NULL};
	const char *steps[] = {"steps", "0", NULL}, *minimal[] = {"minimal", "true", NULL};

	lacks("sched", "schedules", nothing, "--method anneal or exact");
	lacks("sched", "schedules", list, "--method anneal or exact");
	lacks("sched", "schedules", anneal, "");
	lacks("solve", "schedules", list, "");
	/* The method of solve is anneal where none is given. */
	lacks("solve", "uniform", nothing, "");
	lacks("solve", "conflicts", nothing, "--method exact");
	/* Rule s2 is one of all that list tries without --rule. */
	lacks("solve", "alpha", list, "");
	lacks("solve", "alpha", rule, "--method list with rule s2");
	lacks("solve", "alpha", s2, "");
	lacks("solve", "alpha", anneal, "--method list with rule s2");
	lacks("bank", "restarts", nothing, "");
	lacks("bank", "restarts", steps, "--steps above 0");
	lacks("sdf", "limit", nothing, "--minimal or --full-rate");
	lacks("sdf", "limit", minimal, "");
	/* Only the file tells. */
	lacks("partition", "bandwidth", nothing, "");
	lacks("run", "seed", nothing, "");
}

static void what_a_command_never_does_is_refused_at_once(void)
{
	SAYS("plot banks x.db -o x.png --json",
	     "plot: --json has no effect here; it needs a command that prints results");
	SAYS("stat x.db --json", "");
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_option_of_every_command_has_a_row_and_numbers_a_range",
	         every_option_of_every_command_has_a_row_and_numbers_a_range},
		{"every_row_is_an_option_and_rows_of_one_agree_on_its_numbers",
	         every_row_is_an_option_and_rows_of_one_agree_on_its_numbers},
		{"numbers_are_whole_decimal_and_in_range_wherever_they_stand",
	         numbers_are_whole_decimal_and_in_range_wherever_they_stand},
		{"a_place_where_no_file_can_be_is_refused_before_any_work",
	         a_place_where_no_file_can_be_is_refused_before_any_work},
		{"what_is_given_is_known_by_its_long_name", what_is_given_is_known_by_its_long_name},
		{"an_option_needs_one_condition_of_each_of_its_rows",
	         an_option_needs_one_condition_of_each_of_its_rows},
		{"what_has_no_effect_is_known_from_the_options_beside_it",
	         what_has_no_effect_is_known_from_the_options_beside_it},
		{"what_a_command_never_does_is_refused_at_once", what_a_command_never_does_is_refused_at_once},
	};

	return tap_run("options", cases, G_N_ELEMENTS(cases));
}
