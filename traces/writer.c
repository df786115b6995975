/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace's beginning and end: names, manifest, counters, closing indexes, status.
 */
#include "config.h"
#include "traces/trace_impl.h"

#include <string.h>

const char *const trace_level_names[] = {"summary", "units", "full", NULL};
const char *const trace_i_status_names[] = {"complete", "interrupted", "incomplete"};

int trace_level_from_name(const char *name)
{
	for (int i = 0; trace_level_names[i]; i++)
		if (strcmp(trace_level_names[i], name) == 0)
			return i;
	return -1;
}

static void insert_queue(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_queue *queue = &writer->names->queue[i];

	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, trace_i_intern(in, queue->name));
	sqlite3_bind_int64(insert, 3, trace_i_intern(in, queue->unit));
	sqlite3_bind_int64(insert, 4, queue->side);
}

static void insert_epoch(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_epoch *epoch = &writer->names->epoch[i];

	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, trace_i_intern(in, epoch->name ? epoch->name : ""));
	sqlite3_bind_int64(insert, 3, epoch->start);
	sqlite3_bind_int64(insert, 4, epoch->stop);
	sqlite3_bind_int64(insert, 5, (sqlite3_int64)epoch->macs);
	sqlite3_bind_int64(insert, 6, (sqlite3_int64)epoch->vxm_ops);
	if (epoch->mxm_ceiling < 0)
		sqlite3_bind_null(insert, 7);
	else
		sqlite3_bind_double(insert, 7, epoch->mxm_ceiling);
}

static void insert_node(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_node *node = &writer->names->node[i];

	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, trace_i_intern(in, node->name ? node->name : ""));
	if (node->epoch < writer->names->epoch_count)
		sqlite3_bind_int64(insert, 3, node->epoch);
	else
		sqlite3_bind_null(insert, 3);
}

static void insert_insn(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_insn *insn = &writer->names->insn[i];

	(void)in;
	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int(insert, 2, insn->queue);
	sqlite3_bind_int64(insert, 3, writer->name_op + insn->op);
	if (insn->node < writer->names->node_count)
		sqlite3_bind_int64(insert, 4, insn->node);
	else
		sqlite3_bind_null(insert, 4);
	sqlite3_bind_int64(insert, 5, insn->cycle);
	sqlite3_bind_int64(insert, 6, insn->count[0]);
	sqlite3_bind_int64(insert, 7, insn->interval[0]);
	sqlite3_bind_int64(insert, 8, insn->count[1]);
	sqlite3_bind_int64(insert, 9, insn->interval[1]);
	if (insn->result == TRACE_NO_PREDICTION)
		sqlite3_bind_null(insert, 10);
	else
		sqlite3_bind_int(insert, 10, insn->result);
	if (insn->beats == TRACE_NO_PREDICTION)
		sqlite3_bind_null(insert, 11);
	else
		sqlite3_bind_int(insert, 11, insn->beats);
	if (insn->tensor < writer->names->tensor_count)
		sqlite3_bind_int64(insert, 12, insn->tensor);
	else
		sqlite3_bind_null(insert, 12);
}

static void insert_access(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_insn *insn = &writer->names->insn[i];

	(void)in;
	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int(insert, 2, insn->write);
	sqlite3_bind_int64(insert, 3, insn->addr);
	sqlite3_bind_int(insert, 4, insn->step[0]);
	sqlite3_bind_int(insert, 5, insn->step[1]);
	sqlite3_bind_int64(insert, 6, insn->segment_bytes);
	sqlite3_bind_int64(insert, 7, insn->segments);
	if (insn->indexed)
		sqlite3_bind_null(insert, 8);
	else
		sqlite3_bind_int(insert, 8, insn->pitch);
}

static void insert_tensor(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_tensor *tensor = &writer->names->tensor[i];

	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, trace_i_intern(in, tensor->name ? tensor->name : ""));
	if (tensor->epoch < writer->names->epoch_count)
		sqlite3_bind_int64(insert, 3, tensor->epoch);
	else
		sqlite3_bind_null(insert, 3);
	sqlite3_bind_int64(insert, 4, (sqlite3_int64)tensor->base);
	sqlite3_bind_int64(insert, 5, (sqlite3_int64)tensor->bytes);
}

typedef void (*bind_fn)(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i);

