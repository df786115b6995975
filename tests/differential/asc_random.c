/* SPDX-License-Identifier: Apache-2.0
 *
 * Random instructions: every field within its limits, small more often than large, 0 and the largest now and then.
 */
#include "tests/differential/asc_random.h"

#include <string.h>

static const uint64_t specials[ASC_TYPES][12] = {
	[ASC_I8] = {0, 1, 0xff, 0x7f, 0x80, 0x81, 2, 0xfe, 0x40, 0xc0, 0x55, 0xaa},
	[ASC_U8] = {0, 1, 0xff, 0x7f, 0x80, 0x81, 2, 0xfe, 0x40, 0xc0, 0x55, 0xaa},
	[ASC_I16] = {0, 1, 0xffff, 0x7fff, 0x8000, 0x8001, 2, 0xfffe, 15, 16, 17, 0x100},
	[ASC_U16] = {0, 1, 0xffff, 0x7fff, 0x8000, 0x8001, 2, 0xfffe, 15, 16, 17, 0x100},
	[ASC_I32] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 2, 0x1000001, 31, 32, 33, 0x10000},
	[ASC_U32] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 2, 0x1000001, 31, 32, 33, 0x10000},
	[ASC_F16] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfd00},
	[ASC_BF16] = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc1, 0xffa0},
	[ASC_F32] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                     0x7fc00001, 0xffa00000},
};

uint64_t random_special(asc_case *c, enum asc_type type)
{
	return specials[type][case_below(c, G_N_ELEMENTS(specials[0]))];
}

uint64_t random_plain(asc_case *c, enum asc_type type)
{
	/* Sign, exponent about that of 1, fraction often with few bits so that ties come up. */
	uint64_t sign = case_below(c, 2), e = case_below(c, 12), f = case_below(c, 1u << 23);

	if (case_chance(c, 50))
		f &= 0x7f0000;
	switch (type) {
	case ASC_F16:
		return sign << 15 | (e + 8) << 10 | f >> 13;
	case ASC_BF16:
		return sign << 15 | (e + 120) << 7 | f >> 16;
	case ASC_F32:
		return sign << 31 | (e + 120) << 23 | f;
	default:
		return case_chance(c, 50) ? case_below(c, 40) - 20 * sign : rng_next(&c->r) >> 40;
	}
}

static enum asc_type random_type(asc_case *c, uint32_t allowed)
{
	enum asc_type type = c->theme;

	if (!(allowed >> type & 1) || case_chance(c, 15))
		do
			type = (enum asc_type)case_below(c, ASC_TYPES);
		while (!(allowed >> type & 1));
	return type;
}

#define T(type)    (1u << ASC_##type)
#define ALL_FLOATS (T(F16) | T(BF16) | T(F32))
#define ALL_TYPES  ((1u << ASC_TYPES) - 1)
#define INTEGERS   (ALL_TYPES & ~ALL_FLOATS)

/* Types that the instruction's meaning makes sense for. */
static uint32_t types_of(const asc_case *c, enum asc_op op)
{
	switch (op) {
	case ASC_OP_VEXP:
	case ASC_OP_VLN:
	case ASC_OP_VSQRT:
	case ASC_OP_VRSQRT:
	case ASC_OP_VREC:
	case ASC_OP_VDIV:
		return ALL_FLOATS;
	case ASC_OP_VSHL:
	case ASC_OP_VSHR:
		return INTEGERS;
	case ASC_OP_VSORT32:
	case ASC_OP_VMRGSORT:
		return T(F16) | T(F32);
	case ASC_OP_VTRANS:
		return T(F16) | T(I16) | T(U16) | T(BF16);
	case ASC_OP_MMAD:
		return T(I8) | T(U8) | T(F16) | (c->machine->cube_bf16 ? T(BF16) : 0) |
		       (c->machine->cube_f32_k ? T(F32) : 0);
	default:
		return ALL_TYPES;
	}
}

static int64_t small_or(asc_case *c, uint64_t small, uint64_t large)
{
	return (int64_t)case_below(c, (case_chance(c, 85) ? small : large) + 1);
}

