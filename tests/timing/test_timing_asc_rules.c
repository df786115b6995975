/* SPDX-License-Identifier: Apache-2.0
 *
 * What Ascend-style programs may not say, refused by the name of the rule: asc/limits.def, and all pairs of pipes.
 */
#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

#include <string.h>

static void limits_are_refused_by_name_and_neighbours_are_not(void)
{
	static const struct {
		const char *rule, *machine, *kind, *allowed, *refused, *source;
	} rows[] = {
#define LIMIT(rule, machine, kind, allowed, refused, source) {rule, machine, kind, allowed, refused, source},
#include "tests/timing/asc/limits.def"
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *good = g_strdup_printf(".stream %s\n%s\n", rows[i].kind, rows[i].allowed);
		g_autofree char *bad = g_strdup_printf(".stream %s\n%s\n", rows[i].kind, rows[i].refused);
		g_autoptr(asc_micro) allowed = asc_micro_try(rows[i].machine, good);
		g_autoptr(asc_micro) refused = asc_micro_try(rows[i].machine, bad);

		if (allowed->refused)
			tap_note("allowed (%s) but refused: %s: %s", rows[i].source, rows[i].allowed, allowed->refusal);
		CU_ASSERT_FALSE(allowed->refused);
		if (!refused->refused)
			tap_note("not refused (%s, %s): %s", rows[i].rule, rows[i].source, rows[i].refused);
		else if (!strstr(refused->refusal, rows[i].rule))
			tap_note("refused, but not by %s: %s: %s", rows[i].rule, rows[i].refused, refused->refusal);
		CU_ASSERT_TRUE(refused->refused && strstr(refused->refusal, rows[i].rule));
	}
}

/* As documented, in a list of its own: "M>MTE1" and so on. */
static bool legal(const char *kind, const char *from, const char *to)
{
	static const char cube[] =
		" M>MTE1 MTE1>M M>MTE2 M>FIX MTE1>MTE2 MTE1>MTE3 MTE1>FIX MTE2>M MTE2>MTE1 MTE2>MTE3 "
		"MTE3>MTE1 MTE3>MTE2 FIX>M FIX>MTE1 ";
	static const char vector[] = " S V MTE2 MTE3 ";
	g_autofree char *pair = g_strdup_printf(" %s>%s ", from, to);
	g_autofree char *a = g_strdup_printf(" %s ", from), *b = g_strdup_printf(" %s ", to);

	if (strcmp(kind, "cube") == 0)
		return strstr(cube, pair);
	return strcmp(from, to) != 0 && strstr(vector, a) && strstr(vector, b);
}

/* "All of S, V, MTE2, MTE3 to one another, S to S excepted": other pipes to themselves are left out here, as the text
 * can be read either way. */
static void only_documented_pairs_have_flags(void)
{
	static const char *const kinds[] = {"cube", "vector"};

	for (unsigned k = 0; k < 2; k++)
		for (unsigned f = 0; f < ASC_PIPES; f++)
			for (unsigned t = 0; t < ASC_PIPES; t++) {
				const char *from = asc_pipe_name(f), *to = asc_pipe_name(t);
				g_autofree char *text = g_strdup_printf(
					".stream %s\nset_flag from=%s to=%s id=0\nwait_flag from=%s to=%s id=0\n",
					kinds[k], from, to, from, to);
				g_autoptr(asc_micro) m = asc_micro_try("ascend-910b", text);

				if (k == 1 && f == t && f != ASC_PIPE_S)
					continue;
				if (m->refused == legal(kinds[k], from, to))
					tap_note("%s: %s to %s %s", kinds[k], from, to,
					         m->refused ? "refused, though documented"
					                    : "accepted, though not documented");
				CU_ASSERT_EQUAL(m->refused, !legal(kinds[k], from, to));
				if (m->refused)
					CU_ASSERT_TRUE(strstr(m->refusal, "flag-pair") || strstr(m->refusal, "pipe"));
			}
}

/* What is refused when it is written down is found when it comes from a register; the neighbour is not. */
static void limits_hold_for_values_of_registers(void)
{
	static const struct {
		enum asc_finding finding;
		const char *text;
		int64_t allowed, refused;
	} rows[] = {
		{ASC_FINDING_ILLEGAL, "load3d_a type=fp16 h=8 w=8 stride=r1", 0x3f3f, 0x3e40},
		{ASC_FINDING_ILLEGAL, "load3d_a type=fp16 h=8 w=8 stride=r1", 0x0101, 0x0200},
		{ASC_FINDING_ILLEGAL, "load3d_b type=fp16 h=8 w=8 dilation=r1", 0x01ff, 0x0200},
		{ASC_FINDING_ALIGNMENT, "mmad type=fp16 c=r1", 0x400, 0x200},
		{ASC_FINDING_ALIGNMENT, "mmad type=int8 c=r1", 0x40, 0x20},
		{ASC_FINDING_ALIGNMENT, "mmad type=fp16 bias=0x40 init=r1", 1, 2},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		for (int bad = 0; bad < 2; bad++) {
			g_autofree char *text =
				g_strdup_printf(".stream cube block=0\nmovi rd=r1 imm=%" G_GINT64_FORMAT "\n%s\n",
			                        bad ? rows[i].refused : rows[i].allowed, rows[i].text);
			g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", text);

			if (asc_micro_count(m, rows[i].finding) != (uint64_t)bad)
				tap_note("%s: %s", rows[i].text, bad ? "not found" : "found, though allowed");
			CU_ASSERT_EQUAL(asc_micro_count(m, rows[i].finding), (uint64_t)bad);
		}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(limits_are_refused_by_name_and_neighbours_are_not),
		CASE(limits_hold_for_values_of_registers),
		CASE(only_documented_pairs_have_flags),
	};

	return tap_run("rules of Ascend-style programs", cases, G_N_ELEMENTS(cases));
}
