/* SPDX-License-Identifier: Apache-2.0
 *
 * The discrete-event kernel: one C interface, two implementations (SystemC, plain C).
 *
 * Time is integer cycles of the reference clock.  A process is a callback that says when it wants to run next.
 * Inside one cycle, processes run ordered by (phase, unit, sequence of registration); with a shuffle seed the order
 * inside a phase is permuted, and no result may depend on it: values read are those filed in an earlier phase or
 * cycle.  Nothing runs in a cycle in which nothing happens.
 *
 * SystemC (2.3.4): one sc_module with one SC_METHOD per clock domain, which wakes once per active cycle and drains
 * that cycle's ready list from a timing wheel in C; no SC_THREAD.  One SystemC kernel lives in a process at a time.
 */
#ifndef TSPSIM_SIM_KERNEL_H
#define TSPSIM_SIM_KERNEL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t sim_time; /* cycles of the reference clock */

#define SIM_NEVER INT64_MAX

/* Phases of one cycle.  Units file requests and results in ISSUE; shared resources with an order of their own are
 * served in RESOLVE; checks that need the whole cycle run in AUDIT. */
enum sim_phase { SIM_PHASE_ISSUE, SIM_PHASE_RESOLVE, SIM_PHASE_AUDIT, SIM_PHASE_COUNT };

typedef struct sim_kernel sim_kernel;
typedef struct sim_process sim_process;
typedef struct sim_event sim_event;
typedef struct sim_domain sim_domain;

/* Runs at NOW (cycles of the process's own domain).  Returns the next time it wants to run, later than NOW, or
 * SIM_NEVER to sleep until woken. */
typedef sim_time (*sim_process_fn)(void *state, sim_time now);

typedef struct sim_process_spec {
	const char *name; /* copied; unique names help messages, nothing else */
	enum sim_phase phase;
	uint32_t unit; /* second sort key inside a cycle */
	sim_process_fn run;
	void *state;
} sim_process_spec;

typedef struct sim_kernel_options {
	uint64_t shuffle_seed; /* 0 = ordered by (phase, unit, sequence) */
	uint64_t reference_hz; /* informs SystemC's time; 0 = 1 GHz */
} sim_kernel_options;

/* Names of the kernels compiled in, NULL-terminated: "systemc" (when configured) and "ref". */
const char *const *sim_kernel_names(void);

/* New kernel NAME.  Fails with TSP-like GError (domain sim_error_quark) for an unknown or absent kernel, or when a
 * SystemC kernel already lives in this process. */
sim_kernel *sim_kernel_new(const char *name, const sim_kernel_options *options, GError **error);
void sim_kernel_free(sim_kernel *kernel); /* NULL is fine */
GQuark sim_error_quark(void);
#define SIM_ERROR (sim_error_quark())
enum sim_error_code {
	SIM_ERROR_KERNEL, /* no such kernel, or a second SystemC kernel */
	SIM_ERROR_RANGE,  /* a time or a clock ratio that 64 bits do not hold */
	SIM_ERROR_RULE,   /* a process or caller broke a rule of this header: a defect */
	SIM_ERROR_SYSTEMC /* SystemC itself complained */
};

/* The domain of the reference clock (ratio 1/1), and further ones: one domain cycle lasts NUM/DEN reference cycles,
 * exactly.  Domain cycle k begins at reference time k*NUM/DEN; processes of different domains are ordered by that
 * exact rational, then by domain creation order. */
sim_domain *sim_kernel_reference_domain(sim_kernel *kernel);
sim_domain *sim_kernel_add_domain(sim_kernel *kernel, const char *name, uint32_t num, uint32_t den, GError **error);

/* Adds a process, asleep.  Only before the first sim_kernel_run(). */
sim_process *sim_kernel_add_process(sim_kernel *kernel, sim_domain *domain, const sim_process_spec *spec);

/* Asks that PROCESS runs at TIME (its domain's cycles): the earlier of this and what it already asked for.  TIME may
 * be the present cycle only for a phase later than the running one.  What a process returned is replaced by what it
 * returns when it runs next; of the wakes by others that have not been served, the earliest is kept apart from that, so
 * it does not matter whether a wake for a later cycle is made before or after its target runs in the present one. */
void sim_process_wake(sim_process *process, sim_time time);

/* A named occasion: notify wakes each subscriber DELAY cycles later (their own domain's cycles; 0 under the rule of
 * sim_process_wake). */
sim_event *sim_kernel_add_event(sim_kernel *kernel, const char *name);
void sim_event_subscribe(sim_event *event, sim_process *process);
void sim_event_notify(sim_event *event, sim_time delay);

/* Runs until nothing is due, until the next due time is beyond UNTIL (reference cycles; it is then UNTIL), or until
 * sim_kernel_stop(); a stop between runs ends the next one before it begins.  May be called again.  Returns false and
 * sets ERROR if a process broke a rule (a next time not later than now) or SystemC threw. */
bool sim_kernel_run(sim_kernel *kernel, sim_time until, GError **error);
void sim_kernel_stop(sim_kernel *kernel); /* after the present cycle; callable from a process or a signal handler */
bool sim_kernel_is_idle(const sim_kernel *kernel); /* is nothing due? */

sim_time sim_kernel_now(const sim_kernel *kernel);         /* reference cycles, rounded down */
uint64_t sim_kernel_activations(const sim_kernel *kernel); /* callbacks made so far */
uint64_t sim_kernel_active_cycles(const sim_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
