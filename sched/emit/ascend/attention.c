/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention in one kernel: product, softmax, product.
 *
 * The graph computes scores transposed, [keys][queries]; this kernel has them [queries][keys], which changes neither a
 * product nor the order of a sum: a query's keys then lie along the lanes, where vector instructions add neighbours
 * just as the graph's tree does.  A whole row of scores is there before its maximum is needed, so nothing is rescaled.
 *
 * Heads and queries are dealt out to the cores in one stretch each, so no core waits for another.  On split cores cube
 * and vector sub-cores work at the same time: scores of the next unit are made while the softmax of this one is, its
 * output while that of the next is.  What passes between them lies in two turns of global memory that stay in L2.
 */
#include "sched/emit/ascend/attention.h"
#include "sched/emit/ascend/vector_int.h"

#include "isa/num.h"

enum { MOST_WIDTH = 64, MOST_CHUNK = 128, MOST_STAGE = 256, PITCH_MOST = 65535 };
/* Nodes of the pattern, in graph order; views are there with several heads only. */
enum { SCORES, SCALED, MAXIMUM, SPREAD, SHIFTED, POWERS, TOTAL, ROOT, FACTOR, SPREAD_FACTOR, SHARES, OUTPUT, NODES };

bool atn_take_ring(atn *a, asb_core core, atn_ring *r, enum asc_space space, uint64_t bytes, uint64_t align,
                   unsigned turns, GError **error)
{
	r->turns = turns;
	r->next = 0;
	for (unsigned i = 0; i < turns; i++)
		if (!asb_take(a->b, core, space, bytes, align, &r->address[i], error))
			return false;
	return true;
}

uint64_t atn_scores_at(atn *a, uint64_t unit)
{
	uint64_t queries = atn_unit_at(a, unit)->queries;
	GHashTable *turn = a->turns[unit % (ATN_AHEAD + 1)];
	gpointer key = GSIZE_TO_POINTER(queries), found = g_hash_table_lookup(turn, key);

	if (found)
		return GPOINTER_TO_SIZE(found);
	found = GSIZE_TO_POINTER(asb_scratch(a->b, atn_up(queries, ATN_SIDE) * a->pitch * ATN_HALF));
	g_hash_table_insert(turn, key, found);
	return GPOINTER_TO_SIZE(found);
}

/* ---- the pattern ---- */

typedef struct finder {
	const graph *g;
	uint32_t node[NODES];
	uint64_t heads;
} finder;

static const graph_node *at(const finder *f, unsigned i)
{
	return graph_at(f->g, f->node[i]);
}

/* A view that gives each head's row as often as the head has keys, or with one head the row itself. */
static bool is_spread(const finder *f, unsigned of, unsigned view)
{
	const graph_node *n = at(f, view);

	if (f->heads == 1)
		return f->node[view] == f->node[of];
	return n->op == GRAPH_ROWS && n->in[0] == f->node[of] && n->first_row == 0 && n->groups == f->heads &&
	       n->pitch == 1 && n->step == 0 && n->rows == at(f, SCORES)->rows;
}

static bool is_unary(const finder *f, unsigned i, enum isa_op op, unsigned of)
{
	const graph_node *n = at(f, i);

	return n->op == GRAPH_UNARY && n->vxm_op == op && n->type == ISA_TYPE_F32 && n->in[0] == f->node[of];
}

static bool is_binary(const finder *f, unsigned i, enum isa_op op, enum isa_type type, unsigned x, unsigned y)
{
	const graph_node *n = at(f, i);

	return n->op == GRAPH_BINARY && n->vxm_op == op && n->type == type && !n->has_imm && n->in[0] == f->node[x] &&
	       n->in[1] == f->node[y];
}

static bool is_reduction(const finder *f, unsigned i, enum isa_op op, unsigned of)
{
	const graph_node *n = at(f, i);

	return n->op == GRAPH_REDUCE && n->vxm_op == op && n->in[0] == f->node[of] && n->groups == f->heads;
}

static bool is_product(const finder *f, unsigned i)
{
	const graph_node *n = at(f, i);

	return n->op == GRAPH_MATMUL && n->type == ISA_TYPE_F16 && n->batches == f->heads && n->sum_rows == 1 &&
	       n->block_run >= n->k && graph_at(f->g, n->in[0])->type == ISA_TYPE_F16;
}

