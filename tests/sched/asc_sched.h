/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the Ascend-style back end in the models: run, everything found kept, results against the reference.
 */
#ifndef TSPSIM_TESTS_SCHED_ASC_SCHED_H
#define TSPSIM_TESTS_SCHED_ASC_SCHED_H

#include "models/ascend/chip.h"
#include "sched/emit/ascend/ascend.h"
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"

typedef struct asc_run {
	sim_kernel *kernel;
	asc_chip *chip;
	const asc_counters *counters;
	GArray *violations; /* asc_violation */
	GArray *reports;    /* asc_report, when asked for */
	char *deadlock;     /* NULL: none */
} asc_run;

asc_machine *asc_sched_machine(const char *name,
                               const char *const *sets); /* sets: "key=value" ..., NULL; may be NULL */
/* Runs to its end; a failed assertion when the model refuses the program. */
asc_run *asc_sched_run(const asc_program *program, const asc_machine *machine, bool functional, bool reports);
void asc_run_free(asc_run *r);
unsigned asc_run_found(const asc_run *r, enum asc_finding kind);
/* Asserts that nothing was found and nothing stands still; says what was. */
bool asc_run_clean(const asc_run *r, const char *what);

/* Compiles WORKLOAD ("gemm:64x64x64:fp16") with seeded inputs, runs it by value, compares every output with
 * graph_evaluate(); asserts equality and a clean run. */
void asc_sched_equal(const char *machine, const char *const *sets, const char *workload);
asc_program *asc_sched_compile(GPtrArray *graphs, const asc_machine *machine, bool functional, sched_report *report);
void asc_sched_compare(const asc_run *r, const asc_program *program, const graph *g, const char *what);

#endif
