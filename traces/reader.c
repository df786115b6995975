/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a trace: is it one, can this version read it, what does its manifest say.
 *
 * The database is opened for reading only.  Where a killed run left its journal, it is opened for writing once before
 * that, which makes SQLite roll the unfinished transaction back.
 */
#include "traces/query.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/sweep.h"

/* Does this program read the format?  0 is what a run killed in its very first transaction leaves. */
static bool check_version(trace_reader *reader, GError **error)
{
	int own = reader->is_sweep ? TRACE_SWEEP_FORMAT : TRACE_FORMAT;
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path, "PRAGMA user_version", error);
	int version = 0;
	bool row;

	if (!query)
		return false;
	row = sqlite3_step(query) == SQLITE_ROW;
	if (row)
		version = sqlite3_column_int(query, 0);
	else
		trace_i_sqlite_error(reader->db, reader->path, error);
	sqlite3_finalize(query);
	if (!row)
		return false;
	if (version == own)
		return true;
	if (version == 0)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: an empty trace: the run was killed before it began",
		            reader->path);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s format %d; this program reads format %d",
		            reader->path, reader->is_sweep ? "sweep" : "trace", version, own);
	return false;
}

static bool read_manifest(trace_reader *reader, GError **error)
{
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path, "SELECT key, value FROM run", error);
	int result;

	if (!query)
		return false;
	while ((result = sqlite3_step(query)) == SQLITE_ROW)
		g_hash_table_insert(reader->manifest, g_strdup((const char *)sqlite3_column_text(query, 0)),
		                    g_strdup((const char *)sqlite3_column_text(query, 1)));
	if (result != SQLITE_DONE)
		trace_i_sqlite_error(reader->db, reader->path, error);
	sqlite3_finalize(query);
	return result == SQLITE_DONE;
}

/* Rolls back what a killed run left unfinished.  A failure shows when the database is read. */
static void recover(const char *absolute)
{
	g_autofree char *journal = g_strconcat(absolute, "-journal", NULL);
	sqlite3 *db = NULL;

	if (!g_file_test(journal, G_FILE_TEST_EXISTS))
		return;
	if (sqlite3_open_v2(absolute, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
		sqlite3_busy_timeout(db, 10000);
		sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	}
	sqlite3_close(db);
}

static trace_reader *open_either(const char *path, bool sweeps, GError **error)
{
	g_autofree char *absolute = g_canonicalize_filename(path, NULL);
	trace_reader *reader;
	uint32_t application_id = 0;
	struct stat info;
	bool empty;

	if (stat(path, &info) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(errno));
		return NULL;
	}
	if (!S_ISREG(info.st_mode) || !trace_i_file_header(path, &application_id, &empty)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: not a trace: expected an SQLite database written by tspsim --trace", path);
		return NULL;
	}
	if (application_id != TRACE_APPLICATION_ID && application_id != 0 &&
	    !(sweeps && application_id == TRACE_SWEEP_APPLICATION_ID)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s", path,
		            application_id == TRACE_SWEEP_APPLICATION_ID
		                    ? "the results of a sweep, not the trace of a run; see its view points"
		                    : "an SQLite database, but no trace of tspsim");
		return NULL;
	}
	reader = g_new0(trace_reader, 1);
	reader->path = g_strdup(path);
	reader->is_sweep = application_id == TRACE_SWEEP_APPLICATION_ID;
	reader->manifest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	recover(absolute);
	if (sqlite3_open_v2(absolute, &reader->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		trace_i_sqlite_error(reader->db, path, error);
		trace_reader_free(reader);
		return NULL;
	}
	sqlite3_extended_result_codes(reader->db, 1);
	sqlite3_busy_timeout(reader->db, 10000);
	if (!trace_i_add_functions(reader->db, path, error) || !check_version(reader, error) ||
	    !read_manifest(reader, error)) {
		trace_reader_free(reader);
		return NULL;
	}
	return reader;
}

trace_reader *trace_reader_open(const char *path, GError **error)
{
	return open_either(path, false, error);
}

trace_reader *trace_reader_open_results(const char *path, GError **error)
{
	return open_either(path, true, error);
}

bool trace_reader_is_sweep(const trace_reader *reader)
{
	return reader->is_sweep;
}

void trace_reader_free(trace_reader *reader)
{
	if (!reader)
		return;
	sqlite3_close(reader->db);
	g_hash_table_unref(reader->manifest);
	g_free(reader->path);
	g_free(reader);
}

const char *trace_reader_path(const trace_reader *reader)
{
	return reader->path;
}

const char *trace_reader_manifest(const trace_reader *reader, const char *key)
{
	return g_hash_table_lookup(reader->manifest, key);
}

const char *trace_reader_kind(const trace_reader *reader)
{
	const char *kind = trace_reader_manifest(reader, "kind");

	return kind ? kind : "tsp";
}

const char *trace_reader_status(const trace_reader *reader)
{
	const char *status = trace_reader_manifest(reader, "status");

	return !status || strcmp(status, "running") == 0 ? "incomplete" : status;
}

int trace_i_reader_level(const trace_reader *reader)
{
	const char *level = trace_reader_manifest(reader, "trace.level");

	return level ? trace_level_from_name(level) : TRACE_SUMMARY;
}

int64_t trace_reader_counter(const trace_reader *reader, const char *name, int64_t fallback)
{
	sqlite3_stmt *query =
		trace_i_prepare(reader->db, reader->path, "SELECT value FROM counter WHERE name = ?1", NULL);
	int64_t value = fallback;

	if (!query)
		return fallback;
	sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(query) == SQLITE_ROW)
		value = sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	return value;
}
