/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicted start and end of every instruction.  Streams are walked in program order: sets stand before the waits they
 * release and pipes start their queues in order, so each instruction's times follow at once from those before it.  Sub-
 * cores take turns, the one whose next copy of global memory may begin first goes on, so that shared memory is asked
 * nearly in order of time; one that waits for a counter waits for the others.
 *
 * Not predicted: accesses of copies and of the vector unit that meet in the unified buffer.
 */
#include "sched/emit/ascend/predict.h"

#include <math.h>

enum { IDS = 16, COUNTERS = 32, MODES = 3, SPANS = 16, DRAINS = 2 };

typedef struct lane {
	double free, done, busy;
	double *left; /* [depth] when the last entries left the queue */
	uint32_t depth, pushed;
} lane;

/* Copies into one half of L1, which take a SHARE of its cycles. */
typedef struct half {
	struct {
		double from, to, share;
	} span[SPANS];
	unsigned next;
} half;

typedef struct runner {
	asc_stream *stream;
	uint32_t core, member;
	guint next;
	double scalar; /* first cycle of the next issue */
	lane lane[ASC_PIPES];
	double flag[ASC_PIPES][ASC_PIPES][IDS];
	GArray *arrived[COUNTERS]; /* double: when each set raised the counter */
	guint taken[COUNTERS];
	GArray *waiting[MODES][COUNTERS]; /* double: own sets that wait for the group */
	ask_link link[2];
	half l1[2];
	asb_mode mode;
	double mark_begin;            /* L0C: when the last mmad that hands over began */
	double mark_first, mark_last; /* and completes its units between */
	struct {
		int64_t place;
		double first, last;
	} drain[DRAINS]; /* of each tile of L0C: the last copy out took its units away between */
	unsigned drains;
	bool over, stuck;
	double end;
} runner;

typedef struct timeline {
	asb *b;
	const asc_machine *m;
	ask_memory *memory;
	runner *runner;
	uint32_t count;
	GArray **words; /* by word: double, from when on each set of it is seen */
} timeline;

static double queue_time(const timeline *t, lane *l, double *scalar)
{
	/* A place is free in the cycle after the entry in it has left. */
	if (l->pushed >= l->depth)
		*scalar = MAX(*scalar, l->left[l->pushed % l->depth] + 1);
	return *scalar + (double)t->m->queue_latency_cycles;
}

static void leave(lane *l, double start)
{
	l->left[l->pushed++ % l->depth] = start;
}

static int64_t rounded(double time)
{
	return (int64_t)ceil(time - 1e-6);
}

/* ---- units ---- */

static half *half_of(const timeline *t, runner *r, int64_t address)
{
	return &r->l1[address >= t->m->l1_bytes / 2];
}

static void came_in(const timeline *t, half *h, const ask_times *x, double bytes)
{
	double cycles = MAX(x->done - x->first, 1);
	unsigned at = h->next++ % SPANS;

	h->span[at].from = x->first;
	h->span[at].to = x->done;
	h->span[at].share = MIN(bytes / (double)t->m->l1_write_bytes_per_cycle / cycles, 1);
}

/* A load of L0 reads L1 in the cycles that copies into the same half leave. */
static double load_cycles(const timeline *t, runner *r, const asc_insn *insn, double start)
{
	enum { ROUNDS = 2 };
	const int64_t *f = insn->f;
	const half *h = half_of(t, r, insn->op == ASC_OP_LOAD3D_A || insn->op == ASC_OP_LOAD3D_B ? f[2] : f[1]);
	double path = ask_load_cycles(insn, t->m), own = ask_load_bytes(insn) / (double)t->m->l1_read_bytes_per_cycle;
	double cycles = own;

	for (unsigned round = 0; round < ROUNDS; round++) {
		double end = start + cycles;

		cycles = own;
		for (unsigned i = 0; i < SPANS; i++)
			cycles += MAX(MIN(h->span[i].to, end) - MAX(h->span[i].from, start), 0) * h->span[i].share;
	}
	return MAX(path, cycles);
}

