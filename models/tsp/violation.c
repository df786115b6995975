/* SPDX-License-Identifier: Apache-2.0
 *
 * Violations: collected during a cycle, sorted and handed to the probe at its end, so that order and the cut at
 * max_violations do not depend on the order in which queues ran.  Under fault-stop the kernel stops after that cycle.
 */
#include "models/tsp/internal.h"

#include <stdlib.h>

uint32_t tsp_insn_of(const tsp_chip *chip, uint32_t tag)
{
	const GArray *bases = chip->program->instance_base;
	guint low = 0;
	guint high = bases->len;

	if (!chip->tagged || !tag)
		return TSP_NO_INSN;
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(bases, uint32_t, middle) <= tag)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low ||
	    tag - g_array_index(bases, uint32_t, low - 1) >= isa_insn_issues(isa_program_insn(chip->program, low - 1)))
		return TSP_NO_INSN;
	return low - 1;
}

void tsp_violate(tsp_queue *q, enum isa_violation kind, int64_t cycle, uint32_t other, int64_t detail)
{
	probe_violation record = {
		.cycle = cycle,
		.insn = q->id,
		.index = q->index,
		.other = other,
		.queue = q->number,
		.kind = (uint16_t)kind,
		.detail = detail,
	};

	g_array_append_val(q->chip->violations, record);
	if (!q->chip->auditing)
		tsp_audit_now(q);
}

static int compare(const void *a, const void *b)
{
	const probe_violation *x = a;
	const probe_violation *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->detail != y->detail)
		return x->detail < y->detail ? -1 : 1;
	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

void tsp_violations_flush(tsp_chip *chip)
{
	GArray *list = chip->violations;
	uint64_t limit = chip->options.max_violations;

	if (!list->len)
		return;
	qsort(list->data, list->len, sizeof(probe_violation), compare);
	for (guint i = 0; i < list->len; i++) {
		const probe_violation *record = &g_array_index(list, probe_violation, i);

		if (!limit || chip->counters.violations < limit)
			probe_report_violation(chip->probe, record);
		chip->counters.violations++;
		chip->counters.violations_by_kind[record->kind]++;
	}
	g_array_set_size(list, 0);
	if (chip->options.policy == TSP_POLICY_FAULT_STOP)
		sim_kernel_stop(chip->kernel);
}
