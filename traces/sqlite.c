/* SPDX-License-Identifier: Apache-2.0
 *
 * Small helpers around SQLite: errors as GError with the file's name, one-off statements, a look at a file's header.
 */
#include "traces/trace_impl.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void trace_i_sqlite_error(sqlite3 *db, const char *path, GError **error)
{
	/* A record that breaks a CHECK is our defect; all else is the file's or its host's. */
	bool broken = (sqlite3_errcode(db) & 0xff) == SQLITE_CONSTRAINT;
	int system = sqlite3_system_errno(db);
	bool io = (sqlite3_errcode(db) & 0xff) == SQLITE_IOERR;
	/* Undoing what failed may have made the system's reason forgotten. */
	const char *reason = system                                               ? g_strerror(system)
	                     : sqlite3_extended_errcode(db) == SQLITE_IOERR_WRITE ? "is the disk full, or a limit of "
	                                                                            "file sizes reached?"
	                                                                          : NULL;

	g_set_error(error, TSP_ERROR, broken ? TSP_ERROR_INTERNAL : TSP_ERROR_IO, "%s: %s%s%s", path,
	            sqlite3_errmsg(db), io && reason ? ": " : "", io && reason ? reason : "");
}

bool trace_i_exec(sqlite3 *db, const char *path, const char *sql, GError **error)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	trace_i_sqlite_error(db, path, error);
	return false;
}

sqlite3_stmt *trace_i_prepare(sqlite3 *db, const char *path, const char *sql, GError **error)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
		trace_i_sqlite_error(db, path, error);
	return statement;
}

bool trace_i_file_header(const char *path, uint32_t *application_id, bool *empty)
{
	unsigned char header[100];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, header, sizeof header);

	if (fd >= 0)
		close(fd);
	*empty = got == 0;
	if (got != (ssize_t)sizeof header || memcmp(header, "SQLite format 3", 16) != 0)
		return false;
	*application_id =
		(uint32_t)header[68] << 24 | (uint32_t)header[69] << 16 | (uint32_t)header[70] << 8 | header[71];
	return true;
}
