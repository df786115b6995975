/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of one tile: operations on registers become instructions.
 *
 * Operands of one shape are a run of elements: as few instructions as repeats allow, in counter mode where the last
 * repeat is not full.  Other operands go row by row in one of three ways, whichever takes the fewest cycles: a repeat
 * is one row (or a repeat's worth of it) and the repeat stride leads to the next; a repeat is one block of each of
 * eight rows, the block stride leading from row to row; or each row is a run of its own.  A row that all share has
 * stride 0.
 */
#include "sched/emit/ascend/vector_int.h"

#include <string.h>

enum { BLOCK = 32, OPERANDS = 3, MASK_LANES = 128, BLOCKS = 8 };

int avk_field(enum asc_op op, const char *name)
{
	return asc_field_by_name(op, name);
}

void avk_set(asc_insn *insn, const char *name, int64_t value)
{
	int field = asc_field_by_name((enum asc_op)insn->op, name);

	g_assert(field >= 0);
	insn->f[field] = value;
}

unsigned avk_lanes_of(const asc_machine *machine, enum asc_type type, enum asc_type dtype)
{
	unsigned wide = MAX(asc_type_bytes(type), asc_type_bytes(dtype));

	return MIN((unsigned)machine->vector_bytes / wide, MASK_LANES);
}

void avk_mask_lanes(asb *b, asb_core core, uint64_t n)
{
	uint64_t low = n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
	uint64_t high = n >= 128 ? UINT64_MAX : n > 64 ? ((uint64_t)1 << (n - 64)) - 1 : 0;

	asb_mask(b, core, low, high);
}

uint32_t avk_cores(const asb *b)
{
	return asb_blocks(b) * asb_vectors(b);
}

asb_core avk_core(const asb *b, uint32_t i)
{
	return asb_vector(b, i / asb_vectors(b), i % asb_vectors(b));
}

/* ------------------------------------------------------------------------------------------------------ copies */

static int64_t most(enum asc_op op, const char *field)
{
	return asc_op(op)->field[asc_field_by_name(op, field)].max;
}

static void copy(asb *b, asb_core core, enum asc_op op, uint64_t dst, uint64_t src, uint64_t bursts, uint64_t bytes,
                 uint64_t src_gap, uint64_t dst_gap, uint64_t right)
{
	asc_insn insn = asc_insn_make(op);

	avk_set(&insn, "dst", (int64_t)dst);
	avk_set(&insn, "src", (int64_t)src);
	avk_set(&insn, "bursts", (int64_t)bursts);
	avk_set(&insn, "burst_bytes", (int64_t)bytes);
	avk_set(&insn, "src_gap", bursts > 1 ? (int64_t)src_gap : 0);
	avk_set(&insn, "dst_gap", bursts > 1 ? (int64_t)dst_gap : 0);
	avk_set(&insn, "right", (int64_t)right);
	asb_step(b, core, &insn);
}

void avk_copy_in(asb *b, asb_core core, uint64_t ub, uint64_t ub_pitch, uint64_t gm, uint64_t gm_pitch, uint64_t rows,
                 uint64_t bytes, uint64_t fill)
{
	uint64_t limit = (uint64_t)most(ASC_OP_GM_TO_UB, "bursts"), right = 0, local;

	if (fill > avk_up(bytes, BLOCK))
		right = MIN(fill - bytes, BLOCK);
	local = avk_up(bytes + right, BLOCK);
	if (gm_pitch == bytes && ub_pitch == bytes) {
		bytes *= rows;
		local = bytes;
		rows = 1;
	}
	for (uint64_t r = 0; r < rows; r += limit)
		copy(b, core, ASC_OP_GM_TO_UB, ub + r * ub_pitch, gm + r * gm_pitch, MIN(rows - r, limit), bytes,
		     gm_pitch - bytes, ub_pitch - local, right);
}

void avk_copy_out(asb *b, asb_core core, uint64_t gm, uint64_t gm_pitch, uint64_t ub, uint64_t ub_pitch, uint64_t rows,
                  uint64_t bytes)
{
	uint64_t limit = (uint64_t)most(ASC_OP_UB_TO_GM, "bursts");

	if (gm_pitch == bytes && ub_pitch == bytes) {
		bytes *= rows;
		rows = 1;
	}
	for (uint64_t r = 0; r < rows; r += limit)
		copy(b, core, ASC_OP_UB_TO_GM, gm + r * gm_pitch, ub + r * ub_pitch, MIN(rows - r, limit), bytes,
		     ub_pitch - avk_up(bytes, BLOCK), gm_pitch - bytes, 0);
}

/* ------------------------------------------------------------------------------------------------ instructions */

/* One operand of an instruction: where it begins and its strides, in bytes; element 0 of it is the result. */
typedef struct place {
	uint64_t at, unit, row;
	bool splat;
	unsigned bytes; /* of an element; 0: bits of a mask */
} place;

typedef struct shape {
	asb *b;
	const avk_program *p;
	const avk_op *o;
	const avk_tile *tile;
	place operand[OPERANDS]; /* destination, sources */
	unsigned operands;
	uint64_t mask;                /* address of vsel's bits */
	unsigned lanes;               /* of a repeat */
	uint64_t limit;               /* repeats of an instruction */
	uint64_t units, rows, length; /* length: elements of a row */
} shape;

static const char *const operand_names[2][OPERANDS][3] = {
	{{"dst", "dst_blk", "dst_rep"}, {"src", "src_blk", "src_rep"}, {NULL}},
	{{"dst", "dst_blk", "dst_rep"}, {"src0", "src0_blk", "src0_rep"}, {"src1", "src1_blk", "src1_rep"}}};

static const char *name_of(const shape *s, unsigned operand, unsigned what)
{
	return operand_names[s->operands == OPERANDS][operand][what];
}

static void put(const shape *s, const uint64_t *at, uint64_t repeat, const uint64_t *blk, const uint64_t *rep)
{
	const avk_op *o = s->o;
	asc_insn insn = asc_insn_make(o->op);

	avk_set(&insn, "type", o->type);
	avk_set(&insn, "repeat", (int64_t)repeat);
	for (unsigned i = 0; i < s->operands; i++) {
		avk_set(&insn, name_of(s, i, 0), (int64_t)at[i]);
		if (o->op == ASC_OP_VCMP && i == 0)
			continue;
		avk_set(&insn, name_of(s, i, 1), i && s->operand[i].splat ? 0 : (int64_t)blk[i]);
		avk_set(&insn, name_of(s, i, 2), i && s->operand[i].splat ? 0 : (int64_t)rep[i]);
	}
	if (o->op == ASC_OP_VCONV) {
		avk_set(&insn, "dtype", o->dtype);
		avk_set(&insn, "round", o->extra);
	} else if (o->op == ASC_OP_VCMP) {
		avk_set(&insn, "cond", o->extra);
	} else if (avk_field(o->op, "scalar") >= 0) {
		avk_set(&insn, "scalar", o->extra);
	}
	if (o->op == ASC_OP_VSEL)
		avk_set(&insn, "mask", (int64_t)(at[OPERANDS]));
	asb_step(s->b, s->tile->core, &insn);
}

/* N elements in a row, every operand OFFSET bytes times its place. */
static void put_run(const shape *s, const uint64_t *start, uint64_t n)
{
	uint64_t blk[OPERANDS], rep[OPERANDS], at[OPERANDS + 1], whole = n / s->lanes, limit = s->limit;

	for (unsigned i = 0; i < s->operands; i++) {
		blk[i] = 1;
		rep[i] = s->lanes * s->operand[i].bytes / BLOCK;
	}
	memcpy(at, start, s->operands * sizeof *at);
	at[OPERANDS] = s->mask;
	if (n % s->lanes) {
		if (n > s->lanes)
			asb_count(s->b, s->tile->core, (uint32_t)n);
		else
			avk_mask_lanes(s->b, s->tile->core, n);
		put(s, at, MIN((n + s->lanes - 1) / s->lanes, limit), blk, rep);
		return;
	}
	avk_mask_lanes(s->b, s->tile->core, MASK_LANES);
	/* Bits of a mask begin in whole blocks. */
	if (s->mask || s->o->op == ASC_OP_VCMP)
		limit -= limit % (BLOCK * 8 / s->lanes);
	for (uint64_t r = 0; r < whole; r += limit) {
		put(s, at, MIN(whole - r, limit), blk, rep);
		for (unsigned i = 0; i < s->operands; i++)
			if (!s->operand[i].splat)
				at[i] += limit * s->lanes * (s->operand[i].bytes ? s->operand[i].bytes * 8 : 1) / 8;
		at[OPERANDS] += limit * s->lanes / 8;
	}
}

/* Eight blocks of a row apart: cycles of a repeat by the fullest group. */
static uint64_t slope(const asc_machine *m, uint64_t stride)
{
	uint64_t groups = (uint64_t)m->ub_groups, common = groups;

	if (!stride) /* one block for all */
		return 1;
	while (stride % common)
		common /= 2;
	return BLOCKS / MIN((uint64_t)BLOCKS, groups / common);
}

static uint64_t at_least(const shape *s, uint64_t cycles)
{
	return MAX(cycles, (uint64_t)s->p->machine->vector_gap_cycles);
}

static bool strides_fit(const shape *s, unsigned what, uint64_t times)
{
	for (unsigned i = 0; i < s->operands; i++) {
		uint64_t stride = s->operand[i].row / BLOCK * times;

		if (s->operand[i].row % BLOCK || stride > (uint64_t)most(s->o->op, name_of(s, i, what)))
			return false;
	}
	return true;
}

/* Can a repeat be one block of eight rows? */
static bool by_blocks(const shape *s, uint64_t *cycles)
{
	uint64_t blocks, worst = 1;

	for (unsigned i = 0; i < s->operands; i++) {
		if (s->operand[i].bytes != s->operand[0].bytes)
			return false;
		worst = MAX(worst, slope(s->p->machine, s->operand[i].row / BLOCK));
	}
	if (s->length * s->operand[0].bytes % BLOCK || !strides_fit(s, 1, 1) || !strides_fit(s, 2, BLOCKS))
		return false;
	blocks = s->length * s->operand[0].bytes / BLOCK;
	*cycles = blocks * (at_least(s, s->rows / BLOCKS * worst) + (s->rows % BLOCKS ? at_least(s, 1) : 0));
	return true;
}

static void put_by_blocks(const shape *s, const uint64_t *start)
{
	uint64_t blocks = s->length * s->operand[0].bytes / BLOCK, blk[OPERANDS], rep[OPERANDS], at[OPERANDS + 1];
	uint64_t eights = s->rows / BLOCKS, rest = s->rows % BLOCKS;

	for (unsigned i = 0; i < s->operands; i++) {
		blk[i] = s->operand[i].row / BLOCK;
		rep[i] = blk[i] * BLOCKS;
	}
	for (uint64_t r = 0; r < eights + (rest > 0);) {
		uint64_t n = r < eights ? MIN(eights - r, s->limit) : 1;

		avk_mask_lanes(s->b, s->tile->core, r < eights ? MASK_LANES : rest * (BLOCK / s->operand[0].bytes));
		for (uint64_t k = 0; k < blocks; k++) {
			for (unsigned i = 0; i < s->operands; i++)
				at[i] = start[i] + (s->operand[i].splat ? 0 : r * rep[i] * BLOCK + k * BLOCK);
			put(s, at, n, blk, rep);
		}
		r += n;
	}
}

static uint64_t by_rows_cycles(const shape *s)
{
	uint64_t pieces = (s->length + s->lanes - 1) / s->lanes;

	return strides_fit(s, 2, 1) ? pieces * at_least(s, s->rows) : UINT64_MAX;
}

static void put_by_rows(const shape *s, const uint64_t *start)
{
	uint64_t blk[OPERANDS], rep[OPERANDS], at[OPERANDS + 1];

	for (unsigned i = 0; i < s->operands; i++) {
		blk[i] = 1;
		rep[i] = s->operand[i].row / BLOCK;
	}
	for (uint64_t lane = 0; lane < s->length; lane += s->lanes) {
		avk_mask_lanes(s->b, s->tile->core, s->length - lane >= s->lanes ? MASK_LANES : s->length - lane);
		for (uint64_t r = 0; r < s->rows; r += s->limit) {
			for (unsigned i = 0; i < s->operands; i++)
				at[i] = start[i] +
				        (s->operand[i].splat ? 0 : lane * s->operand[i].bytes + r * s->operand[i].row);
			put(s, at, MIN(s->rows - r, s->limit), blk, rep);
		}
	}
}

static void put_rows(const shape *s, const uint64_t *start)
{
	uint64_t rows = by_rows_cycles(s), blocks = UINT64_MAX, at[OPERANDS];
	uint64_t runs = s->rows * at_least(s, (s->length + s->lanes - 1) / s->lanes);

	if (!by_blocks(s, &blocks))
		blocks = UINT64_MAX;
	if (blocks < rows && blocks < runs) {
		put_by_blocks(s, start);
	} else if (rows <= runs) {
		put_by_rows(s, start);
	} else {
		for (uint64_t r = 0; r < s->rows; r++) {
			for (unsigned i = 0; i < s->operands; i++)
				at[i] = start[i] + r * s->operand[i].row;
			put_run(s, at, s->length);
		}
	}
}

/* ------------------------------------------------------------------------------------------------------ shapes */

static uint64_t address_of(const avk_program *p, const avk_tile *tile, uint32_t reg)
{
	const avk_reg *r = avk_reg_at(p, reg);

	return r->address + (r->once ? 0 : r->ring ? tile->ring : tile->base);
}

static place place_of(const shape *s, const avk_view *v, unsigned bytes, uint64_t lane)
{
	uint64_t row = s->tile->pitch * avk_reg_at(s->p, v->reg)->bits / 8;

	return (place){.at = address_of(s->p, s->tile, v->reg) + v->first * row + lane * bytes,
	               .unit = v->splat ? 0 : v->unit * row,
	               .row = v->splat ? 0 : v->row * row,
	               .splat = v->splat,
	               .bytes = avk_reg_at(s->p, v->reg)->bits == 1 ? 0 : bytes};
}

/* Every operand one row behind the other, through all units? */
static bool is_run(const shape *s)
{
	for (unsigned i = 0; i < s->operands; i++) {
		const place *q = &s->operand[i];

		if (!q->splat && q->bytes &&
		    ((s->rows > 1 && q->row != s->length * q->bytes) ||
		     (s->units > 1 && q->unit != s->rows * s->length * q->bytes)))
			return false;
	}
	return true;
}

/* Units whose rows follow one another in every operand are more rows; rows of which a unit has one are its units. */
static void merge_units(shape *s)
{
	bool follow = true;

	for (unsigned i = 0; i < s->operands; i++)
		follow = follow && s->operand[i].unit == s->rows * s->operand[i].row;
	if (s->rows == 1)
		for (unsigned i = 0; i < s->operands; i++)
			s->operand[i].row = s->operand[i].unit;
	else if (!follow)
		return;
	s->rows *= s->units;
	s->units = 1;
}

static void put_gather(const shape *s)
{
	const avk_op *o = s->o;
	uint64_t n = s->units * s->rows * s->tile->pitch, bytes = asc_type_bytes(o->type);

	for (uint64_t i = 0; i < n; i += s->lanes) {
		asc_insn insn = asc_insn_make(o->op);

		avk_mask_lanes(s->b, s->tile->core, n - i >= s->lanes ? MASK_LANES : n - i);
		avk_set(&insn, "type", o->type);
		avk_set(&insn, "dst", (int64_t)(address_of(s->p, s->tile, o->dst.reg) + i * bytes));
		avk_set(&insn, "offsets", (int64_t)address_of(s->p, s->tile, o->src[0].reg));
		avk_set(&insn, "base", (int64_t)(address_of(s->p, s->tile, o->src[1].reg) + i * bytes));
		asb_step(s->b, s->tile->core, &insn);
	}
}

/* Pieces of rows: all rows of all units are cut alike. */
static void fold(shape *s)
{
	const avk_op *o = s->o;

	s->rows *= s->units * (s->tile->pitch / o->fold);
	s->units = 1;
	s->length = o->fold / 2;
	for (unsigned i = 0; i < s->operands; i++)
		s->operand[i].row = o->fold * s->operand[i].bytes;
}

static void put_vector(asb *b, const avk_program *p, const avk_op *o, const avk_tile *tile)
{
	shape s = {.b = b, .p = p, .o = o, .tile = tile, .operands = 1 + o->srcs};
	unsigned bytes = asc_type_bytes(o->type);
	uint64_t start[OPERANDS], units;

	s.units = o->shared || o->once ? 1 : tile->units;
	s.rows = o->rows;
	s.lanes = avk_lanes_of(p->machine, o->type, o->dtype);
	if (o->op == ASC_OP_VGATHER) {
		put_gather(&s);
		return;
	}
	s.limit = (uint64_t)most(o->op, "repeat");
	s.length = tile->pitch;
	s.operand[0] = place_of(&s, &o->dst, asc_type_bytes(o->dtype), o->dst_lane);
	for (unsigned i = 0; i < o->srcs; i++)
		s.operand[1 + i] = place_of(&s, &o->src[i], bytes, o->src_lane);
	if (o->once) { /* a repeat */
		s.rows = 1;
		s.length = s.lanes;
	} else if (o->halves) {
		s.length = tile->pitch * avk_reg_at(p, o->dst.reg)->bits / 8 / bytes;
	}
	if (o->mask != AVK_NONE)
		s.mask = address_of(p, tile, o->mask);
	if (o->fold)
		fold(&s);
	for (unsigned i = 0; i < s.operands; i++)
		start[i] = s.operand[i].at;
	if (is_run(&s)) {
		put_run(&s, start, s.units * s.rows * s.length);
		return;
	}
	merge_units(&s);
	units = s.units;
	s.units = 1;
	for (uint64_t u = 0; u < units; u++) {
		for (unsigned i = 0; i < s.operands; i++)
			start[i] = s.operand[i].at + u * s.operand[i].unit;
		if (is_run(&s))
			put_run(&s, start, s.rows * s.length);
		else
			put_rows(&s, start);
	}
}

/* ------------------------------------------------------------------------------------------- global memory */

/* Padding beyond what a copy fills is zero: every lane of a register has a value. */
static void clear(asb *b, const avk_program *p, const avk_op *o, const avk_tile *tile)
{
	avk_op zero = {.kind = AVK_VECTOR,
	               .op = ASC_OP_VDUP,
	               .type = ASC_I16,
	               .dtype = ASC_I16,
	               .dst = o->dst,
	               .rows = o->rows,
	               .shared = o->shared,
	               .mask = AVK_NONE,
	               .halves = true};

	put_vector(b, p, &zero, tile);
}

static void put_load(asb *b, const avk_program *p, const avk_op *o, const avk_tile *tile)
{
	uint64_t ub = address_of(p, tile, o->dst.reg), pitch = tile->pitch * o->element_bytes;
	uint64_t bytes = tile->lanes * o->element_bytes, units = o->shared ? 1 : tile->units, rows = o->rows;
	uint64_t first = o->gm_first + (o->shared ? 0 : tile->unit * o->gm_unit), step = o->gm_row;

	if (o->once) {
		avk_copy_in(b, tile->core, ub, o->pitch_bytes, o->address, o->pitch_bytes, 1, o->pitch_bytes, 0);
		return;
	}
	if (pitch > avk_up(bytes + BLOCK, BLOCK))
		clear(b, p, o, tile);
	if (rows == 1)
		step = o->gm_unit;
	if (rows == 1 || o->gm_unit == rows * step) {
		rows *= units;
		units = 1;
	}
	for (uint64_t u = 0; u < units; u++)
		avk_copy_in(b, tile->core, ub + u * rows * pitch, pitch,
		            o->address + (first + u * o->gm_unit) * o->pitch_bytes + tile->lane * o->element_bytes,
		            rows > 1 ? step * o->pitch_bytes : bytes, rows, bytes, pitch);
}

static void put_store(asb *b, const avk_program *p, const avk_op *o, const avk_tile *tile)
{
	uint64_t row = tile->pitch * o->element_bytes, bytes = tile->lanes * o->element_bytes;
	uint64_t units = o->shared ? 1 : tile->units, rows = o->rows;
	uint64_t step = o->src[0].row, gm_step = o->gm_row, unit = o->src[0].unit;
	uint64_t ub = address_of(p, tile, o->src[0].reg) + o->src[0].first * row;
	uint64_t first = o->gm_first + (o->shared ? 0 : tile->unit * o->gm_unit);

	if (o->shared && tile->unit)
		return;
	if (rows == 1) {
		step = unit;
		gm_step = o->gm_unit;
	}
	if (rows == 1 || (unit == rows * step && o->gm_unit == rows * gm_step)) {
		rows *= units;
		units = 1;
	}
	for (uint64_t u = 0; u < units; u++)
		avk_copy_out(b, tile->core,
		             o->address + (first + u * o->gm_unit) * o->pitch_bytes + tile->lane * o->element_bytes,
		             rows > 1 ? gm_step * o->pitch_bytes : bytes, ub + u * unit * row,
		             rows > 1 ? step * row : avk_up(bytes, BLOCK), rows, bytes);
}

void avk_emit(asb *b, avk_program *p, const avk_tile *tile, bool first, bool loads)
{
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);

		if ((o->once && !first) || (o->kind == AVK_LOAD) != loads)
			continue;
		asb_node(b, avk_node_at(p->nodes, o->node)->n.name);
		switch (o->kind) {
		case AVK_LOAD:
			put_load(b, p, o, tile);
			break;
		case AVK_STORE:
			put_store(b, p, o, tile);
			break;
		default:
			put_vector(b, p, o, tile);
		}
	}
}
