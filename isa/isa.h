/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between scheduler and models: instructions, operand places, queues.
 *
 * An instruction is an op (isa/ops.def), the fields of its format (isa/formats.def), and up to two nested loops.
 * In the container it carries an absolute issue cycle; in an encoded queue it is one word followed by one REPEAT
 * word per loop, with NOP words filling the time between.  isa_lower() makes queues from a container;
 * isa_decode() is all that a model sees.
 */
#ifndef TSPSIM_ISA_ISA_H
#define TSPSIM_ISA_ISA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

typedef struct isa_machine isa_machine;

enum isa_unit { ISA_UNIT_ICU, ISA_UNIT_MEM, ISA_UNIT_VXM, ISA_UNIT_MXM, ISA_UNIT_SXM, ISA_UNIT_C2C, ISA_UNIT_COUNT };

enum isa_op {
#define OP(id, mnemonic, unit, format, timing, needs, doc) ISA_OP_##id,
#include "isa/ops.def"
	ISA_OP_COUNT
};

enum isa_timing {
#define TIMING(id, key, doc) ISA_TIMING_##id,
#include "isa/timing.def"
	ISA_TIMING_COUNT
};

enum isa_violation {
#define VIOLATION(id, name, doc) ISA_VIOLATION_##id,
#include "isa/violations.def"
	ISA_VIOLATION_COUNT
};

enum isa_need { ISA_NEED_ANY, ISA_NEED_HASHED, ISA_NEED_DIRECT, ISA_NEED_STREAM, ISA_NEED_SYNC };

/* Element types.  Bytes: 1, 2, 4, 2, 4. */
enum isa_type { ISA_TYPE_I8, ISA_TYPE_I16, ISA_TYPE_I32, ISA_TYPE_F16, ISA_TYPE_F32, ISA_TYPE_COUNT };
unsigned isa_type_bytes(enum isa_type type);
const char *isa_type_name(enum isa_type type); /* "int8" "int16" "int32" "fp16" "fp32" */
int isa_type_from_name(const char *name);      /* -1 when unknown */

/* Fields an instruction may have; a format says which. */
enum isa_field {
	ISA_FIELD_COUNT, /* COUNT: NOP cycles, segments, rows */
	ISA_FIELD_INTERVAL,
	ISA_FIELD_STEP,
	ISA_FIELD_ROT_DST_STEP,
	ISA_FIELD_ROT_DST_WRAP,
	ISA_FIELD_ROT_SRC0_STEP,
	ISA_FIELD_ROT_SRC0_WRAP,
	ISA_FIELD_ROT_SRC1_STEP,
	ISA_FIELD_ROT_SRC1_WRAP,
	ISA_FIELD_ADDR,  /* byte or word address; row of weights or accumulator.  Loops step this field */
	ISA_FIELD_WADDR, /* READWRITE's write address; steps with ADDR */
	ISA_FIELD_LEN,
	ISA_FIELD_SEG,
	ISA_FIELD_PITCH,
	ISA_FIELD_DST,
	ISA_FIELD_SRC0,
	ISA_FIELD_SRC1,
	ISA_FIELD_TYPE,
	ISA_FIELD_DTYPE,
	ISA_FIELD_LANES,
	ISA_FIELD_MODE,
	ISA_FIELD_DISTANCE,
	ISA_FIELD_MAP,
	ISA_FIELD_IMM,
	ISA_FIELD_BUFFER, /* hashed SRAM: number of the buffer through whose bank map it goes; 0: the machine's map */
	ISA_FIELD_MAX
};

/* Operand places, 12 bits.  Text form in brackets.
 *   0..1023     vector register            [r12]
 *   1024..1087  stream: +id eastward, +32+id westward; a wide operand takes consecutive ids  [e5, w5]
 *   1088..1103  activation ports, one bit a plane: 1088 + mask; a write reaches all of them, a read names one
 *               plane                      [act.3 = planes 0 and 1]
 *   1104..1111  weight port of a plane     [wt.0]
 *   1112..1143  output latch of a VXM ALU  [alu.4]
 *   4094        the immediate              [imm]
 *   4095        none                       [-]
 */
#define ISA_PLACE_VREG(n)          (n)
#define ISA_PLACE_STREAM(west, id) (1024 + ((west) ? 32 : 0) + (id))
#define ISA_PLACE_ACT(mask)        (1088 + (mask))
#define ISA_PLACE_WT(plane)        (1104 + (plane))
#define ISA_PLACE_ALU(n)           (1112 + (n))
#define ISA_PLACE_IMM              4094
#define ISA_PLACE_NONE             4095

enum isa_place_kind {
	ISA_PLACE_KIND_VREG,
	ISA_PLACE_KIND_STREAM,
	ISA_PLACE_KIND_ACT,
	ISA_PLACE_KIND_WT,
	ISA_PLACE_KIND_ALU,
	ISA_PLACE_KIND_IMM,
	ISA_PLACE_KIND_NONE,
	ISA_PLACE_KIND_BAD
};

