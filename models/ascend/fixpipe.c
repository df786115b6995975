/* SPDX-License-Identifier: Apache-2.0
 *
 * The way out of L0C: to global memory, to L1 (FIX), on coupled cores to the unified buffer (vector pipe).
 *
 * Time: the accumulators leave in L0C's order at fix.elements_per_cycle, their bytes at the rate of the path; an
 * instruction is complete fix.start_cycles after its start at the earliest (measured: 1 KB and 5 KB take the same
 * time).  Global memory is written by the requests of mte_copy.c, rows of nz2nd as bursts.  With a unit flag each unit
 * leaves when mmad has marked it.
 *
 * Values: the accumulator (fp32 or int32), relu, scale, conversion; in this order each.  relu 2 multiplies what is
 * negative by the upper half of scale (fp32).  quant, as the hardware's codes: 0 none; 1 to fp16, 16 to bf16; 8, 9
 * int32 to int8; 10, 11 int32 to fp16; 12, 13 int32 to int16; 23, 24 fp32 to int8; the lower half of scale (fp32) is
 * the factor. Of each pair the hardware takes a factor for each column from a buffer in one; both take the one factor
 * here.  Factors are used with all their bits.  One rounding to fp32 after the multiplication, one to nearest even in
 * the conversion; integers saturate, NaN becomes 0; fp16 overflows to infinity.  int4 is not modelled.
 */
#include <math.h>

#include "isa/num.h"
#include "models/ascend/mte_int.h"
#include "models/ascend/ub.h"

static enum asc_space target(const asc_exec *x)
{
	switch ((enum asc_op)x->insn->op) {
	case ASC_OP_FIX_L1:
		return ASC_L1;
	case ASC_OP_L0C_TO_UB:
		return ASC_UB;
	default:
		return ASC_GM;
	}
}

/* Where the result's rows lie: nz2nd has m rows of n elements; without it each 32 bytes of columns (C0) have m rows,
 * and the next of them lie dst_pitch blocks further. */
typedef struct result {
	uint64_t size, row_bytes, row_pitch, group_pitch;
	int64_t rows, groups, group_columns;
} result;

static result result_of(const asc_exec *x)
{
	const int64_t *f = x->f;
	result r = {.size = asc_type_bytes((enum asc_type)f[FIX_DTYPE]), .rows = f[FIX_M], .groups = 1};

	if (f[FIX_NZ2ND]) {
		r.group_columns = f[FIX_N];
		r.row_bytes = (uint64_t)f[FIX_N] * r.size;
		r.row_pitch = (uint64_t)f[FIX_DST_PITCH] * r.size;
		return r;
	}
	r.group_columns = C0_BYTES / (int64_t)r.size;
	r.groups = mte_up(f[FIX_N], r.group_columns);
	r.row_bytes = r.row_pitch = C0_BYTES;
	r.group_pitch = (uint64_t)f[FIX_DST_PITCH] * C0_BYTES;
	return r;
}

/* Tick from which share PART of WHOLE of the accumulators, in L0C's order, may leave. */
static int64_t marked(const asc_mte *m, const asc_exec *x, int64_t part, int64_t whole)
{
	const int64_t *f = x->f;
	uint64_t column_bytes = (uint64_t)f[FIX_M] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES;
	uint64_t pitch = (uint64_t)f[FIX_SRC_STRIDE] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES;
	uint64_t all = column_bytes * (uint64_t)mte_up(f[FIX_N], L0C_FRACTAL_COLUMNS);
	uint64_t at = (uint64_t)((double)(all - 1) * (double)part / (double)MAX(whole, 1));

	if (!(f[FIX_UNIT_FLAG] & UNIT_OBEYS))
		return 0;
	return asc_cube_marked_at(m->cube, (uint64_t)f[FIX_SRC] + at / column_bytes * pitch + at % column_bytes);
}

