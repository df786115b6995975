/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's own timeline of Ascend-style programs: closed formulas, one instruction after the other.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_PREDICT_H
#define TSPSIM_SCHED_EMIT_ASCEND_PREDICT_H

#include "sched/emit/ascend/build_int.h"

/* Times of one instruction on its pipe. */
typedef struct ask_times {
	double start, free, done;
	double first; /* copies: the first byte comes in or goes out */
} ask_times;

/* L2 and the memory behind it, for all sub-cores: fluids that are served in order of asking. */
typedef struct ask_memory ask_memory;
ask_memory *ask_memory_new(const asc_machine *machine, uint64_t bytes); /* BYTES: of global memory in use */
void ask_memory_free(ask_memory *m);

/* Requests of one sub-core one way: when each of those that may be in flight comes back, and when the link is free. */
typedef struct ask_link {
	double free, *returns;
	unsigned next;
} ask_link;

/* Bursts of a copy: COUNT of BYTES, PITCH apart; PAST: what L2 does not have is not put there. */
typedef struct ask_bursts {
	uint64_t address, bytes, count, pitch;
	bool past;
} ask_bursts;
/* A copy that may send its first request at AT; RATE bytes a cycle of the slowest port, LATENCY until data are there or
 * a write is known to be done. */
ask_times ask_memory_copy(ask_memory *m, ask_link *link, bool write, const ask_bursts *bursts, double at, double rate,
                          double latency);

/* Vector instructions: cycles from the first read of a repeat to the last, and beyond the head until the result. */
double ask_vector_cycles(const asc_insn *insn, const asb_mode *mode, const asc_machine *machine);
/* MTE1: cycles of its path, bytes it reads. */
double ask_load_cycles(const asc_insn *insn, const asc_machine *machine);
double ask_load_bytes(const asc_insn *insn);
/* mmad: steps of the cube. */
double ask_product_cycles(const asc_insn *insn, const asc_machine *machine);

/* Start and end of every instruction of the program's streams, its length; what binds goes into REPORT. */
void ask_predict(asb *b, sched_report *report);

#endif
