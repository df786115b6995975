/* SPDX-License-Identifier: Apache-2.0
 *
 * The run report of an Ascend-style machine as JSON.  Keys that a TSP's report has too come first and mean the same.
 */
#include "tools/asc_report.h"
#include "tools/json.h"
#include "tools/method.h"

/* What of the pipe's idle time was predicted to be waited, and is, for what; who held instructions up longer. */
static void add_difference(json *j, const ascend_use *u)
{
	json_object(j, "predicted_waits");
	for (unsigned i = 0; i < ASC_TALLY_WAITS; i++)
		json_int(j, asc_tally_wait_name((enum asc_tally_wait)i), u->predicted_wait[i]);
	json_end(j);
	json_object(j, "compared_waits");
	for (unsigned i = 0; i < ASC_TALLY_WAITS; i++)
		json_int(j, asc_tally_wait_name((enum asc_tally_wait)i), u->compared_wait[i]);
	json_end(j);
	json_object(j, "longer_than_predicted");
	for (unsigned i = 0; i < ASC_STALLS; i++)
		if (u->longer[i])
			json_int(j, asc_stall_name((enum asc_stall)i), u->longer[i]);
	json_end(j);
}

static void add_pipes(json *j, const ascend_report *r)
{
	json_array(j, "pipes");
	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			const ascend_use *u = &r->result->use[k][p];
			double whole = (double)r->result->counters.cycles * u->subcores;

			if (!u->subcores)
				continue;
			json_object(j, NULL);
			json_string(j, "kind", asc_kind_name((enum asc_kind)k));
			json_string(j, "pipe", asc_pipe_name((enum asc_pipe)p));
			json_uint(j, "subcores", u->subcores);
			json_uint(j, "instructions", u->instructions);
			json_int(j, "busy_cycles", u->busy);
			json_real(j, "busy", whole > 0 ? (double)u->busy / whole : 0);
			json_int(j, "busiest_cycles", u->most);
			json_int(j, "stop_cycle", u->stop);
			json_uint(j, "compared", u->compared);
			json_uint(j, "differ", u->differ);
			json_int(j, "predicted_busy_cycles", u->predicted_busy);
			json_int(j, "compared_busy_cycles", u->compared_busy);
			json_int(j, "predicted_stop_cycle", u->predicted_stop);
			add_difference(j, u);
			json_end(j);
		}
	json_end(j);
}

static void add_stalls(json *j, const ascend_report *r)
{
	g_autoptr(GArray) stalls = ascend_stalls(r->result);

	json_array(j, "stalls");
	for (guint i = 0; i < stalls->len; i++) {
		const ascend_stall *s = &g_array_index(stalls, ascend_stall, i);

		json_object(j, NULL);
		json_string(j, "kind", asc_kind_name(s->kind));
		json_string(j, "pipe", asc_pipe_name(s->pipe));
		json_string(j, "cause", asc_stall_name(s->cause));
		json_int(j, "cycles", s->cycles);
		json_bool(j, "of_requests", ascend_stall_adds_up(s->cause));
		json_end(j);
	}
	json_end(j);
}

static void add_violation(json *j, const ascend_report *r, const asc_violation *v)
{
	g_autofree char *text = ascend_insn_text(r->program, v->stream, v->insn);

	json_object(j, NULL);
	json_string(j, "kind", asc_violation_name(v->kind));
	json_int(j, "cycle", v->cycle);
	json_uint(j, "core", v->core);
	json_uint(j, "sub", v->sub);
	json_string(j, "instruction", text);
	if (v->other_insn != UINT32_MAX) {
		g_autofree char *other = ascend_insn_text(r->program, v->other_stream, v->other_insn);

		json_string(j, "other", other);
	}
	if (v->space < ASC_SPACES) {
		json_string(j, "space", asc_space_name(v->space));
		json_uint(j, "address", v->address);
		json_uint(j, "bytes", v->bytes);
	}
	json_bool(j, "met", v->met);
	json_end(j);
}

