/* SPDX-License-Identifier: Apache-2.0
 *
 * Between a simulation and the trace writer.  Keys of the manifest and names of counters are those of docs/trace.md.
 */
#include "tools/record.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#include "tools/method.h"
#include "tools/tool.h"
#include "tools/usage.h"

struct record {
	const char *path;
	const isa_machine *hw;
	const isa_program *program;
	trace_options options;
	trace_names *names;
	trace_writer *writer; /* NULL once closed */
	uint64_t issues_in_window;
	bool windowed;
	bool did_something; /* did the run issue anything at all? */
};

static bool parse_window(const char *text, trace_options *options, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ":", -1);

	if (g_strv_length(parts) == 2 &&
	    g_ascii_string_to_signed(parts[0], 10, 0, INT64_MAX, &options->window_start, NULL) &&
	    g_ascii_string_to_signed(parts[1], 10, 1, INT64_MAX, &options->window_stop, NULL) &&
	    options->window_start < options->window_stop)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "--trace-window %s: expected START:STOP, two cycles, the first one lower", text);
	return false;
}

bool record_parse(const char *level, const char *window, trace_options *parsed, GError **error)
{
	int number = trace_level_from_name(level);

	*parsed = (trace_options){.level = (enum trace_level)number};
	if (number < 0) {
		tool_unknown(error, "trace level", level, trace_level_names);
		return false;
	}
	return !window || parse_window(window, parsed, error);
}

bool record_check(const char *level, const char *window, GError **error)
{
	trace_options parsed;

	return record_parse(level, window, &parsed, error);
}

static void write_number(record *r, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	trace_writer_manifest(r->writer, key, text);
}

static void write_entry(void *state, const char *key, const char *value)
{
	trace_writer_manifest(((record *)state)->writer, key, value);
}

static void write_manifest(record *r, const simulate_options *options, const isa_machine *sched, const isa_machine *hw,
                           const isa_program *program)
{
	static const char *const policies[] = {"fault-continue", "fault-stop", "freeze"};
	g_autofree char *sched_text = isa_machine_dump(sched);
	g_autofree char *hw_text = isa_machine_dump(hw);
	g_autofree char *hash = isa_program_hash(program);

	trace_writer_manifest(r->writer, "kind", "tsp");
	trace_writer_manifest(r->writer, "command", tool_command_line);
	trace_writer_manifest(r->writer, "machine", hw->name);
	trace_writer_manifest(r->writer, "machine_sched", sched_text);
	trace_writer_manifest(r->writer, "machine_hw", hw_text);
	trace_writer_manifest(r->writer, "workload", program->workload ? program->workload : "");
	trace_writer_manifest(r->writer, "program_sha256", hash);
	trace_writer_manifest(r->writer, "kernel", options->kernel);
	trace_writer_manifest(r->writer, "policy", policies[options->policy]);
	trace_writer_manifest(r->writer, "functional", options->functional ? "yes" : "no");
	method_manifest(options->method, options->search, write_entry, r);
	write_number(r, "clock_hz", (uint64_t)hw->clock_hz);
	write_number(r, "seed", options->seed);
	write_number(r, "shuffle", options->shuffle);
}

enum trace_status record_status(bool ok, bool stopped, bool interrupted)
{
	return !ok || stopped ? TRACE_INCOMPLETE : interrupted ? TRACE_INTERRUPTED : TRACE_COMPLETE;
}

void record_failed(bool ok, GError *failure, GError **error)
{
	if (ok)
		g_propagate_error(error, failure);
	else
		g_clear_error(&failure);
}

record *record_open(const simulate_options *options, const isa_machine *sched, const isa_machine *hw,
                    const isa_program *program, GError **error)
{
	record *r = g_new0(record, 1);

	r->path = options->trace;
	r->hw = hw;
	r->program = program;
	r->windowed = options->trace_window != NULL;
	if (record_parse(options->trace_level, options->trace_window, &r->options, error)) {
		r->names = trace_names_new(hw, program);
		r->writer = trace_writer_open(r->path, &r->options, r->names, error);
	}
	if (!r->writer) {
		record_free(r);
		return NULL;
	}
	write_manifest(r, options, sched, hw, program);
	return r;
}

void record_free(record *r)
{
	if (!r)
		return;
	if (r->writer)
		trace_writer_close(r->writer, TRACE_INCOMPLETE, NULL);
	if (r->names)
		trace_names_free(r->names);
	g_free(r);
}

static void count_window(void *state, const probe_issue *records, size_t count)
{
	record *r = state;

	for (size_t i = 0; i < count; i++)
		r->issues_in_window +=
			records[i].cycle >= r->options.window_start && records[i].cycle < r->options.window_stop;
}

void record_listen(record *r, probe *p)
{
	probe_listener listener = trace_writer_listener(r->writer);

	probe_add_listener(p, &listener);
	if (r->windowed) {
		listener = (probe_listener){.state = r, .issues = count_window};
		probe_add_listener(p, &listener);
	}
}

