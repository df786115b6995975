/* SPDX-License-Identifier: Apache-2.0
 *
 * Between an Ascend-style simulation and the trace writer.  Keys of the manifest and names of counters are those of
 * docs/trace.md.
 */
#include "tools/asc_record.h"

#include <string.h>
#include <sys/stat.h>

#include "tools/method.h"
#include "tools/record.h"
#include "tools/tool.h"

struct asc_record {
	const char *path;
	const asc_machine *hw;
	const asc_program *program;
	trace_options options;
	const char *stalls[ASC_STALLS];
	const char *findings[ASC_FINDINGS];
	trace_asc *writer; /* NULL once closed */
	int64_t launch_cycles;
	bool windowed;
};

static void write_number(asc_record *r, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	trace_asc_manifest(r->writer, key, text);
}

static void write_entry(void *state, const char *key, const char *value)
{
	trace_asc_manifest(((asc_record *)state)->writer, key, value);
}

static void write_manifest(asc_record *r, const ascend_options *o, const asc_machine *sched)
{
	g_autofree char *sched_text = asc_machine_dump(sched);
	g_autofree char *hw_text = asc_machine_dump(r->hw);
	g_autofree char *hash = asc_program_hash(r->program);

	trace_asc_manifest(r->writer, "command", tool_command_line);
	trace_asc_manifest(r->writer, "machine", r->hw->name);
	trace_asc_manifest(r->writer, "machine_sched", sched_text);
	trace_asc_manifest(r->writer, "machine_hw", hw_text);
	trace_asc_manifest(r->writer, "workload", r->program->workload ? r->program->workload : "");
	trace_asc_manifest(r->writer, "program_sha256", hash ? hash : "");
	trace_asc_manifest(r->writer, "kernel", o->kernel);
	trace_asc_manifest(r->writer, "policy", o->stop_at_first ? "fault-stop" : "fault-continue");
	trace_asc_manifest(r->writer, "functional", o->functional ? "yes" : "no");
	method_manifest(o->method, o->search, write_entry, r);
	trace_asc_manifest(r->writer, "issue", o->by_timestamp ? "by timestamp" : "by flags");
	write_number(r, "clock_hz", (uint64_t)r->hw->clock_hz);
	write_number(r, "seed", o->seed);
	write_number(r, "shuffle", o->shuffle);
	if (o->launch)
		write_number(r, "launch_cycles", (uint64_t)r->launch_cycles);
}

asc_record *asc_record_open(const ascend_options *options, const asc_machine *sched, const asc_machine *hw,
                            const asc_program *program, GError **error)
{
	asc_record *r = g_new0(asc_record, 1);
	trace_asc_subject subject;

	r->path = options->trace;
	r->hw = hw;
	r->program = program;
	r->launch_cycles = options->launch ? asc_launch_cycles(hw) : 0;
	r->windowed = options->trace_window != NULL;
	for (unsigned i = 0; i < ASC_STALLS; i++)
		r->stalls[i] = asc_stall_name((enum asc_stall)i);
	for (unsigned i = 0; i < ASC_FINDINGS; i++)
		r->findings[i] = asc_violation_name(i);
	subject = (trace_asc_subject){.machine = hw,
	                              .program = program,
	                              .stalls = r->stalls,
	                              .stall_count = ASC_STALLS,
	                              .findings = r->findings,
	                              .finding_count = ASC_FINDINGS};
	if (record_parse(options->trace_level, options->trace_window, &r->options, error))
		r->writer = trace_asc_open(r->path, &r->options, &subject, error);
	if (!r->writer) {
		asc_record_free(r);
		return NULL;
	}
	write_manifest(r, options, sched);
	return r;
}

void asc_record_free(asc_record *r)
{
	if (!r)
		return;
	if (r->writer)
		trace_asc_close(r->writer, TRACE_INCOMPLETE, NULL);
	g_free(r);
}

bool asc_record_wants_touches(const asc_record *r)
{
	return trace_asc_wants_touches(r->writer);
}

/* The cause that an instruction's setter ends. */
static unsigned wait_of(const asc_report *told)
{
	static const enum asc_stall causes[] = {ASC_STALL_FLAG, ASC_STALL_CROSS, ASC_STALL_BARRIER};

	for (unsigned i = 0; i < G_N_ELEMENTS(causes); i++)
		if (told->stall[causes[i]] > 0)
			return causes[i];
	return ASC_STALL_NONE;
}

static unsigned cause_of(enum asc_op op)
{
	if (op == ASC_OP_WAITCROSS || op == ASC_OP_WAITWORD)
		return ASC_STALL_CROSS;
	return op == ASC_OP_BARRIER ? ASC_STALL_BARRIER : ASC_STALL_FLAG;
}

