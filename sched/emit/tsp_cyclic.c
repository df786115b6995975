/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels as cyclic problems (sched/alg/cyclic.h).
 *
 * Every step of an iteration is an operation: it takes a queue of its kind for a cycle, banks as often as its shortest
 * access asks for them, and register ports and weight bandwidth when it samples and when its result is due.  Steps made
 * once a chunk are left out.  What banks an access meets, and with whom, is not looked at: so the interval is a bound
 * of what any bank map, layout and order can reach.
 *
 * Bursts: where an interval of several cycles is to be kept by looped instructions, each row of the schedule is as long
 * as a burst.  A value then reaches the vector unit within the row, and a store in the next one; and accesses that meet
 * in some bank when their bursts run side by side are not put into one row.
 */
#include <limits.h>
#include <string.h>

#include "sched/alg/cyclic_memo.h"
#include "sched/emit/tsp.h"

enum {
	PLACEMENTS = 4000,
	CONFLICTS = 4000,
	KINDS_MAX = 16, /* of queues */
	BOUND_MAX = 4096,
	NOTED_LOOPS = 24, /* of an epoch */
};

typedef struct translation {
	const tspe_kernel *k;
	cyclic_problem *p;
	const uint16_t *queues[KINDS_MAX];
	uint32_t kind[KINDS_MAX];
	unsigned kinds;
	uint32_t banks, reads, writes, weights; /* resources */
	uint32_t op[TSPE_STEPS_MAX];            /* of each step; UINT32_MAX: none */
} translation;

/* The resource of a step's queues. */
static uint32_t queue_resource(translation *t, const tspe_step *s)
{
	for (unsigned i = 0; i < t->kinds; i++)
		if (t->queues[i] == s->queues)
			return t->kind[i];
	g_assert(t->kinds < KINDS_MAX);
	t->queues[t->kinds] = s->queues;
	t->kind[t->kinds] = cyclic_add_resource(t->p, isa_unit_name(isa_ops[s->insn.op].unit), s->queue_count);
	return t->kind[t->kinds++];
}

/* Bank cycles that an access of the step takes at least. */
static uint32_t least_work(const tspe_kernel *k, const tspe_step *s)
{
	uint64_t least = UINT32_MAX;

	for (uint32_t a = 0; a < k->count * s->fan; a++)
		least = MIN(least, bank_calendar_work(k->e->cal.banks, s->prints[a]));
	return (uint32_t)least;
}

static void add_memory(translation *t, const tspe_step *s, uint32_t at)
{
	uint32_t work = bank_calendar_is_ideal(t->k->e->cal.banks) ? 0 : least_work(t->k, s);
	uint32_t beats = s->beats_min;
	uint32_t most = cyclic_resource_at(t->p, t->banks)->capacity;

	/* Whole beats, so that no amount is above what there is; what is left over is dropped. */
	if (work)
		cyclic_add_use(t->p, t->banks, CLAMP(work / MAX(beats, 1), 1, most), at, MAX(beats, 1));
}

static void add_step(translation *t, unsigned index)
{
	const tspe_step *s = &t->k->step[index];
	uint32_t queue = queue_resource(t, s), skew = (uint32_t)s->skew;
	int64_t due = s->skew + s->delay + s->beats_max - 1;

	t->op[index] = cyclic_add_op(t->p, isa_ops[s->insn.op].mnemonic);
	cyclic_add_mode(t->p);
	for (uint32_t j = 0; j < s->fan; j++) {
		uint32_t at = j * s->fan_interval;

		cyclic_add_use(t->p, queue, 1, at, 1);
		if (s->memory)
			add_memory(t, s, at + skew);
		if (s->read_ports)
			cyclic_add_use(t->p, t->reads, s->read_ports, at + skew, 1);
		if (s->weight_bytes)
			cyclic_add_use(t->p, t->weights, s->weight_bytes, at + skew, 1);
		if (s->result == TSPE_REGISTERS)
			cyclic_add_use(t->p, t->writes, s->span, at + (uint32_t)MAX(due, 0), 1);
	}
}

static void add_edges(translation *t, unsigned index)
{
	const tspe_step *s = &t->k->step[index];

	for (unsigned o = 0; o < 2; o++)
		for (unsigned j = 0; s->in[o] >= 0 && j < s->fan; j++) {
			unsigned value;
			const tspe_step *p = tspe_producer(t->k, s, o, j, &value);
			int64_t latency = p->skew + p->delay + p->beats_max - 1 + (int64_t)value * p->fan_interval -
			                  s->skew - (int64_t)j * s->fan_interval;

			if (t->op[p - t->k->step] != UINT32_MAX)
				cyclic_add_edge(t->p, t->op[p - t->k->step], t->op[index], latency, 0,
				                p->result == TSPE_REGISTERS);
		}
}

