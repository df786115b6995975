/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascend-style machine files: presets load with the published figures, bins inherit from their base, mistakes are named
 * where they stand, and neither kind of machine is taken for the other.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "isa/ascend/machine.h"
#include "tests/lib/tap.h"

static asc_machine *machine(const char *name)
{
	GError *error = NULL;
	asc_machine *m = asc_machine_load(name, &error);

	if (!m)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	if (!asc_machine_finish(m, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	return m;
}

static void alias_ascend_is_the_coupled_910a(void)
{
	asc_machine *m = machine("ascend");

	CU_ASSERT_STRING_EQUAL(m->name, "ascend-910a");
	CU_ASSERT_TRUE(m->coupled);
	CU_ASSERT_EQUAL(m->subcores, 1);
	CU_ASSERT_EQUAL(m->cores, 32);
	CU_ASSERT_EQUAL(m->clock_hz, 1000000000);
	CU_ASSERT_EQUAL(m->flag_ids, 4);
	/* 256 KB, of which 253,952 B are usable */
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_UB), 253952);
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_L1), 1048576);
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_BT), 0);
	asc_machine_free(m);
}

static void split_910b_has_a_cube_and_two_vector_sub_cores(void)
{
	asc_machine *m = machine("ascend-910b");

	CU_ASSERT_FALSE(m->coupled);
	CU_ASSERT_EQUAL(m->subcores, 3);
	CU_ASSERT_EQUAL(m->cores, 24);
	/* peak of the bin: 24 cores x 16 x 16 x 16 MACs x 1.85 GHz x 2 = 363.7 TFLOPS */
	CU_ASSERT_EQUAL(m->cores * m->cube_m * m->cube_n * (m->cube_k_bytes / 2) * m->clock_hz * 2, 363724800000000);
	/* 192 KB less 256 B */
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_UB), 196352);
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_L1), 524032);
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_L0C), 131072);
	CU_ASSERT_EQUAL(asc_space_bytes(m, ASC_GM), INT64_MAX);
	/* 192 MB of L2 = 512 B x 24 ways x 16,384 sets */
	CU_ASSERT_EQUAL(m->l2_bytes, m->l2_line_bytes * m->l2_ways * 16384);
	CU_ASSERT_EQUAL(m->ub_banks / m->ub_groups, 3);
	CU_ASSERT_EQUAL(m->ub_bytes / m->ub_banks, 4096);
	CU_ASSERT_EQUAL(m->queue_depth[ASC_PIPE_S], 0);
	CU_ASSERT_EQUAL(m->queue_depth[ASC_PIPE_M], 32);
	CU_ASSERT_TRUE(asc_machine_has_kind(m, ASC_VECTOR));
	CU_ASSERT_FALSE(asc_machine_has_kind(m, ASC_COUPLED));
	asc_machine_free(m);
}

static void timing_classes_have_the_cycles_of_their_keys(void)
{
	asc_machine *m = machine("ascend-910b");
	const asc_timing_cycles *t = m->timing;

	/* measured 24 + r, 30 + 4 r of fp16; 32 elements a cycle: 64 fp32 take 2 */
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_ADD].head, 24);
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_ADD].b16, 1);
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_DIV].head, 30);
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_DIV].b16, 4);
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_DIV].b32, 2);
	/* 128/7 elements a cycle of 128 fp16, 64/7 of 64 fp32 */
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_CADD].b16, 7);
	CU_ASSERT_EQUAL(t[ASC_TIMING_V_CADD].b32, 7);
	CU_ASSERT_EQUAL(t[ASC_TIMING_LOAD2D_A].b16, 256);
	CU_ASSERT_EQUAL(t[ASC_TIMING_LOAD2D_B].b16, 128);
	CU_ASSERT_EQUAL(t[ASC_TIMING_SCALAR].head, 1);
	CU_ASSERT_EQUAL(t[ASC_TIMING_SCALAR].b16, 0);
	CU_ASSERT_EQUAL(asc_op(ASC_OP_VADD)->timing, ASC_TIMING_V_ADD);
	asc_machine_free(m);
}

