/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicted start and end of every instruction: a list of events.  The scalar unit of a sub-core pushes instructions
 * into queues; a pipe begins its queue's head when it is free and flags, barriers and units of L0C allow it; what it
 * then takes, units say (predict_core.c, predict_vector.c, predict_memory.c).  The earliest event is next; sub-cores
 * meet only in memory and counters, so each goes on by itself until a copy of global memory is its next, and of those
 * the earliest begins.  One that waits for a counter waits for the others.
 */
#include "sched/emit/ascend/predict.h"

#include <math.h>

enum { IDS = 16, COUNTERS = 32, MODES = 3, ALL = (1 << ASC_PIPES) - 1 };

/* In a queue: it can be seen from VISIBLE on. */
typedef struct entry {
	asc_insn *insn;
	double visible;
	asb_mode mode;
} entry;

typedef struct lane {
	double free, done, busy;
	double next;  /* when its head may begin; INFINITY: none, or somebody else is first */
	entry *entry; /* [depth] */
	double *left; /* [depth] when the last entries left the queue */
	uint32_t depth, pushed, begun;
} lane;

typedef struct runner {
	asc_stream *stream;
	uint32_t core;
	guint next;
	double scalar; /* first cycle of the next issue */
	lane lane[ASC_PIPES];
	unsigned stale;                         /* lanes whose `next` is to be found anew, a bit each */
	double flag[ASC_PIPES][ASC_PIPES][IDS]; /* when it is set; INFINITY: clear */
	GArray *arrived[COUNTERS];              /* double: when each set raised the counter */
	guint taken[COUNTERS];
	GArray *waiting[MODES][COUNTERS]; /* double: own sets that wait for the group */
	ask_core *units;
	asb_mode mode;
	bool woken; /* a counter rose */
	double end;
} runner;

typedef struct timeline {
	asb *b;
	const asc_machine *m;
	ask_memory *memory;
	runner *runner;
	uint32_t count;
	GArray **words;      /* by word: double, from when on each set of it is seen */
	uint64_t begun, all; /* instructions */
} timeline;

static int64_t rounded(double time)
{
	return (int64_t)ceil(time - 1e-6);
}

static void at(asc_insn *insn, double start, double end)
{
	insn->start = rounded(start);
	insn->end = MAX(rounded(end), insn->start);
}

/* ---- counters ---- */

static bool same_kind(const runner *a, const runner *b)
{
	return a->stream->kind == b->stream->kind;
}

static bool is_member(const runner *x, const runner *by, unsigned mode)
{
	return same_kind(x, by) && (mode == 0 || x->core == by->core);
}

static bool is_target(const runner *x, const runner *by, unsigned mode)
{
	if (mode == 2)
		return x->core == by->core && !same_kind(x, by);
	return is_member(x, by, mode);
}

/* A set of R: when every member has one, the counters of the targets rise. */
static void raise_counter(timeline *t, runner *r, unsigned mode, unsigned id, double time)
{
	double last = 0;

	g_array_append_val(r->waiting[mode][id], time);
	for (uint32_t i = 0; i < t->count; i++)
		if (is_member(&t->runner[i], r, mode) && !t->runner[i].waiting[mode][id]->len)
			return;
	for (uint32_t i = 0; i < t->count; i++)
		if (is_member(&t->runner[i], r, mode)) {
			GArray *sets = t->runner[i].waiting[mode][id];

			last = MAX(last, g_array_index(sets, double, 0));
			g_array_remove_index(sets, 0);
		}
	for (uint32_t i = 0; i < t->count; i++)
		if (is_target(&t->runner[i], r, mode)) {
			g_array_append_val(t->runner[i].arrived[id], last);
			t->runner[i].woken = true;
		}
}

/* ---- the scalar unit ---- */

static double all_done(const runner *r)
{
	double done = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		done = MAX(done, MAX(r->lane[p].done, r->lane[p].free));
	return done;
}

