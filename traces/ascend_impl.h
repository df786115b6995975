/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside traces/: the parts of a writer of Ascend-style traces.
 */
#ifndef TSPSIM_TRACES_ASCEND_IMPL_H
#define TSPSIM_TRACES_ASCEND_IMPL_H

#include "traces/alive.h"
#include "traces/ascend.h"
#include "traces/trace_impl.h"

enum trace_asc_insert {
	TRACE_ASC_EXECUTION,
	TRACE_ASC_STALL,
	TRACE_ASC_SPAN,
	TRACE_ASC_WAIT,
	TRACE_ASC_VIOLATION,
	TRACE_ASC_DEADLOCK,
	TRACE_ASC_COUNTER,
	TRACE_ASC_SUBCORE_COUNTER,
	TRACE_ASC_PMU,
	TRACE_ASC_PIPE_COUNTER,
	TRACE_ASC_PIPE_STALL,
	TRACE_ASC_INSN,
	TRACE_ASC_BUFFER,
	TRACE_ASC_LEVEL,
	TRACE_ASC_INSERTS
};

/* The span that a pipe is in. */
typedef struct trace_asc_span {
	bool open;
	uint32_t node;
	int64_t start, stop;
	uint64_t executions, bytes, work;
	int64_t stall;
} trace_asc_span;

struct trace_asc {
	char *path;
	trace_options options;
	trace_asc_subject subject;
	uint32_t cores, subcores; /* subcores: of the chip */
	sqlite3 *db;
	sqlite3_stmt *insert[TRACE_ASC_INSERTS];
	GError *failure; /* the first */

	trace_interner names;
	GHashTable *texts; /* interned names that nobody else keeps */
	uint32_t name_op, name_stall, name_finding, name_space, name_pipe, name_kind;
	uint32_t *first; /* [streams] id of the first instruction of each */
	uint8_t *named;  /* below level full: [instructions] does a wait or violation name it? */
	uint32_t insns;

	trace_asc_span *span; /* [TRACE_ASC_PIPE_STEP * subcores] */
	alive **alive;        /* [ASC_SPACES * subcores], NULL until used */
	uint64_t seen, executions, deadlock_lines;
	uint32_t rows; /* of the open transaction */
};

/* Static tables: names, sub-cores, pipes, nodes, tensors, streams and, at level full, instructions. */
bool trace_i_asc_write_names(trace_asc *t, GError **error);
/* Runs a bound insert; a failure is remembered. */
void trace_i_asc_step(trace_asc *t, enum trace_asc_insert which);
void trace_i_asc_fail(trace_asc *t, GError *error);
void trace_i_asc_bind_insn(trace_asc *t, uint32_t stream, uint32_t number);
enum asc_kind trace_i_asc_kind(const trace_asc *t, uint32_t sub);
/* At the end: buffers and how full they were. */
void trace_i_asc_write_buffers(trace_asc *t);

#endif
