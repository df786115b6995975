/* SPDX-License-Identifier: Apache-2.0
 *
 * fft:N: radix-2 decimation in frequency, real and imaginary parts in tensors of their own, output in bit-reversed
 * order.
 *
 * Element i lies in row i / L, lane i % L, with L = min(N, 256).  A stage of distance d >= L pairs rows: of each group
 * of 2d/L rows the first half becomes a + b, the second (a - b) w^j.  A stage of distance d < L pairs lanes: every lane
 * adds its partner (lane xor d) to itself, itself negated in the upper half, and multiplies by a constant that is 1 in
 * the lower half.  Inputs and results of a stage have the workload's type; sums, twiddles and products inside it are
 * fp32. The last stage (d = 1) needs no product.
 */
#include "sched/frontend/internal.h"
#include "isa/num.h"

#include <math.h>

#define FLOAT_TYPES (1u << ISA_TYPE_F16 | 1u << ISA_TYPE_F32)

enum { FFT_LANES = 256 };
/* Twiddle tables take 8 N bytes. */
static const uint64_t fft_max = (uint64_t)1 << 24;

typedef struct complex_node {
	uint32_t re, im;
} complex_node;

/* exp(-2 pi i J / N) with the angle reduced to an eighth of the circle, so that symmetric points have equal bits.
 * Zeros are +0. */
static void twiddle(uint64_t j, uint64_t n, float *re, float *im)
{
	uint64_t eighth = 8 * j / n;
	double angle = 2 * G_PI * (double)(8 * j - eighth * n) / (8 * (double)n);
	double back = 2 * G_PI * (double)((eighth + 1) * n - 8 * j) / (8 * (double)n);
	double c = eighth % 2 ? sin(back) : cos(angle);
	double s = eighth % 2 ? cos(back) : sin(angle);

	switch (eighth / 2) {
	case 0:
		*re = (float)c;
		*im = (float)(0 - s);
		break;
	case 1:
		*re = (float)(0 - s);
		*im = (float)(0 - c);
		break;
	case 2:
		*re = (float)(0 - c);
		*im = (float)s;
		break;
	default:
		*re = (float)s;
		*im = (float)c;
	}
}

static uint32_t node(graph *g, const char *name, uint64_t d, enum isa_op op, enum isa_type type, uint32_t x, uint32_t y)
{
	g_autofree char *full = g_strdup_printf("%s.%" G_GUINT64_FORMAT, name, d);

	return graph_binary(g, full, op, type, x, y);
}

static uint32_t constant(graph *g, const char *name, uint64_t d, uint64_t rows, uint64_t lanes, const float *data)
{
	g_autofree char *full = g_strdup_printf("%s.%" G_GUINT64_FORMAT, name, d);

	return graph_const(g, full, ISA_TYPE_F32, rows, lanes, data);
}

/* Rows [FIRST, FIRST + HALF) of every group of 2 HALF rows. */
static uint32_t half_rows(graph *g, const char *name, uint64_t d, uint32_t x, uint64_t first, uint64_t half)
{
	g_autofree char *full = g_strdup_printf("%s.%" G_GUINT64_FORMAT, name, d);
	uint64_t rows = graph_at(g, x)->rows / 2;

	return graph_view(g, full, x, rows, first, rows / half, 2 * half, 1);
}

/* u * w, in fp32 until the last operation. */
static complex_node complex_product(graph *g, uint64_t d, enum isa_type type, complex_node u, complex_node w,
                                    const char *re, const char *im)
{
	uint32_t rr = node(g, "rr", d, ISA_OP_MUL, ISA_TYPE_F32, u.re, w.re);
	uint32_t ii = node(g, "ii", d, ISA_OP_MUL, ISA_TYPE_F32, u.im, w.im);
	complex_node z;

	z.re = node(g, re, d, ISA_OP_SUB, type, rr, ii);
	rr = node(g, "ri", d, ISA_OP_MUL, ISA_TYPE_F32, u.re, w.im);
	ii = node(g, "ir", d, ISA_OP_MUL, ISA_TYPE_F32, u.im, w.re);
	z.im = node(g, im, d, ISA_OP_ADD, type, rr, ii);
	return z;
}

/* Twiddle factors j = 0 .. d - 1 as [d / lanes][lanes], repeated for each group of the stage. */
static complex_node row_twiddles(graph *g, uint64_t d, uint64_t lanes, uint64_t rows)
{
	g_autofree float *re = g_new(float, d);
	g_autofree float *im = g_new(float, d);
	complex_node w;

	for (uint64_t j = 0; j < d; j++)
		twiddle(j, 2 * d, &re[j], &im[j]);
	w.re = constant(g, "wr", d, d / lanes, lanes, re);
	w.im = constant(g, "wi", d, d / lanes, lanes, im);
	if (rows > d / lanes) {
		g_autofree char *re_all = g_strdup_printf("wr.all.%" G_GUINT64_FORMAT, d);
		g_autofree char *im_all = g_strdup_printf("wi.all.%" G_GUINT64_FORMAT, d);

		w.re = graph_view(g, re_all, w.re, rows, 0, rows * lanes / d, 0, 1);
		w.im = graph_view(g, im_all, w.im, rows, 0, rows * lanes / d, 0, 1);
	}
	return w;
}

