/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions: products whose left operand is the image as load3d reads it out of L1 (Ascend C, img2col).
 *
 * A tile is a run of positions of one image and group times some filters.  The rows of the image that its positions
 * need come to L1 as blocks of 32 bytes of channels of each pixel, some blocks a stage, or some rows of the filter
 * where even one block does not fit twice; where runs end with the row of positions, only the columns they need. load3d
 * makes the rows of the product from them and adds the padding.
 *
 * Depth runs over blocks of channels, rows, columns of the filter, channels, as the graph says.  A last block that is
 * not full is filled up with zeros, in weights by a copy that the host makes.  What is a product of matrices as it lies
 * in memory is done as one: filters of 1 x 1, and filters as wide as the image.
 *
 * Not done: positions without a common column of the image side by side in L1 (channels fewer than a block cost a
 * block), rows of the image that no position needs left out.
 */
#include "sched/emit/ascend/conv.h"
#include "sched/emit/ascend/build_int.h"

/* Limits of nd2nz and load3d (Ascend C). */
enum { MOST_PITCH = 65535, MOST_FILTER = 255, MOST_STRIDE = 63, MOST_PAD = 255 };

ask_reach ask_reach_of(uint64_t from, uint64_t to, uint64_t stride, uint64_t first, uint64_t filter, uint64_t pad,
                       uint64_t size)
{
	int64_t begin = (int64_t)(from * stride + first) - (int64_t)pad;
	int64_t last = (int64_t)(to * stride + first + filter) - (int64_t)pad - 1;
	int64_t low = MAX(begin, 0), high = MIN(last, (int64_t)size - 1);

	if (low > high) {
		/* Padding alone.  Every position lies before the pixel; one after the last needs a stride of two. */
		uint64_t apart = MAX(stride, 2);

		return (ask_reach){.count = 1, .before = filter + (to - from) * apart, .stride = apart, .none = true};
	}
	return (ask_reach){.low = (uint64_t)low,
	                   .count = (uint64_t)(high - low) + 1,
	                   .before = (uint64_t)(low - begin),
	                   .after = (uint64_t)(last - high),
	                   .stride = stride};
}

/* ---- the image as a source ---- */

typedef struct part {
	ask_reach rows, columns;
	uint64_t first_block, blocks, filter_rows;
} part;

static part part_of(const ask_work *w, unsigned stage)
{
	const ask_image *g = w->shape;
	uint64_t row = ask_image_row(g, ask_work_size(w)), first = ask_depths_at(w->depths->stage[0], stage) / row;
	uint64_t count = ask_depths_at(w->depths->stage[0], stage + 1) / row - first, begin = first % g->r;
	uint64_t top = w->at_m / g->ow, bottom = (w->at_m + w->rows - 1) / g->ow, from = w->at_m % g->ow;
	part x = {.first_block = first / g->r};

	x.filter_rows = MIN(count, g->r);
	x.blocks = count / x.filter_rows;
	x.rows = ask_reach_of(top, bottom, g->stride_h, begin, x.filter_rows, g->pad, g->h);
	if (w->t->run == g->ow && w->t->m < g->ow) {
		x.columns = ask_reach_of(from, from + w->rows - 1, g->stride_w, 0, g->s, g->pad, g->w);
	} else {
		/* Whole rows, so that they come in one piece. */
		x.columns = ask_reach_of(0, g->ow - 1, g->stride_w, 0, g->s, g->pad, g->w);
		if (!x.columns.none)
			x.columns.count = g->w;
	}
	return x;
}

