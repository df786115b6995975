/* SPDX-License-Identifier: Apache-2.0
 *
 * A reference of the values of Ascend-style instructions: one sub-core's instructions one after the other, element by
 * element over arrays of bytes.  Written after docs/ascend.md, docs/ascend-isa.md and the tables of isa/ascend/; has
 * no line in common with models/ascend/.  Nothing here knows time, pipes or flags.
 *
 * What an instruction reads and writes is noted byte by byte, for the brute-force search for races (asc_hb.h).
 */
#ifndef TSPSIM_TESTS_DIFFERENTIAL_ASC_REF_H
#define TSPSIM_TESTS_DIFFERENTIAL_ASC_REF_H

#include "isa/ascend/machine.h"

typedef struct ref_access {
	enum asc_space space;
	bool write;
	uint64_t address, bytes;
} ref_access;

typedef struct ref_undo {
	enum asc_space space;
	uint8_t old;
	uint64_t address;
} ref_undo;

typedef struct asc_ref {
	const asc_machine *machine;
	enum asc_kind kind;
	uint8_t *memory[ASC_SPACES];
	uint64_t bytes[ASC_SPACES]; /* that programs may use */
	int64_t registers[ASC_REGISTERS];
	uint64_t mask[2]; /* or the count of elements, in the first */
	bool counter;
	bool blind;       /* what a gather takes is not noted, only its offsets */
	bool beyond;      /* the instruction reached beyond a buffer; it did nothing */
	bool misaligned;  /* it broke the alignment of an address; it did nothing */
	GArray *accesses; /* ref_access of the last instruction, runs joined */
	GArray *undo;     /* ref_undo of the last instruction */
	int64_t f[ASC_FIELDS];
	enum asc_op op;
} asc_ref;

/* GM_BYTES of global memory, everything zero; registers as at the start of block 0, sub-core 0. */
asc_ref *asc_ref_new(const asc_machine *machine, enum asc_kind kind, uint64_t gm_bytes);
void asc_ref_free(asc_ref *r);
/* Executes one instruction that is no jump, flag or barrier (those do nothing here). */
void asc_ref_step(asc_ref *r, const asc_insn *insn);
/* Takes back what the last step wrote to buffers; not registers. */
void asc_ref_undo(asc_ref *r);
/* The accesses of the last step in order of space, reads first, and address, each byte once. */
void asc_ref_join(asc_ref *r);
/* Executes INSNS from the first to an `end` or their own, at most STEPS; false when those did not do. */
bool asc_ref_run(asc_ref *r, const asc_insn *insns, unsigned count, uint64_t steps);

/* Shared by the parts of the reference. */
int64_t ref_field(const asc_ref *r, const char *name); /* of the instruction being executed */
uint64_t ref_get(asc_ref *r, enum asc_space space, uint64_t address, unsigned bytes);
void ref_put(asc_ref *r, enum asc_space space, uint64_t address, unsigned bytes, uint64_t value);
/* Notes an access of bytes that the instruction is said to touch, needed or not; nothing moves. */
void ref_touch(asc_ref *r, enum asc_space space, bool write, uint64_t address, uint64_t bytes);
void ref_vector(asc_ref *r);
void ref_cube(asc_ref *r);
void ref_copy(asc_ref *r);
void ref_fixpipe(asc_ref *r);

#endif
