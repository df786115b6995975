/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a line of assembly, for the assemblers of both kinds of machine; private to isa/.
 */
#ifndef TSPSIM_ISA_TOKENS_H
#define TSPSIM_ISA_TOKENS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct isa_token {
	char *text;
	unsigned column; /* from 1 */
	bool quoted;
} isa_token;

GArray *isa_tokens_new(void); /* of isa_token */
/* Cuts the line at white space and commas into TOKENS; "..." is one token with C escapes; ';' begins a comment.  False:
 * a text is not closed, at *COLUMN. */
bool isa_tokens_cut(GArray *tokens, const char *line, const char *line_end, unsigned *column);
/* A decimal or 0x number in MIN..MAX; hexadecimal ones of 64 bits are signed where the whole range is allowed. */
bool isa_tokens_integer(const char *text, int64_t min, int64_t max, int64_t *value, GError **error);

#endif
