/* SPDX-License-Identifier: Apache-2.0
 *
 * From the probe to the file: two buffers and a thread.
 *
 * The simulating thread fills one buffer; when it is full it waits until the writing thread is done with the other, and
 * they swap.  A buffer is one transaction.  Level full forms spans in the writing thread, from the same records it
 * stores; level units forms them at once in the simulating thread, which is cheaper than copying the records.
 *
 * The first failure stops all further writing; the transaction it struck is rolled back.
 */
#include "traces/trace_impl.h"

#include <signal.h>
#include <string.h>

static const char *const insert_sql[TRACE_INSERT_COUNT] = {
	[TRACE_INSERT_ISSUE] = "INSERT INTO issue SELECT * FROM batch",
	[TRACE_INSERT_SPAN] = "INSERT INTO span VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[TRACE_INSERT_VIOLATION] = "INSERT INTO violation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[TRACE_INSERT_SLIP] = "INSERT INTO slip VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[TRACE_INSERT_CONFLICT] = "INSERT INTO conflict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[TRACE_INSERT_BANK_WINDOW] = "INSERT INTO bank_window VALUES (?1, ?2, ?3, ?4, ?5)",
	[TRACE_INSERT_OFFSETS] = "INSERT INTO access_offsets VALUES (?1, ?2, ?3)",
};

void trace_i_fail(trace_writer *writer, GError *error)
{
	g_mutex_lock(&writer->lock);
	if (writer->failure)
		g_error_free(error);
	else
		writer->failure = error;
	g_mutex_unlock(&writer->lock);
	g_atomic_int_set(&writer->failed, 1);
}

bool trace_writer_is_fine(const trace_writer *writer)
{
	return !g_atomic_int_get(&writer->failed);
}

static void fail_sqlite(trace_writer *writer)
{
	GError *error = NULL;

	trace_i_sqlite_error(writer->db, writer->path, &error);
	trace_i_fail(writer, error);
}

/* Runs a bound insert. */
static inline void step(trace_writer *writer, sqlite3_stmt *insert)
{
	/* sqlite3_reset() repeats the error of the step. */
	sqlite3_step(insert);
	if (G_UNLIKELY(sqlite3_reset(insert) != SQLITE_OK) && trace_writer_is_fine(writer))
		fail_sqlite(writer);
}

/* Binds VALUE, or NULL when it is ABSENT. */
static inline void bind_or_null(sqlite3_stmt *insert, int column, int64_t value, int64_t absent)
{
	if (value == absent)
		sqlite3_bind_null(insert, column);
	else
		sqlite3_bind_int64(insert, column, value);
}

static void insert_issues(trace_writer *writer, const probe_issue *records, size_t count)
{
	writer->source =
		(trace_issue_source){records, count, writer->options.window_start, writer->options.window_stop};
	step(writer, writer->insert[TRACE_INSERT_ISSUE]);
	if (trace_writer_is_fine(writer))
		writer->kept.issues += (uint64_t)sqlite3_changes64(writer->db);
}

static void insert_span(trace_writer *writer, const trace_span *span)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_SPAN];

	sqlite3_bind_int64(insert, 1, span->queue);
	bind_or_null(insert, 2, span->node, UINT32_MAX);
	sqlite3_bind_int64(insert, 3, span->start);
	sqlite3_bind_int64(insert, 4, span->stop);
	sqlite3_bind_int64(insert, 5, (sqlite3_int64)span->issues);
	bind_or_null(insert, 6, span->due, PROBE_NO_TIME);
	sqlite3_bind_int64(insert, 7, (sqlite3_int64)span->work);
	sqlite3_bind_int64(insert, 8, (sqlite3_int64)span->delay);
	step(writer, insert);
	writer->kept.spans++;
}

