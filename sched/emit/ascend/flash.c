/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiled attention in one kernel: the nodes of flash:BxHxSxD.
 *
 * Queries are dealt out to the cores as for attention, and cut into units.  On split cores cube and vector sub-cores
 * work at the same time: while the powers of an item are made, the cube sub-core makes the scores of those behind it
 * and the product of the one before, which is added up two items later.  What passes between them lies in
 * turns of global memory that stay in L2.  On coupled cores it stays on the chip: scores and products leave L0C for the
 * unified buffer, powers go from there to L1.
 */
#include "sched/emit/ascend/flash.h"

#include "isa/num.h"

enum { MOST_WIDTH = 64, MOST_DEPTH = 256, LANES = 64 };

static uint64_t in_turn(fla *f, GHashTable *turn, uint64_t queries, uint64_t row_bytes)
{
	gpointer key = GSIZE_TO_POINTER(queries), found = g_hash_table_lookup(turn, key);

	if (!found) {
		found = GSIZE_TO_POINTER(asb_scratch(f->a.b, atn_up(queries, ATN_SIDE) * row_bytes));
		g_hash_table_insert(turn, key, found);
	}
	return GPOINTER_TO_SIZE(found);
}

uint64_t fla_scores_at(fla *f, uint64_t item)
{
	return in_turn(f, f->scores[item % G_N_ELEMENTS(f->scores)], fla_unit_of(f, item)->queries, f->tile * ATN_HALF);
}

uint64_t fla_products_at(fla *f, uint64_t item)
{
	return in_turn(f, f->products[item % G_N_ELEMENTS(f->products)], fla_unit_of(f, item)->queries,
	               f->a.depth * ATN_HALF);
}

/* ---- the pattern ---- */

/* Nodes of a tile in graph order; those from ADVANCED on but for the first tile, where MAXIMUM is LARGEST itself. */
enum { SCORES, SCALED, LARGEST, MAXIMUM, SPREAD, SHIFTED, POWERS, TOTAL, ROUNDED, PRODUCT, WIDENED, LATER };
enum { CHANGE = LATER, FACTOR, RESCALED, SUM, SPREAD_FACTOR, SCALED_OUT, OUT, NODES };
enum { ROOT, SQUARE, SPREAD_SQUARE, RESULT, LAST_NODES };

typedef struct finder {
	const graph *g;
	GArray *nodes; /* uint32_t: all so far */
	uint32_t next, heads, depth;
	uint32_t query, maximum, sum, out; /* so far */
	uint32_t scale;
	uint32_t node[NODES];
	GArray *scores, *products; /* uint32_t: SCORES, PRODUCT of each tile */
} finder;

/* The next node that computes something; NULL at the end. */
static const graph_node *next_node(finder *f, uint32_t *number)
{
	const graph_node *n;

	while (f->next < graph_size(f->g)) {
		*number = f->next++;
		n = graph_at(f->g, *number);
		if (n->op == GRAPH_INPUT || n->op == GRAPH_CONST)
			continue;
		g_array_append_val(f->nodes, *number);
		return n;
	}
	return NULL;
}

static bool unary(finder *f, unsigned i, enum isa_op op, enum isa_type type, uint32_t x)
{
	const graph_node *n = next_node(f, &f->node[i]);

	return n && n->op == GRAPH_UNARY && n->vxm_op == op && n->type == type && n->in[0] == x;
}

static bool binary(finder *f, unsigned i, enum isa_op op, enum isa_type type, uint32_t x, uint32_t y)
{
	const graph_node *n = next_node(f, &f->node[i]);

	return n && n->op == GRAPH_BINARY && n->vxm_op == op && n->type == type && !n->has_imm && n->in[0] == x &&
	       n->in[1] == y;
}

static bool reduction(finder *f, unsigned i, enum isa_op op, uint32_t x)
{
	const graph_node *n = next_node(f, &f->node[i]);

	return n && n->op == GRAPH_REDUCE && n->vxm_op == op && n->in[0] == x && n->groups == f->heads;
}

/* A view that gives each head's row ROWS times. */
static bool spread(finder *f, unsigned i, uint32_t x, uint64_t rows)
{
	const graph_node *n = next_node(f, &f->node[i]);

	return n && n->op == GRAPH_ROWS && n->in[0] == x && n->first_row == 0 && n->groups == f->heads &&
	       n->pitch == 1 && n->step == 0 && n->rows == f->heads * rows;
}

