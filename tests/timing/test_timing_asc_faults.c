/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted faults: a program with exactly one kind of finding, and its neighbour without any: asc/faults.def.
 */
#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

#include <string.h>

static const struct {
	enum asc_finding kind;
	const char *machine, *faulty, *sound;
} faults[] = {
#define FAULT(kind, machine, faulty, sound) {ASC_FINDING_##kind, machine, faulty, sound},
#include "tests/timing/asc/faults.def"
};

static char *one_line(const char *text)
{
	return g_strdelimit(g_strdup(text), "\n", ';');
}

static void note_findings(const asc_micro *m, const char *text)
{
	g_autofree char *line = one_line(text);

	tap_note("%s", line);
	for (unsigned i = 0; i < m->violations->len && i < 4; i++) {
		const asc_violation *v = &g_array_index(m->violations, asc_violation, i);

		tap_note("  found %s: stream %u insn %u, other %u, %s 0x%" G_GINT64_MODIFIER "x",
		         asc_violation_name(v->kind), v->stream, v->insn, v->other_insn, asc_space_name(v->space),
		         v->address);
	}
}

static void planted_faults_are_found_and_nothing_else(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autoptr(asc_micro) m = asc_micro_run(faults[i].machine, faults[i].faulty);
		uint64_t wanted = asc_micro_count(m, faults[i].kind), all = asc_micro_count(m, ASC_FINDINGS);

		if (!wanted || wanted != all) {
			tap_note("wanted %s:", asc_violation_name(faults[i].kind));
			note_findings(m, faults[i].faulty);
		}
		CU_ASSERT_TRUE(wanted > 0);
		CU_ASSERT_EQUAL(wanted, all);
		CU_ASSERT_EQUAL(m->counters.by_kind[faults[i].kind], wanted);
	}
}

static void neighbours_have_no_finding(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autoptr(asc_micro) m = asc_micro_run(faults[i].machine, faults[i].sound);

		if (asc_micro_count(m, ASC_FINDINGS))
			note_findings(m, faults[i].sound);
		CU_ASSERT_EQUAL(asc_micro_count(m, ASC_FINDINGS), 0);
	}
}

static void every_finding_is_planted(void)
{
	for (unsigned kind = 0; kind < ASC_FINDINGS; kind++) {
		bool planted = false;

		for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++)
			planted |= faults[i].kind == kind;
		CU_ASSERT_TRUE(planted);
	}
}

/* Unordered, but long apart in time: a race that did not meet.  With the scalar unit held back by a loop, the copy is
 * done. */
static void races_that_did_not_meet_are_races_too(void)
{
	g_autoptr(asc_micro) far =
		asc_micro_run("ascend-910b", ".image 0x0 65536\n.stream vector sub=0 block=0\n"
	                                     "gm_to_ub dst=0x0 src=0x0 burst_bytes=512\nmovi rd=r1 imm=0\n"
	                                     "more: add rd=r1 rn=r1 rm=1\nblt rn=r1 rm=1000 label=more\n"
	                                     "vadds type=fp32 dst=0x8000 src=0x0\n");
	g_autoptr(asc_micro) near = asc_micro_run("ascend-910b", ".image 0x0 65536\n.stream vector sub=0 block=0\n"
	                                                         "gm_to_ub dst=0x0 src=0x0 burst_bytes=8192\n"
	                                                         "vadds type=fp32 dst=0x8000 src=0x0\n");

	CU_ASSERT_EQUAL_FATAL(asc_micro_count(far, ASC_FINDING_RACE), 1);
	CU_ASSERT_EQUAL_FATAL(asc_micro_count(near, ASC_FINDING_RACE), 1);
	CU_ASSERT_FALSE(g_array_index(far->violations, asc_violation, 0).met);
	CU_ASSERT_TRUE(g_array_index(near->violations, asc_violation, 0).met);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(planted_faults_are_found_and_nothing_else),
		CASE(neighbours_have_no_finding),
		CASE(every_finding_is_planted),
		CASE(races_that_did_not_meet_are_races_too),
	};

	return tap_run("planted faults of Ascend-style programs", cases, G_N_ELEMENTS(cases));
}
