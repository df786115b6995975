/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace of a run on an Ascend-style machine: executions become rows, spans and waits as they are reported.
 */
#include "config.h"
#include "traces/ascend_impl.h"

#include <string.h>

static const char *const insert_sql[TRACE_ASC_INSERTS] = {
	[TRACE_ASC_EXECUTION] = "INSERT INTO execution VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[TRACE_ASC_STALL] = "INSERT INTO stall VALUES (?1, ?2, ?3)",
	[TRACE_ASC_SPAN] = "INSERT INTO span VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[TRACE_ASC_WAIT] = "INSERT INTO wait VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[TRACE_ASC_VIOLATION] = "INSERT INTO violation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[TRACE_ASC_DEADLOCK] = "INSERT INTO deadlock VALUES (?1, ?2)",
	[TRACE_ASC_COUNTER] = "INSERT INTO counter VALUES (?1, ?2, ?3)",
	[TRACE_ASC_SUBCORE_COUNTER] = "INSERT INTO subcore_counter VALUES (?1, ?2, ?3)",
	[TRACE_ASC_PMU] = "INSERT INTO pmu VALUES (?1, ?2, ?3)",
	[TRACE_ASC_PIPE_COUNTER] = "INSERT INTO pipe_counter VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[TRACE_ASC_PIPE_STALL] = "INSERT INTO pipe_stall VALUES (?1, ?2, ?3)",
	[TRACE_ASC_INSN] = "INSERT INTO insn VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[TRACE_ASC_BUFFER] = "INSERT INTO buffer VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[TRACE_ASC_LEVEL] = "INSERT INTO buffer_level VALUES (?1, ?2, ?3)",
};

void trace_i_asc_fail(trace_asc *t, GError *error)
{
	if (t->failure)
		g_error_free(error);
	else
		t->failure = error;
}

bool trace_asc_is_fine(const trace_asc *t)
{
	return !t->failure;
}

bool trace_asc_wants_touches(const trace_asc *t)
{
	return t->options.level >= TRACE_UNITS;
}

uint64_t trace_asc_seen(const trace_asc *t)
{
	return t->seen;
}

static void run_sql(trace_asc *t, const char *sql)
{
	GError *error = NULL;

	if (trace_asc_is_fine(t) && !trace_i_exec(t->db, t->path, sql, &error))
		trace_i_asc_fail(t, error);
}

void trace_i_asc_step(trace_asc *t, enum trace_asc_insert which)
{
	GError *error = NULL;

	if (!trace_asc_is_fine(t))
		return;
	sqlite3_step(t->insert[which]);
	if (G_UNLIKELY(sqlite3_reset(t->insert[which]) != SQLITE_OK)) {
		trace_i_sqlite_error(t->db, t->path, &error);
		trace_i_asc_fail(t, error);
		return;
	}
	if (++t->rows < TRACE_ASC_ROWS)
		return;
	t->rows = 0;
	run_sql(t, "COMMIT; BEGIN");
}

static void bind(trace_asc *t, enum trace_asc_insert which, const int64_t *values, int count)
{
	for (int i = 0; i < count; i++)
		if (values[i] == ASC_NO_TIME)
			sqlite3_bind_null(t->insert[which], i + 1);
		else
			sqlite3_bind_int64(t->insert[which], i + 1, values[i]);
}

#define ROW(t, which, ...)                                                                                             \
	do {                                                                                                           \
		const int64_t row_values[] = {__VA_ARGS__};                                                            \
                                                                                                                       \
		bind(t, which, row_values, (int)G_N_ELEMENTS(row_values));                                             \
		trace_i_asc_step(t, which);                                                                            \
	} while (0)

static void free_writer(trace_asc *t)
{
	for (unsigned i = 0; i < TRACE_ASC_INSERTS; i++)
		sqlite3_finalize(t->insert[i]);
	sqlite3_finalize(t->names.insert);
	sqlite3_close(t->db);
	if (t->names.ids)
		g_hash_table_unref(t->names.ids);
	g_hash_table_unref(t->texts);
	for (uint32_t i = 0; i < ASC_SPACES * t->subcores; i++)
		alive_free(t->alive[i]);
	g_free(t->alive);
	g_free(t->span);
	g_free(t->first);
	g_free(t->named);
	g_clear_error(&t->failure);
	g_free(t->path);
	g_free(t);
}

static bool prepare(trace_asc *t, GError **error)
{
	for (unsigned i = 0; i < TRACE_ASC_INSERTS; i++) {
		t->insert[i] = trace_i_prepare(t->db, t->path, insert_sql[i], error);
		if (!t->insert[i])
			return false;
	}
	return trace_i_exec(t->db, t->path, "BEGIN", error);
}

static void manifest_number(trace_asc *t, const char *key, int64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, value);

	trace_asc_manifest(t, key, text);
}

