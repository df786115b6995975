/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference evaluation of whole nodes: reductions in their order, matrix products and convolutions to the last rounding
 * and on special values, views; whole workloads against double arithmetic, within the error their types allow.
 */
#include "isa/num.h"
#include "isa/rng.h"
#include "sched/frontend/frontend.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

/* Evaluates G and returns the data of node I; g_free.  Frees everything else. */
static void *value_of(graph *g, uint32_t i)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	g_autoptr(GError) error = NULL;
	void *result;

	graph_mark_output(g, i);
	if (!graph_verify(g, &error) || !graph_evaluate(g, values, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	result = values[i];
	for (uint32_t v = 0; v < graph_size(g); v++)
		if (v != i)
			g_free(values[v]);
	return result;
}

static uint32_t f16_const(graph *g, uint64_t rows, uint64_t lanes, const float *values)
{
	g_autofree uint16_t *data = g_new(uint16_t, rows * lanes);

	for (uint64_t i = 0; i < rows * lanes; i++)
		data[i] = num_f32_to_f16(values[i]);
	return graph_const(g, NULL, ISA_TYPE_F16, rows, lanes, data);
}

/* ulp(2048) = 2 in fp16: 2048 + 1 rounds to 2048 (tie to even), so the order of additions shows.
 * x = 2048, 1, 1, 1, 4.  Level 1: 2048 + 1 = 2048, 1 + 1 = 2, 4.  Level 2: 2050, 4.  Level 3: 2054.
 * From left to right: 2048, 2048, 2048, then 2052. */
static void reduction_pairs_neighbours_level_by_level(void)
{
	graph *g = graph_new("g");
	uint32_t x = f16_const(g, 5, 1, (float[]){2048, 1, 1, 1, 4});
	g_autofree uint16_t *z = value_of(g, graph_reduce(g, "z", ISA_OP_ADD, x, 1));

	CU_ASSERT_EQUAL(z[0], num_f32_to_f16(2054));
	graph_free(g);
}

/* Six elements give 2048, 1, 1 at level 1.  Level 2: 2048 + 1 = 2048, and the last 1 passes;  level 3: 2048 + 1 = 2048.
 * Had the last two been paired at level 2, the sum were 2048 + 2 = 2050. */
static void odd_last_element_passes_to_the_next_level(void)
{
	graph *g = graph_new("g");
	uint32_t x = f16_const(g, 6, 1, (float[]){2048, 0, 1, 0, 1, 0});
	g_autofree uint16_t *z = value_of(g, graph_reduce(g, "z", ISA_OP_ADD, x, 1));

	CU_ASSERT_EQUAL(z[0], num_f32_to_f16(2048));
	graph_free(g);
}

static void reduction_groups_are_independent(void)
{
	graph *g = graph_new("g");
	uint32_t x = f16_const(g, 6, 1, (float[]){1, 5, 3, -1, -7, -2});
	g_autofree uint16_t *z = value_of(g, graph_reduce(g, "z", ISA_OP_MAX, x, 2));

	CU_ASSERT_EQUAL(z[0], num_f32_to_f16(5));
	CU_ASSERT_EQUAL(z[1], num_f32_to_f16(-1));
	graph_free(g);
}

/* ------------------------------------------------------------------------------------------------- products */

/* The fp16 product of a row A and a column B of K elements, blocks of RUN, sub-sums of SUM. */
static uint16_t dot(uint64_t k, const float *a, const float *b, uint64_t run, uint64_t sum)
{
	graph *g = graph_new("g");
	uint32_t x = f16_const(g, 1, k, a), y = f16_const(g, k, 1, b);
	g_autofree uint16_t *z = value_of(g, graph_matmul(g, "z", x, y, 1, ISA_TYPE_F16, run, sum));
	uint16_t result = z[0];

	graph_free(g);
	return result;
}

/* Inside a sub-sum everything is double: 2^15 * 2^15 + 2^-24 * 2^-14 - 2^15 * 2^15 = 2^-38 exactly, too small for fp16
 * (result 0); with 2^-10 * 2^-10 it is 2^-20.  fp32 would lose it beside 2^30. */
static void sub_sums_are_exact_in_double(void)
{
	CU_ASSERT_EQUAL(dot(3, (float[]){0x1p15F, 0x1p-10F, 0x1p15F}, (float[]){0x1p15F, 0x1p-10F, -0x1p15F}, 320, 160),
	                num_f32_to_f16(0x1p-20F));
	CU_ASSERT_EQUAL(dot(3, (float[]){0x1p15F, 0x1p-24F, 0x1p15F}, (float[]){0x1p15F, 0x1p-14F, -0x1p15F}, 320, 160),
	                0);
}

/* The same with the first two products in a sub-sum of their own: it rounds to 2^30 in fp32 and the small one is lost.
 */
static void sub_sums_are_rounded_to_fp32(void)
{
	CU_ASSERT_EQUAL(dot(3, (float[]){0x1p15F, 0x1p-10F, 0x1p15F}, (float[]){0x1p15F, 0x1p-10F, -0x1p15F}, 320, 2),
	                0);
}

/* Sub-sums a = 2^24, b = 1, c = 1, d = -2^24 (products of one lane each).  One block of four: ((a + b) + c) + d = 0,
 * for 2^24 + 1 rounds to 2^24.  Blocks of two: (a + b) + (c + d) = 2^24 + (1 - 2^24) = 1. */
static void sub_sums_of_a_block_are_added_before_blocks(void)
{
	const float a[] = {0x1p12F, 1, 1, 0x1p12F}, b[] = {0x1p12F, 1, 1, -0x1p12F};

	CU_ASSERT_EQUAL(dot(4, a, b, 4, 1), 0);
	CU_ASSERT_EQUAL(dot(4, a, b, 2, 1), num_f32_to_f16(1));
	/* Blocks of one: (((a + b) + c) + d) again. */
	CU_ASSERT_EQUAL(dot(4, a, b, 1, 1), 0);
}

/* inf * 0 = NaN; inf + -inf = NaN; inf * -1 = -inf; overflow to inf; denormals multiply exactly; a sub-sum of negative
 * zeros begins from +0 and stays +0. */
static void product_specials(void)
{
	float inf = INFINITY;

	CU_ASSERT_EQUAL(dot(2, (float[]){inf, 1}, (float[]){0, 1}, 320, 160), 0x7E00);
	CU_ASSERT_EQUAL(dot(2, (float[]){inf, inf}, (float[]){1, -1}, 320, 160), 0x7E00);
	CU_ASSERT_EQUAL(dot(2, (float[]){NAN, 1}, (float[]){1, 1}, 320, 160), 0x7E00);
	CU_ASSERT_EQUAL(dot(2, (float[]){inf, 1}, (float[]){-1, 1}, 320, 160), 0xFC00);
	CU_ASSERT_EQUAL(dot(2, (float[]){256, 256}, (float[]){256, 256}, 320, 160), 0x7C00);
	CU_ASSERT_EQUAL(dot(1, (float[]){0x1p-24F}, (float[]){2}, 320, 160), 0x0002);
	CU_ASSERT_EQUAL(dot(2, (float[]){-0.0F, 0}, (float[]){1, -1}, 320, 160), 0x0000);
	/* -2^-48 survives to the last step and becomes the fp16 -0. */
	CU_ASSERT_EQUAL(dot(1, (float[]){0x1p-24F}, (float[]){-0x1p-24F}, 320, 160), 0x8000);
}

/* (-128)^2 * 131072 = 2^31: wraps to the least int32. */
static void int8_sums_wrap(void)
{
	const uint64_t k = 131072;
	graph *g = graph_new("g");
	g_autofree int8_t *data = g_malloc(k);
	g_autofree int32_t *z = NULL;
	uint32_t x, y;

	memset(data, 0x80, k);
	x = graph_const(g, "x", ISA_TYPE_I8, 1, k, data);
	y = graph_const(g, "y", ISA_TYPE_I8, k, 1, data);
	z = value_of(g, graph_matmul(g, "z", x, y, 1, ISA_TYPE_I32, 320, 160));
	CU_ASSERT_EQUAL(z[0], INT32_MIN);
	graph_free(g);
}

/* Definition by definition, element by element: what the fast kernel must equal on sizes that leave edges everywhere.
 */
static void matmul_equals_the_plain_definition(void)
{
	static const struct {
		uint64_t batches, m, n, k, run, sum;
	} shapes[] = {{1, 3, 9, 700, 320, 160}, {2, 1030, 17, 5, 3, 2}, {3, 2, 1, 33, 32, 7}, {1, 1, 8, 1, 320, 160}};

	for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
		uint64_t m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
		graph *g = graph_new("g");
		uint32_t a = graph_input(g, "a", ISA_TYPE_F16, shapes[s].batches * m, k);
		uint32_t b = graph_input(g, "b", ISA_TYPE_F16, shapes[s].batches * k, n);
		uint32_t c = graph_matmul(g, "c", a, b, shapes[s].batches, ISA_TYPE_F16, shapes[s].run, shapes[s].sum);
		g_autofree uint16_t *z = NULL;
		const uint16_t *x, *y;
		unsigned different = 0;

		graph_fill_inputs(g, 5, true);
		z = value_of(g, c);
		x = (const uint16_t *)(const void *)graph_at(g, a)->data;
		y = (const uint16_t *)(const void *)graph_at(g, b)->data;
		for (uint64_t i = 0; i < shapes[s].batches * m * n; i++) {
			uint64_t batch = i / (m * n), row = i / n % m, column = i % n;
			float total = 0, block = 0;

			for (uint64_t from = 0; from < k; from += shapes[s].run) {
				uint64_t end = MIN(from + shapes[s].run, k);

				for (uint64_t at = from; at < end; at += shapes[s].sum) {
					double sum = 0;

					for (uint64_t q = at; q < MIN(at + shapes[s].sum, end); q++)
						sum += (double)num_f16_to_f32(x[(batch * m + row) * k + q]) *
						       (double)num_f16_to_f32(y[(batch * k + q) * n + column]);
					block = at == from ? (float)sum : block + (float)sum;
				}
				total = from == 0 ? block : total + block;
			}
			different += z[i] != num_f32_to_f16(total);
		}
		CU_ASSERT_EQUAL(different, 0);
		graph_free(g);
	}
}

