/* SPDX-License-Identifier: Apache-2.0
 *
 * Ratios of cycles; see cyclic_ratio.h.  Nodes are relaxed in an order that arcs without distance follow, where there
 * is one: one round then carries a value through a whole iteration.
 */
#include "sched/alg/cyclic_ratio.h"

#include <string.h>

typedef struct search {
	const cyclic_arc *arcs; /* by their beginning */
	uint32_t arc_count, nodes;
	uint32_t *start;  /* [nodes + 1] into arcs */
	uint32_t *order;  /* [nodes] */
	uint32_t *parent; /* [nodes] arc of the longest way; UINT32_MAX */
	uint32_t *seen;   /* [nodes] scratch */
	__int128 *value;  /* [nodes] */
} search;

static int by_from(gconstpointer a, gconstpointer b)
{
	const cyclic_arc *x = a, *y = b;

	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	if (x->to != y->to)
		return x->to > y->to ? 1 : -1;
	if (x->distance != y->distance)
		return x->distance > y->distance ? 1 : -1;
	return x->time != y->time ? (x->time > y->time ? 1 : -1) : (x->name > y->name) - (x->name < y->name);
}

/* Where arcs without distance make a cycle, its nodes and those behind it follow by number. */
static void arrange(search *s)
{
	g_autofree uint32_t *waits = g_new0(uint32_t, s->nodes + 1);
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < s->arc_count; i++) {
		s->start[s->arcs[i].from + 1]++;
		waits[s->arcs[i].to] += s->arcs[i].distance == 0;
	}
	for (uint32_t n = 0; n < s->nodes; n++) {
		s->start[n + 1] += s->start[n];
		if (!waits[n])
			s->order[tail++] = n;
	}
	for (; head < tail; head++)
		for (uint32_t i = s->start[s->order[head]]; i < s->start[s->order[head] + 1]; i++)
			if (s->arcs[i].distance == 0 && --waits[s->arcs[i].to] == 0)
				s->order[tail++] = s->arcs[i].to;
	for (uint32_t n = 0; tail < s->nodes && n < s->nodes; n++)
		if (waits[n])
			s->order[tail++] = n;
}

/* A node on a cycle of parents, UINT32_MAX when there is none. */
static uint32_t parent_cycle(search *s)
{
	memset(s->seen, 0, s->nodes * sizeof(*s->seen));
	for (uint32_t n = 0; n < s->nodes; n++) {
		uint32_t at = n;

		while (!s->seen[at]) {
			s->seen[at] = n + 1;
			if (s->parent[at] == UINT32_MAX)
				break;
			at = s->arcs[s->parent[at]].from;
		}
		if (s->seen[at] == n + 1 && s->parent[at] != UINT32_MAX)
			return at;
	}
	return UINT32_MAX;
}

/* A cycle whose ratio is above RATE; a node of it, or UINT32_MAX.  `parent` leads along it, backwards. */
static uint32_t better_cycle(search *s, cyclic_rate rate)
{
	bool moved = true;
	uint32_t found = UINT32_MAX;

	memset(s->value, 0, s->nodes * sizeof(*s->value));
	memset(s->parent, 0xff, s->nodes * sizeof(*s->parent));
	while (moved && found == UINT32_MAX) {
		moved = false;
		for (uint32_t k = 0; k < s->nodes; k++) {
			uint32_t n = s->order[k];

			for (uint32_t i = s->start[n]; i < s->start[n + 1]; i++) {
				const cyclic_arc *a = &s->arcs[i];
				__int128 value = s->value[n] + (__int128)a->time * rate.distance -
				                 (__int128)rate.time * a->distance;

				if (value <= s->value[a->to])
					continue;
				s->value[a->to] = value;
				s->parent[a->to] = i;
				moved = true;
			}
		}
		found = moved ? parent_cycle(s) : UINT32_MAX;
	}
	return found;
}

static cyclic_rate lowest(int64_t time, int64_t distance)
{
	int64_t a = time, b = distance;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	a = a < 0 ? -a : a;
	return a ? (cyclic_rate){time / a, distance / a} : (cyclic_rate){0, 1};
}

/* Ratio of the cycle of parents through NODE; its arcs, in order, into NAMES. */
static cyclic_rate measure(const search *s, uint32_t node, GArray *names)
{
	int64_t time = 0, distance = 0;
	uint32_t at = node;

	if (names)
		g_array_set_size(names, 0);
	do {
		const cyclic_arc *a = &s->arcs[s->parent[at]];

		time += a->time;
		distance += a->distance;
		if (names)
			g_array_append_val(names, a->name);
		at = a->from;
	} while (at != node);
	for (guint i = 0; names && i < names->len / 2; i++) {
		uint32_t *one = &g_array_index(names, uint32_t, i);
		uint32_t *other = &g_array_index(names, uint32_t, names->len - 1 - i);
		uint32_t kept = *one;

		*one = *other;
		*other = kept;
	}
	return lowest(time, distance);
}

bool cyclic_best_ratio(GArray *arcs, uint32_t nodes, cyclic_rate floor, cyclic_rate *best, GArray *names)
{
	g_autofree uint32_t *words = g_new0(uint32_t, 4 * (gsize)nodes + 2);
	g_autofree __int128 *value = g_new(__int128, nodes + 1);
	search s = {.arc_count = arcs->len, .nodes = nodes, .start = words, .value = value};
	bool found = false;
	uint32_t at;

	s.order = words + nodes + 1;
	s.parent = s.order + nodes;
	s.seen = s.parent + nodes;
	g_array_sort(arcs, by_from);
	s.arcs = (const cyclic_arc *)(const void *)arcs->data;
	arrange(&s);
	*best = floor;
	while (best->distance && (at = better_cycle(&s, *best)) != UINT32_MAX) {
		*best = measure(&s, at, names);
		found = true;
	}
	return found;
}
