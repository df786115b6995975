/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the Ascend-style back end in the models; see asc_sched.h.
 */
#include "tests/sched/asc_sched.h"

static void keep_report(void *state, const asc_report *report)
{
	g_array_append_vals(((asc_run *)state)->reports, report, 1);
}

static void keep_violation(void *state, const asc_violation *violation)
{
	g_array_append_vals(((asc_run *)state)->violations, violation, 1);
}

static void keep_deadlock(void *state, const char *diagnosis)
{
	((asc_run *)state)->deadlock = g_strdup(diagnosis);
}

static void must(bool good, const GError *error)
{
	if (!good)
		tap_note("%s", error ? error->message : "failed");
	CU_ASSERT_TRUE_FATAL(good);
}

asc_machine *asc_sched_machine(const char *name, const char *const *sets)
{
	g_autoptr(GError) error = NULL;
	asc_machine *machine = asc_machine_load(name, &error);

	must(machine != NULL, error);
	for (; sets && *sets; sets++) {
		g_auto(GStrv) parts = g_strsplit(*sets, "=", 2);

		must(asc_machine_set(machine, parts[0], parts[1], &error), error);
	}
	must(asc_machine_finish(machine, &error), error);
	return machine;
}

asc_run *asc_sched_run(const asc_program *program, const asc_machine *machine, bool functional, bool reports)
{
	g_autoptr(GError) error = NULL;
	asc_run *r = g_new0(asc_run, 1);
	asc_listener listener = {.state = r,
	                         .report = reports ? keep_report : NULL,
	                         .violation = keep_violation,
	                         .deadlock = keep_deadlock};
	asc_options options = {.functional = functional};

	r->violations = g_array_new(FALSE, FALSE, sizeof(asc_violation));
	r->reports = g_array_new(FALSE, FALSE, sizeof(asc_report));
	r->kernel = sim_kernel_new("ref", &(sim_kernel_options){.shuffle_seed = 0}, &error);
	must(r->kernel != NULL, error);
	r->chip = asc_chip_new(machine, program, r->kernel, &listener, &options, &error);
	must(r->chip != NULL, error);
	must(sim_kernel_run(r->kernel, SIM_NEVER, &error), error);
	r->counters = asc_chip_counters(r->chip);
	return r;
}

void asc_run_free(asc_run *r)
{
	asc_chip_free(r->chip);
	sim_kernel_free(r->kernel);
	g_array_free(r->violations, TRUE);
	g_array_free(r->reports, TRUE);
	g_free(r->deadlock);
	g_free(r);
}

unsigned asc_run_found(const asc_run *r, enum asc_finding kind)
{
	unsigned n = 0;

	for (guint i = 0; i < r->violations->len; i++)
		n += g_array_index(r->violations, asc_violation, i).kind == kind;
	return n;
}

bool asc_run_clean(const asc_run *r, const char *what)
{
	enum { SHOWN = 4 };

	if (r->deadlock)
		tap_note("%s: %s", what, r->deadlock);
	for (guint i = 0; i < MIN(r->violations->len, SHOWN); i++) {
		const asc_violation *v = &g_array_index(r->violations, asc_violation, i);

		tap_note("%s: %s at %" G_GINT64_FORMAT
		         ", core %u sub %u insn %u against stream %u insn %u, %s 0x%" G_GINT64_MODIFIER "x",
		         what, asc_violation_name(v->kind), v->cycle, v->core, v->sub, v->insn, v->other_stream,
		         v->other_insn, asc_space_name(v->space), v->address);
	}
	CU_ASSERT_EQUAL(r->violations->len, 0);
	CU_ASSERT_PTR_NULL(r->deadlock);
	return !r->violations->len && !r->deadlock;
}

asc_program *asc_sched_compile(GPtrArray *graphs, const asc_machine *machine, bool functional, sched_report *report)
{
	g_autoptr(GError) error = NULL;
	sched_options options;
	asc_program *program;

	sched_options_init(&options);
	options.functional = functional;
	program = sched_ascend_compile(graphs, machine, &options, report, &error);
	must(program != NULL, error);
	must(asc_check(program, machine, &error), error);
	return program;
}

static uint32_t node_of(const graph *g, const char *name)
{
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (!strcmp(graph_at(g, i)->name, name))
			return i;
	return UINT32_MAX;
}

void asc_sched_compare(const asc_run *r, const asc_program *program, const graph *g, const char *what)
{
	g_autoptr(GError) error = NULL;
	uint8_t **values = g_new0(uint8_t *, graph_size(g) + 1);
	unsigned outputs = 0;

	must(graph_evaluate(g, values, &error), error);
	for (guint i = 0; i < program->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(program->tensors, asc_tensor, i);
		uint32_t node = node_of(g, t->name);
		uint64_t row = t->shape[1] * asc_type_bytes(t->type), wrong = 0;
		g_autofree uint8_t *got = g_malloc(MAX(row, 1));

		if (!t->output)
			continue;
		outputs++;
		CU_ASSERT_NOT_EQUAL_FATAL(node, UINT32_MAX);
		for (uint64_t y = 0; y < t->shape[0]; y++) {
			CU_ASSERT_TRUE_FATAL(asc_chip_read(r->chip, t->address + y * (uint64_t)t->stride[0], got, row));
			for (uint64_t x = 0; x < row; x++)
				wrong += got[x] != values[node][y * row + x];
		}
		if (wrong)
			tap_note("%s: %s: %" G_GUINT64_FORMAT " wrong bytes", what, t->name, wrong);
		CU_ASSERT_EQUAL(wrong, 0);
	}
	CU_ASSERT_TRUE(outputs > 0);
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
	g_free(values);
}

void asc_sched_equal(const char *machine_name, const char *const *sets, const char *workload)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	asc_machine *machine = asc_sched_machine(machine_name, sets);
	g_autofree char *what = g_strdup_printf("%s on %s", workload, machine_name);
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);
	sched_report report;
	asc_program *program;
	asc_run *r;

	must(graphs != NULL, error);
	for (guint i = 0; i < graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), 7 + i, false);
	program = asc_sched_compile(graphs, machine, true, &report);
	r = asc_sched_run(program, machine, true, false);
	asc_run_clean(r, what);
	if (graphs->len == 1)
		asc_sched_compare(r, program, g_ptr_array_index(graphs, 0), what);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}
