/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sched, asm and dis for Ascend-style machines.
 */
#include "tools/asc.h"

#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/method.h"
#include "tools/report_lines.h"
#include "tools/tool.h"

uint64_t ascend_count(const asc_program *program, bool timed)
{
	uint64_t count = 0;

	for (guint s = 0; s < program->streams->len; s++) {
		const GArray *insns = ((const asc_stream *)g_ptr_array_index(program->streams, s))->insns;

		for (guint i = 0; i < insns->len; i++)
			count += !timed || g_array_index(insns, asc_insn, i).start != ASC_NO_TIME;
	}
	return count;
}

/* An interrupt comes when the file is whole. */
static bool write_whole(const asc_program *program, const char *path, GError **error)
{
	bool written;

	interrupt_defer(true);
	written = asc_program_write(program, path, error);
	interrupt_resume();
	return written;
}

static char *schedule_text(const asc_program *program, const sched_report *summary, const ascend_setup *s,
                           const sched_request *q)
{
	const char *output = q->output;
	GString *out = g_string_new(NULL);
	g_autofree char *cycles = tool_count((uint64_t)MAX(program->predicted_cycles, 0));
	g_autofree char *time = tool_seconds((double)program->predicted_cycles / (double)s->sched->clock_hz);
	g_autofree char *insns = tool_count(ascend_count(program, false));

	tool_line(out, "machine", "%s", s->sched->name);
	tool_line(out, "workload", "%s", program->workload);
	if (program->predicted_cycles >= 0)
		tool_line(out, "predicted", "%s cycles (%s)", cycles, time);
	tool_line(out, "instructions", "%s in %u stream%s for %u block%s", insns, program->streams->len,
	          tsp_s(program->streams->len), program->blocks, tsp_s(program->blocks));
	method_text(out, summary->search, q->search.report);
	report_say_notes(out, summary->binds, summary->notes);
	if (output) {
		tool_line(out, "program", "%s", output);
		tool_line(out, "next", "tspsim run %s --trace run.db", output);
	}
	return g_string_free(out, FALSE);
}

static char *schedule_json(const asc_program *program, const sched_report *summary, const ascend_setup *s,
                           const char *output)
{
	json *j = json_new();
	g_autofree char *hash = asc_program_hash(program);

	json_object(j, NULL);
	json_string(j, "machine", s->sched->name);
	json_string(j, "workload", program->workload);
	json_int(j, "predicted_cycles", program->predicted_cycles);
	json_uint(j, "instructions", ascend_count(program, false));
	json_string(j, "binds", summary->binds);
	json_uint(j, "macro_operations", summary->macro_ops);
	json_uint(j, "blocks", program->blocks);
	json_uint(j, "streams", program->streams->len);
	report_json_intervals(j, summary->intervals);
	method_json(j, summary->search);
	json_bool(j, "interrupted", method_interrupted());
	json_string(j, "program_hash", hash);
	json_string(j, "program", output);
	json_end(j);
	return json_finish(j);
}

static bool draw(const asc_program *program, const char *path, GError **error)
{
	g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(method_span));
	g_autofree char *heading = g_strdup_printf("%s on %s: %" G_GINT64_FORMAT " cycles", program->workload,
	                                           program->machine_name, program->predicted_cycles);

	for (guint s = 0; s < program->streams->len; s++) {
		const GArray *insns = ((const asc_stream *)g_ptr_array_index(program->streams, s))->insns;

		for (guint i = 0; i < insns->len; i++) {
			const asc_insn *insn = &g_array_index(insns, asc_insn, i);

			if (insn->start == ASC_NO_TIME || insn->node >= program->nodes->len ||
			    asc_op((enum asc_op)insn->op)->pipe == ASC_PIPE_S)
				continue;
			method_widen(spans, g_ptr_array_index(program->nodes, insn->node),
			             asc_pipe_name(asc_op((enum asc_op)insn->op)->pipe), insn->start,
			             MAX(insn->end, insn->start + 1));
		}
	}
	return method_gantt(heading, spans, path, error);
}

int ascend_sched(const sched_request *q, GError **error)
{
	ascend_setup s;
	ascend_schedule how = {.workload = q->workload,
	                       .priority = q->priority,
	                       .seed = q->seed,
	                       .functional = q->functional,
	                       .specials = q->specials,
	                       .search = &q->search};
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report summary = {0};
	asc_program *program;
	int status = TOOL_USER_ERROR;

	if (!ascend_setup_init(&s, q->machine, q->sets, error))
		return TOOL_USER_ERROR;
	program = ascend_compile(&s, &how, &graphs, &summary, error);
	/* Rules are checked again, whoever wrote the streams. */
	if (program && asc_check(program, s.sched, error) && (!q->output || write_whole(program, q->output, error)) &&
	    (!q->gantt || draw(program, q->gantt, error))) {
		g_autofree char *text = tool_json ? schedule_json(program, &summary, &s, q->output)
		                                  : schedule_text(program, &summary, &s, q);

		if ((tool_quiet && !tool_json) || tool_print(text, error))
			status = method_interrupted() ? TOOL_INTERRUPTED : TOOL_OK;
	}
	asc_program_free(program);
	sched_report_fini(&summary);
	ascend_setup_fini(&s);
	return status;
}

int ascend_assemble(const program_request *q, GError **error)
{
	ascend_setup s;
	asc_program *program = ascend_open(&s, q->path, q->machine, q->sets, error);
	bool written;

	if (!program)
		return TOOL_USER_ERROR;
	if (!program->machine_name)
		program->machine_name = g_strdup(s.sched->name);
	written = write_whole(program, q->output, error);
	asc_program_free(program);
	ascend_setup_fini(&s);
	return written ? TOOL_OK : TOOL_USER_ERROR;
}

int ascend_disassemble(const program_request *q, GError **error)
{
	ascend_setup s;
	asc_program *program = ascend_open(&s, q->path, q->machine, q->sets, error);
	g_autofree char *text = NULL;
	bool written;

	if (!program)
		return TOOL_USER_ERROR;
	text = asc_disassemble(program, s.sched);
	written = tool_put(text, q->output, error);
	asc_program_free(program);
	ascend_setup_fini(&s);
	return written ? TOOL_OK : TOOL_USER_ERROR;
}
