/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of tools/ that stand between scheduler and models: comparison with predictions, functional check,
 * utilisation, JSON, numbers for people.  The chip's memory is a plain array here: this file supplies tsp_chip_read().
 */
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

#include "tools/compare.h"
#include "tools/json.h"
#include "tools/setup.h"
#include "tools/tool.h"
#include "tools/usage.h"
#include "tools/verify.h"

/* ---- a memory that stands for the chip's ---- */

static uint8_t memory[4096];
static uint64_t memory_bytes; /* below this everything has been written */

bool tsp_chip_read(const tsp_chip *chip, uint64_t location, void *out, uint64_t bytes)
{
	(void)chip;
	if (location + bytes > memory_bytes)
		return false;
	memcpy(out, memory + location, bytes);
	return true;
}

static isa_machine *load(const char *name)
{
	GError *error = NULL;
	isa_machine *m = isa_machine_load(name, &error);

	if (!m || !isa_machine_finish(m, &error)) {
		tap_note("%s", error->message);
		CU_FAIL_FATAL("machine does not load");
	}
	return m;
}

/* ---- comparison ---- */

enum { LOOPS_INNER = 3, LOOPS_OUTER = 2, RUN_CYCLES = 1027 };

/* One instruction at cycle 100, 3 issues 10 apart, that twice 1000 apart: cycles 100 110 120 1100 1110 1120.  Operand 0
 * arrives 2 before the issue, the result comes 7 after it, in 2 beats: 4 events an issue.  The run ends 1120 + 7 - 100
 * cycles after its first issue. */
static isa_program *looped_program(const isa_machine *m)
{
	isa_program *p = isa_program_new(m);
	isa_insn insn = isa_insn_make(ISA_OP_LOAD, 0, 100);
	isa_prediction prediction = {.arrival = {-2, ISA_NO_TIME, ISA_NO_TIME}, .result = 7, .beats = 2};
	uint32_t id;

	insn.loop[0] = (isa_loop){.count = LOOPS_INNER, .interval = 10};
	insn.loop[1] = (isa_loop){.count = LOOPS_OUTER, .interval = 1000};
	id = isa_program_add(p, &insn, isa_program_add_node(p, "n", 0));
	isa_program_set_prediction(p, id, &prediction);
	p->has_predictions = true;
	p->predicted_cycles = RUN_CYCLES;
	return p;
}

/* The record that agrees with looped_program()'s predictions for issue INDEX. */
static probe_issue agreeing(uint32_t index)
{
	int64_t cycle = 100 + 10 * (index % LOOPS_INNER) + 1000 * (index / LOOPS_INNER);

	return (probe_issue){
		.cycle = cycle,
		.arrival = {cycle - 2, PROBE_NO_TIME, PROBE_NO_TIME},
		.result = cycle + 7,
		.index = index,
		.beats = 2,
	};
}

static void report_issues(compare *c, const probe_issue *records, size_t count)
{
	probe_listener listener = compare_listener(c);

	listener.issues(listener.state, records, count);
}

static void an_agreeing_run_counts_each_issue_arrival_result_and_beat(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = looped_program(m);
	compare *c = compare_new(p);

	for (uint32_t i = 0; i < LOOPS_INNER * LOOPS_OUTER; i++) {
		probe_issue r = agreeing(i);

		report_issues(c, &r, 1);
	}
	compare_finish(c, RUN_CYCLES);
	/* 6 issues x (issue, one arrival, result, beats) */
	CU_ASSERT_EQUAL(compare_events(c), 24);
	CU_ASSERT_EQUAL(compare_mismatches(c), 0);
	compare_free(c);
	isa_program_free(p);
	isa_machine_free(m);
}