static void bin_inherits_what_it_does_not_change(void)
{
	asc_machine *b1 = machine("ascend-910b1");
	asc_machine *b4 = machine("ascend-910b4");

	CU_ASSERT_STRING_EQUAL(b1->name, "ascend-910b");
	CU_ASSERT_STRING_EQUAL(b4->name, "ascend-910b4");
	CU_ASSERT_EQUAL(b4->clock_hz, 1650000000);
	CU_ASSERT_EQUAL(b4->cores, 20);
	CU_ASSERT_EQUAL(b4->l2_bytes, 512 * 24 * 8192);
	CU_ASSERT_EQUAL(b4->ub_bytes, b1->ub_bytes);
	CU_ASSERT_EQUAL(b4->origin[asc_key_find("clock_hz")].class_, ISA_CLASS_PUBLISHED);
	CU_ASSERT_STRING_EQUAL(b4->origin[asc_key_find("clock_hz")].source, "msOpProf");
	CU_ASSERT_STRING_EQUAL(b4->origin[asc_key_find("ub.banks")].source, "Ascend C");
	asc_machine_free(b1);
	asc_machine_free(b4);
}

static void every_preset_has_a_class_and_source_for_every_key(void)
{
	g_auto(GStrv) names = asc_machine_names();

	CU_ASSERT_EQUAL(g_strv_length(names), 6);
	for (char **name = names; *name; name++) {
		asc_machine *m = machine(*name);

		for (size_t k = 0; k < asc_key_count; k++) {
			CU_ASSERT_PTR_NOT_NULL(m->origin[k].source);
			CU_ASSERT_NOT_EQUAL(m->origin[k].class_, ISA_CLASS_SET);
		}
		asc_machine_free(m);
	}
}

static void kinds_of_machines_are_told_apart(void)
{
	g_auto(GStrv) others = isa_machine_names();
	GError *error = NULL;

	CU_ASSERT_TRUE(asc_machine_is("ascend"));
	CU_ASSERT_TRUE(asc_machine_is("ascend-910b3"));
	CU_ASSERT_FALSE(asc_machine_is("tsp"));
	CU_ASSERT_FALSE(asc_machine_is("nothing"));
	CU_ASSERT_FALSE(g_strv_contains((const char *const *)others, "ascend-910a"));
	CU_ASSERT_PTR_NULL(isa_machine_load("ascend-910b", &error));
	CU_ASSERT_STRING_EQUAL(
		error->message,
		"machine 'ascend-910b' is of kind 'ascend', expected one of kind 'tsp', such as tsp, tsp-isca20");
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(asc_machine_load("ascend-910c", &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "did you mean 'ascend-910"));
	g_clear_error(&error);
}

static void set_marks_the_value_and_says_what_is_wrong(void)
{
	asc_machine *m = machine("ascend-310p");
	asc_machine *copy;
	GError *error = NULL;
	int key = asc_key_find("ub.banks");

	CU_ASSERT_TRUE(asc_machine_set(m, "ub.banks", "32", &error));
	CU_ASSERT_EQUAL(m->ub_banks, 32);
	CU_ASSERT_EQUAL(m->origin[key].class_, ISA_CLASS_SET);
	copy = asc_machine_copy(m);
	asc_machine_free(m);
	CU_ASSERT_EQUAL(copy->ub_banks, 32);
	CU_ASSERT_STRING_EQUAL(copy->origin[key].source, "--set");
	CU_ASSERT_FALSE(asc_machine_set(copy, "ub.bank", "32", &error));
	CU_ASSERT_STRING_EQUAL(error->message, "unknown machine key 'ub.bank'; did you mean 'ub.banks'?");
	g_clear_error(&error);
	CU_ASSERT_FALSE(asc_machine_set(copy, "cores", "65", &error));
	CU_ASSERT_STRING_EQUAL(error->message, "cores: 65 is out of range, expected 1 to 64 cores");
	g_clear_error(&error);
	CU_ASSERT_TRUE(asc_machine_set(copy, "ub.banks", "40", &error));
	CU_ASSERT_FALSE(asc_machine_finish(copy, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "ub.banks is 40, expected a multiple of ub.groups, 16");
	g_clear_error(&error);
	asc_machine_free(copy);
}

/* What reading TEXT as a file says, without the file's name; g_free. */
static char *complaint(const char *text)
{
	g_autofree char *path = NULL;
	g_autofree char *prefix = NULL;
	GError *error = NULL;
	asc_machine *m;
	char *message;
	int file = g_file_open_tmp("machineXXXXXX.yaml", &path, NULL);

	CU_ASSERT_TRUE_FATAL(file >= 0);
	g_close(file, NULL);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, text, -1, NULL));
	m = asc_machine_load(path, &error);
	g_unlink(path);
	if (m) {
		asc_machine_free(m);
		return g_strdup("");
	}
	prefix = g_strconcat(path, ":", NULL);
	message = g_strdup(error->message + (g_str_has_prefix(error->message, prefix) ? strlen(prefix) : 0));
	g_error_free(error);
	return message;
}

