/* SPDX-License-Identifier: Apache-2.0
 *
 * From the text of a micro-program of an Ascend-style core to its measured times.
 */
#include "tests/timing/asc_micro.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_report(void *state, const asc_report *r)
{
	g_array_append_vals(((asc_micro *)state)->reports, r, 1);
}

static void on_violation(void *state, const asc_violation *v)
{
	g_array_append_vals(((asc_micro *)state)->violations, v, 1);
}

static void on_deadlock(void *state, const char *diagnosis)
{
	asc_micro *m = state;

	g_free(m->diagnosis);
	m->diagnosis = g_strdup(diagnosis);
}

static bool prepare(asc_micro *m, const char *machine, const char *text, GError **error)
{
	g_auto(GStrv) words = g_strsplit(machine, " ", -1);

	m->machine = asc_machine_load(words[0], error);
	if (!m->machine)
		return false;
	for (unsigned i = 1; words[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);

		if (strcmp(words[i], "functional") == 0)
			m->functional = true;
		else if (!asc_machine_set(m->machine, pair[0], pair[1], error))
			return false;
	}
	if (!asc_machine_finish(m->machine, error))
		return false;
	m->program = asc_assemble(text, "micro", m->machine, error);
	return m->program && asc_check(m->program, m->machine, error);
}

static asc_micro *micro_new(void)
{
	asc_micro *m = g_new0(asc_micro, 1);

	m->reports = g_array_new(FALSE, FALSE, sizeof(asc_report));
	m->violations = g_array_new(FALSE, FALSE, sizeof(asc_violation));
	return m;
}

static bool run(asc_micro *m, const char *kernel_name, GError **error)
{
	sim_kernel_options kernel_options = {0};
	asc_options options = {.functional = m->functional};
	asc_listener listener = {.state = m, .report = on_report, .violation = on_violation, .deadlock = on_deadlock};
	sim_kernel *kernel = sim_kernel_new(kernel_name, &kernel_options, error);
	asc_chip *chip = kernel ? asc_chip_new(m->machine, m->program, kernel, &listener, &options, error) : NULL;
	bool ok = chip && sim_kernel_run(kernel, SIM_NEVER - 1, error);

	if (ok)
		m->counters = *asc_chip_counters(chip);
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	return ok;
}

static bool same_report(const asc_report *a, const asc_report *b)
{
	return a->core == b->core && a->sub == b->sub && a->stream == b->stream && a->insn == b->insn &&
	       a->execution == b->execution && a->queued == b->queued && a->start == b->start && a->free == b->free &&
	       a->done == b->done && memcmp(a->stall, b->stall, sizeof(a->stall)) == 0;
}

static unsigned differences(const asc_micro *a, const asc_micro *b)
{
	unsigned count = a->reports->len != b->reports->len || a->violations->len != b->violations->len ||
	                 a->counters.cycles != b->counters.cycles;

	for (unsigned i = 0; i < MIN(a->reports->len, b->reports->len); i++)
		count += !same_report(&g_array_index(a->reports, asc_report, i),
		                      &g_array_index(b->reports, asc_report, i));
	return count;
}

/* A SystemC kernel lives once in a process: every comparison has a child of its own, which knows what M found. */
static void compare_under(const asc_micro *m, const char *kernel, const char *machine, const char *text)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		asc_micro *other = asc_micro_try(machine, text);

		_exit(other->refused || !run(other, kernel, NULL) || differences(m, other));
	}
	CU_ASSERT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
	if (status != 0)
		tap_note("kernels ref and %s differ: %s", kernel, text);
	CU_ASSERT_EQUAL(status, 0);
}

asc_micro *asc_micro_try(const char *machine, const char *text)
{
	asc_micro *m = micro_new();
	g_autoptr(GError) error = NULL;

	if (!prepare(m, machine, text, &error)) {
		m->refused = true;
		m->refusal = g_strdup(error ? error->message : "without a message");
	}
	return m;
}

