/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector kernels: element-wise operations, reductions, views, joins.
 *
 * The nodes of a kernel are cut into stages of what can be done tile by tile in one pass over global memory: as many
 * nodes in a row as fit (vector_plan.c).  Tiles are spread over all vector sub-cores in contiguous shares, so that
 * every core walks through memory in order and all cores are at like places of their shares at any time.  Where
 * reductions leave too few lanes for the cores, or one needs more rows than the unified buffer has room for, it is done
 * in two levels, blocks of 2^j rows first: the pairs are those of the graph.
 *
 * Between stages all cores meet.
 */
#include "sched/emit/ascend/vector_int.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ nodes */

static uint32_t add_node(GArray *nodes, const ask_kernel *k, uint32_t i, bool external)
{
	avk_node node = {.n = *graph_at(k->g, i),
	                 .external = external,
	                 .address = k->place[i].pitch_bytes ? k->place[i].address : 0,
	                 .pitch_bytes = k->place[i].pitch_bytes};

	node.stored = node.pitch_bytes != 0;
	g_array_append_val(nodes, node);
	return nodes->len - 1;
}

/* The kernel's nodes and, before each, what it reads from elsewhere. */
static GArray *collect(const ask_kernel *k)
{
	GArray *nodes = g_array_new(FALSE, TRUE, sizeof(avk_node));
	g_autofree uint32_t *at = g_new(uint32_t, graph_size(k->g));

	memset(at, 0xff, graph_size(k->g) * sizeof *at);
	for (guint m = 0; m < k->nodes->len; m++)
		at[g_array_index(k->nodes, uint32_t, m)] = AVK_NONE - 1;
	for (guint m = 0; m < k->nodes->len; m++) {
		uint32_t i = g_array_index(k->nodes, uint32_t, m), in[2] = {AVK_NONE, AVK_NONE}, self;
		const graph_node *n = graph_at(k->g, i);

		for (unsigned o = 0; o < graph_arity(n); o++) {
			if (at[n->in[o]] == AVK_NONE)
				at[n->in[o]] = add_node(nodes, k, n->in[o], true);
			in[o] = at[n->in[o]];
		}
		self = add_node(nodes, k, i, false);
		at[i] = self;
		memcpy(avk_node_at(nodes, self)->n.in, in, sizeof in);
	}
	return nodes;
}

/* Global memory for NODE. */
static void give_place(asb *b, avk_node *node)
{
	node->pitch_bytes = node->n.lanes * isa_type_bytes(node->n.type);
	if (node->n.rows > 1)
		node->pitch_bytes = avk_up(node->pitch_bytes, (uint64_t)asb_machine(b)->ub_row_bytes);
	node->address = asb_scratch(b, node->n.rows * node->pitch_bytes);
}

/* Nodes [FIRST, LAST) as a stage of their own: earlier ones are external, later ones absent. */
static GArray *stage_nodes(GArray *nodes, uint32_t first, uint32_t last)
{
	GArray *own = g_array_new(FALSE, TRUE, sizeof(avk_node));

	g_array_append_vals(own, nodes->data, last);
	for (uint32_t i = 0; i < last; i++) {
		avk_node *node = avk_node_at(own, i);

		node->external |= i < first;
		for (uint32_t user = last; !node->external && user < nodes->len; user++)
			node->stored |=
				avk_node_at(nodes, user)->n.in[0] == i || avk_node_at(nodes, user)->n.in[1] == i;
	}
	return own;
}

/* Values of one row and lanes without end where that changes nothing: whole tensors without gaps between rows. */
static bool flatten(GArray *nodes)
{
	uint64_t rows = 0, lanes = 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const avk_node *node = avk_node_at(nodes, i);
		const graph_node *n = &node->n;

		if (node->external && !node->uses)
			continue;
		if (!node->external && n->op != GRAPH_UNARY && n->op != GRAPH_BINARY)
			return false;
		if (!rows) {
			rows = n->rows;
			lanes = n->lanes;
		}
		if (n->rows != rows || n->lanes != lanes ||
		    ((node->external || node->stored) && node->pitch_bytes != lanes * isa_type_bytes(n->type)))
			return false;
	}
	for (uint32_t i = 0; i < nodes->len; i++) {
		graph_node *n = &avk_node_at(nodes, i)->n;

		n->lanes *= n->rows;
		n->rows = 1;
		avk_node_at(nodes, i)->pitch_bytes = n->lanes * isa_type_bytes(n->type);
	}
	return true;
}

