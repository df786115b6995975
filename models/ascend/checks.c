/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tables say about an instruction, asked again of the values that registers gave it: sub-core, limits, flags;
 * alignment, extents of buffers, overlap of source and destination within a repeat; and, in functional mode, whether
 * somebody has written what it reads.
 */
#include "models/ascend/front_int.h"

static const asc_who nobody = {.stream = UINT32_MAX, .insn = UINT32_MAX};

unsigned asc_register_fields(enum asc_op op)
{
	static uint16_t fields[ASC_OP_COUNT];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (unsigned o = 0; o < ASC_OP_COUNT; o++)
			for (unsigned n = 0; n < asc_op((enum asc_op)o)->fields; n++)
				fields[o] |= (uint16_t)(asc_field_is_register(asc_op((enum asc_op)o), n) << n);
		g_once_init_leave(&ready, 1);
	}
	return fields[op];
}

static bool values_fit(const asc_insn *insn, const asc_op_info *info, const int64_t *f)
{
	for (unsigned left = insn->regs | asc_register_fields((enum asc_op)insn->op); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (info->field[i].value != ASC_VALUE_ADDRESS &&
		    (f[i] < info->field[i].min || f[i] > info->field[i].max ||
		     !asc_packed_fits((enum asc_op)insn->op, i, f[i])))
			return false;
	}
	return true;
}

static bool is_legal(const asc_subcore *s, const asc_insn *insn, const int64_t *f)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	if (!(info->cores >> s->kind & 1) || !values_fit(insn, info, f))
		return false;
	switch (insn->op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_WAITFLAG:
		return asc_flag_valid(s, f);
	case ASC_OP_BARRIER:
		return f[0] > ASC_PIPE_S && f[0] <= (int64_t)ASC_PIPE_ALL;
	case ASC_OP_SETCROSS:
		return f[0] >= 0 && f[0] < ASC_PIPES && asc_cross_valid(s, f[1], f[2]);
	case ASC_OP_WAITCROSS:
		return asc_cross_valid(s, s->kind == ASC_CUBE ? 4 : 0, f[1]);
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		return asc_fixpipe_types(f[asc_field_by_name((enum asc_op)insn->op, "quant")], (enum asc_type)f[0],
		                         (enum asc_type)f[1]);
	case ASC_OP_LDG:
	case ASC_OP_STG:
		return f[2] >= 1 && f[2] <= 8;
	case ASC_OP_JUMP:
		return f[0] >= 0;
	case ASC_OP_BEQ:
	case ASC_OP_BNE:
	case ASC_OP_BLT:
	case ASC_OP_BGE:
		return f[2] >= 0;
	default:
		return true;
	}
}

bool asc_check_push(asc_subcore *s, const asc_insn *insn, uint32_t number, const int64_t *f, int64_t time)
{
	if (is_legal(s, insn, f))
		return true;
	asc_violate(s, ASC_FINDING_ILLEGAL, time, number, nobody);
	return false;
}

static void place(asc_subcore *s, enum asc_finding kind, const asc_entry *e, int64_t now, enum asc_space space,
                  uint64_t address, uint64_t bytes)
{
	asc_violation v = {.kind = kind,
	                   .cycle = now,
	                   .core = s->core,
	                   .sub = s->sub,
	                   .stream = s->stream_index,
	                   .insn = e->insn,
	                   .other_stream = UINT32_MAX,
	                   .other_insn = UINT32_MAX,
	                   .space = space,
	                   .address = address,
	                   .bytes = bytes};

	asc_violate_at(s, v);
}

static void check_alignment(asc_subcore *s, const asc_entry *e, int64_t now)
{
	const asc_op_info *info = e->x.info;

	for (unsigned i = 0; i < info->fields; i++) {
		const asc_field_info *field = &info->field[i];

		if (field->value == ASC_VALUE_ADDRESS &&
		    e->x.f[i] % asc_alignment((enum asc_op)e->x.insn->op, i, e->x.f, 0))
			place(s, ASC_FINDING_ALIGNMENT, e, now, field->space, (uint64_t)e->x.f[i], 0);
	}
}

static bool check_extents(asc_subcore *s, const asc_entry *e, const asc_range *ranges, unsigned count, int64_t now)
{
	bool fits = true;

	for (unsigned i = 0; i < count; i++) {
		uint64_t limit = (uint64_t)asc_space_bytes(s->chip->machine, ranges[i].space);
		asc_box box;

		if (!asc_box_make(&box, &ranges[i]))
			continue;
		if (box.low <= box.high && box.high <= limit &&
		    (!asc_data_functional(s->data) ||
		     asc_data_at(s->data, ranges[i].space, box.low, box.high - box.low)))
			continue;
		place(s, ASC_FINDING_ADDRESS_RANGE, e, now, ranges[i].space, box.low, box.high - box.low);
		fits = false;
	}
	return fits;
}

/* Positions of an operand's fields in f. */
typedef struct operand {
	int address, block, repeat;
} operand;

/* Blocks of a repeat up to the last lane that is on. */
static int64_t active_blocks(const asc_machine *m, const asc_entry *e)
{
	enum { WORD = 64 };
	int type = asc_field_by_name((enum asc_op)e->x.insn->op, "type");
	int64_t lane_bytes = asc_type_bytes((enum asc_type)e->x.f[type]),
		lanes = MIN(m->vector_bytes / lane_bytes, 2 * WORD);

	while (lanes > 0 && !(e->x.mask[(lanes - 1) / WORD] >> ((lanes - 1) % WORD) & 1))
		lanes--;
	return (lanes * lane_bytes + m->ub_row_bytes - 1) / m->ub_row_bytes;
}