static bool is_attention(const finder *f)
{
	const graph_node *scaled = at(f, SCALED), *first = at(f, SCORES), *last = at(f, OUTPUT);
	float scale = num_bits_f32(scaled->imm);

	return is_product(f, SCORES) && scaled->op == GRAPH_BINARY && scaled->vxm_op == ISA_OP_MUL &&
	       scaled->type == ISA_TYPE_F32 && scaled->has_imm && scale > 0 && scale < 1e30F &&
	       scaled->in[0] == f->node[SCORES] && is_reduction(f, MAXIMUM, ISA_OP_MAX, SCALED) &&
	       is_spread(f, MAXIMUM, SPREAD) && is_binary(f, SHIFTED, ISA_OP_SUB, ISA_TYPE_F32, SCALED, SPREAD) &&
	       is_unary(f, POWERS, ISA_OP_EXP, SHIFTED) && is_reduction(f, TOTAL, ISA_OP_ADD, POWERS) &&
	       is_unary(f, ROOT, ISA_OP_RSQRT, TOTAL) && is_binary(f, FACTOR, ISA_OP_MUL, ISA_TYPE_F32, ROOT, ROOT) &&
	       is_spread(f, FACTOR, SPREAD_FACTOR) &&
	       is_binary(f, SHARES, ISA_OP_MUL, ISA_TYPE_F16, POWERS, SPREAD_FACTOR) && is_product(f, OUTPUT) &&
	       last->in[1] == f->node[SHARES] && last->k == first->m && last->n == first->n && last->m == first->k;
}

/* Does anybody but the kernel need node I? */
static bool is_inner(const finder *f, uint32_t i, uint32_t last)
{
	if (graph_at(f->g, i)->output)
		return false;
	for (uint32_t user = last + 1; user < graph_size(f->g); user++)
		if (graph_at(f->g, user)->in[0] == i || graph_at(f->g, user)->in[1] == i)
			return false;
	return true;
}

static bool find(const graph *g, uint32_t first, finder *f)
{
	uint32_t i = first;

	*f = (finder){.g = g, .heads = graph_at(g, first)->batches};
	for (unsigned n = 0; n < NODES; n++) {
		bool view = n == SPREAD || n == SPREAD_FACTOR;

		if (view && f->heads == 1) {
			f->node[n] = f->node[n - 1];
			continue;
		}
		/* V may come in between. */
		while (i < graph_size(g) && (graph_at(g, i)->op == GRAPH_INPUT || graph_at(g, i)->op == GRAPH_CONST))
			i++;
		if (i == graph_size(g))
			return false;
		f->node[n] = i++;
	}
	for (unsigned n = 0; n < OUTPUT; n++)
		if (!is_inner(f, f->node[n], f->node[OUTPUT]))
			return false;
	return is_attention(f);
}

void ask_match_attention(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	enum { MOST_DEPTH = 256 };
	const graph_node *n = graph_at(g, first);
	finder f;

	(void)kernel_of;
	/* Fractals of keys must be whole along the depth; copies take rows so far apart. */
	if (n->op != GRAPH_MATMUL || n->k % ATN_SIDE || n->k > MOST_DEPTH || n->m > PITCH_MOST - ATN_SIDE ||
	    n->n > PITCH_MOST - ATN_SIDE || !find(g, first, &f))
		return;
	for (unsigned i = 0; i < NODES; i++)
		if (!i || f.node[i] != f.node[i - 1])
			g_array_append_val(nodes, f.node[i]);
}

/* ---- cutting ---- */

/* The widest units, and chunks, that fit. */
static bool widest(atn *a, bool chip)
{
	uint64_t most = MOST_WIDTH >> asb_decide(a->b, "width", 4);

	a->chip = chip;
	for (a->width = MIN(atn_up(most, ATN_SIDE), atn_up(a->queries, ATN_SIDE)); a->width; a->width -= ATN_SIDE)
		for (a->chunk = MIN(MOST_CHUNK, a->pitch); a->chunk; a->chunk -= ATN_SIDE)
			if (atn_cube_fits(a) && atn_soft_plan(a))
				return true;
	return false;
}

/* On the chip units must be half as wide as by way of global memory at least: narrow ones take longer. */
static bool plan(atn *a)
{
	uint64_t wide;

	a->pitch = atn_up(a->keys, ATN_SIDE);
	a->stage = MIN(MOST_STAGE, a->pitch);
	if (!widest(a, false))
		return false;
	wide = a->width;
	return (a->coupled && widest(a, true) && 2 * a->width >= wide) || widest(a, false);
}

/* Units of block BLOCK of BLOCKS: granules of queries are dealt out in stretches, which are cut where heads end and
 * into equal parts that are not too wide. */
static void find_units(atn *a, uint64_t block, uint64_t blocks)
{
	uint64_t granule = ATN_SIDE * asb_vectors(a->b), of_head = atn_div_up(a->queries, granule);
	uint64_t from = a->heads * of_head * block / blocks, to = a->heads * of_head * (block + 1) / blocks;

	g_array_set_size(a->units, 0);
	while (from < to) {
		uint64_t first = from % of_head, count = MIN(of_head - first, to - from);
		uint64_t parts =
			atn_div_up(count * granule, a->width / granule ? a->width / granule * granule : a->width);
		uint64_t begin = first * granule, end = MIN((first + count) * granule, a->queries);

		for (uint64_t i = 0; i < parts && begin < end; i++) {
			uint64_t now = MIN(atn_up(atn_div_up(end - begin, parts - i), ATN_SIDE), end - begin);
			atn_unit u = {from / of_head, begin, now};

			now = u.queries = MIN(now, a->width);
			g_array_append_val(a->units, u);
			begin += now;
		}
		from += count;
	}
}

