/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which macro-operations are placed: by list priority.
 *
 * Each is a task of the neutral problem with an estimated length and its share of the matrix unit or the memory.  Every
 * macro-operation then goes to the earliest cycles that those before it leave free, so the order decides who chooses
 * first, not what runs when.
 */
#include "sched/alg/list.h"
#include "sched/emit/tsp.h"
#include "sched/sheet.h"

enum { RESOURCE_MXM, RESOURCE_MEMORY };

/* From a result to its use by the next macro-operation. */
static int64_t latency(const isa_machine *m)
{
	return 2 * m->sram_latency_cycles + m->vxm_entry_cycles + m->vxm_op_cycles;
}

static uint64_t whole(uint64_t amount, uint64_t unit)
{
	return (amount + unit - 1) / unit;
}

/* Rows through the planes, as if all of them worked. */
static int64_t product_cycles(const isa_machine *m, enum isa_type type, uint64_t rows, uint64_t n, uint64_t blocks)
{
	uint64_t passes = rows * whole(n, (uint64_t)m->lanes) * blocks;
	bool pair = type == ISA_TYPE_F16;

	return (int64_t)(passes * (uint64_t)(pair ? 2 * m->mxm_fp16_interval_cycles : m->mxm_int8_interval_cycles) /
	                 (uint64_t)m->mxm_planes) +
	       m->mxm_abc_cycles + m->mxm_acc_cycles;
}

/* Bytes that a loop moves an iteration, over what the memory moves a cycle. */
static int64_t loop_cycles(const tspe *e, const low_vloop *loop)
{
	const bank_map *map = bank_calendar_map(e->cal.banks);
	double bandwidth = (double)bank_map_banks_used(map) * (double)(e->m->sram_ports * e->m->sram_port_bytes);
	double bytes = 0;

	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);

		if (s->kind == LOW_LOAD || s->kind == LOW_STORE)
			bytes += (double)loop->lanes * isa_type_bytes(tspe_low_tensor(e, s->ref.tensor)->type);
	}
	return (int64_t)((double)(loop->n0 * loop->n1) * bytes / bandwidth);
}

static void add_task(alg_problem *p, const tspe *e, const low_macro *macro)
{
	const isa_machine *m = e->m;
	int64_t cycles = 0;

	switch (macro->kind) {
	case LOW_MATMUL:
		cycles = product_cycles(m, macro->matmul.type, macro->matmul.m, macro->matmul.n,
		                        whole(macro->matmul.k, macro->matmul.block_run));
		break;
	case LOW_CONV:
		cycles = product_cycles(m, macro->conv.type, macro->conv.conv.oh * macro->conv.conv.ow,
		                        macro->conv.conv.n, graph_conv_block_count(&macro->conv.conv));
		break;
	case LOW_VLOOP:
		cycles = loop_cycles(e, &macro->vloop);
		break;
	case LOW_GATHER:
		cycles = (int64_t)tspe_low_tensor(e, macro->gather.y)->rows;
		break;
	case LOW_TRANSPOSE:
		cycles = (int64_t)tspe_low_tensor(e, macro->transpose.x)->rows;
		break;
	}
	alg_problem_add_task(p, cycles + latency(m), 0);
	alg_problem_add_demand(p, macro->kind == LOW_MATMUL || macro->kind == LOW_CONV ? RESOURCE_MXM : RESOURCE_MEMORY,
	                       1);
}

/* Per macro those that it uses results of; as arrays that live on their own. */
static GPtrArray *orders_of(const low_program *low)
{
	GPtrArray *before = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < low->macros->len; i++) {
		const GArray *after = g_array_index(low->macros, low_macro, i).after;
		GArray *own = g_array_new(FALSE, FALSE, sizeof(uint32_t));

		g_array_append_vals(own, after->data, after->len);
		g_ptr_array_add(before, own);
	}
	return before;
}

uint32_t *tspe_order(const tspe *e, GError **error)
{
	const sched_options *o = e->options;
	alg_weights weights = {o->alpha, o->beta, o->gamma, o->seed};
	alg_problem *p = alg_problem_new();
	alg_schedule schedule = {0};
	uint32_t *order = NULL;

	alg_problem_add_resource(p, 1);
	alg_problem_add_resource(p, 1);
	for (uint32_t i = 0; i < e->low->macros->len; i++) {
		const low_macro *macro = &g_array_index(e->low->macros, low_macro, i);

		add_task(p, e, macro);
		for (guint a = 0; a < macro->after->len; a++)
			alg_problem_add_edge(p, g_array_index(macro->after, uint32_t, a), i, 0, 0);
	}
	if (alg_list_schedule(p, &weights, &schedule, error))
		order = g_steal_pointer(&schedule.order);
	for (uint32_t i = 0; order && e->memory_reused && i < e->low->macros->len; i++)
		order[i] = i;
	if (order && !e->memory_reused && o->sheet)
		sched_decide_order(o->sheet, order, e->low->macros->len, orders_of(e->low), NULL);
	alg_schedule_fini(&schedule);
	alg_problem_free(p);
	return order;
}
