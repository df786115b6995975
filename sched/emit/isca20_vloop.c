/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over vectors: from timed chains to templates.
 *
 * Iterations run one a cycle, or several side by side when slices, streams and ALUs allow it (the loop is unrolled
 * then: loads that all copies share are read once).  Streams run from the operand's hemisphere towards the VXM, so a
 * template covers iterations in which no operand changes hemisphere.  Where bursts of two operands would hold one queue
 * at a time, shorter stretches are tried; with one iteration left, all words of it lie in different slices.
 */
#include "sched/emit/isca20_loop.h"

/* Loops in the report: so many of an epoch, from so many iterations on. */
enum { NOTED_LOOPS = 24, NOTED_ITERATIONS = 32 };

typedef struct builder {
	isca *c;
	const isca_loop *loop;
	const GArray *tensors;
	isca_template *t;
	uint64_t first; /* iteration */
	uint32_t count;
	isca_chain chain;
	isca_track *value[ISCA_STEPS_MAX]; /* track that has an operation's value in its latch */
	isca_track **copies[ISCA_STEPS_MAX];
	int wire[ISCA_STEPS_MAX][2]; /* wire of a value, eastward and westward; -1 = none */
} builder;

static const isca_tensor *tensor_of(const builder *b, const low_ref *ref)
{
	return &g_array_index(b->tensors, isca_tensor, ref->tensor);
}

static uint32_t place_of(const builder *b, const low_ref *ref, uint64_t iteration, unsigned byte)
{
	uint64_t i0 = iteration % b->loop->n0, i1 = iteration / b->loop->n0;
	int64_t v = ref->first + (int64_t)i0 * ref->step0 + (int64_t)i1 * ref->step1;

	return isca_tensor_place(tensor_of(b, ref), ref->section, (uint64_t)v, byte);
}

static bool is_east(const builder *b, const low_ref *ref, uint64_t iteration)
{
	return isca_is_east(b->c, place_of(b, ref, iteration, 0) >> 16);
}

static bool is_read_by(const builder *b, unsigned value, enum low_step_kind kind)
{
	for (unsigned i = value + 1; i < b->loop->steps->len; i++) {
		const low_step *s = isca_step(b->loop, i);

		if (s->kind == kind && (s->in[0] == (int)value || s->in[1] == (int)value))
			return true;
	}
	return false;
}

/* The READs or WRITEs of all bytes of a reference. */
static void add_memory(builder *b, enum isa_op op, const low_step *s, int wire)
{
	for (unsigned byte = 0; byte < isa_type_bytes(s->type); byte++) {
		isca_track *k = isca_add_memory(b->t, op, wire, byte, b->count);

		for (uint32_t i = 0; i < b->count; i++)
			k->place[i] = place_of(b, &s->ref, b->first + i, s->imm + byte);
	}
}

static void add_load(builder *b, unsigned i)
{
	const low_step *s = isca_step(b->loop, i);
	bool west = is_east(b, &s->ref, b->first);
	int64_t sampled = b->chain.start[i] - b->c->m->vxm_entry_cycles;
	unsigned width = isa_type_bytes(s->type);
	int position = (int)b->c->m->pos_vxm;

	if (!is_read_by(b, i, LOW_OP)) {
		/* Only an exchange of lanes reads it: outward to the near SXM. */
		west = !west;
		position = (int)b->c->m->pos_sxm.at[!west];
	}
	b->wire[i][west] = isca_add_wire(b->t, west, width, b->count, position, sampled);
	add_memory(b, ISA_OP_READ, s, b->wire[i][west]);
}

