/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that a step reads and writes, after the documented meaning of the instructions (docs/ascend.md, the tables of
 * isa/ascend/).  The scheduler's own account: it shares nothing with that of the models, so that a mistake in one is
 * found by the other.
 *
 * Strided operands are boxes of runs.  Of a vector operand under a mask only what lies between the first and the last
 * active lane of a repeat (of a block, where blocks lie apart) counts.  A gather may read anything from its base on.
 */
#include "sched/emit/ascend/build_int.h"
#include "sched/emit/ascend/operands.h"

enum { BLOCK_BYTES = 32, FRACTAL_BYTES = 512, FRACTAL_SIDE = 16, SUM_BYTES = 4, MASK_BITS = 128, WORD_BYTES = 8 };

typedef struct touched {
	const asc_insn *insn;
	const asb_mode *mode;
	const asc_machine *machine;
	const int8_t *slot;
	asb_box *box;
	unsigned count;
} touched;

static int64_t get(const touched *t, enum operand_index slot, int64_t otherwise)
{
	return t->slot[slot] < 0 ? otherwise : t->insn->f[t->slot[slot]];
}

static int64_t div_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static void put(touched *t, enum asc_space space, bool write, int64_t address, int64_t bytes, int64_t count,
                int64_t pitch)
{
	asb_box b = {.space = (uint8_t)space, .write = write};

	if (bytes <= 0 || count <= 0)
		return;
	if (count == 1 || pitch <= bytes) {
		bytes = count == 1 ? bytes : (count - 1) * pitch + bytes;
		count = 1;
		pitch = bytes;
	}
	b.low = (uint64_t)address;
	b.bytes = (uint64_t)bytes;
	b.pitch = (uint64_t)pitch;
	b.count = (uint32_t)count;
	b.high = b.low + (uint64_t)((count - 1) * pitch + bytes);
	if (t->count == ASB_BOXES) {
		/* More than there is room for: one box around the last two. */
		asb_box *last = &t->box[ASB_BOXES - 1];
		uint64_t low = MIN(last->low, b.low), high = MAX(last->high, b.high);

		*last = (asb_box){low, high, high - low, high - low, 1, b.space, last->write || b.write};
		return;
	}
	t->box[t->count++] = b;
}

/* ---- vector operands ---- */

typedef struct reach {
	int64_t repeats, lanes, first, end, tail; /* lanes of a repeat that are active; tail: of one more repeat */
} reach;

/* Lanes that the mask or count leaves active; LANES a repeat. */
static reach active(const touched *t, int64_t lanes)
{
	reach r = {.repeats = get(t, OPERAND_REPEAT, 1), .lanes = lanes, .end = lanes};
	const asb_mode *m = t->mode;

	if (!asb_masked((enum asc_op)t->insn->op))
		return r;
	if (m->counter) {
		r.repeats = (int64_t)m->low / lanes;
		r.tail = (int64_t)m->low % lanes;
		return r;
	}
	/* With more lanes than bits a bit stands for lanes/128 of them. */
	int64_t bits = MIN(lanes, MASK_BITS), share = lanes / bits;
	int64_t first = 0, end = bits;

	while (first < end && !((first < 64 ? m->low >> first : m->high >> (first - 64)) & 1))
		first++;
	while (end > first && !((end - 1 < 64 ? m->low >> (end - 1) : m->high >> (end - 1 - 64)) & 1))
		end--;
	r.first = first * share;
	r.end = end * share;
	return r;
}

static void lanes_at(touched *t, bool write, int64_t address, int64_t blk, int64_t rep, int64_t size, int64_t repeats,
                     int64_t first, int64_t end)
{
	int64_t per_block = BLOCK_BYTES / size;

	if (first >= end || repeats <= 0)
		return;
	if (blk == 1) {
		put(t, ASC_UB, write, address + first * size, (end - first) * size, repeats, rep * BLOCK_BYTES);
		return;
	}
	if (!blk) {
		put(t, ASC_UB, write, address, MIN(BLOCK_BYTES, end * size), repeats, rep * BLOCK_BYTES);
		return;
	}
	int64_t from = first / per_block, to = div_up(end, per_block);

	if (repeats == 1 && first % per_block == 0 && end % per_block == 0) {
		put(t, ASC_UB, write, address + from * blk * BLOCK_BYTES, BLOCK_BYTES, to - from, blk * BLOCK_BYTES);
		return;
	}
	for (int64_t i = from; i < to; i++) {
		int64_t low = i == from ? first % per_block : 0, high = i == to - 1 ? end - i * per_block : per_block;

		put(t, ASC_UB, write, address + i * blk * BLOCK_BYTES + low * size, (high - low) * size, repeats,
		    rep * BLOCK_BYTES);
	}
}

