/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that the copy engines move, in functional mode.
 *
 * Local buffers hold bursts in whole 32-byte blocks: what a burst and its padding leave of the last is zero.  Fractals:
 * L0A as ZZ (rows of fractals, rows inside), L0B as ZN (rows of fractals, columns inside), L1 as NZ after nd2nz
 * (columns of fractals, rows inside).  load3d reads [C1][H][W][C0] in L1 and makes the matrix with a row for each
 * position of the filter (left to right, then down) and a column for each of [C1][filter rows][filter columns][C0];
 * into L0B that matrix goes as it stands: its rows are the k of the product, its columns the n.
 */
#include "models/ascend/mte_int.h"

static void pad(uint8_t *at, uint64_t bytes, uint64_t pattern)
{
	/* The pattern lies as if it were repeated from a multiple of eight bytes on: elements of every size fit. */
	for (uint64_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(pattern >> ((uintptr_t)(at + i) % 8 * 8));
}

void mte_copy_values(asc_mte *m, const asc_exec *x, enum asc_space from, enum asc_space to)
{
	const int64_t *f = x->f;
	uint64_t bytes = (uint64_t)f[COPY_BURST_BYTES], left = 0, right = 0, in = bytes, out;

	if (from != ASC_GM)
		in = mte_block_up(bytes);
	if (from == ASC_GM) {
		left = (uint64_t)f[COPY_LEFT];
		right = (uint64_t)f[COPY_RIGHT];
	}
	out = to == ASC_GM ? bytes : mte_block_up(left + bytes + right);
	for (int64_t i = 0; i < f[COPY_BURSTS]; i++) {
		uint64_t src_at = (uint64_t)f[COPY_SRC] + (uint64_t)i * (in + (uint64_t)f[COPY_SRC_GAP]);
		uint64_t dst_at = (uint64_t)f[COPY_DST] + (uint64_t)i * (out + (uint64_t)f[COPY_DST_GAP]);
		const uint8_t *src = asc_data_at(m->data, from, src_at, bytes);
		uint8_t *dst = asc_data_at(m->data, to, dst_at, out);

		if (!src || !dst)
			continue;
		pad(dst, left, (uint64_t)f[COPY_VALUE]);
		memmove(dst + left, src, bytes);
		pad(dst + left + bytes, right, (uint64_t)f[COPY_VALUE]);
		memset(dst + left + bytes + right, 0, out - left - bytes - right);
	}
}

void mte_nd2nz_values(asc_mte *m, const asc_exec *x)
{
	const int64_t *f = x->f;
	uint64_t size = asc_type_bytes((enum asc_type)f[ND2NZ_TYPE]), row = (uint64_t)f[ND2NZ_D] * size;
	uint64_t columns = mte_block_up(row) / C0_BYTES, column = (uint64_t)f[ND2NZ_C0_STRIDE] * C0_BYTES;

	for (int64_t nd = 0; nd < f[ND2NZ_ND]; nd++)
		for (int64_t r = 0; r < f[ND2NZ_N]; r++) {
			uint64_t line = (uint64_t)(nd * f[ND2NZ_N] + r) * (uint64_t)f[ND2NZ_SRC_PITCH] * size;
			const uint8_t *src = asc_data_at(m->data, ASC_GM, (uint64_t)f[ND2NZ_SRC] + line, row);

			for (uint64_t c = 0; src && c < columns; c++) {
				uint64_t at = (uint64_t)f[ND2NZ_DST] + ((uint64_t)nd * columns + c) * column;
				uint64_t bytes = MIN(row - c * C0_BYTES, C0_BYTES);
				uint8_t *dst = asc_data_at(m->data, ASC_L1, at + (uint64_t)r * C0_BYTES, C0_BYTES);

				if (!dst)
					continue;
				memcpy(dst, src + c * C0_BYTES, bytes);
				memset(dst + bytes, 0, C0_BYTES - bytes);
			}
		}
}

static void transpose_b16(uint8_t *dst, const uint8_t *src)
{
	uint16_t in[FRACTAL_ROWS][FRACTAL_ROWS], out[FRACTAL_ROWS][FRACTAL_ROWS];

	memcpy(in, src, sizeof(in));
	for (unsigned r = 0; r < FRACTAL_ROWS; r++)
		for (unsigned c = 0; c < FRACTAL_ROWS; c++)
			out[c][r] = in[r][c];
	memcpy(dst, out, sizeof(out));
}

void mte_load2d_values(asc_mte *m, const asc_exec *x, enum asc_space to)
{
	const int64_t *f = x->f;

	for (int64_t i = 0; i < f[LOAD2D_REPEAT]; i++) {
		uint64_t from = (uint64_t)f[LOAD2D_SRC] + (uint64_t)(i * f[LOAD2D_SRC_STRIDE]) * FRACTAL_BYTES;
		uint64_t at = (uint64_t)f[LOAD2D_DST] + (uint64_t)(i * (1 + f[LOAD2D_DST_GAP])) * FRACTAL_BYTES;
		const uint8_t *src = asc_data_at(m->data, ASC_L1, from, FRACTAL_BYTES);
		uint8_t *dst = asc_data_at(m->data, to, at, FRACTAL_BYTES);

		if (!src || !dst)
			continue;
		if (f[LOAD2D_TRANSPOSE])
			transpose_b16(dst, src);
		else
			memcpy(dst, src, FRACTAL_BYTES);
	}
}

/* What load3d's packed fields say. */
typedef struct image {
	int64_t h, w, c1, c0, filter_w, filter_h, stride_w, stride_h, dilation_w, dilation_h, left, right, top, bottom,
		out_w, out_h;
	uint64_t size;
	uint64_t base;
} image;

static int64_t byte_of(int64_t packed, unsigned i)
{
	return packed >> (8 * i) & 0xff;
}

static image image_of(const asc_exec *x)
{
	const int64_t *f = x->f;
	image g = {.h = f[LOAD3D_H], .w = f[LOAD3D_W], .base = (uint64_t)f[LOAD3D_SRC]};

	g.size = asc_type_bytes((enum asc_type)f[LOAD3D_TYPE]);
	g.c0 = C0_BYTES / (int64_t)g.size;
	g.c1 = mte_up(f[LOAD3D_C], g.c0);
	g.filter_w = MAX(byte_of(f[LOAD3D_KERNEL], 0), 1);
	g.filter_h = MAX(byte_of(f[LOAD3D_KERNEL], 1), 1);
	g.stride_w = MAX(byte_of(f[LOAD3D_STRIDE], 0), 1);
	g.stride_h = MAX(byte_of(f[LOAD3D_STRIDE], 1), 1);
	g.dilation_w = MAX(byte_of(f[LOAD3D_DILATION], 0), 1);
	g.dilation_h = MAX(byte_of(f[LOAD3D_DILATION], 1), 1);
	g.left = byte_of(f[LOAD3D_PAD], 0);
	g.right = byte_of(f[LOAD3D_PAD], 1);
	g.top = byte_of(f[LOAD3D_PAD], 2);
	g.bottom = byte_of(f[LOAD3D_PAD], 3);
	g.out_w = (g.w + g.left + g.right - g.dilation_w * (g.filter_w - 1) - 1) / g.stride_w + 1;
	g.out_h = (g.h + g.top + g.bottom - g.dilation_h * (g.filter_h - 1) - 1) / g.stride_h + 1;
	return g;
}

/* The element of the img2col matrix at row M, column K; NULL where it is padding or behind the last of either, which is
 * zero. */
static const uint8_t *image_at(asc_mte *mte, const image *g, int64_t m, int64_t k)
{
	int64_t c = k % g->c0, x = k / g->c0 % g->filter_w, y = k / (g->c0 * g->filter_w) % g->filter_h;
	int64_t c1 = k / (g->c0 * g->filter_w * g->filter_h);
	int64_t column = m % g->out_w * g->stride_w + x * g->dilation_w - g->left;
	int64_t row = m / g->out_w * g->stride_h + y * g->dilation_h - g->top;

	if (m >= g->out_w * g->out_h || c1 >= g->c1 || column < 0 || column >= g->w || row < 0 || row >= g->h)
		return NULL;
	return asc_data_at(mte->data, ASC_L1,
	                   g->base + (uint64_t)(((c1 * g->h + row) * g->w + column) * g->c0 + c) * g->size, g->size);
}

void mte_load3d_values(asc_mte *m, const asc_exec *x, enum asc_space to)
{
	const int64_t *f = x->f;
	image g = image_of(x);
	int64_t rows = mte_up(f[LOAD3D_M_EXTENT], FRACTAL_ROWS) * FRACTAL_ROWS;
	int64_t columns = mte_up(f[LOAD3D_K_EXTENT], g.c0) * g.c0;
	uint8_t *dst;

	if (to == ASC_L0B) { /* fractals of c0 rows (k of the product) and 16 columns */
		rows = mte_up(f[LOAD3D_M_EXTENT], g.c0) * g.c0;
		columns = mte_up(f[LOAD3D_K_EXTENT], FRACTAL_ROWS) * FRACTAL_ROWS;
	}
	dst = asc_data_at(m->data, to, (uint64_t)f[LOAD3D_DST], (uint64_t)(rows * columns) * g.size);
	if (!dst || g.out_w <= 0 || g.out_h <= 0)
		return;
	for (int64_t row = 0; row < rows; row++)
		for (int64_t k = 0; k < columns; k++) {
			const uint8_t *src = image_at(m, &g, f[LOAD3D_M_START] + row, f[LOAD3D_K_START] + k);
			int64_t r = to == ASC_L0A ? row : k, c = to == ASC_L0A ? k : row;
			int64_t fractal = to == ASC_L0A ? row / FRACTAL_ROWS * (columns / g.c0) + k / g.c0
			                                : row / g.c0 * (columns / FRACTAL_ROWS) + k / FRACTAL_ROWS;
			uint8_t *at = dst + fractal * FRACTAL_BYTES + r % FRACTAL_ROWS * C0_BYTES +
			              c % g.c0 * (int64_t)g.size;

			if (src)
				memcpy(at, src, g.size);
			else
				memset(at, 0, g.size);
		}
}
