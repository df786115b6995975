/* SPDX-License-Identifier: Apache-2.0
 *
 * One simulation: kernel, chip and listeners put together, run to the end, taken apart.
 */
#ifndef TSPSIM_TOOLS_SIMULATE_H
#define TSPSIM_TOOLS_SIMULATE_H

#include "models/tsp/chip.h"
#include "tools/report.h"

typedef struct simulate_options {
	const char *kernel; /* name */
	uint64_t shuffle;   /* seed of the order inside a phase, 0 = fixed order */
	enum tsp_policy policy;
	bool functional;
	const char *trace; /* path or NULL */
	const char *trace_level;
	const char *trace_window;   /* "START:STOP" or NULL */
	uint64_t seed;              /* for the manifest */
	const char *method;         /* of the scheduler, for the manifest; NULL: a program as it was given */
	const sched_search *search; /* how it went, or NULL */
} simulate_options;

typedef struct simulation simulation;

/* Runs PROGRAM on HW; SCHED, the machine it was scheduled for, goes into the trace's manifest only.  GRAPHS (NULL:
 * none) are the references.  Everything given is kept, not owned, and must outlive the simulation.  NULL and an error
 * when it could not run; violations and differences are results. */
simulation *simulate(const isa_machine *sched, const isa_machine *hw, const isa_program *program, GPtrArray *graphs,
                     const simulate_options *options, GError **error);
void simulation_free(simulation *s);
/* Fills what a simulation knows: counters, findings, comparison, check, trace.  Valid while S lives. */
void simulation_report(const simulation *s, report *r);

#endif
