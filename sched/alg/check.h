/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a schedule a solution?  The judge of every engine: it reads the problem and nothing else, shares no code with what
 * makes schedules, and uses no calendar: demands are sorted events.
 */
#ifndef TSPSIM_SCHED_ALG_CHECK_H
#define TSPSIM_SCHED_ALG_CHECK_H

#include "sched/alg/problem.h"

/* True when SCHEDULE solves PROBLEM: modes and processors exist, windows, lags with transfers, capacities and the
 * makespan hold.  Otherwise OFFENCES (may be NULL) gets a line for each breach, at most MOST. */
bool alg_check(const alg_problem *problem, const alg_schedule *schedule, GString *offences, unsigned most);

#endif
