/* SPDX-License-Identifier: Apache-2.0
 *
 * The run report as JSON.  The first block of keys is fixed and documented in tspsim(1); scripts rest on it.
 */
#include <string.h>

#include "tools/json.h"
#include "tools/method.h"
#include "tools/report.h"
#include "tools/tsp.h"

static void add_layers(json *j, const report *r)
{
	json_array(j, "layers");
	for (guint e = 0; e < r->program->epochs->len; e++) {
		const isa_epoch *epoch = &g_array_index(r->program->epochs, isa_epoch, e);

		json_object(j, NULL);
		json_string(j, "name", epoch->name);
		json_int(j, "start_cycle", epoch->start);
		json_int(j, "cycles", epoch->end - epoch->start);
		json_uint(j, "macs", epoch->macs);
		json_end(j);
	}
	json_end(j);
}

static void add_violations(json *j, const report *r)
{
	json_object(j, "violations_by_kind");
	for (unsigned kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
		if (r->counters->violations_by_kind[kind])
			json_uint(j, isa_violation_name((enum isa_violation)kind),
			          r->counters->violations_by_kind[kind]);
	json_end(j);
	json_array(j, "first_violations");
	for (unsigned kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
		for (unsigned i = 0; i < r->findings->kept[kind]; i++) {
			const probe_violation *v = &r->findings->first[kind][i];
			g_autofree char *text = findings_insn_text(r->program, r->hw, v->insn);

			json_object(j, NULL);
			json_string(j, "kind", isa_violation_name((enum isa_violation)kind));
			json_int(j, "cycle", v->cycle);
			json_string(j, "queue",
			            v->queue < isa_machine_queue_count(r->hw) ? isa_machine_queue(r->hw, v->queue)->name
			                                                      : NULL);
			json_string(j, "instruction", text);
			json_uint(j, "issue", v->index);
			json_int(j, "detail", v->detail);
			json_end(j);
		}
	json_end(j);
}

void tsp_json_registers(json *j, const sched_registers *r)
{
	if (!r->count)
		return;
	json_object(j, "registers");
	json_uint(j, "count", r->count);
	json_uint(j, "used", r->used);
	json_uint(j, "most_live", r->most_live);
	json_uint(j, "spill_stores", r->stores);
	json_uint(j, "spill_loads", r->loads);
	json_uint(j, "rematerialised", r->remade);
	json_uint(j, "coalesced", r->coalesced);
	json_uint(j, "spilled_loops", r->spilled);
	json_uint(j, "tight_loops", r->tight);
	json_end(j);
}

char *report_json(const report *r)
{
	const tsp_counters *c = r->counters;
	g_autofree char *binds = report_binds(r);
	g_auto(GStrv) assumed = report_assumed(r->hw, r->program);
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "machine", r->hw->name);
	json_string(j, "workload", r->program->workload);
	json_int(j, "cycles", c->cycles);
	if (r->program->predicted_cycles >= 0)
		json_int(j, "predicted_cycles", r->program->predicted_cycles);
	else
		json_null(j, "predicted_cycles");
	json_uint(j, "compared_events", r->compare ? compare_events(r->compare) : 0);
	json_uint(j, "violations", c->violations);
	json_int(j, "slip_cycles", c->slip_cycles);
	json_uint(j, "macs", c->macs);
	json_object(j, "utilisation");
	json_real(j, "mxm", r->usage.mxm);
	json_real(j, "vxm", r->usage.vxm);
	json_real(j, "sxm", r->usage.sxm);
	json_real(j, "sram", r->usage.sram);
	json_end(j);
	if (r->usage.mxm_ceiling >= 0)
		json_real(j, "mxm_ceiling", r->usage.mxm_ceiling);
	else
		json_null(j, "mxm_ceiling");
	json_uint(j, "bank_requests", c->bank_requests);
	json_uint(j, "bank_delayed", c->bank_delayed);
	json_uint(j, "instructions", c->issues);
	if (r->checked == REPORT_NOT_CHECKED)
		json_null(j, "checked");
	else
		json_bool(j, "checked", r->checked == REPORT_PASSED);
	json_real(j, "wall_s", r->wall_s);
	json_string(j, "trace", r->trace);
	/* Further keys, free to grow. */
	json_uint(j, "mismatched_events", r->compare ? compare_mismatches(r->compare) : 0);
	json_bool(j, "interrupted", r->interrupted);
	json_real(j, "clock_hz", (double)r->hw->clock_hz);
	json_string(j, "binds", binds);
	json_string(j, "first_difference", r->checked == REPORT_FAILED ? verify_first(r->verify) : NULL);
	json_string(j, "kind", "tsp");
	if (r->schedule)
		tsp_json_registers(j, &r->schedule->registers);
	if (r->schedule)
		report_json_intervals(j, r->schedule->intervals);
	if (r->schedule && r->schedule->search)
		method_json(j, r->schedule->search);
	add_violations(j, r);
	add_layers(j, r);
	report_json_strings(j, "assumed", assumed);
	json_end(j);
	return json_finish(j);
}
