/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of vector instructions.  One with r repeats takes head + r slope cycles from start to done when nothing is in
 * its way: head and slope of its timing class (isa/ascend/timing.def), measured on silicon; what banks add is found by
 * ub.c. The pipe is free for the next instruction when the last repeat has been read, vector.gap_cycles after the start
 * at least.  An instruction that reads or overwrites what an earlier one has still to write starts when that is done: a
 * published example adds a thousand times into its own operand without a barrier and is right, at one head a time.  In
 * counter mode the repeats take vector.counter_floor_cycles at least.
 *
 * Blocks without an active lane are not accessed.  The bit mask of a select and the elements a gather picks are not
 * arbitrated: the first is assumed to be fetched ahead, the second to be inside the rate of the class.
 */
#include "models/ascend/vector.h"
#include "models/ascend/ub.h"

#include <string.h>

enum { BLOCK = 32, IN_FLIGHT = 32, MASK_BITS = 128 };

typedef struct fields {
	int type, dtype, dst, src, src1, pattern, mask, offsets, base, scalar, choice, repeat, length;
	int dst_blk, src_blk, src1_blk, dst_rep, src_rep, src1_rep;
} fields;

typedef struct pending {
	uint64_t low, high; /* bytes it writes, from first to last */
	int64_t done;
} pending;

struct asc_vector {
	const asc_machine *machine;
	asc_ub *ub;
	asc_data *data; /* NULL unless values are wanted */
	pending pending[IN_FLIGHT];
	unsigned writes;
	int64_t latest; /* done of all before */
};

asc_vector *asc_vector_new(const asc_machine *machine, asc_ub *ub, asc_data *data)
{
	asc_vector *v = g_new0(asc_vector, 1);

	v->machine = machine;
	v->ub = ub;
	v->data = data && asc_data_at(data, ASC_UB, 0, 1) ? data : NULL;
	v->latest = INT64_MIN;
	return v;
}

void asc_vector_free(asc_vector *v)
{
	g_free(v);
}

/* ---- fields ---- */

static int either(enum asc_op op, const char *a, const char *b)
{
	int i = asc_field_by_name(op, a);

	return i >= 0 ? i : asc_field_by_name(op, b);
}

static const fields *fields_of(enum asc_op op)
{
	static fields table[ASC_OP_COUNT];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (unsigned i = 0; i < ASC_OP_COUNT; i++) {
			enum asc_op o = (enum asc_op)i;

			table[i] = (fields){
				.type = asc_field_by_name(o, "type"),
				.dtype = asc_field_by_name(o, "dtype"),
				.dst = asc_field_by_name(o, "dst"),
				.src = either(o, "src", "src0"),
				.src1 = asc_field_by_name(o, "src1"),
				.pattern = asc_field_by_name(o, "pattern"),
				.mask = asc_field_by_name(o, "mask"),
				.offsets = asc_field_by_name(o, "offsets"),
				.base = asc_field_by_name(o, "base"),
				.scalar = asc_field_by_name(o, "scalar"),
				.choice = either(o, "round", "cond"),
				.repeat = asc_field_by_name(o, "repeat"),
				.length = asc_field_by_name(o, "length"),
				.dst_blk = asc_field_by_name(o, "dst_blk"),
				.src_blk = either(o, "src_blk", "src0_blk"),
				.src1_blk = asc_field_by_name(o, "src1_blk"),
				.dst_rep = asc_field_by_name(o, "dst_rep"),
				.src_rep = either(o, "src_rep", "src0_rep"),
				.src1_rep = asc_field_by_name(o, "src1_rep"),
			};
		}
		g_once_init_leave(&ready, 1);
	}
	return &table[op];
}

static int64_t value(const asc_exec *x, int field, int64_t standard)
{
	return field < 0 ? standard : x->f[field];
}

