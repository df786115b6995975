/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of Ascend-style programs: each with a bad case, named by its rule, and a good neighbour.
 */
#include <string.h>

#include "isa/ascend/machine.h"
#include "tests/lib/tap.h"

typedef struct rule_case {
	const char *rule;
	const char *machine; /* ascend- is put before it */
	const char *stream;
	const char *bad, *good;
} rule_case;

static const rule_case rows[] = {
	{"core-kind", "910b", "cube", "vadd", "mmad"},
	{"core-kind", "910b", "vector", "mmad", "vadd"},
	{"core-kind", "910a", "coupled", "fix_gm", "l0c_to_ub"},
	{"register", "910b", "vector", NULL, "vadd dst=r31"},
	{"range", "910b", "vector", "vadd dst_rep=256", "vadd dst_rep=255"},
	{"range", "910b", "cube", "mmad m=4096", "mmad m=4095"},
	{"range", "910b", "cube", "load2d_a repeat=0", "load2d_a repeat=1"},
	{"alignment", "910b", "vector", "vadd dst=0x10", "vadd dst=0x20"},
	{"alignment", "910b", "cube", "load2d_a dst=0x100", "load2d_a dst=0x200"},
	{"range", "910b", "cube", "load3d_a stride=0x4001", "load3d_a stride=0x3f01"},
	{"range", "910b", "cube", "load3d_b stride=0x0140", "load3d_b stride=0x013f"},
	{"range", "910b", "cube", "load3d_a kernel=0x0200", "load3d_a kernel=0x02ff"},
	{"range", "910b", "cube", "load3d_a dilation=0x10001", "load3d_a dilation=0xff01"},
	{"alignment", "910b", "cube", "mmad c=0x200", "mmad c=0x400"},
	{"alignment", "910b", "cube", "mmad type=int8 c=0x20", "mmad type=int8 c=0x40"},
	{"alignment", "910b", "cube", "mmad init=2 bias=0x40", "mmad init=1 bias=0x40"},
	{"granularity", "910b", "cube", "gm_to_l1 burst_bytes=48", "gm_to_l1 burst_bytes=64"},
	{"buffer", "910b", "vector", "vadd dst=0x2ff00", "vadd dst=0x2fee0"},
	{"buffer", "910b", "cube", "mmad type=int8 c=0x20000", "mmad type=int8 c=0x1ffc0"},
	{"buffer", "910a", "coupled", "mmad init=2", "mmad init=1"},
	{"barrier-s", "910b", "vector", "pipe_barrier pipe=S", "pipe_barrier pipe=V"},
	{"pipe", "910b", "cube", "pipe_barrier pipe=V", "pipe_barrier pipe=FIX"},
	{"pipe", "910a", "coupled", "pipe_barrier pipe=FIX", "pipe_barrier pipe=MTE1"},
	{"flag-pair", "910b", "cube", "set_flag from=FIX to=MTE2", "set_flag from=FIX to=MTE1"},
	{"flag-pair", "910b", "vector", "wait_flag from=S to=S", "wait_flag from=S to=V"},
	{"flag-id", "910b", "vector", "set_flag from=V to=S id=8", "set_flag from=V to=S id=7"},
	{"flag-id", "910a", "coupled", "set_flag from=V to=S id=4", "set_flag from=V to=S id=3"},
	{"cross-id", "910b", "vector", "wait_cross pipe=V id=16", "wait_cross pipe=V id=15"},
	{"cross-mode", "910b", "cube", "set_cross pipe=FIX mode=1", "set_cross pipe=FIX mode=2"},
	{"cross-mode", "910b", "vector", "set_cross pipe=V mode=4", "set_cross pipe=V mode=1"},
	{"types", "910a", "coupled", "mmad type=fp32", "mmad type=int8"},
	{"types", "910b", "cube", "mmad type=int32", "mmad type=bf16"},
	{"types", "910b", "cube", "fix_gm type=fp32 dtype=fp16", "fix_gm type=fp32 dtype=fp16 quant=1"},
	{"types", "910b", "cube", "fix_l1 type=fp16 dtype=fp16", "fix_l1 type=int32 dtype=int32"},
	{"types", "910a", "coupled", "l0c_to_ub type=fp32 dtype=int8 quant=9", "l0c_to_ub type=int32 dtype=int8 quant=9"},
	{"nz2nd", "910b", "cube", "fix_gm m=8193", "fix_gm m=8193 nz2nd=0"},
};