/* What a reader needs to make times and shares of bandwidth of cycles and bytes. */
static void manifest_machine(trace_asc *t)
{
	const asc_machine *m = t->subject.machine;

	manifest_number(t, "clock_hz", m->clock_hz);
	manifest_number(t, "blocks", t->subject.program->blocks);
	manifest_number(t, "peak.gm_l1", MIN(m->mte2_l1_bytes_per_cycle, m->l2_core_read_bytes_per_cycle));
	manifest_number(t, "peak.l1_gm", MIN(m->mte3_l1_gm_bytes_per_cycle, m->l2_core_write_bytes_per_cycle));
	manifest_number(t, "peak.l0c_l1", m->fix_l1_bytes_per_cycle);
	manifest_number(t, "peak.l0c_gm", MIN(m->fix_gm_bytes_per_cycle, m->l2_core_write_bytes_per_cycle));
	manifest_number(t, "peak.gm_ub", MIN(m->mte2_ub_bytes_per_cycle, m->l2_core_read_bytes_per_cycle));
	manifest_number(t, "peak.ub_gm", MIN(m->mte3_gm_bytes_per_cycle, m->l2_core_write_bytes_per_cycle));
}

/* What is known now reaches the file, whatever happens to the process. */
static void open_manifest(trace_asc *t)
{
	trace_asc_manifest(t, "kind", "ascend");
	trace_asc_manifest(t, "status", "running");
	trace_asc_manifest(t, "version", PACKAGE_VERSION);
	trace_asc_manifest(t, "trace.level", trace_level_names[t->options.level]);
	manifest_machine(t);
	if (t->options.window_start != t->options.window_stop) {
		g_autofree char *window = g_strdup_printf("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
		                                          t->options.window_start, t->options.window_stop);

		trace_asc_manifest(t, "trace.window", window);
	} else {
		t->options.window_start = INT64_MIN;
		t->options.window_stop = INT64_MAX;
	}
	run_sql(t, "COMMIT; BEGIN");
	t->rows = 0;
}

trace_asc *trace_asc_open(const char *path, const trace_options *options, const trace_asc_subject *subject,
                          GError **error)
{
	trace_asc *t;

	if (options->window_stop < options->window_start) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "trace window: its end %" G_GINT64_FORMAT " lies before its start %" G_GINT64_FORMAT,
		            options->window_stop, options->window_start);
		return NULL;
	}
	t = g_new0(trace_asc, 1);
	t->path = g_strdup(path);
	t->options = *options;
	t->subject = *subject;
	t->cores = MIN((uint32_t)subject->machine->cores, subject->program->blocks);
	t->subcores = t->cores * subject->machine->subcores;
	t->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	t->span = g_new0(trace_asc_span, TRACE_ASC_PIPE_STEP * MAX(t->subcores, 1));
	t->alive = g_new0(alive *, ASC_SPACES * MAX(t->subcores, 1));
	t->db = trace_i_create(path, trace_ascend_sql, error);
	if (t->db && prepare(t, error) && trace_i_asc_write_names(t, error)) {
		open_manifest(t);
		if (trace_asc_is_fine(t))
			return t;
		g_propagate_error(error, g_error_copy(t->failure));
	}
	free_writer(t);
	return NULL;
}

void trace_asc_manifest(trace_asc *t, const char *key, const char *value)
{
	GError *error = NULL;
	sqlite3_stmt *insert;

	if (!trace_asc_is_fine(t))
		return;
	insert = trace_i_prepare(t->db, t->path, "INSERT OR REPLACE INTO run VALUES (?1, ?2)", &error);
	if (insert) {
		sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC);
		sqlite3_bind_text(insert, 2, value, -1, SQLITE_STATIC);
		sqlite3_step(insert);
		if (sqlite3_reset(insert) != SQLITE_OK)
			trace_i_sqlite_error(t->db, t->path, &error);
		sqlite3_finalize(insert);
	}
	if (error)
		trace_i_asc_fail(t, error);
}

static uint32_t pipe_id(const trace_asc *t, uint32_t core, uint32_t sub, enum asc_pipe pipe)
{
	return TRACE_ASC_PIPE_STEP * (core * t->subject.machine->subcores + sub) + pipe;
}

static const asc_insn *insn_of(const trace_asc *t, uint32_t stream, uint32_t number)
{
	const asc_stream *s = g_ptr_array_index(t->subject.program->streams, stream);

	return &g_array_index(s->insns, asc_insn, number);
}

