/* SPDX-License-Identifier: Apache-2.0
 *
 * See replay.h.
 */
#include "tests/sched/replay.h"

#include <string.h>

#include "sched/frontend/frontend.h"
#include "tests/lib/oracle.h"

enum { LINES = 12 };

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

typedef struct check {
	replay *r;
	const isa_program *program;
	GPtrArray *graphs;
} check;

static void describe(const check *c, uint32_t insn, GString *out)
{
	const isa_insn *i = isa_program_insn(c->program, insn);
	uint32_t node = g_array_index(c->program->node_of, uint32_t, insn);

	g_string_append_printf(out, "#%u @%" G_GINT64_FORMAT " q%u %s (%s)", insn, i->cycle, i->queue,
	                       isa_ops[i->op].mnemonic, g_array_index(c->program->nodes, isa_node, node).name);
}

static void compare_issue(const check *c, const probe_issue *issue)
{
	const isa_prediction *p = &g_array_index(c->program->predictions, isa_prediction, issue->insn);
	const isa_insn *insn = isa_program_insn(c->program, issue->insn);
	int64_t cycle = insn->cycle + isa_insn_offset(insn, issue->index);
	g_autoptr(GString) text = g_string_new(NULL);

	describe(c, issue->insn, text);
	if (issue->cycle != cycle)
		say(c->r, &c->r->mispredictions, "%s[%u]: issued at %" G_GINT64_FORMAT, text->str, issue->index,
		    issue->cycle);
	for (unsigned o = 0; o < ISA_OPERANDS; o++)
		if (p->arrival[o] != ISA_NO_TIME && issue->arrival[o] != cycle + p->arrival[o])
			say(c->r, &c->r->mispredictions,
			    "%s[%u]: operand %u arrived at %" G_GINT64_FORMAT ", predicted %" G_GINT64_FORMAT,
			    text->str, issue->index, o, issue->arrival[o], cycle + p->arrival[o]);
	if (p->result != ISA_NO_TIME && issue->result != cycle + p->result)
		say(c->r, &c->r->mispredictions, "%s[%u]: result at %" G_GINT64_FORMAT ", predicted %" G_GINT64_FORMAT,
		    text->str, issue->index, issue->result, cycle + p->result);
	if (p->beats && issue->beats != p->beats)
		say(c->r, &c->r->mispredictions, "%s[%u]: %u beats, predicted %d", text->str, issue->index,
		    issue->beats, p->beats);
}

static uint32_t find_node(const graph *g, const isa_tensor *t)
{
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->output && strcmp(graph_at(g, i)->name, t->name) == 0)
			return i;
	return UINT32_MAX;
}

static void compare_tensor(const check *c, const oracle_memory *memory, const isa_tensor *t, const graph *g,
                           uint8_t **values)
{
	uint32_t node = find_node(g, t);
	unsigned bytes = isa_type_bytes(t->type);

	if (node == UINT32_MAX) {
		say(c->r, &c->r->wrong_values, "no node '%s'", t->name);
		return;
	}
	for (uint64_t row = 0; row < t->shape[0]; row++)
		for (uint64_t lane = 0; lane < t->shape[1]; lane++) {
			uint64_t index[2] = {row, lane};
			const uint8_t *expected = values[node] + (row * t->shape[1] + lane) * bytes;
			uint8_t found[4] = {0};

			c->r->values++;
			if (!oracle_memory_read(memory, isa_tensor_location(t, index, 0), found, bytes))
				say(c->r, &c->r->wrong_values,
				    "%s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "] not written", t->name, row, lane);
			else if (memcmp(found, expected, bytes))
				say(c->r, &c->r->wrong_values,
				    "%s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "] is %02x%02x, expected %02x%02x",
				    t->name, row, lane, found[1], found[0], expected[1], expected[0]);
		}
}

static void check_epoch(void *state, const oracle_memory *memory, uint32_t epoch)
{
	const check *c = state;
	const graph *g = g_ptr_array_index(c->graphs, epoch);
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	g_autoptr(GError) error = NULL;

	if (!graph_evaluate(g, values, &error)) {
		say(c->r, &c->r->wrong_values, "%s", error->message);
		return;
	}
	for (guint i = 0; i < c->program->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(c->program->tensors, isa_tensor, i);

		if (t->output && t->epoch == epoch)
			compare_tensor(c, memory, t, g, values);
	}
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
}

bool replay_program(const isa_program *program, GPtrArray *graphs, const isa_machine *machine, bool functional,
                    replay *result, GError **error)
{
	check c = {result, program, graphs};
	oracle_options options = {
		.functional = functional, .epoch_end = functional ? check_epoch : NULL, .epoch_state = &c};
	oracle_result *run = oracle_execute(program, machine, &options, error);

	if (!run)
		return false;
	for (guint i = 0; i < run->issues->len; i++)
		compare_issue(&c, &g_array_index(run->issues, probe_issue, i));
	for (guint i = 0; i < run->violations->len; i++) {
		const probe_violation *v = &g_array_index(run->violations, probe_violation, i);
		g_autoptr(GString) text = g_string_new(NULL);

		describe(&c, v->insn, text);
		if (v->other != UINT32_MAX) {
			g_string_append(text, " and ");
			describe(&c, v->other, text);
		}
		say(result, &result->violations, "%s[%u] at %" G_GINT64_FORMAT ": %s, %" G_GINT64_FORMAT, text->str,
		    v->index, v->cycle, isa_violation_name((enum isa_violation)v->kind), v->detail);
	}
	result->issues = run->issues->len;
	result->cycles = run->cycles;
	oracle_result_free(run);
	return true;
}

bool replay_workload(const char *workload, const isa_machine *machine, bool functional, replay *result, GError **error)
{
	frontend_options frontend = {"auto", "floor", "fp16"};
	sched_options options;
	sched_report report = {0};
	g_autoptr(GPtrArray) graphs = frontend_read(workload, machine, &frontend, error);
	isa_program *program;
	bool done;

	*result = (replay){.text = g_string_new(NULL)};
	if (!graphs)
		return false;
	for (guint i = 0; i < graphs->len && functional; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), i + 1, true);
	sched_options_init(&options);
	options.functional = functional;
	program = sched_compile(graphs, machine, &options, &report, error);
	if (!program) {
		sched_report_fini(&report);
		return false;
	}
	result->predicted = program->predicted_cycles;
	result->instructions = program->insns->len;
	result->macro_ops = (uint32_t)report.macro_ops;
	g_string_append_printf(result->text, "%s\n%s", report.binds ? report.binds : "", report.notes->str);
	done = replay_program(program, graphs, machine, functional, result, error);
	isa_program_free(program);
	sched_report_fini(&report);
	return done;
}

void replay_fini(replay *result)
{
	if (result->text)
		g_string_free(g_steal_pointer(&result->text), TRUE);
}
