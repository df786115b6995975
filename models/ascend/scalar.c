/* SPDX-License-Identifier: Apache-2.0
 *
 * The scalar unit: executes its own instructions in program order, pushes the others into the queues of their pipes,
 * and stops where a queue is full, a flag or counter is awaited, or a barrier of all pipes stands.
 *
 * Issue goes by groups of one cycle: two independent neighbours where the machine issues two (arithmetic, and pushes),
 * and as many pushes in a row as it dispatches a cycle.  The next group issues when the longest of the group is done.
 * A group ends with a branch, a special register, a load or store, a flag of the scalar unit.
 *
 * Instructions that need nothing but registers and a free entry are executed ahead of the clock; the others wait for
 * their cycle.  The instruction cache and the data cache's lines are not modelled.
 */
#include "models/ascend/front_int.h"

static const asc_who nobody = {.stream = UINT32_MAX, .insn = UINT32_MAX};

enum step { STEP_DONE, STEP_LATER, STEP_STOP };

/* One instruction as the scalar unit sees it. */
typedef struct issue {
	const asc_insn *insn;
	const asc_op_info *info;
	uint32_t number;
	enum asc_pipe pipe; /* queue it goes to; ASC_PIPE_S: executed here; ASC_PIPE_ALL: barrier of all */
	int64_t f[ASC_FIELDS];
	uint32_t reads, writes; /* registers */
	bool joins;             /* the group that is being formed */
	int64_t want, time;     /* first cycle that program order allows; cycle of issue */
} issue;

static bool is_arithmetic(unsigned op)
{
	return op <= ASC_OP_SHR;
}

_Static_assert(ASC_OP_MOVI == 0 && ASC_OP_JUMP == ASC_OP_SHR + 1, "arithmetic comes first in ops.def");

static bool is_branch(unsigned op)
{
	return op >= ASC_OP_JUMP && op <= ASC_OP_BGE;
}

static bool writes_register(unsigned op)
{
	return is_arithmetic(op) || op == ASC_OP_LDG;
}

static enum asc_pipe queue_of(const issue *i)
{
	switch (i->insn->op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_BARRIER:
	case ASC_OP_SETCROSS:
		return (enum asc_pipe)i->f[0];
	case ASC_OP_WAITFLAG:
		return (enum asc_pipe)i->f[1];
	default:
		return i->info->pipe;
	}
}

static bool can_join(const asc_subcore *s, const issue *i)
{
	const asc_scalar *sc = &s->scalar;
	const asc_machine *m = s->chip->machine;
	bool push = i->pipe != ASC_PIPE_S && i->pipe != (enum asc_pipe)ASC_PIPE_ALL;

	if (sc->group < 0 || sc->stopped || (!push && !is_arithmetic(i->insn->op)) ||
	    ((i->reads | i->writes) & sc->written) || (push && sc->pushes >= m->scalar_dispatch_per_cycle))
		return false;
	return (m->scalar_dual_issue && sc->members < 2) || (push && sc->pushes == sc->members);
}

static issue decode(asc_subcore *s)
{
	asc_scalar *sc = &s->scalar;
	issue i = {.insn = &g_array_index(s->stream->insns, asc_insn, sc->pc), .number = sc->pc};

	i.info = asc_op((enum asc_op)i.insn->op);
	for (unsigned n = 0; n < i.info->fields; n++) {
		i.f[n] = asc_field_is_register(i.info, n) ? i.insn->f[n] : asc_get(i.insn, (int)n, sc->reg);
		if (asc_field_is_register(i.info, n) || i.insn->regs >> n & 1) {
			uint32_t bit = 1u << (i.insn->f[n] & (ASC_REGISTERS - 1));

			*(n == 0 && writes_register(i.insn->op) ? &i.writes : &i.reads) |= bit;
		}
	}
	i.pipe = queue_of(&i);
	i.joins = can_join(s, &i);
	i.want = i.joins ? sc->group : sc->next;
	if (s->executed && i.pipe == ASC_PIPE_S && i.insn->start != ASC_NO_TIME && !s->executed[i.number] &&
	    i.insn->start > i.want) {
		i.want = i.insn->start;
		i.joins = false;
	}
	return i;
}

static void close_group(asc_subcore *s)
{
	asc_scalar *sc = &s->scalar;

	if (sc->members == 1)
		s->counters.single_issue++;
	else if (sc->members)
		s->counters.dual_issue++;
	sc->members = sc->pushes = 0;
	sc->written = 0;
	sc->group = -1;
}