static bool row_compare_error(trace_writer *writer, sqlite3_stmt *insert, GError **error)
{
	sqlite3_step(insert);
	if (sqlite3_reset(insert) == SQLITE_OK)
		return true;
	trace_i_sqlite_error(writer->db, writer->path, error);
	return false;
}

/* One row by SQL for each of IDS, or for 0 ... COUNT-1 when that is NULL. */
static bool insert_rows(trace_writer *writer, trace_interner *in, const char *sql, bind_fn bind, const uint32_t *ids,
                        uint32_t count, GError **error)
{
	sqlite3_stmt *insert = trace_i_prepare(writer->db, writer->path, sql, error);
	bool fine = insert != NULL;

	for (uint32_t i = 0; i < count && fine; i++) {
		bind(writer, in, insert, ids ? ids[i] : i);
		fine = row_compare_error(writer, insert, error);
	}
	sqlite3_finalize(insert);
	return fine;
}

#define INSERT_INSN "INSERT INTO insn VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"

/* Are all ids inside the names within their arrays? */
static bool names_are_sound(const trace_names *names, const char *path, GError **error)
{
	for (uint32_t i = 0; i < names->insn_count; i++) {
		const trace_insn *insn = &names->insn[i];

		if (insn->queue >= names->queue_count || insn->op >= names->op_count || !insn->count[0] ||
		    !insn->count[1]) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
			            "%s: instruction %" G_GUINT32_FORMAT " has queue %u of %" G_GUINT32_FORMAT
			            ", op %u of %" G_GUINT32_FORMAT ", loop counts %" G_GUINT32_FORMAT
			            " and %" G_GUINT32_FORMAT,
			            path, i, insn->queue, names->queue_count, insn->op, names->op_count, insn->count[0],
			            insn->count[1]);
			return false;
		}
	}
	return true;
}

/* A row of table access for each instruction that has accesses. */
static bool write_accesses(trace_writer *writer, GError **error)
{
	const trace_names *names = writer->names;
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < names->insn_count; i++)
		if (names->insn[i].segments)
			g_array_append_val(ids, i);
	return !ids->len || insert_rows(writer, NULL, "INSERT INTO access VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	                                insert_access, (const uint32_t *)(void *)ids->data, ids->len, error);
}

static bool write_names(trace_writer *writer, GError **error)
{
	const trace_names *names = writer->names;
	trace_interner in = {.ids = g_hash_table_new(g_str_hash, g_str_equal)};
	bool fine;

	in.insert = trace_i_prepare(writer->db, writer->path, "INSERT INTO name VALUES (?1, ?2)", error);
	fine = in.insert && trace_i_exec(writer->db, writer->path, "BEGIN", error);
	if (fine) {
		writer->name_violation = trace_i_intern_list(&in, names->violation, names->violation_count);
		writer->name_op = trace_i_intern_list(&in, names->op, names->op_count);
	}
	fine = fine &&
	       insert_rows(writer, &in, "INSERT INTO queue VALUES (?1, ?2, ?3, ?4)", insert_queue, NULL,
	                   names->queue_count, error) &&
	       insert_rows(writer, &in, "INSERT INTO epoch VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", insert_epoch, NULL,
	                   names->epoch_count, error) &&
	       insert_rows(writer, &in, "INSERT INTO node VALUES (?1, ?2, ?3)", insert_node, NULL, names->node_count,
	                   error) &&
	       insert_rows(writer, &in, "INSERT INTO tensor VALUES (?1, ?2, ?3, ?4, ?5)", insert_tensor, NULL,
	                   names->tensor_count, error) &&
	       (writer->options.level < TRACE_FULL ||
	        (insert_rows(writer, &in, INSERT_INSN, insert_insn, NULL, names->insn_count, error) &&
	         write_accesses(writer, error))) &&
	       trace_i_exec(writer->db, writer->path, "COMMIT", error);
	sqlite3_finalize(in.insert);
	g_hash_table_unref(in.ids);
	return fine;
}

static void counter_row_free(gpointer data)
{
	trace_counter_row *row = data;

	g_free(row->name);
	g_free(row->unit);
	g_free(row);
}

static void writer_free(trace_writer *writer)
{
	trace_i_batches_stop(writer);
	sqlite3_close(writer->db);
	if (writer->named)
		g_hash_table_unref(writer->named);
	g_ptr_array_free(writer->counters, TRUE);
	g_array_free(writer->slip_by_bank, TRUE);
	g_clear_error(&writer->failure);
	g_mutex_clear(&writer->db_lock);
	g_mutex_clear(&writer->lock);
	g_cond_clear(&writer->changed);
	g_free(writer->queue_issues);
	g_free(writer->bank_requests);
	g_free(writer->bank_wait);
	g_free(writer->path);
	g_free(writer);
}

