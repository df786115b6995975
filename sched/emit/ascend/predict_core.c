/* SPDX-License-Identifier: Apache-2.0
 *
 * What the units of a sub-core share, predicted: units of L0C, which cube and way out hand to one another; halves of
 * L1, which copies that come in and loads of L0 use; ports of the unified buffer, links to memory.
 */
#include "sched/emit/ascend/predict_int.h"

#include <math.h>

#define TINY 1e-6 /* of a cycle: what rounding adds */

enum { BLOCK_BYTES = 32, SIDE = 16, SUM_BYTES = 4, OBEYS = 2, CHANGES = 1, READ = 0, WRITE = 1 };

/* A unit of L0C: complete and to be taken away, or free, from a time on; SINCE: who said so began. */
typedef struct unit {
	bool marked;
	double at, since;
} unit;

struct ask_core {
	const asc_machine *machine;
	ask_memory *memory;
	ask_vector *vector;
	ask_link link[2];
	ask_calendar *l1; /* [parts]: halves, or as many as a group has banks */
	int64_t parts;
	unit *unit;
	int64_t units;
};

static int64_t div_up(int64_t a, int64_t b)
{
	return (a + b - 1) / MAX(b, 1);
}

ask_core *ask_core_new(const asc_machine *machine, ask_memory *memory)
{
	ask_core *c = g_new0(ask_core, 1);

	c->machine = machine;
	c->memory = memory;
	c->vector = ask_vector_new(machine);
	c->parts = MAX(machine->l1_banks / machine->l1_groups, 1);
	c->l1 = g_new(ask_calendar, (gsize)c->parts);
	for (int64_t i = 0; i < c->parts; i++)
		ask_calendar_init(&c->l1[i]);
	c->units = MAX(div_up(machine->l0c_bytes, machine->fix_unit_bytes), 1);
	c->unit = g_new0(unit, (gsize)c->units);
	return c;
}

void ask_core_free(ask_core *c)
{
	ask_vector_free(c->vector);
	for (int64_t i = 0; i < c->parts; i++)
		ask_calendar_clear(&c->l1[i]);
	g_free(c->l1);
	g_free(c->link[READ].returns);
	g_free(c->link[WRITE].returns);
	g_free(c->unit);
	g_free(c);
}

double ask_core_link_busy(const ask_core *c, bool write)
{
	return c->link[write].busy;
}

/* ---- L1 ---- */

/* BYTES at ADDRESS, in whole rows of banks, from AT on; returns when they are through. */
static double l1_access(ask_core *c, bool write, int64_t address, int64_t bytes, double at)
{
	const asc_machine *m = c->machine;
	int64_t part = MIN(address / MAX(m->l1_bytes / c->parts, 1), c->parts - 1);
	int64_t rows = div_up(address % m->l1_row_bytes + bytes, m->l1_row_bytes);
	double rate = (double)(write ? m->l1_write_bytes_per_cycle : m->l1_read_bytes_per_cycle);

	return ask_calendar_take(&c->l1[part], at, ask_parts_up((double)(rows * m->l1_row_bytes) / rate), NULL);
}

/* Data come between two times, evenly, a request's worth at a time; they cannot wait. */
static void came_in(ask_core *c, int64_t address, int64_t bytes, double from, double to)
{
	int64_t each = c->machine->mte2_packet_bytes, pieces = div_up(bytes, each);

	for (int64_t i = 0; i < pieces; i++)
		l1_access(c, true, address + i * each, MIN(each, bytes - i * each),
		          from + ask_parts_down((to - from) * (double)i / (double)pieces));
}

/* A load of L0 reads L1 in the cycles that what comes in leaves. */
static double loaded(ask_core *c, const asc_insn *insn, double start)
{
	bool image = insn->op == ASC_OP_LOAD3D_A || insn->op == ASC_OP_LOAD3D_B;
	double read;

	for (int64_t i = 0; i < c->parts; i++)
		ask_calendar_forget(&c->l1[i], start);
	read = l1_access(c, false, insn->f[image ? 2 : 1], (int64_t)ask_load_bytes(insn), start);
	return ceil(MAX(start + ask_load_cycles(insn, c->machine), read) - TINY);
}

/* ---- copies ---- */

/* COUNT rows of BYTES of the unified buffer, whose data come or go between two times; returns when they have. */
static double through_buffer(ask_core *c, bool write, int64_t address, int64_t count, int64_t bytes, int64_t gap,
                             double from, double until)
{
	int64_t lies = div_up(bytes, BLOCK_BYTES) * BLOCK_BYTES, time = (int64_t)(until - from);
	double end = until;

	/* Rows that touch are one. */
	if (!gap) {
		lies *= count;
		count = 1;
	}
	for (int64_t i = 0; i < count; i++) {
		double over =
			ask_vector_copy(c->vector, write, (uint64_t)(address + i * (lies + gap)), (uint64_t)lies,
		                        from + (double)(time * i / count), from + (double)(time * (i + 1) / count));

		end = MAX(end, over);
	}
	return end;
}

