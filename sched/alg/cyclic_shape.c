/* SPDX-License-Identifier: Apache-2.0
 *
 * The second aim: at the interval found, few stages, and few values kept at a time.  One operation after the other
 * moves within the room that its neighbours and the resources leave, to where stages, then the values of the fullest
 * cycle, then the sum of life times, then the length are least; until a whole round changes nothing.
 */
#include <string.h>

#include "sched/alg/cyclic_int.h"

/* Edges and cycles looked at. */
#define WORK_MAX INT64_C(20000000)

typedef struct cost {
	int64_t stages, max_live, life, length;
} cost;

typedef struct shape {
	const cyclic_graph *g;
	const cyclic_problem *p;
	const cyclic_options *options;
	cyclic_result *r;
	cyclic_table table;
	int64_t ii, work;
	uint64_t moves;
	int64_t *live; /* [ii + 1] changes from cycle to cycle of the kernel */
} shape;

/* First and last cycle in which the value of V is kept; false when it has none. */
static bool life_of(const shape *s, uint32_t v, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (uint32_t i = s->g->first_out[v]; i < s->g->first_out[v + 1]; i++) {
		const cyclic_edge *e = cyclic_edge_at(s->p, s->g->out[i]);

		if (!e->value)
			continue;
		*from = MIN(*from, s->r->start[v] + e->latency);
		*to = MAX(*to, s->r->start[e->to] + s->ii * (int64_t)e->distance);
	}
	return *from != INT64_MAX;
}

static cost measure(shape *s)
{
	cost c = {0};
	int64_t first = INT64_MAX, last = INT64_MIN, sum = 0;

	memset(s->live, 0, (gsize)(s->ii + 1) * sizeof(*s->live));
	for (uint32_t v = 0; v < s->p->ops->len; v++) {
		int64_t from, to, cell, rest;

		first = MIN(first, s->r->start[v]);
		last = MAX(last, s->r->start[v]);
		if (!life_of(s, v, &from, &to))
			continue;
		c.life += to - from + 1;
		cell = cyclic_i_row(from, s->ii);
		rest = (to - from + 1) % s->ii;
		s->live[0] += (to - from + 1) / s->ii;
		s->live[cell]++;
		s->live[MIN(cell + rest, s->ii)]--;
		if (cell + rest > s->ii) {
			s->live[0]++;
			s->live[cell + rest - s->ii]--;
		}
	}
	for (int64_t i = 0; i < s->ii; i++) {
		sum += s->live[i];
		c.max_live = MAX(c.max_live, sum);
	}
	c.length = s->p->ops->len ? last - first : 0;
	c.stages = c.length / s->ii + 1;
	s->work += s->p->edges->len + s->p->ops->len + s->ii;
	return c;
}

static bool better(const cost *a, const cost *b)
{
	if (a->stages != b->stages)
		return a->stages < b->stages;
	if (a->max_live != b->max_live)
		return a->max_live < b->max_live;
	return a->life != b->life ? a->life < b->life : a->length < b->length;
}

/* Where V may start for its neighbours' sake, two intervals from where it is at most. */
static void window(const shape *s, uint32_t v, int64_t *from, int64_t *to)
{
	*from = s->r->start[v] - 2 * s->ii;
	*to = s->r->start[v] + 2 * s->ii;
	for (uint32_t i = s->g->first_in[v]; i < s->g->first_in[v + 1]; i++) {
		const cyclic_edge *e = cyclic_edge_at(s->p, s->g->in[i]);

		if (e->from != v)
			*from = MAX(*from, s->r->start[e->from] + cyclic_i_lag(e, s->ii));
	}
	for (uint32_t i = s->g->first_out[v]; i < s->g->first_out[v + 1]; i++) {
		const cyclic_edge *e = cyclic_edge_at(s->p, s->g->out[i]);

		if (e->to != v)
			*to = MIN(*to, s->r->start[e->to] - cyclic_i_lag(e, s->ii));
	}
}

/* Puts V where it costs least; true when that is another place than before. */
static bool move(shape *s, uint32_t v, cost *now)
{
	int64_t from, to, best_start = s->r->start[v], old = best_start;
	uint32_t best_mode = s->r->mode[v], old_mode = best_mode;

	window(s, v, &from, &to);
	cyclic_i_release(&s->table, v, old_mode, old);
	for (int64_t at = from; at <= to && s->work < WORK_MAX && s->moves < s->options->moves; at++)
		for (uint32_t m = 0; m < cyclic_op_at(s->p, v)->modes; m++) {
			cost c;

			if (at == old || !cyclic_i_take(&s->table, v, m, at))
				continue;
			cyclic_i_release(&s->table, v, m, at);
			s->r->start[v] = at;
			c = measure(s);
			s->moves++;
			if (better(&c, now)) {
				*now = c;
				best_start = at;
				best_mode = m;
			}
			break;
		}
	s->r->start[v] = best_start;
	s->r->mode[v] = best_mode;
	cyclic_i_force(&s->table, v, best_mode, best_start);
	return best_start != old;
}

static void normalise(const cyclic_problem *p, cyclic_result *r)
{
	int64_t first = INT64_MAX;

	for (uint32_t v = 0; v < p->ops->len; v++)
		first = MIN(first, r->start[v]);
	for (uint32_t v = 0; v < p->ops->len; v++)
		r->start[v] -= first;
}

/* Each value is kept from its least latency to its greatest at least. */
static uint64_t bound_live(const cyclic_graph *g, int64_t ii)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < g->p->ops->len; v++) {
		int64_t least = INT64_MAX, most = INT64_MIN;

		for (uint32_t i = g->first_out[v]; i < g->first_out[v + 1]; i++) {
			const cyclic_edge *e = cyclic_edge_at(g->p, g->out[i]);

			if (e->value) {
				least = MIN(least, e->latency);
				most = MAX(most, e->latency);
			}
		}
		if (least != INT64_MAX)
			sum += most - least + 1;
	}
	return (uint64_t)((sum + ii - 1) / ii);
}

void cyclic_i_shape(const cyclic_graph *g, const cyclic_options *options, cyclic_result *r)
{
	shape s = {.g = g, .p = g->p, .options = options, .r = r, .ii = r->ii};
	bool moved = true;
	cost now;

	s.live = g_new(int64_t, (gsize)r->ii + 1);
	now = measure(&s);
	if (cyclic_i_table_init(&s.table, g->p, r->ii)) {
		for (uint32_t v = 0; v < g->p->ops->len; v++)
			cyclic_i_force(&s.table, v, r->mode[v], r->start[v]);
		while (moved && s.work < WORK_MAX && s.moves < options->moves && !cyclic_i_stopped(options, r)) {
			moved = false;
			for (uint32_t v = 0; v < g->p->ops->len; v++)
				moved = move(&s, v, &now) || moved;
		}
		cyclic_i_table_fini(&s.table);
	}
	normalise(g->p, r);
	r->stages = (uint32_t)now.stages;
	r->max_live = (uint64_t)now.max_live;
	r->live_bound = bound_live(g, r->ii);
	g_free(s.live);
}
