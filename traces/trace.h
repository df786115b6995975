/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a trace database (docs/trace.md, traces/schema.sql).
 *
 * A writer listens to a probe.  Records go into one of two buffers; a thread writes the other, one transaction a
 * buffer, so the simulation waits only when a whole buffer is filled before the last one is written.  Whatever goes
 * wrong in the file later (a full disk, say) is remembered and returned by trace_writer_close(); the simulation goes
 * on.
 *
 * Every function but the listener's is called from the thread that opened the writer; the listener's from whichever one
 * thread simulates.
 */
#ifndef TSPSIM_TRACES_TRACE_H
#define TSPSIM_TRACES_TRACE_H

#include "isa/program.h"
#include "traces/probe.h"

enum { TRACE_APPLICATION_ID = 0x54535054, /* "TSPT" */ TRACE_FORMAT = 1 };

enum trace_level {
	TRACE_SUMMARY, /* manifest, names, counters, violations, banks */
	TRACE_UNITS,   /* and slips, spans of each queue, banks over time */
	TRACE_FULL,    /* and every instruction and issue */
	TRACE_LEVEL_COUNT
};
extern const char *const trace_level_names[]; /* "summary" "units" "full", NULL-terminated */
int trace_level_from_name(const char *name);  /* -1 when unknown */

/* What ids in probe records stand for.  All arrays are indexed by id; strings are UTF-8. */
typedef struct trace_queue {
	const char *name;
	const char *unit;
	unsigned side; /* hemisphere: 0 west, 1 east */
} trace_queue;
typedef struct trace_epoch {
	const char *name;
	int64_t start, stop; /* predicted cycles, stop not before start */
	uint64_t macs;
	uint64_t vxm_ops;
	double mxm_ceiling; /* below 0 when there is no MXM work */
} trace_epoch;
typedef struct trace_node {
	const char *name;
	uint32_t epoch;
} trace_node;
typedef struct trace_tensor {
	const char *name;
	uint32_t epoch;
	uint64_t base, bytes;
} trace_tensor;
typedef struct trace_insn {
	int64_t cycle;                  /* first issue as planned; orders the instructions of a queue */
	uint32_t count[2], interval[2]; /* loops, inner first; count 1 = no loop */
	uint32_t node;
	uint16_t queue;
	uint16_t op;
	int32_t result;  /* predicted, cycles after the issue; TRACE_NO_PREDICTION */
	int32_t beats;   /* predicted; TRACE_NO_PREDICTION */
	uint32_t tensor; /* at or above tensor_count: none */
	/* Hashed memory: issue i takes SEGMENTS segments of SEGMENT_BYTES from addr + steps on. */
	uint32_t segments; /* 0: no access */
	uint32_t segment_bytes;
	int64_t addr;
	int32_t step[2], pitch; /* bytes */
	bool indexed;           /* segments lie at offsets of each issue, instead of by pitch */
	bool write;
} trace_insn;
#define TRACE_NO_PREDICTION INT32_MIN

typedef struct trace_names {
	const trace_queue *queue;
	const char *const *op;
	const char *const *violation; /* by enum isa_violation */
	const trace_epoch *epoch;
	const trace_node *node;
	const trace_insn *insn;
	const trace_tensor *tensor;
	uint32_t queue_count, op_count, violation_count, epoch_count, node_count, insn_count, tensor_count;
} trace_names;

/* Names of PROGRAM as it runs on MACHINE; strings stay theirs.  trace_names_free() when the writer is closed. */
trace_names *trace_names_new(const isa_machine *machine, const isa_program *program);
void trace_names_free(trace_names *names);

typedef struct trace_options {
	enum trace_level level;
	int64_t window_start, window_stop; /* issues in cycles start <= c < stop are kept; start = stop = 0: all */
} trace_options;

typedef struct trace_writer trace_writer;

/* Creates PATH.  What is there is replaced if it is empty or a trace (TRACE_APPLICATION_ID), else refused.  NAMES is
 * kept until the writer is closed. */
trace_writer *trace_writer_open(const char *path, const trace_options *options, const trace_names *names,
                                GError **error);

/* For probe_add_listener().  Level summary does not ask for issues. */
probe_listener trace_writer_listener(trace_writer *writer);

/* Has nothing gone wrong so far?  False: further records are dropped, close says why. */
bool trace_writer_is_fine(const trace_writer *writer);

/* One row of table run.  Keys that queries and plots read are listed in docs/trace.md. */
void trace_writer_manifest(trace_writer *writer, const char *key, const char *value);
/* One row of table counter; once a name. */
void trace_writer_counter(trace_writer *writer, const char *name, uint64_t value, const char *unit);
/* Issues of a queue over the whole run, the same at every level. */
void trace_writer_queue_issues(trace_writer *writer, unsigned queue, uint64_t issues);
/* The banks' counters as they stand before CYCLE: requests and wait cycles since the beginning, [BANKS] each.  Calls in
 * the order of cycles, as often as a heat map is to have columns; the last one, at the end of the run, gives the
 * totals. */
void trace_writer_banks(trace_writer *writer, int64_t cycle, const uint64_t *requests, const uint64_t *wait,
                        size_t banks);

enum trace_status {
	TRACE_COMPLETE,
	TRACE_INTERRUPTED, /* by a signal */
	TRACE_INCOMPLETE   /* ended early: stopped at a violation, a limit struck, an error */
};

/* Writes what remains, the closing indexes and STATUS, and frees the writer.  False when anything did not reach the
 * file: an error (TSP_ERROR_IO) that says what was kept; the file then says that it is incomplete. */
bool trace_writer_close(trace_writer *writer, enum trace_status status, GError **error);

#endif