static inline enum isa_place_kind isa_place_kind(unsigned place)
{
	if (place < 1024)
		return ISA_PLACE_KIND_VREG;
	if (place < 1088)
		return ISA_PLACE_KIND_STREAM;
	if (place < 1104)
		return ISA_PLACE_KIND_ACT;
	if (place < 1112)
		return ISA_PLACE_KIND_WT;
	if (place < 1144)
		return ISA_PLACE_KIND_ALU;
	if (place == ISA_PLACE_IMM)
		return ISA_PLACE_KIND_IMM;
	if (place == ISA_PLACE_NONE)
		return ISA_PLACE_KIND_NONE;
	return ISA_PLACE_KIND_BAD;
}
/* Index inside its kind: register number, stream 0..63 (32.. westward), plane mask, plane, ALU. */
static inline unsigned isa_place_index(unsigned place)
{
	switch (isa_place_kind(place)) {
	case ISA_PLACE_KIND_STREAM:
		return place - 1024;
	case ISA_PLACE_KIND_ACT:
		return place - 1088;
	case ISA_PLACE_KIND_WT:
		return place - 1104;
	case ISA_PLACE_KIND_ALU:
		return place - 1112;
	default:
		return place;
	}
}

/* One loop around an instruction: COUNT issues in all (1 = no loop), INTERVAL cycles apart, ADDR (and WADDR)
 * stepping by STEP.  loop[0] is the inner one. */
typedef struct isa_loop {
	uint32_t count;
	uint32_t interval;
	int32_t step;
} isa_loop;

/* Register rotation: issue number i (0-based over both loops, inner fastest) uses place + (i*step mod wrap);
 * wrap 0 = no wrap.  Only operands in vector registers rotate.  step may be negative. */
typedef struct isa_rotation {
	int8_t step;
	uint16_t wrap;
} isa_rotation;

enum { ISA_ROT_DST, ISA_ROT_SRC0, ISA_ROT_SRC1, ISA_ROT_COUNT };
enum { ISA_LOOPS = 2 };

typedef struct isa_insn {
	uint16_t op;              /* enum isa_op */
	uint16_t queue;           /* index in the machine's queue table */
	int64_t cycle;            /* first issue; meaningful in a container only */
	isa_loop loop[ISA_LOOPS]; /* count >= 1 always */
	isa_rotation rot[ISA_ROT_COUNT];
	/* fields; those the format lacks are 0 (places: ISA_PLACE_NONE) */
	uint32_t addr;
	uint32_t waddr;
	int32_t pitch;
	uint32_t imm;
	uint32_t count; /* NOP has 24 bits of it */
	uint16_t len;
	uint16_t seg;
	uint16_t dst;
	uint16_t src0;
	uint16_t src1;
	uint16_t lanes;
	uint16_t map;
	int16_t distance;
	uint8_t type;
	uint8_t dtype;
	uint8_t mode;
	uint8_t buffer;
} isa_insn;

/* How often does INSN issue? */
static inline uint64_t isa_insn_issues(const isa_insn *insn)
{
	return (uint64_t)insn->loop[0].count * insn->loop[1].count;
}
/* Cycle of issue number I relative to the first. */
static inline int64_t isa_insn_offset(const isa_insn *insn, uint64_t i)
{
	uint64_t inner = i % insn->loop[0].count;
	uint64_t outer = i / insn->loop[0].count;
	return (int64_t)(inner * insn->loop[0].interval + outer * insn->loop[1].interval);
}
static inline int64_t isa_insn_last(const isa_insn *insn)
{
	return insn->cycle + isa_insn_offset(insn, isa_insn_issues(insn) - 1);
}

/* A row of isa/ops.def. */
typedef struct isa_op_info {
	const char *id;       /* "ADD" */
	const char *mnemonic; /* "add" */
	enum isa_unit unit;
	int format;
	enum isa_timing timing;
	enum isa_need need;
	uint8_t arity; /* VXM only */
	uint8_t types; /* VXM only: enum isa_op_types */
	const char *doc;
} isa_op_info;
enum isa_op_types { ISA_TYPES_NONE, ISA_TYPES_INT, ISA_TYPES_FLOAT, ISA_TYPES_ALL, ISA_TYPES_CVT };

extern const isa_op_info isa_ops[ISA_OP_COUNT];
int isa_op_from_mnemonic(const char *mnemonic); /* -1 when unknown */
const char *isa_unit_name(enum isa_unit unit);
const char *isa_violation_name(enum isa_violation kind);
const char *isa_violation_doc(enum isa_violation kind);

/* An instruction with no loops, places none, lanes 0. */
isa_insn isa_insn_make(enum isa_op op, unsigned queue, int64_t cycle);

/* One 128-bit queue word. */
typedef struct isa_word {
	uint64_t lo;
	uint64_t hi;
} isa_word;

/* Encodes the instruction itself, without loops.  Fails (USER) when a field does not fit its width, holds an illegal
 * place or type, or is set although the format lacks it. */
bool isa_encode(const isa_insn *insn, isa_word *word, GError **error);
/* The REPEAT word for loop LEVEL (0 or 1) of INSN: its count field is loop[LEVEL].count - 1, the issues that come on
 * top. Rotations go into level 0 only. */
bool isa_encode_repeat(const isa_insn *insn, int level, isa_word *word, GError **error);
isa_word isa_encode_nop(uint32_t cycles);
/* Decodes a word that is neither NOP nor REPEAT into INSN (loops 1, cycle 0, queue untouched), or a NOP (count) or
 * REPEAT (loop[0], issues in all as ever, and rot).  Returns false for an illegal opcode, place, type or non-zero
 * padding. */
bool isa_decode(isa_word word, isa_insn *insn);

#endif