static ask_times copy_times(timeline *t, runner *r, const asc_insn *insn, double start)
{
	const asc_machine *m = t->m;
	const int64_t *f = insn->f;
	ask_bursts b = {.count = (uint64_t)f[2], .bytes = (uint64_t)f[3]};
	ask_times x;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_ND2NZ: {
		uint64_t size = asc_type_bytes((enum asc_type)f[0]);

		b = (ask_bursts){(uint64_t)f[2], (uint64_t)f[5] * size, (uint64_t)(f[3] * f[4]), (uint64_t)f[6] * size,
		                 !f[8]};
		x = ask_memory_copy(t->memory, &r->link[0], false, &b,
		                    start + (double)(m->mte2_start_cycles + m->mte2_nd2nz_cycles),
		                    (double)MIN(m->mte2_l1_bytes_per_cycle, m->l2_core_read_bytes_per_cycle), 0);
		came_in(t, half_of(t, r, f[1]), &x, (double)(b.count * b.bytes));
		break;
	}
	case ASC_OP_GM_TO_L1:
	case ASC_OP_GM_TO_UB: {
		bool ub = insn->op == ASC_OP_GM_TO_UB;

		b.address = (uint64_t)f[1];
		b.pitch = b.bytes + (uint64_t)f[4];
		b.past = !f[9];
		x = ask_memory_copy(t->memory, &r->link[0], false, &b, start + (double)m->mte2_start_cycles,
		                    (double)MIN(ub ? m->mte2_ub_bytes_per_cycle : m->mte2_l1_bytes_per_cycle,
		                                m->l2_core_read_bytes_per_cycle),
		                    ub ? (double)m->mte2_ub_cycles : 0);
		break;
	}
	case ASC_OP_UB_TO_L1: {
		/* A burst that does not follow the one before takes reads of the unified buffer of its own. */
		int64_t bytes = f[4] ? f[3] : f[2] * f[3], port = m->ub_mte_read_bytes_per_cycle;
		double reads = (double)((f[4] ? f[2] : 1) * ((bytes + port - 1) / port));

		x.free = x.done = start + MAX(reads, (double)(f[2] * f[3]) / (double)m->mte3_ub_l1_bytes_per_cycle);
		break;
	}
	default:
		b.address = (uint64_t)f[0];
		b.pitch = b.bytes + (uint64_t)f[5];
		x = ask_memory_copy(t->memory, &r->link[1], true, &b, start + (double)m->mte3_start_cycles,
		                    (double)MIN(insn->op == ASC_OP_UB_TO_GM ? m->mte3_gm_bytes_per_cycle
		                                                            : m->mte3_l1_gm_bytes_per_cycle,
		                                m->l2_core_write_bytes_per_cycle),
		                    (double)m->mte3_response_cycles);
		break;
	}
	x.start = start;
	return x;
}

