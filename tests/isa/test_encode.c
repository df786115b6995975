/* SPDX-License-Identifier: Apache-2.0
 *
 * Queue words: every instruction of the tables survives encoding, and nothing that is not an instruction decodes.
 */
#include "tests/isa/support.h"

enum { ROUNDS = 400, SEED = 20 };

static void every_op_decodes_to_what_was_encoded(void)
{
	GRand *rand = g_rand_new_with_seed(SEED);

	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		if (op == ISA_OP_REPEAT)
			continue; /* isa_encode_repeat() makes it */
		for (int i = 0; i < ROUNDS; i++) {
			isa_insn in = random_insn(rand, op, 0, 0);
			isa_insn out = isa_insn_make(ISA_OP_SYNC, 7, 0);
			isa_word word;

			CU_ASSERT_TRUE_FATAL(isa_encode(&in, &word, NULL));
			CU_ASSERT_TRUE_FATAL(isa_decode(word, &out));
			CU_ASSERT_TRUE_FATAL(same_fields(&in, &out));
			CU_ASSERT_EQUAL(out.queue, 7); /* untouched */
		}
	}
	g_rand_free(rand);
}

static void repeat_words_decode_to_loop_and_rotations(void)
{
	isa_insn in = isa_insn_make(ISA_OP_LOAD, 0, 0);
	isa_insn out = isa_insn_make(ISA_OP_SYNC, 0, 0);
	isa_word word;

	in.loop[0] = (isa_loop){65536, (1 << 20) - 1, INT32_MIN};
	in.loop[1] = (isa_loop){3, 77, 5};
	in.rot[ISA_ROT_DST] = (isa_rotation){-16, 1023};
	in.rot[ISA_ROT_SRC0] = (isa_rotation){15, 0};
	in.rot[ISA_ROT_SRC1] = (isa_rotation){-1, 8};
	CU_ASSERT_TRUE_FATAL(isa_encode_repeat(&in, 0, &word, NULL));
	CU_ASSERT_TRUE_FATAL(isa_decode(word, &out));
	CU_ASSERT_EQUAL(out.op, ISA_OP_REPEAT);
	CU_ASSERT_EQUAL(out.loop[0].count, 65536);
	CU_ASSERT_EQUAL(out.loop[0].interval, (1 << 20) - 1);
	CU_ASSERT_EQUAL(out.loop[0].step, INT32_MIN);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_DST].step, -16);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_DST].wrap, 1023);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_SRC0].step, 15);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_SRC0].wrap, 0);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_SRC1].step, -1);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_SRC1].wrap, 8);
	/* the outer loop carries no rotation */
	CU_ASSERT_TRUE_FATAL(isa_encode_repeat(&in, 1, &word, NULL));
	CU_ASSERT_TRUE_FATAL(isa_decode(word, &out));
	CU_ASSERT_EQUAL(out.loop[0].count, 3);
	CU_ASSERT_EQUAL(out.loop[0].interval, 77);
	CU_ASSERT_EQUAL(out.loop[0].step, 5);
	CU_ASSERT_EQUAL(out.rot[ISA_ROT_DST].step, 0);
}

static void layout_of_a_load_word_is_the_documented_one(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, 0, 0);
	isa_word word;

	insn.addr = 0x89abcdef;
	insn.len = 0x280;
	insn.dst = ISA_PLACE_VREG(12);
	CU_ASSERT_TRUE_FATAL(isa_encode(&insn, &word, NULL));
	/* opcode 8 bits, addr 32, len 12, dst 12 = 64 bits: dst is the top of the low half */
	CU_ASSERT_EQUAL(word.lo, (uint64_t)(ISA_OP_LOAD + 1) | UINT64_C(0x89abcdef) << 8 | UINT64_C(0x280) << 40 |
	                                 UINT64_C(12) << 52);
	CU_ASSERT_EQUAL(word.hi, 0);
}

