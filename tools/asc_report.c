/* SPDX-License-Identifier: Apache-2.0
 *
 * The run report of an Ascend-style machine as text: one label a line, figures with units, what to type next at the
 * end.
 */
#include "tools/asc_report.h"

#include <string.h>

#include "tools/method.h"
#include "tools/tool.h"

enum { STALLS_SHOWN = 6 };

/* "+1.3 %" */
static char *change(int64_t from, int64_t to)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	double percent = from > 0 ? 100.0 * (double)(to - from) / (double)from : 0;

	g_ascii_formatd(number, sizeof number, "%+.1f", percent);
	return g_strdup_printf("%s %%", number);
}

static void say_machine(GString *out, const ascend_report *r)
{
	const asc_machine *m = r->hw;
	uint32_t cores = asc_tally_cores(m, r->program);
	g_autofree char *l2 = tool_bytes((uint64_t)m->l2_bytes);
	report_machine sched = ascend_report_machine(r->sched), hw = ascend_report_machine(m);

	tool_line(out, "machine", "%s: %s", m->name, m->title);
	if (m->coupled)
		tool_line(out, "", "%" G_GINT64_FORMAT " core%s, L2 of %s", m->cores, m->cores == 1 ? "" : "s", l2);
	else
		tool_line(out, "",
		          "%" G_GINT64_FORMAT " core%s of a cube and %" G_GINT64_FORMAT " vector sub-core%s, L2 of %s",
		          m->cores, m->cores == 1 ? "" : "s", m->core_vector_cores,
		          m->core_vector_cores == 1 ? "" : "s", l2);
	report_say_split(out, &sched, &hw);
	tool_line(out, "workload", "%s",
	          r->program->workload && *r->program->workload ? r->program->workload : "(none named)");
	tool_line(out, "blocks", "%u on %u core%s", r->program->blocks, cores, cores == 1 ? "" : "s");
}

static void say_cycles(GString *out, const ascend_report *r)
{
	const ascend_result *result = r->result;
	g_autofree char *cycles = tool_count((uint64_t)result->counters.cycles);
	g_autofree char *time = tool_seconds((double)result->counters.cycles / (double)r->hw->clock_hz);

	tool_line(out, "cycles", "%s (%s at %.4g MHz)%s", cycles, time, (double)r->hw->clock_hz / 1e6,
	          result->interrupted ? ", up to the interruption"
	          : result->stopped   ? ", up to the stop"
	          : result->deadlock  ? ", up to the deadlock"
	          : r->ordinary       ? ", by timestamp"
	                              : "");
	if (r->launch_cycles) {
		g_autofree char *launch = tool_count((uint64_t)r->launch_cycles);

		tool_line(out, "", "the first %s of them are the launch (launch_us = %" G_GINT64_FORMAT ")", launch,
		          r->hw->launch_us);
	}
}

/* Shares are of the cycles of all sub-cores of the kind that have something to do. */
static void say_pipes(GString *out, const ascend_report *r)
{
	const ascend_result *result = r->result;
	const char *label = "pipes";

	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			const ascend_use *u = &result->use[k][p];
			double whole = (double)result->counters.cycles * u->subcores;
			g_autofree char *busy = tool_percent(whole > 0 ? (double)u->busy / whole : 0);
			g_autofree char *insns = tool_count(u->instructions);
			g_autofree char *off = change(u->predicted_busy, u->compared_busy);

			if (!u->instructions)
				continue;
			tool_line(out, label, "%-8s%-5s busy %7s, %s instruction%s%s%s%s",
			          asc_kind_name((enum asc_kind)k), asc_pipe_name((enum asc_pipe)p), busy, insns,
			          u->instructions == 1 ? "" : "s", u->predicted_busy > 0 ? ", busy time " : "",
			          u->predicted_busy > 0 ? off : "", u->predicted_busy > 0 ? " of predicted" : "");
			label = "";
		}
}