/* The units were read evenly between two ticks. */
static void drain(asc_mte *m, const asc_exec *x, int64_t from, int64_t to)
{
	const int64_t *f = x->f;
	uint64_t unit = (uint64_t)m->machine->fix_unit_bytes;
	uint64_t column_bytes = (uint64_t)f[FIX_M] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES;
	uint64_t pitch = (uint64_t)f[FIX_SRC_STRIDE] * L0C_FRACTAL_COLUMNS * L0C_ELEMENT_BYTES;
	int64_t columns = mte_up(f[FIX_N], L0C_FRACTAL_COLUMNS), units = (int64_t)((column_bytes + unit - 1) / unit);

	if (!(f[FIX_UNIT_FLAG] & UNIT_OBEYS) || !(f[FIX_UNIT_FLAG] & UNIT_CHANGES))
		return;
	for (int64_t c = 0; c < columns; c++)
		for (int64_t u = 0; u < units; u++)
			asc_cube_drain(m->cube, (uint64_t)f[FIX_SRC] + (uint64_t)c * pitch + (uint64_t)u * unit,
			               from + (to - from) * (c * units + u + 1) / (columns * units));
}

/* The slowest of the path's bytes and the accumulators' rate, as bytes of the result a cycle. */
static int64_t out_rate(const asc_mte *m, const result *r, int64_t path)
{
	return MIN(path, m->machine->fix_elements_per_cycle * (int64_t)r->size);
}

static void to_memory(asc_mte *m, asc_exec *x, const result *r)
{
	mte_stream s = mte_stream_begin(m, x, true, out_rate(m, r, m->machine->fix_gm_bytes_per_cycle), 0);
	int64_t begin = s.issue, pieces = r->groups * r->rows, step = 1;

	/* Rows that touch go out together, as many as one request holds. */
	if (r->row_pitch == r->row_bytes && r->row_bytes < (uint64_t)s.largest)
		step = MIN(s.largest / (int64_t)r->row_bytes, r->rows);
	for (int64_t g = 0; g < r->groups; g++)
		for (int64_t row = 0; row < r->rows; row += step) {
			uint64_t at =
				(uint64_t)x->f[FIX_DST] + (uint64_t)g * r->group_pitch + (uint64_t)row * r->row_pitch;
			int64_t rows = MIN(step, r->rows - row), wait = marked(m, x, g * r->rows + row + rows, pieces);

			if (wait > s.issue)
				x->stall[ASC_STALL_FLAG] += (wait - s.issue) / ASC_TICKS;
			s.issue = MAX(s.issue, wait);
			mte_stream_bursts(&s, at, rows, r->row_bytes, r->row_pitch);
		}
	drain(m, x, begin, s.last);
	x->free = asc_cycles_up(s.last);
	x->done = asc_cycles_up(s.end);
}

static void to_local(asc_mte *m, asc_exec *x, const result *r, enum asc_space space)
{
	int64_t path = space == ASC_L1 ? m->machine->fix_l1_bytes_per_cycle : m->machine->fix_ub_bytes_per_cycle;
	int64_t pieces = r->groups * r->rows, at = asc_ticks(x->start), begin = at, end = x->start;
	int64_t ticks = asc_ticks_of(r->row_bytes, out_rate(m, r, path), 1);

	for (int64_t i = 0; i < pieces; i++) {
		uint64_t dst = (uint64_t)x->f[FIX_DST] + (uint64_t)(i / r->rows) * r->group_pitch +
		               (uint64_t)(i % r->rows) * r->row_pitch;
		int64_t wait = marked(m, x, i + 1, pieces), until;

		x->stall[ASC_STALL_FLAG] += MAX(wait - at, 0) / ASC_TICKS;
		at = MAX(at, wait);
		until = asc_cycles_up(at + ticks);
		if (space == ASC_L1)
			mte_l1_write(m, dst, r->row_bytes, at);
		else if (m->ub)
			until = asc_ub_copy(m->ub, true, dst, r->row_bytes, at / ASC_TICKS, until);
		end = MAX(end, until);
		at += ticks;
	}
	drain(m, x, begin, at);
	x->free = x->done = MAX(end, asc_cycles_up(at));
}

/* Rows that touch are one run. */
static void account(const asc_exec *x, const result *r, enum asc_space to)
{
	bool touch = r->row_pitch == r->row_bytes;
	uint64_t runs = (uint64_t)(touch ? r->groups : r->groups * r->rows);
	uint64_t bytes = touch ? r->row_bytes * (uint64_t)r->rows : r->row_bytes;
	asc_traffic *t = x->traffic;

	if (!t)
		return;
	if (to == ASC_UB) {
		t->mte_ub += runs * asc_requests(bytes, ASC_PMU_MTE_UB);
		return;
	}
	t->l0c_fix += runs * asc_requests(bytes, ASC_PMU_L0C_FIX);
	if (to == ASC_L1) {
		t->fix_l1 += runs * asc_requests(bytes, ASC_PMU_FIX_L1);
		t->l1_write += runs * asc_requests(bytes, ASC_PMU_L1_WRITE);
	}
}

