/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace as trace-event JSON, which Perfetto's viewer and chrome://tracing read (docs/export.md).
 *
 * A microsecond of the viewer is a cycle: times stay whole.  Processes and threads have numbers and names, no number
 * twice.  Slices of one thread nest: what would overlap in part is cut where the next begins.  Of a machine with queues
 * every queue is a thread, a span of a node a slice with its issues of one cycle inside; banks are counters.
 */
#include "config.h"
#include "traces/export_int.h"

#include <string.h>

/* Numbers of threads begin above those of processes. */
enum { TID_BASE = 100000 };

GString *trace_i_perfetto_begin(export_perfetto *p, char ph, int64_t pid, int64_t tid, int64_t ts)
{
	g_string_printf(p->event,
	                "{\"ph\":\"%c\",\"pid\":%" G_GINT64_FORMAT ",\"tid\":%" G_GINT64_FORMAT
	                ",\"ts\":%" G_GINT64_FORMAT,
	                ph, pid, tid, ts);
	return p->event;
}

void trace_i_perfetto_end(export_perfetto *p)
{
	g_string_append_c(p->event, '}');
	trace_i_export_event(&p->file, p->event->str);
}

void trace_i_perfetto_name(export_perfetto *p, const char *what, int64_t pid, int64_t tid, const char *name)
{
	g_string_printf(p->event,
	                "{\"ph\":\"M\",\"pid\":%" G_GINT64_FORMAT ",\"tid\":%" G_GINT64_FORMAT
	                ",\"name\":\"%s\",\"args\":{",
	                pid, tid, what);
	trace_i_json_pair(p->event, "name", name);
	g_string_append_c(p->event, '}');
	trace_i_perfetto_end(p);
}

static void put_other(export_perfetto *p, const char *key, const char *value)
{
	g_string_append_c(p->event, ',');
	trace_i_json_pair(p->event, key, value);
}

