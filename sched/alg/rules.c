/* SPDX-License-Identifier: Apache-2.0
 *
 * The priority rules.
 */
#include "sched/alg/rules.h"

#include <stdlib.h>
#include <string.h>

enum { CLOSURE_TASKS = 20000 };

static void rule_lftd(const alg_rule_view *w, double *value)
{
	double mean_duration = 0;

	for (uint32_t v = 0; v < w->flat->tasks; v++)
		mean_duration += (double)w->flat->duration[v] / w->flat->tasks;
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = (double)(w->flat->duration[v] - w->tail[v]) -
		           (w->mean_share > 0 ? 0.4 * mean_duration * w->share[v] / w->mean_share : 0.0);
}

static void rule_lst(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = -(double)w->tail[v];
}

static void rule_lft(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = (double)(w->flat->duration[v] - w->tail[v]);
}

static void rule_slack(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = -(double)(w->head[v] + w->tail[v]);
}

static void rule_s2(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = -(w->weights->alpha * (double)w->tail[v] +
		             (w->mean_share > 0 ? w->weights->beta * w->share[v] / w->mean_share : 0.0) +
		             w->weights->gamma * (double)(w->flat->out_first[v + 1] - w->flat->out_first[v]));
}

/* Sets of successors as bits, from the last task to the first. */
static void rule_mts(const alg_rule_view *w, double *value)
{
	const alg_flat *f = w->flat;
	uint32_t words = (f->tasks + 63) / 64;
	g_autofree uint64_t *after = NULL;

	for (uint32_t v = 0; v < f->tasks; v++)
		value[v] = -(double)(f->out_first[v + 1] - f->out_first[v]);
	if (f->tasks > CLOSURE_TASKS)
		return;
	after = g_new0(uint64_t, (size_t)f->tasks * words + 1);
	for (uint32_t n = f->tasks; n-- > 0;) {
		uint32_t v = f->order[n];
		uint64_t *mine = after + (size_t)v * words;
		int count = 0;

		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++) {
			const uint64_t *theirs = after + (size_t)f->out[i].task * words;

			mine[f->out[i].task / 64] |= UINT64_C(1) << (f->out[i].task % 64);
			for (uint32_t k = 0; k < words; k++)
				mine[k] |= theirs[k];
		}
		for (uint32_t k = 0; k < words; k++)
			count += __builtin_popcountll(mine[k]);
		value[v] = -count;
	}
}

static void rule_grpw(const alg_rule_view *w, double *value)
{
	const alg_flat *f = w->flat;

	for (uint32_t v = 0; v < f->tasks; v++) {
		value[v] = -(double)f->duration[v];
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			value[v] -= (double)f->duration[f->out[i].task];
	}
}

static void rule_work(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = -(double)w->flat->duration[v] * w->share[v];
}

static void rule_lpt(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = -(double)w->flat->duration[v];
}

static void rule_spt(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = (double)w->flat->duration[v];
}

static void rule_fifo(const alg_rule_view *w, double *value)
{
	for (uint32_t v = 0; v < w->flat->tasks; v++)
		value[v] = v;
}

const alg_rule alg_rules[] = {
#define RULE(name, doc) {#name, rule_##name, doc},
#include "sched/alg/rules.def"
	{NULL, NULL, NULL},
};

const alg_rule *alg_rule_find(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(alg_rules)] = {NULL};
	g_autofree char *all = NULL;
	const char *near;

	for (unsigned i = 0; alg_rules[i].name; i++) {
		names[i] = alg_rules[i].name;
		if (strcmp(names[i], name) == 0)
			return &alg_rules[i];
	}
	all = g_strjoinv(", ", (char **)names);
	near = tsp_nearest(name, names);
	if (near)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown rule '%s'; did you mean '%s'?", name, near);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown rule '%s'; expected one of: %s", name, all);
	return NULL;
}

void alg_rule_view_init(alg_rule_view *view, const alg_flat *flat, const alg_weights *weights)
{
	*view = (alg_rule_view){
		flat, weights, alg_flat_heads(flat), alg_flat_tails(flat), g_new0(double, flat->tasks + 1), 0};
	for (uint32_t v = 0; v < flat->tasks; v++) {
		for (uint32_t d = flat->demand_first[v]; d < flat->demand_first[v + 1]; d++)
			view->share[v] += (double)flat->demand[d].amount / flat->capacity[flat->demand[d].resource];
		view->mean_share += view->share[v] / flat->tasks;
	}
}

void alg_rule_view_fini(alg_rule_view *view)
{
	g_free(view->head);
	g_free(view->tail);
	g_free(view->share);
}

typedef struct ranked {
	double value;
	int64_t tail;
	uint32_t task;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
	const ranked *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	if (x->tail != y->tail)
		return x->tail > y->tail ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

void alg_rule_ranks(const alg_rule_view *view, const double *value, uint32_t *rank)
{
	uint32_t n = view->flat->tasks;
	g_autofree ranked *all = g_new(ranked, n + 1);

	for (uint32_t v = 0; v < n; v++)
		all[v] = (ranked){value[v], view->tail[v], v};
	qsort(all, n, sizeof(*all), compare_ranked);
	for (uint32_t i = 0; i < n; i++)
		rank[all[i].task] = i;
}
