/* SPDX-License-Identifier: Apache-2.0
 *
 * What the learning search learns from a conflict: its literals are replaced by what they follow from, the last event
 * first, until one of the present level is left (first unique implication point); of what hangs on earlier levels,
 * needs of one value are one, the greatest, and what the others imply is left out.
 */
#include "sched/alg/exact_learn_int.h"

/* The first event after which key KEY was LEAST or more. */
static guint event_of(const exact_learner *l, uint32_t key, int32_t least)
{
	int32_t i = l->last[key];

	while (LEARN_EVENT(l, i)->old >= least)
		i = LEARN_EVENT(l, i)->before;
	return (guint)i;
}

/* LITERAL is part of the conflict; one more of the present level is counted. */
static void need(exact_learner *l, learn_literal x, uint32_t *here)
{
	int32_t *needed;
	guint i;

	if (x.least <= l->root[x.key])
		return;
	exact_i_bump(l, exact_i_atom(l, x.key, x.least));
	i = event_of(l, x.key, x.least);
	needed = &g_array_index(l->needed, int32_t, i);
	if (*needed == INT32_MIN) {
		if (LEARN_EVENT(l, i)->level == exact_i_level(l))
			(*here)++;
		else
			g_array_append_val(l->touched, i);
	}
	*needed = MAX(*needed, x.least);
}

static void bump_clause(exact_learner *l, uint32_t number)
{
	learn_clause *c = g_ptr_array_index(l->clauses, number);

	c->activity += l->clause_increment;
	if (c->activity > 1e20f) {
		for (guint i = 0; i < l->clauses->len; i++)
			((learn_clause *)g_ptr_array_index(l->clauses, i))->activity *= 1e-20f;
		l->clause_increment *= 1e-20f;
	}
}

/* Takes back events until one literal of the present level is left of the conflict. */
static learn_literal unique_point(exact_learner *l)
{
	uint32_t here = 0;

	for (guint i = 0; i < l->conflict->len; i++)
		need(l, g_array_index(l->conflict, learn_literal, i), &here);
	for (;;) {
		guint last = l->events->len - 1;
		learn_event e = *LEARN_EVENT(l, last);
		int32_t least = g_array_index(l->needed, int32_t, last);

		if (least == INT32_MIN) {
			exact_i_undo(l);
			continue;
		}
		g_array_index(l->needed, int32_t, last) = INT32_MIN;
		if (here == 1)
			return (learn_literal){e.key, least};
		here--;
		exact_i_undo(l);
		if (e.kind == LEARN_CLAUSE)
			bump_clause(l, e.reason);
		g_array_set_size(l->conflict, 0);
		exact_i_why(l, e.kind, e.reason, e.key, least, l->conflict);
		for (guint i = 0; i < l->conflict->len; i++)
			need(l, g_array_index(l->conflict, learn_literal, i), &here);
	}
}

/* Does the rest of the conflict imply what is needed of event I? */
static bool follows_from_rest(exact_learner *l, guint i)
{
	const learn_event *e = LEARN_EVENT(l, i);

	if (e->kind == LEARN_NONE)
		return false;
	g_array_set_size(l->conflict, 0);
	exact_i_why(l, e->kind, e->reason, e->key, g_array_index(l->needed, int32_t, i), l->conflict);
	for (guint k = 0; k < l->conflict->len; k++) {
		learn_literal x = g_array_index(l->conflict, learn_literal, k);

		if (x.least > l->root[x.key] &&
		    g_array_index(l->needed, int32_t, event_of(l, x.key, x.least)) < x.least)
			return false;
	}
	return true;
}

/* Of several needs of one key only the greatest stays; the others neither stand in the clause nor explain anything. */
static void keep_strongest(exact_learner *l, learn_literal point)
{
	guint kept = 0;

	l->greatest[point.key] = point.least;
	for (guint t = 0; t < l->touched->len; t++) {
		guint i = g_array_index(l->touched, guint, t);
		int32_t *greatest = &l->greatest[LEARN_EVENT(l, i)->key];

		*greatest = MAX(*greatest, g_array_index(l->needed, int32_t, i));
	}
	for (guint t = 0; t < l->touched->len; t++) {
		guint i = g_array_index(l->touched, guint, t);

		if (g_array_index(l->needed, int32_t, i) == l->greatest[LEARN_EVENT(l, i)->key])
			g_array_index(l->touched, guint, kept++) = i;
		else
			g_array_index(l->needed, int32_t, i) = INT32_MIN;
	}
	for (guint t = 0; t < l->touched->len; t++)
		l->greatest[LEARN_EVENT(l, g_array_index(l->touched, guint, t))->key] = INT32_MIN;
	l->greatest[point.key] = INT32_MIN;
	g_array_set_size(l->touched, kept);
}

/* The clause that forbids the conflict: the opposite of POINT first, then one of the highest level; returns that level.
 */
static uint32_t make_clause(exact_learner *l, learn_literal point, uint32_t *levels)
{
	learn_literal first = exact_i_opposite(point);
	uint32_t highest = 0;

	keep_strongest(l, point);
	g_array_set_size(l->learned, 0);
	g_array_append_val(l->learned, first);
	*levels = 1;
	l->stamped++;
	for (guint t = 0; t < l->touched->len; t++) {
		guint i = g_array_index(l->touched, guint, t);
		const learn_event *e = LEARN_EVENT(l, i);
		learn_literal x = {e->key, g_array_index(l->needed, int32_t, i)};

		if (follows_from_rest(l, i))
			continue;
		x = exact_i_opposite(x);
		g_array_append_val(l->learned, x);
		while (l->stamp->len <= e->level)
			g_array_append_val(l->stamp, (uint32_t){0});
		if (g_array_index(l->stamp, uint32_t, e->level) != l->stamped)
			(*levels)++;
		g_array_index(l->stamp, uint32_t, e->level) = l->stamped;
		if (e->level > highest) {
			guint last = l->learned->len - 1;

			highest = e->level;
			g_array_index(l->learned, learn_literal, last) = g_array_index(l->learned, learn_literal, 1);
			g_array_index(l->learned, learn_literal, 1) = x;
		}
	}
	for (guint t = 0; t < l->touched->len; t++)
		g_array_index(l->needed, int32_t, g_array_index(l->touched, guint, t)) = INT32_MIN;
	g_array_set_size(l->touched, 0);
	return highest;
}

uint32_t exact_i_conflict_level(const exact_learner *l)
{
	uint32_t level = 0;

	for (guint i = 0; i < l->conflict->len; i++) {
		learn_literal x = g_array_index(l->conflict, learn_literal, i);

		if (x.least > l->root[x.key])
			level = MAX(level, LEARN_EVENT(l, event_of(l, x.key, x.least))->level);
	}
	return level;
}

uint32_t exact_i_conflict_clause(exact_learner *l, uint32_t *levels)
{
	return make_clause(l, unique_point(l), levels);
}