static void issues_reported_out_of_order_are_compared_with_their_own_prediction(void)
{
	static const uint32_t order[] = {5, 0, 4, 1, 3, 2};
	isa_machine *m = load("tsp");
	isa_program *p = looped_program(m);
	compare *c = compare_new(p);

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
		probe_issue r = agreeing(order[i]);

		report_issues(c, &r, 1);
	}
	compare_finish(c, RUN_CYCLES);
	CU_ASSERT_EQUAL(compare_events(c), 24);
	CU_ASSERT_EQUAL(compare_mismatches(c), 0);
	compare_free(c);
	isa_program_free(p);
	isa_machine_free(m);
}

static void each_kind_of_difference_is_counted_and_the_first_ones_are_kept_in_order(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = looped_program(m);
	compare *c = compare_new(p);
	probe_issue records[LOOPS_INNER * LOOPS_OUTER];
	const compare_difference *kept;
	unsigned count;

	for (uint32_t i = 0; i < G_N_ELEMENTS(records); i++)
		records[i] = agreeing(i);
	records[0].arrival[0] += 1;
	records[1].result = PROBE_NO_TIME;
	records[4].beats = 3;
	records[5].cycle += 1;
	report_issues(c, records, G_N_ELEMENTS(records));
	compare_finish(c, RUN_CYCLES);
	CU_ASSERT_EQUAL(compare_mismatches(c), 4);
	kept = compare_kept(c, &count);
	CU_ASSERT_EQUAL_FATAL(count, 4);
	CU_ASSERT_EQUAL(kept[0].what, COMPARE_ARRIVAL);
	CU_ASSERT_EQUAL(kept[0].predicted, 98);
	CU_ASSERT_EQUAL(kept[0].simulated, 99);
	CU_ASSERT_EQUAL(kept[1].what, COMPARE_RESULT);
	CU_ASSERT_EQUAL(kept[1].predicted, 117);
	CU_ASSERT_EQUAL(kept[1].simulated, PROBE_NO_TIME);
	CU_ASSERT_EQUAL(kept[2].what, COMPARE_BEATS);
	CU_ASSERT_EQUAL(kept[2].simulated, 3);
	CU_ASSERT_EQUAL(kept[3].what, COMPARE_ISSUE);
	CU_ASSERT_EQUAL(kept[3].index, 5);
	CU_ASSERT_EQUAL(kept[3].predicted, 1120);
	CU_ASSERT_EQUAL(kept[3].simulated, 1121);
	compare_free(c);
	isa_program_free(p);
	isa_machine_free(m);
}

static void an_instruction_that_issues_too_rarely_or_too_often_is_a_difference(void)
{
	static const unsigned issued[] = {0, 5, 6, 7};

	for (unsigned k = 0; k < G_N_ELEMENTS(issued); k++) {
		isa_machine *m = load("tsp");
		isa_program *p = looped_program(m);
		compare *c = compare_new(p);

		for (uint32_t i = 0; i < issued[k]; i++) {
			/* The seventh repeats the last one. */
			probe_issue r = agreeing(MIN(i, 5));

			report_issues(c, &r, 1);
		}
		CU_ASSERT_EQUAL(compare_mismatches(c), 0);
		compare_finish(c, RUN_CYCLES);
		CU_ASSERT_EQUAL(compare_mismatches(c), issued[k] == 6 ? 0 : 1);
		compare_free(c);
		isa_program_free(p);
		isa_machine_free(m);
	}
}

static void a_run_of_another_length_than_predicted_is_a_difference(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = looped_program(m);

	for (int64_t predicted = RUN_CYCLES - 1; predicted <= RUN_CYCLES + 1; predicted++) {
		const compare_difference *kept;
		unsigned count;
		compare *c;

		p->predicted_cycles = predicted;
		c = compare_new(p);
		for (uint32_t i = 0; i < LOOPS_INNER * LOOPS_OUTER; i++) {
			probe_issue r = agreeing(i);

			report_issues(c, &r, 1);
		}
		compare_finish(c, RUN_CYCLES);
		kept = compare_kept(c, &count);
		CU_ASSERT_EQUAL(count, predicted == RUN_CYCLES ? 0 : 1);
		if (count) {
			CU_ASSERT_EQUAL(kept[0].what, COMPARE_LENGTH);
			CU_ASSERT_EQUAL(kept[0].predicted, predicted);
			CU_ASSERT_EQUAL(kept[0].simulated, RUN_CYCLES);
		}
		compare_free(c);
	}
	isa_program_free(p);
	isa_machine_free(m);
}

