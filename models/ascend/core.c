/* SPDX-License-Identifier: Apache-2.0
 *
 * A sub-core: queues in front of its pipes.  A pipe starts the head of its queue when the instruction before it is free
 * and flags and barriers allow it; starting in order is not completing in order.  Flags and barriers are entries of the
 * queues and take a slot of their pipe.
 *
 * By timestamp an instruction starts at its predicted cycle, or when its pipe is free; flags and barriers hold nothing
 * up and take no slot.  What they would have ordered is known to be complete only if it was when the next instruction
 * of their pipe started.
 */
#include "models/ascend/front_int.h"

static const asc_who nobody = {.stream = UINT32_MAX, .insn = UINT32_MAX};

static void init_units(asc_subcore *s)
{
	const asc_machine *m = s->chip->machine;

	s->data = asc_data_new(m, s->chip->global);
	if (s->kind != ASC_CUBE) {
		s->ub = asc_ub_new(m);
		s->vector_unit = asc_vector_new(m, s->ub, s->data);
	}
	if (s->kind != ASC_VECTOR)
		s->cube = asc_cube_new(m, s->data);
	s->mte = asc_mte_new(m, s->core, s->chip->memory, s->ub, s->cube, s->data);
}

void asc_subcore_init(asc_subcore *s, asc_chip *chip, uint32_t index)
{
	s->chip = chip;
	s->index = index;
	s->core = index / chip->subs_per_core;
	s->sub = index % chip->subs_per_core;
	s->kind = chip->machine->coupled ? ASC_COUPLED : s->sub ? ASC_VECTOR : ASC_CUBE;
	s->vector = s->kind == ASC_VECTOR ? (int32_t)s->sub - 1 : 0;
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		s->pipe[p].left = -1;
		s->pipe[p].depth = (uint32_t)chip->machine->queue_depth[p];
		s->pipe[p].entry = g_new0(asc_entry, s->pipe[p].depth + 1);
		s->pipe[p].current = s->pipe[p].entry;
		s->pipe[p].passed = g_array_new(FALSE, FALSE, sizeof(asc_entry));
	}
	s->effects = g_array_new(FALSE, FALSE, sizeof(asc_effect));
	s->cross_sets = g_array_new(FALSE, FALSE, sizeof(asc_cross_set));
	s->reports = g_array_new(FALSE, FALSE, sizeof(asc_report));
	s->violations = g_array_new(FALSE, FALSE, sizeof(asc_violation));
	s->finished = true;
	s->next = SIM_NEVER;
	init_units(s);
}

void asc_subcore_fini(asc_subcore *s)
{
	asc_mte_free(s->mte);
	asc_cube_free(s->cube);
	asc_vector_free(s->vector_unit);
	asc_ub_free(s->ub);
	asc_data_free(s->data);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		for (uint32_t i = 0; i <= s->pipe[p].depth; i++)
			asc_clock_clear(&s->pipe[p].entry[i].clock);
		for (guint i = 0; i < s->pipe[p].passed->len; i++)
			asc_clock_clear(&g_array_index(s->pipe[p].passed, asc_entry, i).clock);
		asc_clock_clear(&s->pipe[p].clock);
		g_array_free(s->pipe[p].passed, TRUE);
		g_free(s->pipe[p].entry);
	}
	asc_flags_fini(s);
	for (unsigned id = 0; id < ASC_CROSS_IDS; id++)
		if (s->cross[id].arrivals) {
			for (guint i = 0; i < s->cross[id].arrivals->len; i++)
				asc_foreign_unref(g_array_index(s->cross[id].arrivals, asc_arrival, i).clock);
			g_array_free(s->cross[id].arrivals, TRUE);
		}
	g_array_free(s->cross_sets, TRUE);
	g_array_free(s->reports, TRUE);
	g_array_free(s->violations, TRUE);
	g_free(s->executed);
}

/* The stream for (sub-core, block): one that names both before one that stands for all. */
static const asc_stream *find_stream(const asc_subcore *s, uint32_t block, uint32_t *index)
{
	const GPtrArray *streams = s->chip->program->streams;
	const asc_stream *best = NULL;
	int best_rank = -1;

	for (guint i = 0; i < streams->len; i++) {
		const asc_stream *t = g_ptr_array_index(streams, i);
		int rank = 2 * (t->block != ASC_ALL_BLOCKS) + (t->sub != ASC_ALL_BLOCKS);

		if (t->kind != s->kind || (s->kind == ASC_VECTOR && t->sub != ASC_ALL_BLOCKS && t->sub != s->vector) ||
		    (t->block != ASC_ALL_BLOCKS && t->block != (int32_t)block) || rank <= best_rank)
			continue;
		best = t;
		best_rank = rank;
		*index = i;
	}
	return best;
}

