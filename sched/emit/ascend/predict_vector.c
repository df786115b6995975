/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions, predicted: which blocks their repeats read and write (docs/ascend.md), when they may start, and
 * when they are done after what the banks take.
 */
#include "sched/emit/ascend/operands.h"
#include "sched/emit/ascend/predict_int.h"

enum { BLOCK_BYTES = 32, MASK_BITS = 128, PENDING = 32 };

/* ---- operands ---- */

/* What is active of a repeat, of the last one. */
typedef struct lanes {
	uint64_t bits[2], last[2];
	int64_t count;
	bool all;
} lanes;

static int64_t div_up(int64_t a, int64_t b)
{
	return (a + b - 1) / MAX(b, 1);
}

static uint64_t low_bits(int64_t n)
{
	return n >= 64 ? UINT64_MAX : n <= 0 ? 0 : ((uint64_t)1 << n) - 1;
}

/* Elements of SIZE bytes that lie in so many first blocks, or in those with an active lane. */
static uint32_t blocks_of(const lanes *l, bool last, int64_t count, int64_t size, bool masked)
{
	const uint64_t *bits = last ? l->last : l->bits;
	uint32_t blocks = 0;

	if (!masked || l->all)
		return (uint32_t)low_bits(MIN(div_up(count * size, BLOCK_BYTES), ASK_BLOCKS));
	for (int64_t i = 0; i < MIN(count, MASK_BITS); i++)
		if (bits[i / 64] >> (i % 64) & 1)
			blocks |= (uint32_t)1 << (i * size / BLOCK_BYTES);
	return blocks;
}

static lanes active_lanes(const asc_insn *insn, const asb_mode *mode, int64_t count, int64_t *repeats)
{
	lanes l = {.bits = {low_bits(count), low_bits(count - 64)}, .count = count};
	int64_t tail = count;

	if (!asb_masked((enum asc_op)insn->op)) {
		l.all = true;
		return l;
	}
	if (mode->counter) {
		*repeats = div_up((int64_t)mode->low, count);
		tail = (int64_t)mode->low - (*repeats - 1) * count;
	} else {
		l.bits[0] &= mode->low;
		l.bits[1] &= mode->high;
	}
	l.last[0] = l.bits[0] & low_bits(tail);
	l.last[1] = l.bits[1] & low_bits(tail - 64);
	l.all = tail == count && l.bits[0] == low_bits(count) && l.bits[1] == low_bits(count - 64);
	return l;
}

static ask_operand operand_of(const ask_repeats *v, const lanes *l, int64_t address, int64_t blk, int64_t rep,
                              int64_t count, int64_t size, bool masked)
{
	ask_operand o = {.address = address, .blk = blk, .rep = rep};

	o.blocks = blocks_of(l, false, count, size, masked);
	o.last = blocks_of(l, true, count, size, masked);
	o.low = (uint64_t)address;
	o.high = (uint64_t)(address + blk * MAX(div_up(count * size, BLOCK_BYTES) - 1, 0) + rep * (v->repeats - 1) +
	                    MIN(count * size, BLOCK_BYTES));
	return o;
}

/* Results of a repeat of what is not lane for lane; 0: it is. */
static int64_t results_of(enum asc_op op, int64_t count)
{
	switch (op) {
	case ASC_OP_VCADD:
		return 1;
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		return 2;
	case ASC_OP_VCGADD:
	case ASC_OP_VCGMAX:
	case ASC_OP_VCGMIN:
		return 8;
	case ASC_OP_VCPADD:
		return count / 2;
	default:
		return 0;
	}
}

static int64_t picked_of(int64_t pattern, int64_t count)
{
	return pattern == 1 || pattern == 2 ? count / 2 : pattern >= 3 && pattern <= 6 ? count / 4 : count;
}