void asc_record_report(asc_record *r, const asc_report *told)
{
	const asc_stream *stream = g_ptr_array_index(r->program->streams, told->stream);
	enum asc_op op = (enum asc_op)g_array_index(stream->insns, asc_insn, told->insn).op;
	unsigned wait = wait_of(told);
	trace_asc_execution e = {
		.core = told->core,
		.sub = told->sub,
		.stream = told->stream,
		.insn = told->insn,
		.block = told->block,
		.pipe = told->pipe,
		.queued = told->queued,
		.start = told->start,
		.free = told->free,
		.done = told->done,
		.stall = told->stall,
		.held = told->held,
		.wait = wait ? wait : cause_of(op),
		.sync = asc_tally_is_sync(op),
		.bytes = told->bytes,
		.work = told->work,
		.setter = {.known = told->setter.insn != UINT32_MAX,
	                   .core = told->setter.core,
	                   .sub = told->setter.sub,
	                   .stream = told->setter.stream,
	                   .insn = told->setter.insn,
	                   .pipe = told->setter.pipe,
	                   .start = told->setter.start,
	                   .effect = told->setter.effect},
	};

	trace_asc_executed(r->writer, &e);
}

void asc_record_touch(asc_record *r, const asc_touch *touch)
{
	/* Reads first: what an instruction replaces it may have read. */
	for (int write = 0; write < 2; write++)
		for (unsigned i = 0; i < touch->count; i++) {
			const asc_range *range = &touch->ranges[i];
			trace_asc_touch t = {.core = touch->core,
			                     .sub = touch->sub,
			                     .space = range->space,
			                     .write = range->write,
			                     .address = range->address,
			                     .bytes = range->bytes,
			                     .count = range->count,
			                     .pitch = range->pitch,
			                     .start = touch->start,
			                     .done = touch->done};

			if (range->write == (write > 0) && range->space != ASC_GM)
				trace_asc_touched(r->writer, &t);
		}
}

void asc_record_violation(asc_record *r, const asc_violation *v)
{
	trace_asc_violation row = {.cycle = v->cycle,
	                           .kind = v->kind,
	                           .core = v->core,
	                           .sub = v->sub,
	                           .stream = v->stream,
	                           .insn = v->insn,
	                           .other_stream = v->other_stream,
	                           .other_insn = v->other_insn,
	                           .space = v->space,
	                           .address = v->address,
	                           .bytes = v->bytes,
	                           .met = v->met};

	trace_asc_violated(r->writer, &row);
}

void asc_record_deadlock(asc_record *r, const char *diagnosis)
{
	trace_asc_deadlock(r->writer, diagnosis);
}

static void write_pipes(asc_record *r, asc_chip *chip, const asc_tally *tally)
{
	uint32_t cores = asc_tally_cores(r->hw, r->program);

	for (uint32_t i = 0; i < cores * r->hw->subcores; i++) {
		uint32_t core = i / r->hw->subcores, sub = i % r->hw->subcores;
		enum asc_kind kind = r->hw->coupled ? ASC_COUPLED : sub ? ASC_VECTOR : ASC_CUBE;
		const asc_counters *c = asc_chip_core_counters(chip, core, sub);

		for (unsigned p = 0; p < ASC_PIPES; p++) {
			const asc_tally_pipe *t = asc_tally_at(tally, core, sub, (enum asc_pipe)p);
			trace_asc_pipe totals = {.instructions = t->instructions,
			                         .busy = c->busy[p],
			                         .start = t->start,
			                         .stop = t->stop,
			                         .compared = t->compared,
			                         .differ = t->differ,
			                         .predicted_busy = t->predicted_busy,
			                         .compared_busy = t->compared_busy,
			                         .predicted_start = t->predicted_start,
			                         .predicted_stop = t->predicted_stop,
			                         .stall = c->stall[p]};

			if (asc_kind_has_pipe(kind, (enum asc_pipe)p))
				trace_asc_pipe_totals(r->writer, core, sub, (enum asc_pipe)p, &totals);
		}
	}
}

/* What a pipe waits for, predicted and simulated, as counters of its sub-core. */
static void write_waits(asc_record *r, uint32_t core, uint32_t sub, const asc_tally *tally)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		for (unsigned w = 0; w < ASC_TALLY_WAITS; w++) {
			const asc_tally_pipe *t = asc_tally_at(tally, core, sub, (enum asc_pipe)p);
			const char *pipe = asc_pipe_name((enum asc_pipe)p),
				   *wait = asc_tally_wait_name((enum asc_tally_wait)w);
			g_autofree char *predicted = g_strdup_printf("predicted.%s.%s", pipe, wait);
			g_autofree char *simulated = g_strdup_printf("simulated.%s.%s", pipe, wait);

			trace_asc_subcore_counter(r->writer, core, sub, predicted, (uint64_t)t->predicted_wait[w]);
			trace_asc_subcore_counter(r->writer, core, sub, simulated, (uint64_t)t->compared_wait[w]);
		}
}

