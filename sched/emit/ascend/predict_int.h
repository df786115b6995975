/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the predicted units share: calendars (memory, L1); predict_vector.c (what vector instructions are)
 * and predict_banks.c (what they and copies do in the unified buffer).
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_PREDICT_INT_H
#define TSPSIM_SCHED_EMIT_ASCEND_PREDICT_INT_H

#include "sched/emit/ascend/predict.h"

typedef struct ask_calendar {
	GArray *taken;
	guint head; /* those before are over */
} ask_calendar;
void ask_calendar_init(ask_calendar *c);
void ask_calendar_clear(ask_calendar *c);
/* Nobody asks for time before NOW any more. */
void ask_calendar_forget(ask_calendar *c, double now);
/* The first CYCLES that are free from AT on; returns when the last of them is over, BEGIN (may be NULL): the first.
 */
double ask_calendar_take(ask_calendar *c, double at, double cycles, double *begin);
/* Copies and L1 count in parts of a cycle. */
enum { ASK_CYCLE_PARTS = 256 };
double ask_parts_up(double cycles);
double ask_parts_down(double cycles);

enum { ASK_READS = 3, ASK_BLOCKS = 32 /* of an operand in a repeat */ };

/* Blocks of a repeat that are accessed, a bit each, and those of the last repeat; first and last byte of all. */
typedef struct ask_operand {
	int64_t address, blk, rep; /* bytes from block to block, from repeat to repeat */
	uint32_t blocks, last;
	uint64_t low, high;
} ask_operand;

typedef struct ask_repeats {
	ask_operand read[ASK_READS], write;
	unsigned reads;
	int64_t repeats, interval; /* cycles from one to the next at least */
	int64_t aux_low, aux_high; /* read in no order; 0: nothing */
} ask_repeats;

/* The banks of one unified buffer, cycle by cycle. */
typedef struct ask_banks ask_banks;
ask_banks *ask_banks_new(const asc_machine *machine);
void ask_banks_free(ask_banks *b);
/* The vector unit's next instruction may start at START: when it does. */
double ask_banks_start(ask_banks *b, double start);
/* All its repeats from there; returns when the unit could read another, WRITTEN: when all is written. */
double ask_banks_follow(ask_banks *b, const ask_repeats *o, double *written);
/* A copy of BYTES that come in (WRITE) or go out between two times; returns when they have. */
double ask_banks_copy(ask_banks *b, bool write, uint64_t address, uint64_t bytes, double start, double until);

#endif
