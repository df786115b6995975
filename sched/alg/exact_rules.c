/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the learning search, with explanations: of two tasks that never run at the same time, when one cannot go
 * first the other does; and what surely runs at a time (from its latest start to its earliest end) leaves the rest to
 * others.  Explanations speak of one time only and of as little as suffices there.
 */
#include "sched/alg/exact_learn_int.h"

#include <string.h>

static int32_t earliest(const exact_learner *l, uint32_t v)
{
	return l->value[2 * v];
}

static int32_t latest(const exact_learner *l, uint32_t v)
{
	return -l->value[2 * v + 1];
}

/* A cannot go first. */
static bool after(exact_learner *l, uint32_t a, uint32_t b)
{
	/* The earliest start of A that is too late. */
	int32_t limit = latest(l, b) - l->duration[a] + 1;
	int32_t early = earliest(l, b) + l->duration[b], late = latest(l, a) - l->duration[b];
	guint list;

	if (early > earliest(l, a)) {
		list = exact_i_list_begin(l);
		exact_i_list_add(l, 2 * a, limit);
		exact_i_list_add(l, 2 * b + 1, l->value[2 * b + 1]);
		exact_i_list_add(l, 2 * b, early - l->duration[b]);
		if (!exact_i_raise(l, 2 * a, early, LEARN_LIST, list))
			return false;
	}
	if (late < latest(l, b)) {
		list = exact_i_list_begin(l);
		exact_i_list_add(l, 2 * a, limit);
		exact_i_list_add(l, 2 * b + 1, l->value[2 * b + 1]);
		exact_i_list_add(l, 2 * a + 1, -late - l->duration[b]);
		if (!exact_i_raise(l, 2 * b + 1, -late, LEARN_LIST, list))
			return false;
	}
	return true;
}

bool exact_i_rule_pairs(exact_learner *l, uint32_t v)
{
	for (uint32_t i = l->first_pair[v]; i < l->first_pair[v + 1]; i++) {
		uint32_t w = l->pair[i];

		if (earliest(l, v) + l->duration[v] > latest(l, w) && !after(l, v, w))
			return false;
		if (earliest(l, w) + l->duration[w] > latest(l, v) && !after(l, w, v))
			return false;
	}
	return true;
}

/* One resource. */
typedef struct view {
	exact_learner *l;
	const learn_use *use;
	uint32_t count;
	const int32_t *capacity;
} view;

static bool surely_runs(const exact_learner *l, uint32_t v, int32_t time)
{
	return latest(l, v) <= time && time < earliest(l, v) + l->duration[v];
}

/* A list of tasks, but EXCEPT, that surely run at TIME and take more than ROOM; what is not needed is left out. */
static guint list_running(const view *w, int32_t time, int32_t room, uint32_t except)
{
	exact_learner *l = w->l;
	guint list = exact_i_list_begin(l);
	int32_t spare = -room - 1;

	for (uint32_t i = 0; i < w->count; i++)
		if (w->use[i].task != except && surely_runs(l, w->use[i].task, time))
			spare += w->use[i].amount;
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t v = w->use[i].task;

		if (v == except || !surely_runs(l, v, time))
			continue;
		if (w->use[i].amount <= spare) {
			spare -= w->use[i].amount;
			continue;
		}
		exact_i_list_add(l, 2 * v, time - l->duration[v] + 1);
		exact_i_list_add(l, 2 * v + 1, -time);
	}
	return list;
}

static bool fits(const view *w, int32_t time, int32_t amount)
{
	return w->l->profile[time] + amount <= w->capacity[time];
}

/* FROM, UNTIL: where V itself is in the profile. */
static bool start_later(const view *w, uint32_t v, int32_t amount, int32_t from, int32_t until)
{
	exact_learner *l = w->l;
	int32_t time = earliest(l, v) + l->duration[v] - 1;

	while (time >= earliest(l, v)) {
		guint list;

		if ((time >= from && time < until) || fits(w, time, amount)) {
			time--;
			continue;
		}
		list = list_running(w, time, w->capacity[time] - amount, v);
		exact_i_list_add(l, 2 * v, time - l->duration[v] + 1);
		if (!exact_i_raise(l, 2 * v, time + 1, LEARN_LIST, list))
			return false;
		time += l->duration[v];
	}
	return true;
}

static bool start_sooner(const view *w, uint32_t v, int32_t amount, int32_t from, int32_t until)
{
	exact_learner *l = w->l;
	int32_t time = latest(l, v);

	while (time < latest(l, v) + l->duration[v]) {
		guint list;

		if ((time >= from && time < until) || fits(w, time, amount)) {
			time++;
			continue;
		}
		list = list_running(w, time, w->capacity[time] - amount, v);
		exact_i_list_add(l, 2 * v + 1, -time);
		if (!exact_i_raise(l, 2 * v + 1, l->duration[v] - time, LEARN_LIST, list))
			return false;
		time -= l->duration[v];
	}
	return true;
}

bool exact_i_rule_capacity(exact_learner *l, uint32_t r)
{
	view w = {l, l->use + l->first_use[r], l->first_use[r + 1] - l->first_use[r],
	          l->capacity + (size_t)r * (size_t)l->horizon};
	int32_t first = l->horizon, until = 0;
	bool some = false;

	if (l->profile_from < l->profile_until)
		memset(l->profile + l->profile_from, 0,
		       (size_t)(l->profile_until - l->profile_from) * sizeof(*l->profile));
	for (uint32_t i = 0; i < w.count; i++) {
		uint32_t v = w.use[i].task;
		int32_t to = earliest(l, v) + l->duration[v];

		for (int32_t t = latest(l, v); t < to; t++)
			l->profile[t] += w.use[i].amount;
		if (latest(l, v) < to) {
			first = MIN(first, latest(l, v));
			until = MAX(until, to);
			some = true;
		}
	}
	l->profile_from = first;
	l->profile_until = until;
	for (int32_t t = first; t < until; t++)
		if (l->profile[t] > w.capacity[t]) {
			exact_i_list_fails(l, list_running(&w, t, w.capacity[t], UINT32_MAX));
			return false;
		}
	for (uint32_t i = 0; some && i < w.count; i++) {
		uint32_t v = w.use[i].task;
		int32_t from = latest(l, v), to = earliest(l, v) + l->duration[v];

		if (earliest(l, v) == latest(l, v))
			continue;
		if (!start_later(&w, v, w.use[i].amount, from, to) || !start_sooner(&w, v, w.use[i].amount, from, to))
			return false;
	}
	return true;
}
