/* SPDX-License-Identifier: Apache-2.0
 *
 * Parallel schedule generation.  Events are ends of tasks, times at which the last arc into a task has run out, and
 * changes of capacity; they wait in a heap.  At each event the ready task of least rank that fits starts, until none
 * does.
 *
 * With at most MOST_KINDS different demands ready tasks wait in a heap for each kind, and only the tops are asked. With
 * more they are leaves, in order of rank, of a tree whose nodes know the least demand below for up to KEYS resources,
 * the busiest ones.  A search that has looked at MOST_NODES nodes gives up until the next event, which bounds the work
 * for each event; trees with fewer nodes are searched whole.
 *
 * Up to SMALL_TASKS tasks whose demands are one word each (sched/alg/sgs.c) wait as bits in order of rank instead, and
 * all of them are asked: searches build many schedules of such problems.
 */
#include "sched/alg/sgs_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 64, KEYS = 4, MOST_NODES = 256, WHOLE_LEAVES = 4096, SMALL_TASKS = 512, NONE = UINT32_MAX };

/* A heap of numbers by key, ties by number. */
typedef struct heap {
	int64_t *key;
	uint32_t *item;
	uint32_t size, room;
} heap;

static bool before(const heap *h, int64_t key, uint32_t item, uint32_t at)
{
	return key != h->key[at] ? key < h->key[at] : item < h->item[at];
}

static void heap_put(heap *h, uint32_t at, int64_t key, uint32_t item)
{
	h->key[at] = key;
	h->item[at] = item;
}

static void heap_push(heap *h, int64_t key, uint32_t item)
{
	uint32_t at;

	if (h->size == h->room) {
		h->room = MAX(2 * h->room, 16);
		h->key = g_renew(int64_t, h->key, h->room);
		h->item = g_renew(uint32_t, h->item, h->room);
	}
	for (at = h->size++; at > 0 && before(h, key, item, (at - 1) / 2); at = (at - 1) / 2)
		heap_put(h, at, h->key[(at - 1) / 2], h->item[(at - 1) / 2]);
	heap_put(h, at, key, item);
}

static uint32_t heap_pop(heap *h)
{
	uint32_t top = h->item[0], at = 0;
	int64_t key;
	uint32_t item;

	h->size--;
	key = h->key[h->size];
	item = h->item[h->size];
	for (uint32_t child; (child = 2 * at + 1) < h->size; at = child) {
		if (child + 1 < h->size && before(h, h->key[child + 1], h->item[child + 1], child))
			child++;
		if (before(h, key, item, child))
			break;
		heap_put(h, at, h->key[child], h->item[child]);
	}
	heap_put(h, at, key, item);
	return top;
}

static void heap_fini(heap *h)
{
	g_free(h->key);
	g_free(h->item);
}

/* Ready tasks, and what is needed to find the first that fits. */
typedef struct waiting {
	uint32_t kinds; /* 0: a tree */
	uint32_t *kind; /* per task */
	heap *by_kind;
	uint32_t *example; /* a task of each kind */
	uint32_t leaves, keys;
	uint32_t key_resource[KEYS];
	uint32_t *least;    /* [node * KEYS + key], root 1; UINT32_MAX below nothing ready */
	uint32_t *key_need; /* [task * KEYS + key] */
	uint32_t *task_of;  /* per rank */
	/* Of small problems, which have none of the above but task_of. */
	uint64_t *ready;      /* bits by rank */
	uint32_t *open, left; /* left: not started yet */
	heap events;
} waiting;

void alg_sgs_i_free_parallel(alg_sgs *s)
{
	waiting *w = s->waiting;

	if (!w)
		return;
	for (uint32_t k = 0; k < w->kinds; k++)
		heap_fini(&w->by_kind[k]);
	g_free(w->by_kind);
	g_free(w->kind);
	g_free(w->example);
	g_free(w->least);
	g_free(w->key_need);
	g_free(w->task_of);
	g_free(w->ready);
	g_free(w->open);
	heap_fini(&w->events);
	g_free(w);
}