static bool all_begun(const runner *r)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		if (r->lane[p].begun < r->lane[p].pushed)
			return false;
	return true;
}

static bool is_scalar(enum asc_pipe pipe)
{
	return pipe == ASC_PIPE_S || pipe == (enum asc_pipe)ASC_PIPE_ALL;
}

static GArray *word_sets(const timeline *t, const asc_insn *insn)
{
	GArray **sets = &t->words[((uint64_t)insn->f[0] - t->b->words) / ASB_WORD_BYTES];

	if (!*sets)
		*sets = g_array_new(FALSE, FALSE, sizeof(double));
	return *sets;
}

/* A value of N is the N-th set. */
static void set_word(timeline *t, const runner *r, const asc_insn *insn, double seen)
{
	g_array_append_val(word_sets(t, insn), seen);
	for (uint32_t i = 0; i < t->count; i++)
		if (&t->runner[i] != r)
			t->runner[i].woken = true;
}

/* The look that sees the value: a look follows another until then.  INFINITY: it is not yet set. */
static double word_ready(const timeline *t, const runner *r, const asc_insn *insn)
{
	const GArray *sets = word_sets(t, insn);
	double look = (double)(t->m->scalar_load_cycles + t->m->scalar_branch_cycles);
	double start = (double)rounded(r->scalar), seen;

	if (sets->len < (guint)insn->f[1])
		return INFINITY;
	seen = g_array_index(sets, double, insn->f[1] - 1);
	return seen > start ? start + ceil((seen - start) / look) * look : start;
}

/* When the scalar unit can go on; INFINITY: when something else has. */
static double scalar_ready(const timeline *t, const runner *r)
{
	const asc_insn *insn;
	enum asc_pipe pipe;
	const lane *l;

	if (r->next >= r->stream->insns->len)
		return INFINITY;
	insn = &g_array_index(r->stream->insns, asc_insn, r->next);
	pipe = asb_queue_of(insn);
	if (!is_scalar(pipe)) {
		l = &r->lane[pipe];
		if (l->pushed - l->begun >= l->depth)
			return INFINITY;
		/* A place is free in the cycle after the entry in it has left. */
		return l->pushed >= l->depth ? MAX(r->scalar, l->left[l->pushed % l->depth] + 1) : r->scalar;
	}
	switch ((enum asc_op)insn->op) {
	case ASC_OP_BARRIER:
		return all_begun(r) ? MAX(r->scalar, all_done(r)) : INFINITY;
	case ASC_OP_WAITFLAG:
		return MAX(r->scalar, r->flag[insn->f[0]][insn->f[1]][insn->f[2]]);
	case ASC_OP_WAITCROSS:
		if (r->taken[insn->f[1]] >= r->arrived[insn->f[1]]->len)
			return INFINITY;
		return MAX(r->scalar, g_array_index(r->arrived[insn->f[1]], double, r->taken[insn->f[1]]));
	case ASC_OP_WAITWORD:
		return word_ready(t, r, insn);
	default:
		return r->scalar;
	}
}

