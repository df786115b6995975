/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependences inside a stretch of a loop, by the bytes of local buffers that steps touch, and the longest ways through
 * them.  Global memory is left out, and so are L0C's units, which cube and way out hand over one by one: that makes
 * bounds lower.
 */
#include "sched/emit/ascend/interval.h"

#include <math.h>

typedef struct edge {
	guint from;
	double weight; /* from start to start at least */
	bool flag;     /* a set and a wait are between */
	bool barrier;
} edge;

struct asi_graph {
	const asb *b;
	const asi_stretch *s;
	GArray *edges; /* edge, by the step they lead to */
	guint *first;  /* [steps + 1] of a step's edges */
};

static bool has_unit_flag(const asc_insn *insn)
{
	int field = asc_field_by_name((enum asc_op)insn->op, "unit_flag");

	return field >= 0 && insn->f[field];
}

/* How two steps that touch the same bytes are kept apart. */
static edge edge_of(const asi_graph *g, const asb_span *old, const asb_span *new)
{
	const asc_machine *m = g->b->machine;
	const asi_step *u = asi_step_at(g->s, old->step);
	double slot = (double)m->flag_issue_cycles;

	if (old->pipe == new->pipe) {
		bool ordered = asc_ordered((enum asc_pipe) new->pipe, (enum asc_space) new->box.space, old->box.write,
		                           new->box.write);

		return (edge){old->step, ordered ? u->taken : u->latency + slot, false, !ordered};
	}
	if (new->box.space == ASC_L0C && old->unit_flag &&new->unit_flag)
		return (edge){old->step, 1, false, false};
	return (edge){old->step, u->latency + (double)m->flag_latency_cycles + slot, true, false};
}

static void drop_barriers(asi_graph *g);

static void add_edges(asi_graph *g, asb_spans *set, const asb_span *new, GPtrArray *found)
{
	g_ptr_array_set_size(found, 0);
	asb_spans_find(set, new->box.low, new->box.high, found);
	for (guint i = 0; i < found->len; i++) {
		asb_span *old = g_ptr_array_index(found, i);
		edge e;

		if (old->step == new->step || !asb_box_meet(&old->box, &new->box))
			continue;
		e = edge_of(g, old, new);
		g_array_append_val(g->edges, e);
		if (new->box.write && asb_box_holds(&new->box, &old->box) && e.weight > 1)
			asb_spans_remove(set, old);
	}
}

asi_graph *asi_graph_new(const asb *b, const asi_stretch *s)
{
	asi_graph *g = g_new0(asi_graph, 1);
	asb_spans reads[ASC_SPACES] = {{0}}, writes[ASC_SPACES] = {{0}};
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	asb_box box[ASB_BOXES];

	g->b = b;
	g->s = s;
	g->edges = g_array_new(FALSE, FALSE, sizeof(edge));
	g->first = g_new0(guint, s->steps->len + 1);
	for (guint i = 0; i < s->steps->len; i++) {
		const asi_step *step = asi_step_at(s, i);
		unsigned boxes = step->pipe == ASC_PIPE_S ? 0 : asb_touch(step->insn, &step->mode, b->machine, box);
		asb_span new = {.step = i, .pipe = (uint8_t)step->pipe, .unit_flag = has_unit_flag(step->insn)};

		g->first[i] = g->edges->len;
		for (unsigned n = 0; n < boxes; n++) {
			new.box = box[n];
			if (box[n].space == ASC_GM)
				continue;
			add_edges(g, &writes[box[n].space], &new, found);
			if (box[n].write)
				add_edges(g, &reads[box[n].space], &new, found);
		}
		for (unsigned n = 0; n < boxes; n++) {
			new.box = box[n];
			if (box[n].space != ASC_GM)
				asb_spans_add(box[n].write ? &writes[box[n].space] : &reads[box[n].space], &new);
		}
	}
	g->first[s->steps->len] = g->edges->len;
	drop_barriers(g);
	for (unsigned space = 0; space < ASC_SPACES; space++) {
		asb_spans_fini(&reads[space]);
		asb_spans_fini(&writes[space]);
	}
	return g;
}

void asi_graph_free(asi_graph *g)
{
	g_array_unref(g->edges);
	g_free(g->first);
	g_free(g);
}

static uint32_t period_of(const asi_stretch *s, guint i)
{
	return (asi_step_at(s, i)->iteration - s->first) / s->period;
}

/* Iterations of pipe FROM that pipe TO hears of in the last period. */
static unsigned handed(const asi_graph *g, enum asc_pipe from, enum asc_pipe to)
{
	uint32_t heard = UINT32_MAX; /* iteration; none */
	unsigned count = 0;

	for (guint i = 0; i < g->s->steps->len; i++) {
		if (asi_step_at(g->s, i)->pipe != to)
			continue;
		for (guint e = g->first[i]; e < g->first[i + 1]; e++) {
			const edge *d = &g_array_index(g->edges, edge, e);
			uint32_t of = asi_step_at(g->s, d->from)->iteration;

			if (!d->flag || asi_step_at(g->s, d->from)->pipe != from ||
			    (heard != UINT32_MAX && of <= heard))
				continue;
			heard = of;
			count += period_of(g->s, i) == g->s->periods;
		}
	}
	return count;
}