static bool same_demands(const alg_flat *f, uint32_t a, uint32_t b)
{
	uint32_t n = f->demand_first[a + 1] - f->demand_first[a];

	return n == f->demand_first[b + 1] - f->demand_first[b] &&
	       memcmp(f->demand + f->demand_first[a], f->demand + f->demand_first[b], n * sizeof(alg_demand)) == 0;
}

/* Sorts tasks into kinds of equal demands; false when there are too many. */
static bool find_kinds(const alg_flat *f, waiting *w)
{
	w->kind = g_new(uint32_t, f->tasks + 1);
	w->example = g_new(uint32_t, MOST_KINDS);
	for (uint32_t v = 0; v < f->tasks; v++) {
		uint32_t k = 0;

		while (k < w->kinds && !same_demands(f, w->example[k], v))
			k++;
		if (k == MOST_KINDS)
			return false;
		if (k == w->kinds)
			w->example[w->kinds++] = v;
		w->kind[v] = k;
	}
	w->by_kind = g_new0(heap, w->kinds + 1);
	return true;
}

static void choose_keys(const alg_flat *f, waiting *w)
{
	g_autofree double *load = g_new0(double, f->resources + 1);

	for (uint32_t v = 0; v < f->tasks; v++)
		for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
			load[f->demand[d].resource] +=
				(double)f->duration[v] * f->demand[d].amount / f->capacity[f->demand[d].resource];
	for (w->keys = 0; w->keys < KEYS; w->keys++) {
		uint32_t best = NONE;

		for (uint32_t r = 0; r < f->resources; r++)
			if (load[r] > 0 && (best == NONE || load[r] > load[best]))
				best = r;
		if (best == NONE)
			break;
		w->key_resource[w->keys] = best;
		load[best] = 0;
	}
}

static void make_tree(const alg_flat *f, waiting *w)
{
	choose_keys(f, w);
	w->key_need = g_new0(uint32_t, (size_t)f->tasks * KEYS + 1);
	for (uint32_t v = 0; v < f->tasks; v++)
		for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++)
			for (uint32_t k = 0; k < w->keys; k++)
				if (f->demand[d].resource == w->key_resource[k])
					w->key_need[(size_t)v * KEYS + k] = f->demand[d].amount;
	for (w->leaves = 1; w->leaves < f->tasks;)
		w->leaves *= 2;
	w->least = g_new(uint32_t, (size_t)2 * w->leaves * KEYS);
}

static bool is_small(const alg_sgs *s)
{
	return s->words == 1 && !s->f->windows && s->f->tasks <= SMALL_TASKS;
}

static waiting *waiting_new(const alg_sgs *s)
{
	const alg_flat *f = s->f;
	waiting *w = g_new0(waiting, 1);

	w->task_of = g_new(uint32_t, f->tasks + 1);
	if (is_small(s)) {
		w->ready = g_new(uint64_t, SMALL_TASKS / 64);
		w->open = g_new(uint32_t, f->tasks + 1);
	} else if (!find_kinds(f, w)) {
		w->kinds = 0;
		make_tree(f, w);
	}
	return w;
}

/* One run. */
typedef struct run {
	const alg_flat *f;
	waiting *w;
	const uint32_t *rank;
	int64_t *start;
	uint32_t *open;           /* arcs into each task whose source has not started */
	int64_t *free;            /* per resource, now */
	alg_calendar **calendars; /* of all resources, when some change; else NULL */
	heap events;
	GArray *aside; /* ready tasks that fit now and not for their whole duration */
	int64_t now;
	uint32_t nodes; /* of the tree still to be looked at in this event */
	uint32_t from;  /* ready tasks of lower rank do not fit in this event */
} run;

/* Events of the heap: ends below TASKS, readiness from TASKS on, changes of capacity from 2 * TASKS on. */