static void an_instruction_without_prediction_is_held_to_its_issue_cycle_only(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = looped_program(m);
	isa_insn late = isa_insn_make(ISA_OP_LOAD, 1, 50);
	compare *c;
	probe_issue r = {.cycle = 50, .arrival = {1, 2, 3}, .result = 9, .insn = 1, .beats = 4};

	/* As lowering does with IFETCH: an instruction joins, its prediction does not. */
	isa_program_add(p, &late, 0);
	g_array_set_size(p->predictions, 1);
	c = compare_new(p);
	report_issues(c, &r, 1);
	CU_ASSERT_EQUAL(compare_events(c), 1);
	CU_ASSERT_EQUAL(compare_mismatches(c), 0);
	r.index = 1;
	r.cycle = 49;
	report_issues(c, &r, 1);
	CU_ASSERT_EQUAL(compare_mismatches(c), 1);
	compare_free(c);
	isa_program_free(p);
	isa_machine_free(m);
}

/* ---- functional check ---- */

/* A graph whose output "z" is its negated input: [rows][lanes] int8 or fp16. */
static graph *negating_graph(enum isa_type type, uint64_t rows, uint64_t lanes)
{
	graph *g = graph_new("negate");
	uint32_t x = graph_input(g, "x", type, rows, lanes);

	graph_mark_output(g, graph_unary(g, "z", ISA_OP_NEG, type, x));
	graph_fill_inputs(g, 1, false);
	return g;
}

static isa_program *program_with_output(const isa_machine *m, const isa_tensor *tensor)
{
	isa_program *p = isa_program_new(m);
	isa_tensor t = *tensor;
	isa_epoch e = {.name = g_strdup("e"),
	               .end = 1,
	               .images = g_array_new(FALSE, FALSE, sizeof(isa_image)),
	               .mxm_ceiling = -1};

	t.name = g_strdup(tensor->name);
	g_array_append_val(p->tensors, t);
	g_array_append_val(p->epochs, e);
	return p;
}

/* Stores the graph's reference output as TENSOR lies in memory, byte by byte. */
static void store_reference(const graph *g, const isa_tensor *t)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	unsigned bytes = isa_type_bytes(t->type);
	uint64_t index[ISA_RANK_MAX] = {0};
	uint64_t at = 0;

	CU_ASSERT_TRUE_FATAL(graph_evaluate(g, values, NULL));
	for (index[0] = 0; index[0] < t->shape[0]; index[0]++)
		for (index[1] = 0; index[1] < t->shape[1]; index[1]++, at++)
			for (unsigned b = 0; b < bytes; b++)
				memory[isa_tensor_location(t, index, b)] = values[1][at * bytes + b];
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
	memory_bytes = sizeof memory;
}

