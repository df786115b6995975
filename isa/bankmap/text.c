/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in the text of a map besides numbers: lists of words, inline or in a file.  Comments run from '#' to the
 * end of the line.  Files are read when the map is made, never again.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

#include "isa/file.h"

enum { FILE_BYTES_MAX = 1 << 20 };

char *bankmap_file(const char *path, GError **error)
{
	gsize length = 0;
	char *content;

	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "bank map file %s: expected a regular file", path);
		return NULL;
	}
	content = tsp_file_read(path, &length, error);
	if (!content) {
		g_prefix_error(error, "bank map file ");
		return NULL;
	}
	if (length > FILE_BYTES_MAX || strlen(content) != length) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank map file '%s' is no text of at most %d bytes", path,
		            FILE_BYTES_MAX);
		g_free(content);
		return NULL;
	}
	for (char *at = strchr(content, '#'); at; at = strchr(at, '#'))
		while (*at && *at != '\n')
			*at++ = ' ';
	return content;
}

char **bankmap_words(const char *argument, GError **error)
{
	g_autofree char *content = NULL;
	GPtrArray *words;

	if (!g_ascii_isdigit(*argument)) {
		content = bankmap_file(argument, error);
		if (!content)
			return NULL;
		argument = content;
	}
	words = g_ptr_array_new_with_free_func(g_free);
	while (*argument) {
		size_t length = strcspn(argument, ", \t\r\n");

		if (length)
			g_ptr_array_add(words, g_strndup(argument, length));
		argument += length + (argument[length] != '\0');
	}
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

bool bankmap_number(const char *word, uint64_t *value)
{
	char *end;

	if (!g_ascii_isdigit(*word))
		return false;
	*value = g_ascii_strtoull(word, &end, word[0] == '0' && (word[1] | 32) == 'x' ? 16 : 10);
	return *end == '\0';
}