void asc_subcore_begin(asc_subcore *s, uint32_t block, int64_t time)
{
	s->stream = find_stream(s, block, &s->stream_index);
	s->finished = !s->stream;
	s->finish = time;
	s->scalar = (asc_scalar){.mask = {UINT64_MAX, UINT64_MAX}, .next = time, .wake = time, .group = -1};
	s->scalar.reg[ASC_REGISTERS - 1] = block;
	s->scalar.reg[ASC_REGISTERS - 2] = s->vector;
	g_clear_pointer(&s->executed, g_free);
	if (s->stream && s->chip->options.by_timestamp)
		s->executed = g_new0(uint8_t, s->stream->insns->len);
	s->next = s->stream ? time : SIM_NEVER;
	if (s->stream)
		sim_process_wake(s->process, time);
}

/* What starts in a cycle leaves its place to a push of the next one; while it is filed, that cycle is not known. */
bool asc_queue_room(const asc_subcore *s, enum asc_pipe pipe, int64_t time)
{
	const asc_pipeline *p = &s->pipe[pipe];

	return p->used + (p->filed || time <= p->left) < p->depth;
}

asc_entry *asc_push(asc_subcore *s, enum asc_pipe pipe)
{
	asc_pipeline *p = &s->pipe[pipe];
	asc_entry *slot = &p->entry[(p->head + p->used++) % (p->depth + 1)];

	asc_clock_clear(&slot->clock);
	return slot;
}

static void pop(asc_pipeline *p)
{
	p->head = (p->head + 1) % (p->depth + 1);
	p->used--;
}

bool asc_subcore_idle(const asc_subcore *s)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		if (s->pipe[p].used || s->pipe[p].filed)
			return false;
	return true;
}

int64_t asc_subcore_done(const asc_subcore *s)
{
	int64_t done = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		done = MAX(done, MAX(s->pipe[p].done, s->pipe[p].free));
	return done;
}

asc_clock asc_pipe_complete(const asc_subcore *s, enum asc_pipe pipe)
{
	asc_clock clock = {0};

	asc_clock_set(&clock, &s->pipe[pipe].clock);
	clock.local[pipe] = s->pipe[pipe].epoch;
	return clock;
}

void asc_report_entry(asc_subcore *s, enum asc_pipe pipe, const asc_entry *e, asc_who waited_for)
{
	asc_report r;

	s->counters.instructions++;
	for (unsigned i = 0; i < ASC_STALLS; i++)
		s->counters.stall[pipe][i] += e->x.stall[i];
	if (!s->chip->listener.report)
		return;
	r = (asc_report){.core = s->core,
	                 .sub = s->sub,
	                 .stream = s->stream_index,
	                 .insn = e->insn,
	                 .block = s->chip->block[s->core],
	                 .execution = e->execution,
	                 .pipe = pipe,
	                 .queued = e->queued,
	                 .start = e->x.start,
	                 .free = e->x.free,
	                 .done = e->x.done,
	                 .waited_for = waited_for.insn,
	                 .setter = {waited_for.stream, waited_for.insn, waited_for.sub / s->chip->subs_per_core,
	                            waited_for.sub % s->chip->subs_per_core, waited_for.pipe, waited_for.start,
	                            waited_for.effect},
	                 .held = e->x.held,
	                 .bytes = e->x.bytes,
	                 .work = e->x.work};

	memcpy(r.stall, e->x.stall, sizeof(r.stall));
	g_array_append_val(s->reports, r);
}

/* An entry that is done with when its slot is: flags, barriers. */
static void finish_slot(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now, asc_who waited_for)
{
	asc_pipeline *p = &s->pipe[pipe];

	e->x.start = now;
	e->x.free = e->x.done = now + s->chip->machine->flag_issue_cycles;
	p->free = e->x.free;
	asc_report_entry(s, pipe, e, waited_for);
}

static void begin(asc_pipeline *p, asc_entry *e)
{
	asc_clock_join(&p->clock, &e->clock);
	p->epoch++;
}

static bool wait_flag(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now, int64_t ready)
{
	asc_pipeline *p = &s->pipe[pipe];
	asc_who setter = nobody;

	if (!asc_flag_take(s, e->x.f, now, &p->clock, p->epoch + 1, &setter))
		return false;
	begin(p, e);
	e->x.stall[ASC_STALL_FLAG] = e->x.held = now - ready;
	finish_slot(s, pipe, e, now, setter);
	return true;
}

