/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine files: both presets hold what their sources say, every mistake in a file or a setting is named where it
 * stands.
 */
#include <glib/gstdio.h>

#include "tests/isa/support.h"

static const char *source_root(void)
{
	const char *root = g_getenv("TSPSIM_SRCDIR");

	return root ? root : TSPSIM_SRCDIR;
}

static void presets_are_found_by_name(void)
{
	g_auto(GStrv) names = isa_machine_names();

	CU_ASSERT_TRUE(g_strv_contains((const char *const *)names, "tsp"));
	CU_ASSERT_TRUE(g_strv_contains((const char *const *)names, "tsp-isca20"));
	for (char **name = names; name[0] && name[1]; name++)
		CU_ASSERT_TRUE(strcmp(name[0], name[1]) < 0);
}

/* 4 SRAM issue slots + 16 ALUs + 4 planes x 3 + 6 lane units + 4 links = 42. */
static void tsp_has_42_queues(void)
{
	isa_machine *m = machine("tsp");

	CU_ASSERT_EQUAL(isa_machine_queue_count(m), 4 + 16 + 12 + 6 + 4);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "mem0"), 0);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "vxm0"), 4);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "mxm0.w"), 20);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "mxm3.c"), 31);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "sxm.shift0"), 32);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "sxm.transpose0"), 37);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "c2c.3"), 41);
	CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, "mem4"), -1);
	for (unsigned q = 0; q < 42; q++) {
		CU_ASSERT_EQUAL(isa_machine_queue(m, q)->side, 0);
		CU_ASSERT_EQUAL(isa_machine_queue(m, q)->position, -1);
	}
	isa_machine_free(m);
}

/* 88 MEM + 16 VXM + 12 MXM + 2 x 12 SXM + 4 links = 144, the published number. */
static void isca20_has_144_queues_at_their_positions(void)
{
	static const struct {
		const char *name;
		unsigned index;
		int position, side, number;
	} some[] = {
		{"mem.w0", 0, 21, 0, 0},
		{"mem.w3", 3, 21, 0, 3},
		{"mem.w4", 4, 20, 0, 4},
		{"mem.w43", 43, 11, 0, 43},
		{"mem.e0", 44, 23, 1, 0},
		{"mem.e43", 87, 33, 1, 43},
		{"vxm15", 103, 22, 0, 15},
		{"mxm0.w", 104, 1, 0, 0},
		{"mxm1.c", 109, 1, 0, 1},
		{"mxm2.a", 111, 43, 1, 2},
		{"sxm.w.shift0", 116, 7, 0, 0},
		{"sxm.w.distribute3", 123, 7, 0, 3},
		{"sxm.e.transpose1", 139, 37, 1, 1},
		{"c2c.w0", 140, 7, 0, 0},
		{"c2c.w1", 141, 7, 0, 1},
		{"c2c.e2", 142, 37, 1, 2},
		{"c2c.e3", 143, 37, 1, 3},
	};
	isa_machine *m = machine("tsp-isca20");

	CU_ASSERT_EQUAL(isa_machine_queue_count(m), 144);
	for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
		const isa_queue_info *q = isa_machine_queue(m, queue(m, some[i].name));

		CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, some[i].name), (int)some[i].index);
		CU_ASSERT_EQUAL(q->position, some[i].position);
		CU_ASSERT_EQUAL(q->side, some[i].side);
		CU_ASSERT_EQUAL(q->index, some[i].number);
	}
	isa_machine_free(m);
}

static void queues_are_found_by_what_they_are(void)
{
	static const char *const presets[] = {"tsp", "tsp-isca20"};

	for (size_t i = 0; i < G_N_ELEMENTS(presets); i++) {
		isa_machine *m = machine(presets[i]);

		for (unsigned q = 0; q < isa_machine_queue_count(m); q++) {
			const isa_queue_info *info = isa_machine_queue(m, q);

			CU_ASSERT_EQUAL(isa_machine_queue_find(m, info->unit, info->side, info->role, info->index),
			                (int)q);
			CU_ASSERT_EQUAL(isa_machine_queue_by_name(m, info->name), (int)q);
		}
		CU_ASSERT_EQUAL(isa_machine_queue_find(m, ISA_UNIT_VXM, 0, 0, 16), -1);
		isa_machine_free(m);
	}
}

