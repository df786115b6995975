/* SPDX-License-Identifier: Apache-2.0
 *
 * The learning search: decisions, consequences by clauses, lags and rules (sched/alg/exact_rules.c), and from every
 * conflict a clause with one literal of the last decision (first unique implication point), shortened where its own
 * literals explain some of it.  Decisions take the atom that conflicts have named most (VSIDS), else the task that can
 * start first at its earliest start.  Restarts follow Luby's sequence; clauses that hang on many levels are forgotten.
 */
#include <string.h>

#include "sched/alg/engines.h"
#include "sched/alg/exact_learn_int.h"

enum {
	RESTART = 256,
	FIRST_CLAUSES = 2000,
	MORE_CLAUSES = 300,
	KEPT_LEVELS = 2,
	ASK_CONFLICTS = 64,
	ASK_DECISIONS = 4096
};
static const double decay = 0.92, clause_decay = 0.999, most_activity = 1e100;

static bool is_true(const exact_learner *l, learn_literal x)
{
	return l->value[x.key] >= x.least;
}

static bool is_false(const exact_learner *l, learn_literal x)
{
	return l->value[x.key ^ 1] >= 1 - x.least;
}

/* ---- Atoms by activity. ---- */

static void sink(exact_learner *l, uint32_t at, uint32_t atom)
{
	l->heap[at] = atom;
	l->in_heap[atom] = at + 1;
}

static void rise(exact_learner *l, uint32_t at)
{
	uint32_t atom = l->heap[at];

	for (; at > 0 && l->activity[l->heap[(at - 1) / 2]] < l->activity[atom]; at = (at - 1) / 2)
		sink(l, at, l->heap[(at - 1) / 2]);
	sink(l, at, atom);
}

static void heap_push(exact_learner *l, uint32_t atom)
{
	if (l->in_heap[atom])
		return;
	l->heap[l->heap_size] = atom;
	rise(l, l->heap_size++);
}

static uint32_t heap_pop(exact_learner *l)
{
	uint32_t top = l->heap[0], last = l->heap[--l->heap_size], at = 0;

	for (uint32_t child; (child = 2 * at + 1) < l->heap_size; at = child) {
		if (child + 1 < l->heap_size && l->activity[l->heap[child + 1]] > l->activity[l->heap[child]])
			child++;
		if (l->activity[l->heap[child]] <= l->activity[last])
			break;
		sink(l, at, l->heap[child]);
	}
	if (l->heap_size)
		sink(l, at, last);
	l->in_heap[top] = 0;
	return top;
}

void exact_i_bump(exact_learner *l, uint32_t atom)
{
	l->activity[atom] += l->increment;
	if (l->activity[atom] > most_activity) {
		for (uint32_t a = 0; a < l->atoms; a++)
			l->activity[a] /= most_activity;
		l->increment /= most_activity;
	}
	if (l->in_heap[atom])
		rise(l, l->in_heap[atom] - 1);
}

/* ---- Values. ---- */

guint exact_i_list_begin(exact_learner *l)
{
	learn_literal length = {0, 0};

	g_array_append_val(l->lists, length);
	return l->lists->len - 1;
}

void exact_i_list_add(exact_learner *l, uint32_t key, int32_t least)
{
	learn_literal x = {key, least};

	/* Always the last list. */
	if (least > l->root[key])
		g_array_append_val(l->lists, x);
}

static void conflict_add(exact_learner *l, uint32_t key, int32_t least)
{
	learn_literal x = {key, least};

	g_array_append_val(l->conflict, x);
}

void exact_i_why(exact_learner *l, enum learn_reason kind, uint32_t reason, uint32_t key, int32_t least, GArray *out)
{
	const learn_clause *c;

	switch (kind) {
	case LEARN_NONE:
		break;
	case LEARN_CLAUSE:
		c = g_ptr_array_index(l->clauses, reason);
		for (uint32_t i = 0; i < c->size; i++)
			if (c->literal[i].key != key) {
				learn_literal x = exact_i_opposite(c->literal[i]);

				g_array_append_val(out, x);
			}
		break;
	case LEARN_ARC: {
		learn_literal x = {l->arc[reason].from, least - l->arc[reason].lag};

		g_array_append_val(out, x);
		break;
	}
	case LEARN_LIST: {
		/* The next list, or the end, is after it. */
		uint32_t length = g_array_index(l->lists, learn_literal, reason).key;

		g_array_append_vals(out, &g_array_index(l->lists, learn_literal, reason + 1), length);
		break;
	}
	}
}

