/* SPDX-License-Identifier: Apache-2.0
 *
 * The run report as text: one label a line, figures with units, what to type next at the end.
 */
#include "tools/report.h"

#include <string.h>

#include "sched/emit/emit.h"
#include "tools/method.h"
#include "tools/tool.h"

bool report_found_fault(const report *r)
{
	return r->counters->violations || (r->compare && compare_mismatches(r->compare)) || r->checked == REPORT_FAILED;
}

char *report_binds(const report *r)
{
	if (r->schedule && r->schedule->binds)
		return g_strdup(r->schedule->binds);
	return usage_binds(r->hw, &r->usage, r->counters);
}

static void say_machine(GString *out, const report *r)
{
	const isa_machine *m = r->hw;
	g_autofree char *sram = tool_bytes((uint64_t)isa_machine_sram_bytes(m));

	tool_line(out, "machine", "%s: %s", m->name, m->title);
	if (m->hashed) {
		uint64_t whole = (uint64_t)(m->sram_banks * m->sram_rows * m->sram_block_bytes);
		uint64_t lost = whole - MIN(whole, (uint64_t)isa_machine_sram_bytes(m));
		g_autofree char *lost_text = tool_bytes(lost);
		g_autofree char *whole_text = tool_bytes(whole);

		tool_line(out, "", "SRAM of %s under map %s, which leaves %s of %s unused", sram, m->sram_map,
		          lost_text, whole_text);
	} else {
		tool_line(out, "", "SRAM of %s, direct addresses", sram);
	}
}

static void say_cycles(GString *out, const report *r)
{
	g_autofree char *cycles = tool_count((uint64_t)r->counters->cycles);
	g_autofree char *time = tool_seconds((double)r->counters->cycles / (double)r->hw->clock_hz);

	tool_line(out, "cycles", "%s (%s at %.4g MHz)%s", cycles, time, (double)r->hw->clock_hz / 1e6,
	          r->interrupted ? ", up to the interruption"
	          : r->stopped   ? ", up to the stop"
	                         : "");
	if (r->counters->slip_cycles) {
		g_autofree char *slip = tool_count((uint64_t)r->counters->slip_cycles);
		uint32_t bank;
		int64_t lost;
		g_autofree char *both = tool_count((uint64_t)(r->counters->cycles + r->counters->slip_cycles));

		tool_line(out, "slip", "%s cycles frozen on top, in %" G_GUINT64_FORMAT " place%s: %s cycles in all",
		          slip, r->findings->slips, tsp_s(r->findings->slips), both);
		if (findings_worst_bank(r->findings, &bank, &lost)) {
			g_autofree char *worst = tool_count((uint64_t)lost);

			tool_line(out, "", "the most for one bank: %s cycles, bank %u", worst, bank);
		}
	}
}

static void say_binds(GString *out, const report *r)
{
	g_autofree char *binds = report_binds(r);

	if (r->schedule)
		method_text(out, r->schedule->search, false);
	report_say_notes(out, binds, r->schedule ? r->schedule->notes : NULL);
	if (r->schedule && r->schedule->notes && r->program->epochs->len > EMIT_NOTED_EPOCHS)
		tool_line(out, "", "(the first layers; `tspsim stat` of a trace shows how long each took)");
}

