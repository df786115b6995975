/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction tables: every row of isa/ops.def, isa/formats.def and isa/violations.def as data, and look-ups by
 * name. Nothing here knows a single instruction; adding one is a row in the tables.
 */
#include "isa/isa.h"
#include "isa/format.h"

#include <stddef.h>
#include <string.h>

const isa_op_info isa_ops[ISA_OP_COUNT] = {
#define OP(id, mnemonic, unit, format, timing, needs, doc)                                                             \
	[ISA_OP_##id] = {#id,                                                                                          \
	                 mnemonic,                                                                                     \
	                 ISA_UNIT_##unit,                                                                              \
	                 ISA_FORMAT_##format,                                                                          \
	                 ISA_TIMING_##timing,                                                                          \
	                 ISA_NEED_##needs,                                                                             \
	                 0,                                                                                            \
	                 ISA_TYPES_NONE,                                                                               \
	                 doc},
#define VXM_OP(id, mnemonic, arity, types, timing, doc)                                                                \
	[ISA_OP_##id] = {#id,   mnemonic,          ISA_UNIT_VXM, ISA_FORMAT_VXM, ISA_TIMING_##timing, ISA_NEED_ANY,    \
	                 arity, ISA_TYPES_##types, doc},
#include "isa/ops.def"
};

const isa_format_info isa_formats[ISA_FORMAT_COUNT] = {
#define FIELD(field, bits, kind) {ISA_FIELD_##field, bits, ISA_KIND_##kind},
#define FORMAT(id, ...)          [ISA_FORMAT_##id] = {#id, {__VA_ARGS__}},
#include "isa/formats.def"
};

/* Where a field lives in struct isa_insn.  A NULL name marks fields without a member of their own (loops, rotations):
 * the REPEAT word is packed from isa_loop and isa_rotation. */
typedef struct member {
	const char *name;
	uint16_t offset;
	uint8_t bytes;
	bool is_signed;
	bool is_place;
} member;
#define MEMBER(name, is_signed, is_place)                                                                              \
	{                                                                                                              \
#name, offsetof(isa_insn, name), sizeof(((isa_insn *)NULL)->name), is_signed, is_place                 \
	}
#define LOOP(text, part, is_signed)                                                                                    \
	{                                                                                                              \
		text, offsetof(isa_insn, part), sizeof(((isa_insn *)NULL)->part), is_signed, false                     \
	}
static const member members[ISA_FIELD_MAX] = {
	[ISA_FIELD_COUNT] = MEMBER(count, false, false),
	[ISA_FIELD_INTERVAL] = LOOP("interval", loop[0].interval, false),
	[ISA_FIELD_STEP] = LOOP("step", loop[0].step, true),
	[ISA_FIELD_ROT_DST_STEP] = LOOP("rot.dst.step", rot[ISA_ROT_DST].step, true),
	[ISA_FIELD_ROT_DST_WRAP] = LOOP("rot.dst.wrap", rot[ISA_ROT_DST].wrap, false),
	[ISA_FIELD_ROT_SRC0_STEP] = LOOP("rot.src0.step", rot[ISA_ROT_SRC0].step, true),
	[ISA_FIELD_ROT_SRC0_WRAP] = LOOP("rot.src0.wrap", rot[ISA_ROT_SRC0].wrap, false),
	[ISA_FIELD_ROT_SRC1_STEP] = LOOP("rot.src1.step", rot[ISA_ROT_SRC1].step, true),
	[ISA_FIELD_ROT_SRC1_WRAP] = LOOP("rot.src1.wrap", rot[ISA_ROT_SRC1].wrap, false),
	[ISA_FIELD_ADDR] = MEMBER(addr, false, false),
	[ISA_FIELD_WADDR] = MEMBER(waddr, false, false),
	[ISA_FIELD_LEN] = MEMBER(len, false, false),
	[ISA_FIELD_SEG] = MEMBER(seg, false, false),
	[ISA_FIELD_PITCH] = MEMBER(pitch, true, false),
	[ISA_FIELD_DST] = MEMBER(dst, false, true),
	[ISA_FIELD_SRC0] = MEMBER(src0, false, true),
	[ISA_FIELD_SRC1] = MEMBER(src1, false, true),
	[ISA_FIELD_TYPE] = MEMBER(type, false, false),
	[ISA_FIELD_DTYPE] = MEMBER(dtype, false, false),
	[ISA_FIELD_LANES] = MEMBER(lanes, false, false),
	[ISA_FIELD_MODE] = MEMBER(mode, false, false),
	[ISA_FIELD_DISTANCE] = MEMBER(distance, true, false),
	[ISA_FIELD_MAP] = MEMBER(map, false, false),
	[ISA_FIELD_IMM] = MEMBER(imm, false, false),
	[ISA_FIELD_BUFFER] = MEMBER(buffer, false, false),
};

const char *isa_field_name(enum isa_field field)
{
	return members[field].name;
}

int64_t isa_field_neutral(enum isa_field field)
{
	return members[field].is_place ? ISA_PLACE_NONE : 0;
}

int64_t isa_field_get(const isa_insn *insn, enum isa_field field)
{
	const member *m = &members[field];
	const void *at = (const char *)insn + m->offset;

	switch (m->bytes) {
	case 1:
		return m->is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
	case 2:
		return m->is_signed ? *(const int16_t *)at : *(const uint16_t *)at;
	default:
		return m->is_signed ? (int64_t) * (const int32_t *)at : (int64_t) * (const uint32_t *)at;
	}
}

void isa_field_set(isa_insn *insn, enum isa_field field, int64_t value)
{
	const member *m = &members[field];
	void *at = (char *)insn + m->offset;

	switch (m->bytes) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		break;
	default:
		*(uint32_t *)at = (uint32_t)value;
		break;
	}
}

