/* SPDX-License-Identifier: Apache-2.0
 *
 * A sweep: one command of tspsim, run once for every point of a grid (docs/sweep.md).
 *
 * sweep_parse() reads the YAML text; sweep_resolve() finds out what its keys mean and which points there are, and needs
 * nothing but the tables of options and machine keys; sweep_check() tries values on the machines, which reads files.
 * Points are numbered from 0; the first axis changes slowest.
 */
#ifndef TSPSIM_TOOLS_SWEEP_H
#define TSPSIM_TOOLS_SWEEP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/tool.h"

enum { SWEEP_MAX_POINTS = 1000000, SWEEP_MAX_VALUES = 4000000, SWEEP_MAX_AXES = 32, SWEEP_MAX_RULES = 100 };

/* A word of the file and where it stands, counted from 1. */
typedef struct sweep_text {
	char *text;
	unsigned line, column;
} sweep_text;

/* What a key is to the command. */
enum sweep_role {
	SWEEP_OPTION,   /* --key=value */
	SWEEP_NUMBER,   /* the same, an integer */
	SWEEP_FLAG,     /* --key when the value is true */
	SWEEP_SET,      /* --set key=value */
	SWEEP_ARGUMENT, /* a word besides the options */
};

typedef struct sweep_entry {
	sweep_text key;
	GArray *values; /* sweep_text */
	enum sweep_role role;
	bool repeats;      /* may an option be given several times? */
	bool conditional;  /* can it be an option without effect at a point? */
	GHashTable *index; /* axes: value -> its number + 1; NULL before sweep_resolve() */
} sweep_entry;

typedef struct sweep {
	char *file, *text, *name;
	GArray *command;     /* sweep_text: name of the command and words that follow it */
	GArray *base;        /* sweep_entry: the same in all points */
	GArray *axes;        /* sweep_entry */
	GArray *outputs;     /* sweep_text */
	GPtrArray *zips;     /* GArray of sweep_text: axes that move together */
	GPtrArray *excludes; /* GArray of sweep_entry: points for which all of these hold are left out */
	/* sweep_resolve() */
	const tool_command *tool;
	bool *optional;      /* [outputs] */
	unsigned *dimension; /* [axes]: axes of one dimension move together */
	uint64_t *length;    /* [dimensions] */
	unsigned dimensions;
	GArray *points; /* uint32_t: number in the whole grid */
	/* sweep_check() */
	GPtrArray *machines; /* name, text, ..., NULL */
	char *points_digest, *inputs_digest;
} sweep;

sweep *sweep_parse(const char *text, size_t length, const char *file, GError **error);
bool sweep_resolve(sweep *s, GError **error);
bool sweep_check(sweep *s, GError **error);
/* All three; FILE is read. */
sweep *sweep_load(const char *file, GError **error);
void sweep_free(sweep *s);

/* "FILE:LINE:COLUMN: ..." at WHERE; returns false. */
bool sweep_fail(const sweep *s, const sweep_text *where, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Finds what KEY is to the command, or sets the error with the nearest name. */
bool sweep_find_role(const sweep *s, sweep_entry *entry, GError **error);

uint32_t sweep_point_count(const sweep *s);
const char *sweep_setting(const sweep *s, uint32_t point, unsigned axis);
/* The command line of POINT, its first word "tspsim"; g_strfreev. */
char **sweep_words(const sweep *s, uint32_t point);
char *sweep_command_text(const sweep *s, uint32_t point); /* g_free */

#endif
