/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler's state and reading helpers, shared by isa/asm.c (lines, instructions) and isa/asm_directives.c;
 * private to isa/.
 */
#ifndef TSPSIM_ISA_ASM_INT_H
#define TSPSIM_ISA_ASM_INT_H

#include "isa/program.h"
#include "isa/tokens.h"

/* A .source line; labels are looked up at the end of the text, they may stand below. */
typedef struct isa_asm_source {
	isa_source source;
	uint32_t insn;
	unsigned operand;
	char *label; /* NULL: source.base is final */
	uint32_t plus;
	unsigned line, column;
} isa_asm_source;

typedef struct isa_assembler {
	isa_program *program;
	const isa_machine *machine;
	const char *file;
	GError **error;
	unsigned line;
	GArray *tokens;       /* isa_token, of this line */
	GHashTable *queues;   /* name -> index + 1 */
	GHashTable *labels;   /* name -> instruction id + 1 */
	GArray *sources;      /* isa_asm_source */
	GPtrArray *pending;   /* labels waiting for their instruction */
	uint32_t node;        /* of the instructions that follow */
	int64_t last;         /* instruction that .source and .predict belong to, -1 = none */
	isa_image *image;     /* that .hex continues, or NULL */
	uint64_t image_bytes; /* of it already there */
} isa_assembler;

static inline isa_token *isa_asm_token(const isa_assembler *as, unsigned i)
{
	return i < as->tokens->len ? &g_array_index(as->tokens, isa_token, i) : NULL;
}

/* Fails at COLUMN of this line; always false. */
bool isa_asm_fail(isa_assembler *as, unsigned column, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* A decimal or 0x number in MIN..MAX. */
bool isa_asm_integer(isa_assembler *as, unsigned column, const char *what, const char *text, int64_t min, int64_t max,
                     int64_t *value);
/* The line is a directive: its first token begins with a dot. */
bool isa_asm_directive(isa_assembler *as);
/* Checks at the end of the text that no directive waits for more. */
bool isa_asm_directives_end(isa_assembler *as);

/* Text form of a place, into BUFFER of 16 bytes; and back, -1 when it is none. */
enum { ISA_PLACE_TEXT = 16 };
const char *isa_place_text(unsigned place, char *buffer);
int isa_place_from_text(const char *text);
/* The immediate of an operation on TYPE as text, g_free; and back. */
char *isa_imm_text(enum isa_type type, uint32_t imm);
bool isa_imm_from_text(enum isa_type type, const char *text, uint32_t *imm);

#endif
