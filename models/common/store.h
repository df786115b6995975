/* SPDX-License-Identifier: Apache-2.0
 *
 * A memory as a set of tagged granules: who wrote each last, when it became readable, and, where values are carried,
 * its bytes.  Sparse: pages appear with the first write into them; what no write has touched is answered from the
 * host's images without copying them.  Writes are filed with a due time and take effect in order of (due, filed, queue)
 * as reads pass it.  Banks and ports are not modelled here (banks.h).
 */
#ifndef TSPSIM_MODELS_COMMON_STORE_H
#define TSPSIM_MODELS_COMMON_STORE_H

#include "models/common/source.h"
#include "models/common/value.h"

/* The bytes of an access, in packed order: RUNS runs of RUN_BYTES; run i at base + i * pitch, or at base + the i-th
 * signed 32-bit index. */
typedef struct model_shape {
	int64_t base;
	int64_t pitch;
	uint32_t run_bytes;
	uint32_t runs;
	const int32_t *index; /* NULL = by pitch */
} model_shape;

static inline int64_t model_shape_run(const model_shape *shape, uint32_t i)
{
	return shape->base + (shape->index ? (int64_t)shape->index[i] : (int64_t)i * shape->pitch);
}

typedef struct model_write {
	int64_t due, filed;
	model_shape shape;
	model_value *value;       /* owned; NULL without values */
	model_value *index_value; /* owned; holds shape.index; NULL when by pitch */
	uint32_t offset;          /* of the packed bytes in value */
	uint32_t tag;
	uint16_t queue;
} model_write;

enum model_fault { MODEL_FAULT_NONE, MODEL_FAULT_UNWRITTEN, MODEL_FAULT_WRONG };

/* What a read found. */
typedef struct model_reading {
	int64_t due;            /* latest due time of a granule that a write left; INT64_MIN = host data only */
	enum model_fault fault; /* of the first granule that is not what the program names */
	uint32_t found, named;  /* instance there and the named one, 0 = none or the host's */
	uint64_t location;      /* of that granule */
	bool has_bytes;         /* were all bytes known? */
} model_reading;

enum { MODEL_PAGE_GRANULES = 256 };

typedef struct model_page {
	uint32_t tag[MODEL_PAGE_GRANULES];
	int64_t due[MODEL_PAGE_GRANULES];         /* INT64_MIN: host data; INT64_MAX: nothing was ever there */
	uint64_t known[MODEL_PAGE_GRANULES / 64]; /* granules whose bytes are known */
	uint8_t *bytes;                           /* NULL until somebody brings bytes */
} model_page;

typedef struct model_store {
	uint64_t bytes;
	uint32_t granule_bytes;
	int shift;      /* log2 of granule_bytes, -1 when it is no power of two */
	bool carry;     /* keep bytes of everything, not only of what has them */
	bool any_bytes; /* may any granule have known bytes? */
	model_pool *pool;
	model_page **pages;
	GArray *live;        /* uint64_t: indices of pages in use */
	GPtrArray *spare;    /* pages for reuse */
	GArray *images;      /* isa_image, borrowed data, sorted, disjoint */
	guint hint;          /* image of the last look-up */
	model_write *writes; /* filed, not yet due; sorted */
	uint32_t first, count, capacity;
} model_store;

void model_store_init(model_store *s, uint64_t bytes, uint32_t granule_bytes, bool carry, model_pool *pool);
void model_store_fini(model_store *s);

/* Replaces everything that is readable by IMAGES (isa_image; may be NULL).  The images' data must live on.  Fails
 * (USER) when one leaves the memory or two overlap. */
bool model_store_begin(model_store *s, const GArray *images, GError **error);

/* Lets all writes take effect that are due at or before NOW. */
void model_store_settle(model_store *s, int64_t now);

static inline bool model_store_holds(const model_store *s, int64_t start, uint32_t bytes)
{
	return start >= 0 && (uint64_t)start < s->bytes && bytes <= s->bytes - (uint64_t)start;
}

/* Reads SHAPE as settled, checks it against EXPECT, fills *R.  OUT gets the packed bytes (unknown ones are zero) unless
 * it is NULL.  Runs that leave the memory are not checked and read as zeros. */
void model_store_read(model_store *s, const model_shape *shape, model_expect *expect, uint8_t *out, model_reading *r);

/* Files a write and takes over its references.  Runs that leave the memory are dropped. */
void model_store_write(model_store *s, const model_write *write);

/* Did TAG, before cycle NOW, file a write to the granule at LOCATION that has not taken effect? */
bool model_store_is_filed(const model_store *s, uint32_t tag, uint64_t location, int64_t now);

/* Copies BYTES at LOCATION as settled; false when any of them is not known. */
bool model_store_peek(const model_store *s, uint64_t location, uint8_t *out, uint64_t bytes);

#endif
