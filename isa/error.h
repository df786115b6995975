/* SPDX-License-Identifier: Apache-2.0
 *
 * One error domain for the whole program.  Whoever returns an error does not print it; only tools print.
 * Text of a user error begins with "file:line:column: " when a file is at fault, says what was expected,
 * and names the nearest valid word where one exists (tsp_nearest()).
 */
#ifndef TSPSIM_ISA_ERROR_H
#define TSPSIM_ISA_ERROR_H

#include <glib.h>
#include <stdint.h>

#define TSP_ERROR (tsp_error_quark())

/* Kinds of failure; the exit status of the tools follows from them. */
enum tsp_error_code {
	TSP_ERROR_USER,        /* bad input, unknown name, illegal combination: exit 1 */
	TSP_ERROR_IO,          /* a file could not be read or written: exit 1 */
	TSP_ERROR_UNSUPPORTED, /* legal, but not modelled; the text says what is missing: exit 1 */
	TSP_ERROR_INTERNAL,    /* a defect of tspsim: exit 3 */
};

GQuark tsp_error_quark(void);

/* The candidate closest to WORD by edit distance (to it, or one more to a beginning of it; capitals are no edits), or
 * NULL when nothing is near (distance above a third of the length, at least 2).  CANDIDATES is NULL-terminated; the
 * result points into it.
 */
const char *tsp_nearest(const char *word, const char *const *candidates);

/* Counts with nouns: "%u word%s", n, tsp_s(n); where that is not how the plural is made, "%u %s", n, tsp_noun(n,
 * "entry", "entries"). */
static inline const char *tsp_noun(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}
static inline const char *tsp_s(uint64_t count)
{
	return tsp_noun(count, "", "s");
}

#endif
