/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling problems: what a reader accepts is bounded, solved by every engine when it is small, and
 * judged.  The first byte chooses the format (beyond the table: recognised) and the processors.
 */
#include "sched/alg/read/read.h"
#include "sched/alg/solve.h"

#include "tests/fuzz/fuzz.h"

enum { SMALL_TASKS = 40, SMALL_SCHEDULES = 40, SMALL_CONFLICTS = 100 };

static void solve(const alg_problem *problem, const char *method)
{
	alg_solve_options options;
	alg_solve_result result;
	GError *error = NULL;

	alg_solve_options_init(&options);
	options.method = method;
	options.schedules = SMALL_SCHEDULES;
	options.conflicts = SMALL_CONFLICTS;
	if (fuzz_judge(alg_solve(problem, &options, &result, &error), &error)) {
		bool has = result.status == ALG_FEASIBLE || result.status == ALG_OPTIMAL;

		FUZZ_EXPECT(has == result.valid);
		FUZZ_EXPECT(!has || result.schedule.makespan_cycles >= result.lower_bound_cycles);
		FUZZ_EXPECT((result.status == ALG_INFEASIBLE) == (result.explanation != NULL));
	}
	alg_solve_result_fini(&result);
}

void fuzz_solve(const uint8_t *data, size_t size)
{
	unsigned choice = size ? data[0] : 0, formats = 0;
	g_autofree char *text = size ? g_strndup((const char *)data + 1, size - 1) : g_strdup("");
	alg_read_options options = {.processors = choice / 16 % 8};
	const char *format = NULL;
	GError *error = NULL;
	alg_problem *problem;

	while (alg_read_formats[formats].name)
		formats++;
	if (choice % 8 < formats)
		options.format = alg_read_formats[choice % 8].name;
	problem = alg_read_text(text, "x", &options, &format, &error);
	if (!fuzz_judge(problem != NULL, &error))
		return;
	FUZZ_EXPECT(format && problem->tasks->len);
	if (problem->tasks->len <= SMALL_TASKS && problem->edges->len <= 10 * SMALL_TASKS) {
		solve(problem, "list");
		solve(problem, "anneal");
		solve(problem, "exact");
	}
	alg_problem_free(problem);
}
