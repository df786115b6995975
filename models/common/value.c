/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool behind values: slabs that are never given back before the end of the run, so that a run in steady state
 * allocates nothing.
 */
#include "models/common/value.h"

#include <stdlib.h>

enum { SLAB_VALUES = 64 };

void model_pool_init(model_pool *pool)
{
	pool->free = NULL;
	pool->slabs = g_ptr_array_new_with_free_func(free);
}

void model_pool_fini(model_pool *pool)
{
	g_clear_pointer(&pool->slabs, g_ptr_array_unref);
	pool->free = NULL;
}

void model_pool_grow(model_pool *pool)
{
	model_value *slab = aligned_alloc(_Alignof(model_value), SLAB_VALUES * sizeof *slab);

	if (!slab)
		g_error("out of memory");
	g_ptr_array_add(pool->slabs, slab);
	for (int i = SLAB_VALUES - 1; i >= 0; i--) {
		slab[i].next = pool->free;
		pool->free = &slab[i];
	}
}
