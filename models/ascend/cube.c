/* SPDX-License-Identifier: Apache-2.0
 *
 * The cube unit: time and values of mmad, and the unit flags of L0C.
 *
 * Time (Ascend C): ceil(m / 16) ceil(n / 16) ceil(k / cube_k) steps of a cycle (more where L0C's banks do not hold
 * a step's accumulators side by side), plus cube.gap_cycles until the next
 * mmad may start and cube.start_cycles until the result is complete.  Accumulating on the same block costs nothing
 * more. The steps of one 16 x 16 block of the result follow one another, blocks in L0C's order (ours; not published).
 *
 * Values: A in L0A as ZZ, B in L0B as ZN, C in L0C as NZ fractals.  Products of 16-bit operands are exact in fp32; each
 * is added to the sum in k order with one rounding to nearest even, fp32 operands with a fused multiply-add.  int8
 * products are added in int32, wrapping.  Results beyond m and n are not written.
 *
 * Unit flags: L0C is divided into units of fix.unit_bytes.  An mmad with flag 3 marks each unit when its block is
 * complete; a copy out waits for the mark unit by unit and takes it away; an mmad with flag 2 or 3 stands still before
 * it writes a unit that is not yet drained.  What L0A and L0B hold at the time is the race detector's business.
 */
#include <math.h>

#include "isa/num.h"
#include "models/ascend/cube_int.h"

typedef struct unit {
	bool marked;
	int64_t at; /* tick of the last change */
} unit;

struct asc_cube {
	const asc_machine *machine;
	asc_data *data;
	unit *unit;
	uint64_t units, unit_bytes;
};

asc_cube *asc_cube_new(const asc_machine *machine, asc_data *data)
{
	asc_cube *c = g_new0(asc_cube, 1);

	c->machine = machine;
	c->data = asc_data_functional(data) ? data : NULL;
	c->unit_bytes = (uint64_t)machine->fix_unit_bytes;
	c->units = ((uint64_t)machine->l0c_bytes + c->unit_bytes - 1) / c->unit_bytes;
	c->unit = g_new0(unit, c->units);
	return c;
}

void asc_cube_free(asc_cube *c)
{
	if (!c)
		return;
	g_free(c->unit);
	g_free(c);
}

static unit *unit_at(const asc_cube *c, uint64_t address)
{
	return &c->unit[address / c->unit_bytes % c->units];
}

int64_t asc_cube_marked_at(const asc_cube *c, uint64_t address)
{
	return unit_at(c, address)->at;
}

void asc_cube_drain(asc_cube *c, uint64_t address, int64_t at)
{
	*unit_at(c, address) = (unit){.marked = false, .at = at};
}

static int64_t up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* Are all units of ROWS blocks of each of COLUMNS columns, PITCH bytes apart, marked (or all not)? */
static bool all_units(const asc_cube *c, uint64_t address, int64_t columns, uint64_t bytes, uint64_t pitch, bool marked)
{
	for (int64_t column = 0; column < columns; column++, address += pitch)
		for (uint64_t at = address; at < address + bytes; at += c->unit_bytes)
			if (unit_at(c, at)->marked != marked)
				return false;
	return true;
}

bool asc_cube_unit_ready(const asc_cube *c, const asc_exec *x)
{
	const int64_t *f = x->f;

	switch ((enum asc_op)x->insn->op) {
	case ASC_OP_MMAD: {
		uint64_t bytes = (uint64_t)up(f[MMAD_M], L0C_FRACTAL_ROWS) * L0C_FRACTAL_BYTES;

		return !(f[MMAD_UNIT_FLAG] & UNIT_OBEYS) ||
		       all_units(c, (uint64_t)f[MMAD_C], up(f[MMAD_N], L0C_FRACTAL_COLUMNS), bytes, bytes, false);
	}
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		return !(f[FIX_UNIT_FLAG] & UNIT_OBEYS) ||
		       all_units(c, (uint64_t)f[FIX_SRC], up(f[FIX_N], L0C_FRACTAL_COLUMNS),
		                 (uint64_t)f[FIX_M] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES,
		                 (uint64_t)f[FIX_SRC_STRIDE] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES, true);
	default:
		return true;
	}
}

/* Cycles of a step: what L0C's banks need to read and write its accumulators. */
static int64_t step_cycles(const asc_machine *machine)
{
	int64_t bytes = machine->cube_m * machine->cube_n * L0C_ELEMENT_BYTES;

	return up(bytes, machine->l0c_banks * machine->l0c_row_bytes);
}