/* I issues at its time and keeps what follows from issuing for COST cycles. */
static void issue_at(asc_subcore *s, const issue *i, int64_t cost, bool pairs)
{
	asc_scalar *sc = &s->scalar;
	int64_t next = MAX(i->joins ? sc->next : i->time, i->time + cost);

	if (!i->joins)
		close_group(s);
	s->counters.busy[ASC_PIPE_S] += next - (i->joins ? sc->next : i->time);
	sc->members++;
	sc->pushes += i->pipe != ASC_PIPE_S;
	sc->written |= i->writes;
	sc->group = i->time;
	sc->next = next;
	if (!pairs)
		close_group(s);
	if (s->executed)
		s->executed[i->number] = 1;
}

static asc_entry entry_of(asc_subcore *s, const issue *i)
{
	const asc_scalar *sc = &s->scalar;
	asc_entry e = {.insn = i->number, .execution = s->executions++, .queued = i->time};

	e.x.insn = i->insn;
	e.x.info = i->info;
	memcpy(e.x.f, i->f, sizeof(e.x.f));
	e.x.mask[0] = sc->mask[0];
	e.x.mask[1] = sc->mask[1];
	e.x.counter_mode = sc->counter_mode;
	e.x.start = s->executed && !s->executed[i->number] ? i->insn->start : ASC_NO_TIME;
	return e;
}

/* Ends a stop: where its cycles go. */
static void account(asc_subcore *s, const issue *i, asc_entry *e)
{
	asc_scalar *sc = &s->scalar;
	int64_t cycles = i->time - sc->since;

	if (!sc->stopped)
		return;
	sc->stopped = false;
	e->x.stall[sc->cause] += cycles;
	if (sc->cause != ASC_STALL_QUEUE_FULL)
		e->x.held = cycles;
	if (sc->cause == ASC_STALL_QUEUE_FULL)
		s->counters.queue_full[sc->full] += cycles;
	if (sc->cause == ASC_STALL_CROSS && !sc->polls)
		s->counters.cross_wait[sc->counter] += cycles;
}

/* An instruction executed here: COST cycles. */
static void finish(asc_subcore *s, const issue *i, int64_t cost, bool pairs, asc_who waited_for)
{
	asc_entry e = entry_of(s, i);

	account(s, i, &e);
	e.x.start = i->time;
	e.x.free = e.x.done = i->time + cost;
	issue_at(s, i, cost, pairs);
	s->pipe[ASC_PIPE_S].done = MAX(s->pipe[ASC_PIPE_S].done, e.x.done);
	asc_report_entry(s, ASC_PIPE_S, &e, waited_for);
}

static int64_t arithmetic(unsigned op, int64_t n, int64_t m)
{
	uint64_t a = (uint64_t)n, b = (uint64_t)m;

	switch (op) {
	case ASC_OP_ADD:
		return (int64_t)(a + b);
	case ASC_OP_SUB:
		return (int64_t)(a - b);
	case ASC_OP_MUL:
		return (int64_t)(a * b);
	case ASC_OP_DIV:
		return !m ? 0 : m == -1 ? (int64_t)(0 - a) : n / m;
	case ASC_OP_REM:
		return !m ? n : m == -1 ? 0 : n % m;
	case ASC_OP_MIN:
		return MIN(n, m);
	case ASC_OP_MAX:
		return MAX(n, m);
	case ASC_OP_AND:
		return (int64_t)(a & b);
	case ASC_OP_OR:
		return (int64_t)(a | b);
	case ASC_OP_SHL:
		return b < 64 ? (int64_t)(a << b) : 0;
	default:
		return b < 64 ? (int64_t)(a >> b) : 0;
	}
}

static void do_arithmetic(asc_subcore *s, const issue *i)
{
	asc_scalar *sc = &s->scalar;

	finish(s, i, s->chip->machine->scalar_alu_cycles, true, nobody);
	if (i->insn->op == ASC_OP_MOVI)
		sc->reg[i->f[0]] = i->f[1];
	else
		sc->reg[i->f[0]] = arithmetic(i->insn->op, sc->reg[i->f[1]], i->f[2]);
	sc->pc++;
}

static void do_branch(asc_subcore *s, const issue *i)
{
	const asc_machine *m = s->chip->machine;
	asc_scalar *sc = &s->scalar;
	int64_t n = i->insn->op == ASC_OP_JUMP ? 0 : sc->reg[i->f[0]], rm = i->f[1];
	int64_t label = i->insn->op == ASC_OP_JUMP ? i->f[0] : i->f[2];
	bool taken = true;

	switch (i->insn->op) {
	case ASC_OP_BEQ:
		taken = n == rm;
		break;
	case ASC_OP_BNE:
		taken = n != rm;
		break;
	case ASC_OP_BLT:
		taken = n < rm;
		break;
	case ASC_OP_BGE:
		taken = n >= rm;
		break;
	default:
		break;
	}
	finish(s, i, taken ? m->scalar_branch_cycles : m->scalar_alu_cycles, false, nobody);
	sc->pc = taken ? (uint32_t)label : sc->pc + 1;
}

