/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes of the matrix unit: weights into the shadow buffers, installing them, activations through the planes, sums
 * through the VXM.
 *
 * Weights are loaded as soon as the shadow buffer is free, that is while the pass before is running; they are installed
 * so late that they become active exactly with the first activation.  Sums leave an engine every interval; the
 * engines of a strand are staggered by the time an ALU needs, so that each sum meets the one before it in the next ALU.
 */
#include "sched/emit/isca20_mxm.h"

typedef struct pass {
	isca *c;
	isca_work *w;
	const GArray *tensors;
	uint64_t batch, tile, block; /* the unit */
	uint64_t strip;
	uint32_t slot; /* in the window */
	unsigned own;  /* its engine, where units have one */
	unsigned step;
	const isca_strand *strand;
	uint64_t first; /* row in the tile */
	uint32_t rows;
	isca_template *t;
} pass;

static unsigned engine_of(const pass *p, unsigned link)
{
	unsigned e = p->strand->engine[link];

	return e == ISCA_OWN_ENGINE ? p->own : e;
}

static uint32_t column_lanes(const pass *p)
{
	const isca_tensor *c = &g_array_index(p->tensors, isca_tensor, p->w->c);
	uint64_t first = p->block * c->vector_lanes;

	if (isca_has_strips(p->w))
		return (uint32_t)((p->strip + 1) * c->lanes);
	return (uint32_t)MIN(c->vector_lanes, c->lanes - first);
}

static unsigned mxm_queue(const pass *p, unsigned plane, unsigned role)
{
	return (unsigned)isa_machine_queue_find(p->c->m, ISA_UNIT_MXM, 2 * plane / ISCA_ENGINES, role, plane);
}

/* Planes FIRST.. of an engine. */
static unsigned plane_count(const isca_work *w)
{
	return ISCA_ENGINES / w->engines;
}

static enum isca_share share_of(const isca_strand *s)
{
	return s->parts == ISCA_PARTS ? ISCA_ALL : s->parts == ISCA_PARTS / 2 ? ISCA_HALF : ISCA_QUARTER;
}

/* --------------------------------------------------------------------------------------------------- weights */

typedef struct loaded {
	uint32_t instance;  /* of the first LW */
	uint16_t rows;      /* of each LW */
	int64_t due;        /* when the last row is there */
	uint32_t installed; /* instance of the IW, 0 = not yet */
} loaded;

/* The LWs of ROUNDS times COUNT rows, from row FIRST_ROW on, at element OFFSET of the wire. */
static isca_track *add_lw(pass *p, int wire, unsigned engine, uint32_t offset, uint32_t rounds, unsigned count,
                          unsigned first_row)
{
	const isa_machine *m = p->c->m;
	unsigned queue = mxm_queue(p, isca_engine_plane(p->w, engine), 0);
	isca_track *k = isca_add_unit(p->t, ISA_OP_LW, queue, 1, (int64_t)offset - m->mxm_skew_cycles, rounds);

	k->uses_share = true;
	k->insn.addr = first_row;
	k->addr_step = (int32_t)count;
	k->insn.count = count;
	k->insn.type = (uint8_t)p->w->type;
	k->insn.lanes = (uint16_t)column_lanes(p);
	k->result = (int32_t)(m->mxm_skew_cycles + m->mxm_lw_cycles);
	isca_sample(p->t, k, 0, wire, 0, count * p->w->bytes, (int)m->pos_mxm.at[isca_engine_side(p->w, engine)]);
	k->in[0].offset = offset;
	return k;
}

