/* SPDX-License-Identifier: Apache-2.0
 *
 * A set of extents [low, high), found by overlap: a treap ordered by (low, number), each node knowing the highest end
 * below it.  Numbers are unique; they also give the treap its shape, so that it does not depend on addresses of memory.
 */
#ifndef TSPSIM_MODELS_ASCEND_EXTENTS_H
#define TSPSIM_MODELS_ASCEND_EXTENTS_H

#include <glib.h>
#include <stdint.h>

/* First member of what is kept. */
typedef struct asc_extent {
	uint64_t low, high, top;
	uint64_t number;
	struct asc_extent *left, *right;
} asc_extent;
typedef struct asc_extents {
	asc_extent *root;
	size_t count;
} asc_extents;

void asc_extents_add(asc_extents *set, asc_extent *extent);
void asc_extents_remove(asc_extents *set, asc_extent *extent);
/* Appends every extent that shares a byte with [low, high), by (low, number). */
void asc_extents_find(const asc_extents *set, uint64_t low, uint64_t high, GPtrArray *found);

#endif
