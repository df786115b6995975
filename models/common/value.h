/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that travel through a model: one vector of at most 320 lanes of 4 bytes, shared by reference count and
 * recycled through a pool.  Elements lie packed, least significant byte first: element i of W bytes at i*W.  Whatever a
 * producer does not fill is zero, so a value can be read to its full length.  A timing run carries NULL instead,
 * except for host data that has bytes (maps, index tensors).
 */
#ifndef TSPSIM_MODELS_COMMON_VALUE_H
#define TSPSIM_MODELS_COMMON_VALUE_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "values are handled in the host's byte order, which has to be little-endian"
#endif

enum { MODEL_VALUE_BYTES = 1280 };

typedef struct model_value {
	uint8_t data[MODEL_VALUE_BYTES] __attribute__((aligned(64)));
	struct model_value *next; /* in the pool's free list */
	uint32_t refs;
} model_value;

typedef struct model_pool {
	model_value *free;
	GPtrArray *slabs;
} model_pool;

void model_pool_init(model_pool *pool);
void model_pool_fini(model_pool *pool); /* every value is gone afterwards */
void model_pool_grow(model_pool *pool); /* private to model_value_new() */

/* A value with one reference and undefined bytes; the caller fills all of it (model_value_seal()). */
static inline model_value *model_value_new(model_pool *pool)
{
	model_value *v;

	if (G_UNLIKELY(!pool->free))
		model_pool_grow(pool);
	v = pool->free;
	pool->free = v->next;
	v->refs = 1;
	return v;
}

/* Zeroes what lies beyond the first BYTES. */
static inline void model_value_seal(model_value *v, size_t bytes)
{
	memset(v->data + bytes, 0, MODEL_VALUE_BYTES - bytes);
}

static inline model_value *model_value_ref(model_value *v)
{
	if (v)
		v->refs++;
	return v;
}

static inline void model_value_unref(model_pool *pool, model_value *v)
{
	if (v && --v->refs == 0) {
		v->next = pool->free;
		pool->free = v;
	}
}

#endif
