/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's rules, written the slow and obvious way: all processes are looked at in every step.  It shares no code
 * with sim/, and takes the same callbacks.
 */
#ifndef TSPSIM_TESTS_UNIT_KERNEL_ORACLE_H
#define TSPSIM_TESTS_UNIT_KERNEL_ORACLE_H

#include "sim/kernel.h"

typedef struct oracle oracle;

oracle *oracle_new(void);
void oracle_free(oracle *o);
/* Domain number, 0 for the first. */
unsigned oracle_add_domain(oracle *o, int64_t num, int64_t den);
/* Process number, 0 for the first. */
unsigned oracle_add_process(oracle *o, unsigned domain, const sim_process_spec *spec);
void oracle_wake(oracle *o, unsigned process, sim_time time);
void oracle_run(oracle *o, sim_time until);
/* The first cycle of DOMAIN at or after the present instant. */
sim_time oracle_domain_now(const oracle *o, unsigned domain);

#endif
