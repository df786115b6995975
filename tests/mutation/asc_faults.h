/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults in programs of Ascend-style cores: what can be planted where, and planting it.
 */
#ifndef TSPSIM_TESTS_MUTATION_ASC_FAULTS_H
#define TSPSIM_TESTS_MUTATION_ASC_FAULTS_H

#include "isa/ascend/machine.h"

enum asc_fault_kind {
#define ASC_FAULT(id, doc) ASC_FAULT_##id,
#include "tests/mutation/asc_faults.def"
	ASC_FAULTS
};
const char *asc_fault_doc(enum asc_fault_kind kind);

/* Instruction AT of STREAM; OTHER is the wait of a set, or what it changes places with; FIELD becomes VALUE. */
typedef struct asc_fault {
	enum asc_fault_kind kind;
	uint32_t stream, at, other;
	int field;
	int64_t value;
} asc_fault;

/* All faults of KIND that PROGRAM has room for (asc_fault). */
GArray *asc_faults_list(const asc_program *program, const asc_machine *machine, enum asc_fault_kind kind);
/* A copy of PROGRAM, but for images and tensors, which remain PROGRAM's, with the fault (NULL: none); asc_fault_undo()
 * frees it. */
asc_program *asc_fault_plant(const asc_program *program, const asc_fault *fault);
void asc_fault_undo(asc_program *planted);
char *asc_fault_text(const asc_program *program, const asc_fault *fault); /* g_free */

#endif
