/* SPDX-License-Identifier: Apache-2.0
 *
 * The cube side of the reference: fractals, img2col, products.
 */
#include "tests/differential/asc_num.h"
#include "tests/differential/asc_ref.h"

enum { FRACTAL = 512, FRACTAL_ROWS = 16, ROW = 32 };

static uint64_t up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit;
}

/* L0A: fractals of 16 rows by 32 bytes of depth, row by row of fractals, rows within. */
static uint64_t a_address(uint64_t base, uint64_t row, uint64_t depth, uint64_t depths, unsigned size)
{
	uint64_t c0 = ROW / size;

	return base + (row / FRACTAL_ROWS * up(depths, c0) + depth / c0) * FRACTAL + row % FRACTAL_ROWS * ROW +
	       depth % c0 * size;
}

/* L0B: fractals of 32 bytes of depth by 16 columns, row by row of fractals (depth), columns within. */
static uint64_t b_address(uint64_t base, uint64_t depth, uint64_t column, uint64_t columns, unsigned size)
{
	uint64_t c0 = ROW / size;

	return base + (depth / c0 * up(columns, FRACTAL_ROWS) + column / FRACTAL_ROWS) * FRACTAL +
	       column % FRACTAL_ROWS * ROW + depth % c0 * size;
}

/* L0C: columns of fractals of 16 x 16 of four bytes, rows within. */
static uint64_t c_address(uint64_t base, uint64_t row, uint64_t column, uint64_t rows)
{
	return base + ((column / 16 * up(rows, 16) + row / 16) * 256 + row % 16 * 16 + column % 16) * 4;
}

/* Products of fp16 and bf16 are rounded to fp32, those of fp32 are not; then comes the sum, in the order of depth. */
static uint64_t add_product(enum asc_type type, uint64_t x, uint64_t y, uint64_t sum)
{
	big product = big_mul(big_from_bits(type, x), big_from_bits(type, y));

	if (type != ASC_F32)
		product = big_from_bits(ASC_F32, big_round(product, ASC_F32, ROUND_EVEN));
	return big_round(big_add(product, big_from_bits(ASC_F32, sum)), ASC_F32, ROUND_EVEN);
}

static void multiply(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	unsigned size = asc_type_bytes(type);
	uint64_t m = (uint64_t)ref_field(r, "m"), k = (uint64_t)ref_field(r, "k"), n = (uint64_t)ref_field(r, "n");
	uint64_t a = (uint64_t)ref_field(r, "a"), b = (uint64_t)ref_field(r, "b"), c = (uint64_t)ref_field(r, "c");
	int64_t init = ref_field(r, "init");

	if (m == 0 || k == 0 || n == 0)
		return;
	/* Whole fractals. */
	ref_touch(r, ASC_L0A, false, a, up(m, FRACTAL_ROWS) * up(k, ROW / size) * FRACTAL);
	ref_touch(r, ASC_L0B, false, b, up(n, FRACTAL_ROWS) * up(k, ROW / size) * FRACTAL);
	ref_touch(r, ASC_L0C, true, c, up(m, 16) * up(n, 16) * 1024);
	if (init == 0)
		ref_touch(r, ASC_L0C, false, c, up(m, 16) * up(n, 16) * 1024);
	for (uint64_t i = 0; i < m && !r->beyond; i++)
		for (uint64_t j = 0; j < n && !r->beyond; j++) {
			uint64_t sum = 0;

			if (init == 0)
				sum = ref_get(r, ASC_L0C, c_address(c, i, j, m), 4);
			else if (init == 2)
				sum = ref_get(r, ASC_BT, (uint64_t)ref_field(r, "bias") + 4 * j, 4);
			for (uint64_t d = 0; d < k; d++) {
				uint64_t x = ref_get(r, ASC_L0A, a_address(a, i, d, k, size), size);
				uint64_t y = ref_get(r, ASC_L0B, b_address(b, d, j, n, size), size);
				if (type_floats(type))
					sum = add_product(type, x, y, sum);
				else
					sum = (sum + (uint64_t)(type_integer(type, x) * type_integer(type, y))) &
					      UINT32_MAX;
			}
			ref_put(r, ASC_L0C, c_address(c, i, j, m), 4, sum);
		}
}

static void load_fractals(asc_ref *r, enum asc_space to)
{
	uint64_t dst = (uint64_t)ref_field(r, "dst"), src = (uint64_t)ref_field(r, "src");
	uint64_t pitch = 1 + (uint64_t)ref_field(r, "dst_gap"), stride = (uint64_t)ref_field(r, "src_stride");
	bool transposed = ref_field(r, "transpose") != 0;

	for (uint64_t f = 0; f < (uint64_t)ref_field(r, "repeat") && !r->beyond; f++)
		for (uint64_t i = 0; i < 16; i++)
			for (uint64_t j = 0; j < 16; j++) {
				uint64_t from = transposed ? 32 * j + 2 * i : 32 * i + 2 * j;

				ref_put(r, to, dst + f * pitch * FRACTAL + 32 * i + 2 * j, 2,
				        ref_get(r, ASC_L1, src + f * stride * FRACTAL + from, 2));
			}
}

typedef struct image {
	uint64_t base, h, w, c, c0;
	int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, left, right, top, bottom;
	int64_t out_w, out_h;
	unsigned size;
} image;