static void insert_violation(trace_writer *writer, const probe_violation *v)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_VIOLATION];

	sqlite3_bind_int64(insert, 1, v->cycle);
	sqlite3_bind_int64(insert, 2, writer->name_violation + v->kind);
	if (v->queue < writer->names->queue_count)
		sqlite3_bind_int(insert, 3, v->queue);
	else
		sqlite3_bind_null(insert, 3);
	bind_or_null(insert, 4, v->insn, UINT32_MAX);
	sqlite3_bind_int64(insert, 5, v->index);
	bind_or_null(insert, 6, v->other, UINT32_MAX);
	sqlite3_bind_int64(insert, 7, v->detail);
	step(writer, insert);
	writer->kept.violations++;
}

static void insert_slip(trace_writer *writer, const probe_slip *slip)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_SLIP];

	sqlite3_bind_int64(insert, 1, slip->cycle);
	sqlite3_bind_int64(insert, 2, slip->cycles);
	sqlite3_bind_int64(insert, 3, slip->bank);
	bind_or_null(insert, 4, slip->insn, UINT32_MAX);
	sqlite3_bind_int64(insert, 5, slip->index);
	bind_or_null(insert, 6, slip->other, UINT32_MAX);
	bind_or_null(insert, 7, slip->met, UINT32_MAX);
	step(writer, insert);
	writer->kept.slips++;
}

static void insert_conflict(trace_writer *writer, const probe_conflict *conflict)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_CONFLICT];

	sqlite3_bind_int64(insert, 1, conflict->cycle);
	bind_or_null(insert, 2, conflict->insn, UINT32_MAX);
	sqlite3_bind_int64(insert, 3, conflict->index);
	bind_or_null(insert, 4, conflict->other, UINT32_MAX);
	sqlite3_bind_int64(insert, 5, conflict->bank);
	sqlite3_bind_int64(insert, 6, conflict->beats);
	sqlite3_bind_int64(insert, 7, conflict->delay);
	sqlite3_bind_int64(insert, 8, conflict->due);
	step(writer, insert);
}

static void insert_window(trace_writer *writer, const trace_bank_window *window)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_BANK_WINDOW];

	sqlite3_bind_int64(insert, 1, window->bank);
	sqlite3_bind_int64(insert, 2, window->start);
	sqlite3_bind_int64(insert, 3, window->stop);
	sqlite3_bind_int64(insert, 4, (sqlite3_int64)window->requests);
	sqlite3_bind_int64(insert, 5, (sqlite3_int64)window->wait);
	step(writer, insert);
}

static void insert_offsets(trace_writer *writer, const trace_batch *batch)
{
	sqlite3_stmt *insert = writer->insert[TRACE_INSERT_OFFSETS];
	guint first = 0;

	for (guint i = 0; i < batch->offsets->len && trace_writer_is_fine(writer); i++) {
		const trace_offsets *row = &g_array_index(batch->offsets, trace_offsets, i);

		sqlite3_bind_int64(insert, 1, row->insn);
		sqlite3_bind_int64(insert, 2, row->index);
		sqlite3_bind_blob(insert, 3, &g_array_index(batch->offset, int32_t, first),
		                  (int)(row->count * sizeof(int32_t)), SQLITE_STATIC);
		step(writer, insert);
		first += row->count;
	}
}

/* Runs SQL; a failure is remembered. */
static void run_sql(trace_writer *writer, const char *sql)
{
	GError *error = NULL;

	if (!trace_i_exec(writer->db, writer->path, sql, &error))
		trace_i_fail(writer, error);
}

