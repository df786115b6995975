/* SPDX-License-Identifier: Apache-2.0
 *
 * What the exporters share: files of events, texts of JSON and CSV, executions of a trace in order.
 */
#ifndef TSPSIM_TRACES_EXPORT_INT_H
#define TSPSIM_TRACES_EXPORT_INT_H

#include <stdio.h>

#include "isa/ascend/ascend.h"
#include "traces/ascend.h"
#include "traces/export.h"
#include "traces/query.h"

/* A file being written.  A failure is remembered until it is closed. */
typedef struct export_file {
	FILE *file;
	char *path, *beside; /* BESIDE takes the place of PATH when it is whole; NULL: PATH itself is written */
	uint64_t lines;
	int failure;           /* errno, 0 */
	bool (*end_now)(void); /* NULL, or asked at every event */
} export_file;
bool trace_i_export_open(export_file *f, const char *path, GError **error);
void trace_i_export_put(export_file *f, const char *text);
/* One element of the array that the file is in the middle of. */
void trace_i_export_event(export_file *f, const char *event);
bool trace_i_export_close(export_file *f, GError **error);
void trace_i_export_drop(export_file *f); /* closes it and leaves PATH as it was */
/* An error where SLICES is 0: what was asked for is not there. */
bool trace_i_export_some(const trace_reader *reader, const trace_export_options *o, uint64_t slices, GError **error);
bool trace_i_export_folder(const char *path, GError **error);
/* A folder to be filled in the place of PATH, g_free by trace_i_stage_end(), which with KEEP moves what is in it into
 * PATH and else takes it away; false: nothing came to be. */
char *trace_i_stage_begin(const char *path, GError **error);
bool trace_i_stage_end(char *stage, const char *path, bool keep, GError **error);

void trace_i_json_text(GString *out, const char *text);                   /* quoted */
void trace_i_json_pair(GString *out, const char *key, const char *value); /* "key":"value" */
void trace_i_csv_text(GString *out, const char *text);                    /* quoted where it must be */

/* Does CYCLE lie in the window? */
static inline bool trace_i_export_wants(const trace_export_options *o, int64_t cycle)
{
	return o->start == o->stop || (cycle >= o->start && cycle < o->stop);
}

/* Calls ROW for each row of SQL; its parameter 1, where it has one, is PARAMETER.  False: an error, or ROW said so. */
typedef bool (*export_row)(void *state, sqlite3_stmt *row);
bool trace_i_export_rows(trace_reader *reader, const char *sql, int64_t parameter, export_row row, void *state,
                         GError **error);

/* Has the trace the level, and is it of an Ascend-style machine? */
bool trace_i_is_ascend(const trace_reader *reader);
bool trace_i_export_level(const trace_reader *reader, const char *what, int least, GError **error);

/* One instruction executed on an Ascend-style machine.  Strings live until the next. */
typedef struct export_execution {
	int64_t subcore, pipe; /* rows */
	enum asc_pipe kind;    /* of the pipe */
	int64_t start, free, done, queued;
	int64_t ready; /* start, or when it could have gone on but for a flag, counter, barrier or unit */
	int64_t bytes, work, insn, stream, number, block;
	const char *op, *text, *node; /* node NULL: none */
	bool sync;                    /* flags, counters, barriers */
} export_execution;
typedef void (*export_execution_fn)(void *state, const export_execution *e);
/* Every execution in order of pipe, then start, of pipes of sub-core SUBCORE (-1: of all). */
bool trace_i_executions(trace_reader *reader, int64_t subcore, export_execution_fn each, void *state, GError **error);

/* A flow from a set to the wait that took it. */
typedef struct export_flow {
	int64_t from_pipe, from_insn, from_start, from_done;
	int64_t to_pipe, to_insn, to_start, to_done;
	bool cross;
} export_flow;
typedef void (*export_flow_fn)(void *state, const export_flow *flow);
/* Those whose both ends are in the trace, in order of the wait's cycle. */
bool trace_i_flows(trace_reader *reader, export_flow_fn each, void *state, GError **error);

/* Formats. */
bool trace_i_export_perfetto(trace_reader *reader, const char *path, const trace_export_options *options,
                             trace_export_counts *counts, GError **error);
bool trace_i_export_msprof(trace_reader *reader, const char *path, const trace_export_options *options,
                           trace_export_counts *counts, GError **error);

/* Perfetto: an event's beginning {"ph":PH,"pid":..,"tid":..,"ts":.. is put, the caller ends it. */
typedef struct export_perfetto {
	trace_reader *reader;
	const trace_export_options *options;
	export_file file;
	GString *event;
	trace_export_counts *counts;
	GError **error;
} export_perfetto;
GString *trace_i_perfetto_begin(export_perfetto *p, char ph, int64_t pid, int64_t tid, int64_t ts);
void trace_i_perfetto_end(export_perfetto *p); /* closes the event and writes it */
void trace_i_perfetto_name(export_perfetto *p, const char *what, int64_t pid, int64_t tid, const char *name);
bool trace_i_perfetto_ascend(export_perfetto *p);

/* msprof: the tables of the on-board profiler in folder PATH. */
bool trace_i_export_board(trace_reader *reader, const char *path, trace_export_counts *counts, GError **error);
/* "core0.veccore1", g_free. */
char *trace_i_core_name(int64_t core, int64_t sub, const char *kind);

#endif
