/* SPDX-License-Identifier: Apache-2.0
 *
 * Functional check of an Ascend-style run: output tensors in global memory against the reference evaluation of the
 * graphs, bit for bit.
 */
#ifndef TSPSIM_TOOLS_ASC_VERIFY_H
#define TSPSIM_TOOLS_ASC_VERIFY_H

#include "models/ascend/chip.h"

typedef struct asc_verify {
	uint64_t values, wrong;
	char *first; /* the first difference in words; g_free */
} asc_verify;

/* After the run.  Tensors are named like the output nodes of GRAPHS, several of one name in the order of the graphs. An
 * error when a reference cannot be evaluated, or an output has no tensor. */
bool asc_verify_run(asc_verify *v, const asc_chip *chip, const asc_program *program, GPtrArray *graphs, GError **error);
void asc_verify_fini(asc_verify *v);

#endif
