/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that an instruction reads and writes, from the format of its row in the tables.  Vector operands are trimmed to
 * the lanes that the mask, or the count, makes active; where active lanes have holes, to the first and last of a block.
 * Where what is read depends on data (gather), only the operands that do not are given; asc_gathered tells the rest
 * when the data are there.  Where bits in memory say how much is written (vreducev2), all that may be is given.  load3d
 * reads whole rows of the feature map.
 */
#include "models/ascend/vector.h"

#include <string.h>

enum format {
#define ASC_FORMAT(id, ...) FORMAT_##id,
#include "isa/ascend/formats.def"
};

static const enum format formats[ASC_OP_COUNT] = {
#define ASC_OP(id, mnemonic, pipe, format, timing, cores, doc) [ASC_OP_##id] = FORMAT_##format,
#include "isa/ascend/ops.def"
};

/* Geometry of the instruction set, not of a machine: fractals of 16 rows of 32 bytes, fp32 or int32 accumulators. */
enum { BLOCK = 32, FRACTAL = 512, FRACTAL_ROWS = 16, ACCUMULATOR = 4, LANES_MAX = 128, WORD_BYTES = 8 };
enum { SORTED = 32, INDEX = 4, PAIR = 8, LISTS = 4 }; /* of sorting: elements, and bytes */

typedef struct list {
	const asc_exec *x;
	const asc_machine *machine;
	asc_range *range;
	unsigned count;
} list;

static void add(list *l, enum asc_space space, bool write, int64_t address, int64_t bytes, int64_t count, int64_t pitch)
{
	if (bytes <= 0 || count <= 0 || l->count == ASC_RANGES)
		return;
	l->range[l->count++] =
		(asc_range){space, write, (uint64_t)address, (uint64_t)bytes, (uint32_t)count, count == 1 ? 0 : pitch};
}

static int64_t round_up(int64_t n, int64_t to)
{
	return (n + to - 1) / to * to;
}

/* A vector operand: strides in blocks, elements of SIZE bytes, LANES of them a repeat. */
typedef struct operand {
	bool write;
	int64_t address, block, repeat;
	unsigned size, lanes;
} operand;

typedef struct lanes {
	bool on[LANES_MAX];
	unsigned first, end; /* of those that are on; end 0: none */
	bool holes;
} lanes;

static void trim(lanes *a, unsigned count)
{
	unsigned on = 0;

	a->first = a->end = 0;
	for (unsigned i = 0; i < count; i++) {
		if (!a->on[i])
			continue;
		if (!on++)
			a->first = i;
		a->end = i + 1;
	}
	a->holes = on != a->end - a->first;
}

/* REPEATS repeats from FROM on with the lanes A. */
static void add_repeats(list *l, const operand *o, int64_t from, int64_t repeats, const lanes *a)
{
	int64_t base = o->address + from * o->repeat * BLOCK, pitch = o->repeat * BLOCK;
	unsigned per_block = BLOCK / o->size, blocks = (o->lanes + per_block - 1) / per_block;

	if (!a->end || repeats <= 0)
		return;
	if (o->block == 1 && !a->holes) {
		add(l, ASC_UB, o->write, base + a->first * o->size, (a->end - a->first) * o->size, repeats, pitch);
		return;
	}
	if (!o->block && blocks > 1) {
		/* All share one block. */
		lanes in = {.end = 0};

		for (unsigned i = 0; i < o->lanes; i++)
			in.on[i % per_block] |= a->on[i];
		trim(&in, per_block);
		add(l, ASC_UB, o->write, base + in.first * o->size, (in.end - in.first) * o->size, repeats, pitch);
		return;
	}
	if (!a->holes && !a->first && a->end == o->lanes && o->lanes % per_block == 0 &&
	    (repeats == 1 || o->repeat == blocks * o->block)) {
		add(l, ASC_UB, o->write, base, BLOCK, repeats * blocks, o->block * BLOCK);
		return;
	}
	for (unsigned b = 0; b < blocks; b++) {
		lanes in = {.end = 0};

		for (unsigned i = 0; i < per_block && b * per_block + i < o->lanes; i++)
			in.on[i] = a->on[b * per_block + i];
		trim(&in, per_block);
		add(l, ASC_UB, o->write, base + b * o->block * BLOCK + in.first * o->size,
		    (in.end - in.first) * o->size, repeats, pitch);
	}
}