static void set_masks(const asc_exec *x, asc_vop *o)
{
	unsigned tail = o->lanes;

	memset(o->mask, 0, sizeof o->mask);
	if (x->counter_mode) {
		uint64_t left;

		o->repeats = (unsigned)MIN((x->mask[0] + o->lanes - 1) / o->lanes, UINT32_MAX);
		left = x->mask[0] - (uint64_t)(o->repeats ? o->repeats - 1 : 0) * o->lanes;
		tail = (unsigned)MIN(left, o->lanes);
		for (unsigned i = 0; i < o->lanes; i++)
			o->mask[i / 64] |= (uint64_t)1 << (i % 64);
	} else {
		for (unsigned i = 0; i < o->lanes; i++)
			o->mask[i / 64] |= (x->mask[i / 64] >> (i % 64) & 1) << (i % 64);
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned full = tail <= 64 * i ? 0 : MIN(tail - 64 * i, 64);

		o->last[i] = full == 64 ? o->mask[i] : o->mask[i] & (((uint64_t)1 << full) - 1);
	}
}

static void unmask(asc_vop *o)
{
	memset(o->mask, 0xff, sizeof o->mask);
	memset(o->last, 0xff, sizeof o->last);
}

/* Operands of the instructions whose result is not lane for lane.  BYTES: of an element. */
static void set_special(const asc_exec *x, const fields *f, asc_vop *o, unsigned bytes)
{
	asc_vop_operand row = {.address = o->dst.address, .block_bytes = BLOCK, .lane_bytes = bytes};
	int64_t dst_rep = value(x, f->dst_rep, 1);

	switch (o->op) {
	case ASC_OP_VCADD:
		row.lanes = 1;
		break;
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		row.lanes = 2;
		break;
	case ASC_OP_VCGADD:
	case ASC_OP_VCGMAX:
	case ASC_OP_VCGMIN:
		row.lanes = 8;
		break;
	case ASC_OP_VCPADD:
		row.lanes = o->lanes / 2;
		break;
	case ASC_OP_VCMP:
		row.lanes = o->lanes / 8;
		row.lane_bytes = 1;
		break;
	case ASC_OP_VSORT32:
		o->src[0].repeat_bytes = 32 * (int64_t)bytes;
		o->src[1] = o->src[0];
		o->src[1].address = (uint64_t)x->f[f->src1];
		o->src[1].lane_bytes = 4;
		o->src[1].repeat_bytes = 128;
		row.lanes = 32;
		row.lane_bytes = 8;
		break;
	case ASC_OP_VTRANS:
		row.lanes = 256;
		break;
	default:
		return;
	}
	row.repeat_bytes = dst_rep * row.lanes * row.lane_bytes;
	o->dst = row;
}

/* The results of repeats lie one behind the other; where bits of src1 pick, their number is not known here: as many as
 * there can be. */
static void set_picks(const asc_exec *x, const fields *f, asc_vop *o, unsigned bytes)
{
	unsigned picked = 0;

	o->pattern = (unsigned)x->f[f->pattern];
	for (unsigned i = 0; i < o->lanes; i++)
		picked += !o->pattern || asc_pattern_picks(o->pattern, i);
	o->dst.block_bytes = BLOCK;
	o->dst.lanes = picked;
	o->dst.repeat_bytes = (int64_t)picked * bytes;
	o->src[1].lane_bytes = 1;
	o->src[1].lanes = o->lanes / 8;
	o->src[1].masked = false;
	if (o->pattern)
		o->srcs = 1;
}

