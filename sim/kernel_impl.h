/* SPDX-License-Identifier: Apache-2.0
 *
 * What both kernels share: processes, domains, the exact order of instants, and serving one instant.
 *
 * An instant is an exact rational of reference cycles, held as an integer number of ticks, 1/ticks_per_cycle of a
 * reference cycle each, with ticks_per_cycle the least common multiple of the domains' denominators.  A kernel only
 * decides how time gets from one instant to the next: through SystemC's scheduler, or through a loop.
 */
#ifndef TSPSIM_SIM_KERNEL_IMPL_H
#define TSPSIM_SIM_KERNEL_IMPL_H

#include "sim/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sim_process {
	sim_wheel_item item; /* must be first */
	sim_time woken;      /* earliest wake by others that has not been served; SIM_NEVER */
	sim_process_fn run;
	void *state;
	sim_domain *domain;
	enum sim_phase phase;
	uint32_t unit;
	uint32_t sequence; /* of registration, in the kernel */
	char *name;
};

struct sim_event {
	char *name;
	sim_kernel *kernel;
	GPtrArray *subscribers; /* sim_process, not owned */
};

struct sim_domain {
	sim_kernel *kernel;
	uint32_t index;       /* order of creation */
	uint32_t num, den;    /* one cycle is num/den reference cycles, in lowest terms */
	int64_t ticks;        /* a cycle lasts; known once started */
	sim_time last;        /* the last cycle that can be represented */
	sim_process *running; /* whose callback is on the stack, else NULL */
	sim_wheel wheel;
	sim_ready ready;
	sim_process **order;                       /* [processes], by rank */
	uint32_t phase_first[SIM_PHASE_COUNT + 1]; /* rank of each phase's first process */
	uint32_t *shuffled;                        /* [processes], scratch for the order inside a phase */
	GPtrArray *processes;                      /* sim_process, owned */
	char *name;
};

/* One way of making time pass. */
typedef struct sim_kernel_ops {
	const char *name;
	/* Prepares kernel->implementation. */
	bool (*open)(sim_kernel *kernel, GError **error);
	void (*close)(sim_kernel *kernel);
	/* All domains are known: checks that they can be represented; may lower the domains' last cycles.  NULL:
	 * nothing to do. */
	bool (*start)(sim_kernel *kernel, GError **error);
	/* Serves all instants up to LIMIT (ticks), in order, by sim_i_serve(); returns early when that says false. */
	bool (*run)(sim_kernel *kernel, int64_t limit, GError **error);
} sim_kernel_ops;

extern const sim_kernel_ops sim_kernel_ref_ops;
extern const sim_kernel_ops sim_kernel_systemc_ops;

struct sim_kernel {
	const sim_kernel_ops *ops;
	void *implementation;
	sim_kernel_options options;
	GPtrArray *domains; /* sim_domain, owned; the reference domain first */
	GPtrArray *events;  /* sim_event, owned */
	uint32_t process_count;
	bool started;
	bool entered; /* is sim_kernel_run() on the stack? */
	gint stop;    /* atomic: asked for by sim_kernel_stop() */
	int64_t ticks_per_cycle;
	int64_t now;         /* ticks: the instant being served, or where the last run ended */
	int64_t served;      /* ticks: the last instant served, -1 when none */
	sim_domain *serving; /* domain whose cycle is being served, else NULL */
	uint64_t activations;
	uint64_t active_cycles;
	GError *failure; /* first broken rule; the kernel does not run again */
};

/* The earliest instant at which something is due, in ticks; SIM_NEVER when nothing is. */
int64_t sim_i_next(const sim_kernel *kernel);

/* Serves INSTANT, which sim_i_next() returned: every domain with something due at it, in creation order.  Returns false
 * when the run must end: stop was asked for, or a rule was broken (kernel->failure). */
bool sim_i_serve(sim_kernel *kernel, int64_t instant);

static inline sim_domain *sim_i_domain(const sim_kernel *kernel, unsigned index)
{
	return (sim_domain *)g_ptr_array_index(kernel->domains, index);
}

#ifdef __cplusplus
}
#endif

#endif
