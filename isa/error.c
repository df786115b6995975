/* SPDX-License-Identifier: Apache-2.0
 *
 * The error domain and "did you mean": plain Levenshtein distance over short words.
 */
#include "isa/error.h"

#include <stdint.h>
#include <string.h>

G_DEFINE_QUARK(tspsim - error - quark, tsp_error)

/* How many single-letter edits lead from A to B, capitals aside?  A word broken off early counts as one more edit than
 * its prefix. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t prefix = SIZE_MAX;
	size_t la = strlen(a);
	size_t lb = strlen(b);
	g_autofree size_t *row = g_new(size_t, lb + 1);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t substitute = diagonal + (g_ascii_tolower(a[i - 1]) != g_ascii_tolower(b[j - 1]));

			diagonal = row[j];
			row[j] = MIN(MIN(row[j] + 1, row[j - 1] + 1), substitute);
		}
	}
	for (size_t j = 1; j <= lb; j++)
		prefix = MIN(prefix, row[j] + 1);
	return MIN(row[lb], prefix);
}

const char *tsp_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	size_t limit = MAX(strlen(word) / 3, (size_t)2);
	size_t best_distance = limit + 1;

	for (; *candidates; candidates++) {
		size_t distance = edit_distance(word, *candidates);

		if (distance < best_distance) {
			best = *candidates;
			best_distance = distance;
		}
	}
	return best;
}
