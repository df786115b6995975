/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracks of an Ascend-style machine for Perfetto: one thread a pipe.
 *
 * Instructions of a pipe overlap: one may start before those before it are done.  On its thread an instruction is a
 * slice until it is done or the next of its pipe starts; its arguments say when it was really done, and the counter "in
 * flight" how many were at work.  Flags and barriers that pass while an instruction is at work lie inside its slice.  A
 * wait begins where it could have gone on but for what it waited for, and the work before it on the pipe was done.
 *
 * Below level full the slices are the spans of nodes; waits have threads of their own, and no flows.
 */
#include "traces/export_int.h"

#include <string.h>

enum { TID_BASE = 100000, WAITS_TID_BASE = 200000 };

typedef struct slice {
	int64_t start, stop;
	int64_t at; /* the instruction's start, which decides whether it is in the window */
	char *rest; /* of the event, behind "dur"; owned */
} slice;

typedef struct pipes {
	export_perfetto *p;
	int64_t pipe, subcore; /* of the slices held */
	bool open;
	slice top;
	GArray *inside;   /* slice: of sync instructions while top is at work */
	int64_t done;     /* all work of the pipe so far */
	GArray *inflight; /* int64_t: completions not yet counted, ascending */
	int64_t shown;    /* cycle of the last value of the counter */
} pipes;

static int64_t pid_of(int64_t subcore)
{
	return subcore + 1;
}

static void put_slice(pipes *s, const slice *x)
{
	GString *event;

	if (trace_i_export_wants(s->p->options, x->at)) {
		event = trace_i_perfetto_begin(s->p, 'X', pid_of(s->subcore), TID_BASE + s->pipe, x->start);
		g_string_append_printf(event, ",\"dur\":%" G_GINT64_FORMAT "%s", x->stop - x->start, x->rest);
		trace_i_perfetto_end(s->p);
		s->p->counts->slices++;
	}
	g_free(x->rest);
}

static void flush(pipes *s)
{
	if (s->open)
		put_slice(s, &s->top);
	for (guint i = 0; i < s->inside->len; i++)
		put_slice(s, &g_array_index(s->inside, slice, i));
	g_array_set_size(s->inside, 0);
	s->open = false;
}

/* ---- how many instructions are at work ---- */

static void put_inflight(pipes *s, int64_t cycle, guint count)
{
	GString *event;

	if (!trace_i_export_wants(s->p->options, cycle))
		return;
	event = trace_i_perfetto_begin(s->p, 'C', pid_of(s->subcore), 0, cycle);
	g_string_append_printf(event, ",\"name\":\"%s in flight\",\"args\":{\"instructions\":%u}",
	                       asc_pipe_name((enum asc_pipe)(s->pipe % TRACE_ASC_PIPE_STEP)), count);
	trace_i_perfetto_end(s->p);
	s->p->counts->counters++;
}

/* Completions before CYCLE, or all: one value a cycle in which the number changes. */
static void drain(pipes *s, int64_t cycle)
{
	guint n = 0;

	while (n < s->inflight->len && g_array_index(s->inflight, int64_t, n) < cycle) {
		int64_t at = g_array_index(s->inflight, int64_t, n);

		while (n < s->inflight->len && g_array_index(s->inflight, int64_t, n) == at)
			n++;
		put_inflight(s, at, s->inflight->len - n);
	}
	g_array_remove_range(s->inflight, 0, n);
}

static void count_inflight(pipes *s, const export_execution *e)
{
	guint at, still = 0;

	if (e->done <= e->start)
		return;
	drain(s, e->start);
	for (guint i = 0; i < s->inflight->len; i++)
		still += g_array_index(s->inflight, int64_t, i) > e->start;
	for (at = s->inflight->len; at && g_array_index(s->inflight, int64_t, at - 1) > e->done; at--)
		;
	g_array_insert_val(s->inflight, at, e->done);
	put_inflight(s, e->start, still + 1);
	/* Those that are done in this cycle are in the value just put. */
	while (s->inflight->len && g_array_index(s->inflight, int64_t, 0) <= e->start)
		g_array_remove_index(s->inflight, 0);
}

/* ---- slices ---- */

static char *describe(const export_execution *e)
{
	GString *out = g_string_new(",");

	trace_i_json_pair(out, "name", e->op);
	g_string_append(out, ",\"args\":{");
	trace_i_json_pair(out, "instruction", e->text);
	if (e->node) {
		g_string_append_c(out, ',');
		trace_i_json_pair(out, "node", e->node);
	}
	g_string_append_printf(out,
	                       ",\"stream\":%" G_GINT64_FORMAT ",\"number\":%" G_GINT64_FORMAT
	                       ",\"block\":%" G_GINT64_FORMAT ",\"queued\":%" G_GINT64_FORMAT
	                       ",\"ready\":%" G_GINT64_FORMAT ",\"start\":%" G_GINT64_FORMAT
	                       ",\"free\":%" G_GINT64_FORMAT ",\"done\":%" G_GINT64_FORMAT,
	                       e->stream, e->number, e->block, e->queued, e->ready, e->start, e->free, e->done);
	if (e->bytes)
		g_string_append_printf(out, ",\"bytes\":%" G_GINT64_FORMAT, e->bytes);
	if (e->work)
		g_string_append_printf(out, ",\"%s\":%" G_GINT64_FORMAT, e->kind == ASC_PIPE_M ? "macs" : "lanes",
		                       e->work);
	g_string_append_c(out, '}');
	return g_string_free(out, FALSE);
}

