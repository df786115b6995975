/* SPDX-License-Identifier: Apache-2.0
 *
 * Initiation intervals of the loops that kernels named: iterations that repeat, in the middle of the loop, timed in the
 * predicted streams, against what pipes, links, memory and the use of the same buffers again need at least.  What the
 * bounds take as given, and why they hold: docs/engines-cyclic.md.
 */
#include "sched/emit/ascend/interval.h"

#include <math.h>

enum { LEAST_PERIODS = 3, MOST_PERIOD = 96, MOST_STEPS = 1200, TURNS = 6, PARTS = 1024 };

/* A loop in one stream. */
typedef struct loop_part {
	uint32_t iterations;
	int64_t first, last; /* cycles */
} loop_part;

static const asc_stream *stream_at(const asb *b, guint i)
{
	return g_ptr_array_index(b->program->streams, i);
}

/* ---- what repeats ---- */

/* Of all that is not a place. */
static uint64_t hash_of(const asc_insn *insn, const asb_mode *mode)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);
	uint64_t hash = insn->op * UINT64_C(0x9e3779b97f4a7c15) + mode->low * 3 + mode->high * 5 + mode->counter;

	for (unsigned i = 0; i < info->fields; i++) {
		if (info->field[i].value == ASC_VALUE_ADDRESS)
			continue;
		hash = (hash ^ (uint64_t)insn->f[i]) * UINT64_C(0xbf58476d1ce4e5b9);
		hash ^= hash >> 29;
	}
	return hash;
}

/* The longest stretch in which hashes repeat after PERIOD; returns how many iterations it has. */
static uint32_t stretch_of(const uint64_t *hash, uint32_t count, uint32_t period, uint32_t *first)
{
	uint32_t best = 0, run = 0;

	for (uint32_t i = 0; i + period < count; i++) {
		run = hash[i] && hash[i] == hash[i + period] ? run + 1 : 0;
		if (run > best) {
			best = run;
			*first = i + 1 - run;
		}
	}
	return best ? best + period : 0;
}

/* The shortest period whose stretch is nearly as long as the longest one. */
static bool find_period(const uint64_t *hash, uint32_t count, asi_stretch *s)
{
	uint32_t most = MIN(count / LEAST_PERIODS, MOST_PERIOD), longest = 0, first;

	for (uint32_t p = 1; p <= most; p++) {
		uint32_t length = stretch_of(hash, count, p, &first);

		if (length / p >= LEAST_PERIODS)
			longest = MAX(longest, length);
	}
	for (uint32_t p = 1; longest && p <= most; p++) {
		uint32_t length = stretch_of(hash, count, p, &first);

		if (length / p < LEAST_PERIODS || length < longest - longest / 4)
			continue;
		*s = (asi_stretch){first, p, length / p, NULL};
		return true;
	}
	return false;
}

/* The middle of a stretch, at most MOST_STEPS of STEPS, one period less than there are. */
static void keep_middle(asi_stretch *s, uint32_t steps_of_period)
{
	uint32_t all = s->periods, fill = MAX(all / 4, 1), most = MAX(MOST_STEPS / MAX(steps_of_period, 1), 2);
	uint32_t from = MIN(fill, all - 2), to = MAX(all - 1 - (all > 4 ? fill : 0), from + 1);

	if (to - from + 1 > most) {
		from += (to - from + 1 - most) / 2;
		to = from + most - 1;
	}
	s->first += from * s->period;
	/* Two or three buffers need not take equally long. */
	s->periods = to - from;
	s->periods -= s->periods > TURNS ? s->periods % TURNS : s->periods > 1 ? s->periods % 2 : 0;
}

static bool find_stretch(const asb *b, const asc_stream *stream, uint32_t loop, uint32_t count, asi_stretch *s)
{
	g_autofree uint64_t *hash = g_new0(uint64_t, count + 1);
	uint32_t steps = 0, end;

	for (asi_walk w = asi_walk_new(b, stream); asi_walk_on(&w);)
		if (w.loop == loop)
			hash[w.iteration] += hash_of(w.insn, &w.mode);
	if (!find_period(hash, count, s))
		return false;
	end = s->first + s->period;
	for (asi_walk w = asi_walk_new(b, stream); asi_walk_on(&w);)
		steps += w.loop == loop && w.iteration >= s->first && w.iteration < end;
	keep_middle(s, steps);
	end = s->first + s->period * (s->periods + 1);
	s->steps = g_array_new(FALSE, FALSE, sizeof(asi_step));
	for (asi_walk w = asi_walk_new(b, stream); asi_walk_on(&w);)
		if (w.loop == loop && w.iteration >= s->first && w.iteration < end) {
			asi_step step = {.insn = w.insn,
			                 .mode = w.mode,
			                 .pipe = asb_queue_of(w.insn),
			                 .tag = w.loop << ASB_TAG_BITS | w.iteration,
			                 .iteration = w.iteration};

			g_array_append_val(s->steps, step);
		}
	return true;
}