/* An ALU that starts in cycle START. */
static isca_track *add_alu(builder *b, enum isa_op op, enum isa_type type, enum isa_type dtype, int64_t start)
{
	const isa_machine *m = b->c->m;
	isca_track *k = isca_add_unit(b->t, op, b->c->first_alu, b->c->alus,
	                              start - m->vxm_entry_cycles - m->vxm_skew_cycles, b->count);

	k->uses_latch = true;
	k->insn.type = (uint8_t)type;
	k->insn.dtype = (uint8_t)dtype;
	k->insn.lanes = (uint16_t)b->loop->lanes;
	k->result = (int32_t)(m->vxm_skew_cycles + m->vxm_entry_cycles + isca_op_cycles(b->c, op));
	return k;
}

static void read_latch(isca_track *k, unsigned operand, const isca_track *from)
{
	k->in[operand].feed = ISCA_FEED_TRACK;
	k->in[operand].track = from;
	k->in[operand].arrival = (int32_t)(from->issue + from->result - k->issue);
}

static void read_load(builder *b, isca_track *k, unsigned operand, unsigned load)
{
	int wire = b->wire[load][b->wire[load][0] < 0];

	isca_sample(b->t, k, operand, wire, 0, isca_wire_at(b->t, wire)->width, (int)b->c->m->pos_vxm);
}

/* Any value's bits. */
static enum isa_type bits_type(enum isa_type type)
{
	unsigned bytes = isa_type_bytes(type);

	return bytes == 1 ? ISA_TYPE_I8 : bytes == 2 ? ISA_TYPE_I16 : ISA_TYPE_I32;
}

static void add_copies(builder *b, unsigned i)
{
	const low_step *s = isca_step(b->loop, i);
	enum isa_type type = bits_type(s->dtype);
	int64_t start = b->chain.start[i] + (s->kind == LOW_OP ? isca_op_cycles(b->c, s->op) : 0);

	b->copies[i] = g_new(isca_track *, b->chain.copies[i]);
	for (uint32_t j = 0; j < b->chain.copies[i]; j++) {
		isca_track *k = add_alu(b, ISA_OP_COPY, type, type, start + j * b->c->m->vxm_op_cycles);

		if (j || s->kind == LOW_OP)
			read_latch(k, 0, j ? b->copies[i][j - 1] : b->value[i]);
		else
			read_load(b, k, 0, i);
		b->copies[i][j] = k;
	}
}

static void add_operand(builder *b, isca_track *k, unsigned operand, unsigned value, int64_t start)
{
	const low_step *s = isca_step(b->loop, value);
	int64_t due = b->chain.start[value] + (s->kind == LOW_OP ? isca_op_cycles(b->c, s->op) : 0);

	if (start > due)
		read_latch(k, operand, b->copies[value][(start - due) / b->c->m->vxm_op_cycles - 1]);
	else if (s->kind == LOW_OP)
		read_latch(k, operand, b->value[value]);
	else
		read_load(b, k, operand, value);
}

static void add_op(builder *b, unsigned i)
{
	const low_step *s = isca_step(b->loop, i);
	isca_track *k = add_alu(b, s->op, s->type, s->dtype, b->chain.start[i]);

	for (unsigned o = 0; o < 2; o++)
		if (s->in[o] >= 0)
			add_operand(b, k, o, (unsigned)s->in[o], b->chain.start[i]);
	if (s->in[1] == -2) {
		k->insn.src1 = ISA_PLACE_IMM;
		k->insn.imm = s->imm;
	}
	b->value[i] = k;
}

/* A wire that leaves the VXM with the value of operation I, in the given direction. */
static int result_wire(builder *b, unsigned i, bool west)
{
	isca_track *k = b->value[i];
	int position = (int)b->c->m->pos_vxm;

	if (b->wire[i][west] >= 0)
		return b->wire[i][west];
	if (k->drives >= 0) {
		enum isa_type type = bits_type((enum isa_type)k->insn.dtype);
		isca_track *copy = add_alu(b, ISA_OP_COPY, type, type,
		                           b->chain.start[i] + isca_op_cycles(b->c, isca_step(b->loop, i)->op));

		read_latch(copy, 0, k);
		k = copy;
	}
	b->wire[i][west] = isca_add_wire(b->t, west, isa_type_bytes((enum isa_type)k->insn.dtype), b->count, position,
	                                 k->issue + k->result);
	isca_drive(b->t, k, b->wire[i][west], position);
	return b->wire[i][west];
}

