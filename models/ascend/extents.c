/* SPDX-License-Identifier: Apache-2.0
 *
 * Extents found by overlap; see extents.h.
 */
#include "models/ascend/extents.h"

#include <stdbool.h>

static bool before(const asc_extent *a, const asc_extent *b)
{
	return a->low != b->low ? a->low < b->low : a->number < b->number;
}

/* Priorities that look random and are the same in every run (splitmix64's finaliser). */
static uint64_t priority(const asc_extent *e)
{
	uint64_t z = e->number + 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void update(asc_extent *e)
{
	e->top = e->high;
	if (e->left)
		e->top = MAX(e->top, e->left->top);
	if (e->right)
		e->top = MAX(e->top, e->right->top);
}

static void split(asc_extent *tree, const asc_extent *at, asc_extent **left, asc_extent **right)
{
	if (!tree) {
		*left = *right = NULL;
		return;
	}
	if (before(tree, at)) {
		split(tree->right, at, &tree->right, right);
		*left = tree;
	} else {
		split(tree->left, at, left, &tree->left);
		*right = tree;
	}
	update(tree);
}

static asc_extent *merge(asc_extent *left, asc_extent *right)
{
	if (!left || !right)
		return left ? left : right;
	if (priority(left) > priority(right)) {
		left->right = merge(left->right, right);
		update(left);
		return left;
	}
	right->left = merge(left, right->left);
	update(right);
	return right;
}

static asc_extent *insert(asc_extent *tree, asc_extent *e)
{
	if (!tree || priority(e) > priority(tree)) {
		split(tree, e, &e->left, &e->right);
		update(e);
		return e;
	}
	if (before(e, tree))
		tree->left = insert(tree->left, e);
	else
		tree->right = insert(tree->right, e);
	update(tree);
	return tree;
}

static asc_extent *without(asc_extent *tree, const asc_extent *e)
{
	if (tree == e)
		return merge(tree->left, tree->right);
	if (before(e, tree))
		tree->left = without(tree->left, e);
	else
		tree->right = without(tree->right, e);
	update(tree);
	return tree;
}

static void find(asc_extent *tree, uint64_t low, uint64_t high, GPtrArray *found)
{
	for (; tree && tree->top > low; tree = tree->right) {
		find(tree->left, low, high, found);
		if (tree->low >= high)
			return;
		if (tree->high > low)
			g_ptr_array_add(found, tree);
	}
}

void asc_extents_add(asc_extents *set, asc_extent *extent)
{
	extent->left = extent->right = NULL;
	set->root = insert(set->root, extent);
	set->count++;
}

void asc_extents_remove(asc_extents *set, asc_extent *extent)
{
	set->root = without(set->root, extent);
	set->count--;
}

void asc_extents_find(const asc_extents *set, uint64_t low, uint64_t high, GPtrArray *found)
{
	find(set->root, low, high, found);
}