static void set_leaf(run *r, uint32_t v, bool ready)
{
	waiting *w = r->w;
	uint32_t node = w->leaves + r->rank[v];

	for (uint32_t k = 0; k < w->keys; k++)
		w->least[(size_t)node * KEYS + k] = ready ? w->key_need[(size_t)v * KEYS + k] : NONE;
	for (node /= 2; node > 0; node /= 2)
		for (uint32_t k = 0; k < w->keys; k++)
			w->least[(size_t)node * KEYS + k] =
				MIN(w->least[(size_t)2 * node * KEYS + k], w->least[((size_t)2 * node + 1) * KEYS + k]);
}

static void make_ready(run *r, uint32_t v)
{
	if (r->w->kinds)
		heap_push(&r->w->by_kind[r->w->kind[v]], r->rank[v], v);
	else
		set_leaf(r, v, true);
	r->from = MIN(r->from, r->rank[v]);
}

static bool fits_now(const run *r, uint32_t v)
{
	for (uint32_t d = r->f->demand_first[v]; d < r->f->demand_first[v + 1]; d++)
		if (r->f->demand[d].amount > r->free[r->f->demand[d].resource])
			return false;
	return true;
}

/* The leaf of least rank, from r->from on, below NODE with its WIDTH leaves from rank FIRST on, whose task fits; or
 * NONE. */
static uint32_t first_fit(run *r, uint32_t node, uint32_t first, uint32_t width)
{
	const waiting *w = r->w;
	uint32_t found;

	if (first + width <= r->from || r->nodes == 0)
		return NONE;
	r->nodes--;
	for (uint32_t k = 0; k < w->keys; k++)
		if (w->least[(size_t)node * KEYS + k] > r->free[w->key_resource[k]])
			return NONE;
	if (width == 1)
		return fits_now(r, w->task_of[first]) ? w->task_of[first] : NONE;
	found = first_fit(r, 2 * node, first, width / 2);
	return found != NONE ? found : first_fit(r, 2 * node + 1, first + width / 2, width / 2);
}

/* Takes the ready task of least rank that fits out of those that wait; NONE when there is none. */
static uint32_t take_next(run *r)
{
	waiting *w = r->w;
	uint32_t best = NONE;

	if (!w->kinds) {
		best = first_fit(r, 1, 0, w->leaves);
		if (best != NONE) {
			set_leaf(r, best, false);
			/* What did not fit before fits no better now. */
			r->from = r->rank[best] + 1;
		}
		return best;
	}
	for (uint32_t k = 0; k < w->kinds; k++)
		if (w->by_kind[k].size && (best == NONE || w->by_kind[k].key[0] < w->by_kind[best].key[0]) &&
		    fits_now(r, w->example[k]))
			best = k;
	return best == NONE ? NONE : heap_pop(&w->by_kind[best]);
}

/* When the arcs into V, whose sources have started, let it start. */
static int64_t ready_at(const alg_flat *f, uint32_t v, const int64_t *start)
{
	int64_t from = f->release[v];

	for (uint32_t i = f->in_first[v]; i < f->in_first[v + 1]; i++)
		from = MAX(from, start[f->in[i].task] + f->in[i].lag);
	return from;
}

static void start_now(run *r, uint32_t v)
{
	const alg_flat *f = r->f;

	r->start[v] = r->now;
	if (f->demand_first[v] < f->demand_first[v + 1])
		heap_push(&r->events, r->now + f->duration[v], v);
	for (uint32_t d = f->demand_first[v]; d < f->demand_first[v + 1]; d++) {
		r->free[f->demand[d].resource] -= f->demand[d].amount;
		if (r->calendars)
			alg_calendar_reserve(r->calendars[f->demand[d].resource], r->now, f->duration[v],
			                     f->demand[d].amount);
	}
	for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++) {
		uint32_t to = f->out[i].task;
		int64_t from;

		if (--r->open[to])
			continue;
		from = ready_at(f, to, r->start);
		if (from <= r->now)
			make_ready(r, to);
		else
			heap_push(&r->events, from, f->tasks + to);
	}
}