static void opcodes_are_unique_and_zero_is_none(void)
{
	uint64_t seen[4] = {0};

	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		isa_insn insn = isa_insn_make(op, 0, 0);
		isa_word word;
		unsigned code;

		CU_ASSERT_TRUE_FATAL(isa_encode(&insn, &word, NULL));
		code = word.lo & 255;
		CU_ASSERT_NOT_EQUAL(code, 0);
		CU_ASSERT_EQUAL(seen[code / 64] >> code % 64 & 1, 0);
		seen[code / 64] |= UINT64_C(1) << code % 64;
	}
}

static void illegal_opcodes_do_not_decode(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_SYNC, 0, 0);

	CU_ASSERT_FALSE(isa_decode((isa_word){0, 0}, &insn));
	for (unsigned code = ISA_OP_COUNT + 1; code < 256; code++)
		CU_ASSERT_FALSE(isa_decode((isa_word){code, 0}, &insn));
}

/* Every bit above a format's fields must be zero. */
static void set_padding_does_not_decode(void)
{
	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		isa_insn insn = isa_insn_make(op, 0, 0);
		isa_word good;
		unsigned used = 8;

		CU_ASSERT_TRUE_FATAL(isa_encode(&insn, &good, NULL));
		for (const isa_format_field *f = isa_formats[isa_ops[op].format].fields; f->bits; f++)
			used += f->bits;
		CU_ASSERT_TRUE(used <= 128);
		for (unsigned bit = used; bit < 128; bit++) {
			isa_word bad = good;

			*(bit < 64 ? &bad.lo : &bad.hi) |= UINT64_C(1) << bit % 64;
			CU_ASSERT_FALSE(isa_decode(bad, &insn));
		}
	}
}

static void illegal_places_and_types_neither_encode_nor_decode(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_IW, 0, 0);
	isa_word word;
	GError *error = NULL;

	/* iw: opcode 8, count 10, type 4 bits from 18 */
	for (uint64_t type = 0; type < 16; type++)
		CU_ASSERT_EQUAL(isa_decode((isa_word){(uint64_t)(ISA_OP_IW + 1) | type << 18, 0}, &insn),
		                type < ISA_TYPE_COUNT);
	/* send: opcode 8, src0 12 bits from 8; 1144..4093 are no places */
	for (uint64_t place = 0; place < 4096; place++)
		CU_ASSERT_EQUAL(isa_decode((isa_word){(uint64_t)(ISA_OP_SEND + 1) | place << 8, 0}, &insn),
		                place < 1144 || place >= 4094);
	insn = isa_insn_make(ISA_OP_SEND, 0, 0);
	insn.src0 = 1144;
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "send: src0 code 1144 does not exist");
	insn = isa_insn_make(ISA_OP_IW, 0, 0);
	insn.type = ISA_TYPE_COUNT;
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "iw: type code 5 does not exist");
}

static void fields_beyond_their_width_do_not_encode(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, 0, 0);
	isa_word word;
	GError *error = NULL;

	insn.len = 4096; /* 12 bits */
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "load: len = 4096 does not fit its 12 bits (0 to 4095)");
	insn = isa_insn_make(ISA_OP_LOADS, 0, 0);
	insn.pitch = -(1 << 27) - 1; /* 28 bits, signed */
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "loads: pitch = -134217729 does not fit its 28 bits (-134217728 to 134217727)");
	insn = isa_insn_make(ISA_OP_LOAD, 0, 0);
	insn.loop[0].count = 65537; /* 65536 on top of the first need 17 bits */
	CU_ASSERT_FALSE(isa_encode_repeat(&insn, 0, &word, &error));
	expect_error(&error, "count = 65536 does not fit its 16 bits");
	insn.loop[0].count = 0;
	CU_ASSERT_FALSE(isa_encode_repeat(&insn, 0, &word, &error));
	expect_error(&error, "a loop of 0 issues");
}

