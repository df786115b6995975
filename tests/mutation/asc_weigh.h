/* SPDX-License-Identifier: Apache-2.0
 *
 * A second opinion on a program of Ascend-style cores: may it go wrong?  Instructions are events of a graph (push,
 * start, done, all of its pipe done) whose edges are the rules of docs/ascend.md; two accesses to a byte are in order
 * where a path leads from one to the other.  Values are those of the instructions of asc_ref.h, executed one after the
 * other in an order that the graph allows.  Knows no time, and shares nothing with models/ascend/ and sched/.
 *
 * For streams without jumps, of blocks that all run at once.
 */
#ifndef TSPSIM_TESTS_MUTATION_ASC_WEIGH_H
#define TSPSIM_TESTS_MUTATION_ASC_WEIGH_H

#include "isa/ascend/machine.h"

enum weigh_fault {
	WEIGH_UNORDERED,     /* pairs of accesses that nothing orders */
	WEIGH_DEADLOCK,      /* instructions that never start */
	WEIGH_DOUBLED,       /* sets that nothing orders after the wait for the one before */
	WEIGH_LEFT,          /* flags and counters that are not taken */
	WEIGH_OVERFLOW,      /* cross-core sets for which room in the counter is not sure */
	WEIGH_UNINITIALISED, /* instructions that read what nothing has written */
	WEIGH_BEYOND,        /* that reach beyond a buffer, or are not aligned */
	WEIGH_OVERLAP,       /* vector instructions whose operands overlap in a repeat */
	WEIGH_FAULTS
};
const char *weigh_fault_name(enum weigh_fault fault);

typedef struct weigh {
	unsigned count[WEIGH_FAULTS];
	uint8_t *memory; /* global memory behind the program; NULL where accesses are not in order */
	uint64_t bytes;
} weigh;

/* Bytes of global memory: what the program's images and tensors reach to, and as much for what lies behind as small
 * programs need. */
uint64_t weigh_memory_bytes(const asc_program *program);
weigh *weigh_program(const asc_program *program, const asc_machine *machine);
void weigh_free(weigh *w);
bool weigh_is_sound(const weigh *w); /* nothing of the above */

#endif