static void say_stalls(GString *out, const ascend_report *r)
{
	g_autoptr(GArray) stalls = ascend_stalls(r->result);

	if (!stalls->len)
		tool_line(out, "stalls", "none");
	for (guint i = 0; i < MIN(stalls->len, STALLS_SHOWN); i++) {
		const ascend_stall *s = &g_array_index(stalls, ascend_stall, i);
		g_autofree char *cycles = tool_count((uint64_t)s->cycles);
		double part = (double)s->cycles / ((double)MAX(r->result->counters.cycles, 1) * s->subcores);
		g_autofree char *share = ascend_stall_adds_up(s->cause)
		                                 ? g_strdup_printf("of requests, %.2g waiting at a time", part)
		                                 : tool_percent(part);

		tool_line(out, i ? "" : "stalls", "%-8s%-5s %-11s %s cycles (%s)", asc_kind_name(s->kind),
		          asc_pipe_name(s->pipe), asc_stall_name(s->cause), cycles, share);
	}
}

static void say_work(GString *out, const ascend_report *r)
{
	const asc_counters *c = &r->result->counters;
	g_autofree char *macs = tool_count(c->macs);
	g_autofree char *lanes = tool_count(c->vector_lane_ops);
	g_autofree char *insns = tool_count(c->instructions);
	double cube = ascend_cube_share(r);
	g_autofree char *share = tool_percent(MAX(cube, 0));
	uint64_t l2 = c->l2_hits + c->l2_misses;
	g_autofree char *hits = tool_percent(l2 ? (double)c->l2_hits / (double)l2 : 0);
	g_autofree char *requests = tool_count(l2);
	uint64_t in = 0, away = 0;
	g_autofree char *read = NULL;
	g_autofree char *written = NULL;

	for (unsigned s = ASC_GM + 1; s < ASC_SPACES; s++) {
		in += c->bytes[ASC_GM][s];
		away += c->bytes[s][ASC_GM];
	}
	read = tool_bytes(in);
	written = tool_bytes(away);
	tool_line(out, "work", "%s MACs, %s lane operation%s, %s instruction%s", macs, lanes, tsp_s(c->vector_lane_ops),
	          insns, c->instructions == 1 ? "" : "s");
	if (cube >= 0)
		tool_line(out, "", "%s of the cube's peak", share);
	if (l2)
		tool_line(out, "memory", "%s read, %s written, %s request%s, %s of them hit L2", read, written,
		          requests, l2 == 1 ? "" : "s", hits);
}

/* ", flags -12" */
static void add_apart(GString *out, const char *what, int64_t cycles)
{
	g_autofree char *count = tool_count((uint64_t)ABS(cycles));

	if (cycles)
		g_string_append_printf(out, "%s%s %c%s", out->len ? ", " : "", what, cycles < 0 ? '-' : '+', count);
}

/* What simulated time a pipe has more than predicted, by cause; NULL: less than it would take to matter. */
static char *apart(const ascend_use *u, int64_t cycles)
{
	enum { PARTS = 200 }; /* half a percent of the pipe's time */
	int64_t busy = u->compared_busy - u->predicted_busy, most = ABS(busy), rest;
	g_autoptr(GString) causes = g_string_new(NULL);
	GString *out = g_string_new(NULL);

	for (unsigned i = 0; i < ASC_TALLY_WAITS; i++)
		most = MAX(most, ABS(u->compared_wait[i] - u->predicted_wait[i]));
	if (!u->compared || most <= cycles * u->subcores / PARTS)
		return g_string_free(out, TRUE), NULL;
	add_apart(out, "busy", busy);
	for (unsigned i = ASC_STALL_NONE + 1; busy && i < ASC_STALLS; i++)
		add_apart(causes, asc_stall_name((enum asc_stall)i), u->longer[i]);
	rest = busy ? u->longer[ASC_STALL_NONE] : 0;
	add_apart(causes, "unit", rest);
	if (causes->len)
		g_string_append_printf(out, " (%s)", causes->str);
	for (unsigned i = 0; i < ASC_TALLY_WAITS; i++)
		add_apart(out, asc_tally_wait_name((enum asc_tally_wait)i), u->compared_wait[i] - u->predicted_wait[i]);
	return g_string_free(out, FALSE);
}

/* Where predicted and simulated times part: pipe by pipe, what it does and what it waits for. */
static void say_apart(GString *out, const ascend_report *r)
{
	int64_t cycles = r->result->counters.cycles;
	bool any = false;

	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			const ascend_use *u = &r->result->use[k][p];
			g_autofree char *text = apart(u, cycles);

			if (!text)
				continue;
			tool_line(out, any ? "" : "apart", "%-8s%-5s %s cycles of %" G_GINT64_FORMAT,
			          asc_kind_name((enum asc_kind)k), asc_pipe_name((enum asc_pipe)p), text,
			          cycles * u->subcores);
			any = true;
		}
	if (!any && r->result->compared)
		tool_line(out, "apart",
		          "no pipe is busy, or waits for anything, half a percent longer or shorter than predicted");
}