unsigned asi_graph_flags(const asi_graph *g, enum asc_pipe pipe)
{
	unsigned sets = 0, waits = 0;

	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++) {
		if (p == pipe)
			continue;
		sets = MAX(sets, handed(g, pipe, (enum asc_pipe)p));
		waits = MAX(waits, handed(g, (enum asc_pipe)p, pipe));
	}
	return sets + waits;
}

/* ---- ways ---- */

/* The step of period PERIOD that does what step I, of the first, does: as many of its pipe come before it there. */
static guint same_step(const asi_stretch *s, guint i, uint32_t period)
{
	const asi_step *of = asi_step_at(s, i);
	unsigned before = 0;

	for (guint k = 0; k < i; k++)
		before += asi_step_at(s, k)->pipe == of->pipe && period_of(s, k) == 0;
	for (guint k = 0; k < s->steps->len; k++) {
		const asi_step *other = asi_step_at(s, k);

		if (other->pipe != of->pipe || period_of(s, k) != period)
			continue;
		if (!before--)
			return other->insn->op == of->insn->op ? k : G_MAXUINT;
	}
	return G_MAXUINT;
}

/* Pipes on the way to step AT, the last first. */
static const char *name_way(const asi_graph *g, const guint *before, guint from, guint at)
{
	GString *name = g_string_new("round trip");
	unsigned named = 0;
	const char *interned;

	for (; at != from; at = before[at]) {
		enum asc_pipe pipe = asi_step_at(g->s, before[at])->pipe;

		if (named >> pipe & 1)
			continue;
		g_string_append_printf(name, "%s %s", named ? "," : "", asc_pipe_name(pipe));
		named |= 1u << pipe;
	}
	interned = g_intern_string(name->str);
	g_string_free(name, TRUE);
	return interned;
}

/* A barrier is not needed where a pipe that step I waits for has waited for its own pipe: the last step known by that,
 * -1: none. */
static int64_t known_by_flags(const asi_graph *g, guint i)
{
	enum asc_pipe pipe = asi_step_at(g->s, i)->pipe;
	int64_t known = -1;

	for (guint e = g->first[i]; e < g->first[i + 1]; e++) {
		guint by = g_array_index(g->edges, edge, e).from;

		for (guint k = g->first[by]; g_array_index(g->edges, edge, e).flag && k < g->first[by + 1]; k++) {
			const edge *d = &g_array_index(g->edges, edge, k);

			if (d->flag && asi_step_at(g->s, d->from)->pipe == pipe)
				known = MAX(known, (int64_t)d->from);
		}
	}
	return known;
}

static void drop_barriers(asi_graph *g)
{
	for (guint i = 0; i < g->s->steps->len; i++) {
		int64_t known = known_by_flags(g, i);

		for (guint e = g->first[i]; e < g->first[i + 1]; e++) {
			edge *d = &g_array_index(g->edges, edge, e);

			d->barrier = d->barrier && (int64_t)d->from > known;
		}
	}
}

/* PIPE < ASC_PIPES: barriers of it on the way; else cycles. */
static double weight_of(const asi_graph *g, const edge *d, unsigned pipe)
{
	return pipe < ASC_PIPES ? d->barrier && (unsigned)asi_step_at(g->s, d->from)->pipe == pipe : d->weight;
}

static void find_ways(const asi_graph *g, guint from, unsigned pipe, double *far, guint *before)
{
	for (guint i = from; i < g->s->steps->len; i++)
		far[i] = -INFINITY;
	far[from] = 0;
	for (guint i = from + 1; i < g->s->steps->len; i++)
		for (guint e = g->first[i]; e < g->first[i + 1]; e++) {
			const edge *d = &g_array_index(g->edges, edge, e);

			if (d->from >= from && far[d->from] + weight_of(g, d, pipe) > far[i]) {
				far[i] = far[d->from] + weight_of(g, d, pipe);
				before[i] = d->from;
			}
		}
}

static asi_bound highest_mean(const asi_graph *g, unsigned pipe)
{
	guint steps = g->s->steps->len;
	g_autofree double *far = g_new(double, steps + 1);
	g_autofree guint *before = g_new(guint, steps + 1);
	asi_bound best = {0, "nothing"};

	for (guint i = 0; i < steps; i++) {
		if (period_of(g->s, i))
			continue;
		find_ways(g, i, pipe, far, before);
		for (uint32_t d = 1; d <= g->s->periods; d++) {
			guint same = same_step(g->s, i, d);

			if (same != G_MAXUINT && same > i && far[same] > best.cycles * d)
				best = (asi_bound){far[same] / d, name_way(g, before, i, same)};
		}
	}
	return best;
}

asi_bound asi_graph_recurrence(const asi_graph *g)
{
	return highest_mean(g, ASC_PIPES);
}

double asi_graph_barriers(const asi_graph *g, enum asc_pipe pipe)
{
	double least = INFINITY;

	for (guint i = 0; i < g->s->steps->len; i++) {
		const asi_step *step = asi_step_at(g->s, i);

		if (step->pipe == pipe)
			least = MIN(least, step->latency - step->taken);
	}
	if (least == INFINITY)
		return 0;
	return highest_mean(g, pipe).cycles * (MAX(least, 0) + (double)g->b->machine->flag_issue_cycles);
}
