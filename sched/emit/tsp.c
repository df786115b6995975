/* SPDX-License-Identifier: Apache-2.0
 *
 * One epoch of the register-style machine: memory first, then macro-operations one after the other, each at the
 * earliest times its operands and the machine's calendars admit, so that macro-operations overlap wherever something is
 * free.
 */
#include <string.h>

#include "sched/emit/tsp.h"
#include "sched/sheet.h"

enum {
	COURSE_MAX = 256,       /* products that are placed as one course */
	TRIED_ISSUES = 1 << 12, /* larger epochs are not tried with fewer registers */
	TRIED_LOOPS = 1 << 14,  /* nor, above that, loop by loop */
};

static void add_queues(tspe *e, tspe_queues *list, enum isa_unit unit, unsigned role, unsigned index, bool any_index)
{
	for (unsigned q = 0; q < isa_machine_queue_count(e->m); q++) {
		const isa_queue_info *info = isa_machine_queue(e->m, q);

		if (info->unit == unit && info->role == role && (any_index || info->index == index) &&
		    list->count < TSPE_QUEUES_MAX)
			list->at[list->count++] = (uint16_t)q;
	}
}

static void find_queues(tspe *e)
{
	add_queues(e, &e->mem, ISA_UNIT_MEM, 0, 0, true);
	add_queues(e, &e->vxm, ISA_UNIT_VXM, 0, 0, true);
	add_queues(e, &e->permute, ISA_UNIT_SXM, ISA_SXM_PERMUTE, 0, true);
	add_queues(e, &e->distribute, ISA_UNIT_SXM, ISA_SXM_DISTRIBUTE, 0, true);
	add_queues(e, &e->transpose, ISA_UNIT_SXM, ISA_SXM_TRANSPOSE, 0, true);
	for (unsigned p = 0; p < e->m->mxm_planes; p++) {
		add_queues(e, &e->weights[p], ISA_UNIT_MXM, 0, p, false);
		add_queues(e, &e->activations[p], ISA_UNIT_MXM, 1, p, false);
		add_queues(e, &e->accumulators[p], ISA_UNIT_MXM, 2, p, false);
	}
}

/* Tensors that nothing was stored to yet must not be written while older data in their place are read. */
static void guard_results(tspe *e)
{
	for (guint i = 0; e->memory_reused && i < e->low->tensors->len; i++) {
		tspe_tensor *t = &e->tensors[i];

		if (!t->low->host && t->last_due == TSPE_NEVER)
			t->writable = tspe_memory_writable(e, t);
	}
}

void tspe_count_macro(tspe *e, int64_t bank_delay)
{
	e->report->macro_ops++;
	e->report->bank_moves += bank_delay > 0;
	e->report->bank_move_cycles += bank_delay;
}

static const low_macro *macro_at(const tspe *e, uint32_t index)
{
	return &g_array_index(e->low->macros, low_macro, index);
}

static bool is_product(const low_macro *macro)
{
	return macro->kind == LOW_MATMUL || macro->kind == LOW_CONV;
}

static enum isa_type product_type(const low_macro *macro)
{
	return macro->kind == LOW_MATMUL ? macro->matmul.type : macro->conv.type;
}

static bool depends_on_any(const low_macro *macro, const uint32_t *others, unsigned count)
{
	for (guint a = 0; a < macro->after->len; a++)
		for (unsigned i = 0; i < count; i++)
			if (g_array_index(macro->after, uint32_t, a) == others[i])
				return true;
	return false;
}

/* How many of the macros from ORDER[0] on are products that can follow each other without waiting? */
static unsigned count_products(const tspe *e, const uint32_t *order, unsigned most)
{
	unsigned count = 1;

	while (count < MIN(most, COURSE_MAX) && is_product(macro_at(e, order[count])) &&
	       product_type(macro_at(e, order[count])) == product_type(macro_at(e, order[0])) &&
	       !depends_on_any(macro_at(e, order[count]), order, count))
		count++;
	return count;
}

/* Places what stands first in ORDER; returns how many macros that were, 0 on an error. */
static unsigned emit_first(tspe *e, const uint32_t *order, unsigned most, GError **error)
{
	const low_macro *macro = macro_at(e, order[0]);
	bool done;

	guard_results(e);
	e->bank_delay = 0;
	if (is_product(macro)) {
		bool alone = e->memory_reused || sched_decide(e->options->sheet, "alone", macro->name, 2);
		unsigned count = count_products(e, order, alone ? 1 : most);

		return tspe_products(e, order, count, error) ? count : 0;
	}
	e->node = isa_program_add_node(e->program, macro->name, e->epoch);
	done = (macro->kind == LOW_VLOOP    ? tspe_vloop
	        : macro->kind == LOW_GATHER ? tspe_gather
	                                    : tspe_transpose)(e, macro, e->start, error);
	tspe_count_macro(e, e->bank_delay);
	return done;
}