static int64_t step_k(const asc_machine *machine, enum asc_type type)
{
	if (type == ASC_F32)
		return MAX(machine->cube_f32_k, 1);
	return MAX(machine->cube_k_bytes / (int64_t)asc_type_bytes(type), 1);
}

/* Elements of a type in the 32 bytes of a fractal's row. */
static int64_t c0_of(enum asc_type type)
{
	enum { ROW_BYTES = 32 };

	return ROW_BYTES / (int64_t)asc_type_bytes(type);
}

typedef struct product {
	int64_t m, k, n, c0;
	unsigned bytes;
	enum asc_type type;
	const uint8_t *a, *b;
} product;

static float f16_or_bf16(const product *p, const uint8_t *at)
{
	uint16_t h;

	memcpy(&h, at, sizeof(h));
	return p->type == ASC_BF16 ? num_bits_f32((uint32_t)h << 16) : num_f16_to_f32(h);
}

static float element(const product *p, const uint8_t *at)
{
	float f;

	if (p->type != ASC_F32)
		return f16_or_bf16(p, at);
	memcpy(&f, at, sizeof(f));
	return f;
}

static const uint8_t *at_a(const product *p, int64_t row, int64_t k)
{
	int64_t fractal = row / 16 * up(p->k, p->c0) + k / p->c0;

	return p->a + fractal * 512 + row % 16 * 32 + k % p->c0 * p->bytes;
}

static const uint8_t *at_b(const product *p, int64_t k, int64_t column)
{
	int64_t fractal = k / p->c0 * up(p->n, 16) + column / 16;

	return p->b + fractal * 512 + column % 16 * 32 + k % p->c0 * p->bytes;
}

/* Columns of B as rows of floats, so that the inner loop runs along memory. */
static float *unpack(const product *p, bool of_a)
{
	int64_t rows = of_a ? p->m : p->n;
	float *out = g_new(float, MAX((size_t)(rows * p->k), 1));

	for (int64_t r = 0; r < rows; r++)
		for (int64_t k = 0; k < p->k; k++)
			out[r * p->k + k] = element(p, of_a ? at_a(p, r, k) : at_b(p, k, r));
	return out;
}

static float sum_f32(const product *p, const float *a, const float *b, float sum)
{
	if (p->type == ASC_F32) {
		for (int64_t k = 0; k < p->k; k++)
			sum = fmaf(a[k], b[k], sum);
	} else {
		for (int64_t k = 0; k < p->k; k++)
			sum += a[k] * b[k];
	}
	return num_canonical(sum);
}

static uint32_t sum_i8(const product *p, int64_t row, int64_t column, uint32_t sum)
{
	for (int64_t k = 0; k < p->k; k++) {
		const uint8_t *a = at_a(p, row, k), *b = at_b(p, k, column);
		int32_t left = p->type == ASC_U8 ? *a : (int8_t)*a, right = p->type == ASC_U8 ? *b : (int8_t)*b;

		sum += (uint32_t)(left * right);
	}
	return sum;
}

static void values(asc_cube *c, const asc_exec *x)
{
	const int64_t *f = x->f;
	product p = {.m = f[MMAD_M], .k = f[MMAD_K], .n = f[MMAD_N], .type = (enum asc_type)f[MMAD_TYPE]};
	int64_t blocks_m = up(p.m, 16), blocks_n = up(p.n, 16);
	uint8_t *out, *bias = NULL;
	float *a = NULL, *b = NULL;
	bool whole = p.type == ASC_I8 || p.type == ASC_U8;

	p.c0 = c0_of(p.type);
	p.bytes = asc_type_bytes(p.type);
	p.a = asc_data_at(c->data, ASC_L0A, (uint64_t)f[MMAD_A], (uint64_t)(blocks_m * up(p.k, p.c0)) * 512);
	p.b = asc_data_at(c->data, ASC_L0B, (uint64_t)f[MMAD_B], (uint64_t)(blocks_n * up(p.k, p.c0)) * 512);
	out = asc_data_at(c->data, ASC_L0C, (uint64_t)f[MMAD_C], (uint64_t)(blocks_m * blocks_n) * L0C_FRACTAL_BYTES);
	if (f[MMAD_INIT] == 2)
		bias = asc_data_at(c->data, ASC_BT, (uint64_t)f[MMAD_BIAS], (uint64_t)p.n * L0C_ELEMENT_BYTES);
	if (!p.a || !p.b || !out || (f[MMAD_INIT] == 2 && !bias))
		return;
	if (!whole) {
		a = unpack(&p, true);
		b = unpack(&p, false);
	}
	for (int64_t column = 0; column < p.n; column++)
		for (int64_t row = 0; row < p.m; row++) {
			uint8_t *at = out + (column / 16 * blocks_m + row / 16) * L0C_FRACTAL_BYTES + row % 16 * 64 +
			              column % 16 * 4;
			uint32_t sum = 0;

			if (f[MMAD_INIT] != 1)
				memcpy(&sum, f[MMAD_INIT] == 2 ? bias + column * L0C_ELEMENT_BYTES : at, sizeof(sum));
			sum = whole ? sum_i8(&p, row, column, sum)
			            : num_f32_bits(sum_f32(&p, a + row * p.k, b + column * p.k, num_bits_f32(sum)));
			memcpy(at, &sum, sizeof(sum));
		}
	g_free(a);
	g_free(b);
}