static bool barrier(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now, int64_t ready)
{
	asc_pipeline *p = &s->pipe[pipe];

	if (p->done > now)
		return false;
	p->clock.local[pipe] = p->epoch;
	begin(p, e);
	e->x.stall[ASC_STALL_BARRIER] = e->x.held = now - ready;
	finish_slot(s, pipe, e, now, nobody);
	return true;
}

static void set(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now)
{
	const asc_machine *m = s->chip->machine;
	asc_pipeline *p = &s->pipe[pipe];
	asc_who who = {s->stream_index, e->insn, s->index, pipe, now, now};
	asc_clock clock;

	begin(p, e);
	clock = asc_pipe_complete(s, pipe);
	if (e->x.insn->op == ASC_OP_SETFLAG) {
		asc_flag_set(s, who, e->x.f,
		             s->chip->options.by_timestamp ? p->done : MAX(now, p->done) + m->flag_latency_cycles,
		             &clock);
	} else {
		asc_cross_file(s, who, (unsigned)e->x.f[1], (unsigned)e->x.f[2],
		               MAX(now, p->done) + m->cross_latency_cycles, &clock);
		asc_clock_clear(&clock);
	}
	finish_slot(s, pipe, e, now, nobody);
}

/* By timestamp: a wait or barrier is kept until the next instruction of the pipe starts. */
static void pass(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];
	asc_entry kept = *e;

	kept.clock = (asc_clock){0};
	g_array_append_val(p->passed, kept);
	begin(p, e);
	e->x.start = e->x.free = e->x.done = now;
	asc_report_entry(s, pipe, e, nobody);
}

static void acquire_passed(asc_subcore *s, enum asc_pipe pipe, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];

	for (guint i = 0; i < p->passed->len; i++) {
		const asc_entry *e = &g_array_index(p->passed, asc_entry, i);
		asc_who setter;

		if (e->x.insn->op == ASC_OP_WAITFLAG)
			asc_flag_take(s, e->x.f, now, &p->clock, p->epoch, &setter);
		else if (p->done <= now)
			p->clock.local[pipe] = p->epoch;
	}
	g_array_set_size(p->passed, 0);
}

static bool is_sync(const asc_insn *insn)
{
	return insn->op == ASC_OP_WAITFLAG || insn->op == ASC_OP_BARRIER || insn->op == ASC_OP_SETFLAG ||
	       insn->op == ASC_OP_SETCROSS;
}

static int64_t visible_at(const asc_subcore *s, const asc_pipeline *p)
{
	return p->entry[p->head].queued + s->chip->machine->queue_latency_cycles;
}

/* By timestamp: flags and barriers at the head of the queue, before anything starts, so that a start finds every set
 * whose work is complete, whichever pipe it is on. */
static bool pass_syncs(asc_subcore *s, enum asc_pipe pipe, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];
	bool any = false;

	while (p->used && !p->filed && is_sync(p->entry[p->head].x.insn) && visible_at(s, p) <= now) {
		asc_entry *e = &p->entry[p->head];

		if (e->x.insn->op == ASC_OP_WAITFLAG || e->x.insn->op == ASC_OP_BARRIER) {
			pass(s, pipe, e, now);
		} else {
			int64_t free = p->free;

			acquire_passed(s, pipe, now);
			set(s, pipe, e, now);
			p->free = free;
		}
		p->left = now;
		pop(p);
		any = true;
	}
	return any;
}

static bool step_by_time(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];

	if (is_sync(e->x.insn) || e->x.start > now)
		return false;
	acquire_passed(s, pipe, now);
	begin(p, e);
	p->filed = true;
	return true;
}

static bool step(asc_subcore *s, enum asc_pipe pipe, asc_entry *e, int64_t now, int64_t ready)
{
	if (s->chip->options.by_timestamp)
		return step_by_time(s, pipe, e, now);
	switch (e->x.insn->op) {
	case ASC_OP_WAITFLAG:
		return wait_flag(s, pipe, e, now, ready);
	case ASC_OP_BARRIER:
		return barrier(s, pipe, e, now, ready);
	case ASC_OP_SETFLAG:
	case ASC_OP_SETCROSS:
		set(s, pipe, e, now);
		return true;
	default:
		begin(&s->pipe[pipe], e);
		s->pipe[pipe].filed = true;
		return true;
	}
}