static int64_t repeats_of(const list *l, unsigned count, int64_t repeat)
{
	return l->x->counter_mode ? (int64_t)(l->x->mask[0] / count) + (l->x->mask[0] % count != 0) : repeat;
}

static void add_vector(list *l, const operand *o, int64_t repeat)
{
	lanes a = {.end = 0};
	int64_t whole = repeat;
	unsigned tail = 0;

	for (unsigned i = 0; i < o->lanes; i++)
		a.on[i] = l->x->counter_mode || (l->x->mask[i / 64] >> i % 64 & 1);
	if (l->x->counter_mode) {
		whole = (int64_t)(l->x->mask[0] / o->lanes);
		tail = (unsigned)(l->x->mask[0] % o->lanes);
	}
	trim(&a, o->lanes);
	add_repeats(l, o, 0, whole, &a);
	for (unsigned i = tail; i < o->lanes; i++)
		a.on[i] = false;
	trim(&a, o->lanes);
	if (tail)
		add_repeats(l, o, whole, 1, &a);
}

/* So many BLOCKS a repeat, whatever the type, mask and count say. */
static void add_blocks(list *l, const operand *o, int64_t repeats, unsigned blocks)
{
	operand own = *o;
	lanes a = {.end = blocks};

	own.size = BLOCK;
	own.lanes = blocks;
	memset(a.on, true, sizeof(a.on));
	add_repeats(l, &own, 0, repeats, &a);
}

static void add_whole(list *l, const operand *o, int64_t repeats)
{
	add_blocks(l, o, repeats, (unsigned)l->machine->vector_bytes / BLOCK);
}

static unsigned lanes_of(const list *l, unsigned size)
{
	return MIN((unsigned)l->machine->vector_bytes / size, (unsigned)LANES_MAX);
}

static operand operand_of(const list *l, bool write, int64_t type, int64_t address, int64_t block, int64_t repeat)
{
	unsigned size = asc_type_bytes((enum asc_type)type);

	return (operand){write, address, block, repeat, size, lanes_of(l, size)};
}

static void unary(list *l, int dst, int src, int repeat)
{
	const int64_t *f = l->x->f;
	operand to = operand_of(l, true, f[0], f[dst], f[repeat + 1], f[repeat + 3]);
	operand from = operand_of(l, false, f[0], f[src], f[repeat + 2], f[repeat + 4]);

	if (l->x->insn->op == ASC_OP_VBRCB) {
		/* Eight elements a repeat, one after the other, into eight blocks, whatever the mask. */
		add(l, ASC_UB, false, f[src], f[repeat] * 8 * from.size, 1, 0);
		add_whole(l, &to, f[repeat]);
		return;
	}
	add_vector(l, &from, f[repeat]);
	if (l->x->insn->op == ASC_OP_VAXPY) {
		to.write = false;
		add_vector(l, &to, f[repeat]);
		to.write = true;
	}
	add_vector(l, &to, f[repeat]);
}

/* TYPE dst src0 src1 repeat and six strides. */
static void binary(list *l)
{
	const int64_t *f = l->x->f;
	operand to = operand_of(l, true, f[0], f[1], f[5], f[8]);
	operand a = operand_of(l, false, f[0], f[2], f[6], f[9]);
	operand b = operand_of(l, false, f[0], f[3], f[7], f[10]);

	add_vector(l, &a, f[4]);
	add_vector(l, &b, f[4]);
	if (l->x->insn->op == ASC_OP_VMLA) {
		to.write = false;
		add_vector(l, &to, f[4]);
		to.write = true;
	}
	add_vector(l, &to, f[4]);
}

/* type dst src repeat dst_rep src_blk src_rep: one result a repeat, or eight, or half as many as operands. */
static void reduce(list *l)
{
	const int64_t *f = l->x->f;
	operand from = operand_of(l, false, f[0], f[2], f[5], f[6]);
	int64_t results, repeats = repeats_of(l, from.lanes, f[3]);

	switch (l->x->insn->op) {
	case ASC_OP_VCADD:
		results = 1;
		break;
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		results = 2;
		break;
	case ASC_OP_VCPADD:
		results = from.lanes / 2;
		break;
	default:
		results = l->machine->vector_bytes / BLOCK;
		break;
	}
	add_vector(l, &from, f[3]);
	add(l, ASC_UB, true, f[1], results * from.size, repeats, f[4] * results * from.size);
}

