/* SPDX-License-Identifier: Apache-2.0
 *
 * Small random programs on small random machines, for comparing oracle and models.  A program is kept as a list of
 * instructions whose producers are named by place in the list, so that instructions can be left out again.
 */
#ifndef TSPSIM_TESTS_MUTATION_RANDOM_PROGRAM_H
#define TSPSIM_TESTS_MUTATION_RANDOM_PROGRAM_H

#include "isa/program.h"
#include "isa/rng.h"

enum { RANDOM_RESIDENT = -1 }; /* producer of host data */

typedef struct random_source {
	unsigned operand;
	int producer;   /* place in the list, or RANDOM_RESIDENT */
	uint32_t issue; /* its issue that feeds issue 0 */
	int32_t step0, step1, seg_step;
	uint16_t seg_div, segments;
} random_source;

typedef struct random_insn {
	isa_insn insn;
	GArray *sources; /* random_source */
	bool left_out;
} random_insn;

typedef struct random_program {
	uint64_t seed;
	isa_machine *sched, *hw;
	GArray *insns; /* random_insn */
	GArray *maps;  /* isa_lane_map */
	uint8_t *data; /* of the whole SRAM */
	bool resident; /* is there host data at all? */
	bool freeze, functional;
	uint64_t shuffle_seed;
	char *settings; /* what was changed of the preset, for messages */
} random_program;

/* The random program of SEED; never NULL. */
random_program *random_program_new(uint64_t seed);
void random_program_free(random_program *p);

/* Names producers: mostly those that really feed an operand when the program runs on its own machine. */
void random_program_name_sources(random_program *p);

/* Takes out every instruction that a violation is about, until there is none: a random correct program. */
void random_program_clean(random_program *p);
/* Un-names the producers of instructions that a violation is about. */
void random_program_drop_wrong_sources(random_program *p);

/* The container, lowered for p->sched; NULL when that is refused (a queue runs dry). */
isa_program *random_program_build(const random_program *p);

#endif