/* Loads K block KBLOCK into ENGINE's shadow buffer, EACH rows at a time. */
static bool load_weights(pass *p, unsigned kblock, unsigned engine, unsigned each, loaded *result)
{
	const isa_machine *m = p->c->m;
	isca_work *w = p->w;
	uint32_t rows = isca_kblock_at(w, kblock)->rows;
	uint32_t rounds = (rows + each - 1) / each, full = rows / each, rest = rows % each;
	unsigned side = isca_engine_side(w, engine);
	const isca_plane *planes = &p->c->mxm->plane[isca_engine_plane(w, engine)];
	isca_track *first = NULL;
	int wire;

	p->t = isca_template_new(p->c, 1);
	wire = isca_add_wire(p->t, side == 0, MIN(each, rows) * w->bytes, rounds, (int)m->pos_mxm.at[side], 0);
	for (unsigned r = 0; r < MIN(each, rows); r++)
		for (unsigned byte = 0; byte < w->bytes; byte++) {
			isca_track *k = isca_add_memory(p->t, ISA_OP_READ, wire, r * w->bytes + byte,
			                                (rows - r + each - 1) / each);

			k->traffic = ISCA_TRAFFIC_WEIGHTS;
			for (uint32_t i = 0; i < k->count; i++)
				k->place[i] = isca_b_place(w, p->tensors, p->batch, kblock,
				                           isca_has_strips(w) ? p->strip : p->block, i * each + r,
				                           engine, byte);
		}
	if (full)
		first = add_lw(p, wire, engine, 0, full, each, 0);
	if (rest) {
		isca_track *k = add_lw(p, wire, engine, full, 1, rest, full * each);

		first = first ? first : k;
	}
	for (unsigned i = 0; i < plane_count(w); i++)
		isca_not_before(p->t, first, planes[i].loadable);
	if (isca_prepare(p->t) != ISCA_FITS) {
		isca_template_free(p->t);
		return false;
	}
	isca_place(p->t);
	*result =
		(loaded){first->instance[0], (uint16_t)each, p->t->origin + (int64_t)rounds - 1 + m->mxm_lw_cycles, 0};
	isca_template_free(p->t);
	return true;
}

/* --------------------------------------------------------------------------------------------------- sums */

/* How the sums of a pass go through the VXM. */
typedef struct adders {
	bool old;       /* the partial sum of the step before comes in */
	unsigned count; /* operations */
} adders;

/* Which operation takes the sum of link L as an operand?  With no old sum the first takes two. */
static unsigned adder_of(const adders *a, unsigned link)
{
	return a->old ? link : link ? link - 1 : 0;
}

static int64_t adder_start(const pass *p, unsigned i)
{
	return (int64_t)i * p->c->m->vxm_op_cycles;
}

/* The cycle in which the sum of link L passes the VXM. */
static int64_t sum_at_vxm(const pass *p, const adders *a, unsigned link)
{
	return adder_start(p, adder_of(a, link)) - p->c->m->vxm_entry_cycles;
}

/* Installs what was loaded so that it is active from CYCLE on. */
static isca_track *add_iw(pass *p, unsigned link, const loaded *weights, int64_t cycle)
{
	const isa_machine *m = p->c->m;
	unsigned plane = isca_engine_plane(p->w, engine_of(p, link));
	isca_track *iw = isca_add_unit(p->t, ISA_OP_IW, mxm_queue(p, plane, 0), 1,
	                               cycle - m->mxm_iw_cycles - m->mxm_skew_cycles, 1);

	iw->insn.count = isca_kblock_at(p->w, p->strand->kblock[link])->rows;
	iw->insn.type = (uint8_t)p->w->type;
	iw->result = (int32_t)(m->mxm_skew_cycles + m->mxm_iw_cycles);
	iw->in[0].feed = ISCA_FEED_ROWS;
	iw->in[0].instance = weights->instance;
	iw->in[0].rows = weights->rows;
	iw->in[0].due = weights->due;
	isca_not_before(p->t, iw, weights->due);
	return iw;
}

/* Row I of the pass, in the batch. */
static uint64_t row_of(const pass *p, uint64_t i)
{
	return isca_tile_row(p->w, p->tile, p->strip, p->first + i);
}

/* Cycles of a shift down by LANE lanes: the farthest tile distance comes on top. */
static int64_t shift_cycles(const isca *c, unsigned lane)
{
	const isa_machine *m = c->m;
	int64_t tile = m->lanes_per_superlane, distance = 0;

	for (int64_t i = lane; i < m->lanes; i++)
		distance = MAX(distance, i / tile - (i - (int64_t)lane) / tile);
	return m->sxm_shift_cycles + distance;
}

/* A wire that comes to the SXM so early that what it carries is on wire TO in time. */
static int add_unshifted(pass *p, unsigned side, unsigned lane, int to)
{
	int position = (int)p->c->m->pos_sxm.at[side];
	int64_t due = isca_passes(p->c, side == 0, position, isca_wire_at(p->t, to)->diagonal);

	return isca_add_wire(p->t, side == 0, p->w->bytes, p->rows, position, due - shift_cycles(p->c, lane));
}