/* type dtype dst src round repeat dst_blk src_blk dst_rep src_rep: the wider side fills a repeat. */
static void convert(list *l)
{
	const int64_t *f = l->x->f;
	operand to = operand_of(l, true, f[1], f[2], f[6], f[8]);
	operand from = operand_of(l, false, f[0], f[3], f[7], f[9]);

	to.lanes = from.lanes = MIN(to.lanes, from.lanes);
	add_vector(l, &from, f[5]);
	add_vector(l, &to, f[5]);
}

/* type cond dst src0 src1 repeat src0_blk src1_blk src0_rep src1_rep: one bit an element. */
static void compare(list *l)
{
	const int64_t *f = l->x->f;
	operand a = operand_of(l, false, f[0], f[3], f[6], f[8]);
	operand b = operand_of(l, false, f[0], f[4], f[7], f[9]);

	add_vector(l, &a, f[5]);
	add_vector(l, &b, f[5]);
	add(l, ASC_UB, true, f[2], repeats_of(l, a.lanes, f[5]) * a.lanes / 8, 1, 0);
}

/* type dst mask src0 src1 repeat and six strides. */
static void choose(list *l)
{
	const int64_t *f = l->x->f;
	operand to = operand_of(l, true, f[0], f[1], f[6], f[9]);
	operand a = operand_of(l, false, f[0], f[3], f[7], f[10]);
	operand b = operand_of(l, false, f[0], f[4], f[8], f[11]);

	add(l, ASC_UB, false, f[2], repeats_of(l, a.lanes, f[5]) * a.lanes / 8, 1, 0);
	add_vector(l, &a, f[5]);
	add_vector(l, &b, f[5]);
	add_vector(l, &to, f[5]);
}

/* type dst offsets base repeat dst_rep: an offset of 32 bits an element, or a block. */
static void gather(list *l)
{
	const int64_t *f = l->x->f;
	operand to = operand_of(l, true, f[0], f[1], 1, f[5]);

	if (l->x->insn->op == ASC_OP_VGATHERB) {
		add(l, ASC_UB, false, f[2], f[4] * (l->machine->vector_bytes / BLOCK) * 4, 1, 0);
		add_whole(l, &to, f[4]);
		return;
	}
	add(l, ASC_UB, false, f[2], repeats_of(l, to.lanes, f[4]) * to.lanes * 4, 1, 0);
	add_vector(l, &to, f[4]);
}

/* type dst src0 src1 pattern repeat src0_blk src0_rep src1_rep. */
static void pick(list *l)
{
	const int64_t *f = l->x->f;
	operand from = operand_of(l, false, f[0], f[2], f[6], f[7]);
	int64_t picked = 0;

	for (unsigned i = 0; i < from.lanes; i++)
		picked += !f[4] || asc_pattern_picks((unsigned)f[4], i);
	add_blocks(l, &from, f[5], from.lanes * from.size / BLOCK);
	if (!f[4])
		add(l, ASC_UB, false, f[3], from.lanes / 8, f[5], f[8] * BLOCK);
	add(l, ASC_UB, true, f[1], f[5] * picked * from.size, 1, 0);
}

/* type dst src0 src1 repeat: 32 values and their indices into 32 pairs of 8 bytes. */
static void sort(list *l)
{
	const int64_t *f = l->x->f;
	int64_t pairs = f[4] * SORTED;

	add(l, ASC_UB, false, f[2], pairs * asc_type_bytes((enum asc_type)f[0]), 1, 0);
	add(l, ASC_UB, false, f[3], pairs * INDEX, 1, 0);
	add(l, ASC_UB, true, f[1], pairs * PAIR, 1, 0);
}

/* type dst src length repeat: four lists of pairs. */
static void merge(list *l)
{
	const int64_t *f = l->x->f;
	int64_t bytes = f[4] * f[3] * LISTS * PAIR;

	add(l, ASC_UB, false, f[2], bytes, 1, 0);
	add(l, ASC_UB, true, f[1], bytes, 1, 0);
}