static void close_list(exact_learner *l, guint place)
{
	g_array_index(l->lists, learn_literal, place).key = l->lists->len - place - 1;
}

void exact_i_list_fails(exact_learner *l, guint place)
{
	close_list(l, place);
	g_array_set_size(l->conflict, 0);
	exact_i_why(l, LEARN_LIST, place, 0, 0, l->conflict);
}

bool exact_i_raise(exact_learner *l, uint32_t key, int32_t least, enum learn_reason kind, uint32_t reason)
{
	learn_event event = {key, l->value[key], least, l->last[key], exact_i_level(l), kind, reason};
	int32_t nothing = INT32_MIN;

	if (kind == LEARN_LIST)
		close_list(l, reason);
	if (least <= l->value[key])
		return true;
	if (least + l->value[key ^ 1] > 0) {
		/* The least that is too much explains it best. */
		g_array_set_size(l->conflict, 0);
		exact_i_why(l, kind, reason, key, 1 - l->value[key ^ 1], l->conflict);
		conflict_add(l, key ^ 1, l->value[key ^ 1]);
		return false;
	}
	l->last[key] = (int32_t)l->events->len;
	l->value[key] = least;
	g_array_append_val(l->events, event);
	if (l->needed->len < l->events->len)
		g_array_append_val(l->needed, nothing);
	for (uint32_t i = l->first_resource[key / 2]; i < l->first_resource[key / 2 + 1]; i++)
		l->dirty[l->resource[i]] = true;
	return true;
}

void exact_i_undo(exact_learner *l)
{
	const learn_event *e = LEARN_EVENT(l, l->events->len - 1);

	for (int32_t b = e->old + 1; b <= e->now; b++) {
		uint32_t atom = exact_i_atom(l, e->key, b);

		l->phase[atom] = e->key % 2 == 0;
		if (l->activity[atom] > 0)
			heap_push(l, atom);
	}
	l->value[e->key] = e->old;
	l->last[e->key] = e->before;
	g_array_set_size(l->events, l->events->len - 1);
}

static void cancel(exact_learner *l, uint32_t level)
{
	guint events, lists;

	if (exact_i_level(l) <= level)
		return;
	events = g_array_index(l->levels, guint, level);
	lists = g_array_index(l->marks, guint, level);
	while (l->events->len > events)
		exact_i_undo(l);
	g_array_set_size(l->lists, lists);
	g_array_set_size(l->levels, level);
	g_array_set_size(l->marks, level);
	l->handled = MIN(l->handled, events);
	memset(l->dirty, 0, l->resources * sizeof(*l->dirty));
}

static void decide(exact_learner *l, uint32_t key, int32_t least)
{
	guint events = l->events->len, lists = l->lists->len;

	g_array_append_val(l->levels, events);
	g_array_append_val(l->marks, lists);
	exact_i_raise(l, key, least, LEARN_NONE, 0);
}

/* What holds before any decision holds for ever, and needs no reasons. */
static void settle(exact_learner *l)
{
	for (guint i = 0; i < l->events->len; i++)
		l->last[LEARN_EVENT(l, i)->key] = -1;
	memcpy(l->root, l->value, l->keys * sizeof(*l->root));
	g_array_set_size(l->events, 0);
	g_array_set_size(l->lists, 0);
	l->handled = 0;
}

/* ---- Consequences. ---- */

static void watch(exact_learner *l, learn_literal x, uint32_t clause, learn_literal other)
{
	learn_watch w = {clause, other};
	GArray **list = &l->watch[2 * exact_i_atom(l, x.key, x.least) + x.key % 2];

	if (!*list)
		*list = g_array_new(FALSE, FALSE, sizeof(learn_watch));
	g_array_append_val(*list, w);
}

/* Moves clause C's watch from its second literal, which is false; false when there is nowhere to. */
static bool move_watch(exact_learner *l, learn_clause *c, uint32_t number)
{
	for (uint32_t i = 2; i < c->size; i++)
		if (!is_false(l, c->literal[i])) {
			learn_literal x = c->literal[i];

			c->literal[i] = c->literal[1];
			c->literal[1] = x;
			watch(l, x, number, c->literal[0]);
			return true;
		}
	return false;
}

