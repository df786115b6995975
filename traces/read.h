/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a trace database: what it is, the ready questions (traces/queries), comparison, pictures.
 */
#ifndef TSPSIM_TRACES_READ_H
#define TSPSIM_TRACES_READ_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct trace_reader trace_reader;

/* Refuses what is no trace, and traces of a later format.  A trace left by a killed run is brought into order first. */
trace_reader *trace_reader_open(const char *path, GError **error);
/* The same for traces and for the results of sweeps (traces/sweep.h), which can be compared. */
trace_reader *trace_reader_open_results(const char *path, GError **error);
bool trace_reader_is_sweep(const trace_reader *reader);
void trace_reader_free(trace_reader *reader);

const char *trace_reader_path(const trace_reader *reader);
/* The value of KEY in table run, NULL when there is none; belongs to the reader. */
const char *trace_reader_manifest(const trace_reader *reader, const char *key);
/* "complete", "interrupted", "incomplete" (also for "running": the run was killed, or is not over). */
const char *trace_reader_status(const trace_reader *reader);
/* The kind of machine: "tsp", "ascend". */
const char *trace_reader_kind(const trace_reader *reader);
/* A counter; FALLBACK when there is none. */
int64_t trace_reader_counter(const trace_reader *reader, const char *name, int64_t fallback);

/* Compares the sorted content of every table but run and, of sweeps, wall.  Stores whether all is equal in *EQUAL, and
 * returns a description of the differences, the first EXAMPLES rows of each side and table, or says how much is
 * identical (g_free); NULL on error. */
char *trace_diff(trace_reader *a, trace_reader *b, unsigned examples, bool *equal, GError **error);

/* A question: a file traces/queries/<name>.sql or, of machines that are no TSPs, traces/queries/<kind>/<name>.sql. */
typedef struct trace_query {
	const char *name;
	const char *level; /* the least that has an answer: "summary", "units", "full" */
	const char *kind;  /* of machine: "tsp", "ascend" */
} trace_query;
extern const trace_query trace_queries[]; /* in the order of a report; ended by a NULL name */
/* What it asks, g_free; NULL when its file cannot be read. */
char *trace_query_question(const trace_query *query, GError **error);

enum trace_form { TRACE_TEXT, TRACE_JSON };
/* The answers to the questions NAMES (NULL: all that the trace's level has) as text or one JSON object; g_free. */
char *trace_stat(trace_reader *reader, const char *const *names, enum trace_form form, GError **error);

/* A picture: traces/plots/<name>.sql or, of machines that are no TSPs, traces/plots/<kind>/<name>.sql gives the data,
 * traces/plots/<drawing>.gp draws. */
typedef struct trace_plot_kind {
	const char *name;
	const char *level;
	const char *kind; /* of machine */
	const char *drawing;
	const char *doc;
} trace_plot_kind;
extern const trace_plot_kind trace_plot_kinds[]; /* ended by a NULL name */

/* Draws KIND into OUTPUT (.png, .svg or .pdf) with gnuplot; .tsv: writes its numbers. */
bool trace_plot(trace_reader *reader, const char *kind, const char *output, GError **error);

/* The path of a file that comes with the program, RELATIVE to the source tree ("traces/queries/banks.sql"): under
 * $TSPSIM_DATADIR, else where it was installed, else in the source tree.  g_free. */
char *trace_data_file(const char *relative, GError **error);

#endif
