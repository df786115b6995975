/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of the command line and of reports, with what they mean.
 */
#ifndef TSPSIM_TOOLS_EXPLAIN_WORDS_H
#define TSPSIM_TOOLS_EXPLAIN_WORDS_H

#include "tools/styles.h"

/* KIND is what NAME is, with the kind of machine where that matters. */
typedef void (*explain_word_fn)(void *state, const char *name, const char *kind, const char *doc);
/* Calls EACH for every word of machines like ONLY (NULL: of all), in a fixed order. */
void explain_words(const tool_style *only, explain_word_fn each, void *state);

#endif