static ask_depths *image_depths(const ask_work *w, const ask_tile *t)
{
	const ask_image *g = w->shape;
	ask_depths *d = ask_depths_new();
	uint64_t row = ask_image_row(g, ask_work_size(w)), block = g->r * row, k = w->p->k;

	if (t->filter_rows == g->r)
		ask_depths_cut(d->stage[0], 0, k, t->channels * block);
	else
		for (uint64_t at = 0; at < k; at += block)
			ask_depths_cut(d->stage[0], at, at + block, t->filter_rows * row);
	ask_depths_cut(d->stage[1], 0, k, t->b_depth);
	/* Less than a row at a time: from the beginning of each. */
	for (guint i = 0; i < d->stage[0]->len; i++) {
		uint64_t at = ask_depths_at(d->stage[0], i);
		uint64_t end = i + 1 < d->stage[0]->len ? ask_depths_at(d->stage[0], i + 1) : k;
		uint64_t piece = t->k < row ? row : end - at;

		for (; at < end; at += piece)
			ask_depths_cut(d->step, at, MIN(at + piece, end), t->k);
	}
	ask_depths_close(d, k);
	return d;
}

static uint64_t image_bytes(const ask_work *w, const ask_tile *t)
{
	uint64_t rows, columns;

	ask_image_band(w->shape, t, t->filter_rows, &rows, &columns);
	return t->channels * rows * columns * ASK_BLOCK;
}

/* Pixels of one block: as they lie. */
static void copy_whole(ask_work *w, const part *x, uint64_t from, uint64_t to)
{
	const ask_image *g = w->shape;
	asc_insn insn = asc_insn_make(ASC_OP_GM_TO_L1);
	bool one = x->columns.count == g->w;

	insn.f[0] = (int64_t)to;
	insn.f[1] = (int64_t)from;
	insn.f[2] = one ? 1 : (int64_t)x->rows.count;
	insn.f[3] = (int64_t)((one ? x->rows.count : 1) * x->columns.count * ASK_BLOCK);
	insn.f[4] = one ? 0 : (int64_t)((g->w - x->columns.count) * ASK_BLOCK);
	asb_step(w->b, w->core, &insn);
}

static void image_load(ask_work *w, unsigned stage, uint64_t address)
{
	const ask_image *g = w->shape;
	part x = part_of(w, stage);
	uint64_t size = ask_work_size(w), channel = x.first_block * (ASK_BLOCK / size);
	uint64_t channels = MIN(x.blocks * (ASK_BLOCK / size), g->c - channel), area = x.rows.count * x.columns.count;
	uint64_t pixel = (w->batch * g->h + x.rows.low) * g->w + x.columns.low;
	uint64_t from = w->a.address + pixel * g->pixel_bytes + channel * size;

	if (g->whole) {
		copy_whole(w, &x, from, address);
		return;
	}
	if (x.columns.count == g->w) {
		ask_fractals(w, address, from, area, channels, g->pixel_bytes, area);
		return;
	}
	for (uint64_t row = 0; row < x.rows.count; row++)
		ask_fractals(w, address + row * x.columns.count * ASK_BLOCK, from + row * g->w * g->pixel_bytes,
		             x.columns.count, channels, g->pixel_bytes, area);
}

static int64_t packed(uint64_t low, uint64_t high)
{
	return (int64_t)(low | high << 8);
}

static void image_extract(ask_work *w, unsigned stage, uint64_t address, uint64_t to, uint64_t k, uint64_t depth)
{
	const ask_image *g = w->shape;
	part x = part_of(w, stage);
	asc_insn insn = asc_insn_make(ASC_OP_LOAD3D_A);
	uint64_t begin = w->at_m - w->at_m / g->ow * g->ow;

	/* Positions count from the first of the row, or of the columns that came. */
	if (w->t->run == g->ow && w->t->m < g->ow)
		begin = 0;
	insn.f[0] = w->p->type;
	insn.f[1] = (int64_t)to;
	insn.f[2] = (int64_t)address;
	insn.f[3] = (int64_t)x.rows.count;
	insn.f[4] = (int64_t)x.columns.count;
	insn.f[5] = (int64_t)(x.blocks * (ASK_BLOCK / ask_work_size(w)));
	insn.f[6] = packed(g->s, x.filter_rows);
	insn.f[7] = packed(x.columns.stride, x.rows.stride);
	insn.f[9] = packed(x.columns.before, x.columns.after) | packed(x.rows.before, x.rows.after) << 16;
	insn.f[10] = (int64_t)(k - ask_depths_at(w->depths->stage[0], stage));
	insn.f[11] = (int64_t)begin;
	insn.f[12] = (int64_t)depth;
	insn.f[13] = (int64_t)ask_up(w->rows, ASK_SIDE);
	asb_step(w->b, w->core, &insn);
}