static int64_t stride(asc_case *c, int64_t usual)
{
	unsigned kind = (unsigned)case_below(c, 100);

	return kind < 50 ? usual : kind < 62 ? 0 : kind < 92 ? (int64_t)case_below(c, 12) : (int64_t)case_below(c, 80);
}

static int64_t packed(asc_case *c, uint64_t low_max, uint64_t high_max)
{
	return (int64_t)((1 + case_below(c, high_max)) << 8 | (1 + case_below(c, low_max)));
}

typedef struct rule {
	const char *name;
	uint64_t min, small, large;
} rule;

/* Fields of copies, fractal loads and products. */
static const rule rules[] = {
	{"bursts", 1, 4, 12},     {"src_gap", 0, 200, 1000}, {"dst_gap", 0, 6, 40},     {"nd", 1, 2, 4},
	{"n", 0, 40, 90},         {"d", 0, 70, 200},         {"src_pitch", 1, 90, 300}, {"dst_c0_stride", 1, 48, 100},
	{"src_stride", 0, 4, 20}, {"h", 1, 10, 20},          {"w", 1, 10, 20},          {"c", 1, 40, 80},
	{"m_start", 0, 20, 60},   {"k_start", 0, 40, 200},   {"m_extent", 1, 50, 80},   {"k_extent", 1, 60, 100},
	{"m", 0, 40, 90},         {"k", 0, 70, 150},         {"length", 4, 20, 60},     {"dst_pitch", 1, 60, 120},
	{"relu", 0, 2, 2},        {"nz2nd", 0, 1, 1},        {"transpose", 0, 1, 1},    {"init", 0, 2, 2},
	{"bytes", 1, 8, 8},       {"cond", 0, 5, 5},         {"round", 0, 6, 6},        {"left", 0, 32, 32},
	{"right", 0, 32, 32},     {"rd", 0, 29, 29},         {"rn", 0, 31, 31},         {"counter", 0, 1, 1},
};

static int64_t random_number(asc_case *c, const asc_field_info *info, int64_t standard)
{
	const char *name = info->name;

	if (strcmp(name, "repeat") == 0) {
		int64_t repeat = case_chance(c, 70) ? (int64_t)case_below(c, 6) : small_or(c, 40, 255);

		return MAX(info->min, repeat);
	}
	if (g_str_has_suffix(name, "_blk"))
		return stride(c, 1);
	if (g_str_has_suffix(name, "_rep"))
		return stride(c, standard);
	if (strcmp(name, "kernel") == 0)
		return packed(c, 4, 4);
	if (strcmp(name, "stride") == 0)
		return packed(c, 3, 3);
	if (strcmp(name, "dilation") == 0)
		return packed(c, 3, 3);
	if (strcmp(name, "pad") == 0)
		return (int64_t)(rng_next(&c->r) & 0x03030303);
	for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++)
		if (strcmp(name, rules[i].name) == 0) {
			int64_t value = small_or(c, rules[i].small, rules[i].large);

			value = MAX((int64_t)rules[i].min, value);
			return CLAMP(value, info->min, info->max);
		}
	if (info->min == INT64_MIN)
		return case_chance(c, 50) ? (int64_t)rng_next(&c->r) : (int64_t)case_below(c, 200) - 100;
	return standard;
}

/* Quantisation: code, accumulators, result. */
static const struct {
	int64_t quant;
	enum asc_type type, dtype;
} quantisations[] = {
	{0, ASC_F32, ASC_F32}, {0, ASC_I32, ASC_I32},  {1, ASC_F32, ASC_F16},  {16, ASC_F32, ASC_BF16},
	{9, ASC_I32, ASC_I8},  {11, ASC_I32, ASC_F16}, {13, ASC_I32, ASC_I16}, {24, ASC_F32, ASC_I8},
};

static void set(asc_insn *insn, const char *name, int64_t value)
{
	int field = asc_field_by_name((enum asc_op)insn->op, name);

	g_assert(field >= 0);
	insn->f[field] = value;
}

