/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that the reports of all kinds of machine have: colours, settings that split the two sides, the scheduler's
 * notes, assumed machine keys, what to type next.
 */
#ifndef TSPSIM_TOOLS_REPORT_LINES_H
#define TSPSIM_TOOLS_REPORT_LINES_H

#include "isa/machine.h"

struct json;

const char *report_red(bool colour);   /* escape sequences, or "" */
const char *report_plain(bool colour); /* back to the colour of other text */

/* A machine of either kind, for what its table of keys can tell. */
typedef struct report_machine {
	const isa_key_info *keys;
	size_t count;
	const void *machine;
	const isa_key_origin *origin;                /* [count] */
	char *(*text)(const void *machine, int key); /* g_free */
} report_machine;

/* A line for each key in which the scheduler's machine differs from the simulated one. */
void report_say_split(GString *out, const report_machine *sched, const report_machine *hw);
/* BINDS may be NULL, NOTES too; numbers in both get commas. */
void report_say_notes(GString *out, const char *binds, const GString *notes);
/* PATH of the trace, NULL: there is none. */
void report_say_next(GString *out, const char *path, const char *level, uint64_t bytes, bool interrupted);

/* How much a result rests on the machine key KEY: not at all when negative. */
typedef double (*report_weight)(const void *state, const char *key);
/* Keys of class assumed that count, as "key = value", the weightiest first and in the table's order where they weigh
 * the same; g_strfreev. */
char **report_assumed_keys(const report_machine *m, report_weight weight, const void *state);
/* The first few of KEYS, how many there are, and how to see all of those of machine NAME. */
void report_say_assumed(GString *out, char *const *keys, const char *name);
void report_json_strings(struct json *j, const char *key, char *const *strings); /* as an array */
/* Array "intervals" of the loops in sched_report.intervals, which may be NULL. */
void report_json_intervals(struct json *j, const GArray *intervals);

#endif
