/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns of convolutions over an image of H rows of W pixels, a pixel (all its channels) a block: pixel (y, x) is
 * block y W + x.  No padding: output pixels are (H - (KH - 1) D - 1) div S + 1 rows of likewise so many; output (oy,
 * ox) reads the taps (i, j) at pixel (oy S + i D, ox S + j D). im2col  output pixels row by row; a wave is the KH KW
 * taps of one of them, row by row conv    L successive output pixels (row by row) are lanes; for these every tap, row
 * by row, is a wave; then the next L output pixels
 */
#include "bank/pattern_int.h"

static unsigned im2col_wave(pattern *p, uint64_t *blocks)
{
	uint64_t width = p->length;
	uint64_t corner;
	unsigned lane = 0;

	if (p->at[0] == p->rows)
		return 0;
	corner = p->at[0] * p->step * width + p->at[1] * p->step;
	for (uint64_t i = 0; i < p->kernel[0]; i++)
		for (uint64_t j = 0; j < p->kernel[1]; j++)
			blocks[lane++] = corner + i * p->dilation * width + j * p->dilation;
	if (++p->at[1] == p->columns) {
		p->at[1] = 0;
		p->at[0]++;
	}
	return lane;
}

static unsigned conv_wave(pattern *p, uint64_t *blocks)
{
	uint64_t width = p->length;
	uint64_t tap = p->at[1] / p->kernel[1] * p->dilation * width + p->at[1] % p->kernel[1] * p->dilation;
	uint64_t row = p->at[0] / p->columns, column = p->at[0] % p->columns;
	unsigned lanes = (unsigned)MIN(p->lanes, p->rows * p->columns - p->at[0]);

	for (unsigned i = 0; i < lanes; i++) {
		blocks[i] = row * p->step * width + column * p->step + tap;
		if (++column == p->columns) {
			column = 0;
			row++;
		}
	}
	if (++p->at[1] == p->kernel[0] * p->kernel[1]) {
		p->at[1] = 0;
		p->at[0] += lanes;
	}
	return lanes;
}

/* H, W, KH, KW or K, then stride and dilation. */
static bool image(pattern *p, GError **error)
{
	unsigned next = 3;
	uint64_t reach[2];

	p->kernel[0] = p->kernel[1] = p->number[2];
	if (p->count > 3 && p->by[3])
		p->kernel[1] = p->number[next++];
	p->step = p->count > next ? p->number[next++] : 1;
	p->dilation = p->count > next ? p->number[next++] : 1;
	if (!p->by[1] || next < p->count)
		return pattern_i_fail(p, error, "expected HxW,KHxKW[,STRIDE[,DILATION]]");
	if (!p->kernel[0] || !p->kernel[1] || p->kernel[0] > 1024 || p->kernel[1] > 1024 || !p->step ||
	    p->step > 1024 || !p->dilation || p->dilation > 1024)
		return pattern_i_fail(p, error, "expected kernel, stride and dilation from 1 to 1024");
	p->length = p->number[1];
	for (unsigned i = 0; i < 2; i++) {
		reach[i] = (p->kernel[i] - 1) * p->dilation + 1;
		if (p->number[i] < reach[i] || p->number[i] > UINT64_C(1) << 30)
			return pattern_i_fail(p, error,
			                      "expected an image of up to 2^30 rows and columns that holds the kernel");
	}
	p->rows = (p->number[0] - reach[0]) / p->step + 1;
	p->columns = (p->number[1] - reach[1]) / p->step + 1;
	return true;
}

bool pattern_i_im2col(pattern *p, GError **error)
{
	if (!image(p, error))
		return false;
	if (p->kernel[0] * p->kernel[1] > BANK_PATTERN_MAX_LANES)
		return pattern_i_fail(p, error, "expected a kernel of at most %d taps", BANK_PATTERN_MAX_LANES);
	p->lanes = (unsigned)(p->kernel[0] * p->kernel[1]);
	p->wave = im2col_wave;
	return true;
}

bool pattern_i_conv(pattern *p, GError **error)
{
	p->wave = conv_wave;
	return image(p, error);
}