/* ------------------------------------------------------------------------------------------------ convolution */

/* Naive int8 convolution: seven nested loops over the definition, no K blocks.  W is in block order, found by asking
 * for the lane; Y is compared element by element. */
static unsigned conv_differences(const graph_conv *c)
{
	graph *g = graph_new("g");
	uint32_t x = graph_input(g, "x", ISA_TYPE_I8, c->images * c->groups * c->h * c->w, c->c);
	uint32_t w = graph_input(g, "w", ISA_TYPE_I8, c->groups * graph_conv_k(c), c->n);
	uint32_t y = graph_conv2d(g, "y", x, w, c, ISA_TYPE_I32, 160);
	g_autofree int32_t *z = NULL;
	g_autofree uint64_t *row_of = g_new(uint64_t, graph_conv_k(c));
	const int8_t *px, *pw;
	unsigned different = 0;
	uint64_t row = 0;

	for (uint64_t block = 0; block < graph_conv_block_count(c); block++) {
		for (uint64_t lane = 0; lane < graph_conv_block_lanes(c, block); lane++) {
			uint64_t r, s, ch;

			graph_conv_lane(c, block, lane, &r, &s, &ch);
			row_of[(r * c->s + s) * c->c + ch] = row++;
		}
	}
	graph_fill_inputs(g, 9, true);
	z = value_of(g, y);
	px = (const int8_t *)graph_at(g, x)->data;
	pw = (const int8_t *)graph_at(g, w)->data;
	for (uint64_t ig = 0; ig < c->images * c->groups; ig++) {
		for (uint64_t at = 0; at < c->oh * c->ow * c->n; at++) {
			uint64_t oh = at / c->n / c->ow, ow = at / c->n % c->ow, n = at % c->n;
			int32_t sum = 0;

			for (uint64_t k = 0; k < graph_conv_k(c); k++) {
				int64_t r = (int64_t)(k / c->c / c->s), s = (int64_t)(k / c->c % c->s);
				int64_t ih = (int64_t)(oh * c->stride_h) + r - (int64_t)c->pad;
				int64_t iw = (int64_t)(ow * c->stride_w) + s - (int64_t)c->pad;

				if (ih < 0 || iw < 0 || ih >= (int64_t)c->h || iw >= (int64_t)c->w)
					continue;
				sum += px[((ig * c->h + (uint64_t)ih) * c->w + (uint64_t)iw) * c->c + k % c->c] *
				       pw[(ig % c->groups * graph_conv_k(c) + row_of[k]) * c->n + n];
			}
			different += z[ig * c->oh * c->ow * c->n + at] != sum;
		}
	}
	graph_free(g);
	return different;
}

