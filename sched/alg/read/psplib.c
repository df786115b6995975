/* SPDX-License-Identifier: Apache-2.0
 *
 * PSPLIB project files (Kolisch and Sprecher, 1997): a head of labelled numbers, then the blocks PRECEDENCE RELATIONS,
 * REQUESTS/DURATIONS (a row a mode, the task's number before the first), RESOURCEAVAILABILITIES.  A release date of the
 * project above 0 holds for all tasks; its due date and tardiness cost are not constraints and not read.  Resources
 * that are used up are not modelled.
 */
#include <string.h>

#include "sched/alg/read/internal.h"

typedef struct reader {
	words w;
	alg_problem *problem;
	int64_t jobs, resources, release;
	uint32_t *modes; /* per job */
	GArray *edges;   /* alg_edge: they are made after the tasks */
} reader;

bool looks_psplib(const char *text)
{
	return strstr(text, "PRECEDENCE RELATIONS") && strstr(text, "REQUESTS/DURATIONS");
}

/* The release date of the project; the block may be missing. */
static int64_t read_release(const reader *r)
{
	words w = r->w;
	g_autoptr(GError) ignored = NULL;
	int64_t none, release;

	w.error = &ignored;
	return words_seek(&w, "pronr.") && words_integer(&w, "", 1, 1, &none) &&
	                       words_integer(&w, "", 0, WORDS_MOST, &none) &&
	                       words_integer(&w, "", 0, WORDS_MOST, &release)
	               ? release
	               : 0;
}

static bool read_head(reader *r)
{
	static const char *const used_up[] = {"- nonrenewable", "- doubly constrained"};

	if (!words_label(&r->w, "jobs (incl", "a number of jobs", 1, WORDS_MOST, &r->jobs) ||
	    !words_label(&r->w, "- renewable", "a number of renewable resources", 0, 64, &r->resources))
		return false;
	for (unsigned kind = 0; kind < G_N_ELEMENTS(used_up); kind++) {
		int64_t count;

		if (!words_label(&r->w, used_up[kind], "a number of resources", 0, 64, &count))
			return false;
		if (count) {
			g_set_error(r->w.error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			            "%s:%u:%u: resources that are used up (%s) are not modelled", r->w.name, r->w.line,
			            r->w.column, used_up[kind] + 2);
			return false;
		}
	}
	r->release = read_release(r);
	return true;
}

static bool read_precedence(reader *r)
{
	if (!words_seek(&r->w, "PRECEDENCE RELATIONS"))
		return false;
	words_skip_line(&r->w);
	r->edges = g_array_new(FALSE, FALSE, sizeof(alg_edge));
	r->modes = g_new0(uint32_t, strlen(r->w.at) + 1);
	for (int64_t job = 1; job <= r->jobs; job++) {
		int64_t number, modes, successors, to;

		if (!words_integer(&r->w, "the number of this job", job, job, &number) ||
		    !words_integer(&r->w, "a number of modes", 1, 1000, &modes) ||
		    !words_integer(&r->w, "a number of successors", 0, r->jobs, &successors))
			return false;
		r->modes[job - 1] = (uint32_t)modes;
		for (; successors > 0; successors--) {
			alg_edge edge = {(uint32_t)(job - 1), 0, 0, 0, ALG_FROM_END};

			if (!words_integer(&r->w, "a successor", 1, r->jobs, &to))
				return false;
			edge.to = (uint32_t)(to - 1);
			g_array_append_val(r->edges, edge);
		}
	}
	return true;
}

static bool read_mode(reader *r, uint32_t m)
{
	int64_t number, duration, amount;

	if (!words_integer(&r->w, "the number of this mode", m + 1, m + 1, &number) ||
	    !words_integer(&r->w, "a duration", 0, WORDS_MOST, &duration))
		return false;
	if (m == 0) {
		alg_problem_add_task(r->problem, duration, 0);
		if (r->release)
			alg_problem_set_window(r->problem, r->release, ALG_NO_DEADLINE);
	} else {
		alg_problem_add_mode(r->problem, duration, 0);
	}
	for (uint32_t k = 0; k < r->resources; k++) {
		if (!words_integer(&r->w, "a demand", 0, WORDS_MOST, &amount))
			return false;
		if (amount)
			alg_problem_add_demand(r->problem, k, (uint32_t)amount);
	}
	return true;
}

static bool read_requests(reader *r)
{
	int64_t number;

	if (!words_seek(&r->w, "REQUESTS/DURATIONS"))
		return false;
	words_skip_line(&r->w);
	if (words_next(&r->w) && *r->w.at == '-' && r->w.at[1] == '-')
		words_skip_line(&r->w);
	for (int64_t job = 1; job <= r->jobs; job++) {
		if (!words_integer(&r->w, "the number of this job", job, job, &number))
			return false;
		for (uint32_t m = 0; m < r->modes[job - 1]; m++)
			if (!read_mode(r, m))
				return false;
	}
	return true;
}

static bool read_capacities(reader *r)
{
	if (!words_seek(&r->w, "RESOURCEAVAILABILITIES"))
		return false;
	words_skip_line(&r->w);
	for (uint32_t k = 0; k < r->resources; k++) {
		int64_t capacity;

		if (!words_integer(&r->w, "a capacity", 0, WORDS_MOST, &capacity))
			return false;
		g_array_index(r->problem->resources, alg_resource, k).capacity = (uint32_t)capacity;
	}
	return true;
}

alg_problem *read_psplib(const char *text, const char *file, const alg_read_options *options, GError **error)
{
	reader r = {.problem = alg_problem_new()};
	bool ok;

	(void)options;
	words_init(&r.w, text, file, '\0', error);
	ok = read_head(&r);
	for (int64_t k = 0; ok && k < r.resources; k++)
		alg_problem_add_resource(r.problem, 0);
	ok = ok && read_precedence(&r) && read_requests(&r) && read_capacities(&r);
	for (guint e = 0; ok && e < r.edges->len; e++) {
		const alg_edge *edge = &g_array_index(r.edges, alg_edge, e);

		alg_problem_add_edge(r.problem, edge->from, edge->to, 0, 0);
	}
	if (r.edges)
		g_array_free(r.edges, TRUE);
	g_free(r.modes);
	if (ok)
		return r.problem;
	alg_problem_free(r.problem);
	return NULL;
}
