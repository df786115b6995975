/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators of matrix work: gemm, bmm, conv.  int8 gives int32, fp16 gives fp16.
 *
 * The K blocks of a convolution follow the memory: one flat SRAM reads any run of bytes, so a block is whole filter
 * rows as they lie beside one another; slices hold one word an address, so a block is a set of taps with their
 * channels.
 */
#include "sched/frontend/internal.h"

#include <string.h>

#define MXM_TYPES (1u << ISA_TYPE_I8 | 1u << ISA_TYPE_F16)

static enum isa_type result_type(enum isa_type type)
{
	return type == ISA_TYPE_I8 ? ISA_TYPE_I32 : ISA_TYPE_F16;
}

graph *frontend_i_build_matmul(const char *name, const frontend_target *target, enum isa_type type, uint64_t batches,
                               uint64_t m, uint64_t n, uint64_t k, uint64_t split)
{
	graph *g = graph_new(name);
	uint32_t a = graph_input(g, "a", type, batches * m, k);
	uint32_t b = graph_input(g, "b", type, batches * k, n);

	graph_mark_output(g, graph_matmul(g, "c", a, b, batches, result_type(type),
	                                  target->block_lanes ? target->block_lanes : k / split, target->sum_lanes));
	return g;
}

/* ",split=P" or nothing: K is added in P equal blocks, which are added in order. */
static bool read_split(frontend_spec *s, const frontend_target *target, uint64_t k, uint64_t *split)
{
	enum { BLOCK = 32 };
	const char *begin;
	g_autofree char *word = NULL;

	*split = 1;
	if (*s->at != ',')
		return true;
	begin = ++s->at;
	word = frontend_i_word(s);
	if (strcmp(word, "split") != 0)
		return frontend_i_fail(s, begin, "expected split=, found '%s'; nearest is 'split'", word);
	if (!frontend_i_expect(s, '=', "'=' and a number") || !frontend_i_size(s, "the parts of K", split))
		return false;
	if (*split > 1 && target->block_lanes)
		return frontend_i_fail(s, begin,
		                       "this machine adds K in blocks of its own, %" G_GUINT64_FORMAT " lanes each",
		                       target->block_lanes);
	if (*split > 1 && (k % *split || k / *split % BLOCK))
		return frontend_i_fail(s, begin,
		                       "expected parts of a multiple of %d each, found K of %" G_GUINT64_FORMAT
		                       " in %" G_GUINT64_FORMAT " parts",
		                       BLOCK, k, *split);
	return true;
}

graph *frontend_i_generate_gemm(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[3], split;
	enum isa_type type;

	if (!frontend_i_sizes(s, "MNK", 3, d) || !read_split(s, target, d[2], &split) ||
	    !frontend_i_type(s, MXM_TYPES, &type) || !frontend_i_fits(s, d, 3))
		return NULL;
	return frontend_i_build_matmul(s->text, target, type, 1, d[0], d[1], d[2], split);
}

graph *frontend_i_generate_bmm(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[4], split;
	enum isa_type type;

	if (!frontend_i_sizes(s, "BMNK", 4, d) || !read_split(s, target, d[3], &split) ||
	    !frontend_i_type(s, MXM_TYPES, &type) || !frontend_i_fits(s, d, 4))
		return NULL;
	return frontend_i_build_matmul(s->text, target, type, d[0], d[1], d[2], d[3], split);
}

static void choose_blocks(graph_conv *c, const frontend_target *target, enum isa_type type)
{
	uint64_t rows = target->block_lanes;
	uint64_t run = c->s * c->c;

	c->kind = target->kind;
	if (c->kind == GRAPH_KBLOCK_CHANNELS) {
		c->block_chan = target->conv_chan_bytes / isa_type_bytes(type);
	} else if (c->kind == GRAPH_KBLOCK_RUNS) {
		c->block_rows = run <= rows ? MIN(rows / run, c->r) : 1;
		c->block_run = rows;
	} else {
		c->block_taps = MIN(c->s, MAX((uint64_t)1, rows / c->c));
		c->block_chan = MIN(c->c, rows);
	}
}

static uint64_t out_size(uint64_t in, uint64_t pad, uint64_t filter, uint64_t stride, bool ceil_form)
{
	uint64_t room = in + 2 * pad - filter;

	return (room + (ceil_form ? stride - 1 : 0)) / stride + 1;
}

