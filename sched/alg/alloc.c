/* SPDX-License-Identifier: Apache-2.0
 *
 * Static memory allocation: cliques, bounds, and which engine is asked when.
 */
#include "sched/alg/alloc.h"

#include <string.h>

#include "sched/alg/alloc_int.h"

void alloc_problem_free(alloc_problem *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		g_free(p->buffers[i].id);
	g_free(p->buffers);
	g_free(p);
}

typedef struct event {
	int64_t at;
	bool begins;
	uint32_t buffer;
} event;

/* Lives end before others begin in the same cycle. */
static int by_time(const void *a, const void *b)
{
	const event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1;
	return x->buffer < y->buffer ? -1 : 1;
}

static event *events_of(const alloc_problem *p)
{
	event *events = g_new(event, 2 * (size_t)p->count + 1);

	for (uint32_t i = 0; i < p->count; i++) {
		events[2 * i] = (event){p->buffers[i].lower, true, i};
		events[2 * i + 1] = (event){p->buffers[i].upper, false, i};
	}
	qsort(events, 2 * (size_t)p->count, sizeof(*events), by_time);
	return events;
}

/* A clique is complete when a life ends after another began. */
static void find_cliques(alloc_map *m)
{
	g_autofree event *events = events_of(m->p);
	bool grew = false;
	int64_t live = 0;

	for (size_t i = 0; i < 2 * (size_t)m->count; i++) {
		const alloc_buffer *b = &m->p->buffers[events[i].buffer];

		if (events[i].begins) {
			m->first[events[i].buffer] = m->cliques;
			live += b->size_bytes;
			grew = true;
			continue;
		}
		if (grew)
			m->load[m->cliques++] = live;
		m->last[events[i].buffer] = m->cliques - 1;
		live -= b->size_bytes;
		grew = false;
	}
}

static void find_members(alloc_map *m)
{
	g_autofree uint32_t *at = g_new0(uint32_t, m->cliques + 1);
	size_t total = 0;

	for (uint32_t b = 0; b < m->count; b++)
		for (uint32_t t = m->first[b]; t <= m->last[b]; t++) {
			m->start[t + 1]++;
			total++;
		}
	for (uint32_t t = 0; t < m->cliques; t++)
		at[t + 1] = m->start[t + 1] += m->start[t];
	m->members = g_new(uint32_t, total + 1);
	for (uint32_t b = 0; b < m->count; b++)
		for (uint32_t t = m->first[b]; t <= m->last[b]; t++)
			m->members[at[t]++] = b;
}

alloc_map *alloc_i_map_new(const alloc_problem *p)
{
	alloc_map *m = g_new0(alloc_map, 1);

	m->p = p;
	m->count = p->count;
	m->first = g_new(uint32_t, p->count + 1);
	m->last = g_new(uint32_t, p->count + 1);
	m->load = g_new(int64_t, p->count + 1);
	m->start = g_new0(uint32_t, (size_t)p->count + 2);
	find_cliques(m);
	if (p->count <= ALLOC_EXACT_MAX)
		find_members(m);
	return m;
}

void alloc_i_map_free(alloc_map *m)
{
	g_free(m->first);
	g_free(m->last);
	g_free(m->load);
	g_free(m->start);
	g_free(m->members);
	g_free(m);
}

int64_t alloc_i_height(const alloc_problem *p, const int64_t *address)
{
	int64_t height = 0;

	for (uint32_t i = 0; i < p->count; i++)
		height = MAX(height, address[i] + p->buffers[i].size_bytes);
	return height;
}

static int64_t bound_of(const alloc_map *m)
{
	int64_t bound = 0;

	for (uint32_t t = 0; t < m->cliques; t++)
		bound = MAX(bound, m->load[t]);
	for (uint32_t i = 0; i < m->count; i++)
		if (m->p->buffers[i].fixed != ALLOC_FREE)
			bound = MAX(bound, m->p->buffers[i].fixed + m->p->buffers[i].size_bytes);
	return bound;
}

int64_t alloc_max_live(const alloc_problem *p)
{
	alloc_map *m = alloc_i_map_new(p);
	int64_t bound = bound_of(m);

	alloc_i_map_free(m);
	return bound;
}

/* Heights that are no multiple of it do not occur: all sizes and addresses are. */
static int64_t granule_of(const alloc_problem *p)
{
	int64_t granule = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		int64_t of[] = {p->buffers[i].size_bytes, p->buffers[i].alignment_bytes, p->buffers[i].fixed};

		for (unsigned k = 0; k < G_N_ELEMENTS(of); k++) {
			if (k == 1 && granule && granule % of[1] != 0 && of[1] % granule != 0)
				return 1;
			if (of[k] < 0 || (k == 1 && (of[1] == 1 || (granule && granule % of[1] == 0))))
				continue;
			for (int64_t b = of[k]; b;) {
				int64_t rest = granule % b;

				granule = b;
				b = rest;
			}
		}
	}
	return MAX(granule, 1);
}

enum { DIVES = 8, SHARE_NODES = 5000 };

typedef struct solver {
	const alloc_map *m;
	const alloc_options *o;
	alloc_result *r;
	int64_t *other;
	uint32_t *order;
	int64_t granule;
} solver;

static bool stopped(const alloc_options *o)
{
	return o->stop && o->stop(o->stop_state);
}

static void take(solver *s, const char *by)
{
	int64_t height = alloc_i_height(s->m->p, s->other);

	if (height >= s->r->height_bytes)
		return;
	memcpy(s->r->address, s->other, s->m->count * sizeof(*s->other));
	s->r->height_bytes = height;
	s->r->by = by;
}