static void operand(touched *t, const reach *r, bool write, int64_t address, int64_t blk, int64_t rep, int64_t size)
{
	lanes_at(t, write, address, blk, rep, size, r->repeats, r->first, r->end);
	lanes_at(t, write, address + r->repeats * rep * BLOCK_BYTES, blk, rep, size, 1, 0, r->tail);
}

static int64_t all_repeats(const reach *r)
{
	return r->repeats + (r->tail > 0);
}

/* Unary, binary, with a scalar, conversion, select, compare, duplicate: lane for lane. */
static void lane_wise(touched *t)
{
	enum asc_op op = (enum asc_op)t->insn->op;
	int64_t size = asc_type_bytes((enum asc_type)get(t, OPERAND_TYPE, ASC_F16));
	int64_t to_size =
		t->slot[OPERAND_DTYPE] < 0 ? size : asc_type_bytes((enum asc_type)get(t, OPERAND_DTYPE, ASC_F16));
	reach r = active(t, t->machine->vector_bytes / MAX(size, to_size));
	int64_t dst = get(t, OPERAND_DST, 0), blk = get(t, OPERAND_DST_BLK, 1), rep = get(t, OPERAND_DST_REP, 8);

	if (t->slot[OPERAND_SRC] >= 0)
		operand(t, &r, false, get(t, OPERAND_SRC, 0), get(t, OPERAND_SRC_BLK, 1), get(t, OPERAND_SRC_REP, 8),
		        size);
	if (t->slot[OPERAND_SRC1] >= 0)
		operand(t, &r, false, get(t, OPERAND_SRC1, 0), get(t, OPERAND_SRC1_BLK, 1), get(t, OPERAND_SRC1_REP, 8),
		        size);
	if (op == ASC_OP_VSEL)
		put(t, ASC_UB, false, t->insn->f[asc_field_by_name(op, "mask")], div_up(all_repeats(&r) * r.lanes, 8),
		    1, 0);
	if (op == ASC_OP_VCMP) {
		put(t, ASC_UB, true, dst, div_up(all_repeats(&r) * r.lanes, 8), 1, 0);
		return;
	}
	if (op == ASC_OP_VMLA || op == ASC_OP_VAXPY)
		operand(t, &r, false, dst, blk, rep, to_size);
	operand(t, &r, true, dst, blk, rep, to_size);
}

static void reduction(touched *t)
{
	int64_t size = asc_type_bytes((enum asc_type)get(t, OPERAND_TYPE, ASC_F16));
	reach r = active(t, t->machine->vector_bytes / size);
	int64_t results = t->machine->vector_bytes / BLOCK_BYTES;

	switch ((enum asc_op)t->insn->op) {
	case ASC_OP_VCADD:
		results = 1;
		break;
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		results = 2; /* value and lane */
		break;
	case ASC_OP_VCPADD:
		results = r.lanes / 2;
		break;
	default:
		break;
	}
	operand(t, &r, false, get(t, OPERAND_SRC, 0), get(t, OPERAND_SRC_BLK, 1), get(t, OPERAND_SRC_REP, 8), size);
	put(t, ASC_UB, true, get(t, OPERAND_DST, 0), results * size, all_repeats(&r),
	    get(t, OPERAND_DST_REP, 1) * results * size);
}

