/* SPDX-License-Identifier: Apache-2.0
 *
 * A placed chunk becomes instructions.  What varies from access to access (times, addresses, beats, producers,
 * arrivals) is written down as sequences, and the chunk is cut into the longest pieces in which each sequence is
 * constant or affine over two loops and registers come round where a rotation can say so.  Pieces follow each other in
 * the program, so that instances of a step count on over all of them.
 */
#include "sched/emit/tsp.h"

#include <string.h>

enum {
	SEQUENCES_MAX = 12,
	LOOP_COUNT_MAX = 65536,
	INTERVAL_MAX = (1 << 20) - 1,
	ARRIVALS_FOLLOWED = 4096, /* longer chunks with varying beats do not predict their consumers' arrivals */
	SOURCES_MAX = 255,
	ROTATION_MAX = 15, /* registers that one issue can move on by */
};

typedef struct sequence {
	const int64_t *at;
	bool equal; /* constant in a piece, not just affine */
} sequence;

/* One step of the chunk on its way into the program. */
typedef struct issue {
	tspe_kernel *k;
	tspe_step *s;
	uint32_t count; /* accesses */
	unsigned sequences;
	sequence seq[SEQUENCES_MAX];
	const int64_t *times; /* relative to the step's start; NULL: one an interval */
	const int64_t *addr;  /* NULL: the instruction's own */
	const int64_t *beats; /* NULL: all alike */
	bool arrival_known[ISA_OPERANDS];
	GPtrArray *owned;
} issue;

typedef struct piece {
	uint32_t first, inner, outer;
} piece;

static int64_t *new_sequence(issue *w, bool equal)
{
	int64_t *at = g_new(int64_t, w->count);

	g_assert(w->sequences < SEQUENCES_MAX);
	g_ptr_array_add(w->owned, at);
	w->seq[w->sequences++] = (sequence){at, equal};
	return at;
}

/* Does the step take, and make, all values of an iteration at once? */
static bool is_whole(const tspe_step *s)
{
	return s->insn.op == ISA_OP_TRANSPOSE;
}

/* Issues an iteration makes. */
static uint32_t fan_of(const tspe_step *s)
{
	return is_whole(s) ? 1 : s->fan;
}

static uint32_t iteration(const issue *w, uint32_t access)
{
	return access / fan_of(w->s);
}

/* Issue of an access after the step's first. */
static int64_t time_of(const issue *w, uint32_t access)
{
	return w->times ? w->times[access] : (int64_t)access * w->k->interval;
}

static uint32_t beats_of(const issue *w, uint32_t access)
{
	return w->beats ? (uint32_t)w->beats[access] : w->s->memory ? w->s->beats_max : 0;
}

/* ------------------------------------------------------------------------------------------------- producers */

/* Instance that operand O of ACCESS comes from, when a step of the kernel makes it. */
static int64_t step_instance(const issue *w, unsigned o, uint32_t access)
{
	unsigned value;
	const tspe_step *p = tspe_producer(w->k, w->s, o, access % fan_of(w->s), &value);
	uint32_t i = p->once ? 0 : iteration(w, access);

	return (int64_t)p->instance + (is_whole(p) ? i : (int64_t)i * p->fan + value);
}

/* When that operand arrives, after the access's issue. */
static int64_t step_arrival(const issue *w, unsigned o, uint32_t access)
{
	int64_t latest = INT64_MIN;

	for (unsigned j = access % fan_of(w->s); j < w->s->fan; j += is_whole(w->s) ? 1 : w->s->fan) {
		unsigned value;
		const tspe_step *p = tspe_producer(w->k, w->s, o, j, &value);

		latest = MAX(latest, tspe_due_at(w->k, p, iteration(w, access), value));
	}
	return latest - w->s->start - time_of(w, access);
}

/* Does the operand arrive equally long before each access? */
static bool is_steady(const issue *w, unsigned o)
{
	const tspe_step *p = &w->k->step[w->s->in[o]];

	return fan_of(w->s) == 1 && !p->once && p->beats_min == p->beats_max;
}

