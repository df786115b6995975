/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduler tests, end to end: a workload is compiled and its program executed; every prediction, every violation and
 * (functional) every output element is compared.  Two executors: the models, from the encoded queues, on the reference
 * kernel; and the naive executor of tests/lib/oracle.h, from the container.
 */
#ifndef TSPSIM_TESTS_SCHED_REPLAY_H
#define TSPSIM_TESTS_SCHED_REPLAY_H

#include "isa/program.h"
#include "sched/sched.h"

enum replay_judge { REPLAY_CHIP, REPLAY_ORACLE };

typedef struct replay {
	uint64_t issues;
	uint64_t violations;
	uint64_t mispredictions; /* issues, arrivals, results, beats */
	uint64_t wrong_values;
	uint64_t values; /* compared */
	int64_t cycles, predicted;
	uint32_t instructions;
	double mxm_ceiling; /* of the first epoch */
	sched_report report;
	GString *text; /* the first of each offence, in words */
} replay;

/* Preset NAME with KEY=VALUE settings (NULL-terminated, may be NULL), finished.  Aborts on an error. */
isa_machine *replay_machine(const char *name, const char *const *settings);

/* Compiles WORKLOAD for MACHINE; NULL with ERROR when that is refused.  GRAPHS, unless NULL, gets its graphs. */
isa_program *replay_compile(const char *workload, const isa_machine *machine, bool functional, sched_report *report,
                            GPtrArray **graphs, GError **error);

/* Compiles and runs; FUNCTIONAL carries and compares values.  False with ERROR when it does not compile or run.
 * replay_fini() in any case. */
bool replay_workload(const char *workload, const isa_machine *machine, bool functional, enum replay_judge judge,
                     replay *result, GError **error);
void replay_fini(replay *result);

/* Did it run as predicted, without violations, and (if values were compared) with the right results? */
bool replay_is_clean(const replay *result);

#endif
