/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph, what is known at each event, and which accesses it leaves unordered.
 *
 * Edges of how units work (full queues, unit flags of L0C) decide what can start at all, but not what anybody may rely
 * on: the rules of races do not count them.
 */
#include "tests/mutation/asc_weigh_int.h"

#include <string.h>

const char *weigh_fault_name(enum weigh_fault fault)
{
	static const char *const names[WEIGH_FAULTS] = {"unordered", "deadlock",      "doubled", "left",
	                                                "overflow",  "uninitialised", "beyond",  "overlap"};

	return names[fault];
}

void judge_edge(judge *j, uint32_t a, enum event ea, uint32_t b, enum event eb, bool tells)
{
	edge e = {event_of(a, ea), event_of(b, eb), tells};

	g_array_append_val(j->edges, e);
}

void judge_demand(judge *j, uint32_t before, uint32_t after, enum weigh_fault fault)
{
	demand d = {before, after, fault};

	g_array_append_val(j->demands, d);
}

static gint by_target(gconstpointer p, gconstpointer q)
{
	const edge *a = p, *b = q;

	return a->to != b->to ? (a->to < b->to ? -1 : 1) : a->from < b->from ? -1 : a->from > b->from;
}

static gint by_source(gconstpointer p, gconstpointer q)
{
	const edge *a = p, *b = q;

	return a->from != b->from ? (a->from < b->from ? -1 : 1) : a->to < b->to ? -1 : a->to > b->to;
}

/* First edge of each event, of edges sorted by source or target; [events + 1]. */
static uint32_t *first_edges(const judge *j, uint32_t events, bool source)
{
	uint32_t *first = g_new0(uint32_t, events + 1);

	for (guint i = 0; i < j->edges->len; i++) {
		const edge *e = &g_array_index(j->edges, edge, i);

		first[(source ? e->from : e->to) + 1]++;
	}
	for (uint32_t i = 0; i < events; i++)
		first[i + 1] += first[i];
	return first;
}

/* An order of all events; what is missing in it never happens. */
static void sort_events(judge *j)
{
	uint32_t events = j->steps->len * EVENTS, head = 0, tail = 0, *first;
	g_autofree uint32_t *open = g_new0(uint32_t, events + 1);

	g_array_sort(j->edges, by_source);
	first = first_edges(j, events, true);
	for (guint i = 0; i < j->edges->len; i++)
		open[g_array_index(j->edges, edge, i).to]++;
	j->order = g_new(uint32_t, events + 1);
	for (uint32_t i = 0; i < events; i++)
		if (!open[i])
			j->order[tail++] = i;
	while (head < tail) {
		uint32_t now = j->order[head++];

		for (uint32_t i = first[now]; i < first[now + 1]; i++)
			if (!--open[g_array_index(j->edges, edge, i).to])
				j->order[tail++] = g_array_index(j->edges, edge, i).to;
	}
	for (uint32_t i = 0; i < j->steps->len; i++)
		j->w->count[WEIGH_DEADLOCK] += open[event_of(i, START)] > 0;
	g_free(first);
}

static uint64_t *row_of(const judge *j, uint32_t event)
{
	return j->known + (size_t)event * j->words;
}

static void find_known(judge *j)
{
	enum { WORD = 64 };
	uint32_t events = j->steps->len * EVENTS, *first;

	j->words = (j->steps->len + WORD - 1) / WORD;
	j->known = g_new0(uint64_t, (size_t)events * j->words + 1);
	g_array_sort(j->edges, by_target);
	first = first_edges(j, events, false);
	for (uint32_t n = 0; n < events; n++) {
		uint32_t event = j->order[n], i = event / EVENTS;
		uint64_t *row = row_of(j, event);

		for (uint32_t k = first[event]; k < first[event + 1]; k++) {
			const edge *e = &g_array_index(j->edges, edge, k);
			const uint64_t *from = row_of(j, e->from);

			for (uint32_t word = 0; e->tells && word < j->words; word++)
				row[word] |= from[word];
		}
		if (event % EVENTS == DONE)
			row[i / WORD] |= UINT64_C(1) << i % WORD;
	}
	g_free(first);
}

bool judge_knows(const judge *j, uint32_t before, uint32_t after, enum event e)
{
	return row_of(j, event_of(after, e))[before / 64] >> before % 64 & 1;
}

static bool has_unit_flag(const asc_insn *insn)
{
	int field = asc_field_by_name((enum asc_op)insn->op, "unit_flag");

	return field >= 0 && insn->f[field];
}

