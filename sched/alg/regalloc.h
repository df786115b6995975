/* SPDX-License-Identifier: Apache-2.0
 *
 * Register allocation: a program of live ranges gets registers, and code that keeps in memory what finds none.
 *
 * Renaming, interference, colouring (sched/alg/color.h where every value is one register, with coalescing;
 * regalloc_color.c where some take several consecutive ones), then, for what found no register, spill code, and all
 * again until everything has one (Chaitin 1982; Briggs, Cooper and Torczon 1994).  Kept in memory is what costs least
 * for the ranges it blocks: (stores + loads) * frequency / degree.  What can be made again more cheaply than stored and
 * loaded is made again (Briggs, Cooper and Torczon 1992).
 *
 * A load serves the accesses behind it as long as nothing else wants the register; where that was too much, its range
 * is divided down to single accesses.  Not done: moving ranges between registers, or dividing them at loop borders.
 */
#ifndef TSPSIM_SCHED_ALG_REGALLOC_H
#define TSPSIM_SCHED_ALG_REGALLOC_H

#include "sched/alg/live.h"

typedef struct regalloc_options {
	uint32_t registers;
	uint32_t read_ports, write_ports; /* that one instruction may use; 0: any number */
	uint64_t seed, moves;             /* of the search that repairs a colouring */
} regalloc_options;

typedef struct regalloc_result {
	live_program *given;   /* the program after renaming */
	live_program *program; /* with spill code */
	uint32_t *reg;         /* [its values] the first register of each */
	uint32_t registers;    /* in use */
	uint32_t most;         /* registers that values of GIVEN alive at one moment take */
	uint32_t renamed;      /* values that renaming added */
	uint32_t spilled;      /* values of GIVEN kept in memory, remade ones not counted */
	uint32_t slots;
	uint32_t stores, loads, remade; /* instructions added */
	uint32_t coalesced;             /* copies whose ends share a register */
	unsigned rounds;                /* colourings */
	double cost;                    /* of what was added, weighted by frequency */
} regalloc_result;

/* Most registers and ports that one instruction of P needs; no spilling helps below that. */
typedef struct regalloc_need {
	uint32_t registers, read_ports, write_ports;
	uint32_t block, insn; /* who needs the registers */
} regalloc_need;
void regalloc_needs(const live_program *p, regalloc_need *need);

/* Fails (USER) when an instruction needs more than there is, or fixed values leave too little. */
bool regalloc_run(const live_program *p, const regalloc_options *options, regalloc_result *result, GError **error);
void regalloc_result_fini(regalloc_result *r);

/* Replays RESULT: does every instruction of GIVEN find its operands in its registers, on every path?  Shares no code
 * with the allocator. */
bool regalloc_check(const regalloc_result *r, uint32_t registers);

/* regalloc_color.c: registers for values of several widths, LIVE_NONE where there are none; COST as the graph has it.
 */
void regalloc_i_color(const color_graph *g, const uint32_t *width, uint32_t registers, uint32_t *reg);
/* regalloc_spill.c: keeps in memory, or makes again, every value in SPILL [values]. */
void regalloc_i_spill(live_program *p, const uint8_t *spill, uint32_t registers, regalloc_result *r);
/* What keeping each value in memory costs; those that cannot be, REGALLOC_NEVER. */
#define REGALLOC_NEVER 1e30
double *regalloc_i_costs(const live_program *p); /* g_free */

#endif