asc_micro *asc_micro_run(const char *machine, const char *text)
{
	const char *const *kernels = sim_kernel_names();
	asc_micro *m = asc_micro_try(machine, text);
	g_autoptr(GError) error = NULL;
	static unsigned turn;

	if (!m->refused && !run(m, "ref", &error)) {
		m->refused = true;
		m->refusal = g_strdup(error ? error->message : "without a message");
	}
	for (unsigned k = 0; !m->refused && kernels[k]; k++)
		if (tap_part(turn++, 4) && strcmp(kernels[k], "ref") != 0)
			compare_under(m, kernels[k], machine, text);
	if (m->refused)
		tap_note("%s: %s", machine, m->refusal);
	CU_ASSERT_FALSE(m->refused);
	return m;
}

void asc_micro_free(asc_micro *m)
{
	asc_program_free(m->program);
	asc_machine_free(m->machine);
	g_array_unref(m->reports);
	g_array_unref(m->violations);
	g_free(m->diagnosis);
	g_free(m->refusal);
	g_free(m);
}

static asc_report find(const asc_micro *m, uint32_t stream, uint32_t insn, bool last, unsigned *executions)
{
	asc_report found = {.start = INT64_MIN, .free = INT64_MIN, .done = INT64_MIN, .queued = INT64_MIN};
	bool any = false;

	*executions = 0;
	for (unsigned i = 0; i < m->reports->len; i++) {
		const asc_report *r = &g_array_index(m->reports, asc_report, i);

		if (r->stream != stream || r->insn != insn)
			continue;
		(*executions)++;
		if (!any || (last ? r->execution > found.execution : r->execution < found.execution))
			found = *r;
		any = true;
	}
	return found;
}

asc_report asc_micro_first(const asc_micro *m, uint32_t stream, uint32_t insn)
{
	unsigned executions;

	return find(m, stream, insn, false, &executions);
}

asc_report asc_micro_last(const asc_micro *m, uint32_t stream, uint32_t insn)
{
	unsigned executions;

	return find(m, stream, insn, true, &executions);
}

unsigned asc_micro_executions(const asc_micro *m, uint32_t stream, uint32_t insn)
{
	unsigned executions;

	find(m, stream, insn, true, &executions);
	return executions;
}

int64_t asc_micro_time(const asc_micro *m, uint32_t insn)
{
	asc_report r = asc_micro_first(m, 0, insn);

	return r.start == INT64_MIN ? INT64_MIN : r.done - r.start;
}

double asc_micro_pitch(const asc_micro *m, uint32_t insn)
{
	unsigned executions;
	asc_report first = find(m, 0, insn, false, &executions), last = find(m, 0, insn, true, &executions);

	return executions < 2 ? NAN : (double)(last.start - first.start) / (executions - 1);
}

uint64_t asc_micro_count(const asc_micro *m, enum asc_finding kind)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < m->violations->len; i++)
		count += kind == ASC_FINDINGS || g_array_index(m->violations, asc_violation, i).kind == kind;
	return count;
}

static const char *const classes[] = {"calibration", "prediction", "formula"};
static unsigned within[G_N_ELEMENTS(classes)], missed[G_N_ELEMENTS(classes)], compared[G_N_ELEMENTS(classes)];

static bool is_within(double found, double expected, double tolerance_percent)
{
	return fabs(found - expected) <= fabs(expected) * tolerance_percent / 100 + 1e-9;
}

void asc_micro_compare(const char *name, double found, double expected, double tolerance_percent, const char *source,
                       enum asc_class class)
{
	bool ok = is_within(found, expected, tolerance_percent);

	compared[class]++;
	within[class] += ok;
	if (!ok)
		tap_note("%s: found %.2f, expected %.2f within %.0f %% (%s, %s)", name, found, expected,
		         tolerance_percent, source, classes[class]);
	CU_ASSERT_TRUE(ok);
}

void asc_micro_missed(const char *name, double found, double recorded, double expected, double tolerance_percent,
                      const char *why, enum asc_class class)
{
	compared[class]++;
	missed[class]++;
	tap_note("%s, missed: found %.2f, recorded %.2f, published %.2f: %s (%s)", name, found, recorded, expected, why,
	         classes[class]);
	CU_ASSERT_TRUE(fabs(found - recorded) < 1e-9);
	CU_ASSERT_FALSE(is_within(found, expected, tolerance_percent));
}

void asc_micro_summary(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++)
		tap_note("%s: %u of %u within tolerance, %u recorded as missed", classes[i], within[i], compared[i],
		         missed[i]);
}