static bool product(finder *f, unsigned i, uint64_t m)
{
	const graph_node *n = next_node(f, &f->node[i]);

	return n && n->op == GRAPH_MATMUL && n->type == ISA_TYPE_F16 && n->batches == f->heads && n->sum_rows == 1 &&
	       n->block_run >= n->k && n->m == m;
}

static bool scaled(finder *f)
{
	const graph_node *n = next_node(f, &f->node[SCALED]);
	float scale = n ? num_bits_f32(n->imm) : 0;

	if (!n || n->op != GRAPH_BINARY || n->vxm_op != ISA_OP_MUL || n->type != ISA_TYPE_F32 || !n->has_imm ||
	    n->in[0] != f->node[SCORES] || scale <= 0 || scale > 1e30F || (f->scale && n->imm != f->scale))
		return false;
	f->scale = n->imm;
	return true;
}

/* What is done only where there was a tile before. */
static bool rescaled(finder *f)
{
	const uint32_t *n = f->node;

	if (!binary(f, CHANGE, ISA_OP_SUB, ISA_TYPE_F32, f->maximum, n[MAXIMUM]) ||
	    !unary(f, FACTOR, ISA_OP_EXP, ISA_TYPE_F32, n[CHANGE]) ||
	    !binary(f, RESCALED, ISA_OP_MUL, ISA_TYPE_F32, f->sum, n[FACTOR]) ||
	    !binary(f, SUM, ISA_OP_ADD, ISA_TYPE_F32, n[RESCALED], n[TOTAL]) ||
	    !spread(f, SPREAD_FACTOR, n[FACTOR], f->depth) ||
	    !binary(f, SCALED_OUT, ISA_OP_MUL, ISA_TYPE_F32, f->out, n[SPREAD_FACTOR]) ||
	    !binary(f, OUT, ISA_OP_ADD, ISA_TYPE_F32, n[SCALED_OUT], n[WIDENED]))
		return false;
	f->sum = n[SUM];
	f->out = n[OUT];
	return true;
}

static bool tile(finder *f, bool first)
{
	const uint32_t *n = f->node;
	const graph_node *scores = next_node(f, &f->node[SCORES]);

	if (!scores || scores->op != GRAPH_MATMUL || scores->type != ISA_TYPE_F16 || scores->sum_rows != 1 ||
	    scores->block_run < scores->k || scores->batches != f->heads || scores->k != f->depth ||
	    scores->in[1] != f->query || !scaled(f) || !reduction(f, LARGEST, ISA_OP_MAX, n[SCALED]))
		return false;
	f->node[MAXIMUM] = n[LARGEST];
	if ((!first && !binary(f, MAXIMUM, ISA_OP_MAX, ISA_TYPE_F32, f->maximum, n[LARGEST])) ||
	    !spread(f, SPREAD, n[MAXIMUM], scores->m) ||
	    !binary(f, SHIFTED, ISA_OP_SUB, ISA_TYPE_F32, n[SCALED], n[SPREAD]) ||
	    !unary(f, POWERS, ISA_OP_EXP, ISA_TYPE_F32, n[SHIFTED]) || !reduction(f, TOTAL, ISA_OP_ADD, n[POWERS]) ||
	    !unary(f, ROUNDED, ISA_OP_CVT, ISA_TYPE_F16, n[POWERS]) || !product(f, PRODUCT, f->depth) ||
	    graph_at(f->g, n[PRODUCT])->in[1] != n[ROUNDED] || !unary(f, WIDENED, ISA_OP_CVT, ISA_TYPE_F32, n[PRODUCT]))
		return false;
	if (first) {
		f->sum = n[TOTAL];
		f->out = n[WIDENED];
	} else if (!rescaled(f)) {
		return false;
	}
	f->maximum = n[MAXIMUM];
	g_array_append_val(f->scores, n[SCORES]);
	g_array_append_val(f->products, n[PRODUCT]);
	return true;
}

static bool ending(finder *f)
{
	const uint32_t *n = f->node;

	return unary(f, ROOT, ISA_OP_RSQRT, ISA_TYPE_F32, f->sum) &&
	       binary(f, SQUARE, ISA_OP_MUL, ISA_TYPE_F32, n[ROOT], n[ROOT]) &&
	       spread(f, SPREAD_SQUARE, n[SQUARE], f->depth) &&
	       binary(f, RESULT, ISA_OP_MUL, ISA_TYPE_F16, f->out, n[SPREAD_SQUARE]);
}

