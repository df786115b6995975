/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes of the matrix unit in order, and their sums through the VXM.
 *
 * Sums leave an engine every interval; the engines of a strand are staggered by the time an ALU needs, so that each sum
 * meets the one before it in the next ALU.
 */
#include "sched/emit/isca20_pass.h"

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

static int64_t adder_start(const isca_pass *p, unsigned i)
{
	return (int64_t)i * p->c->m->vxm_op_cycles;
}

/* The cycle in which the sum of link L passes the VXM. */
static int64_t sum_at_vxm(const isca_pass *p, const adders *a, unsigned link)
{
	return adder_start(p, adder_of(a, link)) - p->c->m->vxm_entry_cycles;
}

/* All instructions of one engine; returns the wire that carries the sums inward. */
static int add_engine(isca_pass *p, const adders *a, unsigned link, const isca_loaded *weights)
{
	const isa_machine *m = p->c->m;
	unsigned e = isca_pass_engine(p, link), side = isca_engine_side(p->w, e);
	int position = (int)m->pos_mxm.at[side];
	int sums = isca_add_wire(p->t, side == 1, 4, p->rows, (int)m->pos_vxm, sum_at_vxm(p, a, link));
	int64_t emitted = isca_passes(p->c, side == 1, position, isca_wire_at(p->t, sums)->diagonal);
	int64_t accumulated = emitted - m->mxm_acc_cycles;
	isca_track *abc = isca_add_abc(p, link, weights, accumulated - m->mxm_abc_cycles);
	isca_track *acc = isca_add_unit(p->t, ISA_OP_ACC, isca_mxm_queue(p, isca_engine_plane(p->w, e), 2), 1,
	                                accumulated - m->mxm_skew_cycles, p->rows);

	acc->insn.type = (uint8_t)p->w->type;
	acc->insn.lanes = (uint16_t)isca_pass_lanes(p);
	acc->result = (int32_t)(m->mxm_skew_cycles + m->mxm_acc_cycles);
	acc->in[0].feed = ISCA_FEED_TRACK;
	acc->in[0].track = abc;
	acc->in[0].arrival = (int32_t)m->mxm_skew_cycles;
	isca_drive(p->t, acc, sums, position);
	return sums;
}

static isca_track *add_alu(isca_pass *p, enum isa_op op, unsigned index, enum isa_type type, enum isa_type dtype)
{
	const isa_machine *m = p->c->m;
	isca_track *k = isca_add_unit(p->t, op, p->c->first_alu, p->c->alus,
	                              adder_start(p, index) - m->vxm_entry_cycles - m->vxm_skew_cycles, p->rows);

	k->uses_latch = true;
	k->insn.type = (uint8_t)type;
	k->insn.dtype = (uint8_t)dtype;
	k->insn.lanes = (uint16_t)isca_pass_lanes(p);
	k->result = (int32_t)(m->vxm_skew_cycles + m->vxm_entry_cycles + m->vxm_op_cycles);
	return k;
}

static void read_latch(isca_track *k, unsigned operand, const isca_track *from)
{
	k->in[operand].feed = ISCA_FEED_TRACK;
	k->in[operand].track = from;
	k->in[operand].arrival = (int32_t)(from->issue + from->result - k->issue);
}

static uint32_t sum_place(const isca_pass *p, unsigned buffer, uint32_t i, unsigned byte)
{
	const isca_tile *tile = &p->w->sum[buffer];

	return isca_tile_place(tile, p->slot * tile->period + p->first + i, 0, byte);
}

/* Where row I of the result waits for further strips. */
static uint32_t strip_place(const isca_pass *p, unsigned buffer, uint32_t i, unsigned byte)
{
	const isca_tile *tile = &p->w->strip[buffer];

	return isca_tile_place(tile, p->slot * tile->period + p->first + i, 0, byte);
}

/* What the step or strip before has left, flowing to the VXM to be there when operation INDEX starts. */
static int add_left(isca_pass *p, uint32_t (*place)(const isca_pass *, unsigned, uint32_t, unsigned), unsigned buffer,
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

static bool is_last(const isca_pass *p)
{
	return p->step + 1 == p->w->steps->len;
}

/* Does row I become part of the result? */
static bool is_result(const isca_pass *p, uint32_t i)
{
	return is_last(p) && isca_is_whole(p->w, p->tile, p->strip, p->first + i);
}

/* Do they join those of earlier strips? */
static bool joins(const isca_pass *p)
{
	return is_last(p) && p->strip > 0;
}

/* Where row I goes. */
static uint32_t result_place(const isca_pass *p, uint32_t i, unsigned byte)
{
	if (is_result(p, i))
		return isca_c_place(p->w, p->tensors, p->batch, isca_pass_row(p, i), p->block, byte);
	if (is_last(p))
		return strip_place(p, p->strip & 1, i, byte);
	return sum_place(p, p->step & 1, i, byte);
}

static void add_result(isca_pass *p, int wire)
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
static isca_track *add_join(isca_pass *p, unsigned index, const isca_track *x, int sum)
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
	before->insn.lanes = (uint16_t)(isca_pass_lanes(p) / (p->strip + 1) * p->strip);
	read_latch(before, 0, x);
	z = add_alu(p, ISA_OP_XOR, index + 1, type, type);
	read_latch(z, 0, both);
	read_latch(z, 1, before);
	return z;
}

