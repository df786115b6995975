/* SPDX-License-Identifier: Apache-2.0
 *
 * MATMUL and CONV by the definition in graph.h: K blocks, sub-sums in double, blocks in fp32; int8 exact and wrapping.
 *
 * Products of fp16 or int8 numbers are exact in double, and so are sums of int8 products below 2^53, so one kernel
 * serves both.  It keeps 2 x 8 neighbouring results in registers and walks down K; each result's own sum is in lane
 * order.
 */
#include "sched/ir/reference_int.h"
#include "isa/num.h"

#include <string.h>

enum { TILE = 8, ROWS_AT_ONCE = 1024 };

/* Two doubles: what every 64-bit host has registers for. */
typedef double vec2 __attribute__((vector_size(16), aligned(8)));

/* TILE sums of A[0..LEN) times the columns of B [LEN][TILE], in lane order from +0; for two rows of A. */
static void sum_tile(const double *a0, const double *a1, const double *b, uint64_t len, double *out0, double *out1)
{
	vec2 p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
	vec2 q0 = {0}, q1 = {0}, q2 = {0}, q3 = {0};

	for (uint64_t k = 0; k < len; k++, b += TILE) {
		const vec2 *w = (const vec2 *)(const void *)b;
		vec2 x = {a0[k], a0[k]};
		vec2 y = {a1[k], a1[k]};

		p0 += x * w[0];
		p1 += x * w[1];
		p2 += x * w[2];
		p3 += x * w[3];
		q0 += y * w[0];
		q1 += y * w[1];
		q2 += y * w[2];
		q3 += y * w[3];
	}
	memcpy(out0, (vec2[]){p0, p1, p2, p3}, TILE * sizeof(double));
	memcpy(out1, (vec2[]){q0, q1, q2, q3}, TILE * sizeof(double));
}

static double element(enum isa_type type, const uint8_t *data, uint64_t i)
{
	uint16_t half;

	if (type == ISA_TYPE_I8)
		return (double)(int8_t)data[i];
	memcpy(&half, data + 2 * i, 2);
	return (double)num_f16_to_f32(half);
}

/* One product Z[m][n]: how its left-hand elements are found is the only difference between MATMUL and CONV. */
typedef struct product product;
struct product {
	enum isa_type type;
	uint64_t m, n, blocks, sum_rows;
	const uint8_t *x; /* left-hand data */
	const uint8_t *w; /* right-hand data [K][n], K in block order */
	uint8_t *z;
	uint64_t (*block_lanes)(const product *p, uint64_t block);
	/* Elements of row ROW, lanes LANE .. LANE + LEN - 1 of BLOCK. */
	void (*fetch)(const product *p, uint64_t row, uint64_t block, uint64_t lane, uint64_t len, double *out);
	uint64_t k, block_run;  /* MATMUL */
	const graph_conv *conv; /* CONV */
};

/* Results being summed, for rows of Z computed together. */
typedef struct sums {
	uint64_t rows;
	double *a;         /* [rows][lanes of the sub-sum] */
	double *b;         /* [lanes][TILE] */
	float *block;      /* [rows][n] */
	float *total;      /* [rows][n] */
	uint32_t *wrapped; /* [rows][n], int8 */
} sums;

/* Columns COLUMN .. COLUMN + TILE - 1 of rows K .. K + LEN - 1 of the right-hand matrix; zeros beyond its edge. */
static void fetch_columns(const product *p, uint64_t k, uint64_t len, uint64_t column, double *out)
{
	for (uint64_t i = 0; i < len; i++)
		for (uint64_t j = 0; j < TILE; j++)
			out[i * TILE + j] = column + j < p->n ? element(p->type, p->w, (k + i) * p->n + column + j) : 0;
}

/* Adds WIDTH sub-sums to results AT .. of the block; the first ones of a block begin it. */
static void add_sums(const product *p, sums *s, uint64_t at, uint64_t width, bool first, const double *out)
{
	for (uint64_t j = 0; j < width; j++) {
		if (p->type == ISA_TYPE_I8)
			s->wrapped[at + j] += (uint32_t)(int64_t)out[j];
		else
			s->block[at + j] = first ? (float)out[j] : s->block[at + j] + (float)out[j];
	}
}

/* Adds sub-sum lanes LANE .. of BLOCK, whose right-hand rows begin at K, for rows FIRST .. of Z. */
static void add_sub_sum(const product *p, sums *s, uint64_t first, uint64_t block, uint64_t lane, uint64_t len,
                        uint64_t k)
{
	double out[2][TILE];

	for (uint64_t i = 0; i < s->rows; i++)
		p->fetch(p, first + i, block, lane, len, s->a + i * len);
	for (uint64_t column = 0; column < p->n; column += TILE) {
		uint64_t width = MIN((uint64_t)TILE, p->n - column);

		fetch_columns(p, k, len, column, s->b);
		for (uint64_t i = 0; i < s->rows; i += 2) {
			uint64_t pair = MIN(i + 1, s->rows - 1);

			sum_tile(s->a + i * len, s->a + pair * len, s->b, len, out[0], out[1]);
			add_sums(p, s, i * p->n + column, width, lane == 0, out[0]);
			if (pair > i)
				add_sums(p, s, pair * p->n + column, width, lane == 0, out[1]);
		}
	}
}

