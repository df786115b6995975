/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes by extent: a search tree by first byte, balanced by ranks that are a hash of the order of insertion, each node
 * knowing how far its subtree reaches.  Finding what meets an extent costs the logarithm of the size and what is found.
 */
#include "sched/emit/ascend/build_int.h"

static uint64_t rank_of(uint64_t n)
{
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

static void update(asb_span *n)
{
	n->reach = n->box.high;
	if (n->left)
		n->reach = MAX(n->reach, n->left->reach);
	if (n->right)
		n->reach = MAX(n->reach, n->right->reach);
}

/* By first byte; equal ones by rank. */
static bool before(const asb_span *a, const asb_span *b)
{
	return a->box.low != b->box.low ? a->box.low < b->box.low : a->rank < b->rank;
}

static asb_span *merge(asb_span *a, asb_span *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->rank > b->rank) {
		a->right = merge(a->right, b);
		update(a);
		return a;
	}
	b->left = merge(a, b->left);
	update(b);
	return b;
}

static void split(asb_span *n, const asb_span *at, asb_span **left, asb_span **right)
{
	if (!n) {
		*left = *right = NULL;
		return;
	}
	if (before(n, at)) {
		split(n->right, at, &n->right, right);
		*left = n;
	} else {
		split(n->left, at, left, &n->left);
		*right = n;
	}
	update(n);
}

asb_span *asb_spans_add(asb_spans *s, const asb_span *span)
{
	asb_span *n = s->spare, **at = &s->root;

	if (n)
		s->spare = n->right;
	else
		n = g_new(asb_span, 1);
	*n = *span;
	n->rank = rank_of(++s->numbers);
	while (*at && (*at)->rank > n->rank) {
		(*at)->reach = MAX((*at)->reach, n->box.high);
		at = before(*at, n) ? &(*at)->right : &(*at)->left;
	}
	split(*at, n, &n->left, &n->right);
	update(n);
	*at = n;
	s->size++;
	return n;
}

static asb_span *without(asb_span *n, const asb_span *span)
{
	if (n == span)
		return merge(n->left, n->right);
	if (before(n, span))
		n->right = without(n->right, span);
	else
		n->left = without(n->left, span);
	update(n);
	return n;
}

void asb_spans_remove(asb_spans *s, asb_span *span)
{
	s->root = without(s->root, span);
	span->right = s->spare;
	s->spare = span;
	s->size--;
}

static void find(asb_span *n, uint64_t low, uint64_t high, GPtrArray *found)
{
	while (n && n->reach > low) {
		find(n->left, low, high, found);
		if (n->box.low >= high)
			return;
		if (n->box.high > low)
			g_ptr_array_add(found, n);
		n = n->right;
	}
}

void asb_spans_find(const asb_spans *s, uint64_t low, uint64_t high, GPtrArray *found)
{
	find(s->root, low, high, found);
}

static void spare_all(asb_spans *s, asb_span *n)
{
	asb_span *right;

	while (n) {
		spare_all(s, n->left);
		right = n->right;
		n->right = s->spare;
		s->spare = n;
		n = right;
	}
}

void asb_spans_clear(asb_spans *s)
{
	spare_all(s, s->root);
	s->root = NULL;
	s->size = 0;
}

void asb_spans_fini(asb_spans *s)
{
	asb_spans_clear(s);
	while (s->spare) {
		asb_span *n = s->spare;

		s->spare = n->right;
		g_free(n);
	}
}