static int64_t instance_of(const issue *w, unsigned o, uint32_t access)
{
	const tspe_origin *origin = &w->s->origin[o];

	if (o < 2 && w->s->in[o] >= 0)
		return step_instance(w, o, access);
	if (origin->kind == TSPE_ORIGIN_AFTER)
		return (int64_t)w->k->step[w->s->after].instance + access;
	return origin->kind == TSPE_ORIGIN_EACH || origin->kind == TSPE_ORIGIN_PARTS
	               ? origin->each[w->k->first * w->s->fan + access]
	               : origin->instance;
}

/* Arrivals that vary cut the chunk, unless they do so within an iteration: then nothing is predicted. */
static void follow_arrivals(issue *w, unsigned o)
{
	g_autofree int64_t *at = g_new(int64_t, w->count);

	for (uint32_t a = 0; a < w->count; a++) {
		at[a] = step_arrival(w, o, a);
		if (fan_of(w->s) > 1 && at[a] != at[0])
			w->arrival_known[o] = false;
	}
	if (w->arrival_known[o] && fan_of(w->s) == 1)
		memcpy(new_sequence(w, true), at, w->count * sizeof(int64_t));
}

static void prepare_operand(issue *w, unsigned o)
{
	const tspe_step *s = w->s;
	const tspe_origin *origin = &s->origin[o];
	int64_t *at;

	if (o < 2 && s->in[o] >= 0) {
		w->arrival_known[o] = true;
		if (fan_of(s) > 1) {
			at = new_sequence(w, false);
			for (uint32_t a = 0; a < w->count; a++)
				at[a] = step_instance(w, o, a);
		}
		if (is_steady(w, o))
			return;
		if (w->k->step[s->in[o]].once || w->count > ARRIVALS_FOLLOWED) {
			w->arrival_known[o] = w->count == 1;
			return;
		}
		follow_arrivals(w, o);
	} else if (origin->kind == TSPE_ORIGIN_EACH || origin->kind == TSPE_ORIGIN_PARTS) {
		w->seq[w->sequences++] = (sequence){origin->each + (size_t)w->k->first * s->fan, false};
		if (origin->kind == TSPE_ORIGIN_PARTS)
			w->seq[w->sequences++] = (sequence){origin->step + (size_t)w->k->first * s->fan, true};
	}
}

static void prepare(issue *w)
{
	const tspe_step *s = w->s;
	size_t offset = (size_t)w->k->first * s->fan;

	if (fan_of(s) > 1) {
		int64_t *at = new_sequence(w, false);

		for (uint32_t a = 0; a < w->count; a++)
			at[a] = tspe_issue_at(w->k, s, a / s->fan, a % s->fan) - s->start;
		w->times = at;
	}
	if (s->addr) {
		w->addr = s->addr + offset;
		w->seq[w->sequences++] = (sequence){w->addr, false};
	}
	if (s->memory && s->beats_min != s->beats_max) {
		int64_t *at = new_sequence(w, true);

		for (uint32_t a = 0; a < w->count; a++)
			at[a] = bank_calendar_beats(w->k->e->cal.banks, s->prints[offset + a]);
		w->beats = at;
	}
	for (unsigned o = 0; o < ISA_OPERANDS; o++)
		prepare_operand(w, o);
}

/* ------------------------------------------------------------------------------------------------- rotations */

/* A register operand: access A uses BASE + (A * STRIDE mod LENGTH). */
typedef struct rotation {
	unsigned base, stride, length;
} rotation;

static rotation window_of(const tspe_step *user, const tspe_step *p, const tspe_step *leader, unsigned value)
{
	unsigned group = (unsigned)leader->members * leader->span;
	rotation r = {leader->reg, group, leader->wrap * group};

	if (fan_of(user) > 1)
		r.stride = leader->span;
	else
		r.base += (p->member + value) * leader->span;
	if (p->once)
		r.length = r.stride;
	return r;
}

/* Of DST (ISA_ROT_DST) or a source; false when that operand is in no register. */
static bool rotation_of(const issue *w, unsigned which, rotation *r)
{
	const tspe_step *s = w->s;
	unsigned value;

	if (which == ISA_ROT_DST) {
		if (s->result == TSPE_REGISTERS)
			*r = window_of(s, s, s - s->member, 0);
		return s->result == TSPE_REGISTERS;
	}
	if (s->in[which - ISA_ROT_SRC0] >= 0) {
		const tspe_step *p = tspe_producer(w->k, s, which - ISA_ROT_SRC0, 0, &value);

		if (p->result == TSPE_REGISTERS)
			*r = window_of(s, p, p - p->member, value);
		return p->result == TSPE_REGISTERS;
	}
	return false;
}