static void put_head(export_perfetto *p)
{
	static const char *const keys[] = {"machine",  "workload", "trace.level",  "trace.window",
	                                   "clock_hz", "issue",    "launch_cycles"};

	g_string_assign(p->event, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	trace_i_json_pair(p->event, "exported_by", "tspsim " PACKAGE_VERSION);
	put_other(p, "time", "1 us is 1 cycle");
	put_other(p, "status", trace_reader_status(p->reader));
	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
		if (trace_reader_manifest(p->reader, keys[i]))
			put_other(p, keys[i], trace_reader_manifest(p->reader, keys[i]));
	g_string_append(p->event, "},\n\"traceEvents\":[");
	trace_i_export_put(&p->file, p->event->str);
}

/* ---- machines with queues ---- */

enum { MEMORY_PID = 3 };

static bool queue_row(void *state, sqlite3_stmt *row)
{
	export_perfetto *p = state;

	trace_i_perfetto_name(p, "thread_name", sqlite3_column_int64(row, 1) + 1,
	                      TID_BASE + sqlite3_column_int64(row, 0), (const char *)sqlite3_column_text(row, 2));
	return true;
}

/* queue, side, start, stop, name, node or number, and of a span issues, of an issue its index, due, delay */
static bool slice_row(void *state, sqlite3_stmt *row)
{
	export_perfetto *p = state;
	int64_t start = sqlite3_column_int64(row, 2), stop = sqlite3_column_int64(row, 3);
	const char *name = (const char *)sqlite3_column_text(row, 4);
	GString *event;

	if (!trace_i_export_wants(p->options, start))
		return true;
	event = trace_i_perfetto_begin(p, 'X', sqlite3_column_int64(row, 1) + 1,
	                               TID_BASE + sqlite3_column_int64(row, 0), start);
	g_string_append_printf(event, ",\"dur\":%" G_GINT64_FORMAT ",", stop - start);
	trace_i_json_pair(event, "name", name ? name : "without a node");
	g_string_append(event, ",\"args\":{");
	for (int c = 6, any = 0; c < sqlite3_column_count(row); c++)
		if (sqlite3_column_type(row, c) != SQLITE_NULL)
			g_string_append_printf(event, "%s\"%s\":%" G_GINT64_FORMAT, any++ ? "," : "",
			                       sqlite3_column_name(row, c), (int64_t)sqlite3_column_int64(row, c));
	g_string_append_c(event, '}');
	trace_i_perfetto_end(p);
	p->counts->slices++;
	return true;
}

static bool bank_row(void *state, sqlite3_stmt *row)
{
	export_perfetto *p = state;
	int64_t start = sqlite3_column_int64(row, 0);
	GString *event;

	if (!trace_i_export_wants(p->options, start))
		return true;
	event = trace_i_perfetto_begin(p, 'C', MEMORY_PID, 0, start);
	g_string_append_printf(event,
	                       ",\"name\":\"banks\",\"args\":{\"requests\":%" G_GINT64_FORMAT
	                       ",\"wait cycles\":%" G_GINT64_FORMAT "}",
	                       (int64_t)sqlite3_column_int64(row, 1), (int64_t)sqlite3_column_int64(row, 2));
	trace_i_perfetto_end(p);
	p->counts->counters += 2;
	return true;
}

static bool slip_row(void *state, sqlite3_stmt *row)
{
	export_perfetto *p = state;
	int64_t cycle = sqlite3_column_int64(row, 0);
	GString *event;

	if (!trace_i_export_wants(p->options, cycle))
		return true;
	event = trace_i_perfetto_begin(p, 'i', MEMORY_PID, 0, cycle);
	g_string_append_printf(event,
	                       ",\"s\":\"p\",\"name\":\"frozen\",\"args\":{\"cycles\":%" G_GINT64_FORMAT
	                       ",\"bank\":%" G_GINT64_FORMAT "}",
	                       (int64_t)sqlite3_column_int64(row, 1), (int64_t)sqlite3_column_int64(row, 2));
	trace_i_perfetto_end(p);
	return true;
}

/* Spans and, inside them, issues: one order, the longer first. */
static const char spans_sql[] =
	"SELECT s.queue, q.side, s.start, s.stop, d.name, 0 AS kind, s.issues, s.due, s.work, s.delay "
	"FROM span s JOIN queue q ON q.id = s.queue LEFT JOIN nodes d ON d.id = s.node ORDER BY s.queue, s.start";
static const char issues_sql[] =
	"SELECT i.queue, q.side, s.cycle, s.cycle + 1, o.text, 1 AS kind, s.insn, s.idx, s.cycle + s.latency AS due, "
	"s.beats, s.delay, s.work FROM issue s JOIN insn i ON i.id = s.insn JOIN queue q ON q.id = i.queue "
	"JOIN name o ON o.id = i.op ORDER BY i.queue, s.cycle, s.insn, s.idx";
static const char banks_sql[] = "SELECT start, sum(requests), sum(wait) FROM bank_window GROUP BY start ORDER BY start";
static const char slips_sql[] = "SELECT cycle, cycles, bank FROM slip ORDER BY cycle, rowid";

static bool put_queues(export_perfetto *p)
{
	trace_reader *r = p->reader;

	trace_i_perfetto_name(p, "process_name", 1, 0, "west");
	trace_i_perfetto_name(p, "process_name", 2, 0, "east");
	trace_i_perfetto_name(p, "process_name", MEMORY_PID, 0, "memory");
	return trace_i_export_rows(r, "SELECT id, side, name FROM queues ORDER BY id", 0, queue_row, p, p->error) &&
	       trace_i_export_rows(r, spans_sql, 0, slice_row, p, p->error) &&
	       trace_i_export_rows(r, issues_sql, 0, slice_row, p, p->error) &&
	       trace_i_export_rows(r, banks_sql, 0, bank_row, p, p->error) &&
	       trace_i_export_rows(r, slips_sql, 0, slip_row, p, p->error);
}

bool trace_i_export_perfetto(trace_reader *reader, const char *path, const trace_export_options *options,
                             trace_export_counts *counts, GError **error)
{
	export_perfetto p = {.reader = reader, .options = options, .counts = counts, .error = error};
	bool fine;

	if (!trace_i_export_level(reader, "an export", TRACE_UNITS, error) ||
	    !trace_i_export_open(&p.file, path, error))
		return false;
	p.event = g_string_new(NULL);
	counts->files = 1;
	put_head(&p);
	fine = trace_i_is_ascend(reader) ? trace_i_perfetto_ascend(&p) : put_queues(&p);
	trace_i_export_put(&p.file, "\n]}\n");
	g_string_free(p.event, TRUE);
	if (fine && trace_i_export_some(reader, options, counts->slices, error))
		return trace_i_export_close(&p.file, error);
	trace_i_export_drop(&p.file);
	return false;
}