/* Fixpipe, and L0C to the unified buffer; both take units of L0C away. */
static ask_times out_times(timeline *t, runner *r, const asc_insn *insn, double start)
{
	const asc_machine *m = t->m;
	const int64_t *f = insn->f;
	uint64_t size = asc_type_bytes((enum asc_type)f[1]);
	double rate = (double)m->fix_elements_per_cycle * (double)size, bytes = (double)(f[4] * f[5]) * (double)size;
	bool units = f[12] & 2;
	ask_times x = {.start = start};

	/* It stays in its queue until every unit is being made. */
	if (units)
		x.start = start = MAX(start, r->mark_begin);
	if (insn->op == ASC_OP_FIX_GM) {
		ask_bursts b = {(uint64_t)f[2], (uint64_t)f[5] * size, (uint64_t)f[4], (uint64_t)f[7] * size, false};

		rate = MIN(MIN(rate, (double)m->fix_gm_bytes_per_cycle), (double)m->l2_core_write_bytes_per_cycle);
		x = ask_memory_copy(t->memory, &r->link[1], true, &b, start, rate, 0);
		x.start = start;
	} else {
		rate = MIN(rate,
		           (double)(insn->op == ASC_OP_FIX_L1 ? m->fix_l1_bytes_per_cycle : m->fix_ub_bytes_per_cycle));
		x.free = x.done = start + bytes / rate;
	}
	if (units) {
		/* No unit leaves before it is marked. */
		x.free = MAX(x.free, r->mark_last + (x.free - start) / (double)MAX(f[4], 1));
		x.done = MAX(x.done, x.free);
		r->drain[r->drains % DRAINS].place = f[3];
		r->drain[r->drains % DRAINS].first = start + (x.free - start) / (double)MAX(f[4], 1);
		r->drain[r->drains++ % DRAINS].last = x.free;
		r->link[1].free = MAX(r->link[1].free, x.free);
	}
	if (insn->op != ASC_OP_L0C_TO_UB)
		x.done = MAX(x.done, start + (double)m->fix_start_cycles);
	return x;
}

static ask_times product_times(timeline *t, runner *r, const asc_insn *insn, double start)
{
	const asc_machine *m = t->m;
	double steps = ask_product_cycles(insn, m), head = (double)m->cube_start_cycles, wait = 0;
	ask_times x = {.start = start};

	if (insn->f[9] & 2) {
		/* It stands still before a unit that is not yet drained. */
		for (unsigned i = 0; i < DRAINS; i++) {
			if (r->drain[i].place != insn->f[1])
				continue;
			wait = MAX(wait, r->drain[i].last - (start + steps + head));
			wait = MAX(wait, r->drain[i].first - (start + head));
			r->drain[i].first = r->drain[i].last = 0;
		}
		if (insn->f[9] == 3) {
			r->mark_begin = start;
			r->mark_first = start + wait + head;
			r->mark_last = start + wait + head + steps;
		}
	}
	x.free = start + wait + steps + (double)m->cube_gap_cycles;
	x.done = start + wait + steps + head;
	return x;
}

static ask_times unit_times(timeline *t, runner *r, const asc_insn *insn, enum asc_pipe pipe, double start)
{
	const asc_machine *m = t->m;
	ask_times x = {.start = start};
	double cycles;

	switch (pipe) {
	case ASC_PIPE_M:
		return product_times(t, r, insn, start);
	case ASC_PIPE_MTE1:
		x.free = ceil(start + load_cycles(t, r, insn, start));
		x.done = x.free + (double)m->mte1_start_cycles;
		return x;
	case ASC_PIPE_V:
		if (insn->op == ASC_OP_L0C_TO_UB)
			return out_times(t, r, insn, start);
		cycles = ask_vector_cycles(insn, &r->mode, m);
		x.free = start + MAX(cycles, (double)m->vector_gap_cycles);
		x.done = start + (double)m->timing[asc_op((enum asc_op)insn->op)->timing].head + cycles;
		if (r->mode.counter)
			x.done = MAX(x.done, start + (double)(m->timing[asc_op((enum asc_op)insn->op)->timing].head +
			                                      m->vector_counter_floor_cycles));
		if (cycles <= 0)
			x.done = x.free;
		return x;
	case ASC_PIPE_FIX:
		return out_times(t, r, insn, start);
	default:
		return copy_times(t, r, insn, start);
	}
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
			t->runner[i].stuck = false;
		}
}

/* ---- one instruction ---- */

static double all_done(const runner *r)
{
	double done = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		done = MAX(done, MAX(r->lane[p].done, r->lane[p].free));
	return done;
}

static void at(asc_insn *insn, double start, double end)
{
	insn->start = rounded(start);
	insn->end = MAX(rounded(end), insn->start);
}