static const ask_source image_source = {image_depths, image_bytes, image_load, image_extract};

/* ---- what the graph asks ---- */

static bool refuse(GError **error, const graph_node *n, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool refuse(GError **error, const graph_node *n, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "%s: %s", n->name, text);
	return false;
}

static bool is_host(const graph_node *n)
{
	return n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
}

static bool describe(const graph *g, const graph_node *n, ask_product *p, GError **error)
{
	const graph_conv *c = &n->conv;
	bool whole = graph_at(g, n->in[0])->type == ISA_TYPE_I8;

	*p = (ask_product){.batches = c->images * c->groups,
	                   .right_batches = c->groups,
	                   .m = c->oh * c->ow,
	                   .n = c->n,
	                   .k = graph_conv_k(c)};
	ask_product_types(p, whole);
	p->packed = is_host(graph_at(g, n->in[1]));
	if (c->kind != GRAPH_KBLOCK_CHANNELS || c->block_chan * asc_type_bytes(p->type) != ASK_BLOCK)
		return refuse(error, n, "weights not in blocks of %d bytes of channels, which load3d makes", ASK_BLOCK);
	if (!whole && n->sum_rows != 1)
		return refuse(error, n,
		              "sums of %" G_GUINT64_FORMAT
		              " products; a cube adds one product after the other, which 'sum 1' says",
		              n->sum_rows);
	return true;
}

/* Elements from one row of the left matrix to the next, where a filter is as wide as the image. */
static uint64_t matrix_pitch(const graph_conv *c)
{
	return (c->oh == 1 ? c->h : c->stride_h) * c->w * c->c;
}

/* Does each position read one row of memory, in the order of the depth, where pixels lie without gaps? */
static bool is_matrix(const graph_conv *c, uint64_t size)
{
	if (c->pad)
		return false;
	return c->s == c->w && c->ow == 1 && c->c * size <= ASK_BLOCK && (c->oh - 1) * c->stride_h + c->r <= c->h &&
	       (c->oh == 1 || c->oh * c->stride_h == c->h || c->images * c->groups == 1) &&
	       matrix_pitch(c) <= MOST_PITCH;
}

bool ask_conv_dense(const graph *g, uint32_t input)
{
	bool used = false;

	for (uint32_t i = input + 1; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);
		bool left = n->in[0] == input, right = graph_arity(n) > 1 && n->in[1] == input;

		if (!left && !right)
			continue;
		if (right || n->op != GRAPH_CONV || !is_matrix(&n->conv, isa_type_bytes(graph_at(g, input)->type)))
			return false;
		used = true;
	}
	return used;
}