/* lane -> lane xor X where both exist. */
static uint16_t exchange_map(builder *b, uint32_t lane_xor)
{
	uint16_t lanes[G_N_ELEMENTS(((isa_lane_map *)NULL)->lane)];

	for (unsigned i = 0; i < G_N_ELEMENTS(lanes); i++)
		lanes[i] = (uint16_t)((i ^ lane_xor) < b->c->lanes ? i ^ lane_xor : i);
	return (uint16_t)isa_program_add_map(b->c->program, lanes);
}

/* Cycles of an exchange: the farthest tile distance comes on top when it leaves the superlane. */
static int64_t exchange_cycles(const builder *b, uint32_t lane_xor)
{
	const isa_machine *m = b->c->m;
	int64_t tile = m->lanes_per_superlane, distance = 0;

	if (lane_xor < tile)
		return m->sxm_distribute_cycles;
	for (int64_t i = 0; i < m->lanes; i++)
		if ((i ^ lane_xor) < m->lanes)
			distance = MAX(distance, (i ^ lane_xor) / tile - i / tile);
	return m->sxm_permute_cycles + distance;
}

static void add_lanes(builder *b, unsigned i)
{
	const low_step *s = isca_step(b->loop, i);
	const isa_machine *m = b->c->m;
	bool inside = s->lane_xor < (uint64_t)m->lanes_per_superlane;
	unsigned role = inside ? ISA_SXM_DISTRIBUTE : ISA_SXM_PERMUTE;
	unsigned value = (unsigned)s->in[0];
	bool is_load = isca_step(b->loop, value)->kind == LOW_LOAD;
	bool west = is_load ? b->wire[value][0] < 0 : b->wire[value][1] >= 0;
	int from = is_load ? b->wire[value][west] : result_wire(b, value, west);
	int position = (int)m->pos_sxm.at[!west];
	int64_t sampled = isca_passes(b->c, west, position, isca_wire_at(b->t, from)->diagonal);
	int first = isa_machine_queue_find(m, ISA_UNIT_SXM, !west, role, 0);
	isca_track *k = isca_add_unit(b->t, inside ? ISA_OP_DISTRIBUTE : ISA_OP_PERMUTE, (unsigned)first,
	                              (unsigned)m->sxm_queues.at[role], sampled - m->sxm_skew_cycles, b->count);

	k->insn.type = (uint8_t)s->type;
	k->insn.map = exchange_map(b, s->lane_xor);
	k->result = (int32_t)(m->sxm_skew_cycles + exchange_cycles(b, s->lane_xor));
	isca_sample(b->t, k, 0, from, 0, isca_wire_at(b->t, from)->width, position);
	b->wire[i][!west] =
		isca_add_wire(b->t, !west, isa_type_bytes(s->type), b->count, position, k->issue + k->result);
	isca_drive(b->t, k, b->wire[i][!west], position);
}

static void add_store(builder *b, const low_step *s)
{
	unsigned value = (unsigned)s->in[0];
	bool west = !is_east(b, &s->ref, b->first);

	if (isca_step(b->loop, value)->kind == LOW_LANES)
		west = b->wire[value][0] < 0;
	else
		result_wire(b, value, west);
	add_memory(b, ISA_OP_WRITE, s, b->wire[value][west]);
}