static void sram_bytes_are_what_addresses_reach(void)
{
	const char *ideal[] = {"sram.map", "ideal", NULL};
	isa_machine *tsp = machine("tsp");
	isa_machine *whole = machine_with("tsp", ideal);
	isa_machine *isca = machine("tsp-isca20");

	CU_ASSERT_EQUAL(isa_machine_sram_bytes(tsp), 139 * 100000 * 16);        /* 222,400,000 */
	CU_ASSERT_EQUAL(isa_machine_sram_bytes(whole), 144 * 100000 * 16);      /* 230,400,000 */
	CU_ASSERT_EQUAL(isa_machine_sram_bytes(isca), 2 * 44 * 2 * 4096 * 320); /* 230,686,720 = 220 MiB */
	CU_ASSERT_EQUAL(isa_machine_sram_bytes(isca), INT64_C(220) << 20);
	CU_ASSERT_TRUE(tsp->hashed);
	CU_ASSERT_FALSE(isca->hashed);
	/* east, slice 1, word 2: ((44 + 1) * 8192 + 2) * 320 */
	CU_ASSERT_EQUAL(isa_word_location(isca, 1, 1, 2), (45 * 8192 + 2) * 320);
	isa_machine_free(tsp);
	isa_machine_free(whole);
	isa_machine_free(isca);
}

/* The chains that calibrate tsp-isca20, from its own numbers. */
static void calibrated_chains_hold(void)
{
	isa_machine *m = machine("tsp-isca20");
	int64_t hops = m->pos_vxm - m->pos_sxm.at[0];
	int64_t edge = isa_machine_queue(m, queue(m, "mem.w43"))->position;

	CU_ASSERT_EQUAL(m->sxm_transpose_cycles + hops + m->vxm_entry_cycles + 3 * m->vxm_op_cycles + hops +
	                        m->sxm_distribute_cycles,
	                50);
	CU_ASSERT_EQUAL(m->mem_read_cycles + (edge - m->pos_mxm.at[0]) + m->mxm_abc_cycles + m->mxm_acc_cycles +
	                        (m->pos_vxm - m->pos_mxm.at[0]),
	                76);
	/* mirror images */
	CU_ASSERT_EQUAL(m->pos_mxm.at[0] + m->pos_mxm.at[1], 44);
	CU_ASSERT_EQUAL(m->pos_sxm.at[0] + m->pos_sxm.at[1], 44);
	CU_ASSERT_EQUAL(m->pos_mem.at[0] + m->pos_mem.at[1], 44);
	isa_machine_free(m);
}

static void timing_classes_read_their_keys(void)
{
	isa_machine *m = machine("tsp-isca20");

	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_NONE), 0);
	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_BARRIER), 35);
	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_MEM_GATHER), 2);
	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_MXM_ACC), 31);
	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_VXM_TRANSCENDENTAL), 12);
	CU_ASSERT_EQUAL(isa_machine_timing(m, ISA_TIMING_C2C_SEND), 216);
	CU_ASSERT_EQUAL(isa_machine_skew(m, ISA_UNIT_MXM), 0);
	m->mxm_skew_cycles = 3;
	m->mem_skew_cycles = 4;
	CU_ASSERT_EQUAL(isa_machine_skew(m, ISA_UNIT_MXM), 3);
	CU_ASSERT_EQUAL(isa_machine_skew(m, ISA_UNIT_MEM), 4);
	CU_ASSERT_EQUAL(isa_machine_skew(m, ISA_UNIT_C2C), 0);
	isa_machine_free(m);
}