/* ---- its interval ---- */

/* Cycles from the first step of the stretch to the same of the period behind it, on the pipe where that is longest. */
static int64_t measure(const asi_stretch *s)
{
	int64_t begin[ASC_PIPES], end[ASC_PIPES], most = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		begin[p] = end[p] = INT64_MAX;
	for (guint i = 0; i < s->steps->len; i++) {
		const asi_step *step = asi_step_at(s, i);
		uint32_t period = (step->iteration - s->first) / s->period;

		if (period == 0)
			begin[step->pipe] = MIN(begin[step->pipe], step->insn->start);
		if (period == s->periods)
			end[step->pipe] = MIN(end[step->pipe], step->insn->start);
	}
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (begin[p] < INT64_MAX && end[p] < INT64_MAX)
			most = MAX(most, end[p] - begin[p]);
	return most;
}

static void keep_higher(asi_bound *best, double cycles, const char *what)
{
	if (cycles > best->cycles)
		*best = (asi_bound){cycles, what};
}

/* A period of one sub-core. */
static asi_bound resources(const asb *b, const asi_stretch *s, const asi_graph *g)
{
	const asc_machine *m = b->machine;
	double taken[ASC_PIPES] = {0}, link[2] = {0}, issued = 0;
	asi_bound best = {0, "nothing"};

	for (guint i = 0; i < s->steps->len; i++) {
		const asi_step *step = asi_step_at(s, i);

		if (step->iteration >= s->first + s->period * s->periods)
			continue;
		taken[step->pipe] += step->taken;
		issued++;
		for (unsigned way = 0; way < 2; way++)
			link[way] += step->link[way];
	}
	issued /= s->periods;
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++) {
		unsigned flags = taken[p] > 0 ? asi_graph_flags(g, (enum asc_pipe)p) : 0;

		issued += flags;
		taken[p] += asi_graph_barriers(g, (enum asc_pipe)p) * s->periods;
		keep_higher(&best, taken[p] / s->periods + flags * (double)m->flag_issue_cycles,
		            asc_pipe_name((enum asc_pipe)p));
	}
	keep_higher(&best, issued / (double)m->scalar_dispatch_per_cycle, "scalar unit");
	keep_higher(&best, link[0] / s->periods, "link from L2");
	keep_higher(&best, link[1] / s->periods, "link to L2");
	return best;
}

/* Is A iterations in CYCLES slower than B? */
static bool is_slower(int64_t cycles, int64_t iterations, int64_t than_cycles, int64_t than_iterations)
{
	return (double)cycles * (double)than_iterations > (double)than_cycles * (double)iterations;
}

/* Steps that do the same in different periods need not be equally long; the shortest counts for all of them. */
static void even_latencies(asi_stretch *s)
{
	g_autofree guint *count = g_new0(guint, (gsize)(s->periods + 1) * ASC_PIPES);
	g_autofree guint *rank = g_new0(guint, s->steps->len + 1);
	g_autofree double *least = g_new(double, (gsize)(s->steps->len + 1) * ASC_PIPES);

	for (gsize i = 0; i < (gsize)(s->steps->len + 1) * ASC_PIPES; i++)
		least[i] = INFINITY;
	for (guint i = 0; i < s->steps->len; i++) {
		const asi_step *step = asi_step_at(s, i);
		double *of;

		rank[i] = count[(step->iteration - s->first) / s->period * ASC_PIPES + step->pipe]++;
		of = &least[(gsize)rank[i] * ASC_PIPES + step->pipe];
		*of = MIN(*of, step->latency);
	}
	for (guint i = 0; i < s->steps->len; i++)
		asi_step_at(s, i)->latency = least[(gsize)rank[i] * ASC_PIPES + asi_step_at(s, i)->pipe];
}

typedef struct looker {
	asb *b;
	asi_lines *lines;
	asi_alone *alone;
} looker;

