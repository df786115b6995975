/* SPDX-License-Identifier: Apache-2.0
 *
 * The learning search's problem, from the exact engine's model: lags between ends of windows, pairs, uses of resources,
 * room for atoms.
 */
#include <string.h>

#include "sched/alg/exact_learn_int.h"

enum { MOST_ATOMS = 1 << 21, MOST_CELLS = 1 << 22, MOST_HORIZON = 1 << 22 };

static bool is_simple(const exact_model *m)
{
	for (uint32_t v = 0; v < m->tasks; v++)
		if (m->first_choice[v + 1] - m->first_choice[v] != 1)
			return false;
	return true;
}

static const exact_choice *choice_of(const exact_model *m, uint32_t v)
{
	return &g_array_index(m->choices, exact_choice, m->first_choice[v]);
}

/* False: too large. */
static bool measure(exact_learner *l, const exact_windows *w)
{
	const exact_model *m = l->m;
	int64_t atoms = 0, horizon = 0;

	for (uint32_t v = 0; v <= m->tasks; v++) {
		horizon = MAX(horizon, w->late[v] + m->most[v] + 1);
		atoms += w->late[v] - w->early[v];
		if (horizon > MOST_HORIZON || atoms > MOST_ATOMS)
			return false;
	}
	l->atoms = (uint32_t)atoms;
	l->horizon = (int32_t)horizon;
	return horizon * m->resources <= MOST_CELLS;
}

static void make_atoms(exact_learner *l, const exact_windows *w, const int64_t *hint)
{
	uint32_t atoms = l->atoms, next = 0;

	l->task_of = g_new0(uint32_t, atoms + 1);
	l->activity = g_new0(double, atoms + 1);
	l->increment = 1;
	l->phase = g_new0(bool, atoms + 1);
	l->heap = g_new0(uint32_t, atoms + 1);
	l->in_heap = g_new0(uint32_t, atoms + 1);
	l->watch = g_new0(GArray *, 2 * (size_t)atoms + 1);
	for (uint32_t v = 0; v <= l->m->tasks; v++) {
		l->value[2 * v] = (int32_t)w->early[v];
		l->value[2 * v + 1] = (int32_t)-w->late[v];
		l->duration[v] = (int32_t)l->m->least[v];
		l->offset[v] = (int32_t)next - (int32_t)w->early[v] - 1;
		for (int64_t t = w->early[v] + 1; t <= w->late[v]; t++, next++) {
			l->task_of[next] = v;
			l->phase[next] = hint && hint[v] >= t;
		}
	}
	memcpy(l->root, l->value, l->keys * sizeof(*l->root));
}

static int by_from(gconstpointer a, gconstpointer b)
{
	const learn_arc *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void make_arcs(exact_learner *l)
{
	const exact_model *m = l->m;
	g_autoptr(GArray) arcs = g_array_new(FALSE, FALSE, sizeof(learn_arc));

	for (guint i = 0; i < m->arcs->len; i++) {
		const exact_arc *arc = &g_array_index(m->arcs, exact_arc, i);
		int32_t lag = (int32_t)CLAMP(arc->lag, -MOST_HORIZON, MOST_HORIZON);
		learn_arc both[2] = {{2 * arc->from, 2 * arc->to, lag}, {2 * arc->to + 1, 2 * arc->from + 1, lag}};

		g_array_append_vals(arcs, both, 2);
	}
	g_array_sort(arcs, by_from);
	l->first_arc = g_new0(uint32_t, l->keys + 2);
	for (guint i = 0; i < arcs->len; i++)
		l->first_arc[g_array_index(arcs, learn_arc, i).from + 1]++;
	for (uint32_t k = 0; k < l->keys; k++)
		l->first_arc[k + 1] += l->first_arc[k];
	l->arc = g_memdup2(arcs->data, arcs->len * sizeof(learn_arc));
}

static void make_pairs(exact_learner *l)
{
	const exact_model *m = l->m;
	g_autofree uint32_t *next = g_new0(uint32_t, m->tasks + 2);

	l->first_pair = g_new0(uint32_t, m->tasks + 2);
	l->pair = g_new0(uint32_t, 2 * (size_t)m->pairs->len + 1);
	for (guint i = 0; i < m->pairs->len; i++) {
		const exact_pair *p = &g_array_index(m->pairs, exact_pair, i);

		l->first_pair[p->a + 1]++;
		l->first_pair[p->b + 1]++;
	}
	for (uint32_t v = 0; v < m->tasks; v++)
		l->first_pair[v + 1] += l->first_pair[v];
	memcpy(next, l->first_pair, (m->tasks + 1) * sizeof(*next));
	for (guint i = 0; i < m->pairs->len; i++) {
		const exact_pair *p = &g_array_index(m->pairs, exact_pair, i);

		l->pair[next[p->a]++] = p->b;
		l->pair[next[p->b]++] = p->a;
	}
}

static void make_uses(exact_learner *l)
{
	const exact_model *m = l->m;
	g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(learn_use));
	g_autoptr(GArray) resources = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	l->first_use = g_new0(uint32_t, m->resources + 1);
	for (uint32_t r = 0; r < m->resources; r++) {
		/* Where any two tasks are too much, pairs say all. */
		bool unary = exact_i_unary(m, r);

		for (uint32_t v = 0; !unary && v < m->tasks; v++) {
			learn_use use = {v, (int32_t)exact_i_amount(m, choice_of(m, v), r)};

			if (use.amount && m->least[v] > 0)
				g_array_append_val(uses, use);
		}
		l->first_use[r + 1] = uses->len;
	}
	l->use = g_memdup2(uses->data, uses->len * sizeof(learn_use));
	l->first_resource = g_new0(uint32_t, m->tasks + 2);
	for (uint32_t v = 0; v < m->tasks; v++) {
		for (uint32_t r = 0; r < m->resources; r++)
			if (exact_i_amount(m, choice_of(m, v), r) && m->least[v] > 0)
				g_array_append_val(resources, r);
		l->first_resource[v + 1] = resources->len;
	}
	/* The end uses nothing. */
	l->first_resource[m->tasks + 1] = resources->len;
	l->resource = g_memdup2(resources->data, resources->len * sizeof(uint32_t));
	l->dirty = g_new(bool, m->resources + 1);
	memset(l->dirty, 1, m->resources * sizeof(*l->dirty));
	l->profile = g_new0(int32_t, (gsize)l->horizon + 1);
	l->capacity = g_new0(int32_t, (gsize)l->horizon * m->resources + 1);
	for (uint32_t r = 0; r < m->resources; r++)
		for (int32_t t = 0; t < l->horizon; t++)
			l->capacity[(size_t)r * (size_t)l->horizon + (size_t)t] =
				(int32_t)MIN(exact_i_capacity(m, r, t), INT32_MAX / 2);
}