static GArray *word_sets(timeline *t, const asc_insn *insn)
{
	GArray **sets = &t->words[((uint64_t)insn->f[0] - t->b->words) / ASB_WORD_BYTES];

	if (!*sets)
		*sets = g_array_new(FALSE, FALSE, sizeof(double));
	return *sets;
}

/* A value of N is the N-th set; false when that is still to come. */
static bool word_step(timeline *t, const asc_insn *insn, double *start, double *cost)
{
	const asc_machine *m = t->m;
	GArray *sets = word_sets(t, insn);
	double look = (double)(m->scalar_load_cycles + m->scalar_branch_cycles), seen;

	if (insn->op == ASC_OP_SETWORD) {
		*cost = (double)m->scalar_publish_cycles;
		seen = (double)rounded(*start) + *cost;
		g_array_append_val(sets, seen);
		for (uint32_t i = 0; i < t->count; i++)
			t->runner[i].stuck = false;
		return true;
	}
	if (sets->len < (guint)insn->f[1])
		return false;
	*start = (double)rounded(*start);
	seen = g_array_index(sets, double, insn->f[1] - 1);
	if (seen > *start)
		*start += ceil((seen - *start) / look) * look;
	*cost = (double)(m->scalar_load_cycles + m->scalar_alu_cycles);
	return true;
}

/* What the scalar unit executes itself; false: it has to wait for another sub-core. */
static bool scalar_step(timeline *t, runner *r, asc_insn *insn, enum asc_pipe pipe)
{
	const asc_machine *m = t->m;
	const int64_t *f = insn->f;
	double start = r->scalar, cost = (double)m->scalar_alu_cycles;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_BARRIER:
		start = MAX(start, all_done(r));
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_WAITFLAG:
		start = MAX(start, r->flag[f[0]][f[1]][f[2]]);
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_SETFLAG:
		r->flag[f[0]][f[1]][f[2]] = start + (double)m->flag_latency_cycles;
		cost = (double)m->flag_issue_cycles;
		break;
	case ASC_OP_WAITCROSS:
		if (r->taken[f[1]] >= r->arrived[f[1]]->len)
			return false;
		start = MAX(start, g_array_index(r->arrived[f[1]], double, r->taken[f[1]]));
		r->taken[f[1]]++;
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
	case ASC_OP_WAITWORD:
		if (!word_step(t, insn, &start, &cost))
			return false;
		break;
	case ASC_OP_LDG:
	case ASC_OP_STG:
		cost = (double)m->scalar_load_cycles;
		break;
	default:
		break;
	}
	(void)pipe;
	at(insn, start, start + cost);
	r->scalar = start + cost;
	r->lane[ASC_PIPE_S].done = r->scalar;
	return true;
}