/* Shifts what comes on wire FROM down by LANE lanes, on to wire TO. */
static void add_shift(pass *p, unsigned side, unsigned lane, int from, int to)
{
	const isa_machine *m = p->c->m;
	int position = (int)m->pos_sxm.at[side];
	int first = isa_machine_queue_find(m, ISA_UNIT_SXM, side, ISA_SXM_SHIFT, 0);
	int64_t sampled = isca_passes(p->c, side == 0, position, isca_wire_at(p->t, from)->diagonal);
	isca_track *k = isca_add_unit(p->t, ISA_OP_SHIFT, (unsigned)first, (unsigned)m->sxm_queues.at[ISA_SXM_SHIFT],
	                              sampled - m->sxm_skew_cycles, p->rows);

	k->insn.distance = (int16_t) - (int)lane;
	k->insn.type = (uint8_t)p->w->type;
	k->result = (int32_t)(m->sxm_skew_cycles + shift_cycles(p->c, lane));
	isca_sample(p->t, k, 0, from, 0, p->w->bytes, position);
	isca_drive(p->t, k, to, position);
}

/* Activations, sampled from CYCLE on. */
static isca_track *add_abc(pass *p, unsigned link, const loaded *weights, int64_t cycle)
{
	const isa_machine *m = p->c->m;
	const isca_work *w = p->w;
	unsigned e = engine_of(p, link), side = isca_engine_side(w, e), plane = isca_engine_plane(w, e);
	unsigned kblock = p->strand->kblock[link];
	int position = (int)m->pos_mxm.at[side];
	unsigned lane = isca_packed_lane(w, row_of(p, 0), isca_kblock_at(w, kblock));
	int wire = isca_add_wire(p->t, side == 0, w->bytes, p->rows, position, cycle);
	int read = lane ? add_unshifted(p, side, lane, wire) : wire;
	isca_track *iw = weights->installed ? NULL : add_iw(p, link, weights, cycle);
	isca_track *abc;

	for (unsigned byte = 0; byte < w->bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_READ, read, byte, p->rows);

		k->traffic = ISCA_TRAFFIC_ACTIVATIONS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = isca_a_place(w, p->tensors, p->batch, kblock, row_of(p, i), e,
			                           share_of(p->strand), byte);
	}
	if (lane)
		add_shift(p, side, lane, read, wire);
	abc = isca_add_unit(p->t, ISA_OP_ABC, mxm_queue(p, plane, 1), 1, cycle - m->mxm_skew_cycles, p->rows);
	abc->hold = w->interval - 1;
	abc->insn.type = (uint8_t)w->type;
	abc->insn.lanes = (uint16_t)isca_kblock_at(w, kblock)->rows;
	abc->result = (int32_t)(m->mxm_skew_cycles + m->mxm_abc_cycles);
	isca_sample(p->t, abc, 0, wire, 0, w->bytes, position);
	abc->in[1].feed = iw ? ISCA_FEED_ONE : ISCA_FEED_ROWS;
	abc->in[1].track = iw;
	abc->in[1].instance = weights->installed;
	abc->in[1].rows = 1;
	for (unsigned i = 0; i < plane_count(w); i++)
		isca_not_before(p->t, abc, p->c->mxm->plane[plane + i].free);
	return abc;
}

/* All instructions of one engine; returns the wire that carries the sums inward. */
static int add_engine(pass *p, const adders *a, unsigned link, const loaded *weights)
{
	const isa_machine *m = p->c->m;
	unsigned e = engine_of(p, link), side = isca_engine_side(p->w, e);
	int position = (int)m->pos_mxm.at[side];
	int sums = isca_add_wire(p->t, side == 1, 4, p->rows, (int)m->pos_vxm, sum_at_vxm(p, a, link));
	int64_t emitted = isca_passes(p->c, side == 1, position, isca_wire_at(p->t, sums)->diagonal);
	int64_t accumulated = emitted - m->mxm_acc_cycles;
	isca_track *abc = add_abc(p, link, weights, accumulated - m->mxm_abc_cycles);
	isca_track *acc = isca_add_unit(p->t, ISA_OP_ACC, mxm_queue(p, isca_engine_plane(p->w, e), 2), 1,
	                                accumulated - m->mxm_skew_cycles, p->rows);

	acc->insn.type = (uint8_t)p->w->type;
	acc->insn.lanes = (uint16_t)column_lanes(p);
	acc->result = (int32_t)(m->mxm_skew_cycles + m->mxm_acc_cycles);
	acc->in[0].feed = ISCA_FEED_TRACK;
	acc->in[0].track = abc;
	acc->in[0].arrival = (int32_t)m->mxm_skew_cycles;
	isca_drive(p->t, acc, sums, position);
	return sums;
}