/* What has a layout of its own. */
static bool vector_special(touched *t)
{
	enum asc_op op = (enum asc_op)t->insn->op;
	const int64_t *f = t->insn->f;
	int64_t size = asc_type_bytes((enum asc_type)get(t, OPERAND_TYPE, ASC_F16)), repeat = get(t, OPERAND_REPEAT, 1);
	int64_t dst = get(t, OPERAND_DST, 0), src = get(t, OPERAND_SRC, 0), bytes;
	reach r;

	switch (op) {
	case ASC_OP_VBRCB:
		put(t, ASC_UB, false, src, repeat * 8 * size, 1, 0);
		r = (reach){.repeats = repeat, .end = 8 * BLOCK_BYTES / size};
		operand(t, &r, true, dst, get(t, OPERAND_DST_BLK, 1), get(t, OPERAND_DST_REP, 8), size);
		return true;
	case ASC_OP_VGATHER:
	case ASC_OP_VGATHERB: {
		int64_t base = f[asc_field_by_name(op, "base")], lanes = t->machine->vector_bytes / size;

		r = op == ASC_OP_VGATHER ? active(t, lanes) : (reach){.repeats = repeat, .end = lanes};
		bytes = op == ASC_OP_VGATHER ? all_repeats(&r) * lanes * SUM_BYTES : repeat * BLOCK_BYTES;
		put(t, ASC_UB, false, f[asc_field_by_name(op, "offsets")], bytes, 1, 0);
		put(t, ASC_UB, false, base, t->machine->ub_bytes - base, 1, 0);
		operand(t, &r, true, dst, 1, get(t, OPERAND_DST_REP, 8), size);
		return true;
	}
	case ASC_OP_VTRANS:
		put(t, ASC_UB, false, src, FRACTAL_BYTES, 1, 0);
		put(t, ASC_UB, true, dst, FRACTAL_BYTES, 1, 0);
		return true;
	case ASC_OP_VSORT32:
		put(t, ASC_UB, false, src, repeat * 32 * size, 1, 0);
		put(t, ASC_UB, false, get(t, OPERAND_SRC1, 0), repeat * 32 * 4, 1, 0);
		put(t, ASC_UB, true, dst, repeat * 32 * 8, 1, 0);
		return true;
	case ASC_OP_VMRGSORT:
		bytes = repeat * 4 * 8 * f[asc_field_by_name(op, "length")];
		put(t, ASC_UB, false, src, bytes, 1, 0);
		put(t, ASC_UB, true, dst, bytes, 1, 0);
		return true;
	default:
		return false;
	}
}

bool asb_masked(enum asc_op op)
{
	switch (op) {
	case ASC_OP_VBRCB:
	case ASC_OP_VGATHERB:
	case ASC_OP_VTRANS:
	case ASC_OP_VSORT32:
	case ASC_OP_VMRGSORT:
	case ASC_OP_L0C_TO_UB:
		return false;
	default:
		return asc_op(op)->pipe == ASC_PIPE_V;
	}
}

/* ---- cube side ---- */

/* mmad: type c a b m k n init bias unit_flag */
static void product(touched *t)
{
	const int64_t *f = t->insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]), c0 = BLOCK_BYTES / size;
	int64_t m = div_up(f[4], FRACTAL_SIDE) * FRACTAL_SIDE, n = div_up(f[6], FRACTAL_SIDE) * FRACTAL_SIDE;
	int64_t k = div_up(f[5], c0) * c0;

	put(t, ASC_L0A, false, f[2], m * k * size, 1, 0);
	put(t, ASC_L0B, false, f[3], n * k * size, 1, 0);
	if (!f[7])
		put(t, ASC_L0C, false, f[1], m * n * SUM_BYTES, 1, 0);
	if (f[7] == 2)
		put(t, ASC_BT, false, f[8], f[6] * SUM_BYTES, 1, 0);
	put(t, ASC_L0C, true, f[1], m * n * SUM_BYTES, 1, 0);
}

/* Rows of the map that DEPTH columns and ROWS positions of load3d lie on: of one group of channels those under the rows
 * of the filter that the depth runs over, of several those under the whole filter. */
