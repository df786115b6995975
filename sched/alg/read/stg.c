/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard Task Graph files (Kasahara laboratory): the number of tasks without the two dummies, then for each task its
 * number, time, number of predecessors, and predecessors; comments begin with #.  Identical processors without
 * communication are one resource with as many units, of which every task that takes time holds one.
 */
#include "sched/alg/read/internal.h"

bool looks_stg(const char *text)
{
	int counts[1];
	int64_t first[2];

	words_shape(text, '#', counts, 1, first);
	return counts[0] == 1;
}

static bool read_all(words *w, alg_problem *problem)
{
	int64_t tasks;

	if (!words_integer(w, "a number of tasks", 0, WORDS_MOST, &tasks))
		return false;
	for (int64_t v = 0; v < tasks + 2; v++) {
		int64_t number, duration, predecessors, from;

		if (!words_integer(w, "the number of this task", v, v, &number) ||
		    !words_integer(w, "a time", 0, WORDS_MOST, &duration) ||
		    !words_integer(w, "a number of predecessors", 0, tasks + 2, &predecessors))
			return false;
		alg_problem_add_task(problem, duration, 0);
		if (duration)
			alg_problem_add_demand(problem, 0, 1);
		for (; predecessors > 0; predecessors--) {
			if (!words_integer(w, "a predecessor", 0, tasks + 1, &from))
				return false;
			alg_problem_add_edge(problem, (uint32_t)from, (uint32_t)v, 0, 0);
		}
	}
	return words_end(w);
}

alg_problem *read_stg(const char *text, const char *file, const alg_read_options *options, GError **error)
{
	alg_problem *problem = alg_problem_new();
	words w;

	alg_problem_add_resource(problem, MAX(options->processors, 1));
	words_init(&w, text, file, '#', error);
	if (read_all(&w, problem))
		return problem;
	alg_problem_free(problem);
	return NULL;
}
