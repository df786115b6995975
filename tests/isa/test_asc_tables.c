/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of Ascend-style cores: what the documentation fixes of instructions, flag pairs and order, and that every
 * row is whole.
 */
#include <string.h>

#include "isa/ascend/machine.h"
#include "tests/lib/tap.h"

static const asc_field_info *field(enum asc_op op, const char *name)
{
	int i = asc_field_by_name(op, name);

	CU_ASSERT_TRUE_FATAL(i >= 0);
	return &asc_op(op)->field[i];
}

static void every_row_is_found_by_its_mnemonic_and_fields_by_their_names(void)
{
	for (int op = 0; op < ASC_OP_COUNT; op++) {
		const asc_op_info *info = asc_op((enum asc_op)op);

		CU_ASSERT_EQUAL(asc_op_by_name(info->mnemonic), op);
		CU_ASSERT_TRUE(info->fields <= ASC_FIELDS);
		CU_ASSERT_NOT_EQUAL(info->cores, 0);
		for (unsigned f = 0; f < info->fields; f++) {
			const asc_field_info *i = &info->field[f];

			CU_ASSERT_EQUAL(asc_field_by_name((enum asc_op)op, i->name), (int)f);
			CU_ASSERT_TRUE(i->min <= i->standard && i->standard <= i->max);
			CU_ASSERT_TRUE(i->align_bytes >= 1 && i->standard % i->align_bytes == 0);
			CU_ASSERT_TRUE(i->value != ASC_VALUE_ADDRESS || i->space < ASC_SPACES);
		}
	}
	CU_ASSERT_EQUAL(asc_op_by_name("vadd2"), -1);
	CU_ASSERT_EQUAL(asc_field_by_name(ASC_OP_VADD, "src"), -1);
}

static void limits_are_those_of_the_documentation(void)
{
	/* repeat count 8 bits; strides of the binary form 8 bits, of the unary 16 and 12 */
	CU_ASSERT_EQUAL(field(ASC_OP_VADD, "repeat")->max, 255);
	CU_ASSERT_EQUAL(field(ASC_OP_VADD, "src0_blk")->max, 255);
	CU_ASSERT_EQUAL(field(ASC_OP_VABS, "src_blk")->max, 65535);
	CU_ASSERT_EQUAL(field(ASC_OP_VABS, "src_rep")->max, 4095);
	CU_ASSERT_EQUAL(field(ASC_OP_VABS, "src_rep")->standard, 8);
	CU_ASSERT_EQUAL(field(ASC_OP_MMAD, "m")->max, 4095);
	CU_ASSERT_EQUAL(field(ASC_OP_LOAD2D_A, "repeat")->max, 255);
	CU_ASSERT_EQUAL(field(ASC_OP_LOAD3D_A, "h")->max, 32767);
	CU_ASSERT_EQUAL(field(ASC_OP_GM_TO_UB, "bursts")->max, 4095);
	CU_ASSERT_EQUAL(field(ASC_OP_ND2NZ, "n")->max, 16384);
	CU_ASSERT_EQUAL(field(ASC_OP_FIX_GM, "n")->max, 4095);
}

static void addresses_know_their_buffer_and_alignment(void)
{
	static const struct {
		enum asc_op op;
		const char *field;
		enum asc_space space;
		unsigned align;
	} rows[] = {
		{ASC_OP_VADD, "dst", ASC_UB, 32},       {ASC_OP_MMAD, "c", ASC_L0C, 64},
		{ASC_OP_MMAD, "a", ASC_L0A, 512},       {ASC_OP_MMAD, "bias", ASC_BT, 64},
		{ASC_OP_LOAD2D_A, "dst", ASC_L0A, 512}, {ASC_OP_LOAD3D_B, "dst", ASC_L0B, 512},
		{ASC_OP_GM_TO_L1, "dst", ASC_L1, 32},   {ASC_OP_GM_TO_L1, "src", ASC_GM, 1},
		{ASC_OP_UB_TO_GM, "dst", ASC_GM, 1},    {ASC_OP_UB_TO_L1, "src", ASC_UB, 32},
		{ASC_OP_L1_TO_BT, "dst", ASC_BT, 64},   {ASC_OP_FIX_L1, "dst", ASC_L1, 32},
		{ASC_OP_L0C_TO_UB, "dst", ASC_UB, 32},  {ASC_OP_FIX_GM, "dst", ASC_GM, 1},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const asc_field_info *f = field(rows[i].op, rows[i].field);

		CU_ASSERT_EQUAL(f->value, ASC_VALUE_ADDRESS);
		CU_ASSERT_EQUAL(f->space, rows[i].space);
		CU_ASSERT_EQUAL(f->align_bytes, rows[i].align);
	}
}

static void instructions_go_to_their_pipe_and_sub_core(void)
{
	CU_ASSERT_EQUAL(asc_op(ASC_OP_VADD)->pipe, ASC_PIPE_V);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_VADD)->cores, 1u << ASC_COUPLED | 1u << ASC_VECTOR);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_MMAD)->cores, 1u << ASC_COUPLED | 1u << ASC_CUBE);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_FIX_GM)->cores, 1u << ASC_CUBE);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_L0C_TO_UB)->pipe, ASC_PIPE_V);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_L0C_TO_UB)->cores, 1u << ASC_COUPLED);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_SETCROSS)->cores, 1u << ASC_CUBE | 1u << ASC_VECTOR);
}

