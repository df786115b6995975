/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of starts under a horizon, and destructive bounds: what no choice of starts within them can satisfy shows
 * that the horizon is too short.  Rules, repeated until nothing changes:
 *
 *   lags     longest paths from releases and back from deadlines and the horizon;
 *   pairs    of two tasks that never fit together, when one cannot go first the other does;
 *   profile  what surely runs in a cycle (late start to early end) leaves the rest to others;
 *   energy   in an interval, every task's least overlap with it (Baptiste, Le Pape, Nuijten 1999, cut to intervals
 *            between early starts, early ends and late starts, late ends); a task for which too little is left when it
 *            starts as early (late) as it can, starts later (earlier).
 */
#include "sched/alg/exact_int.h"

#include <stdlib.h>
#include <string.h>

#include "sched/alg/engines.h"

enum { ENERGY_TASKS = 150, ENERGY_ROUNDS = 8, PROFILE_CELLS = 1 << 21 };

typedef struct tightening {
	const exact_model *m;
	int64_t horizon;
	int64_t *early, *late;
	bool changed, failed;
	int64_t *profile;          /* one resource, by time */
	int64_t *given;            /* [r * (horizon + 1) + t]: capacity in [0, t), or NULL */
	const exact_choice **only; /* per task: its choice when there is one, else NULL */
	bool has_profile;
} tightening;

void exact_i_windows_init(exact_windows *w, const exact_model *m)
{
	w->early = g_new0(int64_t, m->tasks + 1);
	w->late = g_new0(int64_t, m->tasks + 1);
}

void exact_i_windows_fini(exact_windows *w)
{
	g_clear_pointer(&w->early, g_free);
	g_clear_pointer(&w->late, g_free);
}

static void raise_early(tightening *t, uint32_t v, int64_t time)
{
	if (time <= t->early[v])
		return;
	t->early[v] = time;
	t->changed = true;
	t->failed = t->failed || time > t->late[v];
}

static void lower_late(tightening *t, uint32_t v, int64_t time)
{
	if (time >= t->late[v])
		return;
	t->late[v] = time;
	t->changed = true;
	t->failed = t->failed || time < t->early[v];
}

static void follow_lags(tightening *t)
{
	bool again = true, changed = t->changed;

	while (again && !t->failed) {
		t->changed = false;
		for (guint i = 0; i < t->m->arcs->len; i++) {
			const exact_arc *arc = &g_array_index(t->m->arcs, exact_arc, i);

			raise_early(t, arc->to, t->early[arc->from] + arc->lag);
		}
		for (guint i = t->m->arcs->len; i-- > 0;) {
			const exact_arc *arc = &g_array_index(t->m->arcs, exact_arc, i);

			lower_late(t, arc->from, t->late[arc->to] - arc->lag);
		}
		again = t->changed;
		changed = changed || again;
	}
	t->changed = changed;
}

static void follow_pairs(tightening *t)
{
	for (guint i = 0; i < t->m->pairs->len && !t->failed; i++) {
		exact_pair p = g_array_index(t->m->pairs, exact_pair, i);

		for (unsigned turn = 0; turn < 2; turn++) {
			/* A cannot go first: B does. */
			if (t->early[p.a] + t->m->least[p.a] > t->late[p.b]) {
				raise_early(t, p.a, t->early[p.b] + t->m->least[p.b]);
				lower_late(t, p.b, t->late[p.a] - t->m->least[p.b]);
			}
			p = (exact_pair){p.b, p.a};
		}
	}
}

/* What task V surely takes of a resource, whatever its choice; its duration, too, is the least. */
static uint32_t sure_amount(const tightening *t, uint32_t v, uint32_t r)
{
	return t->only[v] ? exact_i_amount(t->m, t->only[v], r) : 0;
}