/* translation_fini() afterwards. */
static cyclic_problem *translate(translation *t, const tspe_kernel *k)
{
	const isa_machine *m = k->e->m;
	const bank_map *map = bank_calendar_map(k->e->cal.banks);

	*t = (translation){.k = k, .p = cyclic_problem_new()};
	t->banks =
		cyclic_add_resource(t->p, "SRAM banks", (uint32_t)(bank_map_banks_used(map) * (uint64_t)m->sram_ports));
	t->reads = cyclic_add_resource(t->p, "register read ports", (uint32_t)m->vreg_read_ports);
	t->writes = cyclic_add_resource(t->p, "register write ports", (uint32_t)m->vreg_write_ports);
	t->weights = cyclic_add_resource(t->p, "weight bandwidth", (uint32_t)m->mxm_weight_bytes);
	for (unsigned i = 0; i < k->step_count; i++) {
		t->op[i] = UINT32_MAX;
		if (!k->step[i].once)
			add_step(t, i);
	}
	for (unsigned i = 0; i < k->step_count; i++)
		if (!k->step[i].once)
			add_edges(t, i);
	return t->p;
}

static void translation_fini(translation *t)
{
	cyclic_problem_free(t->p);
}

static void budget(cyclic_options *how)
{
	cyclic_options_init(how);
	how->placements = PLACEMENTS;
	how->conflicts = CONFLICTS;
}

int64_t tspe_kernel_bound(const tspe_kernel *k)
{
	translation t;
	cyclic_problem *p = translate(&t, k);
	cyclic_bounds b;
	int64_t bound;

	cyclic_bound(p, &b);
	bound = MAX(b.resource, 1);
	cyclic_bounds_fini(&b);
	translation_fini(&t);
	return bound;
}

/* The name, as a constant, of the resource that gives the bound; of units, as other lines of reports call them. */
static const char *constant_name(const char *why)
{
	static const char *const names[] = {"SRAM banks", "register read ports", "register write ports",
	                                    "weight bandwidth"};
	static const char *const units[ISA_UNIT_COUNT] = {
		[ISA_UNIT_MEM] = "SRAM issue slots",
		[ISA_UNIT_VXM] = "VXM",
		[ISA_UNIT_MXM] = "MXM",
		[ISA_UNIT_SXM] = "SXM",
	};

	for (unsigned i = 0; why && i < G_N_ELEMENTS(names); i++)
		if (g_strcmp0(why, names[i]) == 0)
			return names[i];
	for (unsigned u = 0; why && u < ISA_UNIT_COUNT; u++)
		if (g_strcmp0(why, isa_unit_name((enum isa_unit)u)) == 0)
			return units[u] ? units[u] : isa_unit_name((enum isa_unit)u);
	return "issue";
}

void tspe_kernel_limit(const tspe_kernel *k, int64_t interval, tspe_rate *rate)
{
	translation t;
	cyclic_problem *p = translate(&t, k);
	cyclic_bounds b;

	cyclic_bound(p, &b);
	*rate = (tspe_rate){interval, MAX(b.resource, 1), false, constant_name(b.resource_why), 0, 0};
	cyclic_bounds_fini(&b);
	/* Where the interval is not met, there may be none below it. */
	if (interval > rate->bound) {
		cyclic_options how;
		cyclic_result r;

		budget(&how);
		how.limit = BOUND_MAX;
		cyclic_memo_solve(k->e->options->loops, p, &how, &r);
		rate->bound = MAX(rate->bound, r.lower_bound);
		cyclic_result_fini(&r);
	}
	translation_fini(&t);
}

bool tspe_notes_rates(const tspe *e)
{
	return !e->trial && !e->options->brief && e->epoch < EMIT_NOTED_EPOCHS && e->noted < NOTED_LOOPS;
}

/* Among the report's intervals; its line has words of its own. */
static void add_interval(tspe *e, const char *node, const tspe_rate *rate, unsigned iterations)
{
	sched_interval i = {.loop = (char *)node,
	                    .binds = (char *)rate->binds,
	                    .unit = "iterations",
	                    .cycles = rate->interval,
	                    .iterations = iterations,
	                    .bound_cycles = rate->bound,
	                    .bound_iterations = iterations};
	GString *notes = g_steal_pointer(&e->report->notes);

	sched_report_interval(e->report, &i);
	e->report->notes = notes;
}

void tspe_note_rate(tspe *e, const tspe_rate *rate, unsigned iterations)
{
	const char *node = g_array_index(e->program->nodes, isa_node, e->node).name;

	if (!tspe_notes_rates(e))
		return;
	e->noted++;
	if (rate->interval)
		add_interval(e, node, rate, iterations);
	if (rate->interval)
		g_string_append_printf(e->report->notes, "%s: initiation interval %" G_GINT64_FORMAT, node,
		                       rate->interval);
	else
		g_string_append_printf(e->report->notes, "%s: in blocks, no constant initiation interval", node);
	if (iterations > 1)
		g_string_append_printf(e->report->notes, " for %u iterations", iterations);
	g_string_append_printf(e->report->notes, ", at least %" G_GINT64_FORMAT " (%s)%s", rate->bound, rate->binds,
	                       rate->proved ? ", proved" : "");
	if (rate->mean > (double)rate->interval)
		g_string_append_printf(e->report->notes, "; %.2f in the mean, with waits", rate->mean);
	if (rate->several > 0 && rate->several * iterations < (double)rate->bound)
		g_string_append_printf(e->report->notes,
		                       "; several side by side could take %.2f each, if their accesses met nowhere",
		                       rate->several);
	g_string_append_c(e->report->notes, '\n');
}