/* Is the whole of what was found there for its last node alone? */
static bool is_closed(const finder *f)
{
	GHashTable *own = g_hash_table_new(NULL, NULL);
	uint32_t last = g_array_index(f->nodes, uint32_t, f->nodes->len - 1);
	bool closed = true;

	for (guint i = 0; i < f->nodes->len; i++)
		g_hash_table_add(own, GUINT_TO_POINTER(g_array_index(f->nodes, uint32_t, i)));
	for (uint32_t i = 0; i < graph_size(f->g); i++) {
		const graph_node *n = graph_at(f->g, i);
		bool inside = g_hash_table_contains(own, GUINT_TO_POINTER(i));

		closed &= !(inside && i != last && n->output);
		for (unsigned k = 0; !inside && k < graph_arity(n); k++)
			closed &= n->in[k] == last || !g_hash_table_contains(own, GUINT_TO_POINTER(n->in[k]));
	}
	g_hash_table_destroy(own);
	return closed;
}

static void finder_fini(finder *f)
{
	g_array_free(f->nodes, TRUE);
	g_array_free(f->scores, TRUE);
	g_array_free(f->products, TRUE);
}

/* The nodes from FIRST on, as many tiles as there are. */
static bool find(const graph *g, uint32_t first, finder *f)
{
	const graph_node *scores = graph_at(g, first);
	guint kept = 0;
	uint32_t from;

	*f = (finder){.g = g,
	              .next = first,
	              .nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	              .scores = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	              .products = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	if (scores->op != GRAPH_MATMUL || scores->k % ATN_SIDE || scores->k > MOST_DEPTH)
		return false;
	f->heads = (uint32_t)scores->batches;
	f->depth = (uint32_t)scores->k;
	f->query = scores->in[1];
	for (bool begin = true;; begin = false) {
		from = f->next;
		kept = f->nodes->len;
		if (!tile(f, begin))
			break;
	}
	/* What followed the last tile is looked at once more. */
	f->next = from;
	g_array_set_size(f->nodes, kept);
	return f->scores->len && ending(f) && is_closed(f);
}

/* ---- cutting ---- */

static bool plan(fla *f)
{
	atn *a = &f->a;
	uint64_t granule = ATN_SIDE * asb_vectors(a->b);

	for (a->width = MIN(MOST_WIDTH, atn_up(a->queries, ATN_SIDE)); a->width; a->width -= ATN_SIDE)
		for (a->chunk = f->tile; a->chunk; a->chunk -= ATN_SIDE) {
			f->rows = atn_up(atn_div_up(a->width, asb_vectors(a->b)), ATN_SIDE);
			if ((a->width % granule == 0 || a->width == atn_up(a->queries, ATN_SIDE)) && fla_cube_fits(f) &&
			    fla_soft_fits(f))
				return true;
		}
	return false;
}

static void describe(fla *f, asb *b, const graph *g, const ask_place *place, const finder *n)
{
	const graph_node *scores = graph_at(g, g_array_index(n->scores, uint32_t, 0));

	*f = (fla){.a = {.b = b,
	                 .machine = asb_machine(b),
	                 .coupled = asb_machine(b)->coupled,
	                 .heads = n->heads,
	                 .queries = scores->n,
	                 .depth = n->depth,
	                 .q = place[n->query],
	                 .o = place[n->node[RESULT]],
	                 .scale = n->scale,
	                 .name_scores = scores->name,
	                 .name_soft = graph_at(g, g_array_index(n->products, uint32_t, 0))->name,
	                 .name_out = graph_at(g, n->node[RESULT])->name},
	           .tiles = g_array_new(FALSE, FALSE, sizeof(fla_tile))};
	for (guint i = 0; i < n->scores->len; i++) {
		const graph_node *k = graph_at(g, g_array_index(n->scores, uint32_t, i));
		const graph_node *v = graph_at(g, g_array_index(n->products, uint32_t, i));
		fla_tile t = {place[k->in[0]], place[v->in[0]], k->m, atn_up(k->m, ATN_SIDE)};

		f->tile = MAX(f->tile, t.pitch);
		g_array_append_val(f->tiles, t);
		f->a.keys += k->m;
	}
}

/* Would the kernel fit MACHINE?  The graph alone decides which kernel takes it, so the pattern asks for sizes that fit
 * every machine. */
static bool is_small(const finder *f)
{
	enum { MOST_TILE = 256, MOST_ROWS = 65519 };

	for (guint i = 0; i < f->scores->len; i++)
		if (graph_at(f->g, g_array_index(f->scores, uint32_t, i))->m > MOST_TILE)
			return false;
	return graph_at(f->g, g_array_index(f->scores, uint32_t, 0))->n <= MOST_ROWS;
}

void ask_match_flash(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	finder f;

	(void)kernel_of;
	if (find(g, first, &f) && is_small(&f))
		g_array_append_vals(nodes, f.nodes->data, f.nodes->len);
	finder_fini(&f);
}

/* ---- the kernel ---- */

static void all_items(fla *f)
{
	uint64_t items = fla_items(f);

	for (uint64_t i = 0; i < MIN(items, ATN_AHEAD); i++)
		fla_make_scores(f, i);
	for (uint64_t i = 0; i < items; i++) {
		for (unsigned s = 0; s < (f->a.coupled ? 1 : asb_vectors(f->a.b) + 1); s++)
			asb_iteration(f->a.b, f->a.core + s, i);
		fla_powers(f, i);
		asb_hold(f->a.b);
		if (i + ATN_AHEAD < items)
			fla_make_scores(f, i + ATN_AHEAD);
		fla_make_products(f, i);
		if (i >= FLA_LAG)
			fla_add_up(f, i - FLA_LAG);
		asb_hold(f->a.b);
	}
	for (uint64_t i = items - MIN(items, FLA_LAG); i < items; i++)
		fla_add_up(f, i);
}

static bool one_block(fla *f, uint32_t block, GError **error)
{
	atn_marks marks;
	bool good = true;

	if (!atn_begin_block(&f->a, block, &marks))
		return true;
	for (unsigned t = 0; t < G_N_ELEMENTS(f->scores); t++)
		g_hash_table_remove_all(f->scores[t]);
	for (unsigned t = 0; t < G_N_ELEMENTS(f->products); t++)
		g_hash_table_remove_all(f->products[t]);
	for (unsigned v = 0; good && v < asb_vectors(f->a.b); v++)
		good = fla_soft_take(f, v, error);
	good = good && fla_cube_take(f, error);
	if (good)
		all_items(f);
	atn_end_block(&f->a, &marks);
	return good;
}

bool ask_flash(asb *b, const ask_kernel *k, GError **error)
{
	finder n;
	bool good = true;
	fla f;

	if (!find(k->g, g_array_index(k->nodes, uint32_t, 0), &n))
		g_assert_not_reached();
	describe(&f, b, k->g, k->place, &n);
	finder_fini(&n);
	if (!plan(&f)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: 16 queries of tiles of %" G_GUINT64_FORMAT " keys do not fit the buffers of %s",
		            f.a.name_out, f.tile, f.a.machine->name);
		g_array_free(f.tiles, TRUE);
		return false;
	}
	f.a.units = g_array_new(FALSE, FALSE, sizeof(atn_unit));
	for (unsigned t = 0; t < G_N_ELEMENTS(f.scores); t++)
		f.scores[t] = g_hash_table_new(NULL, NULL);
	for (unsigned t = 0; t < G_N_ELEMENTS(f.products); t++)
		f.products[t] = g_hash_table_new(NULL, NULL);
	asb_remark(b,
	           "%s: %u tile%s of keys, units of %" G_GUINT64_FORMAT " queries, products of %" G_GUINT64_FORMAT
	           " keys",
	           f.a.name_out, f.tiles->len, tsp_s(f.tiles->len), f.a.width, f.a.chunk);
	asb_node(b, f.a.name_out);
	asb_loop(b, asb_cube(b, 0), "tiles of keys");
	for (uint32_t block = 0; good && block < asb_blocks(b); block++)
		good = one_block(&f, block, error);
	for (unsigned t = 0; t < G_N_ELEMENTS(f.scores); t++)
		g_hash_table_destroy(f.scores[t]);
	for (unsigned t = 0; t < G_N_ELEMENTS(f.products); t++)
		g_hash_table_destroy(f.products[t]);
	asb_work(b, 2 * f.a.heads * f.a.queries * f.a.keys * f.a.depth, 0);
	g_array_free(f.a.units, TRUE);
	g_array_free(f.tiles, TRUE);
	return good;
}
