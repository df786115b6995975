/* SPDX-License-Identifier: Apache-2.0
 *
 * Copy engines of a sub-core: which instruction is whose, and MTE1, L1 to L0A, L0B and the bias table.
 *
 * load2d (measured by repeats): bytes at the path's rate and a fixed part, not closer than mte1.gap_cycles.  load3d
 * (Ascend C): bytes at a rate that falls with the rows of the filter it touches and with the stride.  The result is
 * complete mte1.start_cycles after the pipe is free again.
 *
 * L1 has an upper and a lower half (the topmost address bit is a bank bit), or as many parts as a group has banks; each
 * reads or writes its groups of banks once a cycle, in whole rows.  Writes that arrive from outside cannot wait and
 * take their cycles; loads of L0 use those left. A write that was asked for after a load is not charged to it.
 */
#include "models/ascend/mte_int.h"

asc_mte *asc_mte_new(const asc_machine *machine, unsigned core, asc_memory *memory, asc_ub *ub, asc_cube *cube,
                     asc_data *data)
{
	asc_mte *m = g_new0(asc_mte, 1);

	m->machine = machine;
	m->core = core;
	m->memory = memory;
	m->ub = ub;
	m->cube = cube;
	m->data = asc_data_functional(data) ? data : NULL;
	m->limit = (unsigned)machine->mte2_outstanding;
	for (unsigned i = 0; i < MTE_WAYS; i++)
		m->way[i].returns = g_new0(int64_t, m->limit);
	m->l1_parts = (unsigned)MAX(machine->l1_banks / machine->l1_groups, 1);
	m->l1 = g_new(asc_calendar, m->l1_parts);
	for (unsigned i = 0; i < m->l1_parts; i++)
		asc_calendar_init(&m->l1[i]);
	return m;
}

void asc_mte_free(asc_mte *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < MTE_WAYS; i++)
		g_free(m->way[i].returns);
	for (unsigned i = 0; i < m->l1_parts; i++)
		asc_calendar_clear(&m->l1[i]);
	g_free(m->l1);
	g_free(m);
}

static asc_calendar *part_of(asc_mte *m, uint64_t address)
{
	uint64_t bytes = (uint64_t)m->machine->l1_bytes / m->l1_parts;

	return &m->l1[MIN(address / bytes, m->l1_parts - 1)];
}

/* Of the whole rows that BYTES at ADDRESS lie in. */
static int64_t row_ticks(const asc_mte *m, uint64_t address, uint64_t bytes, int64_t rate)
{
	uint64_t row = (uint64_t)m->machine->l1_row_bytes, lead = address % row;

	return asc_ticks_of((lead + bytes + row - 1) / row * row, rate, 1);
}

void mte_l1_write(asc_mte *m, uint64_t address, uint64_t bytes, int64_t at)
{
	asc_calendar_book(part_of(m, address), at, row_ticks(m, address, bytes, m->machine->l1_write_bytes_per_cycle),
	                  NULL);
}

int64_t mte_l1_read(asc_mte *m, uint64_t address, uint64_t bytes, int64_t at)
{
	return asc_calendar_book(part_of(m, address), at,
	                         row_ticks(m, address, bytes, m->machine->l1_read_bytes_per_cycle), NULL);
}

/* Ends a load of BYTES from SRC that takes TICKS of the path. */
static void finish_load(asc_mte *m, asc_exec *x, uint64_t src, uint64_t bytes, int64_t ticks)
{
	int64_t start = asc_ticks(x->start), path = MAX(ticks, asc_ticks(m->machine->mte1_gap_cycles));
	int64_t read = mte_l1_read(m, src, bytes, start);

	x->bytes = bytes;
	if (x->traffic) {
		enum asc_op op = (enum asc_op)x->insn->op;

		x->traffic->l1_read += asc_requests(bytes, ASC_PMU_L1_READ);
		if (op == ASC_OP_LOAD2D_A || op == ASC_OP_LOAD3D_A)
			x->traffic->l0a_write += asc_requests(bytes, ASC_PMU_L0A_WRITE);
		else if (op == ASC_OP_LOAD2D_B || op == ASC_OP_LOAD3D_B)
			x->traffic->l0b_write += asc_requests(bytes, ASC_PMU_L0B_WRITE);
	}
	x->stall[ASC_STALL_BANK] += MAX(asc_cycles_up(read) - asc_cycles_up(start + path), 0);
	x->free = asc_cycles_up(MAX(start + path, read));
	x->done = x->free + m->machine->mte1_start_cycles;
}

