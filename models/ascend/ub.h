/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer of a sub-core, bank by bank: geometry by the keys ub.*, arbitration cycle by cycle between the
 * reads and writes of the vector unit and those of the copy engines.  ub.c has the rules.
 */
#ifndef TSPSIM_MODELS_ASCEND_UB_H
#define TSPSIM_MODELS_ASCEND_UB_H

#include "models/ascend/internal.h"

enum { ASC_UB_BLOCKS = 32, ASC_UB_READS = 4 };

/* Where ADDRESS lies: group, bank of the chip's numbering (group + groups x bank in group), row of the bank. */
unsigned asc_ub_group(const asc_ub *ub, uint64_t address);
unsigned asc_ub_bank(const asc_ub *ub, uint64_t address);
unsigned asc_ub_row(const asc_ub *ub, uint64_t address);

/* One operand of a vector instruction: up to ASC_UB_BLOCKS blocks a repeat, of which those in ACTIVE (in the last
 * repeat: LAST) are accessed. */
typedef struct asc_ub_operand {
	uint64_t address;
	int64_t block_bytes, repeat_bytes;
	uint32_t active, last;
} asc_ub_operand;

/* A vector instruction.  In: operands, repeats (>= 1), INTERVAL cycles of the execution unit for a repeat, START not
 * earlier than that of the one before.  Out: the cycle after its last read has entered the pipe; the cycle after its
 * last write; the cycles by cause that its repeats took beyond one each (without START's delay by DEBT, cycles that
 * copy engines had taken from earlier instructions: part of stall[ASC_STALL_MTE] and of START). */
typedef struct asc_ub_vector {
	asc_ub_operand read[ASC_UB_READS], write;
	unsigned reads, repeats;
	int64_t interval, start;
	int64_t read_end, write_end;
	int64_t stall[ASC_STALLS];
} asc_ub_vector;
void asc_ub_access(asc_ub *ub, asc_ub_vector *v);

/* Cycles one repeat with these blocks needs for its reads (write: its writes), alone in the buffer. */
unsigned asc_ub_beats(const asc_ub *ub, const uint64_t *address, unsigned n, bool write);

/* A copy engine moves BYTES at ADDRESS, in (WRITE) or out, evenly from START to UNTIL (the times its other end allows;
 * UNTIL >= START).  Beats of ub.mte_*_bytes_per_cycle wait for ports and banks that the vector unit or another copy of
 * the same direction holds; one that has waited ub.mte_age_cycles for the vector unit goes first.  Returns the cycle
 * after the last beat, UNTIL when nothing was in the way and the port is fast enough. */
int64_t asc_ub_copy(asc_ub *ub, bool write, uint64_t address, uint64_t bytes, int64_t start, int64_t until);

#endif