/* Cube cores have 14 pairs, vector cores all 12 of S, V, MTE2 and MTE3. */
static void flag_pairs_are_the_documented_ones(void)
{
	unsigned count[ASC_KINDS] = {0};

	for (int kind = 0; kind < ASC_KINDS; kind++)
		for (int from = 0; from < ASC_PIPES; from++)
			for (int to = 0; to < ASC_PIPES; to++)
				count[kind] +=
					asc_flag_pair((enum asc_kind)kind, (enum asc_pipe)from, (enum asc_pipe)to);
	CU_ASSERT_EQUAL(count[ASC_CUBE], 14);
	CU_ASSERT_EQUAL(count[ASC_VECTOR], 12);
	/* MTE2 and MTE3 to one another are in both lists; two pairs join cube and vector */
	CU_ASSERT_EQUAL(count[ASC_COUPLED], 14 + 12 - 2 + 2);
	CU_ASSERT_TRUE(asc_flag_pair(ASC_CUBE, ASC_PIPE_M, ASC_PIPE_FIX));
	CU_ASSERT_FALSE(asc_flag_pair(ASC_CUBE, ASC_PIPE_FIX, ASC_PIPE_MTE2));
	CU_ASSERT_FALSE(asc_flag_pair(ASC_VECTOR, ASC_PIPE_S, ASC_PIPE_S));
}

static void hardware_orders_accumulation_and_the_scalar_unit_only(void)
{
	unsigned ordered = 0;

	for (int pipe = 0; pipe < ASC_PIPES; pipe++)
		for (int space = 0; space < ASC_SPACES; space++)
			for (int writes = 1; writes < 4; writes++)
				ordered +=
					asc_ordered((enum asc_pipe)pipe, (enum asc_space)space, writes & 1, writes & 2);
	/* three orders with a write: in every buffer on S, in L0C on M */
	CU_ASSERT_EQUAL(ordered, 3 * ASC_SPACES + 3);
	CU_ASSERT_TRUE(asc_ordered(ASC_PIPE_M, ASC_L0C, true, true));
	CU_ASSERT_FALSE(asc_ordered(ASC_PIPE_V, ASC_UB, true, false));
	CU_ASSERT_FALSE(asc_ordered(ASC_PIPE_V, ASC_UB, false, true));
}

static void values_come_from_registers_where_the_instruction_says_so(void)
{
	asc_insn insn = asc_insn_make(ASC_OP_VADD);
	int64_t registers[ASC_REGISTERS] = {0};
	int src0 = asc_field_by_name(ASC_OP_VADD, "src0");

	registers[7] = 4096;
	insn.f[src0] = 7;
	CU_ASSERT_EQUAL(asc_get(&insn, src0, registers), 7);
	insn.regs = (uint16_t)(1u << src0);
	CU_ASSERT_EQUAL(asc_get(&insn, src0, registers), 4096);
	CU_ASSERT_EQUAL(insn.start, ASC_NO_TIME);
	CU_ASSERT_EQUAL(insn.f[asc_field_by_name(ASC_OP_VADD, "dst_rep")], 8);
}

static void names_of_types_and_pipes(void)
{
	unsigned bytes = 0;

	for (int i = 0; i < ASC_TYPES; i++) {
		CU_ASSERT_EQUAL(asc_type_by_name(asc_type_name((enum asc_type)i)), i);
		bytes += asc_type_bytes((enum asc_type)i);
	}
	CU_ASSERT_EQUAL(bytes, 1 + 1 + 2 + 2 + 4 + 4 + 2 + 2 + 4);
	CU_ASSERT_STRING_EQUAL(asc_pipe_name(ASC_PIPE_MTE3), "MTE3");
	CU_ASSERT_STRING_EQUAL(asc_space_name(ASC_L0C), "l0c");
	CU_ASSERT_STRING_EQUAL(asc_violation_name(0), "race");
}

static void streams_are_found_again(void)
{
	asc_program *p = asc_program_new();
	asc_stream *all = asc_program_stream(p, ASC_VECTOR, 0, ASC_ALL_BLOCKS);

	CU_ASSERT_PTR_NOT_EQUAL(asc_program_stream(p, ASC_VECTOR, 1, ASC_ALL_BLOCKS), all);
	CU_ASSERT_PTR_NOT_EQUAL(asc_program_stream(p, ASC_CUBE, 0, ASC_ALL_BLOCKS), all);
	CU_ASSERT_PTR_EQUAL(asc_program_stream(p, ASC_VECTOR, 0, ASC_ALL_BLOCKS), all);
	CU_ASSERT_EQUAL(p->streams->len, 3);
	CU_ASSERT_EQUAL(p->blocks, 1);
	CU_ASSERT_EQUAL(p->predicted_cycles, -1);
	asc_program_free(p);
}

int main(void)
{
	static const tap_case cases[] = {
		{"every_row_is_found_by_its_mnemonic_and_fields_by_their_names",
	         every_row_is_found_by_its_mnemonic_and_fields_by_their_names},
		{"limits_are_those_of_the_documentation", limits_are_those_of_the_documentation},
		{"addresses_know_their_buffer_and_alignment", addresses_know_their_buffer_and_alignment},
		{"instructions_go_to_their_pipe_and_sub_core", instructions_go_to_their_pipe_and_sub_core},
		{"flag_pairs_are_the_documented_ones", flag_pairs_are_the_documented_ones},
		{"hardware_orders_accumulation_and_the_scalar_unit_only",
	         hardware_orders_accumulation_and_the_scalar_unit_only},
		{"values_come_from_registers_where_the_instruction_says_so",
	         values_come_from_registers_where_the_instruction_says_so},
		{"names_of_types_and_pipes", names_of_types_and_pipes},
		{"streams_are_found_again", streams_are_found_again},
	};

	return tap_run("asc_tables", cases, G_N_ELEMENTS(cases));
}
