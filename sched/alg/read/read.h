/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling problems from files in public formats (sched/alg/read/formats.def, one row each).  Tasks are numbered in
 * the order of the file, dummy sources and sinks included, from 0.
 */
#ifndef TSPSIM_SCHED_ALG_READ_READ_H
#define TSPSIM_SCHED_ALG_READ_READ_H

#include "isa/error.h"
#include "sched/alg/problem.h"

typedef struct alg_read_options {
	const char *format;  /* a name of alg_read_formats, or NULL: recognised by name, then by content */
	uint32_t processors; /* identical processors for formats that name none (stg); 0 is 1 */
} alg_read_options;

typedef struct alg_read_format {
	const char *name;
	const char *suffix; /* of files, with the dot, lower case */
	const char *doc;
} alg_read_format;

/* Ends with a row without a name. */
extern const alg_read_format alg_read_formats[];

/* Reads PATH; *FORMAT (may be NULL) becomes the name of the format taken.  Errors: USER with file:line:column, IO. */
alg_problem *alg_read_file(const char *path, const alg_read_options *options, const char **format, GError **error);
/* The same from TEXT; NAME stands in errors and its suffix counts. */
alg_problem *alg_read_text(const char *text, const char *name, const alg_read_options *options, const char **format,
                           GError **error);

#endif