/* Writes BATCH in one transaction and empties it. */
static void write_batch(trace_writer *writer, trace_batch *batch)
{
	trace_kept before = writer->kept;

	g_mutex_lock(&writer->db_lock);
	if (trace_writer_is_fine(writer))
		run_sql(writer, "BEGIN");
	if (batch->issues) {
		insert_issues(writer, batch->issue, batch->issues);
		if (trace_writer_is_fine(writer))
			trace_spans_add(writer->spans, batch->issue, batch->issues);
	}
	for (guint i = 0; i < batch->spans->len && trace_writer_is_fine(writer); i++)
		insert_span(writer, &g_array_index(batch->spans, trace_span, i));
	for (guint i = 0; i < batch->violations->len && trace_writer_is_fine(writer); i++)
		insert_violation(writer, &g_array_index(batch->violations, probe_violation, i));
	for (guint i = 0; i < batch->slips->len && trace_writer_is_fine(writer); i++)
		insert_slip(writer, &g_array_index(batch->slips, probe_slip, i));
	for (guint i = 0; i < batch->conflicts->len && trace_writer_is_fine(writer); i++)
		insert_conflict(writer, &g_array_index(batch->conflicts, probe_conflict, i));
	for (guint i = 0; i < batch->windows->len && trace_writer_is_fine(writer); i++)
		insert_window(writer, &g_array_index(batch->windows, trace_bank_window, i));
	insert_offsets(writer, batch);
	if (trace_writer_is_fine(writer))
		run_sql(writer, "COMMIT");
	if (!trace_writer_is_fine(writer)) {
		/* Fails when SQLite has rolled back already. */
		sqlite3_exec(writer->db, "ROLLBACK", NULL, NULL, NULL);
		writer->kept = before;
	}
	g_mutex_unlock(&writer->db_lock);
	batch->issues = 0;
	g_array_set_size(batch->spans, 0);
	g_array_set_size(batch->violations, 0);
	g_array_set_size(batch->slips, 0);
	g_array_set_size(batch->conflicts, 0);
	g_array_set_size(batch->windows, 0);
	g_array_set_size(batch->offsets, 0);
	g_array_set_size(batch->offset, 0);
}

static gpointer writing_thread(gpointer data)
{
	trace_writer *writer = data;

	g_mutex_lock(&writer->lock);
	for (;;) {
		while (!writer->handed && !writer->quit)
			g_cond_wait(&writer->changed, &writer->lock);
		if (!writer->handed)
			break;
		g_mutex_unlock(&writer->lock);
		write_batch(writer, writer->handed);
		g_mutex_lock(&writer->lock);
		writer->handed = NULL;
		g_cond_broadcast(&writer->changed);
	}
	g_mutex_unlock(&writer->lock);
	return NULL;
}

/* Gives the filled buffer to the writing thread, as soon as that has written the other one, which is filled next. */
static void hand_over(trace_writer *writer)
{
	g_mutex_lock(&writer->lock);
	while (writer->handed)
		g_cond_wait(&writer->changed, &writer->lock);
	writer->handed = writer->filling;
	g_cond_broadcast(&writer->changed);
	g_mutex_unlock(&writer->lock);
	writer->filling = writer->filling == &writer->batch[0] ? &writer->batch[1] : &writer->batch[0];
}

/* The first record whose instruction does not exist, if any, ends the trace: nothing could be said of it. */
static bool records_are_sound(trace_writer *writer, const probe_issue *records, size_t count)
{
	uint32_t insn_count = writer->names->insn_count;

	for (size_t i = 0; i < count; i++)
		if (G_UNLIKELY(records[i].insn >= insn_count)) {
			trace_i_fail(writer, g_error_new(TSP_ERROR, TSP_ERROR_INTERNAL,
			                                 "%s: an issue of instruction %" G_GUINT32_FORMAT
			                                 " was reported, but there are %" G_GUINT32_FORMAT,
			                                 writer->path, records[i].insn, insn_count));
			return false;
		}
	return true;
}

static void full_issues(void *state, const probe_issue *records, size_t count)
{
	trace_writer *writer = state;

	if (!trace_writer_is_fine(writer) || !records_are_sound(writer, records, count))
		return;
	while (count) {
		size_t chunk = MIN(count, TRACE_BATCH_ISSUES - writer->filling->issues);

		memcpy(writer->filling->issue + writer->filling->issues, records, chunk * sizeof *records);
		writer->filling->issues += chunk;
		records += chunk;
		count -= chunk;
		if (writer->filling->issues == TRACE_BATCH_ISSUES)
			hand_over(writer);
	}
}

