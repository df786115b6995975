/* SPDX-License-Identifier: Apache-2.0
 *
 * A rig for the front end of Ascend-style cores; see asc_core_rig.h.
 */
#include "tests/unit/asc_core_rig.h"

static void keep_report(void *state, const asc_report *report)
{
	asc_rig *r = state;

	g_array_append_vals(r->reports, report, 1);
}

static void keep_violation(void *state, const asc_violation *violation)
{
	asc_rig *r = state;

	g_array_append_vals(r->violations, violation, 1);
}

static void keep_deadlock(void *state, const char *diagnosis)
{
	asc_rig *r = state;

	r->deadlock = g_strdup(diagnosis);
}

static void must(bool ok, GError *error)
{
	if (!ok)
		tap_note("%s", error ? error->message : "failed");
	g_clear_error(&error);
	CU_ASSERT_TRUE_FATAL(ok);
}

static asc_machine *machine_of(const asc_rig_setup *setup)
{
	GError *error = NULL;
	asc_machine *machine = asc_machine_load(setup->machine ? setup->machine : "ascend-910b", &error);

	must(machine, error);
	for (unsigned i = 0; i < G_N_ELEMENTS(setup->sets) && setup->sets[i]; i++) {
		g_auto(GStrv) parts = g_strsplit(setup->sets[i], "=", 2);

		error = NULL;
		must(asc_machine_set(machine, parts[0], parts[1], &error), error);
	}
	error = NULL;
	must(asc_machine_finish(machine, &error), error);
	return machine;
}

asc_rig *asc_rig_run(const char *text, const asc_rig_setup *setup)
{
	static const asc_rig_setup standard;
	asc_rig *r = g_new0(asc_rig, 1);
	asc_listener listener = {
		.state = r, .report = keep_report, .violation = keep_violation, .deadlock = keep_deadlock};
	GError *error = NULL;
	bool ok;

	if (!setup)
		setup = &standard;
	asc_stub_tail = setup->tail;
	asc_stub_delay = setup->delay;
	r->reports = g_array_new(FALSE, FALSE, sizeof(asc_report));
	r->violations = g_array_new(FALSE, FALSE, sizeof(asc_violation));
	asc_stub_asked = r->asked = setup->asked ? g_array_new(FALSE, FALSE, sizeof(asc_stub_question)) : NULL;
	r->machine = machine_of(setup);
	r->program = asc_assemble(text, "test", r->machine, &error);
	must(r->program, error);
	if (setup->mutate)
		setup->mutate(r->program);
	error = NULL;
	r->kernel = sim_kernel_new(setup->kernel ? setup->kernel : "ref",
	                           &(sim_kernel_options){.shuffle_seed = setup->shuffle}, &error);
	must(r->kernel, error);
	error = NULL;
	r->chip = asc_chip_new(r->machine, r->program, r->kernel, &listener, &setup->options, &error);
	must(r->chip, error);
	error = NULL;
	ok = sim_kernel_run(r->kernel, SIM_NEVER, &error);
	must(ok, error);
	r->counters = asc_chip_counters(r->chip);
	return r;
}

void asc_rig_free(asc_rig *r)
{
	asc_chip_free(r->chip);
	sim_kernel_free(r->kernel);
	asc_program_free(r->program);
	asc_machine_free(r->machine);
	g_array_free(r->reports, TRUE);
	g_array_free(r->violations, TRUE);
	if (r->asked)
		g_array_free(r->asked, TRUE);
	asc_stub_asked = NULL;
	g_free(r->deadlock);
	g_free(r);
}

const asc_report *asc_rig_report(const asc_rig *r, uint32_t core, uint32_t sub, uint32_t insn, unsigned number)
{
	static const asc_report none = {.start = -1, .done = -1, .queued = -1, .free = -1};

	for (guint i = 0; i < r->reports->len; i++) {
		const asc_report *report = &g_array_index(r->reports, asc_report, i);

		if (report->core == core && report->sub == sub && report->insn == insn && !number--)
			return report;
	}
	tap_note("no report of core %u sub %u insn %u", core, sub, insn);
	CU_FAIL("no report");
	return &none;
}

unsigned asc_rig_count(const asc_rig *r, enum asc_finding kind)
{
	unsigned n = 0;

	for (guint i = 0; i < r->violations->len; i++)
		n += g_array_index(r->violations, asc_violation, i).kind == kind;
	return n;
}

const asc_violation *asc_rig_find(const asc_rig *r, enum asc_finding kind)
{
	static const asc_violation none = {.cycle = -1};

	for (guint i = 0; i < r->violations->len; i++)
		if (g_array_index(r->violations, asc_violation, i).kind == kind)
			return &g_array_index(r->violations, asc_violation, i);
	CU_FAIL("no such violation");
	return &none;
}

char *asc_rig_dump(const asc_rig *r)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < r->reports->len; i++) {
		const asc_report *p = &g_array_index(r->reports, asc_report, i);

		g_string_append_printf(text, "%u.%u %u/%u #%lu %s %ld %ld %ld %ld", p->core, p->sub, p->stream, p->insn,
		                       (unsigned long)p->execution, asc_pipe_name(p->pipe), (long)p->queued,
		                       (long)p->start, (long)p->free, (long)p->done);
		for (unsigned s = 0; s < ASC_STALLS; s++)
			g_string_append_printf(text, " %ld", (long)p->stall[s]);
		g_string_append_c(text, '\n');
	}
	for (guint i = 0; i < r->violations->len; i++) {
		const asc_violation *v = &g_array_index(r->violations, asc_violation, i);

		g_string_append_printf(text, "%s %ld %u.%u %u/%u %u/%u %lx+%lu %d\n", asc_violation_name(v->kind),
		                       (long)v->cycle, v->core, v->sub, v->stream, v->insn, v->other_stream,
		                       v->other_insn, (unsigned long)v->address, (unsigned long)v->bytes, v->met);
	}
	g_string_append_printf(text, "cycles %ld\n%s", (long)r->counters->cycles, r->deadlock ? r->deadlock : "");
	return g_string_free(text, FALSE);
}