/* Cycles the mmad stands still for units that are not drained yet, and the marks of its own units.  Fractals of the
 * result follow one another as blocks do, which are as large where the cube is 16 x 16. */
static int64_t obey_units(asc_cube *c, const asc_exec *x, int64_t blocks, int64_t steps)
{
	int64_t fractals = up(x->f[MMAD_M], L0C_FRACTAL_ROWS) * up(x->f[MMAD_N], L0C_FRACTAL_COLUMNS), wait = 0;
	uint64_t address = (uint64_t)x->f[MMAD_C];

	if (!(x->f[MMAD_UNIT_FLAG] & UNIT_OBEYS))
		return 0;
	for (int64_t i = 0; i < fractals; i++, address += L0C_FRACTAL_BYTES) {
		/* Its first sum arrives in L0C start_cycles after its block's first step. */
		int64_t begin = x->start + c->machine->cube_start_cycles;
		int64_t writes = begin + i * blocks / fractals * steps;
		int64_t over = begin + up((i + 1) * blocks, fractals) * steps;

		for (uint64_t at = address; at < address + L0C_FRACTAL_BYTES; at += c->unit_bytes) {
			unit *u = unit_at(c, at);

			wait = MAX(wait, asc_cycles_up(u->at) - writes);
			if (x->f[MMAD_UNIT_FLAG] & UNIT_CHANGES)
				*u = (unit){.marked = true, .at = asc_ticks(over + wait)};
		}
	}
	return wait;
}

/* A step reads a fractal of A and of B, half of one where its operands are fp32; a block that begins at zero or with a
 * bias is not read in its first step. */
static void account(const asc_exec *x, uint64_t blocks, uint64_t steps, uint64_t operand_bytes)
{
	asc_traffic *t = x->traffic;
	enum asc_type type = (enum asc_type)x->f[MMAD_TYPE];
	bool whole = type == ASC_I8 || type == ASC_U8;

	if (!t)
		return;
	*(whole ? &t->cube_int : &t->cube_fp) += blocks * steps;
	t->l0a_read += asc_requests(blocks * steps * operand_bytes, ASC_PMU_L0A_READ);
	t->l0b_read += asc_requests(blocks * steps * operand_bytes, ASC_PMU_L0B_READ);
	t->l0c_read += blocks * (x->f[MMAD_INIT] ? steps - 1 : steps);
	t->l0c_write += blocks * steps;
}

void asc_cube_execute(asc_cube *c, asc_exec *x)
{
	const asc_machine *machine = c->machine;
	const int64_t *f = x->f;
	int64_t blocks = up(f[MMAD_M], machine->cube_m) * up(f[MMAD_N], machine->cube_n);
	int64_t steps = up(f[MMAD_K], step_k(machine, (enum asc_type)f[MMAD_TYPE])) * step_cycles(machine);
	int64_t wait;

	if (blocks * steps == 0) {
		x->free = x->done = x->start + 1;
		return;
	}
	wait = obey_units(c, x, blocks, steps);
	x->stall[ASC_STALL_FLAG] += wait;
	x->free = x->start + wait + blocks * steps + machine->cube_gap_cycles;
	x->done = x->start + wait + blocks * steps + machine->cube_start_cycles;
	x->work = (uint64_t)f[MMAD_M] * (uint64_t)f[MMAD_K] * (uint64_t)f[MMAD_N];
	account(x, (uint64_t)blocks, (uint64_t)steps,
	        (uint64_t)(machine->cube_m * step_k(machine, (enum asc_type)f[MMAD_TYPE])) *
	                asc_type_bytes((enum asc_type)f[MMAD_TYPE]));
	if (c->data)
		values(c, x);
}