static void convolution_equals_nested_loops(void)
{
	static const graph_conv shapes[] = {
		/* plain, then strides with padding, groups and images, unequal strides, filter = input, one channel */
		{1, 1, 6, 5, 3, 4, 3, 2, 1, 1, 0, 4, 4, GRAPH_KBLOCK_RUNS, 3, 320, 0, 0},
		{1, 1, 7, 7, 3, 9, 3, 3, 2, 2, 1, 4, 4, GRAPH_KBLOCK_RUNS, 2, 9, 0, 0},
		{2, 3, 5, 5, 2, 3, 3, 3, 1, 1, 1, 5, 5, GRAPH_KBLOCK_RUNS, 1, 4, 0, 0},
		{2, 3, 5, 5, 2, 3, 3, 3, 1, 1, 1, 5, 5, GRAPH_KBLOCK_TAPS, 0, 0, 2, 2},
		{1, 1, 9, 8, 5, 2, 2, 3, 3, 1, 0, 3, 6, GRAPH_KBLOCK_TAPS, 0, 0, 1, 3},
		{1, 1, 4, 4, 7, 1, 4, 4, 1, 1, 0, 1, 1, GRAPH_KBLOCK_RUNS, 1, 28, 0, 0},
		{1, 4, 6, 6, 1, 1, 3, 3, 1, 1, 1, 6, 6, GRAPH_KBLOCK_TAPS, 0, 0, 3, 1},
		/* stride beyond the filter; padding beyond the filter */
		{1, 1, 9, 9, 2, 2, 2, 2, 4, 4, 0, 2, 2, GRAPH_KBLOCK_RUNS, 2, 320, 0, 0},
		{1, 1, 3, 3, 2, 2, 2, 2, 1, 1, 3, 8, 8, GRAPH_KBLOCK_RUNS, 2, 320, 0, 0},
		/* the ceil form: 8 x 8, 3 x 3, stride 4 gives 3 x 3 outputs, the last ones half outside */
		{1, 1, 8, 8, 2, 2, 3, 3, 4, 4, 0, 3, 3, GRAPH_KBLOCK_RUNS, 3, 320, 0, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
		CU_ASSERT_EQUAL(conv_differences(&shapes[i]), 0);
}

/* fp16, one output, two filter rows of one tap and two channels: products 2^24, 1 in row 0 and 1, -2^24 in row 1.
 * Blocks of a row: (2^24 + 1 = 2^24 + 1 exactly in double, rounded to 2^24) + (1 - 2^24) = 1.  Blocks of both rows, one
 * sub-sum: exact, 2. */
static void convolution_sums_follow_the_blocks(void)
{
	const uint16_t data[] = {num_f32_to_f16(0x1p12F), num_f32_to_f16(1), num_f32_to_f16(1),
	                         num_f32_to_f16(0x1p12F)};
	const uint16_t filter[] = {data[0], data[1], data[2], num_f32_to_f16(-0x1p12F)};
	graph_conv c = {1, 1, 2, 1, 2, 1, 2, 1, 1, 1, 0, 1, 1, GRAPH_KBLOCK_RUNS, 1, 2, 0, 0};

	for (unsigned rows = 1; rows <= 2; rows++) {
		graph *g = graph_new("g");
		uint32_t x = graph_const(g, "x", ISA_TYPE_F16, 2, 2, data);
		uint32_t w = graph_const(g, "w", ISA_TYPE_F16, 4, 1, filter);
		g_autofree uint16_t *z = NULL;

		c.block_rows = rows;
		z = value_of(g, graph_conv2d(g, "y", x, w, &c, ISA_TYPE_F16, 160));
		CU_ASSERT_EQUAL(z[0], num_f32_to_f16((float)rows));
		graph_free(g);
	}
}

/* ------------------------------------------------------------------------------------------------------ views */

static void views_and_joins_move_rows(void)
{
	static const uint8_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7};
	static const uint8_t strided[] = {1, 3, 4, 6}, spread[] = {0, 0, 1, 1}, repeated[] = {2, 3, 2, 3};
	static const uint8_t joined[] = {1, 3, 0, 0, 4, 6, 1, 1};
	graph *g = graph_new("g");
	uint32_t x = graph_const(g, "x", ISA_TYPE_I8, 8, 1, rows);
	uint32_t s = graph_view(g, "s", x, 4, 1, 2, 3, 2), p = graph_view(g, "p", x, 4, 0, 2, 1, 0);
	uint32_t r = graph_view(g, "r", x, 4, 2, 2, 0, 1), j = graph_join(g, "j", s, p, 2);
	g_autofree uint8_t *zs = value_of(g, s), *zp = NULL, *zr = NULL, *zj = NULL;

	graph_at(g, s)->output = false;
	zp = value_of(g, p);
	graph_at(g, p)->output = false;
	zr = value_of(g, r);
	graph_at(g, r)->output = false;
	zj = value_of(g, j);
	CU_ASSERT_EQUAL(memcmp(zs, strided, 4), 0);
	CU_ASSERT_EQUAL(memcmp(zp, spread, 4), 0);
	CU_ASSERT_EQUAL(memcmp(zr, repeated, 4), 0);
	CU_ASSERT_EQUAL(memcmp(zj, joined, 8), 0);
	graph_free(g);
}

static void transposes_and_lane_exchanges_move_elements(void)
{
	static const int16_t data[] = {0, 1, 2, 3, 10, 11, 12, 13};
	static const int16_t transposed[] = {0, 10, 1, 11, 2, 12, 3, 13}, exchanged[] = {3, 2, 1, 0, 13, 12, 11, 10};
	graph *g = graph_new("g");
	uint32_t x = graph_const(g, "x", ISA_TYPE_I16, 2, 4, data);
	uint32_t l = graph_lanes(g, "l", x, 3);
	g_autofree int16_t *zt = value_of(g, graph_transpose(g, "t", x)), *zl = NULL;

	graph_at(g, graph_size(g) - 1)->output = false;
	zl = value_of(g, l);
	CU_ASSERT_EQUAL(memcmp(zt, transposed, sizeof(transposed)), 0);
	CU_ASSERT_EQUAL(memcmp(zl, exchanged, sizeof(exchanged)), 0);
	graph_free(g);
}

/* ---------------------------------------------------------------------------------------------- whole workloads */

static graph *workload(const char *text)
{
	isa_machine *m = isa_machine_load("tsp", NULL);
	GPtrArray *graphs;
	graph *g;

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	graphs = frontend_read(text, m, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	g = g_ptr_array_index(graphs, 0);
	g_ptr_array_set_free_func(graphs, NULL);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
	graph_fill_inputs(g, 1, false);
	return g;
}

static double read_value(enum isa_type type, const void *data, uint64_t i)
{
	switch (type) {
	case ISA_TYPE_F16:
		return (double)num_f16_to_f32(((const uint16_t *)data)[i]);
	case ISA_TYPE_F32:
		return (double)((const float *)data)[i];
	case ISA_TYPE_I8:
		return ((const int8_t *)data)[i];
	default:
		return ((const int32_t *)data)[i];
	}
}

static uint64_t reverse_bits(uint64_t i, unsigned bits)
{
	uint64_t r = 0;

	while (bits-- > 0) {
		r = r << 1 | (i & 1);
		i >>= 1;
	}
	return r;
}

/* The largest error of fft:N over the largest magnitude of the exact transform. */
static double fft_error(const char *text, unsigned bits)
{
	graph *g = workload(text);
	uint64_t n = (uint64_t)1 << bits;
	enum isa_type type = graph_at(g, 0)->type;
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	double worst = 0, largest = 0;
	uint32_t out[2], count = 0;

	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->output)
			out[count++] = i;
	CU_ASSERT_TRUE_FATAL(graph_evaluate(g, values, NULL));
	for (uint64_t f = 0; f < n; f++) {
		double re = 0, im = 0;
		uint64_t at = reverse_bits(f, bits);

		for (uint64_t i = 0; i < n; i++) {
			double angle = -2 * G_PI * (double)(f * i % n) / (double)n;
			double xr = read_value(type, graph_at(g, 0)->data, i),
			       xi = read_value(type, graph_at(g, 1)->data, i);

			re += xr * cos(angle) - xi * sin(angle);
			im += xr * sin(angle) + xi * cos(angle);
		}
		largest = fmax(largest, hypot(re, im));
		worst = fmax(worst, hypot(re - read_value(type, values[out[0]], at),
		                          im - read_value(type, values[out[1]], at)));
	}
	g_free(values[out[0]]);
	g_free(values[out[1]]);
	graph_free(g);
	return worst / largest;
}

/* Error grows with the square root of the number of stages: below 4 units of the type (2^-24, 2^-11) for up to 11. */
static void fft_is_a_discrete_fourier_transform(void)
{
	CU_ASSERT_TRUE(fft_error("fft:2:fp32", 1) < 0x1p-22);
	CU_ASSERT_TRUE(fft_error("fft:8:fp32", 3) < 0x1p-22);
	CU_ASSERT_TRUE(fft_error("fft:256:fp32", 8) < 0x1p-22);
	CU_ASSERT_TRUE(fft_error("fft:512:fp32", 9) < 0x1p-22);
	CU_ASSERT_TRUE(fft_error("fft:2048:fp32", 11) < 0x1p-22);
	CU_ASSERT_TRUE(fft_error("fft:1024", 10) < 0x1p-9);
}

/* Softmax of the columns of X, [keys][queries], in double. */
static void softmax_columns(double *x, uint64_t rows, uint64_t lanes)
{
	for (uint64_t lane = 0; lane < lanes; lane++) {
		double max = -INFINITY, sum = 0;

		for (uint64_t r = 0; r < rows; r++)
			max = fmax(max, x[r * lanes + lane]);
		for (uint64_t r = 0; r < rows; r++)
			sum += x[r * lanes + lane] = exp(x[r * lanes + lane] - max);
		for (uint64_t r = 0; r < rows; r++)
			x[r * lanes + lane] /= sum;
	}
}

static void softmax_divides_exponentials_by_their_sum(void)
{
	graph *g = workload("softmax:40x77");
	g_autofree uint16_t *z = value_of(g, graph_size(g) - 1);
	g_autofree double *exact = g_new(double, 77 * 40);
	double worst = 0;

	for (uint64_t i = 0; i < 77 * 40; i++)
		exact[i] = read_value(ISA_TYPE_F16, graph_at(g, 0)->data, i);
	softmax_columns(exact, 77, 40);
	for (uint64_t i = 0; i < 77 * 40; i++)
		worst = fmax(worst, fabs(read_value(ISA_TYPE_F16, z, i) / exact[i] - 1));
	/* One fp16 rounding, 2^-11, and a few fp32 ones. */
	CU_ASSERT_TRUE(worst < 0x1.01p-11);
	graph_free(g);
}

static void layernorm_has_mean_zero_and_variance_one(void)
{
	graph *g = workload("layernorm:30x200:fp32");
	g_autofree float *z = value_of(g, graph_size(g) - 1);

	for (uint64_t lane = 0; lane < 30; lane++) {
		double sum = 0, squares = 0, x_sum = 0, x_squares = 0;

		for (uint64_t r = 0; r < 200; r++) {
			double x = read_value(ISA_TYPE_F32, graph_at(g, 0)->data, r * 30 + lane);

			sum += (double)z[r * 30 + lane];
			squares += pow((double)z[r * 30 + lane], 2);
			x_sum += x;
			x_squares += x * x;
		}
		x_squares = x_squares / 200 - pow(x_sum / 200, 2);
		CU_ASSERT_TRUE(fabs(sum) < 1e-4);
		/* epsilon = 1e-5 keeps the variance below one by its share. */
		CU_ASSERT_TRUE(fabs(squares / 200 - x_squares / (x_squares + 1e-5)) < 1e-6);
	}
	graph_free(g);
}

/* softmax(Q K^T / sqrt D) V of both heads, from the inputs as they lie: qt [D][S], k [S][D], vt [D][S].  SCALE turns
 * the operands into numbers, OUT the result. */
static double attention_error(const char *text, double scale, double out)
{
	enum { HEADS = 2, S = 24, D = 16 };
	graph *g = workload(text);
	enum isa_type type = graph_at(g, 0)->type;
	enum isa_type result_type = graph_at(g, graph_size(g) - 1)->type;
	g_autofree void *z = value_of(g, graph_size(g) - 1);
	double worst = 0, scores[S * S];

	for (unsigned h = 0; h < HEADS; h++) {
		for (unsigned key = 0; key < S; key++) {
			for (unsigned query = 0; query < S; query++) {
				double sum = 0;

				for (unsigned d = 0; d < D; d++)
					sum += read_value(type, graph_at(g, 1)->data, (h * S + key) * D + d) *
					       read_value(type, graph_at(g, 0)->data, (h * D + d) * S + query);
				scores[key * S + query] = sum * scale * scale / sqrt(D);
			}
		}
		softmax_columns(scores, S, S);
		for (unsigned d = 0; d < D; d++) {
			for (unsigned query = 0; query < S; query++) {
				double sum = 0;

				for (unsigned key = 0; key < S; key++)
					sum += read_value(type, graph_at(g, 2)->data, (h * D + d) * S + key) *
					       scores[key * S + query];
				worst = fmax(worst, fabs(sum * scale -
				                         read_value(result_type, z, (h * D + d) * S + query) * out));
			}
		}
	}
	graph_free(g);
	return worst;
}

/* fp16: values up to 2, probabilities with 2^-12 each: a few 2^-10.  int8: values up to 4, probabilities rounded to
 * multiples of 1/127, so that S = 24 of them err by 24 * 4 / 254 at most; the errors cancel mostly. */
static void attention_weights_values_by_softmax_of_scores(void)
{
	CU_ASSERT_TRUE(attention_error("attention:1x2x24x16", 1, 1) < 0x1p-8);
	CU_ASSERT_TRUE(attention_error("attention:2x1x24x16:int8", 1.0 / 32, 1.0 / 32 / 127) < 0.1);
}

static const graph_node *node_named(const graph *g, const char *what, unsigned tile)
{
	g_autofree char *name = g_strdup_printf("%s%u", what, tile);

	for (uint32_t i = 0; i < graph_size(g); i++)
		if (!strcmp(graph_at(g, i)->name, name))
			return graph_at(g, i);
	return NULL;
}

/* The same of "flash:1x2x24x16,tile=10": tiles of 10, 10 and 4 keys with inputs of their own.  Sums of tiles are fp16
 * before they are added in fp32. */
static void tiles_of_keys_weigh_values_by_the_softmax_of_all(void)
{
	enum { HEADS = 2, S = 24, D = 16, TILE = 10, TILES = 3 };
	graph *g = workload("flash:1x2x24x16,tile=10");
	g_autofree void *z = value_of(g, graph_size(g) - 1);
	double worst = 0, scores[S * S];

	for (unsigned h = 0; h < HEADS; h++) {
		for (unsigned at = 0; at < S * S; at++) {
			unsigned key = at / S, query = at % S, tile = key / TILE, keys = MIN(TILE, S - tile * TILE);
			const graph_node *k = node_named(g, "k", tile);

			scores[at] = 0;
			for (unsigned d = 0; d < D; d++)
				scores[at] += read_value(ISA_TYPE_F16, k->data, (h * keys + key % TILE) * D + d) *
				              read_value(ISA_TYPE_F16, graph_at(g, 0)->data, (h * D + d) * S + query) /
				              sqrt(D);
		}
		softmax_columns(scores, S, S);
		for (unsigned at = 0; at < D * S; at++) {
			unsigned d = at / S, query = at % S;
			double sum = 0;

			for (unsigned key = 0; key < S; key++) {
				unsigned tile = key / TILE, keys = MIN(TILE, S - tile * TILE);

				sum += read_value(ISA_TYPE_F16, node_named(g, "vt", tile)->data,
				                  (h * D + d) * keys + key % TILE) *
				       scores[key * S + query];
			}
			worst = fmax(worst, fabs(sum - read_value(ISA_TYPE_F16, z, (h * D + d) * S + query)));
		}
	}
	CU_ASSERT_PTR_NULL(node_named(g, "k", TILES));
	CU_ASSERT_TRUE(worst < 0x1p-8);
	graph_free(g);
}

static void inputs_without_data_are_refused(void)
{
	graph *g = graph_new("g");
	uint8_t *values[2];
	g_autoptr(GError) error = NULL;

	graph_mark_output(g, graph_unary(g, "z", ISA_OP_NEG, ISA_TYPE_F16, graph_input(g, "x", ISA_TYPE_F16, 1, 1)));
	CU_ASSERT_FALSE(graph_evaluate(g, values, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "graph 'g': input 'x' has no data");
	graph_free(g);
}

/* Only outputs are returned; what no output needs is not computed. */
static void intermediates_are_freed(void)
{
	graph *g = workload("softmax:3x4");
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));

	CU_ASSERT_TRUE(graph_evaluate(g, values, NULL));
	for (uint32_t i = 0; i + 1 < graph_size(g); i++)
		CU_ASSERT_PTR_NULL(values[i]);
	CU_ASSERT_PTR_NOT_NULL(values[graph_size(g) - 1]);
	g_free(values[graph_size(g) - 1]);
	graph_free(g);
}

