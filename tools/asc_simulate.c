/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel, chip, listener.  The listener counts by pipe, keeps the first findings, and feeds the trace when there is
 * one.
 */
#include "tools/asc_simulate.h"

#include <math.h>

#include "tools/asc_record.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/record.h"

typedef struct run {
	const asc_machine *hw;
	const asc_program *program;
	const ascend_options *options;
	ascend_result *result;
	asc_tally *tally;
	asc_record *record; /* NULL: no trace */
	sim_kernel *kernel;
	asc_chip *chip;
} run;

static void on_report(void *state, const asc_report *told)
{
	run *r = state;

	asc_tally_add(r->tally, told);
	if (r->record)
		asc_record_report(r->record, told);
}

static void on_touch(void *state, const asc_touch *touch)
{
	asc_record_touch(((run *)state)->record, touch);
}

static void on_violation(void *state, const asc_violation *v)
{
	run *r = state;
	ascend_result *result = r->result;

	if (result->kept[v->kind] < ASCEND_KEPT)
		result->first[v->kind][result->kept[v->kind]++] = *v;
	if (r->record)
		asc_record_violation(r->record, v);
}

static void on_deadlock(void *state, const char *diagnosis)
{
	run *r = state;

	g_free(r->result->deadlock);
	r->result->deadlock = g_strdup(diagnosis);
	if (r->record)
		asc_record_deadlock(r->record, diagnosis);
}

static bool jumps(const asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	for (unsigned f = 0; f < info->fields; f++)
		if (info->field[f].value == ASC_VALUE_LABEL)
			return true;
	return false;
}

/* How many instructions all sub-cores will execute; 0: there are jumps, so nobody knows. */
static uint64_t instructions_of(const asc_machine *machine, const asc_program *program)
{
	uint64_t sum = 0;

	for (guint i = 0; i < program->streams->len; i++) {
		const asc_stream *stream = g_ptr_array_index(program->streams, i);
		uint64_t subs = stream->kind == ASC_VECTOR && stream->sub == ASC_ALL_BLOCKS
		                        ? (uint64_t)machine->core_vector_cores
		                        : 1;

		for (guint k = 0; k < stream->insns->len; k++)
			if (jumps(&g_array_index(stream->insns, asc_insn, k)))
				return 0;
		sum += subs * stream->insns->len * (stream->block == ASC_ALL_BLOCKS ? program->blocks : 1);
	}
	return sum;
}

/* How far the run is: by how many instructions are executed or, where that is not known, by the predicted length. */
static double share_done(const run *r, uint64_t instructions)
{
	if (instructions)
		return (double)asc_tally_executed(r->tally) / (double)instructions;
	if (r->program->predicted_cycles > 0)
		return (double)sim_kernel_now(r->kernel) / (double)r->program->predicted_cycles;
	return NAN;
}

/* Runs to the end, to a stop, or to an interruption.  In steps, which change nothing, when someone looks on. */
static bool run_kernel(run *r, GError **error)
{
	enum { STEP_CYCLES = 4096 };
	uint64_t instructions;
	progress *p;
	sim_time until = 0;
	bool ok = true;

	if (!progress_is_shown())
		return sim_kernel_run(r->kernel, SIM_NEVER, error);
	instructions = instructions_of(r->hw, r->program);
	p = progress_begin("simulating");
	do {
		until += STEP_CYCLES;
		ok = sim_kernel_run(r->kernel, until, error);
		progress_update(p, share_done(r, instructions));
		/* Time stands before UNTIL when someone stopped the kernel. */
	} while (ok && !sim_kernel_is_idle(r->kernel) && !interrupt_happened() && sim_kernel_now(r->kernel) >= until);
	progress_end(p);
	return ok;
}

static bool assemble(run *r, const asc_machine *sched, GError **error)
{
	sim_kernel_options kernel_options = {.shuffle_seed = r->options->shuffle,
	                                     .reference_hz = (uint64_t)r->hw->clock_hz};
	asc_options chip_options = {.functional = r->options->functional,
	                            .by_timestamp = r->options->by_timestamp,
	                            .launch = r->options->launch,
	                            .stop_at_first = r->options->stop_at_first};
	asc_listener listener = {.state = r, .report = on_report, .violation = on_violation, .deadlock = on_deadlock};

	r->tally = asc_tally_new(r->hw, r->program);
	if (r->options->launch)
		asc_tally_begin(r->tally, asc_launch_cycles(sched), asc_launch_cycles(r->hw));
	r->kernel = sim_kernel_new(r->options->kernel, &kernel_options, error);
	if (!r->kernel)
		return false;
	/* From before the trace is opened until it is closed: an interrupt ends the run, never the writing. */
	interrupt_watch(r->kernel);
	if (r->options->trace) {
		r->record = asc_record_open(r->options, sched, r->hw, r->program, error);
		if (!r->record)
			return false;
		if (asc_record_wants_touches(r->record))
			listener.touch = on_touch;
	}
	r->chip = asc_chip_new(r->hw, r->program, r->kernel, &listener, &chip_options, error);
	return r->chip != NULL;
}

