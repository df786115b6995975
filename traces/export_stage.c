/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of files that appears whole: it is filled beside its place and moved there at the end, so that a failure or
 * an interrupt leaves what was there.  Where the folder exists its other files stay, as those of a file system do.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/export_int.h"

static bool failed(const char *path, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(errno));
	return false;
}

char *trace_i_stage_begin(const char *path, GError **error)
{
	g_autofree char *plain = g_strdup(path), *above = NULL, *stage = NULL;

	for (size_t n = strlen(plain); n > 1 && plain[n - 1] == G_DIR_SEPARATOR; n--)
		plain[n - 1] = '\0';
	if (g_file_test(plain, G_FILE_TEST_EXISTS) && !g_file_test(plain, G_FILE_TEST_IS_DIR)) {
		errno = ENOTDIR;
		failed(path, error);
		return NULL;
	}
	above = g_path_get_dirname(plain);
	stage = g_strconcat(plain, ".XXXXXX", NULL);
	if (g_mkdir_with_parents(above, 0777) == 0 && g_mkdtemp_full(stage, 0777))
		return g_steal_pointer(&stage);
	failed(path, error);
	return NULL;
}

/* Takes away the folder PATH and what is in it. */
static void remove_all(const char *path)
{
	GDir *folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *inside = g_build_filename(path, name, NULL);

		if (g_file_test(inside, G_FILE_TEST_IS_DIR))
			remove_all(inside);
		else
			g_unlink(inside);
	}
	if (folder)
		g_dir_close(folder);
	g_rmdir(path);
}

/* The files below FROM to their places below TO, whose folders are made where they are not there. */
static bool move_all(const char *from, const char *to, GError **error)
{
	GDir *folder = g_dir_open(from, 0, error);
	const char *name;
	bool fine = folder != NULL;

	if (fine && g_mkdir_with_parents(to, 0777) != 0)
		fine = failed(to, error);
	while (fine && (name = g_dir_read_name(folder))) {
		g_autofree char *old = g_build_filename(from, name, NULL), *new = g_build_filename(to, name, NULL);

		if (g_file_test(old, G_FILE_TEST_IS_DIR))
			fine = move_all(old, new, error);
		else if (g_rename(old, new) != 0)
			fine = failed(new, error);
	}
	if (folder)
		g_dir_close(folder);
	return fine;
}

/* An error about a file in the stage is one about the place that it was for. */
static void name_the_place(const char *stage, const char *path, GError **error)
{
	g_autofree char *text = NULL;

	if (!error || !*error || !g_str_has_prefix((*error)->message, stage))
		return;
	text = g_strconcat(path, (*error)->message + strlen(stage), NULL);
	g_free((*error)->message);
	(*error)->message = g_steal_pointer(&text);
}

bool trace_i_stage_end(char *stage, const char *path, bool keep, GError **error)
{
	/* A new folder in one step. */
	bool fine = !keep || (!g_file_test(path, G_FILE_TEST_EXISTS) && g_rename(stage, path) == 0) ||
	            move_all(stage, path, error);

	remove_all(stage);
	name_the_place(stage, path, error);
	g_free(stage);
	return keep && fine;
}