static void every_timing_class_names_a_key_that_exists(void)
{
	static const char *const keys[] = {
#define TIMING(id, key, doc) key,
#include "isa/timing.def"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		CU_ASSERT_TRUE(keys[i] ? isa_key_find(keys[i]) >= 0 : i == ISA_TIMING_NONE);
}

/* Each "KEY; KEY" of a value's source is a row of the tables in docs/sources.md. */
static void every_source_is_explained(void)
{
	static const char *const presets[] = {"tsp", "tsp-isca20"};
	g_autofree char *path = g_build_filename(source_root(), "docs/sources.md", NULL);
	g_autofree char *text = NULL;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &text, NULL, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(presets); i++) {
		isa_machine *m = machine(presets[i]);

		for (size_t key = 0; key < isa_key_count; key++) {
			g_auto(GStrv) parts = g_strsplit(m->origin[key].source, "; ", -1);

			for (char **part = parts; *part; part++) {
				g_autofree char *row = g_strdup_printf("\n| %s | ", *part);

				if (!strstr(text, row))
					tap_note("%s: %s: %s", presets[i], isa_keys[key].path, *part);
				CU_ASSERT_PTR_NOT_NULL(strstr(text, row));
			}
		}
		isa_machine_free(m);
	}
#define BANKMAP(id, syntax, example, doc, source)                                                                      \
	{                                                                                                              \
		g_auto(GStrv) parts = g_strsplit(source, "; ", -1);                                                    \
		for (char **part = parts; *part; part++) {                                                             \
			g_autofree char *row = g_strdup_printf("\n| %s | ", *part);                                    \
			CU_ASSERT_PTR_NOT_NULL(strstr(text, row));                                                     \
		}                                                                                                      \
	}
#define BANKMAP_ANALYSIS BANKMAP
#include "isa/bankmaps.def"
}

static void settings_change_values_and_say_so(void)
{
	isa_machine *m = isa_machine_load("tsp", NULL);
	int key = isa_key_find("clock_hz");
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	text = isa_machine_get_text(m, key);
	CU_ASSERT_STRING_EQUAL(text, "900000000");
	g_free(text);
	CU_ASSERT_EQUAL(m->origin[key].class_, ISA_CLASS_ASSUMED);
	CU_ASSERT_TRUE(isa_machine_set(m, "clock_hz", "1.25e9", NULL));
	CU_ASSERT_EQUAL(m->clock_hz, 1250000000);
	CU_ASSERT_EQUAL(m->origin[key].class_, ISA_CLASS_SET);
	CU_ASSERT_STRING_EQUAL(isa_class_name(ISA_CLASS_SET), "set");
	CU_ASSERT_TRUE(isa_machine_set(m, "sram.rows", "1_000", NULL));
	CU_ASSERT_EQUAL(m->sram_rows, 1000);
	CU_ASSERT_TRUE(isa_machine_set(m, "sram.rows", "12.50e1", NULL));
	CU_ASSERT_EQUAL(m->sram_rows, 125);
	CU_ASSERT_TRUE(isa_machine_set(m, "sxm.queues", "1, 2,3,4,5,6", NULL));
	text = isa_machine_get_text(m, isa_key_find("sxm.queues"));
	CU_ASSERT_STRING_EQUAL(text, "1,2,3,4,5,6");
	g_free(text);
	CU_ASSERT_TRUE(isa_machine_set(m, "sram.map", "skew:144,5", NULL));
	CU_ASSERT_STRING_EQUAL(m->sram_map, "skew:144,5");
	text = isa_machine_dump(m);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nsram.map = skew:144,5  [set; --set]\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "clock_hz = 1250000000 Hz  [set; --set]\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nvxm.op_cycles = 3 cycles  [measured; user timing]\n"));
	g_free(text);
	isa_machine_free(m);
}