static void build_steps(builder *b)
{
	for (unsigned i = 0; i < b->loop->steps->len; i++) {
		const low_step *s = isca_step(b->loop, i);

		if (s->kind == LOW_LOAD)
			add_load(b, i);
		else if (s->kind == LOW_OP)
			add_op(b, i);
		if (s->kind == LOW_LOAD || s->kind == LOW_OP)
			add_copies(b, i);
	}
	/* Stores first: they decide which way a value leaves the VXM. */
	for (unsigned i = 0; i < b->loop->steps->len; i++)
		if (isca_step(b->loop, i)->kind == LOW_STORE &&
		    isca_step(b->loop, (unsigned)isca_step(b->loop, i)->in[0])->kind == LOW_OP)
			add_store(b, isca_step(b->loop, i));
	for (unsigned i = 0; i < b->loop->steps->len; i++)
		if (isca_step(b->loop, i)->kind == LOW_LANES)
			add_lanes(b, i);
	for (unsigned i = 0; i < b->loop->steps->len; i++)
		if (isca_step(b->loop, i)->kind == LOW_STORE &&
		    isca_step(b->loop, (unsigned)isca_step(b->loop, i)->in[0])->kind == LOW_LANES)
			add_store(b, isca_step(b->loop, i));
}

/* A prepared template for COUNT iterations from FIRST on; NULL unless it fits. */
static isca_template *build(isca *c, const isca_loop *loop, const GArray *tensors, uint64_t first, uint32_t count,
                            enum isca_fit *fit)
{
	builder b = {.c = c, .loop = loop, .tensors = tensors, .first = first, .count = count};

	*fit = ISCA_CLASH;
	if (!isca_time_chain(c, loop, &b.chain))
		return NULL;
	for (unsigned i = 0; i < loop->steps->len; i++)
		b.wire[i][0] = b.wire[i][1] = -1;
	b.t = isca_template_new(c, 1);
	build_steps(&b);
	for (unsigned i = 0; i < loop->steps->len; i++)
		g_free(b.copies[i]);
	*fit = isca_prepare(b.t);
	if (*fit == ISCA_FITS)
		return b.t;
	isca_template_free(b.t);
	return NULL;
}

/* ------------------------------------------------------------------------------------------------ unrolling */

static bool same_ref(const low_ref *a, const low_ref *b)
{
	return a->tensor == b->tensor && a->section == b->section && a->first == b->first && a->step0 == b->step0 &&
	       a->step1 == b->step1;
}

/* Appends STEP unless it loads what LOOP loads already; returns where the value is. */
static int16_t append_step(isca_loop *loop, const low_step *step)
{
	for (unsigned i = 0; step->kind == LOW_LOAD && i < loop->steps->len; i++)
		if (isca_step(loop, i)->kind == LOW_LOAD && same_ref(&isca_step(loop, i)->ref, &step->ref))
			return (int16_t)i;
	g_array_append_val(loop->steps, *step);
	return (int16_t)(loop->steps->len - 1);
}

/* N0 iterations, each of which does iterations FIRST + STRIDE * i .. + FACTOR - 1 of the inner loop.  NULL when that is
 * too much. */
static isca_loop *unroll(const isca_loop *loop, uint64_t first, uint64_t n0, unsigned stride, unsigned factor)
{
	isca_loop *u = isca_loop_new(n0, loop->n1, loop->lanes);
	int16_t at[ISCA_STEPS_MAX];

	for (unsigned f = 0; f < factor; f++) {
		for (unsigned i = 0; i < loop->steps->len; i++) {
			low_step step = *isca_step(loop, i);

			step.ref.first += (int64_t)(first + f) * step.ref.step0;
			step.ref.step0 *= stride;
			for (unsigned o = 0; o < 2; o++)
				if (step.in[o] >= 0)
					step.in[o] = at[step.in[o]];
			if (u->steps->len >= ISCA_STEPS_MAX) {
				isca_loop_free(u);
				return NULL;
			}
			at[i] = append_step(u, &step);
		}
	}
	return u;
}

/* ------------------------------------------------------------------------------------------------- emission */

/* A loop being emitted. */
typedef struct emission {
	isca *c;
	const isca_loop *loop;
	const GArray *tensors;
	unsigned ops;
	unsigned side_by_side; /* iterations that can be, at most */
	GArray *begins;        /* isca_begin, so far */
} emission;