/* How many accesses from FIRST on can one instruction make, for this operand's sake? */
static uint32_t rotation_limit(const rotation *r, uint32_t first)
{
	uint32_t offset = (uint32_t)((uint64_t)first * r->stride % r->length);

	if (r->stride > ROTATION_MAX && r->length > r->stride)
		return 1;
	return offset ? (r->length - offset) / r->stride : UINT32_MAX;
}

static void set_rotation(isa_insn *insn, unsigned which, const rotation *r, const piece *p)
{
	uint32_t offset = (uint32_t)((uint64_t)p->first * r->stride % r->length);
	uint64_t accesses = (uint64_t)p->inner * p->outer;
	uint16_t *place = which == ISA_ROT_DST ? &insn->dst : which == ISA_ROT_SRC0 ? &insn->src0 : &insn->src1;

	*place = (uint16_t)ISA_PLACE_VREG(r->base + offset);
	if (accesses == 1 || r->length == r->stride)
		return;
	insn->rot[which].step = (int8_t)r->stride;
	insn->rot[which].wrap = offset + accesses * r->stride > r->length ? (uint16_t)r->length : 0;
}

/* ---------------------------------------------------------------------------------------------------- pieces */

/* Accesses from FIRST on, one as far from the next as the first two are. */
static uint32_t inner_run(const issue *w, uint32_t first)
{
	uint32_t run = MIN(w->count - first, LOOP_COUNT_MAX);

	if (run > 1 && time_of(w, first + 1) - time_of(w, first) > INTERVAL_MAX)
		run = 1;
	for (unsigned i = 0; i < w->sequences && run > 1; i++) {
		const int64_t *at = w->seq[i].at + first;
		int64_t step = at[1] - at[0];
		uint32_t n = 1;

		if ((w->seq[i].equal && step) || step < INT32_MIN || step > INT32_MAX)
			return 1;
		while (n < run && at[n] - at[n - 1] == step)
			n++;
		run = n;
	}
	return run;
}

/* Is the run of INNER accesses at AT the one at FIRST, moved by TIMES times what the second run is moved? */
static bool repeats(const issue *w, uint32_t first, uint32_t inner, uint32_t times)
{
	uint32_t at = first + times * inner;

	for (unsigned i = 0; i < w->sequences; i++) {
		const int64_t *s = w->seq[i].at;
		int64_t step = s[first + inner] - s[first];

		if ((w->seq[i].equal && step) || step < INT32_MIN || step > INT32_MAX)
			return false;
		for (uint32_t n = 0; n < inner; n++)
			if (s[at + n] - s[first + n] != step * times)
				return false;
	}
	return true;
}

static uint32_t outer_runs(const issue *w, uint32_t first, uint32_t inner)
{
	uint32_t runs = 1;
	uint32_t most = MIN((w->count - first) / inner, LOOP_COUNT_MAX);

	if (inner == 1 || most < 2 || time_of(w, first + inner) - time_of(w, first) > INTERVAL_MAX)
		return 1;
	while (runs < most && repeats(w, first, inner, runs))
		runs++;
	return runs;
}

static piece next_piece(const issue *w, uint32_t first)
{
	piece p = {first, 1, 1};
	uint32_t limit = UINT32_MAX;

	if (w->s->origin[0].kind == TSPE_ORIGIN_CELLS)
		return p;
	for (unsigned which = 0; which < ISA_ROT_COUNT; which++) {
		rotation r;

		if (rotation_of(w, which, &r))
			limit = MIN(limit, rotation_limit(&r, first));
	}
	p.inner = inner_run(w, first);
	p.outer = outer_runs(w, first, p.inner);
	if (limit < p.inner) {
		p.inner = limit;
		p.outer = 1;
	} else {
		p.outer = MIN(p.outer, limit / p.inner);
	}
	return p;
}

/* ---------------------------------------------------------------------------------------------- instructions */