static enum step stop(asc_subcore *s, const issue *i, enum asc_stall cause)
{
	asc_scalar *sc = &s->scalar;

	if (!sc->stopped)
		sc->since = i->want;
	sc->stopped = true;
	sc->cause = cause;
	sc->full = i->pipe;
	sc->wake = SIM_NEVER;
	return STEP_STOP;
}

/* A load or store of global memory waits for the chip's process, which serves what cores share. */
static void do_memory(asc_subcore *s, const issue *i, int64_t cost)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	asc_entry e = entry_of(s, i);

	account(s, i, &e);
	s->scalar.polls = false;
	e.x.start = i->time;
	*p->current = e;
	p->epoch++;
	issue_at(s, i, cost, false);
	s->scalar.pending = true;
	s->scalar.pc++;
}

static int64_t look_cycles(const asc_subcore *s)
{
	return s->chip->machine->scalar_load_cycles + s->chip->machine->scalar_branch_cycles;
}

/* Looks at a word of global memory at a time at which it does look. */
static enum step do_wait_word(asc_subcore *s, const issue *i)
{
	const asc_machine *m = s->chip->machine;
	asc_scalar *sc = &s->scalar;

	if (!sc->stopped)
		sc->first_look = i->time;
	sc->polls = true;
	sc->poll_address = (uint64_t)i->f[0];
	sc->poll_value = i->f[1];
	if (!s->chip->options.by_timestamp && ((i->time - sc->first_look) % look_cycles(s) ||
	                                       !asc_word_reached(s, sc->poll_address, sc->poll_value, i->time)))
		return stop(s, i, ASC_STALL_CROSS);
	do_memory(s, i, m->scalar_load_cycles + m->scalar_alu_cycles);
	return STEP_DONE;
}

int64_t asc_scalar_next_look(const asc_subcore *s, int64_t now)
{
	const asc_scalar *sc = &s->scalar;
	int64_t next = asc_word_next(s, sc->poll_address, sc->poll_value, now + 1), looks;

	if (next == SIM_NEVER)
		return next;
	looks = (next - sc->first_look + look_cycles(s) - 1) / look_cycles(s);
	return sc->first_look + looks * look_cycles(s);
}

static void execute_word(asc_subcore *s, asc_entry *e, int64_t now)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	bool set = e->x.insn->op == ASC_OP_SETWORD;
	uint64_t address = (uint64_t)e->x.f[0];
	asc_range range = {.space = ASC_GM, .write = set, .address = address, .bytes = ASC_WORD_BYTES, .count = 1};
	asc_access a = {.sub = s->index,
	                .stream = s->stream_index,
	                .insn = e->insn,
	                .pipe = ASC_PIPE_S,
	                .word = true,
	                .epoch = p->epoch,
	                .start = now,
	                .done = s->scalar.next,
	                .clock = &p->clock};
	asc_who setter = nobody, who = {s->stream_index, e->insn, s->index, ASC_PIPE_S, now, s->scalar.next};
	uint8_t *bytes = asc_data_at(s->data, ASC_GM, address, ASC_WORD_BYTES);

	e->x.bytes = ASC_WORD_BYTES;
	if (asc_check_access(s, e, &range, 1, 0, now)) {
		if (set) {
			asc_clock clock = asc_pipe_complete(s, ASC_PIPE_S);

			asc_word_set(s, who, address, e->x.f[1], s->scalar.next, &clock);
			asc_clock_clear(&clock);
			if (bytes)
				memcpy(bytes, &e->x.f[1], ASC_WORD_BYTES);
		} else if (asc_word_reached(s, address, e->x.f[1], now)) {
			asc_word_take(s, address, e->x.f[1], &p->clock, &setter);
		}
	}
	asc_races_access(s->chip->races, &a, &range, 1);
	asc_report_entry(s, ASC_PIPE_S, e, setter);
}

