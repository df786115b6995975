/* SPDX-License-Identifier: Apache-2.0
 *
 * The models under the same microscope as the oracle.
 */
#include "tests/lib/judge.h"

#include <stdlib.h>
#include <string.h>

#define I64 "%" G_GINT64_FORMAT

struct judge_run {
	sim_kernel *kernel;
	tsp_chip *chip;
	probe probe;
	GArray *issues, *violations, *slips;
};

static void take_issues(void *state, const probe_issue *records, size_t count)
{
	judge_run *run = state;

	g_array_append_vals(run->issues, records, (guint)count);
}

static void take_violation(void *state, const probe_violation *record)
{
	judge_run *run = state;

	g_array_append_vals(run->violations, record, 1);
}

static void take_slip(void *state, const probe_slip *record)
{
	judge_run *run = state;

	g_array_append_vals(run->slips, record, 1);
}

static int by_cycle(gconstpointer a, gconstpointer b)
{
	const probe_issue *x = a;
	const probe_issue *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return (int)x->queue - (int)y->queue;
}

static int by_place(gconstpointer a, gconstpointer b)
{
	const probe_violation *x = a;
	const probe_violation *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->queue != y->queue)
		return (int)x->queue - (int)y->queue;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

judge_run *judge_model(const isa_program *program, const isa_machine *hw, const judge_options *options, GError **error)
{
	judge_run *run = g_new0(judge_run, 1);
	sim_kernel_options kernel_options = {.shuffle_seed = options->shuffle_seed};
	tsp_options chip_options = {
		.policy = options->freeze ? TSP_POLICY_FREEZE : TSP_POLICY_FAULT_CONTINUE,
		.functional = options->functional,
	};

	run->issues = g_array_new(FALSE, FALSE, sizeof(probe_issue));
	run->violations = g_array_new(FALSE, FALSE, sizeof(probe_violation));
	run->slips = g_array_new(FALSE, FALSE, sizeof(probe_slip));
	probe_init(&run->probe);
	probe_add_listener(&run->probe, &(probe_listener){.state = run, take_issues, take_violation, take_slip});
	run->kernel = sim_kernel_new(options->kernel ? options->kernel : "ref", &kernel_options, error);
	if (run->kernel)
		run->chip = tsp_chip_new(hw, program, run->kernel, &run->probe, &chip_options, error);
	if (!run->chip || !sim_kernel_run(run->kernel, SIM_NEVER, error)) {
		judge_free(run);
		return NULL;
	}
	tsp_chip_counters(run->chip);
	probe_flush(&run->probe);
	g_array_sort(run->issues, by_cycle);
	g_array_sort(run->violations, by_place);
	return run;
}

void judge_free(judge_run *run)
{
	if (!run)
		return;
	tsp_chip_free(run->chip);
	sim_kernel_free(run->kernel);
	probe_fini(&run->probe);
	g_array_unref(run->issues);
	g_array_unref(run->violations);
	g_array_unref(run->slips);
	g_free(run);
}

const GArray *judge_issues(const judge_run *run)
{
	return run->issues;
}

const GArray *judge_violations(const judge_run *run)
{
	return run->violations;
}

const GArray *judge_slips(const judge_run *run)
{
	return run->slips;
}

const tsp_counters *judge_counters(const judge_run *run)
{
	return tsp_chip_counters(run->chip);
}

bool judge_read(const judge_run *run, uint64_t location, void *out, uint64_t bytes)
{
	return tsp_chip_read(run->chip, location, out, bytes);
}

typedef struct comparison {
	const isa_program *program;
	GString *report;
	unsigned limit, differences;
	const GArray *violations; /* of the oracle */
	bool frozen;              /* for at least a cycle */
} comparison;

