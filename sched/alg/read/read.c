/* SPDX-License-Identifier: Apache-2.0
 *
 * From a file to a problem: which format, then its reader.
 */
#include "sched/alg/read/read.h"

#include <string.h>

#include "isa/file.h"
#include "sched/alg/read/internal.h"

const alg_read_format alg_read_formats[] = {
#define FORMAT(name, suffix, doc) {#name, suffix, doc},
#include "sched/alg/read/formats.def"
	{NULL, NULL, NULL},
};

static const struct {
	bool (*looks)(const char *text);
	alg_problem *(*read)(const char *text, const char *file, const alg_read_options *options, GError **error);
} readers[] = {
#define FORMAT(name, suffix, doc) {looks_##name, read_##name},
#include "sched/alg/read/formats.def"
};

static int by_name(const char *format, GError **error)
{
	const char *names[G_N_ELEMENTS(readers) + 1] = {NULL};
	const char *near;

	for (unsigned i = 0; i < G_N_ELEMENTS(readers); i++) {
		names[i] = alg_read_formats[i].name;
		if (strcmp(format, names[i]) == 0)
			return (int)i;
	}
	near = tsp_nearest(format, names);
	if (near) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown format '%s'; did you mean '%s'?", format, near);
	} else {
		g_autofree char *all = g_strjoinv(", ", (char **)names);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown format '%s'; expected one of: %s", format, all);
	}
	return -1;
}

static int recognise(const char *text, const char *name, GError **error)
{
	g_autofree char *lower = g_ascii_strdown(name, -1);
	g_autoptr(GString) known = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(readers); i++) {
		if (g_str_has_suffix(lower, alg_read_formats[i].suffix))
			return (int)i;
		g_string_append_printf(known, "%s%s (%s)", i ? ", " : "", alg_read_formats[i].name,
		                       alg_read_formats[i].suffix);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(readers); i++)
		if (readers[i].looks(text))
			return (int)i;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:1:1: expected one of the formats %s", name, known->str);
	return -1;
}

alg_problem *alg_read_text(const char *text, const char *name, const alg_read_options *options, const char **format,
                           GError **error)
{
	int which = options->format ? by_name(options->format, error) : recognise(text, name, error);

	if (which < 0)
		return NULL;
	if (format)
		*format = alg_read_formats[which].name;
	return readers[which].read(text, name, options, error);
}

alg_problem *alg_read_file(const char *path, const alg_read_options *options, const char **format, GError **error)
{
	gsize length;
	g_autofree char *text = tsp_file_read(path, &length, error);

	if (!text)
		return NULL;
	if (strlen(text) != length) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected a text, found a zero byte at offset %zu",
		            path, strlen(text));
		return NULL;
	}
	return alg_read_text(text, path, options, format, error);
}
