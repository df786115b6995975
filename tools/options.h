/* SPDX-License-Identifier: Apache-2.0
 *
 * What is given on the command line, held against the table of all options (tools/options.def): numbers out of range
 * and options that cannot have an effect are refused before anything is done.
 */
#ifndef TSPSIM_TOOLS_OPTIONS_H
#define TSPSIM_TOOLS_OPTIONS_H

#include "tools/tool.h"

/* What an option can need; a set is an or of these. */
enum option_condition_index {
#define CONDITION(id, option, text) OPTION_INDEX_##id,
#include "tools/options.def"
	OPTION_CONDITIONS
};
enum option_condition {
#define CONDITION(id, option, text) NEED_##id = UINT64_C(1) << OPTION_INDEX_##id,
#include "tools/options.def"
};

enum option_values { OPTION_WORD, OPTION_PLACE, OPTION_WHOLE, OPTION_REAL, OPTION_ABOVE };

typedef struct option_row {
	const char *command, *name;
	enum option_values values;
	int64_t least, most;          /* of OPTION_WHOLE */
	double least_real, most_real; /* of OPTION_REAL and OPTION_ABOVE */
	uint64_t needs;               /* one of these; 0: nothing */
} option_row;

extern const option_row option_rows[];
extern const size_t option_row_count;

/* Notes what ARGV gives of the options of COMMAND, and refuses numbers that it does not take, places where no file can
 * be written, and what needs NEED_NEVER. */
bool options_note(const tool_command *command, int argc, char **argv, GError **error);
/* Is the option of that long NAME on the command line that options_note() saw? */
bool options_given(const char *name);
/* Is there anything that option NAME of COMMAND needs? */
bool options_conditional(const char *command, const char *name);
/* What a command line gives for an option: "true" for one without a value, NULL when it is not given. */
typedef const char *(*option_value)(void *state, const char *name);
/* Has option NAME an effect on a command line of COMMAND that gives VALUE, as far as that alone says?  If not, NEEDS is
 * what it lacks; g_free. */
bool options_effective(const char *command, const char *name, option_value value, void *state, char **needs);
/* Refuses VALUE, which came from elsewhere, where the option NAME does not take such a number. */
bool options_number(const char *name, int64_t value, GError **error);
/* Refuses the first option given that has no effect when only HOLDS holds, beside what the command line says by itself.
 */
bool options_check(uint64_t holds, GError **error);

#endif
