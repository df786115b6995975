/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the two halves of the reader: bank/reader.c fills the buffer and forms groups, bank/reader_lines.c knows what
 * a line of each format is.
 */
#ifndef TSPSIM_BANK_READER_INT_H
#define TSPSIM_BANK_READER_INT_H

#include "bank/divide.h"
#include "bank/reader.h"

#include <zlib.h>

typedef struct reader reader;

/* Appends the accesses of the line at S, which ends with a line feed, to BATCH->blocks and kinds; the text after it,
 * NULL on error.  Lines of blanks and comments append nothing. */
typedef const char *(*reader_line)(reader *r, const char *s, bank_batch *batch, GError **error);

struct reader {
	bank_source base;
	bank_reader_options options;
	bank_divider by_block;
	bank_format given; /* options.format becomes the one recognised */
	reader_line line;
	bool joined;   /* k successive accesses are a group */
	bool single;   /* joined because each line had one number: a line with more is an error */
	bool by_cycle; /* accesses of a cycle are a group */

	/* The text: a file, or SIZE bytes of DATA (owned). */
	gzFile file;
	char *data;
	size_t size, read;
	/* Bytes begin .. complete - 1 of the buffer are whole lines, complete .. end - 1 the beginning of one more. */
	char *buffer;
	size_t room, begin, complete, end;
	size_t text_begin; /* of the first line, behind a byte-order mark */
	bool at_end;       /* nothing follows the buffer */
	bool moved;        /* bytes have left the buffer */
	bool recognised;   /* the format is known */
	bool failed;
	uint64_t line_number; /* of the line at begin */
	const char *line_start;
	uint64_t cycle, group_cycle; /* of the last STL line, of the last access */
	uint64_t accesses;

	/* A group that was not complete when its batch was. */
	uint64_t *kept;
	uint8_t *kept_kinds;
	size_t kept_count;
};

/* Sets *error: "FILE:LINE:COLUMN: expected WHAT, found ..." for the place S; NULL. */
const char *reader_i_fail(const reader *r, const char *s, GError **error, const char *what);
/* Chooses the format from the whole lines in the buffer, if it is not given, and how groups are formed. */
bool reader_i_recognise(reader *r, GError **error);

#endif
