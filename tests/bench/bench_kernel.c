/* SPDX-License-Identifier: Apache-2.0
 *
 * What an activation costs: PROCESSES callbacks that each ask to run again a few cycles later, so that about ACTIVE of
 * them run in a cycle.  Prints nanoseconds of CPU time per activation and per active cycle.
 *
 *     bench_kernel [KERNEL [PROCESSES [ACTIVE [MILLIONS]]]]
 */
#include "sim/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct actor {
	uint64_t random;
	uint32_t spread; /* next run is 1 ... spread cycles away */
	sim_kernel *kernel;
	uint64_t *left;
} actor;

static sim_time act(void *state, sim_time now)
{
	actor *self = state;

	self->random = self->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	if (!--*self->left)
		sim_kernel_stop(self->kernel);
	return now + 1 + (sim_time)((self->random >> 33) * self->spread >> 31);
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "ref";
	uint32_t processes = argc > 2 ? (uint32_t)atoi(argv[2]) : 144;
	uint32_t active = argc > 3 ? (uint32_t)atoi(argv[3]) : 16;
	uint64_t left = UINT64_C(1000000) * (argc > 4 ? (uint64_t)atoi(argv[4]) : 20);
	g_autoptr(GError) error = NULL;
	sim_kernel *kernel = sim_kernel_new(name, NULL, &error);
	g_autofree actor *actors = g_new0(actor, processes);
	double start;
	double spent;

	if (!kernel) {
		fprintf(stderr, "bench_kernel: %s\n", error->message);
		return 1;
	}
	for (uint32_t i = 0; i < processes; i++) {
		sim_process_spec spec = {"actor", (enum sim_phase)(i % SIM_PHASE_COUNT), i, act, &actors[i]};

		actors[i] = (actor){
			.random = i + 1, .spread = MAX(2 * processes / active, 1) - 1, .kernel = kernel, .left = &left};
		sim_process_wake(sim_kernel_add_process(kernel, sim_kernel_reference_domain(kernel), &spec), 0);
	}
	start = cpu_ns();
	if (!sim_kernel_run(kernel, SIM_NEVER, &error)) {
		fprintf(stderr, "bench_kernel: %s\n", error->message);
		return 1;
	}
	spent = cpu_ns() - start;
	printf("%s: %u processes, %" PRIu64 " activations in %" PRIu64 " active cycles (%.1f a cycle): "
	       "%.1f ns an activation, %.1f ns a cycle\n",
	       name, processes, sim_kernel_activations(kernel), sim_kernel_active_cycles(kernel),
	       (double)sim_kernel_activations(kernel) / (double)sim_kernel_active_cycles(kernel),
	       spent / (double)sim_kernel_activations(kernel), spent / (double)sim_kernel_active_cycles(kernel));
	sim_kernel_free(kernel);
	return 0;
}