static void add_violations(json *j, const ascend_report *r)
{
	const asc_counters *c = &r->result->counters;

	json_object(j, "violations_by_kind");
	for (unsigned kind = 0; kind < ASC_FINDINGS; kind++)
		if (c->by_kind[kind])
			json_uint(j, asc_violation_name(kind), c->by_kind[kind]);
	json_end(j);
	json_uint(j, "races_met", c->races_met);
	if (c->gathers_unseen)
		json_uint(j, "gathers_unseen", c->gathers_unseen);
	json_array(j, "first_violations");
	for (unsigned kind = 0; kind < ASC_FINDINGS; kind++)
		for (unsigned i = 0; i < r->result->kept[kind]; i++)
			add_violation(j, r, &r->result->first[kind][i]);
	json_end(j);
	if (r->result->deadlock) {
		g_auto(GStrv) lines = g_strsplit(r->result->deadlock, "\n", -1);

		json_array(j, "deadlock");
		for (char **line = lines; *line; line++)
			if (**line)
				json_string(j, NULL, *line);
		json_end(j);
	} else {
		json_null(j, "deadlock");
	}
}

static void add_timestamps(json *j, const ascend_report *r)
{
	if (!r->ordinary) {
		json_null(j, "by_timestamp");
		return;
	}
	json_object(j, "by_timestamp");
	json_int(j, "flag_cycles", r->ordinary->counters.cycles);
	json_int(j, "cycles", r->result->counters.cycles);
	json_int(j, "synchronisation_cycles", r->ordinary->counters.cycles - r->result->counters.cycles);
	json_string(j, "verdict", ascend_safe_name(ascend_safe_of(r->result)));
	json_uint(j, "races", r->result->counters.by_kind[ASC_FINDING_RACE]);
	json_uint(j, "races_met", r->result->counters.races_met);
	json_end(j);
}

char *ascend_report_json(const ascend_report *r)
{
	const ascend_result *result = r->result;
	const asc_counters *c = &result->counters;
	g_autofree char *binds = ascend_binds(r);
	g_auto(GStrv) assumed = ascend_assumed(r);
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "machine", r->hw->name);
	json_string(j, "workload", r->program->workload);
	json_int(j, "cycles", c->cycles);
	if (r->program->predicted_cycles >= 0)
		json_int(j, "predicted_cycles", r->program->predicted_cycles);
	else
		json_null(j, "predicted_cycles");
	json_uint(j, "compared_events", result->compared);
	json_uint(j, "violations", c->violations);
	json_uint(j, "macs", c->macs);
	json_uint(j, "instructions", c->instructions);
	if (result->checked)
		json_bool(j, "checked", !result->verify.wrong);
	else
		json_null(j, "checked");
	json_real(j, "wall_s", r->wall_s);
	json_string(j, "trace", r->trace);
	json_uint(j, "mismatched_events", result->differ);
	json_bool(j, "interrupted", result->interrupted);
	json_real(j, "clock_hz", (double)r->hw->clock_hz);
	json_string(j, "binds", binds);
	json_string(j, "first_difference", result->verify.first);
	json_string(j, "kind", "ascend");
	json_uint(j, "blocks", r->program->blocks);
	json_uint(j, "cores", asc_tally_cores(r->hw, r->program));
	json_uint(j, "lane_ops", c->vector_lane_ops);
	json_uint(j, "useful_macs", r->program->macs);
	json_uint(j, "l2_hits", c->l2_hits);
	json_uint(j, "l2_misses", c->l2_misses);
	if (ascend_cube_share(r) >= 0)
		json_real(j, "cube_share", ascend_cube_share(r));
	else
		json_null(j, "cube_share");
	json_int(j, "launch_cycles", r->launch_cycles);
	if (r->schedule)
		report_json_intervals(j, r->schedule->intervals);
	if (r->schedule && r->schedule->search)
		method_json(j, r->schedule->search);
	add_timestamps(j, r);
	add_pipes(j, r);
	add_stalls(j, r);
	add_violations(j, r);
	report_json_strings(j, "assumed", assumed);
	json_end(j);
	return json_finish(j);
}