/* What it executes itself. */
static void scalar_step(timeline *t, runner *r, asc_insn *insn, double start)
{
	const asc_machine *m = t->m;
	const int64_t *f = insn->f;
	double cost = (double)m->scalar_alu_cycles;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_WAITFLAG:
		r->flag[f[0]][f[1]][f[2]] = INFINITY;
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_SETFLAG:
		r->flag[f[0]][f[1]][f[2]] = MAX(start, r->lane[ASC_PIPE_S].done) + (double)m->flag_latency_cycles;
		r->stale |= 1u << f[1];
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_SETCROSS:
		raise_counter(t, r, (unsigned)f[1], (unsigned)f[2],
		              MAX(start, r->lane[ASC_PIPE_S].done) + (double)m->cross_latency_cycles);
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_WAITCROSS:
		r->taken[f[1]]++;
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_BARRIER:
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_SETMASK:
		r->mode.low = (uint64_t)f[0];
		r->mode.high = (uint64_t)f[1];
		cost = (double)m->scalar_spr_cycles;
		break;
	case ASC_OP_SETCTRL:
		r->mode.counter = f[0] != 0;
		cost = (double)m->scalar_spr_cycles;
		break;
	case ASC_OP_SETWORD:
		cost = (double)m->scalar_publish_cycles;
		set_word(t, r, insn, (double)rounded(start) + cost);
		break;
	case ASC_OP_WAITWORD:
		cost = (double)(m->scalar_load_cycles + m->scalar_alu_cycles);
		break;
	case ASC_OP_LDG:
	case ASC_OP_STG:
		cost = (double)m->scalar_load_cycles;
		break;
	default:
		break;
	}
	r->scalar = ceil(start - 1e-6) + cost;
	at(insn, start, r->scalar);
	r->lane[ASC_PIPE_S].done = r->scalar;
}

static void issue(timeline *t, runner *r, double start)
{
	asc_insn *insn = &g_array_index(r->stream->insns, asc_insn, r->next++);
	enum asc_pipe pipe = asb_queue_of(insn);
	lane *l;

	if (is_scalar(pipe)) {
		scalar_step(t, r, insn, start);
		return;
	}
	l = &r->lane[pipe];
	if (l->pushed == l->begun)
		r->stale |= 1u << pipe;
	l->entry[l->pushed++ % l->depth] =
		(entry){insn, floor(start + 1e-6) + (double)t->m->queue_latency_cycles, r->mode};
	r->scalar = start + 1.0 / (double)t->m->scalar_dispatch_per_cycle;
}

/* ---- pipes ---- */

static double head_ready(const runner *r, const lane *l)
{
	const entry *e = &l->entry[l->begun % l->depth];
	double ready = MAX(e->visible, l->free);
	const int64_t *f = e->insn->f;

	switch ((enum asc_op)e->insn->op) {
	case ASC_OP_WAITFLAG:
		ready = MAX(ready, r->flag[f[0]][f[1]][f[2]]);
		break;
	case ASC_OP_BARRIER:
		ready = MAX(ready, l->done);
		break;
	default:
		ready = MAX(ready, ask_core_ready(r->units, e->insn));
		break;
	}
	return ceil(ready - 1e-6);
}

static void refresh(runner *r)
{
	for (unsigned p = 0; r->stale; p++, r->stale >>= 1)
		if (r->stale & 1) {
			lane *l = &r->lane[p];

			l->next = l->begun < l->pushed ? head_ready(r, l) : INFINITY;
		}
}

/* Who may wait for what PIPE just began? */
static unsigned moved_by(const asc_insn *insn, enum asc_pipe pipe)
{
	unsigned lanes = 1u << pipe;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_SETFLAG:
		return lanes | 1u << insn->f[1];
	case ASC_OP_MMAD:
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		return lanes | 1u << ASC_PIPE_M | 1u << ASC_PIPE_FIX | 1u << ASC_PIPE_V;
	default:
		return lanes;
	}
}

/* Times of a large program take long to find. */
static void tell(timeline *t)
{
	enum { OFTEN = 1024 };
	const sched_options *o = &t->b->options;

	if (++t->begun % OFTEN == 0 && o->progress)
		o->progress(o->progress_state,
		            t->b->progress_from + t->b->progress_share * (double)t->begun / (double)t->all);
}