static int32_t difference(int64_t to, int64_t from)
{
	return (int32_t)(uint32_t)(uint64_t)(to - from);
}

static isa_insn build(const issue *w, const piece *p)
{
	const tspe_step *s = w->s;
	isa_insn insn = s->insn;
	uint32_t second = p->first + 1, row = p->first + p->inner;

	insn.queue = (uint16_t)s->queue;
	insn.cycle = s->start + time_of(w, p->first);
	if (w->addr)
		insn.addr = (uint32_t)w->addr[p->first];
	if (p->inner > 1)
		insn.loop[0] = (isa_loop){p->inner, (uint32_t)(time_of(w, second) - time_of(w, p->first)),
		                          w->addr ? difference(w->addr[second], w->addr[p->first]) : 0};
	if (p->outer > 1)
		insn.loop[1] = (isa_loop){p->outer, (uint32_t)(time_of(w, row) - time_of(w, p->first)),
		                          w->addr ? difference(w->addr[row], w->addr[p->first]) : 0};
	for (unsigned which = 0; which < ISA_ROT_COUNT; which++) {
		rotation r;

		if (rotation_of(w, which, &r))
			set_rotation(&insn, which, &r, p);
	}
	return insn;
}

static void add_cell_sources(const issue *w, uint32_t id, uint32_t access)
{
	g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(isa_source));

	tspe_cell_sources(w->s, w->k->first * w->s->fan + access, pieces);
	for (guint i = 0; i < MIN(pieces->len, SOURCES_MAX); i++)
		isa_program_add_source(w->k->e->program, id, 0, &g_array_index(pieces, isa_source, i));
}

static void add_source(const issue *w, uint32_t id, unsigned o, const piece *p)
{
	enum tspe_origin_kind kind = w->s->origin[o].kind;
	isa_source source = {.seg_div = 1};

	if (o < 2 && w->s->in[o] >= 0)
		kind = TSPE_ORIGIN_EACH;
	if (kind == TSPE_ORIGIN_NONE)
		return;
	if (kind == TSPE_ORIGIN_CELLS) {
		add_cell_sources(w, id, p->first);
		return;
	}
	source.resident = kind == TSPE_ORIGIN_HOST;
	if (!source.resident) {
		int64_t base = instance_of(w, o, p->first);

		source.base = (uint32_t)base;
		if (p->inner > 1)
			source.step0 = difference(instance_of(w, o, p->first + 1), base);
		if (p->outer > 1)
			source.step1 = difference(instance_of(w, o, p->first + p->inner), base);
	}
	if (is_whole(w->s)) {
		/* Steps that make values beside each other follow each other in the program, and issue equally often.
		 */
		const tspe_step *leader = &w->k->step[w->s->in[o]];

		source.segments = w->s->fan;
		source.seg_step = difference(leader[1].instance, leader->instance);
	}
	if (kind == TSPE_ORIGIN_PARTS) {
		source.seg_div = (uint16_t)(w->s->tensor->part_lanes * w->s->tensor->element / TSPE_GRANULE);
		source.seg_step = (int32_t)w->s->origin[o].step[w->k->first * w->s->fan + p->first];
	}
	isa_program_add_source(w->k->e->program, id, o, &source);
}

/* When operand O arrives after each issue of the piece; ISA_NO_TIME when that varies or nobody knows. */
static int32_t predict_arrival(const issue *w, unsigned o, const piece *p)
{
	const tspe_step *s = w->s;
	const tspe_origin *origin = &s->origin[o];
	uint32_t accesses = p->inner * p->outer;
	int64_t issued = s->start + time_of(w, p->first);
	int64_t arrival;

	if (o < 2 && s->in[o] >= 0)
		return w->arrival_known[o] ? (int32_t)step_arrival(w, o, p->first) : ISA_NO_TIME;
	if (origin->kind == TSPE_ORIGIN_ONE && origin->due != TSPE_NEVER && accesses == 1)
		return (int32_t)(origin->due - issued);
	if (origin->kind != TSPE_ORIGIN_EACH || !origin->dues)
		return ISA_NO_TIME;
	arrival = origin->dues[w->k->first * s->fan + p->first] - issued;
	for (uint32_t a = p->first; a < p->first + accesses; a++)
		if (origin->dues[w->k->first * s->fan + a] - s->start - time_of(w, a) != arrival)
			return ISA_NO_TIME;
	return (int32_t)arrival;
}