static void count_uses(GArray *nodes)
{
	for (uint32_t i = 0; i < nodes->len; i++)
		avk_node_at(nodes, i)->uses = 0;
	for (uint32_t i = 0; i < nodes->len; i++)
		for (unsigned o = 0; o < 2 && !avk_node_at(nodes, i)->external; o++)
			if (avk_node_at(nodes, i)->n.in[o] != AVK_NONE)
				avk_node_at(nodes, avk_node_at(nodes, i)->n.in[o])->uses++;
}

/* ------------------------------------------------------------------------------------------------ stages */

static void add_candidate(GArray *units, uint64_t n)
{
	for (guint i = 0; i < units->len; i++)
		if (g_array_index(units, uint64_t, i) == n)
			return;
	g_array_append_val(units, n);
}

static int descending(gconstpointer a, gconstpointer b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool all_shared(const avk_program *p)
{
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);

		if (!o->once && !o->shared)
			return false;
	}
	return true;
}

static bool divided(GArray *nodes, uint64_t long_rows)
{
	for (uint32_t i = 0; long_rows && i < nodes->len; i++)
		if (!avk_node_at(nodes, i)->external && avk_node_at(nodes, i)->n.rows == long_rows)
			return true;
	return false;
}

/* The largest number of units with which NODES make a stage of which LANES lanes fit; 0: none.  LONG_ROWS: nodes of so
 * many rows must be divided. */
static uint64_t find_units(const asc_machine *machine, GArray *nodes, uint64_t lanes, uint64_t long_rows)
{
	g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (uint32_t i = 0; i < nodes->len; i++) {
		const avk_node *node = avk_node_at(nodes, i);

		if (node->external)
			continue;
		add_candidate(units, node->n.rows);
		if (node->n.op == GRAPH_REDUCE || node->n.op == GRAPH_ROWS || node->n.op == GRAPH_JOIN)
			add_candidate(units, node->n.groups);
	}
	if (!divided(nodes, long_rows))
		add_candidate(units, 1);
	g_array_sort(units, descending);
	for (guint i = 0; i < units->len; i++) {
		uint64_t n = g_array_index(units, uint64_t, i);
		g_autoptr(avk_program) p = avk_program_new(NULL, machine, nodes, n);

		if (p && (n == 1 || !all_shared(p)) && avk_fits(p, 1, MIN(MAX(lanes, p->granule), p->lanes), 1))
			return n;
	}
	return 0;
}

typedef struct plan {
	const asc_machine *machine;
	GArray *nodes; /* avk_node */
	avk_splitting split;
	GArray *begin, *units; /* stage i is nodes [begin[i], begin[i + 1]) with units[i] units */
	uint32_t culprit;      /* what cannot be done */
} plan;

static void plan_clear(plan *p)
{
	g_clear_pointer(&p->nodes, g_array_unref);
	g_clear_pointer(&p->begin, g_array_unref);
	g_clear_pointer(&p->units, g_array_unref);
}

/* Cuts the nodes into stages of each of which at least LANES lanes fit. */
static bool cut(plan *p, uint64_t lanes)
{
	uint32_t first = 0, count = p->nodes->len;

	p->begin = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	p->units = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	while (first < count) {
		uint32_t last = first, good = 0;
		uint64_t with = 0;

		while (last < count) {
			g_autoptr(GArray) own = NULL;
			uint64_t n;

			last++;
			if (last < count && avk_node_at(p->nodes, last - 1)->external)
				continue;
			own = stage_nodes(p->nodes, first, last);
			if (p->split.block)
				avk_narrow(own, &p->split, false);
			n = find_units(p->machine, own, lanes, p->split.whole * p->split.block);
			if (!n)
				break;
			good = last;
			with = n;
		}
		if (!good) {
			p->culprit = last - 1;
			return false;
		}
		g_array_append_val(p->begin, first);
		g_array_append_val(p->units, with);
		first = good;
	}
	g_array_append_val(p->begin, first);
	return true;
}

static uint64_t vector_operations(const graph_node *n)
{
	return n->op == GRAPH_UNARY || n->op == GRAPH_BINARY || n->op == GRAPH_REDUCE ? n->rows * n->lanes : 0;
}