static void check_overlap(asc_subcore *s, const asc_entry *e, const operand *dst, const operand *src, int repeat,
                          int64_t now)
{
	const asc_machine *m = s->chip->machine;
	const int64_t *f = e->x.f;
	int64_t row = m->ub_row_bytes, blocks = active_blocks(m, e);
	int64_t repeats = f[dst->repeat] == f[src->repeat] ? MIN(f[repeat], 1) : f[repeat];

	for (int64_t r = 0; r < repeats; r++) {
		asc_range to = {ASC_UB,
		                true,
		                (uint64_t)(f[dst->address] + r * f[dst->repeat] * row),
		                (uint64_t)row,
		                (uint32_t)blocks,
		                f[dst->block] * row};
		asc_range from = {ASC_UB,
		                  false,
		                  (uint64_t)(f[src->address] + r * f[src->repeat] * row),
		                  (uint64_t)row,
		                  (uint32_t)blocks,
		                  f[src->block] * row};
		asc_box a, b;
		uint64_t address, bytes;

		if (to.address == from.address && to.pitch == from.pitch)
			continue;
		if (!asc_box_make(&a, &to) || !asc_box_make(&b, &from) || !asc_box_overlap(&a, &b, &address, &bytes))
			continue;
		place(s, ASC_FINDING_OVERLAP, e, now, ASC_UB, address, bytes);
		return;
	}
}

enum { SOURCES = 3 };

/* Instructions whose operands are blocks by repeats, with elements of one size on both sides. */
typedef struct overlapping {
	int repeat;
	operand dst, src[SOURCES];
	unsigned sources;
} overlapping;

static const overlapping *overlapping_of(enum asc_op op)
{
	static const char *const names[SOURCES][3] = {
		{"src", "src_blk", "src_rep"}, {"src0", "src0_blk", "src0_rep"}, {"src1", "src1_blk", "src1_rep"}};
	static overlapping table[ASC_OP_COUNT];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (unsigned i = 0; i < ASC_OP_COUNT; i++) {
			enum asc_op o = (enum asc_op)i;
			overlapping *t = &table[i];

			t->repeat = asc_field_by_name(o, "repeat");
			t->dst = (operand){asc_field_by_name(o, "dst"), asc_field_by_name(o, "dst_blk"),
			                   asc_field_by_name(o, "dst_rep")};
			if (asc_op(o)->pipe != ASC_PIPE_V || o == ASC_OP_VBRCB || o == ASC_OP_L0C_TO_UB ||
			    asc_field_by_name(o, "dtype") >= 0 || t->dst.block < 0)
				continue;
			for (unsigned n = 0; n < SOURCES; n++) {
				operand src = {asc_field_by_name(o, names[n][0]), asc_field_by_name(o, names[n][1]),
				               asc_field_by_name(o, names[n][2])};

				if (src.address >= 0 && src.block >= 0 && src.repeat >= 0)
					t->src[t->sources++] = src;
			}
		}
		g_once_init_leave(&ready, 1);
	}
	return &table[op];
}

static void check_overlaps(asc_subcore *s, const asc_entry *e, int64_t now)
{
	const overlapping *t = overlapping_of((enum asc_op)e->x.insn->op);

	for (unsigned i = 0; !e->x.counter_mode && i < t->sources; i++)
		check_overlap(s, e, &t->dst, &t->src[i], t->repeat, now);
}

static void check_written(asc_subcore *s, const asc_entry *e, const asc_range *range, int64_t now)
{
	asc_box box;

	if (!asc_box_make(&box, range))
		return;
	for (uint32_t i = 0; i < box.count; i++) {
		uint64_t first;

		if (asc_data_written(s->data, range->space, box.low + i * box.pitch, box.bytes, &first))
			continue;
		place(s, ASC_FINDING_UNINITIALISED, e, now, range->space, first, 1);
		return;
	}
}

static void mark_written(asc_subcore *s, const asc_range *range)
{
	asc_box box;

	if (!asc_box_make(&box, range))
		return;
	for (uint32_t i = 0; i < box.count; i++)
		asc_data_mark(s->data, range->space, box.low + i * box.pitch, box.bytes);
}

bool asc_check_access(asc_subcore *s, const asc_entry *e, const asc_range *ranges, unsigned count, unsigned gathered,
                      int64_t now)
{
	uint64_t first;

	check_alignment(s, e, now);
	if (!check_extents(s, e, ranges, count, now))
		return false;
	if (e->x.info->pipe == ASC_PIPE_V)
		check_overlaps(s, e, now);
	if (!asc_data_functional(s->data))
		return true;
	for (unsigned i = 0; i < count - gathered; i++)
		if (!ranges[i].write)
			check_written(s, e, &ranges[i], now);
	if (gathered && !asc_gathered_written(&e->x, s->chip->machine, s->data, &first))
		place(s, ASC_FINDING_UNINITIALISED, e, now, ASC_UB, first, 1);
	for (unsigned i = 0; i < count; i++)
		if (ranges[i].write)
			mark_written(s, &ranges[i]);
	return true;
}