trace_writer *trace_writer_open(const char *path, const trace_options *options, const trace_names *names,
                                GError **error)
{
	trace_writer *writer;

	if (options->window_stop < options->window_start) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "trace window: its end %" G_GINT64_FORMAT " lies before its start %" G_GINT64_FORMAT,
		            options->window_stop, options->window_start);
		return NULL;
	}
	if (!names_are_sound(names, path, error))
		return NULL;
	writer = g_new0(trace_writer, 1);
	writer->path = g_strdup(path);
	writer->options = *options;
	writer->names = names;
	writer->counters = g_ptr_array_new_with_free_func(counter_row_free);
	writer->queue_issues = g_new0(uint64_t, names->queue_count);
	writer->slip_by_bank = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	g_mutex_init(&writer->db_lock);
	g_mutex_init(&writer->lock);
	g_cond_init(&writer->changed);
	if (options->window_start == options->window_stop) {
		writer->options.window_start = INT64_MIN;
		writer->options.window_stop = INT64_MAX;
	}
	if (options->level < TRACE_FULL)
		writer->named = g_hash_table_new(NULL, NULL);
	writer->db = trace_i_create(path, trace_schema_sql, error);
	if (!writer->db || !write_names(writer, error) || !trace_i_batches_start(writer, error)) {
		writer_free(writer);
		return NULL;
	}
	trace_writer_manifest(writer, "status", "running");
	trace_writer_manifest(writer, "version", PACKAGE_VERSION);
	trace_writer_manifest(writer, "trace.level", trace_level_names[options->level]);
	if (options->window_start != options->window_stop) {
		g_autofree char *window = g_strdup_printf("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
		                                          options->window_start, options->window_stop);

		trace_writer_manifest(writer, "trace.window", window);
	}
	return writer;
}

probe_listener trace_writer_listener(trace_writer *writer)
{
	probe_listener listener;

	trace_i_batches_listen(writer, &listener);
	return listener;
}

void trace_writer_manifest(trace_writer *writer, const char *key, const char *value)
{
	sqlite3_stmt *insert;
	GError *error = NULL;

	if (!trace_writer_is_fine(writer))
		return;
	g_mutex_lock(&writer->db_lock);
	insert = trace_i_prepare(writer->db, writer->path, "INSERT OR REPLACE INTO run VALUES (?1, ?2)", &error);
	if (insert) {
		sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC);
		sqlite3_bind_text(insert, 2, value, -1, SQLITE_STATIC);
		row_compare_error(writer, insert, &error);
		sqlite3_finalize(insert);
	}
	g_mutex_unlock(&writer->db_lock);
	if (error)
		trace_i_fail(writer, error);
}

void trace_writer_counter(trace_writer *writer, const char *name, uint64_t value, const char *unit)
{
	trace_counter_row *row = g_new(trace_counter_row, 1);

	*row = (trace_counter_row){g_strdup(name), g_strdup(unit), value};
	g_ptr_array_add(writer->counters, row);
}

void trace_writer_queue_issues(trace_writer *writer, unsigned queue, uint64_t issues)
{
	g_return_if_fail(queue < writer->names->queue_count);
	writer->queue_issues[queue] = issues;
}

void trace_writer_banks(trace_writer *writer, int64_t cycle, const uint64_t *requests, const uint64_t *wait,
                        size_t banks)
{
	if (!writer->banks) {
		writer->banks = banks;
		writer->bank_requests = g_new0(uint64_t, banks);
		writer->bank_wait = g_new0(uint64_t, banks);
	}
	g_return_if_fail(banks == writer->banks);
	for (size_t i = 0; i < banks; i++) {
		trace_bank_window window = {writer->banks_cycle, cycle, requests[i] - writer->bank_requests[i],
		                            wait[i] - writer->bank_wait[i], (uint32_t)i};

		if (writer->options.level >= TRACE_UNITS && cycle > writer->banks_cycle &&
		    (window.requests || window.wait))
			trace_i_batches_add_window(writer, &window);
	}
	/* What came after the last window's end counts in the totals, and in the next window. */
	if (cycle > writer->banks_cycle || writer->options.level < TRACE_UNITS) {
		memcpy(writer->bank_requests, requests, banks * sizeof *requests);
		memcpy(writer->bank_wait, wait, banks * sizeof *wait);
		writer->banks_cycle = MAX(writer->banks_cycle, cycle);
	}
}