/* Three ways a [3][40] tensor may lie. */
static const isa_tensor layouts[] = {
	/* rows one after another, fp16 elements whole */
	{.name = (char *)"z",
         .type = ISA_TYPE_F16,
         .rank = 2,
         .shape = {3, 40},
         .base = 16,
         .terms = 3,
         .output = true,
         .term = {{.dim = 0, .div = 1, .stride = 80},
                  {.dim = 1, .div = 1, .stride = 2},
                  {.dim = 2, .div = 1, .stride = 1}}},
	/* a vector for each byte of the element, 16 lanes to a block: lane blocks 1000 bytes apart, bytes 200 apart */
	{.name = (char *)"z",
         .type = ISA_TYPE_F16,
         .rank = 2,
         .shape = {3, 40},
         .base = 0,
         .terms = 4,
         .output = true,
         .term = {{.dim = 0, .div = 1, .stride = 16},
                  {.dim = 1, .div = 1, .mod = 16, .stride = 1},
                  {.dim = 1, .div = 16, .stride = 1000},
                  {.dim = 2, .div = 1, .stride = 200}}},
	/* column-major: nothing lies together */
	{.name = (char *)"z",
         .type = ISA_TYPE_I8,
         .rank = 2,
         .shape = {3, 40},
         .base = 5,
         .terms = 2,
         .output = true,
         .term = {{.dim = 0, .div = 1, .stride = 1}, {.dim = 1, .div = 1, .stride = 3}}},
};

static void for_each_layout(void (*test)(verify *v, const isa_tensor *t))
{
	isa_machine *m = load("tsp");

	for (unsigned i = 0; i < G_N_ELEMENTS(layouts); i++) {
		isa_program *p = program_with_output(m, &layouts[i]);
		g_autoptr(GPtrArray) graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
		verify *v = verify_new(graphs, p);

		g_ptr_array_add(graphs, negating_graph(layouts[i].type, 3, 40));
		memset(memory, 0xaa, sizeof memory);
		store_reference(g_ptr_array_index(graphs, 0), &layouts[i]);
		test(v, &layouts[i]);
		verify_free(v);
		isa_program_free(p);
	}
	isa_machine_free(m);
}

static void check_equal(verify *v, const isa_tensor *t)
{
	(void)t;
	verify_epoch(v, NULL, 0);
	CU_ASSERT_TRUE(verify_passed(v, NULL));
	CU_ASSERT_EQUAL(verify_values(v), 120);
	CU_ASSERT_EQUAL(verify_outputs(v), 1);
	CU_ASSERT_EQUAL(verify_wrong(v), 0);
	CU_ASSERT_PTR_NULL(verify_first(v));
}

static void results_equal_to_the_reference_pass_in_every_layout(void)
{
	for_each_layout(check_equal);
}

static void check_one_bit(verify *v, const isa_tensor *t)
{
	const uint64_t index[ISA_RANK_MAX] = {2, 37};

	memory[isa_tensor_location(t, index, isa_type_bytes(t->type) - 1)] ^= 1;
	verify_epoch(v, NULL, 0);
	CU_ASSERT_FALSE(verify_passed(v, NULL));
	CU_ASSERT_EQUAL(verify_wrong(v), 1);
	CU_ASSERT_TRUE(g_str_has_prefix(verify_first(v), "z[2][37] is "));
}

static void one_wrong_bit_fails_and_is_named_by_its_indices(void)
{
	for_each_layout(check_one_bit);
}

static void check_unwritten(verify *v, const isa_tensor *t)
{
	(void)t;
	memory_bytes = 20;
	verify_epoch(v, NULL, 0);
	CU_ASSERT_FALSE(verify_passed(v, NULL));
	CU_ASSERT_TRUE(verify_wrong(v) > 0);
}

static void memory_never_written_fails(void)
{
	for_each_layout(check_unwritten);
}

static void check_no_epoch(verify *v, const isa_tensor *t)
{
	g_autoptr(GError) error = NULL;

	(void)t;
	CU_ASSERT_FALSE(verify_passed(v, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_INTERNAL));
}

static void a_check_that_saw_no_epoch_is_an_internal_error(void)
{
	for_each_layout(check_no_epoch);
}

/* ---- utilisation ---- */