static void units_issues(void *state, const probe_issue *records, size_t count)
{
	trace_writer *writer = state;

	if (!trace_writer_is_fine(writer) || !records_are_sound(writer, records, count))
		return;
	trace_spans_add(writer->spans, records, count);
}

/* Units: a span ended in the simulating thread. */
static void units_span(void *state, const trace_span *span)
{
	trace_writer *writer = state;

	g_array_append_vals(writer->filling->spans, span, 1);
	if (writer->filling->spans->len == TRACE_BATCH_ROWS)
		hand_over(writer);
}

/* Full: a span ended in the writing thread. */
static void full_span(void *state, const trace_span *span)
{
	insert_span(state, span);
}

static void note_insn(trace_writer *writer, uint32_t insn)
{
	if (writer->named && insn < writer->names->insn_count)
		g_hash_table_add(writer->named, GUINT_TO_POINTER(insn));
}

static bool in_window(const trace_writer *writer, int64_t cycle)
{
	return cycle >= writer->options.window_start && cycle < writer->options.window_stop;
}

static void on_violation(void *state, const probe_violation *record)
{
	trace_writer *writer = state;

	if (!trace_writer_is_fine(writer) || !in_window(writer, record->cycle))
		return;
	if (record->kind >= writer->names->violation_count) {
		trace_i_fail(writer, g_error_new(TSP_ERROR, TSP_ERROR_INTERNAL,
		                                 "%s: a violation of unknown kind %u was reported", writer->path,
		                                 record->kind));
		return;
	}
	note_insn(writer, record->insn);
	note_insn(writer, record->other);
	g_array_append_vals(writer->filling->violations, record, 1);
	if (writer->filling->violations->len == TRACE_BATCH_ROWS)
		hand_over(writer);
}

static void on_slip(void *state, const probe_slip *record)
{
	trace_writer *writer = state;

	if (record->bank >= writer->slip_by_bank->len)
		g_array_set_size(writer->slip_by_bank, record->bank + 1);
	g_array_index(writer->slip_by_bank, uint64_t, record->bank) += (uint64_t)record->cycles;
	if (!trace_writer_is_fine(writer) || writer->options.level < TRACE_UNITS || !in_window(writer, record->cycle))
		return;
	note_insn(writer, record->insn);
	note_insn(writer, record->other);
	note_insn(writer, record->met);
	g_array_append_vals(writer->filling->slips, record, 1);
	if (writer->filling->slips->len == TRACE_BATCH_ROWS)
		hand_over(writer);
}

static void on_conflict(void *state, const probe_conflict *record)
{
	trace_writer *writer = state;

	if (!trace_writer_is_fine(writer) || !in_window(writer, record->cycle))
		return;
	note_insn(writer, record->insn);
	note_insn(writer, record->other);
	g_array_append_vals(writer->filling->conflicts, record, 1);
	if (writer->filling->conflicts->len == TRACE_BATCH_ROWS)
		hand_over(writer);
}

static void on_offsets(void *state, const probe_offsets *record)
{
	trace_writer *writer = state;
	trace_offsets row = {record->insn, record->index, record->count};
	trace_batch *batch = writer->filling;

	if (!trace_writer_is_fine(writer) || !in_window(writer, record->cycle))
		return;
	g_array_append_val(batch->offsets, row);
	for (uint32_t i = 0; i < record->count; i++) {
		int32_t offset = GINT32_TO_LE(record->offset[i]);

		g_array_append_val(batch->offset, offset);
	}
	if (batch->offsets->len == TRACE_BATCH_ROWS || batch->offset->len >= TRACE_BATCH_OFFSETS)
		hand_over(writer);
}

void trace_i_batches_add_window(trace_writer *writer, const trace_bank_window *window)
{
	if (!trace_writer_is_fine(writer))
		return;
	g_array_append_vals(writer->filling->windows, window, 1);
	if (writer->filling->windows->len == TRACE_BATCH_ROWS)
		hand_over(writer);
}

