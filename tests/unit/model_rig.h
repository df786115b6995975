/* SPDX-License-Identifier: Apache-2.0
 *
 * A rig for the model's unit tests: assembly text on a machine, run to its end, with everything the probe said kept.
 * Instructions are numbered in the order of the text, from 0.
 */
#ifndef TSPSIM_TESTS_UNIT_MODEL_RIG_H
#define TSPSIM_TESTS_UNIT_MODEL_RIG_H

#include "models/tsp/chip.h"
#include "tests/lib/tap.h"

typedef struct rig_setup {
	const char *machine;  /* NULL = "tsp" */
	const char *sets[16]; /* "key=value" of the simulated machine, NULL ends */
	const char *
		sched_sets[16]; /* of the machine the program is lowered for, on top of nothing else; NULL: as `sets` */
	enum tsp_policy policy;
	bool functional;
	bool quiet; /* no listener for issues */
	uint64_t shuffle;
	uint64_t max_violations;
	sim_time until;                       /* 0 = to the end */
	void (*mutate)(isa_program *program); /* after lowering */
	void (*epoch_end)(void *state, tsp_chip *chip, uint32_t epoch);
	void *state;
} rig_setup;

typedef struct rig {
	isa_machine *machine;
	isa_program *program;
	sim_kernel *kernel;
	probe probe;
	tsp_chip *chip;
	const tsp_counters *counters;
	GArray *issues;     /* probe_issue */
	GArray *violations; /* probe_violation */
	GArray *slips;      /* probe_slip */
} rig;

/* Assembles TEXT, lowers, runs.  A failure anywhere fails the case and ends it. */
rig *rig_run(const char *text, const rig_setup *setup);
/* The same for a program made elsewhere; takes it over.  MACHINE is the one simulated, taken over too. */
rig *rig_run_program(isa_program *program, isa_machine *machine, const rig_setup *setup);
isa_machine *rig_machine(const char *name, const char *const *sets);
void rig_free(rig *r);

/* The report of issue INDEX of instruction INSN; fails the case when there is none. */
const probe_issue *rig_issue(const rig *r, uint32_t insn, uint32_t index);
/* How many violations of KIND? */
unsigned rig_count(const rig *r, enum isa_violation kind);

/* Issues and violations sorted, as text, to compare runs; g_free. */
char *rig_dump(const rig *r);

#define RIG_RESULT(r, insn, cycle) CU_ASSERT_EQUAL(rig_issue(r, insn, 0)->result, cycle)
#define RIG_CLEAN(r)               CU_ASSERT_EQUAL((r)->counters->violations, 0)
/* Exactly one violation: its kind, instruction and cycle. */
#define RIG_ONE(r, KIND, INSN, CYCLE)                                                                                  \
	do {                                                                                                           \
		CU_ASSERT_EQUAL((r)->counters->violations, 1);                                                         \
		CU_ASSERT_EQUAL(rig_count(r, KIND), 1);                                                                \
		if ((r)->violations->len) {                                                                            \
			const probe_violation *rig_v_ = &g_array_index((r)->violations, probe_violation, 0);           \
			CU_ASSERT_EQUAL(rig_v_->insn, INSN);                                                           \
			CU_ASSERT_EQUAL(rig_v_->cycle, CYCLE);                                                         \
		}                                                                                                      \
	} while (0)

#endif
