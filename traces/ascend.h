/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing the trace of a run on an Ascend-style machine (docs/trace.md, traces/ascend.sql).
 *
 * Rows are written in the simulating thread, a transaction every TRACE_ASC_ROWS of them.  Whatever goes wrong in the
 * file later (a full disk, say) is remembered and returned by trace_asc_close(); the simulation goes on.
 */
#ifndef TSPSIM_TRACES_ASCEND_H
#define TSPSIM_TRACES_ASCEND_H

#include "isa/ascend/machine.h"
#include "traces/trace.h"

enum { TRACE_ASC_ROWS = 65536 };
/* Pipe p of sub-core s of core c is row 8 * (c * subcores + s) + p of table pipe. */
enum { TRACE_ASC_PIPE_STEP = 8 };

typedef struct trace_asc trace_asc;

/* What a trace is about.  Everything is kept, not owned, until it is closed. */
typedef struct trace_asc_subject {
	const asc_machine *machine;
	const asc_program *program;
	const char *const *stalls; /* names of causes; [0] is none */
	unsigned stall_count;
	const char *const *findings;
	unsigned finding_count;
} trace_asc_subject;

/* Who set what an instruction waited for. */
typedef struct trace_asc_setter {
	bool known;
	uint32_t core, sub, stream, insn;
	enum asc_pipe pipe;
	int64_t start, effect;
} trace_asc_setter;

/* An instruction executed, as models/ascend/chip.h reports it. */
typedef struct trace_asc_execution {
	uint32_t core, sub, stream, insn, block;
	enum asc_pipe pipe;
	int64_t queued, start, free, done;
	const int64_t *stall; /* [stall_count] cycles */
	int64_t held;         /* of them before start, by the cause that follows */
	unsigned wait;        /* the cause among them that a setter ends; 0: none */
	bool sync;            /* flags, counters and barriers: the pipe is not busy with it */
	uint64_t bytes, work;
	trace_asc_setter setter;
} trace_asc_execution;

/* COUNT runs of BYTES, PITCH apart, of a local buffer that an instruction reads or writes. */
typedef struct trace_asc_touch {
	uint32_t core, sub;
	enum asc_space space;
	bool write;
	uint64_t address, bytes;
	uint32_t count;
	int64_t pitch, start, done;
} trace_asc_touch;

typedef struct trace_asc_violation {
	int64_t cycle;
	unsigned kind;
	uint32_t core, sub, stream, insn, other_stream, other_insn; /* UINT32_MAX: none */
	enum asc_space space;                                       /* ASC_SPACES: none */
	uint64_t address, bytes;
	bool met;
} trace_asc_violation;

/* Totals of a pipe: table pipe_counter.  START and the predicted start are ASC_NO_TIME when there is nothing. */
typedef struct trace_asc_pipe {
	uint64_t instructions;
	int64_t busy, start, stop;
	uint64_t compared, differ;
	int64_t predicted_busy, compared_busy, predicted_start, predicted_stop;
	const int64_t *stall; /* [stall_count] */
} trace_asc_pipe;

trace_asc *trace_asc_open(const char *path, const trace_options *options, const trace_asc_subject *subject,
                          GError **error);
bool trace_asc_is_fine(const trace_asc *t);
/* Does the level of the trace keep buffers, so that touches are wanted? */
bool trace_asc_wants_touches(const trace_asc *t);

void trace_asc_manifest(trace_asc *t, const char *key, const char *value);
void trace_asc_executed(trace_asc *t, const trace_asc_execution *e);
void trace_asc_touched(trace_asc *t, const trace_asc_touch *touch);
void trace_asc_violated(trace_asc *t, const trace_asc_violation *v);
void trace_asc_deadlock(trace_asc *t, const char *diagnosis);
/* At the end; once each.  NAME is copied. */
void trace_asc_counter(trace_asc *t, const char *name, uint64_t value, const char *unit);
void trace_asc_subcore_counter(trace_asc *t, uint32_t core, uint32_t sub, const char *name, uint64_t value);
/* A counter of the hardware, by the number of its event; zeros too. */
void trace_asc_pmu(trace_asc *t, uint32_t core, uint32_t sub, unsigned event, uint64_t value);
void trace_asc_pipe_totals(trace_asc *t, uint32_t core, uint32_t sub, enum asc_pipe pipe, const trace_asc_pipe *totals);
/* Rows of table span or execution so far, by level; at level summary of instructions seen in the window. */
uint64_t trace_asc_seen(const trace_asc *t);

/* As trace_writer_close(). */
bool trace_asc_close(trace_asc *t, enum trace_status status, GError **error);

#endif