/* The loop in one stream, into what is known of the loop. */
static void look_at(const looker *l, uint32_t loop, asi_stretch *s, sched_interval *i)
{
	asi_graph *g;
	asi_bound best, other;
	int64_t cycles = measure(s), iterations = (int64_t)s->periods * s->period;
	int64_t least, of = (int64_t)s->period * PARTS;

	for (guint n = 0; n < s->steps->len; n++)
		if (asi_step_at(s, n)->pipe != ASC_PIPE_S)
			asi_alone_measure(l->alone, asi_step_at(s, n));
	even_latencies(s);
	g = asi_graph_new(l->b, s);
	best = resources(l->b, s, g);
	other = asi_graph_recurrence(g);
	keep_higher(&best, other.cycles, other.what);
	asi_graph_free(g);
	other = asi_lines_bound(l->lines, loop, s->first, s->first + s->periods * s->period);
	keep_higher(&best, other.cycles / s->periods, other.what);
	least = (int64_t)floor(best.cycles * PARTS + 1e-3);
	if (!i->iterations || is_slower(cycles, iterations, i->cycles, i->iterations)) {
		i->cycles = cycles;
		i->iterations = iterations;
	}
	if (!i->bound_iterations || is_slower(least, of, i->bound_cycles, i->bound_iterations)) {
		i->bound_cycles = least;
		i->bound_iterations = of;
		g_free(i->binds);
		i->binds = g_strdup(best.what);
	}
}

/* ---- all loops ---- */

static loop_part *find_parts(const asb *b)
{
	guint streams = b->program->streams->len;
	loop_part *part = g_new0(loop_part, (gsize)(b->loops->len + 1) * (streams + 1));

	for (guint n = 0; n < streams; n++)
		for (asi_walk w = asi_walk_new(b, stream_at(b, n)); asi_walk_on(&w);) {
			loop_part *p = &part[(gsize)w.loop * streams + n];

			if (!w.loop)
				continue;
			p->first = p->iterations ? MIN(p->first, w.insn->start) : w.insn->start;
			p->last = MAX(p->last, w.insn->end);
			p->iterations = MAX(p->iterations, w.iteration + 1);
		}
	return part;
}

/* The block that takes longest, of those with the most iterations. */
static int32_t find_block(const asb *b, const loop_part *part)
{
	const loop_part *best = NULL;
	int32_t block = -1;

	for (guint n = 0; n < b->program->streams->len; n++) {
		const loop_part *p = &part[n];

		if (!p->iterations ||
		    (best && (p->iterations < best->iterations ||
		              (p->iterations == best->iterations && p->last - p->first <= best->last - best->first))))
			continue;
		best = p;
		block = stream_at(b, n)->block;
	}
	return block;
}

/* From the first step of the loop on any sub-core to the end of the last. */
static void measure_all(const asb *b, const loop_part *part, sched_interval *i)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	i->iterations = 0;
	for (guint n = 0; n < b->program->streams->len; n++) {
		if (!part[n].iterations)
			continue;
		first = MIN(first, part[n].first);
		last = MAX(last, part[n].last);
		i->iterations = MAX(i->iterations, part[n].iterations);
	}
	i->cycles = last - first;
}

static void one_loop(const looker *l, uint32_t loop, const loop_part *part, sched_report *report)
{
	const asb_loop_name *name = &g_array_index(l->b->loops, asb_loop_name, loop - 1);
	sched_interval i = {.unit = name->unit};
	int32_t block = find_block(l->b, part);

	for (guint n = 0; block >= 0 && n < l->b->program->streams->len; n++) {
		const asc_stream *stream = stream_at(l->b, n);
		asi_stretch s;

		if (stream->block != block || !part[n].iterations ||
		    !find_stretch(l->b, stream, loop, part[n].iterations, &s))
			continue;
		look_at(l, loop, &s, &i);
		g_array_unref(s.steps);
	}
	/* What all cores share they may use unevenly for a while; over the whole loop they cannot. */
	if (i.iterations && is_slower(i.bound_cycles, i.bound_iterations, i.cycles, i.iterations))
		measure_all(l->b, part, &i);
	if (i.iterations && i.cycles > 0 && i.bound_cycles > 0) {
		i.loop = g_ptr_array_index(l->b->program->nodes, name->node);
		sched_report_interval(report, &i);
	}
	g_free(i.binds);
}

void ask_intervals(asb *b, sched_report *report)
{
	g_autofree loop_part *part = b->loops->len ? find_parts(b) : NULL;
	looker l = {.b = b};

	for (uint32_t loop = 1; loop <= b->loops->len && loop < ASB_LOOPS; loop++) {
		const loop_part *of = part + (gsize)loop * b->program->streams->len;
		uint32_t most = 0;

		for (guint n = 0; n < b->program->streams->len; n++)
			most = MAX(most, of[n].iterations);
		if (most < LEAST_PERIODS)
			continue;
		if (!l.lines) {
			l.lines = asi_lines_new(b);
			l.alone = asi_alone_new(b, l.lines);
		}
		one_loop(&l, loop, of, report);
	}
	if (l.lines) {
		asi_alone_free(l.alone);
		asi_lines_free(l.lines);
	}
}