/* ---- the kernel ---- */

static const enum asc_space spaces[ATN_SPACES] = {ASC_L1, ASC_L0A, ASC_L0B, ASC_L0C, ASC_UB};

/* Sub-cores of a block. */
static unsigned subs_of(const atn *a)
{
	return a->coupled ? 1 : asb_vectors(a->b) + 1;
}

bool atn_begin_block(atn *a, uint32_t block, atn_marks *m)
{
	find_units(a, block, asb_blocks(a->b));
	if (!a->units->len)
		return false;
	a->core = asb_cube(a->b, block);
	for (unsigned s = 0; s < subs_of(a); s++)
		for (unsigned i = 0; i < ATN_SPACES; i++)
			m->at[s][i] = asb_mark(a->b, a->core + s, spaces[i]);
	return true;
}

void atn_end_block(atn *a, const atn_marks *m)
{
	for (unsigned s = 0; s < subs_of(a); s++)
		for (unsigned i = 0; i < ATN_SPACES; i++)
			asb_release(a->b, a->core + s, spaces[i], m->at[s][i]);
}

static bool one_block(atn *a, uint32_t block, GError **error)
{
	unsigned vectors = asb_vectors(a->b), subs = subs_of(a);
	atn_marks marks;
	bool good = true;

	if (!atn_begin_block(a, block, &marks))
		return true;
	for (unsigned t = 0; t <= ATN_AHEAD; t++)
		g_hash_table_remove_all(a->turns[t]);
	for (unsigned v = 0; good && v < vectors; v++)
		good = atn_soft_take(a, v, error);
	good = good && atn_cube_take(a, error);
	for (uint64_t u = 0; good && u < MIN(a->units->len, ATN_AHEAD); u++)
		atn_scores(a, u);
	for (uint64_t u = 0; good && u < a->units->len; u++) {
		for (unsigned s = 0; s < subs; s++)
			asb_iteration(a->b, a->core + s, u);
		atn_softmax(a, u);
		if (u + ATN_AHEAD < a->units->len)
			atn_scores(a, u + ATN_AHEAD);
		atn_output(a, u);
	}
	for (unsigned v = 0; v < vectors; v++)
		atn_soft_give(a, v);
	atn_end_block(a, &marks);
	return good;
}

static void describe(asb *b, const ask_kernel *k, const finder *f, atn *a)
{
	const graph_node *scores = at(f, SCORES), *out = at(f, OUTPUT);

	*a = (atn){.b = b,
	           .machine = asb_machine(b),
	           .coupled = asb_machine(b)->coupled,
	           .heads = f->heads,
	           .queries = scores->n,
	           .keys = scores->m,
	           .depth = scores->k,
	           .k = k->place[scores->in[0]],
	           .q = k->place[scores->in[1]],
	           .v = k->place[out->in[0]],
	           .o = k->place[f->node[OUTPUT]],
	           .scale = at(f, SCALED)->imm,
	           .name_scores = scores->name,
	           .name_soft = at(f, SHARES)->name,
	           .name_out = out->name};
}

bool ask_attention(asb *b, const ask_kernel *k, GError **error)
{
	finder f;
	bool good = true;
	atn a;

	if (!find(k->g, g_array_index(k->nodes, uint32_t, 0), &f))
		g_assert_not_reached();
	describe(b, k, &f, &a);
	if (!plan(&a)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: rows of %" G_GUINT64_FORMAT " scores do not fit the unified buffer", a.name_out,
		            a.keys);
		return false;
	}
	a.units = g_array_new(FALSE, FALSE, sizeof(atn_unit));
	for (unsigned t = 0; t <= ATN_AHEAD; t++)
		a.turns[t] = g_hash_table_new(NULL, NULL);
	asb_remark(b,
	           "%s: units of %" G_GUINT64_FORMAT " queries, scores of %" G_GUINT64_FORMAT
	           " keys a product, stages of %" G_GUINT64_FORMAT " keys, batches of %" G_GUINT64_FORMAT
	           " rows of %" G_GUINT64_FORMAT " keys in a unified buffer",
	           a.name_out, a.width, a.chunk, a.stage, a.rows, a.keys);
	asb_node(b, a.name_out);
	asb_loop(b, asb_cube(b, 0), "units");
	for (uint32_t block = 0; good && block < asb_blocks(b); block++)
		good = one_block(&a, block, error);
	g_array_free(a.units, TRUE);
	for (unsigned t = 0; t <= ATN_AHEAD; t++)
		g_hash_table_destroy(a.turns[t]);
	asb_work(b, 2 * a.heads * a.queries * a.keys * a.depth, 0);
	return good;
}