/* Everything that happens at the time of the first event. */
static void happen(run *r)
{
	const alg_flat *f = r->f;

	r->now = r->events.key[0];
	while (r->events.size && r->events.key[0] == r->now) {
		uint32_t event = heap_pop(&r->events);

		if (event < f->tasks) {
			for (uint32_t d = f->demand_first[event]; d < f->demand_first[event + 1]; d++)
				r->free[f->demand[d].resource] += f->demand[d].amount;
		} else if (event < 2 * f->tasks) {
			make_ready(r, event - f->tasks);
		}
	}
	for (uint32_t k = 0; r->calendars && k < f->resources; k++)
		r->free[k] = (int64_t)f->capacity[k] - alg_calendar_used(r->calendars[k], r->now);
}

static void start_what_fits(run *r, uint32_t *left)
{
	uint32_t v;

	r->from = 0;
	r->nodes = r->w->leaves > WHOLE_LEAVES ? MOST_NODES : UINT32_MAX;
	while ((v = take_next(r)) != NONE) {
		if (r->calendars && alg_sgs_i_earliest(r->f, r->calendars, v, r->now) > r->now) {
			g_array_append_val(r->aside, v);
			continue;
		}
		start_now(r, v);
		(*left)--;
	}
	for (guint i = 0; i < r->aside->len; i++)
		make_ready(r, g_array_index(r->aside, uint32_t, i));
	g_array_set_size(r->aside, 0);
}

static void prepare(run *r)
{
	const alg_flat *f = r->f;

	for (uint32_t k = 0; k < f->resources; k++)
		r->free[k] = f->capacity[k];
	if (f->windows)
		r->calendars = alg_sgs_i_calendars(f);
	for (uint32_t k = 0; f->windows && k < f->resources; k++)
		for (guint i = 0; f->resource[k]->steps && i < f->resource[k]->steps->len; i++)
			heap_push(&r->events, g_array_index(f->resource[k]->steps, alg_step, i).from_cycles,
			          UINT32_MAX);
	if (!r->w->kinds)
		for (size_t i = 0; i < (size_t)2 * r->w->leaves * KEYS; i++)
			r->w->least[i] = NONE;
	for (uint32_t k = 0; k < r->w->kinds; k++)
		r->w->by_kind[k].size = 0;
	for (uint32_t v = 0; v < f->tasks; v++) {
		r->w->task_of[r->rank[v]] = v;
		r->open[v] = f->in_first[v + 1] - f->in_first[v];
		if (r->open[v] == 0)
			heap_push(&r->events, f->release[v], f->tasks + v);
	}
}