static void say_prediction(GString *out, const ascend_report *r)
{
	const ascend_result *result = r->result;
	int64_t predicted = r->program->predicted_cycles;
	g_autofree char *events = tool_count(result->compared);
	g_autofree char *differ = tool_count(result->differ);

	if (predicted < 0 && !result->compared) {
		tool_line(out, "predicted", "nothing: the program carries no predictions");
		return;
	}
	if (predicted >= 0) {
		g_autofree char *cycles = tool_count((uint64_t)predicted);
		g_autofree char *off = change(predicted, result->counters.cycles);
		bool whole = !result->interrupted && !result->stopped && !result->deadlock;

		tool_line(out, "predicted", "%s cycles%s%s%s", cycles, r->launch_cycles ? " with the launch" : "",
		          whole ? "; simulated " : "", whole ? off : "");
		/* A long launch makes every difference small. */
		if (r->launch_cycles && whole) {
			g_autofree char *behind = change(predicted - asc_launch_cycles(r->sched),
			                                 result->counters.cycles - r->launch_cycles);

			tool_line(out, "", "of the time behind the launch %s", behind);
		}
	}
	tool_line(out, predicted >= 0 ? "" : "predicted",
	          "%s of %s instruction%s with predicted times at other cycles%s", differ, events,
	          tsp_s(result->compared),
	          r->ordinary ? "; flags and barriers, which hold nothing up, not counted" : "");
	if (result->missed) {
		const asc_tally_miss *m = &result->miss;
		g_autofree char *text = ascend_insn_text(r->program, m->stream, m->insn);
		g_autofree char *simulated = tool_count((uint64_t)m->simulated);
		g_autofree char *planned = tool_count((uint64_t)m->predicted);

		tool_line(out, "", "the first: core %u sub %u, %s %s, predicted %s: %s", m->core, m->sub,
		          m->end ? "ends at" : "starts at", simulated, planned, text);
	}
}

static void say_timestamps(GString *out, const ascend_report *r, bool colour)
{
	enum ascend_safe safe = ascend_safe_of(r->result);
	int64_t with = r->ordinary ? r->ordinary->counters.cycles : 0, without = r->result->counters.cycles;
	g_autofree char *flags = NULL;
	g_autofree char *difference = NULL;
	g_autofree char *share = NULL;
	g_autofree char *races = tool_count(r->result->counters.by_kind[ASC_FINDING_RACE]);

	if (!r->ordinary)
		return;
	flags = tool_count((uint64_t)with);
	difference = tool_count((uint64_t)ABS(with - without));
	share = tool_percent(with ? (double)ABS(with - without) / (double)with : 0);
	tool_line(out, "by flags", "%s cycles%s: synchronisation %s %s cycles (%s)", flags,
	          r->ordinary->deadlock ? " up to a deadlock" : "", without <= with ? "costs" : "saves", difference,
	          share);
	if (safe == ASCEND_SAFE)
		tool_line(out, "timestamps", "safe: every access that needs an order had one in time");
	else if (safe == ASCEND_BY_LUCK)
		tool_line(out, "timestamps",
		          "right by luck: %s pair%s of accesses that nothing orders, none of which met", races,
		          tsp_s(r->result->counters.by_kind[ASC_FINDING_RACE]));
	else
		tool_line(out, "timestamps", "%sunsafe%s: %" G_GUINT64_FORMAT " of %s race%s met in time",
		          report_red(colour), report_plain(colour), r->result->counters.races_met, races,
		          tsp_s(r->result->counters.by_kind[ASC_FINDING_RACE]));
}