static void mmad(list *l)
{
	const int64_t *f = l->x->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]);
	int64_t m = round_up(f[4], FRACTAL_ROWS), k = round_up(f[5], BLOCK / size), n = round_up(f[6], FRACTAL_ROWS);

	if (!m || !k || !n)
		return;
	add(l, ASC_L0A, false, f[2], m * k * size, 1, 0);
	add(l, ASC_L0B, false, f[3], k * n * size, 1, 0);
	if (f[7] == 0)
		add(l, ASC_L0C, false, f[1], m * n * ACCUMULATOR, 1, 0);
	if (f[7] == 2)
		add(l, ASC_BT, false, f[8], f[6] * ACCUMULATOR, 1, 0);
	add(l, ASC_L0C, true, f[1], m * n * ACCUMULATOR, 1, 0);
}

/* dst src repeat src_stride dst_gap, in fractals. */
static void load2d(list *l)
{
	const int64_t *f = l->x->f;

	add(l, ASC_L1, false, f[1], FRACTAL, f[2], f[3] * FRACTAL);
	add(l, l->x->info->field[0].space, true, f[0], FRACTAL, f[2], (1 + f[4]) * FRACTAL);
}

/* Rows of the feature map that a load3d of so many POSITIONS touches: those under rows FIRST to LAST of the filter. */
static void add_rows(list *l, int64_t positions, int64_t group, int64_t groups, int64_t first, int64_t last)
{
	const int64_t *f = l->x->f;
	int64_t left = f[9] & 0xff, right = f[9] >> 8 & 0xff, top = f[9] >> 16 & 0xff, bottom = f[9] >> 24 & 0xff;
	int64_t wide = ((f[6] & 0xff) - 1) * (f[8] & 0xff) + 1, step = f[7] >> 8, reach = f[8] >> 8;
	int64_t high = ((f[6] >> 8) - 1) * reach + 1, row = f[4] * BLOCK;
	int64_t across = MAX((f[4] + left + right - wide) / (f[7] & 0xff) + 1, 1);
	int64_t down = MAX((f[3] + top + bottom - high) / step + 1, 1);
	int64_t end = MIN(f[11] + positions, across * down); /* behind the matrix there are zeros */
	int64_t from = f[11] / across * step - top + first * reach;
	int64_t to = (end - 1) / across * step - top + last * reach;

	if (end <= f[11] || groups <= 0)
		return;
	from = CLAMP(from, 0, f[3]);
	to = CLAMP(to + 1, from, f[3]);
	add(l, ASC_L1, false, f[2] + (group * f[3] + from) * row, (to - from) * row, groups, f[3] * row);
}

/* type dst src h w c kernel stride dilation pad k_start m_start k_extent m_extent; the depth runs over groups of
 * channels, rows of the filter, its columns, channels of a group. */
static void load3d(list *l)
{
	const int64_t *f = l->x->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]);
	bool b = l->x->info->field[1].space == ASC_L0B; /* its fractals stand for a block of depth and 16 columns */
	int64_t columns = b ? FRACTAL_ROWS : BLOCK / size, rows = b ? BLOCK / size : FRACTAL_ROWS;
	int64_t high = f[6] >> 8 & 0xff, row = (f[6] & 0xff) * (BLOCK / size);
	int64_t depth = round_up(f[12], columns);
	int64_t first = f[10] / row, last = (f[10] + depth - 1) / row;
	int64_t group = first / high, groups = MIN(last / high, (f[5] * size - 1) / BLOCK) - group + 1;

	/* Fractals are filled to their ends. */
	if (groups == 1)
		add_rows(l, round_up(f[13], rows), group, 1, first % high, MIN(last - group * high, high - 1));
	else
		add_rows(l, round_up(f[13], rows), group, groups, 0, high - 1);
	add(l, l->x->info->field[1].space, true, f[1], round_up(f[12], columns) * size * round_up(f[13], rows), 1, 0);
}

/* dst src bursts burst_bytes src_gap dst_gap left right value; bursts lie in whole blocks in local buffers. */
static void copy(list *l)
{
	const int64_t *f = l->x->f;
	enum asc_space from = l->x->info->field[1].space, to = l->x->info->field[0].space;
	int64_t in = from == ASC_GM ? f[3] : round_up(f[3], BLOCK);
	int64_t out = to == ASC_GM ? f[3] : round_up(f[3] + f[6] + f[7], BLOCK);

	add(l, from, false, f[1], f[3], f[2], in + f[4]);
	add(l, to, true, f[0], out, f[2], out + f[5]);
}