/* Does the hardware keep the two accesses apart? */
static bool kept_apart(const step *a, const ref_access *x, const step *b, const ref_access *y)
{
	if ((a->insn->op == ASC_OP_SETWORD || a->insn->op == ASC_OP_WAITWORD) &&
	    (b->insn->op == ASC_OP_SETWORD || b->insn->op == ASC_OP_WAITWORD))
		return true;
	if (a->stream != b->stream)
		return false;
	if (a->pipe == b->pipe)
		return asc_ordered(a->pipe, x->space, x->write, y->write);
	return x->space == ASC_L0C && has_unit_flag(a->insn) && has_unit_flag(b->insn);
}

/* An access with its step, for the sweep over addresses. */
typedef struct run {
	enum asc_space space;
	uint32_t owner; /* stream; 0 for global memory */
	uint32_t step;
	const ref_access *access;
} run;

static gint by_address(gconstpointer p, gconstpointer q)
{
	const run *a = p, *b = q;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->access->address != b->access->address)
		return a->access->address < b->access->address ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

static GArray *all_runs(const judge *j)
{
	GArray *runs = g_array_new(FALSE, FALSE, sizeof(run));

	for (uint32_t i = 0; i < j->steps->len; i++)
		for (guint k = 0; k < step_at(j, i)->accesses->len; k++) {
			const ref_access *a = &g_array_index(step_at(j, i)->accesses, ref_access, k);
			run r = {a->space, a->space == ASC_GM ? 0 : step_at(j, i)->stream, i, a};

			g_array_append_val(runs, r);
		}
	g_array_sort(runs, by_address);
	return runs;
}

static bool is_lost(const judge *j, const run *a, const run *b)
{
	return a->step != b->step && (a->access->write || b->access->write) &&
	       !judge_knows(j, a->step, b->step, START) && !judge_knows(j, b->step, a->step, START) &&
	       !kept_apart(step_at(j, a->step), a->access, step_at(j, b->step), b->access);
}

static void find_unordered(judge *j)
{
	GArray *runs = all_runs(j), *open = g_array_new(FALSE, FALSE, sizeof(run));

	for (guint i = 0; i < runs->len; i++) {
		const run *r = &g_array_index(runs, run, i);

		for (guint k = 0; k < open->len;) {
			const run *old = &g_array_index(open, run, k);

			if (old->space != r->space || old->owner != r->owner ||
			    old->access->address + old->access->bytes <= r->access->address) {
				g_array_remove_index_fast(open, k);
				continue;
			}
			j->w->count[WEIGH_UNORDERED] += is_lost(j, old, r);
			k++;
		}
		g_array_append_val(open, *r);
	}
	g_array_free(open, TRUE);
	g_array_free(runs, TRUE);
}

static void meet_demands(judge *j)
{
	for (guint i = 0; i < j->demands->len; i++) {
		const demand *d = &g_array_index(j->demands, demand, i);

		j->w->count[d->fault] += !judge_knows(j, d->before, d->after, DONE);
	}
}

uint64_t weigh_memory_bytes(const asc_program *program)
{
	enum { SCRATCH = 1 << 20 };
	uint64_t bytes = 0;

	for (guint i = 0; i < program->images->len; i++) {
		const asc_image *image = &g_array_index(program->images, asc_image, i);

		bytes = MAX(bytes, image->address + image->bytes);
	}
	for (guint i = 0; i < program->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(program->tensors, asc_tensor, i);

		bytes = MAX(bytes, t->address + t->bytes);
	}
	return bytes + SCRATCH;
}

weigh *weigh_program(const asc_program *program, const asc_machine *machine, bool wide)
{
	judge j = {.program = program, .machine = machine, .wide = wide, .w = g_new0(weigh, 1)};

	j.steps = g_array_new(FALSE, FALSE, sizeof(step));
	j.edges = g_array_new(FALSE, FALSE, sizeof(edge));
	j.demands = g_array_new(FALSE, FALSE, sizeof(demand));
	judge_streams(&j);
	judge_flags(&j);
	judge_counters(&j);
	judge_words(&j);
	judge_units(&j);
	sort_events(&j);
	if (!j.w->count[WEIGH_DEADLOCK]) {
		find_known(&j);
		meet_demands(&j);
		judge_execute(&j);
		find_unordered(&j);
	}
	if (j.w->count[WEIGH_UNORDERED]) {
		g_free(j.w->memory);
		j.w->memory = NULL;
	}
	for (uint32_t i = 0; i < j.steps->len; i++)
		g_array_unref(step_at(&j, i)->accesses);
	g_array_unref(j.steps);
	g_array_unref(j.edges);
	g_array_unref(j.demands);
	g_free(j.order);
	g_free(j.known);
	return j.w;
}

void weigh_free(weigh *w)
{
	if (w)
		g_free(w->memory);
	g_free(w);
}

bool weigh_is_sound(const weigh *w)
{
	for (unsigned i = 0; i < WEIGH_FAULTS; i++)
		if (w->count[i])
			return false;
	return true;
}
