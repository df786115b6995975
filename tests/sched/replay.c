/* SPDX-License-Identifier: Apache-2.0
 *
 * See replay.h.
 */
#include "tests/sched/replay.h"

#include <string.h>

#include "models/tsp/chip.h"
#include "sched/frontend/frontend.h"
#include "tests/lib/oracle.h"

enum { LINES = 8 };

typedef struct check {
	replay *r;
	const isa_program *program;
	GPtrArray *graphs;
} check;

/* Copies bytes of either executor's memory; false when they were never written. */
typedef bool (*read_fn)(const void *memory, uint64_t location, void *out, uint64_t bytes);

isa_machine *replay_machine(const char *name, const char *const *settings)
{
	g_autoptr(GError) error = NULL;
	isa_machine *m = isa_machine_load(name, &error);

	g_assert_no_error(error);
	for (; settings && *settings; settings++) {
		g_auto(GStrv) pair = g_strsplit(*settings, "=", 2);

		isa_machine_set(m, pair[0], pair[1], &error);
		g_assert_no_error(error);
	}
	isa_machine_finish(m, &error);
	g_assert_no_error(error);
	return m;
}

static void say(replay *r, uint64_t *counter, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void say(replay *r, uint64_t *counter, const char *format, ...)
{
	va_list arguments;

	if ((*counter)++ >= LINES)
		return;
	va_start(arguments, format);
	g_string_append_vprintf(r->text, format, arguments);
	va_end(arguments);
	g_string_append_c(r->text, '\n');
}

static void describe(const check *c, uint32_t insn, GString *out)
{
	const isa_insn *i;
	uint32_t node;

	if (insn >= c->program->insns->len) {
		g_string_append(out, "no instruction");
		return;
	}
	i = isa_program_insn(c->program, insn);
	node = g_array_index(c->program->node_of, uint32_t, insn);
	g_string_append_printf(out, "#%u @%" G_GINT64_FORMAT " q%u %s (%s)", insn, i->cycle, i->queue,
	                       isa_ops[i->op].mnemonic, g_array_index(c->program->nodes, isa_node, node).name);
}

/* --------------------------------------------------------------------------------------------- what is compared */

static void compare_time(const check *c, const probe_issue *issue, const char *what, int64_t found, int64_t predicted)
{
	g_autoptr(GString) text = NULL;

	if (found == predicted)
		return;
	text = g_string_new(NULL);
	describe(c, issue->insn, text);
	say(c->r, &c->r->mispredictions, "%s[%u]: %s %" G_GINT64_FORMAT ", predicted %" G_GINT64_FORMAT, text->str,
	    issue->index, what, found, predicted);
}

static void compare_issue(const check *c, const probe_issue *issue)
{
	static const char *const operands[ISA_OPERANDS] = {"operand 0 arrived at", "operand 1 arrived at",
	                                                   "operand 2 arrived at"};
	const isa_prediction *p;
	const isa_insn *insn;
	int64_t cycle;

	if (issue->insn >= c->program->predictions->len)
		return;
	p = &g_array_index(c->program->predictions, isa_prediction, issue->insn);
	insn = isa_program_insn(c->program, issue->insn);
	cycle = insn->cycle + isa_insn_offset(insn, issue->index);
	c->r->issues++;
	compare_time(c, issue, "issued at", issue->cycle, cycle);
	for (unsigned o = 0; o < ISA_OPERANDS; o++)
		if (p->arrival[o] != ISA_NO_TIME)
			compare_time(c, issue, operands[o], issue->arrival[o], cycle + p->arrival[o]);
	if (p->result != ISA_NO_TIME)
		compare_time(c, issue, "result at", issue->result, cycle + p->result);
	if (p->beats)
		compare_time(c, issue, "beats", issue->beats, p->beats);
}

static void note_violation(const check *c, const probe_violation *v)
{
	g_autoptr(GString) text = g_string_new(NULL);

	describe(c, v->insn, text);
	if (v->other != UINT32_MAX) {
		g_string_append(text, " and ");
		describe(c, v->other, text);
	}
	say(c->r, &c->r->violations, "%s[%u] at %" G_GINT64_FORMAT ": %s, %" G_GINT64_FORMAT, text->str, v->index,
	    v->cycle, isa_violation_name((enum isa_violation)v->kind), v->detail);
}

static uint32_t find_node(const graph *g, const isa_tensor *t)
{
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->output && strcmp(graph_at(g, i)->name, t->name) == 0)
			return i;
	return UINT32_MAX;
}

static void compare_tensor(const check *c, const void *memory, read_fn read, const isa_tensor *t,
                           const uint8_t *expected)
{
	unsigned bytes = isa_type_bytes(t->type);

	for (uint64_t row = 0; row < t->shape[0]; row++)
		for (uint64_t lane = 0; lane < t->shape[1]; lane++, expected += bytes) {
			uint64_t index[2] = {row, lane};
			uint8_t found[4] = {0};

			c->r->values++;
			if (!read(memory, isa_tensor_location(t, index, 0), found, bytes))
				say(c->r, &c->r->wrong_values,
				    "%s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "] not written", t->name, row, lane);
			else if (memcmp(found, expected, bytes))
				say(c->r, &c->r->wrong_values,
				    "%s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "] is %02x%02x, expected %02x%02x",
				    t->name, row, lane, found[1], found[0], expected[1], expected[0]);
		}
}