static void bad_settings_are_refused_and_change_nothing(void)
{
	static const struct {
		const char *key, *value, *error;
	} bad[] = {
		{"sram.bank", "144", "unknown machine key 'sram.bank'; did you mean 'sram.banks'?"},
		{"nonsense", "1", "unknown machine key 'nonsense'"},
		{"sram.banks", "0", "sram.banks: 0 is out of range, expected 1 to 4096 banks"},
		{"sram.banks", "4097", "out of range"},
		{"sram.banks", "many", "sram.banks: expected an integer such as 144, 1_600_000 or 0.9e9, found 'many'"},
		{"sram.banks", "", "expected an integer"},
		{"sram.banks", "14x", "expected an integer"},
		{"sram.banks", "1__4", "expected an integer"},
		{"sram.banks", "_14", "expected an integer"},
		{"sram.banks", "1e", "expected an integer"},
		{"sram.banks", "1.5", "'1.5' is not an integer"},
		{"sram.banks", "1.25e1", "'1.25e1' is not an integer"},
		{"clock_hz", "1e30", "'1e30' does not fit 64 bits"},
		{"clock_hz", "99999999999999999999", "does not fit 64 bits"},
		{"clock_hz", "-1e9", "out of range"},
		{"sxm.queues", "1,2,3,4,5,6,7,8,9", "sxm.queues: 9 entries, at most 8 are possible"},
		{"sxm.queues", "1,2,17", "sxm.queues: 17 is out of range"},
		{"sxm.queues", "1,,2", "expected an integer"},
		{"sram.map", "", "sram.map: expected a text"},
	};
	isa_machine *m = isa_machine_load("tsp", NULL);
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	before = isa_machine_dump(m);
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		GError *error = NULL;

		CU_ASSERT_FALSE(isa_machine_set(m, bad[i].key, bad[i].value, &error));
		expect_error(&error, bad[i].error);
	}
	after = isa_machine_dump(m);
	CU_ASSERT_STRING_EQUAL(before, after);
	isa_machine_free(m);
}

static void impossible_combinations_are_refused(void)
{
	static const struct {
		const char *preset, *key, *value, *error;
	} bad[] = {
		{"tsp", "mesh.cols", "2", "several stream processors are not modelled yet"},
		{"tsp", "streams.per_direction", "32", "vreg.count and streams.per_direction are both above 0"},
		{"tsp", "vreg.count", "0", "vreg.count and streams.per_direction are both 0"},
		{"tsp", "lanes", "100", "lanes (100) must be a multiple of lanes_per_superlane (16)"},
		{"tsp", "lanes", "160", "vreg.bytes must be two bytes a lane (320), not 640"},
		{"tsp", "vreg.bytes", "639", "vreg.bytes must be two bytes a lane (640), not 639"},
		{"tsp", "vreg.read_ports", "0", "must be above 0 on a machine with registers"},
		{"tsp", "mxm.planes", "3", "mxm.planes (3) must be even"},
		{"tsp", "mxm.rows", "100", "mxm.fp16_sum_rows (160) is above mxm.rows (100)"},
		{"tsp", "sram.map", "mod:145", "sram.map: bank map 'mod:145' needs 145 banks, the memory has 144"},
		{"tsp", "sram.map", "direct", "sram.map: bank map 'direct' belongs to machines with MEM slices"},
		{"tsp", "sram.block_bytes", "24", "one must divide the other"},
		{"tsp", "sram.rows", "16777216", "more than the 4294967296 an address can name"},
		{"tsp", "sxm.queues", "1,1,1", "sxm.queues: expected 6 numbers"},
		{"tsp", "icu.queue_words", "3", "icu.queue_words (3) must be 0 (ideal fetch) or at least 4"},
		{"tsp", "icu.queue_words", "20", "icu.ifetch_words (40) is above icu.queue_words (20)"},
		{"tsp", "mem.slices_per_hemisphere", "44", "a machine with registers needs hashed SRAM"},
		{"tsp-isca20", "mem.slices_per_hemisphere", "0", "a machine with streams needs MEM slices"},
		{"tsp-isca20", "sram.map", "mod:139", "sram.map must be 'direct' on a machine with MEM slices"},
		{"tsp-isca20", "lanes", "160", "mxm.rows (320) is above lanes (160)"},
		{"tsp-isca20", "mxm.planes", "2", "must be 4 on a machine with streams"},
		{"tsp-isca20", "floorplan.positions", "43", "floorplan.mxm: position 43 lies outside the 43 positions"},
		{"tsp-isca20", "floorplan.positions", "0", "floorplan.positions must be at least 1"},
		{"tsp-isca20", "floorplan.vxm", "45", "floorplan.vxm (45) lies outside"},
		{"tsp-isca20", "floorplan.sxm", "7", "floorplan.sxm: expected two positions"},
		{"tsp-isca20", "floorplan.sxm", "37,7", "floorplan.sxm: the first position must lie west of the VXM"},
		{"tsp-isca20", "floorplan.mem", "9,23",
	         "floorplan.mem: 11 groups outward of 9 and 23 leave the 45 positions"},
		{"tsp-isca20", "sram.banks", "144", "sram.banks = 144 contradicts mem.slices_per_hemisphere"},
		{"tsp-isca20", "mem.words_per_bank", "32768", ""},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		isa_machine *m = isa_machine_load(bad[i].preset, NULL);
		GError *error = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_TRUE_FATAL(isa_machine_set(m, bad[i].key, bad[i].value, NULL));
		if (*bad[i].error) {
			CU_ASSERT_FALSE(isa_machine_finish(m, &error));
			expect_error(&error, bad[i].error);
		} else {
			CU_ASSERT_TRUE(isa_machine_finish(m, &error)); /* 2 x 32768 words: just what 16 bits name */
		}
		isa_machine_free(m);
	}
}

