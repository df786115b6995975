/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix work: how it is cut over engines and time.
 */
#include "sched/emit/isca20_mxm.h"

/* Rows below which a part is too short to pay for loading weights everywhere. */
enum { PART_ROWS_MIN = 48 };

static void add_matmul_blocks(isca_work *w, uint64_t k, uint64_t run)
{
	for (uint64_t row = 0; row < k; row += run) {
		isca_kblock b = {.row = row, .rows = (uint32_t)MIN(run, k - row)};

		g_array_append_val(w->kblocks, b);
	}
}

/* In the order of graph.h. */
static void add_conv_blocks(isca_work *w)
{
	uint64_t count = graph_conv_block_count(&w->conv), row = 0;

	for (uint64_t i = 0; i < count; i++) {
		isca_kblock b = {.row = row, .rows = (uint32_t)graph_conv_block_lanes(&w->conv, i)};

		graph_conv_lane(&w->conv, i, 0, &b.r, &b.s, &b.c);
		row += b.rows;
		g_array_append_val(w->kblocks, b);
	}
}

static void read_macro(isca_work *w, const low_macro *m)
{
	isca_batch batch = {0};

	if (m->kind == LOW_CONV) {
		batch.a = m->conv.x_row / (m->conv.conv.h * m->conv.conv.w);
		batch.b = m->conv.w_row;
		batch.c = m->conv.y_row;
	} else {
		batch = (isca_batch){.a = m->matmul.a_row, .b = m->matmul.b_row, .c = m->matmul.c_row};
	}
	for (guint i = 0; i < w->batches->len; i++) {
		const isca_batch *other = isca_batch_at(w, i);

		if (other->b == batch.b) {
			batch.group = other->group;
			g_array_append_val(w->batches, batch);
			return;
		}
	}
	batch.group = w->groups++;
	g_array_append_val(w->batches, batch);
}

/* --------------------------------------------------------------------------------------------------- strands */

static isca_strand *add_strand(isca_stage *step, unsigned part, unsigned parts)
{
	isca_strand *s = &step->strand[step->count++];

	*s = (isca_strand){.part = (uint8_t)part, .parts = (uint8_t)parts};
	return s;
}

static void add_link(isca_strand *s, unsigned kblock, unsigned engine)
{
	s->kblock[s->count] = (uint16_t)kblock;
	s->engine[s->count++] = (uint8_t)engine;
}

/* A step in which all engines take COUNT K blocks from FIRST on, each block cut by rows over ENGINES / COUNT of them.
 */
static void add_step(isca_work *w, unsigned first, unsigned count)
{
	isca_stage step = {0};
	unsigned strands = w->engines / count, parts = ISCA_PARTS / strands;

	for (unsigned s = 0; s < strands; s++) {
		isca_strand *strand = add_strand(&step, s * parts, parts);

		for (unsigned b = 0; b < count; b++)
			add_link(strand, first + b, s * count + b);
	}
	g_array_append_val(w->steps, step);
}

static void add_short_step(isca_work *w, unsigned first, unsigned count, bool own)
{
	isca_stage step = {0};
	isca_strand *strand = add_strand(&step, 0, ISCA_PARTS);

	for (unsigned b = 0; b < count; b++)
		add_link(strand, first + b, own ? ISCA_OWN_ENGINE : b);
	g_array_append_val(w->steps, step);
}

static void list_steps(isca_work *w)
{
	unsigned left = w->kblocks->len, at = 0;

	g_array_set_size(w->steps, 0);
	while (left) {
		unsigned count = w->a_private ? MIN(w->engines, w->links) : 1;

		if (w->own) {
			add_short_step(w, at, 1, true);
			count = 1;
		} else if (left < count && w->part_rows < PART_ROWS_MIN) {
			count = left;
			add_short_step(w, at, count, false);
		} else {
			while (count > left)
				count /= 2;
			add_step(w, at, count);
		}
		at += count;
		left -= count;
	}
}

/* Cycles from an activation's sampling to its sum being readable by the VXM again. */
static int64_t round_trip(const isca *c, const isca_work *w)
{
	const isa_machine *m = c->m;
	int64_t hops = (m->pos_vxm - m->pos_mxm.at[0] + 2 * (m->mem_slices / m->mem_slices_per_group + 1)) *
	               m->stream_hop_cycles;

	return m->mxm_abc_cycles + m->mxm_acc_cycles + hops + m->vxm_entry_cycles +
	       (int64_t)(w->engines + 1) * m->vxm_op_cycles + m->mem_write_cycles + m->mem_read_cycles;
}

static void cut_rows(isca_work *w)
{
	uint64_t units;

	w->tiles = (w->m - 1) / w->thrift.tile_rows + 1;
	w->part_rows = (w->m - 1) / (ISCA_PARTS * w->tiles) + 1;
	w->tile_rows = ISCA_PARTS * w->part_rows;
	w->tiles = (w->m - 1) / w->tile_rows + 1;
	units = w->batches->len * w->blocks * w->tiles;
	/* Units of their own: many batches, or units so short that loading weights decides. */
	w->by_batch = w->batches->len >= w->engines;
	w->own = (w->by_batch && (w->batches->len >= 4 * w->engines || w->part_rows < 4 * PART_ROWS_MIN)) ||
	         (units >= w->engines && w->part_rows < PART_ROWS_MIN);
	w->by_batch = w->by_batch && w->own;
}