static void execute_memory(asc_subcore *s, asc_entry *e, int64_t now)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	asc_scalar *sc = &s->scalar;
	bool load = e->x.insn->op == ASC_OP_LDG;
	asc_range range = {.space = ASC_GM,
	                   .write = !load,
	                   .address = (uint64_t)e->x.f[1],
	                   .bytes = (uint64_t)e->x.f[2],
	                   .count = 1};
	asc_access a = {.sub = s->index,
	                .stream = s->stream_index,
	                .insn = e->insn,
	                .pipe = ASC_PIPE_S,
	                .epoch = p->epoch,
	                .start = now,
	                .done = sc->next,
	                .clock = &p->clock};
	uint8_t *bytes = asc_data_at(s->data, ASC_GM, range.address, range.bytes);
	uint64_t value = (uint64_t)sc->reg[e->x.f[0]];

	e->x.bytes = range.bytes;
	if (asc_check_access(s, e, &range, 1, 0, now)) {
		if (!load && bytes)
			memcpy(bytes, &value, range.bytes);
		value = load ? 0 : value;
		if (load && bytes)
			memcpy(&value, bytes, range.bytes);
		else if (load)
			value = asc_data_image(s->data, range.address, (unsigned)range.bytes);
	}
	if (load)
		sc->reg[e->x.f[0]] = (int64_t)value;
	asc_races_access(s->chip->races, &a, &range, 1);
	asc_report_entry(s, ASC_PIPE_S, e, nobody);
}

void asc_scalar_execute(asc_subcore *s, int64_t now)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	asc_scalar *sc = &s->scalar;
	asc_entry *e = p->current;

	sc->pending = false;
	sc->wake = sc->next;
	e->x.free = e->x.done = sc->next;
	p->done = MAX(p->done, e->x.done);
	if (e->x.insn->op == ASC_OP_SETWORD || e->x.insn->op == ASC_OP_WAITWORD)
		execute_word(s, e, now);
	else
		execute_memory(s, e, now);
}

static enum step do_push(asc_subcore *s, const issue *i)
{
	asc_entry e = entry_of(s, i);

	account(s, i, &e);
	/* The scalar unit's stall is not the pipe's. */
	s->counters.stall[ASC_PIPE_S][ASC_STALL_QUEUE_FULL] += e.x.stall[ASC_STALL_QUEUE_FULL];
	e.x.stall[ASC_STALL_QUEUE_FULL] = 0;
	issue_at(s, i, 1, true);
	asc_clock_set(&e.clock, &s->pipe[ASC_PIPE_S].clock);
	e.clock.local[ASC_PIPE_S] = s->pipe[ASC_PIPE_S].epoch;
	asc_push(s, i->pipe, &e);
	s->scalar.pc++;
	return STEP_DONE;
}

static enum step do_set(asc_subcore *s, const issue *i)
{
	const asc_machine *m = s->chip->machine;
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	int64_t time = MAX(i->time, p->done);
	asc_who who = {s->stream_index, i->number, s->index, ASC_PIPE_S, i->time, i->time};
	asc_clock clock;

	p->epoch++;
	clock = asc_pipe_complete(s, ASC_PIPE_S);
	finish(s, i, m->flag_issue_cycles, false, nobody);
	if (i->insn->op == ASC_OP_SETFLAG) {
		asc_flag_set(s, who, i->f, s->chip->options.by_timestamp ? time : time + m->flag_latency_cycles,
		             &clock);
	} else {
		asc_cross_file(s, who, (unsigned)i->f[1], (unsigned)i->f[2], time + m->cross_latency_cycles, &clock);
		asc_clock_clear(&clock);
	}
	s->scalar.pc++;
	return STEP_DONE;
}

static enum step do_wait(asc_subcore *s, const issue *i)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	bool cross = i->insn->op == ASC_OP_WAITCROSS;
	asc_who setter = nobody;
	bool taken;

	if (cross)
		s->scalar.counter = (unsigned)i->f[1];
	taken = cross ? asc_cross_take(s, (unsigned)i->f[1], &p->clock, &setter)
	              : asc_flag_take(s, i->f, i->time, &p->clock, p->epoch + 1, &setter);
	if (!taken && !s->chip->options.by_timestamp)
		return stop(s, i, cross ? ASC_STALL_CROSS : ASC_STALL_FLAG);
	p->epoch++;
	finish(s, i, s->chip->machine->flag_issue_cycles, false, setter);
	s->scalar.pc++;
	return STEP_DONE;
}

/* Stops until every queue is empty and everything done. */
static enum step do_barrier(asc_subcore *s, const issue *i)
{
	asc_pipeline *p = &s->pipe[ASC_PIPE_S];
	bool by_time = s->chip->options.by_timestamp;

