/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel, chip, listeners.  Listeners on the probe: findings always; the comparison when the program has predictions;
 * the trace when asked for.
 */
#include "tools/simulate.h"

#include <string.h>

#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/record.h"
#include "tools/tool.h"

/* A broken program can violate something at every issue; past this many only the counters go on. */
enum { MAX_VIOLATIONS = 1000000 };

struct simulation {
	const isa_program *program;
	sim_kernel *kernel;
	tsp_chip *chip;
	probe probe;
	findings findings;
	compare *compare;
	verify *verify;
	record *record; /* the trace, NULL when there is none */
	simulate_options options;
	bool interrupted, stopped, compared;
	enum report_checked checked;
};

/* The last cycle anything is predicted or known to issue in: the scale of the progress line. */
static sim_time horizon(const isa_program *program)
{
	sim_time last = MAX(program->predicted_cycles, 1);

	for (uint32_t id = 0; id < program->insns->len; id++)
		last = MAX(last, isa_insn_last(isa_program_insn(program, id)));
	return last;
}

/* Columns of the bank heat map, steps of the progress line. */
enum { STEPS = 256 };

/* Runs to the end, to a stop, or to an interruption.  In steps, which change nothing, when someone wants to look on the
 * way. */
static bool run_kernel(simulation *s, GError **error)
{
	progress *p;
	sim_time end, until = 0;
	bool ok = true;

	if (!progress_is_shown() && !s->record)
		return sim_kernel_run(s->kernel, SIM_NEVER, error);
	end = horizon(s->program);
	p = progress_begin("simulating");
	do {
		until += end / STEPS + 1;
		ok = sim_kernel_run(s->kernel, until, error);
		progress_update(p, (double)until / (double)end);
		/* The last window ends with the run, in record_totals(). */
		if (s->record && ok && !sim_kernel_is_idle(s->kernel) && sim_kernel_now(s->kernel) >= until)
			record_step(s->record, s->chip, until + 1);
		/* Time stands before UNTIL when someone stopped the kernel. */
	} while (ok && !sim_kernel_is_idle(s->kernel) && !interrupt_happened() && sim_kernel_now(s->kernel) >= until);
	progress_end(p);
	return ok;
}

/* Puts kernel, listeners and chip together. */
static bool assemble(simulation *s, const isa_machine *sched, const isa_machine *hw, GPtrArray *graphs, GError **error)
{
	sim_kernel_options kernel_options = {.shuffle_seed = s->options.shuffle,
	                                     .reference_hz = (uint64_t)hw->clock_hz};
	tsp_options chip_options = {
		.policy = s->options.policy,
		.functional = s->options.functional,
		.max_violations = MAX_VIOLATIONS,
	};
	probe_listener listener = findings_listener(&s->findings);

	probe_add_listener(&s->probe, &listener);
	if (s->program->has_predictions) {
		s->compare = compare_new(s->program);
		listener = compare_listener(s->compare);
		probe_add_listener(&s->probe, &listener);
	}
	if (graphs && s->options.functional) {
		s->verify = verify_new(graphs, s->program);
		chip_options.epoch_end = verify_epoch;
		chip_options.epoch_state = s->verify;
	}
	s->kernel = sim_kernel_new(s->options.kernel, &kernel_options, error);
	if (!s->kernel)
		return false;
	/* From before the trace is opened until it is closed: an interrupt ends the run, never the writing. */
	interrupt_watch(s->kernel);
	if (s->options.trace) {
		s->record = record_open(&s->options, sched, hw, s->program, error);
		if (!s->record)
			return false;
		record_listen(s->record, &s->probe);
	}
	s->chip = tsp_chip_new(hw, s->program, s->kernel, &s->probe, &chip_options, error);
	return s->chip != NULL;
}

/* After the last event: completes comparison and check, where the run went to its end. */
static bool conclude(simulation *s, GError **error)
{
	GError *failure = NULL;

	s->interrupted = interrupt_happened();
	s->stopped = s->options.policy == TSP_POLICY_FAULT_STOP && tsp_chip_counters(s->chip)->violations;
	s->compared = s->compare && !s->interrupted;
	if (s->interrupted || s->stopped)
		return true;
	if (s->compare)
		compare_finish(s->compare, tsp_chip_counters(s->chip)->cycles);
	if (s->verify) {
		s->checked = verify_passed(s->verify, &failure) ? REPORT_PASSED : REPORT_FAILED;
		if (failure) {
			g_propagate_error(error, failure);
			return false;
		}
	}
	return true;
}

/* Counters and verdicts into the trace, and its end; OK: did the run itself go well (else ERROR is set already)? */
static bool close_record(simulation *s, bool ok, GError **error)
{
	GError *failure = NULL;

	if (ok)
		record_totals(s->record, s->chip, s->compare, s->checked);
	if (record_close(s->record, record_status(ok, s->stopped, s->interrupted), &failure))
		return true;
	record_failed(ok, failure, error);
	return false;
}

simulation *simulate(const isa_machine *sched, const isa_machine *hw, const isa_program *program, GPtrArray *graphs,
                     const simulate_options *options, GError **error)
{
	simulation *s = g_new0(simulation, 1);
	bool ok;

	s->program = program;
	s->options = *options;
	probe_init(&s->probe);
	findings_init(&s->findings);
	ok = record_window(options, program, error) && assemble(s, sched, hw, graphs, error);
	if (ok) {
		ok = run_kernel(s, error);
		probe_flush(&s->probe);
	}
	ok = ok && conclude(s, error);
	if (s->record)
		ok = close_record(s, ok, error) && ok;
	interrupt_watch(NULL);
	if (!ok)
		g_clear_pointer(&s, simulation_free);
	return s;
}

void simulation_free(simulation *s)
{
	if (!s)
		return;
	if (s->chip)
		tsp_chip_free(s->chip);
	sim_kernel_free(s->kernel);
	probe_fini(&s->probe);
	findings_fini(&s->findings);
	compare_free(s->compare);
	verify_free(s->verify);
	record_free(s->record);
	g_free(s);
}

void simulation_report(const simulation *s, report *r)
{
	r->counters = tsp_chip_counters(s->chip);
	r->findings = &s->findings;
	r->compare = s->compared ? s->compare : NULL;
	r->verify = s->verify;
	r->checked = s->checked;
	r->functional = s->options.functional;
	r->interrupted = s->interrupted;
	r->stopped = s->stopped;
	r->trace = s->options.trace;
	r->trace_level = s->options.trace_level;
	r->trace_bytes = s->record ? record_bytes(s->record) : 0;
	r->usage = usage_of_run(r->hw, r->program, r->counters);
}