static void under_filter(touched *t, int64_t c0, int64_t depth, int64_t rows)
{
	const int64_t *f = t->insn->f;
	int64_t filter_w = f[6] & 0xff, filter_h = f[6] >> 8 & 0xff, line = f[4] * BLOCK_BYTES;
	int64_t sides = (f[9] & 0xff) + (f[9] >> 8 & 0xff), top = f[9] >> 16 & 0xff;
	int64_t across = MAX((f[4] + sides - (f[8] & 0xff) * (filter_w - 1) - 1) / (f[7] & 0xff) + 1, 1);
	int64_t first = f[10] / c0 / filter_w, last = (f[10] + depth - 1) / c0 / filter_w;
	int64_t group = first / filter_h, groups = MIN(last / filter_h + 1, div_up(f[5], c0)) - group;
	int64_t above = groups > 1 ? 0 : first % filter_h;
	int64_t below = groups > 1 ? filter_h - 1 : MIN(last - group * filter_h, filter_h - 1);
	int64_t low = f[11] / across * (f[7] >> 8) - top + above * (f[8] >> 8);
	int64_t high = (f[11] + rows - 1) / across * (f[7] >> 8) - top + below * (f[8] >> 8) + 1;

	low = CLAMP(low, 0, f[3]);
	high = CLAMP(high, low, f[3]);
	if (groups > 0 && high > low)
		put(t, ASC_L1, false, f[2] + (group * f[3] + low) * line, (high - low) * line, groups, f[3] * line);
}

/* type dst src h w c kernel stride dilation pad k_start m_start k_extent m_extent */
static void image(touched *t, enum asc_space to)
{
	const int64_t *f = t->insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]), c0 = BLOCK_BYTES / size;
	/* L0A: rows of 16, L0B: depth in c0 and 16 columns. */
	int64_t rows = to == ASC_L0A ? FRACTAL_SIDE : c0, columns = to == ASC_L0A ? c0 : FRACTAL_SIDE;

	under_filter(t, c0, div_up(f[12], columns) * columns, div_up(f[13], MAX(rows, columns)) * MAX(rows, columns));
	put(t, to, true, f[1], div_up(f[13], rows) * div_up(f[12], columns) * FRACTAL_BYTES, 1, 0);
}

/* type dtype dst src m n src_stride dst_pitch quant scale relu nz2nd unit_flag */
static void way_out(touched *t, enum asc_space to)
{
	const int64_t *f = t->insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[1]), side = FRACTAL_SIDE * SUM_BYTES;

	put(t, ASC_L0C, false, f[3], f[4] * side, div_up(f[5], FRACTAL_SIDE), f[6] * side);
	if (f[11])
		put(t, to, true, f[2], f[5] * size, f[4], f[7] * size);
	else
		put(t, to, true, f[2], f[4] * BLOCK_BYTES, div_up(f[5] * size, BLOCK_BYTES), f[7] * BLOCK_BYTES);
}

/* dst src bursts burst_bytes src_gap dst_gap left right value */
static void copied(touched *t, enum asc_space from, enum asc_space to)
{
	const int64_t *f = t->insn->f;
	int64_t lies = div_up(f[3], BLOCK_BYTES) * BLOCK_BYTES;
	int64_t comes = div_up(f[3] + f[6] + f[7], BLOCK_BYTES) * BLOCK_BYTES;

	put(t, from, false, f[1], f[3], f[2], (from == ASC_GM ? f[3] : lies) + f[4]);
	if (to == ASC_GM)
		put(t, to, true, f[0], f[3], f[2], f[3] + f[5]);
	else
		put(t, to, true, f[0], comes, f[2], comes + f[5]);
}

/* type dst src nd n d src_pitch dst_c0_stride */
static void fractals(touched *t)
{
	const int64_t *f = t->insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]), columns = div_up(f[5] * size, BLOCK_BYTES);

	put(t, ASC_GM, false, f[2], f[5] * size, f[3] * f[4], f[6] * size);
	put(t, ASC_L1, true, f[1], f[4] * BLOCK_BYTES, f[3] * columns, f[7] * BLOCK_BYTES);
}