/* What has a layout of its own; false for all others. */
static bool special(ask_repeats *v, const asc_insn *insn, const int8_t *at, const lanes *l, int64_t size)
{
	enum asc_op op = (enum asc_op)insn->op;
	const int64_t *f = insn->f;
	int64_t dst = f[at[OPERAND_DST]], src = f[at[OPERAND_SRC] < 0 ? at[OPERAND_OFFSETS] : at[OPERAND_SRC]],
		n = l->count;
	int64_t dst_blk = at[OPERAND_DST_BLK] < 0 ? BLOCK_BYTES : f[at[OPERAND_DST_BLK]] * BLOCK_BYTES;
	int64_t dst_rep = (at[OPERAND_DST_REP] < 0 ? 8 : f[at[OPERAND_DST_REP]]) * BLOCK_BYTES;

	switch (op) {
	case ASC_OP_VBRCB:
		v->read[0] = operand_of(v, l, src, BLOCK_BYTES, 8 * size, 8, size, false);
		v->write = operand_of(v, l, dst, dst_blk, dst_rep, 8, BLOCK_BYTES, false);
		break;
	case ASC_OP_VGATHERB:
		v->read[0] = operand_of(v, l, src, BLOCK_BYTES, BLOCK_BYTES, 8, 4, false);
		v->write = operand_of(v, l, dst, dst_blk, dst_rep, 8, BLOCK_BYTES, false);
		break;
	case ASC_OP_VTRANS:
		v->repeats = 1;
		v->read[0] = operand_of(v, l, src, BLOCK_BYTES, 0, 256, size, false);
		v->write = operand_of(v, l, dst, BLOCK_BYTES, 0, 256, size, false);
		break;
	case ASC_OP_VSORT32:
		v->read[0] = operand_of(v, l, src, BLOCK_BYTES, 32 * size, 32, size, false);
		v->read[1] = operand_of(v, l, f[at[OPERAND_SRC1]], BLOCK_BYTES, 128, 32, 4, false);
		v->write = operand_of(v, l, dst, BLOCK_BYTES, 256, 32, 8, false);
		v->reads = 2;
		return true;
	case ASC_OP_VMRGSORT:
		/* 128 elements at a time. */
		v->repeats = div_up(v->repeats * 4 * f[at[OPERAND_LENGTH]], 128);
		v->read[0] = operand_of(v, l, src, BLOCK_BYTES, 1024, 128, 8, false);
		v->write = operand_of(v, l, dst, BLOCK_BYTES, 1024, 128, 8, false);
		break;
	case ASC_OP_VREDUCEV2:
		n = picked_of(f[at[OPERAND_PATTERN]], l->count);
		v->read[0] = operand_of(v, l, src, f[at[OPERAND_SRC_BLK]] * BLOCK_BYTES,
		                        f[at[OPERAND_SRC_REP]] * BLOCK_BYTES, l->count, size, false);
		v->write = operand_of(v, l, dst, BLOCK_BYTES, n * size, n, size, false);
		v->reads = 1;
		if (!f[at[OPERAND_PATTERN]])
			v->read[v->reads++] = operand_of(v, l, f[at[OPERAND_SRC1]], BLOCK_BYTES,
			                                 f[at[OPERAND_SRC1_REP]] * BLOCK_BYTES, l->count / 8, 1, false);
		return true;
	default:
		return false;
	}
	v->reads = 1;
	return true;
}

static ask_repeats vector_of(const asc_insn *insn, const asb_mode *mode, const asc_machine *m)
{
	enum asc_op op = (enum asc_op)insn->op;
	const asc_timing_cycles *timing = &m->timing[asc_op(op)->timing];
	const int8_t *at = ask_operands(op);
	const int64_t *f = insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[at[OPERAND_TYPE]]);
	int64_t to_size = at[OPERAND_DTYPE] < 0 ? size : asc_type_bytes((enum asc_type)f[at[OPERAND_DTYPE]]);
	int64_t wide = MAX(size, to_size), count = MIN(m->vector_bytes / wide, MASK_BITS), results;
	int64_t dst = f[at[OPERAND_DST]],
		dst_blk = (at[OPERAND_DST_BLK] < 0 ? 1 : f[at[OPERAND_DST_BLK]]) * BLOCK_BYTES;
	int64_t dst_rep = (at[OPERAND_DST_REP] < 0 ? 8 : f[at[OPERAND_DST_REP]]) * BLOCK_BYTES;
	ask_repeats v = {.repeats = at[OPERAND_REPEAT] < 0 ? 1 : f[at[OPERAND_REPEAT]],
	                 .interval = MAX(wide > 2 ? timing->b32 : timing->b16, 1)};
	lanes l = active_lanes(insn, mode, count, &v.repeats);

	if (at[OPERAND_AUX] >= 0) {
		v.aux_low = f[at[OPERAND_AUX]];
		v.aux_high = op == ASC_OP_VSEL ? v.aux_low + v.repeats * count / 8 : INT64_MAX;
	}
	if (v.repeats <= 0 || special(&v, insn, at, &l, size))
		return v;
	if (at[OPERAND_SRC] >= 0)
		v.read[v.reads++] = operand_of(&v, &l, f[at[OPERAND_SRC]],
		                               (at[OPERAND_SRC_BLK] < 0 ? 1 : f[at[OPERAND_SRC_BLK]]) * BLOCK_BYTES,
		                               (at[OPERAND_SRC_REP] < 0 ? 8 : f[at[OPERAND_SRC_REP]]) * BLOCK_BYTES,
		                               count, size, true);
	else if (at[OPERAND_OFFSETS] >= 0)
		v.read[v.reads++] = operand_of(&v, &l, f[at[OPERAND_OFFSETS]], BLOCK_BYTES, 4 * count, count, 4, true);
	if (at[OPERAND_SRC1] >= 0)
		v.read[v.reads++] = operand_of(&v, &l, f[at[OPERAND_SRC1]],
		                               (at[OPERAND_SRC1_BLK] < 0 ? 1 : f[at[OPERAND_SRC1_BLK]]) * BLOCK_BYTES,
		                               (at[OPERAND_SRC1_REP] < 0 ? 8 : f[at[OPERAND_SRC1_REP]]) * BLOCK_BYTES,
		                               count, size, true);
	results = results_of(op, count);
	if (results) {
		dst_rep = (at[OPERAND_DST_REP] < 0 ? 1 : f[at[OPERAND_DST_REP]]) * results * size;
		v.write = operand_of(&v, &l, dst, BLOCK_BYTES, dst_rep, results, size, false);
	} else if (op == ASC_OP_VCMP) {
		dst_rep = (at[OPERAND_DST_REP] < 0 ? 1 : f[at[OPERAND_DST_REP]]) * count / 8;
		v.write = operand_of(&v, &l, dst, BLOCK_BYTES, dst_rep, count / 8, 1, false);
	} else {
		v.write = operand_of(&v, &l, dst, dst_blk, dst_rep, count, to_size, true);
	}
	if (op == ASC_OP_VMLA || op == ASC_OP_VAXPY)
		v.read[v.reads++] = v.write;
	return v;
}