/* What stands in a queue: flags, barriers, and the units' own. */
static void queue_step(timeline *t, runner *r, asc_insn *insn, enum asc_pipe pipe)
{
	const asc_machine *m = t->m;
	const int64_t *f = insn->f;
	lane *l = &r->lane[pipe];
	double start = MAX(queue_time(t, l, &r->scalar), l->free), slot = (double)m->flag_issue_cycles;
	ask_times x;

	r->scalar += 1.0 / (double)m->scalar_dispatch_per_cycle;
	switch ((enum asc_op)insn->op) {
	case ASC_OP_WAITFLAG:
		start = MAX(start, r->flag[f[0]][f[1]][f[2]]);
		break;
	case ASC_OP_BARRIER:
		start = MAX(start, l->done);
		break;
	case ASC_OP_SETFLAG:
		r->flag[f[0]][f[1]][f[2]] = MAX(start, l->done) + (double)m->flag_latency_cycles;
		break;
	case ASC_OP_SETCROSS:
		raise_counter(t, r, (unsigned)f[1], (unsigned)f[2],
		              MAX(start, l->done) + (double)m->cross_latency_cycles);
		break;
	default:
		start = ceil(start - 1e-6);
		x = unit_times(t, r, insn, pipe, start);
		start = x.start;
		l->busy += MAX(x.done - MAX(start, l->done), 0);
		l->free = MAX(x.free, start + 1);
		l->done = MAX(l->done, x.done);
		leave(l, start);
		at(insn, start, x.done);
		return;
	}
	start = ceil(start - 1e-6);
	leave(l, start);
	l->free = start + slot;
	at(insn, start, start + slot);
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

/* Goes on until a copy of global memory is next, and says when that may begin; INFINITY: over, or stuck. */
static double run(timeline *t, runner *r, bool first)
{
	while (r->next < r->stream->insns->len) {
		asc_insn *insn = &g_array_index(r->stream->insns, asc_insn, r->next);
		enum asc_pipe pipe = asb_queue_of(insn);

		if (shares_memory(insn) && !first)
			return MAX(r->scalar, r->lane[pipe].free);
		first = false;
		if (pipe == ASC_PIPE_S || pipe == (enum asc_pipe)ASC_PIPE_ALL) {
			if (!scalar_step(t, r, insn, pipe)) {
				r->stuck = true;
				return INFINITY;
			}
		} else {
			queue_step(t, r, insn, pipe);
		}
		r->next++;
	}
	r->over = true;
	r->end = MAX(r->scalar, all_done(r));
	return INFINITY;
}

/* ---- all of them ---- */

static void init_runner(timeline *t, runner *r, asc_stream *stream)
{
	r->stream = stream;
	r->core = (uint32_t)stream->block;
	r->mode = (asb_mode){UINT64_MAX, UINT64_MAX, false};
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		r->lane[p].depth = (uint32_t)MAX(t->m->queue_depth[p], 1);
		r->lane[p].left = g_new0(double, r->lane[p].depth);
	}
	for (unsigned i = 0; i < COUNTERS; i++) {
		r->arrived[i] = g_array_new(FALSE, FALSE, sizeof(double));
		for (unsigned mode = 0; mode < MODES; mode++)
			r->waiting[mode][i] = g_array_new(FALSE, FALSE, sizeof(double));
	}
}

static void fini_runner(runner *r)
{
	g_free(r->link[0].returns);
	g_free(r->link[1].returns);
	for (unsigned p = 0; p < ASC_PIPES; p++)
		g_free(r->lane[p].left);
	for (unsigned i = 0; i < COUNTERS; i++) {
		g_array_free(r->arrived[i], TRUE);
		for (unsigned mode = 0; mode < MODES; mode++)
			g_array_free(r->waiting[mode][i], TRUE);
	}
}

static void run_all(timeline *t)
{
	g_autofree double *when = g_new0(double, t->count + 1);
	g_autofree bool *stood = g_new0(bool, t->count + 1);

	for (;;) {
		uint32_t best = t->count;

		for (uint32_t i = 0; i < t->count; i++) {
			if (stood[i] && !t->runner[i].stuck) {
				stood[i] = false;
				when[i] = t->runner[i].scalar;
			}
			if (when[i] < INFINITY && (best == t->count || when[i] < when[best]))
				best = i;
		}
		if (best == t->count)
			return;
		when[best] = run(t, &t->runner[best], true);
		stood[best] = t->runner[best].stuck;
	}
}

static void report_binds(const timeline *t, const runner *last, sched_report *report)
{
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
}

void ask_predict(asb *b, sched_report *report)
{
	timeline t = {.b = b, .m = b->machine, .count = b->program->streams->len};
	const runner *last = NULL;

	uint64_t words = b->words ? asb_words_bytes(b) / ASB_WORD_BYTES : 0;

	t.memory = ask_memory_new(b->machine, b->global);
	t.words = g_new0(GArray *, words + 1);
	t.runner = g_new0(runner, t.count + 1);
	for (uint32_t i = 0; i < t.count; i++)
		init_runner(&t, &t.runner[i], g_ptr_array_index(b->program->streams, i));
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
