/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction formats as a table, read from isa/formats.def, and the one place where a field's name, width and member
 * of struct isa_insn meet.  Private to isa/: the encoder packs by it, the assembler names fields by it.
 */
#ifndef TSPSIM_ISA_FORMAT_H
#define TSPSIM_ISA_FORMAT_H

#include "isa/isa.h"

enum isa_format {
#define FORMAT(id, ...) ISA_FORMAT_##id,
#include "isa/formats.def"
	ISA_FORMAT_COUNT
};

enum isa_kind { ISA_KIND_UINT, ISA_KIND_SINT, ISA_KIND_PLACE, ISA_KIND_TYPE, ISA_KIND_MODE, ISA_KIND_FBITS };

enum { ISA_FORMAT_FIELDS = 9 }; /* most fields in one format */

typedef struct isa_format_field {
	uint8_t field; /* enum isa_field */
	uint8_t bits;  /* 0 ends the list */
	uint8_t kind;  /* enum isa_kind */
} isa_format_field;

typedef struct isa_format_info {
	const char *name;
	isa_format_field fields[ISA_FORMAT_FIELDS + 1];
} isa_format_info;

extern const isa_format_info isa_formats[ISA_FORMAT_COUNT];

/* Name of a field in assembly and in messages: "addr", "src0". */
const char *isa_field_name(enum isa_field field);
/* Neutral value: ISA_PLACE_NONE for places, else 0. */
int64_t isa_field_neutral(enum isa_field field);
int64_t isa_field_get(const isa_insn *insn, enum isa_field field);
/* VALUE must fit the member. */
void isa_field_set(isa_insn *insn, enum isa_field field, int64_t value);
/* The format's entry for FIELD, or NULL when it has none. */
const isa_format_field *isa_format_find(int format, enum isa_field field);
/* Is VALUE legal in FIELD: does it fit, and is it a place or type that exists? */
bool isa_field_legal(const isa_format_field *field, int64_t value);
/* Least and greatest value the width admits. */
void isa_field_range(const isa_format_field *field, int64_t *min, int64_t *max);

#endif
