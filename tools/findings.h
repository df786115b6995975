/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run found wrong, kept for the report: the first violations of each kind, and where a frozen machine lost its
 * cycles. Totals are the chip's own counters.
 */
#ifndef TSPSIM_TOOLS_FINDINGS_H
#define TSPSIM_TOOLS_FINDINGS_H

#include "isa/program.h"
#include "traces/probe.h"

enum { FINDINGS_KEPT = 3 }; /* of each kind */

typedef struct findings {
	unsigned kept[ISA_VIOLATION_COUNT];
	probe_violation first[ISA_VIOLATION_COUNT][FINDINGS_KEPT];
	uint64_t slips;
	GHashTable *slip_of_bank; /* bank -> cycles (gint64 *) */
} findings;

void findings_init(findings *f);
void findings_fini(findings *f);
probe_listener findings_listener(findings *f);
/* The bank that lost most cycles (the lowest of equals) and how many; false when nothing slipped. */
bool findings_worst_bank(const findings *f, uint32_t *bank, int64_t *cycles);

/* Instruction ID as one line of assembly, g_free. */
char *findings_insn_text(const isa_program *program, const isa_machine *machine, uint32_t id);

#endif