static void mistakes_in_files_are_named_where_they_stand(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"kind: ascend\nname: x\ntitle: x\nbase: ascend-910b\n", ""},
		{"kind: ascend\nname: x\ntitle: x\nbase: ascend-910b\ncores: {value: 3, class: assumed, source: x}\n",
	         ""},
		{"kind: ascend\nname: x\ntitle: x\n", "4:1: key 'clock_hz' is missing"},
		{"kind: ascend\nname: x\ntitle: x\nbase: nothing\n", "4:7: base 'nothing' is no preset"},
		{"kind: ascend\nname: x\ntitle: x\nbase: tsp\n", "4:7: base 'tsp' is of kind 'tsp', expected 'ascend'"},
		{"kind: ascend\nname: x\ntitle: x\ncores: {value: 3, class: assumed, source: x}\nbase: ascend-910b\n",
	         "5:7: base stands before the keys"},
		{"kind: ascend\nname: x\ntitle: x\nbase: ascend-910b\nub:\n  bank: {value: 3}\n",
	         "6:3: unknown machine key 'ub.bank'; did you mean 'ub.banks'?"},
		{"kind: ascend\nname: x\ntitle: x\nbase: ascend-910b\ncores: {value: 3, class: assumed}\n",
	         "5:8: cores: source is missing"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *said = complaint(cases[i].text);

		if (strcmp(said, cases[i].message) != 0)
			tap_note("%s", said);
		CU_ASSERT_STRING_EQUAL(said, cases[i].message);
	}
}

static void dump_has_a_line_for_every_key(void)
{
	asc_machine *m = machine("ascend-910b");
	g_autofree char *dump = asc_machine_dump(m);
	g_auto(GStrv) lines = g_strsplit(dump, "\n", -1);

	CU_ASSERT_EQUAL(g_strv_length(lines), asc_key_count + 1);
	CU_ASSERT_STRING_EQUAL(lines[0], "clock_hz = 1850000000 Hz  [published; msOpProf]");
	asc_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"alias_ascend_is_the_coupled_910a", alias_ascend_is_the_coupled_910a},
		{"split_910b_has_a_cube_and_two_vector_sub_cores", split_910b_has_a_cube_and_two_vector_sub_cores},
		{"timing_classes_have_the_cycles_of_their_keys", timing_classes_have_the_cycles_of_their_keys},
		{"bin_inherits_what_it_does_not_change", bin_inherits_what_it_does_not_change},
		{"every_preset_has_a_class_and_source_for_every_key",
	         every_preset_has_a_class_and_source_for_every_key},
		{"kinds_of_machines_are_told_apart", kinds_of_machines_are_told_apart},
		{"set_marks_the_value_and_says_what_is_wrong", set_marks_the_value_and_says_what_is_wrong},
		{"mistakes_in_files_are_named_where_they_stand", mistakes_in_files_are_named_where_they_stand},
		{"dump_has_a_line_for_every_key", dump_has_a_line_for_every_key},
	};

	return tap_run("asc_machine", cases, G_N_ELEMENTS(cases));
}