int main(void)
{
	static const tap_case cases[] = {
		{"reduction_pairs_neighbours_level_by_level", reduction_pairs_neighbours_level_by_level},
		{"odd_last_element_passes_to_the_next_level", odd_last_element_passes_to_the_next_level},
		{"reduction_groups_are_independent", reduction_groups_are_independent},
		{"sub_sums_are_exact_in_double", sub_sums_are_exact_in_double},
		{"sub_sums_are_rounded_to_fp32", sub_sums_are_rounded_to_fp32},
		{"sub_sums_of_a_block_are_added_before_blocks", sub_sums_of_a_block_are_added_before_blocks},
		{"product_specials", product_specials},
		{"int8_sums_wrap", int8_sums_wrap},
		{"matmul_equals_the_plain_definition", matmul_equals_the_plain_definition},
		{"convolution_equals_nested_loops", convolution_equals_nested_loops},
		{"convolution_sums_follow_the_blocks", convolution_sums_follow_the_blocks},
		{"views_and_joins_move_rows", views_and_joins_move_rows},
		{"transposes_and_lane_exchanges_move_elements", transposes_and_lane_exchanges_move_elements},
		{"fft_is_a_discrete_fourier_transform", fft_is_a_discrete_fourier_transform},
		{"softmax_divides_exponentials_by_their_sum", softmax_divides_exponentials_by_their_sum},
		{"layernorm_has_mean_zero_and_variance_one", layernorm_has_mean_zero_and_variance_one},
		{"attention_weights_values_by_softmax_of_scores", attention_weights_values_by_softmax_of_scores},
		{"tiles_of_keys_weigh_values_by_the_softmax_of_all", tiles_of_keys_weigh_values_by_the_softmax_of_all},
		{"inputs_without_data_are_refused", inputs_without_data_are_refused},
		{"intermediates_are_freed", intermediates_are_freed},
	};

	return tap_run("reference", cases, G_N_ELEMENTS(cases));
}
