/* SPDX-License-Identifier: Apache-2.0
 *
 * ProGen/max project files (Schwindt, 1998): activities 0 to n + 1, each with successors and start-to-start lags of any
 * sign in brackets; then a row an activity with its duration and demands; then the capacities.
 */
#include <string.h>

#include "sched/alg/read/internal.h"

bool looks_progenmax(const char *text)
{
	int counts[1];
	int64_t first[2];

	words_shape(text, '\0', counts, 1, first);
	return counts[0] == 4 && strchr(text, '[');
}

/* Successors of activity V, then as many lags. */
static bool read_successors(words *w, alg_problem *problem, int64_t v, int64_t last)
{
	int64_t number, modes, count;
	guint first = problem->edges->len;

	if (!words_integer(w, "the number of this activity", v, v, &number) ||
	    !words_integer(w, "a number of modes, which is", 1, 1, &modes) ||
	    !words_integer(w, "a number of successors", 0, last + 1, &count))
		return false;
	for (int64_t i = 0; i < count; i++) {
		int64_t to;

		if (!words_integer(w, "a successor", 0, last, &to))
			return false;
		alg_problem_add_lag(problem, (uint32_t)v, (uint32_t)to, 0);
	}
	for (guint e = first; e < problem->edges->len; e++)
		if (!words_bracketed(w, "a lag", -WORDS_MOST, WORDS_MOST,
		                     &g_array_index(problem->edges, alg_edge, e).lag_cycles))
			return false;
	return true;
}

static bool read_activity(words *w, alg_problem *problem, int64_t v)
{
	int64_t number, mode, duration, amount;

	if (!words_integer(w, "the number of this activity", v, v, &number) ||
	    !words_integer(w, "the number of its mode, which is", 1, 1, &mode) ||
	    !words_integer(w, "a duration", 0, WORDS_MOST, &duration))
		return false;
	alg_problem_add_task(problem, duration, 0);
	for (uint32_t k = 0; k < problem->resources->len; k++) {
		if (!words_integer(w, "a demand", 0, WORDS_MOST, &amount))
			return false;
		if (amount)
			alg_problem_add_demand(problem, k, (uint32_t)amount);
	}
	return true;
}

static bool read_all(words *w, alg_problem *problem)
{
	int64_t last, resources, none;

	if (!words_integer(w, "a number of activities", 0, WORDS_MOST, &last) ||
	    !words_integer(w, "a number of renewable resources", 0, 64, &resources) ||
	    !words_integer(w, "a number of nonrenewable resources, which are not modelled:", 0, 0, &none) ||
	    !words_integer(w, "a number of doubly constrained resources, which are not modelled:", 0, 0, &none))
		return false;
	last++;
	for (int64_t k = 0; k < resources; k++)
		alg_problem_add_resource(problem, 0);
	for (int64_t v = 0; v <= last; v++)
		if (!read_successors(w, problem, v, last))
			return false;
	for (int64_t v = 0; v <= last; v++)
		if (!read_activity(w, problem, v))
			return false;
	for (int64_t k = 0; k < resources; k++) {
		int64_t capacity;

		if (!words_integer(w, "a capacity", 0, WORDS_MOST, &capacity))
			return false;
		g_array_index(problem->resources, alg_resource, k).capacity = (uint32_t)capacity;
	}
	return words_end(w);
}

alg_problem *read_progenmax(const char *text, const char *file, const alg_read_options *options, GError **error)
{
	alg_problem *problem = alg_problem_new();
	words w;

	(void)options;
	words_init(&w, text, file, '\0', error);
	if (read_all(&w, problem))
		return problem;
	alg_problem_free(problem);
	return NULL;
}
