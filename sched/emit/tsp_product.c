/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix macro-operations as work for the matrix unit: where rows, weights and results lie, and which bytes of a row
 * belong to each K block.  A convolution reads its input where it lies: a K block is a few runs of bytes around an
 * output's position, so nothing is copied.
 */
#include "sched/emit/tsp_mxm.h"
#include "sched/sheet.h"

static bool check_machine(const tspe *e, uint64_t block_lanes, uint64_t weight_lanes, enum isa_type type,
                          GError **error)
{
	int64_t row_bytes = (int64_t)(MIN(weight_lanes, (uint64_t)e->m->lanes) * isa_type_bytes(type));

	if (block_lanes > (uint64_t)MIN(e->m->lanes, e->m->mxm_rows)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "K blocks of %" G_GUINT64_FORMAT " lanes: a vector has %" G_GINT64_FORMAT
		            " lanes (lanes), a plane %" G_GINT64_FORMAT " rows (mxm.rows)",
		            block_lanes, e->m->lanes, e->m->mxm_rows);
		return false;
	}
	if (row_bytes > e->m->mxm_weight_bytes) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "mxm.weight_bytes_per_cycle is %" G_GINT64_FORMAT ": a row of weights has %" G_GINT64_FORMAT
		            " bytes and enters in one cycle",
		            e->m->mxm_weight_bytes, row_bytes);
		return false;
	}
	return true;
}

static bool make_matmul(tspe *e, const low_matmul *l, mxm_work *work, GError **error)
{
	tspe_tensor *a = &e->tensors[l->a];

	*work = (mxm_work){
		.e = e,
		.a = a,
		.w = &e->tensors[l->b],
		.c = &e->tensors[l->c],
		.rows = l->m,
		.c_row = l->c_row,
		.line_rows = l->m,
		.a_row = a->row_pitch,
		.type = l->type,
		.blocks = g_array_new(FALSE, TRUE, sizeof(mxm_block)),
	};
	if (!check_machine(e, MIN(l->block_run, l->k), l->n, l->type, error))
		return false;
	for (uint64_t k = 0; k < l->k; k += l->block_run) {
		mxm_block block = {.lanes = (uint32_t)MIN(l->block_run, l->k - k),
		                   .weight_row = l->b_row + k,
		                   .offset = (int64_t)tspe_element_addr(a, l->a_row, k),
		                   .count = 1};

		block.seg = block.lanes * a->element;
		g_array_append_val(work->blocks, block);
	}
	return true;
}

/* Appends the K block that begins at filter row R, position S, channel C of the run, of COUNT segments of LANES. */
static void add_conv_block(GArray *blocks, const tspe_tensor *x, uint64_t *weight_row, int64_t offset, uint64_t lanes,
                           uint64_t count, int64_t pitch)
{
	mxm_block block = {
		.lanes = (uint32_t)(lanes * count),
		.weight_row = *weight_row,
		.offset = offset,
		.seg = (uint32_t)(lanes * x->element),
		.count = (uint32_t)count,
		.pitch = (int32_t)(count > 1 ? pitch : 0),
	};

	*weight_row += block.lanes;
	g_array_append_val(blocks, block);
}

static void cut_runs(const graph_conv *c, const tspe_tensor *x, uint64_t weight_row, GArray *blocks)
{
	uint64_t run = c->s * c->c;

	for (uint64_t r = 0; r < c->r; r += c->block_rows)
		for (uint64_t at = 0; at < run; at += c->block_run)
			add_conv_block(blocks, x, &weight_row, (int64_t)r * x->line_pitch + (int64_t)(at * x->element),
			               MIN(c->block_run, run - at), MIN(c->block_rows, c->r - r), x->line_pitch);
}

static void cut_taps(const graph_conv *c, const tspe_tensor *x, uint64_t weight_row, GArray *blocks)
{
	for (uint64_t r = 0; r < c->r; r++)
		for (uint64_t s = 0; s < c->s; s += c->block_taps)
			for (uint64_t at = 0; at < c->c; at += c->block_chan)
				add_conv_block(blocks, x, &weight_row,
				               (int64_t)r * x->line_pitch + (int64_t)s * x->row_pitch +
				                       (int64_t)(at * x->element),
				               MIN(c->block_chan, c->c - at), MIN(c->block_taps, c->s - s),
				               x->row_pitch);
}

static bool make_conv(tspe *e, const low_conv *l, mxm_work *work, GError **error)
{
	const graph_conv *c = &l->conv;
	tspe_tensor *x = &e->tensors[l->x];
	uint64_t widest = 0;

	*work = (mxm_work){
		.e = e,
		.a = x,
		.w = &e->tensors[l->w],
		.c = &e->tensors[l->y],
		.rows = c->oh * c->ow,
		.c_row = l->y_row,
		.line_rows = c->ow,
		.a_first = (int64_t)x->base + (int64_t)(l->x_row / (c->h * c->w)) * x->image_pitch,
		.a_row = (int64_t)c->stride_w * x->row_pitch,
		.a_line = (int64_t)c->stride_h * x->line_pitch,
		.type = l->type,
		.blocks = g_array_new(FALSE, TRUE, sizeof(mxm_block)),
	};
	(c->kind == GRAPH_KBLOCK_RUNS ? cut_runs : cut_taps)(c, x, l->w_row, work->blocks);
	for (guint i = 0; i < work->blocks->len; i++)
		widest = MAX(widest, g_array_index(work->blocks, mxm_block, i).lanes);
	return check_machine(e, widest, c->n, l->type, error);
}

bool mxm_make(tspe *e, const low_macro *macro, mxm_work *work, GError **error)
{
	bool made = macro->kind == LOW_MATMUL ? make_matmul(e, &macro->matmul, work, error)
	                                      : make_conv(e, &macro->conv, work, error);
	const isa_machine *m = e->m;
	bool pair = work->type == ISA_TYPE_F16;

	if (!made)
		return false;
	work->stride = pair ? 2 : 1;
	work->units = (unsigned)m->mxm_planes / work->stride;
	work->acc_rows = (uint32_t)(pair ? m->mxm_acc_rows : MAX(1, m->mxm_acc_rows / 2));
	work->interval = (uint32_t)(pair ? m->mxm_fp16_interval_cycles : m->mxm_int8_interval_cycles);
	work->columns = (unsigned)(work->c->low->blocks + (work->c->low->tail > 0));
	/* Shorter chunks of rows let results go out while the next rows come in. */
	work->acc_rows = MAX(work->acc_rows >> sched_decide(e->options->sheet, "rows", macro->name, 4), 1);
	work->cut = sched_decide(e->options->sheet, "cut", macro->name, MXM_CUTS);
	work->drain_late = sched_decide(e->options->sheet, "drain", macro->name, 2);
	return true;
}

void mxm_clear(mxm_work *work)
{
	if (work->blocks)
		g_array_unref(work->blocks);
	if (work->rounds)
		g_array_unref(work->rounds);
}