void trace_i_batches_listen(trace_writer *writer, probe_listener *listener)
{
	*listener = (probe_listener){.state = writer, .violation = on_violation, .slip = on_slip};
	if (writer->options.level >= TRACE_UNITS)
		listener->conflict = on_conflict;
	if (writer->options.level == TRACE_FULL)
		listener->offsets = on_offsets;
	if (writer->options.level == TRACE_FULL)
		listener->issues = full_issues;
	else if (writer->options.level == TRACE_UNITS)
		listener->issues = units_issues;
}

bool trace_i_batches_start(trace_writer *writer, GError **error)
{
	sigset_t all, before;

	if (!trace_i_issue_table(writer->db, writer->path, &writer->source, error))
		return false;
	for (unsigned i = 0; i < TRACE_INSERT_COUNT; i++) {
		writer->insert[i] = trace_i_prepare(writer->db, writer->path, insert_sql[i], error);
		if (!writer->insert[i])
			return false;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(writer->batch); i++) {
		trace_batch *batch = &writer->batch[i];

		if (writer->options.level == TRACE_FULL)
			batch->issue = g_new(probe_issue, TRACE_BATCH_ISSUES);
		batch->spans = g_array_new(FALSE, FALSE, sizeof(trace_span));
		batch->violations = g_array_new(FALSE, FALSE, sizeof(probe_violation));
		batch->slips = g_array_new(FALSE, FALSE, sizeof(probe_slip));
		batch->conflicts = g_array_new(FALSE, FALSE, sizeof(probe_conflict));
		batch->windows = g_array_new(FALSE, FALSE, sizeof(trace_bank_window));
		batch->offsets = g_array_new(FALSE, FALSE, sizeof(trace_offsets));
		batch->offset = g_array_new(FALSE, FALSE, sizeof(int32_t));
	}
	writer->filling = &writer->batch[0];
	if (writer->options.level >= TRACE_UNITS)
		writer->spans =
			trace_spans_new(writer->names, writer->options.window_start, writer->options.window_stop,
		                        writer->options.level == TRACE_FULL ? full_span : units_span, writer);
	/* Signals belong to the simulating thread: a handler there ends the run. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	writer->thread = g_thread_try_new("trace", writing_thread, writer, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return writer->thread != NULL;
}

void trace_i_batches_stop(trace_writer *writer)
{
	if (writer->thread) {
		if (writer->options.level == TRACE_UNITS && trace_writer_is_fine(writer))
			trace_spans_finish(writer->spans);
		hand_over(writer);
		g_mutex_lock(&writer->lock);
		writer->quit = true;
		g_cond_broadcast(&writer->changed);
		g_mutex_unlock(&writer->lock);
		g_clear_pointer(&writer->thread, g_thread_join);
	}
	if (writer->options.level == TRACE_FULL && writer->spans && trace_writer_is_fine(writer)) {
		uint64_t before = writer->kept.spans;

		run_sql(writer, "BEGIN");
		trace_spans_finish(writer->spans);
		if (trace_writer_is_fine(writer))
			run_sql(writer, "COMMIT");
		if (!trace_writer_is_fine(writer))
			writer->kept.spans = before;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(writer->batch); i++) {
		trace_batch *batch = &writer->batch[i];

		g_clear_pointer(&batch->issue, g_free);
		g_clear_pointer(&batch->spans, g_array_unref);
		g_clear_pointer(&batch->violations, g_array_unref);
		g_clear_pointer(&batch->slips, g_array_unref);
		g_clear_pointer(&batch->conflicts, g_array_unref);
		g_clear_pointer(&batch->windows, g_array_unref);
		g_clear_pointer(&batch->offsets, g_array_unref);
		g_clear_pointer(&batch->offset, g_array_unref);
	}
	for (unsigned i = 0; i < TRACE_INSERT_COUNT; i++)
		g_clear_pointer(&writer->insert[i], sqlite3_finalize);
	g_clear_pointer(&writer->spans, trace_spans_free);
}