static void finish_pipe(pipes *s)
{
	flush(s);
	drain(s, INT64_MAX);
	s->done = INT64_MIN;
}

static void cut(pipes *s, int64_t at)
{
	s->top.stop = MIN(s->top.stop, at);
	for (guint i = 0; i < s->inside->len; i++) {
		slice *x = &g_array_index(s->inside, slice, i);

		x->stop = MIN(x->stop, at);
	}
}

static void add_execution(void *state, const export_execution *e)
{
	pipes *s = state;
	slice x = {.stop = e->sync ? e->free : e->done, .at = e->start};
	bool within;

	if (s->pipe != e->pipe) {
		finish_pipe(s);
		s->pipe = e->pipe;
		s->subcore = e->subcore;
	}
	x.start = MIN(e->start, MAX(e->ready, s->done));
	x.rest = describe(e);
	/* Two of the scalar unit share a cycle; flags pass while something is at work. */
	within = s->open && x.start < s->top.stop && x.stop <= s->top.stop && (e->sync || x.start == s->top.start);
	if (within) {
		g_array_append_val(s->inside, x);
	} else {
		if (s->open)
			cut(s, x.start);
		flush(s);
		s->top = x;
		s->open = true;
	}
	if (!e->sync) {
		s->done = MAX(s->done, e->done);
		if (e->kind != ASC_PIPE_S)
			count_inflight(s, e);
	}
}

/* ---- flows ---- */

static void put_flow_end(export_perfetto *p, char ph, int64_t pipe, int64_t ts, uint64_t id, const char *cat)
{
	GString *event = trace_i_perfetto_begin(p, ph, pid_of(pipe / TRACE_ASC_PIPE_STEP), TID_BASE + pipe, ts);

	g_string_append_printf(event, ",\"id\":%" G_GUINT64_FORMAT ",\"name\":\"%s\",\"cat\":\"%s\"%s", id, cat, cat,
	                       ph == 'f' ? ",\"bp\":\"e\"" : "");
	trace_i_perfetto_end(p);
}

static void add_flow(void *state, const export_flow *f)
{
	export_perfetto *p = state;
	const char *cat = f->cross ? "cross-core flag" : "flag";

	if (!trace_i_export_wants(p->options, f->from_start) || !trace_i_export_wants(p->options, f->to_start))
		return;
	p->counts->flows++;
	put_flow_end(p, 's', f->from_pipe, f->from_start, p->counts->flows, cat);
	put_flow_end(p, 'f', f->to_pipe, f->to_start, p->counts->flows, cat);
}

/* ---- names and counters ---- */

/* id, core, sub, kind */
static bool subcore_row(void *state, sqlite3_stmt *row)
{
	g_autofree char *name = trace_i_core_name(sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
	                                          (const char *)sqlite3_column_text(row, 3));

	trace_i_perfetto_name(state, "process_name", pid_of(sqlite3_column_int64(row, 0)), 0, name);
	return true;
}

static bool pipe_row(void *state, sqlite3_stmt *row)
{
	trace_i_perfetto_name(state, "thread_name", pid_of(sqlite3_column_int64(row, 1)),
	                      TID_BASE + sqlite3_column_int64(row, 0), (const char *)sqlite3_column_text(row, 2));
	return true;
}

static bool waits_row(void *state, sqlite3_stmt *row)
{
	g_autofree char *name = g_strdup_printf("%s waits", sqlite3_column_text(row, 2));

	trace_i_perfetto_name(state, "thread_name", pid_of(sqlite3_column_int64(row, 1)),
	                      WAITS_TID_BASE + sqlite3_column_int64(row, 0), name);
	return true;
}

/* pid's sub-core, cycle, name, unit, value */
static bool counter_row(void *state, sqlite3_stmt *row)
{
	export_perfetto *p = state;
	int64_t cycle = sqlite3_column_int64(row, 1);
	GString *event;

	if (!trace_i_export_wants(p->options, cycle))
		return true;
	event = trace_i_perfetto_begin(p, 'C', pid_of(sqlite3_column_int64(row, 0)), 0, cycle);
	g_string_append_c(event, ',');
	trace_i_json_pair(event, "name", (const char *)sqlite3_column_text(row, 2));
	g_string_append_printf(event, ",\"args\":{\"%s\":%" G_GINT64_FORMAT "}", sqlite3_column_text(row, 3),
	                       (int64_t)sqlite3_column_int64(row, 4));
	trace_i_perfetto_end(p);
	p->counts->counters++;
	return true;
}