static void write_subcore(asc_record *r, uint32_t core, uint32_t sub, const asc_counters *c)
{
	const struct {
		const char *name;
		uint64_t value;
	} plain[] = {
		/* Hardware counts a core's from its first block on. */
		{"cycles", (uint64_t)MAX(c->cycles - r->launch_cycles, 0)},
		{"instructions", c->instructions},
		{"macs", c->macs},
		{"lane_ops", c->vector_lane_ops},
		{"l2_hits", c->l2_hits},
		{"l2_misses", c->l2_misses},
		{"single_issue", c->single_issue},
		{"dual_issue", c->dual_issue},
		{"violations", c->violations},
		{"races_met", c->races_met},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(plain); i++)
		trace_asc_subcore_counter(r->writer, core, sub, plain[i].name, plain[i].value);
	for (unsigned from = 0; from < ASC_SPACES; from++)
		for (unsigned to = 0; to < ASC_SPACES; to++) {
			g_autofree char *name = g_strdup_printf("bytes.%s.%s", asc_space_name((enum asc_space)from),
			                                        asc_space_name((enum asc_space)to));

			trace_asc_subcore_counter(r->writer, core, sub, name, c->bytes[from][to]);
		}
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		g_autofree char *name = g_strconcat("queue_full.", asc_pipe_name((enum asc_pipe)p), NULL);

		trace_asc_subcore_counter(r->writer, core, sub, name, (uint64_t)c->queue_full[p]);
	}
	for (unsigned id = 0; id < ASC_CROSS_IDS; id++) {
		g_autofree char *name = g_strdup_printf("cross_wait.%u", id);

		trace_asc_subcore_counter(r->writer, core, sub, name, (uint64_t)c->cross_wait[id]);
	}
}

/* Of the hardware's counters those that the sub-core has. */
static void write_pmu(asc_record *r, uint32_t core, uint32_t sub, const asc_counters *c)
{
	enum asc_kind kind = r->hw->coupled ? ASC_COUPLED : sub ? ASC_VECTOR : ASC_CUBE;

	for (unsigned row = 0; row < ASC_PMU_COUNT; row++)
		if (asc_pmu((enum asc_pmu)row)->cores >> kind & 1)
			trace_asc_pmu(r->writer, core, sub, asc_pmu((enum asc_pmu)row)->id,
			              asc_pmu_value(c, (enum asc_pmu)row));
}

static void write_counters(asc_record *r, const ascend_result *result)
{
	const asc_counters *c = &result->counters;
	const struct {
		const char *name;
		uint64_t value;
		const char *unit;
	} counters[] = {
		{"cycles", (uint64_t)c->cycles, "cycles"},
		{"instructions", c->instructions, "instructions"},
		{"violations", c->violations, "violations"},
		{"races_met", c->races_met, "violations"},
		{"macs", c->macs, "MACs"},
		{"lane_ops", c->vector_lane_ops, "lane operations"},
		{"useful_macs", r->program->macs, "MACs"},
		{"useful_vector_ops", r->program->vector_ops, "lane operations"},
		{"l2_hits", c->l2_hits, "requests"},
		{"l2_misses", c->l2_misses, "requests"},
		{"compared_events", result->compared, "instructions"},
		{"mismatched_events", result->differ, "instructions"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(counters); i++)
		trace_asc_counter(r->writer, counters[i].name, counters[i].value, counters[i].unit);
	if (r->program->predicted_cycles >= 0)
		trace_asc_counter(r->writer, "predicted_cycles", (uint64_t)r->program->predicted_cycles, "cycles");
	for (unsigned kind = 0; kind < ASC_FINDINGS; kind++) {
		g_autofree char *name = g_strconcat("violations.", asc_violation_name(kind), NULL);

		if (c->by_kind[kind])
			trace_asc_counter(r->writer, name, c->by_kind[kind], "violations");
	}
}

void asc_record_totals(asc_record *r, asc_chip *chip, const asc_tally *tally, const ascend_result *result)
{
	uint32_t cores = asc_tally_cores(r->hw, r->program);
	const char *verdict = !result->checked ? "not checked" : result->verify.wrong ? "failed" : "passed";

	write_counters(r, result);
	write_pipes(r, chip, tally);
	for (uint32_t i = 0; i < cores * r->hw->subcores; i++) {
		uint32_t core = i / r->hw->subcores, sub = i % r->hw->subcores;

		write_subcore(r, core, sub, asc_chip_core_counters(chip, core, sub));
		write_waits(r, core, sub, tally);
		write_pmu(r, core, sub, asc_chip_core_counters(chip, core, sub));
	}
	trace_asc_manifest(r->writer, "checked", verdict);
}

bool asc_record_close(asc_record *r, enum trace_status status, GError **error)
{
	trace_asc *writer = g_steal_pointer(&r->writer);
	uint64_t seen = trace_asc_seen(writer);

	if (!trace_asc_close(writer, status, error))
		return false;
	if (status != TRACE_COMPLETE || seen || !r->windowed)
		return true;
	record_drop(r->path);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s: nothing began in cycles %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ", so the trace is empty",
	            r->path, r->options.window_start, r->options.window_stop);
	return false;
}

uint64_t asc_record_bytes(const asc_record *r)
{
	struct stat status;

	return stat(r->path, &status) == 0 ? (uint64_t)status.st_size : 0;
}
