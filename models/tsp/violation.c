/* SPDX-License-Identifier: Apache-2.0
 *
 * Violations: collected during a cycle, sorted and handed to the probe at its end, so that order and the cut at
 * max_violations do not depend on the order in which queues ran.  Under fault-stop the kernel stops after that cycle.
 * An operand that is not there is judged in the cycle it is sampled in, which for latches and accumulator rows comes
 * after the cycle in which the instruction runs.
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

void tsp_miss_operand(tsp_queue *q, tsp_miss *miss, enum isa_violation kind, bool named, uint32_t tag, uint32_t found,
                      int64_t detail)
{
	miss->record = (probe_violation){
		.cycle = miss->time,
		.insn = q->id,
		.index = q->index,
		.other = tsp_insn_of(q->chip, found   ? found
	                                      : named ? tag
	                                              : 0),
		.queue = q->number,
		.kind = (uint16_t)kind,
		.detail = detail,
	};
	miss->named = named ? tag : 0;
	g_array_append_vals(q->chip->misses, miss, 1);
	sim_process_wake(q->chip->audit_process, miss->time);
}

/* Was the named value decided on before it was missed, and is due after? */
static bool is_late(tsp_chip *chip, const tsp_miss *miss)
{
	const probe_violation *record = &miss->record;
	const model_version *v;

	if (!miss->named)
		return false;
	switch (miss->place) {
	case TSP_MISS_CELL:
		v = model_cell_named(miss->cell, miss->named);
		return v && v->due > miss->time && v->filed < miss->time;
	case TSP_MISS_STREAM:
		return tsp_stream_comes_later(&chip->queues[record->queue], miss->stream, miss->time, miss->named);
	case TSP_MISS_STORE:
		return model_store_is_filed(&chip->store, miss->named, (uint64_t)record->detail, miss->time);
	case TSP_MISS_PLANE:
		return tsp_mxm_is_loading(miss->plane, miss->named, (unsigned)record->detail, miss->time);
	}
	return false;
}

int64_t tsp_misses_settle(tsp_chip *chip, int64_t now)
{
	int64_t next = SIM_NEVER;
	guint kept = 0;

	for (guint i = 0; i < chip->misses->len; i++) {
		tsp_miss *miss = &g_array_index(chip->misses, tsp_miss, i);
		probe_violation *record = &miss->record;

		if (miss->time > now) {
			next = MIN(next, miss->time);
			g_array_index(chip->misses, tsp_miss, kept++) = *miss;
			continue;
		}
		if (record->kind != ISA_VIOLATION_STREAM_COLLISION && is_late(chip, miss)) {
			record->kind = miss->place == TSP_MISS_PLANE ? ISA_VIOLATION_IW_BEFORE_WEIGHTS
			                                             : ISA_VIOLATION_LATE_OPERAND;
			record->other = tsp_insn_of(chip, miss->named);
		}
		g_array_append_val(chip->violations, *record);
	}
	g_array_set_size(chip->misses, kept);
	return next;
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