static void choose_cut(const isca *c, isca_work *w, const isca_tensor *result)
{
	uint64_t units;
	int64_t pass;

	if (!w->thrift.patches || !isca_cut_patches(c, w, result))
		cut_rows(w);
	units = w->batches->len * w->blocks * w->tiles;
	pass = MAX((int64_t)(MIN(w->m, w->tile_rows) * w->interval), 10 * (int64_t)w->engines);
	w->window = (uint32_t)(1 + round_trip(c, w) / pass) * (w->own ? w->engines : 1);
	w->window = (uint32_t)MIN(w->window, units);
}

/* Can this machine do it at all? */
static bool check_machine(const isca *c, const isca_work *w, const isca_tensor *a, const char *name)
{
	const char *why = NULL;
	uint64_t rows = 0;

	for (guint i = 0; i < w->kblocks->len; i++)
		rows = MAX(rows, isca_kblock_at(w, i)->rows);
	if (rows > c->lanes || rows > (uint64_t)c->m->mxm_rows)
		why = "a K block has more rows than a vector has lanes, or than mxm.rows";
	else if (c->m->mxm_weight_bytes < (int64_t)w->bytes * c->m->lanes)
		why = "one row of weights is more than mxm.weight_bytes_per_cycle";
	else if (c->alus < w->bytes)
		why = "sums of fp16 products are added and converted in one go, which takes two ALUs";
	else if (!a->host && w->kblocks->len > 1 && isca_kblock_at(w, 0)->rows != a->vector_lanes)
		why = "K blocks of an operand that is computed must be whole vectors";
	if (why)
		g_set_error(c->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "layer '%s', operation '%s': %s",
		            c->low->g->name, name, why);
	return !why;
}

isca_work *isca_work_new(const isca *c, const GArray *tensors, uint32_t first, uint32_t count,
                         const isca_thrift *thrift)
{
	const low_macro *m = &g_array_index(c->low->macros, low_macro, first);
	isca_work *w = g_new0(isca_work, 1);
	const isca_tensor *a;

	w->batches = g_array_new(FALSE, FALSE, sizeof(isca_batch));
	w->kblocks = g_array_new(FALSE, FALSE, sizeof(isca_kblock));
	w->steps = g_array_new(FALSE, FALSE, sizeof(isca_stage));
	w->b_tiles = g_array_new(FALSE, TRUE, sizeof(isca_tile));
	w->thrift = *thrift;
	w->is_conv = m->kind == LOW_CONV;
	w->type = w->is_conv ? m->conv.type : m->matmul.type;
	w->bytes = isa_type_bytes(w->type);
	w->engines = (unsigned)c->m->mxm_planes / w->bytes;
	w->interval = (uint32_t)(w->bytes == 1 ? c->m->mxm_int8_interval_cycles : c->m->mxm_fp16_interval_cycles);
	if (w->is_conv) {
		w->conv = m->conv.conv;
		w->a = m->conv.x;
		w->b = m->conv.w;
		w->c = m->conv.y;
		w->m = w->conv.oh * w->conv.ow;
		w->n = w->conv.n;
		w->chunks = (unsigned)((w->conv.c - 1) / MAX(w->conv.block_chan, 1) + 1);
		if (w->conv.kind == GRAPH_KBLOCK_TAPS) {
			w->taps = isca_taps_of(&w->conv);
			w->has_taps = isca_taps_share(&w->taps, &w->conv);
		}
		add_conv_blocks(w);
	} else {
		w->a = m->matmul.a;
		w->b = m->matmul.b;
		w->c = m->matmul.c;
		w->m = m->matmul.m;
		w->n = m->matmul.n;
		add_matmul_blocks(w, m->matmul.k, m->matmul.block_run);
	}
	for (uint32_t i = 0; i < count; i++)
		read_macro(w, &g_array_index(c->low->macros, low_macro, first + i));
	a = &g_array_index(tensors, isca_tensor, w->a);
	w->a_private = a->host;
	w->b_private = g_array_index(tensors, isca_tensor, w->b).host;
	w->blocks = g_array_index(tensors, isca_tensor, w->c).blocks;
	w->load_rows = CLAMP(c->load_bytes / w->bytes, 1, thrift->load_rows);
	for (w->links = 1; 2 * w->links + (w->bytes == 2) <= c->alus; w->links *= 2)
		;
	if (!check_machine(c, w, a, m->name)) {
		isca_work_free(w);
		return NULL;
	}
	choose_cut(c, w, &g_array_index(tensors, isca_tensor, w->c));
	list_steps(w);
	return w;
}

void isca_work_free(isca_work *w)
{
	g_array_unref(w->batches);
	g_array_unref(w->kblocks);
	g_array_unref(w->steps);
	g_array_unref(w->b_tiles);
	g_clear_pointer(&w->patches, g_array_unref);
	g_free(w);
}
