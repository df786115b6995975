/* SPDX-License-Identifier: Apache-2.0
 *
 * 128-bit queue words: opcode in bits 0..7 (enum isa_op + 1, so that an all-zero word is illegal), then the fields of
 * the format upwards.  Widths come from isa/formats.def.  Encodings of the published chip are not public; these are
 * ours, with the one published property that an instruction slot has 16 bytes.
 */
#include "isa/isa.h"
#include "isa/format.h"

#include <stddef.h>
#include <string.h>

enum { OPCODE_BITS = 8, WORD_BITS = 128 };

static void put_bits(isa_word *word, unsigned shift, unsigned bits, uint64_t value)
{
	if (bits < 64)
		value &= (UINT64_C(1) << bits) - 1;
	if (shift >= 64) {
		word->hi |= value << (shift - 64);
		return;
	}
	word->lo |= value << shift;
	if (shift + bits > 64)
		word->hi |= value >> (64 - shift);
}

static uint64_t get_bits(const isa_word *word, unsigned shift, unsigned bits)
{
	uint64_t value;

	if (shift >= 64)
		value = word->hi >> (shift - 64);
	else if (shift == 0)
		value = word->lo;
	else
		value = word->lo >> shift | word->hi << (64 - shift);
	return value & ((UINT64_C(1) << bits) - 1);
}

/* Are all bits from SHIFT up zero? */
static bool rest_is_zero(const isa_word *word, unsigned shift)
{
	if (shift >= WORD_BITS)
		return true;
	if (shift >= 64)
		return word->hi >> (shift - 64) == 0;
	return word->hi == 0 && word->lo >> shift == 0;
}

static void field_error(GError **error, const isa_insn *insn, const isa_format_field *f, int64_t value)
{
	int64_t min, max;

	isa_field_range(f, &min, &max);
	if (value >= min && value <= max)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s code %" G_GINT64_FORMAT " does not exist",
		            isa_ops[insn->op].mnemonic, isa_field_name(f->field), value);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: %s = %" G_GINT64_FORMAT " does not fit its %u bits (%" G_GINT64_FORMAT
		            " to %" G_GINT64_FORMAT ")",
		            isa_ops[insn->op].mnemonic, isa_field_name(f->field), value, f->bits, min, max);
}

/* Fails for the first field that is set although INSN's format lacks it. */
static bool fail_foreign_field(const isa_insn *insn, GError **error)
{
	int format = isa_ops[insn->op].format;

	for (unsigned field = ISA_FIELD_COUNT; field < ISA_FIELD_MAX; field++) {
		bool loop = field >= ISA_FIELD_INTERVAL && field <= ISA_FIELD_ROT_SRC1_WRAP;

		if (loop || isa_format_find(format, field) || isa_field_get(insn, field) == isa_field_neutral(field))
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s has no field %s, but it is set",
		            isa_ops[insn->op].mnemonic, isa_field_name(field));
		return false;
	}
	return true;
}

/* Do A and B agree in every field?  Fields lie side by side from addr to buffer, without padding. */
static bool same_fields(const isa_insn *a, const isa_insn *b)
{
	const size_t begin = offsetof(isa_insn, addr);
	const size_t end = offsetof(isa_insn, buffer) + sizeof a->buffer;

	G_STATIC_ASSERT(offsetof(isa_insn, buffer) + 1 - offsetof(isa_insn, addr) == 5 * 4 + 8 * 2 + 4);
	return memcmp((const char *)a + begin, (const char *)b + begin, end - begin) == 0;
}

bool isa_encode(const isa_insn *insn, isa_word *word, GError **error)
{
	unsigned shift = OPCODE_BITS;
	isa_insn held;

	if (insn->op >= ISA_OP_COUNT) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "there is no instruction with number %u", insn->op);
		return false;
	}
	held = isa_insn_make(insn->op, 0, 0);
	*word = (isa_word){(uint64_t)insn->op + 1, 0};
	for (const isa_format_field *f = isa_formats[isa_ops[insn->op].format].fields; f->bits; f++) {
		int64_t value = isa_field_get(insn, f->field);

		if (!isa_field_legal(f, value)) {
			field_error(error, insn, f, value);
			return false;
		}
		isa_field_set(&held, f->field, value);
		put_bits(word, shift, f->bits, (uint64_t)value);
		shift += f->bits;
	}
	return same_fields(insn, &held) || fail_foreign_field(insn, error);
}

bool isa_encode_repeat(const isa_insn *insn, int level, isa_word *word, GError **error)
{
	isa_insn repeat = isa_insn_make(ISA_OP_REPEAT, insn->queue, 0);

	if (insn->loop[level].count < 1) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: a loop of 0 issues", isa_ops[insn->op].mnemonic);
		return false;
	}
	repeat.count = insn->loop[level].count - 1;
	repeat.loop[0] = insn->loop[level];
	if (level == 0)
		for (int i = 0; i < ISA_ROT_COUNT; i++)
			repeat.rot[i] = insn->rot[i];
	return isa_encode(&repeat, word, error);
}

isa_word isa_encode_nop(uint32_t cycles)
{
	isa_word word = {ISA_OP_NOP + 1, 0};

	put_bits(&word, OPCODE_BITS, isa_formats[ISA_FORMAT_NOP].fields[0].bits, cycles);
	return word;
}

bool isa_decode(isa_word word, isa_insn *insn)
{
	unsigned opcode = (unsigned)get_bits(&word, 0, OPCODE_BITS);
	unsigned shift = OPCODE_BITS;
	uint16_t queue = insn->queue;

	if (opcode == 0 || opcode > ISA_OP_COUNT)
		return false;
	*insn = isa_insn_make(opcode - 1, queue, 0);
	for (const isa_format_field *f = isa_formats[isa_ops[insn->op].format].fields; f->bits; f++) {
		uint64_t raw = get_bits(&word, shift, f->bits);
		int64_t value = (int64_t)raw;

		if (f->kind == ISA_KIND_SINT && raw >> (f->bits - 1))
			value -= INT64_C(1) << f->bits;
		if (!isa_field_legal(f, value))
			return false;
		isa_field_set(insn, f->field, value);
		shift += f->bits;
	}
	if (insn->op == ISA_OP_REPEAT) {
		insn->loop[0].count = insn->count + 1;
		insn->count = 0;
	}
	return rest_is_zero(&word, shift);
}