static int64_t get(const asc_insn *insn, const char *name)
{
	return insn->f[asc_field_by_name((enum asc_op)insn->op, name)];
}

static void finish_fields(asc_case *c, asc_insn *insn)
{
	enum asc_op op = (enum asc_op)insn->op;
	unsigned i;

	switch (op) {
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		i = (unsigned)case_below(c, G_N_ELEMENTS(quantisations));
		set(insn, "quant", quantisations[i].quant);
		set(insn, "type", quantisations[i].type);
		set(insn, "dtype", quantisations[i].dtype);
		set(insn, "scale",
		    (int64_t)(case_chance(c, 90) ? random_plain(c, ASC_F32) : random_special(c, ASC_F32)));
		set(insn, "m", MAX(1, get(insn, "m")));
		set(insn, "n", MAX(1, get(insn, "n")));
		set(insn, "src_stride", 1 + small_or(c, 48, 70));
		set(insn, "dst_pitch", (get(insn, "nz2nd") ? get(insn, "n") : get(insn, "m")) + small_or(c, 9, 40));
		if (get(insn, "relu") == 2)
			set(insn, "scale", get(insn, "scale") | (int64_t)(random_plain(c, ASC_F32) << 32));
		set(insn, "unit_flag", 0);
		break;
	case ASC_OP_MMAD: /* the reference takes its time */
		while (get(insn, "m") * get(insn, "n") * get(insn, "k") > 40000) {
			const char *name = case_chance(c, 50) ? "k" : "n";

			set(insn, name, MAX(1, get(insn, name) / 2));
		}
		break;
	case ASC_OP_ND2NZ: /* columns do not overlap */
		set(insn, "dst_c0_stride", MAX(1, get(insn, "n")) + small_or(c, 9, 40));
		break;
	case ASC_OP_LOAD3D_A:
	case ASC_OP_LOAD3D_B:
		/* The filter fits into the padded image. */
		set(insn, "h", get(insn, "h") + 9);
		set(insn, "w", get(insn, "w") + 9);
		break;
	case ASC_OP_GM_TO_L1:
	case ASC_OP_UB_TO_L1:
	case ASC_OP_L1_TO_GM:
	case ASC_OP_L1_TO_BT:
		set(insn, "burst_bytes", 32 * (1 + small_or(c, 12, 60)));
		break;
	case ASC_OP_GM_TO_UB:
	case ASC_OP_UB_TO_GM:
		set(insn, "burst_bytes", 1 + small_or(c, 300, 2000));
		break;
	default:
		break;
	}
	/* Gaps in local buffers are whole blocks. */
	if (asc_field_by_name(op, "src_gap") >= 0) {
		if (asc_op(op)->field[0].space != ASC_GM)
			set(insn, "dst_gap", get(insn, "dst_gap") * 32);
		if (asc_op(op)->field[1].space != ASC_GM)
			set(insn, "src_gap", get(insn, "src_gap") / 32 * 32);
	}
}

bool random_fields(asc_case *c, enum asc_op op, asc_insn *insn)
{
	const asc_op_info *info = asc_op(op);

	if (!(info->cores >> c->kind & 1))
		return false;
	*insn = asc_insn_make(op);
	for (unsigned i = 0; i < info->fields; i++) {
		const asc_field_info *f = &info->field[i];

		switch (f->value) {
		case ASC_VALUE_TYPE:
			insn->f[i] = random_type(c, strcmp(f->name, "dtype") ? types_of(c, op) : ALL_TYPES);
			break;
		case ASC_VALUE_BITS:
		case ASC_VALUE_BITS32:
			insn->f[i] =
				(int64_t)(case_chance(c, 80) ? random_plain(c, (enum asc_type)get(insn, "type"))
			                                     : random_special(c, (enum asc_type)get(insn, "type")));
			break;
		case ASC_VALUE_REGISTER:
		case ASC_VALUE_NUMBER:
			insn->f[i] = random_number(c, f, f->standard);
			insn->f[i] = MIN(f->max, insn->f[i]);
			break;
		default:
			insn->f[i] = 0;
			break;
		}
	}
	finish_fields(c, insn);
	return true;
}