static int64_t saturated(float v, double low, double high)
{
	double r = nearbyint((double)v);

	return isnan(v) ? 0 : (int64_t)CLAMP(r, low, high);
}

/* One accumulator, as the instruction converts it. */
static void convert(const asc_exec *x, const uint8_t *src, uint8_t *dst)
{
	const int64_t *f = x->f;
	bool whole = f[FIX_TYPE] == ASC_I32;
	float factor = num_bits_f32((uint32_t)f[FIX_SCALE]),
	      slope = num_bits_f32((uint32_t)((uint64_t)f[FIX_SCALE] >> 32)), v;
	uint32_t bits;
	int32_t s;

	memcpy(&bits, src, sizeof(bits));
	memcpy(&s, src, sizeof(s));
	if (whole && !f[FIX_QUANT]) {
		if (f[FIX_RELU] == 1)
			s = MAX(s, 0);
		memcpy(dst, &s, sizeof(s));
		return;
	}
	v = whole ? (float)s : num_bits_f32(bits);
	if (v < 0 && f[FIX_RELU])
		v = f[FIX_RELU] == 1 ? 0 : v * slope;
	switch (f[FIX_QUANT]) {
	case 8:
	case 9:
	case 23:
	case 24:
		*(int8_t *)dst = (int8_t)saturated(v * factor, INT8_MIN, INT8_MAX);
		break;
	case 12:
	case 13: {
		int16_t h = (int16_t)saturated(v * factor, INT16_MIN, INT16_MAX);

		memcpy(dst, &h, sizeof(h));
		break;
	}
	case 1:
	case 10:
	case 11: {
		num_f16 h = num_f32_to_f16(f[FIX_QUANT] == 1 ? v : v * factor);

		memcpy(dst, &h, sizeof(h));
		break;
	}
	case 16: {
		uint16_t h;

		bits = num_f32_bits(num_canonical(v));
		h = (uint16_t)(isnan(v) ? bits >> 16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
		memcpy(dst, &h, sizeof(h));
		break;
	}
	default:
		bits = num_f32_bits(num_canonical(v));
		memcpy(dst, &bits, sizeof(bits));
	}
}

void mte_fixpipe_values(asc_mte *m, const asc_exec *x, enum asc_space to)
{
	const int64_t *f = x->f;
	result r = result_of(x);

	for (int64_t g = 0; g < r.groups; g++)
		for (int64_t row = 0; row < r.rows; row++) {
			uint64_t at = (uint64_t)f[FIX_DST] + (uint64_t)g * r.group_pitch + (uint64_t)row * r.row_pitch;
			uint8_t *dst = asc_data_at(m->data, to, at, r.row_bytes);

			for (int64_t i = 0; dst && i < r.group_columns; i++) {
				int64_t column = g * r.group_columns + i;
				uint64_t from =
					(uint64_t)f[FIX_SRC] + ((uint64_t)(column / 16 * f[FIX_SRC_STRIDE] + row) * 16 +
				                                (uint64_t)(column % 16)) *
								       L0C_ELEMENT_BYTES;
				const uint8_t *src = column < mte_up(f[FIX_N], 16) * 16
				                             ? asc_data_at(m->data, ASC_L0C, from, L0C_ELEMENT_BYTES)
				                             : NULL;

				if (src)
					convert(x, src, dst + (uint64_t)i * r.size);
				else
					memset(dst + (uint64_t)i * r.size, 0, r.size);
			}
		}
}

void mte_fixpipe(asc_mte *m, asc_exec *x)
{
	enum asc_space to = target(x);
	result r = result_of(x);

	if (to == ASC_GM)
		to_memory(m, x, &r);
	else
		to_local(m, x, &r, to);
	if (to != ASC_UB)
		x->done = MAX(x->done, x->start + m->machine->fix_start_cycles);
	account(x, &r, to);
	x->bytes = (uint64_t)(r.groups * r.rows) * r.row_bytes;
	if (m->data)
		mte_fixpipe_values(m, x, to);
}