static void profile_one(tightening *t, uint32_t r)
{
	const exact_model *m = t->m;
	int64_t *used = t->profile;

	memset(used, 0, ((size_t)t->horizon + 1) * sizeof(*used));
	for (uint32_t v = 0; v < m->tasks; v++)
		for (int64_t at = t->late[v]; sure_amount(t, v, r) && at < t->early[v] + m->least[v]; at++)
			used[at] += sure_amount(t, v, r);
	for (int64_t at = 0; at < t->horizon; at++)
		if (used[at] > exact_i_capacity(m, r, at)) {
			t->failed = true;
			return;
		}
	for (uint32_t v = 0; v < m->tasks && !t->failed; v++) {
		int64_t amount = sure_amount(t, v, r), from = t->late[v], until = t->early[v] + m->least[v];

		if (!amount)
			continue;
		/* The sure part of V itself is as it was when the profile was made: no shorter now. */
		for (int64_t at = t->early[v]; at < t->early[v] + m->least[v] && t->early[v] <= t->late[v]; at++) {
			int64_t own = at >= from && at < until ? amount : 0;

			if (used[at] - own + amount > exact_i_capacity(m, r, at))
				raise_early(t, v, at + 1);
		}
		for (int64_t at = t->late[v] + m->least[v] - 1; at >= t->late[v] && t->early[v] <= t->late[v]; at--) {
			int64_t own = at >= from && at < until ? amount : 0;

			if (used[at] - own + amount > exact_i_capacity(m, r, at)) {
				lower_late(t, v, at - m->least[v]);
				at = t->late[v] + m->least[v];
			}
		}
	}
}

/* Overlap of task V with [a, b) when it starts as early, as late as it can; the lesser of both is the least. */
static int64_t overlap_early(const tightening *t, uint32_t v, int64_t a, int64_t b)
{
	int64_t p = t->m->least[v];

	return MAX(0, MIN(MIN(b - a, p), MIN(t->early[v] + p - a, b - t->early[v])));
}

static int64_t overlap_late(const tightening *t, uint32_t v, int64_t a, int64_t b)
{
	int64_t p = t->m->least[v];

	return MAX(0, MIN(MIN(b - a, p), MIN(t->late[v] + p - a, b - t->late[v])));
}

static int64_t least_amount(const tightening *t, uint32_t v, uint32_t r)
{
	const exact_model *m = t->m;
	uint32_t least = UINT32_MAX;

	if (t->only[v])
		return exact_i_amount(m, t->only[v], r);
	for (uint32_t c = m->first_choice[v]; c < m->first_choice[v + 1] && least > 0; c++)
		least = MIN(least, exact_i_amount(m, &g_array_index(m->choices, exact_choice, c), r));
	return least;
}

/* Of one resource. */
typedef struct users {
	uint32_t *task;
	int64_t *amount, *overlap;
	uint32_t count;
} users;

static void interval(tightening *t, const users *u, uint32_t r, int64_t a, int64_t b)
{
	const int64_t *given = t->given + (size_t)r * ((size_t)t->horizon + 1);
	int64_t rest = given[b] - given[a];

	for (uint32_t i = 0; i < u->count; i++) {
		uint32_t v = u->task[i];

		u->overlap[i] = MIN(overlap_early(t, v, a, b), overlap_late(t, v, a, b));
		rest -= u->overlap[i] * u->amount[i];
	}
	if (rest < 0) {
		t->failed = true;
		return;
	}
	for (uint32_t i = 0; i < u->count && !t->failed; i++) {
		uint32_t v = u->task[i];
		int64_t room = (rest + u->overlap[i] * u->amount[i]) / u->amount[i];

		if (t->early[v] + t->m->least[v] > a && overlap_early(t, v, a, b) > room)
			raise_early(t, v, b - room);
		if (!t->failed && t->late[v] < b && overlap_late(t, v, a, b) > room)
			lower_late(t, v, a + room - t->m->least[v]);
	}
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static uint32_t sort_times(int64_t *time, uint32_t count)
{
	uint32_t kept = 0;

	qsort(time, count, sizeof(*time), compare_times);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || time[i] != time[kept - 1])
			time[kept++] = time[i];
	return kept;
}

