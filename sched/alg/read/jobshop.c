/* SPDX-License-Identifier: Apache-2.0
 *
 * Job-shop texts: numbers of jobs and machines, then a row a job with a pair of machine (from 0) and duration for each
 * of its operations; comments begin with #, and lines of words that stand before the first number ("instance ft06",
 * "+++") are comments as well.  Machines are unary resources; task = job * machines + operation.
 */
#include "sched/alg/read/internal.h"

/* To the first line that begins with a digit; nowhere when there is none. */
static void skip_head(words *w)
{
	words here = *w;

	while (words_next(&here) && !g_ascii_isdigit(*here.at))
		words_skip_line(&here);
	if (*here.at)
		*w = here;
}

bool looks_jobshop(const char *text)
{
	int counts[2];
	int64_t first[2];
	words w;

	words_init(&w, text, "", '#', NULL);
	skip_head(&w);
	words_shape(w.at, '#', counts, 2, first);
	return counts[0] == 2 && first[1] > 0 && first[1] < WORDS_MOST && counts[1] == 2 * first[1];
}

static bool read_all(words *w, alg_problem *problem)
{
	int64_t jobs, machines;

	skip_head(w);
	if (!words_integer(w, "a number of jobs", 1, WORDS_MOST, &jobs) ||
	    !words_integer(w, "a number of machines", 1, 10000, &machines))
		return false;
	for (int64_t m = 0; m < machines; m++)
		alg_problem_add_resource(problem, 1);
	for (int64_t j = 0; j < jobs; j++)
		for (int64_t i = 0; i < machines; i++) {
			int64_t machine, duration;
			uint32_t v;

			if (!words_integer(w, "a machine", 0, machines - 1, &machine) ||
			    !words_integer(w, "a duration", 0, WORDS_MOST, &duration))
				return false;
			v = alg_problem_add_task(problem, duration, 0);
			alg_problem_add_demand(problem, (uint32_t)machine, 1);
			if (i > 0)
				alg_problem_add_edge(problem, v - 1, v, 0, 0);
		}
	return words_end(w);
}

alg_problem *read_jobshop(const char *text, const char *file, const alg_read_options *options, GError **error)
{
	alg_problem *problem = alg_problem_new();
	words w;

	(void)options;
	words_init(&w, text, file, '#', error);
	if (read_all(&w, problem))
		return problem;
	alg_problem_free(problem);
	return NULL;
}
