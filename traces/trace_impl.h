/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside traces/: the parts of a writer, a reader's handle, and small helpers around SQLite.
 */
#ifndef TSPSIM_TRACES_TRACE_IMPL_H
#define TSPSIM_TRACES_TRACE_IMPL_H

#include "isa/error.h"
#include "traces/read.h"
#include "traces/spans.h"
#include "traces/trace.h"

#include <sqlite3.h>

extern const char trace_schema_sql[]; /* traces/schema.sql */
extern const char trace_close_sql[];  /* traces/close.sql */
extern const char trace_sweep_sql[];  /* traces/sweep.sql */
extern const char trace_ascend_sql[]; /* traces/ascend.sql */
extern const char trace_ascend_close_sql[];

/* An access by index; its offsets are the next COUNT of the batch. */
typedef struct trace_offsets {
	uint32_t insn, index, count;
} trace_offsets;

/* One of the two buffers. */
typedef struct trace_batch {
	probe_issue *issue; /* [TRACE_BATCH_ISSUES], level full only */
	size_t issues;
	GArray *spans;      /* trace_span, level units only: at full the writing thread makes them */
	GArray *violations; /* probe_violation */
	GArray *slips;      /* probe_slip */
	GArray *conflicts;  /* probe_conflict */
	GArray *windows;    /* trace_bank_window */
	GArray *offsets;    /* trace_offsets */
	GArray *offset;     /* int32_t, little-endian: those of all rows of offsets, one after another */
} trace_batch;

/* 4 MB of issues; a transaction of about 2 MB. */
enum { TRACE_BATCH_ISSUES = 65536, TRACE_BATCH_ROWS = 16384, TRACE_BATCH_OFFSETS = 1 << 20 };

typedef struct trace_bank_window {
	int64_t start, stop;
	uint64_t requests, wait;
	uint32_t bank;
} trace_bank_window;

/* What virtual table batch shows (traces/issue_table.c). */
typedef struct trace_issue_source {
	const probe_issue *records;
	size_t count;
	int64_t start, stop; /* records in cycles outside are skipped */
} trace_issue_source;

/* Rows that reached the file in committed transactions. */
typedef struct trace_kept {
	uint64_t issues, spans, violations, slips;
} trace_kept;

enum trace_insert {
	TRACE_INSERT_ISSUE,
	TRACE_INSERT_SPAN,
	TRACE_INSERT_VIOLATION,
	TRACE_INSERT_SLIP,
	TRACE_INSERT_CONFLICT,
	TRACE_INSERT_BANK_WINDOW,
	TRACE_INSERT_OFFSETS,
	TRACE_INSERT_COUNT
};

struct trace_writer {
	char *path;
	trace_options options;
	const trace_names *names;
	uint32_t name_violation; /* name.id of violation kind 0 */
	uint32_t name_op;        /* name.id of op 0 */

	GMutex db_lock; /* held by whoever uses db */
	sqlite3 *db;
	sqlite3_stmt *insert[TRACE_INSERT_COUNT];
	trace_issue_source source;
	trace_kept kept;

	trace_spans *spans; /* used by the simulating thread at level units, by the writing thread at full */
	trace_batch batch[2];
	trace_batch *filling; /* of the simulating thread */
	trace_batch *handed;  /* of the writing thread, NULL when it waits for work; under lock */
	bool quit;            /* under lock */
	GMutex lock;
	GCond changed;
	GThread *thread;

	gint failed;     /* atomic */
	GError *failure; /* the first; under lock */

	GHashTable *named;      /* instruction ids that violations and slips name, below level full */
	GPtrArray *counters;    /* trace_counter_row, in the order given */
	uint64_t *queue_issues; /* [names->queue_count] */
	uint64_t *bank_requests, *bank_wait, *bank_slip; /* [banks]: as at the last call of trace_writer_banks() */
	size_t banks;
	int64_t banks_cycle;
	GArray *slip_by_bank; /* uint64_t, cycles */
};

typedef struct trace_counter_row {
	char *name, *unit;
	uint64_t value;
} trace_counter_row;

struct trace_reader {
	char *path;
	bool is_sweep; /* the results of a sweep: only trace_diff() knows these */
	sqlite3 *db;
	GHashTable *manifest; /* char * -> char *, owned */
};

/* Runs SQL that returns no rows; the error carries PATH. */
bool trace_i_exec(sqlite3 *db, const char *path, const char *sql, GError **error);
/* Sets ERROR (TSP_ERROR_IO) from the handle's last error. */
void trace_i_sqlite_error(sqlite3 *db, const char *path, GError **error);
/* Takes the database PATH away, and what SQLite left beside it. */
void trace_i_remove(const char *path);
/* A new database at PATH with SCHEMA in it; what is there is replaced if it is empty or a trace, else refused. */
sqlite3 *trace_i_create(const char *path, const char *schema, GError **error);
extern const char *const trace_i_status_names[]; /* by enum trace_status */

/* Interns texts in order of first use; the texts stay the caller's and must live as long as it. */
typedef struct trace_interner {
	GHashTable *ids; /* text -> id + 1 */
	sqlite3_stmt *insert;
	uint32_t used;
} trace_interner;
/* The id of TEXT; a new one gets its row.  Errors show when the transaction is committed. */
uint32_t trace_i_intern(trace_interner *in, const char *text);
/* Rows of their own in order for COUNT texts; the id of the first. */
uint32_t trace_i_intern_list(trace_interner *in, const char *const *texts, uint32_t count);
/* Prepares one statement. */
sqlite3_stmt *trace_i_prepare(sqlite3 *db, const char *path, const char *sql, GError **error);

/* Does the file at PATH begin like an SQLite database, and which application_id has it?  False when it does not, or
 * cannot be read. */
bool trace_i_file_header(const char *path, uint32_t *application_id, bool *empty);

/* Makes table "batch" of DB show SOURCE's present content. */
bool trace_i_issue_table(sqlite3 *db, const char *path, trace_issue_source *source, GError **error);

/* The writing thread (traces/batch.c). */
bool trace_i_batches_start(trace_writer *writer, GError **error);
void trace_i_batches_listen(trace_writer *writer, probe_listener *listener);
void trace_i_batches_add_window(trace_writer *writer, const trace_bank_window *window);
/* Writes what is left and ends the thread. */
void trace_i_batches_stop(trace_writer *writer);
/* Remembers the first failure, and drops what comes after it. */
void trace_i_fail(trace_writer *writer, GError *error);

#endif