static uint64_t count_vector_work(const tspe *e)
{
	uint64_t work = 0;

	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *macro = &g_array_index(e->low->macros, low_macro, i);

		for (guint s = 0; macro->kind == LOW_VLOOP && s < macro->vloop.steps->len; s++)
			if (g_array_index(macro->vloop.steps, low_step, s).kind == LOW_OP)
				work += macro->vloop.n0 * macro->vloop.n1 * macro->vloop.lanes;
	}
	return work;
}

static bool emit_all(tspe *e, GError **error)
{
	g_autofree uint32_t *order = NULL;
	uint32_t count = e->low->macros->len;
	isa_epoch *epoch;

	e->bank_period = bank_map_period(bank_calendar_map(e->cal.banks)) * e->m->sram_block_bytes;
	if (!tspe_memory_plan(e, error))
		return false;
	order = tspe_order(e, error);
	if (!order)
		return false;
	if (e->options->ideal_banks)
		bank_calendar_idealise(e->cal.banks);
	for (uint32_t i = 0, placed; i < count; i += placed) {
		placed = sched_stopped(e->options->sheet, error) ? 0 : emit_first(e, order + i, count - i, error);
		if (!placed)
			return false;
		if (e->options->progress && !e->trial)
			e->options->progress(e->options->progress_state, (double)(i + placed) / count);
	}
	tspe_report(e);
	epoch = &g_array_index(e->program->epochs, isa_epoch, e->epoch);
	epoch->macs = graph_macs(e->low->g);
	epoch->vxm_ops = count_vector_work(e);
	if (e->block_peak)
		epoch->mxm_ceiling = (double)e->block_work / (double)e->block_peak;
	return true;
}

/* What a try adds to, as it was before. */
typedef struct mark {
	isa_program *program;
	guint insns, sources, nodes, maps, tensors, images;
	uint32_t epoch;
	sched_report *report;
	sched_report said; /* notes, binds: not looked at */
	gsize notes;
	guint intervals;
	char *binds;
} mark;

static GArray *images_of(const mark *m)
{
	return g_array_index(m->program->epochs, isa_epoch, m->epoch).images;
}

static mark mark_now(isa_program *program, uint32_t epoch, sched_report *report)
{
	mark m = {.program = program,
	          .insns = program->insns->len,
	          .sources = program->sources->len,
	          .nodes = program->nodes->len,
	          .maps = program->maps->len,
	          .tensors = program->tensors->len,
	          .epoch = epoch,
	          .report = report,
	          .said = *report,
	          .notes = report->notes->len,
	          .intervals = report->intervals ? report->intervals->len : 0,
	          .binds = g_strdup(report->binds)};

	m.images = images_of(&m)->len;
	return m;
}

static void go_back(const mark *m)
{
	isa_program *p = m->program;
	sched_report *r = m->report;

	g_array_set_size(p->insns, m->insns);
	g_array_set_size(p->node_of, m->insns);
	g_array_set_size(p->instance_base, m->insns);
	g_array_set_size(p->first_source, m->insns * ISA_OPERANDS);
	g_array_set_size(p->source_count, m->insns * ISA_OPERANDS);
	g_array_set_size(p->predictions, MIN(p->predictions->len, m->insns));
	g_array_set_size(p->sources, m->sources);
	g_array_set_size(p->nodes, m->nodes);
	g_array_set_size(p->maps, m->maps);
	g_array_set_size(p->tensors, m->tensors);
	for (guint i = m->images; i < images_of(m)->len; i++)
		g_free(g_array_index(images_of(m), isa_image, i).data);
	g_array_set_size(images_of(m), m->images);
	g_string_truncate(r->notes, m->notes);
	if (r->intervals)
		g_array_set_size(r->intervals, m->intervals);
	g_free(r->binds);
	r->binds = g_strdup(m->binds);
	r->macro_ops = m->said.macro_ops;
	r->bank_moves = m->said.bank_moves;
	r->bank_move_cycles = m->said.bank_move_cycles;
	r->registers = m->said.registers;
}

/* What of its own accord the machine does not decide. */
typedef struct way {
	unsigned registers;  /* that may be used */
	bool bursts_only;    /* no loop runs in rows */
	bool partials_dense; /* partial results do not move through the banks as their operands do */
	tspe_manners manners;
} way;

static bool emit_by(tspe *e, way how, GError **error)
{
	bool done;

	e->registers = how.registers;
	e->bursts_only = how.bursts_only;
	e->partials_dense = how.partials_dense;
	e->manners = how.manners;
	e->end = e->start;
	find_queues(e);
	tspe_mxm_init(e);
	done = tspe_calendars_init(&e->cal, e->m, e->start, error) && emit_all(e, error);
	tspe_mxm_fini(e);
	tspe_memory_free(e);
	if (e->slots)
		g_ptr_array_unref(e->slots);
	if (e->plans)
		g_array_unref(e->plans);
	tspe_calendars_fini(&e->cal);
	return done;
}

/* The best way found. */
typedef struct choice {
	way how;
	int64_t end;
	isa_program *program; /* as emitted that way, when it was tried; or NULL */
} choice;

