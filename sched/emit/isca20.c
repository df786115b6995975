/* SPDX-License-Identifier: Apache-2.0
 *
 * Back end of the stream-style machine: sets the stage, plans, schedules one operation after the other.
 *
 * Every operation goes to the earliest cycles that queues, streams and words leave free, so operations that do not
 * depend on each other overlap, and dependent ones follow each other row by row.
 */
#include "sched/emit/isca20_plan.h"
#include "sched/sheet.h"

#include <string.h>

static bool check_floorplan(const isa_machine *m, GError **error)
{
	int64_t groups = (m->mem_slices + m->mem_slices_per_group - 1) / m->mem_slices_per_group;

	for (unsigned side = 0; side < 2; side++) {
		int64_t sign = side ? 1 : -1;
		int64_t outermost = m->pos_mem.at[side] + sign * (groups - 1);

		if ((m->pos_sxm.at[side] - outermost) * sign >= 0 && (m->pos_mxm.at[side] - outermost) * sign >= 0)
			continue;
		g_set_error(
			error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			"floorplan: the scheduler expects MXM and SXM outside of the MEM slices in each hemisphere");
		return false;
	}
	if (2 * m->mem_slices > ISCA_SLICES_MAX) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "mem.slices_per_hemisphere: the scheduler knows at most %d slices a hemisphere",
		            ISCA_SLICES_MAX / 2);
		return false;
	}
	return true;
}

void isca_refuse_clash(const isca *c, const char *what)
{
	g_set_error(c->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "%s: needs a slice, a stream or an ALU twice at a time on this machine (streams.per_direction "
	            "%" G_GINT64_FORMAT ", mem.slices_per_hemisphere %" G_GINT64_FORMAT
	            ", vxm.ops_per_cycle %" G_GINT64_FORMAT ")",
	            what, c->m->streams, c->m->mem_slices, c->m->vxm_ops);
}

/* Which units of the SXM do the layer's lanes move through? */
static void list_movements(const low_program *low, const isa_machine *m, bool *needed)
{
	for (guint i = 0; i < low->macros->len; i++) {
		const low_macro *macro = &g_array_index(low->macros, low_macro, i);

		if (macro->kind == LOW_TRANSPOSE)
			needed[ISA_SXM_TRANSPOSE] = needed[ISA_SXM_PERMUTE] = true;
		for (guint s = 0; macro->kind == LOW_VLOOP && s < macro->vloop.steps->len; s++) {
			const low_step *step = &g_array_index(macro->vloop.steps, low_step, s);
			bool inside = step->lane_xor < (uint64_t)m->lanes_per_superlane;

			if (step->kind == LOW_LANES)
				needed[inside ? ISA_SXM_DISTRIBUTE : ISA_SXM_PERMUTE] = true;
		}
	}
}

static bool check_movements(const low_program *low, const isa_machine *m, GError **error)
{
	static const struct {
		enum isa_sxm_role role;
		const char *name;
	} roles[] = {
		{ISA_SXM_PERMUTE, "permute"},
		{ISA_SXM_DISTRIBUTE, "distribute"},
		{ISA_SXM_TRANSPOSE, "transpose"},
	};
	bool needed[ISA_SXM_ROLES] = {false};

	list_movements(low, m, needed);
	for (unsigned i = 0; i < G_N_ELEMENTS(roles); i++) {
		if (!needed[roles[i].role] || m->sxm_queues.at[roles[i].role])
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "layer '%s' moves lanes, and sxm.queues has no %s queue", low->g->name, roles[i].name);
		return false;
	}
	return true;
}

/* How many words may follow each other without a free cycle for an IFETCH?  While its words are on their way the queue
 * lives on what it holds, and it is only issued when they will have room. */
static uint32_t run_words(const isa_machine *m)
{
	int64_t words = m->icu_queue_words - m->icu_ifetch_words - m->icu_ifetch_cycles - 1;

	return m->icu_queue_words ? (uint32_t)MAX(words, 3) : 0;
}

static void begin(isca *c)
{
	const isa_machine *m = c->m;
	unsigned queues = isa_machine_queue_count(m);

	c->slices_per_side = (unsigned)m->mem_slices;
	c->first_origin = (unsigned)sched_decide(c->options->sheet, "seat", "", 2 * c->slices_per_side);
	c->words_per_slice = (unsigned)(m->mem_banks_per_slice * m->mem_words_per_bank);
	c->lanes = (unsigned)m->lanes;
	c->superlanes = (unsigned)(m->lanes / m->lanes_per_superlane);
	c->stream_count = (unsigned)m->streams;
	c->alus = (unsigned)m->vxm_ops;
	c->first_alu = (unsigned)isa_machine_queue_find(m, ISA_UNIT_VXM, 0, 0, 0);
	c->first_latch = queues;
	c->first_share = queues + c->alus;
	/* Half of the streams at most: activations have to pass at the same time. */
	c->load_bytes = (unsigned)MAX(MIN(MIN(16, m->streams / 2), m->mxm_weight_bytes / m->lanes), 1);
	c->shares = (unsigned)CLAMP(m->mxm_weight_bytes / (c->load_bytes * m->lanes), 1, ISCA_ENGINES);
	c->mxm = g_new0(struct isca_mxm, 1);
	c->line_count = c->first_share + c->shares;
	c->lines = g_new0(isca_line, c->line_count);
	c->run_words = run_words(m);
	for (unsigned i = 0; i < c->line_count; i++)
		isca_line_init(&c->lines[i], i < queues ? c->run_words : 0);
	for (unsigned west = 0; west < 2; west++)
		for (unsigned s = 0; s < ISCA_STREAMS; s++)
			isca_stream_init(&c->streams[west][s]);
	c->slices = g_new0(isca_slice, 2 * c->slices_per_side);
	for (unsigned s = 0; s < 2 * c->slices_per_side; s++) {
		int queue = isa_machine_queue_find(m, ISA_UNIT_MEM, s / c->slices_per_side, 0, s % c->slices_per_side);

		c->slices[s].queue = (uint16_t)queue;
		c->slices[s].position = isa_machine_queue(m, (unsigned)queue)->position;
	}
}

