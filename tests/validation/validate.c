/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the fixed programs of runs.def and prints the tables of docs/validation-ascend.md.
 *
 * validate [quick] [speed] [stalls] [KEY=VALUE...] [ID...]: all runs, the small ones, or those named; with speed,
 * seconds of the host and instructions of each run, too; with stalls, the cycles that pipes stood still, by cause; with
 * settings of the machine besides the run's own.
 */
#include "tests/validation/valid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum run {
#define RUN(id, quick, machine, settings, program, title) id,
#define FIGURE(id, name, metric, published, role)
#define RATIO(metric, of, to, published, role, name)
#include "tests/validation/runs.def"
	RUNS
};
#undef RUN
#undef FIGURE
#undef RATIO

#define RUN(id, quick, machine, settings, program, title)                                                              \
	static asc_program *program_##id(void)                                                                         \
	{                                                                                                              \
		return program;                                                                                        \
	}
#define FIGURE(id, name, metric, published, role)
#define RATIO(metric, of, to, published, role, name)
#include "tests/validation/runs.def"
#undef RUN
#undef FIGURE
#undef RATIO

enum role { CALIBRATION, INFORMED, VALIDATION, REPORT };
static const char *const role_names[] = {"calibration", "informed", "validation", "report"};

static const struct {
	const char *id, *machine, *settings, *title;
	bool quick;
	asc_program *(*program)(void);
} runs[] = {
#define RUN(id, quick, machine, settings, program, title) {#id, machine, settings, title, quick, program_##id},
#define FIGURE(id, name, metric, published, role)
#define RATIO(metric, of, to, published, role, name)
#include "tests/validation/runs.def"
};
#undef RUN
#undef FIGURE
#undef RATIO

static const struct {
	enum run run;
	const char *name;
	enum valid_metric metric;
	double published;
	enum role role;
} figures[] = {
#define RUN(id, quick, machine, settings, program, title)
#define FIGURE(id, name, metric, published, role) {id, name, VALID_##metric, published, role},
#define RATIO(metric, of, to, published, role, name)
#include "tests/validation/runs.def"
};
#undef FIGURE
#undef RATIO

static const struct {
	enum valid_metric metric;
	enum run of, to;
	double published;
	enum role role;
	const char *name;
} ratios[] = {
#define FIGURE(id, name, metric, published, role)
#define RATIO(metric, of, to, published, role, name) {VALID_##metric, of, to, published, role, name},
#include "tests/validation/runs.def"
};

/* Aims: 15 % of a time, 20 % of a ratio and on the same side of 1; of hits, two percent of all requests. */
static const char *verdict_time(double found, double published, bool hits)
{
	double most = hits ? 2 : 0.15 * published;

	return fabs(found - published) <= most ? "yes" : "no";
}

static const char *verdict_ratio(double found, double published)
{
	bool side = (found < 1) == (published < 1);

	return fabs(found - published) > 0.20 * published ? "no" : side ? "yes" : "no, order";
}

static void print_figures(const bool *wanted, const valid_result *results)
{
	printf("| run | figure | published | role | simulated | error | within |\n"
	       "| --- | --- | ---: | --- | ---: | ---: | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		double found = results[figures[i].run].metric[figures[i].metric], published = figures[i].published;
		bool hits = figures[i].metric == VALID_HITS;
		char error[32];

		if (!wanted[figures[i].run])
			continue;
		snprintf(error, sizeof(error), hits ? "%+.1f" : "%+.1f %%",
		         hits ? found - published : 100 * (found - published) / published);
		printf("| %s | %s | %.*f | %s | %.2f | %s | %s |\n", runs[figures[i].run].title, figures[i].name,
		       published < 10 ? 3 : 2, published, role_names[figures[i].role], found, error,
		       verdict_time(found, published, hits));
	}
}

static void print_ratios(const bool *wanted, const valid_result *results)
{
	printf("\n| step | published | role | simulated | error | within |\n| --- | ---: | --- | ---: | ---: | --- "
	       "|\n");
	for (size_t i = 0; i < G_N_ELEMENTS(ratios); i++) {
		double found =
			results[ratios[i].of].metric[ratios[i].metric] / results[ratios[i].to].metric[ratios[i].metric];

		if (wanted[ratios[i].of] && wanted[ratios[i].to])
			printf("| %s | %.3f | %s | %.3f | %+.1f %% | %s |\n", ratios[i].name, ratios[i].published,
			       role_names[ratios[i].role], found,
			       100 * (found - ratios[i].published) / ratios[i].published,
			       verdict_ratio(found, ratios[i].published));
	}
}

/* What the models found wrong with the programs. */
static void print_findings(const bool *wanted, const valid_result *results)
{
	printf("\n| run | findings |\n| --- | --- |\n");
	for (unsigned i = 0; i < RUNS; i++)
		for (unsigned kind = 0; wanted[i] && kind < ASC_FINDINGS; kind++)
			if (results[i].by_kind[kind])
				printf("| %s | %" G_GUINT64_FORMAT " %s |\n", runs[i].title, results[i].by_kind[kind],
				       asc_violation_name(kind));
}

/* Mean cycles of a sub-core, by pipe and cause. */
static void print_stalls(const valid_result *r)
{
	for (unsigned pipe = 0; pipe < ASC_PIPES; pipe++)
		for (unsigned why = 0; why < ASC_STALLS; why++)
			if (r->stall[pipe][why] > 0)
				printf("%s %s %.0f\n", asc_pipe_name((enum asc_pipe)pipe),
				       asc_stall_name((enum asc_stall)why), r->stall[pipe][why]);
}

int main(int argc, char **argv)
{
	static valid_result results[RUNS];
	bool wanted[RUNS], quick = false, speed = false, stalls = false, named = false;
	g_autoptr(GString) more = g_string_new(NULL);

	memset(wanted, 0, sizeof(wanted));
	for (int i = 1; i < argc; i++) {
		bool word = true;

		if (strcmp(argv[i], "quick") == 0)
			quick = true;
		else if (strcmp(argv[i], "speed") == 0)
			speed = true;
		else if (strcmp(argv[i], "stalls") == 0)
			stalls = true;
		else if (strchr(argv[i], '='))
			g_string_append_printf(more, " %s", argv[i]);
		else
			word = false;
		named |= !word;
		for (unsigned r = 0; r < RUNS; r++)
			wanted[r] |= strcmp(argv[i], runs[r].id) == 0;
	}
	for (unsigned r = 0; r < RUNS; r++) {
		clock_t begin = clock();
		g_autofree char *settings = NULL;

		if (!named)
			wanted[r] = !quick || runs[r].quick;
		if (!wanted[r])
			continue;
		settings = g_strdup_printf("%s%s", runs[r].settings ? runs[r].settings : "", more->str);
		results[r] = valid_run(runs[r].machine, settings, runs[r].program());
		if (speed)
			printf("%s: %.1f s, %" G_GUINT64_FORMAT " instructions\n", runs[r].id,
			       (double)(clock() - begin) / CLOCKS_PER_SEC, results[r].instructions);
		if (stalls)
			print_stalls(&results[r]);
	}
	print_figures(wanted, results);
	print_ratios(wanted, results);
	print_findings(wanted, results);
	return 0;
}