graph *frontend_i_build_conv(const char *name, const frontend_target *target, enum isa_type type,
                             const conv_shape *shape)
{
	graph *g = graph_new(name);
	graph_conv c = {
		.images = shape->images,
		.groups = shape->groups,
		.h = shape->h,
		.w = shape->w,
		.c = shape->c / shape->groups,
		.n = shape->n / shape->groups,
		.r = shape->r,
		.s = shape->s,
		.stride_h = shape->stride_h,
		.stride_w = shape->stride_w,
		.pad = shape->pad,
		.oh = out_size(shape->h, shape->pad, shape->r, shape->stride_h, shape->ceil_form),
		.ow = out_size(shape->w, shape->pad, shape->s, shape->stride_w, shape->ceil_form),
	};
	uint32_t x, w;

	choose_blocks(&c, target, type);
	x = graph_input(g, "x", type, c.images * c.groups * c.h * c.w, c.c);
	w = graph_input(g, "w", type, c.groups * graph_conv_k(&c), c.n);
	graph_mark_output(g, graph_conv2d(g, "y", x, w, &c, result_type(type), target->sum_lanes));
	return g;
}

/* "stride=2" or "stride=2x1", "pad=1", "groups=4", each at most once. */
static bool read_option(frontend_spec *s, conv_shape *shape, unsigned *seen)
{
	static const char *const names[] = {"stride", "pad", "groups", NULL};
	const char *begin = s->at;
	g_autofree char *word = frontend_i_word(s);
	const char *nearest = tsp_nearest(word, names);
	unsigned which = 0;

	while (names[which] && strcmp(names[which], word))
		which++;
	if (!names[which])
		return frontend_i_fail(s, begin, "expected stride=, pad= or groups=, found '%s'%s%s%s", word,
		                       nearest ? "; nearest is '" : "", nearest ? nearest : "", nearest ? "'" : "");
	if (*seen >> which & 1)
		return frontend_i_fail(s, begin, "'%s' is given twice", word);
	*seen |= 1u << which;
	if (!frontend_i_expect(s, '=', "'=' and a number"))
		return false;
	if (which == 1 && *s->at == '0' && !g_ascii_isdigit(s->at[1])) {
		s->at++;
		return true;
	}
	if (which == 1)
		return frontend_i_size(s, "the padding", &shape->pad);
	if (which == 2)
		return frontend_i_size(s, "the number of groups", &shape->groups);
	if (!frontend_i_size(s, "the stride", &shape->stride_h))
		return false;
	shape->stride_w = shape->stride_h;
	if (*s->at != 'x')
		return true;
	s->at++;
	return frontend_i_size(s, "the stride along the width", &shape->stride_w);
}

static bool check_conv_shape(const frontend_spec *s, const conv_shape *d)
{
	uint64_t input[] = {d->images, d->c, d->h + 2 * d->pad, d->w + 2 * d->pad};
	uint64_t macs[] = {d->images, d->c, d->n, d->h + 2 * d->pad, d->w + 2 * d->pad, d->r, d->s};

	if (d->c % d->groups || d->n % d->groups)
		return frontend_i_fail(s, s->text,
		                       "expected groups that divide the %" G_GUINT64_FORMAT
		                       " channels and the %" G_GUINT64_FORMAT " filters, found %" G_GUINT64_FORMAT,
		                       d->c, d->n, d->groups);
	if (d->r > d->h + 2 * d->pad || d->s > d->w + 2 * d->pad)
		return frontend_i_fail(s, s->text,
		                       "the filter (%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
		                       ") is larger than the padded input (%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
		                       ")",
		                       d->r, d->s, d->h + 2 * d->pad, d->w + 2 * d->pad);
	return frontend_i_fits(s, input, G_N_ELEMENTS(input)) && frontend_i_fits(s, macs, G_N_ELEMENTS(macs));
}

graph *frontend_i_generate_conv(frontend_spec *s, const frontend_target *target)
{
	uint64_t in[4], filter[3];
	conv_shape shape = {.groups = 1, .stride_h = 1, .stride_w = 1};
	enum isa_type type;
	unsigned seen = 0;

	if (!frontend_i_sizes(s, "NCHW", 4, in) || !frontend_i_expect(s, ',', "',' and the filters KxRxS") ||
	    !frontend_i_sizes(s, "KRS", 3, filter))
		return NULL;
	while (*s->at == ',') {
		s->at++;
		if (!read_option(s, &shape, &seen))
			return NULL;
	}
	if (!frontend_i_type(s, MXM_TYPES, &type))
		return NULL;
	shape.images = in[0];
	shape.c = in[1];
	shape.h = in[2];
	shape.w = in[3];
	shape.n = filter[0];
	shape.r = filter[1];
	shape.s = filter[2];
	if (!check_conv_shape(s, &shape))
		return NULL;
	return frontend_i_build_conv(s->text, target, type, &shape);
}
