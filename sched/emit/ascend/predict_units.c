/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the units of a core take, by closed formulas over fields and keys: cube, MTE1, and the vector unit as those
 * need it who choose between many orders and places.
 */
#include "sched/emit/ascend/predict.h"

enum {
	BLOCK_BYTES = 32,
	SUM_BYTES = 4,
	FRACTAL_BYTES = 512,
	SIDE = 16,
	MOST_OPERANDS = 3,
	LOOKED_AT = 16,
	MOST_BLOCKS = 8
};

static int64_t div_up(int64_t a, int64_t b)
{
	return (a + b - 1) / MAX(b, 1);
}

double ask_block_cycles(const asc_insn *insn, const asc_machine *m)
{
	const int64_t *f = insn->f;
	int64_t depth =
		f[0] == ASC_F32 ? m->cube_f32_k : m->cube_k_bytes / (int64_t)asc_type_bytes((enum asc_type)f[0]);
	/* A step takes as long as L0C's banks need for its sums. */
	int64_t step = div_up(m->cube_m * m->cube_n * SUM_BYTES, m->l0c_banks * m->l0c_row_bytes);

	return (double)(div_up(f[5], MAX(depth, 1)) * step);
}

double ask_product_cycles(const asc_insn *insn, const asc_machine *m)
{
	return (double)(div_up(insn->f[4], m->cube_m) * div_up(insn->f[6], m->cube_n)) * ask_block_cycles(insn, m);
}

double ask_out_cycles(const asc_insn *insn, const asc_machine *m)
{
	const int64_t *f = insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[1]), bytes = f[11] ? f[5] * size : BLOCK_BYTES;
	int64_t rows = f[11] ? f[4] : f[4] * div_up(f[5] * size, BLOCK_BYTES);
	double rate = (double)MIN(m->fix_ub_bytes_per_cycle, m->fix_elements_per_cycle * size);

	return (double)rows * MAX((double)bytes / rate, (double)div_up(bytes, m->ub_mte_write_bytes_per_cycle));
}

static double image_cycles(const asc_insn *insn, const asc_machine *m, bool b)
{
	const int64_t *f = insn->f;
	int64_t c0 = BLOCK_BYTES / (int64_t)asc_type_bytes((enum asc_type)f[0]), wide = (f[6] & 0xff) * c0;
	double bytes = (double)(div_up(f[13], SIDE) * div_up(f[12], c0)) * FRACTAL_BYTES;
	int64_t stride = f[7] & 0xff, high = f[6] >> 8 & 0xff;
	int64_t rows = MIN((f[10] + f[12] - 1) / MAX(wide, 1) - f[10] / MAX(wide, 1) + 1, MAX(high, 1));
	double cycles = (double)(2 * stride + (b ? m->mte1_load3d_l0b_cycles : 0) + (rows > 1 ? rows : 0));
	double rate = (double)m->mte1_load3d_bytes / cycles;

	if (stride != 1 && stride != 2 && stride != 4 && stride != 8)
		rate = (double)(b ? m->mte1_load3d_l0b_other_bytes_per_cycle : m->mte1_load3d_least_bytes_per_cycle);
	else if (stride > 1)
		rate = MAX(rate, (double)m->mte1_load3d_least_bytes_per_cycle);
	return bytes / rate;
}

double ask_load_bytes(const asc_insn *insn)
{
	const int64_t *f = insn->f;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_LOAD2D_A:
	case ASC_OP_LOAD2D_B:
		return (double)(f[2] * FRACTAL_BYTES);
	case ASC_OP_LOAD3D_A:
	case ASC_OP_LOAD3D_B:
		return (double)(div_up(f[13], SIDE) *
		                div_up(f[12], BLOCK_BYTES / (int64_t)asc_type_bytes((enum asc_type)f[0]))) *
		       FRACTAL_BYTES;
	default:
		return (double)(f[2] * f[3]);
	}
}

