/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs of one sub-core, for the reference and the models: loaded buffers, random instructions with a barrier
 * of all pipes behind each, and every buffer copied out to global memory.
 */
#ifndef TSPSIM_TESTS_DIFFERENTIAL_ASC_CASE_H
#define TSPSIM_TESTS_DIFFERENTIAL_ASC_CASE_H

#include "isa/rng.h"
#include "models/ascend/chip.h"
#include "tests/differential/asc_ref.h"

/* Global memory: data of the host; what random instructions write; copies of UB, L1, L0C, L0A, L0B; registers. */
enum {
	CASE_DATA = 0,
	CASE_DATA_BYTES = 0x20000,
	CASE_IDENTITY = 0x20000, /* 32 x 32 of int8 as fractals, for both sides */
	CASE_WRITTEN = 0x21000,
	CASE_WRITTEN_BYTES = 0xf000,
	CASE_REGISTERS = 0x30000,
	CASE_UB = 0x40000,
	CASE_L1 = 0x80000,
	CASE_L0C = 0xa0000,
	CASE_L0A = 0xc0000,
	CASE_L0B = 0xe0000,
	CASE_BYTES = 0x100000,
};

typedef struct case_item {
	asc_insn insn;
	bool random, left_out;
} case_item;

typedef struct case_window {
	uint64_t base, bytes;
} case_window;

typedef struct asc_case {
	uint64_t seed;
	rng r;
	asc_machine *machine; /* owned by the caller */
	enum asc_kind kind;
	enum asc_type theme; /* most numbers are of this type */
	uint8_t *data;       /* CASE_BYTES: global memory at the start */
	case_window window[ASC_SPACES];
	GArray *items; /* case_item */
	bool bare;     /* nothing but random instructions, in small windows, without barriers */
	asc_ref *ref;  /* executes along while the program is made */
	unsigned executed[ASC_OP_COUNT], beyond;
} asc_case;

/* The program of SEED with about COUNT random instructions; ONLY restricts them to one opcode unless ASC_OP_COUNT. */
asc_case *asc_case_new(uint64_t seed, asc_machine *machine, enum asc_kind kind, unsigned count, enum asc_op only);
/* One without instructions, to which random_append() adds: windows small enough for accesses to meet. */
asc_case *asc_case_bare(uint64_t seed, asc_machine *machine, enum asc_kind kind);
void asc_case_free(asc_case *c);
asc_program *asc_case_program(const asc_case *c);

uint64_t case_below(asc_case *c, uint64_t limit);
bool case_chance(asc_case *c, unsigned percent);

typedef struct asc_outcome {
	uint8_t *gm;        /* CASE_BYTES, or NULL */
	GArray *violations; /* asc_violation */
	char *diagnosis, *error;
	asc_counters counters;
} asc_outcome;
asc_outcome *asc_outcome_of(const asc_program *program, const asc_machine *machine, bool functional);
void asc_outcome_free(asc_outcome *o);

#endif