/* The id of an instruction, which will have a row; ASC_NO_TIME when it does not exist. */
static int64_t insn_id(trace_asc *t, uint32_t stream, uint32_t number)
{
	const GPtrArray *streams = t->subject.program->streams;

	if (stream >= streams->len || number >= ((const asc_stream *)g_ptr_array_index(streams, stream))->insns->len)
		return ASC_NO_TIME;
	if (t->named)
		t->named[t->first[stream] + number] = 1;
	return t->first[stream] + number;
}

static bool in_window(const trace_asc *t, int64_t cycle)
{
	return cycle >= t->options.window_start && cycle < t->options.window_stop;
}

static void close_span(trace_asc *t, uint32_t pipe)
{
	trace_asc_span *span = &t->span[pipe];

	if (!span->open)
		return;
	span->open = false;
	ROW(t, TRACE_ASC_SPAN, pipe, span->node < t->subject.program->nodes->len ? span->node : ASC_NO_TIME,
	    span->start, span->stop, (int64_t)span->executions, (int64_t)span->bytes, (int64_t)span->work, span->stall);
}

static void add_to_span(trace_asc *t, uint32_t pipe, const trace_asc_execution *e, int64_t stall)
{
	trace_asc_span *span = &t->span[pipe];
	uint32_t node = insn_of(t, e->stream, e->insn)->node;

	if (!span->open || span->node != node || e->start > span->stop) {
		int64_t start = span->open ? MAX(e->start, span->stop) : e->start;

		close_span(t, pipe);
		*span = (trace_asc_span){.open = true, .node = node, .start = start, .stop = start};
	}
	span->stop = MAX(span->stop, e->done);
	span->executions++;
	span->bytes += e->bytes;
	span->work += e->work;
	span->stall += stall;
}

static void add_wait(trace_asc *t, uint32_t pipe, const trace_asc_execution *e)
{
	const trace_asc_setter *by = &e->setter;
	int64_t cycles = e->wait ? e->held : 0;

	if (!cycles && !(by->known && t->options.level == TRACE_FULL))
		return;
	ROW(t, TRACE_ASC_WAIT, pipe, insn_id(t, e->stream, e->insn), t->name_stall + e->wait, e->start - cycles,
	    e->start, by->known ? insn_id(t, by->stream, by->insn) : ASC_NO_TIME,
	    by->known ? pipe_id(t, by->core, by->sub, by->pipe) : ASC_NO_TIME, by->known ? by->start : ASC_NO_TIME,
	    by->known ? by->effect : ASC_NO_TIME);
}

static void add_execution(trace_asc *t, uint32_t pipe, const trace_asc_execution *e)
{
	int64_t id = (int64_t)++t->executions;

	ROW(t, TRACE_ASC_EXECUTION, id, pipe, t->first[e->stream] + e->insn, e->block, e->start, e->start - e->queued,
	    e->free - e->start, e->done - e->start, (int64_t)e->bytes, (int64_t)e->work);
	for (unsigned i = 1; i < t->subject.stall_count; i++)
		if (e->stall[i] > 0)
			ROW(t, TRACE_ASC_STALL, id, t->name_stall + i, e->stall[i]);
}

void trace_asc_executed(trace_asc *t, const trace_asc_execution *e)
{
	uint32_t pipe = pipe_id(t, e->core, e->sub, e->pipe);
	int64_t stall = 0;

	if (!trace_asc_is_fine(t) || !in_window(t, e->start))
		return;
	t->seen++;
	if (t->options.level < TRACE_UNITS)
		return;
	for (unsigned i = 1; i < t->subject.stall_count; i++)
		stall += e->stall[i];
	if (t->options.level == TRACE_FULL)
		add_execution(t, pipe, e);
	if (!e->sync)
		add_to_span(t, pipe, e, stall);
	add_wait(t, pipe, e);
}

void trace_asc_touched(trace_asc *t, const trace_asc_touch *touch)
{
	uint32_t subcore = touch->core * t->subject.machine->subcores + touch->sub;
	alive **a = &t->alive[ASC_SPACES * subcore + touch->space];

	if (touch->space == ASC_GM || !trace_asc_wants_touches(t))
		return;
	if (!*a)
		*a = alive_new((uint64_t)asc_space_bytes(t->subject.machine, touch->space));
	if (touch->write)
		alive_write(*a, touch->address, touch->bytes, touch->count, touch->pitch, touch->start, touch->done);
	else
		alive_read(*a, touch->address, touch->bytes, touch->count, touch->pitch, touch->done);
}

void trace_asc_violated(trace_asc *t, const trace_asc_violation *v)
{
	bool placed = v->space < ASC_SPACES;

	if (!trace_asc_is_fine(t) || !in_window(t, v->cycle))
		return;
	ROW(t, TRACE_ASC_VIOLATION, v->cycle, t->name_finding + v->kind,
	    v->core * t->subject.machine->subcores + v->sub, insn_id(t, v->stream, v->insn),
	    insn_id(t, v->other_stream, v->other_insn), placed ? t->name_space + v->space : ASC_NO_TIME,
	    placed ? (int64_t)v->address : ASC_NO_TIME, placed ? (int64_t)v->bytes : ASC_NO_TIME, v->met);
}

