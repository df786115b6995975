/* SPDX-License-Identifier: Apache-2.0
 *
 * A rig for the front end of Ascend-style cores: assembly text on a machine with stub units (asc_core_stubs.c), run to
 * its end, everything it said kept.
 */
#ifndef TSPSIM_TESTS_UNIT_ASC_CORE_RIG_H
#define TSPSIM_TESTS_UNIT_ASC_CORE_RIG_H

#include "models/ascend/internal.h"
#include "tests/lib/tap.h"

extern int64_t asc_stub_tail, asc_stub_delay;
typedef struct asc_stub_question {
	int64_t start;
	unsigned core;
	unsigned op;
} asc_stub_question;
extern GArray *asc_stub_asked;

typedef struct asc_rig_setup {
	const char *machine; /* NULL = "ascend-910b" */
	const char *kernel;  /* NULL = "ref" */
	const char *sets[16];
	asc_options options;
	uint64_t shuffle;
	int64_t tail, delay; /* asc_stub_tail, asc_stub_delay */
	bool asked;          /* keep what the units were asked */
	void (*mutate)(asc_program *program);
} asc_rig_setup;

typedef struct asc_rig {
	asc_machine *machine;
	asc_program *program;
	sim_kernel *kernel;
	asc_chip *chip;
	const asc_counters *counters;
	GArray *reports, *violations, *asked;
	char *deadlock; /* NULL: none */
} asc_rig;

asc_rig *asc_rig_run(const char *text, const asc_rig_setup *setup);
void asc_rig_free(asc_rig *r);

/* Execution NUMBER of INSN on (core, sub); fails the case when there is none. */
const asc_report *asc_rig_report(const asc_rig *r, uint32_t core, uint32_t sub, uint32_t insn, unsigned number);
unsigned asc_rig_count(const asc_rig *r, enum asc_finding kind);
const asc_violation *asc_rig_find(const asc_rig *r, enum asc_finding kind); /* the first; fails the case when none */
char *asc_rig_dump(const asc_rig *r);                                       /* everything as text; g_free */

#define ASC_START(r, insn, cycle) CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, insn, 0)->start, cycle)
#define ASC_DONE(r, insn, cycle)  CU_ASSERT_EQUAL(asc_rig_report(r, 0, 0, insn, 0)->done, cycle)
#define ASC_CLEAN(r)              CU_ASSERT_EQUAL((r)->counters->violations, 0)

#endif