/* Asks for CAPACITY with LIMIT nodes at most; a proof that there is none lifts the bound. */
static enum alloc_i_outcome ask(solver *s, int64_t capacity, uint64_t limit)
{
	enum alloc_i_outcome outcome;

	limit = MIN(limit, s->o->nodes - MIN(s->o->nodes, s->r->nodes));
	outcome = alloc_i_exact(s->m, s->o, capacity, limit, s->other, &s->r->nodes);
	if (outcome == ALLOC_I_FOUND)
		take(s, "exact");
	else if (outcome == ALLOC_I_NONE)
		s->r->lower_bound_bytes = MAX(s->r->lower_bound_bytes, capacity / s->granule * s->granule + s->granule);
	return outcome;
}

/* Between the bound and what was found: first the bound itself; then down from what was found in steps that are halved
 * when the budget of a question ends without an answer, and begin anew, with twice the budget, when none is left. */
static void descend(solver *s)
{
	uint64_t share = SHARE_NODES + 10 * (uint64_t)s->m->count;
	int64_t step = INT64_MAX;

	while (s->r->lower_bound_bytes < s->r->height_bytes && s->r->nodes < s->o->nodes && !stopped(s->o)) {
		int64_t gap = s->r->height_bytes - s->r->lower_bound_bytes;

		step = MIN(step, gap);
		if (ask(s, s->r->height_bytes - step, share) != ALLOC_I_CUT)
			continue;
		step = step / 2 / s->granule * s->granule;
		if (step < MAX(gap / 64, s->granule)) {
			step = INT64_MAX;
			share = MIN(share * 2, s->o->nodes);
		}
	}
}

/* First descents into skylines for falling capacities: what greedy allocation is at its best. */
static void dive(solver *s)
{
	int64_t low = s->r->lower_bound_bytes;

	for (unsigned i = 0; i < DIVES && s->m->count <= ALLOC_EXACT_MAX && low < s->r->height_bytes && !stopped(s->o);
	     i++) {
		int64_t capacity = low + (s->r->height_bytes - low) / 2 / s->granule * s->granule;
		enum alloc_i_outcome outcome =
			alloc_i_exact(s->m, s->o, capacity, 2 * (uint64_t)s->m->count, s->other, &s->r->nodes);

		if (outcome == ALLOC_I_FOUND)
			take(s, "skyline");
		else
			low = capacity + s->granule;
	}
}

static void search(solver *s)
{
	const alloc_options *o = s->o;
	alloc_result *r = s->r;
	int64_t target = o->minimise || !o->capacity_bytes ? r->lower_bound_bytes : o->capacity_bytes;

	if (r->height_bytes > target) {
		memcpy(s->other, r->address, s->m->count * sizeof(*s->other));
		r->moves = alloc_i_local(s->m, o, target, s->order, s->other);
		take(s, "local");
	}
	if (r->height_bytes <= target || r->lower_bound_bytes > target || s->m->count > ALLOC_EXACT_MAX)
		return;
	if (o->capacity_bytes && r->height_bytes > o->capacity_bytes &&
	    ask(s, o->capacity_bytes, o->nodes) != ALLOC_I_FOUND)
		return;
	if (target == r->lower_bound_bytes)
		descend(s);
}

/* The first buffer, in order of the file, whose fixed bytes one before it has at the same time, and that one. */
static void find_colliding(const alloc_problem *p, alloc_result *r)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; p->buffers[i].fixed != ALLOC_FREE && k < i; k++) {
			const alloc_buffer *a = &p->buffers[k], *b = &p->buffers[i];

			if (a->fixed == ALLOC_FREE || a->upper <= b->lower || b->upper <= a->lower ||
			    a->fixed + a->size_bytes <= b->fixed || b->fixed + b->size_bytes <= a->fixed)
				continue;
			r->collide = true;
			r->colliding[0] = k;
			r->colliding[1] = i;
			return;
		}
}

void alloc_solve(const alloc_problem *p, const alloc_options *o, alloc_result *r)
{
	alloc_map *m = alloc_i_map_new(p);
	solver s = {m, o, r, g_new0(int64_t, p->count + 1), g_new(uint32_t, p->count + 1), granule_of(p)};

	*r = (alloc_result){.address = g_new0(int64_t, p->count + 1), .by = "greedy", .height_bytes = INT64_MAX};
	r->lower_bound_bytes = (bound_of(m) + s.granule - 1) / s.granule * s.granule;
	if (!alloc_i_greedy(m, o, r->lower_bound_bytes, s.other, s.order)) {
		r->status = ALLOC_INFEASIBLE;
		r->height_bytes = 0;
		g_clear_pointer(&r->address, g_free);
		find_colliding(p, r);
	} else {
		take(&s, "greedy");
		dive(&s);
		r->greedy_height_bytes = r->height_bytes;
		r->nodes = 0;
		search(&s);
		if (o->capacity_bytes && r->lower_bound_bytes > o->capacity_bytes)
			r->status = ALLOC_INFEASIBLE;
		else if (r->height_bytes <= r->lower_bound_bytes)
			r->status = ALLOC_OPTIMAL;
		else if (!o->capacity_bytes || r->height_bytes <= o->capacity_bytes)
			r->status = ALLOC_FEASIBLE;
		else
			r->status = ALLOC_UNKNOWN;
	}
	g_free(s.other);
	g_free(s.order);
	alloc_i_map_free(m);
}

void alloc_result_fini(alloc_result *r)
{
	g_clear_pointer(&r->address, g_free);
}

const char *alloc_status_name(enum alloc_status status)
{
	static const char *const names[] = {
		[ALLOC_OPTIMAL] = "optimal",
		[ALLOC_FEASIBLE] = "feasible",
		[ALLOC_INFEASIBLE] = "infeasible",
		[ALLOC_UNKNOWN] = "unknown",
	};

	return names[status];
}
