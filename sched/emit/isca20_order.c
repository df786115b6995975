/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which operations are scheduled: by list priority.
 *
 * Each operation is a task of the neutral problem with an estimated length and the units that it keeps busy.  Every
 * operation then goes to the earliest cycles that those before it leave free, so the order decides who gets a slice
 * or a stream first, not what runs when.
 */
#include "sched/alg/list.h"
#include "sched/emit/isca20_plan.h"
#include "sched/sheet.h"

#include <string.h>

enum { UNIT_MXM, UNIT_VXM, UNIT_SXM };
enum { SIDE_BY_SIDE = 4 };

/* Cycles from a result to its use by the next operation, roughly: memory, the way to a unit and through it. */
static int64_t latency(const isca *c)
{
	const isa_machine *m = c->m;
	int64_t groups = (m->mem_slices - 1) / m->mem_slices_per_group + 1;

	return m->mem_write_cycles + m->mem_read_cycles + groups * m->stream_hop_cycles + m->vxm_entry_cycles +
	       m->vxm_op_cycles;
}

static int64_t work_cycles(const isca_work *w)
{
	return (int64_t)(w->m * w->blocks * w->batches->len * w->kblocks->len * w->interval / w->engines);
}

static void add_task(alg_problem *p, const isca *c, const isca_operation *op)
{
	unsigned ops = 0, factor;
	int64_t cycles;

	if (op->work) {
		alg_problem_add_task(p, MAX(work_cycles(op->work), 1), 0);
		alg_problem_add_demand(p, UNIT_MXM, 1);
		return;
	}
	if (op->turn) {
		cycles = (int64_t)(op->turn->blocks[0]->len * op->turn->distances * ISCA_TURN_ROWS / ISCA_TURN_GROUP);
		alg_problem_add_task(p, cycles, 0);
		alg_problem_add_demand(p, UNIT_SXM, 1);
		return;
	}
	for (unsigned i = 0; i < op->loop->steps->len; i++)
		ops += isca_step(op->loop, i)->kind == LOW_OP;
	ops = CLAMP(ops, 1, c->alus);
	/* Several iterations side by side, as many as ALUs and spreading allow. */
	factor = MIN(c->alus / ops, SIDE_BY_SIDE);
	alg_problem_add_task(p, (int64_t)(op->loop->n0 * op->loop->n1 / factor) + 1, 0);
	alg_problem_add_demand(p, UNIT_VXM, ops * factor);
}

/* Number of macros of one operation. */
static uint32_t macro_count(const isca_operation *op)
{
	return op->work ? op->work->batches->len : 1;
}

static void add_edges(alg_problem *p, const isca_plan *plan, uint32_t at, const uint32_t *last_of)
{
	const isca_operation *op = &g_array_index(plan->operations, isca_operation, at);
	const GArray *macros = plan->c->low->macros;

	/* Loops of one macro hand values to each other. */
	if (at && op[-1].macro == op->macro) {
		alg_problem_add_edge(p, at - 1, at, latency(plan->c), 0);
		return;
	}
	for (uint32_t m = op->macro; m < op->macro + macro_count(op); m++) {
		const GArray *after = g_array_index(macros, low_macro, m).after;

		for (guint i = 0; i < after->len; i++)
			alg_problem_add_edge(p, last_of[g_array_index(after, uint32_t, i)], at, latency(plan->c), 0);
	}
}

/* Operations in the order of the list become what is decided: per operation those before it, and its macro. */
static void decide_order(isca_plan *plan, const alg_problem *p, uint32_t *order)
{
	GPtrArray *before = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	uint32_t count = plan->operations->len, *macro = g_new(uint32_t, count + 1);

	for (uint32_t i = 0; i < count; i++) {
		g_ptr_array_add(before, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
		macro[i] = g_array_index(plan->operations, isca_operation, i).macro;
	}
	for (guint i = 0; i < p->edges->len; i++) {
		const alg_edge *edge = &g_array_index(p->edges, alg_edge, i);

		g_array_append_val((GArray *)g_ptr_array_index(before, edge->to), edge->from);
	}
	sched_decide_order(plan->c->options->sheet, order, count, before, macro);
}

bool isca_order_operations(isca_plan *plan)
{
	const sched_options *o = plan->c->options;
	alg_weights weights = {o->alpha, o->beta, o->gamma, o->seed};
	alg_problem *p = alg_problem_new();
	g_autofree uint32_t *last_of = g_new0(uint32_t, plan->c->low->macros->len + 1);
	alg_schedule schedule = {0};
	bool ok;

	alg_problem_add_resource(p, 1);
	alg_problem_add_resource(p, plan->c->alus);
	alg_problem_add_resource(p, 2);
	for (uint32_t i = 0; i < plan->operations->len; i++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, i);

		add_task(p, plan->c, op);
		for (uint32_t m = op->macro; m < op->macro + macro_count(op); m++)
			last_of[m] = i;
	}
	for (uint32_t i = 0; i < plan->operations->len; i++)
		add_edges(p, plan, i, last_of);
	ok = alg_list_schedule(p, &weights, &schedule, plan->c->error);
	if (ok && o->sheet)
		decide_order(plan, p, schedule.order);
	if (ok) {
		GArray *ordered = g_array_sized_new(FALSE, TRUE, sizeof(isca_operation), plan->operations->len);

		for (uint32_t i = 0; i < plan->operations->len; i++)
			g_array_append_val(ordered, g_array_index(plan->operations, isca_operation, schedule.order[i]));
		if (ordered->len)
			memcpy(plan->operations->data, ordered->data, ordered->len * sizeof(isca_operation));
		g_array_unref(ordered);
	}
	alg_schedule_fini(&schedule);
	alg_problem_free(p);
	return ok;
}
