/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's own timeline of Ascend-style programs: a list of events, and closed formulas for what a unit takes.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_PREDICT_H
#define TSPSIM_SCHED_EMIT_ASCEND_PREDICT_H

#include "sched/emit/ascend/build_int.h"

/* Times of one instruction on its pipe. */
typedef struct ask_times {
	double start, free, done;
	double first; /* copies: the first byte comes in or goes out */
} ask_times;

/* ---- memory ---- */

/* L2 and the memory behind it, for all sub-cores, which ask in order of time. */
typedef struct ask_memory ask_memory;
ask_memory *ask_memory_new(const asc_machine *machine);
void ask_memory_free(ask_memory *m);

/* Requests of one sub-core one way: when each of those that may be in flight comes back, and when the link is free. */
typedef struct ask_link {
	double free, *returns;
	double busy; /* cycles it was taken, over all requests */
	unsigned next;
} ask_link;

/* A copy on its way; ISSUE may be put off between bursts. */
typedef struct ask_copy {
	ask_memory *memory;
	ask_link *link;
	bool write, past; /* past: a read leaves nothing in L2 */
	double rate,
		latency;    /* bytes a cycle of the slowest port; until data are there or a write is known to be done */
	double issue;       /* of the next request */
	double first, last; /* byte over the link */
	double end;         /* last return */
} ask_copy;
ask_copy ask_copy_begin(ask_memory *m, ask_link *link, bool write, double at, double rate, double latency);
/* COUNT bursts of BYTES, PITCH apart. */
void ask_copy_bursts(ask_copy *c, uint64_t address, uint64_t count, uint64_t bytes, uint64_t pitch);

/* ---- the unified buffer and the vector unit of a sub-core ---- */

typedef struct ask_vector ask_vector;
ask_vector *ask_vector_new(const asc_machine *machine);
void ask_vector_free(ask_vector *v);
/* A vector instruction that its pipe may begin at START. */
ask_times ask_vector_times(ask_vector *v, const asc_insn *insn, const asb_mode *mode, double start);
/* A copy of BYTES into the buffer (WRITE) or out of it, which come between two times; returns when they have. */
double ask_vector_copy(ask_vector *v, bool write, uint64_t address, uint64_t bytes, double start, double until);

/* Roughly, for those who choose between orders and places: cycles from the first read of a repeat to the last. */
double ask_vector_cycles(const asc_insn *insn, const asb_mode *mode, const asc_machine *machine);

/* ---- other units ---- */

/* MTE1: cycles of its path, bytes it reads. */
double ask_load_cycles(const asc_insn *insn, const asc_machine *machine);
double ask_load_bytes(const asc_insn *insn);
/* mmad: steps of the cube for a block of 16 x 16, cycles of all. */
double ask_block_cycles(const asc_insn *insn, const asc_machine *machine);
double ask_product_cycles(const asc_insn *insn, const asc_machine *machine);
/* Accumulators to the unified buffer, nothing in the way: rows at the path's rate, a beat of the buffer at least. */
double ask_out_cycles(const asc_insn *insn, const asc_machine *machine);

/* Units of L0C that cube and way out hand over; what both do with L1.  Of one sub-core. */
typedef struct ask_core ask_core;
ask_core *ask_core_new(const asc_machine *machine, ask_memory *memory);
void ask_core_free(ask_core *c);
/* May the units of L0C that INSN needs be had, and from when on?  INFINITY: another instruction has to begin first. */
double ask_core_ready(const ask_core *c, const asc_insn *insn);
/* INSN begins at START on PIPE; vector instructions under MODE. */
ask_times ask_core_times(ask_core *c, const asc_insn *insn, enum asc_pipe pipe, const asb_mode *mode, double start);

/* Cycles for which the link of reads (WRITE: of writes) was taken so far. */
double ask_core_link_busy(const ask_core *c, bool write);

/* interval.c: the steady state of each loop of a program whose streams have times, and what bounds it. */
void ask_intervals(asb *b, sched_report *report);

/* Start and end of every instruction of the program's streams, its length; what binds goes into REPORT. */
void ask_predict(asb *b, sched_report *report);

#endif
