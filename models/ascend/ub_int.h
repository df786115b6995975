/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the unified buffer share: ub.c (geometry, cycles, copies) and ub_vector.c (whole instructions).
 */
#ifndef TSPSIM_MODELS_ASCEND_UB_INT_H
#define TSPSIM_MODELS_ASCEND_UB_INT_H

#include <stddef.h>
#include <string.h>

#include "models/ascend/ub.h"

enum { CALENDAR = 1 << 14, RUNS = 16, BEATS = ASC_UB_READS * ASC_UB_BLOCKS, PIPE_MAX = 64 };
enum { PHASES = 16, ECHOES = 64, LOG = 1 << 12, IMAGE = PIPE_MAX * (ASC_UB_BLOCKS + 1) + 1, KNOWN = 64 };

typedef struct cell {
	int64_t cycle;
	uint64_t vector[2], copy[2]; /* banks read, written */
	int64_t due[2];              /* of the copy's beat */
} cell;

typedef struct slot {
	uint8_t beats, next;
	uint64_t beat[ASC_UB_BLOCKS];
} slot;

typedef struct pipe {
	slot at[PIPE_MAX]; /* at[end] is written next, at[end + 1] a step later */
	unsigned end, used;
} pipe;

/* The beats of one repeat. */
typedef struct beats {
	unsigned reads, writes;
	uint64_t read[BEATS], write[ASC_UB_BLOCKS];
} beats;

typedef struct front {
	const beats *of;
	unsigned next, repeat;
	int64_t eligible; /* the execution unit takes this repeat's first operands */
	int64_t began;
	bool waiting; /* a repeat is there */
} front;

/* In cycles from FROM to UNTIL the vector unit does what it did in PERIOD cycles of the log, over and over. */
typedef struct echo {
	int64_t from, until, period;
	uint64_t at; /* in the log */
} echo;

/* How the unit stood before a repeat, and what had happened by then. */
typedef struct image {
	unsigned words, repeat;
	int64_t now, stall[ASC_STALLS];
	uint64_t at; /* in the log */
	uint64_t word[IMAGE];
} image;

/* Operands whose conflicts have been looked for before. */
typedef struct known {
	asc_ub_operand operand[ASC_UB_READS + 1];
	unsigned reads, repeats;
	int64_t interval;
	bool is_free;
} known;

struct asc_ub {
	int row_shift, group_shift, stretch_shift; /* log2, -1 for what is no power of two */
	unsigned in_group;                         /* banks of a group */
	unsigned groups, banks, row_bytes, delay, ports[2], group_ports, bank_ports;
	int64_t interleave, age, copy_bytes[2];
	cell *calendar, forgotten;
	int64_t copies_until; /* no copy has a beat at or after this */
	pipe pipe;
	int64_t now;             /* cycle the pipe stands at */
	asc_ub_vector run[RUNS]; /* conflict-free instructions, whose cycles follow from their start */
	unsigned runs;           /* ever */
	bool lazy;               /* the pipe's content is the end of the last run */
	int64_t debt;            /* cycles copies have taken from the vector unit */
	beats phase[PHASES], single;
	bool made[PHASES]; /* phase */
	echo echo[ECHOES];
	unsigned echoes;              /* ever */
	uint64_t log[LOG][2], logged; /* banks read, written, a cycle */
	image then, here;
	known known[KNOWN];
};

/* Splits blocks into beats.  Blocks are the same when their keys are. */
typedef struct asc_ub_splitter {
	const asc_ub *ub;
	uint64_t *beat;
	unsigned beats, limit;
	bool write;
	uint64_t key[64][BEATS];
	uint8_t used[64];
} asc_ub_splitter;

void asc_ub_split_begin(asc_ub_splitter *s, const asc_ub *ub, uint64_t *beat, unsigned limit, bool write);
/* Blocks of a repeat; of TAG, when blocks of different operands are not to be taken for one. */
void asc_ub_split(asc_ub_splitter *s, const asc_ub_operand *o, unsigned repeat, bool last, uint64_t tag);
/* Banks that blocks ACTIVE of a repeat lie in. */
uint64_t asc_ub_banks(const asc_ub *ub, const asc_ub_operand *o, unsigned repeat, uint32_t active);
/* One cycle of the vector unit, with pipe P and front F (NULL: nothing new).  Returns why no repeat entered the pipe,
 * ASC_STALL_NONE when one did or none was there. */
enum asc_stall asc_ub_cycle(asc_ub *ub, pipe *p, front *f, int64_t now);

#endif