static int64_t random_gm(asc_case *c, bool written)
{
	if (c->bare)
		return (int64_t)(c->window[ASC_GM].base + case_below(c, c->window[ASC_GM].bytes / 64) * 64);
	return written ? CASE_WRITTEN + (int64_t)case_below(c, CASE_WRITTEN_BYTES)
	               : CASE_DATA + (int64_t)case_below(c, CASE_DATA_BYTES);
}

void random_addresses(asc_case *c, asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	for (unsigned i = 0; i < info->fields; i++) {
		const case_window *w = &c->window[info->field[i].space % ASC_SPACES];
		uint64_t align = asc_alignment((enum asc_op)insn->op, i, insn->f, 0), first;

		if (info->field[i].value != ASC_VALUE_ADDRESS)
			continue;
		if (info->field[i].space == ASC_GM) {
			insn->f[i] = random_gm(c, strcmp(info->field[i].name, "dst") == 0);
			continue;
		}
		if (insn->op == ASC_OP_VGATHERB)
			align = 32;
		else if (insn->op == ASC_OP_VGATHER)
			align = 4;
		if (strcmp(info->field[i].name, "offsets") == 0)
			align = case_chance(c, 50) ? 2048 : 32;
		first = (w->base + align - 1) / align;
		insn->f[i] = (int64_t)((first + case_below(c, MAX(1, w->bytes / align))) * align);
	}
}

/* Does all that the last instruction touched lie in the windows, and what it wrote of GM where that is meant to be? */
static bool is_inside(const asc_case *c)
{
	const asc_ref *r = c->ref;

	for (guint i = 0; i < r->accesses->len; i++) {
		const ref_access *a = &g_array_index(r->accesses, ref_access, i);
		const case_window *w = &c->window[a->space];
		case_window written = {CASE_WRITTEN, CASE_WRITTEN_BYTES};

		if (a->space == ASC_GM && a->write && !c->bare)
			w = &written;
		if (a->address < w->base || a->address + a->bytes > w->base + w->bytes)
			return false;
	}
	return true;
}

static void barrier(asc_case *c)
{
	asc_insn insn = asc_insn_make(ASC_OP_BARRIER);

	if (!c->bare)
		case_append(c, &insn, true);
}

/* Masks and the counter mode, before a vector instruction. */
static void random_mask(asc_case *c)
{
	asc_insn mask = asc_insn_make(ASC_OP_SETMASK), control = asc_insn_make(ASC_OP_SETCTRL);
	bool counter = case_chance(c, 25);

	if (!case_chance(c, c->bare ? 20 : 60))
		return;
	control.f[0] = counter;
	if (counter) {
		mask.f[0] = small_or(c, 300, 2000);
		mask.f[1] = (int64_t)rng_next(&c->r);
	} else {
		unsigned kind = (unsigned)case_below(c, 4);

		for (unsigned i = 0; i < 2; i++)
			mask.f[i] = kind == 0   ? -1
			            : kind == 1 ? (int64_t)rng_next(&c->r)
			            : kind == 2 ? (int64_t)(rng_next(&c->r) & rng_next(&c->r) & rng_next(&c->r))
			                        : (int64_t)((1ull << case_below(c, 64)) - 1);
	}
	asc_ref_step(c->ref, &control);
	case_append(c, &control, true);
	asc_ref_step(c->ref, &mask);
	case_append(c, &mask, true);
}

/* Some fields through registers. */
static void through_registers(asc_case *c, asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	for (unsigned i = 0; i < info->fields; i++) {
		asc_insn move = asc_insn_make(ASC_OP_MOVI);
		enum asc_value value = info->field[i].value;

		if (value == ASC_VALUE_TYPE || value == ASC_VALUE_REGISTER || value == ASC_VALUE_PIPE ||
		    value == ASC_VALUE_LABEL || !case_chance(c, 30))
			continue;
		move.f[0] = (int64_t)i;
		move.f[1] = insn->f[i];
		asc_ref_step(c->ref, &move);
		case_append(c, &move, true);
		insn->f[i] = (int64_t)i;
		insn->regs |= (uint16_t)(1u << i);
	}
}

