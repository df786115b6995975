/* SPDX-License-Identifier: Apache-2.0
 *
 * What the units of an Ascend-style core share.  The front end (core.c) resolves an instruction's fields, decides by
 * flags, barriers and queue order when it may start, and asks the unit of its pipe how long it takes; the unit answers
 * with times and, in functional mode, carries out the values in program order of its pipe.
 *
 * A unit is asked in the order in which instructions start on its pipe, never for a start earlier than one it has
 * answered.  Shared resources (bank groups of the unified buffer, L2, memory, links) keep calendars of what was
 * granted.
 */
#ifndef TSPSIM_MODELS_ASCEND_INTERNAL_H
#define TSPSIM_MODELS_ASCEND_INTERNAL_H

#include "models/ascend/chip.h"

typedef struct asc_subcore asc_subcore; /* core.c */
typedef struct asc_ub asc_ub;           /* ub.c: unified buffer, bank by bank */
typedef struct asc_vector asc_vector;   /* vector.c */
typedef struct asc_cube asc_cube;       /* cube.c: Mmad, L0 buffers, fixpipe's unit flag */
typedef struct asc_mte asc_mte;         /* mte.c: MTE1, MTE2, MTE3, fixpipe's way out */
typedef struct asc_memory asc_memory;   /* memory.c: L2 and HBM, shared by all cores */

/* One instruction on its way through a pipe. */
typedef struct asc_exec {
	const asc_insn *insn;
	const asc_op_info *info;
	int64_t f[ASC_FIELDS]; /* registers resolved */
	uint64_t mask[2];      /* vector: mask at the time it was queued */
	bool counter_mode;
	int64_t start;      /* in: earliest; out: when it began */
	int64_t free, done; /* out */
	int64_t stall[ASC_STALLS];
	int64_t held; /* of them before it began, by a flag, counter, barrier or unit of L0C */
	uint64_t bytes, work;
	uint64_t l2_hits, l2_misses; /* of its requests */
	asc_traffic *traffic;        /* where its unit adds what it counts, or NULL */
} asc_exec;

/* Requests of the size of counter ROW that BYTES in a row take. */
static inline uint64_t asc_requests(uint64_t bytes, enum asc_pmu row)
{
	uint64_t size = asc_pmu(row)->bytes;

	return (bytes + size - 1) / size;
}

/* Ranges of bytes an instruction reads and writes, for the race detector; up to ASC_RANGES boxes of COUNT runs. */
enum { ASC_RANGES = 64 };
/* Strided vector operands are a box a block, in counter mode with a tail each; the number of boxes, never above
 * ASC_RANGES. */
unsigned asc_ranges(const asc_exec *x, const asc_machine *machine,
                    asc_range ranges[ASC_RANGES]); /* ranges.c, from the op tables */

/* Local buffers of a sub-core and global memory: bytes in functional mode, NULL otherwise (data.c). */
typedef struct asc_data asc_data;
uint8_t *asc_data_at(asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes); /* NULL out of range */
bool asc_data_functional(const asc_data *data);

asc_ub *asc_ub_new(const asc_machine *machine);
void asc_ub_free(asc_ub *ub);
asc_vector *asc_vector_new(const asc_machine *machine, asc_ub *ub, asc_data *data);
void asc_vector_free(asc_vector *v);
void asc_vector_execute(asc_vector *v, asc_exec *x);
asc_cube *asc_cube_new(const asc_machine *machine, asc_data *data);
void asc_cube_free(asc_cube *c);
void asc_cube_execute(asc_cube *c, asc_exec *x);
/* Unit flags: may X, an mmad or a copy out of L0C, be asked now?  One with unit_flag 0 always may.  A copy out needs
 * every unit it reads to have been marked by an mmad that was asked; an mmad needs every unit it writes to have been
 * drained by a copy out that was asked.  While false, what is queued before on M and FIX goes on; ask again after the
 * next of either.  When exactly each unit is marked or drained the units themselves see to. */
bool asc_cube_unit_ready(const asc_cube *c, const asc_exec *x);
asc_memory *asc_memory_new(const asc_machine *machine);
void asc_memory_free(asc_memory *m);
asc_mte *asc_mte_new(const asc_machine *machine, unsigned core, asc_memory *memory, asc_ub *ub, asc_cube *cube,
                     asc_data *data);
void asc_mte_free(asc_mte *m);
void asc_mte_execute(asc_mte *m, asc_exec *x); /* MTE1, MTE2, MTE3 and FIX */

/* What a gather reads beside that: how many RANGES, ROOM at most; 0 for others and where no values are there to tell.
 */
unsigned asc_gathered(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_range *ranges, unsigned room);
/* Has every element that it picks been written?  *FIRST: a byte that has not. */
bool asc_gathered_written(const asc_exec *x, const asc_machine *machine, asc_data *data, uint64_t *first);

#endif
