/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns laid out in blocks: strides, streams, random places, tables, tiles.  F is the footprint, L the lanes of a
 * wave.
 *   sN         column c = 0 .. N - 1, in it terms t = 0 .. T - 1, T = F div N rounded down to a multiple of L:
 *              block c + t N; L successive terms are a wave, so none straddles the end of a column
 *   sNu        every wave at a base uniform in 0 .. F - 1 - (L - 1) N: lane i reads base + i N
 *   streams    wave t: lane i reads (base i + t STRIDE) mod F, bases uniform in 0 .. F - 1, drawn lane after lane
 *   random     every lane uniform in 0 .. F - 1
 *   embedding  every lane draws u uniform in [0, 1) and reads block r - 1, r the least rank with
 *              sum of j^-S over j = 1 .. r  >  u * (the sum over all V ranks)
 *   tile       every wave a tile of H rows of W blocks whose first block is at row uniform in 0 .. F div PITCH - H and
 *              column uniform in 0 .. PITCH - W (row drawn first); lanes row by row.  A wave has H W lanes.
 */
#include "bank/pattern_int.h"

#include <math.h>

/* cdf tables are 8 bytes a row */
enum { MAX_TABLE_ROWS = 1 << 26 };

static unsigned column_wave(pattern *p, uint64_t *blocks)
{
	uint64_t stride = p->step;
	uint64_t block;

	if (p->at[0] == stride)
		return 0;
	block = p->at[0] + p->at[1] * stride;
	for (unsigned i = 0; i < p->lanes; i++, block += stride)
		blocks[i] = block;
	p->at[1] += p->lanes;
	if (p->at[1] == p->length) {
		p->at[1] = 0;
		p->at[0]++;
	}
	return p->lanes;
}

static unsigned unaligned_wave(pattern *p, uint64_t *blocks)
{
	uint64_t block = rng_below(&p->random, p->reach);

	for (unsigned i = 0; i < p->lanes; i++, block += p->step)
		blocks[i] = block;
	return p->lanes;
}

bool pattern_i_stride(pattern *p, GError **error)
{
	uint64_t footprint = p->options.footprint_blocks;

	p->step = p->number[0];
	if (!p->step)
		return pattern_i_fail(p, error, "expected a stride of at least 1 block");
	p->length = footprint / p->step / p->lanes * p->lanes;
	/* lanes and step are below 2^17 and 2^41 */
	if (p->unaligned && (p->lanes - 1) * p->step < footprint)
		p->reach = footprint - (p->lanes - 1) * p->step;
	if (p->unaligned ? !p->reach : !p->length)
		return pattern_i_fail(p, error,
		                      "expected a footprint that holds %u terms of the stride, found %" G_GUINT64_FORMAT
		                      " blocks",
		                      p->lanes, footprint);
	p->wave = p->unaligned ? unaligned_wave : column_wave;
	return true;
}

bool pattern_i_strideu(pattern *p, GError **error)
{
	p->unaligned = true;
	return pattern_i_stride(p, error);
}

static void streams_begin(pattern *p)
{
	if (!p->table)
		p->table = g_new(uint64_t, p->lanes);
	for (unsigned i = 0; i < p->lanes; i++)
		p->table[i] = rng_below(&p->random, p->options.footprint_blocks);
}

static unsigned streams_wave(pattern *p, uint64_t *blocks)
{
	uint64_t footprint = p->options.footprint_blocks;

	for (unsigned i = 0; i < p->lanes; i++) {
		blocks[i] = p->table[i];
		p->table[i] += p->step;
		if (p->table[i] >= footprint)
			p->table[i] -= footprint;
	}
	return p->lanes;
}

bool pattern_i_streams(pattern *p, GError **error)
{
	uint64_t k = p->count > 0 ? p->number[0] : p->options.k;

	if (k < 1 || k > BANK_PATTERN_MAX_LANES)
		return pattern_i_fail(p, error, "expected 1 to %d streams", BANK_PATTERN_MAX_LANES);
	p->lanes = (unsigned)k;
	p->options.k = (unsigned)k; /* lane i of every group is stream i: phases would break that */
	p->step = (p->count > 1 ? p->number[1] : 1) % p->options.footprint_blocks;
	p->begin = streams_begin;
	p->wave = streams_wave;
	p->default_groups = BANK_PATTERN_STREAM_GROUPS;
	return true;
}

static unsigned random_wave(pattern *p, uint64_t *blocks)
{
	for (unsigned i = 0; i < p->lanes; i++)
		blocks[i] = rng_below(&p->random, p->options.footprint_blocks);
	return p->lanes;
}

bool pattern_i_random(pattern *p, GError **error)
{
	(void)error;
	p->wave = random_wave;
	return true;
}

static unsigned embedding_wave(pattern *p, uint64_t *blocks)
{
	const double *cumulative = p->cumulative;

	for (unsigned i = 0; i < p->lanes; i++) {
		double u = rng_unit(&p->random) * cumulative[p->length - 1];
		uint64_t low = 0, high = p->length - 1;

		while (low < high) {
			uint64_t middle = (low + high) / 2;

			if (cumulative[middle] > u)
				high = middle;
			else
				low = middle + 1;
		}
		blocks[i] = low;
	}
	return p->lanes;
}

static void embedding_begin(pattern *p)
{
	double sum = 0;

	if (p->cumulative)
		return;
	p->cumulative = g_new(double, p->length);
	for (uint64_t r = 0; r < p->length; r++)
		p->cumulative[r] = sum += pow((double)(r + 1), -p->exponent);
}

static bool zipf(pattern *p, uint64_t rows, double exponent, GError **error)
{
	if (rows < 1 || rows > MAX_TABLE_ROWS)
		return pattern_i_fail(p, error, "expected a table of 1 to %d rows", MAX_TABLE_ROWS);
	if (exponent > 100)
		return pattern_i_fail(p, error, "expected an exponent of at most 100");
	p->length = rows;
	p->exponent = exponent;
	p->begin = embedding_begin;
	p->wave = embedding_wave;
	return true;
}

bool pattern_i_embedding(pattern *p, GError **error)
{
	return zipf(p, p->number[0], p->count > 1 ? p->real[1] : 1, error);
}

bool pattern_i_zipf(pattern *p, GError **error)
{
	return zipf(p, 65536, p->real[0], error);
}

static unsigned tile_wave(pattern *p, uint64_t *blocks)
{
	uint64_t row = rng_below(&p->random, p->options.footprint_blocks / p->length - p->rows + 1);
	uint64_t column = rng_below(&p->random, p->length - p->columns + 1);
	unsigned lane = 0;

	for (uint64_t i = 0; i < p->rows; i++)
		for (uint64_t j = 0; j < p->columns; j++)
			blocks[lane++] = (row + i) * p->length + column + j;
	return lane;
}

bool pattern_i_tile(pattern *p, GError **error)
{
	p->rows = p->number[0];
	p->columns = p->number[1];
	p->length = p->count > 2 ? p->number[2] : 1024;
	if (!p->rows || !p->columns || p->rows > BANK_PATTERN_MAX_LANES || p->columns > BANK_PATTERN_MAX_LANES ||
	    p->rows * p->columns > BANK_PATTERN_MAX_LANES)
		return pattern_i_fail(p, error, "expected a tile of 1 to %d blocks", BANK_PATTERN_MAX_LANES);
	if (p->columns > p->length || p->rows > p->options.footprint_blocks / p->length)
		return pattern_i_fail(p, error, "expected an array (footprint by pitch) that holds the tile");
	p->lanes = (unsigned)(p->rows * p->columns);
	p->wave = tile_wave;
	return true;
}
