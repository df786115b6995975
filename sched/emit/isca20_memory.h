/* SPDX-License-Identifier: Apache-2.0
 *
 * Where tensors lie in the slices.
 *
 * A vector of e-byte elements is e byte-words in e slices.  A *tile* is a rectangle (so many slices, so many words of
 * each) that holds some rows and lane blocks of a tensor, or all of it.  Which slice and word a vector takes is a sum
 * of terms in its batch, row and block numbers, the form that isa_tensor has for outputs.  Vectors used in one cycle
 * must lie in different slices; that is decided by the terms (isca20_plan.c) and by which slices a tile may not use.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_MEMORY_H
#define TSPSIM_SCHED_EMIT_ISCA20_MEMORY_H

#include "sched/emit/isca20.h"

enum { ISCA_TERMS = 12, ISCA_SLICES_MAX = 128 };

/* Slices as a set. */
typedef struct isca_set {
	uint64_t bits[ISCA_SLICES_MAX / 64];
} isca_set;
static inline void isca_set_add(isca_set *s, unsigned slice)
{
	s->bits[slice / 64] |= UINT64_C(1) << slice % 64;
}
static inline bool isca_set_has(const isca_set *s, unsigned slice)
{
	return s->bits[slice / 64] >> slice % 64 & 1;
}
static inline void isca_set_join(isca_set *s, const isca_set *other)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(s->bits); i++)
		s->bits[i] |= other->bits[i];
}

enum isca_dim { ISCA_DIM_BATCH, ISCA_DIM_ROW, ISCA_DIM_BLOCK, ISCA_DIM_BYTE, ISCA_DIMS };

/* Adds ((index / div) % mod) times a number of slices and of words; mod 0 = no modulus. */
typedef struct isca_term {
	enum isca_dim dim;
	uint64_t div, mod;
	int64_t slices, words;
} isca_term;

/* Only indices with (index / div) % mod == value belong to the tile. */
typedef struct isca_filter {
	enum isca_dim dim;
	uint64_t div, mod, value;
} isca_filter;
enum { ISCA_FILTERS = 2 };

/* Rows FIRST_ROW + batch * period + row (row < rows, batch < batches) and blocks FIRST_BLOCK.. of a tensor. */
typedef struct isca_tile {
	uint64_t first_row, period, rows, batches;
	uint64_t first_block, blocks;
	unsigned bytes; /* of an element */
	unsigned terms;
	isca_term term[ISCA_TERMS];
	uint32_t spare; /* words beyond those of the terms */
	unsigned filters;
	isca_filter filter[ISCA_FILTERS];
	/* filled in by isca_allocate() */
	uint32_t slice, word; /* origin */
	uint32_t height;      /* words of each slice */
	isca_set slices;
} isca_tile;

void isca_tile_add(isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod, int64_t slices, int64_t words);
void isca_tile_filter(isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod, uint64_t value);

/* index / div has COUNT values. */
typedef struct isca_fold {
	enum isca_dim dim;
	uint64_t div, count;
} isca_fold;
/* Lays COUNT folds one around the other, innermost first, around UNIT words; where a slice would hold more than PART
 * words it goes on PITCH slices further.  Returns the number of such parts. */
uint64_t isca_tile_lay(isca_tile *tile, uint64_t unit, const isca_fold *folds, unsigned count, uint64_t part,
                       uint64_t pitch);
/* Slice and address of one byte of a vector, as isca_track.place has it. */
uint32_t isca_tile_place(const isca_tile *tile, uint64_t row, uint64_t block, unsigned byte);
bool isca_tile_covers(const isca_tile *tile, uint64_t row, uint64_t block);

/* What a tile asks of its place. */
typedef struct isca_wish {
	int side;        /* 0 west, 1 east, -1 any */
	bool split;      /* half of its slices in the west, the other half at the same places in the east */
	bool wide;       /* its slices run on from west to east */
	unsigned align;  /* its origin is a multiple of this; 0 = anywhere */
	isca_set within; /* slices that it must keep to, when BOUND */
	bool bound;
	isca_set avoid;       /* slices that it must not use */
	isca_set shun;        /* slices that it had better not use */
	bool outward;         /* better far from the VXM than low in its slices */
	uint32_t first, last; /* life time, in operations */
} isca_wish;

/* Places a tile.  Fails (USER) when it does not fit. */
bool isca_allocate(isca *c, isca_tile *tile, const isca_wish *wish);

/* A tensor, or a value that passes through memory inside an operation. */
typedef struct isca_tensor {
	const char *name;
	enum isa_type type;
	uint64_t rows, lanes, vector_lanes;
	uint64_t blocks; /* the narrow one included */
	uint64_t full_blocks;
	uint32_t node; /* of the graph; UINT32_MAX = none */
	bool host, output;
	/* Rows in strips, the same columns of all strips in one word, LANES lanes each; strips = 0: no such thing. */
	uint64_t strips, strip_rows, strip_columns;
	bool planes;          /* never more than one byte of an element at a time */
	uint32_t first, last; /* life time */
	GArray *tiles;        /* isca_tile */
} isca_tensor;

struct isca_memory {
	GPtrArray *slices;    /* per slice a GArray of what is taken, isca20_memory.c */
	uint32_t *top;        /* per slice: words above are free at all times */
	uint64_t asked_words; /* words asked for so far */
};

void isca_memory_init(isca *c);
void isca_memory_fini(isca *c);

/* Vector V of a section (lower.h). */
uint32_t isca_tensor_place(const isca_tensor *t, unsigned section, uint64_t v, unsigned byte);

/* isca20_image.c: makes the words of a tile host data of the epoch.  DATA (functional mode; NULL otherwise) fills one
 * word, lanes bytes of zeros so far. */
typedef void (*isca_word_fn)(const void *state, uint64_t row, uint64_t block, unsigned byte, uint8_t *out);
void isca_fill_tile(isca *c, const isca_tile *tile, isca_word_fn data, const void *state);
/* The same with the data of a tensor's graph node. */
void isca_add_images(isca *c, const isca_tensor *t, const isca_tile *tile);
/* Describes a tensor that lies in one tile to the program. */
void isca_describe(isca *c, const isca_tensor *t);

#endif