/* Executes INSN somewhere in the windows; false when no place was found. */
static bool placed(asc_case *c, asc_insn *insn)
{
	for (unsigned attempt = 0; attempt < 30; attempt++) {
		random_addresses(c, insn);
		asc_ref_step(c->ref, insn);
		if (c->ref->misaligned)
			continue;
		if (!c->ref->beyond && is_inside(c))
			return true;
		if (c->ref->beyond && attempt > 20 && !c->bare)
			return true; /* must do nothing in the models, too */
		asc_ref_undo(c->ref);
	}
	return false;
}

/* Four sorted lists, and fours of them, merged. */
static void random_merge(asc_case *c)
{
	asc_insn sort, merge;
	int64_t groups = 1 + (int64_t)case_below(c, 3);

	random_fields(c, ASC_OP_VSORT32, &sort);
	set(&sort, "repeat", 4 * groups);
	if (!placed(c, &sort))
		return;
	case_append(c, &sort, true);
	barrier(c);
	merge = asc_insn_make(ASC_OP_VMRGSORT);
	for (unsigned attempt = 0; attempt < 30; attempt++) {
		random_addresses(c, &merge);
		set(&merge, "type", get(&sort, "type"));
		set(&merge, "repeat", (int64_t)case_below(c, (uint64_t)groups + 1));
		set(&merge, "length", 4 + (int64_t)case_below(c, 29));
		/* Shorter lists are only sorted where they are the beginning of one: one merge of one list's parts. */
		if (get(&merge, "length") % 8)
			set(&merge, "length", 32);
		set(&merge, "src", get(&sort, "dst"));
		asc_ref_step(c->ref, &merge);
		if (!c->ref->beyond && is_inside(c))
			break;
		asc_ref_undo(c->ref);
		if (attempt == 29)
			return;
	}
	c->executed[ASC_OP_VMRGSORT]++;
	case_append(c, &merge, true);
	barrier(c);
}

static bool is_candidate(const asc_case *c, enum asc_op op)
{
	if (!(asc_op(op)->cores >> c->kind & 1) || op == ASC_OP_END || op == ASC_OP_SETMASK || op == ASC_OP_SETCTRL)
		return false;
	if (op >= ASC_OP_JUMP && op <= ASC_OP_BGE)
		return false;
	if (op == ASC_OP_L1_TO_BT && !c->machine->bt_bytes)
		return false;
	return op < ASC_OP_SETFLAG || op > ASC_OP_WAITCROSS;
}

void random_append(asc_case *c, enum asc_op only)
{
	enum asc_op op = only;
	bool vector;
	asc_insn insn;

	while (op == ASC_OP_COUNT || !is_candidate(c, op)) {
		op = (enum asc_op)case_below(c, ASC_OP_COUNT);
		/* Half of the scalar instructions are enough. */
		if (asc_op(op)->pipe == ASC_PIPE_S && case_chance(c, c->bare && op < ASC_OP_LDG ? 100 : 50))
			op = ASC_OP_COUNT;
	}
	vector = asc_op(op)->pipe == ASC_PIPE_V && op != ASC_OP_L0C_TO_UB;
	if (vector)
		random_mask(c);
	if (op == ASC_OP_VMRGSORT) {
		random_merge(c);
		return;
	}
	for (unsigned attempt = 0; attempt < 10; attempt++) {
		random_fields(c, op, &insn);
		if (op == ASC_OP_MMAD && get(&insn, "init") == 2 && !c->machine->bt_bytes)
			set(&insn, "init", 1);
		/* Whatever lies there ends the wait. */
		if (op == ASC_OP_WAITWORD)
			set(&insn, "value", INT64_MIN);
		if (!placed(c, &insn))
			continue;
		c->executed[op]++;
		c->beyond += c->ref->beyond;
		if (op != ASC_OP_MOVI && !c->bare && case_chance(c, 10))
			through_registers(c, &insn);
		case_append(c, &insn, true);
		barrier(c);
		return;
	}
}