static bool sides_differ(const builder *b, uint64_t one, uint64_t other)
{
	for (unsigned i = 0; i < b->loop->steps->len; i++) {
		const low_step *s = isca_step(b->loop, i);

		if ((s->kind == LOW_LOAD || s->kind == LOW_STORE) &&
		    is_east(b, &s->ref, one) != is_east(b, &s->ref, other))
			return true;
	}
	return false;
}

/* From iteration FIRST on, how long do all references stay in their hemispheres? */
static uint32_t same_sides(const emission *e, const isca_loop *loop, uint64_t first, uint64_t count)
{
	builder b = {.c = e->c, .loop = loop, .tensors = e->tensors};
	uint32_t n = 1;

	count = MIN(count, ISCA_RUN_MAX);
	while (n < count && !sides_differ(&b, first, first + n))
		n++;
	return n;
}

/* Schedules iterations FIRST..END-1 in as few templates as possible; returns the first that cannot be, or END. */
static uint64_t emit_range(const emission *e, const isca_loop *loop, uint64_t first, uint64_t end)
{
	while (first < end) {
		uint32_t n = same_sides(e, loop, first, end - first);
		enum isca_fit fit;
		isca_template *t = build(e->c, loop, e->tensors, first, n, &fit);

		while (!t && n > 1)
			t = build(e->c, loop, e->tensors, first, n /= 2, &fit);
		if (!t)
			return first;
		isca_place(t);
		isca_note_begins(e->begins, t->origin, n);
		isca_template_free(t);
		first += n;
	}
	return end;
}

/* Iterations FIRST..END-1 of the loop as it is. */
static bool emit_plainly(const emission *e, uint64_t first, uint64_t end)
{
	uint64_t at = emit_range(e, e->loop, first, end);

	if (at < end) {
		g_autofree char *where = g_strdup_printf("iteration %" G_GUINT64_FORMAT, at);

		isca_refuse_clash(e->c, where);
	}
	return at == end;
}

/* Can the first such iterations go side by side? */
static bool can_unroll(const emission *e, uint64_t first, uint64_t n0, unsigned stride, unsigned factor)
{
	enum isca_fit fit;
	isca_loop *u;
	isca_template *t;

	if (e->ops * factor > e->c->alus || !(u = unroll(e->loop, first, n0, stride, factor)))
		return false;
	t = build(e->c, u, e->tensors, 0, same_sides(e, u, 0, u->n0 * u->n1), &fit);
	isca_loop_free(u);
	if (t)
		isca_template_free(t);
	return fit != ISCA_CLASH;
}

static bool emit_unrolled(const emission *e, uint64_t first, uint64_t n0, unsigned stride, unsigned factor)
{
	isca_loop *u = unroll(e->loop, first, n0, stride, factor);
	uint64_t end = u->n0 * u->n1, at = 0;
	bool ok = true;

	while (ok && (at = emit_range(e, u, at, end)) < end) {
		/* Iterations that do not go side by side, at the end of a lane block for instance, go one by one. */
		uint64_t i = at / n0 * e->loop->n0 + first + at % n0 * stride;

		ok = emit_plainly(e, i, i + factor);
		at++;
	}
	isca_loop_free(u);
	return ok;
}

/* The largest factor up to LIMIT by which iterations can be unrolled. */
static unsigned choose_factor(const emission *e, uint64_t first, uint64_t n0, unsigned stride, unsigned limit)
{
	while (limit > 1 && !can_unroll(e, first, stride ? n0 : n0 / limit, stride ? stride : limit, limit))
		limit = limit & (limit - 1) ? 1u << (31 - __builtin_clz(limit)) : limit / 2;
	return limit;
}

static bool has_period(const emission *e, uint64_t first, uint64_t n0, unsigned period)
{
	builder b = {.c = e->c, .loop = e->loop, .tensors = e->tensors};
	uint64_t end = first + MIN(n0, 128);

	for (uint64_t i = first; i + period < end; i++)
		if (sides_differ(&b, i, i + period))
			return false;
	return true;
}

