/* SPDX-License-Identifier: Apache-2.0
 *
 * Which points a sweep has and in which order, what their command lines are, and what its database takes and gives.
 */
#include "tests/lib/tap.h"

#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tools/sweep_engine.h"

static sweep *parse(const char *text)
{
	GError *error = NULL;
	sweep *s = sweep_parse(text, strlen(text), "x.yaml", &error);

	if (!s || !sweep_resolve(s, &error)) {
		tap_note("%s", error->message);
		CU_FAIL_FATAL("the sweep is not read");
	}
	return s;
}

/* The settings of all points, "a b|a b|..." */
static char *grid(const sweep *s)
{
	GString *text = g_string_new(NULL);

	for (uint32_t p = 0; p < sweep_point_count(s); p++)
		for (unsigned a = 0; a < s->axes->len; a++)
			g_string_append_printf(text, "%s%s", a ? " " : p ? "|" : "", sweep_setting(s, p, a));
	return g_string_free(text, FALSE);
}

static void expect_grid(const char *text, const char *expected)
{
	sweep *s = parse(text);
	g_autofree char *got = grid(s);

	CU_ASSERT_STRING_EQUAL(got, expected);
	if (strcmp(got, expected) != 0)
		tap_note("got %s", got);
	sweep_free(s);
}

static void last_axis_changes_fastest(void)
{
	expect_grid("axes: {seed: [1, 2], shuffle: [5, 4], workload: [a, b, c]}\noutputs: [cycles]",
	            "1 5 a|1 5 b|1 5 c|1 4 a|1 4 b|1 4 c|2 5 a|2 5 b|2 5 c|2 4 a|2 4 b|2 4 c");
}

static void ranges_include_their_end_when_a_step_lands_on_it(void)
{
	expect_grid("axes: {seed: {from: 1, to: 7, step: 3}}\noutputs: [cycles]", "1|4|7");
	expect_grid("axes: {seed: {from: 1, to: 6, step: 3}}\noutputs: [cycles]", "1|4");
	expect_grid("axes: {seed: {from: 3, to: 5}}\noutputs: [cycles]", "3|4|5");
	expect_grid("axes: {seed: {from: 3, to: -3, step: -2}}\noutputs: [cycles]", "3|1|-1|-3");
	expect_grid("axes: {seed: {from: 3, to: 24, times: 2}}\noutputs: [cycles]", "3|6|12|24");
	/* 2^62 * 2 does not fit 64 bits: the range ends there. */
	expect_grid("axes: {seed: {from: 2305843009213693952, to: 9223372036854775807, times: 2}}\noutputs: [cycles]",
	            "2305843009213693952|4611686018427387904");
	expect_grid("axes: {seed: {from: 9223372036854775806, to: 9223372036854775807}}\noutputs: [cycles]",
	            "9223372036854775806|9223372036854775807");
}

/* seed and workload move together and stand where seed does, before shuffle: 3 x 2 points. */
static void zipped_axes_move_together_in_the_place_of_the_first(void)
{
	expect_grid("axes: {seed: [1, 2, 3], shuffle: [8, 9], workload: [a, b, c]}\n"
	            "zip: [[workload, seed]]\noutputs: [cycles]",
	            "1 8 a|1 9 a|2 8 b|2 9 b|3 8 c|3 9 c");
}

/* Of 1 2 3 x 8 9: 1 goes altogether, 3 only with 9. */
static void a_rule_excludes_points_for_which_all_its_conditions_hold(void)
{
	expect_grid("axes: {seed: [1, 2, 3], shuffle: [8, 9]}\n"
	            "exclude: [{seed: 1}, {seed: 3, shuffle: 9}]\noutputs: [cycles]",
	            "2 8|2 9|3 8");
	expect_grid("axes: {seed: [1, 2, 3], shuffle: [8, 9]}\n"
	            "exclude: [{seed: [1, 3], shuffle: [9]}]\noutputs: [cycles]",
	            "1 8|2 8|2 9|3 8");
}

static void expect_command(const char *text, uint32_t point, const char *expected)
{
	sweep *s = parse(text);
	g_autofree char *got = sweep_command_text(s, point);

	CU_ASSERT_STRING_EQUAL(got, expected);
	if (strcmp(got, expected) != 0)
		tap_note("got %s", got);
	sweep_free(s);
}

static void keys_become_options_flags_machine_keys_and_arguments(void)
{
	static const char text[] = "base: {machine: tsp, functional: true, no-predictions: false}\n"
				   "axes: {hw.sram.map: ['skew:144,5'], seed: [3, 4], argument: [a b.tspo]}\n"
				   "outputs: [cycles]";

	expect_command(text, 1,
	               "tspsim run --machine=tsp --functional --set hw.sram.map=skew:144,5 --seed=4 --json 'a b.tspo'");
}

