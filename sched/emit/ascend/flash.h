/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the kernel of tiled attention share.
 *
 * A unit is up to WIDTH queries of one head; an item is a tile of keys for a unit.  Items follow one another unit by
 * unit: the cube sub-core makes an item's scores, vector sub-cores its powers and what rescales the output so far, the
 * cube sub-core the product with the values, vector sub-cores add that up.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_FLASH_H
#define TSPSIM_SCHED_EMIT_ASCEND_FLASH_H

#include "sched/emit/ascend/attention.h"

/* Items between powers and their product: what passes to the cube sub-core and back takes longer than one does. */
enum { FLA_LAG = 2 };

typedef struct fla_tile {
	ask_place k, v;
	uint64_t keys, pitch; /* pitch: rounded up to whole fractals */
} fla_tile;

/* A vector sub-core's part of the unified buffer, for rows of its own: queries. */
typedef struct fla_soft {
	asb_core core;
	uint64_t
		column; /* [rows][pitch] fp32: scores; products on their way to the output so far; the output at last */
	uint64_t out;   /* [rows][depth] fp32: so far */
	uint64_t partial[2], value[2];
	uint64_t maximum[2];               /* a number a row: so far, by parity of the item */
	uint64_t sum[FLA_LAG + 1];         /* the same by turn of the unit */
	uint64_t factor;                   /* a number a row: rescales what was there before */
	uint64_t block[1 + FLA_LAG + 1];   /* a block of equal numbers a row: maximum; factors by turn of the item */
	atn_ring scores, powers, products; /* coupled cores: all there is of them outside L0C and L1 */
} fla_soft;

typedef struct fla {
	atn a;         /* machine, sizes, the way queries are cut into units, the core at hand */
	GArray *tiles; /* fla_tile */
	uint64_t tile; /* pitch of the widest */
	uint64_t rows; /* of a unit that a vector sub-core has, rounded up to fractals */
	atn_ring l0a_q, l0a_p, k, v, ub;
	uint64_t next_k, next_v; /* items whose tiles were asked for */
	uint64_t held_k[ATN_MOST_TURNS], held_v[ATN_MOST_TURNS];
	uint64_t at_q; /* in L0A: of the unit at hand */
	/* Split cores: global memory, by queries of the unit. */
	GHashTable *scores[ATN_AHEAD + 1], *products[FLA_LAG + 1];
	fla_soft soft[2];
} fla;

static inline uint64_t fla_items(const fla *f)
{
	return (uint64_t)f->a.units->len * f->tiles->len;
}
static inline const atn_unit *fla_unit_of(const fla *f, uint64_t item)
{
	return atn_unit_at(&f->a, item / f->tiles->len);
}
static inline const fla_tile *fla_tile_of(const fla *f, uint64_t item)
{
	return &g_array_index(f->tiles, fla_tile, item % f->tiles->len);
}
static inline unsigned fla_sum_of(const fla *f, uint64_t item)
{
	return (unsigned)(item / f->tiles->len % (FLA_LAG + 1));
}
static inline unsigned fla_factor_of(uint64_t item)
{
	return 1 + (unsigned)(item % (FLA_LAG + 1));
}
/* Where an item has its turn of ring R. */
static inline uint64_t fla_in(const atn_ring *r, uint64_t item)
{
	return r->address[item % r->turns];
}
/* Rows of scores, and then of powers, of ITEM; rows of its product with the values. */
uint64_t fla_scores_at(fla *f, uint64_t item);
uint64_t fla_products_at(fla *f, uint64_t item);

/* flash_cube.c */
bool fla_cube_fits(const fla *f);
bool fla_cube_take(fla *f, GError **error);
void fla_make_scores(fla *f, uint64_t item);
void fla_make_products(fla *f, uint64_t item);

/* flash_soft.c */
bool fla_soft_fits(const fla *f);
bool fla_soft_take(fla *f, unsigned vector, GError **error);
void fla_powers(fla *f, uint64_t item);
void fla_add_up(fla *f, uint64_t item); /* the last of a unit: its output goes out */

#endif