/* Tries one more way, which is better when it ends sooner. */
static void try_way(const tspe *full, way how, choice *best)
{
	sched_report report = {.notes = g_string_new(NULL)};
	sched_options options = *full->options;
	tspe e = {.program = isa_program_new(full->m),
	          .low = full->low,
	          .start = full->start,
	          .m = full->m,
	          .options = &options,
	          .report = &report,
	          .trial = true,
	          .known = full->known,
	          .limit = best->end};
	isa_epoch epoch = {.images = g_array_new(FALSE, TRUE, sizeof(isa_image))};

	options.functional = false;
	g_array_append_val(e.program->epochs, epoch);
	if (emit_by(&e, how, NULL) && e.end < best->end) {
		isa_program *before = best->program;

		*best = (choice){how, e.end, e.program};
		e.program = before;
	}
	isa_program_free(e.program);
	sched_report_fini(&report);
}

/* With so many registers, all ways that make a difference; FULL itself is one of them. */
static void try_ways(const tspe *full, unsigned registers, choice *best)
{
	for (unsigned dense = 0; dense <= full->has_partials; dense++)
		for (unsigned bursts = 0; bursts <= full->in_rows; bursts++)
			if (dense || bursts || registers != full->registers)
				try_way(full, (way){registers, bursts, dense, {{0}}}, best);
}

/* What is best for a loop alone may keep others away.  All loops in another manner: */
static void try_together(const tspe *full, choice *best)
{
	for (unsigned m = TSPE_MANNER_PATIENT; full->rowed && m < TSPE_MANNERS; m++)
		for (unsigned dense = 0; dense <= full->has_partials; dense++) {
			way how = {full->registers, false, dense, {{0}}};

			memset(how.manners.of, (int)m, sizeof how.manners.of);
			try_way(full, how, best);
		}
}

/* Of loops in rows, one after the other in other manners. */
static void try_manners(const tspe *full, choice *best)
{
	for (unsigned i = 0; i < TSPE_MANNERED; i++)
		for (unsigned m = 1; full->rowed >> i & 1 && !best->how.bursts_only && m < TSPE_MANNERS; m++) {
			way how = best->how;

			how.manners.of[i] = (uint8_t)m;
			try_way(full, how, best);
		}
}

static uint64_t issues_of(const tspe *e)
{
	return e->use.accesses + e->use.vector_ops + e->use.lane_ops;
}

/* Loops in rows let others in later, partial results that keep their distance take more room, and chunks that fewer
 * registers make shorter sometimes fit better.  Small epochs are tried with some numbers below what they used, so a
 * machine with more registers than one of these is never slower than with it. */
static choice best_way(const tspe *full)
{
	static const unsigned numbers[] = {8, 16, 32};
	choice best = {{full->registers, false, false, {{0}}}, full->end, NULL};

	try_ways(full, full->registers, &best);
	try_together(full, &best);
	/* Queues that hold few words would run dry of the shorter chunks' instructions. */
	if (full->m->icu_queue_words || issues_of(full) > TRIED_LOOPS)
		return best;
	try_manners(full, &best);
	if (issues_of(full) > TRIED_ISSUES)
		return best;
	for (unsigned i = 0; i < G_N_ELEMENTS(numbers) && numbers[i] < full->registers; i++)
		if (numbers[i] < full->needed.used || full->in_blocks)
			try_ways(full, numbers[i], &best);
	return best;
}

static void exchange(GArray **a, GArray **b)
{
	GArray *was = *a;

	*a = *b;
	*b = was;
}

/* The instructions of a try become PROGRAM's, which had none before: for its length. */
static void take_over(isa_program *program, isa_program *tried)
{
	exchange(&program->insns, &tried->insns);
	exchange(&program->node_of, &tried->node_of);
	exchange(&program->first_source, &tried->first_source);
	exchange(&program->source_count, &tried->source_count);
	exchange(&program->sources, &tried->sources);
	exchange(&program->predictions, &tried->predictions);
	exchange(&program->instance_base, &tried->instance_base);
	exchange(&program->nodes, &tried->nodes);
	exchange(&program->maps, &tried->maps);
}

bool emit_tsp(isa_program *program, const low_program *low, uint32_t epoch, int64_t start, const isa_machine *machine,
              const sched_options *options, sched_report *report, int64_t *end, GError **error)
{
	g_autoptr(GHashTable) known = tspe_known_new();
	const tspe clean = {.program = program,
	                    .low = low,
	                    .epoch = epoch,
	                    .start = start,
	                    .m = machine,
	                    .options = options,
	                    .report = report,
	                    .known = known};
	tspe e = clean;
	mark before = mark_now(program, epoch, report);
	bool done = emit_by(&e, (way){(unsigned)machine->vreg_count, false, false, {{0}}}, error);

	if (done) {
		choice best = best_way(&e);

		if (best.program && options->length_only && !before.insns) {
			take_over(program, best.program);
			e.end = best.end;
		} else if (best.program) {
			go_back(&before);
			e = clean;
			done = emit_by(&e, best.how, error);
		}
		isa_program_free(best.program);
	}
	*end = e.end;
	g_free(before.binds);
	return done;
}