static void others(touched *t)
{
	const int64_t *f = t->insn->f;

	switch ((enum asc_op)t->insn->op) {
	case ASC_OP_LDG:
		put(t, ASC_GM, false, f[1], f[2], 1, 0);
		break;
	case ASC_OP_STG:
		put(t, ASC_GM, true, f[1], f[2], 1, 0);
		break;
	case ASC_OP_SETWORD:
	case ASC_OP_WAITWORD:
		put(t, ASC_GM, t->insn->op == ASC_OP_SETWORD, f[0], WORD_BYTES, 1, 0);
		break;
	case ASC_OP_MMAD:
		product(t);
		break;
	case ASC_OP_LOAD2D_A:
	case ASC_OP_LOAD2D_B:
		put(t, ASC_L1, false, f[1], FRACTAL_BYTES, f[2], f[3] * FRACTAL_BYTES);
		put(t, t->insn->op == ASC_OP_LOAD2D_A ? ASC_L0A : ASC_L0B, true, f[0], FRACTAL_BYTES, f[2],
		    (1 + f[4]) * FRACTAL_BYTES);
		break;
	case ASC_OP_LOAD3D_A:
		image(t, ASC_L0A);
		break;
	case ASC_OP_LOAD3D_B:
		image(t, ASC_L0B);
		break;
	case ASC_OP_L1_TO_BT:
		copied(t, ASC_L1, ASC_BT);
		break;
	case ASC_OP_GM_TO_L1:
		copied(t, ASC_GM, ASC_L1);
		break;
	case ASC_OP_GM_TO_UB:
		copied(t, ASC_GM, ASC_UB);
		break;
	case ASC_OP_UB_TO_GM:
		copied(t, ASC_UB, ASC_GM);
		break;
	case ASC_OP_UB_TO_L1:
		copied(t, ASC_UB, ASC_L1);
		break;
	case ASC_OP_L1_TO_GM:
		copied(t, ASC_L1, ASC_GM);
		break;
	case ASC_OP_ND2NZ:
		fractals(t);
		break;
	case ASC_OP_L0C_TO_UB:
		way_out(t, ASC_UB);
		break;
	case ASC_OP_FIX_GM:
		way_out(t, ASC_GM);
		break;
	case ASC_OP_FIX_L1:
		way_out(t, ASC_L1);
		break;
	default:
		break;
	}
}

unsigned asb_touch(const asc_insn *insn, const asb_mode *mode, const asc_machine *machine, asb_box box[ASB_BOXES])
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);
	touched t = {insn, mode, machine, ask_operands((enum asc_op)insn->op), box, 0};

	if (info->pipe != ASC_PIPE_V || insn->op == ASC_OP_L0C_TO_UB) {
		others(&t);
		return t.count;
	}
	if (vector_special(&t))
		return t.count;
	if (insn->op >= ASC_OP_VCADD && insn->op <= ASC_OP_VCPADD)
		reduction(&t);
	else
		lane_wise(&t);
	return t.count;
}

_Static_assert(ASC_OP_VCADD + 6 == ASC_OP_VCPADD, "reductions stand together in ops.def");

/* ---- boxes ---- */

/* Has BOX a byte in [low, high)? */
static bool in_range(const asb_box *box, uint64_t low, uint64_t high)
{
	uint64_t run, from;

	if (box->low >= high || low >= box->high)
		return false;
	if (box->count == 1 || low <= box->low)
		return true;
	run = (low - box->low) / box->pitch;
	from = box->low + run * box->pitch;
	return low < from + box->bytes || (run + 1 < box->count && from + box->pitch < high);
}

bool asb_box_meet(const asb_box *a, const asb_box *b)
{
	uint64_t low = MAX(a->low, b->low), high = MIN(a->high, b->high), first, end;

	if (low >= high)
		return false;
	if (a->count == 1)
		return in_range(b, a->low, a->high);
	if (b->count == 1)
		return in_range(a, b->low, b->high);
	if (a->pitch == b->pitch) {
		/* Columns of one matrix: apart when their places in a row are. */
		uint64_t shift = a->low <= b->low ? (b->low - a->low) % a->pitch
		                                  : a->pitch - 1 - (a->low - b->low - 1) % a->pitch;

		if (shift >= a->bytes && shift + b->bytes <= a->pitch)
			return false;
	}
	if (a->pitch < b->pitch) {
		const asb_box *swap = a;

		a = b;
		b = swap;
	}
	/* Runs of A, the fewer, inside what both reach. */
	first = low > a->low ? (low - a->low) / a->pitch : 0;
	end = MIN((uint64_t)a->count, (high - a->low - 1) / a->pitch + 1);
	for (uint64_t i = first; i < end; i++)
		if (in_range(b, a->low + i * a->pitch, a->low + i * a->pitch + a->bytes))
			return true;
	return false;
}

bool asb_box_holds(const asb_box *a, const asb_box *b)
{
	if (b->low < a->low || b->high > a->high)
		return false;
	if (a->count == 1)
		return true;
	if ((b->low - a->low) % a->pitch + b->bytes > a->bytes)
		return false;
	return b->count == 1 || b->pitch % a->pitch == 0;
}