/* sram.banks and sram.rows of a direct memory follow from its slices. */
static void direct_memories_derive_their_banks(void)
{
	const char *sets[] = {"mem.slices_per_hemisphere", "40", "mem.words_per_bank", "1024", NULL};
	isa_machine *m = machine_with("tsp-isca20", sets);

	CU_ASSERT_EQUAL(m->sram_banks, 160);
	CU_ASSERT_EQUAL(m->sram_rows, 1024);
	CU_ASSERT_EQUAL(m->origin[isa_key_find("sram.banks")].class_, ISA_CLASS_DERIVED);
	CU_ASSERT_EQUAL(isa_machine_queue_count(m), 144 - 8);
	isa_machine_free(m);
}

static void finishing_twice_gives_the_same_queues(void)
{
	isa_machine *m = machine("tsp-isca20");

	CU_ASSERT_TRUE(isa_machine_finish(m, NULL));
	CU_ASSERT_EQUAL(isa_machine_queue_count(m), 144);
	isa_machine_free(m);
}

static void copies_do_not_share(void)
{
	isa_machine *m = machine("tsp");
	isa_machine *copy = isa_machine_copy(m);
	g_autofree char *before = isa_machine_dump(m);
	g_autofree char *same = isa_machine_dump(copy);
	g_autofree char *after = NULL;

	CU_ASSERT_STRING_EQUAL(before, same);
	CU_ASSERT_EQUAL(isa_machine_queue_count(copy), 42);
	CU_ASSERT_TRUE(isa_machine_set(copy, "sram.map", "ideal", NULL));
	CU_ASSERT_TRUE(isa_machine_set(copy, "vxm.op_cycles", "4", NULL));
	isa_machine_free(copy);
	after = isa_machine_dump(m);
	CU_ASSERT_STRING_EQUAL(before, after);
	isa_machine_free(m);
}

/* ---- files ---- */

static char *preset_text(const char *name)
{
	g_autofree char *path = g_strdup_printf("%s/isa/machines/%s.yaml", source_root(), name);
	char *text = NULL;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

/* tsp.yaml with FROM replaced by TO: 1-based line of the place, for messages. */
static char *changed(const char *from, const char *to, unsigned *line)
{
	g_autofree char *text = preset_text("tsp");
	char *at = strstr(text, from);
	GString *out;

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	*line = 1;
	for (const char *c = text; c < at; c++)
		*line += *c == '\n';
	out = g_string_new_len(text, at - text);
	g_string_append(out, to);
	g_string_append(out, at + strlen(from));
	return g_string_free(out, FALSE);
}

/* LINES is how far below the change the error is reported. */
static void expect_file_error(const char *from, const char *to, unsigned lines, const char *message)
{
	unsigned line;
	g_autofree char *text = changed(from, to, &line);
	g_autofree char *path = NULL;
	g_autofree char *expected = NULL;
	GError *error = NULL;
	isa_machine *m;
	int fd = g_file_open_tmp("tspsim-XXXXXX.yaml", &path, NULL);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	g_close(fd, NULL);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, text, -1, NULL));
	m = isa_machine_load(path, &error);
	CU_ASSERT_PTR_NULL(m);
	if (m) {
		tap_note("accepted: %s", to);
		isa_machine_free(m);
	} else {
		expected = g_strdup_printf("%s:%u:%s", path, line + lines, message);
		expect_error(&error, expected);
	}
	g_unlink(path);
}