/* The head of a queue begins. */
static void begin(timeline *t, runner *r, enum asc_pipe pipe)
{
	const asc_machine *m = t->m;
	lane *l = &r->lane[pipe];
	const entry *e = &l->entry[l->begun % l->depth];
	asc_insn *insn = e->insn;
	const int64_t *f = insn->f;
	double start = l->next, slot = (double)m->flag_issue_cycles;
	ask_times x = {start, start + slot, start + slot, start};

	switch ((enum asc_op)insn->op) {
	case ASC_OP_WAITFLAG:
		r->flag[f[0]][f[1]][f[2]] = INFINITY;
		break;
	case ASC_OP_BARRIER:
		break;
	case ASC_OP_SETFLAG:
		r->flag[f[0]][f[1]][f[2]] = MAX(start, l->done) + (double)m->flag_latency_cycles;
		break;
	case ASC_OP_SETCROSS:
		raise_counter(t, r, (unsigned)f[1], (unsigned)f[2],
		              MAX(start, l->done) + (double)m->cross_latency_cycles);
		break;
	default:
		x = ask_core_times(r->units, insn, pipe, &e->mode, start);
		x.free = MAX(x.free, x.start + 1);
		l->busy += MAX(x.done - MAX(x.start, l->done), 0);
		l->done = MAX(l->done, x.done);
		break;
	}
	l->free = x.free;
	at(insn, x.start, x.done);
	tell(t);
	l->left[l->begun++ % l->depth] = x.start;
	r->stale |= moved_by(insn, pipe);
}

static bool shares_memory(const asc_insn *insn)
{
	switch ((enum asc_op)insn->op) {
	case ASC_OP_ND2NZ:
	case ASC_OP_GM_TO_L1:
	case ASC_OP_GM_TO_UB:
	case ASC_OP_UB_TO_GM:
	case ASC_OP_L1_TO_GM:
	case ASC_OP_FIX_GM:
		return true;
	default:
		return false;
	}
}

/* A counter that has not risen: what follows may yet come before what is queued. */
static bool waits_for_counter(const runner *r)
{
	const asc_insn *insn;

	if (r->next >= r->stream->insns->len)
		return false;
	insn = &g_array_index(r->stream->insns, asc_insn, r->next);
	return insn->op == ASC_OP_WAITCROSS && r->taken[insn->f[1]] >= r->arrived[insn->f[1]]->len;
}

/* Goes on until what is next depends on what others do before, and says when that is; FIRST: over this one.  INFINITY:
 * it is over, or waits for another. */
static double run(timeline *t, runner *r, bool first)
{
	for (;;) {
		unsigned best = ASC_PIPE_S + 1;
		double scalar;
		lane *l;

		refresh(r);
		for (unsigned p = best + 1; p < ASC_PIPES; p++)
			if (r->lane[p].next < r->lane[best].next)
				best = p;
		l = &r->lane[best];
		scalar = scalar_ready(t, r);
		/* In one cycle pipes begin before the scalar unit issues. */
		if (scalar < l->next) {
			issue(t, r, scalar);
			continue;
		}
		if (l->next == INFINITY)
			return INFINITY;
		if (shares_memory(l->entry[l->begun % l->depth].insn) || waits_for_counter(r)) {
			if (!first)
				return l->next;
			first = false;
		}
		begin(t, r, (enum asc_pipe)best);
	}
}

/* ---- all of them ---- */

static void init_runner(timeline *t, runner *r, asc_stream *stream)
{
	r->stream = stream;
	r->core = (uint32_t)stream->block;
	r->mode = (asb_mode){UINT64_MAX, UINT64_MAX, false};
	r->units = ask_core_new(t->m, t->memory);
	r->stale = ALL;
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		r->lane[p].depth = (uint32_t)MAX(t->m->queue_depth[p], 1);
		r->lane[p].left = g_new0(double, r->lane[p].depth);
		r->lane[p].entry = g_new0(entry, r->lane[p].depth);
		for (unsigned q = 0; q < ASC_PIPES; q++)
			for (unsigned i = 0; i < IDS; i++)
				r->flag[p][q][i] = INFINITY;
	}
	for (unsigned i = 0; i < COUNTERS; i++) {
		r->arrived[i] = g_array_new(FALSE, FALSE, sizeof(double));
		for (unsigned mode = 0; mode < MODES; mode++)
			r->waiting[mode][i] = g_array_new(FALSE, FALSE, sizeof(double));
	}
}

