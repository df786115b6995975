/* SPDX-License-Identifier: Apache-2.0
 *
 * A rig for the memory side of an Ascend-style core: one or more sub-cores' copy engines over one memory, instructions
 * by field names, and buffers of plain bytes in place of the chip's.
 */
#ifndef TSPSIM_TESTS_UNIT_ASC_RIG_H
#define TSPSIM_TESTS_UNIT_ASC_RIG_H

#include "models/ascend/front_int.h"
#include "models/ascend/memory.h"

enum { RIG_CORES = 48 };

typedef struct rig {
	asc_machine *machine;
	asc_memory *memory;
	asc_program *program; /* empty */
	asc_data *global, *data;
	unsigned cores;
	asc_ub *ub[RIG_CORES];
	asc_cube *cube[RIG_CORES];
	asc_mte *mte[RIG_CORES];
	int64_t next[RIG_CORES]; /* when the core's pipe can take its next instruction */
} rig;

/* CORES sub-cores of machine NAME; buffers hold bytes where FUNCTIONAL. */
rig *rig_new(const char *name, unsigned cores, bool functional);
void rig_free(rig *r);
/* An instruction: rig_insn(ASC_OP_GM_TO_L1, "dst=0", "burst_bytes=1024", NULL). */
asc_insn rig_insn(enum asc_op op, ...) G_GNUC_NULL_TERMINATED;
void rig_set(asc_insn *insn, const char *field, int64_t value);
/* Executes it on CORE from START on. */
asc_exec rig_run(rig *r, unsigned core, const asc_insn *insn, int64_t start);
uint8_t *rig_bytes(rig *r, enum asc_space space, uint64_t address);

#endif