static image image_of(const asc_ref *r)
{
	image p = {.base = (uint64_t)ref_field(r, "src"),
	           .h = (uint64_t)ref_field(r, "h"),
	           .w = (uint64_t)ref_field(r, "w")};
	int64_t kernel = ref_field(r, "kernel"), stride = ref_field(r, "stride");
	int64_t dilation = ref_field(r, "dilation"), pad = ref_field(r, "pad");

	p.c = (uint64_t)ref_field(r, "c");
	p.size = asc_type_bytes((enum asc_type)ref_field(r, "type"));
	p.c0 = ROW / p.size;
	p.kernel_h = kernel >> 8;
	p.kernel_w = kernel & 0xff;
	p.stride_h = stride >> 8;
	p.stride_w = stride & 0xff;
	p.dilation_h = dilation >> 8;
	p.dilation_w = dilation & 0xff;
	p.left = pad & 0xff;
	p.right = pad >> 8 & 0xff;
	p.top = pad >> 16 & 0xff;
	p.bottom = pad >> 24 & 0xff;
	p.out_w = ((int64_t)p.w + p.left + p.right - (p.dilation_w * (p.kernel_w - 1) + 1)) / p.stride_w + 1;
	p.out_h = ((int64_t)p.h + p.top + p.bottom - (p.dilation_h * (p.kernel_h - 1) + 1)) / p.stride_h + 1;
	return p;
}

/* Element (position, column) of the img2col matrix; zero where padding or nothing is. */
static uint64_t image_get(asc_ref *r, const image *p, int64_t position, int64_t column)
{
	int64_t c0 = column % (int64_t)p->c0, tap = column / (int64_t)p->c0;
	int64_t x = tap % p->kernel_w, y = tap / p->kernel_w % p->kernel_h, c1 = tap / p->kernel_w / p->kernel_h;
	int64_t row = position / p->out_w * p->stride_h - p->top + y * p->dilation_h;
	int64_t col = position % p->out_w * p->stride_w - p->left + x * p->dilation_w;

	if (position >= p->out_h * p->out_w || c1 * (int64_t)p->c0 >= (int64_t)p->c)
		return 0;
	if (row < 0 || col < 0 || row >= (int64_t)p->h || col >= (int64_t)p->w)
		return 0;
	return ref_get(r, ASC_L1,
	               p->base + (((uint64_t)c1 * p->h + (uint64_t)row) * p->w + (uint64_t)col) * ROW +
	                       (uint64_t)c0 * p->size,
	               p->size);
}

static void spread(int64_t *low, int64_t *high, int64_t value)
{
	*low = MIN(*low, value);
	*high = MAX(*high, value);
}

/* Whole rows of the map, from the first to the last that the filter lies on at ROWS positions, with the rows of the
 * filter that COLUMNS columns need; with all of them where those need several groups of channels. */
static void touch_rows(asc_ref *r, const image *p, uint64_t rows, uint64_t columns)
{
	int64_t k = ref_field(r, "k_start"), m = ref_field(r, "m_start");
	int64_t first = INT64_MAX, last = -1, low_y = INT64_MAX, high_y = -1, from = INT64_MAX, to = INT64_MIN;

	for (int64_t j = k; j < k + (int64_t)columns; j++) {
		int64_t row = j / (int64_t)p->c0 / p->kernel_w, group = row / p->kernel_h;

		if (group * (int64_t)p->c0 >= (int64_t)p->c)
			break;
		spread(&first, &last, group);
		spread(&low_y, &high_y, row % p->kernel_h);
	}
	if (last < 0)
		return;
	if (last > first) {
		low_y = 0;
		high_y = p->kernel_h - 1;
	}
	for (int64_t i = m; i < m + (int64_t)rows && i < p->out_h * p->out_w; i++)
		for (int64_t y = low_y; y <= high_y; y++)
			spread(&from, &to, i / p->out_w * p->stride_h - p->top + y * p->dilation_h);
	from = MAX(from, 0);
	to = MIN(to, (int64_t)p->h - 1);
	for (int64_t group = first; group <= last && from <= to; group++)
		ref_touch(r, ASC_L1, false, p->base + ((uint64_t)group * p->h + (uint64_t)from) * p->w * ROW,
		          (uint64_t)(to - from + 1) * p->w * ROW);
}

static void load_image(asc_ref *r, enum asc_space to)
{
	image p = image_of(r);
	uint64_t dst = (uint64_t)ref_field(r, "dst");
	int64_t k_start = ref_field(r, "k_start"), m_start = ref_field(r, "m_start");
	uint64_t rows = (uint64_t)ref_field(r, "m_extent"), columns = (uint64_t)ref_field(r, "k_extent");
	bool to_a = to == ASC_L0A;
	/* Whole fractals: what lies in them beyond the extents is of the matrix, too. */
	uint64_t full_rows = up(rows, to_a ? FRACTAL_ROWS : p.c0) * (to_a ? FRACTAL_ROWS : p.c0);
	uint64_t full_columns = up(columns, to_a ? p.c0 : FRACTAL_ROWS) * (to_a ? p.c0 : FRACTAL_ROWS);

	touch_rows(r, &p, full_rows, full_columns);
	for (uint64_t i = 0; i < full_rows && !r->beyond; i++)
		for (uint64_t j = 0; j < full_columns; j++) {
			uint64_t at =
				to_a ? a_address(dst, i, j, columns, p.size) : b_address(dst, i, j, columns, p.size);

			ref_put(r, to, at, p.size, image_get(r, &p, m_start + (int64_t)i, k_start + (int64_t)j));
		}
}

void ref_cube(asc_ref *r)
{
	switch (r->op) {
	case ASC_OP_MMAD:
		multiply(r);
		break;
	case ASC_OP_LOAD2D_A:
		load_fractals(r, ASC_L0A);
		break;
	case ASC_OP_LOAD2D_B:
		load_fractals(r, ASC_L0B);
		break;
	case ASC_OP_LOAD3D_A:
		load_image(r, ASC_L0A);
		break;
	default:
		load_image(r, ASC_L0B);
		break;
	}
}
