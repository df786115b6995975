/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices in rows of global memory (product.h).  Rows come as fractals to L1 (nd2nz) and go on as an image
 * of one column.
 */
#include "sched/emit/ascend/product.h"

enum { PITCH_MOST = 65535 };

static bool describe(const ask_kernel *k, const graph_node *n, ask_product *p, GError **error)
{
	const graph_node *a = graph_at(k->g, n->in[0]);
	bool whole = a->type == ISA_TYPE_I8;
	uint64_t parts = n->block_run < n->k && n->k % n->block_run == 0 && n->block_run % ASK_BLOCK == 0
	                         ? n->k / n->block_run
	                         : 1;

	*p = (ask_product){.batches = n->batches * parts,
	                   .right_batches = n->batches * parts,
	                   .parts = parts,
	                   .m = n->m,
	                   .n = n->n,
	                   .k = n->k / parts};
	ask_product_types(p, whole);
	if (parts > 1)
		p->result = p->sum;
	if (whole || (n->sum_rows == 1 && (parts > 1 || n->block_run >= n->k)))
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "%s: sums of %" G_GUINT64_FORMAT " products in blocks of %" G_GUINT64_FORMAT
	            "; a cube adds one product after the other, which 'block_run %" G_GUINT64_FORMAT ", sum 1' says",
	            n->name, n->sum_rows, n->block_run, n->k);
	return false;
}

/* Rows of an operand that lie too far apart for nd2nz. */
static bool reaches(const graph_node *n, const ask_place *at, uint64_t size, GError **error)
{
	if (at->pitch_bytes / size <= PITCH_MOST && at->pitch_bytes % size == 0)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "%s: rows of %" G_GUINT64_FORMAT " elements; nd2nz takes rows up to %d elements apart", n->name,
	            at->pitch_bytes / size, PITCH_MOST);
	return false;
}

/* Parts of the depth go to memory as they are added, and are added up there. */
static ask_place place_parts(asb *b, const ask_product *p)
{
	uint64_t bytes = p->n * ASK_SUM, pitch = ask_up(bytes, ASK_BLOCK);

	return (ask_place){.address = asb_scratch(b, p->batches * p->m * pitch), .pitch_bytes = pitch};
}

static bool add_parts(asb *b, const ask_product *p, const ask_place *from, const ask_place *to, GError **error)
{
	if (p->parts == 1)
		return true;
	asb_sync(b);
	return ask_add_parts(b, p, from, to, error);
}

/* What is left behind a relu goes through vector sub-cores, by way of memory where they are others. */
static void take_tail(asb *b, const ask_kernel *k, ask_work *w, ask_tail *tail)
{
	if (k->nodes->len == 1)
		return;
	ask_tail_describe(k, tail);
	w->relu = tail->relu;
	if (!tail->count)
		return;
	w->tail = tail;
	w->c.address = asb_scratch(b, w->p->batches * w->p->m * w->c.pitch_bytes);
}

static void tell_tail(asb *b, const char *name, const ask_work *w)
{
	if (w->relu)
		asb_remark(b, "%s: relu as the result leaves L0C", name);
	if (w->tail)
		asb_remark(b, "%s: %u operation%s on each tile as it comes out", name, w->tail->count,
		           w->tail->count == 1 ? "" : "s");
}

bool ask_matmul(asb *b, const ask_kernel *k, GError **error)
{
	uint32_t last = g_array_index(k->nodes, uint32_t, k->nodes->len - 1);
	const graph_node *n = graph_at(k->g, g_array_index(k->nodes, uint32_t, 0));
	g_autoptr(GArray) tiles = NULL;
	ask_product p;
	ask_tail tail;
	ask_tile t;
	ask_work w = {.b = b,
	              .p = &p,
	              .source = &ask_rows_source,
	              .a = k->place[n->in[0]],
	              .w = k->place[n->in[1]],
	              .c = k->place[last]};

	if (!describe(k, n, &p, error) || !reaches(graph_at(k->g, n->in[0]), &w.a, asc_type_bytes(p.type), error) ||
	    !reaches(graph_at(k->g, n->in[1]), &w.w, asc_type_bytes(p.type), error))
		return false;
	if (p.parts > 1)
		w.c = place_parts(b, &p);
	take_tail(b, k, &w, &tail);
	tiles = ask_tiles(asb_machine(b), &p, ASK_CANDIDATES);
	if (!ask_product_choose(&w, tiles, &t)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "%s: no tile of the product fits the buffers",
		            n->name);
		return false;
	}
	asb_node(b, n->name);
	tell_tail(b, n->name, &w);
	asb_remark(b,
	           "%s: tiles of %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT ", mmads of depth %" G_GUINT64_FORMAT
	           ", L1 stages of depth %" G_GUINT64_FORMAT " (%u) and %" G_GUINT64_FORMAT " (%u), %" G_GUINT64_FORMAT
	           " tile%s in %" G_GUINT64_FORMAT
	           " round%s; a tile takes %.0f cycles of cube, %.0f of L1 to L0, %.0f of memory to L1, %.0f out",
	           n->name, t.m, t.n, t.k, t.a_depth, t.a_stages, t.b_depth, t.b_stages, t.tiles,
	           t.tiles == 1 ? "" : "s", t.rounds, t.rounds == 1 ? "" : "s", t.cube, t.loads, t.copies, t.out);
	if (p.parts > 1)
		asb_remark(b, "%s: depth in %" G_GUINT64_FORMAT " parts of %" G_GUINT64_FORMAT ", added up in order",
		           n->name, p.parts, p.k);
	if (!ask_product_write(&w, &t, error) || !add_parts(b, &p, &w.c, &k->place[last], error))
		return false;
	asb_work(b, p.batches * p.m * p.n * p.k, 0);
	return true;
}