static void say_checked(GString *out, const ascend_report *r, bool colour)
{
	const asc_verify *v = &r->result->verify;
	g_autofree char *values = tool_count(v->values);
	g_autofree char *wrong = tool_count(v->wrong);

	if (!r->result->checked)
		tool_line(out, "checked", "%s",
		          !r->functional           ? "timing only (--functional carries values and checks them)"
		          : r->result->deadlock    ? "not: the run did not end"
		          : r->result->interrupted ? "not: interrupted"
		          : r->result->stopped     ? "not: stopped"
		                               : "values were carried, but there is no reference to hold them against");
	else if (!v->wrong)
		tool_line(out, "checked", "all %s result value%s equal the reference, bit for bit", values,
		          tsp_s(v->values));
	else
		tool_line(out, "checked",
		          "%sFAILED%s: %s of %s result value%s differ from the reference; the first: %s",
		          report_red(colour), report_plain(colour), wrong, values, tsp_s(v->values), v->first);
}

static void say_violation(GString *out, const ascend_report *r, const asc_violation *v)
{
	g_autofree char *text = ascend_insn_text(r->program, v->stream, v->insn);
	g_autofree char *place = v->space < ASC_SPACES
	                                 ? g_strdup_printf(", %s 0x%" G_GINT64_MODIFIER "x, %" G_GUINT64_FORMAT " B",
	                                                   asc_space_name(v->space), v->address, v->bytes)
	                                 : g_strdup("");

	tool_line(out, "", "  cycle %" G_GINT64_FORMAT ", core %u sub %u%s%s: %s", v->cycle, v->core, v->sub, place,
	          v->kind != ASC_FINDING_RACE ? ""
	          : v->met                    ? ", met"
	                                      : ", did not meet",
	          text);
	if (v->other_insn != UINT32_MAX) {
		g_autofree char *other = ascend_insn_text(r->program, v->other_stream, v->other_insn);

		tool_line(out, "", "    with %s", other);
	}
}

static void say_violations(GString *out, const ascend_report *r, bool colour)
{
	const asc_counters *c = &r->result->counters;
	g_autofree char *total = tool_count(c->violations), *unseen = tool_count(c->gathers_unseen);

	if (!c->violations)
		tool_line(out, "violations", "none");
	if (c->gathers_unseen)
		tool_line(out, "unseen", "races with what gathers pick (%s gather%s): only --functional knows it",
		          unseen, tsp_s(c->gathers_unseen));
	if (!c->violations)
		return;
	tool_line(out, "violations", "%s%s%s", report_red(colour), total, report_plain(colour));
	for (unsigned kind = 0; kind < ASC_FINDINGS; kind++) {
		g_autofree char *count = tool_count(c->by_kind[kind]);

		if (!c->by_kind[kind])
			continue;
		if (kind == ASC_FINDING_RACE)
			tool_line(out, "", "%s race (%" G_GUINT64_FORMAT " met): %s", count, c->races_met,
			          asc_violation_doc(kind));
		else
			tool_line(out, "", "%s %s: %s", count, asc_violation_name(kind), asc_violation_doc(kind));
		for (unsigned i = 0; i < r->result->kept[kind]; i++)
			say_violation(out, r, &r->result->first[kind][i]);
	}
}

static void say_deadlock(GString *out, const ascend_report *r)
{
	g_auto(GStrv) lines = r->result->deadlock ? g_strsplit(r->result->deadlock, "\n", -1) : NULL;

	for (char **line = lines; line && *line; line++)
		if (**line)
			tool_line(out, line == lines ? "deadlock" : "", "%s", *line);
}

char *ascend_report_text(const ascend_report *r, bool colour)
{
	GString *out = g_string_new(NULL);
	g_autofree char *binds = ascend_binds(r);
	g_auto(GStrv) assumed = ascend_assumed(r);

	if (r->result->interrupted)
		tool_line(out, "INTERRUPTED", "figures are those of the cycles simulated so far");
	say_machine(out, r);
	say_cycles(out, r);
	say_timestamps(out, r, colour);
	if (r->schedule)
		method_text(out, r->schedule->search, false);
	report_say_notes(out, binds, r->schedule ? r->schedule->notes : NULL);
	say_pipes(out, r);
	say_stalls(out, r);
	say_work(out, r);
	say_prediction(out, r);
	say_apart(out, r);
	say_checked(out, r, colour);
	say_violations(out, r, colour);
	say_deadlock(out, r);
	report_say_assumed(out, assumed, r->hw->name);
	tool_line(out, "wall", "%.2f s", r->wall_s);
	report_say_next(out, r->trace, r->trace_level, r->result->trace_bytes, r->result->interrupted);
	return g_string_free(out, FALSE);
}