/* Clauses that watch the opposite of a literal that has become true. */
static bool visit(exact_learner *l, uint32_t key, int32_t least)
{
	GArray *list = l->watch[2 * exact_i_atom(l, key, least) + (key % 2 ^ 1)];
	learn_literal gone = exact_i_opposite((learn_literal){key, least});
	guint kept = 0, i = 0;
	bool ok = true;

	if (!list)
		return true;
	for (; i < list->len && ok; i++) {
		learn_watch w = g_array_index(list, learn_watch, i);
		learn_clause *c = g_ptr_array_index(l->clauses, w.clause);

		if (!is_true(l, w.other)) {
			if (c->literal[0].key == gone.key && c->literal[0].least == gone.least) {
				c->literal[0] = c->literal[1];
				c->literal[1] = gone;
			}
			w.other = c->literal[0];
			if (!is_true(l, w.other)) {
				if (move_watch(l, c, w.clause))
					continue;
				ok = exact_i_raise(l, w.other.key, w.other.least, LEARN_CLAUSE, w.clause);
			}
		}
		g_array_index(list, learn_watch, kept++) = w;
	}
	for (; i < list->len; i++)
		g_array_index(list, learn_watch, kept++) = g_array_index(list, learn_watch, i);
	g_array_set_size(list, kept);
	return ok;
}

static bool follow_event(exact_learner *l, learn_event e)
{
	for (int32_t b = e.old + 1; b <= e.now; b++)
		if (!visit(l, e.key, b))
			return false;
	for (uint32_t i = l->first_arc[e.key]; i < l->first_arc[e.key + 1]; i++)
		if (!exact_i_raise(l, l->arc[i].to, e.now + l->arc[i].lag, LEARN_ARC, i))
			return false;
	return e.key / 2 == l->m->tasks || exact_i_rule_pairs(l, e.key / 2);
}

static bool follow(exact_learner *l)
{
	for (;;) {
		uint32_t r = 0;

		while (l->handled < l->events->len)
			if (!follow_event(l, *LEARN_EVENT(l, l->handled++)))
				return false;
		while (r < l->resources && !l->dirty[r])
			r++;
		if (r == l->resources)
			return true;
		l->dirty[r] = false;
		if (!exact_i_rule_capacity(l, r))
			return false;
	}
}

/* ---- Conflicts. ---- */

static void add_clause(exact_learner *l, uint32_t levels)
{
	learn_clause *c = g_malloc(sizeof(*c) + l->learned->len * sizeof(learn_literal));
	uint32_t number = l->clauses->len;

	c->size = l->learned->len;
	c->levels = levels;
	c->activity = l->clause_increment;
	memcpy(c->literal, l->learned->data, c->size * sizeof(learn_literal));
	g_ptr_array_add(l->clauses, c);
	watch(l, c->literal[0], number, c->literal[1]);
	watch(l, c->literal[1], number, c->literal[0]);
	exact_i_raise(l, c->literal[0].key, c->literal[0].least, LEARN_CLAUSE, number);
}

/* Learns from the conflict and goes back; false: there is no schedule. */
static bool learn(exact_learner *l)
{
	uint32_t level = exact_i_conflict_level(l), levels;

	if (level == 0)
		return false;
	cancel(l, level);
	cancel(l, exact_i_conflict_clause(l, &levels));
	if (l->learned->len == 1) {
		learn_literal x = g_array_index(l->learned, learn_literal, 0);

		if (!exact_i_raise(l, x.key, x.least, LEARN_NONE, 0))
			return false;
	} else {
		add_clause(l, levels);
	}
	l->increment /= decay;
	l->clause_increment /= (float)clause_decay;
	return true;
}

/* ---- Restarts. ---- */

static uint64_t luby(uint64_t i)
{
	uint64_t size = 1;

	while (size < i + 1)
		size = 2 * size + 1;
	while (size - 1 != i) {
		size = (size - 1) / 2;
		i %= size;
	}
	return (size + 1) / 2;
}

static int worse_clause(gconstpointer a, gconstpointer b)
{
	const learn_clause *x = *(learn_clause *const *)a, *y = *(learn_clause *const *)b;
	bool x_kept = x->levels <= KEPT_LEVELS, y_kept = y->levels <= KEPT_LEVELS;

	if (x_kept != y_kept)
		return x_kept ? -1 : 1;
	return x->activity != y->activity ? (x->activity < y->activity ? 1 : -1)
	                                  : (x->levels > y->levels) - (x->levels < y->levels);
}

static bool useless(const exact_learner *l, const learn_clause *c)
{
	for (uint32_t i = 0; i < c->size; i++)
		if (l->root[c->literal[i].key] >= c->literal[i].least)
			return true;
	return false;
}