static int64_t ready_at(const asc_subcore *s, const asc_pipeline *p)
{
	return MAX(visible_at(s, p), p->free);
}

/* Cube and fixpipe hand units of L0C over; whoever has to wait for the other stays in its queue. */
static bool hands_over(const asc_insn *insn)
{
	return insn->op == ASC_OP_MMAD || insn->op == ASC_OP_FIX_GM || insn->op == ASC_OP_FIX_L1 ||
	       insn->op == ASC_OP_L0C_TO_UB;
}

bool asc_unit_ready(const asc_subcore *s, const asc_exec *x)
{
	return !hands_over(x->insn) || asc_cube_unit_ready(s->cube, x);
}

/* Starts what can start now.  Did anything? */
static bool run_pipe(asc_subcore *s, enum asc_pipe pipe, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];
	bool any = false;

	/* Entries are looked at only when there is a chance: they are far apart in the host's memory. */
	while (p->used && !p->filed && p->free <= now) {
		asc_entry *e = &p->entry[p->head];
		int64_t ready = ready_at(s, p);

		if (ready > now || !asc_unit_ready(s, &e->x) || !step(s, pipe, e, now, ready))
			break;
		if (hands_over(e->x.insn) && !s->chip->options.by_timestamp)
			e->x.stall[ASC_STALL_FLAG] = e->x.held = now - ready;
		p->current = e;
		p->left = now;
		pop(p);
		any = true;
	}
	return any;
}

sim_time asc_subcore_run(void *state, sim_time now)
{
	asc_subcore *s = state;
	bool any;

	s->next = SIM_NEVER;
	do {
		any = asc_flags_due(s, now);
		for (unsigned p = ASC_PIPE_S + 1; s->chip->options.by_timestamp && p < ASC_PIPES; p++)
			any |= pass_syncs(s, (enum asc_pipe)p, now);
		for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
			any |= run_pipe(s, (enum asc_pipe)p, now);
		any |= asc_scalar_run(s, now);
	} while (any);
	asc_chip_dirty(s);
	sim_process_wake(s->chip->resolve, now);
	return SIM_NEVER;
}

static void count(asc_subcore *s, enum asc_pipe pipe, const asc_exec *x, const asc_range *ranges, unsigned n)
{
	asc_pipeline *p = &s->pipe[pipe];
	enum asc_space from = ASC_SPACES, to = ASC_SPACES;

	s->counters.busy[pipe] += MAX(x->done - MAX(x->start, p->busy_until), 0);
	p->busy_until = MAX(p->busy_until, x->done);
	s->counters.executed[pipe]++;
	s->counters.l2_hits += x->l2_hits;
	s->counters.l2_misses += x->l2_misses;
	if (pipe == ASC_PIPE_M)
		s->counters.macs += x->work;
	if (pipe == ASC_PIPE_V)
		s->counters.vector_lane_ops += x->work;
	for (unsigned i = n; i-- > 0;)
		*(ranges[i].write ? &to : &from) = ranges[i].space;
	if (from != ASC_SPACES && to != ASC_SPACES)
		s->counters.bytes[from][to] += x->bytes;
}

static void ask_unit(asc_subcore *s, enum asc_pipe pipe, asc_exec *x)
{
	switch (pipe) {
	case ASC_PIPE_V:
		/* The way from L0C to the unified buffer is the copy engines', whatever pipe it is queued on. */
		if (x->insn->op == ASC_OP_L0C_TO_UB)
			asc_mte_execute(s->mte, x);
		else
			asc_vector_execute(s->vector_unit, x);
		break;
	case ASC_PIPE_M:
		asc_cube_execute(s->cube, x);
		break;
	default:
		asc_mte_execute(s->mte, x);
		break;
	}
}

static void tell_touch(const asc_subcore *s, const asc_entry *e, const asc_range *ranges, unsigned n)
{
	const asc_listener *l = &s->chip->listener;
	asc_touch t = {.core = s->core,
	               .sub = s->sub,
	               .stream = s->stream_index,
	               .insn = e->insn,
	               .start = e->x.start,
	               .done = e->x.done,
	               .ranges = ranges,
	               .count = n};

	if (l->touch)
		l->touch(l->state, &t);
}

static bool has_unit_flag(const asc_entry *e)
{
	static int field[ASC_OP_COUNT];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (unsigned op = 0; op < ASC_OP_COUNT; op++)
			field[op] = asc_field_by_name((enum asc_op)op, "unit_flag");
		g_once_init_leave(&ready, 1);
	}
	return hands_over(e->x.insn) && e->x.f[field[e->x.insn->op]];
}

