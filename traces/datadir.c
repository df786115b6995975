/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the files that come with the program are.
 */
#include "isa/error.h"
#include "traces/read.h"

char *trace_data_file(const char *relative, GError **error)
{
	const char *own = g_getenv("TSPSIM_DATADIR");
	const char *const folders[] = {own && *own ? own : TSPSIM_PKGDATADIR, TSPSIM_PKGDATADIR, TSPSIM_SRCDIR};

	for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
		char *path = g_build_filename(folders[i], relative, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return path;
		g_free(path);
	}
	g_set_error(error, TSP_ERROR, TSP_ERROR_IO,
	            "%s: not found in %s; set TSPSIM_DATADIR to where tspsim's files are", relative, folders[0]);
	return NULL;
}