#define BANKS "  banks: {value: 144, class: published, source: \"textbook\"}\n"

static void mistakes_in_files_are_named_where_they_stand(void)
{
	expect_file_error("  banks:", "  bansk:", 0, "3: unknown machine key 'sram.bansk'; did you mean 'sram.banks'?");
	expect_file_error("sram:\n", "sramm:\n", 0, "1: unknown machine key 'sramm'; did you mean 'sram'?");
	expect_file_error("name: tsp\n", "name: tsp\ncolour: red\n", 1, "1: unknown machine key 'colour'");
	expect_file_error("value: 144,", "value: many,", 0, "18: sram.banks: expected an integer such as");
	expect_file_error("value: 144,", "value: 5000,", 0,
	                  "18: sram.banks: 5000 is out of range, expected 1 to 4096 banks");
	expect_file_error("value: 144,", "value: [1, 2],", 0, "18: sram.banks: expected one value, found a list");
	expect_file_error("value: 144,", "value: {a: b},", 0, "18: sram.banks: expected a value");
	expect_file_error("value: 144,", "", 0, "10: sram.banks: value is missing");
	expect_file_error("value: 144,", "value: 144, value: 144,", 0, "23: 'value' stands here twice");
	expect_file_error("value: 144, class: published,", "value: 144,", 0, "10: sram.banks: class is missing");
	expect_file_error("value: 144, class: published,", "value: 144, class: guessed,", 0,
	                  "30: unknown class 'guessed', expected published, measured, derived or assumed");
	expect_file_error("value: 144, class: published,", "value: 144, class: publishd,", 0,
	                  "30: unknown class 'publishd', expected published, measured, derived or assumed; did you "
	                  "mean 'published'?");
	expect_file_error("value: 144, class: published,", "value: 144, class: set,", 0, "30: unknown class 'set'");
	expect_file_error("class: published, source: \"textbook\"}\n  rows", "class: published}\n  rows", 0,
	                  "10: sram.banks: source is missing");
	expect_file_error(
		"value: 144,", "valeu: 144,", 0,
		"11: sram.banks: unknown word 'valeu', expected value, class, source or note; did you mean 'value'?");
	expect_file_error(BANKS, "  banks: 144\n", 0, "10: expected a mapping {value: ..., class: ..., source: ...}");
	expect_file_error(BANKS, BANKS BANKS, 1, "3: key 'sram.banks' stands here twice");
	expect_file_error("name: tsp\n", "name: tsp\nname: tsp\n", 1, "1: 'name' stands here twice");
	expect_file_error("sram:\n", "sram: 5\nx:\n", 0, "7: expected a mapping");
	expect_file_error("value: [1, 1, 1, 1, 1, 1]", "value: [1, [1], 1, 1, 1, 1]", 0,
	                  "23: sxm.queues: expected a number");
	expect_file_error("value: [1, 1, 1, 1, 1, 1]", "value: [1, 1, 1, 1, 1, 99]", 0,
	                  "19: sxm.queues: 99 is out of range");
	expect_file_error("value: 144,", "value: *x,", 0, "18: YAML aliases are not read here");
	expect_file_error(BANKS, "  banks: {value: 144, class: published, source: \"textbook\"\n", 1,
	                  "3: did not find expected ',' or '}'");
}

