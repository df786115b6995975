/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a micro-program on the reference kernel and keeps all reports.  See model_rig.h.
 */
#include "tests/unit/model_rig.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void keep_issues(void *state, const probe_issue *records, size_t count)
{
	g_array_append_vals(((rig *)state)->issues, records, (guint)count);
}

static void keep_violation(void *state, const probe_violation *record)
{
	g_array_append_vals(((rig *)state)->violations, record, 1);
}

static void keep_slip(void *state, const probe_slip *record)
{
	g_array_append_vals(((rig *)state)->slips, record, 1);
}

static void require(bool fine, GError *const *error)
{
	if (!fine)
		tap_note("%s", *error ? (*error)->message : "failed without an error");
	CU_ASSERT_TRUE_FATAL(fine);
}

isa_machine *rig_machine(const char *name, const char *const *sets)
{
	GError *error = NULL;
	isa_machine *machine = isa_machine_load(name ? name : "tsp", &error);

	require(machine != NULL, &error);
	for (unsigned i = 0; sets && sets[i]; i++) {
		const char *equals = strchr(sets[i], '=');
		g_autofree char *key = g_strndup(sets[i], (gsize)(equals - sets[i]));

		require(isa_machine_set(machine, key, equals + 1, &error), &error);
	}
	require(isa_machine_finish(machine, &error), &error);
	return machine;
}

rig *rig_run_program(isa_program *program, isa_machine *machine, const rig_setup *setup)
{
	static const rig_setup plain;
	const rig_setup *s = setup ? setup : &plain;
	sim_kernel_options kernel = {.shuffle_seed = s->shuffle};
	tsp_options options = {
		.policy = s->policy,
		.functional = s->functional,
		.max_violations = s->max_violations,
		.epoch_end = s->epoch_end,
		.epoch_state = s->state,
	};
	rig *r = g_new0(rig, 1);
	probe_listener listener = {
		.state = r,
		.issues = s->quiet ? NULL : keep_issues,
		.violation = keep_violation,
		.slip = keep_slip,
	};
	GError *error = NULL;

	r->machine = machine;
	r->program = program;
	r->issues = g_array_new(FALSE, FALSE, sizeof(probe_issue));
	r->violations = g_array_new(FALSE, FALSE, sizeof(probe_violation));
	r->slips = g_array_new(FALSE, FALSE, sizeof(probe_slip));
	probe_init(&r->probe);
	probe_add_listener(&r->probe, &listener);
	r->kernel = sim_kernel_new("ref", &kernel, &error);
	require(r->kernel != NULL, &error);
	r->chip = tsp_chip_new(machine, program, r->kernel, &r->probe, &options, &error);
	require(r->chip != NULL, &error);
	require(sim_kernel_run(r->kernel, s->until ? s->until : SIM_NEVER, &error), &error);
	probe_flush(&r->probe);
	r->counters = tsp_chip_counters(r->chip);
	return r;
}

rig *rig_run(const char *text, const rig_setup *setup)
{
	static const rig_setup plain;
	const rig_setup *s = setup ? setup : &plain;
	isa_machine *sched = rig_machine(s->machine, s->sched_sets[0] ? s->sched_sets : s->sets);
	GError *error = NULL;
	isa_program *program = isa_assemble(text, "test", sched, &error);

	require(program != NULL, &error);
	require(isa_lower(program, sched, &error), &error);
	isa_machine_free(sched);
	if (s->mutate)
		s->mutate(program);
	return rig_run_program(program, rig_machine(s->machine, s->sets), s);
}

void rig_free(rig *r)
{
	tsp_chip_free(r->chip);
	sim_kernel_free(r->kernel);
	probe_fini(&r->probe);
	g_array_unref(r->issues);
	g_array_unref(r->violations);
	g_array_unref(r->slips);
	isa_program_free(r->program);
	isa_machine_free(r->machine);
	g_free(r);
}

const probe_issue *rig_issue(const rig *r, uint32_t insn, uint32_t index)
{
	for (guint i = 0; i < r->issues->len; i++) {
		const probe_issue *record = &g_array_index(r->issues, probe_issue, i);

		if (record->insn == insn && record->index == index)
			return record;
	}
	tap_note("no report of issue %u of instruction %u", index, insn);
	CU_FAIL_FATAL("an issue was not reported");
	return NULL;
}

unsigned rig_count(const rig *r, enum isa_violation kind)
{
	return (unsigned)r->counters->violations_by_kind[kind];
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *rig_dump(const rig *r)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < r->issues->len; i++) {
		const probe_issue *p = &g_array_index(r->issues, probe_issue, i);

		g_ptr_array_add(lines,
		                g_strdup_printf("issue %08" PRId64 " %u %u.%u: %" PRId64 " %" PRId64 " %" PRId64
		                                " -> %" PRId64 " beats %u requests %u delayed %u delay %u work %u",
		                                p->cycle, p->queue, p->insn, p->index, p->arrival[0], p->arrival[1],
		                                p->arrival[2], p->result, p->beats, p->requests, p->delayed, p->delay,
		                                p->work));
	}
	for (guint i = 0; i < r->violations->len; i++) {
		const probe_violation *v = &g_array_index(r->violations, probe_violation, i);

		g_ptr_array_add(lines,
		                g_strdup_printf("violation %06u %08" PRId64 " %u.%u %s other %u detail %" PRId64, i,
		                                v->cycle, v->insn, v->index,
		                                isa_violation_name((enum isa_violation)v->kind), v->other, v->detail));
	}
	for (guint i = 0; i < r->slips->len; i++) {
		const probe_slip *p = &g_array_index(r->slips, probe_slip, i);

		g_ptr_array_add(lines, g_strdup_printf("slip %06u %08" PRId64 " +%" PRId64 " %u.%u other %u bank %u", i,
		                                       p->cycle, p->cycles, p->insn, p->index, p->other, p->bank));
	}
	qsort(lines->pdata, lines->len, sizeof(gpointer), compare_lines);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}
