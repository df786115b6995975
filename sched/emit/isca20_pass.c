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
	uint32_t slot;               /* in the window */
	unsigned own;                /* its engine, where units have one */
	unsigned step;
	const isca_strand *strand;
	uint64_t first; /* row in the batch */
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
				k->place[i] = isca_b_place(w, p->tensors, p->batch, kblock, p->block, i * each + r,
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

/* Activations, sampled from CYCLE on. */
static isca_track *add_abc(pass *p, unsigned link, const loaded *weights, int64_t cycle)
{
	const isa_machine *m = p->c->m;
	const isca_work *w = p->w;
	unsigned e = engine_of(p, link), side = isca_engine_side(w, e), plane = isca_engine_plane(w, e);
	unsigned kblock = p->strand->kblock[link];
	int position = (int)m->pos_mxm.at[side];
	int wire = isca_add_wire(p->t, side == 0, w->bytes, p->rows, position, cycle);
	isca_track *iw = weights->installed ? NULL : add_iw(p, link, weights, cycle);
	isca_track *abc;

	for (unsigned byte = 0; byte < w->bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_READ, wire, byte, p->rows);

		k->traffic = ISCA_TRAFFIC_ACTIVATIONS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = isca_a_place(w, p->tensors, p->batch, kblock, p->first + i, e,
			                           share_of(p->strand), byte);
	}
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
	uint64_t row = p->first - p->tile * p->w->tile_rows + i;

	return isca_tile_place(tile, p->slot * tile->period + row, 0, byte);
}

/* The old partial sums, flowing to the VXM. */
static int add_old(pass *p)
{
	const isa_machine *m = p->c->m;
	unsigned buffer = (p->step - 1) & 1;
	bool west = isca_is_east(p->c, sum_place(p, buffer, 0, 0) >> 16);
	int wire = isca_add_wire(p->t, west, 4, p->rows, (int)m->pos_vxm, -m->vxm_entry_cycles);

	for (unsigned byte = 0; byte < 4; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_READ, wire, byte, p->rows);

		k->traffic = ISCA_TRAFFIC_SUMS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = sum_place(p, buffer, i, byte);
	}
	return wire;
}

static bool is_last(const pass *p)
{
	return p->step + 1 == p->w->steps->len;
}

/* Where row I of the result goes. */
static uint32_t result_place(const pass *p, uint32_t i, unsigned byte)
{
	if (is_last(p))
		return isca_c_place(p->w, p->tensors, p->batch, p->first + i, p->block, byte);
	return sum_place(p, p->step & 1, i, byte);
}

static void add_result(pass *p, int wire)
{
	unsigned bytes = isca_wire_at(p->t, wire)->width;

	for (unsigned byte = 0; byte < bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_WRITE, wire, byte, p->rows);

		k->traffic = is_last(p) ? ISCA_TRAFFIC_RESULTS : ISCA_TRAFFIC_SUMS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = result_place(p, i, byte);
	}
}

/* The ALUs that add the sums of all links to the old one, and convert; returns the wire of the result. */
static int add_adders(pass *p, const adders *a, int old, const int *sums)
{
	enum isa_type type = p->w->bytes == 1 ? ISA_TYPE_I32 : ISA_TYPE_F32;
	int position = (int)p->c->m->pos_vxm, wire;
	isca_track *before = NULL;
	bool west;

	if (!a->count)
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
		old = add_old(p);
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

/* How many of the next rows have sums that come from, and go to, the hemispheres of the first? */
static uint32_t same_sides(const pass *p, uint32_t rows)
{
	const isca *c = p->c;
	unsigned buffer = (p->step - 1) & 1;
	uint32_t n = 1;

	while (n < rows &&
	       isca_is_east(c, result_place(p, n, 0) >> 16) == isca_is_east(c, result_place(p, 0, 0) >> 16) &&
	       (!p->step ||
	        isca_is_east(c, sum_place(p, buffer, n, 0) >> 16) == isca_is_east(c, sum_place(p, buffer, 0, 0) >> 16)))
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
			cut = true;
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
	uint64_t end = MIN(w->m, (p->tile + 1) * w->tile_rows);

	for (unsigned s = 0; s < step->count; s++) {
		uint64_t last;

		p->strand = &step->strand[s];
		p->first = p->tile * w->tile_rows + p->strand->part * w->part_rows;
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
}

bool isca_emit_work(isca *c, isca_work *w, const GArray *tensors)
{
	pass p = {.c = c, .w = w, .tensors = tensors};
	uint64_t units = w->batches->len * w->blocks * w->tiles;

	for (uint64_t u = 0; u < units; u += w->window) {
		uint64_t end = MIN(units, u + w->window);

		for (p.step = 0; p.step < w->steps->len; p.step++)
			for (uint64_t i = u; i < end; i++) {
				set_unit(&p, i);
				p.slot = (uint32_t)(i - u);
				if (!emit_step(&p))
					return false;
			}
	}
	return true;
}