/* Lanes of a repeat and operands of the instructions that ignore the mask; false for all others. */
static bool set_unmasked(const asc_exec *x, const fields *f, asc_vop *o, unsigned bytes)
{
	asc_vop_operand *src = &o->src[0];

	switch (o->op) {
	case ASC_OP_VBRCB:
		o->lanes = src->lanes = o->dst.lanes = 8;
		src->block_bytes = BLOCK;
		src->repeat_bytes = 8 * (int64_t)bytes;
		o->dst.lane_bytes = BLOCK;
		break;
	case ASC_OP_VGATHERB:
		o->lanes = src->lanes = o->dst.lanes = 8;
		src->lane_bytes = 4;
		src->repeat_bytes = BLOCK;
		o->dst.lane_bytes = BLOCK;
		break;
	case ASC_OP_VREDUCEV2:
		set_picks(x, f, o, bytes);
		break;
	case ASC_OP_VTRANS:
		o->lanes = src->lanes = 256;
		src->repeat_bytes = 512;
		o->repeats = 1;
		break;
	case ASC_OP_VSORT32:
		o->lanes = src->lanes = 32;
		break;
	case ASC_OP_VMRGSORT:
		o->length = (unsigned)x->f[f->length];
		o->lanes = src->lanes = o->dst.lanes = 4 * o->length;
		src->lane_bytes = o->dst.lane_bytes = 8;
		src->repeat_bytes = o->dst.repeat_bytes = 8 * (int64_t)o->lanes;
		break;
	default:
		return false;
	}
	src->masked = o->dst.masked = false;
	unmask(o);
	return true;
}

bool asc_vop_read(const asc_exec *x, const asc_machine *machine, asc_vop *o)
{
	enum asc_op op = (enum asc_op)x->insn->op;
	const fields *f = fields_of(op);
	unsigned bytes, wide;

	memset(o, 0, sizeof *o);
	if (x->info->pipe != ASC_PIPE_V || op == ASC_OP_L0C_TO_UB)
		return false;
	o->op = op;
	o->type = (enum asc_type)x->f[f->type];
	o->dtype = f->dtype < 0 ? o->type : (enum asc_type)x->f[f->dtype];
	bytes = asc_type_bytes(o->type);
	wide = MAX(bytes, asc_type_bytes(o->dtype));
	o->lanes = MIN((unsigned)machine->vector_bytes / wide, MASK_BITS);
	o->repeats = (unsigned)value(x, f->repeat, 1);
	o->scalar = value(x, f->scalar, 0);
	o->choice = value(x, f->choice, 0);
	o->aux = (uint64_t)value(x, f->mask >= 0 ? f->mask : f->base, 0);
	o->reads_dst = op == ASC_OP_VMLA || op == ASC_OP_VAXPY;
	o->dst = (asc_vop_operand){.address = (uint64_t)x->f[f->dst],
	                           .block_bytes = BLOCK * value(x, f->dst_blk, 1),
	                           .repeat_bytes = BLOCK * value(x, f->dst_rep, 8),
	                           .lane_bytes = asc_type_bytes(o->dtype),
	                           .lanes = o->lanes,
	                           .masked = true};
	if (f->src >= 0)
		o->src[o->srcs++] = (asc_vop_operand){.address = (uint64_t)x->f[f->src],
		                                      .block_bytes = BLOCK * value(x, f->src_blk, 1),
		                                      .repeat_bytes = BLOCK * value(x, f->src_rep, 8),
		                                      .lane_bytes = bytes,
		                                      .lanes = o->lanes,
		                                      .masked = true};
	else if (f->offsets >= 0)
		o->src[o->srcs++] = (asc_vop_operand){.address = (uint64_t)x->f[f->offsets],
		                                      .block_bytes = BLOCK,
		                                      .repeat_bytes = 4 * (int64_t)o->lanes,
		                                      .lane_bytes = 4,
		                                      .lanes = o->lanes,
		                                      .masked = true};
	if (f->src1 >= 0)
		o->src[o->srcs++] = (asc_vop_operand){.address = (uint64_t)x->f[f->src1],
		                                      .block_bytes = BLOCK * value(x, f->src1_blk, 1),
		                                      .repeat_bytes = BLOCK * value(x, f->src1_rep, 8),
		                                      .lane_bytes = bytes,
		                                      .lanes = o->lanes,
		                                      .masked = true};
	if (!set_unmasked(x, f, o, bytes))
		set_masks(x, o);
	set_special(x, f, o, bytes);
	return true;
}

/* ---- time ---- */