/* ---- instructions ---- */

typedef struct pending {
	uint64_t low, high; /* bytes an instruction has still to write */
	double done;
} pending;

struct ask_vector {
	const asc_machine *machine;
	ask_banks *banks;
	pending pending[PENDING];
	unsigned writes;
	double latest;
};

ask_vector *ask_vector_new(const asc_machine *machine)
{
	ask_vector *v = g_new0(ask_vector, 1);

	v->machine = machine;
	v->banks = ask_banks_new(machine);
	return v;
}

void ask_vector_free(ask_vector *v)
{
	ask_banks_free(v->banks);
	g_free(v);
}

double ask_vector_copy(ask_vector *v, bool write, uint64_t address, uint64_t bytes, double start, double until)
{
	return ask_banks_copy(v->banks, write, address, bytes, start, until);
}

static double after(const ask_vector *v, uint64_t low, uint64_t high, double start)
{
	for (unsigned i = v->writes > PENDING ? v->writes - PENDING : 0; i < v->writes; i++) {
		const pending *p = &v->pending[i % PENDING];

		if (p->low < high && low < p->high)
			start = MAX(start, p->done);
	}
	return start;
}

/* Not before what it reads or overwrites has been written. */
static double after_writes(const ask_vector *v, const ask_repeats *o, double start)
{
	if (v->latest <= start)
		return start;
	start = after(v, o->write.low, o->write.high, start);
	for (unsigned i = 0; i < o->reads; i++)
		start = after(v, o->read[i].low, o->read[i].high, start);
	return o->aux_high ? after(v, (uint64_t)o->aux_low, (uint64_t)o->aux_high, start) : start;
}

ask_times ask_vector_times(ask_vector *v, const asc_insn *insn, const asb_mode *mode, double start)
{
	const asc_machine *m = v->machine;
	double head = (double)m->timing[asc_op((enum asc_op)insn->op)->timing].head, read_end, written;
	ask_repeats o = vector_of(insn, mode, m);
	ask_times x = {.start = start};

	x.free = x.done = start + (double)m->vector_gap_cycles;
	if (o.repeats <= 0)
		return x;
	x.start = ask_banks_start(v->banks, after_writes(v, &o, start));
	read_end = ask_banks_follow(v->banks, &o, &written);
	x.free = MAX(read_end, x.start + (double)m->vector_gap_cycles);
	x.done = head + MAX(read_end, written - (double)m->ub_write_delay_cycles);
	if (mode->counter)
		x.done = MAX(x.done, x.start + head + (double)m->vector_counter_floor_cycles);
	v->latest = MAX(v->latest, x.done);
	v->pending[v->writes++ % PENDING] = (pending){o.write.low, o.write.high, x.done};
	return x;
}