static void execute(asc_subcore *s, enum asc_pipe pipe, int64_t now)
{
	asc_pipeline *p = &s->pipe[pipe];
	asc_entry *e = p->current;
	asc_range ranges[ASC_RANGES];
	unsigned n = asc_ranges(&e->x, s->chip->machine, ranges), gathered = 0;
	asc_access a = {.sub = s->index,
	                .stream = s->stream_index,
	                .insn = e->insn,
	                .pipe = (uint8_t)pipe,
	                .unit_flag = has_unit_flag(e),
	                .epoch = p->epoch,
	                .clock = &p->clock};

	p->filed = false;
	if (e->x.insn->op == ASC_OP_VGATHER || e->x.insn->op == ASC_OP_VGATHERB) {
		gathered = asc_gathered(&e->x, s->chip->machine, s->data, &ranges[n], ASC_RANGES - n);
		s->counters.gathers_unseen += !s->chip->options.functional;
	}
	n += gathered;
	e->x.start = e->x.free = e->x.done = now;
	if (asc_check_access(s, e, ranges, n, gathered, now)) {
		e->x.traffic = &s->counters.traffic;
		ask_unit(s, pipe, &e->x);
		e->x.free = MAX(e->x.free, e->x.start);
		e->x.done = MAX(e->x.done, e->x.start);
	}
	p->left = e->x.start;
	p->free = MAX(p->free, e->x.free);
	p->done = MAX(p->done, e->x.done);
	a.start = e->x.start;
	a.done = e->x.done;
	asc_races_access(s->chip->races, &a, ranges, n);
	tell_touch(s, e, ranges, n);
	count(s, pipe, &e->x, ranges, n);
	asc_report_entry(s, pipe, e, nobody);
}

void asc_subcore_execute(asc_subcore *s, int64_t now)
{
	if (s->scalar.pending)
		asc_scalar_execute(s, now);
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (s->pipe[p].filed)
			execute(s, (enum asc_pipe)p, now);
}

/* When the head of a queue wants to be looked at; one that a flag holds is looked at when the flag is set. */
static int64_t pipe_next(const asc_subcore *s, const asc_pipeline *p, int64_t now)
{
	const asc_entry *e = &p->entry[p->head];
	int64_t next;

	if (!p->used)
		return SIM_NEVER;
	if (p->free > now && !s->chip->options.by_timestamp)
		return p->free;
	if (!asc_unit_ready(s, &e->x))
		return SIM_NEVER;
	if (s->chip->options.by_timestamp)
		return is_sync(e->x.insn) ? visible_at(s, p) : MAX(ready_at(s, p), e->x.start);
	next = ready_at(s, p);
	if (e->x.insn->op == ASC_OP_BARRIER)
		return MAX(next, p->done);
	if (e->x.insn->op == ASC_OP_WAITFLAG && next <= now)
		return SIM_NEVER;
	return next;
}

static int64_t scalar_next(const asc_subcore *s, int64_t now)
{
	const asc_scalar *sc = &s->scalar;

	if (!sc->stopped)
		return sc->ended ? SIM_NEVER : sc->wake;
	if (sc->cause == ASC_STALL_CROSS && sc->polls)
		return asc_scalar_next_look(s, now);
	if (sc->cause == ASC_STALL_CROSS)
		return s->cross[sc->counter].count ? now + 1 : SIM_NEVER;
	if (sc->cause == ASC_STALL_BARRIER && asc_subcore_idle(s))
		return asc_subcore_done(s);
	if (sc->cause == ASC_STALL_QUEUE_FULL && s->pipe[sc->full].used < s->pipe[sc->full].depth)
		return s->pipe[sc->full].left + 1;
	return SIM_NEVER;
}

int64_t asc_subcore_next(asc_subcore *s, int64_t now)
{
	int64_t next = SIM_NEVER;

	if (s->finished)
		return s->next = SIM_NEVER;
	if (s->scalar.ended && asc_subcore_idle(s)) {
		s->finished = true;
		s->finish = MAX(s->scalar.next, asc_subcore_done(s));
		s->counters.cycles = s->finish;
		return s->next = SIM_NEVER;
	}
	next = MIN(asc_flags_next(s), scalar_next(s, now));
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		next = MIN(next, pipe_next(s, &s->pipe[p], now));
	return s->next = next == SIM_NEVER ? next : MAX(next, now + 1);
}
