/* SPDX-License-Identifier: Apache-2.0
 *
 * Change points: key = time, value = amount taken from that time on until the next key.  Neighbouring equal values are
 * merged, so a resource that is reserved back to back costs one entry.  Node 0 is the empty tree.
 */
#include "sched/alg/calendar.h"

typedef struct node {
	int64_t time;
	int64_t value; /* what ancestors still have to add left out, as in least and most */
	int64_t least, most;
	int64_t add; /* to be added to both children's subtrees */
	uint32_t left, right;
	uint32_t rank; /* heap order */
} node;

struct alg_calendar {
	node *nodes;
	uint32_t used, room, free_list; /* freed nodes, linked by left */
	uint32_t root;
	int64_t capacity;
};

alg_calendar *alg_calendar_new(uint32_t capacity)
{
	alg_calendar *c = g_new0(alg_calendar, 1);

	c->room = 16;
	c->nodes = g_new0(node, c->room);
	c->nodes[0].least = INT64_MAX;
	c->nodes[0].most = INT64_MIN;
	c->used = 1;
	c->capacity = capacity;
	return c;
}

alg_calendar *alg_calendar_of_resource(const alg_resource *resource)
{
	guint steps = resource->steps ? resource->steps->len : 0;
	uint32_t most = resource->capacity;
	int64_t from = 0;
	uint32_t level = resource->capacity;
	alg_calendar *c;

	for (guint i = 0; i < steps; i++)
		most = MAX(most, g_array_index(resource->steps, alg_step, i).capacity);
	c = alg_calendar_new(most);
	for (guint i = 0; i < steps; i++) {
		const alg_step *step = &g_array_index(resource->steps, alg_step, i);

		alg_calendar_reserve(c, from, step->from_cycles - from, most - level);
		from = step->from_cycles;
		level = step->capacity;
	}
	if (steps)
		alg_calendar_reserve(c, from, INT64_MAX - from, most - level);
	return c;
}

void alg_calendar_free(alg_calendar *calendar)
{
	if (!calendar)
		return;
	g_free(calendar->nodes);
	g_free(calendar);
}

static uint32_t node_new(alg_calendar *c, int64_t time, int64_t value)
{
	uint32_t n = c->free_list;
	uint64_t z;

	if (n) {
		c->free_list = c->nodes[n].left;
	} else {
		if (c->used == c->room) {
			c->room *= 2;
			c->nodes = g_renew(node, c->nodes, c->room);
		}
		n = c->used++;
	}
	z = (uint64_t)n * 0x9e3779b97f4a7c15ULL;
	z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
	c->nodes[n] = (node){time, value, value, value, 0, 0, 0, (uint32_t)(z >> 32)};
	return n;
}

static void add_to(alg_calendar *c, uint32_t n, int64_t amount)
{
	if (!n)
		return;
	c->nodes[n].value += amount;
	c->nodes[n].least += amount;
	c->nodes[n].most += amount;
	c->nodes[n].add += amount;
}

static void push(alg_calendar *c, uint32_t n)
{
	node *at = &c->nodes[n];

	if (at->add == 0)
		return;
	add_to(c, at->left, at->add);
	add_to(c, at->right, at->add);
	at->add = 0;
}

static void pull(alg_calendar *c, uint32_t n)
{
	node *at = &c->nodes[n];
	const node *l = &c->nodes[at->left], *r = &c->nodes[at->right];

	at->least = MIN(at->value, MIN(l->least, r->least));
	at->most = MAX(at->value, MAX(l->most, r->most));
}

/* Keys below TIME to *LOW, the others to *HIGH. */
static void split(alg_calendar *c, uint32_t n, int64_t time, uint32_t *low, uint32_t *high)
{
	if (!n) {
		*low = *high = 0;
		return;
	}
	push(c, n);
	if (c->nodes[n].time < time) {
		uint32_t rest;

		split(c, c->nodes[n].right, time, &rest, high);
		c->nodes[n].right = rest;
		*low = n;
	} else {
		uint32_t rest;

		split(c, c->nodes[n].left, time, low, &rest);
		c->nodes[n].left = rest;
		*high = n;
	}
	pull(c, n);
}

static uint32_t join(alg_calendar *c, uint32_t low, uint32_t high)
{
	if (!low || !high)
		return low ? low : high;
	if (c->nodes[low].rank >= c->nodes[high].rank) {
		push(c, low);
		c->nodes[low].right = join(c, c->nodes[low].right, high);
		pull(c, low);
		return low;
	}
	push(c, high);
	c->nodes[high].left = join(c, low, c->nodes[high].left);
	pull(c, high);
	return high;
}