static void load2d(asc_mte *m, asc_exec *x, bool b)
{
	const asc_machine *machine = m->machine;
	uint64_t bytes = (uint64_t)x->f[LOAD2D_REPEAT] * FRACTAL_BYTES;
	int64_t rate = b ? machine->mte1_l0b_bytes_per_cycle : machine->mte1_l0a_bytes_per_cycle;
	int64_t fixed = b ? machine->mte1_l0b_fixed_cycles : machine->mte1_l0a_fixed_cycles;

	finish_load(m, x, (uint64_t)x->f[LOAD2D_SRC], bytes, asc_ticks(fixed) + asc_ticks_of(bytes, rate, 1));
	if (m->data)
		mte_load2d_values(m, x, b ? ASC_L0B : ASC_L0A);
}

/* Rows of the filter that a range of K touches: K runs over columns of the filter, rows, groups of C0 channels. */
static int64_t filter_rows(const asc_exec *x)
{
	int64_t c0 = C0_BYTES / (int64_t)asc_type_bytes((enum asc_type)x->f[LOAD3D_TYPE]);
	int64_t wide = (x->f[LOAD3D_KERNEL] & 0xff) * c0, high = x->f[LOAD3D_KERNEL] >> 8 & 0xff;
	int64_t first = x->f[LOAD3D_K_START] / MAX(wide, 1);
	int64_t last = (x->f[LOAD3D_K_START] + x->f[LOAD3D_K_EXTENT] - 1) / MAX(wide, 1);

	return MIN(last - first + 1, MAX(high, 1));
}

/* A step moves mte1.load3d_bytes in so many cycles: twice the stride, more into L0B, more where several rows of the
 * filter are touched.  Strides that are no power of two up to 8 take the slowest path. */
static int64_t load3d_ticks(const asc_machine *machine, const asc_exec *x, uint64_t bytes, bool b)
{
	int64_t rows = filter_rows(x), stride = x->f[LOAD3D_STRIDE] & 0xff;
	int64_t cycles = 2 * stride + (b ? machine->mte1_load3d_l0b_cycles : 0) + (rows > 1 ? rows : 0);
	int64_t slowest = machine->mte1_load3d_least_bytes_per_cycle;

	if (stride != 1 && stride != 2 && stride != 4 && stride != 8)
		return asc_ticks_of(bytes, b ? machine->mte1_load3d_l0b_other_bytes_per_cycle : slowest, 1);
	if (stride > 1 && cycles * slowest > machine->mte1_load3d_bytes)
		return asc_ticks_of(bytes, slowest, 1);
	return asc_ticks_of(bytes, machine->mte1_load3d_bytes, cycles);
}

static void load3d(asc_mte *m, asc_exec *x, bool b)
{
	const int64_t *f = x->f;
	int64_t c0 = C0_BYTES / (int64_t)asc_type_bytes((enum asc_type)f[LOAD3D_TYPE]);
	uint64_t bytes =
		(uint64_t)(mte_up(f[LOAD3D_M_EXTENT], FRACTAL_ROWS) * mte_up(f[LOAD3D_K_EXTENT], c0)) * FRACTAL_BYTES;

	finish_load(m, x, (uint64_t)f[LOAD3D_SRC], bytes, load3d_ticks(m->machine, x, bytes, b));
	if (m->data)
		mte_load3d_values(m, x, b ? ASC_L0B : ASC_L0A);
}

static void load_bias(asc_mte *m, asc_exec *x)
{
	uint64_t bytes = (uint64_t)x->f[COPY_BURSTS] * (uint64_t)x->f[COPY_BURST_BYTES];

	finish_load(m, x, (uint64_t)x->f[COPY_SRC], bytes, asc_ticks_of(bytes, m->machine->mte1_bt_bytes_per_cycle, 1));
	if (m->data)
		mte_copy_values(m, x, ASC_L1, ASC_BT);
}

void asc_mte_execute(asc_mte *m, asc_exec *x)
{
	enum asc_op op = (enum asc_op)x->insn->op;

	if (m->memory)
		asc_memory_advance(m->memory, asc_ticks(x->start));
	for (unsigned i = 0; i < m->l1_parts; i++)
		asc_calendar_advance(&m->l1[i], asc_ticks(x->start));
	switch (op) {
	case ASC_OP_LOAD2D_A:
	case ASC_OP_LOAD2D_B:
		load2d(m, x, op == ASC_OP_LOAD2D_B);
		break;
	case ASC_OP_LOAD3D_A:
	case ASC_OP_LOAD3D_B:
		load3d(m, x, op == ASC_OP_LOAD3D_B);
		break;
	case ASC_OP_L1_TO_BT:
		load_bias(m, x);
		break;
	case ASC_OP_ND2NZ:
		mte_nd2nz(m, x);
		break;
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		mte_fixpipe(m, x);
		break;
	default:
		mte_copy(m, x);
	}
	x->free = MAX(x->free, x->start + 1);
	x->done = MAX(x->done, x->free);
}
