/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions on Ascend-style cores: the image as kernels see it, its tiles.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_CONV_H
#define TSPSIM_SCHED_EMIT_ASCEND_CONV_H

#include "sched/emit/ascend/product.h"

/* The images of one group.  Pixels are rows of global memory; where a filter is one column wide, those that no position
 * reads are left out: W counts those that are read, PIXEL_BYTES is from one of them to the next. */
typedef struct ask_image {
	uint64_t h, w, pixel_bytes;
	uint64_t c, blocks; /* channels; in blocks of 32 bytes */
	uint64_t r, s, stride_h, stride_w, pad, oh, ow;
	bool whole; /* a pixel is one block, what lies behind its channels is zero */
} ask_image;

/* Filter positions FIRST to FIRST + FILTER of result positions FROM to TO along one dimension of SIZE, STRIDE apart:
 * the pixels they need, and the padding around them.  Where there are none, one pixel that no position reads. */
typedef struct ask_reach {
	uint64_t low, count, before, after, stride;
	bool none;
} ask_reach;
ask_reach ask_reach_of(uint64_t from, uint64_t to, uint64_t stride, uint64_t first, uint64_t filter, uint64_t pad,
                       uint64_t size);

/* Depth of one row of the filter in one block of channels. */
static inline uint64_t ask_image_row(const ask_image *g, uint64_t size)
{
	return g->s * (ASK_BLOCK / size);
}
/* Most rows and columns of the image that the positions of a tile of M need, with FILTER rows of the filter. */
void ask_image_band(const ask_image *g, const ask_tile *t, uint64_t filter, uint64_t *rows, uint64_t *columns);
/* Copies that bring such a band to L1: one, or one a row. */
uint64_t ask_image_copies(const ask_image *g, uint64_t rows, uint64_t columns);

/* The legal tiles that cost least on BLOCKS cores, cheapest first, at most COUNT (ask_tile). */
GArray *ask_conv_tiles(const asc_machine *machine, const ask_product *p, const ask_image *g, uint32_t blocks,
                       unsigned count);

#endif
