/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of run and sched that say how the scheduler searches, and what is said about it.
 */
#ifndef TSPSIM_TOOLS_METHOD_H
#define TSPSIM_TOOLS_METHOD_H

#include "sched/search.h"
#include "tools/json.h"
#include "tools/requests.h"

/* Rows of a command's option table; WORDS is a static method_words. */
typedef struct method_words {
	char *method;
	gint64 schedules;
	gdouble time_s;
	gint jobs;
	gboolean uniform, no_patterns;
} method_words;
#define METHOD_OPTIONS(words)                                                                                          \
	{"method",                                                                                                     \
	 0,                                                                                                            \
	 0,                                                                                                            \
	 G_OPTION_ARG_STRING,                                                                                          \
	 &(words).method,                                                                                              \
	 "how to search for a schedule: list (default), anneal or exact; neither is ever longer than list",            \
	 "METHOD"},                                                                                                    \
		{"schedules",                                                                                          \
	         0,                                                                                                    \
	         0,                                                                                                    \
	         G_OPTION_ARG_INT64,                                                                                   \
	         &(words).schedules,                                                                                   \
	         "build at most N schedules of each graph; a program emitted counts 50 (default: 5000)",               \
	         "N"},                                                                                                 \
		{"sched-time",                                                                                         \
	         0,                                                                                                    \
	         0,                                                                                                    \
	         G_OPTION_ARG_DOUBLE,                                                                                  \
	         &(words).time_s,                                                                                      \
	         "end the search after so many seconds at the latest; the result then depends on the host",            \
	         "S"}, /* As the engines' commands call it. */                                                         \
		{"time", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_DOUBLE, &(words).time_s, "--sched-time", "S"},          \
		{"jobs",                                                                                               \
	         'j',                                                                                                  \
	         0,                                                                                                    \
	         G_OPTION_ARG_INT,                                                                                     \
	         &(words).jobs,                                                                                        \
	         "threads of the search (default: as many as processors); results do not depend on it",                \
	         "N"},                                                                                                 \
		{"uniform",                                                                                            \
	         0,                                                                                                    \
	         0,                                                                                                    \
	         G_OPTION_ARG_NONE,                                                                                    \
	         &(words).uniform,                                                                                     \
	         "anneal, exact: draw operators of the search evenly, not by their past gain",                         \
	         NULL},                                                                                                \
	{                                                                                                              \
		"no-patterns", 0, 0, G_OPTION_ARG_NONE, &(words).no_patterns,                                          \
			"do not look for patterns that the library has schedules for", NULL                            \
	}

/* WORDS as typed into REQUEST; an error where a value cannot be. */
bool method_read(const method_words *words, method_request *request, GError **error);
/* Of what options need (tools/options.h): is there a search? */
uint64_t method_holds(const method_request *request);
/* REQUEST into what the scheduler takes.  The clock of --sched-time starts here; signals are noted until
 * method_end(). */
void method_begin(const method_request *request, sched_options *options);
void method_end(void);
/* Was the search ended by a signal? */
bool method_interrupted(void);

/* Lines of a report: one of what the method found, and with FULL bounds, gap, moves and decisions. */
void method_text(GString *out, const sched_search *search, bool full);
void method_json(json *j, const sched_search *search);
/* Keys of a manifest. */
void method_manifest(const char *method, const sched_search *search,
                     void (*write)(void *state, const char *key, const char *value), void *state);

/* What a Gantt plot shows: operations on units, cycles. */
typedef struct method_span {
	const char *operation, *unit;
	int64_t from, to;
} method_span;
/* Draws SPANS (method_span) into OUTPUT (.png, .svg, .pdf, or .tsv). */
bool method_gantt(const char *heading, GArray *spans, const char *output, GError **error);
/* Widens the span of OPERATION on UNIT in SPANS, or adds one. */
void method_widen(GArray *spans, const char *operation, const char *unit, int64_t from, int64_t to);

#endif