static isca_track *add_alu(pass *p, enum isa_op op, unsigned index, enum isa_type type, enum isa_type dtype)
{
	const isa_machine *m = p->c->m;
	isca_track *k = isca_add_unit(p->t, op, p->c->first_alu, p->c->alus,
	                              adder_start(p, index) - m->vxm_entry_cycles - m->vxm_skew_cycles, p->rows);

	k->uses_latch = true;
	k->insn.type = (uint8_t)type;
	k->insn.dtype = (uint8_t)dtype;
	k->insn.lanes = (uint16_t)column_lanes(p);
	k->result = (int32_t)(m->vxm_skew_cycles + m->vxm_entry_cycles + m->vxm_op_cycles);
	return k;
}

static void read_latch(isca_track *k, unsigned operand, const isca_track *from)
{
	k->in[operand].feed = ISCA_FEED_TRACK;
	k->in[operand].track = from;
	k->in[operand].arrival = (int32_t)(from->issue + from->result - k->issue);
}

static uint32_t sum_place(const pass *p, unsigned buffer, uint32_t i, unsigned byte)
{
	const isca_tile *tile = &p->w->sum[buffer];

	return isca_tile_place(tile, p->slot * tile->period + p->first + i, 0, byte);
}

/* Where row I of the result waits for further strips. */
static uint32_t strip_place(const pass *p, unsigned buffer, uint32_t i, unsigned byte)
{
	const isca_tile *tile = &p->w->strip[buffer];

	return isca_tile_place(tile, p->slot * tile->period + p->first + i, 0, byte);
}

/* What the step or strip before has left, flowing to the VXM to be there when operation INDEX starts. */
static int add_left(pass *p, uint32_t (*place)(const pass *, unsigned, uint32_t, unsigned), unsigned buffer,
                    unsigned bytes, unsigned index)
{
	const isa_machine *m = p->c->m;
	bool west = isca_is_east(p->c, place(p, buffer, 0, 0) >> 16);
	int wire =
		isca_add_wire(p->t, west, bytes, p->rows, (int)m->pos_vxm, adder_start(p, index) - m->vxm_entry_cycles);

	for (unsigned byte = 0; byte < bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_READ, wire, byte, p->rows);

		k->traffic = ISCA_TRAFFIC_SUMS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = place(p, buffer, i, byte);
	}
	return wire;
}

static bool is_last(const pass *p)
{
	return p->step + 1 == p->w->steps->len;
}

/* Does row I become part of the result? */
static bool is_result(const pass *p, uint32_t i)
{
	return is_last(p) && isca_is_whole(p->w, p->tile, p->strip, p->first + i);
}

/* Do they join those of earlier strips? */
static bool joins(const pass *p)
{
	return is_last(p) && p->strip > 0;
}

/* Where row I goes. */
static uint32_t result_place(const pass *p, uint32_t i, unsigned byte)
{
	if (is_result(p, i))
		return isca_c_place(p->w, p->tensors, p->batch, row_of(p, i), p->block, byte);
	if (is_last(p))
		return strip_place(p, p->strip & 1, i, byte);
	return sum_place(p, p->step & 1, i, byte);
}

static void add_result(pass *p, int wire)
{
	unsigned bytes = isca_wire_at(p->t, wire)->width;

	for (unsigned byte = 0; byte < bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_WRITE, wire, byte, p->rows);

		k->traffic = is_result(p, 0) ? ISCA_TRAFFIC_RESULTS : ISCA_TRAFFIC_SUMS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = result_place(p, i, byte);
	}
}

/* The ALUs from INDEX on that put the lanes of this strip after those of the strips before it: what the matrix unit had
 * there came from weights of zero, and is zero for integers only.  X (NULL: on wire SUM) xor (its lanes before) xor
 * (the earlier strips, zero from this strip's lanes on). */