/* Rows into fractals: columns of 32 bytes, each of all rows of a matrix, which come side by side. */
static ask_times fractals_in(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	const int64_t *f = insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[0]), pitch = f[6] * size;
	int64_t columns = div_up(f[5] * size, BLOCK_BYTES), column = f[7] * BLOCK_BYTES;
	ask_copy copy = ask_copy_begin(c->memory, &c->link[READ], false,
	                               start + (double)(m->mte2_start_cycles + m->mte2_nd2nz_cycles),
	                               (double)m->mte2_l1_bytes_per_cycle, 0);

	copy.past = !f[8];
	for (int64_t n = 0; n < f[3]; n++) {
		double from = copy.last;

		ask_copy_bursts(&copy, (uint64_t)(f[2] + n * f[4] * pitch), (uint64_t)f[4], (uint64_t)(f[5] * size),
		                (uint64_t)pitch);
		if (!n)
			from = MIN(copy.first, copy.last);
		for (int64_t i = 0; i < columns; i++)
			came_in(c, f[1] + (n * columns + i) * column, f[4] * BLOCK_BYTES, from, copy.last);
	}
	return (ask_times){start, ceil(copy.issue - TINY), ceil(copy.end - TINY), copy.first};
}

static ask_times copy_in(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	const int64_t *f = insn->f;
	bool ub = insn->op == ASC_OP_GM_TO_UB;
	ask_copy copy = ask_copy_begin(c->memory, &c->link[READ], false, start + (double)m->mte2_start_cycles,
	                               (double)(ub ? m->mte2_ub_bytes_per_cycle : m->mte2_l1_bytes_per_cycle),
	                               ub ? (double)m->mte2_ub_cycles : 0);
	int64_t lies = div_up(f[3] + f[6] + f[7], BLOCK_BYTES) * BLOCK_BYTES;
	double over = 0, last;

	copy.past = !f[9];
	ask_copy_bursts(&copy, (uint64_t)f[1], (uint64_t)f[2], (uint64_t)f[3], (uint64_t)(f[3] + f[4]));
	copy.first = MIN(copy.first, copy.last);
	last = ceil(copy.last - TINY);
	if (ub)
		over = through_buffer(c, true, f[0], f[2], f[3] + f[6] + f[7], f[5], floor(copy.first + TINY), last) -
		       last;
	for (int64_t i = 0; !ub && i < f[2]; i++)
		came_in(c, f[0] + i * (lies + f[5]), lies,
		        copy.first + ask_parts_down((copy.last - copy.first) * (double)i / (double)f[2]),
		        copy.first + ask_parts_down((copy.last - copy.first) * (double)(i + 1) / (double)f[2]));
	return (ask_times){start, ceil(copy.issue - TINY), ceil(copy.end - TINY) + over, copy.first};
}

static ask_times copy_out(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	const int64_t *f = insn->f;
	bool ub = insn->op == ASC_OP_UB_TO_GM;
	ask_copy copy = ask_copy_begin(c->memory, &c->link[WRITE], true, start + (double)m->mte3_start_cycles,
	                               (double)(ub ? m->mte3_gm_bytes_per_cycle : m->mte3_l1_gm_bytes_per_cycle),
	                               (double)m->mte3_response_cycles);
	int64_t lies = div_up(f[3], BLOCK_BYTES) * BLOCK_BYTES;
	double out, first, end;

	ask_copy_bursts(&copy, (uint64_t)f[0], (uint64_t)f[2], (uint64_t)f[3], (uint64_t)(f[3] + f[5]));
	end = out = ceil(copy.last - TINY);
	first = floor(MIN(copy.first, out) + TINY);
	if (ub)
		end = through_buffer(c, false, f[1], f[2], f[3], f[4], first, out);
	for (int64_t i = 0; !ub && i < f[2]; i++) {
		double at = first + (double)((int64_t)(out - first) * i / f[2]);
		double read = l1_access(c, false, f[1] + i * (lies + f[4]), lies, at);

		end = MAX(end, ceil(read - TINY));
	}
	return (ask_times){start, end, ceil(copy.end - TINY) + end - out, copy.first};
}