static void fini_runner(runner *r)
{
	ask_core_free(r->units);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		g_free(r->lane[p].left);
		g_free(r->lane[p].entry);
	}
	for (unsigned i = 0; i < COUNTERS; i++) {
		g_array_free(r->arrived[i], TRUE);
		for (unsigned mode = 0; mode < MODES; mode++)
			g_array_free(r->waiting[mode][i], TRUE);
	}
}

static void run_all(timeline *t)
{
	g_autofree double *when = g_new0(double, t->count + 1);

	for (uint32_t i = 0; i < t->count; i++)
		when[i] = run(t, &t->runner[i], false);
	for (;;) {
		uint32_t best = 0;
		bool woken = false;

		for (uint32_t i = 0; i < t->count; i++)
			if (t->runner[i].woken) {
				t->runner[i].woken = false;
				when[i] = run(t, &t->runner[i], false);
				woken = true;
			}
		if (woken)
			continue;
		for (uint32_t i = 1; i < t->count; i++)
			if (when[i] < when[best])
				best = i;
		if (!t->count || when[best] == INFINITY)
			break;
		when[best] = run(t, &t->runner[best], true);
	}
	for (uint32_t i = 0; i < t->count; i++)
		t->runner[i].end = MAX(t->runner[i].scalar, all_done(&t->runner[i]));
}

static void report_binds(const timeline *t, const runner *last, sched_report *report)
{
	const asc_machine *m = t->m;
	unsigned most = ASC_PIPE_V;

	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (last->lane[p].busy > last->lane[most].busy)
			most = p;
	g_free(report->binds);
	report->binds =
		g_strdup_printf("%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " cycles",
	                        asc_pipe_name((enum asc_pipe)most), rounded(last->lane[most].busy), rounded(last->end));
	report->cycles = t->b->program->predicted_cycles;
	if (!report->notes)
		report->notes = g_string_new(NULL);
	g_string_append_printf(report->notes,
	                       "predicted busy cycles of the last %s sub-core:", asc_kind_name(last->stream->kind));
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (last->lane[p].busy > 0)
			g_string_append_printf(report->notes, " %s %" G_GINT64_FORMAT, asc_pipe_name((enum asc_pipe)p),
			                       rounded(last->lane[p].busy));
	g_string_append_c(report->notes, '\n');
	if (m->launch_us)
		g_string_append_printf(report->notes,
		                       "predicted with its launch: %" G_GINT64_FORMAT
		                       " cycles (launch_us %" G_GINT64_FORMAT ")\n",
		                       report->cycles + m->launch_us * m->clock_hz / G_USEC_PER_SEC, m->launch_us);
}

void ask_predict(asb *b, sched_report *report)
{
	timeline t = {.b = b, .m = b->machine, .count = b->program->streams->len};
	const runner *last = NULL;
	uint64_t words = b->words ? asb_words_bytes(b) / ASB_WORD_BYTES : 0;

	t.words = g_new0(GArray *, words + 1);
	t.memory = ask_memory_new(b->machine);
	t.runner = g_new0(runner, t.count + 1);
	for (uint32_t i = 0; i < t.count; i++) {
		init_runner(&t, &t.runner[i], g_ptr_array_index(b->program->streams, i));
		t.all += t.runner[i].stream->insns->len;
	}
	run_all(&t);
	for (uint32_t i = 0; i < t.count; i++)
		if (!last || t.runner[i].end > last->end)
			last = &t.runner[i];
	b->program->predicted_cycles = last ? rounded(last->end) : 0;
	if (last && report)
		report_binds(&t, last, report);
	for (uint32_t i = 0; i < t.count; i++)
		fini_runner(&t.runner[i]);
	g_free(t.runner);
	for (uint64_t i = 0; i < words; i++)
		if (t.words[i])
			g_array_free(t.words[i], TRUE);
	g_free(t.words);
	ask_memory_free(t.memory);
}