static uint32_t blocks_of(const asc_vop_operand *p, const uint64_t *mask)
{
	uint32_t blocks = 0;

	for (unsigned i = 0; i < p->lanes; i++)
		if (!p->masked || (mask[i / 64] >> (i % 64) & 1))
			blocks |= (uint32_t)1 << (i * p->lane_bytes / BLOCK);
	return blocks;
}

static asc_ub_operand ub_operand(const asc_vop *o, const asc_vop_operand *p)
{
	return (asc_ub_operand){.address = p->address,
	                        .block_bytes = p->block_bytes,
	                        .repeat_bytes = p->repeat_bytes,
	                        .active = blocks_of(p, o->mask),
	                        .last = blocks_of(p, o->last)};
}

/* Lists longer than 32 are read and written 128 elements at a time. */
static void ub_merge(const asc_vop *o, asc_ub_vector *v)
{
	asc_ub_operand part = {.block_bytes = BLOCK, .repeat_bytes = 1024, .active = UINT32_MAX, .last = UINT32_MAX};

	v->repeats = (o->repeats * o->lanes + 127) / 128;
	v->reads = 1;
	v->read[0] = v->write = part;
	v->read[0].address = o->src[0].address;
	v->write.address = o->dst.address;
}

static void ub_request(const asc_vop *o, const asc_machine *m, enum asc_timing timing, asc_ub_vector *v)
{
	const asc_timing_cycles *t = &m->timing[timing];
	bool wide = MAX(asc_type_bytes(o->type), asc_type_bytes(o->dtype)) > 2;

	memset(v, 0, sizeof *v);
	v->repeats = o->repeats;
	v->interval = MAX(wide ? t->b32 : t->b16, 1);
	if (o->op == ASC_OP_VMRGSORT) {
		ub_merge(o, v);
		return;
	}
	for (unsigned i = 0; i < o->srcs; i++)
		v->read[v->reads++] = ub_operand(o, &o->src[i]);
	v->write = ub_operand(o, &o->dst);
	if (o->reads_dst)
		v->read[v->reads++] = v->write;
}

/* First and last byte of an operand, generously. */
static void reach(const asc_vop *o, const asc_vop_operand *p, uint64_t *low, uint64_t *high)
{
	int64_t blocks = (int64_t)(p->lanes * p->lane_bytes + BLOCK - 1) / BLOCK - 1;
	int64_t far = p->block_bytes * MAX(blocks, 0) + p->repeat_bytes * (int64_t)(o->repeats - 1);

	*low = p->address;
	*high = p->address + (uint64_t)far + MIN((uint64_t)p->lanes * p->lane_bytes, BLOCK);
}

static int64_t ready(const asc_vector *v, uint64_t low, uint64_t high, int64_t start)
{
	unsigned first = v->writes > IN_FLIGHT ? v->writes - IN_FLIGHT : 0;

	for (unsigned i = first; i < v->writes; i++) {
		const pending *p = &v->pending[i % IN_FLIGHT];

		if (p->low < high && low < p->high)
			start = MAX(start, p->done);
	}
	return start;
}

/* Start not before what it reads or overwrites has been written. */
static int64_t after_writes(const asc_vector *v, const asc_vop *o, int64_t start)
{
	uint64_t low, high;

	if (v->latest <= start)
		return start;
	reach(o, &o->dst, &low, &high);
	start = ready(v, low, high, start);
	for (unsigned i = 0; i < o->srcs; i++) {
		reach(o, &o->src[i], &low, &high);
		start = ready(v, low, high, start);
	}
	if (o->op == ASC_OP_VGATHER || o->op == ASC_OP_VGATHERB)
		start = ready(v, o->aux, UINT64_MAX, start);
	else if (o->op == ASC_OP_VSEL)
		start = ready(v, o->aux, o->aux + (uint64_t)o->repeats * o->lanes / 8, start);
	return start;
}