void trace_asc_deadlock(trace_asc *t, const char *diagnosis)
{
	g_auto(GStrv) lines = g_strsplit(diagnosis, "\n", -1);

	for (char **line = lines; *line && trace_asc_is_fine(t); line++) {
		if (!**line)
			continue;
		sqlite3_bind_int64(t->insert[TRACE_ASC_DEADLOCK], 1, (sqlite3_int64)++t->deadlock_lines);
		sqlite3_bind_text(t->insert[TRACE_ASC_DEADLOCK], 2, *line, -1, SQLITE_STATIC);
		trace_i_asc_step(t, TRACE_ASC_DEADLOCK);
	}
}

void trace_asc_counter(trace_asc *t, const char *name, uint64_t value, const char *unit)
{
	sqlite3_stmt *insert = t->insert[TRACE_ASC_COUNTER];

	sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 2, (sqlite3_int64)value);
	sqlite3_bind_text(insert, 3, unit, -1, SQLITE_STATIC);
	trace_i_asc_step(t, TRACE_ASC_COUNTER);
}

void trace_asc_subcore_counter(trace_asc *t, uint32_t core, uint32_t sub, const char *name, uint64_t value)
{
	char *kept = g_hash_table_lookup(t->texts, name);

	if (!value || !trace_asc_is_fine(t))
		return;
	if (!kept) {
		kept = g_strdup(name);
		g_hash_table_insert(t->texts, kept, kept);
	}
	ROW(t, TRACE_ASC_SUBCORE_COUNTER, core * t->subject.machine->subcores + sub, trace_i_intern(&t->names, kept),
	    (int64_t)value);
}

void trace_asc_pmu(trace_asc *t, uint32_t core, uint32_t sub, unsigned event, uint64_t value)
{
	ROW(t, TRACE_ASC_PMU, core * t->subject.machine->subcores + sub, event, (int64_t)value);
}

void trace_asc_pipe_totals(trace_asc *t, uint32_t core, uint32_t sub, enum asc_pipe pipe, const trace_asc_pipe *totals)
{
	uint32_t id = pipe_id(t, core, sub, pipe);
	bool any = totals->instructions > 0;
	bool predicted = totals->compared > 0;

	ROW(t, TRACE_ASC_PIPE_COUNTER, id, (int64_t)totals->instructions, totals->busy,
	    any ? totals->start : ASC_NO_TIME, any ? totals->stop : ASC_NO_TIME, (int64_t)totals->compared,
	    (int64_t)totals->differ, totals->predicted_busy, totals->compared_busy,
	    predicted ? totals->predicted_start : ASC_NO_TIME, predicted ? totals->predicted_stop : ASC_NO_TIME);
	for (unsigned i = 1; i < t->subject.stall_count; i++)
		if (totals->stall[i] > 0)
			ROW(t, TRACE_ASC_PIPE_STALL, id, t->name_stall + i, totals->stall[i]);
}

/* Below level full: the instructions that waits and violations name. */
static void write_named(trace_asc *t)
{
	const GPtrArray *streams = t->subject.program->streams;

	for (guint s = 0; t->named && s < streams->len; s++)
		for (guint i = 0; i < ((const asc_stream *)g_ptr_array_index(streams, s))->insns->len; i++)
			if (t->named[t->first[s] + i]) {
				trace_i_asc_bind_insn(t, s, i);
				trace_i_asc_step(t, TRACE_ASC_INSN);
			}
}

bool trace_asc_close(trace_asc *t, enum trace_status status, GError **error)
{
	bool fine;

	for (uint32_t i = 0; i < TRACE_ASC_PIPE_STEP * t->subcores; i++)
		close_span(t, i);
	trace_i_asc_write_buffers(t);
	write_named(t);
	run_sql(t, "COMMIT");
	run_sql(t, trace_ascend_close_sql);
	fine = trace_asc_is_fine(t);
	if (fine) {
		trace_asc_manifest(t, "status", trace_i_status_names[status]);
		fine = trace_asc_is_fine(t);
	}
	if (!fine) {
		sqlite3_exec(t->db, "ROLLBACK", NULL, NULL, NULL);
		/* May fail in its turn; a trace that still says "running" reads as incomplete, too. */
		sqlite3_exec(t->db, "UPDATE run SET value = 'incomplete' WHERE key = 'status'", NULL, NULL, NULL);
		g_set_error(error, t->failure->domain, t->failure->code, "%s; the trace is incomplete",
		            t->failure->message);
	}
	sqlite3_exec(t->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	free_writer(t);
	return fine;
}
