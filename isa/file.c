/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing of whole files.  g_file_set_contents() would put a regular file in the place of a symbolic link
 * and, for those who may, of /dev/null.  Nothing is synchronised to disk: what survives a crash of the host is the file
 * system's choice.
 */
#include "isa/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What GLib says begins with the name in quotes outside ASCII, and ends with the reason. */
char *tsp_file_read(const char *path, size_t *length, GError **error)
{
	GError *cause = NULL;
	char *bytes = NULL;
	const char *reason;

	if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(EISDIR));
		return NULL;
	}
	if (g_file_get_contents(path, &bytes, length, &cause))
		return bytes;
	reason = strrchr(cause->message, ':');
	g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, reason ? reason + 2 : cause->message);
	g_error_free(cause);
	return NULL;
}

/* Writes all and closes FD; false with errno. */
static bool put_and_close(int fd, const char *bytes, size_t size)
{
	int failure = 0;

	while (size && !failure) {
		ssize_t written = write(fd, bytes, size);

		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			failure = errno;
		}
	}
	if (close(fd) != 0 && !failure)
		failure = errno;
	errno = failure;
	return !failure;
}

static bool write_through(const char *path, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && put_and_close(fd, bytes, size);
}

/* A file that is to be replaced keeps its permissions. */
static bool replace(const char *path, const struct stat *old, const char *bytes, size_t size)
{
	g_autofree char *beside = g_strconcat(path, ".XXXXXX", NULL);
	int fd = g_mkstemp_full(beside, O_WRONLY | O_CLOEXEC, 0666);
	int failure;

	if (fd < 0)
		return false;
	if ((!old || fchmod(fd, old->st_mode & 07777) == 0) && put_and_close(fd, bytes, size) &&
	    g_rename(beside, path) == 0)
		return true;
	failure = errno;
	g_unlink(beside);
	errno = failure;
	return false;
}

bool tsp_file_write(const char *path, const void *bytes, size_t size, GError **error)
{
	struct stat old;
	bool exists = stat(path, &old) == 0;
	char *target = exists ? realpath(path, NULL) : NULL;
	bool written;

	if (exists && !S_ISREG(old.st_mode))
		written = write_through(path, bytes, size);
	else
		written = replace(target ? target : path, exists ? &old : NULL, bytes, size);
	if (!written)
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(errno));
	free(target);
	return written;
}