static void energy_one(tightening *t, uint32_t r, const alg_solve_options *options, alg_solve_result *result)
{
	uint32_t n = t->m->tasks, begins = 0, ends = 0;
	g_autofree uint32_t *task = g_new(uint32_t, n + 1);
	g_autofree int64_t *amount = g_new(int64_t, n + 1);
	g_autofree int64_t *overlap = g_new(int64_t, n + 1);
	g_autofree int64_t *begin = g_new(int64_t, 3 * n + 1);
	g_autofree int64_t *end = g_new(int64_t, 3 * n + 1);
	users u = {task, amount, overlap, 0};

	for (uint32_t v = 0; v < n; v++) {
		int64_t p = t->m->least[v], least = p > 0 ? least_amount(t, v, r) : 0;

		if (least == 0)
			continue;
		task[u.count] = v;
		amount[u.count++] = least;
		begin[begins++] = t->early[v];
		begin[begins++] = t->late[v];
		begin[begins++] = t->early[v] + p;
		end[ends++] = t->late[v] + p;
		end[ends++] = t->early[v] + p;
		end[ends++] = t->late[v];
	}
	begins = sort_times(begin, begins);
	ends = sort_times(end, ends);
	for (uint32_t i = 0; i < begins && !t->failed && !alg_stopped(options, result); i++)
		for (uint32_t k = 0; k < ends && !t->failed; k++)
			if (end[k] > begin[i])
				interval(t, &u, r, begin[i], end[k]);
}

static void find_given(tightening *t)
{
	const exact_model *m = t->m;
	size_t row = (size_t)t->horizon + 1;

	if (m->tasks > ENERGY_TASKS || row * m->resources > PROFILE_CELLS)
		return;
	t->given = g_new0(int64_t, row * m->resources + 1);
	for (uint32_t r = 0; r < m->resources; r++)
		for (size_t at = 1; at < row; at++)
			t->given[r * row + at] = t->given[r * row + at - 1] + exact_i_capacity(m, r, (int64_t)at - 1);
}

static void first_windows(tightening *t)
{
	const exact_model *m = t->m;

	for (uint32_t v = 0; v <= m->tasks; v++) {
		int64_t latest = MIN(t->horizon, m->deadline[v]);

		t->early[v] = m->release[v];
		t->late[v] = latest - m->least[v];
		t->failed = t->failed || t->early[v] > t->late[v];
	}
	follow_lags(t);
}

static void run_rules(tightening *t, const alg_solve_options *options, alg_solve_result *result)
{
	for (unsigned round = 0; !t->failed; round++) {
		do {
			t->changed = false;
			follow_lags(t);
			follow_pairs(t);
			for (uint32_t r = 0; t->has_profile && r < t->m->resources && !t->failed; r++)
				profile_one(t, r);
		} while (t->changed && !t->failed && !alg_stopped(options, result));
		t->changed = false;
		for (uint32_t r = 0; t->given && round < ENERGY_ROUNDS && r < t->m->resources && !t->failed; r++)
			energy_one(t, r, options, result);
		if (!t->changed || alg_stopped(options, result))
			break;
	}
}

bool exact_i_lag_windows(const exact_model *m, int64_t horizon, exact_windows *w)
{
	tightening t = {.m = m, .horizon = horizon, .early = w->early, .late = w->late};

	first_windows(&t);
	return !t.failed;
}

bool exact_i_tighten(const exact_model *m, int64_t horizon, exact_windows *w, const alg_solve_options *options,
                     alg_solve_result *result)
{
	tightening t = {.m = m, .horizon = horizon, .early = w->early, .late = w->late};

	first_windows(&t);
	if (t.failed)
		return false;
	t.has_profile = horizon < PROFILE_CELLS && m->tasks <= 10 * ENERGY_TASKS;
	t.profile = g_new(int64_t, t.has_profile ? (size_t)horizon + 1 : 1);
	t.only = g_new0(const exact_choice *, m->tasks + 1);
	for (uint32_t v = 0; v < m->tasks; v++)
		if (m->first_choice[v + 1] - m->first_choice[v] == 1)
			t.only[v] = &g_array_index(m->choices, exact_choice, m->first_choice[v]);
	find_given(&t);
	run_rules(&t, options, result);
	g_free(t.profile);
	g_free(t.given);
	g_free((gpointer)t.only);
	return !t.failed;
}