static complex_node row_stage(graph *g, complex_node x, uint64_t d, enum isa_type type)
{
	uint64_t lanes = graph_at(g, x.re)->lanes;
	uint64_t half = d / lanes;
	uint64_t rows = graph_at(g, x.re)->rows / 2;
	g_autofree char *xr = g_strdup_printf("xr.%" G_GUINT64_FORMAT, d);
	g_autofree char *xi = g_strdup_printf("xi.%" G_GUINT64_FORMAT, d);
	complex_node a = {half_rows(g, "ar", d, x.re, 0, half), half_rows(g, "ai", d, x.im, 0, half)};
	complex_node b = {half_rows(g, "br", d, x.re, half, half), half_rows(g, "bi", d, x.im, half, half)};
	complex_node low, high, z;

	low.re = node(g, "sr", d, ISA_OP_ADD, type, a.re, b.re);
	low.im = node(g, "si", d, ISA_OP_ADD, type, a.im, b.im);
	high.re = node(g, "ur", d, ISA_OP_SUB, ISA_TYPE_F32, a.re, b.re);
	high.im = node(g, "ui", d, ISA_OP_SUB, ISA_TYPE_F32, a.im, b.im);
	high = complex_product(g, d, type, high, row_twiddles(g, d, lanes, rows), "vr", "vi");
	z.re = graph_join(g, xr, low.re, high.re, rows / half);
	z.im = graph_join(g, xi, low.im, high.im, rows / half);
	return z;
}

/* +1 in lanes whose bit D is clear, -1 in the others. */
static uint32_t signs(graph *g, uint64_t d, uint64_t lanes, enum isa_type type)
{
	g_autofree uint8_t *data = g_malloc0(lanes * isa_type_bytes(type));
	g_autofree char *name = g_strdup_printf("sign.%" G_GUINT64_FORMAT, d);

	for (uint64_t lane = 0; lane < lanes; lane++) {
		if (type == ISA_TYPE_F16)
			((uint16_t *)(void *)data)[lane] = num_f32_to_f16(lane & d ? -1.0F : 1.0F);
		else
			((float *)(void *)data)[lane] = lane & d ? -1.0F : 1.0F;
	}
	return graph_const(g, name, type, 1, lanes, data);
}

static complex_node lane_twiddles(graph *g, uint64_t d, uint64_t lanes)
{
	g_autofree float *re = g_new(float, lanes);
	g_autofree float *im = g_new(float, lanes);
	complex_node w;

	for (uint64_t lane = 0; lane < lanes; lane++)
		twiddle(lane & d ? lane % d : 0, 2 * d, &re[lane], &im[lane]);
	w.re = constant(g, "wr", d, 1, lanes, re);
	w.im = constant(g, "wi", d, 1, lanes, im);
	return w;
}

/* X times the sign plus its partner. */
static uint32_t lane_butterfly(graph *g, const char *part, uint64_t d, enum isa_type type, uint32_t x, uint32_t sign,
                               const char *result)
{
	g_autofree char *partner = g_strdup_printf("p%s.%" G_GUINT64_FORMAT, part, d);
	g_autofree char *own = g_strdup_printf("o%s", part);
	enum isa_type in = graph_at(g, x)->type;
	uint32_t p = graph_lanes(g, partner, x, (uint32_t)d);
	uint32_t o = node(g, own, d, ISA_OP_MUL, in, x, sign);

	return node(g, result, d, ISA_OP_ADD, type, o, p);
}

static complex_node lane_stage(graph *g, complex_node x, uint64_t d, enum isa_type type)
{
	uint64_t lanes = graph_at(g, x.re)->lanes;
	uint32_t sign = signs(g, d, lanes, type);
	complex_node y;

	if (d == 1) {
		y.re = lane_butterfly(g, "r", d, type, x.re, sign, "xr");
		y.im = lane_butterfly(g, "i", d, type, x.im, sign, "xi");
		return y;
	}
	y.re = lane_butterfly(g, "r", d, ISA_TYPE_F32, x.re, sign, "yr");
	y.im = lane_butterfly(g, "i", d, ISA_TYPE_F32, x.im, sign, "yi");
	return complex_product(g, d, type, y, lane_twiddles(g, d, lanes), "xr", "xi");
}

graph *frontend_i_generate_fft(frontend_spec *s, const frontend_target *target)
{
	const char *begin = s->at;
	enum isa_type type;
	uint64_t n, lanes;
	complex_node x;
	graph *g;

	(void)target;
	if (!frontend_i_size(s, "the number of points", &n) || !frontend_i_type(s, FLOAT_TYPES, &type))
		return NULL;
	if (!n || n & (n - 1) || n > fft_max) {
		frontend_i_fail(s, begin, "expected a power of two from 1 to 2^24, found %" G_GUINT64_FORMAT, n);
		return NULL;
	}
	lanes = MIN(n, (uint64_t)FFT_LANES);
	g = graph_new(s->text);
	x.re = graph_input(g, "xr", type, n / lanes, lanes);
	x.im = graph_input(g, "xi", type, n / lanes, lanes);
	for (uint64_t d = n / 2; d >= 1; d /= 2)
		x = d >= lanes ? row_stage(g, x, d, type) : lane_stage(g, x, d, type);
	if (n == 1) {
		/* The transform of one point is the point. */
		x.re = graph_unary(g, "yr", ISA_OP_COPY, type, x.re);
		x.im = graph_unary(g, "yi", ISA_OP_COPY, type, x.im);
	}
	graph_mark_output(g, x.re);
	graph_mark_output(g, x.im);
	return g;
}