/* Forgets the worse half; nothing hangs on clauses before the first decision. */
static void forget(exact_learner *l)
{
	guint kept = 0, most = l->clauses->len / 2;

	if (l->clauses->len < l->most_clauses)
		return;
	g_ptr_array_sort(l->clauses, worse_clause);
	for (guint i = 0; i < l->clauses->len; i++) {
		learn_clause *c = g_ptr_array_index(l->clauses, i);

		if (useless(l, c) || (kept >= most && c->levels > KEPT_LEVELS))
			g_free(c);
		else
			g_ptr_array_index(l->clauses, kept++) = c;
	}
	g_ptr_array_set_size(l->clauses, (gint)kept);
	for (uint32_t i = 0; i < 2 * l->atoms; i++)
		if (l->watch[i])
			g_array_set_size(l->watch[i], 0);
	for (guint i = 0; i < kept; i++) {
		const learn_clause *c = g_ptr_array_index(l->clauses, i);

		watch(l, c->literal[0], i, c->literal[1]);
		watch(l, c->literal[1], i, c->literal[0]);
	}
	l->most_clauses += MORE_CLAUSES;
}

void exact_i_learner_reset(exact_learner *l)
{
	l->restarts = 0;
	l->until_restart = RESTART;
	l->most_clauses = FIRST_CLAUSES;
}

static void restart(exact_learner *l)
{
	cancel(l, 0);
	settle(l);
	l->until_restart = RESTART * luby(l->restarts++);
}

/* ---- The search. ---- */

/* False: every start is fixed. */
static bool decide_next(exact_learner *l)
{
	uint32_t best = UINT32_MAX;

	while (l->heap_size) {
		uint32_t atom = heap_pop(l), v = l->task_of[atom];
		int32_t t = (int32_t)atom - l->offset[v];

		if (l->value[2 * v] >= t || l->value[2 * v + 1] >= 1 - t)
			continue;
		if (l->phase[atom])
			decide(l, 2 * v, t);
		else
			decide(l, 2 * v + 1, 1 - t);
		return true;
	}
	for (uint32_t v = 0; v <= l->m->tasks; v++)
		if (l->value[2 * v] + l->value[2 * v + 1] < 0 &&
		    (best == UINT32_MAX || l->value[2 * v] < l->value[2 * best]))
			best = v;
	if (best == UINT32_MAX)
		return false;
	decide(l, 2 * best + 1, -l->value[2 * best]);
	return true;
}

void exact_i_learner_end_from(exact_learner *l, int64_t time)
{
	l->refuted = l->refuted || !exact_i_raise(l, 2 * l->m->tasks, (int32_t)time, LEARN_NONE, 0);
}

void exact_i_learner_end_by(exact_learner *l, int64_t time)
{
	l->refuted = l->refuted || !exact_i_raise(l, 2 * l->m->tasks + 1, (int32_t)-time, LEARN_NONE, 0);
}

/* Before the first decision: forgets, and assumes the end.  OPEN: go on. */
static enum exact_answer begin_again(exact_learner *l, int32_t end)
{
	uint32_t key = 2 * l->m->tasks;

	settle(l);
	if (l->value[key] > end)
		return EXACT_UNSAT;
	forget(l);
	if (l->value[key + 1] < -end) {
		decide(l, key + 1, -end);
		return EXACT_OPEN;
	}
	return decide_next(l) ? EXACT_OPEN : EXACT_SAT;
}

enum exact_answer exact_i_learner_search(exact_learner *l, int64_t end, uint64_t conflicts, int64_t *start)
{
	enum exact_answer answer = l->refuted ? EXACT_UNSAT : EXACT_OPEN;
	uint64_t left = conflicts, decisions = 0;

	while (answer == EXACT_OPEN && left > 0) {
		if (!follow(l)) {
			left--;
			l->result->conflicts++;
			l->until_restart -= l->until_restart > 0;
			if (!learn(l)) {
				l->refuted = true;
				answer = EXACT_UNSAT;
			} else if (left % ASK_CONFLICTS == 0 && alg_stopped(l->options, l->result)) {
				break;
			}
			continue;
		}
		if (++decisions % ASK_DECISIONS == 0 && alg_stopped(l->options, l->result))
			break;
		if (exact_i_level(l) > 0 && l->until_restart == 0)
			restart(l);
		if (exact_i_level(l) == 0)
			answer = begin_again(l, (int32_t)end);
		else if (!decide_next(l))
			answer = EXACT_SAT;
	}
	for (uint32_t v = 0; answer == EXACT_SAT && v <= l->m->tasks; v++)
		start[v] = l->value[2 * v];
	cancel(l, 0);
	return answer;
}