static void give_places(asb *b, const plan *p, guint stage)
{
	uint32_t last = g_array_index(p->begin, uint32_t, stage + 1);

	for (uint32_t i = g_array_index(p->begin, uint32_t, stage); i < last; i++) {
		avk_node *node = avk_node_at(p->nodes, i);

		for (uint32_t user = last; !node->external && !node->pitch_bytes && user < p->nodes->len; user++)
			if (avk_node_at(p->nodes, user)->n.in[0] == i || avk_node_at(p->nodes, user)->n.in[1] == i)
				give_place(b, node);
	}
}

static bool run_nodes(asb *b, GArray *nodes, uint64_t units, const avk_share *who, uint64_t lanes)
{
	g_autoptr(avk_program) p = NULL;

	for (uint32_t i = 0; i < nodes->len; i++)
		if (!avk_node_at(nodes, i)->external && !who->first)
			asb_work(b, 0, vector_operations(&avk_node_at(nodes, i)->n));
	p = avk_program_new(b, asb_machine(b), nodes, units);
	if (!p)
		return false;
	if (lanes)
		p->lanes = lanes;
	return avk_run_tiles(b, p, who);
}

/* LANES: of the share; 0: all. */
static bool run_stage(asb *b, plan *p, guint stage, const avk_share *who, uint64_t lanes)
{
	uint32_t first = g_array_index(p->begin, uint32_t, stage), last = g_array_index(p->begin, uint32_t, stage + 1);
	uint64_t units = g_array_index(p->units, uint64_t, stage);
	bool tail = p->split.block && p->split.rows % p->split.block, good;
	GArray *own = stage_nodes(p->nodes, first, last);

	if (p->split.block)
		avk_narrow(own, &p->split, false);
	/* A part of the last block is of that block alone, but what all share has been done. */
	tail = tail && (divided(own, p->split.whole * p->split.block) || divided(own, p->split.whole));
	count_uses(own);
	if (!lanes && flatten(own))
		units = 1;
	good = run_nodes(b, own, units, who, lanes);
	g_array_unref(own);
	if (!good || !tail)
		return good;
	own = stage_nodes(p->nodes, first, last);
	avk_narrow(own, &p->split, true);
	for (uint32_t i = first; i < last; i++) /* what all blocks share is done */
		if (avk_node_at(p->nodes, i)->n.rows == 1 && !avk_node_at(own, i)->part)
			avk_node_at(own, i)->stored = false;
	good = run_nodes(b, own, 1, who, lanes);
	g_array_unref(own);
	return good;
}

/* ------------------------------------------------------------------------------------------------ kernels */

/* Lanes that no stage divides.  SECTOR: those of a whole sector of the narrowest value; L2 keeps no line that is read
 * in parts of sectors, so every core would fetch it anew. */
static uint64_t share_granule(const plan *p, uint64_t *sector)
{
	uint64_t granule = 1;

	*sector = 1;
	for (guint i = 0; i < p->units->len; i++) {
		g_autoptr(GArray) own = stage_nodes(p->nodes, g_array_index(p->begin, uint32_t, i),
		                                    g_array_index(p->begin, uint32_t, i + 1));
		g_autoptr(avk_program) program = NULL;

		if (p->split.block)
			avk_narrow(own, &p->split, false);
		program = avk_program_new(NULL, p->machine, own, g_array_index(p->units, uint64_t, i));
		granule = MAX(granule, program->granule);
		*sector = MAX(*sector, (uint64_t)p->machine->l2_sector_bytes / avk_narrowest(program));
	}
	return granule;
}

static uint64_t lanes_of(const plan *p)
{
	return avk_node_at(p->nodes, p->nodes->len - 1)->n.lanes;
}

/* Lanes of each core's share where cores go through all stages on their own; 0 where they share rows and meet. */
static uint64_t lanes_of_share(const plan *p, uint64_t cores)
{
	uint64_t lanes = lanes_of(p), granule, sector;

	if (p->units->len == 1)
		return 0;
	granule = share_granule(p, &sector);
	if (lanes < granule * cores)
		return 0;
	return avk_up(avk_div_up(lanes, cores), avk_up(sector, granule));
}