/* type dst src nd n d src_pitch dst_c0_stride, elements; dst_c0_stride rows of a block. */
static void nd2nz(list *l)
{
	const int64_t *f = l->x->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]);
	int64_t columns = round_up(f[5] * size, BLOCK) / BLOCK;

	add(l, ASC_GM, false, f[2], f[5] * size, f[3] * f[4], f[6] * size);
	add(l, ASC_L1, true, f[1], f[4] * BLOCK, f[3] * columns, f[7] * BLOCK);
}

/* type dtype dst src m n src_stride dst_pitch quant scale relu nz2nd: columns of 16 accumulators into rows, or into
 * columns of a block. */
static void fixpipe(list *l)
{
	const int64_t *f = l->x->f;
	int64_t size = asc_type_bytes((enum asc_type)f[1]), row = FRACTAL_ROWS * ACCUMULATOR;
	enum asc_space to = l->x->info->field[2].space;

	add(l, ASC_L0C, false, f[3], f[4] * row, round_up(f[5], FRACTAL_ROWS) / FRACTAL_ROWS, f[6] * row);
	if (f[11])
		add(l, to, true, f[2], f[5] * size, f[4], f[7] * size);
	else
		add(l, to, true, f[2], f[4] * BLOCK, round_up(f[5] * size, BLOCK) / BLOCK, f[7] * BLOCK);
}

unsigned asc_ranges(const asc_exec *x, const asc_machine *machine, asc_range ranges[ASC_RANGES])
{
	list l = {x, machine, ranges, 0};
	const int64_t *f = x->f;

	switch (formats[x->insn->op]) {
	case FORMAT_LDG:
	case FORMAT_STG:
		add(&l, ASC_GM, x->insn->op == ASC_OP_STG, f[1], f[2], 1, 0);
		break;
	case FORMAT_SETWORD:
	case FORMAT_WAITWORD:
		add(&l, ASC_GM, x->insn->op == ASC_OP_SETWORD, f[0], WORD_BYTES, 1, 0);
		break;
	case FORMAT_VUNARY:
		unary(&l, 1, 2, 3);
		break;
	case FORMAT_VSCALAR:
		unary(&l, 1, 2, 4);
		break;
	case FORMAT_VDUP: {
		operand to = operand_of(&l, true, f[0], f[1], f[4], f[5]);

		add_vector(&l, &to, f[3]);
		break;
	}
	case FORMAT_VBINARY:
		binary(&l);
		break;
	case FORMAT_VREDUCE:
		reduce(&l);
		break;
	case FORMAT_VCONV:
		convert(&l);
		break;
	case FORMAT_VCMP:
		compare(&l);
		break;
	case FORMAT_VSEL:
		choose(&l);
		break;
	case FORMAT_VGATHER:
		gather(&l);
		break;
	case FORMAT_VPICK:
		pick(&l);
		break;
	case FORMAT_VTRANS:
		add(&l, ASC_UB, false, f[2], FRACTAL, 1, 0);
		add(&l, ASC_UB, true, f[1], FRACTAL, 1, 0);
		break;
	case FORMAT_VSORT:
		sort(&l);
		break;
	case FORMAT_VMERGE:
		merge(&l);
		break;
	case FORMAT_MMAD:
		mmad(&l);
		break;
	case FORMAT_LOAD2D_A:
	case FORMAT_LOAD2D_B:
		load2d(&l);
		break;
	case FORMAT_LOAD3D_A:
	case FORMAT_LOAD3D_B:
		load3d(&l);
		break;
	case FORMAT_GM_L1:
	case FORMAT_GM_UB:
	case FORMAT_UB_GM:
	case FORMAT_UB_L1:
	case FORMAT_L1_GM:
	case FORMAT_L1_BT:
		copy(&l);
		break;
	case FORMAT_ND2NZ:
		nd2nz(&l);
		break;
	case FORMAT_FIX_GM:
	case FORMAT_FIX_L1:
	case FORMAT_L0C_UB:
		fixpipe(&l);
		break;
	default:
		break;
	}
	return l.count;
}
