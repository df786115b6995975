/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional check: what the simulated SRAM holds at the end of each epoch against the graph's reference, bit for
 * bit. References are evaluated epoch by epoch and dropped again, so memory does not grow with the number of layers.
 */
#ifndef TSPSIM_TOOLS_VERIFY_H
#define TSPSIM_TOOLS_VERIFY_H

#include "isa/program.h"
#include "models/tsp/chip.h"
#include "sched/ir/graph.h"

typedef struct verify verify;

/* GRAPHS (graph *, inputs filled) are indexed by the epochs' graph numbers.  All is kept, not owned. */
verify *verify_new(GPtrArray *graphs, const isa_program *program);
void verify_free(verify *v);

/* The chip's epoch_end callback; STATE is a verify. */
void verify_epoch(void *state, tsp_chip *chip, uint32_t epoch);

uint64_t verify_values(const verify *v);  /* elements compared */
uint64_t verify_outputs(const verify *v); /* tensors compared */
uint64_t verify_wrong(const verify *v);   /* elements that differ, or could not be read */
/* The first difference in words, NULL when all agree. */
const char *verify_first(const verify *v);
/* Did every epoch get its check, with outputs in it, and did all agree?  A reference that could not be evaluated is an
 * error. */
bool verify_passed(const verify *v, GError **error);

#endif
