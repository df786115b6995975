/* SPDX-License-Identifier: Apache-2.0
 *
 * Greedy allocation: buffers in some order, each into a hole that the earlier ones leave it.  The local search moves
 * buffers forward in the order.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/alloc_int.h"

/* A buffer that has its place; those of a layout stand in the order of their addresses. */
typedef struct placed {
	int64_t address, end;
	uint32_t first, last;
} placed;

/* The hole for FIRST to LAST: the lowest, or the one that leaves least. */
static int64_t find_hole(const placed *list, uint32_t n, placed what, int64_t size, int64_t alignment, bool best)
{
	int64_t top = 0, found = ALLOC_FREE, left = INT64_MAX;

	for (uint32_t i = 0; i < n; i++) {
		int64_t at;

		if (list[i].first > what.last || list[i].last < what.first)
			continue;
		at = alloc_i_up(top, alignment);
		if (at + size <= list[i].address) {
			if (!best)
				return at;
			if (list[i].address - top - size < left) {
				left = list[i].address - top - size;
				found = at;
			}
		}
		top = MAX(top, list[i].end);
	}
	return found == ALLOC_FREE ? alloc_i_up(top, alignment) : found;
}

static void insert(placed *list, uint32_t n, placed what)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (list[middle].address <= what.address)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(list + low + 1, list + low, (n - low) * sizeof(*list));
	list[low] = what;
}

static bool place_fixed(const alloc_map *m, placed *list, uint32_t *n, int64_t *address)
{
	for (uint32_t b = 0; b < m->count; b++) {
		const alloc_buffer *buffer = &m->p->buffers[b];
		placed what = {buffer->fixed, buffer->fixed + buffer->size_bytes, m->first[b], m->last[b]};

		if (buffer->fixed == ALLOC_FREE)
			continue;
		for (uint32_t i = 0; i < *n; i++)
			if (list[i].first <= what.last && list[i].last >= what.first && list[i].address < what.end &&
			    list[i].end > what.address)
				return false;
		insert(list, (*n)++, what);
		address[b] = buffer->fixed;
	}
	return true;
}

bool alloc_i_fit(const alloc_map *m, const alloc_options *o, const uint32_t *order, bool best, int64_t *address,
                 bool *stopped)
{
	enum { ASK = 1 << 22 }; /* places looked at */
	g_autofree placed *list = g_new(placed, m->count + 1);
	uint64_t looked_at = 0;
	uint32_t n = 0;

	if (stopped)
		*stopped = false;

	if (!place_fixed(m, list, &n, address))
		return false;
	for (uint32_t i = 0; i < m->count; i++) {
		uint32_t b = order[i];
		const alloc_buffer *buffer = &m->p->buffers[b];
		placed what = {.first = m->first[b], .last = m->last[b]};

		if (buffer->fixed != ALLOC_FREE)
			continue;
		looked_at += n;
		if (stopped && looked_at >= ASK && o->stop) {
			looked_at = 0;
			if (o->stop(o->stop_state)) {
				*stopped = true;
				return true;
			}
		}
		what.address = find_hole(list, n, what, buffer->size_bytes, buffer->alignment_bytes, best);
		what.end = what.address + buffer->size_bytes;
		address[b] = what.address;
		insert(list, n++, what);
	}
	return true;
}

typedef struct ranked {
	double key, second;
	uint32_t buffer;
} ranked;

static int by_key(const void *a, const void *b)
{
	const ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return x->buffer < y->buffer ? -1 : 1;
}

enum { ORDERS = 8 };

/* The order by rule WHICH. */
static void make_order(const alloc_map *m, unsigned which, uint32_t *order)
{
	g_autofree ranked *list = g_new(ranked, m->count + 1);

	for (uint32_t b = 0; b < m->count; b++) {
		const alloc_buffer *buffer = &m->p->buffers[b];
		double size = (double)buffer->size_bytes, length = (double)buffer->upper - (double)buffer->lower;
		double cliques = m->last[b] - m->first[b] + 1, load = 0;

		if (which >= 6)
			for (uint32_t t = m->first[b]; t <= m->last[b]; t++)
				load = MAX(load, (double)m->load[t]);
		switch (which) {
		case 0: /* large first */
			list[b] = (ranked){size, length, b};
			break;
		case 1: /* large areas */
			list[b] = (ranked){size * length, size, b};
			break;
		case 2:
			list[b] = (ranked){size * cliques, size, b};
			break;
		case 3: /* long lives */
			list[b] = (ranked){length, size, b};
			break;
		case 4:
			list[b] = (ranked){size * cliques * cliques, size, b};
			break;
		case 5: /* in time */
			list[b] = (ranked){-(double)buffer->lower, length, b};
			break;
		case 6: /* where most lives */
			list[b] = (ranked){load, size * length, b};
			break;
		default:
			list[b] = (ranked){load, length, b};
			break;
		}
	}
	qsort(list, m->count, sizeof(*list), by_key);
	for (uint32_t i = 0; i < m->count; i++)
		order[i] = list[i].buffer;
}

