/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over vectors on the stream-style machine: one iteration a cycle through a chain of ALUs.
 *
 * A loop holds loads, operations, lane exchanges and stores; what is stored is always an operation's or an exchange's
 * result, and results of exchanges are only stored.
 *
 * Each operation has an ALU of its own.  An ALU's latch holds a result for one cycle only, so operands that are ready
 * too early are handed on by copies, a fixed number of cycles each; operands from memory come exactly when they are
 * wanted.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_LOOP_H
#define TSPSIM_SCHED_EMIT_ISCA20_LOOP_H

#include "sched/emit/isca20_memory.h"

enum { ISCA_STEPS_MAX = 96 };

/* As low_vloop; references name isca_tensors (isca_plan.tensors), and imm of a load or store is the first byte of the
 * element that it moves. */
typedef struct isca_loop {
	uint64_t n0, n1, lanes;
	GArray *steps; /* low_step */
} isca_loop;

static inline const low_step *isca_step(const isca_loop *loop, unsigned i)
{
	return &g_array_index(loop->steps, low_step, i);
}

/* When each step of a loop takes place. */
typedef struct isca_chain {
	int64_t start[ISCA_STEPS_MAX];   /* operation: cycle in which its ALU starts.  Load: that of its earliest reader
	                                  */
	uint32_t copies[ISCA_STEPS_MAX]; /* ALUs that hand on the step's value */
	unsigned alus;
} isca_chain;

/* Times a loop's operations; false when some operand cannot be held back exactly as long as needed. */
bool isca_time_chain(const isca *c, const isca_loop *loop, isca_chain *chain);
int64_t isca_op_cycles(const isca *c, enum isa_op op);

/* How much a loop may do at once. */
typedef struct isca_limits {
	unsigned load_bytes; /* per lane and iteration */
	bool single;         /* a tensor of several vectors is used once only */
	bool apart;          /* transpositions work on copies that nothing else uses */
} isca_limits;

/* Cuts a loop into loops that fit the machine and LIMITS; values between them go through tensors appended to TENSORS
 * (isca_tensor). Array of isca_loop *, free with isca_loop_free. */
GPtrArray *isca_split_loop(const isca *c, const low_vloop *loop, const char *name, const isca_limits *limits,
                           GArray *tensors);
isca_loop *isca_loop_new(uint64_t n0, uint64_t n1, uint64_t lanes);
void isca_loop_free(isca_loop *loop);

/* isca20_interval.c: iterations of LOOP that can begin in a cycle, and what binds (static). */
unsigned isca_most_iterations(const isca *c, const isca_loop *loop, const char **why);
/* Copies that an iteration needs at least, wherever its operations are put; 0 where there are too many ways to try. */
unsigned isca_least_copies(const isca *c, const isca_loop *loop);
/* COUNT iterations, or as many side by side, begin from cycle FIRST on, one a cycle. */
typedef struct isca_begin {
	int64_t first;
	uint32_t count;
} isca_begin;
void isca_note_begins(GArray *begins, int64_t first, uint32_t count);
/* The loop's line of the report. */
void isca_note_interval(isca *c, const isca_loop *loop, GArray *begins);

/* isca20_vloop.c: schedules a loop. */
bool isca_emit_loop(isca *c, const isca_loop *loop, const GArray *tensors);

#endif