const isa_format_field *isa_format_find(int format, enum isa_field field)
{
	for (const isa_format_field *f = isa_formats[format].fields; f->bits; f++)
		if (f->field == field)
			return f;
	return NULL;
}

void isa_field_range(const isa_format_field *field, int64_t *min, int64_t *max)
{
	bool is_signed = field->kind == ISA_KIND_SINT;

	*min = is_signed ? -(INT64_C(1) << (field->bits - 1)) : 0;
	*max = (INT64_C(1) << (is_signed ? field->bits - 1 : field->bits)) - 1;
}

bool isa_field_legal(const isa_format_field *field, int64_t value)
{
	int64_t min, max;

	isa_field_range(field, &min, &max);
	if (value < min || value > max)
		return false;
	if (field->kind == ISA_KIND_PLACE)
		return isa_place_kind((unsigned)value) != ISA_PLACE_KIND_BAD;
	if (field->kind == ISA_KIND_TYPE)
		return value < ISA_TYPE_COUNT;
	return true;
}

static const struct {
	const char *name;
	unsigned bytes;
} types[ISA_TYPE_COUNT] = {
	[ISA_TYPE_I8] = {"int8", 1},  [ISA_TYPE_I16] = {"int16", 2}, [ISA_TYPE_I32] = {"int32", 4},
	[ISA_TYPE_F16] = {"fp16", 2}, [ISA_TYPE_F32] = {"fp32", 4},
};

unsigned isa_type_bytes(enum isa_type type)
{
	return types[type].bytes;
}

const char *isa_type_name(enum isa_type type)
{
	return types[type].name;
}

int isa_type_from_name(const char *name)
{
	for (int i = 0; i < ISA_TYPE_COUNT; i++)
		if (strcmp(types[i].name, name) == 0)
			return i;
	return -1;
}

int isa_op_from_mnemonic(const char *mnemonic)
{
	for (int i = 0; i < ISA_OP_COUNT; i++)
		if (strcmp(isa_ops[i].mnemonic, mnemonic) == 0)
			return i;
	return -1;
}

const char *isa_unit_name(enum isa_unit unit)
{
	static const char *const names[ISA_UNIT_COUNT] = {"icu", "mem", "vxm", "mxm", "sxm", "c2c"};

	return names[unit];
}

static const struct {
	const char *name;
	const char *doc;
} violations[ISA_VIOLATION_COUNT] = {
#define VIOLATION(id, name, doc) [ISA_VIOLATION_##id] = {name, doc},
#include "isa/violations.def"
};

const char *isa_violation_name(enum isa_violation kind)
{
	return violations[kind].name;
}

const char *isa_violation_doc(enum isa_violation kind)
{
	return violations[kind].doc;
}

isa_insn isa_insn_make(enum isa_op op, unsigned queue, int64_t cycle)
{
	isa_insn insn = {
		.op = (uint16_t)op,
		.queue = (uint16_t)queue,
		.cycle = cycle,
		.loop = {{1, 0, 0}, {1, 0, 0}},
		.dst = ISA_PLACE_NONE,
		.src0 = ISA_PLACE_NONE,
		.src1 = ISA_PLACE_NONE,
	};

	return insn;
}