bool alloc_i_greedy(const alloc_map *m, const alloc_options *o, int64_t low, int64_t *address, uint32_t *order)
{
	g_autofree int64_t *other = g_new(int64_t, m->count + 1);
	g_autofree uint32_t *next = g_new(uint32_t, m->count + 1);
	int64_t height = INT64_MAX;

	for (unsigned which = 0; which < 2 * ORDERS && height > low; which++) {
		int64_t reached;
		bool stopped;

		if (which && o->stop && o->stop(o->stop_state))
			break;
		make_order(m, which / 2, next);
		/* Without an answer there is nothing to stop for. */
		if (!alloc_i_fit(m, o, next, which % 2, other, which ? &stopped : NULL))
			return false;
		if (which && stopped)
			break;
		reached = alloc_i_height(m->p, other);
		if (reached >= height)
			continue;
		height = reached;
		memcpy(address, other, m->count * sizeof(*address));
		memcpy(order, next, m->count * sizeof(*order));
	}
	return true;
}

/* A buffer that reaches HEIGHT, or one that lives with it, by chance. */
static uint32_t pick(const alloc_map *m, rng *r, const int64_t *address, int64_t height)
{
	uint32_t chosen = 0, seen = 0, top;

	for (uint32_t b = 0; b < m->count; b++)
		if (address[b] + m->p->buffers[b].size_bytes == height && rng_below(r, ++seen) == 0)
			chosen = b;
	if (rng_below(r, 2))
		return chosen;
	top = chosen;
	seen = 0;
	for (uint32_t b = 0; b < m->count; b++)
		if (m->first[b] <= m->last[top] && m->first[top] <= m->last[b] && rng_below(r, ++seen) == 0)
			chosen = b;
	return chosen;
}

static void move_forward(uint32_t *order, uint32_t from, uint32_t to)
{
	uint32_t buffer = order[from];

	memmove(order + to + 1, order + to, (from - to) * sizeof(*order));
	order[to] = buffer;
}

enum { LATE = 30, MOVE_BUFFERS = 1000 };

/* Late acceptance: an order is taken when it is no higher than the present one, or than that of LATE moves ago. */
uint64_t alloc_i_local(const alloc_map *m, const alloc_options *o, int64_t target, uint32_t *order, int64_t *address)
{
	g_autofree int64_t *now = g_memdup2(address, m->count * sizeof(*now));
	g_autofree int64_t *other = g_new(int64_t, m->count + 1);
	g_autofree uint32_t *next = g_new(uint32_t, m->count + 1);
	/* First fit is quadratic: with many buffers a move counts as many. */
	uint64_t weight = MAX((uint64_t)m->count * m->count / (MOVE_BUFFERS * MOVE_BUFFERS), 1), moves = 0;
	int64_t height, best, late[LATE];
	bool stopped;
	rng r;

	if (o->moves < weight)
		return 0;
	rng_seed(&r, o->seed, 2);
	alloc_i_fit(m, o, order, false, now, &stopped);
	if (stopped)
		return 0;
	height = alloc_i_height(m->p, now);
	best = alloc_i_height(m->p, address);
	for (unsigned i = 0; i < LATE; i++)
		late[i] = height;
	for (uint64_t i = 0; moves + weight <= o->moves && best > target && !(o->stop && o->stop(o->stop_state)); i++) {
		uint32_t buffer = pick(m, &r, now, height), from = 0;
		int64_t reached;

		memcpy(next, order, m->count * sizeof(*next));
		while (next[from] != buffer)
			from++;
		move_forward(next, from, (uint32_t)rng_below(&r, from + 1));
		alloc_i_fit(m, o, next, false, other, &stopped);
		if (stopped)
			break;
		reached = alloc_i_height(m->p, other);
		if (reached <= height || reached <= late[i % LATE]) {
			memcpy(order, next, m->count * sizeof(*next));
			memcpy(now, other, m->count * sizeof(*now));
			height = reached;
		}
		late[i % LATE] = height;
		moves += weight;
		if (height < best) {
			best = height;
			memcpy(address, now, m->count * sizeof(*now));
		}
	}
	return moves;
}