static uint64_t active_lanes(const asc_vop *o)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < MIN(o->lanes, ASC_VOP_LANES); i++) {
		bool each = o->mask[i / 64] >> (i % 64) & 1, last = o->last[i / 64] >> (i % 64) & 1;

		n += each * (uint64_t)(o->repeats - 1) + last;
	}
	return n;
}

/* Moves and changes of type are nobody's arithmetic. */
static enum asc_work work_of(const asc_vop *o, int64_t b16_cycles)
{
	switch (o->op) {
	case ASC_OP_VCOPY:
	case ASC_OP_VDUP:
	case ASC_OP_VBRCB:
	case ASC_OP_VCONV:
	case ASC_OP_VGATHER:
	case ASC_OP_VGATHERB:
	case ASC_OP_VTRANS:
	case ASC_OP_VSORT32:
	case ASC_OP_VMRGSORT:
		return ASC_WORK_MISC;
	default:
		break;
	}
	switch (o->type) {
	case ASC_F32:
		return ASC_WORK_FP32;
	case ASC_I32:
	case ASC_U32:
		return ASC_WORK_INT32;
	case ASC_I16:
	case ASC_U16:
		return ASC_WORK_INT16;
	case ASC_F16:
		return b16_cycles <= 1 ? ASC_WORK_FP16_128 : b16_cycles == 2 ? ASC_WORK_FP16_64 : ASC_WORK_FP16_32;
	default:
		return ASC_WORK_MISC;
	}
}

/* Requests for an operand in all repeats; a block that all lanes share is one. */
static uint64_t requests_of(const asc_ub_operand *p, unsigned repeats, enum asc_pmu row)
{
	unsigned each = (unsigned)__builtin_popcount(p->active), last = (unsigned)__builtin_popcount(p->last);

	if (p->block_bytes == 0) {
		each = MIN(each, 1);
		last = MIN(last, 1);
	}
	return (repeats - 1) * asc_requests((uint64_t)each * BLOCK, row) + asc_requests((uint64_t)last * BLOCK, row);
}

static void account(const asc_exec *x, const asc_vop *o, const asc_ub_vector *u, int64_t b16_cycles)
{
	asc_traffic *t = x->traffic;

	if (!t)
		return;
	t->repeats += u->repeats;
	t->vector[work_of(o, b16_cycles)] += u->repeats;
	for (unsigned i = 0; i < u->reads; i++)
		t->ub_read += requests_of(&u->read[i], u->repeats, ASC_PMU_UB_READ);
	t->ub_write += requests_of(&u->write, u->repeats, ASC_PMU_UB_WRITE);
}

void asc_vector_execute(asc_vector *v, asc_exec *x)
{
	const asc_machine *m = v->machine;
	int64_t head = m->timing[x->info->timing].head, asked = x->start;
	asc_vop o;
	asc_ub_vector u;

	x->free = x->done = x->start + m->vector_gap_cycles;
	if (!asc_vop_read(x, m, &o) || o.repeats == 0)
		return;
	ub_request(&o, m, x->info->timing, &u);
	u.start = after_writes(v, &o, x->start);
	x->stall[ASC_STALL_RESOURCE] += u.start - asked;
	account(x, &o, &u, m->timing[x->info->timing].b16);
	asc_ub_access(v->ub, &u);
	for (unsigned i = 0; i < ASC_STALLS; i++)
		x->stall[i] += u.stall[i];
	x->start = u.start;
	x->free = MAX(u.read_end, u.start + m->vector_gap_cycles);
	x->done = head + MAX(u.read_end, u.write_end - m->ub_write_delay_cycles);
	if (x->counter_mode)
		x->done = MAX(x->done, u.start + head + m->vector_counter_floor_cycles);
	x->work = active_lanes(&o);
	v->latest = MAX(v->latest, x->done);
	v->pending[v->writes % IN_FLIGHT].done = x->done;
	reach(&o, &o.dst, &v->pending[v->writes % IN_FLIGHT].low, &v->pending[v->writes % IN_FLIGHT].high);
	v->writes++;
	if (v->data)
		asc_vop_compute(&o, v->data);
}