double ask_load_cycles(const asc_insn *insn, const asc_machine *m)
{
	const int64_t *f = insn->f;
	double cycles, read;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_LOAD2D_A:
		cycles = (double)m->mte1_l0a_fixed_cycles +
		         (double)(f[2] * FRACTAL_BYTES) / (double)m->mte1_l0a_bytes_per_cycle;
		break;
	case ASC_OP_LOAD2D_B:
		cycles = (double)m->mte1_l0b_fixed_cycles +
		         (double)(f[2] * FRACTAL_BYTES) / (double)m->mte1_l0b_bytes_per_cycle;
		break;
	case ASC_OP_LOAD3D_A:
		cycles = image_cycles(insn, m, false);
		break;
	case ASC_OP_LOAD3D_B:
		cycles = image_cycles(insn, m, true);
		break;
	default:
		cycles = (double)(f[2] * f[3]) / (double)m->mte1_bt_bytes_per_cycle;
		break;
	}
	read = (double)m->mte1_gap_cycles;
	return MAX(cycles, read);
}

/* ---- vector ---- */

typedef struct lanes_of {
	int64_t address, blk, rep; /* bytes */
	int64_t blocks;            /* of a repeat */
} lanes_of;

typedef struct vector_op {
	lanes_of read[MOST_OPERANDS], write;
	unsigned reads;
	int64_t repeats;
} vector_op;

static int64_t field(const asc_insn *insn, const char *name, int64_t otherwise)
{
	int i = asc_field_by_name((enum asc_op)insn->op, name);

	return i < 0 ? otherwise : insn->f[i];
}

static bool has(const asc_insn *insn, const char *name)
{
	return asc_field_by_name((enum asc_op)insn->op, name) >= 0;
}

static lanes_of operand_of(const asc_insn *insn, const char *address, const char *blk, const char *rep, int64_t blocks)
{
	return (lanes_of){field(insn, address, 0), field(insn, blk, 1) * BLOCK_BYTES, field(insn, rep, 8) * BLOCK_BYTES,
	                  blocks};
}

static vector_op vector_of(const asc_insn *insn, const asb_mode *mode, const asc_machine *m)
{
	vector_op v = {.repeats = field(insn, "repeat", 1)};
	int64_t size = asc_type_bytes((enum asc_type)field(insn, "type", ASC_F16));
	int64_t to_size =
		has(insn, "dtype") ? (int64_t)asc_type_bytes((enum asc_type)field(insn, "dtype", ASC_F16)) : size;
	int64_t lanes = m->vector_bytes / MAX(size, to_size), active = lanes, blocks, out;

	if (asb_masked((enum asc_op)insn->op)) {
		if (mode->counter) {
			v.repeats = div_up((int64_t)mode->low, lanes);
			active = MIN(active, (int64_t)mode->low);
		} else if (mode->high == 0 && mode->low != UINT64_MAX && lanes > 64) {
			active = 64 - (mode->low ? __builtin_clzll(mode->low) : 64);
		} else if (lanes <= 64) {
			active = MIN(active, 64 - (mode->low ? __builtin_clzll(mode->low) : 64));
		} else if (mode->high == 0) {
			active = 64;
		}
	}
	blocks = MIN(div_up(active * size, BLOCK_BYTES), MOST_BLOCKS);
	out = MIN(div_up(active * to_size, BLOCK_BYTES), MOST_BLOCKS);
	v.write = operand_of(insn, "dst", "dst_blk", "dst_rep", out);
	if (has(insn, "src"))
		v.read[v.reads++] = operand_of(insn, "src", "src_blk", "src_rep", blocks);
	if (has(insn, "src0"))
		v.read[v.reads++] = operand_of(insn, "src0", "src0_blk", "src0_rep", blocks);
	if (has(insn, "src1"))
		v.read[v.reads++] = operand_of(insn, "src1", "src1_blk", "src1_rep", blocks);
	if (insn->op == ASC_OP_VMLA || insn->op == ASC_OP_VAXPY)
		v.read[v.reads++] = v.write;
	if (insn->op >= ASC_OP_VCADD && insn->op <= ASC_OP_VCPADD) {
		v.write.blocks = 1;
		v.write.rep = field(insn, "dst_rep", 1) * size;
	}
	return v;
}

