/* SPDX-License-Identifier: Apache-2.0
 *
 * See isca_chip.h.
 */
#include "tests/sched/isca_chip.h"

#include <string.h>

#include "models/tsp/chip.h"
#include "sched/frontend/frontend.h"

#define I64 "%" G_GINT64_FORMAT

enum { LINES = 6 };

isa_machine *isca_machine(const char *const *settings)
{
	g_autoptr(GError) error = NULL;
	isa_machine *m = isa_machine_load("tsp-isca20", &error);

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

typedef struct listener {
	isca_trial *run;
	const isa_program *program;
	GPtrArray *graphs;
} listener;

static bool note(uint64_t *counter)
{
	return (*counter)++ < LINES;
}

static void compare_time(const listener *l, const probe_issue *r, const char *what, int64_t base, int32_t predicted,
                         int64_t found)
{
	const isa_insn *insn = isa_program_insn(l->program, r->insn);

	if (predicted == ISA_NO_TIME)
		return;
	l->run->compared++;
	if (found != base + predicted && note(&l->run->mispredicted))
		g_string_append_printf(l->run->text, "%s of %s #%u[%u]: predicted " I64 ", found " I64 "\n", what,
		                       isa_ops[insn->op].mnemonic, r->insn, r->index, base + predicted, found);
}

static void on_issues(void *state, const probe_issue *records, size_t count)
{
	const listener *l = state;

	for (const probe_issue *r = records; r < records + count; r++) {
		const isa_insn *insn = isa_program_insn(l->program, r->insn);
		const isa_prediction *p = &g_array_index(l->program->predictions, isa_prediction, r->insn);
		int64_t cycle = insn->cycle + isa_insn_offset(insn, r->index);

		compare_time(l, r, "issue", cycle, 0, r->cycle);
		for (unsigned o = 0; o < ISA_OPERANDS; o++)
			compare_time(l, r, "arrival", cycle, p->arrival[o], r->arrival[o]);
		compare_time(l, r, "result", cycle, p->result, r->result);
		if (p->beats)
			compare_time(l, r, "beats", 0, p->beats, r->beats);
	}
}

static void on_violation(void *state, const probe_violation *v)
{
	const listener *l = state;

	if (note(&l->run->violations))
		g_string_append_printf(l->run->text, "cycle " I64 ": %s by #%u[%u]\n", v->cycle,
		                       isa_violation_name((enum isa_violation)v->kind), v->insn, v->index);
}

static void compare_tensor(const listener *l, const tsp_chip *chip, const isa_tensor *t, const uint8_t *expected)
{
	unsigned bytes = isa_type_bytes(t->type);

	for (uint64_t row = 0; row < t->shape[0]; row++)
		for (uint64_t lane = 0; lane < t->shape[1]; lane++)
			for (unsigned b = 0; b < bytes; b++) {
				uint64_t index[] = {row, lane};
				uint64_t at = (row * t->shape[1] + lane) * bytes + b;
				uint8_t found = 0;
				bool there = tsp_chip_read(chip, isa_tensor_location(t, index, b), &found, 1);

				l->run->values++;
				if ((!there || found != expected[at]) && note(&l->run->wrong))
					g_string_append_printf(l->run->text,
					                       "%s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT
					                       "] byte %u: %02x, expected %02x\n",
					                       t->name, row, lane, b, found, expected[at]);
			}
}

static void on_epoch_end(void *state, tsp_chip *chip, uint32_t epoch)
{
	const listener *l = state;
	const graph *g = g_ptr_array_index(l->graphs, epoch);
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	g_autoptr(GError) error = NULL;

	graph_evaluate(g, values, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < l->program->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(l->program->tensors, isa_tensor, i);

		for (uint32_t n = 0; n < graph_size(g) && t->output && t->epoch == epoch; n++)
			if (graph_at(g, n)->output && strcmp(graph_at(g, n)->name, t->name) == 0)
				compare_tensor(l, chip, t, values[n]);
	}
	for (uint32_t n = 0; n < graph_size(g); n++)
		g_free(values[n]);
}

static bool simulate(const isa_program *program, GPtrArray *graphs, const isa_machine *machine, isca_trial *run,
                     GError **error)
{
	listener l = {run, program, graphs};
	sim_kernel_options kernel_options = {0};
	tsp_options options = {.functional = true, .epoch_end = on_epoch_end, .epoch_state = &l};
	sim_kernel *kernel = sim_kernel_new("ref", &kernel_options, error);
	probe p;
	tsp_chip *chip;
	bool ok;

	probe_init(&p);
	probe_add_listener(&p, &(probe_listener){.state = &l, .issues = on_issues, .violation = on_violation});
	chip = tsp_chip_new(machine, program, kernel, &p, &options, error);
	ok = chip && sim_kernel_run(kernel, SIM_NEVER, error);
	probe_flush(&p);
	if (ok) {
		run->cycles = tsp_chip_counters(chip)->cycles;
		run->macs = tsp_chip_counters(chip)->macs;
	}
	tsp_chip_free(chip);
	sim_kernel_free(kernel);
	probe_fini(&p);
	return ok;
}

static bool run_graphs(GPtrArray *graphs, const isa_machine *machine, isca_trial *run, GError **error)
{
	sched_options options;
	isa_program *program;
	bool ok;

	for (guint i = 0; i < graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), i + 1, true);
	sched_options_init(&options);
	options.functional = true;
	program = sched_compile(graphs, machine, &options, &run->report, error);
	if (!program)
		return false;
	run->predicted = program->predicted_cycles;
	run->ceiling = g_array_index(program->epochs, isa_epoch, 0).mxm_ceiling;
	run->checked = sched_check(program, machine, run->text, LINES);
	ok = simulate(program, graphs, machine, run, error);
	isa_program_free(program);
	return ok;
}

bool isca_try_workload(const char *workload, const isa_machine *machine, isca_trial *run, GError **error)
{
	frontend_options frontend = {0};
	g_autoptr(GPtrArray) graphs = frontend_read(workload, machine, &frontend, error);

	*run = (isca_trial){.text = g_string_new(NULL)};
	return graphs && run_graphs(graphs, machine, run, error);
}

bool isca_try_texts(const char *const *texts, const isa_machine *machine, isca_trial *run, GError **error)
{
	g_autoptr(GPtrArray) graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);

	*run = (isca_trial){.text = g_string_new(NULL)};
	for (; *texts; texts++) {
		graph *g = graph_parse(*texts, "test", error);

		if (!g)
			return false;
		g_ptr_array_add(graphs, g);
		if (!graph_verify(g, error))
			return false;
	}
	return run_graphs(graphs, machine, run, error);
}

void isca_trial_fini(isca_trial *run)
{
	g_string_free(run->text, TRUE);
	sched_report_fini(&run->report);
}

isa_program *isca_compile(const char *workload, const isa_machine *machine, sched_report *report, GError **error)
{
	frontend_options frontend = {0};
	g_autoptr(GPtrArray) graphs = frontend_read(workload, machine, &frontend, error);
	sched_options options;

	if (!graphs)
		return NULL;
	sched_options_init(&options);
	return sched_compile(graphs, machine, &options, report, error);
}