static bool has_stream(const asc_program *program, enum asc_kind kind, uint32_t vector)
{
	for (guint i = 0; i < program->streams->len; i++) {
		const asc_stream *stream = g_ptr_array_index(program->streams, i);

		if (stream->kind == kind &&
		    (kind != ASC_VECTOR || stream->sub == ASC_ALL_BLOCKS || stream->sub == (int32_t)vector))
			return true;
	}
	return false;
}

static void add_use(ascend_use *u, const asc_counters *c, const asc_tally_pipe *t, enum asc_pipe pipe)
{
	u->subcores++;
	u->instructions += t->instructions;
	u->compared += t->compared;
	u->differ += t->differ;
	u->busy += c->busy[pipe];
	u->most = MAX(u->most, c->busy[pipe]);
	for (unsigned i = 0; i < ASC_STALLS; i++)
		u->stall[i] += c->stall[pipe][i];
	u->predicted_busy += t->predicted_busy;
	u->compared_busy += t->compared_busy;
	for (unsigned i = 0; i < ASC_TALLY_WAITS; i++) {
		u->predicted_wait[i] += t->predicted_wait[i];
		u->compared_wait[i] += t->compared_wait[i];
	}
	for (unsigned i = 0; i < ASC_STALLS; i++)
		u->longer[i] += t->longer[i];
	u->predicted_stop = MAX(u->predicted_stop, t->predicted_stop);
	u->stop = MAX(u->stop, t->stop);
}

static void add_up(run *r)
{
	ascend_result *result = r->result;
	uint32_t cores = asc_tally_cores(r->hw, r->program);

	result->counters = *asc_chip_counters(r->chip);
	result->executed = asc_tally_executed(r->tally);
	result->compared = asc_tally_compared(r->tally);
	result->differ = asc_tally_differ(r->tally);
	result->missed = asc_tally_first_miss(r->tally) != NULL;
	if (result->missed)
		result->miss = *asc_tally_first_miss(r->tally);
	for (uint32_t i = 0; i < cores * r->hw->subcores; i++) {
		uint32_t core = i / r->hw->subcores, sub = i % r->hw->subcores;
		enum asc_kind kind = r->hw->coupled ? ASC_COUPLED : sub ? ASC_VECTOR : ASC_CUBE;

		if (!has_stream(r->program, kind, sub ? sub - 1 : 0))
			continue;
		for (unsigned p = 0; p < ASC_PIPES; p++)
			if (asc_kind_has_pipe(kind, (enum asc_pipe)p))
				add_use(&result->use[kind][p], asc_chip_core_counters(r->chip, core, sub),
				        asc_tally_at(r->tally, core, sub, (enum asc_pipe)p), (enum asc_pipe)p);
	}
}

/* After the last event. */
static bool conclude(run *r, GPtrArray *graphs, GError **error)
{
	ascend_result *result = r->result;

	add_up(r);
	result->interrupted = interrupt_happened();
	/* Sub-cores count their cycles when they end. */
	if (result->interrupted)
		result->counters.cycles = MAX(result->counters.cycles, (int64_t)sim_kernel_now(r->kernel));
	result->stopped = r->options->stop_at_first && result->counters.violations;
	if (!graphs || !r->options->functional || result->interrupted || result->stopped || result->deadlock)
		return true;
	result->checked = asc_verify_run(&result->verify, r->chip, r->program, graphs, error);
	return result->checked;
}

/* Counters and verdicts into the trace, and its end; OK: did the run itself go well (else ERROR is set already)? */
static bool close_record(run *r, bool ok, GError **error)
{
	const ascend_result *result = r->result;
	enum trace_status status = record_status(ok, result->stopped || result->deadlock, result->interrupted);
	GError *failure = NULL;

	if (ok)
		asc_record_totals(r->record, r->chip, r->tally, result);
	if (asc_record_close(r->record, status, &failure)) {
		r->result->trace_bytes = asc_record_bytes(r->record);
		return true;
	}
	record_failed(ok, failure, error);
	return false;
}

bool ascend_simulate(ascend_result *result, const asc_machine *sched, const asc_machine *hw, const asc_program *program,
                     GPtrArray *graphs, const ascend_options *options, GError **error)
{
	run r = {.hw = hw, .program = program, .options = options, .result = result};
	bool ok;

	*result = (ascend_result){0};
	ok = assemble(&r, sched, error) && run_kernel(&r, error) && conclude(&r, graphs, error);
	if (r.record)
		ok = close_record(&r, ok, error) && ok;
	interrupt_watch(NULL);
	asc_chip_free(r.chip);
	sim_kernel_free(r.kernel);
	asc_record_free(r.record);
	asc_tally_free(r.tally);
	return ok;
}

void ascend_result_fini(ascend_result *result)
{
	g_clear_pointer(&result->deadlock, g_free);
	asc_verify_fini(&result->verify);
}
