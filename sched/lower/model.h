/* SPDX-License-Identifier: Apache-2.0
 *
 * A lowered program as a model: what its macro-operations ask of a TSP at least, whichever back end emits them.
 */
#ifndef TSPSIM_SCHED_LOWER_MODEL_H
#define TSPSIM_SCHED_LOWER_MODEL_H

#include "sched/lower/lower.h"
#include "sched/sheet.h"

/* A task a macro, in their order.  Never NULL. */
sched_model *low_model(const low_program *low, const isa_machine *machine);

#endif
