/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands do for a TSP; rows of tools/styles.c.  Each returns the exit status.
 */
#ifndef TSPSIM_TOOLS_TSP_H
#define TSPSIM_TOOLS_TSP_H

#include <glib.h>

#include "sched/sched.h"
#include "tools/requests.h"

int tsp_run(const run_request *q, GError **error);
int tsp_sched(const sched_request *q, GError **error);
int tsp_assemble(const program_request *q, GError **error);
int tsp_disassemble(const program_request *q, GError **error);

/* What became of the registers, as the object "registers"; nothing when the machine has none. */
typedef struct json json;
void tsp_json_registers(json *j, const sched_registers *r);

#endif
