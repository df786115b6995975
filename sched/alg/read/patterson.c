/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterson project files: numbers of activities and resources, the capacities, then for each activity its duration,
 * demands, number of successors, and successors (from 1, dummies included).
 */
#include "sched/alg/read/internal.h"

bool looks_patterson(const char *text)
{
	int counts[3];
	int64_t first[2];

	words_shape(text, '\0', counts, 3, first);
	return counts[0] == 2 && (counts[1] == first[1] || first[1] == 0);
}

static bool read_activity(words *w, alg_problem *problem, int64_t v, int64_t activities)
{
	int64_t duration, amount, successors, to;

	if (!words_integer(w, "a duration", 0, WORDS_MOST, &duration))
		return false;
	alg_problem_add_task(problem, duration, 0);
	for (uint32_t k = 0; k < problem->resources->len; k++) {
		if (!words_integer(w, "a demand", 0, WORDS_MOST, &amount))
			return false;
		if (amount)
			alg_problem_add_demand(problem, k, (uint32_t)amount);
	}
	if (!words_integer(w, "a number of successors", 0, activities, &successors))
		return false;
	for (; successors > 0; successors--) {
		if (!words_integer(w, "a successor", 1, activities, &to))
			return false;
		alg_problem_add_edge(problem, (uint32_t)v, (uint32_t)(to - 1), 0, 0);
	}
	return true;
}

static bool read_all(words *w, alg_problem *problem)
{
	int64_t activities, resources, capacity;

	if (!words_integer(w, "a number of activities", 1, WORDS_MOST, &activities) ||
	    !words_integer(w, "a number of resources", 0, 64, &resources))
		return false;
	for (int64_t k = 0; k < resources; k++) {
		if (!words_integer(w, "a capacity", 0, WORDS_MOST, &capacity))
			return false;
		alg_problem_add_resource(problem, (uint32_t)capacity);
	}
	for (int64_t v = 0; v < activities; v++)
		if (!read_activity(w, problem, v, activities))
			return false;
	return words_end(w);
}

alg_problem *read_patterson(const char *text, const char *file, const alg_read_options *options, GError **error)
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