	if (!by_time && (!asc_subcore_idle(s) || asc_subcore_done(s) > i->time))
		return stop(s, i, ASC_STALL_BARRIER);
	for (unsigned n = 0; n < ASC_PIPES; n++) {
		const asc_pipeline *q = &s->pipe[n];
		asc_clock clock;

		if (by_time && (q->used || q->filed || q->done > i->time))
			continue;
		clock = asc_pipe_complete(s, (enum asc_pipe)n);
		asc_clock_join(&p->clock, &clock);
		asc_clock_clear(&clock);
	}
	p->epoch++;
	finish(s, i, s->chip->machine->flag_issue_cycles, false, nobody);
	s->scalar.pc++;
	return STEP_DONE;
}

/* Does the outcome depend on what is the case in the cycle of issue? */
static bool needs_the_present(const asc_subcore *s, const issue *i)
{
	if (i->pipe == (enum asc_pipe)ASC_PIPE_ALL)
		return true;
	if (i->pipe != ASC_PIPE_S)
		return !asc_queue_room(s, i->pipe, i->time);
	switch (i->insn->op) {
	case ASC_OP_LDG:
	case ASC_OP_STG:
	case ASC_OP_WAITFLAG:
	case ASC_OP_WAITCROSS:
	case ASC_OP_SETCROSS:
	case ASC_OP_SETWORD:
	case ASC_OP_WAITWORD:
		return true;
	default:
		return false;
	}
}

static enum step execute(asc_subcore *s, const issue *i)
{
	const asc_machine *m = s->chip->machine;
	asc_scalar *sc = &s->scalar;
	unsigned op = i->insn->op;

	if (i->pipe == (enum asc_pipe)ASC_PIPE_ALL)
		return do_barrier(s, i);
	if (i->pipe != ASC_PIPE_S)
		return asc_queue_room(s, i->pipe, i->time) ? do_push(s, i) : stop(s, i, ASC_STALL_QUEUE_FULL);
	if (is_arithmetic(op))
		do_arithmetic(s, i);
	else if (is_branch(op))
		do_branch(s, i);
	else if (op == ASC_OP_LDG || op == ASC_OP_STG)
		do_memory(s, i, m->scalar_load_cycles);
	else if (op == ASC_OP_SETWORD)
		do_memory(s, i, m->scalar_publish_cycles);
	else if (op == ASC_OP_WAITWORD)
		return do_wait_word(s, i);
	else if (op == ASC_OP_WAITFLAG || op == ASC_OP_WAITCROSS)
		return do_wait(s, i);
	else if (op == ASC_OP_SETFLAG || op == ASC_OP_SETCROSS)
		return do_set(s, i);
	else if (op == ASC_OP_END) {
		finish(s, i, m->scalar_alu_cycles, false, nobody);
		sc->ended = true;
	} else {
		finish(s, i, m->scalar_spr_cycles, false, nobody);
		if (op == ASC_OP_SETMASK) {
			sc->mask[0] = (uint64_t)i->f[0];
			sc->mask[1] = (uint64_t)i->f[1];
		} else {
			sc->counter_mode = i->f[0] != 0;
		}
		sc->pc++;
	}
	return STEP_DONE;
}

static enum step step(asc_subcore *s, int64_t now)
{
	asc_scalar *sc = &s->scalar;
	issue i;

	if (sc->pc >= s->stream->insns->len) {
		close_group(s);
		sc->ended = true;
		return STEP_DONE;
	}
	i = decode(s);
	i.time = sc->stopped ? MAX(i.want, now) : i.want;
	if (!asc_check_push(s, i.insn, i.number, i.f, i.time)) {
		i.pipe = ASC_PIPE_S;
		finish(s, &i, s->chip->machine->scalar_alu_cycles, false, nobody);
		sc->pc++;
		return STEP_DONE;
	}
	if (needs_the_present(s, &i) && i.want > now) {
		sc->wake = i.want;
		return STEP_LATER;
	}
	return execute(s, &i);
}

bool asc_scalar_run(asc_subcore *s, int64_t now)
{
	/* A loop that meets nothing but registers must let the clock go on now and then. */
	enum { AHEAD = 4096 };
	asc_scalar *sc = &s->scalar;
	bool any = false;

	if (s->finished)
		return false;
	for (unsigned n = 0; n < AHEAD && !sc->ended && !sc->pending; n++) {
		if (step(s, now) != STEP_DONE)
			return any;
		any = true;
	}
	if (!sc->ended && !sc->pending) {
		close_group(s);
		sc->wake = sc->next;
	}
	/* Not "something happened": what it did ahead is done. */
	return any && (sc->ended || sc->pending);
}