static void say_use(GString *out, const report *r)
{
	g_autofree char *mxm = tool_percent(r->usage.mxm);
	g_autofree char *ceiling = tool_percent(r->usage.mxm_ceiling);
	g_autofree char *vxm = tool_percent(r->usage.vxm);
	g_autofree char *sxm = tool_percent(r->usage.sxm);
	g_autofree char *sram = tool_percent(r->usage.sram);
	g_autofree char *macs = tool_count(r->counters->macs);
	g_autofree char *lane_ops = tool_count(r->counters->vxm_lane_ops);
	g_autofree char *issues = tool_count(r->counters->issues);
	g_autofree char *bytes = tool_bytes(r->counters->sram_bytes);
	g_autofree char *requests = tool_count(r->counters->bank_requests);
	g_autofree char *delayed = tool_count(r->counters->bank_delayed);

	if (r->usage.mxm_ceiling >= 0)
		tool_line(out, "utilisation", "MXM %s (ceiling of whole blocks %s), VXM %s, SXM %s, SRAM %s", mxm,
		          ceiling, vxm, sxm, sram);
	else
		tool_line(out, "utilisation", "MXM %s, VXM %s, SXM %s, SRAM %s", mxm, vxm, sxm, sram);
	tool_line(out, "work", "%s MACs, %s VXM lane operation%s, %s instruction%s issued", macs, lane_ops,
	          tsp_s(r->counters->vxm_lane_ops), issues, tsp_s(r->counters->issues));
	if (r->schedule && r->schedule->registers.count) {
		g_autofree char *registers = sched_registers_text(&r->schedule->registers);

		tool_line(out, "registers", "%s", registers);
	}
	tool_line(out, "banks", "%s request%s, %s moved, %s request%s delayed by another", requests,
	          tsp_s(r->counters->bank_requests), bytes, delayed, tsp_s(r->counters->bank_delayed));
}

/* The epoch that took longest, when there are several. */
static void say_layers(GString *out, const report *r)
{
	const GArray *epochs = r->program->epochs;
	const isa_epoch *longest = NULL;
	g_autofree char *cycles = NULL;
	g_autofree char *share = NULL;

	if (epochs->len < 2 || r->program->predicted_cycles <= 0)
		return;
	for (guint e = 0; e < epochs->len; e++) {
		const isa_epoch *epoch = &g_array_index(epochs, isa_epoch, e);

		if (!longest || epoch->end - epoch->start > longest->end - longest->start)
			longest = epoch;
	}
	cycles = tool_count((uint64_t)(longest->end - longest->start));
	share = tool_percent((double)(longest->end - longest->start) / (double)r->program->predicted_cycles);
	tool_line(out, "layers", "%u; the longest is %s with %s cycles (%s)", epochs->len, longest->name, cycles,
	          share);
}

static void say_difference(GString *out, const report *r, const compare_difference *d)
{
	g_autofree char *text = NULL;

	if (d->what == COMPARE_LENGTH) {
		tool_line(out, "", "%s: predicted %" G_GINT64_FORMAT " cycles, simulated %" G_GINT64_FORMAT,
		          compare_what_name(d->what), d->predicted, d->simulated);
		return;
	}
	text = findings_insn_text(r->program, r->hw, d->insn);
	if (d->simulated == PROBE_NO_TIME)
		tool_line(out, "", "%s of issue %u: predicted %" G_GINT64_FORMAT ", simulated none: %s",
		          compare_what_name(d->what), d->index, d->predicted, text);
	else
		tool_line(out, "", "%s of issue %u: predicted %" G_GINT64_FORMAT ", simulated %" G_GINT64_FORMAT ": %s",
		          compare_what_name(d->what), d->index, d->predicted, d->simulated, text);
}

static void say_prediction(GString *out, const report *r, bool colour)
{
	g_autofree char *events = NULL;
	g_autofree char *different = NULL;
	const compare_difference *kept;
	unsigned count;

	if (!r->compare) {
		tool_line(out, "predicted", "not compared: %s",
		          r->interrupted ? "interrupted" : "the program carries no predictions");
		return;
	}
	events = tool_count(compare_events(r->compare));
	if (!compare_mismatches(r->compare)) {
		tool_line(out, "predicted", "= simulated, in all %s compared event%s", events,
		          tsp_s(compare_events(r->compare)));
		return;
	}
	different = tool_count(compare_mismatches(r->compare));
	tool_line(out, "predicted",
	          "%s!= simulated%s: %s difference%s in %s compared event%s; the first:", report_red(colour),
	          report_plain(colour), different, compare_mismatches(r->compare) == 1 ? "" : "s", events,
	          tsp_s(compare_events(r->compare)));
	kept = compare_kept(r->compare, &count);
	for (unsigned i = 0; i < count; i++)
		say_difference(out, r, &kept[i]);
}