static asc_machine *machine(const char *name)
{
	g_autofree char *full = g_strconcat("ascend-", name, NULL);
	asc_machine *m = asc_machine_load(full, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(asc_machine_finish(m, NULL));
	return m;
}

static char *judge(const asc_machine *m, const char *stream, const char *line)
{
	g_autofree char *text = g_strdup_printf(".stream %s\n%s\n", stream, line);
	GError *error = NULL;
	asc_program *p = asc_assemble(text, "t", m, &error);
	char *said = g_strdup(error ? error->message : "");

	asc_program_free(p);
	g_clear_error(&error);
	return said;
}

static void each_rule_refuses_by_name_and_lets_its_neighbour_pass(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		asc_machine *m = machine(rows[i].machine);
		g_autofree char *rule = g_strdup_printf("(rule %s; ", rows[i].rule);
		g_autofree char *good = judge(m, rows[i].stream, rows[i].good);

		if (*good)
			tap_note("%s: %s", rows[i].good, good);
		CU_ASSERT_STRING_EQUAL(good, "");
		if (rows[i].bad) {
			g_autofree char *bad = judge(m, rows[i].stream, rows[i].bad);

			if (!strstr(bad, rule))
				tap_note("%s: %s", rows[i].bad, bad);
			CU_ASSERT_PTR_NOT_NULL(strstr(bad, rule));
		}
		asc_machine_free(m);
	}
}

/* What asc_check() says of a program of one instruction, changed by hand; g_free. */
static char *check(const asc_machine *m, asc_insn insn, enum asc_kind kind, int32_t sub, int32_t block)
{
	asc_program *p = asc_program_new();
	asc_stream *stream = asc_program_stream(p, kind, sub, block);
	GError *error = NULL;
	char *said;

	g_array_append_val(stream->insns, insn);
	said = asc_check(p, m, &error) ? g_strdup("") : g_strdup(error->message);
	g_clear_error(&error);
	asc_program_free(p);
	return said;
}

static void built_programs_are_checked_with_stream_and_instruction(void)
{
	asc_machine *m = machine("910b");
	asc_insn insn = asc_insn_make(ASC_OP_VADD);
	asc_insn jump = asc_insn_make(ASC_OP_JUMP);
	g_autofree char *good = check(m, insn, ASC_VECTOR, 1, 0);
	g_autofree char *kind = check(m, insn, ASC_COUPLED, 0, 0);
	g_autofree char *block = check(m, insn, ASC_VECTOR, 0, 1);
	g_autofree char *reg = NULL;
	g_autofree char *high = NULL;
	g_autofree char *type = NULL;
	g_autofree char *opcode = NULL;
	g_autofree char *label = NULL;

	CU_ASSERT_STRING_EQUAL(good, "");
	CU_ASSERT_STRING_EQUAL(kind, "stream 0: ascend-910b has no coupled cores (rule stream-kind; Ascend C)");
	CU_ASSERT_STRING_EQUAL(block, "stream 0: block 1, expected less than 1 (rule stream-block; design)");
	insn.regs = 2;
	insn.f[1] = 32;
	reg = check(m, insn, ASC_VECTOR, 1, 0);
	CU_ASSERT_STRING_EQUAL(
		reg, "stream 0 (vector), instruction 0 (vadd): dst: r32, expected r0 to r31 (rule register; msOpProf)");
	insn.regs = 0x8000;
	insn.f[1] = 0;
	high = check(m, insn, ASC_VECTOR, 1, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(high, "(rule register;"));
	insn.regs = 1;
	type = check(m, insn, ASC_VECTOR, 1, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(type, "type: takes no value from a register (rule register;"));
	insn.op = ASC_OP_COUNT;
	opcode = check(m, insn, ASC_VECTOR, 1, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(opcode, "(rule opcode;"));
	jump.f[0] = 1;
	label = check(m, jump, ASC_VECTOR, 1, 0);
	CU_ASSERT_STRING_EQUAL(label,
	                       "stream 0 (vector), instruction 0 (jump): label: 1, expected one of 1 instructions "
	                       "(rule label; design)");
	asc_machine_free(m);
}

/* Rows above and the case below name every rule of the table. */
static void every_rule_has_a_case(void)
{
	static const char *const others[] = {"stream-kind", "stream-block", "opcode", "label", "register"};
	static const char *const rules[] = {
#define ASC_RULE(id, name, source, doc) name,
#include "isa/ascend/rules.def"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		bool found = false;

		for (size_t j = 0; j < G_N_ELEMENTS(rows); j++)
			found |= strcmp(rows[j].rule, rules[i]) == 0 && rows[j].bad;
		for (size_t j = 0; j < G_N_ELEMENTS(others); j++)
			found |= strcmp(others[j], rules[i]) == 0;
		if (!found)
			tap_note("%s", rules[i]);
		CU_ASSERT_TRUE(found);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"each_rule_refuses_by_name_and_lets_its_neighbour_pass",
	         each_rule_refuses_by_name_and_lets_its_neighbour_pass},
		{"built_programs_are_checked_with_stream_and_instruction",
	         built_programs_are_checked_with_stream_and_instruction},
		{"every_rule_has_a_case", every_rule_has_a_case},
	};

	return tap_run("asc_check", cases, G_N_ELEMENTS(cases));
}
