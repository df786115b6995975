/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduler tests, end to end: a workload is compiled, its container executed by the naive executor of
 * tests/lib/oracle.h, and every prediction, every violation and (functional) every output element compared.
 */
#ifndef TSPSIM_TESTS_SCHED_REPLAY_H
#define TSPSIM_TESTS_SCHED_REPLAY_H

#include "isa/program.h"
#include "sched/sched.h"

typedef struct replay {
	uint64_t issues;
	uint64_t violations;
	uint64_t mispredictions; /* issues, arrivals, results, beats */
	uint64_t wrong_values;
	uint64_t values; /* compared */
	int64_t cycles, predicted;
	uint32_t instructions;
	uint32_t macro_ops;
	GString *text; /* the first of each, in words */
} replay;

/* Compiles WORKLOAD for MACHINE (finished) and replays it; FUNCTIONAL carries and compares values.  False with ERROR
 * when it does not compile or run.  replay_fini() in any case. */
bool replay_workload(const char *workload, const isa_machine *machine, bool functional, replay *result, GError **error);
bool replay_program(const isa_program *program, GPtrArray *graphs, const isa_machine *machine, bool functional,
                    replay *result, GError **error);
void replay_fini(replay *result);

/* Preset NAME with KEY=VALUE settings applied, finished.  Aborts on an error. */
isa_machine *replay_machine(const char *name, const char *const *settings);

#endif
