/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers share: words with their places, and the rows of the table.
 */
#ifndef TSPSIM_SCHED_ALG_READ_INTERNAL_H
#define TSPSIM_SCHED_ALG_READ_INTERNAL_H

#include "sched/alg/read/read.h"

/* A position in a text; words are separated by blanks, and `comment` (0: none) hides the rest of a line. */
typedef struct words {
	const char *name; /* of the file, for errors */
	const char *at;
	unsigned line, column;
	char comment;
	GError **error;
} words;

/* No duration, lag or time in a file is greater: sums of as many as there is memory for stay in 64 bits. */
enum { WORDS_MOST = 1000000000 };

void words_init(words *w, const char *text, const char *name, char comment, GError **error);
/* To the next word; false at the end. */
bool words_next(words *w);
/* Is there another word on this line? */
bool words_on_line(words *w);
/* An integer from LEAST to MOST, called WHAT in errors. */
bool words_integer(words *w, const char *what, int64_t least, int64_t most, int64_t *value);
/* The same between square brackets, no blanks. */
bool words_bracketed(words *w, const char *what, int64_t least, int64_t most, int64_t *value);
/* To the line after the next one that holds TEXT; on failure W stays. */
bool words_seek(words *w, const char *text);
/* To the next line. */
void words_skip_line(words *w);
/* The integer after the colon that follows LABEL. */
bool words_label(words *w, const char *label, const char *what, int64_t least, int64_t most, int64_t *value);
/* Nothing but blanks and comments follows. */
bool words_end(words *w);
/* Sets the error at the present place. */
void words_error(words *w, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Number of integers on the first lines that have any, up to N lines; -1 for a line with another word. */
void words_shape(const char *text, char comment, int *counts, unsigned n, int64_t first[2]);

#define FORMAT(name, suffix, doc)                                                                                      \
	bool looks_##name(const char *text);                                                                           \
	alg_problem *read_##name(const char *text, const char *file, const alg_read_options *options, GError **error);
#include "sched/alg/read/formats.def"

#endif
