/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sched, asm and dis for a TSP: schedule and have the schedule checked by the independent checker; assemble and
 * encode the queues; disassemble.
 */
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/method.h"
#include "tools/report_lines.h"
#include "tools/setup.h"
#include "tools/tool.h"
#include "tools/tsp.h"

enum { CHECK_LINES = 10 };

/* An interrupt comes when the file is whole. */
static bool write_whole(const isa_program *program, const char *path, GError **error)
{
	bool written;

	interrupt_defer(true);
	written = isa_program_write(program, path, error);
	interrupt_resume();
	return written;
}

static char *result_text(const isa_program *program, const sched_report *report, const setup *s, const sched_request *q)
{
	const char *output = q->output;
	GString *out = g_string_new(NULL);
	g_autofree char *cycles = tool_count((uint64_t)MAX(program->predicted_cycles, 0));
	g_autofree char *time = tool_seconds((double)program->predicted_cycles / (double)s->sched->clock_hz);
	g_autofree char *insns = tool_count(program->insns->len);

	g_string_append_printf(out, "machine      %s\nworkload     %s\n", s->sched->name, program->workload);
	g_string_append_printf(out, "predicted    %s cycles (%s)\ninstructions %s, loops counted once\n", cycles, time,
	                       insns);
	method_text(out, report->search, q->search.report);
	report_say_notes(out, report->binds, report->notes);
	if (report->registers.count) {
		g_autofree char *registers = sched_registers_text(&report->registers);

		g_string_append_printf(out, "registers    %s\n", registers);
	}
	if (output)
		g_string_append_printf(out, "program      %s\nnext         tspsim run %s --trace run.db\n", output,
		                       output);
	return g_string_free(out, FALSE);
}

static char *result_json(const isa_program *program, const sched_report *report, const setup *s, bool clean,
                         const char *output)
{
	json *j = json_new();
	g_autofree char *hash = isa_program_hash(program);

	json_object(j, NULL);
	json_string(j, "machine", s->sched->name);
	json_string(j, "workload", program->workload);
	json_int(j, "predicted_cycles", program->predicted_cycles);
	json_uint(j, "instructions", program->insns->len);
	json_string(j, "binds", report->binds);
	json_uint(j, "macro_operations", report->macro_ops);
	json_uint(j, "bank_moves", report->bank_moves);
	json_int(j, "bank_move_cycles", report->bank_move_cycles);
	tsp_json_registers(j, &report->registers);
	report_json_intervals(j, report->intervals);
	json_bool(j, "checker_clean", clean);
	method_json(j, report->search);
	json_bool(j, "interrupted", method_interrupted());
	json_string(j, "program_hash", hash);
	json_string(j, "program", output);
	json_end(j);
	return json_finish(j);
}

/* Issues of INSN from the first to the last. */
static int64_t last_issue(const isa_insn *insn)
{
	int64_t last = insn->cycle;

	for (unsigned l = 0; l < ISA_LOOPS; l++)
		last += (int64_t)(insn->loop[l].count - 1) * insn->loop[l].interval;
	return last;
}

static bool draw(const isa_program *program, const isa_machine *m, const char *path, GError **error)
{
	g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(method_span));
	g_autofree char *heading = g_strdup_printf("%s on %s: %" G_GINT64_FORMAT " cycles", program->workload, m->name,
	                                           program->predicted_cycles);

	for (uint32_t i = 0; i < program->insns->len; i++) {
		const isa_insn *insn = isa_program_insn(program, i);
		uint32_t node = g_array_index(program->node_of, uint32_t, i);

		if (node < program->nodes->len && isa_ops[insn->op].unit != ISA_UNIT_ICU)
			method_widen(spans, g_array_index(program->nodes, isa_node, node).name,
			             isa_unit_name(isa_ops[insn->op].unit), insn->cycle, last_issue(insn) + 1);
	}
	return method_gantt(heading, spans, path, error);
}

/* Checks, writes and prints; the exit status. */
static int finish(const isa_program *program, const sched_report *report, const setup *s, const sched_request *q,
                  GError **error)
{
	const char *output = q->output;
	g_autoptr(GString) offences = g_string_new(NULL);
	bool clean = sched_check(program, s->sched, offences, CHECK_LINES);
	g_autofree char *text = NULL;

	if (output && !write_whole(program, output, error))
		return TOOL_USER_ERROR;
	if (q->gantt && !draw(program, s->sched, q->gantt, error))
		return TOOL_USER_ERROR;
	text = tool_json ? result_json(program, report, s, clean, output) : result_text(program, report, s, q);
	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	if (!clean)
		fprintf(stderr, "tspsim: the checker refuses this schedule:\n%s", offences->str);
	if (method_interrupted())
		return TOOL_INTERRUPTED;
	return clean ? TOOL_OK : TOOL_FOUND;
}

int tsp_sched(const sched_request *q, GError **error)
{
	setup s;
	setup_schedule how = {.workload = q->workload,
	                      .priority = q->priority,
	                      .seed = q->seed,
	                      .functional = q->functional,
	                      .specials = q->specials,
	                      .search = &q->search};
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report report = {0};
	isa_program *program;
	int status = TOOL_USER_ERROR;

	if (!setup_init(&s, q->machine, q->sets, error))
		return TOOL_USER_ERROR;
	program = setup_compile(&s, &how, &graphs, &report, error);
	if (program)
		status = finish(program, &report, &s, q, error);
	isa_program_free(program);
	sched_report_fini(&report);
	setup_fini(&s);
	return status;
}

int tsp_assemble(const program_request *q, GError **error)
{
	setup s;
	isa_program *program = setup_open(&s, q->path, q->machine, q->sets, error);
	bool written;

	if (!program)
		return TOOL_USER_ERROR;
	written = write_whole(program, q->output, error);
	isa_program_free(program);
	setup_fini(&s);
	return written ? TOOL_OK : TOOL_USER_ERROR;
}

int tsp_disassemble(const program_request *q, GError **error)
{
	setup s;
	isa_program *program = setup_open(&s, q->path, q->machine, q->sets, error);
	g_autofree char *text = NULL;
	bool written;

	if (!program)
		return TOOL_USER_ERROR;
	text = isa_disassemble(program, s.sched);
	written = tool_put(text, q->output, error);
	isa_program_free(program);
	setup_fini(&s);
	return written ? TOOL_OK : TOOL_USER_ERROR;
}