/* The image, in pixels of W->a. */
static bool see(const graph *g, const graph_node *n, const ask_work *w, ask_image *x, GError **error)
{
	const graph_conv *c = &n->conv;
	uint64_t size = ask_work_size(w);

	*x = (ask_image){.h = c->h,
	                 .w = c->w,
	                 .pixel_bytes = w->a.pitch_bytes,
	                 .c = c->c,
	                 .blocks = ask_div_up(c->c * size, ASK_BLOCK),
	                 .r = c->r,
	                 .s = c->s,
	                 .stride_h = c->oh == 1 ? 1 : c->stride_h,
	                 .stride_w = c->ow == 1 ? 1 : c->stride_w,
	                 .pad = c->pad,
	                 .oh = c->oh,
	                 .ow = c->ow};
	if (x->s == 1 && !x->pad && x->stride_w > 1 && x->w % x->stride_w == 0 &&
	    x->pixel_bytes * x->stride_w / size <= MOST_PITCH) {
		x->w /= x->stride_w;
		x->pixel_bytes *= x->stride_w;
		x->stride_w = 1;
	}
	if (x->r == 1 && x->s == 1 && x->oh == x->h && x->ow == x->w) {
		/* Positions are pixels: all of them in one row. */
		x->w *= x->h;
		x->ow = x->w;
		x->h = x->oh = 1;
	}
	x->whole = x->pixel_bytes == ASK_BLOCK && (is_host(graph_at(g, n->in[0])) || c->c * size == ASK_BLOCK);
	if (x->s > MOST_FILTER)
		return refuse(error, n, "a filter of %" G_GUINT64_FORMAT " columns; load3d takes up to %d", x->s,
		              MOST_FILTER);
	if (x->stride_h > MOST_STRIDE || x->stride_w > MOST_STRIDE)
		return refuse(error, n,
		              "strides of %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT "; load3d takes up to %d",
		              x->stride_h, x->stride_w, MOST_STRIDE);
	if (2 * x->pad + MAX(x->stride_h, x->stride_w) > MOST_PAD)
		return refuse(error, n,
		              "padding of %" G_GUINT64_FORMAT " with strides of %" G_GUINT64_FORMAT
		              " x %" G_GUINT64_FORMAT "; load3d pads all sides by up to %d",
		              x->pad, x->stride_h, x->stride_w, MOST_PAD);
	if (x->pixel_bytes / size > MOST_PITCH)
		return refuse(error, n, "pixels %" G_GUINT64_FORMAT " elements apart; nd2nz takes up to %d",
		              x->pixel_bytes / size, MOST_PITCH);
	return true;
}

/* Row of the weights at depth K of the product, whose last block of channels may be filled up; UINT64_MAX: zeros. */
static uint64_t weight_row(const graph_conv *c, uint64_t block, uint64_t k, bool filled)
{
	uint64_t taps = c->r * c->s, before = c->c / block * block * taps, tail = c->c % block;

	if (!filled || k < before)
		return k;
	k -= before;
	return k % block < tail ? before + k / block * tail + k % block : UINT64_MAX;
}

/* Weights as the host lays them out for tile T: the filters of a tile together. */
static void pack(ask_work *w, const graph *g, const graph_node *n, const ask_tile *t)
{
	const graph_node *weights = graph_at(g, n->in[1]);
	const ask_product *p = w->p;
	uint64_t size = ask_work_size(w), rows = ask_packed_rows(p, t), row = ask_packed_row(p, t),
		 k = graph_conv_k(&n->conv);
	g_autofree char *name = g_strdup_printf("%s.packed", weights->name);
	g_autofree uint8_t *data = NULL;

	if (w->b->options.functional && weights->data) {
		uint64_t across = ask_div_up(p->n, t->n);

		data = g_malloc0(rows * row);
		for (uint64_t i = 0; i < rows; i++) {
			uint64_t from = weight_row(&n->conv, ASK_BLOCK / size, i % p->k, p->k > k);
			uint64_t first = i / p->k % across * t->n, columns = MIN(t->n, p->n - first);

			if (from != UINT64_MAX)
				memcpy(data + i * row,
				       weights->data + ((i / p->k / across * k + from) * p->n + first) * size,
				       columns * size);
		}
	}
	w->w.address = asb_tensor(w->b, name, p->type, rows, row / size, row, false, data);
}

static bool near_enough(const graph_node *n, const char *what, uint64_t pitch, uint64_t size, GError **error)
{
	return pitch / size <= MOST_PITCH ||
	       refuse(error, n, "rows of %s %" G_GUINT64_FORMAT " elements apart; nd2nz takes up to %d", what,
	              pitch / size, MOST_PITCH);
}

