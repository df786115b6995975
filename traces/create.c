/* SPDX-License-Identifier: Apache-2.0
 *
 * New trace files: what may be overwritten, the schema, and texts in table name.
 *
 * The journal stays on (mode TRUNCATE) though synchronous is off: what the operating system has survives a kill of this
 * process, but a kill between two pages of a transaction must be undone by the next reader.  Only a crash of the host
 * can damage the file.
 */
#include "traces/trace_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What SQLite leaves beside a database. */
static const char *const companions[] = {"", "-journal", "-wal", "-shm"};

void trace_i_remove(const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(companions); i++) {
		g_autofree char *file = g_strconcat(path, companions[i], NULL);

		unlink(file);
	}
}

/* Clears the way for a new file at PATH: nothing there, an empty file, or a trace.  Returns the path to create (a
 * symbolic link is followed), g_free; NULL with ERROR set. */
static char *make_way(const char *path, GError **error)
{
	char *real = realpath(path, NULL);
	char *target = g_strdup(real ? real : path);
	uint32_t application_id;
	struct stat info;
	bool empty = true;

	free(real);
	if (stat(target, &info) == 0) {
		if (!S_ISREG(info.st_mode)) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "%s: expected a file name to write a trace to; this is %s", path,
			            S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
			g_clear_pointer(&target, g_free);
			return NULL;
		}
		if (!(trace_i_file_header(target, &application_id, &empty) && application_id == TRACE_APPLICATION_ID) &&
		    !empty) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "%s: exists and is not a trace of tspsim; it is left alone, choose another name or "
			            "remove it",
			            path);
			g_clear_pointer(&target, g_free);
			return NULL;
		}
	}
	for (size_t i = 0; i < G_N_ELEMENTS(companions); i++) {
		g_autofree char *file = g_strconcat(target, companions[i], NULL);

		if (unlink(file) != 0 && errno != ENOENT && errno != ENOTDIR) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: cannot be replaced: %s", file,
			            g_strerror(errno));
			g_clear_pointer(&target, g_free);
			return NULL;
		}
	}
	return target;
}

sqlite3 *trace_i_create(const char *path, const char *schema, GError **error)
{
	g_autofree char *target = make_way(path, error);
	/* SQLite takes some names (":memory:") for something else than files. */
	g_autofree char *absolute = target ? g_canonicalize_filename(target, NULL) : NULL;
	g_autofree char *folder = absolute ? g_path_get_dirname(absolute) : NULL;
	sqlite3 *db = NULL;

	if (!absolute)
		return NULL;
	if (sqlite3_open_v2(absolute, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK) {
		/* SQLite only says that it could not. */
		if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: there is no directory %s", path, folder);
		else
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: cannot be created: %s", path,
			            g_strerror(sqlite3_system_errno(db)));
		sqlite3_close(db);
		return NULL;
	}
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, 60000);
	if (trace_i_exec(db, path, "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; BEGIN", error) &&
	    trace_i_exec(db, path, schema, error) && trace_i_exec(db, path, "COMMIT", error))
		return db;
	sqlite3_close(db);
	trace_i_remove(target);
	return NULL;
}

/* The id of TEXT; a new one gets its row.  Errors show when the transaction is committed. */
uint32_t trace_i_intern(trace_interner *in, const char *text)
{
	uint32_t id = GPOINTER_TO_UINT(g_hash_table_lookup(in->ids, text));

	if (id)
		return id - 1;
	sqlite3_bind_int64(in->insert, 1, in->used);
	sqlite3_bind_text(in->insert, 2, text, -1, SQLITE_STATIC);
	sqlite3_step(in->insert);
	sqlite3_reset(in->insert);
	g_hash_table_insert(in->ids, (gpointer)text, GUINT_TO_POINTER(in->used + 1));
	return in->used++;
}

/* Kinds of violations and ops have rows of their own in order, so that an id is found by addition. */
uint32_t trace_i_intern_list(trace_interner *in, const char *const *texts, uint32_t count)
{
	uint32_t first = in->used;

	for (uint32_t i = 0; i < count; i++) {
		sqlite3_bind_int64(in->insert, 1, in->used++);
		sqlite3_bind_text(in->insert, 2, texts[i], -1, SQLITE_STATIC);
		sqlite3_step(in->insert);
		sqlite3_reset(in->insert);
	}
	return first;
}
