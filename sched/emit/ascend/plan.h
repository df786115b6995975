/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting a graph into kernels.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_PLAN_H
#define TSPSIM_SCHED_EMIT_ASCEND_PLAN_H

#include "sched/emit/ascend/ascend.h"

/* A pattern looks at node FIRST, which no kernel has yet and all of whose operands are known, and appends to NODES the
 * nodes it would compute in one kernel, in graph order; 0 nodes: not its business.  KERNEL_OF says which kernel has a
 * node (UINT32_MAX: none yet). */
typedef struct ask_pattern {
	const char *name;
	void (*match)(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
	bool (*write)(asb *b, const ask_kernel *k, GError **error);
} ask_pattern;

typedef struct ask_part {
	const ask_pattern *pattern;
	GArray *nodes; /* uint32_t */
} ask_part;

/* The kernels of G in an order in which they can run (ask_part, with a clear function), or NULL. */
GArray *ask_cut(const graph *g, GError **error);
/* Does a kernel other than PART read node I's value? */
bool ask_is_read(const graph *g, const GArray *parts, guint part, uint32_t i);
/* Is node I's value needed outside kernel PART: by another, or as an output? */
bool ask_crosses(const graph *g, const GArray *parts, guint part, uint32_t i);

struct sched_sheet;
/* ORDER of the kernels: one after the other, or as SHEET (may be NULL) says; it also gets the model of the graph. */
void ask_plan_order(struct sched_sheet *sheet, const asc_machine *machine, const graph *g, const GArray *parts,
                    uint32_t *order);

#endif