static isca_track *add_join(pass *p, unsigned index, const isca_track *x, int sum)
{
	unsigned bytes = p->w->bytes == 1 ? 4 : 2;
	enum isa_type type = p->w->bytes == 1 ? ISA_TYPE_I32 : ISA_TYPE_I16;
	int earlier = add_left(p, strip_place, (p->strip - 1) & 1, bytes, index);
	int position = (int)p->c->m->pos_vxm;
	isca_track *before, *both, *z;

	both = add_alu(p, p->w->bytes == 1 ? ISA_OP_OR : ISA_OP_XOR, index, type, type);
	if (x)
		read_latch(both, 0, x);
	else
		isca_sample(p->t, both, 0, sum, 0, bytes, position);
	isca_sample(p->t, both, 1, earlier, 0, bytes, position);
	if (p->w->bytes == 1)
		return both;
	before = add_alu(p, ISA_OP_COPY, index, type, type);
	before->insn.lanes = (uint16_t)(column_lanes(p) / (p->strip + 1) * p->strip);
	read_latch(before, 0, x);
	z = add_alu(p, ISA_OP_XOR, index + 1, type, type);
	read_latch(z, 0, both);
	read_latch(z, 1, before);
	return z;
}

/* The ALUs that add the sums of all links to the old one, and convert; returns the wire of the result. */
static int add_adders(pass *p, const adders *a, int old, const int *sums)
{
	enum isa_type type = p->w->bytes == 1 ? ISA_TYPE_I32 : ISA_TYPE_F32;
	int position = (int)p->c->m->pos_vxm, wire;
	isca_track *before = NULL;
	bool west;

	if (!a->count && !joins(p))
		return sums[0];
	for (unsigned i = 0; i < a->count; i++) {
		bool convert = is_last(p) && p->w->bytes == 2 && i + 1 == a->count;
		unsigned link = a->old ? i : i + 1;
		isca_track *k = add_alu(p, convert ? ISA_OP_CVT : ISA_OP_ADD, i, type, convert ? ISA_TYPE_F16 : type);

		if (before)
			read_latch(k, 0, before);
		else
			isca_sample(p->t, k, 0, old >= 0 ? old : sums[0], 0, 4, position);
		if (!convert)
			isca_sample(p->t, k, 1, sums[link], 0, 4, position);
		before = k;
	}
	if (joins(p))
		before = add_join(p, a->count, before, sums[0]);
	west = !isca_is_east(p->c, result_place(p, 0, 0) >> 16);
	wire = isca_add_wire(p->t, west, isa_type_bytes((enum isa_type)before->insn.dtype), p->rows, position,
	                     before->issue + before->result);
	isca_drive(p->t, before, wire, position);
	return wire;
}

/* Rows of a strand whose sums stay in one hemisphere. */
static enum isca_fit build_pass(pass *p, const loaded *weights)
{
	const isca_strand *s = p->strand;
	adders a = {.old = p->step > 0};
	int sums[ISCA_ENGINES], old = -1;

	a.count = s->count - (a.old ? 0u : 1u) + (is_last(p) && p->w->bytes == 2);
	p->t = isca_template_new(p->c, p->w->interval);
	for (unsigned l = 0; l < s->count; l++)
		sums[l] = add_engine(p, &a, l, &weights[l]);
	if (a.old)
		old = add_left(p, sum_place, (p->step - 1) & 1, 4, 0);
	add_result(p, add_adders(p, &a, old, sums));
	return isca_prepare(p->t);
}

/* Notes what was installed, and when the planes are free again. */
static void note_planes(pass *p, loaded *weights)
{
	const isa_machine *m = p->c->m;

	for (guint i = 0; i < p->t->tracks->len; i++) {
		const isca_track *k = g_ptr_array_index(p->t->tracks, i);
		int64_t first = p->t->origin + k->issue + m->mxm_skew_cycles;
		unsigned plane;

		if (k->insn.op != ISA_OP_IW && k->insn.op != ISA_OP_ABC)
			continue;
		plane = isa_machine_queue(p->c->m, k->line)->index;
		for (unsigned l = 0; k->insn.op == ISA_OP_IW && l < p->strand->count; l++)
			if (isca_engine_plane(p->w, engine_of(p, l)) == plane)
				weights[l].installed = k->instance[0];
		for (unsigned j = plane; j < plane + plane_count(p->w); j++) {
			isca_plane *at = &p->c->mxm->plane[j];

			if (k->insn.op == ISA_OP_IW)
				at->loadable = first;
			else
				at->free = first + (int64_t)k->count * p->w->interval;
		}
	}
}

static bool fail(const pass *p, const char *what)
{
	g_autofree char *where =
		g_strdup_printf("%s of column block %" G_GUINT64_FORMAT ", step %u", what, p->block, p->step);

	isca_refuse_clash(p->c, where);
	return false;
}

static bool same_side(const isca *c, uint32_t x, uint32_t y)
{
	return isca_is_east(c, x >> 16) == isca_is_east(c, y >> 16);
}