/* Unified buffer to L1, inside the core. */
static ask_times copy_across(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	const int64_t *f = insn->f;
	int64_t bytes = div_up(f[3], BLOCK_BYTES) * BLOCK_BYTES;
	double cycles = ask_parts_up((double)bytes / (double)m->mte3_ub_l1_bytes_per_cycle), end = start;

	for (int64_t i = 0; i < f[2]; i++) {
		double from = start + cycles * (double)i, to = from + cycles;
		double over = ask_vector_copy(c->vector, false, (uint64_t)(f[1] + i * (bytes + f[4])), (uint64_t)bytes,
		                              floor(from + TINY), ceil(to - TINY));

		end = MAX(end, over);
		came_in(c, f[0] + i * (bytes + f[5]), bytes, from, to);
	}
	return (ask_times){start, end, end, start};
}

/* ---- L0C ---- */

/* COLUMNS columns of fractals, each of BYTES, PITCH apart. */
typedef struct tile {
	int64_t address, columns, bytes, pitch;
} tile;

/* What a product makes; what a copy out takes. */
static tile tile_of(const asc_insn *insn)
{
	const int64_t *f = insn->f;
	int64_t fractal = SIDE * SIDE * SUM_BYTES, row = SIDE * SUM_BYTES;

	if (insn->op == ASC_OP_MMAD)
		return (tile){f[1], div_up(f[6], SIDE), div_up(f[4], SIDE) * fractal, div_up(f[4], SIDE) * fractal};
	return (tile){f[3], div_up(f[5], SIDE), f[4] * row, f[6] * row};
}

static int64_t unit_flag(const asc_insn *insn)
{
	switch ((enum asc_op)insn->op) {
	case ASC_OP_MMAD:
		return insn->f[9];
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		return insn->f[12];
	default:
		return 0;
	}
}

static unit *unit_at(const ask_core *c, int64_t address)
{
	return &c->unit[address / c->machine->fix_unit_bytes % c->units];
}

double ask_core_ready(const ask_core *c, const asc_insn *insn)
{
	bool marked = insn->op != ASC_OP_MMAD;
	double ready = 0;
	tile t;

	if (!(unit_flag(insn) & OBEYS))
		return 0;
	t = tile_of(insn);
	for (int64_t i = 0; i < t.columns; i++)
		for (int64_t at = 0; at < t.bytes; at += c->machine->fix_unit_bytes) {
			const unit *u = unit_at(c, t.address + i * t.pitch + at);

			if (u->marked != marked)
				return INFINITY;
			ready = MAX(ready, u->since + 1);
		}
	return ready;
}

static ask_times product_times(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	double block = ask_block_cycles(insn, m), steps = ask_product_cycles(insn, m), wait = 0;
	double begin = start + (double)m->cube_start_cycles;
	int64_t blocks = div_up(insn->f[4], m->cube_m) * div_up(insn->f[6], m->cube_n), flag = unit_flag(insn);
	int64_t fractals = div_up(insn->f[4], SIDE) * div_up(insn->f[6], SIDE), fractal = SIDE * SIDE * SUM_BYTES;

	if (steps <= 0)
		return (ask_times){start, start + 1, start + 1, start};
	/* It stands still before a fractal that is not yet drained. */
	for (int64_t i = 0; flag & OBEYS && i < fractals; i++) {
		double writes = begin + (double)(i * blocks / fractals) * block;
		double over = begin + (double)div_up((i + 1) * blocks, fractals) * block;

		for (int64_t at = 0; at < fractal; at += m->fix_unit_bytes) {
			unit *u = unit_at(c, insn->f[1] + i * fractal + at);

			wait = MAX(wait, ceil(u->at) - writes);
			if (flag & CHANGES)
				*u = (unit){true, over + wait, start};
		}
	}
	return (ask_times){start, start + wait + steps + (double)m->cube_gap_cycles, begin + wait + steps, start};
}

/* When share PART of WHOLE of what a copy takes out, in L0C's order, is complete. */
static double complete_at(const ask_core *c, const tile *t, int64_t part, int64_t whole)
{
	int64_t all = t->columns * t->bytes;
	int64_t at = (int64_t)((double)(all - 1) * (double)part / (double)MAX(whole, 1));

	return unit_at(c, t->address + at / t->bytes * t->pitch + at % t->bytes)->at;
}

/* The units leave evenly between two times; START: the copy began. */
static void take_away(ask_core *c, const tile *t, double start, double from, double to)
{
	int64_t each = div_up(t->bytes, c->machine->fix_unit_bytes), n = 0;

	for (int64_t i = 0; i < t->columns; i++)
		for (int64_t k = 0; k < each; k++)
			*unit_at(c, t->address + i * t->pitch + k * c->machine->fix_unit_bytes) =
				(unit){false, from + (to - from) * (double)++n / (double)(t->columns * each), start};
}

/* Rows of what leaves L0C: GROUPS groups of ROWS. */
typedef struct rows {
	int64_t groups, rows, bytes, pitch, group_pitch;
} rows;