static void end(isca *c)
{
	for (unsigned i = 0; i < c->line_count; i++)
		isca_line_fini(&c->lines[i]);
	for (unsigned west = 0; west < 2; west++)
		for (unsigned s = 0; s < ISCA_STREAMS; s++)
			isca_stream_fini(&c->streams[west][s]);
	for (unsigned s = 0; s < 2 * c->slices_per_side; s++)
		g_free(c->slices[s].words);
	g_free(c->slices);
	g_free(c->lines);
	g_free(c->mxm);
	isca_memory_fini(c);
}

static bool emit_operation(isca *c, isca_plan *plan, const isca_operation *op)
{
	const low_macro *m = &g_array_index(c->low->macros, low_macro, op->macro);

	c->node = isa_program_add_node(c->program, m->name, c->epoch);
	switch (op->kind) {
	case LOW_VLOOP:
		if (isca_emit_loop(c, op->loop, plan->tensors))
			return true;
		break;
	case LOW_MATMUL:
	case LOW_CONV:
		c->block_macs += op->work->m * op->work->batches->len * op->work->kblocks->len * op->work->blocks *
		                 (uint64_t)(c->m->mxm_rows * c->m->lanes);
		if (isca_emit_work(c, op->work, plan->tensors))
			return true;
		break;
	case LOW_TRANSPOSE:
		if (isca_emit_turn(c, op->turn, plan->tensors))
			return true;
		break;
	case LOW_GATHER: /* not lowered for slices */
		break;
	}
	g_prefix_error(c->error, "layer '%s', operation '%s': ", c->low->g->name, m->name);
	return false;
}

/* What is far too large is refused before anything is planned for each of its blocks. */
static bool check_sizes(const isca *c)
{
	uint64_t capacity = (uint64_t)isa_machine_sram_bytes(c->m);

	for (guint i = 0; i < c->low->tensors->len; i++) {
		const low_tensor *t = &g_array_index(c->low->tensors, low_tensor, i);
		uint64_t bytes = t->rows * t->lanes * isa_type_bytes(t->type);

		if (bytes <= capacity)
			continue;
		g_set_error(c->error, TSP_ERROR, TSP_ERROR_USER,
		            "layer '%s' does not fit into SRAM: tensor '%s' alone has %" G_GUINT64_FORMAT
		            " bytes, capacity %" G_GUINT64_FORMAT " bytes",
		            c->low->g->name, t->name, bytes, capacity);
		return false;
	}
	return true;
}

static bool emit_all(isca *c)
{
	isca_plan *plan = check_sizes(c) ? isca_plan_new(c) : NULL;
	bool ok = plan != NULL;

	for (guint i = 0; ok && i < plan->operations->len; i++)
		ok = !sched_stopped(c->options->sheet, c->error) &&
		     emit_operation(c, plan, &g_array_index(plan->operations, isca_operation, i));
	if (ok && c->unfilled) {
		g_set_error(c->error, TSP_ERROR, TSP_ERROR_INTERNAL,
		            "layer '%s': a word is read that nothing was written to", c->low->g->name);
		ok = false;
	}
	if (plan)
		isca_plan_free(plan);
	return ok;
}

bool emit_isca20(isa_program *program, const low_program *low, uint32_t epoch, int64_t start,
                 const isa_machine *machine, const sched_options *options, sched_report *report, int64_t *end_cycle,
                 GError **error)
{
	isca c = {
		.program = program,
		.low = low,
		.m = machine,
		.options = options,
		.report = report,
		.error = error,
		.epoch = epoch,
		.start = start,
		.first = INT64_MAX,
		.last = start,
	};
	isa_epoch *e = &g_array_index(program->epochs, isa_epoch, epoch);
	bool ok;

	if (!check_floorplan(machine, error) || !check_movements(low, machine, error))
		return false;
	begin(&c);
	ok = emit_all(&c);
	if (ok)
		isca_report(&c);
	end(&c);
	e->vxm_ops = c.vxm_ops;
	e->macs = graph_macs(low->g);
	if (c.block_macs)
		e->mxm_ceiling = (double)e->macs / (double)c.block_macs;
	report->macro_ops += low->macros->len;
	*end_cycle = c.last;
	return ok;
}