static void utilisation_counts_work_at_the_peak_of_its_type(void)
{
	isa_machine *m = load("tsp");

	/* 4 planes x 320 x 320 int8 MACs a cycle; two pairs, a vector every second cycle, in fp16. */
	CU_ASSERT_EQUAL(usage_mxm_peak(m, ISA_TYPE_I8), 409600.0);
	CU_ASSERT_EQUAL(usage_mxm_peak(m, ISA_TYPE_F16), 102400.0);
	for (unsigned type = 0; type < 2; type++) {
		isa_program *p = isa_program_new(m);
		isa_insn abc = isa_insn_make(ISA_OP_ABC, 0, 0);
		isa_epoch e = {.name = g_strdup("e"),
		               .end = 100,
		               .images = g_array_new(FALSE, FALSE, sizeof(isa_image)),
		               .macs = 10240000,
		               .mxm_ceiling = 0.5};
		tsp_counters counters = {
			.cycles = 200, .macs = 10240000, .vxm_lane_ops = 16 * 320 * 50, .sram_bytes = 144 * 16 * 20};
		usage u;

		abc.type = type ? ISA_TYPE_F16 : ISA_TYPE_I8;
		g_array_append_val(p->epochs, e);
		isa_program_add(p, &abc, isa_program_add_node(p, "n", 0));
		u = usage_of_run(m, p, &counters);
		/* int8: 25 of 200 cycles at peak, fp16: 100. */
		CU_ASSERT_DOUBLE_EQUAL(u.mxm, type ? 0.5 : 0.125, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(u.mxm_ceiling, 0.5, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(u.vxm, 0.25, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(u.sram, 0.1, 1e-12);
		CU_ASSERT_EQUAL(u.sxm, 0.0);
		isa_program_free(p);
	}
	isa_machine_free(m);
}

static void a_program_without_mxm_work_has_no_ceiling(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = isa_program_new(m);
	tsp_counters counters = {.cycles = 10};
	usage u = usage_of_run(m, p, &counters);

	CU_ASSERT_TRUE(u.mxm_ceiling < 0);
	CU_ASSERT_EQUAL(u.mxm, 0.0);
	isa_program_free(p);
	isa_machine_free(m);
}

static void a_run_of_no_cycles_has_utilisation_0(void)
{
	isa_machine *m = load("tsp");
	isa_program *p = isa_program_new(m);
	tsp_counters counters = {.cycles = 0, .sram_bytes = 16};
	usage u = usage_of_run(m, p, &counters);

	CU_ASSERT_EQUAL(u.sram, 0.0);
	isa_program_free(p);
	isa_machine_free(m);
}

/* ---- settings ---- */

static void a_setting_reaches_both_machines_or_the_one_it_names(void)
{
	char *sets[] = {(char *)"sram.latency_cycles=9", (char *)"sched.vxm.op_cycles=5", (char *)"hw.vxm.op_cycles=6",
	                (char *)"csv.form=gemm", NULL};
	setup s;

	CU_ASSERT_TRUE_FATAL(setup_init(&s, NULL, sets, NULL));
	CU_ASSERT_EQUAL(s.sched->sram_latency_cycles, 9);
	CU_ASSERT_EQUAL(s.hw->sram_latency_cycles, 9);
	CU_ASSERT_EQUAL(s.sched->vxm_op_cycles, 5);
	CU_ASSERT_EQUAL(s.hw->vxm_op_cycles, 6);
	CU_ASSERT_STRING_EQUAL(s.frontend.csv_form, "gemm");
	setup_fini(&s);
}

static void settings_that_are_none_are_refused_with_the_nearest_name(void)
{
	static const struct {
		const char *set, *says;
	} cases[] = {
		{"sram.latency_cycle=9", "sram.latency_cycles"},
		{"hw.sram.latency_cycle=9", "sram.latency_cycles"},
		{"csv.fomr=gemm", "csv.form"},
		{"sram.latency_cycles", "KEY=VALUE"},
		{"=9", "KEY=VALUE"},
		{"sram.latency_cycles=many", "sram.latency_cycles"},
		{"sram.latency_cycles=0", "sram.latency_cycles"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *sets[] = {(char *)cases[i].set, NULL};
		g_autoptr(GError) error = NULL;
		setup s;

		CU_ASSERT_FALSE(setup_init(&s, NULL, sets, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_PTR_NOT_NULL(strstr(error->message, cases[i].says));
	}
}

/* ---- JSON and numbers ---- */

static void json_closes_what_it_opens_and_escapes_strings(void)
{
	json *j = json_new();
	g_autofree char *text = NULL;

	json_object(j, NULL);
	json_string(j, "quote\"", "a\\b\n\x01\t\xff");
	json_array(j, "list");
	json_int(j, NULL, INT64_MIN);
	json_uint(j, NULL, UINT64_MAX);
	json_end(j);
	json_object(j, "empty");
	json_end(j);
	json_real(j, "half", 0.5);
	json_real(j, "nan", NAN);
	json_string(j, "none", NULL);
	json_bool(j, "yes", true);
	json_end(j);
	text = json_finish(j);
	CU_ASSERT_STRING_EQUAL(text, "{\n"
	                             "  \"quote\\\"\": \"a\\\\b\\n\\u0001\\t\xef\xbf\xbd\",\n"
	                             "  \"list\": [\n"
	                             "    -9223372036854775808,\n"
	                             "    18446744073709551615\n"
	                             "  ],\n"
	                             "  \"empty\": {},\n"
	                             "  \"half\": 0.5,\n"
	                             "  \"nan\": null,\n"
	                             "  \"none\": null,\n"
	                             "  \"yes\": true\n"
	                             "}\n");
}

static void numbers_for_people_have_separators_and_units(void)
{
	static const struct {
		uint64_t value;
		const char *count, *bytes;
	} cases[] = {
		{0, "0", "0 B"},
		{999, "999", "999 B"},
		{1000, "1,000", "1.00 kB"},
		{1234567, "1,234,567", "1.23 MB"},
		{999960, "999,960", "1.00 MB"},
		{230400000, "230,400,000", "230.4 MB"},
	};
	g_autofree char *us = tool_seconds(9.3555e-6);
	g_autofree char *s = tool_seconds(125.0);
	g_autofree char *percent = tool_percent(0.6234);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *count = tool_count(cases[i].value);
		g_autofree char *bytes = tool_bytes(cases[i].value);

		CU_ASSERT_STRING_EQUAL(count, cases[i].count);
		CU_ASSERT_STRING_EQUAL(bytes, cases[i].bytes);
	}
	CU_ASSERT_STRING_EQUAL(us, "9.36 us");
	CU_ASSERT_STRING_EQUAL(s, "125.0 s");
	CU_ASSERT_STRING_EQUAL(percent, "62.3 %");
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(an_agreeing_run_counts_each_issue_arrival_result_and_beat),
		CASE(issues_reported_out_of_order_are_compared_with_their_own_prediction),
		CASE(each_kind_of_difference_is_counted_and_the_first_ones_are_kept_in_order),
		CASE(an_instruction_that_issues_too_rarely_or_too_often_is_a_difference),
		CASE(a_run_of_another_length_than_predicted_is_a_difference),
		CASE(an_instruction_without_prediction_is_held_to_its_issue_cycle_only),
		CASE(results_equal_to_the_reference_pass_in_every_layout),
		CASE(one_wrong_bit_fails_and_is_named_by_its_indices),
		CASE(memory_never_written_fails),
		CASE(a_check_that_saw_no_epoch_is_an_internal_error),
		CASE(utilisation_counts_work_at_the_peak_of_its_type),
		CASE(a_program_without_mxm_work_has_no_ceiling),
		CASE(a_run_of_no_cycles_has_utilisation_0),
		CASE(a_setting_reaches_both_machines_or_the_one_it_names),
		CASE(settings_that_are_none_are_refused_with_the_nearest_name),
		CASE(json_closes_what_it_opens_and_escapes_strings),
		CASE(numbers_for_people_have_separators_and_units),
	};

	return tap_run("tools", cases, G_N_ELEMENTS(cases));
}