void record_step(record *r, tsp_chip *chip, int64_t cycle)
{
	const tsp_counters *c = tsp_chip_counters(chip);

	trace_writer_banks(r->writer, cycle, c->bank_count, c->bank_wait, c->bank_count_size);
}

/* Cycles for which a block request holds its port. */
static int64_t bank_service(const isa_machine *m)
{
	return (m->sram_block_bytes + m->sram_port_bytes - 1) / m->sram_port_bytes;
}

static void write_counters(record *r, const tsp_counters *c, const compare *compared)
{
	usage u = usage_of_run(r->hw, r->program, c);
	/* Of the run's types, weighted by work. */
	double peak = u.mxm_cycles > 0 ? (double)c->macs / u.mxm_cycles : 0;
	const struct counter {
		const char *name;
		uint64_t value;
		const char *unit;
	} counters[] = {
		{"cycles", (uint64_t)c->cycles, "cycles"},
		{"first_issue", (uint64_t)c->first_issue, "cycle"},
		{"slip_cycles", (uint64_t)c->slip_cycles, "cycles"},
		{"issues", c->issues, "issues"},
		{"violations", c->violations, "violations"},
		{"macs", c->macs, "MACs"},
		{"mxm_busy_cycles", c->mxm_busy_cycles, "plane cycles"},
		{"vxm_ops", c->vxm_ops, "vector operations"},
		{"vxm_lane_ops", c->vxm_lane_ops, "lane operations"},
		{"sxm_ops", c->sxm_ops, "vector operations"},
		{"bank_requests", c->bank_requests, "requests"},
		{"bank_delayed", c->bank_delayed, "requests"},
		{"bank_beats", c->bank_beats, "beats"},
		{"bank_service", r->hw->hashed ? (uint64_t)bank_service(r->hw) : 1, "cycles a request"},
		{"sram_bytes", c->sram_bytes, "B"},
		{"link_vectors", c->link_vectors, "vectors"},
		{"compared_events", compared ? compare_events(compared) : 0, "events"},
		{"mismatched_events", compared ? compare_mismatches(compared) : 0, "events"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(counters); i++)
		trace_writer_counter(r->writer, counters[i].name, counters[i].value, counters[i].unit);
	if (r->program->predicted_cycles >= 0)
		trace_writer_counter(r->writer, "predicted_cycles", (uint64_t)r->program->predicted_cycles, "cycles");
	if (peak > 0)
		trace_writer_counter(r->writer, "mxm_peak", (uint64_t)(peak + 0.5), "MACs a cycle");
	for (unsigned kind = 0; kind < ISA_VIOLATION_COUNT; kind++) {
		g_autofree char *name = g_strconcat("violations.", isa_violation_name((enum isa_violation)kind), NULL);

		if (c->violations_by_kind[kind])
			trace_writer_counter(r->writer, name, c->violations_by_kind[kind], "violations");
	}
}

void record_totals(record *r, tsp_chip *chip, const compare *compared, enum report_checked checked)
{
	static const char *const verdicts[] = {
		[REPORT_NOT_CHECKED] = "not checked", [REPORT_PASSED] = "passed", [REPORT_FAILED] = "failed"};
	const tsp_counters *c = tsp_chip_counters(chip);

	r->did_something = c->issues > 0;
	record_step(r, chip, c->first_issue + c->cycles);
	write_counters(r, c, compared);
	for (unsigned q = 0; q < isa_machine_queue_count(r->hw) && q < c->queue_issues_size; q++)
		trace_writer_queue_issues(r->writer, q, c->queue_issues[q]);
	trace_writer_manifest(r->writer, "checked", verdicts[checked]);
}

void record_drop(const char *path)
{
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		g_unlink(path);
}

bool record_window(const simulate_options *o, const isa_program *program, GError **error)
{
	trace_options parsed;
	sim_time last = 0;

	if (!o->trace || !o->trace_window || !program->has_predictions || o->policy == TSP_POLICY_FREEZE)
		return true;
	if (!record_parse(o->trace_level, o->trace_window, &parsed, error))
		return false;
	for (uint32_t id = 0; id < program->insns->len; id++)
		last = MAX(last, isa_insn_last(isa_program_insn(program, id)));
	if (parsed.window_start <= last)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "--trace-window %s: the last instruction issues in cycle %" G_GINT64_FORMAT
	            ", so the trace would be empty",
	            o->trace_window, last);
	return false;
}

bool record_close(record *r, enum trace_status status, GError **error)
{
	trace_writer *writer = g_steal_pointer(&r->writer);

	if (!trace_writer_close(writer, status, error))
		return false;
	if (status == TRACE_COMPLETE && r->windowed && !r->issues_in_window) {
		record_drop(r->path);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: nothing issued in cycles %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT
		            ", so the trace is empty",
		            r->path, r->options.window_start, r->options.window_stop);
		return false;
	}
	if (status == TRACE_COMPLETE && !r->did_something) {
		record_drop(r->path);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing issued, so the trace is empty", r->path);
		return false;
	}
	return true;
}

uint64_t record_bytes(const record *r)
{
	struct stat status;

	return stat(r->path, &status) == 0 ? (uint64_t)status.st_size : 0;
}