static void store_rows(const product *p, const sums *s, uint64_t first)
{
	uint64_t count = s->rows * p->n;

	if (p->type == ISA_TYPE_I8) {
		memcpy(p->z + first * p->n * 4, s->wrapped, count * 4);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint16_t half = num_f32_to_f16(s->total[i]);

		memcpy(p->z + (first * p->n + i) * 2, &half, 2);
	}
}

static void multiply_rows(const product *p, sums *s, uint64_t first)
{
	uint64_t count = s->rows * p->n;
	uint64_t k = 0;

	memset(s->wrapped, 0, count * sizeof(*s->wrapped));
	for (uint64_t block = 0; block < p->blocks; block++) {
		uint64_t lanes = p->block_lanes(p, block);

		for (uint64_t lane = 0; lane < lanes; lane += p->sum_rows) {
			uint64_t len = MIN(p->sum_rows, lanes - lane);

			add_sub_sum(p, s, first, block, lane, len, k + lane);
		}
		for (uint64_t i = 0; i < count; i++)
			s->total[i] = block == 0 ? s->block[i] : s->total[i] + s->block[i];
		k += lanes;
	}
	store_rows(p, s, first);
}

static void multiply(const product *p)
{
	uint64_t rows = MIN(p->m, (uint64_t)ROWS_AT_ONCE);
	uint64_t longest = 0;
	sums s = {0};

	for (uint64_t block = 0; block < p->blocks; block++)
		longest = MAX(longest, MIN(p->sum_rows, p->block_lanes(p, block)));
	s.a = g_new(double, rows *longest);
	s.b = g_new(double, TILE *longest);
	s.block = g_new0(float, rows * p->n);
	s.total = g_new(float, rows * p->n);
	s.wrapped = g_new(uint32_t, rows * p->n);
	for (uint64_t first = 0; first < p->m; first += rows) {
		s.rows = MIN(rows, p->m - first);
		multiply_rows(p, &s, first);
	}
	g_free(s.a);
	g_free(s.b);
	g_free(s.block);
	g_free(s.total);
	g_free(s.wrapped);
}

static uint64_t matmul_lanes(const product *p, uint64_t block)
{
	return MIN(p->block_run, p->k - block * p->block_run);
}

static void matmul_fetch(const product *p, uint64_t row, uint64_t block, uint64_t lane, uint64_t len, double *out)
{
	uint64_t begin = row * p->k + block * p->block_run + lane;

	for (uint64_t i = 0; i < len; i++)
		out[i] = element(p->type, p->x, begin + i);
}

void graph_i_matmul(const graph_node *n, enum isa_type type, const uint8_t *a, const uint8_t *b, uint8_t *z)
{
	product p = {
		.type = type,
		.m = n->m,
		.n = n->n,
		.k = n->k,
		.block_run = n->block_run,
		.blocks = (n->k + n->block_run - 1) / n->block_run,
		.sum_rows = n->sum_rows,
		.block_lanes = matmul_lanes,
		.fetch = matmul_fetch,
	};

	for (uint64_t batch = 0; batch < n->batches; batch++) {
		p.x = a + batch * n->m * n->k * isa_type_bytes(type);
		p.w = b + batch * n->k * n->n * isa_type_bytes(type);
		p.z = z + batch * n->m * n->n * isa_type_bytes(n->type);
		multiply(&p);
	}
}

static uint64_t conv_lanes(const product *p, uint64_t block)
{
	return graph_conv_block_lanes(p->conv, block);
}

static void conv_fetch(const product *p, uint64_t row, uint64_t block, uint64_t lane, uint64_t len, double *out)
{
	const graph_conv *c = p->conv;
	uint64_t top = row / c->ow * c->stride_h;
	uint64_t left = row % c->ow * c->stride_w;

	for (uint64_t i = 0; i < len; i++) {
		uint64_t r, s, channel;

		graph_conv_lane(c, block, lane + i, &r, &s, &channel);
		out[i] = 0;
		if (top + r >= c->pad && top + r - c->pad < c->h && left + s >= c->pad && left + s - c->pad < c->w)
			out[i] = element(p->type, p->x,
			                 ((top + r - c->pad) * c->w + left + s - c->pad) * c->c + channel);
	}
}

void graph_i_conv(const graph_node *n, enum isa_type type, const uint8_t *x, const uint8_t *w, uint8_t *z)
{
	const graph_conv *c = &n->conv;
	product p = {
		.type = type,
		.m = c->oh * c->ow,
		.n = c->n,
		.conv = c,
		.blocks = graph_conv_block_count(c),
		.sum_rows = n->sum_rows,
		.block_lanes = conv_lanes,
		.fetch = conv_fetch,
	};

	for (uint64_t i = 0; i < c->images * c->groups; i++) {
		p.x = x + i * c->h * c->w * c->c * isa_type_bytes(type);
		p.w = w + i % c->groups * graph_conv_k(c) * c->n * isa_type_bytes(type);
		p.z = z + i * c->oh * c->ow * c->n * isa_type_bytes(n->type);
		multiply(&p);
	}
}