static void check_epoch(const check *c, const void *memory, read_fn read, uint32_t epoch)
{
	const graph *g = g_ptr_array_index(c->graphs, epoch);
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	g_autoptr(GError) error = NULL;

	if (!graph_evaluate(g, values, &error)) {
		say(c->r, &c->r->wrong_values, "%s", error->message);
		return;
	}
	for (guint i = 0; i < c->program->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(c->program->tensors, isa_tensor, i);
		uint32_t node = t->output && t->epoch == epoch ? find_node(g, t) : UINT32_MAX;

		if (node != UINT32_MAX)
			compare_tensor(c, memory, read, t, values[node]);
	}
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
}

/* ------------------------------------------------------------------------------------------------ the oracle */

static bool read_oracle(const void *memory, uint64_t location, void *out, uint64_t bytes)
{
	return oracle_memory_read(memory, location, out, bytes);
}

static void end_oracle_epoch(void *state, const oracle_memory *memory, uint32_t epoch)
{
	check_epoch(state, memory, read_oracle, epoch);
}

static bool run_oracle(check *c, const isa_machine *machine, bool functional, GError **error)
{
	oracle_options options = {
		.functional = functional, .epoch_end = functional ? end_oracle_epoch : NULL, .epoch_state = c};
	oracle_result *run = oracle_execute(c->program, machine, &options, error);

	if (!run)
		return false;
	for (guint i = 0; i < run->issues->len; i++)
		compare_issue(c, &g_array_index(run->issues, probe_issue, i));
	for (guint i = 0; i < run->violations->len; i++)
		note_violation(c, &g_array_index(run->violations, probe_violation, i));
	c->r->cycles = run->cycles;
	oracle_result_free(run);
	return true;
}

/* ------------------------------------------------------------------------------------------------ the models */

static bool read_chip(const void *memory, uint64_t location, void *out, uint64_t bytes)
{
	return tsp_chip_read(memory, location, out, bytes);
}

static void end_chip_epoch(void *state, tsp_chip *chip, uint32_t epoch)
{
	check_epoch(state, chip, read_chip, epoch);
}

static void hear_issues(void *state, const probe_issue *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		compare_issue(state, &records[i]);
}

static void hear_violation(void *state, const probe_violation *record)
{
	note_violation(state, record);
}

static bool run_chip(check *c, const isa_machine *machine, bool functional, GError **error)
{
	tsp_options options = {.policy = TSP_POLICY_FAULT_CONTINUE,
	                       .functional = functional,
	                       .epoch_end = functional ? end_chip_epoch : NULL,
	                       .epoch_state = c};
	probe_listener listener = {.state = c, .issues = hear_issues, .violation = hear_violation};
	sim_kernel_options kernel_options = {.reference_hz = (uint64_t)machine->clock_hz};
	sim_kernel *kernel = sim_kernel_new("ref", &kernel_options, error);
	tsp_chip *chip = NULL;
	probe heard;
	bool ran = false;

	probe_init(&heard);
	probe_add_listener(&heard, &listener);
	if (kernel)
		chip = tsp_chip_new(machine, c->program, kernel, &heard, &options, error);
	if (chip) {
		ran = sim_kernel_run(kernel, SIM_NEVER, error);
		probe_flush(&heard);
		c->r->cycles = tsp_chip_counters(chip)->cycles;
	}
	tsp_chip_free(chip);
	sim_kernel_free(kernel);
	probe_fini(&heard);
	return ran;
}

/* -------------------------------------------------------------------------------------------------- together */

isa_program *replay_compile(const char *workload, const isa_machine *machine, bool functional, sched_report *report,
                            GPtrArray **graphs, GError **error)
{
	frontend_options frontend = {"auto", "floor", "fp16"};
	sched_options options;
	GPtrArray *read = frontend_read(workload, machine, &frontend, error);
	isa_program *program;

	if (!read)
		return NULL;
	for (guint i = 0; i < read->len && functional; i++)
		graph_fill_inputs(g_ptr_array_index(read, i), i + 1, true);
	sched_options_init(&options);
	options.functional = functional;
	program = sched_compile(read, machine, &options, report, error);
	if (graphs)
		*graphs = read;
	else
		g_ptr_array_unref(read);
	return program;
}

bool replay_workload(const char *workload, const isa_machine *machine, bool functional, enum replay_judge judge,
                     replay *result, GError **error)
{
	GPtrArray *graphs = NULL;
	isa_program *program;
	check c = {.r = result};
	bool ran = false;

	*result = (replay){.text = g_string_new(NULL)};
	program = replay_compile(workload, machine, functional, &result->report, &graphs, error);
	if (program) {
		c.program = program;
		c.graphs = graphs;
		result->predicted = program->predicted_cycles;
		result->instructions = program->insns->len;
		result->mxm_ceiling = g_array_index(program->epochs, isa_epoch, 0).mxm_ceiling;
		ran = (judge == REPLAY_CHIP ? run_chip : run_oracle)(&c, machine, functional, error);
	}
	isa_program_free(program);
	if (graphs)
		g_ptr_array_unref(graphs);
	return ran;
}

void replay_fini(replay *result)
{
	sched_report_fini(&result->report);
	if (result->text)
		g_string_free(g_steal_pointer(&result->text), TRUE);
}

bool replay_is_clean(const replay *r)
{
	return !r->violations && !r->mispredictions && !r->wrong_values && r->cycles == r->predicted;
}