static rows rows_of(const asc_insn *insn)
{
	const int64_t *f = insn->f;
	int64_t size = asc_type_bytes((enum asc_type)f[1]);

	if (f[11])
		return (rows){1, f[4], f[5] * size, f[7] * size, 0};
	return (rows){div_up(f[5], BLOCK_BYTES / size), f[4], BLOCK_BYTES, BLOCK_BYTES, f[7] * BLOCK_BYTES};
}

/* To global memory: rows that touch go together, as many as a request holds. */
static ask_times out_to_memory(ask_core *c, const asc_insn *insn, const rows *r, const tile *t, double rate,
                               double start)
{
	const asc_machine *m = c->machine;
	bool obeys = unit_flag(insn) & OBEYS;
	ask_copy copy = ask_copy_begin(c->memory, &c->link[WRITE], true, start,
	                               MIN(rate, (double)m->fix_gm_bytes_per_cycle), 0);
	int64_t step = 1;

	if (r->pitch == r->bytes && r->bytes < m->mte3_packet_bytes)
		step = MIN(m->mte3_packet_bytes / r->bytes, r->rows);
	for (int64_t g = 0; g < r->groups; g++)
		for (int64_t row = 0; row < r->rows; row += step) {
			int64_t count = MIN(step, r->rows - row);

			if (obeys)
				copy.issue = MAX(copy.issue,
				                 complete_at(c, t, g * r->rows + row + count, r->groups * r->rows));
			ask_copy_bursts(&copy, (uint64_t)(insn->f[2] + g * r->group_pitch + row * r->pitch),
			                (uint64_t)count, (uint64_t)r->bytes, (uint64_t)r->pitch);
		}
	return (ask_times){start, ceil(copy.last), ceil(copy.end), copy.last};
}

/* To a buffer of the core. */
static ask_times out_to_buffer(ask_core *c, const asc_insn *insn, const rows *r, const tile *t, double rate,
                               double start)
{
	const asc_machine *m = c->machine;
	bool obeys = unit_flag(insn) & OBEYS, ub = insn->op == ASC_OP_L0C_TO_UB;
	double cycles = ask_parts_up((double)r->bytes /
	                             MIN(rate, (double)(ub ? m->fix_ub_bytes_per_cycle : m->fix_l1_bytes_per_cycle)));
	double at = start, end = start, over;

	for (int64_t i = 0; i < r->groups * r->rows; i++) {
		uint64_t to = (uint64_t)(insn->f[2] + i / r->rows * r->group_pitch + i % r->rows * r->pitch);

		if (obeys)
			at = MAX(at, complete_at(c, t, i + 1, r->groups * r->rows));
		over = ceil(at + cycles - TINY);
		if (!ub)
			l1_access(c, true, (int64_t)to, r->bytes, at);
		else
			over = ask_vector_copy(c->vector, true, to, (uint64_t)r->bytes, floor(at), over);
		end = MAX(end, over);
		at += cycles;
	}
	return (ask_times){start, ceil(end), ceil(end), at};
}

static ask_times out_times(ask_core *c, const asc_insn *insn, double start)
{
	const asc_machine *m = c->machine;
	double rate = (double)(m->fix_elements_per_cycle * (int64_t)asc_type_bytes((enum asc_type)insn->f[1]));
	rows r = rows_of(insn);
	tile t = tile_of(insn);
	ask_times x = insn->op == ASC_OP_FIX_GM ? out_to_memory(c, insn, &r, &t, rate, start)
	                                        : out_to_buffer(c, insn, &r, &t, rate, start);

	if (unit_flag(insn) & OBEYS && unit_flag(insn) & CHANGES)
		take_away(c, &t, start, start, x.first);
	if (insn->op != ASC_OP_L0C_TO_UB)
		x.done = MAX(x.done, start + (double)m->fix_start_cycles);
	return x;
}

ask_times ask_core_times(ask_core *c, const asc_insn *insn, enum asc_pipe pipe, const asb_mode *mode, double start)
{
	ask_times x = {.start = start};

	switch (pipe) {
	case ASC_PIPE_M:
		return product_times(c, insn, start);
	case ASC_PIPE_MTE1:
		x.free = loaded(c, insn, start);
		x.done = x.free + (double)c->machine->mte1_start_cycles;
		return x;
	case ASC_PIPE_V:
		return insn->op == ASC_OP_L0C_TO_UB ? out_times(c, insn, start)
		                                    : ask_vector_times(c->vector, insn, mode, start);
	case ASC_PIPE_FIX:
		return out_times(c, insn, start);
	case ASC_PIPE_MTE2:
		return insn->op == ASC_OP_ND2NZ ? fractals_in(c, insn, start) : copy_in(c, insn, start);
	default:
		return insn->op == ASC_OP_UB_TO_L1 ? copy_across(c, insn, start) : copy_out(c, insn, start);
	}
}