/* pipe, sub-core, start, stop, name, then arguments */
static bool put_interval(export_perfetto *p, sqlite3_stmt *row, int64_t tid_base)
{
	int64_t start = sqlite3_column_int64(row, 2);
	GString *event;

	if (!trace_i_export_wants(p->options, start))
		return true;
	event = trace_i_perfetto_begin(p, 'X', pid_of(sqlite3_column_int64(row, 1)),
	                               tid_base + sqlite3_column_int64(row, 0), start);
	g_string_append_printf(event, ",\"dur\":%" G_GINT64_FORMAT ",", (int64_t)sqlite3_column_int64(row, 3) - start);
	trace_i_json_pair(event, "name", (const char *)sqlite3_column_text(row, 4));
	g_string_append(event, ",\"args\":{");
	for (int c = 5; c < sqlite3_column_count(row); c++)
		g_string_append_printf(event, "%s\"%s\":%" G_GINT64_FORMAT, c > 5 ? "," : "",
		                       sqlite3_column_name(row, c), (int64_t)sqlite3_column_int64(row, c));
	g_string_append_c(event, '}');
	trace_i_perfetto_end(p);
	p->counts->slices++;
	return true;
}

static bool span_row(void *state, sqlite3_stmt *row)
{
	return put_interval(state, row, TID_BASE);
}

static bool wait_row(void *state, sqlite3_stmt *row)
{
	return put_interval(state, row, WAITS_TID_BASE);
}

static const char names_sql[] = "SELECT s.id, s.core, s.sub, s.kind FROM subcores s WHERE EXISTS "
				"(SELECT 1 FROM pipes p WHERE p.subcore = s.id AND p.instructions > 0) ORDER BY s.id";
static const char pipes_sql[] = "SELECT p.id, p.subcore, p.pipe FROM pipes p WHERE p.instructions > 0 ORDER BY p.id";
static const char levels_sql[] =
	"SELECT b.subcore, l.cycle, n.text || ' alive', 'bytes', l.bytes FROM buffer_level l "
	"JOIN buffer b ON b.id = l.buffer JOIN name n ON n.id = b.space ORDER BY l.buffer, l.cycle";
/* What banks and the copies' beats cost the vector pipe, added up by class. */
static const char stalls_sql[] =
	"SELECT p.subcore, e.start + e.done AS cycle, 'V stalls: ' || n.text, 'cycles', "
	"sum(s.cycles) OVER (PARTITION BY e.pipe, s.cause ORDER BY e.start + e.done, e.id ROWS UNBOUNDED PRECEDING) "
	"FROM stall s JOIN execution e ON e.id = s.execution JOIN pipe p ON p.id = e.pipe JOIN name n ON n.id = "
	"s.cause "
	"JOIN name v ON v.id = p.name WHERE n.text IN ('bank-group', 'bank', 'mte', 'resource') AND v.text = 'V' "
	"ORDER BY p.subcore, n.text, cycle, e.id";
static const char spans_sql[] =
	"SELECT s.pipe, p.subcore, s.start, s.stop, coalesce(d.name, 'without a node'), s.executions, s.bytes, "
	"s.work, s.stall FROM span s JOIN pipe p ON p.id = s.pipe LEFT JOIN nodes d ON d.id = s.node "
	"ORDER BY s.pipe, s.start, s.rowid";
static const char waits_sql[] =
	"SELECT w.pipe, p.subcore, w.start, w.stop, 'waits for ' || n.text, i.stream, i.number FROM wait w "
	"JOIN pipe p ON p.id = w.pipe JOIN name n ON n.id = w.cause JOIN insn i ON i.id = w.insn "
	"ORDER BY w.pipe, w.start, w.rowid";

static bool put_executions(export_perfetto *p)
{
	pipes s = {.p = p, .pipe = -1, .done = INT64_MIN};
	bool fine;

	s.inside = g_array_new(FALSE, FALSE, sizeof(slice));
	s.inflight = g_array_new(FALSE, FALSE, sizeof(int64_t));
	fine = trace_i_executions(p->reader, -1, add_execution, &s, p->error);
	finish_pipe(&s);
	g_array_free(s.inside, TRUE);
	g_array_free(s.inflight, TRUE);
	return fine && trace_i_flows(p->reader, add_flow, p, p->error) &&
	       trace_i_export_rows(p->reader, stalls_sql, 0, counter_row, p, p->error);
}

static bool put_spans(export_perfetto *p)
{
	return trace_i_export_rows(p->reader, pipes_sql, 0, waits_row, p, p->error) &&
	       trace_i_export_rows(p->reader, spans_sql, 0, span_row, p, p->error) &&
	       trace_i_export_rows(p->reader, waits_sql, 0, wait_row, p, p->error);
}

bool trace_i_perfetto_ascend(export_perfetto *p)
{
	bool full = trace_i_reader_level(p->reader) >= TRACE_FULL;

	return trace_i_export_rows(p->reader, names_sql, 0, subcore_row, p, p->error) &&
	       trace_i_export_rows(p->reader, pipes_sql, 0, pipe_row, p, p->error) &&
	       (full ? put_executions(p) : put_spans(p)) &&
	       trace_i_export_rows(p->reader, levels_sql, 0, counter_row, p, p->error);
}