/* How many of the next rows have sums that come from, and go to, the hemispheres of the first? */
static uint32_t same_sides(const pass *p, uint32_t rows)
{
	const isca *c = p->c;
	unsigned sums = (p->step - 1) & 1, strips = (p->strip - 1) & 1;
	uint32_t n = 1;

	while (n < rows && same_side(c, result_place(p, n, 0), result_place(p, 0, 0)) &&
	       (!p->step || same_side(c, sum_place(p, sums, n, 0), sum_place(p, sums, 0, 0))) &&
	       (!joins(p) || same_side(c, strip_place(p, strips, n, 0), strip_place(p, strips, 0, 0))))
		n++;
	return n;
}

static bool emit_strand(pass *p)
{
	uint64_t end = p->first + p->rows;
	loaded weights[ISCA_ENGINES];
	bool cut = false;

	for (unsigned l = 0; l < p->strand->count; l++) {
		unsigned e = engine_of(p, l), each = p->w->load_rows;

		while (!load_weights(p, p->strand->kblock[l], e, each, &weights[l])) {
			if (each == 1)
				return fail(p, "weights");
			each = p->w->load_rows = each / 2;
		}
	}
	while (p->first < end) {
		enum isca_fit fit;

		p->rows = MIN(p->rows, same_sides(p, (uint32_t)(end - p->first)));
		fit = build_pass(p, weights);
		if (fit == ISCA_FITS) {
			isca_place(p->t);
			note_planes(p, weights);
			p->first += p->rows;
			/* What was too much is likely to be so again. */
			p->rows = (uint32_t)MIN(cut ? 2 * p->rows : end, end - p->first);
		} else {
			cut = p->w->thrift.share;
			p->rows /= 2;
		}
		isca_template_free(p->t);
		if (!p->rows && p->first < end)
			return fail(p, "activations or sums");
	}
	return true;
}

/* All strands of one step of a unit. */
static bool emit_step(pass *p)
{
	const isca_work *w = p->w;
	const isca_stage *step = &g_array_index(w->steps, isca_stage, p->step);
	uint64_t end = isca_tile_rows(w, p->tile, p->strip);

	for (unsigned s = 0; s < step->count; s++) {
		uint64_t last;

		p->strand = &step->strand[s];
		p->first = p->strand->part * w->part_rows;
		last = MIN(end, p->first + p->strand->parts * w->part_rows);
		if (p->first >= last)
			continue;
		p->rows = (uint32_t)(last - p->first);
		if (!emit_strand(p))
			return false;
	}
	return true;
}

/* Unit number U: column blocks innermost, so that units that follow each other share their activations. */
static void set_unit(pass *p, uint64_t u)
{
	const isca_work *w = p->w;

	if (w->by_batch) {
		/* Batches innermost: each has an engine of its own. */
		p->batch = u % w->batches->len;
		p->block = u / w->batches->len % w->blocks;
		p->tile = u / w->batches->len / w->blocks;
		p->own = (unsigned)(p->batch % w->engines);
		return;
	}
	p->block = u % w->blocks;
	p->tile = u / w->blocks % w->tiles;
	p->batch = u / w->blocks / w->tiles;
	p->own = (unsigned)(p->block % w->engines);
	if (w->patches) {
		/* Tiles innermost. */
		p->tile = u % w->tiles;
		p->block = u / w->tiles % w->blocks;
		p->own = g_array_index(w->patches, isca_patch, p->tile).engine;
	}
}

/* Units FIRST..END-1 in turn, step by step and strip by strip. */
static bool emit_window(pass *p, uint64_t first, uint64_t end)
{
	const isca_work *w = p->w;
	uint64_t strips = isca_has_strips(w) ? w->packing.strips : 1;

	for (p->strip = 0; p->strip < strips; p->strip++)
		for (p->step = 0; p->step < w->steps->len; p->step++)
			for (uint64_t i = first; i < end; i++) {
				set_unit(p, i);
				p->slot = (uint32_t)(i - first);
				if (!emit_step(p))
					return false;
			}
	return true;
}

bool isca_emit_work(isca *c, isca_work *w, const GArray *tensors)
{
	pass p = {.c = c, .w = w, .tensors = tensors};
	uint64_t units = w->batches->len * w->blocks * w->tiles;

	for (uint64_t u = 0; u < units; u += w->window)
		if (!emit_window(&p, u, MIN(units, u + w->window)))
			return false;
	return true;
}