static bool run_plan(asb *b, plan *p)
{
	uint64_t cores = avk_cores(b), lanes = lanes_of(p), of_share = lanes_of_share(p, cores);
	bool good = true;

	for (guint i = 0; i < p->units->len; i++)
		give_places(b, p, i);
	for (uint64_t lane = 0, c = 0; of_share && good && lane < lanes; lane += of_share, c++) {
		avk_share who = {c, 1, lane};

		for (guint i = 0; good && i < p->units->len; i++) {
			good = run_stage(b, p, i, &who, MIN(of_share, lanes - lane));
			p->culprit = g_array_index(p->begin, uint32_t, i);
		}
	}
	for (guint i = 0; !of_share && good && i < p->units->len; i++) {
		avk_share who = {0, cores, 0};

		if (i)
			asb_sync(b);
		good = run_stage(b, p, i, &who, 0);
		p->culprit = g_array_index(p->begin, uint32_t, i);
	}
	return good;
}

/* Blocks of reductions: so many rows that each core has one, and so few that a useful width fits. */
static bool split_plan(plan *p, GArray *nodes, uint64_t cores)
{
	uint64_t rows = avk_rows_to_split(nodes), lanes = lanes_of(p), block = 1, width = 128;
	bool meet = lanes < cores * 16;

	if (!rows)
		return false;
	if (meet)
		while (2 * block * avk_div_up(cores, avk_div_up(lanes, width)) <= rows)
			block *= 2;
	else
		while (2 * block <= rows / 2)
			block *= 2;
	for (; width; width /= 4)
		for (uint64_t rest = block; rest > 4; rest /= 2) {
			plan_clear(p);
			/* A stage of its own costs a meeting where cores have to meet, else next to nothing. */
			p->split = (avk_splitting){rows, rest, rows / rest, meet ? 4 * rest : 0};
			p->nodes = avk_split(nodes, &p->split);
			if (cut(p, MIN(width, lanes)))
				return true;
		}
	return false;
}

/* Does a piece of each row that is worth a copy fit with all rows of the kernel's reductions? */
static bool is_wide(const plan *p, uint64_t cores)
{
	enum { WIDTH = 64 };
	plan wide = {.machine = p->machine, .nodes = g_array_ref(p->nodes)};
	bool is = lanes_of(p) < cores * WIDTH || (cut(&wide, WIDTH) && wide.units->len == 1);

	plan_clear(&wide);
	return is;
}

/* NODES of the kernel in one level if they can be, keep the cores busy and move more than crumbs; else in two. */
static bool run_kernel(asb *b, GArray *nodes, uint32_t *culprit)
{
	enum { WORTH = 1 << 15, NARROW = 16 };
	plan p = {.machine = asb_machine(b), .nodes = g_array_ref(nodes)};
	uint64_t cores = avk_cores(b), lanes = lanes_of(&p), rows = avk_rows_to_split(nodes);
	bool good = cut(&p, 1), idle = lanes * 2 < cores * NARROW && rows * MAX(lanes, NARROW) >= WORTH;
	bool two = !good || p.units->len > 1 || idle || !is_wide(&p, cores);
	uint32_t levels = asb_decide(b, "levels", rows ? 3 : 1);

	if (rows && (levels ? levels == 2 || !good : two)) {
		good = split_plan(&p, nodes, cores);
		if (!good) {
			plan_clear(&p);
			p.split.block = 0;
			p.nodes = g_array_ref(nodes);
			good = cut(&p, 1);
		}
	}
	good = good && run_plan(b, &p);
	*culprit = p.culprit;
	plan_clear(&p);
	return good;
}

bool ask_vector(asb *b, const ask_kernel *k, GError **error)
{
	g_autoptr(GArray) nodes = collect(k);
	plan whole = {.machine = asb_machine(b), .nodes = g_array_ref(nodes)};
	uint64_t groups = avk_groups(nodes);
	uint32_t culprit = 0;
	bool good = true;

	/* Groups that do not fit are done one after the other, each in two levels. */
	if (groups > 1 && cut(&whole, 1) && whole.units->len == 1)
		groups = 1;
	plan_clear(&whole);
	for (uint64_t i = 0; good && i < groups; i++) {
		g_autoptr(GArray) own = groups > 1 ? avk_one_group(nodes, groups, i) : g_array_ref(nodes);

		good = run_kernel(b, own, &culprit);
	}
	if (!good)
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: '%s' does not fit the unified buffer in any way known",
		            avk_node_at(nodes, MIN(culprit, nodes->len - 1))->n.name,
		            graph_op_name(avk_node_at(nodes, MIN(culprit, nodes->len - 1))->n.op));
	return good;
}