static void issue_piece(const issue *w, const piece *p)
{
	isa_program *program = w->k->e->program;
	isa_insn insn = build(w, p);
	uint32_t id = isa_program_add(program, &insn, w->k->e->node);
	uint32_t beats = beats_of(w, p->first);
	isa_prediction prediction = {.beats = (int32_t)beats};

	for (unsigned o = 0; o < ISA_OPERANDS; o++) {
		add_source(w, id, o, p);
		prediction.arrival[o] = predict_arrival(w, o, p);
	}
	prediction.result = w->s->skew + w->s->delay + (beats ? (int32_t)beats - 1 : 0);
	isa_program_set_prediction(program, id, &prediction);
	if (p->first == 0)
		w->s->instance = isa_program_instance(program, id);
}

/* ------------------------------------------------------------------------------------------------ book-keeping */

static void note_memory(tspe_kernel *k, tspe_step *s, uint32_t count)
{
	bool load = tspe_is_load(s);

	for (uint32_t a = 0; a < count; a++) {
		uint32_t i = a / s->fan, j = a % s->fan;

		if (load) {
			s->tensor->last_read = MAX(s->tensor->last_read, tspe_sample_at(k, s, i, j));
			continue;
		}
		if (s->cell) {
			uint32_t cell = s->cell[k->first * s->fan + a];

			for (uint32_t c = 0; c < s->cells; c++, cell += s->cell_step) {
				s->tensor->due[cell] = tspe_due_at(k, s, i, j);
				s->tensor->instance[cell] = s->instance + a;
			}
		}
		s->tensor->last_due = MAX(s->tensor->last_due, tspe_due_at(k, s, i, j));
	}
}

static void count_use(tspe_kernel *k, const tspe_step *s, uint32_t count)
{
	tspe_use *use = &k->e->use;
	enum isa_unit unit = isa_ops[s->insn.op].unit;

	use->accesses += s->memory ? count : 0;
	for (uint32_t a = 0; s->memory && a < count; a++)
		use->bank_cycles += bank_calendar_work(k->e->cal.banks, s->prints[k->first * s->fan + a]);
	use->vector_ops += unit == ISA_UNIT_VXM ? count : 0;
	use->lane_ops += unit == ISA_UNIT_SXM ? count : 0;
	use->weight_bytes += (uint64_t)s->weight_bytes * count;
}

static void note_end(tspe_kernel *k, const tspe_step *s, uint32_t count)
{
	tspe *e = k->e;
	uint32_t last = count - 1;
	int64_t due = tspe_due_at(k, s, last / fan_of(s), last % fan_of(s));
	int64_t held = tspe_issue_at(k, s, last / fan_of(s), last % fan_of(s)) + s->hold;

	/* With varying beats an earlier access may end last. */
	for (uint32_t a = 0; s->beats_min != s->beats_max && a < count; a++)
		due = MAX(due, tspe_due_at(k, s, a / fan_of(s), a % fan_of(s)));
	e->end = MAX(e->end, due);
	e->cal.horizon = MAX(e->cal.horizon, MAX(due + 1, held));
}

static void issue_step(tspe_kernel *k, tspe_step *s)
{
	g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
	issue w = {.k = k, .s = s, .count = (s->once ? 1 : k->n) * fan_of(s), .owned = owned};
	piece p;

	prepare(&w);
	for (uint32_t first = 0; first < w.count; first += p.inner * p.outer) {
		p = next_piece(&w, first);
		issue_piece(&w, &p);
	}
	if (s->memory)
		note_memory(k, s, w.count);
	count_use(k, s, w.count);
	note_end(k, s, w.count);
}

void tspe_issue(tspe_kernel *k)
{
	for (unsigned i = 0; i < k->step_count; i++)
		issue_step(k, &k->step[i]);
	tspe_count_registers(k);
	k->e->bank_delay = MAX(k->e->bank_delay, k->bank_delay);
	tspe_calendars_advance(&k->e->cal);
}