/* The ALUs that add the sums of all links to the old one, and convert; returns the wire of the result. */
static int add_adders(isca_pass *p, const adders *a, int old, const int *sums)
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
static enum isca_fit build_pass(isca_pass *p, const isca_loaded *weights)
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
static void note_planes(isca_pass *p, isca_loaded *weights)
{
	const isa_machine *m = p->c->m;

	for (guint i = 0; i < p->t->tracks->len; i++) {
		const isca_track *k = g_ptr_array_index(p->t->tracks, i);
		int64_t first = p->t->origin + k->issue + m->mxm_skew_cycles;
		unsigned plane;

		if (k->insn.op != ISA_OP_IW && k->insn.op != ISA_OP_ABC)
			continue;
		plane = isa_machine_queue(p->c->m, k->line)->index;
		if (k->insn.op == ISA_OP_ABC) {
			p->w->rows_first[plane] = p->w->rows_of[plane] ? MIN(p->w->rows_first[plane], first) : first;
			p->w->rows_end[plane] = MAX(p->w->rows_end[plane], first + (int64_t)k->count * p->w->interval);
			p->w->rows_of[plane] += k->count;
		}
		for (unsigned l = 0; k->insn.op == ISA_OP_IW && l < p->strand->count; l++)
			if (isca_engine_plane(p->w, isca_pass_engine(p, l)) == plane)
				weights[l].installed = k->instance[0];
		for (unsigned j = plane; j < plane + isca_plane_count(p->w); j++) {
			isca_plane *at = &p->c->mxm->plane[j];

			if (k->insn.op == ISA_OP_IW)
				at->loadable = first;
			else
				at->free = first + (int64_t)k->count * p->w->interval;
		}
	}
}

static bool fail(const isca_pass *p, const char *what)
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
static uint32_t same_sides(const isca_pass *p, uint32_t rows)
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

static bool emit_strand(isca_pass *p)
{
	uint64_t end = p->first + p->rows;
	isca_loaded weights[ISCA_ENGINES];
	bool cut = false;

	for (unsigned l = 0; l < p->strand->count; l++) {
		unsigned e = isca_pass_engine(p, l), each = p->w->load_rows;

		while (!isca_load_weights(p, p->strand->kblock[l], e, each, &weights[l])) {
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
static bool emit_step(isca_pass *p)
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
static void set_unit(isca_pass *p, uint64_t u)
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
static bool emit_window(isca_pass *p, uint64_t first, uint64_t end)
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

/* Rows of the engine that is busy longest, passes and what is between them. */
static void note_rows(isca *c, const isca_work *w)
{
	sched_interval i = {.unit = "rows", .binds = (char *)"MXM"};
	g_autofree char *name = NULL;
	unsigned most = 0;

	for (unsigned e = 1; e < ISCA_ENGINES; e++)
		if (w->rows_end[e] - w->rows_first[e] > w->rows_end[most] - w->rows_first[most])
			most = e;
	if (!w->rows_of[most] || c->epoch >= EMIT_NOTED_EPOCHS)
		return;
	name = g_strdup_printf("%s, rows", g_array_index(c->program->nodes, isa_node, c->node).name);
	i.loop = name;
	i.cycles = w->rows_end[most] - w->rows_first[most];
	i.iterations = (int64_t)w->rows_of[most];
	i.bound_cycles = w->interval;
	i.bound_iterations = 1;
	sched_report_interval(c->report, &i);
}

bool isca_emit_work(isca *c, isca_work *w, const GArray *tensors)
{
	isca_pass p = {.c = c, .w = w, .tensors = tensors};
	uint64_t units = w->batches->len * w->blocks * w->tiles;

	for (uint64_t u = 0; u < units; u += w->window)
		if (!emit_window(&p, u, MIN(units, u + w->window)))
			return false;
	note_rows(c, w);
	return true;
}