static void insert_counter(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	const trace_counter_row *row = g_ptr_array_index(writer->counters, i);

	(void)in;
	sqlite3_bind_text(insert, 1, row->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 2, (sqlite3_int64)row->value);
	sqlite3_bind_text(insert, 3, row->unit, -1, SQLITE_STATIC);
}

static void insert_queue_counter(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	(void)in;
	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, (sqlite3_int64)writer->queue_issues[i]);
}

static void insert_bank(trace_writer *writer, trace_interner *in, sqlite3_stmt *insert, uint32_t i)
{
	uint64_t slip = i < writer->slip_by_bank->len ? g_array_index(writer->slip_by_bank, uint64_t, i) : 0;

	(void)in;
	sqlite3_bind_int64(insert, 1, i);
	sqlite3_bind_int64(insert, 2, i < writer->banks ? (sqlite3_int64)writer->bank_requests[i] : 0);
	sqlite3_bind_int64(insert, 3, i < writer->banks ? (sqlite3_int64)writer->bank_wait[i] : 0);
	sqlite3_bind_int64(insert, 4, (sqlite3_int64)slip);
}

static gint compare_ids(gconstpointer a, gconstpointer b)
{
	uint32_t p = *(const uint32_t *)a;
	uint32_t q = *(const uint32_t *)b;

	return p < q ? -1 : p > q;
}

/* The instructions that violations and slips name, in order; below level full. */
static bool write_named(trace_writer *writer, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GHashTableIter iter;
	gpointer key;

	if (!writer->named)
		return true;
	g_hash_table_iter_init(&iter, writer->named);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		uint32_t id = GPOINTER_TO_UINT(key);

		g_array_append_val(ids, id);
	}
	g_array_sort(ids, compare_ids);
	return insert_rows(writer, NULL, INSERT_INSN, insert_insn, (const uint32_t *)(void *)ids->data, ids->len,
	                   error);
}

static bool write_totals(trace_writer *writer, GError **error)
{
	uint32_t banks = (uint32_t)MAX(writer->banks, writer->slip_by_bank->len);

	return trace_i_exec(writer->db, writer->path, "BEGIN", error) && write_named(writer, error) &&
	       insert_rows(writer, NULL, "INSERT INTO counter VALUES (?1, ?2, ?3)", insert_counter, NULL,
	                   writer->counters->len, error) &&
	       insert_rows(writer, NULL, "INSERT INTO queue_counter VALUES (?1, ?2)", insert_queue_counter, NULL,
	                   writer->names->queue_count, error) &&
	       insert_rows(writer, NULL, "INSERT INTO bank VALUES (?1, ?2, ?3, ?4)", insert_bank, NULL, banks, error) &&
	       trace_i_exec(writer->db, writer->path, "COMMIT", error) &&
	       trace_i_exec(writer->db, writer->path, trace_close_sql, error);
}

bool trace_writer_close(trace_writer *writer, enum trace_status status, GError **error)
{
	GError *failure = NULL;
	bool fine;

	trace_i_batches_stop(writer);
	if (trace_writer_is_fine(writer) && !write_totals(writer, &failure))
		trace_i_fail(writer, failure);
	if (!trace_writer_is_fine(writer)) {
		sqlite3_exec(writer->db, "ROLLBACK", NULL, NULL, NULL);
		/* May fail in its turn; a trace that still says "running" reads as incomplete, too. */
		sqlite3_exec(writer->db, "UPDATE run SET value = 'incomplete' WHERE key = 'status'", NULL, NULL, NULL);
	} else {
		trace_writer_manifest(writer, "status", trace_i_status_names[status]);
	}
	sqlite3_exec(writer->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	fine = trace_writer_is_fine(writer);
	if (!fine)
		g_set_error(error, writer->failure->domain, writer->failure->code,
		            "%s; the trace is incomplete, %" G_GUINT64_FORMAT " issues, %" G_GUINT64_FORMAT
		            " spans, %" G_GUINT64_FORMAT " violations and %" G_GUINT64_FORMAT " slips were kept",
		            writer->failure->message, writer->kept.issues, writer->kept.spans, writer->kept.violations,
		            writer->kept.slips);
	writer_free(writer);
	return fine;
}
