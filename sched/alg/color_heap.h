/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes by a key, the least first, of equal ones the lowest number: a binary heap that knows where each node stands, so
 * that its key can fall.
 */
#ifndef TSPSIM_SCHED_ALG_COLOR_HEAP_H
#define TSPSIM_SCHED_ALG_COLOR_HEAP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct color_heap {
	uint32_t *node, *place; /* by place, and the place of each node; UINT32_MAX: it is not there */
	uint64_t *key;          /* by node; stays when the node leaves */
	uint32_t size;
} color_heap;

/* For nodes below NODES; none is there. */
static inline void color_heap_init(color_heap *h, uint32_t nodes)
{
	*h = (color_heap){g_new(uint32_t, nodes + 1), g_new(uint32_t, nodes + 1), g_new0(uint64_t, nodes + 1), 0};
	for (uint32_t i = 0; i < nodes; i++)
		h->place[i] = UINT32_MAX;
}

static inline void color_heap_fini(color_heap *h)
{
	g_free(h->node);
	g_free(h->place);
	g_free(h->key);
}

static inline bool color_heap_holds(const color_heap *h, uint32_t node)
{
	return h->place[node] != UINT32_MAX;
}

static inline bool color_heap_i_before(const color_heap *h, uint32_t a, uint32_t b)
{
	return h->key[a] != h->key[b] ? h->key[a] < h->key[b] : a < b;
}

static inline void color_heap_i_put(color_heap *h, uint32_t at, uint32_t node)
{
	h->node[at] = node;
	h->place[node] = at;
}

/* KEY is no greater than the key it has. */
static inline void color_heap_raise(color_heap *h, uint32_t node, uint64_t key)
{
	uint32_t at = h->place[node];

	h->key[node] = key;
	for (; at && color_heap_i_before(h, node, h->node[(at - 1) / 2]); at = (at - 1) / 2)
		color_heap_i_put(h, at, h->node[(at - 1) / 2]);
	color_heap_i_put(h, at, node);
}

static inline void color_heap_push(color_heap *h, uint32_t node, uint64_t key)
{
	color_heap_i_put(h, h->size++, node);
	color_heap_raise(h, node, key);
}

/* There is one at least. */
static inline uint32_t color_heap_pop(color_heap *h)
{
	uint32_t first = h->node[0], moved = h->node[--h->size], at = 0;

	for (uint32_t child; (child = 2 * at + 1) < h->size; at = child) {
		child += child + 1 < h->size && color_heap_i_before(h, h->node[child + 1], h->node[child]);
		if (!color_heap_i_before(h, h->node[child], moved))
			break;
		color_heap_i_put(h, at, h->node[child]);
	}
	color_heap_i_put(h, at, moved);
	h->place[first] = UINT32_MAX;
	return first;
}

#endif