/* Blocks of the fullest group of banks among those that a repeat of COUNT operands has. */
static int64_t fullest(const lanes_of *o, unsigned count, int64_t repeat, const asc_machine *m)
{
	uint8_t load[64] = {0};
	int64_t most = 1;

	for (unsigned i = 0; i < count; i++)
		for (int64_t b = 0; b < (o[i].blk ? o[i].blocks : 1); b++) {
			int64_t row = (o[i].address + repeat * o[i].rep + b * o[i].blk) / m->ub_row_bytes;
			uint8_t *group = &load[row % MIN(m->ub_groups, (int64_t)sizeof(load))];

			++*group;
			most = MAX(most, *group);
		}
	return most;
}

/* Do the writes of one repeat and the reads of another use one bank? */
static bool clash(const vector_op *v, int64_t writing, int64_t reading, const asc_machine *m)
{
	uint64_t used[64] = {0};
	int64_t groups = MIN(m->ub_groups, 64);

	if (writing < 0 || m->ub_bank_ports > 1)
		return false;
	for (int64_t b = 0; b < v->write.blocks; b++) {
		int64_t at = v->write.address + writing * v->write.rep + b * v->write.blk;

		used[at / m->ub_row_bytes % groups] |= (uint64_t)1 << (at / m->ub_bank_interleave_bytes % 64);
	}
	for (unsigned i = 0; i < v->reads; i++)
		for (int64_t b = 0; b < (v->read[i].blk ? v->read[i].blocks : 1); b++) {
			int64_t at = v->read[i].address + reading * v->read[i].rep + b * v->read[i].blk;

			if (used[at / m->ub_row_bytes % groups] >> (at / m->ub_bank_interleave_bytes % 64) & 1)
				return true;
		}
	return false;
}

/* The first repeats stand for all. */
double ask_vector_cycles(const asc_insn *insn, const asb_mode *mode, const asc_machine *m)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);
	vector_op v = vector_of(insn, mode, m);
	int64_t wide = MAX(asc_type_bytes((enum asc_type)field(insn, "type", ASC_F16)),
	                   has(insn, "dtype") ? asc_type_bytes((enum asc_type)field(insn, "dtype", ASC_F16)) : 0);
	int64_t interval = wide > 2 ? m->timing[info->timing].b32 : m->timing[info->timing].b16;
	int64_t looked = MIN(v.repeats, LOOKED_AT), sum = 0, delay;

	if (insn->op == ASC_OP_VMRGSORT)
		v.repeats = div_up(v.repeats * 4 * field(insn, "length", 32), 128);
	if (v.repeats <= 0)
		return 0;
	if (!asb_masked((enum asc_op)insn->op) || insn->op == ASC_OP_VGATHER)
		return (double)(v.repeats * MAX(interval, 1));
	for (int64_t r = 0; r < looked; r++) {
		int64_t reads = div_up(v.reads ? fullest(v.read, v.reads, r, m) : 1, m->ub_read_ports);
		int64_t writes = div_up(fullest(&v.write, 1, r, m), m->ub_write_ports);
		int64_t cycles = MAX(MAX(reads, writes), MAX(interval, 1));

		/* The repeat that is written while this one is read; a pause of the unit hides the clash. */
		delay = div_up(m->ub_write_delay_cycles, cycles);
		if (cycles == reads && reads == 1 && interval <= 1 &&
		    clash(&v, r + LOOKED_AT - delay, r + LOOKED_AT, m))
			cycles++;
		sum += cycles;
	}
	return (double)sum * (double)v.repeats / (double)looked;
}