static void missing_keys_and_second_documents_are_refused(void)
{
	unsigned line;
	g_autofree char *text = changed(BANKS, "", &line);
	g_autofree char *path = NULL;
	GError *error = NULL;
	int fd = g_file_open_tmp("tspsim-XXXXXX.yaml", &path, NULL);
	g_autofree char *whole = preset_text("tsp");
	g_autofree char *twice = g_strconcat(whole, "---\n", whole, NULL);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	g_close(fd, NULL);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, text, -1, NULL));
	CU_ASSERT_PTR_NULL(isa_machine_load(path, &error));
	expect_error(&error, ": key 'sram.banks' is missing");
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, twice, -1, NULL));
	CU_ASSERT_PTR_NULL(isa_machine_load(path, &error));
	expect_error(&error, "expected one machine description only");
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, "", -1, NULL));
	CU_ASSERT_PTR_NULL(isa_machine_load(path, &error));
	expect_error(&error, ":1:1: expected a machine description");
	g_unlink(path);
	CU_ASSERT_PTR_NULL(isa_machine_load(path, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_IO));
	g_clear_error(&error);
}

static void unknown_presets_name_the_known_ones(void)
{
	GError *error = NULL;

	CU_ASSERT_PTR_NULL(isa_machine_load("tps", &error));
	expect_error(&error, "unknown machine 'tps', expected a .yaml file or one of: ");
	CU_ASSERT_PTR_NULL(isa_machine_load("tsp-isca2", &error));
	expect_error(&error, "did you mean 'tsp-isca20'?");
}

/* A folder of one's own comes first; a file may be loaded by the alias it gives. */
static void own_folders_and_aliases(void)
{
	unsigned line;
	g_autofree char *text = changed("name: tsp\n", "name: mine\nalias: my-alias\n", &line);
	g_autofree char *folder = g_dir_make_tmp("tspsim-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(folder, "mine.yaml", NULL);
	g_auto(GStrv) names = NULL;
	isa_machine *m;

	CU_ASSERT_TRUE_FATAL(g_file_set_contents(file, text, -1, NULL));
	g_setenv("TSPSIM_MACHINES", folder, TRUE);
	names = isa_machine_names();
	CU_ASSERT_TRUE(g_strv_contains((const char *const *)names, "mine"));
	CU_ASSERT_TRUE(g_strv_contains((const char *const *)names, "tsp"));
	m = isa_machine_load("my-alias", NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_STRING_EQUAL(m->name, "mine");
	isa_machine_free(m);
	g_unsetenv("TSPSIM_MACHINES");
	g_unlink(file);
	g_rmdir(folder);
}

int main(void)
{
	static const tap_case cases[] = {
		{"presets_are_found_by_name", presets_are_found_by_name},
		{"tsp_has_42_queues", tsp_has_42_queues},
		{"isca20_has_144_queues_at_their_positions", isca20_has_144_queues_at_their_positions},
		{"queues_are_found_by_what_they_are", queues_are_found_by_what_they_are},
		{"sram_bytes_are_what_addresses_reach", sram_bytes_are_what_addresses_reach},
		{"calibrated_chains_hold", calibrated_chains_hold},
		{"timing_classes_read_their_keys", timing_classes_read_their_keys},
		{"every_timing_class_names_a_key_that_exists", every_timing_class_names_a_key_that_exists},
		{"every_source_is_explained", every_source_is_explained},
		{"settings_change_values_and_say_so", settings_change_values_and_say_so},
		{"bad_settings_are_refused_and_change_nothing", bad_settings_are_refused_and_change_nothing},
		{"impossible_combinations_are_refused", impossible_combinations_are_refused},
		{"direct_memories_derive_their_banks", direct_memories_derive_their_banks},
		{"finishing_twice_gives_the_same_queues", finishing_twice_gives_the_same_queues},
		{"copies_do_not_share", copies_do_not_share},
		{"mistakes_in_files_are_named_where_they_stand", mistakes_in_files_are_named_where_they_stand},
		{"missing_keys_and_second_documents_are_refused", missing_keys_and_second_documents_are_refused},
		{"unknown_presets_name_the_known_ones", unknown_presets_name_the_known_ones},
		{"own_folders_and_aliases", own_folders_and_aliases},
	};

	return tap_run("machine", cases, G_N_ELEMENTS(cases));
}