static void say_checked(GString *out, const report *r, bool colour)
{
	g_autofree char *values = NULL;
	g_autofree char *wrong = NULL;

	if (r->checked == REPORT_NOT_CHECKED) {
		tool_line(out, "checked", "%s",
		          r->functional ? "values were carried, but there is no reference to hold them against"
		                        : "timing only (--functional carries values and checks them)");
		return;
	}
	values = tool_count(verify_values(r->verify));
	if (r->checked == REPORT_PASSED) {
		tool_line(out, "checked", "all %s result value%s equal the reference, bit for bit", values,
		          tsp_s(verify_values(r->verify)));
		return;
	}
	wrong = tool_count(verify_wrong(r->verify));
	tool_line(out, "checked", "%sFAILED%s: %s of %s result value%s differ from the reference; the first: %s",
	          report_red(colour), report_plain(colour), wrong, values, tsp_s(verify_values(r->verify)),
	          verify_first(r->verify));
}

static void say_violation(GString *out, const report *r, const probe_violation *v)
{
	g_autofree char *text = findings_insn_text(r->program, r->hw, v->insn);

	tool_line(out, "", "  cycle %" G_GINT64_FORMAT ", %s, issue %u: %s (detail %" G_GINT64_FORMAT ")", v->cycle,
	          v->queue < isa_machine_queue_count(r->hw) ? isa_machine_queue(r->hw, v->queue)->name : "?", v->index,
	          text, v->detail);
	if (v->other != UINT32_MAX) {
		g_autofree char *other = findings_insn_text(r->program, r->hw, v->other);

		tool_line(out, "", "    with %s", other);
	}
}

static void say_violations(GString *out, const report *r, bool colour)
{
	g_autofree char *total = tool_count(r->counters->violations);

	if (!r->counters->violations) {
		tool_line(out, "violations", "none");
		return;
	}
	tool_line(out, "violations", "%s%s%s", report_red(colour), total, report_plain(colour));
	for (unsigned kind = 0; kind < ISA_VIOLATION_COUNT; kind++) {
		g_autofree char *count = tool_count(r->counters->violations_by_kind[kind]);

		if (!r->counters->violations_by_kind[kind])
			continue;
		tool_line(out, "", "%s %s: %s", count, isa_violation_name((enum isa_violation)kind),
		          isa_violation_doc((enum isa_violation)kind));
		for (unsigned i = 0; i < r->findings->kept[kind]; i++)
			say_violation(out, r, &r->findings->first[kind][i]);
	}
}

char *report_text(const report *r, bool colour)
{
	report_machine sched = report_machine_of(r->sched), hw = report_machine_of(r->hw);
	g_auto(GStrv) assumed = report_assumed(r->hw, r->program);
	GString *out = g_string_new(NULL);

	if (r->interrupted)
		tool_line(out, "INTERRUPTED", "figures are those of the cycles simulated so far");
	say_machine(out, r);
	report_say_split(out, &sched, &hw);
	tool_line(out, "workload", "%s",
	          r->program->workload && *r->program->workload ? r->program->workload : "(none named)");
	say_layers(out, r);
	say_cycles(out, r);
	say_binds(out, r);
	say_use(out, r);
	say_prediction(out, r, colour);
	say_checked(out, r, colour);
	say_violations(out, r, colour);
	report_say_assumed(out, assumed, r->hw->name);
	tool_line(out, "wall", "%.2f s", r->wall_s);
	report_say_next(out, r->trace, r->trace_level, r->trace_bytes, r->interrupted);
	return g_string_free(out, FALSE);
}