static void remark(const ask_work *w, const graph_node *n, const ask_tile *t)
{
	asb_remark(w->b,
	           "%s: tiles of %" G_GUINT64_FORMAT " positions x %" G_GUINT64_FORMAT
	           " filters, mmads of depth up to %" G_GUINT64_FORMAT ", L1 stages of %" G_GUINT64_FORMAT
	           " blocks of channels and %" G_GUINT64_FORMAT " filter rows (%u), of depth %" G_GUINT64_FORMAT
	           " (%u), %" G_GUINT64_FORMAT " tiles in %" G_GUINT64_FORMAT
	           " rounds; a tile takes %.0f cycles of cube, %.0f of L1 to L0, %.0f of memory to L1, %.0f out",
	           n->name, t->m, t->n, t->k, t->channels, t->filter_rows, t->a_stages, t->b_depth, t->b_stages,
	           t->tiles, t->rounds, t->cube, t->loads, t->copies, t->out);
}

/* As a product of matrices, the rows of the left one being PITCH_BYTES apart. */
static bool as_matrix(ask_work *w, const graph *g, const graph_node *n, GError **error)
{
	g_autoptr(GArray) tiles = NULL;
	ask_tile t;

	w->a.pitch_bytes = matrix_pitch(&n->conv) * ask_work_size(w);
	w->source = &ask_rows_source;
	if (!near_enough(n, "the image", w->a.pitch_bytes, ask_work_size(w), error))
		return false;
	tiles = ask_tiles(asb_machine(w->b), w->p, ASK_CANDIDATES);
	if (!ask_product_choose(w, tiles, &t))
		return refuse(error, n, "no tile of the product fits the buffers");
	if (w->p->packed)
		pack(w, g, n, &t);
	t.channels = t.a_depth * ask_work_size(w) / ASK_BLOCK;
	t.filter_rows = 1;
	asb_node(w->b, n->name);
	remark(w, n, &t);
	return ask_product_write(w, &t, error);
}

static bool as_image(ask_work *w, const graph *g, const graph_node *n, ask_product *p, GError **error)
{
	g_autoptr(GArray) tiles = NULL;
	ask_image x;
	ask_tile t;

	if (!see(g, n, w, &x, error))
		return false;
	p->k = x.blocks * (ASK_BLOCK / ask_work_size(w)) * x.r * x.s;
	if (!p->packed && p->k > graph_conv_k(&n->conv))
		return refuse(error, n,
		              "'%s' is computed, but %" G_GUINT64_FORMAT
		              " channels are not whole blocks of %d bytes, which the host must fill up",
		              graph_at(g, n->in[1])->name, x.c, ASK_BLOCK);
	w->source = &image_source;
	w->shape = &x;
	tiles = ask_conv_tiles(asb_machine(w->b), p, &x, asb_blocks(w->b), ASK_CANDIDATES);
	if (!ask_product_choose(w, tiles, &t))
		return refuse(error, n, "no tile of a filter of %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT " fits L1",
		              x.r, x.s);
	if (p->packed)
		pack(w, g, n, &t);
	asb_node(w->b, n->name);
	remark(w, n, &t);
	return ask_product_write(w, &t, error);
}

void ask_match_conv(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	(void)kernel_of;
	if (graph_at(g, first)->op == GRAPH_CONV)
		g_array_append_val(nodes, first);
}

bool ask_conv(asb *b, const ask_kernel *k, GError **error)
{
	uint32_t node = g_array_index(k->nodes, uint32_t, 0);
	const graph_node *n = graph_at(k->g, node);
	ask_product p;
	ask_work w = {.b = b, .p = &p, .a = k->place[n->in[0]], .w = k->place[n->in[1]], .c = k->place[node]};
	bool matrix;

	if (!describe(k->g, n, &p, error))
		return false;
	if (!p.packed && !near_enough(n, "the weights", w.w.pitch_bytes, asc_type_bytes(p.type), error))
		return false;
	matrix = is_matrix(&n->conv, asc_type_bytes(p.type)) && w.a.pitch_bytes == n->conv.c * asc_type_bytes(p.type);
	if (!(matrix ? as_matrix(&w, k->g, n, error) : as_image(&w, k->g, n, &p, error)))
		return false;
	asb_work(b, p.batches * p.m * p.n * graph_conv_k(&n->conv), 0);
	return true;
}