static void differ(comparison *c, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void differ(comparison *c, const char *format, ...)
{
	va_list arguments;

	if (c->differences++ >= c->limit)
		return;
	va_start(arguments, format);
	g_string_append_vprintf(c->report, format, arguments);
	va_end(arguments);
	g_string_append_c(c->report, '\n');
}

static const char *mnemonic(const comparison *c, uint32_t insn)
{
	return insn < c->program->insns->len ? isa_ops[isa_program_insn(c->program, insn)->op].mnemonic : "-";
}

static char *time_text(int64_t time)
{
	return time == PROBE_NO_TIME ? g_strdup("-") : g_strdup_printf(I64, time);
}

static void compare_field(comparison *c, const probe_issue *at, const char *name, int64_t oracle, int64_t model)
{
	g_autofree char *x = NULL, *y = NULL;

	if (oracle == model)
		return;
	x = time_text(oracle);
	y = time_text(model);
	differ(c, "%s (instruction %u.%u, cycle " I64 "): %s is %s by the oracle, %s by the model",
	       mnemonic(c, at->insn), at->insn, at->index, at->cycle, name, x, y);
}

/* The text leaves open when the operands of an issue arrived that a violation is about, and in which time a vector from
 * a link arrived when the machine has been frozen since it was sent. */
static bool arrival_is_open(const comparison *c, const probe_issue *issue)
{
	if (c->frozen && isa_program_insn(c->program, issue->insn)->op == ISA_OP_RECV)
		return true;
	for (unsigned i = 0; i < c->violations->len; i++) {
		const probe_violation *v = &g_array_index(c->violations, probe_violation, i);

		if (v->insn == issue->insn && v->index == issue->index)
			return true;
	}
	return false;
}

static void compare_issue(comparison *c, const probe_issue *o, const probe_issue *m)
{
	static const char *const arrivals[] = {"arrival 0", "arrival 1", "arrival 2"};

	compare_field(c, o, "issue cycle", o->cycle, m->cycle);
	for (unsigned k = 0; k < G_N_ELEMENTS(arrivals) && !arrival_is_open(c, o); k++)
		compare_field(c, o, arrivals[k], o->arrival[k], m->arrival[k]);
	compare_field(c, o, "result", o->result, m->result);
	compare_field(c, o, "beats", o->beats, m->beats);
	compare_field(c, o, "requests", o->requests, m->requests);
	compare_field(c, o, "delayed", o->delayed, m->delayed);
	compare_field(c, o, "delay", o->delay, m->delay);
	compare_field(c, o, "work", o->work, m->work);
	compare_field(c, o, "queue", o->queue, m->queue);
}

static uint64_t issue_key(uint32_t insn, uint32_t index)
{
	return (uint64_t)insn << 32 | index;
}

static int by_key(gconstpointer a, gconstpointer b)
{
	const probe_issue *x = *(const probe_issue *const *)a;
	const probe_issue *y = *(const probe_issue *const *)b;
	uint64_t k = issue_key(x->insn, x->index), l = issue_key(y->insn, y->index);

	return k < l ? -1 : k > l;
}

/* The records by instruction and issue number. */
static GPtrArray *ordered(const GArray *issues)
{
	GPtrArray *out = g_ptr_array_new();

	for (unsigned i = 0; i < issues->len; i++)
		g_ptr_array_add(out, &g_array_index(issues, probe_issue, i));
	g_ptr_array_sort(out, by_key);
	return out;
}

static void compare_issues(comparison *c, const GArray *oracle, const GArray *model)
{
	g_autoptr(GPtrArray) o = ordered(oracle);
	g_autoptr(GPtrArray) m = ordered(model);
	unsigned i = 0, k = 0;

	while (i < o->len || k < m->len) {
		const probe_issue *x = i < o->len ? g_ptr_array_index(o, i) : NULL;
		const probe_issue *y = k < m->len ? g_ptr_array_index(m, k) : NULL;
		uint64_t xk = x ? issue_key(x->insn, x->index) : UINT64_MAX;
		uint64_t yk = y ? issue_key(y->insn, y->index) : UINT64_MAX;

		if (xk == yk)
			compare_issue(c, x, y);
		else if (xk < yk)
			differ(c, "%s (instruction %u.%u, cycle " I64 "): issued by the oracle only",
			       mnemonic(c, x->insn), x->insn, x->index, x->cycle);
		else
			differ(c, "%s (instruction %u.%u, cycle " I64 "): issued by the model only",
			       mnemonic(c, y->insn), y->insn, y->index, y->cycle);
		i += xk <= yk;
		k += yk <= xk;
	}
}

/* A late word belongs to an instruction, but to none of its issues. */
static bool same_violation(const probe_violation *v, const probe_violation *w)
{
	return v->cycle == w->cycle && v->kind == w->kind && v->queue == w->queue && v->insn == w->insn &&
	       (v->index == w->index || v->kind == ISA_VIOLATION_QUEUE_UNDERRUN);
}

/* Reports the violations of A that are not in B. */
static void missing_violations(comparison *c, const GArray *a, const GArray *b, const char *only)
{
	for (unsigned i = 0; i < a->len; i++) {
		const probe_violation *v = &g_array_index(a, probe_violation, i);
		bool found = false;

		for (unsigned k = 0; k < b->len && !found; k++) {
			const probe_violation *w = &g_array_index(b, probe_violation, k);

			found = same_violation(v, w);
		}
		if (!found)
			differ(c, "%s (instruction %u.%u) at " I64 " in %s: violation of %s only (detail " I64 ")",
			       isa_violation_name((enum isa_violation)v->kind), v->insn, v->index, v->cycle,
			       mnemonic(c, v->insn), only, v->detail);
	}
}

static void compare_slips(comparison *c, const GArray *oracle, const GArray *model)
{
	for (unsigned i = 0; i < MAX(oracle->len, model->len); i++) {
		probe_slip none = {.cycle = -1};
		const probe_slip *o = i < oracle->len ? &g_array_index(oracle, probe_slip, i) : &none;
		const probe_slip *m = i < model->len ? &g_array_index(model, probe_slip, i) : &none;

		if (o->cycle != m->cycle || o->cycles != m->cycles)
			differ(c, "slip %u: " I64 " cycles at " I64 " by the oracle, " I64 " at " I64 " by the model",
			       i, o->cycles, o->cycle, m->cycles, m->cycle);
	}
}

/* One line for the first byte that differs. */
static void compare_memory(comparison *c, const oracle_result *oracle, const judge_run *run)
{
	uint64_t size = oracle_memory_size(oracle->memory);

	for (uint64_t at = oracle_memory_next(oracle->memory, 0); at < size;
	     at = oracle_memory_next(oracle->memory, at + 1)) {
		uint8_t x = 0, y = 0;
		bool known = judge_read(run, at, &y, 1);

		oracle_memory_read(oracle->memory, at, &x, 1);
		if (known && x == y)
			continue;
		differ(c, "byte %" G_GUINT64_FORMAT ": %02x by the oracle, %02x%s by the model", at, x, y,
		       known ? "" : " (unknown)");
		return;
	}
}

unsigned judge_compare(const oracle_result *oracle, const judge_run *run, const isa_program *program, bool memory,
                       GString *report, unsigned limit)
{
	comparison c = {.program = program, .report = report, .limit = limit};
	const tsp_counters *counters = judge_counters(run);

	c.violations = oracle->violations;
	c.frozen = oracle->slip_cycles > 0;
	compare_issues(&c, oracle->issues, run->issues);
	missing_violations(&c, oracle->violations, run->violations, "the oracle");
	missing_violations(&c, run->violations, oracle->violations, "the model");
	compare_slips(&c, oracle->slips, run->slips);
	if (oracle->cycles != counters->cycles)
		differ(&c, "cycles: " I64 " by the oracle, " I64 " by the model", oracle->cycles, counters->cycles);
	if (oracle->slip_cycles != counters->slip_cycles)
		differ(&c, "slip: " I64 " by the oracle, " I64 " by the model", oracle->slip_cycles,
		       counters->slip_cycles);
	if (memory)
		compare_memory(&c, oracle, run);
	return c.differences;
}