/* The amount at the last key of subtree N, or 0 for an empty one. */
static int64_t last_value(const alg_calendar *c, uint32_t n)
{
	int64_t add = 0;

	if (!n)
		return 0;
	for (; c->nodes[n].right; n = c->nodes[n].right)
		add += c->nodes[n].add;
	return c->nodes[n].value + add;
}

static const node *first_of(const alg_calendar *c, uint32_t n)
{
	if (!n)
		return NULL;
	while (c->nodes[n].left)
		n = c->nodes[n].left;
	return &c->nodes[n];
}

/* The amount at the first key of subtree N, which is not empty. */
static int64_t first_value(const alg_calendar *c, uint32_t n)
{
	int64_t add = 0;

	for (; c->nodes[n].left; n = c->nodes[n].left)
		add += c->nodes[n].add;
	return c->nodes[n].value + add;
}

/* Takes the first key out of subtree *N. */
static void drop_first(alg_calendar *c, uint32_t *n)
{
	uint32_t first, rest;

	split(c, *n, first_of(c, *n)->time + 1, &first, &rest);
	c->nodes[first].left = c->free_list;
	c->free_list = first;
	*n = rest;
}

static void free_all(alg_calendar *c, uint32_t n)
{
	while (n)
		drop_first(c, &n);
}

uint32_t alg_calendar_used(const alg_calendar *c, int64_t time)
{
	int64_t add = 0, value = 0;

	for (uint32_t n = c->root; n;) {
		const node *at = &c->nodes[n];

		if (at->time <= time)
			value = at->value + add;
		add += at->add;
		n = at->time <= time ? at->right : at->left;
	}
	return (uint32_t)value;
}

/* What a search looks for, in key order from FROM on (inclusive). */
typedef struct search {
	const alg_calendar *c;
	int64_t from;
	int64_t bound;
	bool above; /* the first amount above the bound; otherwise the first at or below it */
} search;

static int64_t find(const search *s, uint32_t n, int64_t add)
{
	const node *at = &s->c->nodes[n];
	int64_t found;

	if (!n || (s->above ? at->most + add <= s->bound : at->least + add > s->bound))
		return INT64_MAX;
	if (at->time >= s->from) {
		found = find(s, at->left, add + at->add);
		if (found != INT64_MAX)
			return found;
		if (s->above == (at->value + add > s->bound))
			return at->time;
	}
	return find(s, at->right, add + at->add);
}

int64_t alg_calendar_earliest(const alg_calendar *c, int64_t from, int64_t length, uint32_t amount)
{
	search full = {c, 0, c->capacity - (int64_t)amount, true};
	search open = {c, 0, c->capacity - (int64_t)amount, false};
	int64_t start = from;

	if (length <= 0)
		return from;
	if ((int64_t)amount > c->capacity)
		return INT64_MAX;
	if (alg_calendar_used(c, start) > full.bound) {
		open.from = start;
		start = find(&open, c->root, 0);
	}
	while (start != INT64_MAX) {
		int64_t blocked;

		full.from = start;
		blocked = find(&full, c->root, 0);
		if (blocked == INT64_MAX || blocked - length >= start)
			break;
		open.from = blocked;
		start = find(&open, c->root, 0);
	}
	return start;
}

bool alg_calendar_fits(const alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	return alg_calendar_earliest(calendar, start, length, amount) == start;
}

static void change(alg_calendar *c, int64_t start, int64_t length, int64_t amount)
{
	uint32_t before, middle, after;
	int64_t end = start + length, level, level_end;
	const node *first;

	if (length <= 0 || amount == 0)
		return;
	split(c, c->root, start, &before, &middle);
	split(c, middle, end, &middle, &after);
	level = last_value(c, before);
	level_end = middle ? last_value(c, middle) : level;
	/* A change point at the start that the change takes away, or one that it makes. */
	first = first_of(c, middle);
	if (!first || first->time > start)
		middle = join(c, node_new(c, start, level), middle);
	add_to(c, middle, amount);
	if (first_value(c, middle) == level)
		drop_first(c, &middle);
	first = first_of(c, after);
	if (!first || first->time > end)
		after = join(c, node_new(c, end, level_end), after);
	else if (first_value(c, after) == level_end + amount)
		drop_first(c, &after);
	c->root = join(c, join(c, before, middle), after);
}

void alg_calendar_reserve(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	change(calendar, start, length, (int64_t)amount);
}

void alg_calendar_release(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	change(calendar, start, length, -(int64_t)amount);
}

void alg_calendar_forget(alg_calendar *c, int64_t time)
{
	int64_t level = alg_calendar_used(c, time);
	uint32_t before, after;
	const node *first;

	split(c, c->root, time, &before, &after);
	free_all(c, before);
	first = first_of(c, after);
	if (level != 0 && (!first || first->time > time))
		after = join(c, node_new(c, time, level), after);
	else if (level == 0 && first && first->time == time)
		drop_first(c, &after);
	c->root = after;
}