static bool amounts_are_small(const exact_model *m)
{
	for (uint32_t r = 0; r < m->resources; r++)
		if ((uint64_t)m->capacity[r] * (m->tasks + 1) > INT32_MAX / 4)
			return false;
	return true;
}

/* What follows before anything has changed. */
static void draw_first(exact_learner *l)
{
	for (uint32_t k = 0; k < l->keys && !l->refuted; k++)
		for (uint32_t i = l->first_arc[k]; i < l->first_arc[k + 1] && !l->refuted; i++)
			l->refuted = !exact_i_raise(l, l->arc[i].to, l->value[k] + l->arc[i].lag, LEARN_ARC, i);
	for (uint32_t v = 0; v < l->m->tasks && !l->refuted; v++)
		l->refuted = !exact_i_rule_pairs(l, v);
}

exact_learner *exact_i_learner_new(const exact_model *m, const exact_windows *w, const int64_t *hint,
                                   const alg_solve_options *options, alg_solve_result *result)
{
	exact_learner *l = g_new0(exact_learner, 1);

	l->m = m;
	l->options = options;
	l->result = result;
	l->keys = 2 * (m->tasks + 1);
	l->resources = m->resources;
	if (!is_simple(m) || !amounts_are_small(m) || !measure(l, w)) {
		g_free(l);
		return NULL;
	}
	l->value = g_new0(int32_t, l->keys);
	l->root = g_new0(int32_t, l->keys);
	l->last = g_new(int32_t, l->keys);
	l->greatest = g_new(int32_t, l->keys);
	for (uint32_t k = 0; k < l->keys; k++) {
		l->last[k] = -1;
		l->greatest[k] = INT32_MIN;
	}
	l->duration = g_new0(int32_t, m->tasks + 1);
	l->offset = g_new0(int32_t, m->tasks + 1);
	l->events = g_array_new(FALSE, FALSE, sizeof(learn_event));
	l->levels = g_array_new(FALSE, FALSE, sizeof(guint));
	l->marks = g_array_new(FALSE, FALSE, sizeof(guint));
	l->lists = g_array_new(FALSE, FALSE, sizeof(learn_literal));
	l->conflict = g_array_new(FALSE, FALSE, sizeof(learn_literal));
	l->learned = g_array_new(FALSE, FALSE, sizeof(learn_literal));
	l->touched = g_array_new(FALSE, FALSE, sizeof(guint));
	l->needed = g_array_new(FALSE, FALSE, sizeof(int32_t));
	l->stamp = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	l->clauses = g_ptr_array_new();
	l->clause_increment = 1;
	exact_i_learner_reset(l);
	make_atoms(l, w, hint);
	make_arcs(l);
	make_pairs(l);
	make_uses(l);
	draw_first(l);
	return l;
}

void exact_i_learner_free(exact_learner *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < 2 * l->atoms; i++)
		if (l->watch[i])
			g_array_free(l->watch[i], TRUE);
	for (guint i = 0; i < l->clauses->len; i++)
		g_free(g_ptr_array_index(l->clauses, i));
	g_ptr_array_free(l->clauses, TRUE);
	g_array_free(l->events, TRUE);
	g_array_free(l->levels, TRUE);
	g_array_free(l->marks, TRUE);
	g_array_free(l->lists, TRUE);
	g_array_free(l->conflict, TRUE);
	g_array_free(l->learned, TRUE);
	g_array_free(l->touched, TRUE);
	g_array_free(l->needed, TRUE);
	g_array_free(l->stamp, TRUE);
	g_free(l->value);
	g_free(l->root);
	g_free(l->last);
	g_free(l->greatest);
	g_free(l->duration);
	g_free(l->offset);
	g_free(l->first_arc);
	g_free(l->arc);
	g_free(l->first_pair);
	g_free(l->pair);
	g_free(l->first_use);
	g_free(l->use);
	g_free(l->first_resource);
	g_free(l->resource);
	g_free(l->dirty);
	g_free(l->profile);
	g_free(l->capacity);
	g_free(l->task_of);
	g_free(l->activity);
	g_free(l->phase);
	g_free(l->heap);
	g_free(l->in_heap);
	g_free(l->watch);
	g_free(l);
}