static void words_of_the_command_come_first_and_lists_repeat_an_option(void)
{
	expect_command("command: [list, maps]\naxes: {markdown: [false, true]}\noutputs: [x]", 1,
	               "tspsim list maps --markdown --json");
	expect_command("command: diff\nbase: {argument: [a.db, b.db]}\naxes: {examples: [1]}\noutputs: [equal]", 0,
	               "tspsim diff --examples=1 --json a.db b.db");
}

static void lists_of_points_are_ranges_where_they_can_be(void)
{
	static const uint32_t points[] = {0, 1, 2, 7, 9, 10};
	g_autofree char *text = sweep_format_points(points, G_N_ELEMENTS(points));
	uint8_t chosen[11] = {0};

	CU_ASSERT_STRING_EQUAL(text, "0:3,7,9:11");
	CU_ASSERT(sweep_parse_points(text, 11, chosen, NULL));
	for (uint32_t p = 0; p < 11; p++)
		CU_ASSERT_EQUAL(chosen[p], p <= 2 || p == 7 || p >= 9);
}

static void lists_of_points_that_are_not_there_are_refused(void)
{
	static const char *const wrong[] = {"", "11", "0:12", "3:3", "4:3", "1:2:3", "a", "1,", ":", "-1"};
	uint8_t chosen[11];

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		GError *error = NULL;

		CU_ASSERT_FALSE(sweep_parse_points(wrong[i], 11, chosen, &error));
		CU_ASSERT_PTR_NOT_NULL(error);
		g_clear_error(&error);
	}
}

/* ---- the database ---- */

static char *command_of(const void *state, uint32_t point)
{
	(void)state;
	return g_strdup_printf("point %u", point);
}

static const char *setting_of(const void *state, uint32_t point, unsigned axis)
{
	static const char *const values[][3] = {{"7", "07", "-3"}, {"0.5", "mod:139", "1e3"}};

	(void)state;
	return values[axis][point];
}

static const char *const axes[] = {"seed", "a\"b", NULL};
static const char *const outputs[] = {"cycles", "deep.place", "list.1", "maybe", NULL};
static const bool optional[] = {false, false, false, true};
static const char *const nothing[] = {NULL};
static const trace_sweep_plan plan = {
	.points = 3,
	.axes = axes,
	.outputs = outputs,
	.optional = optional,
	.machines = nothing,
	.manifest = nothing,
	.points_digest = "p",
	.inputs_digest = "i",
	.version = "v",
	.command = command_of,
	.setting = setting_of,
};

/* Rows of QUERY, columns by '|' with their types, rows by ' '. */
static char *rows(const char *path, const char *query)
{
	GString *text = g_string_new(NULL);
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;

	CU_ASSERT_EQUAL(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	CU_ASSERT_EQUAL(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *value = (const char *)sqlite3_column_text(statement, i);

			g_string_append_printf(text, "%s%s", i ? "|" : text->len ? " " : "", value ? value : "NULL");
		}
	}
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return g_string_free(text, FALSE);
}

static void expect_rows(const char *path, const char *query, const char *expected)
{
	g_autofree char *got = rows(path, query);

	CU_ASSERT_STRING_EQUAL(got, expected);
	if (strcmp(got, expected) != 0)
		tap_note("got %s", got);
}

static char *new_file(void)
{
	g_autofree char *folder = g_dir_make_tmp("tspsim-sweep-XXXXXX", NULL);

	return g_build_filename(folder, "s.db", NULL);
}