/* After how many iterations of the inner loop do the hemispheres repeat? */
static unsigned find_period(const emission *e, uint64_t first, uint64_t n0)
{
	if (has_period(e, first, n0, 1))
		return 1;
	if (has_period(e, first, n0, e->side_by_side))
		return e->side_by_side;
	for (unsigned period = 2; period <= 32; period *= 2)
		if (has_period(e, first, n0, period))
			return period;
	return 1;
}

/* ROUNDS times PERIOD iterations, in strips that stay in their hemispheres. */
static bool emit_strips(const emission *e, uint64_t first, uint64_t rounds, unsigned period)
{
	builder b = {.c = e->c, .loop = e->loop, .tensors = e->tensors};
	unsigned from = 0;

	if (can_unroll(e, first, rounds, period, period))
		return emit_unrolled(e, first, rounds, period, period);
	while (from < period) {
		unsigned width = 1, factor;

		while (from + width < period && !sides_differ(&b, first + from, first + from + width))
			width++;
		factor = choose_factor(e, first + from, rounds, period, width);
		for (unsigned r = 0; r < width; r += factor)
			if (!emit_unrolled(e, first + from + r, rounds, period, MIN(factor, width - r)))
				return false;
		from += width;
	}
	return true;
}

/* Iterations FIRST .. FIRST + N0 - 1 of the inner loop (for all of the outer). */
static bool emit_inner(const emission *e, uint64_t first, uint64_t n0)
{
	unsigned period = find_period(e, first, n0);
	unsigned factor = (unsigned)MIN(n0, e->side_by_side);

	if (period > 1 && n0 >= period)
		return emit_strips(e, first, n0 / period, period) &&
		       (n0 % period == 0 || emit_inner(e, first + n0 / period * period, n0 % period));
	factor = MAX(choose_factor(e, first, n0, 0, factor), 1);
	return emit_unrolled(e, first, n0 / factor, factor, factor) &&
	       (n0 % factor == 0 || emit_inner(e, first + n0 / factor * factor, n0 % factor));
}

static unsigned count_ops(const isca_loop *loop)
{
	unsigned ops = 0;

	for (unsigned i = 0; i < loop->steps->len; i++)
		ops += isca_step(loop, i)->kind == LOW_OP;
	return ops;
}

/* The same iterations with the two loop levels exchanged: the longer one inside makes longer bursts. */
static isca_loop *exchange_levels(const isca_loop *loop)
{
	isca_loop *turned = isca_loop_new(loop->n1, loop->n0, loop->lanes);

	for (unsigned i = 0; i < loop->steps->len; i++) {
		low_step s = *isca_step(loop, i);
		int64_t step = s.ref.step0;

		s.ref.step0 = s.ref.step1;
		s.ref.step1 = step;
		g_array_append_val(turned->steps, s);
	}
	return turned;
}

bool isca_emit_loop(isca *c, const isca_loop *loop, const GArray *tensors)
{
	isca_loop *turned = loop->n1 > loop->n0 ? exchange_levels(loop) : NULL;
	g_autoptr(GArray) begins = g_array_new(FALSE, FALSE, sizeof(isca_begin));
	emission e = {
		.c = c, .loop = turned ? turned : loop, .tensors = tensors, .ops = count_ops(loop), .begins = begins};
	const char *why;
	bool ok;

	e.side_by_side = isca_most_iterations(c, e.loop, &why);
	ok = emit_inner(&e, 0, e.loop->n0);
	c->vxm_ops += loop->n0 * loop->n1 * loop->lanes * e.ops;
	if (ok && loop->n0 * loop->n1 >= NOTED_ITERATIONS && c->epoch < EMIT_NOTED_EPOCHS && c->noted++ < NOTED_LOOPS)
		isca_note_interval(c, e.loop, begins);
	if (turned)
		isca_loop_free(turned);
	return ok;
}