static void set_ready(waiting *w, uint32_t rank)
{
	w->ready[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* Starts V; is another task ready at once? */
static bool small_start(alg_sgs *s, const uint32_t *rank, int64_t *start, uint32_t v, int64_t now)
{
	const alg_flat *f = s->f;
	waiting *w = s->waiting;
	bool at_once = false;

	start[v] = now;
	w->left--;
	if (s->need[v])
		heap_push(&w->events, now + f->duration[v], v);
	for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++) {
		uint32_t to = f->out[i].task;
		int64_t from;

		if (--w->open[to])
			continue;
		from = ready_at(f, to, start);
		if (from <= now) {
			set_ready(w, rank[to]);
			at_once = true;
		} else {
			heap_push(&w->events, from, f->tasks + to);
		}
	}
	return at_once;
}

/* All ready tasks that fit into FREE, from NOW on, in order of rank; returns what is free then. */
static uint64_t small_start_all(alg_sgs *s, const uint32_t *rank, int64_t *start, uint64_t free, int64_t now)
{
	waiting *w = s->waiting;
	uint32_t words = (s->f->tasks + 63) / 64;

	for (uint32_t at = 0; at < words; at++)
		for (uint64_t bits = w->ready[at]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(bits), v = w->task_of[64 * at + bit];

			if (!ALG_SLOT_TAKES(free, s->need[v]))
				continue;
			free -= s->need[v];
			w->ready[at] &= ~(UINT64_C(1) << bit);
			/* It may go before those that were asked. */
			if (small_start(s, rank, start, v, now)) {
				at = UINT32_MAX;
				break;
			}
		}
	return free;
}

static int64_t small_parallel(alg_sgs *s, const uint32_t *rank, int64_t *start)
{
	const alg_flat *f = s->f;
	waiting *w = s->waiting;
	uint64_t free = s->fresh[0];
	int64_t makespan = 0;

	w->left = f->tasks;
	memset(w->ready, 0, SMALL_TASKS / 64 * sizeof(*w->ready));
	for (uint32_t v = 0; v < f->tasks; v++) {
		w->task_of[rank[v]] = v;
		w->open[v] = f->in_first[v + 1] - f->in_first[v];
		if (w->open[v] == 0)
			heap_push(&w->events, f->release[v], f->tasks + v);
	}
	while (w->events.size) {
		int64_t now = w->events.key[0];

		while (w->events.size && w->events.key[0] == now) {
			uint32_t event = heap_pop(&w->events);

			if (event < f->tasks)
				free += s->need[event];
			else
				set_ready(w, rank[event - f->tasks]);
		}
		free = small_start_all(s, rank, start, free, now);
	}
	for (uint32_t v = 0; v < f->tasks && w->left == 0; v++)
		makespan = MAX(makespan, start[v] + f->duration[v]);
	return w->left ? INT64_MAX : makespan;
}

int64_t alg_sgs_parallel(alg_sgs *s, const uint32_t *rank, int64_t *start)
{
	const alg_flat *f = s->f;
	run r = {.f = f, .rank = rank, .start = start};
	uint32_t left = f->tasks;
	int64_t makespan = 0;

	if (!s->waiting)
		s->waiting = waiting_new(s);
	if (is_small(s))
		return small_parallel(s, rank, start);
	r.w = s->waiting;
	r.open = g_new(uint32_t, f->tasks + 1);
	r.free = g_new(int64_t, f->resources + 1);
	r.aside = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	prepare(&r);
	while (r.events.size) {
		happen(&r);
		start_what_fits(&r, &left);
	}
	for (uint32_t v = 0; v < f->tasks && left == 0; v++)
		makespan = MAX(makespan, start[v] + f->duration[v]);
	if (r.calendars)
		alg_sgs_i_free_calendars(f, r.calendars);
	g_free(r.open);
	g_free(r.free);
	g_array_free(r.aside, TRUE);
	heap_fini(&r.events);
	return left ? INT64_MAX : makespan;
}

void alg_sgs_list_of_ranks(const alg_flat *f, const uint32_t *rank, uint32_t *list)
{
	g_autofree uint32_t *open = g_new(uint32_t, f->tasks + 1);
	heap ready = {0};
	uint32_t placed = 0;

	for (uint32_t v = 0; v < f->tasks; v++) {
		open[v] = f->in_first[v + 1] - f->in_first[v];
		if (open[v] == 0)
			heap_push(&ready, rank[v], v);
	}
	while (ready.size) {
		uint32_t v = heap_pop(&ready);

		list[placed++] = v;
		for (uint32_t i = f->out_first[v]; i < f->out_first[v + 1]; i++)
			if (--open[f->out[i].task] == 0)
				heap_push(&ready, rank[f->out[i].task], f->out[i].task);
	}
	heap_fini(&ready);
}

void alg_sgs_repair(const alg_flat *f, uint32_t *list)
{
	g_autofree uint32_t *rank = g_new(uint32_t, f->tasks + 1);

	for (uint32_t i = 0; i < f->tasks; i++)
		rank[list[i]] = i;
	alg_sgs_list_of_ranks(f, rank, list);
}
