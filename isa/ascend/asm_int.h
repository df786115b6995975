/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler's state and reading helpers, shared by isa/ascend/asm.c (lines, instructions) and
 * isa/ascend/asm_directives.c; private to isa/ascend/.
 */
#ifndef TSPSIM_ISA_ASCEND_ASM_INT_H
#define TSPSIM_ISA_ASCEND_ASM_INT_H

#include "isa/ascend/asc_int.h"
#include "isa/tokens.h"

/* A label that an instruction names; looked up when its stream is complete, which is at the end of the text. */
typedef struct asc_asm_jump {
	asc_stream *stream;
	guint insn;
	unsigned field, line, column;
	char *label;
} asc_asm_jump;

typedef struct asc_assembler {
	asc_program *program;
	const asc_machine *machine;
	const char *file;
	GError **error;
	unsigned line;
	GArray *tokens;     /* isa_token, of this line */
	asc_stream *stream; /* that instructions go to, or NULL */
	uint32_t node;
	GHashTable *labels; /* "stream address/name" -> instruction + 1 */
	GArray *jumps;      /* asc_asm_jump */
	GPtrArray *pending; /* labels waiting for their instruction */
	bool hex;           /* .hex may stand here: image_bytes of the last image are there */
	uint64_t image_bytes;
	bool blocks_given;
} asc_assembler;

static inline isa_token *asc_asm_token(const asc_assembler *as, unsigned i)
{
	return i < as->tokens->len ? &g_array_index(as->tokens, isa_token, i) : NULL;
}

/* Fails at COLUMN of this line; always false. */
bool asc_asm_fail(asc_assembler *as, unsigned column, const char *format, ...) G_GNUC_PRINTF(3, 4);
bool asc_asm_integer(asc_assembler *as, unsigned column, const char *what, const char *text, int64_t min, int64_t max,
                     int64_t *value);
/* The line is a directive: its first token begins with a dot. */
bool asc_asm_directive(asc_assembler *as);
/* Checks that no image waits for more bytes, before another directive and at the end of the text. */
bool asc_asm_image_complete(asc_assembler *as);

/* Bits of the number TEXT of TYPE; false when it is none. */
bool asc_bits_from_text(enum asc_type type, const char *text, int64_t *bits);

#endif