static void fields_the_format_lacks_do_not_vanish_silently(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, 0, 0);
	isa_word word;
	GError *error = NULL;

	insn.lanes = 320;
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "load has no field lanes, but it is set");
	insn = isa_insn_make(ISA_OP_SYNC, 0, 0);
	insn.dst = 0; /* register 0 is a place, none is 4095 */
	CU_ASSERT_FALSE(isa_encode(&insn, &word, &error));
	expect_error(&error, "sync has no field dst");
}

static void nops_hold_24_bits(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_SYNC, 0, 0);

	CU_ASSERT_TRUE(isa_decode(isa_encode_nop((1 << 24) - 1), &insn));
	CU_ASSERT_EQUAL(insn.op, ISA_OP_NOP);
	CU_ASSERT_EQUAL(insn.count, (1 << 24) - 1);
}

static void names_lead_back_to_their_rows(void)
{
	for (int op = 0; op < ISA_OP_COUNT; op++)
		CU_ASSERT_EQUAL(isa_op_from_mnemonic(isa_ops[op].mnemonic), op);
	for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
		CU_ASSERT_EQUAL(isa_type_from_name(isa_type_name(type)), (int)type);
	CU_ASSERT_EQUAL(isa_op_from_mnemonic("lode"), -1);
	CU_ASSERT_EQUAL(isa_type_from_name("fp8"), -1);
	CU_ASSERT_EQUAL(isa_type_bytes(ISA_TYPE_I8), 1);
	CU_ASSERT_EQUAL(isa_type_bytes(ISA_TYPE_F16), 2);
	CU_ASSERT_EQUAL(isa_type_bytes(ISA_TYPE_F32), 4);
	CU_ASSERT_STRING_EQUAL(isa_unit_name(ISA_UNIT_C2C), "c2c");
	CU_ASSERT_STRING_EQUAL(isa_violation_name(ISA_VIOLATION_ILLEGAL), "illegal-instruction");
	CU_ASSERT_EQUAL(isa_ops[ISA_OP_ADD].arity, 2);
	CU_ASSERT_EQUAL(isa_ops[ISA_OP_CVT].types, ISA_TYPES_CVT);
}

/* Two loops of 3 x 4: issue 7 is inner 1 of outer 2. */
static void issue_offsets_run_inner_loop_first(void)
{
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, 0, 100);

	insn.loop[0] = (isa_loop){3, 2, 0};
	insn.loop[1] = (isa_loop){4, 10, 0};
	CU_ASSERT_EQUAL(isa_insn_issues(&insn), 12);
	CU_ASSERT_EQUAL(isa_insn_offset(&insn, 7), 1 * 2 + 2 * 10);
	CU_ASSERT_EQUAL(isa_insn_last(&insn), 100 + 2 * 2 + 3 * 10);
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_op_decodes_to_what_was_encoded", every_op_decodes_to_what_was_encoded},
		{"repeat_words_decode_to_loop_and_rotations", repeat_words_decode_to_loop_and_rotations},
		{"layout_of_a_load_word_is_the_documented_one", layout_of_a_load_word_is_the_documented_one},
		{"opcodes_are_unique_and_zero_is_none", opcodes_are_unique_and_zero_is_none},
		{"illegal_opcodes_do_not_decode", illegal_opcodes_do_not_decode},
		{"set_padding_does_not_decode", set_padding_does_not_decode},
		{"illegal_places_and_types_neither_encode_nor_decode",
	         illegal_places_and_types_neither_encode_nor_decode},
		{"fields_beyond_their_width_do_not_encode", fields_beyond_their_width_do_not_encode},
		{"fields_the_format_lacks_do_not_vanish_silently", fields_the_format_lacks_do_not_vanish_silently},
		{"nops_hold_24_bits", nops_hold_24_bits},
		{"names_lead_back_to_their_rows", names_lead_back_to_their_rows},
		{"issue_offsets_run_inner_loop_first", issue_offsets_run_inner_loop_first},
	};

	return tap_run("encode", cases, G_N_ELEMENTS(cases));
}