static void remove_file(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	unlink(path);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void answers_are_kept_with_their_types(void)
{
	g_autofree char *path = new_file();
	bool fresh = false;
	trace_sweep *db = trace_sweep_open(path, &plan, &fresh, NULL);
	trace_sweep_outcome good = {
		.point = 2,
		.status = 0,
		.answer = "{\"cycles\": 12, \"deep\": {\"place\": 0.25}, \"list\": [true, \"x\"]}",
		.host = "h",
	};
	trace_sweep_outcome lacking = {.point = 0, .answer = "{\"cycle\": 12}", .host = "h"};
	trace_sweep_outcome none = {.point = 1, .status = 1, .message = "no", .host = "h"};
	g_autofree uint8_t *ended = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(db);
	CU_ASSERT(fresh);
	CU_ASSERT(trace_sweep_record(db, &good, NULL));
	CU_ASSERT(trace_sweep_record(db, &lacking, NULL));
	ended = trace_sweep_ended(db, NULL);
	CU_ASSERT(ended[0] && !ended[1] && ended[2]);
	CU_ASSERT(trace_sweep_record(db, &none, NULL));
	/* A point ends once. */
	CU_ASSERT_FALSE(trace_sweep_record(db, &good, NULL));
	expect_rows(path, "SELECT output, value, typeof(value) FROM result ORDER BY point, output",
	            "0|12|integer 1|0.25|real 2|x|text 3|NULL|null");
	expect_rows(path, "SELECT * FROM outcome ORDER BY point",
	            "0|0|the answer has no 'cycles'; did you mean 'cycle'? 1|1|no 2|0|NULL");
	/* "07" is no number as one writes it. */
	expect_rows(path, "SELECT point, seed, typeof(seed), \"a\"\"b\", typeof(\"a\"\"b\"), cycles FROM points",
	            "0|7|integer|0.5|real|NULL 1|07|text|mod:139|text|NULL 2|-3|integer|1000.0|real|12");
	CU_ASSERT(trace_sweep_forget_failures(db, NULL));
	expect_rows(path, "SELECT point FROM outcome", "2");
	trace_sweep_close(db);
	remove_file(path);
}

static void parts_are_collected_without_what_is_there_already(void)
{
	g_autofree char *path = new_file();
	g_autofree char *part_path = g_strconcat(path, ".part", NULL);
	bool fresh;
	trace_sweep *db = trace_sweep_open(path, &plan, &fresh, NULL);
	trace_sweep *part = trace_sweep_open(part_path, &plan, &fresh, NULL);
	trace_sweep_outcome outcome = {.host = "h", .message = "whole"};
	trace_sweep_count count;
	GError *error = NULL;

	CU_ASSERT(trace_sweep_record(db, &outcome, NULL));
	outcome.message = "part";
	CU_ASSERT(trace_sweep_record(part, &outcome, NULL));
	outcome.point = 2;
	CU_ASSERT(trace_sweep_record(part, &outcome, NULL));
	trace_sweep_close(part);
	CU_ASSERT(trace_sweep_collect(db, part_path, NULL));
	CU_ASSERT(trace_sweep_collect(db, part_path, NULL));
	expect_rows(path, "SELECT point, message FROM outcome ORDER BY point", "0|whole 2|part");
	CU_ASSERT(trace_sweep_tally(db, &count, NULL));
	CU_ASSERT(count.ended == 2 && count.failed == 2 && count.found == 0 && count.first_failed == 0);
	CU_ASSERT_STRING_EQUAL(count.first_message, "whole");
	g_free(count.first_message);
	CU_ASSERT_FALSE(trace_sweep_collect(db, path, &error));
	CU_ASSERT(g_str_has_suffix(error->message, ": a database cannot be collected into itself"));
	g_clear_error(&error);
	trace_sweep_close(db);
	unlink(part_path);
	remove_file(path);
}

static void expect_refusal(const char *path, const trace_sweep_plan *other, const char *expected)
{
	GError *error = NULL;
	bool fresh;

	CU_ASSERT_PTR_NULL(trace_sweep_open(path, other, &fresh, &error));
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT(g_str_has_suffix(error->message, expected));
	g_clear_error(&error);
}

static void another_sweep_is_refused_with_what_differs(void)
{
	g_autofree char *path = new_file();
	trace_sweep_plan other = plan;
	bool fresh = true;
	trace_sweep *db = trace_sweep_open(path, &plan, &fresh, NULL);

	expect_refusal(path, &plan, ": another tspsim sweep is at work on it");
	trace_sweep_close(db);
	other.points_digest = "q";
	expect_refusal(path, &other, ": holds another sweep: its points or outputs are not these");
	other = plan;
	other.inputs_digest = "j";
	expect_refusal(path, &other, ": a machine or a file that the points read has changed since this sweep began");
	other = plan;
	other.version = "w";
	expect_refusal(path, &other,
	               ": begun by another version of tspsim than w; results of two versions are not mixed");
	db = trace_sweep_open(path, &plan, &fresh, NULL);
	CU_ASSERT_PTR_NOT_NULL(db);
	CU_ASSERT_FALSE(fresh);
	trace_sweep_close(db);
	remove_file(path);
}

int main(void)
{
	static const tap_case cases[] = {
		{"last_axis_changes_fastest", last_axis_changes_fastest},
		{"ranges_include_their_end_when_a_step_lands_on_it", ranges_include_their_end_when_a_step_lands_on_it},
		{"zipped_axes_move_together_in_the_place_of_the_first",
	         zipped_axes_move_together_in_the_place_of_the_first},
		{"a_rule_excludes_points_for_which_all_its_conditions_hold",
	         a_rule_excludes_points_for_which_all_its_conditions_hold},
		{"keys_become_options_flags_machine_keys_and_arguments",
	         keys_become_options_flags_machine_keys_and_arguments},
		{"words_of_the_command_come_first_and_lists_repeat_an_option",
	         words_of_the_command_come_first_and_lists_repeat_an_option},
		{"lists_of_points_are_ranges_where_they_can_be", lists_of_points_are_ranges_where_they_can_be},
		{"lists_of_points_that_are_not_there_are_refused", lists_of_points_that_are_not_there_are_refused},
		{"answers_are_kept_with_their_types", answers_are_kept_with_their_types},
		{"parts_are_collected_without_what_is_there_already",
	         parts_are_collected_without_what_is_there_already},
		{"another_sweep_is_refused_with_what_differs", another_sweep_is_refused_with_what_differs},
	};

	return tap_run("sweep", cases, G_N_ELEMENTS(cases));
}
