/* SPDX-License-Identifier: Apache-2.0
 *
 * Micro-programs: a few lines of assembly on a preset with some keys changed, run and measured.
 *
 * A machine is a text, "PRESET [KEY=VALUE | hw.KEY=VALUE | sched.KEY=VALUE | freeze | timing]...": the keys as on the
 * command line, the freeze policy instead of fault-continue, timing mode instead of functional.  Instructions are named
 * by their place in the assembly text, from 0.  Whatever goes wrong on the way to a result fails the running test.
 */
#ifndef TSPSIM_TESTS_TIMING_MICRO_H
#define TSPSIM_TESTS_TIMING_MICRO_H

#include "tests/lib/judge.h"

typedef struct micro {
	isa_machine *sched, *hw;
	isa_program *program;
	bool freeze, timing;
	oracle_result *oracle;
	judge_run *model;
	unsigned differences; /* between the two */
	bool refused;         /* the machine, the text or the lowering was refused */
	char *refusal;
} micro;

/* Assembles, lowers and runs TEXT; never NULL.  The caller frees it. */
micro *micro_run(const char *machine, const char *text);
/* As micro_run(), but a refusal is a result: no test fails by it. */
micro *micro_try(const char *machine, const char *text);
void micro_free(micro *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(micro, micro_free)

/* Issue INDEX of instruction INSN; a record of PROBE_NO_TIMEs when there is none. */
probe_issue micro_issue(const micro *m, uint32_t insn, uint32_t index);
static inline int64_t micro_result(const micro *m, uint32_t insn)
{
	return micro_issue(m, insn, 0).result;
}
static inline int64_t micro_arrival(const micro *m, uint32_t insn, unsigned operand)
{
	return micro_issue(m, insn, 0).arrival[operand];
}
int64_t micro_cycles(const micro *m);
int64_t micro_slip(const micro *m);
/* Violations of KIND (ISA_VIOLATION_COUNT: of all kinds). */
uint64_t micro_count(const micro *m, enum isa_violation kind);
/* The first violation; kind ISA_VIOLATION_COUNT when there is none. */
probe_violation micro_violation(const micro *m);
/* BYTES of the memory at LOCATION as hexadecimal digits, "unwritten" when they are; g_free. */
char *micro_memory(const micro *m, uint64_t location, unsigned bytes);

#endif
