/* SPDX-License-Identifier: Apache-2.0
 *
 * What a word of the command line is that was given for a workload and is a file of another sort.  Only what a file
 * begins with is looked at.
 */
#include "tools/setup.h"

#include <stdio.h>
#include <string.h>

#include "traces/sweep.h"
#include "traces/trace.h"

enum { HEAD_BYTES = 100, ID_OFFSET = 68 };

typedef struct head {
	char bytes[HEAD_BYTES + 1];
	size_t size;
} head;

static bool read_head(head *h, const char *path)
{
	FILE *file = fopen(path, "rb");

	*h = (head){.size = 0};
	if (!file)
		return false;
	h->size = fread(h->bytes, 1, HEAD_BYTES, file);
	fclose(file);
	return true;
}

static bool is_database(const head *h)
{
	return h->size == HEAD_BYTES && strcmp(h->bytes, "SQLite format 3") == 0;
}

/* The application_id of a database. */
static uint32_t id_of(const head *h)
{
	const unsigned char *id = (const unsigned char *)h->bytes + ID_OFFSET;

	return (uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
}

/* What PATH is and what is done with that; g_free. */
static char *describe(const char *path)
{
	head h;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return g_strdup("is a directory");
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return g_strdup("is neither a file nor a directory");
	if (!read_head(&h, path))
		return g_strdup("cannot be read");
	if (!h.size)
		return g_strdup("is an empty file");
	if (is_database(&h))
		return id_of(&h) == TRACE_APPLICATION_ID
		               ? g_strdup_printf("is a trace, which `tspsim stat %s` shows", path)
		       : id_of(&h) == TRACE_SWEEP_APPLICATION_ID ? g_strdup("holds the results of a sweep")
		                                                 : g_strdup("is an SQLite database");
	if (setup_is_container(path))
		return g_strdup_printf("is a program already, which `tspsim run %s` simulates", path);
	if (g_str_has_suffix(path, ".yaml") || g_str_has_suffix(path, ".yml"))
		return g_strdup_printf("is a YAML file: a machine goes behind -m, a sweep is run by `tspsim sweep %s`",
		                       path);
	if (strstr(h.bytes, ".machine ") || strstr(h.bytes, ".stream "))
		return g_strdup("looks like assembly text, whose name must end in .tsp");
	return g_strdup("is a file, and its name says of no workload");
}

bool setup_check_workload(const char *word, GError **error)
{
	size_t length = strcspn(word, ":");
	g_autofree char *what = NULL;

	for (size_t i = 0; i < frontend_generator_count; i++)
		if (strlen(frontend_generators[i].name) == length &&
		    strncmp(frontend_generators[i].name, word, length) == 0)
			return true;
	if (!g_file_test(word, G_FILE_TEST_EXISTS) ||
	    (frontend_is_file(word) && !g_file_test(word, G_FILE_TEST_IS_DIR)))
		return true;
	what = describe(word);
	g_set_error(
		error, TSP_ERROR, TSP_ERROR_USER,
		"%s %s; expected a workload (`tspsim list workloads`), a program (.tspo or .tsp), or a file ending in "
		".csv or .graph",
		word, what);
	return false;
}
